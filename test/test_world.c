// Worlds: the clock, events on a timetable, and steps that fail without a trace.

#include "support/store.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The clock

static void time_is_a_number_of_steps(void **unused) {
  (void)unused;
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  clv_world_report report;
  for (uint32_t k = 1; k <= 100; k++) {
    assert_int_equal(clv_world_step(world, &report), CLV_OK);
    assert_int_equal(report.step, k);
    assert_true(report.time == k * 1e-3 && clv_world_time(world) == report.time);
    assert_true(report.total_seconds >= report.solver.force_seconds && report.solver.force_seconds > 0);
  }
  assert_int_equal(clv_world_steps(world), 100);
  assert_int_equal(clv_world_set_step(world, 0), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_world_set_step(world, -1), CLV_ERROR_ARGUMENT);
  assert_true(clv_world_time(world) == 100 * 1e-3);
  assert_int_equal(clv_world_set_step(world, 5e-4), CLV_OK); // time goes on from where it is
  assert_true(clv_world_time(world) == 100 * 1e-3);
  for (uint32_t k = 1; k <= 3; k++) {
    assert_int_equal(clv_world_step(world, &report), CLV_OK);
    assert_true(report.time == 100 * 1e-3 + k * 5e-4);
  }
  clv_error error;
  assert_null(add_body(world, &r, "late", &error));
  assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
  clv_world_destroy(world);
}

static void a_step_is_chosen(void **unused) {
  (void)unused;
  recipe r = plain(CLV_SYMPLECTIC_EULER);
  r.step = 0;
  clv_world *world = create(&r);
  double stable = 0;
  assert_int_equal(clv_solver_stable_step(clv_world_solver(world, 0), &stable), CLV_OK);
  assert_true(clv_world_get_step(world) == 0.8 * stable);
  step(world, 200);
  clv_world_destroy(world);
  r.method = CLV_IMPLICIT_EULER;
  world = create(&r);
  assert_true(clv_world_get_step(world) == 1.0 / 60);
  clv_world_destroy(world);
}

static void names_are_given_and_kept_apart(void **unused) {
  (void)unused;
  recipe r = plain(CLV_SYMPLECTIC_EULER);
  r.bodies = 2;
  clv_world *world = create(&r);
  clv_error error;
  assert_string_equal(clv_world_body_name(world, 0), "body1");
  assert_string_equal(clv_world_body_name(world, 1), "body2");
  assert_null(add_body(world, &r, "body2", &error));
  assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
  assert_non_null(add_body(world, &r, "third", &error));
  assert_int_equal(clv_world_bodies(world), 3);
  assert_null(clv_world_body(world, 3));
  assert_null(clv_world_body_name(world, 3));
  clv_world_destroy(world);
}

// Events

static uint32_t count_particles(clv_body *body) {
  const double *masses = clv_body_masses(body);
  uint32_t count = 0;
  for (uint32_t s = 0; s < clv_body_slots(body); s++) count += masses[s] > 0;
  return count;
}

static double lowest(clv_body *body) {
  const double *x = clv_body_positions(body), *masses = clv_body_masses(body);
  double least = INFINITY;
  for (uint32_t s = 0; s < clv_body_slots(body); s++)
    if (masses[s] > 0) least = fmin(least, x[3 * s + 2]);
  return least;
}

