// Meshes and files for the tests of the formats. See mesh_files.h.

#include "support/mesh_files.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// ---- a mesh with everything -----------------------------------------------------------------------------------------

// Numbers that are hard to write: no exact decimal, negative zero, the least and the greatest doubles, whole ones.
static const double hard_numbers[] = {
    0.1,   -0.0,        1.0 / 3.0, 2.2250738585072014e-308, 5e-324, 1.7976931348623157e308,
    1e-10, 123456789.0, -7.0,      0.30000000000000004,     1e22,   9007199254740993.0};

static double hard_number(size_t i) {
  return hard_numbers[i % (sizeof hard_numbers / sizeof *hard_numbers)];
}

static void add_points(clv_mesh *mesh) {
  for (size_t i = 0; i < 12; i++) {
    assert_int_equal(clv_mesh_add_point(mesh, hard_number(i), hard_number(5 * i + 1), hard_number(7 * i + 2)), CLV_OK);
  }
}

static void add_element(clv_mesh *mesh, clv_kind kind, const uint32_t *corners, size_t count, int32_t tag) {
  assert_int_equal(clv_mesh_add_element(mesh, kind, corners, count, tag), CLV_OK);
}

static void add_elements(clv_mesh *mesh, int with) {
  static const uint32_t corners[] = {3, 1, 4, 0, 5, 9, 2, 6, 8, 7, 11, 10};
  static const clv_kind kinds[] = {CLV_TET, CLV_TET,   CLV_HEX,  CLV_PRISM, CLV_PYRAMID,
                                   CLV_TRI, CLV_POINT, CLV_LINE, CLV_QUAD,  CLV_TET};
  static const int32_t tags[] = {7, 7, 0, -3, 2147483647, 7, 9, 9, 0, 5};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    add_element(mesh, kinds[i], corners + i % 4, (size_t)clv_kind_corners(kinds[i]), tags[i]);
  }
  if (!(with & WITH_POLYHEDRA)) return;
  static const uint32_t stream[] = {4, 3, 0, 1, 2, 3, 0, 3, 1, 4, 1, 3, 5, 2, 3, 0, 2, 11};
  add_element(mesh, CLV_POLYGON, corners, 5, 4);
  add_element(mesh, CLV_POLYHEDRON, stream, sizeof stream / sizeof *stream, -1);
  add_element(mesh, CLV_TRI, corners, 3, 0);
  add_element(mesh, CLV_POLYHEDRON, stream, sizeof stream / sizeof *stream, 0);
}

static void add_field(clv_mesh *mesh, const char *name, clv_field_place place, uint32_t components) {
  double *values;
  size_t count = place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count;
  assert_int_equal(clv_mesh_add_field(mesh, name, place, components, &values), CLV_OK);
  for (size_t i = 0; i < count * components; i++) values[i] = hard_number(i + components);
}

// Points before elements, as formats keep them apart.
static void add_fields(clv_mesh *mesh) {
  add_field(mesh, "temperature", CLV_ON_POINTS, 1);
  add_field(mesh, "two words & <more>", CLV_ON_POINTS, 3);
  add_field(mesh, "temperature", CLV_ON_ELEMENTS, 2);
  add_field(mesh, "region", CLV_ON_ELEMENTS, 1); // not to be taken for the regions
}

void make_sample_mesh(clv_mesh *mesh, int with) {
  clv_mesh_init(mesh, NULL);
  add_points(mesh);
  add_elements(mesh, with);
  if (with & WITH_FIELDS) add_fields(mesh);
  if (with & WITH_REGIONS) {
    assert_int_equal(clv_mesh_add_region(mesh, 3, 7, "left lobe"), CLV_OK);
    assert_int_equal(clv_mesh_add_region(mesh, 0, 9, "corner"), CLV_OK);
  }
}

// ---- comparison -----------------------------------------------------------------------------------------------------

static void assert_bytes_equal(const void *a, const void *b, size_t size) {
  if (size) assert_memory_equal(a, b, size);
}

static void assert_fields_equal(const clv_field *a, const clv_field *b) {
  assert_string_equal(a->name, b->name);
  assert_int_equal(a->place, b->place);
  assert_int_equal(a->components, b->components);
  assert_int_equal(a->count, b->count);
  assert_bytes_equal(a->values, b->values, a->count * a->components * sizeof *a->values);
}

