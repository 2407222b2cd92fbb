// Numbers and names as people read them. Names come from files: what could move a terminal's cursor is not printed.

#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include <cleave/base.h>

typedef struct cli_text {
  char text[96];
} cli_text;

// "1,234,567"
cli_text cli_grouped(uint64_t number);
// "1 vertex", "1,234 vertices"
cli_text cli_counted(uint64_t number, const char *one, const char *many);

// "240 tet, 64 hex": the kinds there are. Prints nothing when there are none.
void cli_print_kinds(const uint64_t kinds[CLV_KIND_COUNT]);
// A name, with a '?' for each character that is none.
void cli_print_name(const char *name);

// "path: note: 3 points are ...", when there are any.
void cli_print_note(const char *path, uint64_t count, const char *one, const char *many);

// "vertex", "edge", "face", "volume", and more than one of them.
const char *cli_cell_name(int dimension);
const char *cli_cell_names(int dimension);

#endif
