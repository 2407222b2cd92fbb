// linear.h tells the idea; here is what the three solvers share, and the choice between them.

#include "solve/linear.h"

#include "physics/body.h"
#include "solve/block_set.h"
#include "solve/cholesky.h"
#include "solve/conjugate.h"
#include "solve/direct.h"
#include "solve/quick.h"

#include <math.h>

enum { RESIDUAL, P, Q, Z, SCALED, SCALED_VELOCITY, VECTORS };

struct linear_system {
  clv_allocator allocator;
  clv_body *body;
  clv_views *views;
  linear_def def;
  matrix_sum sum; // what A is made of
  clv_error error;
  uint32_t slots;
  bool ready;
  // Chosen and made by the last update
  clv_linear linear;
  linear_preconditioner preconditioner;
  // What is not free: bits of axes by slot, entries of vectors in order
  BASE_ARRAY(uint8_t) axes;
  BASE_ARRAY(uint32_t) held;
  view_memory vectors; // VECTORS of them, `stride` numbers each
  size_t stride;
  BASE_ARRAY(double) blocks;  // matrix-free: A's diagonal blocks
  BASE_ARRAY(float) inverses; // WIDE_BLOCK a slot
  BASE_ARRAY(double) sums;
  matrix matrix;
  cholesky cholesky;
  struts struts; // in place of the matrix, where `strutted`
  bool strutted;
  quick quick; // where `mixed`
  bool mixed;  // iterations are made in single precision, as long as that helps
  direct *direct;
  clv_column *ranks;    // of vertices in its order; NULL where it is never chosen
  bool pattern_changed; // since the direct solver has seen it
  uint64_t hanging;     // changes of what hangs, that were seen
};

static double *vector(const linear_system *system, uint32_t which) {
  return (double *)system->vectors.data + which * system->stride;
}

static clv_result fail(linear_system *system, clv_result code, const char *sentence) {
  return clv_error_set(&system->error, code, "%s", sentence);
}

static clv_result no_memory(linear_system *system) {
  return fail(system, CLV_ERROR_MEMORY, "out of memory for a linear system");
}

static bool may_factor(const linear_def *def) {
  return def->linear == CLV_LINEAR_DIRECT ||
         (def->linear == CLV_LINEAR_AUTO && def->equilibrium && clv_linear_available(CLV_LINEAR_DIRECT));
}

// order.h says what it is for.
static clv_result create_ranks(linear_system *system, clv_error *error) {
  clv_map *body = clv_body_map(system->body);
  clv_column_def def = clv_default_column_def();
  def.name = "elimination_rank";
  def.components = 1;
  def.create = CLV_CREATE_VALUE;
  def.merge = CLV_MERGE_KEEP;
  system->ranks = clv_column_find(body, def.name);
  if (system->ranks) {
    const clv_column_def *there = clv_column_get_def(system->ranks);
    const bool fits = there->orbit == def.orbit && there->type == def.type && there->components == 1;
    if (fits) return CLV_OK;
    return clv_error_set(error, CLV_ERROR_ARGUMENT,
                         "the column '%s' is not a number on vertices, as a direct solver keeps it: give yours another "
                         "name",
                         def.name);
  }
  const clv_result result = clv_column_create(body, &def, &system->ranks);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(body));
}

linear_system *linear_system_create(clv_body *body, const linear_def *def, const clv_allocator *allocator,
                                    clv_error *error) {
  if (!clv_linear_available(def->linear)) {
    clv_error_set(error, CLV_ERROR_ARGUMENT,
                  "this library was built without the linear solver '%s': choose 'assembled', or build it where "
                  "SuiteSparse is installed",
                  clv_linear_name(def->linear));
    return NULL;
  }
  linear_system *system = base_allocate(allocator, sizeof *system);
  if (!system) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory for a linear solver");
    return NULL;
  }
  *system = (linear_system){.allocator = *allocator, .body = body, .views = clv_body_views(body), .def = *def};
  matrix_init(&system->matrix, system->views, allocator);
  cholesky_init(&system->cholesky, &system->matrix, allocator);
  struts_init(&system->struts, system->views, allocator);
  quick_init(&system->quick, &system->matrix, allocator);
  if (!may_factor(def) || create_ranks(system, error) == CLV_OK) return system;
  linear_system_destroy(system);
  return NULL;
}

