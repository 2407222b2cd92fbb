// Linear systems: the three solvers against a dense one, for every model and kind of cell; preconditioners, threads,
// cuts, systems that are not positive, and memory that runs out.

#include "solve/linear.h"

#include "solve/cholesky.h"
#include "solve/conjugate.h"
#include "solve/matrix.h"
#include "solve/quick.h"
#include "support/counting_allocator.h"
#include "support/systems.h"

#include <math.h>
#include <stdio.h>

static const char *const models[] = {
    "springs", "springs-hybrid", "fem-linear", "fem-corotational", "fem-corotational-qr", "mass-tensor",
    "stvk",    "neo-hookean",    "cloth"};
enum { MODELS = sizeof models / sizeof *models };

static bool serves(const char *model, clv_grid_kind kind) {
  if (!strcmp(model, "mass-tensor")) return kind == CLV_GRID_TET5 || kind == CLV_GRID_TET6;
  if (!strcmp(model, "neo-hookean")) return !grid_is_surface(kind);
  if (!strcmp(model, "cloth")) return grid_is_surface(kind);
  return true;
}

// Dense matrices, from what the views tell row by row

typedef struct dense {
  size_t n;
  double *a, factor;
} dense;

static void add_element(void *user, const clv_element *e) {
  const dense *d = user;
  for (size_t i = 0; i < 3 * (size_t)e->count; i++)
    for (size_t j = 0; j < 3 * (size_t)e->count; j++) {
      const size_t row = 3 * (size_t)e->vertices[i / 3] + i % 3, column = 3 * (size_t)e->vertices[j / 3] + j % 3;
      const double half = 0.5 * d->factor * e->matrix[i * 3 * e->count + j];
      d->a[row * d->n + column] += half;
      d->a[column * d->n + row] += half;
    }
}

typedef struct damping {
  double drag, mass, stiffness;
} damping;

static double *dense_of(clv_body *body, const linear_factors *f, const damping *by) {
  const size_t n = 3 * (size_t)clv_body_slots(body);
  dense d = {n, numbers(n * n), f->stiffness + f->damping * by->stiffness};
  assert_int_equal(clv_views_matrix(clv_body_views(body), CLV_STIFFNESS, add_element, &d), CLV_OK);
  d.factor = f->damping;
  assert_int_equal(clv_views_matrix(clv_body_views(body), CLV_DAMPING, add_element, &d), CLV_OK);
  const double *masses = clv_body_masses(body);
  for (size_t k = 0; k < n; k++) d.a[k * n + k] += (f->mass + f->damping * (by->drag + by->mass)) * masses[k / 3];
  return d.a;
}

static bool is_free(const clv_body *body, size_t entry) {
  return clv_body_masses(body)[entry / 3] > 0 && !(clv_body_held(body)[entry / 3] >> entry % 3 & 1u);
}

// Gauss with pivots, on free axes.
static void dense_solve(const clv_body *body, const double *a, const double *b, double *x) {
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *m = numbers(n * n), *r = numbers(n);
  for (size_t i = 0; i < n; i++) {
    r[i] = is_free(body, i) ? b[i] : 0;
    for (size_t j = 0; j < n; j++) {
      const bool both = is_free(body, i) && is_free(body, j);
      m[i * n + j] = both ? a[i * n + j] : i == j;
      if (is_free(body, i) && !is_free(body, j)) r[i] -= a[i * n + j] * x[j];
    }
  }
  for (size_t k = 0; k < n; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(m[i * n + k]) > fabs(m[pivot * n + k])) pivot = i;
    for (size_t j = 0; j < n; j++) {
      const double swap = m[k * n + j];
      m[k * n + j] = m[pivot * n + j];
      m[pivot * n + j] = swap;
    }
    const double swap = r[k];
    r[k] = r[pivot];
    r[pivot] = swap;
    for (size_t i = k + 1; i < n; i++) {
      const double by = m[i * n + k] / m[k * n + k];
      if (by == 0) continue;
      for (size_t j = k; j < n; j++) m[i * n + j] -= by * m[k * n + j];
      r[i] -= by * r[k];
    }
  }
  for (size_t k = n; k-- > 0;) {
    for (size_t j = k + 1; j < n; j++) r[k] -= m[k * n + j] * r[j];
    r[k] /= m[k * n + k];
  }
  for (size_t k = 0; k < n; k++)
    if (is_free(body, k)) x[k] = r[k];
  free(m);
  free(r);
}

