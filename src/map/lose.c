// Losing: a commit that removes cells and unsews facets of a map of one kind, and does nothing else.
//
// Nothing comes together in it, and nothing is new: an orbit at a facet that was freed is what is left of one that was
// there, and all its places bear one id. So no plan is needed. What is left is found by floods that go over each place
// once; a place that was met is marked where its id is, an id that goes on where its dart is. What is left of an edge
// is a path, which is followed: floods begin at facets that were freed, so only its ends can be met again, and they
// alone are marked. The part that was touched first keeps the id, the others get new ones, and an id that was lost with
// a cell and met nowhere is given back.
//
// Until everything is reserved all marks can be taken off again, and the general way (resolve.c) begins from the map as
// it was. Both ways leave the same bits. The places of orbits that were flooded are kept until the next commit: whoever
// adds up something over them need not walk there again (map_told_star).
//
// What is left is listed as the events that will tell of it, for as long as nothing is settled with the old id as `id`
// and, where that is kept, the dart it was found at as `from`.

#include "map/plan.h"

#include <stdlib.h>

enum { FACE = 3, EDGE = 5, VERTEX = 6, ACROSS = 8 }; // dimensions of what they leave in a cell; and the one across

#define MET 0x80000000u // no orbit's id
#define NO_LEAF 63u     // no dart of a cell ends so
#define UNTOLD 0xFFu    // no event's kind: what is left is all there was

typedef struct losing {
  map *m;
  map_scratch *s;
  uint32_t kind;
  const clv_template *shape;
  const uint32_t *links;
  map_index *index; // that is looked at
  const clv_suborbits *sub;
  const map_onward *onward;
  uint32_t *ids;
  uint32_t *darts; // by id
  uint32_t fresh;  // ids that it will take
  uint8_t kept;    // the kind of events at ids that are kept, as long as nothing is known to be lost there
} losing;

static inline map_place place_at(const losing *l, clv_dart dart) {
  return (map_place){dart, map_uniform_row(dart) * l->sub->count + l->sub->of[dart & 63u]};
}

static void look_at(losing *l, map_index *index) {
  map_onward *onward = &l->s->onward[index->inner];
  l->index = index;
  l->sub = &l->shape->sub[index->inner];
  map_learn_onward(onward, l->kind, l->sub);
  l->onward = onward;
  l->ids = index->ids[l->kind].data;
  l->darts = index->dart.data;
}

static bool more_places(losing *l, uint32_t count) {
  l->s->places.count = count; // what was met so far can be put back
  return BASE_RESERVE(&l->m->allocator, &l->s->places, (uint64_t)count + CLV_TEMPLATE_DARTS);
}

// Appends the places of the orbit at one that was not met, and lies at a facet that is free now. A processor that
// guesses whether a place is new goes on while it waits for the answer, and is wrong less often than it would wait.
static bool flood(losing *l, map_place start) {
  const map_onward *onward = l->onward;
  const uint32_t facets = l->shape->facet_count, *links = l->links;
  const uint64_t stride = onward->stride;
  uint32_t *ids = l->ids, count = l->s->places.count, k = count;
  if (!more_places(l, count)) return false;
  map_place *places = l->s->places.data;
  uint32_t room = l->s->places.capacity - CLV_TEMPLATE_DARTS;
  places[count++] = start;
  ids[start.slot] = MET;
  for (; k < count; k++) {
    if (count > room) {
      if (!more_places(l, count)) return false;
      places = l->s->places.data;
      room = l->s->places.capacity - CLV_TEMPLATE_DARTS;
    }
    const map_place at = places[k];
    const struct map_exits *exits = &onward->at[at.dart & 63u];
    const uint32_t row = (at.dart >> 6) * facets;
    for (uint32_t n = 0, ways = exits->count; n < ways; n++) {
      const clv_dart link = links[row + exits->link[n]];
      if (link == CLV_NO_DART) continue;
      const map_place next = map_unpack(onward->landing[link & 63u][exits->position[n]] + (link >> 6) * stride);
      if (ids[next.slot] == MET) continue;
      places[count++] = next;
      ids[next.slot] = MET;
    }
  }
  l->s->places.count = count;
  return true;
}

