// From flat mesh to map, and back.
//
// Building tests the elements (corners in range, coordinates finite, nothing degenerate), turns inverted ones, tells
// points apart, lets the map glue, and puts the points and tags into columns. A map that cannot be finished is
// destroyed.

#include "map/build.h"
#include "mesh/points.h"
#include "mesh/polyhedron.h"

#include <math.h>

clv_build_def clv_default_build_def(void) {
  return (clv_build_def){.allocator = clv_default_allocator()};
}

// Testing elements

static clv_result bad_element(clv_error *error, size_t element, const char *what) {
  return clv_error_set(error, CLV_ERROR_INPUT, "element %zu (counted from 0) %s", element, what);
}

static clv_result test_point(const clv_mesh *mesh, size_t element, uint32_t point, clv_error *error) {
  if (point >= mesh->point_count)
    return clv_error_set(error, CLV_ERROR_INPUT,
                         "element %zu (counted from 0) names point %u, but there are %zu points", element, point,
                         mesh->point_count);
  const double *p = mesh->points[point];
  if (p[0] * 0 + p[1] * 0 + p[2] * 0 == 0) return CLV_OK; // neither infinite nor NaN
  return clv_error_set(error, CLV_ERROR_INPUT,
                       "point %u of element %zu (both counted from 0) has a coordinate that is not a number", point,
                       element);
}

static clv_result test_points(const clv_mesh *mesh, size_t element, clv_error *error) {
  const uint32_t *corners = mesh->corners + mesh->offsets[element];
  const size_t count = mesh->offsets[element + 1] - mesh->offsets[element];
  size_t next_count =
      mesh->kinds[element] == CLV_POLYHEDRON ? 0 : SIZE_MAX; // where a stream holds a count, not a point
  clv_result result = CLV_OK;
  for (size_t k = 0; result == CLV_OK && k < count; k++) {
    if (k != next_count)
      result = test_point(mesh, element, corners[k], error);
    else
      next_count = k ? k + corners[k] + 1 : 1;
  }
  return result;
}

typedef struct kind_set {
  bool has[CLV_KIND_COUNT];
} kind_set;

static kind_set kinds_of(int dimension) {
  kind_set kinds;
  for (int kind = 0; kind < CLV_KIND_COUNT; kind++) kinds.has[kind] = clv_kind_dimension((clv_kind)kind) == dimension;
  return kinds;
}

// Says which element it is that has a wrong point, if one has.
static clv_result test_all_points(const clv_mesh *mesh, clv_error *error) {
  clv_result result = CLV_OK;
  for (size_t k = 0; result == CLV_OK && k < mesh->element_count; k++) result = test_points(mesh, k, error);
  return result;
}

// What must be so before points are numbered: all of them exist, and those of elements that are left out are finite.
// The others' coordinates are looked at when they are numbered.
static bool may_be_numbered(const clv_mesh *mesh, int dimension) {
  uint32_t last = 0;
  const size_t count = mesh->element_count ? mesh->offsets[mesh->element_count] : 0;
  for (size_t k = 0; k < count; k++) last = last > mesh->corners[k] ? last : mesh->corners[k];
  bool fine = last < mesh->point_count || !count;
  const kind_set wanted = kinds_of(dimension);
  for (size_t k = 0; fine && k < mesh->element_count; k++)
    fine = wanted.has[mesh->kinds[k]] || test_points(mesh, k, NULL) == CLV_OK;
  return fine;
}

// True when two corners of a polygon are one vertex.
static bool repeats(const uint32_t *corners, size_t count, const uint32_t *vertices) {
  for (size_t a = 1; a < count; a++)
    for (size_t b = 0; b < a; b++)
      if (vertices[corners[a]] == vertices[corners[b]]) return true;
  return false;
}

// Likewise of a template, by its vertices: each of eight is compared with the four behind it, going round.
static bool template_repeats(const uint32_t *v, uint32_t count) {
  if (count <= 4)
    return v[0] == v[1] || v[0] == v[2] || v[1] == v[2] ||
           (count == 4 && (v[0] == v[3] || v[1] == v[3] || v[2] == v[3]));
  uint32_t ring[16], same = 0;
  for (uint32_t k = 0; k < 8; k++) ring[k] = ring[k + 8] = k < count ? v[k] : UINT32_MAX - k; // no vertex
  for (uint32_t step = 1; step <= 4; step++)
    for (uint32_t k = 0; k < 8; k++) same |= ring[k] == ring[k + step];
  return same;
}

