// The interpreter: tapes, eight rows at a time, on slots that lie on the stack.

#include "rule/kernel.h"

#include <assert.h>
#include <math.h>

// Where the inputs of a tape come from.
typedef struct inputs {
  const kernel *k;
  const double *params, *reads;          // reads: when constants are made
  const double (*quad)[LAW_QUAD_DATA];   // likewise
  const double *constants;               // of the batch
  const uint32_t *places;                // of the batch
  const double *pos, *vel, *dpos, *dvel; // by particle
  uint32_t point;
  uint32_t axis; // the one along which the direction is 1; NO_AXIS: directions are given
} inputs;

#define NO_AXIS UINT32_MAX
#define PAIR_AXES KERNEL_AXES // from there on: along an axis for the first of all pairs at once

static void gather(const inputs *in, const double *values, uint32_t index, double *to) {
  assert(in->places && values); // hoisted values depend on no unknown
  const uint32_t *places = in->places + index / 3 * KERNEL_LANES;
  for (uint32_t l = 0; l < KERNEL_LANES; l++) to[l] = values[places[l] + index % 3];
}

static bool is_first(const kernel *k, uint32_t particle) {
  bool is = false;
  for (uint32_t p = 0; p < k->pairs.count; p++) is = is || k->pairs.first[p] == particle;
  return is;
}

static void gather_direction(const inputs *in, const double *values, uint32_t index, double *to) {
  if (in->axis == NO_AXIS)
    gather(in, values, index, to);
  else if (in->axis >= PAIR_AXES)
    for (uint32_t l = 0; l < KERNEL_LANES; l++) to[l] = index % 3 == in->axis - PAIR_AXES && is_first(in->k, index / 3);
  else
    for (uint32_t l = 0; l < KERNEL_LANES; l++) to[l] = index == in->axis;
}

static double constant_input(const inputs *in, const kernel_step *step) {
  switch (step->op) {
  case DAG_CONST:
    return step->value;
  case DAG_PARAM:
    return in->params[step->index];
  case DAG_READ:
    return in->reads[step->index];
  case DAG_QUAD:
    return in->quad[in->point + step->index / LAW_QUAD_DATA][step->index % LAW_QUAD_DATA];
  default:
    return NAN;
  }
}

static inline void load(const inputs *in, const kernel_step *step, double *to, const uint32_t lanes) {
  const kernel *k = in->k;
  assert(in->constants || (step->op != DAG_HOIST && step->op != DAG_HOIST_Q));
  switch (step->op) {
  case DAG_HOIST:
    memcpy(to, in->constants + (size_t)step->index * KERNEL_LANES, lanes * sizeof *to);
    break;
  case DAG_HOIST_Q: {
    const size_t at = k->hoist_count + (size_t)in->point * k->hoist_q_count + step->index;
    memcpy(to, in->constants + at * KERNEL_LANES, lanes * sizeof *to);
    break;
  }
  case DAG_POS:
    gather(in, in->pos, step->index, to);
    break;
  case DAG_VEL:
    gather(in, in->vel, step->index, to);
    break;
  case DAG_DPOS:
    gather_direction(in, in->dpos, step->index, to);
    break;
  case DAG_DVEL:
    gather_direction(in, in->dvel, step->index, to);
    break;
  default: {
    const double value = constant_input(in, step);
    for (uint32_t l = 0; l < lanes; l++) to[l] = value;
  }
  }
}

static inline void rotate(const kernel_tape *tape, const kernel_step *step, double *slots, const uint32_t lanes) {
  const uint32_t count = 3u * step->count, *operands = tape->operands + step->arg[0];
  for (uint32_t l = 0; l < lanes; l++) {
    double matrix[9], rotation[9];
    for (uint32_t e = 0; e < count; e++) matrix[e] = slots[operands[e] * lanes + l];
    dag_rotation_of(matrix, step->count, rotation);
    for (uint32_t e = 0; e < count; e++) slots[operands[count + e] * lanes + l] = rotation[e];
  }
}

