// Rows of which nothing changed but values at their own orbits: a spring whose edge lost one of its cells.
//
// Of such a row, constants that read there are computed again, and guards asked. Where it stands, its vertices and its
// other constants are what they were, so nothing is read but the values at the key. A table can do so if whatever reads
// at the rows' orbits reads nowhere else.
//
// A row whose base is gone stands elsewhere, and perhaps the other way round: that one is made anew
// (view_table_refresh).

#include "view/table.h"

static bool is_own(const view_site *site, uint32_t spot) {
  return site->spots.data[spot].step == 0 && site->spots.data[spot].index == site->index;
}

static bool guards_are_own(const view_site *site) {
  if (!view_site_asks_values_alone(site)) return false;
  for (uint32_t k = 0; k < site->conditions.inputs.count; k++) {
    const view_input *input = &site->conditions.inputs.data[k];
    if (input->op != DAG_READ || !is_own(site, site->fetches.data[input->index].spot)) return false;
  }
  return true;
}

// What a constant reads at its row's orbit, and what elsewhere.
typedef struct reads {
  uint32_t own, other;
} reads;

static reads count_reads(const view_feed *feed, const view_site *site) {
  reads found = {0, feed->sums.count + feed->points.count};
  for (uint32_t k = 0; k < feed->picks.count; k++)
    *(is_own(site, feed->picks.data[k].spot) ? &found.own : &found.other) += 1;
  for (uint32_t k = 0; k < feed->others.count; k++) { // numbers that are no doubles are not computed with here
    if (is_own(site, feed->others.data[k].spot)) found.own++;
    found.other++;
  }
  return found;
}

static void find_ends(view_own *own, const view_site *site) {
  uint32_t found = 0;
  own->two_ended = false;
  if (!site->inside || site->law->oriented || site->steps.count != 2) return;
  for (uint16_t k = 0; k < site->spots.count; k++)
    if (!view_site_spans(site, &k, 1)) return;
  for (uint32_t p = 0; p < site->particles.count; p++) {
    const uint32_t step = site->spots.data[site->particles.data[p]].step;
    own->ends[step] = p;
    found |= 1u << step;
  }
  own->two_ended = found == 3;
}

static uint32_t vertex_named(const view_table *table, uint32_t reference, uint32_t particle) {
  const view_slab *slab = view_row_slab(table, reference);
  const uint32_t place = *view_row_place(table, slab, view_row_number(reference), particle);
  return slab->loose ? place : slab->vertices.data[view_place_number(place)];
}

view_look view_own_look(const view_table *table, uint32_t reference, const uint32_t ends[2]) {
  const uint32_t first = vertex_named(table, reference, table->own.ends[0]);
  const uint32_t second = vertex_named(table, reference, table->own.ends[1]);
  const bool straight = ends[0] == first || ends[1] == second, turned = ends[0] == second || ends[1] == first;
  return straight == turned ? VIEW_UNTOLD : straight ? VIEW_STRAIGHT : VIEW_TURNED;
}

clv_dart view_own_base(const view_table *table, uint32_t key, clv_dart dart) {
  const map *m = table->site.map;
  const uint32_t reference = view_row_of_key(table, key);
  view_edge edge;
  if (!reference || !table->own.two_ended || !view_edge_at(m, dart, &edge)) return CLV_NO_DART;
  const view_look look = view_own_look(table, reference, edge.ends);
  return look == VIEW_UNTOLD ? CLV_NO_DART : edge.darts[look];
}

