// Energies with their factors inside.
//
// w * (mu * a + lambda * b) reads three constants, (w mu) * a + (w lambda) * b two, and these are what the forces need.
// So a factor free of unknowns goes into a sum of which some term has such a factor of its own; into others, such as
// the squares of a length, it does not go.

#include "rule/kernel_parts.h"

enum { UNKNOWNS = 1u << DAG_POS | 1u << DAG_VEL, TERMS = 256 };

typedef struct term {
  dag_ref value, coefficient; // coefficient: free of unknowns, 0 for 1
  bool at_point;              // it is summed over the points
} term;

typedef struct spreading {
  dag *graph;
  term open[TERMS]; // still to be looked at, the last first
  uint32_t count;
  dag_ref sum[2]; // [1]: at each point
} spreading;

static bool is_free(const dag *graph, dag_ref ref) {
  return !(dag_depends(graph, ref) & UNKNOWNS);
}

// A product with one factor free of unknowns, or a quotient by one: takes it off. False for anything else.
static bool take_factor(dag *g, term *t) {
  const dag_node node = g->nodes.data[t->value];
  const dag_ref a = node.arg[0], b = node.arg[1], one = dag_const(g, 1), known = t->coefficient ? t->coefficient : one;
  if (node.op == DAG_NEG)
    *t = (term){a, dag_unary(g, DAG_NEG, known), t->at_point};
  else if (node.op == DAG_MUL && is_free(g, a))
    *t = (term){b, dag_mul(g, known, a), t->at_point};
  else if (node.op == DAG_MUL && is_free(g, b))
    *t = (term){a, dag_mul(g, known, b), t->at_point};
  else if (node.op == DAG_DIV && is_free(g, b))
    *t = (term){a, dag_div(g, known, b), t->at_point};
  else
    return false;
  return t->value && t->coefficient;
}

static bool is_sum(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].op == DAG_ADD || graph->nodes.data[ref].op == DAG_SUB;
}

// Whether a term of a sum has a factor that is more than a number.
static bool has_factor(dag *graph, dag_ref sum) {
  dag_ref open[TERMS];
  uint32_t count = 0, steps = 0;
  for (open[count++] = sum; count && steps < TERMS; steps++) {
    term t = {open[--count], 0, false};
    if (is_sum(graph, t.value)) {
      if (count + 2 > TERMS) return false;
      open[count++] = graph->nodes.data[t.value].arg[1];
      open[count++] = graph->nodes.data[t.value].arg[0];
      continue;
    }
    while (take_factor(graph, &t)) {
    }
    if (t.coefficient && dag_depends(graph, t.coefficient)) return true;
  }
  return false;
}

static void look_at(spreading *work, term t) {
  dag *g = work->graph;
  g->span = g->nodes.data[t.value].span;
  while (take_factor(g, &t)) {
  }
  const dag_node node = g->nodes.data[t.value];
  if (is_sum(g, t.value) && work->count + 2 <= TERMS && (!t.coefficient || has_factor(g, t.value))) {
    const dag_ref one = dag_const(g, 1), known = t.coefficient ? t.coefficient : one;
    const dag_ref second = node.op == DAG_SUB ? dag_unary(g, DAG_NEG, known) : t.coefficient;
    work->open[work->count++] = (term){node.arg[1], second, t.at_point};
    work->open[work->count++] = (term){node.arg[0], t.coefficient, t.at_point};
    return;
  }
  if (node.op == DAG_OVER) {
    work->open[work->count++] = (term){node.arg[0], t.coefficient, true};
    return;
  }
  const dag_ref value = t.coefficient ? dag_mul(g, t.coefficient, t.value) : t.value;
  dag_ref *sum = &work->sum[t.at_point];
  *sum = *sum ? dag_add(g, *sum, value) : value;
}

dag_ref kernel_spread_factors(dag *graph, dag_ref energy) {
  const rule_span span = graph->span;
  spreading work = {.graph = graph};
  work.open[work.count++] = (term){energy, 0, false};
  for (uint32_t steps = 0; work.count && !graph->no_memory; steps++) {
    if (steps > TERMS) break;
    look_at(&work, work.open[--work.count]);
  }
  graph->span = span;
  if (graph->no_memory) return 0;
  if (work.count) return energy; // a sum of very many terms stays as it is
  if (!work.sum[1]) return work.sum[0];
  const dag_ref all = dag_unary(graph, DAG_OVER, work.sum[1]);
  return work.sum[0] ? dag_add(graph, work.sum[0], all) : all;
}
