// Sparse Cholesky factors of an assembled matrix, by CHOLMOD of SuiteSparse.
//
// Where the numbers are is analysed once for a pattern and a set of held axes; factoring again with other numbers uses
// that. Only free axes are unknowns. CHOLMOD takes its memory from the system, not from an allocator; what fails there
// is told like any other failure. A library that was built without it has these functions, too: direct_create then
// fails.
//
// What is kept from one factor to the next: while A has the same pattern and the same axes are held, the pattern of the
// factor and all memory, so that only numbers are computed; and through every commit the order of elimination
// (order.h).

#ifndef SOLVE_DIRECT_H
#define SOLVE_DIRECT_H

#include "solve/expand.h"
#include "solve/matrix.h"

typedef struct direct direct;

// NULL on failure.
direct *direct_create(const clv_allocator *allocator, clv_error *error);
void direct_destroy(direct *d);

// Factors A on the axes that are free; `held`: bits of axes, by row. `changed`: the pattern or what is held is not what
// it was at the last call. `ranks`, one a row, are those of order.h. What hangs is no unknown: then the matrix is C'A C
// (expand.h). CLV_ERROR_REFUSED when it is not positive definite.
clv_result direct_factor(direct *d, const matrix *m, const physics_hangings *hanging, const uint8_t *held,
                         double *ranks, bool changed, clv_error *error);
// Solves for the free axes of x, three numbers a row; the others are not touched.
clv_result direct_solve(direct *d, const double *b, double *x, clv_error *error);

#endif
