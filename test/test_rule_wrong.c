// Wrong rules: each is refused, with the right code at the right place.
//
// The files of rules/wrong hold one case or many. A case is what follows a line
//
//   # expect: I 14:30
//
// up to the next such line: its first finding must have this code, at this line and column of the file. What stands
// before the first such line belongs to every case of the file, and must be sound by itself.
//
// usage: test_rule_wrong [--show]      (prints every case as a user sees it)

#include "cleave/rule.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { FILES = 256, FILE_SIZE = 1 << 20 };

static struct {
  bool show;
  uint32_t cases, failures;
} run;

static const char mark[] = "# expect:";

typedef struct expectation {
  char code;
  uint32_t line, column;
} expectation;

static void print_finding(const clv_program *program, const clv_diagnostic *finding) {
  char text[2000];
  clv_diagnostic_print(program, finding, text, sizeof text);
  print_message("%s", text);
}

static void complain(const char *file, uint32_t line, const char *what) {
  print_error("%s:%u: %s\n", file, line, what);
  run.failures++;
}

static clv_program *check(const char *file, const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, file, text, strlen(text)), CLV_OK);
  const clv_diagnostic *found;
  const clv_result result = clv_program_check(program);
  const uint32_t count = clv_program_diagnostics(program, &found);
  assert_int_equal(result, count ? CLV_ERROR_INPUT : CLV_OK);
  return program;
}

// A sentence of what, and one of what to do; no point behind them.
static bool says_something(const char *text) {
  return text && strlen(text) > 8 && text[strlen(text) - 1] != '.' && !strchr(text, '|');
}

static void check_case(const char *file, uint32_t line, const char *text, expectation expected) {
  clv_program *program = check(file, text);
  const clv_diagnostic *found;
  const uint32_t count = clv_program_diagnostics(program, &found);
  run.cases++;
  if (run.show)
    for (uint32_t k = 0; k < count; k++) print_finding(program, &found[k]);
  if (count == 0) {
    complain(file, line, "nothing is found");
  } else if (found->code != expected.code || found->line != expected.line || found->column != expected.column) {
    complain(file, line, "another finding is expected");
    print_finding(program, found);
  } else if (!says_something(found->what) || !says_something(found->help)) {
    complain(file, line, "the finding says too little");
  }
  clv_program_destroy(program);
}

static const char *next_case(const char *text) {
  const char *at = text;
  while ((at = strstr(at, mark)))
    if (at == text || at[-1] == '\n')
      return at;
    else
      at++;
  return NULL;
}

// Everything but the preamble and one case becomes blank; lines stay where they are.
static void check_file(const char *file, const char *text) {
  const char *first = next_case(text);
  if (!first) {
    complain(file, 1, "no case begins with '# expect: CODE LINE:COLUMN'");
    return;
  }
  char *one = malloc(strlen(text) + 1);
  assert_non_null(one);
  for (const char *at = first; at;) {
    const char *end = next_case(at + 1);
    memcpy(one, text, strlen(text) + 1);
    for (char *c = one + (first - text); *c; c++)
      if ((c < one + (at - text) || (end && c >= one + (end - text))) && *c != '\n') *c = ' ';
    uint32_t line = 1;
    for (const char *c = text; c < at; c++) line += *c == '\n';
    expectation expected = {0};
    if (sscanf(at + strlen(mark), " %c %u:%u", &expected.code, &expected.line, &expected.column) != 3 && !run.show)
      complain(file, line, "write '# expect: CODE LINE:COLUMN'");
    check_case(file, line, one, expected);
    at = end;
  }
  memcpy(one, text, (size_t)(first - text));
  one[first - text] = '\0';
  clv_program *program = check(file, one);
  const clv_diagnostic *found;
  if (clv_program_diagnostics(program, &found)) {
    complain(file, 1, "what stands before the first case is wrong itself");
    print_finding(program, found);
  }
  clv_program_destroy(program);
  free(one);
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_and_check(const char *folder, const char *name) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s cannot be read", path);
  char *text = malloc(FILE_SIZE);
  assert_non_null(text);
  const size_t size = fread(text, 1, FILE_SIZE - 1, file);
  fclose(file);
  text[size] = '\0';
  check_file(name, text);
  free(text);
}

static void wrong_rules_are_refused(void **state) {
  (void)state;
  char folder[2048];
  const char *slash = strrchr(__FILE__, '/');
  assert_non_null(slash);
  snprintf(folder, sizeof folder, "%.*s/rules/wrong", (int)(slash - __FILE__), __FILE__);
  DIR *directory = opendir(folder);
  if (!directory) {
    fail_msg("%s cannot be read", folder);
    return;
  }
  char *names[FILES] = {NULL};
  uint32_t count = 0;
  for (const struct dirent *entry; (entry = readdir(directory));) {
    const size_t length = strlen(entry->d_name);
    if (length < 6 || strcmp(entry->d_name + length - 5, ".rule") != 0) continue;
    assert_true(count < FILES);
    names[count] = strdup(entry->d_name);
    assert_non_null(names[count++]);
  }
  closedir(directory);
  qsort(names, count, sizeof *names, by_name);
  for (uint32_t k = 0; k < count; k++) {
    read_and_check(folder, names[k]);
    free(names[k]);
  }
  print_message("%u wrong rules in %u files\n", run.cases, count);
  assert_true(run.cases >= 60);
  assert_int_equal(run.failures, 0);
}

int main(int argc, char **argv) {
  run.show = argc > 1 && strcmp(argv[1], "--show") == 0;
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_rules_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
