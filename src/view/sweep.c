// Sums over the places of orbits, where many cells were removed: one pass over all cells, in the order of memory.
//
// A tenth of the cells of a body has a place at nearly all its vertices and half its edges. To go from orbit to orbit
// then is to go over the whole body, all over the memory, and to find out again at each what its terms have in common.
// So what is left of every orbit is added up cell by cell, and what is gone likewise. Of terms that are a value times
// something in common nothing else is needed: the sum of what is left is to the sum that was there as the one value is
// to the other.
//
// Orbits that no event names are added up too, and nobody looks at what comes out: their values stay as they are.

#include "view/views.h"

enum { TET_CORNERS = 4, TET_EDGES = 6 };

// What the cells have at an orbit, by its id.
typedef struct pass {
  const view_sweep *sweep;
  const uint32_t *ids;
  const double *values;
  size_t stride;
  uint32_t places; // of a cell
  view_share *shares;
  uint64_t signs; // a bit that some value has is set
} pass;

static bool make_shares(view_lost *lost, const clv_allocator *allocator, uint32_t count) {
  if (!BASE_RESERVE(allocator, &lost->shares, count)) return false;
  memset(lost->shares.data, 0, count * sizeof *lost->shares.data);
  return true;
}

static inline uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// With numbers that the compiler knows, where it is called so.
static inline void add_cells(pass *p, uint32_t places, size_t stride) {
  const map_rows *rows = &p->sweep->views->map->rows[p->sweep->kind];
  const uint16_t *states = rows->state.data;
  const uint32_t *ids = p->ids, count = rows->count;
  const double *values = p->values;
  view_share *shares = p->shares;
  uint64_t signs = 0;
  for (uint32_t row = 0; row < count; row++, ids += places, values += places * stride) {
    if (!(states[row] & 1u)) continue; // no cell
    for (uint32_t k = 0; k < places; k++) {
      shares[ids[k]].left += values[k * stride];
      signs |= bits_of(values[k * stride]);
    }
  }
  p->signs = signs;
}

static void add_left(pass *p) {
  if (p->stride == 1 && p->places == TET_CORNERS)
    add_cells(p, TET_CORNERS, 1);
  else if (p->stride == 1 && p->places == TET_EDGES)
    add_cells(p, TET_EDGES, 1);
  else
    add_cells(p, p->places, p->stride);
}

static void add_gone(pass *p) {
  const view_sweep *s = p->sweep;
  for (uint32_t c = 0; c < s->removed_count; c++) {
    const size_t first = (size_t)map_uniform_row(s->removed[c].dart) * p->places;
    for (uint32_t k = 0; k < p->places; k++) {
      const double value = p->values[(first + k) * p->stride];
      p->shares[p->ids[first + k]].gone += value;
      p->signs |= bits_of(value);
    }
  }
}

// What came off an orbit is gone from it.
static void add_parted(const pass *p) {
  const view_sweep *s = p->sweep;
  for (uint32_t k = s->first; k < s->end; k++) {
    const clv_event *event = &s->commit->events[k];
    if (event->kind == CLV_SPLIT) p->shares[event->from.index].gone += p->shares[event->id.index].left;
  }
}

// Of what an orbit was, the part that is left of it under an id.
static void scale(const pass *p, uint32_t number, uint32_t from, double *sums) {
  const view_share *whole = &p->shares[from];
  const clv_event *event = &p->sweep->commit->events[number];
  const double all = whole->left + whole->gone;
  view_lost *lost = &p->sweep->views->lost;
  if (all > 0)
    sums[event->id.index] = sums[from] * (p->shares[event->id.index].left / all);
  else // nothing can be told of the value by what had none
    lost->left.data[lost->left.count++] = number;
}

// What came off comes first, as long as there is the value that it has a part of.
static void scale_all(const pass *p, double *sums) {
  const view_sweep *s = p->sweep;
  const clv_event *events = s->commit->events;
  for (uint32_t k = s->first; k < s->end; k++)
    if (events[k].kind == CLV_SPLIT) scale(p, k, events[k].from.index, sums);
  for (uint32_t k = s->first; k < s->end; k++)
    if (events[k].kind == CLV_CHANGED) scale(p, k, events[k].id.index, sums);
}

static void take_all(const pass *p, double *sums) {
  const view_sweep *s = p->sweep;
  for (uint32_t k = s->first; k < s->end; k++) {
    const clv_event *event = &s->commit->events[k];
    if (event->dart) sums[event->id.index] = p->shares[event->id.index].left;
  }
}

bool view_sweep_sums(const view_sweep *sweep, const view_formula *formula) {
  clv_views *views = sweep->views;
  const map_index *index = formula->site.index;
  const view_pick *plain = view_formula_term(formula), *term = plain ? plain : view_formula_scaled_term(formula);
  clv_column *column = formula->targets.data[0].column;
  if (!term || column->def.type != CLV_DOUBLE || !make_shares(&views->lost, &views->allocator, index->count))
    return false;
  pass p = {.sweep = sweep,
            .ids = index->ids[sweep->kind].data,
            .values = (const double *)(const void *)term->column->rows[sweep->kind].data + term->component,
            .stride = term->stride,
            .places = clv_templates[sweep->kind].sub[index->inner].count,
            .shares = views->lost.shares.data};
  double *sums = (double *)(void *)column->slots.data;
  add_left(&p);
  if (plain) {
    take_all(&p, sums);
    return true;
  }
  add_gone(&p);
  if (p.signs >> 63) return false; // sums of values that cancel tell nothing of one another
  add_parted(&p);
  scale_all(&p, sums);
  return true;
}
