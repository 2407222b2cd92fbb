// STL files by hand: text and binary that look like each other, merging, and what is wrong with the wrong ones.

#include "support/mesh_files.h"

#include <string.h>

#define FACET(a, b, c)                                                                                                 \
  "facet normal 0 0 1\n outer loop\n vertex " a "\n vertex " b "\n vertex " c "\n endloop\nendfacet\n"

static void test_text_merges_equal_points(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.stl",
            "solid left lobe\r\n" FACET("0 0 0", "1 0 0", "1 1 0")
                FACET("1.0 1.0e0 -0", "0 1 0", "0.0 -0.0 0") "endsolid left lobe\nSOLID\nFacet Normal nan -nan(ind) "
                                                             "0\nOUTER LOOP\nvertex 1 0 0 vertex 2 0 0 vertex 1 1 0\n"
                                                             "endloop endfacet\nendsolid\n");
  assert_int_equal(mesh.point_count, 5);
  static const uint32_t corners[] = {0, 1, 2, 2, 3, 0, 1, 4, 2};
  assert_memory_equal(mesh.corners, corners, sizeof corners);
  assert_int_equal(mesh.tags[1], 1);
  assert_int_equal(mesh.tags[2], 0);
  assert_string_equal(mesh.regions[0].name, "left lobe");
  clv_mesh_free(&mesh);
}

static void build_triangle(file_builder *b, const float corners[9], uint16_t attribute) {
  for (int i = 0; i < 3; i++) build_float(b, 0);
  for (int i = 0; i < 9; i++) build_float(b, corners[i]);
  build_integer(b, attribute, 2);
}

static void build_binary(file_builder *b, const char *header, uint32_t count) {
  static const float corners[2][9] = {{0, 0, 0, 1, 0, 0, 1, 1, 0.1f}, {1, 1, 0.1f, 0, 1, 0, 0, 0, 0}};
  build_text(b, header);
  while (b->size < 80) build_integer(b, header[0] == 's' ? ' ' : 0, 1);
  build_integer(b, count, 4);
  for (int i = 0; i < 2; i++) build_triangle(b, corners[i], (uint16_t)(7 * i));
}

static clv_result read_built(clv_mesh *mesh, const file_builder *b, clv_error *error) {
  clv_mesh_init(mesh, NULL);
  return clv_mesh_read_memory(mesh, "x.stl", b->data, b->size, error);
}

// Programs that begin the free text of a binary file with "solid" are many.
static void test_binary_is_told_by_its_length(void **state) {
  (void)state;
  static const char *const headers[] = {"solid by hand", "by hand", ""};
  for (int i = 0; i < 3; i++) {
    file_builder b = {.size = 0};
    build_binary(&b, headers[i], 2);
    clv_mesh mesh;
    clv_error error = {CLV_OK, ""};
    if (read_built(&mesh, &b, &error)) fail_msg("%s", error.message);
    assert_int_equal(mesh.point_count, 4);
    assert_int_equal(mesh.element_count, 2);
    assert_int_equal(mesh.tags[1], 7);
    assert_true(mesh.points[2][2] == (double)0.1f);
    clv_mesh_free(&mesh);
  }
}

static void check_is_wrong(const file_builder *b, const char *message) {
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  assert_int_equal(read_built(&mesh, b, &error), CLV_ERROR_INPUT);
  if (!strstr(error.message, message)) fail_msg("expected '%s' in '%s'", message, error.message);
  assert_mesh_is_empty(&mesh);
}

static void test_wrong_binary_files_are_explained(void **state) {
  (void)state;
  file_builder b = {.size = 0};
  build_binary(&b, "by hand", 3);
  check_is_wrong(&b, "x.stl: byte 80: 3 triangles are declared, but the file is too short for more than 2");
  b.size = 40;
  check_is_wrong(&b, "byte 0: the file ends in the middle of the header of 80 bytes");
  b.size = 82;
  check_is_wrong(&b, "byte 80: the file ends in the middle of the number of triangles");
  b = (file_builder){.size = 0};
  build_binary(&b, "by hand", 2);
  memset(b.data + 84 + 50 + 12, 0xff, 4);
  check_is_wrong(&b, "byte 134: triangle 1 has a coordinate that is not finite");
}

