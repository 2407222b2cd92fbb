#include "solve/linear.h"

#include "base/memory.h"
#include "solve/conjugate.h"
#include "view/views.h"

#include <math.h>

struct linear_system {
  clv_allocator allocator;
  clv_body *body;
  clv_views *views;
  linear_def def;
  linear_factors factors;
  clv_error error;
  uint32_t slots;
  bool ready;
  BASE_ARRAY(uint32_t) held;  // entries of vectors that are not free, in order
  BASE_ARRAY(double) vectors; // VECTORS of them, 3 * slots each
  BASE_ARRAY(double) blocks;  // 9 a slot: A's on the diagonal
  BASE_ARRAY(float) inverses; // WIDE_BLOCK a slot
  BASE_ARRAY(double) sums;
};

enum { RESIDUAL, P, Q, Z, SCALED, SCALED_VELOCITY, VECTORS };

static double *vector(const linear_system *system, uint32_t which) {
  return system->vectors.data + (size_t)which * 3 * system->slots;
}

static clv_result fail(linear_system *system, clv_result code, const char *sentence) {
  system->ready = false;
  return clv_error_set(&system->error, code, "%s", sentence);
}

linear_system *linear_system_create(clv_body *body, const linear_def *def, const clv_allocator *allocator,
                                    clv_error *error) {
  if (!clv_linear_available(def->linear)) {
    clv_error_set(error, CLV_ERROR_ARGUMENT,
                  "this library was built without the linear solver '%s'|choose 'assembled', or build with SuiteSparse",
                  clv_linear_name(def->linear));
    return NULL;
  }
  linear_system *system = base_allocate(allocator, sizeof *system);
  if (!system) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory for a linear solver");
    return NULL;
  }
  *system = (linear_system){.allocator = *allocator, .body = body, .views = clv_body_views(body), .def = *def};
  return system;
}

void linear_system_destroy(linear_system *system) {
  if (!system) return;
  const clv_allocator allocator = system->allocator;
  BASE_RELEASE(&allocator, &system->held);
  BASE_RELEASE(&allocator, &system->vectors);
  BASE_RELEASE(&allocator, &system->blocks);
  BASE_RELEASE(&allocator, &system->inverses);
  BASE_RELEASE(&allocator, &system->sums);
  base_free(&allocator, system, sizeof *system);
}

const char *linear_system_error(const linear_system *system) {
  return system->error.message;
}

// What is free

static bool find_held(linear_system *system) {
  const uint32_t *held = clv_body_held(system->body);
  const double *masses = clv_body_masses(system->body);
  if (!BASE_RESERVE(&system->allocator, &system->held, 3 * (uint64_t)system->slots)) return false;
  system->held.count = 0;
  for (uint32_t slot = 0; slot < system->slots; slot++)
    for (uint32_t axis = 0; axis < 3; axis++)
      if (!(masses[slot] > 0) || held[slot] >> axis & 1u) system->held.data[system->held.count++] = 3 * slot + axis;
  return true;
}

static void clear_held(const linear_system *system, double *x) {
  for (uint32_t k = 0; k < system->held.count; k++) x[system->held.data[k]] = 0;
}

// The diagonal

typedef struct adding {
  linear_system *system;
  double factor;
} adding;

static void add_element(void *user, const clv_element *element) {
  const adding *a = user;
  const uint32_t n = 3 * element->count;
  for (uint32_t p = 0; p < element->count; p++)
    for (uint32_t q = 0; q < element->count; q++) {
      if (element->vertices[p] != element->vertices[q]) continue;
      double *block = a->system->blocks.data + 9 * (size_t)element->vertices[p];
      for (uint32_t i = 0; i < 3; i++)
        for (uint32_t j = 0; j < 3; j++)
          block[3 * i + j] +=
              a->factor * 0.5 *
              (element->matrix[(3 * p + i) * n + 3 * q + j] + element->matrix[(3 * q + j) * n + 3 * p + i]);
    }
}

