// Running compiled rules.

#ifndef RULE_APPLY_MACHINE_H
#define RULE_APPLY_MACHINE_H

#include "rule/apply.h"
#include "rule/machine.h"

typedef enum machine_part { MACHINE_MATCH, MACHINE_GUARD, MACHINE_WRITE } machine_part;

// One part of a compiled rule. The interpreter's functions do the same: apply_match_left, apply_guards, the writes.
bool apply_compiled(apply_match *match, const machine_code *code, const clv_dart *hooks, machine_part part);

#endif
