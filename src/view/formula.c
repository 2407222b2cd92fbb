// Making and evaluating formulas; formula.h tells the idea.

#include "view/formula.h"

#include <math.h>

static clv_result no_memory(const law *l, clv_error *error) {
  return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while preparing '%s'", l->name);
}

static bool starts_from_zero(const clv_column *column) {
  const uint8_t *initial = column->initial;
  uint8_t bits = 0;
  for (size_t k = 0; k < column->size; k++) bits |= initial[k];
  return !bits;
}

static clv_result make_targets(view_formula *formula, map *m, const law *l, const clv_allocator *a, clv_error *error) {
  if (!BASE_RESERVE(a, &formula->targets, l->assigns.count)) return no_memory(l, error);
  view_site *site = &formula->site;
  for (uint32_t k = 0; k < l->assigns.count; k++) {
    const law_assign *assign = &l->assigns.data[k];
    clv_column *column = view_column(m, assign->column);
    if (!column || assign->component >= column->def.components)
      return clv_error_set(error, CLV_ERROR_INPUT, "'%s' assigns to '%s', and the map has no such column", l->name,
                           assign->column->name);
    // What is new in a cell starts from zero, also where nobody comes to say so.
    const bool stays = column->index->crossing || (view_stays_in_cell(column) && starts_from_zero(column));
    site->steady = site->steady && stays;
    uint32_t spot = 0;
    const uint16_t step = site->path_steps.data[assign->path];
    while (spot < site->spots.count &&
           (site->spots.data[spot].index != column->index || site->spots.data[spot].step != step))
      spot++;
    if (spot == site->spots.count) {
      if (spot > UINT16_MAX || !BASE_RESERVE(a, &site->spots, (uint64_t)spot + 1)) return no_memory(l, error);
      site->spots.data[site->spots.count++] = (view_spot){column->index, step};
    }
    formula->targets.data[formula->targets.count++] = (view_target){column, (uint16_t)spot, assign->component};
  }
  return CLV_OK;
}

static bool make_codes(view_formula *formula, const law *l, const clv_allocator *a) {
  BASE_ARRAY(dag_ref) roots = {0};
  bool done = BASE_RESERVE(a, &roots, l->assigns.count);
  for (uint32_t k = 0; done && k < l->assigns.count; k++) roots.data[k] = l->assigns.data[k].value;
  done = done && view_feed_make(&formula->feed, &formula->site, &l->graph, roots.data, l->assigns.count, a);
  BASE_RELEASE(a, &roots);
  if (!done || !l->sums.count) return done;
  formula->sums = base_allocate(a, l->sums.count * sizeof *formula->sums);
  if (!formula->sums) return false;
  memset(formula->sums, 0, l->sums.count * sizeof *formula->sums);
  for (uint32_t k = 0; done && k < l->sums.count; k++)
    done =
        view_feed_make(&formula->sums[k], &formula->site, &l->graph, l->sums.data[k].value, l->sums.data[k].width, a);
  return done;
}

// A value that lies at a place of the site's own orbit: the place's number is that of the value.
static bool lies_at_place(const view_site *site, const view_pick *pick) {
  const view_spot *spot = &site->spots.data[pick->spot];
  return spot->step == 0 && spot->index->dims == site->inner && pick->column->def.type == CLV_DOUBLE;
}

static bool sums_at_places(const view_site *site, const law_sum *sum, const view_feed *terms) {
  if (sum->width != 1 || sum->mean || clv_orbit_dims(&site->map->view, sum->orbit) != site->inner) return false;
  if (terms->sums.count || terms->points.count) return false;
  for (uint32_t k = 0; k < terms->picks.count; k++)
    if (terms->picks.data[k].within) return false;
  for (uint32_t k = 0; k < terms->others.count; k++)
    if (!terms->others.data[k].within || !lies_at_place(site, &terms->others.data[k])) return false;
  return true;
}

static bool is_direct(const view_formula *formula) {
  const view_site *site = &formula->site;
  const law *l = site->law;
  const view_feed *feed = &formula->feed;
  if (!site->crossing || site->face || l->oriented || l->guards.count || l->quadrature || l->sums.count != 1)
    return false;
  if (formula->targets.count != 1 || feed->code.operations.count || feed->code.inputs.count != 1 || !feed->sums.count)
    return false;
  const view_target *target = &formula->targets.data[0];
  return target->column->index == site->index && target->column->def.components == 1 &&
         site->spots.data[target->spot].step == 0 && sums_at_places(site, &l->sums.data[0], &formula->sums[0]);
}

