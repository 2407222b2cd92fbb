#include "solve/wide.h"

#include "rule/native.h"

enum { LANES = 8 };

typedef CLV_VECTOR(double, 4) four;

CLV_INLINE four load_four(const double *p) {
  four v;
  memcpy(&v, p, sizeof v);
  return v;
}

CLV_INLINE void store_four(double *p, four v) {
  memcpy(p, &v, sizeof v);
}

CLV_INLINE four all_four(double a) {
  return (four){a, a, a, a};
}

CLV_INLINE double add_lanes(const double s[LANES]) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

CLV_INLINE double dot(const double *restrict a, const double *restrict b, size_t count) {
  four low = {0}, high = {0};
  size_t k = 0;
  for (; k + LANES <= count; k += LANES) {
    low += load_four(a + k) * load_four(b + k);
    high += load_four(a + k + 4) * load_four(b + k + 4);
  }
  double sums[LANES];
  store_four(sums, low);
  store_four(sums + 4, high);
  for (size_t l = 0; k + l < count; l++) sums[l] += a[k + l] * b[k + l];
  return add_lanes(sums);
}

CLV_INLINE void descend(size_t count, double alpha, const double *restrict q, double *restrict r, double sums[2]) {
  const four by = all_four(alpha);
  four low = {0}, high = {0};
  size_t k = 0;
  for (; k + LANES <= count; k += LANES) {
    const four a = load_four(r + k) - by * load_four(q + k), b = load_four(r + k + 4) - by * load_four(q + k + 4);
    store_four(r + k, a);
    store_four(r + k + 4, b);
    low += a * a;
    high += b * b;
  }
  double squares[LANES];
  store_four(squares, low);
  store_four(squares + 4, high);
  for (size_t l = 0; k + l < count; l++) {
    r[k + l] -= alpha * q[k + l];
    squares[l] += r[k + l] * r[k + l];
  }
  sums[0] = add_lanes(squares);
  sums[1] = 0;
}

typedef CLV_VECTOR(float, 4) four_floats;

CLV_INLINE four load_floats(const float *p) {
  four_floats v;
  memcpy(&v, p, sizeof v);
  return __builtin_convertvector(v, four);
}

#define SPREAD(v, lane) __builtin_shufflevector(v, v, lane, lane, lane, lane)

// A block times a vector; the fourth lane is anything.
CLV_INLINE four times(const float *block, four x, four y, four z) {
  return (load_floats(block) * x + load_floats(block + 3) * y) + load_floats(block + 6) * z;
}

// Four rows at a time are three registers.
CLV_INLINE void descend_blocks(size_t rows, double alpha, const double *restrict q, const float *restrict blocks,
                               double *restrict r, double *restrict z, double sums[2]) {
  const four by = all_four(alpha);
  four squares[3] = {{0}}, slopes[3] = {{0}};
  size_t row = 0;
  for (; row + 4 <= rows; row += 4, q += 12, r += 12, z += 12, blocks += 4 * (size_t)WIDE_BLOCK) {
    const four a = load_four(r) - by * load_four(q), b = load_four(r + 4) - by * load_four(q + 4),
               c = load_four(r + 8) - by * load_four(q + 8);
    const four first = times(blocks, SPREAD(a, 0), SPREAD(a, 1), SPREAD(a, 2));
    const four second = times(blocks + WIDE_BLOCK, SPREAD(a, 3), SPREAD(b, 0), SPREAD(b, 1));
    const four third = times(blocks + 2 * (size_t)WIDE_BLOCK, SPREAD(b, 2), SPREAD(b, 3), SPREAD(c, 0));
    const four fourth = times(blocks + 3 * (size_t)WIDE_BLOCK, SPREAD(c, 1), SPREAD(c, 2), SPREAD(c, 3));
    const four d = __builtin_shufflevector(first, second, 0, 1, 2, 4);
    const four e = __builtin_shufflevector(second, third, 1, 2, 4, 5);
    const four f = __builtin_shufflevector(third, fourth, 2, 4, 5, 6);
    store_four(r, a);
    store_four(r + 4, b);
    store_four(r + 8, c);
    store_four(z, d);
    store_four(z + 4, e);
    store_four(z + 8, f);
    squares[0] += a * a;
    squares[1] += b * b;
    squares[2] += c * c;
    slopes[0] += a * d;
    slopes[1] += b * e;
    slopes[2] += c * f;
  }
  double square[4], slope[4];
  store_four(square, (squares[0] + squares[1]) + squares[2]);
  store_four(slope, (slopes[0] + slopes[1]) + slopes[2]);
  for (; row < rows; row++, q += 3, r += 3, z += 3, blocks += WIDE_BLOCK) {
    for (size_t l = 0; l < 3; l++) r[l] -= alpha * q[l];
    for (size_t l = 0; l < 3; l++) {
      z[l] = ((double)blocks[l] * r[0] + (double)blocks[3 + l] * r[1]) + (double)blocks[6 + l] * r[2];
      square[l] += r[l] * r[l];
      slope[l] += r[l] * z[l];
    }
  }
  sums[0] = (square[0] + square[1]) + (square[2] + square[3]);
  sums[1] = (slope[0] + slope[1]) + (slope[2] + slope[3]);
}

