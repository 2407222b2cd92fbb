// Matrices of struts: those of small bodies whose laws pull along distances between particles, and do nothing else.
//
// Such a matrix is a list: two vertices for each distance, and the symmetric block between them, B = -k S; what is on
// the diagonal follows from it, the masses less all blocks of a vertex, and is not kept. So there is no pattern to find
// and no place to search for: blocks are written in the order of the views' rows, and a product goes over them in that
// order. It adds to both ends of a strut what it takes from the other, so that it keeps momentum to the last bit. That
// is done by one thread, and pays as long as all of it stays in a core's cache: larger bodies have matrices (matrix.h),
// which several threads share.

#ifndef SOLVE_STRUTS_H
#define SOLVE_STRUTS_H

#include "solve/matrix.h"

// The most vertices and struts that are kept so.
enum { STRUTS_ROWS = 2048, STRUTS_MOST = 16384 };

typedef struct struts {
  clv_allocator allocator;
  clv_views *views;
  bool made;
  uint64_t layouts;          // of the views, that the ends belong to
  uint32_t rows, count;      // vertex slots; struts, with those that only fill batches
  BASE_ARRAY(uint32_t) ends; // two slots a strut; the same twice: it is none
  view_memory blocks;        // BLOCK_RECORD numbers of each strut, in order of rows of the views
  view_memory room;          // what a kernel gives for some batches
  view_memory vectors;       // two, four numbers a row
  matrix_sum sum;            // what it was assembled for
  double largest;            // no number of a block is larger, and no mass
} struts;

void struts_init(struts *s, clv_views *views, const clv_allocator *allocator);
void struts_free(struts *s);

// Whether the views, which are current, are such a body's.
bool struts_serve(const clv_views *views);
// Makes the list what the views need. *changed: it is another one. False: no memory.
bool struts_follow(struts *s, bool *changed);
// At the positions that the map has; behind struts_follow.
void struts_assemble(struts *s, const matrix_sum *sum);

// out = A x; vectors have three numbers a row. The result: x . out.
double struts_multiply(const struts *s, const double *x, double *out);
// The blocks on the diagonal, 9 numbers a row.
void struts_diagonal(const struts *s, double *blocks);

#endif