void linear_system_destroy(linear_system *system) {
  if (!system) return;
  const clv_allocator allocator = system->allocator;
  BASE_RELEASE(&allocator, &system->axes);
  BASE_RELEASE(&allocator, &system->held);
  BASE_RELEASE(&allocator, &system->blocks);
  BASE_RELEASE(&allocator, &system->inverses);
  BASE_RELEASE(&allocator, &system->sums);
  view_memory_free(&system->vectors, &allocator);
  cholesky_free(&system->cholesky);
  quick_free(&system->quick);
  struts_free(&system->struts);
  matrix_free(&system->matrix);
  direct_destroy(system->direct);
  base_free(&allocator, system, sizeof *system);
}

const char *linear_system_error(const linear_system *system) {
  return system->error.message;
}

double *linear_system_ranks(const linear_system *system) {
  return system->ranks ? clv_column_data(system->ranks, CLV_NONE, NULL) : NULL;
}

// What is free

static bool find_held(linear_system *system) {
  const uint32_t *held = clv_body_held(system->body), slots = system->slots;
  const double *masses = clv_body_masses(system->body);
  const clv_allocator *a = &system->allocator;
  if (!BASE_RESERVE(a, &system->axes, slots) || !BASE_RESERVE(a, &system->held, 3 * (uint64_t)slots)) return false;
  bool same = system->axes.count == slots;
  system->axes.count = slots;
  system->held.count = 0;
  for (uint32_t slot = 0; slot < slots; slot++) {
    const uint8_t axes = masses[slot] > 0 ? (uint8_t)(held[slot] & CLV_XYZ) : CLV_XYZ;
    same = same && system->axes.data[slot] == axes;
    system->axes.data[slot] = axes;
    for (uint32_t axis = 0; axes && axis < 3; axis++)
      if (axes >> axis & 1u) system->held.data[system->held.count++] = 3 * slot + axis;
  }
  system->pattern_changed = system->pattern_changed || !same;
  return true;
}

static void clear_held(const linear_system *system, double *x) {
  for (uint32_t k = 0; k < system->held.count; k++) x[system->held.data[k]] = 0;
}

// Choosing

enum { FEW_ITERATIONS = 4, DIRECT_SLOTS = 2000 };

static bool is_symmetric(const clv_views *views) {
  bool symmetric = true;
  for (uint32_t t = 0; t < views->tables.count; t++)
    symmetric = symmetric && views->tables.data[t].kernel->symmetric && views->tables.data[t].kernel->damping_symmetric;
  return symmetric;
}

static clv_linear choose(const linear_system *system) {
  const linear_def *def = &system->def;
  if (def->linear != CLV_LINEAR_AUTO) return def->linear;
  if (def->equilibrium)
    return clv_linear_available(CLV_LINEAR_DIRECT) && system->slots <= DIRECT_SLOTS ? CLV_LINEAR_DIRECT
                                                                                    : CLV_LINEAR_ASSEMBLED;
  const bool few = def->iterations > 0 && def->iterations <= FEW_ITERATIONS;
  return few && is_symmetric(system->views) ? CLV_LINEAR_MATRIX_FREE : CLV_LINEAR_ASSEMBLED;
}

static linear_preconditioner choose_preconditioner(const linear_system *system) {
  const bool asked = system->def.linear == CLV_LINEAR_ASSEMBLED || system->def.equilibrium;
  return system->linear == CLV_LINEAR_DIRECT               ? LINEAR_PLAIN
         : system->linear == CLV_LINEAR_ASSEMBLED && asked ? LINEAR_CHOLESKY
                                                           : LINEAR_JACOBI;
}

// Making

static matrix_sum sum_of(const clv_body *body, const linear_factors *f) {
  return (matrix_sum){.masses = clv_body_masses(body),
                      .mass = f->mass + f->damping * (body->drag + body->rayleigh_mass),
                      .stiffness = f->stiffness + f->damping * body->rayleigh_stiffness,
                      .damping = f->damping};
}

