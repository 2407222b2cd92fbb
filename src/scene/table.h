// What the files of the table of keys share: how its lines are written, and the keys that stand in several groups.

#ifndef SCENE_TABLE_H
#define SCENE_TABLE_H

#include "scene/key.h"

#include <math.h>

extern const scene_group scene_group_sphere;
extern const scene_group scene_group_capsule;
extern const scene_group scene_group_plane;
extern const scene_group scene_group_fix;
extern const scene_group scene_group_release;
extern const scene_group scene_group_move;
extern const scene_group scene_group_pull;
extern const scene_group scene_group_remove;
extern const scene_group scene_group_cut;
extern const scene_group scene_group_knife;
extern const scene_group scene_group_pierce;
extern const scene_group scene_group_where, scene_group_touching;
extern const scene_group scene_group_tear;
extern const scene_group scene_group_refine;
extern const scene_group scene_group_coarsen;
extern const scene_group scene_group_adapt;
extern const scene_group scene_group_apply;
extern const scene_group scene_group_scalpel;
extern const scene_group scene_group_slice;
extern const scene_group scene_group_model;
extern const scene_group scene_group_section;
extern const scene_group scene_group_damping;
extern const scene_group scene_group_body;
extern const scene_group scene_group_mesh;
extern const scene_group scene_group_probe;
// What an action is read by; NULL for gravity.
extern const scene_group *const scene_action_groups[CLV_ACTION_KIND_COUNT];

#define AT(TYPE, FIELD) .offset = offsetof(TYPE, FIELD)
#define ABOVE(bound) .range = {(bound), INFINITY, .above = true, .below = true}
#define FROM(bound) .range = {(bound), INFINITY, .below = true}
#define BETWEEN(low, high) .range = {(low), (high), .above = true, .below = true}
#define WHOLE_FROM(bound) .range = {(bound), UINT32_MAX}

#define PLANE_KEY(TYPE)                                                                                                \
  {                                                                                                                    \
    .name = "plane", .type = SCENE_GROUP, .need = SCENE_CHOICE, AT(TYPE, zone.plane), .group = &scene_group_plane,     \
    .example = "{point: [0.5, 0, 0], normal: [1, 0, 0]}",                                                              \
    .what = "The half space that the normal points into, the plane included."                                          \
  }

// A cutting edge that moves along a path.
#define EDGE_KEYS(TYPE)                                                                                                \
  {.name = "edge",                                                                                                     \
   .type = SCENE_SEGMENT,                                                                                              \
   .need = SCENE_REQUIRED,                                                                                             \
   AT(TYPE, edge),                                                                                                     \
   .quantity = SCENE_LENGTH,                                                                                           \
   .example = "[[0.5, -1, 2], [0.5, 2, 2]]",                                                                           \
   .what = "Its two ends, where the path is 0."},                                                                      \
  {                                                                                                                    \
    .name = "path", .type = SCENE_PATH, .need = SCENE_REQUIRED, AT(TYPE, path), .quantity = SCENE_LENGTH,              \
    .example = "[[0, [0, 0, 0]], [1, [0, 0, -3]]]",                                                                    \
    .what = "Times from the event on and displacements, `[[t, [x, y, z]], ...]`: linear between them. It is taken "    \
            "away at the last."                                                                                        \
  }

#define SHAPE_KEYS(TYPE)                                                                                               \
  {.name = "box",                                                                                                      \
   .type = SCENE_CORNERS,                                                                                              \
   .need = SCENE_CHOICE,                                                                                               \
   AT(TYPE, zone.box),                                                                                                 \
   .quantity = SCENE_LENGTH,                                                                                           \
   .example = "[[0, 0, 0], [1, 1, 1]]",                                                                                \
   .what = "A box by its least and its greatest corner, borders included."},                                           \
      {.name = "sphere",                                                                                               \
       .type = SCENE_GROUP,                                                                                            \
       .need = SCENE_CHOICE,                                                                                           \
       AT(TYPE, zone.sphere),                                                                                          \
       .group = &scene_group_sphere,                                                                                   \
       .example = "{center: [0, 0, 0], radius: 100}",                                                                  \
       .what = "A ball."},                                                                                             \
  {                                                                                                                    \
    .name = "capsule", .type = SCENE_GROUP, .need = SCENE_CHOICE, AT(TYPE, zone.capsule),                              \
    .group = &scene_group_capsule, .example = "{from: [0, 0, 0], to: [0, 0, 1], radius: 100}",                         \
    .what = "A rod with round ends."                                                                                   \
  }

