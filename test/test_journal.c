// What a commit tells: events and renames to subscribers, and all of itself to journals, which can play it again.
//
// A recorded run is a few hundred random edits of a grid, with columns whose values are set, shared, merged and
// averaged on the way. Played again on an equal map it must leave equal bits, values included; on any other it must
// leave no trace.

#include "cleave/mesh.h"
#include "support/counting_allocator.h"
#include "support/random.h"

#include <string.h>

static void complain(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static clv_map *create_map(uint32_t dimension) {
  clv_map_def def = clv_default_map_def();
  def.dimension = dimension;
  clv_map *map = clv_map_create(&def, NULL);
  assert_non_null(map);
  return map;
}

static void begin(clv_map *map) {
  assert_int_equal(clv_map_begin(map), CLV_OK);
}

static void commit(clv_map *map) {
  if (clv_map_commit(map) != CLV_OK) fail_msg("%s", clv_map_error(map));
}

static clv_dart add_cell(clv_map *map, clv_kind kind) {
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_map_add_cell(map, kind, &dart), CLV_OK);
  return dart;
}

// A subscriber that remembers the last commit it heard

typedef struct heard {
  uint32_t commits;
  uint64_t revision;
  uint32_t event_count, rename_count;
  clv_event events[512];
  clv_rename renames[512];
} heard;

static void hear(void *user, const clv_map *map, const clv_commit *news) {
  heard *h = user;
  h->commits++;
  h->revision = news->revision;
  assert_int_equal(news->revision, clv_map_revision(map));
  h->event_count = news->event_count;
  h->rename_count = news->rename_count;
  assert_true(news->event_count <= 512 && news->rename_count <= 512);
  if (news->event_count) memcpy(h->events, news->events, news->event_count * sizeof *news->events);
  if (news->rename_count) memcpy(h->renames, news->renames, news->rename_count * sizeof *news->renames);
}

static uint32_t count_events(const heard *h, const clv_map *map, clv_orbit orbit, clv_event_kind kind) {
  uint32_t count = 0;
  for (uint32_t e = 0; e < h->event_count; e++)
    count += h->events[e].dims == clv_orbit_dims(map, orbit) && h->events[e].kind == (uint8_t)kind;
  return count;
}

static bool same_id(clv_id a, clv_id b) {
  return a.index == b.index && a.generation == b.generation;
}

// What every event says of itself must be so: its ids live or do not, and its dart is one of the orbit.
static void assert_events_hold(const heard *h, const clv_map *map) {
  for (uint32_t k = 0; k < h->event_count; k++) {
    const clv_event e = h->events[k];
    const bool gone = e.kind == CLV_DELETED, has_from = e.kind == CLV_SPLIT || e.kind == CLV_MERGED;
    assert_int_equal(clv_id_alive(map, e.dims, e.id), !gone);
    assert_int_equal(e.dart != CLV_NO_DART, !gone);
    if (!gone) assert_true(same_id(clv_id_of(map, e.dims, e.dart), e.id));
    assert_int_equal(e.from.index != 0, has_from);
    if (e.kind == CLV_MERGED) assert_false(clv_id_alive(map, e.dims, e.from));
  }
}

static clv_map *create_heard(uint32_t dimension, heard *h) {
  clv_map *map = create_map(dimension);
  *h = (heard){0};
  assert_int_equal(clv_map_number(map, CLV_EDGE), CLV_OK);
  assert_int_equal(clv_map_subscribe(map, hear, h), CLV_OK);
  return map;
}

static void commit_heard(clv_map *map, const heard *h) {
  const uint32_t before = h->commits;
  commit(map);
  assert_int_equal(h->commits, before + 1);
  assert_events_hold(h, map);
}

