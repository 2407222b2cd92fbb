// Building and refreshing everything, parameters, derived quantities as a whole, and updates.

#include "view/views.h"

// Going over a formula's orbits, eight at a time

typedef struct sweep {
  clv_views *views;
  const view_formula *formula;
  view_room *room;
  uint32_t lanes;
  double *results; // of an update: by row and target
  view_place *places;
  uint32_t row;
} sweep;

static void write_lanes(sweep *s) {
  const view_formula *formula = s->formula;
  view_formula_compute(formula, s->room, s->lanes);
  for (uint32_t lane = 0; lane < s->lanes; lane++)
    for (uint32_t t = 0; t < formula->targets.count; t++) {
      const double result = view_formula_result(formula, s->room, t, lane);
      const view_place place = s->room->targets.data[t * VIEW_LANES + lane];
      if (!s->results) {
        view_assign(&formula->targets.data[t], place, result);
        continue;
      }
      s->results[(size_t)s->row * formula->targets.count + t] = result;
      s->places[(size_t)s->row * formula->targets.count + t] = place;
      if (t + 1 == formula->targets.count) s->row++;
    }
  s->lanes = 0;
}

static bool sweep_dart(void *user, clv_dart dart) {
  sweep *s = user;
  bool holds = false;
  if (!view_formula_take(s->formula, s->room, s->views->params.data, dart, s->lanes, &holds)) return false;
  if (holds && ++s->lanes == VIEW_LANES) write_lanes(s);
  return true;
}

static void clear_column(const clv_column *column) {
  if (column->index->count) memset(column->slots.data, 0, column->index->count * column->size);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES && !column->index->crossing; kind++) {
    const size_t count = (size_t)column->map->rows[kind].count * clv_templates[kind].sub[column->index->inner].count;
    if (count) memset(column->rows[kind].data, 0, count * column->size);
  }
}

static bool derive_all(clv_views *views) {
  for (uint32_t k = 0; k < views->derived.count; k++) {
    const view_figure *figure = &views->derived.data[k];
    clear_column(figure->column);
    for (uint32_t f = 0; f < figure->count; f++) {
      sweep s = {.views = views, .formula = &figure->formulas[f], .room = &views->rooms[0]};
      view_formula_aim(&figure->formulas[f]);
      view_formula_start(s.formula, s.room, views->params.data);
      if (!view_site_all(&s.formula->site, sweep_dart, &s)) return false;
      if (s.lanes) write_lanes(&s);
    }
  }
  return true;
}

// Building

static clv_result not_now(clv_views *views) {
  return views_fail(views, CLV_ERROR_ARGUMENT, "views have no values inside a transaction: commit it first");
}

static clv_result went_stale(clv_views *views) {
  views->stale = true;
  return views_fail(views, CLV_ERROR_MEMORY, "out of memory: the views are stale, and will be built when asked again");
}

clv_result clv_views_rebuild(clv_views *views) {
  if (views->map->open) return not_now(views);
  views_forget(views);
  bool done = derive_all(views);
  for (uint32_t k = 0; done && k < views->tables.count; k++)
    done = view_table_build(&views->tables.data[k], &views->shop);
  if (!done) return went_stale(views);
  views->stale = false;
  views->revision = clv_map_revision(&views->map->view);
  return CLV_OK;
}

// A table whose number of rows is far from what its slabs were laid out for.
static bool has_outgrown(const view_table *table) {
  return table->rows > 4 * table->built_rows + 4096 || (table->slab_count > 1 && 8 * table->rows < table->built_rows);
}

bool views_lay_out(clv_views *views) {
  bool done = true;
  for (uint32_t k = 0; done && k < views->tables.count; k++)
    if (has_outgrown(&views->tables.data[k])) done = view_table_build(&views->tables.data[k], &views->shop);
  return done;
}

clv_result views_ready(clv_views *views) {
  if (views->map->open) return not_now(views);
  views_forget(views);
  if (views->stale || views->revision != clv_map_revision(&views->map->view)) return clv_views_rebuild(views);
  for (uint32_t k = 0; k < views->tables.count; k++) {
    view_table *table = &views->tables.data[k];
    for (uint32_t s = 0; s < table->slab_count; s++) {
      view_slab *slab = &table->slabs[s];
      const bool untidy =
          slab->vertices.count - slab->ordered > VIEW_TAIL / 4 || slab->unused * 2 > slab->vertices.count + VIEW_TAIL;
      if (untidy && !view_slab_order(table, &views->shop, slab)) return went_stale(views);
    }
  }
  return CLV_OK;
}

