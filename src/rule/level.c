// Levels: a0 as it was before edges were refined (map/level.h).
//
// A vertex has the level at which it came, in the column `lev`; without that column every vertex has level 0. Levels
// are read as rules read everything: with what the transaction has set so far, and for steps out of the budget.

#include "map/level.h"
#include "rule/apply.h"

#include <math.h>

typedef struct asking {
  apply_run *run;
  const clv_column *column;
} asking;

static int32_t tell_level(const void *user, clv_dart dart) {
  const asking *a = user;
  double numbers[APPLY_WIDTH] = {0};
  if (!apply_spend(a->run, 1)) return MAP_NO_LEVEL;
  if (a->column && !apply_read(a->run, a->column, dart, 0, numbers)) return MAP_NO_LEVEL;
  return (int32_t)fmin(fmax(ceil(numbers[0]), INT32_MIN), MAP_NO_LEVEL - 1);
}

static map_levels levels_of(const asking *a) {
  return (map_levels){.view = &a->run->m->view, .at = tell_level, .user = a, .across = true};
}

static bool lost(apply_run *run, clv_dart dart, int32_t k) {
  if (run->result != CLV_OK) return false;
  return APPLY_FAIL(run, "'%s': there is no edge of level %d at dart %u", run->name, k, dart);
}

bool apply_level_step(apply_run *run, clv_dart dart, int32_t k, clv_dart *end) {
  const asking a = {run, clv_column_find(&run->m->view, "lev")};
  const map_levels levels = levels_of(&a);
  return map_level_step(&levels, dart, k, end) || lost(run, dart, k);
}

static bool append(void *user, clv_dart piece) {
  apply_run *run = user;
  if (!BASE_RESERVE(&run->m->allocator, &run->darts, (uint64_t)run->darts.count + 1)) return apply_no_memory(run);
  run->darts.data[run->darts.count++] = piece;
  return true;
}

bool apply_level_parts(apply_run *run, clv_dart dart, int32_t k) {
  const asking a = {run, clv_column_find(&run->m->view, "lev")};
  const map_levels levels = levels_of(&a);
  return map_level_pieces(&levels, dart, k, append, run) || lost(run, dart, k);
}
