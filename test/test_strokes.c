// Tools on their way through scenes: what they cut does not depend on the step, nor on who moves, tool or body.

#include "cleave/scene.h"
#include "support/operated.h"
#include "support/store.h"

#include <stdio.h>

// Sanitizers see every so many of the combinations, `make test` all.
#if defined(__SANITIZE_ADDRESS__)
enum { EVERY = 5 };
#else
enum { EVERY = 1 };
#endif

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

// As many vertices lie on the scalpel's way whatever the step: fewer than one to four of them a step. Where it starts
// between two, half way too, and where it passes them as far aside as it reaches.
static void scalpels_skip_nothing(void **unused) {
  (void)unused;
  static const struct {
    double x, y;
    uint32_t facets;
  } starts[] = {{0.5, 0.1, 17}, {0.5, 0.025, 19}, {0.5, 0.0213, 19}, {0.52, 0.071, 18}};
  static const uint32_t steps[] = {4, 20, 50};
  for (uint32_t n = 0; n < 4 * 3; n++) {
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
             "      path: [[0, [%g, %g, 0.01]], [0.2, [%g, 0.9, 0.01]]]}\n",
             steps[n % 3], starts[n / 3].x, starts[n / 3].y, starts[n / 3].x);
    assert_int_equal(run(text).did.facets, starts[n / 3].facets);
  }
}

// A body that falls onto an edge, through it, while that rests, comes up, or goes down more slowly.
static ending fall(const char *mesh, const char *model, const char *method, const char *tool) {
  char text[2048];
  snprintf(text, sizeof text,
           "cleave: 1\n"
           "mesh: %s\n"
           "material: {young: 1 MPa, thickness: 1 cm}\n"
           "model: %s\n"
           "gravity: [0, 0, -9.81]\n"
           "solver: {method: %s, step: 5 ms}\n"
           "until: 0.36\n"
           "events:\n"
           "  - {at: 0.012, %s}\n",
           mesh, model, method, tool);
  return run(text);
}

static const char *const ways[] = {"[[0, [0, 0, 0]], [0.5, [0, 0, 0]]]", "[[0, [0, 0, 0]], [0.5, [0, 0, 1.5]]]",
                                   "[[0, [0, 0, 0]], [0.1, [0, 0.01, -0.05]], [0.5, [0, 0, -0.1]]]"};

static void bodies_fall_through_knives(void **unused) {
  (void)unused;
  static const char *const grids[] = {"hex", "tet5", "tet6"}, *const models[] = {"fem-corotational", "springs"};
  for (uint32_t n = 0; n < 3 * 2 * 3; n += EVERY) {
    char mesh[256], tool[256];
    snprintf(mesh, sizeof mesh, "{grid: %s, cells: [6, 3, 3], size: [0.6, 0.3, 0.3]}", grids[n % 3]);
    snprintf(tool, sizeof tool, "knife: {edge: [[0.32, -1, -0.05], [0.32, 1, -0.05]], path: %s}", ways[n / 6]);
    const ending end = fall(mesh, models[n / 3 % 2], n % 2 ? "implicit-euler" : "newmark", tool);
    assert_int_equal(end.components, 2);
    if (n % 3 == 0) assert_int_equal(end.did.facets, 9);
  }
}

// Likewise through the blade of a slice: along the plane of its edge and its way through the body.
static void bodies_fall_through_slices(void **unused) {
  (void)unused;
  static const char *const grids[] = {"hex", "tet5", "tet6"};
  for (uint32_t n = 0; n < 3 * 2 * 2; n += EVERY) {
    char mesh[256], tool[512];
    snprintf(mesh, sizeof mesh, "{grid: %s, cells: [6, 3, 3], size: [0.6, 0.3, 0.3]}", grids[n % 3]);
    snprintf(
        tool, sizeof tool,
        "slice: {exact: %s, snap: 0, quality: 0.02, blade: {edge: [[0.343, -1, -0.05], [0.343, 1, -0.05]], path: %s}}",
        n / 6 ? "true" : "false", ways[n / 3 % 2]);
    assert_int_equal(fall(mesh, "fem-corotational", "implicit-euler", tool).components, 2);
  }
}

