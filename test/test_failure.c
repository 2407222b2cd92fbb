// Memory runs out: at every allocation of scripts that between them call everything a map, its columns and its meshes can do.
//
// A script is a list of acts; an act is a few calls, with at most one transaction round them. The script is played undisturbed first;
// then once for each of its allocations, which is refused:
//
// - the call that meets the refusal says CLV_ERROR_MEMORY (or NULL) and leaves the map, to the hash, as it found it;
// - a commit that fails leaves its transaction open; the rollback brings back every bit and value from before the act;
// - the map passes its check, the act is played again, and the script ends as it did undisturbed: same hash, same values, same
//   journal, same commits heard;
// - nothing is leaked.
//
// And once more for each, with no memory from there on: the same, except that nothing is played again.

#include "cleave/mesh.h"
#include "support/counting_allocator.h"

#include <math.h>
#include <string.h>

// Memory that refuses one request, or all from one on. A block that cannot be made smaller stays as it is: such a refusal may go
// unnoticed, but must change nothing.

typedef struct short_memory {
  counting_memory counting;
  size_t from;     // the request from which on all are refused; 0 for none
  size_t declined; // requests to shrink that were refused
} short_memory;

static void *short_resize(void *user, void *p, size_t old_size, size_t new_size) {
  short_memory *memory = user;
  const bool refused_before = memory->counting.refused;
  if (memory->from && memory->counting.requests + 1 >= memory->from)
    memory->counting.fail_at = memory->counting.requests + 1;
  void *moved = counting_resize(&memory->counting, p, old_size, new_size);
  if (new_size == 0 || new_size >= old_size || moved) return moved;
  memory->counting.refused = refused_before;
  memory->declined++;
  return NULL;
}

// The scene

enum { DARTS = 8 };

typedef struct scene {
  short_memory memory;
  clv_allocator allocator;
  uint32_t variant;
  clv_mesh mesh, extracted;
  clv_map *map;
  clv_map *replayed;
  clv_journal *journal;
  bool open; // a transaction
  clv_dart darts[DARTS];
  uint32_t commits_heard, events_heard;
  uint64_t recorded[32]; // the hash after each commit heard
} scene;

typedef clv_result act(scene *s);

static void scene_init(scene *s, uint32_t variant) {
  *s = (scene){.variant = variant};
  s->allocator = (clv_allocator){.resize = short_resize, .user = &s->memory};
  clv_mesh_init(&s->mesh, &s->allocator);
  clv_mesh_init(&s->extracted, &s->allocator);
}

static void scene_free(scene *s) {
  clv_map_destroy(s->replayed);
  clv_map_destroy(s->map);
  clv_mesh_free(&s->mesh);
  clv_mesh_free(&s->extracted);
  assert_int_equal(s->memory.counting.live_bytes, 0);
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 32;
}

static uint64_t mixed_mesh(uint64_t hash, const clv_mesh *mesh) {
  hash = mixed(mixed(hash, mesh->point_count), mesh->element_count);
  return mixed(hash, mesh->element_count ? mesh->offsets[mesh->element_count] : 0);
}

// What a single call may not change when it fails.
static uint64_t outline(const scene *s) {
  const uint64_t hash = mixed_mesh(mixed_mesh(0, &s->mesh), &s->extracted);
  return s->map ? mixed(hash, clv_map_hash(s->map)) : hash;
}

// What an act may not change when it fails: values too.
static uint64_t fingerprint(const clv_map *map) {
  if (!map) return 0;
  uint64_t hash = mixed(clv_map_hash(map), clv_map_revision(map));
  const clv_column *column;
  for (uint32_t k = 0; (column = clv_column_list(map, k)) != NULL; k++) {
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
      const uint8_t *value = clv_column_at(column, d);
      if (!value) fail_msg("no value of '%s' at dart %u", clv_column_get_def(column)->name, d);
      for (size_t b = 0; b < clv_column_size(column); b++) hash = mixed(hash, value[b]);
    }
  }
  return hash;
}

