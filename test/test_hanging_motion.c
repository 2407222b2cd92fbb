// Refined bodies that move: every method keeps hanging vertices between their parents and loses nothing by it.

#include "cleave/solve.h"
#include "support/beam.h"
#include "support/counting_allocator.h"
#include "support/refine.h"
#include "support/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clv_program *rules, *laws; // of topology; of all models

static refined body_for(clv_grid_kind kind, const char *model, uint64_t seed) {
  body_setup setup = refined_setup(kind, model);
  setup.def.program = laws;
  return refined_of(body_of(&setup), rules, seed);
}

static clv_id first_vertex(const clv_map *map) {
  return clv_id_next(map, CLV_VERTEX, (clv_id){0, 0});
}
static clv_id next_vertex(const clv_map *map, clv_id id) {
  return clv_id_next(map, CLV_VERTEX, id);
}

typedef struct way {
  clv_method method;
  clv_linear linear;
} way;

static const way ways[] = {
    {CLV_SYMPLECTIC_EULER, CLV_LINEAR_AUTO},
    {CLV_HEUN, CLV_LINEAR_AUTO},
    {CLV_RK4, CLV_LINEAR_AUTO},
    {CLV_IMPLICIT_EULER, CLV_LINEAR_MATRIX_FREE},
    {CLV_IMPLICIT_EULER, CLV_LINEAR_ASSEMBLED},
    {CLV_IMPLICIT_EULER, CLV_LINEAR_DIRECT},
    {CLV_IMPLICIT_NEWTON, CLV_LINEAR_AUTO},
    {CLV_NEWMARK, CLV_LINEAR_DIRECT},
};
enum { WAYS = sizeof ways / sizeof *ways };

static clv_solver *solver_of(clv_body *body, way how) {
  clv_solver_def def = clv_default_solver_def();
  def.method = how.method;
  def.linear = how.linear;
  def.tolerance = 1e-14;
  def.newton_tolerance = 1e-12;
  clv_error error;
  clv_solver *solver = clv_solver_create(body, &def, &error);
  if (!solver) fail_msg("%s", error.message);
  return solver;
}

static void step(clv_solver *solver, double time, double dt) {
  if (clv_solver_step(solver, time, dt, NULL) != CLV_OK) fail_msg("%s", clv_solver_error(solver));
}

// How far vertices are from where the first one went, measured from rest.
static double deformation(const refined *r) {
  const double *pos = clv_body_positions(r->body), *rest = clv_body_rest(r->body);
  const uint32_t first = first_vertex(r->map).index;
  double most = 0;
  for (clv_id id = first_vertex(r->map); id.index; id = next_vertex(r->map, id))
    for (uint32_t c = 0; c < 3; c++)
      most =
          fmax(most, fabs(pos[3 * id.index + c] - rest[3 * id.index + c] - pos[3 * first + c] + rest[3 * first + c]));
  return most;
}

static void fall(clv_grid_kind kind, const char *model, way how, uint64_t seed) {
  refined r = body_for(kind, model, seed);
  refined_refine_many(&r, 5, 3);
  clv_body_set_gravity(r.body, (const double[3]){0.3, -9.81, 1});
  clv_solver *solver = solver_of(r.body, how);
  double dt = 1e-3, time = 0, stable = 0;
  if (clv_solver_stable_step(solver, &stable) != CLV_OK)
    fail_msg("%s on %s: %s", model, clv_grid_name(kind), clv_solver_error(solver));
  dt = fmin(dt, 0.5 * stable);
  for (uint32_t n = 0; n < 20; n++, time += dt) {
    if (n == 10) refined_refine_some(&r, 3);
    if (n == 15) refined_coarsen_some(&r);
    step(solver, time, dt);
  }
  clv_momenta momenta;
  clv_body_momenta(r.body, &momenta);
  if (!(deformation(&r) < 1e-12))
    fail_msg("%s on %s by %s (%s): deformed by %g", model, clv_grid_name(kind), clv_method_name(how.method),
             clv_linear_name(how.linear), deformation(&r));
  assert_true(fabs(momenta.linear[1] + 9.81 * time * momenta.mass) < 1e-9 * momenta.mass);
  clv_solver_destroy(solver);
  clv_body_destroy(r.body);
}

