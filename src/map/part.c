// Parting: a commit that unsews one facet of a map of one kind, and does nothing else.
//
// It is the commonest of all, and needs no plan. What was an edge or a vertex at the facet is one still, or it is two;
// and as the side that was touched first keeps its id, only the other side, the far one, has to be walked. Edges come
// first: the ring of cells on the far side ends at the near side or somewhere else. A vertex, or any other orbit for
// which no ring says "joined" (cut.c), is flooded: places are marked where their ids are, until the flood comes to the
// near side or has found all that gets a new id.
//
// Until every flood has ended well all ids can be put back. Wherever something is not as simple as that (an orbit that
// lies at several corners of the facet, a very long ring, columns that want more than a copy) the general way
// (resolve.c) begins from the map as it was. Both ways leave the same bits.

#include "map/plan.h"

enum {
  FACET_DARTS = 8,
  MOST_PARTED = FACET_DARTS * MAP_INDICES / 2, // half of all sorts of orbits cross cells
  MOST_PLACES = 256,
  MOST_ROUND = 32 // cells about an edge
};

#define FLOODED UINT32_MAX // no orbit's id

// The far side of an edge.
typedef struct ring {
  clv_dart end; // the free dart it comes to
  uint32_t count;
  clv_dart darts[MOST_ROUND];
} ring;

typedef struct parting {
  map *m;
  uint32_t kind;
  const clv_template *shape;
  const uint32_t *links;
  clv_dart here, beyond; // the first dart of the near facet, that of the far cell
  const uint8_t *turned; // what the darts of the near facet were sewn to
  uint32_t size;         // darts of the facet
  uint32_t cut;          // as map_find_cuts tells it
  uint32_t place_count, parted_count;
  ring rings[FACET_DARTS / 2];
  map_place *places; // of the far sides
  map_parted parted[MOST_PARTED];
  uint32_t starts[MOST_PARTED + 1], positions[MOST_PARTED]; // of each: its first place, its corner of the facet
} parting;

// Where the ring ends that goes on from a dart; 0 when it is too long.
static inline clv_dart follow_ring(const clv_template *shape, const uint32_t *links, uint32_t facets, clv_dart from,
                                   ring *r) {
  clv_dart at = from;
  for (uint32_t count = 0; count < MOST_ROUND;) {
    r->darts[count++] = at;
    const uint32_t across = shape->alpha[2][at & 63u];
    const clv_dart link = links[map_uniform_row(at) * facets + shape->facet[across]];
    if (!link) {
      r->count = count;
      return r->end = (at & ~63u) | across;
    }
    at = (link & ~63u) | shape->turn[link & 63u][shape->position[across]];
  }
  return CLV_NO_DART;
}

static bool follow_rings(parting *p) {
  const clv_template *shape = p->shape;
  const uint8_t *turned = p->turned;
  const uint32_t facets = shape->facet_count, size = p->size;
  const clv_dart here = p->here, beyond = p->beyond;
  uint32_t joined = 0;
  for (uint32_t k = 0; k < size; k += 2) {
    const clv_dart end = follow_ring(shape, p->links, facets, beyond | turned[k], &p->rings[k / 2]);
    if (!end) return false;
    joined |= (uint32_t)(end == here + k) << k;
  }
  p->cut = MAP_CUT | joined;
  return true;
}

// A cut that goes on goes on at an edge that still holds together. What its commit will read there lies far apart in
// memory: the ids and states of the cells about the edge, and the links of their neighbours. It is asked for ahead, and
// has come by then.
static void look_ahead(const parting *p) {
  const map *m = p->m;
  const size_t facets = p->shape->facet_count;
  const uint32_t *all = p->links;
  const uint16_t *states = m->rows[p->kind].state.data;
  size_t rows[MOST_ROUND * FACET_DARTS / 2];
  uint32_t count = 0;
  for (uint32_t k = 0; k < p->size; k += 2) {
    const ring *r = &p->rings[k / 2];
    const uint32_t last = p->cut >> k & 1u ? r->count - 1 : 0; // the near cell, which is at hand like the first
    for (uint32_t n = 1; n < last; n++) rows[count++] = map_uniform_row(r->darts[n]);
  }
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const map_index *index = m->numbered[k];
    if (!index->crossing) continue;
    const uint32_t *ids = index->ids[p->kind].data;
    const size_t width = p->shape->sub[index->inner].count;
    for (uint32_t n = 0; n < count; n++) {
      CLV_PREFETCH(ids + rows[n] * width);
      CLV_PREFETCH(ids + rows[n] * width + width - 1);
    }
  }
  for (uint32_t n = 0; n < count; n++) {
    const uint32_t *links = all + rows[n] * facets;
    CLV_PREFETCH(states + rows[n]);
    for (uint32_t f = 0; f < facets; f++) {
      const size_t beyond = links[f] ? map_uniform_row(links[f]) : rows[n];
      CLV_PREFETCH(all + beyond * facets);
    }
  }
}

