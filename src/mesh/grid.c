// Grids: a box cut into squares or cubes, and each of those into elements.
//
// This file owns the lattice (which points there are, where they lie and what their numbers are) and the checks of a
// definition; grid_cut.c says how a cell is cut. Everything is counted and reserved before the first point is written,
// so a grid is made whole or not at all. A coordinate depends only on its place in the lattice, never on the cell that
// asks: the points of neighbours are equal to the last bit even when each element has points of its own.

#include "cleave/mesh.h"
#include "mesh/grid_cut.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const grid_names[CLV_GRID_KIND_COUNT] = {
    [CLV_GRID_TRI] = "tri",     [CLV_GRID_QUAD] = "quad",       [CLV_GRID_MIXED2] = "mixed2",
    [CLV_GRID_HEX] = "hex",     [CLV_GRID_TET5] = "tet5",       [CLV_GRID_TET6] = "tet6",
    [CLV_GRID_PRISM] = "prism", [CLV_GRID_PYRAMID] = "pyramid", [CLV_GRID_MIXED] = "mixed",
};

static bool grid_kind_is_known(clv_grid_kind kind) {
  return (unsigned)kind < CLV_GRID_KIND_COUNT;
}

const char *clv_grid_name(clv_grid_kind kind) {
  return grid_kind_is_known(kind) ? grid_names[kind] : "unknown";
}

int clv_grid_from_name(const char *name) {
  if (!name) return -1;
  if (strcmp(name, "tet") == 0) return CLV_GRID_TET5;
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    if (strcmp(grid_names[kind], name) == 0) return kind;
  }
  return -1;
}

clv_grid_def clv_default_grid_def(void) {
  return (clv_grid_def){.kind = CLV_GRID_HEX, .cells = {1, 1, 1}, .size = {1.0, 1.0, 1.0}, .shared = true};
}

// ---- the definition, checked ----------------------------------------------------------------------------------------

static int grid_dimension(clv_grid_kind kind) {
  return kind == CLV_GRID_TRI || kind == CLV_GRID_QUAD || kind == CLV_GRID_MIXED2 ? 2 : 3;
}

// A cell only a few roundings wide would have corners that coincide.
static bool grid_cells_are_resolved(double origin, double size, uint32_t cells) {
  double farthest = fmax(fabs(origin), fabs(origin + size));
  return size / cells > 8.0 * DBL_EPSILON * farthest;
}

static clv_result grid_check_axis(const clv_grid_def *def, int axis, clv_error *error) {
  char name = "xyz"[axis];
  double origin = def->origin[axis], size = def->size[axis];
  if (def->cells[axis] == 0) {
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "grid: no cells along %c; give at least 1", name);
  }
  if (!isfinite(size) || size <= 0.0) {
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "grid: the size along %c is %g; give a finite length above 0", name,
                         size);
  }
  if (!isfinite(origin + size)) {
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "grid: along %c it reaches from %g to %g; both must be finite",
                         name, origin, origin + size);
  }
  if (!grid_cells_are_resolved(origin, size, def->cells[axis])) {
    return clv_error_set(error, CLV_ERROR_ARGUMENT,
                         "grid: cells of width %g along %c cannot be told apart this far from 0 (%g); use fewer cells "
                         "or an origin nearer to 0",
                         size / def->cells[axis], name, origin);
  }
  return CLV_OK;
}

static clv_result grid_check(const clv_mesh *mesh, const clv_grid_def *def, clv_error *error) {
  if (mesh->point_count || mesh->element_count || mesh->field_count || mesh->region_count) {
    return clv_error_set(error, CLV_ERROR_ARGUMENT,
                         "grid: the mesh already has %zu points and %zu elements; give an empty one", mesh->point_count,
                         mesh->element_count);
  }
  if (!grid_kind_is_known(def->kind)) {
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "grid: there is no grid kind %d", (int)def->kind);
  }
  int dimension = grid_dimension(def->kind);
  for (int axis = 0; axis < dimension; axis++) {
    clv_result result = grid_check_axis(def, axis, error);
    if (result) return result;
  }
  if (dimension == 2 && !isfinite(def->origin[2])) {
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "grid: its plane lies at z = %g; that must be finite",
                         def->origin[2]);
  }
  return CLV_OK;
}

// ---- the lattice ----------------------------------------------------------------------------------------------------