// The answer to a call: a refusal is passed on, nothing else goes wrong, and a call that fails has done nothing.
static clv_result answered(const scene *s, const char *call, uint64_t before, clv_result result) {
  const clv_result expected = s->memory.counting.refused ? CLV_ERROR_MEMORY : CLV_OK;
  if (result != expected) fail_msg("%s: %s, not %s", call, clv_result_name(result), clv_result_name(expected));
  if (result != CLV_OK && outline(s) != before) fail_msg("%s failed and left its traces", call);
  return result;
}

#define CALL(s, call)                                                                                                  \
  do {                                                                                                                 \
    const uint64_t outline_before = outline(s);                                                                        \
    const clv_result call_result = answered(s, #call, outline_before, (call));                                         \
    if (call_result != CLV_OK) return call_result;                                                                     \
  } while (0)

static clv_result result_of(const void *created) {
  return created ? CLV_OK : CLV_ERROR_MEMORY;
}

static clv_result begin(scene *s) {
  const clv_result result = clv_map_begin(s->map);
  s->open |= result == CLV_OK;
  return result;
}

static clv_result commit(scene *s) {
  const clv_result result = clv_map_commit(s->map);
  s->open &= result != CLV_OK;
  return result;
}

// Playing a script

typedef struct script {
  const char *name;
  uint32_t variants;
  act *const *acts; // NULL behind the last
} script;

static void complain(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static void assert_sound(const clv_map *map) {
  if (map) assert_int_equal(clv_map_check(map, complain, NULL), CLV_OK);
}

static void roll_back(scene *s) {
  if (!s->open) return;
  assert_int_equal(clv_map_begin(s->map), CLV_ERROR_ARGUMENT); // still open
  clv_map_rollback(s->map);
  s->open = false;
}

// False when the act met a refusal; everything is as it was then.
static bool attempt(scene *s, act *play) {
  const uint64_t before = fingerprint(s->map);
  const uint32_t heard = s->commits_heard;
  if (play(s) == CLV_OK) return true;
  roll_back(s);
  assert_true(fingerprint(s->map) == before);
  assert_int_equal(s->commits_heard, heard);
  return false;
}

// Memory is back; true when there is nothing more to try.
static void relieve(scene *s) {
  s->memory.counting.refused = false;
  s->memory.counting.fail_at = s->memory.from = 0;
}

static uint64_t ending(const scene *s) {
  uint64_t hash = mixed(mixed(fingerprint(s->map), fingerprint(s->replayed)), mixed_mesh(outline(s), &s->extracted));
  hash = mixed(hash, s->journal ? clv_journal_commits(s->journal) : 0);
  return mixed(mixed(hash, s->commits_heard), s->events_heard);
}

static uint64_t play_undisturbed(const script *plot, uint32_t variant, size_t *requests) {
  scene s;
  scene_init(&s, variant);
  for (uint32_t k = 0; plot->acts[k]; k++) assert_true(attempt(&s, plot->acts[k]));
  const uint64_t end = ending(&s);
  *requests = s.memory.counting.requests;
  assert_sound(s.map);
  scene_free(&s);
  return end;
}

static void play_with_one_refusal(const script *plot, uint32_t variant, size_t fail_at, uint64_t expected) {
  scene s;
  scene_init(&s, variant);
  s.memory.counting.fail_at = fail_at;
  bool met = false;
  for (uint32_t k = 0; plot->acts[k]; k++) {
    if (attempt(&s, plot->acts[k])) continue;
    assert_false(met);
    met = true;
    relieve(&s);
    assert_sound(s.map);
    assert_true(attempt(&s, plot->acts[k]));
  }
  assert_true(met || s.memory.declined == 1);
  assert_true(ending(&s) == expected);
  scene_free(&s);
}

static void play_until_memory_is_out(const script *plot, uint32_t variant, size_t from, uint64_t expected) {
  scene s;
  scene_init(&s, variant);
  s.memory.from = from;
  bool met = false;
  for (uint32_t k = 0; plot->acts[k] && !met; k++) met = !attempt(&s, plot->acts[k]);
  relieve(&s);
  assert_sound(s.map);
  if (!met) assert_true(ending(&s) == expected); // only requests to shrink were refused
  scene_free(&s);
}

static size_t play_all(const script *plot) {
  size_t refused = 0;
  for (uint32_t variant = 0; variant < plot->variants; variant++) {
    size_t requests;
    const uint64_t end = play_undisturbed(plot, variant, &requests);
    assert_true(requests > 0);
    for (size_t k = 1; k <= requests; k++) {
      play_with_one_refusal(plot, variant, k, end);
      play_until_memory_is_out(plot, variant, k, end);
    }
    refused += requests;
  }
  print_message("%s: %zu allocations refused, each once and for good\n", plot->name, refused);
  return refused;
}

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
      {.name = "corner mass", .orbit = CLV_CORNER, .components = 1, .initial = &eighth, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_SUM},
      {.name = "mass", .orbit = CLV_VERTEX, .components = 1, .initial = &one, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_SUM,
       .contribution = clv_column_find(map, "corner mass")},
      {.name = "weight", .orbit = CLV_VERTEX, .components = 1, .merge = CLV_MERGE_RECOMPUTE,
       .contribution = clv_column_find(map, "corner mass")},
      {.name = "length", .orbit = CLV_EDGE, .components = 1, .initial = &one, .merge = CLV_MERGE_MEAN},
      {.name = "contacts", .orbit = CLV_FACE, .type = CLV_UINT32, .components = 2, .merge = CLV_MERGE_SUM},
      {.name = "colour", .orbit = CLV_CELL, .type = CLV_INT32, .components = 1, .initial = &red},
      {.name = "name", .orbit = CLV_CELL, .type = CLV_BYTES, .components = 3},
      {.name = "own", .orbit = CLV_ORBIT(0, 0, 1, 1), .type = CLV_FLOAT, .components = 1, .initial = &half, .policy = add_up},
      {.name = "body", .orbit = CLV_COMPONENT, .components = 1, .initial = &one, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_SUM},
  };
  assert_true(number < sizeof defs / sizeof *defs);
  return clv_column_create(map, &defs[number], NULL);
}

