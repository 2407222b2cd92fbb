// Solvers as a whole: creating, following the body, and steps that are halved until they succeed.

#include "solve/solver.h"

#include "map/store.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

static const char *const method_names[CLV_METHOD_COUNT] = {
    "symplectic-euler", "heun", "rk4", "implicit-euler", "implicit-newton", "newmark", "static",
};

const char *clv_method_name(clv_method method) {
  return (unsigned)method < CLV_METHOD_COUNT ? method_names[method] : NULL;
}

int clv_method_from_name(const char *name) {
  for (int k = 0; k < CLV_METHOD_COUNT; k++)
    if (!strcmp(name, method_names[k])) return k;
  return -1;
}

static solve_try *const tries[CLV_METHOD_COUNT] = {
    solve_try_symplectic, solve_try_heun,    solve_try_rk4,    solve_try_implicit,
    solve_try_newton,     solve_try_newmark, solve_try_static,
};

bool solve_is_explicit(clv_method method) {
  return method <= CLV_RK4;
}

clv_solver_def clv_default_solver_def(void) {
  return (clv_solver_def){.method = CLV_IMPLICIT_EULER,
                          .linear = CLV_LINEAR_AUTO,
                          .tolerance = 1e-6,
                          .newton_tolerance = 1e-8,
                          .newton_iterations = 50,
                          .newmark_beta = 0.25,
                          .newmark_gamma = 0.5,
                          .halvings = 10};
}

// Errors

clv_result solve_fail(clv_solver *solver, clv_result code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  solver->error.code = code;
  vsnprintf(solver->error.message, sizeof solver->error.message, format, arguments);
  va_end(arguments);
  return code;
}

solve_outcome solve_no_memory(clv_solver *solver) {
  solve_fail(solver, CLV_ERROR_MEMORY, "out of memory in a step of '%s'", clv_method_name(solver->def.method));
  return SOLVE_ERROR;
}

solve_outcome solve_trouble(clv_solver *solver, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(solver->trouble, sizeof solver->trouble, format, arguments);
  va_end(arguments);
  return SOLVE_WRONG;
}

solve_outcome solve_of_body(clv_solver *solver, clv_result result) {
  if (result == CLV_OK) return SOLVE_DONE;
  solve_fail(solver, result, "%s", clv_body_error(solver->body));
  return SOLVE_ERROR;
}

const char *clv_solver_error(const clv_solver *solver) {
  return solver->error.message;
}

const clv_solver_def *clv_solver_get_def(const clv_solver *solver) {
  return &solver->def;
}

double solve_clock(const clv_solver *solver) {
  if (!solver->timed) return 0;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Creating

static clv_result test_def(const clv_solver_def *def, clv_error *error) {
  if ((unsigned)def->method >= CLV_METHOD_COUNT || (unsigned)def->linear >= CLV_LINEAR_COUNT)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "there is no method %d or linear solver %d", (int)def->method,
                         (int)def->linear);
  if (!clv_linear_available(def->linear))
    return clv_error_set(
        error, CLV_ERROR_ARGUMENT,
        "the linear solver '%s' is not part of this library: build it with SuiteSparse, or choose 'auto'",
        clv_linear_name(def->linear));
  if (!(def->tolerance > 0 && def->tolerance < 1) || !(def->newton_tolerance > 0 && def->newton_tolerance < 1))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "tolerances lie between 0 and 1, not at %g and %g", def->tolerance,
                         def->newton_tolerance);
  if (def->newton_iterations == 0)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "Newton's method needs at least one iteration");
  if (!(def->newmark_beta >= 0 && def->newmark_beta <= 1) || !(def->newmark_gamma >= 0 && def->newmark_gamma <= 1))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "Newmark's beta and gamma lie between 0 and 1, not at %g and %g",
                         def->newmark_beta, def->newmark_gamma);
  if (def->halvings > SOLVE_HALVINGS)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "a step can be halved %d times at the most, not %u times",
                         SOLVE_HALVINGS, def->halvings);
  return CLV_OK;
}

