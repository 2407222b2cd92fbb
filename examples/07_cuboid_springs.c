// A cuboid of 64 hexahedra with springs hangs from its top, by Runge and Kutta's method: what a step tells.

#include <cleave/cleave.h>
#include <stdio.h>

static clv_body *add_cuboid(clv_world *world, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.cells[0] = grid.cells[1] = grid.cells[2] = 4;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  clv_section springs = {clv_zone_all(), "springs", clv_default_material()};
  springs.material.young = 50e3;
  springs.material.poisson = 0.25;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &springs;
  def.section_count = 1;
  def.drag = 0.5;
  clv_solver_def solver = clv_default_solver_def();
  solver.method = CLV_RK4;
  clv_body *cuboid = clv_world_add(world, "cuboid", &def, &solver, error);
  clv_mesh_free(&mesh);
  return cuboid;
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  clv_world_def def = clv_default_world_def();
  def.step = 0.01;
  clv_world *world = clv_world_create(&def);
  clv_body *cuboid = world ? add_cuboid(world, &error) : NULL;
  if (!cuboid) return puts(error.message), 1;
  const double point[3] = {0, 0, 1}, up[3] = {0, 0, 1};
  const clv_zone top = clv_zone_plane(point, up);
  double stable = 0;
  if (clv_body_fix(cuboid, &top, CLV_XYZ, NULL)) return puts(clv_body_error(cuboid)), 1;
  if (clv_solver_stable_step(clv_world_solver(world, 0), &stable)) return 1;
  printf("steps of %g s; %.3g s would be stable\n", def.step, stable);
  double forces = 0;
  unsigned rejected = 0;
  while (clv_world_time(world) < 1) {
    clv_world_report report;
    if (clv_world_step(world, &report)) return puts(clv_world_error(world)), 1;
    rejected += report.solver.rejected;
    forces += report.solver.force_seconds;
  }
  printf("%.3g ms a step for forces, %u steps were halved\n", 1000 * forces / (double)clv_world_steps(world), rejected);
  printf("hash %016llx\n", (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  return 0;
}
