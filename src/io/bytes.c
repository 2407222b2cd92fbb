// Binary numbers. See bytes.h.

#include "io/bytes.h"

#include "io/text.h"

#include <string.h>

static const struct {
  unsigned char size;
  bool is_integer, is_signed;
} io_scalars[IO_SCALAR_COUNT] = {
    [IO_INT8] = {1, true, true},     [IO_UINT8] = {1, true, false},  [IO_INT16] = {2, true, true},
    [IO_UINT16] = {2, true, false},  [IO_INT32] = {4, true, true},   [IO_UINT32] = {4, true, false},
    [IO_INT64] = {8, true, true},    [IO_UINT64] = {8, true, false}, [IO_FLOAT32] = {4, false, true},
    [IO_FLOAT64] = {8, false, true},
};

size_t io_scalar_size(io_scalar scalar) {
  return io_scalars[scalar].size;
}

bool io_scalar_is_integer(io_scalar scalar) {
  return io_scalars[scalar].is_integer;
}

// ---- one number -----------------------------------------------------------------------------------------------------

uint64_t io_load(const void *bytes, size_t size, bool big_endian) {
  const unsigned char *byte = bytes;
  uint64_t bits = 0;
  for (size_t i = 0; i < size; i++) bits |= (uint64_t)byte[i] << 8 * (big_endian ? size - 1 - i : i);
  return bits;
}

void io_store(void *bytes, uint64_t bits, size_t size, bool big_endian) {
  unsigned char *byte = bytes;
  for (size_t i = 0; i < size; i++) byte[i] = (unsigned char)(bits >> 8 * (big_endian ? size - 1 - i : i));
}

static double io_float_from_bits(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return (double)value;
}

static double io_double_from_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

uint64_t io_bits_from_real(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

int64_t io_integer_from_bits(uint64_t bits, io_scalar scalar) {
  unsigned unused = 64u - 8u * (unsigned)io_scalars[scalar].size;
  if (!io_scalars[scalar].is_signed || unused == 0) return (int64_t)bits;
  uint64_t sign = (uint64_t)1 << (63 - unused);
  return (int64_t)((bits ^ sign) - sign);
}

double io_real_from_bits(uint64_t bits, io_scalar scalar) {
  if (scalar == IO_FLOAT32) return io_float_from_bits((uint32_t)bits);
  if (scalar == IO_FLOAT64) return io_double_from_bits(bits);
  if (scalar == IO_UINT64) return (double)bits;
  return (double)io_integer_from_bits(bits, scalar);
}

// ---- arrays ---------------------------------------------------------------------------------------------------------

void io_load_reals(const void *bytes, size_t count, io_scalar scalar, bool big_endian, double *values) {
  const char *at = bytes;
  size_t size = io_scalar_size(scalar);
  for (size_t i = 0; i < count; i++) values[i] = io_real_from_bits(io_load(at + i * size, size, big_endian), scalar);
}

void io_load_integers(const void *bytes, size_t count, io_scalar scalar, bool big_endian, int64_t *values) {
  const char *at = bytes;
  size_t size = io_scalar_size(scalar);
  for (size_t i = 0; i < count; i++) values[i] = io_integer_from_bits(io_load(at + i * size, size, big_endian), scalar);
}

// ---- from the file --------------------------------------------------------------------------------------------------

const char *io_bytes(io_reader *r, size_t size, const char *what) {
  if (!io_ok(r)) return NULL;
  r->mark = r->at;
  if (size > io_left(r)) {
    io_fail(r, "the file ends in the middle of %s", what);
    return NULL;
  }
  r->at += size;
  return r->mark;
}

int64_t io_take_integer(io_reader *r, size_t size, const char *what) {
  if (!r->binary) return io_text_integer(r, what);
  const char *bytes = io_bytes(r, size, what);
  if (!bytes) return 0;
  return io_integer_from_bits(io_load(bytes, size, r->big_endian), size == 4 ? IO_INT32 : IO_INT64);
}

double io_take_real(io_reader *r, const char *what) {
  if (!r->binary) return io_text_real(r, what);
  const char *bytes = io_bytes(r, sizeof(double), what);
  return bytes ? io_double_from_bits(io_load(bytes, sizeof(double), r->big_endian)) : 0;
}
