// Creating bodies of views, and keeping their parameters.

#include "view/views.h"
#include "view/column.h"

#include <stdarg.h>
#include <stdio.h>

clv_views_def clv_default_views_def(void) {
  return (clv_views_def){.threads = 1, .allocator = clv_default_allocator()};
}

clv_result views_fail(clv_views *views, clv_result code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  views->error.code = code;
  vsnprintf(views->error.message, sizeof views->error.message, format, arguments);
  va_end(arguments);
  return code;
}

static clv_result no_memory(clv_views *views) {
  return views_fail(views, CLV_ERROR_MEMORY, "out of memory while views are made");
}

const char *clv_views_error(const clv_views *views) {
  return views->error.message;
}

bool clv_views_stale(const clv_views *views) {
  return views->stale;
}

// Columns

// The column of a declaration: the map's own when it fits, a new one otherwise.
static clv_result require_column(clv_views *views, const rule_tree *tree) {
  clv_map *view = &views->map->view;
  const uint32_t components = law_components(tree->child[0]);
  const clv_orbit orbit = law_column_orbit(tree, view->dimension);
  const bool whole = view_column_is_whole(tree);
  if (!orbit) return CLV_OK; // nothing of that sort in a map of this dimension
  const clv_column *there = clv_column_find(view, tree->name);
  if (there) {
    const clv_column_def *def = clv_column_get_def(there);
    if (clv_orbit_dims(view, def->orbit) == clv_orbit_dims(view, orbit) && def->components == components &&
        (whole ? def->type == CLV_INT32 : def->type == CLV_DOUBLE))
      return CLV_OK;
    return views_fail(views, CLV_ERROR_INPUT,
                      "the map's column '%s' is not what the program declares: it needs %u %s on the same orbit",
                      tree->name, components, whole ? "32-bit whole numbers" : "doubles");
  }
  return view_column_create(view, views->program, views->params.data, tree, &views->error);
}

static clv_result find_positions(clv_views *views) {
  views->pos = clv_column_find(&views->map->view, "pos");
  views->vel = clv_column_find(&views->map->view, "vel");
  const uint32_t vertex = clv_orbit_dims(&views->map->view, CLV_VERTEX);
  for (uint32_t k = 0; k < 2; k++) {
    const clv_column *column = k ? views->vel : views->pos;
    if (!column && (k || !views->kernels.count)) continue; // velocities need not be there; without forces, nothing
    if (!column || column->index->dims != vertex || column->def.type != CLV_DOUBLE || column->def.components != 3)
      return views_fail(views, CLV_ERROR_INPUT, "forces need a column '%s' of three doubles on vertices: declare it",
                        k ? "vel" : "pos");
  }
  return CLV_OK;
}

// Laws

static bool is_wanted(const clv_views_def *def, const char *name) {
  if (!def->forces) return true;
  for (uint32_t k = 0; k < def->force_count; k++)
    if (!strcmp(def->forces[k], name)) return true;
  return false;
}

static clv_result test_names(clv_views *views, const clv_views_def *def) {
  const clv_program *program = views->program;
  for (uint32_t k = 0; def->forces && k < def->force_count; k++) {
    bool known = false;
    for (uint32_t n = 0; n < program->declarations.count; n++)
      known |= program->declarations.data[n]->kind == RULE_FORCE &&
               !strcmp(program->declarations.data[n]->name, def->forces[k]);
    if (!known) return views_fail(views, CLV_ERROR_INPUT, "the program has no force law '%s'", def->forces[k]);
  }
  return CLV_OK;
}

// Whether a law that was found reads a derived quantity.
static bool is_read(const clv_views *views, const rule_tree *derived) {
  for (uint32_t k = 0; k < views->laws.count; k++) {
    const law *l = views->laws.data[k];
    for (uint32_t r = 0; r < l->reads.count; r++)
      if (l->reads.data[r].column == derived) return true;
  }
  return false;
}

