// Central laws: energies of distances between particles, whose positive stiffness is written down rather than computed.
//
// Let an energy depend on positions through the distance l of two particles alone, d the vector between them. Its
// stiffness has the eigenvalue E'' along d and E'/l across, so the positive one is, with both made positive,
//
//     K+ v = across v + (along - across) / l^2 d (d . v)
//
// on one particle and minus that on the other. Several distances may be added up, as the diagonals of a quadrangle are,
// where no particle has two of them and none of them changes another's force: their stiffnesses then lie in different
// rows and columns, and so do their eigenvectors. Where an energy uses the square q of a distance other than under a
// root, q takes the place of l: along is 2 E' + 4 q E'', across is 2 E'.

#include "rule/kernel_parts.h"

enum { DISTANCES = 16, TERMS = 3 };

// A distance: `value` is what the energy depends on, l or q.
typedef struct distance {
  dag_ref square, value;
  dag_ref apart[3]; // d, along each axis
  uint32_t from, to;
  bool rooted; // value is l
} distance;

typedef struct central {
  dag *graph;
  dag_ref energy;
  law_psd psd;
  bool *needed;  // by node, of the energy's
  dag_ref *made; // by node: with values in place of distances
  distance distances[DISTANCES];
  uint32_t count;
} central;

static const dag_node *node_at(const central *work, dag_ref ref) {
  return work->graph->nodes.data + ref;
}

static bool is_moved(const central *work, dag_ref ref) {
  return node_at(work, ref)->depends & 1u << DAG_POS;
}

// Finding distances

// x_to - x_from along one axis, squared. False for anything else.
static bool is_square(const central *work, dag_ref ref, distance *d) {
  const dag_node *node = node_at(work, ref), *apart;
  if (node->op != DAG_MUL || node->arg[0] != node->arg[1]) return false;
  apart = node_at(work, node->arg[0]);
  if (apart->op != DAG_SUB) return false;
  const dag_node *a = node_at(work, apart->arg[0]), *b = node_at(work, apart->arg[1]);
  if (a->op != DAG_POS || b->op != DAG_POS || a->index % 3 != b->index % 3) return false;
  const uint32_t axis = a->index % 3, to = a->index / 3, from = b->index / 3;
  bool known = false;
  for (uint32_t k = 0; k < 3; k++) known = known || d->apart[k];
  if (d->apart[axis] || (known && (d->to != to || d->from != from))) return false;
  d->apart[axis] = node->arg[0];
  d->to = to;
  d->from = from;
  return true;
}

// A sum of three such squares.
static bool is_distance(const central *work, dag_ref ref, distance *d) {
  *d = (distance){.square = ref};
  dag_ref open[TERMS] = {ref};
  uint32_t count = 1, squares = 0;
  while (count) {
    const dag_ref at = open[--count];
    const dag_node *node = node_at(work, at);
    if (node->op == DAG_ADD && squares + count + 2 <= TERMS) {
      open[count++] = node->arg[0];
      open[count++] = node->arg[1];
    } else if (!is_square(work, at, d)) {
      return false;
    } else {
      squares++;
    }
  }
  return squares == 3;
}

static bool take_distance(central *work, const distance *d) {
  for (uint32_t k = 0; k < work->count; k++) {
    const distance *other = &work->distances[k];
    if (d->to == other->to || d->to == other->from || d->from == other->to || d->from == other->from) return false;
  }
  if (work->count == DISTANCES) return false;
  work->distances[work->count++] = *d;
  return true;
}

// Marks what the energy needs down to distances, which it lists. False where a position comes in otherwise.
static bool find_distances(central *work) {
  memset(work->needed, 0, (work->energy + 1u) * sizeof *work->needed);
  work->needed[work->energy] = true;
  for (dag_ref ref = work->energy; ref > 0; ref--) {
    const dag_node *node = node_at(work, ref);
    distance d;
    if (!work->needed[ref] || !is_moved(work, ref) || node->op == DAG_HOLD) continue;
    if (is_distance(work, ref, &d)) {
      if (!take_distance(work, &d)) return false;
      continue;
    }
    if (dag_arity((dag_op)node->op) == 0 || node->op == DAG_PART || node->op == DAG_ROTATION) return false;
    for (uint32_t k = 0; k < dag_arity((dag_op)node->op); k++) work->needed[node->arg[k]] = true;
  }
  return work->count > 0;
}

// A square that is used under roots alone gives way to its root, which exists once.
static void find_roots(central *work) {
  for (uint32_t k = 0; k < work->count; k++) {
    distance *d = &work->distances[k];
    dag_ref root = 0;
    bool others = d->square == work->energy;
    for (dag_ref ref = d->square + 1; ref <= work->energy; ref++) {
      const dag_node *node = node_at(work, ref);
      if (!work->needed[ref] || !is_moved(work, ref) || node->op == DAG_HOLD) continue;
      for (uint32_t a = 0; a < dag_arity((dag_op)node->op); a++) {
        if (node->arg[a] != d->square) continue;
        if (node->op == DAG_SQRT)
          root = ref;
        else
          others = true;
      }
    }
    d->rooted = root && !others;
    d->value = d->rooted ? root : d->square;
  }
}

// Differentiating: distances become inputs of their own for the while. Forces have no sums over orbits, so theirs are
// free.

static dag_ref rebuild(const central *work, dag_ref ref) {
  const dag_node node = *node_at(work, ref);
  dag_ref arg[3] = {0};
  for (uint32_t k = 0; k < dag_arity((dag_op)node.op); k++) arg[k] = work->made[node.arg[k]];
  if (node.op == DAG_SELECT) return dag_select(work->graph, arg[0], arg[1], arg[2]);
  return dag_arity((dag_op)node.op) == 2 ? dag_binary(work->graph, (dag_op)node.op, arg[0], arg[1])
                                         : dag_unary(work->graph, (dag_op)node.op, arg[0]);
}

