// The timetable: what is put on it, and what is due.

#include "physics/zone.h"
#include "world/world.h"

#include <math.h>

// Testing

static clv_result refuse(clv_world *world, const clv_action *action, const char *what) {
  return world_fail(world, CLV_ERROR_ARGUMENT, "action '%s' %s", world_kinds[action->kind].name, what);
}

static bool finite3(const double *v) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static clv_result test_path(clv_world *world, const clv_action *action) {
  const unsigned needs = world_kinds[action->kind].needs;
  const bool given = action->path && action->key_count;
  if ((needs & ACTION_PATH) && !given) return refuse(world, action, "needs a path");
  if (!(needs & (ACTION_PATH | ACTION_MAY_PATH)) || !given) return CLV_OK;
  uint32_t key;
  const char *wrong = physics_path_wrong(action->path, action->key_count, &key);
  if (!wrong && world_kinds[action->kind].use && !(action->path[action->key_count - 1].time > 0))
    return refuse(world, action, "has a path that is over when it begins: give it a key at a later time");
  if (!wrong) return CLV_OK;
  return world_fail(world, CLV_ERROR_ARGUMENT, "the path of action '%s', at key %u (counted from 0): %s",
                    world_kinds[action->kind].name, key, wrong);
}

static clv_result test_zone(clv_world *world, const clv_action *action) {
  const unsigned needs = world_kinds[action->kind].needs;
  const bool by_zone = (needs & ACTION_FACETS) && !action->surface && !action->particles;
  const bool by_plane = (needs & ACTION_SLICE) && !action->key_count;
  if (!(needs & (ACTION_ZONE | ACTION_SHAPE)) && !by_zone && !by_plane) return CLV_OK;
  const char *wrong = physics_zone_wrong(&action->zone);
  if (wrong)
    return world_fail(world, CLV_ERROR_ARGUMENT, "the zone of action '%s': %s", world_kinds[action->kind].name, wrong);
  const clv_zone_kind kind = action->zone.kind;
  if (by_plane && kind != CLV_ZONE_PLANE)
    return refuse(world, action, "needs a plane as its zone, or an edge and a path");
  if ((needs & ACTION_SHAPE) && kind != CLV_ZONE_BOX && kind != CLV_ZONE_SPHERE && kind != CLV_ZONE_CAPSULE)
    return refuse(world, action, "needs a box, a sphere or a capsule as its zone");
  return CLV_OK;
}

static clv_result test_action(clv_world *world, const clv_action *action) {
  if ((unsigned)action->kind >= CLV_ACTION_KIND_COUNT)
    return world_fail(world, CLV_ERROR_ARGUMENT, "there is no action %d", (int)action->kind);
  const unsigned needs = world_kinds[action->kind].needs;
  if (action->body >= world->bodies.count)
    return world_fail(world, CLV_ERROR_ARGUMENT, "action '%s' is for body %u, and there are %u, counted from 0",
                      world_kinds[action->kind].name, action->body, world->bodies.count);
  if (!isfinite(action->time))
    return world_fail(world, CLV_ERROR_ARGUMENT, "the time of action '%s' is no number",
                      world_kinds[action->kind].name);
  if ((needs & ACTION_AXES) && (action->axes == 0 || action->axes > CLV_XYZ))
    return refuse(world, action, "needs axes: a sum of CLV_X, CLV_Y and CLV_Z");
  if ((needs & ACTION_VALUE) && !finite3(action->value)) return refuse(world, action, "has a value that is no number");
  const bool edge = (needs & ACTION_EDGE) || ((needs & ACTION_SLICE) && action->key_count);
  if (edge && (!finite3(action->edge[0]) || !finite3(action->edge[1])))
    return refuse(world, action, "has an edge that is no number");
  if (edge && world_same_point(action->edge[0], action->edge[1]))
    return refuse(world, action, "needs an edge between two points");
  if ((needs & ACTION_FACETS) && action->particle_count && !action->particles)
    return refuse(world, action, "has no list of particles");
  const char *bare = (needs & ACTION_FACETS) && action->surface ? clv_surface_wrong(action->surface) : NULL;
  if (bare)
    return world_fail(world, CLV_ERROR_ARGUMENT, "the surface of action '%s': %s", world_kinds[action->kind].name,
                      bare);
  clv_slice slice = action->slice;
  slice.whole = false; // its plane is the zone
  const char *wrong = needs & ACTION_TEAR      ? clv_tear_wrong(&action->tear)
                      : needs & ACTION_SCALPEL ? clv_scalpel_wrong(&action->scalpel)
                      : needs & ACTION_SLICE   ? clv_slice_wrong(&slice)
                      : needs & ACTION_ADAPT   ? clv_adapt_wrong(&action->adapt)
                      : needs & ACTION_APPLY   ? clv_apply_wrong(&action->apply)
                                               : NULL;
  if (wrong)
    return world_fail(world, CLV_ERROR_ARGUMENT, "action '%s' makes no sense: %s", world_kinds[action->kind].name,
                      wrong);
  const clv_result result = test_path(world, action);
  return result == CLV_OK ? test_zone(world, action) : result;
}

