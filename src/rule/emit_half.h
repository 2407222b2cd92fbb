// Stiffnesses of small laws, written out: a root for each entry of one half.
//
// Matrices are forces along a direction, run along each axis in turn (emit.c). That takes as long for an axis as for
// any direction, and computes both halves of a matrix that is symmetric. Where there are few axes, each is put into the
// expressions instead: products with 0 and 1 vanish, what columns share is computed once, and one half is enough. Laws
// whose matrices are made positive are left out, as that is where their time goes; so are those summed over points.

#ifndef RULE_EMIT_HALF_H
#define RULE_EMIT_HALF_H

#include "rule/kernel.h"

// EMIT_HALF_PARTICLES: the most whose columns are written out; the text grows with their square.
enum { EMIT_HALF_PARTICLES = 4 };

typedef struct emit_half {
  clv_allocator allocator;
  dag graph;
  kernel_body body; // entries (row, column), row <= column, in order of columns, then rows
} emit_half;

bool emit_half_serves(const kernel *k);
// The same for the distances of a central law: [distance][column][row], row <= column, of three axes each.
bool emit_half_make_pairs(emit_half *half, const kernel *k, const clv_allocator *allocator);
// False when memory is out; to be freed in any case.
bool emit_half_make(emit_half *half, const kernel *k, const clv_allocator *allocator);
void emit_half_free(emit_half *half);

#endif
