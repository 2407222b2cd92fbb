// Hoisting: what depends on no unknown is computed when a row is made, not when its force is.
//
// Bodies are rebuilt node by node in the kernel's graph. An argument free of unknowns is replaced by a hoisted value.
// To let such factors meet, a chain of products is taken apart as a whole: 2 * (mu * (x * w)) is 2 mu w times x. A
// product with more than one user is its own chain, so nothing is computed twice for it.
//
// The free part of a chain is a number times a product of atoms, in the order of their nodes. Chains that differ in the
// number only share one hoisted value and multiply by the ratio: 0.5 k in an energy is half of the k in its force. A
// row's constants are what a kernel reads from memory, so fewer are better; forces come first and choose.
//
// What the reference shape has is the same for all rows: it is a number, different at each point.
//
// Dividing twice by the same costs more than multiplying by its inverse, so this is what is done.

#include "rule/kernel_parts.h"

#include <math.h>

enum { UNKNOWNS = 1u << DAG_POS | 1u << DAG_VEL | 1u << DAG_DPOS | 1u << DAG_DVEL, CHAIN = 16, ATOMS = 48 };

typedef struct hoisted {
  dag_ref core; // in `from`
  double factor;
  bool per_point;
  uint32_t index;
} hoisted;

typedef struct factor {
  dag_ref ref;
  bool below; // it divides
} factor;

typedef enum place { NOT_NEEDED, NEEDED, IN_CHAIN } place; // IN_CHAIN: part of the product that uses it

typedef struct hoisting {
  dag *from, *to;
  const clv_allocator *allocator;
  uint32_t size;     // nodes of `from` that bodies may use; it grows by products of atoms
  uint32_t *uses;    // of each node, in the body at hand
  uint32_t *divides; // by how many quotients it is the divisor
  uint32_t *length;  // of a chain, at its root: products in it
  dag_ref *chain_of; // the root of the chain that its last user belongs to, 0 when that is no product
  dag_ref *made;
  uint8_t *place;
  BASE_ARRAY(hoisted) list;
  BASE_ARRAY(uint32_t) entry; // of each core: its place in the list + 1
  BASE_ARRAY(factor) stack;
  uint32_t hoist_count, hoist_q_count;
  uint32_t at_point; // bits of inputs that are a point's
  bool no_memory;
} hoisting;

static const dag_node *node_at(const hoisting *work, dag_ref ref) {
  return work->from->nodes.data + ref;
}

static bool is_free(const hoisting *work, dag_ref ref) {
  return !(node_at(work, ref)->depends & UNKNOWNS);
}

static bool is_product(const dag_node *node) {
  return node->op == DAG_MUL || node->op == DAG_DIV || node->op == DAG_NEG;
}

static const dag_ref *arguments_of(const hoisting *work, const dag_node *node, uint32_t *count) {
  *count = node->op == DAG_TUPLE ? node->count : dag_arity((dag_op)node->op);
  return node->op == DAG_TUPLE ? work->from->tuples.data + node->arg[0] : node->arg;
}

// A body's needs, from its roots down: when a node is met, all its users have been.
static void look_over(hoisting *work, const kernel_body *body) {
  memset(work->uses, 0, work->size * sizeof *work->uses);
  memset(work->divides, 0, work->size * sizeof *work->divides);
  memset(work->place, 0, work->size * sizeof *work->place);
  memset(work->length, 0, work->size * sizeof *work->length);
  memset(work->chain_of, 0, work->size * sizeof *work->chain_of);
  memset(work->made, 0, work->size * sizeof *work->made);
  for (uint32_t k = 0; k < body->root_count; k++) work->uses[body->roots[k]]++;
  for (dag_ref ref = work->size - 1; ref > 0; ref--) {
    const dag_node *node = node_at(work, ref);
    if (!work->uses[ref] || is_free(work, ref)) continue;
    const dag_ref user = work->chain_of[ref];
    const bool chained = is_product(node) && user && work->uses[ref] == 1 && work->length[user] < CHAIN;
    const dag_ref root = chained ? user : ref;
    work->place[ref] = chained ? IN_CHAIN : NEEDED;
    work->length[root]++;
    uint32_t count;
    const dag_ref *arguments = arguments_of(work, node, &count);
    for (uint32_t k = 0; k < count; k++) {
      work->uses[arguments[k]]++;
      work->chain_of[arguments[k]] = is_product(node) ? root : 0;
    }
    if (node->op == DAG_DIV) work->divides[node->arg[1]]++;
  }
}