// Zones that may hold several particles.
#define SPACE_KEYS(TYPE)                                                                                               \
  {.name = "region",                                                                                                   \
   .type = SCENE_REGION,                                                                                               \
   .need = SCENE_CHOICE,                                                                                               \
   AT(TYPE, zone.region),                                                                                              \
   .example = "all",                                                                                                   \
   .what = "A region of the mesh by its name (Gmsh's physical names) or its tag; `all` for everything."},              \
      SHAPE_KEYS(TYPE), PLANE_KEY(TYPE)

#define ZONE_KEYS(TYPE)                                                                                                \
  SPACE_KEYS(TYPE), {                                                                                                  \
    .name = "nearest", .type = SCENE_VECTOR, .need = SCENE_CHOICE, AT(TYPE, zone.nearest), .quantity = SCENE_LENGTH,   \
    .example = "[1, 1, 1]", .what = "The one particle (or cell) nearest to a point."                                   \
  }

// A zone that something is restricted to.
#define WHERE_KEY(NAME, FIELD, WHAT)                                                                                   \
  {                                                                                                                    \
    .name = (NAME), .type = SCENE_GROUP, AT(scene_hold, FIELD), .group = &scene_group_where, .without = "all",         \
    .example = "{box: [[0, 0, 0], [1, 1, 1]]}", .what = (WHAT)                                                         \
  }

// The keys of a body stand in the root, too, where they describe the only one.
#define BODY_KEYS(TYPE, PREFIX)                                                                                        \
  {.name = "material",                                                                                                 \
   .type = SCENE_GROUP,                                                                                                \
   AT(TYPE, PREFIX material),                                                                                          \
   .group = &scene_group_material,                                                                                     \
   .with = "mesh",                                                                                                     \
   .example = "{young: 1e6}",                                                                                          \
   .what = "What it is made of."},                                                                                     \
      {.name = "model",                                                                                                \
       .type = SCENE_GROUP,                                                                                            \
       AT(TYPE, PREFIX model),                                                                                         \
       .group = &scene_group_model,                                                                                    \
       .with = "mesh",                                                                                                 \
       .without = "fem-corotational",                                                                                  \
       .example = "stvk",                                                                                              \
       .what = "Which forces act inside."},                                                                            \
      {.name = "regions",                                                                                              \
       .type = SCENE_LIST,                                                                                             \
       AT(TYPE, PREFIX regions),                                                                                       \
       .group = &scene_group_section,                                                                                  \
       .with = "mesh",                                                                                                 \
       .example = "[{box: [[0, 0, 0], [1, 1, 1]], model: stvk}]",                                                      \
       .what = "Zones with a material or a model of their own."},                                                      \
      {.name = "fix",                                                                                                  \
       .type = SCENE_LIST,                                                                                             \
       AT(TYPE, PREFIX fix),                                                                                           \
       .group = &scene_group_fix,                                                                                      \
       .with = "mesh",                                                                                                 \
       .example = "[{box: [[0, 0, 0], [0, 1, 1]]}]",                                                                   \
       .what = "Particles that are held."},                                                                            \
      {.name = "move",                                                                                                 \
       .type = SCENE_LIST,                                                                                             \
       AT(TYPE, PREFIX move),                                                                                          \
       .group = &scene_group_move,                                                                                     \
       .with = "mesh",                                                                                                 \
       .example = "[{nearest: [0, 0, 0], path: [[0, [0, 0, 0]], [1, [0, 0, 1 cm]]]}]",                                 \
       .what = "Particles that are moved."},                                                                           \
      {.name = "pull",                                                                                                 \
       .type = SCENE_LIST,                                                                                             \
       AT(TYPE, PREFIX pull),                                                                                          \
       .group = &scene_group_pull,                                                                                     \
       .with = "mesh",                                                                                                 \
       .example = "[{nearest: [1, 1, 1], force: [0, 0, -10]}]",                                                        \
       .what = "Forces from outside."},                                                                                \
      {.name = "damping",                                                                                              \
       .type = SCENE_GROUP,                                                                                            \
       AT(TYPE, PREFIX damping),                                                                                       \
       .group = &scene_group_damping,                                                                                  \
       .with = "mesh",                                                                                                 \
       .example = "{drag: 0.1}",                                                                                       \
       .what = "What takes motion away."},                                                                             \
  {                                                                                                                    \
    .name = "plane", .type = SCENE_BOOL, AT(TYPE, PREFIX plane), .with = "mesh", .without = "false",                   \
    .example = "false", .what = "Whether a surface stays in its plane z = const."                                      \
  }

#endif
