// Refining and coarsening: against the rules that say the same, at random in bodies, and backwards.
//
// soak: yes
//
// usage: test_refine [--soak] [--seed S]

#include "cleave/surgery.h"
#include "support/bodies.h"
#include "support/counting_allocator.h"
#include "support/levels.h"
#include "support/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t first_seed = 1;
static uint32_t rounds = 4;

typedef struct kind_of_grid {
  clv_grid_kind grid;
  clv_kind kind;
  const char *refine;
} kind_of_grid;

static const kind_of_grid kinds[] = {
    {CLV_GRID_TRI, CLV_TRI, "refine_face"},
    {CLV_GRID_QUAD, CLV_QUAD, "refine_quad"},
    {CLV_GRID_TET5, CLV_TET, "refine_tet"},
    {CLV_GRID_HEX, CLV_HEX, "refine_hex"},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

// Maps

static clv_column *create(clv_map *map, clv_column_def def) {
  clv_column *column = NULL;
  def.components = def.components ? def.components : 1;
  if (clv_column_create(map, &def, &column) != CLV_OK) fail_msg("%s", clv_map_error(map));
  return column;
}

static clv_map *sized_map(clv_grid_kind kind, uint32_t size, const clv_allocator *allocator) {
  clv_grid_def def = clv_default_grid_def();
  clv_build_def build = clv_default_build_def();
  clv_mesh mesh;
  def.kind = kind;
  def.cells[0] = def.cells[1] = size;
  def.cells[2] = grid_is_surface(kind) ? 0 : size;
  if (allocator) build.allocator = *allocator;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  clv_map *map = NULL;
  clv_error error;
  const clv_result result = clv_mesh_build(&mesh, &build, &map, NULL, &error);
  clv_mesh_free(&mesh);
  if (result == CLV_ERROR_MEMORY && allocator) return NULL;
  if (result != CLV_OK) fail_msg("%s", error.message);
  return map;
}

static clv_map *grid_map(clv_grid_kind kind, const clv_allocator *allocator) {
  return sized_map(kind, 2, allocator);
}

static void print_problem(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static void check_map(const clv_map *map) {
  assert_int_equal(clv_map_check(map, print_problem, NULL), CLV_OK);
}

static clv_result refine_at(clv_map *map, clv_column *lev, clv_dart dart) {
  return refine_from(map, lev, dart, level_of(map, lev, dart));
}

static clv_dart random_cell(const clv_map *map, clv_kind kind, random_source *random) {
  for (;;) {
    const clv_dart cell = clv_cell_at(map, kind, random_below(random, clv_cell_rows(map, kind)));
    if (cell) return cell;
  }
}

// What a map is, whatever its names: where its vertices and its cells are, and what they bear.

typedef struct place {
  double at[3], value;
} place;

static int compare_places(const void *a, const void *b) {
  return memcmp(a, b, sizeof(place));
}

static place *places_of(const clv_map *map, clv_orbit orbit, const char *value, uint32_t *count) {
  const clv_column *pos = clv_column_find(map, "pos"), *column = clv_column_find(map, value);
  clv_walk all;
  assert_int_equal(clv_walk_all(&all, map, orbit), CLV_OK);
  place *places = calloc(all.count + 1, sizeof *places);
  assert_non_null(places);
  *count = all.count;
  for (uint32_t k = 0; k < all.count; k++) {
    clv_walk corners;
    assert_int_equal(clv_walk_incident(&corners, map, orbit, CLV_VERTEX, all.darts[k]), CLV_OK);
    for (uint32_t c = 0; c < corners.count; c++)
      for (uint32_t i = 0; i < 3; i++)
        places[k].at[i] += ((const double *)clv_column_at(pos, corners.darts[c]))[i] / corners.count;
    for (uint32_t i = 0; i < 3; i++) places[k].at[i] = round(places[k].at[i] * 1e9) + 0.0;
    const void *at = column ? clv_column_at(column, all.darts[k]) : NULL;
    places[k].value = !at                                             ? 0
                      : clv_column_get_def(column)->type == CLV_INT32 ? *(const int32_t *)at
                                                                      : *(const double *)at;
    places[k].value = round(places[k].value * 1e9); // means may have lost a bit
    clv_walk_end(&corners);
  }
  clv_walk_end(&all);
  qsort(places, *count, sizeof *places, compare_places);
  return places;
}

static void same_places(const clv_map *a, const clv_map *b, clv_orbit orbit, const char *value) {
  uint32_t count, other;
  place *p = places_of(a, orbit, value, &count), *q = places_of(b, orbit, value, &other);
  assert_int_equal(count, other);
  assert_memory_equal(p, q, count * sizeof *p);
  free(p);
  free(q);
}

static void same_shape(const clv_map *a, const clv_map *b) {
  clv_map_info p, q;
  assert_int_equal(clv_map_count(a, &p), CLV_OK);
  assert_int_equal(clv_map_count(b, &q), CLV_OK);
  assert_int_equal(p.darts, q.darts);
  assert_int_equal(p.boundary_facets, q.boundary_facets);
  for (uint32_t i = 0; i <= a->dimension; i++) assert_int_equal(p.cells[i], q.cells[i]);
  same_places(a, b, CLV_VERTEX, "lev");
  same_places(a, b, CLV_EDGE, "");
  same_places(a, b, CLV_CELL, "tag");
  if (a->dimension == 3) same_places(a, b, CLV_FACE, "");
}

// Columns of every sort that refining may meet.
static void create_columns(clv_map *map, bool rules) {
  create(map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
  if (rules) create(map, (clv_column_def){.name = "flev", .orbit = CLV_FACE, .type = CLV_INT32});
  if (rules && map->dimension == 3)
    create(map, (clv_column_def){.name = "vlev", .orbit = CLV_VOLUME, .type = CLV_INT32});
  clv_column *tag = create(map, (clv_column_def){.name = "tag", .orbit = CLV_CELL, .merge = CLV_MERGE_MEAN});
  clv_column *ea = create(map, (clv_column_def){.name = "ea", .orbit = CLV_CELL_EDGE, .merge = CLV_MERGE_SUM});
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    uint32_t count;
    double *values = clv_column_data(tag, (clv_kind)kind, &count);
    for (uint32_t k = 0; k < count; k++) values[k] = k + 1;
    values = clv_column_data(ea, (clv_kind)kind, &count);
    for (uint32_t k = 0; k < count; k++) values[k] = 100 + k;
  }
}

static void against_rules(void **unused) {
  (void)unused;
  clv_program *program = program_of_module("topology");
  for (uint32_t k = 0; k < KINDS; k++) {
    clv_map *native = grid_map(kinds[k].grid, NULL), *ruled = grid_map(kinds[k].grid, NULL);
    create_columns(native, false);
    create_columns(ruled, true);
    clv_column *lev = clv_column_find(native, "lev");
    random_source random = {first_seed};
    // Only cells that were there at first have the same names in both.
    const uint32_t rows = clv_cell_rows(native, kinds[k].kind);
    clv_id *ids = malloc(rows * sizeof *ids);
    assert_non_null(ids);
    for (uint32_t row = 0; row < rows; row++)
      ids[row] = clv_id_of(native, CLV_CELL, clv_cell_at(native, kinds[k].kind, row));
    for (uint32_t n = 0; n < 8; n++) {
      const clv_id id = ids[random_below(&random, rows)];
      // A rule makes a quadrangle of a triangle with one hanging vertex.
      if (!clv_id_alive(native, CLV_CELL, id) || !clv_id_alive(ruled, CLV_CELL, id)) continue;
      const clv_dart dart =
          clv_id_dart(native, CLV_CELL, id) + random_below(&random, clv_templates[kinds[k].kind].dart_count);
      assert_int_equal(clv_map_begin(native), CLV_OK);
      if (refine_at(native, lev, dart) != CLV_OK) fail_msg("%s", clv_map_error(native));
      assert_int_equal(clv_map_commit(native), CLV_OK);
      assert_int_equal(clv_map_begin(ruled), CLV_OK);
      const clv_rule_argument arguments[2] = {dart_argument(dart), number_argument(0)};
      const clv_result result = clv_rule_apply(rule_of(program, kinds[k].refine), ruled, arguments, 2, NULL, NULL);
      if (result != CLV_OK) fail_msg("%s", clv_map_error(ruled));
      assert_int_equal(clv_map_commit(ruled), CLV_OK);
      check_map(native);
      same_shape(native, ruled);
    }
    free(ids);
    clv_map_destroy(native);
    clv_map_destroy(ruled);
  }
  clv_program_destroy(program);
}

// There and back

static void coarsen_all(clv_map *map, const clv_column *lev, clv_kind kind) {
  for (int32_t level = 8; level > 0; level--)
    for (uint32_t row = 0; row < clv_cell_rows(map, kind); row++) {
      const clv_dart cell = clv_cell_at(map, kind, row);
      if (!cell || level_of(map, lev, cell) != level) continue;
      assert_int_equal(clv_map_begin(map), CLV_OK);
      if (clv_map_coarsen(map, cell, (uint32_t)level - 1, clv_column_data(lev, CLV_NONE, NULL), NULL) != CLV_OK)
        fail_msg("%s", clv_map_error(map));
      assert_int_equal(clv_map_commit(map), CLV_OK);
    }
}

static double sum_of(const clv_map *map, const char *name, clv_kind kind) {
  double sum = 0;
  const clv_column *column = clv_column_find(map, name);
  const uint32_t width = clv_templates[kind].sub[clv_orbit_dims(map, CLV_CELL_EDGE)].count;
  const double *values = clv_column_data(column, kind, NULL);
  for (uint32_t row = 0; row < clv_cell_rows(map, kind); row++)
    for (uint32_t e = 0; clv_cell_at(map, kind, row) && e < width; e++) sum += values[row * width + e];
  return sum;
}

static void go_there_and_back(const kind_of_grid *g, uint64_t seed) {
  clv_map *map = grid_map(g->grid, NULL), *start = grid_map(g->grid, NULL);
  create_columns(map, false);
  create_columns(start, false);
  clv_column *lev = clv_column_find(map, "lev");
  clv_journal *journal = clv_journal_create(map);
  assert_non_null(journal);
  random_source random = {seed};
  for (uint32_t n = 0; n < 9; n++) {
    assert_int_equal(clv_map_begin(map), CLV_OK);
    const clv_dart cell = random_cell(map, g->kind, &random);
    const int32_t level = level_of(map, lev, cell);
    const bool coarsen = level && random_below(&random, 3) == 0;
    const clv_result result =
        coarsen ? clv_map_coarsen(map, cell, (uint32_t)level - 1, clv_column_data(lev, CLV_NONE, NULL), NULL)
                : refine_at(map, lev, cell + random_below(&random, clv_templates[g->kind].dart_count));
    // Only a family of which one is finer or missing is refused.
    if (result != CLV_OK && !(coarsen && result == CLV_ERROR_REFUSED)) fail_msg("%s", clv_map_error(map));
    if (random_below(&random, 5) == 0)
      clv_map_rollback(map);
    else
      assert_int_equal(clv_map_commit(map), CLV_OK);
    check_map(map);
  }
  clv_map *again = grid_map(g->grid, NULL);
  create_columns(again, false);
  assert_int_equal(clv_journal_replay(journal, again), CLV_OK);
  assert_int_equal(clv_map_hash(again), clv_map_hash(map));
  same_shape(again, map);
  clv_map_destroy(again);
  coarsen_all(map, lev, g->kind);
  check_map(map);
  same_shape(map, start);
  assert_true(fabs(sum_of(map, "ea", g->kind) - sum_of(start, "ea", g->kind)) < 1e-9);
  clv_map_destroy(map);
  clv_map_destroy(start);
}

static void there_and_back(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < KINDS * rounds; k++) go_there_and_back(&kinds[k % KINDS], first_seed + k);
  go_there_and_back(&kinds[3], 116); // put together while others have finer vertices on the rim of a facet
}

// Neighbours refined in one commit: what a cell bears reaches all that came of it.
static void several_at_once(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < KINDS * rounds; k++) {
    const kind_of_grid *g = &kinds[k % KINDS];
    clv_map *map = grid_map(g->grid, NULL);
    create_columns(map, false);
    clv_column *lev = clv_column_find(map, "lev"), *tag = clv_column_find(map, "tag");
    random_source random = {first_seed + k};
    for (uint32_t n = 0; n < 3; n++) {
      // Levels are asked for before anything changes.
      const uint32_t rows = clv_cell_rows(map, g->kind);
      int32_t *levels = calloc(rows, sizeof *levels);
      assert_non_null(levels);
      for (uint32_t row = 0; row < rows; row++)
        levels[row] = clv_cell_at(map, g->kind, row) ? level_of(map, lev, clv_cell_at(map, g->kind, row)) : INT32_MAX;
      assert_int_equal(clv_map_begin(map), CLV_OK);
      for (uint32_t row = 0; row < rows; row++) {
        const clv_dart cell = clv_cell_at(map, g->kind, row);
        if (!cell || random_below(&random, 3) || levels[row] > 1) continue;
        if (refine_from(map, lev, cell, levels[row]) != CLV_OK) fail_msg("%s", clv_map_error(map));
      }
      free(levels);
      assert_int_equal(clv_map_commit(map), CLV_OK);
      check_map(map);
    }
    for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_CELL, id))
      assert_true(*(const double *)clv_column_at(tag, clv_id_dart(map, CLV_CELL, id)) > 0);
    clv_map_destroy(map);
  }
}

