#include "support/random_surgery.h"

#include "support/operated.h"
#include "support/rules.h"

#include <stdio.h>

enum { PROGRAMS = 4 };
static clv_program *programs[PROGRAMS]; // each with a blade of its own

void random_surgery_begin(void) {
  random_source random = {2014};
  for (uint32_t k = 0; k < PROGRAMS; k++) {
    double point[3], up[3], toughness = 1.005;
    for (uint32_t c = 0; c < 3; c++) point[c] = 0.1 + 0.01 * random_below(&random, 25);
    for (uint32_t c = 0; c < 3; c++) up[c] = (c == k % 3) + 0.01 * random_below(&random, 50);
    programs[k] = clv_program_create(NULL);
    assert_non_null(programs[k]);
    assert_int_equal(clv_program_use(programs[k], "surgery"), CLV_OK);
    assert_int_equal(clv_program_set_param(programs[k], "blade_point", point, 3), CLV_OK);
    assert_int_equal(clv_program_set_param(programs[k], "blade_up", up, 3), CLV_OK);
    assert_int_equal(clv_program_set_param(programs[k], "toughness", &toughness, 1), CLV_OK);
    assert_int_equal(clv_program_check(programs[k]), CLV_OK);
  }
}

void random_surgery_end(void) {
  for (uint32_t k = 0; k < PROGRAMS; k++) clv_program_destroy(programs[k]);
}

// Choosing

double patient_some(patient *p) {
  return (double)random_below(&p->random, 1u << 20) / (1u << 20);
}

static void some_point(patient *p, double *point) {
  for (uint32_t k = 0; k < 3; k++) point[k] = p->size[k] * patient_some(p);
}

static bool chance(patient *p, uint32_t percent) {
  return random_chance(&p->random, percent);
}

clv_dart patient_cell(patient *p) {
  const clv_map *map = clv_body_map(p->body);
  uint32_t at = operated_cells(p->body);
  if (!at) return CLV_NO_DART;
  at = random_below(&p->random, at);
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id))
    if (at-- == 0) return clv_id_dart(map, CLV_CELL, id);
  return CLV_NO_DART;
}

static uint32_t some_cells(patient *p, clv_dart *cells, uint32_t most) {
  uint32_t count = 0;
  for (uint32_t k = 1 + random_below(&p->random, most); k > 0; k--)
    if ((cells[count] = patient_cell(p))) count++;
  return count;
}

// A facet between two cells, or of the border, if a few tries meet one.
static clv_dart some_facet(patient *p, bool border) {
  const clv_map *map = clv_body_map(p->body);
  for (uint32_t tries = 0; tries < 12; tries++) {
    clv_dart dart = patient_cell(p);
    for (uint32_t k = random_below(&p->random, 12); dart && k > 0; k--)
      dart = clv_alpha(map, dart, random_below(&p->random, map->dimension));
    if (dart && clv_is_free(map, dart, map->dimension) == border) return dart;
  }
  return CLV_NO_DART;
}

// Where a cell's centre rests, a little beside it.
static bool some_centre(patient *p, double *point) {
  const clv_map *map = clv_body_map(p->body);
  const clv_dart cell = patient_cell(p);
  clv_walk walk;
  if (!cell) return false;
  assert_int_equal(clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, cell), CLV_OK);
  for (uint32_t c = 0; c < 3; c++) point[c] = 0;
  for (uint32_t k = 0; k < walk.count; k++)
    for (uint32_t c = 0; c < 3; c++)
      point[c] += clv_body_rest(p->body)[3 * (size_t)clv_id_of(map, CLV_VERTEX, walk.darts[k]).index + c];
  for (uint32_t c = 0; c < 3; c++) point[c] = point[c] / walk.count + 0.02 * p->size[c] * (patient_some(p) - 0.5);
  clv_walk_end(&walk);
  return true;
}

// Now and then everything, else a ball about a cell, of up to so many times the body's width.
static clv_zone some_zone(patient *p, double radius) {
  double point[3];
  if (chance(p, 20) || !some_centre(p, point)) return clv_zone_all();
  return clv_zone_sphere(point, radius * p->size[1] * patient_some(p));
}