// What the diagonal blocks of hanging vertices add to those of their parents; couplings between them are left out.
static void gather_blocks(const linear_system *system, double *blocks) {
  const physics_hangings *h = system->body->hanging;
  for (uint32_t k = h->table.count; k-- > 0;) {
    const physics_hanging *one = &h->table.data[k];
    const double *from = blocks + 9 * (size_t)one->slot;
    for (uint32_t p = 0; p < one->count; p++) {
      double *to = blocks + 9 * (size_t)one->parents[p];
      for (uint32_t e = 0; e < 9; e++) to[e] += from[e] / (one->count * one->count);
    }
  }
}

// The inverses of A's diagonal blocks.
static void invert_diagonal(linear_system *system, const double *blocks, const uint32_t *starts) {
  block_best()->invert(system->slots, blocks, starts, system->axes.data, system->inverses.data);
}

static clv_result make_matrix_free(linear_system *system) {
  if (!BASE_RESERVE(&system->allocator, &system->blocks, 9 * (uint64_t)system->slots)) return no_memory(system);
  const clv_result result = matrix_diagonal(&system->matrix, &system->sum, system->blocks.data);
  if (result == CLV_ERROR_MEMORY) return no_memory(system);
  if (result != CLV_OK) return fail(system, result, clv_views_error(system->views));
  gather_blocks(system, system->blocks.data);
  invert_diagonal(system, system->blocks.data, NULL);
  const clv_result linear = clv_views_linearize(system->views);
  return linear == CLV_OK ? CLV_OK : fail(system, linear, clv_views_error(system->views));
}

static clv_result factor(linear_system *system) {
  if (!system->direct) system->direct = direct_create(&system->allocator, &system->error);
  if (!system->direct) return system->error.code;
  const clv_result result = direct_factor(system->direct, &system->matrix, system->body->hanging, system->axes.data,
                                          linear_system_ranks(system), system->pattern_changed, &system->error);
  if (result == CLV_OK) system->pattern_changed = false;
  return result;
}

// Small bodies of springs alone, within a time step.
static bool takes_struts(const linear_system *system) {
  return system->preconditioner == LINEAR_JACOBI && system->sum.mass > 0 && system->slots >= QUICK_LEAST &&
         !system->body->hanging->table.count && struts_serve(system->views);
}

// The preconditioner in double is made when it is asked for.
static clv_result make_strutted(linear_system *system) {
  bool changed = false;
  if (!struts_follow(&system->struts, &changed) ||
      !BASE_RESERVE(&system->allocator, &system->blocks, 9 * (uint64_t)system->slots))
    return no_memory(system);
  if (changed) quick_forget(&system->quick);
  struts_assemble(&system->struts, &system->sum);
  system->strutted = system->mixed = true;
  const bool filled =
      quick_fill_struts(&system->quick, &system->struts, system->axes.data, system->held.data, system->held.count);
  return filled ? CLV_OK : no_memory(system);
}

