// Emitted code: equal to the interpreter for every kind of kernel and every instruction set that is here, and for every
// shipped force. Nothing that a rule file says reaches the text.

#include "support/code_cache.h"
#include "support/counting_allocator.h"
#include "support/random.h"
#include "support/template_shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// As rule/emit_lanes.h has it, which cannot be included here: it is not plain C.
typedef struct lanes_args {
  uint32_t rows;
  const uint32_t *places;
  const double *constants, *params, *pos, *vel, *dpos, *dvel;
  double *out, *energy, *matrix;
} lanes_args;

_Static_assert(sizeof(lanes_args) == sizeof(kernel_args), "emit_lanes.h knows all arguments");
#define SAME_PLACE(field)                                                                                              \
  _Static_assert(offsetof(lanes_args, field) == offsetof(kernel_args, field), "emit_lanes.h has " #field)
SAME_PLACE(rows);
SAME_PLACE(places);
SAME_PLACE(constants);
SAME_PLACE(params);
SAME_PLACE(pos);
SAME_PLACE(vel);
SAME_PLACE(dpos);
SAME_PLACE(dvel);
SAME_PLACE(out);
SAME_PLACE(energy);
SAME_PLACE(matrix);

// Laws, made by hand

typedef struct fixture {
  clv_program *program;
  law law;
} fixture;

static void fixture_init(fixture *f, uint32_t particles, uint32_t quadrature, law_psd psd) {
  const clv_allocator allocator = clv_default_allocator();
  *f = (fixture){.program = clv_program_create(NULL)};
  assert_non_null(f->program);
  f->law.name = "law";
  f->law.psd = psd;
  f->law.quadrature = quadrature;
  dag_init(&f->law.graph, &allocator);
  assert_true(BASE_RESERVE(&allocator, &f->law.particles, particles));
  for (uint32_t p = 0; p < particles; p++) f->law.particles.data[f->law.particles.count++] = (uint16_t)p;
}

static void fixture_free(fixture *f) {
  const clv_allocator allocator = clv_default_allocator();
  dag_free(&f->law.graph);
  BASE_RELEASE(&allocator, &f->law.particles);
  BASE_RELEASE(&allocator, &f->law.reads);
  clv_program_destroy(f->program);
}

enum { READS = 128, PARAMS = 128 };

static dag_ref read_of(fixture *f, uint32_t k) {
  const clv_allocator allocator = clv_default_allocator();
  assert_true(k < READS && BASE_RESERVE(&allocator, &f->law.reads, READS));
  while (f->law.reads.count < READS) f->law.reads.data[f->law.reads.count++] = (law_read){0};
  return dag_input(&f->law.graph, DAG_READ, k);
}

static dag_ref pos_of(fixture *f, uint32_t k) {
  return dag_input(&f->law.graph, DAG_POS, k);
}

static dag_ref number(fixture *f, double value) {
  return dag_const(&f->law.graph, value);
}

static dag_ref square(dag *g, dag_ref a) {
  return dag_mul(g, a, a);
}

// A spring with damping.
static void make_spring(fixture *f) {
  fixture_init(f, 2, 0, LAW_PSD_NONE);
  dag *g = &f->law.graph;
  dag_ref sum = number(f, 0), rate, bad;
  for (uint32_t i = 0; i < 3; i++) sum = dag_add(g, sum, square(g, dag_sub(g, pos_of(f, i), pos_of(f, 3 + i))));
  const dag_ref length = dag_unary(g, DAG_SQRT, sum);
  assert_true(dag_rate(g, length, &rate, &bad));
  f->law.energy = dag_mul(g, read_of(f, 0), square(g, dag_sub(g, length, read_of(f, 1))));
  f->law.dissipation = dag_mul(g, dag_mul(g, read_of(f, 2), dag_input(g, DAG_PARAM, 1)), square(g, rate));
}

// The entries of F, 3 x columns, from quadrature gradients.
static void make_gradient(fixture *f, uint32_t corners, uint32_t columns, dag_op of, dag_ref *entries) {
  dag *g = &f->law.graph;
  for (uint32_t e = 0; e < 3 * columns; e++) {
    dag_ref sum = number(f, 0);
    for (uint32_t c = 0; c < corners; c++) {
      const dag_ref gradient = dag_input(g, DAG_QUAD, 1 + corners + 3 * c + e % columns);
      sum = dag_add(g, sum, dag_mul(g, dag_input(g, of, 3 * c + e / columns), gradient));
    }
    entries[e] = sum;
  }
}

static dag_ref isotropic(fixture *f, const dag_ref *e, uint32_t n) {
  dag *g = &f->law.graph;
  dag_ref dot = number(f, 0), trace = number(f, 0);
  for (uint32_t k = 0; k < n * n; k++) {
    dot = dag_add(g, dot, square(g, e[k]));
    if (k % (n + 1) == 0) trace = dag_add(g, trace, e[k]);
  }
  const dag_ref energy = dag_add(g, dag_mul(g, read_of(f, 0), dot), dag_mul(g, read_of(f, 1), square(g, trace)));
  return dag_mul(g, dag_input(g, DAG_QUAD, 0), energy);
}

// a' b, made symmetric, minus 1: of 3 x n matrices.
static void strain(fixture *f, const dag_ref *a, const dag_ref *b, uint32_t n, dag_ref *e) {
  dag *g = &f->law.graph;
  for (uint32_t k = 0; k < n * n; k++) {
    dag_ref sum = number(f, k % (n + 1) == 0 ? -2 : 0);
    for (uint32_t i = 0; i < 3; i++) {
      sum = dag_add(g, sum, dag_mul(g, a[i * n + k / n], b[i * n + k % n]));
      sum = dag_add(g, sum, dag_mul(g, a[i * n + k % n], b[i * n + k / n]));
    }
    e[k] = dag_mul(g, number(f, 0.5), sum);
  }
}

static void make_corotational(fixture *f, uint32_t columns, uint32_t corners, uint32_t points, law_psd psd) {
  fixture_init(f, corners, points, psd);
  dag *g = &f->law.graph;
  dag_ref entries[9], rotation[9], e[9];
  make_gradient(f, corners, columns, DAG_POS, entries);
  dag_rotation(g, entries, columns, rotation);
  for (uint32_t k = 0; k < 3 * columns; k++) rotation[k] = dag_unary(g, DAG_HOLD, rotation[k]);
  strain(f, rotation, entries, columns, e);
  f->law.energy = isotropic(f, e, columns);
}

static void make_green(fixture *f, uint32_t corners, uint32_t points, law_psd psd) {
  fixture_init(f, corners, points, psd);
  dag_ref entries[9], e[9], rates[9], bad;
  make_gradient(f, corners, 3, DAG_POS, entries);
  strain(f, entries, entries, 3, e);
  for (uint32_t k = 0; k < 9; k++) assert_true(dag_rate(&f->law.graph, e[k], &rates[k], &bad));
  f->law.energy = isotropic(f, e, 3);
  f->law.dissipation = isotropic(f, rates, 3);
}

// Steps have no derivative.
static dag_ref held(dag *g, dag_op op, dag_ref a) {
  const dag_ref result = dag_unary(g, op, a);
  return op == DAG_FLOOR ? dag_unary(g, DAG_HOLD, result) : result;
}

// Every operation, in explicit forces.
static void make_everything(fixture *f) {
  fixture_init(f, 3, 0, LAW_PSD_NONE);
  dag *g = &f->law.graph;
  static const dag_op unary[] = {DAG_NEG, DAG_SQRT, DAG_EXP, DAG_LOG, DAG_SIN, DAG_COS, DAG_TAN, DAG_ABS, DAG_FLOOR};
  static const dag_op binary[] = {DAG_ADD, DAG_SUB, DAG_MUL, DAG_DIV, DAG_ATAN2, DAG_POW, DAG_MIN, DAG_MAX};
  const dag_ref x = pos_of(f, 0), y = pos_of(f, 4), v = dag_input(g, DAG_VEL, 7), p = dag_input(g, DAG_PARAM, 0);
  dag_ref one = dag_mul(g, x, read_of(f, 0)), two = v, three = p;
  for (size_t k = 0; k < sizeof unary / sizeof *unary; k++)
    one = dag_add(g, one, held(g, unary[k], dag_add(g, x, number(f, (double)k))));
  for (size_t k = 0; k < sizeof binary / sizeof *binary; k++)
    two = dag_add(g, two, dag_binary(g, binary[k], dag_add(g, x, number(f, 1)), dag_add(g, y, number(f, 1))));
  const dag_ref part = dag_div(g, x, number(f, 8));
  three = dag_add(g, three, dag_add(g, dag_unary(g, DAG_ASIN, part), dag_unary(g, DAG_ACOS, part)));
  const dag_ref less = dag_binary(g, DAG_LESS, x, y), equal = dag_binary(g, DAG_EQUAL, held(g, DAG_FLOOR, x), p);
  const dag_ref either = dag_binary(g, DAG_OR, dag_unary(g, DAG_NOT, less), equal);
  const dag_ref both = dag_binary(g, DAG_AND, either, dag_binary(g, DAG_LESS_EQUAL, v, x));
  three = dag_add(g, three, dag_select(g, both, one, two));
  three = dag_add(g, three, dag_mul(g, dag_unary(g, DAG_HOLD, less), number(f, 7)));
  f->law.force = calloc(9, sizeof *f->law.force);
  assert_non_null(f->law.force);
  f->law.force[0] = one, f->law.force[4] = two, f->law.force[5] = three;
}

// Rows, made at random

enum {
  PARTICLES = 7 * LAW_PARTICLES,
  ROWS = 29,
  BATCHES = (ROWS + 7) / 8,
  ALL = KERNEL_STRIDE * PARTICLES,
  MATRIX = 24 * 24
};

typedef struct rows {
  double params[PARAMS], pos[ALL], vel[ALL], dpos[ALL], dvel[ALL];
  uint32_t places[BATCHES * LAW_PARTICLES * KERNEL_LANES];
  double *constants;
  size_t size;
} rows;

typedef struct results {
  double out[ALL], energy[BATCHES * KERNEL_LANES], matrix[BATCHES * MATRIX * KERNEL_LANES];
} results;

static void random_row(const kernel *k, random_source *source, rows *r, uint32_t row) {
  double reads[READS], quad[LAW_QUADRATURE][LAW_QUAD_DATA], rest[8][3];
  const clv_kind kind = k->law->shape.kind;
  assert_true(k->law->reads.count <= READS);
  for (uint32_t j = 0; j < READS; j++) reads[j] = random_between(source, 0.5, 1.5);
  for (uint32_t q = 0; q < LAW_QUADRATURE; q++)
    for (uint32_t j = 0; j < LAW_QUAD_DATA; j++) quad[q][j] = random_between(source, j < 9 ? 0.1 : -1, 1);
  for (uint32_t c = 0; c < 8; c++)
    for (uint32_t axis = 0; axis < 3; axis++)
      rest[c][axis] = kind ? template_shapes[kind][c][axis] + random_between(source, -0.1, 0.1) : 0;
  if (kind) law_quadrature(kind, (const double(*)[3])rest, quad);
  double *constants = r->constants + (size_t)(row / 8) * kernel_constants(k) * 8 + row % 8;
  uint32_t *places = r->places + (size_t)(row / 8) * k->particles * 8 + row % 8;
  kernel_hoist(k, r->params, reads, (const double(*)[LAW_QUAD_DATA])quad, constants);
  for (uint32_t p = 0; p < k->particles; p++)
    places[p * KERNEL_LANES] = KERNEL_STRIDE * (7 * p + random_below(source, 4));
}

// The corners of a template lie near those of a well-shaped cell: what is next to singular would only tell of rounding.
static void place_corners(rows *r, const kernel *k, random_source *source) {
  const clv_kind kind = k->law->shape.kind;
  for (uint32_t p = 0; kind && p < k->particles && p < 8; p++)
    for (uint32_t near = 0; near < 4; near++)
      for (uint32_t axis = 0; axis < 3; axis++)
        r->pos[(7 * p + near) * KERNEL_STRIDE + axis] =
            1 + 1.2 * template_shapes[kind][p][axis] + random_between(source, -0.2, 0.2);
}

static void rows_init(rows *r, const kernel *k, uint64_t seed) {
  random_source source = {seed};
  r->size = (size_t)BATCHES * KERNEL_LANES * (kernel_constants(k) + 1) * sizeof(double);
  r->constants = malloc(r->size);
  assert_non_null(r->constants);
  for (uint32_t k0 = 0; k0 < PARAMS; k0++) r->params[k0] = random_between(&source, 0.5, 1.5);
  for (uint32_t e = 0; e < ALL; e++) {
    r->pos[e] = random_between(&source, 0.5, 3);
    r->vel[e] = random_between(&source, 0.5, 3);
    r->dpos[e] = random_between(&source, -1, 1);
    r->dvel[e] = random_between(&source, -1, 1);
  }
  place_corners(r, k, &source);
  for (uint32_t row = 0; row < BATCHES * 8; row++) random_row(k, &source, r, row);
}

static kernel_args args_of(rows *r, uint32_t count, results *to) {
  for (uint32_t e = 0; e < ALL; e++) to->out[e] = e % 4 == 3 ? 0 : 0.25;
  memset(to->energy, 0, sizeof to->energy);
  memset(to->matrix, 0, sizeof to->matrix);
  return (kernel_args){count,   r->places, r->constants, r->params,  r->pos,    r->vel,
                       r->dpos, r->dvel,   to->out,      to->energy, to->matrix};
}

// Equal to 1e-12 of the largest value.
static void assert_close(const double *a, const double *b, size_t count, const char *what) {
  double largest = 0;
  for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(a[k]));
  for (size_t k = 0; k < count; k++) {
    assert_true(isfinite(a[k]));
    if (!(fabs(a[k] - b[k]) <= 1e-12 * largest))
      fail_msg("%s %zu: interpreted %.17g, compiled %.17g, largest %.17g", what, k, a[k], b[k], largest);
  }
}

