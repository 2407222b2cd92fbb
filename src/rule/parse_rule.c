// Topological rules and scripts.

#include "rule/parse.h"

// (a:<0,1>, b:<0,1>, k)
static rule_tree *parse_parameters(rule_parser *p) {
  rule_trees list = {0};
  const uint32_t start = p->token.start;
  rule_expect(p, "(", "before the parameters");
  while (!p->failed && !rule_at(p, ")")) {
    const uint32_t at = p->token.start;
    const char *name = rule_take_name(p, "the name of a parameter");
    rule_tree *word = rule_take(p, ":") ? rule_parse_word(p) : rule_make_none(p);
    rule_add(p, &list, rule_make(p, RULE_PARAMETER, at, name, 0, RULE_CHILDREN(word)));
    if (!rule_take(p, ",")) break;
  }
  rule_expect(p, ")", "behind the parameters");
  return rule_finish(p, RULE_LIST, start, NULL, 0, &list);
}

static rule_tree *parse_node(rule_parser *p) {
  const uint32_t start = p->token.start;
  const char *name = rule_take_name(p, "a node");
  rule_tree *word = rule_take(p, ":") ? rule_parse_word(p) : rule_make_none(p);
  return rule_make(p, RULE_NODE, start, name, 0, RULE_CHILDREN(word));
}

// -0-, -0^(k+1)-, -3?-
static rule_tree *parse_arc(rule_parser *p) {
  const uint32_t start = p->token.start;
  rule_expect(p, "-", "before the dimension of an arc");
  rule_tree *letter = rule_parse_letter(p);
  const double optional = rule_take(p, "?");
  rule_expect(p, "-", "behind the dimension of an arc");
  return rule_make(p, RULE_ARC, start, NULL, optional, RULE_CHILDREN(letter));
}

static bool at_assignment(const rule_parser *p) {
  const rule_token behind = rule_lex(p->program, p->file, p->token.end);
  const char *text = p->program->files.data[p->file].text + behind.start;
  if (behind.kind != RULE_SIGN) return false;
  return text[0] == '.' || (text[0] == ':' && text[1] == '=');
}

// z := value; or z.column := value;
static rule_tree *parse_graph_value(rule_parser *p) {
  const uint32_t start = p->token.start;
  const char *name = rule_take_name(p, "a node");
  rule_tree *target = rule_make(p, RULE_NAME, start, name, 0, 0, NULL);
  if (rule_take(p, ".")) {
    const char *column = rule_take_name(p, "an embedding");
    target = rule_make(p, RULE_FIELD, start, column, 0, RULE_CHILDREN(target));
  }
  rule_expect(p, ":=", "before the value");
  rule_tree *value = rule_parse_value(p);
  return rule_make(p, RULE_ASSIGN, start, NULL, 0, RULE_CHILDREN(target, value));
}

static rule_tree *parse_chain(rule_parser *p) {
  rule_trees parts = {0};
  const uint32_t start = p->token.start;
  rule_add(p, &parts, parse_node(p));
  while (!p->failed && rule_at(p, "-")) {
    rule_add(p, &parts, parse_arc(p));
    rule_add(p, &parts, parse_node(p));
  }
  return rule_finish(p, RULE_CHAIN, start, NULL, 0, &parts);
}

static rule_tree *parse_graph(rule_parser *p, const char *side) {
  rule_trees parts = {0};
  const uint32_t start = p->token.start;
  rule_expect(p, side, "in the rule");
  rule_expect(p, "{", "before the graph");
  while (!p->failed && !rule_at(p, "}")) {
    rule_add(p, &parts, at_assignment(p) ? parse_graph_value(p) : parse_chain(p));
    if (!rule_take(p, ";") && !rule_at(p, "}")) rule_expect(p, ";", "behind each part of the graph");
  }
  rule_expect(p, "}", "behind the graph");
  return rule_finish(p, RULE_GRAPH, start, NULL, 0, &parts);
}

