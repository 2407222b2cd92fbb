// The naive map's operations, each written as its definition reads.

#include "support/reference_private.h"

#include <assert.h>

// Cells

// Darts of one face: (v0, e01), (v1, e01), (v1, e12), (v2, e12) ...
static void join_face(reference *map, ref_dart first, uint32_t sides) {
  for (uint32_t k = 0; k < sides; k++) {
    const ref_dart here = (ref_dart)(first + 2 * k);
    reference_join(map, 0, here, (ref_dart)(here + 1));
    reference_join(map, 1, (ref_dart)(here + 1), k + 1 < sides ? (ref_dart)(here + 2) : first);
  }
}

ref_dart reference_add_polygon(reference *map, uint32_t sides) {
  const ref_dart first = reference_new_darts(map, 2 * sides);
  join_face(map, first, sides);
  return first;
}

// The corner a dart lies at, and the corner at the other end of its edge.
typedef struct ref_end {
  uint32_t corner, other;
} ref_end;

static void list_ends(uint32_t face_count, const uint32_t *sizes, const uint32_t *corners, ref_end *ends) {
  for (uint32_t f = 0; f < face_count; corners += sizes[f], f++)
    for (uint32_t k = 0; k < sizes[f]; k++) {
      const uint32_t here = corners[k], next = corners[(k + 1) % sizes[f]];
      *ends++ = (ref_end){here, next};
      *ends++ = (ref_end){next, here};
    }
}

// The one other dart at the same end of the same edge, or `count` when there is none, more than one, or no edge at all.
static uint32_t across(const ref_end *ends, uint32_t count, uint32_t at) {
  uint32_t found = count, matches = 0;
  for (uint32_t k = 0; k < count; k++) {
    if (k == at || ends[k].corner != ends[at].corner || ends[k].other != ends[at].other) continue;
    found = k;
    matches++;
  }
  return matches == 1 && ends[at].corner != ends[at].other ? found : count;
}

bool reference_add_polyhedron(reference *map, uint32_t face_count, const uint32_t *sizes, const uint32_t *corners,
                              ref_dart *dart) {
  ref_end ends[REFERENCE_DARTS];
  uint32_t count = 0;
  for (uint32_t f = 0; f < face_count; f++) count += 2 * sizes[f];
  list_ends(face_count, sizes, corners, ends);
  for (uint32_t k = 0; k < count; k++)
    if (across(ends, count, k) == count) return false;
  reference after = *map;
  const ref_dart first = reference_new_darts(&after, count);
  uint32_t face = first;
  for (uint32_t f = 0; f < face_count; face += 2 * sizes[f], f++) join_face(&after, (ref_dart)face, sizes[f]);
  for (uint32_t k = 0; k < count; k++)
    reference_join(&after, 2, (ref_dart)(first + k), (ref_dart)(first + across(ends, count, k)));
  ref_orbit cell;
  reference_orbit(&after, 7u, first, &cell);
  if (cell.count != count) return false; // more than one closed surface
  *map = after;
  *dart = first;
  return true;
}

typedef struct ref_faces {
  uint32_t count;
  uint32_t sizes[6];
  uint32_t corners[24];
} ref_faces;

// The faces of VTK's cells, turned outwards.
static const ref_faces template_faces[] = {
    [CLV_TET] = {4, {3, 3, 3, 3}, {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3}},
    [CLV_PYRAMID] = {5, {4, 3, 3, 3, 3}, {0, 1, 2, 3, 1, 0, 4, 2, 1, 4, 3, 2, 4, 0, 3, 4}},
    [CLV_PRISM] = {5, {3, 3, 4, 4, 4}, {0, 1, 2, 3, 5, 4, 1, 0, 3, 4, 2, 1, 4, 5, 0, 2, 5, 3}},
    [CLV_HEX] = {6, {4, 4, 4, 4, 4, 4}, {0, 1, 2, 3, 1, 0, 4, 5, 2, 1, 5, 6, 3, 2, 6, 7, 0, 3, 7, 4, 4, 7, 6, 5}},
};

uint32_t reference_template_darts(clv_kind kind) {
  if (kind == CLV_TRI || kind == CLV_QUAD) return kind == CLV_TRI ? 6 : 8;
  uint32_t darts = 0;
  for (uint32_t f = 0; f < template_faces[kind].count; f++) darts += 2 * template_faces[kind].sizes[f];
  return darts;
}

ref_dart reference_add_cell(reference *map, clv_kind kind) {
  if (kind == CLV_TRI) return reference_add_polygon(map, 3);
  if (kind == CLV_QUAD) return reference_add_polygon(map, 4);
  ref_dart first = 0;
  const ref_faces *faces = &template_faces[kind];
  const bool closed = reference_add_polyhedron(map, faces->count, faces->sizes, faces->corners, &first);
  assert(closed);
  (void)closed;
  return first;
}

// Sewing

// The dimensions whose links must commute with ai.
static uint32_t far_dims(const reference *map, uint32_t i) {
  uint32_t dims = 0;
  for (uint32_t j = 0; j <= map->dimension; j++)
    if (j + 2 <= i || i + 2 <= j) dims |= 1u << j;
  return dims;
}

