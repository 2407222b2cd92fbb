// What makes cells finer and coarser. See key.h; the sentences of the table are those of docs/scenes.md.

#include "scene/table.h"

const scene_group scene_group_refine = {
    .name = "refine",
    .what = "Makes the cells finer whose centres a zone holds at rest: tetrahedra and hexahedra fall in eight, "
            "triangles and "
            "quadrangles in four. A word alone is a region.",
    .shorthand = "region",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            ZONE_KEYS(scene_hold),
            {.name = "level",
             .type = SCENE_WHOLE,
             AT(scene_hold, level),
             .range = {1, CLV_REFINED_LEVELS},
             .without = "1",
             .example = "2",
             .what = "How often they are halved, counted from the mesh."},
            {0},
        },
};

const scene_group scene_group_coarsen = {
    .name = "coarsen",
    .what =
        "Puts cells together again that came of one and all lie in a zone at rest, where nothing was cut in between. A "
        "word alone is a region.",
    .shorthand = "region",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            ZONE_KEYS(scene_hold),
            {.name = "level",
             .type = SCENE_WHOLE,
             AT(scene_hold, level),
             WHOLE_FROM(0),
             .without = "0",
             .example = "1",
             .what = "How fine they stay."},
            {0},
        },
};

const scene_group scene_group_adapt = {
    .name = "adapt",
    .what = "From the event on, before every step, cells are refined where one of `near`, `stress` and `gradient` asks "
            "for it, "
            "and put together again where it no longer does.",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            {.name = "near",
             .type = SCENE_REAL,
             .need = SCENE_CHOICE,
             AT(scene_hold, bound[CLV_ADAPT_NEAR]),
             .quantity = SCENE_LENGTH,
             ABOVE(0),
             .example = "0.1",
             .what = "Fine where a cell's centre is nearer to `point` than this."},
            {.name = "stress",
             .type = SCENE_REAL,
             .need = SCENE_CHOICE,
             AT(scene_hold, bound[CLV_ADAPT_STRESS]),
             .quantity = SCENE_PRESSURE,
             ABOVE(0),
             .example = "20 kPa",
             .what = "Fine where von Mises' stress is above this."},
            {.name = "gradient",
             .type = SCENE_REAL,
             .need = SCENE_CHOICE,
             AT(scene_hold, bound[CLV_ADAPT_GRADIENT]),
             ABOVE(0),
             .example = "2",
             .what = "Fine where strain differs by more than this from that of a neighbour, in 1/m."},
            {.name = "point",
             .type = SCENE_VECTOR,
             AT(scene_hold, centre),
             .quantity = SCENE_LENGTH,
             .without = "[0, 0, 0]",
             .example = "[0.5, 0.5, 1]",
             .what = "What `near` is near to, where the path is 0."},
            {.name = "path",
             .type = SCENE_PATH,
             AT(scene_hold, path),
             .quantity = SCENE_LENGTH,
             .example = "[[0, [0, 0, 0]], [1, [0, 0, -3]]]",
             .what = "Times from the event on and displacements of the point; adapting ends with it."},
            WHERE_KEY("in", in, "Cells that may be refined."),
            {.name = "level",
             .type = SCENE_WHOLE,
             AT(scene_hold, level),
             .range = {1, CLV_REFINED_LEVELS},
             .without = "1",
             .example = "2",
             .what = "The finest they get."},
            {.name = "slack",
             .type = SCENE_REAL,
             AT(scene_hold, slack),
             FROM(0),
             .without = "0.2",
             .example = "0.5",
             .what = "How far, in parts of the bound, the criterion must be gone before cells are put together."},
            {.name = "coarsen",
             .type = SCENE_BOOL,
             AT(scene_hold, coarsen),
             .without = "true",
             .example = "false",
             .what = "Whether they are at all."},
            {.name = "most",
             .type = SCENE_WHOLE,
             AT(scene_hold, most),
             WHOLE_FROM(0),
             .without = "0",
             .example = "4",
             .what = "How many cells are refined a step; 0: all."},
            {0},
        },
};