#define EACH(expression)                                                                                               \
  for (uint32_t l = 0; l < lanes; l++) to[l] = (expression);                                                           \
  break

static inline void compute(const kernel_step *step, double *slots, const uint32_t lanes) {
  double *restrict to = slots + (size_t)step->to * lanes;
  const double *a = slots + (size_t)step->arg[0] * lanes, *b = slots + (size_t)step->arg[1] * lanes;
  const double *c = slots + (size_t)step->arg[2] * lanes;
  switch (step->op) {
  case DAG_ADD:
    EACH(a[l] + b[l]);
  case DAG_SUB:
    EACH(a[l] - b[l]);
  case DAG_MUL:
    EACH(a[l] * b[l]);
  case DAG_DIV:
    EACH(a[l] / b[l]);
  case DAG_NEG:
    EACH(-a[l]);
  case DAG_SQRT:
    EACH(sqrt(a[l]));
  case DAG_SELECT:
    EACH(a[l] != 0 ? b[l] : c[l]);
  default:
    EACH(dag_apply((dag_op)step->op, a[l], b[l], c[l]));
  }
}

static inline void run_steps(const kernel_tape *tape, uint32_t first, uint32_t last, const inputs *in, double *slots,
                             const uint32_t lanes) {
  for (uint32_t s = first; s < last; s++) {
    const kernel_step *step = &tape->steps[s];
    if (step->op <= DAG_SUM_INPUT)
      load(in, step, slots + (size_t)step->to * lanes, lanes);
    else if (step->op == DAG_ROTATION)
      rotate(tape, step, slots, lanes);
    else
      compute(step, slots, lanes);
  }
}

void kernel_hoist(const kernel *k, const double *params, const double *reads, const double (*quad)[LAW_QUAD_DATA],
                  double *constants) {
  double slots[KERNEL_SLOTS];
  const kernel_tape *tape = &k->constants;
  inputs in = {.k = k, .params = params, .reads = reads, .quad = quad};
  run_steps(tape, 0, tape->early, &in, slots, 1);
  for (uint32_t e = 0; e < k->hoist_count; e++) constants[e * KERNEL_LANES] = slots[tape->results[e]];
  for (in.point = 0; k->hoist_q_count && in.point < k->quadrature; in.point++) {
    run_steps(tape, tape->early, tape->step_count, &in, slots, 1);
    double *to = constants + (size_t)(k->hoist_count + in.point * k->hoist_q_count) * KERNEL_LANES;
    for (uint32_t e = 0; e < k->hoist_q_count; e++) to[e * KERNEL_LANES] = slots[tape->results[k->hoist_count + e]];
  }
}

// One batch

// The sum over the points of each root, [root][lane].
static void sum_points(const kernel_tape *tape, inputs *in, double *slots, double *sums) {
  memset(sums, 0, tape->result_count * KERNEL_LANES * sizeof *sums);
  for (in->point = 0; in->point < in->k->quadrature; in->point++) {
    run_steps(tape, 0, tape->step_count, in, slots, KERNEL_LANES);
    for (uint32_t r = 0; r < tape->result_count; r++) {
      if (tape->results[r] == KERNEL_NO_SLOT) continue;
      const double *result = slots + (size_t)tape->results[r] * KERNEL_LANES;
      for (uint32_t l = 0; l < KERNEL_LANES; l++) sums[r * KERNEL_LANES + l] += result[l];
    }
  }
}

static void subtract_column(const kernel_tape *tape, const double *slots, uint32_t column, double *matrix) {
  const uint32_t n = tape->result_count;
  for (uint32_t row = 0; row < n; row++) {
    if (tape->results[row] == KERNEL_NO_SLOT) continue;
    const double *result = slots + (size_t)tape->results[row] * KERNEL_LANES;
    double *to = matrix + (size_t)(row * n + column) * KERNEL_LANES;
    for (uint32_t l = 0; l < KERNEL_LANES; l++) to[l] -= result[l];
  }
}

