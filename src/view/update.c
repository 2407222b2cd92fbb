// What a commit does to views: the rows that it reached (reach.c) are made anew.
//
// Derived quantities come first, each behind those it reads; what they change is added to what the commit changed.

#include "map/plan.h"
#include "view/views.h"

// Derived quantities

// Whether there are cells of the kind that a site is for.
static bool is_needed(const view_site *site) {
  const clv_kind kind = site->law->shape.kind;
  return !site->whole || !kind || site->map->rows[kind].alive;
}

// One of the plain cells that a formula takes side by side, if it takes any.
static bool takes_cell(const view_formula *formula, clv_dart dart) {
  return dart && map_dart_plain(formula->site.map, dart) && !view_site_excludes(&formula->site, dart);
}

static void set_to_zero(const clv_column *column, void *value) {
  if (column->size == sizeof(double))
    memset(value, 0, sizeof(double));
  else
    memset(value, 0, column->size);
}

typedef struct marking {
  clv_views *views;
  const clv_column *column;
  bool common; // that they changed is said once for all of them
} marking;

static bool mark_value(void *user, clv_dart dart) {
  const marking *k = user;
  set_to_zero(k->column, clv_column_at(k->column, dart));
  if (!k->common) view_touch_value(k->views, k->column, dart);
  return !k->views->change.no_memory;
}

static void mark_row(const marking *k, clv_dart cell) {
  const map *m = k->views->map;
  const clv_page page = map_page(m, cell);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[k->column->index->inner];
  memset(embed_row_value(k->column, page.kind, map_row(page, cell), 0), 0, sub->count * k->column->size);
  for (uint32_t s = 0; !k->common && s < sub->count; s++)
    view_touch_value(k->views, k->column, (cell & ~63u) | sub->first[s]);
}

// Every orbit of the column at a key starts from zero, and its readers will hear of it.
static bool mark_key(const marking *k, const view_site *site, const view_touched_key *key) {
  marking each = *k;
  if (k->column->index->crossing && site->dims == k->column->index->dims) {
    set_to_zero(k->column, k->column->slots.data + (size_t)key->key * k->column->size);
    if (!k->common) view_touch_value(k->views, k->column, key->dart);
    return true;
  }
  if (k->column->index->crossing) return mark_value(&each, key->dart);
  if (!site->crossing && map_dart_plain(site->map, key->dart)) {
    mark_row(k, key->dart);
    return true;
  }
  clv_walk walk;
  const clv_orbit orbit = site->crossing ? site->dims : clv_orbit_dims(&site->map->view, CLV_CELL);
  if (clv_walk_incident(&walk, &site->map->view, orbit, k->column->index->dims, key->dart) != CLV_OK) return false;
  bool done = true;
  for (uint32_t n = 0; done && n < walk.count; n++) done = mark_value(&each, walk.darts[n]);
  clv_walk_end(&walk);
  return done;
}

// Kinds of plain cells, as bits, in which every value of a figure is assigned.
static uint32_t kinds_assigned(const view_figure *figure) {
  const clv_column *column = figure->column;
  uint32_t kinds = 0;
  for (uint32_t f = 0; f < figure->count && !column->index->crossing; f++) {
    const view_formula *formula = &figure->formulas[f];
    const uint32_t kind = formula->site.law->shape.kind;
    const uint32_t values = clv_templates[kind].sub[column->index->inner].count * column->def.components;
    if (view_formula_takes_cells(formula) && formula->targets.count == values) kinds |= 1u << kind;
  }
  return kinds;
}

// Those of new cells nobody need hear of: whoever reads there is made anew with the cell.
static bool mark_values(clv_views *views, const view_figure *figure) {
  const map *m = views->map;
  const view_change *change = &views->change;
  const view_keys *keys = change->keys;
  const view_site *site = &figure->formulas[0].site;
  const bool crossing = figure->column->index->crossing;
  const bool alike = crossing ? view_common_keys(change, figure->column) == keys : keys == &change->reached[VIEW_CELLS];
  const uint32_t kinds = kinds_assigned(figure);
  const bool all = crossing && figure->count == 1 && figure->formulas[0].direct; // every orbit has its sum
  for (uint32_t k = alike && all ? keys->common : 0; k < keys->list.count; k++) {
    const clv_dart dart = keys->list.data[k].dart;
    const marking marks = {views, figure->column, alike && k < keys->common};
    if (!dart) continue;
    if (marks.common && kinds >> map_page(m, dart).kind & 1u && map_dart_plain(m, dart)) continue;
    if (!mark_key(&marks, site, &keys->list.data[k])) return false;
  }
  if (alike && crossing) view_touch_value(views, figure->column, CLV_NO_DART);
  return !change->no_memory;
}

