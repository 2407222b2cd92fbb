// The naive map: darts, orbits, and what can be read from them. Its operations are in reference_edit.c.

#include "support/reference.h"

#include "support/reference_private.h"

#include <assert.h>
#include <string.h>

void reference_init(reference *map, uint32_t dimension) {
  memset(map, 0, sizeof *map);
  map->dimension = dimension;
  map->end = 1;
}

void reference_settle(reference *map) {
  for (uint32_t d = 1; d < map->end; d++)
    if (map->state[d] == REF_DELETED) map->state[d] = REF_UNUSED;
}

// Darts

static bool run_is_unused(const reference *map, uint32_t first, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (map->state[first + k] != REF_UNUSED) return false;
  return true;
}

ref_dart reference_new_darts(reference *map, uint32_t count) {
  uint32_t first = 1;
  while (first + count <= REFERENCE_DARTS && !run_is_unused(map, first, count)) first++;
  assert(first + count <= REFERENCE_DARTS && "the test's maps are meant to stay small");
  for (uint32_t d = first; d < first + count; d++) {
    map->state[d] = REF_ALIVE;
    for (uint32_t i = 0; i < 4; i++) map->alpha[d][i] = (ref_dart)d;
  }
  map->count += count;
  if (map->end < first + count) map->end = first + count;
  return (ref_dart)first;
}

void reference_delete_dart(reference *map, ref_dart dart) {
  map->state[dart] = REF_DELETED;
  map->count--;
}

void reference_join(reference *map, uint32_t i, ref_dart a, ref_dart b) {
  map->alpha[a][i] = b;
  map->alpha[b][i] = a;
}

// Orbits

void reference_orbit(const reference *map, uint32_t dims, ref_dart dart, ref_orbit *orbit) {
  memset(orbit->has, 0, sizeof orbit->has);
  orbit->count = 1;
  orbit->darts[0] = dart;
  orbit->has[dart] = true;
  for (uint32_t k = 0; k < orbit->count; k++)
    for (uint32_t i = 0; i <= map->dimension; i++) {
      const ref_dart next = map->alpha[orbit->darts[k]][i];
      if (!(dims >> i & 1u) || orbit->has[next]) continue;
      orbit->has[next] = true;
      orbit->darts[orbit->count++] = next;
    }
}

uint32_t reference_label(const reference *map, uint32_t dims, ref_dart label[REFERENCE_DARTS]) {
  ref_dart stack[REFERENCE_DARTS];
  uint32_t orbits = 0;
  memset(label, 0, REFERENCE_DARTS * sizeof *label);
  for (uint32_t d = 1; d < map->end; d++) {
    if (!reference_alive(map, (ref_dart)d) || label[d]) continue;
    orbits++;
    label[d] = (ref_dart)d;
    uint32_t depth = 0;
    stack[depth++] = (ref_dart)d;
    while (depth) {
      const ref_dart at = stack[--depth];
      for (uint32_t i = 0; i <= map->dimension; i++) {
        const ref_dart next = map->alpha[at][i];
        if (!(dims >> i & 1u) || label[next]) continue;
        label[next] = (ref_dart)d;
        stack[depth++] = next;
      }
    }
  }
  return orbits;
}

bool reference_match(const reference *p, ref_dart a, const reference *q, ref_dart b, uint32_t dims, ref_dart *image) {
  ref_dart origin[REFERENCE_DARTS] = {0}, queue[REFERENCE_DARTS];
  uint32_t count = 0;
  memset(image, 0, REFERENCE_DARTS * sizeof *image);
  image[a] = b;
  origin[b] = a;
  queue[count++] = a;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < 4; i++) {
      if (!(dims >> i & 1u)) continue;
      const ref_dart x = p->alpha[queue[k]][i], y = q->alpha[image[queue[k]]][i];
      if (!image[x] && !origin[y]) {
        image[x] = y;
        origin[y] = x;
        queue[count++] = x;
      } else if (image[x] != y) {
        return false;
      }
    }
  return true;
}

// Properties

static bool dart_is_valid(const reference *map, ref_dart dart) {
  const ref_dart *alpha = map->alpha[dart];
  for (uint32_t i = 0; i < 4; i++) {
    if (i > map->dimension && alpha[i] != dart) return false;
    if (!reference_alive(map, alpha[i]) || map->alpha[alpha[i]][i] != dart) return false;
    for (uint32_t j = i + 2; j < 4; j++)
      if (map->alpha[alpha[i]][j] != map->alpha[alpha[j]][i]) return false;
  }
  return true;
}

