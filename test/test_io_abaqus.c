// Abaqus files by hand: as Abaqus/CAE, CalculiX users and Gmsh write them; types, sets, parts; and what is wrong with
// the wrong ones.

#include "support/mesh_files.h"

#include <stdio.h>
#include <string.h>

static void assert_corners(const clv_mesh *mesh, size_t element, clv_kind kind, const uint32_t *corners) {
  assert_int_equal(mesh->kinds[element], kind);
  assert_memory_equal(mesh->corners + mesh->offsets[element], corners,
                      (size_t)clv_kind_corners(kind) * sizeof *corners);
}

static const char *name_of_tag(const clv_mesh *mesh, int32_t tag) {
  for (size_t i = 0; i < mesh->region_count; i++) {
    if (mesh->regions[i].tag == tag) return mesh->regions[i].name;
  }
  return "";
}

// ---- files ----------------------------------------------------------------------------------------------------------

static void test_flat_file(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.inp",
            "** by hand\r\n*HEADING\r\nA job, with *stars* and 1, 2, 3\r\n"
            "*Element, type=C3D4, elset=Eall\r\n 10, 1, 2,\r\n 3, 40\r\n11,1,2,3,50\n** between\n 12, 40, 50, 1, 2\n"
            "*NODE, NSET=Nall\n1, 0., 0., 0.\n2, 1.D0, 0.0, 0\n3, 0, 1\n40, , , 1e0\n 50, 0, 0, -1.5E+00\n"
            "*Nset, nset=fixed\n 1, 3,\n 40\n*NSET, NSET=ends, GENERATE\n1, 49, 2\n"
            "*nset,nset=both\nFIXED, 50\n"
            "*ELSET, ELSET=\"Left\"\n11\n*ELSET, ELSET=empty\n"
            "*MATERIAL, NAME=steel\n*ELASTIC\n210000., .3\n*SOLID SECTION, ELSET=Eall,\n MATERIAL=steel\n"
            "*STEP\n*STATIC\n*BOUNDARY\nfixed, 1, 3\n*END STEP\n");
  assert_int_equal(mesh.point_count, 5);
  assert_true(mesh.points[1][0] == 1 && mesh.points[3][2] == 1 && mesh.points[4][2] == -1.5);
  assert_int_equal(mesh.element_count, 3);
  assert_corners(&mesh, 0, CLV_TET, (uint32_t[]){0, 1, 2, 3});
  assert_corners(&mesh, 1, CLV_TET, (uint32_t[]){0, 1, 2, 4});
  assert_string_equal(name_of_tag(&mesh, mesh.tags[0]), "Eall");
  assert_string_equal(name_of_tag(&mesh, mesh.tags[1]), "Left"); // the smaller of its sets
  assert_int_equal(mesh.region_count, 2);
  static const struct {
    const char *name;
    double values[5];
  } fields[] = {
      {"Nall", {1, 1, 1, 1, 1}}, {"fixed", {1, 0, 1, 1, 0}}, {"ends", {1, 0, 1, 0, 0}}, {"both", {1, 0, 1, 1, 1}}};
  assert_int_equal(mesh.field_count, 4);
  for (size_t f = 0; f < 4; f++) {
    assert_string_equal(mesh.fields[f].name, fields[f].name);
    assert_memory_equal(mesh.fields[f].values, fields[f].values, sizeof fields[f].values);
  }
  clv_mesh_free(&mesh);
}