// A direction, mostly across the longest side.
static void some_normal(patient *p, double *normal) {
  for (uint32_t k = 0; k < 3; k++) normal[k] = p->size[2] < 0.02 && k == 2 ? 0 : patient_some(p) - 0.5;
  normal[0] += 1;
}

// Cutting

static clv_result cut_facets(patient *p, clv_surgery_report *report) {
  clv_dart facets[6];
  uint32_t count = 0;
  for (uint32_t k = 1 + random_below(&p->random, 6); k > 0; k--)
    if ((facets[count] = some_facet(p, chance(p, 5)))) count++;
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_FACETS, .facets = facets, .count = count}, report);
}

static clv_result cut_particles(patient *p, clv_surgery_report *report) {
  const clv_map *map = clv_body_map(p->body);
  clv_id ids[24];
  uint32_t count = 0;
  clv_walk walk;
  const clv_dart facet = some_facet(p, false);
  if (!facet) return CLV_OK;
  assert_int_equal(clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, facet), CLV_OK);
  for (uint32_t k = 0; k < walk.count && count < 24; k++) ids[count++] = clv_id_of(map, CLV_VERTEX, walk.darts[k]);
  clv_walk_end(&walk);
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_PARTICLES, .particles = ids, .count = count}, report);
}

static clv_result cut_plane(patient *p, clv_surgery_report *report) {
  double point[3], normal[3];
  if (!some_centre(p, point)) some_point(p, point);
  some_normal(p, normal);
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = clv_zone_plane(point, normal)}, report);
}

static clv_result cut_zone(patient *p, clv_surgery_report *report) {
  double point[3];
  if (!some_centre(p, point)) some_point(p, point);
  const double a = (0.2 + 0.3 * patient_some(p)) * p->size[1];
  const clv_zone box = clv_zone_box((double[]){point[0] - a, point[1] - a, point[2] - a},
                                    (double[]){point[0] + a, point[1] + a, point[2] + a});
  const clv_zone zone = chance(p, 50) ? clv_zone_sphere(point, a) : box;
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = zone}, report);
}

// A sheet of two triangles, or one quadrangle, through the body.
static clv_result cut_surface(patient *p, clv_surgery_report *report) {
  double point[3];
  clv_mesh sheet;
  clv_mesh_init(&sheet, NULL);
  if (!some_centre(p, point)) some_point(p, point);
  const double slope = p->size[0] * (patient_some(p) - 0.5), low = point[1] - p->size[1] * (0.2 + patient_some(p));
  for (uint32_t k = 0; k < 4; k++) {
    const double up = k == 1 || k == 2 ? 1 : -1;
    clv_mesh_add_point(&sheet, point[0] + up * slope, k < 2 ? low : point[1] + p->size[1], point[2] + up);
  }
  const uint32_t corners[] = {0, 1, 2, 0, 2, 3}, whole[] = {0, 1, 2, 3};
  if (chance(p, 50)) {
    for (uint32_t k = 0; k < 2; k++)
      assert_int_equal(clv_mesh_add_element(&sheet, CLV_TRI, corners + 3 * (size_t)k, 3, 0), CLV_OK);
  } else {
    assert_int_equal(clv_mesh_add_element(&sheet, CLV_QUAD, whole, 4, 0), CLV_OK);
  }
  const clv_result result = clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_SURFACE, .surface = &sheet}, report);
  clv_mesh_free(&sheet);
  return result;
}

// A blade that goes straight down, or along the body, where a cell rests.
static clv_blade some_blade(patient *p) {
  double point[3];
  clv_blade b = {{{0}}, {{0}}};
  if (!some_centre(p, point)) some_point(p, point);
  const double lean = p->size[0] * 0.3 * (patient_some(p) - 0.5), width = p->size[1] * (0.3 + patient_some(p));
  for (uint32_t k = 0; k < 2; k++) {
    const double side = k ? width : -width;
    memcpy(b.before[k], (double[]){point[0] - lean, point[1] + side, point[2] + p->size[2] + 0.05}, sizeof point);
    memcpy(b.after[k], (double[]){point[0] + lean, point[1] + side, point[2] - p->size[2] - 0.05}, sizeof point);
  }
  return b;
}

