// Columns as rules see them: with what was set, and what was born, in the open transaction.
//
// A column answers with what it had when the transaction began, and with nothing for an orbit that is new. What was set
// since stands in the map's log. A table finds it: by column and dart, and by column and id, so that an old orbit of
// which nothing was set is known at once. The table stays with the map and grows with its log. After an undo it may
// name entries that are gone: each is looked at, and the first wrong one has the table made anew.
//
// A new orbit may have lost the dart at which it was spoken of, or have come off the one that has it: then it is
// followed back through the log (embed/trace.h).

#include "embed/embed.h"
#include "rule/apply.h"

#include <math.h>

#define PENDING_ID (UINT64_C(1) << 63)
#define PENDING_BIRTH (UINT64_C(1) << 62)

enum { BIRTHS_DEEP = 32, PENDING_KEPT = 4096 };

typedef struct apply_pending {
  apply_table table;
  uint32_t indexed; // entries of the log that are in it
  bool loose;       // new darts may have been parted, or be gone
} apply_pending;

static uint64_t key_of(const clv_column *column, uint32_t dart) {
  return (uint64_t)(column->number + 1) << 32 | dart;
}

void apply_undo(apply_run *run, uint32_t mark, uint32_t open) {
  map_undo(run->m, mark);
  run->open.count = open;
}

void apply_run_free(apply_run *run) {
  const clv_allocator *a = &run->m->allocator;
  BASE_RELEASE(a, &run->bindings);
  BASE_RELEASE(a, &run->darts);
  BASE_RELEASE(a, &run->open);
}

static void pending_destroy(map *m, void *self) {
  apply_pending *pending = self;
  BASE_RELEASE(&m->allocator, &pending->table.slots);
  base_free(&m->allocator, pending, sizeof *pending);
}

static apply_pending *pending_of(apply_run *run) {
  map *m = run->m;
  if (m->reader.self) return m->reader.self;
  apply_pending *pending = base_allocate(&m->allocator, sizeof *pending);
  if (!pending) return NULL;
  *pending = (apply_pending){.indexed = 0};
  m->reader = (map_reader){pending, pending_destroy};
  return pending;
}

static void forget(apply_run *run, apply_pending *pending) {
  if (pending->table.slots.capacity > PENDING_KEPT) BASE_RELEASE(&run->m->allocator, &pending->table.slots);
  apply_table_clear(&pending->table);
  pending->indexed = 0;
  pending->loose = false;
}

static bool loosens(const map *m, map_write w) {
  if (w.op == MAP_ALPHA)
    return w.before != w.dart && (map_page(m, w.dart).kind != MAP_KIND_DARTS || map_is_born(m, w.dart));
  return w.op == MAP_DART_DROP || w.op == MAP_CELL_DROP || (w.op == MAP_LINK && w.before);
}

static bool index_write(const map *m, apply_pending *pending, uint32_t entry) {
  const clv_allocator *a = &m->allocator;
  const map_write w = m->log.data[entry];
  pending->loose = pending->loose || loosens(m, w);
  if (w.op == MAP_PARENTS) return apply_table_put(a, &pending->table, PENDING_BIRTH | w.dart, entry);
  if (w.op != MAP_VALUE) return true;
  const clv_column *column = clv_column_list(&m->view, w.before);
  const uint32_t id = clv_dart_alive(&m->view, w.dart) ? map_index_get(m, column->index, w.dart) : 0;
  if (id && !apply_table_put(a, &pending->table, PENDING_ID | key_of(column, id), entry)) return false;
  return apply_table_put(a, &pending->table, key_of(column, w.dart), entry);
}

// Brings the table up to the end of the log.
static bool index_log(apply_run *run) {
  map *m = run->m;
  apply_pending *pending = pending_of(run);
  if (!pending) return apply_no_memory(run);
  if (m->steady < pending->indexed) pending->indexed = m->steady;
  if (!pending->indexed && pending->table.slots.count) forget(run, pending);
  for (; pending->indexed < m->log.count; pending->indexed++)
    if (!index_write(m, pending, pending->indexed)) {
      forget(run, pending);
      return apply_no_memory(run);
    }
  m->steady = m->log.count;
  return true;
}

// True when an entry of the log is what a key says.
static bool is_entry(const map *m, uint64_t key, uint32_t entry) {
  if (entry >= m->log.count) return false;
  const map_write w = m->log.data[entry];
  if (key & PENDING_BIRTH) return w.op == MAP_PARENTS && w.dart == (clv_dart)key;
  if (w.op != MAP_VALUE || w.before + 1 != (key & ~PENDING_ID) >> 32) return false;
  if (!(key & PENDING_ID)) return w.dart == (clv_dart)key;
  return map_index_get(m, clv_column_list(&m->view, w.before)->index, w.dart) == (uint32_t)key;
}

// The entry of the log that a key leads to, counted from 1; 0 when there is none.
static bool find_entry(apply_run *run, uint64_t key, uint32_t *entry) {
  apply_pending *pending = run->m->reader.self;
  for (uint32_t attempt = 0; attempt < 2; attempt++) {
    const uint32_t found = apply_table_find(&pending->table, key);
    *entry = found == APPLY_NOT_FOUND ? 0 : found + 1;
    if (!*entry || is_entry(run->m, key, found)) return true;
    forget(run, pending);
    if (!index_log(run)) return false;
  }
  *entry = 0;
  return true;
}

typedef struct found_value {
  const void *value;    // NULL: none
  embed_moment ends[2]; // of a birth
} found_value;

