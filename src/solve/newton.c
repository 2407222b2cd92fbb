// Newton's method with line search, and the schemes of motion that use it: implicit Euler and Newmark's.

#include "solve/newton.h"

#include "solve/stable.h"

#include <math.h>

enum { NEWTON_BACKTRACKS = 10, NEWTON_SHIFTS = 12 };
#define NEWTON_ROUNDING 1e-13   // of the body's size: corrections below that are rounding
#define NEWTON_FIRST_SHIFT 1e-8 // of the greatest squared frequency

typedef struct newton {
  clv_solver *solver;
  const newton_scheme *scheme;
  double time;
  double *x, *v;               // the body's
  const double *x0, *v0, *a0;  // before the step; a0 is NULL where no scheme wants it
  const double *masses, *load; // load: NULL where all is released
  double *ahead_x, *ahead_v;   // at held axes: from the state before to the one at the end
  double *f, *b, *z, *change;  // b = -r
  double norm, scale;          // of r on free axes; of what it is made of
  double shift, first_shift;   // statics: masses that are added where the system is not positive
} newton;

static bool start(newton *n, clv_solver *solver, const newton_scheme *scheme, double time) {
  *n = (newton){.solver = solver,
                .scheme = scheme,
                .time = time,
                .x = clv_body_positions(solver->body),
                .v = clv_body_velocities(solver->body),
                .x0 = solver->vectors[SOLVE_X0].data,
                .v0 = solver->vectors[SOLVE_V0].data,
                .a0 = solver->acceleration ? solver->vectors[SOLVE_A0].data : NULL,
                .masses = clv_body_masses(solver->body),
                .load = scheme->released < 1 ? solver->vectors[SOLVE_LOAD].data : NULL,
                .ahead_x = solve_vector_of(solver, SOLVE_AHEAD_X),
                .ahead_v = solve_vector_of(solver, SOLVE_AHEAD_V),
                .f = solve_vector_of(solver, SOLVE_FORCE),
                .b = solve_vector_of(solver, SOLVE_FIRST),
                .z = solve_vector_of(solver, SOLVE_SECOND),
                .change = solve_vector_of(solver, SOLVE_CHANGE)};
  return n->ahead_x && n->ahead_v && n->f && n->b && n->z && n->change;
}

// Where the state at the end is for the present z.
static void set_state(newton *n) {
  const newton_scheme *s = n->scheme;
  const size_t count = solve_numbers(n->solver);
  for (size_t k = 0; k < count; k++) {
    n->x[k] = n->x0[k] + s->x_v * n->v0[k] + s->x_z * n->z[k];
    n->v[k] = s->v_v * n->v0[k] + s->v_z * n->z[k];
  }
  for (size_t k = 0; n->a0 && k < count; k++) {
    n->x[k] += s->x_a * n->a0[k];
    n->v[k] += s->v_a * n->a0[k];
  }
  const uint32_t *held = n->solver->held.data;
  for (uint32_t k = 0; k < n->solver->held.count; k++) {
    n->x[held[k]] = n->x0[held[k]] + n->ahead_x[held[k]];
    n->v[held[k]] = n->v0[held[k]] + n->ahead_v[held[k]];
  }
  physics_spread(n->solver->body, n->x);
  physics_spread(n->solver->body, n->v);
}

// How far the held particles go; the body stays where it is.
static void look_at_held(newton *n) {
  clv_solver *solver = n->solver;
  clv_body_place(solver->body, n->time);
  for (uint32_t k = 0; k < solver->held.count; k++) {
    const uint32_t at = solver->held.data[k];
    n->ahead_x[at] = n->scheme->part * (n->x[at] - n->x0[at]);
    n->ahead_v[at] = n->scheme->v_z == 0 ? -n->v0[at] : n->v[at] - n->v0[at];
    n->x[at] = n->x0[at];
    n->v[at] = n->v0[at];
  }
  physics_spread(solver->body, n->x);
  physics_spread(solver->body, n->v);
}