static clv_result views_failed(linear_system *system) {
  return fail(system, CLV_ERROR_MEMORY, clv_views_error(system->views));
}

// A symmetric 3 x 3 block's inverse, without the axes that are held; where it is not positive, 1 / its largest number.
static void invert_block(const double *block, uint32_t held, float *inverse) {
  double lower[3][3] = {{0}}, scale = 0;
  for (uint32_t i = 0; i < 3; i++) scale = fmax(scale, held >> i & 1u ? 0 : fabs(block[4 * i]));
  const double least = 1e-12 * scale, stand_in = scale > 0 ? scale : 1;
  double inverse_lower[3][3] = {{0}};
  for (uint32_t j = 0; j < 3; j++) {
    double pivot = block[4 * j];
    for (uint32_t k = 0; k < j; k++) pivot -= lower[j][k] * lower[j][k];
    const bool sound = pivot > least && !(held >> j & 1u);
    lower[j][j] = sqrt(sound ? pivot : stand_in);
    for (uint32_t i = j + 1; i < 3 && sound; i++) {
      if (held >> i & 1u) continue;
      double sum = block[3 * i + j];
      for (uint32_t k = 0; k < j; k++) sum -= lower[i][k] * lower[j][k];
      lower[i][j] = sum / lower[j][j];
    }
  }
  for (uint32_t j = 0; j < 3; j++)
    for (uint32_t i = j; i < 3; i++) {
      double sum = i == j ? 1 : 0;
      for (uint32_t k = j; k < i; k++) sum -= lower[i][k] * inverse_lower[k][j];
      inverse_lower[i][j] = sum / lower[i][i];
    }
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t j = 0; j < 3; j++) {
      double sum = 0;
      for (uint32_t k = 0; k < 3; k++) sum += inverse_lower[k][i] * inverse_lower[k][j];
      inverse[3 * j + i] = (held >> i | held >> j) & 1u ? 0 : (float)sum;
    }
}

static clv_result find_diagonal(linear_system *system) {
  const double *masses = clv_body_masses(system->body);
  const uint32_t *held = clv_body_held(system->body);
  memset(system->blocks.data, 0, 9 * (size_t)system->slots * sizeof(double));
  adding stiffness = {system, system->factors.stiffness}, damping = {system, system->factors.damping};
  if (clv_views_matrix(system->views, CLV_STIFFNESS, add_element, &stiffness) != CLV_OK ||
      clv_views_matrix(system->views, CLV_DAMPING, add_element, &damping) != CLV_OK)
    return views_failed(system);
  for (uint32_t slot = 0; slot < system->slots; slot++) {
    double *block = system->blocks.data + 9 * (size_t)slot;
    for (uint32_t axis = 0; axis < 3; axis++) block[4 * axis] += system->factors.mass * masses[slot];
    invert_block(block, masses[slot] > 0 ? held[slot] : CLV_XYZ, system->inverses.data + WIDE_BLOCK * (size_t)slot);
  }
  return CLV_OK;
}

static bool reserve(linear_system *system) {
  const clv_allocator *a = &system->allocator;
  const uint64_t numbers = 3 * (uint64_t)system->slots;
  return BASE_RESERVE(a, &system->vectors, VECTORS * numbers + WIDE_PAD) &&
         BASE_RESERVE(a, &system->blocks, 3 * numbers) && BASE_RESERVE(a, &system->inverses, 3 * numbers + WIDE_PAD) &&
         BASE_RESERVE(a, &system->sums, 2 * (uint64_t)conjugate_chunks(system->slots)) && find_held(system);
}

clv_result linear_system_update(linear_system *system, const linear_factors *factors) {
  system->factors = *factors;
  system->slots = clv_body_slots(system->body);
  system->ready = false;
  if (!reserve(system)) return fail(system, CLV_ERROR_MEMORY, "out of memory for a linear system");
  const clv_result result = find_diagonal(system);
  system->ready = result == CLV_OK;
  return result;
}

// Products

