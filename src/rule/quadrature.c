// Quadrature of the template cells, on their rest shapes.
//
// Every kind is isoparametric over a reference shape in [0,1]^k, with VTK's order of corners: the simplex, the square
// and cube, the triangle times the line. A pyramid is a cube whose top is drawn together: its shape functions are the
// square's, shrunk towards the apex, and are linear on the faces that meet other cells. The points are enough for the
// volume of any shape with straight edges, so an affine deformation has its exact energy on every kind.
//
// A triangle or quadrangle lives in space. Its gradients are taken in an orthonormal frame of its tangent plane at the
// point: the axis of space that is nearest to the plane, projected, and the direction across it. So the frame does not
// depend on how the corners are numbered, but for the sign of the second direction.

#include "rule/law.h"

#include <math.h>

uint32_t law_quadrature_points(clv_kind kind) {
  switch (kind) {
  case CLV_TRI:
  case CLV_TET:
    return 1;
  case CLV_QUAD:
    return 4;
  case CLV_PRISM:
    return 6;
  case CLV_PYRAMID:
  case CLV_HEX:
    return 8;
  default:
    return 0;
  }
}

static double gauss(uint32_t bit) {
  const double half = 0.28867513459481288225; // 1 / (2 sqrt 3)
  return bit ? 0.5 + half : 0.5 - half;
}

static double locate(clv_kind kind, uint32_t point, double at[3]) {
  at[0] = at[1] = at[2] = 0;
  switch (kind) {
  case CLV_TRI:
    at[0] = at[1] = 1.0 / 3;
    return 0.5;
  case CLV_TET:
    at[0] = at[1] = at[2] = 0.25;
    return 1.0 / 6;
  case CLV_PRISM:
    at[0] = point % 3 == 1 ? 2.0 / 3 : 1.0 / 6;
    at[1] = point % 3 == 2 ? 2.0 / 3 : 1.0 / 6;
    at[2] = gauss(point / 3);
    return 1.0 / 12;
  case CLV_QUAD:
    at[0] = gauss(point & 1), at[1] = gauss(point >> 1 & 1);
    return 0.25;
  default:
    for (uint32_t k = 0; k < 3; k++) at[k] = gauss(point >> k & 1);
    return 0.125;
  }
}

// Two functions of one variable: 1 - x and x.
static double line(uint32_t end, double x) {
  return end ? x : 1 - x;
}
static double slope(uint32_t end) {
  return end ? 1 : -1;
}

// The triangle's functions and slopes.
static double corner(uint32_t c, const double *x) {
  return c == 0 ? 1 - x[0] - x[1] : x[c - 1];
}
static double corner_slope(uint32_t c, uint32_t axis) {
  return c == 0 ? -1 : c - 1 == axis ? 1 : 0;
}

// Where the corners of a square are, in order round it.
static uint32_t square_x(uint32_t c) {
  return (c & 3) == 1 || (c & 3) == 2;
}
static uint32_t square_y(uint32_t c) {
  return (c & 3) >= 2;
}

static void shape_tet(const double *x, double *shape, double (*slopes)[3]) {
  for (uint32_t c = 0; c < 4; c++) {
    shape[c] = c == 0 ? 1 - x[0] - x[1] - x[2] : x[c - 1];
    for (uint32_t axis = 0; axis < 3; axis++) slopes[c][axis] = corner_slope(c, axis);
  }
}

static void shape_prism(const double *x, double *shape, double (*slopes)[3]) {
  for (uint32_t c = 0; c < 6; c++) {
    const double flat = corner(c % 3, x), high = line(c / 3, x[2]);
    shape[c] = flat * high;
    for (uint32_t axis = 0; axis < 2; axis++) slopes[c][axis] = corner_slope(c % 3, axis) * high;
    slopes[c][2] = flat * slope(c / 3);
  }
}

