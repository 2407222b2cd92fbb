// Cells refined, one by one and many at once: what is added up at edges and vertices follows by what parents gave and
// children give, and is what it is when it is derived from scratch. Where nothing happened, not a bit changes.

#include "cleave/surgery.h"
#include "support/bodies.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct patient {
  clv_body *body;
  clv_map *map;
  clv_surgery *surgery;
} patient;

static patient make(clv_grid_kind grid, uint32_t cells, uint32_t threads) {
  body_setup setup = setup_of(grid, "springs");
  clv_error error = {0};
  setup.def.threads = threads;
  for (uint32_t k = 0; k < 3; k++) setup.grid.cells[k] = cells;
  patient p = {.body = body_of(&setup)};
  p.map = clv_body_map(p.body);
  p.surgery = clv_surgery_create(p.body, &error);
  assert_non_null(p.surgery);
  return p;
}

static void end(patient *p) {
  clv_surgery_destroy(p->surgery);
  clv_body_destroy(p->body);
}

static void print_difference(void *user, const char *what) {
  (void)user;
  print_error("%s\n", what);
}

static void check(const patient *p) {
  assert_int_equal(clv_map_check(p->map, NULL, NULL), CLV_OK);
  assert_int_equal(clv_views_check(clv_body_views(p->body), print_difference, NULL), CLV_OK);
}

static clv_kind kind_in(const clv_map *map) {
  uint32_t kind = CLV_TRI;
  while (!clv_cell_count(map, (clv_kind)kind)) kind++;
  return (clv_kind)kind;
}

// Every so many cells one, from those in the first `rows` rows.
static uint32_t list_cells(const clv_map *map, uint32_t first, uint32_t stride, uint32_t rows, clv_dart **cells) {
  const clv_kind kind = kind_in(map);
  uint32_t count = 0;
  *cells = malloc((rows + 1) * sizeof **cells);
  assert_non_null(*cells);
  for (uint32_t row = first; row < rows; row += stride)
    if (clv_cell_at(map, kind, row)) (*cells)[count++] = clv_cell_at(map, kind, row);
  return count;
}

static void refine_some(const patient *p, uint32_t first, uint32_t stride, uint32_t rows) {
  clv_dart *cells;
  const uint32_t count = list_cells(p->map, first, stride, rows, &cells);
  if (count && clv_surgery_refine_cells(p->surgery, cells, count, 1, NULL) != CLV_OK)
    fail_msg("%s", clv_surgery_error(p->surgery));
  free(cells);
}

static const clv_grid_kind grids[] = {CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX, CLV_GRID_TRI, CLV_GRID_QUAD};
enum { GRIDS = sizeof grids / sizeof *grids };

// Neighbours are among them, and cells that have hanging vertices.
static void many_at_once(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint32_t stride = 1; stride < 12; stride += stride < 4 ? 1 : 3) {
      patient p = make(grids[g], 3, 1);
      const uint32_t rows = clv_cell_rows(p.map, kind_in(p.map));
      for (uint32_t first = 0; first < 3; first++) {
        refine_some(&p, first, stride, rows);
        check(&p);
      }
      end(&p);
    }
}

static void one_by_one(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint32_t threads = 1; threads < 3; threads++) {
      patient p = make(grids[g], 3, threads);
      random_source random = {17 + g};
      for (uint32_t time = 0; time < 150; time++) {
        const clv_kind kind = kind_in(p.map);
        const clv_dart cell = clv_cell_at(p.map, kind, random_below(&random, clv_cell_rows(p.map, kind)));
        if (!cell) continue;
        if (time % 10 == 7)
          assert_int_equal(clv_surgery_remove_cells(p.surgery, &cell, 1, NULL), CLV_OK);
        else if (clv_surgery_refine_cells(p.surgery, &cell, 1, 3, NULL) != CLV_OK)
          fail_msg("%s", clv_surgery_error(p.surgery));
        if (time % 10 == 9) check(&p);
      }
      end(&p);
    }
}

// Shares of a stiffness

static void set_shares(const patient *p, double (*share)(uint32_t)) {
  uint32_t count;
  const clv_column *column = clv_column_find(p->map, "ea");
  assert_non_null(column);
  double *values = clv_column_data(column, kind_in(p->map), &count);
  for (uint32_t k = 0; k < count; k++) values[k] = share(k);
  assert_int_equal(clv_views_refresh(clv_body_views(p->body)), CLV_OK);
}

