// Refining: what a commit knows of it (src/map/lineage.h), and what it finds by walking.
//
// The same is done to two maps; the commits of one are told by the lineage of what came, those of the other walk. After
// each the maps must be equal to the last bit, and so must the values of all that is there and what subscribers are
// told.
//
// soak: yes
//
// usage: test_lineage [--soak] [--seed S]

#include "cleave/embed.h"
#include "cleave/mesh.h"
#include "map/plan.h"
#include "support/levels.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t first_seed = 1;
static uint32_t rounds = 1;

static clv_column *create(clv_map *view, clv_column_def def) {
  clv_column *column = NULL;
  def.components = def.components ? def.components : 1;
  if (clv_column_create(view, &def, &column) != CLV_OK) fail_msg("%s", clv_map_error(view));
  return column;
}

static clv_map *grid_of(clv_grid_kind kind) {
  clv_grid_def def = clv_default_grid_def();
  const clv_build_def build = clv_default_build_def();
  clv_mesh mesh;
  def.kind = kind;
  def.cells[0] = def.cells[1] = def.cells[2] = 2;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  clv_map *view = NULL;
  clv_error error;
  if (clv_mesh_build(&mesh, &build, &view, NULL, &error) != CLV_OK) fail_msg("%s", error.message);
  clv_mesh_free(&mesh);
  return view;
}

