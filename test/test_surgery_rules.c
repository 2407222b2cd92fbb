// Surgery by rules: those of the shipped module do what the operations of that name do, and what cannot be applied is
// told.

#include "support/ruled.h"

static clv_program *rules; // for cut_by_rule

static clv_program *surgery_rules(const char *name, const double *values, uint32_t count) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_use(program, "surgery"), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "blade_up", (double[]){1, 0, 0}, 3), CLV_OK);
  if (name) assert_int_equal(clv_program_set_param(program, name, values, count), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "nothing", (double[]){1}, 1), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_set_param(program, "toughness", (double[]){1, 2}, 2), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_set_param(program, "toughness", (double[]){NAN}, 1), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_check(program), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "toughness", (double[]){1}, 1), CLV_ERROR_ARGUMENT);
  return program;
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

// Refined, refined again in part, moved, put together: by rules as by hand, in either order.
static void rules_refine_and_coarsen(void **unused) {
  (void)unused;
  static const struct {
    clv_grid_kind kind;
    const char *refine, *coarsen;
  } cases[] = {{CLV_GRID_TET5, "refine_tet_short", "coarsen_tet"},
               {CLV_GRID_HEX, "refine_hex", "coarsen_hex"},
               {CLV_GRID_TRI, "refine_face", "coarsen_face"},
               {CLV_GRID_QUAD, "refine_quad", "coarsen_quad"}};
  clv_program *program = surgery_rules(NULL, NULL, 0);
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const bool flat = is_flat(cases[k].kind);
    const clv_zone all = clv_zone_all();
    const clv_zone half = clv_zone_box((double[]){-1, -1, -1}, (double[]){1.6, 3, 3});
    const clv_zone part = clv_zone_box((double[]){-1, -1, -1}, (double[]){0.6, 3, flat ? 3 : 1.2});
    pair p = pair_of(cases[k].kind);
    const double mass = operated_mass(p.body[0]);
    clv_surgery_report by_hand, by_rule;
    assert_int_equal(clv_surgery_refine(p.surgery[0], &half, 1, &by_hand), CLV_OK);
    by_rule = applied_at_level(p.surgery[1], program, cases[k].refine, 0, half);
    assert_int_equal(by_rule.refined, by_hand.refined);
    assert_int_equal(by_rule.split + by_rule.removed + by_rule.coarsened + by_rule.facets, 0);
    assert_same_bodies(&p, "refined");
    steps(&p);
    assert_same_bodies(&p, "refined and moved");
    // Rules find what an operation has refined, and the other way round.
    for (uint32_t b = 0; b < 2; b++) {
      const uint32_t hand = b, rule = 1 - b;
      if (b == 0) {
        assert_int_equal(clv_surgery_refine(p.surgery[hand], &part, 2, &by_hand), CLV_OK);
        by_rule = applied_at_level(p.surgery[rule], program, cases[k].refine, 1, part);
        assert_int_equal(by_rule.refined, by_hand.refined);
      } else {
        clv_momenta before, after;
        clv_body_momenta(p.body[rule], &before);
        assert_int_equal(clv_surgery_coarsen(p.surgery[hand], &all, 1, &by_hand), CLV_OK);
        by_rule = applied_at_level(p.surgery[rule], program, cases[k].coarsen, 1, all);
        assert_true(by_hand.coarsened > 0);
        assert_int_equal(by_rule.coarsened, by_hand.coarsened);
        assert_int_equal(by_rule.split + by_rule.removed + by_rule.refined + by_rule.facets, 0);
        clv_body_momenta(p.body[rule], &after);
        for (uint32_t i = 0; i < 3; i++) assert_true(fabs(before.linear[i] - after.linear[i]) < 1e-9 * mass);
      }
      assert_same_bodies(&p, b ? "coarsened" : "refined again");
      steps(&p);
      assert_same_bodies(&p, b ? "coarsened and moved" : "refined again and moved");
    }
    assert_int_equal(clv_surgery_coarsen(p.surgery[1], &all, 0, &by_hand), CLV_OK);
    by_rule = applied_at_level(p.surgery[0], program, cases[k].coarsen, 0, all);
    assert_int_equal(by_rule.coarsened, by_hand.coarsened);
    assert_same_bodies(&p, "put together");
    steps(&p);
    assert_same_bodies(&p, "put together and moved");
    assert_true(fabs(operated_mass(p.body[0]) - mass) < 1e-9 * mass);
    pair_free(&p);
  }
  clv_program_destroy(program);
}

