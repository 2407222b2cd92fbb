// Hanging vertices: those that a finer neighbour put into an edge or a face of a coarser cell.
//
// Such a vertex is no corner of the coarse cell, whose laws do not know it, so it must not move on its own: it stays in the
// middle of its parents, two ends of an edge or four corners of a quadrangle, which may hang themselves. Its force and its
// mass are theirs, in equal shares. Everything else in this room and above sees it through three functions: what moves
// is spread from parents to children, what pushes is gathered from children to parents, and masses are gathered ones, so that
// a vertex that hangs weighs nothing and is not free.
//
// Parents are never stored by whoever refines. They are found in the coarse cell, by the levels of its vertices, and kept in a
// table that follows the commits; a commit that has to do with no extended cell costs nothing. The table's order is by level and
// slot, whatever happened before: parents come before their children, and sums have the same bits after a restart.

#ifndef PHYSICS_HANGING_H
#define PHYSICS_HANGING_H

#include "base/memory.h"
#include "cleave/physics.h"

typedef struct physics_hanging {
  uint32_t slot; // 0: gone
  int32_t level;
  uint32_t count, parents[4]; // 2 or 4
} physics_hanging;

typedef struct physics_hangings {
  BASE_ARRAY(physics_hanging) table;
  BASE_ARRAY(uint32_t) place;                      // by slot: where it is in the table, from 1
  BASE_ARRAY(double) weights, directions[2];       // masses that were gathered; what was spread
  BASE_ARRAY(clv_dart) darts;                      // of vertices that the commit at hand may have changed
  BASE_ARRAY(uint32_t) cell_stamps, vertex_stamps; // by block and slot: seen in this commit
  uint32_t stamp;
  uint64_t changes; // how often the table has changed
  bool disorder;    // the table is not in order
  bool stale;       // memory was out: it must be made anew
} physics_hangings;

// Begins to follow the commits of the body's map; views hear of them before.
clv_result physics_hanging_create(clv_body *body, clv_error *error);
void physics_hanging_destroy(clv_body *body);
// Makes the table current and puts it in order. CLV_ERROR_MEMORY, with a sentence in the body.
clv_result physics_hanging_ready(clv_body *body);

// Once the table is ready. Vectors have three numbers a slot.
void physics_spread(const clv_body *body, double *vector);
void physics_gather(const clv_body *body, double *vector);
// A vector that is spread from the given one: itself where nothing hangs. There is room for two; NULL when memory is out.
const double *physics_spread_copy(clv_body *body, uint32_t which, const double *vector);

#endif
