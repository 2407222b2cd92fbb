// Symmetric 3 x 3 blocks, column by column.

#ifndef SOLVE_BLOCKS_H
#define SOLVE_BLOCKS_H

#include "cleave/base.h"

// The inverse of a symmetric positive block, by its Cholesky factor. False where a pivot is not above `least` times the
// number on the diagonal that it came from: `inverse` is then not written.
bool block_invert(const double block[9], double least, double inverse[9]);

// The inverse for preconditioning: zero along the axes of `held` (bits), and a multiple of the identity where the block
// is not positive on the others.
void block_precondition(const double block[9], uint32_t held, double inverse[9]);

// Where number e of a block is in a half of it: xx xy xz yy yz zz.
static const uint8_t block_half[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};

// A half of the inverse by cofactors, which takes one division and no branch. False where this is not accurate: pivots
// near 0, numbers near their bounds.
CLV_INLINE bool block_cofactors(double xx, double xy, double xz, double yy, double yz, double zz, double half[6]) {
  const double least = 1e-4, minor = xx * yy - xy * xy;
  const double first = yy * zz - yz * yz, second = xz * yz - xy * zz, third = xy * yz - xz * yy;
  const double determinant = xx * first + xy * second + xz * third, by = 1 / determinant;
  half[0] = by * first;
  half[1] = by * second;
  half[2] = by * third;
  half[3] = by * (xx * zz - xz * xz);
  half[4] = by * (xy * xz - xx * yz);
  half[5] = by * minor;
  return (xx > 0) & (minor > least * xx * yy) & (determinant > least * zz * minor) & (determinant > 1e-200) &
         (determinant < 1e200);
}

#endif
