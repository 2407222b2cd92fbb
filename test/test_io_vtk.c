// VTK legacy files by hand: every data set, every kind of array, text and binary, and what is wrong with the wrong
// ones.

#include "support/mesh_files.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HEAD(version, encoding) "# vtk DataFile Version " version "\ntitle\n" encoding "\n"
#define ASCII HEAD("3.0", "ASCII")

static void assert_corners(const clv_mesh *mesh, size_t element, clv_kind kind, const uint32_t *corners, size_t count) {
  assert_int_equal(mesh->kinds[element], kind);
  assert_int_equal(mesh->offsets[element + 1] - mesh->offsets[element], count);
  assert_memory_equal(mesh->corners + mesh->offsets[element], corners, count * sizeof *corners);
}

#define CORNERS(mesh, element, kind, ...)                                                                              \
  assert_corners((mesh), (element), (kind), (const uint32_t[]){__VA_ARGS__},                                           \
                 sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static const clv_field *field_named(const clv_mesh *mesh, const char *name) {
  for (size_t i = 0; i < mesh->field_count; i++) {
    if (strcmp(mesh->fields[i].name, name) == 0) return &mesh->fields[i];
  }
  fail_msg("no field %s", name);
  return NULL;
}

// ---- unstructured grids ---------------------------------------------------------------------------------------------

#define EIGHT_POINTS "POINTS 8 float\n0 0 0 1 0 0\n0 1 0 1 1 0 0 0 1\n1 0 1 0 1 1 1 1 1\n"

static void test_cells_of_many_types(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.vtk",
            HEAD("1.0", "ascii") "dataset unstructured_grid\n" EIGHT_POINTS
                                 "CELLS 9 49\n4 0 1 2 3\n8 0 1 2 3 4 5 6 7\n4 0 1 3 2\n5 0 1 2 3 4\n3 4 5 6\n0\n2 1 "
                                 "2\n6 3 4 5 0 1 2\n"
                                 "8 7 6 5 4 3 2 1 0\nCELL_TYPES 9\n8 11 9 6 4 0 2 7 36\n"
                                 "CELL_DATA 9\nSCALARS c int\nLOOKUP_TABLE default\n0 1 2 3 4 5 6 7 8\n");
  CORNERS(&mesh, 0, CLV_QUAD, 0, 1, 3, 2);            // a pixel
  CORNERS(&mesh, 1, CLV_HEX, 0, 1, 3, 2, 4, 5, 7, 6); // a voxel
  CORNERS(&mesh, 2, CLV_QUAD, 0, 1, 3, 2);            // a quadrangle
  CORNERS(&mesh, 3, CLV_TRI, 0, 1, 2);                // a strip of three triangles
  CORNERS(&mesh, 4, CLV_TRI, 2, 1, 3);
  CORNERS(&mesh, 5, CLV_TRI, 2, 3, 4);
  CORNERS(&mesh, 6, CLV_LINE, 4, 5); // a polyline
  CORNERS(&mesh, 7, CLV_LINE, 5, 6); // the empty cell is no element
  CORNERS(&mesh, 8, CLV_POINT, 1);   // vertices
  CORNERS(&mesh, 9, CLV_POINT, 2);
  CORNERS(&mesh, 10, CLV_POLYGON, 3, 4, 5, 0, 1, 2);
  CORNERS(&mesh, 11, CLV_POLYGON, 7, 6, 5, 4); // a quadratic polygon
  assert_int_equal(mesh.reduced_elements, 1);
  static const double cells[] = {0, 1, 2, 3, 3, 3, 4, 4, 6, 6, 7, 8};
  assert_memory_equal(mesh.fields[0].values, cells, sizeof cells);
  clv_mesh_free(&mesh);
}

