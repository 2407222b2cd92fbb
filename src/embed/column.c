// Columns: creating, finding, reading. What a commit does to them is in carry.c.

#include "embed/embed.h"

#include <math.h>

clv_column_def clv_default_column_def(void) {
  return (clv_column_def){.name = "pos",
                          .orbit = CLV_VERTEX,
                          .type = CLV_DOUBLE,
                          .components = 3,
                          .create = CLV_CREATE_MEAN,
                          .split = CLV_SPLIT_COPY,
                          .merge = CLV_MERGE_MEAN};
}

static size_t type_size(clv_type type) {
  switch (type) {
  case CLV_DOUBLE:
    return sizeof(double);
  case CLV_FLOAT:
  case CLV_INT32:
  case CLV_UINT32:
    return 4;
  case CLV_BYTES:
    return 1;
  }
  return 0;
}

// Values that wait in a transaction's payload lie at any address: components are copied, never pointed at.

double embed_get(const clv_column *column, const void *value, uint32_t component) {
  const uint8_t *at = (const uint8_t *)value + component * type_size(column->def.type);
  double real = 0;
  float single = 0;
  int32_t whole = 0;
  uint32_t natural = 0;
  switch (column->def.type) {
  case CLV_DOUBLE:
    memcpy(&real, at, sizeof real);
    return real;
  case CLV_FLOAT:
    memcpy(&single, at, sizeof single);
    return (double)single;
  case CLV_INT32:
    memcpy(&whole, at, sizeof whole);
    return whole;
  case CLV_UINT32:
    memcpy(&natural, at, sizeof natural);
    return natural;
  case CLV_BYTES:
    break;
  }
  return 0;
}

void embed_put(const clv_column *column, void *value, uint32_t component, double number) {
  uint8_t *at = (uint8_t *)value + component * type_size(column->def.type);
  switch (column->def.type) {
  case CLV_DOUBLE:
    memcpy(at, &number, sizeof number);
    break;
  case CLV_FLOAT:
    memcpy(at, &(float){(float)number}, sizeof(float));
    break;
  case CLV_INT32: { // sums beyond the type stay at its ends
    const int32_t whole = embed_whole(number);
    memcpy(at, &whole, sizeof whole);
    break;
  }
  case CLV_UINT32: {
    const uint32_t natural = number >= UINT32_MAX ? UINT32_MAX : number > 0 ? (uint32_t)number : 0;
    memcpy(at, &natural, sizeof natural);
    break;
  }
  case CLV_BYTES:
    break;
  }
}

bool embed_reserve(const map *m, embed_values *values, uint64_t count, size_t size) {
  return base_grow(&m->allocator, &values->data, &values->capacity, count, size);
}

uint8_t *embed_row_value(const clv_column *column, uint32_t kind, uint32_t row, uint32_t sub) {
  const size_t slot = (size_t)row * clv_templates[kind].sub[column->index->inner].count + sub;
  return column->rows[kind].data + slot * column->size;
}

uint8_t *embed_old_value(const clv_column *column, uint64_t old) {
  if (!(old & MAP_ROW_SLOT)) return column->slots.data + (size_t)(uint32_t)old * column->size;
  const clv_dart dart = (clv_dart)old;
  const clv_page page = map_page(column->map, dart);
  return embed_row_value(column, page.kind, map_row(page, dart),
                         clv_templates[page.kind].sub[column->index->inner].of[dart & 63u]);
}

// Creating

static embedding *embedding_of(const clv_map *view) {
  return map_read(view)->embedding.self;
}

static void column_free(clv_column *column) {
  const clv_allocator *a = &column->map->allocator;
  base_free(a, column->slots.data, column->slots.capacity * column->size);
  base_free(a, column->staged.data, column->staged.capacity * column->size);
  base_free(a, column->births.data, column->births.capacity * column->size);
  for (uint32_t kind = 0; kind < MAP_TEMPLATES; kind++)
    base_free(a, column->rows[kind].data, column->rows[kind].capacity * column->size);
  BASE_RELEASE(a, &column->weights);
  BASE_RELEASE(a, &column->shares);
  if (column->name) base_free(a, column->name, strlen(column->name) + 1);
  base_free(a, column->initial, column->size);
  base_free(a, column, sizeof *column);
}

// Calls `destroy` for every value that is in use.
static void destroy_values(clv_column *column) {
  if (!column->def.destroy) return;
  const map *m = column->map;
  for (uint32_t id = 1; id < column->index->count; id++)
    if (column->index->generation.data[id] & 1u)
      column->def.destroy(column->def.user, &m->view, column->slots.data + id * column->size);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES && !column->index->crossing; kind++)
    for (uint32_t row = 0; row < m->rows[kind].count; row++)
      for (uint32_t s = 0; map_row_alive(m, kind, row) && s < clv_templates[kind].sub[column->index->inner].count; s++)
        column->def.destroy(column->def.user, &m->view, embed_row_value(column, kind, row, s));
}

