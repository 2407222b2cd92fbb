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

// Where the slots of a cell begin.
typedef struct seating {
  uint32_t block, kind, first;
} seating;

static seating seats_in(const map *m, const map_index *inner, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  const clv_suborbits *sub = &clv_templates[map_is_template(page.kind) ? page.kind : CLV_NONE].sub[inner->inner];
  return (seating){block, page.kind, map_row(page, block << 6) * sub->count};
}

static inline view_place place_in(seating cell, uint32_t slot) {
  return slot & MAP_TEMPLATE_SLOT ? (view_place){cell.kind, cell.first + (slot & ~MAP_TEMPLATE_SLOT)}
                                  : (view_place){0, slot};
}

// A cell on the way round an edge: what the edge leaves in it, the dart on the way out, and the one beyond that.
typedef struct round_stop {
  view_place place;
  clv_dart out, beyond;
} round_stop;

static inline round_stop stop_at_record(const map *m, const map_index *inner, map_seat at) {
  const map_seat out = map_follow(m, at, 2);
  const clv_dart beyond = m->records.alpha.data[4 * (size_t)out.record + 3];
  const uint32_t slot = inner->record_ids.data[at.record];
  if (!(slot & MAP_TEMPLATE_SLOT)) return (round_stop){{0, slot}, out.dart, beyond};
  const seating cell = seats_in(m, inner, m->records.cell.data[at.record] & MAP_BLOCK);
  return (round_stop){place_in(cell, slot), out.dart, beyond};
}

static inline round_stop stop_at(const map *m, const map_index *inner, clv_dart at) {
  const uint32_t record = map_record(m, at);
  if (record != MAP_NO_RECORD) return stop_at_record(m, inner, (map_seat){at, record});
  const clv_page page = map_page(m, at);
  const clv_template *shape = &clv_templates[page.kind];
  const uint32_t row = map_row(page, at), out = shape->alpha[2][at & 63u];
  const clv_suborbits *sub = &shape->sub[inner->inner];
  round_stop stop = {{page.kind, row * sub->count + sub->of[at & 63u]}, (at & ~63u) | out, 0};
  const clv_dart link = m->view.links[page.kind][row * shape->facet_count + shape->facet[out]];
  if (!link)
    stop.beyond = stop.out;
  else if (map_record(m, link) == MAP_NO_RECORD)
    stop.beyond = (link & ~63u) | clv_templates[map_page(m, link).kind].turn[link & 63u][shape->position[out]];
  else
    stop.beyond = clv_alpha_facing(&m->view, link, shape->position[out]);
  return stop;
}

typedef enum round_end { ROUND_CLOSED, ROUND_OPEN, ROUND_LEFT } round_end;

// From `at` on, up to `start` or to where the edge is open.
static round_end go_on(const map *m, const map_index *inner, clv_dart at, clv_dart start, view_place *places,
                       uint32_t *count) {
  const clv_dart end = map_alpha(m, start, 0), other = map_alpha(m, end, 2);
  if (other == start) return ROUND_LEFT; // folded in its cell: both ways lead through the same others
  while (at != end && at != other && *count < VIEW_AROUND) {
    const round_stop stop = stop_at(m, inner, at);
    places[(*count)++] = stop.place;
    if (stop.out == at) return ROUND_LEFT;
    if (stop.beyond == start) return ROUND_CLOSED;
    if (stop.beyond == stop.out) return ROUND_OPEN;
    at = stop.beyond;
  }
  return ROUND_LEFT;
}

// A place in each cell about an edge, that of `start` first; 0 where it is left to the general walk.
static uint32_t go_round(const view_site *site, clv_dart start, view_place places[VIEW_AROUND]) {
  const map *m = site->map;
  const map_index *inner = m->indices[site->inner];
  uint32_t count = 0;
  round_end end = go_on(m, inner, start, start, places, &count);
  const clv_dart beyond = end == ROUND_OPEN ? map_alpha(m, start, 3) : start;
  if (beyond != start && go_on(m, inner, beyond, start, places, &count) != ROUND_OPEN) end = ROUND_LEFT;
  return end == ROUND_LEFT ? 0 : count;
}

bool view_sums_around(const view_formula *formula) {
  const uint32_t n = formula->site.map->view.dimension;
  return formula->direct && n == 3 && map_is_ring(formula->site.dims, n);
}

// New edges

static inline view_ring *find_ring(const view_change *change, uint32_t id) {
  const uint32_t number = change->ring_of.data[id];
  return number ? &change->rings.data[number - 1] : NULL;
}

static void add_ring(view_change *change, uint32_t id) {
  if (find_ring(change, id)) return;
  assert(change->rings.data);
  view_ring *ring = &change->rings.data[change->rings.count++];
  change->ring_of.data[id] = change->rings.count;
  ring->id = id;
  ring->count = 0;
}

// Those of the commit before are forgotten, and there is room for so many.
static bool reserve_rings(clv_views *views, uint64_t most, uint32_t ids) {
  view_change *change = &views->change;
  const clv_allocator *a = &views->allocator;
  const uint32_t had = change->ring_of.capacity;
  for (uint32_t k = 0; k < change->rings.count; k++) change->ring_of.data[change->rings.data[k].id] = 0;
  change->rings.count = 0;
  if (!BASE_RESERVE(a, &change->rings, most) || !BASE_RESERVE(a, &change->ring_of, ids)) return false;
  if (change->ring_of.capacity > had)
    memset(change->ring_of.data + had, 0, (change->ring_of.capacity - had) * sizeof *change->ring_of.data);
  return true;
}

