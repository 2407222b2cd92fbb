// Maps as a whole: creating and destroying, counting, hashing, and the tables of cells.

#include "map/plan.h"

clv_map_def clv_default_map_def(void) {
  return (clv_map_def){.dimension = 3, .allocator = clv_default_allocator()};
}

static bool map_init(map *m) {
  m->scratch = base_allocate(&m->allocator, sizeof *m->scratch);
  if (!m->scratch) return false;
  memset(m->scratch, 0, sizeof *m->scratch);
  if (!BASE_RESERVE(&m->allocator, &m->pages, 1)) return false;
  m->pages.data[m->pages.count++] = (clv_page){0}; // page 0 is null
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_KINDS; kind++)
    m->rows[kind].words = map_is_template(kind) ? clv_templates[kind].facet_count : 2;
  return map_index_require(m, clv_orbit_dims(&m->view, CLV_VERTEX), NULL) == CLV_OK;
}

clv_map *clv_map_create(const clv_map_def *def, clv_error *error) {
  if (def->dimension != 2 && def->dimension != 3) {
    clv_error_set(error, CLV_ERROR_ARGUMENT, "a map has dimension 2 or 3, not %u", def->dimension);
    return NULL;
  }
  map *m = base_allocate(&def->allocator, sizeof *m);
  if (m) {
    *m = (map){.view = {.dimension = def->dimension}, .allocator = def->allocator};
    if (map_init(m)) return &m->view;
    clv_map_destroy(&m->view);
  }
  clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: no map was created");
  return NULL;
}

void clv_map_destroy(clv_map *view) {
  if (!view) return;
  map *m = map_of(view);
  const clv_allocator a = m->allocator;
  if (m->reader.destroy) m->reader.destroy(m, m->reader.self);
  if (m->embedding.destroy) m->embedding.destroy(m->embedding.self);
  while (m->journals.count) clv_journal_destroy(m->journals.data[0]);
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++) map_index_destroy(m, m->indices[dims]);
  for (uint32_t kind = 0; kind < MAP_KINDS; kind++) {
    BASE_RELEASE(&a, &m->rows[kind].data);
    BASE_RELEASE(&a, &m->rows[kind].state);
    BASE_RELEASE(&a, &m->rows[kind].pages);
  }
  BASE_RELEASE(&a, &m->records.alpha);
  BASE_RELEASE(&a, &m->records.cell);
  BASE_RELEASE(&a, &m->records.name);
  BASE_RELEASE(&a, &m->records.pages);
  BASE_RELEASE(&a, &m->records.level);
  BASE_RELEASE(&a, &m->pages);
  BASE_RELEASE(&a, &m->seats);
  BASE_RELEASE(&a, &m->log);
  BASE_RELEASE(&a, &m->payload);
  BASE_RELEASE(&a, &m->subscribers);
  BASE_RELEASE(&a, &m->journals);
  map_scratch_destroy(m);
  base_free(&a, m, sizeof *m);
}

const char *clv_map_error(const clv_map *view) {
  return map_read(view)->error.message;
}

uint64_t clv_map_revision(const clv_map *view) {
  return map_read(view)->revision;
}

// Bytes and slack: one list of all arrays that count.

#define BYTES(array) ((array).capacity * sizeof *(array).data)

size_t clv_map_bytes(const clv_map *view) {
  const map *m = map_read(view);
  size_t bytes = sizeof *m + BYTES(m->pages) + BYTES(m->seats);
  for (uint32_t kind = 0; kind < MAP_KINDS; kind++)
    bytes += BYTES(m->rows[kind].data) + BYTES(m->rows[kind].state) + BYTES(m->rows[kind].pages);
  bytes += BYTES(m->records.alpha) + BYTES(m->records.cell) + BYTES(m->records.name);
  bytes += BYTES(m->records.pages) + BYTES(m->records.level);
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++) {
    const map_index *index = m->indices[dims];
    if (!index) continue;
    bytes += sizeof *index + BYTES(index->record_ids) + BYTES(index->generation) + BYTES(index->dart);
    for (uint32_t kind = 0; kind < MAP_TEMPLATES; kind++) bytes += BYTES(index->ids[kind]);
  }
  return bytes;
}

