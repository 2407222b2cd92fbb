#include "rule/dag.h"

#include <assert.h>
#include <math.h>

// The table

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// A tuple is known by its arguments, not by where they lie.
static uint32_t hash_of(const dag_node *node, const dag_ref *tuple) {
  uint64_t hash = mix(node->op, node->index);
  hash = mix(hash, bits_of(node->value));
  if (node->op == DAG_TUPLE) {
    for (uint32_t k = 0; k < node->count; k++) hash = mix(hash, tuple[k]);
  } else {
    hash = mix(hash, (uint64_t)node->arg[0] << 32 | node->arg[1]);
    hash = mix(hash, (uint64_t)node->arg[2] << 8 | node->count);
  }
  return (uint32_t)(hash >> 32);
}

static bool same(const dag *graph, const dag_node *a, const dag_node *b, const dag_ref *tuple) {
  if (a->op != b->op || a->count != b->count || a->index != b->index) return false;
  if (bits_of(a->value) != bits_of(b->value)) return false;
  if (tuple) return memcmp(graph->tuples.data + a->arg[0], tuple, b->count * sizeof *tuple) == 0;
  return a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] && a->arg[2] == b->arg[2];
}

static const dag_ref *tuple_of(const dag *graph, const dag_node *node) {
  return node->op == DAG_TUPLE ? graph->tuples.data + node->arg[0] : NULL;
}

static void enter(dag *graph, dag_ref ref) {
  const dag_node *node = graph->nodes.data + ref;
  const uint32_t mask = graph->table.capacity - 1;
  uint32_t slot = hash_of(node, tuple_of(graph, node)) & mask;
  while (graph->table.data[slot]) slot = (slot + 1) & mask;
  graph->table.data[slot] = ref;
}

// Room for `more` nodes, in the list and in the table, which stays at most half full.
static bool make_room(dag *graph, uint32_t more) {
  const uint32_t need = (graph->nodes.count ? graph->nodes.count : 1) + more;
  if (graph->no_memory) return false;
  uint32_t size = graph->table.capacity ? graph->table.capacity : 64;
  while (size / 2 < need) size *= 2;
  if (need > DAG_NODES || !BASE_RESERVE(&graph->allocator, &graph->nodes, need) ||
      !BASE_RESERVE(&graph->allocator, &graph->table, size)) {
    graph->no_memory = true;
    return false;
  }
  if (!graph->nodes.count) graph->nodes.data[graph->nodes.count++] = (dag_node){.op = DAG_NONE};
  if (graph->table.count != graph->table.capacity) {
    graph->table.count = graph->table.capacity;
    memset(graph->table.data, 0, graph->table.capacity * sizeof *graph->table.data);
    for (dag_ref ref = 1; ref < graph->nodes.count; ref++) enter(graph, ref);
  }
  return true;
}

static dag_ref push(dag *graph, dag_node node) {
  node.span = graph->span;
  graph->nodes.data[graph->nodes.count] = node;
  enter(graph, graph->nodes.count);
  return graph->nodes.count++;
}

// The node that is there already, or 0. `tuple` holds the arguments where it is a tuple.
static dag_ref find(dag *graph, const dag_node *node, const dag_ref *tuple) {
  if (!graph->table.count && (!graph->nodes.count || !make_room(graph, 1))) return 0; // it was settled, or is empty
  const uint32_t mask = graph->table.capacity - 1;
  uint32_t slot = hash_of(node, tuple) & mask;
  for (; graph->table.data[slot]; slot = (slot + 1) & mask)
    if (same(graph, graph->nodes.data + graph->table.data[slot], node, tuple)) return graph->table.data[slot];
  return 0;
}

static dag_ref intern(dag *graph, dag_node node) {
  const dag_ref there = find(graph, &node, NULL);
  if (there) return there;
  if (!make_room(graph, 1)) return 0;
  for (uint32_t k = 0; k < 3; k++)
    if (node.arg[k]) node.depends |= graph->nodes.data[node.arg[k]].depends;
  if (node.op == DAG_OVER) node.depends &= (uint16_t)~DAG_AT_POINT;
  return push(graph, node);
}

void dag_init(dag *graph, const clv_allocator *allocator) {
  *graph = (dag){.allocator = *allocator};
}

