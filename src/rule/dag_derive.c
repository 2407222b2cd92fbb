// Derivatives of graphs, as more nodes of the same graph.
//
// The gradient goes through the graph once, backwards: every node gets its adjoint, the derivative of the root by that
// node, and hands it on to its arguments. Adjoints of one node are summed in the order of the nodes that use it, from
// the last to the first, so a law has one gradient, bit by bit. The tangent goes through the graph forwards. Both share
// whatever they have in common with the function itself, since equal operations are one node.
//
// A node that is the same at all points of a cell gets, from each that is not, an adjoint for every point: those are
// collected apart and added up over the points before it hands them on.
//
// What is held does not move. A branch that is not taken has derivative 0; the conditions that choose do not count.

#include "rule/dag.h"

typedef struct derivation {
  dag *graph;
  bool *moves;    // depends on the unknown, other than under a hold
  dag_ref *slope; // of each node: adjoint or tangent; 0 for none
  dag_ref *each;  // of each node that is the same at all points: its adjoint for one of them
  bool at_point;  // the node that hands on is not
  dag_ref last;
  rule_span span;
} derivation;

static const dag_ref *arguments_of(const dag *graph, const dag_node *node, uint32_t *count) {
  if (node->op == DAG_TUPLE) {
    *count = node->count;
    return graph->tuples.data + node->arg[0];
  }
  *count = dag_arity((dag_op)node->op);
  return node->arg;
}

static bool node_moves(const dag *graph, const dag_node *node, dag_op op, const bool *moves) {
  if (node->op <= DAG_SUM_INPUT) return node->op == op;
  if (node->op == DAG_HOLD) return false;
  if (node->op == DAG_SELECT) return moves[node->arg[1]] || moves[node->arg[2]];
  uint32_t count;
  const dag_ref *arguments = arguments_of(graph, node, &count);
  for (uint32_t k = 0; k < count; k++)
    if (moves[arguments[k]]) return true;
  return false;
}

void dag_moving(const dag *graph, dag_op op, dag_ref last, bool *moves) {
  moves[0] = false;
  for (dag_ref ref = 1; ref <= last; ref++) moves[ref] = node_moves(graph, graph->nodes.data + ref, op, moves);
}

static bool begin(derivation *work, dag *graph, dag_ref last, dag_op op) {
  *work = (derivation){.graph = graph, .last = last, .span = graph->span};
  if (graph->no_memory) return false;
  work->moves = base_allocate(&graph->allocator, ((size_t)last + 1) * sizeof *work->moves);
  work->slope = base_allocate(&graph->allocator, ((size_t)last + 1) * sizeof *work->slope);
  work->each = base_allocate(&graph->allocator, ((size_t)last + 1) * sizeof *work->each);
  if (!work->moves || !work->slope || !work->each) {
    graph->no_memory = true;
    return false;
  }
  memset(work->slope, 0, ((size_t)last + 1) * sizeof *work->slope);
  memset(work->each, 0, ((size_t)last + 1) * sizeof *work->each);
  dag_moving(graph, op, last, work->moves);
  return true;
}

static void end(derivation *work) {
  const clv_allocator *allocator = &work->graph->allocator;
  base_free(allocator, work->moves, ((size_t)work->last + 1) * sizeof *work->moves);
  base_free(allocator, work->slope, ((size_t)work->last + 1) * sizeof *work->slope);
  base_free(allocator, work->each, ((size_t)work->last + 1) * sizeof *work->each);
  work->graph->span = work->span;
}

static bool has_derivative(dag_op op) {
  switch (op) {
  case DAG_FLOOR:
  case DAG_LESS:
  case DAG_LESS_EQUAL:
  case DAG_EQUAL:
  case DAG_AND:
  case DAG_OR:
  case DAG_NOT:
  case DAG_TUPLE:
  case DAG_ROTATION:
  case DAG_PART:
    return false;
  default:
    return true;
  }
}

// The derivative of an operation of one argument by it; n is the operation's own node.
static dag_ref slope_of(dag *g, const dag_node *node, dag_ref n) {
  const dag_ref a = node->arg[0], one = dag_const(g, 1);
  switch (node->op) {
  case DAG_EXP:
    return n;
  case DAG_SIN:
    return dag_unary(g, DAG_COS, a);
  case DAG_COS:
    return dag_unary(g, DAG_NEG, dag_unary(g, DAG_SIN, a));
  case DAG_TAN:
    return dag_add(g, one, dag_mul(g, n, n));
  case DAG_POW: {
    const dag_ref exponent = node->arg[1];
    return dag_mul(g, exponent, dag_binary(g, DAG_POW, a, dag_sub(g, exponent, one)));
  }
  default:
    return one;
  }
}