static linear_system *system_of(clv_body *body, clv_linear linear) {
  const linear_def def = {.linear = linear};
  const clv_allocator allocator = clv_default_allocator();
  clv_error error = {0};
  linear_system *system = linear_system_create(body, &def, &allocator, &error);
  if (!system) fail_msg("%s", error.message);
  return system;
}

static void must(const linear_system *system, clv_result result) {
  if (result != CLV_OK) fail_msg("%s", linear_system_error(system));
}

static void hold_a_side(clv_body *body, unsigned axes) {
  const clv_zone side = clv_zone_plane((const double[3]){0.05, 0, 0}, (const double[3]){-1, 0, 0});
  assert_int_equal(clv_body_fix(body, &side, axes, NULL), CLV_OK);
}

static void compare_solvers(clv_body *body, const linear_factors *f, const damping *by, const char *what) {
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *a = dense_of(body, f, by), *b = numbers(n), *x = numbers(n), *wanted = numbers(n), *product = numbers(n);
  double *held = numbers(n);
  fill(b, n, 1, 3);
  fill(held, n, 1e-4, 4);
  for (size_t k = 0; k < n; k++) wanted[k] = held[k];
  dense_solve(body, a, b, wanted);
  const double scale = largest(wanted, n);
  for (int linear = 0; linear < CLV_LINEAR_COUNT; linear++) {
    if (!clv_linear_available((clv_linear)linear)) continue;
    linear_system *system = system_of(body, (clv_linear)linear);
    linear_report report;
    must(system, linear_system_update(system, f));
    must(system, linear_system_multiply(system, wanted, product));
    for (size_t i = 0; i < n; i++) {
      double sum = 0, size = 0;
      for (size_t j = 0; j < n; j++) sum += a[i * n + j] * wanted[j], size += fabs(a[i * n + j] * wanted[j]);
      if (!(fabs(sum - product[i]) <= 1e-11 * size))
        fail_msg("%s, %s: product %zu is %g, not %g", what, clv_linear_name((clv_linear)linear), i, product[i], sum);
    }
    for (uint32_t warm = 0; warm < 2; warm++) { // from what is held alone, and from a guess
      for (size_t k = 0; k < n; k++) x[k] = is_free(body, k) ? warm * 0.9 * wanted[k] : held[k];
      must(system, linear_system_solve(system, b, x, 1e-11, 0, &report));
      if (!report.converged || !(distance(x, wanted, n) <= 1e-6 * scale))
        fail_msg("%s, %s: %u iterations to %g, %g off %g", what, clv_linear_name((clv_linear)linear), report.iterations,
                 report.residual, distance(x, wanted, n), scale);
      assert_true(report.linear != CLV_LINEAR_AUTO);
      assert_true(linear == CLV_LINEAR_AUTO || report.linear == (clv_linear)linear);
      assert_true(linear != CLV_LINEAR_ASSEMBLED || report.preconditioner == LINEAR_CHOLESKY);
    }
    linear_system_destroy(system);
  }
  free(a);
  free(b);
  free(x);
  free(wanted);
  free(product);
  free(held);
}

static void every_solver_solves_every_model(void **state) {
  (void)state;
  const linear_factors f = {1, 0.02, 0.0004};
  for (uint32_t m = 0; m < MODELS; m++)
    for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
      if (!serves(models[m], (clv_grid_kind)kind)) continue;
      body_setup setup = setup_of((clv_grid_kind)kind, models[m]);
      const damping by = {0.3, 0.2, 0.01};
      setup.def.drag = by.drag;
      setup.def.rayleigh_mass = by.mass;
      setup.def.rayleigh_stiffness = by.stiffness;
      setup.def.plane = grid_is_surface((clv_grid_kind)kind) && m % 2 && strcmp(models[m], "cloth") != 0;
      clv_body *body = body_of(&setup);
      hold_a_side(body, m % 3 ? CLV_XYZ : CLV_X | CLV_Z);
      body_shake(body, 0.02, 5 + m);
      char what[128];
      snprintf(what, sizeof what, "%s on %s", models[m], clv_grid_name((clv_grid_kind)kind));
      compare_solvers(body, &f, &by, what);
      clv_body_destroy(body);
    }
}

