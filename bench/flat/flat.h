// Force loops as one writes them by hand: flat arrays, no topology, rest data computed before.
//
// Each exists twice: scalar, as plain C, and wide, eight elements (or as many as the registers hold) side by side.
// Particles have four doubles, the last a pad: that was faster than three, for both. Wide loops want their constants in
// batches of eight elements, value k of element e at [e / 8][k][e % 8]; scalar ones element by element. The last batch
// is filled up with its last element, and only counted elements add their forces.

#ifndef BENCH_FLAT_H
#define BENCH_FLAT_H

#include <stdint.h>

// Springs: stiffness and rest length.
enum { FLAT_SPRING_DATA = 2, FLAT_SPRING_CORNERS = 2 };
// Tetrahedra: rest gradients of corners 1, 2, 3 (rows of the inverse rest matrix), volume times mu, volume times
// lambda.
enum { FLAT_TET_DATA = 11, FLAT_TET_CORNERS = 4 };

typedef struct flat_mesh {
  uint32_t count;
  const uint32_t *corners; // scalar: [element][corner]; wide: [batch][corner][8], four times the number
  const double *data;      // scalar: [element][value]; wide: [batch][value][8]
  const double *pos;       // [particle][4]
  const double *direction; // for stiffness times vector
  double *out;             // [particle][4]: added to
} flat_mesh;

// The file is compiled once for each instruction set, FLAT_SET.
#define FLAT_JOIN(name, set) name##_##set
#define FLAT_NAMED(name, set) FLAT_JOIN(name, set)
#define FLAT_NAME(name) FLAT_NAMED(name, FLAT_SET)

typedef void flat_kernel(const flat_mesh *mesh);

typedef struct flat_kernels {
  flat_kernel *stretch;         // springs
  flat_kernel *corotational;    // linear elasticity in the frame of the QR decomposition of F
  flat_kernel *corotational_hv; // the same, minus stiffness times vector, the frame held
  flat_kernel *stvk;            // St Venant-Kirchhoff
} flat_kernels;

// By instruction set: "sse2", "avx2", "avx512".
extern const flat_kernels flat_scalar_sse2, flat_wide_sse2;
extern const flat_kernels flat_scalar_avx2, flat_wide_avx2;
extern const flat_kernels flat_scalar_avx512, flat_wide_avx512;

#endif
