// The pace of worlds: a step that is left open stays stable through every change of the body, and keeps its times.

#include "physics/body.h"
#include "support/store.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>

static const clv_method explicit_methods[] = {CLV_SYMPLECTIC_EULER, CLV_HEUN, CLV_RK4};
enum { METHODS = sizeof explicit_methods / sizeof *explicit_methods };

static recipe open_step(clv_method method) {
  recipe r = plain(method);
  r.step = 0;
  r.beam.kind = CLV_GRID_TET5;
  memcpy(r.beam.cells, (uint32_t[]){6, 2, 2}, sizeof r.beam.cells);
  memcpy(r.beam.size, (double[]){0.6, 0.2, 0.2}, sizeof r.beam.size);
  return r;
}

static clv_zone left_half(void) {
  return clv_zone_box((double[]){-1, -1, -1}, (double[]){0.3, 1, 1});
}

static clv_action refining(double time, uint32_t level) {
  return (clv_action){.kind = CLV_ACTION_REFINE, .time = time, .zone = left_half(), .level = level};
}

static clv_action slicing(double time) {
  clv_action slice = {.kind = CLV_ACTION_SLICE, .time = time, .slice = clv_default_slice()};
  slice.zone = clv_zone_plane((double[]){0.43, 0, 0}, (double[]){1, 0.1, 0});
  slice.slice.exact = true;
  slice.slice.quality = 0.02;
  return slice;
}

static clv_action adapting(double time) {
  static const clv_key along[] = {{0, {0, 0, 0}}, {0.05, {0.6, 0, 0}}};
  clv_action adapt = {.kind = CLV_ACTION_ADAPT,
                      .time = time,
                      .zone = everywhere,
                      .adapt = clv_default_adapt(),
                      .path = along,
                      .key_count = 2};
  adapt.adapt.bound = 0.12;
  adapt.adapt.point[1] = 0.1;
  adapt.adapt.point[2] = 0.2;
  return adapt;
}

typedef struct energy {
  double moving, all; // kinetic and elastic; with that of gravity
} energy;

static energy energy_of(clv_world *world) {
  clv_energies e;
  assert_int_equal(clv_body_energies(clv_world_body(world, 0), &e), CLV_OK);
  return (energy){e.kinetic + e.elastic, e.kinetic + e.elastic + e.gravitational};
}

// Runs on, and holds that nothing but gravity gives the body energy. The most parts that a step was made in.
static uint32_t run_bounded(clv_world *world, double until, const char *what) {
  const double first = energy_of(world).all, step = clv_world_get_step(world);
  double most = 0;
  uint32_t parts = 0;
  for (uint32_t k = 1; clv_world_time(world) < until; k++) {
    clv_world_report report;
    if (clv_world_step(world, &report) != CLV_OK) fail_msg("%s: %s", what, clv_world_error(world));
    assert_true(report.time == k * step && report.parts == clv_world_parts(world, 0));
    const energy now = energy_of(world);
    most = fmax(most, now.moving);
    parts = report.parts > parts ? report.parts : parts;
    if (!(now.all - first <= 0.2 * most + 1e-9))
      fail_msg("%s: the energy grew by %g J, of %g J that move, at %g s", what, now.all - first, most, report.time);
  }
  return parts;
}

static void edited_bodies_stay_stable(void **unused) {
  (void)unused;
  const clv_action edits[] = {refining(0.01, 1), refining(0.01, 2), slicing(0.01), adapting(0.01)};
  for (uint32_t m = 0; m < METHODS; m++)
    for (uint32_t k = 0; k < sizeof edits / sizeof *edits; k++) {
      const recipe r = open_step(explicit_methods[m]);
      clv_world *world = create(&r);
      schedule(world, &edits[k]);
      char what[64];
      snprintf(what, sizeof what, "%s, edit %u", clv_method_name(r.method), k);
      if (run_bounded(world, 0.06, what) < 2) fail_msg("%s: the step was never divided", what);
      clv_world_destroy(world);
    }
}

static void springs_stay_stable(void **unused) {
  (void)unused;
  recipe r = open_step(CLV_SYMPLECTIC_EULER);
  r.beam.model = "springs";
  r.beam.kind = CLV_GRID_HEX;
  clv_world *world = create(&r);
  const clv_action adapt = adapting(0.01);
  schedule(world, &adapt);
  assert_true(run_bounded(world, 0.1, "springs") > 1);
  clv_world_destroy(world);
}