static clv_result make_assembled(linear_system *system) {
  bool rebuilt = false;
  const clv_result current = views_current(system->views);
  if (current != CLV_OK) return fail(system, current, clv_views_error(system->views));
  if (takes_struts(system)) return make_strutted(system);
  const clv_result result = matrix_follow(&system->matrix, &rebuilt);
  if (result == CLV_ERROR_MEMORY) return no_memory(system);
  if (result != CLV_OK) return fail(system, result, clv_views_error(system->views));
  system->pattern_changed = system->pattern_changed || rebuilt;
  if (rebuilt) quick_forget(&system->quick);
  matrix_assemble(&system->matrix, &system->sum);
  if (system->linear == CLV_LINEAR_DIRECT) return factor(system);
  if (system->preconditioner == LINEAR_CHOLESKY) {
    const cholesky_end end = cholesky_make(&system->cholesky, system->axes.data);
    if (end == CHOLESKY_NO_MEMORY) return no_memory(system);
    if (end == CHOLESKY_MADE) return CLV_OK;
    system->preconditioner = LINEAR_JACOBI; // the report says so
  }
  if (system->body->hanging->table.count) { // the matrix stays what it is: its diagonal is changed apart
    if (!BASE_RESERVE(&system->allocator, &system->blocks, 9 * (uint64_t)system->slots)) return no_memory(system);
    for (size_t slot = 0; slot < system->slots; slot++)
      memcpy(system->blocks.data + 9 * slot, matrix_block(&system->matrix, system->matrix.starts.data[slot]),
             9 * sizeof(double));
    gather_blocks(system, system->blocks.data);
    invert_diagonal(system, system->blocks.data, NULL);
    return CLV_OK;
  }
  invert_diagonal(system, system->matrix.values.data, system->matrix.starts.data);
  system->mixed = system->sum.mass > 0 && system->slots >= QUICK_LEAST;
  if (!system->mixed || quick_fill(&system->quick, system->inverses.data, system->held.data, system->held.count))
    return CLV_OK;
  return no_memory(system);
}

static bool reserve(linear_system *system) {
  const clv_allocator *a = &system->allocator;
  const uint64_t numbers = 3 * (uint64_t)system->slots;
  const size_t stride = ((size_t)numbers + 2 * WIDE_PAD - 1) / WIDE_PAD * WIDE_PAD,
               size = VECTORS * stride * sizeof(double);
  if (size > system->vectors.room && !view_memory_resize(&system->vectors, a, 0, size)) return false;
  system->stride = stride;
  return BASE_RESERVE(a, &system->inverses, 3 * numbers + WIDE_PAD) &&
         BASE_RESERVE(a, &system->sums, 2 * (uint64_t)conjugate_chunks(system->slots)) && find_held(system);
}

clv_result linear_system_update(linear_system *system, const linear_factors *factors) {
  const clv_result ready = physics_hanging_ready(system->body);
  if (ready != CLV_OK) return fail(system, ready, clv_body_error(system->body));
  system->sum = sum_of(system->body, factors);
  system->slots = clv_body_slots(system->body);
  system->ready = system->mixed = system->strutted = false;
  system->pattern_changed = system->pattern_changed || system->hanging != system->body->hanging->changes;
  system->hanging = system->body->hanging->changes;
  if (!reserve(system)) return no_memory(system);
  system->linear = choose(system);
  system->preconditioner = choose_preconditioner(system);
  const clv_result result =
      system->linear == CLV_LINEAR_MATRIX_FREE ? make_matrix_free(system) : make_assembled(system);
  system->ready = result == CLV_OK;
  return result;
}

// Products

static conjugate_room room_of(const linear_system *system) {
  return (conjugate_room){.rows = system->slots,
                          .pool = system->views->pool,
                          .residual = vector(system, RESIDUAL),
                          .p = vector(system, P),
                          .q = vector(system, Q),
                          .z = vector(system, Z),
                          .sums = system->sums.data};
}

static clv_result multiply_along(linear_system *system, const double *x, double *out) {
  const matrix_sum *sum = &system->sum;
  const size_t numbers = 3 * (size_t)system->slots;
  double *pos = vector(system, SCALED), *vel = vector(system, SCALED_VELOCITY);
  const bool damped = sum->damping != 0;
  for (size_t k = 0; k < numbers; k++) pos[k] = -sum->stiffness * x[k];
  for (size_t k = 0; damped && k < numbers; k++) vel[k] = -sum->damping * x[k];
  physics_spread(system->body, pos);
  if (damped) physics_spread(system->body, vel);
  const clv_result result = clv_views_linear_force(system->views, pos, damped ? vel : NULL, out);
  if (result != CLV_OK) return fail(system, result, clv_views_error(system->views));
  physics_gather(system->body, out);
  for (size_t slot = 0; slot < system->slots; slot++)
    for (size_t k = 3 * slot; k < 3 * slot + 3; k++) out[k] += sum->mass * sum->masses[slot] * x[k];
  return CLV_OK;
}

