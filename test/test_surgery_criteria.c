// Rules that ask what cells bear and where they are: adapting, slicing, tearing by stress, incising. They do what the
// operations do.

#include "support/ruled.h"

static const clv_grid_kind every_kind[] = {CLV_GRID_TET5, CLV_GRID_HEX,  CLV_GRID_MIXED,
                                           CLV_GRID_TRI,  CLV_GRID_QUAD, CLV_GRID_MIXED2};
enum { KINDS = sizeof every_kind / sizeof *every_kind };

static clv_surgery_report applied_if_any(clv_surgery *surgery, const clv_program *program, const char *rule,
                                         uint32_t level) {
  const clv_apply apply = {.rule = rule_of(program, rule), .on = CLV_CELL, .level = level, .zone = clv_zone_all()};
  clv_surgery_report report;
  if (clv_surgery_apply(surgery, &apply, &report) != CLV_OK) fail_msg("%s: %s", rule, clv_surgery_error(surgery));
  return report;
}

// Adapting

// What cells wish, in the second body; the first had an operation that did as much.
static void grant_wishes(const pair *p, const clv_program *program, const clv_surgery_report *by_hand,
                         const char *wish) {
  const bool flat = clv_body_map(p->body[0])->dimension == 2;
  const clv_surgery_report coarse =
      applied_if_any(p->surgery[1], program, flat ? "coarsen_wished_face" : "coarsen_wished", 0);
  const clv_surgery_report fine =
      applied_if_any(p->surgery[1], program, flat ? "refine_wished_face" : "refine_wished", 0);
  if (fine.refined != by_hand->refined || coarse.coarsened != by_hand->coarsened)
    fail_msg("%s: %u cells refined and %u coarsened, by the operation %u and %u", wish, fine.refined, coarse.coarsened,
             by_hand->refined, by_hand->coarsened);
  assert_int_equal(coarse.refined + coarse.removed + coarse.split + coarse.facets, 0);
  assert_int_equal(fine.coarsened + fine.removed + fine.split + fine.facets, 0);
}

// By hand and by rule; how many cells became fine, and how many were put together.
static clv_surgery_report adapt_pair(pair *p, const clv_adapt *adapt, const clv_program *program, const char *wish) {
  clv_surgery_report by_hand;
  if (clv_surgery_adapt(p->surgery[0], adapt, &by_hand) != CLV_OK) fail_msg("%s", clv_surgery_error(p->surgery[0]));
  assert_true(applied_if_any(p->surgery[1], program, wish, 0).applied > 0);
  grant_wishes(p, program, &by_hand, wish);
  return by_hand;
}

static pair moving_pair(clv_grid_kind kind, const char *model, clv_method method) {
  pair p = pair_by(model_body(kind, model), model_body(kind, model), method);
  for (uint32_t b = 0; b < 2; b++) beam_strike(p.body[b], 0.05);
  return p;
}

// A tool passes: fine about it, coarse behind it.
static void rules_adapt_near_a_tool(void **unused) {
  (void)unused;
  static const char *const models[] = {"springs", "fem-corotational"};
  clv_program *programs[5];
  double points[5][3];
  for (uint32_t k = 0; k < 5; k++) {
    memcpy(points[k], (double[]){0.3 + 0.9 * k, 0.9, 0.4}, sizeof points[k]);
    param params[MOST_PARAMS] = {{"tool_point", {points[k][0], points[k][1], points[k][2]}, 3},
                                 {"tool_reach", {1.1}, 1}};
    programs[k] = program_with(params, MOST_PARAMS);
  }
  for (uint32_t kind = 0; kind < KINDS; kind++)
    for (uint32_t way = 0; way < 4; way++) {
      const bool springs = way % 2 == 0, explicit = way / 2 == 0;
      if (every_kind[kind] == CLV_GRID_MIXED && springs) continue; // tried as finite elements
      pair p = moving_pair(every_kind[kind], models[way % 2], explicit ? CLV_SYMPLECTIC_EULER : CLV_IMPLICIT_EULER);
      clv_surgery_report sum = {0};
      for (uint32_t k = 0; k < 5; k++) {
        clv_adapt adapt = clv_default_adapt();
        adapt.bound = 1.1;
        memcpy(adapt.point, points[k], sizeof adapt.point);
        const clv_surgery_report did =
            adapt_pair(&p, &adapt, programs[k], is_flat(every_kind[kind]) ? "wish_near_face" : "wish_near");
        sum.refined += did.refined;
        sum.coarsened += did.coarsened;
        assert_same_bodies(&p, "adapted");
        for (uint32_t step = 0; step < 3; step++)
          for (uint32_t b = 0; b < 2; b++) beam_step(p.solver[b], 0, explicit ? 1e-4 : 0.01);
        assert_same_bodies(&p, "adapted and moved");
      }
      assert_true(sum.refined > 0 && sum.coarsened > 0);
      pair_free(&p);
    }
  for (uint32_t k = 0; k < 5; k++) clv_program_destroy(programs[k]);
}

