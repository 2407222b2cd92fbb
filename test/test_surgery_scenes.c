// Scenes that tear and cut by themselves: what becomes of their bodies, with any number of threads, and when they are
// stopped and resumed.

#include "cleave/scene.h"
#include "support/directory.h"
#include "support/operated.h"
#include "support/store.h"

#include <stdio.h>

typedef struct ending {
  uint64_t hash;
  uint32_t facets, moved, split;
  double force;  // the greatest on a scalpel
  double narrow; // the least width of the bar's middle
} ending;

static clv_scene *read_scene(const char *name) {
  char path[512];
  clv_error error = {0};
  snprintf(path, sizeof path, "%s/examples/%s.yaml", TEST_SOURCE_DIR, name);
  clv_scene *scene = clv_scene_read(path, NULL, &error);
  if (!scene) fail_msg("%s", error.message);
  return scene;
}

static clv_world *make_world(clv_scene *scene, uint32_t threads) {
  clv_error error = {0};
  clv_world *world = clv_scene_world(scene, threads, &error);
  if (!world) fail_msg("%s", error.message);
  return world;
}

// The width of the body at a place at rest, between y = 0 and y = 0.2.
static double width_of(clv_body *body) {
  const double *rest = clv_body_rest(body), *x = clv_body_positions(body), *masses = clv_body_masses(body);
  double low = INFINITY, high = -INFINITY;
  for (size_t s = 1; s < clv_body_slots(body); s++) {
    if (!(masses[s] > 0) || fabs(rest[3 * s] - 0.6) > 0.01) continue;
    low = fmin(low, x[3 * s + 1]);
    high = fmax(high, x[3 * s + 1]);
  }
  return high - low;
}

static void run_until(clv_world *world, double until, ending *end) {
  while (clv_world_time(world) < until - 1e-9) {
    clv_world_report report;
    if (clv_world_step(world, &report) != CLV_OK) fail_msg("%s", clv_world_error(world));
    end->facets += report.surgery.facets;
    end->moved += report.surgery.moved;
    end->split += report.surgery.split;
    clv_scalpel_report last;
    double tip[3];
    if (clv_world_scalpel(world, 0, &last, tip))
      end->force = fmax(end->force, sqrt(last.force[0] * last.force[0] + last.force[1] * last.force[1] +
                                         last.force[2] * last.force[2]));
    if (!end->facets) // whole still
      end->narrow = fmin(end->narrow, width_of(clv_world_body(world, 0)));
  }
  end->hash = clv_world_hash(world);
}

// The component of the particle that rests nearest to a point: its least dart.
static clv_dart component_at(clv_body *body, const double *point) {
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  double least = INFINITY;
  clv_dart dart = 0, lowest;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const double *p = rest + 3 * (size_t)id.index;
    const double away = hypot(hypot(p[0] - point[0], p[1] - point[1]), p[2] - point[2]);
    if (away >= least) continue;
    least = away;
    dart = clv_id_dart(map, CLV_VERTEX, id);
  }
  clv_walk walk;
  assert_int_equal(clv_walk_orbit(&walk, map, CLV_COMPONENT, dart), CLV_OK);
  lowest = dart;
  for (uint32_t k = 0; k < walk.count; k++) lowest = walk.darts[k] < lowest ? walk.darts[k] : lowest;
  clv_walk_end(&walk);
  return lowest;
}

