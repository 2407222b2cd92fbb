// The loops of quick_set.h for one instruction set: sixteen rows at a time, in registers as wide as they are here.
//
// Each instruction set compiles this text by itself (cmake/loops.cmake), with the words of emit_lanes.h, and so has its
// own bits; they depend on nothing else. LOOP_NAME(name) gives its functions their names.

#ifndef LOOP_NAME
#error "cmake/loops.cmake says how functions are called"
#endif

#include "rule/emit_lanes.h"
#include "solve/blocks.h"
#include "solve/quick_set.h"

#if CLV_WIDTH == 8
#include <immintrin.h>
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

// A number that is used twice is loaded once: compilers think that loads cost nothing.
LANES_IN wide keep(wide a) {
#if WIDE > 4
  __asm__("" : "+v"(a));
#endif
  return a;
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

// Places are loaded two at a time: loads are what a product has most of.
#if WIDE > 4
typedef unsigned long two_places __attribute__((aligned(4), may_alias));
LANES_IN void load_places(const uint32_t *from, uint32_t *at) {
  for (int k = 0; k < WIDE; k += 2) {
    const unsigned long two = *(const two_places *)(from + k);
    at[k] = (uint32_t)two;
    at[k + 1] = (uint32_t)(two >> 32);
  }
}
#else
LANES_IN void load_places(const uint32_t *from, uint32_t *at) {
  for (int k = 0; k < WIDE; k++) at[k] = from[k];
}
#endif

LANES_IN void gather(const float *x, const uint32_t *places, wide to[3]) {
  uint32_t at[WIDE];
  load_places(places, at);
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

// Numbers by axis become rows: those of every fourth lane, from the first, the second, the third and the fourth on.
LANES_IN void by_rows(const wide s[3], wide to[4]) {
  const wide none = {0};
  const wide xy0 = __builtin_shufflevector(s[0], s[1], LOW), xy1 = __builtin_shufflevector(s[0], s[1], HIGH);
  const wide z0 = __builtin_shufflevector(s[2], none, LOW), z1 = __builtin_shufflevector(s[2], none, HIGH);
  to[0] = __builtin_shufflevector(xy0, z0, LOW_PAIRS);
  to[1] = __builtin_shufflevector(xy0, z0, HIGH_PAIRS);
  to[2] = __builtin_shufflevector(xy1, z1, LOW_PAIRS);
  to[3] = __builtin_shufflevector(xy1, z1, HIGH_PAIRS);
}

LANES_IN void scatter(float *y, const uint32_t *at, const wide s[3]) {
  wide rows[4];
  by_rows(s, rows);
  for (int k = 0; k < 4; k++) add_rows(y, at + k, rows[k]);
}

// Where entry (i, j) of a block is: all nine are kept, column by column, or those of a symmetric one.
#define NINE(i, j) (3 * (j) + (i))
#define SIX(i, j) ((i) < (j) ? (i) * (5 - (i)) / 2 + (j) : (j) * (5 - (j)) / 2 + (i))
#define ENTRY(i, j) load(m + QUICK_ROWS * (numbers == 6 ? SIX(i, j) : NINE(i, j)))
#define ALONG(i, x) fused(ENTRY(i, 2), (x)[2], fused(ENTRY(i, 1), (x)[1], ENTRY(i, 0) * (x)[0]))
#define ACROSS(j, x) fused(ENTRY(2, j), (x)[2], fused(ENTRY(1, j), (x)[1], ENTRY(0, j) * (x)[0]))

// PARTS: registers of sixteen lanes. AHEAD: slots that are asked for before their turn; a slot takes too many
// instructions for the processor to look ahead by itself.
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
      wide s[3] = {ALONG(0, mine), ALONG(1, mine), ALONG(2, mine)};
      for (uint32_t k = starts[slice] + 1; k < starts[slice + 1]; k++) {
        at += QUICK_ROWS;
        m += QUICK_ROWS * numbers;
        wide other[3];
        for (unsigned long line = 0; line < numbers; line += PARTS)
          lanes_ahead(m + QUICK_ROWS * line, AHEAD * 64 * numbers);
        gather(x, at, other);
        for (int i = 0; i < 3; i++) s[i] += ALONG(i, other);
        scatter(y, at, (const wide[3]){ACROSS(0, mine), ACROSS(1, mine), ACROSS(2, mine)});
      }
      scatter(y, own, s);
    }
}

