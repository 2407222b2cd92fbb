// Explicit methods: symplectic Euler, Heun, Runge and Kutta of order four.
//
// A step is a few evaluations of the force, and between them one pass over all numbers of the state. A pass adds what is
// not worth an evaluation (gravity, drag), divides by masses, writes the next positions and velocities, and keeps the old
// ones, because a step that went wrong is taken back. Whether it went wrong is gathered on the way, in the bits of one
// word, so that the loops have no branch and compile to wide instructions.
//
// For x'' = a(x, x', t) the stages of RK4 need no sums of velocities: those of the second to fourth stage are v + h/2 a1,
// v + h/2 a2, v + h a3, so that x moves by h v + h^2/6 (a1 + a2 + a3).

#include "solve/solver.h"

// What the passes of one try work on.
typedef struct pass {
  size_t count;
  double h, drag;
  double *x, *v;   // the body's
  double *x0, *v0; // as they were before
  const double *inverse, *fall;
  uint64_t change_limit, place_limit;
} pass;

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
              .change_limit = solve_limit(solve_greatest_change(solver, h)),
              .place_limit = solve_limit(SOLVE_FARTHEST)};
  return p->x0 && p->v0 && p->inverse && p->fall;
}

static solve_outcome finish(const pass *p, clv_solver *solver, double time, uint64_t beyond) {
  if (solve_is_beyond(beyond)) {
    solve_restore_state(solver);
    return solve_trouble(solver, "positions or velocities grow beyond all bounds");
  }
  clv_body_place(solver->body, time + p->h);
  return SOLVE_DONE;
}

static uint64_t symplectic_pass(const pass *p, const double *restrict f) {
  const double h = p->h, drag = p->drag;
  const double *restrict inverse = p->inverse, *restrict fall = p->fall;
  double *restrict x = p->x, *restrict v = p->v, *restrict x0 = p->x0, *restrict v0 = p->v0;
  const uint64_t change_limit = p->change_limit, place_limit = p->place_limit;
  uint64_t beyond = 0;
  for (size_t k = 0; k < p->count; k++) {
    const double old_x = x[k], old_v = v[k];
    const double change = h * (f[k] * inverse[k] + fall[k] - drag * old_v);
    const double new_v = old_v + change, new_x = old_x + h * new_v;
    x0[k] = old_x;
    v0[k] = old_v;
    v[k] = new_v;
    x[k] = new_x;
    beyond |= solve_beyond(change, change_limit) | solve_beyond(new_x, place_limit);
  }
  return beyond;
}

solve_outcome solve_try_symplectic(clv_solver *solver, double time, double dt) {
  pass p;
  double *f = solve_vector_of(solver, SOLVE_FORCE);
  if (!f || !pass_start(&p, solver, dt)) return solve_no_memory(solver);
  const solve_outcome outcome = solve_force_apart(solver, time, f);
  if (outcome != SOLVE_DONE) return outcome;
  return finish(&p, solver, time, symplectic_pass(&p, f));
}

// The first stage of Heun and RK4: keeps the state, turns the force into the acceleration, and goes on by `part` of the step.
static void first_pass(const pass *p, double part, double *restrict a) {
  const double drag = p->drag;
  const double *restrict inverse = p->inverse, *restrict fall = p->fall;
  double *restrict x = p->x, *restrict v = p->v, *restrict x0 = p->x0, *restrict v0 = p->v0;
  for (size_t k = 0; k < p->count; k++) {
    const double old_x = x[k], old_v = v[k];
    const double acceleration = a[k] * inverse[k] + fall[k] - drag * old_v;
    a[k] = acceleration;
    x0[k] = old_x;
    v0[k] = old_v;
    x[k] = old_x + part * old_v;
    v[k] = old_v + part * acceleration;
  }
}

static uint64_t heun_pass(const pass *p, const double *restrict a, const double *restrict f) {
  const double half = 0.5 * p->h, drag = p->drag;
  const double *restrict inverse = p->inverse, *restrict fall = p->fall;
  double *restrict x = p->x, *restrict v = p->v;
  const double *restrict x0 = p->x0, *restrict v0 = p->v0;
  const uint64_t change_limit = p->change_limit, place_limit = p->place_limit;
  uint64_t beyond = 0;
  for (size_t k = 0; k < p->count; k++) {
    const double there = v[k];
    const double change = half * (a[k] + (f[k] * inverse[k] + fall[k] - drag * there));
    const double new_x = x0[k] + half * (v0[k] + there);
    v[k] = v0[k] + change;
    x[k] = new_x;
    beyond |= solve_beyond(change, change_limit) | solve_beyond(new_x, place_limit);
  }
  return beyond;
}

