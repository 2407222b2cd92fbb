// PLY files by hand: properties of every sort, strips, edges, both byte orders, and what is wrong with the wrong ones.

#include "support/mesh_files.h"

#include <string.h>

static void test_text_with_fields(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(
      &mesh, "x.ply",
      "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nobj_info nothing\r\nelement vertex 4\r\n"
      "property float x\r\nproperty list uchar int neighbours\r\nproperty float y\r\nproperty float z\r\n"
      "property float nx\nproperty float ny\nproperty float nz\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\nproperty double heat\n"
      "element face 2\nproperty uchar flag\nproperty list uchar int vertex_indices\nproperty int region\n"
      "property list uchar float texcoord\n"
      "element material 2\nproperty int a\nproperty list uint8 float b\n"
      "element edge 1\nproperty int vertex1\nproperty int vertex2\nproperty uchar flag\nend_header\r\n"
      "0 2 1 1 0 0  0 0 1  255 0 0 9 0.5\n1 0 0 0  0 0 1  0 255 0 8 1.5\n1 0 1 0  0 0 1  0 0 255 7 2.5\n"
      "0 0 1 0  0 0 1  1 2 3 6 3.5\n"
      "1 3 0 1 2 -5 2 0.5 0.5\n2 4 0 1 2 3 6 0\n"
      "1 0\n2 2 0.5 0.25\n"
      "3 1 3\n");
  assert_int_equal(mesh.point_count, 4);
  assert_int_equal(mesh.element_count, 3);
  assert_int_equal(mesh.kinds[0], CLV_TRI);
  assert_int_equal(mesh.kinds[1], CLV_QUAD);
  assert_int_equal(mesh.kinds[2], CLV_LINE);
  static const int32_t tags[] = {-5, 6, 0};
  assert_memory_equal(mesh.tags, tags, sizeof tags);
  static const struct {
    const char *name;
    clv_field_place place;
    uint32_t components;
  } fields[] = {{"normal", CLV_ON_POINTS, 3},
                {"color", CLV_ON_POINTS, 4},
                {"heat", CLV_ON_POINTS, 1},
                {"flag", CLV_ON_ELEMENTS, 1}};
  assert_int_equal(mesh.field_count, 4);
  for (size_t f = 0; f < 4; f++) {
    assert_string_equal(mesh.fields[f].name, fields[f].name);
    assert_int_equal(mesh.fields[f].place, fields[f].place);
    assert_int_equal(mesh.fields[f].components, fields[f].components);
  }
  assert_true(mesh.fields[1].values[5] == 255 && mesh.fields[1].values[15] == 6 && mesh.fields[2].values[3] == 3.5);
  assert_true(mesh.fields[3].values[0] == 1 && mesh.fields[3].values[1] == 2 && mesh.fields[3].values[2] == 3);
  clv_mesh_free(&mesh);
}

// Every scalar type, strips, and a first byte of data that looks like a line break.
static void build_binary(file_builder *b, const char *line_end) {
  const char *const lines[] = {"ply",
                               b->big_endian ? "format binary_big_endian 1.0" : "format binary_little_endian 1.0",
                               "element vertex 4",
                               "property uchar flag",
                               "property double x",
                               "property float y",
                               "property short z",
                               "property int8 c",
                               "property uint16 d",
                               "property uint32 e",
                               "property int64 f",
                               "element tristrips 1",
                               "property list int int vertex_indices",
                               "element face 1",
                               "property list ushort uint vertex_index",
                               "property char region",
                               "end_header"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    build_text(b, lines[i]);
    build_text(b, line_end);
  }
  for (int i = 0; i < 4; i++) {
    build_integer(b, '\n', 1);
    build_real(b, i % 2 ? 0.1 : 0.2);
    build_float(b, i < 2 ? 0.0f : 1.0f);
    build_integer(b, (uint64_t)-3, 2);
    build_integer(b, (uint64_t)-2, 1);
    build_integer(b, 65535, 2);
    build_integer(b, 4294967295, 4);
    build_integer(b, (uint64_t)-1, 8);
  }
  static const int strip[] = {7, 0, 1, 2, 3, -1, 0, 1};
  for (int i = 0; i < 8; i++) build_integer(b, (uint64_t)(int64_t)strip[i], 4);
  build_integer(b, 3, 2);
  for (unsigned i = 0; i < 3; i++) build_integer(b, i, 4);
  build_integer(b, (uint64_t)-9, 1);
}

