// Bodies operated on by rules, beside bodies operated on by hand.

#ifndef CLEAVE_TEST_SUPPORT_RULED_H
#define CLEAVE_TEST_SUPPORT_RULED_H

#include "support/patients.h"
#include "support/rules.h"

enum { MOST_PARAMS = 4 };

typedef struct param {
  const char *name;
  double values[3];
  uint32_t count;
} param;

// The module with parameters, up to the first without a name.
static inline clv_program *program_with(const param *params, uint32_t count) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_use(program, "surgery"), CLV_OK);
  for (uint32_t k = 0; k < count && params[k].name; k++)
    assert_int_equal(clv_program_set_param(program, params[k].name, params[k].values, params[k].count), CLV_OK);
  const clv_result result = clv_program_check(program);
  if (result != CLV_OK) print_diagnostics(program);
  assert_int_equal(result, CLV_OK);
  return program;
}

static inline clv_surgery_report applied(clv_surgery *surgery, const clv_program *program, const char *rule,
                                         clv_orbit on, clv_zone zone) {
  const clv_apply apply = {.rule = rule_of(program, rule), .on = on, .zone = zone};
  clv_surgery_report report;
  if (clv_surgery_apply(surgery, &apply, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return report;
}

static inline void assert_same_shape(clv_body *a, clv_body *b) {
  clv_map_info one, two;
  assert_int_equal(clv_map_count(clv_body_map(a), &one), CLV_OK);
  assert_int_equal(clv_map_count(clv_body_map(b), &two), CLV_OK);
  assert_memory_equal(one.cells, two.cells, sizeof one.cells);
  assert_int_equal(one.components, two.components);
  assert_int_equal(one.boundary_facets, two.boundary_facets);
  operated_check(a);
  operated_check(b);
}

// Two bodies, one operated on by hand, the other by rules.
typedef struct pair {
  clv_body *body[2];
  clv_surgery *surgery[2];
  clv_solver *solver[2];
  double step; // s
} pair;

// No two diagonals of a tetrahedron are of one length.
static inline clv_body *crooked_of(clv_grid_kind kind, const char *model) {
  beam b = beam_default();
  b.kind = kind;
  b.model = model;
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){3, 2, is_flat(kind) ? 0 : 2}, sizeof b.cells);
  memcpy(b.size, (double[]){3, 2, is_flat(kind) ? 0 : 2}, sizeof b.size);
  clv_mesh mesh;
  clv_section section;
  clv_error error = {0};
  beam_mesh(&b, &mesh);
  random_source random = {7};
  for (size_t p = 0; p < mesh.point_count; p++)
    for (uint32_t k = 0; k < (is_flat(kind) ? 2u : 3u); k++) mesh.points[p][k] += 0.001 * random_below(&random, 100);
  const clv_body_def def = beam_def(&b, &mesh, &section);
  clv_body *body = clv_body_create(&def, NULL, &error);
  if (!body) fail_msg("%s", error.message);
  clv_mesh_free(&mesh);
  return body;
}

static inline pair pair_by(clv_body *first, clv_body *second, clv_method method) {
  pair p = {.body = {first, second}, .step = method == CLV_IMPLICIT_EULER ? 1e-2 : 1e-4};
  for (uint32_t b = 0; b < 2; b++) {
    p.surgery[b] = operated_surgery(p.body[b]);
    const clv_solver_def def = beam_method(method);
    p.solver[b] = beam_solver(p.body[b], &def);
    beam_strike(p.body[b], 0.1);
  }
  return p;
}

static inline pair pair_with(clv_body *first, clv_body *second) {
  return pair_by(first, second, CLV_IMPLICIT_EULER);
}

// Finite elements and springs, implicit and explicit.
enum { PAIR_WAYS = 4 };

static inline bool pair_may_be(clv_grid_kind kind, uint32_t way) {
  return kind != CLV_GRID_MIXED || way % 2 == 0; // pyramids are no matter of springs
}

static inline pair pair_in(clv_grid_kind kind, uint32_t way) {
  const char *model = way % 2 ? "springs" : "fem-corotational";
  return pair_by(crooked_of(kind, model), crooked_of(kind, model), way / 2 ? CLV_SYMPLECTIC_EULER : CLV_IMPLICIT_EULER);
}

static inline pair pair_of(clv_grid_kind kind) {
  return pair_with(crooked_of(kind, "fem-corotational"), crooked_of(kind, "fem-corotational"));
}

