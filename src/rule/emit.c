#include "rule/emit.h"

#include "rule/emit_half.h"
#include "rule/emit_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>

const char *emit_kind_name(kernel_kind kind) {
  static const char *const names[KERNEL_COUNT] = {"energy",    "force",   "force_dpos", "force_dvel",
                                                  "stiffness", "damping", "product",    "pairs"};
  return names[kind];
}

// Numbers, without a point that a locale could turn into a comma

void emit_number(emit_text *text, double value) {
  if (isnan(value)) {
    emit_add(text, "__builtin_nan(\"\")");
  } else if (isinf(value)) {
    emit_add(text, value < 0 ? "-__builtin_inf()" : "__builtin_inf()");
  } else {
    int exponent;
    const double mantissa = frexp(fabs(value), &exponent);
    emit_add(text, "%s0x%" PRIx64 "p%d", signbit(value) ? "-" : "", (uint64_t)ldexp(mantissa, 53), exponent - 53);
  }
}

// Values by name

static const char *const arrays[4] = {"pos", "vel", "dpos", "dvel"};
static const char *const array_names[4] = {"x", "v", "dx", "dv"};

static int array_of(uint32_t op) {
  return op == DAG_POS ? 0 : op == DAG_VEL ? 1 : op == DAG_DPOS ? 2 : op == DAG_DVEL ? 3 : -1;
}

void emit_add_ref(const emitter *e, emit_ref ref) {
  const emit_node *node = &e->graph.nodes.data[ref >> 1];
  const char *sign = ref & 1 ? "-" : "";
  const int array = array_of(node->op);
  if (node->op == DAG_CONST) {
    emit_add(e->text, "lanes_all(");
    emit_number(e->text, ref & 1 ? -node->value : node->value);
    emit_add(e->text, ")");
  } else if (array >= 0 && node->op != e->loops.axis) {
    emit_add(e->text, "%s%s%u", sign, array_names[array], node->index);
  } else {
    emit_add(e->text, "%st%u", sign, ref >> 1);
  }
}

static void add_list(const emitter *e, const char *before, const emit_ref *refs, uint32_t count) {
  emit_add(e->text, "%s(", before);
  for (uint32_t k = 0; k < count; k++) {
    if (k) emit_add(e->text, ", ");
    emit_add_ref(e, refs[k]);
  }
  emit_add(e->text, ")");
}

static void add_binary(const emitter *e, const char *sign, const emit_ref *args) {
  emit_add_ref(e, args[0]);
  emit_add(e->text, " %s ", sign);
  emit_add_ref(e, args[1]);
}

// Statements

static void add_sum(const emitter *e, const emit_node *node) {
  const emit_ref a = node->arg[0], b = node->arg[1];
  if (b & 1)
    add_binary(e, "-", (emit_ref[]){a, b ^ 1});
  else if (a & 1)
    add_binary(e, "-", (emit_ref[]){b, a ^ 1});
  else
    add_binary(e, "+", (emit_ref[]){a, b});
}

static void add_fused(const emitter *e, const emit_node *node) {
  static const char *const names[4] = {"lanes_fma", "lanes_fms", "lanes_fnma", "lanes_fnms"};
  const uint32_t product = (node->arg[0] ^ node->arg[1]) & 1, sum = node->arg[2] & 1;
  add_list(e, names[2 * product + sum], (emit_ref[]){node->arg[0] & ~1u, node->arg[1] & ~1u, node->arg[2] & ~1u}, 3);
}

