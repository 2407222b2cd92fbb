// Cuts: a transaction that unsews one facet (map/part.c), removes cells and unsews facets (map/lose.c), or removes a
// good part of all cells (map/cull.c), is committed directly, and must leave what the general way leaves.
//
// soak: yes
//
// Twins are built from one mesh. The same facets are unsewn, others sewn and cells removed in both, one commits
// directly and the other the general way; after each commit the maps must be equal to the last bit, and so must the
// values and what their subscribers heard. Facets are also sewn where they do not belong, so that edges come back to
// themselves and one vertex lies at several corners of a facet. Any sorts of orbits are numbered, and sometimes a cell
// is no template. Columns only copy, as a direct commit wants it; now and then they have every policy, and then it must
// not be direct.

#include "cleave/mesh.h"
#include "map/plan.h"
#include "support/counting_allocator.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { EVENTS = 16384, EDITS = 60, SEQUENCES = 150, SOAK_SEQUENCES = 6000 };

typedef struct heard {
  uint32_t count, destroyed;
  clv_event events[EVENTS];
} heard;

typedef struct twin {
  clv_map *map;
  heard heard;
} twin;

// Places that a commit says it has walked are those of the orbit.
static void test_star(const clv_map *view, const clv_event *event, uint32_t number) {
  const map *m = map_read(view);
  const map_place *places;
  const uint32_t count = map_told_star(m, number, &places), inner = event->dims & 7u;
  if (!count) return;
  clv_walk star;
  assert_int_equal(clv_walk_star(&star, view, event->dims, event->dart), CLV_OK);
  assert_int_equal(star.count, count);
  for (uint32_t k = 0; k < count; k++) {
    const clv_dart place = map_place_plain(m, inner, places[k].dart);
    const clv_suborbits *sub = &clv_templates[map_page(m, place).kind].sub[inner];
    assert_int_equal(places[k].slot, map_row(map_page(m, place), place) * sub->count + sub->of[place & 63u]);
    bool found = false;
    for (uint32_t n = 0; n < star.count; n++) found |= map_place_plain(m, inner, star.darts[n]) == place;
    assert_true(found);
  }
  clv_walk_end(&star);
}

static void listen(void *user, const clv_map *view, const clv_commit *commit) {
  heard *h = user;
  for (uint32_t k = 0; k < commit->event_count; k++) test_star(view, &commit->events[k], k);
  assert_true(commit->event_count <= EVENTS);
  h->count = commit->event_count;
  if (h->count) memcpy(h->events, commit->events, h->count * sizeof *h->events);
}

static void count_destroyed(void *user, const clv_map *view, void *value) {
  heard *h = user;
  (void)view;
  h->destroyed += (uint32_t) * (const double *)value;
}

static void sum_of_shares(void *user, const clv_map *view, clv_dart dart, const clv_part *parts, uint32_t count,
                          void *value) {
  (void)user, (void)view, (void)dart;
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) sum += *(const double *)parts[k].value * parts[k].share;
  if (count) *(double *)value = sum;
}

static clv_column *add_column(clv_map *view, clv_column_def def) {
  clv_column *column;
  if (!def.components) def.components = 1;
  assert_int_equal(clv_column_create(view, &def, &column), CLV_OK);
  return column;
}

// A different value for every place, so that none can be taken for another.
static void fill(clv_map *view, const clv_column *column) {
  for (clv_dart d = clv_dart_next(view, 0); d; d = clv_dart_next(view, d))
    *(double *)clv_column_at(column, d) = d % 977;
}

// On vertices, on edges most of the time, and on any other orbits that cross cells.
static void add_copied_columns(clv_map *view, uint32_t sorts, heard *h) {
  fill(view, add_column(
                 view, (clv_column_def){.name = "corner", .orbit = CLV_CORNER, .destroy = count_destroyed, .user = h}));
  fill(view, add_column(
                 view, (clv_column_def){.name = "vertex", .orbit = CLV_VERTEX, .destroy = count_destroyed, .user = h}));
  if (sorts >> 8) fill(view, add_column(view, (clv_column_def){.name = "edge", .orbit = CLV_EDGE}));
  for (uint32_t dims = 8; dims < 16; dims++) {
    const char name[] = {'o', 'n', ' ', (char)('a' + dims), 0};
    if (sorts >> (dims - 8) & 1u) fill(view, add_column(view, (clv_column_def){.name = name, .orbit = dims}));
  }
}