enum { COLUMNS = 10 };

static clv_result number_orbits(scene *s) {
  CALL(s, clv_map_number(s->map, CLV_CELL_EDGE));
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

static clv_result start_journal(scene *s) {
  s->recorded[31] = clv_map_hash(s->map);
  s->journal = NULL;
  CALL(s, result_of(s->journal = clv_journal_create(s->map)));
  return CLV_OK;
}

static clv_result prepare_replay(scene *s) {
  CALL(s, create_map(s, s->map->dimension, &s->replayed));
  CALL(s, clv_map_number(s->replayed, CLV_CELL_EDGE));
  for (uint32_t k = 0; k < COLUMNS; k++) CALL(s, create_column(s->replayed, k));
  CALL(s, clv_journal_replay(s->journal, s->replayed));
  return CLV_OK;
}

// Replays on a second map. One commit of many may fail: those before it stand, that one has done nothing.
static clv_result replay(scene *s) {
  const clv_result result = prepare_replay(s);
  if (result == CLV_OK) {
    assert_true(clv_map_hash(s->replayed) == clv_map_hash(s->map));
    return CLV_OK;
  }
  if (s->replayed && clv_map_revision(s->replayed) > 0)
    assert_true(clv_map_hash(s->replayed) == s->recorded[clv_map_revision(s->replayed) - 1]);
  clv_map_destroy(s->replayed);
  s->replayed = NULL;
  return result;
}

static clv_dart along(const clv_map *map, clv_dart dart, uint32_t steps) {
  for (uint32_t k = 0; k < steps; k++) dart = clv_alpha(map, dart, k % 2);
  return dart;
}

static clv_result set_position(scene *s, clv_dart dart) {
  static const double somewhere[3] = {0.25, 0.5, 0.75};
  return clv_column_set(clv_column_find(s->map, "position"), dart, somewhere);
}

// Edits of a 2D map. Cells of one transaction are told apart by their first darts, which template cells keep while they have their
// shape, and others while they have none.

enum { TRI, QUAD, SQUARE, HEPTAGON };

static clv_result add_flat_cells(scene *s) {
  clv_dart *d = s->darts;
  CALL(s, begin(s));
  CALL(s, clv_map_add_cell(s->map, CLV_TRI, &d[TRI]));
  CALL(s, clv_map_add_cell(s->map, CLV_QUAD, &d[QUAD]));
  CALL(s, clv_map_add_cell(s->map, CLV_QUAD, &d[SQUARE]));
  CALL(s, clv_map_add_polygon(s->map, 3, NULL));
  CALL(s, clv_map_add_polygon(s->map, 7, &d[HEPTAGON]));
  CALL(s, clv_map_sew(s->map, 2, along(s->map, d[TRI], 1), d[QUAD]));
  CALL(s, clv_map_sew(s->map, 2, along(s->map, d[QUAD], 2), along(s->map, d[HEPTAGON], 3)));
  CALL(s, set_position(s, d[TRI]));
  CALL(s, commit(s));
  return CLV_OK;
}

// The heptagon loses three sides to a quadrangle beyond the edge; its first dart stays at the chord.
static clv_result insert_in_flat_cells(scene *s) {
  clv_dart vertex = CLV_NO_DART;
  const clv_dart corner = clv_alpha(s->map, s->darts[HEPTAGON], 1);
  CALL(s, begin(s));
  CALL(s, clv_map_insert_vertex(s->map, s->darts[QUAD], &vertex));
  CALL(s, clv_map_insert_edge(s->map, corner, along(s->map, corner, 5), NULL));
  CALL(s, set_position(s, vertex));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result remove_from_flat_cells(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_remove(s->map, 0, clv_alpha(s->map, s->darts[QUAD], 0)));
  CALL(s, clv_map_remove(s->map, 1, clv_alpha(s->map, s->darts[HEPTAGON], 1)));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result open_flat_cells(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_unsew(s->map, 0, s->darts[SQUARE]));
  CALL(s, clv_map_unsew(s->map, 1, s->darts[QUAD]));
  CALL(s, clv_map_unsew(s->map, 2, s->darts[QUAD]));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result close_flat_cells(scene *s) {
  const clv_template *quad = &clv_templates[CLV_QUAD];
  CALL(s, begin(s));
  CALL(s, clv_map_sew(s->map, 0, s->darts[SQUARE], s->darts[SQUARE] | quad->alpha[0][0]));
  CALL(s, clv_map_sew(s->map, 1, s->darts[QUAD], s->darts[QUAD] | quad->alpha[1][0]));
  CALL(s, clv_map_sew(s->map, 2, s->darts[QUAD], s->darts[SQUARE]));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result change_and_roll_back(scene *s) {
  const uint64_t before = fingerprint(s->map);
  const bool flat = s->map->dimension == 2;
  clv_dart added = CLV_NO_DART;
  CALL(s, begin(s));
  CALL(s, clv_map_add_cell(s->map, flat ? CLV_QUAD : CLV_HEX, &added));
  CALL(s, clv_map_insert_vertex(s->map, s->darts[QUAD], NULL));
  CALL(s, clv_map_insert_edge(s->map, added, along(s->map, added, 3), NULL));
  CALL(s, clv_map_remove_cell(s->map, s->darts[QUAD]));
  clv_map_rollback(s->map);
  s->open = false;
  assert_true(fingerprint(s->map) == before);
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
  CALL(s, begin(s));
  const clv_dart tri = cell_of_kind(s->map, CLV_TRI), rest = along(s->map, tri, 2);
  CALL(s, clv_map_contract(s->map, 1, tri));
  CALL(s, clv_map_contract(s->map, 2, rest));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result remove_flat_cells(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_remove_cell(s->map, s->darts[QUAD]));
  CALL(s, clv_map_remove_cell(s->map, s->darts[HEPTAGON]));
  CALL(s, commit(s));
  return CLV_OK;
}

// Edits of a 3D map

enum { HEX, BELOW, CUBE, TET, PYRAMID, PRISM, POLYHEDRON };

static clv_result add_pentagonal_prism(scene *s) {
  static const uint32_t sizes[] = {5, 4, 4, 4, 4, 4, 5};
  static const uint32_t corners[] = {0, 1, 2, 3, 4, 0, 1, 6, 5, 1, 2, 7, 6, 2, 3, 8, 7, 3, 4, 9, 8, 4, 0, 5, 9, 5, 6, 7, 8, 9};
  return clv_map_add_polyhedron(s->map, 7, sizes, corners, &s->darts[POLYHEDRON]);
}

static clv_result add_solid_cells(scene *s) {
  clv_dart *d = s->darts;
  CALL(s, begin(s));
  CALL(s, clv_map_add_cell(s->map, CLV_HEX, &d[HEX]));
  CALL(s, clv_map_add_cell(s->map, CLV_HEX, &d[BELOW]));
  CALL(s, clv_map_add_cell(s->map, CLV_HEX, &d[CUBE]));
  CALL(s, clv_map_add_cell(s->map, CLV_TET, &d[TET]));
  CALL(s, clv_map_add_cell(s->map, CLV_PYRAMID, &d[PYRAMID]));
  CALL(s, clv_map_add_cell(s->map, CLV_PRISM, &d[PRISM]));
  CALL(s, add_pentagonal_prism(s));
  CALL(s, clv_map_add_polygon(s->map, 4, NULL));
  CALL(s, clv_map_sew(s->map, 3, d[HEX], d[BELOW]));
  CALL(s, clv_map_sew(s->map, 3, clv_alpha(s->map, d[HEX], 2), clv_alpha(s->map, d[POLYHEDRON], 2)));
  CALL(s, set_position(s, d[HEX]));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result insert_in_solid_cells(scene *s) {
  clv_dart vertex = CLV_NO_DART, edge = CLV_NO_DART;
  CALL(s, begin(s));
  CALL(s, clv_map_insert_vertex(s->map, s->darts[HEX], &vertex));
  CALL(s, clv_map_insert_edge(s->map, s->darts[CUBE], along(s->map, s->darts[CUBE], 3), &edge));
  CALL(s, set_position(s, vertex));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result remove_from_solid_cells(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_remove(s->map, 0, clv_alpha(s->map, s->darts[HEX], 0)));
  CALL(s, clv_map_remove(s->map, 1, clv_alpha(s->map, s->darts[CUBE], 1)));
  CALL(s, commit(s));
  return CLV_OK;
}

// Along the rim of the top: the cell between the old top and the new one has two faces.
static clv_result insert_lid(scene *s) {
  const clv_dart top = s->darts[CUBE] | clv_templates[CLV_HEX].facet_first[5];
  const clv_dart path[] = {top, top + 2, top + 4, top + 6};
  CALL(s, begin(s));
  CALL(s, clv_map_insert_face(s->map, path, 4, NULL));
  CALL(s, commit(s));
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
  CALL(s, begin(s));
  CALL(s, clv_map_contract(s->map, 3, lid));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result remove_lid(scene *s) {
  const clv_dart lid = find_lid(s);
  CALL(s, begin(s));
  CALL(s, clv_map_remove(s->map, 2, lid));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result open_solid_cells(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_unsew(s->map, 0, s->darts[PRISM]));
  CALL(s, clv_map_unsew(s->map, 1, s->darts[PYRAMID]));
  CALL(s, clv_map_unsew(s->map, 2, s->darts[BELOW]));
  CALL(s, clv_map_unsew(s->map, 3, s->darts[HEX]));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result close_solid_cells(scene *s) {
  const clv_dart *d = s->darts;
  CALL(s, begin(s));
  CALL(s, clv_map_sew(s->map, 0, d[PRISM], d[PRISM] | clv_templates[CLV_PRISM].alpha[0][0]));
  CALL(s, clv_map_sew(s->map, 1, d[PYRAMID], d[PYRAMID] | clv_templates[CLV_PYRAMID].alpha[1][0]));
  CALL(s, clv_map_sew(s->map, 2, d[BELOW], d[BELOW] | clv_templates[CLV_HEX].alpha[2][0]));
  CALL(s, clv_map_sew(s->map, 3, d[HEX], d[BELOW]));
  CALL(s, commit(s));
  return CLV_OK;
}

// An edge of a tetrahedron; then what was a triangle beside it.
static clv_result contract_solid_cells(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_contract(s->map, 1, s->darts[TET]));
  CALL(s, clv_map_contract(s->map, 2, s->darts[TET] + 2));
  CALL(s, commit(s));
  return CLV_OK;
}

static clv_result remove_solid_cells(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_remove_cell(s->map, s->darts[HEX]));
  CALL(s, clv_map_remove_cell(s->map, s->darts[POLYHEDRON]));
  CALL(s, clv_map_remove_cell(s->map, s->darts[PRISM]));
  CALL(s, commit(s));
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

static clv_result extract(scene *s) {
  clv_mesh_free(&s->extracted);
  clv_error error = {CLV_OK, ""};
  const size_t live = s->memory.counting.live_bytes;
  const clv_result result = clv_mesh_extract(&s->extracted, s->map, &error);
  if (result != CLV_OK) assert_int_equal(s->memory.counting.live_bytes, live);
  assert_int_equal(error.code, result);
  CALL(s, result);
  return CLV_OK;
}

// Meshes

static clv_result fill_grid(scene *s) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = (clv_grid_kind)(s->variant / 2);
  def.shared = s->variant % 2 == 0;
  for (uint32_t k = 0; k < 3; k++) def.cells[k] = 2;
  CALL(s, clv_mesh_grid(&s->mesh, &def, NULL));
  return CLV_OK;
}

static clv_result build(scene *s) {
  clv_build_def def = {.merge_points = true, .allocator = s->allocator};
  clv_error error = {CLV_OK, ""};
  const size_t live = s->memory.counting.live_bytes;
  const clv_result result = clv_mesh_build(&s->mesh, &def, &s->map, NULL, &error);
  assert_int_equal(error.code, result);
  if (result != CLV_OK) assert_null(s->map);
  if (result != CLV_OK) assert_int_equal(s->memory.counting.live_bytes, live);
  CALL(s, result);
  return CLV_OK;
}

static clv_result add_points(scene *s, const double (*points)[3], uint32_t many) {
  for (uint32_t k = 0; k < many; k++) CALL(s, clv_mesh_add_point(&s->mesh, points[k][0], points[k][1], points[k][2]));
  return CLV_OK;
}

// A square, a pentagon beside it and a triangle that touches in a point only.
static clv_result fill_polygons(scene *s) {
  static const double points[][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {3, 1}, {2, 2}, {-1, 0}, {-1, -1}};
  static const uint32_t quad[] = {0, 1, 2, 3}, pentagon[] = {1, 4, 5, 6, 2}, tri[] = {0, 7, 8};
  clv_mesh_free(&s->mesh);
  CALL(s, add_points(s, points, sizeof points / sizeof *points));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_QUAD, quad, 4, 1));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_POLYGON, pentagon, 5, 2));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_TRI, tri, 3, 3));
  return CLV_OK;
}

