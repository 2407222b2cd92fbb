// The stable step of explicit methods.
//
// Lanczos' method finds the greatest eigenvalue of M^-1 K on the free axes, with masses taken to both sides so that it
// is symmetric; and that of M^-1 D. It is power iteration that remembers: some thirty products with the stiffness give
// it to half a per cent, for which power iteration itself would need hundreds. The start is the same pseudo-random
// vector every time. What is returned is an upper estimate: the value found plus the residual of its vector.
//
// For the stable step a product is a difference of forces, from a state as near as rounding allows: it costs one force
// whatever the law, and takes the law as it moves the body, not as it is made positive for implicit methods. Those want
// the latter, and ask for it in the middle of a step, whose state is not to be touched.
//
// How a method treats a swinging mode with frequency w and damping d (x'' = -w^2 x - d x'):
//
//   symplectic Euler  stable for h (d + sqrt(d^2 + 4 w^2)) <= 4
//   RK4               stable where h times the roots of s^2 + d s + w^2 lies within about 2.8 of the origin, 2.6 off
//                     the axes
//   Heun              grows by (h w)^4 / 8 a step without damping, at any step: a thousandth a step is what is
//                     allowed here, or what damping that acts on all modes makes up for

#include "solve/stable.h"

#include <math.h>

enum { LANCZOS_STEPS = 400, LANCZOS_LEAST = 8 };
#define LANCZOS_ACCURACY 5e-3
#define LANCZOS_NOTHING 1e-6 // beside what was found: all directions there are have been seen
// How far differences reach, in sizes of the body, and of the body in a second.
#define STABLE_REACH 1e-7
#define STABLE_REACH_OF_SPEED 1e-4

typedef struct lanczos {
  uint32_t count;
  double diagonal[LANCZOS_STEPS], beside[LANCZOS_STEPS]; // beside[k]: between k and k + 1
} lanczos;

// How many eigenvalues of the tridiagonal matrix lie above a number.
static uint32_t count_above(const lanczos *l, double number) {
  uint32_t count = 0;
  double pivot = 1;
  for (uint32_t k = 0; k < l->count; k++) {
    const double beside = k ? l->beside[k - 1] : 0;
    pivot = l->diagonal[k] - number - (pivot != 0 ? beside * beside / pivot : beside / 1e-300);
    count += pivot > 0;
  }
  return count;
}

static double greatest_value(const lanczos *l) {
  double low = 0, high = 0;
  for (uint32_t k = 0; k < l->count; k++) {
    const double reach = fabs(l->diagonal[k]) + (k ? l->beside[k - 1] : 0) + (k + 1 < l->count ? l->beside[k] : 0);
    high = fmax(high, reach);
  }
  for (uint32_t k = 0; k < 60 && high - low > 1e-12 * high; k++) {
    const double middle = 0.5 * (low + high);
    if (count_above(l, middle))
      low = middle;
    else
      high = middle;
  }
  return high;
}

// The last component of the unit vector that belongs to a value; from the end, where the recurrence grows safely.
static double last_component(const lanczos *l, double value) {
  double next = 0, here = 1, sum = 1;
  for (uint32_t k = l->count - 1; k > 0 && sum < 1e200; k--) {
    const double beside_next = k + 1 < l->count ? l->beside[k] : 0;
    const double before =
        l->beside[k - 1] > 0 ? ((value - l->diagonal[k]) * here - beside_next * next) / l->beside[k - 1] : 0;
    next = here;
    here = before;
    sum += before * before;
  }
  return 1 / sqrt(sum);
}

