// A scene from inside: the file's text, what it says (parts.h), and what its worlds lean on.
//
// Read once, it never changes but for what building a world adds: checked programs of the user's rules, and the zones
// of probes. Steps, in order: node.h reads the text, read.h the keys, check.c what only shows between keys; mesh.c and
// build.c make a world of it.

#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "scene/read.h"

struct clv_scene {
  clv_allocator allocator;
  base_arena arena;
  const char *name;      // as messages say it
  const char *directory; // that files are relative to, with its slash; may be empty
  const char *text;
  scene_root root;
  scene_bodies bodies; // all of them, also the only one
  clv_recorder_def output;
  clv_probe *probes;
  BASE_ARRAY(clv_program *) programs;
};

// The place of a key's value in a part, or of the part.
const scene_node *scene_place(const scene_part *part, const char *key);
// The number of a body by name; -1 where there is none.
int32_t scene_body_number(const clv_scene *scene, const char *name);
// A whole file, ended by zero, in the arena. NULL on failure; the error has no place yet.
char *scene_file_read(base_arena *arena, const char *path, size_t *size, clv_error *error);
// A path that the scene names, as it is to be opened; in the arena.
const char *scene_file_path(clv_scene *scene, const char *path);

// check.c: what no single key can tell.
bool scene_check(const scene_reader *r, const clv_scene *scene);

// zone.c: which key says where, NULL for what has no such key; zones as physics knows them, regions by their names in
// the mesh.
const scene_key *scene_zone_key(const scene_part *part, const scene_group *group);
bool scene_zone_make(const scene_reader *r, const clv_mesh *mesh, const scene_part *part, const scene_group *group,
                     const scene_zone *zone, clv_zone *to);

// A sentence from a room below, with the place in the scene of what asked for it. Returns false.
bool scene_fail_below(const scene_reader *r, const scene_node *place, clv_result code, const char *sentence);

// program.c: programs of rules, which the scene keeps, since views and events lean on them as long as the world lives.
clv_program *scene_program_create(const scene_reader *r, clv_scene *scene);
// A rule file that the scene names.
bool scene_program_add(const scene_reader *r, clv_scene *scene, clv_program *program, const char *file,
                       const scene_node *place);
bool scene_program_check(const scene_reader *r, clv_program *program, const scene_node *place);
// Says that there is no such parameter. Returns false.
bool scene_no_parameter(const scene_reader *r, const clv_program *program, const scene_parameter *parameter);
// The rule that an event applies.
bool scene_apply_make(const scene_reader *r, clv_scene *scene, const scene_hold *hold, clv_apply *to);

// event.c: what an adapt asks for; the zone alone, where it says nothing else.
clv_adapt_kind scene_adapt_kind(const scene_hold *hold);
// Puts an event on the timetable, for one of the bodies; the mesh is what that was made from.
bool scene_event_schedule(const scene_reader *r, clv_scene *scene, clv_world *world, uint32_t body,
                          const clv_mesh *mesh, const scene_event *event);

// mesh.c: fills an initialised mesh, which the caller frees.
bool scene_mesh_make(const scene_reader *r, clv_scene *scene, const scene_mesh *part, clv_mesh *mesh);

#endif