// Cuts and removals leave lighter vertices, and a release leaves more that swing.
static void what_is_cut_and_let_go_stays_stable(void **unused) {
  (void)unused;
  for (uint32_t m = 0; m < METHODS; m++) {
    const recipe r = open_step(explicit_methods[m]);
    clv_world *world = create(&r);
    clv_body *body = clv_world_body(world, 0);
    assert_int_equal(clv_body_fix(body, &(clv_zone){.kind = CLV_ZONE_ALL}, CLV_X | CLV_Y, NULL), CLV_OK);
    const double step = clv_world_get_step(world);
    const clv_action events[] = {
        {.kind = CLV_ACTION_RELEASE, .time = 0.005, .zone = everywhere, .axes = CLV_X | CLV_Y},
        {.kind = CLV_ACTION_CUT, .time = 0.01, .zone = everywhere},
    };
    for (uint32_t k = 0; k < 2; k++) schedule(world, &events[k]);
    run_bounded(world, 0.03, clv_method_name(r.method));
    double stable;
    assert_int_equal(clv_solver_stable_step(clv_world_solver(world, 0), &stable), CLV_OK);
    assert_true(step / clv_world_parts(world, 0) <= stable);
    clv_world_destroy(world);
  }
}

static void coarse_bodies_make_whole_steps_again(void **unused) {
  (void)unused;
  for (uint32_t m = 0; m < METHODS; m++) {
    const recipe r = open_step(explicit_methods[m]);
    clv_world *world = create(&r);
    const clv_action fine = refining(0.01, 1), coarse = {.kind = CLV_ACTION_COARSEN, .time = 0.02, .zone = everywhere};
    schedule(world, &fine);
    schedule(world, &coarse);
    const double step = clv_world_get_step(world);
    while (clv_world_time(world) < 0.015) assert_int_equal(clv_world_step(world, NULL), CLV_OK);
    assert_true(clv_world_parts(world, 0) > 1);
    while (clv_world_time(world) < 0.025) assert_int_equal(clv_world_step(world, NULL), CLV_OK);
    assert_int_equal(clv_world_parts(world, 0), 1);
    assert_true(clv_world_get_step(world) == step);
    clv_world_destroy(world);
  }
}

// A step by hand is what it is, and implicit bodies need no parts.
static void other_steps_stay_whole(void **unused) {
  (void)unused;
  recipe r = open_step(CLV_IMPLICIT_EULER);
  for (uint32_t by_hand = 0; by_hand < 2; by_hand++) {
    if (by_hand) r.method = CLV_SYMPLECTIC_EULER;
    if (by_hand) r.step = 1e-5;
    clv_world *world = create(&r);
    const clv_action fine = refining(0, 1);
    schedule(world, &fine);
    clv_world_report report;
    assert_int_equal(clv_world_step(world, &report), CLV_OK);
    assert_int_equal(report.parts, 1);
    assert_int_equal(clv_world_parts(world, 0), 1);
    assert_int_equal(clv_world_parts(world, 1), 0);
    clv_world_destroy(world);
  }
  r = open_step(CLV_SYMPLECTIC_EULER); // who sets a step on the way gives no more leave to divide it
  clv_world *world = create(&r);
  const clv_action fine = refining(0, 1);
  schedule(world, &fine);
  step(world, 2);
  assert_true(clv_world_parts(world, 0) > 1);
  assert_int_equal(clv_world_set_step(world, 1e-5), CLV_OK);
  step(world, 1);
  assert_int_equal(clv_world_parts(world, 0), 1);
  clv_world_destroy(world);
}

// Each body by what it needs itself.
static void bodies_divide_apart(void **unused) {
  (void)unused;
  recipe r = open_step(CLV_RK4);
  r.bodies = 2;
  clv_world *world = create(&r);
  clv_action fine = refining(0, 1);
  fine.body = 1;
  schedule(world, &fine);
  step(world, 1);
  assert_int_equal(clv_world_parts(world, 0), 1);
  assert_true(clv_world_parts(world, 1) > 1);
  clv_world_destroy(world);
}

// A force that comes in the middle of a step fails it there: what its first part did is taken back.
static void a_part_that_fails_takes_back_the_step(void **unused) {
  (void)unused;
  for (uint32_t bodies = 1; bodies < 3; bodies++) {
    recipe r = open_step(CLV_SYMPLECTIC_EULER);
    r.bodies = bodies;
    clv_world *world = create(&r);
    const double h = clv_world_get_step(world);
    clv_action fine = refining(0, 1);
    for (fine.body = 0; fine.body < bodies; fine.body++) schedule(world, &fine);
    step(world, 1);
    assert_true(clv_world_parts(world, 0) > 1);
    const clv_key path[] = {{0, {0}}, {0.3 * h, {0}}, {0.31 * h, {1e250, 0, 0}}};
    const clv_action pull = {
        .kind = CLV_ACTION_PULL, .time = h, .body = bodies - 1, .zone = beam_end(0.6, 1), .path = path, .key_count = 3};
    schedule(world, &pull);
    const uint64_t hash = clv_world_hash(world);
    assert_int_equal(clv_world_step(world, NULL), CLV_ERROR_REFUSED);
    assert_true(clv_world_hash(world) == hash);
    assert_int_equal(clv_world_steps(world), 1);
    clv_world_destroy(world);
  }
}