static void test_second_order_cells_are_reduced(void **state) {
  (void)state;
  static const struct {
    int type, nodes;
    clv_kind kind;
  } cases[] = {{21, 3, CLV_LINE},   {22, 6, CLV_TRI},      {23, 8, CLV_QUAD}, {24, 10, CLV_TET}, {25, 20, CLV_HEX},
               {26, 15, CLV_PRISM}, {27, 13, CLV_PYRAMID}, {28, 9, CLV_QUAD}, {29, 27, CLV_HEX}, {30, 6, CLV_QUAD},
               {31, 12, CLV_PRISM}, {32, 18, CLV_PRISM},   {33, 24, CLV_HEX}, {34, 7, CLV_TRI},  {37, 19, CLV_PYRAMID}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_builder b = {.big_endian = true};
    build_text(&b, HEAD("2.0", "BINARY") "DATASET UNSTRUCTURED_GRID\nPOINTS 8 unsigned_char\n");
    for (uint64_t c = 0; c < 24; c++) build_integer(&b, c, 1);
    char line[64];
    snprintf(line, sizeof line, "\nCELLS 1 %d\n", cases[i].nodes + 1);
    build_text(&b, line);
    build_integer(&b, (uint64_t)cases[i].nodes, 4);
    for (int n = 0; n < cases[i].nodes; n++) build_integer(&b, (uint64_t)n, 4);
    build_text(&b, "\nCELL_TYPES 1\n");
    build_integer(&b, (uint64_t)cases[i].type, 4);
    clv_mesh mesh;
    clv_mesh_init(&mesh, NULL);
    assert_int_equal(clv_mesh_read_memory(&mesh, "x.vtk", b.data, b.size, NULL), CLV_OK);
    assert_int_equal(mesh.kinds[0], cases[i].kind);
    assert_int_equal(mesh.offsets[1], clv_kind_corners(cases[i].kind));
    assert_int_equal(mesh.reduced_elements, 1);
    clv_mesh_free(&mesh);
  }
}

static void test_version_5_and_its_polyhedra(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.vtk",
            HEAD("5.1", "ASCII") "DATASET UNSTRUCTURED_GRID\n"
                                 "FIELD FieldData 3\nTIME 1 1 double\n0.5\nMETADATA\nINFORMATION 0\n\nnote 1 2 "
                                 "string\na%20b\nc\nempty 0 0 int\n" EIGHT_POINTS
                                 "METADATA\nINFORMATION 1\nNAME L2 LOCATION vtkDataArray\nDATA 2 0 1\n\n"
                                 "CELLS 3 21\nOFFSETS vtktypeint64\n0 4 21\nCONNECTIVITY int\n0 1 2 4 "
                                 "4 3 0 1 2 3 0 1 4 3 1 2 4 3 0 2 4\nCELL_TYPES 2\n10 42\n");
  CORNERS(&mesh, 0, CLV_TET, 0, 1, 2, 4);
  CORNERS(&mesh, 1, CLV_POLYHEDRON, 4, 3, 0, 1, 2, 3, 0, 1, 4, 3, 1, 2, 4, 3, 0, 2, 4);
  assert_int_equal(mesh.field_count, 0);
  clv_mesh_free(&mesh);
  read_text(&mesh, "x.vtk", HEAD("5.1", "ASCII") "DATASET POLYDATA\n" EIGHT_POINTS "POLYGONS 0 0\nCELL_DATA 0\n");
  assert_int_equal(mesh.element_count, 0);
  clv_mesh_free(&mesh);
}

// ---- the other data sets --------------------------------------------------------------------------------------------

// Values on cells come for vertices, lines, polygons and strips, whatever the order of the keywords.
static void test_polydata(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.vtk",
            ASCII
            "DATASET POLYDATA\n" EIGHT_POINTS
            "TRIANGLE_STRIPS 1 5\n4 0 1 2 3\nPOLYGONS 3 15\n3 0 1 2\n4 0 1 3 2\n5 0 1 2 3 4\n"
            "LINES 1 4\n3 0 1 2\nVERTICES 1 2\n1 7\nCELL_DATA 6\nSCALARS c double 1\nLOOKUP_TABLE t\n0 1 2 3 4 5\n"
            "LOOKUP_TABLE t 1\n0 0 0 1\n");
  CORNERS(&mesh, 0, CLV_POINT, 7);
  CORNERS(&mesh, 1, CLV_LINE, 0, 1);
  CORNERS(&mesh, 2, CLV_LINE, 1, 2);
  CORNERS(&mesh, 3, CLV_TRI, 0, 1, 2);
  CORNERS(&mesh, 4, CLV_QUAD, 0, 1, 3, 2);
  CORNERS(&mesh, 5, CLV_POLYGON, 0, 1, 2, 3, 4);
  CORNERS(&mesh, 6, CLV_TRI, 0, 1, 2);
  CORNERS(&mesh, 7, CLV_TRI, 2, 1, 3);
  static const double cells[] = {0, 1, 1, 2, 3, 4, 5, 5};
  assert_memory_equal(mesh.fields[0].values, cells, sizeof cells);
  clv_mesh_free(&mesh);
}

