// Kernels: forces and stiffnesses of laws made by hand, against differences; positive matrices; what is hoisted.

#include "rule/kernel_positive.h"
#include "rule/native.h"
#include "support/hand_laws.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 11, BATCHES = 2, PARTICLES = ROWS * 8, READS = 16, MATRIX = 24 * 24 };

// A law's kernel with everything it runs on. Springs share six particles, cells have their own.
typedef struct bench {
  clv_program *program;
  law law;
  kernel *k;
  uint32_t particles, axes; // of all rows; of one
  double pos[PARTICLES * 4], vel[PARTICLES * 4], dpos[PARTICLES * 4], dvel[PARTICLES * 4];
  double reads[ROWS][READS], quad[ROWS][8][LAW_QUAD_DATA], params[4];
  uint32_t places[BATCHES * 8 * 8];
  double *constants;
} bench;

static const double shapes[CLV_HEX + 1][8][3] = {
    [CLV_TET] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [CLV_PRISM] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    [CLV_HEX] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
};

static uint32_t place_of(const bench *b, uint32_t row, uint32_t corner) {
  return b->places[row / 8 * b->k->particles * 8 + corner * 8 + row % 8] / KERNEL_STRIDE;
}

static void put_places(bench *b, bool cells, random_source *random) {
  const uint32_t corners = b->k->particles;
  for (uint32_t slot = 0; slot < BATCHES * 8; slot++) {
    const uint32_t row = slot < ROWS ? slot : ROWS - 1;
    uint32_t *to = b->places + slot / 8 * corners * 8 + slot % 8;
    if (slot >= ROWS) {
      for (uint32_t c = 0; c < corners; c++) to[c * 8] = KERNEL_STRIDE * place_of(b, ROWS - 1, c);
    } else if (cells) {
      for (uint32_t c = 0; c < corners; c++) to[c * 8] = KERNEL_STRIDE * (row * corners + c * 5 % corners);
    } else {
      const uint32_t first = random_below(random, 6);
      to[0] = KERNEL_STRIDE * first;
      to[8] = KERNEL_STRIDE * ((first + 1 + random_below(random, 5)) % 6);
    }
  }
}

static void put_values(bench *b, clv_kind kind, bool cells, random_source *random) {
  const uint32_t corners = b->k->particles;
  double rest[PARTICLES][3];
  for (uint32_t p = 0; p < PARTICLES; p++)
    for (uint32_t e = 0; e < 4; e++) {
      b->pos[4 * p + e] = random_between(random, -1, 1);
      b->vel[4 * p + e] = random_between(random, -1, 1);
      b->dpos[4 * p + e] = random_between(random, -1, 1);
      b->dvel[4 * p + e] = random_between(random, -1, 1);
      if (e < 3) rest[p][e] = random_between(random, -1, 1);
    }
  for (uint32_t row = 0; row < ROWS; row++) {
    double shape[8][3];
    for (uint32_t c = 0; c < corners; c++) {
      const uint32_t p = place_of(b, row, c);
      for (uint32_t e = 0; e < 3; e++) {
        if (cells) rest[p][e] = shapes[kind][c][e] + random_between(random, -0.1, 0.1);
        if (cells) b->pos[4 * p + e] = 1.2 * rest[p][(e + 1) % 3] + random_between(random, -0.3, 0.3);
        shape[c][e] = rest[p][e];
        if (!cells) b->reads[row][3 * c + e] = rest[p][e];
      }
    }
    for (uint32_t e = cells ? 0 : 6; e < READS; e++) b->reads[row][e] = random_between(random, 0.5, 2);
    if (cells) law_quadrature(kind, (const double(*)[3])shape, b->quad[row]);
  }
}

static void hoist_all(bench *b) {
  const uint32_t count = kernel_constants(b->k);
  for (uint32_t slot = 0; slot < BATCHES * 8; slot++) {
    const uint32_t row = slot < ROWS ? slot : ROWS - 1;
    kernel_hoist(b->k, b->params, b->reads[row], (const double(*)[LAW_QUAD_DATA])b->quad[row],
                 b->constants + (size_t)slot / 8 * count * 8 + slot % 8);
  }
}

