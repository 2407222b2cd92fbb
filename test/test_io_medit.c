// MEDIT files by hand: text as other programs write it, binary of every version in both byte orders, and what is wrong
// with the wrong ones.

#include "support/mesh_files.h"

#include <stdio.h>
#include <string.h>

static void assert_corners(const clv_mesh *mesh, size_t element, clv_kind kind, const uint32_t *corners) {
  assert_int_equal(mesh->kinds[element], kind);
  assert_memory_equal(mesh->corners + mesh->offsets[element], corners,
                      (size_t)clv_kind_corners(kind) * sizeof *corners);
}

// ---- text -----------------------------------------------------------------------------------------------------------

static void test_text_with_comments_and_foreign_sections(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(
      &mesh, "x.mesh",
      "# made by hand\n MeshVersionFormatted 1\r\n\r\nDimension\r\n3\r\n"
      "Vertices # five of them\n5\n0 0 0 1\n1 0 0 0\n# a comment among numbers\n0 1 0 -4\n0 0 1.5e0 0 1 1 1 2\n"
      "Corners\n2\n1\n2\nNormals 1\n0 0 -1.0\nNormalAtVertices\n1\n1 1\n"
      "Tetrahedra 1\n1 2 3 4 7\nTriangles\n2\n1 2 3 11\n1 2 5 -12\nEdges\n1\n1 2 3\nRequiredTriangles\n1\n1\n\nEnd\n"
      "what follows is not read");
  assert_int_equal(mesh.point_count, 5);
  assert_int_equal(mesh.element_count, 4);
  assert_true(mesh.points[3][2] == 1.5);
  assert_corners(&mesh, 0, CLV_TET, (uint32_t[]){0, 1, 2, 3});
  assert_corners(&mesh, 2, CLV_TRI, (uint32_t[]){0, 1, 4});
  assert_corners(&mesh, 3, CLV_LINE, (uint32_t[]){0, 1});
  assert_int_equal(mesh.tags[0], 7);
  assert_int_equal(mesh.tags[2], -12);
  assert_int_equal(mesh.field_count, 1);
  assert_string_equal(mesh.fields[0].name, "ref");
  assert_true(mesh.fields[0].values[0] == 1 && mesh.fields[0].values[2] == -4 && mesh.fields[0].values[4] == 2);
  clv_mesh_free(&mesh);
}

static void test_plane_meshes_and_old_spellings(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.mesh",
            "MeshVersionFormatted 3\nDimension 2\nVertices 4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n"
            "Quadrilaterals 1\n1 2 3 4 0\nEnd");
  assert_int_equal(mesh.field_count, 0); // no vertex has a reference
  assert_true(mesh.points[2][1] == 1 && mesh.points[2][2] == 0);
  assert_corners(&mesh, 0, CLV_QUAD, (uint32_t[]){0, 1, 2, 3});
  clv_mesh_free(&mesh);
  read_text(&mesh, "x.mesh", "MeshVersionFormatted 2 Dimension 3 Vertices 1 0 0 0 0 Hexaedra 1 1 1 1 1 1 1 1 1 5 End");
  assert_int_equal(mesh.kinds[0], CLV_HEX);
  clv_mesh_free(&mesh);
}

