#include "tools.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

void bench_fail(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fflush(stdout);
  fputs("bench_map: ", stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  exit(1);
}

void bench_check(const char *what, uint64_t found, uint64_t expected) {
  if (found != expected)
    bench_fail("%s: %llu, expected %llu", what, (unsigned long long)found, (unsigned long long)expected);
}

double bench_seconds(void) {
  struct timespec time;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)) bench_fail("the system has no clock of processor time");
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double bench_best(const double *values, size_t count) {
  double best = values[0];
  for (size_t k = 1; k < count; k++) best = values[k] < best ? values[k] : best;
  return best;
}

static void *resize(void *user, void *p, size_t old_size, size_t new_size) {
  bench_memory *memory = user;
  const clv_allocator allocator = clv_default_allocator();
  void *q = allocator.resize(allocator.user, p, old_size, new_size);
  if (!q && new_size) return NULL;
  memory->held = memory->held - (p ? old_size : 0) + new_size;
  if (memory->held > memory->peak) memory->peak = memory->held;
  return q;
}

clv_allocator bench_memory_allocator(bench_memory *memory) {
  return (clv_allocator){.resize = resize, .user = memory};
}

size_t bench_memory_available(void) {
  FILE *file = fopen("/proc/meminfo", "r");
  if (!file) return SIZE_MAX;
  size_t available = SIZE_MAX;
  unsigned long long kilobytes;
  char line[128];
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) available = (size_t)kilobytes << 10;
  fclose(file);
  return available;
}

void bench_memory_keep_freed(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}
