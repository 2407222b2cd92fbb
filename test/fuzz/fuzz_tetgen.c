// Fuzzes the reader of TetGen files: an input is a surface of both kinds, and a set of files on the disk, .node, .ele,
// .face and .edge one behind the other with a form feed between them.

#define _XOPEN_SOURCE 700 // mkdtemp

#include "fuzz/mesh_target.h"

#include <stdio.h>
#include <unistd.h>

enum { PARTS = 4 };

// One directory for the whole run, in memory where the system has such a place.
static struct place {
  char directory[32];
  char paths[PARTS][64];
} place;

static void remove_place(void) {
  for (int i = 0; i < PARTS; i++) remove(place.paths[i]);
  rmdir(place.directory);
}

static void make_place(void) {
  static const char *const endings[PARTS] = {"node", "ele", "face", "edge"};
  if (place.directory[0]) return;
  strcpy(place.directory, "/dev/shm/cleave-fuzz-XXXXXX");
  if (!mkdtemp(place.directory)) {
    strcpy(place.directory, "/tmp/cleave-fuzz-XXXXXX");
    require(mkdtemp(place.directory) != NULL);
  }
  for (int i = 0; i < PARTS; i++) {
    snprintf(place.paths[i], sizeof place.paths[i], "%s/x.%s", place.directory, endings[i]);
  }
  require(atexit(remove_place) == 0);
}

static void write_set(const char *data, size_t size) {
  for (int i = 0; i < PARTS; i++) {
    const char *end = size ? memchr(data, '\f', size) : NULL;
    size_t part = end ? (size_t)(end - data) : size;
    if (part == 0) {
      remove(place.paths[i]);
    } else {
      FILE *file = fopen(place.paths[i], "wb");
      require(file && fwrite(data, 1, part, file) == part && fclose(file) == 0);
    }
    data += end ? part + 1 : part;
    size -= end ? part + 1 : part;
  }
}

static void fuzz_set(const char *data, size_t size) {
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  clv_mesh_init(&mesh, NULL);
  write_set(data, size);
  if (access(place.paths[0], F_OK) != 0) return;
  if (clv_mesh_read(&mesh, place.paths[0], &error) == CLV_OK) {
    if (is_worth_a_round_trip(&mesh)) check_round_trip(&mesh);
  } else {
    require(mesh.points == NULL && error.code == CLV_ERROR_INPUT);
  }
  clv_mesh_free(&mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz_mesh("x.smesh", data, size);
  fuzz_mesh("x.poly", data, size);
  make_place();
  fuzz_set((const char *)data, size);
  return 0;
}