static void compare_kind(const kernel *k, kernel_kind kind, rows *r, uint32_t count) {
  static results one, two;
  const kernel_args interpreted = args_of(r, count, &one), compiled = args_of(r, count, &two);
  for (uint32_t e = 0; kind == KERNEL_PRODUCT && e < ROWS * MATRIX; e++)
    one.matrix[e] = two.matrix[e] = 0.001 * (double)(e % 1999);
  kernel_interpret(k, kind, &interpreted);
  assert_non_null(k->compiled[kind]);
  kernel_run(k, kind, &compiled);
  assert_close(one.out, two.out, ALL, emit_kind_name(kind));
  if (kind == KERNEL_ENERGY) assert_close(one.energy, two.energy, count, "energy");
  if (kind < KERNEL_STIFFNESS) return;
  // Of all rows together: what is taken away when a matrix is made positive may leave one of them with next to nothing.
  static double a[ROWS * MATRIX], b[ROWS * MATRIX];
  const uint32_t n2 = 9 * k->particles * k->particles;
  for (uint32_t row = 0; row < count; row++)
    for (uint32_t e = 0; e < n2; e++) {
      const size_t from = ((size_t)(row / 8) * n2 + e) * 8 + row % 8;
      a[row * n2 + e] = one.matrix[from], b[row * n2 + e] = two.matrix[from];
    }
  assert_close(a, b, (size_t)count * n2, emit_kind_name(kind));
}

