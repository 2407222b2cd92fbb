// Gmsh files by hand: every version and section, sparse tags, second order, both byte orders, and what is wrong with
// the wrong ones.

#include "support/mesh_files.h"

#include <string.h>

static void assert_corners(const clv_mesh *mesh, size_t element, clv_kind kind, const uint32_t *corners) {
  assert_int_equal(mesh->kinds[element], kind);
  assert_memory_equal(mesh->corners + mesh->offsets[element], corners,
                      (size_t)clv_kind_corners(kind) * sizeof *corners);
}

// ---- versions -------------------------------------------------------------------------------------------------------

static void test_version_1(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.msh",
            "$NOD\n5\n30 0 0 0\n10 1 0 0\n20 0 1 0\n7 0 0 1e0\n1000000000000 -1.5 2 .25\n$ENDNOD\n"
            "$ELM\n2\n1 4 3 1 4 10 20 30 7\n8 15 0 1 1 1000000000000\n$ENDELM\n");
  assert_int_equal(mesh.point_count, 5);
  assert_true(mesh.points[4][0] == -1.5 && mesh.points[4][1] == 2 && mesh.points[4][2] == 0.25);
  assert_corners(&mesh, 0, CLV_TET, (uint32_t[]){1, 2, 0, 3});
  assert_corners(&mesh, 1, CLV_POINT, (uint32_t[]){4});
  assert_int_equal(mesh.tags[0], 3);
  assert_int_equal(mesh.tags[1], 0);
  clv_mesh_free(&mesh);
}

static void test_version_2_with_names_data_and_foreign_sections(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.msh",
            "$Comments\nanything $Nodes goes\n$EndComments\n"
            "$MeshFormat\r\n2.1 0 8\r\n$EndMeshFormat\r\n"
            "$PhysicalNames\n2\n2 5 \"the \"inner\" skin\"\n3 -6 \"\"\n$EndPhysicalNames\n"
            "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
            "$Elements\n3\n1 1 0 1 2\n5 3 3 5 1 0 1 2 3 4\n9 2 2 -6 1 1 3 4\n$EndElements\n"
            "$NodeData\n1\n\"heat\"\n1\n0.5\n3\n0\n1\n2\n4 2.5\n1 nan\n$EndNodeData\n"
            "$NodeData\n1\n\"heat\"\n1\n1.5\n4\n1\n1\n1\n0\n2 7\n$EndNodeData\n"
            "$ElementData\n0\n0\n3\n0\n3\n1\n5 1 2 3\n$EndElementData\n"
            "$ElementNodeData\n1 2 3\n$EndElementNodeData\n");
  assert_int_equal(mesh.region_count, 2);
  assert_string_equal(mesh.regions[0].name, "the \"inner\" skin");
  assert_int_equal(mesh.regions[0].dimension, 2);
  assert_int_equal(mesh.regions[1].tag, -6);
  assert_int_equal(mesh.tags[0], 0);
  assert_int_equal(mesh.tags[1], 5);
  assert_int_equal(mesh.tags[2], -6);
  assert_int_equal(mesh.field_count, 3);
  assert_string_equal(mesh.fields[0].name, "heat");
  assert_string_equal(mesh.fields[1].name, "heat 2"); // the next time step
  assert_string_equal(mesh.fields[2].name, "field");
  assert_true(mesh.fields[0].values[3] == 2.5 && mesh.fields[0].values[1] == 0);
  assert_true(mesh.fields[0].values[0] != mesh.fields[0].values[0]);
  assert_true(mesh.fields[2].values[3] == 1 && mesh.fields[2].values[5] == 3);
  clv_mesh_free(&mesh);
}