static void cells_that_come_and_go_are_told(void **state) {
  (void)state;
  heard h;
  clv_map *map = create_heard(3, &h);
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  add_cell(map, CLV_HEX);
  commit_heard(map, &h);
  assert_int_equal(h.revision, 1);
  assert_int_equal(count_events(&h, map, CLV_CELL, CLV_CREATED), 2);
  assert_int_equal(count_events(&h, map, CLV_VERTEX, CLV_CREATED), 12);
  assert_int_equal(count_events(&h, map, CLV_EDGE, CLV_CREATED), 18);
  assert_int_equal(h.event_count, 32);
  const clv_id cell = clv_id_of(map, CLV_CELL, tet);
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, tet), CLV_OK);
  commit_heard(map, &h);
  assert_int_equal(count_events(&h, map, CLV_CELL, CLV_DELETED), 1);
  assert_int_equal(count_events(&h, map, CLV_VERTEX, CLV_DELETED), 4);
  assert_int_equal(count_events(&h, map, CLV_EDGE, CLV_DELETED), 6);
  for (uint32_t e = 0; e < h.event_count; e++)
    if (h.events[e].dims == clv_orbit_dims(map, CLV_CELL)) assert_true(same_id(h.events[e].id, cell));
  clv_map_destroy(map);
}

static void joints_that_merge_and_split_are_told(void **state) {
  (void)state;
  heard h;
  clv_map *map = create_heard(2, &h);
  begin(map);
  const clv_dart a = add_cell(map, CLV_QUAD), b = add_cell(map, CLV_QUAD);
  commit_heard(map, &h);
  const clv_id kept = clv_id_of(map, CLV_VERTEX, a), lost = clv_id_of(map, CLV_VERTEX, b);
  begin(map);
  assert_int_equal(clv_map_sew(map, 2, a, b), CLV_OK);
  commit_heard(map, &h);
  assert_int_equal(count_events(&h, map, CLV_VERTEX, CLV_MERGED), 2);
  assert_int_equal(count_events(&h, map, CLV_EDGE, CLV_MERGED), 1);
  assert_int_equal(count_events(&h, map, CLV_CELL, CLV_CHANGED), 0); // a cell is what its inner links make it
  bool told = false;
  for (uint32_t e = 0; e < h.event_count; e++)
    told |= h.events[e].kind == CLV_MERGED && same_id(h.events[e].id, kept) && same_id(h.events[e].from, lost);
  assert_true(told);
  begin(map);
  assert_int_equal(clv_map_unsew(map, 2, a), CLV_OK);
  commit_heard(map, &h);
  assert_int_equal(count_events(&h, map, CLV_VERTEX, CLV_SPLIT), 2);
  assert_int_equal(count_events(&h, map, CLV_VERTEX, CLV_CHANGED), 2); // what is left of the others
  assert_int_equal(count_events(&h, map, CLV_EDGE, CLV_SPLIT), 1);
  for (uint32_t e = 0; e < h.event_count; e++)
    if (h.events[e].kind == CLV_SPLIT) assert_true(clv_id_alive(map, h.events[e].dims, h.events[e].from));
  clv_map_destroy(map);
}

static void a_neighbour_that_goes_is_a_change(void **state) {
  (void)state;
  heard h;
  clv_map *map = create_heard(3, &h);
  begin(map);
  const clv_dart a = add_cell(map, CLV_HEX), b = add_cell(map, CLV_HEX);
  assert_int_equal(clv_map_sew(map, 3, a, b), CLV_OK);
  commit_heard(map, &h);
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, b), CLV_OK);
  commit_heard(map, &h);
  assert_int_equal(count_events(&h, map, CLV_VERTEX, CLV_CHANGED), 4);
  assert_int_equal(count_events(&h, map, CLV_VERTEX, CLV_DELETED), 4);
  assert_int_equal(count_events(&h, map, CLV_EDGE, CLV_CHANGED), 4);
  assert_int_equal(count_events(&h, map, CLV_EDGE, CLV_DELETED), 8);
  clv_map_destroy(map);
}

static void nothing_done_is_nothing_told(void **state) {
  (void)state;
  heard h;
  clv_map *map = create_heard(3, &h);
  begin(map);
  commit(map);
  begin(map);
  add_cell(map, CLV_TET);
  clv_map_rollback(map);
  assert_int_equal(h.commits, 0);
  assert_int_equal(clv_map_revision(map), 0);
  clv_map_destroy(map);
}

typedef struct turn {
  uint32_t *counter, heard_as;
} turn;

