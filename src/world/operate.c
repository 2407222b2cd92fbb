// Actions that change what a body is: cuts and removals at a time, and tools that move along a path.

#include "physics/body.h"
#include "physics/zone.h"
#include "surgery/surgery.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static clv_surgery *surgery_of(const clv_world *world, const world_action *entry) {
  return world->bodies.data[entry->action.body].surgery;
}

static clv_result of_surgery(clv_world *world, const world_action *entry, clv_result result) {
  return result == CLV_OK ? CLV_OK
                          : world_action_fail(world, entry, result, clv_surgery_error(surgery_of(world, entry)));
}

// Likewise of one that goes on: what it did is added to the report.
static clv_result add_surgery(clv_world *world, const world_action *entry, clv_result result,
                              const clv_surgery_report *one, clv_surgery_report *report) {
  if (result == CLV_OK) world_sum_surgery(report, one);
  return of_surgery(world, entry, result);
}

// At a time

clv_result world_remove(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  const clv_result result = clv_surgery_remove(surgery_of(world, entry), &entry->action.zone, report);
  if (result != CLV_OK) return of_surgery(world, entry, result);
  return report->removed ? CLV_OK : world_expect_cells(world, entry, NULL);
}

typedef double rest_point[3];

static int compare_points(const void *a, const void *b) {
  return memcmp(a, b, sizeof(rest_point));
}

// Those particles of the list that are still there, and what cuts have made of them: all that rest where one of them
// does.
static clv_result find_particles(clv_world *world, const world_action *entry) {
  const clv_body *body = world->bodies.data[entry->action.body].body;
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  rest_point *points = base_allocate(&world->allocator, entry->action.particle_count * sizeof *points);
  if (!points) return world_no_memory(world);
  uint32_t count = 0;
  for (uint32_t k = 0; k < entry->action.particle_count; k++)
    if (clv_id_alive(map, CLV_VERTEX, entry->particles[k]))
      memcpy(points[count++], rest + 3 * (size_t)entry->particles[k].index, sizeof *points);
  if (count) qsort(points, count, sizeof *points, compare_points);
  clv_result result = CLV_OK;
  world->ids.count = 0;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); result == CLV_OK && id.index;
       id = clv_id_next(map, CLV_VERTEX, id)) {
    if (!count || !bsearch(rest + 3 * (size_t)id.index, points, count, sizeof *points, compare_points)) continue;
    if (BASE_RESERVE(&world->allocator, &world->ids, (uint64_t)world->ids.count + 1))
      world->ids.data[world->ids.count++] = id;
    else
      result = world_no_memory(world);
  }
  base_free(&world->allocator, points, entry->action.particle_count * sizeof *points);
  return result;
}

clv_result world_cut(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  clv_cut cut = {.kind = CLV_CUT_ZONE, .zone = entry->action.zone};
  if (entry->surface) {
    cut = (clv_cut){.kind = CLV_CUT_SURFACE, .surface = entry->surface};
  } else if (entry->particles) {
    const clv_result result = find_particles(world, entry);
    if (result != CLV_OK) return result;
    cut = (clv_cut){.kind = CLV_CUT_PARTICLES, .particles = world->ids.data, .count = world->ids.count};
  }
  const clv_result result = clv_surgery_cut(surgery_of(world, entry), &cut, report);
  if (result != CLV_OK) return of_surgery(world, entry, result);
  return report->facets ? CLV_OK : world_in_vain(world, entry, surgery_nothing_cut(surgery_of(world, entry), &cut));
}

clv_result world_pierce(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  if (entry->action.key_count) return CLV_OK; // as a tool
  const clv_result result = clv_surgery_pierce(surgery_of(world, entry), &entry->action.zone, report);
  if (result != CLV_OK || report->removed) return of_surgery(world, entry, result);
  return world_in_vain(world, entry, "the shape touches no cell where the body is now");
}

clv_result world_slice(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  if (entry->action.key_count) return CLV_OK; // as a tool
  clv_slice slice = entry->action.slice;
  slice.whole = true;
  memcpy(slice.point, entry->action.zone.point, sizeof slice.point);
  memcpy(slice.normal, entry->action.zone.extent, sizeof slice.normal);
  const clv_result result = clv_surgery_slice(surgery_of(world, entry), &slice, report);
  const bool did = report->facets || report->split || report->moved || report->refined;
  if (result != CLV_OK || did) return of_surgery(world, entry, result);
  return world_in_vain(world, entry,
                       "no cells that hang together lie on either side of the plane where the body is now");
}