void LOOP_NAME(quick_multiply_six)(uint32_t slices, const uint32_t *starts, const uint32_t *places, const float *values,
                                   const float *x, float *y) {
  FLUSH_SMALL;
  multiply(slices, starts, places, values, 6, x, y);
  KEEP_SMALL;
}

void LOOP_NAME(quick_multiply_nine)(uint32_t slices, const uint32_t *starts, const uint32_t *places,
                                    const float *values, const float *x, float *y) {
  FLUSH_SMALL;
  multiply(slices, starts, places, values, 9, x, y);
  KEEP_SMALL;
}

// Sums have sixteen lanes, whatever the registers.
LANES_IN double add_lanes(const wide sums[PARTS]) {
  double each[16], sum = 0;
  for (int k = 0; k < 16; k++) each[k] = (double)sums[k / WIDE][k % WIDE];
  for (int k = 0; k < 4; k++) sum += (each[k] + each[k + 4]) + (each[k + 8] + each[k + 12]);
  return sum;
}

// Where registers hold a group, columns are picked from the groups of a slot. Narrower ones are better off with rows.
#if WIDE == 16
LANES_IN void pick(const float *x, const quick_slot *slot, const quick_extra *extras, wide to[3]) {
  const __m512i from = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)slot->lanes));
  const float *first = x + slot->groups[0], *second = x + slot->groups[1];
  for (int axis = 0; axis < 3; axis++)
    to[axis] = _mm512_permutex2var_ps(load(first + 16 * axis), from, load(second + 16 * axis));
  for (const quick_extra *e = extras; e < extras + slot->extras; e++)
    for (int axis = 0; axis < 3; axis++)
      to[axis] = _mm512_mask_permutexvar_ps(to[axis], (__mmask16)e->lanes, from, load(x + e->group + 16 * axis));
}
#else
LANES_IN void list_rows(const float *x, uint32_t groups, float *rows) {
  for (uint32_t group = 0; group < groups; group++, x += QUICK_GROUP)
    for (int lane = 0; lane < 16; lane += WIDE, rows += 4 * WIDE) {
      wide to[4];
      by_rows((const wide[3]){load(x + lane), load(x + lane + 16), load(x + lane + 32)}, to);
      for (int k = 0; k < 4; k++)
        for (int e = 0; e < WIDE; e += 4)
          *(row_stored *)(rows + 4 * (k + e)) = (row){to[k][e], to[k][e + 1], to[k][e + 2], to[k][e + 3]};
    }
}
#endif

// Each column of a block has sums of its own: one that gets all three would wait for itself.
LANES_IN void add_whole_block(const float *m, const wide x[3], wide sums[3][3]) {
  enum { numbers = 6 };
  const wide xy = keep(ENTRY(0, 1)), xz = keep(ENTRY(0, 2)), yz = keep(ENTRY(1, 2));
  const wide block[3][3] = {{ENTRY(0, 0), xy, xz}, {xy, ENTRY(1, 1), yz}, {xz, yz, ENTRY(2, 2)}};
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) sums[j][i] = fused(block[j][i], x[j], sums[j][i]);
}

double LOOP_NAME(quick_multiply_whole)(uint32_t slices, const uint32_t *restrict starts,
                                       const quick_columns *restrict columns, const float *restrict values,
                                       const float *restrict x, float *restrict rows, float *restrict y) {
  FLUSH_SMALL;
  wide dots[PARTS] = {{0}};
#if WIDE == 16
  const quick_extra *extras = columns->extras;
  (void)rows;
#else
  list_rows(x, slices, rows);
#endif
  for (uint32_t slice = 0; slice < slices; slice++)
    for (uint32_t lane = 0; lane < QUICK_ROWS; lane += WIDE) {
      const unsigned long own = (unsigned long)QUICK_GROUP * slice + lane;
      const float *m = values + 6ul * QUICK_ROWS * starts[slice] + lane;
      const wide mine[3] = {load(x + own), load(x + own + 16), load(x + own + 32)};
      wide sums[3][3] = {{{0}}};
      add_whole_block(m, mine, sums);
      for (uint32_t slot = starts[slice] + 1; slot < starts[slice + 1]; slot++) {
        wide other[3];
        m += 6 * QUICK_ROWS;
#if WIDE == 16
        pick(x, columns->slots + slot, extras, other);
        extras += columns->slots[slot].extras;
#else
        gather(rows, columns->places + (unsigned long)QUICK_ROWS * slot + lane, other);
#endif
        add_whole_block(m, other, sums);
      }
      for (int i = 0; i < 3; i++) {
        const wide sum = sums[0][i] + sums[1][i] + sums[2][i];
        store(y + own + 16 * i, sum);
        dots[lane / WIDE] = fused(mine[i], sum, dots[lane / WIDE]);
      }
    }
  const double dot = add_lanes(dots);
  KEEP_SMALL;
  return dot;
}