static void test_structured_data_sets(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.vtk",
            ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 3 2 2\nORIGIN 1 2 3\nSPACING .5 1 2\nCELL_DATA 2\nSCALARS s "
                  "int\nLOOKUP_TABLE default\n4 5\n");
  assert_int_equal(mesh.point_count, 12);
  assert_true(mesh.points[11][0] == 2 && mesh.points[11][1] == 3 && mesh.points[11][2] == 5);
  CORNERS(&mesh, 1, CLV_HEX, 1, 2, 5, 4, 7, 8, 11, 10);
  assert_true(mesh.fields[0].values[1] == 5);
  clv_mesh_free(&mesh);
  read_text(&mesh, "x.vtk",
            ASCII "DATASET RECTILINEAR_GRID\nDIMENSIONS 1 2 3\nX_COORDINATES 1 float\n7\nY_COORDINATES 2 float\n0 "
                  "4\nZ_COORDINATES 3 int\n0 1 9\n");
  CORNERS(&mesh, 1, CLV_QUAD, 2, 3, 5, 4);
  assert_true(mesh.points[5][0] == 7 && mesh.points[5][1] == 4 && mesh.points[5][2] == 9);
  clv_mesh_free(&mesh);
  read_text(&mesh, "x.vtk", ASCII "DATASET STRUCTURED_GRID\nDIMENSIONS 2 1 1\nPOINTS 2 int\n0 0 0 1 0 0\n");
  CORNERS(&mesh, 0, CLV_LINE, 0, 1);
  clv_mesh_free(&mesh);
  read_text(&mesh, "x.vtk", ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 1 1 1\n");
  CORNERS(&mesh, 0, CLV_POINT, 0);
  clv_mesh_free(&mesh);
}

// ---- values ---------------------------------------------------------------------------------------------------------

#define ONE_LINE "DATASET POLYDATA\nPOINTS 2 double\n0 0 0 1 0 0\nLINES 1 3\n2 0 1\n"

static void test_every_kind_of_values(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(&mesh, "x.vtk",
            ASCII ONE_LINE
            "POINT_DATA 2\nSCALARS bare double\n.5 1.5\nSCALARS three float 3\nLOOKUP_TABLE default\n1 2 3 4 5 6\n"
            "COLOR_SCALARS colour 2\n0 .25 .5 1\nVECTORS v float\n1 2 3 4 5 6\nNORMALS n float\n1 2 3 4 5 6\n"
            "TEXTURE_COORDINATES t 2 float\n1 2 3 4\nTENSORS T double\n1 2 3 4 5 6 7 8 9\n1 2 3 4 5 6 7 8 9\n"
            "TENSORS6 S double\n1 2 3 4 5 6 1 2 3 4 5 6\nGLOBAL_IDS g vtkIdType\n8 9\nEDGE_FLAGS e bit\n0 1\n"
            "FIELD more 3\na%20%25%zz 2 2 unsigned_long\n1 2 3 18446744073709551615\nwords 1 2 string\nx y\nz\nlast 1 "
            "2 short\n-1 inf\n"
            "CELL_DATA 1\nSCALARS gmsh:physical long\nLOOKUP_TABLE default\n-8\nSCALARS region int\nLOOKUP_TABLE "
            "default\n3\n");
  static const struct {
    const char *name;
    unsigned components;
    double last;
  } expected[] = {{"bare", 1, 1.5},
                  {"three", 3, 6},
                  {"colour", 2, 1},
                  {"v", 3, 6},
                  {"n", 3, 6},
                  {"t", 2, 4},
                  {"T", 9, 9},
                  {"S", 6, 6},
                  {"g", 1, 9},
                  {"e", 1, 1},
                  {"a %%zz", 2, 18446744073709551616.0},
                  {"last", 1, (double)INFINITY},
                  {"region", 1, 3}};
  assert_int_equal(mesh.field_count, sizeof expected / sizeof *expected);
  for (size_t i = 0; i < mesh.field_count; i++) {
    const clv_field *field = field_named(&mesh, expected[i].name);
    assert_int_equal(field->components, expected[i].components);
    assert_true(field->values[field->count * field->components - 1] == expected[i].last);
  }
  assert_int_equal(mesh.tags[0], -8);
  clv_mesh_free(&mesh);
}

