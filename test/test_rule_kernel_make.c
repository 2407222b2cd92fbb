// Making kernels: they compute what the law's graph and its derivatives say, for laws at random; a law that cannot be
// differentiated is a finding, and memory that runs out is noticed.

#include "support/counting_allocator.h"
#include "support/hand_laws.h"
#include "support/random_graph.h"

#include <math.h>

// A random law of two particles and two points: kernels give what the graph's own derivatives do.
typedef struct random_law {
  law l;
  dag_ref forces[6], roots[KERNEL_FORCE_DVEL + 1][6];
} random_law;

static void make_random_law(random_law *r, uint64_t seed) {
  const clv_allocator allocator = clv_default_allocator();
  random_source random = {seed};
  r->l = (law){.name = "random", .quadrature = 2, .force = r->forces};
  r->l.particles.count = 2;
  dag *g = &r->l.graph;
  dag_init(g, &allocator);
  dag_ref inputs[20], matrix[9], turned[9], bad;
  uint32_t count = 0;
  for (uint32_t k = 0; k < 2; k++) {
    inputs[count++] = dag_input(g, DAG_PARAM, k);
    inputs[count++] = dag_input(g, DAG_READ, 3 * k);
    inputs[count++] = dag_input(g, DAG_QUAD, 5 * k);
  }
  for (uint32_t k = 0; k < 6; k++) inputs[count++] = dag_input(g, DAG_POS, k);
  for (uint32_t k = 0; k < 9; k++) matrix[k] = dag_add(g, inputs[k], dag_const(g, k % 4 == 0));
  dag_rotation(g, matrix, 3, turned);
  inputs[count++] = dag_unary(g, DAG_HOLD, turned[seed % 9]);
  r->l.energy = random_function(g, &random, inputs, count, 5 + random_below(&random, 25));
  for (uint32_t k = 0; k < 6; k++) inputs[count++] = dag_input(g, DAG_VEL, k);
  r->l.dissipation = random_function(g, &random, inputs, count, 5 + random_below(&random, 10));
  for (uint32_t k = 0; k < 6; k++) r->forces[k] = k % 3 ? random_function(g, &random, inputs, count, 5) : 0;

  dag_ref slopes[6], drags[6];
  assert_true(dag_gradient(g, r->l.energy, DAG_POS, 6, slopes, &bad));
  assert_true(dag_gradient(g, r->l.dissipation, DAG_VEL, 6, drags, &bad));
  for (uint32_t k = 0; k < 6; k++) {
    const dag_ref push = r->forces[k] ? r->forces[k] : dag_const(g, 0);
    r->roots[KERNEL_FORCE][k] = dag_sub(g, dag_sub(g, push, slopes[k]), drags[k]);
    r->roots[KERNEL_ENERGY][k] = k ? 0 : r->l.energy;
  }
  const dag_ref *force = r->roots[KERNEL_FORCE];
  assert_true(dag_tangent(g, force, 6, DAG_POS, DAG_DPOS, r->roots[KERNEL_FORCE_DPOS], &bad));
  assert_true(dag_tangent(g, force, 6, DAG_VEL, DAG_DVEL, r->roots[KERNEL_FORCE_DVEL], &bad));
}

typedef struct random_row {
  double value[DAG_SUM_INPUT][8], quad[2][LAW_QUAD_DATA];
  uint32_t point;
} random_row;

static double read_row(void *user, dag_op op, uint32_t index) {
  const random_row *row = user;
  return op == DAG_QUAD ? row->quad[row->point][index] : row->value[op][index];
}

static void expect_row(const random_law *r, const kernel *k, random_row *row, double *values) {
  double pos[8], vel[8], dpos[8], dvel[8], *constants = calloc(kernel_constants(k) * 8 + 1, sizeof *constants);
  assert_non_null(constants);
  uint32_t places[16] = {0};
  for (uint32_t lane = 0; lane < 8; lane++) places[8 + lane] = KERNEL_STRIDE;
  for (uint32_t e = 0; e < 6; e++) {
    pos[e / 3 * 4 + e % 3] = row->value[DAG_POS][e];
    vel[e / 3 * 4 + e % 3] = row->value[DAG_VEL][e];
    dpos[e / 3 * 4 + e % 3] = row->value[DAG_DPOS][e];
    dvel[e / 3 * 4 + e % 3] = row->value[DAG_DVEL][e];
  }
  kernel_hoist(k, row->value[DAG_PARAM], row->value[DAG_READ], (const double(*)[LAW_QUAD_DATA])row->quad, constants);
  for (kernel_kind kind = KERNEL_ENERGY; kind <= KERNEL_FORCE_DVEL; kind++) {
    double out[8] = {0}, each[8], wanted[6] = {0}, part[6], size = 1;
    const kernel_args args = {1, places, constants, row->value[DAG_PARAM], pos, vel, dpos, dvel, out, each, NULL};
    kernel_run(k, kind, &args);
    for (row->point = 0; row->point < 2; row->point++) {
      dag_evaluate(&r->l.graph, r->roots[kind], 6, read_row, row, values, part);
      for (uint32_t e = 0; e < 6; e++) wanted[e] += part[e];
      for (uint32_t e = 0; e < 6; e++) size = fmax(size, fabs(part[e]));
    }
    if (kind == KERNEL_ENERGY) out[0] = each[0];
    for (uint32_t e = 0; e < (kind == KERNEL_ENERGY ? 1 : 6); e++)
      assert_true(fabs(out[e / 3 * 4 + e % 3] - wanted[e]) <= 1e-9 * size);
  }
  free(constants);
}

