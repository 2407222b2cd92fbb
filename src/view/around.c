// Sums over the cells about an edge, of several edges side by side, whatever their cells are.
//
// An edge is gone round place by place: in through one facet of a cell, out through the other. One that meets a cell
// twice, lies in a facet that is not closed, or has very many cells about it, is left to the general walk.
//
// An edge that a commit which refines has made, or halved, has nothing about it but what came with the commit: places
// of new cells, and of darts that were hung into old ones. So all of these are found in one pass over what came.

#include "map/plan.h"
#include "view/views.h"

#include <assert.h>

static inline bool is_beside(clv_dart dart, const clv_dart twice[2]) {
  return dart == twice[0] || dart == twice[1];
}

// A dart in each cell about an edge, `start` first; 0 where it is left to the general walk.
static uint32_t go_round(const map *m, clv_dart start, clv_dart darts[VIEW_AROUND]) {
  const clv_dart end = map_alpha(m, start, 0), twice[2] = {end, map_alpha(m, end, 2)};
  uint32_t count = 0;
  if (twice[1] == start) return 0; // folded in its cell: both ways lead through the same others
  for (clv_dart at = start;;) {
    if (count == VIEW_AROUND) return 0;
    darts[count++] = at;
    const clv_dart out = map_alpha(m, at, 2), next = map_alpha(m, out, 3);
    if (out == at) return 0;
    if (next == start) return count;
    if (is_beside(next, twice)) return 0;
    if (next == out) break;
    at = next;
  }
  for (clv_dart at = start;;) { // it is open: the other way, too
    const clv_dart next = map_alpha(m, at, 3);
    if (next == at) return count;
    if (count == VIEW_AROUND || is_beside(next, twice)) return 0;
    darts[count++] = next;
    at = map_alpha(m, next, 2);
    if (at == next) return 0;
  }
}

bool view_sums_around(const view_formula *formula) {
  const uint32_t n = formula->site.map->view.dimension;
  return formula->direct && n == 3 && map_is_ring(formula->site.dims, n);
}

// New edges

static view_ring *find_ring(const view_change *change, uint32_t id) {
  if (id >= change->ring_of.capacity) return NULL;
  const uint32_t at = change->ring_of.data[id];
  return at < change->rings.count && change->rings.data[at].id == id ? &change->rings.data[at] : NULL;
}

static bool add_ring(clv_views *views, uint32_t id) {
  view_change *change = &views->change;
  const clv_allocator *a = &views->allocator;
  const uint32_t had = change->ring_of.capacity;
  if (find_ring(change, id)) return true;
  if (!BASE_RESERVE(a, &change->rings, (uint64_t)change->rings.count + 1)) return false;
  if (!BASE_RESERVE(a, &change->ring_of, (uint64_t)id + 1)) return false;
  if (change->ring_of.capacity > had)
    memset(change->ring_of.data + had, 0, (change->ring_of.capacity - had) * sizeof *change->ring_of.data);
  change->ring_of.data[id] = change->rings.count;
  view_ring *ring = &change->rings.data[change->rings.count++];
  ring->id = id;
  ring->count = 0;
  return true;
}

static void add_place(view_ring *ring, view_place place) {
  if (ring->count < VIEW_RING) ring->places[ring->count] = place;
  if (ring->count <= VIEW_RING) ring->count++;
}

// Several darts may lie in one place, and mostly follow one another.
static void add_dart(view_ring *ring, view_place place) {
  for (uint32_t k = ring->count < VIEW_RING ? ring->count : VIEW_RING; k-- > 0;)
    if (ring->places[k].slot == place.slot && ring->places[k].kind == place.kind) return;
  add_place(ring, place);
}

// An edge that was halved is told of as the one that the other half came off.
static bool list_new_edges(clv_views *views, uint32_t dims) {
  const clv_commit *commit = views->change.commit;
  for (uint32_t k = 0; k < commit->event_count; k++) {
    const clv_event *event = &commit->events[k];
    if (event->dims != dims || (event->kind != CLV_CREATED && event->kind != CLV_SPLIT)) continue;
    if (!add_ring(views, event->id.index)) return false;
    if (event->kind == CLV_SPLIT && !add_ring(views, event->from.index)) return false;
  }
  return true;
}

