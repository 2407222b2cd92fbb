// What small bodies do not show: tables that grow for several kinds at once, chains of births, cells cut through in one
// transaction, bodies put together cell by cell.

#include "cleave/mesh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static clv_map *build_grid(clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z) {
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_grid_def def = clv_default_grid_def();
  def.kind = kind;
  def.cells[0] = x;
  def.cells[1] = y;
  def.cells[2] = z;
  clv_map *map = NULL;
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  assert_int_equal(clv_mesh_build(&mesh, NULL, &map, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  return map;
}

static void assert_sound(const clv_map *map) {
  assert_int_equal(clv_map_check(map, NULL, NULL), CLV_OK);
}

// Many pages of several kinds are asked for before any is taken.
static void mixed_bodies_fill_many_pages(void **state) {
  (void)state;
  clv_map *solid = build_grid(CLV_GRID_MIXED, 16, 16, 16), *flat = build_grid(CLV_GRID_MIXED2, 160, 160, 1);
  assert_true(solid->page_count > 12 && flat->page_count > 12);
  assert_sound(solid);
  assert_sound(flat);
  clv_map_destroy(solid);
  clv_map_destroy(flat);
}

// A commit settles cells of three kinds, each in a page of its own.
static void a_commit_opens_pages_of_several_kinds(void **state) {
  (void)state;
  static const uint32_t tet_sizes[] = {3, 3, 3, 3}, tet[] = {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3};
  static const uint32_t pyramid_sizes[] = {4, 3, 3, 3, 3}, pyramid[] = {0, 1, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4};
  static const uint32_t prism_sizes[] = {3, 3, 4, 4, 4},
                        prism[] = {0, 1, 2, 3, 5, 4, 1, 0, 3, 4, 2, 1, 4, 5, 0, 2, 5, 3};
  const clv_map_def def = clv_default_map_def();
  clv_map *map = clv_map_create(&def, NULL);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  for (uint32_t k = 0; k < 4097; k++) assert_int_equal(clv_map_add_cell(map, CLV_HEX, NULL), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_add_polyhedron(map, 4, tet_sizes, tet, NULL), CLV_OK);
  assert_int_equal(clv_map_add_polyhedron(map, 5, pyramid_sizes, pyramid, NULL), CLV_OK);
  assert_int_equal(clv_map_add_polyhedron(map, 5, prism_sizes, prism, NULL), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_int_equal(clv_cell_count(map, CLV_TET) + clv_cell_count(map, CLV_PYRAMID) + clv_cell_count(map, CLV_PRISM), 3);
  assert_sound(map);
  clv_map_destroy(map);
}

// Every vertex is put between the last two: its value is theirs, through the whole chain, and none is worked out twice.
static void births_follow_births(void **state) {
  (void)state;
  enum { BIRTHS = 200 };
  clv_map *map = build_grid(CLV_GRID_HEX, 1, 1, 1);
  const double one = 1, wrong = NAN;
  clv_column_def def = {.name = "one", .orbit = CLV_VERTEX, .components = 1, .initial = &wrong};
  def.create = CLV_CREATE_MEAN;
  clv_column *column = NULL;
  assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
    *(double *)clv_column_of(column, id) = one;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  clv_dart dart = clv_cell_at(map, CLV_HEX, 0), added = CLV_NO_DART;
  for (uint32_t k = 0; k < BIRTHS; k++) {
    assert_int_equal(clv_map_insert_vertex(map, dart, &added), CLV_OK);
    if (k & 1u) dart = added; // now from this side, now from that
  }
  assert_int_equal(clv_map_commit(map), CLV_OK);
  uint32_t vertices = 0;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    assert_true(*(const double *)clv_column_of(column, id) == 1);
    vertices++;
  }
  assert_int_equal(vertices, 8 + BIRTHS);
  clv_map_destroy(map);
}

// A mean is for vertices; a corner that comes new has the initial value.
static void a_new_corner_has_the_initial_value(void **state) {
  (void)state;
  clv_map *map = build_grid(CLV_GRID_HEX, 2, 2, 2);
  clv_column_def def = clv_default_column_def();
  def.name = "uv";
  def.orbit = CLV_CORNER;
  clv_column *column = NULL;
  assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
  clv_dart added = CLV_NO_DART;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_insert_vertex(map, clv_cell_at(map, CLV_HEX, 0), &added), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_true(*(const double *)clv_column_at(column, added) == 0);
  assert_sound(map);
  clv_map_destroy(map);
}

// A square is cut through its corners and parted, in one transaction: each vertex has what its corners have.
static void a_mass_follows_corners_that_are_cut(void **state) {
  (void)state;
  clv_map *map = build_grid(CLV_GRID_QUAD, 1, 1, 1);
  const double one = 1;
  clv_column_def corner = {.name = "corner", .orbit = CLV_CORNER, .components = 1, .initial = &one};
  corner.split = CLV_SPLIT_SHARE;
  corner.merge = CLV_MERGE_SUM;
  clv_column *corners = NULL, *masses = NULL;
  assert_int_equal(clv_column_create(map, &corner, &corners), CLV_OK);
  clv_column_def mass = corner;
  mass.name = "mass";
  mass.orbit = CLV_VERTEX;
  mass.contribution = corners;
  assert_int_equal(clv_column_create(map, &mass, &masses), CLV_OK);
  const clv_dart quad = clv_cell_at(map, CLV_QUAD, 0);
  clv_dart edge = CLV_NO_DART;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_insert_edge(map, quad, quad + 3, &edge), CLV_OK);
  assert_int_equal(clv_map_unsew(map, 2, edge), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  double total = 0;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *value = clv_column_of(masses, id);
    assert_true(*value == *(const double *)clv_column_at(corners, clv_id_dart(map, CLV_VERTEX, id)));
    total += *value;
  }
  assert_true(fabs(total - 4) < 1e-12);
  clv_map_destroy(map);
}

