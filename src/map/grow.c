// Growing: a commit that refines cells and does nothing else, told by the lineage of what came (lineage.h).
//
// No orbit is searched for. Darts and children are gone over in the order in which they came; each says of every sort
// what it lies on. A newcomer that is met for the first time gets its id: of the parts of an edge that was whole the
// first goes on under the old one, whatever else is new takes the next. Darts that were there bear the id of the whole;
// those of another half are one link away from the dart that came between, and get theirs with it.
//
// Both this way and that by a plan (resolve.c, arrive.c), which replays take, leave the same bits and tell the same.

#include "map/plan.h"

#include <stdlib.h>

typedef struct growing {
  map *m;
  map_scratch *s;
  map_lineage *l;
  map_index *index[MAP_SORTS]; // NULL: not numbered
} growing;

enum { TOLD_SORTS = MAP_EDGES + 1 }; // what subscribers hear of: orbits that cross cells

static bool reserve(growing *g) {
  map *m = g->m;
  map_scratch *s = g->s;
  map_lineage *l = g->l;
  const clv_allocator *a = &m->allocator;
  const uint64_t places = (uint64_t)l->came.count + (uint64_t)l->divisions.count * 8 * 12;
  uint64_t events = m->log.count;
  for (uint32_t k = 0; k < MAP_SORTS; k++) {
    const uint32_t count = l->newcomers[k].count;
    if (!g->index[k]) continue;
    if (!map_index_reserve(m, g->index[k], count)) return false;
    events += count;
  }
  for (uint32_t k = 0; k < TOLD_SORTS; k++)
    if (!BASE_RESERVE(a, &s->joined[k], places) || !BASE_RESERVE(a, &s->found[k], l->newcomers[k].count)) return false;
  if (!BASE_RESERVE(a, &l->kept, l->families) || !BASE_RESERVE(a, &s->lost, l->lies.count)) return false;
  if (l->families) memset(l->kept.data, 0, l->families);
  if (!BASE_RESERVE(a, &s->events, events + 2 * places)) return false;
  return (!m->embedding.self || m->embedding.reserve_growth(m->embedding.self, m)) && map_journals_reserve(m);
}

// Ids

// Somebody came to a newcomer for the first time.
static uint32_t give_id(growing *g, map_sort sort, map_newcomer *newcomer, uint32_t number, clv_dart dart) {
  map_index *index = g->index[sort];
  uint8_t *kept = newcomer->old ? &g->l->kept.data[newcomer->family] : NULL; // vertices have no parts
  const uint32_t id = kept && !*kept ? newcomer->old : map_index_take(index);
  if (kept) *kept = 1;
  newcomer->id = id;
  index->dart.data[id] = dart;
  g->s->found[sort].data[g->s->found[sort].count++] = number;
  return id;
}

static inline uint32_t id_of_newcomer(growing *g, map_sort sort, uint32_t on, clv_dart dart) {
  const uint32_t number = on & ~MAP_NEWCOMER;
  map_newcomer *newcomer = &g->l->newcomers[sort].data[number];
  return newcomer->id ? newcomer->id : give_id(g, sort, newcomer, number, dart);
}

static void join(growing *g, map_sort sort, uint32_t id, clv_dart dart) {
  const uint32_t number = g->s->joined[sort].count;
  if (number && g->s->joined[sort].data[number - 1].id == id) return; // they mostly follow one another
  g->s->joined[sort].data[g->s->joined[sort].count++] = (map_joined){id, number, dart};
}

// An inner orbit that was there may be found at a dart that came, not at another one.
static void find_at(const growing *g, map_sort sort, uint32_t id, clv_dart dart) {
  clv_dart *found_at = &g->index[sort]->dart.data[id];
  const clv_page page = map_page(g->m, *found_at);
  const uint32_t record = page.row + (*found_at & 0xFFFFu);
  const bool hung = page.kind == MAP_KIND_DARTS && record < g->l->number.capacity;
  const uint32_t number = hung ? g->l->number.data[record] : UINT32_MAX;
  const map_came *came = number < g->l->came.count ? &g->l->came.data[number] : NULL;
  if (!came || (came->darts[0] != *found_at && came->darts[1] != *found_at)) *found_at = dart;
}

