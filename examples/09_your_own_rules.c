// A net of fibres whose law is a text of our own: checked, compiled, and a model like any other.

#include <cleave/cleave.h>
#include <stdio.h>
#include <string.h>

static const char fibres[] = "use body;\n"
                             "param k:real[N/m] = 50;\n"
                             "param growth:real = 4;\n"
                             "force fibre on e:edge {\n"
                             "  let l = norm(e.pos - e@0.pos);\n"
                             "  let s = (l - rest(l))/rest(l);\n"
                             "  energy 0.5*k*rest(l)^2*s^2*(1 + growth*s^2);\n"
                             "  psd clamp;\n"
                             "}\n";

static clv_body *add_net(clv_world *world, const clv_program *program, clv_error *error) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = CLV_GRID_TRI;
  grid.cells[0] = grid.cells[1] = 16;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, error)) return NULL;
  const clv_section net = {clv_zone_all(), "rules", clv_default_material()};
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &net;
  def.section_count = 1;
  def.program = program;
  def.drag = 1;
  const clv_solver_def solver = clv_default_solver_def();
  clv_body *body = clv_world_add(world, "net", &def, &solver, error);
  clv_mesh_free(&mesh);
  return body;
}

int main(void) {
  clv_error error = {CLV_ERROR_MEMORY, "out of memory"};
  clv_program *program = clv_program_create(NULL);
  if (!program || clv_program_add(program, "fibres.rule", fibres, strlen(fibres)) || clv_program_check(program))
    return puts("the rules are not sound"), 1; // examples/parts/rules.c shows how to print the findings
  if (clv_program_compile(program, NULL, NULL, &error)) return puts(error.message), 1;

  clv_world_def def = clv_default_world_def();
  def.step = 0.005;
  clv_world *world = clv_world_create(&def);
  clv_body *net = world ? add_net(world, program, &error) : NULL;
  if (!net) return puts(error.message), 1;
  const double k = 2000; // N/m, where the text says 50
  if (clv_views_set_param(clv_body_views(net), "k", &k, 1)) return 1;
  const double corners[4][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {1, 1, 0}};
  const clv_zone left = clv_zone_box(corners[0], corners[1]), right = clv_zone_box(corners[2], corners[3]);
  if (clv_body_fix(net, &left, CLV_XYZ, NULL) || clv_body_fix(net, &right, CLV_XYZ, NULL)) return 1;
  while (clv_world_time(world) < 1)
    if (clv_world_step(world, NULL)) return puts(clv_world_error(world)), 1;
  printf("%u fibres; hash %016llx\n", (unsigned)clv_views_rows(clv_body_views(net), "fibre"),
         (unsigned long long)clv_world_hash(world));
  clv_world_destroy(world);
  clv_program_destroy(program);
  return 0;
}
