// Slicing from inside: where things lie with regard to a blade, and the two ways to make room for a cut.
//
// A slice is a few transactions: refining, level by level; moving vertices onto the blade (slice_snap.c); splitting
// cells along it (slice_split.c, and slice_cells.c for those that are no simplices); and unsewing. All but the last
// change the mesh and nothing else: where the last fails, what stands is the body it was, in other cells. After it, new
// vertices give way where there is more energy than there was (slice_relax.c).
//
// Every vertex has a side: above the plane, below it, or on it. On it are those that lie there within a billionth of
// the body's size, those that were moved there, and those that are taken for it because a cell beside them could not be
// cut well otherwise. A cell is crossed when it has corners on both sides. Whatever was done, the cut runs between the
// cells above and those below; a cell that is still crossed goes where its centre is.
//
// A blade comes in strokes, and they add up to what one does. What a stroke decides it decides for the whole plane, and
// does where the blade is; its track (track.h) remembers both. A facet off the plane waits until the blade has passed
// all that may still become of its two cells. Matter that bends moves past the blade between two strokes: what the
// blade has passed on its way counts as reached where it touches the cut, so that nothing slips through. Without a
// track what lies behind a blade counts as passed, and the mesh is all the memory there is.

#ifndef SURGERY_SLICE_H
#define SURGERY_SLICE_H

#include "surgery/scalpel.h"
#include "surgery/track.h"

// An edge that is to be bisected where the plane crosses it.
typedef struct slice_edge {
  clv_dart dart;
  uint32_t ends[2];   // slots; the dart's first
  double part;        // of the way from the first to the second
  double square;      // of its length at rest
  double ends_sum[3]; // twice its middle at rest
  int32_t level;      // of the vertex in it
  bool reached;       // by the blade, or a shorter one beside it is: it is to be bisected now
  bool dropped;       // left whole, for the bound on quality
  double mass;        // of the vertex in it, and what it is faster by than that place of the edge
  double faster[3];
} slice_edge;

typedef struct slice_use {
  clv_dart cell; // its first dart
  uint32_t edge;
} slice_use;

// A crossed cell that is no simplex.
typedef struct slice_cell {
  clv_dart cell; // its first dart
  bool reached;  // by the blade
  bool whole;    // and stays so
} slice_cell;

typedef struct slice_plan slice_plan;

typedef struct slicing {
  clv_surgery *surgery;
  const clv_slice *slice;
  double point[3], normal[3]; // of length 1
  double slack;               // what is as near to the plane lies on it, m
  double least[3], greatest[3];
  double behind;            // how far the blade had come before; without a track, as far as one likes
  BASE_ARRAY(int8_t) sides; // by slot: 1, 0, -1
  BASE_ARRAY(uint8_t) on;   // by slot: on the plane, wherever it is
  BASE_ARRAY(slice_edge) edges;
  BASE_ARRAY(slice_use) uses;   // in order of cells, then edges
  BASE_ARRAY(slice_cell) cells; // in order
  BASE_ARRAY(slice_plan) plans; // of those that are split now, likewise
  BASE_ARRAY(scalpel_shift) shifts;
  BASE_ARRAY(uint32_t) seen; // slots
  BASE_ARRAY(double) room;   // by slot
  BASE_ARRAY(uint8_t) old;   // by slot: there before cells were split
  double energy;             // elastic, before cells were split
} slicing;

// Whether a point of the plane lies where the blade went.
bool slice_reaches(const slicing *cutting, const double point[3]);
// Or will go next, no further ahead of it than so.
bool slice_will_reach(const slicing *cutting, const double point[3], double ahead);
// Or came from, had it always gone as it does now, no further behind it than so.
bool slice_passed(const slicing *cutting, const double point[3], double behind);
// Of a point above the plane.
double slice_height(const slicing *cutting, const double point[3]);
// Heights and sides of all vertices, where they are now, or as the track knows them.
clv_result slice_measure(slicing *cutting);
// Whether a cell has corners above the plane and below it.
bool slice_is_crossed(const slicing *cutting, const surgery_corners *corners);
// Whether a cell is crossed, and comes near what was swept.
clv_result slice_crosses(slicing *cutting, clv_dart cell, bool *crossed);
// Whether a cell may be split: nothing hangs in it, and its model keeps no springs and no hinges, and serves the
// pieces.
bool slice_may_split(const slicing *cutting, clv_dart cell);
bool slice_is_simplex(const slicing *cutting, clv_dart cell);
// Whether a cell can be refined and is coarser than the slice's level.
bool slice_is_coarse(const slicing *cutting, clv_dart cell);
// Adds a cell to the surgery's `cells` if it can be refined and is coarser than the slice's level.
clv_result slice_list_coarse(slicing *cutting, clv_dart cell);

