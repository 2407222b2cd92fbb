// The loops of quick.h, once for each instruction set.
//
// Vectors have four numbers a row, the last being 0, and at least one row more than they need; loops over `fours` go over that
// many times four rows. Slices are as quick.h says.

#ifndef SOLVE_QUICK_SET_H
#define SOLVE_QUICK_SET_H

#include <stdint.h>

enum { QUICK_ROWS = 16 }; // of a slice

// y += A x for slices that begin at starts[0], with 6 or 9 numbers a block.
typedef void quick_multiply(uint32_t slices, const uint32_t *starts, const uint32_t *places, const float *values,
                            const float *x, float *y);

// y = A x for slices whose rows have all their blocks, with 6 numbers a block; the result: x . y.
typedef double quick_multiply_whole(uint32_t slices, const uint32_t *starts, const uint32_t *places,
                                    const float *values, const float *x, float *y);

#define QUICK_NONE UINT32_MAX // no block: zeros
// Takes sixteen blocks, 9 numbers at blocks + 9 * source, or 8 of a strut (block_set.h), times a factor: the values of a slot.
typedef void quick_fill_slot(const uint32_t *sources, const double *blocks, double by, float *values);

typedef struct quick_set {
  quick_multiply *six, *nine;
  quick_multiply_whole *whole;
  quick_fill_slot *fill_six, *fill_nine, *fill_strut;
  double (*dot)(unsigned long fours, const float *a, const float *b);
  // r -= alpha q; z = blocks r; sums: r.r and r.z. Blocks of four rows: [column][row][4].
  void (*descend)(unsigned long fours, float alpha, const float *q, const float *blocks, float *r, float *z,
                  double sums[2]);
  // x += alpha p; p = z + beta p
  void (*turn)(unsigned long fours, float alpha, float beta, const float *z, float *p, float *x);
} quick_set;

#define QUICK_DECLARE(isa)                                                                                             \
  quick_multiply quick_multiply_six_##isa, quick_multiply_nine_##isa;                                                  \
  quick_multiply_whole quick_multiply_whole_##isa;                                                                     \
  quick_fill_slot quick_fill_six_##isa, quick_fill_nine_##isa, quick_fill_strut_##isa;                                 \
  double quick_dot_##isa(unsigned long fours, const float *a, const float *b);                                         \
  void quick_descend_##isa(unsigned long fours, float alpha, const float *q, const float *blocks, float *r, float *z,  \
                           double sums[2]);                                                                            \
  void quick_turn_##isa(unsigned long fours, float alpha, float beta, const float *z, float *p, float *x);
QUICK_DECLARE(sse2)
QUICK_DECLARE(avx2)
QUICK_DECLARE(avx512)

// The best for this processor, and the plain one.
const quick_set *quick_best(void);
const quick_set *quick_plain(void);

#endif
