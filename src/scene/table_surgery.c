// What cuts, pierces and removes. See key.h; the sentences of the table are those of docs/scenes.md.

#include "scene/table.h"

const scene_group scene_group_remove = {
    .name = "remove",
    .what = "Removes the cells whose centres a zone holds at rest. A word alone is a region.",
    .shorthand = "region",
    .size = sizeof(scene_hold),
    .keys = (const scene_key[]){ZONE_KEYS(scene_hold), {0}},
};

const scene_group scene_group_cut = {
    .name = "cut",
    .what = "Parts a body along facets: with `plane`, those between cells whose centres lie on either side of it; with "
            "another zone, those whose corners all lie in it, at rest (in a region: on its elements); with `surface`, "
            "those between cells that it "
            "parts where "
            "the body is then.",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            SPACE_KEYS(scene_hold),
            {.name = "surface",
             .type = SCENE_TEXT,
             .need = SCENE_CHOICE,
             AT(scene_hold, surface),
             .example = "wall.stl",
             .what = "A file with triangles or quadrangles, relative to the scene."},
            {.name = "particles",
             .type = SCENE_POINTS,
             .need = SCENE_CHOICE,
             AT(scene_hold, particles),
             .quantity = SCENE_LENGTH,
             .example = "[[0, 0, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1]]",
             .what = "Points; the particles nearest to them at rest are meant, and facets with no other corners."},
            {0},
        },
};

const scene_group scene_group_knife = {
    .name = "knife",
    .what = "A cutting edge that moves along a path, and parts the body where it comes, step by step.",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            EDGE_KEYS(scene_hold),
            {0},
        },
};

const scene_group scene_group_pierce = {
    .name = "pierce",
    .what = "Removes the cells that a shape touches, where the body is then.",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            SHAPE_KEYS(scene_hold),
            {.name = "path",
             .type = SCENE_PATH,
             AT(scene_hold, path),
             .quantity = SCENE_LENGTH,
             .example = "[[0, [0, 0, 0]], [1, [0, 0, -3]]]",
             .what = "Times from the event on and displacements, for a shape that moves, and takes what it touches on "
                     "its way."},
            {0},
        },
};

const scene_group scene_group_touching = {
    .name = "touching",
    .what = "A shape in space, which touches cells where the body is.",
    .size = sizeof(scene_where),
    .keys = (const scene_key[]){SHAPE_KEYS(scene_where), {0}},
};

static const char *on_word(uint32_t i) {
  static const char *const words[SCENE_ON_COUNT] = {"hook", "vertex", "edge", "face", "cell"};
  return i < SCENE_ON_COUNT ? words[i] : NULL;
}

const scene_group scene_group_apply = {
    .name = "apply",
    .what = "Applies a rule of topology, or a script, once to each orbit, where it matches. A word alone is a rule of "
            "Cleave's library, `surgery` or `topology`.",
    .shorthand = "rule",
    .size = sizeof(scene_hold),
    .keys =
        (const scene_key[]){
            {.name = "rule",
             .type = SCENE_TEXT,
             .need = SCENE_REQUIRED,
             AT(scene_hold, rule),
             .example = "unsew3",
             .what = "Its name. It has one hook; parameters that are no darts get the `level`."},
            {.name = "file",
             .type = SCENE_TEXT,
             AT(scene_hold, file),
             .example = "mine.rule",
             .what = "A rule file of your own that has it, relative to the scene."},
            {.name = "params",
             .type = SCENE_PARAMETERS,
             AT(scene_hold, params),
             .example = "{toughness: 1.2}",
             .what = "Values for `param`s of the rules: a number, or a list for a vector."},
            {.name = "on",
             .type = SCENE_WORD,
             AT(scene_hold, on),
             .word = on_word,
             .without = "hook",
             .example = "cell",
             .what = "What it is applied to: orbits such as its `hook`'s; a script has to be told."},
            {.name = "level",
             .type = SCENE_WHOLE,
             AT(scene_hold, level),
             .range = {0, CLV_REFINED_LEVELS},
             .without = "0",
             .example = "1",
             .what = "The level that a rule of refinement asks for."},
            {.name = "rounds",
             .type = SCENE_WHOLE,
             AT(scene_hold, rounds),
             .range = {1, 1000},
             .without = "1",
             .example = "20",
             .what = "As often at most it goes over its places, while it matches at one of them."},
            {.name = "most",
             .type = SCENE_WHOLE,
             AT(scene_hold, most),
             WHOLE_FROM(0),
             .without = "0",
             .example = "4",
             .what = "How many times at once, at the places that come first: for rules that say with `rank` which do; "
                     "0: everywhere."},
            WHERE_KEY("in", in, "Cells: orbits that meet one of them, its centre in the zone at rest."),
            WHERE_KEY("along", along, "Particles: only orbits all of whose particles lie in it, at rest."),
            {.name = "touching",
             .type = SCENE_GROUP,
             AT(scene_hold, touching),
             .group = &scene_group_touching,
             .example = "{sphere: {center: [0, 0, 0], radius: 1}}",
             .what = "A shape in space: only cells that it touches, where the body is then."},
            {.name = "path",
             .type = SCENE_PATH,
             AT(scene_hold, path),
             .with = "touching",
             .quantity = SCENE_LENGTH,
             .example = "[[0, [0, 0, 0]], [1, [0, 0, -3]]]",
             .what = "Times from the event on and displacements, for a shape that moves: the rule is applied before "
                     "every step to what it touches on its way."},
            {.name = "for",
             .type = SCENE_REAL,
             AT(scene_hold, lasts),
             .quantity = SCENE_TIME,
             ABOVE(0),
             .example = "0.5",
             .what = "How long it is applied, before every step; that it matches nowhere is not told then. Without "
                     "it, once."},
            {0},
        },
};

const scene_group *const scene_action_groups[CLV_ACTION_KIND_COUNT] = {
    [CLV_ACTION_FIX] = &scene_group_fix,         [CLV_ACTION_RELEASE] = &scene_group_release,
    [CLV_ACTION_MOVE] = &scene_group_move,       [CLV_ACTION_PULL] = &scene_group_pull,
    [CLV_ACTION_REMOVE] = &scene_group_remove,   [CLV_ACTION_CUT] = &scene_group_cut,
    [CLV_ACTION_KNIFE] = &scene_group_knife,     [CLV_ACTION_PIERCE] = &scene_group_pierce,
    [CLV_ACTION_TEAR] = &scene_group_tear,       [CLV_ACTION_SCALPEL] = &scene_group_scalpel,
    [CLV_ACTION_SLICE] = &scene_group_slice,     [CLV_ACTION_REFINE] = &scene_group_refine,
    [CLV_ACTION_COARSEN] = &scene_group_coarsen, [CLV_ACTION_ADAPT] = &scene_group_adapt,
    [CLV_ACTION_APPLY] = &scene_group_apply,
};