static void embedding_destroy(void *self) {
  embedding *e = self;
  map *m = e->map;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    destroy_values(e->columns.data[k]);
    column_free(e->columns.data[k]);
  }
  BASE_RELEASE(&m->allocator, &e->columns);
  BASE_RELEASE(&m->allocator, &e->names);
  BASE_RELEASE(&m->allocator, &e->parents);
  BASE_RELEASE(&m->allocator, &e->by_child);
  BASE_RELEASE(&m->allocator, &e->heirs);
  BASE_RELEASE(&m->allocator, &e->parts);
  BASE_RELEASE(&m->allocator, &e->given);
  BASE_RELEASE(&m->allocator, &e->stated);
  embed_trace_free(&e->trace, m);
  base_free(&m->allocator, e, sizeof *e);
  m->embedding = (map_embedding){0};
}

static embedding *embedding_require(map *m) {
  if (m->embedding.self) return m->embedding.self;
  embedding *e = base_allocate(&m->allocator, sizeof *e);
  if (!e) return NULL;
  *e = (embedding){.map = m};
  m->embedding = (map_embedding){.self = e,
                                 .prepare = embed_prepare,
                                 .apply = embed_apply,
                                 .settle = embed_settle,
                                 .check = embed_check,
                                 .describe = embed_describe,
                                 .knows = embed_knows,
                                 .level = embed_level,
                                 .destroy = embedding_destroy,
                                 .copies = true,
                                 .copies_all = true,
                                 .reserve_growth = embed_reserve_growth,
                                 .fetch = embed_fetch,
                                 .grow = embed_grow,
                                 .reserve_copies = embed_reserve_copies,
                                 .copy = embed_copy,
                                 .expect = embed_expect,
                                 .lose = embed_lose};
  return e;
}

// Columns are looked for by name at every commit: most need not be asked for theirs.
static uint64_t first_letters(const char *name) {
  uint64_t letters = 0;
  for (uint32_t k = 0; k < 8 && name[k]; k++) letters = letters << 8 | (uint8_t)name[k];
  return letters;
}

static uint32_t drawer_of(uint64_t letters) {
  return (uint32_t)(letters * UINT64_C(0x9E3779B97F4A7C15) >> 58);
}

static clv_result test_def(map *m, const clv_column_def *def) {
  if (m->open) return map_fail(m, CLV_ERROR_ARGUMENT, "a column cannot be created inside a transaction");
  if (!def->name || !*def->name) return map_fail(m, CLV_ERROR_ARGUMENT, "a column needs a name");
  if (clv_column_find(&m->view, def->name))
    return map_fail(m, CLV_ERROR_ARGUMENT, "there is a column '%s' already: choose another name", def->name);
  if (!type_size(def->type) || def->components == 0 || def->components > 1u << 20)
    return map_fail(m, CLV_ERROR_ARGUMENT, "column '%s' has an unknown type or %u components", def->name,
                    def->components);
  const bool computes = def->split == CLV_SPLIT_SHARE || def->merge == CLV_MERGE_SUM || def->merge == CLV_MERGE_MEAN ||
                        def->merge == CLV_MERGE_RECOMPUTE || def->create == CLV_CREATE_MEAN;
  if (def->type == CLV_BYTES && computes && !def->policy)
    return map_fail(m, CLV_ERROR_ARGUMENT, "column '%s' holds bytes: share, sum, mean and recompute need numbers",
                    def->name);
  const bool divides = def->split == CLV_SPLIT_SHARE || def->merge == CLV_MERGE_MEAN || def->create == CLV_CREATE_MEAN;
  if (divides && def->type != CLV_DOUBLE && def->type != CLV_FLOAT && !def->policy)
    return map_fail(m, CLV_ERROR_ARGUMENT, "column '%s' holds whole numbers: share and mean need floating ones",
                    def->name);
  if (def->merge == CLV_MERGE_RECOMPUTE && !def->contribution)
    return map_fail(m, CLV_ERROR_ARGUMENT, "column '%s' is to be recomputed, but from no contribution", def->name);
  const uint32_t dims = clv_orbit_dims(&m->view, def->orbit), inner = dims & ~(1u << m->view.dimension);
  const clv_column *contribution = def->contribution;
  if (contribution && (contribution->index->dims != inner || inner == dims || contribution->map != m))
    return map_fail(m, CLV_ERROR_ARGUMENT,
                    "the contribution to column '%s' must lie on the same orbit seen from one cell", def->name);
  if (contribution && def->merge == CLV_MERGE_RECOMPUTE &&
      (contribution->def.type != def->type || contribution->def.components != def->components))
    return map_fail(m, CLV_ERROR_ARGUMENT, "the contribution to column '%s' must have its type and components",
                    def->name);
  return CLV_OK;
}