static void statics_has_no_mass(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_TET6, "fem-corotational");
  clv_body *body = body_of(&setup);
  hold_a_side(body, CLV_XYZ);
  body_shake(body, 0.01, 9);
  const damping none = {0};
  compare_solvers(body, &(linear_factors){0, 0, 1}, &none, "statics");
  clv_body_destroy(body);
}

// Viscous springs have derivatives that are not symmetric: their symmetric part is in the matrix.
static void symmetric_parts_are_taken(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_HEX, "springs");
  setup.section.material.viscosity = 0.1;
  clv_body *body = body_of(&setup);
  const linear_factors f = {1, 0.01, 0.0001};
  const damping none = {0};
  const size_t n = 3 * (size_t)clv_body_slots(body);
  hold_a_side(body, CLV_XYZ);
  body_shake(body, 0.02, 6);
  fill(clv_body_velocities(body), n, 0.1, 8);
  double *a = dense_of(body, &f, &none), *x = numbers(n), *out = numbers(n);
  fill(x, n, 1, 2);
  linear_system *system = system_of(body, CLV_LINEAR_ASSEMBLED);
  must(system, linear_system_update(system, &f));
  must(system, linear_system_multiply(system, x, out));
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += a[i * n + j] * x[j];
    assert_true(fabs(sum - out[i]) < 1e-9 * largest(out, n));
  }
  linear_system_destroy(system);
  free(a);
  free(x);
  free(out);
  clv_body_destroy(body);
}

// Preconditioners

static matrix *followed; // what multiply_followed multiplies with
static clv_result multiply_followed(void *user, const double *x, double *out, double *product) {
  const clv_body *body = user;
  *product = matrix_multiply(followed, x, out);
  for (size_t k = 0; k < 3 * (size_t)followed->rows; k++)
    if (!is_free(body, k)) out[k] = 0;
  return CLV_OK;
}

static uint32_t plain_iterations(clv_body *body, matrix *m, const double *b) {
  const size_t n = 3 * (size_t)m->rows;
  float *one = calloc(WIDE_BLOCK * (size_t)m->rows + WIDE_PAD, sizeof *one);
  double *room = numbers(5 * n + WIDE_PAD), *sums = numbers(2 * (size_t)conjugate_chunks(m->rows));
  assert_non_null(one);
  for (size_t k = 0; k < n; k++) one[k / 3 * WIDE_BLOCK + 4 * (k % 3)] = 1, room[k] = is_free(body, k) ? b[k] : 0;
  const conjugate_room c = {m->rows, NULL, room, room + n, room + 2 * n, room + 3 * n, sums};
  const conjugate_operator op = {.user = body, .multiply = multiply_followed, .blocks = one};
  conjugate_end end;
  followed = m;
  const double length = sqrt(conjugate_dot(&c, room, room));
  assert_int_equal(conjugate_solve(&c, &op, room + 4 * n, 1e-8 * length, 10000, &end), CLV_OK);
  free(one);
  free(room);
  free(sums);
  return end.iterations;
}

static void preconditioners_save_iterations(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_TET5, "fem-corotational");
  memcpy(setup.grid.cells, (const uint32_t[3]){12, 5, 5}, sizeof setup.grid.cells);
  memcpy(setup.grid.size, (const double[3]){3, 0.5, 0.5}, sizeof setup.grid.size);
  clv_body *body = body_of(&setup);
  hold_a_side(body, CLV_XYZ);
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *b = numbers(n), *x = numbers(n);
  fill(b, n, 1, 7);
  uint32_t iterations[3];
  for (uint32_t k = 0; k < 2; k++) {
    linear_report report;
    linear_system *system = system_of(body, k ? CLV_LINEAR_ASSEMBLED : CLV_LINEAR_MATRIX_FREE);
    must(system, linear_system_update(system, &(linear_factors){1, 0.01, 0.0001}));
    memset(x, 0, n * sizeof *x);
    must(system, linear_system_solve(system, b, x, 1e-8, 0, &report));
    assert_true(report.converged);
    iterations[k] = report.iterations;
    linear_system_destroy(system);
  }
  matrix m;
  bool rebuilt;
  const clv_allocator allocator = clv_default_allocator();
  matrix_init(&m, clv_body_views(body), &allocator);
  assert_int_equal(matrix_follow(&m, &rebuilt), CLV_OK);
  assert_true(rebuilt);
  matrix_assemble(&m, &(matrix_sum){clv_body_masses(body), 1, 0.0001, 0.01});
  iterations[2] = plain_iterations(body, &m, b);
  matrix_free(&m);
  if (!(iterations[1] * 2 < iterations[0] && iterations[0] < iterations[2]))
    fail_msg("incomplete Cholesky %u, blocks %u, nothing %u", iterations[1], iterations[0], iterations[2]);
  free(b);
  free(x);
  clv_body_destroy(body);
}

