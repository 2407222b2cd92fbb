// Columns, where hand-made cases say more than random ones: what is refused, who is told, where values lie.
//
// How values go through every sort of edit is in test_random.

#include "cleave/embed.h"
#include "support/counting_allocator.h"

#include <string.h>

typedef struct fixture {
  clv_map *map;
  counting_memory memory;
  uint32_t destroyed;
} fixture;

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  const clv_map_def def = {.dimension = 3, .allocator = counting_allocator(&f->memory)};
  f->map = clv_map_create(&def, NULL);
  assert_non_null(f->map);
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  clv_map_destroy(f->map);
  assert_int_equal(f->memory.live_bytes, 0);
  free(f);
  return 0;
}

static void begin(clv_map *map) {
  assert_int_equal(clv_map_begin(map), CLV_OK);
}

static void commit(clv_map *map) {
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_int_equal(clv_map_check(map, NULL, NULL), CLV_OK);
}

static clv_dart add(clv_map *map, clv_kind kind) {
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_map_add_cell(map, kind, &dart), CLV_OK);
  return dart;
}

static clv_column *create(clv_map *map, clv_column_def def) {
  clv_column *column = NULL;
  assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
  return column;
}

static double at(const clv_column *column, clv_dart dart) {
  return *(const double *)clv_column_at(column, dart);
}

static void columns_are_found_and_listed(void **state) {
  clv_map *map = ((fixture *)*state)->map;
  assert_null(clv_column_find(map, "position"));
  assert_null(clv_column_list(map, 0));
  char name[] = "tag";
  clv_column *position = create(map, clv_default_column_def());
  clv_column *tag = create(map, (clv_column_def){.name = name, .orbit = CLV_EDGE, .type = CLV_INT32, .components = 2});
  memset(name, 'x', 3); // the name was copied
  assert_ptr_equal(clv_column_find(map, "tag"), tag);
  assert_ptr_equal(clv_column_list(map, 0), position);
  assert_ptr_equal(clv_column_list(map, 1), tag);
  assert_null(clv_column_list(map, 2));
  assert_int_equal(clv_column_size(position), 3 * sizeof(double));
  assert_int_equal(clv_column_size(tag), 2 * sizeof(int32_t));
  assert_string_equal(clv_column_get_def(tag)->name, "tag");
  clv_column_destroy(map, position);
  assert_ptr_equal(clv_column_list(map, 0), tag);
}

static void nonsense_is_no_column(void **state) {
  clv_map *map = ((fixture *)*state)->map;
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER, .components = 1});
  const clv_column_def wrong[] = {
      {.name = NULL, .orbit = CLV_VERTEX, .components = 1},
      {.name = "corner", .orbit = CLV_VERTEX, .components = 1}, // taken
      {.name = "none", .orbit = CLV_VERTEX},                    // no components
      {.name = "bytes", .orbit = CLV_VERTEX, .type = CLV_BYTES, .components = 4, .merge = CLV_MERGE_SUM},
      {.name = "recomputed", .orbit = CLV_VERTEX, .components = 1, .merge = CLV_MERGE_RECOMPUTE}, // from what?
      {.name = "elsewhere", .orbit = CLV_EDGE, .components = 1, .contribution = corner},
  };
  for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_int_equal(clv_column_create(map, &wrong[k], NULL), CLV_ERROR_ARGUMENT);
    assert_true(strlen(clv_map_error(map)) > 0);
  }
  begin(map);
  const clv_column_def late = clv_default_column_def();
  assert_int_equal(clv_column_create(map, &late, NULL), CLV_ERROR_ARGUMENT);
  clv_map_rollback(map);
}

static void a_column_comes_with_its_initial_value(void **state) {
  clv_map *map = ((fixture *)*state)->map;
  const double seven = 7;
  begin(map);
  const clv_dart before = add(map, CLV_HEX);
  commit(map);
  const clv_orbit orbits[] = {CLV_VERTEX, CLV_EDGE, CLV_FACE, CLV_CELL, CLV_CORNER, CLV_COMPONENT};
  static const char *const names[] = {"vertex", "edge", "face", "cell", "corner", "component"};
  clv_column *columns[6];
  for (uint32_t k = 0; k < 6; k++)
    columns[k] =
        create(map, (clv_column_def){.name = names[k], .orbit = orbits[k], .components = 1, .initial = &seven});
  begin(map);
  const clv_dart after = add(map, CLV_TET);
  commit(map);
  for (uint32_t k = 0; k < 6; k++) assert_true(at(columns[k], before) == 7 && at(columns[k], after) == 7);
}

static void values_lie_where_they_are_said_to(void **state) {
  clv_map *map = ((fixture *)*state)->map;
  clv_column *vertex = create(map, (clv_column_def){.name = "vertex", .orbit = CLV_VERTEX, .components = 1});
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER, .components = 1});
  begin(map);
  add(map, CLV_TET);
  const clv_dart second = add(map, CLV_TET);
  commit(map);
  uint32_t count = 0;
  double *values = clv_column_data(vertex, CLV_NONE, &count);
  const clv_id id = clv_id_of(map, CLV_VERTEX, second);
  assert_int_equal(count, clv_id_slots(map, CLV_VERTEX));
  assert_ptr_equal(clv_column_at(vertex, second), &values[id.index]);
  assert_ptr_equal(clv_column_of(vertex, id), &values[id.index]);
  assert_null(clv_column_of(vertex, (clv_id){id.index, id.generation + 2}));
  values = clv_column_data(corner, CLV_TET, &count);
  assert_int_equal(count, 4 * clv_cell_rows(map, CLV_TET));
  assert_ptr_equal(clv_column_at(corner, second), &values[(size_t)4 * clv_cell_row(map, second)]); // corner 0
  assert_true(clv_column_bytes(map) >= (8 + 8) * sizeof(double));
}

