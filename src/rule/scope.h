// Names and kinds of value in guards, assigned values and scripts.
//
// Laws are typed by their elaboration (law.h); here it is enough to know a dart from a number and a path. A script's
// parameters say nothing of their kind: it follows from their first use, and every later use must agree.

#ifndef RULE_SCOPE_H
#define RULE_SCOPE_H

#include "rule/graph.h"

typedef enum rule_sort {
  RULE_SORT_ANY = 0, // not known yet
  RULE_SORT_DART,
  RULE_SORT_VALUE, // numbers, vectors, truth
  RULE_SORT_PATH,  // darts in a row
  RULE_SORT_NOTHING,
} rule_sort;

typedef struct rule_variable {
  const char *name;
  rule_sort sort;
} rule_variable;

typedef enum rule_signature_state {
  RULE_SIGNATURE_OPEN, // being found
  RULE_SIGNATURE_KNOWN,
  RULE_SIGNATURE_WRONG, // its declaration has findings of its own
} rule_signature_state;

// What a rule or script takes, and what it does to open cells.
typedef struct rule_signature {
  const rule_tree *declaration;
  rule_signature_state state;
  uint8_t count;
  rule_sort sort[RULE_PARAMETERS];
  uint8_t opens, closes; // dimensions
} rule_signature;

typedef struct rule_scope {
  clv_program *program;
  const rule_graph *graph; // the rule that guards and values belong to, or NULL
  bool blend;              // a dart stands for what its orbit has
  bool statements;         // rules may be called
  bool silent;             // nothing is reported
  bool failed;
  uint32_t depth, blocks, scripts; // nesting of values, of blocks, of scripts
  uint8_t opens, closes;
  rule_span opened; // where
  BASE_ARRAY(rule_variable) variables;
  BASE_ARRAY(rule_signature) signatures;
} rule_scope;

#define RULE_OBJECT(scope, code, span, ...)                                                                            \
  ((scope)->failed = true, (scope)->silent ? (void)0 : rule_complain((scope)->program, (code), (span), __VA_ARGS__))

void rule_scope_free(rule_scope *scope);
bool rule_scope_add(rule_scope *scope, const char *name, rule_sort sort);
rule_variable *rule_scope_find(const rule_scope *scope, const char *name);

// Checks a value that should be of one sort (RULE_SORT_ANY: of whatever); returns its sort.
rule_sort rule_value_check(rule_scope *scope, const rule_tree *tree, rule_sort wanted);
// Checks the letters of an orbit: <0^k,1>, edge&cell.
void rule_orbit_check(rule_scope *scope, const rule_tree *orbit);
// Checks a call of a rule or script.
void rule_call_check(rule_scope *scope, const rule_tree *call, const rule_tree *callee);

static inline bool rule_is_applied(const rule_tree *declaration) {
  return declaration &&
         (declaration->kind == RULE_RULE || declaration->kind == RULE_INVERSE || declaration->kind == RULE_SCRIPT);
}

#endif