// Appends the places of a path that begins at a facet that is free now; *end is the dart that it ends at.
static inline bool follow(losing *l, map_place at, clv_dart *end) {
  const map_onward *onward = l->onward;
  const uint32_t facets = l->shape->facet_count, *links = l->links;
  uint32_t count = l->s->places.count, room = l->s->places.capacity;
  map_place *places = l->s->places.data;
  for (;;) {
    if (count == room) {
      if (!more_places(l, count)) return false;
      places = l->s->places.data;
      room = l->s->places.capacity;
    }
    places[count++] = at;
    const struct map_exits *exits = &onward->at[at.dart & 63u];
    const clv_dart link = exits->count ? links[(at.dart >> 6) * facets + exits->link[0]] : CLV_NO_DART;
    if (!link) break;
    at = map_unpack(onward->landing[link & 63u][exits->position[0]] + (link >> 6) * onward->stride);
  }
  l->s->places.count = count;
  *end = at.dart;
  return true;
}

// Room for so many more orbits that are left, or gone.
static inline bool more_left(losing *l, uint64_t count) {
  map_scratch *s = l->s;
  const uint64_t need = s->events.count + count;
  return BASE_RESERVE(&l->m->allocator, &s->events, need) && BASE_RESERVE(&l->m->allocator, &s->stars, need);
}

// What is left, at a dart, of an orbit, and its places.
static inline void add_left(losing *l, uint32_t old, clv_dart dart, map_star star) {
  map_scratch *s = l->s;
  const uint32_t number = s->events.count++;
  const clv_dart found_at = l->darts[old];
  const bool keeps = (found_at & 63u) != NO_LEAF;
  s->events.data[number] = (clv_event){.dims = (uint8_t)l->index->dims,
                                       .kind = keeps ? l->kept : CLV_SPLIT,
                                       .dart = (dart & ~63u) | l->sub->first[l->sub->of[dart & 63u]],
                                       .id = {old, 0},
                                       .from = {found_at, 0}};
  s->stars.data[number] = star;
  l->fresh += !keeps;
  if (keeps)
    l->darts[old] = number << 6 | NO_LEAF;
  else // there is another one that goes on under the id
    s->events.data[found_at >> 6].kind = CLV_CHANGED;
}

static void mark_path(losing *l, uint32_t start) {
  const map_place *places = l->s->places.data;
  l->ids[places[start].slot] = l->ids[places[l->s->places.count - 1].slot] = MET;
}

static bool start(losing *l, map_place at) {
  map_scratch *s = l->s;
  const uint32_t old = l->ids[at.slot], first = s->places.count;
  if (old & MET) return true;
  if (!more_left(l, 1)) return false;
  clv_dart end;
  bool done;
  if (l->onward->path) {
    done = follow(l, at, &end);
    if (done) mark_path(l, first);
  } else {
    done = flood(l, at);
  }
  add_left(l, old, at.dart, (map_star){first, s->places.count});
  return done;
}

static bool start_facet(losing *l, map_write w, uint32_t cut) {
  const clv_template *shape = l->shape;
  const uint32_t size = shape->facet_size[shape->facet[w.dart & 63u]];
  const uint32_t step = l->index->inner & 3u ? 2 : 1; // links that place and facet share join the darts in pairs
  const uint32_t joined = map_joined_positions(l->m, l->index->dims, cut, size);
  const bool alive = (cut & MAP_CUT) || map_row_alive(l->m, l->kind, map_uniform_row(w.dart));
  for (uint32_t k = 0; k < size && alive; k += step) {
    if (joined >> k & 1u) continue;
    const clv_dart was = (w.before & ~63u) | shape->turn[w.before & 63u][k];
    if (!start(l, place_at(l, w.dart + k)) || ((cut & MAP_CUT) && !start(l, place_at(l, was)))) return false;
  }
  return true;
}

