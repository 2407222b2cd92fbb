// What views read and write at any edit: how laws read, and what was computed last.

#include "base/hand.h"
#include "view/views.h"

static void fetch_code(const view_code *code) {
  BASE_FETCH_ALL(code->operations);
  BASE_FETCH_ALL(code->inputs);
  BASE_FETCH_ALL(code->params);
  BASE_FETCH_ALL(code->constants);
  BASE_FETCH_ALL(code->roots);
}

static void fetch_site(const view_site *site) {
  base_fetch(site->law, sizeof *site->law);
  BASE_FETCH_ALL(site->steps);
  BASE_FETCH_ALL(site->path_steps);
  BASE_FETCH_ALL(site->spots);
  BASE_FETCH_ALL(site->fetches);
  BASE_FETCH_ALL(site->particles);
  BASE_FETCH_ALL(site->positions);
  BASE_FETCH_ALL(site->corners);
  BASE_FETCH_ALL(site->links);
  BASE_FETCH_ALL(site->sources);
  fetch_code(&site->conditions);
}

static void fetch_feed(const view_feed *feed) {
  fetch_code(&feed->code);
  BASE_FETCH_ALL(feed->picks);
  BASE_FETCH_ALL(feed->others);
  BASE_FETCH_ALL(feed->spots);
  BASE_FETCH_ALL(feed->sums);
  BASE_FETCH_ALL(feed->points);
}

static void fetch_formula(const view_formula *formula) {
  fetch_site(&formula->site);
  fetch_feed(&formula->feed);
  BASE_FETCH_ALL(formula->targets);
  for (uint32_t k = 0; k < formula->site.law->sums.count; k++) {
    base_fetch(&formula->sums[k], sizeof *formula->sums);
    fetch_feed(&formula->sums[k]);
  }
}

static void fetch_table(const view_table *table) {
  fetch_site(&table->site);
  base_fetch(table->kernel, sizeof *table->kernel);
  fetch_feed(&table->hoist);
  fetch_feed(&table->own.feed);
  BASE_FETCH_ALL(table->own.numbers);
  BASE_FETCH_ALL(table->own.others);
}

static void fetch_reading(const view_reading *r) {
  BASE_FETCH_SOME(r->darts, 0, 64);
  BASE_FETCH_SOME(r->places, 0, 64);
  BASE_FETCH_SOME(r->condition_values, 0, 256);
  BASE_FETCH_SOME(r->lane_slots, 0, 256);
}

static void fetch_workshop(const view_workshop *shop) {
  enum { NUMBERS = 1024 };
  fetch_reading(&shop->reading);
  BASE_FETCH_SOME(shop->values, 0, NUMBERS);
  BASE_FETCH_SOME(shop->constants, 0, NUMBERS);
}

static void fetch_room(const view_room *room) {
  enum { NUMBERS = 512 };
  fetch_reading(&room->reading);
  BASE_FETCH_SOME(room->values, 0, NUMBERS);
  BASE_FETCH_SOME(room->sum_values, 0, NUMBERS);
  BASE_FETCH_SOME(room->sums, 0, NUMBERS);
  base_fetch(room, offsetof(view_room, quadrature));
  for (uint32_t l = 0; l < VIEW_LANES; l++) base_fetch(room->quadrature[l][0], sizeof room->quadrature[l][0]);
}

// What commits that refine note, and where what is kept by number goes on.
static void fetch_change(const view_change *change) {
  enum { SOME = 128, MOST = 256, NEW = 32 };
  BASE_FETCH_SOME(change->blocks, 0, SOME);
  BASE_FETCH_SOME(change->grown, 0, SOME);
  BASE_FETCH_SOME(change->values, 0, SOME);
  BASE_FETCH_SOME(change->left, 0, SOME);
  for (uint32_t k = 0; k < VIEW_SORTS; k++) {
    const view_set *seen = &change->reached[k].seen;
    BASE_FETCH_SOME(change->reached[k].list, 0, MOST);
    if (seen->stamps.count > NEW) BASE_FETCH_SOME(seen->stamps, seen->stamps.count - NEW, NEW);
  }
}

void views_fetch(const clv_views *views, bool growth) {
  base_fetch(views, sizeof *views);
  if (growth) fetch_change(&views->change);
  BASE_FETCH_ALL(views->tables);
  BASE_FETCH_ALL(views->derived);
  for (uint32_t k = 0; k < views->derived.count; k++) {
    const view_figure *figure = &views->derived.data[k];
    base_fetch(figure->formulas, figure->count * sizeof *figure->formulas);
    for (uint32_t f = 0; f < figure->count; f++) fetch_formula(&figure->formulas[f]);
  }
  for (uint32_t k = 0; k < views->tables.count; k++) fetch_table(&views->tables.data[k]);
  fetch_workshop(&views->shop);
  fetch_room(&views->rooms[0]);
}