// Several edits in one commit: an orbit that one of them leaves alone another may part, or leave without cells.

static clv_map *numbered_map(const kind_of_grid *g) {
  clv_map *map = grid_map(g->grid, NULL);
  create_columns(map, false);
  create(map, (clv_column_def){.name = "k", .orbit = CLV_EDGE, .merge = CLV_MERGE_SUM});
  assert_int_equal(clv_map_number(map, CLV_FACE), CLV_OK);
  assert_int_equal(clv_map_number(map, CLV_ORBIT(0, 1, 0, 1)), CLV_OK); // corners of faces
  assert_int_equal(clv_map_number(map, CLV_ORBIT(0, 0, 1, 1)), CLV_OK); // ends of edges
  return map;
}

// Rows and records of many pages come in one transaction, and go again.
static void refine_scattered(clv_map *map, clv_column *lev, uint32_t rows) {
  assert_int_equal(clv_map_begin(map), CLV_OK);
  for (uint32_t row = 0; row < rows; row += 9)
    assert_int_equal(refine_at(map, lev, clv_cell_at(map, CLV_TET, row)), CLV_OK);
}

static void over_many_pages(void **unused) {
  (void)unused;
  clv_map *maps[2];
  for (uint32_t k = 0; k < 2; k++) {
    maps[k] = sized_map(CLV_GRID_TET5, 10, NULL);
    create_columns(maps[k], false);
    clv_column *lev = clv_column_find(maps[k], "lev");
    const uint32_t rows = clv_cell_rows(maps[k], CLV_TET);
    const uint64_t hash = clv_map_hash(maps[k]);
    if (k == 0) {
      refine_scattered(maps[k], lev, rows);
      clv_map_rollback(maps[k]);
      assert_int_equal(clv_map_hash(maps[k]), hash);
      check_map(maps[k]);
    }
    refine_scattered(maps[k], lev, rows);
    assert_int_equal(clv_map_commit(maps[k]), CLV_OK);
    assert_true(maps[k]->page_count > 10);
    check_map(maps[k]);
  }
  assert_int_equal(clv_map_hash(maps[0]), clv_map_hash(maps[1]));
  for (uint32_t k = 0; k < 2; k++) clv_map_destroy(maps[k]);
}

