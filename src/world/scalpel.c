// Scalpels on the timetable: taken up at their time, moved along their path, put down at its end.

#include "surgery/scalpel.h"
#include "physics/body.h"
#include "world/world.h"

static uint32_t number_of(const clv_world *world, const world_action *entry) {
  return (uint32_t)(entry - world->actions.data);
}

static world_scalpel *find(const clv_world *world, uint32_t action) {
  for (uint32_t k = 0; k < world->scalpels.count; k++)
    if (world->scalpels.data[k].action == action) return &world->scalpels.data[k];
  return NULL;
}

clv_result world_take_scalpel(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  (void)report;
  clv_error error = {0};
  if (!BASE_RESERVE(&world->allocator, &world->scalpels, (uint64_t)world->scalpels.count + 1))
    return world_no_memory(world);
  clv_scalpel *scalpel =
      clv_scalpel_create(world->bodies.data[entry->action.body].surgery, &entry->action.scalpel, &error);
  if (!scalpel) return world_action_fail(world, entry, error.code, error.message);
  world->scalpels.data[world->scalpels.count++] =
      (world_scalpel){.action = number_of(world, entry), .scalpel = scalpel};
  return CLV_OK;
}

static clv_result move_stroke(clv_world *world, const world_action *entry, const world_way *way,
                              clv_surgery_report *report) {
  world_scalpel *tool = find(world, number_of(world, entry));
  clv_scalpel_report one;
  const clv_result result = clv_scalpel_move_along(tool->scalpel, way->from, way->to, &one);
  scalpel_add_report(&tool->last, &one);
  *report = one.did;
  return result;
}

clv_result world_move_scalpel(clv_world *world, const world_action *entry, double from, double to,
                              clv_surgery_report *report) {
  const clv_action *a = &entry->action;
  world_scalpel *tool = find(world, number_of(world, entry));
  if (!tool) return CLV_OK; // nothing was left of the body when it was to be taken up
  tool->last = (clv_scalpel_report){0};
  const clv_result result = world_follow(world, entry, from, to, move_stroke, report);
  if (result != CLV_OK || to < a->path[a->key_count - 1].time) return result;
  clv_scalpel_lift(tool->scalpel);
  tool->last.touching = false;
  memset(tool->last.force, 0, sizeof tool->last.force);
  return CLV_OK;
}

void world_free_scalpels(clv_world *world) {
  for (uint32_t k = 0; k < world->scalpels.count; k++) clv_scalpel_destroy(world->scalpels.data[k].scalpel);
  BASE_RELEASE(&world->allocator, &world->scalpels);
}

// As they are seen

uint32_t clv_world_scalpels(const clv_world *world) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < world->actions.count; k++) count += world->actions.data[k].action.kind == CLV_ACTION_SCALPEL;
  return count;
}

bool clv_world_scalpel(const clv_world *world, uint32_t k, clv_scalpel_report *last, double tip[3]) {
  uint32_t action = 0, seen = 0;
  for (; action < world->actions.count; action++)
    if (world->actions.data[action].action.kind == CLV_ACTION_SCALPEL && seen++ == k) break;
  if (action == world->actions.count) return false;
  const clv_action *a = &world->actions.data[action].action;
  const world_scalpel *tool = find(world, action);
  *last = tool ? tool->last : (clv_scalpel_report){0};
  const double now = clv_world_time(world) - (world->steps ? world->step : 0) - a->time; // when it was moved last
  physics_path_at(a->path, a->key_count, now, tip, NULL);
  return true;
}
