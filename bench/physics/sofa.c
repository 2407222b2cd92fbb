// Beside SOFA 26.06, whose times are given in steps of the unit loop, taken in the same minutes on the same machine:
// solver work only, without its scene graph; the better of its default and native builds.

#include "../tools/subject.h"
#include "../tools/tools.h"
#include "../tools/unit.h"
#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct sofa_case {
  const char *name;
  double loops, bar;
  subject_def def;
} sofa_case;

#define BEAM .grid = CLV_GRID_HEX, .cells = {8, 8, 10}
#define BLOCK .grid = CLV_GRID_TET5, .cells = {20, 20, 50}
// Stands in for the liver where its mesh is not there: 180 points, 595 tetrahedra.
#define LIVER .grid = CLV_GRID_TET5, .cells = {7, 17, 1}, .file = "liver.msh"

static const sofa_case cases[] = {
    {"sofa_beam_springs", 5.1, 10, {BEAM, .model = "springs", .method = CLV_SYMPLECTIC_EULER}},
    {"sofa_beam_springs_rk4", 20, 9, {BEAM, .model = "springs", .method = CLV_RK4}},
    {"sofa_beam_implicit", 34, 4, {BEAM, .model = "springs", .method = CLV_IMPLICIT_EULER, .iterations = 25}},
    {"sofa_beam_hex", 5.4, 3, {BEAM, .model = "fem-corotational-qr", .method = CLV_SYMPLECTIC_EULER}},
    {"sofa_liver_springs", 3.9, 8, {LIVER, .model = "springs", .method = CLV_RK4}},
    {"sofa_liver_linear", 3.4, 4, {LIVER, .model = "fem-linear", .method = CLV_RK4}},
    {"sofa_liver_corotational", 7.0, 5, {LIVER, .model = "fem-corotational-qr", .method = CLV_RK4}},
    {"sofa_100k_linear", 136, 4, {BLOCK, .model = "fem-linear", .method = CLV_SYMPLECTIC_EULER}},
    {"sofa_100k_corotational", 283, 5, {BLOCK, .model = "fem-corotational-qr", .method = CLV_SYMPLECTIC_EULER}},
    {"sofa_100k_implicit",
     1833,
     2.4,
     {BLOCK, .model = "fem-corotational-qr", .method = CLV_IMPLICIT_EULER, .iterations = 25}},
};

static void run_case(const sofa_case *c) {
  subject s;
  double unit;
  subject_def def = c->def;
  if (def.file) def.file = subject_file(def.file);
  subject_make(&s, &def);
  const double seconds = subject_time(&s, &unit), ratio = c->loops * unit / seconds;
  printf("%-26s %10.4f %10.2f %10.2f %8.2f %8.1f\n", c->name, seconds * 1e3, seconds / unit, c->loops, ratio, c->bar);
  ratio_worst(c->name, ratio);
  subject_free(&s);
}

// Loading: a text file of the mesh becomes a body with a solver that has forces.

typedef struct load_run {
  subject_def def;
} load_run;

static void run_load(void *user) {
  const load_run *run = user;
  clv_mesh mesh;
  subject_mesh(&mesh, &run->def);
  clv_body *body = subject_body(&mesh, &run->def, NULL);
  clv_solver *solver = subject_solver(body, &run->def);
  clv_mesh_free(&mesh);
  clv_solver_destroy(solver);
  clv_body_destroy(body);
}

static void run_loading(void) {
  char directory[] = "bench_physics_XXXXXX", path[64];
  if (!mkdtemp(directory)) bench_fail("no directory can be made here");
  snprintf(path, sizeof path, "%s/block.msh", directory);
  load_run run = {.def = {BLOCK, .model = "fem-corotational-qr", .method = CLV_SYMPLECTIC_EULER}};
  clv_mesh mesh;
  clv_error error;
  subject_mesh(&mesh, &run.def);
  bench_ok(clv_mesh_write(&mesh, path, "msh2", &error), "write", error.message);
  clv_mesh_free(&mesh);
  run.def.file = path;
  bench_contestant both[] = {{unit_step, NULL, 0}, {run_load, &run, 0}};
  unit_make();
  bench_compete(both, 2, bench_seconds, 5);
  unlink(path);
  rmdir(directory);
  const double unit = both[0].best, seconds = both[1].best, ratio = 15000 * unit / seconds;
  printf("%-26s %10.4f %10.2f %10.2f %8.2f %8.1f\n", "sofa_100k_load", seconds * 1e3, seconds / unit, 15000.0, ratio,
         5.0);
  ratio_worst("sofa_100k_load", ratio);
}

void bench_sofa(void) {
  printf("\nbeside SOFA 26.06; a loop is one step of the unit loop\n");
  printf("%-26s %10s %10s %10s %8s %8s\n", "", "ms a step", "in loops", "SOFA", "ratio", "bar");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) run_case(&cases[k]);
  run_loading();
}
