// Expressions. From loose to tight: ||, &&, comparisons and `in`, + and -, * and /, unary - and !, ^, then steps,
// fields, indices and transposes behind a value.

#include "rule/parse.h"

#include <stdlib.h>

typedef rule_tree *parse_function(rule_parser *p);

static rule_tree *parse_unary(rule_parser *p);

static rule_tree *make_binary(rule_parser *p, uint32_t start, const char *sign, rule_tree *a, rule_tree *b) {
  return rule_make(p, RULE_BINARY, start, rule_intern(p->program, sign, strlen(sign)), 0, RULE_CHILDREN(a, b));
}

// operand { sign operand }, to the left.
static rule_tree *parse_chain(rule_parser *p, const char *const *signs, parse_function *operand) {
  const uint32_t start = p->token.start;
  rule_tree *left = operand(p);
  for (;;) {
    const char *sign = NULL;
    for (uint32_t k = 0; signs[k] && !sign; k++)
      if (rule_take(p, signs[k])) sign = signs[k];
    if (!sign || p->failed) return left;
    rule_tree *right = operand(p);
    left = make_binary(p, start, sign, left, right);
  }
}

static rule_tree *parse_number(rule_parser *p) {
  const uint32_t start = p->token.start;
  const char *text = rule_token_name(p);
  rule_advance(p);
  return rule_make(p, RULE_NUMBER, start, text, text ? strtod(text, NULL) : 0, 0, NULL);
}

// (a) is a; (a, b, c) a vector.
static rule_tree *parse_brackets(rule_parser *p) {
  rule_trees parts = {0};
  const uint32_t start = p->token.start;
  rule_expect(p, "(", "here");
  do rule_add(p, &parts, rule_parse_value(p));
  while (rule_take(p, ","));
  rule_expect(p, ")", "behind the value");
  if (parts.count == 1) {
    rule_tree *only = parts.data[0];
    BASE_RELEASE(&p->program->arena.allocator, &parts);
    return only;
  }
  return rule_finish(p, RULE_VECTOR, start, NULL, 0, &parts);
}

static bool behind_is(const rule_parser *p, uint32_t at, const char *sign) {
  const rule_token token = rule_lex(p->program, p->file, at);
  const char *text = p->program->files.data[p->file].text;
  return token.kind == RULE_SIGN && token.end - token.start == strlen(sign) &&
         memcmp(text + token.start, sign, token.end - token.start) == 0;
}

// True at `sum(c:`, `mean(v:`: a reduction, not a call.
static bool at_reduction(const rule_parser *p) {
  static const char *const names[] = {"sum", "mean", "max", "min", "count"};
  bool named = false;
  for (uint32_t k = 0; k < sizeof names / sizeof *names; k++) named = named || rule_at(p, names[k]);
  if (!named) return false;
  const rule_token open = rule_lex(p->program, p->file, p->token.end);
  if (!behind_is(p, p->token.end, "(")) return false;
  const rule_token name = rule_lex(p->program, p->file, open.end);
  return name.kind == RULE_WORD_TOKEN && behind_is(p, name.end, ":");
}

// True at `sum q in`: over points; alone, `sum` is a name like any other.
static bool at_points(const rule_parser *p) {
  if (!rule_at(p, "sum")) return false;
  const rule_token name = rule_lex(p->program, p->file, p->token.end);
  const rule_token in = rule_lex(p->program, p->file, name.end);
  const char *text = p->program->files.data[p->file].text;
  return name.kind == RULE_WORD_TOKEN && in.kind == RULE_WORD_TOKEN && in.end - in.start == 2 &&
         memcmp(text + in.start, "in", 2) == 0;
}

static bool begins_value(const rule_parser *p) {
  if (p->failed) return false;
  if (p->token.kind == RULE_WORD_TOKEN) return !rule_at(p, "until") && !rule_at(p, "in");
  return p->token.kind == RULE_NUMBER_TOKEN || rule_at(p, "(") || rule_at(p, "-") || rule_at(p, "!");
}

