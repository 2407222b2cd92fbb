// Equilibria: statics against motion that comes to rest.

#include "support/beam.h"

#include <math.h>
#include <stdlib.h>

// Statics

static beam cantilever(const char *model, clv_grid_kind kind) {
  beam b = beam_default();
  b.model = model;
  b.kind = kind;
  b.cells[0] = 6;
  b.size[0] = 0.6;
  b.gravity[2] = -2;
  return b;
}

static double weight_of(clv_body *body) {
  clv_momenta momenta;
  double g[3];
  clv_body_momenta(body, &momenta);
  clv_body_get_gravity(body, g);
  return momenta.mass * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

// What is out of balance on free axes, over the weight.
static double imbalance(clv_body *body, double time) {
  const uint32_t slots = clv_body_slots(body), *held = clv_body_held(body);
  const double *masses = clv_body_masses(body);
  double *f = malloc(3 * slots * sizeof *f), sum = 0;
  assert_non_null(f);
  assert_int_equal(clv_body_force(body, time, f), CLV_OK);
  for (uint32_t k = 0; k < 3 * slots; k++)
    if (masses[k / 3] > 0 && !(held[k / 3] >> k % 3 & 1u)) sum += f[k] * f[k];
  free(f);
  return sqrt(sum) / weight_of(body);
}

static double sag(clv_body *body) {
  const double *x = clv_body_positions(body), *rest = clv_body_rest(body), *masses = clv_body_masses(body);
  double most = 0;
  for (uint32_t s = 0; s < clv_body_slots(body); s++)
    if (masses[s] > 0) most = fmax(most, rest[3 * s + 2] - x[3 * s + 2]);
  return most;
}

static const struct {
  const char *model;
  clv_grid_kind kind;
} solids[] = {{"springs", CLV_GRID_HEX},
              {"springs-hybrid", CLV_GRID_HEX},
              {"fem-linear", CLV_GRID_TET5},
              {"fem-corotational", CLV_GRID_HEX},
              {"fem-corotational-qr", CLV_GRID_TET5},
              {"mass-tensor", CLV_GRID_TET5},
              {"stvk", CLV_GRID_HEX},
              {"neo-hookean", CLV_GRID_TET5}};

static void statics_is_where_motion_comes_to_rest(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < sizeof solids / sizeof *solids; k++) {
    const beam b = cantilever(solids[k].model, solids[k].kind);
    clv_body *still = beam_create(&b), *moving = beam_create(&b);
    beam_clamp(still);
    beam_clamp(moving);
    const clv_solver_def statics = beam_method(CLV_STATIC), motion = beam_method(CLV_IMPLICIT_NEWTON);
    clv_solver *first = beam_solver(still, &statics), *second = beam_solver(moving, &motion);
    clv_step_report report;
    if (clv_solver_step(first, 0, 0.01, &report) != CLV_OK)
      fail_msg("%s: %s", solids[k].model, clv_solver_error(first));
    if (imbalance(still, 0.01) > 1e-7) fail_msg("%s: %.1e is out of balance", solids[k].model, imbalance(still, 0.01));
    for (uint32_t step = 0; step < 8; step++) beam_step(second, 10 * step, 10); // coarse steps damp by themselves
    print_message("%-20s sag %.6f %.6f, %u iterations, %u rejected\n", solids[k].model, sag(still), sag(moving),
                  report.newton_iterations, report.rejected);
    assert_true(sag(still) > 1e-3);
    if (fabs(sag(still) - sag(moving)) > 1e-5 * sag(still))
      fail_msg("%s: sags by %.8f, and by %.8f", solids[k].model, sag(still), sag(moving));
    for (uint32_t n = 0; n < 3 * clv_body_slots(still); n++) assert_true(clv_body_velocities(still)[n] == 0);
    clv_solver_destroy(first);
    clv_solver_destroy(second);
    clv_body_destroy(still);
    clv_body_destroy(moving);
  }
}

static void equilibrium_is_found_from_equilibrium(void **unused) {
  (void)unused;
  const beam b = cantilever("fem-corotational", CLV_GRID_HEX);
  clv_body *body = beam_create(&b);
  beam_clamp(body);
  static const clv_key pull[] = {{0, {0, 0, 0}}, {1, {0.5, 0, 0}}};
  const clv_zone end = beam_end(0.6, 1);
  assert_int_equal(clv_body_pull(body, &end, pull, 2, NULL), CLV_OK);
  const clv_solver_def def = beam_method(CLV_STATIC);
  clv_solver *solver = beam_solver(body, &def);
  for (uint32_t k = 0; k < 20; k++) { // the last ones change nothing
    beam_step(solver, 0.1 * k, 0.1);
    assert_true(imbalance(body, 0.1 * (k + 1)) < 1e-7);
  }
  clv_solver_destroy(solver);
  clv_body_destroy(body);
}