clv_result world_refine(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  const clv_action *a = &entry->action;
  const clv_result result = clv_surgery_refine(surgery_of(world, entry), &a->zone, a->level, report);
  if (result != CLV_OK || report->refined) return of_surgery(world, entry, result);
  return world_expect_cells(world, entry,
                            report->refused ? "cells of that kind cannot be refined" : "all cells there are as fine");
}

clv_result world_coarsen(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  const clv_action *a = &entry->action;
  const clv_result result = clv_surgery_coarsen(surgery_of(world, entry), &a->zone, a->level, report);
  if (result != CLV_OK || report->coarsened) return of_surgery(world, entry, result);
  return world_expect_cells(world, entry, "no refined cells lie there that could be put together again");
}

static clv_apply apply_of(const world_action *entry) {
  clv_apply apply = entry->action.apply;
  apply.zone = entry->action.zone;
  return apply;
}

clv_result world_apply(clv_world *world, const world_action *entry, clv_surgery_report *report) {
  if (entry->action.key_count) return world_expect_cells(world, entry, NULL); // as a tool
  const clv_apply apply = apply_of(entry);
  const clv_result result = clv_surgery_apply(surgery_of(world, entry), &apply, report);
  if (result != CLV_OK) return of_surgery(world, entry, result);
  if (report->applied) return CLV_OK;
  char what[600];
  snprintf(what, sizeof what, "the rule '%.80s' changes nothing: %s", clv_rule_name(apply.rule),
           clv_surgery_error(surgery_of(world, entry)));
  return world_expect_cells(world, entry, what);
}

// On a path

bool world_knows_places(const world_body *b) {
  return b->was.count == 3 * clv_body_slots(b->body) && b->was_revision == clv_map_revision(clv_body_map(b->body));
}

bool world_keep_body_places(const clv_world *world, world_body *b) {
  const uint32_t count = 3 * clv_body_slots(b->body);
  if (!BASE_RESERVE(&world->allocator, &b->was, count)) return false;
  memcpy(b->was.data, clv_body_positions(b->body), count * sizeof *b->was.data);
  b->was.count = count;
  b->was_revision = clv_map_revision(clv_body_map(b->body));
  return true;
}

clv_result world_keep_places(clv_world *world) {
  for (uint32_t k = 0; k < world->bodies.count; k++) world->bodies.data[k].was.count = 0;
  for (uint32_t k = 0; k < world->tools.count; k++) {
    const world_action *entry = &world->actions.data[world->tools.data[k]];
    if (!world_keep_body_places(world, &world->bodies.data[entry->action.body])) return world_no_memory(world);
  }
  return CLV_OK;
}

// Where vertices were a step ago. Those of a body that has changed since, or that no tool was used on then, came with
// the speed that they have.
static clv_result find_places(const clv_world *world, world_body *b) {
  if (world_knows_places(b)) return CLV_OK;
  if (!world_keep_body_places(world, b)) return CLV_ERROR_MEMORY;
  const double *v = clv_body_velocities(b->body);
  for (size_t k = 0; k < b->was.count; k++) b->was.data[k] -= v[k] * world->step;
  return CLV_OK;
}

clv_result world_follow(clv_world *world, const world_action *entry, double from, double to, world_stroke *stroke,
                        clv_surgery_report *report) {
  const clv_action *a = &entry->action;
  world_body *b = &world->bodies.data[a->body];
  const double now = clv_world_time(world) - a->time;
  world_way way = {.motion.left[1] = fmin((now - from) / world->step, 1)};
  physics_path_at(a->path, a->key_count, from, way.to, NULL);
  uint32_t next = 0;
  while (next < a->key_count && a->path[next].time <= from) next++;
  for (;;) {
    const double until = next < a->key_count && a->path[next].time < to ? a->path[next++].time : to;
    memcpy(way.from, way.to, sizeof way.from);
    way.motion.left[0] = way.motion.left[1];
    physics_path_at(a->path, a->key_count, until, way.to, NULL);
    way.motion.left[1] = fmax((now - until) / world->step, 0);
    clv_surgery_report one = {0};
    clv_result result = find_places(world, b);
    if (result != CLV_OK) return world_no_memory(world);
    way.motion.from = b->was.data;
    result = stroke(world, entry, &way, &one);
    world_sum_surgery(report, &one); // of one that failed, what stands
    if (result != CLV_OK) return of_surgery(world, entry, result);
    if (until == to) return CLV_OK;
  }
}

