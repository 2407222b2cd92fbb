// A tape: the steps of some roots of a graph in the order they are done, each with the slot that gets its result.
//
// A slot is used again when nobody needs its value any more, so a tape of thousands of steps runs in a few hundred
// slots, which fit on a stack. Steps that do not depend on one input, the late one, come first and need to be done only
// once while that input takes one value after the other: the directions of a tangent, the points of a quadrature.

#ifndef RULE_KERNEL_TAPE_H
#define RULE_KERNEL_TAPE_H

#include "rule/dag.h"

#define KERNEL_NO_SLOT UINT32_MAX

typedef struct kernel_step {
  uint8_t op, count; // a dag_op; the columns of a rotation
  uint32_t to;
  uint32_t arg[3]; // slots; a rotation's begin at operands[arg[0]]: those it reads, then those it writes
  uint32_t index;  // of an input
  double value;    // of a constant
} kernel_step;

typedef struct kernel_tape {
  kernel_step *steps;
  uint32_t *operands, *results; // results: the slot of each root, KERNEL_NO_SLOT for none
  uint32_t step_count, early, operand_count, result_count, slots;
} kernel_tape;

// False when memory is out; the tape is empty then.
bool kernel_tape_make(kernel_tape *tape, const dag *graph, const dag_ref *roots, uint32_t count, dag_op late,
                      const clv_allocator *allocator);
void kernel_tape_free(kernel_tape *tape, const clv_allocator *allocator);

#endif