static bench *open_bench(hand_law which, clv_kind kind, law_psd psd, uint64_t seed) {
  const clv_allocator allocator = clv_default_allocator();
  random_source random = {seed};
  bench *b = calloc(1, sizeof *b);
  assert_non_null(b);
  b->program = clv_program_create(NULL);
  hand_make(&b->law, which, kind, psd, &allocator);
  b->k = kernel_make(b->program, &b->law);
  assert_non_null(b->k);
  assert_int_equal(b->program->findings.count, 0);
  b->axes = 3 * b->k->particles;
  b->particles = PARTICLES;
  for (uint32_t e = 0; e < 4; e++) b->params[e] = random_between(&random, 0.5, 1);
  put_places(b, hand_is_of_cells(which), &random);
  put_values(b, kind, hand_is_of_cells(which), &random);
  b->constants = calloc((size_t)BATCHES * kernel_constants(b->k) * 8 + 1, sizeof *b->constants);
  assert_non_null(b->constants);
  hoist_all(b);
  return b;
}

static void close_bench(bench *b) {
  kernel_destroy(b->k, &b->program->arena.allocator);
  hand_unmake(&b->law);
  clv_program_destroy(b->program);
  free(b->constants);
  free(b);
}

static kernel_args args_of(bench *b) {
  return (kernel_args){.rows = ROWS,
                       .places = b->places,
                       .constants = b->constants,
                       .params = b->params,
                       .pos = b->pos,
                       .vel = b->vel,
                       .dpos = b->dpos,
                       .dvel = b->dvel};
}

static double energy(bench *b) {
  double each[BATCHES * 8], sum = 0;
  kernel_args args = args_of(b);
  args.energy = each;
  for (uint32_t r = 0; r < BATCHES * 8; r++) each[r] = NAN;
  kernel_run(b->k, KERNEL_ENERGY, &args);
  for (uint32_t r = 0; r < BATCHES * 8; r++) sum += each[r]; // lanes that do not count are 0
  return sum;
}

static void forces(bench *b, kernel_kind kind, double *out) {
  kernel_args args = args_of(b);
  memset(out, 0, PARTICLES * 4 * sizeof *out);
  args.out = out;
  kernel_run(b->k, kind, &args);
}

static double largest(const double *values, uint32_t count) {
  double most = 0;
  for (uint32_t k = 0; k < count; k++) most = fmax(most, fabs(values[k]));
  return most;
}

static void forces_are_slopes_of_energies(void **state) {
  (void)state;
  const struct {
    hand_law which;
    clv_kind kind;
  } cases[] = {{HAND_SPRING, CLV_NONE}, {HAND_STVK, CLV_TET},         {HAND_STVK, CLV_HEX},
               {HAND_STVK, CLV_PRISM},  {HAND_COROTATIONAL, CLV_TET}, {HAND_COROTATIONAL, CLV_HEX},
               {HAND_FROZEN, CLV_TET},  {HAND_NEO_HOOKEAN, CLV_TET},  {HAND_NEO_HOOKEAN, CLV_PRISM}};
  for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    bench *b = open_bench(cases[c].which, cases[c].kind, LAW_PSD_NONE, c + 1);
    double out[PARTICLES * 4];
    forces(b, KERNEL_FORCE, out);
    const double size = largest(out, PARTICLES * 4), h = 1e-5;
    assert_true(size > 0.01);
    for (uint32_t e = 0; e < PARTICLES * 4; e++) {
      const double at = b->pos[e];
      b->pos[e] = at + h;
      const double right = energy(b);
      b->pos[e] = at - h;
      const double left = energy(b);
      b->pos[e] = at;
      assert_true(fabs(out[e] + (right - left) / (2 * h)) < 1e-7 * size);
    }
    for (uint32_t axis = 0; axis < 3; axis++) {
      double sum = 0;
      for (uint32_t p = 0; p < PARTICLES; p++) sum += out[4 * p + axis];
      assert_true(fabs(sum) < 1e-12 * size);
    }
    close_bench(b);
  }
}

// The force along a direction, by central differences of the force itself; of velocities when `of_speed`.
static void difference_force(bench *b, bool of_speed, double *slopes) {
  static double left[PARTICLES * 4];
  const double h = 1e-5, *along = of_speed ? b->dvel : b->dpos;
  double *moved = of_speed ? b->vel : b->pos, before[PARTICLES * 4];
  memcpy(before, moved, sizeof before);
  for (uint32_t e = 0; e < PARTICLES * 4; e++) moved[e] = before[e] + h * along[e];
  forces(b, KERNEL_FORCE, slopes);
  for (uint32_t e = 0; e < PARTICLES * 4; e++) moved[e] = before[e] - h * along[e];
  forces(b, KERNEL_FORCE, left);
  for (uint32_t e = 0; e < PARTICLES * 4; e++) slopes[e] = (slopes[e] - left[e]) / (2 * h);
  memcpy(moved, before, sizeof before);
}

