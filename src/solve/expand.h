// Expansions: each vertex as a weighted sum of those that do not hang.
//
// A vertex that does not hang is itself. One that hangs is the mean of its parents, and so on down to those that do
// not. This is the matrix C of the constraint: the body moves by C x, and what A is to all vertices, C'A C is to those
// that move.

#ifndef SOLVE_EXPAND_H
#define SOLVE_EXPAND_H

#include "physics/body.h"

typedef struct expand_term {
  uint32_t slot;
  double weight;
} expand_term;

typedef struct expansion {
  BASE_ARRAY(uint32_t) starts; // by entry of the table of what hangs
  BASE_ARRAY(expand_term) terms;
  BASE_ARRAY(uint32_t) place; // by slot: its entry, from 1
} expansion;

// False when memory is out.
bool expand_make(expansion *e, const physics_hangings *hanging, uint32_t slots, const clv_allocator *allocator);
void expand_free(expansion *e, const clv_allocator *allocator);
// The terms of a slot; `own` is room for one that is itself.
const expand_term *expand_terms(const expansion *e, uint32_t slot, expand_term *own, uint32_t *count);

#endif
