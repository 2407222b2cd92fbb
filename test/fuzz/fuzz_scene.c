// Fuzzes scenes: whatever the text, it is read, or refused with a place. Nothing is built: sizes in a scene are the
// user's own business.

#include "cleave/scene.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  clv_error error = {0};
  clv_scene *scene = clv_scene_parse("s.yaml", (const char *)data, size, NULL, &error);
  if (scene) {
    require(clv_scene_until(scene) > 0 && clv_scene_text(scene) && clv_scene_title(scene));
    clv_scene_destroy(scene);
    return 0;
  }
  unsigned line = 0, column = 0;
  require(error.code == CLV_ERROR_INPUT);
  require(sscanf(error.message, "s.yaml:%u:%u: ", &line, &column) == 2 && line >= 1 && column >= 1);
  return 0;
}
