// Eight vectors side by side, and the tetrahedra's frames: what the wide loops share.

#ifndef BENCH_FLAT_WIDE_H
#define BENCH_FLAT_WIDE_H

#include "flat.h"

#include "rule/emit_lanes.h"

typedef struct wide3 {
  lanes x, y, z;
} wide3;

LANES_IN wide3 gather(const double *p, const uint32_t *at) {
  wide3 v;
  lanes_gather(p, at, &v.x, &v.y, &v.z);
  return v;
}

LANES_IN wide3 minus(wide3 a, wide3 b) {
  return (wide3){a.x - b.x, a.y - b.y, a.z - b.z};
}

LANES_IN wide3 scaled(wide3 a, lanes s) {
  return (wide3){a.x * s, a.y * s, a.z * s};
}

// a s + b
LANES_IN wide3 plus_scaled(wide3 a, lanes s, wide3 b) {
  return (wide3){lanes_fma(a.x, s, b.x), lanes_fma(a.y, s, b.y), lanes_fma(a.z, s, b.z)};
}

LANES_IN lanes dot(wide3 a, wide3 b) {
  return lanes_fma(a.z, b.z, lanes_fma(a.y, b.y, a.x * b.x));
}

LANES_IN wide3 cross(wide3 a, wide3 b) {
  return (wide3){lanes_fms(a.y, b.z, a.z * b.y), lanes_fms(a.z, b.x, a.x * b.z), lanes_fms(a.x, b.y, a.y * b.x)};
}

LANES_IN void deformation(const double *x, const uint32_t *at, const double *g, wide3 f[3]) {
  const wide3 x0 = gather(x, at);
  const wide3 a = minus(gather(x, at + 8), x0), b = minus(gather(x, at + 16), x0), c = minus(gather(x, at + 24), x0);
  for (int j = 0; j < 3; j++) {
    f[j] = scaled(a, lanes_load(g + 8 * j));
    f[j] = plus_scaled(b, lanes_load(g + 24 + 8 * j), f[j]);
    f[j] = plus_scaled(c, lanes_load(g + 48 + 8 * j), f[j]);
  }
}

// All sums first: the additions to the four corners then run side by side.
LANES_IN void add_forces(double *out, const uint32_t *at, uint32_t left, const double *g, const wide3 p[3]) {
  wide3 f[3];
  for (int c = 0; c < 3; c++) {
    f[c] = scaled(p[0], lanes_load(g + 24 * c));
    f[c] = plus_scaled(p[1], lanes_load(g + 24 * c + 8), f[c]);
    f[c] = plus_scaled(p[2], lanes_load(g + 24 * c + 16), f[c]);
  }
  lanes_scatter(out, at, left, f[0].x + f[1].x + f[2].x, f[0].y + f[1].y + f[2].y, f[0].z + f[1].z + f[2].z);
  for (int c = 0; c < 3; c++) lanes_scatter_minus(out, at + 8 * (c + 1), left, f[c].x, f[c].y, f[c].z);
}

typedef struct factors {
  wide3 q[3];
  lanes r00, r01, r11;
} factors;

LANES_IN factors factor(const wide3 f[3]) {
  factors a;
  const lanes one = lanes_all(1.0);
  a.r00 = lanes_sqrt(dot(f[0], f[0]));
  a.q[0] = scaled(f[0], one / a.r00);
  a.r01 = dot(a.q[0], f[1]);
  const wide3 rest = plus_scaled(a.q[0], -a.r01, f[1]);
  a.r11 = lanes_sqrt(dot(rest, rest));
  a.q[1] = scaled(rest, one / a.r11);
  a.q[2] = cross(a.q[0], a.q[1]);
  return a;
}

// 2 mu E + lambda tr(E) 1; entries 00 11 22 01 02 12, those off the diagonal of 2 E.
LANES_IN void stress(lanes s[6], const lanes e[6], lanes mu, lanes lambda) {
  const lanes pressure = lambda * (e[0] + e[1] + e[2]), twice = mu + mu;
  for (int k = 0; k < 3; k++) s[k] = lanes_fma(twice, e[k], pressure);
  for (int k = 3; k < 6; k++) s[k] = mu * e[k];
}

LANES_IN void turn(const wide3 q[3], const lanes s[6], wide3 p[3]) {
  p[0] = plus_scaled(q[2], s[4], plus_scaled(q[1], s[3], scaled(q[0], s[0])));
  p[1] = plus_scaled(q[2], s[5], plus_scaled(q[1], s[1], scaled(q[0], s[3])));
  p[2] = plus_scaled(q[2], s[2], plus_scaled(q[1], s[5], scaled(q[0], s[4])));
}

LANES_IN void symmetric(const wide3 a[3], const wide3 b[3], lanes e[6]) {
  e[0] = dot(a[0], b[0]), e[1] = dot(a[1], b[1]), e[2] = dot(a[2], b[2]);
  e[3] = dot(a[0], b[1]) + dot(a[1], b[0]);
  e[4] = dot(a[0], b[2]) + dot(a[2], b[0]);
  e[5] = dot(a[1], b[2]) + dot(a[2], b[1]);
}

#endif