static void free_fall_deforms_nothing(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++)
    for (uint32_t m = 0; m < REFINED_MODELS; m++)
      for (uint32_t k = 0; k < WAYS; k++)
        if (refined_serves(refined_models[m], refined_grids[g]) && clv_linear_available(ways[k].linear) &&
            (g + m + k) % 3 == 0)
          fall(refined_grids[g], refined_models[m], ways[k], 11 + g * 100 + m * 10 + k);
}

// What is pulled unevenly, and so soft that a step knows of nothing but forces and masses: each vertex that hangs
// leaves its mass and its force to its parents, in equal shares, and they to theirs.

typedef struct share {
  double mass, force[3];
} share;

// What each vertex has by itself: equal parts of the cells about it, and of the force.
static share *own_shares(const refined *r, const clv_material *material, double pulled_from, const double *force) {
  const double *rest = clv_body_rest(r->body);
  share *own = calloc(clv_body_slots(r->body), sizeof *own);
  assert_non_null(own);
  for (clv_id id = clv_id_next(r->map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(r->map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(r->map, CLV_CELL, id);
    const clv_kind shape = clv_cell_shape(r->map, cell);
    const uint32_t count = clv_templates[shape].corner_count;
    const uint32_t *slots = r->map->corners[shape] + (size_t)clv_cell_row(r->map, cell) * count;
    double corners[8][3];
    for (uint32_t c = 0; c < count; c++) memcpy(corners[c], rest + 3 * (size_t)slots[c], sizeof corners[c]);
    const double mass = material->density * (r->map->dimension == 2 ? material->thickness : 1) *
                        clv_element_measure(shape, (const double(*)[3])corners);
    for (uint32_t c = 0; c < count; c++) own[slots[c]].mass += mass / count;
  }
  uint32_t pulled = 0;
  for (clv_id id = first_vertex(r->map); id.index; id = next_vertex(r->map, id))
    pulled += rest[3 * (size_t)id.index] >= pulled_from;
  for (clv_id id = first_vertex(r->map); id.index; id = next_vertex(r->map, id))
    for (uint32_t k = 0; k < 3 && rest[3 * (size_t)id.index] >= pulled_from; k++)
      own[id.index].force[k] = force[k] / pulled;
  return own;
}

static void leave_to_parents(const refined *r, share *shares) {
  uint32_t slot, parents[4], count, all = 0;
  while (clv_body_hanging(r->body, all, &slot, parents)) all++;
  assert_true(all > 0);
  while (all-- > 0) { // children come behind their parents
    count = clv_body_hanging(r->body, all, &slot, parents);
    for (uint32_t p = 0; p < count; p++) {
      shares[parents[p]].mass += shares[slot].mass / count;
      for (uint32_t k = 0; k < 3; k++) shares[parents[p]].force[k] += shares[slot].force[k] / count;
    }
    shares[slot] = (share){0};
  }
}

static void pull_unevenly(clv_grid_kind kind, way how, uint64_t seed) {
  const double force[3] = {1, 2, -3}, from = 0.4, dt = 1e-3;
  body_setup setup = refined_setup(kind, "fem-linear");
  setup.def.program = laws;
  setup.section.material.young = 1e-6;
  refined r = refined_of(body_of(&setup), rules, seed);
  refined_refine_many(&r, 6, 3);
  const clv_zone zone = clv_zone_plane((double[]){from, 0, 0}, (double[]){1, 0, 0});
  clv_key path = {.time = 0};
  memcpy(path.value, force, sizeof force);
  assert_int_equal(clv_body_pull(r.body, &zone, &path, 1, NULL), CLV_OK);
  share *shares = own_shares(&r, &setup.section.material, from - 1e-9, force);
  leave_to_parents(&r, shares);
  clv_solver *solver = solver_of(r.body, how);
  step(solver, 0, dt);
  const double *v = clv_body_velocities(r.body);
  double slowest = INFINITY, fastest = 0;
  for (clv_id id = first_vertex(r.map); id.index; id = next_vertex(r.map, id)) {
    const share *one = &shares[id.index];
    if (one->mass == 0) continue; // it hangs
    assert_true(fabs(clv_body_masses(r.body)[id.index] - one->mass) <= 1e-12 * one->mass);
    for (uint32_t k = 0; k < 3; k++) {
      const double expected = dt * one->force[k] / one->mass, found = v[3 * (size_t)id.index + k];
      if (fabs(found - expected) > 1e-9 * dt * fabs(force[k]) / one->mass)
        fail_msg("%s by %s (%s): slot %u moves at %.17g, not %.17g", clv_grid_name(kind), clv_method_name(how.method),
                 clv_linear_name(how.linear), id.index, found, expected);
      slowest = fmin(slowest, fabs(expected));
      fastest = fmax(fastest, fabs(expected));
    }
  }
  assert_true(fastest > 2 * slowest);
  free(shares);
  clv_solver_destroy(solver);
  clv_body_destroy(r.body);
}

static void force_and_mass_go_to_the_parents_in_equal_shares(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++)
    for (uint32_t k = 0; k < WAYS; k++)
      if (clv_linear_available(ways[k].linear)) pull_unevenly(refined_grids[g], ways[k], 31 + g * 10 + k);
}

// In equilibrium: a force on a vertex that hangs does what its parts do on the parents.
static void statics_give_forces_to_the_parents(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++) {
    refined r[2];
    uint32_t slot = 0, parents[4], count = 0;
    for (uint32_t b = 0; b < 2; b++) {
      body_setup setup = refined_setup(refined_grids[g], "fem-linear");
      setup.def.program = laws;
      setup.def.plane = grid_is_surface(refined_grids[g]);
      r[b] = refined_of(body_of(&setup), rules, 5 + g);
      refined_refine_many(&r[b], 6, 3);
      const clv_zone wall = clv_zone_plane((double[]){0, 0, 0}, (double[]){-1, 0, 0});
      assert_int_equal(clv_body_fix(r[b].body, &wall, CLV_XYZ, NULL), CLV_OK);
      const double *rest = clv_body_rest(r[b].body);
      for (uint32_t k = 0; (count = clv_body_hanging(r[b].body, k, &slot, parents)); k++)
        if (rest[3 * (size_t)slot] > 0.3) break;
      assert_true(count > 0);
      for (uint32_t p = 0; p < (b ? count : 1); p++) {
        const clv_key path = {0, {b ? 30.0 / count : 30, b ? -20.0 / count : -20, 0}};
        const clv_zone at = clv_zone_nearest(rest + 3 * (size_t)(b ? parents[p] : slot));
        assert_int_equal(clv_body_pull(r[b].body, &at, &path, 1, NULL), CLV_OK);
      }
      clv_solver *solver = solver_of(r[b].body, (way){CLV_STATIC, CLV_LINEAR_ASSEMBLED});
      step(solver, 0, 1);
      clv_solver_destroy(solver);
    }
    const double *x[2] = {clv_body_positions(r[0].body), clv_body_positions(r[1].body)};
    double moved = 0;
    for (clv_id id = first_vertex(r[0].map); id.index; id = next_vertex(r[0].map, id))
      for (size_t k = 3 * (size_t)id.index; k < 3 * (size_t)id.index + 3; k++)
        moved = fmax(moved, fabs(x[0][k] - clv_body_rest(r[0].body)[k]));
    assert_true(moved > 1e-5);
    for (clv_id id = first_vertex(r[0].map); id.index; id = next_vertex(r[0].map, id))
      for (size_t k = 3 * (size_t)id.index; k < 3 * (size_t)id.index + 3; k++)
        assert_true(fabs(x[0][k] - x[1][k]) <= 1e-9 * moved);
    for (uint32_t b = 0; b < 2; b++) clv_body_destroy(r[b].body);
  }
}

