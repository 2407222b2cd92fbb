// Slicing: the plane, what lies where, refining along it, and the cut itself. See slice.h.

#include "surgery/slice_plan.h"

#include <math.h>

clv_slice clv_default_slice(void) {
  return (clv_slice){.snap = 0.3, .quality = 0.1};
}

static bool all_finite(const double (*points)[3], uint32_t count) {
  for (uint32_t c = 0; c < count; c++)
    for (uint32_t k = 0; k < 3; k++)
      if (!isfinite(points[c][k])) return false;
  return true;
}

const char *clv_slice_wrong(const clv_slice *slice) {
  if (!slice) return "there is none";
  if (!(slice->snap >= 0 && slice->snap <= 0.5)) return "its snap must lie between 0 and 0.5";
  if (!(slice->quality >= 0 && slice->quality <= 1)) return "its quality must lie between 0 and 1";
  if (slice->level > CLV_REFINED_LEVELS) return "its level must be at most 30";
  if (!slice->whole)
    return all_finite(slice->blade.before, 2) && all_finite(slice->blade.after, 2)
               ? NULL
               : "a coordinate of the blade is not a number";
  if (!all_finite(&slice->point, 1) || !all_finite(&slice->normal, 1)) return "its plane must be given by numbers";
  return scalpel_dot(slice->normal, slice->normal) > 0 ? NULL : "the normal of its plane has no length";
}

// The plane

static bool set_normal(slicing *c, const double *normal) {
  const double length = sqrt(scalpel_dot(normal, normal));
  for (uint32_t k = 0; k < 3; k++) c->normal[k] = normal[k] / length;
  return length > 0;
}

static double height_of(const slicing *c, const double *p) {
  const double from[3] = {p[0] - c->point[0], p[1] - c->point[1], p[2] - c->point[2]};
  return scalpel_dot(from, c->normal);
}

// Where the edge came from, had it always gone as it does now: far out of the body.
static void look_back(slicing *c) {
  const clv_blade *b = &c->slice->blade;
  double way = 0;
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) way = fmax(way, fabs(b->after[e][k] - b->before[e][k]));
  const double times = 100 * c->surgery->body->size / way;
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) c->origin[e][k] = b->before[e][k] - times * (b->after[e][k] - b->before[e][k]);
}

// *swept: whether there is anything to cut with.
static clv_result find_plane(slicing *c, bool *swept) {
  const clv_slice *slice = c->slice;
  const clv_blade *b = &slice->blade;
  *swept = true;
  if (slice->whole) {
    memcpy(c->point, slice->point, sizeof c->point);
    set_normal(c, slice->normal);
    for (uint32_t k = 0; k < 3; k++) c->greatest[k] = -(c->least[k] = -INFINITY);
    return CLV_OK;
  }
  double one[3], other[3], normal[3];
  for (uint32_t k = 0; k < 3; k++) { // the diagonals
    one[k] = b->after[1][k] - b->before[0][k];
    other[k] = b->after[0][k] - b->before[1][k];
    c->point[k] = 0.25 * (b->before[0][k] + b->before[1][k] + b->after[0][k] + b->after[1][k]);
    const double low = fmin(fmin(b->before[0][k], b->before[1][k]), fmin(b->after[0][k], b->after[1][k]));
    const double high = fmax(fmax(b->before[0][k], b->before[1][k]), fmax(b->after[0][k], b->after[1][k]));
    c->least[k] = low - c->slack;
    c->greatest[k] = high + c->slack;
  }
  scalpel_cross(one, other, normal);
  *swept = set_normal(c, normal);
  look_back(c);
  if (*swept && fabs(height_of(c, b->before[0])) > 1e-6 * sqrt(scalpel_dot(one, one)))
    return surgery_fail(c->surgery, CLV_ERROR_ARGUMENT,
                        "what the blade swept is not plane: slice in shorter strokes, or cut with a surface");
  return CLV_OK;
}

