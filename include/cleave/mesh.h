// The flat mesh: points and a list of elements, as files hold them and as people think of them.
//
// A clv_mesh is a plain value that readers fill, grids make and writers take; it knows nothing of darts. clv_mesh_build
// turns one into a map with a position column; clv_mesh_extract turns a map back into one. Elements of every dimension
// may lie in one mesh (a file often has boundary triangles beside its tetrahedra); the elements of the highest
// dimension become the cells of the map, the others stay in the mesh and are written back out.
//
// Corner order is VTK's. A polygon lists its corners in order. A polyhedron lists its faces as a stream in `corners`:
//     face_count, n_0, v v v ..., n_1, v v v ..., ...
// (VTK's polyhedron face stream), so one offset array serves every kind.

#ifndef CLEAVE_MESH_H
#define CLEAVE_MESH_H

#include "cleave/embed.h"

CLV_BEGIN_DECLS

// Where a field's values lie.
typedef enum clv_field_place { CLV_ON_POINTS, CLV_ON_ELEMENTS } clv_field_place;

// Named numbers on the points or the elements: temperatures, displacements, ids.
typedef struct clv_field {
  char *name;
  clv_field_place place;
  uint32_t components; // values per point or element
  size_t count;        // points or elements it covers: all there were when it was added
  double *values;      // count * components of them; NULL when it covers nothing
} clv_field;

// A name that a file gives to a region: Gmsh's physical names.
typedef struct clv_region {
  int32_t tag;
  int32_t dimension;
  char *name;
} clv_region;

typedef struct clv_mesh {
  clv_allocator allocator;

  size_t point_count, point_capacity;
  double (*points)[3];

  size_t element_count, element_capacity;
  uint8_t *kinds;    // a clv_kind for each element
  size_t *offsets;   // element e's corners are corners[offsets[e] .. offsets[e + 1]); NULL until there is room for one
  uint32_t *corners; // point numbers (and the counts in a polyhedron's stream)
  size_t corner_capacity;
  int32_t *tags; // the region of each element, 0 for none

  size_t field_count;
  clv_field *fields;

  size_t region_count;
  clv_region *regions;

  // What a reader had to leave out: mid-nodes of second-order elements (their corners are kept), points no element uses
  // (kept in `points`, but not part of a map).
  size_t reduced_elements;
} clv_mesh;

// An empty mesh. allocator may be NULL. A mesh that was freed is empty again and keeps its allocator.
CLV_API void clv_mesh_init(clv_mesh *mesh, const clv_allocator *allocator);
CLV_API void clv_mesh_free(clv_mesh *mesh);

// Grow a mesh. Each returns CLV_OK, or leaves the mesh as it was and returns CLV_ERROR_MEMORY, or CLV_ERROR_ARGUMENT
// for what makes no sense by itself.

// Room for that many in all, those there are included; less than there is changes nothing.
CLV_API clv_result clv_mesh_reserve(clv_mesh *mesh, size_t points, size_t elements, size_t corners);
// Point numbers are 32 bits wide: the 2^32nd point is refused as if memory had run out.
CLV_API clv_result clv_mesh_add_point(clv_mesh *mesh, double x, double y, double z);
// An argument error for a number of corners the kind does not have and for a face stream whose counts do not add up.
// Whether the points exist is not asked (they may follow later); clv_mesh_build asks. `corners` lies outside the mesh.
CLV_API clv_result clv_mesh_add_element(clv_mesh *mesh, clv_kind kind, const uint32_t *corners, size_t corner_count,
                                        int32_t tag);
// A zeroed field over all points or elements there are now; its values are in *values, unless values is NULL. A name
// used twice on the same place is an argument error. Points and elements added later have no value in it.
CLV_API clv_result clv_mesh_add_field(clv_mesh *mesh, const char *name, clv_field_place place, uint32_t components,
                                      double **values);
CLV_API clv_result clv_mesh_add_region(clv_mesh *mesh, int32_t dimension, int32_t tag, const char *name);

// The highest dimension of its elements; 0 when there are none.
CLV_API int clv_mesh_dimension(const clv_mesh *mesh);

