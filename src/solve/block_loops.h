// The loops of block_set.h for one instruction set. LOOP_NAME(name) gives its functions their names
// (cmake/loops.cmake).

#ifndef LOOP_NAME
#error "cmake/loops.cmake says how functions are called"
#endif

#include "rule/emit_lanes.h"
#include "solve/block_set.h"
#include "solve/blocks.h"
#include "solve/matrix.h"

enum { LANES = 8, BLOCK = 9 };

// Eight numbers of a block are one register, or two; the ninth goes alone.
#if CLV_WIDTH == 8
#include <immintrin.h>
enum { PIECES = 1, PIECE = 8 };
#define ONES -1, -1, -1, -1, -1, -1, -1, -1
#else
enum { PIECES = 2, PIECE = 4 };
#define ONES -1, -1, -1, -1
#endif
typedef double piece __attribute__((vector_size(8 * PIECE)));
typedef double piece_stored __attribute__((vector_size(8 * PIECE), aligned(8), may_alias));
typedef long long piece_mask __attribute__((vector_size(8 * PIECE)));

LANES_IN piece load(const double *p) {
  return *(const piece_stored *)p;
}

LANES_IN void store(double *p, piece a) {
  *(piece_stored *)p = a;
}

LANES_IN double *block_at(double *values, uint32_t target) {
  return values + BLOCK * (unsigned long)(target >> MATRIX_SHIFT);
}

// What is there before: nothing, where this is the first that comes. No branch: which one is first follows no rule.
static const piece_mask kept[2] = {{ONES}, {0}};
LANES_IN const piece_mask *keeping(uint32_t target, uint32_t first) {
  return kept + ((target & first) != 0);
}

LANES_IN double one_before(const double *to, const piece_mask *keep) {
  union {
    double number;
    long long bits;
  } one = {*to};
  one.bits &= (*keep)[0];
  return one.number;
}

LANES_IN piece before(const double *to, const piece_mask *keep) {
  return (piece)((piece_mask)load(to) & *keep);
}

