// Tokens of rule files. Text that is no token is reported once and skipped.

#ifndef RULE_LEX_H
#define RULE_LEX_H

#include "rule/syntax.h"

typedef enum rule_token_kind {
  RULE_END,
  RULE_WORD_TOKEN,
  RULE_NUMBER_TOKEN,
  RULE_STRING_TOKEN,
  RULE_SIGN
} rule_token_kind;

typedef struct rule_token {
  rule_token_kind kind;
  uint32_t start, end;
} rule_token;

// The token at or behind `at`. Comments run from # to the end of the line.
rule_token rule_lex(clv_program *program, uint32_t file_number, uint32_t at);

#endif
