// Rule files, read and checked: what the commands `cleave rule ...` begin with.

#ifndef CLI_RULE_PROGRAM_H
#define CLI_RULE_PROGRAM_H

#include "cli.h"

// All files as one program, checked. A word that is no file may be a module of Cleave's library. Prints every finding
// on standard error and leaves nothing behind when there is any.
int cli_program_load(char *const *paths, int count, clv_program **program);
// The same with values for `param`s: "NAME=V NAME=V,V,V ...", NULL for none.
int cli_program_load_with(char *const *paths, int count, const char *params, clv_program **program);

// Complains that the program has nothing of that name, or nothing of these sorts ("rule", "script"; ended by NULL),
// with the nearest name there is.
int cli_program_unknown(const clv_program *program, const char *name, const char *const *sorts);

#endif
