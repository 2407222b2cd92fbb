// Preconditioned conjugate gradients on vectors of three numbers a row.
//
// This knows neither bodies nor matrices: who calls it says how to multiply and how to precondition. Both must leave
// zeros along axes that are not free, and so nothing here asks which those are. Sums are taken chunk by chunk, and the
// chunks depend on the number of rows alone: any number of threads gives the same bits.

#ifndef SOLVE_CONJUGATE_H
#define SOLVE_CONJUGATE_H

#include "base/thread.h"
#include "solve/wide.h"

typedef struct conjugate_operator {
  void *user;
  // out = A x, *product = x . out
  clv_result (*multiply)(void *user, const double *x, double *out, double *product);
  // out = an approximation of A^-1 x; NULL where `blocks` are used.
  void (*precondition)(void *user, const double *x, double *out);
  const float *blocks; // the inverses of 3 x 3 blocks, by row and column by column, as wide.h lays them out
} conjugate_operator;

typedef struct conjugate_end {
  uint32_t iterations;
  double residual; // |r|, not relative
  bool indefinite;
} conjugate_end;

typedef struct conjugate_room {
  uint32_t rows;
  base_pool *pool;              // may be NULL
  double *residual, *p, *q, *z; // 3 * rows each
  double *sums;                 // of chunks: conjugate_chunks(rows) * 2
} conjugate_room;

uint32_t conjugate_chunks(uint32_t rows);
double conjugate_dot(const conjugate_room *room, const double *a, const double *b);

// room->residual holds b - A x; x gets better until |residual| is at most `goal` or the iterations are used up.
clv_result conjugate_solve(const conjugate_room *room, const conjugate_operator *op, double *x, double goal,
                           uint32_t iterations, conjugate_end *end);

#endif