// Darts that came, sort by sort: each is a short loop, that has at hand what it needs.

static inline bool is_gone(const growing *g, uint32_t record, clv_dart dart) {
  return g->l->gone && g->m->records.name.data[record] != dart;
}

static void hang_on_vertices(growing *g, const map_came *c, const map_came *end) {
  uint32_t *const ids = g->index[MAP_VERTICES]->record_ids.data;
  for (; c < end; c++) {
    uint32_t id = c->on[MAP_VERTICES];
    if (is_gone(g, c->records[0], c->darts[0])) continue;
    if (map_is_newcomer(id))
      id = id_of_newcomer(g, MAP_VERTICES, id, c->darts[0]);
    else
      join(g, MAP_VERTICES, id, c->darts[0]);
    ids[c->records[0]] = ids[c->records[1]] = id;
  }
}

// The first dart of each place speaks for the row, too.
static inline void put_in_row(const growing *g, clv_dart dart, uint32_t id) {
  const clv_page page = map_page(g->m, dart);
  if (!map_is_template(page.kind)) return;
  const clv_suborbits *sub = &clv_templates[page.kind].sub[map_sort_dims[MAP_EDGES] & 7u];
  const uint32_t number = sub->of[dart & 63u];
  if (sub->first[number] == (dart & 63u))
    g->index[MAP_EDGES]->ids[page.kind].data[(size_t)map_row(page, dart) * sub->count + number] = id;
}

// The dart at the other end of an edge that was halved, which was there before, and bears the id of the whole. Whether
// it did.
static inline bool follow_half(const map *m, uint32_t *ids, uint32_t record, uint32_t old, uint32_t id) {
  uint32_t *on = &ids[map_own_record(m, m->records.alpha.data[4 * (size_t)record])];
  if (*on != old) return false;
  *on = id;
  return true;
}

static void hang_on_edges(growing *g, const map_came *c, const map_came *end) {
  const map *m = g->m;
  uint32_t *const ids = g->index[MAP_EDGES]->record_ids.data;
  for (; c < end; c++) {
    uint32_t id = c->on[MAP_EDGES];
    if (is_gone(g, c->records[0], c->darts[0])) continue;
    if (map_is_newcomer(id)) {
      const uint32_t old = g->l->newcomers[MAP_EDGES].data[id & ~MAP_NEWCOMER].old;
      id = id_of_newcomer(g, MAP_EDGES, id, c->darts[0]);
      for (uint32_t k = 0; k < 2 && old && old != id; k++)
        if (follow_half(m, ids, c->records[k], old, id))
          put_in_row(g, m->records.alpha.data[4 * (size_t)c->records[k]], id);
    } else {
      join(g, MAP_EDGES, id, c->darts[0]);
    }
    ids[c->records[0]] = ids[c->records[1]] = id;
  }
}

// What orbits leave in cells is come to in the order in which it was made, and nobody hears of it. It is gone again
// with its cell.
static void give_inner_ids(const growing *g, map_sort sort) {
  map_index *const index = g->index[sort];
  map_newcomer *n = g->l->newcomers[sort].data;
  for (const map_newcomer *end = n + g->l->newcomers[sort].count; n < end; n++) {
    if (is_gone(g, map_own_record(g->m, n->first), n->first)) continue;
    n->id = map_index_take(index);
    index->dart.data[n->id] = n->first;
  }
}

