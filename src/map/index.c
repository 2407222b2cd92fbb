// Indices: the numbering of orbits. An index is made when someone first asks for its orbit, and kept current by the
// commit.

#include "map/walk.h"

void map_index_give(map_index *index, uint32_t id) {
  index->generation.data[id]++;
  index->alive--;
  if (index->generation.data[id] == MAP_LAST_ID_GENERATION) {
    index->dart.data[id] = CLV_NO_DART;
    index->retired++;
    return;
  }
  index->dart.data[id] = index->free;
  index->free = id;
}

void map_index_destroy(map *m, map_index *index) {
  if (!index) return;
  for (uint32_t kind = 0; kind < MAP_TEMPLATES; kind++) BASE_RELEASE(&m->allocator, &index->ids[kind]);
  BASE_RELEASE(&m->allocator, &index->record_ids);
  BASE_RELEASE(&m->allocator, &index->generation);
  BASE_RELEASE(&m->allocator, &index->dart);
  base_free(&m->allocator, index, sizeof *index);
}

static map_index *index_create(map *m, uint32_t dims) {
  map_index *index = base_allocate(&m->allocator, sizeof *index);
  if (!index) return NULL;
  const uint32_t own = 1u << m->view.dimension;
  *index = (map_index){.dims = dims, .inner = dims & ~own, .crossing = dims & own};
  bool done = map_index_reserve(m, index, 1) && BASE_RESERVE(&m->allocator, &index->record_ids, m->records.count);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; done && index->crossing && kind < MAP_TEMPLATES; kind++) {
    const uint64_t words = (uint64_t)m->rows[kind].count * clv_templates[kind].sub[index->inner].count;
    done = BASE_RESERVE(&m->allocator, &index->ids[kind], words);
    if (done && words) memset(index->ids[kind].data, 0, words * sizeof(uint32_t));
  }
  if (!done) {
    map_index_destroy(m, index);
    return NULL;
  }
  index->generation.data[0] = 0;
  index->dart.data[0] = CLV_NO_DART;
  index->count = 1;
  if (m->records.count) memset(index->record_ids.data, 0, m->records.count * sizeof(uint32_t));
  return index;
}

// The slot that a place of an extended cell has in its row anyway: that of the first template sub-orbit whose first
// dart it holds; 0 when there is none.
static uint32_t row_slot(const map *m, const map_index *index, const clv_walk *place) {
  uint32_t slot = 0;
  for (uint32_t k = 0; k < place->count && !index->crossing; k++) {
    const clv_page page = map_page(m, place->darts[k]);
    if (!map_is_template(page.kind)) continue;
    const clv_suborbits *sub = &clv_templates[page.kind].sub[index->inner];
    const uint32_t local = place->darts[k] & 63u, number = sub->of[local];
    if (sub->first[number] == local && (!slot || number < (slot & ~MAP_TEMPLATE_SLOT)))
      slot = MAP_TEMPLATE_SLOT | number;
  }
  return slot;
}

static bool number_place(map *m, map_index *index, clv_dart dart, uint32_t *id) {
  clv_walk place;
  map_walk_init(&place, m);
  const bool done = map_walk_darts(&place, m, index->inner, dart);
  if (done && !*id) *id = row_slot(m, index, &place);
  if (done && !*id) {
    *id = map_index_take(index);
    index->dart.data[*id] = dart;
  }
  for (uint32_t k = 0; done && k < place.count; k++) map_index_set(m, index, place.darts[k], *id);
  clv_walk_end(&place);
  return done;
}

// Numbers the orbit at a dart, which has no id yet.
static bool number_orbit(map *m, map_index *index, clv_dart dart) {
  if (!map_index_reserve(m, index, 1)) return false;
  clv_walk star;
  if (clv_walk_star(&star, &m->view, index->dims, dart) != CLV_OK) return false;
  uint32_t id = 0;
  if (index->crossing) {
    id = map_index_take(index);
    index->dart.data[id] = dart;
  }
  bool done = true;
  for (uint32_t k = 0; done && k < star.count; k++) {
    if (map_dart_plain(m, star.darts[k]))
      map_index_set(m, index, star.darts[k], id);
    else
      done = number_place(m, index, star.darts[k], &id);
  }
  clv_walk_end(&star);
  return done;
}

static bool number_templates(map *m, map_index *index, uint32_t kind) {
  const clv_suborbits *sub = &clv_templates[kind].sub[index->inner];
  for (uint32_t row = 0; row < m->rows[kind].count; row++) {
    const uint32_t state = m->rows[kind].state.data[row];
    if (!(state & 1u) || (state & MAP_EXTENDED)) continue;
    const clv_dart cell = map_cell_dart(m, kind, row);
    for (uint32_t s = 0; s < sub->count; s++)
      if (!index->ids[kind].data[row * sub->count + s] && !number_orbit(m, index, cell | sub->first[s])) return false;
  }
  return true;
}

static bool number_records(map *m, map_index *index) {
  for (uint32_t record = 0; record < m->records.count; record++) {
    const clv_dart dart = m->records.name.data[record];
    if (dart && !index->record_ids.data[record] && !number_orbit(m, index, dart)) return false;
  }
  return true;
}

static void list_numbered(map *m) {
  m->numbered_count = 0;
  m->records.ready = 0;
  for (uint32_t kind = 0; kind < MAP_KINDS; kind++) m->rows[kind].ready = 0;
  for (uint32_t k = 0; k < MAP_INDICES; k++)
    if (m->indices[k]) m->numbered[m->numbered_count++] = m->indices[k];
}