// Who keeps the ids of a cell that is gone has lost something; ids that nobody keeps are lost. Only those at some
// places, as bits, are in question.
static bool lose_cell(losing *l, clv_dart cell, uint64_t places) {
  map_scratch *s = l->s;
  const uint32_t *ids = l->ids + map_uniform_row(cell) * l->sub->count;
  if (!BASE_RESERVE(&l->m->allocator, &s->gone, (uint64_t)s->gone.count + l->sub->count)) return false;
  for (uint32_t k = 0; places >> k; k++) {
    if (!(places >> k & 1u)) continue;
    const clv_dart found_at = l->darts[ids[k]];
    if ((found_at & 63u) != NO_LEAF) {
      l->darts[ids[k]] = MAP_NO_ORBIT;
      s->gone.data[s->gone.count++] = (map_gone){l->index, ids[k], found_at};
    } else if (l->kept == UNTOLD && found_at != MAP_NO_ORBIT) {
      s->events.data[found_at >> 6].kind = CLV_CHANGED;
    }
  }
  return true;
}

// Where nothing was done but to remove cells, what is left of most orbits is known to be one piece: it keeps its id,
// and nobody hands on its places. A face that lost one of its two sides is; an edge, where the path that begins beside
// the cell ends beside it; a vertex, where such edges join what is left of it (whole.c), for all cells that were
// removed there. An orbit that some cell may have parted is flooded, from all sides.

// Ids of vertices that some removed cell may have parted; a cell that is the only one speaks for itself.
static bool note_doubts(losing *l) {
  map_scratch *s = l->s;
  if (s->removed.count == 1) return true;
  const uint32_t words = l->index->count / 32 + 1;
  if (!BASE_RESERVE(&l->m->allocator, &s->doubts, words)) return false;
  for (; s->doubts.count < words; s->doubts.count++) s->doubts.data[s->doubts.count] = 0;
  for (uint32_t k = 0; k < s->removed.count; k++) {
    const uint32_t *ids = l->ids + map_uniform_row(s->removed.data[k].dart) * l->sub->count;
    const uint32_t whole = s->removed.data[k].vertices;
    for (uint32_t p = 0; p < l->sub->count; p++) s->doubts.data[ids[p] / 32] |= (~whole >> p & 1u) << ids[p] % 32;
  }
  return true;
}

static void forget_doubts(losing *l) {
  map_scratch *s = l->s;
  for (uint32_t k = 0; s->removed.count > 1 && k < s->removed.count; k++) {
    const uint32_t *ids = l->ids + map_uniform_row(s->removed.data[k].dart) * l->sub->count;
    for (uint32_t p = 0; p < l->sub->count; p++) s->doubts.data[ids[p] / 32] = 0;
  }
}

// What is left at `dart` of an orbit that is one piece, and lost the place of a cell at a slot.
static bool start_whole(losing *l, uint32_t id, clv_dart dart, uint32_t slot) {
  if ((l->darts[id] & 63u) == NO_LEAF) return true;
  if (!more_left(l, 1)) return false;
  add_left(l, id, dart, (map_star){slot, slot});
  return true;
}

// An edge of a removed cell, at a place beside it that faced a local dart of the cell. *joint: it is one piece, and
// goes round from facet to facet.
static inline bool start_edge(losing *l, const map_removed *cell, uint32_t faced, map_place at, bool *joint) {
  const clv_template *shape = l->shape;
  map_scratch *s = l->s;
  const uint32_t other = shape->alpha[2][faced], old = l->ids[at.slot], first = s->places.count;
  const uint32_t lost = place_at(l, cell->dart | faced).slot;
  const bool both = cell->sewn >> shape->facet[other] & 1u;
  if (!both && s->removed.count == 1 && !cell->folded) return start_whole(l, old, at.dart, lost);
  clv_dart end;
  if (!more_left(l, 1) || !follow(l, at, &end)) return false;
  const clv_dart out = (end & ~63u) | shape->alpha[2][end & 63u],
                 to = both ? map_faced(shape, cell, other) : CLV_NO_DART;
  *joint = out == to || out == ((to & ~63u) | shape->alpha[0][to & 63u]);
  if (*joint) { // so no other cell was removed there
    s->places.count = first;
    add_left(l, old, at.dart, (map_star){lost, lost});
  } else {
    mark_path(l, first);
    add_left(l, old, at.dart, (map_star){first, s->places.count});
  }
  return true;
}

