// What guards and scripts ask: functions with names of the caller's, and sums over the nodes of the rule itself.

#include "cleave/mesh.h"
#include "support/rules.h"

static clv_map *grid_map(clv_grid_kind kind) {
  clv_grid_def def = clv_default_grid_def();
  const clv_build_def build_def = clv_default_build_def();
  clv_mesh mesh;
  clv_map *map = NULL;
  def.kind = kind;
  def.cells[0] = 2;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  assert_int_equal(clv_mesh_build(&mesh, &build_def, &map, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  return map;
}

static clv_dart inner_dart(const clv_map *map) {
  clv_dart dart = clv_dart_next(map, 0);
  while (clv_is_free(map, dart, map->dimension)) dart = clv_dart_next(map, dart);
  return dart;
}

static clv_result apply_once(const clv_program *program, clv_map *map, const char *name) {
  const clv_rule_argument argument = dart_argument(inner_dart(map));
  assert_int_equal(clv_map_begin(map), CLV_OK);
  const clv_result result = clv_rule_apply(rule_of(program, name), map, &argument, 1, NULL, NULL);
  clv_map_rollback(map);
  return result;
}

// A function's arguments are the caller's, whatever the function calls its own.
static void test_arguments(void **state) {
  (void)state;
  clv_program *program = program_of("def minus(a, b) = a - b;\n"
                                    "def thrice(b, a, c) = minus(c, b) + 10*minus(b, a) + 100*minus(a, c);\n"
                                    "script ask(d) {\n"
                                    "  let a = 1;\n"
                                    "  let b = 5;\n"
                                    "  require minus(b, a) == 4, \"arguments change places\";\n"
                                    "  require thrice(a, b, 7) == 6 - 40 - 200, \"arguments of arguments do\";\n"
                                    "  require minus(minus(b, a), minus(a, b)) == 8, \"calls within calls do\";\n"
                                    "}\n");
  clv_map *map = grid_map(CLV_GRID_HEX);
  if (apply_once(program, map, "ask") != CLV_OK) fail_msg("%s", clv_map_error(map));
  clv_map_destroy(map);
  clv_program_destroy(program);
}

// Also where a rule only unsews facets of plain cells, which is done without a match dart by dart.
static void test_nodes(void **state) {
  (void)state;
  clv_program *program = program_of("embed pos:vec3[m] on vertex blend merge mean split copy;\n"
                                    "rule part(a:<0,1>) where count(v:<1> in a) == 3, 2*count(e:<0> in b) < 7 {\n"
                                    "  left { a -3- b:<0,1>; } right { a -3- a; b -3- b; } }\n"
                                    "rule upright(a:<0,1>) where sum(v:<1> in a) abs(v.pos[0] - a.pos[0]) < 1e-9 {\n"
                                    "  left { a -3- b:<0,1>; } right { a -3- a; b -3- b; } }\n");
  static const struct {
    clv_grid_kind kind;
    const char *rule;
    clv_result result;
  } cases[] = {
      {CLV_GRID_TET6, "part", CLV_OK}, {CLV_GRID_HEX, "part", CLV_ERROR_REFUSED}, {CLV_GRID_HEX, "upright", CLV_OK}};
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    clv_map *map = grid_map(cases[k].kind);
    const clv_result result = apply_once(program, map, cases[k].rule);
    if (result != cases[k].result) fail_msg("%s, case %u: %s", cases[k].rule, k, clv_map_error(map));
    if (result != CLV_OK) assert_non_null(strstr(clv_map_error(map), "does not hold"));
    clv_map_destroy(map);
  }
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_arguments), cmocka_unit_test(test_nodes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
