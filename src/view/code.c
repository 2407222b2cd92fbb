// Laying out and running codes; code.h tells the idea.

#include "view/code.h"

#include <math.h>

// Laying out

typedef struct builder {
  view_code *code;
  const clv_allocator *allocator;
  const dag *graph;
  uint32_t *place; // by node: 0 not needed, otherwise where its value goes
} builder;

static const dag_ref *arguments_of(const dag *graph, const dag_node *node, uint32_t *count) {
  *count = node->op == DAG_TUPLE ? node->count : node->op == DAG_PART ? 1 : dag_arity((dag_op)node->op);
  return node->op == DAG_TUPLE ? graph->tuples.data + node->arg[0] : node->arg;
}

static void mark_needed(builder *b, const dag_ref *roots, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) b->place[roots[k]] = 1;
  for (dag_ref ref = b->graph->nodes.count - 1; ref > 0; ref--) {
    if (!b->place[ref]) continue;
    uint32_t arity = 0;
    const dag_ref *arguments = arguments_of(b->graph, &b->graph->nodes.data[ref], &arity);
    for (uint32_t k = 0; k < arity; k++) b->place[arguments[k]] = 1;
  }
  b->place[0] = 0;
}

static bool add_input(builder *b, const dag_node *node, uint32_t to) {
  view_code *code = b->code;
  const view_input input = {.op = (dag_op)node->op, .index = node->index, .to = to};
  if (node->op == DAG_PARAM) {
    if (!BASE_RESERVE(b->allocator, &code->params, (uint64_t)code->params.count + 1)) return false;
    code->params.data[code->params.count++] = input;
    return true;
  }
  if (!BASE_RESERVE(b->allocator, &code->inputs, (uint64_t)code->inputs.count + 1)) return false;
  code->inputs.data[code->inputs.count++] = input;
  return true;
}

static bool add_constant(builder *b, double value, uint32_t to) {
  view_code *code = b->code;
  if (!BASE_RESERVE(b->allocator, &code->constants, (uint64_t)code->constants.count + 1)) return false;
  code->constants.data[code->constants.count++] = (view_constant){value, to};
  return true;
}

static bool add_operation(builder *b, const dag_node *node, uint32_t to) {
  view_code *code = b->code;
  view_operation operation = {.op = node->op, .count = node->count, .to = to};
  if (node->op == DAG_ROTATION) {
    uint32_t count = 0;
    const dag_ref *arguments = arguments_of(b->graph, &b->graph->nodes.data[node->arg[0]], &count);
    if (!BASE_RESERVE(b->allocator, &code->tuples, (uint64_t)code->tuples.count + count)) return false;
    operation.arg[0] = code->tuples.count;
    for (uint32_t k = 0; k < count; k++) code->tuples.data[code->tuples.count++] = b->place[arguments[k]];
  } else {
    for (uint32_t k = 0; k < 3; k++) operation.arg[k] = b->place[node->arg[k]];
  }
  if (!BASE_RESERVE(b->allocator, &code->operations, (uint64_t)code->operations.count + 1)) return false;
  code->operations.data[code->operations.count++] = operation;
  return true;
}

static bool add_node(builder *b, dag_ref ref) {
  const dag_node *node = &b->graph->nodes.data[ref];
  view_code *code = b->code;
  if (node->op == DAG_PART) { // rotations leave all their parts behind them
    b->place[ref] = b->place[node->arg[0]] + node->index;
    return true;
  }
  if (node->op == DAG_HOLD) {
    b->place[ref] = b->place[node->arg[0]];
    return true;
  }
  if (node->op == DAG_TUPLE) return true;
  const uint32_t to = b->place[ref] = code->values;
  code->values += node->op == DAG_ROTATION ? 3u * node->count : 1u;
  if (node->op == DAG_CONST) return add_constant(b, node->value, to);
  if (node->op <= DAG_SUM_INPUT) return add_input(b, node, to);
  return add_operation(b, node, to);
}