// b = -r from the force in f; its norm, and the scale that it is measured by: inertia, weight, what holds the body.
static void balance(newton *n) {
  const newton_scheme *s = n->scheme;
  const double *inverse = n->solver->vectors[SOLVE_INVERSE].data, *g = n->solver->body->gravity;
  const double kept = 1 - s->released;
  double residual = 0, inertial = 0, weight = 0, held = 0;
  for (uint32_t slot = 0; slot < n->solver->slots; slot++)
    for (uint32_t c = 0; c < 3; c++) {
      const size_t k = 3 * (size_t)slot + c;
      const double force = n->f[k] - (n->load ? kept * n->load[k] : 0);
      if (inverse[k] == 0) {
        n->b[k] = 0;
        held += force * force;
        continue;
      }
      const double inertia = s->mass * n->masses[slot] * (n->z[k] - s->z_v * n->v0[k]);
      const double fall = n->masses[slot] * g[c];
      n->b[k] = force - inertia;
      residual += n->b[k] * n->b[k];
      inertial += inertia * inertia;
      weight += fall * fall;
    }
  n->norm = sqrt(residual);
  n->scale = fmax(n->scale, sqrt(fmax(fmax(inertial, weight), held)));
}

static solve_outcome residual(newton *n) {
  const solve_outcome outcome = solve_force(n->solver, n->time, n->f);
  if (outcome == SOLVE_DONE) balance(n);
  return outcome;
}

static double norm_of_free(const newton *n, const double *vector) {
  const double *inverse = n->solver->vectors[SOLVE_INVERSE].data;
  double sum = 0;
  for (size_t k = 0; k < solve_numbers(n->solver); k++)
    if (inverse[k] != 0) sum += vector[k] * vector[k];
  return sqrt(sum);
}

// Solves for the correction at the body's present state; statics adds masses until the system is positive definite.
static solve_outcome correct(newton *n) {
  const newton_scheme *s = n->scheme;
  solve_outcome outcome = SOLVE_WRONG;
  for (uint32_t k = 0; k < NEWTON_SHIFTS && outcome == SOLVE_WRONG; k++) {
    memset(n->change, 0, solve_numbers(n->solver) * sizeof *n->change);
    outcome = solve_linearise(n->solver,
                              (linear_factors){.mass = s->mass + n->shift, .damping = s->v_z, .stiffness = s->x_z});
    if (outcome == SOLVE_DONE) outcome = solve_linear(n->solver, n->b, n->change);
    if (outcome != SOLVE_WRONG || s->mass > 0) break;
    if (n->first_shift == 0) {
      double greatest = 0;
      outcome = solve_greatest_frequency(n->solver, &greatest);
      if (outcome != SOLVE_DONE) break;
      n->first_shift = NEWTON_FIRST_SHIFT * greatest * greatest;
      outcome = SOLVE_WRONG;
    }
    n->shift = n->shift > 0 ? 10 * n->shift : n->first_shift;
  }
  n->solver->report.newton_iterations++;
  return outcome;
}

// z += part of the correction, and what is out of balance there.
static solve_outcome go(newton *n, double part) {
  const double *inverse = n->solver->vectors[SOLVE_INVERSE].data;
  for (size_t k = 0; k < solve_numbers(n->solver); k++)
    if (inverse[k] != 0) n->z[k] += part * n->change[k];
  set_state(n);
  return residual(n);
}

static bool is_rounding(const newton *n) {
  double most = 0;
  for (size_t k = 0; k < solve_numbers(n->solver); k++) most = fmax(most, fabs(n->change[k]));
  return most * n->scheme->x_z <= NEWTON_ROUNDING * n->solver->body->size;
}

static bool is_balanced(const newton *n) {
  return n->norm <= n->solver->def.newton_tolerance * n->scale;
}