static const char *function_of(uint32_t op) {
  switch (op) {
  case DAG_SQRT:
    return "lanes_sqrt";
  case DAG_EXP:
    return "lanes_exp";
  case DAG_LOG:
    return "lanes_log";
  case DAG_SIN:
    return "lanes_sin";
  case DAG_COS:
    return "lanes_cos";
  case DAG_TAN:
    return "lanes_tan";
  case DAG_ASIN:
    return "lanes_asin";
  case DAG_ACOS:
    return "lanes_acos";
  case DAG_ATAN2:
    return "lanes_atan2";
  case DAG_POW:
    return "lanes_pow";
  case DAG_ABS:
    return "lanes_abs";
  case DAG_MIN:
    return "lanes_min";
  case DAG_MAX:
    return "lanes_max";
  case DAG_FLOOR:
    return "lanes_floor";
  case DAG_SELECT:
    return "lanes_select";
  default:
    return NULL;
  }
}

static void add_input(const emitter *e, const emit_node *node) {
  switch (node->op) {
  case DAG_PARAM:
    emit_add(e->text, "lanes_all(params[%u])", node->index);
    break;
  case DAG_HOIST:
    emit_add(e->text, "lanes_load(c + %u)",
             KERNEL_LANES * (e->loops.rolled ? e->kernel->rolled->row[node->index] : node->index));
    break;
  case DAG_HOIST_Q:
    if (e->loops.rolled)
      emit_add(e->text, "lanes_load(c + %u + 8 * point)", KERNEL_LANES * e->kernel->rolled->point[node->index]);
    else
      emit_add(e->text, "lanes_load(q + %u)", KERNEL_LANES * node->index);
    break;
  case DAG_SHAPE:
    emit_add(e->text, "lanes_all(CLV_KERNEL(shape)[point][%u])", node->index);
    break;
  case EMIT_OVER:
    emit_add(e->text, "o%u", node->index);
    break;
  case EMIT_SUM:
    if (e->loops.rolled)
      emit_add(e->text, "o%u", node->index);
    else if (e->loops.axis)
      emit_add(e->text, "lanes_load(m + %u * count)", KERNEL_LANES * node->index);
    else
      emit_add(e->text, "f%u", node->index);
    break;
  default:
    emit_add(e->text, "axis[%u]", node->index);
    break;
  }
}

static void add_quotient(const emitter *e, const emit_node *node) {
  const emit_ref *args;
  if (!emit_is_inverse_root(&e->graph, node)) {
    add_binary(e, "/", node->arg);
    return;
  }
  emit_arguments(&e->graph, &e->graph.nodes.data[node->arg[1] >> 1], &args);
  add_list(e, "lanes_inverse_root", args, 1);
}

static void add_part(const emitter *e, const emit_node *node) {
  const uint32_t columns = e->graph.nodes.data[node->arg[0] >> 1].count;
  emit_add(e->text, "t%u[%u]", node->arg[0] >> 1, node->index / columns * 3 + node->index % columns);
}

static void add_value(const emitter *e, const emit_node *node) {
  const char *function = function_of(node->op);
  const emit_ref *args;
  const uint32_t count = emit_arguments(&e->graph, node, &args);
  if (function) {
    add_list(e, function, args, count);
    return;
  }
  switch (node->op) {
  case DAG_ADD:
    add_sum(e, node);
    break;
  case EMIT_FMA:
    add_fused(e, node);
    break;
  case DAG_MUL:
    add_binary(e, "*", args);
    break;
  case DAG_DIV:
    add_quotient(e, node);
    break;
  case DAG_LESS:
    add_binary(e, "<", args);
    break;
  case DAG_LESS_EQUAL:
    add_binary(e, "<=", args);
    break;
  case DAG_EQUAL:
    add_binary(e, "==", args);
    break;
  case DAG_AND:
    add_binary(e, "&", args);
    break;
  case DAG_OR:
    add_binary(e, "|", args);
    break;
  case DAG_NOT:
    emit_add(e->text, "~t%u", args[0] >> 1);
    break;
  case DAG_PART:
    add_part(e, node);
    break;
  default:
    add_input(e, node);
    break;
  }
}

// Whether the ways to particles and back are much of what a body does: in forces at a single point. In matrices and in
// sums over points they are little, and energies are seldom wanted.
static bool is_hot(const emitter *e) {
  return e->graph.roots.count > 1 && !e->loops.points && !e->loops.rolled && !e->loops.axis && !e->halves;
}

