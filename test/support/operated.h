// Bodies under surgery: what must hold after every operation, whatever it was.

#ifndef CLEAVE_TEST_SUPPORT_OPERATED_H
#define CLEAVE_TEST_SUPPORT_OPERATED_H

#include "cleave/surgery.h"
#include "physics/body.h"
#include "physics/hanging.h"
#include "solve/solver.h"
#include "support/beam.h"
#include "support/random.h"

#include <math.h>
#include <stdlib.h>

static inline void operated_problem(void *user, const clv_problem *problem) {
  (void)user;
  print_error("map: %s: %s\n", problem->condition, problem->message);
}

static inline void operated_difference(void *user, const char *what) {
  (void)user;
  print_error("views: %s\n", what);
}

// What was followed may not know the cell it was found in, or how many there are; what it knows is true.
static inline void operated_check_alike(const physics_hanging *followed, const physics_hanging *anew) {
  assert_int_equal(followed->slot, anew->slot);
  assert_int_equal(followed->level, anew->level);
  assert_int_equal(followed->count, anew->count);
  assert_memory_equal(followed->parents, anew->parents, followed->count * sizeof *followed->parents);
  if (followed->cell) assert_int_equal(followed->cell, anew->cell);
  if (followed->cells) assert_int_equal(followed->cells, anew->cells);
}

// What hangs is in the table that would be made anew, and slots weigh by themselves what all weigh together.
static inline void operated_check_hanging(clv_body *body) {
  physics_hangings *h = body->hanging;
  assert_int_equal(physics_hanging_ready(body), CLV_OK);
  const uint32_t count = h->table.count;
  physics_hanging *copy = malloc((count + 1) * sizeof *copy);
  assert_non_null(copy);
  if (count) memcpy(copy, h->table.data, count * sizeof *copy);
  for (uint32_t again = 0; again < 2; again++) {
    const double *masses = clv_body_masses(body);
    for (uint32_t s = 1; s < clv_body_slots(body); s++)
      if (clv_id_next(clv_body_map(body), CLV_VERTEX, (clv_id){s - 1, 0}).index == s &&
          physics_weight(body, s) != masses[s])
        fail_msg("slot %u weighs %.17g alone and %.17g among all", s, physics_weight(body, s), masses[s]);
    h->stale = h->disorder = true;
    assert_int_equal(physics_hanging_ready(body), CLV_OK);
  }
  assert_int_equal(h->table.count, count);
  for (uint32_t k = 0; k < count; k++) operated_check_alike(&copy[k], &h->table.data[k]);
  free(copy);
}

// What the solver has followed is what it would find if it looked at everything.
static inline void operated_check_followed(clv_solver *solver) {
  assert_int_equal(clv_solver_follow(solver), CLV_OK);
  const double *masses = clv_body_masses(solver->body), *inverse = solver->vectors[SOLVE_INVERSE].data;
  const uint32_t *held = clv_body_held(solver->body);
  uint32_t listed = 0;
  for (size_t s = 1; s < clv_body_slots(solver->body); s++)
    for (size_t c = 0; c < 3; c++) {
      const bool is_free = masses[s] > 0 && !(held[s] >> c & 1u);
      assert_true(inverse[3 * s + c] == (is_free ? 1 / masses[s] : 0));
      listed += !is_free && masses[s] > 0;
    }
  assert_int_equal(solver->held.count, listed);
}

// The map is valid, and the views are what they would be if they were built now.
static inline void operated_check(clv_body *body) {
  assert_int_equal(clv_map_check(clv_body_map(body), operated_problem, NULL), CLV_OK);
  assert_int_equal(clv_views_check(clv_body_views(body), operated_difference, NULL), CLV_OK);
  operated_check_hanging(body);
}

// Each column has a value at every orbit it lives on, and numbers are numbers.
static inline void operated_check_embedded(clv_body *body) {
  const clv_map *view = clv_body_map(body);
  const clv_column *column;
  for (clv_dart dart = clv_dart_next(view, 0); dart; dart = clv_dart_next(view, dart))
    for (uint32_t c = 0; (column = clv_column_list(view, c)); c++) {
      const clv_column_def *def = clv_column_get_def(column);
      const double *value = clv_column_at(column, dart);
      assert_non_null(value);
      for (uint32_t k = 0; def->type == CLV_DOUBLE && k < def->components; k++)
        if (!isfinite(value[k])) fail_msg("'%s' is %g at dart %u", def->name, value[k], dart);
    }
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