static void add_columns_of_every_policy(clv_map *view) {
  const clv_column *corner = add_column(view, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  fill(view, corner);
  fill(view, add_column(view, (clv_column_def){.name = "edge", .orbit = CLV_EDGE, .merge = CLV_MERGE_MEAN}));
  fill(view, add_column(view, (clv_column_def){.name = "face", .orbit = CLV_FACE, .split = CLV_SPLIT_SHARE}));
  fill(view, add_column(view, (clv_column_def){.name = "length", .orbit = CLV_EDGE, .split = CLV_SPLIT_SHARE}));
  fill(view, add_column(view, (clv_column_def){.name = "mass",
                                               .orbit = CLV_VERTEX,
                                               .split = CLV_SPLIT_SHARE,
                                               .merge = CLV_MERGE_SUM,
                                               .contribution = corner}));
  fill(view,
       add_column(view, (clv_column_def){
                            .name = "sum", .orbit = CLV_VERTEX, .merge = CLV_MERGE_RECOMPUTE, .contribution = corner}));
  fill(view, add_column(view, (clv_column_def){.name = "own", .orbit = CLV_VERTEX, .policy = sum_of_shares}));
}

// `sorts` of orbits whose values are copied; 0 for columns of every policy.
static void make_twin(twin *t, const clv_mesh *mesh, uint32_t sorts, bool general) {
  clv_error error;
  t->heard.count = t->heard.destroyed = 0;
  if (clv_mesh_build(mesh, NULL, &t->map, NULL, &error)) fail_msg("%s", error.message);
  if (sorts)
    add_copied_columns(t->map, sorts, &t->heard);
  else
    add_columns_of_every_policy(t->map);
  assert_int_equal(clv_map_subscribe(t->map, listen, &t->heard), CLV_OK);
  map_of(t->map)->scratch->general = general;
}

static void compare_values(const clv_map *a, const clv_map *b) {
  const clv_column *column;
  for (uint32_t k = 0; (column = clv_column_list(a, k)); k++) {
    const clv_column *other = clv_column_list(b, k);
    for (clv_dart d = clv_dart_next(a, 0); d; d = clv_dart_next(a, d)) {
      const void *value = clv_column_at(column, d), *same = clv_column_at(other, d);
      if (memcmp(value, same, clv_column_size(column)) != 0)
        fail_msg("column %s differs at dart %u", clv_column_get_def(column)->name, d);
    }
  }
}

static void compare(const twin *a, const twin *b) {
  assert_true(clv_map_hash(a->map) == clv_map_hash(b->map));
  assert_int_equal(a->heard.count, b->heard.count);
  assert_memory_equal(a->heard.events, b->heard.events, a->heard.count * sizeof *a->heard.events);
  assert_int_equal(a->heard.destroyed, b->heard.destroyed);
  compare_values(a->map, b->map);
}

// A dart that is 3-free, or that is not; 0 when it takes long to find one.
static clv_dart choose(const clv_map *view, random_source *random, bool free) {
  const uint32_t end = view->page_count << CLV_PAGE_SHIFT;
  for (uint32_t k = 0; k < 64; k++) {
    const clv_dart d = clv_dart_next(view, (1u << CLV_PAGE_SHIFT) + random_below(random, 64 * 64));
    if (d && d < end && clv_is_free(view, d, 3) == free) return d;
  }
  return CLV_NO_DART;
}

static bool remove_cell(twin *twins, random_source *random) {
  const clv_dart cell = choose(twins[0].map, random, random_chance(random, 50));
  const bool cuts = cell && !clv_is_free(twins[0].map, cell, 3);
  for (uint32_t t = 0; cell && t < 2; t++) assert_int_equal(clv_map_remove_cell(twins[t].map, cell), CLV_OK);
  return cuts;
}

// Unsews most of the time; sews anything to anything else now and then; removes a few cells sometimes, and often
// nothing else then; two facets in one transaction sometimes. True when something was unsewn.
static bool edit(twin *twins, random_source *random) {
  const bool sews = random_chance(random, 40);
  const uint32_t cells = random_chance(random, 12) ? 1 + random_below(random, random_chance(random, 30) ? 40 : 6) : 0;
  const uint32_t facets = cells && random_chance(random, 60) ? 0 : random_chance(random, 10) ? 2 : 1;
  for (uint32_t t = 0; t < 2; t++) assert_int_equal(clv_map_begin(twins[t].map), CLV_OK);
  bool cuts = false;
  map_of(twins[0].map)->scratch->picks = random_chance(random, 50);
  for (uint32_t c = 0; c < cells; c++) cuts |= remove_cell(twins, random);
  for (uint32_t f = 0; f < facets; f++) {
    const clv_dart a = choose(twins[0].map, random, sews);
    clv_dart b = sews ? choose(twins[0].map, random, true) : a;
    if (!a || !b) continue;
    // A map that is twisted is coloured anew with each commit, and then none is direct.
    if (!random_chance(random, 2) && clv_side(twins[0].map, a) == clv_side(twins[0].map, b))
      b = clv_alpha(twins[0].map, b, 0);
    clv_result results[2];
    for (uint32_t t = 0; t < 2; t++)
      results[t] = sews ? clv_map_sew(twins[t].map, 3, a, b) : clv_map_unsew(twins[t].map, 3, a);
    assert_int_equal(results[0], results[1]);
    cuts |= !sews && results[0] == CLV_OK;
  }
  for (uint32_t t = 0; t < 2; t++) assert_int_equal(clv_map_commit(twins[t].map), CLV_OK);
  return cuts;
}

static void hang_a_vertex(twin *twins, random_source *random) {
  const clv_dart dart = choose(twins[0].map, random, true);
  for (uint32_t t = 0; dart && t < 2; t++) {
    clv_dart added;
    assert_int_equal(clv_map_begin(twins[t].map), CLV_OK);
    assert_int_equal(clv_map_insert_vertex(twins[t].map, dart, &added), CLV_OK);
    assert_int_equal(clv_map_commit(twins[t].map), CLV_OK);
  }
}

static void run_sequence(uint64_t seed, uint64_t *direct) {
  static const clv_grid_kind kinds[] = {CLV_GRID_HEX, CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_PRISM, CLV_GRID_MIXED};
  random_source random = {seed};
  clv_grid_def def = clv_default_grid_def();
  def.kind = kinds[random_below(&random, sizeof kinds / sizeof *kinds)];
  for (uint32_t c = 0; c < 3; c++) def.cells[c] = 1 + random_below(&random, 3);
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &def, &error)) fail_msg("%s", error.message);
  twin twins[2];
  const uint32_t sorts = random_below(&random, 4) ? 1 + random_below(&random, 2) * random_below(&random, 1023) : 0;
  make_twin(&twins[0], &mesh, sorts, false);
  make_twin(&twins[1], &mesh, sorts, true);
  if (random_chance(&random, 30)) hang_a_vertex(twins, &random);
  for (uint32_t k = 0; k < EDITS; k++) {
    map_plan *plan = &map_of(twins[0].map)->scratch->plan;
    plan->links_changed = false; // a plan would say otherwise
    const bool cuts = edit(twins, &random);
    compare(&twins[0], &twins[1]);
    *direct += cuts && !plan->links_changed;
    assert_true(sorts || !cuts || plan->links_changed);
  }
  assert_int_equal(clv_map_check(twins[0].map, NULL, NULL), CLV_OK);
  for (uint32_t t = 0; t < 2; t++) clv_map_destroy(twins[t].map);
  clv_mesh_free(&mesh);
}

