// Sums over the places of orbits, where cells were refined: what parents gave is taken away, what children give is
// added.
//
// Places of other cells give what they gave. So a sum needs no walk, and nothing but the refined cells is looked at.
// The sum at an edge that was halved goes on at both halves, as the values in the cells about it do.
//
// Terms at an edge may be a value times or by something that all of them have in common, such as the edge's length.
// What they come to without that is what is added up here; of an edge that was halved, that is had from the sum at the
// whole. As long as a good part of it is left, rounding takes no more than a bit or two; where less is, the edge is
// left to others.

#include "map/plan.h"
#include "view/views.h"

static const double least_left = 0.25, none = 0;

// Vertices

static void add_corners(const view_figure *figure, const view_pick *term, uint32_t block, double sign) {
  const map *m = figure->column->map;
  const clv_page page = map_page(m, block << 6);
  const uint32_t row = map_row(page, block << 6), count = clv_templates[page.kind].corner_count;
  const uint32_t *ids = m->view.corners[page.kind] + (size_t)row * count;
  const double *terms =
      (const double *)(const void *)term->column->rows[page.kind].data + (size_t)row * count * term->stride;
  double *sums = (double *)(void *)figure->column->slots.data;
  for (uint32_t c = 0; c < count; c++) sums[ids[c]] += sign * terms[c * term->stride + term->component];
}

static void gain_at_vertices(clv_views *views, const view_figure *figure, const view_pick *term) {
  const map *m = views->map;
  const clv_commit *commit = views->change.commit;
  const map_words *parents = &m->scratch->begetters, *children = &m->scratch->fresh;
  double *sums = (double *)(void *)figure->column->slots.data;
  for (uint32_t k = 0; k < commit->event_count; k++)
    if (commit->events[k].dims == figure->column->index->dims && commit->events[k].kind == CLV_CREATED)
      sums[commit->events[k].id.index] = 0;
  for (uint32_t k = 0; k < parents->count; k++)
    if (!k || parents->data[k - 1] != parents->data[k]) add_corners(figure, term, parents->data[k], -1);
  for (uint32_t k = 0; k < children->count; k++) add_corners(figure, term, children->data[k], 1);
}

// Edges

typedef struct gaining {
  clv_views *views;
  const map *m;
  const view_formula *formula;
  const view_pick *term;
  double *sums;     // by id: what is scaled already
  view_gain *gains; // by id
} gaining;

// An edge of a new cell, or of a parent, whose row is as it was.
static inline void put_edge(const map *m, uint32_t id, clv_dart dart, view_edges *edges, uint32_t lane) {
  view_edge edge = {0};
  view_edge_at(m, dart, &edge);
  edges->ids[lane] = id;
  edges->ends[0][lane] = edge.ends[0];
  edges->ends[1][lane] = edge.ends[1];
}

// What terms at the edges of a parent had in common, by edge.
static void find_parents_scales(const gaining *g, const map_division *d, double *scales) {
  const clv_suborbits *edges = &clv_templates[d->table->kind].sub[5];
  const clv_page page = map_page(g->m, d->parent);
  const uint32_t *ids = g->formula->site.index->ids[page.kind].data + (size_t)map_row(page, d->parent) * edges->count;
  for (uint32_t first = 0; first < edges->count; first += VIEW_LANES) {
    const uint32_t lanes = edges->count - first < VIEW_LANES ? edges->count - first : VIEW_LANES;
    view_edges at;
    for (uint32_t lane = 0; lane < lanes; lane++)
      put_edge(g->m, ids[first + lane], d->parent | edges->first[first + lane], &at, lane);
    memcpy(scales + first, view_formula_scales(g->formula, &g->views->rooms[0], &at, lanes), lanes * sizeof *scales);
  }
}

// A parent's own values, one behind another in its row, and by id where it had records.
typedef struct heirloom {
  const double *row, *slots;
  size_t stride;
} heirloom;

// What a dart of the parent bears, as the index of edges in cells has it; 0: nothing.
static inline double value_of(const heirloom *h, uint32_t borne) {
  const double *values = borne & MAP_TEMPLATE_SLOT ? h->row : h->slots;
  const double *value = values + (borne & ~MAP_TEMPLATE_SLOT) * h->stride;
  return *(borne ? value : &none);
}

