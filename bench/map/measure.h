// Cleave's own figures on one lattice.

#ifndef BENCH_MAP_MEASURE_H
#define BENCH_MAP_MEASURE_H

#include "lattice.h"

typedef enum bench_figure {
  BENCH_BUILD,       // create all cells, merge points, glue
  BENCH_BUILD_EDGES, // the same, and a value on every edge
  BENCH_BYTES,       // topology and all indices of vertices and edges
  BENCH_VERTEX,      // the volumes around each vertex
  BENCH_EDGE,        // the volumes around each edge
  BENCH_UNSEW,       // one face opened, embeddings split
  BENCH_FIGURES
} bench_figure;

typedef struct bench_figure_def {
  const char *name; // what the peer calls it, too
  const char *unit;
  bool by_shape; // its ratio is printed for each shape, not for the worse one
  bool promised; // its ratio is printed for all to rely on
} bench_figure_def;

extern const bench_figure_def bench_figure_defs[BENCH_FIGURES];

typedef struct bench_figures {
  double of[BENCH_FIGURES];
} bench_figures;

// Medians of the repetitions. `memory`, which the mesh came from, serves the maps too.
bench_figures bench_measure(const bench_lattice *lattice, bench_memory *memory, int repetitions);

// The whole course on a small lattice with everything that is too slow for a large one.
void bench_measure_self_test(void);

#endif
