// A body from inside: what clv_body holds, and what the files of this room ask of each other.
//
// Everything that a cut may part is a column of the map: state (pos, rest, vel), masses, what cells are made of, and
// the constraints. The body itself holds only what belongs to no place: sections, paths, pulls, gravity and damping.
// Nobody but this room writes these fields.

#ifndef PHYSICS_BODY_H
#define PHYSICS_BODY_H

#include "base/memory.h"
#include "cleave/physics.h"
#include "physics/hanging.h"
#include "physics/model.h"

// A section as the body keeps it: the zone has done its work.
typedef struct physics_section {
  const physics_model *model;
  clv_material material;
} physics_section;

// The points of the elements that are no cells: physical surfaces, curves and points of a file.
typedef struct physics_mark {
  int32_t tag, dimension;
  double point[3];
} physics_mark;

typedef struct physics_path {
  clv_key *keys;
  uint32_t count;
} physics_path;

// A force that the particles of a zone share: column `share` has the part of each.
typedef struct physics_pull {
  uint32_t path; // from 1
  clv_column *share;
} physics_pull;

struct clv_body {
  clv_allocator allocator;
  clv_error error;
  clv_map *map;
  clv_views *views;
  clv_program *own_program; // NULL: the user's
  clv_column *pos, *rest, *vel, *mass;
  clv_column *section;        // on cells: number of the section
  clv_column *held;           // on vertices: bits of axes
  clv_column *paths, *anchor; // on vertices: path of each axis, from 1; where it starts
  BASE_ARRAY(physics_section) sections;
  BASE_ARRAY(physics_mark) marks; // in order of tag, dimension and place
  BASE_ARRAY(physics_path) path;
  BASE_ARRAY(physics_pull) pulls;
  BASE_ARRAY(clv_column *) loads; // forces on particles that tools exert
  BASE_ARRAY(uint32_t) found;     // what a zone holds: slots of vertices
  BASE_ARRAY(double) scratch;     // three numbers a slot
  BASE_ARRAY(clv_column *) borne; // what cells of a commit that are parts of no other have of neighbours
  physics_hangings *hanging;      // vertices that hang
  double size;                    // of the body at rest: the diagonal of its box
  double gravity[3];
  double drag, rayleigh_mass, rayleigh_stiffness;
  double stiffness;     // what Young's moduli were multiplied by
  uint32_t always_held; // axes that no particle is free along
  uint32_t newcomers;   // cells of the last commit that are parts of no other
  bool holds;           // some particles were held or moved
  bool missed;      // memory was out when a commit was to be followed: what its cells and vertices have is not known
  uint64_t subject; // grows when something changes that the body is subject to: constraints, pulls, gravity, damping
};

// The sentence, and the code it goes with.
clv_result physics_fail(clv_body *body, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);
clv_result physics_no_memory(clv_body *body);

// The section of a cell.
const physics_section *physics_section_of(const clv_body *body, clv_dart cell);

// Called for a number of a vertex that is gone: puts it to 0.
void physics_forget(void *user, const clv_map *map, void *value);

// Creating, step by step: sections.c tests sections and spreads them over cells, constants.c fills columns.
clv_result physics_test_sections(const clv_body_def *def, int dimension, clv_error *error);
clv_result physics_spread_sections(clv_body *body, const clv_body_def *def, clv_error *error);
void physics_fill(const clv_body *body);
// The laws of a body's sections as views of its map (body.c): of a program of its own, where none is given.
typedef struct physics_making {
  const clv_program *program;
  uint32_t threads;
  clv_result (*fill)(void *body, clv_map *map, clv_error *error); // when columns are there, and nothing is computed
  clv_program *own_program;                                       // what was made
  clv_views *views;
} physics_making;
clv_result physics_make_views(clv_body *body, physics_making *making, clv_error *error);
// Another model for all of a body, or another stiffness, from where it is (change.c). Solvers must be made anew after
// the first. On failure the body is as it was.
clv_result physics_change_model(clv_body *body, const char *name, clv_error *error);
clv_result physics_change_stiffness(clv_body *body, double factor, clv_error *error);
// The springs of the cell in a row by its rest shape (constants.c), and the hinge at an edge of a surface.
typedef struct physics_springs {
  double ea[12]; // by edge
  double diagonal;
  double bulk; // of the energy of volume beside them; 0 where the model has none
} physics_springs;
void physics_spring_constants(const clv_body *body, const physics_section *section, clv_kind kind, uint32_t row,
                              physics_springs *springs);
void physics_fill_hinge(const clv_body *body, const clv_column *column, clv_dart a);
double physics_hinge_stiffness(const clv_body *body, clv_dart a);
// The root of the mean square of a cell's diagonals at rest; 0 where it has none.
double physics_diagonal_length(const clv_body *body, clv_dart cell);
// The modulus of the energy of volume that a cell may have beside the springs that it has now. Of a model with both.
double physics_bulk_beside_springs(const clv_body *body, clv_dart cell);
// Commits are refused that would make cells which no section is for, or which the model of theirs has no laws for;
// those that are made beside others get what these bear. Before springs are renewed (admit.c).
clv_result physics_admit_create(clv_body *body, clv_error *error);
// New cells get the constants of their springs; views must not be there yet, for they hear of a commit afterwards
// (renew.c).
clv_result physics_renew_create(clv_body *body, clv_error *error);
// All cells anew, by their shapes at rest.
void physics_renew_all(clv_body *body);
// New vertices are held as those are that they came between (inherit.c).
clv_result physics_inherit_create(clv_body *body, clv_error *error);
clv_result physics_create_constraints(clv_body *body, clv_error *error);
void physics_free_constraints(clv_body *body);
// The value of a path at a time and, where `rate` is not NULL, its slope. There is a key at least.
void physics_path_at(const clv_key *keys, uint32_t count, double time, double *value, double *rate);
// What is wrong with a path, and at which key; NULL when nothing is.
const char *physics_path_wrong(const clv_key *path, uint32_t count, uint32_t *key);
// The forces of the laws alone, with those of hanging vertices gathered.
clv_result physics_law_force(clv_body *body, double *out);
// Adds what pulls at the body.
void physics_add_pulls(const clv_body *body, double time, double *out);

// Loads (load.c): a column of forces, three numbers a vertex, which a tool writes as it likes; both halves of a parted
// vertex bear their share. One that is made anew has the name that it had in a run that was saved.
clv_result physics_create_load(clv_body *body, clv_column **column);
void physics_destroy_load(clv_body *body, clv_column *column);
void physics_add_loads(const clv_body *body, double *out);

// What no principal stress (Pa) above 0 and no principal stretch of a cell is greater than; for less than knowing them
// (cell.c).
double physics_stress_bound(const clv_body *body, clv_dart cell);
double physics_stretch_bound(const clv_body *body, clv_dart cell);

// The least and greatest eigenvalue of a symmetric matrix xx yy zz xy yz zx (cell.c).
void physics_extremes(const double six[6], double *least, double *greatest);

static inline double *physics_vectors(const clv_column *column) {
  return clv_column_data(column, CLV_NONE, NULL);
}

#endif
