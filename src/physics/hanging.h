// Hanging vertices: those that a finer neighbour put into an edge or a face of a coarser cell.
//
// Such a vertex is no corner of the coarse cell, whose laws do not know it, so it must not move on its own: it stays in
// the middle of its parents, two ends of an edge or four corners of a quadrangle, which may hang themselves. Its force
// and its mass are theirs, in equal shares. Everything else in this room and above sees it through three functions:
// what moves is spread from parents to children, what pushes is gathered from children to parents, and masses are
// gathered ones, so that a vertex that hangs weighs nothing and is not free.
//
// Parents are found in the coarse cell, by the levels of its vertices; of those that a commit put between two others,
// it says so itself. They are kept in a table that follows the commits; a commit that has to do with no extended cell
// costs nothing, and one that only refines the vertices it made. The table's order is by level and slot, whatever
// happened before: parents come before their children, and sums have the same bits after a restart. It is put in order
// once somebody goes over it; until then commits only add to it.
//
// Where a crack ends in the middle of an edge, a vertex has different parents in different cells, and these are tied
// together (tie.h): entries with a single parent, made anew by every commit while there are such vertices.

#ifndef PHYSICS_HANGING_H
#define PHYSICS_HANGING_H

#include "base/memory.h"
#include "cleave/physics.h"

typedef struct physics_hanging {
  uint32_t slot; // 0: gone
  int32_t level;
  uint32_t count, parents[4]; // 2 or 4; 1 of a vertex that is tied
  uint32_t cell;              // the block it was found in, the least of those it hangs in; 0: that one is gone
  uint32_t cells;             // how many it hangs in; 0: nobody counted
} physics_hanging;

// A dart of a vertex that hangs, the block of the cell it hangs in there, how many there are of these, and what it was
// put between, where somebody said so.
typedef struct physics_seat {
  clv_dart dart;
  uint32_t cell, cells, slot, ends[2];
} physics_seat;
#define PHYSICS_NO_SEAT UINT32_MAX

typedef struct physics_hangings {
  BASE_ARRAY(physics_hanging) table;
  BASE_ARRAY(uint32_t) place;                // by slot: where it is in the table, from 1
  BASE_ARRAY(double) weights, directions[2]; // masses that were gathered; what was spread
  BASE_ARRAY(uint32_t) first, next; // by slot, and by slot and parent: its children, from the last of the table on
  BASE_ARRAY(uint32_t) left;        // slots that lost a child by the last commit, or their parents
  BASE_ARRAY(clv_dart) darts;       // of vertices that the commit at hand may have changed
  BASE_ARRAY(physics_seat) seats;   // of vertices that it made
  BASE_ARRAY(uint32_t) seat_of;     // by slot, from 1; PHYSICS_NO_SEAT
  BASE_ARRAY(uint32_t) cell_stamps, vertex_stamps; // by block and slot: seen in this commit
  BASE_ARRAY(physics_hanging) found;               // how one vertex hangs, in all its cells
  BASE_ARRAY(physics_hanging)
  others; // of vertices that hang differently in different cells: what the table does not say
  BASE_ARRAY(physics_hanging) ties, hidden; // what is tied, and how it would hang otherwise
  BASE_ARRAY(uint32_t) ring, tied;          // tie.c
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

// Brings into the caches what the next cell that is refined makes it read and write.
void physics_hanging_fetch(const clv_body *body);

// Makes the table current, in whatever order. CLV_ERROR_MEMORY likewise.
clv_result physics_hanging_follow(clv_body *body);
// What hangs at a slot, NULL where nothing does; and what a slot weighs with all that is gathered there, the same bits
// as clv_body_masses has. Once the table is current.
const physics_hanging *physics_hanging_at(const clv_body *body, uint32_t slot);
double physics_weight(const clv_body *body, uint32_t slot);

// Whether a vertex hangs in some cell between others than these two, once the table is current.
bool physics_hangs_otherwise(const physics_hangings *hangings, uint32_t slot, uint32_t a, uint32_t b);

// Once the table is ready. Vectors have three numbers a slot.
void physics_spread(const clv_body *body, double *vector);
void physics_gather(const clv_body *body, double *vector);
// A vector that is spread from the given one: itself where nothing hangs. There is room for two; NULL when memory is
// out.
const double *physics_spread_copy(clv_body *body, uint32_t which, const double *vector);

#endif
