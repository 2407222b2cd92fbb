// Storage and primitive writes; store.h tells the idea.

#include "map/store.h"

#include <stdarg.h>
#include <stdio.h>

clv_result map_fail(map *m, clv_result code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  m->error.code = code;
  vsnprintf(m->error.message, sizeof m->error.message, format, arguments);
  va_end(arguments);
  return code;
}

clv_result map_no_memory(map *m) {
  return map_fail(m, CLV_ERROR_MEMORY, "out of memory: the map is unchanged");
}

void map_publish(map *m) {
  m->view.pages = m->pages.data;
  m->view.page_count = m->pages.count;
  const map_index *vertices = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)];
  for (uint32_t kind = 0; kind < MAP_KINDS; kind++) {
    m->view.states[kind] = m->rows[kind].state.data;
    if (kind >= MAP_TEMPLATES) continue;
    m->view.links[kind] = m->rows[kind].data.data;
    m->view.corners[kind] = vertices ? vertices->ids[kind].data : NULL;
  }
}

// Darts and records

clv_dart map_record_name(const map *m, uint32_t record) {
  return m->records.pages.data[record >> 16] << CLV_PAGE_SHIFT | (record & 0xFFFFu);
}

uint32_t map_side(const map *m, clv_dart dart) {
  const uint32_t record = map_record(m, dart);
  if (record != MAP_NO_RECORD) return m->records.cell.data[record] >> 31;
  const clv_page page = map_page(m, dart);
  const uint32_t turned = m->rows[page.kind].state.data[map_row(page, dart)] & MAP_TURNED;
  return (dart & 1u) ^ (turned ? 1u : 0u);
}

clv_dart clv_alpha_facing(const clv_map *view, clv_dart link, uint32_t steps) {
  const map *m = map_read(view);
  if (map_record(m, link) == MAP_NO_RECORD)
    return (link & ~63u) | clv_templates[map_page(m, link).kind].turn[link & 63u][steps];
  for (uint32_t k = 0; k < steps; k++) link = clv_alpha(view, link, k & 1u);
  return link;
}

clv_dart clv_alpha_record(const clv_map *view, clv_dart dart, uint32_t i) {
  const map *m = map_read(view);
  if (i > view->dimension) return dart;
  const uint32_t record = map_record(m, dart);
  if (record != MAP_NO_RECORD) return m->records.alpha.data[4 * record + i];
  const clv_page page = map_page(m, dart);
  const clv_template *shape = &clv_templates[page.kind];
  if (i < shape->dimension) return (dart & ~63u) | shape->alpha[i][dart & 63u];
  const uint32_t facet = shape->facet[dart & 63u];
  const clv_dart link = m->rows[page.kind].data.data[map_row(page, dart) * shape->facet_count + facet];
  return link ? clv_alpha_facing(view, link, (dart & 63u) - shape->facet_first[facet]) : dart;
}

bool clv_dart_alive(const clv_map *view, clv_dart dart) {
  const map *m = map_read(view);
  if (dart >> CLV_PAGE_SHIFT >= m->pages.count) return false;
  const clv_page page = map_page(m, dart);
  if (page.kind == MAP_KIND_DARTS) {
    const uint32_t record = page.row + (dart & 0xFFFFu);
    return record < m->records.count && m->records.name.data[record] == dart;
  }
  if (!map_is_template(page.kind) || (dart & 63u) >= clv_templates[page.kind].dart_count) return false;
  const uint32_t row = map_row(page, dart);
  if (row >= m->rows[page.kind].count || !map_row_alive(m, page.kind, row)) return false;
  const uint32_t record = map_record(m, dart);
  return record == MAP_NO_RECORD || m->records.name.data[record] == dart;
}

bool map_dart_stored(const map *m, clv_dart dart) {
  if (dart >> CLV_PAGE_SHIFT >= m->pages.count) return false;
  const clv_page page = map_page(m, dart);
  if (page.kind == MAP_KIND_DARTS) return page.row + (dart & 0xFFFFu) < m->records.count;
  return map_is_template(page.kind) && (dart & 63u) < clv_templates[page.kind].dart_count &&
         map_row(page, dart) < m->rows[page.kind].count;
}

