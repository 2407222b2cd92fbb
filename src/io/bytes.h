// Binary numbers of a stated width and byte order, on any machine.
//
// The machine's own order is never asked: numbers are put together from bytes by shifting. Here are also the scalar
// types that VTK's two formats share, and the functions that read a number "as this file writes numbers", from text or
// bytes.

#ifndef IO_BYTES_H
#define IO_BYTES_H

#include "io/reader.h"

typedef enum io_scalar {
  IO_INT8,
  IO_UINT8,
  IO_INT16,
  IO_UINT16,
  IO_INT32,
  IO_UINT32,
  IO_INT64,
  IO_UINT64,
  IO_FLOAT32,
  IO_FLOAT64,
  IO_SCALAR_COUNT
} io_scalar;

size_t io_scalar_size(io_scalar scalar);
bool io_scalar_is_integer(io_scalar scalar);

// `size` is 1, 2, 4 or 8.
uint64_t io_load(const void *bytes, size_t size, bool big_endian);
void io_store(void *bytes, uint64_t bits, size_t size, bool big_endian);

double io_real_from_bits(uint64_t bits, io_scalar scalar);
int64_t io_integer_from_bits(uint64_t bits, io_scalar scalar);
uint64_t io_bits_from_real(double value);

// An array of binary numbers. A uint64_t above INT64_MAX becomes a negative integer, which no index is.
void io_load_reals(const void *bytes, size_t count, io_scalar scalar, bool big_endian, double *values);
void io_load_integers(const void *bytes, size_t count, io_scalar scalar, bool big_endian, int64_t *values);

// The next `size` bytes of the file; NULL after a failure.
const char *io_bytes(io_reader *r, size_t size, const char *what);

// A number as this file writes numbers: a word of a text, `size` bytes of a binary file.
int64_t io_take_integer(io_reader *r, size_t size, const char *what);
double io_take_real(io_reader *r, const char *what);

#endif
