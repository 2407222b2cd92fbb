// The beam of the 2013 paper, of springs: an explicit method, with the step that the solver finds stable.

#include <cleave/cleave.h>
#include <stdio.h>

static clv_body *add_beam(clv_world *world, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.cells[0] = 10, grid.cells[1] = grid.cells[2] = 8;
  grid.size[0] = 0.5, grid.size[1] = grid.size[2] = 0.4;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  const clv_section springs = {clv_zone_all(), "springs", clv_default_material()}; // 100 kPa
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &springs;
  def.section_count = 1;
  def.gravity[2] = -9.8;
  def.drag = 1;
  clv_solver_def solver = clv_default_solver_def();
  solver.method = CLV_SYMPLECTIC_EULER;
  clv_body *beam = clv_world_add(world, "beam", &def, &solver, error);
  clv_mesh_free(&mesh);
  return beam;
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  clv_world_def def = clv_default_world_def();
  clv_world *world = clv_world_create(&def); // the step: 0.8 of the stable one
  clv_body *beam = world ? add_beam(world, &error) : NULL;
  if (!beam) return puts(error.message), 1;
  const double least[3] = {0, 0, 0}, greatest[3] = {0, 1, 1};
  const clv_zone wall = clv_zone_box(least, greatest);
  uint32_t held = 0;
  if (clv_body_fix(beam, &wall, CLV_XYZ, &held)) return puts(clv_body_error(beam)), 1;
  printf("%d particles held, steps of %.3g ms\n", (int)held, 1000 * clv_world_get_step(world));
  while (clv_world_time(world) < 1) {
    if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;
  }
  clv_momenta now;
  clv_body_momenta(beam, &now);
  printf("%.4g kg, the centre at height %.4g m\n", now.mass, now.centre[2]);
  printf("hash %016llx\n", (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  return 0;
}