static void fill(const clv_column *column, uint8_t *data, size_t count) {
  for (size_t k = 0; k < count && data; k++) memcpy(data + k * column->size, column->def.initial, column->size);
}

// Room for every orbit there is, and the initial value in it.
static bool fill_column(clv_column *column) {
  map *m = column->map;
  const uint64_t room = (uint64_t)column->index->count + column->index->count / 32 + MAP_FIRST_CUTS;
  if (!embed_reserve(m, &column->slots, room, column->size)) return false;
  fill(column, column->slots.data, column->index->count);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES && !column->index->crossing; kind++) {
    const uint64_t count = (uint64_t)m->rows[kind].count * clv_templates[kind].sub[column->index->inner].count;
    if (!embed_reserve(m, &column->rows[kind], count, column->size)) return false;
    fill(column, column->rows[kind].data, count);
  }
  return true;
}

static clv_column *column_new(map *m, const clv_column_def *def, map_index *index) {
  clv_column *column = base_allocate(&m->allocator, sizeof *column);
  if (!column) return NULL;
  *column = (clv_column){.map = m, .def = *def, .index = index, .size = type_size(def->type) * def->components};
  const size_t length = strlen(def->name) + 1;
  column->def.initial = column->initial = base_allocate(&m->allocator, column->size);
  char *name = base_allocate(&m->allocator, length);
  if (name) column->def.name = column->name = memcpy(name, def->name, length);
  if (column->initial && def->initial) memcpy(column->initial, def->initial, column->size);
  if (column->initial && !def->initial) memset(column->initial, 0, column->size);
  if (column->name && column->initial && fill_column(column)) return column;
  column_free(column);
  return NULL;
}

// Journals name columns by their numbers: what comes and goes stands behind all that stays.
static uint32_t count_lasting(const embedding *e) {
  uint32_t count = e->columns.count;
  while (count && e->columns.data[count - 1]->def.passing) count--;
  return count;
}

static void place_column(embedding *e, uint32_t number, clv_column *column) {
  column->number = number;
  e->names.data[number] = first_letters(column->name);
  e->columns.data[number] = column;
}

static void fill_drawers(embedding *e) {
  memset(e->drawers, 0, sizeof e->drawers);
  for (uint32_t k = e->columns.count; k; k--) e->drawers[drawer_of(e->names.data[k - 1])] = k;
}

// There is room for it.
static void insert_column(embedding *e, clv_column *column) {
  const uint32_t at = column->def.passing ? e->columns.count : count_lasting(e);
  for (uint32_t k = e->columns.count++; k > at; k--) place_column(e, k, e->columns.data[k - 1]);
  place_column(e, at, column);
  fill_drawers(e);
}

clv_result clv_column_create(clv_map *view, const clv_column_def *def, clv_column **out) {
  map *m = map_of(view);
  clv_result result = test_def(m, def);
  if (result != CLV_OK) return result;
  embedding *e = embedding_require(m);
  if (!e || !BASE_RESERVE(&m->allocator, &e->columns, (uint64_t)e->columns.count + 1) ||
      !BASE_RESERVE(&m->allocator, &e->names, (uint64_t)e->columns.count + 1))
    return map_no_memory(m);
  map_index *index = NULL;
  const uint32_t dims = clv_orbit_dims(view, def->orbit);
  const bool numbered = m->indices[dims] != NULL;
  result = map_index_require(m, dims, &index);
  if (result != CLV_OK) return result;
  clv_column *column = column_new(m, def, index);
  if (!column) {
    if (!numbered) map_index_drop(m, dims);
    return map_no_memory(m);
  }
  insert_column(e, column);
  m->embedding.copies &= !index->crossing || embed_copies(column);
  m->embedding.copies_all &= embed_copies(column);
  m->embedding.destroys |= !index->crossing && column->def.destroy;
  m->embedding.recomputes |= index->crossing && (column->def.policy || column->def.merge == CLV_MERGE_RECOMPUTE);
  if (out) *out = column;
  return CLV_OK;
}

void clv_column_destroy(clv_map *view, clv_column *column) {
  embedding *e = embedding_of(view);
  if (!column || !e || map_read(view)->open) return;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    clv_column *other = e->columns.data[k];
    if (other == column) continue;
    if (other->def.contribution == column) return; // still needed
  }
  for (uint32_t k = 0; k < e->columns.count; k++) {
    clv_column *other = e->columns.data[k];
    if (other != column) place_column(e, kept++, other);
  }
  e->columns.count = kept;
  fill_drawers(e);
  destroy_values(column);
  column_free(column);
}