void map_index_drop(map *m, uint32_t dims) {
  map_index_destroy(m, m->indices[dims]);
  m->indices[dims] = NULL;
  list_numbered(m);
}

clv_result map_index_require(map *m, uint32_t dims, map_index **out) {
  if (!m->indices[dims]) {
    if (m->open)
      return map_fail(m, CLV_ERROR_ARGUMENT,
                      "a new sort of orbit cannot be numbered inside a transaction: do it before clv_map_begin");
    map_index *index = index_create(m, dims);
    bool done = index != NULL;
    for (uint32_t kind = CLV_TEMPLATE_FIRST; done && index->crossing && kind < MAP_TEMPLATES; kind++)
      done = number_templates(m, index, kind);
    done = done && number_records(m, index);
    if (!done) {
      map_index_destroy(m, index);
      return map_no_memory(m);
    }
    m->indices[dims] = index;
    list_numbered(m);
    map_publish(m);
    map_shrink(m);
  }
  if (out) *out = m->indices[dims];
  return CLV_OK;
}

clv_result clv_map_number(clv_map *view, clv_orbit orbit) {
  return map_index_require(map_of(view), clv_orbit_dims(view, orbit), NULL);
}

// Ids. A cell's index is its block, its generation its row's; another orbit's both come from the orbit's own index.

static bool is_cell(const clv_map *view, uint32_t dims) {
  return dims == clv_orbit_dims(view, CLV_CELL);
}

static clv_id cell_id(const map *m, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  return (clv_id){block, m->rows[page.kind].state.data[map_row(page, block << 6)] & MAP_GENERATION};
}

clv_id clv_id_of(const clv_map *view, clv_orbit orbit, clv_dart dart) {
  const map *m = map_read(view);
  const uint32_t dims = clv_orbit_dims(view, orbit);
  if (!clv_dart_alive(view, dart)) return (clv_id){0, 0};
  if (is_cell(view, dims)) {
    const uint32_t block = map_block(m, dart);
    return block ? cell_id(m, block) : (clv_id){0, 0};
  }
  const map_index *index = m->indices[dims];
  if (!index || !index->crossing) return (clv_id){0, 0};
  const uint32_t id = map_index_get(m, index, dart);
  return id ? (clv_id){id, index->generation.data[id]} : (clv_id){0, 0};
}

static bool cell_alive(const map *m, clv_id id) {
  const uint32_t page_number = id.index >> 10;
  if (!page_number || page_number >= m->pages.count) return false;
  const clv_page page = m->pages.data[page_number];
  if (page.kind == MAP_KIND_DARTS) return false;
  const uint32_t row = map_row(page, id.index << 6);
  return row < m->rows[page.kind].count && map_row_alive(m, page.kind, row) &&
         (m->rows[page.kind].state.data[row] & MAP_GENERATION) == id.generation;
}

bool clv_id_alive(const clv_map *view, clv_orbit orbit, clv_id id) {
  const map *m = map_read(view);
  const uint32_t dims = clv_orbit_dims(view, orbit);
  if (is_cell(view, dims)) return cell_alive(m, id);
  const map_index *index = m->indices[dims];
  return index && index->crossing && id.index && id.index < index->count && (id.generation & 1u) &&
         index->generation.data[id.index] == id.generation;
}

clv_dart clv_id_dart(const clv_map *view, clv_orbit orbit, clv_id id) {
  const map *m = map_read(view);
  if (!clv_id_alive(view, orbit, id)) return CLV_NO_DART;
  const uint32_t dims = clv_orbit_dims(view, orbit);
  if (!is_cell(view, dims)) return m->indices[dims]->dart.data[id.index];
  const clv_page page = map_page(m, id.index << 6);
  if (map_is_template(page.kind)) return id.index << 6;
  return m->rows[page.kind].data.data[map_row(page, id.index << 6) * m->rows[page.kind].words];
}

static clv_id next_cell(const map *m, clv_id id) {
  const uint32_t end = m->pages.count << 10;
  for (uint32_t block = id.index ? id.index + 1 : 1u << 10; block < end; block++) {
    const clv_page page = map_page(m, block << 6);
    const bool darts = page.kind == MAP_KIND_DARTS;
    const uint32_t row = darts ? 0 : map_row(page, block << 6);
    if (darts || row >= m->rows[page.kind].count) {
      block |= CLV_BLOCK_MASK;
    } else if (map_row_alive(m, page.kind, row)) {
      return cell_id(m, block);
    }
  }
  return (clv_id){0, 0};
}

clv_id clv_id_next(const clv_map *view, clv_orbit orbit, clv_id id) {
  const map *m = map_read(view);
  const uint32_t dims = clv_orbit_dims(view, orbit);
  if (is_cell(view, dims)) return next_cell(m, id);
  const map_index *index = m->indices[dims];
  for (uint64_t next = (uint64_t)id.index + 1; index && index->crossing && next < index->count; next++)
    if (index->generation.data[next] & 1u) return (clv_id){(uint32_t)next, index->generation.data[next]};
  return (clv_id){0, 0};
}

uint32_t clv_id_slots(const clv_map *view, clv_orbit orbit) {
  const map *m = map_read(view);
  const map_index *index = m->indices[clv_orbit_dims(view, orbit)];
  return index && index->crossing ? index->count : 0;
}
