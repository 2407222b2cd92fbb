#include "rule/emit_lower.h"

#include <math.h>

void emit_graph_free(emit_graph *graph) {
  const clv_allocator *allocator = &graph->allocator;
  BASE_RELEASE(allocator, &graph->nodes);
  BASE_RELEASE(allocator, &graph->entries);
  BASE_RELEASE(allocator, &graph->roots);
  BASE_RELEASE(allocator, &graph->order);
  BASE_RELEASE(allocator, &graph->sums);
  BASE_RELEASE(allocator, &graph->table);
}

static uint32_t operands(uint32_t op) {
  return op == EMIT_FMA ? 3 : op == EMIT_SUM ? 0 : op == EMIT_OVER ? 1 : dag_arity((dag_op)op);
}

uint32_t emit_arguments(const emit_graph *graph, const emit_node *node, const emit_ref **args) {
  if (node->op == DAG_ROTATION) {
    *args = graph->entries.data + node->arg[0];
    return 3u * node->count;
  }
  *args = node->arg;
  return operands(node->op);
}

bool emit_is_inverse_root(const emit_graph *graph, const emit_node *node) {
  if (node->op != DAG_DIV || (node->arg[0] | node->arg[1]) & 1) return false;
  const emit_node *one = &graph->nodes.data[node->arg[0] >> 1], *root = &graph->nodes.data[node->arg[1] >> 1];
  return one->op == DAG_CONST && one->value == 1.0 && root->op == DAG_SQRT;
}

uint32_t emit_reads(const emit_graph *graph, const emit_node *node, const emit_ref **args) {
  return emit_arguments(graph, emit_is_inverse_root(graph, node) ? &graph->nodes.data[node->arg[1] >> 1] : node, args);
}

// Making nodes, each once

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

static uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static uint64_t hash_of(const emit_node *node) {
  uint64_t hash = mix(node->op, node->index);
  for (uint32_t k = 0; k < 3; k++) hash = mix(hash, node->arg[k]);
  return mix(hash, bits_of(node->value));
}

static bool same(const emit_node *a, const emit_node *b) {
  return a->op == b->op && a->index == b->index && a->arg[0] == b->arg[0] && a->arg[1] == b->arg[1] &&
         a->arg[2] == b->arg[2] && bits_of(a->value) == bits_of(b->value);
}

// The slot where a node is, or would be.
static uint32_t *slot_of(const emit_graph *graph, const emit_node *node) {
  const uint32_t last = graph->table.capacity - 1;
  uint32_t at = (uint32_t)hash_of(node) & last;
  while (graph->table.data[at] && !same(&graph->nodes.data[graph->table.data[at]], node)) at = (at + 1) & last;
  return &graph->table.data[at];
}

// Doubles the table when it is half full.
static bool table_has_room(emit_graph *graph) {
  if (graph->nodes.count * 2 <= graph->table.capacity) return true;
  const uint32_t capacity = graph->table.capacity * 2;
  if (!BASE_RESERVE(&graph->allocator, &graph->table, capacity)) return false;
  memset(graph->table.data, 0, capacity * sizeof *graph->table.data);
  for (uint32_t n = 1; n < graph->nodes.count; n++)
    if (graph->nodes.data[n].op != DAG_ROTATION) *slot_of(graph, &graph->nodes.data[n]) = n;
  return true;
}

// Two levels' place in a rolled graph: the later stage, and at a point if one of them is. What is made before the axes
// is there for all of their stages.
static uint16_t later(uint16_t a, uint16_t b) {
  if (a < b) {
    const uint16_t c = a;
    a = b, b = c;
  }
  if (!emit_at_point(b) || emit_at_point(a)) return a;
  return (uint16_t)(a + 1);
}

static uint16_t rolled_level(const emit_graph *graph, const emit_node *node, emit_loops loops) {
  switch (node->op) {
  case DAG_POS:
  case DAG_VEL:
  case DAG_HOIST:
    return EMIT_ROW;
  case DAG_DPOS:
  case DAG_DVEL:
    return loops.axis == node->op ? EMIT_AXES : EMIT_ROW;
  case DAG_HOIST_Q:
  case DAG_SHAPE:
    return EMIT_ROW + 1;
  case EMIT_SUM:
    return graph->sums.data[node->index];
  case EMIT_OVER:
    return (uint16_t)(graph->sums.data[node->index] + 1);
  default:
    break;
  }
  uint16_t level = EMIT_PROGRAM;
  const emit_ref *args;
  const uint32_t count = emit_arguments(graph, node, &args);
  for (uint32_t k = 0; k < count; k++) level = later(level, graph->nodes.data[args[k] >> 1].level);
  return level;
}