static double power(double length, int dimension) {
  return dimension == 3 ? length * length * length : length * length;
}

// A measure this small against the element's size is rounding, not a shape. One pair of corners tells most good
// elements; only where it does not, the whole extent is looked at.
static bool is_flat(double measure, const double (*p)[3], uint32_t count, int dimension) {
  const double x = p[count - 1][0] - p[0][0], y = p[count - 1][1] - p[0][1], z = p[count - 1][2] - p[0][2];
  if (fabs(measure) > 1e-12 * power(fabs(x) + fabs(y) + fabs(z), dimension) && fabs(measure) > 1e-200) return false;
  double extent = 0;
  for (uint32_t a = 1; a < count; a++)
    for (uint32_t c = 0; c < 3; c++) extent = fmax(extent, fabs(p[a][c] - p[0][c]));
  return !(fabs(measure) > 1e-15 * power(extent, dimension));
}

typedef struct elements_test {
  const clv_mesh *mesh;
  const mesh_vertices *vertices;
  int dimension;
  bool planar;             // 2D, all in one plane z = constant: inverted elements can be told
  const uint32_t *corners; // the mesh's, or a copy in which polygons and polyhedra were turned
  uint32_t *own_corners;   // the copy, NULL when there are none
  uint8_t *turned;
  size_t turned_count;
  const clv_allocator *allocator;
  clv_error *error;
} elements_test;

static clv_result flat_element(const elements_test *t, size_t element) {
  return bad_element(t->error, element,
                     t->dimension == 3 ? "is degenerate: it has no volume" : "is degenerate: it has no area");
}

static clv_result corner_repeats(const elements_test *t, size_t element) {
  return bad_element(t->error, element, "is degenerate: two of its corners are one point");
}

static clv_result no_memory(clv_error *error) {
  return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: no map was built");
}

// Faces come in any sense; the map wants them seen from inside.
static clv_result test_polyhedron(elements_test *t, size_t element) {
  const clv_mesh *mesh = t->mesh;
  const double(*points)[3] = (const double(*)[3])mesh->points;
  uint32_t *stream = t->own_corners + mesh->offsets[element];
  double volume = 0, extent = 0;
  if (mesh_polyhedron_repeats(stream, t->vertices->of_point))
    return bad_element(t->error, element, "is glued to itself: two of its faces are the same");
  if (!mesh_polyhedron_orient(stream, t->vertices->of_point, points, t->allocator, &volume)) return no_memory(t->error);
  for (uint32_t f = 0, at = 1; f < stream[0]; at += stream[at] + 1, f++) {
    if (stream[at] < 3) return CLV_OK; // the map says more of such a face
    extent = fmax(extent, mesh_extent(stream + at + 1, stream[at], points));
  }
  return volume > 1e-15 * power(extent, 3) ? CLV_OK : flat_element(t, element);
}

static void reverse(uint32_t *corners, size_t count) {
  for (size_t a = 0, b = count; a + 1 < b; a++) {
    const uint32_t swap = corners[a];
    corners[a] = corners[--b];
    corners[b] = swap;
  }
}

static clv_result test_polygon(elements_test *t, size_t element, size_t count) {
  const double(*points)[3] = (const double(*)[3])t->mesh->points;
  uint32_t *corners = t->own_corners + t->mesh->offsets[element];
  if (count < 3) return CLV_OK; // the map says more of such a polygon
  const double extent = mesh_extent(corners, count, points);
  if (!(mesh_polygon_area(corners, count, points) > 1e-15 * power(extent, 2))) return flat_element(t, element);
  double area_z = 0;
  for (size_t k = 0; k < count && t->planar; k++) {
    const double *a = points[corners[k]], *b = points[corners[(k + 1) % count]];
    area_z += (a[0] - points[corners[0]][0]) * (b[1] - points[corners[0]][1]) -
              (a[1] - points[corners[0]][1]) * (b[0] - points[corners[0]][0]);
  }
  if (area_z < 0) reverse(corners, count);
  t->turned_count += area_z < 0;
  return CLV_OK;
}

