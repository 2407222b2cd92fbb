// Topological rules as graphs: the rules of the language's own examples are made, and pass.

#include "rule/graph.h"
#include "support/counting_allocator.h"
#include "support/rule_examples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void print_findings(clv_program *program) {
  const clv_diagnostic *found;
  const uint32_t count = clv_program_diagnostics(program, &found);
  for (uint32_t k = 0; k < count; k++) {
    char text[1024];
    clv_diagnostic_print(program, &found[k], text, sizeof text);
    print_message("%s", text);
  }
}

static clv_program *load(const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "test.rule", text, strlen(text)), CLV_OK);
  return program;
}

static rule_graph *graph_of(clv_program *program, const char *name) {
  const rule_tree *tree = rule_declaration(program, rule_intern(program, name, strlen(name)));
  assert_non_null(tree);
  return rule_graph_make(program, tree);
}

static void test_examples_pass(void **state) {
  (void)state;
  clv_program *program = load(rule_examples);
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree->kind != RULE_RULE && tree->kind != RULE_INVERSE) continue;
    const rule_graph *graph = rule_graph_make(program, tree);
    if (!graph || !rule_graph_check(program, graph)) {
      clv_program_check(program);
      print_findings(program);
      fail_msg("'%s' is refused", tree->name);
    }
  }
  assert_int_equal(program->findings.count, 0);
  clv_program_destroy(program);
}

static void test_dimensions_served(void **state) {
  (void)state;
  static const char *const both[] = {"sew2", "unsew2", "insert_vertex", "triangulate", "split_face",   "join",
                                     "loop", "quad4",  "catmull",       "dual2",       "remove_volume"};
  static const char *const only_3[] = {"sew3", "unsew3", "wall", "cut_corner", "octa4", "hex8", "extrude", "dual"};
  clv_program *program = load(rule_examples);
  for (uint32_t k = 0; k < sizeof both / sizeof *both; k++)
    if (!rule_graph_serves(graph_of(program, both[k]), 2)) fail_msg("'%s' does not serve 2D", both[k]);
  for (uint32_t k = 0; k < sizeof only_3 / sizeof *only_3; k++) {
    const rule_graph *graph = graph_of(program, only_3[k]);
    if (rule_graph_serves(graph, 2)) fail_msg("'%s' serves 2D", only_3[k]);
    assert_true(rule_graph_serves(graph, 3));
  }
  clv_program_destroy(program);
}

static void test_hook_of_inverse(void **state) {
  (void)state;
  clv_program *program = load(rule_examples);
  const rule_graph *graph = graph_of(program, "unocta4");
  assert_string_equal(graph->parameter[0].name, "t");
  assert_int_equal(graph->parameter_count, 1);
  assert_int_equal(graph->hook_word[0][0].dim, 2);
  assert_int_equal(graph->hook_word[0][1].dim, 3);
  graph = graph_of(program, "unloop");
  assert_string_equal(graph->parameter[0].name, "d");
  assert_string_equal(graph->parameter[1].name, "k");
  assert_int_equal(graph->parameter[1].hook, -1);
  const rule_node *a = &graph->node[0];
  assert_string_equal(a->name, "a");
  assert_int_equal(a->side[RULE_LEFT].tie[0].letter.level, 1);
  graph = graph_of(program, "unsew3_again");
  assert_string_equal(graph->parameter[0].name, "a");
  assert_int_equal(graph->hook_count, 1);
  clv_program_destroy(program);
}

static void test_pieces(void **state) {
  (void)state;
  clv_program *program = load(rule_examples);
  const rule_graph *graph = graph_of(program, "remove_volume");
  assert_int_equal(graph->piece_count, 2);
  assert_int_equal(graph->node[0].piece, 0);
  assert_int_equal(graph->node[1].piece, 1);
  assert_int_equal(graph->piece[1].from, 0);
  assert_int_equal(graph->piece[1].to, 1);
  assert_int_equal(graph->piece[1].dim, 3);
  clv_program_destroy(program);
}