bool reference_sew(reference *map, uint32_t i, ref_dart a, ref_dart b) {
  ref_orbit orbit;
  ref_dart image[REFERENCE_DARTS];
  reference_orbit(map, far_dims(map, i), a, &orbit);
  if (orbit.has[b] || !reference_match(map, a, map, b, far_dims(map, i), image)) return false;
  for (uint32_t k = 0; k < orbit.count; k++) {
    const ref_dart x = orbit.darts[k];
    if (!reference_free(map, x, i) || !reference_free(map, image[x], i)) return false;
  }
  for (uint32_t k = 0; k < orbit.count; k++) reference_join(map, i, orbit.darts[k], image[orbit.darts[k]]);
  return true;
}

bool reference_unsew(reference *map, uint32_t i, ref_dart dart) {
  if (reference_free(map, dart, i)) return false;
  ref_orbit orbit;
  reference_orbit(map, far_dims(map, i), dart, &orbit);
  for (uint32_t k = 0; k < orbit.count; k++) {
    const ref_dart x = orbit.darts[k], y = map->alpha[x][i];
    map->alpha[x][i] = x;
    map->alpha[y][i] = y;
  }
  return true;
}

// Insertion

bool reference_insert_vertex(reference *map, ref_dart dart, ref_dart *added) {
  ref_orbit edge;
  reference_orbit(map, reference_cell_dims(map, 1), dart, &edge);
  for (uint32_t k = 0; k < edge.count; k++)
    if (reference_free(map, edge.darts[k], 0)) return false;
  const ref_dart first = reference_new_darts(map, edge.count);
  ref_dart fresh[REFERENCE_DARTS];
  for (uint32_t k = 0; k < edge.count; k++) fresh[edge.darts[k]] = (ref_dart)(first + k);
  for (uint32_t k = 0; k < edge.count; k++) {
    const ref_dart x = edge.darts[k];
    map->alpha[fresh[x]][1] = fresh[map->alpha[x][0]];
    for (uint32_t j = 2; j <= map->dimension; j++) map->alpha[fresh[x]][j] = fresh[map->alpha[x][j]];
  }
  for (uint32_t k = 0; k < edge.count; k++) reference_join(map, 0, edge.darts[k], fresh[edge.darts[k]]);
  *added = fresh[dart];
  return true;
}

static bool cycle_is_closed(const reference *map, const ref_orbit *face) {
  for (uint32_t k = 0; k < face->count; k++)
    if (reference_free(map, face->darts[k], 0) || reference_free(map, face->darts[k], 1)) return false;
  return true;
}

static bool met_after_odd_steps(const reference *map, ref_dart a, ref_dart b) {
  ref_dart at = a;
  for (uint32_t step = 1;; step++) {
    at = map->alpha[at][step & 1u ? 0 : 1];
    if (step & 1u && at == b) return true;
    if (!(step & 1u) && at == a) return false;
  }
}

// An edge that would cut off a digon, or that would start and end in the same corner.
static bool cuts_nothing_off(const reference *map, ref_dart a, ref_dart b) {
  const ref_dart c = map->alpha[a][1];
  return b == map->alpha[a][0] || b == c || b == map->alpha[map->alpha[c][0]][1];
}

// a -1- x -0- y -1- b on one side of the new edge, c -1- u -0- v -1- d on the other.
static void draw_edge(reference *map, ref_dart a, ref_dart b, ref_dart first) {
  const ref_dart c = map->alpha[a][1], d = map->alpha[b][1];
  const ref_dart x = first, y = (ref_dart)(first + 1), u = (ref_dart)(first + 2), v = (ref_dart)(first + 3);
  reference_join(map, 1, a, x);
  reference_join(map, 0, x, y);
  reference_join(map, 1, y, b);
  reference_join(map, 1, c, u);
  reference_join(map, 0, u, v);
  reference_join(map, 1, v, d);
  reference_join(map, 2, x, u);
  reference_join(map, 2, y, v);
}

bool reference_insert_edge(reference *map, ref_dart a, ref_dart b, ref_dart *added) {
  ref_orbit face;
  reference_orbit(map, 3u, a, &face);
  if (!face.has[b] || !cycle_is_closed(map, &face)) return false;
  if (!met_after_odd_steps(map, a, b) || cuts_nothing_off(map, a, b)) return false;
  const ref_dart mirrored_a = map->alpha[a][3], mirrored_b = map->alpha[b][3];
  const bool mirrored = mirrored_a != a;
  if (mirrored && face.has[mirrored_a]) return false;
  const ref_dart first = reference_new_darts(map, mirrored ? 8 : 4);
  draw_edge(map, a, b, first);
  if (mirrored) {
    draw_edge(map, mirrored_a, mirrored_b, (ref_dart)(first + 4));
    for (uint32_t k = 0; k < 4; k++) reference_join(map, 3, (ref_dart)(first + k), (ref_dart)(first + 4 + k));
  }
  *added = first;
  return true;
}