static void shape_square(const double *x, double *shape, double (*slopes)[3]) {
  for (uint32_t c = 0; c < 4; c++) {
    const double a = line(square_x(c), x[0]), b = line(square_y(c), x[1]);
    shape[c] = a * b;
    slopes[c][0] = slope(square_x(c)) * b;
    slopes[c][1] = a * slope(square_y(c));
    slopes[c][2] = 0;
  }
}

static void shape_pyramid(const double *x, double *shape, double (*slopes)[3]) {
  shape_square(x, shape, slopes);
  for (uint32_t c = 0; c < 4; c++) {
    slopes[c][0] *= 1 - x[2];
    slopes[c][1] *= 1 - x[2];
    slopes[c][2] = -shape[c];
    shape[c] *= 1 - x[2];
  }
  shape[4] = x[2];
  slopes[4][0] = slopes[4][1] = 0;
  slopes[4][2] = 1;
}

static void shape_cube(const double *x, double *shape, double (*slopes)[3]) {
  double flat[4], flat_slopes[4][3];
  shape_square(x, flat, flat_slopes);
  for (uint32_t c = 0; c < 8; c++) {
    const double high = line(c / 4, x[2]);
    shape[c] = flat[c % 4] * high;
    for (uint32_t axis = 0; axis < 2; axis++) slopes[c][axis] = flat_slopes[c % 4][axis] * high;
    slopes[c][2] = flat[c % 4] * slope(c / 4);
  }
}

double law_reference(clv_kind kind, uint32_t point, double *shape, double (*slopes)[3]) {
  double at[3];
  const double weight = locate(kind, point, at);
  switch (kind) {
  case CLV_TRI:
    for (uint32_t c = 0; c < 3; c++) {
      shape[c] = corner(c, at);
      for (uint32_t axis = 0; axis < 3; axis++) slopes[c][axis] = axis < 2 ? corner_slope(c, axis) : 0;
    }
    break;
  case CLV_QUAD:
    shape_square(at, shape, slopes);
    break;
  case CLV_TET:
    shape_tet(at, shape, slopes);
    break;
  case CLV_PRISM:
    shape_prism(at, shape, slopes);
    break;
  case CLV_PYRAMID:
    shape_pyramid(at, shape, slopes);
    break;
  default:
    shape_cube(at, shape, slopes);
    break;
  }
  return weight;
}

