// How one cell of a grid, a square or a cube, is cut into elements.
//
// A cut is a list of pieces over the cell's own corners, so it knows neither coordinates nor point numbers; grid.c
// turns it into elements. Corner c of a cell lies at (c & 1, c >> 1 & 1, c >> 2 & 1), and MESH_CUT_CENTRE is the point
// in its middle. Two rules hold for every cut, and with them neighbouring cells always meet face to face: a face is
// either whole or cut along one diagonal, and both neighbours of a face compute the same answer to that from the cell's
// position alone.

#ifndef CLEAVE_MESH_GRID_CUT_H
#define CLEAVE_MESH_GRID_CUT_H

#include "cleave/mesh.h"

enum {
  MESH_CUT_CENTRE = 8,
  MESH_CUT_MAX_CORNERS = 8,
  MESH_CUT_MAX_PIECES = 12, // two tetrahedra on each face of a cube
};

typedef struct mesh_cut_piece {
  clv_kind kind;
  uint8_t corners[MESH_CUT_MAX_CORNERS];
} mesh_cut_piece;

typedef struct mesh_cut {
  int piece_count;
  bool centred; // the pieces meet in the cell's centre
  mesh_cut_piece pieces[MESH_CUT_MAX_PIECES];
} mesh_cut;

// Whether the number of pieces differs from cell to cell.
bool mesh_cut_varies(clv_grid_kind kind);

// The cut of one cell in a grid of cells[0] x cells[1] x cells[2]. The answer is a constant or built in *scratch.
const mesh_cut *mesh_cut_cell(clv_grid_kind kind, const uint32_t cells[3], const uint32_t cell[3], mesh_cut *scratch);

#endif