static uint16_t level_of(const emit_graph *graph, const emit_node *node, emit_loops loops) {
  if (loops.rolled) return rolled_level(graph, node, loops);
  uint16_t level;
  switch (node->op) {
  case DAG_POS:
  case DAG_VEL:
  case DAG_HOIST:
    level = EMIT_ROW;
    break;
  case DAG_DPOS:
  case DAG_DVEL:
    level = loops.axis == node->op ? EMIT_AXIS : EMIT_ROW;
    break;
  case DAG_HOIST_Q:
    level = loops.points ? EMIT_POINT : EMIT_ROW;
    break;
  case EMIT_SUM:
    level = loops.axis ? EMIT_AXIS : EMIT_POINT;
    break;
  default:
    level = EMIT_PROGRAM;
    break;
  }
  const emit_ref *args;
  const uint32_t count = emit_arguments(graph, node, &args);
  for (uint32_t k = 0; k < count; k++) {
    const uint16_t below = graph->nodes.data[args[k] >> 1].level;
    if (below > level) level = below;
  }
  return level;
}

typedef struct lowering {
  emit_graph *out;
  const dag *graph;
  emit_loops loops;
  emit_ref *made;      // by dag node
  uint8_t *needed;     // by dag node
  uint32_t *divisions; // by dag node: how many divide by it
} lowering;

static emit_ref make(lowering *l, emit_node node) {
  emit_graph *out = l->out;
  if (out->no_memory) return 0;
  if (!BASE_RESERVE(&out->allocator, &out->nodes, (uint64_t)out->nodes.count + 1) || !table_has_room(out)) {
    out->no_memory = true;
    return 0;
  }
  node.level = level_of(out, &node, l->loops);
  const bool shared = node.op != DAG_ROTATION; // the dag has already made rotations once
  uint32_t *slot = shared ? slot_of(out, &node) : NULL;
  if (slot && *slot) return 2 * *slot;
  const uint32_t n = out->nodes.count++;
  out->nodes.data[n] = node;
  if (slot) *slot = n;
  return 2 * n;
}

static const emit_node *node_of(const lowering *l, emit_ref ref) {
  return &l->out->nodes.data[ref >> 1];
}

static bool is_const(const lowering *l, emit_ref ref, double *value) {
  const emit_node *node = node_of(l, ref);
  *value = ref & 1 ? -node->value : node->value;
  return node->op == DAG_CONST;
}

static emit_ref make_const(lowering *l, double value) {
  const bool negative = value < 0.0;
  const emit_ref ref = make(l, (emit_node){.op = DAG_CONST, .value = negative ? -value : value});
  return ref ? ref ^ negative : 0;
}

static emit_ref make_add(lowering *l, emit_ref a, emit_ref b) {
  if (a > b) {
    const emit_ref c = a;
    a = b, b = c;
  }
  // x - y and y - x are one node, which has the sign that was asked for first.
  const emit_ref sign = a & 1;
  const emit_ref sum = make(l, (emit_node){.op = DAG_ADD, .flip = sign, .arg = {a ^ sign, b ^ sign}});
  return sum ? sum ^ sign ^ node_of(l, sum)->flip : 0;
}

static emit_ref make_mul(lowering *l, emit_ref a, emit_ref b) {
  const emit_ref sign = (a ^ b) & 1;
  a &= ~1u, b &= ~1u;
  double x, y;
  if (is_const(l, a, &x) && x == 1.0) return b ^ sign;
  if (is_const(l, b, &y) && y == 1.0) return a ^ sign;
  const emit_ref product = make(l, (emit_node){.op = DAG_MUL, .arg = {a < b ? a : b, a < b ? b : a}});
  return product ^ sign;
}