// What a parent gave to edges of its children: to a half what it gave to the whole, or to that half where it had it.
static void find_given(const gaining *g, const map_division *d, const double *rows, double *given) {
  const map *m = g->m;
  const view_pick *term = g->term;
  const clv_suborbits *edges = &clv_templates[d->table->kind].sub[5];
  const uint32_t row = map_row(map_page(m, d->parent), d->parent);
  const uint32_t *borne = term->column->index->record_ids.data;
  const clv_dart *known = m->scratch->lineage.lies.data + d->known;
  const heirloom h = {rows + (size_t)row * edges->count * term->stride,
                      (const double *)(const void *)term->column->slots.data + term->component, term->stride};
  for (uint32_t e = 0; e < d->table->edge_count; e++) {
    const uint32_t at = d->table->edge_at[e], local = at >> 2;
    const bool own = (at & 3u) == 1;
    if (at == MAP_NOWHERE)
      given[e] = 0;
    else if (!d->known)
      given[e] = own ? h.row[edges->of[local] * h.stride] : 0;
    else if (own)
      given[e] = value_of(&h, borne[d->record + local]);
    else
      given[e] = known[at] ? value_of(&h, borne[map_record(m, known[at])]) : 0;
  }
}

// What came to the edges of a division's cells, by number.
static void find_gains(const gaining *g, const map_division *d, double *gains) {
  const map_refinement *table = d->table;
  const size_t stride = g->term->stride;
  const uint32_t places = clv_templates[table->kind].sub[5].count;
  const double *rows = (const double *)(const void *)g->term->column->rows[table->kind].data + g->term->component;
  find_given(g, d, rows, gains);
  for (uint32_t e = 0; e < table->edge_count; e++) gains[e] = -gains[e];
  for (uint32_t c = 0; c < table->child_count; c++) {
    const uint8_t *edge = table->children[c].edge;
    const double *terms = rows + map_row(map_page(g->m, d->children[c]), d->children[c]) * places * stride;
    for (uint32_t s = 0; s < places; s++) gains[edge[s]] += terms[s * stride];
  }
}

// The sum at a whole is passed on to what its halves gain. A half that two parents have is met twice, and the second
// time there is nothing left to pass on. Which edges are new no processor can guess: there are no branches for that.
static void gain_of_division(const gaining *g, const map_division *d) {
  const map_lineage *l = &g->m->scratch->lineage;
  const map_refinement *table = d->table;
  const uint32_t *lies = l->lies.data + d->lies + table->vertex_count;
  const uint8_t *whole = clv_templates[table->kind].sub[5].of;
  const map_newcomer *newcomers = l->newcomers[MAP_EDGES].data; // what is inside the parent is new, at least
  const bool divides = view_formula_divides(g->formula);
  double gains[MAP_REFINED_EDGES], scales[12];
  find_gains(g, d, gains);
  find_parents_scales(g, d, scales);
  for (uint32_t e = 0; e < table->edge_count; e++) {
    const bool new = map_is_newcomer(lies[e]);
    const map_newcomer *n = &newcomers[new ? lies[e] & ~MAP_NEWCOMER : 0];
    const uint32_t id = new ? n->id : lies[e];
    const bool half = (table->edge_at[e] & 3u) == 1;
    const double scale = half ? scales[whole[table->edge_at[e] >> 2]] : 1, sum = g->sums[id];
    const double had = *(new &&half ? &sum : &none), unscaled = divides ? had * scale : had / scale;
    view_gain *gain = &g->gains[id];
    gain->more += gains[e] + unscaled;
    gain->had += unscaled;
    g->sums[id] = *(new ? &none : &sum);
  }
}

