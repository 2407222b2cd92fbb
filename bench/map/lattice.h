// The bodies that are measured: a cube of N^3 cells, whole (hex) or cut into five tetrahedra each (tet).
//
// Elements come with points of their own, as a reader of polygon soup or a cell-by-cell generator has them: which of
// them are equal is for the map to find out. Coordinates are the integers 0..N, so that both sides of a comparison get
// the same bits. The lattice also knows what must come out: every count that a measurement passes on its way is
// checked.

#ifndef BENCH_MAP_LATTICE_H
#define BENCH_MAP_LATTICE_H

#include "cleave/mesh.h"
#include "tools.h"

typedef enum bench_shape { BENCH_HEX, BENCH_TET, BENCH_SHAPES } bench_shape;

// "hex", "tet".
const char *bench_shape_name(bench_shape shape);

typedef struct bench_counts {
  size_t cells, vertices, edges, faces;
  size_t vertex_incidences, edge_incidences;       // pairs of a cell and one of its vertices, or edges
  size_t plane_vertices, plane_edges, plane_faces; // on the inner lattice plane x = N/2
} bench_counts;

typedef struct bench_lattice {
  bench_shape shape;
  uint32_t n;
  clv_kind kind;
  double plane; // x of the inner plane that is cut
  bench_counts expected;
  clv_mesh mesh;
} bench_lattice;

// n is even, so that x = N/2 is a plane of the lattice. The mesh takes its memory from `memory`.
void bench_lattice_make(bench_lattice *lattice, bench_shape shape, uint32_t n, bench_memory *memory);
void bench_lattice_free(bench_lattice *lattice);

#endif
