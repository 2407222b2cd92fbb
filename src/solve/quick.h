// A matrix once more, in single precision, for the iterations between two residuals that are computed in full.
//
// Products with a matrix are a matter of how many bytes stream by. Conjugate gradients that only have to make a
// residual a million times smaller do not need sixteen digits to get there: they run here, on matrix, vectors and
// preconditioner of half the size, and find a correction. Who calls adds it to the solution, computes what is left over
// with the matrix itself (matrix.h), and comes again. So the digits of the result are those of double precision; single
// precision costs an iteration here and there. A matrix that is so badly conditioned that this does not converge is
// left to the plain way.
//
// Layout: slices of sixteen rows, side by side in the lanes of a register. Rows of a window are put in order of their
// number of blocks, so that slices have few gaps; gaps are zeros. A slot of a slice is one block of each row,
// [number][16] of its values; the first are the diagonal blocks. Of a pair of blocks across the diagonal one is kept,
// as in matrix.h, with six numbers where all blocks are symmetric, and nine otherwise. Chunks and their tails are those
// of the matrix: products have the same bits for any number of threads, and so has all else, as sums are taken by
// chunks of rows.
//
// Struts (struts.h) have whole rows, both sides of the diagonal, in one chunk: in a core's cache, reading a block twice
// costs less than adding to the rows of another. Their vectors are in groups of sixteen rows, by axis: a wide register
// picks the columns of a slot from a few groups, and nothing has to be turned from rows to lanes and back.
//
// Values are scaled so that the largest number on the diagonal is 1, residuals likewise: units do not matter.

#ifndef SOLVE_QUICK_H
#define SOLVE_QUICK_H

#include "solve/conjugate.h"
#include "solve/matrix.h"
#include "solve/quick_set.h"
#include "solve/struts.h"

// QUICK_LEAST: rows from which it is worth it.
enum { QUICK_LEAST = 64 };
#define QUICK_DEPTH 1e-6  // the most that one round makes of a residual
#define QUICK_FLOOR 1e-10 // of the right side: below, rounds no longer have a residual that is sharp enough

typedef struct quick {
  clv_allocator allocator;
  const matrix *m;
  const quick_set *set;
  bool made;  // the layout is that of the matrix
  bool whole; // rows have all their blocks: struts
  uint32_t rows;
  const double *from; // the values of sources
  uint32_t numbers;
  double scale;
  BASE_ARRAY(uint32_t) chunks;  // of each chunk of the matrix its first slice, and the end
  BASE_ARRAY(uint32_t) starts;  // of each slice its first slot, and the end
  BASE_ARRAY(uint32_t) places;  // of each slot: sixteen local rows, times 4; the slice's own first
  BASE_ARRAY(uint32_t) sources; // of each slot: sixteen blocks of the matrix or records of struts, or QUICK_NONE
  // Of whole rows: slots, what they have beside their two groups, where each row is, and which row is where
  BASE_ARRAY(quick_slot) slots;
  BASE_ARRAY(quick_extra) extras;
  BASE_ARRAY(uint32_t) positions, order;
  view_memory values;
  view_memory blocks; // the preconditioner, as quick_set.h has it
  view_memory vectors;
  BASE_ARRAY(size_t) tails; // where each chunk's is in a vector
  view_memory locals;       // of whole rows: a vector by rows
  size_t stride;
  BASE_ARRAY(double) dots;
  BASE_ARRAY(uint32_t) held, held_lines; // numbers of vectors that stay 0; lines of sixteen that do as a whole
} quick;

void quick_init(quick *q, const matrix *m, const clv_allocator *allocator);
void quick_free(quick *q);
// The matrix has another pattern, or the struts other ends.
void quick_forget(quick *q);
// Takes the values of the matrix, and the inverses of its diagonal blocks, WIDE_BLOCK a row. `held`: numbers of
// vectors, three a row, that stay as they are. False: no memory.
bool quick_fill(quick *q, const float *inverses, const uint32_t *held, uint32_t held_count);
// The same for struts. The preconditioner follows from them and the bits of axes that are held of each row.
bool quick_fill_struts(quick *q, const struts *s, const uint8_t *axes, const uint32_t *held, uint32_t held_count);
// The slices of whole rows, their values and preconditioner (quick_whole.c).
bool quick_lay_whole(quick *q, const struts *s);
void quick_fill_whole(const quick *q, const struts *s, const uint8_t *axes);
// x gets better by what takes `residual`, of length `norm`, away: until that has become smaller by a factor of `goal`,
// or of QUICK_DEPTH, or iterations are used up. Vectors have three numbers a row. end->residual is relative, too.
void quick_solve(quick *q, const double *residual, double norm, double goal, uint32_t iterations, double *x,
                 conjugate_end *end);

#endif