static clv_result create_acceleration(clv_solver *solver, clv_error *error) {
  static const char name[] = "newmark_acceleration";
  clv_column_def def = clv_default_column_def();
  def.name = name;
  solver->acceleration = clv_column_find(solver->map, name);
  if (solver->acceleration) return CLV_OK;
  const clv_result result = clv_column_create(solver->map, &def, &solver->acceleration);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(solver->map));
}

clv_solver *clv_solver_create(clv_body *body, const clv_solver_def *given, clv_error *error) {
  const clv_solver_def def = given ? *given : clv_default_solver_def();
  if (test_def(&def, error) != CLV_OK) return NULL;
  clv_solver *solver = base_allocate(&body->allocator, sizeof *solver);
  if (!solver) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a solver was made");
    return NULL;
  }
  *solver = (clv_solver){
      .def = def, .allocator = body->allocator, .body = body, .map = clv_body_map(body), .passes = pass_best()};
  clv_result result = CLV_OK;
  if (def.method == CLV_NEWMARK) result = create_acceleration(solver, error);
  if (result == CLV_OK && !solve_is_explicit(def.method)) {
    const linear_def linear = {
        .linear = def.linear, .iterations = def.iterations, .equilibrium = def.method == CLV_STATIC};
    solver->linear = linear_system_create(body, &linear, &solver->allocator, error);
    if (!solver->linear) result = CLV_ERROR_MEMORY;
  }
  if (result == CLV_OK && clv_map_subscribe(solver->map, solve_hear, solver) != CLV_OK)
    result = clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a solver was made");
  if (result == CLV_OK) return solver;
  clv_solver_destroy(solver);
  return NULL;
}

void clv_solver_destroy(clv_solver *solver) {
  if (!solver) return;
  clv_map_unsubscribe(solver->map, solve_hear, solver);
  linear_system_destroy(solver->linear);
  anderson_free(&solver->anderson, &solver->allocator);
  for (uint32_t k = 0; k < SOLVE_VECTORS; k++) BASE_RELEASE(&solver->allocator, &solver->vectors[k].memory);
  BASE_RELEASE(&solver->allocator, &solver->touched);
  BASE_RELEASE(&solver->allocator, &solver->touched_at);
  BASE_RELEASE(&solver->allocator, &solver->held);
  BASE_RELEASE(&solver->allocator, &solver->held_state);
  BASE_RELEASE(&solver->allocator, &solver->held_axes);
  base_free(&solver->allocator, solver, sizeof *solver);
}

// Following the body

double *solve_vector_of(clv_solver *solver, solve_vector which) {
  enum { LINE = 64 };
  solve_room *room = &solver->vectors[which];
  const uint64_t need = (uint64_t)solve_numbers(solver) + LINE / sizeof(double), slots = solver->slots;
  const uint64_t ahead = 3 * (slots / 32 + MAP_FIRST_CUTS); // for what the first cuts part
  if (need <= room->memory.capacity) return room->data;
  const size_t had = room->memory.capacity, before = had ? (size_t)(room->data - room->memory.data) : 0;
  if (!BASE_RESERVE(&solver->allocator, &room->memory, need + ahead)) return NULL;
  const size_t behind = (uintptr_t)room->memory.data % LINE, at = behind ? (LINE - behind) / sizeof(double) : 0;
  room->data = room->memory.data + at;
  if (had && at != before)
    memmove(room->data, room->memory.data + before, (had - LINE / sizeof(double)) * sizeof *room->data);
  return room->data;
}

// Forces

solve_outcome solve_force(clv_solver *solver, double time, double *out) {
  const double start = solve_clock(solver);
  const clv_result result = clv_body_force(solver->body, time, out);
  solver->report.force_seconds += solve_clock(solver) - start;
  return solve_of_body(solver, result);
}

solve_outcome solve_force_apart(clv_solver *solver, double time, double *out) {
  if (!solver->plain) return solve_force(solver, time, out);
  const double start = solve_clock(solver);
  const clv_result result = physics_law_force(solver->body, out);
  solver->report.force_seconds += solve_clock(solver) - start;
  return solve_of_body(solver, result);
}

// The state

double solve_greatest_change(const clv_solver *solver, double dt) {
  const double *g = solver->body->gravity;
  return 10 * solver->body->size / dt + 2 * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * dt;
}