// Interpreter and compiled code

static void compare_everything(kernel *k) {
  rows r;
  rows_init(&r, k, 7);
  for (int isa = 0; isa < NATIVE_ISA_COUNT; isa++) {
    if (!native_isa_here((native_isa)isa)) continue;
    rule_native native;
    code_cache_open(&native, native_isa_name((native_isa)isa), NULL);
    kernel_set_code(k, NULL);
    assert_int_equal(rule_native_attach(&native, &k, 1), CLV_OK);
    if (native.interpreted) fail_msg("%s", native.trouble.message);
    static const uint32_t counts[] = {1, 3, 8, 9, 24, ROWS};
    for (int kind = 0; kind < KERNEL_COUNT; kind++)
      for (size_t n = 0; n < sizeof counts / sizeof *counts; n++) compare_kind(k, (kernel_kind)kind, &r, counts[n]);
    kernel_set_code(k, NULL);
    rule_native_close(&native);
  }
  free(r.constants);
}

static void compare_law(fixture *f) {
  const clv_allocator allocator = clv_default_allocator();
  assert_false(f->law.graph.no_memory);
  kernel *k = kernel_make(f->program, &f->law);
  assert_non_null(k);
  compare_everything(k);
  kernel_destroy(k, &allocator);
  fixture_free(f);
}