static void test_parts_and_instances(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.inp",
            "*Heading\n*Part, name=Block\n*Node\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n*Element, type=S3R\n1, 1, 2, 3\n"
            "*Elset, elset=Set-1, generate\n 1, 1, 1\n*End Part\n"
            "*Part, name=Lid\n*Node\n1, 5, 0, 0\n2, 6, 0, 0\n3, 5, 1, 0\n*Element, type=S3\n1, 1, 2, 3\n2, 3, 2, "
            "1\n*End Part\n"
            "*Assembly, name=Assembly\n*Instance, name=Block-1, part=Block\n0., 0., 10.\n*End Instance\n"
            "*Instance, name=Lid-1, part=Lid\n*End Instance\n*Elset, elset=lids, instance=lid-1\n 1, 2\n"
            "*Nset, nset=n, instance=Lid-1\n2\n*End Assembly\n");
  assert_int_equal(mesh.point_count, 6);
  assert_true(mesh.points[2][2] == 10 && mesh.points[3][2] == 0);
  assert_corners(&mesh, 0, CLV_TRI, (uint32_t[]){0, 1, 2});
  assert_corners(&mesh, 1, CLV_TRI, (uint32_t[]){3, 4, 5});
  assert_string_equal(name_of_tag(&mesh, mesh.tags[0]), "Set-1");
  assert_string_equal(name_of_tag(&mesh, mesh.tags[2]), "lids");
  static const double n[] = {0, 0, 0, 0, 1, 0};
  assert_memory_equal(mesh.fields[0].values, n, sizeof n);
  clv_mesh_free(&mesh);
}

static void test_types(void **state) {
  (void)state;
  static const struct {
    const char *type;
    int nodes;
    clv_kind kind;
  } cases[] = {
      {"C3D4", 4, CLV_TET},     {"C3D4H", 4, CLV_TET},  {"C3D10", 10, CLV_TET},   {"C3D10M", 10, CLV_TET},
      {"C3D5", 5, CLV_PYRAMID}, {"C3D6", 6, CLV_PRISM}, {"C3D15", 15, CLV_PRISM}, {"C3D8", 8, CLV_HEX},
      {"C3D8R", 8, CLV_HEX},    {"C3D8I", 8, CLV_HEX},  {"C3D20", 20, CLV_HEX},   {"C3D20RH", 20, CLV_HEX},
      {"C3D27", 27, CLV_HEX},   {"DC3D8", 8, CLV_HEX},  {"SC8R", 8, CLV_HEX},     {"SC6R", 6, CLV_PRISM},
      {"COH3D8", 8, CLV_HEX},   {"CPS3", 3, CLV_TRI},   {"CPS4R", 4, CLV_QUAD},   {"CPE4", 4, CLV_QUAD},
      {"CPE6", 6, CLV_TRI},     {"CPEG4", 4, CLV_QUAD}, {"CPS8R", 8, CLV_QUAD},   {"CAX4", 4, CLV_QUAD},
      {"S3", 3, CLV_TRI},       {"s4r", 4, CLV_QUAD},   {"S8R5", 8, CLV_QUAD},    {"S9R5", 9, CLV_QUAD},
      {"STRI3", 3, CLV_TRI},    {"STRI65", 6, CLV_TRI}, {"M3D3", 3, CLV_TRI},     {"M3D4R", 4, CLV_QUAD},
      {"R3D3", 3, CLV_TRI},     {"R3D4", 4, CLV_QUAD},  {"SFM3D4", 4, CLV_QUAD},  {"T3D2", 2, CLV_LINE},
      {"T3D3", 3, CLV_LINE},    {"B31", 2, CLV_LINE},   {"B32", 3, CLV_LINE},     {"B21", 2, CLV_LINE},
      {"MASS", 1, CLV_POINT},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_builder b = {.size = 0};
    char word[32];
    build_text(&b, "*NODE\n");
    for (int n = 1; n <= 27; n++) {
      snprintf(word, sizeof word, "%d, %d, 0, 0\n", n, n);
      build_text(&b, word);
    }
    build_text(&b, "*ELEMENT, TYPE=");
    build_text(&b, cases[i].type);
    build_text(&b, "\n7");
    for (int n = 1; n <= cases[i].nodes; n++) {
      snprintf(word, sizeof word, n % 10 == 9 ? ",\n%d" : ", %d", n);
      build_text(&b, word);
    }
    build_text(&b, "\n");
    b.data[b.size] = '\0';
    clv_mesh mesh;
    read_text(&mesh, "x.inp", b.data);
    assert_int_equal(mesh.element_count, 1);
    assert_corners(&mesh, 0, cases[i].kind, (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7});
    assert_int_equal(mesh.reduced_elements, cases[i].nodes > clv_kind_corners(cases[i].kind));
    clv_mesh_free(&mesh);
  }
}

