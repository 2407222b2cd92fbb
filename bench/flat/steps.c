// See steps.h. Products with the assembled matrix go row by row, four doubles at a time.

#include "steps.h"

#include "wide.h"

#include <string.h>

typedef double four __attribute__((vector_size(32)));
typedef double four_stored __attribute__((vector_size(32), aligned(8), may_alias));

LANES_IN four load4(const double *p) {
  return *(const four_stored *)p;
}

LANES_IN void store4(double *p, four a) {
  *(four_stored *)p = a;
}

static void symplectic(const flat_body *body, flat_kernel *force, double dt) {
  const size_t count = 4 * (size_t)body->particles;
  double *restrict pos = body->pos, *restrict vel = body->vel;
  memcpy(body->force, body->weight, count * sizeof(double));
  force(&body->mesh);
  for (size_t k = 0; k < count; k += 4) {
    const four v = load4(vel + k) + dt * load4(body->inverse_mass + k) * load4(body->force + k);
    store4(vel + k, v);
    store4(pos + k, load4(pos + k) + dt * v);
  }
}

// The linear system

LANES_IN double sum4(four a) {
  return (a[0] + a[1]) + (a[2] + a[3]);
}

typedef void flat_product(const flat_body *body, double factor, const double *x, double *y);

// y = (M + factor K) x where particles are free, x elsewhere.
static void finish_product(const flat_body *body, const double *x, double *y) {
  for (size_t k = 0; k < 4 * (size_t)body->particles; k += 4)
    if (body->inverse_mass[k] == 0) store4(y + k, load4(x + k));
}

// Conjugate gradients on what `residual` has, from zero.
static void solve(const flat_body *body, flat_product *multiply, double factor, uint32_t iterations) {
  const size_t count = 4 * (size_t)body->particles;
  double *restrict x = body->dv, *restrict r = body->residual, *restrict p = body->search, *restrict q = body->image;
  memset(x, 0, count * sizeof(double));
  memcpy(p, r, count * sizeof(double));
  four sum = {0};
  for (size_t k = 0; k < count; k += 4) sum += load4(r + k) * load4(r + k);
  double square = sum4(sum);
  for (uint32_t i = 0; i < iterations && square > 0; i++) {
    multiply(body, factor, p, q);
    four along = {0}, next = {0};
    for (size_t k = 0; k < count; k += 4) along += load4(p + k) * load4(q + k);
    const double alpha = square / sum4(along);
    for (size_t k = 0; k < count; k += 4) {
      store4(x + k, load4(x + k) + alpha * load4(p + k));
      const four left = load4(r + k) - alpha * load4(q + k);
      store4(r + k, left);
      next += left * left;
    }
    const double beta = sum4(next) / square;
    square = sum4(next);
    for (size_t k = 0; k < count; k += 4) store4(p + k, load4(r + k) + beta * load4(p + k));
  }
}

// right side = h (f - h K v), zero where fixed; K v comes as (M + h^2 K) v - M v.
static void make_right_side(const flat_body *body, flat_product *multiply, double dt) {
  const size_t count = 4 * (size_t)body->particles;
  multiply(body, dt * dt, body->vel, body->image);
  for (size_t k = 0; k < count; k += 4) {
    const four kv = load4(body->image + k) - load4(body->mass + k) * load4(body->vel + k);
    const double is_free = body->inverse_mass[k] != 0;
    store4(body->residual + k, is_free * (dt * load4(body->force + k) - kv));
  }
}

static void advance(const flat_body *body, double dt) {
  const size_t count = 4 * (size_t)body->particles;
  for (size_t k = 0; k < count; k += 4) {
    const four v = load4(body->vel + k) + load4(body->dv + k);
    store4(body->vel + k, v);
    store4(body->pos + k, load4(body->pos + k) + dt * v);
  }
}

// Forces, and the frames they were taken in.
static void forces_and_frames(const flat_body *body) {
  const flat_mesh *mesh = &body->mesh;
  const lanes one = lanes_all(1.0);
  memcpy(body->force, body->weight, 4 * (size_t)body->particles * sizeof(double));
  for (uint32_t e = 0; e < mesh->count; e += CLV_WIDTH) {
    const uint32_t *restrict at = mesh->corners + e / 8 * 32ul + e % 8;
    const double *restrict data = mesh->data + e / 8 * (8ul * FLAT_TET_DATA) + e % 8;
    double *restrict frame = body->frames + e / 8 * 72ul + e % 8;
    wide3 f[3], p[3];
    lanes s[6];
    deformation(body->pos, at, data, f);
    const factors a = factor(f);
    for (int c = 0; c < 3; c++) {
      lanes_store(frame + 24 * c, a.q[c].x);
      lanes_store(frame + 24 * c + 8, a.q[c].y);
      lanes_store(frame + 24 * c + 16, a.q[c].z);
    }
    const lanes strain[6] = {a.r00 - one, a.r11 - one,       dot(a.q[2], f[2]) - one,
                             a.r01,       dot(a.q[0], f[2]), dot(a.q[1], f[2])};
    stress(s, strain, lanes_load(data + 72), lanes_load(data + 80));
    turn(a.q, s, p);
    add_forces(body->force, at, mesh->count - e, data, p);
  }
}

LANES_IN void load_frame(const double *frame, wide3 q[3]) {
  for (int c = 0; c < 3; c++)
    q[c] = (wide3){lanes_load(frame + 24 * c), lanes_load(frame + 24 * c + 8), lanes_load(frame + 24 * c + 16)};
}

