// Journals: the log of every commit, kept, and played again.
//
// What a transaction logs to be able to undo it is also enough to do it again: primitive writes, in order. Rows and
// records are taken from free lists that depend only on what was done before, and the commit is deterministic, so a
// replay on an equal map gives equal bits. Each write is checked against what it did the first time; a map that is not
// equal is refused.

#include "map/plan.h"

typedef struct journal_commit {
  uint32_t write_count, payload_count;
} journal_commit;

struct clv_journal {
  map *map;
  uint32_t dimension;
  uint64_t start_hash;
  uint64_t columns;
  BASE_ARRAY(journal_commit) commits;
  BASE_ARRAY(map_write) writes;
  BASE_ARRAY(uint8_t) payload;
};

static uint64_t columns_of(const map *m) {
  return m->embedding.describe ? m->embedding.describe(m->embedding.self) : 0;
}

// Where a recording starts: what a map must be like to replay it.
static void mark_start(clv_journal *journal) {
  journal->start_hash = clv_map_hash(&journal->map->view);
  journal->columns = columns_of(journal->map);
}

clv_journal *clv_journal_create(clv_map *view) {
  map *m = map_of(view);
  if (m->open || !BASE_RESERVE(&m->allocator, &m->journals, (uint64_t)m->journals.count + 1)) return NULL;
  clv_journal *journal = base_allocate(&m->allocator, sizeof *journal);
  if (!journal) return NULL;
  *journal = (clv_journal){.map = m, .dimension = view->dimension};
  mark_start(journal);
  m->journals.data[m->journals.count++] = journal;
  return journal;
}

void clv_journal_clear(clv_journal *journal) {
  const clv_allocator *allocator = &journal->map->allocator;
  BASE_RELEASE(allocator, &journal->commits);
  BASE_RELEASE(allocator, &journal->writes);
  BASE_RELEASE(allocator, &journal->payload);
  mark_start(journal);
}

void clv_journal_destroy(clv_journal *journal) {
  if (!journal) return;
  map *m = journal->map;
  uint32_t kept = 0;
  for (uint32_t k = 0; k < m->journals.count; k++)
    if (m->journals.data[k] != journal) m->journals.data[kept++] = m->journals.data[k];
  m->journals.count = kept;
  BASE_RELEASE(&m->allocator, &journal->commits);
  BASE_RELEASE(&m->allocator, &journal->writes);
  BASE_RELEASE(&m->allocator, &journal->payload);
  base_free(&m->allocator, journal, sizeof *journal);
}

uint64_t clv_journal_commits(const clv_journal *journal) {
  return journal->commits.count;
}

size_t clv_journal_bytes(const clv_journal *journal) {
  return journal->commits.capacity * sizeof *journal->commits.data +
         journal->writes.capacity * sizeof *journal->writes.data + journal->payload.capacity;
}

// What the next commits will write to is asked for ahead of them: a write to where nobody has been waits for the
// memory.
bool map_journals_reserve(map *m) {
  enum { AHEAD = 8 };
  const clv_allocator *a = &m->allocator;
  for (uint32_t k = 0; k < m->journals.count; k++) {
    clv_journal *j = m->journals.data[k];
    if (!BASE_RESERVE(a, &j->commits, (uint64_t)j->commits.count + 1 + AHEAD)) return false;
    if (!BASE_RESERVE(a, &j->writes, (uint64_t)j->writes.count + m->log.count + AHEAD)) return false;
    if (!BASE_RESERVE(a, &j->payload, (uint64_t)j->payload.count + m->payload.count)) return false;
    CLV_PREFETCH(j->commits.data + j->commits.count + AHEAD);
    CLV_PREFETCH(j->writes.data + j->writes.count + m->log.count + AHEAD - 1);
  }
  return true;
}

void map_journals_append(map *m) {
  for (uint32_t k = 0; k < m->journals.count; k++) {
    clv_journal *j = m->journals.data[k];
    j->commits.data[j->commits.count++] = (journal_commit){m->log.count, m->payload.count};
    memcpy(j->writes.data + j->writes.count, m->log.data, m->log.count * sizeof *m->log.data);
    j->writes.count += m->log.count;
    if (m->payload.count) memcpy(j->payload.data + j->payload.count, m->payload.data, m->payload.count);
    j->payload.count += m->payload.count;
  }
}