static void events_come_when_they_are_due(void **unused) {
  (void)unused;
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  clv_body *body = clv_world_body(world, 0);
  const uint32_t particles = count_particles(body);
  clv_momenta before, after;
  clv_body_momenta(body, &before);
  schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 0.007, .zone = across(0.4)});
  schedule(world, &(clv_action){.kind = CLV_ACTION_REMOVE, .time = 0.009, .zone = across(0.7)});
  schedule(world, &(clv_action){.kind = CLV_ACTION_GRAVITY, .time = 0.003});
  clv_world_report report;
  for (uint32_t k = 0; k < 12; k++) { // step k starts at k ms
    assert_int_equal(clv_world_step(world, &report), CLV_OK);
    assert_int_equal(report.events, k == 3 || k == 7 || k == 9);
    assert_int_equal(report.topology, k == 7 || k == 9);
    if (k == 2) {
      double g[3];
      clv_body_get_gravity(body, g);
      assert_true(g[2] == -9.81);
    }
    if (k == 3) {
      double g[3];
      clv_body_get_gravity(body, g);
      assert_true(g[2] == 0);
    }
    if (k == 7) assert_int_equal(count_particles(body), particles + 4);
    if (k == 9) assert_int_equal(count_particles(body), particles);
  }
  clv_body_momenta(body, &after);
  assert_true(fabs(after.mass - before.mass * 7 / 8) < 1e-12 * before.mass);
  assert_int_equal(clv_map_check(clv_body_map(body), NULL, NULL), CLV_OK);
  assert_int_equal(clv_views_check(clv_body_views(body), NULL, NULL), CLV_OK);
  clv_world_destroy(world);
}

static void what_is_cut_off_falls(void **unused) {
  (void)unused;
  for (uint32_t m = 0; m < CLV_STATIC; m++) {
    recipe r = plain((clv_method)m);
    r.beam.drag = 0;
    clv_world *world = create(&r);
    schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 0, .zone = across(0.4)});
    step(world, 200);
    clv_body *body = clv_world_body(world, 0);
    const double *x = clv_body_positions(body), *rest = clv_body_rest(body), *masses = clv_body_masses(body);
    double fallen = 0, mass = 0;
    for (uint32_t s = 0; s < clv_body_slots(body); s++) {
      if (masses[s] == 0 || rest[3 * s] < 0.45) continue;
      fallen += masses[s] * (rest[3 * s + 2] - x[3 * s + 2]);
      mass += masses[s];
    }
    fallen /= mass;
    if (fabs(fallen - 0.5 * 9.81 * 0.04) > 0.01 * fallen) // the four vertices at the cut are left out
      fail_msg("%s: fell by %.5f", clv_method_name((clv_method)m), fallen);
    clv_world_destroy(world);
  }
}

static void constraints_come_and_go(void **unused) {
  (void)unused;
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  clv_body *body = clv_world_body(world, 0);
  static const clv_key path[] = {{0, {0, 0, 0}}, {0.01, {0, 0, 0.05}}};
  schedule(world, &(clv_action){.kind = CLV_ACTION_MOVE,
                                .time = 0.01,
                                .zone = beam_end(0.8, 1),
                                .axes = CLV_XYZ,
                                .path = path,
                                .key_count = 2});
  schedule(world, &(clv_action){.kind = CLV_ACTION_RELEASE, .time = 0.05, .zone = everywhere, .axes = CLV_XYZ});
  step(world, 10);
  double start = 0;
  uint32_t tip = 0;
  for (uint32_t s = 0; s < clv_body_slots(body); s++)
    if (clv_body_masses(body)[s] > 0 && clv_body_rest(body)[3 * s] > 0.75) tip = s;
  start = clv_body_positions(body)[3 * tip + 2];
  step(world, 40);
  assert_true(fabs(clv_body_positions(body)[3 * tip + 2] - start - 0.05) < 1e-12);
  step(world, 300);
  assert_true(lowest(body) < -0.3); // free, and gone
  clv_world_destroy(world);
}

