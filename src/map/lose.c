// Losing: a commit that removes cells and unsews facets of a map of one kind, and does nothing else.
//
// Nothing comes together in it, and nothing is new: an orbit at a facet that was freed is what is left of one that was
// there, and all its places bear one id. So no plan is needed. What is left is found by floods that go over each place once;
// a place that was met is marked where its id is, an id that goes on where its dart is. The part that was touched first keeps the
// id, the others get new ones, and an id that was lost with a cell and met nowhere is given back.
//
// Until everything is reserved all marks can be taken off again, and the general way (resolve.c) begins from the map as it
// was. Both ways leave the same bits. The places of orbits that were flooded are kept until the next commit: whoever adds up
// something over them need not walk there again (map_told_star).

#include "map/plan.h"

#include <stdlib.h>

enum { FACE = 3, EDGE = 5, VERTEX = 6 }; // dimensions of what they leave in a cell

#define MET 0x80000000u // no orbit's id
#define NO_LEAF 63u     // no dart of a cell ends so

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
} losing;

static inline uint32_t slot_of(const clv_suborbits *sub, clv_dart dart) {
  return map_uniform_row(dart) * sub->count + sub->of[dart & 63u];
}

static void learn_exits(const losing *l, map_onward *onward, const clv_suborbits *sub) {
  const clv_template *shape = l->shape;
  onward->kind = l->kind;
  for (uint32_t d = 0; d < shape->dart_count; d++) {
    const clv_exit *exit = sub->exit + sub->exit_start[sub->of[d]], *end = sub->exit + sub->exit_start[sub->of[d] + 1];
    struct map_exits *at = &onward->at[d];
    for (at->count = 0; exit < end; exit++) {
      if (exit->facet == shape->facet[d]) continue;
      at->facet[at->count] = exit->facet;
      at->position[at->count++] = exit->position;
    }
  }
}

static void look_at(losing *l, map_index *index) {
  map_onward *onward = &l->s->onward[index->inner];
  l->index = index;
  l->sub = &l->shape->sub[index->inner];
  if (onward->kind != l->kind) learn_exits(l, onward, l->sub);
  l->onward = onward;
  l->ids = index->ids[l->kind].data;
  l->darts = index->dart.data;
}

// Appends the places of the orbit at one that was not met, and lies at a facet that is free now. Which facets are free and which places are new is what no
// processor can guess: there is no branch for either.
static bool flood(losing *l, map_place start, uint32_t mark) {
  const clv_template *shape = l->shape;
  const clv_suborbits *sub = l->sub;
  const map_onward *onward = l->onward;
  const uint32_t facets = shape->facet_count, *links = l->links;
  uint32_t *ids = l->ids, count = l->s->places.count, k = count;
  if (!BASE_RESERVE(&l->m->allocator, &l->s->places, (uint64_t)count + CLV_TEMPLATE_DARTS)) return false;
  map_place *places = l->s->places.data;
  places[count++] = start;
  ids[start.slot] = mark;
  for (; k < count; k++) {
    if (count + CLV_TEMPLATE_DARTS > l->s->places.capacity) {
      l->s->places.count = count; // what was met so far can be put back
      if (!BASE_RESERVE(&l->m->allocator, &l->s->places, (uint64_t)count + CLV_TEMPLATE_DARTS)) return false;
      places = l->s->places.data;
    }
    const map_place at = places[k];
    const uint32_t *row = links + (size_t)map_uniform_row(at.dart) * facets;
    const struct map_exits *exits = &onward->at[at.dart & 63u];
    for (uint32_t n = 0, ways = exits->count; n < ways; n++) {
      const clv_dart link = row[exits->facet[n]];
      const clv_dart next = (link & ~63u) | shape->turn[link & 63u][exits->position[n]];
      const uint32_t beyond = slot_of(sub, next), slot = link ? beyond : at.slot;
      places[count] = (map_place){next, slot};
      count += !(ids[slot] & MET);
      ids[slot] = mark;
    }
  }
  l->s->places.count = count;
  return true;
}