clv_dart clv_dart_next(const clv_map *view, clv_dart dart) {
  const map *m = map_read(view);
  const uint64_t end = (uint64_t)m->pages.count << CLV_PAGE_SHIFT;
  for (uint64_t d = dart ? (uint64_t)dart + 1 : 1u << CLV_PAGE_SHIFT; d < end; d++) {
    const clv_page page = map_page(m, (clv_dart)d);
    const bool darts = page.kind == MAP_KIND_DARTS;
    const uint32_t at = darts ? page.row + (uint32_t)(d & 0xFFFFu) : map_row(page, (clv_dart)d);
    const uint32_t count = darts ? m->records.count : map_is_template(page.kind) ? m->rows[page.kind].count : 0;
    if (at >= count) { // nothing more in this page
      d |= (1u << CLV_PAGE_SHIFT) - 1u;
    } else if (clv_dart_alive(view, (clv_dart)d)) {
      return (clv_dart)d;
    } else if (!darts && !map_row_alive(m, page.kind, at)) {
      d |= 63u;
    }
  }
  return CLV_NO_DART;
}

uint64_t clv_dart_count(const clv_map *view) {
  const map *m = map_read(view);
  uint64_t count = m->records.alive;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++)
    count += (uint64_t)m->rows[kind].alive * clv_templates[kind].dart_count;
  for (uint32_t p = 0; p < m->pages.count; p++) // extended cells were counted twice
    count -= (uint64_t)m->pages.data[p].extended *
             (map_is_template(m->pages.data[p].kind) ? clv_templates[m->pages.data[p].kind].dart_count : 0);
  return count;
}

// Pages, rows and records

// The records of a page's blocks: those of darts of their own are known, of cells none has any yet.
static void fill_seats(map *m, uint32_t number) {
  const clv_page page = m->pages.data[number];
  const bool darts = page.kind == MAP_KIND_DARTS;
  uint32_t *seats = m->seats.data + ((size_t)number << 10);
  for (uint32_t k = 0; k <= CLV_BLOCK_MASK; k++) seats[k] = darts ? page.row + 64 * k : MAP_NO_RECORD;
  m->seats.count = (number + 1) << 10;
}

// Pages for all that room was asked for, of every kind: each may be taken up before another is asked for.
static bool reserve_pages(map *m) {
  uint64_t need = 1 + ((m->records.room + 0xFFFFu) >> 16);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_KINDS; kind++)
    need += (m->rows[kind].room + CLV_BLOCK_MASK) >> 10;
  if (need > 1u << 16 || !BASE_RESERVE(&m->allocator, &m->pages, need)) return false;
  if (!m->records.room && !m->rows[CLV_POLYGON].room && !m->rows[CLV_POLYHEDRON].room) return true; // all are plain
  // Who asks for records mostly refines, and more pages come: the first of them find room.
  const bool enough = need << 10 <= m->seats.capacity;
  if (!enough && !BASE_RESERVE(&m->allocator, &m->seats, (need + need / 4) << 10)) return false;
  while (m->seats.count < m->pages.count << 10) fill_seats(m, m->seats.count >> 10);
  return true;
}

static void page_add(map *m, map_words *list, uint8_t kind, uint32_t row) {
  list->data[list->count++] = m->pages.count;
  m->pages.data[m->pages.count++] = (clv_page){row, kind, map_is_template(kind), 0};
  m->view.page_count = m->pages.count;
  if (m->seats.count) fill_seats(m, m->pages.count - 1);
}

static void page_remove(map *m, map_words *list) {
  list->count--;
  m->view.page_count = --m->pages.count;
  if (m->seats.count) m->seats.count = m->pages.count << 10;
}

static bool rows_reserve_arrays(map *m, uint32_t kind, uint64_t need) {
  map_rows *rows = &m->rows[kind];
  const clv_allocator *a = &m->allocator;
  const uint64_t pages = (need + CLV_BLOCK_MASK) >> 10;
  if (!BASE_RESERVE(a, &rows->data, need * rows->words) || !BASE_RESERVE(a, &rows->state, need)) return false;
  if (!BASE_RESERVE(a, &rows->pages, pages)) return false;
  const uint64_t room = rows->room;
  if (need > room) rows->room = need;
  if (!reserve_pages(m)) {
    rows->room = room;
    return false;
  }
  for (uint32_t dims = 0; dims < MAP_INDICES && map_is_template(kind); dims++) {
    map_index *index = m->indices[dims];
    if (!index || !index->crossing) continue;
    if (!BASE_RESERVE(a, &index->ids[kind], need * clv_templates[kind].sub[index->inner].count)) return false;
  }
  return true;
}