static void springs_agree(void **state) {
  (void)state;
  fixture f;
  make_spring(&f);
  compare_law(&f);
}

static void rotations_agree(void **state) {
  (void)state;
  fixture f;
  make_corotational(&f, 3, 4, 1, LAW_PSD_NONE);
  compare_law(&f);
  make_corotational(&f, 2, 3, 1, LAW_PSD_NONE);
  compare_law(&f);
}

static void sums_over_points_agree(void **state) {
  (void)state;
  fixture f;
  make_green(&f, 5, 5, LAW_PSD_NONE);
  compare_law(&f);
}

static void positive_matrices_agree(void **state) {
  (void)state;
  fixture f;
  make_green(&f, 3, 1, LAW_PSD_CLAMP);
  compare_law(&f);
  make_corotational(&f, 2, 4, 4, LAW_PSD_ABS);
  compare_law(&f);
}

static void every_operation_agrees(void **state) {
  (void)state;
  fixture f;
  make_everything(&f);
  dag_ref *force = f.law.force;
  compare_law(&f);
  free(force);
}

// Laws whose sums over points need each other: of the shape at rest, of the reference shape, and for a rate.
static const char entangled[] = "use fem;\n"
                                "force entangled on t:cell {\n"
                                "  let M = over q in t grad(t.pos,q); let R = hold(rotation(M));\n"
                                "  let V = over q in t dilation(grad(t.pos,q));\n"
                                "  let n = over q in t tr(R'*grad(t.pos,q))*dilation(grad(t.pos,q));\n"
                                "  energy 0.5*t.lam*(V/rest(V)-1)^2*rest(V)+t.mu*n^2/rest(V);\n"
                                "  over q in t {\n"
                                "    let F = grad(t.pos,q);\n"
                                "    energy select(tr(F'*F) > 3, t.mu*V/rest(V), t.mu)*tr(F'*F);\n"
                                "    dissipation t.phi*tr(rate(F)'*rate(F))*V/rest(V);\n"
                                "  }\n"
                                "}\n"
                                "force referred on t:pyramid|prism|hex {\n"
                                "  let R = hold(rotation(over q in t grad(t.pos,q)));\n"
                                "  let W = sum q in t volume_at(t,q)*det(jac(t.pos,q)*inverse_at(t,q));\n"
                                "  sum q in t {\n"
                                "    let A = jac(R'*t.pos,q)*inverse_at(t,q);\n"
                                "    energy volume_at(t,q)*iso(sym(A)-I, t.mu, t.lam)+0.1*t.lam*q.w*W^2/rest(W);\n"
                                "  }\n"
                                "}\n"
                                "param tall:real[m] = 2;\n"
                                "param up:vec3 = (0, 0, 1);\n"
                                "force lifted on t:prism external {\n"
                                "  sum q in t { force(c in t) = t.mu*q.w*q.N[c]*abs(det(jac(t.pos,q)))/tall*up; }\n"
                                "}\n";

