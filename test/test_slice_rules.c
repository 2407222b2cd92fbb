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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rules_split_exactly),
                                     cmocka_unit_test(rules_split_refined_and_held_cells),
                                     cmocka_unit_test(splitting_keeps_what_slices_keep)};
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
