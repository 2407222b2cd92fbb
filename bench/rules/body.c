#include "body.h"

#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers between 0 and 1 that are the same everywhere.
static double scatter(uint32_t k) {
  k = (k ^ 61u) ^ (k >> 16);
  k *= 9u;
  k ^= k >> 4;
  k *= 0x27d4eb2du;
  return (double)(k ^ (k >> 15)) / 4294967296.0;
}

clv_program *bench_program(const char *module) {
  clv_program *program = clv_program_create(NULL);
  if (!program) bench_fail("out of memory");
  bench_ok(clv_program_use(program, module), module, NULL);
  bench_ok(clv_program_check(program), module, NULL);
  return program;
}

clv_map *bench_map(const uint32_t cubes[3]) {
  clv_mesh mesh;
  clv_error error;
  clv_grid_def grid = clv_default_grid_def();
  clv_map *map = NULL;
  clv_mesh_init(&mesh, NULL);
  grid.kind = CLV_GRID_TET6;
  for (int i = 0; i < 3; i++) grid.cells[i] = cubes[i], grid.size[i] = cubes[i];
  bench_ok(clv_mesh_grid(&mesh, &grid, &error), "grid", error.message);
  for (uint32_t p = 0; p < mesh.point_count; p++)
    for (uint32_t i = 0; i < 3; i++) mesh.points[p][i] += 0.2 * scatter(3 * p + i);
  const clv_build_def build = clv_default_build_def();
  bench_ok(clv_mesh_build(&mesh, &build, &map, NULL, &error), "map", error.message);
  clv_mesh_free(&mesh);
  return map;
}

static double *vertex_column(const clv_map *map, const char *name) {
  const clv_column *column = clv_column_find(map, name);
  if (!column) bench_fail("there is no column '%s'", name);
  return clv_column_data(column, CLV_NONE, NULL);
}

static double at(const clv_map *map, const char *name, clv_dart dart) {
  const clv_column *column = clv_column_find(map, name);
  if (!column) bench_fail("there is no column '%s'", name);
  return *(const double *)clv_column_at(column, dart);
}

// At rest where the mesh is, and now somewhere near.
clv_views *bench_views(const clv_program *program, clv_map *map, const char *law, uint32_t threads) {
  clv_views_def def = clv_default_views_def();
  clv_error error;
  def.threads = threads;
  def.forces = &law;
  def.force_count = 1;
  clv_views *views = clv_views_create(program, map, &def, &error);
  if (!views) bench_fail("views: %s", error.message);
  const uint32_t count = 3 * clv_id_slots(map, CLV_VERTEX);
  double *pos = vertex_column(map, "pos"), *rest = vertex_column(map, "rest");
  for (uint32_t k = 0; k < count; k++) rest[k] = pos[k], pos[k] = 1.05 * rest[k] + 0.1 * scatter(k + 77);
  bench_ok(clv_views_refresh(views), "views", clv_views_error(views));
  return views;
}

// The flat arrays

typedef struct flat_input {
  uint32_t corners;
  uint32_t values;
  const uint32_t *corner; // [element][corners]
  const double *value;    // [element][values]
} flat_input;

static void make_flat(bench_body *body, const flat_input *in) {
  const uint32_t count = body->elements, batches = (count + 7) / 8;
  uint32_t *scalar_corners = bench_memory((size_t)count * in->corners * sizeof *scalar_corners);
  uint32_t *wide_corners = bench_memory((size_t)batches * 8 * in->corners * sizeof *wide_corners);
  double *scalar_data = bench_memory((size_t)count * in->values * sizeof *scalar_data);
  double *wide_data = bench_memory((size_t)batches * 8 * in->values * sizeof *wide_data);
  memcpy(scalar_corners, in->corner, (size_t)count * in->corners * sizeof *scalar_corners);
  memcpy(scalar_data, in->value, (size_t)count * in->values * sizeof *scalar_data);
  for (uint32_t e = 0; e < batches * 8; e++) {
    const size_t from = e < count ? e : count - 1, batch = e / 8, lane = e % 8;
    for (uint32_t c = 0; c < in->corners; c++)
      wide_corners[(batch * in->corners + c) * 8 + lane] = in->corner[from * in->corners + c];
    for (uint32_t k = 0; k < in->values; k++)
      wide_data[(batch * in->values + k) * 8 + lane] = in->value[from * in->values + k];
  }
  body->flat_pos = bench_memory((size_t)body->slots * 4 * sizeof(double));
  body->flat_direction = bench_memory((size_t)body->slots * 4 * sizeof(double));
  body->flat_force = bench_memory((size_t)body->slots * 4 * sizeof(double));
  const double *pos = vertex_column(body->map, "pos");
  for (uint32_t s = 0; s < body->slots; s++)
    for (uint32_t i = 0; i < 3; i++) {
      body->flat_pos[4 * s + i] = pos[3 * s + i];
      body->flat_direction[4 * s + i] = body->direction[3 * s + i];
    }
  body->scalar =
      (flat_mesh){count, scalar_corners, scalar_data, body->flat_pos, body->flat_direction, body->flat_force};
  body->wide = body->scalar;
  body->wide.corners = wide_corners;
  body->wide.data = wide_data;
}

