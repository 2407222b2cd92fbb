// A surface that is to be filled: read, built as a 2D map, and found to enclose something.
//
// It must be closed (every edge has two faces), a 2-manifold (its parts do not merely touch) and orientable; which way
// round a file lists its faces does not matter, the map knows. What is handed on is what the map holds: one point for
// each vertex, faces only.

#ifndef CLI_SURFACE_H
#define CLI_SURFACE_H

#include "body.h"

typedef struct cli_surface {
  cli_body body;
  clv_mesh faces; // the map, as a flat mesh
} cli_surface;

// Reads and checks, or complains and leaves nothing behind.
int cli_surface_load(cli_surface *surface, const char *path, bool merge_points);
void cli_surface_free(cli_surface *surface);

#endif