static void take_turn(void *user, const clv_map *map, const clv_commit *news) {
  turn *t = user;
  assert_true(clv_dart_count(map) > 0 && news->revision > 0);
  t->heard_as = ++*t->counter;
}

static void subscribers_are_called_in_order(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  uint32_t counter = 0;
  turn turns[3] = {{&counter, 0}, {&counter, 0}, {&counter, 0}};
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(clv_map_subscribe(map, take_turn, &turns[k]), CLV_OK);
  assert_int_equal(clv_map_subscribe(map, NULL, NULL), CLV_ERROR_ARGUMENT);
  begin(map);
  add_cell(map, CLV_TET);
  commit(map);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(turns[k].heard_as, k + 1);
  clv_map_unsubscribe(map, take_turn, &turns[1]);
  begin(map);
  add_cell(map, CLV_TET);
  commit(map);
  assert_int_equal(counter, 5);
  assert_int_equal(turns[0].heard_as, 4);
  assert_int_equal(turns[1].heard_as, 2); // it does not hear any more
  assert_int_equal(turns[2].heard_as, 5);
  clv_map_destroy(map);
}

// Renames

enum { DARTS = 512 };

typedef struct links {
  uint32_t count;
  clv_dart dart[DARTS], alpha[DARTS][4];
} links;

static void record_links(const clv_map *map, links *l) {
  l->count = 0;
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d), l->count++) {
    assert_true(l->count < DARTS);
    l->dart[l->count] = d;
    for (uint32_t i = 0; i <= map->dimension; i++) l->alpha[l->count][i] = clv_alpha(map, d, i);
  }
}

static clv_dart renamed(const heard *h, clv_dart dart) {
  for (uint32_t k = 0; k < h->rename_count; k++)
    if (h->renames[k].before == dart) return h->renames[k].after;
  return dart;
}

// Before the commit and after it the map is the same, but for the names that were told.
static void commit_and_follow(clv_map *map, const heard *h) {
  static links before;
  record_links(map, &before);
  commit_heard(map, h);
  assert_int_equal(clv_dart_count(map), before.count);
  for (uint32_t k = 0; k < before.count; k++) {
    const clv_dart now = renamed(h, before.dart[k]);
    assert_true(clv_dart_alive(map, now));
    for (uint32_t i = 0; i <= map->dimension; i++)
      assert_int_equal(clv_alpha(map, now, i), renamed(h, before.alpha[k][i]));
  }
}

static void renames_are_told(void **state) {
  (void)state;
  static const uint32_t sizes[] = {3, 3, 3, 3}, corners[] = {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3};
  heard h;
  clv_map *map = create_heard(3, &h);
  clv_dart tet = CLV_NO_DART;
  begin(map);
  assert_int_equal(clv_map_add_polyhedron(map, 4, sizes, corners, &tet), CLV_OK);
  const clv_dart hex = add_cell(map, CLV_HEX);
  commit_and_follow(map, &h);
  assert_int_equal(h.rename_count, 24); // all darts of the tetrahedron
  begin(map);
  assert_int_equal(clv_map_insert_vertex(map, hex, NULL), CLV_OK);
  commit_and_follow(map, &h);
  assert_int_equal(h.rename_count, 0); // an extended cell keeps its darts
  begin(map);
  assert_int_equal(clv_map_remove(map, 0, clv_alpha(map, hex, 0)), CLV_OK);
  commit_and_follow(map, &h);
  const clv_dart top = hex | clv_templates[CLV_HEX].facet_first[5], path[] = {top, top + 2, top + 4, top + 6};
  begin(map);
  assert_int_equal(clv_map_insert_face(map, path, 4, NULL), CLV_OK);
  commit_and_follow(map, &h);
  assert_true(h.rename_count >= 48); // a cell that is two has no block any more
  clv_map_destroy(map);
}

// Recording and playing

