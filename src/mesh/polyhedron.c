// Orienting polyhedra; polyhedron.h tells what for. The search over faces is quadratic: a polyhedron has few.

#include "mesh/polyhedron.h"

#include <math.h>

typedef struct polyhedron {
  uint32_t *stream;
  const uint32_t *vertices;
  uint32_t count;
  uint32_t *face;  // where each face's count lies in the stream
  uint32_t *queue; // faces that are turned right already
  uint8_t *done;
} polyhedron;

static uint32_t corner(const polyhedron *p, uint32_t face, uint32_t k) {
  const uint32_t *at = p->stream + p->face[face];
  return p->vertices[at[1 + k % at[0]]];
}

static uint32_t size_of(const polyhedron *p, uint32_t face) {
  return p->stream[p->face[face]];
}

static void reverse(const polyhedron *p, uint32_t face) {
  uint32_t *corners = p->stream + p->face[face] + 1;
  for (uint32_t a = 0, b = size_of(p, face); a + 1 < b; a++) {
    const uint32_t swap = corners[a];
    corners[a] = corners[--b];
    corners[b] = swap;
  }
}

// +1 when the face runs from u to v, -1 when it runs from v to u, 0 when it has no such edge.
static int runs_along(const polyhedron *p, uint32_t face, uint32_t u, uint32_t v) {
  for (uint32_t k = 0; k < size_of(p, face); k++) {
    if (corner(p, face, k) == u && corner(p, face, k + 1) == v) return 1;
    if (corner(p, face, k) == v && corner(p, face, k + 1) == u) return -1;
  }
  return 0;
}

static uint32_t turn_neighbours(const polyhedron *p, uint32_t face, uint32_t queued) {
  for (uint32_t k = 0; k < size_of(p, face); k++)
    for (uint32_t other = 0; other < p->count; other++) {
      if (p->done[other]) continue;
      const int sense = runs_along(p, other, corner(p, face, k), corner(p, face, k + 1));
      if (!sense) continue;
      if (sense > 0) reverse(p, other);
      p->done[other] = 1;
      p->queue[queued++] = other;
    }
  return queued;
}

static double cone(const double *o, const double *a, const double *b, const double *c) {
  const double u[3] = {a[0] - o[0], a[1] - o[1], a[2] - o[2]}, v[3] = {b[0] - o[0], b[1] - o[1], b[2] - o[2]};
  const double w[3] = {c[0] - o[0], c[1] - o[1], c[2] - o[2]};
  return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Positive when the faces are seen from outside.
static double signed_volume(const polyhedron *p, const double (*points)[3]) {
  const double *origin = points[p->stream[2]];
  double sum = 0;
  for (uint32_t f = 0; f < p->count; f++) {
    const uint32_t *corners = p->stream + p->face[f] + 1;
    for (uint32_t k = 1; k + 1 < size_of(p, f); k++)
      sum += cone(origin, points[corners[0]], points[corners[k]], points[corners[k + 1]]);
  }
  return sum / 6;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the faces are turned in it, through the polyhedron
bool mesh_polyhedron_orient(uint32_t *stream, const uint32_t *vertices, const double (*points)[3],
                            const clv_allocator *allocator, double *volume) {
  polyhedron p = {.stream = stream, .vertices = vertices, .count = stream[0]};
  const size_t words = 2 * (size_t)p.count * sizeof(uint32_t), bytes = words + p.count + 1;
  *volume = 0;
  p.face = base_allocate(allocator, bytes);
  if (!p.face) return false;
  memset(p.face, 0, bytes);
  p.queue = p.face + p.count;
  p.done = (uint8_t *)(p.queue + p.count);
  for (uint32_t f = 0, at = 1; f < p.count; at += stream[at] + 1, f++) p.face[f] = at;
  uint32_t queued = p.count ? 1 : 0;
  p.done[0] = 1;
  for (uint32_t k = 0; k < queued; k++) queued = turn_neighbours(&p, p.queue[k], queued);
  if (p.count) *volume = signed_volume(&p, points);
  for (uint32_t f = 0; f<p.count && * volume> 0; f++) reverse(&p, f);
  *volume = fabs(*volume);
  base_free(allocator, p.face, bytes);
  return true;
}

static bool same_corners(const uint32_t *a, const uint32_t *b, const uint32_t *vertices) {
  if (a[0] != b[0]) return false;
  for (uint32_t k = 1; k <= a[0]; k++) {
    uint32_t found = 1;
    while (found <= b[0] && vertices[b[found]] != vertices[a[k]]) found++;
    if (found > b[0]) return false;
  }
  return true;
}

bool mesh_polyhedron_repeats(const uint32_t *stream, const uint32_t *vertices) {
  const uint32_t *a = stream + 1;
  for (uint32_t f = 0; f < stream[0]; f++, a += a[0] + 1) {
    const uint32_t *b = a + a[0] + 1;
    for (uint32_t g = f + 1; g < stream[0]; g++, b += b[0] + 1)
      if (same_corners(a, b, vertices)) return true;
  }
  return false;
}

double mesh_polygon_area(const uint32_t *corners, size_t count, const double (*points)[3]) {
  double area[3] = {0};
  const double *o = points[corners[0]];
  for (size_t k = 1; k + 1 < count; k++) {
    const double *a = points[corners[k]], *b = points[corners[k + 1]];
    for (uint32_t c = 0; c < 3; c++) {
      const uint32_t d = (c + 1) % 3, e = (c + 2) % 3;
      area[c] += (a[d] - o[d]) * (b[e] - o[e]) - (a[e] - o[e]) * (b[d] - o[d]);
    }
  }
  return 0.5 * sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
}

double mesh_extent(const uint32_t *corners, size_t count, const double (*points)[3]) {
  double extent = 0;
  for (size_t k = 1; k < count; k++)
    for (uint32_t c = 0; c < 3; c++) extent = fmax(extent, fabs(points[corners[k]][c] - points[corners[0]][c]));
  return extent;
}
