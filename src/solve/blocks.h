// Symmetric 3 x 3 blocks, column by column.

#ifndef SOLVE_BLOCKS_H
#define SOLVE_BLOCKS_H

#include "cleave/base.h"

// The inverse of a symmetric positive block, by its Cholesky factor. False where a pivot is not above `least` times the
// number on the diagonal that it came from: `inverse` is then not written.
bool block_invert(const double block[9], double least, double inverse[9]);

// The inverse for preconditioning: zero along the axes of `held` (bits), and a multiple of the identity where the block is
// not positive on the others.
void block_precondition(const double block[9], uint32_t held, double inverse[9]);

#endif