static clv_blade blade_on(const clv_action *action, const world_way *way) {
  clv_blade blade;
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) {
      blade.before[e][k] = action->edge[e][k] + way->from[k];
      blade.after[e][k] = action->edge[e][k] + way->to[k];
    }
  return blade;
}

static clv_result cut_stroke(clv_world *world, const world_action *entry, const world_way *way,
                             clv_surgery_report *report) {
  const clv_cut cut = {.kind = CLV_CUT_BLADE, .blade = blade_on(&entry->action, way), .motion = way->motion};
  return clv_surgery_cut(surgery_of(world, entry), &cut, report);
}

clv_result world_sweep_edge(clv_world *world, const world_action *entry, double from, double to,
                            clv_surgery_report *report) {
  return world_follow(world, entry, from, to, cut_stroke, report);
}

static clv_result pierce_stroke(clv_world *world, const world_action *entry, const world_way *way,
                                clv_surgery_report *report) {
  return clv_surgery_pierce_moving(surgery_of(world, entry), &entry->action.zone, way->from, way->to, &way->motion,
                                   report);
}

clv_result world_sweep_shape(clv_world *world, const world_action *entry, double from, double to,
                             clv_surgery_report *report) {
  return world_follow(world, entry, from, to, pierce_stroke, report);
}

static clv_result slice_stroke(clv_world *world, const world_action *entry, const world_way *way,
                               clv_surgery_report *report) {
  clv_slice slice = entry->action.slice;
  slice.whole = false;
  slice.blade = blade_on(&entry->action, way);
  slice.motion = way->motion;
  slice.track = world_find_track(world, entry);
  return clv_surgery_slice(surgery_of(world, entry), &slice, report);
}

clv_result world_sweep_slice(clv_world *world, const world_action *entry, double from, double to,
                             clv_surgery_report *report) {
  clv_result result = world_begin_track(world, entry);
  if (result == CLV_OK) result = world_follow(world, entry, from, to, slice_stroke, report);
  const bool last = !(to < entry->path[entry->action.key_count - 1].time);
  if (result == CLV_OK && last) world_end_track(world, entry);
  return result;
}

// As long as the world lasts

clv_result world_tear(clv_world *world, const world_action *entry, double from, double to, clv_surgery_report *report) {
  (void)from;
  (void)to;
  clv_tear tear = entry->action.tear;
  tear.zone = entry->action.zone;
  clv_surgery_report one;
  const clv_result result = clv_surgery_tear(surgery_of(world, entry), &tear, &one);
  return add_surgery(world, entry, result, &one, report);
}

static clv_result apply_stroke(clv_world *world, const world_action *entry, const world_way *way,
                               clv_surgery_report *report) {
  clv_apply apply = apply_of(entry);
  memcpy(apply.way[0], way->from, sizeof apply.way[0]);
  memcpy(apply.way[1], way->to, sizeof apply.way[1]);
  apply.motion = way->motion;
  return clv_surgery_apply(surgery_of(world, entry), &apply, report);
}

// With a shape, at what it touches on its way.
clv_result world_apply_again(clv_world *world, const world_action *entry, double from, double to,
                             clv_surgery_report *report) {
  if (entry->action.apply.touching) return world_follow(world, entry, from, to, apply_stroke, report);
  const clv_apply apply = apply_of(entry);
  clv_surgery_report one;
  const clv_result result = clv_surgery_apply(surgery_of(world, entry), &apply, &one);
  return add_surgery(world, entry, result, &one, report);
}

clv_result world_adapt(clv_world *world, const world_action *entry, double from, double to,
                       clv_surgery_report *report) {
  (void)from;
  const uint32_t keys = entry->action.key_count;
  clv_adapt adapt = entry->action.adapt;
  clv_surgery_report one = {0};
  double at[3] = {0, 0, 0};
  adapt.zone = entry->action.zone;
  if (keys) physics_path_at(entry->path, keys, to, at, NULL);
  for (uint32_t k = 0; k < 3; k++) adapt.point[k] += at[k];
  if (adapt.kind == CLV_ADAPT_ZONE) physics_zone_displace(&adapt.zone, at);
  if (keys && to >= entry->path[keys - 1].time) adapt.kind = CLV_ADAPT_NONE; // it is taken away
  const clv_result result = clv_surgery_adapt(surgery_of(world, entry), &adapt, &one);
  world_sum_surgery(report, &one); // also of the levels before one that failed
  return of_surgery(world, entry, result);
}
