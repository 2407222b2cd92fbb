// A body of tetrahedra under one shipped law, twice: as a map with views, and as flat arrays with the same numbers.

#ifndef BENCH_RULES_BODY_H
#define BENCH_RULES_BODY_H

#include "../flat/flat.h"
#include "cleave/cleave.h"

typedef struct bench_body {
  clv_program *program;
  clv_map *map;
  clv_views *views;
  uint32_t elements, slots;      // rows of the law; vertex slots
  double *direction, *force;     // by slot, three each
  flat_mesh scalar, wide;        // share their particles
  double *flat_pos, *flat_force; // by slot, four each
  double *flat_direction;
} bench_body;

// The shipped module and its law; whether it acts on edges or on tetrahedra; cubes along the three axes, each cut into
// six tetrahedra.
typedef struct bench_body_def {
  const char *module, *law;
  bool on_edges;
  uint32_t cubes[3];
  uint32_t threads;
} bench_body_def;

void bench_body_make(bench_body *body, const bench_body_def *def);
void bench_body_free(bench_body *body);

// Views, without the flat arrays.
clv_program *bench_program(const char *module);
clv_map *bench_map(const uint32_t cubes[3]);
clv_views *bench_views(const clv_program *program, clv_map *map, const char *law, uint32_t threads);

// Builds the tables of views anew, and nothing else: the derived quantities that they read are there.
clv_result bench_build_tables(clv_views *views);

#endif