// A cube, a tent on it given by its faces, and a roof with a ridge, which is no template, beside the cube.
static clv_result fill_polyhedra(scene *s) {
  static const double points[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},       {0, 1, 0},      {0, 0, 1},       {1, 0, 1},
                                     {1, 1, 1}, {0, 1, 1}, {0.5, 0.5, 1.5}, {2, 0.3, 0.5}, {2, 0.5, 0.7}, {2, 0.4, 0.3}};
  static const uint32_t hex[] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const uint32_t tent[] = {5, 4, 4, 5, 6, 7, 3, 4, 5, 8, 3, 5, 6, 8, 3, 6, 7, 8, 3, 7, 4, 8};
  static const uint32_t roof[] = {8,  4, 1, 2,  6,  5, 3, 9,  10, 11, 3, 1, 2,  11, 3, 1, 11, 9,
                                  3,  1, 9, 5,  3,  9, 5, 10, 3,  5,  6, 10, 4, 2,  6, 10, 11};
  clv_mesh_free(&s->mesh);
  CALL(s, add_points(s, points, sizeof points / sizeof *points));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_HEX, hex, 8, 1));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_POLYHEDRON, tent, sizeof tent / sizeof *tent, 2));
  CALL(s, clv_mesh_add_element(&s->mesh, CLV_POLYHEDRON, roof, sizeof roof / sizeof *roof, 3));
  return CLV_OK;
}

