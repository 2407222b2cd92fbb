#include "unit.h"

#include <math.h>

enum { NX = 9, NY = 9, NZ = 11, NODES = NX * NY * NZ, SPRINGS = 4954 };

typedef struct unit_spring {
  int a, b;
  double stiffness, length, damping;
} unit_spring;

static double x[3 * NODES], v[3 * NODES], f[3 * NODES];
static unit_spring springs[SPRINGS];
static int count;

static int node(int i, int j, int k) {
  return i + NX * (j + NY * k);
}

static void add(int a, int b) {
  double square = 0;
  for (int q = 0; q < 3; q++) square += (x[3 * b + q] - x[3 * a + q]) * (x[3 * b + q] - x[3 * a + q]);
  springs[count++] = (unit_spring){a, b, 1000.0, sqrt(square), 0.5};
}

void unit_make(void) {
  count = 0;
  for (int n = 0; n < NODES; n++) {
    const int i = n % NX, j = n / NX % NY, k = n / (NX * NY);
    x[3 * n] = i;
    x[3 * n + 1] = j;
    x[3 * n + 2] = k;
    for (int q = 0; q < 3; q++) v[3 * n + q] = 0;
  }
  for (int n = 0; n < NODES; n++) {
    const int i = n % NX, j = n / NX % NY, k = n / (NX * NY);
    if (i + 1 < NX) add(n, node(i + 1, j, k));
    if (j + 1 < NY) add(n, node(i, j + 1, k));
    if (k + 1 < NZ) add(n, node(i, j, k + 1));
  }
  for (int k = 0; k < NZ - 1; k++)
    for (int j = 0; j < NY - 1; j++)
      for (int i = 0; i < NX - 1; i++) {
        add(node(i, j, k), node(i + 1, j + 1, k + 1));
        add(node(i + 1, j, k), node(i, j + 1, k + 1));
        add(node(i, j + 1, k), node(i + 1, j, k + 1));
        add(node(i + 1, j + 1, k), node(i, j, k + 1));
      }
}

void unit_step(void *unused) {
  const double dt = 5e-4, inverse_mass = 1.0;
  (void)unused;
  for (int q = 0; q < 3 * NODES; q += 3) {
    f[q] = 0;
    f[q + 1] = -9.81 / inverse_mass;
    f[q + 2] = 0;
  }
  for (int e = 0; e < SPRINGS; e++) {
    const unit_spring *s = springs + e;
    const int a = 3 * s->a, b = 3 * s->b;
    double dx = x[b] - x[a], dy = x[b + 1] - x[a + 1], dz = x[b + 2] - x[a + 2];
    const double length = sqrt(dx * dx + dy * dy + dz * dz), inverse = 1.0 / length;
    dx *= inverse, dy *= inverse, dz *= inverse;
    const double speed = (v[b] - v[a]) * dx + (v[b + 1] - v[a + 1]) * dy + (v[b + 2] - v[a + 2]) * dz;
    const double pull = s->stiffness * (length - s->length) + s->damping * speed;
    dx *= pull, dy *= pull, dz *= pull;
    f[a] += dx, f[a + 1] += dy, f[a + 2] += dz;
    f[b] -= dx, f[b + 1] -= dy, f[b + 2] -= dz;
  }
  for (int q = 0; q < 3 * NX * NY; q++) f[q] = 0;
  for (int q = 0; q < 3 * NODES; q++) {
    v[q] += dt * inverse_mass * f[q];
    x[q] += dt * v[q];
  }
}