// Whether a dart is the first of a facet of a plain cell, which its row tells the link of.
static bool has_link(const map *m, clv_dart dart) {
  const clv_page page = map_page(m, dart);
  if (!map_is_template(page.kind) || !map_dart_plain(m, dart)) return false;
  const clv_template *shape = &clv_templates[page.kind];
  return shape->facet_first[shape->facet[dart & 63u]] == (dart & 63u);
}

// Whether there is a cell in a block.
static bool is_cell(const map *m, uint32_t block) {
  if (block & ~MAP_BLOCK || block << 6 >> CLV_PAGE_SHIFT >= m->pages.count) return false;
  const clv_page page = map_page(m, block << 6);
  const uint32_t row = map_row(page, block << 6);
  return page.kind != CLV_NONE && page.kind < MAP_KINDS && row < m->rows[page.kind].count &&
         map_row_alive(m, page.kind, row);
}

// Whether a dart that is there is the first of a template cell.
static bool is_first(const map *m, clv_dart dart) {
  return map_is_template(map_page(m, dart).kind) && !(dart & 63u);
}

// Does one write again; *same becomes false when it does not come out as it did.
static clv_result redo(map *m, map_write w, bool *same) {
  clv_dart dart = w.dart;
  clv_result result = CLV_OK;
  const uint32_t at = m->log.count;
  const bool creates = w.op == MAP_CELL_ADD || w.op == MAP_DART_ADD;
  *same = creates || clv_dart_alive(&m->view, w.dart);
  if (!*same) return CLV_OK;
  switch ((map_op)w.op) {
  case MAP_LINK:
    *same = has_link(m, w.dart) && (!w.after || clv_dart_alive(&m->view, w.after));
    if (*same) result = map_link(m, w.dart, w.after);
    break;
  case MAP_ALPHA:
    *same = map_record(m, w.dart) != MAP_NO_RECORD && clv_dart_alive(&m->view, w.after) &&
            (w.i == m->view.dimension || map_record(m, w.after) != MAP_NO_RECORD);
    if (*same) result = map_set_alpha(m, w.dart, w.i, w.after);
    break;
  case MAP_EXTEND:
    result = map_extend(m, w.dart);
    break;
  case MAP_CELL_ADD:
    result = map_cell_add(m, (clv_kind)w.i, &dart);
    break;
  case MAP_CELL_DROP:
    *same = is_first(m, w.dart);
    if (*same) result = map_cell_drop(m, w.dart);
    break;
  case MAP_DART_ADD:
    *same = w.after <= 1 && (!w.before || is_cell(m, w.before));
    if (*same) result = map_dart_hang(m, w.after, (int32_t)w.i - 1, w.before, &dart);
    break;
  case MAP_DART_DROP:
    *same = map_record(m, w.dart) != MAP_NO_RECORD;
    if (*same) result = map_dart_drop(m, w.dart);
    break;
  case MAP_TURN:
    *same = is_first(m, w.dart);
    if (*same) result = map_turn(m, w.dart);
    break;
  case MAP_INHERIT:
    *same = map_is_template(map_page(m, w.dart).kind) && clv_dart_alive(&m->view, w.before) &&
            (!w.after || clv_dart_alive(&m->view, w.after));
    if (*same) result = map_inherit(m, w.dart, w.i, w.before, w.after);
    break;
  case MAP_PARENTS:
    *same = map_dart_stored(m, w.before) && map_dart_stored(m, w.after); // the edit may have dropped them
    if (*same) result = map_write_log(m, w);
    break;
  case MAP_VALUE:
    *same = m->embedding.knows && m->embedding.knows(m->embedding.self, &w, m->payload.count);
    if (*same) result = map_write_log(m, w);
    break;
  }
  if (result == CLV_OK) *same = *same && m->log.count == at + 1 && !memcmp(&m->log.data[at], &w, sizeof w);
  return result;
}