static void two_at_once(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < 4 * KINDS; k++) {
    const kind_of_grid *g = &kinds[k / 4];
    clv_map *map = numbered_map(g);
    clv_column *lev = clv_column_find(map, "lev");
    const uint32_t rows = clv_cell_rows(map, g->kind), n = map->dimension;
    clv_dart first = clv_cell_at(map, g->kind, 0);
    while (clv_is_free(map, first, n)) first++;
    const clv_dart beyond = clv_alpha(map, first, n);
    assert_int_equal(clv_map_begin(map), CLV_OK);
    if (k % 4 == 0) assert_int_equal(clv_map_unsew(map, n, first), CLV_OK);
    if (k % 4 == 1) assert_int_equal(clv_map_remove_cell(map, beyond), CLV_OK);
    assert_int_equal(refine_from(map, lev, first, 0), CLV_OK);
    if (k % 4 == 2) assert_int_equal(refine_from(map, lev, clv_cell_at(map, g->kind, rows), 1), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
    check_map(map);
    if (k % 4 == 3) { // the neighbour has halved edges about faces that are whole
      assert_int_equal(clv_map_begin(map), CLV_OK);
      assert_int_equal(refine_from(map, lev, beyond, 0), CLV_OK);
      assert_int_equal(clv_map_commit(map), CLV_OK);
      check_map(map);
    }
    clv_map_destroy(map);
  }
}