bool map_rows_reserve(map *m, uint32_t kind, uint64_t more) {
  const uint64_t need = m->rows[kind].count + more;
  if (need <= m->rows[kind].ready) return true;
  const bool done = rows_reserve_arrays(m, kind, need);
  if (done) m->rows[kind].ready = need;
  map_publish(m); // some arrays may have moved even when others could not
  return done;
}

static void clear_words(uint32_t *words, size_t count) {
  for (size_t k = 0; k < count; k++) words[k] = 0;
}

// Rows that follow one another.
static void clear_rows(map *m, uint32_t kind, uint32_t row, uint32_t count) {
  const map_rows *rows = &m->rows[kind];
  clear_words(&rows->data.data[(size_t)row * rows->words], (size_t)count * rows->words);
  for (uint32_t k = 0; k < m->numbered_count && map_is_template(kind); k++) {
    const map_index *index = m->numbered[k];
    const uint32_t width = clv_templates[kind].sub[index->inner].count;
    if (index->crossing) clear_words(&index->ids[kind].data[(size_t)row * width], (size_t)count * width);
  }
}

// One that nobody uses; there is one.
static uint32_t reuse_row(map *m, uint32_t kind) {
  map_rows *rows = &m->rows[kind];
  const uint32_t row = rows->free - 1;
  rows->free = rows->data.data[(size_t)row * rows->words];
  rows->state.data[row] = (uint16_t)((rows->state.data[row] & MAP_GENERATION) + 1);
  return row;
}

// So many behind the last; the first of them.
static uint32_t append_rows(map *m, uint32_t kind, uint32_t count) {
  map_rows *rows = &m->rows[kind];
  const uint32_t first = rows->count;
  while ((uint64_t)rows->pages.count << 10 < (uint64_t)first + count)
    page_add(m, &rows->pages, (uint8_t)kind, rows->pages.count << 10);
  rows->count += count;
  for (uint32_t k = 0; k < count; k++) rows->state.data[first + k] = 1;
  return first;
}

uint32_t map_rows_take(map *m, uint32_t kind, bool *fresh) {
  *fresh = m->rows[kind].free == 0;
  const uint32_t row = *fresh ? append_rows(m, kind, 1) : reuse_row(m, kind);
  clear_rows(m, kind, row, 1);
  m->rows[kind].alive++;
  return row;
}

void map_rows_append(map *m, uint32_t kind, uint32_t count) {
  const map_rows *rows = &m->rows[kind];
  const uint32_t first = append_rows(m, kind, count);
  m->rows[kind].alive += count;
  if (count) memset(&rows->data.data[first * rows->words], 0, (size_t)count * rows->words * sizeof(uint32_t));
}

void map_rows_give(map *m, uint32_t kind, uint32_t row) {
  map_rows *rows = &m->rows[kind];
  if ((rows->state.data[row] & MAP_GENERATION) == MAP_LAST_GENERATION) {
    rows->retired++;
    return;
  }
  rows->data.data[row * rows->words] = rows->free;
  rows->free = row + 1;
}

// Takes back what map_rows_take gave, as if it had never been asked: the state before is that of a dead row.
static void rows_untake(map *m, uint32_t kind, uint32_t row, bool fresh) {
  map_rows *rows = &m->rows[kind];
  rows->alive--;
  rows->state.data[row]--;
  if (!fresh) {
    map_rows_give(m, kind, row);
    return;
  }
  rows->count--;
  if ((row & CLV_BLOCK_MASK) == 0) page_remove(m, &rows->pages);
}

static bool records_reserve_arrays(map *m, uint64_t need) {
  map_records *records = &m->records;
  const clv_allocator *a = &m->allocator;
  const uint64_t pages = (need + 0xFFFFu) >> 16;
  if (!BASE_RESERVE(a, &records->alpha, 4 * need) || !BASE_RESERVE(a, &records->cell, need)) return false;
  if (!BASE_RESERVE(a, &records->name, need) || !BASE_RESERVE(a, &records->pages, pages)) return false;
  if (!BASE_RESERVE(a, &records->level, need)) return false;
  const uint64_t room = records->room;
  if (need > room) records->room = need;
  if (!reserve_pages(m)) {
    records->room = room;
    return false;
  }
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++)
    if (m->indices[dims] && !BASE_RESERVE(a, &m->indices[dims]->record_ids, need)) return false;
  return true;
}

