// Levels of vertices, for the map's own settling: the column `lev`, with what the open transaction gave it.
//
// A vertex that is there already has its value. One that the transaction makes has none before the commit: what the log
// sets at one of its darts counts. The last word of the log is kept by dart, for as long as the log is the same.

#include "map/level.h"
#include "embed/embed.h"

#include <stdlib.h>

static const clv_column *levels_of(const map *m) {
  const clv_column *column = clv_column_find(&m->view, "lev");
  const bool fits = column && column->index->dims == clv_orbit_dims(&m->view, CLV_VERTEX) &&
                    column->def.type == CLV_INT32 && column->def.components == 1;
  return fits ? column : NULL;
}

static int compare_given(const void *a, const void *b) {
  const embed_given *p = a, *q = b;
  if (p->dart != q->dart) return p->dart < q->dart ? -1 : 1;
  return (p->number > q->number) - (p->number < q->number);
}

static bool give(embedding *e, const map *m, embed_given given) {
  if (!BASE_RESERVE(&m->allocator, &e->given, (uint64_t)e->given.count + 1)) return false;
  e->given.data[e->given.count++] = given;
  return true;
}

// Where the vertex was parted since, or lost the dart, the level is that of all that came of it.
static bool give_onward(embedding *e, const map *m, const clv_column *column, embed_given given) {
  if (!embed_trace_onward(&e->trace, m, column->index->dims, (embed_moment){given.dart, given.number})) return false;
  bool done = true;
  for (uint32_t k = 0; done && k < e->trace.reached.count; k++) {
    given.dart = e->trace.reached.data[k].dart;
    done = !clv_dart_alive(&m->view, given.dart) || give(e, m, given);
  }
  return done;
}

static bool list_given(embedding *e, const map *m, const clv_column *column) {
  e->given.count = 0;
  e->given_log = UINT32_MAX;
  const bool loose = embed_loosened(m) & column->index->dims;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op != MAP_VALUE || e->columns.data[w.before] != column) continue;
    embed_given given = {.dart = w.dart, .number = k};
    memcpy(&given.level, m->payload.data + w.after, sizeof given.level);
    if (!(loose ? give_onward(e, m, column, given) : give(e, m, given))) return false;
  }
  if (e->given.count) qsort(e->given.data, e->given.count, sizeof *e->given.data, compare_given);
  e->given_log = m->log.count;
  e->given_revision = m->revision;
  return true;
}

// The last one that was given at a dart.
static const embed_given *given_at(const embedding *e, clv_dart dart) {
  uint32_t low = 0, high = e->given.count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (e->given.data[middle].dart <= dart)
      low = middle + 1;
    else
      high = middle;
  }
  return low && e->given.data[low - 1].dart == dart ? &e->given.data[low - 1] : NULL;
}

static bool known_at(const embedding *e, const clv_column *column, clv_dart dart, int32_t *level) {
  if (map_index_get(column->map, column->index, dart)) {
    memcpy(level, clv_column_at(column, dart), sizeof *level);
    return true;
  }
  const embed_given *given = given_at(e, dart);
  if (given) *level = given->level;
  return given;
}

int32_t embed_level(void *self, const map *m, clv_dart dart) {
  embedding *e = self;
  const clv_column *column = levels_of(m);
  if (!column) return 0;
  if (!dart) {
    const bool listed = e->given_log == m->log.count && e->given_revision == m->revision;
    return listed || list_given(e, m, column) ? 1 : MAP_NO_LEVEL;
  }
  int32_t level = 0;
  if (known_at(e, column, dart, &level)) return level;
  clv_walk orbit;
  map_walk_init(&orbit, m);
  const bool done = map_walk_darts(&orbit, m, column->index->dims, dart);
  for (uint32_t k = 0; done && k < orbit.count; k++)
    if (known_at(e, column, orbit.darts[k], &level)) break;
  clv_walk_end(&orbit);
  return done ? level : MAP_NO_LEVEL;
}
