// `cleave help`: the program's and each command's help, laid out from the table of commands.

#include "arguments.h"
#include "cli.h"

#include <string.h>

enum { USAGE_WIDTH = 112 }; // behind "usage: " it is a line of 120 columns

// Returns the column behind it.
static int print_usage_option(FILE *stream, const cli_option *option, int column) {
  const char letter[] = {'-', option->letter, 0};
  char text[128];
  const int length =
      snprintf(text, sizeof text, "%s%s%s%s%s%s", option->required ? "" : "[", option->letter ? letter : "--",
               option->letter ? "" : option->name, option->value_count ? " " : "", option->values ? option->values : "",
               option->required ? "" : "]");
  const bool wraps = column + 1 + length > USAGE_WIDTH;
  fprintf(stream, "%s%s", wraps ? "\n    " : " ", text);
  return (wraps ? 4 : column + 1) + length;
}

void cli_print_usage(FILE *stream, const cli_command *command) {
  int column = fprintf(stream, "cleave %s%s%s", command->name, *command->words ? " " : "", command->words);
  for (const cli_option *option = command->options; option->name; option++)
    column = print_usage_option(stream, option, column);
  fputc('\n', stream);
}

static void print_option(FILE *stream, const cli_option *option) {
  char left[64];
  if (option->letter) {
    snprintf(left, sizeof left, "-%c, --%s %s", option->letter, option->name, option->values ? option->values : "");
  } else {
    snprintf(left, sizeof left, "    --%s %s", option->name, option->values ? option->values : "");
  }
  fprintf(stream, "  %-22s %s\n", left, option->what);
}

void cli_print_help(FILE *stream, const cli_command *command) {
  cli_print_usage(stream, command);
  fprintf(stream, "\n%s\nOptions:\n", command->help);
  for (const cli_option *option = command->options; option->name; option++) print_option(stream, option);
  print_option(stream, &(cli_option){.name = "help", .letter = 'h', .what = "print this"});
}

void cli_print_overview(FILE *stream) {
  fprintf(stream,
          "cleave COMMAND [ARGUMENTS]\n\nCleave %s, a physics engine for bodies that can be cut.\n\nCommands:\n",
          clv_version());
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_list(i)); i++) {
    fprintf(stream, "  %-13s %s\n", command->name, command->what);
  }
  fputs("\n'cleave help COMMAND' says more; 'cleave --version' prints the version.\n"
        "Exit status: 0 for success, 1 for a file that is wrong or cannot be used, 2 for a wrong command line.\n",
        stream);
}

void cli_print_family(FILE *stream, const char *word) {
  const size_t length = strlen(word);
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_list(i)); i++) {
    if (strncmp(command->name, word, length) != 0 || command->name[length] != ' ') continue;
    cli_print_usage(stream, command);
    fprintf(stream, "    %s\n", command->what);
  }
  fprintf(stream, "\n'cleave help %s COMMAND' says more.\n", word);
}

static int run_help(const cli_call *call) {
  int used = 0;
  const cli_command *command = cli_command_find(call->word_count, call->words, &used);
  if (call->word_count == 0) {
    cli_print_overview(stdout);
  } else if (call->word_count == 1 && cli_command_is_family(call->words[0])) {
    cli_print_family(stdout, call->words[0]);
  } else if (!command) {
    return cli_command_unknown(call->word_count, call->words);
  } else if (used < call->word_count) {
    return cli_misused(call->command, "'%s' is one word too many for help", call->words[used]);
  } else {
    cli_print_help(stdout, command);
  }
  return CLI_OK;
}

const cli_command cli_help = {
    .name = "help",
    .what = "explain a command",
    .words = "[COMMAND]",
    .max_words = 2,
    .help = "Lists the commands, or explains one of them.\n",
    .run = run_help,
};