static void expect_close(const double *a, const double *b, uint32_t count, double tolerance) {
  const double size = fmax(largest(a, count), largest(b, count));
  for (uint32_t e = 0; e < count; e++) assert_true(fabs(a[e] - b[e]) <= tolerance * size);
}

static void tangents_are_slopes_of_forces(void **state) {
  (void)state;
  const struct {
    hand_law which;
    clv_kind kind;
    bool speed;
  } cases[] = {{HAND_SPRING, CLV_NONE, false}, {HAND_DAMPED_SPRING, CLV_NONE, true}, {HAND_STVK, CLV_TET, false},
               {HAND_STVK, CLV_HEX, false},    {HAND_DAMPED_STVK, CLV_TET, true},    {HAND_DAMPED_STVK, CLV_HEX, true},
               {HAND_FROZEN, CLV_TET, false},  {HAND_NEO_HOOKEAN, CLV_HEX, false},   {HAND_DRAG, CLV_NONE, true}};
  for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    bench *b = open_bench(cases[c].which, cases[c].kind, LAW_PSD_NONE, c + 100);
    static double exact[PARTICLES * 4], slopes[PARTICLES * 4];
    assert_int_equal(b->k->has_velocity, cases[c].speed);
    forces(b, KERNEL_FORCE_DPOS, exact);
    difference_force(b, false, slopes);
    assert_true(largest(exact, PARTICLES * 4) > 0.01);
    expect_close(exact, slopes, PARTICLES * 4, 1e-7);
    forces(b, KERNEL_FORCE_DVEL, exact);
    difference_force(b, true, slopes);
    assert_int_equal(largest(exact, PARTICLES * 4) > 0.01, cases[c].speed);
    expect_close(exact, slopes, PARTICLES * 4, 1e-7);
    close_bench(b);
  }
}

// What is held is frozen: the corotational tangent is that of the law whose rotations are given.
static void held_rotations_are_frozen(void **state) {
  (void)state;
  bench *b = open_bench(HAND_COROTATIONAL, CLV_TET, LAW_PSD_NONE, 7);
  bench *frozen = open_bench(HAND_FROZEN, CLV_TET, LAW_PSD_NONE, 7);
  for (uint32_t row = 0; row < ROWS; row++) {
    double f[9] = {0};
    for (uint32_t k = 0; k < 9; k++)
      for (uint32_t c = 0; c < 4; c++)
        f[k] += b->pos[4 * place_of(b, row, c) + k / 3] * b->quad[row][0][5 + 3 * c + k % 3];
    dag_rotation_of(f, 3, frozen->reads[row] + 2);
  }
  hoist_all(frozen);
  static double one[PARTICLES * 4], other[PARTICLES * 4];
  const kernel_kind kinds[] = {KERNEL_FORCE, KERNEL_FORCE_DPOS};
  for (uint32_t k = 0; k < 2; k++) {
    forces(b, kinds[k], one);
    forces(frozen, kinds[k], other);
    assert_true(largest(one, PARTICLES * 4) > 0.01);
    expect_close(one, other, PARTICLES * 4, 1e-12);
  }
  assert_true(fabs(energy(b) - energy(frozen)) < 1e-12 * energy(b));
  close_bench(b);
  close_bench(frozen);
}

typedef struct at_point {
  uint32_t point;
} at_point;

static dag_ref to_point(void *user, dag *graph, dag_op op, uint32_t index) {
  const at_point *at = user;
  return op == DAG_QUAD ? dag_input(graph, DAG_QUAD, at->point * LAW_QUAD_DATA + index) : 0;
}

