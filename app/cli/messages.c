// Complaints, each on standard error. See cli.h.

#include "cli.h"

#include <stdarg.h>

int cli_misused(const cli_command *command, const char *format, ...) {
  fputs("cleave: ", stderr);
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  if (command) {
    fputs("usage: ", stderr);
    cli_print_usage(stderr, command);
  } else {
    fputs("'cleave help' lists the commands\n", stderr);
  }
  return CLI_USAGE;
}

int cli_failed(const char *message) {
  fprintf(stderr, "%s\n", message);
  return CLI_FAILURE;
}
