// The commands there are, in the order in which the help shows them.

#include "cli.h"
#include "nearest.h"

#include <string.h>

enum { COMMANDS = 6 };

static const cli_command *const commands[COMMANDS] = {
    &cli_grid, &cli_info, &cli_check, &cli_convert, &cli_formats, &cli_help,
};

const cli_command *cli_command_list(size_t i) {
  return i < COMMANDS ? commands[i] : NULL;
}

const cli_command *cli_command_find(const char *name) {
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_list(i)); i++) {
    if (strcmp(command->name, name) == 0) return command;
  }
  return NULL;
}

int cli_command_unknown(const char *name) {
  cli_nearest nearest = cli_nearest_to(name);
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_list(i)); i++) cli_nearest_offer(&nearest, command->name);
  return cli_misused(NULL, "there is no command '%s'%s", name, cli_did_you_mean(&nearest, "", "").text);
}
