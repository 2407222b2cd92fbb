// What no single key can tell: a force or a path, names that must be there, grids and their numbers. See scene.h.

#include "scene/nearest.h"
#include "scene/scene.h"
#include "scene/table.h"

static bool check_plane(const scene_reader *r, const scene_plane *plane) {
  if (!plane->part.node) return true;
  const double *n = plane->normal;
  if (n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 0) return true;
  return scene_fail(r, scene_place(&plane->part, "normal"), "'normal' has no length; it must point somewhere");
}

static bool check_zone(const scene_reader *r, const scene_zone *zone) {
  return check_plane(r, &zone->plane);
}

// A pull has a force or a path.
static bool check_pull(const scene_reader *r, scene_hold *pull) {
  const bool force = scene_given(&pull->part, &scene_group_pull, "force");
  const bool path = scene_given(&pull->part, &scene_group_pull, "path");
  if (force && path) {
    return scene_fail(r, scene_place(&pull->part, "path"), "'force' and 'path' cannot both be given here");
  }
  if (!force && !path) return scene_fail(r, pull->part.node, "one of 'force', 'path' is missing here");
  if (path) return true;
  // A constant force is a path of one key.
  clv_key *key = base_arena_take(r->arena, sizeof *key);
  if (!key) return scene_no_memory(r);
  memcpy(key->value, pull->force, sizeof key->value);
  pull->path.items = key;
  pull->path.count = 1;
  return true;
}

// What lasts for a while has a path of one key: where that ends, so does it.
static bool check_for(const scene_reader *r, scene_hold *hold, const scene_group *group) {
  if (!scene_given(&hold->part, group, "for")) return true;
  if (hold->path.count)
    return scene_fail(r, scene_place(&hold->part, "for"), "'path' and 'for' cannot both be given here");
  clv_key *key = base_arena_take(r->arena, sizeof *key);
  if (!key) return scene_no_memory(r);
  *key = (clv_key){.time = hold->lasts};
  hold->path.items = key;
  hold->path.count = 1;
  return true;
}

static bool check_holds(const scene_reader *r, const scene_holds *holds) {
  for (uint32_t k = 0; k < holds->count; k++) {
    if (!check_zone(r, &holds->items[k].zone)) return false;
  }
  return true;
}

// ---- bodies -------------------------------------------------------------------------------------

static bool check_mesh(const scene_reader *r, const scene_mesh *mesh) {
  if (mesh->file) {
    return mesh->file[0] || scene_fail(r, scene_place(&mesh->part, "file"), "'file' is empty; name a mesh file");
  }
  const bool flat = mesh->grid <= CLV_GRID_MIXED2;
  const char *word = clv_grid_name((clv_grid_kind)mesh->grid);
  if (!flat && mesh->cells[2] == 0) {
    return scene_fail(r, scene_place(&mesh->part, "cells"), "a grid of kind '%s' needs three numbers of 'cells'", word);
  }
  if (!flat && mesh->size[2] == 0) {
    return scene_fail(r, scene_place(&mesh->part, "size"), "a grid of kind '%s' needs three numbers of 'size'", word);
  }
  return true;
}

static bool check_sections(const scene_reader *r, const scene_body *body) {
  const scene_model *rules = body->model.rules.count ? &body->model : NULL;
  for (uint32_t k = 0; k < body->regions.count; k++) {
    scene_section *section = &body->regions.items[k];
    if (!check_zone(r, &section->zone)) return false;
    if (!section->model.rules.count) continue;
    if (rules)
      return scene_fail(r, section->model.part.node, "a body has one set of 'rules', and there is one already");
    rules = &section->model;
  }
  return true;
}

// What a region does not say of its material is the body's.
static void inherit(const scene_body *body) {
  for (uint32_t k = 0; k < body->regions.count; k++) {
    scene_material *to = &body->regions.items[k].material;
    for (uint32_t i = 0; scene_group_material.keys[i].name; i++) {
      const size_t offset = scene_group_material.keys[i].offset;
      if (to->part.given >> i & 1) continue;
      memcpy((char *)to + offset, (const char *)&body->material + offset, sizeof(double));
    }
  }
}

