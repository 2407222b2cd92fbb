// Values by brute force: what is accepted as the same from every dart of an orbit is the same.
//
// Random expressions over the left side of a few rules, half of them made symmetric on purpose, are given to the prover
// of check E, and evaluated on random maps by an evaluator of a few lines. Where the prover says that a value does not
// change across a column, it does not, at any position.

#include "rule/symmetry.h"
#include "support/naive_rule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAPS = 12, VALUES = 800, TRIES = 6 };

static naive_map maps[2][MAPS]; // by dimension - 2

static const char declarations[] =
    "embed heat:real on vertex = 0;\nembed stiff:real on edge = 0;\n"
    "embed mark:real on face = 0;\nembed share:real on edge&cell = 0;\n"
    "embed turn:real on <2> = 0;\ndef mid(x,y) = 0.5*(x.heat+y.heat);\n"
    "def ends(x) = mid(x, x@0)*x.stiff;\n"
    "def rim(x) = sum(e:<2> in <1,2>(x)) free(e,2)*e@0.heat;\ndef round(v) = mean(v:<1> in <0,1>(v)) v.heat;\n"
    "def spread(x,y) = sum(v:<1> in <0,1>(x)) abs(v.heat-y.heat);\n";

static const struct {
  const char *head, *nodes;
} rules[] = {
    {"rule r(a:<0,2,3>) { left{a;} right{a; ", "a"},
    {"rule r(a:<0,1,3>) { left{a;} right{a; ", "a"},
    {"rule r(a:<0,1,2,3>) { left{a;} right{a; ", "a"},
    {"rule r(a:<0,1>) { left{a-3-b:<0,1>;} right{a-3-b; ", "ab"},
    {"rule r(a:<0>) { left{a-2-b:<0>;} right{a-2-b; ", "ab"},
    {"rule r(a:<1,2>) { left{a-0-b:<_,2>-1-c:<0,_>;} right{a-0-b-1-c; ", "abc"},
    {"rule r(a:<1,2|(12)^3>) { left{a;} right{a; ", "a"},
    {"rule r(a:<3>, b:<3>) { left{a-1-c:<3>; b-1-d:<3>;} right{a-1-c; b-1-d; ", "abcd"},
};
enum { RULE_COUNT = sizeof rules / sizeof *rules };

// Random text

typedef struct text {
  size_t length;
  char data[4000];
} text;

static void put(text *out, const char *format, ...) CLV_PRINTF(2, 3);
static void put(text *out, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int written = vsnprintf(out->data + out->length, sizeof out->data - out->length, format, list);
  va_end(list);
  assert_true(written >= 0 && out->length + (size_t)written < sizeof out->data);
  out->length += (size_t)written;
}

static void put_steps(text *out, random_source *source, uint32_t most) {
  for (uint32_t k = random_below(source, most + 1); k > 0; k--) put(out, "@%u", random_below(source, 4));
}

static const char *random_field(random_source *source) {
  static const char *const fields[] = {"heat", "heat", "stiff", "mark", "share", "turn"};
  return fields[random_below(source, sizeof fields / sizeof *fields)];
}

static void put_orbit(text *out, random_source *source) {
  static const char *const orbits[] = {"<1>",   "<0>",   "<2>",   "<3>",     "<2,3>",
                                       "<1,2>", "<0,1>", "<0,2>", "<1,2,3>", "<0,3>"};
  put(out, "%s", orbits[random_below(source, sizeof orbits / sizeof *orbits)]);
}

static char random_node(random_source *source, const char *nodes) {
  return nodes[random_below(source, (uint32_t)strlen(nodes))];
}

// f(x, x@l), where x is a node and both lead on in the same way.
static void put_pair(text *out, random_source *source, const char *nodes) {
  static const char *const forms[][3] = {{"mean(", ", ", ")"}, {"(", " + ", ")"},    {"(", "*", ")"},
                                         {"max(", ", ", ")"},  {"abs(", " - ", ")"}, {"(", " - ", ")"}};
  const char *const *form = forms[random_below(source, sizeof forms / sizeof *forms)];
  const char node = random_node(source, nodes);
  text steps = {0};
  put_steps(&steps, source, 2);
  const char *field = random_field(source);
  put(out, "%s%c%s.%s%s", form[0], node, steps.data, field, form[1]);
  put(out, "%c@%u%s.%s%s", node, random_below(source, 4), steps.data, field, form[2]);
}

