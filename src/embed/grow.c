// Values in commits that refine and do nothing else (map/grow.c), where all columns copy.
//
// A child has its parent's values, each of its corners and edges those of the place it took; what is new has the
// column's first value, a vertex between two others their mean; a half of an edge has the value of the whole. Nothing
// else changes.

#include "base/hand.h"
#include "embed/embed.h"

enum { CORNER = 6, CELL_EDGE = 5, CELL = 7 };

// Cells of these kinds come, and no others.
static const uint8_t refined[] = {CLV_TET, CLV_HEX};

bool embed_reserve_growth(void *self, map *m) {
  embedding *e = self;
  const map_lineage *l = &m->scratch->lineage;
  uint32_t more = 0;
  if (!embed_state_values(e, m, NULL)) return false;
  for (uint32_t s = 0; s < MAP_SORTS; s++) more = l->newcomers[s].count > more ? l->newcomers[s].count : more;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    clv_column *column = e->columns.data[k];
    const map_index *index = column->index;
    const uint64_t need = (uint64_t)index->count + more;
    if (need > column->slots.capacity && !embed_reserve(m, &column->slots, need, column->size)) return false;
    for (uint32_t which = 0; which < sizeof refined && !index->crossing; which++) {
      const uint32_t kind = refined[which];
      const uint64_t values = (uint64_t)m->rows[kind].count * clv_templates[kind].sub[index->inner].count;
      if (values > column->rows[kind].capacity && !embed_reserve(m, &column->rows[kind], values, column->size))
        return false;
    }
  }
  return true;
}

// Of a value in a cell, by the id that a dart bears.
static uint8_t *value_in_cell(const clv_column *column, clv_dart cell, uint32_t id) {
  if (!(id & MAP_TEMPLATE_SLOT)) return column->slots.data + (size_t)id * column->size;
  const clv_page page = map_page(column->map, cell);
  return embed_row_value(column, page.kind, map_row(page, cell), id & ~MAP_TEMPLATE_SLOT);
}

// Children

// Where the values of a row begin.
static uint8_t *values_of_row(const clv_column *column, clv_dart cell) {
  const clv_page page = map_page(column->map, cell);
  return embed_row_value(column, page.kind, map_row(page, cell), 0);
}

static void fill_cells(const clv_column *column, const map_division *d) {
  const size_t size = column->size;
  uint8_t *values = column->rows[d->table->kind].data;
  const clv_page page = map_page(column->map, d->parent);
  const uint8_t *from = values + map_row(page, d->parent) * size;
  for (uint32_t c = 0; c < d->table->child_count; c++)
    embed_copy_value(values + map_row(map_page(column->map, d->children[c]), d->children[c]) * size, from, size);
}

// What the parent bore at its darts, by the vertices and edges of its children; 0 where it had none.
static void find_sources(const map *m, const map_index *index, const map_division *d, uint32_t *sources) {
  const map_refinement *table = d->table;
  const clv_suborbits *sub = &clv_templates[table->kind].sub[index->inner];
  const clv_dart *known = d->known ? m->scratch->lineage.lies.data + d->known : NULL;
  const bool edges = index->inner == CELL_EDGE;
  const uint8_t *where = edges ? table->edge_at : table->vertex_at;
  const uint32_t own = edges ? 1 : 0; // a half of its edge, its corner
  for (uint32_t k = 0; k < (edges ? table->edge_count : table->vertex_count); k++) {
    const uint32_t at = where[k], l = at >> 2;
    if (at == MAP_NOWHERE) {
      sources[k] = 0;
    } else if (known) {
      const uint32_t mine = 0u - ((at & 3u) == own);
      const clv_dart dart = ((d->parent | l) & mine) | (known[at] & ~mine);
      sources[k] = index->record_ids.data[map_own_record(m, dart ? dart : d->parent)] & (0u - (dart != 0));
    } else {
      sources[k] = (MAP_TEMPLATE_SLOT | sub->of[l]) & (0u - ((at & 3u) == own));
    }
  }
}

// The values behind those sources, and that of a place that is new, behind them.
static void find_values(const clv_column *column, const map_division *d, const uint32_t *sources, uint32_t count,
                        const uint8_t **from) {
  const size_t size = column->size;
  const uint8_t *const in[3] = {column->def.initial, column->slots.data, values_of_row(column, d->parent)};
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t where = (uint32_t)(sources[k] != 0) + (sources[k] >> 31);
    from[k] = in[where] + (sources[k] & ~MAP_TEMPLATE_SLOT) * size;
  }
  from[count] = column->def.initial;
}

CLV_INLINE void copy_values(const clv_column *column, const map_division *d, const uint8_t *const *from, size_t size) {
  const bool edges = column->index->inner == CELL_EDGE;
  const uint32_t count = clv_templates[d->table->kind].sub[column->index->inner].count;
  const uint32_t none = edges ? d->table->edge_count : d->table->vertex_count;
  for (uint32_t c = 0; c < d->table->child_count; c++) {
    const map_refined_child *child = &d->table->children[c];
    const uint8_t *which = edges ? child->edge : child->vertex;
    const uint32_t had = edges ? d->had_edges[c] : d->had_vertices[c];
    uint8_t *value = values_of_row(column, d->children[c]);
    for (uint32_t s = 0; s < count; s++, value += size) {
      const uint32_t has = 0u - (had >> s & 1u);
      memcpy(value, from[(which[s] & has) | (none & ~has)], size);
    }
  }
}