static void test_wrong_texts_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"", 1, "expected 'solid', found the end of the file"},
      {"hello", 1, "expected 'solid', found 'hello'"},
      {"solid x\n", 2, "expected 'facet' or 'endsolid', found the end of the file"},
      {"solid x\nvertex 0 0 0\n", 2, "expected 'facet' or 'endsolid', found 'vertex'"},
      {"solid x\nfacet 0 0 1\n", 2, "expected 'normal', found '0'"},
      {"solid x\nfacet normal 0 0 1\nloop\n", 3, "expected 'outer', found 'loop'"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\nvertex 1 0 0\n", 5,
       "expected a coordinate, found 'vertex'"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 inf\n", 4,
       "triangle 0 has a coordinate that is not finite"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nendloop\n", 6,
       "expected 'vertex', found 'endloop'"},
      {"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 2 0 0\nvertex 3 0 0\n", 7,
       "expected 'endloop', found 'vertex'"},
      {"solid x\n" FACET("0 0 0", "1 0 0", "1 1 0"), 9, "expected 'facet' or 'endsolid', found the end of the file"},
      {"solid x\nendsolid x\nmore\n", 3, "expected 'solid', found 'more'"},
  };
  assert_texts_are_wrong("x.stl", cases, sizeof cases / sizeof *cases);
}

// A grid comes back with as many points and the same triangles in space.
static void test_a_large_surface_is_merged_again(void **state) {
  (void)state;
  static const char *const formats[] = {"stl", "stl-binary"};
  for (int f = 0; f < 2; f++) {
    clv_mesh mesh, back;
    clv_mesh_init(&mesh, NULL);
    clv_mesh_init(&back, NULL);
    clv_grid_def def = clv_default_grid_def();
    def.kind = CLV_GRID_TRI;
    def.cells[0] = def.cells[1] = 64; // so that coordinates are floats
    assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
    file_bytes file = file_of_mesh(&mesh, formats[f]);
    assert_int_equal(clv_mesh_read_memory(&back, "x.stl", file.data, file.size, NULL), CLV_OK);
    assert_int_equal(back.point_count, mesh.point_count);
    assert_int_equal(back.element_count, mesh.element_count);
    for (size_t i = 0; i < 3 * mesh.element_count; i++) {
      assert_memory_equal(mesh.points[mesh.corners[i]], back.points[back.corners[i]], sizeof *mesh.points);
    }
    free(file.data);
    clv_mesh_free(&mesh);
    clv_mesh_free(&back);
  }
}

static void check_refused(const clv_mesh *mesh, const char *format, const char *word) {
  clv_error error;
  assert_int_equal(clv_mesh_write(mesh, "never.stl", format, &error), CLV_ERROR_ARGUMENT);
  if (!strstr(error.message, word)) fail_msg("expected '%s' in '%s'", word, error.message);
}

static void test_what_cannot_be_held_is_refused(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_mesh_add_point(&mesh, 0, 0, 0);
  clv_mesh_add_point(&mesh, 1, 0, 0);
  clv_mesh_add_point(&mesh, 1, 1e39, 0);
  clv_mesh_add_element(&mesh, CLV_TRI, (uint32_t[]){0, 1, 2}, 3, 0);
  check_refused(&mesh, "stl-binary", "point 2 does not fit the 32-bit floats of a binary STL file; write it as text");
  mesh.tags[0] = 65536;
  check_refused(&mesh, "stl-binary", "element 0 is of region 65536, a binary STL file has regions 0 to 65535");
  clv_mesh_add_element(&mesh, CLV_LINE, (uint32_t[]){0, 1}, 2, 0);
  check_refused(&mesh, "stl", "element 1 is a line, which STL files cannot hold");
  clv_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_merges_equal_points),         cmocka_unit_test(test_binary_is_told_by_its_length),
      cmocka_unit_test(test_wrong_binary_files_are_explained), cmocka_unit_test(test_wrong_texts_are_explained),
      cmocka_unit_test(test_a_large_surface_is_merged_again),  cmocka_unit_test(test_what_cannot_be_held_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
