// Fuzzes the reader of MEDIT files.

#include "fuzz/mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_mesh("x.meshb", data, size);
}
