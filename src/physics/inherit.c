// Constraints of vertices that a commit has made.
//
// A vertex between others is not free where all of these are not: a clamped face stays clamped when it is refined.
// Which others is told by levels, as for vertices that hang: the ends of an edge, the corners of a quadrangle. What is
// moved along the same path goes on along it, from the middle of where they started.

#include "embed/embed.h"
#include "map/plan.h"
#include "physics/body.h"
#include "physics/level.h"

enum { MOST_PARENTS = 4 };
typedef struct parents {
  uint32_t count, slots[MOST_PARENTS]; // a count above that: too many to be parents
} parents;

static void add(parents *found, uint32_t slot) {
  if (found->count > MOST_PARENTS) return;
  for (uint32_t k = 0; k < found->count; k++)
    if (found->slots[k] == slot) return;
  if (found->count < MOST_PARENTS) found->slots[found->count] = slot;
  found->count++;
}

// Of all cells about the vertex: each sees a part of what it came between. False when memory is out.
static bool find_parents(const physics_levels *levels, clv_dart dart, bool quadrangles, parents *found) {
  const clv_map *view = &levels->m->view;
  const int32_t level = physics_level_at(levels, dart);
  clv_walk orbit;
  *found = (parents){0};
  if (clv_walk_orbit(&orbit, view, CLV_VERTEX, dart) != CLV_OK) return false;
  for (uint32_t k = 0; k < orbit.count; k++) {
    clv_dart end;
    if (!physics_level_step(levels, orbit.darts[k], level, &end)) continue;
    if (quadrangles && !physics_level_step(levels, clv_alpha(view, end, 1), level, &end)) continue;
    if (physics_level_at(levels, end) < level) add(found, physics_slot_at(levels, end));
  }
  clv_walk_end(&orbit);
  return true;
}

static bool are_parents(const parents *found) {
  return found->count == 2 || found->count == MOST_PARENTS;
}

static void inherit(const clv_body *body, const parents *found, uint32_t slot) {
  uint32_t *held = clv_column_data(body->held, CLV_NONE, NULL), axes = CLV_XYZ;
  uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  double(*anchor)[3] = clv_column_data(body->anchor, CLV_NONE, NULL);
  for (uint32_t p = 0; p < found->count; p++) axes &= held[found->slots[p]];
  for (uint32_t axis = 0; axis < 3; axis++) {
    const uint32_t path = paths[found->slots[0]][axis];
    double sum = 0;
    bool same = axes >> axis & 1u;
    for (uint32_t p = 0; p < found->count; p++) {
      same = same && paths[found->slots[p]][axis] == path;
      sum += anchor[found->slots[p]][axis];
    }
    if (!same) continue;
    held[slot] |= 1u << axis;
    paths[slot][axis] = path;
    anchor[slot][axis] = sum / found->count;
  }
}

static void inherit_of_ends(void *user, uint32_t slot, const uint32_t ends[2]) {
  const parents found = {2, {ends[0], ends[1]}};
  inherit(user, &found, slot);
}

static bool inherit_found(const clv_body *body, const physics_levels *levels, const clv_event *event) {
  parents found;
  if (!find_parents(levels, event->dart, false, &found)) return false;
  if (!are_parents(&found) && !find_parents(levels, event->dart, true, &found)) return false;
  if (are_parents(&found)) inherit(body, &found, event->id.index);
  return true;
}

// Whoever makes vertices and says himself how they are held is not overruled.
static bool is_said(const clv_body *body, const map *m) {
  const embedding *e = m->embedding.self;
  for (uint32_t k = 0; k < e->stated.count; k++)
    if (e->columns.data[m->log.data[e->stated.data[k].moment].before] == body->held) return true;
  return false;
}

static void hear(void *user, const clv_map *view, const clv_commit *commit) {
  clv_body *body = user;
  physics_levels levels;
  if (!body->holds || map_only_lost(map_read(view))) return;
  const uint32_t vertices = clv_orbit_dims(view, CLV_VERTEX);
  uint32_t created = 0;
  for (uint32_t k = 0; k < commit->event_count; k++)
    created += commit->events[k].dims == vertices && commit->events[k].kind == CLV_CREATED;
  if (!created || !physics_levels_find(&levels, view) || is_said(body, levels.m)) return;
  if (physics_births(&levels, inherit_of_ends, body) == created) return;
  for (uint32_t k = 0; k < commit->event_count; k++) {
    const clv_event *event = &commit->events[k];
    if (event->dims != vertices || event->kind != CLV_CREATED || !event->dart) continue;
    if (!inherit_found(body, &levels, event)) body->missed = true;
  }
}

clv_result physics_inherit_create(clv_body *body, clv_error *error) {
  const clv_result result = clv_map_subscribe(body->map, hear, body);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(body->map));
}
