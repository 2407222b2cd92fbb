// Scenes: what to simulate, in a short YAML file.
//
// A scene is read whole and checked before anything is built: an unknown key, a wrong type, a number out of its range,
// a zone that needs what it lacks each give "scene.yaml:12:5: what, and what to do" (with the nearest word that would
// be right). A scene may name files (meshes, rules), relative to its own place. docs/scenes.md describes every key; the
// same table of keys gives the reference, `clv_scene_keys`, and `clv_scene_schema`, so none can lag behind.

#ifndef CLEAVE_SCENE_H
#define CLEAVE_SCENE_H

#include "cleave/io.h"
#include "cleave/result.h"

CLV_BEGIN_DECLS

typedef struct clv_scene clv_scene;

// NULL on failure. `allocator` may be NULL.
CLV_API clv_scene *clv_scene_read(const char *path, const clv_allocator *allocator, clv_error *error);
// From memory: `name` stands in messages, and gives the place that files are relative to.
CLV_API clv_scene *clv_scene_parse(const char *name, const char *text, size_t size, const clv_allocator *allocator,
                                   clv_error *error);
CLV_API void clv_scene_destroy(clv_scene *scene);

// Builds the world: reads meshes and rules, makes bodies, schedules events. threads 0: as the scene says. Errors in
// what the scene names carry the scene's place, too. The scene must outlive the world (it owns the programs of user's
// rules).
CLV_API clv_world *clv_scene_world(clv_scene *scene, uint32_t threads, clv_error *error);

// Where an event stands, by the label that clv_world_culprit gives for it; false for a label that is no event's.
CLV_API bool clv_scene_event_place(const clv_scene *scene, uint32_t label, uint32_t *line, uint32_t *column);
// When it is due, s; NAN for a label that is no event's. They are numbered from 1 on.
CLV_API double clv_scene_event_time(const clv_scene *scene, uint32_t label);

CLV_API const char *clv_scene_text(const clv_scene *scene);
CLV_API const char *clv_scene_title(const clv_scene *scene);
// Until when to run, s.
CLV_API double clv_scene_until(const clv_scene *scene);
CLV_API uint32_t clv_scene_threads(const clv_scene *scene);
// What to record; directory NULL where the scene does not say one. Lives as long as the scene; probes in regions of a
// mesh are known once a world was built.
CLV_API const clv_recorder_def *clv_scene_output(const clv_scene *scene);

// The scene in words: what is built of what, which laws act and how their constants follow from the material, the
// constraints, how it is solved, what is written, defaults that were taken.
CLV_API clv_result clv_scene_explain(clv_scene *scene, clv_text_writer *write, void *user, clv_error *error);
// The JSON schema (draft 2020-12) of scene files, for editors; and the reference of all keys, as Markdown.
CLV_API clv_result clv_scene_schema(clv_text_writer *write, void *user, clv_error *error);
CLV_API clv_result clv_scene_keys(clv_text_writer *write, void *user, clv_error *error);

CLV_END_DECLS

#endif
