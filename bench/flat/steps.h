// Whole steps as one writes them by hand: the force loops of flat.h, and what comes behind them.
//
// A body is flat arrays of four doubles a particle. Fixed particles have no inverse mass. The implicit step is that of
// Baraff and Witkin, (M + h^2 K) dv = h (f - h K v), with a fixed number of conjugate gradient iterations, without a
// preconditioner. It exists twice: without a matrix, with the frame of each tetrahedron kept for the products of a
// step; and with the matrix assembled anew at each step in 3 x 3 blocks.

#ifndef BENCH_FLAT_STEPS_H
#define BENCH_FLAT_STEPS_H

#include "flat.h"

typedef struct flat_matrix {
  uint32_t *first;    // of each row's blocks
  uint32_t *column;   // of each block
  double *block;      // nine doubles each, column by column, and three more behind the last
  uint32_t *position; // [tetrahedron][16]: where its blocks are
} flat_matrix;

typedef struct flat_body {
  flat_mesh mesh; // wide, or scalar for the scalar loops
  uint32_t particles;
  double *pos, *vel, *force;              // [particle][4]
  double *weight, *inverse_mass, *mass;   // [particle][4]: mass times gravity; 0 where fixed; mass, 1 where fixed
  double *dv, *residual, *search, *image; // [particle][4]: of the implicit steps
  double *frames;                         // [batch][9][8]
  flat_matrix matrix;
} flat_body;

typedef struct flat_steps {
  void (*symplectic)(const flat_body *body, flat_kernel *force, double dt);
  void (*implicit_free)(const flat_body *body, double dt, uint32_t iterations);
  void (*implicit_assembled)(const flat_body *body, double dt, uint32_t iterations);
} flat_steps;

extern const flat_steps flat_steps_sse2, flat_steps_avx2, flat_steps_avx512;

#endif