// Places of the cell whose orbits are known to be one piece before somebody goes there, as bits.
static uint64_t known_whole(const losing *l, const map_removed *cell) {
  if (l->index->inner == FACE) return UINT64_MAX;
  if (l->index->inner != VERTEX) return 0;
  const uint32_t *ids = l->ids + map_uniform_row(cell->dart) * l->sub->count;
  uint64_t whole = cell->vertices;
  for (uint32_t p = 0; whole && l->s->removed.count > 1 && p < l->sub->count; p++)
    whole &= ~((uint64_t)(l->s->doubts.data[ids[p] / 32] >> ids[p] % 32 & 1u) << p);
  return whole;
}

// All places of a cell: it has fewer than 64.
static uint64_t all_places(const losing *l) {
  return (UINT64_C(1) << l->sub->count) - 1;
}

// The orbits at the facets of cells that were beside a removed one.
static bool start_beside(losing *l, map_removed *cell) {
  const clv_template *shape = l->shape;
  const uint8_t *of = l->sub->of;
  const uint32_t step = l->index->inner & 3u ? 2 : 1, width = l->sub->count, gone = map_uniform_row(cell->dart) * width;
  const uint64_t whole = known_whole(l, cell);
  const bool edges = l->index->inner == EDGE;
  const uint64_t all = all_places(l);
  uint64_t met = 0, seen = 0; // places of the cell whose orbits are one piece; of which something is left
  for (uint32_t n = 0; n < cell->beside_count && met != all; n++) {
    const clv_dart dart = cell->beside[n];
    const uint32_t size = shape->facet_size[shape->facet[dart & 63u]], row = map_uniform_row(dart) * width;
    const uint8_t *turned = shape->turn[cell->facing[n]];
    for (uint32_t k = 0; k < size; k += step) {
      const uint32_t place = of[turned[k]];
      const map_place at = {dart + k, row + of[(dart + k) & 63u]};
      bool one = whole >> place & 1u, done = true;
      seen |= UINT64_C(1) << place;
      if ((met >> place & 1u) || (l->ids[at.slot] & MET)) continue;
      if (one)
        done = start_whole(l, l->ids[at.slot], at.dart, gone + place);
      else
        done = edges ? start_edge(l, cell, turned[k], at, &one) : start(l, at);
      if (!done) return false;
      met |= (uint64_t)one << place;
    }
  }
  if (edges) cell->joints = (uint32_t)met;
  cell->bare = all & ~seen & ~met;
  return true;
}

// Whether vertices of removed cells are one piece is asked as long as it mostly is so: where cells were removed all
// over, about every edge, a look at their facets decides little, and costs as much as a flood. True when all were
// asked; otherwise nothing is known of any.
static bool ask_whole(losing *l) {
  enum { FEW = 64 };
  map_scratch *s = l->s;
  uint32_t whole = 0;
  bool asking = true;
  for (uint32_t k = 0; asking && k < s->removed.count; k++) {
    map_removed *cell = &s->removed.data[k];
    if (!l->m->indices[EDGE | ACROSS]) map_find_joints(l->m, l->kind, cell);
    map_find_whole(l->m, l->kind, cell);
    for (uint32_t left = cell->vertices; left; left &= left - 1) whole++;
    asking = k < FEW || whole > k;
  }
  for (uint32_t k = 0; !asking && k < s->removed.count; k++) s->removed.data[k].vertices = 0;
  return asking;
}

