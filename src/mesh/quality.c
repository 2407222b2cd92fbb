// The size and the shape of one element, from its corners' coordinates alone.
//
// Both measures are one formula over a table. A volume is the sum of the cones from corner 0 over the faces (the
// divergence theorem). A cone over a triangle is a determinant; a quadrilateral face is the bilinear surface through
// its corners, which halves the tetrahedron they span, so its cone is the mean of the two ways to cut it in triangles.
// This makes the sum exact for the trilinear hexahedron and its prism and pyramid, and makes neighbours agree about the
// volume on either side of a warped face. Quality is the least determinant over a table of corner frames. Nothing here
// allocates or can fail; a kind without a table measures NaN.

#include "cleave/mesh.h"

#include <math.h>

// ---- vectors --------------------------------------------------------------------------------------------------------

typedef struct quality_vec {
  double x, y, z;
} quality_vec;

static quality_vec quality_edge(const double from[3], const double to[3]) {
  return (quality_vec){to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

static quality_vec quality_sum(quality_vec a, quality_vec b) {
  return (quality_vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static double quality_dot(quality_vec a, quality_vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static quality_vec quality_cross(quality_vec a, quality_vec b) {
  return (quality_vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static double quality_det(quality_vec a, quality_vec b, quality_vec c) {
  return quality_dot(quality_cross(a, b), c);
}

static double quality_length(quality_vec a) {
  return sqrt(quality_dot(a, a));
}

// Of length 1, or zero: then every determinant it enters is zero and the element counts as flat.
static quality_vec quality_unit(quality_vec a) {
  double length = quality_length(a);
  if (!(length > 0.0)) return (quality_vec){0.0, 0.0, 0.0};
  return (quality_vec){a.x / length, a.y / length, a.z / length};
}

// ---- measure --------------------------------------------------------------------------------------------------------

// A face's corners, counterclockwise seen from outside. Triangles at corner 0 are left out: the cone over them is flat.
typedef struct quality_face {
  int size; // 3 or 4
  int corners[4];
} quality_face;

typedef struct quality_hull {
  int face_count;
  quality_face faces[4];
} quality_hull;

// clang-format off
static const quality_hull quality_hulls[CLV_KIND_COUNT] = {
    [CLV_PYRAMID] = {3, {{4, {0, 3, 2, 1}}, {3, {1, 2, 4}}, {3, {2, 3, 4}}}},
    [CLV_PRISM] = {4, {{3, {3, 4, 5}}, {4, {0, 1, 4, 3}}, {4, {1, 2, 5, 4}}, {4, {2, 0, 3, 5}}}},
};
// clang-format on

// Six times the volume of the cone from the origin over a face.
static double quality_cone(const quality_face *face, const quality_vec *corners) {
  quality_vec a = corners[face->corners[0]], b = corners[face->corners[1]], c = corners[face->corners[2]];
  if (face->size == 3) return quality_det(a, b, c);
  // (abc + acd) + (abd + bcd), the two cuts, with the determinants that share two columns added up.
  quality_vec d = corners[face->corners[3]];
  return 0.5 * (quality_det(a, b, quality_sum(c, d)) + quality_det(quality_sum(a, b), c, d));
}

// Twelve times the volume of a hexahedron: its six cones, gathered into three determinants (Grandy, 1997).
static double quality_hexahedron(const double (*p)[3]) {
  quality_vec a = quality_edge(p[1], p[6]), b = quality_edge(p[0], p[7]), c = quality_edge(p[3], p[6]);
  quality_vec d = quality_edge(p[0], p[2]), e = quality_edge(p[0], p[5]), f = quality_edge(p[4], p[6]);
  return quality_det(quality_sum(a, b), c, d) + quality_det(b, quality_sum(c, e), f) +
         quality_det(a, e, quality_sum(f, d));
}

static double quality_volume(clv_kind kind, const double (*corners)[3]) {
  if (kind == CLV_HEX) return quality_hexahedron(corners) / 12.0;
  if (kind == CLV_TET)
    return quality_det(quality_edge(corners[0], corners[1]), quality_edge(corners[0], corners[2]),
                       quality_edge(corners[0], corners[3])) /
           6.0;
  // Relative to a corner: far from the origin the cones would be large and cancel.
  quality_vec relative[8];
  const int count = clv_kind_corners(kind);
  for (int c = 0; c < count; c++) relative[c] = quality_edge(corners[0], corners[c]);
  const quality_hull *hull = &quality_hulls[kind];
  double six_volumes = 0.0;
  for (int f = 0; f < hull->face_count; f++) six_volumes += quality_cone(&hull->faces[f], relative);
  return six_volumes / 6.0;
}

// Normal to a tri or quad, as long as its area; half the cross product of the diagonals, a triangle's second one being
// a side.
static quality_vec quality_area(clv_kind kind, const double (*corners)[3]) {
  const double *last = corners[kind == CLV_TRI ? 0 : 3];
  quality_vec twice = quality_cross(quality_edge(corners[0], corners[2]), quality_edge(corners[1], last));
  return (quality_vec){0.5 * twice.x, 0.5 * twice.y, 0.5 * twice.z};
}

double clv_element_measure(clv_kind kind, const double (*corners)[3]) {
  switch (kind) {
  case CLV_TRI:
  case CLV_QUAD:
    return quality_length(quality_area(kind, corners));
  case CLV_TET:
  case CLV_PYRAMID:
  case CLV_PRISM:
  case CLV_HEX:
    return quality_volume(kind, corners);
  default:
    return NAN;
  }
}

double clv_element_area_z(clv_kind kind, const double (*corners)[3]) {
  return kind == CLV_TRI || kind == CLV_QUAD ? quality_area(kind, corners).z : NAN;
}

// ---- quality --------------------------------------------------------------------------------------------------------

#define QUALITY_SQRT2 1.41421356237309504880
#define QUALITY_2_BY_SQRT3 1.15470053837925152902

// A corner and the ends of three edges that leave it, in positive order.
typedef struct quality_frame {
  int at, to[3];
} quality_frame;

typedef struct quality_frames {
  double scale; // one over the determinant of each frame in the ideal shape
  int count;
  quality_frame frames[8];
} quality_frames;

// Four edges meet in the apex of a pyramid: each three neighbouring ones make a frame. In the pyramid of equal edges
// these have the same determinant as the frames at the base, and a taller or flatter one is worse. clang-format off
static const quality_frames quality_tables[CLV_KIND_COUNT] = {
    [CLV_TET] = {QUALITY_SQRT2, 4, {{0, {1, 2, 3}}, {1, {2, 0, 3}}, {2, {0, 1, 3}}, {3, {0, 2, 1}}}},
    [CLV_PYRAMID] = {QUALITY_SQRT2,
                     8,
                     {{0, {1, 3, 4}},
                      {1, {2, 0, 4}},
                      {2, {3, 1, 4}},
                      {3, {0, 2, 4}},
                      {4, {2, 1, 0}},
                      {4, {3, 2, 1}},
                      {4, {0, 3, 2}},
                      {4, {1, 0, 3}}}},
    [CLV_PRISM] = {QUALITY_2_BY_SQRT3,
                   6,
                   {{0, {1, 2, 3}}, {1, {2, 0, 4}}, {2, {0, 1, 5}}, {3, {5, 4, 0}}, {4, {3, 5, 1}}, {5, {4, 3, 2}}}},
    [CLV_HEX] = {1.0,
                 8,
                 {{0, {1, 3, 4}},
                  {1, {2, 0, 5}},
                  {2, {3, 1, 6}},
                  {3, {0, 2, 7}},
                  {4, {7, 5, 0}},
                  {5, {4, 6, 1}},
                  {6, {5, 7, 2}},
                  {7, {6, 4, 3}}}},
};
// clang-format on

// Rounding may pass 1 by a hair, and an inverted corner may be worse than the ideal is good.
static double quality_clamp(double quality) {
  return quality > 1.0 ? 1.0 : quality < -1.0 ? -1.0 : quality;
}

static double quality_of_volume(clv_kind kind, const double (*corners)[3]) {
  const quality_frames *table = &quality_tables[kind];
  double least = INFINITY;
  for (int f = 0; f < table->count; f++) {
    const quality_frame *frame = &table->frames[f];
    quality_vec edges[3];
    for (int e = 0; e < 3; e++) edges[e] = quality_unit(quality_edge(corners[frame->at], corners[frame->to[e]]));
    least = fmin(least, quality_det(edges[0], edges[1], edges[2]));
  }
  return quality_clamp(table->scale * least);
}

static double quality_of_face(clv_kind kind, const double (*corners)[3]) {
  int size = clv_kind_corners(kind);
  quality_vec normal = quality_unit(quality_area(kind, corners));
  double least = INFINITY;
  for (int c = 0; c < size; c++) {
    quality_vec ahead = quality_unit(quality_edge(corners[c], corners[(c + 1) % size]));
    quality_vec behind = quality_unit(quality_edge(corners[c], corners[(c + size - 1) % size]));
    least = fmin(least, quality_det(ahead, behind, normal));
  }
  return quality_clamp(kind == CLV_TRI ? QUALITY_2_BY_SQRT3 * least : least);
}

double clv_element_quality(clv_kind kind, const double (*corners)[3]) {
  switch (kind) {
  case CLV_TRI:
  case CLV_QUAD:
    return quality_of_face(kind, corners);
  case CLV_TET:
  case CLV_PYRAMID:
  case CLV_PRISM:
  case CLV_HEX:
    return quality_of_volume(kind, corners);
  default:
    return NAN;
  }
}
