// Splitting cells that are no simplices along a plane, as slice_plan.h plans it.
//
// Edges are bisected first, those of simplices and of other cells together, for neighbours share them; simplices come
// apart with them. Then edges part the faces of other cells, walls go up, and vertices come into their middles.
//
// A blade that comes to a cell splits it in one go: at its tip, cells beyond have some of their edges bisected, and are
// split as well as can be. A cell that stays whole keeps all its edges and faces; its neighbours see to that.

#include "map/centre.h"
#include "surgery/slice_plan.h"

#include <stdlib.h>

// Which cells

static int compare_cells(const void *a, const void *b) {
  const slice_cell *x = a, *y = b;
  return (x->cell > y->cell) - (x->cell < y->cell);
}

static slice_cell *find_cell(const slicing *c, clv_dart dart) {
  const slice_cell wanted = {.cell = dart & ~63u};
  return c->cells.count ? bsearch(&wanted, c->cells.data, c->cells.count, sizeof wanted, compare_cells) : NULL;
}

bool slice_is_among_cells(const slicing *c, clv_dart dart) {
  return find_cell(c, dart);
}

bool slice_is_reached(const slicing *c, clv_dart dart) {
  const slice_cell *cell = find_cell(c, dart);
  return cell && cell->reached && !cell->whole;
}

// Where the plane crosses one of its edges; if it crosses none that can be bisected, at a corner on it.
static bool is_reached(const slicing *c, clv_dart cell) {
  const surgery_corners corners = slice_corners(c, cell);
  const double *pos = clv_body_positions(c->surgery->body);
  uint32_t count;
  const slice_use *uses = slice_uses_of(c, cell, &count);
  bool reached = false;
  for (uint32_t k = 0; k < count; k++) reached = reached || c->edges.data[uses[k].edge].reached;
  for (uint32_t k = 0; !count && k < corners.count; k++)
    reached = reached || (!c->sides.data[corners.slots[k]] && slice_reaches(c, pos + 3 * (size_t)corners.slots[k]));
  return reached;
}

// A cell goes as one: all its edges are reached when one is.
static void reach_whole_cells(slicing *c) {
  for (uint32_t n = 0; n < c->cells.count; n++) c->cells.data[n].reached = is_reached(c, c->cells.data[n].cell);
  for (uint32_t n = 0; n < c->cells.count; n++) {
    uint32_t count;
    const slice_use *uses = slice_uses_of(c, c->cells.data[n].cell, &count);
    for (uint32_t k = 0; c->cells.data[n].reached && k < count; k++) c->edges.data[uses[k].edge].reached = true;
  }
}

clv_result slice_find_cells(slicing *c) {
  clv_surgery *s = c->surgery;
  clv_dart cell;
  c->cells.count = 0;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));) {
    if (slice_is_simplex(c, cell) || !slice_may_split(c, cell)) continue;
    const surgery_corners corners = slice_corners(c, cell);
    if (!slice_is_crossed(c, &corners)) continue;
    if (!BASE_RESERVE(&s->allocator, &c->cells, (uint64_t)c->cells.count + 1)) return surgery_no_memory(s);
    c->cells.data[c->cells.count++] = (slice_cell){.cell = cell & ~63u, .whole = slice_stays_whole(c, cell, &corners)};
  }
  if (c->cells.count) qsort(c->cells.data, c->cells.count, sizeof *c->cells.data, compare_cells);
  reach_whole_cells(c);
  return CLV_OK;
}

// Choosing

static bool is_any_reached(const slicing *c, const slice_use *uses, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (c->edges.data[uses[k].edge].reached && slice_is_cut(c, &c->edges.data[uses[k].edge])) return true;
  return false;
}

bool slice_choose_cells(slicing *c, clv_surgery_report *report) {
  bool changed = false;
  for (uint32_t n = 0; n < c->cells.count; n++) {
    slice_cell *cell = &c->cells.data[n];
    uint32_t count;
    slice_plan plan;
    const slice_use *uses = slice_uses_of(c, cell->cell, &count);
    if (cell->whole || !(cell->reached || is_any_reached(c, uses, count))) continue;
    const bool fit = slice_plan_cell(c, cell->cell, uses, count, &plan);
    if (fit && plan.worst >= c->slice->quality) continue;
    report->refused += !c->slice->track; // with one, what is settled is counted
    changed = true;
    if (fit && slice_take_nearest(c, uses, count)) continue;
    const surgery_corners corners = slice_corners(c, cell->cell);
    cell->whole = true;
    slice_keep_edges(c, uses, count);
    slice_leave_whole(c, cell->cell, &corners);
  }
  return changed;
}

