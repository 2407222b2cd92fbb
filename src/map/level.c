#include "map/level.h"

enum { DEEPEST = 24 };

static bool step(const map_levels *l, clv_dart dart, int32_t k, uint32_t depth, clv_dart *end);

static bool second_half(const map_levels *l, clv_dart middle, int32_t k, uint32_t depth, clv_dart *half,
                        clv_dart *end) {
  const clv_map *view = l->view;
  const clv_dart start = clv_alpha(view, middle, 1);
  for (clv_dart at = start;;) {
    *half = at;
    if (step(l, at, k + 1, depth + 1, end) && l->at(l->user, *end) <= k) return true;
    if (view->dimension == 2 && !l->across) return false;
    const clv_dart turned = clv_alpha(view, at, 2), next = clv_alpha(view, turned, 1);
    if (turned == at || next == turned || next == start || next == middle) return false;
    at = next;
  }
}

static bool step(const map_levels *l, clv_dart dart, int32_t k, uint32_t depth, clv_dart *end) {
  clv_dart half;
  *end = clv_alpha(l->view, dart, 0);
  const int32_t raw = l->at(l->user, *end);
  if (raw <= k) return true;
  if (raw == MAP_NO_LEVEL || depth >= DEEPEST || !step(l, dart, k + 1, depth + 1, end)) return false;
  return l->at(l->user, *end) <= k || second_half(l, *end, k, depth, &half, end);
}

bool map_level_step(const map_levels *levels, clv_dart dart, int32_t k, clv_dart *end) {
  return step(levels, dart, k, 0, end);
}

typedef struct visit {
  const map_levels *levels;
  map_level_visitor *each;
  void *user;
} visit;

static bool visit_pieces(const visit *v, clv_dart dart, int32_t k, uint32_t depth) {
  const map_levels *l = v->levels;
  clv_dart middle, half, end;
  const int32_t raw = l->at(l->user, clv_alpha(l->view, dart, 0));
  if (raw <= k) return v->each(v->user, dart);
  if (raw == MAP_NO_LEVEL || depth >= DEEPEST || !visit_pieces(v, dart, k + 1, depth + 1)) return false;
  if (!step(l, dart, k + 1, depth + 1, &middle)) return false;
  if (l->at(l->user, middle) <= k) return true;
  return second_half(l, middle, k, depth, &half, &end) && visit_pieces(v, half, k + 1, depth + 1);
}

bool map_level_pieces(const map_levels *levels, clv_dart dart, int32_t k, map_level_visitor *each, void *user) {
  const visit v = {levels, each, user};
  return visit_pieces(&v, dart, k, 0);
}
