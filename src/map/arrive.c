// Orbits in commits that refine (refined.c): what they are follows from what came.
//
// Nothing that was there falls apart but edges and faces of the refined cells, and nothing comes together. Children
// have the ids of their parent's places from the start, so two sorts of places are left: those that bear no id yet, and
// those of a child on an edge or face that was parted.
//
// What was parted is walked as a whole: all its cells are children, or have records. Places without an id lie beside
// one that has it, and are told that id, or they are all of a new orbit. Orbits inside a cell change only where new
// darts hang, in cells with records.

#include "map/plan.h"

#include <assert.h>

typedef struct arriving {
  const map *m;
  map_scratch *s;
  map_orbits *o;
  const map_index *index;
  uint32_t dims, inner, stamp;
  uint32_t links[4], link_count; // the same dimensions, one by one
  bool whole;                    // ids do not stop a walk
  uint32_t met;                  // the id beside the places that are walked
} arriving;

// The mark of a place of a child.
static inline uint32_t *child_mark(const arriving *a, clv_dart dart, const clv_suborbits *sub) {
  const uint32_t child = map_fresh_number(a->m, dart >> 6);
  assert(child != MAP_NOT_FRESH);
  return &a->s->child_marks.data[(size_t)child * CLV_TEMPLATE_DARTS + sub->of[dart & 63u]];
}

// True where the walk stops: there is an id, and it is enough to know it.
static inline bool stops_at(arriving *a, uint32_t id) {
  if (a->whole || !id) return false;
  assert(!a->met || a->met == id);
  a->met = id;
  return true;
}

static inline bool push(arriving *a, clv_dart node) {
  map_words *nodes = &a->o->nodes;
  if (nodes->count == nodes->capacity && !BASE_RESERVE(&a->m->allocator, nodes, (uint64_t)nodes->count + 1))
    return false;
  nodes->data[nodes->count++] = node;
  return true;
}

// What an inner orbit of a cell with records was called: where its cell has a row, that says it.
static inline uint64_t old_name(const arriving *a, uint32_t record, uint32_t id) {
  if (!(id & MAP_TEMPLATE_SLOT)) return id;
  const clv_dart cell = (a->m->records.cell.data[record] & MAP_BLOCK) << 6;
  return MAP_ROW_SLOT | cell | clv_templates[map_page(a->m, cell).kind].sub[a->inner].first[id & ~MAP_TEMPLATE_SLOT];
}

static inline bool visit_record(arriving *a, map_new_orbit *orbit, clv_dart dart, uint32_t record) {
  uint32_t *mark = &a->s->marks.data[record];
  const uint32_t id = a->index->record_ids.data[record];
  if (*mark == a->stamp || stops_at(a, id)) return true;
  *mark = a->stamp;
  return push(a, dart) && map_add_part(a->m, a->o, orbit, old_name(a, record, id), 1);
}

static bool visit_child(arriving *a, map_new_orbit *orbit, clv_dart dart) {
  const clv_page page = map_page(a->m, dart);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[a->inner];
  const uint32_t number = sub->of[dart & 63u];
  const uint32_t id = a->index->ids[page.kind].data[(size_t)map_row(page, dart) * sub->count + number];
  if (stops_at(a, id)) return true;
  uint32_t *mark = child_mark(a, dart, sub);
  if (*mark == a->stamp) return true;
  *mark = a->stamp;
  return push(a, (dart & ~63u) | sub->first[number]) && map_add_part(a->m, a->o, orbit, id, sub->size[number]);
}

static inline bool visit(arriving *a, map_new_orbit *orbit, clv_dart dart) {
  const uint32_t record = map_record(a->m, dart);
  return record != MAP_NO_RECORD ? visit_record(a, orbit, dart, record) : visit_child(a, orbit, dart);
}

static bool leave(arriving *a, map_new_orbit *orbit, clv_dart node) {
  const map *m = a->m;
  const uint32_t record = map_record(m, node), n = m->view.dimension;
  if (record != MAP_NO_RECORD) {
    const clv_dart *alpha = m->records.alpha.data + 4 * (size_t)record;
    for (uint32_t k = 0; k < a->link_count; k++)
      if (!visit(a, orbit, alpha[a->links[k]])) return false; // itself is marked
    return true;
  }
  const clv_suborbits *sub = &clv_templates[map_page(m, node).kind].sub[a->inner];
  const uint32_t number = sub->of[node & 63u];
  for (uint32_t e = sub->exit_start[number]; e < sub->exit_start[number + 1]; e++) {
    const clv_dart exit = (node & ~63u) | sub->exit[e].dart, next = clv_alpha(&m->view, exit, n);
    if (next != exit && !visit(a, orbit, next)) return false;
  }
  return true;
}

