// A file that was read and built: the flat mesh, the map made from it, and how that went. Of long work it says where it
// is, on standard error and only to a terminal: the stages of what is large, and of anything else once it has taken two
// seconds.

#ifndef CLI_BODY_H
#define CLI_BODY_H

#include "cli.h"

#include <time.h>

#define CLI_MERGE_OPTION                                                                                               \
  { .name = "merge-points", .what = "points with equal coordinates are one vertex" }

typedef struct cli_body {
  const char *path;
  clv_mesh mesh;
  clv_map *map;
  clv_build_report report;
  bool large;
  struct timespec started;
} cli_body;

// Reads and builds, or complains and leaves nothing behind.
int cli_body_load(cli_body *body, const char *path, bool merge_points);
void cli_body_free(cli_body *body);

// Says that the next stage of the work begins: "checking the map".
void cli_body_stage(const cli_body *body, const char *what);

#endif
