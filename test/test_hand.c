// Behind an edit a long step brings into the caches what another one will need (solve_stay_ready): nothing comes of it
// but that, in bodies of every sort, after any edits; and what it goes over is there.

#include "base/hand.h"
#include "cleave/cleave.h"
#include "map/store.h"
#include "support/bodies.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { STEPS = 4, EDITS = 3 };

typedef struct subject {
  clv_body *body;
  clv_map *map;
  clv_solver *solver;
  clv_surgery *surgery;
} subject;

// Of more vertices than bodies have that are left alone.
static void make(subject *s, clv_grid_kind grid, const char *model, clv_method method) {
  clv_error error;
  body_setup setup = setup_of(grid, model);
  clv_solver_def def = clv_default_solver_def();
  for (uint32_t k = 0; k < 3; k++) setup.grid.cells[k] = grid_is_surface(grid) ? 92 : 20;
  setup.def.gravity[1] = -9.81;
  def.method = method;
  def.linear = CLV_LINEAR_MATRIX_FREE;
  def.iterations = 2;
  def.tolerance = 1e-30; // never met
  s->body = body_of(&setup);
  s->map = clv_body_map(s->body);
  assert_true(clv_body_slots(s->body) > 8192);
  s->solver = clv_solver_create(s->body, &def, &error);
  s->surgery = clv_surgery_create(s->body, &error);
  assert_true(s->solver && s->surgery);
}

static void unmake(subject *s) {
  clv_surgery_destroy(s->surgery);
  clv_solver_destroy(s->solver);
  clv_body_destroy(s->body);
}

static clv_dart some_cell(const subject *s, uint32_t number) {
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_cell_count(s->map, (clv_kind)kind)) return clv_cell_at(s->map, (clv_kind)kind, 100 + 7 * number);
  return CLV_NO_DART;
}

static void edit(subject *s, uint32_t number) {
  const clv_dart cell = some_cell(s, number);
  const clv_cut cut = {.kind = CLV_CUT_FACETS, .facets = &cell, .count = 1};
  assert_int_not_equal(cell, CLV_NO_DART);
  if (number % EDITS == 0) assert_int_equal(clv_surgery_remove_cells(s->surgery, &cell, 1, NULL), CLV_OK);
  if (number % EDITS == 1) assert_int_equal(clv_surgery_refine_cells(s->surgery, &cell, 1, 1, NULL), CLV_OK);
  if (number % EDITS == 2) assert_int_equal(clv_surgery_cut(s->surgery, &cut, NULL), CLV_OK);
}

static void compare(const subject *ready, const subject *other) {
  assert_true(clv_map_hash(ready->map) == clv_map_hash(other->map));
  const size_t numbers = 3 * (size_t)clv_body_slots(ready->body);
  assert_memory_equal(clv_body_positions(ready->body), clv_body_positions(other->body), numbers * sizeof(double));
  assert_memory_equal(clv_body_velocities(ready->body), clv_body_velocities(other->body), numbers * sizeof(double));
}

static void stays_the_same(clv_grid_kind grid, const char *model, clv_method method) {
  subject ready, other;
  make(&ready, grid, model, method);
  make(&other, grid, model, method);
  for (uint32_t k = 0; k < EDITS * STEPS; k++) {
    edit(&ready, k);
    edit(&other, k);
    assert_true(map_read(ready.map)->lately || k % EDITS == 2); // a facet may be free
    map_of(other.map)->lately = 0;
    assert_int_equal(clv_solver_step(ready.solver, 0, 1e-4, NULL), CLV_OK);
    assert_int_equal(clv_solver_step(other.solver, 0, 1e-4, NULL), CLV_OK);
    assert_int_equal(map_read(ready.map)->lately, 0);
  }
  compare(&ready, &other);
  unmake(&ready);
  unmake(&other);
}

static void being_ready_changes_nothing(void **state) {
  (void)state;
  stays_the_same(CLV_GRID_TET5, "springs", CLV_IMPLICIT_EULER);
  stays_the_same(CLV_GRID_HEX, "fem-linear", CLV_IMPLICIT_EULER);
  stays_the_same(CLV_GRID_MIXED, "springs", CLV_IMPLICIT_EULER); // of cells that cannot be refined, too
  stays_the_same(CLV_GRID_QUAD, "cloth", CLV_IMPLICIT_EULER);
  stays_the_same(CLV_GRID_TET5, "springs", CLV_SYMPLECTIC_EULER);
}

static void nothing_may_be_fetched(void **state) {
  (void)state;
  struct {
    char *data;
    uint32_t count, capacity;
  } none = {0};
  base_fetch(NULL, 0);
  base_fetch(NULL, 64);
  BASE_FETCH_ALL(none);
  BASE_FETCH_SOME(none, 0, 16);
  BASE_FETCH_SOME(none, 16, 16);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_may_be_fetched),
                                     cmocka_unit_test(being_ready_changes_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
