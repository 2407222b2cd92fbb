// Diagonals that follow from the blocks beside them.
//
// A law that knows differences of positions alone gives no force along a translation: the rows of its stiffness add up
// to 0. Where all laws are such, nothing is added to the diagonal, which is four tenths of what tetrahedra would add.
// What is there is found once the other blocks are: the masses less all blocks of the row, on both sides of the
// diagonal.

#include "solve/matrix_rows.h"

static bool is_direction(const dag *graph, dag_ref ref) {
  return graph->nodes.data[ref].op == DAG_DPOS;
}

// Whether a node makes a difference of the directions it uses, if any, along one axis.
static bool takes_apart(const dag *graph, const dag_node *node) {
  const dag_ref *arg = node->arg;
  if (node->op == DAG_TUPLE) {
    for (uint32_t k = 0; k < node->count; k++)
      if (is_direction(graph, graph->tuples.data[arg[0] + k])) return false;
    return true;
  }
  uint32_t used = 0;
  for (uint32_t k = 0; k < dag_arity((dag_op)node->op); k++) used += is_direction(graph, arg[k]);
  return !used || (node->op == DAG_SUB && used == 2 &&
                   graph->nodes.data[arg[0]].index % 3 == graph->nodes.data[arg[1]].index % 3);
}

bool matrix_law_balances(const kernel *k) {
  const kernel_body *along = &k->body[KERNEL_FORCE_DPOS];
  bool balances = (k->symmetric || k->clamps) && !k->has_velocity;
  for (uint32_t r = 0; r < along->root_count; r++)
    balances = balances && !(along->roots[r] && is_direction(&k->graph, along->roots[r]));
  for (dag_ref ref = 1; ref < k->graph.nodes.count; ref++)
    balances = balances && takes_apart(&k->graph, &k->graph.nodes.data[ref]);
  return balances;
}

bool matrix_list_lower(matrix *m) {
  const clv_allocator *a = &m->allocator;
  m->balances = true;
  for (uint32_t k = 0; k < m->parts.count; k++) m->balances = m->balances && m->parts.data[k].law->balances;
  if (!m->balances) return true;
  if (!BASE_RESERVE(a, &m->lower_starts, (uint64_t)m->rows + 2) || !BASE_RESERVE(a, &m->lower, m->blocks)) return false;
  // starts[row + 1] is where the next of a row's goes: in the end that is where the next row begins.
  uint32_t *starts = m->lower_starts.data;
  memset(starts, 0, ((size_t)m->rows + 2) * sizeof *starts);
  for (uint32_t row = 0; row < m->rows; row++)
    for (uint32_t k = m->starts.data[row] + 1; k < m->starts.data[row + 1]; k++) starts[m->columns.data[k] + 2]++;
  for (uint32_t row = 0; row < m->rows; row++) starts[row + 2] += starts[row + 1];
  for (uint32_t row = 0; row < m->rows; row++)
    for (uint32_t k = m->starts.data[row] + 1; k < m->starts.data[row + 1]; k++)
      m->lower.data[starts[m->columns.data[k] + 1]++] = k;
  return true;
}