static void test_second_order_elements_are_reduced(void **state) {
  (void)state;
  static const struct {
    const char *section;
    int nodes;
    clv_kind kind;
  } cases[] = {
      {"EdgesP2", 3, CLV_LINE},      {"TrianglesP2", 6, CLV_TRI}, {"QuadrilateralsQ2", 9, CLV_QUAD},
      {"TetrahedraP2", 10, CLV_TET}, {"PrismsP2", 18, CLV_PRISM}, {"PyramidsP2", 14, CLV_PYRAMID},
      {"HexahedraQ2", 27, CLV_HEX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_builder b = {.size = 0};
    build_text(&b, "MeshVersionFormatted 2\nDimension 3\nVertices\n27\n");
    for (int v = 0; v < 27; v++) build_text(&b, "0.5 1 2 0\n");
    build_text(&b, cases[i].section);
    build_text(&b, "\n1\n");
    for (int n = 1; n <= cases[i].nodes; n++) {
      char word[16];
      snprintf(word, sizeof word, "%d ", n);
      build_text(&b, word);
    }
    build_text(&b, "42\nEnd\n");
    b.data[b.size] = '\0';
    clv_mesh mesh;
    read_text(&mesh, "x.mesh", b.data);
    assert_int_equal(mesh.reduced_elements, 1);
    assert_int_equal(mesh.tags[0], 42);
    assert_corners(&mesh, 0, cases[i].kind, (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7});
    clv_mesh_free(&mesh);
  }
}

// ---- binary ---------------------------------------------------------------------------------------------------------

static void build_coordinate(file_builder *b, int version, double value) {
  if (version == 1) {
    build_float(b, (float)value);
  } else {
    build_real(b, value);
  }
}

static void build_keyword(file_builder *b, int version, int code, size_t size) {
  size_t position = version < 3 ? 4 : 8;
  build_integer(b, (uint64_t)code, 4);
  build_integer(b, b->size + position + size, position);
}

// A tetrahedron, a section nobody knows, a triangle.
static void build_binary(file_builder *b, int version) {
  static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 0.25}};
  size_t integer = version < 4 ? 4 : 8, real = version == 1 ? 4 : 8;
  build_integer(b, 1, 4);
  build_integer(b, (uint64_t)version, 4);
  build_keyword(b, version, 3, 4);
  build_integer(b, 3, 4);
  build_keyword(b, version, 4, integer + 4 * (3 * real + integer));
  build_integer(b, 4, integer);
  for (int i = 0; i < 4; i++) {
    for (int c = 0; c < 3; c++) build_coordinate(b, version, points[i][c]);
    build_integer(b, (uint64_t)i, integer);
  }
  build_keyword(b, version, 8, integer * 6);
  static const int tet[] = {1, 1, 2, 3, 4, -7};
  for (int i = 0; i < 6; i++) build_integer(b, (uint64_t)(int64_t)tet[i], integer);
  build_keyword(b, version, 81, 11);
  build_text(b, "hello world");
  build_keyword(b, version, 6, integer * 5);
  static const int tri[] = {1, 3, 2, 1, 9};
  for (int i = 0; i < 5; i++) build_integer(b, (uint64_t)(int64_t)tri[i], integer);
  build_integer(b, 54, 4);
  build_integer(b, 0, version < 3 ? 4 : 8);
}

static void test_binary_of_every_version_in_both_byte_orders(void **state) {
  (void)state;
  for (int version = 1; version <= 4; version++) {
    for (int big = 0; big < 2; big++) {
      file_builder b = {.big_endian = big};
      build_binary(&b, version);
      clv_mesh mesh;
      clv_error error = {CLV_OK, ""};
      clv_mesh_init(&mesh, NULL);
      // The first bytes tell what it is, not the name.
      const char *name = version % 2 ? "x.meshb" : "x.mesh";
      if (clv_mesh_read_memory(&mesh, name, b.data, b.size, &error)) fail_msg("%s", error.message);
      assert_corners(&mesh, 0, CLV_TET, (uint32_t[]){0, 1, 2, 3});
      assert_corners(&mesh, 1, CLV_TRI, (uint32_t[]){2, 1, 0});
      assert_int_equal(mesh.tags[0], -7);
      assert_true(mesh.points[3][2] == 0.25 && mesh.fields[0].values[3] == 3);
      clv_mesh_free(&mesh);
    }
  }
}

static void check_binary_is_wrong(const file_builder *b, const char *message) {
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_read_memory(&mesh, "x.meshb", b->data, b->size, &error), CLV_ERROR_INPUT);
  if (!strstr(error.message, message)) fail_msg("expected '%s' in '%s'", message, error.message);
  assert_mesh_is_empty(&mesh);
}

static void test_wrong_binary_files_are_explained(void **state) {
  (void)state;
  file_builder b = {.size = 0};
  build_integer(&b, 1, 4);
  check_binary_is_wrong(&b, "x.meshb: byte 4: the file ends in the middle of the version");
  build_integer(&b, 5, 4);
  check_binary_is_wrong(&b, "byte 4: MEDIT format 5 is not supported; 1 to 4 are");
  b = (file_builder){.size = 0};
  build_integer(&b, 1, 4);
  build_integer(&b, 2, 4);
  build_integer(&b, 3, 4);
  size_t position = b.size;
  build_integer(&b, 0, 4);
  build_integer(&b, 3, 4);
  check_binary_is_wrong(&b, "keyword 3 says that the next is at byte 0 of 20");
  b.data[position] = 21;
  check_binary_is_wrong(&b, "at byte 21 of 20; is a part of the file missing?");
  b.data[position] = 20;
  check_binary_is_wrong(&b, "byte 20: the file ends in the middle of a keyword");
  b.data[position] = 17; // in the middle of the dimension
  check_binary_is_wrong(&b, "the section of keyword 3 is too long");
  b = (file_builder){.size = 0};
  build_binary(&b, 2);
  memset(b.data + 20 + 8, 0xff, 4); // the number of vertices
  check_binary_is_wrong(&b, "-1 vertices are declared");
  memset(b.data + 20 + 8, 0x7f, 4);
  check_binary_is_wrong(&b, "2139062143 vertices are declared, but the file is too short");
}

