// Derived quantities behind a commit that only loses (lose.c): what is left of sums.

#include "view/lose.h"

// Places

// Walks an orbit that the map did not walk; its places lie behind those there are.
static bool walk_star(view_loss *l, const clv_event *event) {
  clv_views *views = l->views;
  const clv_suborbits *sub = &clv_templates[l->kind].sub[event->dims & ~(1u << l->m->view.dimension)];
  clv_walk walk;
  if (clv_walk_star(&walk, &l->m->view, event->dims, event->dart) != CLV_OK) return false;
  view_lost *lost = &views->lost;
  const bool room = BASE_RESERVE(&views->allocator, &lost->walked, (uint64_t)lost->walked.count + walk.count);
  for (uint32_t k = 0; room && k < walk.count; k++) {
    const clv_dart dart = walk.darts[k];
    const uint32_t slot = map_row(map_page(l->m, dart), dart) * sub->count + sub->of[dart & 63u];
    lost->walked.data[lost->walked.count++] = (map_place){dart, slot};
  }
  clv_walk_end(&walk);
  return room;
}

bool view_lost_stars(view_loss *l, const uint32_t *numbers, uint32_t lanes, view_star *stars) {
  view_lost *lost = &l->views->lost;
  lost->walked.count = 0;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    stars[lane] = (view_star){0};
    stars[lane].count = map_told_star(l->m, numbers[lane], &stars[lane].places);
    const uint32_t had = lost->walked.count;
    if (stars[lane].count) continue;
    if (!walk_star(l, &l->commit->events[numbers[lane]])) return false;
    stars[lane] = (view_star){NULL, lost->walked.count - had};
  }
  const map_place *walked = lost->walked.data; // which is where it stays
  for (uint32_t lane = 0; lane < lanes; lane++) {
    if (stars[lane].places) continue;
    stars[lane].places = walked;
    walked += stars[lane].count;
  }
  return true;
}

// Sums

// What an orbit lost: the place of a cell that was removed, or all that came off it. A sum is what it was, less that;
// as long as a good part of it is left, rounding takes no more than a bit or two.

static const double least_left = 0.25;

static void lost_with_cell(const view_loss *l, uint32_t number, map_place *place, view_star *lost) {
  const map_index *index = l->m->indices[l->commit->events[number].dims];
  const clv_suborbits *sub = &clv_templates[l->kind].sub[index->inner];
  const uint32_t slot = map_told_loss(l->m, number);
  *place = (map_place){map_cell_dart(l->m, l->kind, slot / sub->count) | sub->first[slot % sub->count], slot};
  *lost = (view_star){place, 1};
}

// What came off an orbit whose event comes just before its own (map/part.c).
static bool lost_by_parting(const view_loss *l, uint32_t number, view_star *lost) {
  if (number + 1 == l->commit->event_count) return false;
  const clv_event *event = &l->commit->events[number], *next = event + 1;
  if (next->kind != CLV_SPLIT || next->dims != event->dims || next->from.index != event->id.index) return false;
  lost->count = map_told_star(l->m, number + 1, &lost->places);
  return lost->count != 0;
}

static bool find_lost(const view_loss *l, uint32_t number, map_place *place, view_star *lost) {
  if (l->many || l->commit->events[number].kind != CLV_CHANGED) return false;
  if (!l->removed_count) return l->parting && lost_by_parting(l, number, lost);
  lost_with_cell(l, number, place, lost);
  return true;
}

static double *value_of(const view_target *target, uint32_t slot) {
  return (double *)(void *)(target->column->slots.data + (size_t)slot * target->column->size) + target->component;
}

// Sums of a few orbits, side by side: over all places of those that the map has walked, over what they lost of the
// others.
typedef struct summing {
  const view_formula *formula;
  uint32_t count, numbers[VIEW_LANES];
  clv_dart darts[VIEW_LANES];
  view_star stars[VIEW_LANES];
  bool walked[VIEW_LANES];
  map_place places[VIEW_LANES];
} summing;

static void sum_up(view_loss *l, summing *s) {
  view_lost *all = &l->views->lost;
  double totals[VIEW_LANES];
  if (s->count)
    view_formula_sum_up(s->formula, &l->views->rooms[0], l->views->params.data, s->darts, s->stars, s->count, totals);
  for (uint32_t k = 0; k < s->count; k++) {
    double *value = value_of(&s->formula->targets.data[0], l->commit->events[s->numbers[k]].id.index);
    const double left = s->walked[k] ? totals[k] : *value - totals[k];
    if (s->walked[k] || left > least_left * *value)
      *value = left;
    else
      all->left.data[all->left.count++] = s->numbers[k];
  }
  s->count = 0;
}

