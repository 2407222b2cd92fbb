// Gauss-Newton: the stiffness of an energy sum of c r^2, without the second derivatives of r.
//
// Times a direction it is sum of 2 c r' grad r, r' the tangent of r. With r' held this is the gradient of the scalar
// sum of 2 c r' r, which one pass backwards gives.

#include "rule/kernel_parts.h"

enum { TERMS = 4096, FACTORS = 32 };

typedef struct term {
  dag_ref value, coefficient; // value c r^2, or a sum of such
} term;

typedef struct squares {
  dag *graph;
  bool *moves;
  dag_ref last, bad;
  BASE_ARRAY(term) stack;
  BASE_ARRAY(dag_ref) roots, weights; // r and c of each term
  uint32_t seen;
} squares;

static const dag_node *node_at(const squares *work, dag_ref ref) {
  return work->graph->nodes.data + ref;
}

// Coefficients are new nodes and do not move.
static bool moves(const squares *work, dag_ref ref) {
  return ref <= work->last && work->moves[ref];
}

static void push(squares *work, dag_ref value, dag_ref coefficient) {
  if (!moves(work, value)) return;
  if (!BASE_RESERVE(&work->graph->allocator, &work->stack, work->stack.count + 1u))
    work->graph->no_memory = true;
  else
    work->stack.data[work->stack.count++] = (term){value, coefficient};
}

// Is it a number below zero times something, as it is written?
static bool is_negative(const squares *work, dag_ref ref) {
  for (;;) {
    const dag_node *node = node_at(work, ref);
    if (node->op == DAG_CONST) return node->value < 0;
    if (node->op == DAG_NEG) return true;
    if (node->op != DAG_MUL && node->op != DAG_DIV) return false;
    ref = node->arg[0];
  }
}

static void add_square(squares *work, dag_ref r, dag_ref coefficient) {
  const clv_allocator *allocator = &work->graph->allocator;
  if (!BASE_RESERVE(allocator, &work->roots, work->roots.count + 1u) ||
      !BASE_RESERVE(allocator, &work->weights, work->weights.count + 1u)) {
    work->graph->no_memory = true;
    return;
  }
  work->roots.data[work->roots.count++] = r;
  work->weights.data[work->weights.count++] = coefficient;
}

// The sum of 2 c r' r, with r' held; 0 when that is not possible.
static dag_ref sum_of_squares(squares *work) {
  dag *g = work->graph;
  const uint32_t count = work->roots.count;
  dag_ref *tangents = base_allocate(&g->allocator, (count + 1) * sizeof *tangents), sum = dag_const(g, 0);
  if (!tangents) g->no_memory = true;
  if (tangents && dag_tangent(g, work->roots.data, count, DAG_POS, DAG_DPOS, tangents, &work->bad)) {
    for (uint32_t k = 0; k < count; k++) {
      const dag_ref weight = dag_mul(g, dag_const(g, 2), work->weights.data[k]);
      const dag_ref slope = dag_mul(g, weight, dag_unary(g, DAG_HOLD, tangents[k]));
      sum = dag_add(g, sum, dag_mul(g, slope, work->roots.data[k]));
    }
  }
  base_free(&g->allocator, tangents, (count + 1) * sizeof *tangents);
  return work->bad ? 0 : sum;
}

typedef struct factors {
  dag_ref moving[FACTORS], coefficient;
  uint32_t count;
  bool fits;
} factors;

// Takes a product apart: what moves into a list in order, the rest into the coefficient.
static void take_apart(squares *work, dag_ref ref, factors *f) {
  dag_ref open[FACTORS];
  uint32_t count = 0;
  for (open[count++] = ref; count && f->fits;) {
    const dag_ref at = open[--count];
    const dag_node node = *node_at(work, at);
    const bool by_constant = node.op == DAG_DIV && !moves(work, node.arg[1]);
    if (!moves(work, at)) {
      f->coefficient = dag_mul(work->graph, f->coefficient, at);
    } else if ((node.op == DAG_MUL || by_constant) && count + 2 <= FACTORS) {
      if (by_constant)
        f->coefficient = dag_div(work->graph, f->coefficient, node.arg[1]);
      else
        open[count++] = node.arg[1];
      open[count++] = node.arg[0];
    } else if (f->count < FACTORS) {
      uint32_t k = f->count++;
      for (; k > 0 && f->moving[k - 1] > at; k--) f->moving[k] = f->moving[k - 1];
      f->moving[k] = at;
    } else {
      f->fits = false;
    }
  }
}

// A product is c r^2 when its factors come in pairs, and c times a sum when one of them moves.
static void take_product(squares *work, const term *t) {
  factors f = {.coefficient = t->coefficient, .fits = true};
  take_apart(work, t->value, &f);
  if (f.fits && f.count == 1 && f.moving[0] != t->value) {
    push(work, f.moving[0], f.coefficient);
    return;
  }
  dag_ref r = 0;
  bool paired = f.fits && f.count % 2 == 0 && f.coefficient && !is_negative(work, f.coefficient);
  for (uint32_t k = 0; paired && k < f.count; k += 2) {
    paired = f.moving[k] == f.moving[k + 1];
    r = r ? dag_mul(work->graph, r, f.moving[k]) : f.moving[k];
  }
  if (paired)
    add_square(work, r, f.coefficient);
  else if (!work->graph->no_memory)
    work->bad = t->value;
}

static void take_term(squares *work, term t) {
  const dag_node node = *node_at(work, t.value);
  dag *g = work->graph;
  switch (node.op) {
  case DAG_ADD:
  case DAG_SUB:
    push(work, node.arg[1], node.op == DAG_SUB ? dag_unary(g, DAG_NEG, t.coefficient) : t.coefficient);
    push(work, node.arg[0], t.coefficient);
    break;
  case DAG_NEG:
    push(work, node.arg[0], dag_unary(g, DAG_NEG, t.coefficient));
    break;
  case DAG_MUL:
  case DAG_DIV:
    take_product(work, &t);
    break;
  default:
    work->bad = t.value;
    break;
  }
}

bool kernel_gauss_newton(dag *graph, dag_ref energy, uint32_t axes, dag_ref *force_dpos, dag_ref *bad) {
  *bad = 0;
  const size_t size = ((size_t)energy + 1) * sizeof(bool);
  squares work = {.graph = graph, .last = energy};
  work.moves = base_allocate(&graph->allocator, size);
  if (!work.moves)
    graph->no_memory = true;
  else
    dag_moving(graph, DAG_POS, energy, work.moves);
  if (!graph->no_memory) push(&work, energy, dag_const(graph, 1));
  while (work.stack.count && !work.bad && !graph->no_memory) {
    const term next = work.stack.data[--work.stack.count];
    if (++work.seen > TERMS)
      work.bad = energy;
    else
      take_term(&work, next);
  }
  const dag_ref sum = work.bad || graph->no_memory ? 0 : sum_of_squares(&work);
  base_free(&graph->allocator, work.moves, size);
  BASE_RELEASE(&graph->allocator, &work.stack);
  BASE_RELEASE(&graph->allocator, &work.roots);
  BASE_RELEASE(&graph->allocator, &work.weights);
  *bad = work.bad;
  return sum && dag_gradient(graph, dag_unary(graph, DAG_NEG, sum), DAG_POS, axes, force_dpos, bad);
}
