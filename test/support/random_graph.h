// Random functions of some inputs, through every operation that has a derivative, with values of about 1.

#ifndef CLEAVE_TEST_SUPPORT_RANDOM_GRAPH_H
#define CLEAVE_TEST_SUPPORT_RANDOM_GRAPH_H

#include "rule/dag.h"
#include "support/random.h"

static inline dag_ref random_operation(dag *g, random_source *random, dag_ref a, dag_ref b, dag_ref c) {
  const dag_ref square = dag_mul(g, a, a), positive = dag_add(g, dag_const(g, 0.5), square);
  const dag_ref small = dag_div(g, a, dag_add(g, dag_const(g, 1), square));
  switch (random_below(random, 24)) {
  case 0:
    return dag_add(g, a, b);
  case 1:
    return dag_sub(g, a, b);
  case 2:
    return dag_mul(g, a, b);
  case 3:
    return dag_div(g, b, positive);
  case 4:
    return dag_unary(g, DAG_NEG, a);
  case 5:
    return dag_unary(g, DAG_SQRT, positive);
  case 6:
    return dag_unary(g, DAG_EXP, small);
  case 7:
    return dag_unary(g, DAG_LOG, positive);
  case 8:
    return dag_unary(g, DAG_SIN, a);
  case 9:
    return dag_unary(g, DAG_COS, a);
  case 10:
    return dag_unary(g, DAG_TAN, small);
  case 11:
    return dag_unary(g, DAG_ASIN, small);
  case 12:
    return dag_unary(g, DAG_ACOS, small);
  case 13:
    return dag_binary(g, DAG_ATAN2, b, positive);
  case 14:
    return dag_binary(g, DAG_POW, positive, dag_unary(g, DAG_SIN, b));
  case 15:
    return dag_binary(g, DAG_POW, positive, dag_const(g, 1.25));
  case 16:
    return dag_unary(g, DAG_ABS, a);
  case 17:
    return dag_binary(g, random_chance(random, 50) ? DAG_MIN : DAG_MAX, a, b);
  case 18:
    return dag_select(g, dag_binary(g, DAG_LESS, a, b), b, c);
  case 19:
    return dag_mul(g, dag_mul(g, dag_const(g, 0.25), b), dag_mul(g, a, c));
  case 20:
    return dag_div(g, dag_mul(g, b, c), dag_mul(g, dag_const(g, 3), positive));
  case 21:
    return dag_unary(g, DAG_NEG, dag_mul(g, small, b));
  case 22:
    return dag_sub(g, dag_mul(g, dag_const(g, -0.5), a), dag_mul(g, b, c));
  default:
    return dag_unary(g, DAG_SIN, dag_mul(g, dag_mul(g, a, a), a));
  }
}

// A function of `size` operations on `count` inputs, at most 32 of both.
static inline dag_ref random_function(dag *g, random_source *random, const dag_ref *inputs, uint32_t count,
                                      uint32_t size) {
  dag_ref pool[65];
  uint32_t all = 0;
  for (uint32_t k = 0; k < count; k++) pool[all++] = inputs[k];
  pool[all++] = dag_const(g, -0.75);
  for (uint32_t k = 0; k < size; k++) {
    const dag_ref a = pool[random_below(random, all)], b = pool[random_below(random, all)];
    const dag_ref made = random_operation(g, random, a, b, pool[random_below(random, all)]);
    pool[all++] = random_chance(random, 60) ? made : dag_unary(g, DAG_SIN, made);
  }
  return dag_add(g, pool[all - 1], dag_mul(g, pool[all - 2], pool[all - 3]));
}

#endif
