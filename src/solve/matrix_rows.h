// The rows of the views as a matrix sees them: couples of vertices, and the blocks they add to. For the files of
// matrix.h alone.

#ifndef SOLVE_MATRIX_ROWS_H
#define SOLVE_MATRIX_ROWS_H

#include "solve/matrix.h"

#define MATRIX_NOBODY UINT32_MAX
#define MATRIX_SHARED (UINT32_MAX - 1)

// The vertices of a pair that couples, the lesser slot first. turned: they were the other way round.
typedef struct matrix_couple {
  uint32_t row, column;
  bool turned;
} matrix_couple;

static inline matrix_couple matrix_couple_of(const uint32_t *vertices, const matrix_law *of, uint32_t pair) {
  const uint32_t a = vertices[of->p[pair]], b = vertices[of->q[pair]];
  return a <= b ? (matrix_couple){a, b, false} : (matrix_couple){b, a, true};
}

// The vertices of a row, as they were when the pattern was made.
static inline uint32_t *matrix_row(const matrix *m, const matrix_part *part, uint32_t row) {
  return m->vertices.data + part->vertices + (size_t)row * part->of.table->particles;
}

static inline uint32_t *matrix_target(uint32_t *targets, const matrix_part *part, uint32_t row, uint32_t pair) {
  return targets + part->first + ((size_t)(row / KERNEL_LANES) * part->law->pairs + pair) * KERNEL_LANES +
         row % KERNEL_LANES;
}

// What a couple's target is, once its block is known.
static inline uint32_t matrix_aim(matrix_couple at, const matrix_law *of, uint32_t pair, uint32_t block) {
  const bool both = at.row == at.column && of->p[pair] != of->q[pair];
  return block << MATRIX_SHIFT | (at.turned ? MATRIX_TURNED : 0u) | (both ? MATRIX_BOTH : 0u);
}

// The parts that the views have now, and how many targets and vertices they name. False: no memory.
typedef BASE_ARRAY(matrix_part) matrix_parts;
bool matrix_list_parts(matrix *m, matrix_parts *parts, uint64_t *targets, uint64_t *vertices);
// From a part's rows, what they name now.
void matrix_read_row(const matrix_part *part, uint32_t row, uint32_t *vertices);
// What follows from blocks, targets and their owners (of each block the part that adds to it, MATRIX_SHARED or
// MATRIX_NOBODY).
bool matrix_settle(matrix *m, uint32_t *owners);

// Whether the rows of a law's stiffness add up to 0.
bool matrix_law_balances(const kernel *k);
// Whether all do, and then what is below the diagonal. False: no memory.
bool matrix_list_lower(matrix *m);

// Follows the rows that name other vertices than before. *followed: false where that are too many, or other parts;
// nothing has changed then. *another: blocks came or went. False: no memory; there is no pattern then.
bool matrix_change(matrix *m, bool *followed, bool *another);

#endif