static void lie_at_rest(clv_body *body) {
  memcpy(clv_body_positions(body), clv_body_rest(body), 3 * (size_t)clv_body_slots(body) * sizeof(double));
}

// Fine where a body bears much, or bears unevenly; coarse when it lies at rest.
static void rules_adapt_to_what_cells_bear(void **unused) {
  (void)unused;
  static const struct {
    clv_adapt_kind kind;
    const char *solid, *flat, *param;
    double bounds[4];
  } criteria[] = {{CLV_ADAPT_STRESS, "wish_stress", "wish_stress", "adapt_stress", {1e4, 3e4, 1e5, 3e5}},
                  {CLV_ADAPT_GRADIENT, "wish_gradient", "wish_gradient_face", "adapt_slope", {0.1, 0.3, 0.6, 1}}};
  for (uint32_t c = 0; c < 2; c++) {
    uint32_t some = 0;
    for (uint32_t k = 0; k < 4 * KINDS * PAIR_WAYS; k++) {
      const clv_grid_kind kind = every_kind[k / 4 % KINDS];
      const double bound = criteria[c].bounds[k % 4];
      if (!pair_may_be(kind, k / (4 * KINDS))) continue;
      const param params[MOST_PARAMS] = {{criteria[c].param, {bound}, 1}};
      clv_program *program = program_with(params, MOST_PARAMS);
      const char *wish = is_flat(kind) ? criteria[c].flat : criteria[c].solid;
      pair p = pair_in(kind, k / (4 * KINDS));
      const uint32_t cells = operated_cells(p.body[0]);
      clv_adapt adapt = clv_default_adapt();
      adapt.kind = criteria[c].kind;
      adapt.bound = bound;
      for (uint32_t b = 0; b < 2; b++) operated_deform(p.body[b], 0.1);
      const uint32_t refined = adapt_pair(&p, &adapt, program, wish).refined;
      some += refined > 0 && refined < cells;
      assert_same_bodies(&p, "adapted");
      for (uint32_t b = 0; b < 2; b++) lie_at_rest(p.body[b]);
      assert_int_equal(adapt_pair(&p, &adapt, program, wish).coarsened, refined);
      assert_same_bodies(&p, "at rest again");
      assert_int_equal(operated_cells(p.body[1]), cells);
      pair_free(&p);
      clv_program_destroy(program);
    }
    if (some < 6) fail_msg("%s tells cells apart in %u bodies only", criteria[c].solid, some);
  }
}

// A region: coarse all over, fine in it.
static void rules_adapt_to_a_region(void **unused) {
  (void)unused;
  clv_program *program = program_with(NULL, 0);
  const clv_zone zones[] = {clv_zone_box((double[]){-1, -1, -1}, (double[]){1.6, 3, 3}),
                            clv_zone_box((double[]){0.9, -1, -1}, (double[]){3, 1.2, 3})};
  for (uint32_t k = 0; k < KINDS; k++) {
    pair p = pair_of(every_kind[k]);
    for (uint32_t z = 0; z < 2; z++) {
      clv_adapt adapt = clv_default_adapt();
      adapt.kind = CLV_ADAPT_ZONE;
      adapt.zone = zones[z];
      clv_surgery_report by_hand;
      assert_int_equal(clv_surgery_adapt(p.surgery[0], &adapt, &by_hand), CLV_OK);
      applied(p.surgery[1], program, "wish_coarse", CLV_CELL, clv_zone_all());
      applied(p.surgery[1], program, "wish_fine", CLV_CELL, zones[z]);
      assert_true(by_hand.refined > 0);
      grant_wishes(&p, program, &by_hand, "a region");
      assert_same_bodies(&p, "adapted");
      steps(&p);
      assert_same_bodies(&p, "adapted and moved");
    }
    pair_free(&p);
  }
  clv_program_destroy(program);
}

