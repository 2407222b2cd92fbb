// Laws: what a force rule, a derived quantity or an update is once its places are known.
//
// A declaration is elaborated once for every shape it can meet: each template it names, or the orbit it stands on. The
// result is a law: the paths that lead from a row's base dart to the darts it reads, the particles (vertices) it acts
// on, the guards that say whether a place has a row at all, and its mathematics as one graph of scalars (dag.h).
//
// Elaboration is also the type checker: values carry type and unit, darts carry the path they were reached by, and every
// mistake is found where it is written (checks P, F, T, D, Y).

#ifndef RULE_LAW_H
#define RULE_LAW_H

#include "rule/dag.h"

enum { LAW_PATH = 16, LAW_PARTICLES = 16, LAW_QUADRATURE = 8 };

// Where rows are: one per orbit of `dims` (bits; as written, before a map's dimension is known), or one per cell or face
// of a template kind.
typedef struct law_shape {
  clv_kind kind;     // CLV_NONE: any orbit of dims
  clv_orbit orbit;   // CLV_IN_CELL included; CLV_CELL for a template cell, CLV_FACE for a tri or quad in a 3D map
  uint8_t dimension; // of the map it is for: 2 or 3
} law_shape;

// A way from the base dart: letters applied in order.
typedef struct law_path {
  uint8_t length, letter[LAW_PATH];
} law_path;

typedef struct law_read {
  const rule_tree *column; // RULE_EMBED or RULE_DERIVE
  uint16_t path;
  uint16_t component;
} law_read;

typedef enum law_test { LAW_FREE, LAW_NOT_FREE, LAW_SIDE, LAW_NOT_SIDE, LAW_KIND, LAW_CONDITION } law_test;

// A place has a row when all its guards hold. LAW_FREE: a `dimension` of the dart at `path` is free. LAW_CONDITION: the
// scalar `value` (of reads and parameters) is not 0.
typedef struct law_guard {
  uint8_t test, dimension;
  uint16_t path;
  dag_ref value;
} law_guard;

// A sum over the orbits `orbit` within the row's own one, of an expression on a dart of each (paths from there): for
// sums that a shape does not unroll. In `value`, reads are numbered in the law's own list; their paths begin at the
// sub-orbit's dart.
typedef struct law_sum {
  clv_orbit orbit;
  uint8_t mean, width; // divided by the count; scalars
  dag_ref value[9];
} law_sum;

typedef enum law_psd { LAW_PSD_NONE, LAW_PSD_CLAMP, LAW_PSD_ABS, LAW_PSD_GAUSS_NEWTON } law_psd;

// A value that is assigned: to column `column` (its component) of the orbit at `path`. A derived quantity `on c in t`
// has one for each c.
typedef struct law_assign {
  const rule_tree *column;
  uint16_t path, component;
  dag_ref value;
} law_assign;

typedef struct law {
  const char *name;
  const rule_tree *tree; // RULE_FORCE, RULE_DERIVE, RULE_UPDATE
  law_shape shape;
  bool oriented, external;
  law_psd psd;
  dag graph;

  BASE_ARRAY(law_path) paths;     // [0] is the base itself
  BASE_ARRAY(uint16_t) particles; // paths of the vertices whose positions and velocities are unknowns
  BASE_ARRAY(law_read) reads;
  BASE_ARRAY(law_guard) guards;
  BASE_ARRAY(law_sum) sums;
  BASE_ARRAY(law_assign) assigns; // derived quantities and updates

  // Forces. `energy` and `dissipation` are per row, or per quadrature point when quadrature > 1: then everything is summed
  // over the points. DAG_QUAD inputs: 0 the weight q.w, 1 + corner the shape function q.N[corner], then gradients
  // 1 + corners + corner * 3 + axis (rest gradients of the shape functions, in the cell's frame), then
  // frame entries (3 x k, row by row) for rest(grad): where the cell is a face in space.
  uint32_t quadrature; // points; 0 when the law has no `over`
  dag_ref energy, dissipation;
  dag_ref *force; // 3 per particle: explicit forces, or NULL
} law;

typedef BASE_ARRAY(law *) law_list;

// All laws of a declaration, for maps of one dimension. Findings are recorded in the program. False when there are any.
bool law_elaborate(clv_program *program, const rule_tree *declaration, uint32_t dimension, law_list *out);
void law_destroy(law *l, const clv_allocator *allocator);

// Quadrature of a template on its rest shape: points, and for each: weight, shape functions, gradients, frame, in
// DAG_QUAD order. `rest` has 3 coordinates per corner. Returns the number of points; data has LAW_QUAD_DATA each.
enum { LAW_QUAD_DATA = 1 + 8 + 24 + 9 };
uint32_t law_quadrature_points(clv_kind kind);
void law_quadrature(clv_kind kind, const double (*rest)[3], double (*data)[LAW_QUAD_DATA]);

#endif