// A cell, and some of its children behind it.
static clv_result refine_deep(clv_map *map, clv_column *lev, clv_dart dart, int32_t level, random_source *random) {
  clv_refined refined;
  clv_result result = refine_into(map, lev, dart, level, &refined);
  for (uint32_t c = 0; result == CLV_OK && c < refined.child_count; c++)
    if (random_chance(random, 10)) result = refine_from(map, lev, refined.children[c], level + 1);
  return result;
}

// Where a vertex of a body is at rest: what laws keep of it must follow, though the dart may be gone soon.
static void move_rest(clv_map *map, clv_dart dart) {
  clv_column *rest = clv_column_find(map, "rest");
  const double *at = rest ? clv_column_at(rest, dart) : NULL;
  if (!at) return;
  const double moved[3] = {at[0] * 1.001, at[1] * 1.001, at[2] * 1.001};
  assert_int_equal(clv_column_set(rest, dart, moved), CLV_OK);
}

static void edit_at_once(clv_map *map, clv_kind kind, random_source *random) {
  enum { MOST = 4 };
  clv_column *lev = clv_column_find(map, "lev");
  clv_dart darts[MOST];
  int32_t levels[MOST];
  for (uint32_t k = 0; k < MOST; k++) { // levels are asked for before anything changes
    darts[k] = random_cell(map, kind, random) | random_below(random, clv_templates[kind].dart_count);
    levels[k] = level_of(map, lev, darts[k]);
  }
  assert_int_equal(clv_map_begin(map), CLV_OK);
  for (uint32_t k = random_below(random, MOST); k < MOST; k++) {
    const uint32_t what = random_below(random, 8);
    if (!clv_dart_alive(map, darts[k])) continue;
    clv_result result = CLV_OK;
    if (random_chance(random, 30)) move_rest(map, darts[k]);
    if (what < 4)
      result = levels[k] < 2 ? refine_deep(map, lev, darts[k], levels[k], random) : CLV_OK;
    else if (what < 5 && levels[k])
      result = clv_map_coarsen(map, darts[k], (uint32_t)levels[k] - 1, clv_column_data(lev, CLV_NONE, NULL), NULL);
    else if (what < 7)
      result = clv_is_free(map, darts[k], map->dimension) ? CLV_OK : clv_map_unsew(map, map->dimension, darts[k]);
    else
      result = clv_map_remove_cell(map, darts[k]);
    if (result != CLV_OK) assert_int_equal(result, CLV_ERROR_REFUSED);
  }
  assert_int_equal(clv_map_commit(map), CLV_OK);
}

