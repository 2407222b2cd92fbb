// Fuzzes the reader of TetGen files: an input is a surface of both kinds, and a set of files on the disk, .node, .ele,
// .face and .edge one behind the other with a form feed between them.

#define _XOPEN_SOURCE 700 // mkdtemp

#include "fuzz/mesh_target.h"

#include <stdio.h>
#include <unistd.h>

enum { PARTS = 4 };

typedef struct place {
  char paths[PARTS][64];
} place;

// One directory for the whole run, in memory where the system has such a place; it stays behind when the run is killed.
static const place *the_place(void) {
  static place p;
  static const char *const endings[PARTS] = {"node", "ele", "face", "edge"};
  if (p.paths[0][0]) return &p;
  char directory[32] = "/dev/shm/cleave-fuzz-XXXXXX";
  if (!mkdtemp(directory)) {
    strcpy(directory, "/tmp/cleave-fuzz-XXXXXX");
    require(mkdtemp(directory) != NULL);
  }
  for (int i = 0; i < PARTS; i++) snprintf(p.paths[i], sizeof p.paths[i], "%s/x.%s", directory, endings[i]);
  return &p;
}

static void write_set(const place *p, const char *data, size_t size) {
  for (int i = 0; i < PARTS; i++) {
    const char *end = size ? memchr(data, '\f', size) : NULL;
    size_t part = end ? (size_t)(end - data) : size;
    if (part == 0) {
      remove(p->paths[i]);
    } else {
      FILE *file = fopen(p->paths[i], "wb");
      require(file && fwrite(data, 1, part, file) == part && fclose(file) == 0);
    }
    data += end ? part + 1 : part;
    size -= end ? part + 1 : part;
  }
}

static void fuzz_set(const char *data, size_t size) {
  const place *p = the_place();
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  clv_mesh_init(&mesh, NULL);
  write_set(p, data, size);
  if (access(p->paths[0], F_OK) != 0) return;
  if (clv_mesh_read(&mesh, p->paths[0], &error) == CLV_OK) {
    if (is_worth_a_round_trip(&mesh)) check_round_trip(&mesh);
  } else {
    require(mesh.points == NULL && error.code == CLV_ERROR_INPUT);
  }
  clv_mesh_free(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_mesh("x.smesh", data, size);
  fuzz_mesh("x.poly", data, size);
  fuzz_set((const char *)data, size);
  return 0;
}
