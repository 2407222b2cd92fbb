// What the makers of graphs share.

#ifndef RULE_GRAPH_PRIVATE_H
#define RULE_GRAPH_PRIVATE_H

#include "rule/graph.h"

typedef struct graph_maker {
  clv_program *program;
  rule_graph *graph;
  bool failed; // something was found
} graph_maker;

// The number of a node, -1 when the graph has none of that name.
int rule_graph_node(const rule_graph *graph, const char *name);
// Makes ties of the words of a graph whose nodes, arcs and hooks are known, and settles it: components, pieces, marks.
void rule_graph_finish(graph_maker *maker);
void rule_graph_settle(graph_maker *maker);
// Gives `value` to every node without one (-1) that hangs on node `from` on the left.
void rule_graph_flood(const rule_graph *graph, uint32_t from, int8_t *of, int8_t value, bool optional);
// The relations of one hook's word.
void rule_graph_relations(graph_maker *maker, uint32_t hook, const rule_tree *relations);
// The letter of a tree: a dimension, `_`, or 0 at a level.
rule_letter rule_graph_letter(graph_maker *maker, const rule_tree *tree);

void rule_graph_make_inverse(graph_maker *maker, const rule_tree *rule, uint32_t depth);
// Makes a graph where it is to lie. False when anything was found.
bool rule_graph_build(clv_program *program, const rule_tree *rule, uint32_t depth, rule_graph *graph);

// Which dimensions i < n may be left free, node by node (check O).
void rule_graph_mark_open(rule_graph *graph);

// Dimensions that a rule leaves free wherever it is applied, below that of any map; `where` is the first such loop.
uint32_t rule_graph_opens(const rule_graph *graph, rule_span *where);
// Dimensions whose free ends a rule takes away: what a script closes cells with.
uint32_t rule_graph_closes(const rule_graph *graph);

#endif
