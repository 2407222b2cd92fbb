// From the names in a file to the numbers 0, 1, 2, ... in the order in which they first came.
//
// A crit-bit tree: a look-up costs the length of the name at the most, so no file can be made that is slow to read. A
// name counts up to IO_NAME_SIZE - 1 characters, as a mesh keeps it. The tree lives in the reader's scratch memory and
// points into the file: it must not be grown while scratch blocks above it are about to be cut.

#ifndef IO_NAMES_H
#define IO_NAMES_H

#include "io/reader.h"

typedef struct io_name {
  io_span text;
  // The inner node that came with this name; the first name has none.
  uint32_t position, mask;
  uint32_t children[2]; // twice the number of a name, or of an inner node and one more
} io_name;

typedef struct io_names {
  io_name *entries;
  size_t capacity;
  uint32_t count, root;
} io_names;

#define IO_NO_NAME UINT32_MAX

// The number of a name, which is new if it was not there. IO_NO_NAME after a failure.
uint32_t io_names_put(io_reader *r, io_names *names, io_span name);

#endif