static void test_binary_in_both_byte_orders(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    file_builder b = {.big_endian = i % 2};
    build_binary(&b, i / 2 ? "\r\n" : "\n");
    clv_mesh mesh;
    clv_error error = {CLV_OK, ""};
    clv_mesh_init(&mesh, NULL);
    if (clv_mesh_read_memory(&mesh, "x.ply", b.data, b.size, &error)) fail_msg("%s", error.message);
    assert_true(mesh.points[3][0] == 0.1 && mesh.points[3][1] == 1 && mesh.points[3][2] == -3);
    static const uint32_t corners[] = {0, 1, 2, 2, 1, 3, 0, 1, 2};
    assert_int_equal(mesh.element_count, 3);
    assert_memory_equal(mesh.corners, corners, sizeof corners);
    assert_int_equal(mesh.tags[0], 0);
    assert_int_equal(mesh.tags[2], -9);
    static const double expected[] = {'\n', -2, 65535, 4294967295, -1};
    assert_int_equal(mesh.field_count, 5);
    for (int f = 0; f < 5; f++) assert_true(mesh.fields[f].values[3] == expected[f]);
    clv_mesh_free(&mesh);
  }
}

static void test_binary_errors_name_a_byte(void **state) {
  (void)state;
  file_builder b = {.size = 0};
  build_binary(&b, "\n");
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_read_memory(&mesh, "x.ply", b.data, b.size - 1, &error), CLV_ERROR_INPUT);
  assert_non_null(strstr(error.message, "the file ends in the middle of a number"));
  assert_non_null(strstr(error.message, "x.ply: byte "));
  assert_mesh_is_empty(&mesh);
}

#define HEAD "ply\nformat ascii 1.0\n"
#define VERTEX "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
#define FACE "element face 1\nproperty list uchar int vertex_indices\n"

