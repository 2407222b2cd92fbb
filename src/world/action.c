// Actions: the timetable, and what is on it.

#include "physics/zone.h"
#include "world/world.h"

#include <math.h>

static const char *const action_names[CLV_ACTION_KIND_COUNT] = {
    "fix", "release", "move", "pull", "gravity", "remove", "cut",
};

const char *clv_action_name(clv_action_kind kind) {
  return (unsigned)kind < CLV_ACTION_KIND_COUNT ? action_names[kind] : NULL;
}

int clv_action_from_name(const char *name) {
  for (int k = 0; k < CLV_ACTION_KIND_COUNT; k++)
    if (!strcmp(name, action_names[k])) return k;
  return -1;
}

bool world_changes_topology(clv_action_kind kind) {
  return kind == CLV_ACTION_REMOVE || kind == CLV_ACTION_CUT;
}

// The timetable

static clv_result test_action(clv_world *world, const clv_action *action) {
  if ((unsigned)action->kind >= CLV_ACTION_KIND_COUNT)
    return world_fail(world, CLV_ERROR_ARGUMENT, "there is no action %d", (int)action->kind);
  const char *name = clv_action_name(action->kind);
  if (action->body >= world->bodies.count)
    return world_fail(world, CLV_ERROR_ARGUMENT, "action '%s' is for body %u, and there are %u, counted from 0", name,
                      action->body, world->bodies.count);
  if (!isfinite(action->time))
    return world_fail(world, CLV_ERROR_ARGUMENT, "the time of action '%s' is no number", name);
  const bool has_path = action->kind == CLV_ACTION_MOVE || action->kind == CLV_ACTION_PULL;
  if (has_path && (!action->path || action->key_count == 0))
    return world_fail(world, CLV_ERROR_ARGUMENT, "action '%s' needs a path", name);
  const bool has_axes = action->kind <= CLV_ACTION_MOVE;
  if (has_axes && (action->axes == 0 || action->axes > CLV_XYZ))
    return world_fail(world, CLV_ERROR_ARGUMENT, "action '%s' needs axes: a sum of CLV_X, CLV_Y and CLV_Z", name);
  if (action->kind == CLV_ACTION_CUT && action->zone.kind != CLV_ZONE_PLANE)
    return world_fail(world, CLV_ERROR_ARGUMENT, "a cut needs a plane as its zone");
  const char *wrong = action->kind == CLV_ACTION_GRAVITY ? NULL : physics_zone_wrong(&action->zone);
  if (wrong) return world_fail(world, CLV_ERROR_ARGUMENT, "the zone of action '%s': %s", name, wrong);
  for (uint32_t c = 0; c < 3 && action->kind == CLV_ACTION_GRAVITY; c++)
    if (!isfinite(action->value[c]))
      return world_fail(world, CLV_ERROR_ARGUMENT, "the value of action '%s' is no number", name);
  return CLV_OK;
}

clv_result world_insert(clv_world *world, uint32_t at, const clv_action *action) {
  const bool has_path = action->kind == CLV_ACTION_MOVE || action->kind == CLV_ACTION_PULL;
  const size_t size = has_path ? action->key_count * sizeof(clv_key) : 0;
  if (!BASE_RESERVE(&world->allocator, &world->actions, (uint64_t)world->actions.count + 1))
    return world_no_memory(world);
  clv_key *path = size ? base_allocate(&world->allocator, size) : NULL;
  if (size && !path) return world_no_memory(world);
  if (size) memcpy(path, action->path, size);
  world_action *list = world->actions.data;
  memmove(list + at + 1, list + at, (world->actions.count - at) * sizeof *list);
  list[at] = (world_action){.action = *action};
  list[at].action.path = path;
  list[at].action.key_count = has_path ? action->key_count : 0;
  world->actions.count++;
  return CLV_OK;
}

void world_free_actions(clv_world *world) {
  for (uint32_t k = 0; k < world->actions.count; k++) {
    const clv_action *action = &world->actions.data[k].action;
    clv_key *path = NULL; // ours, though the action shows it to others as constant
    memcpy(&path, &action->path, sizeof path);
    base_free(&world->allocator, path, action->key_count * sizeof *path);
  }
  BASE_RELEASE(&world->allocator, &world->actions);
  world->next = 0;
}

