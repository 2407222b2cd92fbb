// Removing cells: those of a zone, of a list, and those that a shape touches.

#include "map/edit.h"
#include "physics/zone.h"
#include "surgery/surgery.h"
#include "surgery/touch.h"

#include <math.h>

clv_result surgery_drop_cells(clv_surgery *s) {
  clv_result result = map_expect_removing(map_of(s->map), s->cells.count);
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k++) {
    if (!clv_dart_alive(s->map, s->cells.data[k])) continue; // listed twice
    result = clv_map_remove_cell(s->map, s->cells.data[k]);
    s->did.removed++;
  }
  return surgery_of_map(s, result);
}

static clv_result drop_and_end(clv_surgery *s, clv_surgery_report *report) {
  if (!s->cells.count) return CLV_OK;
  const clv_result result = surgery_begin(s);
  return result == CLV_OK ? surgery_end(s, surgery_drop_cells(s), report) : result;
}

static bool append_cell(clv_surgery *s, clv_dart cell) {
  if (!BASE_RESERVE(&s->allocator, &s->cells, (uint64_t)s->cells.count + 1)) return false;
  s->cells.data[s->cells.count++] = cell;
  return true;
}

// Zones

typedef struct listing {
  clv_surgery *surgery;
  bool failed;
} listing;

static void list_cell(void *user, clv_dart cell) {
  listing *list = user;
  list->failed = list->failed || !append_cell(list->surgery, cell);
}

clv_result surgery_list_cells(clv_surgery *s, const clv_zone *zone, const char *what) {
  const char *wrong = zone ? physics_zone_wrong(zone) : "there is none";
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the zone of the %s makes no sense: %s", what, wrong);
  s->cells.count = 0;
  listing list = {.surgery = s};
  const clv_result result = physics_zone_cells(s->body, zone, list_cell, &list);
  if (result != CLV_OK) return surgery_fail(s, result, "%s", clv_body_error(s->body));
  return list.failed ? surgery_no_memory(s) : CLV_OK;
}

clv_result clv_surgery_remove(clv_surgery *s, const clv_zone *zone, clv_surgery_report *report) {
  if (report) *report = (clv_surgery_report){0};
  const clv_result result = surgery_list_cells(s, zone, "removal");
  return result == CLV_OK ? drop_and_end(s, report) : result;
}

// Lists

clv_result clv_surgery_remove_cells(clv_surgery *s, const clv_dart *cells, uint32_t count, clv_surgery_report *report) {
  if (report) *report = (clv_surgery_report){0};
  if (count && !cells) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the removal has no list of cells");
  for (uint32_t k = 0; k < count; k++)
    if (!clv_dart_alive(s->map, cells[k]))
      return surgery_fail(s, CLV_ERROR_ARGUMENT, "cell %u of the removal (counted from 0): there is no dart %u", k,
                          cells[k]);
  if (!BASE_RESERVE(&s->allocator, &s->cells, count)) return surgery_no_memory(s);
  if (count) memcpy(s->cells.data, cells, count * sizeof *cells);
  s->cells.count = count;
  return drop_and_end(s, report);
}

// Shapes: a few points that span them, and how far they reach beyond.

typedef struct solid {
  surgery_point points[16]; // here and there
  uint32_t count;
  double radius;
  double least[3], greatest[3];
} solid;

const char *surgery_shape_wrong(const clv_zone *zone) {
  const char *wrong = zone ? physics_zone_wrong(zone) : "there is none";
  if (wrong) return wrong;
  const bool is_shape = zone->kind == CLV_ZONE_BOX || zone->kind == CLV_ZONE_SPHERE || zone->kind == CLV_ZONE_CAPSULE;
  return is_shape ? NULL : "cells are touched by a box, a sphere or a capsule";
}

static clv_result shape_of(clv_surgery *s, const clv_zone *zone, const double ways[2][3], const char *what, solid *to) {
  const char *wrong = surgery_shape_wrong(zone);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the %s makes no sense: %s", what, wrong);
  const bool box = zone->kind == CLV_ZONE_BOX, capsule = zone->kind == CLV_ZONE_CAPSULE;
  const uint32_t count = box ? 8 : capsule ? 2 : 1;
  *to = (solid){.count = 0,
                .radius = (box ? 0 : zone->radius) + 1e-9 * s->body->size,
                .least = {INFINITY, INFINITY, INFINITY},
                .greatest = {-INFINITY, -INFINITY, -INFINITY}};
  for (uint32_t way = 0; way < 2; way++)
    for (uint32_t c = 0; c < count; c++, to->count++)
      for (uint32_t k = 0; k < 3; k++) {
        const bool far = box ? c >> k & 1u : c;
        const double x = (far ? zone->extent[k] : zone->point[k]) + ways[way][k];
        if (!isfinite(x)) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the %s goes nowhere", what);
        to->points[to->count][k] = x;
        to->least[k] = fmin(to->least[k], x - to->radius);
        to->greatest[k] = fmax(to->greatest[k], x + to->radius);
      }
  return CLV_OK;
}

