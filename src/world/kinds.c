// The kinds of actions: what each needs, and who carries it out. Whoever adds one adds a line here.

#include "world/world.h"

const world_kind world_kinds[CLV_ACTION_KIND_COUNT] = {
    [CLV_ACTION_FIX] = {"fix", ACTION_ZONE | ACTION_AXES, false, world_fix, NULL},
    [CLV_ACTION_RELEASE] = {"release", ACTION_ZONE | ACTION_AXES, false, world_release, NULL},
    [CLV_ACTION_MOVE] = {"move", ACTION_ZONE | ACTION_AXES | ACTION_PATH, false, world_constrain_along, NULL},
    [CLV_ACTION_PULL] = {"pull", ACTION_ZONE | ACTION_PATH, false, world_constrain_along, NULL},
    [CLV_ACTION_GRAVITY] = {"gravity", ACTION_VALUE, false, world_set_gravity, NULL},
    [CLV_ACTION_REMOVE] = {"remove", ACTION_ZONE, true, world_remove, NULL},
    [CLV_ACTION_CUT] = {"cut", ACTION_FACETS, true, world_cut, NULL},
    [CLV_ACTION_KNIFE] = {"knife", ACTION_EDGE | ACTION_PATH, true, NULL, world_sweep_edge},
    [CLV_ACTION_PIERCE] = {"pierce", ACTION_SHAPE | ACTION_MAY_PATH, true, world_pierce, world_sweep_shape},
    [CLV_ACTION_TEAR] = {"tear", ACTION_ZONE | ACTION_TEAR | ACTION_LASTS, true, world_begin_tear, world_tear},
    [CLV_ACTION_REFINE] = {"refine", ACTION_ZONE, true, world_refine, NULL},
    [CLV_ACTION_COARSEN] = {"coarsen", ACTION_ZONE, true, world_coarsen, NULL},
    [CLV_ACTION_ADAPT] = {"adapt", ACTION_ZONE | ACTION_ADAPT | ACTION_MAY_PATH | ACTION_LASTS, true, world_begin_adapt,
                          world_adapt},
    [CLV_ACTION_SCALPEL] = {"scalpel", ACTION_SCALPEL | ACTION_PATH, false, world_take_scalpel, world_move_scalpel},
    [CLV_ACTION_APPLY] = {"apply", ACTION_ZONE | ACTION_APPLY | ACTION_MAY_PATH, true, world_apply, world_apply_again},
    [CLV_ACTION_SLICE] = {"slice", ACTION_SLICE | ACTION_MAY_PATH, true, world_slice, world_sweep_slice},
};

const char *clv_action_name(clv_action_kind kind) {
  return (unsigned)kind < CLV_ACTION_KIND_COUNT ? world_kinds[kind].name : NULL;
}

int clv_action_from_name(const char *name) {
  for (int k = 0; k < CLV_ACTION_KIND_COUNT; k++)
    if (!strcmp(name, world_kinds[k].name)) return k;
  return -1;
}