// Forces of a refined body, given back to the vertices it had before, are those it had.

typedef struct tetrahedra {
  uint32_t count, corners[64][4], slots;
  double (*rest)[3];
} tetrahedra;

static tetrahedra remember(const refined *r) {
  tetrahedra t = {.slots = clv_body_slots(r->body)};
  t.rest = malloc(t.slots * sizeof *t.rest);
  assert_non_null(t.rest);
  memcpy(t.rest, clv_body_rest(r->body), t.slots * sizeof *t.rest);
  for (uint32_t row = 0; row < clv_cell_rows(r->map, CLV_TET); row++, t.count++)
    memcpy(t.corners[t.count], r->map->corners[CLV_TET] + 4 * row, sizeof t.corners[0]);
  return t;
}

static double volume_of(const double *a, const double *b, const double *c, const double *d) {
  double u[3], v[3], w[3];
  for (uint32_t k = 0; k < 3; k++) u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// The weights of a point in the tetrahedron that holds it.
static const uint32_t *weights_of(const tetrahedra *t, const double *p, double weights[4]) {
  for (uint32_t k = 0; k < t->count; k++) {
    const double *x[4];
    double least = 1;
    for (uint32_t c = 0; c < 4; c++) x[c] = t->rest[t->corners[k][c]];
    const double whole = volume_of(x[0], x[1], x[2], x[3]);
    for (uint32_t c = 0; c < 4; c++) {
      const double *y[4] = {x[0], x[1], x[2], x[3]};
      y[c] = p;
      weights[c] = volume_of(y[0], y[1], y[2], y[3]) / whole;
      least = fmin(least, weights[c]);
    }
    if (least > -1e-12) return t->corners[k];
  }
  fail_msg("a vertex lies in none of the tetrahedra");
  return NULL;
}

static const double some_map[3][3] = {{1.1, 0.2, -0.05}, {-0.1, 0.9, 0.15}, {0.07, -0.12, 1.05}};

static double *forces_of(clv_body *body) {
  double *forces = malloc(3 * (size_t)clv_body_slots(body) * sizeof *forces);
  assert_non_null(forces);
  if (clv_body_force(body, 0, forces) != CLV_OK) fail_msg("%s", clv_body_error(body));
  return forces;
}

static void refined_forces_are_the_coarse_ones(void **state) {
  (void)state;
  const double nowhere[3] = {0, 0, 0};
  for (uint64_t seed = 1; seed <= 6; seed++) {
    refined r = body_for(seed % 2 ? CLV_GRID_TET5 : CLV_GRID_TET6, seed % 3 ? "fem-linear" : "mass-tensor", seed);
    const tetrahedra t = remember(&r);
    body_move_affine(r.body, some_map, nowhere);
    double *coarse = forces_of(r.body);
    refined_refine_many(&r, 8, 3);
    body_move_affine(r.body, some_map, nowhere);
    double *fine = forces_of(r.body), *back = calloc(3 * (size_t)t.slots, sizeof *back);
    const double *rest = clv_body_rest(r.body);
    for (clv_id id = first_vertex(r.map); id.index; id = next_vertex(r.map, id)) {
      double weights[4];
      const uint32_t *corners = weights_of(&t, rest + 3 * id.index, weights);
      for (uint32_t c = 0; c < 4; c++)
        for (uint32_t k = 0; k < 3; k++) back[3 * corners[c] + k] += weights[c] * fine[3 * id.index + k];
    }
    const double scale = largest(coarse, 3 * (size_t)t.slots);
    for (uint32_t k = 3; k < 3 * t.slots; k++)
      if (fabs(back[k] - coarse[k]) > 1e-10 * scale)
        fail_msg("seed %u: number %u is %g, not %g", (unsigned)seed, k, back[k], coarse[k]);
    free(back);
    free(fine);
    free(coarse);
    free(t.rest);
    clv_body_destroy(r.body);
  }
}

// Refined and coarsened again, a body pushes back as before.
static void coarsening_gives_the_forces_back(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++)
    for (uint32_t m = 0; m < REFINED_MODELS; m++) {
      if (!refined_serves(refined_models[m], refined_grids[g])) continue;
      refined r = body_for(refined_grids[g], refined_models[m], 5 + m);
      const uint32_t slots = clv_body_slots(r.body);
      double *moved = malloc(3 * (size_t)slots * sizeof *moved);
      assert_non_null(moved);
      body_shake(r.body, 0.05, 3);
      memcpy(moved, clv_body_positions(r.body), 3 * (size_t)slots * sizeof *moved);
      double *before = forces_of(r.body);
      refined_refine_many(&r, 8, 3);
      refined_coarsen_all(&r);
      memcpy(clv_body_positions(r.body), moved, 3 * (size_t)slots * sizeof *moved);
      double *after = forces_of(r.body);
      const double scale = largest(before, 3 * (size_t)slots);
      for (uint32_t k = 3; k < 3 * slots; k++)
        if (fabs(after[k] - before[k]) > 1e-10 * scale)
          fail_msg("%s on %s: number %u is %g, not %g", refined_models[m], clv_grid_name(refined_grids[g]), k, after[k],
                   before[k]);
      free(moved);
      free(before);
      free(after);
      clv_body_destroy(r.body);
    }
}