static rule_tree *parse_guards(rule_parser *p) {
  rule_trees guards = {0};
  const uint32_t start = p->token.start;
  if (rule_take(p, "where")) {
    do rule_add(p, &guards, rule_parse_value(p));
    while (rule_take(p, ","));
  }
  return rule_finish(p, RULE_LIST, start, NULL, 0, &guards);
}

// rank value: of several places the one where it is greatest comes first.
static rule_tree *parse_rank(rule_parser *p) {
  return rule_take(p, "rank") ? rule_parse_value(p) : rule_make_none(p);
}

static rule_tree *parse_inverse(rule_parser *p, uint32_t start, const char *name) {
  rule_trees none = {0};
  rule_expect(p, "inverse", "before the rule that is turned round");
  const uint32_t at = p->token.start;
  const char *of = rule_take_name(p, "the name of a rule");
  rule_tree *rule = rule_make(p, RULE_NAME, at, of, 0, 0, NULL);
  rule_tree *relations =
      rule_take(p, "|") ? rule_parse_relations(p) : rule_finish(p, RULE_LIST, p->token.start, NULL, 0, &none);
  rule_expect(p, ";", "at the end of the rule");
  return rule_make(p, RULE_INVERSE, start, name, 0, RULE_CHILDREN(rule, relations));
}

rule_tree *rule_parse_rule(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of the rule");
  if (rule_take(p, "=")) return parse_inverse(p, start, name);
  rule_tree *parameters = parse_parameters(p);
  rule_tree *guards = parse_guards(p), *rank = parse_rank(p);
  rule_expect(p, "{", "before the two sides");
  rule_tree *left = parse_graph(p, "left");
  rule_tree *right = parse_graph(p, "right");
  rule_expect(p, "}", "behind the two sides");
  return rule_make(p, RULE_RULE, start, name, 0, RULE_CHILDREN(parameters, guards, left, right, rank));
}

static rule_tree *parse_statement(rule_parser *p);

static rule_tree *parse_block(rule_parser *p) {
  rule_trees statements = {0};
  const uint32_t start = p->token.start;
  const bool in = rule_enter(p);
  if (rule_take(p, "{")) {
    while (in && !p->failed && !rule_at(p, "}")) rule_add(p, &statements, parse_statement(p));
    rule_expect(p, "}", "behind the last statement");
  } else if (in) {
    rule_add(p, &statements, parse_statement(p));
  }
  rule_leave(p);
  return rule_finish(p, RULE_BLOCK, start, NULL, 0, &statements);
}

static rule_tree *parse_else(rule_parser *p) {
  return rule_take(p, "else") ? parse_block(p) : rule_make_none(p);
}

static rule_tree *parse_name(rule_parser *p, const char *what) {
  const uint32_t at = p->token.start;
  const char *name = rule_take_name(p, what);
  return rule_make(p, RULE_NAME, at, name, 0, 0, NULL);
}

// for d, e in cyclic(path) { }
static rule_tree *parse_cyclic(rule_parser *p, uint32_t start, rule_tree *first) {
  rule_tree *second = parse_name(p, "a second variable");
  rule_tree *names = rule_make(p, RULE_LIST, start, NULL, 0, RULE_CHILDREN(first, second));
  rule_expect(p, "in", "behind the variables");
  rule_expect(p, "cyclic", "before the path");
  rule_expect(p, "(", "before the path");
  rule_tree *path = parse_name(p, "a path");
  rule_expect(p, ")", "behind the path");
  rule_tree *block = parse_block(p);
  return rule_make(p, RULE_FOR_CYCLIC, start, NULL, 0, RULE_CHILDREN(names, path, block));
}

// for e:<0> in <0,1>(f) { }, for e in <1>(f) { }, for d in path { }
static rule_tree *parse_for(rule_parser *p, uint32_t start) {
  rule_tree *variable = parse_name(p, "a variable");
  if (rule_take(p, ",")) return parse_cyclic(p, start, variable);
  rule_tree *orbit = rule_take(p, ":") ? rule_parse_orbit(p) : rule_make_none(p);
  rule_expect(p, "in", "behind the variable");
  rule_tree *of = rule_parse_value(p);
  rule_tree *block = parse_block(p);
  return rule_make(p, RULE_FOR, start, variable ? variable->name : NULL, 0, RULE_CHILDREN(orbit, of, block));
}