static void put_reduction(text *out, random_source *source, const char *nodes) {
  static const char *const names[] = {"mean", "sum", "count"};
  put(out, "%s(v:", names[random_below(source, 3)]);
  put_orbit(out, source);
  put(out, " in ");
  if (random_chance(source, 60)) {
    put_orbit(out, source);
    put(out, "(%c", random_node(source, nodes));
    put_steps(out, source, 1);
    put(out, ")");
  } else {
    put(out, "%c", nodes[0]);
  }
  put(out, ") v");
  put_steps(out, source, 2);
  put(out, ".%s", random_field(source));
}

static void put_call(text *out, random_source *source, const char *nodes) {
  const char node = random_node(source, nodes);
  switch (random_below(source, 6)) {
  case 0:
    put(out, "mid(%c, %c@%u)", node, node, random_below(source, 4));
    break;
  case 1:
    put(out, "ends(%c)", node);
    break;
  case 2:
    put(out, "(rim(%c) + free(%c,%u))", node, node, random_below(source, 4));
    break;
  case 3:
    put(out, "mean(round(%c), round(%c@%u))", node, node, random_below(source, 4));
    break;
  case 4:
    put(out, "mean(v:<2> in <1,2>(%c)) (spread(v, v@%u) + round(v))", node, random_below(source, 4));
    break;
  default:
    put(out, "sum(f:<%u> in <1,2>(%c)) mean(v:<2> in <0,2>(f)) abs(f@%u.heat-v.heat)", random_below(source, 3), node,
        random_below(source, 4));
  }
}

static void put_value(text *out, random_source *source, const char *nodes, uint32_t depth) {
  switch (random_below(source, depth ? 8 : 5)) {
  case 0:
    put(out, "%c", random_node(source, nodes));
    put_steps(out, source, 3);
    put(out, ".%s", random_field(source));
    break;
  case 1:
    put_call(out, source, nodes);
    break;
  case 2:
  case 3:
    put_pair(out, source, nodes);
    break;
  case 4:
    put_reduction(out, source, nodes);
    break;
  default:
    put(out, random_chance(source, 50) ? "(" : "mean(");
    const bool mean = out->data[out->length - 2] == 'n';
    put_value(out, source, nodes, depth - 1);
    put(out, mean ? ", " : random_chance(source, 50) ? " + " : " * ");
    put_value(out, source, nodes, depth - 1);
    put(out, ")");
  }
}

// The evaluator

typedef struct place {
  const clv_program *program;
  const naive_match *match;
  uint32_t position, dimension, variables;
  struct {
    const char *name;
    const rule_tree *tree; // an argument, or NULL: a dart
    uint16_t dart;
  } variable[16];
} place;

static uint32_t flood(const naive_map *map, uint32_t dims, uint16_t dart, uint16_t *orbit) {
  static bool seen[NAIVE_DARTS];
  uint32_t count = 0;
  orbit[count++] = dart;
  seen[dart] = true;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < 4; i++) {
      const uint16_t next = map->alpha[i][orbit[k]];
      if (!(dims >> i & 1) || seen[next]) continue;
      seen[next] = true;
      orbit[count++] = next;
    }
  for (uint32_t k = 0; k < count; k++) seen[orbit[k]] = false;
  return count;
}

static uint16_t least(const naive_map *map, uint32_t dims, uint16_t dart) {
  static uint16_t orbit[NAIVE_DARTS];
  const uint32_t count = flood(map, dims, dart, orbit);
  uint16_t least = dart;
  for (uint32_t k = 0; k < count; k++)
    if (orbit[k] < least) least = orbit[k];
  return least;
}

