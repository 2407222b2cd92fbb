// Numbering points; with merging, through a table that keeps the order of space.
//
// Points that are near each other in a mesh are near each other in its lists. A table that scatters them loses that,
// and waits for memory at every look. So a point is first looked for at the place that its position in the bounding box
// has in the table, and in the few slots behind it; only where a region is crowded are points scattered by a hash. What
// is found there are vertices, whose positions lie together. The table is made for as many vertices as such elements
// usually have, which may be an eighth of all points, and grows with them.

#include "mesh/points.h"

#include <math.h>

typedef struct point_table {
  uint32_t *slots; // vertices
  uint32_t size;
  double low[3], scale[3];  // from coordinates to lattice cells
  double first[3], last[3]; // of those
  uint32_t stride[3];
} point_table;

enum { NEAR_PROBES = 8 };

static inline uint64_t raw_bits(double coordinate) {
  uint64_t bits;
  memcpy(&bits, &coordinate, sizeof bits);
  return bits;
}

static uint64_t bits_of(double coordinate) {
  return raw_bits(coordinate + 0.0); // -0 and 0 are one place
}

// Coordinates of grids differ in a few high bits only: they are folded down before and after each multiplication.
static uint32_t hash_point(const double *p) {
  uint64_t hash = bits_of(p[0]) ^ bits_of(p[0]) >> 32;
  hash = (hash * UINT64_C(0x9E3779B97F4A7C15)) ^ bits_of(p[1]) ^ bits_of(p[1]) >> 29;
  hash = (hash * UINT64_C(0xD6E8FEB86659FD93)) ^ bits_of(p[2]) ^ bits_of(p[2]) >> 31;
  hash = (hash ^ hash >> 32) * UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)(hash >> 32);
}

// The box is that of some points only: others may lie outside, or anywhere at all.
static inline uint32_t home(const point_table *t, const double *p) {
  uint32_t at = 0;
  for (uint32_t c = 0; c < 3; c++) {
    double cell = (p[c] - t->low[c]) * t->scale[c];
    cell = cell > t->first[c] ? cell : t->first[c];
    cell = cell < t->last[c] ? cell : t->last[c];
    at += (uint32_t)(int32_t)cell * t->stride[c];
  }
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
    t->first[c] = 0;
    t->last[c] = cells - 1;
    t->stride[c] = stride;
    stride *= (uint32_t)cells;
  }
}

// The vertex at this position, or the slot for it, which is 0.
static uint32_t *table_find(const point_table *t, const double (*positions)[3], const double *p) {
  for (probe at = {home(t, p), 1, 0};; probe_next(&at, t, p)) {
    uint32_t *slot = &t->slots[at.at];
    const double *q = positions[*slot];
    if (!*slot || (p[0] == q[0] && p[1] == q[1] && p[2] == q[2])) return slot;
  }
}

typedef struct numbering {
  mesh_vertices *v;
  const clv_mesh *mesh;
  const clv_allocator *allocator;
  point_table table;
  double extent[3], sum;
  bool merge;
} numbering;

// The positions of the vertices there are have room from the start.
static bool table_resize(numbering *n, uint32_t size) {
  point_table *t = &n->table;
  const double(*positions)[3] = (const double(*)[3])n->v->position;
  uint32_t *slots = size > t->size ? base_allocate(n->allocator, size * sizeof *slots) : NULL;
  if (!slots) return false;
  base_free(n->allocator, t->slots, t->size * sizeof *t->slots);
  memset(slots, 0, size * sizeof *slots);
  t->slots = slots;
  t->size = size;
  lay_lattice(t, n->extent);
  for (uint32_t v = 1; v <= n->v->count; v++) *table_find(t, positions, positions[v]) = v;
  return true;
}

static bool make_room(numbering *n) {
  mesh_vertices *v = n->v;
  return base_grow(n->allocator, &v->position, &v->room, (uint64_t)v->count + 2, sizeof *v->position);
}

static bool number_point(numbering *n, uint32_t point) {
  mesh_vertices *v = n->v;
  const double *p = n->mesh->points[point];
  if (!make_room(n)) return false;
  if (n->merge && v->count >= n->table.size / 2 && !table_resize(n, 2 * n->table.size)) return false;
  uint32_t *slot = n->merge ? table_find(&n->table, (const double(*)[3])v->position, p) : NULL;
  if (slot && *slot) {
    v->of_point[point] = *slot;
    v->merged++;
    return true;
  }
  v->of_point[point] = ++v->count;
  memcpy(v->position[v->count], p, sizeof *v->position);
  if (slot) *slot = v->count;
  return true;
}

static inline bool same_bits(const double *p, const double *q) {
  return raw_bits(p[0]) == raw_bits(q[0]) && raw_bits(p[1]) == raw_bits(q[1]) && raw_bits(p[2]) == raw_bits(q[2]);
}

// The vertex near a point's home that has its position, bit by bit; 0 when it takes a longer look.
static inline uint32_t look_near(const point_table *t, const double (*positions)[3], const double *p) {
  const uint32_t mask = t->size - 1;
  uint32_t at = home(t, p);
  for (uint32_t number = 0; number < NEAR_PROBES; number++) {
    const uint32_t vertex = t->slots[at];
    if (!vertex || same_bits(positions[vertex], p)) return vertex;
    at = (at + 1) & mask;
  }
  return 0;
}

