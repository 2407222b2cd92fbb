// The loops of quick_set.h for one instruction set: sixteen rows at a time, in registers as wide as they are here.
//
// Each instruction set compiles this text by itself (cmake/loops.cmake), with the words of emit_lanes.h, and so has its own
// bits; they depend on nothing else. QUICK_NAME(name) gives its functions their names.

#ifndef QUICK_NAME
#error "cmake/loops.cmake says how functions are called"
#endif

#include "rule/emit_lanes.h"
#include "solve/quick_set.h"

#if CLV_WIDTH == 8
#define WIDE 16
#define LOW 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define HIGH 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define LOW_PAIRS 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29
#define HIGH_PAIRS 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31
#define EACH(axis)                                                                                                     \
  axis, axis, axis, axis, axis + 4, axis + 4, axis + 4, axis + 4, axis + 8, axis + 8, axis + 8, axis + 8, axis + 12,   \
      axis + 12, axis + 12, axis + 12
#elif CLV_WIDTH == 4
#define WIDE 8
#define LOW 0, 8, 1, 9, 4, 12, 5, 13
#define HIGH 2, 10, 3, 11, 6, 14, 7, 15
#define LOW_PAIRS 0, 1, 8, 9, 4, 5, 12, 13
#define HIGH_PAIRS 2, 3, 10, 11, 6, 7, 14, 15
#define EACH(axis) axis, axis, axis, axis, axis + 4, axis + 4, axis + 4, axis + 4
#else
#define WIDE 4
#define LOW 0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#define LOW_PAIRS 0, 1, 4, 5
#define HIGH_PAIRS 2, 3, 6, 7
#define EACH(axis) axis, axis, axis, axis
#endif

typedef float wide __attribute__((vector_size(4 * WIDE)));
typedef float wide_stored __attribute__((vector_size(4 * WIDE), aligned(4), may_alias));
typedef float row __attribute__((vector_size(16)));
typedef float row_stored __attribute__((vector_size(16), aligned(4), may_alias));
typedef float two_rows __attribute__((vector_size(32)));

// Numbers below the least normal one count as 0 within a loop: a processor takes a hundred times as long for them.
#if defined(__SSE2__)
enum { FLUSHING = 0x8040 };
#define FLUSH_SMALL                                                                                                    \
  const unsigned int before = __builtin_ia32_stmxcsr();                                                                \
  __builtin_ia32_ldmxcsr(before | FLUSHING)
#define KEEP_SMALL __builtin_ia32_ldmxcsr(before)
#else
#define FLUSH_SMALL
#define KEEP_SMALL
#endif

LANES_IN wide load(const float *p) {
  return *(const wide_stored *)p;
}

LANES_IN void store(float *p, wide a) {
  *(wide_stored *)p = a;
}

LANES_IN wide all(float a) {
  return (wide){0} + a;
}

// a * b + c
LANES_IN wide fused(wide a, wide b, wide c) {
#if WIDE == 16 && LANES_HAS(__builtin_ia32_vfmaddps512_mask)
  return __builtin_ia32_vfmaddps512_mask(a, b, c, 65535, 4);
#elif WIDE == 8 && LANES_HAS(__builtin_ia32_vfmaddps256)
  return __builtin_ia32_vfmaddps256(a, b, c);
#elif WIDE == 4
  return a * b + c;
#else
  wide sum = c;
  for (int k = 0; k < WIDE; k++) sum[k] = __builtin_fmaf(a[k], b[k], c[k]);
  return sum;
#endif
}

LANES_IN row load_row(const float *p) {
  return *(const row_stored *)p;
}

// gcc does not see that a quarter of a register is put in or taken out.
#if WIDE == 16 && !defined(__clang__) && LANES_HAS(__builtin_ia32_insertf32x4_mask)
#define PUT_ROW(a, b, quarter) __builtin_ia32_insertf32x4_mask(a, b, quarter, a, 65535)
#define TAKE_ROW(a, quarter) __builtin_ia32_extractf32x4_mask(a, quarter, (row){0}, 255)
#endif