static void a_set_value_comes_at_the_commit(void **state) {
  clv_map *map = ((fixture *)*state)->map;
  clv_column *column = create(map, (clv_column_def){.name = "value", .orbit = CLV_VERTEX, .components = 1});
  const double three = 3, four = 4;
  begin(map);
  const clv_dart tet = add(map, CLV_TET);
  assert_null(clv_column_at(column, tet)); // its vertices are not numbered yet
  assert_int_equal(clv_column_set(column, tet, &three), CLV_OK);
  commit(map);
  assert_true(at(column, tet) == 3);
  assert_int_equal(clv_column_set(column, tet, &four), CLV_ERROR_ARGUMENT); // no transaction
  begin(map);
  assert_int_equal(clv_column_set(column, tet + 24, &four), CLV_ERROR_ARGUMENT); // no dart
  assert_int_equal(clv_column_set(column, tet, &four), CLV_OK);
  assert_true(at(column, tet) == 3);
  clv_map_rollback(map);
  assert_true(at(column, tet) == 3);
}

// Two open triangles become one open hexagon, which goes on as one of them. The value is set at a dart of the first, or
// of the second.
static void a_set_value_is_the_new_cells(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 2; k++) {
    const clv_map_def def = {.dimension = 2, .allocator = clv_default_allocator()};
    clv_map *map = clv_map_create(&def, NULL);
    assert_non_null(map);
    clv_column *column = create(map, (clv_column_def){.name = "value", .orbit = CLV_CELL, .components = 1});
    const double five = 5;
    begin(map);
    const clv_dart a = add(map, CLV_TRI), b = add(map, CLV_TRI);
    assert_int_equal(clv_map_unsew(map, 1, a), CLV_OK);
    assert_int_equal(clv_map_unsew(map, 1, b), CLV_OK);
    commit(map);
    begin(map);
    assert_int_equal(clv_column_set(column, k ? b + 2 : a + 2, &five), CLV_OK);
    assert_int_equal(clv_map_sew(map, 1, a, b), CLV_OK);
    commit(map);
    for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d)) assert_true(at(column, d) == 5);
    clv_map_destroy(map);
  }
}

static void a_forbidden_merge_fails_the_commit(void **state) {
  clv_map *map = ((fixture *)*state)->map;
  create(map, (clv_column_def){.name = "whose", .orbit = CLV_FACE, .components = 1, .merge = CLV_MERGE_ERROR});
  begin(map);
  const clv_dart a = add(map, CLV_TET), b = add(map, CLV_TET);
  assert_int_equal(clv_map_sew(map, 3, a, b), CLV_OK); // one new face, not two that merge
  commit(map);
  begin(map);
  assert_int_equal(clv_map_unsew(map, 3, a), CLV_OK);
  commit(map);
  const uint64_t hash = clv_map_hash(map);
  begin(map);
  assert_int_equal(clv_map_sew(map, 3, a, b), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_ERROR_REFUSED);
  assert_non_null(strstr(clv_map_error(map), "whose"));
  assert_int_equal(clv_map_unsew(map, 3, a), CLV_OK); // the transaction is still open
  clv_map_rollback(map);
  assert_true(clv_map_hash(map) == hash);
}

static void count_destroyed(void *user, const clv_map *map, void *value) {
  (void)map;
  *(uint32_t *)user += *(const double *)value == 1;
}

static void a_value_is_destroyed_once(void **state) {
  fixture *f = *state;
  clv_map *map = f->map;
  const double one = 1;
  const clv_orbit orbits[] = {CLV_VERTEX, CLV_CORNER};
  for (uint32_t k = 0; k < 2; k++) {
    clv_column_def def = {.name = k ? "corner" : "vertex", .orbit = orbits[k], .components = 1, .initial = &one};
    def.destroy = count_destroyed;
    def.user = &f->destroyed;
    create(map, def);
  }
  begin(map);
  const clv_dart a = add(map, CLV_TET), b = add(map, CLV_TET);
  commit(map);
  begin(map);
  assert_int_equal(clv_map_sew(map, 3, a, b), CLV_OK);
  commit(map);
  assert_int_equal(f->destroyed, 3); // of eight vertices five are left
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, a), CLV_OK);
  clv_map_rollback(map);
  assert_int_equal(f->destroyed, 3);
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, a), CLV_OK);
  commit(map);
  assert_int_equal(f->destroyed, 3 + 1 + 4); // its own vertex and its corners
  clv_column_destroy(map, clv_column_find(map, "corner"));
  assert_int_equal(f->destroyed, 8 + 4);
  clv_column_destroy(map, clv_column_find(map, "vertex"));
  assert_int_equal(f->destroyed, 12 + 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(columns_are_found_and_listed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(nonsense_is_no_column, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_column_comes_with_its_initial_value, set_up, tear_down),
      cmocka_unit_test_setup_teardown(values_lie_where_they_are_said_to, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_set_value_comes_at_the_commit, set_up, tear_down),
      cmocka_unit_test(a_set_value_is_the_new_cells),
      cmocka_unit_test_setup_teardown(a_forbidden_merge_fails_the_commit, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_value_is_destroyed_once, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
