// The scalar graph: each operation once, identities applied, substitution and copies, evaluation, rotations.

#include "rule/dag.h"

#include "support/counting_allocator.h"
#include "support/random_graph.h"

#include <math.h>

static dag new_graph(void) {
  const clv_allocator allocator = clv_default_allocator();
  dag graph;
  dag_init(&graph, &allocator);
  return graph;
}

static dag_ref pos(dag *graph, uint32_t index) {
  return dag_input(graph, DAG_POS, index);
}

static void equal_operations_are_one_node(void **state) {
  (void)state;
  dag graph = new_graph();
  const dag_ref x = pos(&graph, 0), y = pos(&graph, 1), two = dag_const(&graph, 2);
  assert_int_equal(pos(&graph, 0), x);
  assert_int_equal(dag_const(&graph, 2), two);
  assert_int_equal(dag_const(&graph, -0.0), dag_const(&graph, 0));
  assert_int_equal(dag_add(&graph, x, y), dag_add(&graph, y, x));
  assert_int_equal(dag_mul(&graph, x, y), dag_mul(&graph, y, x));
  assert_int_not_equal(dag_sub(&graph, x, y), dag_sub(&graph, y, x));
  assert_int_not_equal(dag_input(&graph, DAG_VEL, 0), x);
  const uint32_t count = graph.nodes.count;
  for (uint32_t k = 0; k < 1000; k++) dag_unary(&graph, DAG_SQRT, dag_mul(&graph, two, dag_add(&graph, x, y)));
  assert_int_equal(graph.nodes.count, count + 2);
  // A thousand distinct nodes are all found again, whatever the table did meanwhile.
  dag_ref made[1000];
  for (uint32_t k = 0; k < 1000; k++) made[k] = dag_input(&graph, DAG_READ, k);
  for (uint32_t k = 0; k < 1000; k++) assert_int_equal(dag_input(&graph, DAG_READ, k), made[k]);
  dag_free(&graph);
}

static void identities_are_applied(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  const dag_ref x = pos(g, 0), y = pos(g, 1), zero = dag_const(g, 0), one = dag_const(g, 1), two = dag_const(g, 2);
  const dag_ref minus_x = dag_unary(g, DAG_NEG, x), minus_y = dag_unary(g, DAG_NEG, y);
  assert_int_equal(dag_add(g, x, zero), x);
  assert_int_equal(dag_sub(g, x, zero), x);
  assert_int_equal(dag_sub(g, zero, x), minus_x);
  assert_int_equal(dag_sub(g, x, x), zero);
  assert_int_equal(dag_mul(g, x, one), x);
  assert_int_equal(dag_mul(g, x, zero), zero);
  assert_int_equal(dag_mul(g, dag_const(g, -1), x), minus_x);
  assert_int_equal(dag_unary(g, DAG_NEG, minus_x), x);
  assert_int_equal(dag_mul(g, minus_x, minus_y), dag_mul(g, x, y));
  const dag_ref there = dag_sub(g, x, y), back = dag_sub(g, y, x);
  assert_int_equal(dag_mul(g, there, there), dag_mul(g, back, back));
  assert_int_equal(dag_mul(g, minus_x, y), dag_unary(g, DAG_NEG, dag_mul(g, x, y)));
  assert_int_equal(dag_add(g, x, minus_y), dag_sub(g, x, y));
  assert_int_equal(dag_add(g, minus_x, minus_y), dag_unary(g, DAG_NEG, dag_add(g, x, y)));
  assert_int_equal(dag_unary(g, DAG_NEG, dag_sub(g, x, y)), dag_sub(g, y, x));
  assert_int_equal(dag_add(g, x, x), dag_mul(g, two, x));
  assert_int_equal(dag_mul(g, dag_const(g, 0.5), dag_mul(g, two, x)), x);
  assert_int_equal(dag_add(g, y, dag_mul(g, dag_const(g, -2), x)), dag_sub(g, y, dag_mul(g, two, x)));
  assert_int_equal(dag_div(g, x, two), dag_mul(g, dag_const(g, 0.5), x));
  assert_int_equal(dag_div(g, x, one), x);
  assert_int_equal(dag_div(g, zero, x), zero);
  assert_int_equal(dag_binary(g, DAG_POW, x, two), dag_mul(g, x, x));
  assert_int_equal(dag_binary(g, DAG_POW, x, zero), one);
  assert_int_equal(dag_binary(g, DAG_POW, x, dag_const(g, 0.5)), dag_unary(g, DAG_SQRT, x));
  assert_int_equal(dag_binary(g, DAG_POW, x, dag_const(g, -1)), dag_div(g, one, x));
  assert_int_equal(dag_binary(g, DAG_MIN, x, x), x);
  assert_int_equal(dag_unary(g, DAG_ABS, minus_x), dag_unary(g, DAG_ABS, x));
  const dag_ref less = dag_binary(g, DAG_LESS, x, y);
  assert_int_equal(dag_select(g, one, x, y), x);
  assert_int_equal(dag_select(g, zero, x, y), y);
  assert_int_equal(dag_select(g, less, x, x), x);
  assert_int_equal(dag_select(g, dag_unary(g, DAG_NOT, less), x, y), dag_select(g, less, y, x));
  assert_int_equal(dag_binary(g, DAG_AND, less, one), less);
  assert_int_equal(dag_binary(g, DAG_AND, less, zero), zero);
  assert_int_equal(dag_binary(g, DAG_OR, less, one), one);
  assert_int_equal(dag_unary(g, DAG_NOT, dag_unary(g, DAG_NOT, less)), less);
  const dag_ref held = dag_unary(g, DAG_HOLD, x);
  assert_int_not_equal(held, x);
  assert_int_equal(dag_unary(g, DAG_HOLD, held), held);
  assert_int_equal(dag_unary(g, DAG_HOLD, dag_input(g, DAG_READ, 0)), dag_input(g, DAG_READ, 0));
  dag_free(g);
}

