// Surgeries as a whole: creating them, how operations begin and end, and walking over the cells of a body.

#include "surgery/surgery.h"

#include <stdarg.h>
#include <stdio.h>

clv_result surgery_fail(clv_surgery *surgery, clv_result code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  surgery->error.code = code;
  vsnprintf(surgery->error.message, sizeof surgery->error.message, format, arguments);
  va_end(arguments);
  return code;
}

clv_result surgery_no_memory(clv_surgery *surgery) {
  return surgery_fail(surgery, CLV_ERROR_MEMORY, "out of memory; the body is as it was");
}

clv_result surgery_stopped(clv_surgery *surgery, clv_result result, const clv_surgery_report *stands) {
  if (result == CLV_OK || !(stands->refined || stands->coarsened || stands->split || stands->moved)) return result;
  const clv_error why = surgery->error;
  char split[120] = "";
  if (stands->split || stands->moved || stands->facets)
    snprintf(split, sizeof split, ", %u split, %u vertices moved, and %u facets cut", stands->split, stands->moved,
             stands->facets);
  return surgery_fail(
      surgery, result,
      "%.800s; that holds for the step it came to, before it %u cells were refined and %u put together%s, and stay so",
      why.message, stands->refined, stands->coarsened, split);
}

clv_result surgery_of_map(clv_surgery *surgery, clv_result result) {
  return result == CLV_OK ? CLV_OK : surgery_fail(surgery, result, "%s", clv_map_error(surgery->map));
}

// What rules do to cells, each counted once. A cell that is in pieces is refined where they are finer; one of which a
// single piece is left only has another name. Those of families that were put together are not lost.
static void count_cell(clv_surgery *s, const clv_event *event) {
  const uint32_t before = event->kind == CLV_SPLIT ? event->from.index : event->id.index;
  if (before >= s->wishes.count) return; // came with this commit
  uint8_t *level = &s->wishes.data[before];
  if (event->kind == CLV_DELETED) s->did.removed += *level != SURGERY_PUT_TOGETHER;
  if (event->kind != CLV_SPLIT || *level >= SURGERY_COUNTED) return;
  const bool pieces = *level & SURGERY_ONE_PIECE || clv_id_alive(s->map, CLV_CELL, event->from);
  *level |= SURGERY_ONE_PIECE;
  if (!pieces) return;
  const bool finer = surgery_level_of(s, event->dart) > (uint32_t)(*level & SURGERY_LEVEL);
  s->did.refined += finer;
  s->did.split += !finer;
  *level = SURGERY_COUNTED;
}

// Vertices that came by splitting are counted where the map tells of them.
static void count_splits(void *user, const clv_map *map, const clv_commit *commit) {
  clv_surgery *surgery = user;
  if (!surgery->operating) return;
  surgery->did.made += surgery->body->newcomers;
  const uint32_t vertex = clv_orbit_dims(map, CLV_VERTEX), cell = clv_orbit_dims(map, CLV_CELL);
  for (uint32_t k = 0; k < commit->event_count; k++) {
    const clv_event *event = &commit->events[k];
    surgery->did.vertices += event->kind == CLV_SPLIT && event->dims == vertex;
    if (surgery->ruling && event->dims == cell) count_cell(surgery, event);
  }
}

clv_surgery *clv_surgery_create(clv_body *body, clv_error *error) {
  if (!body) {
    clv_error_set(error, CLV_ERROR_ARGUMENT, "a surgery needs a body");
    return NULL;
  }
  clv_surgery *surgery = base_allocate(&body->allocator, sizeof *surgery);
  if (surgery) *surgery = (clv_surgery){.allocator = body->allocator, .body = body, .map = body->map};
  if (surgery && surgery_create_levels(surgery, error) != CLV_OK) {
    base_free(&body->allocator, surgery, sizeof *surgery);
    return NULL;
  }
  if (surgery && clv_map_subscribe(body->map, count_splits, surgery) == CLV_OK) return surgery;
  base_free(&body->allocator, surgery, sizeof *surgery);
  clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a surgery is made");
  return NULL;
}

void clv_surgery_destroy(clv_surgery *surgery) {
  if (!surgery) return;
  const clv_allocator a = surgery->allocator;
  clv_map_unsubscribe(surgery->map, count_splits, surgery);
  BASE_RELEASE(&a, &surgery->facets);
  BASE_RELEASE(&a, &surgery->cells);
  BASE_RELEASE(&a, &surgery->offers);
  BASE_RELEASE(&a, &surgery->marks);
  BASE_RELEASE(&a, &surgery->codes);
  BASE_RELEASE(&a, &surgery->heights);
  BASE_RELEASE(&a, &surgery->corners);
  BASE_RELEASE(&a, &surgery->points);
  BASE_RELEASE(&a, &surgery->rim);
  BASE_RELEASE(&a, &surgery->face);
  BASE_RELEASE(&a, &surgery->zoned);
  BASE_RELEASE(&a, &surgery->weak);
  BASE_RELEASE(&a, &surgery->order);
  BASE_RELEASE(&a, &surgery->values);
  BASE_RELEASE(&a, &surgery->numbers);
  BASE_RELEASE(&a, &surgery->springs);
  BASE_RELEASE(&a, &surgery->weights);
  BASE_RELEASE(&a, &surgery->written);
  BASE_RELEASE(&a, &surgery->listed_levels);
  BASE_RELEASE(&a, &surgery->between);
  BASE_RELEASE(&a, &surgery->gains);
  BASE_RELEASE(&a, &surgery->gainers);
  BASE_RELEASE(&a, &surgery->wishes);
  surgery_sheet_free(&surgery->sheet, &a);
  base_free(&a, surgery, sizeof *surgery);
}

