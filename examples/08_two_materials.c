// A soft beam of four kinds of cells with a stiff core, which has another law: sections of a body.

#include <cleave/cleave.h>
#include <stdio.h>

static clv_body *add_arm(clv_world *world, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = CLV_GRID_MIXED;
  grid.cells[0] = 8, grid.cells[1] = grid.cells[2] = 4;
  grid.size[0] = 2;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  const double least[3] = {0, 0.25, 0.25}, greatest[3] = {1, 0.75, 0.75};
  clv_section sections[2] = {{clv_zone_all(), "fem-corotational", clv_default_material()},
                             {clv_zone_box(least, greatest), "stvk", clv_default_material()}}; // takes from the first
  clv_material *flesh = &sections[0].material, *bone = &sections[1].material;
  flesh->young = 2e6, bone->young = 100e6;
  flesh->poisson = bone->poisson = 0.4;
  bone->density = 1800;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = sections;
  def.section_count = 2;
  def.drag = 1;
  const clv_solver_def solver = clv_default_solver_def();
  clv_body *arm = clv_world_add(world, "arm", &def, &solver, error);
  clv_mesh_free(&mesh);
  return arm;
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  clv_world_def def = clv_default_world_def();
  def.step = 0.01;
  clv_world *world = clv_world_create(&def);
  clv_body *arm = world ? add_arm(world, &error) : NULL;
  if (!arm) return puts(error.message), 1;
  const double origin[3] = {0, 0, 0}, left[3] = {-1, 0, 0};
  const clv_zone wall = clv_zone_plane(origin, left);
  if (clv_body_fix(arm, &wall, CLV_XYZ, NULL)) return puts(clv_body_error(arm)), 1;
  while (clv_world_time(world) < 0.3)
    if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;
  clv_momenta now;
  clv_body_momenta(arm, &now);
  printf("%.5g kg, the centre at %.4f %.4f %.4f\n", now.mass, now.centre[0], now.centre[1], now.centre[2]);
  printf("hash %016llx\n", (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  return 0;
}
