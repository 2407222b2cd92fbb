// Pictures, explanations, lists of what a program has, and the editors' grammar.

#include "rule/explain.h"
#include "rule/program.h"

#include "support/counting_allocator.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char rules[] =
    "embed pos:vec3[m] on vertex blend merge mean split copy;\n"
    "rule sew3(a:<0,1>, b:<0,1>) where side(a)!=side(b) { left{a-3-a; b-3-b;} right{a-3-b;} }\n"
    "rule unsew3(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n"
    "rule insert_vertex(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); } }\n"
    "rule triangulate(a:<0,1,3>) { left{a;} right { a:<0,_,3> -1- b:<_,2,3> -0- c:<1,2,3>; c := mean(v:<1> in a); } }\n"
    "rule split_face(a:<3>, b:<3>) where b in <0,1>(a), side(a)!=side(b), b!=a@0, b!=a@1, b!=a@1@0@1 {\n"
    "  left { a-1-c:<3>; b-1-d:<3>; }\n"
    "  right { a-1-x:<3>-0-y:<3>-1-b; c-1-u:<3>-0-v:<3>-1-d; x-2-u; y-2-v; } }\n"
    "rule octa4(a:<1,2|(12)^4>) { left { a -0- b:<_,2> -1- c:<0,_> -2- d:<0,_> -1- e:<_,2> -0- f:<1,2>; }\n"
    "  right { a:<1,_> -0- b:<_,_> -1- c -2- d -1- e:<_,_> -0- f:<1,_>;\n"
    "    a -2- n:<_,3> -0- q:<_,3> -1- r:<_,3> -0- s:<_,3> -1- t:<2,3> -0- u:<2,3> -1- n; b-2-q; e-2-r; f-2-s; } }\n"
    "rule hex8(a:<0^k,1,2|(0^k 1)^4,(12)^3>, k) {\n"
    "  left { a:<_,1,2> -0^(k+1)- b:<_,_,2> -1- c:<2,_,_> -0- d:<2,1,_>; }\n"
    "  right { a -0^(k+1)- b -1- c:<_,_,_> -0- d:<_,1,_>;\n"
    "    c -2- e:<3,_,1> -0- f:<3,_,_> -1- g:<3,2,_> -0- h:<3,2,1>; d-2-f; } }\n"
    "rule extrude(a:<0,1>) { left{a-3-a;} right { c-3-c; d-3-d; e-3-e; f-3-f; h-3-h;\n"
    "  a-3-b:<0,1>-2-c:<0,_>-1-d:<_,2>-0-e:<_,2>-1-f:<0,_>-2-h:<0,1>; } }\n"
    "rule remove_volume(a:<0,1,2>) { left { a -3?- b:<0,1,_>; } right { b-3-b; } }\n"
    "rule unocta4 = inverse octa4 | (23)^4;\n"
    "script cut(path, f:<0,1>, k) { for d in path { try { unsew3(d); } } }\n"
    "script both(path, f) { cut(path, f, 0); triangulate(f); }\n";

static const char *const names[] = {"sew3",  "unsew3", "insert_vertex", "triangulate",   "split_face",
                                    "octa4", "hex8",   "extrude",       "remove_volume", "unocta4"};
enum { NAMES = sizeof names / sizeof *names };

static clv_program *load(const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "x.rule", text, strlen(text)), CLV_OK);
  const clv_result result = clv_program_check(program);
  const clv_diagnostic *found;
  const uint32_t count = clv_program_diagnostics(program, &found);
  for (uint32_t k = 0; k < count; k++) {
    char line[1024];
    clv_diagnostic_print(program, &found[k], line, sizeof line);
    print_error("%s", line);
  }
  assert_int_equal(result, CLV_OK);
  return program;
}

typedef clv_result describer(const clv_program *program, const char *name, clv_text_writer *write, void *user,
                             clv_error *error);

static void keep_text(void *user, const char *text, size_t size) {
  char **kept = user;
  *kept = malloc(size + 1);
  assert_non_null(*kept);
  memcpy(*kept, text, size);
  (*kept)[size] = '\0';
}

