// A cloth of triangles and quadrangles, by Heun's method: a corner moves on a path, and we look into the cells.

#include <cleave/cleave.h>
#include <stdio.h>

static clv_body *add_cloth(clv_world *world, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = CLV_GRID_MIXED2;
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
  clv_solver_def solver = clv_default_solver_def();
  solver.method = CLV_HEUN;
  clv_body *cloth = clv_world_add(world, "cloth", &def, &solver, error);
  clv_mesh_free(&mesh);
  return cloth;
}

// The greatest principal stretch of any cell.
static double largest_stretch(const clv_body *cloth) {
  const clv_map *map = clv_body_map(cloth);
  const clv_id none = {0, 0};
  double largest = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, none); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    clv_cell_state cell;
    clv_body_cell_state(cloth, clv_id_dart(map, CLV_CELL, id), &cell);
    if (cell.stretch[1] > largest) largest = cell.stretch[1];
  }
  return largest;
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  const clv_world_def def = clv_default_world_def();
  clv_world *world = clv_world_create(&def);
  clv_body *cloth = world ? add_cloth(world, &error) : NULL;
  if (!cloth) return puts(error.message), 1;
  const double left[3] = {0, 1, 0}, right[3] = {1, 1, 0};
  const clv_zone held = clv_zone_nearest(left), moved = clv_zone_nearest(right);
  const clv_key path[2] = {{0, {0, 0, 0}}, {0.5, {-0.25, 0, 0.25}}}; // by so much, in half a second
  if (clv_body_fix(cloth, &held, CLV_XYZ, NULL) || clv_body_move(cloth, &moved, CLV_XYZ, path, 2, NULL))
    return puts(clv_body_error(cloth)), 1;
  while (clv_world_time(world) < 1)
    if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;
  printf("stretched by %.2f %% at most; hash %016llx\n", 100 * (largest_stretch(cloth) - 1),
         (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  return 0;
}