// Rows at[0], at[4] ... of as many as a register holds.
LANES_IN wide load_rows(const float *x, const uint32_t *at) {
#if defined(PUT_ROW)
  const wide one = __builtin_ia32_ps512_ps(load_row(x + at[0]));
  return PUT_ROW(PUT_ROW(PUT_ROW(one, load_row(x + at[4]), 1), load_row(x + at[8]), 2), load_row(x + at[12]), 3);
#elif WIDE == 4
  return load_row(x + at[0]);
#else
  const two_rows low = __builtin_shufflevector(load_row(x + at[0]), load_row(x + at[4]), 0, 1, 2, 3, 4, 5, 6, 7);
#if WIDE == 8
  return low;
#else
  const two_rows high = __builtin_shufflevector(load_row(x + at[8]), load_row(x + at[12]), 0, 1, 2, 3, 4, 5, 6, 7);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#endif
}

LANES_IN void gather(const float *x, const uint32_t *at, wide to[3]) {
  const wide a = load_rows(x, at), b = load_rows(x, at + 1), c = load_rows(x, at + 2), d = load_rows(x, at + 3);
  const wide xy0 = __builtin_shufflevector(a, b, LOW), xy1 = __builtin_shufflevector(c, d, LOW);
  const wide z0 = __builtin_shufflevector(a, b, HIGH), z1 = __builtin_shufflevector(c, d, HIGH);
  to[0] = __builtin_shufflevector(xy0, xy1, LOW_PAIRS);
  to[1] = __builtin_shufflevector(xy0, xy1, HIGH_PAIRS);
  to[2] = __builtin_shufflevector(z0, z1, LOW_PAIRS);
}

LANES_IN void add_row(float *p, row a) {
  *(row_stored *)p = load_row(p) + a;
}

LANES_IN void add_rows(float *y, const uint32_t *at, wide a) {
#if defined(TAKE_ROW)
  add_row(y + at[0], TAKE_ROW(a, 0));
  add_row(y + at[4], TAKE_ROW(a, 1));
  add_row(y + at[8], TAKE_ROW(a, 2));
  add_row(y + at[12], TAKE_ROW(a, 3));
#elif WIDE == 4
  add_row(y + at[0], a);
#else
  add_row(y + at[0], __builtin_shufflevector(a, a, 0, 1, 2, 3));
  add_row(y + at[4], __builtin_shufflevector(a, a, 4, 5, 6, 7));
#if WIDE == 16
  add_row(y + at[8], __builtin_shufflevector(a, a, 8, 9, 10, 11));
  add_row(y + at[12], __builtin_shufflevector(a, a, 12, 13, 14, 15));
#endif
#endif
}

LANES_IN void scatter(float *y, const uint32_t *at, wide a, wide b, wide c) {
  const wide none = {0};
  const wide ab0 = __builtin_shufflevector(a, b, LOW), ab1 = __builtin_shufflevector(a, b, HIGH);
  const wide c0 = __builtin_shufflevector(c, none, LOW), c1 = __builtin_shufflevector(c, none, HIGH);
  add_rows(y, at, __builtin_shufflevector(ab0, c0, LOW_PAIRS));
  add_rows(y, at + 1, __builtin_shufflevector(ab0, c0, HIGH_PAIRS));
  add_rows(y, at + 2, __builtin_shufflevector(ab1, c1, LOW_PAIRS));
  add_rows(y, at + 3, __builtin_shufflevector(ab1, c1, HIGH_PAIRS));
}

// Where entry (i, j) of a block is: all nine are kept, column by column, or those of a symmetric one.
#define NINE(i, j) (3 * (j) + (i))
#define SIX(i, j) ((i) < (j) ? (i) * (5 - (i)) / 2 + (j) : (j) * (5 - (j)) / 2 + (i))
#define ENTRY(i, j) load(m + QUICK_ROWS * (numbers == 6 ? SIX(i, j) : NINE(i, j)))
#define ALONG(i, x) fused(ENTRY(i, 2), (x)[2], fused(ENTRY(i, 1), (x)[1], ENTRY(i, 0) * (x)[0]))
#define ACROSS(j, x) fused(ENTRY(2, j), (x)[2], fused(ENTRY(1, j), (x)[1], ENTRY(0, j) * (x)[0]))

