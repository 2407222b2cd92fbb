// Tools on their way through scenes: what they cut does not depend on the step, nor on who moves, tool or body.

#include "cleave/scene.h"
#include "support/operated.h"

#include <stdio.h>

typedef struct ending {
  clv_surgery_report did;
  uint64_t components;
} ending;

static ending run(const char *text) {
  clv_error error = {0};
  clv_scene *scene = clv_scene_parse("test.yaml", text, strlen(text), NULL, &error);
  if (!scene) fail_msg("%s", error.message);
  clv_world *world = clv_scene_world(scene, 1, &error);
  if (!world) fail_msg("%s", error.message);
  ending end = {.components = 0};
  while (clv_world_time(world) < clv_scene_until(scene) - 1e-9) {
    clv_world_report report;
    if (clv_world_step(world, &report) != CLV_OK) fail_msg("%s", clv_world_error(world));
    end.did.facets += report.surgery.facets;
    end.did.vertices += report.surgery.vertices;
    end.did.removed += report.surgery.removed;
  }
  operated_check(clv_world_body(world, 0));
  end.components = operated_components(clv_world_body(world, 0));
  clv_world_destroy(world);
  clv_scene_destroy(scene);
  return end;
}

// Sixteen vertices lie on the scalpel's way, and fewer than one to four a step.
static void scalpels_skip_nothing(void **unused) {
  (void)unused;
  static const uint32_t steps[] = {1, 2, 5, 10, 20, 50};
  for (uint32_t k = 0; k < sizeof steps / sizeof *steps; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "cleave: 1\n"
             "mesh: {grid: tri, cells: [20, 20], size: [1, 1]}\n"
             "material: {young: 100 kPa, thickness: 5 mm}\n"
             "gravity: [0, 0, 0]\n"
             "fix: [{box: [[0, 0, 0], [0, 1, 0]]}, {box: [[1, 0, 0], [1, 1, 0]]}]\n"
             "solver: {method: implicit-euler, step: %u ms}\n"
             "until: 0.3\n"
             "events:\n"
             "  - at: 0.02\n"
             "    scalpel: {radius: 2 cm, toughness: 0, stiffness: 0.01,\n"
             "      path: [[0, [0.5, 0.1, 0.01]], [0.2, [0.5, 0.9, 0.01]]]}\n",
             steps[k]);
    const ending end = run(text);
    assert_int_equal(end.did.facets, 17);
    assert_int_equal(end.did.vertices, 16);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalpels_skip_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