static void loops_over_points_agree(void **state) {
  (void)state;
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "x.rule", entangled, strlen(entangled)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  uint32_t compared = 0;
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t j = 0; j < program->laws[n].kernels.count; j++) {
      kernel *k = program->laws[n].kernels.data[j];
      if (!k || program->files.data[k->law->tree->span.file].shipped) continue;
      assert_true((k->rolled != NULL) == (law_quadrature_points(k->law->shape.kind) > 1));
      compare_everything(k);
      compared++;
    }
  assert_int_equal(compared, 10);
  clv_program_destroy(program);
}

static uint32_t size_of_text(const kernel *k, bool (*emit)(emit_text *, const kernel *)) {
  const clv_allocator allocator = clv_default_allocator();
  emit_text text;
  emit_text_init(&text, &allocator);
  assert_true(emit(&text, k));
  const uint32_t size = text.bytes.count;
  emit_text_free(&text);
  return size;
}

// Somebody waits for the compiler of a user's law: its text does not grow with the points of a cell.
static void text_does_not_grow_with_points(void **state) {
  (void)state;
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_use(program, "fem"), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  uint32_t seen = 0;
  for (uint32_t j = 0; j < program->laws[1].kernels.count; j++) {
    const kernel *k = program->laws[1].kernels.data[j];
    if (!k || k->law->shape.kind != CLV_HEX || !k->law->rolled) continue;
    assert_true(2 * size_of_text(k, emit_kernel_short) < size_of_text(k, emit_kernel));
    seen++;
  }
  assert_true(seen >= 2);
  clv_program_destroy(program);
}