bool dag_settle(dag *graph) {
  BASE_RELEASE(&graph->allocator, &graph->table);
  return BASE_FIT(&graph->allocator, &graph->nodes) && BASE_FIT(&graph->allocator, &graph->tuples);
}

void dag_free(dag *graph) {
  BASE_RELEASE(&graph->allocator, &graph->nodes);
  BASE_RELEASE(&graph->allocator, &graph->tuples);
  BASE_RELEASE(&graph->allocator, &graph->table);
}

// Operations

uint32_t dag_arity(dag_op op) {
  switch (op) {
  case DAG_ADD:
  case DAG_SUB:
  case DAG_MUL:
  case DAG_DIV:
  case DAG_ATAN2:
  case DAG_POW:
  case DAG_MIN:
  case DAG_MAX:
  case DAG_LESS:
  case DAG_LESS_EQUAL:
  case DAG_EQUAL:
  case DAG_AND:
  case DAG_OR:
    return 2;
  case DAG_SELECT:
    return 3;
  default:
    return op > DAG_SUM_INPUT && op != DAG_TUPLE && op < DAG_OP_COUNT ? 1 : 0;
  }
}

double dag_apply(dag_op op, double a, double b, double c) {
  switch (op) {
  case DAG_ADD:
    return a + b;
  case DAG_SUB:
    return a - b;
  case DAG_MUL:
    return a * b;
  case DAG_DIV:
    return a / b;
  case DAG_NEG:
    return -a;
  case DAG_SQRT:
    return sqrt(a);
  case DAG_EXP:
    return exp(a);
  case DAG_LOG:
    return log(a);
  case DAG_SIN:
    return sin(a);
  case DAG_COS:
    return cos(a);
  case DAG_TAN:
    return tan(a);
  case DAG_ASIN:
    return asin(a);
  case DAG_ACOS:
    return acos(a);
  case DAG_ATAN2:
    return atan2(a, b);
  case DAG_POW:
    return pow(a, b);
  case DAG_ABS:
    return fabs(a);
  case DAG_MIN:
    return a < b ? a : b;
  case DAG_MAX:
    return b < a ? a : b;
  case DAG_FLOOR:
    return floor(a);
  case DAG_LESS:
    return a < b;
  case DAG_LESS_EQUAL:
    return a <= b;
  case DAG_EQUAL:
    return a == b;
  case DAG_AND:
    return a != 0 && b != 0;
  case DAG_OR:
    return a != 0 || b != 0;
  case DAG_NOT:
    return a == 0;
  case DAG_SELECT:
    return a != 0 ? b : c;
  case DAG_HOLD:
    return a;
  default:
    return NAN;
  }
}

dag_ref dag_const(dag *graph, double value) {
  if (graph->no_memory) return 0;
  return intern(graph, (dag_node){.op = DAG_CONST, .value = value == 0 ? 0.0 : value});
}

dag_ref dag_input(dag *graph, dag_op op, uint32_t index) {
  assert(op > DAG_CONST && op <= DAG_SUM_INPUT);
  if (graph->no_memory) return 0;
  return intern(graph, (dag_node){.op = (uint8_t)op, .index = index, .depends = (uint16_t)(1u << op)});
}

static dag_op op_of(const dag *graph, dag_ref ref) {
  return (dag_op)graph->nodes.data[ref].op;
}

static bool is_const(const dag *graph, dag_ref ref) {
  return op_of(graph, ref) == DAG_CONST;
}

static bool is_value(const dag *graph, dag_ref ref, double value) {
  return is_const(graph, ref) && graph->nodes.data[ref].value == value;
}

static double value_of(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].value;
}

static dag_ref argument(const dag *graph, dag_ref ref, uint32_t k) {
  return graph->nodes.data[ref].arg[k];
}

static dag_ref make(dag *graph, dag_op op, dag_ref a, dag_ref b, dag_ref c) {
  return intern(graph, (dag_node){.op = (uint8_t)op, .arg = {a, b, c}});
}

// c * x with a negative c: sums would rather take away the positive multiple.
static bool is_negative_multiple(const dag *graph, dag_ref ref) {
  return op_of(graph, ref) == DAG_MUL && is_const(graph, argument(graph, ref, 0)) &&
         value_of(graph, argument(graph, ref, 0)) < 0;
}