static inline void pair_free(pair *p) {
  for (uint32_t b = 0; b < 2; b++) {
    clv_solver_destroy(p->solver[b]);
    clv_surgery_destroy(p->surgery[b]);
    clv_body_destroy(p->body[b]);
  }
}

// The slot of the other body's vertex that rests at the same place; where there are several, copies of one that was
// parted, the one that is most alike.
static inline uint32_t same_vertex(const pair *p, uint32_t slot) {
  const double *a = clv_body_rest(p->body[0]) + 3 * (size_t)slot,
               *x = clv_body_positions(p->body[0]) + 3 * (size_t)slot;
  const double *masses = clv_body_masses(p->body[1]), mass = clv_body_masses(p->body[0])[slot];
  const clv_map *map = clv_body_map(p->body[1]);
  uint32_t best = 0;
  double least = INFINITY;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *b = clv_body_rest(p->body[1]) + 3 * (size_t)id.index;
    const double *y = clv_body_positions(p->body[1]) + 3 * (size_t)id.index;
    if (fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]) > 1e-9) continue;
    const double unlike = fabs(masses[id.index] - mass) + fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]);
    if (unlike >= least) continue;
    least = unlike;
    best = id.index;
  }
  if (!best) fail_msg("no vertex rests at (%g, %g, %g)", a[0], a[1], a[2]);
  return best;
}

static inline void assert_same_bodies(const pair *p, const char *after) {
  assert_same_shape(p->body[0], p->body[1]);
  const double *masses[2] = {clv_body_masses(p->body[0]), clv_body_masses(p->body[1])};
  const clv_map *map = clv_body_map(p->body[0]);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const uint32_t other = same_vertex(p, id.index);
    if (fabs(masses[0][id.index] - masses[1][other]) > 1e-9 * masses[0][id.index])
      fail_msg("%s: masses %.17g and %.17g", after, masses[0][id.index], masses[1][other]);
    for (uint32_t k = 0; k < 3; k++) {
      const double a = clv_body_positions(p->body[0])[3 * (size_t)id.index + k];
      const double b = clv_body_positions(p->body[1])[3 * (size_t)other + k];
      if (fabs(a - b) > 1e-7) fail_msg("%s: a vertex is at %.17g and at %.17g", after, a, b);
    }
  }
}

static inline void assert_same_velocities(const pair *p, const char *after) {
  const clv_map *map = clv_body_map(p->body[0]);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *a = clv_body_velocities(p->body[0]) + 3 * (size_t)id.index;
    const double *b = clv_body_velocities(p->body[1]) + 3 * (size_t)same_vertex(p, id.index);
    for (uint32_t k = 0; k < 3; k++)
      if (fabs(a[k] - b[k]) > 1e-9) fail_msg("%s: a vertex moves by %.17g and by %.17g", after, a[k], b[k]);
  }
}

// Both maps had the same darts, and cuts keep them.
static inline void assert_same_facets(const pair *p, const char *what) {
  const clv_map *one = clv_body_map(p->body[0]), *other = clv_body_map(p->body[1]);
  uint32_t different = 0;
  clv_dart dart = clv_dart_next(one, 0);
  for (; dart; dart = clv_dart_next(one, dart)) {
    assert_true(clv_dart_alive(other, dart));
    different += clv_alpha(one, dart, one->dimension) != clv_alpha(other, dart, one->dimension);
  }
  if (different) fail_msg("%s: %u darts are sewn in one body and free in the other", what, different);
  assert_same_shape(p->body[0], p->body[1]);
}

static inline clv_body *model_body(clv_grid_kind kind, const char *model) {
  beam b = beam_default();
  b.kind = kind;
  b.model = model;
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){4, 2, is_flat(kind) ? 0 : 2}, sizeof b.cells);
  memcpy(b.size, (double[]){4, 2, is_flat(kind) ? 0 : 2}, sizeof b.size);
  return beam_create(&b);
}

static inline void steps(pair *p) {
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t b = 0; b < 2; b++) beam_step(p->solver[b], p->step * k, p->step);
}

static inline clv_surgery_report applied_at_level(clv_surgery *surgery, const clv_program *program, const char *rule,
                                                  uint32_t level, clv_zone zone) {
  const clv_apply apply = {.rule = rule_of(program, rule), .on = CLV_CELL, .level = level, .zone = zone};
  clv_surgery_report report;
  if (clv_surgery_apply(surgery, &apply, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  if (!report.applied) fail_msg("%s: %s", rule, clv_surgery_error(surgery));
  return report;
}

#endif