// The shipped forces

enum { SHIPPED_ROWS = 11, SHIPPED_TIMES = 3 };

// False where the kernels of this instruction set were not built.
static bool compare_shipped(kernel *k, rule_native *native) {
  kernel_set_code(k, NULL);
  assert_int_equal(rule_native_attach_shipped(native, &k, 1), CLV_OK);
  if (!k->compiled[KERNEL_FORCE]) return false;
  for (uint64_t seed = 11; seed < 11 + SHIPPED_TIMES; seed++) {
    rows r;
    rows_init(&r, k, seed);
    for (int kind = 0; kind < KERNEL_COUNT; kind++) compare_kind(k, (kernel_kind)kind, &r, SHIPPED_ROWS);
    free(r.constants);
  }
  return true;
}

// Every kernel of a force, in maps of both dimensions. What was compared, and what there is.
static void compare_force(clv_program *program, const rule_tree *force, rule_native *native, uint32_t *compared,
                          uint32_t *kernels) {
  *compared = *kernels = 0;
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t j = 0; j < program->laws[n].kernels.count; j++) {
      kernel *k = program->laws[n].kernels.data[j];
      if (!k || k->law->tree != force) continue;
      ++*kernels;
      *compared += compare_shipped(k, native);
    }
}

// Derived quantities and updates have no kernels: there is one way to compute them.
static void expect_kernels_of_forces_alone(const clv_program *program) {
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t j = 0; j < program->laws[n].kernels.count; j++)
      assert_int_equal(program->laws[n].kernels.data[j] != NULL,
                       program->laws[n].laws.data[j]->tree->kind == RULE_FORCE);
}

// Each force that a module declares, by name: all of its kernels, for an instruction set that was built, or none.
static uint32_t compare_module(clv_program *program, const char *module, native_isa isa) {
  rule_native native;
  uint32_t forces = 0, built = 0;
  code_cache_open(&native, native_isa_name(isa), "none");
  for (uint32_t d = 0; d < program->declarations.count; d++) {
    const rule_tree *tree = program->declarations.data[d];
    uint32_t compared, kernels;
    if (tree->kind != RULE_FORCE || strcmp(program->files.data[tree->span.file].name, module) != 0) continue;
    compare_force(program, tree, &native, &compared, &kernels);
    if (!kernels || (compared && compared != kernels))
      fail_msg("%s: %u of %u kernels were compared", tree->name, compared, kernels);
    forces++;
    built += compared > 0;
  }
  rule_native_close(&native);
  assert_true(built == 0 || built == forces);
  if (isa == NATIVE_BASE && native_table_count) assert_int_equal(built, forces);
  return built;
}

