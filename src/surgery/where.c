// Where an operation may act: cells of a zone, and vertices of one.

#include "physics/zone.h"
#include "surgery/surgery.h"

static void enter_zone(void *user, clv_dart cell) {
  clv_surgery *s = user;
  s->zoned.data[clv_id_of(s->map, CLV_CELL, cell).index] = 1;
}

clv_result surgery_mark_zone(clv_surgery *s, const clv_zone *zone) {
  const uint64_t numbers = (uint64_t)s->map->page_count * (CLV_BLOCK_MASK + 1);
  if (!BASE_RESERVE(&s->allocator, &s->zoned, numbers)) return surgery_no_memory(s);
  if (numbers) memset(s->zoned.data, zone->kind == CLV_ZONE_ALL, numbers);
  if (zone->kind == CLV_ZONE_ALL) return CLV_OK;
  const clv_result result = physics_zone_cells(s->body, zone, enter_zone, s);
  return result == CLV_OK ? CLV_OK : surgery_fail(s, result, "%s", clv_body_error(s->body));
}

// Which they are the body remembers until the next zone is asked for.
static void put_marks(clv_surgery *s, uint8_t mark) {
  const uint32_t *found = s->body->found.data;
  for (uint32_t k = 0; k < s->body->found.count; k++) s->marks.data[found[k]] = mark;
}

clv_result surgery_mark_vertices(clv_surgery *s, const clv_zone *zone) {
  clv_result result = physics_zone_vertices(s->body, zone);
  if (result != CLV_OK) return surgery_fail(s, result, "%s", clv_body_error(s->body));
  result = surgery_reserve_marks(s);
  if (result == CLV_OK) put_marks(s, 1);
  return result;
}

void surgery_unmark_vertices(clv_surgery *s) {
  put_marks(s, 0);
}