// From numbers by entry to numbers by lane.
#if CLV_WIDTH == 8
#define PICK __builtin_shufflevector
LANES_IN void transpose(piece m[PIECE]) {
  piece a[8], b[8];
  for (int k = 0; k < 8; k += 2) {
    a[k] = PICK(m[k], m[k + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    a[k + 1] = PICK(m[k], m[k + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int k = 0; k < 8; k += 4)
    for (int e = 0; e < 2; e++) {
      b[k + e] = PICK(a[k + e], a[k + e + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      b[k + e + 2] = PICK(a[k + e], a[k + e + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  for (int k = 0; k < 4; k++) {
    m[k] = PICK(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    m[k + 4] = PICK(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
// The other side of the diagonal, where that is asked for.
static const piece_mask sides[2] = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 3, 6, 1, 4, 7, 2, 5}};
LANES_IN void turn(const piece *m, uint32_t turned, piece to[PIECES]) {
  to[0] = _mm512_permutexvar_pd((__m512i)sides[turned], m[0]);
}
#else
#define PICK __builtin_shufflevector
LANES_IN void transpose(piece m[PIECE]) {
  const piece a = PICK(m[0], m[1], 0, 4, 2, 6), b = PICK(m[0], m[1], 1, 5, 3, 7);
  const piece c = PICK(m[2], m[3], 0, 4, 2, 6), d = PICK(m[2], m[3], 1, 5, 3, 7);
  m[0] = PICK(a, c, 0, 1, 4, 5);
  m[1] = PICK(b, d, 0, 1, 4, 5);
  m[2] = PICK(a, c, 2, 3, 6, 7);
  m[3] = PICK(b, d, 2, 3, 6, 7);
}
LANES_IN void turn(const piece *m, uint32_t turned, piece to[PIECES]) {
  const piece_mask mask = kept[1 - turned];
  const piece low = PICK(m[0], m[PIECE], 0, 3, 6, 1), high = PICK(m[0], m[PIECE], 4, 7, 2, 5);
  to[0] = (piece)(((piece_mask)low & mask) | ((piece_mask)m[0] & ~mask));
  to[1] = (piece)(((piece_mask)high & mask) | ((piece_mask)m[PIECE] & ~mask));
}
#endif

// PIECE lanes of a batch, by lane: number k of lane l is in m[PIECE * (k / PIECE) + l][k % PIECE], the last one in
// last[l].
LANES_IN void take(const double *from, uint32_t n, double factor, piece m[BLOCK - 1], double last[PIECE]) {
  const piece by = (piece){0} + factor;
  for (uint32_t e = 0; e < BLOCK - 1; e++) m[e] = by * load(from + (unsigned long)(e % 3 * n + e / 3) * LANES);
  for (uint32_t h = 0; h < PIECES; h++) transpose(m + h * PIECE);
  store(last, by * load(from + (unsigned long)(2 * n + 2) * LANES));
  __asm__("" : "+m"(*(double(*)[PIECE])last)); // taking numbers out of a register costs more than loading them
}

// Lanes that are not many enough for a register, or whose two particles are one vertex: that block gets both sides.
static void scatter_lane(const double *from, uint32_t n, double factor, uint32_t target, uint32_t first,
                         double *values) {
  static const double nothing[BLOCK] = {0};
  double *to = block_at(values, target);
  const double *old = target & first ? nothing : to;
  const unsigned long row = target & MATRIX_TURNED ? LANES : (unsigned long)n * LANES;
  const unsigned long column = target & MATRIX_TURNED ? (unsigned long)n * LANES : LANES;
  for (unsigned long j = 0; j < 3; j++)
    for (unsigned long i = 0; i < 3; i++) to[3 * j + i] = old[3 * j + i] + factor * from[i * row + j * column];
  if (!(target & MATRIX_BOTH)) return;
  for (unsigned long j = 0; j < 3; j++)
    for (unsigned long i = 0; i < 3; i++) to[3 * j + i] += factor * from[j * row + i * column];
}

LANES_IN uint32_t flags_of(const uint32_t *targets) {
  uint32_t flags = 0;
  for (uint32_t l = 0; l < PIECE; l++) flags |= targets[l];
  return flags & MATRIX_FLAGS;
}

// A block gets more.
LANES_IN void add(double *to, const piece_mask *keep, const piece block[PIECES], double last) {
  const double old = one_before(to + BLOCK - 1, keep);
  for (uint32_t h = 0; h < PIECES; h++) store(to + h * PIECE, before(to + h * PIECE, keep) + block[h]);
  to[BLOCK - 1] = old + last;
}

void LOOP_NAME(block_scatter)(const double *from, uint32_t n, double factor, const uint32_t *targets, uint32_t count,
                              uint32_t first, double *values) {
  uint32_t done = 0;
  for (; done + PIECE <= count; done += PIECE, from += PIECE, targets += PIECE) {
    if (flags_of(targets) & MATRIX_BOTH) break;
    piece m[BLOCK - 1];
    double last[PIECE];
    take(from, n, factor, m, last);
    for (uint32_t l = 0; l < PIECE; l++) {
      double *to = block_at(values, targets[l]);
      piece block[PIECES];
      turn(m + l, targets[l] & MATRIX_TURNED, block);
      add(to, keeping(targets[l], first), block, last[l]);
    }
  }
  for (uint32_t l = 0; done + l < count; l++) scatter_lane(from + l, n, factor, targets[l], first, values);
}

// Symmetric blocks need no turning.
void LOOP_NAME(block_scatter_pairs)(const double *from, double factor, const uint32_t *const targets[3], uint32_t count,
                                    uint32_t first, double *values) {
  uint32_t done = 0;
  for (; done + PIECE <= count; done += PIECE, from += PIECE) {
    if (flags_of(targets[2] + done) & MATRIX_BOTH) break;
    piece m[BLOCK - 1];
    double last[PIECE];
    take(from, 3, factor, m, last);
    for (uint32_t l = 0; l < PIECE; l++) {
      piece block[PIECES], across[PIECES];
      for (uint32_t h = 0; h < PIECES; h++) {
        block[h] = m[h * PIECE + l];
        across[h] = -block[h];
      }
      for (int side = 0; side < 3; side++) {
        const uint32_t target = targets[side][done + l];
        add(block_at(values, target), keeping(target, first), side < 2 ? block : across, side < 2 ? last[l] : -last[l]);
      }
    }
  }
  for (uint32_t l = 0; done + l < count; l++)
    for (int side = 0; side < 3; side++)
      scatter_lane(from + l, 3, side < 2 ? factor : -factor, targets[side][done + l], first, values);
}

// Diagonals

LANES_IN void add_whole(const double *block, double sums[BLOCK], piece wide[PIECES]) {
  for (uint32_t h = 0; h < PIECES; h++) wide[h] += load(block + h * PIECE);
  sums[BLOCK - 1] += block[BLOCK - 1];
}

double LOOP_NAME(block_balance)(uint32_t first, uint32_t count, const block_rows *rows, double factor, double *values) {
  double largest = 0;
  for (uint32_t row = first; row < first + count; row++) {
    double upper[BLOCK] = {0}, lower[BLOCK] = {0}, all[BLOCK];
    double *to = values + BLOCK * (unsigned long)rows->starts[row];
    const double *end = values + BLOCK * (unsigned long)rows->starts[row + 1], mass = factor * rows->masses[row];
    piece above[PIECES] = {{0}}, below[PIECES] = {{0}};
    for (const double *block = to + BLOCK; block < end; block += BLOCK) add_whole(block, upper, above);
    for (uint32_t k = rows->lower_starts[row]; k < rows->lower_starts[row + 1]; k++)
      add_whole(values + BLOCK * (unsigned long)rows->lower[k], lower, below);
    for (uint32_t h = 0; h < PIECES; h++) {
      store(upper + h * PIECE, above[h]);
      store(lower + h * PIECE, below[h]);
    }
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) all[3 * j + i] = (i == j ? mass : 0) - (upper[3 * j + i] + lower[3 * i + j]);
    for (int j = 0; j < 3; j++)
      for (int i = 0; i < 3; i++) to[3 * j + i] = 0.5 * (all[3 * j + i] + all[3 * i + j]);
    for (int j = 0; j < 3; j++) largest = to[4 * j] > largest ? to[4 * j] : largest;
  }
  return largest;
}

// Preconditioners

// Without starts, blocks lie one behind the other.
LANES_IN const double *find(const double *blocks, const uint32_t *starts, uint32_t number) {
  return blocks + BLOCK * (unsigned long)(starts ? starts[number] : number);
}

void LOOP_NAME(block_invert_all)(uint32_t count, const double *blocks, const uint32_t *starts, const uint8_t *held,
                                 float *inverses) {
  enum { AHEAD = 16 };
  for (uint32_t first = 0; first < count; first += LANES, inverses += BLOCK * LANES) {
    const uint32_t here = count - first < LANES ? count - first : LANES;
    double m[BLOCK][LANES], half[6][LANES];
    uint64_t good[LANES];
    for (uint32_t l = 0; l < LANES; l++) {
      const double *block = find(blocks, starts, first + (l < here ? l : 0));
      if (first + l + AHEAD < count) lanes_ahead(find(blocks, starts, first + l + AHEAD), 0);
      for (int e = 0; e < BLOCK; e++) m[e][l] = block[e];
    }
    for (int l = 0; l < LANES; l++) {
      double one[6];
      good[l] = block_cofactors(m[0][l], m[1][l], m[2][l], m[4][l], m[5][l], m[8][l], one);
      for (int e = 0; e < 6; e++) half[e][l] = one[e];
    }
    for (uint32_t l = 0; l < here; l++) {
      double alone[BLOCK];
      float *to = inverses + BLOCK * l;
      const bool plain = !held[first + l] && good[l];
      if (!plain) block_precondition(find(blocks, starts, first + l), held[first + l], alone);
      for (int e = 0; e < BLOCK; e++) to[e] = (float)(plain ? half[block_half[e]][l] : alone[e]);
    }
  }
}

// Struts

LANES_IN piece larger(piece a, piece b) {
  const piece size = (piece)((piece_mask)b & INT64_MAX);
  const piece_mask mask = size > a;
  return (piece)(((piece_mask)size & mask) | ((piece_mask)a & ~mask));
}

static void take_lane(const double *from, double factor, double *record, double *largest) {
  static const int numbers[BLOCK_RECORD] = {0, 1, 2, -1, 4, 5, 8, -1};
  for (int k = 0; k < BLOCK_RECORD; k++) {
    record[k] = numbers[k] < 0 ? 0 : factor * from[numbers[k] * LANES];
    const double size = record[k] < 0 ? -record[k] : record[k];
    *largest = size > *largest ? size : *largest;
  }
}

void LOOP_NAME(block_take)(const double *from, double factor, uint32_t lanes_in, double *records,
                           double largest[LANES]) {
  const piece by = (piece){0} + factor, none = {0};
  uint32_t done = 0;
  for (; done + PIECE <= lanes_in; done += PIECE, from += PIECE) {
    piece m[BLOCK_RECORD] = {by * load(from),
                             by * load(from + LANES),
                             by * load(from + 2 * LANES),
                             none,
                             by * load(from + 4 * LANES),
                             by * load(from + 5 * LANES),
                             by * load(from + 8 * LANES),
                             none};
    piece most = load(largest + done);
    for (int k = 0; k < BLOCK_RECORD; k++) most = larger(most, m[k]);
    store(largest + done, most);
    for (uint32_t h = 0; h < PIECES; h++) transpose(m + h * PIECE);
    for (uint32_t l = 0; l < PIECE; l++)
      for (uint32_t h = 0; h < PIECES; h++)
        store(records + BLOCK_RECORD * (unsigned long)(done + l) + h * PIECE, m[h * PIECE + l]);
  }
  for (; done < lanes_in; done++, from++)
    take_lane(from, factor, records + BLOCK_RECORD * (unsigned long)done, largest + done);
  for (; done < LANES; done++)
    for (uint32_t h = 0; h < PIECES; h++) store(records + BLOCK_RECORD * (unsigned long)done + h * PIECE, none);
}

typedef double four __attribute__((vector_size(32)));
typedef double four_stored __attribute__((vector_size(32), aligned(8), may_alias));

LANES_IN four load_four(const double *p) {
  return *(const four_stored *)p;
}

LANES_IN void store_four(double *p, four a) {
  *(four_stored *)p = a;
}

void LOOP_NAME(block_pull)(uint32_t count, const uint32_t *ends, const double *records, const double *x, double *sums) {
  for (uint32_t k = 0; k < count; k++, ends += 2, records += BLOCK_RECORD) {
    const unsigned long own = BLOCK_ROW * (unsigned long)ends[0], other = BLOCK_ROW * (unsigned long)ends[1];
    const four apart = load_four(x + other) - load_four(x + own);
    const four first = load_four(records), rest = load_four(records + 4);
    const four second = PICK(first, rest, 1, 4, 5, 7), third = PICK(first, rest, 2, 5, 6, 7);
    const four pulled = (first * PICK(apart, apart, 0, 0, 0, 0) + second * PICK(apart, apart, 1, 1, 1, 1)) +
                        third * PICK(apart, apart, 2, 2, 2, 2);
    store_four(sums + own, load_four(sums + own) + pulled);
    store_four(sums + other, load_four(sums + other) - pulled);
  }
}
