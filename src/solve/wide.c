#include "solve/wide.h"

enum { LANES = 8 };

static double add_lanes(const double s[LANES]) {
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

static double dot(const double *restrict a, const double *restrict b, size_t count) {
  double sums[LANES] = {0};
  size_t k = 0;
  for (; k + LANES <= count; k += LANES)
    for (size_t l = 0; l < LANES; l++) sums[l] += a[k + l] * b[k + l];
  for (size_t l = 0; k + l < count; l++) sums[l] += a[k + l] * b[k + l];
  return add_lanes(sums);
}

static void descend(size_t count, double alpha, const double *restrict q, double *restrict r, double sums[2]) {
  double squares[LANES] = {0};
  size_t k = 0;
  for (; k + LANES <= count; k += LANES)
    for (size_t l = 0; l < LANES; l++) {
      const double next = r[k + l] - alpha * q[k + l];
      r[k + l] = next;
      squares[l] += next * next;
    }
  for (size_t l = 0; k + l < count; l++) {
    const double next = r[k + l] - alpha * q[k + l];
    r[k + l] = next;
    squares[l] += next * next;
  }
  sums[0] = add_lanes(squares);
  sums[1] = 0;
}

static void descend_blocks(size_t rows, double alpha, const double *restrict q, const float *restrict blocks,
                           double *restrict r, double *restrict z, double sums[2]) {
  double squares[3] = {0}, slopes[3] = {0};
  for (size_t row = 0; row < rows; row++, q += 3, blocks += WIDE_BLOCK, r += 3, z += 3) {
    double next[3], turned[3];
    for (size_t l = 0; l < 3; l++) next[l] = r[l] - alpha * q[l];
    for (size_t l = 0; l < 3; l++)
      turned[l] = ((double)blocks[l] * next[0] + (double)blocks[3 + l] * next[1]) + (double)blocks[6 + l] * next[2];
    for (size_t l = 0; l < 3; l++) {
      r[l] = next[l];
      z[l] = turned[l];
      squares[l] += next[l] * next[l];
      slopes[l] += next[l] * turned[l];
    }
  }
  sums[0] = squares[0] + squares[1] + squares[2];
  sums[1] = slopes[0] + slopes[1] + slopes[2];
}

static void turn(size_t count, double alpha, double beta, const double *restrict z, double *restrict p,
                 double *restrict x) {
  for (size_t k = 0; k < count; k++) {
    x[k] += alpha * p[k];
    p[k] = z[k] + beta * p[k];
  }
}

const wide_loops *wide_best(void) {
  static const wide_loops loops = {dot, descend_blocks, descend, turn};
  return &loops;
}
