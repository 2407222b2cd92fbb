// Many cells removed in one commit: what is derived then is added up in one pass over the body, and is what it is when
// it is derived from scratch. Where nothing happened, not a bit changes.

#include "support/bodies.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// A derived column before a commit, and which of its orbits the commit named.
typedef struct witness {
  const clv_column *column;
  uint32_t dims, count;
  double *values;
  bool *named;
} witness;

// What is derived of the body, and on which orbits.
typedef struct subject {
  const char *column;
  clv_orbit orbit;
} subject;

static void watch(witness *w, clv_map *map, subject what) {
  w->column = clv_column_find(map, what.column);
  assert_non_null(w->column);
  w->dims = clv_orbit_dims(map, what.orbit);
  const double *values = clv_column_data(w->column, CLV_NONE, &w->count);
  w->values = malloc(w->count * sizeof *w->values);
  w->named = calloc(w->count, sizeof *w->named);
  assert_true(w->values && w->named);
  memcpy(w->values, values, w->count * sizeof *w->values);
}

static void hear(void *user, const clv_map *map, const clv_commit *commit) {
  witness *w = user;
  (void)map;
  for (uint32_t k = 0; k < commit->event_count; k++)
    if (commit->events[k].dims == w->dims && commit->events[k].id.index < w->count)
      w->named[commit->events[k].id.index] = true;
}

// How many orbits the commit did not name.
static uint32_t assert_rest_is_same(witness *w) {
  const uint8_t *values = clv_column_data(w->column, CLV_NONE, NULL);
  uint32_t same = 0;
  for (uint32_t k = 1; k < w->count; k++) {
    if (w->named[k]) continue;
    assert_memory_equal(values + k * sizeof *w->values, &w->values[k], sizeof *w->values);
    same++;
  }
  free(w->values);
  free(w->named);
  return same;
}

static void print_difference(void *user, const char *what) {
  (void)user;
  print_error("%s\n", what);
}

static void check(clv_body *body) {
  assert_int_equal(clv_map_check(clv_body_map(body), NULL, NULL), CLV_OK);
  assert_int_equal(clv_views_check(clv_body_views(body), print_difference, NULL), CLV_OK);
}

static clv_kind kind_in(const clv_map *map) {
  uint32_t kind = CLV_TRI;
  while (!clv_cell_count(map, (clv_kind)kind)) kind++;
  return (clv_kind)kind;
}

// Every so many cells one.
static void remove_cells(clv_map *map, uint32_t first, uint32_t stride) {
  const clv_kind kind = kind_in(map);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  for (uint32_t row = first; row < clv_cell_rows(map, kind); row += stride)
    if (clv_cell_at(map, kind, row)) assert_int_equal(clv_map_remove_cell(map, clv_cell_at(map, kind, row)), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
}

static clv_body *make(clv_grid_kind grid, const char *model) {
  body_setup setup = setup_of(grid, model);
  for (uint32_t k = 0; k < 3; k++) setup.grid.cells[k] = 5;
  return body_of(&setup);
}

static void removes(clv_body *body, subject derived, uint32_t stride) {
  clv_map *map = clv_body_map(body);
  uint32_t same = 0;
  for (uint32_t first = 0; first < 3 && first + 1 < stride; first++) { // some cells stay; then ids are used again
    witness w;
    watch(&w, map, derived);
    assert_int_equal(clv_map_subscribe(map, hear, &w), CLV_OK);
    remove_cells(map, first, stride);
    clv_map_unsubscribe(map, hear, &w);
    same += assert_rest_is_same(&w);
    check(body);
  }
  if (stride > 20) assert_true(same > 0);
}

static const subject stiffness = {"ks", CLV_EDGE}, mass = {"mass", CLV_VERTEX};
static const uint32_t strides[] = {2, 3, 7, 10, 29, 33, 60};
enum { STRIDES = sizeof strides / sizeof *strides };

static void sums_are_what_is_left(void **state) {
  (void)state;
  static const clv_grid_kind grids[] = {CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX};
  for (uint32_t g = 0; g < 3; g++)
    for (uint32_t k = 0; k < STRIDES; k++) {
      clv_body *springs = make(grids[g], "springs"), *elements = make(grids[g], "fem-corotational");
      removes(springs, stiffness, strides[k]);
      removes(elements, mass, strides[k]);
      clv_body_destroy(springs);
      clv_body_destroy(elements);
    }
}

// Shares of a stiffness that are nothing, or less, tell nothing of one another.
static void set_shares(clv_body *body, double (*share)(uint32_t)) {
  clv_map *map = clv_body_map(body);
  uint32_t count;
  const clv_column *column = clv_column_find(map, "ea");
  assert_non_null(column);
  double *values = clv_column_data(column, kind_in(map), &count);
  for (uint32_t k = 0; k < count; k++) values[k] = share(k);
  assert_int_equal(clv_views_refresh(clv_body_views(body)), CLV_OK);
}

static double some_below_zero(uint32_t k) {
  return k % 7 == 3 ? -20 : 100;
}

static double some_zero(uint32_t k) {
  return k % 3 ? 0 : 100;
}

static double none(uint32_t k) {
  (void)k;
  return 0;
}

static void shares_may_be_anything(void **state) {
  (void)state;
  double (*const shares[])(uint32_t) = {some_below_zero, some_zero, none};
  for (uint32_t s = 0; s < 3; s++)
    for (uint32_t k = 0; k < STRIDES; k++) {
      clv_body *body = make(CLV_GRID_TET5, "springs");
      set_shares(body, shares[s]);
      check(body);
      removes(body, stiffness, strides[k]);
      clv_body_destroy(body);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sums_are_what_is_left), cmocka_unit_test(shares_may_be_anything)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