// The first iteration: from the state before the step, all the way.
static solve_outcome first_step(newton *n) {
  const newton_scheme *s = n->scheme;
  clv_solver *solver = n->solver;
  const double *inverse = solver->vectors[SOLVE_INVERSE].data;
  const size_t count = solve_numbers(solver);
  look_at_held(n);
  bool ahead = false;
  for (size_t k = 0; k < count; k++) {
    const double a0 = n->a0 ? n->a0[k] : 0;
    if (inverse[k] != 0) {
      n->z[k] = s->first_v * n->v0[k] + s->first_a * a0;
      n->ahead_x[k] = s->x_v * n->v0[k] + s->x_a * a0 + s->x_z * n->z[k];
      n->ahead_v[k] = s->v_v * n->v0[k] + s->v_a * a0 + s->v_z * n->z[k] - n->v0[k];
    } else {
      n->z[k] = 0;
      if (n->masses[k / 3] == 0) n->ahead_x[k] = n->ahead_v[k] = 0;
    }
    ahead = ahead || n->ahead_x[k] != 0 || n->ahead_v[k] != 0;
  }
  solve_outcome outcome = residual(n);
  if (outcome == SOLVE_DONE && ahead) {
    outcome = solve_of_body(solver, clv_body_force_along(solver->body, n->ahead_x, n->ahead_v, n->f));
    for (size_t k = 0; outcome == SOLVE_DONE && k < count; k++)
      if (inverse[k] != 0) n->b[k] += n->f[k];
  }
  if (outcome != SOLVE_DONE) return outcome;
  n->scale = fmax(n->scale, norm_of_free(n, n->b));
  outcome = correct(n);
  return outcome == SOLVE_DONE ? go(n, 1) : outcome;
}

static bool shrinks(const newton *n, double part, double before) {
  return n->norm <= (1 - 1e-4 * part) * before;
}

// A further iteration: the improved correction if the residual shrinks with it, otherwise as far along the plain one as
// it does. *stalled: it does not.
static solve_outcome next_step(newton *n, bool *stalled) {
  clv_solver *solver = n->solver;
  const double before = n->norm;
  solve_outcome outcome = correct(n);
  if (outcome != SOLVE_DONE) return outcome;
  double *plain = solve_vector_of(solver, SOLVE_PLAIN);
  if (!plain) return solve_no_memory(solver);
  memcpy(plain, n->change, solve_numbers(solver) * sizeof *plain);
  if (anderson_improve(&solver->anderson, n->z, n->change)) {
    outcome = go(n, 1);
    if (outcome != SOLVE_DONE || shrinks(n, 1, before)) return outcome;
    outcome = go(n, -1);
    if (outcome != SOLVE_DONE) return outcome;
    anderson_forget(&solver->anderson);
    memcpy(n->change, plain, solve_numbers(solver) * sizeof *plain);
  }
  double part = 1;
  outcome = go(n, part);
  for (uint32_t k = 0; outcome == SOLVE_DONE && !shrinks(n, part, before); k++) {
    *stalled = k == NEWTON_BACKTRACKS;
    outcome = go(n, *stalled ? -part : -0.5 * part);
    if (*stalled) break;
    part *= 0.5;
  }
  return outcome;
}

static solve_outcome iterate(newton *n) {
  solve_outcome outcome = first_step(n);
  uint32_t left = n->solver->def.newton_iterations - 1, shifts = 0;
  while (outcome == SOLVE_DONE && !is_balanced(n)) {
    if (!isfinite(n->norm)) return solve_trouble(n->solver, "the residual force is no number");
    if (left-- == 0)
      return solve_trouble(n->solver, "Newton's method got no further than %.1e of the forces in %u iterations",
                           n->norm / n->scale, n->solver->def.newton_iterations);
    bool stalled = false;
    outcome = next_step(n, &stalled);
    if (outcome != SOLVE_DONE) return outcome;
    if (!stalled) {
      n->shift = n->shift > n->first_shift ? 0.1 * n->shift : 0;
      continue;
    }
    if (is_rounding(n)) return SOLVE_DONE;
    if (n->scheme->mass > 0 || n->shift == 0 || ++shifts > NEWTON_SHIFTS)
      return solve_trouble(n->solver, "Newton's method stalls at %.1e of the forces", n->norm / n->scale);
    n->shift *= 10;
  }
  return outcome;
}