static clv_result test_template(elements_test *t, size_t element, const uint32_t *corners) {
  const clv_kind kind = (clv_kind)t->mesh->kinds[element];
  const uint32_t count = clv_templates[kind].corner_count;
  uint32_t vertices[8] = {0};
  double p[8][3];
  for (uint32_t k = 0; k < count; k++) {
    vertices[k] = t->vertices->of_point[corners[k]];
    memcpy(p[k], t->vertices->position[vertices[k]], sizeof p[k]);
  }
  if (template_repeats(vertices, count)) return corner_repeats(t, element);
  const double(*shape)[3] = (const double(*)[3])p;
  const double measure = t->planar ? clv_element_area_z(kind, shape) : clv_element_measure(kind, shape);
  if (is_flat(measure, shape, count, t->dimension)) return flat_element(t, element);
  t->turned[element] = measure < 0;
  t->turned_count += measure < 0;
  return CLV_OK;
}

static clv_result test_shape(elements_test *t, size_t element) {
  const uint32_t kind = t->mesh->kinds[element], *corners = t->mesh->corners + t->mesh->offsets[element];
  if (map_is_template(kind)) return test_template(t, element, corners);
  if (kind == CLV_POLYHEDRON) return test_polyhedron(t, element); // the map tells whether its faces close up
  const size_t count = t->mesh->offsets[element + 1] - t->mesh->offsets[element];
  return repeats(corners, count, t->vertices->of_point) ? corner_repeats(t, element) : test_polygon(t, element, count);
}

// All points that cells use lie in one plane z = constant.
static bool is_planar(const mesh_vertices *vertices) {
  for (uint32_t v = 2; v <= vertices->count; v++)
    if (vertices->position[v][2] != vertices->position[1][2]) return false;
  return true;
}

// Columns

typedef struct build {
  const clv_mesh *mesh;
  const mesh_vertices *vertices;
  clv_map *map;
  clv_column *position, *region;
  map_built built;
  clv_error *error;
} build;

static clv_result fail_from_map(build *b, clv_result result) {
  return clv_error_set(b->error, result, "%s", clv_map_error(b->map));
}

static clv_result create_columns(build *b) {
  const clv_column_def position = clv_default_column_def();
  clv_column_def region = {.name = "region", .orbit = CLV_CELL, .type = CLV_INT32, .components = 1};
  clv_result result = clv_column_create(b->map, &position, &b->position);
  if (result == CLV_OK) result = clv_column_create(b->map, &region, &b->region);
  return result == CLV_OK ? CLV_OK : fail_from_map(b, result);
}

// The templates are in: their values go straight into the columns.
static clv_result fill_columns(void *user) {
  build *b = user;
  const clv_result result = create_columns(b);
  if (result != CLV_OK) return result;
  double(*positions)[3] = clv_column_data(b->position, CLV_NONE, NULL);
  const uint32_t count = b->vertices->of_templates;
  memcpy(positions + 1, b->vertices->position + 1, count * sizeof *positions);
  for (uint32_t k = 0; k < b->built.parted.count; k++)
    memcpy(positions[count + 1 + k], positions[b->built.parted.data[k]], sizeof *positions);
  uint32_t rows[CLV_KIND_COUNT] = {0};
  const int dimension = (int)b->map->dimension;
  int32_t *regions[CLV_KIND_COUNT] = {NULL};
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_kind_dimension((clv_kind)kind) == dimension)
      regions[kind] = clv_column_data(b->region, (clv_kind)kind, NULL);
  for (size_t k = 0; k < b->mesh->element_count; k++) {
    const uint32_t kind = b->mesh->kinds[k];
    if (regions[kind]) regions[kind][rows[kind]++] = b->mesh->tags[k];
  }
  return CLV_OK;
}

static clv_result set_corner(void *user, clv_dart dart, uint32_t point) {
  const build *b = user;
  return clv_column_set(b->position, dart, b->mesh->points[point]);
}

static clv_result set_cell(void *user, clv_dart dart, size_t element) {
  const build *b = user;
  return clv_column_set(b->region, dart, &b->mesh->tags[element]);
}

// Polygons and polyhedra are turned in a copy of the corners.
static bool copy_corners(elements_test *t) {
  const clv_mesh *mesh = t->mesh;
  bool needed = false;
  for (size_t k = 0; k < mesh->element_count; k++)
    needed |= mesh->kinds[k] == CLV_POLYGON || mesh->kinds[k] == CLV_POLYHEDRON;
  t->corners = mesh->corners;
  if (!needed) return true;
  const size_t bytes = mesh->offsets[mesh->element_count] * sizeof *mesh->corners;
  t->corners = t->own_corners = base_allocate(t->allocator, bytes);
  if (t->own_corners) memcpy(t->own_corners, mesh->corners, bytes);
  return t->own_corners != NULL;
}