static clv_map *create_recorded(clv_grid_kind kind) {
  clv_grid_def grid = clv_default_grid_def();
  clv_mesh mesh;
  clv_map *map = NULL;
  clv_column *corner = NULL;
  grid.kind = kind;
  for (uint32_t k = 0; k < 3; k++) grid.cells[k] = 2;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &grid, NULL), CLV_OK);
  assert_int_equal(clv_mesh_build(&mesh, NULL, &map, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  static const double eighth = 0.125, one = 1;
  const clv_column_def defs[] = {
      {.name = "corner",
       .orbit = CLV_CORNER,
       .components = 1,
       .initial = &eighth,
       .split = CLV_SPLIT_SHARE,
       .merge = CLV_MERGE_SUM},
      {.name = "mass",
       .orbit = CLV_VERTEX,
       .components = 1,
       .initial = &one,
       .split = CLV_SPLIT_SHARE,
       .merge = CLV_MERGE_SUM},
      {.name = "length", .orbit = CLV_EDGE, .components = 1, .initial = &one, .merge = CLV_MERGE_MEAN},
  };
  for (uint32_t k = 0; k < sizeof defs / sizeof *defs; k++) {
    clv_column_def def = defs[k];
    if (k == 1) def.contribution = corner;
    assert_int_equal(clv_column_create(map, &def, k ? NULL : &corner), CLV_OK);
  }
  return map;
}

static clv_dart random_dart(const clv_map *map, random_source *random) {
  const uint64_t number = random_below(random, (uint32_t)clv_dart_count(map));
  clv_dart dart = clv_dart_next(map, 0);
  for (uint64_t k = 0; k < number; k++) dart = clv_dart_next(map, dart);
  return dart;
}

// One random operation; what is refused has done nothing.
static void edit(clv_map *map, random_source *random) {
  const uint32_t n = map->dimension, i = random_below(random, n + 1);
  const clv_dart a = random_dart(map, random), b = random_dart(map, random);
  const double value[3] = {random_below(random, 100), random_below(random, 100), 1};
  clv_result result = CLV_OK;
  switch (random_below(random, 8)) {
  case 0:
    result = clv_map_unsew(map, n, a);
    break;
  case 1:
    result = clv_map_sew(map, i, a, b);
    break;
  case 2:
    result = clv_map_insert_vertex(map, a, NULL);
    break;
  case 3:
    result = clv_map_insert_edge(map, a, clv_alpha(map, clv_alpha(map, clv_alpha(map, a, 0), 1), 0), NULL);
    break;
  case 4:
    result = clv_map_remove(map, i < n ? i : 0, a);
    break;
  case 5:
    result = clv_map_add_cell(map, n == 2 ? CLV_QUAD : CLV_PRISM, NULL);
    break;
  case 6:
    result = clv_dart_count(map) > 600 ? clv_map_remove_cell(map, a) : CLV_OK;
    break;
  default:
    result = clv_column_set(clv_column_list(map, random_below(random, 5)), a, value);
  }
  assert_true(result == CLV_OK || result == CLV_ERROR_REFUSED);
}

static void record_edits(clv_map *map, uint64_t seed, uint32_t commits) {
  random_source random = {seed};
  for (uint32_t k = 0; k < commits; k++) {
    begin(map);
    for (uint32_t e = 0; e <= k % 4; e++) edit(map, &random);
    if (k % 5 == 4)
      clv_map_rollback(map);
    else
      commit(map);
  }
  assert_int_equal(clv_map_check(map, complain, NULL), CLV_OK);
}

static void assert_same_values(const clv_map *a, const clv_map *b) {
  assert_true(clv_map_hash(a) == clv_map_hash(b));
  for (uint32_t k = 0; clv_column_list(a, k); k++) {
    const clv_column *x = clv_column_list(a, k), *y = clv_column_list(b, k);
    for (clv_dart d = clv_dart_next(a, 0); d; d = clv_dart_next(a, d))
      assert_memory_equal(clv_column_at(x, d), clv_column_at(y, d), clv_column_size(x));
  }
}

static const clv_grid_kind recorded[] = {CLV_GRID_MIXED2, CLV_GRID_HEX, CLV_GRID_MIXED};

static void a_journal_plays_the_same_again(void **state) {
  (void)state;
  for (uint32_t k = 0; k < sizeof recorded / sizeof *recorded; k++) {
    clv_map *map = create_recorded(recorded[k]), *copy = create_recorded(recorded[k]);
    assert_same_values(map, copy);
    clv_journal *journal = clv_journal_create(map);
    assert_non_null(journal);
    record_edits(map, 17 + k, 120);
    assert_int_equal(clv_journal_commits(journal), clv_map_revision(map) - clv_map_revision(copy));
    assert_true(clv_journal_bytes(journal) > 0);
    assert_true(clv_map_hash(map) != clv_map_hash(copy));
    assert_int_equal(clv_journal_replay(journal, copy), CLV_OK);
    assert_same_values(map, copy);
    assert_int_equal(clv_map_check(copy, complain, NULL), CLV_OK);
    // From here on, and on both again.
    clv_journal_clear(journal);
    assert_int_equal(clv_journal_commits(journal), 0);
    record_edits(map, 99 + k, 40);
    assert_int_equal(clv_journal_replay(journal, copy), CLV_OK);
    assert_same_values(map, copy);
    clv_journal_destroy(journal);
    clv_map_destroy(map);
    clv_map_destroy(copy);
  }
}

static void a_replay_is_heard_and_recorded(void **state) {
  (void)state;
  static heard h;
  clv_map *map = create_recorded(CLV_GRID_QUAD), *copy = create_recorded(CLV_GRID_QUAD),
          *third = create_recorded(CLV_GRID_QUAD);
  clv_journal *first = clv_journal_create(map), *second = clv_journal_create(copy);
  h = (heard){0};
  assert_int_equal(clv_map_subscribe(copy, hear, &h), CLV_OK);
  record_edits(map, 5, 30);
  assert_int_equal(clv_journal_replay(first, copy), CLV_OK);
  assert_int_equal(h.commits, clv_journal_commits(first));
  assert_int_equal(clv_journal_commits(second), clv_journal_commits(first));
  assert_int_equal(clv_journal_replay(second, third), CLV_OK);
  assert_same_values(map, third);
  clv_journal_destroy(first);
  clv_map_destroy(map);
  clv_map_destroy(copy); // its journal goes with it
  clv_map_destroy(third);
}

// Refused with a sentence, and without a trace.
static void assert_does_not_fit(const clv_journal *journal, clv_map *map) {
  const uint64_t hash = clv_map_hash(map), revision = clv_map_revision(map);
  assert_int_equal(clv_journal_replay(journal, map), CLV_ERROR_INPUT);
  assert_true(strlen(clv_map_error(map)) > 0);
  assert_true(clv_map_hash(map) == hash);
  assert_int_equal(clv_map_revision(map), revision);
  assert_int_equal(clv_map_begin(map), CLV_OK); // none is open
  clv_map_rollback(map);
}

static void another_map_is_refused(void **state) {
  (void)state;
  clv_map *map = create_recorded(CLV_GRID_HEX), *flat = create_recorded(CLV_GRID_QUAD),
          *other = create_recorded(CLV_GRID_TET5);
  clv_map *changed = create_recorded(CLV_GRID_HEX), *empty = create_map(3);
  clv_journal *journal = clv_journal_create(map);
  record_edits(map, 3, 20);
  begin(changed);
  add_cell(changed, CLV_TET);
  assert_int_equal(clv_journal_replay(journal, changed), CLV_ERROR_ARGUMENT); // inside a transaction
  commit(changed);
  assert_does_not_fit(journal, flat);
  assert_does_not_fit(journal, other);
  assert_does_not_fit(journal, changed);
  assert_does_not_fit(journal, empty);
  assert_does_not_fit(journal, map); // it is further on itself
  clv_map_destroy(map);
  clv_map_destroy(flat);
  clv_map_destroy(other);
  clv_map_destroy(changed);
  clv_map_destroy(empty);
}

// Equal to the hash, but without the column that was written, or with another of its name.
static void other_columns_are_refused(void **state) {
  (void)state;
  clv_map *map = create_map(3), *without = create_map(3), *smaller = create_map(3), *larger = create_map(3),
          *elsewhere = create_map(3);
  clv_column *position = NULL;
  const clv_column_def def = clv_default_column_def();
  assert_int_equal(clv_column_create(map, &def, &position), CLV_OK);
  assert_int_equal(
      clv_column_create(smaller, &(clv_column_def){.name = "pos", .orbit = CLV_VERTEX, .components = 1}, NULL), CLV_OK);
  assert_int_equal(
      clv_column_create(larger, &(clv_column_def){.name = "pos", .orbit = CLV_VERTEX, .components = 100}, NULL),
      CLV_OK);
  assert_int_equal(
      clv_column_create(elsewhere, &(clv_column_def){.name = "mass", .orbit = CLV_VERTEX, .components = 3}, NULL),
      CLV_OK);
  assert_true(clv_map_hash(without) == clv_map_hash(map));
  clv_journal *journal = clv_journal_create(map);
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  assert_int_equal(clv_column_set(position, tet, (double[]){1, 2, 3}), CLV_OK);
  commit(map);
  assert_does_not_fit(journal, without);
  assert_does_not_fit(journal, smaller);
  assert_does_not_fit(journal, larger);
  assert_does_not_fit(journal, elsewhere);
  clv_map_destroy(map);
  clv_map_destroy(without);
  clv_map_destroy(smaller);
  clv_map_destroy(larger);
  clv_map_destroy(elsewhere);
}

// Played again where a column that came and went while it was recorded never was, and where it still is.
static void columns_that_pass_leave_no_trace(void **state) {
  (void)state;
  clv_map *map = create_map(3), *without = create_map(3), *with = create_map(3), *const copies[] = {without, with};
  clv_column *passing = NULL, *mark = NULL;
  const clv_column_def position = clv_default_column_def(),
                       heat = {.name = "heat", .orbit = CLV_VERTEX, .components = 1},
                       brief = {.name = "brief", .orbit = CLV_VERTEX, .components = 2, .passing = true};
  assert_int_equal(clv_column_create(map, &position, NULL), CLV_OK);
  clv_journal *journal = clv_journal_create(map);
  assert_int_equal(clv_column_create(map, &brief, &passing), CLV_OK);
  assert_int_equal(clv_column_create(map, &heat, &mark), CLV_OK); // behind it, as one would think
  assert_ptr_equal(clv_column_list(map, 1), mark);
  assert_ptr_equal(clv_column_list(map, 2), passing);
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  assert_int_equal(clv_column_set(mark, tet, (double[]){7}), CLV_OK);
  assert_int_equal(clv_column_set(passing, tet, (double[]){1, 2}), CLV_ERROR_ARGUMENT);
  commit(map);
  clv_column_destroy(map, passing);
  begin(map);
  const clv_dart other = add_cell(map, CLV_TET);
  assert_int_equal(clv_column_set(mark, other, (double[]){8}), CLV_OK);
  commit(map);
  assert_int_equal(clv_column_create(with, &brief, NULL), CLV_OK);
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(clv_column_create(copies[k], &position, NULL), CLV_OK);
    assert_int_equal(clv_journal_fits(journal, copies[k]), CLV_OK);
    assert_int_equal(clv_journal_replay_some(journal, copies[k], 0, 2), CLV_ERROR_INPUT); // who is to have the 7?
    assert_int_equal(clv_column_create(copies[k], &heat, NULL), CLV_OK);
    if (clv_journal_replay_some(journal, copies[k], 0, 2) != CLV_OK) fail_msg("%s", clv_map_error(copies[k]));
    const clv_column *copy = clv_column_find(copies[k], "heat");
    assert_true(*(double *)clv_column_at(copy, tet) == 7);
    assert_true(*(double *)clv_column_at(copy, other) == 8);
  }
  clv_map_destroy(map);
  clv_map_destroy(without);
  clv_map_destroy(with);
}