bool map_records_reserve(map *m, uint64_t more) {
  enum { AT_ONCE = 2048 }; // who extends one cell extends its neighbours, too
  const uint64_t need = m->records.count + more;
  if (need <= m->records.ready) return true;
  const uint64_t twice = 2 * m->records.ready, whole = need + AT_ONCE > twice ? need + AT_ONCE : twice;
  const bool done = records_reserve_arrays(m, whole);
  if (done) m->records.ready = whole;
  map_publish(m);
  return done;
}

static uint32_t append_records(map *m, uint32_t length) {
  map_records *records = &m->records;
  const uint32_t record = records->count;
  records->count += length;
  while ((uint64_t)records->pages.count << 16 < records->count)
    page_add(m, &records->pages, MAP_KIND_DARTS, records->pages.count << 16);
  return record;
}

uint32_t map_records_take(map *m, uint32_t length, bool *fresh) {
  map_records *records = &m->records;
  uint32_t record = records->free[length];
  *fresh = record == 0;
  if (record) {
    record--;
    records->free[length] = records->alpha.data[4 * (size_t)record];
  } else {
    record = append_records(m, length);
  }
  records->alive += length;
  return record;
}

void map_records_give(map *m, uint32_t record, uint32_t length) {
  for (uint32_t k = 0; k < length; k++) m->records.name.data[record + k] = 0;
  m->records.alpha.data[4 * (size_t)record] = m->records.free[length];
  m->records.free[length] = record + 1;
}

static void records_untake(map *m, uint32_t record, uint32_t length, bool fresh) {
  m->records.alive -= length;
  if (!fresh) {
    map_records_give(m, record, length);
    return;
  }
  m->records.count -= length;
  while (m->records.pages.count && (uint64_t)(m->records.pages.count - 1) << 16 >= m->records.count)
    page_remove(m, &m->records.pages);
}

// Primitive writes

// Twice as many: it is kept from transaction to transaction.
bool map_log_grow(map *m, uint32_t more) {
  return BASE_RESERVE(&m->allocator, &m->log, (uint64_t)m->log.count + more + m->log.capacity);
}

static uint32_t *link_word(map *m, clv_dart facet_first) {
  const clv_page page = map_page(m, facet_first);
  const clv_template *shape = &clv_templates[page.kind];
  return &m->rows[page.kind]
              .data.data[map_row(page, facet_first) * shape->facet_count + shape->facet[facet_first & 63u]];
}

void map_put_link(map *m, clv_dart facet_first, clv_dart link) {
  uint32_t *word = link_word(m, facet_first);
  m->log.data[m->log.count++] = (map_write){.op = MAP_LINK, .dart = facet_first, .before = *word, .after = link};
  *word = link;
}

clv_result map_link(map *m, clv_dart facet_first, clv_dart link) {
  if (!map_log_reserve(m, 1)) return map_no_memory(m);
  map_put_link(m, facet_first, link);
  return CLV_OK;
}

static void set_extended(map *m, clv_dart cell, uint32_t first) {
  clv_page *page = &m->pages.data[cell >> CLV_PAGE_SHIFT];
  m->rows[page->kind].state.data[map_row(*page, cell)] |= MAP_EXTENDED;
  *link_word(m, cell) = m->seats.data[cell >> 6] = first;
  page->extended++;
  page->plain = false;
}

static void set_plain(map *m, clv_dart cell) {
  clv_page *page = &m->pages.data[cell >> CLV_PAGE_SHIFT];
  m->rows[page->kind].state.data[map_row(*page, cell)] &= (uint16_t)~MAP_EXTENDED;
  m->seats.data[cell >> 6] = MAP_NO_RECORD;
  page->extended--;
  page->plain = page->extended == 0;
}

void map_read_facet(const map *m, clv_dart link, uint32_t size, uint32_t *beyond) {
  const clv_page page = map_page(m, link);
  if (map_record(m, link) == MAP_NO_RECORD) {
    const uint8_t *turn = clv_templates[page.kind].turn[link & 63u];
    for (uint32_t k = 0; k < size; k++) beyond[4 * k] = (link & ~63u) | turn[k];
    return;
  }
  map_seat at = map_seat_of(m, link);
  for (uint32_t k = 0; k < size; k++) {
    beyond[4 * k] = at.dart;
    at = map_follow(m, at, k & 1u);
  }
}

