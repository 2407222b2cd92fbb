// The parser: trees of every construct, and findings with their places.

#include "rule/syntax.h"

#include "support/counting_allocator.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static clv_program *load(const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "x.rule", text, strlen(text)), CLV_OK);
  return program;
}

// Everything the language has, once.
static const char every_construct[] =
    "param young:real[Pa] = 1e5;\n"
    "param k = 2;\n"
    "embed pos:vec3[m] on vertex blend;\n"
    "embed ea:real[N] on edge&cell = 3.5 merge sum split copy;\n"
    "derive m:real[kg] on c:corner in t:cell = over q in t t.rho*q.N[c];\n"
    "derive mass:real on vertex = sum(c:corner) c.m+sum q in t q.w;\n"
    "def iso(E,mu,lam) = mu*dot(E,E)+0.5*lam*tr(E)^2;\n"
    "force stretch on e:edge { where !free(e,2); let l = norm(e.pos-e@0.pos); def f(x) = x.pos;\n"
    "  energy 0.5*e.ks*(l-rest(l))^2; psd clamp; dissipation rate(l)^2; }\n"
    "force shear on f:tri|quad oriented external { sum q in f { let J = jac(f.pos,q);\n"
    "  force(c in f) = f.p*q.w*q.N[c]*cross(J[0],J[1]); } force f@1@0 = -J[0,1]*(1, 2, 3); }\n"
    "force tissue on t:tet|hex { over q in t { let F = grad(t.pos,q); energy iso(0.5*(F'*F-I),t.mu,t.lam); } }\n"
    "update step on v:vertex { v.vel = v.vel + h*v.f; }\n"
    "rule sew3(a:<0,1>, b:<0,1>) where side(a)!=side(b), b in <0,1>(a) { left{a-3-a; b-3-b;} right{a-3-b;} }\n"
    "rule loop(a:<0^k,1,3|(0^k 1)^3>, k) { left { a:<_,1,3> -0^(k+1)- b:<1,_,3>; }\n"
    "  right { a -0^(k+1)- b:<_,_,3> -1- c:<_,0,3>; c := mean(v:<1> in a); c.lev := k+1; } }\n"
    "rule remove(a:<0,1,2>) { left { a -3?- b:<0,1,_>; } right { b-3-b; } }\n"
    "rule unloop = inverse loop | (23)^4, (0^k 1)^3;\n"
    "script refine(f, k, path) { if f.flev > k return;\n"
    "  for e:<0^k> in <0^k,1>(f) { if e@0^(k+1).lev <= k { let z = insert_vertex(e, k+1).z; } else { require k < 9, "
    "\"deep\"; } }\n"
    "  for d, e in cyclic(path) { join(d@0@2, e@2); } for d in path wall(d);\n"
    "  try { loop(f, k); } else { return; } let y = walk(f; @2@1; until free(f,3)); f.flev = k + 1; }\n";

static void test_every_construct(void **state) {
  (void)state;
  static const rule_kind kinds[] = {RULE_PARAM, RULE_PARAM, RULE_EMBED,   RULE_EMBED, RULE_DERIVE, RULE_DERIVE,
                                    RULE_DEF,   RULE_FORCE, RULE_FORCE,   RULE_FORCE, RULE_UPDATE, RULE_RULE,
                                    RULE_RULE,  RULE_RULE,  RULE_INVERSE, RULE_SCRIPT};
  clv_program *program = load(every_construct);
  for (uint32_t k = 0; k < program->findings.count; k++) print_error("%s\n", program->findings.data[k].what);
  assert_int_equal(program->findings.count, 0);
  assert_int_equal(program->declarations.count, sizeof kinds / sizeof *kinds);
  for (uint32_t k = 0; k < program->declarations.count; k++)
    assert_int_equal(program->declarations.data[k]->kind, kinds[k]);
  clv_program_destroy(program);
}

static const rule_tree *first(clv_program *program, const char *name) {
  const rule_tree *tree = rule_declaration(program, rule_intern(program, name, strlen(name)));
  assert_non_null(tree);
  return tree;
}

static void test_shapes(void **state) {
  (void)state;
  clv_program *program = load(every_construct);
  const rule_tree *loop = first(program, "loop");
  const rule_tree *word = loop->child[0]->child[0]->child[0];
  assert_int_equal(word->kind, RULE_WORD);
  assert_int_equal(word->child[0]->count, 3);
  assert_int_equal(word->child[1]->count, 1);
  const rule_tree *relation = word->child[1]->child[0];
  assert_int_equal((int)relation->number, 3);
  assert_int_equal(relation->count, 2);
  assert_true(rule_there(relation->child[0]->child[0]));
  const rule_tree *chain = loop->child[2]->child[0];
  assert_int_equal(chain->count, 3);
  assert_int_equal((int)chain->child[0]->child[0]->child[0]->child[0]->number, -1);
  const rule_tree *removed = first(program, "remove")->child[2]->child[0];
  assert_int_equal((int)removed->child[1]->number, 1);
  assert_int_equal((int)removed->child[1]->child[0]->number, 3);

  // 0.5*e.ks*(l-rest(l))^2 is a product of a product and a power.
  const rule_tree *stretch = first(program, "stretch");
  const rule_tree *energy = NULL;
  for (uint32_t k = 2; k < stretch->count; k++)
    if (stretch->child[k]->kind == RULE_ENERGY) energy = stretch->child[k]->child[0];
  if (!energy) {
    fail_msg("stretch has no energy");
    return;
  }
  assert_string_equal(energy->name, "*");
  assert_string_equal(energy->child[1]->name, "^");
  assert_int_equal(energy->child[0]->child[1]->kind, RULE_FIELD);
  clv_program_destroy(program);
}

