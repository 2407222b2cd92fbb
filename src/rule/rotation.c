// The rotation nearest to a matrix.
//
// The rotation R that makes tr(R'A) largest is wanted: the polar factor of A where det A > 0, and the right
// continuation of it where A is singular or inverted. Written as a unit quaternion q, tr(R'A) is q'Kq with a symmetric
// 4 x 4 matrix K of A's entries, so q is the eigenvector of K's largest eigenvalue. Every eigenvector of a multiple
// eigenvalue is as good as another, so there is no exception: the zero matrix has a nearest rotation too. A matrix of
// two columns gets a third of zeros; the first two columns of the result are the nearest orthonormal pair.
//
// Eigenvectors come from Jacobi's method: sweeps of three steps, each of two plane rotations that touch different rows
// and can be done side by side. This is one lane of what wide registers do, in the same order. What is off the diagonal
// and below ROTATION_NOTHING, far beneath what rounding leaves, is taken for zero: or its powers would become numbers
// that processors compute with a hundred times slower. Where everything off the diagonal is, further sweeps would
// change nothing.
//
//   1. scale A by 1 / (its largest entry + the smallest normal number)
//   2. K as below, V = 1
//   3. ROTATION_SWEEPS times, while anything is off the diagonal, for (p, q) = (0,1) (2,3) (0,2) (1,3) (0,3) (1,2):
//        Kpq = 0 if it is nothing, d = Kqq - Kpp, b = 2 Kpq, h = sqrt(d d + b b + 1e-300)
//        t = copysign(1, d) b / (|d| + h), c = 1 / sqrt(1 + t t), s = t c
//        Kpp -= t Kpq, Kqq += t Kpq, Kpq = 0
//        for the other two rows r:   (Krp, Krq) = (c Krp - s Krq, s Krp + c Krq)
//        for the four rows r of V:   (Vrp, Vrq) = (c Vrp - s Vrq, s Vrp + c Vrq)
//   4. q = the column of V whose Kpp is largest (the first of equals), divided by its length
//   5. R of q

#include "rule/dag.h"

#include <float.h>
#include <math.h>

enum { ROTATION_SWEEPS = 6 };
#define ROTATION_NOTHING 1e-20

static void turn(double *restrict x, double *restrict y, double c, double s) {
  const double a = c * *x - s * *y, b = s * *x + c * *y;
  *x = a;
  *y = b;
}

// K is kept in its upper half: the entry of rows a and b.
static double *entry(double k[4][4], uint32_t a, uint32_t b) {
  return a < b ? &k[a][b] : &k[b][a];
}

static void step(double k[4][4], double v[4][4], uint32_t p, uint32_t q, uint32_t r, uint32_t s) {
  const double off = fabs(k[p][q]) < ROTATION_NOTHING ? 0 : k[p][q], d = k[q][q] - k[p][p], b = 2 * off;
  const double h = sqrt(d * d + b * b + 1e-300);
  const double tangent = copysign(1, d) * b / (fabs(d) + h);
  const double cosine = 1 / sqrt(1 + tangent * tangent), sine = tangent * cosine;
  k[p][p] -= tangent * off;
  k[q][q] += tangent * off;
  k[p][q] = 0;
  turn(entry(k, r, p), entry(k, r, q), cosine, sine);
  turn(entry(k, s, p), entry(k, s, q), cosine, sine);
  for (uint32_t row = 0; row < 4; row++) turn(&v[row][p], &v[row][q], cosine, sine);
}

static bool is_diagonal(double k[4][4]) {
  bool is = true;
  for (uint32_t p = 0; p < 4; p++)
    for (uint32_t q = p + 1; q < 4; q++) is &= fabs(k[p][q]) < ROTATION_NOTHING;
  return is;
}

static void rotation_of_quaternion(const double q[4], double m[9]) {
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  m[0] = w * w + x * x - y * y - z * z;
  m[1] = 2 * (x * y - w * z);
  m[2] = 2 * (x * z + w * y);
  m[3] = 2 * (x * y + w * z);
  m[4] = w * w - x * x + y * y - z * z;
  m[5] = 2 * (y * z - w * x);
  m[6] = 2 * (x * z - w * y);
  m[7] = 2 * (y * z + w * x);
  m[8] = w * w - x * x - y * y + z * z;
}

void dag_rotation_of(const double *matrix, uint32_t columns, double *rotation) {
  double a[3][3] = {{0}}, largest = 0;
  for (uint32_t row = 0; row < 3; row++)
    for (uint32_t column = 0; column < columns; column++) a[row][column] = matrix[row * columns + column];
  for (uint32_t e = 0; e < 9; e++) largest = largest < fabs(a[e / 3][e % 3]) ? fabs(a[e / 3][e % 3]) : largest;
  const double scale = 1 / (largest + DBL_MIN);
  for (uint32_t e = 0; e < 9; e++) a[e / 3][e % 3] *= scale;

  double k[4][4] = {
      {a[0][0] + a[1][1] + a[2][2], a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]},
      {0, a[0][0] - a[1][1] - a[2][2], a[0][1] + a[1][0], a[0][2] + a[2][0]},
      {0, 0, a[1][1] - a[0][0] - a[2][2], a[1][2] + a[2][1]},
      {0, 0, 0, a[2][2] - a[0][0] - a[1][1]},
  };
  double v[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
  for (uint32_t sweep = 0; sweep < ROTATION_SWEEPS && !is_diagonal(k); sweep++) {
    step(k, v, 0, 1, 2, 3);
    step(k, v, 2, 3, 0, 1);
    step(k, v, 0, 2, 1, 3);
    step(k, v, 1, 3, 0, 2);
    step(k, v, 0, 3, 1, 2);
    step(k, v, 1, 2, 0, 3);
  }

  double q[4] = {v[0][0], v[1][0], v[2][0], v[3][0]}, best = k[0][0], full[9];
  for (uint32_t p = 1; p < 4; p++) {
    const bool better = k[p][p] > best;
    for (uint32_t row = 0; row < 4; row++) q[row] = better ? v[row][p] : q[row];
    best = better ? k[p][p] : best;
  }
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (uint32_t row = 0; row < 4; row++) q[row] /= length;
  rotation_of_quaternion(q, full);
  for (uint32_t row = 0; row < 3; row++)
    for (uint32_t column = 0; column < columns; column++) rotation[row * columns + column] = full[row * 3 + column];
}
