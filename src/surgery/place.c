// Where rules are applied: at the orbits that meet a cell of a zone, or one of it that a shape touches, and whose
// vertices lie in a mask; and in which order. A rule that speaks of the zone, or of the mask, is told, and chooses by
// itself: it asks of what lies beside a place, too.
//
// Guards and ranks are asked before anything is done, at all places: so what is done at one has no say in whether
// another one gives way. Of equal ranks the place comes first that lies first along one direction, at rest: neither
// numbers of cells nor threads have a say in that.

#include "surgery/apply.h"

#include <math.h>
#include <stdlib.h>

// Where

enum { IN_ZONE = 1, TOUCHED = 2 };

// Of the cells that are marked, only those that the shape touches stay so.
static clv_result keep_touched(clv_surgery *s, const clv_apply *apply) {
  const clv_result result =
      surgery_list_touched(s, &apply->shape, apply->way, &apply->motion, "shape that is to touch them");
  if (result != CLV_OK) return result;
  uint8_t *zoned = s->zoned.data;
  for (uint32_t k = 0; k < s->cells.count; k++) zoned[clv_id_of(s->map, CLV_CELL, s->cells.data[k]).index] |= TOUCHED;
  clv_dart cell;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));) {
    const uint32_t number = clv_id_of(s->map, CLV_CELL, cell).index;
    zoned[number] = zoned[number] == (IN_ZONE | TOUCHED);
  }
  return CLV_OK;
}

// Whether one of the cells at an orbit is in the zone.
static bool in_zone(clv_surgery *s, clv_orbit orbit, clv_dart dart, bool *good) {
  clv_walk walk;
  if (clv_walk_incident(&walk, s->map, orbit, CLV_CELL, dart) != CLV_OK) return *good = false;
  bool found = false;
  for (uint32_t k = 0; !found && k < walk.count; k++)
    found = s->zoned.data[clv_id_of(s->map, CLV_CELL, walk.darts[k]).index];
  clv_walk_end(&walk);
  return found;
}

// Whether all its vertices are in the mask.
static bool in_mask(clv_surgery *s, clv_orbit orbit, clv_dart dart, bool *good) {
  clv_walk walk;
  if (clv_walk_orbit(&walk, s->map, orbit, dart) != CLV_OK) return *good = false;
  bool all = true;
  for (uint32_t k = 0; all && k < walk.count; k++)
    all = s->marks.data[clv_id_of(s->map, CLV_VERTEX, walk.darts[k]).index];
  clv_walk_end(&walk);
  return all;
}

// The dart of an orbit at its coarsest vertex, the first of them.
static bool coarsest_dart(const clv_surgery *s, clv_orbit orbit, clv_dart *dart) {
  clv_walk walk;
  if (clv_walk_orbit(&walk, s->map, orbit, *dart) != CLV_OK) return false;
  int32_t least = INT32_MAX;
  for (uint32_t k = 0; k < walk.count; k++) {
    const int32_t level = *(const int32_t *)clv_column_at(s->levels, walk.darts[k]);
    if (level < least) *dart = walk.darts[k];
    least = level < least ? level : least;
  }
  clv_walk_end(&walk);
  return true;
}

static clv_result list_orbits(clv_surgery *s, const clv_apply *apply, const surgery_call *c) {
  const bool everywhere = c->topics.zone || (apply->zone.kind == CLV_ZONE_ALL && !apply->touching);
  const bool masked = apply->masked && !c->topics.mask;
  clv_walk walk;
  s->facets.count = 0;
  if (clv_walk_all(&walk, s->map, c->orbit) != CLV_OK) return surgery_no_memory(s);
  bool good = BASE_RESERVE(&s->allocator, &s->facets, walk.count);
  for (uint32_t k = 0; good && k < walk.count; k++) {
    clv_dart dart = walk.darts[k];
    if (!everywhere && !in_zone(s, c->orbit, dart, &good)) continue;
    if (masked && !in_mask(s, c->orbit, dart, &good)) continue;
    if (c->topics.levels) good = good && coarsest_dart(s, c->orbit, &dart);
    s->facets.data[s->facets.count++] = dart;
  }
  clv_walk_end(&walk);
  return good ? CLV_OK : surgery_no_memory(s);
}

clv_result surgery_list_places(clv_surgery *s, const clv_apply *apply, const surgery_call *c) {
  clv_result result = surgery_mark_zone(s, &apply->zone);
  if (result == CLV_OK && apply->touching) result = keep_touched(s, apply);
  if (result == CLV_OK && apply->masked) result = surgery_mark_vertices(s, &apply->mask);
  if (result != CLV_OK) return result;
  if (c->topics.zone || c->topics.mask) surgery_tell_where(s, apply->masked);
  result = list_orbits(s, apply, c);
  if (apply->masked) surgery_unmark_vertices(s);
  return result;
}

// In which order

// Where an orbit lies along the direction in which equals come; vertices that are new have no say. False when memory
// is out.
static bool place_along(const clv_surgery *s, clv_orbit orbit, clv_dart dart, double *along) {
  const double *rest = clv_body_rest(s->body);
  clv_walk walk;
  if (clv_walk_orbit(&walk, s->map, orbit, dart) != CLV_OK) return false;
  double sum = 0;
  uint32_t count = 0;
  for (uint32_t k = 0; k < walk.count; k++) {
    const uint32_t slot = clv_id_of(s->map, CLV_VERTEX, walk.darts[k]).index;
    if (!slot) continue;
    sum += surgery_along(rest + 3 * (size_t)slot);
    count++;
  }
  clv_walk_end(&walk);
  *along = count ? sum / count : 0;
  return true;
}

static int compare_places(const void *a, const void *b) {
  const surgery_place *p = a, *q = b;
  if (p->rank != q->rank) return p->rank > q->rank ? -1 : 1;
  if (p->along != q->along) return p->along < q->along ? -1 : 1;
  return (p->place > q->place) - (p->place < q->place);
}

clv_result surgery_order_places(clv_surgery *s, const clv_rule *rule, surgery_call *c) {
  s->order.count = 0;
  if (!BASE_RESERVE(&s->allocator, &s->order, s->facets.count)) return surgery_no_memory(s);
  for (uint32_t k = 0, refusals = 0; k < s->facets.count; k++) {
    surgery_place place = {.place = k};
    const clv_dart dart = s->facets.data[k];
    if (!clv_dart_alive(s->map, dart)) continue; // gone with another
    c->arguments[c->place].dart = dart;
    const clv_result result = clv_rule_rank(rule, s->map, c->arguments, c->count, &place.rank);
    if (result == CLV_ERROR_REFUSED && refusals++ == 0) surgery_fail(s, CLV_OK, "%s", clv_map_error(s->map));
    if (result == CLV_ERROR_REFUSED) continue;
    if (result != CLV_OK) return surgery_of_map(s, result);
    if (!place_along(s, c->orbit, dart, &place.along)) return surgery_no_memory(s);
    s->order.data[s->order.count++] = place;
  }
  if (s->order.count) qsort(s->order.data, s->order.count, sizeof *s->order.data, compare_places);
  return CLV_OK;
}