clv_result clv_views_refresh(clv_views *views) {
  const clv_result result = views_ready(views);
  if (result != CLV_OK) return result;
  bool done = derive_all(views);
  for (uint32_t k = 0; done && k < views->tables.count; k++) {
    view_table *table = &views->tables.data[k];
    // Where values decide whether there is a row, rows may come and go.
    done =
        view_site_varies(&table->site) ? view_table_build(table, &views->shop) : view_table_hoist(table, &views->shop);
  }
  return done ? CLV_OK : went_stale(views);
}

clv_result clv_views_restore(clv_views *views) {
  const clv_result result = views_ready(views);
  if (result != CLV_OK) return result;
  bool done = true;
  for (uint32_t k = 0; done && k < views->tables.count; k++)
    done = view_table_hoist(&views->tables.data[k], &views->shop);
  return done ? CLV_OK : went_stale(views);
}

// Parameters

static const rule_tree *find_param(const clv_views *views, const char *name, uint32_t *first, uint32_t *count) {
  for (uint32_t k = 0; views->program && k < views->program->declarations.count; k++) {
    const rule_tree *tree = views->program->declarations.data[k];
    if (tree->kind != RULE_PARAM || strcmp(tree->name, name) != 0) continue;
    *first = law_param_first(views->program, tree);
    *count = law_components(tree->child[0]);
    return tree;
  }
  return NULL;
}

clv_result clv_views_set_param(clv_views *views, const char *name, const double *values, uint32_t count) {
  uint32_t first = 0, components = 0;
  if (!find_param(views, name, &first, &components))
    return views_fail(views, CLV_ERROR_ARGUMENT, "the program has no parameter '%s'", name);
  if (count != components)
    return views_fail(views, CLV_ERROR_ARGUMENT, "parameter '%s' has %u numbers, not %u", name, components, count);
  memcpy(views->params.data + first, values, count * sizeof *values);
  return clv_views_refresh(views);
}

clv_result clv_views_get_param(const clv_views *views, const char *name, double *values, uint32_t count) {
  uint32_t first = 0, components = 0;
  if (!find_param(views, name, &first, &components) || count != components) return CLV_ERROR_ARGUMENT;
  memcpy(values, views->params.data + first, count * sizeof *values);
  return CLV_OK;
}

// Counting

uint32_t clv_views_law_count(const clv_views *views) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < views->tables.count; k++)
    count += k == 0 || views->tables.data[k].site.law->tree != views->tables.data[k - 1].site.law->tree;
  return count;
}

const char *clv_views_law_name(const clv_views *views, uint32_t number) {
  for (uint32_t k = 0, count = 0; k < views->tables.count; k++) {
    count += k == 0 || views->tables.data[k].site.law->tree != views->tables.data[k - 1].site.law->tree;
    if (count == number + 1) return views->tables.data[k].site.law->name;
  }
  return NULL;
}

uint64_t clv_views_rows(const clv_views *views, const char *name) {
  uint64_t rows = 0;
  bool known = false;
  for (uint32_t k = 0; k < views->tables.count; k++) {
    if (name && strcmp(views->tables.data[k].site.law->name, name) != 0) continue;
    rows += views->tables.data[k].rows;
    known = true;
  }
  return known || !name ? rows : UINT64_MAX;
}

// Updates

static bool note_base(void *user, clv_dart dart) {
  view_workshop *shop = user;
  const uint32_t count = shop->bases.count;
  if (count == shop->bases.capacity && !BASE_RESERVE(&shop->allocator, &shop->bases, (uint64_t)count + 1)) return false;
  shop->bases.data[shop->bases.count++] = dart;
  return true;
}

typedef struct update_run {
  clv_views *views;
  const view_formula *formula;
  uint32_t parts, base_count;
  view_memory results, places, rows; // rows: by part, how many places it found
  bool failed;                       // only where one thread does it all
} update_run;

static uint32_t part_start(const update_run *run, uint32_t part) {
  return (uint32_t)((uint64_t)run->base_count * part / run->parts);
}

static void compute_part(void *user, uint32_t part, uint32_t worker) {
  update_run *run = user;
  const uint32_t first = part_start(run, part), end = part_start(run, part + 1);
  const size_t offset = (size_t)first * run->formula->targets.count;
  sweep s = {.views = run->views,
             .formula = run->formula,
             .room = &run->views->rooms[worker],
             .results = (double *)run->results.data + offset,
             .places = (view_place *)run->places.data + offset};
  view_formula_start(s.formula, s.room, run->views->params.data);
  for (uint32_t k = first; k < end; k++)
    if (!sweep_dart(&s, run->views->shop.bases.data[k])) run->failed = true;
  if (s.lanes) write_lanes(&s);
  ((uint32_t *)run->rows.data)[part] = s.row;
}