static bool in_triangle(const slicing *c, const double *p, const double *const corner[3]) {
  bool left = true, right = true;
  for (uint32_t e = 0; e < 3; e++) {
    const double *a = corner[e], *b = corner[(e + 1) % 3];
    const double along[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]}, to[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
    double across[3];
    scalpel_cross(along, to, across);
    const double side = scalpel_dot(across, c->normal), slack = c->slack * sqrt(scalpel_dot(along, along));
    left = left && side >= -slack;
    right = right && side <= slack;
  }
  return left || right;
}

static bool is_between(const slicing *c, const double *p, const double (*from)[3], const double (*to)[3]) {
  return in_triangle(c, p, (const double *const[3]){from[0], from[1], to[1]}) ||
         in_triangle(c, p, (const double *const[3]){from[0], to[1], to[0]});
}

bool slice_reaches(const slicing *c, const double point[3]) {
  return c->slice->whole || is_between(c, point, c->slice->blade.before, c->slice->blade.after);
}

bool slice_passed(const slicing *c, const double point[3]) {
  return slice_reaches(c, point) || is_between(c, point, (const double(*)[3])c->origin, c->slice->blade.before);
}

// Sides

clv_result slice_measure(slicing *c) {
  clv_surgery *s = c->surgery;
  const uint32_t slots = clv_body_slots(s->body), had = c->on.count;
  if (!BASE_RESERVE(&s->allocator, &s->heights, slots) || !BASE_RESERVE(&s->allocator, &c->sides, slots) ||
      !BASE_RESERVE(&s->allocator, &c->on, slots))
    return surgery_no_memory(s);
  if (had < slots) memset(c->on.data + had, 0, slots - had);
  c->on.count = c->sides.count = slots;
  const double *pos = clv_body_positions(s->body);
  for (uint32_t v = 0; v < slots; v++) {
    const double height = height_of(c, pos + 3 * (size_t)v);
    s->heights.data[v] = height;
    c->sides.data[v] = (int8_t)(c->on.data[v] || fabs(height) <= c->slack ? 0 : height > 0 ? 1 : -1);
  }
  return CLV_OK;
}

bool slice_is_simplex(const slicing *c, clv_dart cell) {
  return clv_cell_kind(c->surgery->map, cell) == (c->surgery->map->dimension == 3 ? CLV_TET : CLV_TRI);
}

// The pieces of a simplex are such; others may be of any kind, and whether the user's own rules serve that, nobody
// knows.
bool slice_may_split(const slicing *c, clv_dart cell) {
  const clv_surgery *s = c->surgery;
  if (clv_cell_kind(s->map, cell) > CLV_TEMPLATE_LAST) return false;
  const physics_model *model = physics_section_of(s->body, cell)->model;
  if (model->springs || model->bending) return false;
  return slice_is_simplex(c, cell) || model->module;
}

// Refining

clv_result slice_crosses(slicing *c, clv_dart cell, bool *crossed) {
  clv_surgery *s = c->surgery;
  surgery_corners corners;
  if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
  const double *pos = clv_body_positions(s->body);
  bool above = false, below = false, beside = false;
  for (uint32_t v = 0; v < corners.count; v++) {
    above |= c->sides.data[corners.slots[v]] > 0;
    below |= c->sides.data[corners.slots[v]] < 0;
  }
  for (uint32_t k = 0; above && below && k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t v = 0; v < corners.count; v++) {
      const double x = pos[3 * (size_t)corners.slots[v] + k];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    beside |= low > c->greatest[k] || high < c->least[k];
  }
  *crossed = above && below && !beside;
  return CLV_OK;
}

static bool is_coarse(const slicing *c, clv_dart cell) {
  return surgery_may_refine(c->surgery, cell) && surgery_level_of(c->surgery, cell) < c->slice->level;
}

clv_result slice_list_coarse(slicing *c, clv_dart cell) {
  clv_surgery *s = c->surgery;
  if (!is_coarse(c, cell)) return CLV_OK;
  if (!BASE_RESERVE(&s->allocator, &s->cells, (uint64_t)s->cells.count + 1)) return surgery_no_memory(s);
  s->cells.data[s->cells.count++] = clv_cell_at(s->map, clv_cell_shape(s->map, cell), clv_cell_row(s->map, cell));
  return CLV_OK;
}

