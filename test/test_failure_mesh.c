// Memory runs out while meshes become maps and maps meshes, and while long orbits are walked, marked, numbered and cut.
// What a refused allocation must not do is told in support/script.h.

#include "support/script.h"

#include <math.h>

// Reading

static clv_result count(scene *s) {
  clv_map_info info;
  CALL(s, clv_map_count(s->map, &info));
  return CLV_OK;
}

static void no_problem(void *user, const clv_problem *problem) {
  (void)user;
  fail_msg("%s: %s", problem->condition, problem->message);
}

// A check that runs out of memory has not found anything wrong.
static clv_result check(scene *s) {
  CALL(s, clv_map_check(s->map, no_problem, NULL));
  return CLV_OK;
}

static clv_result extract(scene *s) {
  clv_mesh_free(&s->extracted);
  clv_error error = {CLV_OK, ""};
  const size_t live = s->memory.counting.live_bytes;
  const clv_result result = clv_mesh_extract(&s->extracted, s->map, &error);
  if (result != CLV_OK) assert_int_equal(s->memory.counting.live_bytes, live);
  assert_int_equal(error.code, result);
  CALL(s, result);
  return CLV_OK;
}

// Meshes

static clv_result fill_grid(scene *s) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = (clv_grid_kind)(s->variant / 2);
  def.shared = s->variant % 2 == 0;
  def.cells[0] = def.cells[1] = 2;
  CALL(s, clv_mesh_grid(&s->mesh, &def, NULL));
  return CLV_OK;
}

static clv_result build(scene *s) {
  clv_build_def def = {.merge_points = true, .allocator = s->allocator};
  clv_error error = {CLV_OK, ""};
  const size_t live = s->memory.counting.live_bytes;
  const clv_result result = clv_mesh_build(&s->mesh, &def, &s->map, NULL, &error);
  assert_int_equal(error.code, result);
  if (result != CLV_OK) assert_null(s->map);
  if (result != CLV_OK) assert_int_equal(s->memory.counting.live_bytes, live);
  CALL(s, result);
  return CLV_OK;
}

static clv_result add_points(scene *s, const double (*points)[3], uint32_t many) {
  for (uint32_t k = 0; k < many; k++) CALL(s, clv_mesh_add_point(&s->mesh, points[k][0], points[k][1], points[k][2]));
  return CLV_OK;
}

// A square, a pentagon beside it and a triangle that touches in a point only.
static clv_result fill_polygons(scene *s) {
  static const double points[][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {3, 1}, {2, 2}, {-1, 0}, {-1, -1}};
  static const uint32_t quad[] = {0, 1, 2, 3}, pentagon[] = {1, 4, 5, 6, 2}, tri[] = {0, 7, 8};
  clv_mesh_free(&s->mesh);
  CALL(s, add_points(s, points, sizeof points / sizeof *points));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_QUAD, quad, 4, 1));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_POLYGON, pentagon, 5, 2));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_TRI, tri, 3, 3));
  return CLV_OK;
}

// A cube, a tent on it given by its faces, and a roof with a ridge, which is no template, beside the cube.
static clv_result fill_polyhedra(scene *s) {
  static const double points[][3] = {{0, 0, 0},       {1, 0, 0},     {1, 1, 0},     {0, 1, 0},
                                     {0, 0, 1},       {1, 0, 1},     {1, 1, 1},     {0, 1, 1},
                                     {0.5, 0.5, 1.5}, {2, 0.3, 0.5}, {2, 0.5, 0.7}, {2, 0.4, 0.3}};
  static const uint32_t hex[] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const uint32_t tent[] = {5, 4, 4, 5, 6, 7, 3, 4, 5, 8, 3, 5, 6, 8, 3, 6, 7, 8, 3, 7, 4, 8};
  static const uint32_t roof[] = {8, 4, 1, 2, 6, 5, 3, 9,  10, 11, 3, 1,  2, 11, 3, 1,  11, 9,
                                  3, 1, 9, 5, 3, 9, 5, 10, 3,  5,  6, 10, 4, 2,  6, 10, 11};
  clv_mesh_free(&s->mesh);
  CALL(s, add_points(s, points, sizeof points / sizeof *points));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_HEX, hex, 8, 1));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_POLYHEDRON, tent, sizeof tent / sizeof *tent, 2));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_POLYHEDRON, roof, sizeof roof / sizeof *roof, 3));
  return CLV_OK;
}

static clv_result fill_explicit(scene *s) {
  return s->variant ? fill_polyhedra(s) : fill_polygons(s);
}

// Tetrahedra all round an edge: more than walks and sets hold without memory.
enum { AROUND = 260 };

