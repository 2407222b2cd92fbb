#include "physics/level.h"

enum { DEEPEST = 24 };

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

static bool step(const physics_levels *l, clv_dart dart, int32_t k, uint32_t depth, clv_dart *end);

// The other half of the level-k edge whose first half ends in `middle`, and its end.
static bool second_half(const physics_levels *l, clv_dart middle, int32_t k, uint32_t depth, clv_dart *half,
                        clv_dart *end) {
  const clv_map *view = &l->m->view;
  const clv_dart start = clv_alpha(view, middle, 1);
  for (clv_dart at = start;;) {
    if (step(l, at, k + 1, depth + 1, end) && physics_level_at(l, *end) <= k) {
      *half = at;
      return true;
    }
    if (view->dimension == 2) return false;
    const clv_dart turned = clv_alpha(view, at, 2), next = clv_alpha(view, turned, 1);
    if (turned == at || next == turned || next == start || next == middle) return false;
    at = next;
  }
}

static bool step(const physics_levels *l, clv_dart dart, int32_t k, uint32_t depth, clv_dart *end) {
  clv_dart half;
  *end = clv_alpha(&l->m->view, dart, 0);
  if (physics_level_at(l, *end) <= k) return true;
  if (depth >= DEEPEST || !step(l, dart, k + 1, depth + 1, end)) return false;
  return physics_level_at(l, *end) <= k || second_half(l, *end, k, depth, &half, end);
}

bool physics_level_step(const physics_levels *levels, clv_dart dart, int32_t k, clv_dart *end) {
  return step(levels, dart, k, 0, end);
}

typedef struct visiting {
  const physics_levels *levels;
  void (*each)(void *, clv_dart);
  void *user;
} visiting;

static void visit(const visiting *v, clv_dart dart, int32_t k, uint32_t depth) {
  const physics_levels *l = v->levels;
  clv_dart middle, half, end;
  if (physics_level_at(l, clv_alpha(&l->m->view, dart, 0)) <= k) {
    v->each(v->user, dart);
    return;
  }
  if (depth >= DEEPEST || !step(l, dart, k + 1, depth + 1, &middle)) return;
  visit(v, dart, k + 1, depth + 1);
  if (physics_level_at(l, middle) <= k || !second_half(l, middle, k, depth, &half, &end)) return;
  visit(v, half, k + 1, depth + 1);
}

void physics_level_pieces(const physics_levels *levels, clv_dart dart, int32_t k, void (*each)(void *, clv_dart),
                          void *user) {
  const visiting v = {levels, each, user};
  visit(&v, dart, k, 0);
}
