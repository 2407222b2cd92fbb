// Events that find nothing to do: a zone beside the body, a cut where all is cut. They are told, and the world goes on.
// Tools that move are not asked: most of them begin beside the body.

#include "physics/zone.h"
#include "world/world.h"

#include <stdio.h>

clv_result world_in_vain(clv_world *world, const world_action *entry, const char *why) {
  if (!BASE_RESERVE(&world->allocator, &world->vain, (uint64_t)world->vain.count + 1)) return world_no_memory(world);
  world_notice *notice = &world->vain.data[world->vain.count++];
  notice->label = entry->action.label;
  snprintf(notice->text, sizeof notice->text, "body '%s', action '%s' at %g s finds nothing to do: %s",
           world->bodies.data[entry->action.body].name, world_kinds[entry->action.kind].name, entry->action.time, why);
  return CLV_OK;
}

const char *clv_world_vain(const clv_world *world, uint32_t i, uint32_t *label) {
  if (i >= world->vain.count) return NULL;
  if (label) *label = world->vain.data[i].label;
  return world->vain.data[i].text;
}

static void count_cell(void *user, clv_dart cell) {
  (void)cell;
  ++*(uint32_t *)user;
}

clv_result world_expect_cells(clv_world *world, const world_action *entry, const char *otherwise) {
  clv_body *body = world->bodies.data[entry->action.body].body;
  uint32_t cells = 0;
  const clv_result result = physics_zone_cells(body, &entry->action.zone, count_cell, &cells);
  if (result != CLV_OK) return world_action_fail(world, entry, result, clv_body_error(body));
  if (!cells) return world_in_vain(world, entry, "the zone holds the centre of no cell; make it larger");
  return otherwise ? world_in_vain(world, entry, otherwise) : CLV_OK;
}

// What lasts and has a zone that stays: whether there ever was something in it.

clv_result world_begin_tear(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  (void)report;
  clv_body *body = world->bodies.data[entry->action.body].body;
  const clv_tear *tear = &entry->action.tear;
  if (!tear->masked) return world_expect_cells(world, entry, NULL);
  const clv_result result = physics_zone_vertices(body, &tear->mask);
  if (result != CLV_OK) return world_action_fail(world, entry, result, clv_body_error(body));
  return world_expect_cells(world, entry,
                            body->found.count ? NULL : "no particle lies where it is to tear along; make that larger");
}

clv_result world_begin_adapt(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  (void)report;
  const bool moves = entry->action.adapt.kind == CLV_ADAPT_ZONE && entry->action.key_count > 1;
  return moves ? CLV_OK : world_expect_cells(world, entry, NULL);
}