// A law with its points written out is the same law.
static void points_may_be_written_out(void **state) {
  (void)state;
  bench *b = open_bench(HAND_NEO_HOOKEAN, CLV_PRISM, LAW_PSD_NONE, 3);
  law l = b->law;
  const clv_allocator allocator = clv_default_allocator();
  dag_init(&l.graph, &allocator);
  dag_ref energy_at, sum = dag_const(&l.graph, 0);
  assert_true(dag_copy(&l.graph, &b->law.graph, &b->law.energy, 1, &energy_at, false));
  for (at_point at = {0}; at.point < l.quadrature; at.point++)
    sum = dag_add(&l.graph, sum, dag_replace(&l.graph, energy_at, to_point, &at));
  l.energy = sum;
  l.unrolled = true;

  static double one[2][PARTICLES * 4], other[2][PARTICLES * 4];
  const double before = energy(b);
  forces(b, KERNEL_FORCE, one[0]);
  forces(b, KERNEL_FORCE_DPOS, one[1]);
  kernel *by_point = b->k;
  double *constants = b->constants;
  b->k = kernel_make(b->program, &l);
  assert_non_null(b->k);
  assert_int_equal(b->k->quadrature, 1);
  b->constants = calloc((size_t)BATCHES * kernel_constants(b->k) * 8, sizeof *b->constants);
  assert_non_null(b->constants);
  hoist_all(b);
  assert_true(fabs(energy(b) - before) < 1e-13 * before);
  forces(b, KERNEL_FORCE, other[0]);
  forces(b, KERNEL_FORCE_DPOS, other[1]);
  for (uint32_t k = 0; k < 2; k++) expect_close(one[k], other[k], PARTICLES * 4, 1e-12);
  kernel_destroy(by_point, &b->program->arena.allocator);
  dag_free(&l.graph);
  free(constants);
  close_bench(b);
}

static dag_ref to_any_point(void *user, dag *graph, dag_op op, uint32_t index) {
  (void)user;
  return op == DAG_QUAD ? dag_input(graph, DAG_POINT, index) : 0;
}

// The energy of a cell whose points know of each other: with w the density, and W its sum, W^2 / 2 and the sum of w W.
static dag_ref entangle(dag *graph, dag_ref density) {
  const dag_ref all = dag_unary(graph, DAG_OVER, density);
  const dag_ref each = dag_unary(graph, DAG_OVER, dag_mul(graph, density, dag_unary(graph, DAG_SQRT, all)));
  return dag_add(graph, dag_mul(graph, dag_const(graph, 0.5), dag_mul(graph, all, all)), each);
}

static dag_ref entangle_points(dag *graph, dag_ref density, uint32_t points) {
  dag_ref all = dag_const(graph, 0), each = all, at[LAW_QUADRATURE];
  for (at_point p = {0}; p.point < points; p.point++)
    all = dag_add(graph, all, at[p.point] = dag_replace(graph, density, to_point, &p));
  for (uint32_t p = 0; p < points; p++)
    each = dag_add(graph, each, dag_mul(graph, at[p], dag_unary(graph, DAG_SQRT, all)));
  return dag_add(graph, dag_mul(graph, dag_const(graph, 0.5), dag_mul(graph, all, all)), each);
}

// A law in which one point stands for all is the law with its points written out, and so are its derivatives.
static void one_point_may_stand_for_all(void **state) {
  (void)state;
  bench *b = open_bench(HAND_NEO_HOOKEAN, CLV_HEX, LAW_PSD_NONE, 3);
  const clv_allocator allocator = clv_default_allocator();
  kernel *kernels[2], *by_point = b->k;
  double *constants = b->constants;
  static double one[2][PARTICLES * 4], other[2][PARTICLES * 4];
  double energies[2];
  law laws[2] = {b->law, b->law}, rolled = b->law;
  dag_ref density;
  for (uint32_t k = 0; k < 2; k++) {
    dag_init(&laws[k].graph, &allocator);
    laws[k].unrolled = true;
    assert_true(dag_copy(&laws[k].graph, &b->law.graph, &b->law.energy, 1, &density, false));
    laws[k].energy = entangle_points(&laws[k].graph, density, b->law.quadrature);
  }
  dag_init(&rolled.graph, &allocator);
  rolled.graph.points = b->law.quadrature;
  assert_true(dag_copy(&rolled.graph, &b->law.graph, &b->law.energy, 1, &density, false));
  rolled.energy = entangle(&rolled.graph, dag_replace(&rolled.graph, density, to_any_point, NULL));
  laws[1].rolled = &rolled;
  for (uint32_t k = 0; k < 2; k++) {
    b->k = kernels[k] = kernel_make(b->program, &laws[k]);
    assert_non_null(b->k);
    assert_int_equal(b->k->rolled != NULL, k);
    b->constants = calloc((size_t)BATCHES * kernel_constants(b->k) * 8, sizeof *b->constants);
    assert_non_null(b->constants);
    hoist_all(b);
    energies[k] = energy(b);
    forces(b, KERNEL_FORCE, k ? other[0] : one[0]);
    forces(b, KERNEL_FORCE_DPOS, k ? other[1] : one[1]);
    free(b->constants);
  }
  assert_int_equal(kernels[1]->rolled->depth, 2);
  assert_true(fabs(energies[0] - energies[1]) < 1e-13 * fabs(energies[0]));
  for (uint32_t k = 0; k < 2; k++) {
    assert_true(largest(one[k], PARTICLES * 4) > 0.01);
    expect_close(one[k], other[k], PARTICLES * 4, 1e-12);
    kernel_destroy(kernels[k], &b->program->arena.allocator);
    dag_free(&laws[k].graph);
  }
  dag_free(&rolled.graph);
  b->k = by_point;
  b->constants = constants;
  close_bench(b);
}