// The latest entries of an orbit: a set, and a birth.
static bool find_latest(apply_run *run, const clv_column *column, const clv_walk *orbit, uint32_t *set,
                        uint32_t *born) {
  *set = *born = 0;
  for (uint32_t k = 0; k < orbit->count; k++) {
    uint32_t entry, birth;
    if (!find_entry(run, key_of(column, orbit->darts[k]), &entry)) return false;
    if (!find_entry(run, PENDING_BIRTH | orbit->darts[k], &birth)) return false;
    if (entry > *set) *set = entry;
    if (birth > *born) *born = birth;
  }
  return apply_spend(run, orbit->count);
}

// The same of all that the orbit of a dart came of, and what it had, if it was there.
static bool recall(apply_run *run, const clv_column *column, embed_moment at, uint32_t *set, uint32_t *born,
                   const void **value) {
  const map *m = run->m;
  const apply_pending *pending = m->reader.self;
  embed_trace *trace = &((embedding *)m->embedding.self)->trace;
  if (!pending->loose) return true;
  if (!embed_trace_back(trace, m, column->index->dims, at)) return apply_no_memory(run);
  for (uint32_t k = 0; k < trace->reached.count; k++) {
    const embed_moment was = trace->reached.data[k];
    uint32_t entry, birth;
    if (!find_entry(run, key_of(column, was.dart), &entry)) return false;
    if (!find_entry(run, PENDING_BIRTH | was.dart, &birth)) return false;
    if (entry > *set && entry <= was.moment) *set = entry;
    if (birth > *born && birth <= was.moment) *born = birth;
    if (!*value) *value = clv_column_at(column, was.dart);
  }
  return apply_spend(run, trace->reached.count);
}

// The latest set of the orbit at a dart; otherwise what it had, which a new dart has to ask its neighbours; otherwise
// the ends that it was born between.
static bool find_value(apply_run *run, const clv_column *column, embed_moment at, found_value *found) {
  const map *m = run->m;
  *found = (found_value){.value = clv_column_at(column, at.dart)};
  const uint32_t id = map_index_get(m, column->index, at.dart);
  uint32_t set = 0, born = 0;
  if (id && !find_entry(run, PENDING_ID | key_of(column, id), &set)) return false;
  if (id && !set) return true;
  const bool told = set; // of the orbit that had the id, if not of this part of it
  clv_walk orbit;
  map_walk_init(&orbit, m);
  bool done = true;
  if (clv_dart_alive(&m->view, at.dart)) {
    done = map_walk_darts(&orbit, m, column->index->dims, at.dart) || apply_no_memory(run);
    if (done) done = find_latest(run, column, &orbit, &set, &born);
  }
  for (uint32_t k = 0; k < orbit.count && !found->value; k++) found->value = clv_column_at(column, orbit.darts[k]);
  clv_walk_end(&orbit);
  if (done && !set && (told || (!born && !found->value))) done = recall(run, column, at, &set, &born, &found->value);
  if (!done) return false;
  if (set) found->value = m->payload.data + m->log.data[set - 1].after;
  if (!found->value && born) {
    found->ends[0] = (embed_moment){m->log.data[born - 1].before, born - 1};
    found->ends[1] = (embed_moment){m->log.data[born - 1].after, born - 1};
  }
  return true;
}

static bool read_deep(apply_run *run, const clv_column *column, embed_moment at, uint32_t first, double *numbers,
                      uint32_t depth) {
  found_value found;
  if (!find_value(run, column, at, &found)) return false;
  const uint32_t end = column->def.components - first < APPLY_WIDTH ? column->def.components - first : APPLY_WIDTH;
  const bool born = !found.value && found.ends[0].dart && column->def.create == CLV_CREATE_MEAN && depth < BIRTHS_DEEP;
  if (!born) {
    const void *value = found.value ? found.value : column->def.initial;
    for (uint32_t c = 0; c < end; c++) numbers[c] = embed_get(column, value, first + c);
    return true;
  }
  double other[APPLY_WIDTH];
  if (!read_deep(run, column, found.ends[0], first, numbers, depth + 1)) return false;
  if (!read_deep(run, column, found.ends[1], first, other, depth + 1)) return false;
  for (uint32_t c = 0; c < end; c++) numbers[c] = 0.5 * (numbers[c] + other[c]);
  return true;
}

bool apply_read(apply_run *run, const clv_column *column, clv_dart dart, uint32_t first, double *numbers) {
  return index_log(run) && read_deep(run, column, (embed_moment){dart, run->m->log.count}, first, numbers, 0);
}

bool apply_column(apply_run *run, const char *name, clv_column **column) {
  *column = clv_column_find(&run->m->view, name);
  if (!*column) return APPLY_FAIL(run, "'%s' needs a column '%s', which the map does not have", run->name, name);
  if ((*column)->def.type == CLV_BYTES)
    return APPLY_FAIL(run, "'%s' needs numbers, but column '%s' holds bytes", run->name, name);
  return true;
}

bool apply_set(apply_run *run, clv_column *column, clv_dart dart, const apply_datum *value) {
  double room[APPLY_WIDTH]; // any value's bytes: no component is longer than a double
  const bool numbers = value->type == APPLY_NUMBER || value->type == APPLY_VECTOR || value->type == APPLY_TRUTH;
  if (!numbers || value->count != column->def.components)
    return APPLY_FAIL(run, "'%s' gives column '%s' a value of another width than its %u", run->name, column->def.name,
                      column->def.components);
  for (uint32_t c = 0; c < value->count; c++) {
    if (!isfinite(value->number[c]))
      return APPLY_FAIL(run, "'%s' gives column '%s' a value that is not a number", run->name, column->def.name);
    embed_put(column, room, c, value->number[c]);
  }
  return apply_ok(run, clv_column_set(column, dart, room));
}