// The patch test: where the outside is moved as a whole, the inside follows, whatever hangs in it.

static bool is_outside(const clv_body *body, const double *x) {
  const double size[3] = {1, 1.2, 0.9};
  const uint32_t axes = clv_body_map(body)->dimension;
  for (uint32_t k = 0; k < axes && k < 3; k++)
    if (x[k] < 1e-9 || x[k] > size[k] - 1e-9) return true;
  return false;
}

static void patch(clv_grid_kind kind, clv_linear linear, uint64_t seed) {
  body_setup setup = setup_of(kind, "fem-linear");
  setup.def.plane = grid_is_surface(kind);
  setup.def.program = laws;
  refined r = refined_of(body_of(&setup), rules, seed);
  const double nowhere[3] = {0, 0, 0}, flat[3][3] = {{1.1, 0.2, 0}, {-0.1, 0.9, 0}, {0, 0, 1}};
  const double(*by)[3] = setup.def.plane ? flat : some_map;
  refined_refine_many(&r, 6, 2);
  body_move_affine(r.body, by, nowhere);
  const double *rest = clv_body_rest(r.body);
  double *pos = clv_body_positions(r.body);
  for (clv_id id = first_vertex(r.map); id.index; id = next_vertex(r.map, id)) {
    const clv_zone zone = clv_zone_nearest(rest + 3 * id.index);
    if (is_outside(r.body, rest + 3 * id.index))
      assert_int_equal(clv_body_fix(r.body, &zone, CLV_XYZ, NULL), CLV_OK);
    else
      for (uint32_t c = 0; c < r.map->dimension; c++)
        pos[3 * id.index + c] += 0.01 * ((double)random_below(&r.random, 1000) / 500 - 1);
  }
  clv_solver *solver = solver_of(r.body, (way){CLV_STATIC, linear});
  step(solver, 0, 1);
  double most = 0;
  for (clv_id id = first_vertex(r.map); id.index; id = next_vertex(r.map, id))
    for (uint32_t c = 0; c < 3; c++) {
      double there = 0;
      for (uint32_t k = 0; k < 3; k++) there += by[c][k] * rest[3 * id.index + k];
      most = fmax(most, fabs(pos[3 * id.index + c] - there));
    }
  if (!(most < 1e-10)) fail_msg("%s, %s: off by %g", clv_grid_name(kind), clv_linear_name(linear), most);
  clv_solver_destroy(solver);
  clv_body_destroy(r.body);
}