static void kernels_compute_what_graphs_say(void **state) {
  (void)state;
  static random_law r;
  for (uint32_t seed = 0; seed < 300; seed++) {
    make_random_law(&r, seed);
    clv_program *program = clv_program_create(NULL);
    kernel *k = kernel_make(program, &r.l);
    assert_non_null(k);
    double *values = calloc(r.l.graph.nodes.count, sizeof *values);
    assert_non_null(values);
    random_source random = {seed + 1000};
    for (uint32_t trial = 0; trial < 3; trial++) {
      random_row row = {.point = 0};
      for (uint32_t e = 0; e < DAG_SUM_INPUT * 8; e++) row.value[e / 8][e % 8] = random_between(&random, -1.2, 1.2);
      for (uint32_t e = 0; e < 2 * LAW_QUAD_DATA; e++)
        row.quad[e / LAW_QUAD_DATA][e % LAW_QUAD_DATA] = random_between(&random, -1.2, 1.2);
      expect_row(&r, k, &row, values);
    }
    free(values);
    kernel_destroy(k, &program->arena.allocator);
    clv_program_destroy(program);
    dag_free(&r.l.graph);
  }
}

// Findings

static void expect_finding(law *l, uint32_t start, const char *word) {
  clv_program *program = clv_program_create(NULL);
  assert_null(kernel_make(program, l));
  assert_int_equal(program->findings.count, 1);
  assert_int_equal(program->findings.data[0].code, 'D');
  assert_int_equal(program->findings.data[0].span.start, start);
  assert_non_null(strstr(program->findings.data[0].what, word));
  assert_true(strlen(program->findings.data[0].help) > 5);
  assert_false(program->no_memory);
  clv_program_destroy(program);
}

static void what_cannot_be_differentiated_is_found(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  for (uint32_t c = 0; c < 7; c++) {
    const char *words[] = {"floor", "rotation", "condition", "velocities", "gauss_newton", "gauss_newton", "sum"};
    law l = {.name = "bad", .psd = c == 4 || c == 5 ? LAW_PSD_GAUSS_NEWTON : LAW_PSD_NONE};
    dag *g = &l.graph;
    dag_init(g, &allocator);
    l.particles.count = 2;
    const dag_ref x = dag_input(g, DAG_POS, 0), y = dag_input(g, DAG_POS, 1);
    dag_ref matrix[9], turned[9];
    for (uint32_t k = 0; k < 9; k++) matrix[k] = dag_add(g, x, dag_const(g, k));
    g->span = (rule_span){0, 40 + c, 50 + c};
    dag_rotation(g, matrix, 3, turned);
    const dag_ref bad[] = {
        dag_unary(g, DAG_FLOOR, x),     turned[1],        dag_binary(g, DAG_LESS, x, y),
        dag_input(g, DAG_VEL, 3),       dag_mul(g, x, y), dag_mul(g, dag_const(g, -2), dag_mul(g, x, x)),
        dag_input(g, DAG_SUM_INPUT, 0),
    };
    g->span = (rule_span){0, 7, 8};
    l.energy = dag_add(g, dag_mul(g, y, y), dag_mul(g, dag_input(g, DAG_READ, 0), bad[c]));
    expect_finding(&l, c == 4 || c == 5 ? 7 : 40 + c, words[c]); // gauss_newton: the whole term
    dag_free(g);
  }
}

static void memory_that_runs_out_is_noticed(void **state) {
  (void)state;
  const struct {
    hand_law which;
    law_psd psd;
  } cases[] = {{HAND_DAMPED_STVK, LAW_PSD_GAUSS_NEWTON}, {HAND_COROTATIONAL, LAW_PSD_NONE}, {HAND_DRAG, LAW_PSD_NONE}};
  for (uint32_t c = 0; c < 3; c++) {
    bool refused = true;
    for (size_t fail_at = 1; refused; fail_at++) {
      const clv_allocator plain = clv_default_allocator();
      law l;
      hand_make(&l, cases[c].which, CLV_TET, cases[c].psd, &plain);
      counting_memory memory = {.fail_at = fail_at};
      const clv_allocator allocator = counting_allocator(&memory);
      clv_program *program = clv_program_create(&allocator);
      if (program) {
        kernel *k = kernel_make(program, &l);
        refused = memory.refused;
        assert_int_equal(k == NULL, refused);
        assert_int_equal(program->no_memory, refused);
        assert_int_equal(program->findings.count, 0);
        kernel_destroy(k, &allocator);
      }
      clv_program_destroy(program);
      assert_int_equal(memory.live_bytes, 0);
      hand_unmake(&l);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_compute_what_graphs_say),
      cmocka_unit_test(what_cannot_be_differentiated_is_found),
      cmocka_unit_test(memory_that_runs_out_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