static clv_result replay_commit(map *m, const map_write *writes, const uint8_t *payload, journal_commit commit,
                                uint32_t number) {
  clv_result result = clv_map_begin(&m->view);
  if (result != CLV_OK) return result;
  if (!BASE_RESERVE(&m->allocator, &m->payload, commit.payload_count)) result = map_no_memory(m);
  if (result == CLV_OK && payload && commit.payload_count) memcpy(m->payload.data, payload, commit.payload_count);
  if (result == CLV_OK) m->payload.count = commit.payload_count;
  bool same = true;
  for (uint32_t k = 0; result == CLV_OK && same && k < commit.write_count; k++) result = redo(m, writes[k], &same);
  if (result == CLV_OK && !same)
    result = map_fail(m, CLV_ERROR_INPUT, "commit %u of the journal does not fit this map: it was recorded on another",
                      number);
  if (result == CLV_OK) result = clv_map_commit(&m->view);
  if (result != CLV_OK) clv_map_rollback(&m->view);
  return result;
}

clv_result clv_journal_fits(const clv_journal *journal, clv_map *view) {
  map *m = map_of(view);
  if (m->open) return map_fail(m, CLV_ERROR_ARGUMENT, "a journal cannot be replayed inside a transaction");
  if (m->view.dimension != journal->dimension || clv_map_hash(&m->view) != journal->start_hash)
    return map_fail(m, CLV_ERROR_INPUT, "the map is not as the recorded one was when the journal began");
  if (columns_of(m) != journal->columns)
    return map_fail(m, CLV_ERROR_INPUT, "the map has other columns than the recorded one had when the journal began");
  return CLV_OK;
}

clv_result clv_journal_replay_some(const clv_journal *journal, clv_map *view, uint64_t first, uint64_t end) {
  map *m = map_of(view);
  if (m->open) return map_fail(m, CLV_ERROR_ARGUMENT, "a journal cannot be replayed inside a transaction");
  if (first > end || end > journal->commits.count)
    return map_fail(m, CLV_ERROR_ARGUMENT, "the journal has %u commits, and not those that are to be replayed",
                    journal->commits.count);
  const map_write *writes = journal->writes.data;
  const uint8_t *payload = journal->payload.data;
  for (uint32_t k = 0; k < end; k++) {
    const journal_commit commit = journal->commits.data[k];
    const clv_result result = k < first ? CLV_OK : replay_commit(m, writes, payload, commit, k);
    if (result != CLV_OK) return result;
    writes += commit.write_count;
    if (payload) payload += commit.payload_count;
  }
  return CLV_OK;
}

clv_result clv_journal_replay(const clv_journal *journal, clv_map *view) {
  const clv_result result = clv_journal_fits(journal, view);
  return result == CLV_OK ? clv_journal_replay_some(journal, view, 0, journal->commits.count) : result;
}

// Bytes: a head, the commits, their writes, their payload, one behind the other as they lie in memory. The first word
// also says whether the machine that reads orders its bytes as the one that wrote.

#define JOURNAL_MAGIC UINT64_C(0x314C4E524A564C43) // "CLVJRNL1"

typedef struct journal_head {
  uint64_t magic, checksum; // of all that follows
  uint64_t start_hash, columns;
  uint32_t dimension, commit_count, write_count, payload_count;
} journal_head;

static uint64_t checksum(uint64_t hash, const void *data, size_t size) {
  const uint8_t *bytes = data;
  for (size_t k = 0; k < size; k++) hash = (hash ^ bytes[k]) * UINT64_C(0x100000001B3);
  return hash;
}

static uint64_t checksum_head(const journal_head *head) {
  return checksum(UINT64_C(0xCBF29CE484222325), &head->start_hash, sizeof *head - offsetof(journal_head, start_hash));
}

static size_t bytes_behind(const journal_head *head) {
  return (size_t)head->commit_count * sizeof(journal_commit) + (size_t)head->write_count * sizeof(map_write) +
         head->payload_count;
}

static journal_head head_of(const clv_journal *journal) {
  return (journal_head){.magic = JOURNAL_MAGIC,
                        .start_hash = journal->start_hash,
                        .columns = journal->columns,
                        .dimension = journal->dimension,
                        .commit_count = journal->commits.count,
                        .write_count = journal->writes.count,
                        .payload_count = journal->payload.count};
}