// What terms of a sum have in common is computed once.
static bool part_terms(view_feed *terms, const clv_allocator *a) {
  bool *moves = base_allocate(a, terms->code.values * sizeof *moves);
  if (!moves) return false;
  memset(moves, 0, terms->code.values * sizeof *moves);
  for (uint32_t k = 0; k < terms->others.count; k++) moves[terms->others.data[k].to] = true;
  const bool done = view_code_part(&terms->code, a, moves);
  base_free(a, moves, terms->code.values * sizeof *moves);
  return done;
}

clv_result view_formula_make(view_formula *formula, map *m, const law *l, const clv_allocator *allocator,
                             clv_error *error) {
  *formula = (view_formula){0};
  clv_result result = view_site_make(&formula->site, m, l, allocator, error);
  if (result != CLV_OK) return result;
  result = make_targets(formula, m, l, allocator, error);
  if (result == CLV_OK && !(view_site_settle(&formula->site, allocator) && make_codes(formula, l, allocator)))
    result = no_memory(l, error);
  formula->direct = result == CLV_OK && is_direct(formula);
  if (formula->direct && !part_terms(&formula->sums[0], allocator)) result = no_memory(l, error);
  if (result != CLV_OK) view_formula_free(formula, allocator);
  return result;
}

void view_formula_free(view_formula *formula, const clv_allocator *allocator) {
  const uint32_t sums = formula->sums ? formula->site.law->sums.count : 0;
  for (uint32_t k = 0; k < sums; k++) view_feed_free(&formula->sums[k], allocator);
  base_free(allocator, formula->sums, sums * sizeof *formula->sums);
  formula->sums = NULL;
  view_feed_free(&formula->feed, allocator);
  BASE_RELEASE(allocator, &formula->targets);
  view_site_free(&formula->site, allocator);
}

#define RESERVE_ZEROED(allocator, array, need)                                                                         \
  (BASE_RESERVE(allocator, array, need) &&                                                                             \
   ((array)->capacity == 0 || memset((array)->data, 0, (array)->capacity * sizeof *(array)->data)))

bool view_room_reserve(view_room *room, const view_formula *formula, const clv_allocator *allocator) {
  const law *l = formula->site.law;
  bool done = view_reading_reserve(&room->reading, &formula->site, allocator) &&
              view_reading_reserve(&room->within, &formula->site, allocator) &&
              RESERVE_ZEROED(allocator, &room->values, formula->feed.code.values * VIEW_LANES) &&
              RESERVE_ZEROED(allocator, &room->sums, 9u * VIEW_LANES * l->sums.count) &&
              BASE_RESERVE(allocator, &room->targets, formula->targets.count * VIEW_LANES);
  for (uint32_t k = 0; done && k < l->sums.count; k++)
    done = RESERVE_ZEROED(allocator, &room->sum_values, formula->sums[k].code.values * VIEW_LANES);
  return done;
}

void view_room_free(view_room *room, const clv_allocator *allocator) {
  view_reading_free(&room->reading, allocator);
  view_reading_free(&room->within, allocator);
  BASE_RELEASE(allocator, &room->values);
  BASE_RELEASE(allocator, &room->sum_values);
  BASE_RELEASE(allocator, &room->sums);
  BASE_RELEASE(allocator, &room->targets);
}

void view_formula_aim(view_formula *formula) {
  view_feed_aim(&formula->feed);
  for (uint32_t k = 0; k < formula->site.law->sums.count; k++) view_feed_aim(&formula->sums[k]);
}

void view_formula_start(const view_formula *formula, view_room *room, const double *params) {
  view_code_start(&formula->feed.code, params, room->values.data);
}

// All inputs of one lane; `at` is the lane of the base.
static void fill(const view_feed *feed, const view_room *room, uint32_t at, uint32_t lane, double *values) {
  view_feed_fill(feed, &room->reading, &room->within, lane, values);
  view_feed_point(feed, &room->quadrature[at][0][0], lane, values);
  for (uint32_t k = 0; k < feed->sums.count; k++)
    values[feed->sums.data[k].to * VIEW_LANES + lane] = room->sums.data[feed->sums.data[k].index * VIEW_LANES + at];
}