static double *matrices(bench *b, kernel_kind kind) {
  double *matrix = calloc((size_t)BATCHES * 8 * MATRIX, sizeof *matrix);
  assert_non_null(matrix);
  kernel_args args = args_of(b);
  args.matrix = matrix;
  kernel_run(b->k, kind, &args);
  return matrix;
}

static double at(const bench *b, const double *matrix, uint32_t row, uint32_t i, uint32_t j) {
  return matrix[((size_t)row / 8 * b->axes * b->axes + i * b->axes + j) * 8 + row % 8];
}

// Minus the sum of all rows' matrices times a direction.
static void multiply(const bench *b, const double *matrix, const double *along, double *out) {
  memset(out, 0, PARTICLES * 4 * sizeof *out);
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t i = 0; i < b->axes; i++)
      for (uint32_t j = 0; j < b->axes; j++)
        out[4 * place_of(b, row, i / 3) + i % 3] -=
            at(b, matrix, row, i, j) * along[4 * place_of(b, row, j / 3) + j % 3];
}

// A positive matrix plus a little has a Cholesky factor.
static bool is_positive(const bench *b, const double *matrix, uint32_t row) {
  const uint32_t n = b->axes;
  double l[24][24], size = 0;
  for (uint32_t k = 0; k < n; k++) size = fmax(size, fabs(at(b, matrix, row, k, k)));
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j <= i; j++) {
      double sum = at(b, matrix, row, i, j) + (i == j ? 1e-11 * size : 0);
      for (uint32_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
      if (i == j && !(sum > 0)) return false;
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  return true;
}

static void expect_symmetric(const bench *b, const double *matrix) {
  for (uint32_t row = 0; row < ROWS; row++)
    for (uint32_t i = 0; i < b->axes; i++)
      for (uint32_t j = 0; j < i; j++) assert_true(at(b, matrix, row, i, j) == at(b, matrix, row, j, i));
}

static void matrices_are_what_tangents_multiply_with(void **state) {
  (void)state;
  const struct {
    hand_law which;
    clv_kind kind;
    law_psd psd;
    bool symmetric;
    int positive; // -1: not asked
  } cases[] = {
      {HAND_SPRING, CLV_NONE, LAW_PSD_NONE, true, 0},
      {HAND_SPRING, CLV_NONE, LAW_PSD_CLAMP, true, 1},
      {HAND_SPRING, CLV_NONE, LAW_PSD_ABS, true, 1},
      {HAND_SPRING, CLV_NONE, LAW_PSD_GAUSS_NEWTON, true, 1},
      {HAND_DAMPED_SPRING, CLV_NONE, LAW_PSD_NONE, false, -1},
      {HAND_DAMPED_SPRING, CLV_NONE, LAW_PSD_CLAMP, true, 1},
      {HAND_DRAG, CLV_NONE, LAW_PSD_NONE, false, -1},
      {HAND_STVK, CLV_TET, LAW_PSD_NONE, true, 0},
      {HAND_STVK, CLV_TET, LAW_PSD_CLAMP, true, 1},
      {HAND_STVK, CLV_TET, LAW_PSD_GAUSS_NEWTON, true, 1},
      {HAND_NEO_HOOKEAN, CLV_TET, LAW_PSD_ABS, true, 1},
      {HAND_NEO_HOOKEAN, CLV_HEX, LAW_PSD_CLAMP, true, 1},
      {HAND_COROTATIONAL, CLV_TET, LAW_PSD_NONE, true, 1}, // with the rotation held it is so by itself
  };
  for (uint32_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    bench *b = open_bench(cases[c].which, cases[c].kind, cases[c].psd, c + 200);
    static double exact[PARTICLES * 4], product[PARTICLES * 4];
    for (uint32_t e = 0; e < PARTICLES * 4; e++) b->pos[e] *= 0.5; // compressed, where energies are not convex
    double *matrix = matrices(b, KERNEL_STIFFNESS);
    forces(b, KERNEL_FORCE_DPOS, exact);
    multiply(b, matrix, b->dpos, product);
    assert_true(largest(exact, PARTICLES * 4) > 0.01);
    expect_close(exact, product, PARTICLES * 4, 1e-12);
    if (cases[c].symmetric) expect_symmetric(b, matrix);
    bool positive = true;
    for (uint32_t row = 0; row < ROWS; row++) positive = is_positive(b, matrix, row) && positive;
    if (cases[c].positive >= 0) assert_int_equal(positive, cases[c].positive);
    free(matrix);

    matrix = matrices(b, KERNEL_DAMPING);
    forces(b, KERNEL_FORCE_DVEL, exact);
    multiply(b, matrix, b->dvel, product);
    expect_close(exact, product, PARTICLES * 4, 1e-12);
    if (cases[c].which != HAND_DRAG) expect_symmetric(b, matrix);
    free(matrix);
    close_bench(b);
  }
}

// Without the second derivatives: at rest they do not count, so both are the same there.
static void gauss_newton_is_exact_at_rest(void **state) {
  (void)state;
  const hand_law laws[] = {HAND_SPRING, HAND_STVK};
  for (uint32_t c = 0; c < 2; c++) {
    static double one[PARTICLES * 4], other[PARTICLES * 4];
    for (uint32_t rest = 0; rest < 2; rest++) {
      bench *b = open_bench(laws[c], CLV_TET, LAW_PSD_GAUSS_NEWTON, 31);
      bench *full = open_bench(laws[c], CLV_TET, LAW_PSD_NONE, 31);
      if (rest && c == 0) {
        for (uint32_t row = 0; row < ROWS; row++)
          for (uint32_t e = 0; e < 6; e++) b->reads[row][e] = b->pos[4 * place_of(b, row, e / 3) + e % 3];
      } else if (rest) {
        for (uint32_t row = 0; row < ROWS; row++) {
          double shape[4][3];
          for (uint32_t e = 0; e < 12; e++) shape[e / 3][e % 3] = b->pos[4 * place_of(b, row, e / 3) + e % 3];
          law_quadrature(CLV_TET, (const double(*)[3])shape, b->quad[row]);
        }
      }
      memcpy(full->reads, b->reads, sizeof b->reads);
      memcpy(full->quad, b->quad, sizeof b->quad);
      hoist_all(b);
      hoist_all(full);
      forces(b, KERNEL_FORCE_DPOS, one);
      forces(full, KERNEL_FORCE_DPOS, other);
      double gap = 0;
      for (uint32_t e = 0; e < PARTICLES * 4; e++) gap = fmax(gap, fabs(one[e] - other[e]));
      if (rest)
        assert_true(gap < 1e-12 * largest(other, PARTICLES * 4));
      else
        assert_true(gap > 1e-3 * largest(other, PARTICLES * 4));
      close_bench(b);
      close_bench(full);
    }
  }
}

// Matrices with a known spectrum: turned diagonals.
static void positive_parts_are_exact(void **state) {
  (void)state;
  random_source random = {5};
  const uint32_t sizes[] = {1, 2, 3, 6, 12, 24, 48};
  for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
    const uint32_t n = sizes[s];
    static double q[48][48], spectrum[48], matrix[48 * 48 * 8], alone[48 * 48], clamped[48 * 48], turned[48 * 48];
    for (uint32_t lane = 0; lane < 8; lane++) {
      const double size = pow(10, random_between(&random, -200, 200));
      for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = 0; j < n; j++) q[i][j] = random_between(&random, -1, 1);
        for (uint32_t j = 0; j < 2 * i; j++) { // twice orthogonalised
          double dot = 0;
          for (uint32_t k = 0; k < n; k++) dot += q[i][k] * q[j % i][k];
          for (uint32_t k = 0; k < n; k++) q[i][k] -= dot * q[j % i][k];
        }
        double length = 0;
        for (uint32_t k = 0; k < n; k++) length += q[i][k] * q[i][k];
        for (uint32_t k = 0; k < n; k++) q[i][k] /= sqrt(length);
        spectrum[i] = lane == 0            ? random_between(&random, 0, 1)
                      : lane == 1 && i < 6 ? 0
                                           : random_between(&random, -1, 1);
        spectrum[i] *= size;
      }
      for (uint32_t e = 0; e < n * n; e++) {
        alone[e] = clamped[e] = turned[e] = 0;
        for (uint32_t k = 0; k < n; k++) {
          const double part = q[k][e / n] * q[k][e % n];
          alone[e] += spectrum[k] * part;
          clamped[e] += fmax(spectrum[k], 0) * part;
          turned[e] += fabs(spectrum[k]) * part;
        }
      }
      for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) alone[i * n + j] = alone[j * n + i];
      static double copy[48 * 48];
      memcpy(copy, alone, sizeof copy);
      kernel_make_positive(copy, n, 1, LAW_PSD_ABS);
      for (uint32_t e = 0; e < n * n; e++) assert_true(fabs(copy[e] - turned[e]) < 1e-14 * n * size);
      memcpy(copy, alone, sizeof copy);
      kernel_make_positive(copy, n, 1, LAW_PSD_NONE);
      assert_memory_equal(copy, alone, n * n * sizeof *copy);
      for (uint32_t e = 0; e < n * n; e++) matrix[e * 8 + lane] = alone[e];
      kernel_make_positive(alone, n, 1, LAW_PSD_CLAMP);
      for (uint32_t e = 0; e < n * n; e++) assert_true(fabs(alone[e] - clamped[e]) < 1e-14 * n * size);
      if (lane != 7) continue;
      // Eight at once, each as if it were alone.
      static double each[48 * 48 * 8];
      memcpy(each, matrix, sizeof each);
      kernel_make_positive_lanes(matrix, n, LAW_PSD_CLAMP);
      for (uint32_t l = 0; l < 8; l++) kernel_make_positive(each + l, n, 8, LAW_PSD_CLAMP);
      assert_memory_equal(each, matrix, n * n * 8 * sizeof *each);
    }
  }
  double broken[4] = {1, NAN, NAN, -1}, zero[4] = {0};
  kernel_make_positive(broken, 2, 1, LAW_PSD_CLAMP);
  assert_true(isnan(broken[1]));
  kernel_make_positive(zero, 2, 1, LAW_PSD_CLAMP);
  assert_true(largest(zero, 4) == 0);
}

