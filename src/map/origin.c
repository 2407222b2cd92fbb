// Origins: which cell the darts of a transaction were born in.
//
// A cell that is cut into many may leave some of them without a single dart of its own: the inner four of the eight
// that a tetrahedron becomes have only new ones. They are parts of it all the same. Each new dart was linked, when it
// came, to darts that were there before it, and the log tells: whom a link below the map's own dimension joined lay in
// one cell then. Where that leads to no old dart, the cell's neighbours among the new ones know; a triangle cut out of
// the middle of another is such a case.

#include "map/plan.h"

#include <stdlib.h>

static int compare_born(const void *a, const void *b) {
  const clv_dart p = ((const map_born *)a)->dart, q = ((const map_born *)b)->dart;
  return (p > q) - (p < q);
}

static map_born *find(map_scratch *s, clv_dart dart) {
  const map_born wanted = {.dart = dart};
  return s->born.count ? bsearch(&wanted, s->born.data, s->born.count, sizeof wanted, compare_born) : NULL;
}

static uint32_t root_of(map_scratch *s, const map_born *born) {
  uint32_t at = (uint32_t)(born - s->born.data);
  while (s->born.data[at].next != at) at = s->born.data[at].next = s->born.data[s->born.data[at].next].next;
  return at;
}

static bool list_born(map *m) {
  map_scratch *s = m->scratch;
  s->born.count = 0;
  for (uint32_t k = 0; k < m->log.count; k++) {
    if (m->log.data[k].op != MAP_DART_ADD) continue;
    if (!BASE_RESERVE(&m->allocator, &s->born, (uint64_t)s->born.count + 1)) return false;
    s->born.data[s->born.count++] = (map_born){.dart = m->log.data[k].dart};
  }
  if (s->born.count) qsort(s->born.data, s->born.count, sizeof *s->born.data, compare_born);
  uint32_t kept = 0; // a name may have been given twice
  for (uint32_t k = 0; k < s->born.count; k++)
    if (!kept || s->born.data[kept - 1].dart != s->born.data[k].dart) s->born.data[kept++] = s->born.data[k];
  s->born.count = kept;
  for (uint32_t k = 0; k < kept; k++) s->born.data[k].next = k;
  return true;
}

bool map_find_origins(map *m) {
  map_scratch *s = m->scratch;
  const uint32_t n = m->view.dimension;
  if (!list_born(m)) return false;
  for (uint32_t k = 0; k < m->log.count && s->born.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op != MAP_ALPHA || w.i >= n || w.after == w.dart) continue;
    const map_born *one = find(s, w.dart), *other = find(s, w.after);
    if (!one && !other) continue;
    const uint32_t p = root_of(s, one ? one : other), q = other ? root_of(s, other) : p;
    const clv_dart old = !one ? w.dart : !other ? w.after : s->born.data[q].origin;
    if (s->born.data[p].origin && s->born.data[q].origin) continue; // each was born where it was born
    s->born.data[q].next = p;
    if (!s->born.data[p].origin) s->born.data[p].origin = old;
  }
  for (uint32_t k = 0; k < m->log.count && s->born.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op != MAP_ALPHA || w.i != n || w.after == w.dart) continue;
    const map_born *one = find(s, w.dart), *other = find(s, w.after);
    if (!one || !other) continue;
    const uint32_t p = root_of(s, one), q = root_of(s, other);
    if (!s->born.data[p].origin) s->born.data[p].origin = s->born.data[q].origin;
    if (!s->born.data[q].origin) s->born.data[q].origin = s->born.data[p].origin;
  }
  return true;
}

clv_dart map_origin(const map *m, clv_dart dart) {
  map_scratch *s = m->scratch;
  const map_born *born = find(s, dart);
  return born ? s->born.data[root_of(s, born)].origin : CLV_NO_DART;
}
