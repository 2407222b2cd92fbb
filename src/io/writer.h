// A file as it is written: bytes in memory that grow, and the first thing that went wrong.
//
// Nothing reaches the disk before the whole file stands here, so a mesh a format cannot express never harms the file
// that was there before. Failures stick, as in a reader: after the first, every call does nothing.

#ifndef IO_WRITER_H
#define IO_WRITER_H

#include "cleave/mesh.h"

// How numbers, or whole arrays of them, stand in a file.
typedef enum io_encoding { IO_TEXT, IO_BINARY, IO_BASE64, IO_APPENDED, IO_APPENDED_RAW } io_encoding;

// What there is to choose within one format.
typedef struct io_variant {
  int version; // 1, 2, 4 for Gmsh; 4, 5 for VTK; which file of a set for TetGen
  io_encoding encoding;
  bool zlib;
} io_variant;

typedef struct io_writer {
  clv_allocator allocator;
  const char *name; // of the file, for messages
  char *data;
  size_t size, capacity;
  bool binary;     // io_emit_* write bytes
  bool big_endian; // of those bytes
  clv_result result;
  clv_error *error;
} io_writer;

void io_writer_open(io_writer *w, const clv_allocator *allocator, const char *name, clv_error *error);
void io_writer_close(io_writer *w);

static inline bool io_writer_ok(const io_writer *w) {
  return w->result == CLV_OK;
}

// For what the format cannot express; returns false.
bool io_refuse(io_writer *w, const char *format, ...) CLV_PRINTF(2, 3);
bool io_writer_fail_memory(io_writer *w);

// Room for `size` more bytes, which are then part of the file and must be filled; NULL after a failure.
char *io_put_space(io_writer *w, size_t size);
void io_put(io_writer *w, const void *bytes, size_t size);
void io_put_text(io_writer *w, const char *text);
void io_putf(io_writer *w, const char *format, ...) CLV_PRINTF(2, 3);
void io_put_bits(io_writer *w, uint64_t bits, size_t size);
void io_put_integer(io_writer *w, int64_t value);
void io_put_real(io_writer *w, double value);

// A number as this file writes numbers: a word and a space, or `size` bytes.
void io_emit_integer(io_writer *w, int64_t value, size_t size);
void io_emit_real(io_writer *w, double value);
// In a text the line ends; nothing in a binary file.
void io_emit_line(io_writer *w);

// Fails with an argument error unless all elements of the mesh name points that exist and the fields cover it.
bool io_check_mesh(io_writer *w, const clv_mesh *mesh);

// A set of kinds, for the next.
#define IO_KIND(kind) (1u << (kind))
// Refuses a mesh with an element of a kind that is not in the set; `files` is what such files are called: "Gmsh files".
bool io_check_kinds(io_writer *w, const clv_mesh *mesh, unsigned kinds, const char *files);

// Whether all values are whole numbers from low to high.
bool io_field_is_whole(const clv_field *field, double low, double high);
// The field of this name, place and number of components; NULL when there is none.
const clv_field *io_find_field(const clv_mesh *mesh, const char *name, clv_field_place place, uint32_t components);

// Whether any element has a region.
bool io_has_regions(const clv_mesh *mesh);

// The corners of an element.
static inline const uint32_t *io_corners(const clv_mesh *mesh, size_t element, size_t *count) {
  *count = mesh->offsets[element + 1] - mesh->offsets[element];
  return mesh->corners + mesh->offsets[element];
}

#endif