static bool is_negated(const dag *graph, dag_ref ref) {
  return op_of(graph, ref) == DAG_NEG || is_negative_multiple(graph, ref);
}

static dag_ref negate(dag *graph, dag_ref a) {
  switch (op_of(graph, a)) {
  case DAG_NEG:
    return argument(graph, a, 0);
  case DAG_SUB:
    return dag_sub(graph, argument(graph, a, 1), argument(graph, a, 0));
  case DAG_MUL:
    if (is_const(graph, argument(graph, a, 0)))
      return dag_mul(graph, dag_const(graph, -value_of(graph, argument(graph, a, 0))), argument(graph, a, 1));
    break;
  default:
    break;
  }
  return make(graph, DAG_NEG, a, 0, 0);
}

static dag_ref add(dag *graph, dag_ref a, dag_ref b) {
  if (is_value(graph, a, 0)) return b;
  if (is_value(graph, b, 0)) return a;
  if (a == b) return dag_mul(graph, dag_const(graph, 2), a);
  if (is_negated(graph, b)) return dag_sub(graph, a, negate(graph, b));
  if (is_negated(graph, a)) return dag_sub(graph, b, negate(graph, a));
  return make(graph, DAG_ADD, a, b, 0);
}

static dag_ref subtract(dag *graph, dag_ref a, dag_ref b) {
  if (a == b) return dag_const(graph, 0);
  if (is_value(graph, a, 0)) return negate(graph, b);
  if (is_value(graph, b, 0)) return a;
  if (is_negated(graph, b)) return dag_add(graph, a, negate(graph, b));
  if (op_of(graph, a) == DAG_NEG) return dag_unary(graph, DAG_NEG, dag_add(graph, argument(graph, a, 0), b));
  return make(graph, DAG_SUB, a, b, 0);
}

static dag_ref multiply(dag *graph, dag_ref a, dag_ref b) {
  if (is_const(graph, a)) {
    const double factor = value_of(graph, a);
    if (factor == 0) return a;
    if (factor == 1) return b;
    if (factor == -1) return negate(graph, b);
    if (op_of(graph, b) == DAG_NEG) return dag_mul(graph, dag_const(graph, -factor), argument(graph, b, 0));
    if (op_of(graph, b) == DAG_MUL && is_const(graph, argument(graph, b, 0))) {
      const double product = factor * value_of(graph, argument(graph, b, 0));
      if (isnormal(product)) return dag_mul(graph, dag_const(graph, product), argument(graph, b, 1));
    }
  } else {
    if (op_of(graph, a) == DAG_NEG) return dag_unary(graph, DAG_NEG, dag_mul(graph, argument(graph, a, 0), b));
    if (op_of(graph, b) == DAG_NEG) return dag_unary(graph, DAG_NEG, dag_mul(graph, a, argument(graph, b, 0)));
    // (x - y)^2 is (y - x)^2 to the last bit: a distance is one node, whichever end it is measured from.
    if (a == b && op_of(graph, a) == DAG_SUB && argument(graph, a, 0) > argument(graph, a, 1))
      a = b = dag_sub(graph, argument(graph, a, 1), argument(graph, a, 0));
  }
  return make(graph, DAG_MUL, a, b, 0);
}

static bool is_power_of_two(double value) {
  int exponent;
  return isnormal(value) && fabs(frexp(value, &exponent)) == 0.5 && isnormal(1 / value);
}

static dag_ref divide(dag *graph, dag_ref a, dag_ref b) {
  if (is_value(graph, b, 1)) return a;
  if (is_value(graph, a, 0) && !is_value(graph, b, 0)) return a;
  if (is_const(graph, b) && is_power_of_two(value_of(graph, b)))
    return dag_mul(graph, dag_const(graph, 1 / value_of(graph, b)), a);
  if (op_of(graph, a) == DAG_NEG) return dag_unary(graph, DAG_NEG, dag_div(graph, argument(graph, a, 0), b));
  if (op_of(graph, b) == DAG_NEG) return dag_unary(graph, DAG_NEG, dag_div(graph, a, argument(graph, b, 0)));
  return make(graph, DAG_DIV, a, b, 0);
}

