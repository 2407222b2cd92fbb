// Kernels with one point for all: loops over the points of a cell, one behind the other.
//
// A stage (emit_lower.h) is straight code for the row and a loop over its points, which adds up the sums that the next
// stage needs. Values at points that later loops want are kept in arrays on the stack, one entry a point; data of
// points are read wherever they are wanted. What is written this way is some points' worth shorter than with the points
// written out, and takes the compiler as much less time.

#include "rule/emit_parts.h"

#include <stdio.h>

static uint32_t points_of(const emitter *e) {
  return e->kernel->rolled->graph.points;
}

bool emit_rolled_serves(const kernel *k) {
  return k->rolled && k->rolled->depth < EMIT_STAGES;
}

void emit_rolled_shape(const emitter *e) {
  const dag *graph = &e->kernel->rolled->graph;
  bool wanted = false;
  for (dag_ref ref = 1; ref < graph->nodes.count; ref++) wanted = wanted || graph->nodes.data[ref].op == DAG_SHAPE;
  if (!wanted) return;
  const clv_kind kind = e->kernel->law->shape.kind;
  const uint32_t size = 1u + 4u * clv_templates[kind].corner_count;
  double data[LAW_QUADRATURE][LAW_QUAD_DATA];
  law_reference_points(kind, data);
  emit_add(e->text, "\nstatic const double CLV_KERNEL(shape)[%u][%u] = {\n", points_of(e), size);
  for (uint32_t p = 0; p < points_of(e); p++) {
    emit_add(e->text, "    {");
    for (uint32_t k = 0; k < size; k++) {
      if (k) emit_add(e->text, ", ");
      emit_number(e->text, data[p][k]);
    }
    emit_add(e->text, "},\n");
  }
  emit_add(e->text, "};\n");
}

static const emit_node *node_at(const emitter *e, uint32_t n) {
  return &e->graph.nodes.data[n];
}

static const char *type_of(const emit_node *node) {
  return node->truth ? "lanes_mask" : "lanes";
}

// The sum that a node is, when a loop at `level` makes it.
static bool is_sum_of(const emitter *e, uint32_t n, uint32_t level) {
  return node_at(e, n)->op == EMIT_OVER && e->graph.sums.data[node_at(e, n)->index] == level;
}

// What comes from elsewhere: data of points, and values that an earlier loop has kept.
static void fetch(emitter *e, emit_ref ref, uint32_t level, const char *indent) {
  emit_node *node = &e->graph.nodes.data[ref >> 1];
  if (!emit_at_point(node->level) || node->loop == level) return;
  if (!emit_is_datum(node) && node->level == level) return;
  node->loop = level;
  if (emit_is_datum(node))
    emit_statement(e, indent, ref >> 1);
  else
    emit_add(e->text, "%sconst %s t%u = s%u[point];\n", indent, type_of(node), ref >> 1, ref >> 1);
}

static void add_at_point(emitter *e, uint32_t n, uint32_t level, const char *indent) {
  const emit_node *node = node_at(e, n);
  if (emit_is_datum(node)) return;
  const emit_ref *args;
  const uint32_t count = emit_reads(&e->graph, node, &args);
  for (uint32_t k = 0; k < count; k++) fetch(e, args[k], level, indent);
  emit_statement(e, indent, n);
  if (node->kept) emit_add(e->text, "%ss%u[point] = t%u;\n", indent, n, n);
}

// Sums that a loop makes begin with nothing; what it keeps has its place.
static bool begin_loop(const emitter *e, uint32_t level, const char *indent) {
  bool any = false;
  for (uint32_t k = 0; k < e->graph.order.count; k++) {
    const uint32_t n = e->graph.order.data[k];
    const emit_node *node = node_at(e, n);
    const bool sums = is_sum_of(e, n, level), made = node->level == level && !emit_is_datum(node);
    any = any || sums || made;
    if (sums) emit_add(e->text, "%slanes o%u = lanes_all(0.0);\n", indent, node->index);
    if (made && node->kept) emit_add(e->text, "%s%s s%u[%u];\n", indent, type_of(node), n, points_of(e));
  }
  return any;
}

static void add_loop(emitter *e, uint32_t level, const char *indent) {
  char inner[32];
  snprintf(inner, sizeof inner, "%s  ", indent);
  if (!begin_loop(e, level, indent)) return;
  emit_add(e->text, "%sfor (lanes_u32 point = 0; point < %u; point++) {\n", indent, points_of(e));
  for (uint32_t k = 0; k < e->graph.order.count; k++) {
    const uint32_t n = e->graph.order.data[k];
    if (node_at(e, n)->level == level) add_at_point(e, n, level, inner);
  }
  for (uint32_t k = 0; k < e->graph.order.count; k++) {
    const uint32_t n = e->graph.order.data[k];
    if (!is_sum_of(e, n, level)) continue;
    emit_add(e->text, "%so%u = ", inner, node_at(e, n)->index);
    emit_add_ref(e, node_at(e, n)->arg[0]);
    emit_add(e->text, ";\n");
  }
  emit_add(e->text, "%s}\n", indent);
}

void emit_rolled_stages(emitter *e, uint32_t first_level, const char *indent) {
  for (uint32_t stage = 0; stage < EMIT_STAGES; stage++) {
    emit_level_statements(e, first_level + 2 * stage, indent);
    add_loop(e, first_level + 2 * stage + 1, indent);
  }
}
