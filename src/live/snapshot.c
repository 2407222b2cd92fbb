// Snapshots: worlds as they were before an edit, and the way back.
//
// A snapshot is what clv_world_save writes, kept in memory, and the settings of then. Going back makes the world anew
// from its scene and loads it, so that nothing of what was undone is left anywhere. A world that was saved with another
// model or method than its scene's is loaded as the scene has it, changed, and given its last bits from the blocks once
// more.

#include "live/live.h"
#include "physics/body.h"

#include <stdio.h>

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

static void free_snapshot(const clv_allocator *a, live_snapshot *s) {
  for (uint32_t k = 0; k < s->blocks.count; k++) {
    live_block *block = &s->blocks.data[k];
    base_free(a, block->name, strlen(block->name) + 1);
    base_free(a, block->data, block->size ? block->size : 1);
  }
  BASE_RELEASE(a, &s->blocks);
  BASE_RELEASE(a, &s->choices);
}

static const live_block *find_block(const live_snapshot *s, const char *name) {
  for (uint32_t k = 0; k < s->blocks.count; k++)
    if (!strcmp(s->blocks.data[k].name, name)) return &s->blocks.data[k];
  return NULL;
}

// A method that remembers accelerations may be the scene's, and another the one that is used: then it begins anew.
static clv_result keep_memories(const clv_live *live, keeping *k) {
  static const double none = 0;
  clv_result result = CLV_OK;
  for (uint32_t b = 0; result == CLV_OK && b < live->body_count; b++) {
    const clv_body *body = clv_world_body(live->world, b);
    const clv_column *column = clv_column_find(clv_body_map(body), "newmark_acceleration");
    char name[64];
    snprintf(name, sizeof name, "body%u.memory.newmark_started", b);
    if (!column || find_block(k->snapshot, name)) continue;
    result = keep(k, name, &none, sizeof none);
    snprintf(name, sizeof name, "body%u.memory.newmark_acceleration", b);
    if (result == CLV_OK)
      result = keep(k, name, clv_column_data(column, CLV_NONE, NULL), 3 * sizeof(double) * clv_body_slots(body));
  }
  return result;
}

static clv_result keep_choices(const clv_live *live, live_snapshot *s) {
  if (!BASE_RESERVE(&live->allocator, &s->choices, live->body_count)) return CLV_ERROR_MEMORY;
  for (uint32_t b = 0; b < live->body_count; b++) s->choices.data[s->choices.count++] = live->bodies[b].choice;
  memcpy(s->settings, live->settings, sizeof s->settings);
  return CLV_OK;
}

static clv_result give(void *user, const char *name, const void **data, size_t *size) {
  const live_block *block = find_block(user, name);
  if (!block) return CLV_ERROR_INPUT;
  *data = block->data;
  *size = block->size;
  return CLV_OK;
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
  clv_result result = clv_world_save(live->world, keep, &k);
  if (result == CLV_OK) result = keep_memories(live, &k);
  if (result == CLV_OK) result = keep_choices(live, &snapshot);
  if (result != CLV_OK) {
    free_snapshot(&live->allocator, &snapshot);
    return clv_error_set(error, result, "the world cannot be kept for an undo (%s): nothing was changed",
                         result == CLV_ERROR_MEMORY ? "out of memory" : clv_world_error(live->world));
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

// ---- worlds -------------------------------------------------------------------------------------

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

// Values of columns and memories that came with the model and the method.
static void give_again(const clv_live *live, const live_snapshot *s, uint32_t number) {
  const clv_map *map = clv_body_map(clv_world_body(live->world, number));
  char name[256];
  const clv_column *column;
  for (uint32_t k = 0; (column = clv_column_list(map, k)); k++)
    for (uint32_t kind = CLV_NONE; kind <= CLV_POLYHEDRON; kind++) {
      uint32_t count = 0;
      void *data = clv_column_data(column, (clv_kind)kind, &count);
      snprintf(name, sizeof name, "body%u.column.%s.%s", number, clv_column_get_def(column)->name,
               kind == CLV_NONE ? "all" : clv_kind_name((clv_kind)kind));
      const live_block *block = data && count ? find_block(s, name) : NULL;
      if (block && block->size == count * clv_column_size(column)) memcpy(data, block->data, block->size);
    }
  const char *what;
  double *values;
  size_t count;
  for (uint32_t k = 0; clv_solver_memory(clv_world_solver(live->world, number), k, &what, &values, &count); k++) {
    snprintf(name, sizeof name, "body%u.memory.%s", number, what);
    const live_block *block = find_block(s, name);
    if (block && block->size == count * sizeof *values) memcpy(values, block->data, block->size);
  }
}

clv_result live_snapshot_restore(clv_live *live, clv_error *error) {
  if (!live->undo.count) return clv_error_set(error, CLV_ERROR_REFUSED, "there is no edit that could be undone");
  const live_snapshot *s = &live->undo.data[live->undo.count - 1];
  clv_result result = live_make_world(live, s, error);
  if (result != CLV_OK) return result;
  memcpy(live->settings, s->settings, sizeof live->settings);
  bool changed = false;
  for (uint32_t b = 0; b < live->body_count; b++) {
    live->bodies[b].choice = s->choices.data[b];
    changed |= s->choices.data[b].model || s->choices.data[b].method >= 0;
  }
  for (uint32_t k = 0; k < LIVE_SETTINGS; k++) changed |= live->settings[k].changed;
  if (changed) {
    result = live_settings_apply(live, error);
    for (uint32_t b = 0; b < live->body_count; b++) give_again(live, s, b);
  }
  live_snapshot_drop(live);
  live->stroke = false;
  live_renew_hello(live);
  return result;
}

clv_result live_reset(clv_live *live, clv_error *error) {
  const clv_result result = live_make_world(live, NULL, error);
  if (result != CLV_OK) return result;
  while (live->undo.count) live_snapshot_drop(live);
  live->stroke = false;
  for (uint32_t b = 0; b < live->body_count; b++) live->bodies[b].choice = (live_choice){NULL, -1};
  live_settings_find(live);
  live_renew_hello(live);
  return CLV_OK;
}