// Computes what one formula assigns, everywhere, and writes nothing yet.
static bool compute_update(update_run *run) {
  clv_views *views = run->views;
  const clv_allocator *a = &views->allocator;
  views->shop.bases.count = 0;
  if (!view_site_all(&run->formula->site, note_base, &views->shop)) return false;
  run->base_count = views->shop.bases.count;
  const size_t results = (size_t)run->base_count * run->formula->targets.count;
  // Going over sub-orbits may need memory, and that is for one thread at a time.
  run->parts = run->formula->site.law->sums.count ? 1 : views->threads;
  if (!view_memory_resize(&run->results, a, 0, results * sizeof(double)) ||
      !view_memory_resize(&run->places, a, 0, results * sizeof(view_place)) ||
      !view_memory_resize(&run->rows, a, 0, run->parts * sizeof(uint32_t)))
    return false;
  base_pool_run(views->pool, compute_part, run, run->parts);
  return !run->failed;
}

static void write_results(const update_run *run) {
  const uint32_t targets = run->formula->targets.count;
  for (uint32_t part = 0; part < run->parts; part++) {
    const size_t offset = (size_t)part_start(run, part) * targets;
    const double *results = (const double *)run->results.data + offset;
    const view_place *places = (const view_place *)run->places.data + offset;
    const uint32_t rows = ((const uint32_t *)run->rows.data)[part];
    for (uint32_t row = 0; row < rows; row++)
      for (uint32_t t = 0; t < targets; t++)
        view_assign(&run->formula->targets.data[t], places[(size_t)row * targets + t],
                    results[(size_t)row * targets + t]);
  }
}

// True when something that views keep was computed from the column.
static bool site_reads(const view_site *site, const clv_column *column) {
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (site->sources.data[k].column == column) return true;
  return false;
}

static bool is_kept(const clv_views *views, const clv_column *column) {
  bool kept = false;
  for (uint32_t k = 0; k < views->tables.count; k++) kept |= site_reads(&views->tables.data[k].site, column);
  for (uint32_t k = 0; k < views->derived.count; k++)
    for (uint32_t f = 0; f < views->derived.data[k].count; f++)
      kept |= site_reads(&views->derived.data[k].formulas[f].site, column);
  return kept;
}

static clv_result run_figure(clv_views *views, const view_figure *figure, update_run *runs) {
  bool done = true, kept = false;
  for (uint32_t f = 0; f < figure->count; f++) {
    view_formula_aim(&figure->formulas[f]);
    runs[f] = (update_run){.views = views, .formula = &figure->formulas[f]};
  }
  for (uint32_t f = 0; done && f < figure->count; f++) done = compute_update(&runs[f]);
  for (uint32_t f = 0; f < figure->count; f++) {
    if (done) write_results(&runs[f]);
    for (uint32_t t = 0; t < runs[f].formula->targets.count; t++)
      kept |= is_kept(views, runs[f].formula->targets.data[t].column);
    view_memory_free(&runs[f].results, &views->allocator);
    view_memory_free(&runs[f].places, &views->allocator);
    view_memory_free(&runs[f].rows, &views->allocator);
  }
  if (!done) return views_fail(views, CLV_ERROR_MEMORY, "out of memory: '%s' was not run", figure->tree->name);
  return kept ? clv_views_refresh(views) : CLV_OK;
}

clv_result clv_views_run(clv_views *views, const char *update) {
  clv_result result = views_ready(views);
  for (uint32_t k = 0; result == CLV_OK && k < views->updates.count; k++) {
    const view_figure *figure = &views->updates.data[k];
    if (strcmp(figure->tree->name, update) != 0) continue;
    update_run *runs = base_allocate(&views->allocator, figure->count * sizeof *runs);
    if (!runs) return views_fail(views, CLV_ERROR_MEMORY, "out of memory: '%s' was not run", update);
    result = run_figure(views, figure, runs);
    base_free(&views->allocator, runs, figure->count * sizeof *runs);
    return result;
  }
  if (result != CLV_OK) return result;
  return views_fail(views, CLV_ERROR_ARGUMENT, "the program has no update '%s' for maps of this dimension", update);
}