static double dot3(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross3(const double *a, const double *b, double *c) {
  c[0] = a[1] * b[2] - a[2] * b[1];
  c[1] = a[2] * b[0] - a[0] * b[2];
  c[2] = a[0] * b[1] - a[1] * b[0];
}

// Gradients of a volume's functions: slopes times the inverse of the Jacobian, whose columns are `along`.
// Returns the determinant.
static double volume_gradients(double (*along)[3], uint32_t corners, double (*slopes)[3], double *gradients) {
  double dual[3][3];
  for (uint32_t axis = 0; axis < 3; axis++) cross3(along[(axis + 1) % 3], along[(axis + 2) % 3], dual[axis]);
  const double det = dot3(along[0], dual[0]);
  for (uint32_t c = 0; c < corners; c++)
    for (uint32_t x = 0; x < 3; x++)
      gradients[3 * c + x] = (slopes[c][0] * dual[0][x] + slopes[c][1] * dual[1][x] + slopes[c][2] * dual[2][x]) / det;
  return det;
}

// The same on a surface, in a frame of its tangent plane. Returns the area of the reference square there.
static double surface_gradients(double (*along)[3], uint32_t corners, double (*slopes)[3], double *gradients,
                                double *frame) {
  double normal[3], first[3], second[3];
  cross3(along[0], along[1], normal);
  const double area = sqrt(dot3(normal, normal));
  uint32_t axis = 0;
  for (uint32_t x = 0; x < 3; x++) {
    normal[x] /= area;
    if (fabs(normal[x]) < fabs(normal[axis])) axis = x;
  }
  for (uint32_t x = 0; x < 3; x++) first[x] = (x == axis) - normal[axis] * normal[x];
  const double length = sqrt(dot3(first, first));
  for (uint32_t x = 0; x < 3; x++) first[x] /= length;
  cross3(normal, first, second);
  for (uint32_t x = 0; x < 3; x++) {
    frame[2 * x] = first[x];
    frame[2 * x + 1] = second[x];
  }
  // The Jacobian in the frame, whose determinant is the area.
  const double j00 = dot3(first, along[0]), j01 = dot3(first, along[1]);
  const double j10 = dot3(second, along[0]), j11 = dot3(second, along[1]);
  for (uint32_t c = 0; c < corners; c++) {
    gradients[3 * c] = (slopes[c][0] * j11 - slopes[c][1] * j10) / area;
    gradients[3 * c + 1] = (slopes[c][1] * j00 - slopes[c][0] * j01) / area;
    gradients[3 * c + 2] = 0;
  }
  return area;
}

// A tetrahedron has one point, and slopes of 1, 0 and -1: the same numbers, without multiplying by those. Nobody reads
// what larger cells have behind them.
static void tet_quadrature(const double (*rest)[3], double *out) {
  double at[3], along[3][3], dual[3][3];
  const double weight = locate(CLV_TET, 0, at);
  for (uint32_t axis = 0; axis < 3; axis++)
    for (uint32_t x = 0; x < 3; x++) along[axis][x] = rest[axis + 1][x] - rest[0][x];
  for (uint32_t axis = 0; axis < 3; axis++) cross3(along[(axis + 1) % 3], along[(axis + 2) % 3], dual[axis]);
  const double det = dot3(along[0], dual[0]);
  out[0] = fabs(weight * det);
  out[1] = 1 - at[0] - at[1] - at[2];
  memcpy(out + 2, at, sizeof at);
  for (uint32_t x = 0; x < 3; x++) out[5 + x] = (-dual[0][x] - dual[1][x] - dual[2][x]) / det;
  for (uint32_t k = 0; k < 9; k++) out[8 + k] = dual[k / 3][k % 3] / det;
}

void law_quadrature(clv_kind kind, const double (*rest)[3], double (*data)[LAW_QUAD_DATA]) {
  if (kind == CLV_TET) {
    tet_quadrature(rest, data[0]);
    return;
  }
  const uint32_t points = law_quadrature_points(kind), corners = clv_templates[kind].corner_count;
  double whole = 0;
  for (uint32_t p = 0; p < points; p++) {
    double shape[8], slopes[8][3], along[3][3] = {{0}};
    const double weight = law_reference(kind, p, shape, slopes);
    for (uint32_t c = 0; c < corners; c++)
      for (uint32_t axis = 0; axis < 3; axis++)
        for (uint32_t x = 0; x < 3; x++) along[axis][x] += slopes[c][axis] * rest[c][x];
    double *out = data[p], *gradients = out + 1 + corners;
    memset(out, 0, sizeof data[p]);
    memcpy(out + 1, shape, corners * sizeof *shape);
    if (clv_templates[kind].dimension == 2)
      out[0] = weight * surface_gradients(along, corners, slopes, gradients, gradients + 3 * corners);
    else
      out[0] = weight * volume_gradients(along, corners, slopes, gradients);
    whole += out[0];
  }
  // A cell that is numbered the other way round has a volume all the same.
  if (whole < 0)
    for (uint32_t p = 0; p < points; p++) data[p][0] = -data[p][0];
}

uint32_t law_reference_points(clv_kind kind, double (*data)[LAW_QUAD_DATA]) {
  const uint32_t points = law_quadrature_points(kind), corners = clv_templates[kind].corner_count;
  for (uint32_t p = 0; p < points; p++) {
    double slopes[8][3];
    data[p][0] = law_reference(kind, p, data[p] + 1, slopes);
    for (uint32_t c = 0; c < corners; c++) memcpy(data[p] + 1 + corners + (size_t)3 * c, slopes[c], sizeof slopes[c]);
  }
  return points;
}
