// Culling: a commit that removes a good part of the cells of a map of one kind, and does nothing else.
//
// It is losing (lose.c) by the armful: the same orbits are found in the same order, and the same bits are left. But the
// removed cells lie at nearly every orbit then, and to note what was met where, and take it back, is to write half the
// body down once more. So less is written. What was met is a bit, by place, and so is who goes on under an id; nothing
// of the map itself changes until all is reserved, and there is nothing to be put back. Of what is left of an orbit and
// keeps its id the one dart is noted at which it was met, of what came off also the places, until it has got its id.
// Nobody is told them (map_told_star): who adds up something over orbits goes over all cells then, as memory has them.

#include "map/plan.h"

#include <stdlib.h>

enum { MOST_MASKS = 1 << MAP_MOST_FACETS };

typedef struct culling {
  map *m;
  map_scratch *s;
  uint32_t kind;
  const clv_template *shape;
  const uint32_t *links;
  map_index *index; // that is looked at
  const clv_suborbits *sub;
  const map_onward *onward;
  uint32_t *ids;
  uint64_t
      bare[MOST_MASKS]; // by the facets of a removed cell that have a neighbour: its places that have none, as bits
} culling;

static uint64_t bare_places(const culling *c, uint32_t facets) {
  uint64_t bare = (UINT64_C(1) << c->sub->count) - 1;
  for (uint32_t d = 0; d < c->shape->dart_count; d++)
    if (facets >> c->shape->facet[d] & 1u) bare &= ~(UINT64_C(1) << c->sub->of[d]);
  return bare;
}

static void look_at(culling *c, map_index *index) {
  map_onward *onward = &c->s->onward[index->inner];
  c->index = index;
  c->sub = &c->shape->sub[index->inner];
  c->ids = index->ids[c->kind].data;
  map_learn_onward(onward, c->kind, c->sub);
  c->onward = onward;
}

static inline bool has_bit(const uint32_t *bits, uint32_t k) {
  return bits[k / 32] >> k % 32 & 1u;
}

static inline void set_bit(uint32_t *bits, uint32_t k) {
  bits[k / 32] |= 1u << k % 32;
}

// So many bits, all zero: they are so between uses.
static bool reserve_bits(const culling *c, map_words *bits, uint64_t count) {
  return BASE_RESERVE_CLEARED(&c->m->allocator, bits, count / 32 + 1);
}

static void clear_bits(map_words *bits) {
  if (bits->count) memset(bits->data, 0, bits->count * sizeof *bits->data);
}

// Which cells are gone, and what was beside them. False where something else was done between two of them.
static bool find_beside(culling *c, uint32_t first, uint32_t drop) {
  const map *m = c->m;
  map_scratch *s = c->s;
  const clv_dart cell = m->log.data[drop].dart;
  uint32_t facets = 0, count = s->beside.count;
  for (uint32_t k = first; k < drop; k++) {
    const map_write w = m->log.data[k];
    const bool here = w.dart >> 6 == cell >> 6, there = w.before >> 6 == cell >> 6;
    if (w.op != MAP_LINK || w.after || here == there) return false;
    if (here || !map_row_alive(m, c->kind, map_uniform_row(w.dart))) continue;
    facets |= 1u << c->shape->facet[w.before & 63u];
    s->beside.data[count++] = w.dart;
  }
  s->beside.count = count;
  s->dropped.data[s->dropped.count++] = cell;
  s->culled.data[s->culled.count++] = (uint8_t)facets;
  return true;
}

// *good: nothing else was done.
static bool list_cells(culling *c, bool *good) {
  const map *m = c->m;
  map_scratch *s = c->s;
  const clv_allocator *a = &m->allocator;
  uint32_t first = 0;
  *good = true;
  s->beside.count = s->dropped.count = s->culled.count = 0;
  if (!BASE_RESERVE(a, &s->beside, m->log.count) || !BASE_RESERVE(a, &s->dropped, m->log.count) ||
      !BASE_RESERVE(a, &s->culled, m->log.count))
    return false;
  for (uint32_t k = 0; k < m->log.count && *good; k++) {
    if (m->log.data[k].op != MAP_CELL_DROP) continue;
    *good = find_beside(c, first, k);
    first = k + 1;
  }
  return true;
}

// What is left. Loops that go over all of it are made with the numbers of tetrahedra, and for whatever shape there is.

typedef struct numbers {
  uint32_t facets, size, width; // of a cell; darts of a facet; places of a cell
  uint32_t ways;                // on from a place, the same for all; 0: as many as there are
} numbers;

