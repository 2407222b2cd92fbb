// Compiled rules beside interpreted ones: the same darts of the same maps, and the same bits afterwards.

#include "cleave/mesh.h"
#include "rule/graph.h"
#include "support/counting_allocator.h"
#include "support/random.h"
#include "support/rules.h"

enum { STEPS = 60, TRIES = 30, LARGE = 3000 };

static void add_columns(clv_map *map) {
  clv_column *column;
  clv_column_def def = {.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32, .components = 1};
  assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
  def.name = "flev";
  def.orbit = CLV_FACE;
  assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
  def.name = "vlev";
  def.orbit = CLV_VOLUME;
  if (map->dimension == 3) assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
}

static clv_map *build(clv_grid_kind kind) {
  clv_grid_def def = clv_default_grid_def();
  const clv_build_def build_def = clv_default_build_def();
  clv_mesh mesh;
  clv_map *map = NULL;
  def.kind = kind;
  for (uint32_t k = 0; k < 3; k++) def.cells[k] = 2;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  assert_int_equal(clv_mesh_build(&mesh, &build_def, &map, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  add_columns(map);
  create_half_rest(map);
  return map;
}

static clv_dart random_dart(random_source *random, const clv_map *map) {
  uint64_t skip = random_below(random, (uint32_t)clv_dart_count(map));
  clv_dart dart = clv_dart_next(map, 0);
  while (skip--) dart = clv_dart_next(map, dart);
  return dart;
}

// The second hook is often near the first: most rules want it so. Scripts take a dart first, then levels. Returns how
// many there are.
static uint32_t choose(random_source *random, const clv_map *map, const clv_rule *rule, clv_rule_argument *arguments) {
  const rule_graph *graph = rule->graph;
  clv_dart dart = random_dart(random, map);
  if (!graph) {
    memset(arguments, 0, RULE_PARAMETERS * sizeof *arguments);
    arguments[0].dart = dart;
    return rule->script->child[0]->count;
  }
  for (uint32_t k = 0; k < graph->parameter_count; k++) {
    arguments[k] = (clv_rule_argument){0};
    if (graph->parameter[k].hook < 0) continue;
    arguments[k].dart = dart;
    if (random_below(random, 4) == 0) dart = random_dart(random, map);
    for (uint32_t s = 1 + random_below(random, 6); s; s--) dart = clv_alpha(map, dart, random_below(random, 4));
  }
  return graph->parameter_count;
}

typedef struct twins {
  clv_map *map[2];
  const clv_program *program[2];
} twins;

static bool apply_both(twins *t, const char *name, const clv_rule_argument *arguments, uint32_t count) {
  clv_result result[2];
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(clv_map_begin(t->map[k]), CLV_OK);
    result[k] = clv_rule_apply(clv_program_rule(t->program[k], name), t->map[k], arguments, count, NULL, NULL);
    if (result[k] == CLV_OK) result[k] = clv_map_commit(t->map[k]);
    if (result[k] != CLV_OK) clv_map_rollback(t->map[k]);
  }
  assert_int_equal(result[0], result[1]);
  if (result[0] != CLV_OK) assert_string_equal(clv_map_error(t->map[0]), clv_map_error(t->map[1]));
  if (clv_map_hash(t->map[0]) != clv_map_hash(t->map[1])) fail_msg("rule '%s' differs when it is compiled", name);
  return result[0] == CLV_OK;
}

static uint32_t applied[512];

static void run_grid(twins *t, clv_grid_kind kind, uint64_t seed) {
  random_source random = {seed + 1};
  for (uint32_t k = 0; k < 2; k++) t->map[k] = build(kind);
  const clv_program *program = t->program[0];
  for (uint32_t step = 0; step < STEPS && clv_dart_count(t->map[0]) < LARGE && clv_dart_count(t->map[0]); step++) {
    const uint32_t number = random_below(&random, program->declarations.count);
    const clv_rule *rule = clv_program_rule(program, program->declarations.data[number]->name);
    if (!rule) continue;
    for (uint32_t tries = 0; tries < TRIES && clv_dart_count(t->map[0]); tries++) {
      clv_rule_argument arguments[RULE_PARAMETERS];
      const uint32_t count = choose(&random, t->map[0], rule, arguments);
      if (!apply_both(t, clv_rule_name(rule), arguments, count)) continue;
      applied[number]++;
      break;
    }
  }
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(clv_map_check(t->map[k], NULL, NULL), CLV_OK);
    clv_map_destroy(t->map[k]);
  }
}

