// Actions that change what a body is subject to.

#include "world/world.h"

static clv_result of_body(clv_world *world, const world_action *entry, clv_result result) {
  const clv_body *body = world->bodies.data[entry->action.body].body;
  return result == CLV_OK ? CLV_OK : world_action_fail(world, entry, result, clv_body_error(body));
}

clv_result world_fix(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  (void)report;
  const clv_action *a = &entry->action;
  return of_body(world, entry, clv_body_fix(world->bodies.data[a->body].body, &a->zone, a->axes, NULL));
}

clv_result world_release(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  (void)report;
  const clv_action *a = &entry->action;
  return of_body(world, entry, clv_body_release(world->bodies.data[a->body].body, &a->zone, a->axes, NULL));
}

// A path whose times count from the action.
clv_result world_constrain_along(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  (void)report;
  const clv_action *a = &entry->action;
  clv_body *body = world->bodies.data[a->body].body;
  const size_t size = a->key_count * sizeof(clv_key);
  clv_key *path = base_allocate(&world->allocator, size);
  if (!path) return world_no_memory(world);
  memcpy(path, a->path, size);
  for (uint32_t k = 0; k < a->key_count; k++) path[k].time += a->time;
  const clv_result result = a->kind == CLV_ACTION_MOVE
                                ? clv_body_move(body, &a->zone, a->axes, path, a->key_count, NULL)
                                : clv_body_pull(body, &a->zone, path, a->key_count, NULL);
  base_free(&world->allocator, path, size);
  return of_body(world, entry, result);
}

clv_result world_set_gravity(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  (void)report;
  clv_body_set_gravity(world->bodies.data[entry->action.body].body, entry->action.value);
  return CLV_OK;
}
