// Positive matrices: the part of a symmetric matrix that belongs to negative eigenvalues is taken away, or turned over.
//
// Most matrices are positive already. A Cholesky factor of the matrix plus a ten-trillionth of its largest entry proves it,
// and such a matrix is left alone. The others are written in their eigenvectors: Householder's reflections make them
// tridiagonal, implicit QL turns make that diagonal. The result is the sum of the wanted eigenvalues times squares, so
// it is positive within its own rounding.
//
// A stiffness that does not feel translations has three eigenvectors for certain. They are taken out first, in an
// orthonormal basis of what is orthogonal to them (Helmert's: each particle against the mean of those before it, times a
// number). A spring is then a matter of 3 x 3.

#include "rule/kernel.h"

#include <assert.h>
#include <float.h>
#include <math.h>

enum { ENTRIES = KERNEL_AXES * KERNEL_AXES, ITERATIONS = 60 };

static const double nothing = 1e-13; // against the largest entry: an eigenvalue that may be negative

static double largest_entry(const double *a, uint32_t count, uint32_t stride) {
  double largest = 0;
  for (uint32_t e = 0; e < count; e++) largest = largest < fabs(a[e * stride]) ? fabs(a[e * stride]) : largest;
  return largest;
}

// `factor` is scratch.
static bool is_positive(const double *a, uint32_t n, double *factor) {
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t column = 0; column <= row; column++) {
      double sum = a[row * n + column];
      for (uint32_t k = 0; k < column; k++) sum -= factor[row * n + k] * factor[column * n + k];
      if (row == column && !(sum + nothing > 0)) return false;
      factor[row * n + column] = row == column ? sqrt(sum + nothing) : sum / factor[column * n + column];
    }
  return true;
}

// Translations

static bool feels_no_translation(const double *a, uint32_t n) {
  if (n % 3 != 0 || n < 6) return false;
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t axis = 0; axis < 3; axis++) {
      double sum = 0;
      for (uint32_t column = axis; column < n; column += 3) sum += a[row * n + column];
      if (!(fabs(sum) <= 1e-12)) return false;
    }
  return true;
}

// Coordinates of a vector in Helmert's basis, in place: particle k - 1 gets what particle k is against those before it.
static void to_differences(double *x, uint32_t particles, uint32_t stride) {
  for (uint32_t axis = 0; axis < 3; axis++) {
    double *at = x + axis * stride, sum = at[0];
    for (uint32_t k = 1; k < particles; k++) {
      const double own = at[3 * k * stride];
      at[3 * (k - 1) * stride] = (sum - k * own) / sqrt(k * (k + 1.0));
      sum += own;
    }
    at[3 * (particles - 1) * stride] = 0;
  }
}

static void from_differences(double *x, uint32_t particles, uint32_t stride) {
  for (uint32_t axis = 0; axis < 3; axis++) {
    double *at = x + axis * stride, sum = 0;
    for (uint32_t k = particles - 1; k > 0; k--) {
      const double share = at[3 * (k - 1) * stride] / sqrt(k * (k + 1.0));
      at[3 * k * stride] = sum - k * share;
      sum += share;
    }
    at[0] = sum;
  }
}

static void transform(double *a, uint32_t n, void (*each)(double *, uint32_t, uint32_t)) {
  for (uint32_t row = 0; row < n; row++) each(a + row * n, n / 3, 1);
  for (uint32_t column = 0; column < n; column++) each(a + column, n / 3, n);
}

// The first m rows and columns of n, packed; and back, with zeros behind.
static void pack(double *a, uint32_t n, uint32_t m) {
  for (uint32_t row = 1; row < m; row++) memmove(a + row * m, a + row * n, m * sizeof *a);
}

static void unpack(double *a, uint32_t n, uint32_t m) {
  for (uint32_t row = n; row-- > 0;) {
    if (row < m) memmove(a + row * n, a + row * m, m * sizeof *a);
    memset(a + row * n + (row < m ? m : 0), 0, (row < m ? n - m : n) * sizeof *a);
  }
}

// Eigenvectors

