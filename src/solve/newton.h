// Newton's method for one increment of motion, whatever the scheme.
//
// A scheme has one unknown z, a vector by slot, and says how the state at the end of the step follows from it and from
// the state before, and what inertia is:
//
//   x = x0 + x_v v0 + x_a a0 + x_z z,   v = v_v v0 + v_a a0 + v_z z,
//   0 = r(z) = mass M (z - z_v v0) - f(x, v) + release
//
// Implicit Euler has z = v, Newmark's method z = a, statics z = x - x0. The first iteration is linearised at the state
// before the step and looks ahead from there, prescribed motions included: it is the step of Baraff and Witkin, and
// what is moved by a path never drags its neighbours out of shape before they may follow. Each further iteration goes
// so far along its correction that the residual force shrinks.

#ifndef SOLVE_NEWTON_H
#define SOLVE_NEWTON_H

#include "solve/solver.h"

typedef struct newton_scheme {
  double mass, x_z, v_z;
  double x_v, x_a, v_v, v_a, z_v; // how the state before counts
  double first_v, first_a;        // the first guess: z = first_v v0 + first_a a0
  double part;                    // of the way that paths move held particles; 1 but in statics
  double released;                // statics: so much of SOLVE_LOAD has been let go of; 1: all
} newton_scheme;

// From the state in SOLVE_X0, V0, A0, which the body has, to the end of the step; loads are those of `time`. The
// unknown is left in SOLVE_SECOND. On SOLVE_WRONG the state is as it was.
solve_outcome solve_newton(clv_solver *solver, const newton_scheme *scheme, double time, double dt);

#endif
