// Expressions as a graph of scalar operations, each made once.
//
// A law's mathematics is elaborated to scalars: a vec3 is three nodes, a matrix nine. Nodes are hash-consed: asking for
// the same operation on the same arguments gives the node that is there, so shared subexpressions exist once by
// construction. Simple identities are applied on the way (x + 0, x * 1, x * 0, - - x, constants folded, a * b ordered).
// A node's arguments come before it, so that a walk in order of number is an evaluation. Products are folded to 0 where
// a factor is the constant 0, whatever the other is.
//
// Inputs are what a row of a view has: parameters, values read from columns, data of a quadrature point, unknowns
// (positions, velocities) and the directions of a tangent. Everything that depends on no unknown can be hoisted.
//
// A graph may hold one point of a cell for all of them: DAG_POINT, DAG_SHAPE and DAG_HOIST_Q are data of the point at
// hand, what depends on them is different at each, and DAG_OVER adds it up over the cell. Derivatives keep this form.
// dag_expand writes the points out; nothing evaluates a graph before that.

#ifndef RULE_DAG_H
#define RULE_DAG_H

#include "rule/syntax.h"

typedef uint32_t dag_ref; // 0: none

// A graph that would grow beyond this is treated as memory that ran out: a rule file is not trusted.
enum { DAG_NODES = 1 << 20 };

typedef enum dag_op {
  DAG_NONE = 0,
  DAG_CONST, // value
  // Inputs; `index` says which
  DAG_PARAM,
  DAG_READ,  // a column's value at one of the law's places, as it is when the row is made
  DAG_QUAD,  // data of the quadrature point
  DAG_HOIST, // a value that was hoisted to the row; DAG_HOIST_Q to the row's quadrature point
  DAG_HOIST_Q,
  DAG_POS, // unknown 3 * particle + axis
  DAG_VEL,
  DAG_DPOS, // the direction of a tangent, likewise numbered
  DAG_DVEL,
  DAG_POINT, // data of the point at hand, in the order of DAG_QUAD; DAG_SHAPE: on the reference shape, without frame
  DAG_SHAPE,
  DAG_SUM_INPUT, // the k-th reduction over an orbit (derived quantities and updates)
  // Arithmetic
  DAG_ADD,
  DAG_SUB,
  DAG_MUL,
  DAG_DIV,
  DAG_NEG,
  DAG_SQRT,
  DAG_EXP,
  DAG_LOG,
  DAG_SIN,
  DAG_COS,
  DAG_TAN,
  DAG_ASIN,
  DAG_ACOS,
  DAG_ATAN2,
  DAG_POW,
  DAG_ABS,
  DAG_MIN,
  DAG_MAX,
  DAG_FLOOR,
  // 1 or 0
  DAG_LESS,
  DAG_LESS_EQUAL,
  DAG_EQUAL,
  DAG_AND,
  DAG_OR,
  DAG_NOT,
  DAG_SELECT, // a ? b : c
  // The rotation nearest to a 3 x k matrix, k 2 or 3: arguments in one DAG_TUPLE, row by row; DAG_PART takes entry
  // `index` of the result. The parts of rotation r are the nodes r + 1 + index, always all of them.
  DAG_TUPLE,
  DAG_ROTATION,
  DAG_PART,
  DAG_HOLD, // its argument, constant when differentiating
  DAG_OVER, // the sum of its argument over the points of the cell
  DAG_OP_COUNT
} dag_op;

// What is different at each point of a cell depends on one of these.
#define DAG_AT_POINT (1u << DAG_POINT | 1u << DAG_SHAPE | 1u << DAG_HOIST_Q)

typedef struct dag_node {
  uint8_t op;
  uint8_t count;    // arguments of a tuple; columns of a rotation's matrix
  uint16_t depends; // bits (1u << op) of the inputs it depends on
  uint32_t index;   // inputs and parts
  dag_ref arg[3];   // of a tuple: arg[0] is where its arguments begin in `tuples`
  rule_span span;   // the text it was first made for
  double value;
} dag_node;

typedef struct dag {
  clv_allocator allocator;
  BASE_ARRAY(dag_node) nodes; // [0] is unused
  BASE_ARRAY(dag_ref) tuples;
  BASE_ARRAY(dag_ref) table; // hash, open addressing; capacity a power of two
  bool no_memory;            // something could not be made; every later call returns 0
  uint32_t points;           // of the cell that DAG_OVER goes over; for whoever uses it to set
  rule_span span;            // given to nodes that are made
} dag;

void dag_init(dag *graph, const clv_allocator *allocator);
void dag_free(dag *graph);
// All that was to be made is there: what only making needs is given back. False when memory is out.
bool dag_settle(dag *graph);

