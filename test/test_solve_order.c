// The order of elimination of a direct solver: searched for once, kept while a body is cut, refined and worn down.

#include "cleave/surgery.h"
#include "solve/linear.h"
#include "support/systems.h"

static linear_system *system_of(clv_body *body) {
  const linear_def def = {.linear = CLV_LINEAR_DIRECT};
  const clv_allocator allocator = clv_default_allocator();
  clv_error error = {0};
  linear_system *system = linear_system_create(body, &def, &allocator, &error);
  if (!system) fail_msg("%s", error.message);
  return system;
}

// Factors the body's matrix as it is now, and solves with it.
static void solve(linear_system *system, const clv_body *body) {
  const size_t n = 3 * (size_t)clv_body_slots(body);
  double *b = numbers(n), *x = numbers(n);
  linear_report report;
  fill(b, n, 1, 5);
  if (linear_system_update(system, &(linear_factors){1, 0, 1e-4}) != CLV_OK)
    fail_msg("%s", linear_system_error(system));
  assert_int_equal(linear_system_solve(system, b, x, 1e-10, 0, &report), CLV_OK);
  assert_true(report.converged && report.linear == CLV_LINEAR_DIRECT);
  free(b);
  free(x);
}

static bool is_alive(clv_body *body, uint32_t slot) {
  return clv_body_masses(body)[slot] > 0;
}

static uint32_t count_alive(clv_body *body) {
  uint32_t count = 0;
  for (uint32_t slot = 0; slot < clv_body_slots(body); slot++) count += is_alive(body, slot);
  return count;
}

// How many vertices have a whole rank that no other has; the order was searched for just now when all have.
static uint32_t count_own(clv_body *body, const double *ranks) {
  const uint32_t slots = clv_body_slots(body);
  uint32_t own = 0;
  for (uint32_t a = 0; a < slots; a++) {
    bool alone = is_alive(body, a) && ranks[a] > 0 && ranks[a] == floor(ranks[a]);
    for (uint32_t b = 0; alone && b < slots; b++) alone = a == b || !is_alive(body, b) || ranks[a] != ranks[b];
    own += alone;
  }
  return own;
}

static double *copy_of(const double *values, size_t count) {
  double *copy = numbers(count);
  memcpy(copy, values, count * sizeof *values);
  return copy;
}

static void what_is_parted_keeps_its_rank(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < 2; kind++) {
    body_setup setup = setup_of(kind ? CLV_GRID_TET6 : CLV_GRID_HEX, "fem-linear");
    for (uint32_t axis = 0; axis < 3; axis++) setup.grid.cells[axis] = 5;
    clv_body *body = body_of(&setup);
    linear_system *system = system_of(body);
    solve(system, body);
    assert_int_equal(count_own(body, linear_system_ranks(system)), count_alive(body));
    random_source random = {11};
    for (uint32_t round = 0; round < 3; round++) {
      const uint32_t slots = clv_body_slots(body);
      double *before = copy_of(linear_system_ranks(system), slots);
      cut_somewhere(body, kind ? CLV_TET : CLV_HEX, &random);
      solve(system, body);
      const double *ranks = linear_system_ranks(system);
      uint32_t found = 0;
      for (uint32_t slot = 0; slot < clv_body_slots(body); slot++) {
        if (!is_alive(body, slot)) continue;
        if (slot < slots && before[slot] > 0) assert_true(ranks[slot] == before[slot]);
        for (uint32_t other = 0; other < slots; other++)
          if (before[other] == ranks[slot]) {
            found++;
            break;
          }
      }
      assert_int_equal(found, count_alive(body));
      free(before);
    }
    linear_system_destroy(system);
    clv_body_destroy(body);
  }
}