static bool start(losing *l, clv_dart dart) {
  map_scratch *s = l->s;
  const uint32_t slot = slot_of(l->sub, dart), old = l->ids[slot], number = s->left.count;
  if (old & MET) return true;
  if (!BASE_RESERVE(&l->m->allocator, &s->left, (uint64_t)number + 1)) return false;
  const clv_dart first = (dart & ~63u) | l->sub->first[l->sub->of[dart & 63u]];
  map_left left = {
      .index = l->index, .old = old, .id = old, .found_at = l->darts[old], .dart = first, .start = s->places.count};
  left.keeps = (left.found_at & 63u) != NO_LEAF;
  if (left.keeps)
    l->darts[old] = number << 6 | NO_LEAF;
  else // there is another one that goes on under the id
    s->left.data[left.found_at >> 6].changed = left.changed = true;
  const bool done = flood(l, (map_place){dart, slot}, MET);
  left.end = s->places.count;
  s->left.data[s->left.count++] = left;
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
    if (!start(l, w.dart + k) || ((cut & MAP_CUT) && !start(l, was))) return false;
  }
  return true;
}

// Who keeps the ids of a cell that is gone has lost something; ids that nobody keeps are lost.
static bool lose_cell(losing *l, clv_dart cell) {
  map_scratch *s = l->s;
  const uint32_t *ids = l->ids + map_uniform_row(cell) * l->sub->count;
  if (!BASE_RESERVE(&l->m->allocator, &s->gone, (uint64_t)s->gone.count + l->sub->count)) return false;
  for (uint32_t k = 0; k < l->sub->count; k++) {
    const clv_dart found_at = l->darts[ids[k]];
    if ((found_at & 63u) != NO_LEAF) {
      l->darts[ids[k]] = MAP_NO_ORBIT;
      s->gone.data[s->gone.count++] = (map_gone){l->index, ids[k], found_at};
    } else if (found_at != MAP_NO_ORBIT) {
      s->left.data[found_at >> 6].changed = true;
    }
  }
  return true;
}

// Where nothing was done but to remove cells, what is left of most orbits is known to be one piece (whole.c): it keeps its
// id, and nobody goes there. An orbit that some cell may have parted is flooded, from all sides.

// As bits: a cell has fewer than 64 places of any sort.
static uint64_t whole_places(const losing *l, const map_removed *cell) {
  const uint32_t inner = l->index->inner;
  return inner == VERTEX ? cell->vertices : inner == EDGE ? cell->edges : inner == FACE ? UINT64_MAX : 0;
}

static bool is_doubtful(const losing *l, uint32_t id) {
  return l->s->removed.count > 1 && (l->s->doubts.data[id / 32] >> id % 32 & 1u);
}