typedef struct grid_lattice {
  clv_grid_kind kind;
  uint32_t cells[3];  // a 2D grid is one cell thick
  uint32_t points[3]; // and one point
  double origin[3], size[3];
} grid_lattice;

static clv_result grid_too_large(const clv_grid_def *def, clv_error *error) {
  return clv_error_set(error, CLV_ERROR_ARGUMENT,
                       "grid: %s cells %" PRIu32 " x %" PRIu32 " x %" PRIu32 " need more than the %" PRIu32
                       " points a mesh can number; use fewer cells%s",
                       clv_grid_name(def->kind), def->cells[0], def->cells[1], def->cells[2], UINT32_MAX,
                       def->shared ? "" : " or shared points");
}

// False when the points outnumber 32 bits. Once they do not, every later product of counts fits in 64.
static bool grid_lattice_init(grid_lattice *lattice, const clv_grid_def *def) {
  int dimension = grid_dimension(def->kind);
  uint64_t point_count = 1;
  lattice->kind = def->kind;
  for (int axis = 0; axis < 3; axis++) {
    bool spans = axis < dimension;
    uint64_t points = spans ? (uint64_t)def->cells[axis] + 1 : 1;
    point_count *= points;
    if (point_count > UINT32_MAX) return false;
    lattice->cells[axis] = spans ? def->cells[axis] : 1;
    lattice->points[axis] = (uint32_t)points;
    lattice->origin[axis] = def->origin[axis];
    lattice->size[axis] = spans ? def->size[axis] : 0.0;
  }
  return true;
}

static uint32_t grid_lattice_point_count(const grid_lattice *lattice) {
  return lattice->points[0] * lattice->points[1] * lattice->points[2];
}

// Where a corner (or the centre) of a cell lies. The fraction comes first, so the far end is origin + size exactly.
static void grid_position(const grid_lattice *lattice, const uint32_t cell[3], int corner, double position[3]) {
  for (int axis = 0; axis < 3; axis++) {
    double step = corner == MESH_CUT_CENTRE ? 0.5 : (double)(corner >> axis & 1);
    double fraction = (cell[axis] + step) / lattice->cells[axis];
    position[axis] = lattice->origin[axis] + lattice->size[axis] * fraction;
  }
}

static uint32_t grid_corner_number(const grid_lattice *lattice, const uint32_t cell[3], int corner) {
  uint32_t x = cell[0] + (corner & 1), y = cell[1] + (corner >> 1 & 1), z = cell[2] + (corner >> 2 & 1);
  return x + lattice->points[0] * (y + lattice->points[1] * z);
}

// To the next place of an array of extent[0] x extent[1] x extent[2], x fastest; false behind the last.
static bool grid_advance(const uint32_t extent[3], uint32_t place[3]) {
  for (int axis = 0; axis < 3; axis++) {
    if (++place[axis] < extent[axis]) return true;
    place[axis] = 0;
  }
  return false;
}

// ---- counting -------------------------------------------------------------------------------------------------------

typedef struct grid_tally {
  uint64_t centres, elements, corners;
} grid_tally;

static void grid_tally_cell(grid_tally *tally, const grid_lattice *lattice, const uint32_t cell[3]) {
  mesh_cut scratch;
  const mesh_cut *cut = mesh_cut_cell(lattice->kind, lattice->cells, cell, &scratch);
  tally->centres += cut->centred;
  tally->elements += (uint64_t)cut->piece_count;
  for (int p = 0; p < cut->piece_count; p++) tally->corners += (uint64_t)clv_kind_corners(cut->pieces[p].kind);
}

static grid_tally grid_count(const grid_lattice *lattice) {
  grid_tally tally = {0};
  uint32_t cell[3] = {0};
  if (mesh_cut_varies(lattice->kind)) {
    do grid_tally_cell(&tally, lattice, cell);
    while (grid_advance(lattice->cells, cell));
  } else {
    uint64_t cell_count = (uint64_t)lattice->cells[0] * lattice->cells[1] * lattice->cells[2];
    grid_tally_cell(&tally, lattice, cell);
    tally.centres *= cell_count;
    tally.elements *= cell_count;
    tally.corners *= cell_count;
  }
  return tally;
}

