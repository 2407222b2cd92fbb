// Check E: every orbit that a rule makes has a value of every embedding, one, and the same from whichever of its darts
// one looks; and the names in guards, ranks and values.
//
// Which orbits a rule makes is seen on the right side alone: nodes joined by arcs of an orbit's dimensions belong to
// one orbit at each position, and when all of them are new, so is the orbit.

#include "rule/check.h"
#include "rule/orbit.h"
#include "rule/scope.h"
#include "rule/symmetry.h"

// Embeddings

static bool blends(const rule_tree *embed) {
  const rule_tree *policies = embed->child[3];
  for (uint32_t k = 0; k < policies->count; k++)
    if (strcmp(policies->child[k]->name, "blend") == 0) return true;
  return false;
}

// `z := value` is for the embeddings of vertices that blend.
static bool value_is_for(const clv_program *program, const rule_value *value, const rule_tree *embed, uint32_t dims,
                         uint32_t dimension) {
  if (value->column) return rule_declaration(program, value->column) == embed;
  return blends(embed) && dims == (CLV_VERTEX & ((2u << dimension) - 1u));
}

static const char *orbit_name(uint32_t dims, uint32_t dimension) {
  const uint32_t all = (2u << dimension) - 1u;
  return dims == (CLV_VERTEX & all)   ? "vertex"
         : dims == (CLV_EDGE & all)   ? "edge"
         : dims == (CLV_FACE & all)   ? "face"
         : dims == (CLV_VOLUME & all) ? "volume"
                                      : "orbit";
}

// One class of nodes that share an orbit

static bool class_is_new(const rule_graph *graph, const uint8_t *class, uint32_t number) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (class[k] == number && graph->node[k].side[RULE_LEFT].present) return false;
  return true;
}

static bool in_library(const clv_program *program, rule_span span) {
  return program->files.data[span.file].module;
}

static void complain_missing(rule_checker *checker, const rule_tree *embed, uint32_t node, const char *orbit) {
  const rule_graph *graph = checker->graph;
  const char *name = graph->node[node].name;
  if (in_library(checker->program, graph->tree->span) && !in_library(checker->program, embed->span)) {
    checker->failed = true;
    rule_complain(checker->program, 'E', embed->span,
                  "embedding '%.60s' says nothing of new orbits, and rule '%.60s' makes some|add '= value' or 'blend'",
                  embed->name, graph->name);
    return;
  }
  RULE_FOUND(checker, 'E', graph->node[node].side[RULE_RIGHT].span,
             "the new %s at node '%.60s' has no '%.60s'|add '%.60s.%.60s := value' on the right, or a default to the "
             "embedding",
             orbit, name, embed->name, name, embed->name);
}

// The columns along which an orbit goes on, as bits; all of them when it leaves the rule.
static uint32_t columns_of_class(const rule_graph *graph, const uint8_t *class, uint32_t number, uint32_t dims) {
  uint32_t columns = 0;
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < RULE_DIMS && class[k] == number; i++) {
      if (!(dims >> i & 1)) continue;
      const rule_tie tie = graph->node[k].side[RULE_RIGHT].tie[i];
      if (!rule_tie_is_link(tie)) return (1u << graph->columns) - 1u;
      if (tie.known == RULE_ALONG) columns |= 1u << tie.at;
    }
  return columns;
}

static void check_symmetry(rule_checker *checker, const rule_value *value, uint32_t columns, uint32_t dims,
                           uint32_t dimension, const char *orbit) {
  const rule_graph *graph = checker->graph;
  for (uint32_t m = 0; m < graph->columns; m++) {
    if (!(columns >> m & 1)) continue;
    if (rule_value_symmetric(checker->program, graph, value->value, m, dims, dimension)) continue;
    RULE_FOUND(checker, 'E', value->value->span,
               "this value depends on the dart one starts from|the %s at '%.60s' goes on along letter %u of the hook's "
               "word: use what is the same from there, such as mean(a, a@%d)",
               orbit, graph->node[value->node].name, (unsigned)m + 1, graph->hook_word[0][m].dim);
    return;
  }
}

static void check_class(rule_checker *checker, const rule_tree *embed, const uint8_t *class, uint32_t node,
                        uint32_t dims, uint32_t dimension) {
  const rule_graph *graph = checker->graph;
  const uint32_t number = class[node];
  const char *orbit = orbit_name(dims, dimension);
  const rule_value *first = NULL;
  for (uint32_t k = 0; k < graph->value_count; k++) {
    const rule_value *value = &graph->values[k];
    if (class[value->node] != number || !value_is_for(checker->program, value, embed, dims, dimension)) continue;
    if (first)
      RULE_FOUND(
          checker, 'E', value->tree->span,
          "'%.60s' of this %s is given twice|node '%.60s' has it already, and '%.60s' is in the same %s: give it once",
          embed->name, orbit, graph->node[first->node].name, graph->node[value->node].name, orbit);
    first = value;
    check_symmetry(checker, value, columns_of_class(graph, class, number, dims), dims, dimension, orbit);
  }
  if (!first && class_is_new(graph, class, number) && !rule_there(embed->child[2]) && !blends(embed))
    complain_missing(checker, embed, node, orbit);
}

static void check_embedding(rule_checker *checker, const rule_tree *embed, uint32_t dimension) {
  const rule_graph *graph = checker->graph;
  const uint32_t dims = rule_orbit_dims(embed->child[1], dimension);
  uint8_t class[RULE_NODES];
  rule_orbit_classes(graph, RULE_RIGHT, dims, true, class);
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (graph->node[k].side[RULE_RIGHT].present && class[k] == k)
      check_class(checker, embed, class, k, dims, dimension);
}

// Names

static void check_names(rule_checker *checker) {
  const rule_graph *graph = checker->graph;
  rule_scope scope = {.program = checker->program, .graph = graph};
  for (uint32_t k = 0; k < graph->guards->count; k++)
    rule_value_check(&scope, graph->guards->child[k], RULE_SORT_VALUE);
  if (graph->rank) rule_value_check(&scope, graph->rank, RULE_SORT_VALUE);
  for (uint32_t k = 0; k < graph->value_count; k++) {
    const rule_value *value = &graph->values[k];
    const rule_tree *column = value->column ? rule_declaration(checker->program, value->column) : NULL;
    if (value->column && (!column || column->kind != RULE_EMBED))
      RULE_OBJECT(&scope, 'S', value->tree->child[0]->span,
                  "there is no embedding '%.60s'|declare it: embed %.60s:real on vertex;", value->column,
                  value->column);
    scope.blend = !value->column;
    rule_value_check(&scope, value->value, RULE_SORT_VALUE);
  }
  checker->failed = checker->failed || scope.failed;
  rule_scope_free(&scope);
}

void rule_check_values(rule_checker *checker) {
  const clv_program *program = checker->program;
  check_names(checker);
  for (uint32_t dimension = 2; dimension <= 3 && !checker->failed; dimension++)
    for (uint32_t k = 0; k < program->declarations.count && rule_graph_serves(checker->graph, dimension); k++)
      if (program->declarations.data[k]->kind == RULE_EMBED)
        check_embedding(checker, program->declarations.data[k], dimension);
}