static clv_result fill_explicit(scene *s) {
  return s->variant ? fill_polyhedra(s) : fill_polygons(s);
}

// Tetrahedra all round an edge: more than walks and sets hold without memory.
enum { AROUND = 260 };

static clv_result fill_fan(scene *s) {
  static const double axis[][3] = {{0, 0, 0}, {0, 0, 1}};
  clv_mesh_free(&s->mesh);
  CALL(s, clv_mesh_reserve(&s->mesh, AROUND + 2, AROUND, 4 * AROUND));
  CALL(s, add_points(s, axis, 2));
  for (uint32_t k = 0; k < AROUND; k++) {
    const double angle = k * (2 * 3.14159265358979323846 / AROUND);
    const uint32_t corners[] = {0, 1, 2 + k, 2 + (k + 1) % AROUND};
    if (clv_mesh_add_point(&s->mesh, cos(angle), sin(angle), 0) != CLV_OK) return CLV_ERROR_MEMORY;
    if (clv_mesh_add_element(&s->mesh, CLV_TET, corners, 4, 0) != CLV_OK) return CLV_ERROR_MEMORY;
  }
  return CLV_OK;
}

static clv_result use_walk(clv_walk *walk, clv_result result, uint32_t expected) {
  if (result != CLV_OK) return result;
  assert_int_equal(walk->count, expected);
  clv_walk_end(walk);
  return CLV_OK;
}

