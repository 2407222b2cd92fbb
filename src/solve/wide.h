// The loops that take the time of a solve, over ranges of rows.
//
// Vectors have three numbers a row. The same text is compiled for each instruction set, and a processor uses the
// best it has; no fused operations, and an order of additions that does not depend on the width: all give the same
// bits.

#ifndef SOLVE_WIDE_H
#define SOLVE_WIDE_H

#include "cleave/base.h"

enum {
  WIDE_BLOCK = 9, // floats of an inverse 3 x 3 block, column by column
  WIDE_PAD = 8,   // numbers that may be read behind the end of an array
};

typedef struct wide_loops {
  // The sum of a[k] b[k].
  double (*dot)(const double *a, const double *b, size_t count);
  // r -= alpha q; z = blocks r; sums: r.r and r.z
  void (*descend_blocks)(size_t rows, double alpha, const double *q, const float *blocks, double *r, double *z,
                         double sums[2]);
  // r -= alpha q; sums[0]: r.r
  void (*descend)(size_t count, double alpha, const double *q, double *r, double sums[2]);
  // x += alpha p; p = z + beta p
  void (*turn)(size_t count, double alpha, double beta, const double *z, double *p, double *x);
  // From three numbers a row to four, the last being 0, and back.
  void (*spread)(const double *from, size_t rows, double *to);
  void (*join)(const double *from, size_t rows, double *to);
  // A symmetric matrix times x, four numbers a row: sums += A x. Row r has the blocks starts[r] .. starts[r + 1] - 1 of
  // the upper triangle, the diagonal one first; places[block] is the row that a block's column stands for. What is
  // above row `rows` gets its part as well.
  void (*multiply)(size_t rows, const uint32_t *starts, const uint32_t *places, const double *values, const double *x,
                   double *sums);
  // out = ((1 + U') D (1 + U))^-1 x, three numbers a row: the blocks of U behind the first of each row, inverses of D.
  void (*solve_factor)(size_t rows, const uint32_t *starts, const uint32_t *columns, const float *upper,
                       const float *inverses, const double *x, double *out);
} wide_loops;

// The best for this processor, and the plain one.
const wide_loops *wide_best(void);
const wide_loops *wide_plain(void);

#endif
