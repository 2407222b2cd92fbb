// Equilibria and vibrations: statics against motion that comes to rest, and frequencies against eigenvalues.

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

static void refused(clv_solver *solver) {
  assert_int_equal(clv_solver_step(solver, 0, 0.1, NULL), CLV_ERROR_REFUSED);
  assert_non_null(strstr(clv_solver_error(solver), "nothing holds"));
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
  refused(solver); // it can turn
  assert_int_equal(clv_body_fix(body, &edge, CLV_XYZ, NULL), CLV_OK);
  refused(solver); // like a door
  assert_int_equal(clv_body_fix(body, &all, CLV_Z, NULL), CLV_OK);
  beam_step(solver, 0, 0.1);
  assert_int_equal(clv_body_release(body, &all, CLV_XYZ, NULL), CLV_OK);
  refused(solver);
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

// Vibrations

typedef struct eigen {
  uint32_t count;
  double *matrix, *values;
} eigen;

// Jacobi's method: values on the diagonal, in no order.
static void diagonalise(eigen *e) {
  const uint32_t n = e->count;
  double *a = e->matrix;
  for (uint32_t sweep = 0; sweep < 30; sweep++) {
    double off = 0, on = 0;
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < n; j++) *(i == j ? &on : &off) += a[i * n + j] * a[i * n + j];
    if (off < 1e-24 * on) break;
    for (uint32_t p = 0; p < n; p++)
      for (uint32_t q = p + 1; q < n; q++) {
        if (a[p * n + q] == 0) continue;
        const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
        const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
        const double c = 1 / sqrt(t * t + 1), s = t * c;
        for (uint32_t k = 0; k < n; k++) {
          const double x = a[k * n + p], y = a[k * n + q];
          a[k * n + p] = c * x - s * y;
          a[k * n + q] = s * x + c * y;
        }
        for (uint32_t k = 0; k < n; k++) {
          const double x = a[p * n + k], y = a[q * n + k];
          a[p * n + k] = c * x - s * y;
          a[q * n + k] = s * x + c * y;
        }
      }
  }
  for (uint32_t k = 0; k < n; k++) e->values[k] = a[k * n + k];
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// The squared frequencies of a body that nothing holds, from its elements' matrices.
typedef struct assembly {
  uint32_t *number; // by slot
  const double *masses;
  eigen *system;
} assembly;

static void add_element(void *user, const clv_element *element) {
  const assembly *s = user;
  const uint32_t width = 3 * element->count;
  for (uint32_t i = 0; i < width; i++)
    for (uint32_t j = 0; j < width; j++) {
      const uint32_t a = element->vertices[i / 3], b = element->vertices[j / 3];
      s->system->matrix[(3 * s->number[a] + i % 3) * s->system->count + 3 * s->number[b] + j % 3] +=
          element->matrix[i * width + j] / sqrt(s->masses[a] * s->masses[b]);
    }
}

static eigen eigenvalues(clv_body *body) {
  const uint32_t slots = clv_body_slots(body);
  const double *masses = clv_body_masses(body);
  uint32_t *number = calloc(slots, sizeof *number), particles = 0;
  assert_non_null(number);
  for (uint32_t s = 0; s < slots; s++)
    if (masses[s] > 0) number[s] = particles++;
  assert_true(particles > 0);
  eigen e = {.count = 3 * particles};
  e.matrix = calloc((size_t)e.count * e.count + 1, sizeof *e.matrix);
  e.values = calloc(e.count + 1, sizeof *e.values);
  assert_true(e.matrix && e.values);
  assembly s = {number, masses, &e};
  assert_int_equal(clv_views_matrix(clv_body_views(body), CLV_STIFFNESS, add_element, &s), CLV_OK);
  diagonalise(&e);
  qsort(e.values, e.count, sizeof *e.values, ascending);
  free(number);
  return e;
}

// How strongly a record swings at a frequency; its ends are faded out.
static double power(const double *record, uint32_t count, double dt, double frequency) {
  double sine = 0, cosine = 0;
  for (uint32_t k = 0; k < count; k++) {
    const double fade = sin(3.14159265358979 * k / count);
    sine += fade * fade * record[k] * sin(frequency * dt * k);
    cosine += fade * fade * record[k] * cos(frequency * dt * k);
  }
  return sine * sine + cosine * cosine;
}

// The strongest frequency near one.
static double peak(const double *record, uint32_t count, double dt, double near) {
  double best = 0, strongest = -1, step = 2e-3 * near, low = 0.97 * near, high = 1.03 * near;
  for (uint32_t round = 0; round < 4; round++) {
    for (uint32_t k = 0; low + k * step <= high; k++) {
      const double f = low + k * step, here = power(record, count, dt, f);
      if (here > strongest) {
        strongest = here;
        best = f;
      }
    }
    low = best - step;
    high = best + step;
    step *= 0.1;
  }
  return best;
}

static void a_free_beam_rings_at_its_eigenvalues(void **unused) {
  (void)unused;
  static const clv_method methods[] = {CLV_RK4, CLV_NEWMARK};
  for (uint32_t m = 0; m < 2; m++) {
    beam b = beam_default();
    b.model = "fem-linear";
    b.cells[0] = 5;
    b.size[0] = 0.6;
    b.size[1] = 0.13;
    b.size[2] = 0.06;
    clv_body *body = beam_create(&b);
    eigen e = eigenvalues(body);
    for (uint32_t k = 0; k < 6; k++) assert_true(fabs(e.values[k]) < 1e-9 * e.values[e.count - 1]); // rigid
    double frequency[3];
    for (uint32_t k = 0; k < 3; k++) frequency[k] = sqrt(e.values[6 + k]);
    // Bends across both axes and stretches: displaced by shapes that no rigid motion is.
    const double *rest = clv_body_rest(body), *masses = clv_body_masses(body);
    double *x = clv_body_positions(body);
    uint32_t corner = 0;
    for (uint32_t s = 0; s < clv_body_slots(body); s++) {
      if (masses[s] == 0) continue;
      const double along = rest[3 * s] / 0.6, y = rest[3 * s + 1] - 0.065, z = rest[3 * s + 2] - 0.03;
      x[3 * s] += 1e-4 * cos(3.14159265358979 * along);
      x[3 * s + 1] += 1e-3 * along * along - 1e-2 * z * along * along;
      x[3 * s + 2] += 1e-3 * along * along + 1e-2 * y * along * along;
      if (rest[3 * s] == 0 && y < 0 && z < 0) corner = s;
    }
    assert_true(corner > 0);
    const clv_solver_def def = beam_method(methods[m]);
    clv_solver *solver = beam_solver(body, &def);
    const double dt = (methods[m] == CLV_RK4 ? 0.05 : 0.1) / frequency[2], periods = methods[m] == CLV_RK4 ? 120 : 80;
    const uint32_t count = (uint32_t)(periods * 6.2832 / frequency[0] / dt);
    double *record = malloc(count * sizeof *record), *other = malloc(count * sizeof *other);
    assert_true(record && other);
    const double x0 = x[3 * corner + 1], z0 = x[3 * corner + 2];
    for (uint32_t k = 0; k < count; k++) {
      record[k] = clv_body_positions(body)[3 * corner + 1] - x0;
      other[k] = clv_body_positions(body)[3 * corner + 2] - z0;
      beam_step(solver, dt * k, dt);
    }
    for (uint32_t k = 0; k < 3; k++) {
      const double in_y = peak(record, count, dt, frequency[k]), in_z = peak(other, count, dt, frequency[k]);
      const double found = power(record, count, dt, in_y) > power(other, count, dt, in_z) ? in_y : in_z;
      print_message("%s: frequency %u is %.5f, eigenvalue %.5f rad/s\n", clv_method_name(methods[m]), k + 1, found,
                    frequency[k]);
      assert_true(fabs(found - frequency[k]) < 2e-3 * frequency[k]);
    }
    free(record);
    free(other);
    free(e.matrix);
    free(e.values);
    clv_solver_destroy(solver);
    clv_body_destroy(body);
  }
}

static void average_acceleration_keeps_the_energy_of_linear_bodies(void **unused) {
  (void)unused;
  beam b = beam_default();
  b.model = "fem-linear";
  b.cells[0] = 4;
  b.size[0] = 0.4;
  clv_body *body = beam_create(&b);
  beam_clamp(body);
  beam_strike(body, 0.5);
  clv_solver_def def = beam_method(CLV_NEWMARK);
  def.tolerance = 1e-12;
  def.newton_tolerance = 1e-12;
  clv_solver *solver = beam_solver(body, &def);
  clv_energies before, after;
  // What is held has no velocity, once the first step is made.
  beam_step(solver, 0, 0.02);
  assert_int_equal(clv_body_energies(body, &before), CLV_OK);
  for (uint32_t k = 0; k < 200; k++) beam_step(solver, 0.02 * (k + 1), 0.02);
  assert_int_equal(clv_body_energies(body, &after), CLV_OK);
  const double first = before.kinetic + before.elastic, last = after.kinetic + after.elastic;
  assert_true(fabs(last - first) < 1e-9 * first);
  clv_solver_destroy(solver);
  clv_body_destroy(body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statics_is_where_motion_comes_to_rest),
      cmocka_unit_test(equilibrium_is_found_from_equilibrium),
      cmocka_unit_test(a_heavy_load_is_released_in_parts),
      cmocka_unit_test(what_nothing_holds_has_no_equilibrium),
      cmocka_unit_test(a_free_beam_rings_at_its_eigenvalues),
      cmocka_unit_test(average_acceleration_keeps_the_energy_of_linear_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