static clv_result list_crossed(slicing *c) {
  clv_surgery *s = c->surgery;
  clv_result result = slice_measure(c);
  clv_dart cell;
  s->cells.count = 0;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    bool crossed = false;
    if (is_coarse(c, cell)) result = slice_crosses(c, cell, &crossed);
    if (crossed) result = slice_list_coarse(c, cell);
  }
  return result;
}

// What is crossed, and then what lies about vertices that are to move: where a coarse cell is among those, the vertex
// would hang in it, or others by it.
static clv_result refine_along(slicing *c, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  while (c->slice->level) {
    clv_result result = list_crossed(c);
    if (result == CLV_OK && !s->cells.count && c->slice->snap > 0) result = slice_list_about(c);
    if (result != CLV_OK || !s->cells.count) return result;
    result = surgery_begin(s);
    if (result == CLV_OK) result = surgery_end(s, surgery_refine_listed(s), NULL);
    if (result != CLV_OK) return result;
    report->refined += s->did.refined;
  }
  return CLV_OK;
}

// The cut

// 1: above, -1: below.
static clv_result side_of(slicing *c, clv_dart cell, int *side) {
  clv_surgery *s = c->surgery;
  surgery_corners corners;
  if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
  bool above = false, below = false;
  double sum = 0;
  for (uint32_t v = 0; v < corners.count; v++) {
    above |= c->sides.data[corners.slots[v]] > 0;
    below |= c->sides.data[corners.slots[v]] < 0;
    sum += s->heights.data[corners.slots[v]];
  }
  *side = above != below ? (above ? 1 : -1) : sum >= -c->slack ? 1 : -1; // in doubt above, in every stroke
  return CLV_OK;
}

// What must be known of an off-lying facet before it is cut: places that the blade has to pass, the last of them now.
typedef struct needs {
  bool passed, now;
} needs;

// Where the plane crosses the way between two places.
static void add_need(const slicing *c, const double *p, const double *q, double here, double there, needs *n) {
  double crossing[3];
  for (uint32_t k = 0; k < 3; k++) crossing[k] = p[k] + fabs(here) / (fabs(here) + fabs(there)) * (q[k] - p[k]);
  n->passed = n->passed && slice_passed(c, crossing);
  n->now = n->now || slice_reaches(c, crossing);
}

// Those edges of a cell that are to be split, and are not.
static clv_result add_splits(slicing *c, clv_dart cell, needs *n) {
  clv_surgery *s = c->surgery;
  if (!c->slice->exact || !slice_may_split(c, cell)) return CLV_OK;
  surgery_corners corners;
  if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
  const double *pos = clv_body_positions(s->body);
  const clv_template *shape = &clv_templates[clv_cell_kind(s->map, cell)];
  const clv_suborbits *edges = &shape->sub[clv_orbit_dims(s->map, CLV_CELL_EDGE)];
  const uint8_t *corner = shape->sub[clv_orbit_dims(s->map, CLV_CORNER)].of;
  for (uint32_t e = 0; e < edges->count; e++) {
    const uint32_t a = corners.slots[corner[edges->first[e]]],
                   b = corners.slots[corner[shape->alpha[0][edges->first[e]]]];
    if (c->sides.data[a] * c->sides.data[b] < 0)
      add_need(c, pos + 3 * (size_t)a, pos + 3 * (size_t)b, s->heights.data[a], s->heights.data[b], n);
  }
  return CLV_OK;
}

