// The show: a body's faces as triangles in numbered slots, kept current by the map's journal alone.
//
// Every cell has a run of slots. A commit tells which cells it touched; their runs are filled anew, moved where they
// need more room, emptied where the cell is gone, and nothing else is looked at. A slot knows the version of the table
// at which it changed last, so what a client lacks that knows version v is what has a later stamp: no history is kept.
//
// Which faces were there from the beginning is a column of the map, on the facets as cells see them: a facet that is
// divided hands it on to its pieces, and what a cut lays open never had it.

#ifndef LIVE_SHOW_H
#define LIVE_SHOW_H

#include "base/memory.h"
#include "cleave/world.h"

enum {
  LIVE_FACE_OPEN = 1,      // laid open by a cut
  LIVE_FACE_EDGE = 2,      // side ab is an edge of the mesh; the next bits: bc, ca
  LIVE_FACE_OPEN_SIDE = 16 // of a surface: side ab was laid open by a cut; the next bits: bc, ca
};

typedef struct live_face {
  uint32_t corner[3], cell, flags;
} live_face;

typedef struct live_run {
  uint32_t first, count, room;
} live_run;

// One layer of one body. Faces and stamps are as long as each other.
typedef struct live_table {
  BASE_ARRAY(live_face) faces;
  BASE_ARRAY(uint32_t) stamps;
  BASE_ARRAY(live_run) runs;  // by number of a cell
  BASE_ARRAY(live_run) spare; // runs that cells left
  BASE_ARRAY(uint32_t) dirty; // slots that changed since they were published
  uint32_t version;
  bool kept;  // it is kept at all
  bool whole; // all of it changed
} live_table;

enum { LIVE_LAYERS = 2 };

typedef struct live_show {
  const clv_allocator *allocator;
  clv_body *body;
  clv_surgery *surgery;
  clv_map *map;
  clv_column *outer; // on facets seen from a cell: 1 where there never was anything beyond
  const clv_column *region;
  live_table layers[LIVE_LAYERS];
  BASE_ARRAY(uint32_t) touched; // cells
  BASE_ARRAY(uint32_t) stamps;  // by number of a cell: touched already
  BASE_ARRAY(clv_rename) renames;
  BASE_ARRAY(live_face) work; // the faces of the cell at hand
  BASE_ARRAY(uint32_t) loop;  // the corners of a face
  BASE_ARRAY(uint8_t) opened; // and whether the sides behind them were laid open
  BASE_ARRAY(uint32_t) stack;
  uint32_t stamp;
  bool stale; // memory was out while a commit was heard: everything is to be made anew
} live_show;

// Cells by number: how many numbers there are, and a dart of one, 0 where there is none.
uint32_t live_cell_slots(const clv_map *view);
clv_dart live_cell_dart(const clv_map *view, uint32_t cell);

// For a body whose world has not begun: it gets a column; or for one that was shown before. Versions go on from those
// that the show had for another body.
clv_result live_show_create(live_show *show, const clv_allocator *allocator, clv_body *body, clv_surgery *surgery,
                            clv_error *error);
// Before the body goes. The tables stay.
void live_show_leave(live_show *show);
void live_show_free(live_show *show);

// Keeps a layer from now on, or no longer.
void live_show_keep(live_show *show, uint32_t layer, bool kept);
// Makes the tables current. False when memory is out; the next call tries again.
bool live_show_update(live_show *show);
// How many pieces the body is in; UINT32_MAX when memory is out.
uint32_t live_show_components(live_show *show);

#endif
