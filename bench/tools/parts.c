#include "parts.h"

#include "subject.h"
#include "tools.h"

#include <stdio.h>
#include <string.h>

enum { RATIOS = 64 };

static struct {
  const char *name;
  double value;
} ratios[RATIOS];
static int ratio_count;

void ratio_worst(const char *name, double value) {
  int k = 0;
  while (k < ratio_count && strcmp(ratios[k].name, name) != 0) k++;
  if (k == RATIOS) bench_fail("more than %d ratios", RATIOS);
  if (k == ratio_count) ratios[ratio_count++].name = name, ratios[k].value = value;
  if (value < ratios[k].value) ratios[k].value = value;
}

static void test_words(int count, char **words, const bench_part *parts) {
  for (int w = 0; w < count; w++) {
    const bench_part *part = parts;
    while (part->name && strcmp(part->name, words[w]) != 0) part++;
    if (!part->name) bench_fail("there is no part '%s'", words[w]);
  }
}

int bench_parts(int count, char **words, const bench_part *parts) {
  int first = 1;
  if (count > 2 && strcmp(words[1], "--meshes") == 0) {
    subject_meshes = words[2];
    first = 3;
  }
  test_words(count - first, words + first, parts);
  if (!subject_file("liver.msh")) printf("no mesh of a liver: a grid of as many tetrahedra stands in for it\n");
  for (const bench_part *part = parts; part->name; part++) {
    bool asked = first == count;
    for (int w = first; w < count; w++) asked |= strcmp(words[w], part->name) == 0;
    if (asked) part->run();
  }
  printf("\n");
  for (int k = 0; k < ratio_count; k++) printf("RATIO %s %.2f\n", ratios[k].name, ratios[k].value);
  return 0;
}