static void many_at_once(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < 4 * KINDS * rounds; k++) {
    const kind_of_grid *g = &kinds[k % KINDS];
    clv_map *map = numbered_map(g);
    random_source random = {first_seed + k};
    for (uint32_t n = 0; n < 8 && clv_cell_count(map, g->kind); n++) {
      edit_at_once(map, g->kind, &random);
      check_map(map);
    }
    clv_map_destroy(map);
  }
}

// Memory

static clv_result work(clv_map *map, clv_column *lev, clv_kind kind) {
  clv_result result = clv_map_begin(map);
  if (result == CLV_OK) result = refine_at(map, lev, clv_cell_at(map, kind, 1));
  if (result == CLV_OK) result = clv_map_commit(map);
  if (result != CLV_OK) clv_map_rollback(map);
  if (result != CLV_OK) return result;
  const clv_dart child = clv_cell_at(map, kind, clv_cell_rows(map, kind) - 1);
  result = clv_map_begin(map);
  if (result == CLV_OK) result = clv_map_coarsen(map, child, 0, clv_column_data(lev, CLV_NONE, NULL), NULL);
  if (result == CLV_OK) result = clv_map_commit(map);
  if (result != CLV_OK) clv_map_rollback(map);
  return result;
}

static void memory_runs_out(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < KINDS; k++) {
    counting_memory memory = {0};
    const clv_allocator allocator = counting_allocator(&memory);
    bool refused = true;
    for (size_t at = 1; refused; at++) {
      memory = (counting_memory){0};
      clv_map *map = grid_map(kinds[k].grid, &allocator);
      assert_non_null(map);
      create_columns(map, false);
      const uint64_t hash = clv_map_hash(map);
      memory.requests = 0;
      memory.fail_at = at;
      const clv_result result = work(map, clv_column_find(map, "lev"), kinds[k].kind);
      refused = memory.refused;
      memory.fail_at = 0;
      assert_int_equal(result, refused ? CLV_ERROR_MEMORY : CLV_OK);
      if (refused && clv_map_revision(map) == 0) assert_int_equal(clv_map_hash(map), hash);
      check_map(map);
      clv_map_destroy(map);
      assert_int_equal(memory.live_bytes, 0);
    }
  }
}

// Bodies

static void print_difference(void *user, const char *what) {
  (void)user;
  print_error("%s\n", what);
}

static void check_body(clv_body *body) {
  check_map(clv_body_map(body));
  assert_int_equal(clv_views_check(clv_body_views(body), print_difference, NULL), CLV_OK);
}

