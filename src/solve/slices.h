// Slices: a small matrix of springs once more, laid out for products.
//
// A matrix of 3 x 3 blocks keeps its upper triangle, and a product with it writes to two rows at every block: that is best
// where blocks come from memory. Where they stay in the cache and each is symmetric, it is better to have the six numbers of
// all of them, four rows side by side in the lanes of a register: a product then only reads, and writes each row
// once. Rows shorter than the longest of their slice are filled up with zeros. Rows are independent: any number of threads
// gives the same bits. With nine numbers a block the layout does not pay: more of it comes from beyond the cache.
//
// Slices are made with the pattern of a matrix and filled from its blocks. What is above the diagonal of a block is not
// read: it must be what is below, but for rounding.

#ifndef SOLVE_SLICES_H
#define SOLVE_SLICES_H

#include "base/thread.h"
#include "solve/wide.h"
#include "view/table.h"

// SLICES_MOST: blocks that are worth it, all rows counted; 48 bytes each.
enum { SLICES_ROWS = 4, SLICES_MOST = 16384 };

typedef struct slices {
  clv_allocator allocator;
  uint32_t rows;                // 0: there are none
  BASE_ARRAY(uint32_t) starts;  // of each slice, and the end: in quadruples of blocks
  BASE_ARRAY(uint32_t) places;  // of each block: where its column's numbers begin in a vector
  BASE_ARRAY(uint32_t) sources; // of each block: that of the matrix, or WIDE_NONE
  view_memory values;           // of each quadruple: [6][4]
  view_memory x;                // a vector, with numbers that may be read behind it
} slices;

void slices_init(slices *s, const clv_allocator *allocator);
void slices_free(slices *s);

// From the upper triangle, as matrix.h has it. Makes none where there are too many blocks. False: no memory.
bool slices_make(slices *s, uint32_t rows, const uint32_t *starts, const uint32_t *columns);
void slices_drop(slices *s);
// Takes the blocks' values, 9 each.
void slices_fill(slices *s, base_pool *pool, const double *blocks);
// out = A x, three numbers a row; x . out.
double slices_multiply(const slices *s, base_pool *pool, const double *x, double *out);

#endif
