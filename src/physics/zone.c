#include "physics/zone.h"

#include <math.h>
#include <stdlib.h>

clv_zone clv_zone_all(void) {
  return (clv_zone){.kind = CLV_ZONE_ALL, .dimension = -1};
}

clv_zone clv_zone_region(int32_t tag) {
  return (clv_zone){.kind = CLV_ZONE_REGION, .region = tag, .dimension = -1};
}

clv_zone clv_zone_box(const double least[3], const double greatest[3]) {
  clv_zone zone = {.kind = CLV_ZONE_BOX, .dimension = -1};
  memcpy(zone.point, least, sizeof zone.point);
  memcpy(zone.extent, greatest, sizeof zone.extent);
  return zone;
}

clv_zone clv_zone_sphere(const double centre[3], double radius) {
  clv_zone zone = {.kind = CLV_ZONE_SPHERE, .dimension = -1, .radius = radius};
  memcpy(zone.point, centre, sizeof zone.point);
  return zone;
}

clv_zone clv_zone_plane(const double point[3], const double normal[3]) {
  clv_zone zone = {.kind = CLV_ZONE_PLANE, .dimension = -1};
  memcpy(zone.point, point, sizeof zone.point);
  memcpy(zone.extent, normal, sizeof zone.extent);
  return zone;
}

clv_zone clv_zone_nearest(const double point[3]) {
  clv_zone zone = {.kind = CLV_ZONE_NEAREST, .dimension = -1};
  memcpy(zone.point, point, sizeof zone.point);
  return zone;
}

clv_zone clv_zone_capsule(const double from[3], const double to[3], double radius) {
  clv_zone zone = {.kind = CLV_ZONE_CAPSULE, .dimension = -1, .radius = radius};
  memcpy(zone.point, from, sizeof zone.point);
  memcpy(zone.extent, to, sizeof zone.extent);
  return zone;
}

static bool finite3(const double *v) {
  return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]);
}

static double squared_length(const double *a) {
  return a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
}

const char *physics_zone_wrong(const clv_zone *zone) {
  if ((unsigned)zone->kind > CLV_ZONE_CAPSULE) return "its kind is unknown";
  const bool spatial = zone->kind >= CLV_ZONE_BOX;
  if (spatial && !finite3(zone->point)) return "a coordinate is not a number";
  const bool extended = zone->kind == CLV_ZONE_BOX || zone->kind == CLV_ZONE_PLANE || zone->kind == CLV_ZONE_CAPSULE;
  if (extended && !finite3(zone->extent)) return "a coordinate is not a number";
  const bool round = zone->kind == CLV_ZONE_SPHERE || zone->kind == CLV_ZONE_CAPSULE;
  if (round && !(zone->radius >= 0 && isfinite(zone->radius))) return "its radius must be a number of at least 0";
  if (zone->kind == CLV_ZONE_BOX)
    for (uint32_t k = 0; k < 3; k++)
      if (zone->extent[k] < zone->point[k]) return "its greatest corner lies below its least";
  if (zone->kind == CLV_ZONE_PLANE && !(squared_length(zone->extent) > 0)) return "its normal has no length";
  return NULL;
}

void physics_zone_displace(clv_zone *zone, const double by[3]) {
  const bool two_points = zone->kind == CLV_ZONE_BOX || zone->kind == CLV_ZONE_CAPSULE;
  for (uint32_t k = 0; k < 3; k++) {
    zone->point[k] += by[k];
    if (two_points) zone->extent[k] += by[k];
  }
}

// Points