// Registers of any width give the same bits.
static void positive_parts_are_the_same_everywhere(void **state) {
  (void)state;
#if defined(__x86_64__)
  static double matrix[24 * 24 * 8], wide[24 * 24 * 8];
  random_source random = {9};
  for (uint32_t i = 0; i < 24; i++)
    for (uint32_t j = 0; j <= i; j++)
      for (uint32_t l = 0; l < 8; l++)
        matrix[(24 * i + j) * 8 + l] = matrix[(24 * j + i) * 8 + l] = random_between(&random, -1, 1);
  for (int isa = NATIVE_AVX2; isa <= NATIVE_AVX512; isa++) {
    if (!native_isa_here((native_isa)isa)) continue;
    static double plain[24 * 24 * 8];
    memcpy(plain, matrix, sizeof plain);
    memcpy(wide, matrix, sizeof wide);
    positive_sse2(plain, 24, 0);
    (isa == NATIVE_AVX2 ? positive_avx2 : positive_avx512)(wide, 24, 0);
    assert_memory_equal(plain, wide, sizeof plain);
    assert_memory_not_equal(plain, matrix, sizeof plain);
  }
#endif
}

// Hoisting

// The operations and inputs that some roots need, by kind.
static void count_ops(const dag *g, const dag_ref *roots, uint32_t count, uint32_t *ops) {
  bool *needed = calloc(g->nodes.count, sizeof *needed);
  assert_non_null(needed);
  memset(ops, 0, DAG_OP_COUNT * sizeof *ops);
  for (uint32_t k = 0; k < count; k++) needed[roots[k]] = true;
  for (dag_ref ref = g->nodes.count - 1; ref > 0; ref--) {
    const dag_node *node = &g->nodes.data[ref];
    if (!needed[ref]) continue;
    ops[node->op]++;
    const dag_ref *arguments = node->op == DAG_TUPLE ? g->tuples.data + node->arg[0] : node->arg;
    const uint32_t argument_count = node->op == DAG_TUPLE ? node->count : dag_arity((dag_op)node->op);
    for (uint32_t k = 0; k < argument_count; k++) needed[arguments[k]] = true;
  }
  free(needed);
}