dag_ref dag_const(dag *graph, double value);
dag_ref dag_input(dag *graph, dag_op op, uint32_t index);
dag_ref dag_unary(dag *graph, dag_op op, dag_ref a);
dag_ref dag_binary(dag *graph, dag_op op, dag_ref a, dag_ref b);
dag_ref dag_select(dag *graph, dag_ref condition, dag_ref a, dag_ref b);
// 3 x columns entries of the rotation nearest to `matrix` (3 x columns, row by row).
void dag_rotation(dag *graph, const dag_ref *matrix, uint32_t columns, dag_ref *result);
static inline dag_ref dag_add(dag *g, dag_ref a, dag_ref b) {
  return dag_binary(g, DAG_ADD, a, b);
}
static inline dag_ref dag_sub(dag *g, dag_ref a, dag_ref b) {
  return dag_binary(g, DAG_SUB, a, b);
}
static inline dag_ref dag_mul(dag *g, dag_ref a, dag_ref b) {
  return dag_binary(g, DAG_MUL, a, b);
}
static inline dag_ref dag_div(dag *g, dag_ref a, dag_ref b) {
  return dag_binary(g, DAG_DIV, a, b);
}

// What an operation gives: the one definition of each, which interpreted and compiled code follow. Minimum and maximum
// are a < b ? a : b and b < a ? a : b; a condition holds when it is not 0.
double dag_apply(dag_op op, double a, double b, double c);
// How many arguments an operation has in `arg`; tuples have theirs elsewhere and count as having none.
uint32_t dag_arity(dag_op op);

// What a node depends on, as bits (1u << op) of the inputs; dag_depend_all fills an array of nodes.count.
uint32_t dag_depends(const dag *graph, dag_ref node);
void dag_depend_all(const dag *graph, uint32_t *bits);

// Substitution: the same expression with every input of `op` replaced by what `with` says (0: stays).
typedef dag_ref dag_replacer(void *user, dag *graph, dag_op op, uint32_t index);
dag_ref dag_replace(dag *graph, dag_ref root, dag_replacer *with, void *user);
// The same for many roots (0 stays 0). False when memory is out.
bool dag_replace_all(dag *graph, const dag_ref *roots, uint32_t count, dag_replacer *with, void *user,
                     dag_ref *results);

// Copies what `count` roots need (0 stays 0) from one graph to another, simplified anew. `drop_holds` leaves out
// DAG_HOLD: for graphs that are not differentiated any more. False when memory is out.
bool dag_copy(dag *to, const dag *from, const dag_ref *roots, uint32_t count, dag_ref *copies, bool drop_holds);

// Copies roots with all points of `from` written out: the inputs of each are what `with` says. `copies` has all roots
// at point 0, then all at point 1 ...
typedef dag_ref dag_point_replacer(void *user, dag *graph, dag_op op, uint32_t index, uint32_t point);
bool dag_expand(dag *to, const dag *from, const dag_ref *roots, uint32_t count, dag_point_replacer *with, void *user,
                dag_ref *copies);

// The gradient of a scalar: reverse accumulation. gradient[k] = d root / d (input `op` k), k < count. A node that
// cannot be differentiated and depends on the unknown stops it: false, and *bad names the node.
bool dag_gradient(dag *graph, dag_ref root, dag_op op, uint32_t count, dag_ref *gradient, dag_ref *bad);
// The tangent of `count` roots when input `op` k moves along input `along` k: forward accumulation.
bool dag_tangent(dag *graph, const dag_ref *roots, uint32_t count, dag_op op, dag_op along, dag_ref *tangents,
                 dag_ref *bad);
// Which nodes up to `last` change with inputs `op`: depend on them other than under a hold or as a condition.
void dag_moving(const dag *graph, dag_op op, dag_ref last, bool *moves);
// The time derivative: positions move along velocities. rate(e). What changes with velocities has none: *bad names one.
bool dag_rate(dag *graph, dag_ref root, dag_ref *rate, dag_ref *bad);

// Evaluates all nodes that the roots need (a root 0 is 0). Inputs are read by callback; `values` has nodes.count
// entries of scratch.
typedef double dag_reader(void *user, dag_op op, uint32_t index);
void dag_evaluate(const dag *graph, const dag_ref *roots, uint32_t count, dag_reader *read, void *user, double *values,
                  double *results);
// The rotation nearest to a 3 x columns matrix, row by row: the one function behind every evaluation of DAG_ROTATION,
// right for singular and inverted matrices too (columns 3: determinant +1 always).
void dag_rotation_of(const double *matrix, uint32_t columns, double *rotation);

#endif
