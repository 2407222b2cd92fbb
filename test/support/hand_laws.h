// Laws made by hand, without the language: for the tests of what is made of them.

#ifndef CLEAVE_TEST_SUPPORT_HAND_LAWS_H
#define CLEAVE_TEST_SUPPORT_HAND_LAWS_H

#include "rule/kernel.h"

typedef struct vec {
  dag_ref at[3];
} vec;

typedef struct mat {
  dag_ref at[3][3];
} mat;

typedef enum hand_law {
  HAND_SPRING,        // reads: two rest positions, stiffness, damping
  HAND_DAMPED_SPRING, // and dissipation
  HAND_STVK,          // reads: mu, lambda; over the quadrature of a cell
  HAND_DAMPED_STVK,   // and dissipation of the strain rate; reads: mu, lambda, psi, phi
  HAND_COROTATIONAL,  // mu, lambda; the rotation is held
  HAND_FROZEN,        // likewise, with a rotation that is read: reads 2 ... 10
  HAND_NEO_HOOKEAN,   // mu, lambda
  HAND_DRAG,          // explicit forces between two particles, of positions and velocities; reads as a spring's
  HAND_COUNT
} hand_law;

static inline vec hand_vector(dag *g, dag_op op, uint32_t particle) {
  vec v;
  for (uint32_t k = 0; k < 3; k++) v.at[k] = dag_input(g, op, 3 * particle + k);
  return v;
}

static inline vec hand_minus(dag *g, vec a, vec b) {
  for (uint32_t k = 0; k < 3; k++) a.at[k] = dag_sub(g, a.at[k], b.at[k]);
  return a;
}

static inline dag_ref hand_dot(dag *g, vec a, vec b) {
  dag_ref sum = dag_const(g, 0);
  for (uint32_t k = 0; k < 3; k++) sum = dag_add(g, sum, dag_mul(g, a.at[k], b.at[k]));
  return sum;
}

static inline dag_ref hand_square(dag *g, dag_ref a) {
  return dag_binary(g, DAG_POW, a, dag_const(g, 2));
}

static inline dag_ref hand_scaled(dag *g, double factor, dag_ref a) {
  return dag_mul(g, dag_const(g, factor), a);
}

static inline void hand_spring(law *l, bool damped) {
  dag *g = &l->graph;
  const vec edge = hand_minus(g, hand_vector(g, DAG_POS, 1), hand_vector(g, DAG_POS, 0));
  const vec rest = hand_minus(g, hand_vector(g, DAG_READ, 1), hand_vector(g, DAG_READ, 0));
  const dag_ref length = dag_unary(g, DAG_SQRT, hand_dot(g, edge, edge));
  const dag_ref rest_length = dag_unary(g, DAG_SQRT, hand_dot(g, rest, rest));
  const dag_ref half = hand_scaled(g, 0.5, dag_input(g, DAG_READ, 6));
  l->energy = dag_mul(g, half, hand_square(g, dag_sub(g, length, rest_length)));
  dag_ref rate, bad;
  if (damped && dag_rate(g, length, &rate, &bad))
    l->dissipation = dag_mul(g, dag_unary(g, DAG_SQRT, dag_input(g, DAG_READ, 7)), hand_square(g, rate));
}

static inline void hand_drag(law *l) {
  dag *g = &l->graph;
  const vec edge = hand_minus(g, hand_vector(g, DAG_POS, 1), hand_vector(g, DAG_POS, 0));
  const vec speed = hand_minus(g, hand_vector(g, DAG_VEL, 1), hand_vector(g, DAG_VEL, 0));
  const dag_ref k = dag_input(g, DAG_READ, 6), one = dag_const(g, 1);
  const dag_ref slow = dag_div(g, k, dag_add(g, one, hand_dot(g, speed, speed)));
  const dag_ref near = dag_unary(g, DAG_SQRT, dag_add(g, one, hand_dot(g, edge, edge)));
  for (uint32_t e = 0; e < 3; e++) {
    const dag_ref pull = dag_div(g, dag_mul(g, slow, edge.at[e]), near);
    l->force[e] = dag_add(g, pull, dag_mul(g, dag_input(g, DAG_PARAM, 0), speed.at[e]));
    l->force[3 + e] = dag_unary(g, DAG_NEG, l->force[e]);
  }
}

// F = sum of edges from corner 0 times gradients, whose sum is 0.
static inline mat hand_gradient(dag *g, uint32_t corners) {
  mat f;
  for (uint32_t e = 0; e < 9; e++) f.at[e / 3][e % 3] = dag_const(g, 0);
  for (uint32_t c = 1; c < corners; c++) {
    const vec edge = hand_minus(g, hand_vector(g, DAG_POS, c), hand_vector(g, DAG_POS, 0));
    for (uint32_t e = 0; e < 9; e++) {
      const dag_ref gradient = dag_input(g, DAG_QUAD, 1 + corners + 3 * c + e % 3);
      dag_ref *sum = &f.at[e / 3][e % 3];
      *sum = dag_add(g, *sum, dag_mul(g, edge.at[e / 3], gradient));
    }
  }
  return f;
}

// A'B.
static inline mat hand_transposed_product(dag *g, const mat *a, const mat *b) {
  mat c;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t j = 0; j < 3; j++) {
      c.at[i][j] = dag_const(g, 0);
      for (uint32_t k = 0; k < 3; k++) c.at[i][j] = dag_add(g, c.at[i][j], dag_mul(g, a->at[k][i], b->at[k][j]));
    }
  return c;
}