static void constants_are_folded_where_they_are_finite(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  const dag_ref two = dag_const(g, 2), three = dag_const(g, 3);
  for (dag_op op = DAG_ADD; op <= DAG_SELECT; op++) {
    if (dag_arity(op) == 2) assert_int_equal(dag_binary(g, op, two, three), dag_const(g, dag_apply(op, 2, 3, 0)));
    if (dag_arity(op) == 1 && op != DAG_ASIN && op != DAG_ACOS)
      assert_int_equal(dag_unary(g, op, two), dag_const(g, dag_apply(op, 2, 0, 0)));
  }
  const dag_ref endless = dag_div(g, two, dag_const(g, 0));
  assert_int_equal(g->nodes.data[endless].op, DAG_DIV);
  assert_int_equal(g->nodes.data[dag_unary(g, DAG_ACOS, two)].op, DAG_ACOS);
  dag_free(g);
}

typedef struct point {
  double x[8];
} point;

static double read_point(void *user, dag_op op, uint32_t index) {
  const point *p = user;
  return op == DAG_POS ? p->x[index] : 0.5 + index;
}

static double value_at(const dag *graph, dag_ref root, point *p) {
  static double values[20000];
  assert_in_range(graph->nodes.count, 1, 20000);
  double result;
  dag_evaluate(graph, &root, 1, read_point, p, values, &result);
  return result;
}

static void evaluation_is_the_arithmetic(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  point p = {{1.5, -2, 0.25, 3}};
  const dag_ref x = pos(g, 0), y = pos(g, 1), z = pos(g, 2);
  const dag_ref xy = dag_mul(g, x, y), e = dag_unary(g, DAG_EXP, dag_div(g, xy, z));
  const dag_ref cube = dag_binary(g, DAG_POW, x, dag_const(g, 3));
  assert_true(value_at(g, e, &p) == exp(1.5 * -2 / 0.25));
  assert_true(value_at(g, cube, &p) == 1.5 * 1.5 * 1.5);
  assert_true(value_at(g, dag_binary(g, DAG_POW, x, dag_const(g, -3)), &p) == 1 / (1.5 * 1.5 * 1.5));
  assert_true(value_at(g, dag_select(g, dag_binary(g, DAG_LESS, x, y), x, y), &p) == -2);
  assert_true(value_at(g, dag_binary(g, DAG_MAX, x, y), &p) == 1.5);
  assert_true(value_at(g, 0, &p) == 0);
  assert_int_equal(dag_depends(g, e), 1u << DAG_POS);
  assert_int_equal(dag_depends(g, dag_add(g, e, dag_input(g, DAG_READ, 3))), 1u << DAG_POS | 1u << DAG_READ);
  assert_int_equal(dag_depends(g, dag_const(g, 4)), 0);
  uint32_t bits[200];
  dag_depend_all(g, bits);
  for (dag_ref ref = 1; ref < g->nodes.count; ref++) assert_int_equal(bits[ref], dag_depends(g, ref));
  dag_free(g);
}

