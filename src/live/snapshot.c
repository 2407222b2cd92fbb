// Snapshots: worlds as they were before an edit, and the way back.
//
// A snapshot is what clv_world_save writes, kept in memory. Going back makes the world anew from its scene and
// loads it, so that nothing of what was undone is left anywhere. Settings are not part of it: sliders stay where they are.

#include "live/live.h"
#include "physics/body.h"

typedef struct keeping {
  const clv_allocator *allocator;
  live_snapshot *snapshot;
} keeping;

static clv_result keep(void *user, const char *name, const void *data, size_t size) {
  const keeping *k = user;
  live_snapshot *s = k->snapshot;
  if (!BASE_RESERVE(k->allocator, &s->blocks, (uint64_t)s->blocks.count + 1)) return CLV_ERROR_MEMORY;
  live_block block = {.size = size};
  block.name = base_allocate(k->allocator, strlen(name) + 1);
  block.data = base_allocate(k->allocator, size ? size : 1);
  if (!block.name || !block.data) {
    if (block.name) base_free(k->allocator, block.name, strlen(name) + 1);
    if (block.data) base_free(k->allocator, block.data, size ? size : 1);
    return CLV_ERROR_MEMORY;
  }
  memcpy(block.name, name, strlen(name) + 1);
  if (size) memcpy(block.data, data, size);
  s->blocks.data[s->blocks.count++] = block;
  s->bytes += size;
  return CLV_OK;
}

static clv_result give(void *user, const char *name, const void **data, size_t *size) {
  const live_snapshot *s = user;
  for (uint32_t k = 0; k < s->blocks.count; k++) {
    if (strcmp(s->blocks.data[k].name, name) != 0) continue;
    *data = s->blocks.data[k].data;
    *size = s->blocks.data[k].size;
    return CLV_OK;
  }
  return CLV_ERROR_INPUT;
}

static void free_snapshot(const clv_allocator *a, live_snapshot *s) {
  for (uint32_t k = 0; k < s->blocks.count; k++) {
    live_block *block = &s->blocks.data[k];
    base_free(a, block->name, strlen(block->name) + 1);
    base_free(a, block->data, block->size ? block->size : 1);
  }
  BASE_RELEASE(a, &s->blocks);
}

static void forget_oldest(clv_live *live) {
  free_snapshot(&live->allocator, &live->undo.data[0]);
  live->undo.count--;
  memmove(live->undo.data, live->undo.data + 1, live->undo.count * sizeof *live->undo.data);
}

static size_t total(const clv_live *live) {
  size_t bytes = 0;
  for (uint32_t k = 0; k < live->undo.count; k++) bytes += live->undo.data[k].bytes;
  return bytes;
}

clv_result live_snapshot_push(clv_live *live, clv_error *error) {
  live_snapshot snapshot = {.bytes = 0};
  keeping k = {&live->allocator, &snapshot};
  if (!BASE_RESERVE(&live->allocator, &live->undo, (uint64_t)live->undo.count + 1))
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: nothing was changed");
  const clv_result result = clv_world_save(live->world, keep, &k);
  if (result != CLV_OK) {
    free_snapshot(&live->allocator, &snapshot);
    return clv_error_set(error, result, "%s", clv_world_error(live->world));
  }
  live->undo.data[live->undo.count++] = snapshot;
  while (live->undo.count > 1 && (live->undo.count > LIVE_SNAPSHOTS || total(live) > (size_t)LIVE_SNAPSHOT_MB << 20))
    forget_oldest(live);
  return CLV_OK;
}

void live_snapshot_drop(clv_live *live) {
  if (live->undo.count) free_snapshot(&live->allocator, &live->undo.data[--live->undo.count]);
}

void live_snapshot_free(clv_live *live) {
  while (live->undo.count) live_snapshot_drop(live);
  BASE_RELEASE(&live->allocator, &live->undo);
}

// ---- worlds ----------------------------------------------------------------------------------------------------------

static clv_result show_bodies(const clv_live *live, clv_world *world, clv_error *error) {
  clv_result result = CLV_OK;
  for (uint32_t b = 0; result == CLV_OK && b < live->body_count; b++)
    result = live_show_create(&live->bodies[b].show, &live->allocator, clv_world_body(world, b),
                              clv_world_surgery(world, b), error);
  return result;
}

static void leave_bodies(const clv_live *live) {
  for (uint32_t b = 0; b < live->body_count; b++) live_show_leave(&live->bodies[b].show);
}

// Particles that somebody held by hand are held in their column alone.
static void mark_held(const clv_live *live, clv_world *world) {
  for (uint32_t b = 0; b < live->body_count; b++) {
    clv_body *body = clv_world_body(world, b);
    const uint32_t *held = clv_body_held(body);
    for (uint32_t s = 1; s < clv_body_slots(body) && !body->holds; s++) body->holds = held[s] != 0;
    body->subject++;
  }
}

// The world before goes only when the new one stands.
clv_result live_make_world(clv_live *live, const live_snapshot *snapshot, clv_error *error) {
  clv_world *world = clv_scene_world(live->scene, live->def.threads, error), *before = live->world;
  if (!world) return error->code;
  if (before) {
    live_grab_leave(live);
    leave_bodies(live);
  }
  clv_result result = show_bodies(live, world, error);
  if (result == CLV_OK && snapshot) {
    live_snapshot copy = *snapshot;
    result = clv_world_load(world, give, &copy);
    if (result != CLV_OK) clv_error_set(error, result, "%s", clv_world_error(world));
  }
  if (result == CLV_OK && snapshot) mark_held(live, world);
  if (result != CLV_OK) {
    leave_bodies(live);
    clv_world_destroy(world);
    clv_error again = {CLV_OK, ""};
    if (before && show_bodies(live, before, &again) != CLV_OK) live_note(live, true, "%s", again.message);
    return result;
  }
  live->world = world;
  clv_world_destroy(before);
  live->changed = true;
  for (uint32_t b = 0; b < live->body_count; b++) live->bodies[b].revision = live->bodies[b].subject = UINT64_MAX;
  return CLV_OK;
}

clv_result live_snapshot_restore(clv_live *live, clv_error *error) {
  if (!live->undo.count) return clv_error_set(error, CLV_ERROR_REFUSED, "there is no edit that could be undone");
  clv_result result = live_make_world(live, &live->undo.data[live->undo.count - 1], error);
  if (result != CLV_OK) return result;
  live_snapshot_drop(live);
  live->stroke = false;
  return live_settings_apply(live, error);
}

clv_result live_reset(clv_live *live, clv_error *error) {
  const clv_result result = live_make_world(live, NULL, error);
  if (result != CLV_OK) return result;
  while (live->undo.count) live_snapshot_drop(live);
  live->stroke = false;
  for (uint32_t b = 0; b < live->body_count; b++) {
    live->bodies[b].model = NULL;
    live->bodies[b].method = -1;
  }
  live_settings_find(live);
  return CLV_OK;
}