// The matrix knows all vertices as free ones: what hangs is spread before and gathered behind. The result is x A x.
static double multiply_matrix(const linear_system *system, const double *x, double *out) {
  if (system->strutted) return struts_multiply(&system->struts, x, out);
  if (!system->body->hanging->table.count) return matrix_multiply(&system->matrix, x, out);
  double *spread = vector(system, SCALED);
  memcpy(spread, x, 3 * (size_t)system->slots * sizeof *x);
  physics_spread(system->body, spread);
  const double product = matrix_multiply(&system->matrix, spread, out);
  physics_gather(system->body, out);
  return product;
}

static clv_result multiply(linear_system *system, const double *x, double *out) {
  if (system->linear == CLV_LINEAR_MATRIX_FREE) return multiply_along(system, x, out);
  multiply_matrix(system, x, out);
  return CLV_OK;
}

// What is held is 0 in x, and so it adds nothing to x . out before it is cleared.
static clv_result multiply_free(void *user, const double *x, double *out, double *product) {
  linear_system *system = user;
  clv_result result = CLV_OK;
  if (system->linear == CLV_LINEAR_MATRIX_FREE) {
    const conjugate_room room = room_of(system);
    result = multiply_along(system, x, out);
    *product = result == CLV_OK ? conjugate_dot(&room, x, out) : 0;
  } else {
    *product = multiply_matrix(system, x, out);
  }
  clear_held(system, out);
  return result;
}

clv_result linear_system_multiply(linear_system *system, const double *x, double *out) {
  if (!system->ready) return fail(system, CLV_ERROR_ARGUMENT, "a linear system is multiplied with before its update");
  return multiply(system, x, out);
}

bool linear_system_tells_forces(const linear_system *system) {
  const clv_views *views = system->views;
  bool tells = system->ready && system->linear != CLV_LINEAR_MATRIX_FREE && system->sum.stiffness > 0;
  for (uint32_t t = 0; t < views->tables.count; t++) {
    const kernel *k = views->tables.data[t].kernel;
    tells = tells && !k->has_velocity && (k->symmetric || k->clamps);
  }
  return tells;
}

void linear_system_force_along(const linear_system *system, const double *x, double *out) {
  const matrix_sum *sum = &system->sum;
  multiply_matrix(system, x, out);
  for (size_t slot = 0; slot < system->slots; slot++)
    for (size_t k = 3 * slot; k < 3 * slot + 3; k++)
      out[k] = (sum->mass * sum->masses[slot] * x[k] - out[k]) / sum->stiffness;
}

// Solving

static void precondition(void *user, const double *x, double *out) {
  const linear_system *system = user;
  cholesky_apply(&system->cholesky, x, out);
}

// room->residual = b - A x_held on free axes; its length.
static clv_result find_right_side(linear_system *system, const conjugate_room *room, const double *b, const double *x,
                                  double *length) {
  const size_t numbers = 3 * (size_t)system->slots;
  double *r = room->residual, largest = 0;
  for (uint32_t k = 0; k < system->held.count; k++) largest = fmax(largest, fabs(x[system->held.data[k]]));
  memcpy(r, b, numbers * sizeof *r);
  if (largest > 0) {
    memset(room->p, 0, numbers * sizeof *r);
    for (uint32_t k = 0; k < system->held.count; k++) room->p[system->held.data[k]] = x[system->held.data[k]];
    const clv_result result = multiply(system, room->p, room->q);
    if (result != CLV_OK) return result;
    for (size_t k = 0; k < numbers; k++) r[k] -= room->q[k];
  }
  clear_held(system, r);
  *length = sqrt(conjugate_dot(room, r, r));
  return CLV_OK;
}

// room->residual -= A x_free, unless there is nothing to subtract.
static clv_result subtract_guess(linear_system *system, const conjugate_room *room, const double *x) {
  const size_t numbers = 3 * (size_t)system->slots;
  double *r = room->residual;
  memcpy(room->p, x, numbers * sizeof *r);
  clear_held(system, room->p);
  if (conjugate_dot(room, room->p, room->p) == 0) return CLV_OK;
  double product;
  const clv_result result = multiply_free(system, room->p, room->q, &product);
  for (size_t k = 0; result == CLV_OK && k < numbers; k++) r[k] -= room->q[k];
  return result;
}