static void add_gather(emitter *e, const char *indent, const emit_node *node) {
  const int array = array_of(node->op);
  assert(array >= 0);
  const uint32_t particle = node->index / 3;
  if (e->gathered[array] >> particle & 1) return;
  e->gathered[array] |= (uint64_t)1 << particle;
  const char *name = array_names[array];
  const uint32_t x = 3 * particle;
  emit_add(e->text, "%slanes %s%u, %s%u, %s%u;\n", indent, name, x, name, x + 1, name, x + 2);
  emit_add(e->text, "%s%s(%s, at + %u, &%s%u, &%s%u, &%s%u);\n", indent,
           is_hot(e) ? "lanes_gather" : "lanes_gather_far", arrays[array], KERNEL_LANES * particle, name, x, name,
           x + 1, name, x + 2);
}

// Matrices of two columns get a third of zeros.
static void add_rotation(const emitter *e, const char *indent, uint32_t n) {
  const emit_node *node = &e->graph.nodes.data[n];
  const emit_ref *args;
  emit_arguments(&e->graph, node, &args);
  emit_add(e->text, "%sconst lanes m%u[9] = {", indent, n);
  for (uint32_t k = 0; k < 9; k++) {
    if (k) emit_add(e->text, ", ");
    if (k % 3 < node->count)
      emit_add_ref(e, args[k / 3 * node->count + k % 3]);
    else
      emit_add(e->text, "lanes_all(0.0)");
  }
  emit_add(e->text, "};\n%slanes t%u[9];\n%slanes_rotation(t%u, m%u);\n", indent, n, indent, n, n);
}

void emit_statement(emitter *e, const char *indent, uint32_t n) {
  const emit_node *node = &e->graph.nodes.data[n];
  if (node->op == DAG_CONST) return;
  if (array_of(node->op) >= 0 && node->op != e->loops.axis) {
    add_gather(e, indent, node);
    return;
  }
  if (node->op == DAG_ROTATION) {
    add_rotation(e, indent, n);
    return;
  }
  emit_add(e->text, "%sconst %s t%u = ", indent, node->truth ? "lanes_mask" : "lanes", n);
  add_value(e, node);
  emit_add(e->text, ";\n");
}

void emit_level_statements(emitter *e, uint32_t level, const char *indent) {
  for (uint32_t k = 0; k < e->graph.order.count; k++) {
    const uint32_t n = e->graph.order.data[k];
    if (e->graph.nodes.data[n].level == level) emit_statement(e, indent, n);
  }
}

// Functions

// Asks for what a batch reads that comes soon: it takes too many instructions for the processor to look so far ahead.
static void add_ahead(const emitter *e, const char *array, uint32_t bytes, uint32_t far) {
  if (bytes) emit_add(e->text, "    lanes_ahead_all(%s, %u, %u);\n", array, far / bytes * bytes, bytes);
}

static void add_head(const emitter *e) {
  const kernel *k = e->kernel;
  emit_add(e->text, "    const lanes_u32 *restrict at = places + row / 8 * %uul + row %% 8;\n",
           KERNEL_LANES * k->particles);
  emit_add(e->text, "    const double *restrict c = constants + row / 8 * %uul + row %% 8;\n",
           KERNEL_LANES * kernel_constants(k));
  emit_add(e->text, "    const double *restrict q = c + %u;\n", KERNEL_LANES * k->hoist_count);
  enum { FAR = 2048 };
  const uint32_t constants = KERNEL_LANES * kernel_constants(k) * (uint32_t)sizeof(double);
  if (constants > FAR) return; // the processor follows so many by itself
  add_ahead(e, "at", KERNEL_LANES * k->particles * (uint32_t)sizeof(uint32_t), FAR);
  add_ahead(e, "c", constants, FAR);
}

