// The command line, taken apart by a command's own table.
//
// Options may stand anywhere behind the command; "--" ends them. A value follows its option or is joined to it: -o
// FILE, -oFILE, --output FILE, --output=FILE. A word that begins like a negative number is no option, and no value
// begins like an option, so that a forgotten one is noticed where it is missing.

#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include "cli.h"

// Fills a call, or complains. The words of the call are moved to the front of `words`; all point into it. When --help
// is among them nothing else has to be there.
int cli_parse(const cli_command *command, int count, char **words, cli_call *call);

// The values of an option, or NULL when it was not given.
const char *const *cli_values(const cli_call *call, const char *option);
// The value of an option that has one, or NULL.
const char *cli_value(const cli_call *call, const char *option);
bool cli_flag(const cli_call *call, const char *option);

enum { CLI_MOST_THREADS = 1024 };

// Numbers, without mercy: nothing before or behind them, decimal, in range. `name` is what the number is called in the
// complaint: "NX must be a whole number from 1 to 10, not '0x4'".
int cli_whole_number(const cli_call *call, const char *name, const char *text, uint32_t least, uint32_t most,
                     uint32_t *number);
int cli_length(const cli_call *call, const char *name, const char *text, double *length);
int cli_number(const cli_call *call, const char *name, const char *text, double *number);
// "X,Y,Z"
int cli_vector(const cli_call *call, const char *name, const char *text, double vector[3]);
int cli_time(const cli_call *call, const char *name, const char *text, double *seconds);

#endif