static void fill_places(const embedding *e, const map *m, const map_index *index, const map_division *d) {
  uint32_t sources[MAP_REFINED_EDGES];
  const uint8_t *from[MAP_REFINED_EDGES + 1];
  bool found = false;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    if (column->index != index) continue;
    if (!found) find_sources(m, index, d, sources);
    found = true;
    find_values(column, d, sources, index->inner == CELL_EDGE ? d->table->edge_count : d->table->vertex_count, from);
    if (column->size == sizeof(double))
      copy_values(column, d, from, sizeof(double));
    else
      copy_values(column, d, from, column->size);
  }
}

static void fill_children(const embedding *e, const map *m) {
  const map_lineage *l = &m->scratch->lineage;
  for (uint32_t n = 0; n < m->numbered_count; n++) {
    const map_index *index = m->numbered[n];
    for (uint32_t k = 0; k < l->divisions.count && (index->dims == CORNER || index->dims == CELL_EDGE); k++)
      fill_places(e, m, index, &l->divisions.data[k]);
  }
}

// Newcomers

static const uint8_t *value_of_end(const clv_column *column, uint32_t end) {
  const map_newcomer *newcomers = column->map->scratch->lineage.newcomers[MAP_VERTICES].data;
  const uint32_t id = map_is_newcomer(end) ? newcomers[end & ~MAP_NEWCOMER].id : end;
  return column->slots.data + (size_t)id * column->size;
}

// Numbers may lie at any address.
static void fill_mean(uint8_t *value, const uint8_t *const ends[2], uint32_t count) {
  for (size_t at = 0; at < count * sizeof(double); at += sizeof(double)) {
    double p, q;
    memcpy(&p, ends[0] + at, sizeof p);
    memcpy(&q, ends[1] + at, sizeof q);
    p = 0.5 * (p + q);
    memcpy(value + at, &p, sizeof p);
  }
}

static void fill_vertex(const clv_column *column, const map_newcomer *n) {
  uint8_t *value = column->slots.data + (size_t)n->id * column->size;
  if (column->def.create != CLV_CREATE_MEAN || column->def.type == CLV_BYTES)
    embed_copy_value(value, column->def.initial, column->size);
  if (column->def.create != CLV_CREATE_MEAN) return;
  const uint8_t *ends[2] = {value_of_end(column, n->ends[0]), value_of_end(column, n->ends[1])};
  if (column->def.type == CLV_DOUBLE) {
    fill_mean(value, ends, column->def.components);
    return;
  }
  for (uint32_t c = 0; c < column->def.components; c++)
    embed_put(column, value, c, 0.5 * (embed_get(column, ends[0], c) + embed_get(column, ends[1], c)));
}

// In the order in which they were made: a vertex comes behind those it lies between. One without an id is gone again.
static void fill_vertices(const clv_column *column, const map_newcomer *n, const map_newcomer *end) {
  for (; n < end; n++)
    if (n->id) fill_vertex(column, n);
}

static const uint8_t *value_of_whole(const clv_column *column, const map_newcomer *n) {
  if (!n->old) return column->def.initial;
  if (column->index->crossing) return column->slots.data + (size_t)n->old * column->size;
  return value_in_cell(column, map_block(column->map, n->near) << 6, n->old);
}

static void fill_parts(const clv_column *column, const map_newcomer *n, const map_newcomer *end) {
  uint8_t *const slots = column->slots.data;
  const size_t size = column->size;
  for (; n < end; n++)
    if (n->id && n->id != n->old) embed_copy_value(slots + n->id * size, value_of_whole(column, n), size);
}

void embed_grow(void *self, map *m) {
  embedding *e = self;
  const map_lineage *l = &m->scratch->lineage;
  fill_children(e, m);
  for (uint32_t k = 0; k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    const uint32_t dims = column->index->dims;
    for (uint32_t d = 0; dims == CELL && d < l->divisions.count; d++) fill_cells(column, &l->divisions.data[d]);
    if (dims == CELL) continue;
    uint32_t sort = 0;
    while (map_sort_dims[sort] != dims) sort++; // nothing else is numbered
    const map_newcomer *first = l->newcomers[sort].data, *end = first + l->newcomers[sort].count;
    if (first == end) continue;
    if (sort == MAP_VERTICES)
      fill_vertices(column, first, end);
    else
      fill_parts(column, first, end);
  }
  if (!m->scratch->plan.values_set) return;
  embed_apply_set(e, m, false);
  embed_apply_set(e, m, true);
}

static void fetch_end(const embed_values *values, size_t end, size_t more, size_t size) {
  if (end + more <= values->capacity) base_fetch(values->data + end * size, more * size);
}

void embed_fetch(const void *self, bool growth) {
  enum { CELLS = 8, ORBITS = 32 };
  const embedding *e = self;
  base_fetch(e, sizeof *e);
  for (uint32_t k = 0; k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    base_fetch(column, sizeof *column);
    base_fetch(column->initial, column->size);
    if (!growth) continue;
    fetch_end(&column->slots, column->index->count, ORBITS, column->size);
    for (uint32_t which = 0; which < sizeof refined && !column->index->crossing; which++) {
      const size_t width = clv_templates[refined[which]].sub[column->index->inner].count;
      fetch_end(&column->rows[refined[which]], width * e->map->rows[refined[which]].count, CELLS * width, column->size);
    }
  }
}
