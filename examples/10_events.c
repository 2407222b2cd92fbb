// A beam between two walls is pulled, let go on one side, cut through and loses a corner, while everything is recorded.

#include <cleave/cleave.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static clv_body *add_beam(clv_world *world, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.cells[0] = 12, grid.cells[1] = grid.cells[2] = 3;
  grid.size[0] = 2, grid.size[1] = grid.size[2] = 0.5;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  clv_section rubber = {clv_zone_all(), "fem-corotational", clv_default_material()};
  rubber.material.young = 5e6;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &rubber;
  def.section_count = 1;
  def.drag = 0.5;
  const clv_solver_def solver = clv_default_solver_def();
  clv_body *beam = clv_world_add(world, "beam", &def, &solver, error);
  clv_mesh_free(&mesh);
  return beam;
}

// What happens, when and where; paths count from then.
static clv_result schedule(clv_world *world, double time, clv_action_kind kind, clv_zone zone) {
  static const clv_key force[3] = {{0, {0, 0, 0}}, {0.3, {0, 0, 5000}}, {0.31, {0, 0, 0}}}; // N
  clv_action action;
  memset(&action, 0, sizeof action);
  action.kind = kind;
  action.time = time;
  action.zone = zone;
  action.axes = CLV_XYZ;
  action.path = force;
  action.key_count = 3;
  return clv_world_schedule(world, &action);
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  clv_world_def def = clv_default_world_def();
  def.step = 0.01;
  clv_world *world = clv_world_create(&def);
  clv_body *beam = world ? add_beam(world, &error) : NULL;
  if (!beam) return puts(error.message), 1;
  const double at[6][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {2, 0, 0}, {2, 0.5, 0.5}, {0.3, 0.3, 0.3}, {0.8, 0.5, 0.5}};
  const double middle[3] = {1, 0.25, 0.5}, along[3] = {1, 0, 0};
  const clv_zone left = clv_zone_box(at[0], at[1]), right = clv_zone_box(at[2], at[3]), top = clv_zone_nearest(middle);
  if (clv_body_fix(beam, &left, CLV_XYZ, NULL) || clv_body_fix(beam, &right, CLV_XYZ, NULL) ||
      schedule(world, 0.1, CLV_ACTION_PULL, top) || schedule(world, 0.4, CLV_ACTION_RELEASE, right) ||
      schedule(world, 0.6, CLV_ACTION_CUT, clv_zone_plane(middle, along)) ||
      schedule(world, 0.8, CLV_ACTION_REMOVE, clv_zone_box(at[4], at[5])))
    return 1;

  const clv_probe probe = {"middle", 0, top};
  clv_recorder_def output = clv_default_recorder_def();
  output.directory = "events";
  output.frame_every = 0.02;
  output.checkpoint_every = 0.5;
  output.probes = &probe;
  output.probe_count = 1;
  clv_recorder *recorder = clv_recorder_create(world, &output, &error);
  while (recorder && clv_world_time(world) < 1) {
    clv_world_report report;
    if (clv_world_step(world, &report)) return puts(clv_world_error(world)), 1;
    if (report.events) printf("%.2f s: %s\n", report.time, report.topology ? "its topology changes" : "an event");
    if (clv_recorder_step(recorder, &error)) return puts(error.message), 1;
  }
  if (!recorder || clv_recorder_close(recorder, "finished", &error) ||
      clv_plot_csv("events/probes.csv", "events/probes.svg", NULL, &error))
    return puts(error.message), 1;
  printf("see events/beam.pvd and events/probes.svg; hash %016llx\n", (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  return 0;
}
