// Values in transactions of many edits: they are as if each edit were a commit of its own.
//
// Twins are two maps that are edited alike. One has a transaction for everything, the other commits each edit. What is
// said at darts that later edits delete, or of orbits that they part, must be there in the end in both. Which dart is
// which is told by the way to it from a dart of a cell that is left alone.
//
// soak: yes
//
// usage: test_carry [--soak] [--seed S]

#include "cleave/mesh.h"
#include "support/counting_allocator.h"
#include "support/levels.h"
#include "support/random.h"
#include "support/small_map.h"

#include <stdlib.h>
#include <string.h>

static uint64_t first_seed = 1, seed;
static uint32_t rounds = 40;

static void require(bool holds, const char *what) {
  if (!holds) fail_msg("seed %llu: %s", (unsigned long long)seed, what);
}

static const clv_grid_kind grids[] = {CLV_GRID_TRI, CLV_GRID_QUAD, CLV_GRID_TET5, CLV_GRID_HEX};
static const clv_kind shapes[] = {CLV_TRI, CLV_QUAD, CLV_TET, CLV_HEX};
enum { GRIDS = 4, AT_ONCE = 0, ONE_BY_ONE = 1 };

// What maps have, beside points; what refining knows by itself comes before the last.
static const struct {
  const char *name;
  clv_orbit orbit;
} extras[] = {
    {"heat", CLV_VERTEX}, {"stuff", CLV_CELL}, {"corner", CLV_CORNER}, {"edge", CLV_EDGE}, {"side", CLV_FACE}};
enum { EXTRAS = sizeof extras / sizeof *extras };

typedef struct twins {
  clv_map *map[2];
  clv_kind kind;
  uint32_t extras;
  clv_dart root[2];
  clv_walk walk[2]; // the darts of the root's piece, in one order
  clv_journal *journal;
  clv_map *again; // what it is replayed on
} twins;

// Keeps a dart through commits that rename it.
static void rename_root(void *user, const clv_map *map, const clv_commit *commit) {
  (void)map;
  clv_dart *root = user;
  for (uint32_t k = 0; k < commit->rename_count; k++) {
    if (commit->renames[k].before != *root) continue;
    *root = commit->renames[k].after;
    return;
  }
}

static clv_map *make_map(clv_grid_kind kind, const uint32_t cells[3], uint32_t extra_count,
                         const clv_allocator *allocator) {
  clv_grid_def def = clv_default_grid_def();
  clv_build_def build = clv_default_build_def();
  clv_mesh mesh;
  clv_map *map = NULL;
  if (allocator) build.allocator = *allocator;
  def.kind = kind;
  memcpy(def.cells, cells, sizeof def.cells);
  for (uint32_t i = 0; i < 3; i++) def.origin[i] = 1 + i; // so that no vertex lies where nobody put it
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  const clv_result built = clv_mesh_build(&mesh, &build, &map, NULL, NULL);
  clv_mesh_free(&mesh);
  if (built != CLV_OK) return NULL;
  const clv_column_def lev = {.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32, .components = 1};
  clv_result result = clv_column_create(map, &lev, NULL);
  const double initial = -1;
  for (uint32_t k = 0; k < extra_count && result == CLV_OK; k++) {
    clv_column_def column = clv_default_column_def();
    column.name = extras[k].name;
    column.orbit = extras[k].orbit;
    column.components = 1;
    column.create = CLV_CREATE_VALUE;
    column.initial = &initial;
    result = clv_column_create(map, &column, NULL);
  }
  if (result == CLV_OK) return map;
  clv_map_destroy(map);
  return NULL;
}

static void order_darts(twins *t, uint32_t which) {
  clv_walk_end(&t->walk[which]);
  require(clv_dart_alive(t->map[which], t->root[which]), "the root is gone");
  assert_int_equal(clv_walk_orbit(&t->walk[which], t->map[which], CLV_COMPONENT, t->root[which]), CLV_OK);
}