// A formula that is evaluated at some places, eight at a time.
typedef struct computing {
  clv_views *views;
  const view_formula *formula;
  uint32_t lanes; // that wait
} computing;

static void compute_waiting(computing *c) {
  const view_formula *formula = c->formula;
  view_room *room = &c->views->rooms[0];
  if (!c->lanes) return;
  view_formula_compute(formula, room, c->lanes);
  for (uint32_t t = 0; t < formula->targets.count; t++)
    for (uint32_t lane = 0; lane < c->lanes; lane++)
      view_assign(&formula->targets.data[t], room->targets.data[t * VIEW_LANES + lane],
                  view_formula_result(formula, room, t, lane));
  c->lanes = 0;
}

static bool compute_one(void *user, clv_dart dart) {
  computing *c = user;
  bool holds = false;
  if (!view_formula_take(c->formula, &c->views->rooms[0], c->views->params.data, dart, c->lanes, &holds)) return false;
  if (holds && ++c->lanes == VIEW_LANES) compute_waiting(c);
  return true;
}

// Plain cells of the formula's kind, where it can be evaluated without looking at each. How many keys are left.
static uint32_t compute_cells(computing *c, const view_key_list *keys) {
  clv_dart cells[VIEW_LANES];
  uint32_t left = 0;
  if (!view_formula_takes_cells(c->formula)) return keys->count;
  for (uint32_t k = 0; k < keys->count; k++) {
    const clv_dart dart = keys->data[k].dart;
    if (takes_cell(c->formula, dart))
      cells[c->lanes++] = dart & ~63u;
    else
      left += dart != CLV_NO_DART;
    if (c->lanes < VIEW_LANES && k + 1 < keys->count) continue;
    if (c->lanes) view_formula_take_cells(c->formula, &c->views->rooms[0], cells, c->lanes);
    compute_waiting(c);
  }
  return left;
}

// One formula at some keys.
static bool compute_again(clv_views *views, view_formula *formula, const view_key_list *keys) {
  const view_change *change = &views->change;
  view_room *room = &views->rooms[0];
  const double *params = views->params.data;
  computing c = {views, formula, 0};
  view_formula_aim(formula);
  view_formula_start(formula, room, params);
  if (!compute_cells(&c, keys)) return true;
  view_around around; // most of it is room, and not to be cleared
  around.views = views;
  around.formula = formula;
  around.lanes = 0;
  const bool rings = view_sums_around(formula), many = !formula->site.crossing && !formula->site.whole;
  const bool takes = view_formula_takes_cells(formula);
  for (uint32_t k = 0; k < keys->count && !change->no_memory; k++) {
    const view_touched_key *key = &keys->data[k];
    if (!key->dart || (takes && takes_cell(formula, key->dart))) continue;
    if (rings && view_around_take(&around, key->key, key->dart)) continue;
    if (many ? !view_site_in_cell(&formula->site, key->key, compute_one, &c) : !compute_one(&c, key->dart))
      return false;
  }
  view_around_compute(&around);
  compute_waiting(&c);
  return true;
}

bool views_derive_again(clv_views *views, const view_figure *figure) {
  view_change *change = &views->change;
  if (view_gain_sums(views, figure))
    return !change->no_memory && (!change->left.count || compute_again(views, figure->formulas, &change->left));
  view_reach_begin(views, &figure->formulas[0].site);
  // The first is always asked: it tells of cells that are of no such kind any more, where nothing is left of the value.
  for (uint32_t f = 0; f < figure->count; f++)
    if (f == 0 || is_needed(&figure->formulas[f].site)) view_reach(views, &figure->formulas[f].site);
  for (uint32_t k = 0; k < change->values.count; k++) // whoever set a derived value is overruled
    if (change->values.data[k].column == figure->column)
      view_touch(views, &figure->formulas[0].site, change->values.data[k].dart);
  if (!change->keys->list.count) return !change->no_memory;
  if (!mark_values(views, figure)) return false;
  for (uint32_t f = 0; f < figure->count; f++)
    if (is_needed(&figure->formulas[f].site) && !compute_again(views, &figure->formulas[f], &change->keys->list))
      return false;
  return !change->no_memory;
}

