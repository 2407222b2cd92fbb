// The passes that explicit methods make over the state, between two evaluations of the force.
//
// A pass adds what is not worth an evaluation (gravity, drag), divides by masses, writes the next positions and
// velocities, and gathers whether a number went astray. The first pass of a try keeps the state. The same text is
// compiled for each instruction set, and every number is computed alone: all give the same bits.

#ifndef SOLVE_PASS_H
#define SOLVE_PASS_H

#include "cleave/base.h"

// What the passes of one try work on.
typedef struct pass {
  size_t count;
  double h, drag;
  double *x, *v;                      // the body's
  double *x0, *v0;                    // as they were before
  double *inverse, *fall;             // inverse masses and gravity, zero where held
  double *f;                          // the force of this stage
  double *a, *s;                      // accelerations: of the first stage; of the second, with the third's added
  uint64_t change_limit, place_limit; // as solve_limit gives them: for changes of velocities, for positions
} pass;

// Results are as solve_is_beyond reads them, where a step ends.
typedef uint64_t pass_loop(const pass *p);

typedef struct pass_loops {
  pass_loop *symplectic;
  pass_loop *euler, *heun;                  // Heun's two stages: to the end of the step, and from there to a better one
  pass_loop *first, *second, *third, *last; // of RK4
} pass_loops;

// The best for this processor, and the plain one.
const pass_loops *pass_best(void);
const pass_loops *pass_plain(void);

#endif
