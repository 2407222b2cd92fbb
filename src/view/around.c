// Sums over the cells about an edge, of several edges side by side, whatever their cells are.
//
// An edge is gone round place by place: in through one facet of a cell, out through the other. One that meets a cell
// twice, lies in a facet that is not closed, or has very many cells about it, is left to the general walk.

#include "view/views.h"

static inline bool is_beside(clv_dart dart, const clv_dart twice[2]) {
  return dart == twice[0] || dart == twice[1];
}

uint32_t view_go_round(const map *m, clv_dart start, clv_dart darts[VIEW_AROUND]) {
  const clv_dart end = map_alpha(m, start, 0), twice[2] = {end, map_alpha(m, end, 2)};
  uint32_t count = 0;
  for (clv_dart at = start;;) {
    if (count == VIEW_AROUND) return 0;
    darts[count++] = at;
    const clv_dart out = map_alpha(m, at, 2), next = map_alpha(m, out, 3);
    if (out == at) return 0;
    if (next == start) return count;
    if (is_beside(next, twice)) return 0;
    if (next == out) break;
    at = next;
  }
  for (clv_dart at = start;;) { // it is open: the other way, too
    const clv_dart next = map_alpha(m, at, 3);
    if (next == at) return count;
    if (count == VIEW_AROUND || is_beside(next, twice)) return 0;
    darts[count++] = next;
    at = map_alpha(m, next, 2);
    if (at == next) return 0;
  }
}

bool view_sums_around(const view_formula *formula) {
  const uint32_t n = formula->site.map->view.dimension;
  return formula->direct && n == 3 && map_is_ring(formula->site.dims, n);
}

void view_around_compute(view_around *around, view_room *room, const double *params) {
  double totals[VIEW_LANES];
  if (!around->lanes) return;
  view_formula_sum_around(around->formula, room, params, around->bases, around->darts, around->counts, around->lanes,
                          totals);
  for (uint32_t lane = 0; lane < around->lanes; lane++)
    view_assign(&around->formula->targets.data[0], (view_place){0, around->keys[lane]}, totals[lane]);
  around->lanes = 0;
}

bool view_around_take(view_around *around, view_room *room, const double *params, uint32_t key, clv_dart dart) {
  const uint32_t lane = around->lanes;
  around->counts[lane] = view_go_round(around->formula->site.map, dart, around->darts[lane]);
  if (!around->counts[lane]) return false;
  around->bases[lane] = dart;
  around->keys[lane] = key;
  if (++around->lanes == VIEW_LANES) view_around_compute(around, room, params);
  return true;
}