// The column whose value at the sub-orbit is all that a sum adds up; NULL where it is more than that.
static const view_pick *plain_term(const view_formula *formula, uint32_t number) {
  const view_feed *feed = &formula->sums[number];
  const bool one = formula->site.law->sums.data[number].width == 1 && feed->code.operations.count == 0 &&
                   feed->code.inputs.count == 1 && feed->picks.count + feed->others.count == 1;
  const view_pick *pick = !one ? NULL : feed->picks.count ? feed->picks.data : feed->others.data;
  return pick && pick->within && pick->column->def.type == CLV_DOUBLE && formula->site.spots.data[pick->spot].step == 0
             ? pick
             : NULL;
}

const view_pick *view_formula_term(const view_formula *formula) {
  return formula->direct ? plain_term(formula, 0) : NULL;
}

static double add_plainly(const view_formula *formula, const view_pick *pick, const clv_walk *walk) {
  const map_index *index = formula->site.spots.data[pick->spot].index;
  double total = 0;
  for (uint32_t k = 0; k < walk->count; k++) {
    const double *value = view_value(pick->column, view_place_of(formula->site.map, index, walk->darts[k]));
    total += value[pick->component];
  }
  return total;
}

// The same for a direct formula (view_formula_sum_up) whose terms are more than that: all that differs from place to
// place is what lies there.
static double add_directly(const view_formula *formula, view_room *room, const double *params, const clv_walk *walk) {
  const view_feed *feed = &formula->sums[0];
  const view_site *site = &formula->site;
  double *values = room->sum_values.data, total = 0;
  view_code_start(&feed->code, params, values);
  for (const view_pick *at = feed->picks.data, *end = at + feed->picks.count; at < end; at++) {
    const double value = at->data[(size_t)room->reading.places.data[at->spot].slot * at->stride + at->component];
    for (uint32_t lane = 0; lane < VIEW_LANES; lane++) values[at->to * VIEW_LANES + lane] = value;
  }
  view_code_run_steady(&feed->code, VIEW_LANES, values);
  for (uint32_t first = 0; first < walk->count; first += VIEW_LANES) {
    const uint32_t lanes = walk->count - first < VIEW_LANES ? walk->count - first : VIEW_LANES;
    for (const view_pick *at = feed->others.data, *end = at + feed->others.count; at < end; at++) {
      const map_index *index = site->spots.data[at->spot].index;
      for (uint32_t lane = 0; lane < lanes; lane++) {
        const double *value = view_value(at->column, view_place_of(site->map, index, walk->darts[first + lane]));
        values[at->to * VIEW_LANES + lane] = value[at->component];
      }
    }
    view_code_run_moving(&feed->code, lanes, values);
    for (uint32_t lane = 0; lane < lanes; lane++) total += view_code_result(&feed->code, values, 0, lane);
  }
  return total;
}

static void sum_over(const view_formula *formula, view_room *room, const double *params, uint32_t number, uint32_t at,
                     const clv_walk *walk) {
  const law_sum *sum = &formula->site.law->sums.data[number];
  const view_feed *feed = &formula->sums[number];
  const view_code *code = &feed->code;
  double *values = room->sum_values.data, *totals = room->sums.data + 9u * number * VIEW_LANES;
  for (uint32_t c = 0; c < sum->width; c++) totals[c * VIEW_LANES + at] = 0;
  const view_pick *plain = plain_term(formula, number);
  if (plain) totals[at] = add_plainly(formula, plain, walk);
  if (!plain && formula->direct) {
    totals[at] = add_directly(formula, room, params, walk);
    return;
  }
  if (!plain) view_code_start(code, params, values);
  for (uint32_t first = 0; !plain && first < walk->count; first += VIEW_LANES) {
    const uint32_t lanes = walk->count - first < VIEW_LANES ? walk->count - first : VIEW_LANES;
    for (uint32_t lane = 0; lane < lanes; lane++) {
      view_site_read(&formula->site, walk->darts[first + lane], &room->within);
      fill(feed, room, at, lane, values);
    }
    view_code_run(code, lanes, values);
    for (uint32_t c = 0; c < sum->width; c++)
      for (uint32_t lane = 0; lane < lanes; lane++)
        totals[c * VIEW_LANES + at] += view_code_result(code, values, c, lane);
  }
  for (uint32_t c = 0; sum->mean && walk->count && c < sum->width; c++) totals[c * VIEW_LANES + at] /= walk->count;
}

// The walk over what a sum adds up.
static clv_result walk_terms(const view_formula *formula, uint32_t number, clv_dart base, clv_walk *walk) {
  const view_site *site = &formula->site;
  const clv_map *view = &site->map->view;
  const uint32_t dims = clv_orbit_dims(view, site->law->sums.data[number].orbit);
  return site->crossing && dims == site->inner ? clv_walk_star(walk, view, site->dims, base)
                                               : clv_walk_incident(walk, view, site->dims, dims, base);
}

