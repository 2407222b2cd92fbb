// Expressions, evaluated for several places at a time.
//
// What a row hoists, what is derived and what an update assigns are roots of a law's graph. A code is the part of a
// graph that some roots need, laid out for evaluation in lanes: value k of lane l lies at [k * VIEW_LANES + l]. Whoever
// runs it fills the inputs, which are listed; the operations are those of dag_apply, so that every way to evaluate a
// graph gives the same bits.

#ifndef VIEW_CODE_H
#define VIEW_CODE_H

#include "rule/dag.h"

enum { VIEW_LANES = 8 };

typedef struct view_operation {
  uint8_t op, count;
  uint32_t to, arg[3]; // places of values; of a rotation: arg[0] is where its arguments begin in `tuples`
} view_operation;

typedef struct view_input {
  dag_op op;
  uint32_t index, to;
} view_input;

typedef struct view_constant {
  double value;
  uint32_t to;
} view_constant;

typedef struct view_code {
  BASE_ARRAY(view_operation) operations;
  BASE_ARRAY(view_input) inputs; // parameters apart
  BASE_ARRAY(view_input) params;
  BASE_ARRAY(view_constant) constants;
  BASE_ARRAY(uint32_t) tuples;
  BASE_ARRAY(uint32_t) roots; // where their values are
  uint32_t values;            // how many there are, for each lane
  uint32_t steady;            // so many operations come first (view_code_part)
} view_code;

// False when memory is out. A root 0 has the value 0.
bool view_code_make(view_code *code, const clv_allocator *allocator, const dag *graph, const dag_ref *roots,
                    uint32_t count);
void view_code_free(view_code *code, const clv_allocator *allocator);

// Fills constants and parameters in all lanes; once for any number of runs on the same values.
void view_code_start(const view_code *code, const double *params, double *values);
// Computes the first `lanes` lanes.
void view_code_run(const view_code *code, uint32_t lanes, double *values);

// Puts those operations first that need no input of which `moves` (by place of value) says that it changes from run to
// run; and runs the first, or the others.
bool view_code_part(view_code *code, const clv_allocator *allocator, const bool *moves);
void view_code_run_steady(const view_code *code, uint32_t lanes, double *values);
void view_code_run_moving(const view_code *code, uint32_t lanes, double *values);

static inline double view_code_result(const view_code *code, const double *values, uint32_t root, uint32_t lane) {
  return values[code->roots.data[root] * VIEW_LANES + lane];
}

#endif
