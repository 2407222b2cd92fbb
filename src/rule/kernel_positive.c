// Positive matrices: the part of a symmetric matrix that belongs to negative eigenvalues is taken away, or
// turned over.
//
// Eigenvalues come from cyclic Jacobi sweeps, some lanes at a time in lockstep. A lane whose matrix is diagonal is
// turned by angle 0 from then on, which changes no bit: its result does not depend on its neighbours. The result is the
// sum of the eigenvalues that are wanted times squares, so it is positive within its own rounding; a matrix without
// negative eigenvalues is not touched.

#include "rule/kernel.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum { GROUP = 4, SWEEPS = 40 };

// `lanes` is 1 or GROUP wherever these are called, so the loops over lanes unroll; entry e of lane l is at [e * lanes +
// l].

static inline uint32_t entry(uint32_t row, uint32_t column, uint32_t n) {
  return row < column ? row * n + column : column * n + row;
}

// Scales by the largest entry, so that squares neither vanish nor overflow.
static inline void scale_down(double *a, uint32_t n, double *size, const uint32_t lanes) {
  for (uint32_t l = 0; l < lanes; l++) size[l] = 0;
  for (uint32_t e = 0; e < n * n; e++)
    for (uint32_t l = 0; l < lanes; l++) size[l] = size[l] < fabs(a[e * lanes + l]) ? fabs(a[e * lanes + l]) : size[l];
  for (uint32_t l = 0; l < lanes; l++) size[l] = size[l] < DBL_MIN ? 1 : size[l];
  for (uint32_t e = 0; e < n * n; e++)
    for (uint32_t l = 0; l < lanes; l++) a[e * lanes + l] /= size[l];
}

// Which lanes still have something off the diagonal. With entries of at most 1, less than 1e-17 is nothing. NaN is
// something: it spreads, and the matrix stays as it is.
static inline bool look(const double *a, uint32_t n, double *busy, const uint32_t lanes) {
  double off[GROUP] = {0};
  bool any = false;
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t column = row + 1; column < n; column++)
      for (uint32_t l = 0; l < lanes; l++) {
        const double x = a[(row * n + column) * lanes + l];
        off[l] += x * x;
      }
  for (uint32_t l = 0; l < lanes; l++) {
    busy[l] = off[l] <= 1e-34 ? 0 : 1;
    any = any || busy[l] != 0;
  }
  return any;
}

static inline void turn(double *x, double *y, const double *cosine, const double *sine, const uint32_t lanes) {
  for (uint32_t l = 0; l < lanes; l++) {
    const double a = x[l], b = y[l];
    x[l] = cosine[l] * a - sine[l] * b;
    y[l] = sine[l] * a + cosine[l] * b;
  }
}

// Turns rows and columns p and q so that their common entry becomes 0; v collects the turns, column by column.
static inline void rotate(double *a, double *v, uint32_t n, uint32_t p, uint32_t q, const double *busy,
                          const uint32_t lanes) {
  double cosine[GROUP], sine[GROUP];
  double *pp = a + (p * n + p) * lanes, *qq = a + (q * n + q) * lanes, *pq = a + (p * n + q) * lanes;
  for (uint32_t l = 0; l < lanes; l++) {
    const double d = qq[l] - pp[l], b = 2 * pq[l], h = sqrt(d * d + b * b + DBL_MIN);
    const double t = busy[l] * copysign(1, d) * b / (fabs(d) + h);
    cosine[l] = 1 / sqrt(1 + t * t);
    sine[l] = t * cosine[l];
    pp[l] -= t * pq[l];
    qq[l] += t * pq[l];
    pq[l] = busy[l] != 0 ? 0 : pq[l];
  }
  for (uint32_t r = 0; r < n; r++) {
    if (r != p && r != q) turn(a + entry(r, p, n) * lanes, a + entry(r, q, n) * lanes, cosine, sine, lanes);
    turn(v + (p * n + r) * lanes, v + (q * n + r) * lanes, cosine, sine, lanes);
  }
}

static inline void diagonalise(double *a, double *v, uint32_t n, const uint32_t lanes) {
  double busy[GROUP];
  for (uint32_t e = 0; e < n * n; e++)
    for (uint32_t l = 0; l < lanes; l++) v[e * lanes + l] = e % (n + 1) == 0;
  for (uint32_t sweep = 0; sweep < SWEEPS && look(a, n, busy, lanes); sweep++)
    for (uint32_t p = 0; p < n; p++)
      for (uint32_t q = p + 1; q < n; q++) rotate(a, v, n, p, q, busy, lanes);
}

// The sum of eigenvalues times squares of eigenvectors.
static inline void compose(double *a, const double *values, const double *v, uint32_t n, const uint32_t lanes) {
  for (uint32_t e = 0; e < n * n * lanes; e++) a[e] = 0;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t row = 0; row < n; row++)
      for (uint32_t column = 0; column < n; column++) {
        const double *x = v + (k * n + row) * lanes, *y = v + (k * n + column) * lanes;
        double *to = a + (row * n + column) * lanes;
        for (uint32_t l = 0; l < lanes; l++) to[l] += values[k * lanes + l] * (x[l] * y[l]);
      }
}

static inline void make_positive(double *matrix, uint32_t n, uint32_t stride, law_psd psd, double *a, double *v,
                                 const uint32_t lanes) {
  double size[GROUP], values[KERNEL_AXES * GROUP];
  bool negative[GROUP] = {false}, any = false;
  for (uint32_t e = 0; e < n * n; e++)
    for (uint32_t l = 0; l < lanes; l++) a[e * lanes + l] = matrix[e * stride + l];
  scale_down(a, n, size, lanes);
  diagonalise(a, v, n, lanes);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t l = 0; l < lanes; l++) {
      const double value = a[(k * n + k) * lanes + l];
      const double other = psd == LAW_PSD_ABS ? -value : 0;
      negative[l] = negative[l] || value < 0;
      any = any || value < 0;
      values[k * lanes + l] = (value < 0 ? other : value) * size[l];
    }
  if (!any) return;
  compose(a, values, v, n, lanes);
  for (uint32_t e = 0; e < n * n; e++)
    for (uint32_t l = 0; l < lanes; l++)
      if (negative[l]) matrix[e * stride + l] = a[e * lanes + l];
}

void kernel_make_positive(double *matrix, uint32_t n, uint32_t stride, law_psd psd) {
  double a[KERNEL_AXES * KERNEL_AXES], v[KERNEL_AXES * KERNEL_AXES];
  assert(n <= KERNEL_AXES);
  if (psd == LAW_PSD_CLAMP || psd == LAW_PSD_ABS) make_positive(matrix, n, stride, psd, a, v, 1);
}

void kernel_make_positive_lanes(double *matrix, uint32_t n, law_psd psd) {
  double a[KERNEL_AXES * KERNEL_AXES * GROUP], v[KERNEL_AXES * KERNEL_AXES * GROUP];
  assert(n <= KERNEL_AXES);
  if (psd != LAW_PSD_CLAMP && psd != LAW_PSD_ABS) return;
  for (uint32_t first = 0; first < KERNEL_LANES; first += GROUP)
    make_positive(matrix + first, n, KERNEL_LANES, psd, a, v, GROUP);
}
