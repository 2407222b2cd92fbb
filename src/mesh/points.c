// Numbering points; with merging, through a hash table of coordinates that grows with the number of different points,
// so that it stays in cache where points repeat.

#include "mesh/points.h"

typedef struct point_table {
  uint32_t *slots; // points, + 1
  uint32_t size, count;
} point_table;

static uint64_t bits_of(double coordinate) {
  coordinate += 0.0; // -0 and 0 are one place
  uint64_t bits;
  memcpy(&bits, &coordinate, sizeof bits);
  return bits;
}

// Coordinates of grids differ in a few high bits only: they are folded down before and after each multiplication.
static uint32_t hash_point(const double *p) {
  uint64_t hash = bits_of(p[0]) ^ bits_of(p[0]) >> 32;
  hash = (hash * UINT64_C(0x9E3779B97F4A7C15)) ^ bits_of(p[1]) ^ bits_of(p[1]) >> 29;
  hash = (hash * UINT64_C(0xD6E8FEB86659FD93)) ^ bits_of(p[2]) ^ bits_of(p[2]) >> 31;
  hash = (hash ^ hash >> 32) * UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)(hash >> 32);
}

static bool table_grow(point_table *t, const double (*points)[3], const clv_allocator *allocator) {
  const uint32_t size = t->size ? t->size * 2 : 1024;
  if (size < t->size) return false;
  uint32_t *slots = base_allocate(allocator, size * sizeof *slots);
  if (!slots) return false;
  memset(slots, 0, size * sizeof *slots);
  for (uint32_t k = 0; k < t->size; k++) {
    if (!t->slots[k]) continue;
    uint32_t at = hash_point(points[t->slots[k] - 1]) & (size - 1);
    while (slots[at]) at = (at + 1) & (size - 1);
    slots[at] = t->slots[k];
  }
  base_free(allocator, t->slots, t->size * sizeof *t->slots);
  t->slots = slots;
  t->size = size;
  return true;
}

// The first point with the coordinates of this one; itself when it is the first. UINT32_MAX: no memory.
static uint32_t table_first(point_table *t, const double (*points)[3], uint32_t point, const clv_allocator *allocator) {
  if (2 * t->count >= t->size && !table_grow(t, points, allocator)) return UINT32_MAX;
  const double *p = points[point];
  for (uint32_t at = hash_point(p) & (t->size - 1);; at = (at + 1) & (t->size - 1)) {
    if (!t->slots[at]) {
      t->slots[at] = point + 1;
      t->count++;
      return point;
    }
    const double *q = points[t->slots[at] - 1];
    if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) return t->slots[at] - 1;
  }
}

typedef struct numbering {
  mesh_vertices *v;
  const clv_mesh *mesh;
  const clv_allocator *allocator;
  point_table table;
  bool merge;
} numbering;

static bool number_point(numbering *n, uint32_t point) {
  uint32_t *vertex = &n->v->of_point[point];
  if (*vertex) return true;
  const double(*points)[3] = (const double(*)[3])n->mesh->points;
  const uint32_t first = n->merge ? table_first(&n->table, points, point, n->allocator) : point;
  if (first == UINT32_MAX) return false;
  if (first != point) {
    *vertex = n->v->of_point[first];
    n->v->merged++;
    return true;
  }
  *vertex = ++n->v->count;
  n->v->point[*vertex] = point;
  return true;
}

static bool number_corners(numbering *n, size_t element) {
  const uint32_t *corners = n->mesh->corners + n->mesh->offsets[element];
  const size_t count = n->mesh->offsets[element + 1] - n->mesh->offsets[element];
  if (n->mesh->kinds[element] != CLV_POLYHEDRON) {
    for (size_t k = 0; k < count; k++)
      if (!number_point(n, corners[k])) return false;
    return true;
  }
  size_t at = 1;
  for (uint32_t f = 0; f < corners[0]; f++) {
    const uint32_t size = corners[at++];
    for (uint32_t k = 0; k < size; k++)
      if (!number_point(n, corners[at++])) return false;
  }
  return true;
}

static bool is_explicit(uint8_t kind) {
  return kind == CLV_POLYGON || kind == CLV_POLYHEDRON;
}

bool mesh_vertices_number(mesh_vertices *vertices, const clv_mesh *mesh, int dimension, bool merge,
                          const clv_allocator *allocator) {
  *vertices = (mesh_vertices){0};
  vertices->of_point = base_allocate(allocator, mesh->point_count * sizeof(uint32_t) + 1);
  vertices->point = base_allocate(allocator, (mesh->point_count + 1) * sizeof(uint32_t));
  bool done = vertices->of_point && vertices->point;
  if (done) memset(vertices->of_point, 0, mesh->point_count * sizeof(uint32_t));
  numbering n = {.v = vertices, .mesh = mesh, .allocator = allocator, .merge = merge};
  for (uint32_t pass = 0; done && pass < 2; pass++) { // templates first
    for (size_t k = 0; done && k < mesh->element_count; k++)
      if (clv_kind_dimension((clv_kind)mesh->kinds[k]) == dimension && is_explicit(mesh->kinds[k]) == (pass == 1))
        done = number_corners(&n, k);
    if (pass == 0) vertices->of_templates = vertices->count;
  }
  base_free(allocator, n.table.slots, n.table.size * sizeof *n.table.slots);
  for (size_t p = 0; done && p < mesh->point_count; p++) vertices->unused += vertices->of_point[p] == 0;
  if (!done) mesh_vertices_free(vertices, mesh, allocator);
  return done;
}

void mesh_vertices_free(mesh_vertices *vertices, const clv_mesh *mesh, const clv_allocator *allocator) {
  base_free(allocator, vertices->of_point, mesh->point_count * sizeof(uint32_t) + 1);
  base_free(allocator, vertices->point, (mesh->point_count + 1) * sizeof(uint32_t));
  *vertices = (mesh_vertices){0};
}
