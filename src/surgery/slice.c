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

double slice_height(const slicing *c, const double p[3]) {
  const double from[3] = {p[0] - c->point[0], p[1] - c->point[1], p[2] - c->point[2]};
  return scalpel_dot(from, c->normal);
}

// How far a blade goes: the longer of the ways of its two ends.
static double length_of(const clv_blade *b) {
  double longest = 0;
  for (uint32_t e = 0; e < 2; e++) {
    const double way[3] = {b->after[e][0] - b->before[e][0], b->after[e][1] - b->before[e][1],
                           b->after[e][2] - b->before[e][2]};
    longest = fmax(longest, sqrt(scalpel_dot(way, way)));
  }
  return longest;
}

// Where the edge came from, had it always gone as it does now: so far behind.
static void look_back(const slicing *c, double behind, double origin[2][3]) {
  const clv_blade *b = &c->slice->blade;
  const double times = behind / length_of(b);
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) origin[e][k] = b->before[e][k] - times * (b->after[e][k] - b->before[e][k]);
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
  *swept = set_normal(c, normal) && length_of(b) > c->slack;
  if (*swept && fabs(slice_height(c, b->before[0])) > 1e-6 * sqrt(scalpel_dot(one, one)))
    return surgery_fail(c->surgery, CLV_ERROR_ARGUMENT,
                        "what the blade swept is not plane: slice in shorter strokes, or cut with a surface");
  c->behind = 100 * c->surgery->body->size; // far out of it
  if (*swept && slice->track) *swept = track_follow(slice->track, c->normal, length_of(b), &c->behind);
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

bool slice_passed(const slicing *c, const double point[3], double behind) {
  double origin[2][3];
  if (slice_reaches(c, point)) return true;
  look_back(c, fmin(behind, c->behind), origin);
  return is_between(c, point, (const double(*)[3])origin, c->slice->blade.before);
}

bool slice_will_reach(const slicing *c, const double point[3], double ahead) {
  const clv_blade *b = &c->slice->blade;
  const double times = c->slice->whole ? 0 : ahead / length_of(b);
  double there[2][3];
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) there[e][k] = b->after[e][k] + times * (b->after[e][k] - b->before[e][k]);
  return slice_reaches(c, point) || is_between(c, point, b->after, (const double(*)[3])there);
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
    const double height = s->heights.data[v] = slice_height(c, pos + 3 * (size_t)v);
    c->sides.data[v] = (int8_t)(c->on.data[v] || fabs(height) <= c->slack ? 0 : height > 0 ? 1 : -1);
    slice_recall(c, v);
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

bool slice_is_crossed(const slicing *c, const surgery_corners *corners) {
  bool above = false, below = false;
  for (uint32_t v = 0; v < corners->count; v++) {
    above |= c->sides.data[corners->slots[v]] > 0;
    below |= c->sides.data[corners->slots[v]] < 0;
  }
  return above && below;
}

clv_result slice_crosses(slicing *c, clv_dart cell, bool *crossed) {
  clv_surgery *s = c->surgery;
  surgery_corners corners;
  if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
  const double *pos = clv_body_positions(s->body);
  const bool parted = slice_is_crossed(c, &corners);
  const double ahead = c->slice->track && parted ? slice_width(c, &corners) : 0; // its neighbours may be parted from it
  bool beside = false;
  for (uint32_t k = 0; parted && k < 3; k++) {
    double low = INFINITY, high = -INFINITY;
    for (uint32_t v = 0; v < corners.count; v++) {
      const double x = pos[3 * (size_t)corners.slots[v] + k];
      low = fmin(low, x);
      high = fmax(high, x);
    }
    beside |= low > c->greatest[k] + ahead || high < c->least[k] - ahead;
  }
  *crossed = parted && !beside;
  return CLV_OK;
}

bool slice_is_coarse(const slicing *c, clv_dart cell) {
  return surgery_may_refine(c->surgery, cell) && surgery_level_of(c->surgery, cell) < c->slice->level;
}

clv_result slice_list_coarse(slicing *c, clv_dart cell) {
  clv_surgery *s = c->surgery;
  if (!slice_is_coarse(c, cell)) return CLV_OK;
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
    if (slice_is_coarse(c, cell)) result = slice_crosses(c, cell, &crossed);
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
  for (uint32_t v = 0; v < corners.count; v++) {
    above |= c->sides.data[corners.slots[v]] > 0;
    below |= c->sides.data[corners.slots[v]] < 0;
  }
  const track_mark *mark = c->slice->track ? track_at_cell(c->slice->track, cell) : NULL;
  const bool known = mark && track_is(mark, TRACK_SIDE);
  const double height = known ? mark->height : slice_centre_height(c, &corners);
  *side = above != below && !known ? (above ? 1 : -1) : height >= -c->slack ? 1 : -1; // in doubt above, in every stroke
  return CLV_OK;
}

