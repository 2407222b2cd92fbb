// Worlds: the clock, events on a timetable, steps that fail without a trace, and worlds that are saved and go on.

#include "support/beam.h"
#include "support/counting_allocator.h"
#include "support/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static clv_program *laws;

static int make_laws(void **unused) {
  (void)unused;
  laws = beam_program();
  return 0;
}

static int free_laws(void **unused) {
  (void)unused;
  clv_program_destroy(laws);
  return 0;
}

static const clv_zone everywhere = {.kind = CLV_ZONE_ALL};

typedef struct recipe {
  beam beam;
  clv_method method;
  double step;
  uint32_t bodies;
} recipe;

static recipe plain(clv_method method) {
  recipe r = {.beam = beam_default(), .method = method, .step = 1e-3, .bodies = 1};
  r.beam.model = "fem-corotational";
  r.beam.program = laws;
  r.beam.gravity[2] = -9.81;
  r.beam.drag = 0.5;
  return r;
}

static clv_body *add_body(clv_world *world, const recipe *r, const char *name, clv_error *error) {
  clv_mesh mesh;
  clv_section section;
  beam_mesh(&r->beam, &mesh);
  const clv_body_def def = beam_def(&r->beam, &mesh, &section);
  const clv_solver_def solver = beam_method(r->method);
  clv_body *body = clv_world_add(world, name, &def, &solver, error);
  clv_mesh_free(&mesh);
  return body;
}

static clv_world *create(const recipe *r) {
  clv_world_def def = clv_default_world_def();
  def.step = r->step;
  def.allocator = r->beam.allocator;
  clv_world *world = clv_world_create(&def);
  assert_non_null(world);
  for (uint32_t k = 0; k < r->bodies; k++) {
    clv_error error = {0};
    clv_body *body = add_body(world, r, NULL, &error);
    if (!body) fail_msg("%s", error.message);
    beam_clamp(body);
  }
  return world;
}

static void step(clv_world *world, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (clv_world_step(world, NULL) != CLV_OK) fail_msg("%s", clv_world_error(world));
}

static void schedule(clv_world *world, const clv_action *action) {
  if (clv_world_schedule(world, action) != CLV_OK) fail_msg("%s", clv_world_error(world));
}

static clv_zone across(double x) {
  return clv_zone_plane((double[]){x, 0, 0}, (double[]){1, 0, 0});
}

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
  schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 0, .zone = across(7), .label = 12});
  assert_int_equal(clv_world_culprit(world), 0);
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(clv_world_step(world, NULL), CLV_ERROR_REFUSED);
    assert_int_equal(clv_world_culprit(world), 12);
    assert_non_null(strstr(clv_world_error(world), "body1"));
    assert_non_null(strstr(clv_world_error(world), "cut"));
    assert_true(clv_world_hash(world) == hash);
  }
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

// Saving

// Tools that are under way at step 20, tools that have come to their end, and lists and surfaces to be kept.
static void use_tools(clv_world *world) {
  static const clv_key down[] = {{0, {0, 0, 0}}, {0.0065, {0, 0, -0.06}}, {0.011, {0, 0, -0.3}}};
  static const clv_key along[] = {{0, {0, 0, 0}}, {0.008, {0.1, 0, 0}}}, brief[] = {{0, {0, 0, 0}}, {0.002, {0, 0, 0}}};
  static const uint32_t corners[] = {0, 1, 2, 3};
  clv_mesh wall;
  clv_mesh_init(&wall, NULL);
  for (uint32_t k = 0; k < 4; k++) clv_mesh_add_point(&wall, 0.21, k == 1 || k == 2 ? 1 : -1, k >= 2 ? 1 : -1);
  assert_int_equal(clv_mesh_add_element(&wall, CLV_QUAD, corners, 4, 0), CLV_OK);
  clv_body *body = clv_world_body(world, 0);
  clv_id ids[16];
  uint32_t count = 0;
  const clv_map *map = clv_body_map(body);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
    if (fabs(clv_body_rest(body)[3 * (size_t)id.index] - 0.3) < 1e-9) ids[count++] = id;
  assert_int_equal(count, 9);
  const clv_zone ball = clv_zone_sphere((double[]){0.62, 0.02, 0.05}, 0.02);
  const clv_action tools[] = {
      {.kind = CLV_ACTION_CUT, .time = 0.003, .surface = &wall},
      {.kind = CLV_ACTION_KNIFE,
       .time = 0.0145,
       .edge = {{0.1, -1, 0.15}, {0.1, 1, 0.15}},
       .path = down,
       .key_count = 3},
      {.kind = CLV_ACTION_PIERCE, .time = 0.016, .zone = ball, .path = along, .key_count = 2},
      {.kind = CLV_ACTION_PIERCE, .time = 0.005, .zone = ball, .path = brief, .key_count = 2},
      {.kind = CLV_ACTION_CUT, .time = 0.024, .particles = ids, .particle_count = count},
  };
  for (uint32_t k = 0; k < sizeof tools / sizeof *tools; k++) schedule(world, &tools[k]);
  clv_mesh_free(&wall);
}