// Threads

static void any_number_of_threads_gives_the_same_bits(void **state) {
  (void)state;
  double *first[3] = {NULL, NULL, NULL};
  size_t n = 0;
  for (uint32_t threads = 1; threads <= 4; threads *= 2) {
    body_setup setup = setup_of(CLV_GRID_TET5, "fem-corotational");
    memcpy(setup.grid.cells, (const uint32_t[3]){16, 14, 14}, sizeof setup.grid.cells);
    setup.def.threads = threads;
    clv_body *body = body_of(&setup);
    hold_a_side(body, CLV_XYZ);
    body_shake(body, 0.002, 11);
    n = 3 * (size_t)clv_body_slots(body);
    double *b = numbers(n);
    fill(b, n, 1, 5);
    for (uint32_t k = 0; k < 3; k++) {
      static const clv_linear solvers[3] = {CLV_LINEAR_MATRIX_FREE, CLV_LINEAR_ASSEMBLED, CLV_LINEAR_AUTO};
      double *x = numbers(n);
      linear_report report;
      linear_system *system = system_of(body, solvers[k]);
      must(system, linear_system_update(system, &(linear_factors){1, 0, 0.001}));
      must(system, linear_system_solve(system, b, x, 1e-12, 12, &report));
      if (first[k]) {
        assert_memory_equal(first[k], x, n * sizeof *x);
        free(x);
      } else {
        first[k] = x;
      }
      linear_system_destroy(system);
    }
    free(b);
    clv_body_destroy(body);
  }
  for (uint32_t k = 0; k < 3; k++) free(first[k]);
}

// The same loops for another width of registers

static void any_width_gives_the_same_bits(void **state) {
  (void)state;
  const wide_loops *loops[2] = {wide_plain(), wide_best()};
  enum { ROWS = 103 };
  double r[2][3 * ROWS + WIDE_PAD], z[2][3 * ROWS + WIDE_PAD], q[3 * ROWS + WIDE_PAD], sums[2][2], dots[2];
  float blocks[WIDE_BLOCK * ROWS + WIDE_PAD];
  fill(q, 3 * ROWS, 1, 1);
  for (uint32_t k = 0; k < WIDE_BLOCK * ROWS; k++) blocks[k] = (float)(k % 17) - 8;
  for (uint32_t w = 0; w < 2; w++) {
    fill(r[w], 3 * ROWS, 1, 2);
    loops[w]->descend_blocks(ROWS, 0.3, q, blocks, r[w], z[w], sums[w]);
    dots[w] = loops[w]->dot(z[w], q, 3 * ROWS);
    loops[w]->turn(3 * ROWS, 0.7, 0.1, q, z[w], r[w]);
  }
  assert_memory_equal(r[0], r[1], 3 * ROWS * sizeof(double));
  assert_memory_equal(z[0], z[1], 3 * ROWS * sizeof(double));
  assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
  assert_true(dots[0] == dots[1]);
}

// Rounds in single precision

// What a round leaves over, beside what there was.
static double left_over(clv_body *body, quick *q, const double *b, double *x) {
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *product = numbers(n), norm = 0, left = 0;
  conjugate_end end;
  for (size_t k = 0; k < n; k++) norm += b[k] * b[k];
  memset(x, 0, n * sizeof *x);
  quick_solve(q, b, sqrt(norm), 1e-5, 200, x, &end);
  assert_false(end.indefinite);
  assert_true(end.residual <= 1e-5);
  matrix_multiply(q->m, x, product);
  for (size_t k = 0; k < n; k++)
    if (is_free(body, k)) left += (b[k] - product[k]) * (b[k] - product[k]);
  free(product);
  return sqrt(left / norm);
}

