// The parser: one token ahead, by descent, bounded in depth. The first mistake of a declaration ends it; parsing goes
// on with the next one.

#ifndef RULE_PARSE_H
#define RULE_PARSE_H

#include "rule/lex.h"

enum { RULE_DEPTH = 100 };

typedef struct rule_parser {
  clv_program *program;
  uint32_t file;
  rule_token token;  // the next one
  uint32_t last_end; // where the one before it ended
  uint32_t depth;
  bool failed; // in this declaration
} rule_parser;

typedef BASE_ARRAY(rule_tree *) rule_trees;

// Looking and taking
void rule_advance(rule_parser *p);
bool rule_at(const rule_parser *p, const char *text); // the next token is this word or sign
bool rule_take(rule_parser *p, const char *text);     // takes it if it is
bool rule_expect(rule_parser *p, const char *text, const char *where);
void rule_fail(rule_parser *p, const char *what, const char *help); // at the next token
bool rule_enter(rule_parser *p);                                    // one level deeper; false when too deep
void rule_leave(rule_parser *p);

// A name that the text declares or uses, NULL on failure.
const char *rule_take_name(rule_parser *p, const char *what);
// The text of the next token, interned.
const char *rule_token_name(rule_parser *p);

// Building. Finish copies the list's children to the arena and empties it.
void rule_add(rule_parser *p, rule_trees *list, rule_tree *tree);
rule_tree *rule_finish(rule_parser *p, rule_kind kind, uint32_t start, const char *name, double number,
                       rule_trees *children);
rule_tree *rule_make(rule_parser *p, rule_kind kind, uint32_t start, const char *name, double number, uint32_t count,
                     rule_tree *const *children);
rule_tree *rule_make_none(rule_parser *p);

#define RULE_CHILDREN(...)                                                                                             \
  (uint32_t)(sizeof((rule_tree *const[]){__VA_ARGS__}) / sizeof(rule_tree *)), (rule_tree *const[]) {                  \
    __VA_ARGS__                                                                                                        \
  }

// Expressions (parse_value.c). Each returns a tree always; p->failed says whether to use it.
rule_tree *rule_parse_value(rule_parser *p);
rule_tree *rule_parse_product(rule_parser *p);
rule_tree *rule_parse_call(rule_parser *p, const char *name, uint32_t start); // behind the name, at (
// Orbits, words, places (parse_orbit.c)
rule_tree *rule_parse_letter(rule_parser *p);    // 0, 0^k, 0^(k+1), _
rule_tree *rule_parse_steps(rule_parser *p);     // RULE_LIST of letters: @2@1
rule_tree *rule_parse_word(rule_parser *p);      // <0,1|(01)^3>
rule_tree *rule_parse_relations(rule_parser *p); // (01)^3, (12)^4
rule_tree *rule_parse_orbit(rule_parser *p);
rule_tree *rule_parse_place(rule_parser *p); // [x:] orbit or templates
rule_tree *rule_parse_type(rule_parser *p);  // vec3[m]
// Laws (parse_law.c), graphs and scripts (parse_rule.c); the keyword is behind.
rule_tree *rule_parse_law(rule_parser *p, rule_kind kind, uint32_t start);
rule_tree *rule_parse_names(rule_parser *p); // (a, b)
rule_tree *rule_parse_rule(rule_parser *p, uint32_t start);
rule_tree *rule_parse_script(rule_parser *p, uint32_t start);

#endif
