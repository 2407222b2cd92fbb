// VTK's cells, which its legacy and its XML files share: their types, and how they become elements.
//
// A cell usually becomes one element. Strips, polylines and groups of vertices become several, empty cells none;
// whoever reads values on cells spreads them over the elements with the counts that io_vtk_add_cells leaves behind.

#ifndef IO_VTK_CELLS_H
#define IO_VTK_CELLS_H

#include "io/reader.h"

enum {
  IO_VTK_EMPTY = 0,
  IO_VTK_VERTEX = 1,
  IO_VTK_POLY_VERTEX = 2,
  IO_VTK_LINE = 3,
  IO_VTK_POLY_LINE = 4,
  IO_VTK_TRIANGLE = 5,
  IO_VTK_TRIANGLE_STRIP = 6,
  IO_VTK_POLYGON = 7,
  IO_VTK_QUAD = 9,
  IO_VTK_POLYHEDRON = 42,
};

// Where an array of numbers stands in the file as text; `at` NULL: it does not. There may be other words before those
// of each cell: the number of its nodes.
typedef struct io_vtk_text {
  const char *at;
  size_t heads;
} io_vtk_text;

typedef struct io_vtk_cells {
  size_t count;
  const int64_t *types;
  const int64_t *offsets; // count + 1 places in `connectivity`, in rising order
  const int64_t *connectivity;
  size_t connectivity_count;
  io_vtk_text connectivity_text, faces_text; // for messages
  // The face streams of polyhedra and where each cell's ends (negative for other cells). NULL when the connectivity of
  // a polyhedron is its face stream.
  const int64_t *faces, *face_ends;
  size_t face_count;
  // The points these cells may name: they are numbered from 0 here.
  size_t first_point, point_count;
} io_vtk_cells;

// Appends the cells to the mesh and says in element_counts how many elements each became. Trusts nothing but `count`,
// `connectivity_count` and `face_count`, the lengths of the arrays.
bool io_vtk_add_cells(io_reader *r, const io_vtk_cells *cells, uint32_t *element_counts);

// Spreads values on cells over their elements. element_counts NULL means one each.
void io_vtk_spread_values(const uint32_t *element_counts, size_t cell_count, const double *from, size_t components,
                          double *to);
bool io_vtk_spread_tags(io_reader *r, const uint32_t *element_counts, size_t cell_count, const int64_t *from,
                        int32_t *to);

// The name under which regions are written as integers on cells.
#define IO_VTK_REGION "region"
// Whether integers on cells of this name are regions; "gmsh:physical" is what other converters write.
bool io_vtk_is_region(io_span name);

int io_vtk_type_of_kind(clv_kind kind);

#endif