// Slicing

static void rules_slice(void **unused) {
  (void)unused;
  const double point[3] = {1.52, 0.9, 0.8}, normal[3] = {1, 0.15, -0.3};
  const param params[MOST_PARAMS] = {{"blade_point", {point[0], point[1], point[2]}, 3},
                                     {"blade_up", {normal[0], normal[1], normal[2]}, 3}};
  clv_program *program = program_with(params, MOST_PARAMS);
  for (uint32_t k = 0; k < KINDS * PAIR_WAYS; k++)
    for (uint32_t level = 0; level < (k < KINDS ? 3 : 2); level++) {
      const clv_grid_kind kind = every_kind[k % KINDS];
      const bool flat = is_flat(kind);
      if (!pair_may_be(kind, k / KINDS)) continue;
      pair p = pair_in(kind, k / KINDS);
      steps(&p);
      clv_slice slice = clv_default_slice();
      slice.whole = true;
      memcpy(slice.point, point, sizeof point);
      memcpy(slice.normal, normal, sizeof normal);
      slice.level = level;
      slice.snap = 0;
      clv_surgery_report by_hand;
      if (clv_surgery_slice(p.surgery[0], &slice, &by_hand) != CLV_OK) fail_msg("%s", clv_surgery_error(p.surgery[0]));
      uint32_t refined = 0;
      for (uint32_t at = 0; at < level; at++)
        refined += applied_if_any(p.surgery[1], program, flat ? "refine_crossed_face" : "refine_crossed", at).refined;
      const clv_surgery_report cut = applied(p.surgery[1], program, flat ? "slice_edge" : "slice", 0, clv_zone_all());
      assert_int_equal(refined, by_hand.refined);
      assert_true(!level || refined > 0);
      assert_true(cut.facets > 0);
      assert_int_equal(cut.facets, by_hand.facets);
      assert_int_equal(cut.vertices, by_hand.vertices);
      assert_true(operated_components(p.body[1]) >= 2);
      assert_same_bodies(&p, "sliced");
      steps(&p);
      assert_same_bodies(&p, "sliced and moved");
      pair_free(&p);
    }
  clv_program_destroy(program);
}

// Tearing

static void rules_tear_by_stress(void **unused) {
  (void)unused;
  const double strengths[2] = {2e3, 1e4};
  for (uint32_t s = 0; s < 2; s++) {
    const param params[MOST_PARAMS] = {{"tear_strength", {strengths[s]}, 1}};
    clv_program *program = program_with(params, MOST_PARAMS);
    uint32_t torn = 0;
    for (uint32_t k = 0; k < KINDS * PAIR_WAYS; k++) {
      const clv_grid_kind kind = every_kind[k % KINDS];
      const bool flat = is_flat(kind);
      if (!pair_may_be(kind, k / KINDS)) continue;
      pair p = pair_in(kind, k / KINDS);
      for (uint32_t b = 0; b < 2; b++) operated_deform(p.body[b], 0.1);
      clv_tear tear = clv_default_tear();
      tear.threshold = strengths[s];
      clv_surgery_report by_hand;
      if (clv_surgery_tear(p.surgery[0], &tear, &by_hand) != CLV_OK) fail_msg("%s", clv_surgery_error(p.surgery[0]));
      const clv_surgery_report by_rule =
          applied(p.surgery[1], program, flat ? "tear_edge_stress" : "tear_stress", 0, clv_zone_all());
      assert_int_equal(by_rule.facets, by_hand.facets);
      assert_int_equal(by_rule.vertices, by_hand.vertices);
      assert_same_facets(&p, "torn");
      for (uint32_t b = 0; b < 2; b++) lie_at_rest(p.body[b]);
      steps(&p);
      assert_same_bodies(&p, "torn and moved");
      torn += by_hand.facets > 0;
      pair_free(&p);
    }
    if (torn < 10) fail_msg("only %u bodies tear at %g Pa", torn, strengths[s]);
    clv_program_destroy(program);
  }
}