// A sort of orbits that cross cells, and what all that follows asks of it.
typedef struct sort {
  map_index *index;
  const clv_suborbits *sub;
  const uint8_t *of;
  uint32_t *ids;
  uint32_t width;
} sort;

static inline uint32_t slot_of(const sort *o, clv_dart dart) {
  return map_uniform_row(dart) * o->width + o->of[dart & 63u];
}

typedef enum part_end { PART_APART, PART_JOINED, PART_GENERAL } part_end;

static inline part_end part_ring(parting *p, const sort *o, uint32_t position) {
  const ring *r = &p->rings[position / 2];
  const uint32_t count = r->count;
  if (r->end == p->here + (position ^ 1u)) return PART_JOINED; // folded
  map_place *places = p->places + p->place_count;
  for (uint32_t k = 0; k < count; k++) places[k] = (map_place){r->darts[k], slot_of(o, r->darts[k])};
  p->place_count += count;
  return PART_APART;
}

// Marks a place. Which places are new is what no processor can guess: there is no branch for it.
static inline uint32_t mark(map_place *places, uint32_t count, uint32_t *ids, map_place place) {
  places[count] = place;
  count += ids[place.slot] != FLOODED;
  ids[place.slot] = FLOODED;
  return count;
}

// Where an orbit has all about an edge in it, the flood has come round the two edges that meet at the corner already.
static inline uint32_t mark_rings(const parting *p, const sort *o, uint32_t position, uint32_t count) {
  const uint8_t *other_end = p->shape->alpha[0];
  const ring *here = &p->rings[position / 2], *before = &p->rings[(position ? position : p->size) / 2 - 1];
  const uint32_t cells = here->count, cells_before = before->count;
  map_place *places = p->places;
  for (uint32_t n = 1; n < cells; n++)
    count = mark(places, count, o->ids, (map_place){here->darts[n], slot_of(o, here->darts[n])});
  for (uint32_t n = 1; n < cells_before; n++) {
    const clv_dart dart = (before->darts[n] & ~63u) | other_end[before->darts[n] & 63u];
    count = mark(places, count, o->ids, (map_place){dart, slot_of(o, dart)});
  }
  return count;
}

// Marks the orbit of a place, unless it comes to the near one.
static part_end flood(parting *p, const sort *sort_of_start, map_place start, uint32_t position) {
  const sort o = *sort_of_start; // a copy, which no write below can change
  const clv_template *shape = p->shape;
  const uint32_t facets = shape->facet_count, near = slot_of(&o, p->here + position);
  const uint32_t *all = p->links;
  map_place *places = p->places;
  uint32_t k = p->place_count, count = k + 1;
  part_end end = start.slot == near ? PART_JOINED : PART_APART;
  places[k] = start;
  o.ids[start.slot] = FLOODED;
  if (o.index->dims == CLV_VERTEX) count = mark_rings(p, &o, position, count);
  for (; k < count && end == PART_APART; k++) {
    const map_place at = places[k];
    const uint32_t *links = all + (size_t)map_uniform_row(at.dart) * facets;
    const uint32_t number = o.of[at.dart & 63u];
    const clv_exit *exit = o.sub->exit + o.sub->exit_start[number], *last = o.sub->exit + o.sub->exit_start[number + 1];
    for (; exit < last; exit++) {
      const clv_dart link = links[exit->facet];
      const clv_dart next = (link & ~63u) | shape->turn[link & 63u][exit->position];
      const uint32_t beyond = slot_of(&o, next), slot = link ? beyond : at.slot;
      count = mark(places, count, o.ids, (map_place){next, slot});
      end = slot == near ? PART_JOINED : end;
    }
    if (count > MOST_PLACES - FACET_DARTS) end = PART_GENERAL; // a place has fewer exits than that
  }
  p->place_count = count;
  return end;
}