// Runs a scene with one thread and with four, and with one, stopped and resumed with two: the same bits. Returns how it
// ended; the ends of the body along x are not joined then.
static ending assert_parts(void **state, const char *name, double length) {
  clv_scene *scene = read_scene(name);
  const double until = clv_scene_until(scene);
  ending ends[2];
  for (uint32_t k = 0; k < 2; k++) {
    clv_world *world = make_world(scene, k ? 4 : 1);
    clv_body *body = clv_world_body(world, 0);
    clv_momenta before, after;
    clv_body_momenta(body, &before);
    assert_int_equal(operated_components(body), 1);
    ends[k] = (ending){.narrow = INFINITY};
    run_until(world, until, &ends[k]);
    assert_true(ends[k].hash == ends[0].hash);
    clv_body_momenta(body, &after);
    assert_true(fabs(before.mass - after.mass) <= 1e-12 * before.mass);
    assert_true(ends[k].facets > 0);
    assert_true(component_at(body, (double[]){0, 0, 0}) != component_at(body, (double[]){length, 0, 0}));
    operated_check(body);
    clv_world_destroy(world);
  }
  const char *path = in_directory(state, "checkpoint.h5");
  clv_error error = {0};
  ending halves = {.narrow = INFINITY};
  clv_world *world = make_world(scene, 1), *other = make_world(scene, 2);
  run_until(world, 0.6 * until, &halves);
  if (clv_checkpoint_write(world, path, "", &error) != CLV_OK) fail_msg("%s", error.message);
  if (clv_checkpoint_read(other, path, "", &error) != CLV_OK) fail_msg("%s", error.message);
  assert_true(clv_world_hash(world) == clv_world_hash(other));
  run_until(other, until, &halves);
  assert_true(halves.hash == ends[0].hash);
  assert_int_equal(halves.facets, ends[0].facets);
  clv_world_destroy(world);
  clv_world_destroy(other);
  clv_scene_destroy(scene);
  return ends[0];
}

static void a_cloth_is_pulled_apart(void **state) {
  assert_parts(state, "26_cloth_torn", 0.6);
}

static void a_bar_gets_thin_and_breaks(void **state) {
  const ending end = assert_parts(state, "27_bar_breaks", 1.2);
  assert_true(end.narrow < 0.85 * 0.2);
}

static void a_ligament_is_cut(void **state) {
  const ending end = assert_parts(state, "28_ligament", 0.1);
  assert_true(end.moved > 0);
  assert_true(end.force > 0.01 && end.force < 1);
}

static void a_block_is_sliced(void **state) {
  const ending end = assert_parts(state, "29_slice", 0.08);
  assert_true(end.split > 0);
}

static uint32_t commas(const char *from, const char *to) {
  uint32_t count = 0;
  for (; from < to; from++) count += *from == ',';
  return count;
}

// What the tool feels is a result: columns of probes.csv, also without a probe.
static void the_tool_is_recorded(void **state) {
  clv_scene *scene = read_scene("28_ligament");
  clv_world *world = make_world(scene, 1);
  clv_recorder_def def = clv_default_recorder_def();
  clv_error error = {0};
  def.directory = in_directory(state, "out");
  def.vtu = false;
  clv_recorder *recorder = clv_recorder_create(world, &def, &error);
  if (!recorder) fail_msg("%s", error.message);
  ending end = {.narrow = INFINITY};
  run_until(world, 0.2, &end);
  assert_int_equal(clv_recorder_step(recorder, &error), CLV_OK);
  assert_int_equal(clv_recorder_close(recorder, "finished", &error), CLV_OK);
  size_t size;
  char *text = read_text(in_directory(state, "out/probes.csv"), &size);
  assert_non_null(text);
  assert_non_null(
      strstr(text, "time,scalpel1.x,scalpel1.y,scalpel1.z,scalpel1.fx,scalpel1.fy,scalpel1.fz,scalpel1.stress\n"));
  const char *last = text, *line = text;
  for (; (line = strchr(line, '\n')) && line[1]; line++) last = line + 1;
  assert_int_equal(commas(last, last + strlen(last)), 7);
  clv_scalpel_report felt;
  double tip[3], read[8];
  assert_true(clv_world_scalpel(world, 0, &felt, tip) && felt.touching);
  assert_false(clv_world_scalpel(world, 1, &felt, tip));
  for (uint32_t k = 0; k < 8; k++) {
    char *next;
    read[k] = strtod(last, &next);
    last = next + 1;
  }
  assert_true(clv_world_scalpel(world, 0, &felt, tip));
  for (uint32_t k = 0; k < 3; k++) assert_true(read[1 + k] == tip[k] && read[4 + k] == felt.force[k]);
  assert_true(felt.force[1] < 0); // it presses on the side at y = 0
  free(text);
  clv_world_destroy(world);
  clv_scene_destroy(scene);
}