static void test_what_opens(void **state) {
  (void)state;
  static const struct {
    const char *name;
    uint8_t opens[2];
  } cases[] = {{"wall", {0, 2}},    {"sew3", {0, 0}}, {"extrude", {0, 0}},       {"dual2", {1, 0}},  {"dual", {0, 1}},
               {"unocta4", {0, 4}}, {"loop", {0, 0}}, {"remove_volume", {0, 0}}, {"unsew2", {0, 4}}, {"hex8", {0, 0}}};
  clv_program *program = load(rule_examples);
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (uint32_t n = 2; n <= 3; n++)
      if (graph_of(program, cases[k].name)->opens[n - 2] != cases[k].opens[n - 2])
        fail_msg("'%s' opens %x in %uD", cases[k].name, graph_of(program, cases[k].name)->opens[n - 2], n);
  clv_program_destroy(program);
}

// Values that are the same from every dart of their orbit, seen by their form.
static void test_symmetric_values_pass(void **state) {
  (void)state;
  static const char *const values[] = {
      "z := mean(a, a@0)",
      "z := mean(a@0, a@3)",
      "z.pos := 0.5*(a.pos + a@0.pos)",
      "z.pos := a.pos*0.5 + 0.5*a@0@2.pos",
      "z.pos := mid(a, a@0)",
      "z.heat := 1",
      "z.heat := k + scale",
      "z.heat := norm(a.pos - a@0.pos)",
      "z.heat := dot(a.pos, a@0.pos)/max(a.heat, a@0.heat)",
      "z.heat := a.stiff",
      "z.heat := mean(v:<2,3> in a) v.heat",
      "z.heat := sum(v:<2> in <0,2,3>(a@0)) v.heat",
      "z.heat := count(v:<3> in a)",
      "z.heat := mean(a@1@2@0.heat, a@0@1@2@0.heat, a@1@0.heat, a@0@1@0.heat, a@2@1@0.heat, a@0@2@1@0.heat)",
  };
  for (uint32_t k = 0; k < sizeof values / sizeof *values; k++) {
    char text[1000];
    snprintf(text, sizeof text,
             "param scale = 2;\nembed pos:vec3[m] on vertex blend;\nembed heat:real on vertex = 0;\n"
             "embed stiff:real on edge = 0;\ndef mid(x,y) = 0.5*(x.pos+y.pos);\n"
             "rule r(a:<0,2,3>, k) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; %s; } }\n",
             values[k]);
    clv_program *program = load(text);
    const rule_graph *graph = graph_of(program, "r");
    const bool last = k + 1 == sizeof values / sizeof *values; // the six ends are those of three faces of many
    if (graph && rule_graph_check(program, graph) == last) {
      clv_program_check(program);
      print_findings(program);
      fail_msg("'%s' is %s", values[k], last ? "accepted" : "refused");
    }
    clv_program_destroy(program);
  }
}

static void test_effects(void **state) {
  (void)state;
  enum { S = RULE_MAY_SPLIT, M = RULE_MAY_MERGE, A = RULE_MAY_APPEAR, V = RULE_MAY_VANISH, C = RULE_MAY_CHANGE };
  static const struct {
    const char *name;
    uint32_t vertex, edge, face, volume;
  } cases[] = {
      {"sew3", M | C, M | C, M | C, 0},
      {"unsew3", S | C, S | C, S | C, 0},
      {"insert_vertex", A, S | C, C, C},
      {"triangulate", A | C, A, S | C, C},
      {"split_face", C, A, S | C, C},
      {"catmull", A, S | A | C, S | C, C},
      {"remove_volume", S | V | C, S | V | C, V | C, V},
      {"dual", S | M | C, S | M | C, S | M | C, S | M | C},
      {"remove_vertex", V, M | C, C, C},
      {"extrude", A | C, A | C, A | C, A},
  };
  clv_program *program = load(rule_examples);
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const rule_graph *graph = graph_of(program, cases[k].name);
    const uint32_t expected[] = {cases[k].vertex, cases[k].edge, cases[k].face, cases[k].volume};
    static const uint32_t dims[] = {CLV_VERTEX, CLV_EDGE, CLV_FACE, CLV_VOLUME};
    for (uint32_t o = 0; o < 4; o++)
      if (rule_graph_effect(graph, dims[o]) != expected[o])
        print_error("'%s' on orbit %u: %x, not %x\n", cases[k].name, o, rule_graph_effect(graph, dims[o]), expected[o]);
    for (uint32_t o = 0; o < 4; o++) assert_int_equal(rule_graph_effect(graph, dims[o]), expected[o]);
  }
  clv_program_destroy(program);
}

