// What a scene says, as plain structs.
//
// Each struct is what one mapping of the file is read into, by the table of key.h; it begins with where it stood and
// which of its keys were given. All of it lies in the scene's arena and never changes once the scene is read. Nothing
// here is built yet: files are names, regions are words.

#ifndef SCENE_PARTS_H
#define SCENE_PARTS_H

#include "cleave/scene.h"
#include "scene/node.h"

typedef struct scene_part {
  const scene_node *node; // NULL: not in the file, defaults stand here
  const char *name;       // of one in a mapping of names
  uint64_t given;         // bit k: the k-th key of its group
} scene_part;

#define SCENE_LIST_OF(type)                                                                                            \
  struct {                                                                                                             \
    type *items;                                                                                                       \
    uint32_t count;                                                                                                    \
  }

typedef SCENE_LIST_OF(void) scene_list;
typedef SCENE_LIST_OF(const char *) scene_texts;
typedef SCENE_LIST_OF(clv_key) scene_path;

typedef struct scene_point {
  double x[3];
} scene_point;

typedef SCENE_LIST_OF(scene_point) scene_points;

typedef struct scene_region {
  const char *name; // NULL: by tag
  int32_t tag;
} scene_region;

// A parameter of rules: one number, or the components of a vector or matrix.
typedef struct scene_parameter {
  const scene_node *node;
  const char *name;
  double values[9];
  uint32_t count;
} scene_parameter;

typedef SCENE_LIST_OF(scene_parameter) scene_parameters;

typedef struct scene_mesh {
  scene_part part;
  const char *file;
  bool merge;
  uint32_t grid; // a clv_grid_kind
  uint32_t cells[3];
  double size[3];
  uint32_t warp; // a scene_warp
  double scale, origin[3];
} scene_mesh;

enum { SCENE_WARP_NONE, SCENE_WARP_ORGAN };

typedef struct scene_material {
  scene_part part;
  clv_material values;
} scene_material;

typedef struct scene_model {
  scene_part part;
  uint32_t name; // a number of clv_model_list
  scene_texts rules;
  scene_parameters params;
} scene_model;

typedef struct scene_sphere {
  scene_part part;
  double center[3], radius;
} scene_sphere;

typedef struct scene_plane {
  scene_part part;
  double point[3], normal[3];
} scene_plane;

typedef struct scene_capsule {
  scene_part part;
  double from[3], to[3], radius;
} scene_capsule;

// One of these is given.
typedef struct scene_zone {
  scene_region region;
  double box[2][3];
  scene_sphere sphere;
  scene_capsule capsule;
  scene_plane plane;
  double nearest[3];
} scene_zone;

typedef struct scene_section {
  scene_part part;
  scene_zone zone;
  scene_material material;
  scene_model model;
} scene_section;

typedef struct scene_where {
  scene_part part;
  scene_zone zone;
} scene_where;

typedef struct scene_blade {
  scene_part part;
  double edge[2][3];
  scene_path path;
} scene_blade;

// What holds, moves and pulls, at the beginning or by an event; what cuts and pierces.
typedef struct scene_hold {
  scene_part part;
  scene_zone zone;
  uint32_t axes;
  scene_path path;
  double force[3];
  const char *surface;
  scene_points particles;
  double edge[2][3];
  double threshold[CLV_TEAR_KIND_COUNT]; // the one that is given
  scene_where in, along, touching;
  uint32_t most;
  clv_scalpel_def scalpel;
  scene_blade blade;
  clv_slice slice;
  uint32_t level, rounds;
  double bound[CLV_ADAPT_KIND_COUNT]; // the one that is given
  double slack, centre[3];
  bool coarsen;
  const char *rule, *file;
  uint32_t on; // a scene_orbit
  double lasts;
  scene_parameters params;
} scene_hold;

enum { SCENE_ON_HOOK, SCENE_ON_VERTEX, SCENE_ON_EDGE, SCENE_ON_FACE, SCENE_ON_CELL, SCENE_ON_COUNT };

typedef SCENE_LIST_OF(scene_hold) scene_holds;

typedef struct scene_rayleigh {
  scene_part part;
  double mass, stiffness;
} scene_rayleigh;

typedef struct scene_damping {
  scene_part part;
  double drag;
  scene_rayleigh rayleigh;
} scene_damping;

typedef struct scene_body {
  scene_part part;
  scene_mesh mesh;
  scene_material material;
  scene_model model;
  SCENE_LIST_OF(scene_section) regions;
  scene_holds fix, move, pull;
  scene_damping damping;
  bool plane;
} scene_body;

typedef SCENE_LIST_OF(scene_body) scene_bodies;

typedef struct scene_solver {
  scene_part part;
  uint32_t method, linear; // a clv_method, a clv_linear
  double step, tolerance, newton_tolerance, beta, gamma;
  uint32_t iterations, newton_iterations, halvings;
} scene_solver;

typedef struct scene_event {
  scene_part part;
  double at;
  const char *body;
  scene_hold action[CLV_ACTION_KIND_COUNT]; // the one that is given
  double gravity[3];
} scene_event;

typedef struct scene_probe {
  scene_part part;
  scene_zone zone;
  const char *body;
} scene_probe;

enum { SCENE_FORMAT_VTU = 1, SCENE_FORMAT_VTKHDF = 2 };

typedef struct scene_output {
  scene_part part;
  const char *directory;
  uint32_t formats; // bits
  double frames, rows, checkpoint;
  SCENE_LIST_OF(scene_probe) probes;
} scene_output;

typedef struct scene_root {
  scene_part part;
  uint32_t version;
  const char *title;
  scene_body body;     // where there is but one
  scene_bodies bodies; // of names
  double gravity[3];
  scene_solver solver;
  double until;
  SCENE_LIST_OF(scene_event) events;
  scene_output output;
  uint32_t threads;
} scene_root;

#endif