size_t clv_journal_saved_size(const clv_journal *journal) {
  const journal_head head = head_of(journal);
  return sizeof head + bytes_behind(&head);
}

static uint8_t *put(uint8_t *to, const void *from, size_t size) {
  if (size) memcpy(to, from, size);
  return to + size;
}

void clv_journal_save(const clv_journal *journal, void *bytes) {
  journal_head head = head_of(journal);
  uint8_t *const behind = (uint8_t *)bytes + sizeof head;
  uint8_t *at = put(behind, journal->commits.data, journal->commits.count * sizeof *journal->commits.data);
  at = put(at, journal->writes.data, journal->writes.count * sizeof *journal->writes.data);
  put(at, journal->payload.data, journal->payload.count);
  head.checksum = checksum(checksum_head(&head), behind, bytes_behind(&head));
  memcpy(bytes, &head, sizeof head);
}

// What a replay relies on without looking again.
static bool writes_are_sound(const clv_journal *journal) {
  uint64_t writes = 0, payload = 0;
  for (uint32_t k = 0; k < journal->commits.count; k++) {
    const journal_commit commit = journal->commits.data[k];
    if (commit.write_count > journal->writes.count - writes || commit.payload_count > journal->payload.count - payload)
      return false;
    for (uint32_t w = 0; w < commit.write_count; w++) {
      const map_write *write = &journal->writes.data[writes + w];
      if (write->op > MAP_INHERIT || (write->op == MAP_ALPHA && write->i > journal->dimension) ||
          (write->op == MAP_CELL_ADD && (write->i == CLV_NONE || write->i >= MAP_KINDS)) ||
          (write->op == MAP_VALUE && write->after >= commit.payload_count))
        return false;
    }
    writes += commit.write_count;
    payload += commit.payload_count;
  }
  return writes == journal->writes.count && payload == journal->payload.count;
}

static bool take(const clv_allocator *allocator, void *slot, uint32_t *count, uint32_t *capacity, uint32_t wanted,
                 size_t size, const uint8_t **from) {
  if (!base_grow(allocator, slot, capacity, wanted, size)) return false;
  void *data;
  memcpy(&data, slot, sizeof data);
  if (wanted) memcpy(data, *from, wanted * size);
  *count = wanted;
  *from += wanted * size;
  return true;
}

clv_journal *clv_journal_load(clv_map *view, const void *bytes, size_t size, clv_error *error) {
  map *m = map_of(view);
  journal_head head = {0};
  if (size >= sizeof head) memcpy(&head, bytes, sizeof head);
  if (head.magic != JOURNAL_MAGIC || head.dimension != view->dimension) {
    clv_error_set(error, CLV_ERROR_INPUT, "these bytes are no journal of a map of dimension %u, or of another version",
                  view->dimension);
    return NULL;
  }
  const uint8_t *at = (const uint8_t *)bytes + sizeof head;
  if (size - sizeof head != bytes_behind(&head) ||
      head.checksum != checksum(checksum_head(&head), at, size - sizeof head)) {
    clv_error_set(error, CLV_ERROR_INPUT, "the journal is damaged: its length or its checksum is wrong");
    return NULL;
  }
  clv_journal *journal = base_allocate(&m->allocator, sizeof *journal);
  if (journal) {
    *journal =
        (clv_journal){.map = m, .dimension = head.dimension, .start_hash = head.start_hash, .columns = head.columns};
    const clv_allocator *a = &m->allocator;
    bool fits = take(a, &journal->commits.data, &journal->commits.count, &journal->commits.capacity, head.commit_count,
                     sizeof *journal->commits.data, &at);
    fits = fits && take(a, &journal->writes.data, &journal->writes.count, &journal->writes.capacity, head.write_count,
                        sizeof *journal->writes.data, &at);
    fits = fits && take(a, &journal->payload.data, &journal->payload.count, &journal->payload.capacity,
                        head.payload_count, 1, &at);
    if (fits && writes_are_sound(journal)) return journal;
    clv_journal_destroy(journal);
    if (fits) {
      clv_error_set(error, CLV_ERROR_INPUT, "the journal is damaged: its commits do not add up");
      return NULL;
    }
  }
  clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a journal was loaded");
  return NULL;
}