// What edges gained is added, eight at a time; those for which it will not do are left.
static void add_gains(const gaining *g, const view_touched_key *keys, uint32_t lanes) {
  view_key_list *left = &g->views->change.left;
  const bool divides = view_formula_divides(g->formula);
  view_edges at;
  for (uint32_t lane = 0; lane < lanes; lane++) put_edge(g->m, keys[lane].key, keys[lane].dart, &at, lane);
  const double *scales = view_formula_scales(g->formula, &g->views->rooms[0], &at, lanes);
  for (uint32_t lane = 0; lane < lanes; lane++) {
    view_gain *gain = &g->gains[keys[lane].key];
    double *sum = &g->sums[keys[lane].key];
    const double more = divides ? gain->more / scales[lane] : gain->more * scales[lane];
    const double had = *sum + (divides ? gain->had / scales[lane] : gain->had * scales[lane]);
    *sum += more;
    left->data[left->count] = keys[lane];
    left->count += !(*sum >= least_left * had);
    *gain = (view_gain){0};
  }
}

static void gain_at_edges(const gaining *g) {
  const map_lineage *l = &g->m->scratch->lineage;
  const view_keys *keys = g->views->change.keys;
  const view_feed *feed = &g->formula->sums[0];
  view_code_start(&feed->code, g->views->params.data, g->views->rooms[0].sum_values.data);
  for (uint32_t k = 0; k < l->divisions.count; k++) gain_of_division(g, &l->divisions.data[k]);
  for (uint32_t k = 0; k < keys->common; k += VIEW_LANES)
    add_gains(g, keys->list.data + k, keys->common - k < VIEW_LANES ? keys->common - k : VIEW_LANES);
}

// Where a sum can follow so

static bool reads(const view_feed *feed, const clv_column *column) {
  for (uint32_t k = 0; k < feed->picks.count; k++)
    if (feed->picks.data[k].column == column) return true;
  return false;
}

// Nobody set a sum, a term of a cell that was there, or what terms have in common.
static bool values_stay(const clv_views *views, const view_figure *figure, const view_pick *term) {
  const view_change *change = &views->change;
  for (uint32_t k = 0; k < change->values.count; k++) {
    const view_touched_value value = change->values.data[k];
    if (value.column == figure->column || reads(&figure->formulas[0].sums[0], value.column)) return false;
    if (value.column == term->column && !map_is_fresh(views->map, value.dart >> 6)) return false;
  }
  return true;
}

static bool starts_from_zero(const view_pick *term) {
  return ((const double *)term->column->def.initial)[term->component] == 0;
}

// Edges that came into faces of neighbours bear there what terms start from, which must be nothing.
static bool can_gain_at_edges(const clv_views *views, const view_formula *formula, const view_pick *term) {
  return views->map->scratch->told && formula->site.dims == clv_orbit_dims(&views->map->view, CLV_EDGE) &&
         view_formula_spans(formula) && starts_from_zero(term);
}

static bool reserve(clv_views *views, uint32_t ids) {
  view_change *change = &views->change;
  const clv_allocator *a = &views->allocator;
  change->no_memory |= !BASE_RESERVE_CLEARED(a, &change->gains, ids) ||
                       !BASE_RESERVE(a, &change->left, (uint64_t)change->keys->list.count + 1);
  return !change->no_memory;
}

bool view_gain_sums(clv_views *views, const view_figure *figure) {
  const view_change *change = &views->change;
  view_formula *formula = &figure->formulas[0];
  if (!change->refining || change->strange || figure->count != 1 || figure->column->def.type != CLV_DOUBLE)
    return false;
  const view_pick *plain = view_formula_term(formula), *term = plain ? plain : view_formula_scaled_term(formula);
  if (!term || !formula->site.steady || !values_stay(views, figure, term)) return false;
  const bool vertices = plain && formula->site.dims == clv_orbit_dims(&views->map->view, CLV_VERTEX);
  if (!vertices && !can_gain_at_edges(views, formula, term)) return false;
  view_reach_begin(views, &formula->site);
  views->change.left.count = 0;
  if (vertices) {
    gain_at_vertices(views, figure, term);
  } else if (reserve(views, formula->site.index->count)) {
    const gaining g = {.views = views,
                       .m = views->map,
                       .formula = formula,
                       .term = term,
                       .sums = (double *)(void *)figure->column->slots.data,
                       .gains = change->gains.data};
    view_formula_aim(formula);
    gain_at_edges(&g);
  }
  view_touch_value(views, figure->column, CLV_NO_DART); // at the children's places
  return true;
}
