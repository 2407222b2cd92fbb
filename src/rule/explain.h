// What a declaration does, in words.

#ifndef RULE_EXPLAIN_H
#define RULE_EXPLAIN_H

#include "rule/draw.h"

// "rule", "force" ...: what a declaration is called.
const char *rule_declaration_word(const rule_tree *declaration);

// An orbit as it is written: "vertex <1,2,3>", "edge&cell", or its dimensions alone.
void explain_orbit(rule_text *out, clv_orbit orbit);

// What some rules together may do to orbits, to the program's embeddings and to its forces; and one rule, with its head
// (explain_graph.c).
enum { EXPLAIN_RULES = 64 };
typedef struct explain_deed {
  const rule_graph *graph[EXPLAIN_RULES];
  uint32_t count;
} explain_deed;
void explain_effects(const clv_program *program, const explain_deed *deed, rule_text *out);
void explain_graph(const clv_program *program, const rule_graph *graph, rule_text *out);
// Which of several places comes first.
void explain_rank(const clv_program *program, const rule_tree *rank, rule_text *out);
// A force, update or derived quantity (explain_law.c).
void explain_law(const clv_program *program, const rule_tree *tree, rule_text *out);

#endif
