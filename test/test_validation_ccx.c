// The same mesh, material and load, solved by Cleave and by CalculiX (ccx), another program by other people: statics of
// linear tetrahedra (C3D4) and hexahedra (C3D8).
//
// The meshes are distorted, so that no cell is a box. Cleave writes the mesh; cards for the material, what is held and
// what pulls follow here. CalculiX prints seven digits, so loads are scaled until the largest displacement is just
// below 10, metres, which small-displacement theory does not mind: what is compared is then good to 5e-8 of it.
//
// C3D8 of CalculiX is the plain trilinear hexahedron, integrated at 2 x 2 x 2 points, as it is here: no mean dilatation
// (B-bar), no incompatible modes (those are C3D8I). Poisson's ratio is far from 0, so that either would be seen.

#include "cleave/io.h"
#include "support/beam.h"
#include "support/directory.h"
#include "support/random.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct trial {
  const char *name;
  clv_grid_kind kind;
  uint32_t cells[3];
  double size[3];
  uint32_t axis; // what is held is the end of least coordinate along it, what is pulled that of greatest
  double poisson;
  double pull[3]; // N, in all
  double gravity[3];
} trial;

static const trial trials[] = {
    {"cantilever", CLV_GRID_TET5, {12, 3, 3}, {2, 0.4, 0.5}, 0, 0.3, {0, 300, -1000}, {0}},
    {"cantilever", CLV_GRID_HEX, {12, 3, 3}, {2, 0.4, 0.5}, 0, 0.3, {0, 300, -1000}, {0}},
    {"block", CLV_GRID_TET5, {5, 5, 5}, {1, 1.1, 0.9}, 2, 0.4, {500, 0, -2000}, {0, 0, -9.81}},
    {"block", CLV_GRID_HEX, {5, 5, 5}, {1, 1.1, 0.9}, 2, 0.4, {500, 0, -2000}, {0, 0, -9.81}},
};

static const double density = 1000, young = 1e7;

static bool at_end(const trial *t, const double *point, double part) {
  return fabs(point[t->axis] - part * t->size[t->axis]) < 1e-9;
}

// A grid whose inner points are anywhere near where they were, with the sets that cards refer to.
static void make_mesh(const trial *t, clv_mesh *mesh) {
  clv_grid_def def = clv_default_grid_def();
  random_source random = {4711};
  double *held, *pulled;
  def.kind = t->kind;
  memcpy(def.cells, t->cells, sizeof def.cells);
  memcpy(def.size, t->size, sizeof def.size);
  clv_mesh_init(mesh, NULL);
  assert_int_equal(clv_mesh_grid(mesh, &def, NULL), CLV_OK);
  for (size_t p = 0; p < mesh->point_count; p++) {
    bool inner = true;
    for (uint32_t k = 0; k < 3; k++) inner &= mesh->points[p][k] > 1e-9 && mesh->points[p][k] < t->size[k] - 1e-9;
    for (uint32_t k = 0; k < 3 && inner; k++)
      mesh->points[p][k] += 0.15 * t->size[k] / t->cells[k] * (2.0 * random_below(&random, 1000001) / 1e6 - 1);
  }
  for (size_t e = 0; e < mesh->element_count; e++) mesh->tags[e] = 1;
  assert_int_equal(clv_mesh_add_region(mesh, 3, 1, "SOLID"), CLV_OK);
  assert_int_equal(clv_mesh_add_field(mesh, "HELD", CLV_ON_POINTS, 1, &held), CLV_OK);
  assert_int_equal(clv_mesh_add_field(mesh, "PULLED", CLV_ON_POINTS, 1, &pulled), CLV_OK);
  for (size_t p = 0; p < mesh->point_count; p++) {
    held[p] = at_end(t, mesh->points[p], 0);
    pulled[p] = at_end(t, mesh->points[p], 1);
  }
}

// Cleave