static void follow(twins *t) {
  order_darts(t, AT_ONCE);
  order_darts(t, ONE_BY_ONE);
  require(t->walk[AT_ONCE].count == t->walk[ONE_BY_ONE].count, "the twins have different darts");
}

static void begin_twins(twins *t, uint32_t grid, const uint32_t wanted[3], uint32_t extra_count) {
  const uint32_t cells[3] = {wanted[0], wanted[1], grid < 2 ? 0 : wanted[2]};
  t->kind = shapes[grid];
  t->extras = extra_count;
  for (uint32_t m = 0; m < 2; m++) {
    t->map[m] = make_map(grids[grid], cells, extra_count, NULL);
    assert_non_null(t->map[m]);
    t->root[m] = clv_cell_at(t->map[m], t->kind, clv_cell_rows(t->map[m], t->kind) - 1);
    assert_int_equal(clv_map_subscribe(t->map[m], rename_root, &t->root[m]), CLV_OK);
    assert_int_equal(clv_walk_orbit(&t->walk[m], t->map[m], CLV_COMPONENT, t->root[m]), CLV_OK);
  }
  t->again = make_map(grids[grid], cells, extra_count, NULL);
  t->journal = clv_journal_create(t->map[AT_ONCE]);
  assert_true(t->again && t->journal);
  begin(t->map[AT_ONCE]);
}

static void same_values(const twins *t, const char *name) {
  const clv_column *columns[2] = {clv_column_find(t->map[0], name), clv_column_find(t->map[1], name)};
  for (uint32_t k = 0; columns[0] && k < t->walk[0].count; k++) {
    const void *values[2] = {clv_column_at(columns[0], t->walk[0].darts[k]),
                             clv_column_at(columns[1], t->walk[1].darts[k])};
    assert_non_null(values[0]);
    if (!memcmp(values[0], values[1], clv_column_size(columns[0]))) continue;
    const bool whole = clv_column_get_def(columns[0])->type == CLV_INT32;
    fail_msg("seed %llu: '%s' at dart %u is %g at once, %g one by one", (unsigned long long)seed, name,
             t->walk[0].darts[k], whole ? *(const int32_t *)values[0] : *(const double *)values[0],
             whole ? *(const int32_t *)values[1] : *(const double *)values[1]);
  }
}

// A replay leaves the same values under the same names.
static void replay(twins *t) {
  const clv_result result = clv_journal_replay(t->journal, t->again);
  require(result == CLV_OK, clv_map_error(t->again));
  require(clv_map_hash(t->again) == clv_map_hash(t->map[AT_ONCE]), "the replay differs");
  const clv_column *column, *other;
  for (uint32_t c = 0; (column = clv_column_list(t->again, c)) != NULL; c++) {
    other = clv_column_list(t->map[AT_ONCE], c);
    for (clv_dart d = clv_dart_next(t->again, 0); d; d = clv_dart_next(t->again, d))
      require(!memcmp(clv_column_at(column, d), clv_column_at(other, d), clv_column_size(column)),
              "the replay leaves other values");
  }
  clv_journal_destroy(t->journal);
  clv_map_destroy(t->again);
}

static void end_twins(twins *t) {
  commit(t->map[AT_ONCE]);
  follow(t);
  replay(t);
  same_values(t, "pos");
  same_values(t, "lev");
  for (uint32_t k = 0; k < t->extras; k++) same_values(t, extras[k].name);
  for (uint32_t m = 0; m < 2; m++) {
    clv_walk_end(&t->walk[m]);
    clv_map_destroy(t->map[m]);
  }
}

// Edits, at the dart that is number `at` in both maps. Each returns what came of it, or why it is not to be.

typedef clv_result one_edit(clv_map *map, clv_dart dart, double value);