static emit_ref make_div(lowering *l, emit_ref a, emit_ref b, uint32_t divisions) {
  const emit_ref sign = (a ^ b) & 1;
  a &= ~1u, b &= ~1u;
  double value;
  if (is_const(l, b, &value) && value != 0.0) return make_mul(l, a, make_const(l, 1.0 / value)) ^ sign;
  if (divisions < 2) return make(l, (emit_node){.op = DAG_DIV, .arg = {a, b}}) ^ sign;
  const emit_ref inverse = make(l, (emit_node){.op = DAG_DIV, .arg = {make_const(l, 1.0), b}});
  return make_mul(l, a, inverse) ^ sign;
}

// Numbers and truth

static emit_ref as_number(lowering *l, emit_ref ref) {
  if (!node_of(l, ref)->truth) return ref;
  return make(l, (emit_node){.op = DAG_SELECT, .arg = {ref, make_const(l, 1.0), make_const(l, 0.0)}});
}

static emit_ref as_truth(lowering *l, emit_ref ref) {
  if (node_of(l, ref)->truth) return ref;
  const emit_ref is_zero = make(l, (emit_node){.op = DAG_EQUAL, .truth = true, .arg = {ref & ~1u, make_const(l, 0.0)}});
  return make(l, (emit_node){.op = DAG_NOT, .truth = true, .arg = {is_zero}});
}

// Lowering

static emit_ref lower_rotation(lowering *l, const dag_node *node) {
  emit_graph *out = l->out;
  const dag_node *tuple = &l->graph->nodes.data[node->arg[0]];
  const uint32_t first = out->entries.count;
  if (!BASE_RESERVE(&out->allocator, &out->entries, (uint64_t)first + tuple->count)) {
    out->no_memory = true;
    return 0;
  }
  for (uint32_t k = 0; k < tuple->count; k++) {
    const emit_ref entry = as_number(l, l->made[l->graph->tuples.data[tuple->arg[0] + k]]);
    out->entries.data[out->entries.count++] = entry;
  }
  return make(l, (emit_node){.op = DAG_ROTATION, .count = node->count, .arg = {first}});
}

// A sum over points: its loop adds to what was summed so far.
static emit_ref lower_over(lowering *l, emit_ref at_point) {
  emit_graph *out = l->out;
  const uint32_t k = out->sums.count;
  if (!BASE_RESERVE(&out->allocator, &out->sums, (uint64_t)k + 1)) {
    out->no_memory = true;
    return 0;
  }
  out->sums.data[out->sums.count++] = node_of(l, at_point)->level;
  const emit_ref sum = make_add(l, make(l, (emit_node){.op = EMIT_SUM, .index = k}), at_point);
  return make(l, (emit_node){.op = EMIT_OVER, .index = k, .arg = {sum}});
}

static emit_ref lower_node(lowering *l, const dag_node *node) {
  emit_ref a[3] = {0};
  const uint32_t count = node->op == DAG_ROTATION ? 0 : operands(node->op);
  const bool logic = node->op == DAG_AND || node->op == DAG_OR || node->op == DAG_NOT;
  for (uint32_t k = 0; k < count; k++) {
    a[k] = l->made[node->arg[k]];
    const bool truth = logic || (node->op == DAG_SELECT && k == 0);
    if (node->op != DAG_PART) a[k] = truth ? as_truth(l, a[k]) : as_number(l, a[k]);
  }
  if (l->out->no_memory) return 0;
  switch (node->op) {
  case DAG_CONST:
    return make_const(l, node->value);
  case DAG_ADD:
    return make_add(l, a[0], a[1]);
  case DAG_SUB:
    return make_add(l, a[0], a[1] ^ 1);
  case DAG_MUL:
    return make_mul(l, a[0], a[1]);
  case DAG_DIV:
    return make_div(l, a[0], a[1], l->divisions[node->arg[1]]);
  case DAG_NEG:
    return a[0] ^ 1;
  case DAG_HOLD:
    return a[0];
  case DAG_OVER:
    return lower_over(l, a[0]);
  case DAG_ABS:
    return make(l, (emit_node){.op = DAG_ABS, .arg = {a[0] & ~1u}});
  case DAG_ROTATION:
    return lower_rotation(l, node);
  default:
    break;
  }
  const bool truth = logic || node->op == DAG_LESS || node->op == DAG_LESS_EQUAL || node->op == DAG_EQUAL;
  return make(l, (emit_node){.op = node->op, .truth = truth, .index = node->index, .arg = {a[0], a[1], a[2]}});
}

