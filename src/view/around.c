// Sums over the cells about an edge, of several edges side by side, whatever their cells are.
//
// An edge is gone round place by place: in through one facet of a cell, out through the other. One that meets a cell
// twice, lies in a facet that is not closed, or has very many cells about it, is left to the general walk.

#include "view/views.h"

// Where the slots of a cell begin.
typedef struct seating {
  uint32_t block, kind, first;
} seating;

static seating seats_in(const map *m, const map_index *inner, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  const clv_suborbits *sub = &clv_templates[map_is_template(page.kind) ? page.kind : CLV_NONE].sub[inner->inner];
  return (seating){block, page.kind, map_row(page, block << 6) * sub->count};
}

static inline view_place place_in(seating cell, uint32_t slot) {
  return slot & MAP_TEMPLATE_SLOT ? (view_place){cell.kind, cell.first + (slot & ~MAP_TEMPLATE_SLOT)}
                                  : (view_place){0, slot};
}

// A cell on the way round an edge: what the edge leaves in it, the dart on the way out, and the one beyond that.
typedef struct round_stop {
  view_place place;
  clv_dart out, beyond;
} round_stop;

static inline round_stop stop_at_record(const map *m, const map_index *inner, map_seat at) {
  const map_seat out = map_follow(m, at, 2);
  const clv_dart beyond = m->records.alpha.data[4 * (size_t)out.record + 3];
  const uint32_t slot = inner->record_ids.data[at.record];
  if (!(slot & MAP_TEMPLATE_SLOT)) return (round_stop){{0, slot}, out.dart, beyond};
  const seating cell = seats_in(m, inner, m->records.cell.data[at.record] & MAP_BLOCK);
  return (round_stop){place_in(cell, slot), out.dart, beyond};
}

static inline round_stop stop_at(const map *m, const map_index *inner, clv_dart at) {
  const uint32_t record = map_record(m, at);
  if (record != MAP_NO_RECORD) return stop_at_record(m, inner, (map_seat){at, record});
  const clv_page page = map_page(m, at);
  const clv_template *shape = &clv_templates[page.kind];
  const uint32_t row = map_row(page, at), out = shape->alpha[2][at & 63u];
  const clv_suborbits *sub = &shape->sub[inner->inner];
  round_stop stop = {{page.kind, row * sub->count + sub->of[at & 63u]}, (at & ~63u) | out, 0};
  const clv_dart link = m->view.links[page.kind][row * shape->facet_count + shape->facet[out]];
  if (!link)
    stop.beyond = stop.out;
  else if (map_record(m, link) == MAP_NO_RECORD)
    stop.beyond = (link & ~63u) | clv_templates[map_page(m, link).kind].turn[link & 63u][shape->position[out]];
  else
    stop.beyond = clv_alpha_facing(&m->view, link, shape->position[out]);
  return stop;
}

typedef enum round_end { ROUND_CLOSED, ROUND_OPEN, ROUND_LEFT } round_end;

// From `at` on, up to `start` or to where the edge is open.
static round_end go_on(const map *m, const map_index *inner, clv_dart at, clv_dart start, view_place *places,
                       uint32_t *count) {
  const clv_dart end = map_alpha(m, start, 0), other = map_alpha(m, end, 2);
  if (other == start) return ROUND_LEFT; // folded in its cell: both ways lead through the same others
  while (at != end && at != other && *count < VIEW_AROUND) {
    const round_stop stop = stop_at(m, inner, at);
    places[(*count)++] = stop.place;
    if (stop.out == at) return ROUND_LEFT;
    if (stop.beyond == start) return ROUND_CLOSED;
    if (stop.beyond == stop.out) return ROUND_OPEN;
    at = stop.beyond;
  }
  return ROUND_LEFT;
}

// A place in each cell about an edge, that of `start` first; 0 where it is left to the general walk.
static uint32_t go_round(const view_site *site, clv_dart start, view_place places[VIEW_AROUND]) {
  const map *m = site->map;
  const map_index *inner = m->indices[site->inner];
  uint32_t count = 0;
  round_end end = go_on(m, inner, start, start, places, &count);
  const clv_dart beyond = end == ROUND_OPEN ? map_alpha(m, start, 3) : start;
  if (beyond != start && go_on(m, inner, beyond, start, places, &count) != ROUND_OPEN) end = ROUND_LEFT;
  return end == ROUND_LEFT ? 0 : count;
}

bool view_sums_around(const view_formula *formula) {
  const uint32_t n = formula->site.map->view.dimension;
  return formula->direct && n == 3 && map_is_ring(formula->site.dims, n);
}

// Sums

void view_around_compute(view_around *around) {
  double totals[VIEW_LANES];
  if (!around->lanes) return;
  view_formula_sum_around(around->formula, &around->views->rooms[0], around->views->params.data, around->bases,
                          around->places, around->counts, around->lanes, totals);
  for (uint32_t lane = 0; lane < around->lanes; lane++)
    view_assign(&around->formula->targets.data[0], (view_place){0, around->keys[lane]}, totals[lane]);
  around->lanes = 0;
}

bool view_around_take(view_around *around, uint32_t key, clv_dart dart) {
  const uint32_t lane = around->lanes;
  around->counts[lane] = go_round(&around->formula->site, dart, around->walked[lane]);
  if (!around->counts[lane]) return false;
  around->places[lane] = around->walked[lane];
  around->bases[lane] = dart;
  around->keys[lane] = key;
  if (++around->lanes == VIEW_LANES) view_around_compute(around);
  return true;
}
