// Skins. See skin.h.

#include "picture/skin.h"
#include "cleave/map.h"

#include <math.h>
#include <stdlib.h>

const clv_field *picture_field(const clv_mesh *mesh, const char *name) {
  for (size_t k = 0; k < mesh->field_count; k++) {
    const char *a = mesh->fields[k].name, *b = name;
    while (*a && (*a == *b || (*a == '_' && *b == '-') || (*a == '-' && *b == '_'))) a++, b++;
    if (!*a && !*b) return &mesh->fields[k];
  }
  return NULL;
}

// Elements

static const uint32_t *corners_of(const clv_mesh *mesh, size_t element, size_t *count) {
  *count = mesh->offsets[element + 1] - mesh->offsets[element];
  return mesh->corners + mesh->offsets[element];
}

// The points of an element one after the other; those of a polyhedron once for each of its faces.
typedef struct point_cursor {
  const uint32_t *corners;
  size_t at, end, count_at; // count_at: where a polyhedron's stream has the next number of corners
} point_cursor;

static point_cursor first_point(const clv_mesh *mesh, size_t element) {
  const bool stream = mesh->kinds[element] == CLV_POLYHEDRON;
  point_cursor cursor = {.at = stream, .count_at = stream ? 1 : SIZE_MAX};
  cursor.corners = corners_of(mesh, element, &cursor.end);
  return cursor;
}

static bool next_point(point_cursor *cursor, uint32_t *point) {
  while (cursor->at < cursor->end && cursor->at == cursor->count_at)
    cursor->count_at += 1 + (size_t)cursor->corners[cursor->at++];
  if (cursor->at >= cursor->end) return false;
  *point = cursor->corners[cursor->at++];
  return true;
}

void picture_middle(const clv_mesh *mesh, size_t element, double middle[3]) {
  point_cursor cursor = first_point(mesh, element);
  double count = 0;
  uint32_t point;
  for (uint32_t c = 0; c < 3; c++) middle[c] = 0;
  for (; next_point(&cursor, &point); count++)
    for (uint32_t c = 0; c < 3; c++) middle[c] += mesh->points[point][c];
  for (uint32_t c = 0; c < 3 && count > 0; c++) middle[c] /= count;
}

static void widen(const clv_mesh *mesh, size_t element, double box[2][3]) {
  point_cursor cursor = first_point(mesh, element);
  uint32_t point;
  while (next_point(&cursor, &point)) {
    for (uint32_t c = 0; c < 3; c++) {
      box[0][c] = fmin(box[0][c], mesh->points[point][c]);
      box[1][c] = fmax(box[1][c], mesh->points[point][c]);
    }
  }
}

bool clv_picture_box(const clv_mesh *const *meshes, uint32_t count, double box[2][3]) {
  for (uint32_t c = 0; c < 3; c++) box[0][c] = INFINITY, box[1][c] = -INFINITY;
  for (uint32_t m = 0; m < count; m++)
    for (size_t e = 0; e < meshes[m]->element_count; e++)
      if (clv_kind_dimension((clv_kind)meshes[m]->kinds[e]) >= 2) widen(meshes[m], e, box);
  return box[0][0] <= box[1][0];
}

static bool is_drawn(const clv_mesh *mesh, size_t element, const clv_picture_def *def) {
  if (!def->clipped) return true;
  double middle[3], beyond = 0;
  picture_middle(mesh, element, middle);
  for (uint32_t c = 0; c < 3; c++) beyond += (middle[c] - def->clip_point[c]) * def->clip_normal[c];
  return beyond <= 0;
}

// Faces

static bool add_face(picture_skin *s, const clv_allocator *allocator, size_t element, const uint32_t *corners,
                     uint32_t count) {
  if (!BASE_RESERVE(allocator, &s->faces, (uint64_t)s->faces.count + 1) ||
      !BASE_RESERVE(allocator, &s->corners, (uint64_t)s->corners.count + count))
    return false;
  s->faces.data[s->faces.count++] =
      (picture_face){.element = (uint32_t)element, .first = s->corners.count, .count = count};
  memcpy(s->corners.data + s->corners.count, corners, count * sizeof *corners);
  s->corners.count += count;
  return true;
}

static bool add_template_faces(picture_skin *s, const clv_allocator *allocator, size_t element,
                               const clv_template *shape) {
  const uint32_t *corners = s->mesh->corners + s->mesh->offsets[element];
  const uint8_t *corner_of = shape->sub[CLV_CORNER & 7u].of;
  bool room = true;
  for (uint32_t f = 0; room && f < shape->facet_count; f++) {
    uint32_t face[4], count = shape->facet_size[f] / 2u;
    for (uint32_t k = 0; k < count; k++) face[k] = corners[corner_of[shape->turn[shape->facet_first[f]][2 * k]]];
    room = add_face(s, allocator, element, face, count);
  }
  return room;
}

static bool add_stream_faces(picture_skin *s, const clv_allocator *allocator, size_t element) {
  size_t count;
  const uint32_t *stream = corners_of(s->mesh, element, &count);
  bool room = true;
  for (size_t at = 1; room && at < count; at += 1 + stream[at])
    room = add_face(s, allocator, element, stream + at + 1, stream[at]);
  return room;
}

