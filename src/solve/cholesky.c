#include "solve/cholesky.h"

#include "solve/blocks.h"

enum { TRIES = 7 };
#define FIRST_SHIFT 1e-3
#define LEAST_PIVOT 1e-6

void cholesky_init(cholesky *c, const matrix *m, const clv_allocator *allocator) {
  *c = (cholesky){.allocator = *allocator, .m = m};
}

void cholesky_free(cholesky *c) {
  BASE_RELEASE(&c->allocator, &c->work);
  BASE_RELEASE(&c->allocator, &c->upper);
  BASE_RELEASE(&c->allocator, &c->inverses);
}

// A without what is held, its diagonal raised.
static void copy_free(cholesky *c, const uint8_t *held, double shift) {
  const matrix *m = c->m;
  for (uint32_t row = 0; row < m->rows; row++)
    for (uint32_t b = m->starts.data[row]; b < m->starts.data[row + 1]; b++) {
      const uint32_t column = m->columns.data[b];
      const double *from = matrix_block(m, b);
      double *to = c->work.data + 9 * (size_t)b;
      for (uint32_t j = 0; j < 3; j++)
        for (uint32_t i = 0; i < 3; i++) {
          const bool out = ((uint32_t)held[row] >> i | (uint32_t)held[column] >> j) & 1u, on = row == column && i == j;
          to[3 * j + i] = out ? on : on ? from[3 * j + i] * (1 + shift) : from[3 * j + i];
        }
    }
}

// to = a b
static inline void multiply(const double *a, const double *b, double *to) {
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) to[3 * j + i] = a[i] * b[3 * j] + a[3 + i] * b[3 * j + 1] + a[6 + i] * b[3 * j + 2];
}

// to -= a' b
static inline void subtract(const double *a, const double *b, double *to) {
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      to[3 * j + i] -= a[3 * i] * b[3 * j] + a[3 * i + 1] * b[3 * j + 1] + a[3 * i + 2] * b[3 * j + 2];
}

static inline void keep(const double *from, float *to) {
  for (int e = 0; e < 9; e++) to[e] = (float)from[e];
}

// Takes row k out of all later ones: A_ij -= A_ki' D^-1 A_kj, where there is an A_ij.
static bool eliminate(cholesky *c, uint32_t k) {
  const matrix *m = c->m;
  const uint32_t *columns = m->columns.data, first = m->starts.data[k], end = m->starts.data[k + 1];
  double inverse[9], scaled[9];
  if (!block_invert(c->work.data + 9 * (size_t)first, LEAST_PIVOT, inverse)) return false;
  keep(inverse, c->inverses.data + 9 * (size_t)k);
  for (uint32_t j = first + 1; j < end; j++) {
    multiply(inverse, c->work.data + 9 * (size_t)j, scaled);
    keep(scaled, c->upper.data + 9 * (size_t)j);
  }
  for (uint32_t i = first + 1; i < end; i++) {
    const double *left = c->work.data + 9 * (size_t)i;
    uint32_t target = m->starts.data[columns[i]];
    const uint32_t last = m->starts.data[columns[i] + 1];
    for (uint32_t j = i; j < end; j++) {
      while (target < last && columns[target] < columns[j]) target++;
      if (target == last) break;
      if (columns[target] != columns[j]) continue;
      multiply(inverse, c->work.data + 9 * (size_t)j, scaled);
      subtract(left, scaled, c->work.data + 9 * (size_t)target);
    }
  }
  return true;
}

cholesky_end cholesky_make(cholesky *c, const uint8_t *held) {
  const matrix *m = c->m;
  const clv_allocator *a = &c->allocator;
  const uint64_t numbers = 9 * (uint64_t)m->blocks + WIDE_PAD;
  if (!BASE_RESERVE(a, &c->work, numbers) || !BASE_RESERVE(a, &c->upper, numbers) ||
      !BASE_RESERVE(a, &c->inverses, 9 * (uint64_t)m->rows + WIDE_PAD))
    return CHOLESKY_NO_MEMORY;
  // Loads of four numbers see those behind a block, which must not be NaN.
  memset(c->upper.data, 0, numbers * sizeof *c->upper.data);
  c->shift = 0;
  for (uint32_t k = 0; k < TRIES; k++) {
    copy_free(c, held, c->shift);
    uint32_t row = 0;
    while (row < m->rows && eliminate(c, row)) row++;
    if (row == m->rows) return CHOLESKY_MADE;
    c->shift = c->shift > 0 ? 4 * c->shift : FIRST_SHIFT;
  }
  return CHOLESKY_FAILED;
}

void cholesky_apply(const cholesky *c, const double *x, double *out) {
  const matrix *m = c->m;
  wide_best()->solve_factor(m->rows, m->starts.data, m->columns.data, c->upper.data, c->inverses.data, x, out);
}
