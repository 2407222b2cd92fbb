#include "rule/apply_plan.h"

bool apply_tie_changes(const rule_node *node, uint32_t i) {
  const rule_tie *left = &node->side[RULE_LEFT].tie[i], *right = &node->side[RULE_RIGHT].tie[i];
  if (right->known == RULE_UNKNOWN || right->letter.level >= 0) return false;
  return rule_node_created(node) || left->known != right->known || left->at != right->at || left->letter.level >= 0;
}

bool apply_changes_inside(const rule_node *node, uint32_t dimension) {
  bool changes = false;
  for (uint32_t i = 0; i < dimension; i++) changes = changes || apply_tie_changes(node, i);
  return changes;
}

uint8_t apply_plan_columns(const rule_graph *graph, uint32_t dimension, int16_t *column, uint8_t *entry) {
  uint8_t columns = 0;
  for (uint32_t e = 0; e < RULE_LETTERS; e++) column[e] = -1;
  for (uint32_t e = 0; e < graph->columns; e++) {
    if (graph->hook_word[0][e].dim > (int32_t)dimension) continue;
    column[e] = columns;
    entry[columns++] = (uint8_t)e;
  }
  return columns;
}

static bool find_reach(const rule_graph *graph, uint32_t dimension, const bool *known, rule_known sort,
                       apply_reach *found) {
  for (uint32_t v = 0; v < graph->node_count; v++) {
    if (known[v] || !graph->node[v].side[RULE_LEFT].present) continue;
    for (uint32_t i = 0; i <= dimension; i++) {
      const rule_tie tie = graph->node[v].side[RULE_LEFT].tie[i];
      if (tie.known != sort || tie.at == v || !known[tie.at]) continue;
      *found = (apply_reach){(uint8_t)v, tie.at, (uint8_t)i, sort == RULE_PERHAPS, tie.letter};
      found->letter.dim = (int8_t)i;
      return true;
    }
  }
  return false;
}

uint32_t apply_plan_reaches(const rule_graph *graph, uint32_t dimension, apply_reach *reaches) {
  bool known[RULE_NODES] = {false};
  uint32_t count = 0;
  for (uint32_t h = 0; h < graph->hook_count; h++) known[graph->hook[h]] = true;
  while (find_reach(graph, dimension, known, RULE_ARC_TO, &reaches[count]) ||
         find_reach(graph, dimension, known, RULE_PERHAPS, &reaches[count]))
    known[reaches[count++].node] = true;
  return count;
}

static bool find_descent(const rule_graph *graph, const bool *known, apply_descent *found) {
  for (uint32_t v = 0; v < graph->node_count; v++)
    for (uint32_t i = 0; !known[v] && i < RULE_DIMS; i++) {
      const rule_tie tie = graph->node[v].side[RULE_RIGHT].tie[i];
      if (tie.known != RULE_ARC_TO || tie.at == v || !known[tie.at]) continue;
      *found = (apply_descent){(uint8_t)v, (int8_t)tie.at};
      return true;
    }
  for (uint32_t v = 0; v < graph->node_count; v++)
    if (!known[v]) {
      *found = (apply_descent){(uint8_t)v, -1};
      return true;
    }
  return false;
}

uint32_t apply_plan_descents(const rule_graph *graph, apply_descent *descents) {
  bool known[RULE_NODES] = {false};
  uint32_t count = 0;
  for (uint32_t v = 0; v < graph->node_count; v++) known[v] = !rule_node_created(&graph->node[v]);
  while (find_descent(graph, known, &descents[count])) known[descents[count++].node] = true;
  return count;
}
