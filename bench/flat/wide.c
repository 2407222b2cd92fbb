// The wide loops. They use the same few words for gathering and scattering as emitted kernels do: nothing faster was
// found.

#include "wide.h"

static void stretch(const flat_mesh *mesh) {
  const double *restrict pos = mesh->pos;
  double *restrict out = mesh->out;
  const uint32_t count = mesh->count;
  for (uint32_t e = 0; e < count; e += CLV_WIDTH) {
    const uint32_t *restrict at = mesh->corners + e / 8 * 16ul + e % 8;
    const double *restrict data = mesh->data + e / 8 * (8ul * FLAT_SPRING_DATA) + e % 8;
    const wide3 d = minus(gather(pos, at + 8), gather(pos, at));
    const lanes length = lanes_sqrt(dot(d, d));
    const lanes pull = lanes_load(data) * (length - lanes_load(data + 8)) / length;
    const wide3 f = scaled(d, pull);
    lanes_scatter(out, at, count - e, f.x, f.y, f.z);
    lanes_scatter_minus(out, at + 8, count - e, f.x, f.y, f.z);
  }
}

static void corotational(const flat_mesh *mesh) {
  const double *restrict pos = mesh->pos;
  double *restrict out = mesh->out;
  const uint32_t count = mesh->count;
  const lanes one = lanes_all(1.0);
  for (uint32_t e = 0; e < count; e += CLV_WIDTH) {
    const uint32_t *restrict at = mesh->corners + e / 8 * 32ul + e % 8;
    const double *restrict data = mesh->data + e / 8 * (8ul * FLAT_TET_DATA) + e % 8;
    wide3 f[3], p[3];
    lanes s[6];
    deformation(pos, at, data, f);
    const factors a = factor(f);
    const lanes strain[6] = {a.r00 - one, a.r11 - one,       dot(a.q[2], f[2]) - one,
                             a.r01,       dot(a.q[0], f[2]), dot(a.q[1], f[2])};
    stress(s, strain, lanes_load(data + 72), lanes_load(data + 80));
    turn(a.q, s, p);
    add_forces(out, at, count - e, data, p);
  }
}

static void corotational_hv(const flat_mesh *mesh) {
  const double *restrict pos = mesh->pos, *restrict direction = mesh->direction;
  double *restrict out = mesh->out;
  const uint32_t count = mesh->count;
  for (uint32_t e = 0; e < count; e += CLV_WIDTH) {
    const uint32_t *restrict at = mesh->corners + e / 8 * 32ul + e % 8;
    const double *restrict data = mesh->data + e / 8 * (8ul * FLAT_TET_DATA) + e % 8;
    wide3 f[3], d[3], p[3];
    lanes strain[6], s[6];
    deformation(pos, at, data, f);
    const factors a = factor(f);
    deformation(direction, at, data, d);
    symmetric(a.q, d, strain);
    stress(s, strain, lanes_load(data + 72), lanes_load(data + 80));
    turn(a.q, s, p);
    add_forces(out, at, count - e, data, p);
  }
}

static void stvk(const flat_mesh *mesh) {
  const double *restrict pos = mesh->pos;
  double *restrict out = mesh->out;
  const uint32_t count = mesh->count;
  const lanes half = lanes_all(0.5);
  for (uint32_t e = 0; e < count; e += CLV_WIDTH) {
    const uint32_t *restrict at = mesh->corners + e / 8 * 32ul + e % 8;
    const double *restrict data = mesh->data + e / 8 * (8ul * FLAT_TET_DATA) + e % 8;
    wide3 f[3], p[3];
    lanes s[6];
    deformation(pos, at, data, f);
    const lanes strain[6] = {lanes_fms(half, dot(f[0], f[0]), half),
                             lanes_fms(half, dot(f[1], f[1]), half),
                             lanes_fms(half, dot(f[2], f[2]), half),
                             dot(f[0], f[1]),
                             dot(f[0], f[2]),
                             dot(f[1], f[2])};
    stress(s, strain, lanes_load(data + 72), lanes_load(data + 80));
    turn(f, s, p);
    add_forces(out, at, count - e, data, p);
  }
}

const flat_kernels FLAT_NAME(flat_wide) = {stretch, corotational, corotational_hv, stvk};