// Replaces positions 0 and 1 by 2 and 3.
static dag_ref shift(void *user, dag *graph, dag_op op, uint32_t index) {
  (void)user;
  return op == DAG_POS && index < 2 ? pos(graph, index + 2) : 0;
}

static void substitution_replaces_inputs_only(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  dag_ref matrix[9], turned[9];
  for (uint32_t k = 0; k < 9; k++) matrix[k] = dag_add(g, pos(g, k % 2), dag_const(g, k * k));
  dag_rotation(g, matrix, 3, turned);
  const dag_ref f = dag_select(g, dag_binary(g, DAG_LESS, pos(g, 0), dag_const(g, 1)), dag_mul(g, turned[3], pos(g, 1)),
                               dag_unary(g, DAG_SQRT, pos(g, 1)));
  const dag_ref moved = dag_replace(g, f, shift, NULL);
  assert_int_not_equal(moved, f);
  for (uint32_t k = 0; k < 20; k++) {
    point p = {{0.1 * k, 2, 0.15 * k, 3}}, q = {{0.15 * k, 3, 0, 0}};
    assert_true(value_at(g, moved, &p) == value_at(g, f, &q));
  }
  assert_int_equal(dag_replace(g, moved, shift, NULL), moved);

  dag copy = new_graph();
  dag_ref roots[3] = {f, 0, dag_unary(g, DAG_HOLD, moved)}, copies[3];
  assert_true(dag_copy(&copy, g, roots, 3, copies, true));
  point p = {{0.3, 1.25, 0.4, 0.7}};
  assert_true(value_at(&copy, copies[0], &p) == value_at(g, f, &p));
  assert_int_equal(copies[1], 0);
  assert_true(value_at(&copy, copies[2], &p) == value_at(g, moved, &p));
  for (dag_ref ref = 1; ref < copy.nodes.count; ref++) assert_int_not_equal(copy.nodes.data[ref].op, DAG_HOLD);
  dag_free(&copy);
  dag_free(g);
}

// A chain of 400,000 operations is walked without a deep stack.
static void depth_does_not_matter(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  dag_ref f = pos(g, 0);
  for (uint32_t k = 0; k < 200000; k++) f = dag_unary(g, DAG_SIN, dag_add(g, f, pos(g, 1)));
  const dag_ref moved = dag_replace(g, f, shift, NULL);
  assert_int_not_equal(moved, 0);
  assert_int_not_equal(moved, f);
  // And a graph has an end.
  for (uint32_t k = 0; k < DAG_NODES && f; k++) f = dag_unary(g, DAG_COS, f);
  assert_int_equal(f, 0);
  assert_true(g->no_memory);
  assert_int_equal(dag_const(g, 1), 0);
  dag_free(g);
}

// Rotations

static void times(const double *a, const double *b, double *c) {
  for (uint32_t i = 0; i < 9; i++) c[i] = 0;
  for (uint32_t i = 0; i < 27; i++) c[i / 9 * 3 + i % 3] += a[i / 9 * 3 + i / 3 % 3] * b[i / 3 % 3 * 3 + i % 3];
}

static void transpose(const double *a, double *b) {
  for (uint32_t i = 0; i < 9; i++) b[i] = a[i % 3 * 3 + i / 3];
}