static void copy_facing(const map *m, clv_dart cell, const clv_template *shape, uint32_t first) {
  const clv_page page = map_page(m, cell);
  const uint32_t *facets = &m->rows[page.kind].data.data[(size_t)map_row(page, cell) * shape->facet_count];
  uint32_t *facing = m->records.alpha.data + 4 * (size_t)first + shape->dimension;
  for (uint32_t f = 0; f < shape->facet_count; f++)
    if (facets[f]) map_read_facet(m, facets[f], shape->facet_size[f], facing + 4 * (size_t)shape->facet_first[f]);
}

// The darts of a cell are those of its template; how many they are the caller mostly knows.
CLV_INLINE void copy_to_records(map *m, clv_dart cell, const clv_template *shape, uint32_t first, uint32_t count) {
  const map_records *records = &m->records;
  const clv_page page = map_page(m, cell);
  const uint32_t row = map_row(page, cell);
  const uint32_t turned = m->rows[page.kind].state.data[row] & MAP_TURNED ? MAP_SIDE : 0;
  uint32_t *alpha = records->alpha.data + 4 * (size_t)first;
  uint32_t *cells = records->cell.data + first, *names = records->name.data + first;
  const uint32_t *constants = map_template_links[page.kind][0];
  for (uint32_t k = 0; k < 4 * count; k++) alpha[k] = cell + constants[k]; // beyond the cell they lead nowhere yet
  for (uint32_t l = 0; l < count; l++) cells[l] = (cell >> 6 | turned) ^ (l & 1u ? MAP_SIDE : 0);
  for (uint32_t l = 0; l < count; l++) names[l] = cell + l;
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const map_index *index = m->numbered[k];
    const clv_suborbits *sub = &shape->sub[index->inner];
    uint32_t *ids = index->record_ids.data + first;
    if (!index->crossing) {
      for (uint32_t l = 0; l < count; l++) ids[l] = MAP_TEMPLATE_SLOT | sub->of[l];
      continue;
    }
    const uint32_t *own = &index->ids[page.kind].data[(size_t)row * sub->count];
    for (uint32_t l = 0; l < count; l += 2) { // a0 joins even darts and odd ones
      ids[l] = own[sub->of[l]];
      ids[l + 1] = own[sub->of[l + 1]];
    }
  }
}

clv_result map_extend(map *m, clv_dart dart) {
  if (map_record(m, dart) != MAP_NO_RECORD) return CLV_OK;
  const clv_dart cell = dart & ~63u;
  const clv_page page = map_page(m, cell);
  const clv_template *shape = &clv_templates[page.kind];
  if (!map_records_reserve(m, shape->dart_count)) return map_no_memory(m);
  if (!BASE_RESERVE(&m->allocator, &m->log, (uint64_t)m->log.count + 1)) return map_no_memory(m);
  bool fresh;
  const uint32_t first = map_records_take(m, shape->dart_count, &fresh);
  if (page.kind == CLV_TET)
    copy_to_records(m, cell, shape, first, 24);
  else
    copy_to_records(m, cell, shape, first, shape->dart_count);
  copy_facing(m, cell, shape, first);
  const map_write write = {
      .op = MAP_EXTEND, .fresh = fresh, .dart = cell, .before = *link_word(m, cell), .after = first};
  set_extended(m, cell, first);
  return map_write_log(m, write);
}

uint32_t map_extend_empty(map *m, clv_dart cell) {
  bool fresh;
  const uint32_t count = clv_templates[map_page(m, cell).kind].dart_count, first = map_records_take(m, count, &fresh);
  memset(&m->records.name.data[first], 0, count * sizeof *m->records.name.data);
  for (uint32_t k = 0; k < m->numbered_count; k++)
    memset(&m->numbered[k]->record_ids.data[first], 0, count * sizeof(uint32_t));
  set_extended(m, cell, first);
  return first;
}

void map_unextend(map *m, clv_dart cell, const uint32_t *links) {
  const clv_page page = map_page(m, cell);
  const clv_template *shape = &clv_templates[page.kind];
  uint32_t *words = link_word(m, cell);
  const uint32_t first = *words;
  for (uint32_t l = 0; l < shape->dart_count; l++) m->records.alive -= m->records.name.data[first + l] != 0;
  map_records_give(m, first, shape->dart_count);
  for (uint32_t f = 0; f < shape->facet_count; f++) words[f] = links ? links[f] : 0;
  set_plain(m, cell);
}