static void test_scripts_pass(void **state) {
  (void)state;
  static const char text[] =
      "embed pos:vec3[m] on vertex blend;\nembed lev:int on vertex = 0;\nembed flev:int on face = 0;\n"
      "rule quads(a:<0,1,2,3>) { left{a;} right{a:<_,1,2,3>-0-b:<_,_,2,3>-1-c:<2,_,_,3>-0-d:<2,1,_,3>;\n"
      "  b := mean(a, a@0); d := mean(v:<1> in <0,1>(a)); } }\n"
      "rule insert(a:<0,2,3>, k) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z.lev := k; } }\n"
      "rule loop(a:<0^k,1,3|(0^k 1)^3>, k) { left { a:<_,1,3> -0^(k+1)- b:<1,_,3>; }\n"
      "  right { a -0^(k+1)- b:<_,_,3> -1- c:<_,0,3> -2- d:<1,0,3>; a.flev := k+1; d.flev := k+1; } }\n"
      "script refine_face(f, k) { if f.flev > k return;\n"
      "  for e:<0^k> in <0^k,1>(f) { if e@0^(k+1).lev <= k { insert(e, k+1); } }\n"
      "  loop(f, k); }\n"
      "script all(path, k) { for d in path { try { refine_face(d, k); } else { d.lev = 0; } } require k >= 0, "
      "\"level\"; }\n"
      "script turn(d) { let e = walk(d; @2@1; until free(d,2)); return insert(e, 1).z; }\n";
  clv_program *program = load(text);
  if (clv_program_check(program) != CLV_OK) {
    print_findings(program);
    fail();
  }
  clv_program_destroy(program);
}

// The library is sound as a whole; an embedding of the user's that says nothing of the vertices it makes is told so.
static void test_library_meets_embeddings(void **state) {
  (void)state;
  static const char all[] =
      "use topology;\nuse body;\nuse motion;\nuse springs;\nuse fem;\nuse external;\nuse surgery;\n";
  clv_program *program = load(all);
  if (clv_program_check(program) != CLV_OK) {
    print_findings(program);
    fail();
  }
  clv_program_destroy(program);
  program = load("use topology;\nembed heat:real on vertex;\n");
  assert_int_equal(clv_program_check(program), CLV_ERROR_INPUT);
  const clv_diagnostic *found;
  assert_int_equal(clv_program_diagnostics(program, &found), 1);
  assert_int_equal(found->code, 'E');
  assert_string_equal(found->file, "test.rule");
  assert_int_equal(found->line, 2);
  clv_program_destroy(program);
}

// Memory that runs out anywhere is an error, and nothing is lost.
static void test_memory_runs_out(void **state) {
  (void)state;
  static const char more[] =
      "embed heat:real on vertex = 0;\nrule warm(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z.heat := "
      "mean(v:<2,3> in a) v.heat; } }\nscript all(path) { for d in path { inner(d); } }\nscript inner(d) { warm(d); "
      "octa(d); }\nrule wrong(a:<0>) { left { a-2-b:<0>; } right { a-2-a; } }\n";
  counting_memory memory = {.fail_at = 1};
  for (bool refused = true; refused; memory.fail_at++) {
    memory.requests = 0;
    memory.refused = false;
    const clv_allocator allocator = counting_allocator(&memory);
    clv_program *program = clv_program_create(&allocator);
    if (program) {
      clv_result result = clv_program_add(program, "examples.rule", rule_examples, strlen(rule_examples));
      if (result == CLV_OK) result = clv_program_add(program, "more.rule", more, strlen(more));
      if (result == CLV_OK) result = clv_program_check(program);
      assert_int_equal(result, memory.refused ? CLV_ERROR_MEMORY : CLV_ERROR_INPUT);
      const clv_diagnostic *found;
      if (!memory.refused) assert_int_equal(clv_program_diagnostics(program, &found), 2);
    }
    clv_program_destroy(program);
    assert_int_equal(memory.live_bytes, 0);
    refused = memory.refused;
  }
  assert_true(memory.fail_at > 100);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples_pass),   cmocka_unit_test(test_dimensions_served),
      cmocka_unit_test(test_hook_of_inverse), cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_what_opens),      cmocka_unit_test(test_symmetric_values_pass),
      cmocka_unit_test(test_effects),         cmocka_unit_test(test_scripts_pass),
      cmocka_unit_test(test_memory_runs_out), cmocka_unit_test(test_library_meets_embeddings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