static void free_corners(elements_test *t) {
  if (t->own_corners)
    base_free(t->allocator, t->own_corners, t->mesh->offsets[t->mesh->element_count] * sizeof *t->own_corners);
}

static clv_result test_elements(elements_test *t) {
  if (!copy_corners(t)) return no_memory(t->error);
  clv_result result = CLV_OK;
  const kind_set wanted = kinds_of(t->dimension);
  for (size_t k = 0; result == CLV_OK && k < t->mesh->element_count; k++)
    if (wanted.has[t->mesh->kinds[k]]) result = test_shape(t, k);
  return result;
}

static clv_result glue(build *b, const elements_test *test) {
  const map_elements elements = {.count = b->mesh->element_count,
                                 .kinds = b->mesh->kinds,
                                 .offsets = b->mesh->offsets,
                                 .corners = test->corners,
                                 .vertices = b->vertices->of_point,
                                 .turned = test->turned,
                                 .template_vertices = b->vertices->of_templates,
                                 .vertex_count = b->vertices->count};
  b->built = (map_built){.corner = set_corner, .cell = set_cell, .ready = fill_columns, .user = b};
  const clv_result result = map_build(map_of(b->map), &elements, &b->built, b->error);
  map_built_free(map_of(b->map), &b->built);
  return result;
}

static clv_result build_map(build *b, elements_test *test, const clv_build_def *def) {
  clv_result result = test_elements(test);
  if (result != CLV_OK) return result;
  clv_map_def map_def = clv_default_map_def();
  map_def.dimension = (uint32_t)test->dimension;
  map_def.allocator = def->allocator;
  b->map = clv_map_create(&map_def, b->error);
  if (!b->map) return CLV_ERROR_MEMORY;
  result = glue(b, test);
  if (result == CLV_OK) return CLV_OK;
  clv_map_destroy(b->map);
  b->map = NULL;
  return result;
}

static void fill_report(clv_build_report *report, const build *b, const elements_test *test) {
  const clv_mesh *mesh = b->mesh;
  *report = (clv_build_report){
      .turned = test->turned_count, .merged_points = b->vertices->merged, .unused_points = b->vertices->unused};
  const kind_set wanted = kinds_of(test->dimension);
  for (size_t k = 0; k < mesh->element_count; k++) report->cells += wanted.has[mesh->kinds[k]];
  report->left_out = mesh->element_count - report->cells;
  const map_index *vertices = map_read(b->map)->indices[clv_orbit_dims(b->map, CLV_VERTEX)];
  report->parted_vertices = vertices->alive - b->vertices->count;
}

clv_result clv_mesh_build(const clv_mesh *mesh, const clv_build_def *given, clv_map **out, clv_build_report *report,
                          clv_error *error) {
  const clv_build_def def = given ? *given : clv_default_build_def();
  const int found = clv_mesh_dimension(mesh), dimension = found < 2 ? 3 : found;
  *out = NULL;
  clv_result result = may_be_numbered(mesh, dimension) ? CLV_OK : test_all_points(mesh, error);
  if (result != CLV_OK) return result;
  mesh_vertices vertices;
  uint8_t *turned = base_allocate(&def.allocator, mesh->element_count + 1);
  if (!turned || !mesh_vertices_number(&vertices, mesh, dimension, def.merge_points, &def.allocator)) {
    base_free(&def.allocator, turned, mesh->element_count + 1);
    return no_memory(error);
  }
  memset(turned, 0, mesh->element_count + 1);
  elements_test test = {.mesh = mesh,
                        .vertices = &vertices,
                        .dimension = dimension,
                        .turned = turned,
                        .allocator = &def.allocator,
                        .error = error};
  test.planar = dimension == 2 && is_planar(&vertices);
  build b = {.mesh = mesh, .vertices = &vertices, .error = error};
  if (!vertices.finite) result = test_all_points(mesh, error);
  if (result == CLV_OK) result = build_map(&b, &test, &def);
  if (result == CLV_OK && report) fill_report(report, &b, &test);
  free_corners(&test);
  mesh_vertices_free(&vertices, mesh, &def.allocator);
  base_free(&def.allocator, turned, mesh->element_count + 1);
  *out = b.map;
  return result;
}