bool view_code_make(view_code *code, const clv_allocator *allocator, const dag *graph, const dag_ref *roots,
                    uint32_t count) {
  *code = (view_code){.values = 1}; // the first value is 0, for roots that are not there
  const uint32_t nodes = graph->nodes.count ? graph->nodes.count : 1;
  builder b = {.code = code, .allocator = allocator, .graph = graph};
  b.place = base_allocate(allocator, nodes * sizeof *b.place);
  if (!b.place) return false;
  memset(b.place, 0, nodes * sizeof *b.place);
  if (graph->nodes.count) mark_needed(&b, roots, count);
  bool done = add_constant(&b, 0, 0);
  for (dag_ref ref = 1; done && ref < graph->nodes.count; ref++)
    if (b.place[ref]) done = add_node(&b, ref);
  done = done && BASE_RESERVE(allocator, &code->roots, count);
  for (uint32_t k = 0; done && k < count; k++) code->roots.data[k] = b.place[roots[k]];
  if (done) code->roots.count = count;
  base_free(allocator, b.place, nodes * sizeof *b.place);
  if (!done) view_code_free(code, allocator);
  return done;
}

void view_code_free(view_code *code, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &code->operations);
  BASE_RELEASE(allocator, &code->inputs);
  BASE_RELEASE(allocator, &code->params);
  BASE_RELEASE(allocator, &code->constants);
  BASE_RELEASE(allocator, &code->tuples);
  BASE_RELEASE(allocator, &code->roots);
  code->values = 0;
}

// Running

void view_code_start(const view_code *code, const double *params, double *values) {
  for (uint32_t k = 0; k < code->constants.count; k++)
    for (uint32_t lane = 0; lane < VIEW_LANES; lane++)
      values[code->constants.data[k].to * VIEW_LANES + lane] = code->constants.data[k].value;
  for (uint32_t k = 0; k < code->params.count; k++)
    for (uint32_t lane = 0; lane < VIEW_LANES; lane++)
      values[code->params.data[k].to * VIEW_LANES + lane] = params[code->params.data[k].index];
}

static void rotate(const view_code *code, const view_operation *operation, uint32_t lanes, double *values) {
  const uint32_t *arguments = code->tuples.data + operation->arg[0], entries = 3u * operation->count;
  for (uint32_t lane = 0; lane < lanes; lane++) {
    double matrix[9], rotation[9];
    for (uint32_t k = 0; k < entries; k++) matrix[k] = values[arguments[k] * VIEW_LANES + lane];
    dag_rotation_of(matrix, operation->count, rotation);
    for (uint32_t k = 0; k < entries; k++) values[(operation->to + k) * VIEW_LANES + lane] = rotation[k];
  }
}

// Two lanes of a value, and what their comparison gives: all bits, or none. The compiler makes no wide comparisons of
// lanes that are compared one by one; numbers that are written one by one and read in pairs are waited for.
typedef double pair __attribute__((vector_size(2 * sizeof(double)), aligned(sizeof(double)), may_alias));
typedef CLV_VECTOR(int64_t, 2) pair_words;

static const pair zeros = {0, 0}, ones = {1, 1};

#define CHOOSE(condition, this, other) (pair)(((condition) & (pair_words)(this)) | (~(condition) & (pair_words)(other)))
#define EACH_PAIR(expression)                                                                                          \
  do {                                                                                                                 \
    for (uint32_t k = 0; k < VIEW_LANES / 2; k++) to[k] = (expression);                                                \
  } while (0)