// Whole exponents become products; those that are large stay as they are.
static dag_ref power(dag *graph, dag_ref a, dag_ref b) {
  if (is_value(graph, a, 1)) return a;
  if (!is_const(graph, b)) return make(graph, DAG_POW, a, b, 0);
  const double exponent = value_of(graph, b);
  if (exponent == 0.5) return dag_unary(graph, DAG_SQRT, a);
  if (exponent == -0.5) return dag_div(graph, dag_const(graph, 1), dag_unary(graph, DAG_SQRT, a));
  if (exponent != floor(exponent) || fabs(exponent) > 32) return make(graph, DAG_POW, a, b, 0);
  dag_ref result = 0, square = a;
  for (uint32_t rest = (uint32_t)fabs(exponent); rest; rest >>= 1) {
    if (rest & 1) result = result ? dag_mul(graph, result, square) : square;
    if (rest > 1) square = dag_mul(graph, square, square);
  }
  if (!result) return dag_const(graph, 1);
  return exponent < 0 ? dag_div(graph, dag_const(graph, 1), result) : result;
}

static bool is_condition(const dag *graph, dag_ref ref) {
  return op_of(graph, ref) >= DAG_LESS && op_of(graph, ref) <= DAG_NOT;
}

// A constant one of the two decides, or the other is what is left.
static dag_ref logical(dag *graph, dag_op op, dag_ref a, dag_ref b) {
  if (is_const(graph, a)) {
    if ((value_of(graph, a) != 0) == (op == DAG_OR)) return dag_const(graph, op == DAG_OR);
    if (is_condition(graph, b)) return b;
  }
  if (a == b && is_condition(graph, a)) return a;
  return make(graph, op, a, b, 0);
}

static bool commutes(dag_op op) {
  return op == DAG_ADD || op == DAG_MUL || op == DAG_MIN || op == DAG_MAX || op == DAG_EQUAL || op == DAG_AND ||
         op == DAG_OR;
}

// A constant comes first, otherwise the older node.
static bool in_order(const dag *graph, dag_ref a, dag_ref b) {
  if (is_const(graph, a) != is_const(graph, b)) return is_const(graph, a);
  return a <= b;
}

dag_ref dag_binary(dag *graph, dag_op op, dag_ref a, dag_ref b) {
  assert(dag_arity(op) == 2);
  if (graph->no_memory || !a || !b) return 0;
  if (is_const(graph, a) && is_const(graph, b)) {
    const double folded = dag_apply(op, value_of(graph, a), value_of(graph, b), 0);
    if (isfinite(folded)) return dag_const(graph, folded);
  }
  if (commutes(op) && !in_order(graph, a, b)) {
    const dag_ref other = a;
    a = b;
    b = other;
  }
  switch (op) {
  case DAG_ADD:
    return add(graph, a, b);
  case DAG_SUB:
    return subtract(graph, a, b);
  case DAG_MUL:
    return multiply(graph, a, b);
  case DAG_DIV:
    return divide(graph, a, b);
  case DAG_POW:
    return power(graph, a, b);
  case DAG_MIN:
  case DAG_MAX:
    return a == b ? a : make(graph, op, a, b, 0);
  case DAG_AND:
  case DAG_OR:
    return logical(graph, op, a, b);
  default:
    return make(graph, op, a, b, 0);
  }
}

static bool moves(const dag *graph, dag_ref ref) {
  const uint32_t unknowns = 1u << DAG_POS | 1u << DAG_VEL | 1u << DAG_DPOS | 1u << DAG_DVEL;
  return graph->nodes.data[ref].depends & unknowns;
}

dag_ref dag_unary(dag *graph, dag_op op, dag_ref a) {
  assert(dag_arity(op) == 1 && op != DAG_ROTATION && op != DAG_PART);
  if (graph->no_memory || !a) return 0;
  if (is_const(graph, a)) {
    const double folded = dag_apply(op, value_of(graph, a), 0, 0);
    if (isfinite(folded)) return dag_const(graph, folded);
  }
  switch (op) {
  case DAG_NEG:
    return negate(graph, a);
  case DAG_ABS:
    if (op_of(graph, a) == DAG_ABS || op_of(graph, a) == DAG_SQRT) return a;
    if (op_of(graph, a) == DAG_NEG) return dag_unary(graph, DAG_ABS, argument(graph, a, 0));
    break;
  case DAG_NOT:
    if (op_of(graph, a) == DAG_NOT && is_condition(graph, argument(graph, a, 0))) return argument(graph, a, 0);
    break;
  case DAG_HOLD:
    if (op_of(graph, a) == DAG_HOLD || !moves(graph, a)) return a;
    break;
  case DAG_OVER:
    if (!(graph->nodes.data[a].depends & DAG_AT_POINT)) return dag_mul(graph, dag_const(graph, graph->points), a);
    if (op_of(graph, a) == DAG_NEG) return negate(graph, dag_unary(graph, DAG_OVER, argument(graph, a, 0)));
    break;
  default:
    break;
  }
  return make(graph, op, a, 0, 0);
}