static void test_twins(void **state) {
  (void)state;
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI,  CLV_GRID_QUAD,  CLV_GRID_MIXED2,  CLV_GRID_HEX,
                                        CLV_GRID_TET5, CLV_GRID_PRISM, CLV_GRID_PYRAMID, CLV_GRID_MIXED};
  clv_program *compiled = program_of_module("surgery"), *interpreted = program_of_module("surgery");
  assert_true(compiled->declarations.count <= sizeof applied / sizeof *applied);
  for (uint32_t k = 0; k < compiled->declarations.count; k++) {
    const clv_rule *rule = clv_program_rule(compiled, compiled->declarations.data[k]->name);
    if (!rule || !rule->graph) continue;
    assert_non_null(rule->graph->code);
    clv_program_rule(interpreted, clv_rule_name(rule))->graph->code = NULL;
  }
  twins t = {.program = {compiled, interpreted}};
  for (uint32_t round = 0; round < 6; round++)
    for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) run_grid(&t, kinds[k], round * 100 + k);
  uint32_t tried = 0;
  for (uint32_t k = 0; k < compiled->declarations.count; k++) {
    const clv_rule *rule = clv_program_rule(compiled, compiled->declarations.data[k]->name);
    if (rule && !applied[k]) print_message("never applied: %s\n", clv_rule_name(rule));
    tried += applied[k] > 0;
  }
  assert_true(tried >= 30);
  clv_program_destroy(compiled);
  clv_program_destroy(interpreted);
}

// A rule of one's own is interpreted until it is compiled, and does the same then.
static void test_own_rule(void **state) {
  (void)state;
  static const char text[] = "rule pierce(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n";
  clv_program *own[2] = {program_of(text), program_of(text)};
  clv_compile_report report;
  assert_int_equal(clv_program_compile(own[0], NULL, &report, NULL), CLV_OK);
  const rule_graph *graph = clv_program_rule(own[0], "pierce")->graph;
  assert_true(report.interpreted == 1 || graph->code);
  twins t = {.program = {own[0], own[1]}};
  for (uint32_t k = 0; k < 2; k++) t.map[k] = build(CLV_GRID_TET6);
  random_source random = {7};
  uint32_t count = 0;
  for (uint32_t k = 0; k < 200; k++) {
    clv_rule_argument argument = {.dart = random_dart(&random, t.map[0])};
    count += apply_both(&t, "pierce", &argument, 1);
  }
  assert_true(count > 10);
  for (uint32_t k = 0; k < 2; k++) {
    clv_map_destroy(t.map[k]);
    clv_program_destroy(own[k]);
  }
}

// Memory that runs out while a program is compiled is told, and the program goes on as it was.
static void test_refusals(void **state) {
  (void)state;
  static const char text[] = "rule pierce(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n";
  counting_memory memory = {0};
  const clv_allocator allocator = counting_allocator(&memory);
  clv_program *program = clv_program_create(&allocator);
  assert_int_equal(clv_program_add(program, "x.rule", text, strlen(text)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  const clv_compile_def def = {.compiler = "none"};
  bool refused = true;
  for (size_t more = 1; refused; more++) {
    memory.refused = false;
    memory.fail_at = memory.requests + more;
    const clv_result result = clv_program_compile(program, &def, NULL, NULL);
    refused = memory.refused;
    assert_int_equal(result, refused ? CLV_ERROR_MEMORY : CLV_OK);
  }
  memory.fail_at = 0;
  clv_program_destroy(program);
  assert_int_equal(memory.live_bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_twins), cmocka_unit_test(test_own_rule),
                                     cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