static void bodies_see_nothing_that_can_be_hoisted(void **state) {
  (void)state;
  const uint32_t unknowns = 1u << DAG_POS | 1u << DAG_VEL | 1u << DAG_DPOS | 1u << DAG_DVEL;
  for (hand_law which = HAND_SPRING; which < HAND_COUNT; which++) {
    bench *b = open_bench(which, CLV_HEX, LAW_PSD_NONE, 1);
    const dag *g = &b->k->graph;
    uint32_t ops[DAG_OP_COUNT], used = 0;
    bool *hoisted = calloc(kernel_constants(b->k) + 1, 1);
    assert_non_null(hoisted);
    for (kernel_kind kind = KERNEL_ENERGY; kind <= KERNEL_FORCE_DVEL; kind++) {
      const kernel_body *body = &b->k->body[kind];
      assert_int_equal(body->root_count, kind == KERNEL_ENERGY ? 1 : b->axes);
      count_ops(g, body->roots, body->root_count, ops);
      assert_int_equal(ops[DAG_READ] + ops[DAG_QUAD] + ops[DAG_HOLD], 0);
      for (uint32_t s = 0; s < b->k->tape[kind].step_count; s++) {
        const kernel_step *step = &b->k->tape[kind].steps[s];
        if (step->op == DAG_HOIST) hoisted[step->index] = true;
        if (step->op == DAG_HOIST_Q) hoisted[b->k->hoist_count + step->index] = true;
      }
    }
    for (uint32_t k = 0; k < b->k->hoist_count + b->k->hoist_q_count; k++) used += hoisted[k];
    assert_int_equal(used, b->k->hoist_count + b->k->hoist_q_count);
    for (uint32_t k = 0; k < b->k->hoist_count; k++)
      assert_int_equal(dag_depends(g, b->k->hoist[k]) & (unknowns | 1u << DAG_QUAD), 0);
    for (uint32_t k = 0; k < b->k->hoist_q_count; k++) {
      assert_int_equal(dag_depends(g, b->k->hoist_q[k]) & unknowns, 0);
      assert_true(dag_depends(g, b->k->hoist_q[k]) & 1u << DAG_QUAD);
    }
    free(hoisted);
    close_bench(b);
  }
}