// Among cells of three levels a rule parts and removes what the operation does, and reports as much.
static void rules_cut_and_pierce_refined_bodies(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_TET5, CLV_GRID_HEX, CLV_GRID_TRI, CLV_GRID_QUAD};
  const double point[3] = {1.25, 0.9, 0.4};
  clv_program *program = surgery_rules("blade_point", point, 3);
  for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (uint32_t way = 0; way < 3; way++) { // at the border of what is refined, through its middle, through centres
      const bool flat = is_flat(kinds[k]);
      pair p = way < 2 ? pair_of(kinds[k]) : pair_with(grid_body(kinds[k], 3, 2, 2), grid_body(kinds[k], 3, 2, 2));
      const clv_zone half = clv_zone_box((double[]){-1, -1, -1}, (double[]){way ? 3 : 1.6, way ? 1.1 : 3, 3});
      const clv_zone part = clv_zone_box((double[]){0.9, -1, -1}, (double[]){way ? 2.1 : 1.6, 1.1, 3});
      for (uint32_t b = 0; b < 2; b++) {
        assert_int_equal(clv_surgery_refine(p.surgery[b], &half, 1, NULL), CLV_OK);
        assert_int_equal(clv_surgery_refine(p.surgery[b], &part, 2, NULL), CLV_OK);
      }
      const clv_surgery_report by_hand = operated_cut_zone(p.surgery[0], clv_zone_plane(point, (double[]){1, 0, 0}));
      clv_surgery_report by_rule = applied(p.surgery[1], program, flat ? "cut_edge" : "cut", 0, clv_zone_all());
      assert_true(by_hand.facets > 0 && by_hand.vertices > 0);
      assert_int_equal(by_rule.facets, by_hand.facets);
      assert_int_equal(by_rule.vertices, by_hand.vertices);
      assert_int_equal(by_rule.removed + by_rule.split + by_rule.refined + by_rule.coarsened, 0);
      assert_same_shape(p.body[0], p.body[1]);
      clv_surgery_report removed;
      assert_int_equal(clv_surgery_remove(p.surgery[0], &part, &removed), CLV_OK);
      by_rule = applied(p.surgery[1], program, flat ? "pierce_face" : "pierce", CLV_CELL, part);
      assert_true(removed.removed > 0);
      assert_int_equal(by_rule.removed, removed.removed);
      assert_int_equal(by_rule.split + by_rule.refined + by_rule.coarsened, 0);
      assert_same_shape(p.body[0], p.body[1]);
      pair_free(&p);
    }
  clv_program_destroy(program);
}

static void wrong_rules_are_refused(void **unused) {
  (void)unused;
  clv_program *program = surgery_rules(NULL, NULL, 0);
  clv_program *odd_ones = program_of("script idle() { require 1 > 0; }\n"
                                     "script greedy(a, b, c, d, e, f, g, h, i) { require 1 > 0; }\n");
  clv_body *body = grid_body(CLV_GRID_HEX, 2, 1, 1);
  clv_surgery *surgery = operated_surgery(body);
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(program, "cut_edge");
  assert_int_equal(clv_surgery_prepare(surgery, &apply), CLV_OK); // its columns number faces
  const uint64_t hash = clv_map_hash(clv_body_map(body));
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
  assert_string_equal(clv_surgery_error(surgery), "it is for surfaces, and this body is a volume");
  apply.rule = rule_of(program, "cut"); // the blade is nowhere
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

// Refines with the n-th request of memory refused, on a body that has the columns already. False when it did not ask so
// often.
static bool refining_stands_refusal(size_t n) {
  counting_memory memory = {0};
  clv_body *body = counted_body(&memory);
  clv_surgery *surgery = operated_surgery(body);
  const clv_zone half = clv_zone_box((double[]){0, 0, 0}, (double[]){1, 2, 2});
  const clv_apply apply = {.rule = rule_of(rules, "refine_tet_short"), .on = CLV_CELL, .zone = half};
  assert_int_equal(clv_surgery_prepare(surgery, &apply), CLV_OK);
  const uint64_t hash = clv_map_hash(clv_body_map(body));
  memory.fail_at = memory.requests + n;
  memory.refused = false;
  clv_result result = clv_surgery_apply(surgery, &apply, NULL);
  const bool refused = memory.refused;
  memory.fail_at = 0;
  if (result == CLV_ERROR_MEMORY) {
    assert_true(clv_map_hash(clv_body_map(body)) == hash);
    result = clv_surgery_apply(surgery, &apply, NULL);
  }
  assert_int_equal(result, CLV_OK);
  assert_true(clv_map_hash(clv_body_map(body)) != hash);
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  assert_int_equal(memory.live_bytes, 0);
  return refused;
}

// A rule asks for memory at every place: some of them are tried.
static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  rules = surgery_rules("blade_point", (double[]){1.4, 0, 0}, 3);
  for (size_t n = 1; stands_refusal(cut_by_rule, n); n += 1 + n / 8) continue;
  for (size_t n = 1; refining_stands_refusal(n); n += 1 + n / 8) continue;
  clv_program_destroy(rules);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_cut_pierce_and_tear),           cmocka_unit_test(rules_refine_and_coarsen),
      cmocka_unit_test(rules_cut_and_pierce_refined_bodies), cmocka_unit_test(wrong_rules_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
