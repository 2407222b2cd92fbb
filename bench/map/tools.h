// What every part of the bench needs: a clock, the best of many, memory that is counted, and a way to give up.

#ifndef BENCH_MAP_TOOLS_H
#define BENCH_MAP_TOOLS_H

#include "cleave/base.h"

// Says what is wrong and ends the program with 1. A figure that came with a wrong count is worth nothing.
_Noreturn void bench_fail(const char *format, ...) CLV_PRINTF(1, 2);
void bench_check(const char *what, uint64_t found, uint64_t expected);

// Seconds of processor time of this thread. On an idle machine it runs with the clock on the wall; on a busy one it
// leaves out the time others had the processor.
double bench_seconds(void);

// The least of the values.
double bench_best(const double *values, size_t count);

// malloc, counted: what is held now, and the most that was held.
typedef struct bench_memory {
  size_t held, peak;
} bench_memory;

clv_allocator bench_memory_allocator(bench_memory *memory);

// Bytes that could still be had without pushing anybody out; SIZE_MAX where the system does not say.
size_t bench_memory_available(void);

// Lets malloc keep what is freed, so that a repeated measurement shows the work and not the kernel, which zeroes pages.
void bench_memory_keep_freed(void);

#endif
