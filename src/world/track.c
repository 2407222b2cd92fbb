// Tracks of tools that cut: made at the first stroke of one, dropped after its last.

#include "world/world.h"

static uint32_t number_of(const clv_world *world, const world_action *entry) {
  return (uint32_t)(entry - world->actions.data);
}

clv_result world_make_track(clv_world *world, uint32_t action, clv_track **track) {
  const world_action *entry = &world->actions.data[action];
  clv_error error = {0};
  if (!BASE_RESERVE(&world->allocator, &world->tracks, (uint64_t)world->tracks.count + 1))
    return world_no_memory(world);
  *track = clv_track_create(world->bodies.data[entry->action.body].surgery, action, &error);
  if (!*track) return world_action_fail(world, entry, error.code, error.message);
  world->tracks.data[world->tracks.count++] = (world_track){action, *track};
  return CLV_OK;
}

clv_track *world_find_track(const clv_world *world, const world_action *entry) {
  const uint32_t action = number_of(world, entry);
  for (uint32_t k = 0; k < world->tracks.count; k++)
    if (world->tracks.data[k].action == action) return world->tracks.data[k].track;
  return NULL;
}

clv_result world_begin_track(clv_world *world, const world_action *entry) {
  clv_track *track;
  return world_find_track(world, entry) ? CLV_OK : world_make_track(world, number_of(world, entry), &track);
}

void world_end_track(clv_world *world, const world_action *entry) {
  const uint32_t action = number_of(world, entry);
  uint32_t kept = 0;
  for (uint32_t k = 0; k < world->tracks.count; k++) {
    const world_track one = world->tracks.data[k];
    if (one.action == action)
      clv_track_destroy(one.track);
    else
      world->tracks.data[kept++] = one;
  }
  world->tracks.count = kept;
}

void world_free_tracks(clv_world *world) {
  for (uint32_t k = 0; k < world->tracks.count; k++) clv_track_destroy(world->tracks.data[k].track);
  BASE_RELEASE(&world->allocator, &world->tracks);
}