static char *describe(describer *function, clv_program *program, const char *name) {
  char *text = NULL;
  clv_error error = {0};
  if (function(program, name, keep_text, &text, &error)) print_error("%s\n", error.message);
  assert_non_null(text);
  return text;
}

// Pictures

// Every element is closed, and there is nothing that XML forbids.
static void check_elements(const char *svg) {
  int depth = 0;
  for (const char *at = svg; *at;) {
    if (*at == '&') assert_non_null(memchr(at, ';', 9));
    if (*at != '<') {
      at++;
      continue;
    }
    const char *end = strchr(at, '>');
    assert_non_null(end);
    assert_null(memchr(at + 1, '<', (size_t)(end - at - 1)));
    if (at[1] == '/')
      depth--;
    else if (end[-1] != '/')
      depth++;
    assert_true(depth >= 0);
    at = end + 1;
  }
  assert_int_equal(depth, 0);
}

typedef struct area {
  double left, top, right, bottom;
} area;

static double number_of(const char *element, const char *end, const char *attribute) {
  const char *at = strstr(element, attribute);
  assert_true(at && at < end);
  return strtod(at + strlen(attribute), NULL);
}

// Letters of a text element, tags and the names of characters counted as nothing and one.
static uint32_t letters_of(const char *at) {
  uint32_t count = 0;
  for (; strncmp(at, "</text>", 7) != 0; at++) {
    if (*at == '<')
      at = strchr(at, '>');
    else if (*at == '&')
      at = strchr(at, ';'), count++;
    else
      count++;
  }
  return count;
}

// The boxes of rings (r 17) and of labels below and above nodes (font-size 12, in the middle).
static uint32_t collect_areas(const char *svg, area *areas, uint32_t most, uint32_t *labels) {
  uint32_t count = 0;
  for (const char *at = svg; (at = strchr(at, '<')) && count < most; at++) {
    const char *end = strchr(at, '>');
    if (strncmp(at, "<circle", 7) == 0 && strstr(at, "r=\"17\"") && strstr(at, "r=\"17\"") < end) {
      const double x = number_of(at, end, "cx=\""), y = number_of(at, end, "cy=\"");
      areas[count++] = (area){x - 17, y - 17, x + 17, y + 17};
    }
    const char *middle = strstr(at, "font-size=\"12\" text-anchor=\"middle\"");
    if (strncmp(at, "<text", 5) == 0 && middle && middle < end) {
      const double x = number_of(at, end, " x=\""), y = number_of(at, end, " y=\"");
      const double half = 3.0 * letters_of(end + 1);
      areas[count++] = (area){x - half, y - 9, x + half, y + 2};
      ++*labels;
    }
  }
  return count;
}

static uint32_t check_no_overlap(const char *name, const char *svg) {
  static area areas[512];
  uint32_t labels = 0;
  const uint32_t count = collect_areas(svg, areas, 512, &labels);
  for (uint32_t a = 0; a < count; a++) {
    for (uint32_t b = 0; b < a; b++) {
      const double width = fmin(areas[a].right, areas[b].right) - fmax(areas[a].left, areas[b].left);
      const double height = fmin(areas[a].bottom, areas[b].bottom) - fmax(areas[a].top, areas[b].top);
      if (width > 1 && height > 1) print_error("%s: two things at %g %g\n", name, areas[a].left, areas[a].top);
      assert_false(width > 1 && height > 1);
    }
  }
  return labels;
}

static void test_pictures(void **state) {
  (void)state;
  clv_program *program = load(rules);
  for (uint32_t k = 0; k < NAMES; k++) {
    char *svg = describe(clv_program_draw, program, names[k]), *again = describe(clv_program_draw, program, names[k]);
    assert_memory_equal(svg, "<svg ", 5);
    assert_string_equal(svg, again);
    check_elements(svg);
    assert_true(check_no_overlap(names[k], svg) >= 2);
    free(svg);
    free(again);
  }
  clv_program_destroy(program);
}

static uint32_t count_of(const char *text, const char *piece) {
  uint32_t count = 0;
  for (const char *at = text; (at = strstr(at, piece)); at += strlen(piece)) count++;
  return count;
}