static void wrong_actions_are_refused(void **unused) {
  (void)unused;
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  static const clv_key path[] = {{0, {0, 0, 0}}}, backwards[] = {{1, {0, 0, 0}}, {0, {0, 0, 0}}};
  const clv_action wrong[] = {
      {.kind = CLV_ACTION_KIND_COUNT},
      {.kind = CLV_ACTION_FIX, .zone = everywhere, .axes = CLV_X, .body = 1},
      {.kind = CLV_ACTION_FIX, .zone = everywhere, .axes = CLV_X, .time = NAN},
      {.kind = CLV_ACTION_FIX, .zone = everywhere},
      {.kind = CLV_ACTION_FIX, .zone = everywhere, .axes = 8},
      {.kind = CLV_ACTION_MOVE, .zone = everywhere, .axes = CLV_X},
      {.kind = CLV_ACTION_PULL, .zone = everywhere, .path = path},
      {.kind = CLV_ACTION_CUT, .zone = {.kind = (clv_zone_kind)99}},
      {.kind = CLV_ACTION_CUT, .zone = {.kind = CLV_ZONE_PLANE}},
      {.kind = CLV_ACTION_CUT, .particle_count = 3, .zone = across(1)},
      {.kind = CLV_ACTION_KNIFE, .edge = {{0, 0, 0}, {0, 0, 1}}},
      {.kind = CLV_ACTION_KNIFE, .path = path, .key_count = 1},
      {.kind = CLV_ACTION_KNIFE, .edge = {{0, NAN, 0}, {0, 0, 1}}, .path = path, .key_count = 1},
      {.kind = CLV_ACTION_KNIFE, .edge = {{0, 0, 0}, {0, 0, 1}}, .path = backwards, .key_count = 2},
      {.kind = CLV_ACTION_PIERCE, .zone = everywhere},
      {.kind = CLV_ACTION_PIERCE, .zone = across(1), .path = path, .key_count = 1},
      {.kind = CLV_ACTION_PIERCE, .zone = {.kind = CLV_ZONE_SPHERE, .radius = 1}, .path = backwards, .key_count = 2},
      {.kind = CLV_ACTION_GRAVITY, .value = {NAN, 0, 0}},
      {.kind = CLV_ACTION_REMOVE, .zone = {.kind = CLV_ZONE_SPHERE, .radius = -1}},
  };
  for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    if (clv_world_schedule(world, &wrong[k]) != CLV_ERROR_ARGUMENT) fail_msg("action %u was taken", k);
    assert_true(strlen(clv_world_error(world)) > 0);
  }
  for (int k = 0; k < CLV_ACTION_KIND_COUNT; k++)
    assert_int_equal(clv_action_from_name(clv_action_name((clv_action_kind)k)), k);
  assert_int_equal(clv_action_from_name("explode"), -1);
  clv_world_destroy(world);
}

// A knife on its way down cuts as far as it has come; in the end it has cut what a plane cuts.
static void a_knife_cuts_its_way(void **unused) {
  (void)unused;
  static const clv_key down[] = {{0, {0, 0, 0}}, {0.004, {0, 0, -0.14}}, {0.01, {0, 0, -0.35}}};
  recipe r = plain(CLV_SYMPLECTIC_EULER);
  r.beam.gravity[2] = 0;
  r.beam.cells[1] = r.beam.cells[2] = 4;
  clv_world *world = create(&r);
  const clv_action knife = {
      .kind = CLV_ACTION_KNIFE, .time = 0.0025, .edge = {{0.4, -1, 0.2}, {0.4, 1, 0.2}}, .path = down, .key_count = 3};
  schedule(world, &knife);
  uint32_t cut = 0, strokes = 0;
  for (uint32_t k = 0; k < 20; k++) {
    clv_world_report report;
    const double time = clv_world_time(world);
    assert_int_equal(clv_world_step(world, &report), CLV_OK);
    assert_int_equal(report.events, k == 3);
    assert_true(report.topology == (report.surgery.facets > 0));
    cut += report.surgery.facets;
    strokes += report.surgery.facets > 0;
    // The edge is at 0.2 - 35 (t - 2.5 ms); centres of cells lie at 0.0875, 0.0625 ...
    const double at = 0.2 - 35 * fmin(fmax(time - 0.0025, 0), 0.01);
    uint32_t wanted = 0;
    for (uint32_t z = 0; z < 4; z++) wanted += at < 0.0125 + 0.025 * z ? 4 : 0;
    assert_int_equal(cut, wanted);
  }
  assert_int_equal(cut, 16);
  assert_true(strokes >= 3);
  clv_map_info info;
  assert_int_equal(clv_map_count(clv_body_map(clv_world_body(world, 0)), &info), CLV_OK);
  assert_int_equal(info.components, 2);
  clv_world_destroy(world);
}