static clv_result cut_blade(patient *p, clv_surgery_report *report) {
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_BLADE, .blade = some_blade(p)}, report);
}

// Removing

static clv_result remove_cells(patient *p, clv_surgery_report *report) {
  clv_dart cells[3];
  const uint32_t count = some_cells(p, cells, 3);
  return clv_surgery_remove_cells(p->surgery, cells, count, report);
}

static clv_result remove_zone(patient *p, clv_surgery_report *report) {
  double point[3];
  some_point(p, point);
  clv_zone zone = clv_zone_nearest(point);
  if (chance(p, 50) && some_centre(p, point)) zone = clv_zone_sphere(point, 0.1 * p->size[1]);
  return clv_surgery_remove(p->surgery, &zone, report);
}

static clv_result pierce(patient *p, clv_surgery_report *report) {
  double from[3], to[3];
  if (!some_centre(p, from)) return CLV_OK;
  some_point(p, to);
  const clv_zone rod = clv_zone_capsule(from, to, 0.01 * p->size[1]), ball = clv_zone_sphere(from, 0.03 * p->size[1]);
  return clv_surgery_pierce(p->surgery, chance(p, 10) ? &rod : &ball, report);
}

static clv_result pierce_along(patient *p, clv_surgery_report *report) {
  double at[3];
  if (!some_centre(p, at)) return CLV_OK;
  const clv_zone ball = clv_zone_sphere(at, 0.02 * p->size[1]);
  const double up = p->size[2] + 0.05;
  return clv_surgery_pierce_along(p->surgery, &ball, (double[]){0, 0, up}, (double[]){0, 0, -0.2 * up}, report);
}

// Tearing

static double worst_stretch(const patient *p) {
  const clv_map *map = clv_body_map(p->body);
  double worst = 0;
  clv_cell_state state;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    clv_body_cell_state(p->body, clv_id_dart(map, CLV_CELL, id), &state);
    worst = fmax(worst, state.stretch[1] - 1);
  }
  return worst;
}

static double worst_stress(const patient *p) {
  const clv_map *map = clv_body_map(p->body);
  double worst = 0;
  clv_cell_state state;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    clv_body_cell_state(p->body, clv_id_dart(map, CLV_CELL, id), &state);
    worst = fmax(worst, state.von_mises);
  }
  return worst;
}

static clv_result tear_at(patient *p, clv_tear_kind kind, double threshold, clv_surgery_report *report) {
  clv_tear tear = clv_default_tear();
  if (!(threshold > 0)) return CLV_OK;
  tear.kind = kind;
  tear.threshold = threshold;
  tear.most = random_below(&p->random, 5);
  tear.zone = some_zone(p, 2);
  tear.masked = chance(p, 20);
  tear.mask = some_zone(p, 3);
  return clv_surgery_tear(p->surgery, &tear, report);
}

static clv_result tear_stress(patient *p, clv_surgery_report *report) {
  return tear_at(p, CLV_TEAR_STRESS, (0.1 + 0.7 * patient_some(p)) * worst_stress(p), report);
}

static clv_result tear_strain(patient *p, clv_surgery_report *report) {
  return tear_at(p, CLV_TEAR_STRAIN, (0.2 + 0.7 * patient_some(p)) * worst_stretch(p), report);
}

// By a force that many springs of a stretched body have reached.
static clv_result tear_force(patient *p, clv_surgery_report *report) {
  if (!clv_column_find(clv_body_map(p->body), "ks")) return CLV_OK;
  return tear_at(p, CLV_TEAR_FORCE, 1e-3 + 0.5 * patient_some(p), report);
}

// Refining