static double some_below_zero(uint32_t k) {
  return k % 7 == 3 ? -20 : 100;
}

static double some_zero(uint32_t k) {
  return k % 3 ? 0 : 100;
}

static double some_huge(uint32_t k) {
  return k % 5 ? 1 : 1e12;
}

static double none(uint32_t k) {
  (void)k;
  return 0;
}

static void shares_may_be_anything(void **state) {
  (void)state;
  double (*const shares[])(uint32_t) = {some_below_zero, some_zero, some_huge, none};
  for (uint32_t s = 0; s < 4; s++)
    for (uint32_t stride = 1; stride < 30; stride += 7) {
      patient p = make(CLV_GRID_TET5, 3, 1);
      const uint32_t rows = clv_cell_rows(p.map, kind_in(p.map));
      set_shares(&p, shares[s]);
      for (uint32_t first = 0; first < 3; first++) {
        refine_some(&p, first, stride, rows);
        check(&p);
      }
      end(&p);
    }
}

// What is set by hand, in the commit that refines, is not added to.

static void refine_by_hand(const patient *p, clv_dart cell) {
  clv_column *levels = clv_column_find(p->map, "lev");
  const int32_t one = 1;
  clv_refined refined;
  assert_int_equal(clv_map_refine(p->map, cell, 0, clv_column_data(levels, CLV_NONE, NULL), &refined), CLV_OK);
  for (uint32_t k = 0; k < refined.vertex_count; k++)
    assert_int_equal(clv_column_set(levels, refined.vertices[k], &one), CLV_OK);
}

static void what_is_set_counts(void **state) {
  (void)state;
  const double more = 1000, away[3] = {-1, -2, -1.5};
  static const char *const names[] = {"ea", "rest", "ks"};
  for (uint32_t n = 0; n < 3; n++) {
    patient p = make(CLV_GRID_TET6, 2, 1);
    refine_some(&p, 0, 12, 20);
    clv_column *column = clv_column_find(p.map, names[n]);
    assert_non_null(column);
    assert_int_equal(clv_map_begin(p.map), CLV_OK);
    refine_by_hand(&p, clv_cell_at(p.map, CLV_TET, 5));
    assert_int_equal(clv_column_set(column, clv_cell_at(p.map, CLV_TET, 6), n == 1 ? away : &more), CLV_OK);
    assert_int_equal(clv_map_commit(p.map), CLV_OK);
    check(&p);
    end(&p);
  }
}

// What no event names is as it was, to the last bit.

typedef struct witness {
  const clv_column *column;
  uint32_t dims, count;
  double *values;
  bool *named;
} witness;

static void hear(void *user, const clv_map *map, const clv_commit *commit) {
  witness *w = user;
  (void)map;
  for (uint32_t k = 0; k < commit->event_count; k++)
    if (commit->events[k].dims == w->dims && commit->events[k].id.index < w->count)
      w->named[commit->events[k].id.index] = true;
}

static void the_rest_stays(void **state) {
  (void)state;
  patient p = make(CLV_GRID_TET5, 4, 1);
  witness w = {.column = clv_column_find(p.map, "ks"), .dims = clv_orbit_dims(p.map, CLV_EDGE)};
  const double *values = clv_column_data(w.column, CLV_NONE, &w.count);
  w.values = malloc(w.count * sizeof *w.values);
  w.named = calloc(w.count, sizeof *w.named);
  assert_true(w.values && w.named);
  memcpy(w.values, values, w.count * sizeof *w.values);
  assert_int_equal(clv_map_subscribe(p.map, hear, &w), CLV_OK);
  refine_some(&p, 0, 50, clv_cell_rows(p.map, CLV_TET));
  clv_map_unsubscribe(p.map, hear, &w);
  values = clv_column_data(w.column, CLV_NONE, NULL);
  uint32_t same = 0;
  for (uint32_t k = 1; k < w.count; k++) {
    if (w.named[k]) continue;
    assert_memory_equal(&values[k], &w.values[k], sizeof *values);
    same++;
  }
  assert_true(same > 0);
  free(w.values);
  free(w.named);
  end(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(many_at_once), cmocka_unit_test(one_by_one),
                                     cmocka_unit_test(shares_may_be_anything), cmocka_unit_test(what_is_set_counts),
                                     cmocka_unit_test(the_rest_stays)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
