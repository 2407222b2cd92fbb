// Numbering points; with merging, through a table that keeps the order of space.
//
// Points that are near each other in a mesh are near each other in its lists. A table that scatters them loses that, and
// waits for memory at every look. So a point is first looked for at the place that its position in the bounding box has
// in the table, and in the few slots behind it; only where a region is crowded are points scattered by a hash. The table
// grows with the number of different points, which may be an eighth of all.

#include "mesh/points.h"

#include <math.h>

typedef struct point_table {
  uint32_t *slots; // points, + 1
  uint32_t size, count;
  double low[3], scale[3]; // from coordinates to lattice cells
  uint32_t stride[3];
} point_table;

enum { NEAR_PROBES = 8 };

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

static uint32_t home(const point_table *t, const double *p) {
  uint32_t at = 0;
  for (uint32_t c = 0; c < 3; c++) at += (uint32_t)(int32_t)((p[c] - t->low[c]) * t->scale[c]) * t->stride[c];
  return at & (t->size - 1);
}

// Walks the slots where a point may be, from its home on.
typedef struct probe {
  uint32_t at, step, number;
} probe;

static inline void probe_next(probe *p, const point_table *t, const double *point) {
  if (++p->number == NEAR_PROBES) {
    p->at = hash_point(point);
    p->step = p->at >> 7 | 1u;
  }
  p->at = (p->at + p->step) & (t->size - 1);
}

// A lattice over the bounding box with about as many cells as the table has slots, by the extents that are not zero.
static void lay_lattice(point_table *t, const double *extent) {
  double product = 1;
  uint32_t axes = 0;
  for (uint32_t c = 0; c < 3; c++)
    if (extent[c] > 0) product *= extent[c], axes++;
  const double cell = axes ? pow(product / t->size, 1.0 / axes) : 1;
  uint32_t stride = 1;
  for (uint32_t c = 0; c < 3; c++) {
    const double cells = extent[c] > 0 ? fmin(fmax(floor(extent[c] / cell), 1), t->size) : 1;
    t->scale[c] = extent[c] > 0 ? cells * (1 - 1e-9) / extent[c] : 0;
    if (!isfinite(t->scale[c])) t->scale[c] = 0;
    t->stride[c] = stride;
    stride *= (uint32_t)cells;
  }
}

static void table_put(const point_table *t, const double (*points)[3], uint32_t point) {
  probe p = {home(t, points[point]), 1, 0};
  while (t->slots[p.at]) probe_next(&p, t, points[point]);
  t->slots[p.at] = point + 1;
}

static bool table_grow(point_table *t, const double (*points)[3], const double *extent,
                       const clv_allocator *allocator) {
  const point_table old = *t;
  t->size = old.size ? old.size * 2 : 1024;
  t->slots = t->size > old.size ? base_allocate(allocator, t->size * sizeof *t->slots) : NULL;
  if (!t->slots) {
    *t = old;
    return false;
  }
  memset(t->slots, 0, t->size * sizeof *t->slots);
  lay_lattice(t, extent);
  for (uint32_t k = 0; k < old.size; k++)
    if (old.slots[k]) table_put(t, points, old.slots[k] - 1);
  base_free(allocator, old.slots, old.size * sizeof *old.slots);
  return true;
}

// The first point with the coordinates of this one; itself when it is the first. There is room for one more.
static uint32_t table_first(point_table *t, const double (*points)[3], uint32_t point) {
  const double *p = points[point];
  for (probe at = {home(t, p), 1, 0};; probe_next(&at, t, p)) {
    const uint32_t slot = t->slots[at.at];
    if (!slot) {
      t->slots[at.at] = point + 1;
      t->count++;
      return point;
    }
    const double *q = points[slot - 1];
    if (p[0] == q[0] && p[1] == q[1] && p[2] == q[2]) return slot - 1;
  }
}

typedef struct numbering {
  mesh_vertices *v;
  const clv_mesh *mesh;
  const clv_allocator *allocator;
  point_table table;
  double extent[3];
  bool merge;
} numbering;

static bool number_point(numbering *n, uint32_t point) {
  uint32_t *vertex = &n->v->of_point[point];
  if (*vertex) return true;
  const double(*points)[3] = (const double(*)[3])n->mesh->points;
  if (n->merge && 4 * n->table.count >= n->table.size && !table_grow(&n->table, points, n->extent, n->allocator))
    return false;
  const uint32_t first = n->merge ? table_first(&n->table, points, point) : point;
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

static void find_bounds(numbering *n) {
  double high[3] = {0};
  for (size_t k = 0; k < n->mesh->point_count; k++)
    for (uint32_t c = 0; c < 3; c++) {
      const double x = n->mesh->points[k][c];
      n->table.low[c] = k && n->table.low[c] < x ? n->table.low[c] : x;
      high[c] = k && high[c] > x ? high[c] : x;
    }
  for (uint32_t c = 0; c < 3; c++) {
    n->extent[c] = high[c] - n->table.low[c];
    if (!isfinite(n->extent[c])) n->extent[c] = 0; // a point no element uses may lie anywhere: then space has no order
  }
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
  if (merge) find_bounds(&n);
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