// Two cells, unsewn from either: the dart's side keeps the ids of the four vertices, edges and what else was parted.
static void the_side_of_the_dart_keeps_its_ids(void **state) {
  (void)state;
  clv_grid_def def = clv_default_grid_def();
  def.cells[0] = 2, def.cells[1] = def.cells[2] = 1;
  for (uint32_t run = 0; run < 4; run++) {
    clv_mesh mesh;
    twin t;
    clv_mesh_init(&mesh, NULL);
    assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
    make_twin(&t, &mesh, 511, run & 1u);
    clv_dart near = clv_dart_next(t.map, 0);
    while (clv_is_free(t.map, near, 3)) near = clv_dart_next(t.map, near);
    if (run & 2u) near = clv_alpha(t.map, near, 3);
    const clv_dart far = clv_alpha(t.map, near, 3);
    clv_id before[16];
    for (uint32_t dims = 8; dims < 16; dims++) before[dims] = clv_id_of(t.map, dims, near);
    assert_int_equal(clv_map_begin(t.map), CLV_OK);
    assert_int_equal(clv_map_unsew(t.map, 3, near), CLV_OK);
    assert_int_equal(clv_map_commit(t.map), CLV_OK);
    for (uint32_t dims = 8; dims < 16; dims++) {
      const clv_id kept = clv_id_of(t.map, dims, near), given = clv_id_of(t.map, dims, far);
      assert_memory_equal(&kept, &before[dims], sizeof kept);
      assert_true(given.index && given.index != kept.index);
    }
    clv_map_destroy(t.map);
    clv_mesh_free(&mesh);
  }
}