static clv_dart axis_dart(const clv_map *map) {
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    clv_dart at = d;
    uint32_t steps = 0;
    do at = clv_alpha(map, clv_alpha(map, at, 2), 3), steps++;
    while (at != d && steps < AROUND);
    if (at == d && steps == AROUND) return d;
  }
  fail_msg("no edge has %d cells", AROUND);
  return CLV_NO_DART;
}

static clv_result walk_about(scene *s) {
  const clv_dart axis = axis_dart(s->map);
  const clv_map *map = s->map;
  clv_walk w;
  CALL(s, use_walk(&w, clv_walk_orbit(&w, map, CLV_EDGE, axis), 4 * AROUND));
  CALL(s, use_walk(&w, clv_walk_orbit(&w, map, CLV_VERTEX, axis), 6 * AROUND));
  CALL(s, use_walk(&w, clv_walk_star(&w, map, CLV_EDGE, axis), AROUND));
  CALL(s, use_walk(&w, clv_walk_star(&w, map, CLV_VERTEX, axis), AROUND));
  CALL(s, use_walk(&w, clv_walk_star(&w, map, CLV_COMPONENT, axis), AROUND));
  CALL(s, use_walk(&w, clv_walk_incident(&w, map, CLV_EDGE, CLV_FACE, axis), AROUND));
  CALL(s, use_walk(&w, clv_walk_incident(&w, map, CLV_COMPONENT, CLV_VERTEX, axis), AROUND + 2));
  CALL(s, use_walk(&w, clv_walk_adjacent(&w, map, CLV_VERTEX, CLV_EDGE, axis), AROUND + 1));
  CALL(s, use_walk(&w, clv_walk_adjacent(&w, map, CLV_CELL, CLV_VERTEX, axis), AROUND - 1));
  CALL(s, use_walk(&w, clv_walk_all(&w, map, CLV_FACE), 3 * AROUND));
  return CLV_OK;
}