// Of many removed cells, what is beside one and what lies at it is in no cache when it comes to it.
static void expect_beside(const losing *l, const map_removed *cell) {
  const uint32_t width = l->sub->count, facets = l->shape->facet_count;
  CLV_PREFETCH(l->ids + (size_t)map_uniform_row(cell->dart) * width);
  for (uint32_t n = 0; n < cell->beside_count; n++) {
    const size_t row = map_uniform_row(cell->beside[n]);
    CLV_PREFETCH(l->links + row * facets);
    CLV_PREFETCH(l->ids + row * width);
  }
}

static void expect_orbits(const losing *l, const map_removed *cell) {
  const uint32_t *ids = l->ids + (size_t)map_uniform_row(cell->dart) * l->sub->count;
  for (uint32_t p = 0; p < l->sub->count; p++) CLV_PREFETCH(l->darts + ids[p]);
}

static bool find_beside_removed(losing *l) {
  enum { AHEAD = 8 };
  map_scratch *s = l->s;
  const uint32_t count = s->removed.count;
  const bool known = l->index->inner == VERTEX && ask_whole(l);
  bool done = true;
  if (known && !note_doubts(l)) return false;
  for (uint32_t k = 0; done && k < count; k++) {
    if (count - k > 2 * AHEAD) expect_beside(l, &s->removed.data[k + 2 * AHEAD]);
    if (count - k > AHEAD) expect_orbits(l, &s->removed.data[k + AHEAD]);
    done = start_beside(l, &s->removed.data[k]);
  }
  for (uint32_t k = 0; done && k < s->removed.count; k++)
    if (s->removed.data[k].bare) done = lose_cell(l, s->removed.data[k].dart, s->removed.data[k].bare);
  if (known) forget_doubts(l);
  return done;
}

static int compare_gone(const void *a, const void *b) {
  const uint32_t p = ((const map_gone *)a)->id, q = ((const map_gone *)b)->id;
  return (p > q) - (p < q);
}

// Ids that are gone come behind those that go on, in order.
static bool add_gone(losing *l, uint32_t first) {
  map_scratch *s = l->s;
  const uint32_t count = s->gone.count - first;
  if (!count) return true;
  if (!more_left(l, count)) return false;
  qsort(s->gone.data + first, count, sizeof *s->gone.data, compare_gone);
  for (uint32_t g = first; g < s->gone.count; g++) {
    const clv_id id = {s->gone.data[g].id, 0};
    s->events.data[s->events.count] = (clv_event){.dims = (uint8_t)l->index->dims, .kind = CLV_DELETED, .id = id};
    s->stars.data[s->events.count++] = (map_star){0, 0};
  }
  return true;
}

static bool find_beside_facets(losing *l) {
  const map *m = l->m;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    const uint32_t cut = l->s->cuts.data[k];
    if (w.op == MAP_LINK && cut != MAP_CUT_MIRRORED && !start_facet(l, w, cut)) return false;
  }
  for (uint32_t k = 0; k < m->log.count; k++)
    if (m->log.data[k].op == MAP_CELL_DROP && !lose_cell(l, m->log.data[k].dart, all_places(l))) return false;
  return true;
}

static bool find_orbits(losing *l, map_index *index) {
  const uint32_t gone = l->s->gone.count;
  look_at(l, index);
  l->fresh = 0;
  return (l->s->removed.count ? find_beside_removed(l) : find_beside_facets(l)) && add_gone(l, gone);
}

static void take_marks_off(losing *l) {
  map_scratch *s = l->s;
  const map *m = l->m;
  for (uint32_t k = 0, n = 0; k < m->numbered_count && n < s->events.count; k++) {
    if (!m->numbered[k]->crossing) continue;
    look_at(l, m->numbered[k]);
    for (; n < s->events.count && s->events.data[n].dims == l->index->dims; n++) {
      const clv_event *left = &s->events.data[n];
      const map_star star = s->stars.data[n];
      if (left->kind == CLV_DELETED) continue;
      for (uint32_t p = star.start; p < star.end; p++) l->ids[s->places.data[p].slot] = left->id.index;
      if (left->kind != CLV_SPLIT) l->darts[left->id.index] = left->from.index;
    }
  }
  for (uint32_t k = 0; k < s->gone.count; k++) {
    look_at(l, s->gone.data[k].index);
    l->darts[s->gone.data[k].id] = s->gone.data[k].found_at;
  }
  s->events.count = 0;
}