static bool is_refinable(const patient *p, clv_dart cell) {
  const clv_kind shape = clv_cell_shape(clv_body_map(p->body), cell);
  return shape == CLV_TRI || shape == CLV_QUAD || shape == CLV_TET || shape == CLV_HEX;
}

static bool is_large(const patient *p) {
  return operated_cells(p->body) > PATIENT_ENOUGH;
}

static bool is_fine_enough(const patient *p) {
  return p->plain || is_large(p);
}

// Whether all cells may be refined; where some cannot, what is refined by zones would be refused.
static bool refines(const patient *p) {
  const clv_map *map = clv_body_map(p->body);
  return !p->plain && clv_cell_count(map, CLV_PRISM) + clv_cell_count(map, CLV_PYRAMID) == 0;
}

static clv_result refine_cells(patient *p, clv_surgery_report *report) {
  clv_dart cells[3];
  uint32_t count = 0;
  if (is_fine_enough(p)) return CLV_OK;
  for (uint32_t k = 1 + random_below(&p->random, 3); k > 0; k--)
    if ((cells[count] = patient_cell(p)) && is_refinable(p, cells[count])) count++;
  return clv_surgery_refine_cells(p->surgery, cells, count, 1 + random_below(&p->random, 3), report);
}

static clv_result refine_zone(patient *p, clv_surgery_report *report) {
  double point[3];
  if (!refines(p) || is_fine_enough(p) || !some_centre(p, point)) return CLV_OK;
  const clv_zone zone = clv_zone_sphere(point, 0.3 * p->size[1] * patient_some(p));
  return clv_surgery_refine(p->surgery, &zone, 1 + random_below(&p->random, 2), report);
}

static clv_result coarsen(patient *p, clv_surgery_report *report) {
  const clv_zone zone = some_zone(p, 2);
  return clv_surgery_coarsen(p->surgery, &zone, random_below(&p->random, 2), report);
}

static clv_result adapt_with(patient *p, clv_adapt_kind kind, double bound, clv_surgery_report *report) {
  clv_adapt adapt = clv_default_adapt();
  if (!refines(p) || !(bound > 0)) return CLV_OK;
  adapt.kind = kind;
  adapt.bound = bound;
  if (!some_centre(p, adapt.point)) some_point(p, adapt.point);
  adapt.zone = kind == CLV_ADAPT_ZONE ? clv_zone_sphere(adapt.point, bound) : some_zone(p, 3);
  adapt.level = 1 + random_below(&p->random, 2);
  adapt.most = is_fine_enough(p) ? 1 : 1 + random_below(&p->random, 6);
  return clv_surgery_adapt(p->surgery, &adapt, report);
}

static clv_result adapt_near(patient *p, clv_surgery_report *report) {
  return adapt_with(p, CLV_ADAPT_NEAR, 0.4 * p->size[1] * patient_some(p), report);
}

static clv_result adapt_stress(patient *p, clv_surgery_report *report) {
  return adapt_with(p, CLV_ADAPT_STRESS, (0.3 + patient_some(p)) * worst_stress(p), report);
}

static clv_result adapt_gradient(patient *p, clv_surgery_report *report) {
  return adapt_with(p, CLV_ADAPT_GRADIENT, 0.01 + 2 * patient_some(p) * worst_stretch(p) / p->size[1], report);
}

static clv_result adapt_zone(patient *p, clv_surgery_report *report) {
  return adapt_with(p, CLV_ADAPT_ZONE, 0.3 * p->size[1] * patient_some(p), report);
}

// Slicing

static clv_slice some_slice(patient *p) {
  clv_slice slice = clv_default_slice();
  slice.level = refines(p) && !is_fine_enough(p) && chance(p, 30);
  slice.exact = chance(p, 50);
  slice.quality = chance(p, 50) ? 0.1 : 0.2;
  slice.snap = chance(p, 70) ? 0.3 : 0;
  return slice;
}