clv_result map_cell_add(map *m, clv_kind kind, clv_dart *dart) {
  if (!map_rows_reserve(m, kind, 1)) return map_no_memory(m);
  if (!BASE_RESERVE(&m->allocator, &m->log, (uint64_t)m->log.count + 1)) return map_no_memory(m);
  bool fresh;
  const uint32_t row = map_rows_take(m, kind, &fresh);
  *dart = map_cell_dart(m, kind, row);
  return map_write_log(m, (map_write){.op = MAP_CELL_ADD, .i = (uint8_t)kind, .fresh = fresh, .dart = *dart});
}

void map_put_cells(map *m, clv_kind kind, uint32_t count, clv_dart *cells) {
  map_write *log = map_log_end(m);
  uint32_t reused = 0;
  for (; reused < count && m->rows[kind].free; reused++) {
    const uint32_t row = reuse_row(m, kind);
    clear_rows(m, kind, row, 1);
    cells[reused] = map_cell_dart(m, kind, row);
  }
  if (reused < count) {
    const uint32_t first = append_rows(m, kind, count - reused);
    clear_rows(m, kind, first, count - reused);
    for (uint32_t k = reused; k < count; k++) cells[k] = map_cell_dart(m, kind, first + k - reused);
  }
  for (uint32_t k = 0; k < count; k++)
    log[k] = (map_write){.op = MAP_CELL_ADD, .i = (uint8_t)kind, .fresh = k >= reused, .dart = cells[k]};
  map_log_set_end(m, log + count);
  m->rows[kind].alive += count;
}

clv_result map_cell_drop(map *m, clv_dart dart) {
  const clv_dart cell = dart & ~63u;
  const clv_result result = map_write_log(m, (map_write){.op = MAP_CELL_DROP, .dart = cell});
  if (result != CLV_OK) return result;
  const clv_page page = map_page(m, cell);
  m->rows[page.kind].state.data[map_row(page, cell)]++;
  m->rows[page.kind].alive--;
  return CLV_OK;
}

clv_result map_dart_add(map *m, uint32_t side, clv_dart *dart) {
  return map_dart_hang(m, side, -1, 0, dart);
}

clv_result map_dart_hang(map *m, uint32_t side, int32_t level, uint32_t block, clv_dart *dart) {
  if (!map_records_reserve(m, 1) || !map_log_reserve(m, 1)) return map_no_memory(m);
  const uint32_t cell = side << 31 | block;
  map_seat seat;
  map_hang(m, 1, &cell, level, &seat);
  *dart = seat.dart;
  return CLV_OK;
}

// Seats for so many darts; those that nobody uses come first, and that is how many they are.
static uint32_t take_seats(map *m, uint32_t count, map_seat *seats) {
  map_records *records = &m->records;
  uint32_t free = records->free[1], reused = 0;
  for (; reused < count && free; reused++) {
    seats[reused] = (map_seat){map_record_name(m, free - 1), free - 1};
    free = records->alpha.data[4 * (size_t)(free - 1)];
  }
  records->free[1] = free;
  records->alive += count;
  if (reused == count) return reused;
  const uint32_t next = append_records(m, count - reused);
  const clv_dart name = map_record_name(m, next);
  const bool one_page = next >> 16 == (next + count - reused - 1) >> 16;
  for (uint32_t k = reused, ahead = 0; k < count; k++, ahead++)
    seats[k] = (map_seat){one_page ? name + ahead : map_record_name(m, next + ahead), next + ahead};
  return reused;
}

// Of records that follow one another, mostly of one, or of the four that come into the middle of an edge: no call is
// worth that.
static void clear_ids(map *m, uint32_t record, uint32_t length) {
  map_index *const *const end = m->numbered + m->numbered_count;
  for (map_index *const *index = m->numbered; index < end; index++) {
    uint32_t *ids = &(*index)->record_ids.data[record];
    if (length == 1)
      *ids = 0;
    else if (length == 4)
      memset(ids, 0, 4 * sizeof *ids);
    else
      memset(ids, 0, length * sizeof *ids);
  }
}