// What many cells leave is listed in large pages. As memory that nobody writes costs nothing, there is mostly enough:
// each orbit is met twice at the most.
static bool make_room(losing *l) {
  map_scratch *s = l->s;
  const map *m = l->m;
  uint64_t orbits = 1; // of a cell
  for (uint32_t k = 0; k < m->numbered_count; k++)
    if (m->numbered[k]->crossing) orbits += 2u * l->shape->sub[m->numbered[k]->inner].count;
  return more_left(l, s->removed.count * orbits) &&
         BASE_RESERVE(&m->allocator, &s->places, (uint64_t)s->removed.count * (2u * l->shape->dart_count));
}

enum { HANDFUL = 256 }; // parted orbits, whose values are copied while all that tells of them is at hand

// `fresh`: ids that will be taken, by sort and in all.
static bool reserve(losing *l, const uint32_t fresh[MAP_INDICES], uint32_t all, uint32_t dropped) {
  map *m = l->m;
  const uint32_t parted = all < HANDFUL ? all : HANDFUL;
  if (!BASE_RESERVE(&m->allocator, &l->s->parted, parted) || !more_left(l, dropped)) return false;
  if (all && m->embedding.self && !m->embedding.reserve_copies(m->embedding.self, m, fresh)) return false;
  return map_journals_reserve(m);
}

// The second half, which cannot fail

// What keeps its id has it where it was not marked.
static inline void write_ids(const losing *l, const clv_event *left, map_star star, uint32_t id) {
  const map_place *places = l->s->places.data;
  if (left->kind != CLV_SPLIT && l->onward->path) {
    if (star.end > star.start) l->ids[places[star.start].slot] = l->ids[places[star.end - 1].slot] = id;
    return;
  }
  for (uint32_t p = star.start; p < star.end; p++) l->ids[places[p].slot] = id;
}

static inline clv_id id_of(const map_index *index, uint32_t id) {
  return (clv_id){id, index->generation.data[id]};
}

static void copy_values(const losing *l) {
  const map_embedding *embedding = &l->m->embedding;
  map_scratch *s = l->s;
  if (embedding->self) embedding->copy(embedding->self, s->parted.data, s->parted.count);
  s->parted.count = 0;
}

// What is left gets its id, and its event says so.
static inline void settle_left(losing *l, clv_event *left, map_star star) {
  map_scratch *s = l->s;
  const uint32_t old = left->id.index;
  uint32_t id = old;
  if (left->kind == CLV_SPLIT) {
    id = map_index_take(l->index);
    s->parted.data[s->parted.count++] = (map_parted){l->index, old, id};
    if (s->parted.count == HANDFUL) copy_values(l);
  }
  write_ids(l, left, star, id);
  l->darts[id] = left->kind == UNTOLD ? left->from.index : left->dart;
  left->from = left->kind == CLV_SPLIT ? id_of(l->index, old) : (clv_id){0, 0};
  left->id = id_of(l->index, id);
}

// Events come index by index: what is left, then what is gone, in order of ids. Of what lost nothing there is none.
static void settle_orbits(losing *l) {
  map_scratch *s = l->s;
  const map *m = l->m;
  const uint32_t count = s->events.count;
  uint32_t told = 0;
  s->parted.count = 0;
  for (uint32_t k = 0, n = 0; k < m->numbered_count; k++) {
    if (!m->numbered[k]->crossing) continue;
    look_at(l, m->numbered[k]); // arrays may have moved
    for (; n < count && s->events.data[n].dims == l->index->dims; n++) {
      clv_event *event = &s->events.data[n];
      const map_star star = s->stars.data[n];
      if (event->kind == CLV_DELETED)
        event->id = id_of(l->index, event->id.index);
      else
        settle_left(l, event, star);
      if (event->kind == UNTOLD) continue;
      if (told < n) { // some were left out
        s->events.data[told] = *event;
        s->stars.data[told] = star;
      }
      told++;
    }
  }
  s->events.count = told;
  copy_values(l);
}