static clv_scene *parse(const char *text, clv_error *error) {
  return clv_scene_parse("test.yaml", text, strlen(text), NULL, error);
}

// Nothing is left to cut, to hold or to pull: the events say so, and the run goes on, also behind a checkpoint.
static void events_for_a_body_that_is_gone_are_in_vain(void **unused) {
  (void)unused;
  static const char text[] =
      "cleave: 1\n"
      "mesh: {grid: tet5, cells: [3, 2, 2], size: [3, 2, 2]}\n"
      "solver: {method: implicit-euler, step: 10 ms}\n"
      "until: 0.1\n"
      "events:\n"
      "  - {at: 0.02, remove: {box: [[-9, -9, -9], [9, 9, 9]]}}\n"
      "  - {at: 0.04, cut: {plane: {point: [1, 0, 0], normal: [1, 0, 0]}}}\n"
      "  - {at: 0.04, remove: {box: [[-9, -9, -9], [9, 9, 9]]}}\n"
      "  - {at: 0.04, fix: {box: [[-9, -9, -9], [9, 9, 9]]}}\n"
      "  - {at: 0.05, pull: {box: [[-9, -9, -9], [9, 9, 9]], force: [1, 0, 0]}}\n"
      "  - {at: 0.05, slice: {plane: {point: [1, 0, 0], normal: [1, 0, 0]}}}\n"
      "  - {at: 0.05, apply: {rule: pierce, on: cell}}\n"
      "  - {at: 0.05, tear: {stress: 1 kPa}}\n"
      "  - {at: 0.05, knife: {edge: [[1, -1, 3], [1, 3, 3]], path: [[0, [0, 0, 0]], [1, [0, 0, -4]]]}}\n"
      "  - {at: 0.05, scalpel: {radius: 0.2, path: [[0, [1, 1, 3]], [0.04, [1, 1, -3]]]}}\n"
      "  - {at: 0.05, scalpel: {radius: 0.2, path: [[0, [1, 1, 3]], [1, [1, 1, -3]]]}}\n"
      "  - {at: 0.05, adapt: {near: 1, point: [1, 1, 1], for: 0.2}}\n"
      "  - at: 0.05\n"
      "    pierce: {capsule: {from: [1, 1, 3], to: [1, 1, 4], radius: 0.2}, path: [[0, [0, 0, 0]], [1, [0, 0, -4]]]}\n"
      "  - at: 0.05\n"
      "    slice: {blade: {edge: [[1, -1, 3], [1, 3, 3]], path: [[0, [0, 0, 0]], [1, [0, 0, -4]]]}}\n"
      "  - {at: 0.05, apply: {rule: pierce, on: cell, for: 0.2}}\n";
  clv_error error = {0};
  clv_scene *scene = parse(text, &error);
  if (!scene) fail_msg("%s", error.message);
  clv_world *world = make_world(scene, 1), *other = make_world(scene, 1);
  uint32_t events = 0, vain = 0;
  while (clv_world_time(world) < 0.08) {
    clv_world_report report;
    if (clv_world_step(world, &report) != CLV_OK) fail_msg("%s", clv_world_error(world));
    events += report.events;
    vain += report.vain;
  }
  assert_int_equal(events, 15);
  assert_int_equal(vain, 14);
  store saved = {.count = 0};
  assert_int_equal(clv_world_save(world, store_put, &saved), CLV_OK);
  if (clv_world_load(other, store_get, &saved) != CLV_OK) fail_msg("%s", clv_world_error(other));
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(clv_world_step(world, NULL), CLV_OK);
    assert_int_equal(clv_world_step(other, NULL), CLV_OK);
  }
  assert_true(clv_world_hash(world) == clv_world_hash(other));
  store_empty(&saved);
  clv_world_destroy(other);
  clv_world_destroy(world);
  clv_scene_destroy(scene);
}

static uint32_t cells_of(clv_world *world) {
  const clv_map *map = clv_body_map(clv_world_body(world, 0));
  uint32_t count = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) count++;
  return count;
}