// sum(c:<1,2> in t) product. Without `in` the orbit of the row itself; without a product the variable itself.
static rule_tree *parse_reduction(rule_parser *p) {
  const uint32_t start = p->token.start;
  const char *name = rule_take_name(p, "a reduction");
  rule_expect(p, "(", "before the variable");
  rule_tree *place = rule_parse_place(p);
  rule_tree *of = rule_take(p, "in") ? rule_parse_value(p) : rule_make_none(p);
  rule_expect(p, ")", "behind what is gone over");
  rule_tree *value;
  if (begins_value(p) && !rule_at(p, "-"))
    value = rule_parse_product(p);
  else
    value = rule_make(p, RULE_NAME, start, place ? place->name : NULL, 0, 0, NULL);
  return rule_make(p, RULE_REDUCE, start, name, 0, RULE_CHILDREN(place, of, value));
}

// over q in t value; sum q in t value has number 1: reference points instead of rest ones.
static rule_tree *parse_quadrature(rule_parser *p, double number) {
  const uint32_t start = p->token.start;
  rule_advance(p);
  const char *name = rule_take_name(p, "a variable for the points");
  rule_expect(p, "in", "before the cell that is gone over");
  const uint32_t at = p->token.start;
  const char *cell_name = rule_take_name(p, "the cell");
  rule_tree *cell = rule_make(p, RULE_NAME, at, cell_name, 0, 0, NULL);
  rule_tree *value = rule_parse_value(p);
  return rule_make(p, RULE_QUADRATURE, start, name, number, RULE_CHILDREN(cell, value));
}

// walk(d; @2@1; until free(d,3))
static rule_tree *parse_walk(rule_parser *p) {
  const uint32_t start = p->token.start;
  rule_advance(p);
  rule_expect(p, "(", "behind walk");
  const char *name = rule_take_name(p, "a dart");
  rule_expect(p, ";", "behind the dart");
  rule_tree *steps = rule_parse_steps(p);
  rule_expect(p, ";", "behind the steps");
  rule_expect(p, "until", "before the condition");
  rule_tree *condition = rule_parse_value(p);
  rule_expect(p, ")", "behind the condition");
  return rule_make(p, RULE_WALK, start, name, 0, RULE_CHILDREN(steps, condition));
}

// <0,1>(a)
static rule_tree *parse_within(rule_parser *p) {
  const uint32_t start = p->token.start;
  rule_tree *orbit = rule_parse_orbit(p);
  rule_expect(p, "(", "before the dart whose orbit is meant");
  rule_tree *dart = rule_parse_value(p);
  rule_expect(p, ")", "behind the dart");
  return rule_make(p, RULE_WITHIN, start, NULL, 0, RULE_CHILDREN(orbit, dart));
}

rule_tree *rule_parse_call(rule_parser *p, const char *name, uint32_t start) {
  rule_trees arguments = {0};
  rule_expect(p, "(", "before the arguments");
  while (!p->failed && !rule_at(p, ")")) {
    rule_add(p, &arguments, rule_parse_value(p));
    if (!rule_take(p, ",")) break;
  }
  rule_expect(p, ")", "behind the arguments");
  return rule_finish(p, RULE_CALL, start, name, 0, &arguments);
}

static rule_tree *parse_atom(rule_parser *p) {
  const uint32_t start = p->token.start;
  if (p->failed) return NULL;
  if (p->token.kind == RULE_NUMBER_TOKEN) return parse_number(p);
  if (rule_at(p, "(")) return parse_brackets(p);
  if (at_reduction(p)) return parse_reduction(p);
  if (rule_at(p, "over")) return parse_quadrature(p, 0);
  if (at_points(p)) return parse_quadrature(p, 1);
  if (rule_at(p, "walk") && behind_is(p, p->token.end, "(")) return parse_walk(p);
  if (rule_at(p, "<")) return parse_within(p);
  if (p->token.kind != RULE_WORD_TOKEN) {
    rule_fail(p, "a value", "a value is a name, a number, a call or something in brackets");
    return NULL;
  }
  const char *name = rule_take_name(p, "a value");
  if (rule_at(p, "(")) return rule_parse_call(p, name, start);
  return rule_make(p, RULE_NAME, start, name, 0, 0, NULL);
}