static bool check_body(const scene_reader *r, const scene_body *body) {
  for (uint32_t k = 0; k < body->pull.count; k++) {
    if (!check_pull(r, &body->pull.items[k])) return false;
  }
  if (!check_mesh(r, &body->mesh) || !check_sections(r, body) || !check_holds(r, &body->fix) ||
      !check_holds(r, &body->move) || !check_holds(r, &body->pull)) {
    return false;
  }
  inherit(body);
  return true;
}

// ---- events and probes --------------------------------------------------------------------------

static bool check_body_name(const scene_reader *r, const clv_scene *scene, const scene_part *part, const char *name,
                            bool for_all) {
  if (!name) {
    if (scene->bodies.count == 1 || for_all) return true;
    return scene_fail(r, part->node, "there are %u bodies; 'body' must say which is meant", scene->bodies.count);
  }
  if (scene_body_number(scene, name) >= 0) return true;
  const scene_node *place = scene_place(part, "body");
  if (scene->root.bodies.count == 0) {
    return scene_fail(r, place, "the only body has no name; 'body' is for scenes with 'bodies'");
  }
  scene_nearest nearest = scene_nearest_to(name);
  for (uint32_t b = 0; b < scene->bodies.count; b++) scene_nearest_offer(&nearest, scene->bodies.items[b].part.name);
  return scene_fail(r, place, "there is no body %s%s%s%s", scene_text_show(name).text,
                    nearest.word ? ", did you mean '" : "", nearest.word ? nearest.word : "", nearest.word ? "'?" : "");
}

// Where a path leads a tool, which does nothing when it is over at once.
static bool check_tool(const scene_reader *r, const scene_part *part, const scene_path *path) {
  if (!path->count || path->items[path->count - 1].time > 0) return true;
  return scene_fail(r, scene_place(part, "path"), "'path' is over when it begins: give it a key at a later time");
}

static bool check_event(const scene_reader *r, const clv_scene *scene, scene_event *event) {
  for (int kind = 0; kind < CLV_ACTION_KIND_COUNT; kind++) {
    scene_hold *action = &event->action[kind];
    if (!action->part.node) continue;
    if (!check_zone(r, &action->zone) || !check_zone(r, &action->in.zone) || !check_zone(r, &action->along.zone) ||
        !check_zone(r, &action->touching.zone))
      return false;
    if (kind == CLV_ACTION_PULL && !check_pull(r, action)) return false;
    const bool may_last = kind == CLV_ACTION_APPLY || kind == CLV_ACTION_ADAPT;
    if (may_last && !check_for(r, action, scene_action_groups[kind])) return false;
    const bool is_tool = kind != CLV_ACTION_PULL && kind != CLV_ACTION_MOVE;
    if (!check_tool(r, &action->blade.part, &action->blade.path) ||
        (is_tool && !check_tool(r, &action->part, &action->path)))
      return false;
    if (action->surface && !action->surface[0])
      return scene_fail(r, scene_place(&action->part, "surface"), "'surface' is empty; name a file");
  }
  return check_body_name(r, scene, &event->part, event->body, scene_node_find(event->part.node, "gravity") != NULL);
}

bool scene_check(const scene_reader *r, const clv_scene *scene) {
  const scene_root *root = &scene->root;
  for (uint32_t b = 0; b < scene->bodies.count; b++) {
    if (!check_body(r, &scene->bodies.items[b])) return false;
  }
  for (uint32_t e = 0; e < root->events.count; e++) {
    if (!check_event(r, scene, &root->events.items[e])) return false;
  }
  for (uint32_t p = 0; p < root->output.probes.count; p++) {
    const scene_probe *probe = &root->output.probes.items[p];
    if (!check_zone(r, &probe->zone)) return false;
    if (!check_body_name(r, scene, &probe->part, probe->body, false)) return false;
  }
  return true;
}
