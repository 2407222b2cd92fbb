// What every bench needs: a clock, memory that is there, and a way to give up.

#ifndef BENCH_TOOLS_H
#define BENCH_TOOLS_H

#include "cleave/base.h"

// Says what is wrong and ends the program with 1. A time that came with a wrong result is worth nothing.
_Noreturn void bench_fail(const char *format, ...) CLV_PRINTF(1, 2);
void bench_ok(clv_result result, const char *what, const char *why);

// Seconds of this thread's processor time: what others did on the machine meanwhile does not count. And by the clock.
double bench_seconds(void);
double bench_clock(void);

// Zeroed, on a cache line of its own; never NULL.
void *bench_memory(size_t size);

// The shortest of several runs, each long enough for the clock. Contestants take turns, so that a slow minute of the
// machine hits all of them.
typedef struct bench_contestant {
  void (*run)(void *user);
  void *user;
  double best; // seconds a run
} bench_contestant;
void bench_compete(bench_contestant *contestants, uint32_t count, double (*clock)(void), uint32_t rounds);

#endif
