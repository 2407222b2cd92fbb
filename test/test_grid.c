// Grids: the counts, the orientation, and a proof that they conform.
//
// Conformity is shown by an independent, naive face table: every face of every element as a sorted list of point
// numbers. A face met twice is an inner one, a face met once must lie on the box. Where two cells disagreed about a
// face, its pieces would be met once inside the box, and the boundary would not have the box's area.

#include "cleave/mesh.h"
#include "support/counting_allocator.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TOLERANCE 1e-11

static const uint32_t extents[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 3, 2}, {2, 3, 4}, {4, 1, 1}, {5, 4, 3}, {9, 2, 3}};
#define EXTENT_COUNT (sizeof extents / sizeof *extents)

static const clv_grid_kind all_kinds[] = {CLV_GRID_TRI,  CLV_GRID_QUAD,  CLV_GRID_MIXED2,  CLV_GRID_HEX,  CLV_GRID_TET5,
                                          CLV_GRID_TET6, CLV_GRID_PRISM, CLV_GRID_PYRAMID, CLV_GRID_MIXED};
#define KIND_COUNT (sizeof all_kinds / sizeof *all_kinds)

// cmocka compares floats; these are doubles.
static void assert_near(double value, double expected) {
  if (!(fabs(value - expected) <= TOLERANCE)) fail_msg("%.17g is not %.17g", value, expected);
}

static int dimension_of(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2 ? 2 : 3;
}

static clv_grid_def def_of(clv_grid_kind kind, const uint32_t cells[3], bool shared) {
  return (clv_grid_def){.kind = kind,
                        .cells = {cells[0], cells[1], cells[2]},
                        .origin = {-1.0, 0.25, 7.0},
                        .size = {3.0, 0.7, 1.3},
                        .shared = shared};
}

static void make(clv_mesh *mesh, const clv_grid_def *def) {
  clv_error error = {0};
  clv_mesh_init(mesh, NULL);
  clv_result result = clv_mesh_grid(mesh, def, &error);
  if (result) print_error("%s: %s\n", clv_result_name(result), error.message);
  assert_int_equal(result, CLV_OK);
}

static size_t corner_count(const clv_mesh *mesh, size_t element) {
  return mesh->offsets[element + 1] - mesh->offsets[element];
}

static void copy_corners(const clv_mesh *mesh, size_t element, double out[8][3]) {
  for (size_t c = 0; c < corner_count(mesh, element); c++) {
    memcpy(out[c], mesh->points[mesh->corners[mesh->offsets[element] + c]], sizeof out[c]);
  }
}

typedef void (*grid_check)(const clv_mesh *mesh, const clv_grid_def *def);

// Runs a check over every kind and extent, with shared points and without.
static void for_all_grids(grid_check check) {
  for (size_t k = 0; k < KIND_COUNT; k++) {
    for (size_t e = 0; e < EXTENT_COUNT; e++) {
      for (int shared = 0; shared < 2; shared++) {
        clv_grid_def def = def_of(all_kinds[k], extents[e], shared);
        clv_mesh mesh;
        make(&mesh, &def);
        check(&mesh, &def);
        clv_mesh_free(&mesh);
      }
    }
  }
}

// ---- names and definitions ------------------------------------------------------------------------------------------

static void names_go_there_and_back(void **state) {
  (void)state;
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    assert_int_equal(clv_grid_from_name(clv_grid_name((clv_grid_kind)kind)), kind);
  }
  assert_int_equal(clv_grid_from_name("tet"), CLV_GRID_TET5);
  assert_int_equal(clv_grid_from_name("tets"), -1);
  assert_int_equal(clv_grid_from_name("unknown"), -1);
  assert_int_equal(clv_grid_from_name(NULL), -1);
  assert_string_equal(clv_grid_name(CLV_GRID_KIND_COUNT), "unknown");
}

