// The flat mesh's memory: how points, elements, fields and regions are kept, grown and given back.
//
// This file owns every block of a clv_mesh and keeps two promises. Every block is resized and freed with exactly the
// size that was asked for last, because an allocator may count on it; that is why the three element columns, which
// share one capacity, are replaced together or not at all. And nothing is written before all room for it is there, so a
// failed call leaves points, elements, fields and regions as they were (spare capacity may have grown). It does not
// look at coordinates and does not check that corners name points that exist: readers meet elements before points, and
// clv_mesh_build checks once at the end.

#include "cleave/mesh.h"

#include <string.h>

// Too few for a file to notice, enough that a hand-made mesh allocates once.
#define MESH_FIRST_CAPACITY 16

// Point numbers are uint32_t and a point count must fit in one too.
#define MESH_MAX_POINTS UINT32_MAX

// ---- blocks ---------------------------------------------------------------------------------------------------------

// Allocates (block NULL) or resizes. NULL when memory or the range of size_t is exhausted; the old block then stands.
static void *mesh_resize(clv_mesh *mesh, void *block, size_t old_count, size_t new_count, size_t item_size) {
  if (new_count > SIZE_MAX / item_size) return NULL;
  return mesh->allocator.resize(mesh->allocator.user, block, old_count * item_size, new_count * item_size);
}

static void mesh_release(clv_mesh *mesh, void *block, size_t count, size_t item_size) {
  if (block) mesh->allocator.resize(mesh->allocator.user, block, count * item_size, 0);
}

