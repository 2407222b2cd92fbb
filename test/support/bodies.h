// Bodies of grids, for tests of the simulator.

#ifndef CLEAVE_TEST_SUPPORT_BODIES_H
#define CLEAVE_TEST_SUPPORT_BODIES_H

#include "cleave/physics.h"
#include "support/random.h"

// What tests of bodies start from: a grid, one section that takes all of it, no gravity.
typedef struct body_setup {
  clv_grid_def grid;
  clv_section section;
  clv_body_def def;
} body_setup;

// A grid of 2 x 3 x 2 cells of size 1 x 1.2 x 0.9 (2 x 3 for a surface), made of `model`.
body_setup setup_of(clv_grid_kind kind, const char *model);
// Fails the test with the error's sentence when there is no body.
clv_body *body_of(const body_setup *setup);
// The same from a mesh that the caller made and frees.
clv_body *body_of_mesh(const body_setup *setup, const clv_mesh *mesh);
// NULL, and the sentence in *error.
clv_body *body_refused(const body_setup *setup, clv_error *error);
bool grid_is_surface(clv_grid_kind kind);

// Moves each vertex to map x + b, x its place at rest.
void body_move_affine(clv_body *body, const double map[3][3], const double b[3]);
// Shakes all vertices by up to `size` along each axis; those of a plane body stay in it.
void body_shake(clv_body *body, double size, uint64_t seed);
// A rotation by some angles.
void some_rotation(double angle, double turn_by[3][3]);
// The forces of the laws, `slots` vectors that the caller frees.
double *body_forces(clv_body *body);
double largest(const double *values, size_t count);

#endif
