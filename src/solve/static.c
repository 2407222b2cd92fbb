// Statics: the equilibrium under the loads of a time.
//
// Newton's method goes for it at once. Where that fails, the forces that are out of balance are released in parts, and
// prescribed motions made in parts: with f0 the forces at the start, equilibria of f(x) = (1 - released) f0 are found
// one from the other, until all is released.
//
// A body that nothing holds has no equilibrium, or infinitely many, and is refused before anything is solved: each
// piece must be held so that none of its six rigid motions is possible.

#include "solve/newton.h"

#include <math.h>

// Pieces: which vertices hang together.

static uint32_t root_of(uint32_t *parent, uint32_t slot) {
  while (parent[slot] != slot) slot = parent[slot] = parent[parent[slot]];
  return slot;
}

static void join(uint32_t *parent, uint32_t a, uint32_t b) {
  a = root_of(parent, a);
  b = root_of(parent, b);
  if (a < b)
    parent[b] = a;
  else
    parent[a] = b;
}

static void join_corners(const clv_map *map, uint32_t *parent) {
  for (clv_dart dart = clv_dart_next(map, 0); dart; dart = clv_dart_next(map, dart))
    join(parent, clv_id_of(map, CLV_VERTEX, dart).index, clv_id_of(map, CLV_VERTEX, clv_alpha(map, dart, 0)).index);
}

// Rigid motions: three translations and three rotations about a piece's first vertex, with lengths measured by the
// body's size.

typedef struct rigid_hold {
  double matrix[6][6]; // the sum of m m^T, m being how a held axis moves with each rigid motion
} rigid_hold;

static void hold(rigid_hold *h, const double arm[3], uint32_t axis) {
  double motion[6] = {0};
  motion[axis] = 1;
  motion[3 + (axis + 1) % 3] = arm[(axis + 2) % 3];
  motion[3 + (axis + 2) % 3] = -arm[(axis + 1) % 3];
  for (uint32_t i = 0; i < 6; i++)
    for (uint32_t j = 0; j < 6; j++) h->matrix[i][j] += motion[i] * motion[j];
}

// Whether no rigid motion is left: the matrix has full rank, by elimination with the greatest pivots.
static bool is_held(const rigid_hold *h) {
  double m[6][6];
  memcpy(m, h->matrix, sizeof m);
  bool used[6] = {false};
  double first = 0;
  for (uint32_t step = 0; step < 6; step++) {
    uint32_t pivot = 6;
    for (uint32_t k = 0; k < 6; k++)
      if (!used[k] && (pivot == 6 || m[k][k] > m[pivot][pivot])) pivot = k;
    if (step == 0) first = m[pivot][pivot];
    if (!(m[pivot][pivot] > 1e-10 * first) || first == 0) return false;
    used[pivot] = true;
    for (uint32_t i = 0; i < 6; i++)
      for (uint32_t j = 0; j < 6 && !used[i]; j++)
        if (!used[j]) m[i][j] -= m[i][pivot] * m[pivot][j] / m[pivot][pivot];
  }
  return true;
}

// What nothing holds a piece against, as the end of a clause. Translations are held axis by axis, so the matrix is
// diagonal in them.
static const char *missing(const rigid_hold *h) {
  static const char *const against[8] = {" against turning",
                                         " against shifting along x",
                                         " against shifting along y",
                                         " against shifting along x and y",
                                         " against shifting along z",
                                         " against shifting along x and z",
                                         " against shifting along y and z",
                                         ""};
  unsigned loose = 0;
  for (uint32_t axis = 0; axis < 3; axis++) loose |= (unsigned)(h->matrix[axis][axis] == 0) << axis;
  return against[loose];
}