static clv_result solve_directly(linear_system *system, const conjugate_room *room, double *x, double *residual) {
  clv_result result = direct_solve(system->direct, room->residual, x, &system->error);
  if (result == CLV_OK) result = subtract_guess(system, room, x);
  if (result == CLV_OK) *residual = sqrt(conjugate_dot(room, room->residual, room->residual));
  return result;
}

// What is left over for the present x, computed in full.
static clv_result find_residual(linear_system *system, const conjugate_room *room, const double *b, const double *x,
                                double *norm) {
  double length;
  clv_result result = find_right_side(system, room, b, x, &length);
  if (result == CLV_OK) result = subtract_guess(system, room, x);
  *norm = sqrt(conjugate_dot(room, room->residual, room->residual));
  return result;
}

// Rounds in single precision, as long as they help; room->residual stays what is left over, unless iterations are used
// up.
static clv_result solve_mixed(linear_system *system, const conjugate_room *room, const double *b, double *x,
                              double goal, double length, uint32_t iterations, conjugate_end *all) {
  double norm = sqrt(conjugate_dot(room, room->residual, room->residual));
  clv_result result = CLV_OK;
  bool helps = true;
  while (result == CLV_OK && helps && norm > goal && norm > QUICK_FLOOR * length && all->iterations < iterations) {
    conjugate_end end;
    const double before = norm;
    quick_solve(&system->quick, room->residual, norm, goal / norm, iterations - all->iterations, x, &end);
    all->iterations += end.iterations;
    norm *= end.residual;
    helps = !end.indefinite && end.iterations > 0;
    if (all->iterations < iterations) result = find_residual(system, room, b, x, &norm);
    helps = helps && norm < 0.1 * before;
  }
  all->residual = norm;
  return result;
}

static clv_result iterate(linear_system *system, const conjugate_room *room, const double *b, double *x, double goal,
                          double length, uint32_t iterations, conjugate_end *end) {
  const bool jacobi = system->preconditioner == LINEAR_JACOBI;
  const conjugate_operator op = {.user = system,
                                 .multiply = multiply_free,
                                 .precondition = precondition,
                                 .blocks = jacobi ? system->inverses.data : NULL};
  clv_result result = subtract_guess(system, room, x);
  if (result == CLV_OK && system->mixed) {
    result = solve_mixed(system, room, b, x, goal, length, iterations, end);
    if (end->iterations == iterations || end->residual <= goal) return result;
  }
  if (system->strutted) {
    struts_diagonal(&system->struts, system->blocks.data);
    invert_diagonal(system, system->blocks.data, NULL);
  }
  const uint32_t before = end->iterations;
  if (result == CLV_OK) result = conjugate_solve(room, &op, x, goal, iterations - before, end);
  end->iterations += before;
  return result;
}

clv_result linear_system_solve(linear_system *system, const double *b, double *x, double tolerance, uint32_t iterations,
                               linear_report *report) {
  *report = (linear_report){.linear = system->linear, .preconditioner = system->preconditioner};
  if (!system->ready) return fail(system, CLV_ERROR_ARGUMENT, "a linear system is solved before its update");
  const conjugate_room room = room_of(system);
  const uint32_t unknowns = 3 * system->slots - system->held.count;
  conjugate_end end = {0};
  double length = 0;
  clv_result result = find_right_side(system, &room, b, x, &length);
  if (result == CLV_OK && system->linear == CLV_LINEAR_DIRECT)
    result = solve_directly(system, &room, x, &end.residual);
  else if (result == CLV_OK)
    result = iterate(system, &room, b, x, tolerance * length, length, iterations ? iterations : unknowns, &end);
  report->iterations = end.iterations;
  report->residual = length > 0 ? end.residual / length : end.residual;
  report->converged = result == CLV_OK && end.residual <= tolerance * length;
  report->indefinite = end.indefinite;
  return result;
}