// Puts the ids back of all but so many parted orbits.
static void drain(parting *p, uint32_t parted_count) {
  while (p->parted_count > parted_count) {
    const map_parted *parted = &p->parted[--p->parted_count];
    uint32_t *ids = parted->index->ids[p->kind].data;
    const uint32_t start = p->starts[p->parted_count];
    while (p->place_count > start) ids[p->places[--p->place_count].slot] = parted->from;
  }
}

// What became of the orbit at one corner of the facet. `met` are the ids at others: where an orbit lies at several
// corners, which of its parts comes first depends on all of them.
static inline part_end part_orbit(parting *p, const sort *o, uint32_t position, uint32_t *met) {
  const clv_dart there = p->beyond | p->turned[position];
  const map_place far = {there, slot_of(o, there)};
  const uint32_t id = o->ids[far.slot], number = p->parted_count;
  if (p->place_count >= MOST_PLACES - 2 * MOST_ROUND) return PART_GENERAL; // no room for two rings
  for (; *met; met++)
    if (id == *met || id == FLOODED) return PART_GENERAL;
  *met = id;
  p->parted[number] = (map_parted){o->index, id, 0};
  p->starts[number] = p->place_count;
  p->positions[number] = position;
  p->parted_count++;
  const part_end end = o->index->dims == CLV_EDGE ? part_ring(p, o, position) : flood(p, o, far, position);
  if (end == PART_JOINED) drain(p, number);
  return end;
}

// What is one still will come apart when the cut goes on: what is kept by its id is asked for, so that it has come by
// then.
static void expect_joined(const parting *p, const sort *o, uint32_t joined, uint32_t step) {
  const map_embedding *embedding = &p->m->embedding;
  const uint32_t *ids = o->ids + map_uniform_row(p->beyond) * o->width;
  const uint8_t *turned = p->turned;
  const clv_dart *darts = o->index->dart.data;
  uint32_t held[FACET_DARTS], count = 0;
  for (uint32_t k = 0; k < p->size; k += step) {
    if (!(joined >> k & 1u)) continue;
    const uint32_t id = held[count] = ids[o->of[turned[k]]];
    if (id == FLOODED) continue;
    CLV_PREFETCH(darts + id);
    count++;
  }
  if (count && embedding->self) embedding->expect(embedding->self, o->index, held, count);
}

static bool part_orbits(parting *p, map_index *index) {
  const clv_suborbits *sub = &p->shape->sub[index->inner];
  const sort o = {index, sub, sub->of, index->ids[p->kind].data, sub->count};
  // Links shared by the place and the facet join the darts in pairs, or all of them.
  const uint32_t shared = index->inner & 3u, size = p->size, step = shared == 3u ? size : shared ? 2 : 1;
  const uint32_t joined = map_joined_positions(p->m, index->dims, p->cut, size);
  uint32_t met[FACET_DARTS + 1] = {0};
  for (uint32_t k = 0; k < size; k += step)
    if (!(joined >> k & 1u) && part_orbit(p, &o, k, met) == PART_GENERAL) return false;
  expect_joined(p, &o, joined, step);
  return true;
}

// Room for all that may be needed, but for values: columns lie far apart, and most facets part nothing.
static bool reserve(map *m) {
  map_scratch *s = m->scratch;
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    map_index *index = m->numbered[k];
    if (!index->crossing) continue;
    if (!map_index_reserve(m, index, FACET_DARTS)) return false;
    // Where new ids will be soon nobody has been yet: a write would wait for the memory.
    CLV_PREFETCH(index->generation.data + index->count + FACET_DARTS - 1);
    CLV_PREFETCH(index->dart.data + index->count + FACET_DARTS - 1);
  }
  return BASE_RESERVE(&m->allocator, &s->events, 2 * MOST_PARTED) &&
         BASE_RESERVE(&m->allocator, &s->stars, 2 * MOST_PARTED) &&
         BASE_RESERVE(&m->allocator, &s->places, MOST_PLACES) && map_journals_reserve(m);
}