static clv_result multiply(linear_system *system, const double *x, double *out) {
  const linear_factors *f = &system->factors;
  const double *masses = clv_body_masses(system->body);
  const size_t numbers = 3 * (size_t)system->slots;
  double *pos = vector(system, SCALED), *vel = vector(system, SCALED_VELOCITY);
  for (size_t k = 0; k < numbers; k++) {
    pos[k] = -f->stiffness * x[k];
    vel[k] = -f->damping * x[k];
  }
  const bool damped = f->damping != 0;
  if (clv_body_force_along(system->body, pos, damped ? vel : NULL, out) != CLV_OK)
    return fail(system, CLV_ERROR_MEMORY, clv_body_error(system->body));
  for (uint32_t slot = 0; slot < system->slots; slot++)
    for (uint32_t k = 3 * slot; k < 3 * slot + 3; k++) out[k] += f->mass * masses[slot] * x[k];
  return CLV_OK;
}

static clv_result multiply_free(void *user, const double *x, double *out) {
  linear_system *system = user;
  const clv_result result = multiply(system, x, out);
  clear_held(system, out);
  return result;
}

clv_result linear_system_multiply(linear_system *system, const double *x, double *out) {
  if (!system->ready) return fail(system, CLV_ERROR_ARGUMENT, "a linear system is multiplied with before its update");
  return multiply(system, x, out);
}

// Solving

static double norm(const conjugate_room *room, const double *x) {
  return sqrt(conjugate_dot(room, x, x));
}

// room->residual = b - A x on free axes; *whole: how large the right side is without the free part of x.
static clv_result find_residual(linear_system *system, const conjugate_room *room, const double *b, const double *x,
                                double *whole) {
  const size_t numbers = 3 * (size_t)system->slots;
  double *r = room->residual, held = 0;
  for (uint32_t k = 0; k < system->held.count; k++) held = fmax(held, fabs(x[system->held.data[k]]));
  memcpy(r, b, numbers * sizeof *r);
  if (held > 0) {
    memset(room->p, 0, numbers * sizeof *r);
    for (uint32_t k = 0; k < system->held.count; k++) room->p[system->held.data[k]] = x[system->held.data[k]];
    const clv_result result = multiply(system, room->p, room->q);
    if (result != CLV_OK) return result;
    for (size_t k = 0; k < numbers; k++) r[k] -= room->q[k];
  }
  clear_held(system, r);
  *whole = norm(room, r);
  memcpy(room->p, x, numbers * sizeof *r);
  clear_held(system, room->p);
  if (conjugate_dot(room, room->p, room->p) == 0) return CLV_OK;
  const clv_result result = multiply_free(system, room->p, room->q);
  for (size_t k = 0; k < numbers; k++) r[k] -= room->q[k];
  return result;
}

clv_result linear_system_solve(linear_system *system, const double *b, double *x, double tolerance, uint32_t iterations,
                               linear_report *report) {
  *report = (linear_report){.linear = CLV_LINEAR_MATRIX_FREE, .preconditioner = LINEAR_JACOBI};
  if (!system->ready) return fail(system, CLV_ERROR_ARGUMENT, "a linear system is solved before its update");
  const conjugate_room room = {.rows = system->slots,
                               .pool = system->views->pool,
                               .residual = vector(system, RESIDUAL),
                               .p = vector(system, P),
                               .q = vector(system, Q),
                               .z = vector(system, Z),
                               .sums = system->sums.data};
  const conjugate_operator op = {.user = system, .multiply = multiply_free, .blocks = system->inverses.data};
  double whole = 0;
  clv_result result = find_residual(system, &room, b, x, &whole);
  if (result != CLV_OK) return result;
  conjugate_end end;
  result = conjugate_solve(&room, &op, x, tolerance * whole, iterations ? iterations : 3 * system->slots, &end);
  if (result != CLV_OK) return result;
  report->iterations = end.iterations;
  report->residual = whole > 0 ? end.residual / whole : end.residual;
  report->converged = end.residual <= tolerance * whole;
  report->indefinite = end.indefinite;
  return CLV_OK;
}