// What the sum of an event's orbit will read, asked for ahead: it lies all over the columns.
static void expect_terms(const view_loss *l, const view_formula *formula, uint32_t number) {
  const view_feed *feed = &formula->sums[0];
  const map_place *places = NULL;
  const uint32_t count = map_told_star(l->m, number, &places);
  for (uint32_t k = 0; k < feed->others.count; k++) {
    const view_pick *pick = &feed->others.data[k];
    const double *data = (const double *)(const void *)pick->column->rows[l->kind].data + pick->component;
    for (uint32_t p = 0; p < count; p++) CLV_PREFETCH(data + (size_t)places[p].slot * pick->stride);
  }
}

// Orbits for which it will not do are left.
static void sum_each(view_loss *l, const view_formula *formula, uint32_t first, uint32_t end) {
  enum { AHEAD = 3 * VIEW_LANES };
  view_lost *all = &l->views->lost;
  summing s; // most of it is room, and not to be cleared
  s.formula = formula;
  s.count = 0;
  for (uint32_t k = first; k < end; k++) {
    if (end - k > AHEAD) expect_terms(l, formula, k + AHEAD);
    if (!l->commit->events[k].dart) continue;
    view_star *star = &s.stars[s.count];
    star->count = map_told_star(l->m, k, &star->places);
    s.walked[s.count] = star->count != 0;
    if (!star->count && !find_lost(l, k, &s.places[s.count], star)) {
      all->left.data[all->left.count++] = k;
      continue;
    }
    s.numbers[s.count] = k;
    s.darts[s.count++] = star->places[0].dart; // whose cell will be read in any case
    if (s.count == VIEW_LANES) sum_up(l, &s);
  }
  sum_up(l, &s);
}

// Where many cells were removed, what they had is found cell by cell and collected by event.

static bool is_less(const view_loss *l, uint32_t number) {
  const map_place *told;
  return l->commit->events[number].kind == CLV_CHANGED && !map_told_star(l->m, number, &told) && !l->many;
}

static void collect(view_loss *l, const view_formula *formula, const map_place *places, const uint32_t *numbers,
                    uint32_t lanes, uint32_t first) {
  view_star stars[VIEW_LANES] = {{0}};
  clv_dart darts[VIEW_LANES] = {0};
  double totals[VIEW_LANES];
  if (!lanes) return;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    stars[lane] = (view_star){&places[lane], 1};
    darts[lane] = places[lane].dart;
  }
  view_formula_sum_up(formula, &l->views->rooms[0], l->views->params.data, darts, stars, lanes, totals);
  for (uint32_t lane = 0; lane < lanes; lane++) l->views->lost.totals.data[numbers[lane] - first] += totals[lane];
}

static void collect_all(view_loss *l, const view_formula *formula, uint32_t first, uint32_t end) {
  const map_index *index = formula->site.index;
  const clv_suborbits *sub = &clv_templates[l->kind].sub[index->inner];
  const uint32_t *number_of = l->views->lost.number_of.data, *ids = index->ids[l->kind].data;
  map_place places[VIEW_LANES];
  uint32_t numbers[VIEW_LANES], lanes = 0;
  for (uint32_t c = 0; c < l->removed_count; c++) {
    const clv_dart cell = l->removed[c];
    const uint32_t row = map_uniform_row(cell) * sub->count;
    for (uint32_t p = 0; p < sub->count; p++) {
      const uint32_t id = ids[row + p], number = number_of[id];
      if (number < first || number >= end || l->commit->events[number].id.index != id || !is_less(l, number)) continue;
      places[lanes] = (map_place){cell | sub->first[p], row + p};
      numbers[lanes++] = number;
      if (lanes < VIEW_LANES) continue;
      collect(l, formula, places, numbers, lanes, first);
      lanes = 0;
    }
  }
  collect(l, formula, places, numbers, lanes, first);
}

// Lists orbits that lost more than places of removed cells, to be added up. How many lost no more than that.
static uint32_t list_walked(view_loss *l, uint32_t first, uint32_t end) {
  view_lost *lost = &l->views->lost;
  uint32_t lesser = 0;
  for (uint32_t k = first; k < end; k++) {
    if (!l->commit->events[k].dart) continue;
    if (is_less(l, k))
      lesser++;
    else
      lost->left.data[lost->left.count++] = k;
  }
  return lesser;
}

// Lists the events of those by id.
static bool number_lesser(view_loss *l, uint32_t ids, uint32_t first, uint32_t end) {
  view_lost *lost = &l->views->lost;
  const clv_allocator *a = &l->views->allocator;
  if (!BASE_RESERVE(a, &lost->totals, end - first) || !BASE_RESERVE(a, &lost->number_of, ids)) return false;
  if (lost->number_of.count < ids) {
    memset(lost->number_of.data + lost->number_of.count, 0, (ids - lost->number_of.count) * sizeof(uint32_t));
    lost->number_of.count = ids;
  }
  for (uint32_t k = first; k < end; k++) {
    if (!l->commit->events[k].dart || !is_less(l, k)) continue;
    lost->totals.data[k - first] = 0;
    lost->number_of.data[l->commit->events[k].id.index] = k;
  }
  return true;
}

