#include "solve/anderson.h"

#include <math.h>

bool anderson_start(anderson *a, const clv_allocator *allocator, size_t numbers) {
  a->numbers = numbers;
  a->count = a->next = 0;
  a->last = false;
  return BASE_RESERVE(allocator, &a->memory, (2 + 2 * ANDERSON_DEPTH) * (uint64_t)numbers);
}

void anderson_free(anderson *a, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &a->memory);
}

void anderson_forget(anderson *a) {
  a->count = a->next = 0;
  a->last = false;
}

static double *unknown_change(const anderson *a, uint32_t k) {
  return a->memory.data + (2 + 2 * (size_t)k) * a->numbers;
}

static double *correction_change(const anderson *a, uint32_t k) {
  return a->memory.data + (3 + 2 * (size_t)k) * a->numbers;
}

static double dot(const double *a, const double *b, size_t count) {
  double sum = 0;
  for (size_t k = 0; k < count; k++) sum += a[k] * b[k];
  return sum;
}

static void push(anderson *a, const double *unknown, const double *correction) {
  double *last_unknown = a->memory.data, *last_correction = a->memory.data + a->numbers;
  if (a->last) {
    double *u = unknown_change(a, a->next), *c = correction_change(a, a->next);
    for (size_t k = 0; k < a->numbers; k++) {
      u[k] = unknown[k] - last_unknown[k];
      c[k] = correction[k] - last_correction[k];
    }
    a->next = (a->next + 1) % ANDERSON_DEPTH;
    a->count += a->count < ANDERSON_DEPTH;
  }
  memcpy(last_unknown, unknown, a->numbers * sizeof *unknown);
  memcpy(last_correction, correction, a->numbers * sizeof *correction);
  a->last = true;
}

// Solves G x = r for a Gram matrix by elimination; what depends on the rest is left out.
static void solve_gram(double g[ANDERSON_DEPTH][ANDERSON_DEPTH], double *r, uint32_t n, double *x) {
  double first[ANDERSON_DEPTH];
  bool used[ANDERSON_DEPTH] = {false};
  for (uint32_t k = 0; k < n; k++) {
    first[k] = g[k][k];
    x[k] = 0;
  }
  for (uint32_t k = 0; k < n; k++) { // rows are reduced by those in front
    used[k] = g[k][k] > 1e-10 * first[k];
    for (uint32_t i = k + 1; i < n && used[k]; i++) {
      const double factor = g[i][k] / g[k][k];
      for (uint32_t j = k; j < n; j++) g[i][j] -= factor * g[k][j];
      r[i] -= factor * r[k];
    }
  }
  for (uint32_t k = n; k-- > 0;) {
    if (!used[k]) continue;
    double sum = r[k];
    for (uint32_t j = k + 1; j < n; j++) sum -= g[k][j] * x[j];
    x[k] = sum / g[k][k];
  }
}

bool anderson_improve(anderson *a, const double *unknown, double *correction) {
  push(a, unknown, correction);
  const uint32_t n = a->count;
  if (n == 0) return false;
  double gram[ANDERSON_DEPTH][ANDERSON_DEPTH], right[ANDERSON_DEPTH], part[ANDERSON_DEPTH];
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = 0; j <= i; j++)
      gram[i][j] = gram[j][i] = dot(correction_change(a, i), correction_change(a, j), a->numbers);
    right[i] = dot(correction_change(a, i), correction, a->numbers);
  }
  solve_gram(gram, right, n, part);
  for (uint32_t i = 0; i < n; i++)
    if (!isfinite(part[i])) return false;
  for (uint32_t i = 0; i < n; i++) {
    const double *u = unknown_change(a, i), *c = correction_change(a, i);
    for (size_t k = 0; k < a->numbers; k++) correction[k] -= part[i] * (u[k] + c[k]);
  }
  return true;
}