static void shipped_forces_agree(void **state) {
  (void)state;
  uint32_t compared = 0;
  for (const native_text *module = native_modules; module->name; module++) {
    clv_program *program = clv_program_create(NULL);
    assert_non_null(program);
    assert_int_equal(clv_program_use(program, module->name), CLV_OK);
    assert_int_equal(clv_program_check(program), CLV_OK);
    assert_true(law_param_count(program) <= PARAMS);
    expect_kernels_of_forces_alone(program);
    for (int isa = 0; isa < NATIVE_ISA_COUNT; isa++)
      if (native_isa_here((native_isa)isa)) compared += compare_module(program, module->name, (native_isa)isa);
    clv_program_destroy(program);
  }
  if (native_table_count) assert_true(compared >= 30);
}

// The text

static kernel *spring_kernel(fixture *f) {
  make_spring(f);
  kernel *k = kernel_make(f->program, &f->law);
  assert_non_null(k);
  return k;
}

static void free_kernel(fixture *f, kernel *k) {
  const clv_allocator allocator = clv_default_allocator();
  kernel_destroy(k, &allocator);
  fixture_free(f);
}

static void names_do_not_reach_the_text(void **state) {
  (void)state;
  fixture f;
  kernel *k = spring_kernel(&f);
  const clv_allocator allocator = clv_default_allocator();
  emit_text plain, hostile;
  emit_text_init(&plain, &allocator);
  emit_text_init(&hostile, &allocator);
  assert_true(emit_kernel(&plain, k) && emit_kernel_short(&plain, k));
  f.law.name = "x*/ int evil(void) { return system(\"id\"); } /*\n#include \"/etc/passwd\"\n";
  assert_true(emit_kernel(&hostile, k) && emit_kernel_short(&hostile, k));
  assert_string_equal(plain.bytes.data, hostile.bytes.data);
  for (const char *at = plain.bytes.data; *at; at++) {
    if (*at == '#' || *at == '"' || *at == '\\' || *at == '\'' || *at == '?' || (unsigned char)*at >= 128)
      fail_msg("unexpected byte %d", *at);
  }
  emit_text_free(&plain);
  emit_text_free(&hostile);
  free_kernel(&f, k);
}

// A comma instead of a point would be a different program.
static void numbers_have_no_point(void **state) {
  (void)state;
  fixture f;
  fixture_init(&f, 1, 0, LAW_PSD_NONE);
  dag *g = &f.law.graph;
  static const double values[] = {0.1, -3.75, 1e300, 5e-324, 0x1.fffffffffffffp1023, 12345678.9};
  dag_ref sum = pos_of(&f, 0);
  for (size_t k = 0; k < sizeof values / sizeof *values; k++)
    sum = dag_add(g, dag_mul(g, sum, pos_of(&f, (uint32_t)k % 3)), number(&f, values[k]));
  f.law.energy = sum;
  kernel *k = kernel_make(f.program, &f.law);
  assert_non_null(k);
  const clv_allocator allocator = clv_default_allocator();
  emit_text text;
  emit_text_init(&text, &allocator);
  assert_true(emit_kernel(&text, k) && emit_kernel_short(&text, k));
  assert_non_null(strstr(text.bytes.data, "0x1999999999999ap-56"));
  assert_non_null(strstr(text.bytes.data, "0x10000000000000p-1126"));
  assert_non_null(strstr(text.bytes.data, "0x1fffffffffffffp971"));
  emit_text_free(&text);
  free_kernel(&f, k);
}

static emit_hash name_of(const kernel *k) {
  const clv_allocator allocator = clv_default_allocator();
  emit_text scratch;
  emit_hash name;
  emit_text_init(&scratch, &allocator);
  assert_true(emit_name(&name, k, &scratch));
  emit_text_free(&scratch);
  return name;
}

