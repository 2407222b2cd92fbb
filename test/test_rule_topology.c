// The shipped rules of topology and surgery, each applied at random places of random maps (support/rule_cases.h); the
// map is checked in full after each commit.
//
// soak: yes
//
// Every rule must have been applied as often as was asked for, so that a rule that never matches fails the test; and so
// does a shipped rule that is not tried. What refinement did can be undone, and rules do what the map's own operations
// do.
//
// usage: test_rule_topology [--soak] [--rule NAME] [--seed S]

#include "support/rule_cases.h"
#include "support/rule_maps.h"
#include "support/rules.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { TIMES = 40, SOAK_TIMES = 10000 };

typedef struct options {
  uint32_t times;
  const char *rule;
  uint64_t seed;
  clv_program *program;
} options;

static options chosen = {.times = TIMES, .seed = 1};

static int open_program(void **state) {
  (void)state;
  chosen.program = rule_cases_program();
  return 0;
}

static int close_program(void **state) {
  (void)state;
  clv_program_destroy(chosen.program);
  return 0;
}

static bool is_wanted(const char *name) {
  return !chosen.rule || !strcmp(chosen.rule, name);
}

static rule_body body_of(const options *o, uint64_t seed) {
  return (rule_body){.ways = 1, .program = {o->program}, .random = {seed}};
}

static void every_rule_is_here(void **state) {
  (void)state;
  rule_cases_expect_all();
}

static void every_rule_keeps_the_map_sound(void **state) {
  (void)state;
  const options *o = &chosen;
  for (uint32_t k = 0; k < rule_case_count; k++) {
    if (!is_wanted(rule_cases[k].name)) continue;
    rule_body b = body_of(o, o->seed + (uint64_t)k * 1000003u);
    const uint32_t maps = rule_case_run(&b, &rule_cases[k], o->times);
    print_message("%-20s %u times on %u maps\n", rule_cases[k].name, o->times, maps);
  }
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
  return mix(hash, rule_map_level(map, "lev", dart));
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
    hash = mix(mix(hash, rule_map_level(map, "flev", d)), rule_map_level(map, "vlev", d));
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
static uint32_t coarsen_from(rule_body *b, const char *rule, const char *column, int32_t k) {
  const clv_map *map = b->map[0];
  uint32_t done = 0;
  for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d)) {
    const rule_call call = {.arguments = {dart_argument(d), number_argument(k)}, .count = 2};
    if (rule_map_level(map, column, d) != k + 1 || rule_map_level(map, "lev", d) > k) continue;
    done += rule_body_try(b, rule, &call);
  }
  return done;
}

typedef struct round_trip {
  clv_grid_kind grid;
  const char *refine, *coarsen, *column;
} round_trip;

static void go_and_come_back(const options *o, const round_trip *trip, uint64_t seed) {
  clv_map *map = rule_map_grid(trip->grid, 2, 2, 1);
  rule_body b = body_of(o, seed);
  clv_map_info info;
  uint32_t count, refined = 0, coarsened = 0;
  rule_body_begin(&b, &map);
  assert_int_equal(clv_map_count(map, &info), CLV_OK);
  uint64_t *marks = marks_of(map, &count);
  rule_call call;
  for (uint32_t k = 0; k < 14; k++) refined += rule_case_try(&b, rule_case_of(trip->refine), &call);
  assert_true(refined >= 8);
  for (int32_t k = 2; k >= 0; k--)
    for (uint32_t done = 1; done; coarsened += done) done = coarsen_from(&b, trip->coarsen, trip->column, k);
  assert_int_equal(coarsened, refined);
  assert_same(map, marks, count, &info);
  free(marks);
  rule_body_end(&b);
}