static void flatten_edges(bench_body *body) {
  clv_walk walk;
  bench_ok(clv_walk_all(&walk, body->map, CLV_EDGE), "edges", NULL);
  if (walk.count != body->elements) bench_fail("%u edges and %u rows", walk.count, body->elements);
  uint32_t *corner = bench_memory((size_t)walk.count * 2 * sizeof *corner);
  double *value = bench_memory((size_t)walk.count * 2 * sizeof *value);
  const double *rest = vertex_column(body->map, "rest");
  for (uint32_t e = 0; e < walk.count; e++) {
    const clv_dart dart = walk.darts[e];
    const uint32_t a = clv_id_of(body->map, CLV_VERTEX, dart).index;
    const uint32_t b = clv_id_of(body->map, CLV_VERTEX, clv_alpha(body->map, dart, 0)).index;
    double square = 0;
    for (uint32_t i = 0; i < 3; i++)
      square += (rest[3 * a + i] - rest[3 * b + i]) * (rest[3 * a + i] - rest[3 * b + i]);
    corner[2 * e] = a, corner[2 * e + 1] = b;
    value[2 * e] = at(body->map, "ks", dart);
    value[2 * e + 1] = sqrt(square);
  }
  clv_walk_end(&walk);
  make_flat(body, &(flat_input){2, FLAT_SPRING_DATA, corner, value});
  free(corner);
  free(value);
}

// The inverse of the matrix whose columns are the edges from corner 0, row by row; six times the volume.
static double invert(const double *rest, const uint32_t corner[4], double inverse[9]) {
  double a[3][3];
  for (uint32_t c = 0; c < 3; c++)
    for (uint32_t i = 0; i < 3; i++) a[c][i] = rest[3 * corner[c + 1] + i] - rest[3 * corner[0] + i];
  double volume = 0;
  for (uint32_t c = 0; c < 3; c++)
    for (uint32_t i = 0; i < 3; i++) {
      const double *u = a[(c + 1) % 3], *v = a[(c + 2) % 3];
      inverse[3 * c + i] = u[(i + 1) % 3] * v[(i + 2) % 3] - u[(i + 2) % 3] * v[(i + 1) % 3];
      if (c == 0) volume += a[0][i] * inverse[i];
    }
  for (int k = 0; k < 9; k++) inverse[k] /= volume;
  return volume;
}

static void flatten_tetrahedra(bench_body *body) {
  const uint32_t count = clv_cell_rows(body->map, CLV_TET);
  if (count != body->elements) bench_fail("%u tetrahedra and %u rows", count, body->elements);
  const uint32_t *corner = body->map->corners[CLV_TET];
  const double *rest = vertex_column(body->map, "rest");
  double *value = bench_memory((size_t)count * FLAT_TET_DATA * sizeof *value);
  for (uint32_t e = 0; e < count; e++) {
    const clv_dart dart = clv_cell_at(body->map, CLV_TET, e);
    double *to = value + (size_t)FLAT_TET_DATA * e;
    const double volume = invert(rest, corner + 4 * (size_t)e, to) / 6;
    to[9] = volume * at(body->map, "mu", dart);
    to[10] = volume * at(body->map, "lam", dart);
  }
  make_flat(body, &(flat_input){4, FLAT_TET_DATA, corner, value});
  free(value);
}

void bench_body_make(bench_body *body, const bench_body_def *def) {
  *body = (bench_body){.program = bench_program(def->module), .map = bench_map(def->cubes)};
  body->views = bench_views(body->program, body->map, def->law, def->threads);
  body->elements = (uint32_t)clv_views_rows(body->views, def->law);
  body->slots = clv_id_slots(body->map, CLV_VERTEX);
  body->direction = bench_memory((size_t)body->slots * 3 * sizeof(double));
  body->force = bench_memory((size_t)body->slots * 3 * sizeof(double));
  for (uint32_t k = 0; k < 3 * body->slots; k++) body->direction[k] = scatter(k + 5) - 0.5;
  if (def->on_edges)
    flatten_edges(body);
  else
    flatten_tetrahedra(body);
}

static void release(const void *memory) {
  union {
    const void *given;
    void *taken;
  } same = {memory};
  free(same.taken);
}

void bench_body_free(bench_body *body) {
  clv_views_destroy(body->views);
  clv_map_destroy(body->map);
  clv_program_destroy(body->program);
  free(body->direction);
  free(body->force);
  free(body->flat_pos);
  free(body->flat_direction);
  free(body->flat_force);
  release(body->scalar.corners);
  release(body->scalar.data);
  release(body->wide.corners);
  release(body->wide.data);
}