static void add_point_loop(const emitter *e) {
  emit_add(e->text, "    for (lanes_u32 point = 0; point < %u; point++, q += %u) {\n", e->kernel->quadrature,
           KERNEL_LANES * e->kernel->hoist_q_count);
}

// A root's name once it is there: what was summed, or the value itself, times `sign`.
static void add_root(const emitter *e, uint32_t k, emit_ref sign) {
  if (!e->graph.roots.data[k])
    emit_add(e->text, "lanes_all(0.0)");
  else if (e->loops.points)
    emit_add(e->text, "f%u", k);
  else
    emit_add_ref(e, e->graph.roots.data[k] ^ sign);
}

// The root whose value a root has, but for the sign: the first of them gives it a name.
static uint32_t named_root(const emitter *e, uint32_t k) {
  const emit_ref *root = e->graph.roots.data;
  uint32_t first = 0;
  while (!e->loops.points && root[first] >> 1 != root[k] >> 1) first++;
  return e->loops.points ? k : first;
}

static bool names_root(const emitter *e, uint32_t k) {
  return e->graph.roots.data[k] && named_root(e, k) == k;
}

// Names for the forces, and none in lanes that do not count.
static void add_forces(const emitter *e) {
  for (uint32_t k = 0; !e->loops.points && k < e->graph.roots.count; k++) {
    if (!names_root(e, k)) continue;
    emit_add(e->text, "    lanes f%u = ", k);
    emit_add_ref(e, e->graph.roots.data[k] & ~1u);
    emit_add(e->text, ";\n");
  }
  emit_add(e->text, "    if (!LANES_FULL(rows - row)) {\n");
  emit_add(e->text, "      const lanes_mask counting = lanes_counting(rows - row);\n");
  for (uint32_t k = 0; k < e->graph.roots.count; k++)
    if (names_root(e, k)) emit_add(e->text, "      f%u = lanes_only(counting, f%u);\n", k, k);
  emit_add(e->text, "    }\n");
}

static void add_force(const emitter *e, uint32_t k, emit_ref minus) {
  const emit_ref root = e->graph.roots.data[k];
  if (!root)
    emit_add(e->text, "lanes_all(0.0)");
  else
    emit_add(e->text, "%sf%u", !e->loops.points && (root ^ minus) & 1 ? "-" : "", named_root(e, k));
}

// A particle whose three forces are negated has them taken away.
static void add_scatter(const emitter *e) {
  add_forces(e);
  for (uint32_t p = 0; p < e->kernel->particles; p++) {
    const emit_ref *root = e->graph.roots.data + 3 * (size_t)p;
    emit_ref any = 0, minus = is_hot(e);
    for (uint32_t k = 0; k < 3; k++) {
      any |= root[k];
      if (root[k]) minus &= root[k];
    }
    if (!any) continue;
    if (!is_hot(e))
      emit_add(e->text, "    lanes_scatter_far(out, at + %u, ", KERNEL_LANES * p);
    else
      emit_add(e->text, "    lanes_scatter_full(out, at + %u, %u, ", KERNEL_LANES * p, (unsigned)minus);
    for (uint32_t k = 0; k < 3; k++) {
      if (k) emit_add(e->text, ", ");
      add_force(e, 3 * p + k, minus);
    }
    emit_add(e->text, ");\n");
  }
}

// Energies and forces: rows are summed over their points in registers.
static void add_rows(emitter *e) {
  emit_text *text = e->text;
  emit_level_statements(e, EMIT_PROGRAM, "  ");
  emit_add(text, "  for (lanes_u32 row = 0; row < rows; row += CLV_WIDTH) {\n");
  add_head(e);
  for (uint32_t k = 0; e->loops.points && k < e->graph.roots.count; k++)
    if (e->graph.roots.data[k]) emit_add(text, "    lanes f%u = lanes_all(0.0);\n", k);
  if (e->loops.rolled)
    emit_rolled_stages(e, EMIT_ROW, "    ");
  else
    emit_level_statements(e, EMIT_ROW, "    ");
  if (!e->loops.points) return;
  add_point_loop(e);
  emit_level_statements(e, EMIT_POINT, "      ");
  for (uint32_t k = 0; k < e->graph.roots.count; k++) {
    if (!e->graph.roots.data[k]) continue;
    emit_add(text, "      f%u = ", k);
    emit_add_ref(e, e->graph.roots.data[k]);
    emit_add(text, ";\n");
  }
  emit_add(text, "    }\n");
}

