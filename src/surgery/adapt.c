// Adapting: a body is fine where a criterion says so, and coarse again where it no longer does.
//
// Every cell is asked once: it wants to be fine, to be coarse, or to stay. Families all of whose cells want to be
// coarse are put together first, then those that want to be fine are refined. Between the two bounds lies the slack, so
// that nothing goes to and fro.

#include "physics/zone.h"
#include "surgery/surgery.h"

#include <math.h>
#include <string.h>

enum { WISH_STAY, WISH_FINE, WISH_COARSE };

static const char *const names[CLV_ADAPT_KIND_COUNT] = {"near", "stress", "gradient", "zone", "none"};

const char *clv_adapt_name(clv_adapt_kind kind) {
  return (unsigned)kind < CLV_ADAPT_KIND_COUNT ? names[kind] : NULL;
}

int clv_adapt_from_name(const char *name) {
  for (int k = 0; k < CLV_ADAPT_KIND_COUNT; k++)
    if (!strcmp(name, names[k])) return k;
  return -1;
}

clv_adapt clv_default_adapt(void) {
  return (clv_adapt){.kind = CLV_ADAPT_NEAR, .slack = 0.2, .zone = clv_zone_all(), .level = 1, .coarsen = true};
}

const char *clv_adapt_wrong(const clv_adapt *adapt) {
  if (!adapt) return "there is none";
  if ((unsigned)adapt->kind >= CLV_ADAPT_KIND_COUNT) return "its kind is unknown: near, stress, gradient, zone or none";
  if (adapt->kind < CLV_ADAPT_ZONE && !(adapt->bound > 0 && isfinite(adapt->bound)))
    return "its bound must be a number above 0";
  if (!(adapt->slack >= 0 && isfinite(adapt->slack))) return "its slack must be a number of 0 or more";
  if (!adapt->level || adapt->level > CLV_REFINED_LEVELS) return "its level must be from 1 to 30";
  for (uint32_t i = 0; i < 3; i++)
    if (!isfinite(adapt->point[i])) return "its point must be three numbers";
  return physics_zone_wrong(&adapt->zone);
}

// What a cell is asked

static double distance(const double *a, const double *b) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static bool shape_centre(const clv_surgery *s, clv_dart cell, const double *points, double centre[3]) {
  const clv_kind kind = clv_cell_shape(s->map, cell);
  if (kind > CLV_TEMPLATE_LAST) return false;
  const uint32_t count = clv_templates[kind].corner_count;
  const uint32_t *corners = s->map->corners[kind] + (size_t)clv_cell_row(s->map, cell) * count;
  centre[0] = centre[1] = centre[2] = 0;
  for (uint32_t c = 0; c < count; c++)
    for (uint32_t i = 0; i < 3; i++) centre[i] += points[3 * (size_t)corners[c] + i] / count;
  return true;
}

// How fast strain changes from a cell to its neighbours: the greatest difference of a component, over the distance at
// rest.
typedef struct slope {
  clv_dart cell;
  double centre[3], strain[6], value;
} slope;

static clv_result slope_to(clv_surgery *s, clv_dart facet, void *user) {
  slope *from = user;
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  double centre[3];
  clv_cell_state state;
  if (beyond == facet || !shape_centre(s, beyond, clv_body_rest(s->body), centre)) return CLV_OK;
  clv_body_cell_state(s->body, beyond, &state);
  const double away = distance(centre, from->centre);
  for (uint32_t i = 0; i < 6 && away > 0; i++)
    from->value = fmax(from->value, fabs(state.strain[i] - from->strain[i]) / away);
  return CLV_OK;
}

static clv_result value_of(clv_surgery *s, const clv_adapt *adapt, clv_dart cell, double *value) {
  clv_cell_state state;
  slope from = {.cell = cell};
  switch (adapt->kind) {
  case CLV_ADAPT_NEAR:
    shape_centre(s, cell, clv_body_positions(s->body), from.centre);
    *value = -distance(from.centre, adapt->point);
    return CLV_OK;
  case CLV_ADAPT_STRESS:
    clv_body_cell_state(s->body, cell, &state);
    *value = state.von_mises;
    return CLV_OK;
  case CLV_ADAPT_GRADIENT: {
    clv_body_cell_state(s->body, cell, &state);
    memcpy(from.strain, state.strain, sizeof from.strain);
    shape_centre(s, cell, clv_body_rest(s->body), from.centre);
    const clv_result result = surgery_each_facet(s, cell, slope_to, &from);
    *value = from.value;
    return result;
  }
  case CLV_ADAPT_ZONE:
  case CLV_ADAPT_NONE:
  case CLV_ADAPT_KIND_COUNT:
    break;
  }
  *value = 0;
  return CLV_OK;
}