// A timetable with everything on it, before and after step 20.
static void fill_timetable(clv_world *world, bool topology) {
  static const clv_key path[] = {{0, {0, 0, 0}}, {0.01, {0, 0, 0.02}}, {0.03, {0.01, 0, 0}}};
  static const clv_key pull[] = {{0, {0, 0, 0}}, {0.02, {0, 1, 0}}};
  static const clv_key soft[] = {{0, {0, 0, 0.1}}};
  const clv_zone middle = clv_zone_box((double[]){0.35, -1, -1}, (double[]){0.45, 1, 1});
  const clv_action actions[] = {
      {.kind = CLV_ACTION_PULL, .time = 0.002, .zone = beam_end(0.8, 1), .path = pull, .key_count = 2},
      {.kind = CLV_ACTION_FIX, .time = 0.004, .zone = middle, .axes = CLV_Y},
      {.kind = CLV_ACTION_MOVE, .time = 0.010, .zone = beam_end(0.75, 1), .axes = CLV_Z, .path = path, .key_count = 3},
      {.kind = CLV_ACTION_RELEASE, .time = 0.015, .zone = middle, .axes = CLV_Y},
      {.kind = CLV_ACTION_GRAVITY, .time = 0.018, .value = {0, 0, -5}},
      {.kind = CLV_ACTION_PULL, .time = 0.025, .zone = middle, .path = soft, .key_count = 1},
      {.kind = CLV_ACTION_MOVE, .time = 0.028, .zone = beam_end(0, -1), .axes = CLV_X, .path = path, .key_count = 3},
  };
  for (uint32_t k = 0; k < sizeof actions / sizeof *actions; k++) schedule(world, &actions[k]);
  if (!topology) return;
  const clv_action cuts[] = {
      {.kind = CLV_ACTION_CUT, .time = 0.006, .zone = clv_zone_plane((double[]){0, 0.05, 0}, (double[]){0, 1, 0})},
      {.kind = CLV_ACTION_REMOVE,
       .time = 0.012,
       .zone = clv_zone_box((double[]){0.5, 0, 0}, (double[]){0.6, 0.05, 0.05})},
      {.kind = CLV_ACTION_CUT, .time = 0.022, .zone = across(0.4)},
      {.kind = CLV_ACTION_REMOVE, .time = 0.026, .zone = across(0.7)},
  };
  for (uint32_t k = 0; k < sizeof cuts / sizeof *cuts; k++) schedule(world, &cuts[k]);
  use_tools(world);
}

static recipe eventful(clv_method method) {
  recipe r = plain(method);
  r.beam.cells[1] = r.beam.cells[2] = 2;
  r.bodies = 2;
  r.beam.rayleigh_stiffness = 1e-4;
  if (method == CLV_STATIC) r.bodies = 1;
  return r;
}