CLV_INLINE void turn(size_t count, double alpha, double beta, const double *restrict z, double *restrict p,
                     double *restrict x) {
  const four a = all_four(alpha), b = all_four(beta);
  size_t k = 0;
  for (; k + 4 <= count; k += 4) {
    const four old = load_four(p + k);
    store_four(x + k, load_four(x + k) + a * old);
    store_four(p + k, load_four(z + k) + b * old);
  }
  for (; k < count; k++) {
    x[k] += alpha * p[k];
    p[k] = z[k] + beta * p[k];
  }
}

CLV_INLINE void spread(const double *restrict from, size_t rows, double *restrict to) {
  for (size_t row = 0; row < rows; row++) {
    const four v = {from[3 * row], from[3 * row + 1], from[3 * row + 2], 0};
    store_four(to + 4 * row, v);
  }
}

CLV_INLINE void join(const double *restrict from, size_t rows, double *restrict to) {
  size_t row = 0;
  for (; row + 1 < rows; row++) store_four(to + 3 * row, load_four(from + 4 * row));
  for (; row < rows; row++)
    for (size_t l = 0; l < 3; l++) to[3 * row + l] = from[4 * row + l];
}

// The sums of a, b and c, whose fourth lanes are 0; the fourth lane of the result is anything.
CLV_INLINE four sum_each(four a, four b, four c) {
  const four ab = __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const four cc = c + __builtin_shufflevector(c, c, 1, 0, 3, 2);
  return __builtin_shufflevector(ab, cc, 0, 1, 4, 5) + __builtin_shufflevector(ab, cc, 2, 3, 6, 7);
}

// Blocks stream in faster than the processor looks ahead by itself: each takes too many instructions.
enum { AHEAD = 512 };

CLV_INLINE void multiply(size_t rows, const uint32_t *restrict starts, const uint32_t *restrict places,
                         const double *restrict values, const double *restrict x, double *restrict sums) {
  for (size_t row = 0; row < rows; row++) {
    const double *own = x + 4 * row;
    const uint32_t first = starts[row], end = starts[row + 1];
    const double *a = values + 9 * (size_t)first;
    const four mine = load_four(own);
    four sum =
        (load_four(a) * all_four(own[0]) + load_four(a + 3) * all_four(own[1])) + load_four(a + 6) * all_four(own[2]);
    a += 9;
    for (uint32_t block = first + 1; block < end; block++, a += 9) {
      const size_t at = 4 * (size_t)places[block];
      const four c0 = load_four(a), c1 = load_four(a + 3), c2 = load_four(a + 6);
      const double *other = x + at;
      __builtin_prefetch(a + AHEAD);
      __builtin_prefetch(a + AHEAD + 8);
      sum += (c0 * all_four(other[0]) + c1 * all_four(other[1])) + c2 * all_four(other[2]);
      store_four(sums + at, load_four(sums + at) + sum_each(c0 * mine, c1 * mine, c2 * mine));
    }
    store_four(sums + 4 * row, load_four(sums + 4 * row) + sum);
  }
}