// An edge that was halved is told of as the one that the other half came off.
static void list_new_edges(view_change *change, uint32_t dims) {
  const clv_commit *commit = change->commit;
  for (uint32_t k = 0; k < commit->event_count; k++) {
    const clv_event *event = &commit->events[k];
    if (event->dims != dims || (event->kind != CLV_CREATED && event->kind != CLV_SPLIT)) continue;
    add_ring(change, event->id.index);
    if (event->kind == CLV_SPLIT) add_ring(change, event->from.index);
  }
}

static inline void add_place(view_ring *ring, view_place place) {
  if (ring->count < VIEW_RING) ring->places[ring->count] = place;
  ring->count++;
}

static void add_cells(const view_change *change, const map *m, const map_index *edges) {
  const map_words *fresh = &m->scratch->fresh;
  for (uint32_t k = 0; k < fresh->count; k++) {
    const clv_page page = map_page(m, fresh->data[k] << 6);
    const uint32_t count = clv_templates[page.kind].sub[edges->inner].count;
    const uint32_t first = map_row(page, fresh->data[k] << 6) * count;
    const uint32_t *ids = edges->ids[page.kind].data + first;
    for (uint32_t e = 0; e < count; e++) {
      view_ring *ring = find_ring(change, ids[e]);
      if (ring) add_place(ring, (view_place){page.kind, first + e});
    }
  }
}

// Several darts may lie in one place, and follow one another as far as its edge is concerned.
static inline void add_hung(view_ring *ring, view_place place) {
  const view_place *last = ring->count && ring->count <= VIEW_RING ? &ring->places[ring->count - 1] : NULL;
  if (!last || last->slot != place.slot || last->kind != place.kind) add_place(ring, place);
}

// The log says which cell a dart was hung into.
static void add_darts(const view_change *change, const map *m, const map_index *edges, const map_index *inner) {
  const uint32_t *slots = inner->record_ids.data, *ids = edges->record_ids.data;
  const uint32_t *at = m->scratch->arrivals.data, *end = at + m->scratch->arrivals.count;
  seating cell = {0};
  for (; at < end; at++) {
    const map_write *w = &m->log.data[*at];
    if (w->op != MAP_DART_ADD) continue;
    if (w->before != cell.block) cell = seats_in(m, inner, w->before);
    const uint32_t record = map_page(m, w->dart).row + (w->dart & 0xFFFFu);
    view_ring *ring = find_ring(change, ids[record]);
    if (ring) add_hung(ring, place_in(cell, slots[record]));
  }
}

static inline uint32_t id_of_newcomer(const map_lineage *l, map_sort sort, uint32_t on) {
  return map_is_newcomer(on) ? l->newcomers[sort].data[on & ~MAP_NEWCOMER].id : on;
}

// The lineage says more at a time: what two darts lie on, which came into one cell.
static void add_told(const view_change *change, const map *m, const map_index *inner) {
  const map_lineage *l = &m->scratch->lineage;
  const map_came *c = l->came.data;
  seating cell = {0};
  for (uint32_t k = 0; k < l->grown.count; k++) {
    const map_grown grown = l->grown.data[k];
    if (grown.block != cell.block) cell = seats_in(m, inner, grown.block);
    for (uint32_t left = grown.count; left > 0; left -= c->darts[1] ? 2 : 1, c++) {
      if (!map_is_newcomer(c->on[MAP_EDGES]) || (l->gone && !clv_dart_alive(&m->view, c->darts[0]))) continue;
      view_ring *ring = find_ring(change, id_of_newcomer(l, MAP_EDGES, c->on[MAP_EDGES]));
      if (ring) add_hung(ring, place_in(cell, id_of_newcomer(l, MAP_CELL_EDGES, c->on[MAP_CELL_EDGES])));
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
  const bool known = change->refining && !change->rough && inner;
  if (!reserve_rings(views, known ? 2ull * change->commit->event_count : 0, site->index->count)) {
    change->no_memory = true;
    return;
  }
  if (!known) return;
  list_new_edges(change, site->dims);
  add_cells(change, m, site->index);
  if (m->scratch->told)
    add_told(change, m, inner);
  else
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

bool view_around_take(view_around *around, uint32_t key, clv_dart dart) {
  const view_site *site = &around->formula->site;
  const view_change *change = &around->views->change;
  const uint32_t lane = around->lanes;
  list_rings(around->views, site);
  if (change->no_memory) return true;
  const view_ring *ring = find_ring(change, key);
  if (ring && ring->count && ring->count <= VIEW_RING) {
    around->places[lane] = ring->places;
    around->counts[lane] = ring->count;
    assert(go_round(site, dart, around->walked[lane]) == ring->count);
  } else {
    around->places[lane] = around->walked[lane];
    around->counts[lane] = go_round(site, dart, around->walked[lane]);
    if (!around->counts[lane]) return false;
  }
  around->bases[lane] = dart;
  around->keys[lane] = key;
  if (++around->lanes == VIEW_LANES) view_around_compute(around);
  return true;
}
