// The fastest that a body can swing, and what that means for explicit steps.

#ifndef SOLVE_STABLE_H
#define SOLVE_STABLE_H

#include "solve/solver.h"

// The greatest angular frequency of the body in its present state, with its laws made positive; 0 where nothing swings.
// After solve_refresh.
solve_outcome solve_greatest_frequency(clv_solver *solver, double *frequency);

#endif