// Where the way goes on from a place; 0 where nothing is beyond.
static inline clv_dart link_beyond(const culling *c, clv_dart dart, const struct map_exits *exits, uint32_t n,
                                   uint32_t facets) {
  return c->links[(dart >> 6) * facets + exits->link[n]];
}

static inline map_place land(const map_onward *onward, clv_dart link, uint32_t position, uint32_t width) {
  const uint64_t stride = map_pack((map_place){64, width});
  return map_unpack(onward->landing[link & 63u][position] + (link >> 6) * stride);
}

static bool more_places(culling *c, uint32_t count) {
  c->s->places.count = count;
  return BASE_RESERVE(&c->m->allocator, &c->s->places, (uint64_t)count + CLV_TEMPLATE_DARTS);
}

// Appends the places of a path that begins at a facet that is free now, and sets the bit of the last: only its ends can
// be met again.
CLV_INLINE bool follow(culling *c, map_place at, numbers k) {
  const culling here = *c; // which no write below can change
  uint32_t count = c->s->places.count, room = c->s->places.capacity;
  map_place *places = c->s->places.data;
  for (;;) {
    if (count == room) {
      if (!more_places(c, count)) return false;
      places = c->s->places.data;
      room = c->s->places.capacity;
    }
    places[count++] = at;
    const struct map_exits *exits = &here.onward->at[at.dart & 63u];
    const clv_dart link = exits->count ? link_beyond(&here, at.dart, exits, 0, k.facets) : CLV_NO_DART;
    if (!link) break;
    at = land(here.onward, link, exits->position[0], k.width);
  }
  set_bit(c->s->met.data, at.slot);
  c->s->places.count = count;
  return true;
}

// Appends the place of an orbit that was just met, and all others of it, and sets their bits.
CLV_INLINE bool flood(culling *c, map_place start, numbers k) {
  const culling here = *c;
  uint32_t *const met = c->s->met.data;
  uint32_t count = c->s->places.count, at = count;
  if (!more_places(c, count)) return false;
  map_place *places = c->s->places.data;
  uint32_t room = c->s->places.capacity - CLV_TEMPLATE_DARTS;
  places[count++] = start;
  for (; at < count; at++) {
    if (count > room) {
      if (!more_places(c, count)) return false;
      places = c->s->places.data;
      room = c->s->places.capacity - CLV_TEMPLATE_DARTS;
    }
    const clv_dart dart = places[at].dart;
    const struct map_exits *exits = &here.onward->at[dart & 63u];
    for (uint32_t n = 0, ways = k.ways ? k.ways : exits->count; n < ways; n++) {
      const clv_dart link = link_beyond(&here, dart, exits, n, k.facets);
      if (!link) continue;
      const map_place next = land(here.onward, link, exits->position[n], k.width);
      if (has_bit(met, next.slot)) continue;
      set_bit(met, next.slot);
      places[count++] = next;
    }
  }
  c->s->places.count = count;
  return true;
}

static inline clv_id id_of(const map_index *index, uint32_t id) {
  return (clv_id){id, index->generation.data[id]};
}

// What is left of an orbit, at a place of it that was not met, and lies at a facet that is free now.
CLV_INLINE bool start(culling *c, map_place at, numbers k) {
  map_scratch *s = c->s;
  const clv_allocator *a = &c->m->allocator;
  const uint32_t old = c->ids[at.slot], first = s->places.count, event = s->events.count;
  const bool parted = has_bit(s->doubts.data, old); // there is another one that goes on under the id
  if (!BASE_RESERVE(a, &s->events, (uint64_t)event + 1)) return false;
  s->events.data[s->events.count++] = (clv_event){.dims = (uint8_t)c->index->dims,
                                                  .kind = parted ? CLV_SPLIT : CLV_CHANGED,
                                                  .dart = (at.dart & ~63u) | c->sub->first[c->sub->of[at.dart & 63u]],
                                                  .id = id_of(c->index, old)};
  set_bit(s->met.data, at.slot);
  set_bit(s->doubts.data, old);
  if (!(c->onward->path ? follow(c, at, k) : flood(c, at, k))) return false;
  if (!parted) {
    s->places.count = first;
    return true;
  }
  if (!BASE_RESERVE(a, &s->pieces, (uint64_t)s->pieces.count + 1)) return false;
  s->pieces.data[s->pieces.count++] = (map_piece){event, first, s->places.count};
  return true;
}

