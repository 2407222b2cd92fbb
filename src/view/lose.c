// What a commit that only loses does to views: facets were unsewn and cells removed, in a map of one kind (map/part.c,
// map/lose.c).
//
// Nothing that is left got anything it did not have. Cells are what they were, so what was derived in them holds.
// Orbits that lost a place, or came off others, are named by events, and the map has walked most of them: what is added
// up over an orbit's places needs no walk. Of what came off, readers need the new number alone; values that are copied
// are the same. So there is nothing to be found out row by row, as update.c does: keys are read off events and places.
//
// Laws that look across facets, or read what need not be copied, are left to update.c: views_lose says so.

#include "view/views.h"

typedef struct losing {
  clv_views *views;
  const map *m;
  const clv_commit *commit;
  uint32_t kind;
  const map_removed *removed; // cells, where nothing else was done; none otherwise
  uint32_t removed_count;
  bool many;                                     // of them: what is left is gone over as a whole (sweep.c) ...
  bool sweeping;                                 // ... for what is derived now: one formula says all of it
  bool parting;                                  // one facet was unsewn
  uint32_t splits;                               // events
  uint32_t first[MAP_INDICES], end[MAP_INDICES]; // events by dims
  const uint32_t *origins;                       // by vertex, once somebody asked for them
} losing;

// Which laws can follow so

static bool is_derived(const clv_views *views, const clv_column *column) {
  for (uint32_t k = 0; k < views->derived.count; k++)
    if (views->derived.data[k].column == column) return true;
  return false;
}

static bool is_own(const view_site *site, const view_source *source) {
  return source->dims == site->dims && source->way.length == 0;
}

// A value that a commit may have derived anew at an orbit that is not the row's own.
static bool is_afar(const clv_views *views, const view_site *site, const view_source *source) {
  return source->column && source->column->index->crossing && is_derived(views, source->column) &&
         !is_own(site, source);
}

static bool can_lose(const clv_views *views, const view_site *site) {
  for (uint32_t k = 0; k < site->links.count; k++)
    if (site->links.data[k].dimension == site->map->view.dimension) return false;
  for (uint32_t k = 0; k < site->sources.count; k++) {
    const clv_column *column = site->sources.data[k].column;
    if (column && column->index->crossing && !is_derived(views, column) && !embed_copies(column)) return false;
  }
  return true;
}

static bool figure_can_lose(const clv_views *views, const view_figure *figure) {
  for (uint32_t f = 0; f < figure->count; f++) {
    const view_site *site = &figure->formulas[f].site;
    if (!can_lose(views, site) || site->crossing != figure->column->index->crossing) return false;
    if (site->crossing && site->dims != figure->column->index->dims) return false;
    for (uint32_t k = 0; k < site->sources.count; k++)
      if (is_afar(views, site, &site->sources.data[k])) return false;
  }
  return true;
}

// Sorts of orbits whose derived values a site reads from elsewhere, as bits.
static uint32_t dims_afar(const clv_views *views, const view_site *site) {
  uint32_t dims = 0;
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (is_afar(views, site, &site->sources.data[k])) dims |= 1u << site->sources.data[k].dims;
  return dims;
}

static bool asks_derived(const clv_views *views, const view_site *site) {
  for (uint32_t k = 0; k < site->conditions.inputs.count; k++)
    if (is_derived(views, site->fetches.data[site->conditions.inputs.data[k].index].column)) return true;
  return false;
}

static bool all_can_lose(const clv_views *views) {
  for (uint32_t k = 0; k < views->derived.count; k++)
    if (!figure_can_lose(views, &views->derived.data[k])) return false;
  for (uint32_t k = 0; k < views->tables.count; k++) {
    view_table *table = &views->tables.data[k];
    if (!can_lose(views, &table->site)) return false;
    table->afar = dims_afar(views, &table->site);
    table->wakes = asks_derived(views, &table->site);
  }
  return true;
}

// Places