// Sheets that fall flat, onto an edge below them, and with their own edge, along y.
static void surfaces_fall_through_knives(void **unused) {
  (void)unused;
  static const char *const grids[] = {"tri", "quad"}, *const models[] = {"fem-corotational", "springs"};
  for (uint32_t n = 0; n < 2 * 2; n += EVERY) {
    char text[2048];
    snprintf(text, sizeof text,
             "cleave: 1\n"
             "mesh: {grid: %s, cells: [8, 4], size: [0.8, 0.4]}\n"
             "material: {young: 1 MPa, thickness: 1 cm}\n"
             "model: %s\n"
             "gravity: [0, -9.81, 0]\n"
             "solver: {method: implicit-euler, step: 5 ms}\n"
             "until: 0.55\n"
             "events:\n"
             "  - {at: 0.01, knife: {edge: [[0.42, -0.3, -1], [0.42, -0.3, 1]], path: [[0, [0, 0, 0]], [0.5, [0, 0, "
             "0]]]}}\n",
             grids[n % 2], models[n / 2]);
    const ending end = run(text);
    assert_int_equal(end.components, 2);
    if (n % 2) assert_int_equal(end.did.facets, 4);
  }
}

// Both at rest, or both on the same way: nothing is cut.
static void what_rests_is_not_cut(void **unused) {
  (void)unused;
  static const char *const tools[] = {
      "knife: {edge: [[0.42, -1, 0.23], [0.42, 1, 0.23]], path: [[0, [0, 0, 0]], [0.5, [0, 0, 0]]]}",
      "slice: {exact: true, blade: {edge: [[0.42, -1, 0.23], [0.42, 1, 0.23]], path: [[0, [0, 0, 0]], [0.5, [0, 0, "
      "0]]]}}"};
  for (uint32_t k = 0; k < 2; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "cleave: 1\nmesh: {grid: tet5, cells: [8, 4, 4], size: [0.8, 0.4, 0.4]}\ngravity: [0, 0, 0]\n"
             "solver: {method: implicit-euler, step: 5 ms}\nuntil: 0.1\nevents:\n  - {at: 0, %s}\n",
             tools[k]);
    const ending end = run(text);
    assert_int_equal(end.did.facets, 0);
    assert_int_equal(end.components, 1);
  }
}

// What falls through a rod has a hole right through; a rod that flies past beside it has touched nothing.
static void bodies_fall_onto_rods(void **unused) {
  (void)unused;
  for (uint32_t n = 0; n < 3; n++) {
    char tool[256];
    snprintf(tool, sizeof tool,
             "pierce: {capsule: {from: [0.35, -1, -0.05], to: [0.35, 1, -0.05], radius: 1 mm}, path: %s}", ways[n]);
    const ending end =
        fall("{grid: hex, cells: [5, 2, 5], size: [0.5, 0.2, 0.3]}", "fem-corotational", "implicit-euler", tool);
    assert_int_equal(end.did.removed, 2 * 5);
    assert_int_equal(end.components, 2);
  }
}

// A knife goes down through a beam that gives way under its own weight, bends and swings: it is parted.
static void knives_leave_no_bridge(void **unused) {
  (void)unused;
  static const char *const grids[] = {"tet6", "tet5", "hex"}, *const methods[] = {"implicit-euler", "newmark"};
  for (uint32_t n = 0; n < 3 * 2 * 2; n += EVERY) {
    char text[2048];
    snprintf(
        text, sizeof text,
        "cleave: 1\n"
        "mesh: {grid: %s, cells: [6, 3, 3], size: [6 cm, 3 cm, 3 cm]}\n"
        "material: {young: 50 kPa, poisson: 0.4}\n"
        "fix: [{box: [[0, 0, 0], [0, 3 cm, 3 cm]]}]\n"
        "solver: {method: %s, step: 5 ms}\n"
        "until: 0.18\n"
        "events:\n"
        "  - at: 0.01\n"
        "    knife: {edge: [[0.033, -1, 0.04], [0.033, 1, 0.04]], path: [[0, [0, 0, 0]], [0.15, [%g, 0, -0.08]]]}\n",
        grids[n % 3], methods[n / 3 % 2], n / 6 ? 0.005 : 0);
    assert_int_equal(run(text).components, 2);
  }
}

