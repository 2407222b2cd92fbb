#include "surgery/sheet.h"

#include "cleave/surgery.h"

#include <math.h>

enum { LEAF = 4, TRIES = 8, DEEPEST = 192 }; // an eighth at least goes to each side: (7/8)^192 of all is none

void surgery_sheet_free(surgery_sheet *sheet, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &sheet->triangles);
  BASE_RELEASE(allocator, &sheet->nodes);
}

void surgery_sheet_start(surgery_sheet *sheet, double size) {
  sheet->triangles.count = sheet->nodes.count = 0;
  sheet->aside = 1e-10 * size;
}

static bool has_area(const double *a, const double *b, const double *c) {
  double u[3], v[3], uu = 0, vv = 0;
  for (uint32_t k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    uu += u[k] * u[k];
    vv += v[k] * v[k];
  }
  const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  return n[0] * n[0] + n[1] * n[1] + n[2] * n[2] > 1e-24 * uu * vv;
}

static bool is_facet(const clv_mesh *mesh, size_t element) {
  return mesh->kinds[element] == CLV_TRI || mesh->kinds[element] == CLV_QUAD;
}

static uint32_t corners_of(const clv_mesh *mesh, size_t element) {
  return (uint32_t)clv_kind_corners((clv_kind)mesh->kinds[element]);
}

const char *clv_surface_wrong(const clv_mesh *mesh) {
  bool cuts = false;
  for (size_t e = 0; mesh && e < mesh->element_count; e++) {
    const uint32_t *c = mesh->corners + mesh->offsets[e];
    if (!is_facet(mesh, e)) continue;
    if (mesh->offsets[e + 1] - mesh->offsets[e] != corners_of(mesh, e))
      return "an element has too many or too few corners";
    for (uint32_t k = 0; k < corners_of(mesh, e); k++)
      if (c[k] >= mesh->point_count) return "an element has a corner that is none of its points";
    for (uint32_t k = 2; k < corners_of(mesh, e); k++)
      cuts = cuts || has_area(mesh->points[c[0]], mesh->points[c[k - 1]], mesh->points[c[k]]);
  }
  return !mesh ? "there is none" : cuts ? NULL : "it has no triangle and no quadrangle with an area";
}

bool surgery_sheet_add_all(surgery_sheet *sheet, const clv_allocator *allocator, const clv_mesh *mesh) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    const uint32_t *c = mesh->corners + mesh->offsets[e];
    if (!is_facet(mesh, e)) continue;
    for (uint32_t k = 2; k < corners_of(mesh, e); k++)
      if (!surgery_sheet_add(sheet, allocator, mesh->points[c[0]], mesh->points[c[k - 1]], mesh->points[c[k]]))
        return false;
  }
  return true;
}

bool surgery_sheet_add(surgery_sheet *sheet, const clv_allocator *allocator, const double *a, const double *b,
                       const double *c) {
  if (!has_area(a, b, c)) return true;
  if (!BASE_RESERVE(allocator, &sheet->triangles, (uint64_t)sheet->triangles.count + 1)) return false;
  sheet_triangle *triangle = &sheet->triangles.data[sheet->triangles.count++];
  memcpy(triangle->corner[0], a, sizeof triangle->corner[0]);
  memcpy(triangle->corner[1], b, sizeof triangle->corner[1]);
  memcpy(triangle->corner[2], c, sizeof triangle->corner[2]);
  return true;
}

// Boxes

static sheet_node box_about(const surgery_sheet *sheet, uint32_t first, uint32_t count) {
  sheet_node node = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, first, count};
  for (uint32_t t = first; t < first + count; t++)
    for (uint32_t c = 0; c < 3; c++)
      for (uint32_t k = 0; k < 3; k++) {
        node.least[k] = fmin(node.least[k], sheet->triangles.data[t].corner[c][k]);
        node.greatest[k] = fmax(node.greatest[k], sheet->triangles.data[t].corner[c][k]);
      }
  return node;
}

static double middle(const sheet_triangle *t, uint32_t axis) {
  return t->corner[0][axis] + t->corner[1][axis] + t->corner[2][axis];
}

// Puts the triangles of a box in front whose middles lie below its own; how many there are.
static uint32_t divide(surgery_sheet *sheet, const sheet_node *node) {
  uint32_t axis = 0;
  for (uint32_t k = 1; k < 3; k++)
    if (node->greatest[k] - node->least[k] > node->greatest[axis] - node->least[axis]) axis = k;
  const double limit = 1.5 * (node->least[axis] + node->greatest[axis]);
  sheet_triangle *t = sheet->triangles.data + node->first;
  uint32_t below = 0;
  for (uint32_t k = 0; k < node->count; k++) {
    if (middle(&t[k], axis) >= limit) continue;
    const sheet_triangle swapped = t[below];
    t[below++] = t[k];
    t[k] = swapped;
  }
  const bool even = below >= node->count / 8 + 1 && node->count - below >= node->count / 8 + 1;
  return even ? below : node->count / 2;
}