// What stands only a millionth of the step is not moved in parts: the sentence says what to do, and nothing moved.
static void what_is_too_stiff_is_refused(void **unused) {
  (void)unused;
  const recipe r = open_step(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  step(world, 1);
  clv_body *body = clv_world_body(world, 0);
  assert_int_equal(physics_change_stiffness(body, 1e14, NULL), CLV_OK);
  const uint64_t hash = clv_world_hash(world);
  assert_int_equal(clv_world_step(world, NULL), CLV_ERROR_REFUSED);
  const char *says = clv_world_error(world);
  if (!strstr(says, "has cells so small or light that its stable step is") || !strstr(says, "take an implicit method"))
    fail_msg("%s", says);
  assert_true(clv_world_hash(world) == hash);
  assert_int_equal(physics_change_stiffness(body, 1, NULL), CLV_OK);
  step(world, 1);
  clv_world_destroy(world);
}

// Saved before cells are refined, while they are fine, when somebody has just edited by hand, and when they are coarse
// again: whoever loads it makes the same parts, and the same bits, on any number of threads.
static void a_loaded_world_keeps_the_pace(void **unused) {
  (void)unused;
  static const uint32_t saves[] = {1, 5, 9, 13};
  for (uint32_t m = 0; m < METHODS; m++)
    for (uint32_t k = 0; k < sizeof saves / sizeof *saves; k++) {
      recipe r = open_step(explicit_methods[m]);
      clv_world *world = create(&r);
      r.beam.threads = 3;
      clv_world *other = create(&r);
      const double h = clv_world_get_step(world);
      const clv_action fine = refining(2 * h, 1),
                       coarse = {.kind = CLV_ACTION_COARSEN, .time = 11 * h, .zone = everywhere};
      schedule(world, &fine);
      schedule(world, &coarse);
      step(world, saves[k]);
      const clv_zone right = clv_zone_box((double[]){0.5, -1, -1}, (double[]){1, 1, 1});
      clv_surgery_report did;
      if (saves[k] == 9) assert_int_equal(clv_surgery_refine(clv_world_surgery(world, 0), &right, 2, &did), CLV_OK);
      store s = {0};
      if (clv_world_save(world, store_put, &s) != CLV_OK) fail_msg("%s", clv_world_error(world));
      if (clv_world_load(other, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(other));
      for (uint32_t n = saves[k]; n < 16; n++) {
        step(world, 1);
        step(other, 1);
        if (clv_world_hash(world) != clv_world_hash(other) || clv_world_parts(world, 0) != clv_world_parts(other, 0))
          fail_msg("%s, saved behind step %u: step %u differs", clv_method_name(r.method), saves[k], n + 1);
      }
      store_empty(&s);
      clv_world_destroy(world);
      clv_world_destroy(other);
    }
}

// Every allocation of a step that is divided fails once; the world goes on when there is memory again,
// and with all its masses.
static void memory_may_run_out_while_the_pace_changes(void **unused) {
  (void)unused;
  counting_memory memory = {0};
  recipe r = open_step(CLV_SYMPLECTIC_EULER);
  memcpy(r.beam.cells, (uint32_t[]){2, 1, 1}, sizeof r.beam.cells);
  memcpy(r.beam.size, (double[]){0.4, 0.1, 0.1}, sizeof r.beam.size);
  r.beam.allocator = counting_allocator(&memory);
  const clv_action fine = refining(0, 2);
  uint32_t parts = 0;
  bool refused = true;
  for (size_t fail = 1; refused; fail++) {
    clv_world *world = create(&r);
    schedule(world, &fine);
    assert_true(clv_world_get_step(world) > 0);
    memory.refused = false;
    memory.fail_at = memory.requests + fail;
    const clv_result result = clv_world_step(world, NULL);
    refused = memory.refused;
    memory.fail_at = 0;
    if (result != CLV_OK) assert_int_equal(result, CLV_ERROR_MEMORY);
    step(world, result == CLV_OK ? 1 : 2);
    if (!parts) parts = clv_world_parts(world, 0);
    assert_true(parts > 1 && clv_world_parts(world, 0) == parts);
    clv_world_destroy(world);
    assert_int_equal(memory.live_bytes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(edited_bodies_stay_stable),
      cmocka_unit_test(springs_stay_stable),
      cmocka_unit_test(what_is_cut_and_let_go_stays_stable),
      cmocka_unit_test(coarse_bodies_make_whole_steps_again),
      cmocka_unit_test(other_steps_stay_whole),
      cmocka_unit_test(bodies_divide_apart),
      cmocka_unit_test(a_part_that_fails_takes_back_the_step),
      cmocka_unit_test(what_is_too_stiff_is_refused),
      cmocka_unit_test(a_loaded_world_keeps_the_pace),
      cmocka_unit_test(memory_may_run_out_while_the_pace_changes),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
