// Single edits, one commit each: along a connected cut, one after the other, and scattered between steps.

#include "../tools/tools.h"
#include "parts.h"
#include "patient.h"

#include <stdio.h>
#include <stdlib.h>

enum { OPERATIONS = 3, WARM = 12, COLD = 60 };

static const struct {
  const char *name;
  patient_edit *edit;
  double warm, cold; // allowed, microseconds
} operations[OPERATIONS] = {
    {"face_split", patient_split, 3, 12},
    {"tet_removal", patient_remove, 4, 15},
    {"tet_refine", patient_refine, 15, 40},

};

typedef struct times {
  double median, late; // the 99th percentile
} times;

static int compare(const void *left, const void *right) {
  const double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

static times sum_up(double *seconds, uint32_t count) {
  qsort(seconds, count, sizeof *seconds, compare);
  const double unit = unit_microseconds(1);
  return (times){seconds[count / 2] * unit, seconds[(count - 1) * 99 / 100] * unit};
}

// The best of three bodies, edit by edit: the first edits of each warm it up and are not counted.
static times time_warm(const subject_def *def, uint32_t operation) {
  double *seconds = NULL;
  uint32_t count = 0;
  for (int round = 0; round < 3; round++) {
    patient p;
    patient_make(&p, def);
    patient_find_strip(&p);
    if (!seconds) seconds = bench_memory((p.count + 1) * sizeof *seconds);
    count = p.count > WARM ? p.count - WARM : 0;
    if (count < 8) bench_fail("a body with %u facets across is too small", p.count);
    for (uint32_t k = 0; k < p.count; k++) {
      const double start = bench_clock();
      operations[operation].edit(&p, k);
      const double time = bench_clock() - start;
      if (k >= WARM && (round == 0 || time < seconds[k - WARM])) seconds[k - WARM] = time;
    }
    patient_free(&p);
  }
  const times result = sum_up(seconds, count);
  free(seconds);
  return result;
}

void bench_edits(void) {
  printf("\nalong a connected cut, one commit each; microseconds\n%-26s", "");
  for (uint32_t o = 0; o < OPERATIONS; o++) printf(" %12s  (99 %%)", operations[o].name);
  printf("\n");
  double medians[PATIENT_SIZES][PATIENT_CASES][OPERATIONS];
  for (uint32_t size = 0; size < PATIENT_SIZES; size++) {
    for (uint32_t c = 0; c < PATIENT_CASES; c++) {
      const subject_def def = patient_def(size, c);
      printf("%-8s %-24s", patient_sizes[size], patient_case_name(c));
      for (uint32_t o = 0; o < OPERATIONS; o++) {
        const times t = time_warm(&def, o);
        medians[size][c][o] = t.median;
        printf(" %12.2f %7.2f", t.median, t.late);
        fflush(stdout);
        ratio_worst(operations[o].name, operations[o].warm / t.median);
        ratio_worst("p99", 4 * t.median / t.late);
      }
      printf("\n");
    }
  }
  for (uint32_t c = 0; c < PATIENT_CASES; c++)
    for (uint32_t o = 0; o < OPERATIONS; o++)
      ratio_worst("size_independence", 1.5 * medians[1][c][o] / medians[2][c][o]);
}

// Scattered, with a step before each: nothing of the place is in a cache.
static times time_cold(const subject_def *def, uint32_t operation) {
  double seconds[COLD];
  patient p;
  patient_make(&p, def);
  patient_scatter(&p, COLD + WARM);
  for (uint32_t k = 0; k < COLD + WARM; k++) {
    subject_step(&p.s);
    const double start = bench_clock();
    operations[operation].edit(&p, k);
    if (k >= WARM) seconds[k - WARM] = bench_clock() - start;
  }
  patient_free(&p);
  return sum_up(seconds, COLD);
}

void bench_cold(void) {
  printf("\nat scattered places of 100,000 tetrahedra, a step before each; microseconds\n");
  for (uint32_t c = 0; c < PATIENT_CASES; c++) {
    subject_def def = patient_def(2, c);
    if (def.iterations) def.iterations = 3; // the step only has to touch everything
    printf("%-33s", patient_case_name(c));
    for (uint32_t o = 0; o < OPERATIONS; o++) {
      const times t = time_cold(&def, o);
      printf(" %12.2f %7.2f", t.median, t.late);
      fflush(stdout);
      ratio_worst("cold_edit", operations[o].cold / t.median);
    }
    printf("\n");
  }
}