// What changes in a kernel, if only a bit of a number or how it is run, changes its name; the law's name does not.
static void names_tell_kernels_apart(void **state) {
  (void)state;
  fixture f, g;
  kernel *one = spring_kernel(&f), *two = spring_kernel(&g);
  const emit_hash name = name_of(one);
  g.law.name = "other";
  assert_memory_equal(name_of(two).byte, name.byte, sizeof name.byte);
  for (uint32_t kind = 0; kind < KERNEL_COUNT; kind++)
    for (uint32_t k = 0; k < two->tape[kind].step_count; k++) {
      kernel_step *step = &two->tape[kind].steps[k];
      const kernel_step before = *step;
      uint32_t *const fields[] = {&step->to, &step->arg[0], &step->arg[1], &step->arg[2], &step->index};
      for (size_t field = 0; field < sizeof fields / sizeof *fields; field++) {
        *fields[field] ^= 1;
        assert_memory_not_equal(name_of(two).byte, name.byte, sizeof name.byte);
        *step = before;
      }
      step->value += 0x1p-40;
      assert_memory_not_equal(name_of(two).byte, name.byte, sizeof name.byte);
      *step = before;
    }
  two->symmetric = !two->symmetric;
  assert_memory_not_equal(name_of(two).byte, name.byte, sizeof name.byte);
  two->symmetric = !two->symmetric;
  two->quadrature++;
  assert_memory_not_equal(name_of(two).byte, name.byte, sizeof name.byte);
  two->quadrature--;
  assert_memory_equal(name_of(two).byte, name.byte, sizeof name.byte);
  free_kernel(&f, one);
  free_kernel(&g, two);
}

static void memory_may_run_out(void **state) {
  (void)state;
  fixture f;
  kernel *k = spring_kernel(&f);
  uint32_t failures = 0;
  for (size_t fail_at = 1;; fail_at++) {
    counting_memory memory = {.fail_at = fail_at};
    const clv_allocator allocator = counting_allocator(&memory);
    emit_text text;
    emit_text_init(&text, &allocator);
    emit_hash name;
    const bool ok = emit_name(&name, k, &text) && emit_kernel(&text, k) && emit_kernel_short(&text, k);
    assert_int_equal(ok, !memory.refused);
    emit_text_free(&text);
    assert_int_equal(memory.live_bytes, 0);
    if (ok) break;
    failures++;
  }
  assert_true(failures > 10);
  free_kernel(&f, k);
}

static void hashes_are_those_of_the_standard(void **state) {
  (void)state;
  static const uint8_t of_nothing[] = {0xe3, 0xb0, 0xc4, 0x42}, of_abc[] = {0xba, 0x78, 0x16, 0xbf};
  static const uint8_t of_two[] = {0x24, 0x8d, 0x6a, 0x61}, of_million[] = {0xcd, 0xc7, 0x6e, 0x5c};
  static const char *const two = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
  static char million[1000000];
  memset(million, 'a', sizeof million);
  assert_memory_equal(emit_hash_of("", 0).byte, of_nothing, 4);
  assert_memory_equal(emit_hash_of("abc", 3).byte, of_abc, 4);
  assert_memory_equal(emit_hash_of(two, 56).byte, of_two, 4);
  assert_memory_equal(emit_hash_of(million, sizeof million).byte, of_million, 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(springs_agree, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(rotations_agree, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(sums_over_points_agree, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(positive_matrices_agree, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(every_operation_agrees, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(loops_over_points_agree, code_cache_make, code_cache_remove),
      cmocka_unit_test(text_does_not_grow_with_points),
      cmocka_unit_test_setup_teardown(shipped_forces_agree, code_cache_make, code_cache_remove),
      cmocka_unit_test(names_do_not_reach_the_text),
      cmocka_unit_test(numbers_have_no_point),
      cmocka_unit_test(names_tell_kernels_apart),
      cmocka_unit_test(memory_may_run_out),
      cmocka_unit_test(hashes_are_those_of_the_standard),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