// Whether a law is there in maps of this dimension: all that it reads is derived from something. What is derived on
// tetrahedra alone is nowhere in 2D, and what reads it has no rows.
static bool is_there(const rule_laws *all, const bool *gone, const law *l) {
  for (uint32_t r = 0; r < l->reads.count; r++) {
    const rule_tree *column = l->reads.data[r].column;
    bool derived = column->kind != RULE_DERIVE;
    for (uint32_t k = 0; k < all->laws.count && !derived; k++) derived = all->laws.data[k]->tree == column && !gone[k];
    if (!derived) return false;
  }
  return true;
}

static void find_gone(const rule_laws *all, bool *gone) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < all->laws.count; k++) {
      if (gone[k] || is_there(all, gone, all->laws.data[k])) continue;
      gone[k] = more = true;
    }
  }
}

// The bits of the cells a law acts in.
static uint32_t bits_of(const clv_views_def *def, const char *name) {
  for (uint32_t k = 0; k < def->force_count; k++)
    if (!strcmp(def->forces[k], name)) return def->force_bits[k];
  return 0;
}

static void take_law(clv_views *views, const clv_views_def *def, const rule_laws *all, uint32_t k, bool *taken) {
  if (taken[k]) return;
  taken[k] = true;
  views->laws.data[views->laws.count++] = all->laws.data[k];
  if (!all->kernels.data[k]) return;
  views->kernels.data[views->kernels.count++] = all->kernels.data[k];
  if (def->force_bits) views->bits.data[views->bits.count++] = bits_of(def, all->laws.data[k]->name);
}

// Updates, the forces that were asked for, and what somebody made a column for; where no forces were named, everything.
static bool is_asked_for(const clv_views *views, const clv_views_def *def, const law *l) {
  switch (l->tree->kind) {
  case RULE_FORCE:
    return is_wanted(def, l->name);
  case RULE_DERIVE:
    return !def->forces || clv_column_find(&views->map->view, l->tree->name);
  default:
    return l->tree->kind == RULE_UPDATE || !def->forces;
  }
}

// The laws that are wanted, and what they are derived from, as often as they read more of it.
static void take_laws(clv_views *views, const clv_views_def *def, const rule_laws *all, bool *taken) {
  for (uint32_t k = 0; k < all->laws.count; k++)
    if (is_asked_for(views, def, all->laws.data[k])) take_law(views, def, all, k, taken);
  for (uint32_t before = 0; before != views->laws.count;) {
    before = views->laws.count;
    for (uint32_t k = 0; k < all->laws.count; k++)
      if (all->laws.data[k]->tree->kind == RULE_DERIVE && is_read(views, all->laws.data[k]->tree))
        take_law(views, def, all, k, taken);
  }
}

static clv_result find_laws(clv_views *views, const clv_views_def *def) {
  const rule_laws *all = &views->program->laws[views->map->view.dimension - 2];
  const clv_allocator *a = &views->allocator;
  const uint32_t count = all->laws.count;
  const clv_result result = test_names(views, def);
  if (result != CLV_OK || !count) return result;
  bool *taken = base_allocate(a, count * sizeof *taken);
  const bool room = taken && BASE_RESERVE(a, &views->laws, count) && BASE_RESERVE(a, &views->kernels, count) &&
                    (!def->force_bits || BASE_RESERVE(a, &views->bits, count));
  if (room) {
    memset(taken, 0, count * sizeof *taken);
    find_gone(all, taken);
    take_laws(views, def, all, taken);
  }
  base_free(a, taken, count * sizeof *taken);
  return room ? CLV_OK : no_memory(views);
}

static bool is_assigned(const clv_views *views, const rule_tree *column) {
  for (uint32_t k = 0; k < views->laws.count; k++) {
    const law *l = views->laws.data[k];
    for (uint32_t n = 0; n < l->assigns.count; n++)
      if (l->assigns.data[n].column == column) return true;
  }
  return false;
}

// What laws read without naming it: where vertices are, and where they rest.
static bool is_state(const rule_tree *column) {
  return !strcmp(column->name, "pos") || !strcmp(column->name, "rest") || !strcmp(column->name, "vel");
}