clv_body *clv_surgery_body(const clv_surgery *surgery) {
  return surgery->body;
}

const char *clv_surgery_error(const clv_surgery *surgery) {
  return surgery->error.message;
}

// Operations

clv_result surgery_begin(clv_surgery *surgery) {
  surgery->did = (clv_surgery_report){0};
  const clv_result result = surgery_of_map(surgery, clv_map_begin(surgery->map));
  surgery->operating = result == CLV_OK;
  return result;
}

clv_result surgery_end(clv_surgery *surgery, clv_result result, clv_surgery_report *report) {
  if (result == CLV_OK) result = surgery_of_map(surgery, clv_map_commit(surgery->map));
  if (result != CLV_OK) clv_map_rollback(surgery->map);
  surgery->operating = false;
  if (result == CLV_OK && report) *report = surgery->did;
  return result;
}

// Cells

clv_dart surgery_next_cell(const clv_map *map, surgery_cursor *at) {
  for (; at->kind <= CLV_POLYHEDRON; at->kind++, at->row = 0) {
    const uint32_t rows = clv_cell_rows(map, (clv_kind)at->kind);
    while (at->row < rows) {
      const clv_dart cell = clv_cell_at(map, (clv_kind)at->kind, at->row++);
      if (cell) return cell;
    }
  }
  return CLV_NO_DART;
}

bool surgery_cell_corners(clv_surgery *surgery, clv_dart cell, surgery_corners *corners) {
  const clv_map *map = surgery->map;
  clv_kind kind = clv_cell_kind(map, cell);
  if (kind > CLV_TEMPLATE_LAST) kind = clv_cell_shape(map, cell); // vertices that hang in it are no corners
  if (CLV_LIKELY(kind <= CLV_TEMPLATE_LAST)) {
    const uint32_t count = clv_templates[kind].corner_count;
    *corners = (surgery_corners){map->corners[kind] + (size_t)clv_cell_row(map, cell) * count, count};
    return true;
  }
  clv_walk walk;
  bool good = clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, cell) == CLV_OK;
  good = good && BASE_RESERVE(&surgery->allocator, &surgery->corners, walk.count);
  for (uint32_t k = 0; good && k < walk.count; k++)
    surgery->corners.data[k] = clv_id_of(map, CLV_VERTEX, walk.darts[k]).index;
  *corners = (surgery_corners){surgery->corners.data, good ? walk.count : 0};
  clv_walk_end(&walk);
  return good;
}

bool surgery_cell_centre(clv_surgery *surgery, clv_dart cell, const double *points, double centre[3]) {
  surgery_corners corners;
  if (!surgery_cell_corners(surgery, cell, &corners)) return false;
  centre[0] = centre[1] = centre[2] = 0;
  for (uint32_t c = 0; c < corners.count; c++)
    for (uint32_t k = 0; k < 3; k++) centre[k] += points[3 * (size_t)corners.slots[c] + k];
  for (uint32_t k = 0; k < 3; k++) centre[k] /= corners.count;
  return true;
}

clv_result surgery_each_facet(clv_surgery *surgery, clv_dart cell, surgery_facet_visitor *each, void *user) {
  const clv_map *map = surgery->map;
  const clv_kind kind = clv_cell_kind(map, cell);
  clv_result result = CLV_OK;
  if (CLV_LIKELY(kind <= CLV_TEMPLATE_LAST)) {
    const clv_template *shape = &clv_templates[kind];
    for (uint32_t f = 0; result == CLV_OK && f < shape->facet_count; f++)
      result = each(surgery, (cell & ~63u) | shape->facet_first[f], user);
    return result;
  }
  clv_walk walk;
  if (clv_walk_incident(&walk, map, CLV_CELL, CLV_CELL_FACET(map->dimension), cell) != CLV_OK)
    result = surgery_no_memory(surgery);
  for (uint32_t k = 0; result == CLV_OK && k < walk.count; k++) result = each(surgery, walk.darts[k], user);
  clv_walk_end(&walk);
  return result;
}

clv_result surgery_code_vertices(clv_surgery *surgery, const double least[3], const double greatest[3]) {
  const uint32_t slots = clv_body_slots(surgery->body);
  const double *pos = clv_body_positions(surgery->body);
  if (!BASE_RESERVE(&surgery->allocator, &surgery->codes, slots)) return surgery_no_memory(surgery);
  for (uint32_t s = 0; s < slots; s++) {
    const double *p = pos + 3 * (size_t)s;
    unsigned code = 0;
    for (uint32_t k = 0; k < 3; k++)
      code |= (unsigned)(p[k] < least[k]) << (2 * k) | (unsigned)(p[k] > greatest[k]) << (2 * k + 1);
    surgery->codes.data[s] = (uint8_t)code;
  }
  return CLV_OK;
}
