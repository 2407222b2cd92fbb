// bench_physics - whole steps of bodies, beside programs written by hand, the papers, and SOFA.
//
// RATIO name value: value = reference / Cleave. For flat_... the reference is a whole step over flat arrays (bench/flat), the
// better of two, in the same run. For sofa_... it is SOFA's time in steps of a loop that is timed in the same run. For
// papers it is the least of all cases.
//
//   bench_physics [--meshes DIRECTORY] [PART...]     parts: flat papers sofa scale; all unless named

#include "../tools/subject.h"
#include "parts.h"

#include <stdio.h>
#include <string.h>

enum { RATIOS = 64 };

static struct {
  const char *name;
  double value;
} ratios[RATIOS];
static int ratio_count;

void ratio_add(const char *name, double value) {
  if (ratio_count == RATIOS) return;
  ratios[ratio_count].name = name;
  ratios[ratio_count++].value = value;
}

static const struct {
  const char *name;
  void (*run)(void);
} parts[] = {{"flat", bench_flat}, {"papers", bench_papers}, {"sofa", bench_sofa}, {"scale", bench_scale}};

int main(int count, char **words) {
  int first = 1;
  if (count > 2 && strcmp(words[1], "--meshes") == 0) {
    subject_meshes = words[2];
    first = 3;
  }
  if (!subject_file("liver.msh")) printf("no mesh of a liver: a grid of as many tetrahedra stands in for it\n");
  for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
    int asked = first == count;
    for (int w = first; w < count; w++) asked |= strcmp(words[w], parts[p].name) == 0;
    if (asked) parts[p].run();
  }
  printf("\n");
  for (int k = 0; k < ratio_count; k++) printf("RATIO %s %.2f\n", ratios[k].name, ratios[k].value);
  return 0;
}
