// lookup3. See checksum.h.

#include "result/checksum.h"

static uint32_t rotate(uint32_t x, unsigned by) {
  return x << by | x >> (32 - by);
}

static uint32_t little(const uint8_t *bytes, size_t size) {
  uint32_t word = 0;
  for (size_t k = 0; k < size && k < 4; k++) word |= (uint32_t)bytes[k] << (8 * k);
  return word;
}

static void add(uint32_t s[3], const uint8_t *bytes, size_t size) {
  s[0] += little(bytes, size);
  if (size > 4) s[1] += little(bytes + 4, size - 4);
  if (size > 8) s[2] += little(bytes + 8, size - 8);
}

static void mix(uint32_t s[3]) {
  static const unsigned by[] = {4, 6, 8, 16, 19, 4};
  for (unsigned k = 0; k < 6; k++) {
    uint32_t *a = &s[k % 3], *b = &s[(k + 1) % 3], *c = &s[(k + 2) % 3];
    *a = (*a - *c) ^ rotate(*c, by[k]);
    *c += *b;
  }
}

static void finish(uint32_t s[3]) {
  static const unsigned by[] = {14, 11, 25, 16, 4, 14, 24};
  for (unsigned k = 0; k < 7; k++) {
    uint32_t *c = &s[(k + 2) % 3];
    const uint32_t b = s[(k + 1) % 3];
    *c = (*c ^ b) - rotate(b, by[k]);
  }
}

uint32_t result_lookup3(const uint8_t *bytes, size_t size) {
  const uint32_t start = 0xdeadbeefu + (uint32_t)size;
  uint32_t s[3] = {start, start, start};
  for (; size > 12; bytes += 12, size -= 12) {
    add(s, bytes, 12);
    mix(s);
  }
  if (size == 0) return s[2];
  add(s, bytes, size);
  finish(s);
  return s[2];
}