static void free_cell(losing *l, clv_dart cell) {
  map *m = l->m;
  map_scratch *s = l->s;
  const uint32_t row = map_uniform_row(cell), generation = (m->rows[l->kind].state.data[row] & MAP_GENERATION) - 1u;
  s->events.data[s->events.count] = (clv_event){
      .dims = (uint8_t)clv_orbit_dims(&m->view, CLV_CELL), .kind = CLV_DELETED, .id = {cell >> 6, generation}};
  s->stars.data[s->events.count++] = (map_star){0, 0};
  map_rows_give(m, l->kind, row);
}

static void free_cells(losing *l) {
  const map *m = l->m;
  const map_scratch *s = l->s;
  for (uint32_t k = 0; k < s->removed.count; k++) free_cell(l, s->removed.data[k].dart);
  for (uint32_t k = 0; !s->removed.count && k < m->log.count; k++)
    if (m->log.data[k].op == MAP_CELL_DROP) free_cell(l, m->log.data[k].dart);
}

static void carry_out(losing *l) {
  map *m = l->m;
  map_scratch *s = l->s;
  settle_orbits(l);
  if (m->embedding.self && (m->embedding.destroys || s->gone.count))
    m->embedding.lose(m->embedding.self, m, s->gone.data, s->gone.count);
  for (uint32_t g = 0; g < s->gone.count; g++) map_index_give(s->gone.data[g].index, s->gone.data[g].id);
  free_cells(l);
  s->stars.count = s->events.count;
}

// Also counts the cells that are dropped.
static bool only_loses(const map *m, uint32_t *dropped) {
  *dropped = 0;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    const bool drop = w.op == MAP_CELL_DROP;
    if (!drop && (w.op != MAP_LINK || w.after || !w.before)) return false;
    *dropped += drop;
  }
  return true;
}

map_part_end map_commit_loss(map *m) {
  map_scratch *s = m->scratch;
  uint32_t dropped;
  const uint32_t op = m->log.data[0].op;
  if (m->view.dimension != 3 || m->twisted || s->general || (op != MAP_LINK && op != MAP_CELL_DROP))
    return MAP_PART_GENERAL;
  const uint32_t kind = map_page(m, m->log.data[0].dart).kind;
  if (!map_is_uniform(m, kind) || (m->embedding.self && !m->embedding.copies)) return MAP_PART_GENERAL;
  if (!s->picks && map_is_cull(m, kind)) {
    const map_part_end end = map_commit_cull(m, kind);
    s->culls = end == MAP_PART_DONE;
    if (end != MAP_PART_GENERAL) return end;
  }
  if (!only_loses(m, &dropped)) return MAP_PART_GENERAL;
  losing l = {
      .m = m, .s = s, .kind = kind, .kept = UNTOLD, .shape = &clv_templates[kind], .links = m->view.links[kind]};
  s->places.count = s->gone.count = 0;
  bool done = map_find_removed(m, kind, dropped) && (s->removed.count || map_find_cuts(m)) && make_room(&l);
  uint32_t fresh[MAP_INDICES] = {0}, all = 0;
  if (s->removed.count) l.kept = CLV_CHANGED; // what was beside a removed cell has lost its place there
  for (uint32_t k = 0; done && k < m->numbered_count; k++) {
    if (!m->numbered[k]->crossing) continue;
    done = find_orbits(&l, m->numbered[k]) && (!l.fresh || map_index_reserve(m, m->numbered[k], l.fresh));
    fresh[m->numbered[k]->dims] = l.fresh;
    all += l.fresh;
  }
  if (!done || !reserve(&l, fresh, all, dropped)) {
    take_marks_off(&l);
    return MAP_PART_NO_MEMORY;
  }
  carry_out(&l);
  return MAP_PART_DONE;
}