static void statics_passes_the_patch_test(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++)
    for (int linear = CLV_LINEAR_MATRIX_FREE; linear < CLV_LINEAR_COUNT; linear++)
      if (clv_linear_available((clv_linear)linear)) patch(refined_grids[g], (clv_linear)linear, 3 + g);
}

// One implicit step of a shaken, clamped body, by each linear solver.
static void linear_solvers_agree(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++) {
    double *found[CLV_LINEAR_COUNT] = {NULL};
    uint32_t slots = 0;
    for (int linear = CLV_LINEAR_MATRIX_FREE; linear < CLV_LINEAR_COUNT; linear++) {
      if (!clv_linear_available((clv_linear)linear)) continue;
      refined r = body_for(refined_grids[g], "fem-corotational", 21);
      const clv_zone left = clv_zone_box((const double[3]){0, 0, 0}, (const double[3]){0, 2, 2});
      assert_int_equal(clv_body_fix(r.body, &left, CLV_XYZ, NULL), CLV_OK);
      refined_refine_many(&r, 6, 2);
      clv_solver *solver = solver_of(r.body, (way){CLV_IMPLICIT_EULER, (clv_linear)linear});
      double *vel = clv_body_velocities(r.body);
      slots = clv_body_slots(r.body);
      for (uint32_t k = 3; k < 3 * slots; k++)
        if (!(clv_body_held(r.body)[k / 3])) vel[k] = sin(k);
      for (uint32_t n = 0; n < 5; n++) step(solver, n * 1e-3, 1e-3);
      found[linear] = malloc(3 * (size_t)slots * sizeof(double));
      assert_non_null(found[linear]);
      memcpy(found[linear], clv_body_velocities(r.body), 3 * (size_t)slots * sizeof(double));
      clv_solver_destroy(solver);
      clv_body_destroy(r.body);
    }
    const double *one = found[CLV_LINEAR_MATRIX_FREE];
    for (int linear = CLV_LINEAR_ASSEMBLED; linear < CLV_LINEAR_COUNT; linear++)
      for (uint32_t k = 3; found[linear] && k < 3 * slots; k++)
        if (fabs(one[k] - found[linear][k]) > 1e-9)
          fail_msg("%s on %s: %g, not %g", clv_linear_name((clv_linear)linear), clv_grid_name(refined_grids[g]),
                   found[linear][k], one[k]);
    for (int linear = 0; linear < CLV_LINEAR_COUNT; linear++) free(found[linear]);
  }
}