static uint32_t dims_of(const rule_tree *orbit, uint32_t dimension) {
  static const struct {
    const char *name;
    uint32_t dims[2];
  } names[] = {{"vertex", {6, 14}}, {"edge", {5, 13}}, {"face", {3, 11}}, {"cell", {3, 7}}};
  uint32_t dims = 0;
  if (orbit->child[0]->kind == RULE_LETTER) {
    for (uint32_t k = 0; k < orbit->count; k++) dims |= 1u << (uint32_t)orbit->child[k]->number;
    return dims;
  }
  dims = 15;
  for (uint32_t k = 0; k < orbit->child[0]->count; k++)
    for (uint32_t n = 0; n < 4; n++)
      if (!strcmp(names[n].name, orbit->child[0]->child[k]->name)) dims &= names[n].dims[dimension - 2];
  return dims;
}

static uint16_t dart_of(place *p, const rule_tree *tree) {
  if (tree->kind == RULE_STEP)
    return p->match->map->alpha[(uint32_t)tree->child[1]->number][dart_of(p, tree->child[0])];
  assert_int_equal(tree->kind, RULE_NAME);
  for (uint32_t k = p->variables; k > 0; k--) {
    if (p->variable[k - 1].name != tree->name) continue;
    if (!p->variable[k - 1].tree) return p->variable[k - 1].dart;
    const uint32_t variables = p->variables;
    p->variables = k - 1;
    const uint16_t dart = dart_of(p, p->variable[k - 1].tree);
    p->variables = variables;
    return dart;
  }
  for (uint32_t k = 0; k < p->match->graph->node_count; k++)
    if (p->match->graph->node[k].name == tree->name) return p->match->dart[p->position][k];
  fail_msg("'%s' is no dart", tree->name);
  return 0;
}

// A number that only the orbit has.
static double value_at(const place *p, const char *name, uint16_t dart) {
  const rule_tree *embed = rule_declaration(p->program, name);
  random_source hash = {least(p->match->map, dims_of(embed->child[1], p->dimension), dart) * 64u + (uint8_t)name[0]};
  return 1 + (double)random_below(&hash, 1000) / 1000;
}

static double evaluate(place *p, const rule_tree *tree);

static double evaluate_reduce(place *p, const rule_tree *tree) {
  uint16_t orbit[NAIVE_DARTS], firsts[NAIVE_DARTS];
  const naive_map *map = p->match->map;
  const uint32_t own = dims_of(tree->child[0]->child[0], p->dimension);
  const rule_tree *of = tree->child[1];
  uint32_t count = 0, parts = 0;
  if (of->kind == RULE_WITHIN) {
    count = flood(map, dims_of(of->child[0], p->dimension), dart_of(p, of->child[1]), orbit);
  } else {
    const uint32_t position = p->position;
    for (p->position = 0; p->position < p->match->count; p->position++) orbit[count++] = dart_of(p, of);
    p->position = position;
  }
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint16_t first = least(map, own, orbit[k]);
    uint32_t j = 0;
    while (j < parts && firsts[j] != first) j++;
    if (j < parts) continue;
    firsts[parts++] = first;
    p->variable[p->variables].name = tree->child[0]->name;
    p->variable[p->variables].tree = NULL;
    p->variable[p->variables++].dart = orbit[k]; // any dart of the sub-orbit: the first that is met
    if (tree->name[0] != 'c') sum += evaluate(p, tree->child[2]);
    p->variables--;
  }
  return tree->name[0] == 'c' ? parts : tree->name[0] == 'm' ? sum / parts : sum;
}

static double evaluate_call(place *p, const rule_tree *tree) {
  const rule_tree *def = rule_declaration(p->program, tree->name);
  if (def) {
    const uint32_t outer = p->variables;
    uint16_t darts[4];
    for (uint32_t k = 0; k < tree->count; k++) darts[k] = dart_of(p, tree->child[k]);
    for (uint32_t k = 0; k < tree->count; k++) {
      p->variable[p->variables].name = def->child[0]->child[k]->name;
      p->variable[p->variables].tree = NULL;
      p->variable[p->variables++].dart = darts[k];
    }
    const double value = evaluate(p, def->child[1]);
    p->variables = outer;
    return value;
  }
  if (!strcmp(tree->name, "free")) {
    const uint16_t dart = dart_of(p, tree->child[0]);
    return p->match->map->alpha[(uint32_t)tree->child[1]->number][dart] == dart;
  }
  const double x = evaluate(p, tree->child[0]);
  if (!strcmp(tree->name, "abs")) return fabs(x);
  const double y = evaluate(p, tree->child[1]);
  return !strcmp(tree->name, "mean") ? (x + y) / 2 : fmax(x, y);
}