clv_result clv_world_schedule(clv_world *world, const clv_action *given) {
  const clv_result result = test_action(world, given);
  if (result != CLV_OK) return result;
  clv_action action = *given;
  action.time = fmax(action.time, clv_world_time(world)); // what is past is now
  uint32_t at = world->actions.count;
  while (at > world->next && world->actions.data[at - 1].action.time > action.time) at--;
  return world_insert(world, at, &action);
}

// Constraints

static clv_result of_body(clv_world *world, const clv_action *action, clv_result result) {
  if (result == CLV_OK) return CLV_OK;
  const world_body *b = &world->bodies.data[action->body];
  return world_fail(world, result, "body '%s', action '%s' at %g s: %s", b->name, clv_action_name(action->kind),
                    action->time, clv_body_error(b->body));
}

// A path whose times count from the action.
static clv_result constrain_along(clv_world *world, const clv_action *action) {
  clv_body *body = world->bodies.data[action->body].body;
  const size_t size = action->key_count * sizeof(clv_key);
  clv_key *path = base_allocate(&world->allocator, size);
  if (!path) return world_no_memory(world);
  memcpy(path, action->path, size);
  for (uint32_t k = 0; k < action->key_count; k++) path[k].time += action->time;
  const clv_result result = action->kind == CLV_ACTION_MOVE
                                ? clv_body_move(body, &action->zone, action->axes, path, action->key_count, NULL)
                                : clv_body_pull(body, &action->zone, path, action->key_count, NULL);
  base_free(&world->allocator, path, size);
  return of_body(world, action, result);
}

clv_result world_constrain(clv_world *world, const clv_action *action) {
  clv_body *body = world->bodies.data[action->body].body;
  switch (action->kind) {
  case CLV_ACTION_FIX:
    return of_body(world, action, clv_body_fix(body, &action->zone, action->axes, NULL));
  case CLV_ACTION_RELEASE:
    return of_body(world, action, clv_body_release(body, &action->zone, action->axes, NULL));
  case CLV_ACTION_MOVE:
  case CLV_ACTION_PULL:
    return constrain_along(world, action);
  case CLV_ACTION_GRAVITY:
    clv_body_set_gravity(body, action->value);
    return CLV_OK;
  default:
    return CLV_OK;
  }
}

// Topology

typedef struct cell_list {
  clv_world *world;
  bool no_memory;
} cell_list;

static void list_cell(void *user, clv_dart cell) {
  cell_list *list = user;
  clv_world *world = list->world;
  list->no_memory =
      list->no_memory || !BASE_RESERVE(&world->allocator, &world->darts, (uint64_t)world->darts.count + 1);
  if (!list->no_memory) world->darts.data[world->darts.count++] = cell;
}

// The cells of the zone, in world->darts.
static clv_result find_cells(clv_world *world, const clv_action *action) {
  cell_list list = {.world = world};
  world->darts.count = 0;
  const clv_result result = physics_zone_cells(world->bodies.data[action->body].body, &action->zone, list_cell, &list);
  if (result != CLV_OK) return of_body(world, action, result);
  return list.no_memory ? world_no_memory(world) : CLV_OK;
}

static uint32_t cell_number(const clv_map *map, clv_dart dart) {
  return clv_id_of(map, CLV_CELL, dart).index;
}

// Appends the dart if its facet is sewn to a cell without a mark.
static clv_result list_facet(clv_world *world, const clv_map *map, clv_dart dart) {
  const clv_dart other = clv_alpha(map, dart, map->dimension);
  if (other == dart || world->bytes.data[cell_number(map, other)]) return CLV_OK;
  if (!BASE_RESERVE(&world->allocator, &world->darts, (uint64_t)world->darts.count + 1)) return world_no_memory(world);
  world->darts.data[world->darts.count++] = dart;
  return CLV_OK;
}

static clv_result list_facets_of(clv_world *world, const clv_map *map, clv_dart cell) {
  const clv_kind kind = clv_cell_kind(map, cell);
  clv_result result = CLV_OK;
  if (kind >= CLV_TEMPLATE_FIRST && kind <= CLV_TEMPLATE_LAST) {
    const clv_template *shape = &clv_templates[kind];
    for (uint32_t f = 0; result == CLV_OK && f < shape->facet_count; f++)
      result = list_facet(world, map, (cell & ~63u) | shape->facet_first[f]);
    return result;
  }
  clv_walk walk;
  if (clv_walk_orbit(&walk, map, CLV_CELL, cell) != CLV_OK) result = world_no_memory(world);
  for (uint32_t k = 0; result == CLV_OK && k < walk.count; k++) result = list_facet(world, map, walk.darts[k]);
  clv_walk_end(&walk);
  return result;
}

