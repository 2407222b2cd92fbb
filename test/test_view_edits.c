// After every random edit, each view equals the one that is built from scratch: row by row, and in the sums it produces.
//
// soak: yes
//
// usage: test_view_edits [--soak] [--seed S]    (with a seed: that sequence alone)

#include "support/edits.h"
#include "support/hand_views.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { EDITS = 3000, SOAK_EDITS = 200000, SEQUENCE = 250 };

typedef struct options {
  uint64_t edits, seed, done[EDIT_COUNT], total;
} options;

typedef struct complaint {
  uint64_t seed, edit;
} complaint;

static void complain(void *user, const char *what) {
  const complaint *c = user;
  print_error("seed %llu, edit %llu: %s\n", (unsigned long long)c->seed, (unsigned long long)c->edit, what);
}

static void report_problem(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

// Positions that no edit knows of: forces read them as they are.
static void move(clv_map *map) {
  double *pos = clv_column_data(clv_column_find(map, "pos"), CLV_NONE, NULL);
  double *vel = clv_column_data(clv_column_find(map, "vel"), CLV_NONE, NULL);
  const uint32_t slots = clv_id_slots(map, CLV_VERTEX);
  for (uint32_t k = 0; k < 3 * slots; k++) {
    pos[k] = sin(1.7 * k) + 0.01 * k;
    vel[k] = cos(2.3 * k);
  }
}

static void assert_near(double a, double b, const complaint *c, const char *what) {
  if (isnan(a) && isnan(b)) return;
  if (!(fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b))))
    fail_msg("seed %llu, edit %llu: %s: %.17g and %.17g", (unsigned long long)c->seed, (unsigned long long)c->edit,
             what, a, b);
}

// The sums of views that were kept current against those of fresh ones; and every derived value.
static void compare_sums(clv_map *map, clv_views *views, const complaint *c) {
  const clv_views_def def = clv_default_views_def();
  static const char *const derived[] = {"m", "mass", "ks"};
  const uint32_t slots = clv_id_slots(map, CLV_VERTEX);
  double *values[3], *forces[4], energy[2] = {0};
  uint32_t darts = 0;
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) darts++;
  for (uint32_t k = 0; k < 3; k++) {
    values[k] = calloc(darts + 1, sizeof(double));
    assert_non_null(values[k]);
    uint32_t at = 0;
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d))
      values[k][at++] = *(const double *)clv_column_at(clv_column_find(map, derived[k]), d);
  }
  for (uint32_t k = 0; k < 4; k++) {
    forces[k] = calloc(3 * slots + 1, sizeof(double));
    assert_non_null(forces[k]);
  }
  move(map);
  double *vel = clv_column_data(clv_column_find(map, "vel"), CLV_NONE, NULL);
  assert_int_equal(clv_views_force(views, forces[0]), CLV_OK);
  assert_int_equal(clv_views_force_along(views, vel, vel, forces[2]), CLV_OK);
  assert_int_equal(clv_views_energy(views, &energy[0]), CLV_OK);
  clv_error error = {0};
  clv_views *fresh = hand_views(map, &def, &error);
  if (!fresh) fail_msg("%s", error.message);
  assert_int_equal(clv_views_rows(views, NULL), clv_views_rows(fresh, NULL));
  assert_int_equal(clv_views_force(fresh, forces[1]), CLV_OK);
  assert_int_equal(clv_views_force_along(fresh, vel, vel, forces[3]), CLV_OK);
  assert_int_equal(clv_views_energy(fresh, &energy[1]), CLV_OK);
  for (uint32_t k = 0; k < 3 * slots; k++) {
    assert_near(forces[0][k], forces[1][k], c, "force");
    assert_near(forces[2][k], forces[3][k], c, "force along a direction");
  }
  assert_near(energy[0], energy[1], c, "energy");
  for (uint32_t k = 0; k < 3; k++) { // the fresh views have derived everything anew
    uint32_t at = 0;
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d))
      assert_near(values[k][at++], *(const double *)clv_column_at(clv_column_find(map, derived[k]), d), c, derived[k]);
    free(values[k]);
  }
  for (uint32_t k = 0; k < 4; k++) free(forces[k]);
  clv_views_destroy(fresh);
}

static void run_sequence(options *o, uint64_t seed) {
  clv_map_def map_def = clv_default_map_def();
  map_def.dimension = 2 + (uint32_t)(seed & 1u);
  clv_map *map = clv_map_create(&map_def, NULL);
  const clv_views_def def = clv_default_views_def();
  clv_error error = {0};
  clv_views *views = hand_views(map, &def, &error);
  if (!views) fail_msg("%s", error.message);
  editor e = {.map = map, .random = {seed}, .orientable = seed % 5 != 0, .small = 100, .large = 400};
  complaint c = {seed, 0};
  while (e.edits < SEQUENCE) {
    const bool committed = editor_transaction(&e);
    c.edit = e.edits;
    if (!committed) continue;
    assert_false(clv_views_stale(views));
    if (clv_views_check(views, complain, &c) != CLV_OK) fail_msg("%s", clv_views_error(views));
    // On a one-sided map an oriented law has no meaning, and depends on where one starts.
    if (random_chance(&e.random, 10) && clv_map_orientable(map)) compare_sums(map, views, &c);
  }
  assert_int_equal(clv_map_check(map, report_problem, NULL), CLV_OK);
  for (uint32_t k = 0; k < EDIT_COUNT; k++) o->done[k] += e.done[k];
  o->total += e.edits;
  editor_free(&e);
  clv_views_destroy(views);
  clv_map_destroy(map);
}

static void views_follow_every_edit(void **state) {
  options *o = *state;
  if (o->seed) {
    run_sequence(o, o->seed);
    return;
  }
  for (uint64_t seed = 1; o->total < o->edits; seed++) run_sequence(o, seed);
  // A test that stopped trying something would still pass.
  for (uint32_t k = 0; k < EDIT_COUNT; k++)
    if (o->done[k] < o->total / 200) fail_msg("edit %u was done %llu times only", k, (unsigned long long)o->done[k]);
}

int main(int argc, char **argv) {
  options o = {.edits = EDITS};
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) {
      o.edits = SOAK_EDITS;
    } else if (!strcmp(argv[k], "--seed") && k + 1 < argc) {
      o.seed = strtoull(argv[++k], NULL, 10);
    } else {
      fprintf(stderr, "usage: test_view_edits [--soak] [--seed S]\n");
      return 2;
    }
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(views_follow_every_edit, &o)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
