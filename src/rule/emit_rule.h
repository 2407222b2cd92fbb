// From topological rules to C.
//
// Inside a plain template cell everything a rule looks for is a constant of the shape: which darts are its positions,
// which its nodes, whether its words and relations hold. So the text of a rule has tables, one row for each dart of
// each template it matches at, made by matching the rule's inner part on a lone cell; there matching is a look-up. What
// lies beyond the cell, and cells that are no templates, are matched link by link in straight code. Guards that speak
// of darts and levels become conditions; the others are left to the evaluator. The writes are a line each.

#ifndef RULE_EMIT_RULE_H
#define RULE_EMIT_RULE_H

#include "rule/emit.h"
#include "rule/graph.h"
#include "rule/machine.h"

// Appends CLV_RULE(match2), (guard2), (write2), and the same with 3, as far as the rule serves. Whoever compiles the
// text defines CLV_RULE. False when memory is out.
bool emit_rule(emit_text *text, const clv_program *program, const rule_graph *graph);

#endif
