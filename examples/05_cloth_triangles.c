// A cloth of triangles on two threads; its last state goes into a file with strains and stresses.

#include <cleave/cleave.h>
#include <stdio.h>

static clv_body *add_cloth(clv_world *world, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = CLV_GRID_TRI;
  grid.cells[0] = grid.cells[1] = 10;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  clv_section cotton = {clv_zone_all(), "cloth", clv_default_material()};
  cotton.material.young = 1e6;
  cotton.material.density = 300;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &cotton;
  def.section_count = 1;
  def.drag = 0.5;
  def.threads = 2; // as many as you like: the bits are the same
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
  while (clv_world_time(world) < 0.5)
    if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;

  clv_mesh frame;
  clv_mesh_init(&frame, NULL);
  if (clv_frame_extract(&frame, world, 0, &error) || clv_mesh_write(&frame, "cloth.vtu", NULL, &error))
    return puts(error.message), 1;
  clv_mesh_free(&frame);
  printf("see cloth.vtu; hash %016llx\n", (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  return 0;
}