static bool subtract_together(view_loss *l, const view_formula *formula, uint32_t first, uint32_t end) {
  view_lost *lost = &l->views->lost;
  if (!list_walked(l, first, end)) return true;
  if (!number_lesser(l, formula->site.index->count, first, end)) return false;
  collect_all(l, formula, first, end);
  for (uint32_t k = first; k < end; k++) {
    if (!l->commit->events[k].dart || !is_less(l, k)) continue;
    double *value = value_of(&formula->targets.data[0], l->commit->events[k].id.index);
    const double total = lost->totals.data[k - first];
    if (*value - total > least_left * *value)
      *value -= total;
    else
      lost->left.data[lost->left.count++] = k;
  }
  return true;
}

static bool add_up(view_loss *l, const view_formula *formula, const uint32_t *numbers, uint32_t lanes) {
  view_star stars[VIEW_LANES];
  clv_dart darts[VIEW_LANES];
  double totals[VIEW_LANES];
  if (!view_lost_stars(l, numbers, lanes, stars)) return false;
  for (uint32_t k = 0; k < lanes; k++) darts[k] = l->commit->events[numbers[k]].dart;
  view_formula_sum_up(formula, &l->views->rooms[0], l->views->params.data, darts, stars, lanes, totals);
  for (uint32_t k = 0; k < lanes; k++)
    view_assign(&formula->targets.data[0], (view_place){0, l->commit->events[numbers[k]].id.index}, totals[k]);
  return true;
}

static bool is_swept(view_loss *l, const view_formula *formula, uint32_t first, uint32_t end) {
  const view_sweep sweep = {l->views, l->commit, l->kind, l->removed, l->removed_count, first, end};
  return l->sweeping && view_sweep_sums(&sweep, formula);
}

static bool derive_sums(view_loss *l, const view_formula *formula, uint32_t first, uint32_t end) {
  view_lost *lost = &l->views->lost;
  const bool vertices = formula->site.dims == clv_orbit_dims(&l->m->view, CLV_VERTEX);
  if (!BASE_RESERVE(&l->views->allocator, &lost->left, end - first)) return false;
  lost->left.count = 0;
  const bool swept = is_swept(l, formula, first, end);
  if (!swept && formula->targets.data[0].column->def.type != CLV_DOUBLE)
    for (uint32_t k = first; k < end; k++) {
      if (l->commit->events[k].dart) lost->left.data[lost->left.count++] = k;
    }
  else if (!swept && l->removed_count > 1 && vertices) { // which may have lost several places
    if (!subtract_together(l, formula, first, end)) return false;
  } else if (!swept) {
    sum_each(l, formula, first, end);
  }
  bool done = true;
  enum { AHEAD = 2 * VIEW_LANES };
  for (uint32_t k = 0; done && k < lost->left.count; k += VIEW_LANES) {
    const uint32_t left = lost->left.count - k, lanes = left < VIEW_LANES ? left : VIEW_LANES;
    for (uint32_t lane = 0; left >= AHEAD + VIEW_LANES && lane < VIEW_LANES; lane++)
      expect_terms(l, formula, lost->left.data[k + AHEAD + lane]);
    done = add_up(l, formula, lost->left.data + k, lanes);
  }
  return done;
}

static bool derive(view_loss *l, const view_formula *formula, uint32_t first, uint32_t end) {
  const clv_views *views = l->views;
  view_room *room = &views->rooms[0];
  for (uint32_t k = first; k < end; k++) {
    bool holds = false;
    if (!l->commit->events[k].dart) continue;
    if (!view_formula_take(formula, room, views->params.data, l->commit->events[k].dart, 0, &holds)) return false;
    if (!holds) continue;
    view_formula_compute(formula, room, 1);
    for (uint32_t t = 0; t < formula->targets.count; t++)
      view_assign(&formula->targets.data[t], room->targets.data[t * VIEW_LANES],
                  view_formula_result(formula, room, t, 0));
  }
  return true;
}

static void clear_values(const view_loss *l, const clv_column *column) {
  const uint32_t dims = column->index->dims;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++)
    if (l->commit->events[k].dart)
      memset(column->slots.data + (size_t)l->commit->events[k].id.index * column->size, 0, column->size);
}

bool view_lessen(view_loss *l, const view_figure *figure) {
  const clv_column *column = figure->column;
  const uint32_t dims = column->index->dims;
  if (!column->index->crossing || l->first[dims] == l->end[dims]) return true;
  bool done = true;
  l->sweeping = l->many && figure->count == 1;
  if (figure->count != 1 || !figure->formulas[0].direct) clear_values(l, column);
  for (uint32_t f = 0; f < figure->count; f++) {
    view_formula *formula = &figure->formulas[f];
    view_formula_aim(formula);
    view_formula_start(formula, &l->views->rooms[0], l->views->params.data);
    done = done && (formula->direct ? derive_sums(l, formula, l->first[dims], l->end[dims])
                                    : derive(l, formula, l->first[dims], l->end[dims]));
  }
  return done;
}