static clv_result fill_fan(scene *s) {
  static const double axis[][3] = {{0, 0, 0}, {0, 0, 1}};
  clv_mesh_free(&s->mesh);
  CALL(s, clv_mesh_reserve(&s->mesh, AROUND + 2, AROUND, 4 * AROUND));
  CALL(s, add_points(s, axis, 2));
  for (uint32_t k = 0; k < AROUND; k++) {
    const double angle = k * (2 * 3.14159265358979323846 / AROUND);
    const uint32_t corners[] = {0, 1, 2 + k, 2 + (k + 1) % AROUND};
    if (clv_mesh_add_point(&s->mesh, cos(angle), sin(angle), 0) != CLV_OK) return CLV_ERROR_MEMORY;
    if (clv_mesh_add_element(&s->mesh, CLV_TET, corners, 4, 0) != CLV_OK) return CLV_ERROR_MEMORY;
  }
  return CLV_OK;
}

static clv_result use_walk(clv_walk *walk, clv_result result, uint32_t expected) {
  if (result != CLV_OK) return result;
  assert_int_equal(walk->count, expected);
  clv_walk_end(walk);
  return CLV_OK;
}

static clv_result walk_about(scene *s) {
  const clv_map *map = s->map;
  const clv_dart axis = clv_cell_at(map, CLV_TET, 0);
  clv_walk w;
  CALL(s, use_walk(&w, clv_walk_orbit(&w, map, CLV_EDGE, axis), 4 * AROUND));
  CALL(s, use_walk(&w, clv_walk_orbit(&w, map, CLV_VERTEX, axis), 6 * AROUND));
  CALL(s, use_walk(&w, clv_walk_star(&w, map, CLV_EDGE, axis), AROUND));
  CALL(s, use_walk(&w, clv_walk_star(&w, map, CLV_VERTEX, axis), AROUND));
  CALL(s, use_walk(&w, clv_walk_incident(&w, map, CLV_EDGE, CLV_FACE, axis), AROUND));
  CALL(s, use_walk(&w, clv_walk_adjacent(&w, map, CLV_VERTEX, CLV_EDGE, axis), AROUND + 1));
  CALL(s, use_walk(&w, clv_walk_adjacent(&w, map, CLV_CELL, CLV_VERTEX, axis), AROUND - 1));
  CALL(s, use_walk(&w, clv_walk_all(&w, map, CLV_FACE), 3 * AROUND));
  return CLV_OK;
}

static clv_result result_of(const void *created) {
  return created ? CLV_OK : CLV_ERROR_MEMORY;
}

// Marks go with the act: whatever fails, they are given back.
static clv_result mark_all(scene *s, clv_marks *marks) {
  for (clv_dart d = clv_dart_next(s->map, 0); d; d = clv_dart_next(s->map, d)) {
    const clv_result result = clv_marks_set(marks, d);
    if (result != CLV_OK) assert_false(clv_marks_get(marks, d));
    if (result != CLV_OK) return result;
  }
  clv_marks_clear(marks);
  assert_false(clv_marks_get(marks, clv_dart_next(s->map, 0)));
  return clv_marks_set(marks, clv_dart_next(s->map, 0));
}

static clv_result mark(scene *s) {
  clv_marks *marks = clv_marks_create(s->map);
  CALL(s, result_of(marks));
  const clv_result result = mark_all(s, marks);
  clv_marks_destroy(marks);
  CALL(s, result);
  return CLV_OK;
}

static clv_result number_edges(scene *s) {
  CALL(s, clv_map_number(s->map, CLV_EDGE));
  return CLV_OK;
}

static clv_result number_components(scene *s) {
  CALL(s, clv_map_number(s->map, CLV_COMPONENT));
  return CLV_OK;
}

// Long orbits that come apart and meet again.
static clv_result cut_fan(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_unsew(s->map, 3, clv_cell_at(s->map, CLV_TET, 0)));
  CALL(s, clv_map_remove_cell(s->map, clv_cell_at(s->map, CLV_TET, AROUND / 2)));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

// The scripts

static void grids_are_built(void **state) {
  (void)state;
  static act *const acts[] = {fill_grid, build, count, check, extract, NULL};
  script_play(&(script){"building grids", 2 * CLV_GRID_KIND_COUNT, NO_PROLOGUE, acts});
}

static void polygons_and_polyhedra_are_built(void **state) {
  (void)state;
  static act *const acts[] = {fill_explicit, build, count, check, extract, NULL};
  script_play(&(script){"building polygons and polyhedra", 2, NO_PROLOGUE, acts});
}

static void long_orbits_are_walked(void **state) {
  (void)state;
  static act *const prologue[] = {fill_fan, build, NULL};
  static act *const acts[] = {walk_about, mark, NULL};
  script_play(&(script){"walking long orbits", 1, prologue, acts});
}

static void long_orbits_are_cut(void **state) {
  (void)state;
  static act *const prologue[] = {fill_fan, build, NULL};
  static act *const acts[] = {number_edges, number_components, cut_fan, NULL};
  script_play(&(script){"cutting long orbits", 1, prologue, acts});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_are_built),
      cmocka_unit_test(polygons_and_polyhedra_are_built),
      cmocka_unit_test(long_orbits_are_walked),
      cmocka_unit_test(long_orbits_are_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
