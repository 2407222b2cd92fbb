// Vectors for tests of linear systems, and bodies that are cut beneath them.

#ifndef CLEAVE_TEST_SUPPORT_SYSTEMS_H
#define CLEAVE_TEST_SUPPORT_SYSTEMS_H

#include "support/bodies.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static inline double *numbers(size_t count) {
  double *values = calloc(count + 1, sizeof *values);
  assert_non_null(values);
  return values;
}

static inline void fill(double *values, size_t count, double size, uint64_t seed) {
  random_source random = {seed};
  for (size_t k = 0; k < count; k++) values[k] = size * (2.0 * random_below(&random, 1000001) / 1e6 - 1);
}

static inline double distance(const double *a, const double *b, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

// Parts a body of one kind of cells at a few facets, or takes cells out of it.
static inline void cut_somewhere(clv_body *body, clv_kind kind, random_source *random) {
  clv_map *const view = clv_body_map(body);
  const uint32_t rows = clv_cell_rows(view, kind), n = view->dimension;
  assert_int_equal(clv_map_begin(view), CLV_OK);
  for (uint32_t cuts = 0; cuts < 4;) {
    clv_dart dart = clv_cell_at(view, kind, random_below(random, rows));
    if (!dart) continue;
    for (uint32_t k = random_below(random, 12); k > 0; k--) dart = clv_alpha(view, dart, random_below(random, n));
    if (clv_alpha(view, dart, n) == dart) continue;
    if (random_chance(random, 20))
      assert_int_equal(clv_map_remove_cell(view, dart), CLV_OK);
    else
      assert_int_equal(clv_map_unsew(view, n, dart), CLV_OK);
    cuts++;
  }
  assert_int_equal(clv_map_commit(view), CLV_OK);
}

#endif
