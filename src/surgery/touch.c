#include "surgery/touch.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 64 };

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const double *furthest(const surgery_point *points, uint32_t count, const double *along, double sign) {
  uint32_t best = 0;
  for (uint32_t k = 1; k < count; k++)
    if (sign * dot(points[k], along) > sign * dot(points[best], along)) best = k;
  return points[best];
}

// Points of the difference a - b, and the one nearest to the origin in their hull.
typedef struct simplex {
  surgery_point points[4];
  uint32_t count;
  surgery_point nearest;
} simplex;

// Solves the `n` equations m x = r; false when they are no good.
static bool solve(double m[3][3], double *r, uint32_t n) {
  for (uint32_t k = 0; k < n; k++) {
    uint32_t pivot = k;
    for (uint32_t i = k + 1; i < n; i++)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (!(fabs(m[pivot][k]) > 0)) return false;
    for (uint32_t j = 0; j < n; j++) {
      const double swapped = m[k][j];
      m[k][j] = m[pivot][j];
      m[pivot][j] = swapped;
    }
    const double swapped = r[k];
    r[k] = r[pivot];
    r[pivot] = swapped;
    for (uint32_t i = 0; i < n; i++) {
      if (i == k) continue;
      const double factor = m[i][k] / m[k][k];
      for (uint32_t j = k; j < n; j++) m[i][j] -= factor * m[k][j];
      r[i] -= factor * r[k];
    }
  }
  for (uint32_t k = 0; k < n; k++) r[k] /= m[k][k];
  return true;
}

// The point of the plane (line, space) through some of the points that is nearest to the origin; false when it lies
// outside their hull.
static bool nearest_of(const simplex *s, const uint32_t *chosen, uint32_t count, double *nearest) {
  const double *p = s->points[chosen[0]];
  double edge[3][3], gram[3][3], part[3];
  for (uint32_t i = 1; i < count; i++)
    for (uint32_t k = 0; k < 3; k++) edge[i - 1][k] = s->points[chosen[i]][k] - p[k];
  for (uint32_t i = 0; i + 1 < count; i++) {
    for (uint32_t j = 0; j + 1 < count; j++) gram[i][j] = dot(edge[i], edge[j]);
    part[i] = -dot(edge[i], p);
  }
  if (!solve(gram, part, count - 1)) return false;
  double first = 1;
  memcpy(nearest, p, sizeof(surgery_point));
  for (uint32_t i = 0; i + 1 < count; i++) {
    if (!(part[i] >= 0)) return false;
    first -= part[i];
    for (uint32_t k = 0; k < 3; k++) nearest[k] += part[i] * edge[i][k];
  }
  return first >= 0;
}

// Keeps those points that the nearest one lies between. There are fifteen ways to choose some of four: all are tried,
// which no rounding can lead astray.
static void reduce(simplex *s) {
  simplex best = *s;
  double least = INFINITY;
  for (uint32_t subset = 1; subset < 1u << s->count; subset++) {
    uint32_t chosen[4] = {0}, count = 0;
    for (uint32_t k = 0; k < s->count; k++)
      if (subset >> k & 1u) chosen[count++] = k;
    surgery_point nearest;
    if (!nearest_of(s, chosen, count, nearest) || dot(nearest, nearest) >= least) continue;
    least = dot(nearest, nearest);
    for (uint32_t k = 0; k < count; k++) memcpy(best.points[k], s->points[chosen[k]], sizeof(surgery_point));
    best.count = count;
    memcpy(best.nearest, nearest, sizeof nearest);
  }
  *s = best;
}

double surgery_hull_distance(const surgery_point *a, uint32_t a_count, const surgery_point *b, uint32_t b_count,
                             double enough) {
  simplex s = {.count = 1};
  for (uint32_t k = 0; k < 3; k++) s.nearest[k] = s.points[0][k] = a[0][k] - b[0][k];
  for (uint32_t step = 0; step < MOST_STEPS; step++) {
    const double square = dot(s.nearest, s.nearest);
    const double *from = furthest(a, a_count, s.nearest, -1), *to = furthest(b, b_count, s.nearest, 1);
    const double further[3] = {from[0] - to[0], from[1] - to[1], from[2] - to[2]};
    const double reach = dot(s.nearest, further); // nothing of the hull is nearer than reach / |nearest|
    if (square == 0 || s.count == 4 || square - reach <= 1e-12 * square) break;
    if (reach > 0 && reach * reach > enough * enough * square) break;
    memcpy(s.points[s.count++], further, sizeof further);
    reduce(&s);
    if (!(dot(s.nearest, s.nearest) < square)) break;
  }
  return s.count == 4 ? 0 : sqrt(dot(s.nearest, s.nearest));
}