static rule_tree *parse_index(rule_parser *p, uint32_t start, rule_tree *value) {
  rule_tree *first = rule_parse_value(p);
  rule_tree *second = rule_take(p, ",") ? rule_parse_value(p) : rule_make_none(p);
  rule_expect(p, "]", "behind the index");
  return rule_make(p, RULE_INDEX, start, NULL, 0, RULE_CHILDREN(value, first, second));
}

static rule_tree *parse_postfix(rule_parser *p) {
  const uint32_t start = p->token.start;
  rule_tree *value = parse_atom(p);
  while (!p->failed) {
    if (rule_at(p, "@")) {
      const rule_tree *steps = rule_parse_steps(p);
      for (uint32_t k = 0; steps && !p->failed && k < steps->count; k++)
        value = rule_make(p, RULE_STEP, start, NULL, 0, RULE_CHILDREN(value, steps->child[k]));
    } else if (rule_take(p, ".")) {
      const char *name = rule_take_name(p, "the name of a field");
      value = rule_make(p, RULE_FIELD, start, name, 0, RULE_CHILDREN(value));
    } else if (rule_take(p, "[")) {
      value = parse_index(p, start, value);
    } else if (rule_take(p, "'")) {
      value = rule_make(p, RULE_TRANSPOSE, start, NULL, 0, RULE_CHILDREN(value));
    } else {
      break;
    }
  }
  return value;
}

static rule_tree *parse_power(rule_parser *p) {
  const uint32_t start = p->token.start;
  rule_tree *base = parse_postfix(p);
  if (!rule_take(p, "^")) return base;
  rule_tree *power = parse_unary(p);
  return make_binary(p, start, "^", base, power);
}

static rule_tree *parse_unary(rule_parser *p) {
  const uint32_t start = p->token.start;
  if (!rule_at(p, "-") && !rule_at(p, "!")) return parse_power(p);
  const char *sign = rule_token_name(p);
  rule_advance(p);
  rule_tree *value = rule_enter(p) ? parse_unary(p) : NULL;
  rule_leave(p);
  return rule_make(p, RULE_UNARY, start, sign, 0, RULE_CHILDREN(value));
}

rule_tree *rule_parse_product(rule_parser *p) {
  static const char *const signs[] = {"*", "/", NULL};
  return parse_chain(p, signs, parse_unary);
}

static rule_tree *parse_sum(rule_parser *p) {
  static const char *const signs[] = {"+", "-", NULL};
  return parse_chain(p, signs, rule_parse_product);
}

static rule_tree *parse_comparison(rule_parser *p) {
  static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
  const uint32_t start = p->token.start;
  rule_tree *left = parse_sum(p);
  if (rule_at(p, "in") && behind_is(p, p->token.end, "<")) {
    rule_advance(p);
    rule_tree *within = parse_within(p);
    return rule_make(p, RULE_IN, start, NULL, 0, RULE_CHILDREN(left, within));
  }
  for (uint32_t k = 0; k < sizeof signs / sizeof *signs; k++) {
    if (!rule_take(p, signs[k])) continue;
    rule_tree *right = parse_sum(p);
    return make_binary(p, start, signs[k], left, right);
  }
  return left;
}

static rule_tree *parse_and(rule_parser *p) {
  static const char *const signs[] = {"&&", NULL};
  return parse_chain(p, signs, parse_comparison);
}

rule_tree *rule_parse_value(rule_parser *p) {
  static const char *const signs[] = {"||", NULL};
  rule_tree *value = rule_enter(p) ? parse_chain(p, signs, parse_and) : NULL;
  rule_leave(p);
  return value;
}
