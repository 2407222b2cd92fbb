// Sizes, threads and memory.

#include "../tools/subject.h"
#include "../tools/tools.h"
#include "parts.h"

#include <stdio.h>

#define SOLID .grid = CLV_GRID_TET5, .model = "fem-corotational-qr", .method = CLV_SYMPLECTIC_EULER

static double per_element(const uint32_t cells[3], size_t *bytes) {
  subject s;
  const subject_def def = {SOLID, .cells = {cells[0], cells[1], cells[2]}};
  subject_make(&s, &def);
  const double seconds = subject_time(&s, NULL) / s.cells;
  printf("%10u tetrahedra: %7.2f ns a step and tetrahedron, %6.1f bytes each\n", s.cells, seconds * 1e9,
         (double)s.bytes / s.cells);
  *bytes = s.bytes / s.cells;
  subject_free(&s);
  return seconds;
}

static double two_threads(void) {
  subject s[2];
  bench_contestant both[2];
  for (uint32_t k = 0; k < 2; k++) {
    const subject_def def = {SOLID, .cells = {20, 20, 50}, .threads = k + 1};
    subject_make(&s[k], &def);
    both[k] = (bench_contestant){subject_step, &s[k], 0};
  }
  bench_compete(both, 2, bench_clock, 30);
  printf("100,000 tetrahedra: %.3f ms with one thread, %.3f ms with two\n", both[0].best * 1e3, both[1].best * 1e3);
  for (uint32_t k = 0; k < 2; k++) subject_free(&s[k]);
  return both[0].best / both[1].best;
}

void bench_scale(void) {
  static const uint32_t small[3] = {6, 6, 6}, middle[3] = {20, 20, 50}, large[3] = {60, 60, 56};
  size_t bytes, unused;
  printf("\ncorotational tetrahedra, symplectic Euler\n");
  const double at_1000 = per_element(small, &unused);
  per_element(middle, &bytes);
  const double at_million = per_element(large, &unused);
  ratio_worst("scaling", at_1000 / at_million);
  ratio_worst("bytes_per_tet", 400.0 / (double)bytes);
  ratio_worst("two_threads", two_threads());
}