// Springs have symmetric blocks, tetrahedra have not; the second body has more than one chunk of rows. The last two are
// struts, those of tetrahedra in order of the lengths of their rows and free along an axis where they are held.
static void a_round_solves_to_single_precision(void **state) {
  (void)state;
  static const char *const laws[4] = {"springs", "fem-corotational", "springs", "springs"};
  const clv_allocator allocator = clv_default_allocator();
  for (uint32_t c = 0; c < 4; c++) {
    body_setup setup = setup_of(c % 2 ? CLV_GRID_TET5 : CLV_GRID_HEX, laws[c]);
    const uint32_t side = c == 0 ? 4 : c == 1 ? 13 : 6;
    memcpy(setup.grid.cells, (const uint32_t[3]){side, side, side}, sizeof setup.grid.cells);
    clv_body *body = body_of(&setup);
    hold_a_side(body, c == 3 ? CLV_X | CLV_Z : CLV_XYZ);
    body_shake(body, 0.002, 3);
    const uint32_t slots = clv_body_slots(body);
    const size_t n = 3 * (size_t)slots;
    double *b = numbers(n), *x[2] = {numbers(n), numbers(n)};
    uint8_t *axes = calloc(slots, 1);
    uint32_t *held = calloc(n, sizeof *held), held_count = 0;
    float *inverses = calloc(WIDE_BLOCK * (size_t)slots + WIDE_PAD, sizeof *inverses);
    matrix m;
    quick q;
    struts s;
    bool rebuilt;
    const matrix_sum sum = {clv_body_masses(body), 1, 0.0001, 0};
    struts_init(&s, clv_body_views(body), &allocator);
    matrix_init(&m, clv_body_views(body), &allocator);
    quick_init(&q, &m, &allocator);
    assert_int_equal(matrix_follow(&m, &rebuilt), CLV_OK);
    matrix_assemble(&m, &sum);
    assert_int_equal(m.symmetric_blocks, c != 1);
    fill(b, n, 1e-30, 5); // units do not matter
    for (uint32_t k = 0; k < n; k++) {
      const bool is = is_free(body, k);
      const double *block = matrix_block(&m, m.starts.data[k / 3]);
      inverses[WIDE_BLOCK * (size_t)(k / 3) + 4 * (k % 3)] = is ? (float)(1 / block[4 * (k % 3)]) : 0;
      b[k] = is ? b[k] : 0;
      if (!is) held[held_count++] = k;
      axes[k / 3] |= (uint8_t)(!is << k % 3);
    }
    if (c >= 2) {
      assert_true(struts_serve(clv_body_views(body)) && struts_follow(&s, &rebuilt));
      struts_assemble(&s, &sum);
      assert_true(quick_fill_struts(&q, &s, axes, held, held_count));
    } else {
      assert_true(quick_fill(&q, inverses, held, held_count));
    }
    for (uint32_t set = 0; set < 2; set++) {
      q.set = set ? quick_plain() : quick_best();
      const double left = left_over(body, &q, b, x[set]);
      if (!(left < 2e-5)) fail_msg("%s: a round leaves %g of a residual", laws[c], left);
    }
    assert_true(distance(x[0], x[1], n) <= 1e-3 * largest(x[0], n));
    quick_free(&q);
    matrix_free(&m);
    free(b);
    free(x[0]);
    free(x[1]);
    struts_free(&s);
    free(axes);
    free(held);
    free(inverses);
    clv_body_destroy(body);
  }
}

// Rounds get as far as double precision does, in about as many iterations.
static void rounds_have_all_digits(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_TET5, "fem-corotational");
  memcpy(setup.grid.cells, (const uint32_t[3]){9, 5, 5}, sizeof setup.grid.cells);
  clv_body *body = body_of(&setup);
  hold_a_side(body, CLV_XYZ);
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *b = numbers(n), *x[2] = {numbers(n), numbers(n)};
  uint32_t iterations[2];
  fill(b, n, 1, 7);
  for (uint32_t k = 0; k < 2; k++) {
    linear_report report;
    linear_system *system = system_of(body, k ? CLV_LINEAR_MATRIX_FREE : CLV_LINEAR_AUTO);
    must(system, linear_system_update(system, &(linear_factors){1, 0.01, 0.0001}));
    must(system, linear_system_solve(system, b, x[k], 1e-13, 0, &report));
    assert_true(report.converged);
    iterations[k] = report.iterations;
    linear_system_destroy(system);
  }
  assert_true(distance(x[0], x[1], n) <= 1e-11 * largest(x[1], n));
  if (iterations[0] > iterations[1] * 3 / 2 + 10) fail_msg("%u iterations, not %u", iterations[0], iterations[1]);
  free(b);
  free(x[0]);
  free(x[1]);
  clv_body_destroy(body);
}