// One reflection: row `last` of v, but for its last two entries, becomes 0. Afterwards d holds the reflection's vector,
// row and column `last` are what undoing it needs, and e[last] is what is left beside the diagonal.
static void reflect(double *v, double *d, double *e, uint32_t n, uint32_t last) {
  double scale = 0, h = 0;
  for (uint32_t k = 0; k < last; k++) scale += fabs(d[k]);
  if (scale == 0) {
    e[last] = d[last - 1];
    for (uint32_t j = 0; j < last; j++) {
      d[j] = v[(last - 1) * n + j];
      v[last * n + j] = v[j * n + last] = 0;
    }
    d[last] = 0;
    return;
  }
  for (uint32_t k = 0; k < last; k++) {
    d[k] /= scale;
    h += d[k] * d[k];
  }
  const double f = d[last - 1], g = f > 0 ? -sqrt(h) : sqrt(h);
  e[last] = scale * g;
  h -= f * g;
  d[last - 1] = f - g;
  for (uint32_t j = 0; j < last; j++) e[j] = 0;
  for (uint32_t j = 0; j < last; j++) {
    v[j * n + last] = d[j];
    double sum = e[j] + v[j * n + j] * d[j];
    for (uint32_t k = j + 1; k < last; k++) {
      sum += v[k * n + j] * d[k];
      e[k] += v[k * n + j] * d[j];
    }
    e[j] = sum;
  }
  double along = 0;
  for (uint32_t j = 0; j < last; j++) {
    e[j] /= h;
    along += e[j] * d[j];
  }
  for (uint32_t j = 0; j < last; j++) e[j] -= along / (h + h) * d[j];
  for (uint32_t j = 0; j < last; j++) {
    for (uint32_t k = j; k < last; k++) v[k * n + j] -= d[j] * e[k] + e[j] * d[k];
    d[j] = v[(last - 1) * n + j];
    v[last * n + j] = 0;
  }
  d[last] = h;
}

// Puts the reflections together: v becomes the orthogonal matrix that makes the first one tridiagonal.
static void collect_reflections(double *v, double *d, uint32_t n) {
  for (uint32_t i = 0; i + 1 < n; i++) {
    v[(n - 1) * n + i] = v[i * n + i];
    v[i * n + i] = 1;
    const double h = d[i + 1];
    for (uint32_t k = 0; h != 0 && k <= i; k++) d[k] = v[k * n + i + 1] / h;
    for (uint32_t j = 0; h != 0 && j <= i; j++) {
      double g = 0;
      for (uint32_t k = 0; k <= i; k++) g += v[k * n + i + 1] * v[k * n + j];
      for (uint32_t k = 0; k <= i; k++) v[k * n + j] -= g * d[k];
    }
    for (uint32_t k = 0; k <= i; k++) v[k * n + i + 1] = 0;
  }
  for (uint32_t j = 0; j < n; j++) {
    d[j] = v[(n - 1) * n + j];
    v[(n - 1) * n + j] = 0;
  }
  v[n * n - 1] = 1;
}

// d the diagonal, e[k] between k - 1 and k.
static void make_tridiagonal(double *v, double *d, double *e, uint32_t n) {
  for (uint32_t j = 0; j < n; j++) d[j] = v[(n - 1) * n + j];
  for (uint32_t last = n - 1; last > 0; last--) reflect(v, d, e, n, last);
  collect_reflections(v, d, n);
  e[0] = 0;
}

static void transpose(double *v, uint32_t n) {
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t column = 0; column < row; column++) {
      const double other = v[row * n + column];
      v[row * n + column] = v[column * n + row];
      v[column * n + row] = other;
    }
}

static void turn(double *restrict x, double *restrict y, uint32_t n, double c, double s) {
  for (uint32_t k = 0; k < n; k++) {
    const double g = x[k], h = y[k];
    y[k] = s * g + c * h;
    x[k] = c * g - s * h;
  }
}