static bool has_roots(const emitter *e) {
  for (uint32_t k = 0; k < e->graph.roots.count; k++)
    if (e->graph.roots.data[k]) return true;
  return false;
}

static bool start_body(emitter *e, kernel_kind kind, dag_op axis) {
  const kernel *k = e->kernel;
  const bool rolled = e->loops.rolled;
  e->halves = false;
  e->loops = (emit_loops){.points = k->quadrature > 1, .rolled = rolled, .axis = axis};
  memset(e->gathered, 0, sizeof e->gathered);
  return emit_lower(&e->graph, &e->text->allocator, rolled ? &k->rolled->graph : &k->graph,
                    rolled ? &k->rolled->body[kind] : &k->body[kind], e->loops);
}

static bool add_simple(emitter *e, kernel_kind kind) {
  emit_add(e->text, "\nvoid CLV_KERNEL(%s)(const lanes_args *args) {\n  LANES_ARGS(args);\n", emit_kind_name(kind));
  const bool ok = start_body(e, kind, DAG_NONE);
  if (ok && kind == KERNEL_ENERGY) {
    add_rows(e);
    emit_add(e->text, "    lanes_store(args->energy + row, ");
    add_root(e, 0, 0);
    emit_add(e->text, ");\n  }\n  lanes_end_energy(args->energy, rows);\n");
  } else if (ok && has_roots(e)) {
    add_rows(e);
    add_scatter(e);
    emit_add(e->text, "  }\n");
  }
  emit_add(e->text, "}\n");
  emit_graph_free(&e->graph);
  return ok;
}

// The forces of a piece of rows along each of some directions. What does not depend on the direction is computed
// before.

static void add_columns(emitter *e) {
  emit_text *text = e->text;
  emit_add(text, "      for (lanes_u32 j = 0; j < count; j++) {\n");
  emit_add(text, "        const lanes *axis = directions - j;\n        double *m = matrix + 8 * j;\n");
  if (e->loops.rolled)
    emit_rolled_stages(e, EMIT_AXES, "        ");
  else
    emit_level_statements(e, EMIT_AXIS, "        ");
  for (uint32_t k = 0; k < e->graph.roots.count; k++) {
    if (!e->graph.roots.data[k] && e->loops.points) continue;
    emit_add(text, "        lanes_store(m + %u * count, ", KERNEL_LANES * k);
    if (e->graph.roots.data[k])
      emit_add_ref(e, e->graph.roots.data[k]);
    else
      emit_add(text, "lanes_all(0.0)");
    emit_add(text, ");\n");
  }
  emit_add(text, "      }\n");
}

// What comes before the loop over axes.
static void add_levels(emitter *e) {
  emit_text *text = e->text;
  emit_level_statements(e, EMIT_PROGRAM, "  ");
  emit_add(text, "  {\n");
  add_head(e);
  if (e->loops.rolled)
    emit_rolled_stages(e, EMIT_ROW, "    ");
  else
    emit_level_statements(e, EMIT_ROW, "    ");
  if (e->loops.points)
    add_point_loop(e);
  else
    emit_add(text, "    {\n");
  if (!e->loops.rolled) emit_level_statements(e, EMIT_POINT, "      ");
}

static const char *along_name(kernel_kind kind) {
  return kind == KERNEL_FORCE_DPOS ? "along_dpos" : "along_dvel";
}

