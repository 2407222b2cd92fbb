#include "flatten.h"

#include "tools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *flat_column(const clv_map *map, const char *name) {
  const clv_column *column = clv_column_find(map, name);
  if (!column) bench_fail("there is no column '%s'", name);
  return clv_column_data(column, CLV_NONE, NULL);
}

static double at(const clv_map *map, const char *name, clv_dart dart) {
  const clv_column *column = clv_column_find(map, name);
  if (!column) bench_fail("there is no column '%s'", name);
  return *(const double *)clv_column_at(column, dart);
}

static flat_list make_list(uint32_t room, uint32_t corners, uint32_t values) {
  return (flat_list){.corners = corners,
                     .values = values,
                     .corner = bench_memory((size_t)room * corners * sizeof(uint32_t)),
                     .value = bench_memory((size_t)room * values * sizeof(double))};
}

void flat_list_free(flat_list *list) {
  free(list->corner);
  free(list->value);
}

// Springs

static void add_spring(flat_list *list, const double *rest, uint32_t a, uint32_t b, double stiffness) {
  const double *p = rest + 3ul * a, *q = rest + 3ul * b;
  list->corner[2 * list->count] = a;
  list->corner[2 * list->count + 1] = b;
  list->value[2 * list->count] = stiffness;
  list->value[2 * list->count + 1] =
      sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
  list->count++;
}

flat_list flat_list_springs(const clv_map *map) {
  static const int diagonal[4][2] = {{0, 6}, {1, 7}, {2, 4}, {3, 5}};
  clv_walk walk;
  bench_ok(clv_walk_all(&walk, map, CLV_EDGE), "edges", NULL);
  const uint32_t hexahedra = clv_cell_rows(map, CLV_HEX);
  const double *rest = flat_column(map, "rest");
  flat_list list = make_list(walk.count + 4 * hexahedra, 2, FLAT_SPRING_DATA);
  for (uint32_t e = 0; e < walk.count; e++)
    add_spring(&list, rest, clv_id_of(map, CLV_VERTEX, walk.darts[e]).index,
               clv_id_of(map, CLV_VERTEX, clv_alpha(map, walk.darts[e], 0)).index, at(map, "ks", walk.darts[e]));
  clv_walk_end(&walk);
  for (uint32_t h = 0; h < hexahedra; h++) {
    const uint32_t *corner = map->corners[CLV_HEX] + 8ul * h;
    const double stiffness = at(map, "k_diagonal", clv_cell_at(map, CLV_HEX, h));
    for (int d = 0; d < 4; d++) add_spring(&list, rest, corner[diagonal[d][0]], corner[diagonal[d][1]], stiffness);
  }
  return list;
}

// Tetrahedra

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

flat_list flat_list_tetrahedra(const clv_map *map) {
  const uint32_t count = clv_cell_rows(map, CLV_TET);
  const double *rest = flat_column(map, "rest");
  flat_list list = make_list(count, FLAT_TET_CORNERS, FLAT_TET_DATA);
  memcpy(list.corner, map->corners[CLV_TET], (size_t)count * FLAT_TET_CORNERS * sizeof *list.corner);
  for (uint32_t e = 0; e < count; e++) {
    const clv_dart dart = clv_cell_at(map, CLV_TET, e);
    double *to = list.value + (size_t)FLAT_TET_DATA * e;
    const double volume = invert(rest, list.corner + 4ul * e, to) / 6;
    to[9] = volume * at(map, "mu", dart);
    to[10] = volume * at(map, "lam", dart);
  }
  list.count = count;
  return list;
}

// Layouts

flat_mesh flat_mesh_scalar(const flat_list *list) {
  const size_t corners = (size_t)list->count * list->corners * sizeof(uint32_t);
  const size_t values = (size_t)list->count * list->values * sizeof(double);
  return (flat_mesh){.count = list->count,
                     .corners = memcpy(bench_memory(corners), list->corner, corners),
                     .data = memcpy(bench_memory(values), list->value, values)};
}

flat_mesh flat_mesh_wide(const flat_list *list) {
  const uint32_t count = list->count, batches = (count + 7) / 8;
  uint32_t *corners = bench_memory((size_t)batches * 8 * list->corners * sizeof *corners);
  double *data = bench_memory((size_t)batches * 8 * list->values * sizeof *data);
  for (uint32_t e = 0; e < batches * 8; e++) {
    const size_t from = e < count ? e : count - 1, batch = e / 8, lane = e % 8;
    for (uint32_t c = 0; c < list->corners; c++)
      corners[(batch * list->corners + c) * 8 + lane] = 4 * list->corner[from * list->corners + c];
    for (uint32_t k = 0; k < list->values; k++)
      data[(batch * list->values + k) * 8 + lane] = list->value[from * list->values + k];
  }
  return (flat_mesh){.count = count, .corners = corners, .data = data};
}

static void release(const void *memory) {
  union {
    const void *given;
    void *taken;
  } same = {memory};
  free(same.taken);
}

void flat_mesh_free(flat_mesh *mesh) {
  release(mesh->corners);
  release(mesh->data);
}
