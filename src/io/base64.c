// Base64. See base64.h.

#include "io/base64.h"

#include <string.h>

enum { IO_PAD = 64, IO_BLANK = 65, IO_FOREIGN = 66 };

static unsigned io_base64_digit(char c) {
  if (c >= 'A' && c <= 'Z') return (unsigned)(c - 'A');
  if (c >= 'a' && c <= 'z') return (unsigned)(c - 'a') + 26;
  if (c >= '0' && c <= '9') return (unsigned)(c - '0') + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  if (c == '=') return IO_PAD;
  return c == ' ' || (c >= '\t' && c <= '\r') ? IO_BLANK : IO_FOREIGN;
}

// Decodes one group of four characters into `held`; false when there is no whole group.
static bool io_base64_group(io_base64 *stream) {
  unsigned bits = 0, seen = 0, pads = 0;
  while (seen < 4) {
    if (stream->at == stream->end) return false;
    unsigned digit = io_base64_digit(*stream->at);
    if (digit == IO_FOREIGN) return false;
    stream->at++;
    if (digit == IO_BLANK) continue;
    if (digit == IO_PAD) pads++;
    if (pads > 2 || (pads && digit != IO_PAD)) return false;
    bits = bits << 6 | (digit & 63);
    seen++;
  }
  for (unsigned i = 0; i < 3; i++) stream->held[i] = (unsigned char)(bits >> (16 - 8 * i));
  stream->held_count = 3 - pads;
  return true;
}

bool io_base64_read(io_base64 *stream, void *bytes, size_t size) {
  unsigned char *out = bytes;
  while (size > 0) {
    if (stream->held_count == 0 && !io_base64_group(stream)) return false;
    size_t taken = stream->held_count < size ? stream->held_count : size;
    memcpy(out, stream->held, taken);
    stream->held_count -= (unsigned)taken;
    memmove(stream->held, stream->held + taken, stream->held_count);
    out += taken;
    size -= taken;
  }
  return true;
}

void io_base64_write(io_writer *w, const void *bytes, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const unsigned char *in = bytes;
  char *out = io_put_space(w, (size + 2) / 3 * 4);
  if (!out) return;
  for (size_t i = 0; i < size; i += 3) {
    size_t left = size - i;
    unsigned bits = (unsigned)in[i] << 16 | (left > 1 ? (unsigned)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0u);
    *out++ = digits[bits >> 18];
    *out++ = digits[bits >> 12 & 63];
    *out++ = left > 1 ? digits[bits >> 6 & 63] : '=';
    *out++ = left > 2 ? digits[bits & 63] : '=';
  }
}