static bool take_sums(const view_formula *formula, view_room *room, const double *params, clv_dart base,
                      uint32_t lane) {
  for (uint32_t k = 0; k < formula->site.law->sums.count; k++) {
    clv_walk walk;
    if (walk_terms(formula, k, base, &walk) != CLV_OK) return false;
    sum_over(formula, room, params, k, lane, &walk);
    clv_walk_end(&walk);
  }
  return true;
}

bool view_formula_take(const view_formula *formula, view_room *room, const double *params, clv_dart dart, uint32_t lane,
                       bool *holds) {
  const view_site *site = &formula->site;
  const clv_kind kind = site->law->shape.kind;
  *holds = !site->whole || !kind || clv_cell_shape(&site->map->view, dart) == kind;
  if (!*holds) return true;
  const clv_dart base = view_site_base(site, dart);
  view_site_read(site, base, &room->reading);
  *holds = view_site_holds(site, params, &room->reading);
  if (!*holds) return true;
  if (site->law->quadrature) {
    double rest[8][3];
    view_site_rest(site, &room->reading, rest);
    law_quadrature(site->law->shape.kind, (const double(*)[3])rest, room->quadrature[lane]);
  }
  if (!take_sums(formula, room, params, base, lane)) return false;
  fill(&formula->feed, room, lane, lane, room->values.data);
  for (uint32_t t = 0; t < formula->targets.count; t++)
    room->targets.data[t * VIEW_LANES + lane] = room->reading.places.data[formula->targets.data[t].spot];
  return true;
}

bool view_formula_takes_cells(const view_formula *formula) {
  const view_site *site = &formula->site;
  return view_site_fits_all(site) && site->inside && site->law->shape.kind && !site->law->oriented &&
         !site->law->sums.count;
}

void view_formula_take_cells(const view_formula *formula, view_room *room, const clv_dart *cells, uint32_t lanes) {
  const view_site *site = &formula->site;
  const view_feed *feed = &formula->feed;
  view_reading *reading = &room->reading;
  double *values = room->values.data;
  view_site_read_lanes(site, cells, lanes, reading);
  view_feed_fill_lanes(feed, reading, lanes, values);
  view_rest rest[VIEW_LANES];
  if (site->law->quadrature) view_site_rest_lanes(site, reading, lanes, rest);
  for (uint32_t lane = 0; site->law->quadrature && lane < lanes; lane++) {
    law_quadrature(site->law->shape.kind, (const double(*)[3])rest[lane].corners, room->quadrature[lane]);
    view_feed_point(feed, room->quadrature[lane][0], lane, values);
  }
  for (uint32_t t = 0; t < formula->targets.count; t++) {
    const view_target *target = &formula->targets.data[t];
    const uint32_t kind = target->column->index->crossing ? 0 : reading->lane_kind;
    for (uint32_t lane = 0; lane < lanes; lane++)
      room->targets.data[t * VIEW_LANES + lane] =
          (view_place){kind, reading->lane_slots.data[target->spot * VIEW_LANES + lane]};
  }
}

void view_formula_compute(const view_formula *formula, view_room *room, uint32_t lanes) {
  view_code_run(&formula->feed.code, lanes, room->values.data);
}

// What the terms of a sum come to without their signs.
static void size_up(const view_formula *formula, view_room *room, const double *params, uint32_t number,
                    const clv_walk *walk, double *sizes) {
  const law_sum *sum = &formula->site.law->sums.data[number];
  const view_feed *feed = &formula->sums[number];
  double *values = room->sum_values.data;
  for (uint32_t c = 0; c < sum->width; c++) sizes[c] = 0;
  view_code_start(&feed->code, params, values);
  for (uint32_t k = 0; k < walk->count; k++) {
    view_site_read(&formula->site, walk->darts[k], &room->within);
    fill(feed, room, 0, 0, values);
    view_code_run(&feed->code, 1, values);
    for (uint32_t c = 0; c < sum->width; c++) sizes[c] += fabs(view_code_result(&feed->code, values, c, 0));
  }
  for (uint32_t c = 0; sum->mean && walk->count && c < sum->width; c++) sizes[c] /= walk->count;
}