static bool keep(clv_solver *solver, solve_vector x, solve_vector v, solve_vector a) {
  const size_t size = solve_numbers(solver) * sizeof(double);
  double *to_x = solve_vector_of(solver, x), *to_v = solve_vector_of(solver, v);
  double *to_a = solver->acceleration ? solve_vector_of(solver, a) : NULL;
  if (!to_x || !to_v || (solver->acceleration && !to_a)) return false;
  memcpy(to_x, clv_body_positions(solver->body), size);
  memcpy(to_v, clv_body_velocities(solver->body), size);
  if (to_a) memcpy(to_a, solve_acceleration(solver), size);
  return true;
}

static void restore(clv_solver *solver, solve_vector x, solve_vector v, solve_vector a) {
  const size_t size = solve_numbers(solver) * sizeof(double);
  memcpy(clv_body_positions(solver->body), solver->vectors[x].data, size);
  memcpy(clv_body_velocities(solver->body), solver->vectors[v].data, size);
  if (solver->acceleration) memcpy(solve_acceleration(solver), solver->vectors[a].data, size);
}

bool solve_keep_state(clv_solver *solver) {
  return keep(solver, SOLVE_X0, SOLVE_V0, SOLVE_A0);
}

void solve_restore_state(clv_solver *solver) {
  restore(solver, SOLVE_X0, SOLVE_V0, SOLVE_A0);
}

bool solve_keep_before(clv_solver *solver) {
  return keep(solver, SOLVE_BEFORE_X, SOLVE_BEFORE_V, SOLVE_BEFORE_A);
}

void solve_restore_before(clv_solver *solver) {
  restore(solver, SOLVE_BEFORE_X, SOLVE_BEFORE_V, SOLVE_BEFORE_A);
}

// Steps

static void keep_held(clv_solver *solver) {
  const double *x = clv_body_positions(solver->body), *v = clv_body_velocities(solver->body);
  for (uint32_t k = 0; k < solver->held.count; k++) {
    solver->held_state.data[2 * k] = x[solver->held.data[k]];
    solver->held_state.data[2 * k + 1] = v[solver->held.data[k]];
  }
}

static void restore_held(clv_solver *solver) {
  double *x = clv_body_positions(solver->body), *v = clv_body_velocities(solver->body);
  for (uint32_t k = 0; k < solver->held.count; k++) {
    x[solver->held.data[k]] = solver->held_state.data[2 * k];
    v[solver->held.data[k]] = solver->held_state.data[2 * k + 1];
  }
}

// Held particles rest, but for those that a path moves.
static void rest_held(clv_solver *solver, double time) {
  double *v = clv_body_velocities(solver->body);
  for (uint32_t k = 0; k < solver->held.count; k++) v[solver->held.data[k]] = 0;
  clv_body_place(solver->body, time);
}

// Where nothing moves what is held and all of it rests, there is nothing to keep.
static bool held_rest(const clv_solver *solver) {
  if (solver->body->path.count > solver->body->pulls.count) return false;
  const double *v = clv_body_velocities(solver->body);
  bool rest = true;
  for (uint32_t k = 0; k < solver->held.count; k++) rest &= v[solver->held.data[k]] == 0;
  return rest;
}

// What hangs is where its parents are, whoever moved them.
void solve_spread_state(clv_solver *solver) {
  if (!solver->body->hanging->table.count) return;
  physics_spread(solver->body, clv_body_positions(solver->body));
  physics_spread(solver->body, clv_body_velocities(solver->body));
}

// Moves on by dt, or by its halves, or by theirs.
static solve_outcome advance(clv_solver *solver, double time, double dt, uint32_t halvings) {
  if (!solver->held_rest) rest_held(solver, time);
  solve_outcome outcome = tries[solver->def.method](solver, time, dt);
  if (outcome != SOLVE_WRONG) return outcome;
  solver->report.rejected++;
  if (halvings == 0 || solver->def.method == CLV_STATIC) return SOLVE_WRONG; // statics has shared its load by itself
  if (halvings == solver->def.halvings && !solve_keep_before(solver)) return solve_no_memory(solver);
  outcome = advance(solver, time, 0.5 * dt, halvings - 1);
  if (outcome == SOLVE_DONE) outcome = advance(solver, time + 0.5 * dt, 0.5 * dt, halvings - 1);
  if (outcome != SOLVE_DONE && halvings == solver->def.halvings) solve_restore_before(solver);
  return outcome;
}

