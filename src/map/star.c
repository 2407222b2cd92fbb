// The star of a vertex in space where some of its cells are extended: walk.h tells the idea.
//
// Next to refined cells most cells have records, and collecting the darts of every place in a set is slow. A corner is
// a cycle of two links, so it is named by the least of its darts, found by going round. A cell that is its template
// still has its template's corners, and the template's ways out of them, one for each facet. Corners that are open, and
// stars with many places, are left to the general search.

#include "map/walk.h"

enum { SLOTS = 512, MOST_AROUND = 24, CORNER = 6 };

typedef struct star {
  const map *m;
  clv_dart *darts;
  uint32_t count;
  clv_dart keys[MAP_STAR_MOST + 1]; // from 1
  uint8_t slots[SLOTS];
} star;

static inline uint32_t slot_of(uint32_t key) {
  return key * 0x9E3779B1u >> 23;
}

static inline void add(star *s, clv_dart key, clv_dart dart) {
  uint32_t slot = slot_of(key);
  while (s->slots[slot] && s->keys[s->slots[slot]] != key) slot = (slot + 1) % SLOTS;
  if (s->slots[slot]) return;
  s->darts[s->count++] = dart;
  s->keys[s->count] = key;
  s->slots[slot] = (uint8_t)s->count;
}

// Whether the corners of a cell are those of its template. What was noted is true between transactions only.
static inline bool has_corners(const map *m, clv_page page, clv_dart dart) {
  if (page.plain) return true;
  if (!map_is_template(page.kind)) return false;
  const uint32_t first = m->seats.data[dart >> 6];
  return first == MAP_NO_RECORD || (!m->open && (m->records.cell.data[first] & MAP_SHAPED));
}

// The least dart of a corner made of records, and every other dart of it, which lead out of it; 0 where it is open.
static clv_dart go_round(const map *m, clv_dart dart, clv_dart *out, uint32_t *count) {
  const clv_dart *alpha = m->records.alpha.data;
  clv_dart least = dart, at = dart;
  *count = 0;
  do {
    const clv_dart next = alpha[4 * (size_t)map_record(m, at) + 1];
    const clv_dart after = alpha[4 * (size_t)map_record(m, next) + 2];
    if (next == at || after == next || *count == MOST_AROUND) return CLV_NO_DART;
    out[(*count)++] = at;
    if (next < least) least = next;
    if (after < least) least = after;
    at = after;
  } while (at != dart);
  return least;
}

static bool arrive(star *s, clv_dart dart) {
  const clv_page page = map_page(s->m, dart);
  if (has_corners(s->m, page, dart)) {
    add(s, (dart & ~63u) | clv_templates[page.kind].sub[CORNER].of[dart & 63u], dart);
    return true;
  }
  clv_dart out[MOST_AROUND];
  uint32_t count;
  const clv_dart least = go_round(s->m, dart, out, &count);
  if (least) add(s, least, dart);
  return least;
}

// What lies beyond an exit of a corner that is a template's.
static inline clv_dart beyond(const map *m, clv_page page, clv_dart cell, clv_exit exit) {
  const uint32_t record = map_record(m, cell | exit.dart);
  if (record != MAP_NO_RECORD) return m->records.alpha.data[4 * (size_t)record + 3];
  const map_rows *rows = &m->rows[page.kind];
  const clv_dart link = rows->data.data[(size_t)map_row(page, cell) * rows->words + exit.facet];
  if (!link) return cell | exit.dart;
  const clv_page there = map_page(m, link);
  if (!there.plain && map_record(m, link) != MAP_NO_RECORD) return clv_alpha_facing(&m->view, link, exit.position);
  return (link & ~63u) | clv_templates[there.kind].turn[link & 63u][exit.position];
}

static bool leave(star *s, clv_dart dart) {
  const map *m = s->m;
  const clv_page page = map_page(m, dart);
  if (has_corners(m, page, dart)) {
    const clv_suborbits *sub = &clv_templates[page.kind].sub[CORNER];
    const uint32_t number = sub->of[dart & 63u];
    for (uint32_t e = sub->exit_start[number]; e < sub->exit_start[number + 1]; e++) {
      const clv_dart next = beyond(m, page, dart & ~63u, sub->exit[e]);
      if (next != ((dart & ~63u) | sub->exit[e].dart) && !arrive(s, next)) return false;
    }
    return true;
  }
  clv_dart out[MOST_AROUND];
  uint32_t count = 0;
  go_round(m, dart, out, &count);
  for (uint32_t k = 0; k < count; k++) {
    const clv_dart next = m->records.alpha.data[4 * (size_t)map_record(m, out[k]) + 3];
    if (next != out[k] && !arrive(s, next)) return false;
  }
  return true;
}

uint32_t map_star_of_vertex(const map *m, clv_dart dart, clv_dart entry[MAP_STAR_MOST]) {
  star s; // its keys are written before they are read
  s.m = m;
  s.darts = entry;
  s.count = 0;
  memset(s.slots, 0, sizeof s.slots);
  if (!arrive(&s, dart)) return 0;
  for (uint32_t k = 0; k < s.count; k++)
    if (s.count > MAP_STAR_MOST - MOST_AROUND || !leave(&s, entry[k])) return 0;
  return s.count;
}