static clv_result require_columns(clv_views *views, const clv_views_def *def) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < views->program->declarations.count; k++) {
    const rule_tree *tree = views->program->declarations.data[k];
    if (tree->kind != RULE_EMBED) continue;
    if (!def->used_columns || is_state(tree) || is_read(views, tree) || is_assigned(views, tree))
      result = require_column(views, tree);
  }
  for (uint32_t k = 0; result == CLV_OK && k < views->laws.count; k++)
    if (views->laws.data[k]->tree->kind == RULE_DERIVE) result = require_column(views, views->laws.data[k]->tree);
  return result;
}

// The column that says which forces act in a cell.
static clv_result find_cells(clv_views *views, const clv_views_def *def) {
  if (!def->force_bits) return CLV_OK;
  const clv_map *view = &views->map->view;
  views->cells = def->cell_bits ? clv_column_find(view, def->cell_bits) : NULL;
  if (views->cells && views->cells->index->dims == clv_orbit_dims(view, CLV_CELL) &&
      views->cells->def.type == CLV_UINT32 && views->cells->def.components == 1)
    return CLV_OK;
  return views_fail(views, CLV_ERROR_ARGUMENT, "forces with bits need a column '%s' of one uint32 on cells",
                    def->cell_bits ? def->cell_bits : "");
}

static clv_result fill_columns(clv_views *views, const clv_views_def *def) {
  return def->fill ? def->fill(def->user, &views->map->view, &views->error) : CLV_OK;
}

// Tables and figures

static clv_result limit_table(clv_views *views, uint32_t k) {
  view_site *site = &views->tables.data[k].site;
  const clv_result result = view_site_limit(site, views->cells, views->bits.data[k], &views->allocator, &views->error);
  if (result != CLV_OK) return result;
  return view_reading_reserve(&views->shop.reading, site, &views->allocator) ? CLV_OK : no_memory(views);
}

static clv_result make_tables(clv_views *views) {
  if (!BASE_RESERVE(&views->allocator, &views->tables, views->kernels.count)) return no_memory(views);
  for (uint32_t k = 0; k < views->kernels.count; k++) {
    const clv_result result =
        view_table_make(&views->tables.data[k], &views->shop, views->kernels.data[k], &views->error);
    if (result != CLV_OK) return result;
    views->tables.count++;
    if (views->bits.count && limit_table(views, k) != CLV_OK) return views->error.code;
  }
  return CLV_OK;
}

static clv_result make_figure(clv_views *views, const rule_tree *tree, view_figures *figures) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < views->laws.count; k++) count += views->laws.data[k]->tree == tree;
  if (!count) return CLV_OK;
  if (!BASE_RESERVE(&views->allocator, figures, (uint64_t)figures->count + 1)) return no_memory(views);
  view_formula *formulas = base_allocate(&views->allocator, count * sizeof *formulas);
  if (!formulas) return no_memory(views);
  memset(formulas, 0, count * sizeof *formulas);
  figures->data[figures->count++] = (view_figure){.tree = tree, .formulas = formulas, .count = count};
  view_figure *figure = &figures->data[figures->count - 1];
  if (tree->kind == RULE_DERIVE) figure->column = clv_column_find(&views->map->view, tree->name);
  clv_result result = CLV_OK;
  for (uint32_t k = 0, n = 0; result == CLV_OK && k < views->laws.count; k++) {
    if (views->laws.data[k]->tree != tree) continue;
    result = view_formula_make(&formulas[n], views->map, views->laws.data[k], &views->allocator, &views->error);
    for (uint32_t r = 0; result == CLV_OK && r < views->threads; r++)
      if (!view_room_reserve(&views->rooms[r], &formulas[n], &views->allocator)) result = no_memory(views);
    n++;
  }
  return result;
}

static bool reads(const clv_views *views, const rule_tree *reader, const rule_tree *column) {
  for (uint32_t k = 0; k < views->laws.count; k++) {
    const law *l = views->laws.data[k];
    for (uint32_t r = 0; l->tree == reader && r < l->reads.count; r++)
      if (l->reads.data[r].column == column) return true;
  }
  return false;
}