static clv_result both(twins *t, one_edit *edit, uint32_t at, double value) {
  clv_map *single = t->map[ONE_BY_ONE];
  const clv_result result = edit(t->map[AT_ONCE], t->walk[AT_ONCE].darts[at], value);
  begin(single);
  require(edit(single, t->walk[ONE_BY_ONE].darts[at], value) == result, "one by one it comes out otherwise");
  commit(single);
  follow(t);
  return result;
}

static clv_result refine(clv_map *map, clv_dart dart, double level) {
  return refine_from(map, clv_column_find(map, "lev"), dart, (int32_t)level);
}

static clv_result unsew(clv_map *map, clv_dart dart, double unused) {
  (void)unused;
  return clv_is_free(map, dart, map->dimension) ? CLV_ERROR_REFUSED : clv_map_unsew(map, map->dimension, dart);
}

static clv_result remove_cell(clv_map *map, clv_dart dart, double unused) {
  (void)unused;
  return clv_map_remove_cell(map, dart);
}

static clv_result insert_vertex(clv_map *map, clv_dart dart, double unused) {
  (void)unused;
  return clv_map_insert_vertex(map, dart, NULL);
}

static clv_result remove_vertex(clv_map *map, clv_dart dart, double unused) {
  (void)unused;
  return clv_map_remove(map, 0, dart);
}

// An edge across the face of a dart, so many corners on.
static clv_result insert_edge(clv_map *map, clv_dart dart, double corners) {
  clv_dart end = dart;
  for (uint32_t k = 0; k < (uint32_t)corners; k++) end = clv_alpha(map, clv_alpha(map, end, 0), 1);
  return clv_map_insert_edge(map, dart, clv_alpha(map, end, 1), NULL);
}

static clv_result set(clv_map *map, const char *name, clv_dart dart, double value) {
  clv_column *column = clv_column_find(map, name);
  return column ? clv_column_set(column, dart, &value) : CLV_OK;
}
static clv_result set_heat(clv_map *map, clv_dart dart, double value) {
  return set(map, "heat", dart, value);
}
static clv_result set_stuff(clv_map *map, clv_dart dart, double value) {
  return set(map, "stuff", dart, value);
}
static clv_result set_corner(clv_map *map, clv_dart dart, double value) {
  return set(map, "corner", dart, value);
}
static clv_result set_edge(clv_map *map, clv_dart dart, double value) {
  return set(map, "edge", dart, value);
}
static clv_result set_side(clv_map *map, clv_dart dart, double value) {
  return set(map, "side", dart, value);
}

static uint32_t number_of(const twins *t, clv_dart dart) {
  uint32_t k = 0;
  while (k < t->walk[AT_ONCE].count && t->walk[AT_ONCE].darts[k] != dart) k++;
  assert_true(k < t->walk[AT_ONCE].count);
  return k;
}

// The cells that are there now, in order of their first darts; those of the template only.
static clv_dart cell_number(const twins *t, uint32_t number) {
  const clv_map *map = t->map[AT_ONCE];
  for (uint32_t row = 0; row < clv_cell_rows(map, t->kind); row++) {
    const clv_dart cell = clv_cell_at(map, t->kind, row);
    if (cell && number-- == 0) return cell;
  }
  return CLV_NO_DART;
}

static void refine_both(twins *t, clv_dart dart) {
  const uint32_t at = number_of(t, dart);
  const clv_map *single = t->map[ONE_BY_ONE];
  const int32_t level = level_of(single, clv_column_find(single, "lev"), t->walk[ONE_BY_ONE].darts[at]);
  assert_int_equal(both(t, refine, at, level), CLV_OK);
}

// By hand

// A facet between two cells that are not the root: a dart of the second.
static clv_dart beside_first(const twins *t) {
  const clv_map *map = t->map[AT_ONCE];
  const clv_dart cell = cell_number(t, 0);
  for (uint32_t l = 0; l < clv_templates[t->kind].dart_count; l++) {
    const clv_dart beyond = clv_alpha(map, cell | l, map->dimension);
    if (beyond != (cell | l) && beyond >> 6 != t->root[AT_ONCE] >> 6) return beyond;
  }
  fail_msg("no cell but the root lies beside the first");
  return CLV_NO_DART;
}