// As bytes, and back on another map; in two pieces.
static void a_journal_is_saved_and_loaded(void **state) {
  (void)state;
  counting_memory memory = {0};
  clv_error error;
  for (uint32_t k = 0; k < sizeof recorded / sizeof *recorded; k++) {
    clv_map *map = create_recorded(recorded[k]), *copy = create_recorded(recorded[k]);
    clv_journal *journal = clv_journal_create(map);
    record_edits(map, 31 + k, 60);
    const size_t size = clv_journal_saved_size(journal);
    uint8_t *bytes = counting_resize(&memory, NULL, 0, size);
    clv_journal_save(journal, bytes);
    clv_journal *loaded = clv_journal_load(copy, bytes, size, &error);
    assert_non_null(loaded);
    const uint64_t commits = clv_journal_commits(loaded);
    assert_int_equal(commits, clv_journal_commits(journal));
    assert_int_equal(clv_journal_replay_some(loaded, copy, 0, commits + 1), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_journal_fits(loaded, copy), CLV_OK);
    assert_int_equal(clv_journal_replay_some(loaded, copy, 0, commits / 2), CLV_OK);
    assert_int_equal(clv_journal_fits(loaded, copy), CLV_ERROR_INPUT); // it is further on
    assert_int_equal(clv_journal_replay_some(loaded, copy, commits / 2, commits), CLV_OK);
    assert_same_values(map, copy);
    clv_journal_destroy(loaded);
    counting_resize(&memory, bytes, size, 0);
    clv_map_destroy(map);
    clv_map_destroy(copy);
  }
  assert_int_equal(memory.live_bytes, 0);
}

