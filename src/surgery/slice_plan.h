// What becomes of a cell that is no simplex when it is split along a plane: planned, nothing is changed.
//
// Faces come first, and what becomes of one follows from the face alone, so that both its cells agree:
//
//     two edges bisected         an edge joins the two new vertices. Where that cuts one corner off a quadrangle, the
//                                corner opposite is joined to both: no piece has more than four corners. A triangle
//                                beside a tetrahedron is parted as that bisects it
//     one edge bisected          its new vertex is joined to a corner on the plane, or to both corners opposite
//     two corners on the plane   of a quadrangle, opposite each other: its diagonal
//
// On a surface that is all. In space the pieces of the faces that lie above the plane are bounded by a ring, as are
// those below, and it is the same ring. If it has three or four corners, a wall goes up on it; a half that is a
// tetrahedron, a pyramid, a prism or a hexahedron then is one, another gets a vertex in its middle, and is a pyramid
// over each quadrangle and a tetrahedron over each triangle. If there is no such ring, or pieces would be bad, there is
// one vertex in the middle of the section, and these stand over all pieces of the faces: on either side of the plane,
// as their faces are.
//
// So a cell beside others that are left whole, or are beyond the tip of a blade, is split, too, with some of its edges
// and faces as they are.

#ifndef SURGERY_SLICE_PLAN_H
#define SURGERY_SLICE_PLAN_H

#include "surgery/slice.h"

enum {
  PLAN_CORNERS = 8,
  PLAN_EDGES = 12,
  PLAN_POINTS = PLAN_CORNERS + PLAN_EDGES + 2, // two centres at most
  PLAN_EARS = 6 * 3,
  PLAN_POLYGONS = 6 + PLAN_EARS + 2, // and a wall, from both sides
  PLAN_RING = 4,
};

// In position, rest and velocity.
enum { PLAN_POS, PLAN_REST, PLAN_VEL };

// A corner of the cell; where one of its edges is bisected; or the middle of it or a half.
typedef struct plan_point {
  uint32_t slot, edge; // of a corner; number of an edge that is bisected
  uint8_t ends[2];     // of that edge, among the corners
  int8_t side;
  double at[3][3];
} plan_point;

// Cuts a part off a face: the outline from one place to another.
typedef struct plan_ear {
  uint8_t face, from, to;
} plan_ear;

// A face with the new vertices in its edges, in the order of its darts. A place is a corner, or on the edge behind one.
// All edges of a warped quadrangle may be crossed: such a face is traced, and then refused.
enum { PLAN_PLACES = 2 * 4 };
typedef struct plan_outline {
  uint32_t count;
  uint8_t points[PLAN_PLACES], corner[PLAN_PLACES];
} plan_outline;

// A piece of a face, turning as the cell's faces do. What lies along each edge: a place of the outline, or an ear, seen
// from it or from what it leaves.
enum { PLAN_INSIDE = 0x40, PLAN_OUTSIDE = 0x80, PLAN_NUMBER = 0x3F };
typedef struct plan_polygon {
  uint8_t face, count, points[4], along[4];
  int8_t side; // 0: it lies on both sides, or on the plane
  bool flat;   // it lies on the plane
} plan_polygon;

typedef struct plan_ring {
  uint32_t count;
  uint8_t points[PLAN_RING], polygon[PLAN_RING], edge[PLAN_RING]; // of the piece above
} plan_ring;

typedef struct plan_piece {
  clv_kind kind;
  uint8_t corners[PLAN_CORNERS];
} plan_piece;

typedef struct slice_plan {
  clv_dart cell; // its first dart
  clv_kind kind;
  int32_t level;  // of vertices inside it
  uint8_t theirs; // faces that are parted from the other side, a bit each
  uint32_t corners, points, ears, polygons, pieces;
  plan_ring ring;     // without corners: there is no wall
  uint8_t centres[2]; // points in the middle of the half above, or of the section; of that below. 0: none
  double worst;       // the least quality of a piece; 1 where there are none
  double before[PLAN_POINTS], after[PLAN_POINTS]; // what its points have of its mass, kg
  double push[PLAN_CORNERS][3];                   // momentum that its corners get
  plan_point point[PLAN_POINTS];
  plan_outline outline[6];
  plan_ear ear[PLAN_EARS];
  plan_polygon polygon[PLAN_POLYGONS];
  plan_piece piece[2 * PLAN_POLYGONS];
} slice_plan;

// Plans for a cell whose `uses` are in order. False where it cannot be split, whatever the bound on quality: the plane
// crosses a face twice, or a face that is warped, between two densities or on the surface, would weigh something else.
bool slice_plan_cell(const slicing *cutting, clv_dart cell, const slice_use *uses, uint32_t count, slice_plan *plan);

// Darts of an outline at a place: along the edge that follows, and along that before it. Inside a transaction, once
// edges are bisected.
clv_dart slice_plan_ahead(const clv_map *map, const slice_plan *plan, uint32_t face, uint32_t place);
clv_dart slice_plan_behind(const clv_map *map, const slice_plan *plan, uint32_t face, uint32_t place);

#endif