// A blade through a bar that bends and swings, held at both ends so that no part falls through the blade later: two
// parts, in however many strokes, soft and stiff, whatever the bound on quality.
static void slices_part_what_bends(void **unused) {
  (void)unused;
  static const char *const grids[] = {"tri", "tet5", "tet6"}, *const stiff[] = {"10 kPa", "100 kPa", "10 MPa"};
  static const uint32_t strokes[] = {2, 5, 13, 30};
  for (uint32_t n = 0; n < 3 * 3 * 4; n += EVERY) {
    const uint32_t count = strokes[n / 9];
    const bool flat = n % 3 == 0, exact = n % 5, symplectic = n % 3 == 0 && n / 9 % 2;
    const double step = symplectic ? 2e-5 : 5e-3, time = 3 * step * count;
    char text[2048];
    snprintf(text, sizeof text,
             "cleave: 1\n"
             "mesh: {grid: %s, cells: [6, 3%s], size: [6 cm, 3 cm%s]}\n"
             "material: {young: %s, poisson: 0.4, thickness: 1 cm}\n"
             "fix: [{box: [[0, 0, 0], [0, 3 cm, 3 cm]]}, {box: [[6 cm, 0, 0], [6 cm, 3 cm, 3 cm]]}]\n"
             "gravity: [0, %s]\n"
             "solver: {method: %s, step: %g}\n"
             "until: %g\n"
             "events:\n"
             "  - at: %g\n"
             "    slice: {exact: %s, snap: %s, quality: %s,\n"
             "      blade: {edge: [[0.0331, %s], [0.0331, %s]], path: [[0, [0, 0, 0]], [%g, [0, %s]]]}}\n",
             grids[n % 3], flat ? "" : ", 3", flat ? "" : ", 3 cm", stiff[n / 3 % 3], flat ? "-9.81, 0" : "0, -9.81",
             symplectic ? "symplectic-euler" : "implicit-euler", step, 8 * step + time, 4 * step,
             exact ? "true" : "false", n % 2 ? "0" : "0.3", n % 4 < 2 ? "0.1" : "0.02", flat ? "0.04, -1" : "-1, 0.04",
             flat ? "0.04, 1" : "1, 0.04", time, flat ? "-0.08, 0" : "0, -0.08");
    assert_int_equal(run(text).components, 2);
  }
}

// Stopped in the middle and resumed: where vertices were is part of what is saved, and what a blade has decided. By a
// method whose steps are not its speeds times their length.
static void strokes_go_on_after_a_load(void **unused) {
  (void)unused;
  static const char *const tools[] = {
      "knife: {edge: [[0.32, -1, -0.05], [0.32, 1, -0.05]], path: [[0, [0, 0, 0]], [0.3, [0, 0, 0.3]]]}",
      "slice: {exact: true, blade: {edge: [[0.343, -1, -0.05], [0.343, 1, -0.05]], path: [[0, [0, 0, 0]], [0.3, [0, 0, "
      "0.3]]]}}"};
  for (uint32_t k = 0; k < 2; k++) {
    char text[1024];
    snprintf(text, sizeof text,
             "cleave: 1\n"
             "mesh: {grid: tet6, cells: [6, 3, 3], size: [0.6, 0.3, 0.3]}\n"
             "material: {young: 1 MPa}\n"
             "solver: {method: newmark, step: 5 ms}\n"
             "until: 0.3\n"
             "events:\n"
             "  - {at: 0.012, %s}\n",
             tools[k]);
    clv_error error = {0};
    clv_scene *scene = clv_scene_parse("test.yaml", text, strlen(text), NULL, &error);
    if (!scene) fail_msg("%s", error.message);
    clv_world *world = clv_scene_world(scene, 1, &error), *other = clv_scene_world(scene, 1, &error);
    assert_true(world && other);
    while (clv_world_time(world) < 0.15) assert_int_equal(clv_world_step(world, NULL), CLV_OK);
    assert_int_equal(operated_components(clv_world_body(world, 0)), 1);
    store saved = {.count = 0};
    assert_int_equal(clv_world_save(world, store_put, &saved), CLV_OK);
    if (clv_world_load(other, store_get, &saved) != CLV_OK) fail_msg("%s", clv_world_error(other));
    while (clv_world_time(world) < 0.35) {
      assert_int_equal(clv_world_step(world, NULL), CLV_OK);
      assert_int_equal(clv_world_step(other, NULL), CLV_OK);
      assert_true(clv_world_hash(world) == clv_world_hash(other));
    }
    assert_int_equal(operated_components(clv_world_body(other, 0)), 2);
    store_empty(&saved);
    clv_world_destroy(other);
    clv_world_destroy(world);
    clv_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scalpels_skip_nothing),      cmocka_unit_test(bodies_fall_through_knives),
      cmocka_unit_test(bodies_fall_through_slices), cmocka_unit_test(surfaces_fall_through_knives),
      cmocka_unit_test(what_rests_is_not_cut),      cmocka_unit_test(bodies_fall_onto_rods),
      cmocka_unit_test(knives_leave_no_bridge),     cmocka_unit_test(slices_part_what_bends),
      cmocka_unit_test(strokes_go_on_after_a_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
