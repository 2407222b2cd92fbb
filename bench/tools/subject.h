// A body under a solver, ready to step: what every part of this bench times.

#ifndef BENCH_SUBJECT_H
#define BENCH_SUBJECT_H

#include "cleave/cleave.h"

typedef struct subject_def {
  clv_grid_kind grid;
  uint32_t cells[3];
  const char *file; // a mesh file instead of the grid
  const char *model;
  clv_method method;
  clv_linear linear;
  uint32_t iterations; // of conjugate gradients, exactly
  uint32_t threads;
  double viscosity; // of springs
} subject_def;

typedef struct subject {
  clv_body *body;
  clv_solver *solver;
  double dt;
  size_t bytes; // that body and solver hold
  uint32_t cells;
} subject;

// Cells of a grid are 1 cm wide, a mesh from a file 20 cm; its lowest end is fixed, gravity pulls across. 100 kPa, 0.3,
// 1000 kg/m^3. The step is a third of the stable one, or 1 ms for an implicit method.
void subject_make(subject *s, const subject_def *def);
void subject_free(subject *s);
void subject_step(void *user);

// The parts of making one, for those who time them.
void subject_mesh(clv_mesh *mesh, const subject_def *def);
clv_body *subject_body(const clv_mesh *mesh, const subject_def *def, const clv_allocator *allocator);
clv_solver *subject_solver(clv_body *body, const subject_def *def);

// Where mesh files are; NULL: nowhere. The path of one of them, in a buffer of its own; NULL when it is not there.
extern const char *subject_meshes;
const char *subject_file(const char *name);

// Best seconds of a step, in turns with the unit loop; *unit gets that of the loop.
double subject_time(subject *s, double *unit);

#endif
