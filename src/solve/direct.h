// Sparse Cholesky factors of an assembled matrix, by CHOLMOD of SuiteSparse.
//
// Where the numbers are is analysed once for a pattern and a set of held axes; factoring again with other numbers uses
// that. Only free axes are unknowns. CHOLMOD takes its memory from the system, not from an allocator; what fails there is
// told like any other failure. A library that was built without it has these functions, too: direct_create then fails.
//
// What is kept from one factor to the next: the order of elimination, the pattern of the factor and all memory, as long as A has
// the same pattern and the same axes are held; only numbers are computed then. A commit that changes the pattern gets a new
// order, found from the pattern alone. An old order with new unknowns at its end would save the search, but the last bits of a
// solution would depend on what the body went through, and a run that is resumed has to have those of one that went on.

#ifndef SOLVE_DIRECT_H
#define SOLVE_DIRECT_H

#include "solve/expand.h"
#include "solve/matrix.h"

typedef struct direct direct;

// NULL on failure.
direct *direct_create(const clv_allocator *allocator, clv_error *error);
void direct_destroy(direct *d);

// Factors A on the axes that are free; `held`: bits of axes, by row. `changed`: the pattern or what is held is not what it was
// at the last call. What hangs is no unknown: then the matrix is C'A C (expand.h). CLV_ERROR_REFUSED when it is not positive
// definite.
clv_result direct_factor(direct *d, const matrix *m, const physics_hangings *hanging, const uint8_t *held, bool changed,
                         clv_error *error);
// Solves for the free axes of x, three numbers a row; the others are not touched.
clv_result direct_solve(direct *d, const double *b, double *x, clv_error *error);

#endif
