#include "support/bodies.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

bool grid_is_surface(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2;
}

body_setup setup_of(clv_grid_kind kind, const char *model) {
  body_setup setup = {.grid = clv_default_grid_def(), .def = clv_default_body_def()};
  const uint32_t cells[3] = {2, 3, 2};
  const double size[3] = {1, 1.2, 0.9};
  setup.grid.kind = kind;
  memcpy(setup.grid.cells, cells, sizeof cells);
  memcpy(setup.grid.size, size, sizeof size);
  setup.section = (clv_section){clv_zone_all(), model, clv_default_material()};
  if (grid_is_surface(kind)) setup.section.material.thickness = 0.02;
  memset(setup.def.gravity, 0, sizeof setup.def.gravity);
  return setup;
}

clv_body *body_of_mesh(const body_setup *setup, const clv_mesh *mesh) {
  clv_body_def def = setup->def;
  clv_error error = {0};
  def.mesh = mesh;
  if (!def.sections) {
    def.sections = &setup->section;
    def.section_count = 1;
  }
  clv_body *body = clv_body_create(&def, NULL, &error);
  if (!body) fail_msg("%s", error.message);
  return body;
}

static void make_grid(const body_setup *setup, clv_mesh *mesh) {
  clv_mesh_init(mesh, NULL);
  assert_int_equal(clv_mesh_grid(mesh, &setup->grid, NULL), CLV_OK);
}

clv_body *body_of(const body_setup *setup) {
  clv_mesh mesh;
  make_grid(setup, &mesh);
  clv_body *body = body_of_mesh(setup, &mesh);
  clv_mesh_free(&mesh);
  return body;
}

clv_body *body_refused(const body_setup *setup, clv_error *error) {
  clv_mesh mesh;
  make_grid(setup, &mesh);
  clv_body_def def = setup->def;
  def.mesh = &mesh;
  if (!def.sections) {
    def.sections = &setup->section;
    def.section_count = 1;
  }
  *error = (clv_error){0};
  clv_body *body = clv_body_create(&def, NULL, error);
  clv_mesh_free(&mesh);
  return body;
}

void body_move_affine(clv_body *body, const double map[3][3], const double b[3]) {
  const uint32_t slots = clv_body_slots(body);
  const double *rest = clv_body_rest(body);
  double *pos = clv_body_positions(body);
  for (size_t s = 1; s < slots; s++)
    for (uint32_t k = 0; k < 3; k++)
      pos[3 * s + k] = map[k][0] * rest[3 * s] + map[k][1] * rest[3 * s + 1] + map[k][2] * rest[3 * s + 2] + b[k];
}

void body_shake(clv_body *body, double size, uint64_t seed) {
  random_source random = {seed};
  const uint32_t slots = clv_body_slots(body), *held = clv_body_held(body);
  double *pos = clv_body_positions(body);
  for (size_t s = 1; s < slots; s++)
    for (uint32_t k = 0; k < 3; k++) {
      const double by = size * (2.0 * random_below(&random, 1000001) / 1e6 - 1);
      if (!(held[s] >> k & 1u)) pos[3 * s + k] += by;
    }
}

void some_rotation(double angle, double turn_by[3][3]) {
  const double n[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7}, c = cos(angle), s = sin(angle);
  const double cross[3][3] = {{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}};
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) turn_by[i][k] = (i == k ? c : 0) + (1 - c) * n[i] * n[k] + s * cross[i][k];
}

double *body_forces(clv_body *body) {
  double *forces = calloc(3 * (size_t)clv_body_slots(body), sizeof *forces);
  assert_non_null(forces);
  if (clv_body_force(body, 0, forces) != CLV_OK) fail_msg("%s", clv_body_error(body));
  return forces;
}

double largest(const double *values, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(values[k]));
  return most;
}