// A clamped face stays clamped when it is refined, and what is moved goes on with its parents.
static void new_vertices_are_held_as_their_parents(void **state) {
  (void)state;
  const clv_key path[] = {{0, {0, 0, 0}}, {1, {0.5, 0.25, 0}}};
  for (uint32_t g = 0; g < REFINED_GRIDS; g++) {
    refined r = body_for(refined_grids[g], "fem-linear", 2);
    const clv_zone left = clv_zone_box((const double[3]){0, 0, 0}, (const double[3]){0, 2, 2}),
                   right = clv_zone_box((const double[3]){1, 0, 0}, (const double[3]){1, 2, 2});
    assert_int_equal(clv_body_fix(r.body, &left, CLV_XYZ, NULL), CLV_OK);
    assert_int_equal(clv_body_move(r.body, &right, CLV_X | CLV_Y, path, 2, NULL), CLV_OK);
    refined_refine_many(&r, 10, 2);
    clv_body_place(r.body, 0.5);
    const uint32_t *held = clv_body_held(r.body);
    const double *rest = clv_body_rest(r.body), *pos = clv_body_positions(r.body), *mass = clv_body_masses(r.body);
    uint32_t fixed = 0, moved = 0;
    for (clv_id id = first_vertex(r.map); id.index; id = next_vertex(r.map, id)) {
      const double *x = rest + 3 * id.index, *now = pos + 3 * id.index;
      const bool is_left = x[0]<1e-9, is_right = x[0]> 1 - 1e-9;
      if (mass[id.index] > 0) assert_int_equal(held[id.index], is_left ? CLV_XYZ : is_right ? (CLV_X | CLV_Y) : 0);
      if (is_right) assert_true(fabs(now[0] - x[0] - 0.25) < 1e-12 && fabs(now[1] - x[1] - 0.125) < 1e-12);
      fixed += is_left;
      moved += is_right;
    }
    assert_true(fixed > 3 && moved > 3);
    clv_body_destroy(r.body);
  }
}