// Inserting

static void free_action(const clv_world *world, world_action *entry) {
  const clv_allocator *a = &world->allocator;
  base_free(a, entry->path, entry->action.key_count * sizeof *entry->path);
  base_free(a, entry->particles, entry->action.particle_count * sizeof *entry->particles);
  if (entry->surface) clv_mesh_free(entry->surface);
  base_free(a, entry->surface, sizeof *entry->surface);
}

static bool is_facet(const clv_mesh *mesh, size_t element) {
  return mesh->kinds[element] == CLV_TRI || mesh->kinds[element] == CLV_QUAD;
}

// What of a mesh can cut.
static bool copy_surface(const clv_world *world, const clv_mesh *from, world_action *entry) {
  clv_mesh *to = entry->surface = base_allocate(&world->allocator, sizeof *to);
  if (!to) return false;
  clv_mesh_init(to, &world->allocator);
  for (size_t p = 0; p < from->point_count; p++)
    if (clv_mesh_add_point(to, from->points[p][0], from->points[p][1], from->points[p][2]) != CLV_OK) return false;
  for (size_t e = 0; e < from->element_count; e++) {
    if (!is_facet(from, e)) continue;
    const size_t first = from->offsets[e];
    if (clv_mesh_add_element(to, (clv_kind)from->kinds[e], from->corners + first, from->offsets[e + 1] - first, 0) !=
        CLV_OK)
      return false;
  }
  return true;
}

static void *copy_list(const clv_world *world, const void *from, size_t size) {
  void *to = base_allocate(&world->allocator, size);
  return to ? memcpy(to, from, size) : NULL;
}

// Copies what the kind needs, and forgets what it does not.
static bool copy_action(const clv_world *world, const clv_action *action, world_action *to) {
  const unsigned needs = world_kinds[action->kind].needs;
  const bool path = (needs & (ACTION_PATH | ACTION_MAY_PATH)) && action->path && action->key_count;
  const bool surface = (needs & ACTION_FACETS) && action->surface;
  const bool particles = (needs & ACTION_FACETS) && action->particles && action->particle_count && !surface;
  bool good = true;
  *to = (world_action){.action = *action};
  to->action.key_count = path ? action->key_count : 0;
  to->action.particle_count = particles ? action->particle_count : 0;
  if (path) good = (to->path = copy_list(world, action->path, action->key_count * sizeof *to->path));
  if (good && particles)
    good = (to->particles = copy_list(world, action->particles, action->particle_count * sizeof *to->particles));
  if (good && surface) good = copy_surface(world, action->surface, to);
  to->action.path = to->path;
  to->action.particles = to->particles;
  to->action.surface = to->surface;
  if (!good) free_action(world, to);
  return good;
}

clv_result world_insert(clv_world *world, uint32_t at, const clv_action *action) {
  world_action entry;
  if (!BASE_RESERVE(&world->allocator, &world->actions, (uint64_t)world->actions.count + 1) ||
      !copy_action(world, action, &entry))
    return world_no_memory(world);
  world_action *list = world->actions.data;
  memmove(list + at + 1, list + at, (world->actions.count - at) * sizeof *list);
  list[at] = entry;
  world->actions.count++;
  return CLV_OK;
}

void world_free_actions(clv_world *world) {
  for (uint32_t k = 0; k < world->actions.count; k++) free_action(world, &world->actions.data[k]);
  BASE_RELEASE(&world->allocator, &world->actions);
  world->next = world->tools.count = 0;
}

clv_result clv_world_schedule(clv_world *world, const clv_action *given) {
  const clv_result result = test_action(world, given);
  if (result != CLV_OK) return result;
  clv_action action = *given;
  action.time = fmax(action.time, clv_world_time(world)); // what is past is now
  uint32_t at = world->actions.count;
  while (at > world->next && world->actions.data[at - 1].action.time > action.time) at--;
  const bool applies = world_kinds[action.kind].needs & ACTION_APPLY;
  if (applies) {
    clv_surgery *surgery = world->bodies.data[action.body].surgery;
    const clv_result ready = clv_surgery_prepare(surgery, &action.apply); // now: worlds made alike have columns alike
    if (ready != CLV_OK) return world_fail(world, ready, "action 'apply': %s", clv_surgery_error(surgery));
  }
  if (applies && !BASE_RESERVE(&world->allocator, &world->rules, (uint64_t)world->rules.count + 1))
    return world_no_memory(world);
  const clv_result inserted = world_insert(world, at, &action);
  if (inserted != CLV_OK || !applies) return inserted;
  world->actions.data[at].rule = world->rules.count;
  world->rules.data[world->rules.count++] = action.apply.rule;
  return CLV_OK;
}

