// Where a rule is to be applied, as the command line says it.
//
// A place is a dart by its number, or a dart of something that people know: `cell:7`, the element 7 of the file;
// `vertex:3`, its point 3; `facet:7:8`, where two elements meet; `path:12+80+96`, several darts in order. `all` is one
// dart for every orbit of the rule's hook, `all:face` for every face.

#ifndef CLI_RULE_PLACE_H
#define CLI_RULE_PLACE_H

#include "body.h"

enum { CLI_PLACES = 8 };

// What one parameter gets.
typedef struct cli_place {
  clv_dart *darts;
  uint32_t count;
  bool is_path;
} cli_place;

// Reads "PLACE,PLACE..." or complains; places are freed in any case.
int cli_places_read(const cli_call *call, const cli_body *body, const char *text, cli_place *places, int *count);
void cli_places_free(cli_place *places, int count);

// The orbit of "all:face"; complains about another word.
int cli_place_orbit(const cli_call *call, const char *name, clv_orbit *orbit);

#endif