// What is read again and again lies in local variables: bytes that are written may be anything.
CLV_INLINE void hang(map *m, const map_seat *seats, const uint32_t *cells, uint32_t count, uint8_t above, bool fresh) {
  const map_records *records = &m->records;
  map_write *log = map_log_end(m);
  uint32_t *const links = records->alpha.data, *const cell = records->cell.data, *const name = records->name.data;
  uint8_t *const levels = records->level.data;
  for (uint32_t k = 0; k < count; k++, log++) {
    const map_seat seat = seats[k];
    const uint32_t in = cells[k];
    uint32_t *alpha = links + 4 * (size_t)seat.record;
    alpha[0] = alpha[1] = alpha[2] = alpha[3] = seat.dart;
    cell[seat.record] = in;
    name[seat.record] = seat.dart;
    levels[seat.record] = above;
    log->op = MAP_DART_ADD;
    log->i = above;
    log->fresh = fresh;
    log->dart = seat.dart;
    log->before = in & MAP_BLOCK;
    log->after = in >> 31;
  }
  map_log_set_end(m, log);
}

void map_hang(map *m, uint32_t count, const uint32_t *cells, int32_t level, map_seat *seats) {
  const uint32_t reused = take_seats(m, count, seats);
  for (uint32_t k = 0; k < reused; k++) clear_ids(m, seats[k].record, 1);
  if (reused < count) clear_ids(m, seats[reused].record, count - reused);
  hang(m, seats, cells, reused, (uint8_t)(level + 1), false);
  hang(m, seats + reused, cells + reused, count - reused, (uint8_t)(level + 1), true);
}

clv_result map_dart_drop(map *m, clv_dart dart) {
  const uint32_t record = map_record(m, dart);
  const clv_result result = map_write_log(m, (map_write){.op = MAP_DART_DROP, .dart = dart});
  if (result != CLV_OK) return result;
  m->records.name.data[record] = 0;
  m->records.alive--;
  return CLV_OK;
}

static void change_sides(map *m, clv_dart cell) {
  const clv_page page = map_page(m, cell);
  m->rows[page.kind].state.data[map_row(page, cell)] ^= MAP_TURNED;
}

clv_result map_turn(map *m, clv_dart dart) {
  const clv_result result = map_write_log(m, (map_write){.op = MAP_TURN, .dart = dart & ~63u});
  if (result == CLV_OK) change_sides(m, dart & ~63u);
  return result;
}

void map_take_ids(map *m, clv_dart dart, uint8_t apart, clv_dart source) {
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    map_index *index = m->numbered[k];
    if (!index->crossing || (index->dims & apart) != apart) continue;
    const uint32_t id = map_index_get(m, index, source);
    if (id) map_index_set(m, index, dart, id);
  }
}

clv_result map_inherit(map *m, clv_dart dart, uint8_t apart, clv_dart source, clv_dart place) {
  const map_write write = {.op = MAP_INHERIT, .i = apart, .dart = dart, .before = source, .after = place};
  const clv_result result = map_write_log(m, write);
  if (result == CLV_OK) map_take_ids(m, dart, apart, source);
  return result;
}

static void undo(map *m, map_write w) {
  const clv_page page = map_page(m, w.dart);
  switch ((map_op)w.op) {
  case MAP_LINK:
    *link_word(m, w.dart) = w.before;
    break;
  case MAP_ALPHA:
    m->records.alpha.data[4 * map_record(m, w.dart) + w.i] = w.before;
    break;
  case MAP_EXTEND:
    set_plain(m, w.dart);
    *link_word(m, w.dart) = w.before;
    records_untake(m, w.after, clv_templates[page.kind].dart_count, w.fresh);
    break;
  case MAP_CELL_ADD:
    rows_untake(m, page.kind, map_row(page, w.dart), w.fresh);
    break;
  case MAP_CELL_DROP:
    m->rows[page.kind].state.data[map_row(page, w.dart)]--;
    m->rows[page.kind].alive++;
    break;
  case MAP_DART_ADD:
    records_untake(m, map_record(m, w.dart), 1, w.fresh);
    break;
  case MAP_DART_DROP:
    m->records.name.data[map_record(m, w.dart)] = w.dart;
    m->records.alive++;
    break;
  case MAP_TURN:
    change_sides(m, w.dart);
    break;
  case MAP_PARENTS:
  case MAP_INHERIT: // the ids go with the cell
    break;
  case MAP_VALUE:
    m->payload.count = w.after;
    break;
  }
}

void map_undo(map *m, uint32_t mark) {
  m->undone += m->log.count > mark;
  while (m->log.count > mark) undo(m, m->log.data[--m->log.count]);
  if (m->steady > mark) m->steady = mark;
  if (m->divided > mark) m->divided = UINT32_MAX; // what is told was undone in part
}