// A drill on its way takes what it touches, also between two steps; one that stays takes it once.
static void a_drill_takes_what_it_touches(void **unused) {
  (void)unused;
  static const clv_key along[] = {{0, {0, 0, 0}}, {0.002, {0.8, 0, 0}}};
  recipe r = plain(CLV_SYMPLECTIC_EULER);
  r.beam.gravity[2] = 0;
  r.beam.cells[1] = r.beam.cells[2] = 3;
  for (uint32_t moving = 0; moving < 2; moving++) {
    clv_world *world = create(&r);
    const clv_action drill = {.kind = CLV_ACTION_PIERCE,
                              .time = 0.001,
                              .zone = clv_zone_sphere((double[]){0.05, 0.05, 0.05}, 0.01),
                              .path = along,
                              .key_count = moving ? 2 : 0};
    schedule(world, &drill);
    uint32_t removed = 0;
    for (uint32_t k = 0; k < 6; k++) {
      clv_world_report report;
      assert_int_equal(clv_world_step(world, &report), CLV_OK);
      removed += report.surgery.removed;
    }
    assert_int_equal(removed, moving ? 8 : 1);
    clv_world_destroy(world);
  }
}

static void an_event_that_fails_waits(void **unused) {
  (void)unused;
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  const uint64_t hash = clv_world_hash(world);
  const clv_zone beside = clv_zone_sphere((double[]){7, 7, 7}, 0.1); // holds no particle
  schedule(world, &(clv_action){.kind = CLV_ACTION_FIX, .time = 0, .zone = beside, .axes = CLV_XYZ, .label = 12});
  assert_int_equal(clv_world_culprit(world), 0);
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(clv_world_step(world, NULL), CLV_ERROR_REFUSED);
    assert_int_equal(clv_world_culprit(world), 12);
    assert_non_null(strstr(clv_world_error(world), "body1"));
    assert_non_null(strstr(clv_world_error(world), "fix"));
    assert_true(clv_world_hash(world) == hash);
  }
  clv_world_destroy(world);
}

// Somebody has a column of the name that a blade's track wants: the step says so, and is made when the column is gone.
static void a_blade_that_cannot_begin_says_why(void **unused) {
  (void)unused;
  static const clv_key down[] = {{0, {0, 0, 0}}, {0.003, {0, 0, -0.4}}};
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  clv_map *map = clv_body_map(clv_world_body(world, 0));
  clv_column *column;
  const clv_column_def def = {.name = "track0_cells", .orbit = CLV_CELL, .components = 1};
  assert_int_equal(clv_column_create(map, &def, &column), CLV_OK);
  schedule(world, &(clv_action){.kind = CLV_ACTION_SLICE,
                                .slice = clv_default_slice(),
                                .edge = {{0.37, -1, 0.2}, {0.37, 1, 0.2}},
                                .path = down,
                                .key_count = 2,
                                .label = 12});
  assert_int_equal(clv_world_step(world, NULL), CLV_ERROR_ARGUMENT);
  assert_string_equal(clv_world_error(world), "body 'body1', action 'slice' at 0 s: there is a column 'track0_cells' "
                                              "already: choose another name");
  assert_int_equal(clv_world_culprit(world), 12);
  clv_column_destroy(map, column);
  for (uint32_t k = 0; k < 5; k++) {
    assert_int_equal(clv_world_step(world, NULL), CLV_OK);
    assert_true((clv_column_find(map, "track0_cells") != NULL) == (k < 3));
  }
  clv_world_destroy(world);
}