// What the picture must show: rings, colours, dashes, question marks, levels, guards and values.
static void test_what_is_shown(void **state) {
  (void)state;
  clv_program *program = load(rules);
  char *svg = describe(clv_program_draw, program, "octa4");
  assert_int_equal(count_of(svg, " r=\"17\""), 6 + 12);
  assert_int_equal(count_of(svg, "r=\"17\" fill=\"#fff0b3\""), 6);
  assert_int_equal(count_of(svg, " r=\"13\""), 2);
  // Arcs: 2 + 5 of dimension 0, 2 + 5 of dimension 1, 1 + 5 of dimension 2 on the two sides; each once in the legend.
  assert_int_equal(count_of(svg, "stroke=\"#1b1b1b\" stroke-width=\"1.8\""), 2 + 5 + 1);
  assert_int_equal(count_of(svg, "stroke=\"#d3202a\" stroke-width=\"2.6\" stroke-dasharray"), 2 + 5 + 1);
  assert_int_equal(count_of(svg, "stroke=\"#1f4fd0\" stroke-width=\"5\""), 1 + 5 + 1);
  free(svg);
  svg = describe(clv_program_draw, program, "remove_volume");
  assert_int_equal(count_of(svg, "stroke-dasharray=\"4 3\""), 1);
  assert_non_null(strstr(svg, ">?</text>"));
  assert_int_equal(count_of(svg, "r=\"9\" stroke=\"#178a36\""), 1);
  free(svg);
  svg = describe(clv_program_draw, program, "hex8");
  assert_int_equal(count_of(svg, ">k+1</text>"), 2);
  free(svg);
  svg = describe(clv_program_draw, program, "split_face");
  assert_non_null(strstr(svg, "where b in &lt;0,1&gt;(a), side(a)!=side(b)"));
  free(svg);
  svg = describe(clv_program_draw, program, "insert_vertex");
  assert_non_null(strstr(svg, "z := mean(a,a@0)"));
  free(svg);
  clv_program_destroy(program);
}

// The layout by itself: distinct places, and a chain is a line.
static void test_layout(void **state) {
  (void)state;
  static draw_diagram d;
  for (uint32_t count = 1; count <= DRAW_NODES; count += count < 8 ? 1 : 14) {
    d = (draw_diagram){.node_count = count, .sides = 1};
    for (uint32_t k = 0; k < count; k++) d.node[k] = (draw_node){.name = "n", .sides = 1};
    for (uint32_t k = 1; k < count; k++)
      d.arc[d.arc_count++] = (draw_arc){.from = (uint8_t)(k - 1), .to = (uint8_t)k, .sides = 1};
    draw_layout(&d);
    for (uint32_t a = 0; a < count; a++) {
      assert_true(d.node[a].x >= 0 && d.node[a].y >= 0);
      if (count <= 7) assert_int_equal(d.node[a].y, d.node[0].y);
      for (uint32_t b = 0; b < a; b++) assert_true(d.node[a].x != d.node[b].x || d.node[a].y != d.node[b].y);
    }
  }
}

// As many nodes and arcs as there can be, drawn without harm.
static void test_crowd(void **state) {
  (void)state;
  static draw_diagram d;
  d = (draw_diagram){.node_count = DRAW_NODES, .sides = 1};
  for (uint32_t k = 0; k < DRAW_NODES; k++) {
    d.node[k] = (draw_node){.name = "a_name_that_is_longer_than_its_ring", .sides = 1};
    d.node[k].label[0] = (draw_label){.count = DRAW_LETTERS, .brackets = true};
    for (uint32_t l = 0; l < DRAW_LETTERS; l++) d.node[k].label[0].letter[l] = (draw_letter){"0", "k<&+1", 0};
  }
  for (uint32_t k = 0; k < DRAW_ARCS; k++)
    d.arc[d.arc_count++] = (draw_arc){.from = (uint8_t)(k % DRAW_NODES),
                                      .to = (uint8_t)(k * 7 % DRAW_NODES),
                                      .dim = k % 4,
                                      .sides = 1,
                                      .optional = true,
                                      .level = "k<1"};
  draw_layout(&d);
  rule_text out = {.allocator = clv_default_allocator()};
  draw_begin(&out, 100, 100);
  draw_panel(&out, &d, 0, 0, 0);
  draw_end(&out);
  assert_false(out.no_memory);
  check_elements(out.bytes.data);
  rule_text_free(&out);
}