// A function that writes columns of a matrix, direction by direction; the next direction begins an axis before this
// one, so that a 1 among zeros serves as all axes.
static bool add_along(emitter *e, kernel_kind kind) {
  emit_text *text = e->text;
  emit_add(text, "\nstatic void CLV_KERNEL(%s)(const lanes_args *args, lanes_u32 row, const lanes *directions, ",
           along_name(kind));
  emit_add(text, "lanes_u32 count, double *restrict matrix) {\n  LANES_ARGS(args);\n");
  const bool ok = start_body(e, kind, kind == KERNEL_FORCE_DPOS ? DAG_DPOS : DAG_DVEL);
  if (ok && (e->loops.points || !has_roots(e)))
    emit_add(text, "  lanes_clear(matrix, %u * count);\n", e->graph.roots.count);
  if (ok && has_roots(e)) {
    add_levels(e);
    add_columns(e);
    emit_add(text, "    }\n  }\n");
  }
  emit_add(text, "}\n");
  emit_graph_free(&e->graph);
  return ok;
}

// All rows of a batch, also those that only fill it up: what is behind them is made positive together.
static void add_batch_head(const emitter *e, kernel_kind kind) {
  emit_add(e->text, "\nvoid CLV_KERNEL(%s)(const lanes_args *args) {\n", emit_kind_name(kind));
  emit_add(e->text, "  for (lanes_u32 first = 0; first < args->rows; first += 8) {\n");
}

static void add_axes(const emitter *e, kernel_kind along, bool symmetric, law_psd psd) {
  const uint32_t n = 3 * e->kernel->particles;
  emit_add(e->text, "    static const lanes axes[%u] = {[%u] = LANES_ONE};\n", 2 * n - 1, n - 1);
  emit_add(e->text, "    for (lanes_u32 lane = 0; lane < 8; lane += CLV_WIDTH) {\n");
  emit_add(e->text, "      CLV_KERNEL(%s)(args, first + lane, axes + %u, %u, m + lane);\n", along_name(along), n - 1,
           n);
  if (symmetric) emit_add(e->text, "      lanes_symmetrise(m + lane, %u);\n", n);
  emit_add(e->text, "    }\n");
  if (psd != LAW_PSD_NONE) emit_add(e->text, "    CLV_POSITIVE(m, %u, %d);\n", n, (int)psd);
}

// A matrix from the forces along all axes.
static void add_matrix(const emitter *e, kernel_kind kind, law_psd psd) {
  const kernel *k = e->kernel;
  const bool stiffness = kind == KERNEL_STIFFNESS;
  const bool symmetric = stiffness ? k->symmetric || psd != LAW_PSD_NONE : k->damping_symmetric;
  const uint32_t n = 3 * k->particles;
  add_batch_head(e, kind);
  emit_add(e->text, "    double *m = args->matrix + %uul * first;\n", n * n);
  add_axes(e, stiffness ? KERNEL_FORCE_DPOS : KERNEL_FORCE_DVEL, symmetric, psd);
  emit_add(e->text, "  }\n}\n");
}

// Matrices of which one half is written, entry by entry: `size` rows each, `count` of them a row.
static bool add_halves(emitter *e, kernel_kind kind, const emit_half *half, uint32_t size, uint32_t count) {
  emit_text *text = e->text;
  e->loops = (emit_loops){.axis = DAG_NONE};
  e->halves = true;
  memset(e->gathered, 0, sizeof e->gathered);
  if (!emit_lower(&e->graph, &text->allocator, &half->graph, &half->body, e->loops)) return false;
  emit_add(text, "\nvoid CLV_KERNEL(%s)(const lanes_args *args) {\n  LANES_ARGS(args);\n", emit_kind_name(kind));
  emit_level_statements(e, EMIT_PROGRAM, "  ");
  emit_add(text, "  for (lanes_u32 row = 0; row < (rows + 7) / 8 * 8; row += CLV_WIDTH) {\n");
  emit_add(text, "    double *restrict m = args->matrix + row / 8 * %uul + row %% 8;\n",
           KERNEL_LANES * size * size * count);
  add_head(e);
  emit_level_statements(e, EMIT_ROW, "    ");
  for (uint32_t matrix = 0, k = 0; matrix < count; matrix++)
    for (uint32_t column = 0; column < size; column++)
      for (uint32_t row = 0; row <= column; row++, k++) {
        const uint32_t first = matrix * size * size;
        emit_add(text, "    lanes_store_twice(m + %u, m + %u, ", KERNEL_LANES * (first + row * size + column),
                 KERNEL_LANES * (first + column * size + row));
        add_root(e, k, 0);
        emit_add(text, ");\n");
      }
  emit_add(text, "  }\n}\n");
  return true;
}