// Marks go with the act: whatever fails, they are given back.
static clv_result mark_all(scene *s, clv_marks *marks) {
  for (clv_dart d = clv_dart_next(s->map, 0); d; d = clv_dart_next(s->map, d)) {
    const clv_result result = clv_marks_set(marks, d);
    if (result != CLV_OK) assert_false(clv_marks_get(marks, d));
    if (result != CLV_OK) return result;
  }
  clv_marks_clear(marks);
  assert_false(clv_marks_get(marks, clv_dart_next(s->map, 0)));
  return clv_marks_set(marks, clv_dart_next(s->map, 0));
}

static clv_result mark(scene *s) {
  clv_marks *marks = clv_marks_create(s->map);
  CALL(s, result_of(marks));
  const clv_result result = mark_all(s, marks);
  clv_marks_destroy(marks);
  CALL(s, result);
  return CLV_OK;
}

static clv_result number_edges(scene *s) {
  CALL(s, clv_map_number(s->map, CLV_EDGE));
  return CLV_OK;
}

static clv_result number_components(scene *s) {
  CALL(s, clv_map_number(s->map, CLV_COMPONENT));
  return CLV_OK;
}

// Long orbits that come apart and meet again.
static clv_result cut_fan(scene *s) {
  CALL(s, begin(s));
  CALL(s, clv_map_unsew(s->map, 3, axis_dart(s->map)));
  CALL(s, clv_map_remove_cell(s->map, clv_cell_at(s->map, CLV_TET, AROUND / 2)));
  CALL(s, commit(s));
  return CLV_OK;
}