// The same bits on one, two and four threads.
static void threads_change_nothing(void **state) {
  (void)state;
  static const way some[] = {{CLV_SYMPLECTIC_EULER, CLV_LINEAR_AUTO},
                             {CLV_IMPLICIT_EULER, CLV_LINEAR_MATRIX_FREE},
                             {CLV_IMPLICIT_EULER, CLV_LINEAR_ASSEMBLED}};
  for (uint32_t g = 0; g < REFINED_GRIDS; g++)
    for (uint32_t w = 0; w < 3; w++) {
      double *first = NULL;
      for (uint32_t threads = 1; threads <= 4; threads *= 2) {
        body_setup setup = setup_of(refined_grids[g], "fem-corotational");
        setup.def.threads = threads;
        setup.def.program = laws;
        refined r = refined_of(body_of(&setup), rules, 8);
        body_shake(r.body, 0.01, 5);
        clv_solver *solver = solver_of(r.body, some[w]);
        for (uint32_t n = 0; n < 6; n++) {
          refined_refine_some(&r, 2);
          step(solver, n * 1e-5, 1e-5);
        }
        const size_t size = 3 * (size_t)clv_body_slots(r.body) * sizeof(double);
        if (!first) {
          first = malloc(size);
          assert_non_null(first);
          memcpy(first, clv_body_positions(r.body), size);
        }
        assert_memory_equal(clv_body_positions(r.body), first, size);
        clv_solver_destroy(solver);
        clv_body_destroy(r.body);
      }
      free(first);
    }
}

// Commits told again by a journal, and values copied, as a saved world does it: a body goes on with the same bits.

static void copy_columns(const clv_map *from, const clv_map *to) {
  const clv_column *column;
  for (uint32_t k = 0; (column = clv_column_list(from, k)); k++)
    for (uint32_t kind = CLV_NONE; kind <= CLV_POLYHEDRON; kind++) {
      const bool crossing = clv_orbit_dims(from, clv_column_get_def(column)->orbit) >> from->dimension & 1u;
      if (crossing != (kind == CLV_NONE)) continue;
      uint32_t count = 0, same = 0;
      const void *data = clv_column_data(column, (clv_kind)kind, &count);
      void *there = clv_column_data(clv_column_list(to, k), (clv_kind)kind, &same);
      assert_int_equal(count, same);
      if (count) memcpy(there, data, count * clv_column_size(column));
    }
}

static void bodies_told_again_go_on_with_the_same_bits(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++)
    for (uint32_t k = 0; k < WAYS; k++) {
      if (!clv_linear_available(ways[k].linear)) continue;
      refined r = body_for(refined_grids[g], "fem-corotational", 6),
              again = body_for(refined_grids[g], "fem-corotational", 6);
      clv_solver *solver = solver_of(r.body, ways[k]), *other = solver_of(again.body, ways[k]);
      clv_journal *journal = clv_journal_create(r.map);
      assert_non_null(journal);
      body_shake(r.body, 0.01, 9);
      for (uint32_t n = 0; n < 12; n++) {
        if (n == 8)
          refined_coarsen_some(&r);
        else if (n % 2 == 0)
          refined_refine_some(&r, 2);
        step(solver, n * 1e-5, 1e-5);
      }
      if (clv_journal_replay(journal, again.map) != CLV_OK) fail_msg("%s", clv_map_error(again.map));
      copy_columns(r.map, again.map);
      const char *name;
      double *values, *there;
      size_t count, same;
      for (uint32_t m = 0; clv_solver_memory(solver, m, &name, &values, &count); m++) {
        assert_true(clv_solver_memory(other, m, &name, &there, &same) && count == same);
        memcpy(there, values, count * sizeof *values);
      }
      for (uint32_t n = 12; n < 17; n++) {
        step(solver, n * 1e-5, 1e-5);
        step(other, n * 1e-5, 1e-5);
      }
      const size_t size = 3 * (size_t)clv_body_slots(r.body) * sizeof(double);
      if (memcmp(clv_body_positions(r.body), clv_body_positions(again.body), size) != 0)
        fail_msg("%s by %s (%s) goes on differently", clv_grid_name(refined_grids[g]), clv_method_name(ways[k].method),
                 clv_linear_name(ways[k].linear));
      clv_journal_destroy(journal);
      clv_solver_destroy(solver);
      clv_solver_destroy(other);
      clv_body_destroy(r.body);
      clv_body_destroy(again.body);
    }
}