// Lists

static void test_lists(void **state) {
  (void)state;
  clv_program *program = load(rules);
  clv_declaration declaration;
  assert_true(clv_program_list(program, 0, &declaration));
  assert_string_equal(declaration.name, "pos");
  assert_string_equal(declaration.what, "embed");
  assert_string_equal(declaration.file, "x.rule");
  assert_false(declaration.shipped);
  assert_true(clv_program_list(program, NAMES, &declaration));
  assert_string_equal(declaration.name, "unocta4");
  assert_string_equal(declaration.what, "rule");
  assert_true(clv_program_list(program, NAMES + 1, &declaration));
  assert_string_equal(declaration.what, "script");
  assert_false(clv_program_list(program, NAMES + 3, &declaration));

  clv_parameter parameter;
  const clv_rule *rule = clv_program_rule(program, "hex8");
  assert_non_null(rule);
  assert_true(clv_rule_parameter(rule, 0, &parameter));
  assert_string_equal(parameter.name, "a");
  assert_int_equal(parameter.kind, CLV_PARAMETER_DART);
  assert_int_equal(parameter.orbit, CLV_ORBIT(1, 1, 1, 0));
  assert_true(clv_rule_parameter(rule, 1, &parameter));
  assert_int_equal(parameter.kind, CLV_PARAMETER_LEVEL);
  assert_false(clv_rule_parameter(rule, 2, &parameter));
  rule = clv_program_rule(program, "cut");
  assert_non_null(rule);
  assert_true(clv_rule_parameter(rule, 0, &parameter));
  assert_int_equal(parameter.kind, CLV_PARAMETER_ANY);
  assert_true(clv_rule_parameter(rule, 1, &parameter));
  assert_int_equal(parameter.kind, CLV_PARAMETER_DART);
  assert_int_equal(parameter.orbit, CLV_ORBIT(1, 1, 0, 0));
  clv_program_destroy(program);
}

static void write_nothing(void *user, const char *text, size_t size) {
  (void)user, (void)text, (void)size;
}

