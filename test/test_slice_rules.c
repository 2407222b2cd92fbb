// Cutting through cells by rules, beside the operation: the same vertices, the same cells, the same facets, and the
// same motion after it.

#include "support/ruled.h"
#include "support/sliced.h"

#include <stdlib.h>

typedef struct setting {
  clv_grid_kind kind;
  const char *model;
  clv_method method;
} setting;

static const setting settings[] = {
    {CLV_GRID_TET5, "fem-corotational", CLV_IMPLICIT_EULER},  {CLV_GRID_TET6, "fem-linear", CLV_SYMPLECTIC_EULER},
    {CLV_GRID_TET6, "mass-tensor", CLV_IMPLICIT_EULER},       {CLV_GRID_TET5, "neo-hookean", CLV_SYMPLECTIC_EULER},
    {CLV_GRID_TRI, "fem-corotational", CLV_SYMPLECTIC_EULER}, {CLV_GRID_TRI, "fem-linear", CLV_IMPLICIT_EULER},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static const double point[3] = {1.43, 0.9, 0.7};

static clv_slice oblique(bool flat) {
  clv_slice slice = clv_default_slice();
  slice.whole = true;
  memcpy(slice.point, point, sizeof point);
  memcpy(slice.normal, (double[]){1, 0.4, flat ? 0 : -0.3}, sizeof slice.normal);
  return slice;
}

static clv_program *blade_rules(const clv_slice *slice) {
  param params[3] = {{"blade_point", {0}, 3}, {"blade_up", {0}, 3}, {"blade_quality", {slice->quality}, 1}};
  memcpy(params[0].values, slice->point, sizeof slice->point);
  memcpy(params[1].values, slice->normal, sizeof slice->normal);
  return program_with(params, 3);
}

static clv_surgery_report in_rounds(clv_surgery *surgery, const clv_program *program, const char *rule, clv_orbit on) {
  clv_apply apply = clv_default_apply();
  clv_surgery_report report;
  apply.rule = rule_of(program, rule);
  apply.on = on;
  apply.rounds = 100;
  if (clv_surgery_apply(surgery, &apply, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  if (!report.applied) fail_msg("%s: %s", rule, clv_surgery_error(surgery));
  return report;
}

static pair pair_for(const setting *s) {
  return pair_by(crooked_of(s->kind, s->model), crooked_of(s->kind, s->model), s->method);
}

static void assert_kept(const clv_body *body, const clv_momenta *before) {
  clv_momenta now;
  clv_body_momenta(body, &now);
  if (!(fabs(now.mass - before->mass) <= 1e-12 * before->mass))
    fail_msg("mass %.17g, before %.17g", now.mass, before->mass);
  for (uint32_t k = 0; k < 3; k++)
    if (!(fabs(now.linear[k] - before->linear[k]) <= 1e-12 * before->mass))
      fail_msg("momentum %.17g, before %.17g", now.linear[k], before->linear[k]);
}

static void rules_split_exactly(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < SETTINGS; k++) {
    const bool flat = is_flat(settings[k].kind);
    clv_slice slice = oblique(flat);
    slice.exact = true;
    slice.snap = slice.quality = 0;
    clv_program *program = blade_rules(&slice);
    pair p = pair_for(&settings[k]);
    clv_momenta before;
    clv_surgery_report split, cut;
    steps(&p);
    assert_same_bodies(&p, "moved");
    clv_body_momenta(p.body[1], &before);
    const clv_surgery_report by_hand = sliced(p.surgery[0], &slice);
    split = in_rounds(p.surgery[1], program, flat ? "split_crossed_face" : "split_crossed", CLV_EDGE);
    assert_kept(p.body[1], &before);
    cut = applied(p.surgery[1], program, flat ? "slice_edge" : "slice", 0, clv_zone_all());
    assert_kept(p.body[1], &before);
    assert_true(by_hand.split > 0 && by_hand.facets > 0 && !by_hand.refused);
    assert_int_equal(split.split, by_hand.split);
    assert_int_equal(split.facets + split.removed + split.refined + split.coarsened, 0);
    assert_int_equal(cut.facets, by_hand.facets);
    assert_int_equal(cut.vertices, by_hand.vertices);
    assert_same_bodies(&p, "split and parted");
    steps(&p);
    assert_same_bodies(&p, "split, parted and moved");
    pair_free(&p);
    clv_program_destroy(program);
  }
}

// Among cells that were refined, others that hang on them, and vertices that are held and moved.
static void rules_split_refined_and_held_cells(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < SETTINGS; k++) {
    const bool flat = is_flat(settings[k].kind);
    const clv_zone part = clv_zone_box((double[]){-1, -1, -1}, (double[]){1.6, 1.2, 3});
    const clv_zone low = clv_zone_box((double[]){-1, -1, -1}, (double[]){9, 0.15, 9});
    clv_slice slice = oblique(flat);
    slice.exact = true;
    slice.snap = slice.quality = 0;
    clv_program *program = blade_rules(&slice);
    pair p = pair_for(&settings[k]);
    for (uint32_t b = 0; b < 2; b++) {
      uint32_t held = 0;
      assert_int_equal(clv_surgery_refine(p.surgery[b], &part, 1, NULL), CLV_OK);
      assert_int_equal(clv_body_fix(p.body[b], &low, 3, &held), CLV_OK);
      assert_true(held > 0);
    }
    const clv_surgery_report by_hand = sliced(p.surgery[0], &slice);
    const clv_surgery_report split =
        in_rounds(p.surgery[1], program, flat ? "split_crossed_face" : "split_crossed", CLV_EDGE);
    applied(p.surgery[1], program, flat ? "slice_edge" : "slice", 0, clv_zone_all());
    assert_true(by_hand.split > 0 && by_hand.refused > 0);
    assert_int_equal(split.split + split.refined, by_hand.split); // finer ones count as refined
    assert_same_bodies(&p, "split and parted");
    steps(&p);
    assert_same_bodies(&p, "split, parted and moved");
    for (uint32_t b = 0; b < 2; b++) assert_int_equal(clv_surgery_refine(p.surgery[b], &part, 2, NULL), CLV_OK);
    assert_same_bodies(&p, "split and refined");
    pair_free(&p);
    clv_program_destroy(program);
  }
}

// No piece is worse than the bound, and what has an energy of its strain keeps it; springs, which have not, are split,
// too.
static void splitting_keeps_what_slices_keep(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 3, 2};
  static const char *const models[] = {"fem-corotational", "fem-linear", "springs"};
  for (uint32_t k = 0; k < 6; k++) {
    const bool flat = k % 2, springs = k / 2 == 2;
    clv_body *body = sliced_block(laws, flat ? CLV_GRID_TRI : CLV_GRID_TET5, models[k / 2], cells, 0.05);
    clv_surgery *surgery = operated_surgery(body);
    const clv_slice slice = oblique(flat);
    clv_program *program = blade_rules(&slice);
    operated_deform(body, 0.03);
    beam_strike(body, 0.1);
    sliced_state before = sliced_state_of(body);
    if (springs) before.elastic = 1e9;
    in_rounds(surgery, program, flat ? "split_crossed_face" : "split_crossed", CLV_EDGE);
    sliced_assert_kept(body, &before, slice.quality);
    assert_true(sliced_overlap(body, &slice) > 0); // something was refused
    clv_program_destroy(program);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Snapping

// Strained alike everywhere: no energy comes of vertices that move. Springs have one that depends on where they are.
static void strain_evenly(clv_body *body) {
  const double *rest = clv_body_rest(body);
  const bool flat = clv_body_map(body)->dimension == 2;
  for (size_t s = 0; s < clv_body_slots(body); s++) {
    const double x = rest[3 * s], y = rest[3 * s + 1], z = rest[3 * s + 2];
    double *to = clv_body_positions(body) + 3 * s;
    to[0] = 1.05 * x + 0.04 * y;
    to[1] = 0.98 * y + 0.02 * x;
    to[2] = flat ? z : 0.97 * z + 0.03 * x;
  }
}

// Blocks whose surface is flat, so that its vertices can move along it.
static clv_body *warped(clv_grid_kind kind, const char *model) {
  static const uint32_t cells[3] = {4, 3, 3};
  return sliced_block(laws, kind, model, cells, 0.08);
}

static void snap_by_rule(clv_surgery *surgery, const clv_program *program) {
  const bool flat = clv_body_map(clv_surgery_body(surgery))->dimension == 2;
  applied(surgery, program, "aim_at_blade", CLV_VERTEX, clv_zone_all());
  in_rounds(surgery, program, flat ? "snap_face" : "snap", CLV_VERTEX);
}

static uint32_t count_on_plane(clv_body *body, const clv_slice *slice) {
  const clv_map *map = clv_body_map(body);
  uint32_t count = 0;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *x = clv_body_positions(body) + 3 * (size_t)id.index;
    double height = 0;
    for (uint32_t k = 0; k < 3; k++) height += (x[k] - slice->point[k]) * slice->normal[k];
    count += fabs(height) < 1e-9;
  }
  return count;
}

// The same vertices move to the same places, with the same velocities, with finite elements and springs.
static void rules_snap(void **unused) {
  (void)unused;
  static const setting ways[] = {
      {CLV_GRID_TET5, "fem-corotational", CLV_IMPLICIT_EULER}, {CLV_GRID_TET6, "springs", CLV_IMPLICIT_EULER},
      {CLV_GRID_TET6, "fem-linear", CLV_SYMPLECTIC_EULER},     {CLV_GRID_TET5, "springs", CLV_SYMPLECTIC_EULER},
      {CLV_GRID_TRI, "fem-corotational", CLV_IMPLICIT_EULER},  {CLV_GRID_TRI, "springs", CLV_SYMPLECTIC_EULER}};
  for (uint32_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    const bool flat = is_flat(ways[k].kind);
    clv_slice slice = oblique(flat);
    clv_program *program = blade_rules(&slice);
    pair p = pair_by(warped(ways[k].kind, ways[k].model), warped(ways[k].kind, ways[k].model), ways[k].method);
    for (uint32_t b = 0; b < 2; b++)
      if (strcmp(ways[k].model, "springs") != 0) strain_evenly(p.body[b]);
    const sliced_state before = sliced_state_of(p.body[1]);
    const clv_surgery_report by_hand = sliced(p.surgery[0], &slice);
    snap_by_rule(p.surgery[1], program);
    sliced_assert_kept(p.body[1], &before, slice.quality);
    assert_true(by_hand.moved > (flat ? 0 : 3));
    assert_int_equal(count_on_plane(p.body[1], &slice), by_hand.moved);
    applied(p.surgery[1], program, flat ? "slice_edge" : "slice", 0, clv_zone_all());
    assert_same_bodies(&p, "snapped and parted");
    assert_same_velocities(&p, "snapped and parted");
    steps(&p);
    assert_same_bodies(&p, "snapped, parted and moved");
    pair_free(&p);
    clv_program_destroy(program);
  }
}

// What hangs and what others hang by stays where it is, and so does what would make a cell too bad.
static void snapping_keeps_what_slices_keep(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "springs"};
  for (uint32_t k = 0; k < 8; k++) {
    const bool flat = k % 2, refined = k / 4;
    clv_slice slice = oblique(flat);
    slice.quality = refined ? 0.1 : 0.3;
    clv_program *program = blade_rules(&slice);
    clv_body *body = warped(flat ? CLV_GRID_TRI : CLV_GRID_TET5, models[k / 2 % 2]);
    clv_surgery *surgery = operated_surgery(body);
    const clv_zone part = clv_zone_box((double[]){-1, -1, -1}, (double[]){1.6, 0.6, 0.6});
    beam_strike(body, 0.1);
    if (refined) assert_int_equal(clv_surgery_refine(surgery, &part, 1, NULL), CLV_OK);
    clv_momenta before;
    const double quality = refined ? 0 : sliced_quality(body);
    clv_body_momenta(body, &before);
    snap_by_rule(surgery, program);
    operated_check(body);
    assert_kept(body, &before);
    if (!refined) assert_true(sliced_quality(body) >= fmin(quality, slice.quality) - 1e-12);
    if (!flat && !count_on_plane(body, &slice)) fail_msg("none moves, case %u", k);
    clv_program_destroy(program);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

static void what_is_held_is_not_snapped(void **unused) {
  (void)unused;
  for (uint32_t flat = 0; flat < 2; flat++) {
    const clv_slice slice = oblique(flat);
    clv_program *program = blade_rules(&slice);
    clv_body *body = warped(flat ? CLV_GRID_TRI : CLV_GRID_TET5, "fem-corotational");
    clv_surgery *surgery = operated_surgery(body);
    const clv_zone all = clv_zone_all();
    assert_int_equal(clv_body_fix(body, &all, 1, NULL), CLV_OK);
    snap_by_rule(surgery, program);
    assert_int_equal(count_on_plane(body, &slice), 0);
    clv_program_destroy(program);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// The scalpel

// A touch of the surface of a block, near a vertex of it: where it is now.
static void touched_place(bool flat, double x, double y, double *to) {
  to[0] = 1.05 * x + 0.04 * y;
  to[1] = 0.98 * y + 0.02 * x;
  to[2] = flat ? 0 : 0.97 * 2 + 0.03 * x;
}

// Where the nearest vertex is.
static void go_to_vertex(clv_body *body, double *place) {
  const clv_map *map = clv_body_map(body);
  double least = INFINITY, nearest[3] = {0};
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *x = clv_body_positions(body) + 3 * (size_t)id.index;
    const double away = fabs(x[0] - place[0]) + fabs(x[1] - place[1]) + fabs(x[2] - place[2]);
    if (away < least) memcpy(nearest, x, sizeof nearest);
    least = fmin(least, away);
  }
  memcpy(place, nearest, sizeof nearest);
}

// How many facets part.
static uint32_t press_by_rule(clv_surgery *surgery, const double *place, double toughness) {
  const bool flat = clv_body_map(clv_surgery_body(surgery))->dimension == 2;
  const param params[] = {{"tool_point", {place[0], place[1], place[2]}, 3},
                          {"scalpel_toughness", {toughness}, 1},
                          {"scalpel_sharpness", {0.001}, 1}};
  clv_program *program = program_with(params, 3);
  clv_apply apply = clv_default_apply();
  clv_surgery_report report;
  apply.rule = rule_of(program, flat ? "press_face" : "press");
  apply.on = CLV_VERTEX;
  if (clv_surgery_apply(surgery, &apply, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  if (report.applied != 1) fail_msg("%u vertices are touched: %s", report.applied, clv_surgery_error(surgery));
  clv_program_destroy(program);
  return report.facets;
}

// Pressed along a line with a corner in it: the same facets part, and the same vertices move to the same places.
// Springs are pressed at their vertices, since energy comes of it where these move.
static void rules_press_a_scalpel(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 4, 2};
  static const double line[][2] = {{1, 1}, {1, 2}, {2, 2}, {3, 2}};
  static const setting ways[] = {
      {CLV_GRID_TET5, "fem-corotational", CLV_IMPLICIT_EULER}, {CLV_GRID_TET6, "springs", CLV_IMPLICIT_EULER},
      {CLV_GRID_TET6, "fem-linear", CLV_SYMPLECTIC_EULER},     {CLV_GRID_TET5, "springs", CLV_SYMPLECTIC_EULER},
      {CLV_GRID_HEX, "springs", CLV_IMPLICIT_EULER},           {CLV_GRID_TRI, "fem-corotational", CLV_IMPLICIT_EULER},
      {CLV_GRID_TRI, "springs", CLV_SYMPLECTIC_EULER}};
  for (uint32_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    const bool flat = is_flat(ways[k].kind), springs = !strcmp(ways[k].model, "springs");
    const double aside = springs ? 0 : 0.07;
    pair p = pair_by(sliced_block(laws, ways[k].kind, ways[k].model, cells, 0.08),
                     sliced_block(laws, ways[k].kind, ways[k].model, cells, 0.08), ways[k].method);
    clv_scalpel_def def = clv_default_scalpel_def();
    clv_error error = {0};
    def.radius = 0.1;
    def.stiffness = 0;
    def.toughness = 1;
    clv_scalpel *scalpel = clv_scalpel_create(p.surgery[0], &def, &error);
    assert_non_null(scalpel);
    for (uint32_t b = 0; b < 2; b++) strain_evenly(p.body[b]);
    clv_momenta before;
    clv_body_momenta(p.body[1], &before);
    uint32_t facets = 0, moved = 0;
    for (uint32_t t = 0; t < 4; t++) {
      double place[3];
      clv_scalpel_report felt;
      touched_place(flat, line[t][0] + aside, line[t][1] - 0.6 * aside, place);
      if (springs) go_to_vertex(p.body[0], place);
      assert_int_equal(clv_scalpel_move(scalpel, place, &felt), CLV_OK);
      assert_int_equal(press_by_rule(p.surgery[1], place, 1), felt.did.facets);
      assert_true(felt.touching && felt.cut == (t > 0));
      facets += felt.did.facets;
      moved += felt.did.moved;
      assert_same_facets(&p, "pressed");
      assert_same_bodies(&p, "pressed");
      assert_same_velocities(&p, "pressed");
      assert_kept(p.body[1], &before);
    }
    assert_true(facets > 2 && (springs || moved >= 3));
    clv_scalpel_destroy(scalpel);
    steps(&p);
    assert_same_bodies(&p, "pressed and moved");
    pair_free(&p);
  }
}

// Tissue that is too tough, and a point that is too far from the vertex, leave all as it was.
static void what_does_not_yield_is_not_cut(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 4, 2};
  for (uint32_t k = 0; k < 4; k++) {
    const bool flat = k % 2, far = k / 2;
    clv_body *body = sliced_block(laws, flat ? CLV_GRID_TRI : CLV_GRID_TET5, "fem-corotational", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    clv_map_info before, after;
    strain_evenly(body);
    assert_int_equal(clv_map_count(clv_body_map(body), &before), CLV_OK);
    for (uint32_t t = 0; t < 2; t++) {
      double place[3];
      touched_place(flat, 1 + (far ? 0.45 : 0.1), 1 + t, place);
      assert_int_equal(press_by_rule(surgery, place, far ? 1 : 1e12), 0);
    }
    assert_int_equal(clv_map_count(clv_body_map(body), &after), CLV_OK);
    assert_int_equal(before.boundary_facets, after.boundary_facets);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Refused memory

static const clv_program *asked; // for split_as_asked

static clv_result split_as_asked(clv_surgery *surgery) {
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(asked, "split_crossed");
  apply.on = CLV_EDGE;
  apply.rounds = 100;
  return clv_surgery_apply(surgery, &apply, NULL);
}

// A rule asks for memory at every place: some of them are tried.
static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  const clv_slice slice = oblique(false);
  clv_program *program = blade_rules(&slice);
  asked = program;
  for (size_t n = 1; stands_refusal(split_as_asked, n); n += 1 + n / 4) continue;
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rules_split_exactly),
                                     cmocka_unit_test(rules_split_refined_and_held_cells),
                                     cmocka_unit_test(splitting_keeps_what_slices_keep),
                                     cmocka_unit_test(rules_snap),
                                     cmocka_unit_test(snapping_keeps_what_slices_keep),
                                     cmocka_unit_test(what_is_held_is_not_snapped),
                                     cmocka_unit_test(rules_press_a_scalpel),
                                     cmocka_unit_test(what_does_not_yield_is_not_cut),
                                     cmocka_unit_test(memory_may_run_out_anywhere)};
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