// Without a matrix

static void multiply_free(const flat_body *body, double factor, const double *x, double *y) {
  const flat_mesh *mesh = &body->mesh;
  const lanes minus_factor = lanes_all(-factor);
  for (size_t k = 0; k < 4 * (size_t)body->particles; k += 4) store4(y + k, load4(body->mass + k) * load4(x + k));
  for (uint32_t e = 0; e < mesh->count; e += CLV_WIDTH) {
    const uint32_t *restrict at = mesh->corners + e / 8 * 32ul + e % 8;
    const double *restrict data = mesh->data + e / 8 * (8ul * FLAT_TET_DATA) + e % 8;
    wide3 q[3], d[3], p[3];
    lanes strain[6], s[6];
    load_frame(body->frames + e / 8 * 72ul + e % 8, q);
    deformation(x, at, data, d);
    symmetric(q, d, strain);
    stress(s, strain, minus_factor * lanes_load(data + 72), minus_factor * lanes_load(data + 80));
    turn(q, s, p);
    add_forces(y, at, mesh->count - e, data, p);
  }
  finish_product(body, x, y);
}

static void implicit_free(const flat_body *body, double dt, uint32_t iterations) {
  forces_and_frames(body);
  make_right_side(body, multiply_free, dt);
  solve(body, multiply_free, dt * dt, iterations);
  advance(body, dt);
}

// With one

// lambda gi gj' + mu gj gi' + mu (gi . gj) 1, column by column.
LANES_IN void make_block(const wide3 *i, const wide3 *j, lanes mu, lanes lambda, double *block) {
  const lanes gi[3] = {i->x, i->y, i->z}, gj[3] = {j->x, j->y, j->z}, both = mu * dot(*i, *j);
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++) {
      lanes entry = lanes_fma(lambda * gi[r], gj[c], mu * gj[r] * gi[c]);
      if (r == c) entry += both;
      lanes_store(block + (3 * c + r) * CLV_WIDTH, entry);
    }
}

static void add_block(double *to, const double *block, uint32_t lane) {
  for (int k = 0; k < 9; k++) to[k] += block[k * CLV_WIDTH + lane];
}

static void add_turned(double *to, const double *block, uint32_t lane) {
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < 3; r++) to[3 * c + r] += block[(3 * r + c) * CLV_WIDTH + lane];
}

static void assemble(const flat_body *body) {
  const flat_mesh *mesh = &body->mesh;
  const flat_matrix *a = &body->matrix;
  memset(a->block, 0, 9 * (size_t)a->first[body->particles] * sizeof(double));
  for (uint32_t e = 0; e < mesh->count; e += CLV_WIDTH) {
    const double *restrict data = mesh->data + e / 8 * (8ul * FLAT_TET_DATA) + e % 8;
    const lanes mu = lanes_load(data + 72), lambda = lanes_load(data + 80);
    double blocks[10][9 * CLV_WIDTH];
    wide3 q[3], g[4];
    load_frame(body->frames + e / 8 * 72ul + e % 8, q);
    for (int c = 1; c < 4; c++) {
      const double *row = data + 24 * (c - 1);
      g[c] = plus_scaled(q[2], lanes_load(row + 16),
                         plus_scaled(q[1], lanes_load(row + 8), scaled(q[0], lanes_load(row))));
    }
    g[0] = (wide3){-(g[1].x + g[2].x + g[3].x), -(g[1].y + g[2].y + g[3].y), -(g[1].z + g[2].z + g[3].z)};
    int k = 0;
    for (int i = 0; i < 4; i++)
      for (int j = i; j < 4; j++) make_block(&g[i], &g[j], mu, lambda, blocks[k++]);
    for (uint32_t lane = 0; lane < CLV_WIDTH && e + lane < mesh->count; lane++) {
      const uint32_t *position = a->position + 16ul * (e + lane);
      k = 0;
      for (int i = 0; i < 4; i++)
        for (int j = i; j < 4; j++, k++) {
          add_block(a->block + 9ul * position[4 * i + j], blocks[k], lane);
          if (i != j) add_turned(a->block + 9ul * position[4 * j + i], blocks[k], lane);
        }
    }
  }
}

static void multiply_assembled(const flat_body *body, double factor, const double *x, double *y) {
  const flat_matrix *a = &body->matrix;
  for (uint32_t row = 0; row < body->particles; row++) {
    four sum = {0}, more = {0}, most = {0};
    for (uint32_t k = a->first[row]; k < a->first[row + 1]; k++) {
      const double *block = a->block + 9ul * k, *from = x + 4ul * a->column[k];
      sum += load4(block) * from[0];
      more += load4(block + 3) * from[1];
      most += load4(block + 6) * from[2];
    }
    four result = factor * (sum + more + most) + load4(body->mass + 4ul * row) * load4(x + 4ul * row);
    result[3] = 0;
    store4(y + 4ul * row, result);
  }
  finish_product(body, x, y);
}

static void implicit_assembled(const flat_body *body, double dt, uint32_t iterations) {
  forces_and_frames(body);
  assemble(body);
  make_right_side(body, multiply_assembled, dt);
  solve(body, multiply_assembled, dt * dt, iterations);
  advance(body, dt);
}

const flat_steps FLAT_NAME(flat_steps) = {symplectic, implicit_free, implicit_assembled};
