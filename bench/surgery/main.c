// bench_surgery - edits of bodies that move, with everything that follows from them: views, masses, solvers.
//
// Times are in microseconds of a machine on which one step of the unit loop takes 36 of them. RATIO name value: value =
// what is allowed / what was measured, the worst of all cases, so that 1 is enough.
//
//   bench_surgery [--meshes DIRECTORY] [PART...]     parts: edits cold batches decay; all unless named

#include "../tools/tools.h"
#include "../tools/unit.h"
#include "parts.h"

#include <stdlib.h>

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

// The loop is timed as where it comes from, by the median of eleven turns, beside what is measured: a slow minute of
// the machine hits both.
double unit_microseconds(double seconds) {
  enum { UNIT = 36, TURNS = 11, STEPS = 400 };
  double turns[TURNS];
  for (int k = 0; k < TURNS; k++) {
    const double start = bench_clock();
    for (int step = 0; step < STEPS; step++) unit_step(NULL);
    turns[k] = bench_clock() - start;
  }
  qsort(turns, TURNS, sizeof *turns, compare);
  return seconds / turns[TURNS / 2] * STEPS * UNIT;
}

int main(int count, char **words) {
  static const bench_part parts[] = {
      {"edits", bench_edits}, {"cold", bench_cold}, {"batches", bench_batches}, {"decay", bench_decay}, {0}};
  unit_make();
  return bench_parts(count, words, parts);
}