static clv_result slice_plane(patient *p, clv_surgery_report *report) {
  clv_slice slice = some_slice(p);
  slice.whole = true;
  if (!some_centre(p, slice.point)) some_point(p, slice.point);
  some_normal(p, slice.normal);
  return clv_surgery_slice(p->surgery, &slice, report);
}

static clv_result slice_blade(patient *p, clv_surgery_report *report) {
  clv_slice slice = some_slice(p);
  slice.blade = some_blade(p);
  return clv_surgery_slice(p->surgery, &slice, report);
}

// The scalpel goes from one corner of the surface to the next, and on from where it was now and then.
static clv_result scalpel(patient *p, clv_surgery_report *report) {
  const clv_map *map = clv_body_map(p->body);
  const clv_dart from = some_facet(p, true);
  double ends[2][3];
  clv_result result = CLV_OK;
  if (!from) return CLV_OK;
  for (uint32_t e = 0; e < 2; e++) {
    const clv_id id = clv_id_of(map, CLV_VERTEX, e ? clv_alpha(map, from, 0) : from);
    memcpy(ends[e], clv_body_positions(p->body) + 3 * (size_t)id.index, sizeof ends[e]);
  }
  if (chance(p, 60)) clv_scalpel_lift(p->scalpel);
  for (uint32_t k = 0; result == CLV_OK && k < 4; k++) {
    clv_scalpel_report did;
    double tip[3];
    for (uint32_t c = 0; c < 3; c++) tip[c] = ends[0][c] + (0.1 + 0.25 * k) * (ends[1][c] - ends[0][c]);
    result = clv_scalpel_move(p->scalpel, tip, &did);
    report->facets += did.did.facets;
    report->vertices += did.did.vertices;
    report->moved += did.did.moved;
  }
  if (chance(p, 70)) clv_scalpel_lift(p->scalpel);
  return result;
}

// Rules

static clv_result apply(patient *p, const char *rule, clv_orbit on, uint32_t level, clv_zone zone,
                        clv_surgery_report *report) {
  const clv_program *program = programs[random_below(&p->random, PROGRAMS)];
  const clv_apply apply = {.rule = rule_of(program, rule), .on = on, .level = level, .zone = zone};
  return clv_surgery_apply(p->surgery, &apply, report);
}

static bool is_solid(const patient *p) {
  return clv_body_map(p->body)->dimension == 3;
}

static clv_result rule_cut(patient *p, clv_surgery_report *report) {
  return apply(p, is_solid(p) ? "cut" : "cut_edge", 0, 0, some_zone(p, 2), report);
}

static clv_result rule_tear(patient *p, clv_surgery_report *report) {
  return apply(p, is_solid(p) ? "tear" : "tear_edge", 0, 0, some_zone(p, 0.3), report);
}

static clv_result rule_pierce(patient *p, clv_surgery_report *report) {
  double point[3];
  if (!some_centre(p, point)) return CLV_OK;
  return apply(p, is_solid(p) ? "pierce" : "pierce_face", CLV_CELL, 0, clv_zone_nearest(point), report);
}

// Whether all cells have the shape of one of them, which has rules of its own.
static bool is_alike(const patient *p, clv_dart cell) {
  const clv_map *map = clv_body_map(p->body);
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id))
    if (clv_cell_shape(map, clv_id_dart(map, CLV_CELL, id)) != clv_cell_shape(map, cell)) return false;
  return true;
}

// At the level of some cell.
static clv_result rule_refine(patient *p, clv_surgery_report *report) {
  static const char *const rules[] = {
      [CLV_TRI] = "refine_face", [CLV_QUAD] = "refine_quad", [CLV_TET] = "refine_tet_short", [CLV_HEX] = "refine_hex"};
  const clv_dart cell = patient_cell(p);
  double point[3];
  if (!cell || is_fine_enough(p) || !is_refinable(p, cell) || !is_alike(p, cell) || !some_centre(p, point))
    return CLV_OK;
  const uint32_t level = clv_surgery_level(p->surgery, cell);
  if (level > 1) return CLV_OK;
  return apply(p, rules[clv_cell_shape(clv_body_map(p->body), cell)], CLV_CELL, level,
               clv_zone_sphere(point, 0.3 * p->size[1] * patient_some(p)), report);
}

