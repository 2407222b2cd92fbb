// From one point for all to all points.
//
// A rolled law is differentiated and hoisted with its points in one, which keeps its C text short (emit_rolled.c). What
// everybody else sees is the same kernel with the points written out: a constant of a point becomes as many constants
// of the row, and what the reference shape has becomes numbers.

#include "rule/kernel_parts.h"

typedef struct unrolling {
  kernel *k;
  kernel_rolled *rolled;
  const kernel_hoisted *from;
  const clv_allocator *allocator;
  uint32_t points;
  double shape[LAW_QUADRATURE][LAW_QUAD_DATA];
  dag_ref *constants; // written out: those of rows, then [point][constant]
} unrolling;

// A constant by its number among all of a row.
static dag_ref constant(const kernel *k, dag *graph, uint32_t number) {
  const bool late = number >= k->hoist_count;
  return dag_input(graph, late ? DAG_HOIST_Q : DAG_HOIST, late ? number - k->hoist_count : number);
}

static dag_ref at_point(void *user, dag *graph, dag_op op, uint32_t index, uint32_t point) {
  const unrolling *work = user;
  switch (op) {
  case DAG_POINT:
    return dag_input(graph, DAG_QUAD, point * LAW_QUAD_DATA + index);
  case DAG_SHAPE:
    return dag_const(graph, work->shape[point][index]);
  case DAG_HOIST:
    return constant(work->k, graph, work->rolled->row[index]);
  case DAG_HOIST_Q:
    return constant(work->k, graph, work->rolled->point[index] + point);
  default:
    return 0;
  }
}

static void *take(const clv_allocator *allocator, size_t count, size_t size) {
  return base_allocate(allocator, (count ? count : 1) * size);
}

static void give(const clv_allocator *allocator, void *list, size_t count, size_t size) {
  base_free(allocator, list, (count ? count : 1) * size);
}

static size_t constant_count(const unrolling *work) {
  return work->from->hoist_count + (size_t)work->points * work->from->hoist_q_count;
}

// Constants, written out in the kernel's graph.
static bool expand_constants(unrolling *work) {
  const kernel_hoisted *from = work->from;
  dag_ref *rows = take(work->allocator, (size_t)work->points * from->hoist_count, sizeof *rows);
  work->constants = take(work->allocator, constant_count(work), sizeof *work->constants);
  const bool done = rows && work->constants &&
                    dag_expand(&work->k->graph, from->graph, from->hoist, from->hoist_count, at_point, work, rows) &&
                    dag_expand(&work->k->graph, from->graph, from->hoist_q, from->hoist_q_count, at_point, work,
                               work->constants + from->hoist_count);
  if (done) memcpy(work->constants, rows, from->hoist_count * sizeof *rows);
  give(work->allocator, rows, (size_t)work->points * from->hoist_count, sizeof *rows);
  return done;
}

static bool reads_points(const unrolling *work, dag_ref ref) {
  return dag_depends(&work->k->graph, ref) & 1u << DAG_QUAD;
}

static dag_ref of_point(const unrolling *work, uint32_t c, uint32_t point) {
  return work->constants[work->from->hoist_count + (size_t)point * work->from->hoist_q_count + c];
}

static bool any_reads_points(const unrolling *work, uint32_t c) {
  bool any = false;
  for (uint32_t p = 0; p < work->points; p++) any = any || reads_points(work, of_point(work, c, p));
  return any;
}

// Numbers constants: first those that read no data of points, then the others, which `late` asks for.
static uint32_t number_constants(unrolling *work, bool late, uint32_t next, dag_ref *list) {
  const uint32_t first = next;
  for (uint32_t c = 0; c < work->from->hoist_count; c++) {
    if (reads_points(work, work->constants[c]) != late) continue;
    if (list) list[next - first] = work->constants[c];
    work->rolled->row[c] = next++;
  }
  for (uint32_t c = 0; c < work->from->hoist_q_count; c++) {
    if (any_reads_points(work, c) != late) continue;
    for (uint32_t p = 0; list && p < work->points; p++) list[next - first + p] = of_point(work, c, p);
    work->rolled->point[c] = next;
    next += work->points;
  }
  return next - first;
}

