// What the parts of a program's check share.

#ifndef RULE_PROGRAM_H
#define RULE_PROGRAM_H

#include "rule/syntax.h"

// The module of the shipped library with exactly this text, NULL when there is none.
const char *rule_shipped_as(const char *text, size_t size);
// The text of a file of the shipped library (rules/NAME.rule), NULL when there is none of that name.
const char *rule_shipped(const char *module, size_t *size);

// Makes a clv_rule of every rule and script: the meaning of its name. Findings are recorded.
void rule_make_rules(clv_program *program);
// Checks them: I, C, O and E, and names everywhere.
void rule_check_rules(clv_program *program);

// What one body needs of a program: laws for maps of one dimension, some forces, and what they are derived from. The
// rest is not made. Laws of the shipped library are taken as they are: that they are sound is known since Cleave was
// tested.
typedef struct rule_needs {
  uint32_t dimension;
  const char *const *forces; // and what they read, and
  uint32_t force_count;
  const char *derived; // a quantity that is wanted for itself; NULL: none
} rule_needs;

// clv_program_check for one body; the program is then for no other.
clv_result rule_program_check_for(clv_program *program, const rule_needs *needs);

// Makes the laws and their kernels. Findings are recorded.
void rule_make_laws(clv_program *program);
void rule_free_laws(clv_program *program);

// Marks the declarations that a rule of a checked program comes to speak of, by their number: not 0.
void rule_reach(const clv_rule *rule, uint8_t *reached);

// Sorts the findings and makes them what callers see. False when memory is out.
bool rule_publish_findings(clv_program *program);

#endif
