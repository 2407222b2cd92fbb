// See measure.h.

#include "measure.h"

#include <math.h>

enum { MOST_CORNERS = 8 };

// A sum that does not lose what its many small terms have beyond its last digit (Kahan's).
typedef struct sum {
  double value, lost;
} sum;

static void add(sum *s, double term) {
  const double corrected = term - s->lost;
  const double value = s->value + corrected;
  s->lost = (value - s->value) - corrected;
  s->value = value;
}

// ---- templates ------------------------------------------------------------------------------------------------------

static void swap(double a[3], double b[3]) {
  for (int axis = 0; axis < 3; axis++) {
    const double kept = a[axis];
    a[axis] = b[axis];
    b[axis] = kept;
  }
}

// Exchanges corners so that the element is its own mirror image with every face where it was.
static void turn(clv_kind kind, double (*corners)[3]) {
  const bool round_quad = kind == CLV_HEX || kind == CLV_PYRAMID;
  swap(corners[1], corners[round_quad ? 3 : 2]);
  if (kind == CLV_PRISM) swap(corners[4], corners[5]);
  if (kind == CLV_HEX) swap(corners[5], corners[7]);
}

static void rate(cli_measures *measures, sum *qualities, double quality) {
  measures->least = measures->rated ? fmin(measures->least, quality) : quality;
  measures->most = measures->rated ? fmax(measures->most, quality) : quality;
  measures->bad += !(quality > 0.0);
  measures->rated++;
  add(qualities, quality);
}

static void measure_template(const clv_mesh *mesh, size_t element, cli_measures *measures, sum *total, sum *qualities) {
  const clv_kind kind = (clv_kind)mesh->kinds[element];
  const uint32_t *numbers = mesh->corners + mesh->offsets[element];
  double corners[MOST_CORNERS][3];
  for (int c = 0; c < clv_kind_corners(kind); c++) {
    for (int axis = 0; axis < 3; axis++) corners[c][axis] = mesh->points[numbers[c]][axis];
  }
  const double(*read)[3] = (const double(*)[3])corners;
  const double size = clv_element_measure(kind, read);
  if (size < 0.0) turn(kind, corners);
  add(total, fabs(size));
  rate(measures, qualities, clv_element_quality(kind, read));
}

// ---- polygons and polyhedra -----------------------------------------------------------------------------------------

static void subtract(const double a[3], const double b[3], double difference[3]) {
  for (int axis = 0; axis < 3; axis++) difference[axis] = a[axis] - b[axis];
}

static void cross(const double a[3], const double b[3], double product[3]) {
  product[0] = a[1] * b[2] - a[2] * b[1];
  product[1] = a[2] * b[0] - a[0] * b[2];
  product[2] = a[0] * b[1] - a[1] * b[0];
}

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Half the length of the sum of the triangles' normals: right for every flat polygon, convex or not.
static double polygon_area(const clv_mesh *mesh, size_t element) {
  const uint32_t *corners = mesh->corners + mesh->offsets[element];
  const size_t count = mesh->offsets[element + 1] - mesh->offsets[element];
  const double *origin = mesh->points[corners[0]];
  double normal[3] = {0};
  for (size_t c = 1; c + 1 < count; c++) {
    double a[3], b[3], product[3];
    subtract(mesh->points[corners[c]], origin, a);
    subtract(mesh->points[corners[c + 1]], origin, b);
    cross(a, b, product);
    for (int axis = 0; axis < 3; axis++) normal[axis] += product[axis];
  }
  return 0.5 * sqrt(dot(normal, normal));
}

static const double *position_at(const clv_column *positions, clv_dart dart) {
  return clv_column_at(positions, dart);
}

static void face_centre(const clv_map *map, const clv_column *positions, clv_dart dart, double centre[3]) {
  double sum_of_corners[3] = {0};
  int count = 0;
  clv_dart at = dart;
  do {
    const double *position = position_at(positions, at);
    for (int axis = 0; axis < 3; axis++) sum_of_corners[axis] += position[axis];
    count++;
    at = clv_alpha(map, clv_alpha(map, at, 0), 1);
  } while (at != dart);
  for (int axis = 0; axis < 3; axis++) centre[axis] = sum_of_corners[axis] / count;
}