static double determinant(const double *m) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static double difference(const double *a, const double *b, uint32_t count) {
  double most = 0;
  for (uint32_t k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

// Three plane rotations.
static void random_rotation(random_source *random, double *m) {
  double product[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (uint32_t axis = 0; axis < 3; axis++) {
    const double angle = random_between(random, -3.2, 3.2);
    const uint32_t p = (axis + 1) % 3, q = (axis + 2) % 3;
    double plane[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    plane[4 * p] = plane[4 * q] = cos(angle);
    plane[3 * p + q] = -sin(angle);
    plane[3 * q + p] = sin(angle);
    times(plane, product, m);
    memcpy(product, m, sizeof product);
  }
}

static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void expect_rotation(const double *r) {
  double back[9], product[9];
  transpose(r, back);
  times(back, r, product);
  assert_true(difference(product, one, 9) < 2e-15);
  assert_true(fabs(determinant(r) - 1) < 4e-15);
}

// U diag(s) V', and U V', which is nearest where the smallest s, the only one that may be negative, comes last.
static void matrix_of(const double *u, const double *s, const double *v, double *matrix, double *nearest) {
  double back[9], scaled[9];
  transpose(v, back);
  times(u, back, nearest);
  for (uint32_t k = 0; k < 9; k++) scaled[k] = u[k] * s[k % 3];
  times(scaled, back, matrix);
}

static void rotations_are_nearest(void **state) {
  (void)state;
  random_source random = {1};
  for (uint32_t k = 0; k < 20000; k++) {
    double u[9], v[9], matrix[9], nearest[9], found[9];
    random_rotation(&random, u);
    random_rotation(&random, v);
    const double size = pow(10, random_between(&random, -12, 12));
    double s[3] = {random_between(&random, 1, 2), random_between(&random, 0.5, 1), random_between(&random, 0.1, 0.5)};
    if (k % 4 == 1) s[2] = -s[2] * 0.8; // inverted
    if (k % 4 == 2) s[2] = 0;
    if (k % 4 == 3) s[0] = s[1] = s[2] = 1;
    const double gap = s[1] + s[2], condition = s[0] / gap;
    for (uint32_t e = 0; e < 3; e++) s[e] *= size;
    matrix_of(u, s, v, matrix, nearest);
    dag_rotation_of(matrix, 3, found);
    expect_rotation(found);
    if (gap > 0.05) assert_true(difference(found, nearest, 9) < 5e-15 * condition);
  }
}

static void every_matrix_has_a_rotation(void **state) {
  (void)state;
  const double bad[][9] = {
      {0},
      {-1, 0, 0, 0, -1, 0, 0, 0, -1},
      {1, 0, 0, 0, 1, 0, 0, 0, -1},
      {1, 1, 1, 1, 1, 1, 1, 1, 1},
      {0, 1, 0, 0, 0, 0, 0, 0, 0},
      {1e-310, 0, 0, 0, 1e-310, 0, 0, 0, 1e-310},
      {1e300, 0, 0, 0, -1e300, 0, 0, 0, 1e-300},
      {1e-200, 0, 0, 0, 1, 0, 0, 0, 1e-200},
  };
  for (uint32_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    double found[9];
    dag_rotation_of(bad[k], 3, found);
    expect_rotation(found);
    // No rotation of a fine set has a larger trace with the matrix.
    random_source random = {k};
    double reached = 0, scale = 0;
    for (uint32_t e = 0; e < 9; e++) scale = fmax(scale, fabs(bad[k][e]));
    for (uint32_t e = 0; e < 9; e++) reached += found[e] * (bad[k][e] / (scale + 1e-320));
    for (uint32_t other = 0; other < 2000; other++) {
      double r[9], trace = 0;
      random_rotation(&random, r);
      for (uint32_t e = 0; e < 9; e++) trace += r[e] * (bad[k][e] / (scale + 1e-320));
      assert_true(trace <= reached + 1e-14);
    }
  }
  double found[9];
  dag_rotation_of(bad[0], 3, found);
  assert_true(difference(found, one, 9) == 0);
}

static void pairs_of_columns_become_orthonormal(void **state) {
  (void)state;
  random_source random = {7};
  for (uint32_t k = 0; k < 5000; k++) {
    double u[9], matrix[6], found[6];
    random_rotation(&random, u);
    // The first two columns of u times a positive symmetric matrix: u's columns are nearest.
    const double a = random_between(&random, 0.5, 2), d = random_between(&random, 0.5, 2),
                 b = random_between(&random, -0.4, 0.4);
    for (uint32_t row = 0; row < 3; row++) {
      matrix[2 * row] = u[3 * row] * a + u[3 * row + 1] * b;
      matrix[2 * row + 1] = u[3 * row] * b + u[3 * row + 1] * d;
    }
    if (k % 5 == 4)
      for (uint32_t row = 0; row < 3; row++) matrix[2 * row + 1] = k % 2 ? 0 : 2 * matrix[2 * row];
    dag_rotation_of(matrix, 2, found);
    double dots[3] = {0};
    for (uint32_t row = 0; row < 3; row++) {
      dots[0] += found[2 * row] * found[2 * row];
      dots[1] += found[2 * row + 1] * found[2 * row + 1];
      dots[2] += found[2 * row] * found[2 * row + 1];
      if (k % 5 != 4) {
        assert_true(fabs(found[2 * row] - u[3 * row]) < 3e-14);
        assert_true(fabs(found[2 * row + 1] - u[3 * row + 1]) < 3e-14);
      }
    }
    assert_true(fabs(dots[0] - 1) < 2e-15 && fabs(dots[1] - 1) < 2e-15 && fabs(dots[2]) < 2e-15);
  }
}

static void rotations_in_graphs_are_made_once(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  dag_ref matrix[9], first[9], second[9];
  for (uint32_t k = 0; k < 9; k++) matrix[k] = dag_add(g, pos(g, k % 8), dag_const(g, k % 4 == 0));
  dag_rotation(g, matrix, 3, first);
  const uint32_t count = g->nodes.count;
  dag_rotation(g, matrix, 3, second);
  assert_int_equal(g->nodes.count, count);
  assert_memory_equal(first, second, sizeof first);
  point p = {{0.1, 0.2, -0.3, 0.1, 0.5, 0.2, 0.1, -0.2}};
  double values[9], rotation[9];
  for (uint32_t k = 0; k < 9; k++) values[k] = p.x[k % 8] + (k % 4 == 0);
  dag_rotation_of(values, 3, rotation);
  for (uint32_t k = 0; k < 9; k++) assert_true(value_at(g, first[k], &p) == rotation[k]);
  // In place, and on constants.
  memcpy(second, matrix, sizeof second);
  dag_rotation(g, second, 3, second);
  assert_memory_equal(first, second, sizeof first);
  for (uint32_t k = 0; k < 6; k++) matrix[k] = dag_const(g, k == 0 || k == 3);
  dag_rotation(g, matrix, 2, second);
  for (uint32_t k = 0; k < 6; k++) assert_int_equal(second[k], dag_const(g, k == 0 || k == 3));
  dag_free(g);
}

// Derivatives

enum { UNKNOWNS = 5 };

// Central differences; false near a kink, where the two sides differ.
static bool difference_quotient(const dag *g, dag_ref f, const point *at, uint32_t k, double *slope) {
  const double h = 1e-5;
  point p = *at;
  const double middle = value_at(g, f, &p);
  p.x[k] = at->x[k] + h;
  const double right = value_at(g, f, &p);
  p.x[k] = at->x[k] - h;
  const double left = value_at(g, f, &p);
  *slope = (right - left) / (2 * h);
  return fabs((right - middle) - (middle - left)) / h < 1e-2 * (1 + fabs(*slope));
}

typedef struct directed {
  point at, along;
} directed;

static double read_directed(void *user, dag_op op, uint32_t index) {
  const directed *d = user;
  return op == DAG_DPOS ? d->along.x[index] : op == DAG_POS ? d->at.x[index] : 0.5 + index;
}

static double value_along(const dag *g, dag_ref root, const directed *d) {
  static double values[20000];
  assert_in_range(g->nodes.count, 1, 20000);
  directed copy = *d;
  double result;
  dag_evaluate(g, &root, 1, read_directed, &copy, values, &result);
  return result;
}

static void derivatives_are_those_of_differences(void **state) {
  (void)state;
  uint32_t compared = 0, skipped = 0;
  for (uint32_t seed = 0; seed < 400; seed++) {
    random_source random = {seed};
    dag graph = new_graph(), *g = &graph;
    dag_ref inputs[UNKNOWNS + 1] = {dag_input(g, DAG_READ, 1)};
    for (uint32_t k = 0; k < UNKNOWNS; k++) inputs[1 + k] = pos(g, k);
    const dag_ref f = random_function(g, &random, inputs, UNKNOWNS + 1, 4 + random_below(&random, 20));
    dag_ref gradient[UNKNOWNS], hessian[UNKNOWNS], tangent, bad;
    assert_true(dag_gradient(g, f, DAG_POS, UNKNOWNS, gradient, &bad));
    assert_true(dag_tangent(g, &f, 1, DAG_POS, DAG_DPOS, &tangent, &bad));
    assert_true(dag_tangent(g, gradient, UNKNOWNS, DAG_POS, DAG_DPOS, hessian, &bad));
    assert_int_equal(bad, 0);
    for (uint32_t trial = 0; trial < 4; trial++) {
      directed d;
      double inner = 0, size = 0;
      for (uint32_t k = 0; k < 8; k++) {
        d.at.x[k] = random_between(&random, -1.5, 1.5);
        d.along.x[k] = random_between(&random, -1, 1);
      }
      for (uint32_t k = 0; k < UNKNOWNS; k++) {
        double slope;
        const double exact = value_at(g, gradient[k], &d.at);
        inner += exact * d.along.x[k];
        size += fabs(exact * d.along.x[k]);
        if (!difference_quotient(g, f, &d.at, k, &slope)) {
          skipped++;
          continue;
        }
        compared++;
        assert_true(fabs(slope - exact) < 1e-5 * (1 + fabs(exact)));
      }
      assert_true(fabs(value_along(g, tangent, &d) - inner) <= 1e-12 * (1 + size));
      // The second derivative is symmetric: u'Hv = v'Hu.
      directed e = d;
      for (uint32_t k = 0; k < 8; k++) e.along.x[k] = random_between(&random, -1, 1);
      double one_way = 0, other_way = 0, both = 1;
      for (uint32_t k = 0; k < UNKNOWNS; k++) {
        one_way += e.along.x[k] * value_along(g, hessian[k], &d);
        other_way += d.along.x[k] * value_along(g, hessian[k], &e);
        both += fabs(value_along(g, hessian[k], &d)) + fabs(value_along(g, hessian[k], &e));
      }
      assert_true(fabs(one_way - other_way) <= 1e-11 * both);
    }
    dag_free(g);
  }
  assert_true(compared > 6000);
  assert_true(skipped < compared / 50);
}

static void derivatives_share(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  // A product of eight: written out, each entry of the gradient has eight factors.
  dag_ref f = pos(g, 0), gradient[8], bad;
  for (uint32_t k = 1; k < 8; k++) f = dag_mul(g, f, dag_unary(g, DAG_SIN, pos(g, k)));
  const uint32_t before = g->nodes.count;
  assert_true(dag_gradient(g, f, DAG_POS, 8, gradient, &bad));
  assert_true(g->nodes.count - before < 40);
  // An unknown that does not occur has derivative 0.
  assert_true(dag_gradient(g, pos(g, 1), DAG_POS, 8, gradient, &bad));
  for (uint32_t k = 0; k < 8; k++) assert_int_equal(gradient[k], dag_const(g, k == 1));
  dag_free(g);
}

static void what_is_held_does_not_move(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  const dag_ref x = pos(g, 0), held = dag_unary(g, DAG_HOLD, dag_unary(g, DAG_FLOOR, x));
  dag_ref gradient, bad, matrix[9], turned[9];
  assert_true(dag_gradient(g, dag_mul(g, held, x), DAG_POS, 1, &gradient, &bad));
  assert_int_equal(gradient, held);
  for (uint32_t k = 0; k < 9; k++) matrix[k] = dag_add(g, x, dag_const(g, k));
  dag_rotation(g, matrix, 3, turned);
  const dag_ref held_turn = dag_unary(g, DAG_HOLD, turned[4]);
  assert_true(dag_gradient(g, dag_mul(g, held_turn, x), DAG_POS, 1, &gradient, &bad));
  assert_int_equal(gradient, held_turn);
  dag_free(g);
}

static void what_has_no_derivative_is_named(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  const dag_ref x = pos(g, 0), y = pos(g, 1);
  dag_ref bad, result, matrix[9], turned[9];
  for (uint32_t k = 0; k < 9; k++) matrix[k] = dag_add(g, x, dag_const(g, k));
  g->span = (rule_span){0, 17, 20};
  dag_rotation(g, matrix, 3, turned);
  const dag_ref wrong[] = {
      dag_unary(g, DAG_FLOOR, x),      dag_binary(g, DAG_LESS, x, y),
      dag_binary(g, DAG_EQUAL, x, y),  dag_unary(g, DAG_NOT, dag_binary(g, DAG_LESS_EQUAL, x, y)),
      dag_binary(g, DAG_AND, x, y),    dag_binary(g, DAG_OR, x, y),
      g->nodes.data[turned[2]].arg[0],
  };
  for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    const dag_ref at = k == 6 ? turned[2] : wrong[k];
    const dag_ref f = dag_mul(g, y, dag_unary(g, DAG_EXP, at));
    g->span = (rule_span){0, 30, 31};
    assert_false(dag_gradient(g, f, DAG_POS, 1, &result, &bad));
    assert_int_equal(bad, wrong[k]);
    assert_int_equal(g->nodes.data[bad].span.start, 17);
    assert_false(dag_tangent(g, &f, 1, DAG_POS, DAG_DPOS, &result, &bad));
    if (k != 3) assert_int_equal(bad, wrong[k]);
    // Along other unknowns it is a constant.
    assert_true(dag_gradient(g, f, DAG_VEL, 1, &result, &bad));
    assert_int_equal(g->span.start, 30);
  }
  assert_false(g->no_memory);
  dag_free(g);
}

static void rates_follow_velocities(void **state) {
  (void)state;
  dag graph = new_graph(), *g = &graph;
  const dag_ref x = pos(g, 0), v = dag_input(g, DAG_VEL, 0), k = dag_input(g, DAG_READ, 0);
  dag_ref rate, bad;
  assert_true(dag_rate(g, dag_mul(g, k, dag_mul(g, x, x)), &rate, &bad));
  assert_int_equal(rate, dag_mul(g, k, dag_mul(g, dag_const(g, 2), dag_mul(g, x, v))));
  assert_true(dag_rate(g, k, &rate, &bad));
  assert_int_equal(rate, dag_const(g, 0));
  assert_false(dag_rate(g, dag_mul(g, x, v), &rate, &bad));
  assert_int_equal(bad, v);
  dag_free(g);
}

static void memory_that_runs_out_is_noticed(void **state) {
  (void)state;
  bool refused = true;
  for (size_t fail_at = 1; refused; fail_at++) {
    counting_memory memory = {.fail_at = fail_at};
    const clv_allocator allocator = counting_allocator(&memory);
    dag graph, other;
    dag_init(&graph, &allocator);
    dag_init(&other, &allocator);
    dag_ref matrix[9], turned[9], sum = dag_const(&graph, 0), copy = 0;
    for (uint32_t k = 0; k < 40; k++) {
      for (uint32_t e = 0; e < 9; e++) matrix[e] = dag_add(&graph, pos(&graph, (e + k) % 4), dag_const(&graph, e + k));
      dag_rotation(&graph, matrix, 3, turned);
      sum = dag_add(&graph, sum, turned[k % 9]);
    }
    sum = dag_replace(&graph, sum, shift, NULL);
    dag_ref slopes[4] = {0}, tangent = 0, bad;
    const dag_ref wave = dag_unary(&graph, DAG_SIN, dag_mul(&graph, pos(&graph, 0), dag_unary(&graph, DAG_HOLD, sum)));
    const bool derived = dag_gradient(&graph, wave, DAG_POS, 4, slopes, &bad) &&
                         dag_tangent(&graph, slopes, 4, DAG_POS, DAG_DPOS, slopes, &bad) &&
                         dag_rate(&graph, wave, &tangent, &bad);
    assert_int_equal(derived, !graph.no_memory);
    assert_int_equal(bad, 0);
    dag_copy(&other, &graph, &sum, 1, &copy, false);
    refused = memory.refused;
    assert_int_equal(graph.no_memory || other.no_memory, refused);
    assert_int_equal(copy == 0, other.no_memory || sum == 0);
    if (graph.no_memory)
      assert_int_equal(dag_const(&graph, 1), 0);
    else
      assert_int_not_equal(sum, 0);
    dag_free(&graph);
    dag_free(&other);
    assert_int_equal(memory.live_bytes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_operations_are_one_node),
      cmocka_unit_test(identities_are_applied),
      cmocka_unit_test(constants_are_folded_where_they_are_finite),
      cmocka_unit_test(evaluation_is_the_arithmetic),
      cmocka_unit_test(substitution_replaces_inputs_only),
      cmocka_unit_test(depth_does_not_matter),
      cmocka_unit_test(rotations_are_nearest),
      cmocka_unit_test(every_matrix_has_a_rotation),
      cmocka_unit_test(pairs_of_columns_become_orthonormal),
      cmocka_unit_test(rotations_in_graphs_are_made_once),
      cmocka_unit_test(derivatives_are_those_of_differences),
      cmocka_unit_test(derivatives_share),
      cmocka_unit_test(what_is_held_does_not_move),
      cmocka_unit_test(what_has_no_derivative_is_named),
      cmocka_unit_test(rates_follow_velocities),
      cmocka_unit_test(memory_that_runs_out_is_noticed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