// A zone is fine while the event lasts, also one that moves; with the event its reason is gone, wherever the path ends.
static void bodies_are_fine_as_long_as_there_is_a_reason(void **unused) {
  (void)unused;
  static const struct {
    const char *adapt;
    uint32_t during, after;
  } cases[] = {
      {"{near: 1.6, point: [0, 2, 3], path: [[0, [0, 0, 0]], [0.2, [6, 0, 0]]]}", 0, 144},
      {"{near: 1.6, point: [6, 2, 3], for: 0.2}", 0, 144},
      {"{near: 1.6, point: [0, 2, 3], path: [[0, [0, 0, 0]], [0.2, [6, 0, 0]]], coarsen: false}", 0, 0},
      {"{in: {box: [[0, 0, 0], [2, 4, 3]]}}", 144 + 24 * 7, 144 + 24 * 7},
      {"{in: {box: [[0, 0, 0], [2, 4, 3]]}, for: 0.2}", 144 + 24 * 7, 144},
      {"{in: {box: [[0, 0, 0], [1, 4, 3]]}, level: 2, for: 0.2}", 144 + 12 * 63, 144},
      {"{in: {box: [[0, 0, 0], [2, 4, 3]]}, path: [[0, [0, 0, 0]], [0.1, [6, 0, 0]], [1, [6, 0, 0]]]}", 144 + 24 * 7,
       144 + 24 * 7},
      {"{in: {capsule: {from: [1, 0, 1.5], to: [1, 4, 1.5], radius: 1.2}}, path: [[0, [0, 0, 0]], [0.2, [9, 0, 0]]]}",
       0, 144},
  };
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "cleave: 1\nmesh: {grid: hex, cells: [12, 4, 3], size: [12, 4, 3]}\nuntil: 0.4\n"
             "solver: {method: implicit-euler, step: 10 ms}\ngravity: [0, 0, 0]\nevents:\n  - {at: 0.05, adapt: %s}\n",
             cases[k].adapt);
    clv_error error = {0};
    clv_scene *scene = parse(text, &error);
    if (!scene) fail_msg("%s", error.message);
    clv_world *world = make_world(scene, 1);
    ending end = {0};
    run_until(world, 0.2, &end);
    const uint32_t during = cells_of(world);
    run_until(world, 0.4, &end);
    const uint32_t after = cells_of(world);
    assert_true(during > 144);
    if (cases[k].during && during != cases[k].during) fail_msg("%s: %u cells", cases[k].adapt, during);
    if (cases[k].after ? after != cases[k].after : after <= 144)
      fail_msg("%s: %u cells at the end", cases[k].adapt, after);
    clv_world_destroy(world);
    clv_scene_destroy(scene);
  }
}