CLV_INLINE void store_three(double *p, four v) {
  p[0] = v[0];
  p[1] = v[1];
  p[2] = v[2];
}

CLV_INLINE four load_three(const double *p) {
  return (four){p[0], p[1], p[2], 0};
}

CLV_INLINE void solve_factor(size_t rows, const uint32_t *restrict starts, const uint32_t *restrict columns,
                             const float *restrict upper, const float *restrict inverses, const double *restrict x,
                             double *restrict out) {
  memcpy(out, x, 3 * rows * sizeof *out);
  for (size_t row = 0; row < rows; row++) {
    double *own = out + 3 * row;
    const four mine = load_three(own);
    for (uint32_t block = starts[row] + 1; block < starts[row + 1]; block++) {
      const float *u = upper + 9 * (size_t)block;
      double *other = out + 3 * (size_t)columns[block];
      const four sum = sum_each(load_floats(u) * mine, load_floats(u + 3) * mine, load_floats(u + 6) * mine);
      store_three(other, load_three(other) - sum);
    }
    store_three(own, times(inverses + 9 * row, all_four(mine[0]), all_four(mine[1]), all_four(mine[2])));
  }
  for (size_t row = rows; row-- > 0;) {
    double *own = out + 3 * row;
    four mine = load_three(own);
    for (uint32_t block = starts[row] + 1; block < starts[row + 1]; block++) {
      const double *other = out + 3 * (size_t)columns[block];
      mine -= times(upper + 9 * (size_t)block, all_four(other[0]), all_four(other[1]), all_four(other[2]));
    }
    store_three(own, mine);
  }
}

#define FOR_plain
#define FOR_avx2 CLV_FOR_AVX2
#define WIDE_SET(name)                                                                                                 \
  FOR_##name static double dot_##name(const double *a, const double *b, size_t count) {                                \
    return dot(a, b, count);                                                                                           \
  }                                                                                                                    \
  FOR_##name static void descend_blocks_##name(size_t rows, double alpha, const double *q, const float *blocks,        \
                                               double *r, double *z, double sums[2]) {                                 \
    descend_blocks(rows, alpha, q, blocks, r, z, sums);                                                                \
  }                                                                                                                    \
  FOR_##name static void descend_##name(size_t count, double alpha, const double *q, double *r, double sums[2]) {      \
    descend(count, alpha, q, r, sums);                                                                                 \
  }                                                                                                                    \
  FOR_##name static void turn_##name(size_t count, double alpha, double beta, const double *z, double *p, double *x) { \
    turn(count, alpha, beta, z, p, x);                                                                                 \
  }                                                                                                                    \
  FOR_##name static void spread_##name(const double *from, size_t rows, double *to) {                                  \
    spread(from, rows, to);                                                                                            \
  }                                                                                                                    \
  FOR_##name static void join_##name(const double *from, size_t rows, double *to) {                                    \
    join(from, rows, to);                                                                                              \
  }                                                                                                                    \
  FOR_##name static void multiply_##name(size_t rows, const uint32_t *starts, const uint32_t *places,                  \
                                         const double *values, const double *x, double *sums) {                        \
    multiply(rows, starts, places, values, x, sums);                                                                   \
  }                                                                                                                    \
  FOR_##name static void solve_factor_##name(size_t rows, const uint32_t *starts, const uint32_t *columns,             \
                                             const float *upper, const float *inverses, const double *x,               \
                                             double *out) {                                                            \
    solve_factor(rows, starts, columns, upper, inverses, x, out);                                                      \
  }                                                                                                                    \
  static const wide_loops loops_##name = {dot_##name,    descend_blocks_##name, descend_##name,  turn_##name,          \
                                          spread_##name, join_##name,           multiply_##name, solve_factor_##name};

WIDE_SET(plain)
WIDE_SET(avx2)

const wide_loops *wide_plain(void) {
  return &loops_plain;
}

const wide_loops *wide_best(void) {
  return native_isa_here(NATIVE_AVX2) ? &loops_avx2 : &loops_plain;
}