// Ids of orbits that some removed cell may have parted; a cell that is the only one speaks for itself.
static bool note_doubts(losing *l) {
  map_scratch *s = l->s;
  if (s->removed.count == 1) return true;
  const uint32_t words = l->index->count / 32 + 1;
  if (!BASE_RESERVE(&l->m->allocator, &s->doubts, words)) return false;
  for (; s->doubts.count < words; s->doubts.count++) s->doubts.data[s->doubts.count] = 0;
  for (uint32_t k = 0; k < s->removed.count; k++) {
    const uint32_t *ids = l->ids + map_uniform_row(s->removed.data[k].dart) * l->sub->count;
    const uint64_t whole = whole_places(l, &s->removed.data[k]);
    for (uint32_t p = 0; p < l->sub->count; p++)
      s->doubts.data[ids[p] / 32] |= (uint32_t)(~whole >> p & 1u) << ids[p] % 32;
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

// What is left at `dart` of an orbit that is one piece.
static bool start_whole(losing *l, uint32_t id, clv_dart dart) {
  map_scratch *s = l->s;
  const clv_dart found_at = l->darts[id];
  if ((found_at & 63u) == NO_LEAF) return true;
  const uint32_t number = s->left.count, places = s->places.count;
  if (!BASE_RESERVE(&l->m->allocator, &s->left, (uint64_t)number + 1)) return false;
  const clv_dart first = (dart & ~63u) | l->sub->first[l->sub->of[dart & 63u]];
  l->darts[id] = number << 6 | NO_LEAF;
  s->left.data[s->left.count++] = (map_left){.index = l->index,
                                             .old = id,
                                             .id = id,
                                             .found_at = found_at,
                                             .dart = first,
                                             .start = places,
                                             .end = places,
                                             .keeps = true};
  return true;
}

// The orbits at the facets of cells that were beside a removed one.
static bool start_beside(losing *l, const map_removed *cell) {
  const map *m = l->m;
  const clv_template *shape = l->shape;
  const uint32_t *ids = l->ids + map_uniform_row(cell->dart) * l->sub->count;
  const uint32_t step = l->index->inner & 3u ? 2 : 1;
  const uint64_t whole = whole_places(l, cell);
  uint64_t met = 0; // whole places of the cell
  for (uint32_t n = cell->first; n < cell->drop; n++) {
    const map_write w = m->log.data[n];
    if (w.dart >> 6 == cell->dart >> 6 || !map_row_alive(m, l->kind, map_uniform_row(w.dart))) continue;
    const uint32_t size = shape->facet_size[shape->facet[w.dart & 63u]];
    const uint8_t *turned = shape->turn[w.before & 63u];
    for (uint32_t k = 0; k < size; k += step) {
      const uint32_t place = l->sub->of[turned[k]];
      if (met >> place & 1u) continue;
      if (!(whole >> place & 1u) || is_doubtful(l, ids[place])) {
        if (!start(l, w.dart + k)) return false;
      } else {
        met |= UINT64_C(1) << place;
        if (!start_whole(l, ids[place], w.dart + k)) return false;
      }
    }
  }
  return true;
}

static bool find_beside_removed(losing *l) {
  map_scratch *s = l->s;
  if (!note_doubts(l)) return false;
  bool done = true;
  for (uint32_t k = 0; done && k < s->removed.count; k++) done = start_beside(l, &s->removed.data[k]);
  for (uint32_t k = 0; done && k < s->removed.count; k++) done = lose_cell(l, s->removed.data[k].dart);
  forget_doubts(l);
  return done;
}

static bool find_orbits(losing *l, map_index *index) {
  const map *m = l->m;
  look_at(l, index);
  if (l->s->removed.count) return find_beside_removed(l);
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    const uint32_t cut = l->s->cuts.data[k];
    if (w.op == MAP_LINK && cut != MAP_CUT_MIRRORED && !start_facet(l, w, cut)) return false;
  }
  for (uint32_t k = 0; k < m->log.count; k++)
    if (m->log.data[k].op == MAP_CELL_DROP && !lose_cell(l, m->log.data[k].dart)) return false;
  return true;
}

static void take_marks_off(losing *l) {
  map_scratch *s = l->s;
  for (uint32_t k = 0; k < s->left.count; k++) {
    const map_left *left = &s->left.data[k];
    look_at(l, left->index);
    for (uint32_t p = left->start; p < left->end; p++) l->ids[s->places.data[p].slot] = left->old;
    if (left->keeps) l->darts[left->old] = left->found_at;
  }
  for (uint32_t k = 0; k < s->gone.count; k++) {
    look_at(l, s->gone.data[k].index);
    l->darts[s->gone.data[k].id] = s->gone.data[k].found_at;
  }
}

static bool reserve(losing *l) {
  map *m = l->m;
  map_scratch *s = l->s;
  uint32_t most = 0;
  for (uint32_t k = 0, end; k < s->left.count; k = end) {
    uint32_t fresh = 0;
    for (end = k; end < s->left.count && s->left.data[end].index == s->left.data[k].index; end++)
      fresh += !s->left.data[end].keeps;
    if (fresh && !map_index_reserve(m, s->left.data[k].index, fresh)) return false;
    most = fresh > most ? fresh : most;
  }
  const uint64_t events = (uint64_t)s->left.count + s->gone.count + m->log.count;
  if (!BASE_RESERVE(&m->allocator, &s->parted, s->left.count) || !BASE_RESERVE(&m->allocator, &s->events, events) ||
      !BASE_RESERVE(&m->allocator, &s->stars, events))
    return false;
  if (most && m->embedding.self && !m->embedding.reserve_copies(m->embedding.self, m, most)) return false;
  return map_journals_reserve(m);
}

// The second half, which cannot fail

static void give_ids(losing *l) {
  map_scratch *s = l->s;
  s->parted.count = 0;
  for (uint32_t k = 0; k < s->left.count; k++) {
    map_left *left = &s->left.data[k];
    if (!k || left->index != l->index) look_at(l, left->index); // arrays may have moved
    if (!left->keeps) {
      left->id = map_index_take(l->index);
      s->parted.data[s->parted.count++] = (map_parted){l->index, left->old, left->id};
    }
    for (uint32_t p = left->start; p < left->end; p++) l->ids[s->places.data[p].slot] = left->id;
    l->darts[left->id] = left->changed ? left->dart : left->found_at;
  }
}

static void tell(losing *l, uint32_t dims, clv_event_kind kind, clv_dart dart, clv_id id, clv_id from, map_star star) {
  if (!l->m->subscribers.count) return;
  l->s->events.data[l->s->events.count++] =
      (clv_event){.dims = (uint8_t)dims, .kind = (uint8_t)kind, .dart = dart, .id = id, .from = from};
  l->s->stars.data[l->s->stars.count++] = star;
}

static clv_id id_of(const map_index *index, uint32_t id) {
  return (clv_id){id, index->generation.data[id]};
}

static int compare_gone(const void *a, const void *b) {
  const uint32_t p = ((const map_gone *)a)->id, q = ((const map_gone *)b)->id;
  return (p > q) - (p < q);
}

// Events come index by index: what is left, then what is gone, in order of ids.
static void tell_orbits(losing *l, const map_index *index, uint32_t *left_at, uint32_t *gone_at) {
  map_scratch *s = l->s;
  const map_star nowhere = {0, 0};
  const clv_id none = {0, 0};
  for (; *left_at < s->left.count && s->left.data[*left_at].index == index; ++*left_at) {
    const map_left *left = &s->left.data[*left_at];
    const clv_id from = left->keeps ? none : id_of(index, left->old);
    if (left->changed)
      tell(l, index->dims, left->keeps ? CLV_CHANGED : CLV_SPLIT, left->dart, id_of(index, left->id), from,
           (map_star){left->start, left->end});
  }
  const uint32_t first = *gone_at;
  while (*gone_at < s->gone.count && s->gone.data[*gone_at].index == index) ++*gone_at;
  if (*gone_at > first + 1) qsort(s->gone.data + first, *gone_at - first, sizeof *s->gone.data, compare_gone);
  for (uint32_t k = first; k < *gone_at; k++) {
    map_index *own = s->gone.data[k].index;
    tell(l, index->dims, CLV_DELETED, CLV_NO_DART, id_of(index, s->gone.data[k].id), none, nowhere);
    map_index_give(own, s->gone.data[k].id);
  }
}

static void free_cells(losing *l) {
  map *m = l->m;
  const uint32_t cells = clv_orbit_dims(&m->view, CLV_CELL);
  for (uint32_t k = 0; k < m->log.count; k++) {
    if (m->log.data[k].op != MAP_CELL_DROP) continue;
    const uint32_t block = m->log.data[k].dart >> 6, row = map_uniform_row(block << 6);
    const uint32_t generation = (m->rows[l->kind].state.data[row] & MAP_GENERATION) - 1u;
    tell(l, cells, CLV_DELETED, CLV_NO_DART, (clv_id){block, generation}, (clv_id){0, 0}, (map_star){0, 0});
    map_rows_give(m, l->kind, row);
  }
}

static void carry_out(losing *l) {
  map *m = l->m;
  map_scratch *s = l->s;
  give_ids(l);
  if (m->embedding.self) m->embedding.copy(m->embedding.self, s->parted.data, s->parted.count);
  if (m->embedding.self && (m->embedding.destroys || s->gone.count))
    m->embedding.lose(m->embedding.self, m, s->gone.data, s->gone.count);
  uint32_t left_at = 0, gone_at = 0;
  for (uint32_t k = 0; k < m->numbered_count; k++)
    if (m->numbered[k]->crossing) tell_orbits(l, m->numbered[k], &left_at, &gone_at);
  free_cells(l);
}

static bool only_loses(const map *m) {
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op != MAP_CELL_DROP && (w.op != MAP_LINK || w.after || !w.before)) return false;
  }
  return true;
}

map_part_end map_commit_loss(map *m) {
  map_scratch *s = m->scratch;
  if (m->view.dimension != 3 || m->twisted || s->general || !only_loses(m)) return MAP_PART_GENERAL;
  const uint32_t kind = map_page(m, m->log.data[0].dart).kind;
  if (!map_is_uniform(m, kind) || (m->embedding.self && !m->embedding.copies)) return MAP_PART_GENERAL;
  losing l = {.m = m, .s = s, .kind = kind, .shape = &clv_templates[kind], .links = m->view.links[kind]};
  s->places.count = s->left.count = s->gone.count = 0;
  bool done = map_find_removed(m, kind) && (s->removed.count || map_find_cuts(m));
  for (uint32_t k = 0; done && k < m->numbered_count; k++)
    done = !m->numbered[k]->crossing || find_orbits(&l, m->numbered[k]);
  if (!done || !reserve(&l)) {
    take_marks_off(&l);
    return MAP_PART_NO_MEMORY;
  }
  carry_out(&l);
  return MAP_PART_DONE;
}
