// The program `cleave`, as its files see it: what a command is, what it is called with, and how it ends.
//
// A command is a constant: its name (a word, or two: "rule check"), its arguments and options, its help and one
// function. Each has a file of its own, and commands.c lists them; the parser, the help and the suggestions for
// misspelt words all read the same table, so they cannot disagree. Nothing here changes while the program runs, and the
// only headers of Cleave that the program sees are the public ones.
//
// Results go to standard output, complaints to standard error. A complaint about a file is the library's own line,
// "file:line: what is wrong", so that editors can jump there; one about the command line begins with "cleave: ".

#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <cleave/cleave.h>

#include <stdio.h>

// How the program ends.
enum {
  CLI_OK = 0,
  CLI_FAILURE = 1,  // a file that is wrong or cannot be used, a check that found problems
  CLI_USAGE = 2,    // a command line that makes no sense
  CLI_SIGNAL = 128, // and the signal's number: a run that was interrupted
};

enum {
  CLI_MAX_OPTIONS = 16, // of one command
  CLI_MAX_VALUES = 3,   // of one option
};

typedef struct cli_option {
  const char *name; // the long one, without its dashes; NULL behind the last
  char letter;      // the short one, or 0
  bool required;
  int value_count;    // 0 for a flag
  const char *values; // what the values are called: "FILE", "X Y Z"
  const char *what;   // for the help
} cli_option;

typedef struct cli_call cli_call;

typedef struct cli_command {
  const char *name;
  const char *what;  // in a few words, for the list of commands
  const char *words; // what its arguments are called: "KIND NX NY [NZ]"
  int min_words, max_words;
  cli_option options[CLI_MAX_OPTIONS]; // besides --help, which every command has; ended by one without a name
  const char *help;                    // paragraphs, ended by newlines
  int (*run)(const cli_call *call);    // how the program ends
} cli_command;

// A command line, taken apart (arguments.h).
struct cli_call {
  const cli_command *command;
  char **words; // the arguments that are no options
  int word_count;
  bool help;                                                  // --help was among them
  bool given[CLI_MAX_OPTIONS];                                // by place in the command's table
  const char *option_values[CLI_MAX_OPTIONS][CLI_MAX_VALUES]; // likewise
};

extern const cli_command cli_grid, cli_mesh, cli_info, cli_check, cli_convert, cli_formats, cli_plot, cli_render,
    cli_film, cli_help;
extern const cli_command cli_rule_check, cli_rule_show, cli_rule_explain, cli_rule_compile, cli_rule_apply;
extern const cli_command cli_view, cli_run, cli_scene_check, cli_scene_explain, cli_scene_keys, cli_scene_schema;

// The i-th command, NULL past the last.
const cli_command *cli_command_list(size_t i);
// The command that the words begin with, NULL for none; *used says how many of them are its name.
const cli_command *cli_command_find(int count, char *const *words, int *used);
// True for the first word of commands of two.
bool cli_command_is_family(const char *word);
// Complains about words that are no command, with the nearest one that is.
int cli_command_unknown(int count, char *const *words);

// The help of the whole program, of commands of two words by the first, of one command, and the one line that shows how
// to call it.
void cli_print_overview(FILE *stream);
void cli_print_family(FILE *stream, const char *word);
void cli_print_help(FILE *stream, const cli_command *command);
void cli_print_usage(FILE *stream, const cli_command *command);

// Complaints. Each ends the line itself and returns how the program then ends.

// "cleave: ...", and how the command is called; command may be NULL.
int cli_misused(const cli_command *command, const char *format, ...) CLV_PRINTF(2, 3);
// The library's sentence about a file, as it is.
int cli_failed(const char *message);

#endif
