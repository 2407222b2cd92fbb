// bench_surgery - edits of bodies that move, with everything that follows from them: views, masses, solvers.
//
// Times are in microseconds of a machine on which one step of the unit loop takes 36 of them. RATIO name value: value = what
// is allowed / what was measured, the worst of all cases, so that 1 is enough.
//
//   bench_surgery [--meshes DIRECTORY] [PART...]     parts: edits cold batches decay; all unless named

#include "../tools/tools.h"
#include "../tools/unit.h"
#include "parts.h"
#include "patient.h"

#include <stdio.h>
#include <string.h>

enum { RATIOS = 16, UNIT = 36 };

static struct {
  const char *name;
  double value;
} ratios[RATIOS];
static int ratio_count;

void ratio_worst(const char *name, double value) {
  int k = 0;
  while (k < ratio_count && strcmp(ratios[k].name, name) != 0) k++;
  if (k == RATIOS) return;
  if (k == ratio_count) ratios[ratio_count++].name = name, ratios[k].value = value;
  if (value < ratios[k].value) ratios[k].value = value;
}

double unit_microseconds(double seconds) {
  bench_contestant loop = {unit_step, NULL, 0};
  static double best = 1e9; // of the whole run: the machine at its best
  bench_compete(&loop, 1, bench_clock, 5);
  if (loop.best < best) best = loop.best;
  return seconds / best * UNIT;
}

static const struct {
  const char *name;
  void (*run)(void);
} parts[] = {{"edits", bench_edits}, {"cold", bench_cold}, {"batches", bench_batches}, {"decay", bench_decay}};

int main(int count, char **words) {
  int first = 1;
  if (count > 2 && strcmp(words[1], "--meshes") == 0) {
    subject_meshes = words[2];
    first = 3;
  }
  if (!subject_file("liver.msh")) printf("no mesh of a liver: a grid of as many tetrahedra stands in for it\n");
  unit_make();
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    int asked = first == count;
    for (int w = first; w < count; w++) asked |= strcmp(words[w], parts[p].name) == 0;
    if (asked) parts[p].run();
  }
  printf("\n");
  for (int k = 0; k < ratio_count; k++) printf("RATIO %s %.2f\n", ratios[k].name, ratios[k].value);
  return 0;
}
