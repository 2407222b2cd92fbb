// Beside the times that the papers give for their own programs, on the machines they had: bench/papers.md.

#include "../tools/subject.h"
#include "parts.h"

#include <math.h>
#include <stdio.h>

typedef struct paper_case {
  const char *name;
  double milliseconds; // in the paper; 0: only a figure
  subject_def def;
} paper_case;

#define LIVER .grid = CLV_GRID_TET5, .cells = {7, 17, 1}, .file = "liver.msh", .method = CLV_RK4
#define LIVER2 .grid = CLV_GRID_TET5, .cells = {6, 9, 6}, .file = "liver2.msh", .method = CLV_RK4
#define SPRINGS .model = "springs", .viscosity = 1
#define EULER .method = CLV_SYMPLECTIC_EULER
#define IMPLICIT .method = CLV_IMPLICIT_EULER

static const paper_case cases[] = {
    {"2013 one hexahedron", 0.009, {CLV_GRID_HEX, {1, 1, 1}, SPRINGS, EULER}},
    {"2013 one hexahedron, implicit", 0.42, {CLV_GRID_HEX, {1, 1, 1}, SPRINGS, IMPLICIT}},
    {"2013 five tetrahedra", 0.012, {CLV_GRID_TET5, {1, 1, 1}, SPRINGS, EULER}},
    {"2013 five tetrahedra, implicit", 0.42, {CLV_GRID_TET5, {1, 1, 1}, SPRINGS, IMPLICIT}},
    {"2013 beam, 640 hexahedra", 0.55, {CLV_GRID_HEX, {8, 8, 10}, SPRINGS, EULER}},
    {"2013 beam, 1890 tetrahedra", 0.5, {CLV_GRID_TET6, {5, 7, 9}, SPRINGS, EULER}},
    {"2014 liver, springs", 0.8, {LIVER, .model = "springs"}},
    {"2014 liver, linear", 1.0, {LIVER, .model = "fem-linear"}},
    {"2014 liver, corotational", 1.37, {LIVER, .model = "fem-corotational-qr"}},
    {"2014 second liver, springs", 2.2, {LIVER2, .model = "springs"}},
    {"2014 second liver, linear", 3.7, {LIVER2, .model = "fem-linear"}},
    {"2014 second liver, corotational", 5.0, {LIVER2, .model = "fem-corotational-qr"}},
};

static double run_case(const paper_case *c) {
  subject s;
  subject_def def = c->def;
  if (def.file) def.file = subject_file(def.file);
  subject_make(&s, &def);
  const double seconds = subject_time(&s, NULL), ratio = 1e-3 * c->milliseconds / seconds;
  printf("%-34s %8u %12.5f %10.3f %8.1f\n", c->name, s.cells, seconds * 1e3, c->milliseconds, ratio);
  subject_free(&s);
  return ratio;
}

// Figure 7 of 2013, whose numbers are not in its text.
static void run_grids(void) {
  printf("\ngrids of hexahedra, springs, symplectic Euler\n");
  for (uint32_t n = 1; n <= 64; n *= 2) {
    subject s;
    const subject_def def = {CLV_GRID_HEX, {n, n, n}, SPRINGS, EULER};
    subject_make(&s, &def);
    const double seconds = subject_time(&s, NULL);
    printf("%6u^3 %12.5f ms %10.2f ns a hexahedron\n", n, seconds * 1e3, seconds * 1e9 / s.cells);
    subject_free(&s);
  }
}

void bench_papers(void) {
  double least = INFINITY;
  printf("\nbeside the papers\n%-34s %8s %12s %10s %8s\n", "", "cells", "ms a step", "paper", "ratio");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) least = fmin(least, run_case(&cases[k]));
  ratio_worst("papers", least);
  run_grids();
}
