// Implicit Euler with one linear solve a step, after Baraff and Witkin.
//
// The forces at the end of the step are those of the linearised body: with K = df/dx and D = df/dv,
//
//   (M - h D - h^2 K) dv = h (f + h K v),   v += dv,   x += h v.
//
// A particle that a path moves has a known dv: that which takes it to where the path is at the end of the step. Loads
// are those of the end of the step, too.

#include "solve/solver.h"

// The changes of velocity that take held particles where they have to be.
static void prescribe(clv_solver *solver, double time, double dt, double *change) {
  double *x = clv_body_positions(solver->body), *v = clv_body_velocities(solver->body);
  const double *x0 = solver->vectors[SOLVE_X0].data, *v0 = solver->vectors[SOLVE_V0].data;
  clv_body_place(solver->body, time + dt);
  for (uint32_t k = 0; k < solver->held.count; k++) {
    const uint32_t at = solver->held.data[k];
    change[at] = (x[at] - x0[at]) / dt - v0[at];
    x[at] = x0[at];
    v[at] = v0[at];
  }
  physics_spread(solver->body, x);
  physics_spread(solver->body, v);
}

static solve_outcome move(clv_solver *solver, double time, double dt, const double *restrict change) {
  double *restrict x = clv_body_positions(solver->body), *restrict v = clv_body_velocities(solver->body);
  const uint64_t change_limit = solve_limit(solve_greatest_change(solver, dt)), limit = solve_limit(SOLVE_FARTHEST);
  uint64_t beyond = 0;
  for (size_t k = 0; k < solve_numbers(solver); k++) {
    v[k] += change[k];
    x[k] += dt * v[k];
    beyond |= solve_beyond(change[k], change_limit) | solve_beyond(x[k], limit);
  }
  if (solve_is_beyond(beyond)) {
    solve_restore_state(solver);
    return solve_trouble(solver, "positions or velocities grow beyond all bounds");
  }
  clv_body_place(solver->body, time + dt);
  return SOLVE_DONE;
}

// How the forces change along the velocities v.
static solve_outcome force_along(clv_solver *solver, const double *v, double *out) {
  const double start = solve_clock(solver);
  solve_outcome outcome = SOLVE_DONE;
  if (linear_system_tells_forces(solver->linear))
    linear_system_force_along(solver->linear, v, out);
  else
    outcome = solve_of_body(solver, clv_body_force_along(solver->body, v, NULL, out));
  solver->report.force_seconds += solve_clock(solver) - start;
  return outcome;
}

solve_outcome solve_try_implicit(clv_solver *solver, double time, double dt) {
  double *f = solve_vector_of(solver, SOLVE_FORCE), *b = solve_vector_of(solver, SOLVE_FIRST);
  double *change = solve_vector_of(solver, SOLVE_CHANGE);
  if (!f || !b || !change || !solve_keep_state(solver)) return solve_no_memory(solver);
  memset(change, 0, solve_numbers(solver) * sizeof *change);
  prescribe(solver, time, dt, change);
  solve_outcome outcome = solve_force(solver, time + dt, f);
  if (outcome != SOLVE_DONE) return outcome;
  outcome = solve_linearise(solver, (linear_factors){.mass = 1, .damping = dt, .stiffness = dt * dt});
  if (outcome == SOLVE_DONE) outcome = force_along(solver, solver->vectors[SOLVE_V0].data, b);
  if (outcome != SOLVE_DONE) return outcome;
  for (size_t k = 0; k < solve_numbers(solver); k++) b[k] = dt * (f[k] + dt * b[k]);
  outcome = solve_linear(solver, b, change);
  return outcome == SOLVE_DONE ? move(solver, time, dt, change) : outcome;
}
