// Cells as VTKHDF has them. See vtkhdf_cells.h.

#include "result/vtkhdf_cells.h"

// VTK's numbers of our kinds.
static const uint8_t vtk_types[CLV_KIND_COUNT] = {
    [CLV_TRI] = 5,  [CLV_QUAD] = 9,    [CLV_TET] = 10,        [CLV_PYRAMID] = 14, [CLV_PRISM] = 13,
    [CLV_HEX] = 12, [CLV_POLYGON] = 7, [CLV_POLYHEDRON] = 42, [CLV_POINT] = 1,    [CLV_LINE] = 3,
};

void result_cells_free(result_cells *cells, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &cells->types);
  BASE_RELEASE(allocator, &cells->connectivity);
  BASE_RELEASE(allocator, &cells->offsets);
  BASE_RELEASE(allocator, &cells->face_connectivity);
  BASE_RELEASE(allocator, &cells->face_offsets);
  BASE_RELEASE(allocator, &cells->polyhedron_faces);
  BASE_RELEASE(allocator, &cells->polyhedron_offsets);
}

static void push(result_ids *ids, int64_t id) {
  ids->data[ids->count++] = id; // room was made for all
}

static void push_new(result_ids *ids, uint32_t since, int64_t id) {
  for (uint32_t k = since; k < ids->count; k++) {
    if (ids->data[k] == id) return;
  }
  push(ids, id);
}

// VTK's face stream in `corners`: face_count, n_0, v v v ..., n_1, v v v ...
static void encode_polyhedron(result_cells *cells, const uint32_t *corners) {
  const uint32_t since = cells->connectivity.count, face_count = *corners++;
  for (uint32_t f = 0; f < face_count; f++) {
    const uint32_t count = *corners++;
    for (uint32_t c = 0; c < count; c++) {
      push_new(&cells->connectivity, since, *corners);
      push(&cells->face_connectivity, *corners++);
    }
    push(&cells->polyhedron_faces, cells->face_offsets.count - 1);
    push(&cells->face_offsets, cells->face_connectivity.count);
  }
}

clv_result result_cells_encode(result_cells *cells, const clv_mesh *mesh, const clv_allocator *allocator) {
  const size_t count = mesh->element_count, corners = count ? mesh->offsets[count] : 0;
  // A stream has more words than its faces, their corners and its points each.
  if (!BASE_RESERVE(allocator, &cells->types, count + 1) || !BASE_RESERVE(allocator, &cells->offsets, count + 1) ||
      !BASE_RESERVE(allocator, &cells->polyhedron_offsets, count + 1) ||
      !BASE_RESERVE(allocator, &cells->connectivity, corners + 1))
    return CLV_ERROR_MEMORY;
  size_t faces = 0;
  for (size_t e = 0; e < count; e++) {
    if (mesh->kinds[e] == CLV_POLYHEDRON) faces += mesh->offsets[e + 1] - mesh->offsets[e];
  }
  if (!BASE_RESERVE(allocator, &cells->face_connectivity, faces + 1) ||
      !BASE_RESERVE(allocator, &cells->face_offsets, faces + 1) ||
      !BASE_RESERVE(allocator, &cells->polyhedron_faces, faces + 1))
    return CLV_ERROR_MEMORY;
  cells->types.count = cells->connectivity.count = cells->offsets.count = 0;
  cells->face_connectivity.count = cells->face_offsets.count = 0;
  cells->polyhedron_faces.count = cells->polyhedron_offsets.count = 0;
  push(&cells->offsets, 0);
  push(&cells->face_offsets, 0);
  push(&cells->polyhedron_offsets, 0);
  for (size_t e = 0; e < count; e++) {
    const uint32_t *list = mesh->corners + mesh->offsets[e];
    const size_t length = mesh->offsets[e + 1] - mesh->offsets[e];
    cells->types.data[cells->types.count++] = vtk_types[mesh->kinds[e]];
    if (mesh->kinds[e] == CLV_POLYHEDRON) {
      encode_polyhedron(cells, list);
    } else {
      for (size_t c = 0; c < length; c++) push(&cells->connectivity, list[c]);
    }
    push(&cells->offsets, cells->connectivity.count);
    push(&cells->polyhedron_offsets, cells->polyhedron_faces.count);
  }
  return CLV_OK;
}

static uint64_t stir(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t stir_ids(uint64_t hash, const result_ids *ids) {
  hash = stir(hash, ids->count);
  for (uint32_t k = 0; k < ids->count; k++) hash = stir(hash, (uint64_t)ids->data[k]);
  return hash;
}

uint64_t result_cells_hash(const result_cells *cells) {
  uint64_t hash = stir(0, cells->types.count);
  for (uint32_t k = 0; k < cells->types.count; k++) hash = stir(hash, cells->types.data[k]);
  hash = stir_ids(hash, &cells->connectivity);
  hash = stir_ids(hash, &cells->offsets);
  hash = stir_ids(hash, &cells->face_connectivity);
  hash = stir_ids(hash, &cells->face_offsets);
  return stir_ids(hash, &cells->polyhedron_offsets);
}
