// The track of a blade: what its strokes leave behind for the next one to know.
//
// A body moves between two strokes, and the plane of the second is another than that of the first, if only by a
// rounding. So what the first decided is not there to be found again by asking where things lie; it is written down, on
// the vertices and cells concerned, in columns of the body: they follow every change of it, and are saved with it. They
// pass: journals that record meanwhile do not know of them.
//
// What was decided about matter that the blade has come to is for good. What was decided ahead of it holds as long as
// the plane passes there as it did then.

#ifndef SURGERY_TRACK_H
#define SURGERY_TRACK_H

#include "surgery/surgery.h"

// What is known of a vertex or a cell.
typedef enum track_state {
  TRACK_CAME = -1, // a vertex, since one last looked
  TRACK_UNKNOWN,
  TRACK_MOVES, // a vertex is to move onto the plane,
  TRACK_STAYS, // or is not; as long as it is as high as it was then
  TRACK_AHEAD, // a vertex is taken for one on the plane, a cell stays whole; as long as it is as high as it was then
  TRACK_SIDE,  // it lies where its height says
  TRACK_ON,    // a vertex of the plane, whatever its height,
  TRACK_MET,   // and the blade has come to it
} track_state;

typedef struct track_mark {
  double state, height;
} track_mark;

// Kept from one stroke to the next, as doubles: saved as it is.
typedef struct track_memory {
  double normal[3]; // of the last stroke's plane; 0: there was none
  double way[3];    // of the blade in space when it last moved
  double gone;      // how far it has come through the matter
} track_memory;

struct clv_track {
  clv_surgery *surgery;
  clv_column *vertices, *cells;
  union {
    track_memory memory;
    double values[sizeof(track_memory) / sizeof(double)];
  };
};

// A stroke begins: where the blade has turned aside, nothing of what was before counts.
void track_begin(clv_track *track, const clv_blade *blade);
// The plane of a stroke that goes so far through the matter. False where it goes back in its own way: there is nothing
// to cut. *behind: how far it had come before.
bool track_follow(clv_track *track, const double normal[3], double length, double *behind);

// Cells on both sides of the surgery's `facets`, each given by a dart above, keep their sides.
void track_remember_parted(const clv_track *track);

static inline track_mark *track_at_vertex(const clv_track *track, uint32_t slot) {
  return (track_mark *)clv_column_data(track->vertices, CLV_NONE, NULL) + slot;
}

static inline track_mark *track_at_cell(const clv_track *track, clv_dart cell) {
  return clv_column_at(track->cells, cell);
}

// Nothing is known of where it lies.
static inline bool track_is_open(const track_mark *mark) {
  return mark->state < TRACK_AHEAD;
}

static inline bool track_is(const track_mark *mark, track_state state) {
  return mark->state == (double)state;
}

#endif