static void an_event_that_finds_nothing_is_told(void **unused) {
  (void)unused;
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  clv_world_report report;
  uint32_t label = 0;
  schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 0, .zone = across(7), .label = 12});
  assert_int_equal(clv_world_step(world, &report), CLV_OK);
  assert_int_equal(report.vain, 1);
  assert_string_equal(clv_world_vain(world, 0, &label),
                      "body 'body1', action 'cut' at 0 s finds nothing to do: all cells have their centres on one side "
                      "of the plane");
  assert_int_equal(label, 12);
  assert_null(clv_world_vain(world, 1, NULL));
  assert_int_equal(clv_world_step(world, &report), CLV_OK);
  assert_int_equal(report.vain, 0);
  assert_null(clv_world_vain(world, 0, NULL));
  clv_world_destroy(world);
}

// Particles that an earlier cut has parted are meant with all their copies.
static void particles_are_cut_that_were_parted_before(void **unused) {
  (void)unused;
  recipe r = plain(CLV_SYMPLECTIC_EULER);
  r.beam.cells[1] = r.beam.cells[2] = 2;
  clv_world *world = create(&r);
  const clv_map *map = clv_body_map(clv_world_body(world, 0));
  const double *rest = clv_body_rest(clv_world_body(world, 0));
  clv_id ids[16];
  uint32_t count = 0;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
    if (fabs(rest[3 * (size_t)id.index] - 0.3) < 1e-9) ids[count++] = id;
  assert_int_equal(count, 9);
  const clv_zone lengthwise = clv_zone_plane((double[]){0, 0.05, 0}, (double[]){0, 1, 0});
  schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 0, .zone = lengthwise});
  schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 2e-3, .particles = ids, .particle_count = count});
  clv_world_report report = {0};
  step(world, 2);
  assert_int_equal(clv_world_step(world, &report), CLV_OK);
  assert_int_equal(report.surgery.facets, 4); // all of them, on both sides of the first cut
  clv_world_destroy(world);
}

static void a_body_that_fails_stops_all(void **unused) {
  (void)unused;
  for (uint32_t m = 0; m < CLV_METHOD_COUNT; m++) {
    recipe r = plain((clv_method)m);
    r.bodies = 3;
    clv_world *world = create(&r);
    step(world, 3);
    double *x = clv_body_positions(clv_world_body(world, 2));
    const double kept = x[30];
    x[30] = NAN;
    const uint64_t hash = clv_world_hash(world);
    assert_int_equal(clv_world_step(world, NULL), CLV_ERROR_REFUSED);
    assert_non_null(strstr(clv_world_error(world), "body3"));
    assert_true(clv_world_hash(world) == hash);
    assert_int_equal(clv_world_steps(world), 3);
    x[30] = kept;
    step(world, 1);
    clv_world *other = create(&r);
    step(other, 4);
    assert_true(clv_world_hash(world) == clv_world_hash(other));
    clv_world_destroy(other);
    clv_world_destroy(world);
  }
}

// Every allocation fails once: a world that cannot go on says so, leaks nothing, and goes on when there is memory
// again.
static void memory_may_run_out_at_any_time(void **unused) {
  (void)unused;
  static const clv_method methods[] = {CLV_SYMPLECTIC_EULER, CLV_NEWMARK};
  for (uint32_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    counting_memory memory = {0};
    recipe r = plain(methods[m]);
    r.beam.cells[0] = 3;
    r.beam.allocator = counting_allocator(&memory);
    bool refused = true;
    for (size_t fail = 1; refused; fail++) {
      clv_world *world = create(&r);
      schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 0.001, .zone = across(0.4)});
      memory.refused = false;
      memory.fail_at = memory.requests + fail;
      store s = {0};
      uint32_t failures = 0;
      for (uint32_t k = 0; k < 3;) {
        const uint64_t before = clv_world_steps(world);
        const clv_result result = clv_world_step(world, NULL);
        if (result == CLV_OK) {
          k++;
          continue;
        }
        assert_int_equal(result, CLV_ERROR_MEMORY);
        assert_int_equal(clv_world_steps(world), before);
        assert_true(++failures == 1);
      }
      if (clv_world_save(world, store_put, &s) != CLV_OK) {
        store_empty(&s);
        assert_int_equal(clv_world_save(world, store_put, &s), CLV_OK);
      }
      refused = memory.refused;
      memory.fail_at = 0;
      store_empty(&s);
      clv_world_destroy(world);
      assert_int_equal(memory.live_bytes, 0);
    }
  }
}