// Cuts

static void cuts_are_followed(void **state) {
  (void)state;
  const linear_factors f = {1, 0.02, 0.0004};
  const damping none = {0};
  body_setup setup = setup_of(CLV_GRID_TET5, "fem-corotational");
  memcpy(setup.grid.cells, (const uint32_t[3]){3, 3, 2}, sizeof setup.grid.cells);
  clv_body *body = body_of(&setup);
  hold_a_side(body, CLV_XYZ);
  linear_system *systems[CLV_LINEAR_COUNT] = {NULL};
  for (int k = 0; k < CLV_LINEAR_COUNT; k++)
    if (clv_linear_available((clv_linear)k)) systems[k] = system_of(body, (clv_linear)k);
  random_source random = {99};
  for (uint32_t round = 0; round < 8; round++) {
    if (round) cut_somewhere(body, CLV_TET, &random);
    body_shake(body, 0.002, round);
    const size_t n = 3 * (size_t)clv_body_slots(body);
    double *a = dense_of(body, &f, &none), *b = numbers(n), *wanted = numbers(n), *x = numbers(n), *out = numbers(n);
    fill(b, n, 1, round);
    dense_solve(body, a, b, wanted);
    for (int k = 0; k < CLV_LINEAR_COUNT; k++) {
      if (!systems[k]) continue;
      linear_report report;
      must(systems[k], linear_system_update(systems[k], &f));
      must(systems[k], linear_system_multiply(systems[k], wanted, out));
      for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) sum += a[i * n + j] * wanted[j];
        assert_true(fabs(sum - out[i]) <= 1e-10 * largest(out, n));
      }
      memset(x, 0, n * sizeof *x);
      must(systems[k], linear_system_solve(systems[k], b, x, 1e-11, 0, &report));
      assert_true(report.converged);
      assert_true(distance(x, wanted, n) <= 1e-7 * largest(wanted, n));
      if (k != CLV_LINEAR_ASSEMBLED) continue;
      // To the last bit what a system gives that never saw another topology.
      linear_system *fresh = system_of(body, CLV_LINEAR_ASSEMBLED);
      double *again = numbers(n);
      must(fresh, linear_system_update(fresh, &f));
      must(fresh, linear_system_solve(fresh, b, again, 1e-11, 0, &report));
      assert_memory_equal(x, again, n * sizeof *x);
      free(again);
      linear_system_destroy(fresh);
    }
    free(a);
    free(b);
    free(wanted);
    free(x);
    free(out);
  }
  for (int k = 0; k < CLV_LINEAR_COUNT; k++) linear_system_destroy(systems[k]);
  clv_body_destroy(body);
}

// Trouble

static void systems_that_are_not_positive_are_told(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "fem-linear");
  clv_body *body = body_of(&setup);
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *b = numbers(n), *x = numbers(n);
  linear_report report;
  fill(b, n, 1, 5);
  hold_a_side(body, CLV_XYZ);
  linear_system *system = system_of(body, CLV_LINEAR_ASSEMBLED); // no factor: blocks take its place, and say so
  must(system, linear_system_update(system, &(linear_factors){0, 0, -1}));
  must(system, linear_system_solve(system, b, x, 1e-8, 0, &report));
  assert_true(report.indefinite && !report.converged);
  assert_int_equal(report.preconditioner, LINEAR_JACOBI);
  for (size_t k = 0; k < n; k++) assert_true(isfinite(x[k]));
  must(system, linear_system_update(system, &(linear_factors){0, 0, 1})); // and it goes on
  must(system, linear_system_solve(system, b, x, 1e-8, 0, &report));
  assert_true(report.converged && report.preconditioner == LINEAR_CHOLESKY);
  must(system, linear_system_solve(system, b, x, 1e-8, 0, &report)); // from the solution there is no way to go
  assert_int_equal(report.iterations, 0);
  memset(x, 0, n * sizeof *x);
  must(system, linear_system_solve(system, b, x, 1e-8, 2, &report));
  assert_true(!report.converged && report.iterations == 2 && report.residual > 1e-8);
  linear_system_destroy(system);
  if (clv_linear_available(CLV_LINEAR_DIRECT)) {
    system = system_of(body, CLV_LINEAR_DIRECT);
    assert_int_equal(linear_system_update(system, &(linear_factors){0, 0, -1}), CLV_ERROR_REFUSED);
    assert_non_null(strstr(linear_system_error(system), "positive definite"));
    assert_int_equal(linear_system_solve(system, b, x, 1e-8, 0, &report), CLV_ERROR_ARGUMENT);
    must(system, linear_system_update(system, &(linear_factors){0, 0, 1}));
    must(system, linear_system_solve(system, b, x, 1e-8, 0, &report));
    assert_true(report.converged && report.iterations == 0);
    linear_system_destroy(system);
  }
  free(b);
  free(x);
  clv_body_destroy(body);
}