static double evaluate(place *p, const rule_tree *tree) {
  switch (tree->kind) {
  case RULE_NUMBER:
    return tree->number;
  case RULE_FIELD:
    return value_at(p, tree->name, dart_of(p, tree->child[0]));
  case RULE_CALL:
    return evaluate_call(p, tree);
  case RULE_REDUCE:
    return evaluate_reduce(p, tree);
  case RULE_BINARY: {
    const double x = evaluate(p, tree->child[0]), y = evaluate(p, tree->child[1]);
    return tree->name[0] == '+' ? x + y : tree->name[0] == '-' ? x - y : x * y;
  }
  default:
    fail_msg("a tree of kind %d", (int)tree->kind);
    return 0;
  }
}

// The mill

typedef struct tally {
  uint64_t proved, compared, refused, refused_same;
} tally;

// True when the value is the same across the column, wherever the rule matches in random places.
static bool same_in_maps(random_source *source, const clv_program *program, const rule_graph *graph,
                         const rule_tree *value, uint32_t column, uint32_t dimension, uint64_t *compared) {
  static naive_match match;
  bool same = true;
  for (uint32_t tries = 0; tries < TRIES; tries++) {
    const naive_map *map = &maps[dimension - 2][random_below(source, MAPS)];
    uint16_t hooks[RULE_PARAMETERS];
    for (uint32_t h = 0; h < graph->hook_count; h++) hooks[h] = (uint16_t)random_below(source, map->count);
    if (!naive_find(&match, map, graph, hooks)) continue;
    place p = {.program = program, .match = &match, .dimension = dimension};
    double values[NAIVE_POSITIONS];
    for (p.position = 0; p.position < match.count; p.position++) values[p.position] = evaluate(&p, value);
    for (uint32_t q = 0; q < match.count; q++) {
      const double other = values[match.across[q][column]];
      if (fabs(values[q] - other) > 1e-9 * (fabs(values[q]) + 1)) same = false;
      ++*compared;
    }
  }
  return same;
}

static void try_value(random_source *source, const text *rule, tally *t) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "random.rule", rule->data, rule->length), CLV_OK);
  assert_int_equal(program->findings.count, 0);
  const rule_graph *graph = rule_graph_make(program, program->declarations.data[program->declarations.count - 1]);
  assert_non_null(graph);
  const rule_tree *value = graph->values[0].value;
  for (uint32_t dimension = 2; dimension <= 3; dimension++)
    for (uint32_t m = 0; m < graph->columns && rule_graph_serves(graph, dimension); m++) {
      const bool proved = rule_value_symmetric(program, graph, value, m, CLV_VERTEX, dimension);
      uint64_t compared = 0;
      const bool same = same_in_maps(source, program, graph, value, m, dimension, &compared);
      if (proved && !same) fail_msg("not the same across letter %u in %uD:\n%s", m + 1, dimension, rule->data);
      t->proved += proved && compared;
      t->compared += proved ? compared : 0;
      t->refused += !proved && compared;
      t->refused_same += !proved && compared && same;
    }
  clv_program_destroy(program);
}

static void symmetric_values_are_the_same(void **state) {
  (void)state;
  random_source source = {11};
  tally t = {0};
  for (uint32_t d = 2; d <= 3; d++)
    for (uint32_t k = 0; k < MAPS; k++) naive_random(&maps[d - 2][k], d, &source);
  for (uint32_t k = 0; k < VALUES; k++) {
    const uint32_t r = random_below(&source, RULE_COUNT);
    text rule = {0};
    put(&rule, "%s%sa.heat := ", declarations, rules[r].head);
    put_value(&rule, &source, rules[r].nodes, 1);
    put(&rule, "; } }\n");
    try_value(&source, &rule, &t);
  }
  print_message("%lu proved, %lu values compared; %lu not proved, %lu of them the same in these maps\n",
                (unsigned long)t.proved, (unsigned long)t.compared, (unsigned long)t.refused,
                (unsigned long)t.refused_same);
  assert_true(t.proved >= 500 && t.compared >= 10000);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(symmetric_values_are_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