static const char cube_of_4_1[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$Entities\n1 0 1 1\n3 0 0 0 0\n1 0 0 0 1 1 1 2 11 12 2 1 -2\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n"
    "$Nodes\n2 5 1 50\n0 3 0 1\n50\n0 0 0\n2 1 1 4\n1\n2\n3\n4\n"
    "1 0 0 .5 .5\n0 1 0 .5 .5\n0 0 1 .5 .5\n1 1 1 .5 .5\n$EndNodes\n"
    "$Elements\n3 4 1 4\n0 3 15 1\n1 50\n2 1 2 2\n2 50 1 2\n3 1 2 3\n3 1 4 1\n4 50 1 2 3\n$EndElements\n";

static void check_cube_of_4(const clv_mesh *mesh) {
  assert_int_equal(mesh->point_count, 5);
  assert_true(mesh->points[3][2] == 1);
  assert_int_equal(mesh->element_count, 4);
  assert_corners(mesh, 2, CLV_TRI, (uint32_t[]){1, 2, 3});
  assert_corners(mesh, 3, CLV_TET, (uint32_t[]){0, 1, 2, 3});
  static const int32_t tags[] = {0, 11, 11, 7};
  assert_memory_equal(mesh->tags, tags, sizeof tags);
}

static void test_version_4(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.msh", cube_of_4_1);
  check_cube_of_4(&mesh);
  clv_mesh_free(&mesh);
  read_text(&mesh, "x.msh",
            "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n"
            "$Entities\n1 0 1 1\n3 0 0 0 0 0 0 0\n1 0 0 0 1 1 1 2 11 12 2 1 -2\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n"
            "$Nodes\n2 5\n3 0 0 1\n50 0 0 0\n1 2 1 4\n"
            "1 1 0 0 .5 .5\n2 0 1 0 .5 .5\n3 0 0 1 .5 .5\n4 1 1 1 .5 .5\n$EndNodes\n"
            "$Elements\n3 4\n3 0 15 1\n1 50\n1 2 2 2\n2 50 1 2\n3 1 2 3\n1 3 4 1\n4 50 1 2 3\n$EndElements\n");
  check_cube_of_4(&mesh);
  clv_mesh_free(&mesh);
}

static void test_partitions_carry_regions_too(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.msh",
            "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 1 0\n1 0 0 0 1 1 1 1 7 0\n$EndEntities\n"
            "$PartitionedEntities\n2\n1\n9 1\n0 0 1 0\n5 2 1 2 1 2 0 0 0 1 1 1 1 8 0\n$EndPartitionedEntities\n"
            "$Nodes\n1 3 1 3\n2 5 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"
            "$Elements\n2 2 1 2\n2 5 2 1\n1 1 2 3\n2 1 2 1\n2 1 2 3\n$EndElements\n");
  assert_int_equal(mesh.tags[0], 8);
  assert_int_equal(mesh.tags[1], 7);
  clv_mesh_free(&mesh);
}

// Every second-order type keeps its corners, which come first.
static void test_second_order_elements_are_reduced(void **state) {
  (void)state;
  static const struct {
    const char *element;
    clv_kind kind;
  } cases[] = {
      {"8 0 1 2 3", CLV_LINE},
      {"9 0 1 2 3 4 5 6", CLV_TRI},
      {"10 0 1 2 3 4 5 6 7 8 9", CLV_QUAD},
      {"16 0 1 2 3 4 5 6 7 8", CLV_QUAD},
      {"11 0 1 2 3 4 5 6 7 8 9 10", CLV_TET},
      {"12 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27", CLV_HEX},
      {"17 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20", CLV_HEX},
      {"13 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18", CLV_PRISM},
      {"18 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15", CLV_PRISM},
      {"14 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14", CLV_PYRAMID},
      {"19 0 1 2 3 4 5 6 7 8 9 10 11 12 13", CLV_PYRAMID},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_builder b = {.size = 0};
    build_text(&b,
               "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n"
               "1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n$Elements\n1\n1 ");
    build_text(&b, cases[i].element);
    build_text(&b, "\n$EndElements\n");
    b.data[b.size] = '\0';
    clv_mesh mesh;
    read_text(&mesh, "x.msh", b.data);
    assert_int_equal(mesh.reduced_elements, 1);
    assert_corners(&mesh, 0, cases[i].kind, (uint32_t[]){0, 1, 2, 3, 4, 5, 6, 7});
    clv_mesh_free(&mesh);
  }
}

// ---- binary, in both byte orders ------------------------------------------------------------------------------------

static void read_built(clv_mesh *mesh, const file_builder *b) {
  clv_error error = {CLV_OK, ""};
  clv_mesh_init(mesh, NULL);
  if (clv_mesh_read_memory(mesh, "x.msh", b->data, b->size, &error) != CLV_OK) fail_msg("%s", error.message);
}

static void build_integers(file_builder *b, const int *values, size_t count, size_t size) {
  for (size_t i = 0; i < count; i++) build_integer(b, (uint64_t)(int64_t)values[i], size);
}

#define BUILD(b, size, ...)                                                                                            \
  build_integers((b), (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), (size))

static void build_format(file_builder *b, const char *line) {
  build_text(b, "$MeshFormat\n");
  build_text(b, line);
  build_integer(b, 1, 4);
  build_text(b, "\n$EndMeshFormat\n");
}

