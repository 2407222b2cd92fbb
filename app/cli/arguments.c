// Words and options. See arguments.h.

#include "arguments.h"
#include "nearest.h"

#include <ctype.h>
#include <string.h>

// The words and how far they are read.
typedef struct parser {
  cli_call *call;
  char **words;
  int count, at;
} parser;

static bool looks_like_option(const char *word) {
  return word[0] == '-' && word[1] != '\0' && !isdigit((unsigned char)word[1]) && word[1] != '.';
}

// What the k-th word of "KIND NX NY [NZ]" is called; the last one's name serves all that follow.
static void copy_word_name(const char *names, int k, char *name, size_t size) {
  const char *begin = names + strspn(names, " ");
  for (; k > 0; k--) {
    const char *next = begin + strcspn(begin, " ");
    next += strspn(next, " ");
    if (!*next) break;
    begin = next;
  }
  begin += strspn(begin, "[");
  snprintf(name, size, "%.*s", (int)strcspn(begin, " ].[|"), begin);
}

// ---- words ----------------------------------------------------------------------------------------------------------

// Standard input and output have no name with an ending, and a file called "-" is never what was meant.
static int check_text(const cli_call *call, const char *name, const char *text) {
  if (!*text) return cli_misused(call->command, "%s is empty; is a variable of the shell not set?", name);
  if (strcmp(text, "-") == 0) return cli_misused(call->command, "'-' is no %s; name a file", name);
  return CLI_OK;
}

static int keep_word(cli_call *call, char *word) {
  const cli_command *command = call->command;
  if (call->word_count >= command->max_words) {
    return cli_misused(command, "'%s' is one word too many for %s", word, command->name);
  }
  char name[32];
  copy_word_name(command->words, call->word_count, name, sizeof name);
  const int result = check_text(call, name, word);
  if (result == CLI_OK) call->words[call->word_count++] = word;
  return result;
}

static int check_complete(const cli_call *call) {
  const cli_command *command = call->command;
  if (call->word_count < command->min_words) {
    char name[32];
    copy_word_name(command->words, call->word_count, name, sizeof name);
    return cli_misused(command, "%s needs %s", command->name, name);
  }
  for (int o = 0; command->options[o].name; o++) {
    const cli_option *option = &command->options[o];
    if (!option->required || call->given[o]) continue;
    return cli_misused(command, "%s needs --%s %s", command->name, option->name, option->values);
  }
  return CLI_OK;
}

// ---- options --------------------------------------------------------------------------------------------------------

static int find_option(const cli_command *command, const char *name, size_t length) {
  for (int o = 0; command->options[o].name; o++) {
    const char *known = command->options[o].name;
    if (strlen(known) == length && strncmp(known, name, length) == 0) return o;
  }
  return -1;
}

static int find_letter(const cli_command *command, char letter) {
  for (int o = 0; command->options[o].name; o++) {
    if (command->options[o].letter == letter) return o;
  }
  return -1;
}

// `word` is the option as it was written, `length` the part of it before a '='.
static int unknown_option(const cli_command *command, const char *word, size_t length) {
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
  cli_nearest nearest = cli_nearest_to(name + strspn(name, "-"));
  for (int o = 0; command->options[o].name; o++) cli_nearest_offer(&nearest, command->options[o].name);
  cli_nearest_offer(&nearest, "help");
  return cli_misused(command, "%s has no option '%s'%s", command->name, name,
                     cli_did_you_mean(&nearest, "--", "").text);
}

// Takes the values of option o: `joined`, when it is not NULL, then words that follow. `written` is how it was called.
static int take_values(parser *p, int o, const char *written, const char *joined) {
  const cli_command *command = p->call->command;
  const cli_option *option = &command->options[o];
  if (p->call->given[o]) return cli_misused(command, "--%s is given twice", option->name);
  p->call->given[o] = true;
  for (int v = 0; v < option->value_count; v++) {
    const char *value = joined && v == 0 ? joined : p->at < p->count ? p->words[p->at++] : NULL;
    if (!value) return cli_misused(command, "%s needs %s", written, option->values);
    if (value != joined && looks_like_option(value)) {
      return cli_misused(command, "%s needs %s, and '%s' is an option", written, option->values, value);
    }
    char name[32];
    copy_word_name(option->values, v, name, sizeof name);
    const int result = check_text(p->call, name, value);
    if (result != CLI_OK) return result;
    p->call->option_values[o][v] = value;
  }
  return CLI_OK;
}

static int take_long(parser *p, const char *word) {
  const cli_command *command = p->call->command;
  const size_t length = strcspn(word, "=");
  if (strcmp(word, "--help") == 0) {
    p->call->help = true;
    return CLI_OK;
  }
  const int o = find_option(command, word + 2, length - 2);
  if (o < 0) return unknown_option(command, word, length);
  char written[64];
  snprintf(written, sizeof written, "--%s", command->options[o].name);
  if (word[length] != '=') return take_values(p, o, written, NULL);
  if (command->options[o].value_count == 0) return cli_misused(command, "%s takes no value", written);
  return take_values(p, o, written, word + length + 1);
}

static int take_short(parser *p, const char *word) {
  const cli_command *command = p->call->command;
  if (strcmp(word, "-h") == 0) {
    p->call->help = true;
    return CLI_OK;
  }
  const int o = find_letter(command, word[1]);
  if (o < 0) return unknown_option(command, word, strcspn(word, "="));
  const char *joined = word[2] ? word + 2 : NULL;
  if (joined && command->options[o].value_count == 0) return unknown_option(command, word, strlen(word));
  const char written[] = {'-', word[1], '\0'};
  return take_values(p, o, written, joined);
}

int cli_parse(const cli_command *command, int count, char **words, cli_call *call) {
  *call = (cli_call){.command = command, .words = words};
  parser p = {.call = call, .words = words, .count = count};
  bool options_ended = false;
  while (p.at < count) {
    char *word = words[p.at++];
    int result = CLI_OK;
    if (options_ended || !looks_like_option(word)) {
      result = keep_word(call, word);
    } else if (strcmp(word, "--") == 0) {
      options_ended = true;
    } else {
      result = word[1] == '-' ? take_long(&p, word) : take_short(&p, word);
    }
    if (result != CLI_OK) return result;
  }
  return call->help ? CLI_OK : check_complete(call);
}

// ---- what was found -------------------------------------------------------------------------------------------------

const char *const *cli_values(const cli_call *call, const char *option) {
  const int o = find_option(call->command, option, strlen(option));
  return o >= 0 && call->given[o] ? call->option_values[o] : NULL;
}

const char *cli_value(const cli_call *call, const char *option) {
  const char *const *values = cli_values(call, option);
  return values ? values[0] : NULL;
}

bool cli_flag(const cli_call *call, const char *option) {
  return cli_values(call, option) != NULL;
}
