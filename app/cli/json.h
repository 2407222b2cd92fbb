// JSON, written as it goes: one member to a line, two blanks a level. Texts are made valid UTF-8, and numbers that JSON
// does not have become null.

#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <cleave/base.h>

#include <stdio.h>

typedef struct cli_json {
  FILE *stream;
  int depth;
  bool filled; // something stands before the next member
} cli_json;

// Each writes a member of an object, or, with a NULL name, an element of an array or the whole document.
void cli_json_open(cli_json *json, const char *name, char bracket); // '{' or '['
void cli_json_close(cli_json *json, char bracket);                  // '}' or ']'; the outermost ends the document
void cli_json_text(cli_json *json, const char *name, const char *text);
void cli_json_integer(cli_json *json, const char *name, int64_t value);
void cli_json_count(cli_json *json, const char *name, uint64_t value);
void cli_json_real(cli_json *json, const char *name, double value);
void cli_json_bool(cli_json *json, const char *name, bool value);
void cli_json_null(cli_json *json, const char *name);

#endif