// What must be known of an off-lying facet before it is cut: places that the blade has to pass, the last of them now or
// where the cut has come to.
typedef struct needs {
  bool passed, now;
  bool touched; // the cut has come to both cells:
  double width; // then what the blade has just passed counts as now
} needs;

// Where the plane crosses the way between two places.
static void add_need(const slicing *c, const double *p, const double *q, double here, double there, needs *n) {
  double crossing[3];
  for (uint32_t k = 0; k < 3; k++) crossing[k] = p[k] + fabs(here) / (fabs(here) + fabs(there)) * (q[k] - p[k]);
  n->passed = n->passed && slice_passed(c, crossing, INFINITY);
  n->now = n->now || slice_passed(c, crossing, n->touched ? n->width : 0);
}

// Those edges of a cell that are to be split, and are not.
static clv_result add_splits(slicing *c, clv_dart cell, needs *n) {
  clv_surgery *s = c->surgery;
  surgery_corners corners;
  if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
  if (!c->slice->exact || !slice_may_split(c, cell)) return CLV_OK;
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

// What is known of one of its cells.
static clv_result add_cell(slicing *c, clv_dart cell, needs *n) {
  surgery_corners corners;
  if (!c->slice->track) return CLV_OK;
  if (!surgery_cell_corners(c->surgery, cell, &corners)) return surgery_no_memory(c->surgery);
  n->passed = n->passed && !(slice_is_coarse(c, cell) && slice_is_crossed(c, &corners)); // it is refined first
  n->touched = n->touched && slice_touched(c, cell, &corners);
  n->width = fmax(n->width, slice_width(c, &corners));
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
    touched = touched || (c->slice->track ? track_is(track_at_vertex(c->slice->track, slot), TRACK_MET)
                                          : slice_reaches(c, pos + 3 * (size_t)slot));
  }
  clv_walk_end(&walk);
  double here[3], there[3];
  *met = touched;
  if (on) return CLV_OK;
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  needs n = {.passed = true, .touched = c->slice->track != NULL};
  if (!surgery_cell_centre(s, facet, pos, here) || !surgery_cell_centre(s, beyond, pos, there))
    return surgery_no_memory(s);
  clv_result result = add_cell(c, facet, &n);
  if (result == CLV_OK) result = add_cell(c, beyond, &n);
  add_need(c, here, there, slice_height(c, here), slice_height(c, there), &n);
  if (result == CLV_OK) result = add_splits(c, facet, &n);
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
  if (result == CLV_OK && c->slice->track) track_remember_parted(c->slice->track);
  return result == CLV_OK ? surgery_whole_facets(s) : result;
}

static clv_result part(slicing *c, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  clv_result result = slice_settle(c, report);
  if (result == CLV_OK) result = list_facets(c);
  if (result != CLV_OK || !s->facets.count) return result;
  result = surgery_begin(s);
  if (result == CLV_OK) result = surgery_end(s, surgery_unsew_facets(s), NULL);
  if (result != CLV_OK) return result;
  report->facets += s->did.facets;
  report->vertices += s->did.vertices;
  return CLV_OK;
}

// What was split gives way, whether or not it could be cut behind that.
static clv_result let_give_way(slicing *c, clv_result cut, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  const clv_error why = s->error;
  const clv_result result = slice_give_way(c, &report->strained);
  if (cut == CLV_OK) return result;
  s->error = why;
  return cut;
}

clv_result clv_surgery_slice(clv_surgery *s, const clv_slice *slice, clv_surgery_report *report) {
  clv_surgery_report did = {0};
  if (report) *report = did;
  const char *wrong = clv_slice_wrong(slice);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the slice makes no sense: %s", wrong);
  clv_slice seen = *slice;
  if (!slice->whole) seen.blade = surgery_blade_seen(s, &slice->blade, &slice->motion);
  slicing c = {.surgery = s, .slice = &seen, .slack = 1e-9 * s->body->size};
  bool swept = false, cut = false;
  if (slice->whole) seen.track = NULL;
  if (seen.track) track_begin(seen.track, &slice->blade);
  const track_memory before = seen.track ? seen.track->memory : (track_memory){0};
  clv_result result = find_plane(&c, &swept);
  if (result == CLV_OK && swept) {
    result = refine_along(&c, &did);
    if (result == CLV_OK && slice->snap > 0) result = slice_snap(&c, &did);
    if (result == CLV_OK && slice->exact) result = slice_split(&c, &did);
    const bool pieces = result == CLV_OK && c.plans.count;
    if (result == CLV_OK) result = part(&c, &did);
    cut = result == CLV_OK;
    if (pieces) result = let_give_way(&c, result, &did);
  }
  if (result != CLV_OK && !cut && seen.track) seen.track->memory = before;
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
  if (report) *report = did;
  return surgery_stopped(s, result, &did);
}
