// Bodies operated on by rules, beside bodies operated on by hand.

#ifndef CLEAVE_TEST_SUPPORT_RULED_H
#define CLEAVE_TEST_SUPPORT_RULED_H

#include "support/patients.h"
#include "support/rules.h"

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
} pair;

// No two diagonals of a tetrahedron are of one length.
static inline clv_body *crooked_body(clv_grid_kind kind) {
  beam b = beam_default();
  b.kind = kind;
  b.model = "fem-corotational";
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

static inline pair pair_with(clv_body *first, clv_body *second) {
  pair p = {.body = {first, second}};
  for (uint32_t b = 0; b < 2; b++) {
    p.surgery[b] = operated_surgery(p.body[b]);
    const clv_solver_def def = beam_method(CLV_IMPLICIT_EULER);
    p.solver[b] = beam_solver(p.body[b], &def);
    beam_strike(p.body[b], 0.1);
  }
  return p;
}

static inline pair pair_of(clv_grid_kind kind) {
  return pair_with(crooked_body(kind), crooked_body(kind));
}

static inline void pair_free(pair *p) {
  for (uint32_t b = 0; b < 2; b++) {
    clv_solver_destroy(p->solver[b]);
    clv_surgery_destroy(p->surgery[b]);
    clv_body_destroy(p->body[b]);
  }
}

// The slot of the other body's vertex that rests at the same place and has the same number of corners.
static inline uint32_t same_vertex(const pair *p, uint32_t slot) {
  const double *a = clv_body_rest(p->body[0]) + 3 * (size_t)slot;
  const clv_map *map = clv_body_map(p->body[1]);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *b = clv_body_rest(p->body[1]) + 3 * (size_t)id.index;
    if (fabs(a[0] - b[0]) + fabs(a[1] - b[1]) + fabs(a[2] - b[2]) < 1e-9) return id.index;
  }
  fail_msg("no vertex rests at (%g, %g, %g)", a[0], a[1], a[2]);
  return 0;
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

static inline void steps(pair *p) {
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t b = 0; b < 2; b++) beam_step(p->solver[b], 0.01 * k, 0.01);
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