// A facet on the plane is cut where the blade came to a corner of it, so that strokes add up. Another one is cut when
// the blade has passed between the centres of its cells, and all places where these are to be split: before that, it is
// not known which of their pieces will lie where.
static clv_result is_met(slicing *c, clv_dart facet, bool *met) {
  clv_surgery *s = c->surgery;
  clv_walk walk;
  *met = true;
  if (c->slice->whole) return CLV_OK;
  const double *pos = clv_body_positions(s->body);
  if (clv_walk_orbit(&walk, s->map, CLV_CELL_FACET(s->map->dimension), facet) != CLV_OK) return surgery_no_memory(s);
  bool on = true, touched = false;
  for (uint32_t k = 0; k < walk.count; k++) {
    const uint32_t slot = clv_id_of(s->map, CLV_VERTEX, walk.darts[k]).index;
    on = on && c->sides.data[slot] == 0;
    touched = touched || slice_reaches(c, pos + 3 * (size_t)slot);
  }
  clv_walk_end(&walk);
  double here[3], there[3];
  *met = touched;
  if (on) return CLV_OK;
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  needs n = {.passed = true};
  if (!surgery_cell_centre(s, facet, pos, here) || !surgery_cell_centre(s, beyond, pos, there))
    return surgery_no_memory(s);
  add_need(c, here, there, height_of(c, here), height_of(c, there), &n);
  clv_result result = add_splits(c, facet, &n);
  if (result == CLV_OK) result = add_splits(c, beyond, &n);
  *met = n.passed && n.now;
  return result;
}

static clv_result list_if_parted(clv_surgery *s, clv_dart facet, void *user) {
  slicing *c = user;
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  int side = 1;
  bool met = false;
  clv_result result = beyond == facet ? CLV_OK : side_of(c, beyond, &side);
  if (result == CLV_OK && side < 0) result = is_met(c, facet, &met);
  if (result != CLV_OK || !met) return result;
  if (!BASE_RESERVE(&s->allocator, &s->facets, (uint64_t)s->facets.count + 1)) return surgery_no_memory(s);
  s->facets.data[s->facets.count++] = facet;
  return CLV_OK;
}

static clv_result list_facets(slicing *c) {
  clv_surgery *s = c->surgery;
  clv_result result = slice_measure(c);
  s->facets.count = 0;
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    int side = -1;
    result = side_of(c, cell, &side);
    if (result == CLV_OK && side > 0) result = surgery_each_facet(s, cell, list_if_parted, c);
  }
  return result == CLV_OK ? surgery_whole_facets(s) : result;
}

static clv_result part(slicing *c, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  clv_result result = list_facets(c);
  if (result != CLV_OK || !s->facets.count) return result;
  result = surgery_begin(s);
  if (result == CLV_OK) result = surgery_end(s, surgery_unsew_facets(s), NULL);
  if (result != CLV_OK) return result;
  report->facets += s->did.facets;
  report->vertices += s->did.vertices;
  return CLV_OK;
}

clv_result clv_surgery_slice(clv_surgery *s, const clv_slice *slice, clv_surgery_report *report) {
  clv_surgery_report did = {0};
  if (report) *report = did;
  const char *wrong = clv_slice_wrong(slice);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the slice makes no sense: %s", wrong);
  clv_slice seen = *slice;
  if (!slice->whole) seen.blade = surgery_blade_seen(s, &slice->blade, &slice->motion);
  slicing c = {.surgery = s, .slice = &seen, .slack = 1e-9 * s->body->size};
  bool swept = false;
  clv_result result = find_plane(&c, &swept);
  if (result == CLV_OK && swept) {
    result = refine_along(&c, &did);
    if (result == CLV_OK && slice->snap > 0) result = slice_snap(&c, &did);
    if (result == CLV_OK && slice->exact) result = slice_split(&c, &did);
    if (result == CLV_OK) result = part(&c, &did);
    if (result == CLV_OK && c.plans.count) slice_give_way(&c);
  }
  const clv_allocator *a = &s->allocator;
  BASE_RELEASE(a, &c.sides);
  BASE_RELEASE(a, &c.on);
  BASE_RELEASE(a, &c.edges);
  BASE_RELEASE(a, &c.uses);
  BASE_RELEASE(a, &c.cells);
  BASE_RELEASE(a, &c.plans);
  BASE_RELEASE(a, &c.shifts);
  BASE_RELEASE(a, &c.seen);
  BASE_RELEASE(a, &c.room);
  BASE_RELEASE(a, &c.old);
  if (result == CLV_OK && report) *report = did;
  return result;
}