// ---- wrong texts ----------------------------------------------------------------------------------------------------

#define HEAD "MeshVersionFormatted 2\nDimension 3\n"
#define POINTS HEAD "Vertices\n3\n0 0 0 0\n1 0 0 0\n0 1 0 0\n"

static void test_wrong_texts_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"", 1, "the file ends without End"},
      {"hello", 1, "expected MeshVersionFormatted, found 'hello'"},
      {"MeshVersionFormatted\nx", 2, "expected the version of the format, found 'x'"},
      {"MeshVersionFormatted 0", 1, "MEDIT format 0 is not supported"},
      {"MeshVersionFormatted 2\nEnd\n", 2, "the file has no vertices"},
      {"MeshVersionFormatted 2\nVertices\n", 2, "Dimension must stand before the vertices"},
      {"MeshVersionFormatted 2\nDimension 4\n", 2, "the dimension is 2 or 3, not 4"},
      {HEAD "12\n", 3, "expected a keyword such as Vertices, found '12'"},
      {HEAD "Vertices\n-1\n", 4, "-1 vertices are declared"},
      {HEAD "Vertices\n9\n0 0 0 0\n", 4, "9 vertices are declared, but the file is too short"},
      {HEAD "Vertices\n1\n0 0 x 0\n", 5, "expected a coordinate, found 'x'"},
      {HEAD "Vertices\n1\n0 0 inf 0\n", 5, "not finite"},
      {HEAD "Vertices\n1\n0 0 0 0.5\n", 5, "expected the reference of a vertex, found '0.5'"},
      {HEAD "Triangles\n0\n", 3, "Triangles come before the vertices they use"},
      {POINTS "Vertices\n0\n", 8, "a second section of vertices"},
      {POINTS "Triangles\n1\n1 2 4 0\n", 10, "an element of Triangles uses vertex 4, there are 3, counted from 1"},
      {POINTS "Triangles\n1\n1 2 0 0\n", 10, "uses vertex 0"},
      {POINTS "Triangles\n1\n1 2 3\nEnd", 11, "expected the reference of an element, found 'End'"},
      {POINTS "Triangles\n1\n1 2 3 3000000000\n", 10, "reference 3000000000 needs more than 32 bits"},
      {POINTS "Triangles\n5\n1 2 3 0\n", 9, "5 elements are declared, but the file is too short"},
      {POINTS "Triangles\n1\n1 2 3 0\n", 11, "the file ends without End; is a part of it missing?"},
  };
  assert_texts_are_wrong("x.mesh", cases, sizeof cases / sizeof *cases);
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void test_what_cannot_be_held_is_refused(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_error error;
  make_sample_mesh(&mesh, 0);
  assert_int_equal(clv_mesh_write(&mesh, "never.mesh", NULL, &error), CLV_ERROR_ARGUMENT);
  assert_string_equal(error.message, "never.mesh: element 6 is a point, which MEDIT files cannot hold; write a .vtk or "
                                     ".vtu file");
  clv_mesh_free(&mesh);
}

static void test_written_text(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (int i = 0; i < 3; i++) clv_mesh_add_point(&mesh, i, 0.5, -0.25);
  clv_mesh_add_element(&mesh, CLV_TRI, (uint32_t[]){2, 1, 0}, 3, 5);
  file_bytes file = file_of_mesh(&mesh, "medit");
  assert_string_equal(file.data, "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0.5 -0.25 0\n1 0.5 -0.25 0\n"
                                 "2 0.5 -0.25 0\nTriangles\n1\n3 2 1 5\nEnd\n");
  free(file.data);
  clv_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_text_with_comments_and_foreign_sections),
      cmocka_unit_test(test_plane_meshes_and_old_spellings),
      cmocka_unit_test(test_second_order_elements_are_reduced),
      cmocka_unit_test(test_binary_of_every_version_in_both_byte_orders),
      cmocka_unit_test(test_wrong_binary_files_are_explained),
      cmocka_unit_test(test_wrong_texts_are_explained),
      cmocka_unit_test(test_what_cannot_be_held_is_refused),
      cmocka_unit_test(test_written_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
