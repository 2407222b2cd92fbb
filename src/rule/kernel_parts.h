// How a kernel is made, step by step; only kernel*.c include this.

#ifndef RULE_KERNEL_PARTS_H
#define RULE_KERNEL_PARTS_H

#include "rule/kernel.h"

// The same energy with factors free of unknowns inside its sums, where that saves constants. 0 when memory is out.
dag_ref kernel_spread_factors(dag *graph, dag_ref energy);

// Gauss-Newton: minus the stiffness of an energy sum of c r^2, without the second derivatives of r, times DAG_DPOS.
// False and *bad at what has not this form (0 when memory is out).
bool kernel_gauss_newton(dag *graph, dag_ref energy, uint32_t axes, dag_ref *force_dpos, dag_ref *bad);

// Minus the stiffness of an energy of distances, made positive, times DAG_DPOS. False where an energy is none, or
// memory is out (the graph says so): the stiffness has to be made positive number by number. *pairs: the distances.
bool kernel_positive_central(dag *graph, dag_ref energy, law_psd psd, uint32_t axes, dag_ref *force_dpos,
                             kernel_pairs *pairs);

// Moves bodies, whose roots are in `from` (which has no holds), to a graph of their own: what depends on no unknown is
// hoisted. False when memory is out; what there is of `out` is to be freed in any case.
typedef struct kernel_hoisted {
  dag *graph;
  kernel_body *body; // KERNEL_COUNT
  dag_ref *hoist, *hoist_q;
  uint32_t hoist_count, hoist_q_count;
} kernel_hoisted;
bool kernel_hoist_bodies(kernel_hoisted *out, dag *from, bool rolled);
void kernel_hoisted_free(kernel_hoisted *out, const clv_allocator *allocator);

// Makes the kernel's own graph, bodies and constants of those that one point for all has. False when memory is out.
bool kernel_unroll(kernel *k, const kernel_hoisted *rolled);
void kernel_rolled_free(kernel_rolled *rolled, const clv_allocator *allocator);
void kernel_bodies_free(kernel_body *body, const clv_allocator *allocator);

#endif
