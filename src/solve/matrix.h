// Assembled matrices: A as 3 x 3 blocks, of which the upper triangle is kept.
//
// A block row belongs to a vertex slot. Where blocks are follows from the rows of the views: two particles of a row
// couple, unless the law's derivative has no such part (the four diagonals of a hexahedron couple corners in pairs).
// With the pattern comes a map that says for each row and pair of particles which block it adds to, so that assembling
// is a stream of additions.
//
// A pattern follows the body. It knows which vertices each row named and how many rows use a block: after a commit,
// rows that name others give their blocks back and look for new ones, and all else is renumbered. What comes out is the
// pattern that would be made from the views as they are, number by number: it does not depend on how the body got
// there, and a run that is resumed has the same bits.
//
// Same bits for any number of threads: a block that several slabs of the views add to gets a copy for each of them, and
// the copies are added in the order of slabs. A product goes over chunks of block rows, whose number depends on the
// matrix alone. A chunk adds to its own rows and to a tail of later ones; tails are added in order of chunks.
//
// Where no law gives a force along a translation, the diagonal is not added to: it is what the other blocks of a row
// leave of the masses (matrix_balance.c).
//
// Nothing here knows what is held: A is whole.

#ifndef SOLVE_MATRIX_H
#define SOLVE_MATRIX_H

#include "solve/wide.h"
#include "view/views.h"

enum { MATRIX_CHUNK = 2048 };

// Which pairs of particles p <= q couple in rows of a table, in order of p, then q.
typedef struct matrix_law {
  uint32_t pairs;
  uint8_t p[LAW_PARTICLES * (LAW_PARTICLES + 1) / 2], q[LAW_PARTICLES * (LAW_PARTICLES + 1) / 2];
  bool balances; // its rows add up to 0 (matrix_balance.c)
} matrix_law;

// The rows of one slab. They add to blocks targets[first + [batch][pair][lane]], numbers that carry flags.
typedef struct matrix_part {
  view_part of;
  const matrix_law *law;
  size_t first;
  uint32_t rows;
  size_t vertices; // where those of its first row are
} matrix_part;

enum {
  MATRIX_TURNED = 1, // the block lies on the other side of the diagonal
  MATRIX_BOTH = 2,   // two particles of the row are one vertex: a diagonal block gets both sides
  MATRIX_FIRST = 4,  // nothing is added to the block before, by stiffnesses
  MATRIX_FLAGS = 7,
  MATRIX_SHIFT = 3
};

// A chunk of block rows. Locally rows are numbered from 0, its tail behind them.
typedef struct matrix_chunk {
  uint32_t first, rows;
  uint32_t tail, tails; // in `tail`: later rows that it adds to, in order
  size_t sums;          // in `sums`: four numbers a local row
} matrix_chunk;

typedef struct matrix_copy {
  uint32_t from, to; // blocks
  bool first;        // nothing is there yet
} matrix_copy;

typedef struct matrix {
  clv_allocator allocator;
  clv_views *views;
  uint32_t rows;
  bool made;                    // there is a pattern
  uint64_t layouts;             // of the views, that it belongs to
  BASE_ARRAY(uint32_t) starts;  // of each block row, and the end; columns are in order, the diagonal comes first
  BASE_ARRAY(uint32_t) columns; // of each block
  BASE_ARRAY(uint32_t) places;  // the same, as local numbers of the row's chunk
  uint32_t blocks;              // of A; copies for slabs lie behind them
  view_memory values;           // 9 a block, column by column
  bool symmetric_blocks;        // but for rounding
  bool balances;                // all laws do: the diagonal follows from the blocks beside it
  BASE_ARRAY(uint32_t) lower_starts, lower; // then, of each row: the blocks whose column it is
  double largest;                           // on the diagonal, when it was assembled
  BASE_ARRAY(matrix_law) laws;              // of each table
  BASE_ARRAY(matrix_part) parts;
  BASE_ARRAY(uint32_t) targets;
  BASE_ARRAY(uint32_t) vertices;  // that rows name
  BASE_ARRAY(uint32_t) uses;      // of each block: couples of rows
  uint64_t searched;              // rows whose blocks were looked for, when it was made or followed last
  BASE_ARRAY(matrix_copy) copies; // in order of slabs
  BASE_ARRAY(uint32_t) bare;      // blocks that no row adds to
  BASE_ARRAY(matrix_chunk) chunks;
  BASE_ARRAY(uint32_t) tail;
  BASE_ARRAY(double) dots; // of each chunk, in a product
  view_memory sums;
  view_memory locals;      // of each thread: a chunk's part of a vector
  view_memory rooms;       // of each thread: the matrices of a batch of rows
  size_t local_room, room; // numbers for a thread
} matrix;

void matrix_init(matrix *m, clv_views *views, const clv_allocator *allocator);
void matrix_free(matrix *m);

// Makes the pattern what the views need. *rebuilt: whether blocks came or went. On failure there is none.
clv_result matrix_follow(matrix *m, bool *rebuilt);

// Which of a law's couples are two of its particles, in any order.
uint32_t matrix_pair(const matrix_law *of, uint32_t p, uint32_t q);

// What A is made of: mass * masses + stiffness * (that of all laws) + damping * (that of all laws), symmetric parts, at
// the positions and velocities that the map has.
typedef struct matrix_sum {
  const double *masses; // one a slot
  double mass, stiffness, damping;
} matrix_sum;
// Room for the matrices of a batch, for each thread. False: no memory.
bool matrix_reserve_rooms(matrix *m);
// Behind matrix_follow.
void matrix_assemble(matrix *m, const matrix_sum *sum);

// The diagonal blocks of A alone, 9 numbers a slot; needs no pattern.
clv_result matrix_diagonal(matrix *m, const matrix_sum *sum, double *blocks);

// out = A x; vectors have three numbers a row. The result: x . out.
double matrix_multiply(const matrix *m, const double *x, double *out);

static inline double *matrix_block(const matrix *m, uint32_t block) {
  return (double *)m->values.data + 9 * (size_t)block;
}
// The number of a block, row <= column; UINT32_MAX for none.
uint32_t matrix_find(const matrix *m, uint32_t row, uint32_t column);

// The first of a chunk's tail, which is in order, that is not before a row.
uint32_t matrix_first_from(const uint32_t *tail, uint32_t count, uint32_t row);

#endif
