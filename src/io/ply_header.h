// The header of a .ply file: which elements follow, how many of each, and the properties of each.

#ifndef IO_PLY_HEADER_H
#define IO_PLY_HEADER_H

#include "io/bytes.h"
#include "io/reader.h"

typedef struct ply_property {
  io_span name;
  io_scalar type, count_type;
  bool is_list;
} ply_property;

typedef struct ply_element {
  io_span name;
  uint64_t count;
  size_t first_property, property_count;
} ply_element;

typedef struct ply_header {
  ply_element *elements;
  ply_property *properties; // of all elements
  size_t element_count, property_count;
} ply_header;

// Reads from the first line to the end of the header, and sets the reader to text or to the byte order that follows.
bool io_ply_read_header(io_reader *r, ply_header *header);

// The least number of bytes that one row of an element takes.
size_t io_ply_row_size(const io_reader *r, const ply_header *header, const ply_element *element);
// The property of this name, from the element's first; property_count for none.
size_t io_ply_find_property(const ply_header *header, const ply_element *element, const char *name);

#endif
