// Incomplete Cholesky factors of a matrix of 3 x 3 blocks, on its own pattern.
//
// A is near (1 + L) D (1 + L') with L below the diagonal and D of blocks; L' and the inverses of D are kept in single
// precision, which halves what an application reads and is still symmetric and positive. Axes that are held are taken
// out. A pivot may fail although A is positive. Then the diagonal is raised a little and the factor made again, up to a
// bound; beyond it there is none, which is for the caller to report.

#ifndef SOLVE_CHOLESKY_H
#define SOLVE_CHOLESKY_H

#include "solve/matrix.h"

typedef struct cholesky {
  clv_allocator allocator;
  const matrix *m;
  BASE_ARRAY(double) work;    // 9 a block of A, while it is factored
  BASE_ARRAY(float) upper;    // 9 a block: L', column by column; 0 on the diagonal
  BASE_ARRAY(float) inverses; // 9 a row: of D
  double shift;               // what the diagonal was raised by, relative to it
} cholesky;

typedef enum cholesky_end { CHOLESKY_MADE, CHOLESKY_FAILED, CHOLESKY_NO_MEMORY } cholesky_end;

void cholesky_init(cholesky *c, const matrix *m, const clv_allocator *allocator);
void cholesky_free(cholesky *c);
// `held`: bits of axes, by row.
cholesky_end cholesky_make(cholesky *c, const uint8_t *held);
// out = the inverse of the product of the factors times x; three numbers a row.
void cholesky_apply(const cholesky *c, const double *x, double *out);

#endif
