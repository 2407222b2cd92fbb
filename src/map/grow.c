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
  map_index *index[MAP_SORTS];    // NULL: not numbered
  uint32_t *on_record[MAP_SORTS]; // their ids by record
  uint32_t *cell_on_record;       // likewise, of cells
  map_newcomer *newcomers[MAP_SORTS];
} growing;

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
    if (!map_index_reserve(m, g->index[k], count) || !BASE_RESERVE(a, &s->found[k], count)) return false;
    events += count;
  }
  for (uint32_t k = 0; k < 2; k++)
    if (!BASE_RESERVE(a, &s->joined[k], places)) return false;
  if (!BASE_RESERVE(a, &l->kept, l->families) || !BASE_RESERVE(a, &s->lost, l->lies.count)) return false;
  if (l->families) memset(l->kept.data, 0, l->families);
  if (!BASE_RESERVE(a, &s->events, events + 2 * places)) return false;
  return (!m->embedding.self || m->embedding.reserve_growth(m->embedding.self, m)) && map_journals_reserve(m);
}

// Ids

// Somebody came to a newcomer for the first time.
static uint32_t give_id(growing *g, map_sort sort, uint32_t number, clv_dart dart) {
  map_newcomer *newcomer = &g->newcomers[sort][number];
  map_index *index = g->index[sort];
  uint8_t *kept = newcomer->old && sort == MAP_EDGES ? &g->l->kept.data[newcomer->family] : NULL;
  newcomer->id = kept && !*kept ? newcomer->old : map_index_take(index);
  if (kept) *kept = 1;
  index->dart.data[newcomer->id] = dart;
  g->s->found[sort].data[g->s->found[sort].count++] = number;
  return newcomer->id;
}