// The way of a shape as a cell sees it that has come along its own: the mean of its corners'.
static void look_from(const clv_surgery *s, const surgery_corners *corners, const clv_motion *motion, solid *shape) {
  const double *pos = clv_body_positions(s->body);
  for (uint32_t k = 0; motion->from && k < 3; k++) {
    double way = 0;
    for (uint32_t c = 0; c < corners->count; c++) {
      const size_t at = 3 * (size_t)corners->slots[c] + k;
      way += (pos[at] - motion->from[at]) / corners->count;
    }
    for (uint32_t p = 0; p < shape->count; p++) shape->points[p][k] += motion->left[p >= shape->count / 2] * way;
  }
}

// A cell is taken for the hull of its corners.
static bool touches(const clv_surgery *s, const surgery_corners *corners, const solid *shape) {
  const double *pos = clv_body_positions(s->body);
  for (uint32_t c = 0; c < corners->count; c++)
    memcpy(s->points.data[c], pos + 3 * (size_t)corners->slots[c], sizeof s->points.data[c]);
  const surgery_point *hull = (const surgery_point *)s->points.data, *other = (const surgery_point *)shape->points;
  return surgery_hull_distance(hull, corners->count, other, shape->count, shape->radius) <= shape->radius;
}

static clv_result select_touched(clv_surgery *s, const solid *shape, const clv_motion *motion) {
  double least[3], greatest[3], reach[3];
  surgery_motion_reach(s, motion, reach);
  for (uint32_t k = 0; k < 3; k++) {
    least[k] = shape->least[k] - reach[k];
    greatest[k] = shape->greatest[k] + reach[k];
  }
  s->cells.count = 0;
  const clv_result result = surgery_code_vertices(s, least, greatest);
  if (result != CLV_OK) return result;
  clv_dart cell;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));) {
    surgery_corners corners;
    if (!surgery_cell_corners(s, cell, &corners) || !BASE_RESERVE(&s->allocator, &s->points, corners.count))
      return surgery_no_memory(s);
    if (surgery_cell_code(s, &corners).every) continue;
    solid seen = *shape;
    look_from(s, &corners, motion, &seen);
    if (!touches(s, &corners, &seen)) continue;
    if (!append_cell(s, cell)) return surgery_no_memory(s);
  }
  return CLV_OK;
}

clv_result surgery_list_touched(clv_surgery *s, const clv_zone *zone, const double way[2][3], const clv_motion *motion,
                                const char *what) {
  solid shape = {.count = 0};
  const clv_result result = shape_of(s, zone, way, what, &shape);
  return result == CLV_OK ? select_touched(s, &shape, motion) : result;
}

static clv_result list_sewn(clv_surgery *s, clv_dart facet, void *unused) {
  (void)unused;
  if (clv_is_free(s->map, facet, s->map->dimension)) return CLV_OK;
  if (!BASE_RESERVE(&s->allocator, &s->facets, (uint64_t)s->facets.count + 1)) return surgery_no_memory(s);
  s->facets.data[s->facets.count++] = facet;
  return CLV_OK;
}

clv_result clv_surgery_pierce(clv_surgery *s, const clv_zone *zone, clv_surgery_report *report) {
  static const double here[3] = {0, 0, 0};
  return clv_surgery_pierce_along(s, zone, here, here, report);
}

clv_result clv_surgery_pierce_along(clv_surgery *s, const clv_zone *zone, const double from[3], const double to[3],
                                    clv_surgery_report *report) {
  return clv_surgery_pierce_moving(s, zone, from, to, &(clv_motion){.from = NULL}, report);
}

clv_result clv_surgery_pierce_moving(clv_surgery *s, const clv_zone *zone, const double from[3], const double to[3],
                                     const clv_motion *motion, clv_surgery_report *report) {
  if (report) *report = (clv_surgery_report){0};
  double way[2][3];
  memcpy(way[0], from, sizeof way[0]);
  memcpy(way[1], to, sizeof way[1]);
  clv_result result = surgery_list_touched(s, zone, (const double(*)[3])way, motion, "shape to pierce with");
  s->facets.count = 0;
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k++)
    result = surgery_each_facet(s, s->cells.data[k], list_sewn, NULL);
  if (result != CLV_OK || !s->cells.count) return result;
  result = surgery_begin(s);
  if (result != CLV_OK) return result;
  result = surgery_unsew_facets(s);
  if (result == CLV_OK) result = surgery_drop_cells(s);
  return surgery_end(s, result, report);
}
