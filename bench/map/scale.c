// The work for one cell does not depend on how many there are, so every column of the table should be flat, up to what
// the caches do: a body of 8^3 lives in the second-level cache, one of 128^3 in main memory. A size that does not fit
// into memory is left out, judged by what the size before it needed at most.

#include "scale.h"
#include "measure.h"
#include "plot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_SIZE = 8, LAST_SIZE = 128, SIZES = 5 };

// Small bodies are measured often, large ones once: some million cells of each.
static int repetitions(size_t cells) {
  const size_t wanted = 1000000 / cells;
  return wanted < 1 ? 1 : wanted > 101 ? 101 : (int)wanted | 1;
}

static void print_heading(bench_shape shape) {
  printf("\n%-4s %9s", bench_shape_name(shape), "cells");
  for (int f = 0; f < BENCH_FIGURES; f++) printf(" %17s", bench_figure_defs[f].name);
  printf("\n%-4s %9s", "N", "");
  for (int f = 0; f < BENCH_FIGURES; f++) printf(" %17s", bench_figure_defs[f].unit);
  printf("\n");
}

static void print_row(const bench_lattice *lattice, const bench_figures *figures) {
  printf("%-4u %9zu", lattice->n, lattice->expected.cells);
  for (int f = 0; f < BENCH_FIGURES; f++) printf(" %17.1f", figures->of[f]);
  printf("\n");
  fflush(stdout);
}

// Measures the sizes one after the other and returns how many fitted into memory.
static int scale_shape(bench_shape shape, bench_figures figures[SIZES]) {
  print_heading(shape);
  bench_memory memory = {0};
  int count = 0;
  for (uint32_t n = FIRST_SIZE; n <= LAST_SIZE; n *= 2) {
    const double need = 1.25 * 8 * (double)memory.peak, available = (double)bench_memory_available();
    if (need > available) {
      printf("%-4u left out: it needs about %.1f GB of memory, %.1f GB are free\n", n, 1e-9 * need, 1e-9 * available);
      break;
    }
    memory.peak = 0;
    bench_lattice lattice;
    bench_lattice_make(&lattice, shape, n, &memory);
    figures[count] = bench_measure(&lattice, &memory, repetitions(lattice.expected.cells));
    print_row(&lattice, &figures[count]);
    bench_lattice_free(&lattice);
    count++;
  }
  return count;
}

void bench_scale(void) {
  static const char *const path = "out/bench/map_scale.svg";
  static const bench_figure shown[] = {BENCH_BUILD, BENCH_VERTEX, BENCH_UNSEW, BENCH_BYTES};
  enum { PANELS = sizeof shown / sizeof *shown };

  bench_figures figures[BENCH_SHAPES][SIZES];
  int counts[BENCH_SHAPES];
  for (int shape = 0; shape < BENCH_SHAPES; shape++) counts[shape] = scale_shape((bench_shape)shape, figures[shape]);

  bench_panel panels[PANELS] = {0};
  for (int p = 0; p < PANELS; p++) {
    panels[p].title = bench_figure_defs[shown[p]].name;
    panels[p].unit = bench_figure_defs[shown[p]].unit;
    for (int shape = 0; shape < BENCH_SHAPES; shape++) {
      bench_line *line = &panels[p].lines[panels[p].line_count++];
      line->name = bench_shape_name((bench_shape)shape);
      for (int i = 0; i < counts[shape]; i++) line->values[line->count++] = figures[shape][i].of[shown[p]];
    }
  }
  const char *title = "Cleave: what a cell costs, by the number of cubes along an edge";
  if (!bench_plot(path, title, FIRST_SIZE, panels, PANELS)) bench_fail("cannot write %s: %s", path, strerror(errno));
  printf("\n%s shows it.\n", path);
}
