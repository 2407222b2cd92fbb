// Checking views: what they hold against what the map says now.

#include "view/views.h"

#include <math.h>
#include <stdio.h>

typedef struct checking {
  clv_views *views;
  view_table *table;
  void (*report)(void *user, const char *what);
  void *user;
  uint32_t differences;
  uint64_t rows;
  view_memory constants;
} checking;

static void differ(checking *c, const char *what, clv_dart dart) {
  char sentence[256];
  snprintf(sentence, sizeof sentence, "'%s': %s, at dart %u", c->table->site.law->name, what, dart);
  if (c->report) c->report(c->user, sentence);
  c->differences++;
}

// Values that were computed in another order differ by rounding.
static bool nearly_equal(double a, double b) {
  if (a == b || (isnan(a) && isnan(b))) return true;
  return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b)) + 1e-300;
}

static void check_row(checking *c, const view_slab *slab, uint32_t row) {
  view_table *table = c->table;
  uint32_t vertices[LAW_PARTICLES];
  view_row_compute(table, &c->views->shop, vertices, c->constants.data, 1);
  for (uint32_t p = 0; p < table->particles; p++)
    if (view_row_slot(table, slab, row, p) != vertices[p]) {
      differ(c, "a row has another particle", slab->bases.data[row]);
      return;
    }
  for (uint32_t k = 0; k < table->constants; k++)
    if (!nearly_equal(*view_row_constant(table, slab, row, k), ((const double *)c->constants.data)[k])) {
      differ(c, "a row has another constant", slab->bases.data[row]);
      return;
    }
}

// The row that stands for the orbit at `dart`: its base lies there too.
static uint32_t find_row(const view_table *table, clv_dart dart) {
  const view_site *site = &table->site;
  const clv_map *view = &site->map->view;
  uint32_t reference = view_row_of_key(table, view_site_key(site, dart));
  if (site->crossing || site->whole) return reference;
  clv_walk walk;
  if (clv_walk_orbit(&walk, view, site->dims, dart) != CLV_OK) return 0;
  for (bool found = false; reference && !found;) {
    const view_slab *slab = view_row_slab(table, reference);
    for (uint32_t k = 0; k < walk.count; k++) found |= walk.darts[k] == slab->bases.data[view_row_number(reference)];
    if (!found) reference = slab->nexts.data[view_row_number(reference)];
  }
  clv_walk_end(&walk);
  return reference;
}

static bool check_place(void *user, clv_dart dart) {
  checking *c = user;
  const view_site *site = &c->table->site;
  view_reading *reading = &c->views->shop.reading;
  const uint32_t reference = find_row(c->table, dart);
  clv_dart base = view_site_base(site, dart);
  const view_slab *slab = reference ? view_row_slab(c->table, reference) : NULL;
  if (slab) {
    base = slab->bases.data[view_row_number(reference)];
    if (!clv_dart_alive(&site->map->view, base) || view_site_key(site, base) != view_site_key(site, dart) ||
        view_site_base(site, base) != base) {
      differ(c, "a row stands on a dart that is not its own", base);
      return true;
    }
  }
  view_site_read(site, base, reading);
  const bool holds = view_site_holds(site, c->views->params.data, reading);
  if (holds != (reference != 0)) differ(c, holds ? "a row is missing" : "a row should not be there", base);
  if (holds && slab) check_row(c, slab, view_row_number(reference));
  c->rows += holds;
  return true;
}

static void check_uses(checking *c, const view_slab *slab) {
  uint64_t uses = 0;
  uint32_t unused = 0;
  for (uint32_t k = 0; k < slab->vertices.count; k++) {
    uses += slab->uses.data[k];
    unused += slab->uses.data[k] == 0;
  }
  if (uses != (uint64_t)slab->rows * c->table->particles || unused != slab->unused)
    differ(c, "a slab counts its vertices wrongly", CLV_NO_DART);
  for (uint32_t row = slab->rows; row % VIEW_LANES; row++) {
    bool there = true;
    for (uint32_t p = 0; p < c->table->particles; p++)
      there &= view_place_number(*view_row_place(c->table, slab, row, p)) < slab->vertices.count;
    if (!there) differ(c, "a lane behind the last row names no vertex", CLV_NO_DART);
  }
}