static bool has_figure(const view_figures *figures, const rule_tree *tree) {
  for (uint32_t k = 0; k < figures->count; k++)
    if (figures->data[k].tree == tree) return true;
  return false;
}

// True when everything derived that `tree` reads is there already.
static bool is_next(const clv_views *views, const rule_tree *tree) {
  for (uint32_t k = 0; k < views->laws.count; k++) {
    const rule_tree *other = views->laws.data[k]->tree;
    if (other->kind == RULE_DERIVE && reads(views, tree, other) && !has_figure(&views->derived, other)) return false;
  }
  return true;
}

static clv_result make_figures(clv_views *views) {
  clv_result result = CLV_OK;
  for (bool more = true; more && result == CLV_OK;) {
    const rule_tree *left = NULL;
    more = false;
    for (uint32_t k = 0; result == CLV_OK && k < views->laws.count; k++) {
      const rule_tree *tree = views->laws.data[k]->tree;
      if (tree->kind != RULE_DERIVE || has_figure(&views->derived, tree)) continue;
      left = tree;
      if (!is_next(views, tree)) continue;
      result = make_figure(views, tree, &views->derived);
      more = true;
    }
    if (left && !more)
      return views_fail(views, CLV_ERROR_INPUT, "'%s' is derived from itself: break the circle", left->name);
  }
  for (uint32_t k = 0; result == CLV_OK && k < views->laws.count; k++) {
    const rule_tree *tree = views->laws.data[k]->tree;
    if (tree->kind == RULE_UPDATE && !has_figure(&views->updates, tree))
      result = make_figure(views, tree, &views->updates);
  }
  return result;
}

// Creating

clv_views *views_new(clv_map *view, const clv_views_def *def, clv_error *error) {
  const uint32_t threads = def->threads ? def->threads : 1;
  if (threads > VIEW_THREADS) {
    clv_error_set(error, CLV_ERROR_ARGUMENT, "%u threads were asked for, and %u are the most", threads, VIEW_THREADS);
    return NULL;
  }
  clv_views *views = base_allocate(&def->allocator, sizeof *views);
  if (!views) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while views are made");
    return NULL;
  }
  memset(views, 0, sizeof *views);
  views->allocator = views->shop.allocator = def->allocator;
  views->map = views->shop.map = map_of(view);
  views->threads = threads;
  views->copier = view_copier_best();
  views->rooms = base_allocate(&def->allocator, threads * sizeof *views->rooms);
  views->benches = base_allocate(&def->allocator, threads * sizeof *views->benches);
  if (views->rooms) memset(views->rooms, 0, threads * sizeof *views->rooms);
  if (views->benches) memset(views->benches, 0, threads * sizeof *views->benches);
  if (views->rooms && views->benches) views->pool = base_pool_create(&def->allocator, threads);
  if (views->pool) return views;
  clv_error_set(error, CLV_ERROR_MEMORY, "out of memory, or of threads: %u were asked for", threads);
  clv_views_destroy(views);
  return NULL;
}

clv_result views_assemble(clv_views *views) {
  views->shop.params = views->params.data;
  clv_result result = find_positions(views);
  if (result == CLV_OK) result = make_tables(views);
  if (result == CLV_OK) result = make_figures(views);
  if (result == CLV_OK) result = clv_views_rebuild(views);
  if (result != CLV_OK) return result;
  result = clv_map_subscribe(&views->map->view, views_hear, views);
  if (result != CLV_OK) return views_fail(views, result, "%s", clv_map_error(&views->map->view));
  views->subscribed = true;
  return CLV_OK;
}

static clv_result read_params(clv_views *views) {
  const uint32_t count = law_param_count(views->program);
  if (!BASE_RESERVE(&views->allocator, &views->params, count ? count : 1)) return no_memory(views);
  views->params.count = count;
  return law_param_defaults(views->program, views->params.data) ? CLV_OK : no_memory(views);
}