bool view_formula_doubt(const view_formula *formula, view_room *room, const double *params, clv_dart dart, uint32_t t,
                        double part, double *doubt) {
  const clv_dart base = view_site_base(&formula->site, dart);
  const double was = view_formula_result(formula, room, t, 0);
  *doubt = 0;
  for (uint32_t k = 0; k < formula->site.law->sums.count; k++) {
    double *totals = room->sums.data + 9u * k * VIEW_LANES, sizes[9];
    clv_walk walk;
    if (walk_terms(formula, k, base, &walk) != CLV_OK) return false;
    size_up(formula, room, params, k, &walk, sizes);
    clv_walk_end(&walk);
    for (uint32_t c = 0; c < formula->site.law->sums.data[k].width; c++) {
      const double total = totals[c * VIEW_LANES];
      totals[c * VIEW_LANES] = total + part * sizes[c];
      fill(&formula->feed, room, 0, 0, room->values.data);
      view_formula_compute(formula, room, 1);
      *doubt += fabs(view_formula_result(formula, room, t, 0) - was);
      totals[c * VIEW_LANES] = total;
    }
  }
  fill(&formula->feed, room, 0, 0, room->values.data);
  view_formula_compute(formula, room, 1);
  return true;
}

// Terms of all lanes side by side: of every orbit its first place, then its second ... Lanes that have no more go on
// with their first, which does not count; those that nobody asked for are like the first lane.
static void add_terms(const view_feed *feed, double *values, const view_star *stars, uint32_t lanes, uint32_t kind,
                      double *totals) {
  const map_place *places[VIEW_LANES];
  uint32_t counts[VIEW_LANES], most = 0;
  double sums[VIEW_LANES] = {0};
  for (uint32_t lane = 0; lane < VIEW_LANES; lane++) {
    places[lane] = stars[lane < lanes ? lane : 0].places;
    counts[lane] = stars[lane < lanes ? lane : 0].count;
    most = counts[lane] > most ? counts[lane] : most;
  }
  const double *result = values + feed->code.roots.data[0] * VIEW_LANES;
  for (uint32_t n = 0; n < most; n++) {
    for (uint32_t k = 0; k < feed->others.count; k++) {
      const view_pick *pick = &feed->others.data[k];
      const double *data = (const double *)(const void *)pick->column->rows[kind].data + pick->component;
      const size_t stride = pick->stride;
      double *to = values + pick->to * VIEW_LANES;
      for (uint32_t lane = 0; lane < VIEW_LANES; lane++)
        to[lane] = data[places[lane][n < counts[lane] ? n : 0].slot * stride];
    }
    view_code_run_moving(&feed->code, VIEW_LANES, values);
    for (uint32_t lane = 0; lane < VIEW_LANES; lane++) sums[lane] += n < counts[lane] ? result[lane] : 0;
  }
  memcpy(totals, sums, lanes * sizeof *totals);
}

static double add_places(const view_pick *pick, const view_star *star, uint32_t kind) {
  const double *data = (const double *)(const void *)pick->column->rows[kind].data + pick->component;
  double total = 0;
  for (uint32_t k = 0; k < star->count; k++) total += data[(size_t)star->places[k].slot * pick->stride];
  return total;
}

// What terms read at the base.
static void fill_in_common(const view_formula *formula, view_room *room, const clv_dart *darts, uint32_t lanes,
                           double *values) {
  const view_feed *feed = &formula->sums[0];
  view_reading *reading = &room->reading;
  if (view_site_read_spots(&formula->site, darts, lanes, feed->spots.data, feed->spots.count, reading)) {
    view_feed_fill_picks(feed, reading, lanes, values);
    return;
  }
  for (uint32_t lane = 0; lane < lanes; lane++) {
    view_site_read(&formula->site, darts[lane], reading);
    for (const view_pick *at = feed->picks.data, *end = at + feed->picks.count; at < end; at++)
      values[at->to * VIEW_LANES + lane] =
          at->data[(size_t)reading->places.data[at->spot].slot * at->stride + at->component];
  }
}

void view_formula_sum_up(const view_formula *formula, view_room *room, const double *params, const clv_dart *darts,
                         const view_star *stars, uint32_t lanes, double *totals) {
  const view_feed *feed = &formula->sums[0];
  const uint32_t kind = map_page(formula->site.map, darts[0]).kind;
  const view_pick *plain = plain_term(formula, 0);
  double *values = room->sum_values.data;
  for (uint32_t lane = 0; lane < lanes; lane++) totals[lane] = plain ? add_places(plain, &stars[lane], kind) : 0;
  if (plain) return;
  view_code_start(&feed->code, params, values);
  fill_in_common(formula, room, darts, lanes, values);
  view_code_run_steady(&feed->code, lanes, values);
  add_terms(feed, values, stars, lanes, kind, totals);
}

