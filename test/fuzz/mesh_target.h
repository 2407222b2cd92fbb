// What the fuzz targets of all mesh formats do: read the bytes, and if they are a mesh, check it, write it and read it
// again.

#ifndef CLEAVE_TEST_FUZZ_MESH_TARGET_H
#define CLEAVE_TEST_FUZZ_MESH_TARGET_H

#include "cleave/io.h"
#include "io/formats.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(bool condition) {
  if (!condition) abort();
}

static inline void check_same_elements(const clv_mesh *a, const clv_mesh *b) {
  require(a->point_count == b->point_count && a->element_count == b->element_count);
  require(a->field_count == b->field_count);
  if (a->element_count == 0) return;
  size_t corner_count = a->offsets[a->element_count];
  require(memcmp(a->kinds, b->kinds, a->element_count * sizeof *a->kinds) == 0);
  require(memcmp(a->tags, b->tags, a->element_count * sizeof *a->tags) == 0);
  require(memcmp(a->offsets, b->offsets, (a->element_count + 1) * sizeof *a->offsets) == 0);
  require(memcmp(a->corners, b->corners, corner_count * sizeof *a->corners) == 0);
}

// Raw VTU: it holds whatever a mesh can hold, and is fast.
static inline void check_round_trip(const clv_mesh *mesh) {
  io_writer writer;
  clv_mesh back;
  io_writer_open(&writer, &mesh->allocator, "again.vtu", NULL);
  clv_mesh_init(&back, NULL);
  require(io_check_mesh(&writer, mesh)); // all corners name points that exist
  io_vtu_write(&writer, mesh, (io_variant){1, IO_APPENDED_RAW, false});
  require(writer.result == CLV_OK);
  require(clv_mesh_read_memory(&back, "again.vtu", writer.data, writer.size, NULL) == CLV_OK);
  check_same_elements(mesh, &back);
  clv_mesh_free(&back);
  io_writer_close(&writer);
}

// A few bytes may ask for a grid of a million points, which teaches nothing that a small one does not, and takes
// seconds to write and read again under the sanitizers.
static inline bool is_worth_a_round_trip(const clv_mesh *mesh) {
  return mesh->point_count + mesh->element_count <= 1 << 16;
}

static inline int fuzz_mesh(const char *name, const uint8_t *data, size_t size) {
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_read_memory(&mesh, name, data, size, &error) == CLV_OK) {
    if (is_worth_a_round_trip(&mesh)) check_round_trip(&mesh);
  } else {
    require(mesh.points == NULL && mesh.kinds == NULL && mesh.fields == NULL && mesh.regions == NULL);
    require(error.code == CLV_ERROR_INPUT && error.message[0] != '\0');
  }
  clv_mesh_free(&mesh);
  return 0;
}

#endif