// The slot of a piece that is loose, 0 when all are held.
static uint32_t find_loose(const clv_solver *solver, uint32_t *parent, const uint32_t *number, rigid_hold *holds) {
  const double *x = solver->vectors[SOLVE_X0].data, *masses = clv_body_masses(solver->body);
  const double size = solver->body->size > 0 ? solver->body->size : 1;
  for (uint32_t k = 0; k < solver->held.count; k++) {
    const uint32_t slot = solver->held.data[k] / 3, root = root_of(parent, slot);
    double arm[3];
    for (uint32_t c = 0; c < 3; c++) arm[c] = (x[3 * slot + c] - x[3 * root + c]) / size;
    hold(&holds[number[root]], arm, solver->held.data[k] % 3);
  }
  for (uint32_t s = 1, known = 0; s < solver->slots; s++) {
    const uint32_t root = root_of(parent, s);
    if (masses[s] == 0 || root == known) continue;
    if (!is_held(&holds[number[root]])) return s;
    known = root;
  }
  return 0;
}

static solve_outcome refuse_loose(clv_solver *solver, uint32_t slot, const rigid_hold *h) {
  const double *rest = clv_body_rest(solver->body) + 3 * (size_t)slot;
  solve_fail(
      solver, CLV_ERROR_REFUSED,
      "nothing holds the piece of the body that has the particle at (%g, %g, %g)%s: it has no equilibrium; fix it so "
      "that it can neither shift nor turn, or use a method with inertia",
      rest[0], rest[1], rest[2], missing(h));
  return SOLVE_ERROR;
}

static solve_outcome test_held(clv_solver *solver) {
  if (solver->tested) return SOLVE_DONE;
  const clv_allocator *a = &solver->allocator;
  const uint32_t slots = solver->slots;
  uint32_t *parent = base_allocate(a, slots * sizeof *parent), *number = base_allocate(a, slots * sizeof *number);
  rigid_hold *holds = NULL;
  uint32_t pieces = 0;
  if (parent && number) {
    for (uint32_t s = 0; s < slots; s++) parent[s] = s;
    join_corners(solver->map, parent);
    for (uint32_t s = 0; s < slots; s++) {
      number[s] = pieces;
      pieces += root_of(parent, s) == s;
    }
    holds = base_allocate(a, pieces * sizeof *holds);
  }
  solve_outcome outcome = SOLVE_DONE;
  if (holds) {
    memset(holds, 0, pieces * sizeof *holds);
    const uint32_t loose = find_loose(solver, parent, number, holds);
    if (loose) outcome = refuse_loose(solver, loose, &holds[number[root_of(parent, loose)]]);
    solver->tested = loose == 0;
  } else {
    outcome = solve_no_memory(solver);
  }
  base_free(a, holds, pieces * sizeof *holds);
  base_free(a, number, slots * sizeof *number);
  base_free(a, parent, slots * sizeof *parent);
  return outcome;
}

// Equilibrium

static void stop(clv_solver *solver) {
  memset(clv_body_velocities(solver->body), 0, solve_numbers(solver) * sizeof(double));
}

// From one released part to the next, as far as it is found at all.
static solve_outcome release(clv_solver *solver, double time, double dt) {
  double done = 0, part = 1;
  uint32_t halvings = 0;
  while (done < 1) {
    const double next = done + part < 1 ? done + part : 1;
    const newton_scheme scheme = {.x_z = 1, .part = (next - done) / (1 - done), .released = next};
    if (!solve_keep_state(solver)) return solve_no_memory(solver);
    const solve_outcome outcome = solve_newton(solver, &scheme, time, dt);
    if (outcome == SOLVE_ERROR) return outcome;
    if (outcome == SOLVE_DONE) {
      done = next;
      part *= 2;
      continue;
    }
    if (halvings++ == solver->def.halvings) return SOLVE_WRONG;
    solver->report.rejected++;
    part = 0.5 * (next - done);
  }
  return SOLVE_DONE;
}

solve_outcome solve_try_static(clv_solver *solver, double time, double dt) {
  double *load = solve_vector_of(solver, SOLVE_LOAD);
  if (!load || !solve_keep_state(solver)) return solve_no_memory(solver);
  if (!solve_keep_before(solver)) return solve_no_memory(solver);
  solve_outcome outcome = test_held(solver);
  if (outcome != SOLVE_DONE) return outcome;
  stop(solver);
  outcome = solve_force(solver, time + dt, load);
  if (outcome == SOLVE_DONE) outcome = release(solver, time + dt, dt);
  if (outcome != SOLVE_DONE) {
    solve_restore_before(solver);
    return outcome;
  }
  stop(solver);
  return SOLVE_DONE;
}