dag_ref dag_select(dag *graph, dag_ref condition, dag_ref a, dag_ref b) {
  if (graph->no_memory || !condition || !a || !b) return 0;
  if (is_const(graph, condition)) return value_of(graph, condition) != 0 ? a : b;
  if (a == b) return a;
  if (op_of(graph, condition) == DAG_NOT) return dag_select(graph, argument(graph, condition, 0), b, a);
  return make(graph, DAG_SELECT, condition, a, b);
}

// Rotations

static bool all_const(const dag *graph, const dag_ref *refs, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (!is_const(graph, refs[k])) return false;
  return true;
}

static dag_ref tuple(dag *graph, const dag_ref *arguments, uint32_t count) {
  dag_node node = {.op = DAG_TUPLE, .count = (uint8_t)count};
  const dag_ref there = find(graph, &node, arguments);
  if (there) return there;
  if (!BASE_RESERVE(&graph->allocator, &graph->tuples, (uint64_t)graph->tuples.count + count)) graph->no_memory = true;
  if (!make_room(graph, 1)) return 0;
  node.arg[0] = graph->tuples.count;
  for (uint32_t k = 0; k < count; k++) {
    node.depends |= graph->nodes.data[arguments[k]].depends;
    graph->tuples.data[graph->tuples.count++] = arguments[k];
  }
  return push(graph, node);
}

void dag_rotation(dag *graph, const dag_ref *matrix, uint32_t columns, dag_ref *result) {
  const uint32_t count = 3 * columns;
  assert(columns == 2 || columns == 3);
  dag_ref entries[9] = {0};
  bool there = !graph->no_memory;
  for (uint32_t k = 0; k < count; k++) there = there && matrix[k];
  if (there) memcpy(entries, matrix, count * sizeof *entries);
  memset(result, 0, count * sizeof *result);
  if (!there) return;
  if (all_const(graph, entries, count)) {
    double values[9] = {0}, rotation[9];
    for (uint32_t k = 0; k < count; k++) values[k] = value_of(graph, entries[k]);
    dag_rotation_of(values, columns, rotation);
    for (uint32_t k = 0; k < count; k++) result[k] = dag_const(graph, rotation[k]);
    return;
  }
  const dag_ref of = tuple(graph, entries, count);
  if (!of) return;
  dag_node node = {.op = DAG_ROTATION, .count = (uint8_t)columns, .arg = {of}};
  dag_ref rotation = find(graph, &node, NULL);
  if (!rotation) {
    if (!make_room(graph, 1 + count)) return;
    node.depends = graph->nodes.data[of].depends;
    rotation = push(graph, node);
    for (uint32_t k = 0; k < count; k++)
      push(graph, (dag_node){.op = DAG_PART, .index = k, .arg = {rotation}, .depends = node.depends});
  }
  for (uint32_t k = 0; k < count; k++) result[k] = rotation + 1 + k;
}

// Walks

uint32_t dag_depends(const dag *graph, dag_ref node) {
  return node && node < graph->nodes.count ? graph->nodes.data[node].depends : 0;
}

void dag_depend_all(const dag *graph, uint32_t *bits) {
  for (dag_ref ref = 0; ref < graph->nodes.count; ref++) bits[ref] = graph->nodes.data[ref].depends;
}

// Copying, with inputs replaced. `to` may be `from`: then it grows while it is read, and nodes are read by value.
// Where points are written out, a node has a copy for each.
typedef struct copying {
  dag *to;
  const dag *from;
  dag_ref *copy; // of each node: 0 not needed, NEEDED not made yet
  uint32_t size; // nodes that may have one
  dag_replacer *with;
  dag_point_replacer *at_point; // NULL: points are not written out
  void *user;
  bool drop_holds;
} copying;

#define NEEDED UINT32_MAX