// The track (slice_track.c); without one nothing is known.
// What it knows of a vertex goes before where that lies now.
void slice_recall(slicing *cutting, uint32_t slot);
// Takes vertices that are still to move for ones on the plane.
void slice_foresee(slicing *cutting);
// Whether one looks for vertices that are to move in a cell: it is crossed, with a track wherever it lies.
clv_result slice_concerns(slicing *cutting, clv_dart cell, bool *concerned);
// Whether a cell is still to be refined, or a vertex of it to move.
bool slice_waits(const slicing *cutting, clv_dart cell, const surgery_corners *corners);
// Whether the cut has come to a cell: to a vertex of it, or to one of its facets.
bool slice_touched(const slicing *cutting, clv_dart cell, const surgery_corners *corners);
// Whether a cell was left whole for good, or is to be as long as the plane passes it as it does.
bool slice_stays_whole(const slicing *cutting, clv_dart cell, const surgery_corners *corners);
// A cell is to stay whole. True if that is news.
bool slice_leave_whole(const slicing *cutting, clv_dart cell, const surgery_corners *corners);
// Cells were split: vertices that came with it, and lie on the plane, lie on it for good.
void slice_put_on(slicing *cutting);
// Once cells are split, and before facets are cut: remembers what was decided, that about the blade for good.
clv_result slice_settle(slicing *cutting, clv_surgery_report *report);
// The mean of the heights of a cell's corners; the longest way between two of them.
double slice_centre_height(const slicing *cutting, const surgery_corners *corners);
double slice_width(const slicing *cutting, const surgery_corners *corners);

// The cells in `cells` that are to be refined before vertices near the plane can move: the coarse ones about them.
clv_result slice_list_about(slicing *cutting);
// Moves vertices onto the plane that are near to it. One transaction, or none.
clv_result slice_snap(slicing *cutting, clv_surgery_report *report);
// Splits cells along the plane. One transaction, or none.
clv_result slice_split(slicing *cutting, clv_surgery_report *report);

// What the ways to split share (slice_split.c): the corners of a plain template; whether an edge is to be bisected, in
// this stroke or another; the uses of a cell.
surgery_corners slice_corners(const slicing *cutting, clv_dart cell);
bool slice_is_cut(const slicing *cutting, const slice_edge *edge);
const slice_use *slice_uses_of(const slicing *cutting, clv_dart cell, uint32_t *count);
// What is done about a cell whose pieces would be bad: the corner nearest to the plane is taken for one on it, if it is
// near, true; or its edges stay whole.
bool slice_take_nearest(slicing *cutting, const slice_use *uses, uint32_t count);
void slice_keep_edges(slicing *cutting, const slice_use *uses, uint32_t count);
// Axes along which something between such vertices is held; and that a new vertex is, as they are.
uint32_t slice_held(const slicing *cutting, const uint32_t *slots, uint32_t count);
clv_result slice_set_constraints(const slicing *cutting, const uint32_t *slots, const double *parts, uint32_t count,
                                 clv_dart vertex);

// Cells that are no simplices (slice_cells.c), once edges and uses are found: which they are; whose pieces would be
// bad, which are dealt with, true; what becomes of the others.
clv_result slice_find_cells(slicing *cutting);
bool slice_choose_cells(slicing *cutting, clv_surgery_report *report);
clv_result slice_plan_cells(slicing *cutting);
// Whether a dart lies in one of them; and in one that the blade has reached, and that is split.
bool slice_is_among_cells(const slicing *cutting, clv_dart dart);
bool slice_is_reached(const slicing *cutting, clv_dart dart);
// Inside the transaction, once edges are bisected, and tetrahedra with them.
clv_result slice_split_cells(slicing *cutting);
// What is to be kept (slice_relax.c): noted before the transaction, and seen to after it, and when the slice is cut.
clv_result slice_note_state(slicing *cutting);
void slice_share_momentum(slicing *cutting);
void slice_push_corners(slicing *cutting);
clv_result slice_give_way(slicing *cutting, double *left); // of the energy (J) that the slice made: mostly nothing

#endif