// One implicit QL step on rows first ... last with a shift that is taken from the first two; returns that shift.
static double ql_step(double *v, double *d, double *e, uint32_t n, uint32_t first, uint32_t last) {
  double g = d[first], p = (d[first + 1] - g) / (2 * e[first]), r = copysign(sqrt(p * p + 1), p);
  d[first] = e[first] / (p + r);
  d[first + 1] = e[first] * (p + r);
  const double next = d[first + 1], shift = g - d[first], beside = e[first + 1];
  for (uint32_t k = first + 2; k < n; k++) d[k] -= shift;
  p = d[last];
  double c = 1, c2 = 1, c3 = 1, s = 0, s2 = 0;
  for (uint32_t k = last; k-- > first;) {
    c3 = c2;
    c2 = c;
    s2 = s;
    g = c * e[k];
    const double h = c * p;
    r = sqrt(p * p + e[k] * e[k]);
    e[k + 1] = s * r;
    s = r > 0 ? e[k] / r : 0;
    c = r > 0 ? p / r : 1;
    p = c * d[k] - s * g;
    d[k + 1] = h + s * (c * g + s * d[k]);
    turn(v + k * n, v + (k + 1) * n, n, c, s);
  }
  p = -s * s2 * c3 * beside * e[first] / next;
  e[first] = s * p;
  d[first] = c * p;
  return shift;
}

// Eigenvalues into d, eigenvectors into the rows of v. False where it does not end.
static bool diagonalise(double *v, double *d, double *e, uint32_t n) {
  make_tridiagonal(v, d, e, n);
  transpose(v, n);
  for (uint32_t k = 1; k < n; k++) e[k - 1] = e[k];
  e[n - 1] = 0;
  double shift = 0, size = 0;
  for (uint32_t first = 0; first < n; first++) {
    size = fmax(size, fabs(d[first]) + fabs(e[first]));
    uint32_t last = first;
    while (last + 1 < n && fabs(e[last]) > DBL_EPSILON * size) last++;
    for (uint32_t k = 0; last > first; k++) {
      if (k == ITERATIONS) return false;
      shift += ql_step(v, d, e, n, first, last);
      if (!(fabs(e[first]) > DBL_EPSILON * size)) break;
    }
    d[first] += shift;
    e[first] = 0;
  }
  return true;
}

// The sum of the wanted eigenvalues times squares.
static void compose(double *a, const double *values, const double *v, uint32_t n, law_psd psd) {
  memset(a, 0, n * n * sizeof *a);
  for (uint32_t k = 0; k < n; k++) {
    const double value = values[k] < 0 && psd == LAW_PSD_ABS ? -values[k] : values[k];
    if (!(value > 0)) continue;
    for (uint32_t row = 0; row < n; row++)
      for (uint32_t column = 0; column < n; column++)
        a[row * n + column] += value * (v[k * n + row] * v[k * n + column]);
  }
}

void kernel_make_positive(double *matrix, uint32_t n, uint32_t stride, law_psd psd) {
  double a[ENTRIES], v[ENTRIES], values[KERNEL_AXES], beside[KERNEL_AXES];
  assert(n <= KERNEL_AXES);
  if (psd != LAW_PSD_CLAMP && psd != LAW_PSD_ABS) return;
  const double scale = largest_entry(matrix, n * n, stride);
  if (!(scale >= DBL_MIN && scale <= DBL_MAX)) return;
  for (uint32_t e = 0; e < n * n; e++) {
    a[e] = matrix[e * stride] / scale;
    if (isnan(a[e])) return; // not to be mended, and not to be hidden
  }
  if (is_positive(a, n, v)) return;
  const bool reduced = feels_no_translation(a, n);
  const uint32_t m = reduced ? n - 3 : n;
  if (reduced) {
    transform(a, n, to_differences);
    pack(a, n, m);
  }
  memcpy(v, a, m * m * sizeof *v);
  if (!diagonalise(v, values, beside, m)) return;
  compose(a, values, v, m, psd);
  if (reduced) {
    unpack(a, n, m);
    transform(a, n, from_differences);
  }
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t column = 0; column < n; column++)
      matrix[(row * n + column) * stride] = 0.5 * (a[row * n + column] + a[column * n + row]) * scale;
}

void kernel_make_positive_lanes(double *matrix, uint32_t n, law_psd psd) {
  for (uint32_t l = 0; l < KERNEL_LANES; l++) kernel_make_positive(matrix + l, n, KERNEL_LANES, psd);
}