// PARTS: registers of sixteen lanes. AHEAD: slots that are asked for before their turn; a slot takes too many instructions
// for the processor to look ahead by itself.
enum { PARTS = 16 / WIDE, AHEAD = 4 };

LANES_IN void multiply(uint32_t slices, const uint32_t *restrict starts, const uint32_t *restrict places,
                       const float *restrict values, const unsigned long numbers, const float *restrict x,
                       float *restrict y) {
  for (uint32_t slice = 0; slice < slices; slice++)
    for (uint32_t lane = 0; lane < QUICK_ROWS; lane += WIDE) {
      const uint32_t *at = places + (unsigned long)QUICK_ROWS * starts[slice] + lane;
      const float *m = values + QUICK_ROWS * numbers * starts[slice] + lane;
      const uint32_t *const own = at;
      wide mine[3];
      gather(x, own, mine);
      wide sx = ALONG(0, mine), sy = ALONG(1, mine), sz = ALONG(2, mine);
      for (uint32_t k = starts[slice] + 1; k < starts[slice + 1]; k++) {
        at += QUICK_ROWS;
        m += QUICK_ROWS * numbers;
        wide other[3];
        for (unsigned long line = 0; line < numbers; line += PARTS)
          lanes_ahead(m + QUICK_ROWS * line, AHEAD * 64 * numbers);
        gather(x, at, other);
        sx += ALONG(0, other);
        sy += ALONG(1, other);
        sz += ALONG(2, other);
        scatter(y, at, ACROSS(0, mine), ACROSS(1, mine), ACROSS(2, mine));
      }
      scatter(y, own, sx, sy, sz);
    }
}

void QUICK_NAME(quick_multiply_six)(uint32_t slices, const uint32_t *starts, const uint32_t *places,
                                    const float *values, const float *x, float *y) {
  FLUSH_SMALL;
  multiply(slices, starts, places, values, 6, x, y);
  KEEP_SMALL;
}

void QUICK_NAME(quick_multiply_nine)(uint32_t slices, const uint32_t *starts, const uint32_t *places,
                                     const float *values, const float *x, float *y) {
  FLUSH_SMALL;
  multiply(slices, starts, places, values, 9, x, y);
  KEEP_SMALL;
}

typedef double four __attribute__((vector_size(32)));
typedef double four_stored __attribute__((vector_size(32), aligned(8), may_alias));

LANES_IN row narrow(const double *p, double by) {
  return __builtin_convertvector(*(const four_stored *)p * by, row);
}

// Of four blocks the numbers `first` and the three behind, side by side.
LANES_IN void fill_four(const double *const from[4], unsigned long first, double by, float *to) {
  const row a = narrow(from[0] + first, by), b = narrow(from[1] + first, by), c = narrow(from[2] + first, by),
            d = narrow(from[3] + first, by);
  const row ab0 = __builtin_shufflevector(a, b, 0, 4, 1, 5), ab1 = __builtin_shufflevector(a, b, 2, 6, 3, 7);
  const row cd0 = __builtin_shufflevector(c, d, 0, 4, 1, 5), cd1 = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  *(row_stored *)to = __builtin_shufflevector(ab0, cd0, 0, 1, 4, 5);
  *(row_stored *)(to + QUICK_ROWS) = __builtin_shufflevector(ab0, cd0, 2, 3, 6, 7);
  *(row_stored *)(to + 2ul * QUICK_ROWS) = __builtin_shufflevector(ab1, cd1, 0, 1, 4, 5);
  *(row_stored *)(to + 3ul * QUICK_ROWS) = __builtin_shufflevector(ab1, cd1, 2, 3, 6, 7);
}

LANES_IN void find_four(const uint32_t *sources, const double *blocks, const double *from[4]) {
  static const double nothing[9] = {0};
  for (int k = 0; k < 4; k++) from[k] = sources[k] == QUICK_NONE ? nothing : blocks + 9 * (unsigned long)sources[k];
}

