// Orbits, words, places, types and units.

#include "rule/parse.h"

#include <stdlib.h>

static double digit_at(const rule_parser *p, uint32_t at) {
  return p->program->files.data[p->file].text[at] - '0';
}

// The level behind ^: a parameter, a number, or a sum of both in brackets.
static rule_tree *parse_level(rule_parser *p) {
  const uint32_t start = p->token.start;
  if (rule_take(p, "(")) {
    rule_tree *level = rule_parse_value(p);
    rule_expect(p, ")", "behind the level");
    return level;
  }
  if (p->token.kind == RULE_NUMBER_TOKEN) {
    const char *text = rule_token_name(p);
    rule_advance(p);
    return rule_make(p, RULE_NUMBER, start, text, text ? strtod(text, NULL) : 0, 0, NULL);
  }
  const char *name = rule_take_name(p, "a level");
  return rule_make(p, RULE_NAME, start, name, 0, 0, NULL);
}

// The letters of one number token, each digit one, with a level behind the last.
static void parse_digits(rule_parser *p, rule_trees *letters) {
  const uint32_t start = p->token.start, end = p->token.end;
  if (p->failed) return;
  for (uint32_t at = start; at < end; at++) {
    const double digit = digit_at(p, at);
    if (!(digit >= 0 && digit <= 3)) {
      p->token.start = at;
      p->token.end = at + 1;
      rule_fail(p, "a dimension", "dimensions are 0, 1, 2 and 3");
      return;
    }
  }
  rule_advance(p);
  for (uint32_t at = start; at < end; at++) {
    rule_tree *level = at + 1 == end && rule_take(p, "^") ? parse_level(p) : rule_make_none(p);
    rule_tree *letter = rule_make(p, RULE_LETTER, at, NULL, digit_at(p, at), RULE_CHILDREN(level));
    if (letter && !rule_there(level)) letter->span.end = at + 1;
    rule_add(p, letters, letter);
  }
}

rule_tree *rule_parse_letter(rule_parser *p) {
  const uint32_t start = p->token.start;
  if (rule_take(p, "_")) {
    rule_tree *level = rule_make_none(p);
    return rule_make(p, RULE_LETTER, start, NULL, -1, RULE_CHILDREN(level));
  }
  if (p->token.kind != RULE_NUMBER_TOKEN || p->token.end - p->token.start != 1) {
    rule_fail(p, "a dimension", "dimensions are 0, 1, 2 and 3, or _ for a removed one");
    return NULL;
  }
  rule_trees letters = {0};
  parse_digits(p, &letters);
  rule_tree *letter = letters.count ? letters.data[0] : NULL;
  BASE_RELEASE(&p->program->arena.allocator, &letters);
  return letter;
}

rule_tree *rule_parse_steps(rule_parser *p) {
  rule_trees letters = {0};
  const uint32_t start = p->token.start;
  while (rule_take(p, "@")) {
    if (p->token.kind == RULE_NUMBER_TOKEN)
      parse_digits(p, &letters);
    else
      rule_fail(p, "a dimension", "a step is @0, @1, @2 or @3");
  }
  if (!letters.count) rule_fail(p, "a step", "a step is @0, @1, @2 or @3");
  return rule_finish(p, RULE_LIST, start, NULL, 0, &letters);
}

static rule_tree *parse_relation(rule_parser *p) {
  rule_trees letters = {0};
  const uint32_t start = p->token.start;
  rule_expect(p, "(", "before a relation");
  while (!p->failed && p->token.kind == RULE_NUMBER_TOKEN) parse_digits(p, &letters);
  rule_expect(p, ")", "behind the letters of a relation");
  rule_expect(p, "^", "before the order of a relation");
  double order = 0;
  if (p->token.kind == RULE_NUMBER_TOKEN && !p->failed) {
    const char *text = rule_token_name(p);
    order = text ? strtod(text, NULL) : 0;
    rule_advance(p);
  } else {
    rule_fail(p, "a number", "a relation is (01)^3: so many times round");
  }
  return rule_finish(p, RULE_RELATION, start, NULL, order, &letters);
}

rule_tree *rule_parse_relations(rule_parser *p) {
  rule_trees relations = {0};
  const uint32_t start = p->token.start;
  do rule_add(p, &relations, parse_relation(p));
  while (rule_take(p, ","));
  return rule_finish(p, RULE_LIST, start, NULL, 0, &relations);
}

// <0,1,3> from the bracket on; the letters alone.
static rule_tree *parse_letters(rule_parser *p) {
  rule_trees letters = {0};
  const uint32_t start = p->token.start;
  rule_expect(p, "<", "before the dimensions of an orbit");
  while (!p->failed && !rule_at(p, ">") && !rule_at(p, "|")) {
    rule_add(p, &letters, rule_parse_letter(p));
    if (!rule_take(p, ",")) break;
  }
  return rule_finish(p, RULE_LIST, start, NULL, 0, &letters);
}

