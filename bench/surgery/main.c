// bench_surgery - edits of bodies that move, with everything that follows from them: views, masses, solvers.
//
// Times are in microseconds of a machine on which one step of the unit loop takes 36 of them. RATIO name value: value =
// what is allowed / what was measured, the worst of all cases, so that 1 is enough.
//
//   bench_surgery [--meshes DIRECTORY] [PART...]     parts: edits cold batches decay; all unless named

#include "../tools/tools.h"
#include "../tools/unit.h"
#include "parts.h"

double unit_microseconds(double seconds) {
  enum { UNIT = 36 };
  bench_contestant loop = {unit_step, NULL, 0};
  static double best = 1e9; // of the whole run: the machine at its best
  bench_compete(&loop, 1, bench_clock, 5);
  if (loop.best < best) best = loop.best;
  return seconds / best * UNIT;
}

int main(int count, char **words) {
  static const bench_part parts[] = {
      {"edits", bench_edits}, {"cold", bench_cold}, {"batches", bench_batches}, {"decay", bench_decay}, {0}};
  unit_make();
  return bench_parts(count, words, parts);
}
