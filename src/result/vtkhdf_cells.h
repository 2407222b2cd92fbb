// The cells of a mesh as VTKHDF's arrays, and a number that tells whether they are those of the frame before.

#ifndef RESULT_VTKHDF_CELLS_H
#define RESULT_VTKHDF_CELLS_H

#include "base/memory.h"
#include "cleave/mesh.h"

typedef BASE_ARRAY(int64_t) result_ids;

typedef struct result_cells {
  BASE_ARRAY(uint8_t) types;
  result_ids connectivity, offsets;
  // Of polyhedra: their faces one after the other, and which of them each cell has.
  result_ids face_connectivity, face_offsets, polyhedron_faces, polyhedron_offsets;
} result_cells;

void result_cells_free(result_cells *cells, const clv_allocator *allocator);
// Replaces what was there. CLV_ERROR_MEMORY, or CLV_OK.
clv_result result_cells_encode(result_cells *cells, const clv_mesh *mesh, const clv_allocator *allocator);
// The first 64 bits of a hash of everything that the cells are.
uint64_t result_cells_hash(const result_cells *cells);

#endif