static void print_problem(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static clv_dart random_cell(const clv_map *view, clv_kind kind, random_source *random) {
  for (;;) {
    const clv_dart cell = clv_cell_at(view, kind, random_below(random, clv_cell_rows(view, kind)));
    if (cell) return cell;
  }
}

typedef struct heard {
  uint64_t hash;
  uint32_t count;
} heard;

static uint64_t mix(uint64_t hash, uint64_t value) {
  return (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15) ^ hash >> 29;
}

static void listen(void *user, const clv_map *view, const clv_commit *commit) {
  heard *h = user;
  (void)view;
  for (uint32_t k = 0; k < commit->event_count; k++) {
    const clv_event e = commit->events[k];
    h->hash = mix(mix(h->hash, (uint64_t)e.kind << 8 | e.dims), (uint64_t)e.dart << 32 | e.id.index);
    h->hash = mix(mix(h->hash, e.id.generation), (uint64_t)e.from.index << 32 | e.from.generation);
    h->count++;
  }
}

static uint64_t hash_values(const clv_map *view) {
  uint64_t hash = 0;
  for (uint32_t k = 0; clv_column_list(view, k); k++) {
    const clv_column *column = clv_column_list(view, k);
    clv_walk all;
    assert_int_equal(clv_walk_all(&all, view, clv_column_get_def(column)->orbit), CLV_OK);
    for (uint32_t n = 0; n < all.count; n++) {
      const uint8_t *value = clv_column_at(column, all.darts[n]);
      for (size_t b = 0; b < clv_column_size(column); b++) hash = mix(hash, value[b]);
    }
    clv_walk_end(&all);
  }
  return hash;
}

typedef struct twin {
  clv_map *map;
  clv_column *lev;
  heard heard;
  uint32_t told; // commits that were told by their lineage
} twin;

static void make_twin(twin *t, clv_grid_kind grid, uint32_t sorts, bool walks) {
  *t = (twin){.map = grid_of(grid)};
  t->lev = create(t->map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(t->map, (clv_column_def){.name = "tag", .orbit = CLV_CELL, .merge = CLV_MERGE_MEAN});
  if (sorts & 1u) create(t->map, (clv_column_def){.name = "ea", .orbit = CLV_CELL_EDGE, .merge = CLV_MERGE_SUM});
  if (sorts & 2u) create(t->map, (clv_column_def){.name = "k", .orbit = CLV_EDGE, .merge = CLV_MERGE_SUM});
  if (sorts & 4u) create(t->map, (clv_column_def){.name = "share", .orbit = CLV_CORNER, .merge = CLV_MERGE_SUM});
  for (uint32_t k = 1; clv_column_list(t->map, k); k++) {
    const clv_column *column = clv_column_list(t->map, k);
    if (clv_column_get_def(column)->type != CLV_DOUBLE || clv_column_get_def(column)->components > 1) continue;
    clv_walk all;
    assert_int_equal(clv_walk_all(&all, t->map, clv_column_get_def(column)->orbit), CLV_OK);
    for (uint32_t n = 0; n < all.count; n++) *(double *)clv_column_at(column, all.darts[n]) = n + 1.0;
    clv_walk_end(&all);
  }
  map_of(t->map)->scratch->walks = walks;
  assert_int_equal(clv_map_subscribe(t->map, listen, &t->heard), CLV_OK);
}

// Refines some cells in one commit, now and then a child of one as well; or puts some together, or unsews a facet.
static clv_result edit(twin *t, clv_kind kind, random_source *random) {
  clv_dart cells[6] = {0};
  int32_t levels[6] = {0};
  const uint32_t count = 1 + random_below(random, 6), what = random_below(random, 12);
  clv_result result = CLV_OK;
  for (uint32_t k = 0; k < count; k++) {
    cells[k] = random_cell(t->map, kind, random) | random_below(random, clv_templates[kind].dart_count);
    levels[k] = level_of(t->map, t->lev, cells[k]);
  }
  if (what == 0 && levels[0])
    return clv_map_coarsen(t->map, cells[0], (uint32_t)levels[0] - 1, clv_column_data(t->lev, CLV_NONE, NULL), NULL);
  if (what == 1) return clv_is_free(t->map, cells[0], 3) ? CLV_OK : clv_map_unsew(t->map, 3, cells[0]);
  for (uint32_t k = 0; result == CLV_OK && k < count; k++) {
    if (!clv_dart_alive(t->map, cells[k]) || levels[k] > 2) continue;
    const uint32_t rows = clv_cell_rows(t->map, kind);
    result = refine_from(t->map, t->lev, cells[k], levels[k]);
    const clv_dart child = what == 2 && result == CLV_OK ? clv_cell_at(t->map, kind, rows) : CLV_NO_DART;
    if (child) result = refine_from(t->map, t->lev, child, levels[k] + 1);
  }
  return result;
}

static void edit_twin(twin *t, clv_kind kind, uint64_t seed) {
  random_source random = {seed};
  assert_int_equal(clv_map_begin(t->map), CLV_OK);
  const clv_result result = edit(t, kind, &random);
  assert_true(result == CLV_OK || result == CLV_ERROR_REFUSED);
  if (random_below(&random, 6) == 0) {
    clv_map_rollback(t->map);
    return;
  }
  t->told += map_lineage_tells(map_of(t->map));
  assert_int_equal(clv_map_commit(t->map), CLV_OK);
}

static void lineage_and_walks_agree(void **unused) {
  (void)unused;
  uint32_t by_lineage = 0;
  for (uint32_t k = 0; k < 16 * rounds; k++) {
    const bool tets = k % 2 == 0;
    const clv_grid_kind grid = tets ? CLV_GRID_TET5 : CLV_GRID_HEX;
    const clv_kind kind = tets ? CLV_TET : CLV_HEX;
    twin told, walking;
    make_twin(&told, grid, k / 2, false);
    make_twin(&walking, grid, k / 2, true);
    for (uint32_t n = 0; n < 10; n++) {
      edit_twin(&told, kind, first_seed + 100 * k + n);
      edit_twin(&walking, kind, first_seed + 100 * k + n);
      assert_int_equal(clv_map_check(told.map, print_problem, NULL), CLV_OK);
      assert_int_equal(clv_map_hash(told.map), clv_map_hash(walking.map));
      assert_int_equal(told.heard.count, walking.heard.count);
      assert_int_equal(told.heard.hash, walking.heard.hash);
      assert_int_equal(hash_values(told.map), hash_values(walking.map));
    }
    by_lineage += told.told;
    clv_map_destroy(told.map);
    clv_map_destroy(walking.map);
  }
  assert_true(by_lineage > 16 * rounds);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) rounds = 100;
    if (!strcmp(argv[k], "--seed") && k + 1 < argc) first_seed = strtoull(argv[k + 1], NULL, 10);
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(lineage_and_walks_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
