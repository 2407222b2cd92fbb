// Wide lanes: the few places where several words are looked at in one instruction, each with a plain twin for compilers
// that have no vectors. Both give the same answers.

#ifndef BASE_WIDE_H
#define BASE_WIDE_H

#include <stdint.h>
#include <string.h>

// Words that are compared eight at a time; `count` of them are in use, and zeros follow up to the next multiple of
// eight.
#if defined(__GNUC__)
typedef uint32_t base_four __attribute__((vector_size(16)));

static inline uint32_t base_is_among(const base_four *words, uint32_t count, uint32_t word) {
  const base_four wanted = {word, word, word, word};
  base_four hits = (words[0] == wanted) | (words[1] == wanted);
  for (const base_four *at = words + 2, *end = words + (count + 3) / 4; at < end; at += 2)
    hits |= (at[0] == wanted) | (at[1] == wanted);
  uint64_t any[2];
  memcpy(any, &hits, sizeof any);
  return (any[0] | any[1]) != 0;
}
#else
typedef struct base_four {
  uint32_t word[4];
} base_four;

static inline uint32_t base_is_among(const base_four *words, uint32_t count, uint32_t word) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < count; k++) found |= words[k / 4].word[k % 4] == word;
  return found;
}
#endif

#endif