static void everything_held_is_solved(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "springs");
  clv_body *body = body_of(&setup);
  const clv_zone all = clv_zone_all();
  assert_int_equal(clv_body_fix(body, &all, CLV_XYZ, NULL), CLV_OK);
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *b = numbers(n), *x = numbers(n);
  fill(b, n, 1, 5);
  for (int k = 0; k < CLV_LINEAR_COUNT; k++) {
    if (!clv_linear_available((clv_linear)k)) continue;
    linear_report report;
    linear_system *system = system_of(body, (clv_linear)k);
    must(system, linear_system_update(system, &(linear_factors){1, 0, 1}));
    must(system, linear_system_solve(system, b, x, 1e-8, 0, &report));
    assert_true(report.converged && largest(x, n) == 0);
    linear_system_destroy(system);
  }
  free(b);
  free(x);
  clv_body_destroy(body);
}

static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_TET6, "springs");
  clv_body *body = body_of(&setup);
  hold_a_side(body, CLV_XYZ);
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *b = numbers(n), *x = numbers(n), *wanted = numbers(n);
  fill(b, n, 1, 5);
  for (int k = 1; k < CLV_LINEAR_COUNT; k++) {
    if (!clv_linear_available((clv_linear)k)) continue;
    const linear_factors f = {1, 0.01, 0.01};
    linear_report report;
    bool refused = true;
    memset(wanted, 0, n * sizeof *wanted);
    linear_system *plain = system_of(body, (clv_linear)k);
    must(plain, linear_system_update(plain, &f));
    must(plain, linear_system_solve(plain, b, wanted, 1e-10, 0, &report));
    linear_system_destroy(plain);
    for (size_t at = 1; refused; at++) {
      counting_memory memory = {.fail_at = at};
      const clv_allocator allocator = counting_allocator(&memory);
      const linear_def def = {.linear = (clv_linear)k};
      clv_error error = {0};
      linear_system *system = linear_system_create(body, &def, &allocator, &error);
      if (system) {
        clv_result result = linear_system_update(system, &f);
        assert_int_equal(result, memory.refused ? CLV_ERROR_MEMORY : CLV_OK);
        if (result == CLV_ERROR_MEMORY) result = linear_system_update(system, &f); // there is enough now
        must(system, result);
        memset(x, 0, n * sizeof *x);
        const size_t requests = memory.requests;
        must(system, linear_system_solve(system, b, x, 1e-10, 0, &report));
        assert_int_equal(memory.requests, requests);
        assert_memory_equal(x, wanted, n * sizeof *x);
      } else {
        assert_int_equal(error.code, CLV_ERROR_MEMORY);
      }
      linear_system_destroy(system);
      assert_int_equal(memory.live_bytes, 0);
      refused = memory.refused;
    }
  }
  free(b);
  free(x);
  free(wanted);
  clv_body_destroy(body);
}

static void names_are_known(void **state) {
  (void)state;
  for (int k = 0; k < CLV_LINEAR_COUNT; k++) assert_int_equal(clv_linear_from_name(clv_linear_name((clv_linear)k)), k);
  assert_int_equal(clv_linear_from_name("gauss"), -1);
  assert_true(clv_linear_available(CLV_LINEAR_AUTO) && !clv_linear_available(CLV_LINEAR_COUNT));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_are_known),
      cmocka_unit_test(every_solver_solves_every_model),
      cmocka_unit_test(statics_has_no_mass),
      cmocka_unit_test(symmetric_parts_are_taken),
      cmocka_unit_test(preconditioners_save_iterations),
      cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
      cmocka_unit_test(any_width_gives_the_same_bits),
      cmocka_unit_test(a_round_solves_to_single_precision),
      cmocka_unit_test(rounds_have_all_digits),
      cmocka_unit_test(cuts_are_followed),
      cmocka_unit_test(systems_that_are_not_positive_are_told),
      cmocka_unit_test(everything_held_is_solved),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