// The hoisted value of `factor` times a core free of unknowns (0: the number alone), in the kernel's graph.
static dag_ref hoisted_value(hoisting *work, double number, dag_ref core) {
  if (work->from->no_memory) return 0;
  if (!core) return dag_const(work->to, number);
  const dag_node *node = node_at(work, core);
  if (node->op == DAG_CONST) return dag_mul(work->to, dag_const(work->to, number), dag_const(work->to, node->value));
  if (node->op == DAG_PARAM)
    return dag_mul(work->to, dag_const(work->to, number), dag_input(work->to, DAG_PARAM, node->index));
  const uint32_t known = work->entry.count, all = work->from->nodes.count;
  if (!BASE_RESERVE(work->allocator, &work->entry, all) ||
      !BASE_RESERVE(work->allocator, &work->list, work->list.count + 1u)) {
    work->no_memory = true;
    return 0;
  }
  memset(work->entry.data + known, 0, (all - known) * sizeof *work->entry.data);
  work->entry.count = all;
  if (!work->entry.data[core]) {
    const bool per_point = node->depends & work->at_point;
    uint32_t *count = per_point ? &work->hoist_q_count : &work->hoist_count;
    work->list.data[work->list.count++] = (hoisted){core, number, per_point, (*count)++};
    work->entry.data[core] = work->list.count;
  }
  const hoisted *entry = &work->list.data[work->entry.data[core] - 1];
  const dag_ref value = dag_input(work->to, entry->per_point ? DAG_HOIST_Q : DAG_HOIST, entry->index);
  return dag_mul(work->to, dag_const(work->to, number / entry->factor), value);
}

// A chain of products while it is taken apart.
typedef struct chain {
  double number;
  factor atoms[ATOMS]; // free of unknowns, in the order of their nodes
  uint32_t atom_count;
  dag_ref above, below; // the rest, in the kernel's graph; 0 for none
  dag_ref shape;        // what the reference shape has, likewise
} chain;

static void put_atom(chain *c, factor atom) {
  uint32_t at = c->atom_count++;
  for (; at > 0 && c->atoms[at - 1].ref > atom.ref; at--) c->atoms[at] = c->atoms[at - 1];
  c->atoms[at] = atom;
}

static dag_ref times(dag *graph, dag_ref a, dag_ref b) {
  return a ? dag_mul(graph, a, b) : b;
}

static void put_moving(hoisting *work, chain *c, factor f) {
  const dag_ref made = work->made[f.ref];
  if (!f.below)
    c->above = times(work->to, c->above, made);
  else if (work->divides[f.ref] < 2)
    c->below = times(work->to, c->below, made);
  else
    c->above = times(work->to, c->above, dag_div(work->to, dag_const(work->to, 1), made));
}

static void push(hoisting *work, dag_ref ref, bool below) {
  if (!BASE_RESERVE(work->allocator, &work->stack, work->stack.count + 1u))
    work->no_memory = true;
  else
    work->stack.data[work->stack.count++] = (factor){ref, below};
}

static bool is_of_shape(const dag_node *node) {
  return node->op == DAG_SHAPE;
}

static void put_shape(hoisting *work, chain *c, const dag_node *node, bool below) {
  const dag_ref value = dag_input(work->to, DAG_SHAPE, node->index);
  c->shape = times(work->to, c->shape, below ? dag_div(work->to, dag_const(work->to, 1), value) : value);
}

static bool put_number(chain *c, const dag_node *node, bool below) {
  const double number = below ? c->number / node->value : c->number * node->value;
  if (node->op != DAG_CONST || !isnormal(number)) return false;
  c->number = number;
  return true;
}

