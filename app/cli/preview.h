// A small picture of a world in the terminal, where the terminal can show one.

#ifndef CLI_PREVIEW_H
#define CLI_PREVIEW_H

#include "cli.h"

// Prints it to standard output; nothing where that is no terminal with colours.
int cli_preview(const clv_world *world);

#endif