static void symmetrise(double *matrix, uint32_t n) {
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t column = row + 1; column < n; column++) {
      double *a = matrix + (size_t)(row * n + column) * KERNEL_LANES;
      double *b = matrix + (size_t)(column * n + row) * KERNEL_LANES;
      for (uint32_t l = 0; l < KERNEL_LANES; l++) a[l] = b[l] = 0.5 * (a[l] + b[l]);
    }
}

// Minus the derivative, [row * n + column][lane]: the body run along each axis.
static void fill_matrix(const kernel_tape *tape, inputs *in, double *slots, double *matrix) {
  const uint32_t n = tape->result_count;
  memset(matrix, 0, (size_t)n * n * KERNEL_LANES * sizeof *matrix);
  for (in->point = 0; in->point < in->k->quadrature; in->point++) {
    run_steps(tape, 0, tape->early, in, slots, KERNEL_LANES);
    for (in->axis = 0; in->axis < n; in->axis++) {
      run_steps(tape, tape->early, tape->step_count, in, slots, KERNEL_LANES);
      subtract_column(tape, slots, in->axis, matrix);
    }
  }
  in->axis = NO_AXIS;
}

static void fill_stiffness(inputs *in, double *slots, double *matrix) {
  const kernel *k = in->k;
  fill_matrix(&k->tape[KERNEL_FORCE_DPOS], in, slots, matrix);
  if (k->symmetric || k->clamps) symmetrise(matrix, 3 * k->particles);
  if (k->clamps) kernel_make_positive_lanes(matrix, 3 * k->particles, k->law->psd);
}

// No particle has two distances, so all of them are pulled at once.
static void fill_pairs(inputs *in, double *slots, double *matrix) {
  const kernel *k = in->k;
  const kernel_tape *tape = &k->tape[KERNEL_FORCE_DPOS];
  run_steps(tape, 0, tape->early, in, slots, KERNEL_LANES);
  for (uint32_t j = 0; j < 3; j++) {
    in->axis = PAIR_AXES + j;
    run_steps(tape, tape->early, tape->step_count, in, slots, KERNEL_LANES);
    for (uint32_t e = 0; e < 3 * k->pairs.count; e++) {
      const uint32_t pair = e / 3, i = e % 3;
      const uint32_t slot = tape->results[3 * k->pairs.first[pair] + i];
      const double *force = slots + (size_t)slot * KERNEL_LANES;
      double *to = matrix + (size_t)9 * pair * KERNEL_LANES;
      for (uint32_t l = 0; i <= j && l < KERNEL_LANES; l++)
        to[(3 * i + j) * KERNEL_LANES + l] = to[(3 * j + i) * KERNEL_LANES + l] =
            slot == KERNEL_NO_SLOT ? 0 : -force[l];
    }
  }
  in->axis = NO_AXIS;
}

static void fill_damping(inputs *in, double *slots, double *matrix) {
  fill_matrix(&in->k->tape[KERNEL_FORCE_DVEL], in, slots, matrix);
  if (in->k->damping_symmetric) symmetrise(matrix, 3 * in->k->particles);
}

// Minus the positive stiffness times the direction.
static void push_positive(inputs *in, double *slots, double *forces) {
  double matrix[KERNEL_AXES * KERNEL_AXES * KERNEL_LANES], direction[KERNEL_LANES];
  const uint32_t n = 3 * in->k->particles;
  fill_stiffness(in, slots, matrix);
  memset(forces, 0, n * KERNEL_LANES * sizeof *forces);
  for (uint32_t column = 0; column < n; column++) {
    gather(in, in->dpos, column, direction);
    for (uint32_t row = 0; row < n; row++)
      for (uint32_t l = 0; l < KERNEL_LANES; l++)
        forces[row * KERNEL_LANES + l] -= matrix[(size_t)(row * n + column) * KERNEL_LANES + l] * direction[l];
  }
}