static bool same_place(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Displacements by point, for `scale` times the loads.
static double *solve_here(const trial *t, const clv_mesh *mesh, double scale) {
  clv_section section = {.zone = clv_zone_all(), .model = "fem-linear", .material = clv_default_material()};
  section.material.young = young;
  section.material.poisson = t->poisson;
  section.material.density = density;
  clv_body_def def = clv_default_body_def();
  def.mesh = mesh;
  def.sections = &section;
  def.section_count = 1;
  for (uint32_t k = 0; k < 3; k++) def.gravity[k] = scale * t->gravity[k];
  clv_error error = {0};
  clv_body *body = clv_body_create(&def, NULL, &error);
  if (!body) fail_msg("%s", error.message);
  double normal[3] = {0}, back[3] = {0};
  normal[t->axis] = 1;
  back[t->axis] = -1;
  const clv_zone low = clv_zone_plane((double[]){0, 0, 0}, back), high = clv_zone_plane(t->size, normal);
  clv_key key = {0, {0}};
  for (uint32_t k = 0; k < 3; k++) key.value[k] = scale * t->pull[k];
  assert_int_equal(clv_body_fix(body, &low, CLV_XYZ, NULL), CLV_OK);
  assert_int_equal(clv_body_pull(body, &high, &key, 1, NULL), CLV_OK);
  clv_solver_def method = beam_method(CLV_STATIC);
  method.tolerance = 1e-12;
  method.newton_tolerance = 1e-10;
  clv_solver *solver = beam_solver(body, &method);
  beam_step(solver, 0, 1);
  const double *x = clv_body_positions(body), *rest = clv_body_rest(body), *masses = clv_body_masses(body);
  double *moved = calloc(3 * mesh->point_count, sizeof *moved);
  assert_non_null(moved);
  for (size_t p = 0; p < mesh->point_count; p++) {
    size_t slot = 0;
    for (size_t s = 1; s < clv_body_slots(body) && !slot; s++)
      if (masses[s] > 0 && same_place(rest + 3 * s, mesh->points[p])) slot = s;
    assert_true(slot > 0);
    for (uint32_t k = 0; k < 3; k++) moved[3 * p + k] = x[3 * slot + k] - rest[3 * slot + k];
  }
  clv_solver_destroy(solver);
  clv_body_destroy(body);
  return moved;
}

// CalculiX

static void write_job(const trial *t, const clv_mesh *mesh, double scale, const char *path) {
  uint32_t pulled = 0;
  for (size_t p = 0; p < mesh->point_count; p++) pulled += at_end(t, mesh->points[p], 1);
  FILE *job = fopen(path, "w");
  assert_non_null(job);
  fprintf(job, "*INCLUDE, INPUT=mesh.inp\n");
  fprintf(job, "*MATERIAL, NAME=STUFF\n*ELASTIC\n%.12g, %.12g\n*DENSITY\n%.12g\n", young, t->poisson, density);
  fprintf(job, "*SOLID SECTION, ELSET=SOLID, MATERIAL=STUFF\n*BOUNDARY\nHELD, 1, 3\n*STEP\n*STATIC\n*CLOAD\n");
  for (uint32_t k = 0; k < 3; k++)
    if (t->pull[k] != 0) fprintf(job, "PULLED, %u, %.12e\n", k + 1, scale * t->pull[k] / pulled);
  if (t->gravity[2] != 0) fprintf(job, "*DLOAD\nSOLID, GRAV, %.12e, 0, 0, -1\n", -scale * t->gravity[2]);
  fprintf(job, "*NSET, NSET=EVERY, GENERATE\n1, %zu\n*NODE PRINT, NSET=EVERY\nU\n*END STEP\n", mesh->point_count);
  assert_int_equal(fclose(job), 0);
}

// Runs `ccx job` in a directory; the alarm ends one that hangs, as it outlives exec.
static void run_ccx(const char *directory) {
  enum { MISSING = 127, SECONDS = 120 };
  fflush(NULL);
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    alarm(SECONDS);
    if (chdir(directory) != 0 || !freopen("ccx.log", "w", stdout) || dup2(1, 2) < 0 ||
        setenv("OMP_NUM_THREADS", "1", 1) != 0)
      _exit(1);
    execlp("ccx", "ccx", "job", (char *)NULL);
    _exit(MISSING);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == MISSING)
    fail_msg("there is no ccx to compare with: run `scripts/deps.sh test`, which installs calculix-ccx");
  if (WIFSIGNALED(status)) fail_msg("ccx ended by signal %d", WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) fail_msg("ccx ended with %d", WEXITSTATUS(status));
}

// The displacements of job.dat: after a headline, "node ux uy uz" a line.
static double *read_displacements(const char *path, size_t points) {
  FILE *file = fopen(path, "r");
  if (!file) fail_msg("ccx wrote no %s", path);
  double *moved = calloc(3 * points, sizeof *moved);
  assert_non_null(moved);
  char line[256];
  size_t seen = 0;
  while (fgets(line, sizeof line, file)) {
    size_t node;
    double u[3];
    if (sscanf(line, "%zu %lf %lf %lf", &node, &u[0], &u[1], &u[2]) != 4) continue;
    assert_true(node >= 1 && node <= points);
    memcpy(moved + 3 * (node - 1), u, sizeof u);
    seen++;
  }
  fclose(file);
  assert_int_equal(seen, points);
  return moved;
}

static double greatest_difference(const double *a, const double *b, size_t points) {
  double most = 0;
  for (size_t k = 0; k < 3 * points; k++) most = fmax(most, fabs(a[k] - b[k]));
  return most;
}

static double greatest(const double *a, size_t points) {
  double most = 0;
  for (size_t k = 0; k < 3 * points; k++) most = fmax(most, fabs(a[k]));
  return most;
}

static void displacements_are_those_of_calculix(void **state) {
  for (uint32_t k = 0; k < sizeof trials / sizeof *trials; k++) {
    const trial *t = &trials[k];
    clv_mesh mesh;
    clv_error error = {0};
    make_mesh(t, &mesh);
    double *first = solve_here(t, &mesh, 1);
    const double scale = 9.5 / greatest(first, mesh.point_count);
    double *here = solve_here(t, &mesh, scale);
    if (clv_mesh_write(&mesh, in_directory(state, "mesh.inp"), NULL, &error) != CLV_OK) fail_msg("%s", error.message);
    write_job(t, &mesh, scale, in_directory(state, "job.inp"));
    remove(in_directory(state, "job.dat"));
    run_ccx(((test_directory *)*state)->path);
    double *there = read_displacements(in_directory(state, "job.dat"), mesh.point_count);
    const double most = greatest(there, mesh.point_count);
    const double apart = greatest_difference(here, there, mesh.point_count) / most;
    print_message("%-10s %-5s %5zu points %5zu cells: %.1e apart, of %.3f mm\n", t->name, clv_grid_name(t->kind),
                  mesh.point_count, mesh.element_count, apart, 1e3 * most / scale);
    assert_true(most > 9);
    if (!(apart < 1e-6)) fail_msg("%s of %s: %.2e apart", t->name, clv_grid_name(t->kind), apart);
    free(first);
    free(here);
    free(there);
    clv_mesh_free(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(displacements_are_those_of_calculix, directory_setup, directory_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