static void test_refusals(void **state) {
  (void)state;
  clv_program *program = load(rules);
  clv_error error = {0};
  assert_int_equal(clv_program_draw(program, "nobody", write_nothing, NULL, &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "nothing called 'nobody'"));
  assert_int_equal(clv_program_draw(program, "pos", write_nothing, NULL, &error), CLV_ERROR_ARGUMENT);
  assert_string_equal(error.message, "there is no picture of 'pos' (embed); name a rule or a force");
  assert_int_equal(clv_program_draw(program, "cut", write_nothing, NULL, &error), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_explain(program, "nobody", write_nothing, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_explain(program, "pos", write_nothing, NULL, NULL), CLV_ERROR_ARGUMENT);
  clv_program_destroy(program);
  program = clv_program_create(NULL);
  assert_int_equal(clv_program_draw(program, "x", write_nothing, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_program_explain(program, "x", write_nothing, NULL, NULL), CLV_ERROR_ARGUMENT);
  clv_program_destroy(program);
}

// Explanations

static void test_explain_rule(void **state) {
  (void)state;
  clv_program *program = load(rules);
  char *text = describe(clv_program_explain, program, "unsew3");
  assert_memory_equal(text, "rule unsew3(a:<0,1>)\n", 21);
  assert_non_null(strstr(text, "for maps of dimension 3\n"));
  assert_non_null(strstr(text, "nodes: 2 kept, 0 created, 0 deleted"));
  assert_non_null(strstr(text, "changes links: 3\n"));
  assert_non_null(strstr(text, "\n  vertex        may split"));
  assert_non_null(strstr(text, "\n  face          may split"));
  assert_non_null(strstr(text, "\n  volume        stay as they are\n"));
  assert_non_null(strstr(text, "\n  corner        stay as they are\n"));
  assert_non_null(strstr(text, "\n  pos           on vertex: may split"));
  assert_non_null(strstr(text, "; blend, merge mean, split copy\n"));
  free(text);
  text = describe(clv_program_explain, program, "triangulate");
  assert_non_null(strstr(text, "for maps of dimension 2 and 3\n"));
  assert_non_null(strstr(text, "nodes: 1 kept, 2 created, 0 deleted"));
  assert_non_null(strstr(text, "\n  vertex        may appear"));
  assert_non_null(strstr(text, "\n  face          may split"));
  free(text);
  text = describe(clv_program_explain, program, "cut");
  assert_non_null(strstr(text, "script cut(path, f:<0,1>, k)"));
  assert_non_null(strstr(text, "may apply\n  rule unsew3\n"));
  assert_non_null(strstr(text, "\n  face          may split"));
  assert_non_null(strstr(text, "\n  volume        stay as they are\n"));
  free(text);
  text = describe(clv_program_explain, program, "both");
  assert_non_null(strstr(text, "may apply\n  script cut\n  rule triangulate\n  rule unsew3\n"));
  assert_non_null(strstr(text, "\n  vertex        may split, appear"));
  free(text);
  clv_program_destroy(program);
}

static const char laws[] = "embed pos:vec3[m] on vertex blend;\n"
                           "embed rest:vec3[m] on vertex blend;\n"
                           "embed vel:vec3[m/s] on vertex blend;\n"
                           "embed mu:real[Pa] on cell = 1e4;\n"
                           "embed lam:real[Pa] on cell = 1e5;\n"
                           "param k:real[N/m] = 10;\n"
                           "derive length:real[m] on e:edge = rest(norm(e.pos-e@0.pos));\n"
                           "force spring on e:edge { let l = norm(e.pos-e@0.pos);\n"
                           "  energy 0.5*k*(l-e.length)^2; psd clamp; }\n"
                           "force provot on d:<2> { where !free(d,2);\n"
                           "  let l = norm(d@1@0.pos-d@2@1@0.pos); energy 0.5*k*(l-rest(l))^2; }\n"
                           "force stvk on t:cell { over q in t { let F = grad(t.pos,q); let E = 0.5*(F'*F-I);\n"
                           "  energy t.mu*dot(E,E)+0.5*t.lam*tr(E)^2; } psd clamp; }\n"
                           "update stop on v:vertex { v.vel = 0*v.vel; }\n"
                           "rule unsew3(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n";

static void test_explain_law(void **state) {
  (void)state;
  clv_program *program = load(laws);
  char *text = describe(clv_program_explain, program, "spring");
  assert_non_null(strstr(text, "force spring on e:edge\n\nin maps of dimension 2 and 3\n  on each edge\n"));
  assert_non_null(strstr(text, "particles    2: e, e@0\n"));
  assert_non_null(strstr(text, "reads        e.length\n"));
  assert_non_null(strstr(text, "unknowns     6 positions\n"));
  assert_non_null(strstr(text, "operations   energy "));
  assert_non_null(strstr(text, "made positive: negative eigenvalues become 0\n"));
  assert_non_null(strstr(text, "code         interpreted until it is compiled\n"));
  free(text);
  text = describe(clv_program_explain, program, "provot");
  assert_non_null(strstr(text, "only where   d is not 2-free\n"));
  assert_non_null(strstr(text, "as it is derived, which may be indefinite"));
  free(text);
  text = describe(clv_program_explain, program, "stvk");
  assert_non_null(strstr(text, "  on each tri\n"));
  assert_non_null(strstr(text, "  on each hex\n    particles    8: the corners\n"));
  assert_non_null(strstr(text, "quadrature   8 points\n"));
  free(text);
  text = describe(clv_program_explain, program, "length");
  assert_non_null(strstr(text, "derive length on e:edge\n"));
  assert_non_null(strstr(text, "gives        e.length\n"));
  free(text);
  text = describe(clv_program_explain, program, "stop");
  assert_non_null(strstr(text, "gives        v.vel\n"));
  free(text);
  text = describe(clv_program_explain, program, "unsew3");
  assert_non_null(strstr(text, "\nviews\n  spring        may change: the orbits it stands on"));
  assert_non_null(strstr(text, "\n  stvk          may change: its particles"));
  free(text);
  clv_program_destroy(program);
}

// On a template the cell, on another orbit the paths.
static void test_pictures_of_laws(void **state) {
  (void)state;
  clv_program *program = load(laws);
  char *svg = describe(clv_program_draw, program, "provot");
  check_elements(svg);
  assert_int_equal(check_no_overlap("provot", svg), 2);
  assert_int_equal(count_of(svg, " r=\"17\""), 6);
  assert_int_equal(count_of(svg, "r=\"17\" fill=\"#dbe7ff\""), 2);
  free(svg);
  svg = describe(clv_program_draw, program, "stvk");
  check_elements(svg);
  assert_int_equal(check_no_overlap("stvk", svg), 3 + 4 + 5 + 7);
  assert_int_equal(count_of(svg, " r=\"17\""), 4 + 5 + 6 + 8);
  assert_int_equal(count_of(svg, "stroke=\"#8a8f98\" stroke-width=\"1.2\""), 6 + 8 + 9 + 12);
  free(svg);
  clv_program_destroy(program);
}

// The modules of the library go together: positions are blended by every rule of topology.
// A file of the library is the module, from wherever it came: `cleave rule compile rules/*.rule` is no quarrel.
static void test_library_files(void **state) {
  (void)state;
  static const char *const modules[] = {"springs", "fem", "body", "springs"};
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  for (uint32_t k = 0; k < sizeof modules / sizeof *modules; k++) {
    size_t size = 0;
    const char *text = rule_shipped(modules[k], &size);
    assert_non_null(text);
    assert_int_equal(clv_program_add(program, "rules/some.rule", text, size), CLV_OK);
  }
  assert_int_equal(clv_program_use(program, "fem"), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  clv_program_destroy(program);
  // One word more, and it is another text, with the same names.
  size_t size = 0;
  const char *text = rule_shipped("body", &size);
  char *longer = malloc(size + 1);
  assert_non_null(longer);
  memcpy(longer, text, size);
  longer[size] = '\n';
  program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "body.rule", longer, size + 1), CLV_OK);
  assert_int_equal(clv_program_use(program, "body"), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_ERROR_INPUT);
  clv_program_destroy(program);
  free(longer);
}

static void test_library(void **state) {
  (void)state;
  clv_program *program = load("use body; use motion; use springs; use fem; use external; use topology; use surgery;\n");
  clv_declaration declaration;
  uint32_t drawn = 0;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++) {
    assert_true(declaration.shipped);
    if (strcmp(declaration.what, "rule") != 0 && strcmp(declaration.what, "force") != 0) continue;
    char *svg = describe(clv_program_draw, program, declaration.name);
    check_elements(svg);
    check_no_overlap(declaration.name, svg);
    free(svg);
    free(describe(clv_program_explain, program, declaration.name));
    drawn++;
  }
  assert_true(drawn > 40);
  clv_program_destroy(program);
}

