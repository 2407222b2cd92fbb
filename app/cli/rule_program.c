// See rule_program.h.

#include "rule_program.h"

#include "nearest.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 16 << 20, FIRST_ROOM = 1 << 14, MOST_NUMBERS = 9 };

static int fail(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  return CLI_FAILURE;
}

// ---- files ----------------------------------------------------------------------------------------------------------

static int read_stream(FILE *file, const char *path, char **text, size_t *size) {
  size_t room = FIRST_ROOM;
  *text = malloc(room);
  for (*size = 0; *text; room *= 2) {
    *size += fread(*text + *size, 1, room - *size, file);
    if (*size < room) break;
    if (room >= LARGEST_FILE) return fail(path, "this is too large for a file of rules; is it one?");
    char *more = realloc(*text, 2 * room);
    if (!more) break;
    *text = more;
  }
  if (!*text || *size == room) return fail(path, clv_result_name(CLV_ERROR_MEMORY));
  return ferror(file) ? fail(path, strerror(errno)) : CLI_OK;
}

static int add_text(clv_program *program, const char *path, FILE *file) {
  char *text = NULL;
  size_t size = 0;
  errno = 0;
  int result = read_stream(file, path, &text, &size);
  if (result == CLI_OK) {
    const clv_result added = clv_program_add(program, path, text, size);
    if (added) result = fail(path, clv_result_name(added));
  }
  free(text);
  return result;
}

static int add(clv_program *program, const char *path) {
  errno = 0;
  FILE *file = fopen(path, "rb");
  if (!file && errno == ENOENT && clv_program_use(program, path) == CLV_OK) return CLI_OK;
  if (!file) return fail(path, strerror(errno));
  const int result = add_text(program, path, file);
  fclose(file);
  return result;
}

// ---- findings -------------------------------------------------------------------------------------------------------

static void print_finding(const clv_program *program, const clv_diagnostic *finding) {
  const size_t length = clv_diagnostic_print(program, finding, NULL, 0);
  char *text = malloc(length + 1);
  if (text) {
    clv_diagnostic_print(program, finding, text, length + 1);
    fputs(text, stderr);
  } else {
    fprintf(stderr, "%s:%u: error[%c]: %s\n", finding->file, (unsigned)finding->line, finding->code, finding->what);
  }
  free(text);
}

static int check(clv_program *program) {
  const clv_result result = clv_program_check(program);
  if (result == CLV_OK) return CLI_OK;
  const clv_diagnostic *findings;
  const uint32_t count = clv_program_diagnostics(program, &findings);
  for (uint32_t k = 0; k < count; k++) print_finding(program, &findings[k]);
  if (result != CLV_ERROR_INPUT) fprintf(stderr, "cleave: %s\n", clv_result_name(result));
  return CLI_FAILURE;
}

// ---- parameters -----------------------------------------------------------------------------------------------------

// V or V,V,V; nothing behind it.
static bool read_numbers(const char *text, double *values, uint32_t *count) {
  for (*count = 0; *count < MOST_NUMBERS; text++) {
    char *end;
    values[(*count)++] = strtod(text, &end);
    if (end == text) return false;
    if (*end != ',') return *end == '\0';
    text = end;
  }
  return false;
}

// With the nearest name there is; where the name is there, the numbers are wrong.
static int no_param(const clv_program *program, const char *name, uint32_t count) {
  cli_nearest nearest = cli_nearest_to(name);
  clv_declaration declared;
  bool there = false;
  for (uint32_t k = 0; clv_program_list(program, k, &declared); k++) {
    if (strcmp(declared.what, "param") != 0) continue;
    cli_nearest_offer(&nearest, declared.name);
    there = there || !strcmp(declared.name, name);
  }
  fprintf(stderr, "cleave: the rules have no param '%s' of %u number%s%s\n", name, count, count == 1 ? "" : "s",
          there ? "" : cli_did_you_mean(&nearest, "", "").text);
  return CLI_FAILURE;
}

static int set_param(clv_program *program, char *word) {
  double values[MOST_NUMBERS];
  uint32_t count;
  char *sign = strchr(word, '=');
  if (!sign || sign == word || !read_numbers(sign + 1, values, &count))
    return cli_failed("cleave: write a parameter and its values as NAME=V or NAME=V,V,V");
  *sign = '\0';
  const clv_result result = clv_program_set_param(program, word, values, count);
  if (result == CLV_ERROR_MEMORY) return cli_failed("cleave: out of memory");
  return result == CLV_OK ? CLI_OK : no_param(program, word, count);
}

static int set_params(clv_program *program, const char *params) {
  char *words = strdup(params), *rest = NULL;
  int result = words ? CLI_OK : cli_failed("cleave: out of memory");
  for (char *word = words ? strtok_r(words, " ", &rest) : NULL; word && result == CLI_OK;
       word = strtok_r(NULL, " ", &rest))
    result = set_param(program, word);
  free(words);
  return result;
}

// ---- loading --------------------------------------------------------------------------------------------------------

int cli_program_load_with(char *const *paths, int count, const char *params, clv_program **program) {
  *program = clv_program_create(NULL);
  int result = *program ? CLI_OK : cli_failed("cleave: out of memory");
  for (int k = 0; result == CLI_OK && k < count; k++) result = add(*program, paths[k]);
  if (result == CLI_OK && params) result = set_params(*program, params);
  if (result == CLI_OK) result = check(*program);
  if (result == CLI_OK) return result;
  clv_program_destroy(*program);
  *program = NULL;
  return result;
}

int cli_program_load(char *const *paths, int count, clv_program **program) {
  return cli_program_load_with(paths, count, NULL, program);
}

// ---- names ----------------------------------------------------------------------------------------------------------

static bool is_one_of(const char *what, const char *const *sorts) {
  for (; *sorts; sorts++) {
    if (strcmp(what, *sorts) == 0) return true;
  }
  return false;
}

int cli_program_unknown(const clv_program *program, const char *name, const char *const *sorts) {
  cli_nearest nearest = cli_nearest_to(name);
  clv_declaration declaration;
  const char *what = NULL;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++) {
    if (is_one_of(declaration.what, sorts)) cli_nearest_offer(&nearest, declaration.name);
    if (strcmp(declaration.name, name) == 0) what = declaration.what;
  }
  if (what) {
    fprintf(stderr, "cleave: '%s' is no %s (it is declared as %s)\n", name, sorts[0], what);
  } else {
    fprintf(stderr, "cleave: there is no %s '%s'%s\n", sorts[0], name, cli_did_you_mean(&nearest, "", "").text);
  }
  return CLI_FAILURE;
}
