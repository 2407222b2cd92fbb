// Texts that the library hands over whole: pictures and explanations.

#ifndef CLI_RULE_TEXT_H
#define CLI_RULE_TEXT_H

#include "cli.h"

typedef clv_result cli_describer(const clv_program *program, const char *name, clv_text_writer *write, void *user,
                                 clv_error *error);

// Loads the program that all words of the call but the last name, and describes what the last one names, to a file or,
// with path NULL, to standard output.
int cli_describe(const cli_call *call, cli_describer *describe, const char *path);

#endif
