// The commands there are, in the order in which the help shows them.

#include "cli.h"
#include "nearest.h"

#include <string.h>

static const cli_command *const commands[] = {
    &cli_run,           &cli_view,       &cli_plot,         &cli_render,     &cli_film,      &cli_scene_check,
    &cli_scene_explain, &cli_scene_keys, &cli_scene_schema, &cli_grid,       &cli_mesh,      &cli_info,
    &cli_check,         &cli_convert,    &cli_formats,      &cli_rule_check, &cli_rule_show, &cli_rule_explain,
    &cli_rule_compile,  &cli_rule_apply, &cli_help,
};

const cli_command *cli_command_list(size_t i) {
  return i < sizeof commands / sizeof *commands ? commands[i] : NULL;
}

// How many of the words are the command's name, 0 when it has another.
static int match(const cli_command *command, int count, char *const *words) {
  const char *space = strchr(command->name, ' ');
  if (!space) return count >= 1 && strcmp(command->name, words[0]) == 0 ? 1 : 0;
  const size_t length = (size_t)(space - command->name);
  const bool first = count >= 2 && strlen(words[0]) == length && strncmp(command->name, words[0], length) == 0;
  return first && strcmp(space + 1, words[1]) == 0 ? 2 : 0;
}

const cli_command *cli_command_find(int count, char *const *words, int *used) {
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_list(i)); i++) {
    *used = match(command, count, words);
    if (*used) return command;
  }
  return NULL;
}

bool cli_command_is_family(const char *word) {
  const size_t length = strlen(word);
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_list(i)); i++) {
    if (strncmp(command->name, word, length) == 0 && command->name[length] == ' ') return true;
  }
  return false;
}

int cli_command_unknown(int count, char *const *words) {
  char wanted[64];
  const bool family = cli_command_is_family(words[0]);
  if (family && (count < 2 || words[1][0] == '-')) {
    return cli_misused(NULL, "'%s' is half a command; 'cleave help %s' lists the other halves", words[0], words[0]);
  }
  snprintf(wanted, sizeof wanted, family ? "%s %.40s" : "%s", words[0], family ? words[1] : "");
  cli_nearest nearest = cli_nearest_to(wanted);
  const cli_command *command;
  for (size_t i = 0; (command = cli_command_list(i)); i++) cli_nearest_offer(&nearest, command->name);
  return cli_misused(NULL, "there is no command '%s'%s", wanted, cli_did_you_mean(&nearest, "", "").text);
}
