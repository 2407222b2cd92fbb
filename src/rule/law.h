// Laws: what a force rule, a derived quantity or an update is once its places are known.
//
// A declaration is elaborated once for every shape it can meet: each template it names, or the orbit it stands on. The
// result is a law: the paths that lead from a row's base dart to the darts it reads, the particles (vertices) it acts
// on, the guards that say whether a place has a row at all, and its mathematics as one graph of scalars (dag.h).
//
// Elaboration is also the type checker: values carry type and unit, darts carry the path they were reached by, and
// every mistake is found where it is written (checks P, F, T, D, Y).
//
// The base of a row is any dart of its orbit: check Y has shown that it does not matter which. On a template it is a
// dart from which the shape looks as from dart 0; for an `oriented` law it is one of side 0.

#ifndef RULE_LAW_H
#define RULE_LAW_H

#include "rule/dag.h"

enum { LAW_PATH = 16, LAW_PARTICLES = 16, LAW_QUADRATURE = 8 };

// Where rows are: one per orbit of `dims` (bits; as written, before a map's dimension is known), or one per cell or
// face of a template kind.
typedef struct law_shape {
  clv_kind kind;     // CLV_NONE: any orbit of dims
  clv_orbit orbit;   // CLV_IN_CELL included; CLV_CELL for a template cell, CLV_FACE for a tri or quad in a 3D map
  uint8_t dimension; // of the map it is for: 2 or 3
} law_shape;

// A way from the base dart: letters applied in order.
typedef struct law_path {
  uint8_t length, letter[LAW_PATH];
} law_path;

// A scalar of a column (matrices row by row), at the dart that `path` leads to.
typedef struct law_read {
  const rule_tree *column; // RULE_EMBED or RULE_DERIVE
  uint16_t path;
  uint8_t component;
  bool in_sum; // the path begins at the dart of the sub-orbit that a law_sum is at, not at the base
} law_read;

typedef enum law_test { LAW_FREE, LAW_NOT_FREE, LAW_SIDE, LAW_NOT_SIDE, LAW_KIND, LAW_CONDITION } law_test;

// A place has a row when all its guards hold. LAW_FREE: a `dimension` of the dart at `path` is free. LAW_CONDITION: the
// scalar `value` (of reads and parameters) is not 0.
typedef struct law_guard {
  uint8_t test, dimension;
  uint16_t path;
  dag_ref value;
} law_guard;

// A sum over the orbits `orbit` within the row's own one, of an expression on a dart of each: for sums that a shape
// does not unroll. In `value`, reads are numbered in the law's own list, and those `in_sum` begin at the sub-orbit's
// dart. Scalar c of sum k is input DAG_SUM_INPUT 9 * k + c; `value` may use sums with a lower number.
typedef struct law_sum {
  clv_orbit orbit;
  uint8_t mean, width; // divided by the count; scalars
  dag_ref value[9];
  rule_span span;
} law_sum;

typedef enum law_psd { LAW_PSD_NONE, LAW_PSD_CLAMP, LAW_PSD_ABS, LAW_PSD_GAUSS_NEWTON } law_psd;

// A value that is assigned: to column `column` (its component) of the orbit at `path`. A derived quantity `on c in t`
// has one for each c. Values are of what was there before the row; an update's later lines use the values of its
// earlier ones, not what the columns then hold.
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

  // Forces. `energy`, `dissipation` and `force` are per row when quadrature is 0. Otherwise they are per quadrature
  // point, and a row's are the sums over its points, of the same expressions with each point's DAG_QUAD inputs: 0 the
  // weight q.w, 1 + corner the shape function q.N[corner], then gradients 1 + corners + corner * 3 + axis (rest
  // gradients of the shape functions, in the cell's frame), then frame entries (3 x k, row by row) for rest(grad):
  // where the cell is a triangle or quadrangle in space. The points are those of the row's cell, whose corners 0, 1, 2
  // ... have their places in column `rest`. `unrolled` laws have the points written out: everything is per row, and
  // value k of point p is DAG_QUAD p * LAW_QUAD_DATA + k.
  uint32_t quadrature; // points; 0 when the law has no `over`
  bool unrolled;
  dag_ref energy, dissipation;
  dag_ref *force;       // 3 per particle: explicit forces (0 where there is none), or NULL
  uint32_t force_count; // 3 * particles, or 0

  // The same law, with the same reads and particles, in a graph that holds one point for all (dag.h). NULL where points
  // are not written out, or one serves not for all: sums over pairs of points.
  struct law *rolled;
} law;

// All laws of a declaration, for maps of one dimension. Findings are recorded in the program. False when there are any.
bool law_elaborate(clv_program *program, const rule_tree *declaration, uint32_t dimension, law_list *out);
// Its kernels are made: what only making needs is given back. False when memory is out.
bool law_settle(law *l);
void law_destroy(law *l, const clv_allocator *allocator);

// What others need to know of declarations. A column's orbit in maps of one dimension; 0 when it has none there
// (`volume` in 2D).
clv_orbit law_column_orbit(const rule_tree *column, uint32_t dimension);
// Scalars of a RULE_TYPE: 1, 2, 3, 4 or 9.
uint32_t law_components(const rule_tree *type);
// Checks a RULE_PARAM, RULE_EMBED or RULE_DEF (types, units, circles); findings are recorded.
bool law_declaration_check(clv_program *program, const rule_tree *declaration);
// DAG_PARAM inputs: parameters in the order of their declarations, each with its scalars. The number of all scalars,
// the first of one parameter, and their defaults. False when memory is out.
uint32_t law_param_count(const clv_program *program);
uint32_t law_param_first(const clv_program *program, const rule_tree *param);
bool law_param_defaults(const clv_program *program, double *values);
// The value at creation of an embedding, with these parameters: zeros when it has none. False when memory is out.
bool law_initial(const clv_program *program, const rule_tree *embed, const double *params, double *values);

// Quadrature of a template on its rest shape: points, and for each: weight, shape functions, gradients, frame, in
// DAG_QUAD order. `rest` has 3 coordinates per corner. Returns the number of points; data has LAW_QUAD_DATA each.
enum { LAW_QUAD_DATA = 1 + 8 + 24 + 9 };
uint32_t law_quadrature_points(clv_kind kind);
void law_quadrature(clv_kind kind, const double (*rest)[3], double (*data)[LAW_QUAD_DATA]);
// One point on the reference shape: its weight; shape functions and their slopes by corner.
double law_reference(clv_kind kind, uint32_t point, double *shape, double (*slopes)[3]);
// All of them, in the order of DAG_SHAPE: weight, shape functions, slopes. Returns their number.
uint32_t law_reference_points(clv_kind kind, double (*data)[LAW_QUAD_DATA]);

#endif
