#include "tools.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void bench_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fputs("bench: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

void bench_ok(clv_result result, const char *what, const char *why) {
  if (result != CLV_OK) bench_fail("%s: %s%s%s", what, clv_result_name(result), why ? ": " : "", why ? why : "");
}

static double read_clock(clockid_t which) {
  struct timespec time;
  if (clock_gettime(which, &time)) bench_fail("the system has no such clock");
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double bench_seconds(void) {
  return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

double bench_clock(void) {
  return read_clock(CLOCK_MONOTONIC);
}

void *bench_memory(size_t size) {
  const size_t room = (size + 64) / 64 * 64;
  void *memory = aligned_alloc(64, room);
  if (!memory) bench_fail("out of memory");
  return memset(memory, 0, room);
}

static double time_runs(const bench_contestant *one, uint32_t runs, double (*clock)(void)) {
  const double start = clock();
  for (uint32_t k = 0; k < runs; k++) one->run(one->user);
  return clock() - start;
}

static double quicker_of_two(const bench_contestant *one, uint32_t runs, double (*clock)(void)) {
  const double first = time_runs(one, runs, clock), second = time_runs(one, runs, clock);
  return first < second ? first : second;
}

// So many that a clock can tell. The first run of all finds memory that nobody has touched, and any may be interrupted.
static uint32_t enough_runs(const bench_contestant *one, double (*clock)(void)) {
  uint32_t runs = 1;
  while (quicker_of_two(one, runs, clock) < 0.004 && runs < 1u << 24) runs *= 2;
  return runs;
}

void bench_compete(bench_contestant *contestants, uint32_t count, double (*clock)(void), uint32_t rounds) {
  uint32_t runs[8] = {0};
  for (uint32_t c = 0; c < count; c++) {
    contestants[c].best = 1e9;
    runs[c] = enough_runs(&contestants[c], clock);
  }
  for (uint32_t round = 0; round < rounds; round++) {
    for (uint32_t c = 0; c < count; c++) {
      const double time = time_runs(&contestants[c], runs[c], clock) / runs[c];
      if (time < contestants[c].best) contestants[c].best = time;
    }
  }
}
