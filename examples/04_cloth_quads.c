// A cloth of quadrangles hangs from two corners, falls and swings: its energies on the way.

#include <cleave/cleave.h>
#include <stdio.h>

static clv_body *add_cloth(clv_world *world, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = CLV_GRID_QUAD;
  grid.cells[0] = grid.cells[1] = 10;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  clv_section cotton = {clv_zone_all(), "cloth", clv_default_material()}; // 1 mm thick
  cotton.material.young = 1e6;
  cotton.material.density = 300;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &cotton;
  def.section_count = 1;
  def.drag = 0.5;
  clv_solver_def solver = clv_default_solver_def();
  solver.method = CLV_SYMPLECTIC_EULER;
  clv_body *cloth = clv_world_add(world, "cloth", &def, &solver, error);
  clv_mesh_free(&mesh);
  return cloth;
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  const clv_world_def def = clv_default_world_def();
  clv_world *world = clv_world_create(&def);
  clv_body *cloth = world ? add_cloth(world, &error) : NULL;
  if (!cloth) return puts(error.message), 1;
  const double left[3] = {0, 1, 0}, right[3] = {1, 1, 0};
  const clv_zone corners[2] = {clv_zone_nearest(left), clv_zone_nearest(right)};
  for (int k = 0; k < 2; k++)
    if (clv_body_fix(cloth, &corners[k], CLV_XYZ, NULL)) return puts(clv_body_error(cloth)), 1;
  for (int tenth = 1; tenth <= 10; tenth++) {
    while (clv_world_time(world) < 0.1 * tenth)
      if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;
    clv_energies now;
    if (clv_body_energies(cloth, &now)) return puts(clv_body_error(cloth)), 1;
    printf("%.1f s: kinetic %.4f J, elastic %.4f J, height %.4f J\n", clv_world_time(world), now.kinetic, now.elastic,
           now.gravitational);
  }
  printf("hash %016llx\n", (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  return 0;
}
