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
  double *left, *gone;
  const uint8_t *removed; // by row: the commit did; NULL where nobody asks what is gone
  uint64_t signs;         // a bit that some value has is set
} pass;

// `each` zeros for each id.
static bool make_shares(pass *p, uint32_t ids, uint32_t each) {
  view_lost *lost = &p->sweep->views->lost;
  if (!BASE_RESERVE(&p->sweep->views->allocator, &lost->shares, (uint64_t)ids * each)) return false;
  memset(lost->shares.data, 0, (size_t)ids * each * sizeof *lost->shares.data);
  p->left = lost->shares.data;
  p->gone = p->left + ids;
  return true;
}

static bool mark_removed(pass *p) {
  const view_sweep *s = p->sweep;
  view_lost *lost = &s->views->lost;
  const uint32_t rows = s->views->map->rows[s->kind].count;
  if (!BASE_RESERVE(&s->views->allocator, &lost->removed, rows)) return false;
  memset(lost->removed.data, 0, rows * sizeof *lost->removed.data);
  for (uint32_t c = 0; c < s->removed_count; c++) lost->removed.data[map_uniform_row(s->removed[c])] = 1;
  p->removed = lost->removed.data;
  return true;
}

static inline uint64_t bits_of(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

// What is left and what is gone. With numbers that the compiler knows, where it is called so.
static inline void add_cells(pass *p, uint32_t places, size_t stride) {
  const map_rows *rows = &p->sweep->views->map->rows[p->sweep->kind];
  const uint16_t *states = rows->state.data;
  const uint32_t *ids = p->ids, count = rows->count;
  const uint8_t *removed = p->removed;
  const double *values = p->values;
  double *left = p->left, *gone = p->gone;
  uint64_t signs = 0;
  for (uint32_t row = 0; row < count; row++, ids += places, values += places * stride) {
    const bool alive = states[row] & 1u;
    double *shares = alive ? left : gone;
    if (!alive && !(removed && removed[row])) continue; // no cell
    for (uint32_t k = 0; k < places; k++) {
      shares[ids[k]] += values[k * stride];
      signs |= bits_of(values[k * stride]);
    }
  }
  p->signs = signs;
}

static void add_all(pass *p) {
  if (p->stride == 1 && p->places == TET_CORNERS)
    add_cells(p, TET_CORNERS, 1);
  else if (p->stride == 1 && p->places == TET_EDGES)
    add_cells(p, TET_EDGES, 1);
  else
    add_cells(p, p->places, p->stride);
}

// The orbit that one is left of, or came off. Which of both it is no processor can guess: there is no branch for it.
static inline uint32_t whole_of(const clv_event *event) {
  const uint32_t is_left = 0u - (uint32_t)(event->from.index == 0); // all bits, or none
  return event->from.index | (event->id.index & is_left);
}

// What is left of an orbit, and what came off it, is added to what is gone: the whole.
static void add_parted(const pass *p) {
  const view_sweep *s = p->sweep;
  for (uint32_t k = s->first; k < s->end; k++) {
    const clv_event *event = &s->commit->events[k];
    p->gone[whole_of(event)] += p->left[event->id.index];
  }
}

// Of what an orbit was, the part that is left of it under an id. From the last event on: what came off an orbit is told
// behind what is left of it, and needs the value that they are parts of.
static void scale_all(const pass *p, double *sums) {
  const view_sweep *s = p->sweep;
  view_lost *lost = &s->views->lost;
  for (uint32_t k = s->end; k > s->first; k--) {
    const clv_event *event = &s->commit->events[k - 1];
    const uint32_t whole = whole_of(event);
    if (!event->dart) continue;
    if (!(p->gone[whole] > 0)) lost->left.data[lost->left.count++] = k - 1; // none tells nothing of it
    sums[event->id.index] = sums[whole] * (p->left[event->id.index] / p->gone[whole]);
  }
}

static void take_all(const pass *p, double *sums) {
  const view_sweep *s = p->sweep;
  for (uint32_t k = s->first; k < s->end; k++) {
    const clv_event *event = &s->commit->events[k];
    if (event->dart) sums[event->id.index] = p->left[event->id.index];
  }
}

bool view_sweep_sums(const view_sweep *sweep, const view_formula *formula) {
  const map_index *index = formula->site.index;
  const view_pick *plain = view_formula_term(formula), *term = plain ? plain : view_formula_scaled_term(formula);
  clv_column *column = formula->targets.data[0].column;
  if (!term || column->def.type != CLV_DOUBLE) return false;
  pass p = {.sweep = sweep,
            .ids = index->ids[sweep->kind].data,
            .values = (const double *)(const void *)term->column->rows[sweep->kind].data + term->component,
            .stride = term->stride,
            .places = clv_templates[sweep->kind].sub[index->inner].count};
  double *sums = (double *)(void *)column->slots.data;
  if (!make_shares(&p, index->count, plain ? 1 : 2)) return false;
  if (plain) {
    add_all(&p);
    take_all(&p, sums);
    return true;
  }
  if (!mark_removed(&p)) return false;
  add_all(&p);
  if (p.signs >> 63) return false; // sums of values that cancel tell nothing of one another
  add_parted(&p);
  scale_all(&p, sums);
  return true;
}