// Any byte that is not as it was, and any length but the right one, is told.
static void a_damaged_journal_is_refused(void **state) {
  (void)state;
  clv_map *map = create_recorded(CLV_GRID_QUAD), *copy = create_recorded(CLV_GRID_QUAD), *solid = create_map(3);
  clv_journal *journal = clv_journal_create(map);
  record_edits(map, 8, 6);
  const size_t size = clv_journal_saved_size(journal);
  uint8_t *bytes = malloc(size + 1);
  assert_non_null(bytes);
  clv_journal_save(journal, bytes);
  bytes[size] = 0;
  clv_error error;
  for (size_t length = 0; length <= size + 1; length++) {
    if (length == size) continue;
    error.code = CLV_OK;
    assert_null(clv_journal_load(copy, bytes, length, &error));
    assert_int_equal(error.code, CLV_ERROR_INPUT);
  }
  for (size_t k = 0; k < size; k++) {
    bytes[k] ^= (uint8_t)(1u << k % 8);
    assert_null(clv_journal_load(copy, bytes, size, &error));
    assert_int_equal(error.code, CLV_ERROR_INPUT);
    bytes[k] ^= (uint8_t)(1u << k % 8);
  }
  assert_null(clv_journal_load(solid, bytes, size, &error));
  assert_int_equal(error.code, CLV_ERROR_INPUT);
  free(bytes);
  clv_map_destroy(map);
  clv_map_destroy(copy);
  clv_map_destroy(solid);
}

