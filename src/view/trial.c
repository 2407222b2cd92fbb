#include "view/views.h"

void view_trial_free(view_trial *trial, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &trial->kept);
  BASE_RELEASE(allocator, &trial->bytes);
}

// Keeping

static bool keep_value(clv_views *views, const clv_column *column, clv_dart dart) {
  view_trial *trial = &views->trial;
  const clv_allocator *a = &views->allocator;
  if (!BASE_RESERVE(a, &trial->kept, (uint64_t)trial->kept.count + 1) ||
      !BASE_RESERVE(a, &trial->bytes, (uint64_t)trial->bytes.count + column->size))
    return false;
  void *at = clv_column_at(column, dart);
  memcpy(trial->bytes.data + trial->bytes.count, at, column->size);
  trial->kept.data[trial->kept.count++] = (view_kept){at, (uint32_t)column->size};
  trial->bytes.count += (uint32_t)column->size;
  return true;
}

static bool keep_key(clv_views *views, const clv_column *column, const view_site *site, clv_dart dart) {
  if (column->index->crossing) return keep_value(views, column, dart);
  const clv_orbit orbit = site->crossing ? site->dims : clv_orbit_dims(&site->map->view, CLV_CELL);
  clv_walk walk;
  if (clv_walk_incident(&walk, &site->map->view, orbit, column->index->dims, dart) != CLV_OK) return false;
  bool done = true;
  for (uint32_t k = 0; done && k < walk.count; k++) done = keep_value(views, column, walk.darts[k]);
  clv_walk_end(&walk);
  return done;
}

// What deriving a figure again will write.
static bool keep_figure(clv_views *views, const view_figure *figure) {
  const view_site *site = &figure->formulas[0].site;
  const view_change *change = &views->change;
  view_reach_begin(views, site);
  for (uint32_t f = 0; f < figure->count; f++) view_reach(views, &figure->formulas[f].site);
  bool done = !change->no_memory;
  for (uint32_t k = 0; done && k < change->keys->list.count; k++)
    done = keep_key(views, figure->column, site, change->keys->list.data[k].dart);
  return done;
}

uint32_t views_tried(const clv_views *views) {
  return views->trial.kept.count;
}

void views_take_back(clv_views *views, uint32_t tried) {
  view_trial *trial = &views->trial;
  while (trial->kept.count > tried) {
    const view_kept kept = trial->kept.data[--trial->kept.count];
    trial->bytes.count -= kept.size;
    memcpy(kept.at, trial->bytes.data + trial->bytes.count, kept.size);
  }
}

// Energy

// Rows that are asked together, and the particles that they name, one after the other.
typedef struct asking {
  clv_views *views;
  view_table *table;
  uint32_t lanes;
  clv_dart bases[VIEW_LANES];
  double energy;
} asking;

static void ask_rows(asking *a) {
  const view_table *table = a->table;
  double *constants = a->views->shop.constants.data, energies[KERNEL_LANES] = {0};
  const double *pos = (const double *)(const void *)a->views->pos->slots.data;
  uint32_t slots[LAW_PARTICLES * VIEW_LANES], places[LAW_PARTICLES * VIEW_LANES];
  double copies[LAW_PARTICLES * VIEW_LANES][KERNEL_STRIDE] = {{0}};
  static const double at_rest[LAW_PARTICLES * VIEW_LANES][KERNEL_STRIDE];
  if (!a->lanes) return;
  view_rows_compute(a->table, &a->views->shop, a->bases, a->lanes, slots, constants);
  view_constants_fill(table, constants, a->lanes);
  for (uint32_t p = 0; p < table->particles; p++)
    for (uint32_t l = 0; l < VIEW_LANES; l++) {
      const uint32_t at = p * VIEW_LANES + l, slot = slots[p * VIEW_LANES + (l < a->lanes ? l : a->lanes - 1)];
      places[at] = at * KERNEL_STRIDE;
      memcpy(copies[at], pos + 3 * (size_t)slot, 3 * sizeof *pos);
    }
  const kernel_args args = {.rows = a->lanes,
                            .places = places,
                            .constants = constants,
                            .params = a->views->params.data,
                            .pos = copies[0],
                            .vel = at_rest[0],
                            .energy = energies};
  kernel_run(table->kernel, KERNEL_ENERGY, &args);
  for (uint32_t l = 0; l < a->lanes; l++) a->energy += energies[l];
  a->lanes = 0;
}

static void ask_key(asking *a, uint32_t key) {
  for (uint32_t reference = view_row_of_key(a->table, key); reference;) {
    const view_slab *slab = view_row_slab(a->table, reference);
    a->bases[a->lanes++] = slab->bases.data[view_row_number(reference)];
    if (a->lanes == VIEW_LANES) ask_rows(a);
    reference = slab->nexts.data[view_row_number(reference)];
  }
}

// Between parts of the body, with no energy that would tell what they do.
static bool is_without_energy(const law *l) {
  return l->force && !l->energy && !l->external;
}

// The rows of a table that name the vertex, or read what was written. False when memory is out.
static bool ask_table(clv_views *views, view_table *table, clv_dart vertex, double *energy, bool *known) {
  const view_change *change = &views->change;
  const law *l = table->site.law;
  const clv_event event = {
      .kind = CLV_CHANGED, .dims = (uint8_t)clv_orbit_dims(&views->map->view, CLV_VERTEX), .dart = vertex};
  if (!table->rows || (!l->energy && !is_without_energy(l))) return true;
  view_reach_begin(views, &table->site);
  view_reach(views, &table->site);
  if (change->no_memory || !view_reach_numbers(views, &table->site, &event) || change->no_memory) return false;
  asking a = {.views = views, .table = table};
  view_rows_start(table, &views->shop);
  for (uint32_t k = 0; k < change->keys->list.count; k++) {
    const uint32_t key = change->keys->list.data[k].key;
    if (l->energy) ask_key(&a, key);
    *known &= l->energy || !view_row_of_key(table, key);
  }
  ask_rows(&a);
  *energy += a.energy;
  return true;
}

// A change of values alone.
static bool begin_change(clv_views *views, const view_touched_value *values, uint32_t count) {
  static const clv_commit nothing;
  view_change *change = &views->change;
  view_change_clear(change);
  change->commit = &nothing;
  change->links_listed = true;
  for (uint32_t k = 0; k < count; k++) view_touch_value(views, values[k].column, values[k].dart);
  return !change->no_memory;
}

clv_result views_try(clv_views *views, clv_dart vertex, const view_touched_value *values, uint32_t count,
                     double *energy, bool *known) {
  const clv_result result = views_ready(views);
  if (result != CLV_OK) return result;
  const uint32_t tried = views_tried(views);
  bool done = begin_change(views, values, count);
  *energy = 0;
  *known = true;
  for (uint32_t k = 0; done && k < views->derived.count; k++)
    done = keep_figure(views, &views->derived.data[k]) && views_derive_again(views, &views->derived.data[k]);
  for (uint32_t k = 0; done && k < views->tables.count; k++)
    done = ask_table(views, &views->tables.data[k], vertex, energy, known);
  if (done) return CLV_OK;
  views_take_back(views, tried);
  return views_fail(views, CLV_ERROR_MEMORY, "out of memory: nothing was computed");
}