static clv_result give_up(clv_solver *solver, double time, double dt) {
  const uint32_t tries_made = solver->report.rejected;
  const bool is_explicit = solve_is_explicit(solver->def.method);
  char advice[160] = "take a smaller step";
  if (solver->def.method == CLV_STATIC) snprintf(advice, sizeof advice, "hold it at more places, or load it less");
  if (solver->def.method == CLV_NEWMARK)
    snprintf(advice, sizeof advice,
             "take a smaller step, or from the beginning a method that damps, as implicit-euler");
  if (is_explicit) snprintf(advice, sizeof advice, "take a smaller step, or an implicit method");
  double stable = 0;
  if (is_explicit && clv_solver_stable_step(solver, &stable) == CLV_OK && stable > 0)
    snprintf(advice, sizeof advice, "the stable step is about %.3g s: take a smaller one, or an implicit method",
             stable);
  return solve_fail(solver, CLV_ERROR_REFUSED, "the step of %g s at %g s failed in %u tries (%s): %s; %s", dt, time,
                    tries_made, clv_method_name(solver->def.method), solver->trouble, advice);
}

clv_result clv_solver_step(clv_solver *solver, double time, double dt, clv_step_report *report) {
  solver->report = (clv_step_report){.converged = true, .linear = solver->def.linear};
  solver->timed = report != NULL;
  if (!(dt > 0 && dt < SOLVE_FARTHEST) || !(fabs(time) < SOLVE_FARTHEST))
    return solve_fail(solver, CLV_ERROR_ARGUMENT, "a step needs a time and a length above 0, not %g and %g", time, dt);
  const clv_result result = solve_refresh(solver);
  if (result != CLV_OK) return result;
  solver->held_rest = held_rest(solver);
  if (!solver->held_rest) keep_held(solver);
  solve_spread_state(solver);
  const solve_outcome outcome = advance(solver, time, dt, solver->def.halvings);
  if (outcome != SOLVE_DONE && !solver->held_rest) restore_held(solver);
  if (report) *report = solver->report;
  solve_stay_ready(solver);
  if (outcome == SOLVE_DONE) return CLV_OK;
  return outcome == SOLVE_WRONG ? give_up(solver, time, dt) : solver->error.code;
}

bool clv_solver_memory(clv_solver *solver, uint32_t k, const char **name, double **values, size_t *count) {
  if (!solver->acceleration || k > 1) return false;
  *name = k == 0 ? "newmark_started" : "newmark_acceleration";
  *values = k == 0 ? &solver->started : solve_acceleration(solver);
  *count = k == 0 ? 1 : 3 * (size_t)clv_body_slots(solver->body);
  return true;
}

// Linear systems

solve_outcome solve_linearise(clv_solver *solver, linear_factors factors) {
  const double start = solve_clock(solver);
  const clv_result result = linear_system_update(solver->linear, &factors);
  solver->report.solve_seconds += solve_clock(solver) - start;
  if (result == CLV_OK) return SOLVE_DONE;
  if (result == CLV_ERROR_REFUSED) return solve_trouble(solver, "%s", linear_system_error(solver->linear));
  solve_fail(solver, result, "%s", linear_system_error(solver->linear));
  return SOLVE_ERROR;
}

solve_outcome solve_linear(clv_solver *solver, const double *b, double *x) {
  linear_report report = {0};
  const double start = solve_clock(solver);
  const clv_result result =
      linear_system_solve(solver->linear, b, x, solver->def.tolerance, solver->def.iterations, &report);
  solver->report.solve_seconds += solve_clock(solver) - start;
  solver->report.linear = report.linear;
  solver->report.linear_iterations += report.iterations;
  solver->report.residual = report.residual;
  if (result == CLV_ERROR_REFUSED || (result == CLV_OK && report.indefinite))
    return solve_trouble(solver, "the linear system is not positive definite");
  if (result != CLV_OK) {
    solve_fail(solver, result, "%s", linear_system_error(solver->linear));
    return SOLVE_ERROR;
  }
  if (!report.converged) solver->report.converged = false;
  return SOLVE_DONE;
}
