// Formulas: what derived quantities and updates compute, on every orbit of their site.
//
// A formula is a law with values that are assigned. Its reads are gathered from eight places at a time; sums over
// sub-orbits are worked out first and are inputs like any other.

#ifndef VIEW_FORMULA_H
#define VIEW_FORMULA_H

#include "view/feed.h"

typedef struct view_target {
  clv_column *column;
  uint16_t spot, component;
} view_target;

typedef struct view_formula {
  view_site site;
  view_feed feed; // one root for each target
  BASE_ARRAY(view_target) targets;
  view_feed *sums; // one for each sum of the law
  bool direct;     // see view_formula_sum_up
} view_formula;

// All places of an orbit.
typedef struct view_star {
  const map_place *places;
  uint32_t count;
} view_star;

// What a thread needs to evaluate formulas.
typedef struct view_room {
  view_reading reading, within; // at the base; at a sub-orbit
  BASE_ARRAY(double) values, sum_values;
  BASE_ARRAY(double) sums;        // nine for each sum, by lane
  BASE_ARRAY(view_place) targets; // by target and lane
  double quadrature[VIEW_LANES][LAW_QUADRATURE][LAW_QUAD_DATA];
} view_room;

clv_result view_formula_make(view_formula *formula, map *m, const law *l, const clv_allocator *allocator,
                             clv_error *error);
void view_formula_free(view_formula *formula, const clv_allocator *allocator);
bool view_room_reserve(view_room *room, const view_formula *formula, const clv_allocator *allocator);
void view_room_free(view_room *room, const clv_allocator *allocator);

// Before any number of evaluations, with no commit in between; then, in each room, starts a run of them, reads up to
// eight bases into lanes, computes, and gets at results and targets.
void view_formula_aim(view_formula *formula);
void view_formula_start(const view_formula *formula, view_room *room, const double *params);
// The lane is taken only when the formula holds at the base: *holds says so. False when memory is out.
bool view_formula_take(const view_formula *formula, view_room *room, const double *params, clv_dart dart, uint32_t lane,
                       bool *holds);
void view_formula_compute(const view_formula *formula, view_room *room, uint32_t lanes);
// The same for plain cells of the formula's kind, side by side, where it can be evaluated so.
bool view_formula_takes_cells(const view_formula *formula);
void view_formula_take_cells(const view_formula *formula, view_room *room, const clv_dart *cells, uint32_t lanes);

// How far a result in lane 0, just computed at `dart`, goes when each sum it is made of is off by a small part of what
// its terms come to without their signs. A sum whose terms cancel is known no better. False when memory is out.
bool view_formula_doubt(const view_formula *formula, view_room *room, const double *params, clv_dart dart, uint32_t t,
                        double part, double *doubt);

// Where one value of an orbit is one sum, over its own places and of what lies there: what places of up to eight orbits
// add to it.
void view_formula_sum_up(const view_formula *formula, view_room *room, const double *params, const clv_dart *darts,
                         const view_star *stars, uint32_t lanes, double *totals);

// The same of places in cells of any sort; `bases` lie on the orbits.
void view_formula_sum_around(const view_formula *formula, view_room *room, const double *params, const clv_dart *bases,
                             const view_place *const *places, const uint32_t *counts, uint32_t lanes, double *totals);

// The column that such a sum adds up, where its terms are nothing else; NULL otherwise.
const view_pick *view_formula_term(const view_formula *formula);
// The same where they are that, times or by something that all of them have in common.
const view_pick *view_formula_scaled_term(const view_formula *formula);
// Whether that is by it, not times.
bool view_formula_divides(const view_formula *formula);

// What terms at each of some edges have in common, where they read nothing else than edges have (view_formula_spans).
// Terms are started before (view_code_start).
bool view_formula_spans(const view_formula *formula);
const double *view_formula_scales(const view_formula *formula, view_room *room, const view_edges *edges,
                                  uint32_t lanes);

static inline double view_formula_result(const view_formula *formula, const view_room *room, uint32_t t,
                                         uint32_t lane) {
  return view_code_result(&formula->feed.code, room->values.data, t, lane);
}
static inline void view_assign(const view_target *target, view_place place, double number) {
  uint8_t *data = place.kind ? target->column->rows[place.kind].data : target->column->slots.data;
  uint8_t *value = data + (size_t)place.slot * target->column->size;
  if (target->column->def.type == CLV_DOUBLE)
    ((double *)(void *)value)[target->component] = number;
  else
    embed_put(target->column, value, target->component, number);
}

#endif