// The orbit at a place that was not marked, or what bears no id of it.
static bool walk(arriving *a, clv_dart dart, bool whole) {
  map_orbits *o = a->o;
  map_new_orbit orbit = {.node_start = o->nodes.count, .part_start = o->parts.count};
  a->whole = whole;
  a->met = 0;
  if (!visit(a, &orbit, dart)) return false;
  for (uint32_t k = orbit.node_start; k < o->nodes.count; k++)
    if (!leave(a, &orbit, o->nodes.data[k])) return false;
  orbit.node_end = o->nodes.count;
  orbit.part_end = o->parts.count;
  if (a->met) {
    if (!BASE_RESERVE(&a->m->allocator, &o->spread, (uint64_t)o->spread.count + 1)) return false;
    o->spread.data[o->spread.count++] = (map_spread){a->met, orbit.node_start, orbit.node_end};
    return true;
  }
  if (!BASE_RESERVE(&a->m->allocator, &o->orbits, (uint64_t)o->orbits.count + 1)) return false;
  o->orbits.data[o->orbits.count++] = orbit;
  return true;
}

// Without a0 only corners of faces are parted, <1,3>: an edge across the face may begin where one of its edges was
// halved before. A component is not parted either.
static bool is_never_parted(const arriving *a) {
  const uint32_t n = a->m->view.dimension;
  return (a->dims >> n & 1u) && ((!(a->dims & 1u) && (a->dims & 6u) != 2u) || a->dims == (2u << n) - 1u);
}

static bool arrive_dart(arriving *a, clv_dart dart) {
  return a->s->marks.data[map_record(a->m, dart)] == a->stamp || walk(a, dart, !is_never_parted(a));
}

static bool arrive_cell(arriving *a, clv_dart cell) {
  const clv_page page = map_page(a->m, cell);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[a->inner];
  const uint32_t child = map_fresh_number(a->m, cell >> 6);
  const uint32_t *ids = a->index->ids[page.kind].data + (size_t)map_row(page, cell) * sub->count;
  const uint32_t *marks = a->s->child_marks.data + (size_t)child * CLV_TEMPLATE_DARTS;
  const uint64_t parted = is_never_parted(a) ? 0 : map_parted_places(a->m, cell, a->inner);
  for (uint32_t s = 0; s < sub->count; s++) {
    const bool whole = parted >> s & 1u;
    if ((whole || !ids[s]) && marks[s] != a->stamp && !walk(a, cell | sub->first[s], whole)) return false;
  }
  return true;
}

static bool lose(arriving *a, clv_dart dart) {
  map_orbits *o = a->o;
  const uint64_t old = map_old_name(a->m, a->index, dart);
  if (!old) return true; // it came and went in one transaction
  if (!BASE_RESERVE(&a->m->allocator, &o->lost, (uint64_t)o->lost.count + 1)) return false;
  o->lost.data[o->lost.count++] = (map_lost){dart, old};
  return true;
}

// Shell's gaps: a handful is the common case.
static void sort_spread(map_spread *spread, uint32_t count) {
  uint32_t gap = 1;
  while (gap < count / 3) gap = gap * 3 + 1;
  for (; gap; gap /= 3)
    for (uint32_t k = gap; k < count; k++) {
      const map_spread held = spread[k];
      uint32_t at = k;
      for (; at >= gap && (spread[at - gap].id > held.id ||
                           (spread[at - gap].id == held.id && spread[at - gap].node_start > held.node_start));
           at -= gap)
        spread[at] = spread[at - gap];
      spread[at] = held;
    }
}

bool map_resolve_arrivals(map *m, map_orbits *o) {
  map_scratch *s = m->scratch;
  const uint32_t n = m->view.dimension;
  const bool crossing = o->dims >> n & 1u;
  arriving a = {.m = m,
                .s = s,
                .o = o,
                .index = o->index,
                .dims = o->dims,
                .inner = o->dims & ~(1u << n),
                .stamp = map_next_mark(m)};
  for (uint32_t i = 0; i <= n; i++)
    if (o->dims >> i & 1u) a.links[a.link_count++] = i;
  for (uint32_t k = 0; k < s->arrivals.count; k++) {
    const map_write w = m->log.data[s->arrivals.data[k]];
    bool done = true;
    if (w.op == MAP_DART_ADD) done = arrive_dart(&a, w.dart);
    if (w.op == MAP_CELL_ADD && crossing) done = arrive_cell(&a, w.dart);
    if (w.op == MAP_DART_DROP && !crossing) done = lose(&a, w.dart);
    if (!done) return false;
  }
  sort_spread(o->spread.data, o->spread.count);
  return true;
}