bool reference_valid(const reference *map) {
  uint32_t count = 0;
  for (uint32_t d = 1; d < map->end; d++) {
    if (!reference_alive(map, (ref_dart)d)) continue;
    count++;
    if (!dart_is_valid(map, (ref_dart)d)) return false;
  }
  return count == map->count;
}

// Darts are nodes (d, colour) of the double cover. A component is orientable when (d, 0) and (d, 1) are not connected.
static bool paint(const reference *map, uint8_t *colour, ref_dart start) {
  ref_dart stack[REFERENCE_DARTS];
  uint32_t depth = 0;
  colour[start] = 1;
  stack[depth++] = start;
  while (depth) {
    const ref_dart at = stack[--depth];
    for (uint32_t i = 0; i <= map->dimension; i++) {
      const ref_dart next = map->alpha[at][i];
      if (next != at && colour[next] == colour[at]) return false;
      if (next == at || colour[next]) continue;
      colour[next] = (uint8_t)(3 - colour[at]);
      stack[depth++] = next;
    }
  }
  return true;
}

bool reference_orientable(const reference *map) {
  uint8_t colour[REFERENCE_DARTS] = {0};
  for (uint32_t d = 1; d < map->end; d++)
    if (reference_alive(map, (ref_dart)d) && !colour[d] && !paint(map, colour, (ref_dart)d)) return false;
  return true;
}

static bool is_template(const reference *map, const ref_orbit *cell, clv_kind kind) {
  if (cell->count != reference_template_darts(kind)) return false;
  reference model;
  reference_init(&model, map->dimension);
  const ref_dart first = reference_add_cell(&model, kind);
  const uint32_t inner = reference_cell_dims(map, map->dimension);
  ref_dart image[REFERENCE_DARTS];
  for (uint32_t k = 0; k < cell->count; k++)
    if (reference_match(&model, first, map, cell->darts[k], inner, image)) return true;
  return false;
}

clv_kind reference_cell_kind(const reference *map, ref_dart dart) {
  ref_orbit cell;
  reference_orbit(map, reference_cell_dims(map, map->dimension), dart, &cell);
  const bool flat = map->dimension == 2;
  const clv_kind first = flat ? CLV_TRI : CLV_TET, last = flat ? CLV_QUAD : CLV_HEX;
  for (clv_kind kind = first; kind <= last; kind++)
    if (is_template(map, &cell, kind)) return kind;
  return flat ? CLV_POLYGON : CLV_POLYHEDRON;
}

uint32_t reference_open_darts(const reference *map) {
  uint32_t open = 0;
  for (uint32_t d = 1; d < map->end; d++) {
    bool closed = true;
    for (uint32_t i = 0; i < map->dimension; i++) closed &= !reference_free(map, (ref_dart)d, i);
    open += reference_alive(map, (ref_dart)d) && !closed;
  }
  return open;
}

uint32_t reference_boundary_facets(const reference *map) {
  ref_dart label[REFERENCE_DARTS];
  reference_label(map, reference_cell_dims(map, map->dimension - 1), label);
  uint32_t facets = 0;
  for (uint32_t d = 1; d < map->end; d++) facets += label[d] == d && reference_free(map, (ref_dart)d, map->dimension);
  return facets;
}

// Patches

void reference_add_to_patch(const reference *map, ref_dart face, bool patch[REFERENCE_DARTS]) {
  ref_orbit darts;
  reference_orbit(map, 3u, face, &darts);
  for (uint32_t k = 0; k < darts.count; k++) patch[darts.darts[k]] = true;
}

uint32_t reference_patch_boundary(const reference *map, const bool *patch, ref_dart start, ref_dart *path) {
  uint32_t length = 0;
  ref_dart at = start;
  do {
    path[length++] = at;
    at = map->alpha[map->alpha[at][0]][1];
    for (uint32_t k = 0; k < map->count && patch[map->alpha[at][2]]; k++) at = map->alpha[map->alpha[at][2]][1];
  } while (at != start && length < map->count);
  return at == start ? length : 0;
}