// Gives back what lies beyond `count` elements; where that fails it can wait.
static void shrink(const map *m, void *slot, uint32_t *capacity, uint32_t count, size_t size) {
  void *data;
  memcpy(&data, slot, sizeof data);
  if (*capacity <= count) return;
  data = m->allocator.resize(m->allocator.user, data, *capacity * size, count * size);
  if (!data) return;
  memcpy(slot, &data, sizeof data);
  *capacity = count;
}

void map_shrink(map *m) {
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    map_index *index = m->numbered[k];
    const uint32_t room = index->count + index->count / 32 + MAP_FIRST_CUTS; // a little is left
    shrink(m, &index->generation.data, &index->generation.capacity, room, sizeof *index->generation.data);
    shrink(m, &index->dart.data, &index->dart.capacity, room, sizeof *index->dart.data);
  }
}

// Hashing: everything that decides what the map does next, and nothing that does not.

static uint64_t mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t hash_rows(const map *m, uint32_t kind, uint64_t hash) {
  const map_rows *rows = &m->rows[kind];
  hash = mix(mix(hash, rows->count), (uint64_t)rows->alive << 32 | rows->free);
  for (uint32_t row = 0; row < rows->count; row++) {
    const bool alive = rows->state.data[row] & 1u;
    hash = mix(hash, alive ? rows->state.data[row] : rows->state.data[row] & MAP_GENERATION);
    // A dead row holds the next free one; an extended row holds its first record.
    const bool whole = alive && !(rows->state.data[row] & MAP_EXTENDED);
    for (uint32_t w = 0; w < (whole ? rows->words : 1); w++) hash = mix(hash, rows->data.data[row * rows->words + w]);
    for (uint32_t dims = 0; dims < MAP_INDICES && alive && map_is_template(kind); dims++) {
      const map_index *index = m->indices[dims];
      if (!index || !index->crossing) continue;
      const uint32_t width = clv_templates[kind].sub[index->inner].count;
      for (uint32_t w = 0; w < width; w++) hash = mix(hash, index->ids[kind].data[row * width + w]);
    }
  }
  return hash;
}

static uint64_t hash_records(const map *m, uint64_t hash) {
  const map_records *records = &m->records;
  hash = mix(mix(hash, records->count), records->alive);
  for (uint32_t length = 0; length <= CLV_TEMPLATE_DARTS; length++) hash = mix(hash, records->free[length]);
  for (uint32_t record = 0; record < records->count; record++) {
    hash = mix(hash, records->name.data[record]);
    if (!records->name.data[record]) continue;
    hash = mix(hash, records->cell.data[record]);
    for (uint32_t i = 0; i <= m->view.dimension; i++) hash = mix(hash, records->alpha.data[4 * record + i]);
    for (uint32_t dims = 0; dims < MAP_INDICES; dims++)
      if (m->indices[dims]) hash = mix(hash, m->indices[dims]->record_ids.data[record]);
  }
  return hash;
}

uint64_t clv_map_hash(const clv_map *view) {
  const map *m = map_read(view);
  uint64_t hash = mix(view->dimension, m->pages.count);
  for (uint32_t p = 0; p < m->pages.count; p++)
    hash = mix(hash, (uint64_t)m->pages.data[p].row << 8 | m->pages.data[p].kind);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_KINDS; kind++) hash = hash_rows(m, kind, hash);
  hash = hash_records(m, hash);
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++) {
    const map_index *index = m->indices[dims];
    if (!index) continue;
    hash = mix(mix(hash, dims), (uint64_t)index->count << 32 | index->free);
    for (uint32_t id = 1; id < index->count; id++)
      hash = mix(hash, (uint64_t)index->generation.data[id] << 32 | index->dart.data[id]);
  }
  return hash;
}

// Cells

clv_kind clv_cell_kind(const clv_map *view, clv_dart dart) {
  const clv_page page = map_page(map_read(view), dart);
  const bool plain = map_is_template(page.kind) && map_record(map_read(view), dart) == MAP_NO_RECORD;
  return plain ? (clv_kind)page.kind : view->dimension == 2 ? CLV_POLYGON : CLV_POLYHEDRON;
}

uint32_t clv_cell_rows(const clv_map *view, clv_kind kind) {
  return (uint32_t)kind < MAP_KINDS ? map_read(view)->rows[kind].count : 0;
}

