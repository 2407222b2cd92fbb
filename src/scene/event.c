// From events to actions on the timetable: zones, files of surfaces, particles by their places. See scene.h.

#include "physics/zone.h"
#include "scene/scene.h"
#include "scene/table.h"

static bool read_surface(const scene_reader *r, clv_scene *scene, const scene_hold *hold, clv_mesh *to) {
  const scene_node *place = scene_place(&hold->part, "surface");
  const char *path = scene_file_path(scene, hold->surface);
  if (!path) return scene_no_memory(r);
  clv_error error = {0};
  const clv_result result = clv_mesh_read(to, path, &error);
  if (result) return scene_fail_below(r, place, result, error.message);
  const char *wrong = clv_surface_wrong(to);
  return !wrong || scene_fail(r, place, "%s cannot cut: %s", hold->surface, wrong);
}

// The particles nearest to the points.
static bool find_particles(const scene_reader *r, clv_body *body, const scene_points *points, clv_action *action) {
  clv_id *ids = base_arena_take(r->arena, points->count * sizeof *ids);
  if (!ids) return scene_no_memory(r);
  const clv_map *map = clv_body_map(body);
  for (uint32_t k = 0; k < points->count; k++) {
    const clv_zone nearest = clv_zone_nearest(points->items[k].x);
    if (physics_zone_vertices(body, &nearest) != CLV_OK) return scene_no_memory(r);
    clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0});
    while (id.index != body->found.data[0]) id = clv_id_next(map, CLV_VERTEX, id);
    ids[k] = id;
  }
  action->particles = ids;
  action->particle_count = points->count;
  return true;
}

clv_adapt_kind scene_adapt_kind(const scene_hold *hold) {
  const scene_key *key = scene_zone_key(&hold->part, &scene_group_adapt);
  return key ? (clv_adapt_kind)clv_adapt_from_name(key->name) : CLV_ADAPT_ZONE;
}

static bool make_adapt(const scene_reader *r, const clv_mesh *mesh, const scene_hold *hold, clv_action *action) {
  clv_adapt *adapt = &action->adapt;
  *adapt = clv_default_adapt();
  adapt->kind = scene_adapt_kind(hold);
  adapt->bound = hold->bound[adapt->kind];
  adapt->slack = hold->slack;
  adapt->level = hold->level;
  adapt->coarsen = hold->coarsen;
  adapt->most = hold->most;
  memcpy(adapt->point, hold->centre, sizeof adapt->point);
  if (!scene_zone_make(r, mesh, &hold->in.part, &scene_group_where, &hold->in.zone, &action->zone)) return false;
  const bool moves = adapt->kind == CLV_ADAPT_ZONE && scene_given(&hold->part, &scene_group_adapt, "path");
  return !moves || action->zone.kind >= CLV_ZONE_BOX ||
         scene_fail(r, scene_place(&hold->part, "path"),
                    "a region of the mesh cannot move; say with 'for' how long its cells are to be fine");
}

static bool make_tear(const scene_reader *r, const clv_body *body, const clv_mesh *mesh, const scene_hold *hold,
                      clv_action *action) {
  clv_tear *tear = &action->tear;
  *tear = clv_default_tear();
  tear->kind = (clv_tear_kind)clv_tear_from_name(scene_zone_key(&hold->part, &scene_group_tear)->name);
  if (tear->kind == CLV_TEAR_FORCE && !clv_column_find(clv_body_map(body), "ks"))
    return scene_fail(
        r, scene_place(&hold->part, "force"),
        "the body has no springs on its edges: let it tear by 'stress' or by 'strain', or take a model of "
        "springs");
  tear->threshold = hold->threshold[tear->kind];
  tear->most = hold->most;
  tear->masked = scene_given(&hold->part, &scene_group_tear, "along");
  return scene_zone_make(r, mesh, &hold->in.part, &scene_group_where, &hold->in.zone, &action->zone) &&
         scene_zone_make(r, mesh, &hold->along.part, &scene_group_where, &hold->along.zone, &tear->mask);
}

static bool make_apply(const scene_reader *r, clv_scene *scene, const clv_mesh *mesh, const scene_hold *hold,
                       clv_action *action) {
  clv_apply *apply = &action->apply;
  if (!scene_apply_make(r, scene, hold, apply)) return false;
  apply->masked = scene_given(&hold->part, &scene_group_apply, "along");
  apply->touching = scene_given(&hold->part, &scene_group_apply, "touching");
  return scene_zone_make(r, mesh, &hold->in.part, &scene_group_where, &hold->in.zone, &action->zone) &&
         scene_zone_make(r, mesh, &hold->along.part, &scene_group_where, &hold->along.zone, &apply->mask) &&
         scene_zone_make(r, mesh, &hold->touching.part, &scene_group_touching, &hold->touching.zone, &apply->shape);
}

static bool make_action(const scene_reader *r, clv_scene *scene, clv_body *body, const clv_mesh *mesh,
                        const scene_hold *hold, clv_mesh *surface, clv_action *action) {
  action->axes = hold->axes;
  action->path = hold->path.items;
  action->key_count = hold->path.count;
  memcpy(action->edge, hold->edge, sizeof action->edge);
  action->scalpel = hold->scalpel;
  if (action->kind == CLV_ACTION_SLICE) {
    action->slice = hold->slice;
    action->path = hold->blade.path.items;
    action->key_count = hold->blade.path.count;
    memcpy(action->edge, hold->blade.edge, sizeof action->edge);
  }
  action->level = hold->level;
  if (action->kind == CLV_ACTION_TEAR) return make_tear(r, body, mesh, hold, action);
  if (action->kind == CLV_ACTION_APPLY) return make_apply(r, scene, mesh, hold, action);
  if (action->kind == CLV_ACTION_ADAPT) return make_adapt(r, mesh, hold, action);
  if (hold->particles.count && !find_particles(r, body, &hold->particles, action)) return false;
  if (hold->surface) {
    action->surface = surface;
    if (!read_surface(r, scene, hold, surface)) return false;
  }
  return scene_zone_make(r, mesh, &hold->part, scene_action_groups[action->kind], &hold->zone, &action->zone);
}

bool scene_event_schedule(const scene_reader *r, clv_scene *scene, clv_world *world, uint32_t body,
                          const clv_mesh *mesh, const scene_event *event) {
  clv_action action = {.kind = CLV_ACTION_GRAVITY, .time = event->at, .body = body, .zone = clv_zone_all()};
  action.label = (uint32_t)(event - scene->root.events.items) + 1;
  clv_mesh surface;
  clv_mesh_init(&surface, &scene->allocator);
  memcpy(action.value, event->gravity, sizeof action.value);
  bool good = true;
  for (int kind = 0; good && kind < CLV_ACTION_KIND_COUNT; kind++) {
    if (!event->action[kind].part.node) continue;
    action.kind = (clv_action_kind)kind;
    good = make_action(r, scene, clv_world_body(world, body), mesh, &event->action[kind], &surface, &action);
  }
  if (good) {
    const clv_result result = clv_world_schedule(world, &action);
    good = result == CLV_OK || scene_fail_below(r, event->part.node, result, clv_world_error(world));
  }
  clv_mesh_free(&surface);
  return good;
}