static rule_tree *parse_if(rule_parser *p, uint32_t start) {
  rule_tree *condition = rule_parse_value(p);
  rule_tree *block = parse_block(p);
  rule_tree *other = parse_else(p);
  return rule_make(p, RULE_IF, start, NULL, 0, RULE_CHILDREN(condition, block, other));
}

static rule_tree *parse_try(rule_parser *p, uint32_t start) {
  rule_tree *block = parse_block(p);
  rule_tree *other = parse_else(p);
  return rule_make(p, RULE_TRY, start, NULL, 0, RULE_CHILDREN(block, other));
}

static rule_tree *parse_require(rule_parser *p, uint32_t start) {
  rule_tree *condition = rule_parse_value(p);
  rule_tree *text;
  const uint32_t at = p->token.start;
  if (rule_take(p, ",") && p->token.kind == RULE_STRING_TOKEN && !p->failed) {
    const uint32_t from = p->token.start + 1, size = p->token.end - p->token.start;
    const char *inside = p->program->files.data[p->file].text + from;
    const char *name = rule_intern(p->program, inside, size >= 2 ? size - 2 : 0);
    rule_advance(p);
    text = rule_make(p, RULE_STRING, at, name, 0, 0, NULL);
  } else {
    text = rule_make_none(p);
  }
  rule_expect(p, ";", "behind the condition");
  return rule_make(p, RULE_REQUIRE, start, NULL, 0, RULE_CHILDREN(condition, text));
}

static rule_tree *parse_return(rule_parser *p, uint32_t start) {
  rule_tree *value = rule_at(p, ";") ? rule_make_none(p) : rule_parse_value(p);
  rule_expect(p, ";", "behind return");
  return rule_make(p, RULE_RETURN, start, NULL, 0, RULE_CHILDREN(value));
}

static rule_tree *parse_script_let(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "a name");
  rule_expect(p, "=", "before the value");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "behind the value");
  return rule_make(p, RULE_LET, start, name, 0, RULE_CHILDREN(value));
}

// rule(a, b); or x.column = value;
static rule_tree *parse_action(rule_parser *p, uint32_t start) {
  rule_tree *value = rule_parse_value(p);
  if (!p->failed && value && value->kind == RULE_CALL) {
    rule_expect(p, ";", "behind the call");
    return rule_make(p, RULE_CALL_STATEMENT, start, NULL, 0, RULE_CHILDREN(value));
  }
  if (!rule_at(p, "="))
    rule_fail(p, "'='", "a statement is for, if, try, require, return, let, a call or x.column = value");
  rule_take(p, "=");
  rule_tree *given = rule_parse_value(p);
  rule_expect(p, ";", "behind the value");
  return rule_make(p, RULE_ASSIGN, start, NULL, 0, RULE_CHILDREN(value, given));
}

static rule_tree *parse_statement(rule_parser *p) {
  const uint32_t start = p->token.start;
  if (rule_take(p, "for")) return parse_for(p, start);
  if (rule_take(p, "if")) return parse_if(p, start);
  if (rule_take(p, "try")) return parse_try(p, start);
  if (rule_take(p, "require")) return parse_require(p, start);
  if (rule_take(p, "return")) return parse_return(p, start);
  if (rule_take(p, "let")) return parse_script_let(p, start);
  if (rule_at(p, "{")) return parse_block(p);
  return parse_action(p, start);
}

rule_tree *rule_parse_script(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of the script");
  rule_tree *parameters = parse_parameters(p), *rank = parse_rank(p);
  if (!p->failed && !rule_at(p, "{")) rule_expect(p, "{", "before the statements");
  rule_tree *block = parse_block(p);
  return rule_make(p, RULE_SCRIPT, start, name, 0, RULE_CHILDREN(parameters, block, rank));
}