static bool add_half(emitter *e) {
  emit_half half;
  const bool ok = emit_half_make(&half, e->kernel, &e->text->allocator) &&
                  add_halves(e, KERNEL_STIFFNESS, &half, 3 * e->kernel->particles, 1);
  emit_half_free(&half);
  emit_graph_free(&e->graph);
  return ok;
}

// The stiffnesses of distances.
static bool add_pairs(emitter *e) {
  const uint32_t count = e->kernel->pairs.count;
  emit_half half;
  if (!count) {
    emit_add(e->text, "\nvoid CLV_KERNEL(%s)(const lanes_args *args) {\n  (void)args;\n}\n",
             emit_kind_name(KERNEL_PAIRS));
    return true;
  }
  const bool ok =
      emit_half_make_pairs(&half, e->kernel, &e->text->allocator) && add_halves(e, KERNEL_PAIRS, &half, 3, count);
  emit_half_free(&half);
  emit_graph_free(&e->graph);
  return ok;
}

// The force along one direction, by the function that serves matrices: those are of minus the derivative.
static void add_force_along(const emitter *e, kernel_kind kind) {
  const uint32_t particles = e->kernel->particles;
  emit_add(e->text, "\nvoid CLV_KERNEL(%s)(const lanes_args *args) {\n", emit_kind_name(kind));
  emit_add(e->text, "  for (lanes_u32 row = 0; row < args->rows; row += CLV_WIDTH) {\n");
  emit_add(e->text, "    const lanes_u32 *at = args->places + row / 8 * %uul + row %% 8;\n", KERNEL_LANES * particles);
  emit_add(e->text, "    lanes direction[%u];\n    double force[%u];\n", 3 * particles, KERNEL_LANES * 3 * particles);
  emit_add(e->text, "    lanes_gather_all(args->%s, at, %u, direction);\n", kind == KERNEL_FORCE_DPOS ? "dpos" : "dvel",
           particles);
  emit_add(e->text, "    CLV_KERNEL(%s)(args, row, direction, 1, force);\n", along_name(kind));
  emit_add(e->text, "    lanes_subtract_all(args->out, at, args->rows - row, %u, force);\n  }\n}\n", particles);
}

// The product with a matrix that is made positive: by way of the matrix.
static void add_positive_product(const emitter *e, law_psd psd) {
  const uint32_t particles = e->kernel->particles, n = 3 * particles;
  add_batch_head(e, KERNEL_FORCE_DPOS);
  emit_add(e->text, "    double m[%u];\n", KERNEL_LANES * n * n);
  add_axes(e, KERNEL_FORCE_DPOS, true, psd);
  emit_add(e->text, "    for (lanes_u32 lane = 0; lane < 8 && first + lane < args->rows; lane += CLV_WIDTH)\n");
  emit_add(e->text, "      lanes_subtract_product(args->out, args->places + %uul * first + lane, ", particles);
  emit_add(e->text, "args->rows - first - lane, m + lane, %u, args->dpos);\n  }\n}\n", particles);
}

static bool add_positive_stiffness(emitter *e, law_psd psd) {
  const bool ok = add_along(e, KERNEL_FORCE_DPOS);
  add_matrix(e, KERNEL_STIFFNESS, psd);
  add_positive_product(e, psd);
  return ok;
}

