// What every operation shares: its arguments are tested, its writes are undone when it fails half way.

#ifndef MAP_EDIT_H
#define MAP_EDIT_H

#include "map/walk.h"

// CLV_OK when a transaction is open and all darts exist.
clv_result map_editable(map *m, const clv_dart *darts, uint32_t count);

// The end of an operation that began when the log had `mark` entries.
static inline clv_result map_end_edit(map *m, uint32_t mark, clv_result result) {
  if (result != CLV_OK) map_undo(m, mark);
  return result;
}

// ai(a) = b and ai(b) = a, for darts that have records.
static inline clv_result map_join(map *m, uint32_t i, clv_dart a, clv_dart b) {
  const clv_result result = map_set_alpha(m, a, i, b);
  return result == CLV_OK ? map_set_alpha(m, b, i, a) : result;
}

// Parts the i-links of the orbits at a dart and at its partner, ai(dart); without the tests of clv_map_unsew.
clv_result map_unsew(map *m, uint32_t i, clv_dart dart, clv_dart partner);

// clv_map_unsew at a facet between two plain cells, where its links are all that changes. False where a dart lies
// otherwise, or cannot be edited: nothing has happened, and no error is set.
bool map_unsew_plain(map *m, clv_dart dart, clv_result *result);

// Room in the log for removing so many cells, before the first of them, so that it does not grow again and again.
// CLV_ERROR_MEMORY.
clv_result map_expect_removing(map *m, uint32_t cells);

// All dimensions that commute with i: |j - i| >= 2.
static inline uint32_t map_commuting(const map *m, uint32_t i) {
  const uint32_t near = (i ? 7u << (i - 1) : 3u);
  return ((2u << m->view.dimension) - 1u) & ~near;
}

#endif