static bool list_constants(unrolling *work) {
  kernel *k = work->k;
  k->hoist_count = number_constants(work, false, 0, NULL);
  k->hoist_q_count = number_constants(work, true, k->hoist_count, NULL);
  k->hoist = take(work->allocator, k->hoist_count, sizeof *k->hoist);
  k->hoist_q = take(work->allocator, k->hoist_q_count, sizeof *k->hoist_q);
  if (!k->hoist || !k->hoist_q) return false;
  number_constants(work, false, 0, k->hoist);
  number_constants(work, true, k->hoist_count, k->hoist_q);
  return true;
}

static bool expand_body(unrolling *work, kernel_kind kind) {
  const kernel_body *from = &work->rolled->body[kind];
  kernel_body *to = &work->k->body[kind];
  const size_t count = (size_t)work->points * from->root_count;
  dag_ref *roots = take(work->allocator, count, sizeof *roots);
  to->roots = take(work->allocator, from->root_count, sizeof *to->roots);
  to->root_count = from->root_count;
  const bool done =
      roots && to->roots &&
      dag_expand(&work->k->graph, &work->rolled->graph, from->roots, from->root_count, at_point, work, roots);
  for (uint32_t e = 0; done && e < from->root_count; e++) {
    const dag_node *node = &work->k->graph.nodes.data[roots[e]];
    to->roots[e] = node->op == DAG_CONST && node->value == 0 ? 0 : roots[e];
  }
  give(work->allocator, roots, count, sizeof *roots);
  return done;
}

// How many sums over points need each other. False when memory is out.
static bool find_depth(kernel_rolled *r, const clv_allocator *allocator) {
  const dag *graph = &r->graph;
  uint32_t *depth = take(allocator, graph->nodes.count, sizeof *depth);
  if (!depth) return false;
  depth[0] = 0;
  for (dag_ref ref = 1; ref < graph->nodes.count; ref++) {
    const dag_node *node = &graph->nodes.data[ref];
    const uint32_t count = node->op == DAG_TUPLE ? node->count : dag_arity((dag_op)node->op);
    const dag_ref *args = node->op == DAG_TUPLE ? graph->tuples.data + node->arg[0] : node->arg;
    depth[ref] = 0;
    for (uint32_t k = 0; k < count; k++)
      if (depth[args[k]] > depth[ref]) depth[ref] = depth[args[k]];
    depth[ref] += node->op == DAG_OVER;
    if (depth[ref] > r->depth) r->depth = depth[ref];
  }
  give(allocator, depth, graph->nodes.count, sizeof *depth);
  return true;
}

bool kernel_unroll(kernel *k, const kernel_hoisted *hoisted) {
  const clv_allocator *allocator = &k->graph.allocator;
  kernel_rolled *r = k->rolled;
  r->row = take(allocator, hoisted->hoist_count, sizeof *r->row);
  r->point = take(allocator, hoisted->hoist_q_count, sizeof *r->point);
  r->hoist_count = hoisted->hoist_count;
  r->hoist_q_count = hoisted->hoist_q_count;
  if (!r->row || !r->point) return false;
  unrolling work = {.k = k, .rolled = r, .from = hoisted, .allocator = allocator, .points = r->graph.points};
  law_reference_points(k->law->shape.kind, work.shape);
  bool done = dag_const(&k->graph, 0) && find_depth(r, allocator) && expand_constants(&work) && list_constants(&work);
  for (kernel_kind kind = KERNEL_ENERGY; done && kind <= KERNEL_FORCE_DVEL; kind++) done = expand_body(&work, kind);
  give(allocator, work.constants, constant_count(&work), sizeof *work.constants);
  return done;
}

void kernel_rolled_free(kernel_rolled *rolled, const clv_allocator *allocator) {
  if (!rolled) return;
  kernel_bodies_free(rolled->body, allocator);
  give(allocator, rolled->row, rolled->hoist_count, sizeof *rolled->row);
  give(allocator, rolled->point, rolled->hoist_q_count, sizeof *rolled->point);
  dag_free(&rolled->graph);
  base_free(allocator, rolled, sizeof *rolled);
}
