// VTK's cells. See vtk_cells.h.

#include "io/vtk_cells.h"

#include "io/text.h"

#include <inttypes.h>

// ---- types ----------------------------------------------------------------------------------------------------------

typedef struct vtk_type {
  unsigned char kind, nodes;
} vtk_type;

enum { VTK_PIXEL = 8, VTK_VOXEL = 11, VTK_QUADRATIC_POLYGON = 36 };

// The types of a fixed number of nodes, by VTK's numbers. In second-order cells the corners come first.
static const vtk_type vtk_types[] = {
    [IO_VTK_VERTEX] = {CLV_POINT, 1},
    [IO_VTK_LINE] = {CLV_LINE, 2},
    [IO_VTK_TRIANGLE] = {CLV_TRI, 3},
    [VTK_PIXEL] = {CLV_QUAD, 4},
    [IO_VTK_QUAD] = {CLV_QUAD, 4},
    [10] = {CLV_TET, 4},
    [VTK_VOXEL] = {CLV_HEX, 8},
    [12] = {CLV_HEX, 8},
    [13] = {CLV_PRISM, 6},
    [14] = {CLV_PYRAMID, 5},
    [21] = {CLV_LINE, 3},
    [22] = {CLV_TRI, 6},
    [23] = {CLV_QUAD, 8},
    [24] = {CLV_TET, 10},
    [25] = {CLV_HEX, 20},
    [26] = {CLV_PRISM, 15},
    [27] = {CLV_PYRAMID, 13},
    [28] = {CLV_QUAD, 9},
    [29] = {CLV_HEX, 27},
    [30] = {CLV_QUAD, 6},
    [31] = {CLV_PRISM, 12},
    [32] = {CLV_PRISM, 18},
    [33] = {CLV_HEX, 24},
    [34] = {CLV_TRI, 7},
    [37] = {CLV_PYRAMID, 19},
};

int io_vtk_type_of_kind(clv_kind kind) {
  static const unsigned char types[CLV_KIND_COUNT] = {
      [CLV_TRI] = 5,  [CLV_QUAD] = 9,    [CLV_TET] = 10,        [CLV_PYRAMID] = 14, [CLV_PRISM] = 13,
      [CLV_HEX] = 12, [CLV_POLYGON] = 7, [CLV_POLYHEDRON] = 42, [CLV_POINT] = 1,    [CLV_LINE] = 3,
  };
  return types[kind];
}

// ---- one cell -------------------------------------------------------------------------------------------------------

// The cell being turned into elements.
typedef struct vtk_cell {
  io_reader *r;
  const io_vtk_cells *cells;
  size_t number;
  const int64_t *nodes;
  size_t count;
  uint32_t *corners; // room for all of them
  const char *text;  // where its array stands in the file, NULL when it is no text,
  size_t words;      // and the words there before the first of its nodes
} vtk_cell;

// Messages are of one of its nodes, where that is a word of the file.
static void vtk_mark_node(const vtk_cell *cell, size_t number) {
  io_reader *r = cell->r;
  const char *at = r->at;
  if (!cell->text) return;
  r->at = cell->text;
  for (size_t word = 0; word <= cell->words + number; word++) r->mark = io_word(r).at;
  r->at = at;
}

static bool vtk_is_point(const vtk_cell *cell, size_t number) {
  const int64_t node = cell->nodes[number];
  if (node >= 0 && (uint64_t)node < cell->cells->point_count) return true;
  vtk_mark_node(cell, number);
  return io_fail(cell->r, "cell %zu uses point %" PRId64 ", there are %zu", cell->number, node,
                 cell->cells->point_count);
}

static uint32_t vtk_corner(const vtk_cell *cell, int64_t node) {
  return (uint32_t)(cell->cells->first_point + (uint64_t)node);
}

static bool vtk_convert_corners(const vtk_cell *cell, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!vtk_is_point(cell, i)) return false;
    cell->corners[i] = vtk_corner(cell, cell->nodes[i]);
  }
  return true;
}

static bool vtk_has_nodes(const vtk_cell *cell, size_t least) {
  if (cell->count >= least) return true;
  vtk_mark_node(cell, 0);
  return io_fail(cell->r, "cell %zu has %zu nodes, its type needs at least %zu", cell->number, cell->count, least);
}

// Pixels and voxels list their corners along the axes, row by row.
static void vtk_turn_row(uint32_t *corners) {
  uint32_t third = corners[2];
  corners[2] = corners[3];
  corners[3] = third;
}

