// Check O, the part that a graph knows by itself: which links below the map's own dimension n may be left free.
//
// A cell complex has only an free. A rule opens a cell where it writes a loop i < n that was not there, or an entry
// i < n in a column whose letter is n: wherever an is free, ai becomes a loop. Neither breaks the map, and a script may
// close what a rule opened; so this is a mark, tested where the rule is applied, and a finding only when nobody can
// close it (rule_open_check).

#include "rule/graph_private.h"

static bool column_is(const rule_graph *graph, uint32_t column, uint32_t dim) {
  for (uint32_t h = 0; h < graph->hook_count; h++)
    if (graph->hook_word[h][column].dim == (int8_t)dim) return true;
  return false;
}

static bool same_tie(rule_tie a, rule_tie b) {
  return a.known == b.known && a.at == b.at && a.letter.level == b.letter.level;
}

static bool may_open(const rule_graph *graph, uint32_t node, uint32_t i, uint32_t n) {
  const rule_tie left = graph->node[node].side[RULE_LEFT].tie[i], right = graph->node[node].side[RULE_RIGHT].tie[i];
  if (!rule_tie_is_link(right) || same_tie(left, right)) return false;
  if (right.known == RULE_ARC_TO) return right.at == node;
  if (right.known == RULE_PERHAPS) return true;
  return column_is(graph, right.at, n);
}

// Dimensions below that of every map the rule serves.
static uint32_t inner_dims(const rule_graph *graph) {
  return rule_graph_serves(graph, 2) ? 2 : 3;
}

// Whether the right side has a loop that was not there.
static bool opens_at(const rule_graph *graph, uint32_t node, uint32_t i) {
  const rule_tie left = graph->node[node].side[RULE_LEFT].tie[i], right = graph->node[node].side[RULE_RIGHT].tie[i];
  return right.known == RULE_ARC_TO && right.at == node && !same_tie(left, right);
}

uint32_t rule_graph_opens(const rule_graph *graph, rule_span *where) {
  uint32_t dims = 0;
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < inner_dims(graph); i++) {
      if (!opens_at(graph, k, i)) continue;
      if (!dims) *where = graph->node[k].side[RULE_RIGHT].tie[i].span;
      dims |= 1u << i;
    }
  return dims;
}

bool rule_graph_leaves_open(const rule_graph *graph, uint32_t dimension) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < dimension && !graph->node[k].piece; i++)
      if (opens_at(graph, k, i)) return true;
  return false;
}

uint32_t rule_graph_closes(const rule_graph *graph) {
  uint32_t dims = 0;
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < 3; i++) {
      const rule_tie left = graph->node[k].side[RULE_LEFT].tie[i], right = graph->node[k].side[RULE_RIGHT].tie[i];
      if (left.known == RULE_ARC_TO && left.at == k && !same_tie(left, right)) dims |= 1u << i;
    }
  return dims;
}

void rule_graph_mark_open(rule_graph *graph) {
  for (uint32_t n = 2; n <= 3; n++)
    for (uint32_t k = 0; k < graph->node_count; k++)
      for (uint32_t i = 0; i < n; i++) {
        if (!rule_graph_serves(graph, n) || !graph->node[k].side[RULE_RIGHT].present) continue;
        if (!may_open(graph, k, i, n)) continue;
        graph->node[k].opens[n - 2] |= (uint8_t)(1u << i);
        graph->opens[n - 2] |= (uint8_t)(1u << i);
      }
}

// Whether some script of the program calls a rule.
static bool calls(const rule_tree *tree, const char *name, uint32_t depth) {
  if (tree->kind == RULE_CALL && tree->name == name) return true;
  if (depth == 0) return false;
  for (uint32_t k = 0; k < tree->count; k++)
    if (calls(tree->child[k], name, depth - 1)) return true;
  return false;
}

bool rule_open_check(clv_program *program, const rule_graph *graph) {
  rule_span where;
  if (!rule_graph_opens(graph, &where)) return true;
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree->kind == RULE_SCRIPT && calls(tree, graph->name, 400)) return true;
  }
  rule_complain(
      program, 'O', graph->inverse_of ? graph->tree->span : where,
      "rule '%.60s' leaves a cell open, and no script applies it|only the map's own dimension may be free: close "
      "it, or use the rule in a script that does",
      graph->name);
  return false;
}
