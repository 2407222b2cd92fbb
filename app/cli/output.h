// Meshes that the program writes, for the commands that have an option --format.

#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include "cli.h"

#define CLI_FORMAT_OPTION                                                                                              \
  { .name = "format", .value_count = 1, .values = "FORMAT", .what = "one of 'cleave formats'; else the ending tells" }

// Complains when --format names no format, or one that the ending of the path contradicts: to be asked before the work,
// not after it.
int cli_check_format(const cli_call *call, const char *path);
// Writes the mesh and says what was written and what the format has no place for.
int cli_write_mesh(const cli_call *call, const clv_mesh *mesh, const char *path);

#endif