static void a_heavy_load_is_released_in_parts(void **unused) {
  (void)unused;
  beam b = cantilever("fem-corotational", CLV_GRID_HEX);
  b.gravity[2] = -14;
  clv_body *body = beam_create(&b);
  beam_clamp(body);
  clv_solver_def def = beam_method(CLV_STATIC);
  def.newton_iterations = 10; // too few at once
  clv_solver *solver = beam_solver(body, &def);
  clv_step_report report;
  if (clv_solver_step(solver, 0, 1, &report) != CLV_OK) fail_msg("%s", clv_solver_error(solver));
  print_message("sag %.3f of 0.6, %u rejected, %u iterations\n", sag(body), report.rejected, report.newton_iterations);
  assert_true(report.rejected > 0 && sag(body) > 0.3);
  assert_true(imbalance(body, 1) < 1e-7);
  clv_solver_destroy(solver);
  clv_body_destroy(body);
}

static void refused_for(clv_solver *solver, const char *missing) {
  assert_int_equal(clv_solver_step(solver, 0, 0.1, NULL), CLV_ERROR_REFUSED);
  assert_non_null(strstr(clv_solver_error(solver), "nothing holds"));
  if (!strstr(clv_solver_error(solver), missing)) fail_msg("%s", clv_solver_error(solver));
}

static void refused(clv_solver *solver) {
  refused_for(solver, "): it has no equilibrium");
}

static void what_nothing_holds_has_no_equilibrium(void **unused) {
  (void)unused;
  const beam b = cantilever("fem-corotational", CLV_GRID_HEX);
  clv_body *body = beam_create(&b);
  const clv_solver_def def = beam_method(CLV_STATIC);
  clv_solver *solver = beam_solver(body, &def);
  const clv_zone corner = clv_zone_sphere((double[]){0, 0, 0}, 1e-6);
  const clv_zone edge = clv_zone_box((double[]){0, 0, 0}, (double[]){0, 0.1, 0});
  const clv_zone all = clv_zone_all();
  refused(solver);
  assert_int_equal(clv_body_fix(body, &corner, CLV_XYZ, NULL), CLV_OK);
  refused_for(solver, ") against turning: ");
  assert_int_equal(clv_body_fix(body, &edge, CLV_XYZ, NULL), CLV_OK);
  refused_for(solver, ") against turning: "); // like a door
  assert_int_equal(clv_body_fix(body, &all, CLV_Z, NULL), CLV_OK);
  beam_step(solver, 0, 0.1);
  assert_int_equal(clv_body_release(body, &all, CLV_XYZ, NULL), CLV_OK);
  refused(solver);
  assert_int_equal(clv_body_fix(body, &all, CLV_Z, NULL), CLV_OK);
  refused_for(solver, ") against shifting along x and y: ");
  assert_int_equal(clv_body_release(body, &all, CLV_XYZ, NULL), CLV_OK);
  beam_clamp(body);
  beam_step(solver, 0, 0.1);
  // A cut frees the far half.
  clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  clv_dart facet = CLV_NO_DART;
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    bool across = !clv_is_free(map, d, 3);
    clv_walk walk;
    assert_int_equal(clv_walk_incident(&walk, map, CLV_CELL_FACET(3), CLV_VERTEX, d), CLV_OK);
    for (uint32_t k = 0; k < walk.count; k++)
      across = across && fabs(rest[3 * clv_id_of(map, CLV_VERTEX, walk.darts[k]).index] - 0.3) < 1e-9;
    clv_walk_end(&walk);
    if (across) facet = d;
  }
  assert_true(facet != CLV_NO_DART);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_unsew(map, 3, facet), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  refused(solver);
  clv_solver_destroy(solver);
  clv_body_destroy(body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statics_is_where_motion_comes_to_rest),
      cmocka_unit_test(equilibrium_is_found_from_equilibrium),
      cmocka_unit_test(a_heavy_load_is_released_in_parts),
      cmocka_unit_test(what_nothing_holds_has_no_equilibrium),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