static void build_point(file_builder *b, double x, double y, double z) {
  build_real(b, x);
  build_real(b, y);
  build_real(b, z);
}

static void build_version_2(file_builder *b) {
  static const double points[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  build_format(b, "2.2 1 8\n");
  build_text(b, "$Nodes\n4\n");
  for (int i = 0; i < 4; i++) {
    build_integer(b, (uint64_t)i * 3 + 1, 4);
    build_point(b, points[i][0], points[i][1], points[i][2]);
  }
  build_text(b, "\n$EndNodes\n$Elements\n3\n");
  BUILD(b, 4, 2, 2, 2, /* tags */ 5, 7, 1, 1, 4, 7, 6, 8, 1, 4, 7, 10, 4, 1, 0, 9, 1, 4, 7, 10);
  build_text(b, "\n$EndElements\n$NodeData\n1\n\"u\"\n0\n3\n0\n2\n1\n");
  build_integer(b, 10, 4);
  build_real(b, 0.125);
  build_real(b, -8);
  build_text(b, "\n$EndNodeData\n");
}

static void test_binary_version_2_in_both_byte_orders(void **state) {
  (void)state;
  for (int big = 0; big < 2; big++) {
    file_builder b = {.big_endian = big};
    build_version_2(&b);
    clv_mesh mesh;
    read_built(&mesh, &b);
    assert_corners(&mesh, 0, CLV_TRI, (uint32_t[]){0, 1, 2});
    assert_corners(&mesh, 2, CLV_TET, (uint32_t[]){0, 1, 2, 3});
    static const int32_t tags[] = {7, 8, 0};
    assert_memory_equal(mesh.tags, tags, sizeof tags);
    assert_true(mesh.points[3][2] == 1 && mesh.fields[0].values[6] == 0.125 && mesh.fields[0].values[7] == -8);
    clv_mesh_free(&mesh);
  }
}

// The cube of 4.1 above, with sizes of 8 or 4 bytes.
static void build_version_4_1(file_builder *b, size_t size) {
  build_format(b, size == 8 ? "4.1 1 8\n" : "4.1 1 4\n");
  build_text(b, "$Entities\n");
  BUILD(b, size, 1, 0, 1, 1);
  BUILD(b, 4, 3);
  build_point(b, 0, 0, 0);
  BUILD(b, size, 0);
  BUILD(b, 4, 1);
  build_point(b, 0, 0, 0);
  build_point(b, 1, 1, 1);
  BUILD(b, size, 2);
  BUILD(b, 4, 11, 12);
  BUILD(b, size, 2);
  BUILD(b, 4, 1, -2);
  BUILD(b, 4, 1);
  build_point(b, 0, 0, 0);
  build_point(b, 1, 1, 1);
  BUILD(b, size, 1);
  BUILD(b, 4, 7);
  BUILD(b, size, 0);
  build_text(b, "\n$EndEntities\n$Nodes\n");
  BUILD(b, size, 2, 5, 1, 50);
  BUILD(b, 4, 0, 3, 0);
  BUILD(b, size, 1, 50);
  build_point(b, 0, 0, 0);
  BUILD(b, 4, 2, 1, 1);
  BUILD(b, size, 4, 1, 2, 3, 4);
  for (int i = 0; i < 4; i++) {
    build_point(b, i == 0 || i == 3, i == 1 || i == 3, i == 2 || i == 3);
    build_real(b, 0.5);
    build_real(b, 0.5);
  }
  build_text(b, "\n$EndNodes\n$Elements\n");
  BUILD(b, size, 3, 4, 1, 4);
  BUILD(b, 4, 0, 3, 15);
  BUILD(b, size, 1, 1, 50);
  BUILD(b, 4, 2, 1, 2);
  BUILD(b, size, 2, 2, 50, 1, 2, 3, 1, 2, 3);
  BUILD(b, 4, 3, 1, 4);
  BUILD(b, size, 1, 4, 50, 1, 2, 3);
  build_text(b, "\n$EndElements\n");
}

static void build_version_4_0(file_builder *b) {
  build_format(b, "4.0 1 8\n");
  build_text(b, "$Entities\n");
  BUILD(b, 8, 0, 0, 1, 1);
  for (int i = 0; i < 2; i++) {
    BUILD(b, 4, 1);
    build_point(b, 0, 0, 0);
    build_point(b, 1, 1, 1);
    BUILD(b, 8, 1);
    BUILD(b, 4, i == 0 ? 11 : 7);
    BUILD(b, 8, 0);
  }
  build_text(b, "\n$EndEntities\n$Nodes\n");
  BUILD(b, 8, 2, 5);
  BUILD(b, 4, 3, 0, 0);
  BUILD(b, 8, 1);
  BUILD(b, 4, 50);
  build_point(b, 0, 0, 0);
  BUILD(b, 4, 1, 2, 0);
  BUILD(b, 8, 4);
  for (int i = 0; i < 4; i++) {
    BUILD(b, 4, i + 1);
    build_point(b, i == 0 || i == 3, i == 1 || i == 3, i == 2 || i == 3);
  }
  build_text(b, "\n$EndNodes\n$Elements\n");
  BUILD(b, 8, 3, 4);
  BUILD(b, 4, 3, 0, 15);
  BUILD(b, 8, 1);
  BUILD(b, 4, 1, 50);
  BUILD(b, 4, 1, 2, 2);
  BUILD(b, 8, 2);
  BUILD(b, 4, 2, 50, 1, 2, 3, 1, 2, 3);
  BUILD(b, 4, 1, 3, 4);
  BUILD(b, 8, 1);
  BUILD(b, 4, 4, 50, 1, 2, 3);
  build_text(b, "\n$EndElements\n");
}

static void test_binary_version_4_in_both_byte_orders(void **state) {
  (void)state;
  for (int big = 0; big < 2; big++) {
    file_builder files[3] = {{.big_endian = big}, {.big_endian = big}, {.big_endian = big}};
    build_version_4_1(&files[0], 8);
    build_version_4_1(&files[1], 4);
    build_version_4_0(&files[2]);
    for (int i = 0; i < 3; i++) {
      clv_mesh mesh;
      read_built(&mesh, &files[i]);
      check_cube_of_4(&mesh);
      clv_mesh_free(&mesh);
    }
  }
}

static void test_binary_errors_name_a_byte(void **state) {
  (void)state;
  file_builder b = {.size = 0};
  build_version_2(&b);
  size_t node = strlen("$MeshFormat\n2.2 1 8\n") + 4 + strlen("\n$EndMeshFormat\n$Nodes\n4\n");
  memset(b.data + node + 4, 0xff, 8); // the first coordinate becomes NaN
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_read_memory(&mesh, "x.msh", b.data, b.size, &error), CLV_ERROR_INPUT);
  assert_string_equal(error.message, "x.msh: byte 69: point 0 has a coordinate that is not finite");
  assert_mesh_is_empty(&mesh);
  b = (file_builder){.size = 0};
  build_text(&b, "$MeshFormat\n2.2 1 8\n");
  build_integer(&b, 2, 4);
  assert_int_equal(clv_mesh_read_memory(&mesh, "x.msh", b.data, b.size, &error), CLV_ERROR_INPUT);
  assert_non_null(strstr(error.message, "byte 20: expected the integer 1"));
}