// The cheap operations are done in all lanes, which is one or two wide instructions; the others where they are asked
// for.
static void run(const view_code *code, const view_operation *at, const view_operation *end, uint32_t lanes,
                double *values) {
  for (; at < end; at++) {
    double *result = values + at->to * VIEW_LANES;
    const double *first = values + at->arg[0] * VIEW_LANES, *second = values + at->arg[1] * VIEW_LANES,
                 *third = values + at->arg[2] * VIEW_LANES;
    const pair *a = (const pair *)first, *b = (const pair *)second, *c = (const pair *)third;
    pair *to = (pair *)result;
    switch ((dag_op)at->op) {
    case DAG_ADD:
      EACH_PAIR(a[k] + b[k]);
      break;
    case DAG_SUB:
      EACH_PAIR(a[k] - b[k]);
      break;
    case DAG_MUL:
      EACH_PAIR(a[k] * b[k]);
      break;
    case DAG_DIV:
      EACH_PAIR(a[k] / b[k]);
      break;
    case DAG_NEG:
      EACH_PAIR(-a[k]);
      break;
    case DAG_ABS:
      EACH_PAIR((pair)((pair_words)a[k] & INT64_MAX));
      break;
    case DAG_MIN:
      EACH_PAIR(CHOOSE(a[k] < b[k], a[k], b[k]));
      break;
    case DAG_MAX:
      EACH_PAIR(CHOOSE(b[k] < a[k], a[k], b[k]));
      break;
    case DAG_LESS:
      EACH_PAIR(CHOOSE(a[k] < b[k], ones, zeros));
      break;
    case DAG_LESS_EQUAL:
      EACH_PAIR(CHOOSE(a[k] <= b[k], ones, zeros));
      break;
    case DAG_SELECT:
      EACH_PAIR(CHOOSE(a[k] != 0, b[k], c[k]));
      break;
    case DAG_SQRT:
      for (uint32_t lane = 0; lane < lanes; lane++) result[lane] = sqrt(first[lane]);
      break;
    case DAG_ROTATION:
      rotate(code, at, lanes, values);
      break;
    default:
      for (uint32_t lane = 0; lane < lanes; lane++)
        result[lane] = dag_apply((dag_op)at->op, first[lane], second[lane], third[lane]);
      break;
    }
  }
}

void view_code_run(const view_code *code, uint32_t lanes, double *values) {
  run(code, code->operations.data, code->operations.data + code->operations.count, lanes, values);
}

void view_code_run_steady(const view_code *code, uint32_t lanes, double *values) {
  run(code, code->operations.data, code->operations.data + code->steady, lanes, values);
}

void view_code_run_moving(const view_code *code, uint32_t lanes, double *values) {
  run(code, code->operations.data + code->steady, code->operations.data + code->operations.count, lanes, values);
}

static bool needs_moving(const view_code *code, const view_operation *operation, const bool *moves) {
  const bool rotation = operation->op == DAG_ROTATION;
  const uint32_t count = rotation ? 3u * operation->count : 3;
  const uint32_t *arguments = rotation ? code->tuples.data + operation->arg[0] : operation->arg;
  for (uint32_t k = 0; k < count; k++)
    if (moves[arguments[k]]) return true;
  return false;
}

bool view_code_part(view_code *code, const clv_allocator *allocator, const bool *moves) {
  const uint32_t count = code->operations.count;
  bool *moving = base_allocate(allocator, code->values * sizeof *moving);
  view_operation *apart = count ? base_allocate(allocator, count * sizeof *apart) : NULL;
  const bool room = moving && (apart || !count);
  uint32_t steady = 0, behind = 0;
  if (room) memcpy(moving, moves, code->values * sizeof *moving);
  for (uint32_t k = 0; room && k < count; k++) {
    const view_operation operation = code->operations.data[k];
    const bool moved = needs_moving(code, &operation, moving);
    for (uint32_t v = 0; v < (operation.op == DAG_ROTATION ? 3u * operation.count : 1u); v++)
      moving[operation.to + v] = moved;
    if (moved)
      apart[behind++] = operation;
    else
      code->operations.data[steady++] = operation;
  }
  if (room && behind) memcpy(code->operations.data + steady, apart, behind * sizeof *apart);
  if (room) code->steady = steady;
  base_free(allocator, moving, code->values * sizeof *moving);
  base_free(allocator, apart, count * sizeof *apart);
  return room;
}