static clv_result wish_of(clv_surgery *s, const clv_adapt *adapt, clv_dart cell, uint32_t number) {
  const bool in = s->zoned.data[number] && adapt->kind != CLV_ADAPT_NONE;
  s->wishes.data[number] = in ? WISH_FINE : WISH_COARSE;
  if (adapt->kind == CLV_ADAPT_ZONE || !in) return CLV_OK;
  const bool near = adapt->kind == CLV_ADAPT_NEAR;
  const double fine = near ? -adapt->bound : adapt->bound;
  const double coarse = near ? fine * (1 + adapt->slack) : fine / (1 + adapt->slack);
  double value = 0;
  const clv_result result = value_of(s, adapt, cell, &value);
  s->wishes.data[number] = value > fine ? WISH_FINE : value < coarse ? WISH_COARSE : WISH_STAY;
  return result;
}

static clv_result ask_all(clv_surgery *s, const clv_adapt *adapt) {
  const uint64_t numbers = (uint64_t)s->map->page_count * (CLV_BLOCK_MASK + 1);
  clv_result result = surgery_mark_zone(s, &adapt->zone);
  if (result != CLV_OK) return result;
  if (!BASE_RESERVE(&s->allocator, &s->wishes, numbers)) return surgery_no_memory(s);
  if (numbers) memset(s->wishes.data, WISH_STAY, numbers);
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));)
    if (clv_cell_shape(s->map, cell) <= CLV_TEMPLATE_LAST)
      result = wish_of(s, adapt, cell, clv_id_of(s->map, CLV_CELL, cell).index);
  return result;
}

// What is done about it

static clv_result list_wishes(clv_surgery *s, uint8_t wish, uint32_t least, uint32_t greatest) {
  s->cells.count = 0;
  clv_dart cell;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));) {
    const uint32_t number = clv_id_of(s->map, CLV_CELL, cell).index;
    if (number >= s->wishes.capacity || s->wishes.data[number] != wish) continue;
    const uint32_t level = surgery_level_of(s, cell);
    if (level < least || level > greatest) continue;
    if (!BASE_RESERVE(&s->allocator, &s->cells, (uint64_t)s->cells.count + 1)) return surgery_no_memory(s);
    s->cells.data[s->cells.count++] = cell;
  }
  return CLV_OK;
}

static clv_result coarsen_wishes(clv_surgery *s, uint32_t finest, clv_surgery_report *sum) {
  clv_result result = CLV_OK;
  for (uint32_t at = finest; result == CLV_OK && at > 0; at--) {
    result = list_wishes(s, WISH_COARSE, at, at);
    const uint64_t numbers = (uint64_t)s->map->page_count * (CLV_BLOCK_MASK + 1);
    if (result == CLV_OK && !BASE_RESERVE(&s->allocator, &s->zoned, numbers)) result = surgery_no_memory(s);
    if (result != CLV_OK || !s->cells.count) continue;
    memset(s->zoned.data, 0, numbers);
    for (uint32_t k = 0; k < s->cells.count; k++)
      s->zoned.data[clv_id_of(s->map, CLV_CELL, s->cells.data[k]).index] = 1;
    result = surgery_coarsen_listed(s, at - 1, sum);
  }
  return result;
}

static clv_result refine_wishes(clv_surgery *s, const clv_adapt *adapt, clv_surgery_report *sum) {
  clv_surgery_report one = {0};
  clv_result result = list_wishes(s, WISH_FINE, 0, adapt->level - 1);
  uint32_t kept = 0;
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count && (!adapt->most || kept < adapt->most); k++)
    if (surgery_may_refine(s, s->cells.data[k])) s->cells.data[kept++] = s->cells.data[k];
  s->cells.count = kept;
  if (result != CLV_OK || !kept) return result;
  result = surgery_begin(s);
  if (result == CLV_OK) result = surgery_end(s, surgery_refine_listed(s), &one);
  sum->refined += one.refined;
  return result;
}

// A cell that was put together has no wish yet. While a criterion lasts it is asked the next time; where there is none
// left, at once.
static clv_result ask_and_coarsen(clv_surgery *s, const clv_adapt *adapt, clv_surgery_report *sum) {
  clv_result result;
  uint32_t before;
  do {
    before = sum->coarsened;
    result = ask_all(s, adapt);
    if (result == CLV_OK && adapt->coarsen) result = coarsen_wishes(s, adapt->level, sum);
  } while (result == CLV_OK && adapt->kind == CLV_ADAPT_NONE && sum->coarsened > before);
  return result;
}

clv_result clv_surgery_adapt(clv_surgery *s, const clv_adapt *adapt, clv_surgery_report *report) {
  clv_surgery_report sum = {0};
  if (report) *report = sum;
  const char *wrong = clv_adapt_wrong(adapt);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the criterion makes no sense: %s", wrong);
  clv_result result = ask_and_coarsen(s, adapt, &sum);
  if (result == CLV_OK) result = refine_wishes(s, adapt, &sum);
  if (report) *report = sum;
  return surgery_stopped(s, result, &sum);
}
