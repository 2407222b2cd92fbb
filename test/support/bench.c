// The bench; bench.h tells what it is for.

#include "support/bench.h"

#include <string.h>

void bench_start(bench *b) {
  *b = (bench){.error = {CLV_OK, ""}};
  clv_mesh_init(&b->mesh, NULL);
}

void bench_end(bench *b) {
  clv_map_destroy(b->map);
  clv_mesh_free(&b->mesh);
  assert_int_equal(b->memory.live_bytes, 0);
}

void bench_add_points(bench *b, const double (*points)[3], size_t count) {
  for (size_t k = 0; k < count; k++)
    assert_int_equal(clv_mesh_add_point(&b->mesh, points[k][0], points[k][1], points[k][2]), CLV_OK);
}

void bench_add(bench *b, clv_kind kind, const uint32_t *corners, size_t count) {
  const int32_t tag = (int32_t)b->mesh.element_count * 7 - 3;
  assert_int_equal(clv_mesh_add_element(&b->mesh, kind, corners, count, tag), CLV_OK);
}

clv_result bench_try(bench *b, bool merge) {
  const clv_build_def def = {.merge_points = merge, .allocator = counting_allocator(&b->memory)};
  b->map = (clv_map *)&b->memory; // to see that it is written in any case
  return clv_mesh_build(&b->mesh, &def, &b->map, &b->report, &b->error);
}

static void complain(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

void bench_build(bench *b, bool merge) {
  const clv_result result = bench_try(b, merge);
  if (result != CLV_OK) fail_msg("%s", b->error.message);
  assert_int_equal(clv_map_check(b->map, complain, NULL), CLV_OK);
}

void bench_refuse(bench *b, bool merge, const char *const *words, size_t count) {
  assert_int_equal(bench_try(b, merge), CLV_ERROR_INPUT);
  assert_null(b->map);
  assert_int_equal(b->memory.live_bytes, 0);
  assert_int_equal(b->error.code, CLV_ERROR_INPUT);
  for (size_t k = 0; k < count; k++)
    if (!strstr(b->error.message, words[k])) fail_msg("\"%s\" is not in \"%s\"", words[k], b->error.message);
}

clv_map_info bench_info(const bench *b) {
  clv_map_info info;
  assert_int_equal(clv_map_count(b->map, &info), CLV_OK);
  return info;
}

void bench_add_grid(bench *b, clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z, bool shared) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = kind;
  def.cells[0] = x;
  def.cells[1] = y;
  def.cells[2] = z;
  def.shared = shared;
  def.size[0] = 1.5;
  assert_int_equal(clv_mesh_grid(&b->mesh, &def, NULL), CLV_OK);
  for (size_t e = 0; e < b->mesh.element_count; e++) b->mesh.tags[e] = (int32_t)e * 7 - 3;
}

const double bench_unit[CLV_TEMPLATE_LAST + 1][8][3] = {
    [CLV_TRI] = {{0, 0}, {1, 0}, {0, 1}},
    [CLV_QUAD] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}},
    [CLV_TET] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [CLV_PYRAMID] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}},
    [CLV_PRISM] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    [CLV_HEX] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
};
static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};

void bench_add_unit(bench *b, clv_kind kind) {
  const uint32_t count = clv_templates[kind].corner_count;
  bench_add_points(b, bench_unit[kind], count);
  bench_add(b, kind, in_order, count);
}

double bench_measure(const bench *b, clv_kind kind, uint32_t row) {
  const uint32_t count = clv_templates[kind].corner_count;
  const double(*positions)[3] = clv_column_data(clv_column_find(b->map, "pos"), CLV_NONE, NULL);
  double p[8][3];
  for (uint32_t c = 0; c < count; c++) memcpy(p[c], positions[b->map->corners[kind][row * count + c]], sizeof p[c]);
  const double(*corners)[3] = (const double(*)[3])p;
  return b->map->dimension == 2 ? clv_element_area_z(kind, corners) : clv_element_measure(kind, corners);
}
