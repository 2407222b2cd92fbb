#include "view/feed.h"

static bool add_spot(view_feed *feed, uint16_t spot, const clv_allocator *a) {
  for (uint32_t k = 0; k < feed->spots.count; k++)
    if (feed->spots.data[k] == spot) return true;
  if (!BASE_RESERVE(a, &feed->spots, (uint64_t)feed->spots.count + 1)) return false;
  feed->spots.data[feed->spots.count++] = spot;
  return true;
}

static bool add_read(view_feed *feed, const view_fetch *fetch, uint32_t component, bool within, uint32_t to,
                     const clv_allocator *a) {
  if (!fetch->column) return true; // a velocity that nobody has is zero
  const view_pick pick = {.column = fetch->column,
                          .spot = fetch->spot,
                          .stride = fetch->column->def.components,
                          .component = component,
                          .to = to,
                          .within = within};
  const bool straight = fetch->column->index->crossing && fetch->column->def.type == CLV_DOUBLE;
  if (straight) {
    if (!BASE_RESERVE(a, &feed->picks, (uint64_t)feed->picks.count + 1)) return false;
    feed->picks.data[feed->picks.count++] = pick;
    return add_spot(feed, fetch->spot, a);
  }
  if (!BASE_RESERVE(a, &feed->others, (uint64_t)feed->others.count + 1)) return false;
  feed->others.data[feed->others.count++] = pick;
  return true;
}

static bool add_input(view_feed *feed, const view_site *site, const view_input *input, const clv_allocator *a) {
  switch (input->op) {
  case DAG_READ:
    return add_read(feed, &site->fetches.data[input->index], site->fetches.data[input->index].component,
                    site->law->reads.data[input->index].in_sum, input->to, a);
  case DAG_POS:
  case DAG_VEL:
    return add_read(feed, &site->positions.data[2 * (input->index / 3) + (input->op == DAG_VEL)], input->index % 3,
                    false, input->to, a);
  case DAG_SUM_INPUT:
    if (!BASE_RESERVE(a, &feed->sums, (uint64_t)feed->sums.count + 1)) return false;
    feed->sums.data[feed->sums.count++] = *input;
    return true;
  case DAG_QUAD:
    if (!BASE_RESERVE(a, &feed->points, (uint64_t)feed->points.count + 1)) return false;
    feed->points.data[feed->points.count++] = *input;
    return true;
  default:
    return true;
  }
}

bool view_feed_make(view_feed *feed, const view_site *site, const dag *graph, const dag_ref *roots, uint32_t count,
                    const clv_allocator *allocator) {
  *feed = (view_feed){0};
  bool done = view_code_make(&feed->code, allocator, graph, roots, count);
  for (uint32_t k = 0; done && k < feed->code.inputs.count; k++)
    done = add_input(feed, site, &feed->code.inputs.data[k], allocator);
  if (!done) view_feed_free(feed, allocator);
  return done;
}

void view_feed_free(view_feed *feed, const clv_allocator *allocator) {
  view_code_free(&feed->code, allocator);
  BASE_RELEASE(allocator, &feed->picks);
  BASE_RELEASE(allocator, &feed->others);
  BASE_RELEASE(allocator, &feed->spots);
  BASE_RELEASE(allocator, &feed->sums);
  BASE_RELEASE(allocator, &feed->points);
}

void view_feed_aim(view_feed *feed) {
  for (uint32_t k = 0; k < feed->picks.count; k++)
    feed->picks.data[k].data = (const double *)(const void *)feed->picks.data[k].column->slots.data;
}

void view_feed_fill(const view_feed *feed, const view_reading *at_base, const view_reading *within, uint32_t lane,
                    double *values) {
  for (const view_pick *at = feed->picks.data, *end = at + feed->picks.count; at < end; at++) {
    const view_reading *reading = at->within ? within : at_base;
    values[at->to * VIEW_LANES + lane] =
        at->data[(size_t)reading->places.data[at->spot].slot * at->stride + at->component];
  }
  for (const view_pick *at = feed->others.data, *end = at + feed->others.count; at < end; at++) {
    const view_reading *reading = at->within ? within : at_base;
    const void *value = view_value(at->column, reading->places.data[at->spot]);
    values[at->to * VIEW_LANES + lane] = at->column->def.type == CLV_DOUBLE
                                             ? ((const double *)value)[at->component]
                                             : embed_get(at->column, value, at->component);
  }
}

// True for three that are a point's.
static inline bool are_a_point(const view_pick *at) {
  return at[0].data == at[1].data && at[0].data == at[2].data && at[0].spot == at[1].spot && at[0].spot == at[2].spot &&
         at[0].component + 1 == at[1].component && at[0].component + 2 == at[2].component;
}

void view_feed_fill_picks(const view_feed *feed, const view_reading *reading, uint32_t lanes, double *values) {
  for (const view_pick *at = feed->picks.data, *end = at + feed->picks.count; at < end; at++) {
    const uint32_t *slots = reading->lane_slots.data + at->spot * VIEW_LANES;
    const double *data = at->data + at->component;
    const size_t stride = at->stride;
    double *to = values + at->to * VIEW_LANES;
    if (end - at >= 3 && are_a_point(at)) {
      double *second = values + at[1].to * VIEW_LANES, *third = values + at[2].to * VIEW_LANES;
      for (uint32_t l = 0; l < lanes; l++) {
        const double *point = data + slots[l] * stride;
        to[l] = point[0];
        second[l] = point[1];
        third[l] = point[2];
      }
      at += 2;
      continue;
    }
    for (uint32_t l = 0; l < lanes; l++) to[l] = data[slots[l] * stride];
  }
}

// A value inside cells, or one that is no double.
static void fill_other(const view_pick *at, const view_reading *reading, uint32_t lanes, double *to) {
  const clv_column *column = at->column;
  const uint32_t *slots = reading->lane_slots.data + at->spot * VIEW_LANES;
  const uint8_t *data = column->index->crossing ? column->slots.data : column->rows[reading->lane_kind].data;
  const bool doubles = column->def.type == CLV_DOUBLE;
  for (uint32_t l = 0; l < lanes; l++) {
    const void *value = data + slots[l] * column->size;
    to[l] = doubles ? ((const double *)value)[at->component] : embed_get(column, value, at->component);
  }
}

void view_feed_fill_lanes(const view_feed *feed, const view_reading *reading, uint32_t lanes, double *values) {
  view_feed_fill_picks(feed, reading, lanes, values);
  for (const view_pick *at = feed->others.data, *end = at + feed->others.count; at < end; at++)
    fill_other(at, reading, lanes, values + at->to * VIEW_LANES);
}
