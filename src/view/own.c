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
  bool done = BASE_RESERVE(a, &own->numbers, k->hoist_count) && BASE_RESERVE(a, &roots, k->hoist_count), apart = true;
  for (uint32_t c = 0; done && c < k->hoist_count; c++) {
    view_feed one;
    done = view_feed_make(&one, site, &k->graph, &k->hoist[c], 1, a);
    if (!done) break;
    const reads found = count_reads(&one, site);
    view_feed_free(&one, a);
    apart = apart && (!found.own || !found.other);
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
  own->alone = false;
}

// A value of each key's orbit.
static void read_own(const view_fetch *fetch, const view_touched_key *keys, uint32_t lanes, double *values) {
  const clv_column *column = fetch->column;
  const double *numbers = (const double *)(const void *)column->slots.data + fetch->component;
  const size_t stride = column->def.components;
  if (column->def.type == CLV_DOUBLE)
    for (uint32_t l = 0; l < lanes; l++) values[l] = numbers[keys[l].key * stride];
  else
    for (uint32_t l = 0; l < lanes; l++)
      values[l] = embed_get(column, column->slots.data + (size_t)keys[l].key * column->size, fetch->component);
}

uint32_t view_own_ask(const view_site *site, view_workshop *shop, const view_touched_key *keys, uint32_t lanes) {
  const view_code *code = &site->conditions;
  double *values = shop->reading.condition_values.data;
  uint32_t holds = (1u << lanes) - 1u;
  if (!code->roots.count) return holds;
  for (uint32_t k = 0; k < code->inputs.count; k++)
    read_own(&site->fetches.data[code->inputs.data[k].index], keys, lanes,
             values + code->inputs.data[k].to * VIEW_LANES);
  view_code_run(code, lanes, values);
  for (uint32_t k = 0; k < code->roots.count; k++) {
    const double *result = values + code->roots.data[k] * VIEW_LANES;
    for (uint32_t l = 0; l < lanes; l++) holds &= ~((uint32_t)(result[l] == 0) << l);
  }
  return holds;
}

static void compute(const view_feed *feed, view_workshop *shop, const view_touched_key *keys, uint32_t lanes) {
  double *values = shop->values.data;
  for (const view_pick *at = feed->picks.data, *end = at + feed->picks.count; at < end; at++)
    for (uint32_t l = 0; l < lanes; l++)
      values[at->to * VIEW_LANES + l] = at->data[(size_t)keys[l].key * at->stride + at->component];
  view_code_run(&feed->code, lanes, values);
}

static bool reread_lanes(view_table *table, view_workshop *shop, const view_touched_key *keys, uint32_t lanes) {
  const view_own *own = &table->own;
  const uint32_t holds = view_own_ask(&table->site, shop, keys, lanes);
  compute(&own->feed, shop, keys, lanes);
  for (uint32_t l = 0; l < lanes; l++) {
    const uint32_t reference = view_row_of_key(table, keys[l].key), row = view_row_number(reference);
    if (!(holds >> l & 1u)) {
      if (!view_table_update(table, shop, keys[l].key, CLV_NO_DART, 0)) return false;
      continue;
    }
    const view_slab *slab = view_row_slab(table, reference);
    for (uint32_t c = 0; c < own->numbers.count; c++)
      *view_row_constant(table, slab, row, own->numbers.data[c]) =
          view_code_result(&own->feed.code, shop->values.data, c, l);
  }
  return true;
}

bool view_table_reread(view_table *table, view_workshop *shop, const view_touched_key *keys, uint32_t count) {
  if (!count) return true;
  view_feed_aim(&table->own.feed);
  view_code_start(&table->own.feed.code, shop->params, shop->values.data);
  view_code_start(&table->site.conditions, shop->params, shop->reading.condition_values.data);
  for (uint32_t k = 0; k < count; k += VIEW_LANES)
    if (!reread_lanes(table, shop, keys + k, count - k < VIEW_LANES ? count - k : VIEW_LANES)) return false;
  return true;
}