static void refinement_can_be_undone(void **state) {
  (void)state;
  const options *o = &chosen;
  static const round_trip trips[] = {
      {CLV_GRID_TRI, "refine_face", "coarsen_face", "flev"}, {CLV_GRID_QUAD, "refine_quad", "coarsen_quad", "flev"},
      {CLV_GRID_TET5, "refine_tet", "coarsen_tet", "vlev"},  {CLV_GRID_TET6, "refine_tet", "coarsen_tet", "vlev"},
      {CLV_GRID_HEX, "refine_hex", "coarsen_hex", "vlev"},
  };
  for (uint32_t k = 0; k < sizeof trips / sizeof *trips; k++)
    for (uint64_t seed = 1; seed <= 4 && is_wanted("levels"); seed++) go_and_come_back(o, &trips[k], o->seed + seed);
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
  uint32_t maps;
  rule_place place;
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

// The same edits on two equal maps, by rule and by hand. Where the rule leaves it all to the operation, the maps are
// equal to the last bit; otherwise they are the same map under other names, and the walk ends.
static uint32_t compare_on(const options *o, const twin_operation *op, uint64_t seed, bool left_to_map) {
  random_source same = {seed};
  rule_body b = body_of(o, seed);
  clv_map *map = rule_map_random(&b.random, op->maps), *other = rule_map_random(&same, op->maps);
  uint32_t done = 0;
  rule_body_begin(&b, &map);
  assert_true(clv_map_hash(map) == clv_map_hash(other));
  for (uint32_t k = 0; k < 12 && clv_dart_count(map); k++) {
    rule_call call;
    if (!rule_place_choose(&b, op->place, &call)) continue;
    const clv_rule_argument *at = call.arguments;
    // Sides, which the rule asks for and the operation does not, would be found anew.
    if (op->place == RULE_FREE_PAIR && clv_side(map, at[0].dart) == clv_side(map, at[1].dart)) continue;
    const bool applied = rule_body_try(&b, op->rule, &call);
    begin(other);
    assert_int_equal(operate(other, op->rule, at), applied ? CLV_OK : CLV_ERROR_REFUSED);
    commit(other);
    if (left_to_map) assert_true(clv_map_hash(map) == clv_map_hash(other));
    if (applied && !left_to_map) assert_equal_maps(map, other);
    done += applied;
    if (applied && !left_to_map) break;
  }
  clv_map_destroy(other);
  rule_body_end(&b);
  return done;
}

static void compare_all(const options *o, const twin_operation *op, bool left_to_map) {
  uint32_t done = 0;
  for (uint64_t seed = 1; seed <= 40; seed++) done += compare_on(o, op, o->seed * 1000 + seed, left_to_map);
  if (done < 15) fail_msg("%s was compared %u times only", op->rule, done);
}

static void rules_do_what_operations_do(void **state) {
  (void)state;
  static const twin_operation operations[] = {
      {"sew3", RULE_SOLID, RULE_FREE_PAIR},    {"unsew3", RULE_SOLID, RULE_ANY},
      {"sew2", RULE_FLAT, RULE_FREE_PAIR},     {"unsew2", RULE_FLAT, RULE_ANY},
      {"insert_vertex", RULE_FLAT, RULE_ANY},  {"insert_vertex", RULE_SOLID, RULE_ANY},
      {"split_face", RULE_FLAT, RULE_ACROSS},  {"split_face", RULE_SOLID, RULE_ACROSS},
      {"remove_volume", RULE_SOLID, RULE_ANY},
  };
  clv_program *program = rule_cases_program();
  const options alone = {.seed = chosen.seed, .program = program};
  for (uint32_t k = 0; k < sizeof operations / sizeof *operations; k++)
    rule_leave_nothing_to_the_map(program, operations[k].rule);
  for (uint32_t k = 0; k < sizeof operations / sizeof *operations && is_wanted("twins"); k++) {
    if (strstr(operations[k].rule, "sew")) compare_all(&chosen, &operations[k], true);
    compare_all(&alone, &operations[k], false);
  }
  clv_program_destroy(program);
}

// Whether a rule is left to the map or not, it is refused in the same words.
static void refusals_say_the_same(void **state) {
  (void)state;
  clv_program *program = rule_cases_program();
  random_source random = {chosen.seed};
  uint32_t refused = 0;
  rule_leave_nothing_to_the_map(program, "sew3");
  for (uint32_t k = 0; k < 40; k++) {
    clv_map *map = rule_map_random(&random, 1 << CLV_GRID_PRISM | RULE_MIXED_SOLID);
    rule_body b = {.ways = 2, .program = {chosen.program, program}, .random = random};
    rule_body_begin(&b, (clv_map *[2]){map, map});
    for (uint32_t tries = 0; tries < 10; tries++) {
      rule_call call;
      char words[256];
      rule_place_choose(&b, tries % 2 ? RULE_FREE_PAIR : RULE_ACROSS, &call);
      begin(map);
      const clv_result result = clv_rule_apply(rule_of(b.program[0], "sew3"), map, call.arguments, 2, NULL, NULL);
      snprintf(words, sizeof words, "%s", clv_map_error(map));
      clv_map_rollback(map);
      begin(map);
      assert_int_equal(clv_rule_apply(rule_of(b.program[1], "sew3"), map, call.arguments, 2, NULL, NULL), result);
      if (result != CLV_OK) assert_string_equal(words, clv_map_error(map));
      clv_map_rollback(map);
      refused += result != CLV_OK;
    }
    b.ways = 1;
    rule_body_end(&b);
    random = b.random;
  }
  assert_true(refused > 100);
  clv_program_destroy(program);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) {
      chosen.times = SOAK_TIMES;
    } else if (!strcmp(argv[k], "--rule") && k + 1 < argc) {
      chosen.rule = argv[++k];
    } else if (!strcmp(argv[k], "--seed") && k + 1 < argc) {
      chosen.seed = strtoull(argv[++k], NULL, 10);
    } else {
      fprintf(stderr, "usage: test_rule_topology [--soak] [--rule NAME] [--seed S]\n");
      return 2;
    }
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_rule_is_here),       cmocka_unit_test(every_rule_keeps_the_map_sound),
      cmocka_unit_test(refinement_can_be_undone), cmocka_unit_test(rules_do_what_operations_do),
      cmocka_unit_test(refusals_say_the_same),
  };
  return cmocka_run_group_tests(tests, open_program, close_program);
}