#define NODES "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n"

static void test_wrong_files_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"hello", 1, "expected a keyword such as *NODE, found 'hello'"},
      {"*NODE\nx, 0, 0, 0\n", 2, "expected the number of a node, found 'x'"},
      {"*NODE\n0, 0, 0, 0\n", 2, "the number of a node is from 1 to 2147483647, not 0"},
      {"*NODE\n9999999999, 0, 0, 0\n", 2, "not 9999999999"},
      {"*NODE\n1, 0, x, 0\n", 2, "expected a number, found 'x'"},
      {"*NODE\n1, 0, inf, 0\n", 2, "not finite"},
      {"*NODE, SYSTEM=C\n1, 0, 0, 0\n", 1, "coordinates of system 'C' are not supported"},
      {"*NODE, INPUT=nodes.txt\n", 1, "nodes in another file (INPUT=) are not read"},
      {"*NODE, NSET=\n", 1, "NSET= is empty"},
      {"*NODE\n1,0,0,0\n1,0,0,1\n", 3, "two nodes have the number 1"},
      {"*INCLUDE, INPUT=../../secret\n", 1, "*INCLUDE is not followed; put the lines of that file here"},
      {"*NGEN\n1, 10\n", 1, "*NGEN makes nodes or elements of others, which is not supported; write them out"},
      {NODES "*ELEMENT\n1,1,2,3\n", 5, "*ELEMENT needs TYPE="},
      {NODES "*ELEMENT, TYPE=XYZ4\n1,1,2,3\n", 5, "element type 'XYZ4' is not supported"},
      {NODES "*ELEMENT, TYPE=C3D7\n1,1,2,3\n", 5, "element type 'C3D7' is not supported"},
      {NODES "*ELEMENT, TYPE=S3\n1,1,2\n", 6, "element 1 has 2 nodes, its type needs 3"},
      {NODES "*ELEMENT, TYPE=S3\n1,1,2\n*ELSET\n", 6, "element 1 has 2 nodes, its type needs 3"},
      {NODES "*ELEMENT, TYPE=S3\n1,1,2,3,1\n", 6, "unexpected '1' behind the nodes of element 1"},
      {NODES "*ELEMENT, TYPE=S3\n1,1,2,3\n2,1,2,4\n", 7, "an element uses node 4, which does not exist"},
      {NODES "*ELEMENT, TYPE=S3\n1,1,2,3\n1,1,3,2\n", 7, "two elements have the number 1"},
      {NODES "*ELEMENT, TYPE=S3, INPUT=e.txt\n", 5, "elements in another file (INPUT=) are not read"},
      {NODES "*ELSET\n1\n", 5, "*ELSET needs ELSET="},
      {NODES "*ELSET, ELSET=a\n1\n", 6, "there is no element 1"},
      {NODES "*NSET, NSET=a\n1, 4\n", 6, "there is no node 4"},
      {NODES "*NSET, NSET=a\n1, b\n", 6, "there is no set 'b' before this one"},
      {NODES "*NSET, NSET=a, GENERATE\n1, 3, 0\n", 6, "a number of a range is from 1 to 2147483647, not 0"},
      {NODES "*NSET, NSET=a, INSTANCE=i\n1\n", 5, "there is no instance 'i'"},
      {"*PART\n", 1, "*PART needs NAME="},
      {"*PART, NAME=a\n*END PART\n*PART, NAME=A\n", 3, "a second part 'A'"},
      {"*INSTANCE, NAME=i, PART=p\n", 1, "there is no part 'p'"},
      {"*INSTANCE, NAME=i\n", 1, "*INSTANCE needs NAME= and PART="},
      {"*PART, NAME=p\n*END PART\n*INSTANCE, NAME=i, PART=p\n*END INSTANCE\n*INSTANCE, NAME=j, PART=p\n", 5,
       "part 'p' is placed twice; only one instance of a part is read"},
      {"*PART, NAME=p\n*END PART\n*INSTANCE, NAME=i, PART=p\n0,0,1\n0,0,0,0,0,1,90\n", 5,
       "an instance that turns its part is not supported"},
      {"*PART, NAME=p\n*NODE\n1, 0, 0, 0\n*END PART\n*INSTANCE, NAME=i, PART=p\n0,inf,1\n", 6,
       "the instance moves its part to infinity"},
      {"*ELEMENT, TYPE=S3\n1, 1, 2, 3\n", 2, "the file has no *NODE"},
  };
  assert_texts_are_wrong("x.inp", cases, sizeof cases / sizeof *cases);
}