// The weight times mu E:E + lambda/2 tr(E)^2.
static inline dag_ref hand_isotropic(dag *g, const mat *e, dag_ref mu, dag_ref lambda) {
  dag_ref squares = dag_const(g, 0), trace = dag_const(g, 0);
  for (uint32_t k = 0; k < 9; k++) squares = dag_add(g, squares, hand_square(g, e->at[k / 3][k % 3]));
  for (uint32_t k = 0; k < 3; k++) trace = dag_add(g, trace, e->at[k][k]);
  const dag_ref density =
      dag_add(g, dag_mul(g, mu, squares), dag_mul(g, hand_scaled(g, 0.5, lambda), hand_square(g, trace)));
  return dag_mul(g, dag_input(g, DAG_QUAD, 0), density);
}

static inline void hand_stvk(law *l, uint32_t corners, bool damped) {
  dag *g = &l->graph;
  const mat f = hand_gradient(g, corners);
  mat e = hand_transposed_product(g, &f, &f), rate;
  for (uint32_t k = 0; k < 9; k++)
    e.at[k / 3][k % 3] = hand_scaled(g, 0.5, dag_sub(g, e.at[k / 3][k % 3], dag_const(g, k % 4 == 0)));
  l->energy = hand_isotropic(g, &e, dag_input(g, DAG_READ, 0), dag_input(g, DAG_READ, 1));
  dag_ref bad;
  for (uint32_t k = 0; k < 9; k++) dag_rate(g, e.at[k / 3][k % 3], &rate.at[k / 3][k % 3], &bad);
  if (damped) l->dissipation = hand_isotropic(g, &rate, dag_input(g, DAG_READ, 2), dag_input(g, DAG_READ, 3));
}

static inline void hand_corotational(law *l, uint32_t corners, bool frozen) {
  dag *g = &l->graph;
  const mat f = hand_gradient(g, corners);
  dag_ref turned[9];
  dag_rotation(g, &f.at[0][0], 3, turned);
  mat r;
  for (uint32_t k = 0; k < 9; k++)
    r.at[k / 3][k % 3] = frozen ? dag_input(g, DAG_READ, 2 + k) : dag_unary(g, DAG_HOLD, turned[k]);
  const mat s = hand_transposed_product(g, &r, &f);
  mat e;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t j = 0; j < 3; j++) {
      const dag_ref both = hand_scaled(g, 0.5, dag_add(g, s.at[i][j], s.at[j][i]));
      e.at[i][j] = dag_sub(g, both, dag_const(g, i == j));
    }
  l->energy = hand_isotropic(g, &e, dag_input(g, DAG_READ, 0), dag_input(g, DAG_READ, 1));
}

static inline void hand_neo_hookean(law *l, uint32_t corners) {
  dag *g = &l->graph;
  const mat f = hand_gradient(g, corners), c = hand_transposed_product(g, &f, &f);
  const dag_ref mu = dag_input(g, DAG_READ, 0), lambda = dag_input(g, DAG_READ, 1);
  const dag_ref trace = dag_add(g, dag_add(g, c.at[0][0], c.at[1][1]), c.at[2][2]);
  dag_ref volume = dag_const(g, 0);
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t p = (k + 1) % 3, q = (k + 2) % 3;
    const dag_ref minor = dag_sub(g, dag_mul(g, f.at[1][p], f.at[2][q]), dag_mul(g, f.at[1][q], f.at[2][p]));
    volume = dag_add(g, volume, dag_mul(g, f.at[0][k], minor));
  }
  const dag_ref shape =
      dag_sub(g, dag_sub(g, trace, dag_const(g, 3)), dag_unary(g, DAG_LOG, dag_add(g, trace, dag_const(g, 1))));
  const dag_ref shift = dag_add(g, dag_const(g, 1), dag_div(g, hand_scaled(g, 0.75, mu), lambda));
  const dag_ref density = dag_add(g, dag_mul(g, hand_scaled(g, 0.5, mu), shape),
                                  dag_mul(g, hand_scaled(g, 0.5, lambda), hand_square(g, dag_sub(g, volume, shift))));
  l->energy = dag_mul(g, dag_input(g, DAG_QUAD, 0), density);
}

static inline bool hand_is_of_cells(hand_law which) {
  return which >= HAND_STVK && which <= HAND_NEO_HOOKEAN;
}

// A law on its own; cells have the corners and the quadrature of `kind`. Free it with hand_unmake.
static inline void hand_make(law *l, hand_law which, clv_kind kind, law_psd psd, const clv_allocator *allocator) {
  *l = (law){.name = "made", .psd = psd};
  dag_init(&l->graph, allocator);
  const uint32_t corners = hand_is_of_cells(which) ? (uint32_t)clv_kind_corners(kind) : 2;
  l->particles.count = corners;
  l->quadrature = hand_is_of_cells(which) ? law_quadrature_points(kind) : 0;
  switch (which) {
  case HAND_SPRING:
    hand_spring(l, false);
    break;
  case HAND_DAMPED_SPRING:
    hand_spring(l, true);
    break;
  case HAND_STVK:
    hand_stvk(l, corners, false);
    break;
  case HAND_DAMPED_STVK:
    hand_stvk(l, corners, true);
    break;
  case HAND_COROTATIONAL:
    hand_corotational(l, corners, false);
    break;
  case HAND_FROZEN:
    hand_corotational(l, corners, true);
    break;
  case HAND_NEO_HOOKEAN:
    hand_neo_hookean(l, corners);
    break;
  case HAND_DRAG:
    l->force = base_allocate(allocator, 6 * sizeof *l->force);
    if (l->force)
      hand_drag(l);
    else
      l->graph.no_memory = true;
    break;
  case HAND_COUNT:
    break;
  }
}

static inline void hand_unmake(law *l) {
  base_free(&l->graph.allocator, l->force, 6 * sizeof *l->force);
  dag_free(&l->graph);
}

#endif