void QUICK_NAME(quick_fill_nine)(const uint32_t *sources, const double *blocks, double by, float *values) {
  for (unsigned long lane = 0; lane < QUICK_ROWS; lane += 4) {
    const double *from[4];
    find_four(sources + lane, blocks, from);
    fill_four(from, 0, by, values + lane);
    fill_four(from, 4, by, values + 4ul * QUICK_ROWS + lane);
    for (unsigned long k = 0; k < 4; k++) values[8ul * QUICK_ROWS + lane + k] = (float)(by * from[k][8]);
  }
}

// The numbers 0 1 2 4 5 8 of a block; what comes of number 3 is written over.
void QUICK_NAME(quick_fill_six)(const uint32_t *sources, const double *blocks, double by, float *values) {
  for (unsigned long lane = 0; lane < QUICK_ROWS; lane += 4) {
    const double *from[4];
    find_four(sources + lane, blocks, from);
    fill_four(from, 0, by, values + lane);
    for (unsigned long k = 0; k < 4; k++) {
      float *to = values + lane + k;
      to[3ul * QUICK_ROWS] = (float)(by * from[k][4]);
      to[4ul * QUICK_ROWS] = (float)(by * from[k][5]);
      to[5ul * QUICK_ROWS] = (float)(by * from[k][8]);
    }
  }
}

// Sums have sixteen lanes, whatever the registers.
LANES_IN double add_lanes(const wide sums[PARTS]) {
  double each[16], sum = 0;
  for (int k = 0; k < 16; k++) each[k] = (double)sums[k / WIDE][k % WIDE];
  for (int k = 0; k < 4; k++) sum += (each[k] + each[k + 4]) + (each[k + 8] + each[k + 12]);
  return sum;
}

double QUICK_NAME(quick_dot)(unsigned long fours, const float *a, const float *b) {
  FLUSH_SMALL;
  wide sums[PARTS] = {{0}};
  for (; fours > 0; fours--, a += 16, b += 16)
    for (int k = 0; k < PARTS; k++) sums[k] = fused(load(a + k * WIDE), load(b + k * WIDE), sums[k]);
  const double sum = add_lanes(sums);
  KEEP_SMALL;
  return sum;
}

void QUICK_NAME(quick_descend)(unsigned long fours, float alpha, const float *restrict q, const float *restrict blocks,
                               float *restrict r, float *restrict z, double sums[2]) {
  FLUSH_SMALL;
  const wide by = all(-alpha);
  wide squares[PARTS] = {{0}}, slopes[PARTS] = {{0}};
  for (; fours > 0; fours--, q += 16, r += 16, z += 16, blocks += 48)
    for (int k = 0; k < PARTS; k++) {
      const float *block = blocks + k * WIDE;
      const wide a = fused(by, load(q + k * WIDE), load(r + k * WIDE));
      wide b = load(block) * __builtin_shufflevector(a, a, EACH(0));
      b = fused(load(block + 16), __builtin_shufflevector(a, a, EACH(1)), b);
      b = fused(load(block + 32), __builtin_shufflevector(a, a, EACH(2)), b);
      store(r + k * WIDE, a);
      store(z + k * WIDE, b);
      squares[k] = fused(a, a, squares[k]);
      slopes[k] = fused(a, b, slopes[k]);
    }
  sums[0] = add_lanes(squares);
  sums[1] = add_lanes(slopes);
  KEEP_SMALL;
}

void QUICK_NAME(quick_turn)(unsigned long fours, float alpha, float beta, const float *restrict z, float *restrict p,
                            float *restrict x) {
  FLUSH_SMALL;
  const wide a = all(alpha), b = all(beta);
  for (; fours > 0; fours--, z += 16, p += 16, x += 16)
    for (int k = 0; k < PARTS; k++) {
      const wide old = load(p + k * WIDE);
      store(x + k * WIDE, fused(a, old, load(x + k * WIDE)));
      store(p + k * WIDE, fused(b, old, load(z + k * WIDE)));
    }
  KEEP_SMALL;
}
