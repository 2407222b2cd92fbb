// Loops over the 3 x 3 blocks of a matrix, once for each instruction set: adding what rows of the views give them, and
// turning those on the diagonal into a preconditioner.
//
// The same text (block_loops.h) is compiled for each set, without fused operations and with every number computed
// alone: all give the same bits. Blocks have 9 numbers, column by column; targets are those of matrix.h. What is read
// behind a block lies inside the padding of the arrays (WIDE_PAD).

#ifndef SOLVE_BLOCK_SET_H
#define SOLVE_BLOCK_SET_H

#include <stdint.h>

// Adds eight lanes' blocks times a factor to blocks of `values`. Entry (i, j) of lane l is from[(i * n + j) * 8 + l];
// `lanes` of them count. A target with a flag of `first` finds nothing there yet.
typedef void block_scatter(const double *from, uint32_t n, double factor, const uint32_t *targets, uint32_t lanes,
                           uint32_t first, double *values);
// Adds symmetric blocks S times a factor that couple two particles: S to the blocks of each, -S to the one between
// them. Entry e of lane l is from[e * 8 + l]; targets: of the first particle, of the second, between them.
typedef void block_scatter_pairs(const double *from, double factor, const uint32_t *const targets[3], uint32_t lanes,
                                 uint32_t first, double *values);
// The inverses of blocks, as block_precondition makes them, in single precision, 9 numbers each. A block's numbers are
// at blocks + 9 * starts[k], or 9 * k where starts is NULL. `held`: bits of axes.
typedef void block_invert_all(uint32_t count, const double *blocks, const uint32_t *starts, const uint8_t *held,
                              float *inverses);

// Rows of a matrix that balances: where their blocks begin, the diagonal first; below the diagonal, which blocks they
// are.
typedef struct block_rows {
  const uint32_t *starts, *lower_starts, *lower;
  const double *masses;
} block_rows;
// Writes the diagonals of `count` rows from `first` on: masses times a factor, less all other blocks. The result: the
// largest number on the diagonals of these.
typedef double block_balance(uint32_t first, uint32_t count, const block_rows *rows, double factor, double *values);

// Of struts (struts.h) a block is a record: xx xy xz 0 yy yz zz 0. Vectors have BLOCK_ROW numbers a row, the last being
// 0.
enum { BLOCK_RECORD = 8, BLOCK_ROW = 4 };
// Writes eight records: symmetric blocks times a factor. Entry e of lane l is from[e * 8 + l]; `lanes` of them count,
// the others are 0. largest[l] becomes no less than any number of lane l.
typedef void block_take(const double *from, double factor, uint32_t lanes, double *records, double largest[8]);
// sums += records (x_other - x_own), at both ends of each strut.
typedef void block_pull(uint32_t count, const uint32_t *ends, const double *records, const double *x, double *sums);

typedef struct block_set {
  block_scatter *scatter;
  block_scatter_pairs *scatter_pairs;
  block_balance *balance;
  block_invert_all *invert;
  block_take *take;
  block_pull *pull;
} block_set;

#define BLOCK_DECLARE(isa)                                                                                             \
  block_scatter block_scatter_##isa;                                                                                   \
  block_scatter_pairs block_scatter_pairs_##isa;                                                                       \
  block_balance block_balance_##isa;                                                                                   \
  block_invert_all block_invert_all_##isa;                                                                             \
  block_take block_take_##isa;                                                                                         \
  block_pull block_pull_##isa;
BLOCK_DECLARE(sse2)
BLOCK_DECLARE(avx2)
BLOCK_DECLARE(avx512)

// The best for this processor, and the plain one.
const block_set *block_best(void);
const block_set *block_plain(void);

#endif