// Corners, and edges of cells.
static void hang_on_inner(const growing *g, map_sort sort) {
  const map *m = g->m;
  uint32_t *const ids = g->index[sort]->record_ids.data;
  const map_newcomer *const newcomers = g->l->newcomers[sort].data;
  const map_came *const end = g->l->came.data + g->l->came.count;
  give_inner_ids(g, sort);
  for (const map_came *c = g->l->came.data; c < end; c++) {
    uint32_t id = c->on[sort];
    if (is_gone(g, c->records[0], c->darts[0])) continue;
    if (map_is_newcomer(id)) {
      const map_newcomer *newcomer = &newcomers[id & ~MAP_NEWCOMER];
      id = newcomer->id;
      for (uint32_t k = 0; k < 2 && newcomer->old; k++) follow_half(m, ids, c->records[k], newcomer->old, id);
    } else if (!(id & MAP_TEMPLATE_SLOT)) {
      find_at(g, sort, id, c->darts[0]);
    }
    ids[c->records[0]] = ids[c->records[1]] = id;
  }
}

static void hang_in_cells(const growing *g) {
  uint32_t *const ids = g->m->indices[7]->record_ids.data;
  const map_came *const end = g->l->came.data + g->l->came.count;
  for (const map_came *c = g->l->came.data; c < end; c++)
    if (!is_gone(g, c->records[0], c->darts[0])) ids[c->records[0]] = ids[c->records[1]] = c->cell;
}

// Children. Their vertices and edges are gone over in the order in which they have them; then each place has its own.

typedef struct places {
  uint32_t ids[MAP_REFINED_EDGES];
  uint64_t old;  // those that were there, as bits
  uint64_t lost; // of these: found at a dart that is gone
} places;

static void find_places(growing *g, map_sort sort, const map_division *d, const uint32_t *lies, places *p) {
  const bool edges = sort == MAP_EDGES;
  const map_first_seat *seat = edges ? d->table->edge_seats : d->table->vertex_seats;
  const map_first_seat *const end = seat + (edges ? d->table->edge_count : d->table->vertex_count);
  p->old = p->lost = 0;
  for (; seat < end; seat++) {
    const uint32_t on = lies[seat->number];
    const uint64_t bit = UINT64_C(1) << seat->number;
    if (map_is_newcomer(on)) {
      p->ids[seat->number] = id_of_newcomer(g, sort, on, d->children[seat->child] | seat->dart);
      continue;
    }
    p->ids[seat->number] = on;
    p->old |= bit;
    if (!clv_dart_alive(&g->m->view, g->index[sort]->dart.data[on])) p->lost |= bit;
  }
}

// A place that bears an id already may be where its orbit is found from now on; one that bears none joins it.
static void settle_old(growing *g, map_sort sort, clv_dart place, uint32_t number, bool had, places *p) {
  const uint64_t bit = UINT64_C(1) << number;
  if (!had) join(g, sort, p->ids[number], place);
  if (!had || !(p->lost & bit)) return;
  g->index[sort]->dart.data[p->ids[number]] = place;
  p->lost &= ~bit;
}

static void settle_child(growing *g, map_sort sort, clv_dart cell, const uint8_t *which, uint32_t had, places *p) {
  const clv_page page = map_page(g->m, cell);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[map_sort_dims[sort] & 7u];
  const uint32_t count = sub->count;
  uint32_t *ids = g->index[sort]->ids[page.kind].data + (size_t)map_row(page, cell) * count;
  uint32_t old = 0;
  for (uint32_t s = 0; s < count; s++) {
    ids[s] = p->ids[which[s]];
    old |= (uint32_t)(p->old >> which[s] & 1u) << s;
  }
  const uint32_t eventful = p->lost ? old : old & ~had;
  for (uint32_t s = 0; eventful >> s; s++)
    if (eventful >> s & 1u) settle_old(g, sort, cell | sub->first[s], which[s], had >> s & 1u, p);
}

static void settle_children(growing *g, map_sort sort, const map_division *d) {
  const map_refinement *table = d->table;
  const uint32_t *lies = g->l->lies.data + d->lies + (sort == MAP_EDGES ? table->vertex_count : 0);
  places p;
  find_places(g, sort, d, lies, &p);
  for (uint32_t c = 0; c < table->child_count; c++) {
    const map_refined_child *child = &table->children[c];
    if (sort == MAP_EDGES)
      settle_child(g, sort, d->children[c], child->edge, d->had_edges[c], &p);
    else
      settle_child(g, sort, d->children[c], child->vertex, d->had_vertices[c], &p);
  }
}

