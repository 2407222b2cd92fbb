// A beam that is held at one end bends under its own weight; results are written for ParaView.

#include <cleave/cleave.h>
#include <stdio.h>

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  clv_grid_def grid = clv_default_grid_def(); // hexahedra, in a cube of 1 m
  grid.cells[0] = 12, grid.cells[1] = grid.cells[2] = 3, grid.size[0] = 4;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, &error)) return puts(error.message), 1;

  clv_section rubber = {clv_zone_all(), "fem-corotational", clv_default_material()};
  rubber.material.young = 10e6; // Pa
  clv_body_def body = clv_default_body_def();
  body.mesh = &mesh, body.sections = &rubber, body.section_count = 1;
  clv_solver_def solver = clv_default_solver_def(); // implicit Euler
  clv_world_def clock = clv_default_world_def();    // steps of 1/60 s
  clv_world *world = clv_world_create(&clock);
  clv_body *beam = world ? clv_world_add(world, "beam", &body, &solver, &error) : NULL;
  clv_mesh_free(&mesh);

  const double least[3] = {0, 0, 0}, greatest[3] = {0, 1, 1};
  const clv_zone wall = clv_zone_box(least, greatest);
  if (!beam || clv_body_fix(beam, &wall, CLV_XYZ, NULL)) return puts(beam ? clv_body_error(beam) : error.message), 1;

  clv_recorder_def output = clv_default_recorder_def();
  output.directory = "cantilever";
  clv_recorder *recorder = clv_recorder_create(world, &output, &error);
  while (recorder && clv_world_time(world) < 2) {
    if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;
    if (clv_recorder_step(recorder, &error)) break;
  }
  if (!recorder || clv_recorder_close(recorder, "finished", &error)) return puts(error.message), 1;
  printf("see cantilever/beam.pvd; hash %016llx\n", (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
}
