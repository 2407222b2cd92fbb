// Random numbers for tests: the same on every machine, so that a seed is enough to see a failure again.

#ifndef CLEAVE_TEST_SUPPORT_RANDOM_H
#define CLEAVE_TEST_SUPPORT_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct random_source {
  uint64_t state;
} random_source;

// Splitmix: neighbouring seeds give unrelated numbers.
static inline uint64_t random_next(random_source *source) {
  uint64_t z = source->state += UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
  return z ^ z >> 31;
}

static inline uint32_t random_below(random_source *source, uint32_t end) {
  return (uint32_t)((random_next(source) >> 32) * end >> 32);
}

static inline double random_between(random_source *source, double low, double high) {
  return low + (high - low) * ((double)(random_next(source) >> 11) * 0x1p-53);
}

static inline bool random_chance(random_source *source, uint32_t percent) {
  return random_below(source, 100) < percent;
}

#endif