// g / sqrt(1 - a a), for the inverses of sine and cosine.
static dag_ref over_circle(dag *g, dag_ref slope, dag_ref a) {
  const dag_ref squared = dag_sub(g, dag_const(g, 1), dag_mul(g, a, a));
  return dag_div(g, slope, dag_unary(g, DAG_SQRT, squared));
}

// What a change `slope` of the one argument changes, or what an adjoint `slope` hands on to it: the same product.
static dag_ref along_unary(dag *g, const dag_node *node, dag_ref n, dag_ref slope) {
  const dag_ref a = node->arg[0];
  switch (node->op) {
  case DAG_NEG:
    return dag_unary(g, DAG_NEG, slope);
  case DAG_SQRT:
    return dag_mul(g, dag_const(g, 0.5), dag_div(g, slope, n));
  case DAG_LOG:
    return dag_div(g, slope, a);
  case DAG_ASIN:
    return over_circle(g, slope, a);
  case DAG_ACOS:
    return dag_unary(g, DAG_NEG, over_circle(g, slope, a));
  case DAG_ABS: {
    const dag_ref negative = dag_binary(g, DAG_LESS, a, dag_const(g, 0));
    return dag_select(g, negative, dag_unary(g, DAG_NEG, slope), slope);
  }
  default:
    return dag_mul(g, slope, slope_of(g, node, n));
  }
}

// Whether the first of two is what a minimum or maximum takes.
static dag_ref takes_first(dag *g, const dag_node *node) {
  if (node->op == DAG_MIN) return dag_binary(g, DAG_LESS, node->arg[0], node->arg[1]);
  return dag_binary(g, DAG_LESS, node->arg[1], node->arg[0]);
}

// Backwards

static bool is_at_point(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].depends & DAG_AT_POINT;
}

static void give(derivation *work, dag_ref to, dag_ref adjoint) {
  if (!work->moves[to]) return;
  dag_ref *sum = work->at_point && !is_at_point(work->graph, to) ? &work->each[to] : &work->slope[to];
  *sum = *sum ? dag_add(work->graph, *sum, adjoint) : adjoint;
}

static void add_points(derivation *work, dag_ref ref) {
  if (!work->each[ref]) return;
  work->at_point = false;
  give(work, ref, dag_unary(work->graph, DAG_OVER, work->each[ref]));
}

static void give_product(derivation *work, const dag_node *node, dag_ref adjoint) {
  dag *g = work->graph;
  const dag_ref a = node->arg[0], b = node->arg[1];
  if (a == b) {
    give(work, a, dag_mul(g, dag_mul(g, dag_const(g, 2), adjoint), a));
    return;
  }
  if (work->moves[a]) give(work, a, dag_mul(g, adjoint, b));
  if (work->moves[b]) give(work, b, dag_mul(g, adjoint, a));
}

static void give_quotient(derivation *work, const dag_node *node, dag_ref n, dag_ref adjoint) {
  dag *g = work->graph;
  const dag_ref share = dag_div(g, adjoint, node->arg[1]);
  give(work, node->arg[0], share);
  if (work->moves[node->arg[1]]) give(work, node->arg[1], dag_unary(g, DAG_NEG, dag_mul(g, share, n)));
}

static void give_angle(derivation *work, const dag_node *node, dag_ref adjoint) {
  dag *g = work->graph;
  const dag_ref y = node->arg[0], x = node->arg[1];
  const dag_ref share = dag_div(g, adjoint, dag_add(g, dag_mul(g, x, x), dag_mul(g, y, y)));
  if (work->moves[y]) give(work, y, dag_mul(g, share, x));
  if (work->moves[x]) give(work, x, dag_unary(g, DAG_NEG, dag_mul(g, share, y)));
}

static void give_power(derivation *work, const dag_node *node, dag_ref n, dag_ref adjoint) {
  dag *g = work->graph;
  if (work->moves[node->arg[0]]) give(work, node->arg[0], dag_mul(g, adjoint, slope_of(g, node, n)));
  if (!work->moves[node->arg[1]]) return;
  give(work, node->arg[1], dag_mul(g, adjoint, dag_mul(g, n, dag_unary(g, DAG_LOG, node->arg[0]))));
}

// The adjoint goes to one of two.
static void give_choice(derivation *work, dag_ref first, dag_ref a, dag_ref b, dag_ref adjoint) {
  dag *g = work->graph;
  const dag_ref zero = dag_const(g, 0);
  give(work, a, dag_select(g, first, adjoint, zero));
  give(work, b, dag_select(g, first, zero, adjoint));
}