static bool add_faces(picture_skin *s, const clv_allocator *allocator, size_t element) {
  const clv_kind kind = (clv_kind)s->mesh->kinds[element];
  if (kind == CLV_POLYHEDRON) return add_stream_faces(s, allocator, element);
  if (clv_kind_dimension(kind) == 3) return add_template_faces(s, allocator, element, &clv_templates[kind]);
  size_t count;
  const uint32_t *corners = corners_of(s->mesh, element, &count);
  return add_face(s, allocator, element, corners, (uint32_t)count);
}

// Twins: faces with equal keys

typedef struct face_key {
  int64_t key[3];
  uint32_t face;
} face_key;

static int compare_keys(const void *left, const void *right) {
  const face_key *a = left, *b = right;
  for (uint32_t k = 0; k < 3; k++)
    if (a->key[k] != b->key[k]) return a->key[k] < b->key[k] ? -1 : 1;
  return (a->face > b->face) - (a->face < b->face);
}

static bool same_key(const face_key *a, const face_key *b) {
  return a->key[0] == b->key[0] && a->key[1] == b->key[1] && a->key[2] == b->key[2];
}

// The three least corners: two different faces share two at the most.
static face_key corner_key(const picture_skin *s, uint32_t f) {
  const picture_face *face = &s->faces.data[f];
  face_key key = {{INT64_MAX, INT64_MAX, INT64_MAX}, f};
  for (uint32_t k = 0; k < face->count; k++) {
    int64_t corner = s->corners.data[face->first + k];
    for (uint32_t j = 0; j < 3; j++) {
      if (corner >= key.key[j]) continue;
      const int64_t next = key.key[j];
      key.key[j] = corner;
      corner = next;
    }
  }
  return key;
}

// Where the middle of a face was at rest, in steps that are far larger than rounding and far smaller than any face.
static face_key rest_key(const picture_skin *s, uint32_t f, const double *displacement, double step) {
  const picture_face *face = &s->faces.data[f];
  face_key key = {{0, 0, 0}, f};
  for (uint32_t c = 0; c < 3; c++) {
    double sum = 0;
    for (uint32_t k = 0; k < face->count; k++) {
      const uint32_t point = s->corners.data[face->first + k];
      sum += s->mesh->points[point][c] - displacement[3 * (size_t)point + c];
    }
    const double steps = floor(sum / face->count / step + 0.3719);
    key.key[c] = fabs(steps) < 9e18 ? (int64_t)steps : 0;
  }
  return key;
}

// Calls `twin` for all faces that share their key with another one.
static void find_twins(face_key *keys, uint32_t count, void (*twin)(picture_skin *, uint32_t), picture_skin *s) {
  qsort(keys, count, sizeof *keys, compare_keys);
  for (uint32_t k = 0; k < count; k++)
    if ((k > 0 && same_key(&keys[k], &keys[k - 1])) || (k + 1 < count && same_key(&keys[k], &keys[k + 1])))
      twin(s, keys[k].face);
}

static void drop_face(picture_skin *s, uint32_t face) {
  s->faces.data[face].count = 0;
}

static void open_face(picture_skin *s, uint32_t face) {
  s->faces.data[face].open = true;
}

static void drop_inner_faces(picture_skin *s, face_key *keys) {
  for (uint32_t f = 0; f < s->faces.count; f++) keys[f] = corner_key(s, f);
  find_twins(keys, s->faces.count, drop_face, s);
  uint32_t kept = 0;
  for (uint32_t f = 0; f < s->faces.count; f++)
    if (s->faces.data[f].count) s->faces.data[kept++] = s->faces.data[f];
  s->faces.count = kept;
}

static void find_open_faces(picture_skin *s, face_key *keys) {
  const clv_field *displacement = picture_field(s->mesh, "displacement");
  double box[2][3];
  if (!displacement || displacement->place != CLV_ON_POINTS || displacement->components != 3 ||
      displacement->count != s->mesh->point_count || !clv_picture_box(&s->mesh, 1, box))
    return;
  double size = 0;
  for (uint32_t c = 0; c < 3; c++) size = fmax(size, box[1][c] - box[0][c]);
  if (size <= 0) return;
  for (uint32_t f = 0; f < s->faces.count; f++) keys[f] = rest_key(s, f, displacement->values, 1e-6 * size);
  find_twins(keys, s->faces.count, open_face, s);
}

bool picture_skin_make(picture_skin *skin, const clv_mesh *mesh, const clv_picture_def *def) {
  *skin = (picture_skin){.mesh = mesh};
  const int dimension = clv_mesh_dimension(mesh);
  if (dimension < 2) return true;
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (clv_kind_dimension((clv_kind)mesh->kinds[e]) != dimension || !is_drawn(mesh, e, def)) continue;
    if (!add_faces(skin, &def->allocator, e)) return false;
  }
  if (dimension < 3 || def->shrink > 0 || !skin->faces.count) return true;
  const size_t size = skin->faces.count * sizeof(face_key);
  face_key *keys = base_allocate(&def->allocator, size);
  if (!keys) return false;
  drop_inner_faces(skin, keys);
  if (!def->clipped) find_open_faces(skin, keys);
  base_free(&def->allocator, keys, size);
  return true;
}

void picture_skin_free(picture_skin *skin, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &skin->faces);
  BASE_RELEASE(allocator, &skin->corners);
}
