// Another system doing the same work: a program that prints lines `PEER name value unit`.
//
// It runs as a child, once for a round, so that it sees the machine as Cleave sees it. Names are those of
// bench_figure_defs; `name_tuned` is the same figure when a user goes past the manual. Counts (`PEER cells 32768
// count`) prove that the work was the same; they are checked.

#ifndef BENCH_MAP_PEER_H
#define BENCH_MAP_PEER_H

#include "measure.h"

typedef struct bench_peer_figures {
  bench_figures documented, tuned;
  char title[80]; // what it says of itself
} bench_peer_figures;

bench_peer_figures bench_peer_run(const char *program, const bench_lattice *lattice, int repetitions);

#endif
