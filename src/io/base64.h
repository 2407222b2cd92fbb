// Base64, as VTK's XML files use it: a stream that may be padded in the middle, because a header and the data behind it
// are often encoded one after the other.

#ifndef IO_BASE64_H
#define IO_BASE64_H

#include "io/writer.h"

// Decoding: the characters still to come and the bytes of the current group of four that were not asked for yet.
typedef struct io_base64 {
  const char *at, *end;
  unsigned char held[3];
  unsigned held_count;
} io_base64;

// false when the text ends or holds something else before `size` bytes are out. Blanks are skipped.
bool io_base64_read(io_base64 *stream, void *bytes, size_t size);

void io_base64_write(io_writer *w, const void *bytes, size_t size);

#endif
