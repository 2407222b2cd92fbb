// What a rule comes to speak of: by itself, and by the rules, scripts and definitions it calls.

#include "rule/graph.h"
#include "rule/program.h"

enum { NOT_REACHED, REACHED, READ };

static bool is_column(const rule_tree *tree) {
  return tree->kind == RULE_EMBED || tree->kind == RULE_DERIVE;
}

// Columns are spoken of as fields, everything else by its bare name.
static void reach_name(const clv_program *program, const rule_tree *tree, uint8_t *reached) {
  const rule_tree *declaration = rule_declaration(program, tree->name);
  if (!declaration || is_column(declaration) != (tree->kind == RULE_FIELD)) return;
  for (uint32_t k = 0; k < program->declarations.count; k++)
    if (program->declarations.data[k] == declaration && reached[k] == NOT_REACHED) reached[k] = REACHED;
}

static bool names_something(rule_kind kind) {
  return kind == RULE_NAME || kind == RULE_CALL || kind == RULE_FIELD;
}

static void reach_tree(const clv_program *program, const rule_tree *tree, uint8_t *reached) {
  if (!rule_there(tree)) return;
  if (names_something(tree->kind)) reach_name(program, tree, reached);
  for (uint32_t k = 0; k < tree->count; k++) reach_tree(program, tree->child[k], reached);
}

static bool is_called(const rule_tree *tree) {
  return tree->kind == RULE_RULE || tree->kind == RULE_INVERSE || tree->kind == RULE_SCRIPT || tree->kind == RULE_DEF;
}

void rule_reach(const clv_rule *rule, uint8_t *reached) {
  const clv_program *program = rule->program;
  memset(reached, NOT_REACHED, program->declarations.count);
  reach_tree(program, rule->graph ? rule->graph->tree : rule->script, reached);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < program->declarations.count; k++) {
      const rule_tree *tree = program->declarations.data[k];
      if (reached[k] != REACHED) continue;
      reached[k] = READ;
      more = true;
      if (is_called(tree)) reach_tree(program, tree, reached);
    }
  }
}
