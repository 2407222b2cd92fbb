// A private directory for the files of another program, and that program run in it.
//
// The directory is made where TMPDIR says, /tmp without it, readable by its owner alone, and goes away with everything
// in it. The program is found on the PATH and started directly, never through a shell, with nothing to read; what it
// prints is kept in a file there, of which only the end is shown, and only when it fails. While it runs, an interrupt
// or the end of the time allowed stops it, and the directory is removed all the same.

#ifndef CLI_WORKSHOP_H
#define CLI_WORKSHOP_H

#include "cli.h"

typedef struct cli_workshop {
  char path[1024];
} cli_workshop;

// Makes the directory, or complains.
int cli_workshop_open(cli_workshop *shop);
// Removes it.
void cli_workshop_close(cli_workshop *shop);

// The path of a file in it; the buffer is large enough for every name used here.
typedef struct cli_workshop_file {
  char path[1100];
} cli_workshop_file;
cli_workshop_file cli_workshop_at(const cli_workshop *shop, const char *name);

// Whether a program of this name is on the PATH.
bool cli_program_exists(const char *name);

// How a run ended.
typedef enum cli_run_end { CLI_RUN_DONE, CLI_RUN_FAILED, CLI_RUN_INTERRUPTED } cli_run_end;

// Runs a program in the directory; arguments begin with its name and end with NULL, 15 at the
// most. Complains unless it ends with status
// 0. After CLI_RUN_INTERRUPTED *signal is the signal that came: clean up, and raise it again.
cli_run_end cli_workshop_run(const cli_workshop *shop, const char *const *arguments, uint32_t seconds, int *signal);

#endif