static void hoisting_saves_work(void **state) {
  (void)state;
  uint32_t ops[DAG_OP_COUNT];
  // Stiffness and rest length; one root, one division.
  bench *b = open_bench(HAND_SPRING, CLV_NONE, LAW_PSD_NONE, 1);
  assert_int_equal(kernel_constants(b->k), 2);
  count_ops(&b->k->graph, b->k->body[KERNEL_FORCE].roots, 6, ops);
  assert_int_equal(ops[DAG_SQRT], 1);
  assert_int_equal(ops[DAG_DIV], 1);
  assert_in_range(ops[DAG_MUL], 3, 8);
  assert_in_range(ops[DAG_ADD] + ops[DAG_SUB] + ops[DAG_NEG], 6, 9);
  close_bench(b);
  // Gradients of three corners, mu w and lambda w.
  b = open_bench(HAND_STVK, CLV_TET, LAW_PSD_NONE, 1);
  assert_int_equal(b->k->hoist_count, 0);
  assert_int_equal(b->k->hoist_q_count, 11);
  close_bench(b);
  b = open_bench(HAND_COROTATIONAL, CLV_TET, LAW_PSD_NONE, 1);
  assert_int_equal(b->k->hoist_count, 0);
  assert_int_equal(b->k->hoist_q_count, 11);
  count_ops(&b->k->graph, b->k->body[KERNEL_FORCE].roots, 12, ops);
  assert_int_equal(ops[DAG_ROTATION], 1);
  close_bench(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_are_slopes_of_energies),
      cmocka_unit_test(tangents_are_slopes_of_forces),
      cmocka_unit_test(held_rotations_are_frozen),
      cmocka_unit_test(points_may_be_written_out),
      cmocka_unit_test(one_point_may_stand_for_all),
      cmocka_unit_test(matrices_are_what_tangents_multiply_with),
      cmocka_unit_test(gauss_newton_is_exact_at_rest),
      cmocka_unit_test(positive_parts_are_exact),
      cmocka_unit_test(positive_parts_are_the_same_everywhere),
      cmocka_unit_test(bodies_see_nothing_that_can_be_hoisted),
      cmocka_unit_test(hoisting_saves_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