// Whatever an event is, that it finds nothing to do is told once, with the reason, and the run goes on.
static void events_that_find_nothing_are_told(void **unused) {
  (void)unused;
  static const char far[] = "{box: [[50, 0, 0], [60, 1, 1]]}";
  static const char no_cell[] = "the zone holds the centre of no cell; make it larger";
  static const struct {
    const char *event, *why; // NULL: nothing is said
  } cases[] = {
      {"remove: %s", no_cell},
      {"refine: %s", no_cell},
      {"coarsen: %s", no_cell},
      {"tear: {stress: 1 kPa, in: %s}", no_cell},
      {"tear: {stress: 1 kPa, along: %s}", "no particle lies where it is to tear along; make that larger"},
      {"adapt: {stress: 1 kPa, in: %s}", no_cell},
      {"adapt: {in: %s, for: 1}", no_cell},
      {"apply: {rule: tear, in: %s, for: 1}", no_cell},
      {"apply: {rule: pierce, on: cell, in: %s}", no_cell},
      {"pierce: %s", "the shape touches no cell where the body is now"},
      {"cut: %s", "no facet lies there with all its corners"},
      {"cut: {box: [[0, 0, 0], [3, 2, 0]]}",
       "all facets that lie there are cut already, or on the surface of the body"},
      {"cut: {particles: [[0, 0, 0]]}", "no facet lies there with all its corners"},
      {"cut: {plane: {point: [9, 0, 0], normal: [1, 0, 0]}}", "all cells have their centres on one side of the plane"},
      {"cut: {plane: {point: [2, 0, 0], normal: [1, 0, 0]}}",
       "the cells on either side of the plane are parted already"},
      {"slice: {plane: {point: [9, 0, 0], normal: [1, 0, 0]}}",
       "no cells that hang together lie on either side of the plane where the body is now"},
      {"coarsen: all", "no refined cells lie there that could be put together again"},
      {"adapt: {in: %s, path: [[0, [0, 0, 0]], [1, [-50, 0, 0]]]}", NULL},
      {"pierce: {box: [[50, 0, 0], [60, 1, 1]], path: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}", NULL},
      {"knife: {edge: [[9, 0, 0], [9, 1, 0]], path: [[0, [0, 0, 0]], [1, [1, 0, 0]]]}", NULL},
  };
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char event[256], text[768];
    const char *gap = strstr(cases[k].event, "%s");
    snprintf(event, sizeof event, "%.*s%s%s", gap ? (int)(gap - cases[k].event) : (int)strlen(cases[k].event),
             cases[k].event, gap ? far : "", gap ? gap + 2 : "");
    snprintf(text, sizeof text,
             "cleave: 1\nmesh: {grid: hex, cells: [3, 2, 2], size: [3, 2, 2]}\ngravity: [0, 0, 0]\nuntil: 0.1\n"
             "solver: {method: implicit-euler, step: 10 ms}\nevents:\n"
             "  - {at: 0, cut: {plane: {point: [2, 0, 0], normal: [1, 0, 0]}}}\n  - {at: 0.02, %s}\n",
             event);
    clv_error error = {0};
    clv_scene *scene = parse(text, &error);
    if (!scene) fail_msg("%s", error.message);
    clv_world *world = make_world(scene, 1);
    uint32_t vain = 0;
    char told[1024] = "";
    while (clv_world_time(world) < 0.1 - 1e-9) {
      clv_world_report report;
      if (clv_world_step(world, &report) != CLV_OK) fail_msg("%s: %s", event, clv_world_error(world));
      if (report.vain) snprintf(told, sizeof told, "%s", clv_world_vain(world, 0, NULL));
      vain += report.vain;
    }
    assert_int_equal(vain, cases[k].why != NULL);
    const char *why = strstr(told, "finds nothing to do: ");
    if (cases[k].why && (!why || strcmp(why + 21, cases[k].why) != 0)) fail_msg("%s: %s", event, told);
    clv_world_destroy(world);
    clv_scene_destroy(scene);
  }
}

// Springs have a force, cells do not: told where it is said, before anything runs.
static void only_springs_tear_by_force(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "springs", "springs-hybrid"};
  for (uint32_t k = 0; k < 3; k++) {
    char text[512];
    clv_error error = {0};
    snprintf(text, sizeof text,
             "cleave: 1\nmesh: {grid: tet5, cells: [3, 2, 2], size: [3, 2, 2]}\nmodel: %s\nuntil: 1\nevents:\n"
             "  - {at: 0.5, tear: {force: 2 N}}\n",
             models[k]);
    clv_scene *scene = parse(text, &error);
    if (!scene) fail_msg("%s", error.message);
    clv_world *world = clv_scene_world(scene, 1, &error);
    if (k) {
      if (!world) fail_msg("%s", error.message);
    } else {
      assert_null(world);
      assert_string_equal(error.message,
                          "test.yaml:6:29: the body has no springs on its edges: let it tear by 'stress' "
                          "or by 'strain', or take a model of springs");
    }
    clv_world_destroy(world);
    clv_scene_destroy(scene);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_cloth_is_pulled_apart, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_bar_gets_thin_and_breaks, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_ligament_is_cut, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_block_is_sliced, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(the_tool_is_recorded, directory_setup, directory_teardown),
      cmocka_unit_test(events_for_a_body_that_is_gone_are_in_vain),
      cmocka_unit_test(bodies_are_fine_as_long_as_there_is_a_reason),
      cmocka_unit_test(events_that_find_nothing_are_told),
      cmocka_unit_test(only_springs_tear_by_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
