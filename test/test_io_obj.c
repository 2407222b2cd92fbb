// OBJ files by hand: corners in every form, groups, colours, and what is wrong with the wrong ones.

#include "support/mesh_files.h"

#include <stdio.h>
#include <string.h>

static void assert_corners(const clv_mesh *mesh, size_t element, clv_kind kind, size_t count, const uint32_t *corners) {
  assert_int_equal(mesh->kinds[element], kind);
  assert_int_equal(mesh->offsets[element + 1] - mesh->offsets[element], count);
  assert_memory_equal(mesh->corners + mesh->offsets[element], corners, count * sizeof *corners);
}

static void test_corners_in_every_form(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.obj",
            "# by hand\r\nmtllib x.mtl\r\nv 0 0 0\r\nv 1 0 0 1.0\nv  1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nvp 1\n"
            "usemtl skin\ns off\n"
            "f 1 2 3\nf 1/1 2/1 3/1 4/1\nf 1//1 2//1 3//1\nf 1/1/1 2/1/1 3/1/1 # behind a face\n"
            "f -4 -3 -1\nf 1 2 \\\n 3 4 \\\r\n 5\nl 1 2 3\np 4 1\nv 0 0 9\nf -1 1 2\nfo 1 2 3\n");
  assert_int_equal(mesh.point_count, 5);
  assert_int_equal(mesh.element_count, 12);
  assert_corners(&mesh, 0, CLV_TRI, 3, (uint32_t[]){0, 1, 2});
  assert_corners(&mesh, 1, CLV_QUAD, 4, (uint32_t[]){0, 1, 2, 3});
  assert_corners(&mesh, 2, CLV_TRI, 3, (uint32_t[]){0, 1, 2});
  assert_corners(&mesh, 3, CLV_TRI, 3, (uint32_t[]){0, 1, 2});
  assert_corners(&mesh, 4, CLV_TRI, 3, (uint32_t[]){0, 1, 3});
  assert_corners(&mesh, 5, CLV_POLYGON, 5, (uint32_t[]){0, 1, 2, 3, 4}); // the fifth vertex follows later
  assert_corners(&mesh, 6, CLV_LINE, 2, (uint32_t[]){0, 1});
  assert_corners(&mesh, 7, CLV_LINE, 2, (uint32_t[]){1, 2});
  assert_corners(&mesh, 8, CLV_POINT, 1, (uint32_t[]){3});
  assert_corners(&mesh, 10, CLV_TRI, 3, (uint32_t[]){4, 0, 1});
  assert_int_equal(mesh.region_count, 0);
  assert_int_equal(mesh.field_count, 0);
  clv_mesh_free(&mesh);
}

static void test_groups_and_objects_are_regions(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(
      &mesh, "x.obj",
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\no Cube.001\nf 1 2 3\ng left lobe\nf 1 2 3\nl 1 2\ng region-2\nf 1 2 3\n"
      "g default\nf 1 2 3\ng left lobe\nf 1 2 3\ng\nf 1 2 3\ng never used\n");
  static const int32_t tags[] = {0, 1, 3, 3, 2, 0, 3, 0}; // 2 is taken
  assert_memory_equal(mesh.tags, tags, sizeof tags);
  assert_int_equal(mesh.region_count, 3);
  assert_string_equal(mesh.regions[0].name, "Cube.001");
  assert_string_equal(mesh.regions[1].name, "left lobe");
  assert_int_equal(mesh.regions[1].dimension, 1);
  assert_int_equal(mesh.regions[2].dimension, 2);
  assert_int_equal(mesh.regions[2].tag, 3);
  clv_mesh_free(&mesh);
}

// Names that begin alike, are parts of one another, or are very long.
static void test_many_groups(void **state) {
  (void)state;
  enum { COUNT = 3000 };
  char *text = malloc(100 + (size_t)COUNT * 200);
  assert_non_null(text);
  char *at = stpcpy(text, "v 0 0 0\nv 1 0 0\nv 1 1 0\n");
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < COUNT; i++) {
      at +=
          sprintf(at, "g %.*s%d\nf 1 2 3\n", i % 40, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", i * 7919 % COUNT);
    }
  }
  clv_mesh mesh;
  read_text(&mesh, "x.obj", text);
  assert_int_equal(mesh.region_count, COUNT);
  for (size_t i = 0; i < COUNT; i++) {
    assert_int_equal(mesh.tags[i], (int32_t)i + 1);
    assert_int_equal(mesh.tags[COUNT + i], (int32_t)i + 1);
  }
  clv_mesh_free(&mesh);
  free(text);
}

static void test_colours(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.obj", "v 0 0 0\nv 1 0 0 1 0.5 0.25\nv 1 1 0\nf 1 2 3\n");
  assert_int_equal(mesh.field_count, 1);
  assert_string_equal(mesh.fields[0].name, "color");
  assert_true(mesh.fields[0].values[0] == 0 && mesh.fields[0].values[4] == 0.5 && mesh.fields[0].values[8] == 0);
  clv_mesh_free(&mesh);
}

static void test_wrong_files_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"hello", 1, "expected a statement such as v, f or g, found 'hello'"},
      {"v 0 0 0\ncurv 0 1 1 2\n", 2, "free-form curves and surfaces are not supported"},
      {"v 0 0\n", 1, "expected a coordinate, found the end of the line"},
      {"v 0 0 x\n", 1, "expected a coordinate, found 'x'"},
      {"v 0 0 nan\n", 1, "not finite"},
      {"v 0 0 0 1 1\n", 1, "three coordinates, and then a weight or the three parts of a colour"},
      {"v 0 0 0 1 1 1 1 1\n", 1, "three coordinates, and then a weight"},
      {"v 0 0 0\nf 1 1\n", 2, "a face has 2 corners, at least 3 are needed"},
      {"v 0 0 0\nl 1\n", 2, "a line has 1 corners, at least 2 are needed"},
      {"v 0 0 0\nf 1 1 0\n", 2, "there is no vertex 0; they are counted from 1, or backwards from -1"},
      {"v 0 0 0\nf 1 1 -2\n", 2, "there is no vertex -2"},
      {"v 0 0 0\nf 1 x 1\n", 2, "expected a vertex, found 'x'"},
      {"v 0 0 0\nf 1 /1 1\n", 2, "expected a vertex, found '/1'"},
      {"v 0 0 0\nf 1 99999999999 1\n", 2, "there is no vertex 99999999999"},
      {"v 0 0 0\nf 1 1 1\nf 1 2 1\nf 1 1 1\n", 3, "there is no vertex 2, the last is 1"},
  };
  assert_texts_are_wrong("x.obj", cases, sizeof cases / sizeof *cases);
}

static void test_volumes_are_refused(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_error error;
  make_sample_mesh(&mesh, 0);
  assert_int_equal(clv_mesh_write(&mesh, "never.obj", NULL, &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "element 0 is a tet, which OBJ files cannot hold"));
  clv_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_corners_in_every_form),
      cmocka_unit_test(test_groups_and_objects_are_regions),
      cmocka_unit_test(test_many_groups),
      cmocka_unit_test(test_colours),
      cmocka_unit_test(test_wrong_files_are_explained),
      cmocka_unit_test(test_volumes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