bool view_own_make(view_own *own, const view_site *site, const kernel *k, const clv_allocator *a) {
  *own = (view_own){0};
  if (!site->crossing || k->hoist_q_count || !guards_are_own(site)) return true;
  BASE_ARRAY(dag_ref) roots = {0};
  bool done = BASE_RESERVE(a, &own->numbers, k->hoist_count) && BASE_RESERVE(a, &own->others, k->hoist_count) &&
              BASE_RESERVE(a, &roots, k->hoist_count);
  bool apart = true;
  for (uint32_t c = 0; done && c < k->hoist_count; c++) {
    view_feed one;
    done = view_feed_make(&one, site, &k->graph, &k->hoist[c], 1, a);
    if (!done) break;
    const reads found = count_reads(&one, site);
    view_feed_free(&one, a);
    apart = apart && (!found.own || !found.other);
    if (!found.own) own->others.data[own->others.count++] = c;
    if (!found.own) continue;
    own->numbers.data[own->numbers.count++] = c;
    roots.data[roots.count++] = k->hoist[c];
  }
  done = done && view_feed_make(&own->feed, site, &k->graph, roots.data, roots.count, a);
  own->alone = done && apart;
  if (own->alone) find_ends(own, site);
  BASE_RELEASE(a, &roots);
  if (!done) view_own_free(own, a);
  return done;
}

void view_own_free(view_own *own, const clv_allocator *a) {
  view_feed_free(&own->feed, a);
  BASE_RELEASE(a, &own->numbers);
  BASE_RELEASE(a, &own->others);
  own->alone = false;
}

// Values at keys are read side by side: VIEW_LANES of them, where those that nobody asked for are like another one.

static void pad_keys(const view_touched_key *keys, uint32_t lanes, uint32_t *padded) {
  for (uint32_t l = 0; l < VIEW_LANES; l++) padded[l] = keys[l < lanes ? l : 0].key;
}

static inline void read_doubles(const double *data, size_t stride, const uint32_t *keys, double *to) {
  for (uint32_t l = 0; stride == 1 && l < VIEW_LANES; l++) to[l] = data[keys[l]]; // as mostly
  for (uint32_t l = 0; stride != 1 && l < VIEW_LANES; l++) to[l] = data[keys[l] * stride];
}

static void read_input(const view_fetch *fetch, const uint32_t *keys, double *to) {
  const clv_column *column = fetch->column;
  if (column->def.type == CLV_DOUBLE) {
    read_doubles((const double *)(const void *)column->slots.data + fetch->component, column->def.components, keys, to);
    return;
  }
  for (uint32_t l = 0; l < VIEW_LANES; l++)
    to[l] = embed_get(column, column->slots.data + (size_t)keys[l] * column->size, fetch->component);
}

static bool has_zero(const double *results) {
  bool zero = false;
  for (uint32_t l = 0; l < VIEW_LANES; l++) zero |= results[l] == 0;
  return zero;
}

// Asks the guards, which were started. At which keys they hold, as bits.
static uint32_t ask_guards(const view_site *site, view_workshop *shop, const uint32_t *keys, uint32_t lanes) {
  const view_code *code = &site->conditions;
  double *values = shop->reading.condition_values.data;
  uint32_t fails = 0;
  for (uint32_t k = 0; k < code->inputs.count; k++)
    read_input(&site->fetches.data[code->inputs.data[k].index], keys, values + code->inputs.data[k].to * VIEW_LANES);
  view_code_run(code, lanes, values);
  for (uint32_t k = 0; k < code->roots.count; k++) {
    const double *results = values + code->roots.data[k] * VIEW_LANES;
    if (!has_zero(results)) continue; // as mostly
    for (uint32_t l = 0; l < lanes; l++) fails |= (uint32_t)(results[l] == 0) << l;
  }
  return ~fails & ((1u << lanes) - 1u);
}

static void start_guards(const view_site *site, view_workshop *shop) {
  if (site->conditions.roots.count)
    view_code_start(&site->conditions, shop->params, shop->reading.condition_values.data);
}

uint32_t view_own_ask(const view_site *site, view_workshop *shop, const view_touched_key *keys, uint32_t lanes) {
  uint32_t padded[VIEW_LANES];
  if (!site->conditions.roots.count) return (1u << lanes) - 1u;
  pad_keys(keys, lanes, padded);
  return ask_guards(site, shop, padded, lanes);
}

static void start_own(view_own *own, view_workshop *shop) {
  view_feed_aim(&own->feed);
  view_code_start(&own->feed.code, shop->params, shop->values.data);
}

