// Growing text, and its hash.

#include "rule/emit.h"

#include <stdarg.h>
#include <stdio.h>

void emit_text_init(emit_text *text, const clv_allocator *allocator) {
  *text = (emit_text){.allocator = *allocator};
}

void emit_text_free(emit_text *text) {
  BASE_RELEASE(&text->allocator, &text->bytes);
}

void emit_add_bytes(emit_text *text, const char *bytes, size_t size) {
  if (text->no_memory) return;
  if (size > UINT32_MAX / 4 || !BASE_RESERVE(&text->allocator, &text->bytes, text->bytes.count + size + 1)) {
    text->no_memory = true;
    return;
  }
  if (size) memcpy(text->bytes.data + text->bytes.count, bytes, size);
  text->bytes.count += (uint32_t)size;
  text->bytes.data[text->bytes.count] = 0;
}

static uint32_t print_number(char *to, uint32_t value) {
  char digits[10];
  uint32_t count = 0;
  do digits[count++] = (char)('0' + value % 10);
  while (value /= 10);
  for (uint32_t k = 0; k < count; k++) to[k] = digits[count - 1 - k];
  return count;
}

enum { LINE = 512 }; // no line of ours is longer

// Formats of %s, %u and %% alone, which are nearly all: a program of rules has a million of them. 0: it is another.
static uint32_t print_simply(char line[LINE], const char *format, va_list arguments) {
  uint32_t size = 0;
  for (const char *at = format; *at; at++) {
    if (size + 10 >= LINE) return 0;
    if (*at != '%') {
      line[size++] = *at;
      continue;
    }
    at++;
    if (*at == 'u') {
      size += print_number(line + size, va_arg(arguments, uint32_t));
    } else if (*at == 's') {
      for (const char *word = va_arg(arguments, const char *); *word; word++) {
        if (size + 10 >= LINE) return 0;
        line[size++] = *word;
      }
    } else if (*at == '%') {
      line[size++] = '%';
    } else {
      return 0;
    }
  }
  return size;
}

void emit_add(emit_text *text, const char *format, ...) {
  char line[LINE];
  va_list arguments;
  va_start(arguments, format);
  int size = (int)print_simply(line, format, arguments);
  va_end(arguments);
  if (size == 0) {
    va_start(arguments, format);
    size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
  }
  if (size < 0 || (size_t)size >= sizeof line)
    text->no_memory = true;
  else
    emit_add_bytes(text, line, (size_t)size);
}

// SHA-256 (FIPS 180-4)

static const uint32_t round_words[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t word, unsigned by) {
  return word >> by | word << (32 - by);
}

// The words move up by one a round: instead of them, their names move down. Eight rounds are written out, so that all
// names are known and the words stay in registers.
static inline void hash_round(uint32_t s[8], unsigned round, uint32_t word) {
  const uint32_t a = s[-round & 7], b = s[(1 - round) & 7], c = s[(2 - round) & 7];
  const uint32_t e = s[(4 - round) & 7], f = s[(5 - round) & 7], g = s[(6 - round) & 7];
  const uint32_t high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
  const uint32_t one = s[(7 - round) & 7] + high + ((e & f) ^ (~e & g)) + word;
  const uint32_t low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
  s[(3 - round) & 7] += one;
  s[(7 - round) & 7] = one + low + ((a & b) ^ (a & c) ^ (b & c));
}

static void hash_block(uint32_t state[8], const uint8_t *block) {
  uint32_t w[64];
  for (int k = 0; k < 16; k++)
    w[k] = (uint32_t)block[4 * k] << 24 | (uint32_t)block[4 * k + 1] << 16 | (uint32_t)block[4 * k + 2] << 8 |
           block[4 * k + 3];
  for (int k = 16; k < 64; k++) {
    const uint32_t a = rotate(w[k - 15], 7) ^ rotate(w[k - 15], 18) ^ w[k - 15] >> 3;
    const uint32_t b = rotate(w[k - 2], 17) ^ rotate(w[k - 2], 19) ^ w[k - 2] >> 10;
    w[k] = w[k - 16] + a + w[k - 7] + b;
  }
  uint32_t s[8];
  memcpy(s, state, sizeof s);
  for (int k = 0; k < 64; k += 8) {
    hash_round(s, 0, round_words[k] + w[k]);
    hash_round(s, 1, round_words[k + 1] + w[k + 1]);
    hash_round(s, 2, round_words[k + 2] + w[k + 2]);
    hash_round(s, 3, round_words[k + 3] + w[k + 3]);
    hash_round(s, 4, round_words[k + 4] + w[k + 4]);
    hash_round(s, 5, round_words[k + 5] + w[k + 5]);
    hash_round(s, 6, round_words[k + 6] + w[k + 6]);
    hash_round(s, 7, round_words[k + 7] + w[k + 7]);
  }
  for (int k = 0; k < 8; k++) state[k] += s[k];
}

emit_hash emit_hash_of(const void *data, size_t size) {
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const uint8_t *bytes = data;
  size_t done = 0;
  for (; size - done >= 64; done += 64) hash_block(state, bytes + done);
  uint8_t tail[128] = {0};
  const size_t rest = size - done, tail_size = rest < 56 ? 64 : 128;
  if (rest) memcpy(tail, bytes + done, rest);
  tail[rest] = 0x80;
  for (size_t k = 0; k < 8; k++) tail[tail_size - 1 - k] = (uint8_t)((uint64_t)size * 8 >> 8 * k);
  for (size_t k = 0; k < tail_size; k += 64) hash_block(state, tail + k);
  emit_hash hash;
  for (int k = 0; k < 32; k++) hash.byte[k] = (uint8_t)(state[k / 4] >> (24 - 8 * (k % 4)));
  return hash;
}
