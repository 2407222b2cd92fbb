// The loops of quick.h, once for each instruction set.
//
// Vectors have four numbers a row, the last being 0, and at least one row more than they need. Those of whole rows have
// groups of sixteen rows, [axis][row]. Loops over `lines` go over that many times sixteen numbers. Slices are as
// quick.h says.

#ifndef SOLVE_QUICK_SET_H
#define SOLVE_QUICK_SET_H

#include <stdint.h>

enum { QUICK_ROWS = 16, QUICK_GROUP = 48 }; // of a slice; numbers of sixteen rows

// y += A x for slices that begin at starts[0], with 6 or 9 numbers a block.
typedef void quick_multiply(uint32_t slices, const uint32_t *starts, const uint32_t *places, const float *values,
                            const float *x, float *y);

// Where the lanes of a slot find their columns: rows of the first group are numbers from 0, of the second from 16 on;
// of extras, which are listed in order of slots, numbers from 0 again, in the lanes that they name. Groups are places
// in vectors.
typedef struct quick_slot {
  uint8_t lanes[QUICK_ROWS];
  uint32_t groups[2], extras;
} quick_slot;
typedef struct quick_extra {
  uint32_t group, lanes;
} quick_extra;
// The same as places of rows, times 4: which of the two is read is a matter of the instruction set.
typedef struct quick_columns {
  const quick_slot *slots;
  const quick_extra *extras;
  const uint32_t *places;
} quick_columns;

// y = A x for slices whose rows have all their blocks, with 6 numbers a block; the result: x . y. Slice k has the rows
// of group k, and a diagonal as its first slot. `rows`: room for four numbers a row.
typedef double quick_multiply_whole(uint32_t slices, const uint32_t *starts, const quick_columns *columns,
                                    const float *values, const float *x, float *rows, float *y);

// r -= alpha q; z = blocks r; sums: r.r and r.z.
typedef void quick_descend(unsigned long count, float alpha, const float *q, const float *blocks, float *r, float *z,
                           double sums[2]);

#define QUICK_NONE UINT32_MAX // no block: zeros
// Takes sixteen blocks, 9 numbers at blocks + 9 * source, times a factor: the values of a slot.
typedef void quick_fill_slot(const uint32_t *sources, const double *blocks, double by, float *values);

// The same for the slots of whole rows, records of struts (block_set.h) at records + 8 * source: of a slice all but the
// first, from which they are taken away.
typedef void quick_fill_slice(uint32_t slots, const uint32_t *sources, const double *records, double by, float *values);
// Inverses of sixteen blocks, six numbers each. The result: bits of those that are accurate.
typedef uint32_t quick_invert_group(const float *blocks, float *inverses);

typedef struct quick_set {
  quick_multiply *six, *nine;
  quick_multiply_whole *whole;
  quick_fill_slot *fill_six, *fill_nine;
  quick_fill_slice *fill_whole;
  quick_invert_group *invert_group;
  double (*dot)(unsigned long lines, const float *a, const float *b);
  // Blocks of four rows: [column][row][4]. Of a group: [number][row], six numbers.
  quick_descend *descend, *descend_groups;
  // x += alpha p; p = z + beta p
  void (*turn)(unsigned long lines, float alpha, float beta, const float *z, float *p, float *x);
} quick_set;

#define QUICK_DECLARE(isa)                                                                                             \
  quick_multiply quick_multiply_six_##isa, quick_multiply_nine_##isa;                                                  \
  quick_multiply_whole quick_multiply_whole_##isa;                                                                     \
  quick_fill_slot quick_fill_six_##isa, quick_fill_nine_##isa;                                                         \
  quick_fill_slice quick_fill_whole_##isa;                                                                             \
  quick_invert_group quick_invert_group_##isa;                                                                         \
  double quick_dot_##isa(unsigned long lines, const float *a, const float *b);                                         \
  quick_descend quick_descend_##isa, quick_descend_groups_##isa;                                                       \
  void quick_turn_##isa(unsigned long lines, float alpha, float beta, const float *z, float *p, float *x);
QUICK_DECLARE(sse2)
QUICK_DECLARE(avx2)
QUICK_DECLARE(avx512)

// The best for this processor, and the plain one.
const quick_set *quick_best(void);
const quick_set *quick_plain(void);

#endif
