// Fuzzes the reader of STL files.

#include "fuzz/mesh_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_mesh("x.stl", data, size);
}