// Leaves left before right, numerator before divisor. A chain has at most CHAIN products, so CHAIN + 1 factors; those
// that are free of unknowns are taken apart further while there is room for atoms.
static void take_apart(hoisting *work, chain *c, dag_ref root) {
  work->stack.count = 0;
  push(work, root, false);
  while (work->stack.count && !work->no_memory) {
    const factor f = work->stack.data[--work->stack.count];
    const dag_node *node = node_at(work, f.ref);
    const bool open = is_product(node) && (is_free(work, f.ref) ? c->atom_count + work->stack.count + CHAIN + 2 < ATOMS
                                                                : f.ref == root || work->place[f.ref] == IN_CHAIN);
    if (open && node->op == DAG_NEG) {
      c->number = -c->number;
      push(work, node->arg[0], f.below);
    } else if (open) {
      push(work, node->arg[1], node->op == DAG_DIV ? !f.below : f.below);
      push(work, node->arg[0], f.below);
    } else if (!is_free(work, f.ref)) {
      put_moving(work, c, f);
    } else if (is_of_shape(node)) {
      put_shape(work, c, node, f.below);
    } else if (!put_number(c, node, f.below)) {
      put_atom(c, f);
    }
  }
}

static dag_ref core_of(hoisting *work, const chain *c) {
  dag *g = work->from;
  dag_ref above = 0, below = 0;
  for (uint32_t k = 0; k < c->atom_count; k++) {
    if (c->atoms[k].below)
      below = times(g, below, c->atoms[k].ref);
    else
      above = times(g, above, c->atoms[k].ref);
  }
  return below ? dag_div(g, above ? above : dag_const(g, 1), below) : above;
}

// What the reference shape has comes last: corners that differ in nothing else share the rest.
static dag_ref rebuild_chain(hoisting *work, dag_ref root) {
  chain c = {.number = 1};
  take_apart(work, &c, root);
  dag *g = work->to;
  dag_ref value = hoisted_value(work, c.number, core_of(work, &c));
  if (c.above)
    value = dag_mul(g, value, c.below ? dag_div(g, c.above, c.below) : c.above);
  else if (c.below)
    value = dag_div(g, value, c.below);
  return c.shape ? dag_mul(g, c.shape, value) : value;
}

static dag_ref argument(hoisting *work, dag_ref ref) {
  return is_free(work, ref) ? rebuild_chain(work, ref) : work->made[ref];
}

static void rebuild_rotation(hoisting *work, dag_ref ref) {
  const dag_node *node = node_at(work, ref);
  const uint32_t columns = node->count, tuple = node_at(work, node->arg[0])->arg[0];
  dag_ref matrix[9];
  for (uint32_t k = 0; k < 3 * columns; k++) matrix[k] = argument(work, work->from->tuples.data[tuple + k]);
  dag_rotation(work->to, matrix, columns, work->made + ref + 1);
}

static void rebuild(hoisting *work, dag_ref ref) {
  const dag_node node = *node_at(work, ref);
  const dag_op op = (dag_op)node.op;
  dag *g = work->to;
  g->span = node.span;
  if (op == DAG_TUPLE || op == DAG_PART) return; // the rotation makes its parts
  if (op == DAG_ROTATION) {
    rebuild_rotation(work, ref);
    return;
  }
  if (op <= DAG_SUM_INPUT) {
    work->made[ref] = dag_input(g, op, node.index);
    return;
  }
  if (is_product(&node)) {
    work->made[ref] = rebuild_chain(work, ref);
    return;
  }
  const dag_ref a = argument(work, node.arg[0]);
  const dag_ref b = node.arg[1] ? argument(work, node.arg[1]) : 0, c = node.arg[2] ? argument(work, node.arg[2]) : 0;
  if (op == DAG_SELECT)
    work->made[ref] = dag_select(g, a, b, c);
  else
    work->made[ref] = dag_arity(op) == 2 ? dag_binary(g, op, a, b) : dag_unary(g, op, a);
}

static bool is_zero(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].op == DAG_CONST && graph->nodes.data[ref].value == 0;
}