// The fastest code there is: a matrix and a force along a direction that share nothing.
static bool add_stiffness(emitter *e, law_psd psd) {
  if (psd != LAW_PSD_NONE) return add_positive_stiffness(e, psd);
  if (emit_half_serves(e->kernel)) return add_half(e) && add_simple(e, KERNEL_FORCE_DPOS);
  const bool ok = add_along(e, KERNEL_FORCE_DPOS) && add_simple(e, KERNEL_FORCE_DPOS);
  add_matrix(e, KERNEL_STIFFNESS, LAW_PSD_NONE);
  return ok;
}

// One function for both, where somebody waits for the compiler.
static bool add_short_stiffness(emitter *e, law_psd psd) {
  enum { SHORT = 2 }; // particles: with so few, the fastest code is short
  if (e->kernel->particles <= SHORT) return add_stiffness(e, psd);
  if (psd != LAW_PSD_NONE) return add_positive_stiffness(e, psd);
  const bool ok = add_along(e, KERNEL_FORCE_DPOS);
  add_matrix(e, KERNEL_STIFFNESS, LAW_PSD_NONE);
  add_force_along(e, KERNEL_FORCE_DPOS);
  return ok;
}

static bool add_damping(emitter *e) {
  const bool ok = add_simple(e, KERNEL_FORCE_DVEL) && add_along(e, KERNEL_FORCE_DVEL);
  add_matrix(e, KERNEL_DAMPING, LAW_PSD_NONE);
  return ok;
}

static bool add_short_damping(emitter *e) {
  const bool ok = add_along(e, KERNEL_FORCE_DVEL);
  add_matrix(e, KERNEL_DAMPING, LAW_PSD_NONE);
  if (e->kernel->has_velocity)
    add_force_along(e, KERNEL_FORCE_DVEL);
  else
    emit_add(e->text, "\nvoid CLV_KERNEL(force_dvel)(const lanes_args *args) {\n  (void)args;\n}\n");
  return ok;
}

static void add_packed_product(const emitter *e) {
  const uint32_t particles = e->kernel->particles;
  add_batch_head(e, KERNEL_PRODUCT);
  emit_add(e->text, "    for (lanes_u32 lane = 0; lane < 8 && first + lane < args->rows; lane += CLV_WIDTH)\n");
  emit_add(e->text, "      lanes_packed_product(args->out, args->places + %uul * first + lane, ", particles);
  emit_add(e->text, "args->rows - first - lane, args->matrix + %uul * first + lane, %u, args->dpos);\n  }\n}\n",
           kernel_packed(e->kernel), particles);
}

static void add_rest(emitter *e, bool *ok) {
  add_packed_product(e);
  *ok = *ok && add_pairs(e) && !e->text->no_memory;
}

static law_psd psd_of(const kernel *k) {
  return k->clamps ? k->law->psd : LAW_PSD_NONE;
}

bool emit_kernel(emit_text *text, const kernel *k) {
  assert(k->particles <= LAW_PARTICLES && k->quadrature >= 1);
  emitter e = {.text = text, .kernel = k};
  bool ok =
      add_simple(&e, KERNEL_ENERGY) && add_simple(&e, KERNEL_FORCE) && add_stiffness(&e, psd_of(k)) && add_damping(&e);
  add_rest(&e, &ok);
  return ok;
}

bool emit_kernel_short(emit_text *text, const kernel *k) {
  assert(k->particles <= LAW_PARTICLES && k->quadrature >= 1);
  emitter e = {.text = text, .kernel = k, .loops.rolled = emit_rolled_serves(k)};
  if (e.loops.rolled) emit_rolled_shape(&e);
  bool ok = add_simple(&e, KERNEL_ENERGY) && add_simple(&e, KERNEL_FORCE) && add_short_stiffness(&e, psd_of(k)) &&
            add_short_damping(&e);
  add_rest(&e, &ok);
  return ok;
}