static const uint32_t two_cells[3] = {2, 1, 1}, some_cells[3] = {2, 2, 2};

static void a_child_is_refined_at_once(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint32_t extra_count = 0; extra_count <= EXTRAS; extra_count += EXTRAS) {
      twins t;
      begin_twins(&t, g, two_cells, extra_count);
      const clv_dart cell = cell_number(&t, 0);
      const uint32_t rows = clv_cell_rows(t.map[AT_ONCE], t.kind);
      refine_both(&t, cell);
      for (uint32_t child = 0; child < (g < 2 ? 4 : 8); child += 3)
        refine_both(&t, clv_cell_at(t.map[AT_ONCE], t.kind, rows + child));
      end_twins(&t);
    }
}

static void all_children_are_refined_at_once(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++) {
    twins t;
    begin_twins(&t, g, two_cells, EXTRAS);
    const uint32_t rows = clv_cell_rows(t.map[AT_ONCE], t.kind), children = g < 2 ? 4 : 8;
    refine_both(&t, cell_number(&t, 0));
    for (uint32_t child = 0; child < children; child++)
      refine_both(&t, clv_cell_at(t.map[AT_ONCE], t.kind, rows + child));
    end_twins(&t);
  }
}

// A vertex in an edge between two cells, which are parted there: each side has it.
static void a_new_vertex_is_parted_at_once(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++) {
    twins t;
    begin_twins(&t, g, some_cells, 2);
    const clv_map *map = t.map[AT_ONCE];
    uint32_t at = 0;
    while (clv_is_free(map, t.walk[AT_ONCE].darts[at], map->dimension)) at++;
    const clv_dart dart = t.walk[AT_ONCE].darts[at];
    assert_int_equal(both(&t, insert_vertex, at, 0), CLV_OK);
    assert_int_equal(both(&t, set_heat, number_of(&t, clv_alpha(map, dart, 0)), 7), CLV_OK);
    assert_int_equal(both(&t, unsew, number_of(&t, dart), 0), CLV_OK);
    end_twins(&t);
  }
}

// Neighbours are parted after one was refined, and then the other is refined: what hung in it, and was parted from
// where it was born, is gone.
static void a_side_is_refined_when_it_is_parted(void **state) {
  (void)state;
  for (uint32_t g = 0; g < 2; g++) {
    twins t;
    begin_twins(&t, g, some_cells, 2);
    const clv_map *map = t.map[AT_ONCE];
    const clv_dart beside = beside_first(&t);
    refine_both(&t, cell_number(&t, 0));
    const clv_dart other = clv_alpha(map, clv_alpha(map, clv_alpha(map, beside, 0), 1), 0); // the end of the other half
    assert_int_equal(both(&t, unsew, number_of(&t, beside), 0), CLV_OK);
    assert_int_equal(both(&t, unsew, number_of(&t, other), 0), CLV_OK);
    refine_both(&t, beside);
    end_twins(&t);
  }
}

// A value that is set at a dart of a child, which is refined then; and one that is set later at another.
static void the_last_word_counts(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++) {
    twins t;
    begin_twins(&t, g, two_cells, EXTRAS);
    const uint32_t rows = clv_cell_rows(t.map[AT_ONCE], t.kind);
    refine_both(&t, cell_number(&t, 0));
    const clv_dart child = clv_cell_at(t.map[AT_ONCE], t.kind, rows + 1);
    static one_edit *const sets[EXTRAS] = {set_heat, set_stuff, set_corner, set_edge, set_side};
    for (uint32_t l = 0; l < clv_templates[t.kind].dart_count; l++)
      for (uint32_t k = 0; k < EXTRAS; k++)
        assert_int_equal(both(&t, sets[k], number_of(&t, child | l), 100 * k + l), CLV_OK);
    refine_both(&t, child);
    end_twins(&t);
  }
}