static void at_random_in_bodies(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "springs", "fem-linear"};
  for (uint32_t k = 0; k < KINDS * rounds; k++) {
    const body_setup setup = setup_of(kinds[k % KINDS].grid, models[k / KINDS % 3]);
    clv_body *body = body_of(&setup);
    clv_error error = {0};
    clv_surgery *surgery = clv_surgery_create(body, &error);
    assert_non_null(surgery);
    clv_map *map = clv_body_map(body);
    random_source random = {first_seed + k};
    body_shake(body, 0.02, first_seed + k);
    double *vel = clv_body_velocities(body);
    for (uint32_t slot = 1; slot < clv_body_slots(body); slot++)
      for (uint32_t i = 0; i < 3; i++) vel[3 * (size_t)slot + i] = random_below(&random, 1000) / 1000.0;
    for (uint32_t n = 0; n < 10; n++) {
      const clv_dart cell = random_cell(map, kinds[k % KINDS].kind, &random);
      clv_momenta before, after;
      clv_surgery_report report;
      clv_body_momenta(body, &before);
      const uint32_t what = random_below(&random, 6);
      clv_result result = CLV_OK;
      const clv_zone all = clv_zone_all();
      if (what < 3) {
        result = clv_surgery_refine_cells(surgery, &cell, 1, 3, &report);
      } else if (what < 4) {
        result = clv_surgery_coarsen(surgery, &all, 1, &report);
      } else if (what < 5) {
        const clv_cut cut = {.kind = CLV_CUT_FACETS, .facets = &cell, .count = 1};
        if (!clv_is_free(map, cell, map->dimension)) result = clv_surgery_cut(surgery, &cut, &report);
      } else {
        result = clv_surgery_remove_cells(surgery, &cell, 1, &report);
      }
      if (result != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
      check_body(body);
      clv_body_momenta(body, &after);
      if (what < 5) {
        assert_true(fabs(after.mass - before.mass) <= 1e-12 * before.mass);
        for (uint32_t i = 0; i < 3; i++)
          if (fabs(after.linear[i] - before.linear[i]) > 1e-12 * fabs(before.linear[i]) + 1e-15)
            fail_msg("kind %u, operation %u of sort %u: momentum %.17g became %.17g", k, n, what, before.linear[i],
                     after.linear[i]);
      }
      if (!clv_cell_count(map, kinds[k % KINDS].kind)) break;
    }
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Views hear of several edits in one commit.
static void many_at_once_in_bodies(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "springs", "fem-linear"};
  for (uint32_t k = 0; k < KINDS * rounds; k++) {
    const body_setup setup = setup_of(kinds[k % KINDS].grid, models[k / KINDS % 3]);
    clv_body *body = body_of(&setup);
    clv_map *map = clv_body_map(body);
    create(map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
    random_source random = {first_seed + k};
    for (uint32_t n = 0; n < 6 && clv_cell_count(map, kinds[k % KINDS].kind); n++) {
      edit_at_once(map, kinds[k % KINDS].kind, &random);
      check_body(body);
    }
    clv_body_destroy(body);
  }
}

// Triangles beside quadrangles: every cell with a shape can be refined, whatever was cut about it.
static void mixed_surfaces(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < 4 * rounds; k++) {
    const body_setup setup = setup_of(CLV_GRID_MIXED2, "fem-corotational");
    clv_body *body = body_of(&setup);
    clv_surgery *surgery = clv_surgery_create(body, NULL);
    assert_non_null(surgery);
    clv_map *map = clv_body_map(body);
    random_source random = {first_seed + 1000 * k};
    for (uint32_t n = 0; n < 12; n++) {
      const clv_kind kind = random_below(&random, 2) ? CLV_TRI : CLV_QUAD;
      if (!clv_cell_count(map, kind)) continue;
      const clv_dart cell = random_cell(map, kind, &random) | random_below(&random, clv_templates[kind].dart_count);
      const uint32_t what = random_below(&random, 6);
      const clv_zone all = clv_zone_all();
      const clv_cut cut = {.kind = CLV_CUT_FACETS, .facets = &cell, .count = 1};
      clv_result result = CLV_OK;
      if (what < 3) {
        result = clv_surgery_refine_cells(surgery, &cell, 1, 3, NULL);
      } else if (what < 4) {
        result = clv_surgery_coarsen(surgery, &all, 0, NULL);
      } else if (what < 5) {
        if (!clv_is_free(map, cell, 2)) result = clv_surgery_cut(surgery, &cut, NULL);
      } else {
        result = clv_surgery_remove_cells(surgery, &cell, 1, NULL);
      }
      if (result != CLV_OK) fail_msg("round %u, operation %u, %u: %s", k, n, what, clv_surgery_error(surgery));
      check_body(body);
    }
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Vertices of finer cells stay in the faces of those they were beside, also when the finer ones go.
static void finer_ones_go(void **unused) {
  (void)unused;
  for (uint32_t k = 2; k < KINDS; k++) {
    body_setup setup = setup_of(kinds[k].grid, "fem-linear");
    memcpy(setup.grid.cells, (const uint32_t[3]){2, 1, 1}, sizeof setup.grid.cells);
    clv_body *body = body_of(&setup);
    clv_surgery *surgery = clv_surgery_create(body, NULL);
    assert_non_null(surgery);
    const double *rest = clv_body_rest(body);
    double most = 0;
    for (uint32_t slot = 1; slot < clv_body_slots(body); slot++) most = fmax(most, rest[3 * (size_t)slot]);
    const clv_zone all = clv_zone_all();
    const clv_zone far = clv_zone_box((const double[3]){most / 2, -1e3, -1e3}, (const double[3]){1e3, 1e3, 1e3});
    assert_int_equal(clv_surgery_refine(surgery, &all, 1, NULL), CLV_OK);
    assert_int_equal(clv_surgery_refine(surgery, &far, 2, NULL), CLV_OK);
    clv_surgery_report report;
    assert_int_equal(clv_surgery_remove(surgery, &far, &report), CLV_OK);
    assert_true(report.removed > 0);
    check_body(body);
    assert_int_equal(clv_surgery_coarsen(surgery, &all, 0, NULL), CLV_OK);
    check_body(body);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// A facet that neighbours have divided twice, and that is free in part since one of them is gone: what faces some of
// its places and not the others tells nothing about whether it is divided.
static bool refine_beside_gap(const kind_of_grid *g, uint32_t gap) {
  clv_map *map = grid_map(g->grid, NULL);
  create_columns(map, false);
  clv_column *lev = clv_column_find(map, "lev");
  const clv_dart cell = clv_cell_at(map, g->kind, 0);
  clv_dart first = cell;
  while (clv_is_free(map, first, map->dimension)) first++;
  for (uint32_t n = 0; n < 2; n++) {
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(refine_at(map, lev, clv_alpha(map, first, map->dimension)), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
  }
  clv_walk around;
  clv_dart fine = CLV_NO_DART;
  assert_int_equal(clv_walk_adjacent(&around, map, CLV_CELL, map->dimension == 3 ? CLV_FACE : CLV_EDGE, cell), CLV_OK);
  for (uint32_t k = 0, n = 0; k < around.count && !fine; k++)
    if (level_of(map, lev, around.darts[k]) == 2 && n++ == gap) fine = around.darts[k];
  clv_walk_end(&around);
  if (fine) {
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(clv_map_remove_cell(map, fine), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
    assert_int_equal(clv_map_begin(map), CLV_OK);
    if (refine_from(map, lev, cell, 0) != CLV_OK) fail_msg("%s", clv_map_error(map));
    assert_int_equal(clv_map_commit(map), CLV_OK);
    check_map(map);
    assert_int_equal(clv_cell_shape(map, clv_alpha(map, first, 0)), g->kind);
  }
  clv_map_destroy(map);
  return fine;
}

static void beside_gaps(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < KINDS; k++) {
    uint32_t gaps = 0;
    while (refine_beside_gap(&kinds[k], gaps)) gaps++;
    assert_true(gaps >= 2);
  }
}

// Prisms and pyramids stay as they are, and may have refined neighbours.
static void mixed(void **unused) {
  (void)unused;
  const body_setup setup = setup_of(CLV_GRID_MIXED, "fem-corotational");
  clv_body *body = body_of(&setup);
  clv_surgery *surgery = clv_surgery_create(body, NULL);
  clv_map *map = clv_body_map(body);
  clv_surgery_report report;
  const clv_zone all = clv_zone_all();
  const uint64_t hash = clv_map_hash(map);
  const clv_dart both[2] = {clv_cell_at(map, CLV_HEX, 0), clv_cell_at(map, CLV_PYRAMID, 0)};
  assert_int_equal(clv_surgery_refine_cells(surgery, both, 2, 1, &report), CLV_ERROR_REFUSED);
  assert_non_null(strstr(clv_surgery_error(surgery), "a pyramid cannot be refined"));
  assert_int_equal(clv_map_hash(map), hash);
  static const clv_kind able[] = {CLV_TET, CLV_HEX};
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t row = 0; row < clv_cell_rows(map, able[k]) && row < 4; row++) {
      const clv_dart cell = clv_cell_at(map, able[k], row);
      if (cell && clv_surgery_refine_cells(surgery, &cell, 1, 1, NULL) != CLV_OK)
        fail_msg("%s", clv_surgery_error(surgery));
    }
  check_body(body);
  // A zone: what is able, twice; the others are counted once.
  const uint32_t unable = clv_cell_count(map, CLV_PRISM) + clv_cell_count(map, CLV_PYRAMID);
  if (clv_surgery_refine(surgery, &all, 2, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  assert_true(report.refined > 8);
  assert_true(report.refused >= unable); // those with hanging vertices are told, too
  clv_dart cell;
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t row = 0; row < clv_cell_rows(map, able[k]); row++)
      if ((cell = clv_cell_at(map, able[k], row))) assert_int_equal(clv_surgery_level(surgery, cell), 2);
  check_body(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Adapting

static void follows_a_point(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < KINDS; k++) {
    const body_setup setup = setup_of(kinds[k].grid, "fem-corotational");
    clv_body *body = body_of(&setup);
    clv_surgery *surgery = clv_surgery_create(body, NULL);
    clv_map *map = clv_body_map(body);
    const uint32_t cells = clv_cell_count(map, kinds[k].kind);
    clv_adapt adapt = clv_default_adapt();
    clv_surgery_report report;
    adapt.bound = 0.5;
    assert_int_equal(clv_surgery_adapt(surgery, &adapt, &report), CLV_OK);
    assert_true(report.refined > 0 && report.coarsened == 0);
    assert_true(clv_cell_count(map, kinds[k].kind) > cells);
    check_body(body);
    assert_int_equal(clv_surgery_adapt(surgery, &adapt, &report), CLV_OK);
    assert_int_equal(report.coarsened, 0);
    adapt.point[0] = 100; // it goes away
    assert_int_equal(clv_surgery_adapt(surgery, &adapt, &report), CLV_OK);
    assert_int_equal(report.refined, 0);
    assert_int_equal(clv_cell_count(map, kinds[k].kind), cells);
    check_body(body);
    adapt.bound = 0;
    assert_int_equal(clv_surgery_adapt(surgery, &adapt, &report), CLV_ERROR_ARGUMENT);
    adapt = clv_default_adapt();
    adapt.kind = CLV_ADAPT_ZONE;
    adapt.zone = clv_zone_nearest((double[]){0, 0, 0});
    adapt.level = 2;
    assert_int_equal(clv_surgery_adapt(surgery, &adapt, &report), CLV_OK);
    assert_int_equal(report.refined, 1);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Four cells in a row; what lies beyond their middle is stretched by a part, and what lies before it by another.
static void stretch_halves(clv_body *body, double before, double beyond) {
  const double *rest = clv_body_rest(body);
  double *pos = clv_body_positions(body), most = 0;
  for (uint32_t slot = 1; slot < clv_body_slots(body); slot++) most = fmax(most, rest[3 * (size_t)slot]);
  for (uint32_t slot = 1; slot < clv_body_slots(body); slot++) {
    const double x = rest[3 * (size_t)slot] - most / 2;
    memcpy(pos + 3 * (size_t)slot, rest + 3 * (size_t)slot, 3 * sizeof *pos);
    pos[3 * (size_t)slot] += (x > 0 ? beyond : before) * x;
  }
}

static uint32_t adapted(clv_surgery *surgery, const clv_adapt *adapt, uint32_t coarsened) {
  clv_surgery_report report;
  assert_int_equal(clv_surgery_adapt(surgery, adapt, &report), CLV_OK);
  assert_int_equal(report.coarsened, coarsened);
  check_body(clv_surgery_body(surgery));
  return report.refined;
}

// Stress is on one side of the middle, a change of strain only across it.
static void follows_stress_and_gradient(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < 2 * 2; k++) {
    const kind_of_grid *g = &kinds[k % 2 ? 1 : 3]; // quadrangles, hexahedra
    body_setup setup = setup_of(g->grid, "fem-corotational");
    memcpy(setup.grid.cells, (const uint32_t[3]){4, 1, k % 2 ? 0 : 1}, sizeof setup.grid.cells);
    clv_body *body = body_of(&setup);
    clv_surgery *surgery = clv_surgery_create(body, NULL);
    assert_non_null(surgery);
    clv_map *map = clv_body_map(body);
    clv_id ids[4];
    for (uint32_t row = 0; row < 4; row++) ids[row] = clv_id_of(map, CLV_CELL, clv_cell_at(map, g->kind, row));
    clv_adapt adapt = clv_default_adapt();
    const bool stress = k < 2;
    adapt.kind = stress ? CLV_ADAPT_STRESS : CLV_ADAPT_GRADIENT;
    adapt.bound = stress ? 1 : 0.01;
    stretch_halves(body, 0, 0);
    assert_int_equal(adapted(surgery, &adapt, 0), 0);
    stretch_halves(body, 0, 0.1);
    assert_int_equal(adapted(surgery, &adapt, 0), 2);
    assert_true(clv_id_alive(map, CLV_CELL, ids[0]));
    assert_true(clv_id_alive(map, CLV_CELL, ids[1]) == stress);
    assert_false(clv_id_alive(map, CLV_CELL, ids[2]));
    assert_true(clv_id_alive(map, CLV_CELL, ids[3]) == !stress);
    assert_int_equal(adapted(surgery, &adapt, 0), 0);
    // The same everywhere: for a gradient that is nothing, for a stress all of it.
    stretch_halves(body, 0.1, 0.1);
    assert_int_equal(adapted(surgery, &adapt, stress ? 0 : 2), stress ? 2 : 0);
    stretch_halves(body, 0, 0);
    assert_int_equal(adapted(surgery, &adapt, stress ? 4 : 0), 0);
    assert_int_equal(clv_cell_count(map, g->kind), 4);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) rounds = 200;
    if (!strcmp(argv[k], "--seed") && k + 1 < argc) first_seed = strtoull(argv[k + 1], NULL, 10);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(against_rules),
      cmocka_unit_test(there_and_back),
      cmocka_unit_test(several_at_once),
      cmocka_unit_test(over_many_pages),
      cmocka_unit_test(two_at_once),
      cmocka_unit_test(many_at_once),
      cmocka_unit_test(memory_runs_out),
      cmocka_unit_test(at_random_in_bodies),
      cmocka_unit_test(many_at_once_in_bodies),
      cmocka_unit_test(mixed_surfaces),
      cmocka_unit_test(finer_ones_go),
      cmocka_unit_test(beside_gaps),
      cmocka_unit_test(mixed),
      cmocka_unit_test(follows_a_point),
      cmocka_unit_test(follows_stress_and_gradient),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