// Tetrahedra from one corner of the cell over the triangles that each edge makes with the centre of each of its faces.
// A file may list faces as it likes; the darts of one side run round all of them the same way.
static double cell_volume(const clv_map *map, const clv_column *positions, const clv_walk *cell) {
  const double *origin = position_at(positions, cell->darts[0]);
  double volume = 0.0;
  for (uint32_t i = 0; i < cell->count; i++) {
    const clv_dart dart = cell->darts[i];
    if (clv_side(map, dart)) continue;
    double a[3], b[3], c[3], product[3];
    face_centre(map, positions, dart, c);
    subtract(position_at(positions, dart), origin, a);
    subtract(position_at(positions, clv_alpha(map, dart, 0)), origin, b);
    subtract(c, origin, c);
    cross(a, b, product);
    volume += dot(product, c) / 6.0;
  }
  return fabs(volume);
}

static clv_result add_cells(const clv_map *map, const clv_column *positions, const clv_walk *cells, sum *total) {
  for (uint32_t i = 0; i < cells->count; i++) {
    clv_walk cell;
    const clv_result result = clv_walk_orbit(&cell, map, CLV_CELL, cells->darts[i]);
    if (result) return result;
    add(total, cell_volume(map, positions, &cell));
    clv_walk_end(&cell);
  }
  return CLV_OK;
}

// Polyhedra have no order of corners to compute from, and one that is a cube is a cube in the map: so all cells are
// measured there. Over a quadrangle the triangles amount to the bilinear face, as they do in clv_element_measure.
static clv_result measure_map(const clv_map *map, const clv_column *positions, sum *total) {
  clv_walk cells;
  clv_result result = clv_walk_all(&cells, map, CLV_CELL);
  if (result) return result;
  result = add_cells(map, positions, &cells, total);
  clv_walk_end(&cells);
  return result;
}

// ---- the body -------------------------------------------------------------------------------------------------------

static void measure_box(const clv_map *map, const clv_column *positions, cli_measures *measures) {
  clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0});
  for (; id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *position = clv_column_of(positions, id);
    for (int axis = 0; axis < 3; axis++) {
      measures->low[axis] = measures->boxed ? fmin(measures->low[axis], position[axis]) : position[axis];
      measures->high[axis] = measures->boxed ? fmax(measures->high[axis], position[axis]) : position[axis];
    }
    measures->boxed = true;
  }
}

// Returns whether there are elements that can only be measured in the map.
static bool measure_elements(const cli_body *body, cli_measures *measures, sum *total, sum *qualities) {
  const clv_mesh *mesh = &body->mesh;
  bool left = false;
  for (size_t e = 0; e < mesh->element_count; e++) {
    const clv_kind kind = (clv_kind)mesh->kinds[e];
    if (clv_kind_dimension(kind) != (int)body->map->dimension) continue;
    if (kind == CLV_POLYHEDRON) {
      left = true;
    } else if (kind == CLV_POLYGON) {
      add(total, polygon_area(mesh, e));
    } else {
      measure_template(mesh, e, measures, total, qualities);
    }
  }
  return left;
}

clv_result cli_measure(const cli_body *body, cli_measures *measures) {
  const clv_column *positions = clv_column_find(body->map, "pos");
  sum total = {0}, qualities = {0};
  *measures = (cli_measures){0};
  if (measure_elements(body, measures, &total, &qualities)) {
    total = (sum){0};
    const clv_result result = measure_map(body->map, positions, &total);
    if (result) return result;
  }
  measure_box(body->map, positions, measures);
  measures->total = total.value;
  if (measures->rated) measures->mean = qualities.value / (double)measures->rated;
  return CLV_OK;
}