// A blade goes through a bent beam of hexahedra, which split, while the n-th request for memory is refused; 0: none is.
// What all steps report that they did, those that failed, too. *requests: of all of them.
static clv_surgery_report slice_without(size_t n, size_t *requests) {
  const double size[3] = {1.2, 0.2, 0.2};
  const clv_key path[] = {{0, {0, 0, 0}}, {0.004, {0, 0, -0.4}}};
  counting_memory memory = {0};
  recipe r = plain(CLV_IMPLICIT_EULER);
  r.beam.kind = CLV_GRID_HEX;
  memcpy(r.beam.cells, (uint32_t[]){4, 1, 1}, sizeof r.beam.cells);
  memcpy(r.beam.size, size, sizeof size);
  r.beam.gravity[2] = -1000;
  r.beam.allocator = counting_allocator(&memory);
  clv_world *world = create(&r);
  clv_action slice = {.kind = CLV_ACTION_SLICE, .time = 0.004, .path = path, .key_count = 2};
  memcpy(slice.edge, (double[2][3]){{0.5, -1, 0.3}, {0.55, 1, 0.3}}, sizeof slice.edge);
  slice.slice = clv_default_slice();
  slice.slice.exact = true;
  slice.slice.snap = slice.slice.quality = 0;
  schedule(world, &slice);
  step(world, 4);
  const size_t first = memory.requests;
  if (n) memory.fail_at = first + n;
  clv_surgery_report all = {0};
  for (uint32_t k = 0, failures = 0; k < 6;) {
    clv_world_report report;
    const clv_result result = clv_world_step(world, &report);
    k += result == CLV_OK;
    if (result != CLV_OK) assert_true(result == CLV_ERROR_MEMORY && ++failures == 1);
    all.facets += report.surgery.facets;
    all.split += report.surgery.split;
  }
  *requests = memory.requests - first;
  clv_world_destroy(world);
  assert_int_equal(memory.live_bytes, 0);
  return all;
}

static void steps_that_fail_report_what_stands(void **unused) {
  (void)unused;
  size_t requests, ignored;
  const clv_surgery_report all = slice_without(0, &requests);
  assert_true(all.facets > 0 && all.split > 0);
  for (size_t n = 1; n <= requests; n++) {
    const clv_surgery_report one = slice_without(n, &ignored);
    if (one.facets != all.facets || one.split != all.split)
      fail_msg("without the %zuth: %u facets of %u, %u cells of %u", n, one.facets, all.facets, one.split, all.split);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(time_is_a_number_of_steps),
      cmocka_unit_test(a_step_is_chosen),
      cmocka_unit_test(names_are_given_and_kept_apart),
      cmocka_unit_test(events_come_when_they_are_due),
      cmocka_unit_test(a_knife_cuts_its_way),
      cmocka_unit_test(a_drill_takes_what_it_touches),
      cmocka_unit_test(what_is_cut_off_falls),
      cmocka_unit_test(constraints_come_and_go),
      cmocka_unit_test(wrong_actions_are_refused),
      cmocka_unit_test(an_event_that_fails_waits),
      cmocka_unit_test(a_blade_that_cannot_begin_says_why),
      cmocka_unit_test(an_event_that_finds_nothing_is_told),
      cmocka_unit_test(particles_are_cut_that_were_parted_before),
      cmocka_unit_test(a_body_that_fails_stops_all),
      cmocka_unit_test(memory_may_run_out_at_any_time),
      cmocka_unit_test(steps_that_fail_report_what_stands),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