// A row of cells, each sewn to the one before: it stays orientable, and a rollback leaves no turned cell behind.
static void cells_are_turned_as_they_are_sewn(void **state) {
  (void)state;
  const clv_map_def def = clv_default_map_def();
  clv_map *map = clv_map_create(&def, NULL);
  clv_dart last = CLV_NO_DART;
  for (uint32_t k = 0; k < 300; k++) {
    clv_dart cell = CLV_NO_DART;
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(clv_map_add_cell(map, CLV_HEX, &cell), CLV_OK);
    if (last) assert_int_equal(clv_map_sew(map, 3, last | clv_templates[CLV_HEX].facet_first[5], cell), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
    last = cell;
  }
  assert_true(clv_map_orientable(map));
  assert_sound(map);
  clv_dart alone = CLV_NO_DART;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_HEX, &alone), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  for (uint32_t k = 0; k < 2; k++) { // one of the two senses turns the cell
    const uint64_t hash = clv_map_hash(map);
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(clv_map_sew(map, 3, last | clv_templates[CLV_HEX].facet_first[5], alone + k), CLV_OK);
    clv_map_rollback(map);
    assert_true(clv_map_hash(map) == hash);
  }
  clv_map_destroy(map);
}

// The same tetrahedron twice: both lie on the same side of every face.
static void a_duplicate_is_named(void **state) {
  (void)state;
  static const uint32_t corners[] = {0, 1, 2, 3};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (uint32_t k = 0; k < 4; k++) assert_int_equal(clv_mesh_add_point(&mesh, k == 1, k == 2, k == 3), CLV_OK);
  for (uint32_t k = 0; k < 2; k++) assert_int_equal(clv_mesh_add_element(&mesh, CLV_TET, corners, 4, 0), CLV_OK);
  clv_map *map = NULL;
  clv_error error = {CLV_OK, ""};
  assert_int_equal(clv_mesh_build(&mesh, NULL, &map, NULL, &error), CLV_ERROR_INPUT);
  assert_null(map);
  assert_non_null(strstr(error.message, "elements 0 and 1 (counted from 0) lie on the same side"));
  clv_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mixed_bodies_fill_many_pages),
      cmocka_unit_test(a_commit_opens_pages_of_several_kinds),
      cmocka_unit_test(a_duplicate_is_named),
      cmocka_unit_test(births_follow_births),
      cmocka_unit_test(a_new_corner_has_the_initial_value),
      cmocka_unit_test(a_mass_follows_corners_that_are_cut),
      cmocka_unit_test(cells_are_turned_as_they_are_sewn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
