// Memory runs out while a map is edited: scripts that between them make every change a map knows, with columns of every
// policy on it, a subscriber and a journal. What a refused allocation must not do is told in support/script.h.

#include "support/script.h"

#include <string.h>

// Maps and columns

static clv_result create_map(scene *s, uint32_t dimension, clv_map **map) {
  const clv_map_def def = {.dimension = dimension, .allocator = s->allocator};
  const size_t live = s->memory.counting.live_bytes;
  clv_error error = {CLV_OK, ""};
  *map = clv_map_create(&def, &error);
  if (!*map) assert_int_equal(s->memory.counting.live_bytes, live);
  return *map ? CLV_OK : error.code;
}

static clv_result create_flat_map(scene *s) {
  CALL(s, create_map(s, 2, &s->map));
  return CLV_OK;
}

static clv_result create_solid_map(scene *s) {
  CALL(s, create_map(s, 3, &s->map));
  return CLV_OK;
}

// Adds up what the parts bring with them; a new orbit has what the column began with.
static void add_up(void *user, const clv_map *map, clv_dart dart, const clv_part *parts, uint32_t count, void *value) {
  (void)user;
  assert_true(clv_dart_alive(map, dart));
  float *sum = value;
  for (uint32_t k = 0; k < count; k++) {
    float part;
    memcpy(&part, parts[k].value, sizeof part);
    *sum += part * (float)parts[k].share;
  }
}

// A column of every policy; that of a later one's contribution comes first.
static clv_result create_column(clv_map *map, uint32_t number) {
  static const double eighth = 0.125, one = 1;
  static const float half = 0.5f;
  static const int32_t red = 7;
  const clv_column_def defs[] = {
      clv_default_column_def(),
      {.name = "corner mass",
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
       .merge = CLV_MERGE_SUM,
       .contribution = clv_column_find(map, "corner mass")},
      {.name = "weight",
       .orbit = CLV_VERTEX,
       .components = 1,
       .merge = CLV_MERGE_RECOMPUTE,
       .contribution = clv_column_find(map, "corner mass")},
      {.name = "length", .orbit = CLV_EDGE, .components = 1, .initial = &one, .merge = CLV_MERGE_MEAN},
      {.name = "contacts", .orbit = CLV_FACE, .type = CLV_UINT32, .components = 2, .merge = CLV_MERGE_SUM},
      {.name = "colour", .orbit = CLV_CELL, .type = CLV_INT32, .components = 1, .initial = &red},
      {.name = "name", .orbit = CLV_CELL, .type = CLV_BYTES, .components = 3},
      {.name = "own",
       .orbit = CLV_ORBIT(0, 0, 1, 1),
       .type = CLV_FLOAT,
       .components = 1,
       .initial = &half,
       .policy = add_up},
      {.name = "body",
       .orbit = CLV_COMPONENT,
       .components = 1,
       .initial = &one,
       .split = CLV_SPLIT_SHARE,
       .merge = CLV_MERGE_SUM},
  };
  assert_true(number < sizeof defs / sizeof *defs);
  return clv_column_create(map, &defs[number], NULL);
}

enum { COLUMNS = 10 };

static clv_result number_orbits(scene *s) {
  CALL(s, clv_map_number(s->map, CLV_CELL_EDGE));
  return CLV_OK;
}

// On a map that has cells already.
static clv_result number_corner_faces(scene *s) {
  CALL(s, clv_map_number(s->map, CLV_ORBIT(0, 1, 0, 1)));
  return CLV_OK;
}

static clv_result create_next_column(scene *s) {
  uint32_t there = 0;
  while (clv_column_list(s->map, there)) there++;
  CALL(s, create_column(s->map, there));
  return CLV_OK;
}

#define CREATE_COLUMNS                                                                                                 \
  create_next_column, create_next_column, create_next_column, create_next_column, create_next_column,                  \
      create_next_column, create_next_column, create_next_column, create_next_column, create_next_column

static void listen(void *user, const clv_map *map, const clv_commit *heard) {
  scene *s = user;
  assert_int_equal(heard->revision, clv_map_revision(map));
  s->recorded[s->commits_heard++] = clv_map_hash(map);
  s->events_heard += heard->event_count;
}