static void give_id(parting *p, uint32_t number) {
  map *m = p->m;
  map_parted *parted = &p->parted[number];
  map_index *index = parted->index;
  const clv_suborbits *sub = &p->shape->sub[index->inner];
  uint32_t *ids = index->ids[p->kind].data;
  const uint32_t id = parted->to = map_index_take(index);
  const map_place *end = p->places + p->starts[number + 1];
  for (const map_place *at = p->places + p->starts[number]; at < end; at++) ids[at->slot] = id;
  const uint32_t position = p->positions[number];
  const clv_dart here = (p->here & ~63u) | sub->first[sub->of[(p->here + position) & 63u]];
  const clv_dart there = p->beyond | sub->first[sub->of[p->turned[position]]];
  index->dart.data[parted->from] = here;
  index->dart.data[id] = there;
  if (!m->subscribers.count) return;
  const clv_id from = {parted->from, index->generation.data[parted->from]}, to = {id, index->generation.data[id]};
  map_emit(m, index->dims, CLV_CHANGED, here, from, (clv_id){0, 0});
  map_emit(m, index->dims, CLV_SPLIT, there, to, from);
  map_scratch *s = m->scratch;
  s->stars.data[s->stars.count++] = (map_star){0, 0}; // nobody walked the near side
  s->stars.data[s->stars.count++] = (map_star){p->starts[number], p->starts[number + 1]};
}

// True when the log says that two facets were sewn, and are free now.
static bool is_one_cut(const map *m) {
  const map_write *w = m->log.data;
  if (m->log.count != 2 || w[0].op != MAP_LINK || w[1].op != MAP_LINK || w[0].after || w[1].after) return false;
  if (!w[0].before || !w[1].before || w[1].dart >> 6 != w[0].before >> 6) return false;
  const uint8_t *facet = clv_templates[map_page(m, w[1].dart).kind].facet;
  return facet[w[1].dart & 63u] == facet[w[0].before & 63u];
}

// A facet parts as many orbits of a sort as it has darts, at the most.
static bool reserve_copies(map *m) {
  uint32_t more[MAP_INDICES];
  for (uint32_t k = 0; k < MAP_INDICES; k++) more[k] = FACET_DARTS;
  return !m->embedding.self || m->embedding.reserve_copies(m->embedding.self, m, more);
}

map_part_end map_commit_part(map *m) {
  if (m->view.dimension != 3 || m->twisted || m->scratch->general || !is_one_cut(m)) return MAP_PART_GENERAL;
  const map_write w = m->log.data[0];
  const uint32_t kind = map_page(m, w.dart).kind;
  if (!map_is_uniform(m, kind) || (m->embedding.self && !m->embedding.copies)) return MAP_PART_GENERAL;
  if (!reserve(m)) return MAP_PART_NO_MEMORY;
  parting p; // most of it is room, and not to be cleared
  p.m = m;
  p.kind = kind;
  p.shape = &clv_templates[kind];
  p.links = m->view.links[kind];
  p.here = w.dart;
  p.beyond = w.before & ~63u;
  p.turned = p.shape->turn[w.before & 63u];
  p.size = p.shape->facet_size[p.shape->facet[w.dart & 63u]];
  p.places = m->scratch->places.data;
  p.place_count = p.parted_count = 0;
  bool done = follow_rings(&p);
  if (done) look_ahead(&p);
  for (uint32_t k = 0; done && k < m->numbered_count; k++)
    done = !m->numbered[k]->crossing || part_orbits(&p, m->numbered[k]);
  if (!done) {
    drain(&p, 0);
    return MAP_PART_GENERAL;
  }
  p.starts[p.parted_count] = p.place_count;
  if (p.parted_count && !reserve_copies(m)) {
    drain(&p, 0);
    return MAP_PART_NO_MEMORY;
  }
  for (uint32_t k = 0; k < p.parted_count; k++) give_id(&p, k);
  if (m->embedding.self) m->embedding.copy(m->embedding.self, p.parted, p.parted_count);
  return MAP_PART_DONE;
}