static void need_arguments(lowering *l, const dag_node *node) {
  if (node->op == DAG_TUPLE) {
    for (uint32_t k = 0; k < node->count; k++) l->needed[l->graph->tuples.data[node->arg[0] + k]] = 1;
    return;
  }
  const uint32_t count = operands(node->op);
  for (uint32_t k = 0; k < count; k++) l->needed[node->arg[k]] = 1;
  if (node->op == DAG_DIV) l->divisions[node->arg[1]]++;
}

static void lower_all(lowering *l, const kernel_body *body) {
  emit_graph *out = l->out;
  for (uint32_t k = 0; k < body->root_count; k++)
    if (body->roots[k]) l->needed[body->roots[k]] = 1;
  for (uint32_t n = l->graph->nodes.count; n-- > 1;)
    if (l->needed[n]) need_arguments(l, &l->graph->nodes.data[n]);
  for (uint32_t n = 1; n < l->graph->nodes.count && !out->no_memory; n++) {
    const dag_node *node = &l->graph->nodes.data[n];
    if (l->needed[n] && node->op != DAG_TUPLE) l->made[n] = lower_node(l, node);
  }
  if (!BASE_RESERVE(&out->allocator, &out->roots, body->root_count)) out->no_memory = true;
  for (uint32_t k = 0; k < body->root_count && !out->no_memory; k++) {
    emit_ref root = body->roots[k] ? as_number(l, l->made[body->roots[k]]) : 0;
    double value;
    if (root && is_const(l, root, &value) && value == 0.0) root = 0;
    if (root && l->loops.axis) root ^= 1; // a matrix is minus the derivative of the force
    if (root && l->loops.points) root = make_add(l, make(l, (emit_node){.op = EMIT_SUM, .index = k}), root);
    out->roots.data[out->roots.count++] = root;
  }
}

// Fusing

static void flip_sums(emit_graph *graph) {
  for (uint32_t n = 1; n < graph->nodes.count; n++) {
    emit_node *node = &graph->nodes.data[n];
    if (node->flip) node->arg[0] ^= 1, node->arg[1] ^= 1;
  }
}

static void count_uses(emit_graph *graph) {
  for (uint32_t n = 0; n < graph->nodes.count; n++) graph->nodes.data[n].uses = 0;
  for (uint32_t k = 0; k < graph->roots.count; k++)
    if (graph->roots.data[k]) graph->nodes.data[graph->roots.data[k] >> 1].uses++;
  for (uint32_t n = graph->nodes.count; n-- > 1;) {
    const emit_node *node = &graph->nodes.data[n];
    if (node->uses == 0) continue;
    const emit_ref *args;
    const uint32_t count = emit_arguments(graph, node, &args);
    for (uint32_t k = 0; k < count; k++) graph->nodes.data[args[k] >> 1].uses++;
  }
}

// A product that is used once melts into the sum that uses it.
static void fuse(emit_graph *graph) {
  for (uint32_t n = 1; n < graph->nodes.count; n++) {
    emit_node *sum = &graph->nodes.data[n];
    if (sum->op != DAG_ADD || sum->uses == 0) continue;
    for (uint32_t k = 0; k < 2; k++) {
      const emit_node *product = &graph->nodes.data[sum->arg[k] >> 1];
      if (product->op != DAG_MUL || product->uses != 1 || product->level != sum->level) continue;
      const emit_ref sign = sum->arg[k] & 1, rest = sum->arg[1 - k];
      sum->op = EMIT_FMA;
      sum->arg[0] = product->arg[0] ^ sign, sum->arg[1] = product->arg[1], sum->arg[2] = rest;
      break;
    }
  }
}

// - (a * b + c) = - a * b - c, and - (a - b) = b - a: a negated root that nobody else uses takes the sign inside.
static void absorb_sign(emit_graph *graph, emit_ref *root) {
  emit_node *node = &graph->nodes.data[*root >> 1];
  if (!(*root & 1) || node->uses != 1) return;
  if (node->op == EMIT_FMA)
    node->arg[0] ^= 1, node->arg[2] ^= 1;
  else if (node->op == DAG_ADD && (node->arg[0] ^ node->arg[1]) & 1)
    node->arg[0] ^= 1, node->arg[1] ^= 1;
  else
    return;
  *root ^= 1;
}

static bool is_negated(emit_ref root) {
  return !root || root & 1;
}

