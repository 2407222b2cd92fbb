// A small beam that bends, is cut and loses cells: a world for tests of what is written down about one.

#ifndef CLEAVE_TEST_SUPPORT_CUT_BEAM_H
#define CLEAVE_TEST_SUPPORT_CUT_BEAM_H

#include "cleave/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BEAM_STEP 1e-3

static inline void beam_event(clv_world *world, clv_action_kind kind, double time, clv_zone zone) {
  const clv_action action = {.kind = kind, .time = time, .zone = zone, .axes = CLV_XYZ};
  if (clv_world_schedule(world, &action) != CLV_OK) fail_msg("%s", clv_world_error(world));
}

// Held at x = 0, falling; at 10 steps a plane parts it, at 20 a box of cells goes.
static inline clv_world *beam_world(clv_grid_kind kind, const char *model) {
  const double fixed_at[3] = {1e-3, 0, 0}, back[3] = {-1, 0, 0}, half[3] = {0.25, 0, 0}, up[3] = {1, 0, 0};
  const double low[3] = {0.45, -1, -1}, high[3] = {2, 2, 0.06};
  clv_error error = {CLV_OK, ""};
  clv_mesh mesh;
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = kind;
  grid.cells[0] = 4;
  grid.cells[1] = grid.cells[2] = 2;
  grid.size[0] = 0.5;
  grid.size[1] = grid.size[2] = 0.1;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &grid, NULL), CLV_OK);
  for (size_t e = 0; e < mesh.element_count; e++) mesh.tags[e] = e % 2 ? 7 : 3;
  clv_world_def def = clv_default_world_def();
  def.step = BEAM_STEP;
  clv_world *world = clv_world_create(&def);
  assert_non_null(world);
  clv_section section = {.zone = clv_zone_all(), .model = model, .material = clv_default_material()};
  clv_body_def body = clv_default_body_def();
  body.mesh = &mesh;
  body.sections = &section;
  body.section_count = 1;
  clv_solver_def solver = clv_default_solver_def();
  solver.method = CLV_SYMPLECTIC_EULER;
  clv_body *added = clv_world_add(world, "beam", &body, &solver, &error);
  if (!added) fail_msg("%s", error.message);
  clv_mesh_free(&mesh);
  const clv_zone held = clv_zone_plane(fixed_at, back), plane = clv_zone_plane(half, up), box = clv_zone_box(low, high);
  if (clv_body_fix(added, &held, CLV_XYZ, NULL) != CLV_OK) fail_msg("%s", clv_body_error(added));
  beam_event(world, CLV_ACTION_CUT, 10 * BEAM_STEP, plane);
  beam_event(world, CLV_ACTION_REMOVE, 20 * BEAM_STEP, box);
  return world;
}

static inline clv_result beam_run(clv_world *world, clv_recorder *recorder, uint64_t until, clv_error *error) {
  clv_result result = CLV_OK;
  while (result == CLV_OK && clv_world_steps(world) < until) {
    if (clv_world_step(world, NULL) != CLV_OK) fail_msg("%s", clv_world_error(world));
    if (recorder) result = clv_recorder_step(recorder, error);
  }
  return result;
}

#endif
