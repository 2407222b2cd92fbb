// What a picture shows: a mesh file, a frame of a run, or a scene that is simulated first.

#ifndef CLI_SUBJECT_H
#define CLI_SUBJECT_H

#include "cli.h"

typedef struct cli_subject {
  const clv_mesh **meshes; // one a body
  uint32_t count;
  double time; // NaN: of a mesh file, which has none
} cli_subject;

// Whether a path is a scene, by its ending, or a directory.
bool cli_is_scene(const char *path);
bool cli_is_directory(const char *path);

// A mesh file; the frame of a run that is nearest to a time (INFINITY: the last); a scene at a time (INFINITY: at its
// end). Complains when that fails. What was opened is to be freed, whatever the result.
int cli_subject_open(cli_subject *subject, const char *path, double time);
// One frame of a run; a world as it is.
int cli_subject_frame(cli_subject *subject, const clv_series *series, uint32_t frame);
int cli_subject_world(cli_subject *subject, const clv_world *world);
// Room for so many meshes, which are empty; NULL when memory is out.
clv_mesh *cli_subject_room(cli_subject *subject, uint32_t count);
void cli_subject_free(cli_subject *subject);

#endif