// The kinds of grid `cleave grid` makes.
typedef enum clv_grid_kind {
  CLV_GRID_TRI,     // 2D: each square cut in two
  CLV_GRID_QUAD,    // 2D
  CLV_GRID_MIXED2,  // 2D: triangles and quadrangles
  CLV_GRID_HEX,     // 3D
  CLV_GRID_TET5,    // each cube cut in 5, mirrored from cube to cube so that faces meet
  CLV_GRID_TET6,    // each cube cut in 6 (Kuhn)
  CLV_GRID_PRISM,   // each cube cut in 2
  CLV_GRID_PYRAMID, // each cube cut in 6 about its centre
  CLV_GRID_MIXED,   // 3D: hexahedra, tetrahedra, prisms and pyramids, face to face: all of them from 2 x 2 x 2
                    // or 4 x 1 x 1 cubes on
  CLV_GRID_KIND_COUNT
} clv_grid_kind;

// "tri", "quad", "mixed2", "hex", "tet5", "tet6", "prism", "pyramid", "mixed"; "tet" reads as tet5. Back: -1 for an
// unknown word.
CLV_API const char *clv_grid_name(clv_grid_kind kind);
CLV_API int clv_grid_from_name(const char *name);

typedef struct clv_grid_def {
  clv_grid_kind kind;
  uint32_t cells[3]; // along x, y, z; a 2D grid ignores z
  double origin[3];
  double size[3]; // of the whole grid
  bool shared;    // true: neighbours share points; false: each element has points of its own, in element order
} clv_grid_def;

// One hexahedron, the unit cube at the origin, shared points.
CLV_API clv_grid_def clv_default_grid_def(void);

// Fills an empty mesh with a grid; on failure the mesh stays empty. Cells run along x first, then y, then z, and so do
// the shared points; the centres that pyramids meet in come behind them. Every element is positively oriented.
CLV_API clv_result clv_mesh_grid(clv_mesh *mesh, const clv_grid_def *def, clv_error *error);

// Measures of one element, from the coordinates of its corners in VTK order. They know the six templates; for every
// other kind they return NaN, which no comparison takes for a good or a bad value: cut polygons and polyhedra into
// templates.

// The signed volume of a tet, pyramid, prism or hex, exact for curved (bilinear) quadrilateral faces. It is positive
// when the first face (0 1 2, or 0 1 2 3) turns counterclockwise seen from the rest of the element. The area of a tri
// or quad in space, never negative; that of a warped quad is its largest projection.
CLV_API double clv_element_measure(clv_kind kind, const double (*corners)[3]);

// The area of a tri or quad projected along z, positive when its corners turn counterclockwise seen from above. NaN for
// volumes.
CLV_API double clv_element_area_z(clv_kind kind, const double (*corners)[3]);

// The scaled Jacobian in [-1, 1]: 1 is ideal, 0 flat or with an edge of no length, below 0 inverted at some corner. At
// each corner, the determinant of the edges that leave it, each of length 1, divided by its value in the ideal shape;
// the least of them counts. It sees angles, not lengths. Ideal are the regular tet, the pyramid of eight equal edges,
// the right prism over an equilateral triangle, the box, the equilateral tri and the rectangle. A tri or quad is
// measured against its own normal, so it is never inverted as a whole: a quad is negative where it is concave.
CLV_API double clv_element_quality(clv_kind kind, const double (*corners)[3]);

// From mesh to map

typedef struct clv_build_def {
  bool merge_points; // points with equal coordinates are one vertex, whatever their numbers; otherwise numbers alone
                     // tell
  clv_allocator allocator;
} clv_build_def;

// Points are told apart by their numbers.
CLV_API clv_build_def clv_default_build_def(void);

typedef struct clv_build_report {
  size_t cells;           // elements that became cells
  size_t left_out;        // elements of a lower dimension, which did not
  size_t turned;          // inverted elements, turned
  size_t merged_points;   // points that had the coordinates of another
  size_t unused_points;   // points that no cell uses
  size_t parted_vertices; // vertices added where cells touch in a point or an edge only, and so are not joined
} clv_build_report;

// A map from the elements of the mesh's highest dimension, glued wherever two share a facet, with the points as a
// column "pos" on its vertices and the tags as an int32 column "region" on its cells. Refuses, naming the
// elements: a facet shared by three, an element glued to itself, a degenerate element, a corner out of range. report
// and error may be NULL.
CLV_API clv_result clv_mesh_build(const clv_mesh *mesh, const clv_build_def *def, clv_map **map,
                                  clv_build_report *report, clv_error *error);

// The cells of a map as elements, in order of kind and row, appended to an empty mesh; "pos" and "region" give
// points and tags.
CLV_API clv_result clv_mesh_extract(clv_mesh *mesh, const clv_map *map, clv_error *error);

CLV_END_DECLS

#endif