static void test_wrong_files_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"", 1, "expected 'ply', found the end of the file"},
      {"plx\n", 1, "expected 'ply', found 'plx'"},
      {"ply\nformat text 1.0\n", 2, "expected ascii, binary_little_endian or binary_big_endian, found 'text'"},
      {"ply\nformat ascii 2.0\n", 2, "PLY format 2 is not supported; 1.0 is"},
      {"ply\nend_header\n", 2, "the header has no line 'format'"},
      {HEAD "hello\n", 3, "expected a line of the header, such as element or end_header, found 'hello'"},
      {HEAD "element vertex x\n", 3, "expected the number of things of an element, found 'x'"},
      {HEAD "element vertex -1\n", 3, "-1 things of an element are declared"},
      {HEAD "property float x\n", 3, "a property comes before any element"},
      {HEAD "element vertex 1\nproperty real x\n", 4, "expected a type such as float or uchar, found 'real'"},
      {HEAD "element vertex 1\nproperty list float int x\n", 4, "the length of a list must be an integer"},
      {HEAD "element vertex 1\n", 4, "found the end of the file"},
      {HEAD "end_header\n", 3, "the file has no element 'vertex'"},
      {HEAD "element vertex 1\nproperty float x\nproperty float y\nend_header\n0 0 0 0\n", 6, "no coordinate z"},
      {HEAD FACE VERTEX "end_header\n3 0 0 0\n0 0 0\n", 9, "element 'face' comes before the vertices it uses"},
      {HEAD VERTEX "element vertex 0\nproperty int x\nend_header\n0 0 0\n", 10, "a second element 'vertex'"},
      {HEAD VERTEX "end_header\n0 0\n", 9, "expected a number, found the end of the file"},
      {HEAD VERTEX "end_header\n0 0 inf\n", 8, "not finite"},
      {HEAD "element vertex 90\nproperty float x\nend_header\n0 0\n", 5, "90 rows of an element are declared"},
      {HEAD VERTEX FACE "end_header\n0 0 0\n3 0 0 1\n", 11, "there is no vertex 1; there are 1, counted from 0"},
      {HEAD VERTEX FACE "end_header\n0 0 0\n3 0 0 -1\n", 11, "there is no vertex -1"},
      {HEAD VERTEX FACE "end_header\n0 0 0\n2 0 0\n", 11, "a face has 2 corners, at least 3 are needed"},
      {HEAD VERTEX FACE "end_header\n0 0 0\n-3 0 0 0\n", 11, "a list of length -3"},
      {HEAD VERTEX FACE "end_header\n0 0 0\n300 0 0 0\n", 11, "300 numbers of a list are declared"},
      {HEAD VERTEX FACE "end_header\n0 0 0\n3 0 0 0\n7\n", 12, "unexpected '7' behind the last element"},
      {HEAD VERTEX FACE "property int region\nend_header\n0 0 0\n3 0 0 0 3000000000\n", 12, "no integer of 32 bits"},
      {HEAD VERTEX "element edge 1\nproperty int vertex1\nend_header\n0 0 0\n0\n", 10, "no vertex1 and vertex2"},
      {HEAD VERTEX "element edge 1\nproperty int vertex1\nproperty int vertex2\nend_header\n0 0 0\n0 0.5\n", 12,
       "there is no vertex -1"},
  };
  assert_texts_are_wrong("x.ply", cases, sizeof cases / sizeof *cases);
}

static void test_names_that_mean_something_are_changed(void **state) {
  (void)state;
  clv_mesh mesh, back;
  clv_mesh_init(&mesh, NULL);
  clv_mesh_add_point(&mesh, 1, 2, 3);
  clv_mesh_add_field(&mesh, "x", CLV_ON_POINTS, 1, NULL);
  clv_mesh_add_field(&mesh, "two words", CLV_ON_POINTS, 2, NULL);
  file_bytes file = file_of_mesh(&mesh, "ply");
  read_text(&back, "x.ply", file.data);
  assert_int_equal(back.field_count, 2);
  assert_string_equal(back.fields[0].name, "x_");
  assert_string_equal(back.fields[1].name, "two_words");
  assert_int_equal(back.fields[1].components, 2);
  free(file.data);
  clv_mesh_free(&mesh);
  clv_mesh_free(&back);
}

static void test_polygons_of_many_corners(void **state) {
  (void)state;
  clv_mesh mesh, back;
  uint32_t corners[300];
  clv_mesh_init(&mesh, NULL);
  clv_mesh_init(&back, NULL);
  for (uint32_t i = 0; i < 300; i++) {
    clv_mesh_add_point(&mesh, i, i * i, 0);
    corners[i] = i;
  }
  clv_mesh_add_element(&mesh, CLV_POLYGON, corners, 300, 0);
  file_bytes file = file_of_mesh(&mesh, "ply-binary");
  assert_int_equal(clv_mesh_read_memory(&back, "x.ply", file.data, file.size, NULL), CLV_OK);
  assert_meshes_equal(&mesh, &back);
  free(file.data);
  clv_mesh_free(&mesh);
  clv_mesh_free(&back);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_with_fields),
      cmocka_unit_test(test_binary_in_both_byte_orders),
      cmocka_unit_test(test_binary_errors_name_a_byte),
      cmocka_unit_test(test_wrong_files_are_explained),
      cmocka_unit_test(test_names_that_mean_something_are_changed),
      cmocka_unit_test(test_polygons_of_many_corners),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
