// Zones, and what is done to them. See key.h; the sentences of the table are those of docs/scenes.md.

#include "scene/table.h"

const scene_group scene_group_sphere = {
    .name = "sphere",
    .what = "A ball.",
    .size = sizeof(scene_sphere),
    .keys =
        (const scene_key[]){
            {.name = "center",
             .type = SCENE_VECTOR,
             .need = SCENE_REQUIRED,
             AT(scene_sphere, center),
             .quantity = SCENE_LENGTH,
             .example = "[0, 0, 0]",
             .what = "Its centre."},
            {.name = "radius",
             .type = SCENE_REAL,
             .need = SCENE_REQUIRED,
             AT(scene_sphere, radius),
             .quantity = SCENE_LENGTH,
             ABOVE(0),
             .example = "100",
             .what = "Its radius."},
            {0},
        },
};

const scene_group scene_group_capsule = {
    .name = "capsule",
    .what = "A rod with round ends: what is no further than its radius from a segment.",
    .size = sizeof(scene_capsule),
    .keys =
        (const scene_key[]){
            {.name = "from",
             .type = SCENE_VECTOR,
             .need = SCENE_REQUIRED,
             AT(scene_capsule, from),
             .quantity = SCENE_LENGTH,
             .example = "[0, 0, 0]",
             .what = "One end of the segment."},
            {.name = "to",
             .type = SCENE_VECTOR,
             .need = SCENE_REQUIRED,
             AT(scene_capsule, to),
             .quantity = SCENE_LENGTH,
             .example = "[0, 0, 1]",
             .what = "The other end."},
            {.name = "radius",
             .type = SCENE_REAL,
             .need = SCENE_REQUIRED,
             AT(scene_capsule, radius),
             .quantity = SCENE_LENGTH,
             ABOVE(0),
             .example = "100",
             .what = "Its radius."},
            {0},
        },
};

const scene_group scene_group_plane = {
    .name = "plane",
    .what = "A half space. `cut` takes the plane itself.",
    .size = sizeof(scene_plane),
    .keys =
        (const scene_key[]){
            {.name = "point",
             .type = SCENE_VECTOR,
             .need = SCENE_REQUIRED,
             AT(scene_plane, point),
             .quantity = SCENE_LENGTH,
             .example = "[0.5, 0, 0]",
             .what = "A point of the plane."},
            {.name = "normal",
             .type = SCENE_VECTOR,
             .need = SCENE_REQUIRED,
             AT(scene_plane, normal),
             .example = "[1, 0, 0]",
             .what = "Points into the half space; of any length but 0."},
            {0},
        },
};

#define AXES_KEY                                                                                                       \
  {                                                                                                                    \
    .name = "axes", .type = SCENE_AXES, AT(scene_hold, axes), .without = "xyz", .example = "xz",                       \
    .what = "Along which axes: letters out of `xyz`."                                                                  \
  }

const scene_group scene_group_fix = {
    .name = "fix",
    .what = "Holds the particles of a zone where they are. A word alone is a region.",
    .shorthand = "region",
    .size = sizeof(scene_hold),
    .keys = (const scene_key[]){ZONE_KEYS(scene_hold), AXES_KEY, {0}},
};

const scene_group scene_group_release = {
    .name = "release",
    .what = "Lets the particles of a zone go. A word alone is a region.",
    .shorthand = "region",
    .size = sizeof(scene_hold),
    .keys = (const scene_key[]){ZONE_KEYS(scene_hold), AXES_KEY, {0}},
};

const scene_group scene_group_move = {
    .name = "move",
    .what = "Moves the particles of a zone along a path, from where they are.",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            ZONE_KEYS(scene_hold),
            AXES_KEY,
            {.name = "path",
             .type = SCENE_PATH,
             .need = SCENE_REQUIRED,
             AT(scene_hold, path),
             .quantity = SCENE_LENGTH,
             .example = "[[0, [0, 0, 0]], [1, [0, 0, 0.1]]]",
             .what =
                 "Times and displacements, `[[t, [x, y, z]], ...]`: linear between them, constant outside. In an event "
                 "times count from it."},
            {0},
        },
};

const scene_group scene_group_pull = {
    .name = "pull",
    .what = "Pulls at a zone with a force, which its particles share in equal parts. With `region`, `box` ... (one of "
            "them), and `force` or `path`.",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            ZONE_KEYS(scene_hold),
            {.name = "force",
             .type = SCENE_VECTOR,
             AT(scene_hold, force),
             .quantity = SCENE_FORCE,
             .example = "[0, 0, -10]",
             .what = "The whole force, constant."},
            {.name = "path",
             .type = SCENE_PATH,
             AT(scene_hold, path),
             .quantity = SCENE_FORCE,
             .example = "[[0, [0, 0, 0]], [1, [0, 0, -10]]]",
             .what = "Times and forces, `[[t, [x, y, z]], ...]`, instead of `force`."},
            {0},
        },
};
