// Compiled rules beside interpreted ones: every shipped rule at the same darts of the same maps, and the same bits
// afterwards, in links, ids and values.

#include "rule/graph.h"
#include "support/counting_allocator.h"
#include "support/random.h"
#include "support/rule_cases.h"
#include "support/rule_maps.h"
#include "support/rules.h"

static void interpret(const clv_program *program) {
  for (uint32_t k = 0; k < rule_case_count; k++) {
    rule_graph *graph = rule_of(program, rule_cases[k].name)->graph;
    if (graph && !graph->code) fail_msg("%s was not compiled", rule_cases[k].name);
    if (graph) graph->code = NULL;
  }
}

enum { TIMES = 20 };

static void every_rule_does_the_same(void **state) {
  (void)state;
  clv_program *compiled = rule_cases_program(), *interpreted = rule_cases_program();
  for (uint32_t k = 0; k < rule_case_count; k++) {
    rule_leave_nothing_to_the_map(compiled, rule_cases[k].name);
    rule_leave_nothing_to_the_map(interpreted, rule_cases[k].name);
  }
  interpret(interpreted);
  for (uint32_t k = 0; k < rule_case_count; k++) {
    rule_body b = {.ways = 2, .program = {compiled, interpreted}, .random = {5 + k}};
    rule_case_run(&b, &rule_cases[k], TIMES);
  }
  clv_program_destroy(compiled);
  clv_program_destroy(interpreted);
}

static void every_rule_is_here(void **state) {
  (void)state;
  rule_cases_expect_all();
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
  for (uint32_t w = 0; w < 2; w++) rule_leave_nothing_to_the_map(own[w], "pierce");
  clv_map *maps[2] = {rule_map_grid(CLV_GRID_TET6, 2, 2, 2), rule_map_grid(CLV_GRID_TET6, 2, 2, 2)};
  rule_body b = {.ways = 2, .program = {own[0], own[1]}, .random = {7}};
  rule_body_begin(&b, maps);
  uint32_t count = 0;
  for (uint32_t k = 0; k < 200; k++) {
    rule_call call;
    count += rule_place_choose(&b, RULE_ANY, &call) && rule_body_try(&b, "pierce", &call);
  }
  assert_true(count > 10);
  rule_body_end(&b);
  for (uint32_t w = 0; w < 2; w++) clv_program_destroy(own[w]);
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_rule_is_here), cmocka_unit_test(every_rule_does_the_same),
                                     cmocka_unit_test(test_own_rule), cmocka_unit_test(test_refusals)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