// Values are set at darts that came: of a vertex that hangs in a cell, and of that cell.
static void what_hangs_in_a_cell_is_of_it(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint32_t extra_count = 2; extra_count <= EXTRAS; extra_count++) {
      twins t;
      begin_twins(&t, g, two_cells, extra_count);
      const clv_map *map = t.map[AT_ONCE];
      refine_both(&t, cell_number(&t, 0));
      uint32_t at = 0;
      while (clv_id_of(map, CLV_VERTEX, t.walk[AT_ONCE].darts[at]).index) at++;
      assert_int_equal(both(&t, set_stuff, at, 5), CLV_OK);
      assert_int_equal(both(&t, set_heat, at, 6), CLV_OK);
      end_twins(&t);
    }
}

// A value is set at a dart that came, and lies on an old vertex, which is parted then.
static void a_new_dart_speaks_for_an_old_vertex(void **state) {
  (void)state;
  twins t;
  begin_twins(&t, 1, some_cells, 2);
  const clv_map *map = t.map[AT_ONCE];
  const clv_dart beside = beside_first(&t), facing = clv_alpha(map, beside, 2);
  assert_int_equal(both(&t, insert_edge, number_of(&t, facing), 2), CLV_OK);
  assert_int_equal(both(&t, set_heat, number_of(&t, clv_alpha(map, facing, 1)), 7), CLV_OK);
  assert_int_equal(both(&t, unsew, number_of(&t, beside), 0), CLV_OK);
  end_twins(&t);
}

// A value is set for one half of an edge, or for one part of a face, between a refined cell and its neighbour, which is
// refined then; something else is cut.
static void the_other_half_is_another(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++) {
    twins t;
    begin_twins(&t, g, some_cells, EXTRAS);
    const clv_map *map = t.map[AT_ONCE];
    const clv_dart beside = beside_first(&t);
    refine_both(&t, cell_number(&t, 0));
    assert_int_equal(both(&t, set_edge, number_of(&t, beside), 7), CLV_OK);
    assert_int_equal(both(&t, set_side, number_of(&t, beside), 8), CLV_OK);
    const clv_dart child = clv_alpha(map, beside, map->dimension);
    assert_int_equal(both(&t, set_edge, number_of(&t, child), 9), CLV_OK);
    assert_int_equal(both(&t, set_side, number_of(&t, child), 10), CLV_OK);
    refine_both(&t, beside);
    clv_dart inner = t.root[AT_ONCE];
    while (clv_is_free(map, inner, map->dimension)) inner++;
    assert_int_equal(both(&t, unsew, number_of(&t, inner), 0), CLV_OK);
    end_twins(&t);
  }
}

// Darts that finer neighbours have hung into a cell go over to its children, and stand for these at once.
static void a_child_is_refined_at_what_hangs_in_it(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++) {
    twins t;
    begin_twins(&t, g, some_cells, 2);
    const clv_map *map = t.map[AT_ONCE];
    const clv_dart beside = beside_first(&t);
    refine_both(&t, cell_number(&t, 0));
    refine_both(&t, clv_alpha(map, beside, map->dimension));
    refine_both(&t, beside);
    uint32_t at = 0; // of a child, as its neighbour is
    const clv_map *single = t.map[ONE_BY_ONE];
    const clv_column *lev = clv_column_find(single, "lev");
    for (; at < t.walk[AT_ONCE].count; at++) {
      const clv_dart dart = t.walk[ONE_BY_ONE].darts[at];
      const bool hangs = map->pages[t.walk[AT_ONCE].darts[at] >> CLV_PAGE_SHIFT].kind > CLV_TEMPLATE_LAST;
      if (hangs && clv_cell_shape(single, dart) == t.kind && level_of(single, lev, dart) == 1) break;
    }
    assert_true(at < t.walk[AT_ONCE].count);
    assert_int_equal(both(&t, refine, at, 1), CLV_OK);
    end_twins(&t);
  }
}