static void give_back(derivation *work, dag_ref ref) {
  const dag_node node = work->graph->nodes.data[ref];
  const dag_ref adjoint = work->slope[ref];
  dag *g = work->graph;
  g->span = node.span;
  work->at_point = is_at_point(g, ref);
  switch (node.op) {
  case DAG_OVER:
    give(work, node.arg[0], adjoint);
    break;
  case DAG_ADD:
    give(work, node.arg[0], adjoint);
    give(work, node.arg[1], adjoint);
    break;
  case DAG_SUB:
    give(work, node.arg[0], adjoint);
    give(work, node.arg[1], dag_unary(g, DAG_NEG, adjoint));
    break;
  case DAG_MUL:
    give_product(work, &node, adjoint);
    break;
  case DAG_DIV:
    give_quotient(work, &node, ref, adjoint);
    break;
  case DAG_ATAN2:
    give_angle(work, &node, adjoint);
    break;
  case DAG_POW:
    give_power(work, &node, ref, adjoint);
    break;
  case DAG_MIN:
  case DAG_MAX:
    give_choice(work, takes_first(g, &node), node.arg[0], node.arg[1], adjoint);
    break;
  case DAG_SELECT:
    give_choice(work, node.arg[0], node.arg[1], node.arg[2], adjoint);
    break;
  default:
    give(work, node.arg[0], along_unary(g, &node, ref, adjoint));
    break;
  }
}

static bool is_zero(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].op == DAG_CONST && graph->nodes.data[ref].value == 0;
}

// A part of a rotation is named by the rotation.
static dag_ref culprit(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].op == DAG_PART ? graph->nodes.data[ref].arg[0] : ref;
}

static bool spread(derivation *work, dag_ref root, dag_ref *bad) {
  dag *graph = work->graph;
  work->slope[root] = dag_const(graph, 1);
  for (dag_ref ref = root; ref > 0 && !graph->no_memory; ref--) {
    const dag_op op = (dag_op)graph->nodes.data[ref].op;
    add_points(work, ref);
    if (op <= DAG_SUM_INPUT || !work->slope[ref] || !work->moves[ref] || is_zero(graph, work->slope[ref])) continue;
    if (!has_derivative(op)) {
      *bad = culprit(graph, ref);
      return false;
    }
    give_back(work, ref);
  }
  return !graph->no_memory;
}

bool dag_gradient(dag *graph, dag_ref root, dag_op op, uint32_t count, dag_ref *gradient, dag_ref *bad) {
  *bad = 0;
  const dag_ref zero = dag_const(graph, 0);
  for (uint32_t k = 0; k < count; k++) gradient[k] = zero;
  derivation work;
  bool done = begin(&work, graph, root, op) && (!root || !work.moves[root] || spread(&work, root, bad));
  for (dag_ref ref = 1; done && ref <= root; ref++) {
    const dag_node *node = graph->nodes.data + ref;
    if (node->op == op && node->index < count && work.slope[ref]) gradient[node->index] = work.slope[ref];
  }
  end(&work);
  return done && !graph->no_memory;
}

// Forwards

static dag_ref sum_of(dag *g, dag_ref a, dag_ref b) {
  return a && b ? dag_add(g, a, b) : a ? a : b;
}

static dag_ref tangent_of_product(dag *g, const dag_node *node, dag_ref a, dag_ref b) {
  if (node->arg[0] == node->arg[1]) return dag_mul(g, dag_const(g, 2), dag_mul(g, node->arg[0], a));
  return sum_of(g, a ? dag_mul(g, a, node->arg[1]) : 0, b ? dag_mul(g, node->arg[0], b) : 0);
}

static dag_ref tangent_of_quotient(dag *g, const dag_node *node, dag_ref n, dag_ref a, dag_ref b) {
  const dag_ref back = b ? dag_unary(g, DAG_NEG, dag_mul(g, n, b)) : 0;
  return dag_div(g, sum_of(g, a, back), node->arg[1]);
}

static dag_ref tangent_of_angle(dag *g, const dag_node *node, dag_ref a, dag_ref b) {
  const dag_ref y = node->arg[0], x = node->arg[1];
  const dag_ref turned = sum_of(g, a ? dag_mul(g, x, a) : 0, b ? dag_unary(g, DAG_NEG, dag_mul(g, y, b)) : 0);
  return dag_div(g, turned, dag_add(g, dag_mul(g, x, x), dag_mul(g, y, y)));
}

static dag_ref tangent_of_power(dag *g, const dag_node *node, dag_ref n, dag_ref a, dag_ref b) {
  const dag_ref by_base = a ? dag_mul(g, a, slope_of(g, node, n)) : 0;
  const dag_ref by_exponent = b ? dag_mul(g, b, dag_mul(g, n, dag_unary(g, DAG_LOG, node->arg[0]))) : 0;
  return sum_of(g, by_base, by_exponent);
}

