// A row of small plots in an SVG file: lines over sizes that double, each y axis from zero so that flat looks flat.

#ifndef BENCH_MAP_PLOT_H
#define BENCH_MAP_PLOT_H

#include <stdbool.h>

#define BENCH_PLOT_SIZES 8
#define BENCH_PLOT_LINES 2

typedef struct bench_line {
  const char *name;
  int count;
  double values[BENCH_PLOT_SIZES]; // at first_size, 2 * first_size ...
} bench_line;

typedef struct bench_panel {
  const char *title, *unit;
  int line_count;
  bench_line lines[BENCH_PLOT_LINES];
} bench_panel;

// Writes the file and makes the directories it lies in; false, with errno, when the system says no.
bool bench_plot(const char *path, const char *title, int first_size, const bench_panel *panels, int panel_count);

#endif