// A particle whose forces are all negated has them taken away, which costs nothing; those of a matrix are stored one by
// one.
static void absorb_signs(emit_graph *graph, emit_loops loops) {
  emit_ref *root = graph->roots.data;
  for (uint32_t k = 0; k < graph->roots.count; k++) {
    const uint32_t first = k - k % 3;
    const bool together = graph->roots.count % 3 == 0 && !loops.points && !loops.axis && is_negated(root[first]) &&
                          is_negated(root[first + 1]) && is_negated(root[first + 2]);
    if (!together) absorb_sign(graph, &root[k]);
  }
}

// Order: depth first from the roots, the argument that takes more registers first; or as nodes were made. The former is
// best where registers hold all that is needed again, or all but a few. Forces of many points are sums that get
// something from each of them: depth first, all points would be kept until the first sum is done, while nodes were made
// point by point.

static void find_needs(emit_graph *graph) {
  for (uint32_t n = 1; n < graph->nodes.count; n++) {
    emit_node *node = &graph->nodes.data[n];
    const emit_ref *args;
    const uint32_t count = emit_arguments(graph, node, &args);
    uint32_t need = 1, equal = 0;
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t below = graph->nodes.data[args[k] >> 1].need;
      equal = below == need ? equal + 1 : below > need ? 1 : equal;
      if (below > need) need = below;
    }
    node->need = need + (equal > 1 ? equal - 1 : 0);
  }
}

typedef struct visit {
  uint32_t node;
  bool ready; // its arguments are in the order
} visit;
typedef BASE_ARRAY(visit) visits;

// Pushes the arguments so that the neediest is on top.
static bool push_arguments(const emit_graph *graph, const emit_node *node, visits *stack) {
  const emit_ref *args;
  const uint32_t count = emit_arguments(graph, node, &args);
  if (!BASE_RESERVE(&graph->allocator, stack, (uint64_t)stack->count + count)) return false;
  const uint32_t first = stack->count;
  for (uint32_t k = count; k-- > 0;) {
    uint32_t at = stack->count++;
    const visit one = {args[k] >> 1, false};
    while (at > first && graph->nodes.data[stack->data[at - 1].node].need > graph->nodes.data[one.node].need) {
      stack->data[at] = stack->data[at - 1];
      at--;
    }
    stack->data[at] = one;
  }
  return true;
}

static bool order_from(emit_graph *graph, uint32_t root, uint8_t *done, visits *stack) {
  if (!BASE_RESERVE(&graph->allocator, stack, 1)) return false;
  stack->count = 1;
  stack->data[0] = (visit){root, false};
  while (stack->count > 0) {
    visit *top = &stack->data[stack->count - 1];
    const uint32_t n = top->node;
    if (done[n] || top->ready) {
      if (!done[n]) graph->order.data[graph->order.count++] = n;
      done[n] = 1;
      stack->count--;
      continue;
    }
    top->ready = true;
    if (!push_arguments(graph, &graph->nodes.data[n], stack)) return false;
  }
  return true;
}

static bool order_by_depth(emit_graph *graph, uint8_t *done, visits *stack) {
  bool ok = true;
  for (uint32_t k = 0; ok && k < graph->roots.count; k++)
    if (graph->roots.data[k]) ok = order_from(graph, graph->roots.data[k] >> 1, done, stack);
  return ok;
}

// What is read from memory comes when it is used first.
static bool order_by_number(emit_graph *graph, const uint8_t *needed, uint8_t *done, visits *stack) {
  bool ok = true;
  for (uint32_t n = 1; ok && n < graph->nodes.count; n++) {
    const emit_ref *args;
    if (needed[n] && emit_arguments(graph, &graph->nodes.data[n], &args)) ok = order_from(graph, n, done, stack);
  }
  return ok && order_by_depth(graph, done, stack);
}