void assert_meshes_equal(const clv_mesh *a, const clv_mesh *b) {
  assert_int_equal(a->point_count, b->point_count);
  assert_bytes_equal(a->points, b->points, a->point_count * sizeof *a->points);
  assert_int_equal(a->element_count, b->element_count);
  assert_bytes_equal(a->kinds, b->kinds, a->element_count * sizeof *a->kinds);
  assert_bytes_equal(a->tags, b->tags, a->element_count * sizeof *a->tags);
  if (a->element_count) {
    assert_bytes_equal(a->offsets, b->offsets, (a->element_count + 1) * sizeof *a->offsets);
    assert_bytes_equal(a->corners, b->corners, a->offsets[a->element_count] * sizeof *a->corners);
  }
  assert_int_equal(a->field_count, b->field_count);
  for (size_t f = 0; f < a->field_count; f++) assert_fields_equal(&a->fields[f], &b->fields[f]);
  assert_int_equal(a->region_count, b->region_count);
  for (size_t r = 0; r < a->region_count; r++) {
    assert_string_equal(a->regions[r].name, b->regions[r].name);
    assert_int_equal(a->regions[r].tag, b->regions[r].tag);
    assert_int_equal(a->regions[r].dimension, b->regions[r].dimension);
  }
  assert_int_equal(a->reduced_elements, b->reduced_elements);
}

void assert_mesh_is_empty(const clv_mesh *mesh) {
  clv_mesh empty;
  clv_mesh_init(&empty, &mesh->allocator);
  assert_memory_equal(mesh, &empty, sizeof empty);
}

// ---- files ----------------------------------------------------------------------------------------------------------

const char *name_for_format(const char *format) {
  static char name[16];
  const char *ending = clv_format_ending(format);
  assert_non_null(ending);
  snprintf(name, sizeof name, "x%s", ending);
  return name;
}

void temporary_name(char name[64], const char *ending) {
  snprintf(name, 64, "io-%ld.%s", (long)getpid(), ending);
}

void remove_set(void) {
  static const char *const endings[] = {"node", "ele", "face", "edge"};
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    char path[64];
    temporary_name(path, endings[i]);
    remove(path);
  }
}

file_bytes file_on_disk(const char *path) {
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  file_bytes bytes = {NULL, (size_t)ftell(file)};
  rewind(file);
  bytes.data = malloc(bytes.size + 1);
  assert_non_null(bytes.data);
  assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
  bytes.data[bytes.size] = '\0';
  fclose(file);
  return bytes;
}

file_bytes file_of_mesh(const clv_mesh *mesh, const char *format) {
  char path[64];
  temporary_name(path, "mesh");
  clv_error error = {CLV_OK, ""};
  clv_result result = clv_mesh_write(mesh, path, format, &error);
  if (result != CLV_OK) fail_msg("%s: %s", format, error.message);
  file_bytes bytes = file_on_disk(path);
  remove(path);
  return bytes;
}

void read_text(clv_mesh *mesh, const char *name, const char *text) {
  clv_error error = {CLV_OK, ""};
  clv_mesh_init(mesh, NULL);
  if (clv_mesh_read_memory(mesh, name, text, strlen(text), &error) != CLV_OK) fail_msg("%s", error.message);
}

void assert_text_is_wrong(const char *name, const char *text, int line, const char *word) {
  clv_error error = {CLV_OK, ""};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_result result = clv_mesh_read_memory(&mesh, name, text, strlen(text), &error);
  char place[64];
  snprintf(place, sizeof place, "%s:%d: ", name, line);
  if (result != CLV_ERROR_INPUT || error.code != result || strncmp(error.message, place, strlen(place)) != 0 ||
      !strstr(error.message, word)) {
    fail_msg("expected '%s' and '%s', got %d '%s' for:\n%s", place, word, result, error.message, text);
  }
  assert_mesh_is_empty(&mesh);
}

void assert_texts_are_wrong(const char *name, const wrong_text *cases, size_t count) {
  for (size_t i = 0; i < count; i++) assert_text_is_wrong(name, cases[i].text, cases[i].line, cases[i].word);
}

// ---- binary files by hand -------------------------------------------------------------------------------------------

static void build_bytes(file_builder *b, const void *bytes, size_t size) {
  assert_true(size <= sizeof b->data - b->size);
  memcpy(b->data + b->size, bytes, size);
  b->size += size;
}

void build_text(file_builder *b, const char *text) {
  build_bytes(b, text, strlen(text));
}

void build_integer(file_builder *b, uint64_t value, size_t size) {
  for (size_t i = 0; i < size; i++) {
    unsigned char byte = (unsigned char)(value >> 8 * (b->big_endian ? size - 1 - i : i));
    build_bytes(b, &byte, 1);
  }
}

void build_real(file_builder *b, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  build_integer(b, bits, sizeof bits);
}

void build_float(file_builder *b, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  build_integer(b, bits, sizeof bits);
}