// What is due

clv_result world_action_fail(clv_world *world, const world_action *entry, clv_result code, const char *what) {
  world_fail(world, code, "body '%s', action '%s' at %g s: %s", world->bodies.data[entry->action.body].name,
             world_kinds[entry->action.kind].name, entry->action.time, what);
  world->culprit = entry->action.label;
  return code;
}

void world_sum_surgery(clv_surgery_report *sum, const clv_surgery_report *one) {
  sum->facets += one->facets;
  sum->vertices += one->vertices;
  sum->removed += one->removed;
  sum->refined += one->refined;
  sum->coarsened += one->coarsened;
  sum->split += one->split;
  sum->moved += one->moved;
  sum->refused += one->refused;
  sum->stuck += one->stuck;
  sum->applied += one->applied;
  sum->made += one->made;
  sum->gained += one->gained;
  sum->strained += one->strained;
}

static bool lasts(const world_action *entry) {
  const world_kind *kind = &world_kinds[entry->action.kind];
  return kind->use && (entry->action.key_count || kind->needs & ACTION_LASTS);
}

clv_result world_find_tools(clv_world *world) {
  world->tools.count = 0;
  if (!BASE_RESERVE(&world->allocator, &world->tools, world->actions.count)) return world_no_memory(world);
  for (uint32_t k = 0; k < world->next; k++)
    if (lasts(&world->actions.data[k])) world->tools.data[world->tools.count++] = k;
  return CLV_OK;
}

bool world_is_vain(const clv_world *world, const world_action *entry) {
  return !clv_dart_next(clv_body_map(world->bodies.data[entry->action.body].body), CLV_NO_DART);
}

static clv_result act_due(clv_world *world, double time, clv_world_report *report) {
  const double due_by = time + 1e-9 * world->step; // what 7 * 0.1 misses of 0.7
  while (world->next < world->actions.count && world->actions.data[world->next].action.time <= due_by) {
    world_action *due = &world->actions.data[world->next];
    const world_kind *kind = &world_kinds[due->action.kind];
    clv_surgery_report did = {0};
    due->commits = clv_journal_commits(world->bodies.data[due->action.body].journal);
    if (!BASE_RESERVE(&world->allocator, &world->tools, (uint64_t)world->tools.count + 1))
      return world_no_memory(world);
    const bool vain = world_is_vain(world, due);
    const clv_result result = vain        ? world_in_vain(world, due, "nothing is left of the body")
                              : kind->act ? kind->act(world, due, &did)
                                          : CLV_OK;
    world_sum_surgery(&report->surgery, &did); // also of an event that failed half way
    if (result != CLV_OK) return result;
    if (lasts(due)) world->tools.data[world->tools.count++] = world->next;
    report->events++;
    world->next++;
  }
  return CLV_OK;
}

// From the last step's beginning to this one's. Times come from the clock alone, so a world that was loaded goes on
// where the saved one stood.
static clv_result use_tools(clv_world *world, double time, clv_world_report *report) {
  const double last = world_time_of(world, (double)world->steps - 1);
  uint32_t kept = 0;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; k < world->tools.count; k++) {
    const uint32_t tool = world->tools.data[k];
    const world_action *entry = &world->actions.data[tool];
    const uint32_t keys = entry->action.key_count;
    const double end = keys ? fmax(entry->path[keys - 1].time, 0) : INFINITY;
    const double from = last - entry->action.time, to = time - entry->action.time;
    if (from >= end) continue; // it was at its end before the last step
    if (result == CLV_OK)
      result =
          world_kinds[entry->action.kind].use(world, entry, fmax(from, 0), fmin(fmax(to, 0), end), &report->surgery);
    if (result != CLV_OK || to < end) world->tools.data[kept++] = tool;
  }
  world->tools.count = kept;
  return result;
}

static uint64_t revisions(const clv_world *world) {
  uint64_t sum = 0;
  for (uint32_t k = 0; k < world->bodies.count; k++) sum += clv_map_revision(clv_body_map(world->bodies.data[k].body));
  return sum;
}

clv_result world_act_due(clv_world *world, double time, clv_world_report *report) {
  const uint64_t before = revisions(world);
  world->vain.count = 0;
  clv_result result = act_due(world, time, report);
  if (result == CLV_OK) result = use_tools(world, time, report);
  report->vain = world->vain.count;
  report->topology = revisions(world) != before;
  return result;
}