// Memory

// Every allocation fails once, in drawing and explaining; nothing leaks and nothing is written.
static void fail_once(describer *function, const char *name) {
  static const char text[] = "embed pos:vec3[m] on vertex blend;\n"
                             "embed rest:vec3[m] on vertex blend;\n"
                             "param k:real[N/m] = 1;\n"
                             "force spring on e:edge { let l = norm(e.pos-e@0.pos); energy k*(l-rest(l))^2; }\n"
                             "rule unsew3(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n";
  bool refused = true;
  for (size_t fail_at = 1; refused; fail_at++) {
    counting_memory memory = {0};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_program *program = clv_program_create(&allocator);
    assert_non_null(program);
    assert_int_equal(clv_program_add(program, "x.rule", text, strlen(text)), CLV_OK);
    assert_int_equal(clv_program_check(program), CLV_OK);
    memory.fail_at = memory.requests + fail_at;
    memory.refused = false;
    clv_error error = {0};
    const clv_result result = function(program, name, write_nothing, NULL, &error);
    refused = memory.refused;
    assert_int_equal(result, refused ? CLV_ERROR_MEMORY : CLV_OK);
    clv_program_destroy(program);
    assert_int_equal(memory.live_bytes, 0);
  }
}

static void test_memory(void **state) {
  (void)state;
  fail_once(clv_program_draw, "unsew3");
  fail_once(clv_program_explain, "unsew3");
  fail_once(clv_program_draw, "spring");
  fail_once(clv_program_explain, "spring");
}

