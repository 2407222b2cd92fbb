#include "support/law_proof.h"

#include "rule/native.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Promises

static const struct {
  const char *law;
  uint32_t lacks;
} exceptions[] = {
    // Linear in the displacements: the strain of a rotation is not zero. Its moments about rest positions are.
    {"linear", PROOF_TURNS | PROOF_MOMENT},
    // The columns of F are made orthonormal one after the other, the first one being along an axis of space at rest. In
    // the frame that is held, stress and stretch need not have the same axes: their product is not symmetric.
    {"corotational_qr", PROOF_TURNS_ALL | PROOF_MOMENT},
    {"corotational_qr_tet", PROOF_TURNS_ALL | PROOF_MOMENT},
    {"corotational_qr_cell", PROOF_TURNS_ALL | PROOF_MOMENT},
    // A couple about the edge that is balanced at its ends, not along it.
    {"angular", PROOF_MOMENT},
    // From outside. Gravity has a direction that nothing turns.
    {"gravity", PROOF_TURNS | PROOF_TURNS_ALL | PROOF_MOMENT | PROOF_BALANCE},
    {"ambient", PROOF_MOMENT | PROOF_BALANCE},
    {"pressure", PROOF_MOMENT | PROOF_BALANCE},
    // One block of a matrix each: only all together balance. The blocks belong to the rest shape as it lies.
    {"mass_tensor_edge", PROOF_SHIFTS | PROOF_TURNS | PROOF_TURNS_ALL | PROOF_MOMENT | PROOF_BALANCE},
    {"mass_tensor_vertex", PROOF_SHIFTS | PROOF_TURNS | PROOF_TURNS_ALL | PROOF_MOMENT | PROOF_BALANCE},
};
enum { EXCEPTIONS = sizeof exceptions / sizeof *exceptions };

static const char *const hooke[] = {
    "linear", "corotational", "corotational_cell", "corotational_qr", "corotational_qr_cell", "stvk", "neohooke"};

static bool is_law(const proof_subject *s, const char *name) {
  return strcmp(s->law->name, name) == 0;
}

// Subjects

static void make_subject(proof *all, uint32_t n, uint32_t k) {
  proof_subject *s = &all->subjects[all->count++];
  *s = (proof_subject){.law = all->program->laws[n].laws.data[k], .dimension = n + 2, .body = &all->body[n]};
  assert_non_null(all->program->laws[n].kernels.data[k]);
  s->shipped = *all->program->laws[n].kernels.data[k];
  for (uint32_t kind = 0; kind < KERNEL_COUNT; kind++) s->shipped.compiled[kind] = NULL;
  s->plain_law = *s->law;
  s->plain_law.psd = LAW_PSD_NONE;
  s->plain = kernel_make(all->program, &s->plain_law);
  assert_non_null(s->plain);
  law_oracle_make(&s->oracle, s->law);
  for (uint32_t e = 0; e < EXCEPTIONS; e++)
    if (is_law(s, exceptions[e].law)) s->lacks = exceptions[e].lacks;
  for (uint32_t h = 0; h < sizeof hooke / sizeof *hooke; h++) s->hooke = s->hooke || is_law(s, hooke[h]);
  assert_int_equal(s->law->external, (s->lacks & PROOF_BALANCE) != 0);
}

int proof_open(void **state) {
  proof *all = calloc(1, sizeof *all);
  assert_non_null(all);
  all->program = clv_program_create(NULL);
  assert_non_null(all->program);
  for (const native_text *module = native_modules; module->name; module++)
    assert_int_equal(clv_program_use(all->program, module->name), CLV_OK);
  assert_int_equal(clv_program_check(all->program), CLV_OK);
  assert_true(law_param_count(all->program) <= LAW_ROW_PARAMS);
  law_body_make(&all->body[0], CLV_GRID_MIXED2, 4, false, 1);
  law_body_make(&all->body[1], CLV_GRID_MIXED, 4, false, 2);
  const rule_laws *laws = all->program->laws;
  all->subjects = calloc(laws[0].laws.count + laws[1].laws.count, sizeof *all->subjects);
  assert_non_null(all->subjects);
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t k = 0; k < laws[n].laws.count; k++)
      if (laws[n].laws.data[k]->tree->kind == RULE_FORCE) make_subject(all, n, k);
  *state = all;
  return 0;
}

int proof_close(void **state) {
  proof *all = *state;
  for (uint32_t k = 0; k < all->count; k++) {
    law_oracle_free(&all->subjects[k].oracle);
    kernel_destroy(all->subjects[k].plain, &all->program->arena.allocator);
  }
  for (uint32_t n = 0; n < 2; n++) law_body_free(&all->body[n]);
  free(all->subjects);
  clv_program_destroy(all->program);
  free(all);
  return 0;
}

static bool has_law(const proof *all, const char *name) {
  for (uint32_t k = 0; k < all->count; k++)
    if (is_law(&all->subjects[k], name)) return true;
  return false;
}