// Walks an orbit that the map did not walk; its places lie behind those there are.
static bool walk_star(losing *l, const clv_event *event) {
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

// The places of some events' orbits.
static bool stars_of(losing *l, const uint32_t *numbers, uint32_t lanes, view_star *stars) {
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

// Derived quantities

// What an orbit lost: the place of a cell that was removed, or all that came off it. A sum is what it was, less that;
// as long as a good part of it is left, rounding takes no more than a bit or two.

static const double least_left = 0.25;

static void lost_with_cell(const losing *l, uint32_t number, map_place *place, view_star *lost) {
  const map_index *index = l->m->indices[l->commit->events[number].dims];
  const clv_suborbits *sub = &clv_templates[l->kind].sub[index->inner];
  const uint32_t slot = map_told_loss(l->m, number);
  *place = (map_place){map_cell_dart(l->m, l->kind, slot / sub->count) | sub->first[slot % sub->count], slot};
  *lost = (view_star){place, 1};
}

// What came off an orbit whose event comes just before its own (map/part.c).
static bool lost_by_parting(const losing *l, uint32_t number, view_star *lost) {
  if (number + 1 == l->commit->event_count) return false;
  const clv_event *event = &l->commit->events[number], *next = event + 1;
  if (next->kind != CLV_SPLIT || next->dims != event->dims || next->from.index != event->id.index) return false;
  lost->count = map_told_star(l->m, number + 1, &lost->places);
  return lost->count != 0;
}

static bool find_lost(const losing *l, uint32_t number, map_place *place, view_star *lost) {
  if (l->commit->events[number].kind != CLV_CHANGED) return false;
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

static void sum_up(losing *l, summing *s) {
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
static void expect_terms(const losing *l, const view_formula *formula, uint32_t number) {
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
static void sum_each(losing *l, const view_formula *formula, uint32_t first, uint32_t end) {
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

static bool is_less(const losing *l, uint32_t number) {
  const map_place *told;
  return l->commit->events[number].kind == CLV_CHANGED && !map_told_star(l->m, number, &told);
}

static void collect(losing *l, const view_formula *formula, const map_place *places, const uint32_t *numbers,
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

static void collect_all(losing *l, const view_formula *formula, uint32_t first, uint32_t end) {
  const map_index *index = formula->site.index;
  const clv_suborbits *sub = &clv_templates[l->kind].sub[index->inner];
  const uint32_t *number_of = l->views->lost.number_of.data, *ids = index->ids[l->kind].data;
  map_place places[VIEW_LANES];
  uint32_t numbers[VIEW_LANES], lanes = 0;
  for (uint32_t c = 0; c < l->removed_count; c++) {
    const clv_dart cell = l->removed[c].dart;
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
static uint32_t list_walked(losing *l, uint32_t first, uint32_t end) {
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
static bool number_lesser(losing *l, uint32_t ids, uint32_t first, uint32_t end) {
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

static bool subtract_together(losing *l, const view_formula *formula, uint32_t first, uint32_t end) {
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

static bool add_up(losing *l, const view_formula *formula, const uint32_t *numbers, uint32_t lanes) {
  view_star stars[VIEW_LANES];
  clv_dart darts[VIEW_LANES];
  double totals[VIEW_LANES];
  if (!stars_of(l, numbers, lanes, stars)) return false;
  for (uint32_t k = 0; k < lanes; k++) darts[k] = l->commit->events[numbers[k]].dart;
  view_formula_sum_up(formula, &l->views->rooms[0], l->views->params.data, darts, stars, lanes, totals);
  for (uint32_t k = 0; k < lanes; k++)
    view_assign(&formula->targets.data[0], (view_place){0, l->commit->events[numbers[k]].id.index}, totals[k]);
  return true;
}

static bool is_swept(losing *l, const view_formula *formula, uint32_t first, uint32_t end) {
  const view_sweep sweep = {l->views, l->commit, l->kind, l->removed, l->removed_count, first, end};
  return l->sweeping && view_sweep_sums(&sweep, formula);
}

static bool derive_sums(losing *l, const view_formula *formula, uint32_t first, uint32_t end) {
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

static bool derive(losing *l, const view_formula *formula, uint32_t first, uint32_t end) {
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

static void clear_values(const losing *l, const clv_column *column) {
  const uint32_t dims = column->index->dims;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++)
    if (l->commit->events[k].dart)
      memset(column->slots.data + (size_t)l->commit->events[k].id.index * column->size, 0, column->size);
}

static bool derive_again(losing *l, const view_figure *figure) {
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

// Tables

// True for a key that was not met since the last stamp.
static bool is_new(view_lost *lost, uint32_t key) {
  if (key >= lost->stamps.count || lost->stamps.data[key] == lost->stamp) return false;
  lost->stamps.data[key] = lost->stamp;
  return true;
}

static bool start_keys(clv_views *views, const view_table *table) {
  view_lost *lost = &views->lost;
  const uint32_t had = lost->stamps.count, need = table->row_of_key.count;
  if (!BASE_RESERVE(&views->allocator, &lost->stamps, need)) return false;
  if (need > had) memset(lost->stamps.data + had, 0, (need - had) * sizeof *lost->stamps.data);
  if (need > had) lost->stamps.count = need;
  lost->keys.count = lost->same.count = 0;
  if (++lost->stamp) return true;
  memset(lost->stamps.data, 0, lost->stamps.count * sizeof *lost->stamps.data);
  lost->stamp = 1;
  return true;
}

static bool add_way(view_ways *back, const view_site *site, const clv_suborbits *own, uint32_t place, uint32_t dart) {
  const uint32_t count = back->count[place];
  for (uint32_t k = 0; k < count; k++)
    if (!site->crossing || own->of[back->darts[place][k]] == own->of[dart]) return true;
  if (count == VIEW_MOST_WAYS) return false;
  back->darts[place][back->count[place]++] = (uint8_t)dart;
  return true;
}

static bool find_ways_back(const losing *l, const view_site *site, uint32_t dims, bool afar, view_ways *back) {
  const clv_template *shape = &clv_templates[l->kind];
  const clv_suborbits *places = &shape->sub[dims & ~(1u << l->m->view.dimension)], *own = &shape->sub[site->inner];
  memset(back->count, 0, sizeof back->count);
  for (uint32_t s = 0; s < site->sources.count; s++) {
    const view_source *source = &site->sources.data[s];
    if (source->dims != dims || (afar ? !is_afar(l->views, site, source) : source->column != NULL)) continue;
    for (uint32_t start = 0; start < shape->dart_count; start++) {
      uint32_t dart = start;
      for (uint32_t k = 0; k < source->way.length; k++) dart = shape->alpha[source->way.letter[k]][dart];
      if (!add_way(back, site, own, places->of[start], dart)) return false;
    }
  }
  return true;
}

// They are found once for a table and a sort of orbit. NULL when there are too many, or memory is out.
static const view_ways *ways_back(losing *l, const view_table *table, uint32_t dims, bool afar) {
  view_lost *lost = &l->views->lost;
  const uint32_t number = (uint32_t)(table - l->views->tables.data);
  for (uint32_t k = 0; k < lost->ways.count; k++) {
    const view_ways *ways = &lost->ways.data[k];
    if (ways->table == number && ways->kind == l->kind && ways->dims == dims && ways->afar == afar) return ways;
  }
  if (!BASE_RESERVE(&l->views->allocator, &lost->ways, (uint64_t)lost->ways.count + 1)) return NULL;
  view_ways *ways = &lost->ways.data[lost->ways.count];
  *ways = (view_ways){.table = number, .kind = l->kind, .dims = dims, .afar = afar};
  if (!find_ways_back(l, &table->site, dims, afar, ways)) return NULL;
  lost->ways.count++;
  return ways;
}

// Calls `each` with the rows that read at places of an orbit, each key once.
typedef bool reader_visitor(losing *l, view_table *table, void *user, uint32_t key, clv_dart base);

// The key of rows at a base: the map is one of one kind.
static inline uint32_t key_at(const losing *l, const view_site *site, const clv_suborbits *own, clv_dart base) {
  return site->crossing
             ? site->index->ids[l->kind].data[(size_t)map_uniform_row(base) * own->count + own->of[base & 63u]]
             : base >> 6;
}

static bool visit_readers(losing *l, view_table *table, uint32_t dims, const view_star *star, const view_ways *back,
                          reader_visitor *each, void *user) {
  const view_site *site = &table->site;
  const clv_template *shape = &clv_templates[l->kind];
  const clv_suborbits *places = &shape->sub[dims & ~(1u << l->m->view.dimension)], *own = &shape->sub[site->inner];
  const uint32_t *ids = site->crossing ? site->index->ids[l->kind].data : NULL, count = own->count;
  const uint32_t stamp = l->views->lost.stamp, stamped = l->views->lost.stamps.count;
  uint32_t *stamps = l->views->lost.stamps.data;
  for (uint32_t k = 0; k < star->count; k++) {
    const clv_dart dart = star->places[k].dart, cell = dart & ~63u;
    const uint32_t place = places->of[dart & 63u], ways = back->count[place];
    const uint32_t *keys = ids ? ids + (size_t)map_uniform_row(dart) * count : NULL;
    const uint8_t *darts = back->darts[place];
    for (uint32_t n = 0; n < ways; n++) {
      const uint32_t key = keys ? keys[own->of[darts[n]]] : cell >> 6;
      if (key >= stamped || stamps[key] == stamp) continue;
      stamps[key] = stamp;
      if (!each(l, table, user, key, cell | darts[n])) return false;
    }
  }
  return true;
}

// The rows that read numbers of orbits that came off others.
static bool renumber_reader(losing *l, view_table *table, void *user, uint32_t key, clv_dart base) {
  (void)user;
  (void)base;
  return view_table_renumber(table, &l->views->shop, key);
}

static bool rename_reader(losing *l, view_table *table, void *user, uint32_t key, clv_dart base) {
  (void)base;
  return view_table_rename(table, &l->views->shop, key, user);
}

static bool renumber_readers(losing *l, view_table *table, uint32_t dims) {
  const view_ways *back = NULL;
  reader_visitor *each = dims == clv_orbit_dims(&l->m->view, CLV_VERTEX) ? rename_reader : renumber_reader;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++) {
    const clv_event *event = &l->commit->events[k];
    if (event->kind != CLV_SPLIT) continue;
    view_star star;
    if (!back) back = ways_back(l, table, dims, false);
    view_renaming renaming = {.from = event->from.index, .to = event->id.index};
    if (!back || !start_keys(l->views, table) || !stars_of(l, &k, 1, &star) ||
        !visit_readers(l, table, dims, &star, back, each, &renaming))
      return false;
  }
  return true;
}

static bool renumber(losing *l, view_table *table) {
  const view_site *site = &table->site;
  uint32_t dims = 0; // sorts of orbits whose numbers are read
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (!site->sources.data[k].column) dims |= 1u << site->sources.data[k].dims;
  for (uint32_t d = 0; l->splits && dims >> d; d++)
    if ((dims >> d & 1u) && l->first[d] < l->end[d] && !renumber_readers(l, table, d)) return false;
  return true;
}

// The rows that read derived values of orbits that events name.
static bool push_reader(losing *l, view_table *table, void *user, uint32_t key, clv_dart base) {
  (void)table;
  (void)user;
  view_key_list *keys = &l->views->lost.keys;
  if (!BASE_RESERVE(&l->views->allocator, keys, (uint64_t)keys->count + 1)) return false;
  keys->data[keys->count++] = (view_touched_key){key, base, 0};
  return true;
}

static bool list_readers(losing *l, view_table *table, uint32_t dims) {
  const view_ways *back = NULL;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++) {
    const clv_event *event = &l->commit->events[k];
    if (!event->dart) continue;
    view_star star;
    if (!back) back = ways_back(l, table, dims, true);
    if (!back || !stars_of(l, &k, 1, &star) || !visit_readers(l, table, dims, &star, back, push_reader, NULL))
      return false;
  }
  return true;
}

// Lets a row go on of which nothing changed but values at its own orbit: from its base, or from another one that it
// looks the same from. False where it must be made anew.
static bool goes_on(const losing *l, const view_table *table, const clv_event *event) {
  const uint32_t reference = view_row_of_key(table, event->id.index);
  if (!table->own.alone || event->kind != CLV_CHANGED || !reference) return false;
  view_slab *slab = view_row_slab(table, reference);
  clv_dart *base = &slab->bases.data[view_row_number(reference)];
  const clv_suborbits *own = &clv_templates[l->kind].sub[table->site.inner];
  if (map_row_alive(l->m, l->kind, map_uniform_row(*base)) && key_at(l, &table->site, own, *base) == event->id.index)
    return true;
  const clv_dart other = slab->loose ? CLV_NO_DART : view_own_base(table, event->id.index, event->dart);
  if (other) *base = other;
  return other;
}

// A row of an orbit that came off one with a row, where it can be a copy of that. *done: memory was enough.
static bool is_copied(losing *l, view_table *table, const clv_event *event, bool *done) {
  const clv_dart base = event->kind == CLV_SPLIT ? view_own_base(table, event->from.index, event->dart) : CLV_NO_DART;
  if (base) *done = view_table_copy(table, &l->views->shop, event->id.index, base, event->from.index);
  return base;
}

// Brings the rows up to date whose keys are listed, once they are so many.
static bool follow_listed(losing *l, view_table *table, uint32_t most) {
  view_lost *lost = &l->views->lost;
  bool done = true;
  if (lost->same.count >= most) {
    view_table_reread(table, &l->views->shop, lost->same.data, lost->same.count);
    lost->same.count = 0;
  }
  if (lost->keys.count >= most) {
    done = view_table_refresh(table, &l->views->shop, lost->keys.data, lost->keys.count);
    lost->keys.count = 0;
  }
  return done;
}

// The row of an event of its own sort of orbit. There is room in both lists.
static bool list_own(losing *l, view_table *table, const clv_event *event) {
  view_lost *lost = &l->views->lost;
  const uint32_t like = event->kind == CLV_SPLIT ? event->from.index : 0, key = event->id.index;
  bool done = true;
  if (event->kind == CLV_DELETED) view_row_look_ahead(table, view_row_of_key(table, key)); // another one moves there
  const bool same = goes_on(l, table, event) || is_copied(l, table, event, &done);
  view_key_list *keys = same ? &lost->same : &lost->keys;
  keys->data[keys->count++] = (view_touched_key){key, event->dart, like};
  return done;
}

static uint32_t own_dims(const losing *l, const view_site *site) {
  return site->crossing ? site->dims : clv_orbit_dims(&l->m->view, CLV_CELL);
}

// Rows at orbits that events name, and those that read derived values there. A few at a time are listed, and brought up
// to date while they are at hand.
static bool follow_changed(losing *l, view_table *table) {
  enum { FEW = 8 * VIEW_LANES };
  const clv_allocator *a = &l->views->allocator;
  view_lost *lost = &l->views->lost;
  const uint32_t dims = table->afar, own = own_dims(l, &table->site);
  lost->keys.count = lost->same.count = 0;
  if (dims && !start_keys(l->views, table)) return false;
  for (uint32_t d = 0; dims >> d; d++)
    if ((dims >> d & 1u) && l->first[d] < l->end[d] && !list_readers(l, table, d)) return false;
  if (!follow_listed(l, table, FEW) || !BASE_RESERVE(a, &lost->same, FEW) || !BASE_RESERVE(a, &lost->keys, FEW))
    return false;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const clv_event *event = &l->commit->events[k];
    const uint32_t key = event->id.index;
    const bool there = view_row_of_key(table, key) || (table->wakes && event->dart);
    if (event->kind != CLV_SPLIT && (!there || (dims && !is_new(lost, key)))) continue;
    if (!list_own(l, table, event) || !follow_listed(l, table, FEW)) return false;
  }
  return follow_listed(l, table, 1);
}

// Tables of which much changed (renew.c)

static bool find_origins(losing *l) {
  view_lost *lost = &l->views->lost;
  const uint32_t dims = clv_orbit_dims(&l->m->view, CLV_VERTEX), count = l->m->indices[dims]->count;
  if (l->origins) return true;
  if (!BASE_RESERVE(&l->views->allocator, &lost->origins, count)) return false;
  uint32_t *origins = lost->origins.data;
  for (uint32_t id = 0; id < count; id++) origins[id] = id;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++) {
    const clv_event *event = &l->commit->events[k];
    origins[event->id.index] = event->from.index ? event->from.index : event->id.index;
  }
  l->origins = origins;
  return true;
}

static void drop_deleted(const losing *l, view_table *table) {
  const uint32_t own = own_dims(l, &table->site);
  for (uint32_t k = l->first[own]; k < l->end[own]; k++)
    if (l->commit->events[k].kind == CLV_DELETED) view_table_drop(table, l->commit->events[k].id.index);
}

// Lists orbits without a row that may get one.
static bool list_sleeping(const losing *l, const view_table *table) {
  const uint32_t own = own_dims(l, &table->site);
  view_key_list *keys = &l->views->lost.keys;
  if (!table->wakes) return true;
  if (!BASE_RESERVE(&l->views->allocator, keys, l->end[own] - l->first[own])) return false;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const clv_event *event = &l->commit->events[k];
    if (event->kind == CLV_CHANGED && !view_row_of_key(table, event->id.index))
      keys->data[keys->count++] = (view_touched_key){.key = event->id.index, .dart = event->dart};
  }
  return true;
}

// Rows of what came off others.
static bool part_rows(const losing *l, const view_renewal *renewal) {
  const uint32_t own = own_dims(l, &renewal->table->site);
  view_key_list *split = &l->views->lost.same;
  if (!BASE_RESERVE(&l->views->allocator, split, l->end[own] - l->first[own] + 1)) return false;
  split->count = 0;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const clv_event *event = &l->commit->events[k];
    split->data[split->count] = (view_touched_key){event->id.index, event->dart, event->from.index};
    split->count += event->kind == CLV_SPLIT;
  }
  return view_renewal_part(renewal, split->data, split->count);
}

// Values at the orbits of rows that stand where they stood.
static bool reread(losing *l, view_table *table) {
  enum { ROWS_FOR_ONE = 5 }; // to go over so many costs less than to go to one of them
  view_lost *lost = &l->views->lost;
  view_workshop *shop = &l->views->shop;
  const uint32_t own = own_dims(l, &table->site), count = l->end[own] - l->first[own];
  if ((uint64_t)count * ROWS_FOR_ONE > table->rows) return view_table_reread_all(table, shop);
  if (!BASE_RESERVE(&l->views->allocator, &lost->same, count)) return false;
  lost->same.count = 0;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const uint32_t key = l->commit->events[k].id.index;
    if (view_row_of_key(table, key)) lost->same.data[lost->same.count++] = (view_touched_key){.key = key};
  }
  view_table_reread(table, shop, lost->same.data, lost->same.count);
  return true;
}

// Whether all that events do to a table's rows can be done without them: rows of what came off others are copies then.
static bool can_renew(const view_table *table) {
  return table->own.two_ended && !table->afar;
}

static bool renew_table(losing *l, view_table *table) {
  const bool all = can_renew(table);
  view_lost *lost = &l->views->lost;
  view_renewal renewal; // most of it is room, and not to be cleared
  renewal.table = table;
  renewal.shop = &l->views->shop;
  renewal.kind = l->kind;
  renewal.origins = l->origins;
  renewal.left = &lost->keys;
  lost->keys.count = 0;
  drop_deleted(l, table);
  if (!view_renewal_start(&renewal) || (all && !list_sleeping(l, table))) return false;
  if ((all && !part_rows(l, &renewal)) || !view_renewal_loosen(&renewal)) return false;
  return !all || (view_table_refresh(table, renewal.shop, lost->keys.data, lost->keys.count) && reread(l, table));
}

static bool update_table(losing *l, view_table *table) {
  if (!table->rows && !table->wakes) return true; // nothing comes of losing but what comes off
  enum { FEW = 64 };
  const bool many = l->splits > table->rows / 64 + FEW, anew = many && table->site.inside;
  if (many && !anew) view_table_loosen(table);
  if (anew ? !find_origins(l) || !renew_table(l, table) : !renumber(l, table)) return false;
  if (!(anew && can_renew(table)) && !follow_changed(l, table)) return false;
  if (many) return view_table_tighten(table, &l->views->shop);
  bool done = true; // slabs from which much has gone have vertices that nobody uses
  for (uint32_t s = 0; done && l->removed_count > FEW && s < table->slab_count; s++)
    done = view_slab_order(table, &l->views->shop, &table->slabs[s]);
  return done;
}

// What few events will lead to lies all over the memory: values, and rows of tables. It is asked for at once, first
// what tells where the rows are.
static void look_ahead(const losing *l) {
  enum { FEW = 48 };
  const clv_views *views = l->views;
  const clv_commit *commit = l->commit;
  if (commit->event_count > FEW) return;
  for (uint32_t t = 0; t < views->tables.count; t++) {
    const view_table *table = &views->tables.data[t];
    const uint32_t own = own_dims(l, &table->site);
    for (uint32_t k = l->first[own]; table->rows && k < l->end[own]; k++)
      CLV_PREFETCH(table->row_of_key.data + commit->events[k].id.index);
  }
  for (uint32_t f = 0; f < views->derived.count; f++) {
    const clv_column *column = views->derived.data[f].column;
    if (!column->index->crossing) continue;
    for (uint32_t k = l->first[column->index->dims]; k < l->end[column->index->dims]; k++)
      CLV_PREFETCH(column->slots.data + (size_t)commit->events[k].id.index * column->size);
  }
  for (uint32_t t = 0; t < views->tables.count; t++) {
    const view_table *table = &views->tables.data[t];
    const uint32_t own = own_dims(l, &table->site);
    for (uint32_t k = l->first[own]; table->rows && k < l->end[own]; k++)
      view_row_look_ahead(table, view_row_of_key(table, commit->events[k].id.index));
  }
}

// As measured: from there on one pass over all cells costs less than to go from orbit to orbit.
static bool are_many(const losing *l) {
  enum { ONE_OF = 45 };
  return l->removed_count > 1 && (uint64_t)l->removed_count * ONE_OF > l->m->rows[l->kind].alive;
}

void view_lost_free(view_lost *lost, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &lost->stamps);
  BASE_RELEASE(allocator, &lost->keys);
  BASE_RELEASE(allocator, &lost->same);
  BASE_RELEASE(allocator, &lost->ways);
  BASE_RELEASE(allocator, &lost->walked);
  BASE_RELEASE(allocator, &lost->left);
  BASE_RELEASE(allocator, &lost->number_of);
  BASE_RELEASE(allocator, &lost->totals);
  BASE_RELEASE(allocator, &lost->shares);
  BASE_RELEASE(allocator, &lost->removed);
  BASE_RELEASE(allocator, &lost->origins);
}

bool views_lose(clv_views *views, const clv_commit *commit, bool *done) {
  const map *m = views->map;
  if (!m->scratch->direct) return false;
  if (views->loses == VIEW_NOT_ASKED) views->loses = all_can_lose(views) ? VIEW_LOSES : VIEW_LOSES_NOT;
  if (views->loses == VIEW_LOSES_NOT) return false;
  losing l = {.views = views, .m = m, .commit = commit, .kind = map_page(m, m->log.data[0].dart).kind};
  for (uint32_t k = 0; k < commit->event_count;) { // sort by sort
    const uint32_t dims = commit->events[k].dims;
    l.first[dims] = k;
    for (; k < commit->event_count && commit->events[k].dims == dims; k++)
      l.splits += commit->events[k].kind == CLV_SPLIT;
    l.end[dims] = k;
  }
  l.removed = m->scratch->removed.data;
  l.removed_count = m->scratch->removed.count;
  l.many = are_many(&l);
  l.parting = !l.removed_count && m->told == 2 && m->log.data[1].op == MAP_LINK;
  views->change.commit = commit;
  views->change.values.count = 0; // all of them are at orbits that events name
  *done = true;
  if (views->lost.evaluated) look_ahead(&l);
  for (uint32_t k = 0; *done && k < views->derived.count; k++) *done = derive_again(&l, &views->derived.data[k]);
  for (uint32_t k = 0; *done && k < views->tables.count; k++) *done = update_table(&l, &views->tables.data[k]);
  return true;
}