static clv_result make_all(clv_views *views, const clv_views_def *def) {
  if (!views->program->checked || views->program->findings.count)
    return views_fail(views, CLV_ERROR_ARGUMENT, "the program is not checked, or not sound: see clv_program_check");
  if (views->map->open) return views_fail(views, CLV_ERROR_ARGUMENT, "views cannot be made inside a transaction");
  clv_result result = read_params(views);
  if (result == CLV_OK) result = find_laws(views, def);
  if (result == CLV_OK) result = require_columns(views, def);
  if (result == CLV_OK) result = find_cells(views, def);
  if (result == CLV_OK) result = fill_columns(views, def);
  return result == CLV_OK ? views_assemble(views) : result;
}

clv_views *clv_views_create(const clv_program *program, clv_map *view, const clv_views_def *def, clv_error *error) {
  const clv_views_def usual = clv_default_views_def();
  if (!def) def = &usual;
  if (!program || !view) {
    clv_error_set(error, CLV_ERROR_ARGUMENT, "views need a program and a map");
    return NULL;
  }
  clv_views *views = views_new(view, def, error);
  if (!views) return NULL;
  views->program = program;
  const clv_result result = make_all(views, def);
  if (result == CLV_OK) return views;
  clv_error_set(error, result, "%s", views->error.message);
  clv_views_destroy(views);
  return NULL;
}

static void free_figures(clv_views *views, view_figures *figures) {
  for (uint32_t k = 0; k < figures->count; k++) {
    view_figure *figure = &figures->data[k];
    for (uint32_t f = 0; f < figure->count; f++)
      if (figure->formulas[f].site.law) view_formula_free(&figure->formulas[f], &views->allocator);
    base_free(&views->allocator, figure->formulas, figure->count * sizeof *figure->formulas);
  }
  BASE_RELEASE(&views->allocator, figures);
}

static void free_shop(view_workshop *shop) {
  const clv_allocator *a = &shop->allocator;
  view_reading_free(&shop->reading, a);
  BASE_RELEASE(a, &shop->values);
  BASE_RELEASE(a, &shop->values_q);
  BASE_RELEASE(a, &shop->constants);
  BASE_RELEASE(a, &shop->counts);
  BASE_RELEASE(a, &shop->blocks);
  BASE_RELEASE(a, &shop->bases);
  BASE_RELEASE(a, &shop->keys);
}

static void free_bench(view_bench *bench, const clv_allocator *a) {
  for (uint32_t c = 0; c < VIEW_COPIES; c++) view_memory_free(&bench->copies[c], a);
  view_memory_free(&bench->matrices, a);
}

void clv_views_destroy(clv_views *views) {
  if (!views) return;
  const clv_allocator a = views->allocator;
  if (views->subscribed) clv_map_unsubscribe(&views->map->view, views_hear, views);
  for (uint32_t k = 0; k < views->tables.count; k++) view_table_free(&views->tables.data[k], &a);
  BASE_RELEASE(&a, &views->tables);
  free_figures(views, &views->derived);
  free_figures(views, &views->updates);
  for (uint32_t k = 0; views->own_laws && k < views->kernels.count; k++) kernel_destroy(views->kernels.data[k], &a);
  for (uint32_t k = 0; views->own_laws && k < views->laws.count; k++) law_destroy(views->laws.data[k], &a);
  BASE_RELEASE(&a, &views->kernels);
  BASE_RELEASE(&a, &views->bits);
  BASE_RELEASE(&a, &views->laws);
  for (uint32_t k = 0; views->rooms && k < views->threads; k++) view_room_free(&views->rooms[k], &a);
  for (uint32_t k = 0; views->benches && k < views->threads; k++) free_bench(&views->benches[k], &a);
  for (uint32_t k = 0; k < 2; k++) view_memory_free(&views->state[k], &a);
  base_free(&a, views->rooms, views->threads * sizeof *views->rooms);
  base_free(&a, views->benches, views->threads * sizeof *views->benches);
  base_pool_destroy(views->pool);
  free_shop(&views->shop);
  view_change_free(&views->change, &a);
  view_lost_free(&views->lost, &a);
  view_trial_free(&views->trial, &a);
  BASE_RELEASE(&a, &views->params);
  BASE_RELEASE(&a, &views->parts);
  BASE_RELEASE(&a, &views->groups);
  base_free(&a, views, sizeof *views);
}