rule_tree *rule_parse_word(rule_parser *p) {
  const uint32_t start = p->token.start;
  rule_tree *letters = parse_letters(p);
  rule_trees none = {0};
  rule_tree *relations =
      rule_take(p, "|") ? rule_parse_relations(p) : rule_finish(p, RULE_LIST, p->token.start, NULL, 0, &none);
  rule_expect(p, ">", "behind the dimensions of an orbit");
  return rule_make(p, RULE_WORD, start, NULL, 0, RULE_CHILDREN(letters, relations));
}

// Names joined by &, the first of them taken already when `first` is not NULL.
static rule_tree *parse_named_orbit(rule_parser *p) {
  rule_trees names = {0};
  const uint32_t start = p->token.start;
  do {
    const uint32_t at = p->token.start;
    const char *name = rule_take_name(p, "an orbit");
    rule_add(p, &names, rule_make(p, RULE_NAME, at, name, 0, 0, NULL));
  } while (rule_take(p, "&"));
  rule_tree *list = rule_finish(p, RULE_LIST, start, NULL, 0, &names);
  return rule_make(p, RULE_ORBIT, start, NULL, 0, RULE_CHILDREN(list));
}

rule_tree *rule_parse_orbit(rule_parser *p) {
  if (!rule_at(p, "<")) return parse_named_orbit(p);
  const uint32_t start = p->token.start;
  rule_tree *letters = parse_letters(p);
  rule_expect(p, ">", "behind the dimensions of an orbit");
  if (!letters) return NULL;
  return rule_make(p, RULE_ORBIT, start, NULL, 0, letters->count, letters->child);
}

static bool at_template(const rule_parser *p) {
  static const char *const names[] = {"tri", "quad", "tet", "pyramid", "prism", "hex", "cell"};
  for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
    if (rule_at(p, names[k])) return true;
  return false;
}

static rule_tree *parse_templates(rule_parser *p) {
  rule_trees names = {0};
  const uint32_t start = p->token.start;
  do {
    const uint32_t at = p->token.start;
    if (!at_template(p)) rule_fail(p, "a template", "templates are tri, quad, tet, pyramid, prism, hex and cell");
    const char *name = rule_take_name(p, "a template");
    rule_add(p, &names, rule_make(p, RULE_NAME, at, name, 0, 0, NULL));
  } while (rule_take(p, "|"));
  return rule_finish(p, RULE_TEMPLATES, start, NULL, 0, &names);
}

// [x:] orbit. A name alone is an orbit; with a colon behind it, the variable.
rule_tree *rule_parse_place(rule_parser *p) {
  const uint32_t start = p->token.start;
  const char *variable = NULL;
  if (p->token.kind == RULE_WORD_TOKEN) {
    const rule_token behind = rule_lex(p->program, p->file, p->token.end);
    if (behind.kind == RULE_SIGN && behind.end - behind.start == 1 &&
        p->program->files.data[p->file].text[behind.start] == ':') {
      variable = rule_take_name(p, "a variable");
      rule_advance(p);
    }
  }
  rule_tree *orbit = at_template(p) ? parse_templates(p) : rule_parse_orbit(p);
  return rule_make(p, RULE_PLACE, start, variable, 0, RULE_CHILDREN(orbit));
}

// m, N/m, kg*m^2/s, 1/s
static rule_tree *parse_unit(rule_parser *p) {
  rule_trees factors = {0};
  const uint32_t start = p->token.start;
  double sign = 1;
  do {
    const uint32_t at = p->token.start;
    if (p->token.kind == RULE_NUMBER_TOKEN && digit_at(p, at) == 1 && p->token.end == at + 1) {
      rule_advance(p);
    } else {
      const char *name = rule_take_name(p, "a unit");
      double power = 1;
      if (rule_take(p, "^")) {
        const double minus = rule_take(p, "-") ? -1 : 1;
        if (p->token.kind != RULE_NUMBER_TOKEN || p->token.end - p->token.start != 1)
          rule_fail(p, "a power", "the power of a unit is one digit");
        power = minus * digit_at(p, p->token.start);
        if (!p->failed) rule_advance(p);
      }
      rule_add(p, &factors, rule_make(p, RULE_UNIT_FACTOR, at, name, sign * power, 0, NULL));
    }
    sign = rule_at(p, "/") ? -1 : 1;
  } while (rule_take(p, "*") || rule_take(p, "/"));
  return rule_finish(p, RULE_UNIT, start, NULL, 0, &factors);
}

rule_tree *rule_parse_type(rule_parser *p) {
  static const char *const types[] = {"real", "int", "bool", "vec2", "vec3", "mat2", "mat3"};
  const uint32_t start = p->token.start;
  bool known = false;
  for (uint32_t k = 0; k < sizeof types / sizeof *types; k++) known = known || rule_at(p, types[k]);
  if (!known) rule_fail(p, "a type", "types are real, int, bool, vec2, vec3, mat2 and mat3");
  const char *name = rule_take_name(p, "a type");
  rule_tree *unit;
  if (rule_take(p, "[")) {
    unit = parse_unit(p);
    rule_expect(p, "]", "behind the unit");
  } else {
    unit = rule_make_none(p);
  }
  return rule_make(p, RULE_TYPE, start, name, 0, RULE_CHILDREN(unit));
}
