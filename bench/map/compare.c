// Peer and Cleave take turns: P C P C ... P, and the best of all repetitions of each are compared: what a program takes
// when nobody takes anything from it. A slow minute of the machine hits turns of both, and neither result.
//
// The ratios are against the peer as documented; the table shows the peer as tuned by hand, too.

#include "compare.h"
#include "peer.h"

#include <math.h>
#include <stdio.h>

enum { COMPARED_SIZE = 32, ROUNDS = 5, REPETITIONS = 3 };

typedef struct bench_comparison {
  bench_figures cleave;
  bench_peer_figures peer;
} bench_comparison;

static bench_comparison compare_shape(const char *program, bench_shape shape) {
  double cleave[BENCH_FIGURES][ROUNDS], documented[BENCH_FIGURES][ROUNDS + 1], tuned[BENCH_FIGURES][ROUNDS + 1];
  bench_memory memory = {0};
  bench_lattice lattice;
  bench_lattice_make(&lattice, shape, COMPARED_SIZE, &memory);
  bench_comparison result;
  for (int round = 0; round <= ROUNDS; round++) {
    result.peer = bench_peer_run(program, &lattice, REPETITIONS);
    for (int f = 0; f < BENCH_FIGURES; f++) {
      documented[f][round] = result.peer.documented.of[f];
      tuned[f][round] = result.peer.tuned.of[f];
    }
    if (round == ROUNDS) break;
    const bench_figures own = bench_measure(&lattice, &memory, REPETITIONS);
    for (int f = 0; f < BENCH_FIGURES; f++) cleave[f][round] = own.of[f];
  }
  bench_lattice_free(&lattice);
  for (int f = 0; f < BENCH_FIGURES; f++) {
    result.cleave.of[f] = bench_best(cleave[f], ROUNDS);
    result.peer.documented.of[f] = bench_best(documented[f], ROUNDS + 1);
    result.peer.tuned.of[f] = bench_best(tuned[f], ROUNDS + 1);
  }
  return result;
}

static double ratio(const bench_comparison *comparison, int figure) {
  return comparison->peer.documented.of[figure] / comparison->cleave.of[figure];
}

static void print_table(const bench_comparison *comparison, bench_shape shape) {
  printf("\n%s, %d^3 cubes; the peer is %s\n", shape == BENCH_HEX ? "hexahedra" : "tetrahedra", COMPARED_SIZE,
         comparison->peer.title);
  printf("%-18s %-13s %9s %9s %7s   %13s %7s\n", "", "", "Cleave", "peer", "ratio", "tuned by hand", "ratio");
  for (int f = 0; f < BENCH_FIGURES; f++) {
    const double cleave = comparison->cleave.of[f], tuned = comparison->peer.tuned.of[f];
    printf("%-18s %-13s %9.1f %9.1f %7.2f   %13.1f %7.2f\n", bench_figure_defs[f].name, bench_figure_defs[f].unit,
           cleave, comparison->peer.documented.of[f], ratio(comparison, f), tuned, tuned / cleave);
  }
}

static void print_ratios(const bench_comparison comparisons[BENCH_SHAPES]) {
  printf("\n");
  for (int f = 0; f < BENCH_FIGURES; f++) {
    const bench_figure_def *def = &bench_figure_defs[f];
    const double hex = ratio(&comparisons[BENCH_HEX], f), tet = ratio(&comparisons[BENCH_TET], f);
    if (!def->promised) continue;
    if (def->by_shape)
      printf("RATIO %s_hex %.2f\nRATIO %s_tet %.2f\n", def->name, hex, def->name, tet);
    else
      printf("RATIO %s %.2f\n", def->name, fmin(hex, tet));
  }
}

void bench_compare(const char *program) {
  bench_comparison comparisons[BENCH_SHAPES];
  printf("one thread, processor time; the best of %d turns of %d repetitions\n", ROUNDS, REPETITIONS);
  for (int shape = 0; shape < BENCH_SHAPES; shape++) {
    comparisons[shape] = compare_shape(program, (bench_shape)shape);
    print_table(&comparisons[shape], (bench_shape)shape);
    fflush(stdout);
  }
  print_ratios(comparisons);
}