static void add_cells(const view_change *change, const map *m, const map_index *edges) {
  const map_words *fresh = &m->scratch->fresh;
  for (uint32_t k = 0; k < fresh->count; k++) {
    const clv_page page = map_page(m, fresh->data[k] << 6);
    const uint32_t count = clv_templates[page.kind].sub[edges->inner].count;
    const uint32_t first = map_row(page, fresh->data[k] << 6) * count;
    for (uint32_t e = 0; e < count; e++) {
      view_ring *ring = find_ring(change, edges->ids[page.kind].data[first + e]);
      if (ring) add_place(ring, (view_place){page.kind, first + e});
    }
  }
}

// The log says which cell a dart was hung into.
static void add_darts(const view_change *change, const map *m, const map_index *edges, const map_index *inner) {
  const map_words *arrivals = &m->scratch->arrivals;
  uint32_t last_slot = 0, last_cell = 0;
  for (uint32_t k = 0; k < arrivals->count; k++) {
    const map_write *w = &m->log.data[arrivals->data[k]];
    if (w->op != MAP_DART_ADD) continue;
    const uint32_t record = map_page(m, w->dart).row + (w->dart & 0xFFFFu), slot = inner->record_ids.data[record];
    if (slot == last_slot && w->before == last_cell) continue; // the same place
    last_slot = slot;
    last_cell = w->before;
    view_ring *ring = find_ring(change, edges->record_ids.data[record]);
    if (!ring) continue;
    if (slot & MAP_TEMPLATE_SLOT) {
      const clv_page page = map_page(m, w->before << 6);
      const uint32_t count = clv_templates[page.kind].sub[inner->inner].count;
      add_dart(ring, (view_place){page.kind, map_row(page, w->before << 6) * count + (slot & ~MAP_TEMPLATE_SLOT)});
    } else {
      add_dart(ring, (view_place){0, slot});
    }
  }
}

// None where the commit does more than to refine plain cells into plain ones.
static void list_rings(clv_views *views, const view_site *site) {
  const map *m = views->map;
  view_change *change = &views->change;
  const map_index *inner = m->indices[site->inner];
  if (change->rings_dims == site->dims) return;
  change->rings_dims = site->dims;
  change->rings.count = 0;
  if (!change->refining || change->rough || !inner) return;
  if (!list_new_edges(views, site->dims)) {
    change->no_memory = true;
    return;
  }
  add_cells(change, m, site->index);
  add_darts(change, m, site->index, inner);
}

// Sums

void view_around_compute(view_around *around) {
  double totals[VIEW_LANES];
  if (!around->lanes) return;
  view_formula_sum_around(around->formula, &around->views->rooms[0], around->views->params.data, around->bases,
                          around->places, around->counts, around->lanes, totals);
  for (uint32_t lane = 0; lane < around->lanes; lane++)
    view_assign(&around->formula->targets.data[0], (view_place){0, around->keys[lane]}, totals[lane]);
  around->lanes = 0;
}

static uint32_t walk_round(const view_site *site, clv_dart dart, view_place places[VIEW_AROUND]) {
  const map *m = site->map;
  const map_index *inner = m->indices[site->inner];
  clv_dart darts[VIEW_AROUND];
  const uint32_t count = go_round(m, dart, darts);
  for (uint32_t k = 0; k < count; k++) places[k] = view_place_of(m, inner, darts[k]);
  return count;
}

bool view_around_take(view_around *around, uint32_t key, clv_dart dart) {
  const view_site *site = &around->formula->site;
  const uint32_t lane = around->lanes;
  list_rings(around->views, site);
  const view_ring *ring = find_ring(&around->views->change, key);
  if (ring && ring->count && ring->count <= VIEW_RING) {
    around->places[lane] = ring->places;
    around->counts[lane] = ring->count;
    assert(go_round(site->map, dart, (clv_dart[VIEW_AROUND]){0}) == ring->count);
  } else {
    around->places[lane] = around->walked[lane];
    around->counts[lane] = walk_round(site, dart, around->walked[lane]);
    if (!around->counts[lane]) return false;
  }
  around->bases[lane] = dart;
  around->keys[lane] = key;
  if (++around->lanes == VIEW_LANES) view_around_compute(around);
  return true;
}