// How much is kept that registers have no room for, added up over all statements. `left`: a number for each node.
static uint64_t count_kept(const emit_graph *graph, uint32_t *left) {
  enum { REGISTERS = 32 };
  uint64_t kept = 0;
  uint32_t alive = 0;
  for (uint32_t n = 0; n < graph->nodes.count; n++) left[n] = 0;
  for (uint32_t k = 0; k < graph->order.count; k++) {
    const emit_ref *args;
    const uint32_t count = emit_arguments(graph, &graph->nodes.data[graph->order.data[k]], &args);
    for (uint32_t a = 0; a < count; a++) left[args[a] >> 1]++;
  }
  for (uint32_t k = 0; k < graph->order.count; k++) {
    const emit_node *node = &graph->nodes.data[graph->order.data[k]];
    const emit_ref *args;
    const uint32_t count = emit_arguments(graph, node, &args);
    for (uint32_t a = 0; a < count; a++)
      alive -= --left[args[a] >> 1] == 0 && graph->nodes.data[args[a] >> 1].op != DAG_CONST;
    alive += node->op != DAG_CONST && left[graph->order.data[k]] > 0;
    kept += alive > REGISTERS ? alive - REGISTERS : 0;
  }
  return kept;
}

static bool order_all(emit_graph *graph) {
  enum { FEW = 4 };
  const clv_allocator *allocator = &graph->allocator;
  const uint32_t count = graph->nodes.count;
  uint8_t *done = base_allocate(allocator, 2 * (size_t)count), *needed = done ? done + count : NULL;
  uint32_t *left = base_allocate(allocator, count * sizeof *left);
  visits stack = {0};
  bool ok = done && left && BASE_RESERVE(allocator, &graph->order, count);
  if (ok) memset(done, 0, count);
  ok = ok && order_by_depth(graph, done, &stack);
  const uint64_t kept = ok ? count_kept(graph, left) : 0;
  if (kept > (uint64_t)FEW * count) {
    memcpy(needed, done, count);
    memset(done, 0, count);
    graph->order.count = 0;
    ok = order_by_number(graph, needed, done, &stack);
    if (ok && count_kept(graph, left) >= kept) {
      memset(done, 0, count);
      graph->order.count = 0;
      ok = order_by_depth(graph, done, &stack);
    }
  }
  BASE_RELEASE(allocator, &stack);
  base_free(allocator, left, count * sizeof *left);
  base_free(allocator, done, 2 * (size_t)count);
  return ok;
}

// Which values at points other loops want.
static void find_kept(emit_graph *graph) {
  for (uint32_t k = 0; k < graph->order.count; k++) {
    const emit_node *node = &graph->nodes.data[graph->order.data[k]];
    if (!emit_at_point(node->level)) continue;
    const emit_ref *args;
    const uint32_t count = emit_reads(graph, node, &args);
    for (uint32_t a = 0; a < count; a++) {
      emit_node *read = &graph->nodes.data[args[a] >> 1];
      if (emit_at_point(read->level) && read->level != node->level && !emit_is_datum(read)) read->kept = true;
    }
  }
}

static bool start(emit_graph *out, const clv_allocator *allocator) {
  enum { TABLE = 1024 };
  *out = (emit_graph){.allocator = *allocator};
  if (!BASE_RESERVE(allocator, &out->nodes, TABLE / 2) || !BASE_RESERVE(allocator, &out->table, TABLE)) return false;
  memset(out->table.data, 0, TABLE * sizeof *out->table.data);
  out->nodes.data[0] = (emit_node){0};
  out->nodes.count = 1;
  return true;
}

bool emit_lower(emit_graph *out, const clv_allocator *allocator, const dag *graph, const kernel_body *body,
                emit_loops loops) {
  const uint32_t count = graph->nodes.count + 1; // a graph that was never used has none
  lowering l = {.out = out, .graph = graph, .loops = loops};
  l.made = base_allocate(allocator, count * sizeof *l.made);
  l.needed = base_allocate(allocator, count);
  l.divisions = base_allocate(allocator, count * sizeof *l.divisions);
  bool ok = start(out, allocator) && l.made && l.needed && l.divisions;
  if (ok) {
    memset(l.made, 0, count * sizeof *l.made);
    memset(l.needed, 0, count);
    memset(l.divisions, 0, count * sizeof *l.divisions);
    lower_all(&l, body);
    ok = !out->no_memory;
  }
  base_free(allocator, l.made, count * sizeof *l.made);
  base_free(allocator, l.needed, count);
  base_free(allocator, l.divisions, count * sizeof *l.divisions);
  if (!ok) return false;
  flip_sums(out);
  count_uses(out);
  fuse(out);
  count_uses(out);
  absorb_signs(out, loops);
  find_needs(out);
  if (!order_all(out)) return false;
  if (loops.rolled) find_kept(out);
  return true;
}