static void the_default_is_the_unit_cube(void **state) {
  (void)state;
  clv_grid_def def = clv_default_grid_def();
  clv_mesh mesh;
  make(&mesh, &def);
  double corners[8][3];
  copy_corners(&mesh, 0, corners);
  assert_int_equal(mesh.point_count, 8);
  assert_int_equal(mesh.element_count, 1);
  assert_int_equal(mesh.kinds[0], CLV_HEX);
  assert_true(clv_element_measure(CLV_HEX, (const double(*)[3])corners) == 1.0);
  assert_true(mesh.points[0][0] == 0.0 && mesh.points[7][2] == 1.0);
  clv_mesh_free(&mesh);
}

static void assert_refused(const clv_grid_def *def, const char *words) {
  clv_mesh mesh;
  clv_error error = {0};
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, def, &error), CLV_ERROR_ARGUMENT);
  assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
  if (!strstr(error.message, words)) fail_msg("\"%s\" does not say \"%s\"", error.message, words);
  assert_int_equal(clv_mesh_grid(&mesh, def, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(mesh.point_count, 0);
  assert_null(mesh.points);
  clv_mesh_free(&mesh);
}

static void bad_numbers_are_refused(void **state) {
  (void)state;
  static const double bad_sizes[] = {0.0, -1.0, NAN, INFINITY, -INFINITY};
  static const char *const size_words[] = {"size along x", "size along y", "size along z"};
  static const char *const cell_words[] = {"cells along x", "cells along y", "cells along z"};
  static const char *const reach_words[] = {"along x it reaches", "along y it reaches", "along z it reaches"};
  for (int axis = 0; axis < 3; axis++) {
    clv_grid_def def = clv_default_grid_def();
    def.cells[axis] = 0;
    assert_refused(&def, cell_words[axis]);
    for (size_t i = 0; i < sizeof bad_sizes / sizeof *bad_sizes; i++) {
      def = clv_default_grid_def();
      def.size[axis] = bad_sizes[i];
      assert_refused(&def, size_words[axis]);
    }
    def = clv_default_grid_def();
    def.origin[axis] = NAN;
    assert_refused(&def, reach_words[axis]);
    def.origin[axis] = 1.7e308;
    def.size[axis] = 1.7e308;
    assert_refused(&def, reach_words[axis]);
  }
}

static void cells_below_the_resolution_are_refused(void **state) {
  (void)state;
  clv_grid_def def = clv_default_grid_def();
  def.origin[0] = 1e16;
  assert_refused(&def, "told apart");
  def.origin[0] = 0.0;
  def.size[0] = 5e-324;
  def.cells[0] = 2;
  assert_refused(&def, "told apart");
}

static void unknown_kinds_are_refused(void **state) {
  (void)state;
  clv_grid_def def = clv_default_grid_def();
  def.kind = CLV_GRID_KIND_COUNT;
  assert_refused(&def, "no grid kind");
  def.kind = (clv_grid_kind)-1;
  assert_refused(&def, "no grid kind");
}

static void more_points_than_numbers_are_refused(void **state) {
  (void)state;
  static const uint32_t huge[][3] = {{UINT32_MAX, 1, 1},
                                     {1, 1, UINT32_MAX},
                                     {65535, 65535, 1},
                                     {2000, 2000, 2000},
                                     {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
  for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
    for (size_t k = CLV_GRID_HEX; k < KIND_COUNT; k++) {
      clv_grid_def def = clv_default_grid_def();
      def.kind = all_kinds[k];
      memcpy(def.cells, huge[i], sizeof def.cells);
      assert_refused(&def, "more than the 4294967295 points");
    }
  }
  clv_grid_def def = clv_default_grid_def();
  def.cells[0] = def.cells[1] = def.cells[2] = 1000;
  def.shared = false; // 8 * 10^9 points; shared, 10^9 would do
  assert_refused(&def, "or shared points");
}

static void a_mesh_that_is_not_empty_is_refused(void **state) {
  (void)state;
  clv_grid_def def = clv_default_grid_def();
  clv_mesh mesh;
  clv_error error = {0};
  make(&mesh, &def);
  assert_int_equal(clv_mesh_grid(&mesh, &def, &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "8 points and 1 elements"));
  assert_int_equal(mesh.element_count, 1);
  clv_mesh_free(&mesh);
}

static void a_plane_grid_ignores_what_it_does_not_use(void **state) {
  (void)state;
  clv_grid_def def = clv_default_grid_def();
  def.kind = CLV_GRID_MIXED2;
  def.cells[0] = 2;
  def.cells[2] = 0;
  def.size[2] = NAN;
  def.origin[2] = 4.5;
  clv_mesh mesh;
  make(&mesh, &def);
  for (size_t p = 0; p < mesh.point_count; p++) assert_true(mesh.points[p][2] == 4.5);
  assert_int_equal(clv_mesh_dimension(&mesh), 2);
  clv_mesh_free(&mesh);
  def.origin[2] = INFINITY;
  assert_refused(&def, "plane");
}

// ---- counts ---------------------------------------------------------------------------------------------------------

static void check_counts(const clv_mesh *mesh, const clv_grid_def *def) {
  static const size_t pieces[] = {2, 1, 0, 1, 5, 6, 2, 6, 0}; // 0: varies
  size_t x = def->cells[0], y = def->cells[1], z = dimension_of(def->kind) == 3 ? def->cells[2] : 1;
  size_t cells = x * y * z;
  size_t lattice = (x + 1) * (y + 1) * (dimension_of(def->kind) == 3 ? z + 1 : 1);
  if (pieces[def->kind]) assert_int_equal(mesh->element_count, cells * pieces[def->kind]);
  if (def->kind == CLV_GRID_MIXED2) assert_int_equal(mesh->element_count, cells + cells / 2);
  if (!def->shared)
    assert_int_equal(mesh->point_count, mesh->offsets[mesh->element_count]);
  else if (def->kind == CLV_GRID_PYRAMID)
    assert_int_equal(mesh->point_count, lattice + cells);
  else if (def->kind == CLV_GRID_MIXED)
    assert_in_range(mesh->point_count, lattice, lattice + cells);
  else
    assert_int_equal(mesh->point_count, lattice);
  // Reserved exactly: what was counted is what was made.
  assert_int_equal(mesh->point_capacity, mesh->point_count);
  assert_int_equal(mesh->element_capacity, mesh->element_count);
  assert_int_equal(mesh->corner_capacity, mesh->offsets[mesh->element_count]);
}

static void counts_are_as_expected(void **state) {
  (void)state;
  for_all_grids(check_counts);
}

static bool *kinds_present(const clv_mesh *mesh, bool present[CLV_KIND_COUNT]) {
  memset(present, 0, CLV_KIND_COUNT * sizeof *present);
  for (size_t e = 0; e < mesh->element_count; e++) present[mesh->kinds[e]] = true;
  return present;
}

static void check_kinds(const clv_mesh *mesh, const clv_grid_def *def) {
  static const clv_kind pure[] = {CLV_TRI, CLV_QUAD,  CLV_NONE,    CLV_HEX, CLV_TET,
                                  CLV_TET, CLV_PRISM, CLV_PYRAMID, CLV_NONE};
  bool present[CLV_KIND_COUNT];
  kinds_present(mesh, present);
  for (int kind = 0; kind < CLV_KIND_COUNT; kind++) {
    if (pure[def->kind]) {
      assert_int_equal(present[kind], kind == (int)pure[def->kind]);
    } else if (present[kind]) {
      assert_int_equal(clv_kind_dimension((clv_kind)kind), dimension_of(def->kind));
    }
  }
}

static void kinds_are_those_of_the_grid(void **state) {
  (void)state;
  for_all_grids(check_kinds);
}

static void mixed_grids_hold_every_kind(void **state) {
  (void)state;
  for (uint32_t x = 1; x <= 6; x++) {
    for (uint32_t y = 1; y <= 4; y++) {
      for (uint32_t z = 1; z <= 4; z++) {
        bool present[CLV_KIND_COUNT];
        clv_mesh mesh;
        clv_grid_def def = def_of(CLV_GRID_MIXED, (uint32_t[3]){x, y, z}, true);
        make(&mesh, &def);
        kinds_present(&mesh, present);
        if (x >= 4 || (x >= 2 && y >= 2 && z >= 2))
          assert_true(present[CLV_TET] && present[CLV_PYRAMID] && present[CLV_PRISM] && present[CLV_HEX]);
        clv_mesh_free(&mesh);
        def.kind = CLV_GRID_MIXED2;
        make(&mesh, &def);
        kinds_present(&mesh, present);
        if (x * y >= 2) assert_true(present[CLV_TRI] && present[CLV_QUAD]);
        clv_mesh_free(&mesh);
      }
    }
  }
}

// ---- geometry -------------------------------------------------------------------------------------------------------

static double measure(const clv_mesh *mesh, size_t element) {
  double corners[8][3];
  copy_corners(mesh, element, corners);
  clv_kind kind = (clv_kind)mesh->kinds[element];
  bool flat = clv_kind_dimension(kind) == 2;
  return flat ? clv_element_area_z(kind, (const double(*)[3])corners)
              : clv_element_measure(kind, (const double(*)[3])corners);
}

static void check_measures(const clv_mesh *mesh, const clv_grid_def *def) {
  double total = 0.0;
  for (size_t e = 0; e < mesh->element_count; e++) {
    double corners[8][3];
    copy_corners(mesh, e, corners);
    assert_true(measure(mesh, e) > 0.0);
    assert_true(clv_element_quality((clv_kind)mesh->kinds[e], (const double(*)[3])corners) > 0.0);
    total += measure(mesh, e);
  }
  double box = def->size[0] * def->size[1] * (dimension_of(def->kind) == 3 ? def->size[2] : 1.0);
  assert_near(total, box);
}

static void elements_are_positive_and_fill_the_box(void **state) {
  (void)state;
  for_all_grids(check_measures);
}

static void the_far_corner_is_exact(void **state) {
  (void)state;
  clv_grid_def def = clv_default_grid_def();
  def.kind = CLV_GRID_QUAD;
  for (uint32_t n = 1; n < 200; n++) {
    def.cells[0] = n;
    def.size[0] = 0.1 * n;
    clv_mesh mesh;
    make(&mesh, &def);
    assert_true(mesh.points[mesh.point_count - 1][0] == def.size[0]);
    clv_mesh_free(&mesh);
  }
}

// ---- conformity -----------------------------------------------------------------------------------------------------

typedef struct face {
  uint32_t key[4]; // sorted; UINT32_MAX where a face has fewer corners
  uint32_t corners[4];
  int size;
} face;

typedef struct face_shape {
  int size;
  int corners[4];
} face_shape;

// The faces of the templates, in any rotation; those of a plane element are its sides.
static const face_shape face_shapes[CLV_KIND_COUNT][6] = {
    [CLV_TRI] = {{2, {0, 1}}, {2, {1, 2}}, {2, {2, 0}}},
    [CLV_QUAD] = {{2, {0, 1}}, {2, {1, 2}}, {2, {2, 3}}, {2, {3, 0}}},
    [CLV_TET] = {{3, {0, 1, 2}}, {3, {0, 1, 3}}, {3, {1, 2, 3}}, {3, {0, 2, 3}}},
    [CLV_PYRAMID] = {{4, {0, 1, 2, 3}}, {3, {0, 1, 4}}, {3, {1, 2, 4}}, {3, {2, 3, 4}}, {3, {3, 0, 4}}},
    [CLV_PRISM] = {{3, {0, 1, 2}}, {3, {3, 4, 5}}, {4, {0, 1, 4, 3}}, {4, {1, 2, 5, 4}}, {4, {2, 0, 3, 5}}},
    [CLV_HEX] = {{4, {0, 1, 2, 3}},
                 {4, {4, 5, 6, 7}},
                 {4, {0, 1, 5, 4}},
                 {4, {1, 2, 6, 5}},
                 {4, {2, 3, 7, 6}},
                 {4, {3, 0, 4, 7}}},
};

static int compare_numbers(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static int compare_faces(const void *a, const void *b) {
  const face *x = a, *y = b;
  for (int i = 0; i < 4; i++) {
    if (x->key[i] != y->key[i]) return x->key[i] < y->key[i] ? -1 : 1;
  }
  return 0;
}

static face make_face(const uint32_t *element_corners, const face_shape *shape) {
  face f = {.size = shape->size};
  memset(f.key, 0xff, sizeof f.key);
  for (int c = 0; c < shape->size; c++) f.key[c] = f.corners[c] = element_corners[shape->corners[c]];
  qsort(f.key, 4, sizeof *f.key, compare_numbers);
  return f;
}

static size_t collect_faces(const clv_mesh *mesh, face *faces) {
  size_t count = 0;
  for (size_t e = 0; e < mesh->element_count; e++) {
    const face_shape *shapes = face_shapes[mesh->kinds[e]];
    for (int s = 0; s < 6 && shapes[s].size; s++) {
      faces[count++] = make_face(mesh->corners + mesh->offsets[e], &shapes[s]);
    }
  }
  return count;
}

static double face_area(const clv_mesh *mesh, const face *f) {
  double corners[4][3];
  for (int c = 0; c < f->size; c++) memcpy(corners[c], mesh->points[f->corners[c]], sizeof corners[c]);
  if (f->size == 2) return hypot(corners[1][0] - corners[0][0], corners[1][1] - corners[0][1]);
  return clv_element_measure(f->size == 3 ? CLV_TRI : CLV_QUAD, (const double(*)[3])corners);
}

static bool lies_on_box(const clv_mesh *mesh, const clv_grid_def *def, const face *f) {
  for (int axis = 0; axis < dimension_of(def->kind); axis++) {
    double low = def->origin[axis], high = low + def->size[axis];
    bool on_low = true, on_high = true;
    for (int c = 0; c < f->size; c++) {
      on_low = on_low && mesh->points[f->corners[c]][axis] == low;
      on_high = on_high && mesh->points[f->corners[c]][axis] == high;
    }
    if (on_low || on_high) return true;
  }
  return false;
}

static double box_boundary(const clv_grid_def *def) {
  double x = def->size[0], y = def->size[1], z = def->size[2];
  return dimension_of(def->kind) == 2 ? 2 * (x + y) : 2 * (x * y + y * z + z * x);
}

static void check_conformity(const clv_mesh *mesh, const clv_grid_def *def) {
  if (!def->shared) return;
  face *faces = malloc(6 * mesh->element_count * sizeof *faces);
  assert_non_null(faces);
  size_t count = collect_faces(mesh, faces);
  qsort(faces, count, sizeof *faces, compare_faces);
  double boundary = 0.0;
  for (size_t first = 0, next; first < count; first = next) {
    for (next = first + 1; next < count && compare_faces(&faces[first], &faces[next]) == 0;) next++;
    bool outer = lies_on_box(mesh, def, &faces[first]);
    assert_int_equal(next - first, outer ? 1 : 2);
    if (outer) boundary += face_area(mesh, &faces[first]);
  }
  assert_near(boundary, box_boundary(def));
  free(faces);
}

static void neighbours_meet_face_to_face(void **state) {
  (void)state;
  for_all_grids(check_conformity);
}

// ---- shared and separate points -------------------------------------------------------------------------------------

static int compare_points(const void *a, const void *b) {
  const double *p = a, *q = b;
  for (int axis = 0; axis < 3; axis++) {
    if (p[axis] != q[axis]) return p[axis] < q[axis] ? -1 : 1;
  }
  return 0;
}

// No two points coincide and every point has an element.
static void check_points_are_distinct_and_used(const clv_mesh *mesh, const clv_grid_def *def) {
  if (!def->shared) return;
  bool *used = calloc(mesh->point_count, sizeof *used);
  double(*sorted)[3] = malloc(mesh->point_count * sizeof *sorted);
  assert_true(used && sorted);
  for (size_t c = 0; c < mesh->offsets[mesh->element_count]; c++) used[mesh->corners[c]] = true;
  for (size_t p = 0; p < mesh->point_count; p++) assert_true(used[p]);
  memcpy(sorted, mesh->points, mesh->point_count * sizeof *sorted);
  qsort(sorted, mesh->point_count, sizeof *sorted, compare_points);
  for (size_t p = 1; p < mesh->point_count; p++) assert_true(compare_points(sorted[p - 1], sorted[p]) < 0);
  free(used);
  free(sorted);
}

static void shared_points_are_distinct_and_used(void **state) {
  (void)state;
  for_all_grids(check_points_are_distinct_and_used);
}

// As shared points are distinct, merging the separate ones by their coordinates gives back the shared grid exactly if
// each corner is equal to the last bit.
static void check_separate_equals_shared(const clv_mesh *separate, const clv_grid_def *def) {
  if (def->shared) return;
  clv_grid_def shared_def = *def;
  shared_def.shared = true;
  clv_mesh shared;
  make(&shared, &shared_def);
  assert_int_equal(separate->element_count, shared.element_count);
  assert_memory_equal(separate->kinds, shared.kinds, shared.element_count);
  assert_memory_equal(separate->offsets, shared.offsets, (shared.element_count + 1) * sizeof *shared.offsets);
  for (size_t c = 0; c < shared.offsets[shared.element_count]; c++) {
    assert_int_equal(separate->corners[c], c);
    assert_memory_equal(separate->points[c], shared.points[shared.corners[c]], sizeof shared.points[0]);
  }
  clv_mesh_free(&shared);
}

static void separate_points_merge_to_the_shared_grid(void **state) {
  (void)state;
  for_all_grids(check_separate_equals_shared);
}

// ---- failure at every allocation ------------------------------------------------------------------------------------

// Runs a grid whose `fail_at`-th allocation is refused; false when there was none to refuse.
static bool survives_refusal(const clv_grid_def *def, size_t fail_at) {
  counting_memory memory = {.fail_at = fail_at};
  clv_allocator allocator = counting_allocator(&memory);
  clv_mesh mesh;
  clv_error error = {0};
  clv_mesh_init(&mesh, &allocator);
  clv_result result = clv_mesh_grid(&mesh, def, &error);
  assert_int_equal(result, memory.refused ? CLV_ERROR_MEMORY : CLV_OK);
  if (memory.refused) {
    assert_non_null(strstr(error.message, "no memory for"));
    assert_int_equal(mesh.point_count, 0);
    assert_int_equal(mesh.element_count, 0);
    assert_int_equal(clv_mesh_grid(&mesh, def, &error), CLV_OK); // the same mesh is good for a second try
  }
  check_measures(&mesh, def);
  clv_mesh_free(&mesh);
  assert_int_equal(memory.live_bytes, 0);
  return memory.refused;
}

static void a_failed_allocation_leaves_an_empty_mesh(void **state) {
  (void)state;
  for (size_t k = 0; k < KIND_COUNT; k++) {
    for (int shared = 0; shared < 2; shared++) {
      clv_grid_def def = def_of(all_kinds[k], (uint32_t[3]){5, 2, 2}, shared);
      size_t fail_at = 1;
      while (survives_refusal(&def, fail_at)) fail_at++;
      assert_int_equal(fail_at, 6); // points, three columns of elements, corners
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_go_there_and_back),
      cmocka_unit_test(the_default_is_the_unit_cube),
      cmocka_unit_test(bad_numbers_are_refused),
      cmocka_unit_test(cells_below_the_resolution_are_refused),
      cmocka_unit_test(unknown_kinds_are_refused),
      cmocka_unit_test(more_points_than_numbers_are_refused),
      cmocka_unit_test(a_mesh_that_is_not_empty_is_refused),
      cmocka_unit_test(a_plane_grid_ignores_what_it_does_not_use),
      cmocka_unit_test(counts_are_as_expected),
      cmocka_unit_test(kinds_are_those_of_the_grid),
      cmocka_unit_test(mixed_grids_hold_every_kind),
      cmocka_unit_test(elements_are_positive_and_fill_the_box),
      cmocka_unit_test(the_far_corner_is_exact),
      cmocka_unit_test(neighbours_meet_face_to_face),
      cmocka_unit_test(shared_points_are_distinct_and_used),
      cmocka_unit_test(separate_points_merge_to_the_shared_grid),
      cmocka_unit_test(a_failed_allocation_leaves_an_empty_mesh),
  };
  return cmocka_run_group_tests_name("grid", tests, NULL, NULL);
}
