// Headers of .ply files. See ply_header.h.

#include "io/ply_header.h"

#include "io/text.h"

#include <inttypes.h>

typedef struct ply_capacity {
  size_t elements, properties;
} ply_capacity;

static bool ply_type(io_reader *r, io_scalar *type) {
  static const struct {
    const char *name;
    io_scalar type;
  } types[] = {
      {"char", IO_INT8},     {"int8", IO_INT8},       {"uchar", IO_UINT8},    {"uint8", IO_UINT8},
      {"short", IO_INT16},   {"int16", IO_INT16},     {"ushort", IO_UINT16},  {"uint16", IO_UINT16},
      {"int", IO_INT32},     {"int32", IO_INT32},     {"uint", IO_UINT32},    {"uint32", IO_UINT32},
      {"float", IO_FLOAT32}, {"float32", IO_FLOAT32}, {"double", IO_FLOAT64}, {"float64", IO_FLOAT64},
      {"int64", IO_INT64},   {"uint64", IO_UINT64},
  };
  io_span word = io_word(r);
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (!io_span_is(word, types[i].name)) continue;
    *type = types[i].type;
    return true;
  }
  return io_fail(r, "expected a type such as float or uchar, found %s", io_quote(word).text);
}

// How numbers stand behind the header.
typedef struct ply_encoding {
  bool is_known, binary, big_endian;
} ply_encoding;

static void ply_read_format(io_reader *r, ply_encoding *encoding) {
  io_span word = io_word(r);
  encoding->is_known = true;
  encoding->big_endian = io_span_is(word, "binary_big_endian");
  encoding->binary = encoding->big_endian || io_span_is(word, "binary_little_endian");
  if (!encoding->binary && !io_span_is(word, "ascii")) {
    io_fail(r, "expected ascii, binary_little_endian or binary_big_endian, found %s", io_quote(word).text);
  }
  double version = io_text_real(r, "the version of the format");
  if (version != 1) io_fail(r, "PLY format %g is not supported; 1.0 is", version);
}

static void ply_read_element(io_reader *r, ply_header *header, ply_capacity *capacity) {
  io_span name = io_word(r);
  int64_t count = io_text_integer(r, "the number of things of an element");
  if (count < 0) io_fail(r, "%" PRId64 " things of an element are declared", count);
  ply_element *elements =
      io_scratch_grow(r, header->elements, header->element_count, &capacity->elements, sizeof *elements);
  if (!elements) return;
  header->elements = elements;
  elements[header->element_count++] =
      (ply_element){.name = name, .count = (uint64_t)count, .first_property = header->property_count};
}

static void ply_read_property(io_reader *r, ply_header *header, ply_capacity *capacity) {
  ply_property property = {.is_list = io_span_is(io_peek_word(r), "list")};
  if (property.is_list) {
    io_word(r);
    ply_type(r, &property.count_type);
    if (io_ok(r) && !io_scalar_is_integer(property.count_type)) io_fail(r, "the length of a list must be an integer");
  }
  ply_type(r, &property.type);
  property.name = io_word(r);
  if (header->element_count == 0) io_fail(r, "a property comes before any element");
  ply_property *properties =
      io_scratch_grow(r, header->properties, header->property_count, &capacity->properties, sizeof *properties);
  if (!properties) return;
  header->properties = properties;
  properties[header->property_count++] = property;
  header->elements[header->element_count - 1].property_count++;
}

// A header line; false at the last.
static bool ply_read_line(io_reader *r, ply_header *header, ply_capacity *capacity, ply_encoding *encoding) {
  io_span word = io_word(r);
  if (io_span_is(word, "end_header")) return false;
  if (io_span_is(word, "format")) {
    ply_read_format(r, encoding);
  } else if (io_span_is(word, "element")) {
    ply_read_element(r, header, capacity);
  } else if (io_span_is(word, "property")) {
    ply_read_property(r, header, capacity);
  } else if (!io_span_is(word, "comment") && !io_span_is(word, "obj_info")) {
    io_fail(r, "expected a line of the header, such as element or end_header, found %s", io_quote(word).text);
  }
  if (io_ok(r)) io_rest_of_line(r);
  return io_ok(r);
}

bool io_ply_read_header(io_reader *r, ply_header *header) {
  *header = (ply_header){0};
  ply_capacity capacity = {0, 0};
  ply_encoding encoding = {false, false, false};
  io_span magic = io_word(r);
  if (!io_span_is(magic, "ply")) io_fail(r, "expected 'ply', found %s", io_quote(magic).text);
  if (io_ok(r)) io_rest_of_line(r);
  while (io_ok(r) && ply_read_line(r, header, &capacity, &encoding)) continue;
  if (!encoding.is_known) io_fail(r, "the header has no line 'format'");
  // Not io_rest_of_line: the first byte of binary data may look like a blank.
  if (io_ok(r) && r->at < r->end && *r->at == '\r') r->at++;
  if (io_ok(r) && r->at < r->end && *r->at == '\n') r->at++;
  r->binary = io_ok(r) && encoding.binary;
  r->big_endian = encoding.big_endian;
  return io_ok(r);
}

size_t io_ply_row_size(const io_reader *r, const ply_header *header, const ply_element *element) {
  size_t size = 0;
  for (size_t i = 0; i < element->property_count; i++) {
    const ply_property *property = &header->properties[element->first_property + i];
    size += !r->binary ? 1 : io_scalar_size(property->is_list ? property->count_type : property->type);
  }
  return size;
}

size_t io_ply_find_property(const ply_header *header, const ply_element *element, const char *name) {
  for (size_t i = 0; i < element->property_count; i++) {
    if (io_span_is(header->properties[element->first_property + i].name, name)) return i;
  }
  return element->property_count;
}
