// Reads a mesh file, builds its map, checks it, says what is in it, and writes it as checked.vtu.
//
//     read_check FILE.msh        or .vtk or .vtu; without a file it first makes one, block.msh

#include <cleave/cleave.h>

#include <stdio.h>

static int fail(const clv_error *error) {
  fprintf(stderr, "%s\n", error->message); // "block.msh:12: what is wrong"
  return 1;
}

static clv_result write_block(const char *path, clv_error *error) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = CLV_GRID_MIXED;
  def.cells[0] = def.cells[1] = def.cells[2] = 4;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_result result = clv_mesh_grid(&mesh, &def, error);
  if (!result) result = clv_mesh_write(&mesh, path, "msh4-binary", error);
  clv_mesh_free(&mesh);
  return result;
}

static void print_problem(void *user, const clv_problem *problem) {
  printf("%s: %s: %s\n", (const char *)user, problem->condition, problem->message);
}

static void print_info(const clv_map *map, const clv_build_report *report) {
  clv_map_info info;
  if (clv_map_count(map, &info)) return;
  printf("%d vertices, %d edges, %d faces, %d volumes\n", (int)info.cells[0], (int)info.cells[1], (int)info.cells[2],
         (int)info.cells[3]);
  for (int kind = CLV_TRI; kind <= CLV_POLYHEDRON; kind++)
    if (info.kinds[kind]) printf("  %d %s\n", (int)info.kinds[kind], clv_kind_name((clv_kind)kind));
  printf("%d components, Euler characteristic %d, %d boundary facets, %s\n", (int)info.components, (int)info.euler,
         (int)info.boundary_facets, info.orientable ? "orientable" : "not orientable");
  printf("%d inverted elements turned, %d elements of a lower dimension left out\n", (int)report->turned,
         (int)report->left_out);
  printf("%d bytes for the map, %d for values\n", (int)clv_map_bytes(map), (int)clv_column_bytes(map));
}

int main(int argc, char **argv) {
  char made[] = "block.msh";
  char *path = argc > 1 ? argv[1] : made;
  clv_error error;
  if (argc < 2 && write_block(path, &error)) return fail(&error);

  clv_mesh mesh, result;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_read(&mesh, path, &error)) return fail(&error);
  clv_map *map = NULL;
  clv_build_report report;
  const clv_result built = clv_mesh_build(&mesh, NULL, &map, &report, &error);
  clv_mesh_free(&mesh);
  if (built) return fail(&error);
  if (clv_map_check(map, print_problem, path)) return 1;
  printf("%s: a sound map\n", path);
  print_info(map, &report);

  clv_mesh_init(&result, NULL);
  clv_result written = clv_mesh_extract(&result, map, &error);
  if (!written) written = clv_mesh_write(&result, "checked.vtu", NULL, &error);
  clv_mesh_free(&result);
  clv_map_destroy(map);
  if (written) return fail(&error);
  puts("wrote checked.vtu");
  return 0;
}
