// Levels: a0 as it was before edges were refined.
//
// A vertex has the level at which it came, in the column `lev`; without that column every vertex has level 0. The end
// of the level-k edge at a dart is found by going along: where the raw edge ends in a vertex of a higher level, the
// finer edge is followed to its end, which is the middle of this one, and its other half is the one among the edges
// that leave the middle in the same face or volume whose own end has a level of k at the most.

#include "rule/apply.h"

static bool level_of(apply_run *run, const clv_column *column, clv_dart dart, double *level) {
  double numbers[APPLY_WIDTH] = {0};
  if (column && !apply_read(run, column, dart, 0, numbers)) return false;
  *level = numbers[0];
  return true;
}

static bool lost(apply_run *run, clv_dart dart, int32_t k) {
  return APPLY_FAIL(run, "'%s': there is no edge of level %d at dart %u", run->name, k, dart);
}

// True when there was no such edge; false when memory or steps ran out.
static bool is_lost(const apply_run *run) {
  return run->result == CLV_ERROR_REFUSED && run->budget;
}

// The dart that begins the second half of the level-k edge whose first half ends in `middle`, and where that half ends.
// `depth` says how many levels below k were opened already.
static bool step_at(apply_run *run, const clv_column *column, clv_dart dart, int32_t k, uint32_t depth, clv_dart *end);

static bool second_half(apply_run *run, const clv_column *column, clv_dart middle, int32_t k, uint32_t depth,
                        clv_dart *half, clv_dart *end) {
  const clv_map *view = &run->m->view;
  const clv_dart start = clv_alpha(view, middle, 1);
  for (clv_dart at = start;;) {
    double level = 0;
    const bool found = step_at(run, column, at, k + 1, depth + 1, end);
    if (!found && !is_lost(run)) return false;
    if (found && !level_of(run, column, *end, &level)) return false;
    if (found && level <= k) {
      *half = at;
      return true;
    }
    run->result = CLV_OK; // an edge that has no end at this level is not the one
    const clv_dart turned = clv_alpha(view, at, 2), next = clv_alpha(view, turned, 1);
    if (turned == at || next == turned || next == start || next == middle) return lost(run, middle, k);
    at = next;
  }
}

static bool step_at(apply_run *run, const clv_column *column, clv_dart dart, int32_t k, uint32_t depth, clv_dart *end) {
  double level;
  clv_dart half;
  if (!apply_spend(run, 1)) return false;
  *end = clv_alpha(&run->m->view, dart, 0);
  if (!level_of(run, column, *end, &level)) return false;
  if (level <= k) return true;
  if (depth >= APPLY_LEVELS) return lost(run, dart, k);
  if (!step_at(run, column, dart, k + 1, depth + 1, end)) return false;
  if (!level_of(run, column, *end, &level)) return false;
  return level <= k || second_half(run, column, *end, k, depth, &half, end);
}

bool apply_level_step(apply_run *run, clv_dart dart, int32_t k, clv_dart *end) {
  return step_at(run, clv_column_find(&run->m->view, "lev"), dart, k, 0, end);
}

static bool parts_at(apply_run *run, const clv_column *column, clv_dart dart, int32_t k, uint32_t depth) {
  const clv_dart raw = clv_alpha(&run->m->view, dart, 0);
  double level;
  clv_dart half, middle, end;
  if (!apply_spend(run, 1) || !level_of(run, column, raw, &level)) return false;
  if (level <= k) {
    if (!BASE_RESERVE(&run->m->allocator, &run->darts, (uint64_t)run->darts.count + 1)) return apply_no_memory(run);
    run->darts.data[run->darts.count++] = dart;
    return true;
  }
  if (depth >= APPLY_LEVELS) return lost(run, dart, k);
  if (!parts_at(run, column, dart, k + 1, depth + 1)) return false;
  if (!step_at(run, column, dart, k + 1, depth + 1, &middle) || !level_of(run, column, middle, &level)) return false;
  if (level <= k) return true;
  if (!second_half(run, column, middle, k, depth, &half, &end)) return false;
  return parts_at(run, column, half, k + 1, depth + 1);
}

bool apply_level_parts(apply_run *run, clv_dart dart, int32_t k) {
  return parts_at(run, clv_column_find(&run->m->view, "lev"), dart, k, 0);
}