solve_outcome solve_try_heun(clv_solver *solver, double time, double dt) {
  pass p;
  double *a = solve_vector_of(solver, SOLVE_FIRST), *f = solve_vector_of(solver, SOLVE_FORCE);
  if (!a || !f || !pass_start(&p, solver, dt)) return solve_no_memory(solver);
  solve_outcome outcome = solve_force_apart(solver, time, a);
  if (outcome != SOLVE_DONE) return outcome;
  first_pass(&p, dt, a);
  clv_body_place(solver->body, time + dt);
  outcome = solve_force_apart(solver, time + dt, f);
  if (outcome != SOLVE_DONE) {
    solve_restore_state(solver);
    return outcome;
  }
  return finish(&p, solver, time, heun_pass(&p, a, f));
}

// The second stage of RK4, and the third, which adds the acceleration of the second to its own.
static void second_pass(const pass *p, double *restrict s) {
  const double half = 0.5 * p->h, drag = p->drag;
  const double *restrict inverse = p->inverse, *restrict fall = p->fall;
  double *restrict x = p->x, *restrict v = p->v;
  const double *restrict x0 = p->x0, *restrict v0 = p->v0;
  for (size_t k = 0; k < p->count; k++) {
    const double there = v[k];
    const double acceleration = s[k] * inverse[k] + fall[k] - drag * there;
    s[k] = acceleration;
    x[k] = x0[k] + half * there;
    v[k] = v0[k] + half * acceleration;
  }
}

static void third_pass(const pass *p, double *restrict s, const double *restrict f) {
  const double h = p->h, drag = p->drag;
  const double *restrict inverse = p->inverse, *restrict fall = p->fall;
  double *restrict x = p->x, *restrict v = p->v;
  const double *restrict x0 = p->x0, *restrict v0 = p->v0;
  for (size_t k = 0; k < p->count; k++) {
    const double there = v[k];
    const double acceleration = f[k] * inverse[k] + fall[k] - drag * there;
    s[k] += acceleration;
    x[k] = x0[k] + h * there;
    v[k] = v0[k] + h * acceleration;
  }
}

static uint64_t fourth_pass(const pass *p, const double *restrict a, const double *restrict s,
                            const double *restrict f) {
  const double h = p->h, sixth = p->h / 6, drag = p->drag;
  const double *restrict inverse = p->inverse, *restrict fall = p->fall;
  double *restrict x = p->x, *restrict v = p->v;
  const double *restrict x0 = p->x0, *restrict v0 = p->v0;
  const uint64_t change_limit = p->change_limit, place_limit = p->place_limit;
  uint64_t beyond = 0;
  for (size_t k = 0; k < p->count; k++) {
    const double last = f[k] * inverse[k] + fall[k] - drag * v[k];
    const double change = sixth * (a[k] + 2 * s[k] + last);
    const double new_x = x0[k] + h * (v0[k] + sixth * (a[k] + s[k]));
    v[k] = v0[k] + change;
    x[k] = new_x;
    beyond |= solve_beyond(change, change_limit) | solve_beyond(new_x, place_limit);
  }
  return beyond;
}

solve_outcome solve_try_rk4(clv_solver *solver, double time, double dt) {
  pass p;
  double *a = solve_vector_of(solver, SOLVE_FIRST), *s = solve_vector_of(solver, SOLVE_SECOND);
  double *f = solve_vector_of(solver, SOLVE_FORCE);
  if (!a || !s || !f || !pass_start(&p, solver, dt)) return solve_no_memory(solver);
  const double middle = time + 0.5 * dt;
  solve_outcome outcome = solve_force_apart(solver, time, a);
  if (outcome != SOLVE_DONE) return outcome;
  first_pass(&p, 0.5 * dt, a);
  clv_body_place(solver->body, middle);
  outcome = solve_force_apart(solver, middle, s);
  if (outcome == SOLVE_DONE) {
    second_pass(&p, s);
    clv_body_place(solver->body, middle);
    outcome = solve_force_apart(solver, middle, f);
  }
  if (outcome == SOLVE_DONE) {
    third_pass(&p, s, f);
    clv_body_place(solver->body, time + dt);
    outcome = solve_force_apart(solver, time + dt, f);
  }
  if (outcome != SOLVE_DONE) {
    solve_restore_state(solver);
    return outcome;
  }
  return finish(&p, solver, time, fourth_pass(&p, a, s, f));
}
