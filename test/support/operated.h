// Bodies under surgery: what must hold after every operation, whatever it was.

#ifndef CLEAVE_TEST_SUPPORT_OPERATED_H
#define CLEAVE_TEST_SUPPORT_OPERATED_H

#include "cleave/surgery.h"
#include "support/beam.h"
#include "support/random.h"

#include <math.h>

static inline void operated_problem(void *user, const clv_problem *problem) {
  (void)user;
  print_error("map: %s: %s\n", problem->condition, problem->message);
}

static inline void operated_difference(void *user, const char *what) {
  (void)user;
  print_error("views: %s\n", what);
}

// The map is valid, and the views are what they would be if they were built now.
static inline void operated_check(clv_body *body) {
  assert_int_equal(clv_map_check(clv_body_map(body), operated_problem, NULL), CLV_OK);
  assert_int_equal(clv_views_check(clv_body_views(body), operated_difference, NULL), CLV_OK);
}

static inline double operated_mass(const clv_body *body) {
  clv_momenta m;
  clv_body_momenta(body, &m);
  return m.mass;
}

static inline clv_surgery *operated_surgery(clv_body *body) {
  clv_error error = {0};
  clv_surgery *surgery = clv_surgery_create(body, &error);
  if (!surgery) fail_msg("%s", error.message);
  return surgery;
}

static inline clv_surgery_report operated_cut(clv_surgery *surgery, const clv_cut *cut) {
  clv_surgery_report report;
  if (clv_surgery_cut(surgery, cut, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return report;
}

static inline clv_surgery_report operated_cut_zone(clv_surgery *surgery, clv_zone zone) {
  return operated_cut(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = zone});
}

static inline clv_surgery_report operated_remove(clv_surgery *surgery, clv_zone zone) {
  clv_surgery_report report;
  if (clv_surgery_remove(surgery, &zone, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return report;
}

static inline uint32_t operated_cells(const clv_body *body) {
  uint32_t cells = 0;
  for (int kind = CLV_TRI; kind <= CLV_POLYHEDRON; kind++) cells += clv_cell_count(clv_body_map(body), (clv_kind)kind);
  return cells;
}

static inline uint64_t operated_components(const clv_body *body) {
  clv_map_info info;
  assert_int_equal(clv_map_count(clv_body_map(body), &info), CLV_OK);
  return info.components;
}

// Moves particles about, the same way wherever they are numbered: a state that strains every element.
static inline void operated_deform(clv_body *body, double by) {
  const double *rest = clv_body_rest(body);
  double *x = clv_body_positions(body), *v = clv_body_velocities(body);
  for (size_t s = 0; s < clv_body_slots(body); s++)
    for (size_t k = 0; k < 3; k++) {
      const double phase = 13 * rest[3 * s] + 7 * rest[3 * s + 1] + 5 * rest[3 * s + 2] + (double)k;
      x[3 * s + k] = rest[3 * s + k] + by * sin(phase);
      v[3 * s + k] = by * cos(2 * phase);
    }
}

#endif
