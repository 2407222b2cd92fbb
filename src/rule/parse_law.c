// Force rules and updates.

#include "rule/parse.h"

static rule_tree *parse_item(rule_parser *p);

static rule_tree *parse_one_value(rule_parser *p, rule_kind kind, uint32_t start) {
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "behind the value");
  return rule_make(p, kind, start, NULL, 0, RULE_CHILDREN(value));
}

static rule_tree *parse_let(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "a name");
  rule_expect(p, "=", "before the value");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "behind the value");
  return rule_make(p, RULE_LET, start, name, 0, RULE_CHILDREN(value));
}

static rule_tree *parse_local_def(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of a function");
  rule_tree *names = rule_parse_names(p);
  rule_expect(p, "=", "before the function's value");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "behind the value");
  return rule_make(p, RULE_LOCAL_DEF, start, name, 0, RULE_CHILDREN(names, value));
}

// force x@0 = value; or force(c in f) = value;
static rule_tree *parse_push(rule_parser *p, uint32_t start) {
  const char *name = NULL;
  rule_tree *target;
  if (rule_take(p, "(")) {
    name = rule_take_name(p, "a variable for the corners");
    rule_expect(p, "in", "before the cell");
    const uint32_t at = p->token.start;
    const char *cell = rule_take_name(p, "the cell");
    target = rule_make(p, RULE_NAME, at, cell, 0, 0, NULL);
    rule_expect(p, ")", "behind the cell");
  } else {
    target = rule_parse_value(p);
  }
  rule_expect(p, "=", "before the force");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "behind the force");
  return rule_make(p, name ? RULE_PUSH_EACH : RULE_PUSH, start, name, 0, RULE_CHILDREN(target, value));
}

// over q in t { items }; sum q in f { items } has number 1: reference points instead of rest ones.
static rule_tree *parse_over(rule_parser *p, uint32_t start, double number) {
  rule_trees items = {0};
  const char *name = rule_take_name(p, "a variable for the points");
  rule_expect(p, "in", "before the cell that is gone over");
  const uint32_t at = p->token.start;
  const char *cell = rule_take_name(p, "the cell");
  rule_add(p, &items, rule_make(p, RULE_NAME, at, cell, 0, 0, NULL));
  rule_expect(p, "{", "behind the cell");
  const bool in = rule_enter(p);
  while (in && !p->failed && !rule_at(p, "}")) rule_add(p, &items, parse_item(p));
  rule_leave(p);
  rule_expect(p, "}", "behind the last item");
  return rule_finish(p, RULE_OVER, start, name, number, &items);
}

static rule_tree *parse_psd(rule_parser *p, uint32_t start) {
  static const char *const words[] = {"clamp", "abs", "gauss_newton", "none"};
  bool known = false;
  for (uint32_t k = 0; k < sizeof words / sizeof *words; k++) known = known || rule_at(p, words[k]);
  if (!known) rule_fail(p, "'clamp', 'abs', 'gauss_newton' or 'none'", "say how the stiffness is made positive");
  const char *name = rule_take_name(p, "a word");
  rule_expect(p, ";", "behind it");
  return rule_make(p, RULE_PSD, start, name, 0, 0, NULL);
}

static rule_tree *parse_assign(rule_parser *p, uint32_t start) {
  rule_tree *target = rule_parse_value(p);
  if (!rule_at(p, "="))
    rule_fail(p, "'='", "an item is where, let, def, energy, dissipation, force, over, sum, psd or x.column = value");
  rule_take(p, "=");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "behind the value");
  return rule_make(p, RULE_ASSIGN, start, NULL, 0, RULE_CHILDREN(target, value));
}

static rule_tree *parse_item(rule_parser *p) {
  const uint32_t start = p->token.start;
  if (rule_take(p, "where")) return parse_one_value(p, RULE_WHERE, start);
  if (rule_take(p, "let")) return parse_let(p, start);
  if (rule_take(p, "def")) return parse_local_def(p, start);
  if (rule_take(p, "energy")) return parse_one_value(p, RULE_ENERGY, start);
  if (rule_take(p, "dissipation")) return parse_one_value(p, RULE_DISSIPATION, start);
  if (rule_take(p, "force")) return parse_push(p, start);
  if (rule_take(p, "over")) return parse_over(p, start, 0);
  if (rule_take(p, "sum")) return parse_over(p, start, 1);
  if (rule_take(p, "psd")) return parse_psd(p, start);
  return parse_assign(p, start);
}

rule_tree *rule_parse_law(rule_parser *p, rule_kind kind, uint32_t start) {
  rule_trees parts = {0}, words = {0};
  const char *name = rule_take_name(p, "the name of the rule");
  rule_expect(p, "on", "before the orbit the rule stands on");
  rule_add(p, &parts, rule_parse_place(p));
  const uint32_t at = p->token.start;
  while (rule_at(p, "oriented") || rule_at(p, "external")) {
    const uint32_t word_at = p->token.start;
    const char *word = rule_take_name(p, "a word");
    rule_add(p, &words, rule_make(p, RULE_NAME, word_at, word, 0, 0, NULL));
  }
  rule_add(p, &parts, rule_finish(p, RULE_LIST, at, NULL, 0, &words));
  rule_expect(p, "{", "before the items of the rule");
  while (!p->failed && !rule_at(p, "}")) rule_add(p, &parts, parse_item(p));
  rule_expect(p, "}", "behind the last item");
  return rule_finish(p, kind, start, name, 0, &parts);
}
