#include "body.h"

#include "../tools/flatten.h"
#include "../tools/tools.h"

#include <stdlib.h>

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
  double *pos = flat_column(map, "pos"), *rest = flat_column(map, "rest");
  for (uint32_t k = 0; k < count; k++) rest[k] = pos[k], pos[k] = 1.05 * rest[k] + 0.1 * scatter(k + 77);
  bench_ok(clv_views_refresh(views), "views", clv_views_error(views));
  return views;
}

// The flat arrays, in the same state.
static void make_flat(bench_body *body, const flat_list *list) {
  if (list->count != body->elements) bench_fail("%u elements and %u rows", list->count, body->elements);
  body->flat_pos = bench_memory((size_t)body->slots * 4 * sizeof(double));
  body->flat_direction = bench_memory((size_t)body->slots * 4 * sizeof(double));
  body->flat_force = bench_memory((size_t)body->slots * 4 * sizeof(double));
  const double *pos = flat_column(body->map, "pos");
  for (uint32_t s = 0; s < body->slots; s++)
    for (uint32_t i = 0; i < 3; i++) {
      body->flat_pos[4 * s + i] = pos[3 * s + i];
      body->flat_direction[4 * s + i] = body->direction[3 * s + i];
    }
  flat_mesh *both[] = {&body->scalar, &body->wide};
  body->scalar = flat_mesh_scalar(list);
  body->wide = flat_mesh_wide(list);
  for (int k = 0; k < 2; k++) {
    both[k]->pos = body->flat_pos;
    both[k]->direction = body->flat_direction;
    both[k]->out = body->flat_force;
  }
}

void bench_body_make(bench_body *body, const bench_body_def *def) {
  *body = (bench_body){.program = bench_program(def->module), .map = bench_map(def->cubes)};
  body->views = bench_views(body->program, body->map, def->law, def->threads);
  body->elements = (uint32_t)clv_views_rows(body->views, def->law);
  body->slots = clv_id_slots(body->map, CLV_VERTEX);
  body->direction = bench_memory((size_t)body->slots * 3 * sizeof(double));
  body->force = bench_memory((size_t)body->slots * 3 * sizeof(double));
  for (uint32_t k = 0; k < 3 * body->slots; k++) body->direction[k] = scatter(k + 5) - 0.5;
  flat_list list = def->on_edges ? flat_list_springs(body->map) : flat_list_tetrahedra(body->map);
  make_flat(body, &list);
  flat_list_free(&list);
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
  flat_mesh_free(&body->scalar);
  flat_mesh_free(&body->wide);
}