// Sets of sets that double each time, and ranges over everything: refused or read, but soon.
static void test_sets_cannot_keep_us_busy(void **state) {
  (void)state;
  char *text = malloc(1 << 16), *at = text;
  assert_non_null(text);
  at = stpcpy(at, NODES "*NSET, NSET=s0\n1\n");
  for (int i = 1; i < 60; i++) at += sprintf(at, "*NSET, NSET=s%d\ns%d, s%d\n", i, i - 1, i - 1);
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_read_memory(&mesh, "x.inp", text, strlen(text), &error), CLV_ERROR_INPUT);
  assert_non_null(strstr(error.message, "cannot hold what is declared here"));
  free(text);
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void test_numbers_fit_in_twenty_characters(void **state) {
  (void)state;
  static const double numbers[] = {1.0 / 3e5, -1.2345678901234567e-5, -1.7976931348623157e308, 0.1,
                                   -5e-324,   123456789.12345678};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    clv_mesh mesh, back;
    clv_mesh_init(&mesh, NULL);
    clv_mesh_add_point(&mesh, numbers[i], 0, 0);
    file_bytes file = file_of_mesh(&mesh, "abaqus");
    assert_true(strcspn(strstr(file.data, "\n1, ") + 4, ",") <= 20);
    read_text(&back, "x.inp", file.data);
    double error = back.points[0][0] - numbers[i];
    double scale = numbers[i] < 0 ? -numbers[i] : numbers[i];
    assert_true((error < 0 ? -error : error) <= 1e-12 * scale);
    free(file.data);
    clv_mesh_free(&mesh);
    clv_mesh_free(&back);
  }
}

static void test_written_file(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (int i = 0; i < 4; i++) clv_mesh_add_point(&mesh, i == 1, i == 2, i == 3);
  clv_mesh_add_element(&mesh, CLV_TET, (uint32_t[]){0, 1, 2, 3}, 4, 7);
  clv_mesh_add_element(&mesh, CLV_TET, (uint32_t[]){1, 0, 2, 3}, 4, 8);
  clv_mesh_add_element(&mesh, CLV_TRI, (uint32_t[]){0, 1, 2}, 3, 0);
  clv_mesh_add_region(&mesh, 3, 8, "left, \"upper\" lobe");
  double *values;
  clv_mesh_add_field(&mesh, "fixed ones", CLV_ON_POINTS, 1, &values);
  values[0] = values[3] = 1;
  file_bytes file = file_of_mesh(&mesh, "abaqus");
  assert_string_equal(file.data, "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
                                 "*ELEMENT, TYPE=C3D4, ELSET=region-7\n1, 1, 2, 3, 4\n"
                                 "*ELEMENT, TYPE=C3D4, ELSET=left___upper__lobe\n2, 2, 1, 3, 4\n"
                                 "*ELEMENT, TYPE=S3\n3, 1, 2, 3\n*NSET, NSET=fixed_ones\n1, 4\n");
  free(file.data);
  clv_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_flat_file),
      cmocka_unit_test(test_parts_and_instances),
      cmocka_unit_test(test_types),
      cmocka_unit_test(test_wrong_files_are_explained),
      cmocka_unit_test(test_sets_cannot_keep_us_busy),
      cmocka_unit_test(test_numbers_fit_in_twenty_characters),
      cmocka_unit_test(test_written_file),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
