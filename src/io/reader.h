// What every reader shares: a file in memory, the place in it, the first error, scratch memory, and the mesh that
// grows.
//
// Errors stick. The first io_fail fills the caller's clv_error, moves the place to the end of the file and makes every
// later read return zero, so a reader reads on without asking and checks io_ok where it loops or is about to use a
// value. A message names the place of the last thing read (`mark`): a line of a text, a byte of a binary file.
//
// Memory comes from the mesh's allocator and is bounded by the size of the file: no count that a file declares is
// believed before io_room or io_spend has said that such a file can hold, or inflate to, so much. Scratch memory lives
// until the reader is closed or the stack of scratch blocks is cut back.

#ifndef IO_READER_H
#define IO_READER_H

#include "cleave/mesh.h"

// A piece of the file: a word, a name, the rest of a line. Not terminated.
typedef struct io_span {
  const char *at;
  size_t size;
} io_span;

typedef struct io_scratch io_scratch;

typedef struct io_reader {
  clv_mesh *mesh;
  const char *name; // of the file, for messages
  bool on_disk;     // the name is a path, and other files may lie beside this one
  const char *begin, *at, *end;
  const char *mark; // where the last thing read begins
  bool binary;      // numbers are bytes, and messages count bytes
  bool big_endian;  // of binary numbers
  clv_result result;
  clv_error *error;
  io_scratch *scratch; // the topmost block
  size_t budget;       // bytes this file may still make us allocate
} io_reader;

// The longest name of a field or region that is kept, with its terminator.
#define IO_NAME_SIZE 256
// More would make a search for a name as slow as an attack.
#define IO_MAX_FIELDS 4096

// ---- life and errors ------------------------------------------------------------------------------------------------

void io_reader_open(io_reader *r, clv_mesh *mesh, const char *name, const void *data, size_t size, clv_error *error);
// Gives back all scratch memory. Returns how the reading went.
clv_result io_reader_close(io_reader *r);

static inline bool io_ok(const io_reader *r) {
  return r->result == CLV_OK;
}

// Each returns false, so that callers can `return io_fail(...)`. Only the first failure counts.
bool io_fail(io_reader *r, const char *format, ...) CLV_PRINTF(2, 3);
bool io_fail_memory(io_reader *r);

// A copy of a span that can stand in a message: quoted, short, printable. "the end of the file" when it is empty.
typedef struct io_quoted {
  char text[48];
} io_quoted;
io_quoted io_quote(io_span span);

// ---- memory ---------------------------------------------------------------------------------------------------------

static inline size_t io_left(const io_reader *r) {
  return (size_t)(r->end - r->at);
}

// Whether the rest of the file can hold `count` things of at least `least` bytes each; fails if not.
bool io_room(io_reader *r, uint64_t count, size_t least, const char *things);
// Takes count * size bytes from the budget; fails if they are not there.
bool io_spend(io_reader *r, size_t count, size_t size);

// An array that is not zeroed. NULL only after a failure; an array of nothing is not NULL.
void *io_scratch_new(io_reader *r, size_t count, size_t size);
// The array `old` of *capacity things, or a copy with more room when it holds `count` of them already. NULL after a
// failure.
void *io_scratch_grow(io_reader *r, void *old, size_t count, size_t *capacity, size_t size);
// Frees every scratch block above `top`, an earlier value of r->scratch.
void io_scratch_cut(io_reader *r, io_scratch *top);

// ---- the mesh -------------------------------------------------------------------------------------------------------

// Makes room for so many more points, elements and corners.
bool io_reserve(io_reader *r, size_t points, size_t elements, size_t corners);
// Refuses coordinates that are not finite.
bool io_add_point(io_reader *r, const double point[3]);
// The corners must have been checked; a shape that cannot be is refused all the same.
bool io_add_element(io_reader *r, clv_kind kind, const uint32_t *corners, size_t corner_count, int32_t tag);
// Zeroed values of a new field over all points or elements; NULL after a failure, or when there is nothing to cover. A
// name that is taken gets a number behind it (a Gmsh file has one section of the same name for each time step).
double *io_add_field(io_reader *r, io_span name, clv_field_place place, uint32_t components);
bool io_add_region(io_reader *r, int32_t dimension, int32_t tag, io_span name);

// Cuts a span to a terminated name.
void io_copy_name(io_span span, char name[IO_NAME_SIZE]);

#endif