// A refinement during which memory runs out at any point leaves a body that is sound, and goes on.
static void memory_may_run_out(void **state) {
  (void)state;
  for (uint32_t g = 0; g < REFINED_GRIDS; g++) {
    uint32_t refusals = 0;
    for (size_t at = 1;; at += 1 + at / 16) {
      counting_memory memory = {0};
      body_setup setup = refined_setup(refined_grids[g], "springs");
      setup.def.program = laws;
      setup.def.allocator = counting_allocator(&memory);
      refined r = refined_of(body_of(&setup), rules, 4);
      refined_refine_many(&r, 2, 2);
      clv_solver *solver = solver_of(r.body, (way){CLV_SYMPLECTIC_EULER, CLV_LINEAR_AUTO});
      memory.requests = 0;
      memory.fail_at = at;
      const clv_dart cell = clv_id_dart(r.map, CLV_CELL, clv_id_next(r.map, CLV_CELL, (clv_id){0, 0}));
      const clv_kind kind = clv_cell_shape(r.map, cell);
      static const char *const names[CLV_TEMPLATE_LAST + 1] = {
          [CLV_TET] = "refine_tet", [CLV_HEX] = "refine_hex", [CLV_TRI] = "refine_face", [CLV_QUAD] = "refine_quad"};
      const clv_rule_argument arguments[2] = {dart_argument(clv_id_of(r.map, CLV_CELL, cell).index << 6),
                                              number_argument(refined_cell_level(&r, cell))};
      assert_int_equal(clv_map_begin(r.map), CLV_OK);
      clv_result result = clv_rule_apply(rule_of(rules, names[kind]), r.map, arguments, 2, NULL, NULL);
      if (result == CLV_OK) result = clv_map_commit(r.map);
      if (result != CLV_OK) clv_map_rollback(r.map);
      const bool stepped = clv_solver_step(solver, 0, 1e-6, NULL) == CLV_OK;
      const bool refused = memory.refused;
      memory.fail_at = 0;
      refined_check(&r, "a failure");
      if (!stepped) step(solver, 0, 1e-6);
      assert_true(deformation(&r) < 1e-12);
      refusals += refused;
      clv_solver_destroy(solver);
      clv_body_destroy(r.body);
      assert_int_equal(memory.live_bytes, 0);
      if (!refused) break;
    }
    assert_true(refusals > 20);
  }
}

int main(void) {
  rules = program_of_module("topology");
  laws = beam_program();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_fall_deforms_nothing),
      cmocka_unit_test(force_and_mass_go_to_the_parents_in_equal_shares),
      cmocka_unit_test(statics_give_forces_to_the_parents),
      cmocka_unit_test(refined_forces_are_the_coarse_ones),
      cmocka_unit_test(coarsening_gives_the_forces_back),
      cmocka_unit_test(statics_passes_the_patch_test),
      cmocka_unit_test(linear_solvers_agree),
      cmocka_unit_test(new_vertices_are_held_as_their_parents),
      cmocka_unit_test(threads_change_nothing),
      cmocka_unit_test(bodies_told_again_go_on_with_the_same_bits),
      cmocka_unit_test(memory_may_run_out),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clv_program_destroy(rules);
  clv_program_destroy(laws);
  return failed;
}