static void test_every_binary_type(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t size;
    double value; // of all bits but the lowest set
  } types[] = {{"char", 1, -2},         {"unsigned_char", 1, 254},
               {"short", 2, -2},        {"unsigned_short", 2, 65534},
               {"int", 4, -2},          {"unsigned_int", 4, 4294967294.0},
               {"long", 8, -2},         {"unsigned_long", 8, 18446744073709551614.0},
               {"vtktypeint64", 8, -2}, {"vtkIdType", 4, -2}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    file_builder b = {.big_endian = true};
    build_text(&b, HEAD("4.0", "BINARY") "DATASET POLYDATA\nPOINTS 1 float\n");
    for (int c = 0; c < 3; c++) build_float(&b, 0.25f);
    build_text(&b, "\nPOINT_DATA 1\nFIELD FieldData 4\nx 1 1 ");
    build_text(&b, types[i].name);
    build_text(&b, "\n");
    build_integer(&b, UINT64_MAX - 1, types[i].size);
    build_text(&b, "\nb 9 1 bit\n\xa5\x80\nwords 1 2 string\n\xc3"
                   "abc\x80\x02xy\nd 1 1 double\n");
    build_real(&b, 0.1);
    clv_mesh mesh;
    clv_error error = {CLV_OK, ""};
    clv_mesh_init(&mesh, NULL);
    if (clv_mesh_read_memory(&mesh, "x.vtk", b.data, b.size, &error) != CLV_OK) fail_msg("%s", error.message);
    assert_true(mesh.points[0][2] == 0.25);
    assert_true(mesh.fields[0].values[0] == types[i].value);
    static const double bits[] = {1, 0, 1, 0, 0, 1, 0, 1, 1};
    assert_memory_equal(mesh.fields[1].values, bits, sizeof bits);
    assert_true(mesh.fields[2].values[0] == 0.1);
    clv_mesh_free(&mesh);
  }
}

// ---- wrong files ----------------------------------------------------------------------------------------------------

#define GRID ASCII "DATASET UNSTRUCTURED_GRID\nPOINTS 3 int\n0 0 0 1 0 0 0 1 0\n"
#define GRID_5 HEAD("5.1", "ASCII") "DATASET UNSTRUCTURED_GRID\nPOINTS 3 int\n0 0 0 1 0 0 0 1 0\n"
#define LINE ASCII ONE_LINE

