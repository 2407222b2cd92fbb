// Surgery by rules: those of the shipped module do what the operations of that name do, and what cannot be applied is
// told.

#include "support/patients.h"
#include "support/rules.h"

static clv_program *rules; // for cut_by_rule

static clv_program *surgery_rules(const char *param, const double *values, uint32_t count) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_use(program, "surgery"), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "blade_up", (double[]){1, 0, 0}, 3), CLV_OK);
  if (param) assert_int_equal(clv_program_set_param(program, param, values, count), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "nothing", (double[]){1}, 1), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_set_param(program, "toughness", (double[]){1, 2}, 2), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_set_param(program, "toughness", (double[]){NAN}, 1), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_check(program), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "toughness", (double[]){1}, 1), CLV_ERROR_ARGUMENT);
  return program;
}

static clv_surgery_report applied(clv_surgery *surgery, const clv_program *program, const char *rule, clv_orbit on,
                                  clv_zone zone) {
  const clv_apply apply = {.rule = rule_of(program, rule), .on = on, .zone = zone};
  clv_surgery_report report;
  if (clv_surgery_apply(surgery, &apply, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return report;
}

static void assert_same_shape(clv_body *a, clv_body *b) {
  clv_map_info one, two;
  assert_int_equal(clv_map_count(clv_body_map(a), &one), CLV_OK);
  assert_int_equal(clv_map_count(clv_body_map(b), &two), CLV_OK);
  assert_memory_equal(one.cells, two.cells, sizeof one.cells);
  assert_int_equal(one.components, two.components);
  assert_int_equal(one.boundary_facets, two.boundary_facets);
  operated_check(a);
  operated_check(b);
}

static void rules_cut_pierce_and_tear(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_HEX, CLV_GRID_TET6, CLV_GRID_MIXED, CLV_GRID_QUAD, CLV_GRID_TRI};
  const double middle[3] = {2.05, 0, 0}, twice = 1.2;
  clv_program *cutting = surgery_rules("blade_point", middle, 3), *tearing = surgery_rules("toughness", &twice, 1);
  for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const bool flat = is_flat(kinds[k]);
    clv_body *body[2] = {grid_body(kinds[k], 4, 2, 2), grid_body(kinds[k], 4, 2, 2)};
    clv_surgery *by_hand = operated_surgery(body[0]), *by_rule = operated_surgery(body[1]);
    const uint32_t facets = operated_cut_zone(by_hand, across(middle[0])).facets;
    assert_true(facets > 0);
    const clv_surgery_report cut = applied(by_rule, cutting, flat ? "cut_edge" : "cut", 0, clv_zone_all());
    assert_int_equal(cut.applied, facets);
    assert_true(cut.vertices > 0);
    assert_same_shape(body[0], body[1]);
    // A second time there is nothing left, and that is no failure.
    assert_int_equal(applied(by_rule, cutting, flat ? "cut_edge" : "cut", 0, clv_zone_all()).applied, 0);

    const clv_zone box = clv_zone_box((double[]){0, 0, 0}, (double[]){0.9, 0.9, flat ? 0 : 0.9});
    clv_surgery_report removed;
    assert_int_equal(clv_surgery_remove(by_hand, &box, &removed), CLV_OK);
    assert_int_equal(applied(by_rule, cutting, flat ? "pierce_face" : "pierce", CLV_CELL, box).applied,
                     removed.removed);
    assert_same_shape(body[0], body[1]);
    for (uint32_t b = 0; b < 2; b++) {
      clv_surgery_destroy(b ? by_rule : by_hand);
      clv_body_destroy(body[b]);
    }
  }
  // Two layers, pulled apart along x: what lies across gives way.
  for (uint32_t flat = 0; flat < 2; flat++) {
    clv_body *body[2];
    clv_surgery *surgery[2];
    for (uint32_t b = 0; b < 2; b++) {
      body[b] = grid_body(flat ? CLV_GRID_QUAD : CLV_GRID_HEX, 2, 3, 3);
      surgery[b] = operated_surgery(body[b]);
      for (uint32_t s = 0; s < clv_body_slots(body[b]); s++) clv_body_positions(body[b])[3 * (size_t)s] *= 1.3;
    }
    clv_tear tear = clv_default_tear();
    tear.kind = CLV_TEAR_STRAIN;
    tear.threshold = twice - 1;
    clv_surgery_report torn;
    if (clv_surgery_tear(surgery[0], &tear, &torn) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery[0]));
    assert_int_equal(torn.facets, flat ? 3 : 9);
    assert_int_equal(applied(surgery[1], tearing, flat ? "tear_edge" : "tear", 0, clv_zone_all()).applied, torn.facets);
    assert_same_shape(body[0], body[1]);
    for (uint32_t b = 0; b < 2; b++) {
      clv_surgery_destroy(surgery[b]);
      clv_body_destroy(body[b]);
    }
  }
  clv_program_destroy(cutting);
  clv_program_destroy(tearing);
}