static void need_arguments(const dag *graph, dag_ref ref, dag_ref *copy) {
  const dag_node *node = graph->nodes.data + ref;
  const dag_ref *arguments = node->op == DAG_TUPLE ? tuple_of(graph, node) : node->arg;
  const uint32_t count = node->op == DAG_TUPLE ? node->count : dag_arity((dag_op)node->op);
  for (uint32_t k = 0; k < count; k++) copy[arguments[k]] = NEEDED;
}

static void copy_rotation(copying *work, dag_ref ref, dag_ref *copy) {
  const dag_node node = work->from->nodes.data[ref];
  const dag_ref *arguments = tuple_of(work->from, work->from->nodes.data + node.arg[0]);
  dag_ref matrix[9];
  for (uint32_t k = 0; k < 3u * node.count; k++) matrix[k] = copy[arguments[k]];
  dag_rotation(work->to, matrix, node.count, copy + ref + 1);
  copy[ref] = copy[ref + 1];
}

static dag_ref copy_input(copying *work, dag_op op, uint32_t index, uint32_t point) {
  const dag_ref replaced = work->at_point ? work->at_point(work->user, work->to, op, index, point)
                           : work->with   ? work->with(work->user, work->to, op, index)
                                          : 0;
  return replaced ? replaced : dag_input(work->to, op, index);
}

static dag_ref add_points(copying *work, dag_ref of) {
  dag_ref sum = work->copy[of];
  for (uint32_t p = 1; p < work->from->points; p++)
    sum = dag_add(work->to, sum, work->copy[(size_t)p * work->size + of]);
  return sum;
}

static void copy_node(copying *work, dag_ref ref, uint32_t point) {
  const dag_node node = work->from->nodes.data[ref];
  const dag_op op = (dag_op)node.op;
  if (op == DAG_TUPLE || op == DAG_PART) return;
  dag_ref *copy = work->copy + (size_t)point * work->size;
  const dag_ref a = copy[node.arg[0]], b = copy[node.arg[1]], c = copy[node.arg[2]];
  work->to->span = node.span;
  if (op == DAG_CONST)
    copy[ref] = dag_const(work->to, node.value);
  else if (op <= DAG_SUM_INPUT)
    copy[ref] = copy_input(work, op, node.index, point);
  else if (op == DAG_ROTATION)
    copy_rotation(work, ref, copy);
  else if (op == DAG_SELECT)
    copy[ref] = dag_select(work->to, a, b, c);
  else if (op == DAG_HOLD && work->drop_holds)
    copy[ref] = a;
  else if (op == DAG_OVER && work->at_point)
    copy[ref] = add_points(work, node.arg[0]);
  else
    copy[ref] = dag_arity(op) == 2 ? dag_binary(work->to, op, a, b) : dag_unary(work->to, op, a);
}

// What is the same at all points is copied once.
static void copy_points(copying *work, dag_ref ref) {
  const uint32_t points = work->at_point ? work->from->points : 1;
  const bool differs = work->from->nodes.data[ref].depends & DAG_AT_POINT;
  const dag_op op = (dag_op)work->from->nodes.data[ref].op;
  const uint32_t last = op == DAG_ROTATION ? ref + 3u * work->from->nodes.data[ref].count : ref;
  copy_node(work, ref, 0);
  for (uint32_t p = 1; p < points && op != DAG_TUPLE && op != DAG_PART; p++) {
    if (differs)
      copy_node(work, ref, p);
    else
      memcpy(work->copy + (size_t)p * work->size + ref, work->copy + ref, (last - ref + 1) * sizeof *work->copy);
  }
}