static dag_ref energy_of_values(const central *work) {
  for (dag_ref ref = 1; ref <= work->energy; ref++) work->made[ref] = ref;
  for (uint32_t k = 0; k < work->count; k++)
    work->made[work->distances[k].value] = dag_input(work->graph, DAG_SUM_INPUT, k);
  for (dag_ref ref = 1; ref <= work->energy; ref++) {
    if (!work->needed[ref] || !is_moved(work, ref) || node_at(work, ref)->op == DAG_HOLD) continue;
    bool inner = work->made[ref] != ref; // a distance, or the square below it
    for (uint32_t k = 0; k < work->count; k++) inner = inner || ref == work->distances[k].square;
    if (!inner) work->made[ref] = rebuild(work, ref);
  }
  return work->made[work->energy];
}

static dag_ref value_of(void *user, dag *graph, dag_op op, uint32_t index) {
  (void)graph;
  return op == DAG_SUM_INPUT ? ((const central *)user)->distances[index].value : 0;
}

static bool is_zero(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].op == DAG_CONST && graph->nodes.data[ref].value == 0;
}

// E' and E'' of each distance; false where one changes the force of another.
static bool differentiate(central *work, dag_ref *first, dag_ref *second) {
  dag *g = work->graph;
  const dag_ref energy = energy_of_values(work);
  dag_ref bad;
  if (!energy || !dag_gradient(g, energy, DAG_SUM_INPUT, work->count, first, &bad)) return false;
  for (uint32_t k = 0; k < work->count; k++) {
    dag_ref slopes[DISTANCES];
    if (!dag_gradient(g, first[k], DAG_SUM_INPUT, work->count, slopes, &bad)) return false;
    for (uint32_t n = 0; n < work->count; n++)
      if (n != k && !is_zero(g, slopes[n])) return false;
    second[k] = slopes[k];
  }
  for (uint32_t k = 0; k < work->count; k++) {
    first[k] = dag_replace(g, first[k], value_of, work);
    second[k] = dag_replace(g, second[k], value_of, work);
  }
  return !g->no_memory;
}

// Writing the product

static dag_ref make_positive(const central *work, dag_ref value) {
  if (work->psd == LAW_PSD_ABS) return dag_unary(work->graph, DAG_ABS, value);
  return dag_binary(work->graph, DAG_MAX, value, dag_const(work->graph, 0));
}

static void push(const central *work, const distance *d, dag_ref first, dag_ref second, dag_ref *forces) {
  dag *g = work->graph;
  const dag_ref zero = dag_const(g, 0), q = d->square;
  dag_ref along = second, across = dag_div(g, first, d->value);
  if (!d->rooted) {
    across = dag_mul(g, dag_const(g, 2), first);
    along = dag_add(g, across, dag_mul(g, dag_const(g, 4), dag_mul(g, q, second)));
  }
  along = make_positive(work, along);
  across = make_positive(work, across);
  dag_ref direction[3], dot = zero;
  for (uint32_t k = 0; k < 3; k++) {
    direction[k] = dag_sub(g, dag_input(g, DAG_DPOS, 3 * d->to + k), dag_input(g, DAG_DPOS, 3 * d->from + k));
    dot = dag_add(g, dot, dag_mul(g, d->apart[k], direction[k]));
  }
  // Where the particles meet there is no direction between them.
  const dag_ref excess =
      dag_select(g, dag_binary(g, DAG_LESS, zero, q), dag_div(g, dag_sub(g, along, across), q), zero);
  const dag_ref pull = dag_mul(g, excess, dot);
  for (uint32_t k = 0; k < 3; k++) {
    const dag_ref force = dag_add(g, dag_mul(g, across, direction[k]), dag_mul(g, pull, d->apart[k]));
    forces[3 * d->to + k] = dag_sub(g, forces[3 * d->to + k], force);
    forces[3 * d->from + k] = dag_add(g, forces[3 * d->from + k], force);
  }
}

static bool write_product(central *work, uint32_t axes, dag_ref *force_dpos) {
  dag_ref first[DISTANCES] = {0}, second[DISTANCES] = {0};
  if (!find_distances(work)) return false;
  find_roots(work);
  if (!differentiate(work, first, second)) return false;
  for (uint32_t k = 0; k < axes; k++) force_dpos[k] = dag_const(work->graph, 0);
  for (uint32_t k = 0; k < work->count; k++) push(work, &work->distances[k], first[k], second[k], force_dpos);
  return !work->graph->no_memory;
}

static void tell_pairs(const central *work, kernel_pairs *pairs) {
  pairs->count = work->count;
  for (uint32_t k = 0; k < work->count; k++) {
    pairs->first[k] = (uint8_t)work->distances[k].from;
    pairs->second[k] = (uint8_t)work->distances[k].to;
  }
}

bool kernel_positive_central(dag *graph, dag_ref energy, law_psd psd, uint32_t axes, dag_ref *force_dpos,
                             kernel_pairs *pairs) {
  const clv_allocator *allocator = &graph->allocator;
  const size_t size = (size_t)energy + 1;
  central work = {.graph = graph, .energy = energy, .psd = psd};
  work.needed = base_allocate(allocator, size * sizeof *work.needed);
  work.made = base_allocate(allocator, size * sizeof *work.made);
  if (!work.needed || !work.made) graph->no_memory = true;
  const bool done = !graph->no_memory && write_product(&work, axes, force_dpos);
  if (done) tell_pairs(&work, pairs);
  base_free(allocator, work.needed, size * sizeof *work.needed);
  base_free(allocator, work.made, size * sizeof *work.made);
  return done;
}