static dag_ref tangent_of_choice(dag *g, dag_ref first, dag_ref a, dag_ref b) {
  const dag_ref zero = dag_const(g, 0);
  return dag_select(g, first, a ? a : zero, b ? b : zero);
}

// At least one argument that counts has a tangent.
static dag_ref tangent_of(derivation *work, dag_ref ref) {
  const dag_node node = work->graph->nodes.data[ref];
  const dag_ref a = work->slope[node.arg[0]], b = work->slope[node.arg[1]], c = work->slope[node.arg[2]];
  dag *g = work->graph;
  g->span = node.span;
  switch (node.op) {
  case DAG_ADD:
    return sum_of(g, a, b);
  case DAG_SUB:
    return sum_of(g, a, b ? dag_unary(g, DAG_NEG, b) : 0);
  case DAG_MUL:
    return tangent_of_product(g, &node, a, b);
  case DAG_DIV:
    return tangent_of_quotient(g, &node, ref, a, b);
  case DAG_ATAN2:
    return tangent_of_angle(g, &node, a, b);
  case DAG_POW:
    return tangent_of_power(g, &node, ref, a, b);
  case DAG_MIN:
  case DAG_MAX:
    return tangent_of_choice(g, takes_first(g, &node), a, b);
  case DAG_SELECT:
    return tangent_of_choice(g, node.arg[0], b, c);
  case DAG_OVER:
    return dag_unary(g, DAG_OVER, a);
  default:
    return along_unary(g, &node, ref, a);
  }
}

// Which nodes the roots need to move: their slope is not 0 until they are reached.
static void need_all(derivation *work, const dag_ref *roots, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (work->moves[roots[k]]) work->slope[roots[k]] = 1;
  for (dag_ref ref = work->last; ref > 0; ref--) {
    const dag_node *node = work->graph->nodes.data + ref;
    if (!work->slope[ref]) continue;
    uint32_t argument_count;
    const dag_ref *arguments = arguments_of(work->graph, node, &argument_count);
    for (uint32_t k = node->op == DAG_SELECT; k < argument_count; k++)
      if (work->moves[arguments[k]]) work->slope[arguments[k]] = 1;
  }
}

static bool push_forward(derivation *work, dag_op op, dag_op along, dag_ref *bad) {
  dag *graph = work->graph;
  for (dag_ref ref = 1; ref <= work->last && !graph->no_memory; ref++) {
    if (!work->slope[ref]) continue;
    const dag_node *node = graph->nodes.data + ref;
    if (node->op == op) {
      work->slope[ref] = dag_input(graph, along, node->index);
    } else if (!has_derivative((dag_op)node->op)) {
      // A tuple moves without harm until it is turned into a rotation, which is what the finding should name.
      if (node->op == DAG_TUPLE) continue;
      *bad = culprit(graph, ref);
      return false;
    } else {
      work->slope[ref] = tangent_of(work, ref);
    }
  }
  return !graph->no_memory;
}

bool dag_tangent(dag *graph, const dag_ref *roots, uint32_t count, dag_op op, dag_op along, dag_ref *tangents,
                 dag_ref *bad) {
  *bad = 0;
  dag_ref last = 0;
  for (uint32_t k = 0; k < count; k++)
    if (roots[k] > last) last = roots[k];
  const dag_ref zero = dag_const(graph, 0);
  derivation work;
  bool done = begin(&work, graph, last, op);
  if (done) need_all(&work, roots, count);
  done = done && push_forward(&work, op, along, bad);
  for (uint32_t k = 0; k < count; k++) tangents[k] = done && work.slope[roots[k]] ? work.slope[roots[k]] : zero;
  end(&work);
  return done && !graph->no_memory;
}

// A velocity that moves has no rate: nothing says how it changes.
static bool find_velocity(dag *graph, dag_ref root, dag_ref *bad) {
  derivation work;
  const bool done = begin(&work, graph, root, DAG_VEL);
  if (done && work.moves[root])
    for (dag_ref ref = 1; ref <= root && !*bad; ref++)
      if (graph->nodes.data[ref].op == DAG_VEL) *bad = ref;
  end(&work);
  return done && !*bad;
}

bool dag_rate(dag *graph, dag_ref root, dag_ref *rate, dag_ref *bad) {
  *bad = 0;
  *rate = 0;
  return find_velocity(graph, root, bad) && dag_tangent(graph, &root, 1, DAG_POS, DAG_VEL, rate, bad);
}
