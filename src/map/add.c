// Adding free cells: templates, polygons, polyhedra from their faces.

#include "map/edit.h"

clv_result clv_map_add_cell(clv_map *view, clv_kind kind, clv_dart *out) {
  map *m = map_of(view);
  clv_result result = map_editable(m, NULL, 0);
  if (result != CLV_OK) return result;
  if (!map_is_template(kind) || clv_templates[kind].dimension != view->dimension)
    return map_fail(m, CLV_ERROR_ARGUMENT, "'%s' is no template cell of dimension %u", clv_kind_name(kind),
                    view->dimension);
  clv_dart dart = CLV_NO_DART;
  result = map_cell_add(m, kind, &dart);
  if (result == CLV_OK && out) *out = dart;
  return result;
}

// One face, its darts in cyclic order; joined by a0 and a1.
static clv_result add_face(map *m, uint32_t sides, clv_walk *darts) {
  const uint32_t start = darts->count;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < 2 * sides; k++) {
    clv_dart dart = CLV_NO_DART;
    result = map_dart_add(m, k & 1u, &dart);
    if (result == CLV_OK && !map_walk_push(darts, dart)) result = map_no_memory(m);
  }
  for (uint32_t k = 0; result == CLV_OK && k < sides; k++) {
    const clv_dart *face = darts->darts + start;
    result = map_join(m, 0, face[2 * k], face[2 * k + 1]);
    if (result == CLV_OK) result = map_join(m, 1, face[2 * k + 1], face[k + 1 == sides ? 0 : 2 * k + 2]);
  }
  return result;
}

clv_result clv_map_add_polygon(clv_map *view, uint32_t sides, clv_dart *out) {
  map *m = map_of(view);
  clv_result result = map_editable(m, NULL, 0);
  if (result != CLV_OK) return result;
  if (sides < 3 || sides > UINT32_MAX / 4)
    return map_fail(m, CLV_ERROR_ARGUMENT, "a polygon has three sides at least, not %u", sides);
  const uint32_t mark = m->log.count;
  clv_walk darts;
  map_walk_init(&darts, m);
  result = add_face(m, sides, &darts);
  if (result == CLV_OK && out) *out = darts.darts[0];
  clv_walk_end(&darts);
  return map_end_edit(m, mark, result);
}

// A polyhedron: its edges are found by their two corner numbers, in a table of open addressing.

typedef struct edge_slot {
  uint32_t low, high;
  clv_dart at_low, at_high; // the darts of the face that came first
  uint32_t faces;
} edge_slot;

typedef struct edge_table {
  edge_slot *slots;
  uint32_t size;
} edge_table;

static edge_slot *find_edge(const edge_table *table, uint32_t low, uint32_t high) {
  uint32_t at = map_hash(low ^ map_hash(high)) & (table->size - 1);
  while (table->slots[at].faces && (table->slots[at].low != low || table->slots[at].high != high))
    at = (at + 1) & (table->size - 1);
  return &table->slots[at];
}

static clv_result glue_edge(map *m, const edge_table *table, uint32_t from, uint32_t to, clv_dart at_from,
                            clv_dart at_to) {
  const bool up = from < to;
  edge_slot *slot = find_edge(table, up ? from : to, up ? to : from);
  const clv_dart at_low = up ? at_from : at_to, at_high = up ? at_to : at_from;
  if (slot->faces == 2)
    return map_fail(m, CLV_ERROR_REFUSED, "the polyhedron is not closed: three faces meet in edge %u-%u", from, to);
  if (slot->faces++ == 0) {
    slot->low = up ? from : to;
    slot->high = up ? to : from;
    slot->at_low = at_low;
    slot->at_high = at_high;
    return CLV_OK;
  }
  const clv_result result = map_join(m, 2, slot->at_low, at_low);
  return result == CLV_OK ? map_join(m, 2, slot->at_high, at_high) : result;
}

static clv_result add_faces(map *m, uint32_t face_count, const uint32_t *sizes, const uint32_t *corners,
                            clv_walk *darts, const edge_table *table) {
  clv_result result = CLV_OK;
  for (uint32_t f = 0; result == CLV_OK && f < face_count; corners += sizes[f], f++) {
    const uint32_t start = darts->count;
    result = add_face(m, sizes[f], darts);
    for (uint32_t k = 0; result == CLV_OK && k < sizes[f]; k++) {
      const uint32_t from = corners[k], to = corners[(k + 1) % sizes[f]];
      if (from == to)
        return map_fail(m, CLV_ERROR_REFUSED, "face %u of the polyhedron names corner %u twice in a row", f, from);
      result = glue_edge(m, table, from, to, darts->darts[start + 2 * k], darts->darts[start + 2 * k + 1]);
    }
  }
  for (uint32_t k = 0; result == CLV_OK && k < table->size; k++)
    if (table->slots[k].faces == 1)
      result = map_fail(m, CLV_ERROR_REFUSED, "the polyhedron is not closed: one face only meets edge %u-%u",
                        table->slots[k].low, table->slots[k].high);
  return result;
}

static clv_result test_connected(map *m, const clv_walk *darts) {
  clv_walk cell;
  map_walk_init(&cell, m);
  clv_result result = CLV_OK;
  if (!map_walk_darts(&cell, m, clv_orbit_dims(&m->view, CLV_CELL), darts->darts[0])) result = map_no_memory(m);
  if (result == CLV_OK && cell.count != darts->count)
    result = map_fail(m, CLV_ERROR_REFUSED, "the faces of the polyhedron form more than one closed surface");
  clv_walk_end(&cell);
  return result;
}

clv_result clv_map_add_polyhedron(clv_map *view, uint32_t face_count, const uint32_t *sizes, const uint32_t *corners,
                                  clv_dart *out) {
  map *m = map_of(view);
  clv_result result = map_editable(m, NULL, 0);
  if (result != CLV_OK) return result;
  if (view->dimension != 3) return map_fail(m, CLV_ERROR_ARGUMENT, "a polyhedron needs a map of dimension 3");
  uint64_t edges = 0;
  for (uint32_t f = 0; f < face_count; f++) {
    if (sizes[f] < 3)
      return map_fail(m, CLV_ERROR_ARGUMENT, "face %u of the polyhedron has %u corners, three are needed", f, sizes[f]);
    edges += sizes[f];
  }
  if (face_count < 2 || edges > UINT32_MAX / 16)
    return map_fail(m, CLV_ERROR_ARGUMENT, "a polyhedron cannot have %u faces", face_count);
  edge_table table = {.size = 16};
  while (table.size < 2 * edges) table.size *= 2;
  table.slots = base_allocate(&m->allocator, table.size * sizeof *table.slots);
  if (!table.slots) return map_no_memory(m);
  memset(table.slots, 0, table.size * sizeof *table.slots);
  const uint32_t mark = m->log.count;
  clv_walk darts;
  map_walk_init(&darts, m);
  result = add_faces(m, face_count, sizes, corners, &darts, &table);
  if (result == CLV_OK) result = test_connected(m, &darts);
  if (result == CLV_OK && out) *out = darts.darts[0];
  clv_walk_end(&darts);
  base_free(&m->allocator, table.slots, table.size * sizeof *table.slots);
  return map_end_edit(m, mark, result);
}