static clv_result subscribe(scene *s) {
  CALL(s, clv_map_subscribe(s->map, listen, s));
  return CLV_OK;
}

static clv_result result_of(const void *created) {
  return created ? CLV_OK : CLV_ERROR_MEMORY;
}

static clv_result start_journal(scene *s) {
  s->journal = NULL;
  CALL(s, result_of(s->journal = clv_journal_create(s->map)));
  return CLV_OK;
}

// The second map, as the first was when its journal began.
static clv_result create_copy(scene *s) {
  CALL(s, create_map(s, s->map->dimension, &s->replayed));
  CALL(s, clv_map_number(s->replayed, CLV_CELL_EDGE));
  for (uint32_t k = 0; k < COLUMNS; k++) CALL(s, create_column(s->replayed, k));
  return CLV_OK;
}

// One commit of many may fail: those before it stand, that one has done nothing. The next attempt has a copy of its
// own.
static clv_result replay(scene *s) {
  if (!s->replayed) assert_int_equal(create_copy(s), CLV_OK);
  const clv_result result = clv_journal_replay(s->journal, s->replayed);
  const uint64_t done = clv_map_revision(s->replayed);
  if (result == CLV_OK) assert_true(clv_map_hash(s->replayed) == clv_map_hash(s->map));
  if (done) assert_true(clv_map_hash(s->replayed) == s->recorded[done - 1]);
  if (result != CLV_OK) {
    clv_map_destroy(s->replayed);
    s->replayed = NULL;
  }
  CALL(s, result);
  return CLV_OK;
}

static clv_dart along(const clv_map *map, clv_dart dart, uint32_t steps) {
  for (uint32_t k = 0; k < steps; k++) dart = clv_alpha(map, dart, k % 2);
  return dart;
}

static clv_result set_position(scene *s, clv_dart dart) {
  static const double somewhere[3] = {0.25, 0.5, 0.75};
  return clv_column_set(clv_column_find(s->map, "pos"), dart, somewhere);
}

// Edits of a 2D map. Cells of one transaction are told apart by their first darts, which template cells keep while they
// have their shape, and others while they have none.

enum { TRI, QUAD, SQUARE, HEPTAGON };