static void expect_finding(const char *text, uint32_t line, uint32_t column, const char *what) {
  clv_program *program = load(text);
  assert_int_equal(clv_program_check(program), CLV_ERROR_INPUT);
  const clv_diagnostic *found = NULL;
  assert_true(clv_program_diagnostics(program, &found) >= 1);
  if (found->line != line || found->column != column || !strstr(found->what, what))
    print_error("%s\n  %u:%u %s\n", text, found->line, found->column, found->what);
  assert_int_equal(found->code, 'L');
  assert_int_equal(found->line, line);
  assert_int_equal(found->column, column);
  assert_non_null(strstr(found->what, what));
  assert_true(found->help[0] != '\0');
  clv_program_destroy(program);
}

static void test_findings(void **state) {
  (void)state;
  expect_finding("rule a", 1, 7, "the file ends where '(' is expected");
  expect_finding("\nforce x on e:edge { energy 1 }", 2, 30, "';' is expected, not '}'");
  expect_finding("embed a:vec4 on vertex;", 1, 9, "a type is expected");
  expect_finding("param a = $;", 1, 11, "no meaning");
  expect_finding("rule a(x:<0,5>) { left { x; } right { x; } }", 1, 13, "a dimension is expected");
  expect_finding("force x on t:tet|edge { }", 1, 18, "a template is expected");
  expect_finding("wrong", 1, 1, "a declaration is expected");
  expect_finding("script s(a) { require a, \"no end; }\n}", 1, 26, "no end");
  expect_finding("embed a:real on vertex merge twice;", 1, 30, "'sum', 'mean', 'keep' or 'error'");
}

// A bad declaration does not hide the next one's mistakes, nor its name.
static void test_goes_on(void **state) {
  (void)state;
  clv_program *program = load("param a = ;\nparam b = 1;\nrule c(\nparam d = (;\n");
  assert_int_equal(program->findings.count, 3);
  assert_non_null(first(program, "b"));
  clv_program_destroy(program);
}

static void test_depth(void **state) {
  (void)state;
  char *text = malloc(100002);
  assert_non_null(text);
  memcpy(text, "param a = ", 10);
  memset(text + 10, '(', 99990);
  text[100000] = '\0';
  expect_finding(text, 1, 111, "nested too deeply");
  memset(text + 10, '-', 99990);
  expect_finding(text, 1, 111, "nested too deeply");
  free(text);
}

static void test_printing(void **state) {
  (void)state;
  clv_program *program = load("param ok = 1;\nparam a = 1 +;\n");
  assert_int_equal(clv_program_check(program), CLV_ERROR_INPUT);
  const clv_diagnostic *found;
  assert_int_equal(clv_program_diagnostics(program, &found), 1);
  char text[512];
  const size_t length = clv_diagnostic_print(program, found, text, sizeof text);
  assert_int_equal(length, strlen(text));
  assert_string_equal(text, "x.rule:2:14: error[L]: a value is expected, not ';'\n"
                            "  2 | param a = 1 +;\n"
                            "    |              ^ a value is a name, a number, a call or something in brackets\n");
  assert_int_equal(clv_diagnostic_print(program, found, text, 8), length);
  assert_string_equal(text, "x.rule:");
  clv_program_destroy(program);
}

// Every allocation that can fail does, once; nothing leaks and nothing is half there.
static void test_memory(void **state) {
  (void)state;
  for (size_t fail_at = 1;; fail_at++) {
    counting_memory memory = {.fail_at = fail_at};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_program *program = clv_program_create(&allocator);
    if (program) {
      const clv_result added = clv_program_add(program, "x.rule", every_construct, strlen(every_construct));
      const clv_result result = clv_program_check(program);
      if (memory.refused) assert_true(added == CLV_ERROR_MEMORY || result == CLV_ERROR_MEMORY);
    }
    clv_program_destroy(program);
    assert_int_equal(memory.live_bytes, 0);
    if (!memory.refused) break;
  }
}

// Where a locale writes 0,5, rules still write 0.5.
static void test_locale(void **state) {
  (void)state;
  static const char *const comma_locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
  for (size_t k = 0; k < sizeof comma_locales / sizeof *comma_locales; k++)
    if (setlocale(LC_ALL, comma_locales[k])) break; // where none is installed, the test says little
  clv_program *program = load("param half = 0.5;");
  setlocale(LC_ALL, "C");
  const rule_tree *param = program->declarations.data[0];
  assert_int_equal(program->findings.count, 0);
  assert_true(param->child[1]->number == 0.5);
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_construct), cmocka_unit_test(test_shapes), cmocka_unit_test(test_findings),
      cmocka_unit_test(test_goes_on),         cmocka_unit_test(test_depth),  cmocka_unit_test(test_printing),
      cmocka_unit_test(test_memory),          cmocka_unit_test(test_locale),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
