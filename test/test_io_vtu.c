// VTU files by hand: XML and its oddities, both byte orders and header types, pieces, and what is wrong with the wrong
// ones.

#include "support/mesh_files.h"

#include <stdio.h>
#include <string.h>

#define FILE_TAG "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">"
#define OPEN(points, cells)                                                                                            \
  FILE_TAG "\n<UnstructuredGrid>\n<Piece NumberOfPoints=\"" #points "\" NumberOfCells=\"" #cells "\">\n"
#define CLOSE "</Piece></UnstructuredGrid></VTKFile>\n"
#define POINTS                                                                                                         \
  "<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">0 0 0 1 0 0 0 1 "                     \
  "0</DataArray></Points>\n"
#define ARRAY(type, name, values)                                                                                      \
  "<DataArray type=\"" type "\" Name=\"" name "\" format=\"ascii\">" values "</DataArray>\n"
#define CELLS(connectivity, offsets, types)                                                                            \
  "<Cells>" ARRAY("Int32", "connectivity", connectivity) ARRAY("Int64", "offsets", offsets)                            \
      ARRAY("UInt8", "types", types) "</Cells>"

// ---- XML ------------------------------------------------------------------------------------------------------------

static void test_xml_with_all_its_oddities(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(
      &mesh, "x.vtu",
      "<?xml version=\"1.0\"?>\n<!-- <VTKFile> -->\n<VTKFile type = 'UnstructuredGrid' version='0.1'>\n"
      "<UnstructuredGrid>\n<FieldData><DataArray type=\"String\" Name=\"n\">1 2</DataArray></FieldData>\n"
      "<Piece NumberOfCells=' 1 ' NumberOfPoints='3' >\n"
      "<PointData Scalars='a'>\n<DataArray Name='&lt;&amp;&#65;&#xe4;&#8364;&#x1F600;&quot;&foo;' type='Int16'>"
      "<!-- none --> 1 2\n-3 <InformationKey name='r'><Value index='0'>9</Value></InformationKey></DataArray>\n"
      "<Array type='String' Name='s'>a</Array><DataArray type='String' Name='t'>x</DataArray></PointData><CellData/>\n"
      "<Points><DataArray type='Float32' NumberOfComponents='3'><![CDATA[0 0 0 1 0 0 0 1 0]]></DataArray></Points>\n"
      "<Cells>" ARRAY("Int32", "connectivity", "0 1 2") ARRAY("Int32", "offsets", "3")
          ARRAY("UInt8", "types", "5") "</Cells>\n"
                                       "</Piece></UnstructuredGrid></VTKFile><!-- end -->\n");
  assert_int_equal(mesh.point_count, 3);
  assert_int_equal(mesh.kinds[0], CLV_TRI);
  assert_int_equal(mesh.field_count, 1);
  assert_string_equal(mesh.fields[0].name, "<&A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"&foo;");
  assert_true(mesh.fields[0].values[2] == -3);
  clv_mesh_free(&mesh);
}

static void test_pieces_are_appended(void **state) {
  (void)state;
  clv_mesh mesh;
  read_text(
      &mesh, "x.vtu",
      OPEN(3, 1) POINTS CELLS("0 1 2", "3", "5") "<PointData>" ARRAY(
          "Int8", "p", "1 2 3") "</PointData><CellData>" ARRAY("Int32", "region", "7")
          ARRAY("Float32", "c",
                "0.5") "</CellData></Piece>\n"
                       "<Piece NumberOfPoints='0' NumberOfCells='0'/>"
                       "<Piece NumberOfPoints='3' NumberOfCells='2'>" POINTS CELLS(
                           "2 1 0 0 1 2", "4 6",
                           "6 3") "<PointData>" ARRAY("Int8", "p",
                                                      "4 5 6") "</PointData><CellData>" ARRAY("Float32", "c", "1.5 2.5")
                           ARRAY("Int64", "gmsh:physical", "8 9") ARRAY("UInt8", "new", "1 2") "</CellData>" CLOSE);
  assert_int_equal(mesh.point_count, 6);
  assert_int_equal(mesh.element_count, 4); // the strip is two triangles
  static const uint32_t corners[] = {0, 1, 2, 5, 4, 3, 3, 4, 3, 4, 5};
  assert_memory_equal(mesh.corners, corners, 6 * sizeof *corners);
  static const int32_t tags[] = {7, 8, 8, 9};
  assert_memory_equal(mesh.tags, tags, sizeof tags);
  assert_int_equal(mesh.field_count, 3);
  static const double p[] = {1, 2, 3, 4, 5, 6}, c[] = {0.5, 1.5, 1.5, 2.5}, added[] = {0, 1, 1, 2};
  assert_memory_equal(mesh.fields[0].values, p, sizeof p);
  assert_memory_equal(mesh.fields[1].values, c, sizeof c);
  assert_memory_equal(mesh.fields[2].values, added, sizeof added);
  clv_mesh_free(&mesh);
}

// ---- binary ---------------------------------------------------------------------------------------------------------

// A triangle with raw appended arrays.
static void build_triangle(file_builder *b, size_t header_size) {
  char head[512];
  size_t points = header_size + 72, connectivity = header_size + 12, offsets = header_size + 2;
  snprintf(
      head, sizeof head,
      "<VTKFile type=\"UnstructuredGrid\" byte_order=\"%s\" header_type=\"%s\"><UnstructuredGrid>"
      "<Piece NumberOfPoints=\"3\" NumberOfCells=\"1\"><Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" "
      "format=\"appended\" offset=\"0\"/></Points><Cells>",
      b->big_endian ? "BigEndian" : "LittleEndian", header_size == 8 ? "UInt64" : "UInt32");
  build_text(b, head);
  static const char *const names[] = {"connectivity", "offsets", "types"};
  static const char *const types[] = {"UInt32", "Int16", "Int8"};
  size_t places[] = {points, points + connectivity, points + connectivity + offsets};
  for (int i = 0; i < 3; i++) {
    snprintf(head, sizeof head, "<DataArray type=\"%s\" Name=\"%s\" format=\"appended\" offset=\"%zu\"/>", types[i],
             names[i], places[i]);
    build_text(b, head);
  }
  build_text(b, "</Cells></Piece></UnstructuredGrid><AppendedData encoding=\"raw\"> _");
  build_integer(b, 72, header_size);
  for (int i = 0; i < 9; i++) build_real(b, 0.1 * i);
  build_integer(b, 12, header_size);
  for (uint64_t i = 0; i < 3; i++) build_integer(b, 2 - i, 4);
  build_integer(b, 2, header_size);
  build_integer(b, 3, 2);
  build_integer(b, 1, header_size);
  build_integer(b, 5, 1);
  build_text(b, "</AppendedData></VTKFile>");
}

static void test_raw_data_in_both_byte_orders(void **state) {
  (void)state;
  for (int big = 0; big < 2; big++) {
    for (size_t header_size = 4; header_size <= 8; header_size += 4) {
      file_builder b = {.big_endian = big};
      build_triangle(&b, header_size);
      clv_mesh mesh;
      clv_error error = {CLV_OK, ""};
      clv_mesh_init(&mesh, NULL);
      if (clv_mesh_read_memory(&mesh, "x.vtu", b.data, b.size, &error) != CLV_OK) fail_msg("%s", error.message);
      assert_true(mesh.points[2][2] == 0.1 * 8);
      assert_int_equal(mesh.corners[0], 2);
      assert_int_equal(mesh.corners[2], 0);
      clv_mesh_free(&mesh);
    }
  }
}

// A header may be encoded with the data behind it or apart from them.
static void test_base64_with_joined_and_separate_headers(void **state) {
  (void)state;
  static const char *const encodings[] = {"AwAAAAECAw==", "AwAAAA==AQID", " AwAA\nAA== AQ ID "};
  for (size_t i = 0; i < 3; i++) {
    file_builder b = {.size = 0};
    build_text(&b, OPEN(3, 0) POINTS "<PointData><DataArray type=\"UInt8\" Name=\"a\" format=\"binary\">");
    build_text(&b, encodings[i]);
    build_text(&b, "</DataArray></PointData>" CLOSE);
    clv_mesh mesh;
    read_text(&mesh, "x.vtu", b.data);
    assert_true(mesh.fields[0].values[0] == 1 && mesh.fields[0].values[2] == 3);
    clv_mesh_free(&mesh);
  }
}

static void test_other_compressors_are_named(void **state) {
  (void)state;
  assert_text_is_wrong("x.vtu", "<VTKFile type=\"UnstructuredGrid\" compressor=\"vtkLZ4DataCompressor\"/>", 1,
                       "attribute compressor is 'vtkLZ4DataCompressor'; none and vtkZLibDataCompressor are supported");
}

// A file may claim more than it can hold, but not make us allocate it.
static void test_declared_sizes_are_not_believed(void **state) {
  (void)state;
  static const struct {
    const char *base64, *word;
  } cases[] = {
      {"/////w==", "the file is too short"},                              // 4 GB, plain
      {"/////wAAAQAAAAAA", "makes no sense"},                             // 2^32 - 1 blocks
      {"AQAAAP////8AAAAAAQAAAA==eA==", "cannot hold what is declared"},   // one block of 4 GB
      {"AQAAAAABAAAAAgAABAAAAA==eJwD", "makes no sense"},                 // the last larger than the others
      {"AQAAAAMAAAAAAAAABAAAAA==AAAAAA==", "damaged or of another size"}, // not zlib
      {"AQAAAAMAAAAAAAAA/wAAAA==AAAA", "longer than the file"},           // a long block
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    file_builder b = {.size = 0};
    build_text(&b, "<VTKFile type=\"UnstructuredGrid\"");
    if (i > 0) build_text(&b, " compressor=\"vtkZLibDataCompressor\"");
    build_text(&b, "><UnstructuredGrid><Piece NumberOfPoints=\"3\" NumberOfCells=\"0\">\n" POINTS
                   "<PointData>\n<DataArray type=\"UInt8\" Name=\"a\" format=\"binary\">");
    build_text(&b, cases[i].base64);
    build_text(&b, "</DataArray></PointData>" CLOSE);
    assert_text_is_wrong("x.vtu", b.data, 4, cases[i].word);
  }
}

// ---- wrong files ----------------------------------------------------------------------------------------------------

#define TRIANGLE OPEN(3, 1) POINTS CELLS("0 1 2", "3", "5") "\n"
#define POLYHEDRON(faces, ends)                                                                                        \
  OPEN(3, 1)                                                                                                           \
  POINTS "<Cells>" ARRAY("Int32", "connectivity", "0 1 2") ARRAY("Int32", "offsets", "3")                              \
      ARRAY("UInt8", "types", "42") faces ends "</Cells>" CLOSE

static void test_wrong_files_are_explained(void **state) {
  (void)state;
  static const wrong_text cases[] = {
      {"", 1, "no element at all"},
      {"hello", 1, "no element at all"},
      {"<", 1, "expected the name of an element"},
      {"<!DOCTYPE x [<!ENTITY a \"b\">]>", 1, "document type declarations are not supported"},
      {"<!-- no end", 1, "a comment has no end"},
      {"<?xml", 1, "a processing instruction has no end"},
      {"<html>", 1, "expected <VTKFile>, found 'html'"},
      {"<VTKFile type=\"PolyData\">", 1, "files of type 'PolyData' are not supported"},
      {"<VTKFile>", 1, "files of type"},
      {"<VTKFile type='UnstructuredGrid' byte_order='Middle'>", 1,
       "byte_order is 'Middle'; LittleEndian and BigEndian"},
      {"<VTKFile type='UnstructuredGrid' header_type='UInt16'>", 1, "header_type is 'UInt16'"},
      {"<VTKFile type='UnstructuredGrid'", 1, "'VTKFile' is not well-formed"},
      {"<VTKFile type=\"UnstructuredGrid", 1, "'VTKFile' is not well-formed"},
      {"<VTKFile type=UnstructuredGrid>", 1, "'VTKFile' is not well-formed"},
      {FILE_TAG, 1, "the file ends inside element 'VTKFile'"},
      {FILE_TAG "\n</Piece>", 2, "closes 'Piece', which is not the element that is open"},
      {FILE_TAG "\n<Piece>", 2, "attribute NumberOfPoints of 'Piece' is missing"},
      {FILE_TAG "\n<Piece NumberOfPoints='x'>", 2, "attribute NumberOfPoints of 'Piece' is 'x'"},
      {FILE_TAG "\n<Piece NumberOfPoints='-1'>", 2, "is '-1', a number is needed"},
      {FILE_TAG "\n<Piece NumberOfPoints='1' NumberOfCells='99999999999'>", 2, "more than 4294967295"},
      {OPEN(1, 0) CLOSE, 3, "the piece has no array of points"},
      {OPEN(3, 1) POINTS CLOSE, 3, "the piece has no array of types"},
      {OPEN(3, 1) POINTS "<Cells>" ARRAY("UInt8", "types", "5") "</Cells>" CLOSE, 3, "no array of connectivity"},
      {OPEN(4, 0) POINTS CLOSE, 4, "has 9 values, 12 are needed"},
      {OPEN(4, 0) "<Points>\n<DataArray type='Int8'/></Points>" CLOSE, 5, "has 0 values, 12 are needed"},
      {OPEN(4000000000, 0) POINTS CLOSE, 4, "has 9 values, 12000000000 are needed"},
      {OPEN(1, 0) "<Points><DataArray type='Float64'>0 0 x</DataArray></Points>" CLOSE, 4,
       "expected a number, found 'x'"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Float64'>\n0 0 nan</DataArray></Points>" CLOSE, 5, "not finite"},
      {OPEN(1, 0) "<Points>\n<DataArray type='String'>0</DataArray></Points>" CLOSE, 5, "arrays of type 'String'"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' format='hex'>0</DataArray></Points>" CLOSE, 5, "format is 'hex'"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' NumberOfComponents='-3'>", 5,
       "NumberOfComponents of 'DataArray' is '-3'"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' NumberOfComponents='99999'>", 5, "arrays of 99999 components"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' format='appended'/>", 5,
       "attribute offset of 'DataArray' is missing"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' format='appended' offset='0'/></Points>" CLOSE, 5,
       "the file has no <AppendedData>"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' format='binary'>AwAAAA==</DataArray></Points>" CLOSE, 5,
       "the file is too short"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' format='binary'>Aw*AAA==</DataArray></Points>" CLOSE, 5,
       "are not base64"},
      {OPEN(1, 0) "<Points>\n<DataArray type='Int8' format='binary'>AQAAAAA=</DataArray></Points>" CLOSE, 5,
       "has 1 values, 3 are needed"},
      {OPEN(3, 1) POINTS CELLS("0 1 2", "3 3", "5") CLOSE, 6, "array 'offsets' has 2 values, 1 are needed"},
      {OPEN(3, 1) POINTS CELLS("0 1 2", "3", "5 5") CLOSE, 7, "array 'types' has 2 values"},
      {OPEN(3, 1) POINTS CELLS("0 1 2", "2", "3") CLOSE, 3, "the cells use 2 nodes, there are 3"},
      {OPEN(3, 1) POINTS CELLS("0 1\n3", "3", "5") CLOSE, 6, "cell 0 uses point 3"},
      {OPEN(3, 1) POINTS CELLS("0 1 2.5", "3", "5") CLOSE, 5, "expected an integer, found '2.5'"},
      {OPEN(3, 1) POINTS CELLS("0 1 2", "3", "77") CLOSE, 3, "cell 0 has type 77"},
      {OPEN(3, 1) POINTS "<Cells>\n" ARRAY("Float32", "types", "5") "</Cells>" CLOSE, 6,
       "array 'types' must have integers"},
      {POLYHEDRON("", ""), 3, "no array of faces"},
      {POLYHEDRON(ARRAY("Int32", "faces", "1 3 0 1 2"), ""), 3, "no array of faceoffsets"},
      {POLYHEDRON(ARRAY("Int32", "faces", "1 3 0 1 2"), ARRAY("Int32", "faceoffsets", "-1")), 3,
       "polyhedron 0 has no faces"},
      {POLYHEDRON(ARRAY("Int32", "faces", "1 3 0 1 2"), ARRAY("Int32", "faceoffsets", "9")), 3,
       "polyhedron 0 has no faces"},
      {POLYHEDRON(ARRAY("Int32", "faces", "1 3 0 1\n7"), ARRAY("Int32", "faceoffsets", "5")), 9, "cell 0 uses point 7"},
      {POLYHEDRON(ARRAY("Int32", "faces", "2 3 0 1 2"), ARRAY("Int32", "faceoffsets", "5")), 8,
       "face 1 of polyhedron 0"},
      {TRIANGLE "<PointData>\n" ARRAY("Int8", "a", "1 2") "</PointData>" CLOSE, 10,
       "array 'a' has 2 values, 3 are needed"},
      {TRIANGLE "<PointData>\n" ARRAY("Int8", "a", "1 2 3 4") "</PointData>" CLOSE, 10, "array 'a' has 4 values"},
      {TRIANGLE "<CellData>\n" ARRAY("Int64", "region", "3000000000") "</CellData>" CLOSE, 10, "region 3000000000"},
      {TRIANGLE "<CellData>\n" ARRAY("Int8", "a", "1 2") "</CellData>" CLOSE, 10,
       "array 'a' has 2 values, 1 are needed"},
      {TRIANGLE "</Piece></UnstructuredGrid><AppendedData encoding='hex'>_", 9, "encoding is 'hex'; base64 and raw"},
      {TRIANGLE "</Piece></UnstructuredGrid><AppendedData encoding='raw'>\nx", 10, "begin with an underscore"},
      {"<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>", 1, "expected <VTKFile>"},
      {FILE_TAG "<a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a><a>",
       1, "nested more than 32 deep"},
  };
  assert_texts_are_wrong("x.vtu", cases, sizeof cases / sizeof *cases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_xml_with_all_its_oddities),
      cmocka_unit_test(test_pieces_are_appended),
      cmocka_unit_test(test_raw_data_in_both_byte_orders),
      cmocka_unit_test(test_base64_with_joined_and_separate_headers),
      cmocka_unit_test(test_other_compressors_are_named),
      cmocka_unit_test(test_declared_sizes_are_not_believed),
      cmocka_unit_test(test_wrong_files_are_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
