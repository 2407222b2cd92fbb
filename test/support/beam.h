// Beams that tests move: a grid of cells, one material, one model.

#ifndef CLEAVE_TEST_SUPPORT_BEAM_H
#define CLEAVE_TEST_SUPPORT_BEAM_H

#include "cleave/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct beam {
  clv_grid_kind kind;
  uint32_t cells[3];
  double size[3];
  const char *model;
  clv_material material;
  double gravity[3];
  double drag, rayleigh_mass, rayleigh_stiffness;
  uint32_t threads;
  bool plane;
  const clv_program *program; // NULL: the body makes its own, which takes longer than everything else
  clv_allocator allocator;
} beam;

// The shipped laws, for many bodies.
static inline clv_program *beam_program(void) {
  const clv_allocator allocator = clv_default_allocator();
  clv_program *program = clv_program_create(&allocator);
  assert_non_null(program);
  static const char *const modules[] = {"body", "springs", "fem"};
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(clv_program_use(program, modules[k]), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  return program;
}

// Eight hexahedra of soft springs, weightless, undamped.
static inline beam beam_default(void) {
  beam b = {.kind = CLV_GRID_HEX,
            .cells = {8, 1, 1},
            .size = {0.8, 0.1, 0.1},
            .model = "springs",
            .material = clv_default_material(),
            .threads = 1,
            .allocator = clv_default_allocator()};
  return b;
}

static inline void beam_mesh(const beam *b, clv_mesh *mesh) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = b->kind;
  memcpy(grid.cells, b->cells, sizeof grid.cells);
  memcpy(grid.size, b->size, sizeof grid.size);
  clv_mesh_init(mesh, NULL);
  assert_int_equal(clv_mesh_grid(mesh, &grid, NULL), CLV_OK);
}

static inline clv_body_def beam_def(const beam *b, const clv_mesh *mesh, clv_section *section) {
  *section = (clv_section){.zone = clv_zone_all(), .model = b->model, .material = b->material};
  clv_body_def def = clv_default_body_def();
  def.mesh = mesh;
  def.sections = section;
  def.section_count = 1;
  memcpy(def.gravity, b->gravity, sizeof def.gravity);
  def.drag = b->drag;
  def.rayleigh_mass = b->rayleigh_mass;
  def.rayleigh_stiffness = b->rayleigh_stiffness;
  def.threads = b->threads;
  def.plane = b->plane;
  def.program = b->program;
  def.allocator = b->allocator;
  return def;
}

static inline clv_body *beam_create(const beam *b) {
  clv_mesh mesh;
  clv_section section;
  clv_error error = {0};
  beam_mesh(b, &mesh);
  const clv_body_def def = beam_def(b, &mesh, &section);
  clv_body *body = clv_body_create(&def, NULL, &error);
  if (!body) fail_msg("%s", error.message);
  clv_mesh_free(&mesh);
  return body;
}

static inline clv_zone beam_end(double x, double normal) {
  return clv_zone_plane((double[]){x, 0, 0}, (double[]){normal, 0, 0});
}

static inline void beam_clamp(clv_body *body) {
  const clv_zone zone = beam_end(0, -1);
  assert_int_equal(clv_body_fix(body, &zone, CLV_XYZ, NULL), CLV_OK);
}

static inline clv_solver *beam_solver(clv_body *body, const clv_solver_def *def) {
  clv_error error = {0};
  clv_solver *solver = clv_solver_create(body, def, &error);
  if (!solver) fail_msg("%s", error.message);
  return solver;
}

static inline clv_solver_def beam_method(clv_method method) {
  clv_solver_def def = clv_default_solver_def();
  def.method = method;
  return def;
}

static inline void beam_step(clv_solver *solver, double time, double dt) {
  if (clv_solver_step(solver, time, dt, NULL) != CLV_OK) fail_msg("%s", clv_solver_error(solver));
}

// Velocities that bend and stretch it, of a given greatest magnitude; the same for any order of slots.
static inline void beam_strike(clv_body *body, double speed) {
  const double *rest = clv_body_rest(body), *masses = clv_body_masses(body);
  double *v = clv_body_velocities(body);
  for (uint32_t s = 0; s < clv_body_slots(body); s++) {
    const double x = rest[3 * s], part = x * x;
    if (masses[s] == 0) continue;
    v[3 * s] = 0.3 * speed * part;
    v[3 * s + 1] = 0.5 * speed * part;
    v[3 * s + 2] = speed * part;
  }
}

#endif
