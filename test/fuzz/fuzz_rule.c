// Fuzzes the language: whatever the text, a program is parsed and checked, or refused with findings that have a place.

#include "cleave/rule.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

static void check_findings(const clv_program *program, clv_result result) {
  const clv_diagnostic *found = NULL;
  const uint32_t count = clv_program_diagnostics(program, &found);
  require((count > 0) == (result == CLV_ERROR_INPUT));
  char text[2048];
  for (uint32_t k = 0; k < count; k++) {
    require(found[k].line >= 1 && found[k].column >= 1 && found[k].length >= 1);
    require(found[k].what[0] != '\0' && found[k].help[0] != '\0');
    require(clv_diagnostic_print(program, &found[k], text, sizeof text) > 0);
  }
}

static void count_text(void *user, const char *text, size_t size) {
  require(text && size > 0);
  ++*(uint32_t *)user;
}

// What is sound can be explained and drawn; a few pictures are enough, since a layout takes its time.
static void describe(const clv_program *program) {
  clv_declaration declaration;
  uint32_t drawn = 0, explained = 0;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++) {
    const clv_result result = clv_program_explain(program, declaration.name, count_text, &explained, NULL);
    require(result == CLV_OK || result == CLV_ERROR_ARGUMENT);
    if (drawn < 2) (void)clv_program_draw(program, declaration.name, count_text, &drawn, NULL);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  clv_program *program = clv_program_create(NULL);
  require(program);
  require(clv_program_add(program, "x.rule", (const char *)data, size) == CLV_OK);
  const clv_result result = clv_program_check(program);
  check_findings(program, result);
  if (result == CLV_OK) describe(program);
  clv_program_destroy(program);
  return 0;
}