static clv_result grid_reserve(clv_mesh *mesh, const clv_grid_def *def, const grid_lattice *lattice, clv_error *error) {
  grid_tally tally = grid_count(lattice);
  uint64_t points = def->shared ? grid_lattice_point_count(lattice) + tally.centres : tally.corners;
  if (points > UINT32_MAX) return grid_too_large(def, error);
  bool addressable = (size_t)tally.corners == tally.corners; // elements are fewer than corners
  if (!addressable || clv_mesh_reserve(mesh, (size_t)points, (size_t)tally.elements, (size_t)tally.corners)) {
    return clv_error_set(error, CLV_ERROR_MEMORY,
                         "grid: no memory for %" PRIu64 " points and %" PRIu64 " elements; use fewer cells", points,
                         tally.elements);
  }
  return CLV_OK;
}

// ---- making ---------------------------------------------------------------------------------------------------------
//
// From here on nothing can fail: the room is reserved and the cuts are well formed.

static uint32_t grid_add_point(clv_mesh *mesh, const grid_lattice *lattice, const uint32_t cell[3], int corner) {
  double position[3];
  grid_position(lattice, cell, corner, position);
  clv_mesh_add_point(mesh, position[0], position[1], position[2]);
  return (uint32_t)(mesh->point_count - 1);
}

// Corner 0 of a cell that need not exist: the lattice's last points are the lowest corners of nothing.
static void grid_add_lattice(clv_mesh *mesh, const grid_lattice *lattice) {
  uint32_t place[3] = {0};
  do grid_add_point(mesh, lattice, place, 0);
  while (grid_advance(lattice->points, place));
}

static void grid_add_piece(clv_mesh *mesh, const mesh_cut_piece *piece, const uint32_t numbers[MESH_CUT_CENTRE + 1]) {
  uint32_t corners[MESH_CUT_MAX_CORNERS];
  int corner_count = clv_kind_corners(piece->kind);
  for (int c = 0; c < corner_count; c++) corners[c] = numbers[piece->corners[c]];
  clv_mesh_add_element(mesh, piece->kind, corners, (size_t)corner_count, 0);
}

static void grid_add_shared_cell(clv_mesh *mesh, const grid_lattice *lattice, const uint32_t cell[3],
                                 const mesh_cut *cut) {
  uint32_t numbers[MESH_CUT_CENTRE + 1] = {0};
  for (int corner = 0; corner < MESH_CUT_CENTRE; corner++) numbers[corner] = grid_corner_number(lattice, cell, corner);
  if (cut->centred) numbers[MESH_CUT_CENTRE] = grid_add_point(mesh, lattice, cell, MESH_CUT_CENTRE);
  for (int p = 0; p < cut->piece_count; p++) grid_add_piece(mesh, &cut->pieces[p], numbers);
}

static void grid_add_separate_cell(clv_mesh *mesh, const grid_lattice *lattice, const uint32_t cell[3],
                                   const mesh_cut *cut) {
  for (int p = 0; p < cut->piece_count; p++) {
    const mesh_cut_piece *piece = &cut->pieces[p];
    uint32_t numbers[MESH_CUT_CENTRE + 1] = {0};
    for (int c = 0; c < clv_kind_corners(piece->kind); c++) {
      numbers[piece->corners[c]] = grid_add_point(mesh, lattice, cell, piece->corners[c]);
    }
    grid_add_piece(mesh, piece, numbers);
  }
}

static void grid_fill(clv_mesh *mesh, const grid_lattice *lattice, bool shared) {
  if (shared) grid_add_lattice(mesh, lattice);
  uint32_t cell[3] = {0};
  do {
    mesh_cut scratch;
    const mesh_cut *cut = mesh_cut_cell(lattice->kind, lattice->cells, cell, &scratch);
    if (shared)
      grid_add_shared_cell(mesh, lattice, cell, cut);
    else
      grid_add_separate_cell(mesh, lattice, cell, cut);
  } while (grid_advance(lattice->cells, cell));
}

clv_result clv_mesh_grid(clv_mesh *mesh, const clv_grid_def *def, clv_error *error) {
  clv_result result = grid_check(mesh, def, error);
  if (result) return result;
  grid_lattice lattice;
  if (!grid_lattice_init(&lattice, def)) return grid_too_large(def, error);
  result = grid_reserve(mesh, def, &lattice, error);
  if (result) return result;
  grid_fill(mesh, &lattice, def->shared);
  return CLV_OK;
}