static bool is_sound(const newton *n, double dt) {
  const uint64_t limit = solve_limit(SOLVE_FARTHEST);
  const uint64_t change_limit = n->scheme->mass > 0 ? solve_limit(solve_greatest_change(n->solver, dt)) : limit;
  uint64_t beyond = 0;
  for (size_t k = 0; k < solve_numbers(n->solver); k++)
    beyond |= solve_beyond(n->x[k], limit) | solve_beyond(n->v[k] - n->v0[k], change_limit);
  return !solve_is_beyond(beyond);
}

solve_outcome solve_newton(clv_solver *solver, const newton_scheme *scheme, double time, double dt) {
  newton n;
  if (!start(&n, solver, scheme, time) || !anderson_start(&solver->anderson, &solver->allocator, solve_numbers(solver)))
    return solve_no_memory(solver);
  solve_outcome outcome = iterate(&n);
  if (outcome == SOLVE_DONE && !is_sound(&n, dt))
    outcome = solve_trouble(solver, "positions or velocities grow beyond all bounds");
  solver->report.residual = n.scale > 0 ? n.norm / n.scale : 0;
  if (outcome != SOLVE_DONE) solve_restore_state(solver);
  return outcome;
}

// The schemes

solve_outcome solve_try_newton(clv_solver *solver, double time, double dt) {
  const newton_scheme scheme = {.mass = 1 / dt, .x_z = dt, .v_z = 1, .z_v = 1, .first_v = 1, .part = 1, .released = 1};
  if (!solve_keep_state(solver)) return solve_no_memory(solver);
  return solve_newton(solver, &scheme, time + dt, dt);
}

// The accelerations that the forces give the body: at the start, and after a commit, which changes masses and forces.
static solve_outcome start_accelerations(clv_solver *solver, double time) {
  double *f = solve_vector_of(solver, SOLVE_FORCE);
  if (!f) return solve_no_memory(solver);
  const solve_outcome outcome = solve_force(solver, time, f);
  if (outcome != SOLVE_DONE) return outcome;
  const double *inverse = solver->vectors[SOLVE_INVERSE].data;
  double *a = solve_acceleration(solver);
  uint64_t beyond = 0;
  for (size_t k = 0; k < solve_numbers(solver); k++)
    beyond |= solve_beyond(f[k] * inverse[k], solve_limit(SOLVE_FARTHEST));
  if (solve_is_beyond(beyond)) return solve_trouble(solver, "the forces at the start are no numbers");
  for (size_t k = 0; k < solve_numbers(solver); k++) a[k] = f[k] * inverse[k];
  physics_spread(solver->body, a);
  return SOLVE_DONE;
}

solve_outcome solve_try_newmark(clv_solver *solver, double time, double dt) {
  const double beta = solver->def.newmark_beta, gamma = solver->def.newmark_gamma;
  const newton_scheme scheme = {.mass = 1,
                                .x_z = beta * dt * dt,
                                .v_z = gamma * dt,
                                .x_v = dt,
                                .x_a = (0.5 - beta) * dt * dt,
                                .v_v = 1,
                                .v_a = (1 - gamma) * dt,
                                .first_a = 1,
                                .part = 1,
                                .released = 1};
  solve_outcome outcome = solver->started == 1 ? SOLVE_DONE : start_accelerations(solver, time);
  if (outcome != SOLVE_DONE) return outcome;
  if (!solve_keep_state(solver)) return solve_no_memory(solver);
  outcome = solve_newton(solver, &scheme, time + dt, dt);
  if (outcome != SOLVE_DONE) return outcome;
  memcpy(solve_acceleration(solver), solver->vectors[SOLVE_SECOND].data, solve_numbers(solver) * sizeof(double));
  physics_spread(solver->body, solve_acceleration(solver));
  solver->started = 1;
  return SOLVE_DONE;
}
