// What the checks of topological rules and scripts share.

#ifndef RULE_CHECK_H
#define RULE_CHECK_H

#include "rule/word.h"

typedef struct rule_checker {
  clv_program *program;
  const rule_graph *graph;
  bool failed;
} rule_checker;

// Records a finding of a graph; what is wrong in an inverse is told where the inverse is declared.
#define RULE_FOUND(checker, code, span, ...)                                                                           \
  ((checker)->failed = true,                                                                                           \
   rule_complain((checker)->program, (code), rule_place_of((checker)->graph, (span)), __VA_ARGS__))

static inline rule_span rule_place_of(const rule_graph *graph, rule_span span) {
  return graph->inverse_of ? graph->tree->span : span;
}

// Whether the link ai of a kept node is the same on both sides.
static inline bool rule_link_kept(const rule_node *node, uint32_t i) {
  const rule_tie left = node->side[RULE_LEFT].tie[i], right = node->side[RULE_RIGHT].tie[i];
  if (!rule_tie_is_link(left) || !rule_tie_is_link(right)) return rule_tie_is_link(left) == rule_tie_is_link(right);
  return left.known == right.known && left.at == right.at;
}

void rule_check_incident(rule_checker *checker); // I
void rule_check_cycles(rule_checker *checker);   // C
void rule_check_values(rule_checker *checker);   // E, and the names in guards and values

#endif