static bool number_corners(numbering *n, const uint32_t *corners, size_t count) {
  const double(*points)[3] = (const double(*)[3])n->mesh->points;
  uint32_t *of_point = n->v->of_point;
  double sum = 0;
  for (size_t k = 0; k < count; k++) {
    const uint32_t point = corners[k];
    if (of_point[point]) continue;
    const double *p = points[point];
    sum += p[0] + p[1] + p[2];
    const uint32_t near = n->merge ? look_near(&n->table, (const double(*)[3])n->v->position, p) : 0;
    if (near) {
      of_point[point] = near;
      n->v->merged++;
    } else if (!number_point(n, point)) {
      return false;
    }
  }
  n->sum += sum;
  return true;
}

static bool number_faces(numbering *n, const uint32_t *stream) {
  size_t at = 1;
  for (uint32_t f = 0; f < stream[0]; f++) {
    const uint32_t size = stream[at++];
    if (!number_corners(n, stream + at, size)) return false;
    at += size;
  }
  return true;
}

// The box of some points, evenly chosen: about where the mesh lies.
static void find_box(numbering *n) {
  const double(*points)[3] = (const double(*)[3])n->mesh->points;
  const size_t count = n->mesh->point_count, stride = count / 4096 + 1;
  double high[3] = {0};
  for (size_t k = 0; k < count; k += stride)
    for (uint32_t c = 0; c < 3; c++) {
      const double x = points[k][c];
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

// Templates or the others: templates come first.
static bool number_elements(numbering *n, int dimension, bool others) {
  const clv_mesh *mesh = n->mesh;
  bool wanted[CLV_KIND_COUNT];
  for (int kind = 0; kind < CLV_KIND_COUNT; kind++)
    wanted[kind] = clv_kind_dimension((clv_kind)kind) == dimension && is_explicit((uint8_t)kind) == others;
  for (size_t k = 0; k < mesh->element_count; k++) {
    if (!wanted[mesh->kinds[k]]) continue;
    const uint32_t *corners = mesh->corners + mesh->offsets[k];
    const bool done = mesh->kinds[k] == CLV_POLYHEDRON
                          ? number_faces(n, corners)
                          : number_corners(n, corners, mesh->offsets[k + 1] - mesh->offsets[k]);
    if (!done) return false;
  }
  return true;
}

// As many vertices as such elements usually have: a hexahedron adds one, a tetrahedron a fifth.
static uint64_t expected_vertices(const clv_mesh *mesh) {
  static const uint8_t eighths[CLV_KIND_COUNT] = {
      [CLV_TRI] = 4, [CLV_QUAD] = 8, [CLV_TET] = 2, [CLV_PYRAMID] = 3, [CLV_PRISM] = 4, [CLV_HEX] = 8};
  uint64_t sum = 0;
  for (size_t k = 0; k < mesh->element_count; k++) sum += eighths[mesh->kinds[k]];
  return sum / 8 < mesh->point_count ? sum / 8 : mesh->point_count;
}

// Where there are more vertices than expected the table grows; from the start it has room for all of space, not only
// for the part that comes first.
static bool make_table(numbering *n, uint64_t expected) {
  uint64_t size = 1024;
  while (size < 4 * expected && size < UINT32_MAX / 8) size *= 2;
  find_box(n);
  return table_resize(n, (uint32_t)size);
}

bool mesh_vertices_number(mesh_vertices *vertices, const clv_mesh *mesh, int dimension, bool merge,
                          const clv_allocator *allocator) {
  *vertices = (mesh_vertices){0};
  vertices->of_point = base_allocate(allocator, mesh->point_count * sizeof(uint32_t) + 1);
  bool done = vertices->of_point != NULL;
  if (done) memset(vertices->of_point, 0, mesh->point_count * sizeof(uint32_t));
  numbering n = {.v = vertices, .mesh = mesh, .allocator = allocator, .merge = merge};
  const uint64_t expected = merge ? expected_vertices(mesh) : mesh->point_count, some = expected + expected / 8;
  const uint64_t room = 1 + (some < mesh->point_count ? some : mesh->point_count);
  done = done && base_grow(allocator, &vertices->position, &vertices->room, room, sizeof *vertices->position);
  done = done && (!merge || make_table(&n, expected));
  done = done && number_elements(&n, dimension, false);
  vertices->of_templates = vertices->count;
  done = done && number_elements(&n, dimension, true);
  base_free(allocator, n.table.slots, n.table.size * sizeof *n.table.slots);
  vertices->finite = isfinite(n.sum);
  vertices->unused = mesh->point_count - vertices->count - vertices->merged;
  if (!done) mesh_vertices_free(vertices, mesh, allocator);
  return done;
}

void mesh_vertices_free(mesh_vertices *vertices, const clv_mesh *mesh, const clv_allocator *allocator) {
  base_free(allocator, vertices->of_point, mesh->point_count * sizeof(uint32_t) + 1);
  base_free(allocator, vertices->position, vertices->room * sizeof *vertices->position);
  *vertices = (mesh_vertices){0};
}
