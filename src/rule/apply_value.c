// Columns as rules see them: with what was set, and what was born, in the open transaction.
//
// A column answers with what it had when the transaction began, and with nothing for an orbit that is new. What was set
// since stands in the map's log. A table finds it: by column and dart, and by column and id, so that an old orbit of
// which nothing was set is known at once. It is brought up to date when it is asked, and made anew after an undo.

#include "embed/embed.h"
#include "rule/apply.h"

#include <math.h>

#define PENDING_ID (UINT64_C(1) << 63)
#define PENDING_BIRTH (UINT64_C(1) << 62)

enum { BIRTHS_DEEP = 32 };

static uint64_t key_of(const clv_column *column, uint32_t dart) {
  return (uint64_t)(column->number + 1) << 32 | dart;
}

void apply_undo(apply_run *run, uint32_t mark, uint32_t open) {
  map_undo(run->m, mark);
  run->open.count = open;
  if (mark >= run->indexed) return;
  apply_table_clear(&run->pending);
  run->indexed = 0;
}

void apply_run_free(apply_run *run) {
  const clv_allocator *a = &run->m->allocator;
  BASE_RELEASE(a, &run->bindings);
  BASE_RELEASE(a, &run->darts);
  BASE_RELEASE(a, &run->open);
  BASE_RELEASE(a, &run->pending.slots);
}

static bool index_log(apply_run *run) {
  map *m = run->m;
  const clv_allocator *a = &m->allocator;
  for (; run->indexed < m->log.count; run->indexed++) {
    const map_write w = m->log.data[run->indexed];
    if (w.op == MAP_PARENTS && !apply_table_put(a, &run->pending, PENDING_BIRTH | w.dart, run->indexed))
      return apply_no_memory(run);
    if (w.op != MAP_VALUE) continue;
    const clv_column *column = clv_column_list(&m->view, w.before);
    const uint32_t id = clv_dart_alive(&m->view, w.dart) ? map_index_get(m, column->index, w.dart) : 0;
    if (!apply_table_put(a, &run->pending, key_of(column, w.dart), run->indexed)) return apply_no_memory(run);
    if (id && !apply_table_put(a, &run->pending, PENDING_ID | key_of(column, id), run->indexed))
      return apply_no_memory(run);
  }
  return true;
}

typedef struct found_value {
  const void *value; // NULL: none
  clv_dart ends[2];  // of a birth
} found_value;

// The latest set of the orbit at a dart; otherwise what it had, which a new dart has to ask its neighbours; otherwise the
// ends that it was born between.
static bool find_value(apply_run *run, const clv_column *column, clv_dart dart, found_value *found) {
  const map *m = run->m;
  *found = (found_value){.value = clv_column_at(column, dart)};
  const uint32_t id = map_index_get(m, column->index, dart);
  if (id && apply_table_find(&run->pending, PENDING_ID | key_of(column, id)) == APPLY_NOT_FOUND) return true;
  clv_walk orbit;
  map_walk_init(&orbit, m);
  const bool walked = map_walk_darts(&orbit, m, column->index->dims, dart);
  uint32_t set = 0, born = 0; // entries of the log, from 1
  for (uint32_t k = 0; walked && k < orbit.count; k++) {
    const uint32_t entry = apply_table_find(&run->pending, key_of(column, orbit.darts[k]));
    const uint32_t birth = apply_table_find(&run->pending, PENDING_BIRTH | orbit.darts[k]);
    if (entry != APPLY_NOT_FOUND && entry + 1 > set) set = entry + 1;
    if (birth != APPLY_NOT_FOUND && birth + 1 > born) born = birth + 1;
    if (!found->value) found->value = clv_column_at(column, orbit.darts[k]);
  }
  const bool paid = apply_spend(run, orbit.count);
  clv_walk_end(&orbit);
  if (!walked) return apply_no_memory(run);
  if (set) found->value = m->payload.data + m->log.data[set - 1].after;
  if (!found->value && born) {
    found->ends[0] = m->log.data[born - 1].before;
    found->ends[1] = m->log.data[born - 1].after;
  }
  return paid;
}

static bool read_deep(apply_run *run, const clv_column *column, clv_dart dart, uint32_t first, double *numbers,
                      uint32_t depth) {
  found_value found;
  if (!find_value(run, column, dart, &found)) return false;
  const uint32_t end = column->def.components - first < APPLY_WIDTH ? column->def.components - first : APPLY_WIDTH;
  const bool born = !found.value && found.ends[0] && column->def.create == CLV_CREATE_MEAN && depth < BIRTHS_DEEP &&
                    clv_dart_alive(&run->m->view, found.ends[0]) && clv_dart_alive(&run->m->view, found.ends[1]);
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
  return index_log(run) && read_deep(run, column, dart, first, numbers, 0);
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