static bool copy_all(copying *work, const dag_ref *roots, uint32_t count, dag_ref *copies) {
  dag_ref last = 0;
  for (uint32_t k = 0; k < count; k++)
    if (roots[k] > last) last = roots[k];
  const uint32_t points = work->at_point ? work->from->points : 1;
  // All parts of a rotation are made with it, also those behind the last root.
  work->size = last + 10;
  const size_t size = (size_t)work->size * points * sizeof *work->copy;
  work->copy = work->to->no_memory ? NULL : base_allocate(&work->to->allocator, size);
  if (!work->copy) {
    work->to->no_memory = true;
    memset(copies, 0, (size_t)count * points * sizeof *copies);
    return false;
  }
  memset(work->copy, 0, size);
  if (!work->at_point && work->from->points) work->to->points = work->from->points;
  const rule_span span = work->to->span;
  for (uint32_t k = 0; k < count; k++)
    if (roots[k]) work->copy[roots[k]] = NEEDED;
  for (dag_ref ref = last; ref > 0; ref--)
    if (work->copy[ref]) need_arguments(work->from, ref, work->copy);
  work->copy[0] = 0;
  for (dag_ref ref = 1; ref <= last; ref++)
    if (work->copy[ref] == NEEDED) copy_points(work, ref);
  for (uint32_t p = 0; p < points; p++)
    for (uint32_t k = 0; k < count; k++)
      copies[p * count + k] = work->to->no_memory ? 0 : work->copy[(size_t)p * work->size + roots[k]];
  base_free(&work->to->allocator, work->copy, size);
  work->to->span = span;
  return !work->to->no_memory;
}

bool dag_replace_all(dag *graph, const dag_ref *roots, uint32_t count, dag_replacer *with, void *user,
                     dag_ref *results) {
  copying work = {.to = graph, .from = graph, .with = with, .user = user};
  return copy_all(&work, roots, count, results);
}

dag_ref dag_replace(dag *graph, dag_ref root, dag_replacer *with, void *user) {
  dag_ref result = 0;
  dag_replace_all(graph, &root, 1, with, user, &result);
  return result;
}

bool dag_copy(dag *to, const dag *from, const dag_ref *roots, uint32_t count, dag_ref *copies, bool drop_holds) {
  copying work = {.to = to, .from = from, .drop_holds = drop_holds};
  return copy_all(&work, roots, count, copies);
}

bool dag_expand(dag *to, const dag *from, const dag_ref *roots, uint32_t count, dag_point_replacer *with, void *user,
                dag_ref *copies) {
  copying work = {.to = to, .from = from, .at_point = with, .user = user};
  return copy_all(&work, roots, count, copies);
}

// Before a node is evaluated, its place in `values` says whether it is needed.
static void mark_needed(const dag *graph, dag_ref last, double *values) {
  for (dag_ref ref = last; ref > 0; ref--) {
    const dag_node *node = graph->nodes.data + ref;
    if (values[ref] == 0) continue;
    const dag_ref *arguments = node->op == DAG_TUPLE ? tuple_of(graph, node) : node->arg;
    const uint32_t count = node->op == DAG_TUPLE ? node->count : dag_arity((dag_op)node->op);
    for (uint32_t k = 0; k < count; k++) values[arguments[k]] = 1;
  }
}

static void evaluate_rotation(const dag *graph, dag_ref ref, double *values) {
  const dag_node *node = graph->nodes.data + ref;
  const dag_ref *arguments = tuple_of(graph, graph->nodes.data + node->arg[0]);
  double matrix[9];
  for (uint32_t k = 0; k < 3u * node->count; k++) matrix[k] = values[arguments[k]];
  dag_rotation_of(matrix, node->count, values + ref + 1);
}

void dag_evaluate(const dag *graph, const dag_ref *roots, uint32_t count, dag_reader *read, void *user, double *values,
                  double *results) {
  dag_ref last = 0;
  for (uint32_t k = 0; k < count; k++)
    if (roots[k] > last) last = roots[k];
  for (dag_ref ref = 0; ref <= last && last; ref++) values[ref] = 0;
  for (uint32_t k = 0; k < count; k++)
    if (roots[k]) values[roots[k]] = 1;
  mark_needed(graph, last, values);
  for (dag_ref ref = 1; ref <= last; ref++) {
    const dag_node *node = graph->nodes.data + ref;
    const dag_op op = (dag_op)node->op;
    if (op == DAG_PART || op == DAG_TUPLE || values[ref] == 0) continue;
    if (op == DAG_CONST)
      values[ref] = node->value;
    else if (op <= DAG_SUM_INPUT)
      values[ref] = read(user, op, node->index);
    else if (op == DAG_ROTATION)
      evaluate_rotation(graph, ref, values);
    else
      values[ref] = dag_apply(op, values[node->arg[0]], values[node->arg[1]], values[node->arg[2]]);
  }
  for (uint32_t k = 0; k < count; k++) results[k] = roots[k] ? values[roots[k]] : 0;
}
