#include "flat.h"

#include <math.h>

static void add(double *out, uint32_t particle, const double f[3]) {
  for (uint32_t i = 0; i < 3; i++) out[4 * particle + i] += f[i];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void stretch(const flat_mesh *mesh) {
  double *restrict out = mesh->out;
  for (uint32_t e = 0; e < mesh->count; e++) {
    const uint32_t a = mesh->corners[2 * e], b = mesh->corners[2 * e + 1];
    const double *data = mesh->data + FLAT_SPRING_DATA * e;
    double d[3];
    for (uint32_t i = 0; i < 3; i++) d[i] = mesh->pos[4 * b + i] - mesh->pos[4 * a + i];
    const double length = sqrt(dot(d, d)), pull = data[0] * (length - data[1]) / length;
    for (uint32_t i = 0; i < 3; i++) {
      out[4 * a + i] += pull * d[i];
      out[4 * b + i] -= pull * d[i];
    }
  }
}

// Sum over corners 1, 2, 3 of (x - x0) times the corner's gradient: columns of F, or of what moves along v.
static void deformation(const double *x, const uint32_t *at, const double *g, double f[3][3]) {
  double edge[3][3];
  for (uint32_t c = 0; c < 3; c++)
    for (uint32_t i = 0; i < 3; i++) edge[c][i] = x[4 * at[c + 1] + i] - x[4 * at[0] + i];
  for (uint32_t j = 0; j < 3; j++)
    for (uint32_t i = 0; i < 3; i++) f[j][i] = edge[0][i] * g[j] + edge[1][i] * g[3 + j] + edge[2][i] * g[6 + j];
}

// Minus the stress (by columns) times the gradients, to the four corners.
static void add_forces(double *out, const uint32_t *at, const double *g, double p[3][3]) {
  double rest[3] = {0};
  for (uint32_t c = 0; c < 3; c++) {
    double f[3];
    for (uint32_t i = 0; i < 3; i++) {
      f[i] = -(p[0][i] * g[3 * c] + p[1][i] * g[3 * c + 1] + p[2][i] * g[3 * c + 2]);
      rest[i] -= f[i];
    }
    add(out, at[c + 1], f);
  }
  add(out, at[0], rest);
}

// Columns of the orthogonal factor of F; r[j][k] = q_j . f_k is upper triangular.
static void factor(double f[3][3], double q[3][3]) {
  const double first = 1 / sqrt(dot(f[0], f[0]));
  for (uint32_t i = 0; i < 3; i++) q[0][i] = f[0][i] * first;
  const double along = dot(q[0], f[1]);
  for (uint32_t i = 0; i < 3; i++) q[1][i] = f[1][i] - along * q[0][i];
  const double second = 1 / sqrt(dot(q[1], q[1]));
  for (uint32_t i = 0; i < 3; i++) q[1][i] *= second;
  q[2][0] = q[0][1] * q[1][2] - q[0][2] * q[1][1];
  q[2][1] = q[0][2] * q[1][0] - q[0][0] * q[1][2];
  q[2][2] = q[0][0] * q[1][1] - q[0][1] * q[1][0];
}

// 2 mu E + lambda tr(E) 1; symmetric matrices have six entries, 00 11 22 01 02 12.
static void stress(double s[6], const double e[6], double mu, double lambda) {
  const double pressure = lambda * (e[0] + e[1] + e[2]);
  for (uint32_t k = 0; k < 6; k++) s[k] = 2 * mu * e[k] + (k < 3 ? pressure : 0);
}

// Columns of Q S.
static void turn(double q[3][3], const double s[6], double p[3][3]) {
  for (uint32_t i = 0; i < 3; i++) {
    p[0][i] = q[0][i] * s[0] + q[1][i] * s[3] + q[2][i] * s[4];
    p[1][i] = q[0][i] * s[3] + q[1][i] * s[1] + q[2][i] * s[5];
    p[2][i] = q[0][i] * s[4] + q[1][i] * s[5] + q[2][i] * s[2];
  }
}

static void corotational(const flat_mesh *mesh) {
  for (uint32_t e = 0; e < mesh->count; e++) {
    const uint32_t *at = mesh->corners + 4 * (uint64_t)e;
    const double *data = mesh->data + FLAT_TET_DATA * (uint64_t)e;
    double f[3][3], q[3][3], p[3][3], s[6];
    deformation(mesh->pos, at, data, f);
    factor(f, q);
    const double strain[6] = {dot(q[0], f[0]) - 1,   dot(q[1], f[1]) - 1,   dot(q[2], f[2]) - 1,
                              0.5 * dot(q[0], f[1]), 0.5 * dot(q[0], f[2]), 0.5 * dot(q[1], f[2])};
    stress(s, strain, data[9], data[10]);
    turn(q, s, p);
    add_forces(mesh->out, at, data, p);
  }
}

static void corotational_hv(const flat_mesh *mesh) {
  for (uint32_t e = 0; e < mesh->count; e++) {
    const uint32_t *at = mesh->corners + 4 * (uint64_t)e;
    const double *data = mesh->data + FLAT_TET_DATA * (uint64_t)e;
    double f[3][3], q[3][3], d[3][3], p[3][3], s[6];
    deformation(mesh->pos, at, data, f);
    factor(f, q);
    deformation(mesh->direction, at, data, d);
    const double strain[6] = {dot(q[0], d[0]),
                              dot(q[1], d[1]),
                              dot(q[2], d[2]),
                              0.5 * (dot(q[0], d[1]) + dot(q[1], d[0])),
                              0.5 * (dot(q[0], d[2]) + dot(q[2], d[0])),
                              0.5 * (dot(q[1], d[2]) + dot(q[2], d[1]))};
    stress(s, strain, data[9], data[10]);
    turn(q, s, p);
    add_forces(mesh->out, at, data, p);
  }
}

static void stvk(const flat_mesh *mesh) {
  for (uint32_t e = 0; e < mesh->count; e++) {
    const uint32_t *at = mesh->corners + 4 * (uint64_t)e;
    const double *data = mesh->data + FLAT_TET_DATA * (uint64_t)e;
    double f[3][3], p[3][3], s[6];
    deformation(mesh->pos, at, data, f);
    const double strain[6] = {0.5 * (dot(f[0], f[0]) - 1), 0.5 * (dot(f[1], f[1]) - 1), 0.5 * (dot(f[2], f[2]) - 1),
                              0.5 * dot(f[0], f[1]),       0.5 * dot(f[0], f[2]),       0.5 * dot(f[1], f[2])};
    stress(s, strain, data[9], data[10]);
    turn(f, s, p);
    add_forces(mesh->out, at, data, p);
  }
}

const flat_kernels FLAT_NAME(flat_scalar) = {stretch, corotational, corotational_hv, stvk};
