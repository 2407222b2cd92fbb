// The other beam of the 2013 paper: saved half way, it goes on in another world with the same bits.

#include <cleave/cleave.h>
#include <stdio.h>

// A world of one beam, held at one end.
static clv_world *make_world(clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = CLV_GRID_TET6;
  grid.cells[0] = 9, grid.cells[1] = 7, grid.cells[2] = 5;
  grid.size[0] = 0.45, grid.size[1] = 0.35, grid.size[2] = 0.25;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  clv_section springs = {clv_zone_all(), "springs", clv_default_material()};
  springs.material.young = 400e3;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &springs;
  def.section_count = 1;
  def.gravity[2] = -9.8;
  def.drag = 1;
  clv_solver_def solver = clv_default_solver_def();
  solver.method = CLV_SYMPLECTIC_EULER;
  const clv_world_def world_def = clv_default_world_def();
  clv_world *world = clv_world_create(&world_def);
  clv_body *beam = world ? clv_world_add(world, "beam", &def, &solver, error) : NULL;
  clv_mesh_free(&mesh);
  const double least[3] = {0, 0, 0}, greatest[3] = {0, 1, 1};
  const clv_zone wall = clv_zone_box(least, greatest);
  if (beam && clv_body_fix(beam, &wall, CLV_XYZ, NULL) == CLV_OK) return world;
  clv_world_destroy(world);
  return NULL;
}

static int run(clv_world *world, double until) {
  while (clv_world_time(world) < until) {
    if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;
  }
  return 0;
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  clv_world *first = make_world(&error), *second = make_world(&error);
  if (!first || !second) return puts(error.message), 1;
  if (run(first, 0.5) || clv_checkpoint_write(first, "half.h5", NULL, &error)) return puts(error.message), 1;
  if (clv_checkpoint_read(second, "half.h5", NULL, &error)) return puts(error.message), 1;
  printf("going on at step %d, t = %.3g s\n", (int)clv_world_steps(second), clv_world_time(second));
  if (run(second, 1)) return 1;
  printf("hash %016llx\n", (unsigned long long)clv_world_hash(second));
  clv_world_destroy(first);
  clv_world_destroy(second);
  return 0;
}
