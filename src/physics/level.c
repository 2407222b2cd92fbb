#include "physics/level.h"

#include "map/plan.h"

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

// Births

typedef struct birth {
  uint32_t slot, ends[2];
} birth;

static bool is_between(const physics_levels *levels, const birth *b) {
  const int32_t level = levels->of[b->slot];
  return b->ends[0] != b->ends[1] && levels->of[b->ends[0]] < level && levels->of[b->ends[1]] < level;
}

static uint32_t id_of_end(const map_lineage *lineage, uint32_t end) {
  return map_is_newcomer(end) ? lineage->newcomers[MAP_VERTICES].data[end & ~MAP_NEWCOMER].id : end;
}

static bool tell_newcomer(const physics_levels *levels, uint32_t number, birth *b) {
  const map_lineage *lineage = &levels->m->scratch->lineage;
  const map_newcomer *n = &lineage->newcomers[MAP_VERTICES].data[number];
  *b = (birth){n->id, {id_of_end(lineage, n->ends[0]), id_of_end(lineage, n->ends[1])}};
  return b->slot && b->ends[0] && b->ends[1] && is_between(levels, b);
}

static bool tell_write(const physics_levels *levels, const map_write *w, birth *b) {
  const clv_map *view = &levels->m->view;
  if (w->op != MAP_PARENTS || !clv_dart_alive(view, w->dart)) return false;
  if (!clv_dart_alive(view, w->before) || !clv_dart_alive(view, w->after)) return false;
  *b = (birth){physics_slot_at(levels, w->dart),
               {physics_slot_at(levels, w->before), physics_slot_at(levels, w->after)}};
  return is_between(levels, b);
}

uint32_t physics_births(const physics_levels *levels, physics_birth_visitor *each, void *user) {
  const map_scratch *s = levels->m->scratch;
  const uint32_t entries = s->told ? s->lineage.newcomers[MAP_VERTICES].count : s->notable.count;
  uint32_t count = 0;
  for (uint32_t k = 0; k < entries; k++) {
    birth b;
    const bool known =
        s->told ? tell_newcomer(levels, k, &b) : tell_write(levels, &levels->m->log.data[s->notable.data[k]], &b);
    if (!known) continue;
    each(user, b.slot, b.ends);
    count++;
  }
  return count;
}