// Numbers between -1 and 1 that depend on their place alone.
static double noise(uint64_t place) {
  uint64_t bits = (place + 1) * UINT64_C(0x9E3779B97F4A7C15);
  bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
  return (double)(bits >> 11) * 0x1p-52 - 1;
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

// How the forces of laws change along a vector that is added to positions or to velocities.
static solve_outcome change_along(clv_solver *solver, double *state, double reach, const double *along, double *out) {
  const size_t count = solve_numbers(solver);
  const double *force = solver->vectors[SOLVE_FORCE].data;
  double farthest = 0;
  for (size_t k = 0; k < count; k++) farthest = fmax(farthest, fabs(along[k]));
  const double part = farthest > 0 ? reach * fmax(solver->body->size, 1e-9) / farthest : 1;
  for (size_t k = 0; k < count; k++) state[k] += part * along[k];
  solve_spread_state(solver);
  const solve_outcome outcome = solve_of_body(solver, physics_law_force(solver->body, out));
  solve_restore_state(solver);
  for (size_t k = 0; k < count; k++) out[k] = (out[k] - force[k]) / part;
  return outcome;
}

typedef solve_outcome stable_product(clv_solver *solver, const double *along, double *out);

static solve_outcome by_positive_stiffness(clv_solver *solver, const double *along, double *out) {
  return solve_of_body(solver, clv_body_force_along(solver->body, along, NULL, out));
}

static solve_outcome by_stiffness(clv_solver *solver, const double *along, double *out) {
  return change_along(solver, clv_body_positions(solver->body), STABLE_REACH, along, out);
}

// That of the laws, Rayleigh's and drag.
static solve_outcome by_damping(clv_solver *solver, const double *along, double *out) {
  const clv_body *body = solver->body;
  const size_t count = solve_numbers(solver);
  double *stiff = solve_vector_of(solver, SOLVE_FIRST);
  if (!stiff) return solve_no_memory(solver);
  solve_outcome outcome = change_along(solver, clv_body_velocities(solver->body), STABLE_REACH_OF_SPEED, along, out);
  if (outcome == SOLVE_DONE && body->rayleigh_stiffness > 0) {
    outcome = by_stiffness(solver, along, stiff);
    for (size_t k = 0; k < count; k++) out[k] += body->rayleigh_stiffness * stiff[k];
  }
  const double drag = body->drag + body->rayleigh_mass, *inverse = solver->vectors[SOLVE_INVERSE].data;
  for (size_t k = 0; k < count; k++) out[k] -= inverse[k] > 0 ? drag / inverse[k] * along[k] : 0;
  return outcome;
}

// The greatest eigenvalue of M^-1 K or M^-1 D, or a little more.
static solve_outcome greatest(clv_solver *solver, stable_product *product, double *value) {
  double *q = solve_vector_of(solver, SOLVE_LANCZOS_Q), *before = solve_vector_of(solver, SOLVE_LANCZOS_BEFORE);
  double *scaled = solve_vector_of(solver, SOLVE_LANCZOS_SCALED), *w = solve_vector_of(solver, SOLVE_LANCZOS_PRODUCT);
  if (!q || !before || !scaled || !w) return solve_no_memory(solver);
  const size_t count = solve_numbers(solver);
  const double *inverse = solver->vectors[SOLVE_INVERSE].data;
  for (size_t k = 0; k < count; k++) q[k] = inverse[k] != 0 ? noise(k) : 0;
  memset(before, 0, count * sizeof *before);
  double length = sqrt(dot(q, q, count)), beside = 0;
  *value = 0;
  if (length == 0) return SOLVE_DONE; // nothing is free
  for (size_t k = 0; k < count; k++) q[k] /= length;
  lanczos l = {0};
  while (l.count < LANCZOS_STEPS) {
    for (size_t k = 0; k < count; k++) scaled[k] = sqrt(inverse[k]) * q[k];
    const solve_outcome outcome = product(solver, scaled, w);
    if (outcome != SOLVE_DONE) return outcome;
    for (size_t k = 0; k < count; k++) w[k] = -sqrt(inverse[k]) * w[k] - beside * before[k];
    const double diagonal = dot(q, w, count);
    for (size_t k = 0; k < count; k++) {
      w[k] -= diagonal * q[k];
      before[k] = q[k];
    }
    beside = sqrt(dot(w, w, count));
    l.diagonal[l.count] = diagonal;
    l.beside[l.count++] = beside;
    if (!isfinite(diagonal) || !isfinite(beside))
      return solve_trouble(solver, "the stiffness of the body in its present state is no number");
    const double found = greatest_value(&l), error = beside * last_component(&l, found);
    *value = found + error;
    const bool enough = l.count >= LANCZOS_LEAST && error <= LANCZOS_ACCURACY * found;
    if (enough || beside <= LANCZOS_NOTHING * found || beside == 0) break;
    for (size_t k = 0; k < count; k++) q[k] = w[k] / beside;
  }
  return SOLVE_DONE;
}

solve_outcome solve_greatest_frequency(clv_solver *solver, double *frequency) {
  double square = 0;
  const solve_outcome outcome = greatest(solver, by_positive_stiffness, &square);
  *frequency = sqrt(square);
  return outcome;
}

// The greatest magnitude of the roots of s^2 + d s + w^2.
static double fastest_root(double w, double d) {
  return d > 2 * w ? 0.5 * (d + sqrt(d * d - 4 * w * w)) : w;
}

static double stable_step(const clv_solver *solver, double w, double d) {
  const clv_body *body = solver->body;
  const double common = body->drag + body->rayleigh_mass + body->rayleigh_stiffness * w * w; // of the fastest mode
  const double root = fastest_root(w, d);
  if (root == 0) return INFINITY;
  switch (solver->def.method) {
  case CLV_SYMPLECTIC_EULER:
    return 4 / (d + sqrt(d * d + 4 * w * w));
  case CLV_HEUN:
    if (w == 0) return 2 / d;
    return fmin(fmin(fmax(0.3 / w, cbrt(4 * common / (w * w * w * w))), 1 / w), 1.8 / root);
  case CLV_RK4:
    return (d < 0.01 * w ? 2.8 : 2.6) / root;
  default:
    return INFINITY;
  }
}

// The greatest values of M^-1 K and M^-1 D in the present state, which is as it was afterwards.
static solve_outcome find_greatest(clv_solver *solver, double *square, double *damping) {
  double *force = solve_vector_of(solver, SOLVE_FORCE);
  if (!force || !solve_keep_before(solver)) return solve_no_memory(solver);
  solve_spread_state(solver);
  solve_outcome outcome = solve_keep_state(solver) ? SOLVE_DONE : solve_no_memory(solver);
  if (outcome == SOLVE_DONE) outcome = solve_of_body(solver, physics_law_force(solver->body, force));
  if (outcome == SOLVE_DONE) outcome = greatest(solver, by_stiffness, square);
  if (outcome == SOLVE_DONE) outcome = greatest(solver, by_damping, damping);
  solve_restore_before(solver);
  return outcome;
}

clv_result clv_solver_stable_step(clv_solver *solver, double *dt) {
  *dt = INFINITY;
  if (!solve_is_explicit(solver->def.method)) return CLV_OK;
  const clv_result result = solve_refresh(solver);
  if (result != CLV_OK) return result;
  double square = 0, damping = 0;
  const solve_outcome outcome = find_greatest(solver, &square, &damping);
  if (outcome == SOLVE_WRONG) return solve_fail(solver, CLV_ERROR_REFUSED, "%s", solver->trouble);
  if (outcome == SOLVE_ERROR) return solver->error.code;
  *dt = stable_step(solver, sqrt(square), damping);
  return CLV_OK;
}