// Cells are removed while every allocation in turn finds no memory: until the commit is done the map is as it was.
static void remove_without_memory(bool picks) {
  bool refused = true;
  for (size_t n = 1; refused; n++) {
    counting_memory memory = {0};
    clv_grid_def def = clv_default_grid_def();
    clv_build_def build = clv_default_build_def();
    heard h = {0};
    clv_mesh mesh;
    clv_map *view;
    def.kind = CLV_GRID_TET5;
    def.cells[0] = def.cells[1] = def.cells[2] = 2;
    build.allocator = counting_allocator(&memory);
    clv_mesh_init(&mesh, NULL);
    assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
    assert_int_equal(clv_mesh_build(&mesh, &build, &view, NULL, NULL), CLV_OK);
    add_copied_columns(view, 511, &h);
    assert_int_equal(clv_map_subscribe(view, listen, &h), CLV_OK);
    map_of(view)->scratch->picks = picks;
    assert_int_equal(clv_map_begin(view), CLV_OK);
    for (uint32_t row = 0; row < 40; row += 3) {
      const clv_dart cell = clv_cell_at(view, CLV_TET, row);
      assert_int_equal(clv_map_remove_cell(view, cell), CLV_OK);
    }
    const uint64_t before = clv_map_hash(view);
    memory.fail_at = memory.requests + n;
    const clv_result result = clv_map_commit(view);
    refused = memory.refused;
    memory.fail_at = 0;
    assert_true((result == CLV_OK) != refused);
    if (refused) {
      assert_true(clv_map_hash(view) == before);
      assert_int_equal(h.destroyed, 0);
      assert_int_equal(clv_map_commit(view), CLV_OK);
    }
    assert_true(map_of(view)->scratch->culls != picks);
    assert_int_equal(clv_map_check(view, NULL, NULL), CLV_OK);
    clv_map_destroy(view);
    clv_mesh_free(&mesh);
    assert_int_equal(memory.live_bytes, 0);
  }
}

static void a_removal_without_memory_changes_nothing(void **state) {
  (void)state;
  remove_without_memory(true);
  remove_without_memory(false);
}

static clv_kind kind_in(const clv_map *view) {
  uint32_t kind = CLV_TET;
  while (!clv_cell_count(view, (clv_kind)kind)) kind++;
  return (clv_kind)kind;
}

// Every so many cells one.
static void remove_every(clv_map *view, uint32_t first, uint32_t stride) {
  const clv_kind kind = kind_in(view);
  assert_int_equal(clv_map_begin(view), CLV_OK);
  for (uint32_t row = first; row < clv_cell_rows(view, kind); row += stride)
    if (clv_cell_at(view, kind, row)) assert_int_equal(clv_map_remove_cell(view, clv_cell_at(view, kind, row)), CLV_OK);
  assert_int_equal(clv_map_commit(view), CLV_OK);
}

// Most orbits come apart: culled, removed as if they were few, and planned.
static void remove_batches(clv_grid_kind grid, uint32_t sorts, uint32_t stride) {
  enum { CULLS, PICKS, PLANS, WAYS };
  static twin twins[WAYS];
  clv_grid_def def = clv_default_grid_def();
  clv_mesh mesh;
  def.kind = grid;
  def.cells[0] = def.cells[1] = def.cells[2] = 4;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  for (uint32_t t = 0; t < WAYS; t++) {
    make_twin(&twins[t], &mesh, sorts, t == PLANS);
    map_of(twins[t].map)->scratch->picks = t == PICKS;
  }
  for (uint32_t first = 0; first < 2; first++) {
    for (uint32_t t = 0; t < WAYS; t++) {
      remove_every(twins[t].map, first, stride);
      assert_true(map_of(twins[t].map)->scratch->culls == (t == CULLS));
    }
    compare(&twins[CULLS], &twins[PICKS]);
    compare(&twins[CULLS], &twins[PLANS]);
  }
  assert_int_equal(clv_map_check(twins[CULLS].map, NULL, NULL), CLV_OK);
  for (uint32_t t = 0; t < WAYS; t++) clv_map_destroy(twins[t].map);
  clv_mesh_free(&mesh);
}

static void batches_agree(void **state) {
  (void)state;
  static const clv_grid_kind grids[] = {CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX, CLV_GRID_PRISM};
  for (uint32_t g = 0; g < sizeof grids / sizeof *grids; g++)
    for (uint32_t stride = 2; stride < 12; stride++) remove_batches(grids[g], stride % 2 ? 511 : 1, stride);
}

static uint64_t sequences = SEQUENCES;

static void direct_and_general_commits_agree(void **state) {
  (void)state;
  uint64_t direct = 0;
  for (uint64_t seed = 1; seed <= sequences; seed++) {
    print_message("seed %llu\r", (unsigned long long)seed);
    run_sequence(seed, &direct);
  }
  print_message("%llu direct commits\n", (unsigned long long)direct);
  assert_true(direct > 4 * sequences);
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "--soak") == 0) sequences = SOAK_SEQUENCES;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_side_of_the_dart_keeps_its_ids), cmocka_unit_test(a_removal_without_memory_changes_nothing),
      cmocka_unit_test(batches_agree), cmocka_unit_test(direct_and_general_commits_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
