// What the parts of the evaluator share: letters, orbits, functions.

#ifndef RULE_APPLY_EVAL_H
#define RULE_APPLY_EVAL_H

#include "rule/apply.h"

apply_datum apply_truth(bool holds);
apply_datum apply_number(double number);
// Says that the text of a tree is not what is wanted; false.
bool apply_wrong_type(apply_run *run, const rule_tree *tree, const char *wanted);
// One or more numbers; in `z := expr` a dart stands for what its orbit has.
bool apply_numbers_of(apply_run *run, const rule_tree *tree, apply_datum *value);

// A letter whose level is known.
typedef struct apply_letter_value {
  uint8_t dim;
  bool leveled;
  int32_t level;
} apply_letter_value;

bool apply_read_letter(apply_run *run, const rule_tree *tree, apply_letter_value *letter);
bool apply_take_letter(apply_run *run, apply_letter_value letter, clv_dart dart, clv_dart *next);

// The orbit of a node of the rule that is applied, `own` as in apply_orbit.
bool apply_node_orbit(apply_run *run, const char *name, const rule_tree *own);

// Functions of the language: mean, min, free, side, norm ...
bool apply_builtin(apply_run *run, const rule_tree *call, apply_datum *value);
bool apply_is_rule(const clv_program *program, const char *name);

#endif
