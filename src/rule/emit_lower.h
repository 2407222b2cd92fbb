// A kernel's graph, made ready to be written.
//
// Values are referred to with a sign: -x costs nothing where it is added, multiplied or fused. A value has the level of
// the innermost loop it changes in, so that each is computed once per program, row, quadrature point or axis.
//
// In a rolled graph, sums over points depend on each other: there are several loops over points, one behind the other,
// and each is followed by what needs its sums. A stage is what is computed for the row, and a loop over the points.
// What changes with the axis has stages of its own, in the loop over axes.

#ifndef RULE_EMIT_LOWER_H
#define RULE_EMIT_LOWER_H

#include "rule/kernel.h"

// Operations that a dag does not have.
enum {
  EMIT_FMA = DAG_OP_COUNT, // a * b + c, all three with signs
  EMIT_SUM,  // what was summed so far over the points: for root `index`, or in a rolled graph for sum `index`
  EMIT_OVER, // all of it, in a rolled graph; its argument is what the loop leaves in the sum
};

typedef enum emit_level { EMIT_PROGRAM, EMIT_ROW, EMIT_POINT, EMIT_AXIS } emit_level;

// EMIT_STAGES: how many a rolled graph may have. Stage s of those before the axes is levels EMIT_ROW + 2 s, for the
// row, and + 1, at a point; those in the loop over axes come behind all of them.
enum { EMIT_STAGES = 64, EMIT_AXES = EMIT_ROW + 2 * EMIT_STAGES };

static inline bool emit_at_point(uint32_t level) {
  return level >= EMIT_ROW && (level - EMIT_ROW) % 2;
}

typedef uint32_t emit_ref; // 2 * node + 1 when negated; 0: none

typedef struct emit_node {
  uint8_t op;
  uint16_t level;
  bool truth;     // a mask, not a number
  bool kept;      // at a point, and wanted in other loops than the one that makes it
  bool flip;      // a sum that is wanted with both signs changed; done before fusing
  uint8_t count;  // columns of a rotation
  uint32_t index; // as in dag_node
  uint32_t uses;
  uint32_t loop;   // the last in which it was written
  uint32_t need;   // registers that its evaluation takes, roughly
  emit_ref arg[3]; // of a rotation: arg[0] is where its entries begin in `entries`
  double value;
} emit_node;

typedef struct emit_graph {
  clv_allocator allocator;
  BASE_ARRAY(emit_node) nodes; // [0] is unused; arguments come before their users
  BASE_ARRAY(emit_ref) entries;
  BASE_ARRAY(emit_ref) roots; // 0 where nothing acts
  BASE_ARRAY(uint32_t) order; // the nodes that are needed, each behind its arguments, near their users
  BASE_ARRAY(uint16_t) sums;  // of a rolled graph: the level that each sum is made at
  BASE_ARRAY(uint32_t) table; // hash
  bool no_memory;
} emit_graph;

// How a body is run: whether it is summed over points, and which direction, if any, is an axis.
typedef struct emit_loops {
  bool points;
  bool rolled;
  dag_op axis; // DAG_DPOS or DAG_DVEL: an axis; DAG_NONE: neither
} emit_loops;

// False when memory is out.
bool emit_lower(emit_graph *out, const clv_allocator *allocator, const dag *graph, const kernel_body *body,
                emit_loops loops);
void emit_graph_free(emit_graph *graph);

// The arguments of a node, at most 9.
uint32_t emit_arguments(const emit_graph *graph, const emit_node *node, const emit_ref **args);
// What its statement reads: one over a root is written with what is under the root.
uint32_t emit_reads(const emit_graph *graph, const emit_node *node, const emit_ref **args);
bool emit_is_inverse_root(const emit_graph *graph, const emit_node *node);
// At a point, and read from memory wherever it is wanted.
static inline bool emit_is_datum(const emit_node *node) {
  return node->op == DAG_HOIST_Q || node->op == DAG_SHAPE;
}

#endif