static void a_loaded_world_goes_on_with_the_same_bits(void **unused) {
  (void)unused;
  for (uint32_t m = 0; m < CLV_METHOD_COUNT; m++) {
    const recipe r = eventful((clv_method)m);
    const bool topology = m != CLV_STATIC; // what is cut off has no equilibrium
    clv_world *world = create(&r);
    fill_timetable(world, topology);
    step(world, 20);
    store s = {0};
    if (clv_world_save(world, store_put, &s) != CLV_OK) fail_msg("%s", clv_world_error(world));
    const uint64_t there = clv_world_hash(world);

    clv_world *other = create(&r); // the timetable is part of what was saved
    if (clv_world_load(other, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(other));
    assert_true(clv_world_hash(other) == there);
    assert_int_equal(clv_world_steps(other), 20);
    for (uint32_t k = 0; k < 20; k++) {
      step(world, 1);
      step(other, 1);
      if (clv_world_hash(world) != clv_world_hash(other))
        fail_msg("%s: step %u differs", clv_method_name((clv_method)m), k + 21);
    }
    // And once more, from the loaded one.
    store_empty(&s);
    assert_int_equal(clv_world_save(other, store_put, &s), CLV_OK);
    clv_world *third = create(&r);
    if (clv_world_load(third, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(third));
    step(third, 10);
    step(world, 10);
    assert_true(clv_world_hash(world) == clv_world_hash(third));
    assert_int_equal(clv_views_check(clv_body_views(clv_world_body(third, 0)), NULL, NULL), CLV_OK);
    store_empty(&s);
    clv_world_destroy(world);
    clv_world_destroy(other);
    clv_world_destroy(third);
  }
}

// Refined, adapted, cut and coarse again, before and after it is saved; also while vertices hang.
static void a_refined_world_goes_on_with_the_same_bits(void **unused) {
  (void)unused;
  static const clv_key along[] = {{0, {0, 0, 0}}, {0.02, {0.4, 0, 0}}};
  const clv_zone left = clv_zone_box((double[]){-1, -1, -1}, (double[]){0.3, 1, 1});
  clv_adapt near = clv_default_adapt();
  near.bound = 0.12;
  near.point[0] = 0.3;
  const clv_action actions[] = {
      {.kind = CLV_ACTION_REFINE, .time = 0.002, .zone = left, .level = 2},
      {.kind = CLV_ACTION_ADAPT, .time = 0.004, .zone = everywhere, .adapt = near, .path = along, .key_count = 2},
      {.kind = CLV_ACTION_CUT, .time = 0.007, .zone = across(0.2)},
      {.kind = CLV_ACTION_COARSEN, .time = 0.012, .zone = left, .level = 1},
      {.kind = CLV_ACTION_REFINE, .time = 0.014, .zone = across(0.6), .level = 1},
      {.kind = CLV_ACTION_COARSEN, .time = 0.016, .zone = everywhere},
  };
  static const clv_method methods[] = {CLV_SYMPLECTIC_EULER, CLV_IMPLICIT_EULER, CLV_RK4};
  for (uint32_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    const recipe r = plain(methods[m]);
    clv_world *world = create(&r), *other = create(&r);
    for (uint32_t k = 0; k < sizeof actions / sizeof *actions; k++) schedule(world, &actions[k]);
    step(world, 10);
    uint32_t slot, parents[4];
    assert_true(clv_body_hanging(clv_world_body(world, 0), 0, &slot, parents));
    store s = {0};
    if (clv_world_save(world, store_put, &s) != CLV_OK) fail_msg("%s", clv_world_error(world));
    if (clv_world_load(other, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(other));
    clv_surgery_report did = {0};
    for (uint32_t k = 0; k < 10; k++) {
      clv_world_report report;
      if (clv_world_step(other, &report) != CLV_OK) fail_msg("%s", clv_world_error(other));
      did.refined += report.surgery.refined;
      did.coarsened += report.surgery.coarsened;
      step(world, 1);
      if (clv_world_hash(world) != clv_world_hash(other))
        fail_msg("%s: step %u differs", clv_method_name(methods[m]), k + 11);
    }
    assert_true(did.refined > 0 && did.coarsened > 0);
    store_empty(&s);
    clv_world_destroy(world);
    clv_world_destroy(other);
  }
}

static void goes_on_with_the_same_bits(clv_world *world, clv_world *other, uint32_t steps, const char *what) {
  store s = {0};
  if (clv_world_save(world, store_put, &s) != CLV_OK) fail_msg("%s", clv_world_error(world));
  if (clv_world_load(other, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(other));
  for (uint32_t k = 0; k < steps; k++) {
    step(world, 1);
    step(other, 1);
    if (clv_world_hash(world) != clv_world_hash(other)) fail_msg("%s: step %u behind the load differs", what, k + 1);
  }
  assert_int_equal(clv_views_check(clv_body_views(clv_world_body(other, 0)), NULL, NULL), CLV_OK);
  store_empty(&s);
  clv_world_destroy(world);
  clv_world_destroy(other);
}

// A rule is applied before the save, another behind the load; a world that has no such rule cannot be loaded.
static void a_world_with_rules_goes_on_with_the_same_bits(void **unused) {
  (void)unused;
  clv_program *program = clv_program_create(NULL);
  assert_int_equal(clv_program_use(program, "surgery"), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "blade_point", (double[]){0.5, 0, 0}, 3), CLV_OK);
  assert_int_equal(clv_program_set_param(program, "blade_up", (double[]){1, 0, 0}, 3), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  const clv_zone left = clv_zone_box((double[]){-1, -1, -1}, (double[]){0.3, 1, 1});
  const clv_action actions[] = {
      {.kind = CLV_ACTION_APPLY, .time = 0.002, .apply = {.rule = clv_program_rule(program, "cut")}},
      {.kind = CLV_ACTION_APPLY,
       .time = 0.006,
       .zone = left,
       .apply = {.rule = clv_program_rule(program, "pierce"), .on = CLV_CELL}},
      {.kind = CLV_ACTION_APPLY, .time = 0.009, .apply = {.rule = clv_program_rule(program, "cut_edge")}},
  };
  const recipe r = plain(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r), *other = create(&r), *bare = create(&r);
  for (uint32_t k = 0; k < 2; k++) {
    schedule(world, &actions[k]);
    schedule(other, &actions[k]);
  }
  clv_action none = actions[0];
  none.apply.rule = NULL;
  assert_int_equal(clv_world_schedule(world, &none), CLV_ERROR_ARGUMENT);
  assert_string_equal(clv_world_error(world), "action 'apply' makes no sense: there is no rule");
  step(world, 4);
  store s = {0};
  assert_int_equal(clv_world_save(world, store_put, &s), CLV_OK);
  assert_int_equal(clv_world_load(bare, store_get, &s), CLV_ERROR_INPUT);
  assert_non_null(strstr(clv_world_error(bare), "an action applies a rule that there is not"));
  clv_world_destroy(bare);
  store_empty(&s);
  goes_on_with_the_same_bits(world, other, 6, "rules");

  // What matches nowhere stops the world, and says so.
  world = create(&r);
  schedule(world, &actions[2]);
  step(world, 9);
  assert_int_equal(clv_world_step(world, NULL), CLV_ERROR_REFUSED);
  assert_non_null(strstr(clv_world_error(world), "action 'apply' at 0.009 s: the rule 'cut_edge' changes nothing: "));
  clv_world_destroy(world);
  clv_program_destroy(program);
}

// Forces are sums: the rows of a loaded world are in the order that commits left them in, also where values decide whether there
// is a row, as with springs.
static void springs_and_solids_go_on_with_the_same_bits(void **unused) {
  (void)unused;
  static const char *const models[] = {"springs", "springs-hybrid", "neo-hookean"};
  for (uint32_t k = 0; k < sizeof models / sizeof *models; k++) {
    recipe r = eventful(CLV_SYMPLECTIC_EULER);
    r.beam.model = models[k];
    r.bodies = 1;
    clv_world *world = create(&r);
    fill_timetable(world, true);
    step(world, 20);
    goes_on_with_the_same_bits(world, create(&r), 15, models[k]);
  }
}

// Two tables that had the same vertices, and then got others: their sums are taken together or apart by what was done alone, not
// by when a table was put in order.
static void tables_that_part_go_on_with_the_same_bits(void **unused) {
  (void)unused;
  recipe r = plain(CLV_SYMPLECTIC_EULER);
  r.beam.model = "springs-hybrid";
  r.beam.cells[0] = 6, r.beam.cells[1] = r.beam.cells[2] = 2;
  r.beam.size[0] = 3, r.beam.size[1] = r.beam.size[2] = 1;
  const clv_action actions[] = {
      {.kind = CLV_ACTION_REFINE,
       .time = 2e-3,
       .zone = clv_zone_box((double[]){0, 0, 0}, (double[]){1, 1, 1}),
       .level = 1},
      {.kind = CLV_ACTION_CUT, .time = 4e-3, .zone = across(2)},
  };
  clv_world *world = create(&r);
  for (uint32_t k = 0; k < 2; k++) schedule(world, &actions[k]);
  step(world, 6);
  goes_on_with_the_same_bits(world, create(&r), 5, "parted");
}

// Eight times the rows: tables are laid out anew when the commit is made, and so they are when it is told again.
static void a_world_that_outgrew_its_tables_goes_on_with_the_same_bits(void **unused) {
  (void)unused;
  recipe r = plain(CLV_SYMPLECTIC_EULER);
  r.beam.kind = CLV_GRID_TET5;
  r.beam.cells[0] = 10, r.beam.cells[1] = r.beam.cells[2] = 6;
  r.beam.drag = 0;
  r.step = 1e-5;
  const clv_action actions[] = {
      {.kind = CLV_ACTION_REFINE, .time = 0, .zone = everywhere, .level = 1},
      {.kind = CLV_ACTION_REMOVE, .time = 1e-5, .zone = across(0.5)},
  };
  clv_world *world = create(&r);
  for (uint32_t k = 0; k < 2; k++) schedule(world, &actions[k]);
  step(world, 2);
  goes_on_with_the_same_bits(world, create(&r), 3, "refined");
}

// Commits that no event made are told by the journal as well.
static void edits_by_hand_are_saved(void **unused) {
  (void)unused;
  const recipe r = eventful(CLV_SYMPLECTIC_EULER);
  clv_world *world = create(&r);
  fill_timetable(world, true);
  step(world, 8);
  clv_map *map = clv_body_map(clv_world_body(world, 1));
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_remove_cell(map, clv_cell_at(map, CLV_HEX, 20)), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  step(world, 8);
  store s = {0};
  assert_int_equal(clv_world_save(world, store_put, &s), CLV_OK);
  clv_world *other = create(&r);
  if (clv_world_load(other, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(other));
  step(world, 20);
  step(other, 20);
  assert_true(clv_world_hash(world) == clv_world_hash(other));
  store_empty(&s);
  clv_world_destroy(world);
  clv_world_destroy(other);
}

static void what_is_not_of_this_world_is_refused(void **unused) {
  (void)unused;
  const recipe r = eventful(CLV_NEWMARK);
  clv_world *world = create(&r);
  fill_timetable(world, true);
  step(world, 13);
  store s = {0};
  assert_int_equal(clv_world_save(world, store_put, &s), CLV_OK);
  assert_int_equal(clv_world_load(world, store_get, &s), CLV_ERROR_ARGUMENT); // it has stepped
  for (uint32_t k = 0; k < s.count; k++) {                                    // each block a byte short
    if (s.blocks[k].size == 0) continue;
    clv_world *other = create(&r);
    s.hurt = s.blocks[k].name;
    if (clv_world_load(other, store_get, &s) != CLV_ERROR_INPUT) fail_msg("'%s' was taken", s.hurt);
    assert_true(strlen(clv_world_error(other)) > 0);
    clv_world_destroy(other);
  }
  s.hurt = NULL;
  for (uint32_t what = 0; what < 4; what++) {
    recipe different = r;
    if (what == 0) different.bodies = 1;
    if (what == 1) different.beam.cells[0] = 7;
    if (what == 2) different.method = CLV_RK4;
    if (what == 3) different.beam.kind = CLV_GRID_TET5;
    clv_world *other = create(&different);
    assert_int_equal(clv_world_load(other, store_get, &s), CLV_ERROR_INPUT);
    clv_world_destroy(other);
  }
  const uint32_t blocks = s.count;
  store_empty(&s);
  for (uint32_t k = 1; k <= blocks; k++) {
    s.fail_at = k;
    assert_int_equal(clv_world_save(world, store_put, &s), CLV_ERROR_SYSTEM);
    store_empty(&s);
  }
  step(world, 1);
  clv_world_destroy(world);
}

// Every allocation fails once: a world that cannot go on says so, leaks nothing, and goes on when there is memory again.
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

static void a_load_that_runs_out_of_memory_leaves_nothing(void **unused) {
  (void)unused;
  counting_memory memory = {0};
  recipe r = plain(CLV_NEWMARK);
  r.beam.cells[0] = 3;
  r.beam.allocator = counting_allocator(&memory);
  clv_world *world = create(&r);
  schedule(world, &(clv_action){.kind = CLV_ACTION_CUT, .time = 0.001, .zone = across(0.4)});
  step(world, 3);
  store s = {0};
  assert_int_equal(clv_world_save(world, store_put, &s), CLV_OK);
  const uint64_t hash = clv_world_hash(world);
  clv_world_destroy(world);
  bool refused = true;
  for (size_t fail = 1; refused; fail++) {
    clv_world *other = create(&r);
    memory.refused = false;
    memory.fail_at = memory.requests + fail;
    const clv_result result = clv_world_load(other, store_get, &s);
    refused = memory.refused;
    memory.fail_at = 0;
    if (result == CLV_OK)
      assert_true(clv_world_hash(other) == hash);
    else
      assert_int_equal(result, CLV_ERROR_MEMORY);
    clv_world_destroy(other);
    assert_int_equal(memory.live_bytes, 0);
  }
  store_empty(&s);
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
      cmocka_unit_test(particles_are_cut_that_were_parted_before),
      cmocka_unit_test(a_body_that_fails_stops_all),
      cmocka_unit_test(a_loaded_world_goes_on_with_the_same_bits),
      cmocka_unit_test(a_refined_world_goes_on_with_the_same_bits),
      cmocka_unit_test(a_world_with_rules_goes_on_with_the_same_bits),
      cmocka_unit_test(springs_and_solids_go_on_with_the_same_bits),
      cmocka_unit_test(tables_that_part_go_on_with_the_same_bits),
      cmocka_unit_test(a_world_that_outgrew_its_tables_goes_on_with_the_same_bits),
      cmocka_unit_test(edits_by_hand_are_saved),
      cmocka_unit_test(what_is_not_of_this_world_is_refused),
      cmocka_unit_test(memory_may_run_out_at_any_time),
      cmocka_unit_test(a_load_that_runs_out_of_memory_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
