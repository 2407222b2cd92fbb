// Frames for tests of writers: meshes whose cells and fields change from frame to frame, without a simulation.

#ifndef CLEAVE_TEST_SUPPORT_FRAMES_H
#define CLEAVE_TEST_SUPPORT_FRAMES_H

#include "cleave/mesh.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static inline void frame_field(clv_mesh *mesh, const char *name, clv_field_place place, uint32_t components,
                               unsigned seed) {
  double *values;
  assert_int_equal(clv_mesh_add_field(mesh, name, place, components, &values), CLV_OK);
  const size_t count = (place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count) * components;
  for (size_t k = 0; k < count; k++) values[k] = (double)((k * 7919 + seed * 104729) % 1000) / 7 - 30;
}

static inline void frame_fields(clv_mesh *mesh, unsigned seed) {
  frame_field(mesh, "displacement", CLV_ON_POINTS, 3, seed);
  frame_field(mesh, "velocity", CLV_ON_POINTS, 3, seed + 1);
  double *held, *model;
  assert_int_equal(clv_mesh_add_field(mesh, "held", CLV_ON_POINTS, 1, &held), CLV_OK);
  for (size_t k = 0; k < mesh->point_count; k++) held[k] = (double)(k % 8);
  frame_field(mesh, "stress", CLV_ON_ELEMENTS, 6, seed + 2);
  frame_field(mesh, "von_mises", CLV_ON_ELEMENTS, 1, seed + 3);
  assert_int_equal(clv_mesh_add_field(mesh, "model", CLV_ON_ELEMENTS, 1, &model), CLV_OK);
  for (size_t k = 0; k < mesh->element_count; k++) model[k] = (double)(k % 3);
}

// A grid that moves.
static inline void frame_grid(clv_mesh *mesh, clv_grid_kind kind, uint32_t cells, unsigned seed) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = kind;
  def.cells[0] = def.cells[1] = def.cells[2] = cells;
  clv_mesh_init(mesh, NULL);
  assert_int_equal(clv_mesh_grid(mesh, &def, NULL), CLV_OK);
  for (size_t p = 0; p < mesh->point_count; p++) mesh->points[p][p % 3] += 0.01 * seed;
  for (size_t e = 0; e < mesh->element_count; e++) mesh->tags[e] = (int32_t)(e % 4) + 1;
  frame_fields(mesh, seed);
}

// A cube, a tent on it and a roof with a ridge beside it: two polyhedra that share faces with a hexahedron.
static inline void frame_polyhedra(clv_mesh *mesh, unsigned seed) {
  static const double points[][3] = {{0, 0, 0},       {1, 0, 0},     {1, 1, 0},     {0, 1, 0},
                                     {0, 0, 1},       {1, 0, 1},     {1, 1, 1},     {0, 1, 1},
                                     {0.5, 0.5, 1.5}, {2, 0.3, 0.5}, {2, 0.5, 0.7}, {2, 0.4, 0.3}};
  static const uint32_t hex[] = {0, 1, 2, 3, 4, 5, 6, 7};
  static const uint32_t tent[] = {5, 4, 4, 5, 6, 7, 3, 4, 5, 8, 3, 5, 6, 8, 3, 6, 7, 8, 3, 7, 4, 8};
  static const uint32_t roof[] = {8, 4, 1, 2, 6, 5, 3, 9,  10, 11, 3, 1,  2, 11, 3, 1,  11, 9,
                                  3, 1, 9, 5, 3, 9, 5, 10, 3,  5,  6, 10, 4, 2,  6, 10, 11};
  clv_mesh_init(mesh, NULL);
  for (size_t p = 0; p < sizeof points / sizeof *points; p++)
    assert_int_equal(clv_mesh_add_point(mesh, points[p][0] + 0.01 * seed, points[p][1], points[p][2]), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_POLYHEDRON, tent, sizeof tent / sizeof *tent, 2), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_HEX, hex, 8, 1), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_POLYHEDRON, roof, sizeof roof / sizeof *roof, 3), CLV_OK);
  frame_fields(mesh, seed);
}

// Polygons beside triangles, in 2D.
static inline void frame_polygons(clv_mesh *mesh, unsigned seed) {
  static const double points[][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {3, 1}, {2, 2}, {-1, 0}, {-1, -1}};
  static const uint32_t quad[] = {0, 1, 2, 3}, pentagon[] = {1, 4, 5, 6, 2}, tri[] = {0, 7, 8};
  clv_mesh_init(mesh, NULL);
  for (size_t p = 0; p < sizeof points / sizeof *points; p++)
    assert_int_equal(clv_mesh_add_point(mesh, points[p][0], points[p][1], 0.01 * seed), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_QUAD, quad, 4, 1), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_POLYGON, pentagon, 5, 2), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_TRI, tri, 3, 3), CLV_OK);
  frame_fields(mesh, seed);
}

#endif