// A value at a place of any sort.
static inline double value_at(const view_pick *pick, view_place place) {
  const uint8_t *data = place.kind ? pick->column->rows[place.kind].data : pick->column->slots.data;
  return ((const double *)(const void *)data)[(size_t)place.slot * pick->stride + pick->component];
}

// Whether a term is nothing but what lies there, times or by what all terms have in common.
static bool scales(const view_feed *feed) {
  const view_code *code = &feed->code;
  if (feed->others.count != 1 || code->operations.count != code->steady + 1) return false;
  const view_operation *last = &code->operations.data[code->steady];
  const uint32_t moving = feed->others.data[0].to;
  return (last->op == DAG_DIV || last->op == DAG_MUL) && last->arg[0] == moving && last->arg[1] != moving &&
         last->to == code->roots.data[0];
}

const view_pick *view_formula_scaled_term(const view_formula *formula) {
  return formula->direct && scales(&formula->sums[0]) ? formula->sums[0].others.data : NULL;
}

bool view_formula_divides(const view_formula *formula) {
  const view_code *code = &formula->sums[0].code;
  return code->operations.count && code->operations.data[code->steady].op == DAG_DIV;
}

bool view_formula_spans(const view_formula *formula) {
  const view_feed *feed = &formula->sums[0];
  return view_site_spans(&formula->site, feed->spots.data, feed->spots.count);
}

const double *view_formula_scales(const view_formula *formula, view_room *room, const view_edges *edges,
                                  uint32_t lanes) {
  static const double none[VIEW_LANES] = {1, 1, 1, 1, 1, 1, 1, 1};
  const view_feed *feed = &formula->sums[0];
  double *values = room->sum_values.data;
  if (!feed->code.operations.count) return none;
  view_site_read_edges(&formula->site, edges, feed->spots.data, feed->spots.count, &room->reading);
  view_feed_fill_picks(feed, &room->reading, lanes, values);
  view_code_run_steady(&feed->code, lanes, values);
  return values + feed->code.operations.data[feed->code.steady].arg[1] * VIEW_LANES;
}

static double add_scaled(const view_formula *formula, const view_place *places, uint32_t count, double scale) {
  const view_feed *feed = &formula->sums[0];
  const bool divides = view_formula_divides(formula);
  double total = 0;
  for (uint32_t n = 0; n < count; n++) {
    const double value = value_at(feed->others.data, places[n]);
    total += divides ? value / scale : value * scale;
  }
  return total;
}

// Place by place of all lanes; those that have no more go on with their first, which does not count.
static void add_around(const view_feed *feed, double *values, const view_place *const *places, const uint32_t *counts,
                       uint32_t lanes, double *totals) {
  const double *result = values + feed->code.roots.data[0] * VIEW_LANES;
  uint32_t most = 0;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    totals[lane] = 0;
    most = counts[lane] > most ? counts[lane] : most;
  }
  for (uint32_t n = 0; n < most; n++) {
    for (const view_pick *at = feed->others.data, *end = at + feed->others.count; at < end; at++)
      for (uint32_t lane = 0; lane < lanes; lane++)
        values[at->to * VIEW_LANES + lane] = value_at(at, places[lane][n < counts[lane] ? n : 0]);
    view_code_run_moving(&feed->code, lanes, values);
    for (uint32_t lane = 0; lane < lanes; lane++) totals[lane] += n < counts[lane] ? result[lane] : 0;
  }
}

void view_formula_sum_around(const view_formula *formula, view_room *room, const double *params, const clv_dart *bases,
                             const view_place *const *places, const uint32_t *counts, uint32_t lanes, double *totals) {
  const view_feed *feed = &formula->sums[0];
  double *values = room->sum_values.data;
  view_code_start(&feed->code, params, values);
  fill_in_common(formula, room, bases, lanes, values);
  view_code_run_steady(&feed->code, lanes, values);
  if (!scales(feed)) {
    add_around(feed, values, places, counts, lanes, totals);
    return;
  }
  const double *scale = values + feed->code.operations.data[feed->code.steady].arg[1] * VIEW_LANES;
  for (uint32_t lane = 0; lane < lanes; lane++)
    totals[lane] = add_scaled(formula, places[lane], counts[lane], scale[lane]);
}