static clv_result add_flat_cells(scene *s) {
  clv_dart *d = s->darts;
  CALL(s, scene_begin(s));
  CALL(s, clv_map_add_cell(s->map, CLV_TRI, &d[TRI]));
  CALL(s, clv_map_add_cell(s->map, CLV_QUAD, &d[QUAD]));
  CALL(s, clv_map_add_cell(s->map, CLV_QUAD, &d[SQUARE]));
  CALL(s, clv_map_add_polygon(s->map, 3, NULL));
  CALL(s, clv_map_add_polygon(s->map, 7, &d[HEPTAGON]));
  CALL(s, clv_map_sew(s->map, 2, along(s->map, d[TRI], 1), d[QUAD]));
  CALL(s, clv_map_sew(s->map, 2, along(s->map, d[QUAD], 2), along(s->map, d[HEPTAGON], 3)));
  CALL(s, set_position(s, d[TRI]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

// The heptagon loses three sides to a quadrangle beyond the edge; its first dart stays at the chord.
static clv_result insert_in_flat_cells(scene *s) {
  clv_dart vertex = CLV_NO_DART;
  const clv_dart corner = clv_alpha(s->map, s->darts[HEPTAGON], 1);
  CALL(s, scene_begin(s));
  CALL(s, clv_map_insert_vertex(s->map, s->darts[QUAD], &vertex));
  CALL(s, clv_map_insert_edge(s->map, corner, along(s->map, corner, 5), NULL));
  CALL(s, set_position(s, vertex));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result remove_from_flat_cells(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_remove(s->map, 0, clv_alpha(s->map, s->darts[QUAD], 0)));
  CALL(s, clv_map_remove(s->map, 1, clv_alpha(s->map, s->darts[HEPTAGON], 1)));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result open_flat_cells(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_unsew(s->map, 0, s->darts[SQUARE]));
  CALL(s, clv_map_unsew(s->map, 1, s->darts[QUAD]));
  CALL(s, clv_map_unsew(s->map, 2, s->darts[QUAD]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result close_flat_cells(scene *s) {
  const clv_template *quad = &clv_templates[CLV_QUAD];
  CALL(s, scene_begin(s));
  CALL(s, clv_map_sew(s->map, 0, s->darts[SQUARE], s->darts[SQUARE] | quad->alpha[0][0]));
  CALL(s, clv_map_sew(s->map, 1, s->darts[QUAD], s->darts[QUAD] | quad->alpha[1][0]));
  CALL(s, clv_map_sew(s->map, 2, s->darts[QUAD], s->darts[SQUARE]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result change_and_roll_back(scene *s) {
  const uint64_t before = map_fingerprint(s->map);
  const bool flat = s->map->dimension == 2;
  clv_dart added = CLV_NO_DART;
  CALL(s, scene_begin(s));
  CALL(s, clv_map_add_cell(s->map, flat ? CLV_QUAD : CLV_HEX, &added));
  CALL(s, clv_map_insert_vertex(s->map, s->darts[0], NULL));
  CALL(s, clv_map_insert_edge(s->map, added, along(s->map, added, 3), NULL));
  CALL(s, clv_map_remove_cell(s->map, s->darts[0]));
  clv_map_rollback(s->map);
  s->open = false;
  assert_true(map_fingerprint(s->map) == before);
  return CLV_OK;
}

static clv_dart cell_of_kind(const clv_map *map, clv_kind kind) {
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart dart = clv_id_dart(map, CLV_CELL, id);
    if (clv_cell_kind(map, dart) == kind) return dart;
  }
  fail_msg("no cell of kind %s", clv_kind_name(kind));
  return CLV_NO_DART;
}

// A triangle without one edge has two that lie on each other; without itself it has one.
static clv_result contract_flat_cells(scene *s) {
  CALL(s, scene_begin(s));
  const clv_dart tri = cell_of_kind(s->map, CLV_TRI), rest = along(s->map, tri, 2);
  CALL(s, clv_map_contract(s->map, 1, tri));
  CALL(s, clv_map_contract(s->map, 2, rest));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result remove_flat_cells(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_remove_cell(s->map, s->darts[SQUARE]));
  CALL(s, clv_map_remove_cell(s->map, s->darts[HEPTAGON]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

// Edits of a 3D map

enum { HEX, BELOW, CUBE, TET, PYRAMID, PRISM, POLYHEDRON };

static clv_result add_pentagonal_prism(scene *s) {
  static const uint32_t sizes[] = {5, 4, 4, 4, 4, 4, 5};
  static const uint32_t corners[] = {0, 1, 2, 3, 4, 0, 1, 6, 5, 1, 2, 7, 6, 2, 3,
                                     8, 7, 3, 4, 9, 8, 4, 0, 5, 9, 5, 6, 7, 8, 9};
  return clv_map_add_polyhedron(s->map, 7, sizes, corners, &s->darts[POLYHEDRON]);
}

static clv_result add_solid_cells(scene *s) {
  clv_dart *d = s->darts;
  CALL(s, scene_begin(s));
  CALL(s, clv_map_add_cell(s->map, CLV_HEX, &d[HEX]));
  CALL(s, clv_map_add_cell(s->map, CLV_TET, &d[TET]));
  CALL(s, clv_map_add_cell(s->map, CLV_PYRAMID, &d[PYRAMID]));
  CALL(s, clv_map_add_cell(s->map, CLV_PRISM, &d[PRISM]));
  CALL(s, add_pentagonal_prism(s));
  CALL(s, clv_map_add_polygon(s->map, 4, NULL));
  CALL(s, clv_map_sew(s->map, 3, d[HEX], clv_alpha(s->map, d[POLYHEDRON], 2)));
  CALL(s, clv_map_sew(s->map, 3, d[TET], clv_alpha(s->map, d[PYRAMID], 2)));
  CALL(s, set_position(s, d[HEX]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result remove_solid_cells(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_remove_cell(s->map, s->darts[HEX]));
  CALL(s, clv_map_remove_cell(s->map, s->darts[POLYHEDRON]));
  CALL(s, clv_map_remove_cell(s->map, s->darts[PRISM]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result add_hexahedra(scene *s) {
  clv_dart *d = s->darts;
  CALL(s, scene_begin(s));
  CALL(s, clv_map_add_cell(s->map, CLV_HEX, &d[HEX]));
  CALL(s, clv_map_add_cell(s->map, CLV_HEX, &d[BELOW]));
  CALL(s, clv_map_add_cell(s->map, CLV_HEX, &d[CUBE]));
  CALL(s, clv_map_sew(s->map, 3, d[HEX], d[BELOW]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result add_other_templates(scene *s) {
  clv_dart *d = s->darts;
  CALL(s, scene_begin(s));
  CALL(s, clv_map_add_cell(s->map, CLV_TET, &d[TET]));
  CALL(s, clv_map_add_cell(s->map, CLV_PYRAMID, &d[PYRAMID]));
  CALL(s, clv_map_add_cell(s->map, CLV_PRISM, &d[PRISM]));
  CALL(s, clv_map_sew(s->map, 3, d[TET], clv_alpha(s->map, d[PYRAMID], 2)));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result insert_in_solid_cells(scene *s) {
  clv_dart vertex = CLV_NO_DART, edge = CLV_NO_DART;
  CALL(s, scene_begin(s));
  CALL(s, clv_map_insert_vertex(s->map, s->darts[HEX], &vertex));
  CALL(s, clv_map_insert_edge(s->map, s->darts[CUBE], along(s->map, s->darts[CUBE], 3), &edge));
  CALL(s, set_position(s, vertex));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result remove_from_solid_cells(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_remove(s->map, 0, clv_alpha(s->map, s->darts[HEX], 0)));
  CALL(s, clv_map_remove(s->map, 1, clv_alpha(s->map, s->darts[CUBE], 1)));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

// Along the rim of the top: the cell between the old top and the new one has two faces.
static clv_result insert_lid(scene *s) {
  const clv_dart top = s->darts[CUBE] | clv_templates[CLV_HEX].facet_first[5];
  const clv_dart path[] = {top, top + 2, top + 4, top + 6};
  CALL(s, scene_begin(s));
  CALL(s, clv_map_insert_face(s->map, path, 4, NULL));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

// The cell of two faces, at its inner one; the cube beneath is s->darts[CUBE] again.
static clv_dart find_lid(scene *s) {
  for (clv_id id = clv_id_next(s->map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(s->map, CLV_CELL, id)) {
    clv_walk cell;
    const clv_dart dart = clv_id_dart(s->map, CLV_CELL, id);
    assert_int_equal(clv_walk_orbit(&cell, s->map, CLV_CELL, dart), CLV_OK);
    if (cell.count != 16) continue;
    const clv_dart inner = clv_is_free(s->map, dart, 3) ? clv_alpha(s->map, dart, 2) : dart;
    s->darts[CUBE] = clv_alpha(s->map, inner, 3) & ~63u;
    return inner;
  }
  fail_msg("no cell of two faces");
  return CLV_NO_DART;
}

static clv_result contract_lid(scene *s) {
  const clv_dart lid = find_lid(s);
  CALL(s, scene_begin(s));
  CALL(s, clv_map_contract(s->map, 3, lid));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result remove_lid(scene *s) {
  const clv_dart lid = find_lid(s);
  CALL(s, scene_begin(s));
  CALL(s, clv_map_remove(s->map, 2, lid));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result open_solid_cells(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_unsew(s->map, 0, s->darts[PRISM]));
  CALL(s, clv_map_unsew(s->map, 1, s->darts[PYRAMID]));
  CALL(s, clv_map_unsew(s->map, 2, s->darts[PYRAMID] + 4));
  CALL(s, clv_map_unsew(s->map, 3, s->darts[TET]));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

static clv_result close_solid_cells(scene *s) {
  const clv_dart *d = s->darts;
  const clv_template *pyramid = &clv_templates[CLV_PYRAMID];
  CALL(s, scene_begin(s));
  CALL(s, clv_map_sew(s->map, 0, d[PRISM], d[PRISM] | clv_templates[CLV_PRISM].alpha[0][0]));
  CALL(s, clv_map_sew(s->map, 1, d[PYRAMID], d[PYRAMID] | pyramid->alpha[1][0]));
  CALL(s, clv_map_sew(s->map, 2, d[PYRAMID] + 4, d[PYRAMID] | pyramid->alpha[2][4]));
  CALL(s, clv_map_sew(s->map, 3, d[TET], clv_alpha(s->map, d[PYRAMID], 2)));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

// An edge of a tetrahedron; then what was a triangle beside it.
static clv_result contract_solid_cells(scene *s) {
  CALL(s, scene_begin(s));
  CALL(s, clv_map_contract(s->map, 1, s->darts[TET]));
  CALL(s, clv_map_contract(s->map, 2, s->darts[TET] + 2));
  CALL(s, scene_commit(s));
  return CLV_OK;
}

// Reading

static clv_result count(scene *s) {
  clv_map_info info;
  CALL(s, clv_map_count(s->map, &info));
  return CLV_OK;
}

static void no_problem(void *user, const clv_problem *problem) {
  (void)user;
  fail_msg("%s: %s", problem->condition, problem->message);
}

// A check that runs out of memory has not found anything wrong.
static clv_result check(scene *s) {
  CALL(s, clv_map_check(s->map, no_problem, NULL));
  return CLV_OK;
}

// The scripts

static void flat_cells_are_added_and_removed(void **state) {
  (void)state;
  static act *const acts[] = {
      create_flat_map, number_orbits,        CREATE_COLUMNS,      subscribe,         start_journal, add_flat_cells,
      count,           change_and_roll_back, contract_flat_cells, remove_flat_cells, NULL,
  };
  script_play(&(script){"adding, contracting and removing cells of a 2D map", 1, NO_PROLOGUE, acts});
}

static void flat_cells_are_cut_and_opened(void **state) {
  (void)state;
  static act *const prologue[] = {create_flat_map, number_orbits, CREATE_COLUMNS, subscribe,
                                  start_journal,   create_copy,   add_flat_cells, NULL};
  static act *const acts[] = {
      insert_in_flat_cells, remove_from_flat_cells, open_flat_cells, count, check, close_flat_cells, replay, NULL};
  script_play(&(script){"inserting, removing, opening and closing in a 2D map", 1, prologue, acts});
}

static void solid_cells_are_added_and_removed(void **state) {
  (void)state;
  static act *const acts[] = {
      create_solid_map, number_orbits,        CREATE_COLUMNS,     subscribe,           start_journal,
      add_solid_cells,  change_and_roll_back, remove_solid_cells, number_corner_faces, NULL,
  };
  script_play(&(script){"adding and removing cells of a 3D map", 1, NO_PROLOGUE, acts});
}

static void solid_cells_are_cut(void **state) {
  (void)state;
  static act *const prologue[] = {create_solid_map, number_orbits, CREATE_COLUMNS, subscribe,
                                  start_journal,    create_copy,   add_hexahedra,  NULL};
  static act *const acts[] = {insert_in_solid_cells, remove_from_solid_cells, replay, NULL};
  script_play(&(script){"inserting and removing vertices and edges in a 3D map", 1, prologue, acts});
}

static void solid_cells_get_lids(void **state) {
  (void)state;
  static act *const prologue[] = {create_solid_map, number_orbits, CREATE_COLUMNS, add_hexahedra, NULL};
  static act *const acts[] = {insert_lid, contract_lid, insert_lid, remove_lid, NULL};
  script_play(&(script){"inserting and removing faces in a 3D map", 1, prologue, acts});
}

static void solid_cells_are_opened_and_contracted(void **state) {
  (void)state;
  static act *const prologue[] = {create_solid_map, number_orbits, CREATE_COLUMNS,      subscribe,
                                  start_journal,    create_copy,   add_other_templates, NULL};
  static act *const acts[] = {open_solid_cells, close_solid_cells, contract_solid_cells, count, replay, NULL};
  script_play(&(script){"opening, closing and contracting in a 3D map", 1, prologue, acts});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flat_cells_are_added_and_removed),
      cmocka_unit_test(flat_cells_are_cut_and_opened),
      cmocka_unit_test(solid_cells_are_added_and_removed),
      cmocka_unit_test(solid_cells_are_cut),
      cmocka_unit_test(solid_cells_get_lids),
      cmocka_unit_test(solid_cells_are_opened_and_contracted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