static bool vtk_add_fixed(const vtk_cell *cell, int64_t number) {
  const vtk_type *type = &vtk_types[number];
  clv_kind kind = (clv_kind)type->kind;
  size_t corner_count = (size_t)clv_kind_corners(kind);
  if (cell->count != type->nodes) {
    vtk_mark_node(cell, 0);
    return io_fail(cell->r, "cell %zu has %zu nodes, its type %" PRId64 " needs %d", cell->number, cell->count, number,
                   type->nodes);
  }
  if (!vtk_convert_corners(cell, corner_count)) return false;
  if (number == VTK_PIXEL || number == VTK_VOXEL) vtk_turn_row(cell->corners);
  if (number == VTK_VOXEL) vtk_turn_row(cell->corners + 4);
  cell->r->mesh->reduced_elements += type->nodes > corner_count;
  return io_add_element(cell->r, kind, cell->corners, corner_count, 0);
}

// Elements of `size` corners that begin at each corner in turn: vertices, the lines of a polyline, the triangles of a
// strip.
static bool vtk_add_chain(const vtk_cell *cell, clv_kind kind, size_t size) {
  if (!vtk_has_nodes(cell, size) || !vtk_convert_corners(cell, cell->count)) return false;
  for (size_t i = 0; i + size <= cell->count; i++) {
    uint32_t corners[3];
    for (size_t c = 0; c < size; c++) corners[c] = cell->corners[i + c];
    if (kind == CLV_TRI && i % 2) { // every other triangle of a strip turns the other way
      corners[0] = cell->corners[i + 1];
      corners[1] = cell->corners[i];
    }
    if (!io_add_element(cell->r, kind, corners, size, 0)) return false;
  }
  return true;
}

static bool vtk_add_polygon(const vtk_cell *cell, size_t corner_count) {
  return vtk_has_nodes(cell, 3) && vtk_convert_corners(cell, corner_count) &&
         io_add_element(cell->r, CLV_POLYGON, cell->corners, corner_count, 0);
}

// The nodes are a face stream: the number of faces, then each face with its size in front.
static bool vtk_add_polyhedron(const vtk_cell *cell) {
  const int64_t *nodes = cell->nodes;
  size_t at = 1;
  if (!vtk_has_nodes(cell, 1)) return false;
  for (int64_t face = 0; face < nodes[0]; face++) {
    if (at == cell->count || nodes[at] < 3 || (uint64_t)nodes[at] > cell->count - at - 1) {
      vtk_mark_node(cell, at == cell->count ? 0 : at);
      return io_fail(cell->r, "face %" PRId64 " of polyhedron %zu does not fit its face stream", face, cell->number);
    }
    size_t end = at + 1 + (size_t)nodes[at];
    cell->corners[at] = (uint32_t)nodes[at];
    for (at++; at < end; at++) {
      if (!vtk_is_point(cell, at)) return false;
      cell->corners[at] = vtk_corner(cell, nodes[at]);
    }
  }
  if (nodes[0] < 1 || at != cell->count) {
    vtk_mark_node(cell, 0);
    return io_fail(cell->r, "the face stream of polyhedron %zu has %zu numbers, its faces take %zu", cell->number,
                   cell->count, at);
  }
  cell->corners[0] = (uint32_t)nodes[0];
  return io_add_element(cell->r, CLV_POLYHEDRON, cell->corners, cell->count, 0);
}

static bool vtk_add_cell(const vtk_cell *cell, int64_t type) {
  switch (type) {
  case IO_VTK_EMPTY:
    return true;
  case IO_VTK_POLY_VERTEX:
    return vtk_add_chain(cell, CLV_POINT, 1);
  case IO_VTK_POLY_LINE:
    return vtk_add_chain(cell, CLV_LINE, 2);
  case IO_VTK_TRIANGLE_STRIP:
    return vtk_add_chain(cell, CLV_TRI, 3);
  case IO_VTK_POLYGON:
    return vtk_add_polygon(cell, cell->count);
  case VTK_QUADRATIC_POLYGON:
    cell->r->mesh->reduced_elements++;
    return vtk_has_nodes(cell, 6) && vtk_add_polygon(cell, cell->count / 2);
  case IO_VTK_POLYHEDRON:
    return vtk_add_polyhedron(cell);
  default:
    break;
  }
  bool known = type > 0 && type < (int64_t)(sizeof vtk_types / sizeof *vtk_types) && vtk_types[type].nodes;
  if (known) return vtk_add_fixed(cell, type);
  return io_fail(cell->r, "cell %zu has type %" PRId64 ", which is not supported", cell->number, type);
}