// Divisions one after the other: those of one that came into cells about it, its children.
static void give_ids(growing *g) {
  const map_lineage *l = g->l;
  for (uint32_t sort = 0; sort < TOLD_SORTS; sort++) {
    g->s->found[sort].count = g->s->joined[sort].count = 0;
    const map_came *next = l->came.data;
    for (uint32_t k = 0; k < l->divisions.count && g->index[sort]; k++) {
      const map_division *d = &l->divisions.data[k];
      const map_came *const end = l->came.data + d->came;
      if (sort == MAP_VERTICES)
        hang_on_vertices(g, next, end);
      else
        hang_on_edges(g, next, end);
      settle_children(g, sort, d);
      next = end;
    }
  }
  if (g->index[MAP_CORNERS]) hang_on_inner(g, MAP_CORNERS);
  if (g->index[MAP_CELL_EDGES]) hang_on_inner(g, MAP_CELL_EDGES);
  if (g->m->indices[7]) hang_in_cells(g);
}

enum { FEW = 48 }; // what is sorted by insertion: it mostly comes in order, or in a few runs

static int compare_words(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

static void sort_words(map_words *words) {
  if (words->count > FEW) {
    qsort(words->data, words->count, sizeof *words->data, compare_words);
    return;
  }
  for (uint32_t k = 1; k < words->count; k++) {
    const uint32_t word = words->data[k];
    uint32_t at = k;
    for (; at && words->data[at - 1] > word; at--) words->data[at] = words->data[at - 1];
    words->data[at] = word;
  }
}

// Darts that came and are gone again bear nothing.
static void list_lost(growing *g, const map_index *index, const map_division *d) {
  const map *m = g->m;
  map_words *lost = &g->s->lost;
  const map_write *const dropped = m->log.data + d->dropped, *const end = dropped + d->dropped_count;
  uint32_t last = 0, count = lost->count;
  for (const map_write *w = dropped; w < end; w++) {
    const uint32_t id = index->record_ids.data[map_own_record(m, w->dart)];
    const bool another = id - 1 < MAP_TEMPLATE_SLOT - 1 && id != last; // neither none nor the row's
    lost->data[count] = id;                                            // one that is not worth it is written over
    count += another;
    last = another ? id : last;
  }
  lost->count = count;
}

// Inner orbits of parents that had records are gone with them.
static void lose_inner(growing *g, map_index *index) {
  map_words *lost = &g->s->lost;
  lost->count = 0;
  for (uint32_t k = 0; k < g->l->divisions.count; k++)
    if (g->l->divisions.data[k].known) list_lost(g, index, &g->l->divisions.data[k]);
  sort_words(lost);
  for (uint32_t k = 0; k < lost->count; k++)
    if (!k || lost->data[k - 1] != lost->data[k]) map_index_give(index, lost->data[k]);
}

// Telling

static int compare_joined(const void *a, const void *b) {
  const map_joined *p = a, *q = b;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  return (p->number > q->number) - (p->number < q->number);
}

static void sort_joined(map_joined *joined, uint32_t count) {
  if (count > FEW) {
    qsort(joined, count, sizeof *joined, compare_joined);
    return;
  }
  for (uint32_t k = 1; k < count; k++) {
    const map_joined held = joined[k];
    uint32_t at = k;
    for (; at && joined[at - 1].id > held.id; at--) joined[at] = joined[at - 1]; // those of one id stay in order
    joined[at] = held;
  }
}

static void tell(growing *g, map_sort sort) {
  const map_index *index = g->index[sort];
  const uint16_t *const generation = index->generation.data;
  const map_newcomer *const newcomers = g->l->newcomers[sort].data;
  const uint8_t dims = (uint8_t)index->dims;
  clv_event *event = g->s->events.data + g->s->events.count;
  for (uint32_t k = 0; k < g->s->found[sort].count; k++) {
    const map_newcomer *n = &newcomers[g->s->found[sort].data[k]];
    const bool part = n->old && n->id != n->old;
    *event++ = (clv_event){.dims = dims,
                           .kind = (uint8_t)(part     ? CLV_SPLIT
                                             : n->old ? CLV_CHANGED
                                                      : CLV_CREATED),
                           .dart = index->dart.data[n->id],
                           .id = {n->id, generation[n->id]},
                           .from = {part ? n->old : 0, part ? generation[n->old] : 0}};
  }
  const uint32_t count = g->s->joined[sort].count;
  map_joined *joined = g->s->joined[sort].data;
  sort_joined(joined, count);
  for (uint32_t k = 0; k < count; k++)
    if (!k || joined[k - 1].id != joined[k].id)
      *event++ = (clv_event){
          .dims = dims, .kind = CLV_CHANGED, .dart = joined[k].dart, .id = {joined[k].id, generation[joined[k].id]}};
  g->s->events.count = (uint32_t)(event - g->s->events.data);
}

// Children, and parents that were templates; those with records are told of already (refined.c).
static void tell_cells(const growing *g, const map_division *d) {
  map *m = g->m;
  const uint32_t cells = clv_orbit_dims(&m->view, CLV_CELL), kind = d->table->kind;
  const uint16_t *states = m->rows[kind].state.data;
  const clv_id none = {0, 0};
  for (uint32_t c = 0; c < d->table->child_count; c++) {
    const clv_dart child = d->children[c];
    const uint32_t generation = states[map_row(map_page(m, child), child)] & MAP_GENERATION;
    map_emit(m, cells, CLV_CREATED, child, (clv_id){child >> 6, generation}, none);
  }
  if (d->known) return;
  const uint32_t generation = (states[map_row(map_page(m, d->parent), d->parent)] & MAP_GENERATION) - 1;
  map_emit(m, cells, CLV_DELETED, CLV_NO_DART, (clv_id){d->parent >> 6, generation}, none);
}

static void free_parent(const growing *g, const map_division *d) {
  map *m = g->m;
  if (!d->known) {
    map_rows_give(m, d->table->kind, map_row(map_page(m, d->parent), d->parent));
    return;
  }
  const map_write *const dropped = m->log.data + d->dropped, *const end = dropped + d->dropped_count;
  for (const map_write *w = dropped; w < end; w++)
    if (w->dart >> 6 != d->parent >> 6) map_records_give(m, map_own_record(m, w->dart), 1);
}

static void carry_out(growing *g) {
  map *m = g->m;
  give_ids(g);
  if (m->embedding.self) m->embedding.grow(m->embedding.self, m);
  if (g->index[MAP_CELL_EDGES]) lose_inner(g, g->index[MAP_CELL_EDGES]);
  if (g->index[MAP_CORNERS]) lose_inner(g, g->index[MAP_CORNERS]);
  if (g->index[MAP_EDGES] && m->subscribers.count) tell(g, MAP_EDGES);
  if (m->subscribers.count) tell(g, MAP_VERTICES);
  map_settle_refined(m);
  for (uint32_t k = 0; k < g->l->divisions.count && m->subscribers.count; k++) tell_cells(g, &g->l->divisions.data[k]);
  for (uint32_t k = 0; k < g->l->divisions.count; k++) free_parent(g, &g->l->divisions.data[k]);
}

map_part_end map_commit_growth(map *m) {
  map_scratch *s = m->scratch;
  if (m->twisted || s->general || s->walks || !map_lineage_tells(m)) return MAP_PART_GENERAL;
  if (m->embedding.self && (!m->embedding.copies_all || m->embedding.destroys)) return MAP_PART_GENERAL;
  growing g = {.m = m, .s = s, .l = &s->lineage};
  for (uint32_t k = 0; k < MAP_SORTS; k++) g.index[k] = m->indices[map_sort_dims[k]];
  if (!map_survey_growth(m, &s->plan) || !reserve(&g)) return MAP_PART_NO_MEMORY;
  s->told = true;
  carry_out(&g);
  return MAP_PART_DONE;
}
