// A small map and its columns, for tests by hand: each call must succeed, and each commit leaves a map that is sound.

#ifndef CLEAVE_TEST_SUPPORT_SMALL_MAP_H
#define CLEAVE_TEST_SUPPORT_SMALL_MAP_H

#include "cleave/embed.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static inline clv_map *create_map(uint32_t dimension) {
  clv_map_def def = clv_default_map_def();
  def.dimension = dimension;
  clv_map *map = clv_map_create(&def, NULL);
  assert_non_null(map);
  return map;
}

static inline void complain(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static inline void begin(clv_map *map) {
  assert_int_equal(clv_map_begin(map), CLV_OK);
}

static inline void commit(clv_map *map) {
  if (clv_map_commit(map) != CLV_OK) fail_msg("%s", clv_map_error(map));
  assert_int_equal(clv_map_check(map, complain, NULL), CLV_OK);
}

static inline clv_dart add_cell(clv_map *map, clv_kind kind) {
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_map_add_cell(map, kind, &dart), CLV_OK);
  return dart;
}

static inline clv_column *create(clv_map *map, clv_column_def def) {
  clv_column *column = NULL;
  if (!def.components) def.components = 1;
  if (clv_column_create(map, &def, &column) != CLV_OK) fail_msg("%s", clv_map_error(map));
  assert_non_null(column);
  return column;
}

static inline double get(const clv_column *column, clv_dart dart) {
  const double *value = clv_column_at(column, dart);
  assert_non_null(value);
  return *value;
}

static inline void put(clv_column *column, clv_dart dart, double value) {
  double *at = clv_column_at(column, dart);
  assert_non_null(at);
  *at = value;
}

#endif
