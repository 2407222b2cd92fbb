// Solvers: how a body moves on in time, or finds its equilibrium.
//
// A solver belongs to one body. It reads forces from it and writes positions and velocities back, and keeps only what
// it needs from one step to the next; after a commit it follows the body. A step either succeeds and leaves finite
// numbers, or is taken back and tried with half the time, up to a bound, and says so; NaN never reaches a body.
//
// Explicit methods want steps below the stable one, which clv_solver_stable_step estimates. Implicit methods solve
// linear systems A x = b with A = M - h df/dv - h^2 df/dx (or the like), by one of three linear solvers: conjugate
// gradients that never see a matrix, with a preconditioner of 3 x 3 blocks; conjugate gradients on an assembled matrix
// of 3 x 3 blocks with an incomplete Cholesky factor; a sparse direct solver, where SuiteSparse is installed. All are
// symmetric: of laws whose derivatives are not, the symmetric part is used in the matrix, never in the force.

#ifndef CLEAVE_SOLVE_H
#define CLEAVE_SOLVE_H

#include "cleave/physics.h"

CLV_BEGIN_DECLS

typedef struct clv_solver clv_solver;

typedef enum clv_method {
  CLV_SYMPLECTIC_EULER, // velocities first, then positions; explicit, order 1
  CLV_HEUN,             // modified Euler; explicit, order 2
  CLV_RK4,              // explicit, order 4
  CLV_IMPLICIT_EULER,   // one linear solve a step (Baraff and Witkin), order 1
  CLV_IMPLICIT_NEWTON,  // implicit Euler solved by Newton's method with line search
  CLV_NEWMARK,          // average acceleration by default, Newton's method; order 2
  CLV_STATIC,           // Newton's method to equilibrium: time passes, inertia and damping do not act
  CLV_METHOD_COUNT
} clv_method;

typedef enum clv_linear {
  CLV_LINEAR_AUTO,        // by size and method
  CLV_LINEAR_MATRIX_FREE, // conjugate gradients, block Jacobi
  CLV_LINEAR_ASSEMBLED,   // conjugate gradients on 3 x 3 blocks, incomplete Cholesky
  CLV_LINEAR_DIRECT,      // sparse Cholesky
  CLV_LINEAR_COUNT
} clv_linear;

// "symplectic-euler", "heun", "rk4", "implicit-euler", "implicit-newton", "newmark", "static"; "auto", "matrix-free",
// "assembled", "direct". Back: -1 for an unknown word.
CLV_API const char *clv_method_name(clv_method method);
CLV_API int clv_method_from_name(const char *name);
CLV_API const char *clv_linear_name(clv_linear linear);
CLV_API int clv_linear_from_name(const char *name);
// Whether this library was built with it.
CLV_API bool clv_linear_available(clv_linear linear);

typedef struct clv_solver_def {
  clv_method method;
  clv_linear linear;
  double tolerance;                   // of linear solves: residual relative to the right side; 1e-6
  uint32_t iterations;                // of conjugate gradients, at most; 0: as many as there are unknowns
  double newton_tolerance;            // residual force relative to the largest outer force; 1e-8
  uint32_t newton_iterations;         // 50
  double newmark_beta, newmark_gamma; // 1/4, 1/2
  uint32_t halvings;                  // how often a step may be halved before it fails; 10
} clv_solver_def;

CLV_API clv_solver_def clv_default_solver_def(void);
// The body outlives the solver. NULL on failure.
CLV_API clv_solver *clv_solver_create(clv_body *body, const clv_solver_def *def, clv_error *error);
CLV_API void clv_solver_destroy(clv_solver *solver);
CLV_API const char *clv_solver_error(const clv_solver *solver);
CLV_API const clv_solver_def *clv_solver_get_def(const clv_solver *solver);

// Follows the body through the commits there were since the last step. A step does so, too; who wants to know what an
// edit costs, or has time now, calls it before.
CLV_API clv_result clv_solver_follow(clv_solver *solver);

// What one step did.
typedef struct clv_step_report {
  uint32_t rejected;          // tries that were taken back and halved
  uint32_t linear_iterations; // of conjugate gradients, in all
  uint32_t newton_iterations;
  clv_linear linear;                   // what solved the last system
  double residual;                     // of the last linear solve (relative), of Newton's method where there is one
  bool converged;                      // false where a bound on iterations ended a solve
  double force_seconds, solve_seconds; // of all
} clv_step_report;

// Moves the body from `time` to `time + dt`. CLV_ERROR_REFUSED, with the body as it was before, when even the smallest
// try fails; the sentence says why and what step would do. report may be NULL.
CLV_API clv_result clv_solver_step(clv_solver *solver, double time, double dt, clv_step_report *report);

// The largest explicit step that the body stands in its present state, by the greatest eigenvalue of its stiffness and
// damping over its masses, found by Lanczos' iteration to half a per cent or better, from above; INFINITY for an
// implicit method. Heun's method has none without damping: there it is the step at which the fastest mode grows by a
// thousandth.
CLV_API clv_result clv_solver_stable_step(clv_solver *solver, double *dt);

// What must be kept, beside the columns of the body's map, to go on later with the same bits: named arrays of doubles
// (accelerations). The k-th; false past the last. `count` doubles lie at *values and may be written with as many.
CLV_API bool clv_solver_memory(clv_solver *solver, uint32_t k, const char **name, double **values, size_t *count);

CLV_END_DECLS

#endif