// ---- all cells ------------------------------------------------------------------------------------------------------

// Checks that the offsets rise to the end of the connectivity and finds the greatest distance.
static bool vtk_check_offsets(io_reader *r, const io_vtk_cells *cells, size_t *longest) {
  if (cells->offsets[0] != 0) return io_fail(r, "the first cell offset is %" PRId64 ", not 0", cells->offsets[0]);
  for (size_t i = 0; i < cells->count; i++) {
    int64_t from = cells->offsets[i], to = cells->offsets[i + 1];
    if (to < from || (uint64_t)to > cells->connectivity_count) {
      return io_fail(r, "cell %zu has its nodes at %" PRId64 " to %" PRId64 " of %zu", i, from, to,
                     cells->connectivity_count);
    }
    if ((size_t)(to - from) > *longest) *longest = (size_t)(to - from);
  }
  if ((uint64_t)cells->offsets[cells->count] != cells->connectivity_count) {
    return io_fail(r, "the cells use %" PRId64 " nodes, there are %zu", cells->offsets[cells->count],
                   cells->connectivity_count);
  }
  return true;
}

// Replaces the nodes of a polyhedron by its face stream, which begins where the last one ended.
static bool vtk_take_faces(vtk_cell *cell, size_t *face_place) {
  const io_vtk_cells *cells = cell->cells;
  int64_t end = cells->face_ends ? cells->face_ends[cell->number] : -1;
  if (end < 0 || (uint64_t)end > cells->face_count || (size_t)end < *face_place) {
    return io_fail(cell->r, "polyhedron %zu has no faces", cell->number);
  }
  cell->nodes = cells->faces + *face_place;
  cell->text = cells->faces_text.at;
  cell->words = *face_place;
  cell->count = (size_t)end - *face_place;
  *face_place = (size_t)end;
  return true;
}

bool io_vtk_add_cells(io_reader *r, const io_vtk_cells *cells, uint32_t *element_counts) {
  size_t longest = 0, face_place = 0;
  if (!io_ok(r) || !vtk_check_offsets(r, cells, &longest)) return false;
  if (cells->face_count > longest) longest = cells->face_count;
  vtk_cell cell = {.r = r, .cells = cells, .corners = io_scratch_new(r, longest, sizeof(uint32_t))};
  if (!io_reserve(r, 0, cells->count, cells->connectivity_count)) return false;
  for (size_t i = 0; i < cells->count && io_ok(r); i++) {
    size_t before = r->mesh->element_count;
    cell.number = i;
    cell.nodes = cells->connectivity + cells->offsets[i];
    cell.count = (size_t)(cells->offsets[i + 1] - cells->offsets[i]);
    cell.text = cells->connectivity_text.at;
    cell.words = (size_t)cells->offsets[i] + (i + 1) * cells->connectivity_text.heads;
    bool separate_faces = cells->types[i] == IO_VTK_POLYHEDRON && cells->faces;
    if (separate_faces && !vtk_take_faces(&cell, &face_place)) break;
    if (!vtk_add_cell(&cell, cells->types[i])) break;
    element_counts[i] = (uint32_t)(r->mesh->element_count - before);
  }
  return io_ok(r);
}

// ---- values on cells ------------------------------------------------------------------------------------------------

void io_vtk_spread_values(const uint32_t *element_counts, size_t cell_count, const double *from, size_t components,
                          double *to) {
  for (size_t i = 0; i < cell_count; i++) {
    for (uint32_t n = element_counts ? element_counts[i] : 1; n > 0; n--) {
      for (size_t c = 0; c < components; c++) *to++ = from[i * components + c];
    }
  }
}

bool io_vtk_spread_tags(io_reader *r, const uint32_t *element_counts, size_t cell_count, const int64_t *from,
                        int32_t *to) {
  for (size_t i = 0; i < cell_count; i++) {
    if (from[i] < INT32_MIN || from[i] > INT32_MAX) {
      return io_fail(r, "region %" PRId64 " needs more than 32 bits", from[i]);
    }
    for (uint32_t n = element_counts ? element_counts[i] : 1; n > 0; n--) *to++ = (int32_t)from[i];
  }
  return true;
}

bool io_vtk_is_region(io_span name) {
  return io_span_is(name, IO_VTK_REGION) || io_span_is(name, "gmsh:physical");
}