CLV_INLINE bool start_all(culling *c, numbers k) {
  enum { AHEAD = 24 };
  const culling here = *c;
  const map_words beside = here.s->beside;
  const uint32_t *const met = here.s->met.data;
  const uint8_t *const of = here.sub->of;
  const uint32_t step = here.index->inner & 3u ? 2 : 1; // links that place and facet share join the darts in pairs
  for (uint32_t n = 0; n < beside.count; n++) {
    const clv_dart first = beside.data[n];
    const uint32_t row = map_uniform_row(first) * k.width,
                   size = k.size ? k.size : here.shape->facet_size[here.shape->facet[first & 63u]];
    if (beside.count - n > AHEAD) { // what will be read is asked for
      const size_t ahead = map_uniform_row(beside.data[n + AHEAD]);
      CLV_PREFETCH(here.links + ahead * k.facets);
      CLV_PREFETCH(here.ids + ahead * k.width);
    }
    for (uint32_t d = 0; d < size; d += step) {
      const map_place at = {first + d, row + of[(first + d) & 63u]};
      if (!has_bit(met, at.slot) && !start(c, at, k)) return false;
    }
  }
  return true;
}

static bool start_tets(culling *c) {
  return c->onward->path ? start_all(c, (numbers){4, 6, c->sub->count, 0}) : start_all(c, (numbers){4, 6, 4, 2});
}

static bool start_any(culling *c) {
  return start_all(c, (numbers){c->shape->facet_count, 0, c->sub->count, 0});
}

static int compare_gone(const void *a, const void *b) {
  const uint32_t p = ((const map_gone *)a)->id, q = ((const map_gone *)b)->id;
  return (p > q) - (p < q);
}

// Ids of which nothing is left, in order.
static bool list_gone(culling *c) {
  map_scratch *s = c->s;
  const uint32_t before = s->gone.count;
  for (uint32_t facets = 0; facets < 1u << c->shape->facet_count; facets++) c->bare[facets] = bare_places(c, facets);
  for (uint32_t k = 0; k < s->dropped.count; k++) {
    uint64_t bare = c->bare[s->culled.data[k]];
    const uint32_t *ids = c->ids + map_uniform_row(s->dropped.data[k]) * c->sub->count;
    if (!bare) continue;
    if (!BASE_RESERVE(&c->m->allocator, &s->gone, (uint64_t)s->gone.count + c->sub->count)) return false;
    for (uint32_t p = 0; bare; p++, bare >>= 1) {
      if (!(bare & 1u) || has_bit(s->doubts.data, ids[p])) continue;
      set_bit(s->doubts.data, ids[p]);
      s->gone.data[s->gone.count++] = (map_gone){c->index, ids[p], c->index->dart.data[ids[p]]};
    }
  }
  if (s->gone.count > before) qsort(s->gone.data + before, s->gone.count - before, sizeof *s->gone.data, compare_gone);
  if (!BASE_RESERVE(&c->m->allocator, &s->events, (uint64_t)s->events.count + s->gone.count - before)) return false;
  for (uint32_t g = before; g < s->gone.count; g++)
    s->events.data[s->events.count++] =
        (clv_event){.dims = (uint8_t)c->index->dims, .kind = CLV_DELETED, .id = id_of(c->index, s->gone.data[g].id)};
  return true;
}

// Where each sort of orbit ends: what came off, events of what is left, those of what is gone.
typedef struct sort_end {
  uint32_t pieces, left, events;
} sort_end;

static bool find_orbits(culling *c, map_index *index, sort_end *end) {
  map_scratch *s = c->s;
  const uint32_t before = s->pieces.count;
  look_at(c, index);
  const bool corners = c->kind == CLV_TET && (c->onward->path || index->inner == 6);
  bool done = reserve_bits(c, &s->met, (uint64_t)c->m->rows[c->kind].count * c->sub->count) &&
              reserve_bits(c, &s->doubts, index->count) && (corners ? start_tets(c) : start_any(c));
  end->pieces = s->pieces.count;
  end->left = s->events.count;
  done = done && list_gone(c);
  end->events = s->events.count;
  clear_bits(&s->met);
  clear_bits(&s->doubts);
  return done && (end->pieces == before || map_index_reserve(c->m, index, end->pieces - before));
}

enum { HANDFUL = 256 }; // parted orbits, whose values are copied while all that tells of them is at hand

// `fresh`: ids that will be taken, by sort.
static bool reserve(const culling *c, const uint32_t fresh[MAP_INDICES]) {
  map *m = c->m;
  map_scratch *s = c->s;
  const uint64_t events = (uint64_t)s->events.count + s->dropped.count;
  if (!BASE_RESERVE(&m->allocator, &s->parted, HANDFUL) || !BASE_RESERVE(&m->allocator, &s->events, events))
    return false;
  if (m->embedding.self && !m->embedding.reserve_copies(m->embedding.self, m, fresh)) return false;
  return map_journals_reserve(m);
}