// Of all behind the first sixteen bytes: what somebody who makes a journal up would put there.
static void seal(uint8_t *bytes, size_t size) {
  uint64_t hash = UINT64_C(0xCBF29CE484222325);
  for (size_t k = 16; k < size; k++) hash = (hash ^ bytes[k]) * UINT64_C(0x100000001B3);
  memcpy(bytes + 8, &hash, sizeof hash);
}

// Writes that no map can have made, in a journal that is sealed: to darts that are not there, or are not what the write
// is for.
static void writes_that_cannot_be_are_refused(void **state) {
  (void)state;
  enum { LINK, ALPHA, CELL_DROP = 4, ADD, DROP, TURN, HEAD = 48 };
  clv_map *map = create_map(3), *copy = create_map(3);
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  commit(map);
  begin(copy);
  assert_int_equal(add_cell(copy, CLV_TET), tet);
  commit(copy);
  clv_journal *journal = clv_journal_create(map);
  begin(map);
  assert_int_equal(clv_map_insert_vertex(map, tet, NULL), CLV_OK);
  commit(map);
  const size_t size = clv_journal_saved_size(journal);
  uint8_t *bytes = malloc(size);
  assert_non_null(bytes);
  clv_journal_save(journal, bytes);
  const clv_dart nowhere = 1u << 30;
  const uint32_t wrong[][4] = {
      {DROP, tet, 0, 0},          {DROP, nowhere, 0, 0},      {LINK, tet, 0, nowhere},
      {LINK, tet + 1, 0, tet},    {LINK, nowhere, 0, tet},    {ALPHA | 3u << 8, tet, tet, tet + 1},
      {ALPHA, nowhere, 0, tet},   {ALPHA, tet, tet, nowhere}, {250, tet, 0, 0},
      {CELL_DROP, tet + 1, 0, 0}, {TURN, tet + 1, 0, 0},      {ADD, nowhere, nowhere >> 6, 0},
      {ADD, nowhere, 0, 2}};
  const uint64_t before = clv_map_hash(copy);
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    memcpy(bytes + HEAD + 8, wrong[k], sizeof wrong[k]); // behind the only commit's
    seal(bytes, size);
    clv_error error = {0};
    clv_journal *loaded = clv_journal_load(copy, bytes, size, &error);
    if (loaded)
      assert_int_equal(clv_journal_replay(loaded, copy), CLV_ERROR_INPUT);
    else
      assert_int_equal(error.code, CLV_ERROR_INPUT);
    clv_journal_destroy(loaded);
    assert_true(clv_map_hash(copy) == before);
  }
  free(bytes);
  clv_map_destroy(map);
  clv_map_destroy(copy);
}

