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

// Moves the bodies, whose roots are in `from` (which has no holds), to the kernel's own graph: what depends on no
// unknown is hoisted. False when memory is out.
bool kernel_hoist_bodies(kernel *k, dag *from);

#endif