uint32_t clv_cell_count(const clv_map *view, clv_kind kind) {
  return (uint32_t)kind < MAP_KINDS ? map_read(view)->rows[kind].alive : 0;
}

clv_dart clv_cell_at(const clv_map *view, clv_kind kind, uint32_t row) {
  const map *m = map_read(view);
  if (row >= clv_cell_rows(view, kind) || !map_row_alive(m, kind, row)) return CLV_NO_DART;
  return map_is_template(kind) ? map_cell_dart(m, kind, row) : m->rows[kind].data.data[row * m->rows[kind].words];
}

uint32_t clv_cell_row(const clv_map *view, clv_dart dart) {
  const map *m = map_read(view);
  const clv_dart cell = map_block(m, dart) << 6;
  return cell ? map_row(map_page(m, cell), cell) : 0;
}

// Counting. An orbit that has ids is counted already; another is walked.

static clv_result count_orbits(const map *m, clv_orbit orbit, uint64_t *count) {
  const map_index *index = m->indices[clv_orbit_dims(&m->view, orbit)];
  if (index && index->crossing) {
    *count = index->alive;
    return CLV_OK;
  }
  clv_walk walk;
  const clv_result result = clv_walk_all(&walk, &m->view, orbit);
  *count = result == CLV_OK ? walk.count : 0;
  if (result == CLV_OK) clv_walk_end(&walk);
  return result;
}

static void count_boundary_of_templates(const map *m, uint32_t kind, clv_map_info *info) {
  const map_rows *rows = &m->rows[kind];
  for (uint32_t row = 0; row < rows->count; row++) {
    if (!(rows->state.data[row] & 1u) || (rows->state.data[row] & MAP_EXTENDED)) continue;
    for (uint32_t f = 0; f < rows->words; f++) info->boundary_facets += !rows->data.data[row * rows->words + f];
  }
}

// A facet whose darts have records is counted at its smallest dart.
static clv_result count_boundary_of_records(const map *m, clv_map_info *info) {
  const uint32_t n = m->view.dimension;
  for (uint32_t record = 0; record < m->records.count; record++) {
    const clv_dart dart = m->records.name.data[record];
    if (!dart) continue;
    bool open = false;
    for (uint32_t i = 0; i < n; i++) open |= clv_is_free(&m->view, dart, i);
    info->open_darts += open;
    if (!clv_is_free(&m->view, dart, n)) continue;
    clv_walk facet;
    map_walk_init(&facet, m);
    if (!map_walk_darts(&facet, m, n == 3 ? 3u : 1u, dart)) return CLV_ERROR_MEMORY;
    clv_dart least = dart;
    for (uint32_t k = 0; k < facet.count; k++) least = facet.darts[k] < least ? facet.darts[k] : least;
    clv_walk_end(&facet);
    info->boundary_facets += least == dart;
  }
  return CLV_OK;
}

clv_result clv_map_count(const clv_map *view, clv_map_info *info) {
  const map *m = map_read(view);
  static const clv_orbit cells[3] = {CLV_VERTEX, CLV_EDGE, CLV_FACE};
  *info = (clv_map_info){.orientable = m->twisted == 0};
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_KINDS; kind++) {
    info->kinds[kind] = m->rows[kind].alive;
    info->cells[view->dimension] += m->rows[kind].alive;
  }
  for (uint32_t p = 0; p < m->pages.count; p++) {
    const clv_page page = m->pages.data[p];
    if (!page.extended) continue;
    info->extended += page.extended;
    info->kinds[page.kind] -= page.extended;
    info->kinds[view->dimension == 2 ? CLV_POLYGON : CLV_POLYHEDRON] += page.extended;
  }
  clv_result result = CLV_OK;
  for (uint32_t i = 0; result == CLV_OK && i < view->dimension; i++)
    result = count_orbits(m, cells[i], &info->cells[i]);
  if (result == CLV_OK) result = count_orbits(m, CLV_COMPONENT, &info->components);
  if (result == CLV_OK) result = count_boundary_of_records(m, info);
  if (result != CLV_OK) return result;
  info->darts = clv_dart_count(view);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++) count_boundary_of_templates(m, kind, info);
  for (uint32_t i = 0; i <= view->dimension; i++)
    info->euler += i & 1u ? -(int64_t)info->cells[i] : (int64_t)info->cells[i];
  return CLV_OK;
}