// Each vertex of the tail is listed, in order; no slot is there twice.
static void check_tail(checking *c, const view_slab *slab) {
  bool right = slab->tail.count == slab->vertices.count - slab->ordered;
  uint32_t before = 0, at = 0;
  for (uint32_t k = 0; right && k < slab->tail.count; k++) {
    const uint32_t number = slab->tail.data[k], slot = slab->vertices.data[number];
    while (at < slab->ordered && slab->vertices.data[at] < slot) at++;
    right = number >= slab->ordered && (k == 0 || slot > before) &&
            (at == slab->ordered || slab->vertices.data[at] != slot);
    before = slot;
  }
  if (!right) differ(c, "a slab lists its last vertices wrongly", CLV_NO_DART);
}

static bool check_table(checking *c) {
  c->rows = 0;
  if (!view_memory_resize(&c->constants, &c->views->allocator, 0, (c->table->constants + 1) * sizeof(double)))
    return false;
  if (!view_site_all(&c->table->site, check_place, c)) return false;
  uint64_t rows = 0;
  for (uint32_t s = 0; s < c->table->slab_count; s++) {
    rows += c->table->slabs[s].rows;
    check_uses(c, &c->table->slabs[s]);
    check_tail(c, &c->table->slabs[s]);
  }
  if (rows != c->table->rows || rows != c->rows) differ(c, "the table has rows that nothing stands for", CLV_NO_DART);
  return true;
}

// Derived columns

typedef struct check_derived {
  checking *checking;
  const view_figure *figure;
  const view_formula *formula;
} check_derived;

static void differ_derived(checking *c, const view_figure *figure, clv_dart dart) {
  char sentence[256];
  snprintf(sentence, sizeof sentence, "'%s' is not what it is derived from, at dart %u", figure->tree->name, dart);
  if (c->report) c->report(c->user, sentence);
  c->differences++;
}

// Terms that cancel leave what rounding makes of them: a sum differs when its terms, not it, say so.
static bool is_rounding(const check_derived *d, clv_dart dart, uint32_t t, double difference, bool *rounding) {
  clv_views *views = d->checking->views;
  double doubt = 0;
  if (!view_formula_doubt(d->formula, &views->rooms[0], views->params.data, dart, t, 1e-13, &doubt)) return false;
  *rounding = difference <= doubt;
  return true;
}

static bool check_value(void *user, clv_dart dart) {
  const check_derived *d = user;
  clv_views *views = d->checking->views;
  view_room *room = &views->rooms[0];
  bool holds = false, same = true;
  if (!view_formula_take(d->formula, room, views->params.data, dart, 0, &holds)) return false;
  if (!holds) return true;
  view_formula_compute(d->formula, room, 1);
  double largest = 0; // a component that comes to nothing is what rounding leaves of the others
  for (uint32_t t = 0; t < d->formula->targets.count; t++)
    largest = fmax(largest, fabs(view_formula_result(d->formula, room, t, 0)));
  for (uint32_t t = 0; t < d->formula->targets.count; t++) {
    const view_target *target = &d->formula->targets.data[t];
    const void *value = view_value(target->column, room->targets.data[t * VIEW_LANES]);
    const double there = embed_get(target->column, value, target->component),
                 wanted = view_formula_result(d->formula, room, t, 0);
    bool rounding = nearly_equal(there, wanted) || fabs(there - wanted) <= 1e-13 * largest;
    if (!rounding && !is_rounding(d, dart, t, fabs(there - wanted), &rounding)) return false;
    same &= rounding;
  }
  if (!same) differ_derived(d->checking, d->figure, dart);
  return true;
}

static bool check_figure(checking *c, const view_figure *figure) {
  bool done = true;
  for (uint32_t f = 0; done && f < figure->count; f++) {
    check_derived d = {c, figure, &figure->formulas[f]};
    view_formula_aim(&figure->formulas[f]);
    view_formula_start(d.formula, &c->views->rooms[0], c->views->params.data);
    done = view_site_all(&d.formula->site, check_value, &d);
  }
  return done;
}

clv_result clv_views_check(clv_views *views, void (*report)(void *user, const char *what), void *user) {
  const clv_result result = views_ready(views);
  if (result != CLV_OK) return result;
  checking c = {.views = views, .report = report, .user = user};
  bool done = true;
  for (uint32_t k = 0; done && k < views->tables.count; k++) {
    c.table = &views->tables.data[k];
    done = check_table(&c);
  }
  for (uint32_t k = 0; done && k < views->derived.count; k++) done = check_figure(&c, &views->derived.data[k]);
  view_memory_free(&c.constants, &views->allocator);
  if (!done) return views_fail(views, CLV_ERROR_MEMORY, "out of memory: the views were not checked to the end");
  if (c.differences) return views_fail(views, CLV_ERROR_INVALID, "views and map differ in %u places", c.differences);
  return CLV_OK;
}