// Incising

// The traction of a stress without yz and zx, by the formula for two dimensions.
static double traction_of(const double *stress, double sharpness) {
  const double middle = 0.5 * (stress[0] + stress[1]), radius = hypot(0.5 * (stress[0] - stress[1]), stress[3]);
  const double greatest = fmax(middle + radius, stress[2]), least = fmin(middle - radius, stress[2]);
  return fmin(greatest, 0.5 * (greatest - least)) / sharpness;
}

// Stretched and sheared alike everywhere: the facets of the plane within reach part where the tissue is less tough.
static void rules_incise_what_yields(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < 2 * KINDS; k++) {
    const clv_grid_kind kind = every_kind[k % KINDS];
    const bool flat = is_flat(kind);
    uint32_t facets[3] = {0};
    if (!pair_may_be(kind, k / KINDS)) continue;
    for (uint32_t way = 0; way < 3; way++) { // too tough; within reach; wherever it yields
      clv_body *body = model_body(kind, k < KINDS ? "fem-corotational" : "springs");
      clv_surgery *surgery = operated_surgery(body);
      const double *rest = clv_body_rest(body);
      for (size_t s = 0; s < clv_body_slots(body); s++) {
        clv_body_positions(body)[3 * s] = 1.2 * rest[3 * s] + 0.1 * rest[3 * s + 1];
        clv_body_positions(body)[3 * s + 1] = 0.95 * rest[3 * s + 1];
      }
      clv_cell_state state;
      clv_body_cell_state(body, clv_dart_next(clv_body_map(body), 0), &state);
      assert_true(fabs(state.stress[4]) + fabs(state.stress[5]) < 1e-6 * state.von_mises);
      const double traction = traction_of(state.stress, 0.001);
      assert_true(traction > 0);
      const param params[] = {
          {"blade_point", {2.5, 0, 0}, 3},   {"blade_up", {1, 0, 0}, 3},
          {"tool_point", {2.5, 0, 0}, 3},    {"tool_reach", {way == 2 ? 9 : 1.1}, 1},
          {"scalpel_sharpness", {0.001}, 1}, {"scalpel_toughness", {traction * (way ? 1 - 1e-6 : 1 + 1e-6)}, 1}};
      clv_program *program = program_with(params, 6);
      facets[way] = applied(surgery, program, flat ? "incise_edge" : "incise", 0, clv_zone_all()).facets;
      if (way == 2)
        assert_int_equal(applied(surgery, program, flat ? "slice_edge" : "slice", 0, clv_zone_all()).facets, 0);
      operated_check(body);
      clv_program_destroy(program);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
    assert_int_equal(facets[0], 0);
    assert_true(facets[1] > 0);
    assert_true(facets[2] > facets[1]);
  }
}

// Refused memory

static clv_program *asked;

static clv_result apply_asked(clv_surgery *surgery, const char *rule, clv_orbit on) {
  const clv_apply apply = {.rule = rule_of(asked, rule), .on = on, .zone = clv_zone_all()};
  return clv_surgery_apply(surgery, &apply, NULL);
}

static clv_result tear_as_asked(clv_surgery *surgery) {
  operated_deform(clv_surgery_body(surgery), 0.1);
  return apply_asked(surgery, "tear_stress", 0);
}

static clv_result slice_as_asked(clv_surgery *surgery) {
  return apply_asked(surgery, "slice", 0);
}