// Tables

// Bases that were renamed without anything else happening to their rows. Names may be given round: look first, write
// afterwards.
static bool rename_bases(clv_views *views, view_table *table) {
  view_change *change = &views->change;
  if (!table->site.crossing || !change->renames.count) return true;
  view_reach_begin(views, &table->site);
  view_key_list *found = &change->keys->list;
  if (!BASE_RESERVE(&views->allocator, found, change->renames.count)) return false;
  for (uint32_t k = 0; k < change->renames.count; k++) {
    const clv_rename rename = change->renames.data[k];
    if (!clv_dart_alive(&views->map->view, rename.after)) continue;
    const uint32_t reference = view_row_of_key(table, view_site_key(&table->site, rename.after));
    if (reference && view_row_slab(table, reference)->bases.data[view_row_number(reference)] == rename.before)
      found->data[found->count++] = (view_touched_key){.key = reference, .dart = rename.after};
  }
  for (uint32_t k = 0; k < found->count; k++) {
    const uint32_t reference = found->data[k].key;
    view_row_slab(table, reference)->bases.data[view_row_number(reference)] = found->data[k].dart;
  }
  return true;
}

static bool reads_numbers(const view_site *site, uint32_t dims) {
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (!site->sources.data[k].column && site->sources.data[k].dims == dims) return true;
  return false;
}

// Where everything only loses, what came off an orbit has another number and the same values: its rows are renumbered.
static bool renumber_rows(clv_views *views, view_table *table) {
  view_change *change = &views->change;
  const view_site *site = &table->site;
  if (!change->losing) return true;
  view_reach_begin(views, site);
  for (uint32_t k = 0; k < change->commit->event_count && !change->no_memory; k++) {
    const clv_event *event = &change->commit->events[k];
    if (event->kind != CLV_SPLIT || !reads_numbers(site, event->dims)) continue;
    if (!view_reach_numbers(views, site, event)) return false;
  }
  for (uint32_t k = 0; k < change->keys->list.count && !change->no_memory; k++)
    if (!view_table_renumber(table, &views->shop, change->keys->list.data[k].key)) return false;
  return !change->no_memory;
}

static bool update_table(clv_views *views, view_table *table) {
  view_change *change = &views->change;
  if (!table->rows && !is_needed(&table->site)) return true;
  if (!rename_bases(views, table) || !renumber_rows(views, table)) return false;
  view_reach_begin(views, &table->site);
  view_reach(views, &table->site);
  const view_key_list *keys = &change->keys->list;
  if (change->no_memory) return false;
  if (change->refining) return view_table_refresh(table, &views->shop, keys->data, keys->count);
  uint32_t near = 0; // keys that follow one another mostly lie together
  for (uint32_t k = 0; k < keys->count; k++) {
    const view_touched_key *key = &keys->data[k];
    if (!view_table_update(table, &views->shop, key->key, key->dart, key->like ? key->like : near)) return false;
    if (view_row_of_key(table, key->key)) near = key->key;
  }
  return true;
}

void views_hear(void *user, const clv_map *view, const clv_commit *commit) {
  clv_views *views = user;
  (void)view;
  views->lost.evaluated = views->laid_out;
  views_forget(views);
  if (views->stale) return;
  views->revision = commit->revision;
  bool done = false;
  if (!views_lose(views, commit, &done)) {
    view_change_hear(views, commit);
    done = !views->change.no_memory;
    for (uint32_t k = 0; done && k < views->derived.count; k++)
      done = views_derive_again(views, &views->derived.data[k]);
    for (uint32_t k = 0; done && k < views->tables.count; k++) done = update_table(views, &views->tables.data[k]);
  }
  views->stale = !done || !views_lay_out(views);
}