clv_result slice_plan_cells(slicing *c) {
  clv_surgery *s = c->surgery;
  c->plans.count = 0;
  for (uint32_t n = 0; n < c->cells.count; n++) {
    uint32_t count;
    const slice_use *uses = slice_uses_of(c, c->cells.data[n].cell, &count);
    if (c->cells.data[n].whole || !(c->cells.data[n].reached || is_any_reached(c, uses, count))) continue;
    if (!BASE_RESERVE(&s->allocator, &c->plans, (uint64_t)c->plans.count + 1)) return surgery_no_memory(s);
    slice_plan *plan = &c->plans.data[c->plans.count];
    if (!slice_plan_cell(c, c->cells.data[n].cell, uses, count, plan) || !plan->ears) continue;
    c->plans.count++;
  }
  slice_share_momentum(c);
  return CLV_OK;
}

// Splitting

static clv_result part_faces(clv_map *view, const slice_plan *p) {
  clv_result result = CLV_OK;
  for (uint32_t n = 0; result == CLV_OK && n < p->ears; n++) {
    const plan_ear ear = p->ear[n];
    if (p->theirs >> ear.face & 1u) continue;
    const clv_dart from = slice_plan_ahead(view, p, ear.face, ear.from),
                   to = slice_plan_behind(view, p, ear.face, ear.to);
    result = clv_map_insert_edge(view, from, to, NULL);
  }
  return result;
}

// The dart of a piece of a face at a corner of it, along the edge that follows.
static clv_dart dart_along(const clv_map *view, const slice_plan *p, const plan_polygon *polygon, uint32_t edge) {
  const uint32_t along = polygon->along[edge], number = along & PLAN_NUMBER;
  if (!(along & (PLAN_INSIDE | PLAN_OUTSIDE))) return slice_plan_ahead(view, p, polygon->face, number);
  const plan_ear ear = p->ear[number];
  if (along & PLAN_INSIDE) return clv_alpha(view, slice_plan_behind(view, p, ear.face, ear.to), 1);
  return clv_alpha(view, clv_alpha(view, slice_plan_ahead(view, p, ear.face, ear.from), 1), 2);
}

static clv_result set_centre(slicing *c, const slice_plan *p, uint32_t point, clv_dart vertex) {
  clv_surgery *s = c->surgery;
  clv_column *const columns[3] = {s->body->pos, s->body->rest, s->body->vel};
  uint32_t slots[PLAN_CORNERS];
  double parts[PLAN_CORNERS];
  clv_result result = surgery_of_map(s, clv_column_set(s->levels, vertex, &p->level));
  for (uint32_t which = 0; result == CLV_OK && which < 3; which++)
    result = surgery_of_map(s, clv_column_set(columns[which], vertex, p->point[point].at[which]));
  for (uint32_t k = 0; k < p->corners; k++) {
    slots[k] = p->point[k].slot;
    parts[k] = 1.0 / p->corners;
  }
  return result == CLV_OK ? slice_set_constraints(c, slots, parts, p->corners, vertex) : result;
}

static clv_result part_volume(slicing *c, const slice_plan *p) {
  clv_surgery *s = c->surgery;
  clv_dart halves[2] = {p->cell, CLV_NO_DART}, path[PLAN_RING];
  clv_result result = CLV_OK;
  for (uint32_t k = 0; k < p->ring.count; k++)
    path[k] = dart_along(s->map, p, &p->polygon[p->ring.polygon[k]], p->ring.edge[k]);
  if (p->ring.count) {
    halves[0] = path[0];
    halves[1] = clv_alpha(s->map, path[0], 2);
    result = surgery_of_map(s, clv_map_insert_face(s->map, path, p->ring.count, NULL));
  }
  for (uint32_t h = 0; result == CLV_OK && h < 2; h++) {
    clv_dart vertex = CLV_NO_DART;
    if (!p->centres[h]) continue;
    result = surgery_of_map(s, map_insert_centre(map_of(s->map), halves[h], &vertex));
    if (result == CLV_OK) result = set_centre(c, p, p->centres[h], vertex);
  }
  return result;
}

clv_result slice_split_cells(slicing *c) {
  clv_surgery *s = c->surgery;
  clv_result result = CLV_OK;
  for (uint32_t n = 0; result == CLV_OK && n < c->plans.count; n++)
    result = surgery_of_map(s, part_faces(s->map, &c->plans.data[n]));
  for (uint32_t n = 0; s->map->dimension == 3 && result == CLV_OK && n < c->plans.count; n++)
    result = part_volume(c, &c->plans.data[n]);
  return result;
}