void proof_expect_all(const proof *all) {
  uint32_t forces = 0;
  for (uint32_t e = 0; e < EXCEPTIONS; e++) assert_true(has_law(all, exceptions[e].law));
  for (uint32_t h = 0; h < sizeof hooke / sizeof *hooke; h++) assert_true(has_law(all, hooke[h]));
  for (uint32_t d = 0; d < all->program->declarations.count; d++) {
    const rule_tree *tree = all->program->declarations.data[d];
    if (tree->kind != RULE_FORCE) continue;
    assert_true(has_law(all, tree->name));
    forces++;
  }
  assert_true(forces >= 21 && all->count >= 60);
}

void proof_expect_exceptions(const proof *all) {
  for (uint32_t e = 0; e < EXCEPTIONS; e++)
    for (uint32_t bit = 0; bit < PROOF_PROMISES; bit++) {
      double most = 0;
      for (uint32_t k = 0; k < all->count; k++)
        if (is_law(&all->subjects[k], exceptions[e].law)) most = fmax(most, all->subjects[k].broken[bit]);
      if ((exceptions[e].lacks >> bit & 1) && most < 1e-4)
        fail_msg("%s keeps promise %u after all: take it off the table", exceptions[e].law, 1u << bit);
    }
}

const proof_subject *proof_find(const proof *all, const char *law_name, clv_kind kind, uint32_t dimension) {
  for (uint32_t k = 0; k < all->count; k++) {
    const proof_subject *s = &all->subjects[k];
    if (is_law(s, law_name) && s->law->shape.kind == kind && s->dimension == dimension) return s;
  }
  fail_msg("there is no %s for a %s in %uD", law_name, clv_kind_name(kind), dimension);
  return NULL;
}

// Rows

static clv_dart random_dart(const clv_map *map, random_source *source) {
  clv_dart dart = clv_dart_next(map, 0);
  for (uint32_t skip = random_below(source, (uint32_t)clv_dart_count(map)); skip > 0; skip--)
    dart = clv_dart_next(map, dart);
  return dart;
}

void proof_each_row(proof *all, uint32_t count, proof_row_check *check) {
  for (uint32_t k = 0; k < all->count; k++) {
    proof_subject *s = &all->subjects[k];
    random_source source = {k};
    uint32_t made = 0;
    law_row row;
    for (uint32_t trial = 0; made < count && trial < 20000; trial++)
      if (law_row_make(s->body, s->law, random_dart(s->body->map, &source), &row)) {
        check(s, &row);
        made++;
      }
    if (made < count)
      fail_msg("%s on a %s has no rows in %uD", s->law->name, clv_kind_name(s->law->shape.kind), s->dimension);
  }
}

double proof_largest(const double *values, uint32_t count) {
  double most = 0;
  for (uint32_t k = 0; k < count; k++) most = fmax(most, fabs(values[k]));
  return most;
}

void proof_compare(const proof_subject *s, const char *what, const double *a, const double *b, uint32_t count,
                   double scale, double tolerance) {
  for (uint32_t k = 0; k < count; k++)
    if (!(fabs(a[k] - b[k]) <= tolerance * scale))
      fail_msg("%s on a %s in %uD: %s, number %u: %.17g and %.17g, where %.3g is the largest", s->law->name,
               clv_kind_name(s->law->shape.kind), s->dimension, what, k, a[k], b[k], scale);
}

void proof_add_moment(const double *at, const double *force, double *moment) {
  for (uint32_t x = 0; x < 3; x++)
    moment[x] += at[(x + 1) % 3] * force[(x + 2) % 3] - at[(x + 2) % 3] * force[(x + 1) % 3];
}

void proof_add_forces(const law_row *row, const double *forces, double (*at)[3]) {
  for (uint32_t k = 0; k < 3 * row->law->particles.count; k++) at[row->vertex[k / 3]][k % 3] += forces[k];
}

void proof_lay_to_rest(law_row *row) {
  memcpy(row->state.pos, row->rest, sizeof row->rest);
  memset(row->state.vel, 0, sizeof row->state.vel);
}

// Jacobi's rotations.
static void turn_pair(double *a, double *v, uint32_t n, uint32_t p, uint32_t q) {
  if (a[p * n + q] == 0) return;
  const double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
  const double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), z = t * c;
  for (uint32_t k = 0; k < n; k++) {
    const double kp = a[k * n + p], kq = a[k * n + q], vp = v[k * n + p], vq = v[k * n + q];
    a[k * n + p] = c * kp - z * kq, a[k * n + q] = z * kp + c * kq;
    v[k * n + p] = c * vp - z * vq, v[k * n + q] = z * vp + c * vq;
  }
  for (uint32_t k = 0; k < n; k++) {
    const double pk = a[p * n + k], qk = a[q * n + k];
    a[p * n + k] = c * pk - z * qk, a[q * n + k] = z * pk + c * qk;
  }
}

void proof_diagonalise(double *matrix, double *vectors, uint32_t n) {
  const double scale = proof_largest(matrix, n * n);
  for (uint32_t e = 0; e < n * n; e++) vectors[e] = e % (n + 1) == 0;
  for (uint32_t sweep = 0; sweep < 30; sweep++) {
    double off = 0;
    for (uint32_t p = 0; p < n; p++)
      for (uint32_t q = p + 1; q < n; q++) {
        off = fmax(off, fabs(matrix[p * n + q]));
        turn_pair(matrix, vectors, n, p, q);
      }
    if (off <= 1e-15 * scale) return;
  }
  fail_msg("eigenvalues do not settle");
}
