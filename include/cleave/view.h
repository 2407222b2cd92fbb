// Views: the tables that force laws run over, kept current through every cut.
//
// A force law says on which orbits it acts. Its view is a table with one row for each place of the map where the law's
// pattern matches: the row has the vertices it pulls at and the constants that no motion changes (rest lengths,
// stiffness, shape functions). A view is a materialised view as databases have them: after a commit only the rows that
// the change can reach are made anew, and at any time it equals the one that would be built from scratch.
//
// A body of views belongs to one map and one program. It creates the columns that the program's `embed` declarations
// describe, where the map lacks them, and keeps the columns of `derive` declarations: what is derived from something
// that changed changes with it, and then the rows that have read it. What changes is told by the map's commits. A
// program that writes values behind the map's back, through clv_column_at or clv_column_data, says so with
// clv_views_refresh; positions and velocities (`pos`, `vel`) are the exception: forces read them as they are.
//
// Rows lie in slabs, whose number follows from the number of rows when the table is built and from nothing else. A slab
// works on its own copy of the vertices it needs, and the copies are added in the order of slabs: one, two or sixteen
// threads give the same bits.
//
// An update that runs out of memory loses nothing: the commit stands, the views know that they are stale, and build
// themselves anew when they are asked next.

#ifndef CLEAVE_VIEW_H
#define CLEAVE_VIEW_H

#include "cleave/rule.h"

CLV_BEGIN_DECLS

typedef struct clv_views clv_views;

typedef struct clv_views_def {
  uint32_t threads;          // that work at the same time, the caller's included; 0 is 1
  const char *const *forces; // names of the force laws to use; NULL: all of the program
  uint32_t force_count;
  // Where forces act: bits for each of `forces` (0: everywhere), and the name of a column of one uint32 on cells. A law
  // inside a cell has rows only in cells whose number has one of its bits; a law that crosses cells (on edges,
  // vertices) has them everywhere, and takes what the cells bear. NULL: in all cells.
  const uint32_t *force_bits;
  const char *cell_bits;
  // Make only those columns that the forces and updates need, not all that the program declares. A derived quantity
  // that the map has a column for is kept in any case.
  bool used_columns;
  // Called once, when all columns are there and before anything is computed from them: the time to fill them. May be
  // NULL.
  clv_result (*fill)(void *user, clv_map *map, clv_error *error);
  void *user;
  clv_allocator allocator;
} clv_views_def;

CLV_API clv_views_def clv_default_views_def(void);
// The program must be checked. It, the map and the columns it names must outlive the views. Not inside a transaction.
// NULL on failure; error (may be NULL) says why.
CLV_API clv_views *clv_views_create(const clv_program *program, clv_map *map, const clv_views_def *def,
                                    clv_error *error);
// The map keeps its columns.
CLV_API void clv_views_destroy(clv_views *views);

// The sentence that goes with the last result that was not CLV_OK.
CLV_API const char *clv_views_error(const clv_views *views);
// True when an update ran out of memory: the next call builds everything anew.
CLV_API bool clv_views_stale(const clv_views *views);

// Parameters start with the values of their declarations; a vector has as many numbers as components. Setting one
// computes everything anew that depends on values.
CLV_API clv_result clv_views_set_param(clv_views *views, const char *name, const double *values, uint32_t count);
CLV_API clv_result clv_views_get_param(const clv_views *views, const char *name, double *values, uint32_t count);

// Reads all columns again: derived quantities, and the constants of every row.
CLV_API clv_result clv_views_refresh(clv_views *views);
// After all columns were given the values they had when they were saved, with the map's commits replayed: computes the
// constants of every row, and nothing else. Rows stay in the order that the commits left them in and derived values
// keep their last bits, so that sums come out the same to the last bit; clv_views_refresh promises neither.
CLV_API clv_result clv_views_restore(clv_views *views);
// Builds every table from scratch.
CLV_API clv_result clv_views_rebuild(clv_views *views);

// How many force laws there are, their names, and the rows of one (NULL: of all; UINT64_MAX: no such law).
CLV_API uint32_t clv_views_law_count(const clv_views *views);
CLV_API const char *clv_views_law_name(const clv_views *views, uint32_t law);
CLV_API uint64_t clv_views_rows(const clv_views *views, const char *law);

// Forces. Arrays hold three numbers for each vertex, by slot: clv_id_slots(map, CLV_VERTEX) of them, as clv_column_data
// gives them for a column of three doubles on vertices. None may be called inside a transaction.

// out = the sum of all forces at `pos` and `vel`.
CLV_API clv_result clv_views_force(clv_views *views, double *out);
// out = (df/dx) dpos + (df/dv) dvel: minus stiffness and damping times a vector. Either direction may be NULL.
CLV_API clv_result clv_views_force_along(clv_views *views, const double *dpos, const double *dvel, double *out);

// Many products at one state, as an implicit step needs them. clv_views_linearize takes the derivatives at `pos` and
// `vel` as they are now; clv_views_linear_force then gives what clv_views_force_along would have given at that time,
// but for rounding, whatever `pos` and `vel` are meanwhile. Where the stiffness of a row is costly (eigenvalues for
// `psd clamp`, rotations) it is kept. A commit, a refresh, a parameter or an update ends this: CLV_ERROR_ARGUMENT until
// linearised again.
CLV_API clv_result clv_views_linearize(clv_views *views);
CLV_API clv_result clv_views_linear_force(clv_views *views, const double *dpos, const double *dvel, double *out);

// The energy of all laws that have one.
CLV_API clv_result clv_views_energy(clv_views *views, double *energy);

typedef enum clv_matrix { CLV_STIFFNESS, CLV_DAMPING } clv_matrix; // -df/dx, -df/dv

// One row's part of the stiffness or damping: vertices by slot, and a matrix of 3 * count rows and columns, row by row.
typedef struct clv_element {
  const char *law;
  clv_dart base; // the dart that the row stands on
  uint32_t count;
  const uint32_t *vertices;
  const double *matrix;
} clv_element;

// Calls `each` for every row, in a fixed order.
CLV_API clv_result clv_views_matrix(clv_views *views, clv_matrix which,
                                    void (*each)(void *user, const clv_element *element), void *user);

// Runs an `update` over all its orbits: every value is read before any is written.
CLV_API clv_result clv_views_run(clv_views *views, const char *update);

// Compares every table and derived column with what the map says now. Each difference is told to `report` (may be
// NULL); any makes the result CLV_ERROR_INVALID.
CLV_API clv_result clv_views_check(clv_views *views, void (*report)(void *user, const char *what), void *user);

CLV_END_DECLS

#endif