void kernel_pack(const double *matrix, uint32_t n, double *packed) {
  for (uint32_t row = 0; row < n; row++) {
    const size_t length = (size_t)(row + 1) * KERNEL_LANES;
    memcpy(packed, matrix + (size_t)row * n * KERNEL_LANES, length * sizeof *packed);
    packed += length;
  }
}

static void push_packed(const inputs *in, const double *packed, double *forces) {
  double directions[KERNEL_AXES * KERNEL_LANES];
  const uint32_t n = 3 * in->k->particles;
  for (uint32_t e = 0; e < n; e++) gather(in, in->dpos, e, directions + (size_t)e * KERNEL_LANES);
  memset(forces, 0, n * KERNEL_LANES * sizeof *forces);
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t column = 0; column <= row; column++, packed += KERNEL_LANES)
      for (uint32_t l = 0; l < KERNEL_LANES; l++) {
        forces[row * KERNEL_LANES + l] -= packed[l] * directions[column * KERNEL_LANES + l];
        if (column < row) forces[column * KERNEL_LANES + l] -= packed[l] * directions[row * KERNEL_LANES + l];
      }
}

static void scatter(const inputs *in, const double *forces, uint32_t rows, double *out) {
  for (uint32_t l = 0; l < rows; l++)
    for (uint32_t e = 0; e < 3 * in->k->particles; e++) {
      const uint32_t place = in->places[e / 3 * KERNEL_LANES + l];
      out[place + e % 3] += forces[e * KERNEL_LANES + l];
    }
}

static void run_batch(kernel_kind kind, inputs *in, const kernel_args *args, uint32_t batch, double *slots) {
  const kernel *k = in->k;
  const uint32_t first = batch * KERNEL_LANES, n = 3 * k->particles;
  const uint32_t rows = args->rows - first < KERNEL_LANES ? args->rows - first : KERNEL_LANES;
  double sums[KERNEL_AXES * KERNEL_LANES];
  switch (kind) {
  case KERNEL_ENERGY:
    sum_points(&k->tape[kind], in, slots, sums);
    for (uint32_t l = 0; l < KERNEL_LANES; l++) args->energy[first + l] = l < rows ? sums[l] : 0;
    break;
  case KERNEL_FORCE:
  case KERNEL_FORCE_DPOS:
  case KERNEL_FORCE_DVEL:
    if (kind == KERNEL_FORCE_DPOS && k->clamps)
      push_positive(in, slots, sums);
    else
      sum_points(&k->tape[kind], in, slots, sums);
    scatter(in, sums, rows, args->out);
    break;
  case KERNEL_STIFFNESS:
    fill_stiffness(in, slots, args->matrix + (size_t)first * n * n);
    break;
  case KERNEL_DAMPING:
    fill_damping(in, slots, args->matrix + (size_t)first * n * n);
    break;
  case KERNEL_PRODUCT:
    push_packed(in, args->matrix + (size_t)first * kernel_packed(k), sums);
    scatter(in, sums, rows, args->out);
    break;
  case KERNEL_PAIRS:
    if (k->pairs.count) fill_pairs(in, slots, args->matrix + (size_t)first * 9 * k->pairs.count);
    break;
  case KERNEL_COUNT:
    break;
  }
}

void kernel_interpret(const kernel *k, kernel_kind kind, const kernel_args *args) {
  double slots[KERNEL_SLOTS * KERNEL_LANES];
  for (uint32_t batch = 0; batch * KERNEL_LANES < args->rows; batch++) {
    inputs in = {
        .k = k,
        .params = args->params,
        .constants = args->constants + (size_t)batch * kernel_constants(k) * KERNEL_LANES,
        .places = args->places + (size_t)batch * k->particles * KERNEL_LANES,
        .pos = args->pos,
        .vel = args->vel,
        .dpos = args->dpos,
        .dvel = args->dvel,
        .axis = NO_AXIS,
    };
    run_batch(kind, &in, args, batch, slots);
  }
}
