// From what a scene calls a zone to what physics does. See scene.h.

#include "scene/nearest.h"
#include "scene/scene.h"

#include <stdio.h>

static bool has_tag(const clv_mesh *mesh, int32_t tag) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (mesh->tags[e] == tag) return true;
  }
  return false;
}

static bool no_region(const scene_reader *r, const clv_mesh *mesh, const scene_node *place, const char *name) {
  scene_nearest nearest = scene_nearest_to(name);
  scene_phrase all = {"; it has no named regions"};
  size_t at = 0;
  for (size_t i = 0; i < mesh->region_count; i++) {
    scene_nearest_offer(&nearest, mesh->regions[i].name);
    if (at < sizeof all.text) {
      at += (size_t)snprintf(all.text + at, sizeof all.text - at, "%s%s", i ? ", " : "; there are ",
                             scene_text_show(mesh->regions[i].name).text);
    }
  }
  const scene_shown shown = scene_text_show(name);
  if (!nearest.word) return scene_fail(r, place, "the mesh has no region %s%s", shown.text, all.text);
  return scene_fail(r, place, "the mesh has no region %s, did you mean %s?", shown.text,
                    scene_text_show(nearest.word).text);
}

static bool make_region(const scene_reader *r, const clv_mesh *mesh, const scene_node *place,
                        const scene_region *region, clv_zone *to) {
  *to = clv_zone_region(region->tag);
  if (!region->name) {
    if (has_tag(mesh, region->tag)) return true;
    return scene_fail(r, place, "no element of the mesh has the tag %d", region->tag);
  }
  for (size_t i = 0; i < mesh->region_count; i++) {
    if (strcmp(mesh->regions[i].name, region->name) != 0) continue;
    to->region = mesh->regions[i].tag;
    to->dimension = mesh->regions[i].dimension;
    return true;
  }
  *to = clv_zone_all();
  return strcmp(region->name, "all") == 0 || no_region(r, mesh, place, region->name);
}

const scene_key *scene_zone_key(const scene_part *part, const scene_group *group) {
  for (const scene_key *key = group->keys; key->name; key++) {
    if (key->need == SCENE_CHOICE && (part->given >> (key - group->keys) & 1)) return key;
  }
  return NULL;
}

bool scene_zone_make(const scene_reader *r, const clv_mesh *mesh, const scene_part *part, const scene_group *group,
                     const scene_zone *zone, clv_zone *to) {
  const scene_key *key = scene_zone_key(part, group);
  *to = clv_zone_all();
  if (!key) return true;
  if (strcmp(key->name, "region") == 0) return make_region(r, mesh, scene_place(part, "region"), &zone->region, to);
  if (strcmp(key->name, "box") == 0) {
    *to = clv_zone_box(zone->box[0], zone->box[1]);
  } else if (strcmp(key->name, "sphere") == 0) {
    *to = clv_zone_sphere(zone->sphere.center, zone->sphere.radius);
  } else if (strcmp(key->name, "capsule") == 0) {
    *to = clv_zone_capsule(zone->capsule.from, zone->capsule.to, zone->capsule.radius);
  } else if (strcmp(key->name, "plane") == 0) {
    *to = clv_zone_plane(zone->plane.point, zone->plane.normal);
  } else if (strcmp(key->name, "nearest") == 0) {
    *to = clv_zone_nearest(zone->nearest);
  }
  return true;
}
