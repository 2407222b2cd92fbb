// Linear systems: A x = b, with A = m M - d (df/dv) - k (df/dx) for a body as it is now.
//
// M is the masses, f all forces of the body with Rayleigh's and ambient damping; m, d and k are numbers that the method
// of integration chooses: implicit Euler in velocities has 1, h and h^2, statics 0, 0 and 1. A system is made once for
// a body and follows it through every commit. linear_system_update linearises at the body's present state; products and
// solves belong to that state until the next update, a commit or a change of the views' parameters.
//
// Vectors have three numbers a slot, as those of the body. Along held axes an unknown is not unknown: x keeps what it
// has there, and what that does to the free axes goes to the right side. A slot without a vertex is held. Nothing is
// allocated in a solve, and no number depends on how many threads the body has.
//
// A is used as a symmetric matrix. Where a law's derivative is not symmetric (viscous springs that turn, forces without
// an energy), its symmetric part is assembled, row by row of its view. Products without a matrix have the derivative as
// it is; conjugate gradients stop where that misleads them, and say so.
//
// Solving never falls back silently: the report says what was used, how far it got, and whether it got there.
//
// CLV_LINEAR_AUTO. Assembling 100,000 tetrahedra costs as much as a few products without a matrix, and a product with
// it a fraction of one: so a matrix is assembled unless four iterations or fewer are asked for and all laws are
// symmetric. Within a time step masses keep A well conditioned, and blocks on the diagonal are preconditioner enough:
// an incomplete factor costs as much as ten iterations to make and doubles the cost of each, and pays where there would
// be more than fifty. Equilibrium has no masses. It is solved directly up to 2,000 vertices, where that takes a
// fraction of a second and no conditioning can spoil it; beyond (22,000 vertices: 14 s to factor, under 1 s to iterate)
// and without SuiteSparse with an incomplete factor. Who asks for CLV_LINEAR_ASSEMBLED gets the incomplete factor
// always.
//
// Digits. With a matrix, masses and blocks on the diagonal, conjugate gradients go in rounds of single precision
// (quick.h): each makes the residual up to a million times smaller, and what is left over is then computed in double.
// Below 1e-10 of the right side, and where a round does not help, they go on in double. The tolerance is always met, or
// missed, by a residual in double; only the last iterations before a bound of them have one that a round has reckoned
// with.

#ifndef SOLVE_LINEAR_H
#define SOLVE_LINEAR_H

#include "cleave/solve.h"

typedef struct linear_system linear_system;

typedef struct linear_def {
  clv_linear linear;
  uint32_t iterations; // that solves will be given, 0: no bound; for the choice of CLV_LINEAR_AUTO alone
  bool equilibrium;    // A will be without masses; likewise
} linear_def;

// A = mass M - damping (df/dv) - stiffness (df/dx)
typedef struct linear_factors {
  double mass, damping, stiffness;
} linear_factors;

typedef enum linear_preconditioner {
  LINEAR_PLAIN,    // none: a direct solve
  LINEAR_JACOBI,   // the 3 x 3 blocks on the diagonal
  LINEAR_CHOLESKY, // incomplete, on the pattern of A
} linear_preconditioner;

typedef struct linear_report {
  clv_linear linear; // what solved: never CLV_LINEAR_AUTO
  linear_preconditioner preconditioner;
  uint32_t iterations;
  double residual; // |b - A x| / |b| on free axes, as the recurrence of conjugate gradients has it
  bool converged;  // the residual is within the tolerance
  bool indefinite; // a direction was met along which A is not positive; x is the best before it
} linear_report;

// The body outlives the system. NULL on failure: a solver that this library was not built with, or no memory.
linear_system *linear_system_create(clv_body *body, const linear_def *def, const clv_allocator *allocator,
                                    clv_error *error);
void linear_system_destroy(linear_system *system);
// The sentence that goes with the last result that was not CLV_OK.
const char *linear_system_error(const linear_system *system);

// What a direct solver remembers of its order, a number a slot (order.h); NULL where none is ever chosen.
double *linear_system_ranks(const linear_system *system);

// Linearises at the body's present state. After a failure the system must be updated again before it is used.
clv_result linear_system_update(linear_system *system, const linear_factors *factors);
// out = A x, all axes.
clv_result linear_system_multiply(linear_system *system, const double *x, double *out);

// Whether A is a matrix of masses and of the derivatives of forces by positions alone. Then a product with it tells how
// forces change along x, for less than going over all laws again: out = (df/dx) x.
bool linear_system_tells_forces(const linear_system *system);
void linear_system_force_along(const linear_system *system, const double *x, double *out);
// Solves for the free axes, from the first guess in x. The tolerance is relative to |b - A x_held| on free axes,
// iterations are at most as many as asked for (0: as many as there are unknowns). A direct solver takes neither.
// CLV_ERROR_REFUSED when a direct solver finds that A is not positive definite: x is then as it was.
clv_result linear_system_solve(linear_system *system, const double *b, double *x, double tolerance, uint32_t iterations,
                               linear_report *report);

#endif
