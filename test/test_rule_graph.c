// Topological rules as graphs: the rules of the language's own examples are made, and pass.

#include "rule/graph.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char examples[] =
    "rule sew2(a:<0>, b:<0>) where side(a)!=side(b) { left{a-2-a; b-2-b;} right{a-2-b;} }\n"
    "rule unsew2(a:<0>) { left { a-2-b:<0>; } right { a-2-a; b-2-b; } }\n"
    "rule sew3(a:<0,1>, b:<0,1>) where side(a)!=side(b) { left{a-3-a; b-3-b;} right{a-3-b;} }\n"
    "rule unsew3(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n"
    "rule insert_vertex(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); } }\n"
    "rule triangulate(a:<0,1,3>) { left{a;} right { a:<0,_,3> -1- b:<_,2,3> -0- c:<1,2,3>; c := mean(v:<1> in a); } }\n"
    "rule split_face(a:<3>, b:<3>) where b in <0,1>(a), side(a)!=side(b), b!=a@0, b!=a@1, b!=a@1@0@1 {\n"
    "  left { a-1-c:<3>; b-1-d:<3>; }\n"
    "  right { a-1-x:<3>-0-y:<3>-1-b; c-1-u:<3>-0-v:<3>-1-d; x-2-u; y-2-v; } }\n"
    "rule wall(a:<0>) { left { a-2-b:<0>; } right { a-2-x:<0>-3-y:<0>-2-b; x-1-x; y-1-y; } }\n"
    "rule join(a:<3>, b:<3>) where side(a)!=side(b) { left{a-1-a; b-1-b;} right{a-1-b;} }\n"
    "script split_volume(path) { for d in path { wall(d); } for d,e in cyclic(path) { join(d@0@2, e@2); } }\n"
    "rule loop(a:<0^k,1,3|(0^k 1)^3>, k) { left { a:<_,1,3> -0^(k+1)- b:<1,_,3>; }\n"
    "  right { a -0^(k+1)- b:<_,_,3> -1- c:<_,0,3> -2- d:<1,0,3>; } }\n"
    "rule quad4(a:<0^k,1,3|(0^k 1)^4>, k) { left { a:<_,1,3> -0^(k+1)- b:<1,_,3>; }\n"
    "  right { a -0^(k+1)- b:<_,_,3> -1- c:<2,_,3> -0- d:<2,1,3>; } }\n"
    "rule cut_corner(a:<1,2>) { left { a -0- b:<_,2> -1- c:<0,_> -2- d:<0,_>; }\n"
    "  right { a -0- b -1- c -2- e:<0,1> -3- f:<0,1> -2- d; } }\n"
    "rule octa4(a:<1,2|(12)^4>) { left { a -0- b:<_,2> -1- c:<0,_> -2- d:<0,_> -1- e:<_,2> -0- f:<1,2>; }\n"
    "  right { a:<1,_> -0- b:<_,_> -1- c -2- d -1- e:<_,_> -0- f:<1,_>;\n"
    "    a -2- n:<_,3> -0- q:<_,3> -1- r:<_,3> -0- s:<_,3> -1- t:<2,3> -0- u:<2,3> -1- n; b-2-q; e-2-r; f-2-s; } }\n"
    "rule hex8(a:<0^k,1,2|(0^k 1)^4,(12)^3>, k) {\n"
    "  left { a:<_,1,2> -0^(k+1)- b:<_,_,2> -1- c:<2,_,_> -0- d:<2,1,_>; }\n"
    "  right { a -0^(k+1)- b -1- c:<_,_,_> -0- d:<_,1,_>;\n"
    "    c -2- e:<3,_,1> -0- f:<3,_,_> -1- g:<3,2,_> -0- h:<3,2,1>; d-2-f; } }\n"
    "rule catmull(a:<0,1,2,3>) { left{a;} right{a:<_,1,2,3>-0-b:<_,_,2,3>-1-c:<2,_,_,3>-0-d:<2,1,_,3>;} }\n"
    "rule extrude(a:<0,1>) { left{a-3-a;} right { c-3-c; d-3-d; e-3-e; f-3-f; h-3-h;\n"
    "  a-3-b:<0,1>-2-c:<0,_>-1-d:<_,2>-0-e:<_,2>-1-f:<0,_>-2-h:<0,1>; } }\n"
    "rule remove_volume(a:<0,1,2>) { left { a -3?- b:<0,1,_>; } right { b-3-b; } }\n"
    "rule dual(a:<0,1,2,3>) { left{a;} right{a:<3,2,1,0>;} }\n"
    "rule dual2(a:<0,1,2>) { left{a-3-a;} right{a:<2,1,0>-3-a;} }\n"
    "rule unocta4 = inverse octa4 | (23)^4;\n"
    "rule unloop = inverse loop | (10)^3;\n"
    "rule unquad4 = inverse quad4 | (21)^4,(23)^2;\n"
    "rule unhex8 = inverse hex8 | (32)^4,(21)^3;\n"
    "rule uncut_corner = inverse cut_corner;\n"
    "rule remove_vertex = inverse insert_vertex | (12)^2;\n"
    "rule untriangulate = inverse triangulate | (23)^2;\n"
    "rule unsew3_again = inverse sew3;\n"
    "rule unextrude = inverse extrude;\n";

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
  clv_program *program = load(examples);
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
  clv_program *program = load(examples);
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
  clv_program *program = load(examples);
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
  clv_program *program = load(examples);
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
  clv_program *program = load(examples);
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (uint32_t n = 2; n <= 3; n++)
      if (graph_of(program, cases[k].name)->opens[n - 2] != cases[k].opens[n - 2])
        fail_msg("'%s' opens %x in %uD", cases[k].name, graph_of(program, cases[k].name)->opens[n - 2], n);
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_examples_pass),   cmocka_unit_test(test_dimensions_served),
      cmocka_unit_test(test_hook_of_inverse), cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_what_opens),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