// ---- wrong files ----------------------------------------------------------------------------------------------------

#define FORMAT_2 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES_2 FORMAT_2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
#define ELEMENTS_2 NODES_2 "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n"
#define DATA(name) "$NodeData\n1\n\"" name "\"\n0\n3\n0\n1\n0\n$EndNodeData\n"
#define FORMAT_4 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES_4 FORMAT_4 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"

static void test_wrong_files_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"", 1, "no section of nodes"},
      {"hello", 1, "expected a section such as $Nodes, found 'hello'"},
      {"$", 1, "expected a section"},
      {"$Nodes\n1\n", 1, "needs a $MeshFormat"},
      {"$Foo\nbar\n", 1, "'$Foo' has no end"},
      {"$NOD\n", 2, "expected the number of nodes, found the end of the file"},
      {"$NOD\n-1\n$ENDNOD\n", 2, "expected the number of nodes, found '-1'"},
      {"$NOD\n99999999999999999999\n", 2, "the number of nodes"},
      {"$NOD\n1000\n1 0 0 0\n$ENDNOD\n", 2, "1000 nodes are declared, but the file is too short"},
      {"$NOD\n1\n1 0 0\n$ENDNOD\n", 3, "node 1 has two coordinates, three are needed"},
      {"$NOD\n1\n1      \n$ENDNOD\n", 3, "node 1 has no coordinates"},
      {"$NOD\n1\n1 0 0 0 0\n$ENDNOD\n", 3, "unexpected '0' after the coordinates"},
      {"$NOD\n1\nx 0 0 0\n$ENDNOD\n", 3, "expected the tag of a node, found 'x'"},
      {"$NOD\n1\n1 0 0 0x1\n$ENDNOD\n", 3, "expected a coordinate, found '0x1'"},
      {"$NOD\n1\n1 0 0 1,5\n$ENDNOD\n", 3, "expected a coordinate, found '1,5'"},
      {"$NOD\n1\n1 0 0 nan\n$ENDNOD\n", 3, "not finite"},
      {"$NOD\n1\n1 0 inf 0\n$ENDNOD\n", 3, "not finite"},
      {"$NOD\n1\n1 0 1e999 0\n$ENDNOD\n", 3, "not finite"},
      {"$NOD\n2\n1 0 0 0\n1 0 0 1\n$ENDNOD\n", 4, "two nodes have the tag 1"},
      {"$NOD\n1\n1 0 0 0\n2 0 0 0\n$ENDNOD\n", 4, "expected the end of section $NOD, found '2'"},
      {"$NOD\n1\n1 0 0 0\n", 4, "expected the end of section $NOD, found the end of the file"},
      {"$NOD\n0\n$ENDNOD\n$NOD\n0\n$ENDNOD\n", 5, "a second section of nodes"},
      {"$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 15 0 0 2 1 1\n$ENDELM\n", 7, "element 1 has 2 nodes, its type needs 1"},
      {"$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 26 0 0 2 1 1\n$ENDELM\n", 7, "element type 26 is not supported"},
      {"$NOD\n1\n1 0 0 0\n$ENDNOD\n$ELM\n1\n1 0 0 0 2 1 1\n$ENDELM\n", 7, "element type 0 is not supported"},
      {"$ELM\n0\n$ENDELM\n", 2, "elements come before the nodes"},
      {"$MeshFormat\n3 0 8\n", 2, "format 3 is not supported"},
      {"$MeshFormat\n5.0 0 8\n", 2, "format 5 is not supported"},
      {"$MeshFormat\nx 0 8\n", 2, "expected the version"},
      {"$MeshFormat\n2.2 2 8\n", 2, "expected 0 for text or 1 for binary, found 2"},
      {"$MeshFormat\n2.2 0 16\n", 2, "numbers of 16 bytes"},
      {"$MeshFormat\n2.2 0 8\n$EndNodes\n", 3, "expected the end of section $MeshFormat"},
      {FORMAT_2 "$PhysicalNames\n1\n4 1 \"x\"\n", 6, "dimension 0 to 3, not 4"},
      {FORMAT_2 "$PhysicalNames\n1\n1 1 xxxx\n", 6, "in quotation marks, found 'xxxx'"},
      {FORMAT_2 "$PhysicalNames\n1\n1 3000000000 \"x\"\n", 6, "physical tag 3000000000"},
      {FORMAT_2 "$PhysicalNames\n9\n1 3 \"x\"\n", 5, "9 physical names are declared"},
      {FORMAT_2 "$NodeData\n0\n0\n3\n0\n1\n0\n$EndNodeData\n", 4, "$NodeData comes before the nodes"},
      {FORMAT_2 "$Entities\n0 0 0 0\n$EndEntities\n", 4, "$Entities needs a $MeshFormat section of version 4"},
      {NODES_2 "$ElementData\n0\n0\n3\n0\n1\n0\n$EndElementData\n", 10, "comes before the elements"},
      {NODES_2 "$Elements\n1\n1 2 0 1 2\n$EndElements\n", 12, "element 1 has 2 nodes, its type needs 3"},
      {NODES_2 "$Elements\n1\n1 2 0 1 2 4\n$EndElements\n", 12, "element 1 uses node 4, which does not exist"},
      {NODES_2 "$Elements\n1\n1 2 0 1 2 3 1\n$EndElements\n", 12, "unexpected '1' after the nodes"},
      {NODES_2 "$Elements\n1\n1 2 1 3000000000 1 2 3\n$EndElements\n", 12, "needs more than 32 bits"},
      {NODES_2 "$Elements\n2\n1 2 0 1 2 3\n$EndElements\n", 13, "expected the tag of an element, found '$EndElements'"},
      {NODES_2 "$Elements\n1\n1 92 0 1 2 3\n$EndElements\n", 12, "element type 92"},
      {ELEMENTS_2 "$Elements\n0\n$EndElements\n", 15, "a second section of elements"},
      {ELEMENTS_2 "$NodeData\n1\nname\n", 16, "a string tag in quotation marks, found 'name'"},
      {ELEMENTS_2 "$NodeData\n0\n0\n2\n0\n1\n", 17, "three integer tags"},
      {ELEMENTS_2 "$NodeData\n0\n0\n3\n0\n0\n0\n$EndNodeData\n", 20, "data of 0 components"},
      {ELEMENTS_2 "$NodeData\n0\n0\n3\n0\n1\n9\n1 0\n$EndNodeData\n", 20, "9 values are declared"},
      {ELEMENTS_2 "$NodeData\n0\n0\n3\n0\n1\n-1\n1 0\n$EndNodeData\n", 20, "-1 values are declared"},
      {ELEMENTS_2 "$NodeData\n0\n0\n3\n0\n1\n1\n5 0\n$EndNodeData\n", 21, "there is no node 5"},
      {ELEMENTS_2 "$ElementData\n0\n0\n3\n0\n1\n1\n5 0\n$EndElementData\n", 21, "there is no element 5"},
      {ELEMENTS_2 "$ElementData\n0\n0\n3\n0\n1\n1\n1 y\n$EndElementData\n", 21, "expected a value, found 'y'"},
      {NODES_2 DATA("a 3") DATA("a") DATA("a"), 35, "field 'a 3' is there already"},
      {FORMAT_4 "$Entities\n1 0 0\n$EndEntities\n", 6, "expected the number of entities"},
      {FORMAT_4 "$Entities\n1 0 0 0\n1 0 0 0 9\n$EndEntities\n", 6, "9 physical tags are declared"},
      {FORMAT_4 "$Nodes\n1 1 1 1\n4 1 0 1\n1\n0 0 0\n$EndNodes\n", 6, "dimension 0 to 3, not 4"},
      {FORMAT_4 "$Nodes\n1 1 1 1\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n", 6, "more than the 1 declared"},
      {FORMAT_4 "$Nodes\n1 2 1 1\n2 1 0 1\n1\n0 0 0\n$EndNodes\n", 8, "2 nodes are declared, there are 1"},
      {FORMAT_4 "$Nodes\n1 2 1 1\n2 1 0 2\n1\n1\n0 0 0\n0 0 0\n$EndNodes\n", 10, "two nodes have the tag 1"},
      {FORMAT_4 "$Nodes\n1 1 1 1\n2 1 0 1\n1\n0 0\n$EndNodes\n", 8, "node 1 has two coordinates"},
      {NODES_4 "$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 9\n$EndElements\n", 17, "uses node 9"},
      {NODES_4 "$Elements\n1 1 1 1\n2 1 36 1\n1 1 2 3\n$EndElements\n", 16, "element type 36"},
      {NODES_4 "$Elements\n1 1 1 1\n-268435456 1 2 1\n1 1 2 3\n$EndElements\n", 16, "not -268435456"},
      {NODES_4 "$Elements\n1 2 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n", 17, "2 elements are declared, there are 1"},
      {NODES_4 "$Elements\n1 1 1 1\n2 1 2 2\n1 1 2 3\n2 1 2 3\n$EndElements\n", 16, "more than the 1 declared"},
  };
  assert_texts_are_wrong("x.msh", cases, sizeof cases / sizeof *cases);
}

static void test_too_many_fields_are_refused(void **state) {
  (void)state;
  enum { COUNT = 5000 };
  char *text = malloc(strlen(NODES_2) + COUNT * strlen(DATA("a")) + 1);
  assert_non_null(text);
  char *at = stpcpy(text, NODES_2);
  for (int i = 0; i < COUNT; i++) at = stpcpy(at, DATA("a"));
  assert_text_is_wrong("x.msh", text, 9 + 4096 * 9 + 8, "more than 4096 fields");
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_version_1),
      cmocka_unit_test(test_version_2_with_names_data_and_foreign_sections),
      cmocka_unit_test(test_version_4),
      cmocka_unit_test(test_partitions_carry_regions_too),
      cmocka_unit_test(test_second_order_elements_are_reduced),
      cmocka_unit_test(test_binary_version_2_in_both_byte_orders),
      cmocka_unit_test(test_binary_version_4_in_both_byte_orders),
      cmocka_unit_test(test_binary_errors_name_a_byte),
      cmocka_unit_test(test_wrong_files_are_explained),
      cmocka_unit_test(test_too_many_fields_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