static bool place_body(hoisting *work, kernel_body *body) {
  look_over(work, body);
  for (dag_ref ref = 1; ref < work->size; ref++)
    if (work->place[ref] == NEEDED) rebuild(work, ref);
  for (uint32_t k = 0; k < body->root_count; k++) {
    if (body->roots[k]) body->roots[k] = argument(work, body->roots[k]);
    if (work->no_memory || work->from->no_memory || work->to->no_memory) return false;
    if (body->roots[k] && is_zero(work->to, body->roots[k])) body->roots[k] = 0;
  }
  return true;
}

static dag_ref *take_refs(const clv_allocator *allocator, uint32_t count) {
  return base_allocate(allocator, (count ? count : 1) * sizeof(dag_ref));
}

static bool list_hoisted(hoisting *work, kernel_hoisted *out) {
  out->hoist_count = work->hoist_count;
  out->hoist_q_count = work->hoist_q_count;
  out->hoist = take_refs(work->allocator, out->hoist_count);
  out->hoist_q = take_refs(work->allocator, out->hoist_q_count);
  if (!out->hoist || !out->hoist_q) return false;
  for (uint32_t e = 0; e < work->list.count; e++) {
    const hoisted *entry = &work->list.data[e];
    const dag_ref value = dag_mul(work->from, dag_const(work->from, entry->factor), entry->core);
    (entry->per_point ? out->hoist_q : out->hoist)[entry->index] = value;
  }
  return dag_copy(work->to, work->from, out->hoist, out->hoist_count, out->hoist, true) &&
         dag_copy(work->to, work->from, out->hoist_q, out->hoist_q_count, out->hoist_q, true);
}

static bool begin(hoisting *work, dag *to, dag *from, bool rolled) {
  *work = (hoisting){.from = from, .to = to, .allocator = &to->allocator, .size = from->nodes.count};
  work->at_point = rolled ? DAG_AT_POINT : 1u << DAG_QUAD;
  to->points = from->points;
  const clv_allocator *allocator = work->allocator;
  work->uses = base_allocate(allocator, work->size * sizeof *work->uses);
  work->divides = base_allocate(allocator, work->size * sizeof *work->divides);
  work->place = base_allocate(allocator, work->size * sizeof *work->place);
  work->length = base_allocate(allocator, work->size * sizeof *work->length);
  work->chain_of = base_allocate(allocator, work->size * sizeof *work->chain_of);
  work->made = base_allocate(allocator, work->size * sizeof *work->made);
  return work->uses && work->divides && work->place && work->length && work->chain_of && work->made;
}

static void end(hoisting *work) {
  const clv_allocator *allocator = work->allocator;
  base_free(allocator, work->uses, work->size * sizeof *work->uses);
  base_free(allocator, work->divides, work->size * sizeof *work->divides);
  base_free(allocator, work->place, work->size * sizeof *work->place);
  base_free(allocator, work->length, work->size * sizeof *work->length);
  base_free(allocator, work->chain_of, work->size * sizeof *work->chain_of);
  base_free(allocator, work->made, work->size * sizeof *work->made);
  BASE_RELEASE(allocator, &work->list);
  BASE_RELEASE(allocator, &work->entry);
  BASE_RELEASE(allocator, &work->stack);
}

bool kernel_hoist_bodies(kernel_hoisted *out, dag *from, bool rolled) {
  const kernel_kind order[] = {KERNEL_FORCE, KERNEL_FORCE_DPOS, KERNEL_FORCE_DVEL, KERNEL_ENERGY};
  hoisting work;
  bool done = begin(&work, out->graph, from, rolled);
  for (uint32_t b = 0; done && b < sizeof order / sizeof *order; b++) done = place_body(&work, &out->body[order[b]]);
  done = done && list_hoisted(&work, out);
  end(&work);
  return done;
}

void kernel_hoisted_free(kernel_hoisted *out, const clv_allocator *allocator) {
  base_free(allocator, out->hoist, (out->hoist_count ? out->hoist_count : 1) * sizeof *out->hoist);
  base_free(allocator, out->hoist_q, (out->hoist_q_count ? out->hoist_q_count : 1) * sizeof *out->hoist_q);
}
