// Worlds that are saved and go on, with the same bits, whatever was done to them; and what cannot be loaded.

#include "support/store.h"
#include "support/worlds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

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

// Every method, and one more time the implicit one with a direct solver, which remembers an order.
static void a_loaded_world_goes_on_with_the_same_bits(void **unused) {
  (void)unused;
  for (uint32_t m = 0; m <= CLV_METHOD_COUNT; m++) {
    recipe r = eventful(m < CLV_METHOD_COUNT ? (clv_method)m : CLV_IMPLICIT_EULER);
    if (m == CLV_METHOD_COUNT) r.linear = CLV_LINEAR_DIRECT;
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
        fail_msg("%s: step %u differs", clv_method_name(r.method), k + 21);
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
  static const clv_method methods[] = {CLV_SYMPLECTIC_EULER, CLV_IMPLICIT_EULER, CLV_RK4, CLV_IMPLICIT_EULER};
  for (uint32_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    recipe r = plain(methods[m]);
    if (m == 3) r.linear = CLV_LINEAR_DIRECT;
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

// What a step that failed takes back is the state, not what solvers have learnt: a saved world goes on as this one
// does.
static void a_failed_step_leaves_orders_alone(void **unused) {
  (void)unused;
  recipe r = plain(CLV_IMPLICIT_EULER);
  r.beam.cells[0] = 8;
  r.beam.cells[1] = r.beam.cells[2] = 3;
  r.bodies = 2;
  r.linear = CLV_LINEAR_DIRECT;
  clv_world *world = create(&r), *other = create(&r);
  const clv_action cut = {
      .kind = CLV_ACTION_CUT, .time = 0.010, .zone = clv_zone_box((double[]){0.29, -1, -1}, (double[]){0.41, 1, 0.04})};
  schedule(world, &cut);
  clv_body *second = clv_world_body(world, 1);
  double *velocities = clv_body_velocities(second);
  const size_t count = 3 * (size_t)clv_body_slots(second);
  for (size_t k = 3; k < count; k++) velocities[k] = NAN;
  assert_int_not_equal(clv_world_step(world, NULL), CLV_OK);
  for (size_t k = 3; k < count; k++) velocities[k] = 0;
  step(world, 5);
  store s = {0};
  if (clv_world_save(world, store_put, &s) != CLV_OK) fail_msg("%s", clv_world_error(world));
  if (clv_world_load(other, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(other));
  for (uint32_t k = 0; k < 10; k++) {
    step(world, 1);
    step(other, 1);
    if (clv_world_hash(world) != clv_world_hash(other)) fail_msg("step %u differs", k + 6);
  }
  store_empty(&s);
  clv_world_destroy(world);
  clv_world_destroy(other);
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

  // What matches nowhere is told, and the world goes on.
  world = create(&r);
  schedule(world, &actions[2]);
  step(world, 9);
  assert_null(clv_world_vain(world, 0, NULL));
  assert_int_equal(clv_world_step(world, NULL), CLV_OK);
  assert_non_null(clv_world_vain(world, 0, NULL));
  assert_non_null(strstr(clv_world_vain(world, 0, NULL),
                         "action 'apply' at 0.009 s finds nothing to do: the rule 'cut_edge' changes nothing: "));
  step(world, 1);
  assert_null(clv_world_vain(world, 0, NULL));
  clv_world_destroy(world);
  clv_program_destroy(program);
}

// Forces are sums: the rows of a loaded world are in the order that commits left them in, also where values decide
// whether there is a row, as with springs.
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

// Two tables that had the same vertices, and then got others: their sums are taken together or apart by what was done
// alone, not by when a table was put in order.
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
      cmocka_unit_test(a_loaded_world_goes_on_with_the_same_bits),
      cmocka_unit_test(a_refined_world_goes_on_with_the_same_bits),
      cmocka_unit_test(a_failed_step_leaves_orders_alone),
      cmocka_unit_test(a_world_with_rules_goes_on_with_the_same_bits),
      cmocka_unit_test(springs_and_solids_go_on_with_the_same_bits),
      cmocka_unit_test(tables_that_part_go_on_with_the_same_bits),
      cmocka_unit_test(a_world_that_outgrew_its_tables_goes_on_with_the_same_bits),
      cmocka_unit_test(edits_by_hand_are_saved),
      cmocka_unit_test(what_is_not_of_this_world_is_refused),
      cmocka_unit_test(a_load_that_runs_out_of_memory_leaves_nothing),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
