// The shipped rules of topology and surgery, each applied at random places of random maps; the map is checked in full
// after each commit.
//
// soak: yes
//
// Maps are grids of every kind, sewn and unsewn here and there, cut and partly refined, with the columns that
// refinement needs, pulled to twice their size at rest. A rule is tried at random darts until it matches; a rule that
// undoes another one follows it at once. Every rule must have been applied as often as was asked for, so that a rule
// that never matches fails the test.
//
// usage: test_rule_topology [--soak] [--rule NAME] [--seed S]

#include "cleave/mesh.h"
#include "support/random.h"
#include "support/rules.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 90, SOAK_TIMES = 10000, TRIES = 100, LARGE = 800, LIFE = 24, MISSES = 2 };

typedef struct body {
  clv_map *map;
  random_source random;
  uint32_t age;
  uint64_t revision; // of the map when its darts were listed
  clv_dart *darts;   // those that are free in the map's own dimension first
  uint32_t count, free_count;
} body;

// Maps

static void create_levels(clv_map *map) {
  create(map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(map, (clv_column_def){.name = "flev", .orbit = CLV_FACE, .type = CLV_INT32});
  if (map->dimension == 3) create(map, (clv_column_def){.name = "vlev", .orbit = CLV_VOLUME, .type = CLV_INT32});
}

static clv_map *build(const clv_mesh *mesh) {
  const clv_build_def def = clv_default_build_def();
  clv_map *map = NULL;
  clv_error error;
  if (clv_mesh_build(mesh, &def, &map, NULL, &error) != CLV_OK) fail_msg("%s", error.message);
  create_levels(map);
  create_half_rest(map);
  return map;
}

static clv_map *grid(clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z, bool loose) {
  clv_grid_def def = clv_default_grid_def();
  clv_mesh mesh;
  def.kind = kind;
  def.cells[0] = x;
  def.cells[1] = y;
  def.cells[2] = z;
  for (uint32_t k = 0; k < 3; k++) def.size[k] = def.cells[k];
  def.shared = !loose;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  clv_map *map = build(&mesh);
  clv_mesh_free(&mesh);
  return map;
}

// A closed surface: a cube of squares, or an octahedron.
static clv_map *closed_surface(bool octahedron) {
  static const uint32_t squares[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  static const uint32_t triangles[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                           {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (uint32_t k = 0; k < (octahedron ? 6u : 8u); k++) {
    const double sign = k % 2 ? -1 : 1, cube[3] = {(k ^ k >> 1) & 1u, k >> 1 & 1u, k >> 2 & 1u};
    const double x = octahedron ? sign * (k / 2 == 0) : cube[0], y = octahedron ? sign * (k / 2 == 1) : cube[1];
    assert_int_equal(clv_mesh_add_point(&mesh, x, y, octahedron ? sign * (k / 2 == 2) : cube[2]), CLV_OK);
  }
  for (uint32_t k = 0; k < (octahedron ? 8u : 6u); k++) {
    const clv_result result = octahedron ? clv_mesh_add_element(&mesh, CLV_TRI, triangles[k], 3, 0)
                                         : clv_mesh_add_element(&mesh, CLV_QUAD, squares[k], 4, 0);
    assert_int_equal(result, CLV_OK);
  }
  clv_map *map = build(&mesh);
  clv_mesh_free(&mesh);
  return map;
}

// Two cells of a kind, sewn to each other all over: a closed body.
static clv_map *closed_body(clv_kind kind) {
  clv_map *map = create_map(3);
  create(map, clv_default_column_def());
  create_levels(map);
  create_half_rest(map);
  begin(map);
  const clv_dart a = add_cell(map, kind), b = add_cell(map, kind);
  const clv_template *shape = &clv_templates[kind];
  for (uint32_t f = 0; f < shape->facet_count; f++)
    assert_int_equal(clv_map_sew(map, 3, a + shape->facet_first[f], b + shape->facet_first[f]), CLV_OK);
  commit(map);
  return map;
}

static void end_body(body *b) {
  clv_map_destroy(b->map);
  free(b->darts);
  b->darts = NULL;
}

static void list_darts(body *b) {
  if (b->darts && b->revision == clv_map_revision(b->map)) return;
  b->revision = clv_map_revision(b->map);
  b->darts = realloc(b->darts, (size_t)(clv_dart_count(b->map) + 1) * sizeof *b->darts);
  assert_non_null(b->darts);
  b->count = b->free_count = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (clv_dart d = clv_dart_next(b->map, CLV_NO_DART); d; d = clv_dart_next(b->map, d))
      if (clv_is_free(b->map, d, b->map->dimension) == (pass == 0)) b->darts[b->count++] = d;
    if (pass == 0) b->free_count = b->count;
  }
}

static clv_dart any_dart(body *b) {
  list_darts(b);
  return b->darts[random_below(&b->random, b->count)];
}

static clv_dart any_free_dart(body *b) {
  list_darts(b);
  return b->darts[random_below(&b->random, b->free_count ? b->free_count : b->count)];
}

static int32_t level_at(const clv_map *map, const char *column, clv_dart dart) {
  const clv_column *c = clv_column_find(map, column);
  const int32_t *value = c ? clv_column_at(c, dart) : NULL;
  return value ? *value : 0;
}

// Rules, and where they are tried

typedef enum place_kind {
  ANY,        // one dart
  FREE_PAIR,  // two darts with a free facet each
  ACROSS,     // two corners of a face
  PATH,       // a closed path of edges of a volume
  FACE_LEVEL, // a corner of a face, and its level
  CELL_LEVEL, // a corner of a volume, and its level
  FACE_BELOW, // likewise, and the level below
  CELL_BELOW, //
  ANY_LEVEL,  // any dart, and 0
} place_kind;

enum {
  TRIS = 1 << CLV_GRID_TRI,
  QUADS = 1 << CLV_GRID_QUAD,
  TETS = 1 << CLV_GRID_TET5 | 1 << CLV_GRID_TET6,
  HEXES = 1 << CLV_GRID_HEX,
  FLAT = TRIS | QUADS | 1 << CLV_GRID_MIXED2,
  SOLID = TETS | HEXES | 1 << CLV_GRID_PRISM | 1 << CLV_GRID_PYRAMID | 1 << CLV_GRID_MIXED,
  CLOSED_FLAT = 1 << 20,
  CLOSED_SOLID = 1 << 21,
  LOOSE = 1 << 22
};

typedef struct rule_case {
  const char *name;
  uint32_t grids;
  place_kind place;
  const char *before; // a rule that makes a place for this one ...
  const char *where;  // ... at this way from the dart it was applied to
} rule_case;

static const rule_case cases[] = {
    {"sew3", SOLID, FREE_PAIR, NULL, NULL},
    {"unsew3", SOLID, ANY, NULL, NULL},
    {"sew2", FLAT, FREE_PAIR, NULL, NULL},
    {"unsew2", FLAT, ANY, NULL, NULL},
    {"insert_vertex", FLAT | SOLID, ANY, NULL, NULL},
    {"remove_vertex", FLAT | SOLID, ANY, "insert_vertex", "0"},
    {"split_face", FLAT | SOLID, ACROSS, NULL, NULL},
    {"merge_faces", FLAT | SOLID, ANY, "split_face", ""},
    {"triangulate", FLAT | SOLID, ANY, NULL, NULL},
    {"untriangulate", FLAT | SOLID, ANY, "triangulate", "10"},
    {"split_volume", SOLID, PATH, NULL, NULL},
    {"merge_volumes", SOLID, ANY, NULL, NULL},
    {"remove_tet", TETS | 1 << CLV_GRID_MIXED, ANY, NULL, NULL},
    {"remove_volume", SOLID, ANY, NULL, NULL},
    {"remove_face", FLAT, ANY, NULL, NULL},
    {"bisect_edge", TRIS, ANY, NULL, NULL},
    {"bisect_edge_tets", TETS, ANY, NULL, NULL},
    {"refine_edge", FLAT | SOLID, ANY_LEVEL, NULL, NULL},
    {"refine_face", TRIS | TETS | 1 << CLV_GRID_MIXED2, FACE_LEVEL, NULL, NULL},
    {"coarsen_face", TRIS | TETS | 1 << CLV_GRID_MIXED2, FACE_BELOW, "refine_face", ""},
    {"refine_quad", QUADS | HEXES | 1 << CLV_GRID_MIXED2, FACE_LEVEL, NULL, NULL},
    {"coarsen_quad", QUADS | HEXES | 1 << CLV_GRID_MIXED2, FACE_BELOW, "refine_quad", ""},
    {"refine_tet", TETS, CELL_LEVEL, NULL, NULL},
    {"coarsen_tet", TETS, CELL_BELOW, "refine_tet", ""},
    {"refine_hex", HEXES, CELL_LEVEL, NULL, NULL},
    {"coarsen_hex", HEXES, CELL_BELOW, "refine_hex", ""},
    {"extrude", SOLID, ANY, NULL, NULL},
    {"extrude_edge", FLAT, ANY, NULL, NULL},
    {"dual", CLOSED_SOLID, ANY, NULL, NULL},
    {"dual_surface", CLOSED_FLAT | LOOSE, ANY, NULL, NULL},
    {"quadrangulate", FLAT | SOLID | CLOSED_FLAT, ANY, NULL, NULL},
    {"catmull_clark", FLAT | LOOSE | CLOSED_FLAT, ANY, NULL, NULL},
    {"cut", SOLID, ANY, NULL, NULL},
    {"cut_edge", FLAT, ANY, NULL, NULL},
    {"tear", SOLID, ANY, NULL, NULL},
    {"tear_edge", FLAT, ANY, NULL, NULL},
    {"pierce", SOLID, ANY, NULL, NULL},
    {"pierce_face", FLAT, ANY, NULL, NULL},
};
enum { CASES = sizeof cases / sizeof *cases };

typedef struct options {
  uint32_t times;
  const char *rule;
  uint64_t seed;
  clv_program *program;
} options;

static clv_map *random_map(random_source *random, uint32_t grids) {
  uint32_t kind;
  do kind = random_below(random, 23);
  while (!(grids >> kind & 1u));
  if (1u << kind == CLOSED_FLAT) return closed_surface(random_chance(random, 50));
  if (1u << kind == CLOSED_SOLID) return closed_body((clv_kind)(CLV_TET + random_below(random, 4)));
  if (1u << kind == LOOSE) return grid((clv_grid_kind)(CLV_GRID_HEX + random_below(random, 6)), 1, 1, 1, true);
  const uint32_t large = 1u << kind & FLAT ? 4 : 2;
  return grid((clv_grid_kind)kind, 1 + random_below(random, large), 1 + random_below(random, large),
              1 + random_below(random, 2), false);
}

// Edges from a dart round a part of a volume: two faces that meet there, and what lies about them.
static uint32_t random_path(body *b, clv_dart dart, clv_dart *path, uint32_t room) {
  const clv_map *map = b->map;
  const clv_dart first = dart;
  uint32_t count = 0;
  // Along the face; at a corner, now and then, over the edge into the next face.
  const uint32_t turns = random_below(&b->random, 3);
  do {
    if (count == room) return 0;
    path[count++] = dart;
    dart = clv_alpha(map, clv_alpha(map, dart, 0), 1);
    for (uint32_t k = 0; k < turns && dart != first && random_chance(&b->random, 50); k++)
      dart = clv_alpha(map, clv_alpha(map, dart, 2), 1);
  } while (dart != first);
  return count;
}

static bool is_corner(const clv_map *map, clv_dart dart, int32_t level) {
  return level >= 0 && level_at(map, "lev", dart) <= level;
}

static uint32_t choose_place(body *b, place_kind place, clv_rule_argument *arguments, clv_dart *path) {
  clv_map *map = b->map;
  const clv_dart dart = any_dart(b);
  memset(arguments, 0, 2 * sizeof *arguments);
  arguments[0].dart = dart;
  clv_dart other = dart;
  switch (place) {
  case ANY:
    return 1;
  case ANY_LEVEL:
    return 2;
  case FREE_PAIR:
    arguments[0].dart = any_free_dart(b);
    arguments[1].dart = any_free_dart(b);
    return 2;
  case ACROSS:
    for (uint32_t k = 0; k < 3 + 2 * random_below(&b->random, 4); k++) other = clv_alpha(map, other, k & 1u);
    arguments[1].dart = other;
    return 2;
  case PATH:
    arguments[0].darts = path;
    arguments[0].dart_count = random_path(b, dart, path, 64);
    return arguments[0].dart_count ? 1 : 0;
  case FACE_LEVEL:
  case FACE_BELOW:
    arguments[1].number = level_at(map, "flev", dart) - (place == FACE_BELOW);
    return is_corner(map, dart, arguments[1].number) && arguments[1].number < 3 ? 2 : 0;
  case CELL_LEVEL:
  case CELL_BELOW:
    arguments[1].number = level_at(map, "vlev", dart) - (place == CELL_BELOW);
    return is_corner(map, dart, arguments[1].number) && arguments[1].number < 2 ? 2 : 0;
  }
  return 0;
}

static void check(body *b, const char *name) {
  if (clv_map_commit(b->map) != CLV_OK) fail_msg("%s: %s", name, clv_map_error(b->map));
  if (clv_map_check(b->map, complain, NULL) != CLV_OK) fail_msg("%s broke the map", name);
  clv_map_info info;
  assert_int_equal(clv_map_count(b->map, &info), CLV_OK);
  if (info.open_darts) fail_msg("%s left %llu darts open", name, (unsigned long long)info.open_darts);
  if (!info.orientable) fail_msg("%s left a map that has one side only", name);
}

static bool serves(const rule_case *c, const clv_map *map) {
  const uint32_t flat = FLAT | CLOSED_FLAT;
  return c->grids & (map->dimension == 2 ? flat : ~flat);
}

// One try; a refusal must leave the map as it was.
static bool try_rule(body *b, const options *o, const char *name, const clv_rule_argument *arguments, uint32_t count) {
  const uint64_t revision = clv_map_revision(b->map);
  begin(b->map);
  const clv_result result = clv_rule_apply(rule_of(o->program, name), b->map, arguments, count, NULL, NULL);
  if (result != CLV_OK && result != CLV_ERROR_REFUSED) fail_msg("%s: %s", name, clv_map_error(b->map));
  if (result == CLV_OK) {
    check(b, name);
    return true;
  }
  assert_int_equal(clv_map_commit(b->map), CLV_OK);
  assert_int_equal(clv_map_revision(b->map), revision);
  return false;
}

// A rule at random places until it matches; its arguments stay in `arguments`.
static bool apply_somewhere(body *b, const options *o, const rule_case *c, clv_rule_argument *arguments) {
  static clv_dart path[64];
  if (!serves(c, b->map)) return false;
  for (uint32_t k = 0; k < TRIES && clv_dart_count(b->map); k++) {
    const uint32_t count = choose_place(b, c->place, arguments, path);
    if (count && try_rule(b, o, c->name, arguments, count)) return true;
  }
  return false;
}

static const rule_case *case_of(const char *name) {
  for (uint32_t k = 0; k < CASES; k++)
    if (!strcmp(cases[k].name, name)) return &cases[k];
  fail_msg("there is no case '%s'", name);
  return NULL;
}

static bool apply_case(body *b, const options *o, const rule_case *c) {
  clv_rule_argument arguments[2];
  if (!c->before) return apply_somewhere(b, o, c, arguments);
  if (!apply_somewhere(b, o, case_of(c->before), arguments) && !random_chance(&b->random, 20)) return false;
  return apply_somewhere(b, o, c, arguments);
}

static void disturb(body *b, const options *o) {
  clv_rule_argument arguments[2];
  const rule_case *c = &cases[random_below(&b->random, CASES)];
  const bool large = clv_dart_count(b->map) > LARGE / 4;
  const bool grows = !strcmp(c->name, "quadrangulate") || !strcmp(c->name, "catmull_clark");
  if (!(grows && large)) apply_somewhere(b, o, c, arguments);
}

static void run_case(const options *o, const rule_case *c) {
  uint32_t done = 0, maps = 0;
  body b = {.random = {o->seed + (uint64_t)(c - cases) * 1000003u}};
  while (done < o->times) {
    b.map = random_map(&b.random, c->grids);
    if (++maps > 40 * o->times) fail_msg("%s was applied %u times only", c->name, done);
    uint32_t missed = 0;
    for (b.age = 0; b.age < LIFE && done < o->times && missed < MISSES && clv_dart_count(b.map) < LARGE; b.age++) {
      if (random_chance(&b.random, 30)) disturb(&b, o);
      const bool applied = apply_case(&b, o, c);
      done += applied;
      missed += !applied;
    }
    end_body(&b);
  }
  print_message("%-18s %u times on %u maps\n", c->name, done, maps);
}

static void every_rule_keeps_the_map_sound(void **state) {
  options *o = *state;
  o->program = program_of_module("surgery");
  for (uint32_t k = 0; k < CASES; k++)
    if (!o->rule || !strcmp(o->rule, cases[k].name)) run_case(o, &cases[k]);
  clv_program_destroy(o->program);
}

// There and back

// What a dart is by where it lies: its vertex, its edge's other end, the corners of its face and of its cell, its
// levels.
static uint64_t mix(uint64_t hash, int64_t value) {
  hash = (hash ^ (uint64_t)value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t vertex_mark(const clv_map *map, clv_dart dart) {
  const double *at = clv_column_at(clv_column_find(map, "pos"), dart);
  uint64_t hash = 1;
  for (uint32_t k = 0; k < 3; k++) hash = mix(hash, (int64_t)llround(at[k] * 1048576));
  return mix(hash, level_at(map, "lev", dart));
}

static uint64_t orbit_mark(const clv_map *map, clv_orbit orbit, clv_dart dart) {
  clv_walk walk;
  uint64_t sum = 0; // in whatever order
  assert_int_equal(clv_walk_orbit(&walk, map, orbit, dart), CLV_OK);
  for (uint32_t k = 0; k < walk.count; k++) sum += vertex_mark(map, walk.darts[k]);
  clv_walk_end(&walk);
  return sum;
}

static int compare_marks(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

static uint64_t *marks_of(const clv_map *map, uint32_t *count) {
  uint64_t *marks = malloc((size_t)clv_dart_count(map) * sizeof *marks);
  assert_non_null(marks);
  *count = 0;
  for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d)) {
    uint64_t hash = mix(vertex_mark(map, d), (int64_t)vertex_mark(map, clv_alpha(map, d, 0)));
    hash = mix(hash, (int64_t)orbit_mark(map, CLV_ORBIT(1, 1, 0, 0), d));
    hash = mix(hash, (int64_t)orbit_mark(map, CLV_CELL, d));
    hash = mix(mix(hash, level_at(map, "flev", d)), level_at(map, "vlev", d));
    for (uint32_t i = 0; i <= map->dimension; i++) hash = mix(hash, clv_is_free(map, d, i));
    marks[(*count)++] = hash;
  }
  qsort(marks, *count, sizeof *marks, compare_marks);
  return marks;
}

static void assert_same(const clv_map *map, const uint64_t *marks, uint32_t count, const clv_map_info *info) {
  clv_map_info now;
  uint32_t now_count;
  assert_int_equal(clv_map_count(map, &now), CLV_OK);
  for (uint32_t i = 0; i <= map->dimension; i++) assert_int_equal(now.cells[i], info->cells[i]);
  for (uint32_t k = 0; k < CLV_KIND_COUNT; k++) assert_int_equal(now.kinds[k], info->kinds[k]);
  uint64_t *now_marks = marks_of(map, &now_count);
  assert_int_equal(now_count, count);
  assert_memory_equal(now_marks, marks, count * sizeof *marks);
  free(now_marks);
}

// One pass over all darts: coarsens what has come from level k.
static uint32_t coarsen_from(body *b, const options *o, const char *rule, const char *column, int32_t k) {
  uint32_t done = 0;
  for (clv_dart d = clv_dart_next(b->map, CLV_NO_DART); d; d = clv_dart_next(b->map, d)) {
    const clv_rule_argument arguments[2] = {dart_argument(d), number_argument(k)};
    if (level_at(b->map, column, d) != k + 1 || level_at(b->map, "lev", d) > k) continue;
    done += try_rule(b, o, rule, arguments, 2);
  }
  return done;
}

typedef struct round_trip {
  clv_grid_kind grid;
  const char *refine, *coarsen, *column;
} round_trip;

static void go_and_come_back(const options *o, const round_trip *trip, uint64_t seed) {
  body b = {.map = grid(trip->grid, 2, 2, 1, false), .random = {seed}};
  clv_map_info info;
  uint32_t count, refined = 0, coarsened = 0;
  assert_int_equal(clv_map_count(b.map, &info), CLV_OK);
  uint64_t *marks = marks_of(b.map, &count);
  clv_rule_argument arguments[2];
  for (uint32_t k = 0; k < 14; k++) refined += apply_somewhere(&b, o, case_of(trip->refine), arguments);
  assert_true(refined >= 8);
  for (int32_t k = 2; k >= 0; k--)
    for (uint32_t done = 1; done; coarsened += done) done = coarsen_from(&b, o, trip->coarsen, trip->column, k);
  assert_int_equal(coarsened, refined);
  assert_same(b.map, marks, count, &info);
  free(marks);
  end_body(&b);
}

static void refinement_can_be_undone(void **state) {
  options *o = *state;
  o->program = program_of_module("topology");
  static const round_trip trips[] = {
      {CLV_GRID_TRI, "refine_face", "coarsen_face", "flev"}, {CLV_GRID_QUAD, "refine_quad", "coarsen_quad", "flev"},
      {CLV_GRID_TET5, "refine_tet", "coarsen_tet", "vlev"},  {CLV_GRID_TET6, "refine_tet", "coarsen_tet", "vlev"},
      {CLV_GRID_HEX, "refine_hex", "coarsen_hex", "vlev"},
  };
  for (uint32_t k = 0; k < sizeof trips / sizeof *trips; k++)
    for (uint64_t seed = 1; seed <= 4 && (!o->rule || !strcmp(o->rule, "levels")); seed++)
      go_and_come_back(o, &trips[k], o->seed + seed);
  clv_program_destroy(o->program);
}

// Rules and the map's own operations

static void assert_equal_maps(const clv_map *a, const clv_map *b) {
  clv_map_info info;
  uint32_t count;
  assert_int_equal(clv_map_count(b, &info), CLV_OK);
  uint64_t *marks = marks_of(b, &count);
  assert_same(a, marks, count, &info);
  free(marks);
}

typedef struct twin_operation {
  const char *rule;
  uint32_t grids;
  place_kind place;
} twin_operation;

static clv_result operate(clv_map *map, const char *rule, const clv_rule_argument *arguments) {
  const uint32_t n = map->dimension;
  const clv_dart a = arguments[0].dart, b = arguments[1].dart;
  if (!strncmp(rule, "sew", 3)) return clv_map_sew(map, n, a, b);
  if (!strncmp(rule, "unsew", 5)) return clv_map_unsew(map, n, a);
  if (!strcmp(rule, "insert_vertex")) return clv_map_insert_vertex(map, a, NULL);
  if (!strcmp(rule, "split_face")) return clv_map_insert_edge(map, a, b, NULL);
  return clv_map_remove_cell(map, a);
}

// The same edits on two equal maps, by rule and by hand. As long as nothing but links of plain cells change, the maps
// are equal to the last bit; otherwise they are the same map under other names, and the walk ends.
static uint32_t compare_on(const options *o, const twin_operation *op, uint64_t seed) {
  random_source random = {seed}, same = {seed};
  body b = {.map = random_map(&random, op->grids), .random = random};
  clv_map *other = random_map(&same, op->grids);
  uint32_t done = 0;
  const bool links = strstr(op->rule, "sew");
  assert_true(clv_map_hash(b.map) == clv_map_hash(other));
  for (uint32_t k = 0; k < 12 && clv_dart_count(b.map); k++) {
    clv_rule_argument arguments[2];
    clv_dart path[64];
    const uint32_t count = choose_place(&b, op->place, arguments, path);
    // Sides, which the rule asks for and the operation does not, would be found anew.
    if (op->place == FREE_PAIR && clv_side(b.map, arguments[0].dart) == clv_side(b.map, arguments[1].dart)) continue;
    const bool applied = try_rule(&b, o, op->rule, arguments, count);
    begin(other);
    const clv_result result = operate(other, op->rule, arguments);
    assert_int_equal(result, applied ? CLV_OK : CLV_ERROR_REFUSED);
    commit(other);
    if (links) assert_true(clv_map_hash(b.map) == clv_map_hash(other));
    if (applied && !links) assert_equal_maps(b.map, other);
    done += applied;
    if (applied && !links) break;
  }
  clv_map_destroy(other);
  end_body(&b);
  return done;
}

static void rules_do_what_operations_do(void **state) {
  options *o = *state;
  o->program = program_of_module("topology");
  static const twin_operation operations[] = {
      {"sew3", SOLID, FREE_PAIR},   {"unsew3", SOLID, ANY},        {"sew2", FLAT, FREE_PAIR},
      {"unsew2", FLAT, ANY},        {"insert_vertex", FLAT, ANY},  {"insert_vertex", SOLID, ANY},
      {"split_face", FLAT, ACROSS}, {"split_face", SOLID, ACROSS}, {"remove_volume", SOLID, ANY},
  };
  for (uint32_t k = 0; k < sizeof operations / sizeof *operations && (!o->rule || !strcmp(o->rule, "twins")); k++) {
    uint32_t done = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) done += compare_on(o, &operations[k], o->seed * 1000 + seed);
    if (done < 15) fail_msg("%s was compared %u times only", operations[k].rule, done);
  }
  clv_program_destroy(o->program);
}

int main(int argc, char **argv) {
  options o = {.times = TIMES, .seed = 1};
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) {
      o.times = SOAK_TIMES;
    } else if (!strcmp(argv[k], "--rule") && k + 1 < argc) {
      o.rule = argv[++k];
    } else if (!strcmp(argv[k], "--seed") && k + 1 < argc) {
      o.seed = strtoull(argv[++k], NULL, 10);
    } else {
      fprintf(stderr, "usage: test_rule_topology [--soak] [--rule NAME] [--seed S]\n");
      return 2;
    }
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(every_rule_keeps_the_map_sound, &o),
      cmocka_unit_test_prestate(refinement_can_be_undone, &o),
      cmocka_unit_test_prestate(rules_do_what_operations_do, &o),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
