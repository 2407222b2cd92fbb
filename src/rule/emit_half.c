#include "rule/emit_half.h"

bool emit_half_serves(const kernel *k) {
  return k->particles <= EMIT_HALF_PARTICLES && k->quadrature == 1 && k->symmetric && !k->clamps;
}

// Directions along one axis.
static dag_ref along_axis(void *user, dag *graph, dag_op op, uint32_t index) {
  const uint32_t *axis = user;
  return op == DAG_DPOS ? dag_const(graph, index == *axis ? 1 : 0) : 0;
}

// A graph of the forces along a direction, and room for so many entries.
static bool start(emit_half *half, const kernel *k, uint32_t entries, dag_ref *forces, const clv_allocator *allocator) {
  const kernel_body *along = &k->body[KERNEL_FORCE_DPOS];
  *half = (emit_half){.allocator = *allocator, .body.root_count = entries};
  dag_init(&half->graph, allocator);
  half->body.roots = base_allocate(allocator, entries * sizeof *half->body.roots);
  return half->body.roots && dag_copy(&half->graph, &k->graph, along->roots, along->root_count, forces, true);
}

// A stiffness is minus the derivative of a force.
static dag_ref minus(dag *graph, dag_ref force) {
  return force ? dag_unary(graph, DAG_NEG, force) : 0;
}

bool emit_half_make(emit_half *half, const kernel *k, const clv_allocator *allocator) {
  enum { AXES = 3 * EMIT_HALF_PARTICLES };
  const uint32_t n = 3 * k->particles;
  dag_ref forces[AXES], column[AXES];
  bool ok = start(half, k, n * (n + 1) / 2, forces, allocator);
  for (uint32_t axis = 0, at = 0; ok && axis < n; axis++) {
    ok = dag_replace_all(&half->graph, forces, axis + 1, along_axis, &axis, column);
    for (uint32_t row = 0; ok && row <= axis; row++) half->body.roots[at++] = minus(&half->graph, column[row]);
  }
  return ok && !half->graph.no_memory;
}

// The first particles of all distances are moved along an axis at once, as no particle has two.
typedef struct pair_axis {
  const kernel_pairs *pairs;
  uint32_t axis;
} pair_axis;

static dag_ref along_pair_axis(void *user, dag *graph, dag_op op, uint32_t index) {
  const pair_axis *along = user;
  bool moved = false;
  for (uint32_t k = 0; k < along->pairs->count; k++) moved |= index == 3u * along->pairs->first[k] + along->axis;
  return op == DAG_DPOS ? dag_const(graph, moved ? 1 : 0) : 0;
}

bool emit_half_make_pairs(emit_half *half, const kernel *k, const clv_allocator *allocator) {
  dag_ref forces[KERNEL_AXES], column[KERNEL_AXES];
  const uint32_t n = 3 * k->particles;
  bool ok = start(half, k, 6 * k->pairs.count, forces, allocator);
  for (uint32_t axis = 0, at = 0; ok && axis < 3; at += ++axis) {
    pair_axis along = {&k->pairs, axis};
    ok = dag_replace_all(&half->graph, forces, n, along_pair_axis, &along, column);
    for (uint32_t pair = 0; ok && pair < k->pairs.count; pair++)
      for (uint32_t row = 0; row <= axis; row++)
        half->body.roots[6 * pair + at + row] = minus(&half->graph, column[3 * k->pairs.first[pair] + row]);
  }
  return ok && !half->graph.no_memory;
}

void emit_half_free(emit_half *half) {
  base_free(&half->allocator, half->body.roots, half->body.root_count * sizeof *half->body.roots);
  dag_free(&half->graph);
}
