#include "subject.h"

#include "tools.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 15 };

const char *subject_meshes;

const char *subject_file(const char *name) {
  static char path[2][1024];
  static int turn;
  if (!subject_meshes) return NULL;
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", subject_meshes, name);
  return access(path[turn], R_OK) == 0 ? path[turn] : NULL;
}

// Memory that is counted

static void *resize_counted(void *user, void *memory, size_t old_size, size_t new_size) {
  size_t *bytes = user;
  *bytes += new_size - old_size;
  const clv_allocator allocator = clv_default_allocator();
  void *moved = allocator.resize(allocator.user, memory, old_size, new_size);
  if (!moved && new_size) bench_fail("out of memory");
  return moved;
}

// Subjects

// Whatever unit a file is in: its longest side becomes 20 cm.
static void scale_mesh(clv_mesh *mesh) {
  double longest = 0;
  for (int i = 0; i < 3; i++) {
    double least = INFINITY, greatest = -INFINITY;
    for (size_t p = 0; p < mesh->point_count; p++) {
      least = fmin(least, mesh->points[p][i]);
      greatest = fmax(greatest, mesh->points[p][i]);
    }
    longest = fmax(longest, greatest - least);
  }
  for (size_t p = 0; p < mesh->point_count; p++)
    for (int i = 0; i < 3; i++) mesh->points[p][i] *= 0.2 / longest;
}

void subject_mesh(clv_mesh *mesh, const subject_def *def) {
  clv_error error;
  clv_mesh_init(mesh, NULL);
  if (def->file) {
    bench_ok(clv_mesh_read(mesh, def->file, &error), def->file, error.message);
    scale_mesh(mesh);
    return;
  }
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = def->grid;
  for (int i = 0; i < 3; i++) grid.cells[i] = def->cells[i], grid.size[i] = 0.01 * def->cells[i];
  bench_ok(clv_mesh_grid(mesh, &grid, &error), "grid", error.message);
}

static clv_zone lowest_end(const clv_mesh *mesh) {
  double least = INFINITY, greatest = -INFINITY;
  for (size_t p = 0; p < mesh->point_count; p++) {
    least = fmin(least, mesh->points[p][2]);
    greatest = fmax(greatest, mesh->points[p][2]);
  }
  const double point[3] = {0, 0, least + 0.02 * (greatest - least)}, down[3] = {0, 0, -1};
  return clv_zone_plane(point, down);
}

clv_body *subject_body(const clv_mesh *mesh, const subject_def *def, const clv_allocator *allocator) {
  clv_error error;
  clv_section section = {.zone = clv_zone_all(), .model = def->model, .material = clv_default_material()};
  section.material.viscosity = def->viscosity;
  clv_body_def body_def = clv_default_body_def();
  body_def.mesh = mesh;
  body_def.sections = &section;
  body_def.section_count = 1;
  body_def.threads = def->threads;
  body_def.gravity[1] = -9.81, body_def.gravity[2] = 0;
  if (allocator) body_def.allocator = *allocator;
  clv_body *body = clv_body_create(&body_def, NULL, &error);
  if (!body) bench_fail("body: %s", error.message);
  const clv_zone end = lowest_end(mesh);
  bench_ok(clv_body_fix(body, &end, CLV_XYZ, NULL), "fix", clv_body_error(body));
  return body;
}

clv_solver *subject_solver(clv_body *body, const subject_def *def) {
  clv_error error;
  clv_solver_def solver_def = clv_default_solver_def();
  solver_def.method = def->method;
  solver_def.linear = def->linear;
  if (def->iterations) {
    solver_def.iterations = def->iterations;
    solver_def.tolerance = 1e-30; // never met
  }
  clv_solver *solver = clv_solver_create(body, &solver_def, &error);
  if (!solver) bench_fail("solver: %s", error.message);
  return solver;
}

void subject_make(subject *s, const subject_def *def) {
  clv_mesh mesh;
  *s = (subject){0};
  subject_mesh(&mesh, def);
  const clv_allocator allocator = {.resize = resize_counted, .user = &s->bytes};
  s->body = subject_body(&mesh, def, &allocator);
  s->solver = subject_solver(s->body, def);
  s->cells = (uint32_t)mesh.element_count;
  clv_mesh_free(&mesh);
  bench_ok(clv_solver_stable_step(s->solver, &s->dt), "stable step", clv_solver_error(s->solver));
  s->dt = isinf(s->dt) ? 1e-3 : s->dt / 3;
}

void subject_free(subject *s) {
  clv_solver_destroy(s->solver);
  clv_body_destroy(s->body);
}

void subject_step(void *user) {
  subject *s = user;
  bench_ok(clv_solver_step(s->solver, 0, s->dt, NULL), "step", clv_solver_error(s->solver));
}

double subject_time(subject *s, double *unit) {
  bench_contestant both[] = {{unit_step, NULL, 0}, {subject_step, s, 0}};
  unit_make();
  subject_step(s);
  bench_compete(both, 2, bench_seconds, ROUNDS);
  if (unit) *unit = both[0].best;
  return both[1].best;
}
