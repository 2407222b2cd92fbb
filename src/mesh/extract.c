// From map to flat mesh: vertices in order of id, cells in order of kind and row.

#include "base/memory.h"
#include "cleave/mesh.h"

typedef struct extraction {
  clv_mesh *mesh;
  const clv_map *map;
  const clv_column *position, *region;
  bool levels;                 // cells are what they are at their own level
  BASE_ARRAY(uint32_t) points; // the point of each vertex slot
  BASE_ARRAY(uint32_t) stream; // corners of the element at hand
} extraction;

static clv_result add_points(extraction *x) {
  const uint32_t slots = clv_id_slots(x->map, CLV_VERTEX);
  if (!BASE_RESERVE(&x->mesh->allocator, &x->points, slots) || !x->points.data) return CLV_ERROR_MEMORY;
  clv_result result = CLV_OK;
  for (clv_id id = clv_id_next(x->map, CLV_VERTEX, (clv_id){0, 0}); result == CLV_OK && id.index;
       id = clv_id_next(x->map, CLV_VERTEX, id)) {
    static const double origin[3] = {0, 0, 0};
    const double *p = x->position ? clv_column_of(x->position, id) : origin;
    x->points.data[id.index] = (uint32_t)x->mesh->point_count;
    result = clv_mesh_add_point(x->mesh, p[0], p[1], p[2]);
  }
  return result;
}

static uint32_t point_at(const extraction *x, clv_dart dart) {
  return x->points.data[clv_id_of(x->map, CLV_VERTEX, dart).index];
}

static clv_result push(extraction *x, uint32_t word) {
  if (!BASE_RESERVE(&x->mesh->allocator, &x->stream, (uint64_t)x->stream.count + 1)) return CLV_ERROR_MEMORY;
  x->stream.data[x->stream.count++] = word;
  return CLV_OK;
}

// The corners of one face, going round by a0 and a1; an open face ends where it is free.
static clv_result push_face(extraction *x, clv_dart first) {
  clv_dart at = first;
  clv_result result = CLV_OK;
  do {
    result = push(x, point_at(x, at));
    at = clv_alpha(x->map, clv_alpha(x->map, at, 0), 1);
  } while (result == CLV_OK && at != first);
  return result;
}

// The faces of a volume, each from a dart of one side, so that all are seen from the same hand.
static clv_result push_volume(extraction *x, clv_dart cell) {
  clv_walk faces;
  clv_result result = clv_walk_incident(&faces, x->map, CLV_CELL, CLV_FACE | CLV_IN_CELL, cell);
  if (result != CLV_OK) return result;
  result = push(x, faces.count);
  for (uint32_t f = 0; result == CLV_OK && f < faces.count; f++) {
    const clv_dart dart = clv_side(x->map, faces.darts[f]) ? clv_alpha(x->map, faces.darts[f], 0) : faces.darts[f];
    const uint32_t count_at = x->stream.count;
    result = push(x, 0);
    if (result == CLV_OK) result = push_face(x, dart);
    if (result == CLV_OK) x->stream.data[count_at] = x->stream.count - count_at - 1;
  }
  clv_walk_end(&faces);
  return result;
}

static clv_result add_cell(extraction *x, clv_dart cell) {
  const clv_kind kind = x->levels ? clv_cell_shape(x->map, cell) : clv_cell_kind(x->map, cell);
  clv_result result = CLV_OK;
  x->stream.count = 0;
  if (kind == CLV_POLYGON) {
    result = push_face(x, cell);
  } else if (kind == CLV_POLYHEDRON) {
    result = push_volume(x, cell);
  } else {
    const uint32_t count = clv_templates[kind].corner_count, row = clv_cell_row(x->map, cell);
    for (uint32_t c = 0; result == CLV_OK && c < count; c++)
      result = push(x, x->points.data[x->map->corners[kind][row * count + c]]);
  }
  const int32_t *tag = x->region ? clv_column_at(x->region, cell) : NULL;
  if (result == CLV_OK) result = clv_mesh_add_element(x->mesh, kind, x->stream.data, x->stream.count, tag ? *tag : 0);
  return result;
}

clv_result clv_mesh_extract(clv_mesh *mesh, const clv_map *map, clv_error *error) {
  if (mesh->point_count || mesh->element_count)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "a map is extracted into an empty mesh: call clv_mesh_free first");
  clv_map_info info;
  clv_result result = clv_map_count(map, &info);
  if (result == CLV_OK && info.open_darts)
    return clv_error_set(error, CLV_ERROR_REFUSED,
                         "the map has open cells (%llu darts): close them before it can be a mesh",
                         (unsigned long long)info.open_darts);
  extraction x = {.mesh = mesh,
                  .map = map,
                  .position = clv_column_find(map, "pos"),
                  .region = clv_column_find(map, "region"),
                  .levels = clv_column_find(map, "lev")};
  if (result == CLV_OK) result = add_points(&x);
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0, 0}); result == CLV_OK && id.index;
       id = clv_id_next(map, CLV_CELL, id))
    result = add_cell(&x, clv_id_dart(map, CLV_CELL, id));
  BASE_RELEASE(&mesh->allocator, &x.points);
  BASE_RELEASE(&mesh->allocator, &x.stream);
  if (result == CLV_OK) return CLV_OK;
  clv_mesh_free(mesh);
  return clv_error_set(error, result, "out of memory: no mesh was made");
}
