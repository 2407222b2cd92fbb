// See rule_text.h.

#include "rule_text.h"

#include "rule_program.h"

#include <errno.h>
#include <string.h>

typedef struct sink {
  FILE *stream;
  bool failed;
} sink;

static void write_text(void *user, const char *text, size_t size) {
  sink *out = user;
  out->failed = fwrite(text, 1, size, out->stream) != size;
}

static int fail_system(const char *path) {
  fprintf(stderr, "%s: %s\n", path, strerror(errno ? errno : EIO));
  return CLI_FAILURE;
}

static int describe_to(const clv_program *program, const char *name, cli_describer *describe, FILE *stream,
                       const char *path) {
  sink out = {.stream = stream};
  clv_error error = {0};
  errno = 0;
  if (describe(program, name, write_text, &out, &error)) {
    fprintf(stderr, "cleave: %s\n", error.message);
    return CLI_FAILURE;
  }
  return path && (out.failed || fflush(stream)) ? fail_system(path) : CLI_OK;
}

// Asked first without a place to write to, so that a name that does not exist does not cost the old file.
static void write_nowhere(void *user, const char *text, size_t size) {
  (void)user, (void)text, (void)size;
}

static int describe_file(const clv_program *program, const char *name, cli_describer *describe, const char *path) {
  clv_error error = {0};
  if (describe(program, name, write_nowhere, NULL, &error)) {
    fprintf(stderr, "cleave: %s\n", error.message);
    return CLI_FAILURE;
  }
  errno = 0;
  FILE *file = fopen(path, "wb");
  if (!file) return fail_system(path);
  const int result = describe_to(program, name, describe, file, path);
  if (fclose(file) && result == CLI_OK) return fail_system(path);
  return result;
}

static bool is_declared(const clv_program *program, const char *name) {
  clv_declaration declaration;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++) {
    if (strcmp(declaration.name, name) == 0) return true;
  }
  return false;
}

int cli_describe(const cli_call *call, cli_describer *describe, const char *path) {
  static const char *const sorts[] = {"rule", "force", "script", "update", "derive", NULL};
  const char *name = call->words[call->word_count - 1];
  clv_program *program;
  int result = cli_program_load(call->words, call->word_count - 1, &program);
  if (result != CLI_OK) return result;
  if (!is_declared(program, name)) {
    result = cli_program_unknown(program, name, sorts);
  } else {
    result = path ? describe_file(program, name, describe, path) : describe_to(program, name, describe, stdout, NULL);
  }
  clv_program_destroy(program);
  return result;
}