static void wrong_rules_are_refused(void **unused) {
  (void)unused;
  clv_program *program = surgery_rules(NULL, NULL, 0);
  clv_program *odd_ones = program_of("script idle() { require 1 > 0; }\n"
                                     "script greedy(a, b, c, d, e, f, g, h, i) { require 1 > 0; }\n");
  clv_body *body = grid_body(CLV_GRID_HEX, 2, 1, 1);
  clv_surgery *surgery = operated_surgery(body);
  const uint64_t hash = clv_map_hash(clv_body_map(body));
  clv_apply apply = clv_default_apply();
  const struct {
    const char *rule, *says;
  } cases[] = {{NULL, "the rule cannot be applied: there is no rule"},
               {"sew3", "the rule cannot be applied: the rule has several hooks, and is given one place at a time"},
               {"idle", "the rule cannot be applied: the rule has no hook"},
               {"greedy", "the rule cannot be applied: the rule has more than 8 parameters"},
               {"pierce", "the rule cannot be applied: a script has to be told what it is applied to: vertices, edges, "
                          "faces or cells"}};
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const bool odd = cases[k].rule && clv_program_rule(odd_ones, cases[k].rule);
    apply.rule = cases[k].rule ? rule_of(odd ? odd_ones : program, cases[k].rule) : NULL;
    assert_int_equal(clv_surgery_apply(surgery, &apply, NULL), CLV_ERROR_ARGUMENT);
    assert_string_equal(clv_surgery_error(surgery), cases[k].says);
  }
  apply.rule = rule_of(program, "cut");
  apply.level = 31;
  assert_int_equal(clv_surgery_apply(surgery, &apply, NULL), CLV_ERROR_ARGUMENT);
  assert_string_equal(clv_surgery_error(surgery), "the rule cannot be applied: levels go up to 30");
  apply.level = 0;
  apply.on = 1u << 20;
  assert_int_equal(clv_surgery_apply(surgery, &apply, NULL), CLV_ERROR_ARGUMENT);
  assert_string_equal(clv_surgery_error(surgery),
                      "the rule cannot be applied: what it is applied to is no orbit of a map");
  apply.on = 0;
  // One that is given no place says so, one that matches nowhere says why.
  clv_surgery_report report;
  apply.zone = clv_zone_box((double[]){8, 8, 8}, (double[]){9, 9, 9});
  assert_int_equal(clv_surgery_apply(surgery, &apply, &report), CLV_OK);
  assert_string_equal(clv_surgery_error(surgery), "there is no place to apply the rule to");
  apply.zone = clv_zone_all();
  apply.rule = rule_of(program, "cut_edge");
  assert_int_equal(clv_surgery_apply(surgery, &apply, &report), CLV_OK);
  assert_int_equal(report.applied, 0);
  assert_true(strlen(clv_surgery_error(surgery)) > 10);
  assert_true(clv_map_hash(clv_body_map(body)) == hash);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  clv_program_destroy(odd_ones);
  clv_program_destroy(program);
}

static clv_result cut_by_rule(clv_surgery *surgery) {
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(rules, "cut");
  return clv_surgery_apply(surgery, &apply, NULL);
}

// A rule asks for memory at every place: some of them are tried.
static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  rules = surgery_rules("blade_point", (double[]){1.4, 0, 0}, 3);
  for (size_t n = 1; stands_refusal(cut_by_rule, n); n += 1 + n / 8) continue;
  clv_program_destroy(rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_cut_pierce_and_tear),
      cmocka_unit_test(wrong_rules_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
