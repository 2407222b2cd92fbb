// Trials: what energy there would be about a vertex if columns had other values than commits gave them.
//
// For those who plan a change: they write values behind the map's back, between commits, ask, and put them back.
// Derived quantities follow what was written while that lasts; what they were is kept, and put back bit by bit, for
// sums that are made anew have other last bits. Tables hear nothing of it: rows that are asked get their constants for
// the moment.

#ifndef VIEW_TRIAL_H
#define VIEW_TRIAL_H

#include "base/memory.h"
#include "cleave/view.h"

typedef struct view_touched_value {
  const clv_column *column;
  clv_dart dart;
} view_touched_value;

// A derived value, as it was.
typedef struct view_kept {
  void *at;
  uint32_t size;
} view_kept;
typedef struct view_trial {
  BASE_ARRAY(view_kept) kept;
  BASE_ARRAY(uint8_t) bytes; // one behind the other
} view_trial;
void view_trial_free(view_trial *trial, const clv_allocator *allocator);

// The energy of all rows that name a vertex, or read what follows from `values`, which were written. *known: false
// where forces are among them that have no energy and are not external. CLV_ERROR_MEMORY: nothing was derived.
clv_result views_try(clv_views *views, clv_dart vertex, const view_touched_value *values, uint32_t count,
                     double *energy, bool *known);
// How many derived values were kept so far; and back to when there were so many. 0: as commits left them.
uint32_t views_tried(const clv_views *views);
void views_take_back(clv_views *views, uint32_t tried);

#endif