// A fan of edges is put into a face, and cut out of it: the middle part has none of the darts that were there.
static void a_part_of_new_darts_has_what_was_there(void **state) {
  (void)state;
  twins t;
  begin_twins(&t, 1, some_cells, 2);
  const clv_map *map = t.map[AT_ONCE];
  const clv_dart cell = cell_number(&t, 0);
  clv_dart d = cell;
  for (uint32_t l = 0; l < 8; l++) // a corner on the border, so that nothing else holds it
    if (clv_is_free(map, cell | l, 2) && clv_is_free(map, clv_alpha(map, cell | l, 1), 2)) d = cell | l;
  const clv_dart far = clv_alpha(map, clv_alpha(map, d, 0), 1);
  assert_int_equal(both(&t, insert_vertex, number_of(&t, far), 0), CLV_OK);
  assert_int_equal(both(&t, insert_edge, number_of(&t, d), 2), CLV_OK);
  const clv_dart first = clv_alpha(map, d, 1); // of the edge, beside d
  assert_int_equal(both(&t, insert_edge, number_of(&t, clv_alpha(map, first, 2)), 2), CLV_OK);
  const clv_dart across = clv_alpha(map, first, 2), second = clv_alpha(map, across, 1);
  assert_int_equal(both(&t, unsew, number_of(&t, first), 0), CLV_OK);
  assert_int_equal(both(&t, unsew, number_of(&t, second), 0), CLV_OK);
  end_twins(&t);
}

// At random

static uint32_t any(const twins *t, random_source *random) {
  return random_below(random, t->walk[AT_ONCE].count);
}

// Whether a dart lies on the cell, or on the vertex, of the root.
static bool is_at_root(const twins *t, clv_orbit orbit, uint32_t at) {
  const clv_map *single = t->map[ONE_BY_ONE];
  return clv_id_of(single, orbit, t->walk[ONE_BY_ONE].darts[at]).index ==
         clv_id_of(single, orbit, t->root[ONE_BY_ONE]).index;
}

static void set_some(twins *t, random_source *random, uint32_t extra_count) {
  static one_edit *const sets[EXTRAS] = {set_heat, set_stuff, set_corner, set_edge, set_side};
  const uint32_t which = random_below(random, extra_count), at = any(t, random);
  assert_int_equal(both(t, sets[which], at, random_below(random, 1000)), CLV_OK);
}

static void refine_some(twins *t, random_source *random) {
  const uint32_t at = any(t, random);
  const clv_map *single = t->map[ONE_BY_ONE];
  const clv_dart dart = t->walk[ONE_BY_ONE].darts[at];
  if (is_at_root(t, CLV_CELL, at) || clv_cell_shape(single, dart) != t->kind) return;
  const int32_t level = level_of(single, clv_column_find(single, "lev"), dart);
  if (level < 2) both(t, refine, at, level);
}

static void refining_at_random(void **state) {
  (void)state;
  for (uint32_t round = 0; round < rounds; round++) {
    random_source random = {seed = first_seed + round};
    const uint32_t g = (uint32_t)(seed % GRIDS), extra_count = 2 + random_below(&random, EXTRAS - 1);
    twins t;
    begin_twins(&t, g, some_cells, extra_count);
    for (uint32_t k = 2 + random_below(&random, 8); k > 0; k--) {
      const uint32_t what = random_below(&random, 10), at = any(&t, &random);
      if (what < 4)
        refine_some(&t, &random);
      else if (what < 6)
        set_some(&t, &random, extra_count);
      else if (what < 9)
        both(&t, unsew, at, 0);
      else if (!is_at_root(&t, CLV_CELL, at))
        both(&t, remove_cell, at, 0);
    }
    end_twins(&t);
  }
}

