// What was said of orbits in the open transaction, and of which it holds at its end.
//
// A value is set, and a vertex is born, at some dart. Most such darts are there at the commit, and their orbits whole.
// Others are gone by then, or their orbits were parted: what was said holds for all that came of the orbit, as it would
// if each edit were a commit of its own. Of several values the last one counts. Those that are shared out where orbits
// part stay with one of them.

#include "embed/embed.h"

#include <stdlib.h>

bool embed_is_loose(embedding *e, const map *m, uint32_t dims) {
  if (!e->loosened_is_known) e->loosened = embed_loosened(m);
  e->loosened_is_known = true;
  return e->loosened & dims;
}

// Values that were set by hand

// Where cells are only refined, darts that were hung into one are given its number last: others of it have it.
static bool state(embedding *e, const map *m, clv_dart dart, uint32_t entry) {
  const bool cell = m->log.data[entry].i == clv_orbit_dims(&m->view, CLV_CELL);
  if (cell && m->scratch->plan.refined && map_page(m, dart).kind == MAP_KIND_DARTS && map_is_born(m, dart))
    dart = map_dart_before(m, map_block(m, dart));
  if (!BASE_RESERVE(&m->allocator, &e->stated, (uint64_t)e->stated.count + 1)) return false;
  e->stated.data[e->stated.count++] = (embed_moment){dart, entry};
  return true;
}

// The number of entries up to the last one that changes what orbits are made of.
static uint32_t last_change(const map *m) {
  enum { CHANGES = 1u << MAP_ALPHA | 1u << MAP_LINK | 1u << MAP_CELL_DROP | 1u << MAP_DART_DROP };
  uint32_t k = m->log.count;
  while (k && !(1u << m->log.data[k - 1].op & CHANGES)) k--;
  return k;
}

// Whether the orbit of a dart may be several now. Where cells are only refined, what lies on a dart that came is not
// parted any more; without a plan, edges may be. Of old orbits a plan tells; a dart that came bears no name, whatever
// it lies on.
static bool may_be_parted(const map *m, const map_plan *plan, const map_index *index, clv_dart dart) {
  if (m->scratch->plan.refined && embed_is_added(m, dart)) return false;
  if (!plan) return (index->dims & 1u) && index->dims != clv_orbit_dims(&m->view, CLV_CELL);
  const map_orbits *o = &plan->orbits[index->dims];
  const uint64_t old = map_old_name(m, index, dart);
  if (!old) return true;
  uint32_t parts = 0;
  for (uint32_t k = map_first_part(o, old); k < o->by_old.count; k++) {
    const map_part *part = &o->parts.data[o->by_old.data[k]];
    if (part->old != old || part->orbit == MAP_NO_ORBIT) break;
    parts++;
  }
  return parts > 1;
}

// Whether something that an orbit was joined to may have come off it again after a moment: it goes on with what was
// said of both, and the plan, which knows the orbits at either end of the transaction alone, does not tell.
static bool may_have_passed(embedding *e, const map *m, uint32_t dims, uint32_t moment) {
  if (m->scratch->plan.refined) return false;
  if (!e->passages_are_known) embed_find_passages(m, e->passages);
  e->passages_are_known = true;
  uint32_t joined = UINT32_MAX, parted = 0;
  for (uint32_t i = 0; i <= m->view.dimension; i++) {
    if (!(dims >> i & 1u)) continue;
    if (e->passages[i].joined < joined) joined = e->passages[i].joined;
    if (e->passages[i].parted > parted) parted = e->passages[i].parted;
  }
  return joined < parted && moment < parted;
}

// What came of the orbit for which an entry set a value. Several values are often set one behind the other.
static bool trace_set(embedding *e, const map *m, uint32_t entry) {
  const map_write w = m->log.data[entry], *last = entry && e->followed == entry ? &m->log.data[entry - 1] : NULL;
  e->followed = 0;
  const bool same = last && last->op == MAP_VALUE && last->dart == w.dart && last->i == w.i;
  if (!same && !embed_trace_onward(&e->trace, m, w.i, (embed_moment){w.dart, entry})) return false;
  e->followed = entry + 1;
  return true;
}

// A value that is not copied where orbits part is had by one of them.
static bool state_onward(embedding *e, const map *m, const clv_column *column, uint32_t entry) {
  if (!trace_set(e, m, entry)) return false;
  for (uint32_t k = 0; k < e->trace.reached.count; k++) {
    const clv_dart heir = e->trace.reached.data[k].dart;
    if (!clv_dart_alive(&m->view, heir) || !map_names_place(m, column->index->inner, heir)) continue;
    if (!state(e, m, heir, entry)) return false;
    if (!embed_copies(column)) break;
  }
  return true;
}

static int compare_entries(const void *a, const void *b) {
  const embed_moment *p = a, *q = b;
  if (p->moment != q->moment) return p->moment < q->moment ? -1 : 1;
  return (p->dart > q->dart) - (p->dart < q->dart);
}

bool embed_state_values(embedding *e, const map *m, const map_plan *plan) {
  const map_words *notable = &m->scratch->notable;
  e->stated.count = e->followed = 0;
  if (!m->scratch->plan.values_set) return true;
  const uint32_t settled = last_change(m);
  bool ordered = true;
  for (uint32_t k = 0; k < notable->count; k++) {
    const map_write w = m->log.data[notable->data[k]];
    if (w.op != MAP_VALUE) continue;
    const clv_column *column = e->columns.data[w.before];
    const bool alive = clv_dart_alive(&m->view, w.dart);
    const bool parted =
        notable->data[k] < settled && embed_copies(column) &&
        (may_be_parted(m, plan, column->index, w.dart) || may_have_passed(e, m, column->index->dims, notable->data[k]));
    const bool whole = alive && !parted;
    ordered &= whole;
    if (whole && !state(e, m, w.dart, notable->data[k])) return false;
    if (!whole && !state_onward(e, m, column, notable->data[k])) return false;
  }
  if (!ordered && e->stated.count) qsort(e->stated.data, e->stated.count, sizeof *e->stated.data, compare_entries);
  return true;
}

// What new orbits came of

bool embed_recall_value(embedding *e, const clv_column *column, embed_moment at, const uint8_t **value) {
  if (!embed_trace_back(&e->trace, column->map, column->index->dims, at)) return false;
  const embed_parents *last = NULL;
  for (uint32_t k = 0; k < e->trace.reached.count; k++) {
    const embed_moment was = e->trace.reached.data[k];
    const embed_parents *birth = embed_blends(column) ? embed_parents_of(e, was.dart) : NULL;
    if (birth && birth->entry < was.moment && (!last || birth->entry > last->entry)) last = birth;
    if (!*value) *value = clv_column_at(column, was.dart);
  }
  if (last) *value = column->births.data + last->number * column->size;
  return true;
}