static void test_wrong_files_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"", 1, "expected '# vtk DataFile Version '"},
      {"# vtk DataFile Version 6.0\nx\nASCII\n", 1, "version 6"},
      {"# vtk DataFile Version 3.0\nx\nTEXT\n", 3, "expected ASCII or BINARY, found 'TEXT'"},
      {ASCII, 4, "no DATASET"},
      {ASCII "DATASET IMAGE\n", 4, "data sets of type 'IMAGE' are not supported"},
      {ASCII "POINTS 1 int\n0 0 0\n", 4, "POINTS has no place"},
      {GRID "DATASET POLYDATA\n", 7, "a second DATASET"},
      {GRID "FOO\n", 7, "unknown keyword 'FOO'"},
      {GRID "POINTS 1 int\n0 0 0\n", 7, "a second POINTS"},
      {GRID "POLYGONS 1 4\n3 0 1 2\n", 7, "POLYGONS has no place"},
      {GRID "SCALARS a int\n0 0 0\n", 7, "need POINT_DATA or CELL_DATA"},
      {ASCII "DATASET POLYDATA\nPOINTS 1000000 int\n", 5, "1000000 points are declared"},
      {ASCII "DATASET POLYDATA\nPOINTS 1 word\n0 0 0\n", 5, "expected a type of numbers such as double, found 'word'"},
      {ASCII "DATASET POLYDATA\nPOINTS 1 int\n0 0\n", 7, "expected a coordinate, found the end of the file"},
      {ASCII "DATASET POLYDATA\nPOINTS 1 int\n0 0 nan\n", 6, "not finite"},
      {GRID "CELLS 1 4\n3 0 1 2\n", 7, "1 cells and 0 cell types"},
      {GRID "CELLS 1 4\n3 0 1 2\nCELL_TYPES 2\n5 5\n", 7, "1 cells and 2 cell types"},
      {GRID "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n10\n", 8, "cell 0 has 3 nodes, its type 10 needs 4"},
      {GRID "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n99\n", 7, "cell 0 has type 99"},
      {GRID "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n-5\n", 7, "cell 0 has type -5"},
      {GRID "CELLS 1 4\n3 0 1 3\nCELL_TYPES 1\n5\n", 8, "cell 0 uses point 3, there are 3"},
      {GRID "CELLS 2 8\n3 0 1 2\n3 0 1 -1\nCELL_TYPES 2\n5 5\n", 9, "cell 1 uses point -1"},
      {GRID "CELLS 1 4\n3 0 1 x\nCELL_TYPES 1\n5\n", 8, "expected an integer, found 'x'"},
      {GRID "CELLS 1 4\n4 0 1 2\nCELL_TYPES 1\n5\n", 7, "cell 0 does not fit the 4 numbers"},
      {GRID "CELLS 1 5\n3 0 1 2 9\nCELL_TYPES 1\n5\n", 7, "5 numbers are declared for the cells, they take 4"},
      {GRID "CELLS 1 3\n2 0 1\nCELL_TYPES 1\n7\n", 8, "cell 0 has 2 nodes, its type needs at least 3"},
      {GRID "CELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n42\n", 8, "stream of polyhedron 0 has 3 numbers"},
      {GRID "CELLS 1 4\n3 1 9 2\nCELL_TYPES 1\n42\n", 8, "face 0 of polyhedron 0 does not fit"},
      {GRID "CELLS 1 6\n5 1 3\n0 1\n9\nCELL_TYPES 1\n42\n", 10, "cell 0 uses point 9"},
      {GRID "CELLS 1 7\n6 1 3 0 1 2 0\nCELL_TYPES 1\n42\n", 8,
       "face stream of polyhedron 0 has 6 numbers, its faces take 5"},
      {GRID "CELLS 1 4\n3 0 1 2\nCELLS 1 4\n3 0 1 2\n", 9, "a second CELLS"},
      {GRID_5 "CELLS 0 1\n9\n", 7, "one offset more than there are cells"},
      {GRID_5 "CELLS 2 3\nOFFSETS vtktypeint64\n0 3\nNODES int\n0 1 2\n", 10, "expected CONNECTIVITY, found 'NODES'"},
      {GRID_5 "CELLS 2 3\nOFFSETS float\n0 3\n", 8, "expected integers, not numbers of type float"},
      {GRID_5 "CELLS 2 3\nOFFSETS int\n1 3\nCONNECTIVITY int\n0 1 2\nCELL_TYPES 1\n5\n", 7, "first cell offset is 1"},
      {GRID_5 "CELLS 2 3\nOFFSETS int\n0 4\nCONNECTIVITY int\n0 1 2\nCELL_TYPES 1\n5\n", 7, "at 0 to 4 of 3"},
      {GRID_5 "CELLS 2 3\nOFFSETS int\n0 2\nCONNECTIVITY int\n0 1 2\nCELL_TYPES 1\n3\n", 7,
       "the cells use 2 nodes, there are 3"},
      {GRID_5 "CELLS 3 6\nOFFSETS int\n0 3 6\nCONNECTIVITY int\n0 1 2\n0 1 7\nCELL_TYPES 2\n5 5\n", 12,
       "cell 1 uses point 7"},
      {GRID_5 "CELLS 2 9000\nOFFSETS int\n0 3\n", 7, "9000 numbers are declared"},
      {LINE "POINT_DATA 3\n", 9, "values for 3 points, there are 2"},
      {LINE "CELL_DATA 3\n", 9, "values for 3 cells, there are 1"},
      {LINE "CELL_DATA 1\nLINES 0 0\n", 10, "LINES comes after the values"},
      {LINE "POINT_DATA 2\nSCALARS a int\nLOOKUP_TABLE default\n1 x\n", 12, "expected a number, found 'x'"},
      {LINE "POINT_DATA 2\nSCALARS a int 0\n1 2\n", 10, "arrays of 0 components"},
      {LINE "POINT_DATA 2\nSCALARS a int 9999999\n1 2\n", 10, "arrays of 9999999 components"},
      {LINE "POINT_DATA 2\nVECTORS a int\n1 2\n", 10, "6 numbers or bytes are declared"},
      {LINE "POINT_DATA 2\nFIELD f 9999\n", 10, "9999 arrays are declared"},
      {LINE "POINT_DATA 2\nFIELD f 1\na -1 2 int\n1 2\n", 11, "arrays of -1 components"},
      {LINE "POINT_DATA 2\nFIELD f 1\na 1 -2 int\n1 2\n", 11, "arrays of -2 tuples"},
      {LINE "POINT_DATA 2\nFIELD f 1\na 1 3 int\n1 2 3\n", 11, "an array of 3 tuples, 2 are needed"},
      {GRID "FIELD f 1\na 65535 4000000000 string\nx\n", 8,
       "262140000000000 strings are declared, but the file is too"},
      {LINE "CELL_DATA 1\nSCALARS region long\nLOOKUP_TABLE default\n3000000000\n", 12,
       "region 3000000000 needs more than 32 bits"},
      {ASCII "DATASET STRUCTURED_POINTS\n", 5, "no DIMENSIONS"},
      {ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 0 1 1\n", 5, "a dimension is 0"},
      {ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 1 1 9999999999\n", 5, "9999999999 is too large"},
      {ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 2000000000 2000000000 2000000000\n", 6, "too large"},
      {ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 9000 9000 9000\n", 6, "cannot hold what is declared"},
      {ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 1 1 1\nDIMENSIONS 1 1 1\n", 6, "a second DIMENSIONS"},
      {ASCII "DATASET STRUCTURED_POINTS\nDIMENSIONS 2 1 1\nSPACING inf 1 1\n", 7, "not finite"},
      {ASCII "DATASET RECTILINEAR_GRID\nDIMENSIONS 1 1 1\nX_COORDINATES 1 int\n0\n", 8, "lacks X_COORDINATES"},
      {ASCII "DATASET RECTILINEAR_GRID\nX_COORDINATES 1 int\n0\n", 5, "come before the DIMENSIONS"},
      {ASCII "DATASET RECTILINEAR_GRID\nDIMENSIONS 1 1 1\nX_COORDINATES 2 int\n0 1\n", 6, "the dimensions say 1"},
      {ASCII "DATASET STRUCTURED_GRID\nDIMENSIONS 2 2 1\nPOINTS 1 int\n0 0 0\n", 8,
       "there are 1 points, the dimensions need 4"},
  };
  assert_texts_are_wrong("x.vtk", cases, sizeof cases / sizeof *cases);
}

static void test_binary_errors_name_a_byte(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  static const char text[] = HEAD("3.0", "BINARY") "DATASET POLYDATA\nPOINTS 2 double\n0123456789";
  assert_int_equal(clv_mesh_read_memory(&mesh, "x.vtk", text, strlen(text), &error), CLV_ERROR_INPUT);
  assert_non_null(strstr(error.message, "x.vtk: byte "));
  assert_non_null(strstr(error.message, "48 numbers or bytes are declared, but the file is too short"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cells_of_many_types),         cmocka_unit_test(test_second_order_cells_are_reduced),
      cmocka_unit_test(test_version_5_and_its_polyhedra), cmocka_unit_test(test_polydata),
      cmocka_unit_test(test_structured_data_sets),        cmocka_unit_test(test_every_kind_of_values),
      cmocka_unit_test(test_every_binary_type),           cmocka_unit_test(test_wrong_files_are_explained),
      cmocka_unit_test(test_binary_errors_name_a_byte),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