static void a_journal_loads_whole_or_not_at_all(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  clv_journal *journal = clv_journal_create(map);
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  assert_int_equal(clv_map_insert_vertex(map, tet, NULL), CLV_OK);
  commit(map);
  uint8_t bytes[8192];
  const size_t size = clv_journal_saved_size(journal);
  assert_true(size <= sizeof bytes);
  clv_journal_save(journal, bytes);
  counting_memory memory = {0};
  clv_map_def def = clv_default_map_def();
  def.allocator = counting_allocator(&memory);
  clv_map *copy = clv_map_create(&def, NULL);
  const size_t before = memory.live_bytes;
  clv_journal *loaded = NULL;
  for (size_t fail = 1; !loaded; fail++) {
    clv_error error = {0};
    memory.fail_at = memory.requests + fail;
    loaded = clv_journal_load(copy, bytes, size, &error);
    if (loaded) break;
    assert_int_equal(error.code, CLV_ERROR_MEMORY);
    assert_int_equal(memory.live_bytes, before);
  }
  memory.fail_at = 0;
  assert_int_equal(clv_journal_replay(loaded, copy), CLV_OK);
  assert_same_values(map, copy);
  clv_journal_destroy(loaded);
  clv_map_destroy(copy);
  clv_map_destroy(map);
  assert_int_equal(memory.live_bytes, 0);
}

static void a_journal_begins_between_transactions(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  begin(map);
  assert_null(clv_journal_create(map));
  clv_map_rollback(map);
  clv_journal *journal = clv_journal_create(map);
  assert_non_null(journal);
  assert_int_equal(clv_journal_commits(journal), 0);
  clv_journal_destroy(journal);
  clv_journal_destroy(NULL);
  begin(map);
  add_cell(map, CLV_TRI);
  commit(map); // nobody records it
  clv_map_destroy(map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_that_come_and_go_are_told),
      cmocka_unit_test(joints_that_merge_and_split_are_told),
      cmocka_unit_test(a_neighbour_that_goes_is_a_change),
      cmocka_unit_test(nothing_done_is_nothing_told),
      cmocka_unit_test(subscribers_are_called_in_order),
      cmocka_unit_test(renames_are_told),
      cmocka_unit_test(a_journal_plays_the_same_again),
      cmocka_unit_test(a_replay_is_heard_and_recorded),
      cmocka_unit_test(another_map_is_refused),
      cmocka_unit_test(other_columns_are_refused),
      cmocka_unit_test(columns_that_pass_leave_no_trace),
      cmocka_unit_test(a_journal_is_saved_and_loaded),
      cmocka_unit_test(a_damaged_journal_is_refused),
      cmocka_unit_test(writes_that_cannot_be_are_refused),
      cmocka_unit_test(a_journal_loads_whole_or_not_at_all),
      cmocka_unit_test(a_journal_begins_between_transactions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