static clv_result rule_coarsen(patient *p, clv_surgery_report *report) {
  static const char *const rules[] = {
      [CLV_TRI] = "coarsen_face", [CLV_QUAD] = "coarsen_quad", [CLV_TET] = "coarsen_tet", [CLV_HEX] = "coarsen_hex"};
  const clv_dart cell = patient_cell(p);
  if (!cell || !is_refinable(p, cell) || !is_alike(p, cell)) return CLV_OK;
  const uint32_t level = clv_surgery_level(p->surgery, cell);
  if (!level) return CLV_OK;
  return apply(p, rules[clv_cell_shape(clv_body_map(p->body), cell)], CLV_CELL, level - 1, some_zone(p, 2), report);
}

// The rules are for simplices, and refuse those that are refined, or beside refined ones.
static bool can_bisect(const patient *p) {
  const clv_map *map = clv_body_map(p->body);
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id))
    if (clv_cell_shape(map, clv_id_dart(map, CLV_CELL, id)) != (is_solid(p) ? CLV_TET : CLV_TRI)) return false;
  return true;
}

static clv_result rule_bisect(patient *p, clv_surgery_report *report) {
  double point[3];
  if (is_large(p) || !can_bisect(p) || !some_centre(p, point)) return CLV_OK;
  return apply(p, is_solid(p) ? "bisect_edge_tets" : "bisect_edge", CLV_EDGE, 0, clv_zone_nearest(point), report);
}

const random_surgery random_surgeries[] = {
    {"cut facets", cut_facets, EFFECT_PARTS, 20},
    {"cut by particles", cut_particles, EFFECT_PARTS, 10},
    {"cut by a plane", cut_plane, EFFECT_PARTS, 4},
    {"cut by a zone", cut_zone, EFFECT_PARTS, 8},
    {"cut by a surface", cut_surface, EFFECT_PARTS, 6},
    {"cut by a blade", cut_blade, EFFECT_PARTS, 6},
    {"remove cells", remove_cells, EFFECT_REMOVES, 8},
    {"remove a zone", remove_zone, EFFECT_REMOVES, 6},
    {"pierce", pierce, EFFECT_REMOVES, 5},
    {"pierce along", pierce_along, EFFECT_REMOVES, 4},
    {"tear by stress", tear_stress, EFFECT_PARTS, 6},
    {"tear by strain", tear_strain, EFFECT_PARTS, 6},
    {"tear by force", tear_force, EFFECT_PARTS, 10},
    {"refine cells", refine_cells, EFFECT_RENEWS, 16},
    {"refine a zone", refine_zone, EFFECT_RENEWS, 8},
    {"coarsen", coarsen, EFFECT_RENEWS, 12},
    {"adapt near a point", adapt_near, EFFECT_RENEWS, 6},
    {"adapt by stress", adapt_stress, EFFECT_RENEWS, 6},
    {"adapt by strain's gradient", adapt_gradient, EFFECT_RENEWS, 6},
    {"adapt in a zone", adapt_zone, EFFECT_RENEWS, 6},
    {"slice by a plane", slice_plane, EFFECT_RENEWS, 4},
    {"slice by a blade", slice_blade, EFFECT_RENEWS, 6},
    {"scalpel", scalpel, EFFECT_RENEWS, 12},
    {"rule: cut", rule_cut, EFFECT_PARTS, 6},
    {"rule: tear", rule_tear, EFFECT_PARTS, 5},
    {"rule: pierce", rule_pierce, EFFECT_REMOVES, 5},
    {"rule: refine", rule_refine, EFFECT_RENEWS, 14},
    {"rule: coarsen", rule_coarsen, EFFECT_RENEWS, 18},
    {"rule: bisect", rule_bisect, EFFECT_RENEWS, 45},
};
const uint32_t random_surgery_count = sizeof random_surgeries / sizeof *random_surgeries;