// Computes the constants, which were started.
static void compute(const view_feed *feed, view_workshop *shop, const uint32_t *keys, uint32_t lanes) {
  double *values = shop->values.data;
  for (const view_pick *at = feed->picks.data, *end = at + feed->picks.count; at < end; at++)
    read_doubles(at->data + at->component, at->stride, keys, values + at->to * VIEW_LANES);
  view_code_run(&feed->code, lanes, values);
}

static void reread_lanes(view_table *table, view_workshop *shop, const view_touched_key *keys, uint32_t lanes) {
  const view_own *own = &table->own;
  uint32_t padded[VIEW_LANES];
  pad_keys(keys, lanes, padded);
  const uint32_t holds = ask_guards(&table->site, shop, padded, lanes);
  compute(&own->feed, shop, padded, lanes);
  for (uint32_t l = 0; l < lanes; l++) {
    const uint32_t reference = view_row_of_key(table, keys[l].key), row = view_row_number(reference);
    if (!(holds >> l & 1u)) {
      view_table_drop(table, keys[l].key);
      continue;
    }
    const view_slab *slab = view_row_slab(table, reference);
    for (uint32_t c = 0; c < own->numbers.count; c++)
      *view_row_constant(table, slab, row, own->numbers.data[c]) =
          view_code_result(&own->feed.code, shop->values.data, c, l);
  }
}

void view_table_reread(view_table *table, view_workshop *shop, const view_touched_key *keys, uint32_t count) {
  if (!count) return;
  start_guards(&table->site, shop);
  start_own(&table->own, shop);
  for (uint32_t k = 0; k < count; k += VIEW_LANES)
    reread_lanes(table, shop, keys + k, count - k < VIEW_LANES ? count - k : VIEW_LANES);
}

// Lists the keys at which there is no row any more.
static bool list_failing(view_workshop *shop, const uint32_t *keys, uint32_t holds, uint32_t lanes) {
  if (!BASE_RESERVE(&shop->allocator, &shop->keys, (uint64_t)shop->keys.count + VIEW_LANES)) return false;
  for (uint32_t l = 0; l < lanes; l++)
    if (!(holds >> l & 1u)) shop->keys.data[shop->keys.count++] = keys[l];
  return true;
}

// The lanes behind the last row get what the first one gets.
static bool reread_batch(view_table *table, view_workshop *shop, const view_slab *slab, uint32_t first) {
  const view_own *own = &table->own;
  const uint32_t lanes = slab->rows - first < VIEW_LANES ? slab->rows - first : VIEW_LANES;
  const uint32_t *keys = slab->keys.data + first;
  uint32_t padded[VIEW_LANES];
  for (uint32_t l = 0; lanes < VIEW_LANES && l < VIEW_LANES; l++) padded[l] = keys[l < lanes ? l : 0];
  if (lanes < VIEW_LANES) keys = padded;
  const uint32_t holds = ask_guards(&table->site, shop, keys, lanes);
  if (holds + 1 != 1u << lanes && !list_failing(shop, keys, holds, lanes)) return false;
  compute(&own->feed, shop, keys, lanes);
  const double *values = shop->values.data;
  double *constants = view_row_constant(table, slab, first, 0);
  for (uint32_t c = 0; c < own->numbers.count; c++)
    memcpy(constants + (size_t)own->numbers.data[c] * KERNEL_LANES, values + own->feed.code.roots.data[c] * VIEW_LANES,
           sizeof(double) * VIEW_LANES);
  return true;
}

bool view_table_reread_all(view_table *table, view_workshop *shop) {
  shop->keys.count = 0;
  start_guards(&table->site, shop);
  start_own(&table->own, shop);
  for (uint32_t s = 0; s < table->slab_count; s++)
    for (uint32_t row = 0; row < table->slabs[s].rows; row += VIEW_LANES)
      if (!reread_batch(table, shop, &table->slabs[s], row)) return false;
  for (uint32_t k = 0; k < shop->keys.count; k++) view_table_drop(table, shop->keys.data[k]);
  return true;
}