typedef double eight __attribute__((vector_size(64)));
typedef double eight_stored __attribute__((vector_size(64), aligned(8), may_alias));
typedef float eight_floats __attribute__((vector_size(32)));
typedef float eight_floats_stored __attribute__((vector_size(32), aligned(4), may_alias));

LANES_IN eight_floats narrow(const double *p, double by) {
  return __builtin_convertvector(*(const eight_stored *)p * by, eight_floats);
}

// Of four vectors the numbers 0, 1, 2 and 3 side by side, and 4, 5, 6 and 7.
LANES_IN void turn_four(const eight_floats from[4], eight_floats to[4]) {
  const eight_floats a = __builtin_shufflevector(from[0], from[1], 0, 8, 1, 9, 4, 12, 5, 13);
  const eight_floats b = __builtin_shufflevector(from[2], from[3], 0, 8, 1, 9, 4, 12, 5, 13);
  const eight_floats c = __builtin_shufflevector(from[0], from[1], 2, 10, 3, 11, 6, 14, 7, 15);
  const eight_floats d = __builtin_shufflevector(from[2], from[3], 2, 10, 3, 11, 6, 14, 7, 15);
  to[0] = __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
  to[1] = __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
  to[2] = __builtin_shufflevector(c, d, 0, 1, 8, 9, 4, 5, 12, 13);
  to[3] = __builtin_shufflevector(c, d, 2, 3, 10, 11, 6, 7, 14, 15);
}

