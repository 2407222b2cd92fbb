// Programs of rules for tests: from a text, sound, applied with darts and levels.

#ifndef CLEAVE_TEST_SUPPORT_RULES_H
#define CLEAVE_TEST_SUPPORT_RULES_H

#include "cleave/rule.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static inline void print_diagnostics(const clv_program *program) {
  const clv_diagnostic *diagnostics;
  const uint32_t count = clv_program_diagnostics(program, &diagnostics);
  for (uint32_t k = 0; k < count; k++) {
    char text[1024];
    clv_diagnostic_print(program, &diagnostics[k], text, sizeof text);
    print_error("%s\n", text);
  }
}

// A program that must be sound.
static inline clv_program *program_of(const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "test.rule", text, strlen(text)), CLV_OK);
  const clv_result result = clv_program_check(program);
  if (result != CLV_OK) print_diagnostics(program);
  assert_int_equal(result, CLV_OK);
  return program;
}

// A file of the shipped library, by its name.
static inline clv_program *program_of_module(const char *module) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_use(program, module), CLV_OK);
  const clv_result result = clv_program_check(program);
  if (result != CLV_OK) print_diagnostics(program);
  assert_int_equal(result, CLV_OK);
  return program;
}

static inline const clv_rule *rule_of(const clv_program *program, const char *name) {
  const clv_rule *rule = clv_program_rule(program, name);
  if (!rule) fail_msg("there is no rule '%s'", name);
  return rule;
}

static inline clv_rule_argument dart_argument(clv_dart dart) {
  return (clv_rule_argument){.dart = dart};
}

static inline clv_rule_argument number_argument(int32_t number) {
  return (clv_rule_argument){.number = number};
}

// A column `rest`: half as large as `pos`, turned so that x is up, and about half of it above the ground. Everything is
// stretched, and a blade on the ground cuts.
static inline void create_half_rest(clv_map *map) {
  clv_column_def def = clv_default_column_def();
  clv_column *column;
  def.name = "rest";
  assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
  uint32_t count = 0;
  const double *pos = clv_column_data(clv_column_find(map, "pos"), CLV_NONE, &count);
  double *rest = clv_column_data(column, CLV_NONE, NULL), least = INFINITY, greatest = -INFINITY;
  for (uint32_t k = 0; k < count; k++) {
    least = fmin(least, pos[3 * k]);
    greatest = fmax(greatest, pos[3 * k]);
  }
  for (uint32_t k = 0; k < count; k++) {
    rest[3 * k] = 0.5 * pos[3 * k + 1];
    rest[3 * k + 1] = 0.5 * pos[3 * k + 2];
    rest[3 * k + 2] = 0.5 * (pos[3 * k] - 0.4 * greatest - 0.6 * least);
  }
}

#endif