// Whether `next` is met going on from the far end of `dart` by a1, or by a1, then a2, a1 repeatedly.
static bool path_goes_on(const reference *map, ref_dart dart, ref_dart next) {
  const ref_dart start = map->alpha[dart][0];
  ref_dart at = start;
  for (;;) {
    if (reference_free(map, at, 1)) return false;
    at = map->alpha[at][1];
    if (at == next) return true;
    if (reference_free(map, at, 2)) return false;
    at = map->alpha[at][2];
    if (at == start) return false;
  }
}

// True when no two darts of the path share an orbit of `dims`.
static bool path_is_simple(const reference *map, uint32_t dims, const ref_dart *path, uint32_t length) {
  ref_dart label[REFERENCE_DARTS];
  reference_label(map, dims, label);
  for (uint32_t j = 0; j < length; j++)
    for (uint32_t k = 0; k < j; k++)
      if (label[path[j]] == label[path[k]]) return false;
  return true;
}

static bool path_is_fit(const reference *map, const ref_dart *path, uint32_t length) {
  if (map->dimension != 3 || length < 3) return false;
  for (uint32_t j = 0; j < length; j++) {
    if (reference_free(map, path[j], 0) || reference_free(map, path[j], 2)) return false;
    if (!path_goes_on(map, path[j], path[(j + 1) % length])) return false;
  }
  return path_is_simple(map, 5u, path, length) && path_is_simple(map, 6u, path, length);
}

// a -2- x -3- y -2- b, where a and b were joined by a2.
static void raise_wall(reference *map, ref_dart a, ref_dart x, ref_dart y) {
  const ref_dart b = map->alpha[a][2];
  reference_join(map, 2, a, x);
  reference_join(map, 3, x, y);
  reference_join(map, 2, y, b);
}

bool reference_insert_face(reference *map, const ref_dart *path, uint32_t length, ref_dart *added) {
  if (!path_is_fit(map, path, length)) return false;
  const ref_dart near = reference_new_darts(map, 2 * length), far = reference_new_darts(map, 2 * length);
  join_face(map, near, length);
  join_face(map, far, length);
  for (uint32_t j = 0; j < length; j++) {
    const ref_dart twin = map->alpha[path[j]][0];
    const uint32_t here = 2 * j, there = here + 1;
    raise_wall(map, path[j], (ref_dart)(near + here), (ref_dart)(far + here));
    raise_wall(map, twin, (ref_dart)(near + there), (ref_dart)(far + there));
  }
  *added = near;
  return true;
}

// Removal

void reference_remove_cell(reference *map, ref_dart dart) {
  ref_orbit cell;
  const uint32_t n = map->dimension;
  reference_orbit(map, reference_cell_dims(map, n), dart, &cell);
  for (uint32_t k = 0; k < cell.count; k++) {
    const ref_dart beyond = map->alpha[cell.darts[k]][n];
    map->alpha[beyond][n] = beyond;
    reference_delete_dart(map, cell.darts[k]);
  }
}

static bool commute(const reference *map, const ref_orbit *cell, uint32_t i, uint32_t j) {
  for (uint32_t k = 0; k < cell->count; k++) {
    const ref_dart *alpha = map->alpha[cell->darts[k]];
    if (map->alpha[alpha[i]][j] != map->alpha[alpha[j]][i]) return false;
  }
  return true;
}

// Where ai leads from x, outside the cell, once the cell is gone: through it, along ai and `through` in turn.
static ref_dart beyond(const reference *map, const ref_orbit *cell, uint32_t i, uint32_t through, ref_dart x) {
  ref_dart y = map->alpha[x][i];
  while (cell->has[y]) {
    y = map->alpha[y][through];
    const ref_dart z = map->alpha[y][i];
    if (z == y) return x;
    y = z;
  }
  return y;
}

// Removal and contraction are dual: one passes through the cell by the dimension above its own, the other by the one
// below.
static bool dissolve(reference *map, uint32_t i, int step, ref_dart dart) {
  const uint32_t n = map->dimension;
  const int through = (int)i + step, further = (int)i + 2 * step;
  ref_orbit cell;
  reference_orbit(map, reference_cell_dims(map, i), dart, &cell);
  if (further >= 0 && further <= (int)n && !commute(map, &cell, (uint32_t)through, (uint32_t)further)) return false;
  reference after = *map;
  for (uint32_t x = 1; x < map->end; x++)
    if (reference_alive(map, (ref_dart)x) && !cell.has[x])
      after.alpha[x][i] = beyond(map, &cell, i, (uint32_t)through, (ref_dart)x);
  for (uint32_t k = 0; k < cell.count; k++) reference_delete_dart(&after, cell.darts[k]);
  assert(reference_valid(&after)); // every aj that must commute with ai carries a way through the cell to another
  *map = after;
  return true;
}

bool reference_remove(reference *map, uint32_t i, ref_dart dart) {
  return dissolve(map, i, 1, dart);
}

bool reference_contract(reference *map, uint32_t i, ref_dart dart) {
  return dissolve(map, i, -1, dart);
}