static double squared_distance(const double *a, const double *b) {
  return squared_length((const double[]){a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

static double distance_to_segment(const double *p, const double *a, const double *b) {
  double along = 0, square = 0, nearest[3];
  for (uint32_t k = 0; k < 3; k++) {
    along += (p[k] - a[k]) * (b[k] - a[k]);
    square += (b[k] - a[k]) * (b[k] - a[k]);
  }
  const double part = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
  for (uint32_t k = 0; k < 3; k++) nearest[k] = a[k] + part * (b[k] - a[k]);
  return sqrt(squared_distance(p, nearest));
}

// Whether a zone of space holds a point; `slack` widens it.
static bool holds_point(const clv_zone *zone, const double *p, double slack) {
  switch (zone->kind) {
  case CLV_ZONE_ALL:
    return true;
  case CLV_ZONE_BOX:
    for (uint32_t k = 0; k < 3; k++)
      if (p[k] < zone->point[k] - slack || p[k] > zone->extent[k] + slack) return false;
    return true;
  case CLV_ZONE_SPHERE:
    return sqrt(squared_distance(p, zone->point)) <= zone->radius + slack;
  case CLV_ZONE_CAPSULE:
    return distance_to_segment(p, zone->point, zone->extent) <= zone->radius + slack;
  case CLV_ZONE_PLANE: {
    const double *n = zone->extent;
    const double length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double height =
        n[0] * (p[0] - zone->point[0]) + n[1] * (p[1] - zone->point[1]) + n[2] * (p[2] - zone->point[2]);
    return height >= -slack * length;
  }
  case CLV_ZONE_REGION:
  case CLV_ZONE_NEAREST:
    break;
  }
  return false;
}

static double slack_of(const clv_body *body) {
  return 1e-9 * body->size;
}

// Marks

static int compare_numbers(double a, double b) {
  return (a > b) - (a < b);
}

static int compare_marks(const void *a, const void *b) {
  const physics_mark *p = a, *q = b;
  if (p->tag != q->tag) return p->tag < q->tag ? -1 : 1;
  if (p->dimension != q->dimension) return p->dimension < q->dimension ? -1 : 1;
  for (uint32_t k = 0; k < 3; k++)
    if (p->point[k] != q->point[k]) return compare_numbers(p->point[k], q->point[k]);
  return 0;
}

static void add_marks(clv_body *body, const clv_mesh *mesh, size_t element, int dimension) {
  for (size_t k = mesh->offsets[element]; k < mesh->offsets[element + 1]; k++) {
    physics_mark mark = {.tag = mesh->tags[element], .dimension = dimension};
    // Minus zero is zero: places are compared by value.
    for (uint32_t axis = 0; axis < 3; axis++) mark.point[axis] = mesh->points[mesh->corners[k]][axis] + 0.0;
    body->marks.data[body->marks.count++] = mark;
  }
}

clv_result physics_zone_remember(clv_body *body, const clv_mesh *mesh, clv_error *error) {
  const int cells = clv_mesh_dimension(mesh);
  size_t corners = 0;
  for (size_t k = 0; k < mesh->element_count; k++)
    if (mesh->tags[k] && clv_kind_dimension((clv_kind)mesh->kinds[k]) < cells)
      corners += mesh->offsets[k + 1] - mesh->offsets[k];
  if (!corners) return CLV_OK;
  if (!BASE_RESERVE(&body->allocator, &body->marks, corners))
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a body is made");
  for (size_t k = 0; k < mesh->element_count; k++) {
    const int dimension = clv_kind_dimension((clv_kind)mesh->kinds[k]);
    if (mesh->tags[k] && dimension < cells) add_marks(body, mesh, k, dimension);
  }
  qsort(body->marks.data, body->marks.count, sizeof *body->marks.data, compare_marks);
  return CLV_OK;
}

static bool is_marked(const clv_body *body, const clv_zone *zone, const double *rest) {
  physics_mark wanted = {.tag = zone->region, .point = {rest[0], rest[1], rest[2]}};
  for (int dimension = 0; dimension < 3; dimension++) {
    if (zone->dimension >= 0 && zone->dimension != dimension) continue;
    wanted.dimension = dimension;
    if (body->marks.count && bsearch(&wanted, body->marks.data, body->marks.count, sizeof wanted, compare_marks))
      return true;
  }
  return false;
}

// Cells

static bool region_has_cells(const clv_body *body, const clv_zone *zone) {
  return zone->dimension < 0 || zone->dimension == (int32_t)body->map->dimension;
}

static bool cell_bears(const clv_column *region, clv_dart cell, int32_t tag) {
  const int32_t *value = region ? clv_column_at(region, cell) : NULL;
  return value && *value == tag;
}

// The mean of a cell's corners at rest. False when memory is out.
static bool centre_of(const clv_body *body, clv_dart cell, double *centre) {
  const clv_map *map = body->map;
  const clv_kind kind = clv_cell_shape(map, cell);
  const double *rest = physics_vectors(body->rest ? body->rest : body->pos);
  centre[0] = centre[1] = centre[2] = 0;
  if (kind <= CLV_TEMPLATE_LAST) {
    const uint32_t count = clv_templates[kind].corner_count;
    const uint32_t *corners = map->corners[kind] + (size_t)clv_cell_row(map, cell) * count;
    for (uint32_t c = 0; c < count; c++)
      for (uint32_t k = 0; k < 3; k++) centre[k] += rest[3 * (size_t)corners[c] + k] / count;
    return true;
  }
  clv_walk walk;
  if (clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, cell) != CLV_OK) return false;
  for (uint32_t c = 0; c < walk.count; c++) {
    const double *p = rest + 3 * (size_t)clv_id_of(map, CLV_VERTEX, walk.darts[c]).index;
    for (uint32_t k = 0; k < 3; k++) centre[k] += p[k] / walk.count;
  }
  clv_walk_end(&walk);
  return true;
}

static clv_result nearest_cell(clv_body *body, const clv_zone *zone, clv_dart *nearest) {
  double least = INFINITY;
  *nearest = CLV_NO_DART;
  for (clv_id id = clv_id_next(body->map, CLV_CELL, (clv_id){0, 0}); id.index;
       id = clv_id_next(body->map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(body->map, CLV_CELL, id);
    double centre[3];
    if (!centre_of(body, cell, centre)) return physics_no_memory(body);
    const double distance = squared_distance(centre, zone->point);
    if (distance >= least) continue;
    least = distance;
    *nearest = cell;
  }
  return CLV_OK;
}

clv_result physics_zone_cells(clv_body *body, const clv_zone *zone, physics_cell_visitor *each, void *user) {
  const clv_map *map = body->map;
  const clv_column *region = clv_column_find(map, "region");
  const double slack = slack_of(body);
  clv_dart nearest = CLV_NO_DART;
  if (zone->kind == CLV_ZONE_NEAREST) {
    const clv_result result = nearest_cell(body, zone, &nearest);
    if (result == CLV_OK && nearest) each(user, nearest);
    return result;
  }
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(map, CLV_CELL, id);
    double centre[3] = {0, 0, 0};
    if (zone->kind >= CLV_ZONE_BOX && !centre_of(body, cell, centre)) return physics_no_memory(body);
    const bool held = zone->kind == CLV_ZONE_REGION
                          ? region_has_cells(body, zone) && cell_bears(region, cell, zone->region)
                          : holds_point(zone, centre, slack);
    if (held) each(user, cell);
  }
  return CLV_OK;
}

// Vertices

static void find_nearest(clv_body *body, const clv_zone *zone) {
  const double *rest = physics_vectors(body->rest);
  double least = INFINITY;
  for (clv_id id = clv_id_next(body->map, CLV_VERTEX, (clv_id){0, 0}); id.index;
       id = clv_id_next(body->map, CLV_VERTEX, id)) {
    const double distance = squared_distance(rest + 3 * (size_t)id.index, zone->point);
    if (distance >= least) continue;
    least = distance;
    body->found.data[0] = id.index;
    body->found.count = 1;
  }
}

// Marks a slot: the list is made of the marks afterwards.
typedef struct marking {
  clv_body *body;
  uint8_t *marks;
  bool failed;
} marking;

static void mark_corners(void *user, clv_dart cell) {
  marking *m = user;
  clv_walk walk;
  if (clv_walk_incident(&walk, m->body->map, CLV_CELL, CLV_VERTEX, cell) != CLV_OK) {
    m->failed = true;
    return;
  }
  for (uint32_t k = 0; k < walk.count; k++) m->marks[clv_id_of(m->body->map, CLV_VERTEX, walk.darts[k]).index] = 1;
  clv_walk_end(&walk);
}

static clv_result find_region(clv_body *body, const clv_zone *zone) {
  const uint32_t slots = clv_body_slots(body);
  marking m = {.body = body, .marks = base_allocate(&body->allocator, slots)};
  if (!m.marks) return physics_no_memory(body);
  memset(m.marks, 0, slots);
  clv_result result = physics_zone_cells(body, zone, mark_corners, &m);
  const double *rest = physics_vectors(body->rest);
  for (clv_id id = clv_id_next(body->map, CLV_VERTEX, (clv_id){0, 0}); id.index;
       id = clv_id_next(body->map, CLV_VERTEX, id))
    if (m.marks[id.index] || is_marked(body, zone, rest + 3 * (size_t)id.index))
      body->found.data[body->found.count++] = id.index;
  base_free(&body->allocator, m.marks, slots);
  if (result == CLV_OK && m.failed) result = physics_no_memory(body);
  return result;
}

clv_result physics_zone_vertices(clv_body *body, const clv_zone *zone) {
  const char *wrong = zone ? physics_zone_wrong(zone) : "there is none";
  if (wrong) return physics_fail(body, CLV_ERROR_ARGUMENT, "the zone makes no sense: %s", wrong);
  body->found.count = 0;
  if (!BASE_RESERVE(&body->allocator, &body->found, clv_body_slots(body))) return physics_no_memory(body);
  if (zone->kind == CLV_ZONE_NEAREST) {
    find_nearest(body, zone);
    return CLV_OK;
  }
  if (zone->kind == CLV_ZONE_REGION) return find_region(body, zone);
  const double *rest = physics_vectors(body->rest), slack = slack_of(body);
  for (clv_id id = clv_id_next(body->map, CLV_VERTEX, (clv_id){0, 0}); id.index;
       id = clv_id_next(body->map, CLV_VERTEX, id))
    if (holds_point(zone, rest + 3 * (size_t)id.index, slack)) body->found.data[body->found.count++] = id.index;
  return CLV_OK;
}
