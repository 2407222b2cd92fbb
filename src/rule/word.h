// Words over the columns of a rule: when is a walk over positions sure to come back?
//
// Positions are permuted by one involution per column. What is known of them is a list of equations: letters that
// commute, the declared relations, and what the left side says wherever it matches, because the map it matches is
// sound. A word is trivial when these equations turn it into the empty one. The search is bounded and every step of it
// is an equation, so that `true` is a proof and `false` means "not proved".

#ifndef RULE_WORD_H
#define RULE_WORD_H

#include "rule/graph.h"

enum { RULE_WORD_LENGTH = 8, RULE_RELATOR_LENGTH = 16, RULE_RELATORS = 64 };

typedef struct rule_word {
  uint8_t length, column[RULE_WORD_LENGTH];
} rule_word;

typedef struct rule_relator {
  uint8_t length, column[RULE_RELATOR_LENGTH];
} rule_relator;

typedef struct rule_group {
  bool commute[RULE_LETTERS][RULE_LETTERS];
  uint32_t relator_count;
  rule_relator relator[RULE_RELATORS]; // words that are known to be trivial
} rule_group;

void rule_group_make(rule_group *group, const rule_graph *graph);
bool rule_word_trivial(const rule_group *group, rule_word word);

// A walk from a node over what one side says. A step fails where nothing certain is said, or the word grows too long.
typedef struct rule_walker {
  uint8_t node;
  rule_word word;
} rule_walker;

bool rule_walker_step(const rule_graph *graph, int side, rule_walker *walker, uint32_t dim);
// Steps i, j, i, j.
bool rule_walker_round(const rule_graph *graph, int side, rule_walker *walker, uint32_t i, uint32_t j);

#endif