// A replay needs columns like those that were recorded: equal names on equal orbits, of equal types, in the same order.
uint64_t embed_describe(const void *self) {
  const embedding *e = self;
  const uint32_t count = count_lasting(e);
  uint64_t hash = count;
  for (uint32_t k = 0; k < count; k++) {
    const clv_column *column = e->columns.data[k];
    const uint32_t words[3] = {column->index->dims, (uint32_t)column->def.type, column->def.components};
    for (uint32_t w = 0; w < 3; w++) hash = (hash ^ words[w]) * UINT64_C(0x9E3779B97F4A7C15);
    for (const char *at = column->def.name; *at; at++) hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001B3);
  }
  return hash;
}

bool embed_knows(const void *self, const map_write *write, uint32_t bytes) {
  const embedding *e = self;
  if (write->before >= count_lasting(e)) return false;
  const clv_column *column = e->columns.data[write->before];
  return column->index->dims == write->i && column->size <= bytes && write->after <= bytes - column->size;
}

// Reading

clv_column *clv_column_find(const clv_map *view, const char *name) {
  const embedding *e = embedding_of(view);
  if (!e) return NULL;
  const uint64_t letters = first_letters(name);
  const uint32_t first = e->drawers[drawer_of(letters)];
  for (uint32_t k = first - 1; first && k < e->columns.count; k++)
    if (e->names.data[k] == letters && !strcmp(e->columns.data[k]->def.name, name)) return e->columns.data[k];
  return NULL;
}

clv_column *clv_column_list(const clv_map *view, uint32_t k) {
  const embedding *e = embedding_of(view);
  return e && k < e->columns.count ? e->columns.data[k] : NULL;
}

const clv_column_def *clv_column_get_def(const clv_column *column) {
  return &column->def;
}

size_t clv_column_size(const clv_column *column) {
  return column->size;
}

void *clv_column_at(const clv_column *column, clv_dart dart) {
  const map *m = column->map;
  const uint32_t id = map_index_get(m, column->index, dart);
  if (!id) return NULL;
  if (!(id & MAP_TEMPLATE_SLOT)) return column->slots.data + (size_t)id * column->size;
  const clv_dart cell = map_block(m, dart) << 6;
  const clv_page page = map_page(m, cell);
  const size_t slot = (size_t)map_row(page, cell) * clv_templates[page.kind].sub[column->index->inner].count +
                      (id & ~MAP_TEMPLATE_SLOT);
  return slot < column->rows[page.kind].capacity ? column->rows[page.kind].data + slot * column->size : NULL;
}

void *clv_column_of(const clv_column *column, clv_id id) {
  if (!clv_id_alive(&column->map->view, column->index->dims, id) || !column->index->crossing) return NULL;
  return column->slots.data + (size_t)id.index * column->size;
}

void *clv_column_data(const clv_column *column, clv_kind kind, uint32_t *count) {
  const bool by_row = map_is_template(kind) && !column->index->crossing;
  const bool by_slot = column->index->crossing ? kind == CLV_NONE : kind == CLV_POLYGON || kind == CLV_POLYHEDRON;
  if (count) *count = 0;
  if (by_row && count) *count = column->map->rows[kind].count * clv_templates[kind].sub[column->index->inner].count;
  if (by_slot && count) *count = column->index->count;
  return by_row ? column->rows[kind].data : by_slot ? column->slots.data : NULL;
}

clv_result clv_column_set(clv_column *column, clv_dart dart, const void *value) {
  map *m = column->map;
  if (!m->open)
    return map_fail(m, CLV_ERROR_ARGUMENT, "no transaction is open: outside one, write through clv_column_at");
  if (!clv_dart_alive(&m->view, dart)) return map_fail(m, CLV_ERROR_ARGUMENT, "dart %u does not exist", dart);
  if (column->def.passing)
    return map_fail(m, CLV_ERROR_ARGUMENT,
                    "column '%s' comes and goes, which no journal could tell: write through "
                    "clv_column_at",
                    column->def.name);
  if (!BASE_RESERVE(&m->allocator, &m->payload, (uint64_t)m->payload.count + column->size)) return map_no_memory(m);
  const map_write write = {.op = MAP_VALUE,
                           .i = (uint8_t)column->index->dims,
                           .dart = dart,
                           .before = column->number,
                           .after = m->payload.count};
  const clv_result result = map_write_log(m, write);
  if (result != CLV_OK) return result;
  memcpy(m->payload.data + m->payload.count, value, column->size);
  m->payload.count += (uint32_t)column->size;
  return CLV_OK;
}

size_t clv_column_bytes(const clv_map *view) {
  const embedding *e = embedding_of(view);
  size_t bytes = 0;
  for (uint32_t k = 0; e && k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    bytes += column->slots.capacity * column->size;
    for (uint32_t kind = 0; kind < MAP_TEMPLATES; kind++) bytes += column->rows[kind].capacity * column->size;
  }
  return bytes;
}