// The facets between the cells listed and the others, in world->darts instead of the cells.
static clv_result find_facets(clv_world *world, const clv_map *map) {
  const uint32_t cells = world->darts.count;
  if (cells == 0) return CLV_OK;
  uint32_t most = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id))
    most = id.index > most ? id.index : most;
  if (!BASE_RESERVE(&world->allocator, &world->bytes, (uint64_t)most + 1)) return world_no_memory(world);
  memset(world->bytes.data, 0, (size_t)most + 1);
  for (uint32_t k = 0; k < cells; k++) world->bytes.data[cell_number(map, world->darts.data[k])] = 1;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < cells; k++) result = list_facets_of(world, map, world->darts.data[k]);
  if (result != CLV_OK) return result;
  world->darts.count -= cells;
  memmove(world->darts.data, world->darts.data + cells, world->darts.count * sizeof *world->darts.data);
  return CLV_OK;
}

static clv_result of_map(clv_world *world, const clv_action *action, clv_map *map, clv_result result) {
  if (result == CLV_OK) result = clv_map_commit(map);
  if (result == CLV_OK) return CLV_OK;
  world_fail(world, result, "body '%s', action '%s' at %g s: %s", world->bodies.data[action->body].name,
             clv_action_name(action->kind), action->time, clv_map_error(map));
  clv_map_rollback(map);
  return result;
}

static clv_result nothing_there(clv_world *world, const clv_action *action, const char *what) {
  return world_fail(world, CLV_ERROR_REFUSED, "body '%s', action '%s' at %g s: %s",
                    world->bodies.data[action->body].name, clv_action_name(action->kind), action->time, what);
}

static clv_result begin(clv_world *world, clv_map *map) {
  const clv_result result = clv_map_begin(map);
  return result == CLV_OK ? CLV_OK : world_fail(world, result, "%s", clv_map_error(map));
}

static clv_result cut(clv_world *world, const clv_action *action) {
  clv_map *map = clv_body_map(world->bodies.data[action->body].body);
  clv_result result = find_cells(world, action);
  if (result == CLV_OK) result = find_facets(world, map);
  if (result != CLV_OK) return result;
  if (!world->darts.count) return nothing_there(world, action, "no facet lies between the two sides of the plane");
  result = begin(world, map);
  if (result != CLV_OK) return result;
  for (uint32_t k = 0; result == CLV_OK && k < world->darts.count; k++) // explicit cells list all darts of a facet
    if (!clv_is_free(map, world->darts.data[k], map->dimension))
      result = clv_map_unsew(map, map->dimension, world->darts.data[k]);
  return of_map(world, action, map, result);
}

static clv_result remove_cells(clv_world *world, const clv_action *action) {
  clv_map *map = clv_body_map(world->bodies.data[action->body].body);
  clv_result result = find_cells(world, action);
  if (result != CLV_OK) return result;
  if (!world->darts.count) return nothing_there(world, action, "the zone holds the centre of no cell");
  result = begin(world, map);
  if (result != CLV_OK) return result;
  for (uint32_t k = 0; result == CLV_OK && k < world->darts.count; k++)
    result = clv_map_remove_cell(map, world->darts.data[k]);
  return of_map(world, action, map, result);
}

clv_result world_act(clv_world *world, const clv_action *action) {
  if (action->kind == CLV_ACTION_CUT) return cut(world, action);
  if (action->kind == CLV_ACTION_REMOVE) return remove_cells(world, action);
  return world_constrain(world, action);
}

clv_result world_act_due(clv_world *world, double time, clv_world_report *report) {
  const double due_by = time + 1e-9 * world->step; // what 7 * 0.1 misses of 0.7
  while (world->next < world->actions.count && world->actions.data[world->next].action.time <= due_by) {
    world_action *due = &world->actions.data[world->next];
    due->commits = clv_journal_commits(world->bodies.data[due->action.body].journal);
    const clv_result result = world_act(world, &due->action);
    if (result != CLV_OK) return result;
    if (report) report->events++;
    if (report && world_changes_topology(due->action.kind)) report->topology = true;
    world->next++;
  }
  return CLV_OK;
}
