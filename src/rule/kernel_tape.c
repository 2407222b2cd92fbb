#include "rule/kernel_tape.h"

typedef struct taping {
  kernel_tape *tape;
  const dag *graph;
  const clv_allocator *allocator;
  dag_op late;
  uint32_t
      *when; // of each node: the step that uses it last + 1; 0: not needed, FOREVER: a result, or early and used late
  uint32_t *slot; // of each node
  dag_ref *order; // nodes that are steps, early ones first
  uint32_t *free; // slots that may be used again
  uint32_t free_count, step_count, operand_count;
} taping;

#define FOREVER UINT32_MAX

static const dag_node *node_at(const taping *work, dag_ref ref) {
  return work->graph->nodes.data + ref;
}

// The nodes whose values a step reads. A rotation reads its tuple's.
static const dag_ref *reads_of(const taping *work, const dag_node *node, uint32_t *count) {
  if (node->op == DAG_ROTATION) node = node_at(work, node->arg[0]);
  *count = node->op == DAG_TUPLE ? node->count : node->op == DAG_PART ? 1 : dag_arity((dag_op)node->op);
  return node->op == DAG_TUPLE ? work->graph->tuples.data + node->arg[0] : node->arg;
}

static bool is_late(const taping *work, dag_ref ref) {
  return node_at(work, ref)->depends & 1u << work->late;
}

static void mark_needed(taping *work, const dag_ref *roots, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (roots[k]) work->when[roots[k]] = FOREVER;
  for (dag_ref ref = work->graph->nodes.count - 1; ref > 0; ref--) {
    if (!work->when[ref]) continue;
    uint32_t read_count;
    const dag_ref *reads = reads_of(work, node_at(work, ref), &read_count);
    for (uint32_t k = 0; k < read_count; k++)
      if (!work->when[reads[k]]) work->when[reads[k]] = 1;
  }
}

static void put_in_order(taping *work) {
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (dag_ref ref = 1; ref < work->graph->nodes.count; ref++) {
      const dag_node *node = node_at(work, ref);
      if (!work->when[ref] || node->op == DAG_PART || is_late(work, ref) != (pass == 1)) continue;
      work->order[work->step_count++] = ref;
      if (node->op == DAG_ROTATION) work->operand_count += 6u * node->count;
    }
    if (pass == 0) work->tape->early = work->step_count;
  }
}

static void find_last_uses(taping *work) {
  for (uint32_t step = 0; step < work->step_count; step++) {
    uint32_t count;
    const dag_ref *reads = reads_of(work, node_at(work, work->order[step]), &count);
    for (uint32_t k = 0; k < count; k++) {
      if (work->when[reads[k]] == FOREVER) continue;
      const bool kept = step >= work->tape->early && !is_late(work, reads[k]);
      work->when[reads[k]] = kept ? FOREVER : step + 1;
    }
  }
}

static uint32_t take_slot(taping *work) {
  return work->free_count ? work->free[--work->free_count] : work->tape->slots++;
}

// Gives back the slots of nodes that nobody reads after this step. One that is read twice is given back once.
static void give_slots(taping *work, const dag_ref *reads, uint32_t count, uint32_t step) {
  for (uint32_t k = 0; k < count; k++) {
    if (work->when[reads[k]] != step + 1) continue;
    work->when[reads[k]] = 0;
    work->free[work->free_count++] = work->slot[reads[k]];
  }
}

static void write_rotation(taping *work, kernel_step *out, dag_ref ref) {
  uint32_t count;
  const dag_ref *reads = reads_of(work, node_at(work, ref), &count);
  uint32_t *operands = work->tape->operands + work->tape->operand_count;
  out->arg[0] = work->tape->operand_count;
  work->tape->operand_count += 2 * count;
  for (uint32_t k = 0; k < count; k++) operands[k] = work->slot[reads[k]];
  for (uint32_t k = 0; k < count; k++) operands[count + k] = work->slot[ref + 1 + k] = take_slot(work);
  for (uint32_t k = 0; k < count; k++)
    if (!work->when[ref + 1 + k]) work->free[work->free_count++] = operands[count + k];
}

static void write_step(taping *work, uint32_t step) {
  const dag_ref ref = work->order[step];
  const dag_node *node = node_at(work, ref);
  uint32_t count;
  const dag_ref *reads = reads_of(work, node, &count);
  kernel_step *out = &work->tape->steps[step];
  *out = (kernel_step){.op = node->op, .count = node->count, .index = node->index, .value = node->value};
  if (node->op == DAG_ROTATION) {
    write_rotation(work, out, ref);
  } else {
    for (uint32_t k = 0; k < count; k++) out->arg[k] = work->slot[reads[k]];
    out->to = work->slot[ref] = take_slot(work);
  }
  give_slots(work, reads, count, step);
}

static void *take(const clv_allocator *allocator, uint32_t count, size_t size) {
  return base_allocate(allocator, (count ? count : 1) * size);
}

static bool take_tape(taping *work, uint32_t count) {
  kernel_tape *tape = work->tape;
  tape->step_count = work->step_count;
  tape->result_count = count;
  tape->steps = take(work->allocator, tape->step_count, sizeof *tape->steps);
  tape->results = take(work->allocator, count, sizeof *tape->results);
  tape->operands = take(work->allocator, work->operand_count, sizeof *tape->operands);
  tape->operand_count = work->operand_count;
  return tape->steps && tape->results && tape->operands;
}

bool kernel_tape_make(kernel_tape *tape, const dag *graph, const dag_ref *roots, uint32_t count, dag_op late,
                      const clv_allocator *allocator) {
  *tape = (kernel_tape){0};
  const uint32_t nodes = graph->nodes.count + 1;
  uint32_t *scratch = take(allocator, nodes, 4 * sizeof *scratch);
  if (!scratch) return false;
  memset(scratch, 0, nodes * 4 * sizeof *scratch);
  taping work = {tape, graph, allocator, late, scratch, scratch + nodes, scratch + 2 * nodes, scratch + 3 * nodes,
                 0,    0,     0};
  if (graph->nodes.count) {
    mark_needed(&work, roots, count);
    put_in_order(&work);
    find_last_uses(&work);
  }
  const bool made = take_tape(&work, count);
  if (made) {
    tape->operand_count = 0;
    for (uint32_t step = 0; step < work.step_count; step++) write_step(&work, step);
    for (uint32_t k = 0; k < count; k++) tape->results[k] = roots[k] ? work.slot[roots[k]] : KERNEL_NO_SLOT;
  } else {
    kernel_tape_free(tape, allocator);
  }
  base_free(allocator, scratch, nodes * 4 * sizeof *scratch);
  return made;
}

void kernel_tape_free(kernel_tape *tape, const clv_allocator *allocator) {
  const uint32_t steps = tape->step_count ? tape->step_count : 1, results = tape->result_count ? tape->result_count : 1;
  const uint32_t operands = tape->operand_count ? tape->operand_count : 1;
  base_free(allocator, tape->steps, steps * sizeof *tape->steps);
  base_free(allocator, tape->results, results * sizeof *tape->results);
  base_free(allocator, tape->operands, operands * sizeof *tape->operands);
  *tape = (kernel_tape){0};
}