// The editors' grammar knows every word that the parser takes.

static char *read_source(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", TEST_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file) print_error("%s\n", path);
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  const size_t size = fread(text, 1, (1 << 20) - 1, file);
  assert_true(size > 0 && size < (1 << 20) - 1);
  fclose(file);
  return text;
}

static bool has_word(const char *text, const char *word, size_t length) {
  for (const char *at = text; (at = strstr(at, word)); at++)
    if (!isalnum((unsigned char)at[length]) && at[length] != '_' &&
        (at == text || at[-1] == '(' || at[-1] == '|' || at[-1] == ':'))
      return true;
  return false;
}

// Words in quotes on lines that take, look at or expect a token, or list some.
static uint32_t check_words(const char *source, const char *grammar) {
  static const char *const signs[] = {
      "rule_take(p, \"",  "rule_at(p, \"", "rule_expect(p, \"",      "*const words[] =", "*const names[] =",
      "*const types[] =", "policies[] =",  "functions[FUNCTIONS] =", "functions[] =",    "law_is(tree->name, \""};
  uint32_t count = 0;
  for (uint32_t s = 0; s < sizeof signs / sizeof *signs; s++) {
    for (const char *at = source; (at = strstr(at, signs[s])); at++) {
      const bool list = strchr(signs[s], '=') != NULL;
      const char *end = strchr(at, list ? ';' : ')');
      const char *open = strchr(at, '"');
      while (open && open < end) {
        const char *close = strchr(open + 1, '"');
        char word[64] = "";
        const size_t length = (size_t)(close - open - 1);
        if (length > 1 && length < sizeof word && isalpha((unsigned char)open[1])) {
          memcpy(word, open + 1, length);
          if (!strchr(word, ' ')) {
            if (!has_word(grammar, word, length)) print_error("the grammar lacks '%s'\n", word);
            assert_true(has_word(grammar, word, length));
            count++;
          }
        }
        open = list ? strchr(close + 1, '"') : NULL;
      }
    }
  }
  return count;
}

static void test_grammar(void **state) {
  (void)state;
  static const char *const sources[] = {
      "src/rule/parse.c",       "src/rule/parse_law.c",      "src/rule/parse_orbit.c",   "src/rule/parse_rule.c",
      "src/rule/parse_value.c", "src/rule/elaborate_call.c", "src/rule/apply_function.c"};
  char *grammar = read_source("editors/cleave-rules/syntaxes/cleave-rule.tmLanguage.json");
  uint32_t count = 0;
  for (uint32_t k = 0; k < sizeof sources / sizeof *sources; k++) {
    char *source = read_source(sources[k]);
    count += check_words(source, grammar);
    free(source);
  }
  assert_true(count > 60);
  for (uint32_t dim = 0; dim < 4; dim++) {
    char scope[64];
    snprintf(scope, sizeof scope, "keyword.operator.arc.dimension-%u.rule", dim);
    assert_non_null(strstr(grammar, scope));
  }
  free(grammar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pictures),
      cmocka_unit_test(test_what_is_shown),
      cmocka_unit_test(test_layout),
      cmocka_unit_test(test_crowd),
      cmocka_unit_test(test_lists),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_explain_rule),
      cmocka_unit_test(test_explain_law),
      cmocka_unit_test(test_pictures_of_laws),
      cmocka_unit_test(test_library_files),
      cmocka_unit_test(test_library),
      cmocka_unit_test(test_memory),
      cmocka_unit_test(test_grammar),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