static inline uint32_t id_of_newcomer(growing *g, map_sort sort, uint32_t number, clv_dart dart) {
  const uint32_t id = g->newcomers[sort][number].id;
  return id ? id : give_id(g, sort, number, dart);
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

// The first dart of each place speaks for the row, too.
static inline void put_in_row(const growing *g, map_sort sort, clv_dart dart, uint32_t id) {
  const clv_page page = map_page(g->m, dart);
  if (!map_is_template(page.kind)) return;
  const clv_suborbits *sub = &clv_templates[page.kind].sub[map_sort_dims[sort] & 7u];
  const uint32_t number = sub->of[dart & 63u];
  if (sub->first[number] == (dart & 63u))
    g->index[sort]->ids[page.kind].data[(size_t)map_row(page, dart) * sub->count + number] = id;
}

// The dart at the other end of an edge that was halved, which was there before, and bears the id of the whole.
static void follow_half(growing *g, map_sort sort, uint32_t record, uint32_t old, uint32_t id) {
  map *m = g->m;
  const clv_dart other = m->records.alpha.data[4 * (size_t)record];
  uint32_t *on = &g->on_record[sort][map_record(m, other)];
  if (*on != old) return;
  *on = id;
  if (sort == MAP_EDGES) put_in_row(g, sort, other, id);
}

// An edge, or an edge of the cell.
static inline void settle_edge(growing *g, map_sort sort, const map_came *c) {
  const uint32_t *records = c->records;
  const uint32_t on = c->on[sort];
  uint32_t id = on;
  if (map_is_newcomer(on)) {
    const uint32_t number = on & ~MAP_NEWCOMER, old = g->newcomers[sort][number].old;
    id = id_of_newcomer(g, sort, number, c->darts[0]);
    for (uint32_t k = 0; k < 2 && old && old != id; k++) follow_half(g, sort, records[k], old, id);
  } else if (sort == MAP_EDGES) {
    join(g, sort, on, c->darts[0]);
  } else if (!(on & MAP_TEMPLATE_SLOT)) {
    find_at(g, sort, on, c->darts[0]);
  }
  g->on_record[sort][records[0]] = g->on_record[sort][records[1]] = id;
}

static inline uint32_t record_of_hung(const map *m, clv_dart dart) {
  return map_page(m, dart).row + (dart & 0xFFFFu);
}

static inline void settle_came(growing *g, const map_came *c) {
  const uint32_t *records = c->records;
  if (g->m->records.name.data[records[0]] != c->darts[0]) return; // gone again
  uint32_t vertex = c->on[MAP_VERTICES], corner = c->on[MAP_CORNERS];
  if (map_is_newcomer(vertex))
    vertex = id_of_newcomer(g, MAP_VERTICES, vertex & ~MAP_NEWCOMER, c->darts[0]);
  else
    join(g, MAP_VERTICES, vertex, c->darts[0]);
  g->on_record[MAP_VERTICES][records[0]] = g->on_record[MAP_VERTICES][records[1]] = vertex;
  if (g->cell_on_record) g->cell_on_record[records[0]] = g->cell_on_record[records[1]] = c->cell;
  if (g->index[MAP_CORNERS]) {
    if (map_is_newcomer(corner))
      corner = id_of_newcomer(g, MAP_CORNERS, corner & ~MAP_NEWCOMER, c->darts[0]);
    else if (!(corner & MAP_TEMPLATE_SLOT))
      find_at(g, MAP_CORNERS, corner, c->darts[0]);
    g->on_record[MAP_CORNERS][records[0]] = g->on_record[MAP_CORNERS][records[1]] = corner;
  }
  if (g->index[MAP_EDGES]) settle_edge(g, MAP_EDGES, c);
  if (g->index[MAP_CELL_EDGES]) settle_edge(g, MAP_CELL_EDGES, c);
}

static void settle_places(growing *g, map_sort sort, clv_dart cell, const uint8_t *which, const uint32_t *lies,
                          uint32_t had) {
  const map *m = g->m;
  map_index *index = g->index[sort];
  const clv_page page = map_page(m, cell);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[map_sort_dims[sort] & 7u];
  uint32_t *ids = index->ids[page.kind].data + (size_t)map_row(page, cell) * sub->count;
  for (uint32_t s = 0; s < sub->count; s++) {
    const uint32_t on = lies[which[s]];
    const clv_dart place = cell | sub->first[s];
    ids[s] = map_is_newcomer(on) ? id_of_newcomer(g, sort, on & ~MAP_NEWCOMER, place) : on;
    if (map_is_newcomer(on)) continue;
    if (!(had >> s & 1u))
      join(g, sort, on, place);
    else if (!clv_dart_alive(&m->view, index->dart.data[on])) // it was found at the parent
      index->dart.data[on] = place;
  }
}

static void settle_children(growing *g, const map_division *d) {
  const uint32_t *lies = g->l->lies.data + d->lies;
  for (uint32_t c = 0; c < d->table->child_count; c++) {
    const map_refined_child *child = &d->table->children[c];
    settle_places(g, MAP_VERTICES, d->children[c], child->vertex, lies, d->had_vertices[c]);
    if (g->index[MAP_EDGES])
      settle_places(g, MAP_EDGES, d->children[c], child->edge, lies + d->table->vertex_count, d->had_edges[c]);
  }
}

static void give_ids(growing *g) {
  map_lineage *l = g->l;
  for (uint32_t k = 0; k < MAP_SORTS; k++) {
    g->s->found[k].count = 0;
    g->on_record[k] = g->index[k] ? g->index[k]->record_ids.data : NULL;
    g->newcomers[k] = l->newcomers[k].data;
  }
  g->cell_on_record = g->m->indices[7] ? g->m->indices[7]->record_ids.data : NULL;
  for (uint32_t k = 0; k < 2; k++) g->s->joined[k].count = 0;
  uint32_t next = 0;
  for (uint32_t k = 0; k < l->divisions.count; k++) {
    const map_division *d = &l->divisions.data[k];
    for (; next < d->came; next++) settle_came(g, &l->came.data[next]);
    settle_children(g, d);
  }
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
  const uint32_t first = map_record(m, d->parent), block = d->parent >> 6;
  const map_write *const dropped = m->log.data + d->dropped, *const end = dropped + d->dropped_count;
  for (const map_write *w = dropped; w < end; w++) {
    const uint32_t record = w->dart >> 6 == block ? first + (w->dart & 63u) : record_of_hung(m, w->dart);
    const uint32_t id = index->record_ids.data[record];
    if (!id || id & MAP_TEMPLATE_SLOT || (lost->count && lost->data[lost->count - 1] == id)) continue;
    lost->data[lost->count++] = id;
  }
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
  map *m = g->m;
  const map_index *index = g->index[sort];
  const clv_id none = {0, 0};
  for (uint32_t k = 0; k < g->s->found[sort].count; k++) {
    const map_newcomer *n = &g->l->newcomers[sort].data[g->s->found[sort].data[k]];
    const clv_id id = {n->id, index->generation.data[n->id]}, from = {n->old, index->generation.data[n->old]};
    const clv_event_kind kind = !n->old ? CLV_CREATED : n->id == n->old ? CLV_CHANGED : CLV_SPLIT;
    map_emit(m, index->dims, kind, index->dart.data[n->id], id, kind == CLV_SPLIT ? from : none);
  }
  const uint32_t count = g->s->joined[sort].count;
  map_joined *joined = g->s->joined[sort].data;
  sort_joined(joined, count);
  for (uint32_t k = 0; k < count; k++)
    if (!k || joined[k - 1].id != joined[k].id)
      map_emit(m, index->dims, CLV_CHANGED, joined[k].dart,
               (clv_id){joined[k].id, index->generation.data[joined[k].id]}, none);
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
    if (w->dart >> 6 != d->parent >> 6) map_records_give(m, record_of_hung(m, w->dart), 1);
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
