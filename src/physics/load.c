// Loads: what tools press with.

#include "physics/body.h"

#include <stdio.h>

static void forget_load(void *user, const clv_map *map, void *value) {
  (void)user;
  (void)map;
  memset(value, 0, 3 * sizeof(double));
}

clv_result physics_create_load(clv_body *body, clv_column **column) {
  char name[24];
  uint32_t number = 1;
  do snprintf(name, sizeof name, "load%u", number++);
  while (clv_column_find(body->map, name));
  const clv_column_def def = {.name = name,
                              .orbit = CLV_VERTEX,
                              .type = CLV_DOUBLE,
                              .components = 3,
                              .split = CLV_SPLIT_SHARE,
                              .merge = CLV_MERGE_SUM,
                              .destroy = forget_load};
  if (!BASE_RESERVE(&body->allocator, &body->loads, (uint64_t)body->loads.count + 1)) return physics_no_memory(body);
  const clv_result result = clv_column_create(body->map, &def, column);
  if (result != CLV_OK) return physics_fail(body, result, "%s", clv_map_error(body->map));
  body->loads.data[body->loads.count++] = *column;
  body->subject++;
  return CLV_OK;
}

void physics_destroy_load(clv_body *body, clv_column *column) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < body->loads.count; k++)
    if (body->loads.data[k] != column) body->loads.data[kept++] = body->loads.data[k];
  body->loads.count = kept;
  clv_column_destroy(body->map, column);
  body->subject++;
}

void physics_add_loads(const clv_body *body, double *out) {
  const size_t count = 3 * (size_t)clv_body_slots(body);
  for (uint32_t k = 0; k < body->loads.count; k++) {
    const double *load = physics_vectors(body->loads.data[k]);
    for (size_t c = 3; c < count; c++) out[c] += load[c];
  }
}
