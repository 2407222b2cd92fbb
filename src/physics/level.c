#include "physics/level.h"

static int32_t tell_level(const void *levels, clv_dart dart) {
  return physics_level_at(levels, dart);
}

bool physics_levels_find(physics_levels *levels, const clv_map *view) {
  const clv_column *column = clv_column_find(view, "lev");
  const clv_column_def *def = column ? clv_column_get_def(column) : NULL;
  const uint32_t vertex = clv_orbit_dims(view, CLV_VERTEX);
  if (!def || clv_orbit_dims(view, def->orbit) != vertex || def->type != CLV_INT32 || def->components != 1)
    return false;
  *levels = (physics_levels){.m = map_read(view), .of = clv_column_data(column, CLV_NONE, NULL)};
  levels->vertices = levels->m->indices[vertex];
  return true;
}

bool physics_level_step(const physics_levels *levels, clv_dart dart, int32_t k, clv_dart *end) {
  const map_levels walk = {.view = &levels->m->view, .at = tell_level, .user = levels};
  return map_level_step(&walk, dart, k, end);
}

bool physics_level_pieces(const physics_levels *levels, clv_dart dart, int32_t k, map_level_visitor *each, void *user) {
  const map_levels walk = {.view = &levels->m->view, .at = tell_level, .user = levels};
  return map_level_pieces(&walk, dart, k, each, user);
}
