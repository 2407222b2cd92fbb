// Rules from C: a program is checked, a rule cuts a body, and a force is felt on both sides of the cut.

#include <cleave/cleave.h>
#include <cleave/view.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char rules[] = "use springs;\n"
                            "rule part(a:<0,1>) { left { a -3- b:<0,1>; } right { a -3- a; b -3- b; } }\n";

// A program from text. What is wrong with it is printed as a compiler would.
static clv_program *load_rules(const char *name, const char *text) {
  clv_program *program = clv_program_create(NULL);
  if (!program || clv_program_add(program, name, text, strlen(text))) return NULL;
  if (clv_program_check(program) == CLV_OK) return program;
  const clv_diagnostic *found;
  const uint32_t count = clv_program_diagnostics(program, &found);
  for (uint32_t k = 0; k < count; k++) {
    char finding[1024];
    clv_diagnostic_print(program, &found[k], finding, sizeof finding);
    fputs(finding, stderr);
  }
  clv_program_destroy(program);
  return NULL;
}

// Two cubes side by side.
static clv_result make_body(clv_map **map) {
  clv_grid_def def = clv_default_grid_def();
  def.cells[0] = 2;
  def.size[0] = 2;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_result result = clv_mesh_grid(&mesh, &def, NULL);
  if (!result) result = clv_mesh_build(&mesh, NULL, map, NULL, NULL);
  clv_mesh_free(&mesh);
  return result;
}

// A dart of the face between the cubes.
static clv_dart inner_dart(const clv_map *map) {
  clv_walk walk;
  clv_dart found = CLV_NO_DART;
  if (clv_walk_orbit(&walk, map, CLV_CELL, clv_cell_at(map, CLV_HEX, 0))) return found;
  for (uint32_t k = 0; k < walk.count && !found; k++)
    if (!clv_is_free(map, walk.darts[k], 3)) found = walk.darts[k];
  clv_walk_end(&walk);
  return found;
}

// Applies the rule in a transaction. Where it does not match, the map says why and stays as it was.
static clv_result cut(const clv_program *program, clv_map *map) {
  const clv_rule *rule = clv_program_rule(program, "part");
  clv_rule_argument argument = {0, 0, NULL, 0};
  argument.dart = inner_dart(map);
  if (!rule || clv_map_begin(map)) return CLV_ERROR_ARGUMENT;
  clv_result result = clv_rule_apply(rule, map, &argument, 1, NULL, NULL);
  if (!result) result = clv_map_commit(map);
  if (result) {
    fprintf(stderr, "%s\n", clv_map_error(map));
    clv_map_rollback(map);
  }
  return result;
}

// Vertices rest where the mesh has them, and are pulled apart along x.
static void stretch(clv_map *map) {
  double *rest = (double *)clv_column_data(clv_column_find(map, "rest"), CLV_NONE, NULL);
  uint32_t count = 0;
  double *pos = (double *)clv_column_data(clv_column_find(map, "pos"), CLV_NONE, &count);
  memcpy(rest, pos, count * 3 * sizeof(double));
  for (uint32_t k = 0; k < count; k++) pos[3 * k] *= 1.5;
}

static void tell(const char *when, clv_views *views) {
  double energy = 0;
  if (clv_views_energy(views, &energy)) return;
  printf("%s: %d springs, %.1f J\n", when, (int)clv_views_rows(views, "stretch"), energy);
}

int main(void) {
  clv_program *program = load_rules("cut.rule", rules);
  clv_map *map = NULL;
  if (!program || make_body(&map)) return 1;
  static const char *const forces[] = {"stretch"};
  clv_views_def def = clv_default_views_def();
  def.forces = forces;
  def.force_count = 1;
  clv_views *views = clv_views_create(program, map, &def, NULL);
  if (!views) return 1;
  stretch(map);
  if (clv_views_refresh(views)) return 1; // columns were written behind the map's back
  tell("whole", views);
  if (cut(program, map)) return 1; // the views follow by themselves
  tell("cut", views);
  clv_views_destroy(views);
  clv_map_destroy(map);
  clv_program_destroy(program);
  return 0;
}