// Of eight blocks, whose numbers are at blocks + size * source, the first eight numbers, each by lanes.
LANES_IN void take_eight(const uint32_t *sources, const double *blocks, unsigned long size, double by,
                         eight_floats to[8]) {
  static const double nothing[9] = {0};
  eight_floats from[8], low[4], high[4];
  for (int k = 0; k < 8; k++) from[k] = narrow(sources[k] == QUICK_NONE ? nothing : blocks + size * sources[k], by);
  turn_four(from, low);
  turn_four(from + 4, high);
  for (int k = 0; k < 4; k++) {
    to[k] = __builtin_shufflevector(low[k], high[k], 0, 1, 2, 3, 8, 9, 10, 11);
    to[k + 4] = __builtin_shufflevector(low[k], high[k], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}

// Number k becomes line lines[k], if any.
LANES_IN void fill_eight(const uint32_t *sources, const double *blocks, double by, const int lines[8], float *to) {
  eight_floats numbers[8];
  take_eight(sources, blocks, 9, by, numbers);
  for (int k = 0; k < 8; k++)
    if (lines[k] >= 0) *(eight_floats_stored *)(to + QUICK_ROWS * lines[k]) = numbers[k];
}

// The last number of nine.
LANES_IN void fill_last(const uint32_t *sources, const double *blocks, double by, float *to) {
  for (int k = 0; k < 8; k++)
    to[k] = sources[k] == QUICK_NONE ? 0 : (float)(by * blocks[9 * (unsigned long)sources[k] + 8]);
}

void LOOP_NAME(quick_fill_nine)(const uint32_t *sources, const double *blocks, double by, float *values) {
  static const int lines[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int lane = 0; lane < QUICK_ROWS; lane += 8) {
    fill_eight(sources + lane, blocks, by, lines, values + lane);
    fill_last(sources + lane, blocks, by, values + 8 * QUICK_ROWS + lane);
  }
}

// The numbers 0 1 2 4 5 8 of a block.
void LOOP_NAME(quick_fill_six)(const uint32_t *sources, const double *blocks, double by, float *values) {
  static const int lines[8] = {0, 1, 2, -1, 3, 4, -1, -1};
  for (int lane = 0; lane < QUICK_ROWS; lane += 8) {
    fill_eight(sources + lane, blocks, by, lines, values + lane);
    fill_last(sources + lane, blocks, by, values + 5 * QUICK_ROWS + lane);
  }
}

// Records of struts have eight numbers, of which those at 3 and 7 are 0.
void LOOP_NAME(quick_fill_whole)(uint32_t slots, const uint32_t *sources, const double *records, double by,
                                 float *values) {
  static const int places[6] = {0, 1, 2, 4, 5, 6};
  for (unsigned long lane = 0; lane < QUICK_ROWS; lane += 8) {
    eight_floats left[6];
    for (unsigned long k = 0; k < 6; k++) left[k] = *(eight_floats_stored *)(values + QUICK_ROWS * k + lane);
    for (unsigned long slot = 0; slot < slots; slot++) {
      eight_floats numbers[8];
      take_eight(sources + QUICK_ROWS * slot + lane, records, 8, by, numbers);
      for (unsigned long k = 0; k < 6; k++) {
        *(eight_floats_stored *)(values + QUICK_ROWS * (6 * (slot + 1) + k) + lane) = numbers[places[k]];
        left[k] -= numbers[places[k]];
      }
    }
    for (unsigned long k = 0; k < 6; k++) *(eight_floats_stored *)(values + QUICK_ROWS * k + lane) = left[k];
  }
}

uint32_t LOOP_NAME(quick_invert_group)(const float *blocks, float *inverses) {
  double half[6][QUICK_ROWS];
  uint32_t good[QUICK_ROWS], bits = 0;
  for (int l = 0; l < QUICK_ROWS; l++) {
    double one[6], m[6];
    for (int e = 0; e < 6; e++) m[e] = (double)blocks[QUICK_ROWS * e + l];
    good[l] = block_cofactors(m[0], m[1], m[2], m[3], m[4], m[5], one);
    for (int e = 0; e < 6; e++) half[e][l] = one[e];
  }
  for (int l = 0; l < QUICK_ROWS; l++) bits |= good[l] << l;
  for (int e = 0; e < 6; e++)
    for (int l = 0; l < QUICK_ROWS; l++) inverses[QUICK_ROWS * e + l] = (float)half[e][l];
  return bits;
}

double LOOP_NAME(quick_dot)(unsigned long lines, const float *a, const float *b) {
  FLUSH_SMALL;
  wide sums[PARTS] = {{0}};
  for (; lines > 0; lines--, a += 16, b += 16)
    for (int k = 0; k < PARTS; k++) sums[k] = fused(load(a + k * WIDE), load(b + k * WIDE), sums[k]);
  const double sum = add_lanes(sums);
  KEEP_SMALL;
  return sum;
}

void LOOP_NAME(quick_descend)(unsigned long lines, float alpha, const float *restrict q, const float *restrict blocks,
                              float *restrict r, float *restrict z, double sums[2]) {
  FLUSH_SMALL;
  const wide by = all(-alpha);
  wide squares[PARTS] = {{0}}, slopes[PARTS] = {{0}};
  for (; lines > 0; lines--, q += 16, r += 16, z += 16, blocks += 48)
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

void LOOP_NAME(quick_descend_groups)(unsigned long groups, float alpha, const float *restrict q,
                                     const float *restrict blocks, float *restrict r, float *restrict z,
                                     double sums[2]) {
  FLUSH_SMALL;
  enum { numbers = 6 };
  const wide by = all(-alpha);
  wide squares[PARTS] = {{0}}, slopes[PARTS] = {{0}};
  for (; groups > 0; groups--, q += QUICK_GROUP, r += QUICK_GROUP, z += QUICK_GROUP, blocks += 2 * QUICK_GROUP)
    for (int k = 0; k < PARTS; k++) {
      const float *m = blocks + k * WIDE;
      wide a[3];
      for (int i = 0; i < 3; i++) {
        const int at = 16 * i + k * WIDE;
        a[i] = fused(by, load(q + at), load(r + at));
        store(r + at, a[i]);
        squares[k] = fused(a[i], a[i], squares[k]);
      }
      for (int i = 0; i < 3; i++) {
        const wide b = ALONG(i, a);
        store(z + 16 * i + k * WIDE, b);
        slopes[k] = fused(a[i], b, slopes[k]);
      }
    }
  sums[0] = add_lanes(squares);
  sums[1] = add_lanes(slopes);
  KEEP_SMALL;
}

void LOOP_NAME(quick_turn)(unsigned long lines, float alpha, float beta, const float *restrict z, float *restrict p,
                           float *restrict x) {
  FLUSH_SMALL;
  const wide a = all(alpha), b = all(beta);
  for (; lines > 0; lines--, z += 16, p += 16, x += 16)
    for (int k = 0; k < PARTS; k++) {
      const wide old = load(p + k * WIDE);
      store(x + k * WIDE, fused(a, old, load(x + k * WIDE)));
      store(p + k * WIDE, fused(b, old, load(z + k * WIDE)));
    }
  KEEP_SMALL;
}
