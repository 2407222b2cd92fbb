// The inverse of a rule: its sides change places.
//
// A hook's word must be full, and what was full on the left of a rule need not be so on its right: each component of
// the new left side takes the rule's own hook if it can, and otherwise its first node with a full word. Values,
// guards and the rank speak of what the rule does forwards and are left behind.

#include "rule/graph_private.h"

#define FOUND(maker, span, ...) ((maker)->failed = true, rule_complain((maker)->program, 'S', (span), __VA_ARGS__))

enum { INVERSE_DEPTH = 8 };

static bool make_original(graph_maker *maker, const rule_tree *rule, uint32_t depth) {
  const rule_tree *name = rule->child[0];
  const rule_tree *declaration = rule_declaration(maker->program, name->name);
  if (!declaration || (declaration->kind != RULE_RULE && declaration->kind != RULE_INVERSE)) {
    FOUND(maker, name->span, "there is no rule '%.60s'|name a topological rule of this program", name->name);
    return false;
  }
  if (declaration == rule || depth >= INVERSE_DEPTH) {
    FOUND(maker, name->span,
          "rule '%.60s' is an inverse of inverses without end, or of too many|write one of the rules out", rule->name);
    return false;
  }
  if (!rule_graph_build(maker->program, declaration, depth + 1, maker->graph)) maker->failed = true;
  maker->graph->name = rule->name;
  maker->graph->tree = rule;
  maker->graph->inverse_of = declaration;
  return !maker->failed;
}

static void swap_sides(rule_graph *graph) {
  for (uint32_t k = 0; k < graph->node_count; k++) {
    rule_node *node = &graph->node[k];
    const rule_side left = node->side[RULE_LEFT];
    node->side[RULE_LEFT] = node->side[RULE_RIGHT];
    node->side[RULE_RIGHT] = left;
    for (int which = RULE_LEFT; which <= RULE_RIGHT; which++) node->side[which].has_word = node->side[which].present;
    node->hook = -1;
    memset(node->opens, 0, sizeof node->opens);
  }
  memset(graph->opens, 0, sizeof graph->opens);
}

static uint32_t missing_letters(const rule_graph *graph, uint32_t node) {
  uint32_t missing = 0;
  for (uint32_t k = 0; k < graph->columns; k++) missing += graph->node[node].side[RULE_LEFT].word[k].dim < 0;
  return missing;
}

static void add_hook(graph_maker *maker, uint32_t node) {
  rule_graph *graph = maker->graph;
  if (graph->hook_count == RULE_PARAMETERS) {
    FOUND(maker, graph->tree->span, "the inverse has more than %d hooks|split the rule", RULE_PARAMETERS);
    return;
  }
  const uint32_t hook = graph->hook_count++;
  graph->hook[hook] = (uint8_t)node;
  graph->node[node].hook = (int8_t)hook;
  memcpy(graph->hook_word[hook], graph->node[node].side[RULE_LEFT].word, sizeof graph->hook_word[hook]);
}

// The hook of the component that `first` lies in, unless it has one.
static void choose_hook(graph_maker *maker, int8_t *of, uint32_t first) {
  rule_graph *graph = maker->graph;
  if (of[first] >= 0 || maker->failed) return;
  const int8_t component = (int8_t)graph->hook_count;
  rule_graph_flood(graph, first, of, component, true);
  uint32_t best = first;
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (of[k] == component && missing_letters(graph, k) < missing_letters(graph, best)) best = k;
  if (missing_letters(graph, best) == 0)
    add_hook(maker, best);
  else
    FOUND(maker, graph->tree->span,
          "the inverse of '%.60s' has no hook: no word on its right is full|the nearest is that of '%.60s'; write the "
          "inverse out",
          graph->inverse_of->name, graph->node[best].name);
}

static void choose_hooks(graph_maker *maker) {
  rule_graph *graph = maker->graph;
  const uint32_t old_count = graph->hook_count;
  uint8_t old[RULE_PARAMETERS];
  int8_t of[RULE_NODES];
  memcpy(old, graph->hook, sizeof old);
  memset(of, -1, sizeof of);
  graph->hook_count = 0;
  for (uint32_t h = 0; h < old_count; h++)
    if (graph->node[old[h]].side[RULE_LEFT].present) choose_hook(maker, of, old[h]);
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (graph->node[k].side[RULE_LEFT].present) choose_hook(maker, of, k);
  if (graph->hook_count == 0 && !maker->failed)
    FOUND(maker, graph->tree->span, "the inverse of '%.60s' has no hook: its right side is empty|write the inverse out",
          graph->inverse_of->name);
}

// Parameters: the hooks, then the levels, whose numbers change.

static rule_letter renumber(rule_letter letter, const int8_t *number) {
  if (letter.level >= 0) letter.level = number[letter.level];
  return letter;
}

static void renumber_levels(rule_graph *graph, const int8_t *number) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (int which = RULE_LEFT; which <= RULE_RIGHT; which++) {
      rule_side *side = &graph->node[k].side[which];
      for (uint32_t m = 0; m < RULE_LETTERS; m++) side->word[m] = renumber(side->word[m], number);
      for (uint32_t i = 0; i < RULE_DIMS; i++) side->tie[i].letter = renumber(side->tie[i].letter, number);
    }
}

static void make_parameters(graph_maker *maker) {
  rule_graph *graph = maker->graph;
  const uint32_t old_count = graph->parameter_count;
  rule_parameter old[RULE_PARAMETERS];
  int8_t number[RULE_PARAMETERS];
  uint32_t count = 0;
  memcpy(old, graph->parameter, sizeof old);
  memset(number, -1, sizeof number);
  for (; count < graph->hook_count; count++)
    graph->parameter[count] =
        (rule_parameter){graph->node[graph->hook[count]].name, (int8_t)graph->hook[count], graph->tree->span};
  for (uint32_t k = 0; k < old_count; k++) {
    if (old[k].hook >= 0) continue;
    if (count == RULE_PARAMETERS) {
      FOUND(maker, graph->tree->span, "the inverse has more than %d parameters|split the rule", RULE_PARAMETERS);
      return;
    }
    number[k] = (int8_t)count;
    graph->parameter[count++] = old[k];
  }
  graph->parameter_count = (uint8_t)count;
  renumber_levels(graph, number);
  for (uint32_t h = 0; h < graph->hook_count; h++)
    memcpy(graph->hook_word[h], graph->node[graph->hook[h]].side[RULE_LEFT].word, sizeof graph->hook_word[h]);
}

void rule_graph_make_inverse(graph_maker *maker, const rule_tree *rule, uint32_t depth) {
  rule_graph *graph = maker->graph;
  if (!make_original(maker, rule, depth)) return;
  graph->relation_count = 0;
  graph->values = NULL;
  graph->value_count = 0;
  graph->explicit_3 = false;
  graph->rank = NULL;
  graph->guards = rule_tree_make(maker->program, RULE_LIST, rule->span, NULL, 0, NULL, 0);
  if (!graph->guards) maker->failed = true;
  swap_sides(graph);
  choose_hooks(maker);
  if (!maker->failed) make_parameters(maker);
  if (!maker->failed) rule_graph_relations(maker, 0, rule->child[1]);
  rule_graph_settle(maker);
}
