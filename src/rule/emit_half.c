#include "rule/emit_half.h"

bool emit_half_serves(const kernel *k) {
  return k->particles <= EMIT_HALF_PARTICLES && k->quadrature == 1 && k->symmetric && !k->clamps;
}

// Directions along one axis.
static dag_ref along_axis(void *user, dag *graph, dag_op op, uint32_t index) {
  const uint32_t *axis = user;
  return op == DAG_DPOS ? dag_const(graph, index == *axis ? 1 : 0) : 0;
}

bool emit_half_make(emit_half *half, const kernel *k, const clv_allocator *allocator) {
  enum { AXES = 3 * EMIT_HALF_PARTICLES };
  const uint32_t n = 3 * k->particles, count = n * (n + 1) / 2;
  dag_ref forces[AXES], column[AXES];
  *half = (emit_half){.allocator = *allocator};
  dag_init(&half->graph, allocator);
  half->body.roots = base_allocate(allocator, count * sizeof *half->body.roots);
  half->body.root_count = count;
  dag *g = &half->graph;
  bool ok = half->body.roots && dag_copy(g, &k->graph, k->body[KERNEL_FORCE_DPOS].roots, n, forces, true);
  for (uint32_t axis = 0, at = 0; ok && axis < n; axis++) {
    ok = dag_replace_all(g, forces, axis + 1, along_axis, &axis, column);
    for (uint32_t row = 0; ok && row <= axis; row++)
      half->body.roots[at++] = column[row] ? dag_unary(g, DAG_NEG, column[row]) : 0;
  }
  return ok && !g->no_memory;
}

void emit_half_free(emit_half *half) {
  base_free(&half->allocator, half->body.roots, half->body.root_count * sizeof *half->body.roots);
  dag_free(&half->graph);
}
