// Vibrations: frequencies against the eigenvalues of the assembled system, energy that stays.

#include "support/beam.h"

#include <math.h>
#include <stdlib.h>

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
      cmocka_unit_test(a_free_beam_rings_at_its_eigenvalues),
      cmocka_unit_test(average_acceleration_keeps_the_energy_of_linear_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