// The scripts

static void flat_cells_are_edited(void **state) {
  (void)state;
  static act *const acts[] = {
      create_flat_map,  number_orbits,    CREATE_COLUMNS,       subscribe,           start_journal,     add_flat_cells,
      insert_in_flat_cells, count,        check,                remove_from_flat_cells, open_flat_cells, check,
      close_flat_cells, change_and_roll_back, contract_flat_cells, extract,          remove_flat_cells, replay,
      NULL,
  };
  play_all(&(script){"editing a 2D map", 1, acts});
}

static void solid_cells_are_edited(void **state) {
  (void)state;
  static act *const acts[] = {
      create_solid_map,  number_orbits, CREATE_COLUMNS, subscribe,           start_journal,        add_solid_cells,
      insert_in_solid_cells, count,     check,          remove_from_solid_cells, insert_lid,       contract_lid,
      insert_lid,        remove_lid,    open_solid_cells, check,             close_solid_cells,    change_and_roll_back,
      contract_solid_cells, remove_solid_cells, replay, NULL,
  };
  play_all(&(script){"editing a 3D map", 1, acts});
}

static void grids_are_built(void **state) {
  (void)state;
  static act *const acts[] = {fill_grid, build, count, check, extract, NULL};
  play_all(&(script){"building grids", 2 * CLV_GRID_KIND_COUNT, acts});
}

static void polygons_and_polyhedra_are_built(void **state) {
  (void)state;
  static act *const acts[] = {fill_explicit, build, count, check, extract, NULL};
  play_all(&(script){"building polygons and polyhedra", 2, acts});
}

static void long_orbits_are_walked(void **state) {
  (void)state;
  static act *const acts[] = {fill_fan, build, walk_about, mark, number_edges, number_components, cut_fan, check, NULL};
  play_all(&(script){"walking long orbits", 1, acts});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(flat_cells_are_edited),
      cmocka_unit_test(solid_cells_are_edited),
      cmocka_unit_test(grids_are_built),
      cmocka_unit_test(polygons_and_polyhedra_are_built),
      cmocka_unit_test(long_orbits_are_walked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
