// Explicit methods: symplectic Euler, Heun, Runge and Kutta of order four.
//
// A step is a few evaluations of the force, and between them one pass over all numbers of the state (pass.h), which
// also keeps the old ones: a step that went wrong is taken back.
//
// For x'' = a(x, x', t) the stages of RK4 need no sums of velocities: those of the second to fourth stage are v + h/2
// a1, v + h/2 a2, v + h a3, so that x moves by h v + h^2/6 (a1 + a2 + a3).

#include "solve/pass.h"
#include "solve/solver.h"

static bool pass_start(pass *p, clv_solver *solver, double h) {
  *p = (pass){.count = solve_numbers(solver),
              .h = h,
              .drag = solver->drag,
              .x = clv_body_positions(solver->body),
              .v = clv_body_velocities(solver->body),
              .x0 = solve_vector_of(solver, SOLVE_X0),
              .v0 = solve_vector_of(solver, SOLVE_V0),
              .inverse = solve_vector_of(solver, SOLVE_INVERSE),
              .fall = solve_vector_of(solver, SOLVE_FALL),
              .f = solve_vector_of(solver, SOLVE_FORCE),
              .change_limit = solve_limit(solve_greatest_change(solver, h)),
              .place_limit = solve_limit(SOLVE_FARTHEST)};
  return p->x0 && p->v0 && p->inverse && p->fall && p->f;
}

static solve_outcome finish(const pass *p, clv_solver *solver, double time, uint64_t beyond) {
  if (solve_is_beyond(beyond)) {
    solve_restore_state(solver);
    return solve_trouble(solver, "positions or velocities grow beyond all bounds");
  }
  clv_body_place(solver->body, time + p->h);
  return SOLVE_DONE;
}

solve_outcome solve_try_symplectic(clv_solver *solver, double time, double dt) {
  pass p;
  if (!pass_start(&p, solver, dt)) return solve_no_memory(solver);
  const solve_outcome outcome = solve_force_apart(solver, time, p.f);
  return outcome == SOLVE_DONE ? finish(&p, solver, time, solver->passes->symplectic(&p)) : outcome;
}

// The force of a stage that is not the first: where it fails, the state is taken back.
static solve_outcome stage_force(const pass *p, clv_solver *solver, double time) {
  clv_body_place(solver->body, time);
  const solve_outcome outcome = solve_force_apart(solver, time, p->f);
  if (outcome != SOLVE_DONE) solve_restore_state(solver);
  return outcome;
}

solve_outcome solve_try_heun(clv_solver *solver, double time, double dt) {
  pass p;
  if (!pass_start(&p, solver, dt)) return solve_no_memory(solver);
  p.a = solve_vector_of(solver, SOLVE_FIRST);
  if (!p.a) return solve_no_memory(solver);
  solve_outcome outcome = solve_force_apart(solver, time, p.f);
  if (outcome != SOLVE_DONE) return outcome;
  solver->passes->euler(&p);
  outcome = stage_force(&p, solver, time + dt);
  return outcome == SOLVE_DONE ? finish(&p, solver, time, solver->passes->heun(&p)) : outcome;
}

solve_outcome solve_try_rk4(clv_solver *solver, double time, double dt) {
  const double middle = time + 0.5 * dt;
  pass p;
  if (!pass_start(&p, solver, dt)) return solve_no_memory(solver);
  p.a = solve_vector_of(solver, SOLVE_FIRST);
  p.s = solve_vector_of(solver, SOLVE_SECOND);
  if (!p.a || !p.s) return solve_no_memory(solver);
  solve_outcome outcome = solve_force_apart(solver, time, p.f);
  if (outcome != SOLVE_DONE) return outcome;
  solver->passes->first(&p);
  outcome = stage_force(&p, solver, middle);
  if (outcome != SOLVE_DONE) return outcome;
  solver->passes->second(&p);
  outcome = stage_force(&p, solver, middle);
  if (outcome != SOLVE_DONE) return outcome;
  solver->passes->third(&p);
  outcome = stage_force(&p, solver, time + dt);
  return outcome == SOLVE_DONE ? finish(&p, solver, time, solver->passes->last(&p)) : outcome;
}