static char *mesh_copy_text(clv_mesh *mesh, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = mesh_resize(mesh, NULL, 0, size, 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

static void mesh_release_text(clv_mesh *mesh, char *text) {
  if (text) mesh_release(mesh, text, strlen(text) + 1, 1);
}

// Doubles, so that n additions cost n copies in all.
static size_t mesh_grown_capacity(size_t capacity, size_t needed) {
  size_t doubled = capacity > SIZE_MAX / 2 ? SIZE_MAX : capacity * 2;
  size_t grown = doubled > MESH_FIRST_CAPACITY ? doubled : MESH_FIRST_CAPACITY;
  return grown > needed ? grown : needed;
}

// ---- life -----------------------------------------------------------------------------------------------------------

void clv_mesh_init(clv_mesh *mesh, const clv_allocator *allocator) {
  *mesh = (clv_mesh){.allocator = allocator ? *allocator : clv_default_allocator()};
}

static void mesh_release_columns(clv_mesh *mesh) {
  mesh_release(mesh, mesh->kinds, mesh->element_capacity, sizeof *mesh->kinds);
  mesh_release(mesh, mesh->offsets, mesh->element_capacity + 1, sizeof *mesh->offsets);
  mesh_release(mesh, mesh->tags, mesh->element_capacity, sizeof *mesh->tags);
}

static void mesh_release_field(clv_mesh *mesh, const clv_field *field) {
  mesh_release_text(mesh, field->name);
  mesh_release(mesh, field->values, field->count * field->components, sizeof *field->values);
}

void clv_mesh_free(clv_mesh *mesh) {
  for (size_t f = 0; f < mesh->field_count; f++) mesh_release_field(mesh, &mesh->fields[f]);
  for (size_t r = 0; r < mesh->region_count; r++) mesh_release_text(mesh, mesh->regions[r].name);
  mesh_release(mesh, mesh->fields, mesh->field_count, sizeof *mesh->fields);
  mesh_release(mesh, mesh->regions, mesh->region_count, sizeof *mesh->regions);
  mesh_release(mesh, mesh->points, mesh->point_capacity, sizeof *mesh->points);
  mesh_release(mesh, mesh->corners, mesh->corner_capacity, sizeof *mesh->corners);
  mesh_release_columns(mesh);
  clv_allocator allocator = mesh->allocator;
  clv_mesh_init(mesh, &allocator);
}

// ---- room -----------------------------------------------------------------------------------------------------------

static bool mesh_reserve_points(clv_mesh *mesh, size_t capacity) {
  if (capacity <= mesh->point_capacity) return true;
  void *points = mesh_resize(mesh, mesh->points, mesh->point_capacity, capacity, sizeof *mesh->points);
  if (!points) return false;
  mesh->points = points;
  mesh->point_capacity = capacity;
  return true;
}

static bool mesh_reserve_corners(clv_mesh *mesh, size_t capacity) {
  if (capacity <= mesh->corner_capacity) return true;
  void *corners = mesh_resize(mesh, mesh->corners, mesh->corner_capacity, capacity, sizeof *mesh->corners);
  if (!corners) return false;
  mesh->corners = corners;
  mesh->corner_capacity = capacity;
  return true;
}

// Copies the elements there are into the columns of `to`, which are at least as long.
static void mesh_copy_columns(clv_mesh *to, const clv_mesh *from) {
  to->offsets[0] = 0;
  if (!from->kinds) return;
  memcpy(to->kinds, from->kinds, from->element_count * sizeof *from->kinds);
  memcpy(to->offsets, from->offsets, (from->element_count + 1) * sizeof *from->offsets);
  memcpy(to->tags, from->tags, from->element_count * sizeof *from->tags);
}

// The columns move to new blocks instead of being resized in place: a resize that succeeds for one column and fails for
// the next could not be taken back, and the columns would no longer have the one capacity they are freed with.
static bool mesh_reserve_elements(clv_mesh *mesh, size_t capacity) {
  if (capacity <= mesh->element_capacity) return true;
  if (capacity == SIZE_MAX) return false; // there is one offset more than elements
  clv_mesh grown = *mesh;
  grown.element_capacity = capacity;
  grown.kinds = mesh_resize(mesh, NULL, 0, capacity, sizeof *mesh->kinds);
  grown.offsets = mesh_resize(mesh, NULL, 0, capacity + 1, sizeof *mesh->offsets);
  grown.tags = mesh_resize(mesh, NULL, 0, capacity, sizeof *mesh->tags);
  if (!grown.kinds || !grown.offsets || !grown.tags) {
    mesh_release_columns(&grown);
    return false;
  }
  mesh_copy_columns(&grown, mesh);
  mesh_release_columns(mesh);
  *mesh = grown;
  return true;
}

clv_result clv_mesh_reserve(clv_mesh *mesh, size_t points, size_t elements, size_t corners) {
  bool reserved =
      mesh_reserve_points(mesh, points) && mesh_reserve_elements(mesh, elements) && mesh_reserve_corners(mesh, corners);
  return reserved ? CLV_OK : CLV_ERROR_MEMORY;
}

// ---- points and elements --------------------------------------------------------------------------------------------

clv_result clv_mesh_add_point(clv_mesh *mesh, double x, double y, double z) {
  if (mesh->point_count >= MESH_MAX_POINTS) return CLV_ERROR_MEMORY;
  if (mesh->point_count == mesh->point_capacity &&
      !mesh_reserve_points(mesh, mesh_grown_capacity(mesh->point_capacity, mesh->point_count + 1))) {
    return CLV_ERROR_MEMORY;
  }
  double *point = mesh->points[mesh->point_count++];
  point[0] = x;
  point[1] = y;
  point[2] = z;
  return CLV_OK;
}

// Whoever walks a face stream trusts its counts, so a broken one must never get in.
static bool mesh_face_stream_fits(const uint32_t *stream, size_t length) {
  if (length == 0 || stream[0] == 0) return false;
  size_t at = 1;
  for (uint32_t face = 0; face < stream[0]; face++) {
    if (at == length || stream[at] < 3 || stream[at] > length - at - 1) return false;
    at += 1 + (size_t)stream[at];
  }
  return at == length;
}

static bool mesh_corners_suit(clv_kind kind, const uint32_t *corners, size_t corner_count) {
  if (kind == CLV_POLYGON) return corner_count >= 3;
  if (kind == CLV_POLYHEDRON) return mesh_face_stream_fits(corners, corner_count);
  return clv_kind_dimension(kind) >= 0 && corner_count == (size_t)clv_kind_corners(kind);
}

static bool mesh_make_room_for_element(clv_mesh *mesh, size_t corners_used, size_t corner_count) {
  if (corner_count > SIZE_MAX - corners_used) return false;
  size_t needed = corners_used + corner_count;
  if (needed > mesh->corner_capacity &&
      !mesh_reserve_corners(mesh, mesh_grown_capacity(mesh->corner_capacity, needed))) {
    return false;
  }
  return mesh->element_count < mesh->element_capacity ||
         mesh_reserve_elements(mesh, mesh_grown_capacity(mesh->element_capacity, mesh->element_count + 1));
}

clv_result clv_mesh_add_element(clv_mesh *mesh, clv_kind kind, const uint32_t *corners, size_t corner_count,
                                int32_t tag) {
  if (!mesh_corners_suit(kind, corners, corner_count)) return CLV_ERROR_ARGUMENT;
  size_t first = mesh->element_count ? mesh->offsets[mesh->element_count] : 0;
  if (!mesh_make_room_for_element(mesh, first, corner_count)) return CLV_ERROR_MEMORY;
  memcpy(mesh->corners + first, corners, corner_count * sizeof *corners);
  size_t element = mesh->element_count++;
  mesh->kinds[element] = (uint8_t)kind;
  mesh->tags[element] = tag;
  mesh->offsets[element + 1] = first + corner_count;
  return CLV_OK;
}

// ---- fields and regions ---------------------------------------------------------------------------------------------

static bool mesh_has_field(const clv_mesh *mesh, const char *name, clv_field_place place) {
  for (size_t f = 0; f < mesh->field_count; f++) {
    if (mesh->fields[f].place == place && strcmp(mesh->fields[f].name, name) == 0) return true;
  }
  return false;
}

// The array grows last: it is the one block whose length is a count of things that must exist.
static bool mesh_append_field(clv_mesh *mesh, const clv_field *field) {
  void *fields = mesh_resize(mesh, mesh->fields, mesh->field_count, mesh->field_count + 1, sizeof *mesh->fields);
  if (!fields) return false;
  mesh->fields = fields;
  mesh->fields[mesh->field_count++] = *field;
  return true;
}

// A field over nothing has no block at all.
static bool mesh_allocate_values(clv_mesh *mesh, clv_field *field) {
  if (field->count == 0) return true;
  if (field->components > SIZE_MAX / field->count) return false;
  size_t value_count = field->count * field->components;
  field->values = mesh_resize(mesh, NULL, 0, value_count, sizeof *field->values);
  if (!field->values) return false;
  for (size_t v = 0; v < value_count; v++) field->values[v] = 0.0;
  return true;
}

clv_result clv_mesh_add_field(clv_mesh *mesh, const char *name, clv_field_place place, uint32_t components,
                              double **values) {
  if (!name || components == 0 || mesh_has_field(mesh, name, place)) return CLV_ERROR_ARGUMENT;
  if (place != CLV_ON_POINTS && place != CLV_ON_ELEMENTS) return CLV_ERROR_ARGUMENT;
  clv_field field = {
      .place = place,
      .components = components,
      .count = place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count,
  };
  field.name = mesh_copy_text(mesh, name);
  if (!field.name || !mesh_allocate_values(mesh, &field) || !mesh_append_field(mesh, &field)) {
    mesh_release_field(mesh, &field);
    return CLV_ERROR_MEMORY;
  }
  if (values) *values = field.values;
  return CLV_OK;
}

clv_result clv_mesh_add_region(clv_mesh *mesh, int32_t dimension, int32_t tag, const char *name) {
  if (!name) return CLV_ERROR_ARGUMENT;
  char *copy = mesh_copy_text(mesh, name);
  if (!copy) return CLV_ERROR_MEMORY;
  void *regions = mesh_resize(mesh, mesh->regions, mesh->region_count, mesh->region_count + 1, sizeof *mesh->regions);
  if (!regions) {
    mesh_release_text(mesh, copy);
    return CLV_ERROR_MEMORY;
  }
  mesh->regions = regions;
  mesh->regions[mesh->region_count++] = (clv_region){.tag = tag, .dimension = dimension, .name = copy};
  return CLV_OK;
}

// ---- questions ------------------------------------------------------------------------------------------------------

int clv_mesh_dimension(const clv_mesh *mesh) {
  int highest = 0;
  for (size_t e = 0; e < mesh->element_count; e++) {
    int dimension = clv_kind_dimension((clv_kind)mesh->kinds[e]);
    if (dimension > highest) highest = dimension;
  }
  return highest;
}