// The second half, which cannot fail

static void copy_values(const culling *c) {
  const map_embedding *embedding = &c->m->embedding;
  map_scratch *s = c->s;
  if (embedding->self && s->parted.count) embedding->copy(embedding->self, s->parted.data, s->parted.count);
  s->parted.count = 0;
}

// What came off another orbit gets an id of its own.
static void settle_pieces(const culling *c, const map_piece *piece, const map_piece *end) {
  enum { AHEAD = 16 };
  map_scratch *s = c->s;
  const map_place *const places = s->places.data;
  for (; piece < end; piece++) {
    if (end - piece > AHEAD) CLV_PREFETCH(c->ids + places[piece[AHEAD].start].slot); // by then in no cache any more
    clv_event *event = &s->events.data[piece->event];
    const uint32_t id = map_index_take(c->index);
    for (uint32_t k = piece->start; k < piece->end; k++) c->ids[places[k].slot] = id;
    event->from = event->id;
    event->id = id_of(c->index, id);
    s->parted.data[s->parted.count++] = (map_parted){c->index, event->from.index, id};
    if (s->parted.count == HANDFUL) copy_values(c);
  }
}

// What is left of orbits, or came off, is known by the darts at which it was met.
static void settle_darts(const culling *c, const clv_event *event, const clv_event *end) {
  uint32_t *const darts = c->index->dart.data;
  for (; event < end; event++) darts[event->id.index] = event->dart;
}

static void free_cells(const culling *c) {
  map *m = c->m;
  map_scratch *s = c->s;
  const uint8_t dims = (uint8_t)clv_orbit_dims(&m->view, CLV_CELL);
  for (uint32_t k = 0; k < s->dropped.count; k++) {
    const uint32_t row = map_uniform_row(s->dropped.data[k]);
    const uint32_t generation = (m->rows[c->kind].state.data[row] & MAP_GENERATION) - 1u;
    s->events.data[s->events.count++] =
        (clv_event){.dims = dims, .kind = CLV_DELETED, .id = {s->dropped.data[k] >> 6, generation}};
    map_rows_give(m, c->kind, row);
  }
}

static void carry_out(culling *c, const sort_end *ends) {
  map *m = c->m;
  map_scratch *s = c->s;
  sort_end last = {0};
  s->parted.count = 0;
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    if (!m->numbered[k]->crossing) continue;
    const sort_end end = ends[k];
    look_at(c, m->numbered[k]); // arrays may have moved
    settle_pieces(c, s->pieces.data + last.pieces, s->pieces.data + end.pieces);
    settle_darts(c, s->events.data + last.events, s->events.data + end.left);
    last = end;
  }
  copy_values(c);
  if (m->embedding.self && (m->embedding.destroys || s->gone.count))
    m->embedding.lose(m->embedding.self, m, s->gone.data, s->gone.count);
  for (uint32_t g = 0; g < s->gone.count; g++) map_index_give(s->gone.data[g].index, s->gone.data[g].id);
  free_cells(c);
}

bool map_is_cull(const map *m, uint32_t kind) {
  enum { ONE_OF = 45, ENTRIES = 9 }; // as measured: from there on it costs less; what one tetrahedron writes
  const uint64_t writes = m->log.count;
  return writes > ENTRIES && writes * ONE_OF > (uint64_t)m->rows[kind].alive * ENTRIES &&
         m->log.data[writes - 1].op == MAP_CELL_DROP;
}

map_part_end map_commit_cull(map *m, uint32_t kind) {
  map_scratch *s = m->scratch;
  culling c = {.m = m, .s = s, .kind = kind, .shape = &clv_templates[kind], .links = m->view.links[kind]};
  bool good;
  if (!list_cells(&c, &good)) return MAP_PART_NO_MEMORY;
  if (!good) return MAP_PART_GENERAL;
  uint32_t fresh[MAP_INDICES] = {0};
  sort_end ends[MAP_INDICES];
  s->events.count = s->pieces.count = s->gone.count = s->places.count = 0;
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const uint32_t before = s->pieces.count;
    if (!m->numbered[k]->crossing) continue;
    if (!find_orbits(&c, m->numbered[k], &ends[k])) return MAP_PART_NO_MEMORY;
    fresh[m->numbered[k]->dims] = s->pieces.count - before;
  }
  if (!reserve(&c, fresh)) return MAP_PART_NO_MEMORY;
  carry_out(&c, ends);
  return MAP_PART_DONE;
}