// Wishes, and then what comes of them, with the n-th request refused. False when they did not ask so often.
static bool adapting_stands_refusal(size_t n) {
  counting_memory memory = {0};
  clv_body *body = counted_body(&memory);
  clv_surgery *surgery = operated_surgery(body);
  assert_int_equal(apply_asked(surgery, "wish_near", CLV_CELL), CLV_OK);
  const clv_apply refine = {.rule = rule_of(asked, "refine_wished"), .on = CLV_CELL, .zone = clv_zone_all()};
  assert_int_equal(clv_surgery_prepare(surgery, &refine), CLV_OK);
  const uint64_t hash = clv_map_hash(clv_body_map(body));
  memory.fail_at = memory.requests + n;
  memory.refused = false;
  clv_result result = apply_asked(surgery, "wish_near", CLV_CELL);
  if (result == CLV_OK) result = apply_asked(surgery, "refine_wished", CLV_CELL);
  const bool refused = memory.refused;
  memory.fail_at = 0;
  if (result == CLV_ERROR_MEMORY) {
    assert_true(refused);
    assert_true(clv_map_hash(clv_body_map(body)) == hash);
    result = apply_asked(surgery, "refine_wished", CLV_CELL);
  }
  assert_int_equal(result, CLV_OK);
  assert_true(clv_map_hash(clv_body_map(body)) != hash);
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  assert_int_equal(memory.live_bytes, 0);
  return refused;
}

// One rule that puts families together at some places and refines at others, in one transaction.
static void rules_may_refine_and_coarsen_at_once(void **unused) {
  (void)unused;
  clv_program *program = clv_program_create(NULL);
  static const char text[] =
      "use surgery;\n"
      "script both(c,k) { try { coarsen_wished(c,k); } else { refine_wished(c,k); } }\n"
      "script both_faces(c,k) { try { coarsen_wished_face(c,k); } else { refine_wished_face(c,k); } }\n";
  assert_int_equal(clv_program_add(program, "both.rule", text, sizeof text - 1), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  for (uint32_t k = 0; k < KINDS; k++) {
    clv_body *body = crooked_of(every_kind[k], "fem-corotational");
    clv_surgery *surgery = operated_surgery(body);
    beam_strike(body, 0.1);
    clv_momenta before, after;
    clv_body_momenta(body, &before);
    clv_surgery_report report = {0};
    for (uint32_t turn = 0; turn < 4; turn++) { // one half is fine, then the other
      const double from = turn % 2 ? 1.5 : -1, to = turn % 2 ? 4 : 1.5;
      applied(surgery, program, "wish_coarse", CLV_CELL, clv_zone_all());
      applied(surgery, program, "wish_fine", CLV_CELL, clv_zone_box((double[]){from, -1, -1}, (double[]){to, 3, 3}));
      report = applied_if_any(surgery, program, is_flat(every_kind[k]) ? "both_faces" : "both", 0);
      assert_true(report.refined > 0 && (report.coarsened > 0 || !turn));
      operated_check(body);
    }
    clv_body_momenta(body, &after);
    assert_true(fabs(after.mass - before.mass) < 1e-12 * before.mass);
    for (uint32_t i = 0; i < 3; i++) assert_true(fabs(after.linear[i] - before.linear[i]) < 1e-9 * before.mass);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  clv_program_destroy(program);
}

static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  const param params[] = {{"tear_strength", {3e3}, 1},
                          {"blade_point", {1.4, 0, 0}, 3},
                          {"blade_up", {1, 0, 0}, 3},
                          {"tool_point", {0, 0, 0}, 3},
                          {"tool_reach", {1.2}, 1}};
  asked = program_with(params, 5);
  for (size_t n = 1; stands_refusal(tear_as_asked, n); n += 1 + n / 6) continue;
  for (size_t n = 1; stands_refusal(slice_as_asked, n); n += 1 + n / 6) continue;
  for (size_t n = 1; adapting_stands_refusal(n); n += 1 + n / 6) continue;
  clv_program_destroy(asked);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_adapt_near_a_tool),
      cmocka_unit_test(rules_adapt_to_what_cells_bear),
      cmocka_unit_test(rules_adapt_to_a_region),
      cmocka_unit_test(rules_slice),
      cmocka_unit_test(rules_tear_by_stress),
      cmocka_unit_test(rules_incise_what_yields),
      cmocka_unit_test(rules_may_refine_and_coarsen_at_once),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