bool surgery_sheet_finish(surgery_sheet *sheet, const clv_allocator *allocator) {
  const uint32_t count = sheet->triangles.count;
  if (!count) return true;
  if (!BASE_RESERVE(allocator, &sheet->nodes, 2 * (uint64_t)count)) return false;
  sheet->nodes.data[0] = box_about(sheet, 0, count);
  sheet->nodes.count = 1;
  // Nodes are divided in the order they came: those behind `k` are not yet.
  for (uint32_t k = 0; k < sheet->nodes.count; k++) {
    sheet_node *node = &sheet->nodes.data[k];
    if (node->count <= LEAF) continue;
    const uint32_t below = divide(sheet, node);
    sheet_node *children = sheet->nodes.data + sheet->nodes.count;
    children[0] = box_about(sheet, node->first, below);
    children[1] = box_about(sheet, node->first + below, node->count - below);
    node->first = sheet->nodes.count;
    node->count = 0;
    sheet->nodes.count += 2;
  }
  return true;
}

// Crossing

// On which side of the plane through a, b and c the point d lies: 1 where they turn counterclockwise, -1 behind; 0 when
// rounding leaves it open.
static int side_of(const double *a, const double *b, const double *c, const double *d) {
  const double ax = a[0] - d[0], ay = a[1] - d[1], az = a[2] - d[2];
  const double bx = b[0] - d[0], by = b[1] - d[1], bz = b[2] - d[2];
  const double cx = c[0] - d[0], cy = c[1] - d[1], cz = c[2] - d[2];
  const double determinant = az * (bx * cy - cx * by) + bz * (cx * ay - ax * cy) + cz * (ax * by - bx * ay);
  const double most = fabs(az) * (fabs(bx * cy) + fabs(cx * by)) + fabs(bz) * (fabs(cx * ay) + fabs(ax * cy)) +
                      fabs(cz) * (fabs(ax * by) + fabs(bx * ay));
  const double error = 8e-16 * most; // Shewchuk, Adaptive Precision Floating-Point Arithmetic, 1997
  return determinant > error ? -1 : determinant < -error ? 1 : 0;
}

enum { MISSES, DOUBTFUL, CROSSES };

static int cross(const sheet_triangle *t, const double *p, const double *q, int *side) {
  const double(*c)[3] = t->corner;
  *side = side_of(c[0], c[1], c[2], p);
  const int other = side_of(c[0], c[1], c[2], q);
  if (*side * other > 0) return MISSES;
  const int turns[3] = {side_of(p, q, c[0], c[1]), side_of(p, q, c[1], c[2]), side_of(p, q, c[2], c[0])};
  bool left = false, right = false, open = *side == 0 || other == 0;
  for (uint32_t k = 0; k < 3; k++) {
    left |= turns[k] > 0;
    right |= turns[k] < 0;
    open |= turns[k] == 0;
  }
  return left && right ? MISSES : open ? DOUBTFUL : CROSSES;
}

static bool meets_box(const sheet_node *node, const double *p, const double *q) {
  for (uint32_t k = 0; k < 3; k++)
    if ((p[k] < node->least[k] && q[k] < node->least[k]) || (p[k] > node->greatest[k] && q[k] > node->greatest[k]))
      return false;
  return true;
}

typedef struct crossings {
  uint32_t count;
  int side; // of p with regard to the first
  bool doubtful;
} crossings;

static crossings count_crossings(const surgery_sheet *sheet, const double *p, const double *q) {
  crossings found = {0};
  uint32_t stack[DEEPEST], height = 0;
  stack[height++] = 0;
  while (height) {
    const sheet_node *node = &sheet->nodes.data[stack[--height]];
    if (!meets_box(node, p, q)) continue;
    if (!node->count) {
      stack[height++] = node->first + 1;
      stack[height++] = node->first;
      continue;
    }
    for (uint32_t t = node->first; t < node->first + node->count; t++) {
      int side = 0;
      const int how = cross(&sheet->triangles.data[t], p, q, &side);
      if (how == MISSES) continue;
      if (!found.count++ || !found.side) found.side = side;
      found.doubtful |= how == DOUBTFUL;
    }
  }
  return found;
}

int surgery_sheet_parts(const surgery_sheet *sheet, const double p[3], const double q[3]) {
  // No two of them in a plane with a usual direction of grids.
  static const double away[TRIES][3] = {
      {0.5813, 0.6841, 0.4407},   {-0.7219, 0.3571, 0.5927}, {0.2371, -0.8713, 0.4297},  {0.4801, 0.2143, -0.8507},
      {-0.3989, -0.5647, 0.7229}, {0.8831, -0.1777, 0.4337}, {-0.1301, 0.9103, -0.3929}, {-0.6067, -0.7013, -0.3739}};
  if (!sheet->nodes.count) return 0;
  crossings found = {0};
  for (uint32_t t = 0; t < TRIES; t++) {
    double a[3], b[3];
    for (uint32_t k = 0; k < 3; k++) {
      a[k] = p[k] + sheet->aside * (t + 1) * away[t][k];
      b[k] = q[k] + sheet->aside * (t + 1) * away[t][k];
    }
    found = count_crossings(sheet, a, b);
    if (!found.doubtful) return found.count % 2 ? found.side : 0;
  }
  return found.side ? found.side : 1; // it meets the sheet, whatever is tried: better cut than slipped through
}
