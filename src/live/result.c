// A finished run, shown like a living one. Frames are meshes; their skins are made anew where the elements are others
// than before, and what changed is what differs.

#include "live/live.h"

#include <math.h>
#include <stdlib.h>

// ---- skins --------------------------------------------------------------------------------------

typedef struct side {
  uint32_t key[3]; // its least corners, in order; the third largest one tells triangles and quadrangles apart enough
  uint32_t first, count, element;
} side;

typedef struct skin {
  const clv_allocator *allocator;
  BASE_ARRAY(side) sides;
  BASE_ARRAY(uint32_t) corners;
  bool failed;
} skin;

static int compare_words(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

static int compare_sides(const void *a, const void *b) {
  const side *s = a, *t = b;
  for (uint32_t k = 0; k < 3; k++)
    if (s->key[k] != t->key[k]) return s->key[k] > t->key[k] ? 1 : -1;
  return (s->element > t->element) - (s->element < t->element);
}

static void add_side(skin *s, const uint32_t *corners, uint32_t count, uint32_t element) {
  enum { MOST = 64 };
  uint32_t sorted[MOST];
  if (count < 3 || count > MOST) return;
  s->failed |= !BASE_RESERVE(s->allocator, &s->corners, (uint64_t)s->corners.count + count) ||
               !BASE_RESERVE(s->allocator, &s->sides, (uint64_t)s->sides.count + 1);
  if (s->failed) return;
  memcpy(sorted, corners, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_words);
  s->sides.data[s->sides.count++] = (side){{sorted[0], sorted[1], sorted[2]}, s->corners.count, count, element};
  memcpy(s->corners.data + s->corners.count, corners, count * sizeof *corners);
  s->corners.count += count;
}

// Faces of the shapes, in VTK's order of corners, counter-clockwise from outside.
static const struct {
  uint8_t count, corner[4];
} faces_of[CLV_TEMPLATE_LAST + 1][7] = {
    [CLV_TRI] = {{3, {0, 1, 2}}},
    [CLV_QUAD] = {{4, {0, 1, 2, 3}}},
    [CLV_TET] = {{3, {0, 1, 3}}, {3, {1, 2, 3}}, {3, {2, 0, 3}}, {3, {0, 2, 1}}},
    [CLV_PYRAMID] = {{4, {0, 3, 2, 1}}, {3, {0, 1, 4}}, {3, {1, 2, 4}}, {3, {2, 3, 4}}, {3, {3, 0, 4}}},
    [CLV_PRISM] = {{3, {0, 1, 2}}, {3, {3, 5, 4}}, {4, {0, 3, 4, 1}}, {4, {1, 4, 5, 2}}, {4, {2, 5, 3, 0}}},
    [CLV_HEX] = {{4, {0, 4, 7, 3}},
                 {4, {1, 2, 6, 5}},
                 {4, {0, 1, 5, 4}},
                 {4, {3, 7, 6, 2}},
                 {4, {0, 3, 2, 1}},
                 {4, {4, 5, 6, 7}}},
};

static void add_element(skin *s, const clv_mesh *mesh, size_t e) {
  const uint32_t *corners = mesh->corners + mesh->offsets[e];
  const size_t length = mesh->offsets[e + 1] - mesh->offsets[e];
  const clv_kind kind = (clv_kind)mesh->kinds[e];
  uint32_t own[4];
  if (kind == CLV_POLYGON) add_side(s, corners, (uint32_t)length, (uint32_t)e);
  if (kind == CLV_POLYHEDRON)
    for (size_t at = 1; at < length; at += 1 + corners[at]) add_side(s, corners + at + 1, corners[at], (uint32_t)e);
  if (kind < CLV_TEMPLATE_FIRST || kind > CLV_TEMPLATE_LAST) return;
  for (uint32_t f = 0; faces_of[kind][f].count; f++) {
    for (uint32_t k = 0; k < faces_of[kind][f].count; k++) own[k] = corners[faces_of[kind][f].corner[k]];
    add_side(s, own, faces_of[kind][f].count, (uint32_t)e);
  }
}

static bool same_side(const side *a, const side *b) {
  return !memcmp(a->key, b->key, sizeof a->key) && a->count == b->count;
}

// ---- what lay on another face at rest -----------------------------------------------------------

static const clv_field *find_field(const clv_mesh *mesh, const char *name, uint32_t components) {
  for (size_t k = 0; k < mesh->field_count; k++) {
    const clv_field *field = &mesh->fields[k];
    const size_t all = field->place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count;
    if (!strcmp(field->name, name) && field->components == components && field->count >= all && field->values)
      return field;
  }
  return NULL;
}

typedef struct resting {
  double middle[3];
  uint32_t side;
} resting;

static int compare_resting(const void *a, const void *b) {
  const resting *p = a, *q = b;
  for (uint32_t k = 0; k < 3; k++)
    if (p->middle[k] != q->middle[k]) return p->middle[k] > q->middle[k] ? 1 : -1;
  return 0;
}

// Marks the sides whose middles at rest, rounded to a millionth of the body, are those of others.
static void mark_open(const clv_live *live, const clv_mesh *mesh, skin *s, uint8_t *open) {
  const clv_field *moved = find_field(mesh, "displacement", 3);
  const clv_allocator *a = &live->allocator;
  const double size = fmax(fmax(live->box[1][0] - live->box[0][0], live->box[1][1] - live->box[0][1]),
                           live->box[1][2] - live->box[0][2]);
  const double grain = size > 0 ? 1e-6 * size : 1e-9;
  resting *list = moved && s->sides.count && s->corners.data ? base_allocate(a, s->sides.count * sizeof *list) : NULL;
  if (!list) return;
  for (uint32_t k = 0; k < s->sides.count; k++) {
    const side *f = &s->sides.data[k];
    double sum[3] = {0, 0, 0};
    for (uint32_t c = 0; c < 3 * f->count; c++) {
      const uint32_t point = s->corners.data[f->first + c / 3];
      sum[c % 3] += (mesh->points[point][c % 3] - moved->values[3 * (size_t)point + c % 3]) / f->count;
    }
    list[k].side = k;
    for (uint32_t c = 0; c < 3; c++) list[k].middle[c] = floor(sum[c] / grain + 0.5);
  }
  qsort(list, s->sides.count, sizeof *list, compare_resting);
  for (uint32_t k = 0; k + 1 < s->sides.count; k++)
    if (!compare_resting(&list[k], &list[k + 1])) open[list[k].side] = open[list[k + 1].side] = 1;
  base_free(a, list, s->sides.count * sizeof *list);
}

// ---- tables -------------------------------------------------------------------------------------

static bool put_face(live_show *show, live_table *table, uint32_t slot, const live_face *face) {
  const clv_allocator *a = show->allocator;
  const uint64_t need = (uint64_t)slot + 1;
  if (!BASE_RESERVE(a, &table->faces, need) || !BASE_RESERVE(a, &table->stamps, need) ||
      !BASE_RESERVE(a, &table->dirty, need))
    return false;
  if (slot >= table->faces.count) {
    table->faces.count = table->stamps.count = slot + 1;
    table->faces.data[slot] = (live_face){.corner = {0, 0, 0}};
    table->stamps.data[slot] = 0;
  }
  if (!memcmp(&table->faces.data[slot], face, sizeof *face)) return true;
  table->faces.data[slot] = *face;
  if (table->stamps.data[slot] != table->version) table->dirty.data[table->dirty.count++] = slot;
  table->stamps.data[slot] = table->version;
  return true;
}

static bool fan(live_show *show, live_table *table, uint32_t *slot, const skin *s, const side *f, uint32_t flags) {
  const uint32_t *loop = s->corners.data + f->first;
  for (uint32_t k = 1; k + 1 < f->count; k++) {
    live_face face = {.corner = {loop[0], loop[k], loop[k + 1]}, .cell = f->element, .flags = flags};
    face.flags |= LIVE_FACE_EDGE * ((k == 1 ? 1u : 0u) | 2u | (k + 2 == f->count ? 4u : 0u));
    if (!put_face(show, table, (*slot)++, &face)) return false;
  }
  return true;
}

static bool make_layer(clv_live *live, uint32_t body, uint32_t layer, const skin *all, const uint8_t *outer,
                       const uint8_t *open) {
  static const live_face none = {.corner = {0, 0, 0}};
  live_show *show = &live->bodies[body].show;
  live_table *table = &show->layers[layer];
  const clv_mesh *mesh = &live->meshes[body];
  uint32_t slot = 0;
  table->version++;
  for (uint32_t k = 0; k < all->sides.count; k++) {
    const side *f = &all->sides.data[k];
    if (layer == 0 && !outer[k]) continue;
    const int32_t tag = mesh->tags[f->element];
    const uint32_t region = tag > 0 && tag < 65536 ? (uint32_t)tag << 16 : 0;
    if (!fan(show, table, &slot, all, f, region | (outer[k] && open[k] ? LIVE_FACE_OPEN : 0))) return false;
  }
  for (uint32_t k = slot; k < table->faces.count; k++)
    if (!put_face(show, table, k, &none)) return false;
  return true;
}

static bool make_tables(clv_live *live, uint32_t body) {
  const clv_mesh *mesh = &live->meshes[body];
  const bool volumes = clv_mesh_dimension(mesh) == 3;
  const clv_allocator *a = &live->allocator;
  skin all = {.allocator = a}, seen = {.allocator = a};
  for (size_t e = 0; e < mesh->element_count; e++)
    if (!volumes || clv_kind_dimension((clv_kind)mesh->kinds[e]) == 3) add_element(&all, mesh, e);
  const uint32_t count = all.sides.count;
  uint8_t *outer = base_allocate(a, 2 * (size_t)count + 1), *open = outer ? outer + count : NULL;
  bool good = !all.failed && outer;
  if (good) {
    memset(outer, 0, 2 * (size_t)count + 1);
    if (count) qsort(all.sides.data, count, sizeof *all.sides.data, compare_sides);
    for (uint32_t k = 0; k < count; k++)
      outer[k] = !volumes || !((k && same_side(&all.sides.data[k - 1], &all.sides.data[k])) ||
                               (k + 1 < count && same_side(&all.sides.data[k + 1], &all.sides.data[k])));
    // Only those one sees can have lain on one another.
    BASE_ARRAY(uint32_t) places = {NULL, 0, 0};
    good = BASE_RESERVE(a, &seen.sides, count) && BASE_RESERVE(a, &places, count);
    for (uint32_t k = 0; good && k < count; k++) {
      if (!outer[k]) continue;
      places.data[places.count++] = k;
      seen.sides.data[seen.sides.count++] = all.sides.data[k];
    }
    seen.corners.data = all.corners.data;
    uint8_t *marks = good ? base_allocate(a, (size_t)count + 1) : NULL;
    if (marks) {
      memset(marks, 0, (size_t)count + 1);
      mark_open(live, mesh, &seen, marks);
      for (uint32_t k = 0; k < places.count; k++) open[places.data[k]] = marks[k];
    }
    base_free(a, marks, (size_t)count + 1);
    BASE_RELEASE(a, &places);
  }
  for (uint32_t layer = 0; good && layer < LIVE_LAYERS; layer++)
    good = make_layer(live, body, layer, &all, outer, open);
  base_free(a, outer, 2 * (size_t)count + 1);
  BASE_RELEASE(a, &all.sides);
  BASE_RELEASE(a, &all.corners);
  BASE_RELEASE(a, &seen.sides);
  return good;
}

// ---- frames -------------------------------------------------------------------------------------

static bool same_elements(const clv_mesh *a, const clv_mesh *b) {
  return a->element_count == b->element_count && a->element_count &&
         !memcmp(a->offsets, b->offsets, (a->element_count + 1) * sizeof *a->offsets) &&
         !memcmp(a->corners, b->corners, a->offsets[a->element_count] * sizeof *a->corners) &&
         !memcmp(a->kinds, b->kinds, a->element_count * sizeof *a->kinds);
}

clv_result live_result_seek(clv_live *live, uint32_t frame, clv_error *error) {
  if (frame >= clv_series_frames(live->series))
    return clv_error_set(error, CLV_ERROR_REFUSED, "there are %u frames, counted from 0",
                         clv_series_frames(live->series));
  for (uint32_t b = 0; b < live->body_count; b++) {
    clv_mesh mesh;
    clv_mesh_init(&mesh, &live->allocator);
    const clv_result result = clv_series_read(live->series, frame, b, &mesh, error);
    if (result != CLV_OK) {
      clv_mesh_free(&mesh);
      return result;
    }
    const bool same = same_elements(&mesh, &live->meshes[b]);
    clv_mesh_free(&live->meshes[b]);
    live->meshes[b] = mesh;
    if (!same && !make_tables(live, b)) return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory");
  }
  live->frame = frame;
  live->changed = true;
  return CLV_OK;
}

static void find_box(clv_live *live) {
  for (uint32_t k = 0; k < 3; k++) {
    live->box[0][k] = INFINITY;
    live->box[1][k] = -INFINITY;
  }
  for (uint32_t b = 0; b < live->body_count; b++)
    for (size_t p = 0; p < live->meshes[b].point_count; p++)
      for (uint32_t k = 0; k < 3; k++) {
        live->box[0][k] = fmin(live->box[0][k], live->meshes[b].points[p][k]);
        live->box[1][k] = fmax(live->box[1][k], live->meshes[b].points[p][k]);
      }
}

clv_result live_result_open(clv_live *live, clv_error *error) {
  live->meshes = base_allocate(&live->allocator, live->body_count * sizeof *live->meshes);
  if (!live->meshes) return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a result was opened");
  for (uint32_t b = 0; b < live->body_count; b++) {
    clv_mesh_init(&live->meshes[b], &live->allocator);
    live->bodies[b].show.allocator = &live->allocator;
    for (uint32_t k = 0; k < LIVE_LAYERS; k++) live->bodies[b].show.layers[k].kept = true;
  }
  const clv_result result = live_result_seek(live, 0, error);
  find_box(live);
  return result;
}

void live_result_free(clv_live *live) {
  for (uint32_t b = 0; live->meshes && b < live->body_count; b++) clv_mesh_free(&live->meshes[b]);
  base_free(&live->allocator, live->meshes, live->body_count * sizeof *live->meshes);
}

// ---- publishing ---------------------------------------------------------------------------------

static bool publish_points(clv_live *live, uint32_t b) {
  const clv_mesh *mesh = &live->meshes[b];
  live_panel *panel = &live->board.panels[b];
  const clv_field *held = find_field(mesh, "held", 1);
  if (mesh->point_count > UINT32_MAX / 3) return false;
  const uint32_t points = (uint32_t)mesh->point_count;
  if (!BASE_RESERVE(&live->allocator, &panel->points, 3 * (uint64_t)points)) return false;
  if (!BASE_RESERVE(&live->allocator, &panel->held, points)) return false;
  for (uint32_t k = 0; k < 3 * points; k++) panel->points.data[k] = (float)mesh->points[k / 3][k % 3];
  panel->points.count = 3 * points;
  panel->held.count = 0;
  for (uint32_t k = 0; held && k < points; k++)
    if (held->values[k] != 0) panel->held.data[panel->held.count++] = k;
  panel->held_version++;
  return true;
}

static bool publish_field(clv_live *live, uint32_t b, live_field_name name) {
  const clv_mesh *mesh = &live->meshes[b];
  live_field *to = &live->board.panels[b].fields[name];
  static const char *const names[LIVE_FIELDS] = {"von_mises", "strain", "energy", "velocity", NULL, NULL};
  static const uint32_t components[LIVE_FIELDS] = {1, 6, 1, 3, 0, 0};
  const clv_field *from = names[name] ? find_field(mesh, names[name], components[name]) : NULL;
  to->on_cells = name != LIVE_VELOCITY;
  const size_t count = to->on_cells ? mesh->element_count : mesh->point_count;
  if (count > UINT32_MAX || !BASE_RESERVE(&live->allocator, &to->values, count)) return false;
  to->least = INFINITY;
  to->greatest = -INFINITY;
  for (size_t k = 0; k < count; k++) {
    const double *v = from ? from->values + k * components[name] : NULL;
    double value = name == LIVE_REGION ? mesh->tags[k] : 0;
    if (v && components[name] == 1) value = v[0];
    if (v && components[name] == 3) value = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    if (v && components[name] == 6)
      value = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + 2 * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]));
    to->values.data[k] = isfinite(value) ? (float)value : 0;
    to->least = fminf(to->least, to->values.data[k]);
    to->greatest = fmaxf(to->greatest, to->values.data[k]);
  }
  if (to->least > to->greatest) to->least = to->greatest = 0;
  to->values.count = (uint32_t)count;
  to->number++;
  return true;
}

bool live_result_publish(clv_live *live, const uint32_t *wanted) {
  bool good = true;
  for (uint32_t b = 0; good && b < live->body_count; b++) {
    live_show *show = &live->bodies[b].show;
    good = publish_points(live, b);
    for (uint32_t k = 0; good && k < LIVE_LAYERS; k++)
      good = live_board_take(&live->board, &live->board.panels[b].layers[k], &show->layers[k]);
    for (uint32_t f = 0; good && f < LIVE_FIELDS; f++)
      if (wanted[f]) good = publish_field(live, b, (live_field_name)f);
  }
  live->board.time = clv_series_time(live->series, live->frame);
  live->board.step = live->board.frame = live->frame;
  return good;
}