// Each round parts what is left to part; an order of which a quarter is borrowed is searched for anew.
static void a_worn_order_is_searched_for_anew(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "fem-linear");
  clv_body *body = body_of(&setup);
  linear_system *system = system_of(body);
  solve(system, body);
  const uint32_t vertices = count_alive(body);
  uint32_t kept = 0, anew = 0;
  clv_map *const map = clv_body_map(body);
  for (uint32_t row = 0; row < clv_cell_rows(map, CLV_HEX); row++) {
    const clv_dart cell = clv_cell_at(map, CLV_HEX, row);
    assert_int_equal(clv_map_begin(map), CLV_OK);
    for (uint32_t facet = 0; facet < 6; facet++) {
      const clv_dart dart = cell + clv_templates[CLV_HEX].facet_first[facet];
      if (clv_alpha(map, dart, 3) != dart) assert_int_equal(clv_map_unsew(map, 3, dart), CLV_OK);
    }
    assert_int_equal(clv_map_commit(map), CLV_OK);
    const uint32_t alive = count_alive(body);
    solve(system, body);
    const uint32_t own = count_own(body, linear_system_ranks(system));
    anew += own == alive && alive > vertices;
    kept += own < alive;
  }
  assert_true(kept > 3 && anew > 1 && anew < 12);
  linear_system_destroy(system);
  clv_body_destroy(body);
}

static void what_is_new_comes_behind_its_neighbours(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "fem-linear");
  clv_body *body = body_of(&setup);
  linear_system *system = system_of(body);
  solve(system, body);
  const uint32_t slots = clv_body_slots(body);
  double *before = copy_of(linear_system_ranks(system), slots);
  const double most = largest(before, slots);
  clv_surgery *surgery = clv_surgery_create(body, NULL);
  assert_non_null(surgery);
  const clv_dart cell = clv_cell_at(clv_body_map(body), CLV_HEX, 0);
  assert_int_equal(clv_surgery_refine_cells(surgery, &cell, 1, 1, NULL), CLV_OK);
  solve(system, body);
  const double *ranks = linear_system_ranks(system);
  uint32_t added = 0;
  for (uint32_t slot = 0; slot < clv_body_slots(body); slot++) {
    if (!is_alive(body, slot)) continue;
    const bool was_there = slot < slots && before[slot] > 0;
    if (was_there) assert_true(ranks[slot] == before[slot]);
    if (!was_there) assert_true(ranks[slot] - floor(ranks[slot]) == 0.5 && ranks[slot] < most + 1);
    added += !was_there;
  }
  assert_true(added > 0);
  free(before);
  clv_surgery_destroy(surgery);
  linear_system_destroy(system);
  clv_body_destroy(body);
}

// A column of that name which is somebody else's is not touched.
static void another_column_is_refused(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "fem-linear");
  clv_body *body = body_of(&setup);
  clv_column_def column = clv_default_column_def();
  clv_column *own;
  column.name = "elimination_rank";
  assert_int_equal(clv_column_create(clv_body_map(body), &column, &own), CLV_OK);
  const linear_def def = {.linear = CLV_LINEAR_DIRECT};
  const clv_allocator allocator = clv_default_allocator();
  clv_error error = {0};
  assert_null(linear_system_create(body, &def, &allocator, &error));
  assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "the column 'elimination_rank' is not a number on vertices"));
  clv_body_destroy(body);
}

// Masses alone, of which some weigh next to nothing: positive, and of no use.
static void what_is_singular_but_for_rounding_is_told(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "fem-linear");
  clv_section sections[2] = {setup.section, setup.section};
  sections[1].zone = clv_zone_box((const double[3]){-1, -1, -1}, (const double[3]){0.5, 2, 2});
  sections[1].material.density *= 1e-16;
  clv_mesh mesh;
  clv_error error = {0};
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &setup.grid, &error), CLV_OK);
  clv_body_def def = setup.def;
  def.mesh = &mesh;
  def.sections = sections;
  def.section_count = 2;
  clv_body *body = clv_body_create(&def, NULL, &error);
  if (!body) fail_msg("%s", error.message);
  linear_system *system = system_of(body);
  assert_int_equal(linear_system_update(system, &(linear_factors){1, 0, 0}), CLV_ERROR_REFUSED);
  assert_non_null(strstr(linear_system_error(system), "the matrix is singular but for rounding: nothing holds a part"));
  linear_system_destroy(system);
  clv_body_destroy(body);
  clv_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_parted_keeps_its_rank),
      cmocka_unit_test(a_worn_order_is_searched_for_anew),
      cmocka_unit_test(what_is_new_comes_behind_its_neighbours),
      cmocka_unit_test(another_column_is_refused),
      cmocka_unit_test(what_is_singular_but_for_rounding_is_told),
  };
  if (!clv_linear_available(CLV_LINEAR_DIRECT)) return 0;
  return cmocka_run_group_tests(tests, NULL, NULL);
}