static void inserting_at_random(void **state) {
  (void)state;
  for (uint32_t round = 0; round < rounds; round++) {
    random_source random = {seed = first_seed + round};
    twins t;
    begin_twins(&t, (uint32_t)(seed % GRIDS), some_cells, 2);
    for (uint32_t k = 2 + random_below(&random, 12); k > 0; k--) {
      const uint32_t what = random_below(&random, 10), at = any(&t, &random);
      const bool root = is_at_root(&t, CLV_CELL, at);
      if (what < 3)
        both(&t, insert_vertex, at, 0);
      else if (what < 5 && !root)
        both(&t, insert_edge, at, 1 + random_below(&random, 4));
      else if (what < 6 && !is_at_root(&t, CLV_VERTEX, at))
        both(&t, remove_vertex, at, 0);
      else if (what < 8)
        both(&t, unsew, at, 0);
      else if (what < 9)
        set_some(&t, &random, 1);
      else if (!root)
        both(&t, remove_cell, at, 0);
    }
    end_twins(&t);
  }
}

// Memory

static clv_result edit_much(clv_map *map, clv_kind kind) {
  clv_column *lev = clv_column_find(map, "lev");
  clv_refined refined, finer;
  const clv_dart cell = clv_cell_at(map, kind, 0), *child = refined.children;
  clv_result result = clv_map_begin(map);
  if (result == CLV_OK) result = refine_into(map, lev, cell, 0, &refined);
  if (result == CLV_OK) result = set(map, "edge", child[1], 2);
  if (result == CLV_OK) result = set(map, "stuff", child[1], 3);
  if (result == CLV_OK) result = refine_into(map, lev, child[1], 1, &finer);
  if (result == CLV_OK) result = clv_map_insert_vertex(map, clv_cell_at(map, kind, 1), NULL);
  for (uint32_t l = 0; result == CLV_OK && l < clv_templates[kind].dart_count; l++)
    if (!clv_is_free(map, child[2] | l, map->dimension)) result = clv_map_unsew(map, map->dimension, child[2] | l);
  if (result == CLV_OK) result = clv_map_commit(map);
  if (result != CLV_OK) clv_map_rollback(map);
  return result;
}

static void memory_runs_out(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++) {
    const uint32_t cells[3] = {2, 1, g < 2 ? 0 : 1};
    counting_memory memory = {0};
    const clv_allocator allocator = counting_allocator(&memory);
    bool refused = true;
    for (size_t at = 1; refused; at++) {
      memory = (counting_memory){0};
      clv_map *map = make_map(grids[g], cells, EXTRAS, &allocator);
      assert_non_null(map);
      const uint64_t hash = clv_map_hash(map);
      memory.requests = 0;
      memory.fail_at = at;
      const clv_result result = edit_much(map, shapes[g]);
      refused = memory.refused;
      memory.fail_at = 0;
      assert_int_equal(result, refused ? CLV_ERROR_MEMORY : CLV_OK);
      if (refused) assert_int_equal(clv_map_hash(map), hash);
      assert_int_equal(clv_map_check(map, complain, NULL), CLV_OK);
      clv_map_destroy(map);
      assert_int_equal(memory.live_bytes, 0);
    }
  }
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) rounds = 20000;
    if (!strcmp(argv[k], "--seed") && k + 1 < argc) first_seed = strtoull(argv[k + 1], NULL, 10);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_child_is_refined_at_once),
      cmocka_unit_test(all_children_are_refined_at_once),
      cmocka_unit_test(a_new_vertex_is_parted_at_once),
      cmocka_unit_test(a_side_is_refined_when_it_is_parted),
      cmocka_unit_test(the_last_word_counts),
      cmocka_unit_test(what_hangs_in_a_cell_is_of_it),
      cmocka_unit_test(a_new_dart_speaks_for_an_old_vertex),
      cmocka_unit_test(the_other_half_is_another),
      cmocka_unit_test(a_child_is_refined_at_what_hangs_in_it),
      cmocka_unit_test(a_part_of_new_darts_has_what_was_there),
      cmocka_unit_test(refining_at_random),
      cmocka_unit_test(inserting_at_random),
      cmocka_unit_test(memory_runs_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
