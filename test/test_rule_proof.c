// The proof of the shipped force laws: every law, for every shape it has, in 2D and 3D, on random rows of real maps.
//
// Forces are slopes of energies, stiffness and damping are slopes of forces, positive matrices are positive; forces
// balance, and turn with a body that is moved as a whole; a row gives the same from wherever in its orbit it starts.
// What a law does not promise is in one table, with the reason; and what is in the table must not hold, or the entry
// has to go.

#include "support/law_proof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static void every_law_is_here(void **state) {
  proof_expect_all(*state);
}

// Slopes

// Central differences of fourth order: what they leave out is far below what is asked for.
enum { ENDS = 4 };
static const double step = 2e-4, end_at[ENDS] = {-2, -1, 1, 2}, end_weight[ENDS] = {1, -8, 8, -1};

// A row as the body has it, squeezed, and turned inside out.
typedef enum pose { AS_IT_IS, SQUEEZED, MIRRORED, POSES } pose;

static law_row posed(const law_row *row, pose how) {
  law_row result = *row;
  for (uint32_t k = 0; k < 3 * row->law->particles.count; k++) {
    if (how == SQUEEZED) result.state.pos[k] *= 0.6;
    if (how == MIRRORED && k % 3 == 0) result.state.pos[k] *= -1;
  }
  return result;
}

// Of one of the first two values, energy and dissipation, by positions or velocities.
static void value_slopes(proof_subject *s, const law_row *row, uint32_t value, double *slopes) {
  double values[KERNEL_AXES + 2];
  for (uint32_t k = 0; k < proof_axes(s); k++) {
    slopes[k] = 0;
    for (uint32_t end = 0; end < ENDS; end++) {
      law_state state = row->state;
      (value ? state.vel : state.pos)[k] += end_at[end] * step;
      law_oracle_run(&s->oracle, &s->oracle.values, row, &state, LAW_FROZEN, values);
      slopes[k] += end_weight[end] * values[value] / (12 * step);
    }
  }
}

static void check_forces(proof_subject *s, const law_row *row) {
  const uint32_t n = proof_axes(s);
  double values[KERNEL_AXES + 2], slopes[2][KERNEL_AXES], wanted[KERNEL_AXES], forces[KERNEL_AXES], energy;
  law_oracle_run(&s->oracle, &s->oracle.values, row, &row->state, LAW_FREEZE, values);
  law_row_get(s->plain, KERNEL_ENERGY, row, &energy);
  proof_compare(s, "energy", &energy, &values[0], 1, fmax(fabs(energy), 1), 1e-12);
  for (uint32_t value = 0; value < 2; value++) value_slopes(s, row, value, slopes[value]);
  for (uint32_t k = 0; k < n; k++) wanted[k] = values[2 + k] - slopes[0][k] - slopes[1][k];
  law_row_get(s->plain, KERNEL_FORCE, row, forces);
  const double scale = proof_largest(forces, n);
  assert_true(scale > 1e-4);
  proof_compare(s, "forces and slopes", forces, wanted, n, scale, 1e-7);
  law_oracle_run(&s->oracle, &s->oracle.forces, row, &row->state, LAW_FREEZE, wanted);
  proof_compare(s, "forces and their graph", forces, wanted, n, scale, 1e-12);
}

static void check_forces_posed(proof_subject *s, const law_row *row) {
  for (pose how = AS_IT_IS; how < POSES; how++) {
    const law_row one = posed(row, how);
    check_forces(s, &one);
  }
}

static void forces_are_slopes_of_energies(void **state) {
  proof_each_row(*state, 4, check_forces_posed);
}

// Minus the slopes of forces, [force][axis].
static void force_slopes(proof_subject *s, const law_row *row, bool by_velocity, double *matrix) {
  const uint32_t n = proof_axes(s);
  double forces[KERNEL_AXES];
  law_oracle_run(&s->oracle, &s->oracle.forces, row, &row->state, LAW_FREEZE, forces);
  memset(matrix, 0, n * n * sizeof *matrix);
  for (uint32_t e = 0; e < ENDS * n; e++) {
    const uint32_t axis = e / ENDS, end = e % ENDS;
    law_state state = row->state;
    (by_velocity ? state.vel : state.pos)[axis] += end_at[end] * step;
    law_oracle_run(&s->oracle, &s->oracle.forces, row, &state, LAW_FROZEN, forces);
    for (uint32_t f = 0; f < n; f++) matrix[f * n + axis] -= end_weight[end] * forces[f] / (12 * step);
  }
}

// Minus a tangent along each axis.
static void tangents(const kernel *k, kernel_kind kind, const law_row *row, double *matrix) {
  static law_state states[KERNEL_AXES];
  static double results[KERNEL_AXES * KERNEL_AXES];
  const uint32_t n = 3 * k->particles;
  for (uint32_t axis = 0; axis < n; axis++) {
    states[axis] = row->state;
    for (uint32_t e = 0; e < n; e++) states[axis].dpos[e] = states[axis].dvel[e] = e == axis;
  }
  law_row_run(k, kind, row, states, n, results);
  for (uint32_t e = 0; e < n * n; e++) matrix[e % n * n + e / n] = -results[e];
}

static void multiply(const double *matrix, const double *vector, uint32_t n, double *result) {
  for (uint32_t r = 0; r < n; r++) {
    result[r] = 0;
    for (uint32_t c = 0; c < n; c++) result[r] -= matrix[r * n + c] * vector[c];
  }
}

static void check_symmetric(const proof_subject *s, const char *what, const double *matrix, uint32_t n, double scale) {
  for (uint32_t r = 0; r < n; r++)
    for (uint32_t c = 0; c < r; c++) proof_compare(s, what, &matrix[r * n + c], &matrix[c * n + r], 1, scale, 1e-12);
}

static void check_matrix(proof_subject *s, const law_row *row, bool by_velocity, bool symmetric) {
  static double along[KERNEL_AXES * KERNEL_AXES], slopes[KERNEL_AXES * KERNEL_AXES], whole[KERNEL_AXES * KERNEL_AXES];
  const uint32_t n = proof_axes(s);
  const kernel_kind tangent = by_velocity ? KERNEL_FORCE_DVEL : KERNEL_FORCE_DPOS;
  double forces[KERNEL_AXES], product[KERNEL_AXES];
  tangents(s->plain, tangent, row, along);
  force_slopes(s, row, by_velocity, slopes);
  law_row_get(s->plain, KERNEL_FORCE, row, forces);
  const double scale = proof_largest(along, n * n);
  proof_compare(s, by_velocity ? "damping and slopes" : "stiffness and slopes", along, slopes, n * n,
                fmax(scale, proof_largest(forces, n)), 1e-7);
  if (symmetric) check_symmetric(s, by_velocity ? "damping" : "stiffness", along, n, scale);
  law_row_get(s->plain, by_velocity ? KERNEL_DAMPING : KERNEL_STIFFNESS, row, whole);
  proof_compare(s, "matrix and tangents", whole, along, n * n, scale, 1e-12);
  law_row_get(s->plain, tangent, row, forces);
  multiply(whole, by_velocity ? row->state.dvel : row->state.dpos, n, product);
  proof_compare(s, "matrix times a vector", forces, product, n, scale * n, 1e-12);
}

static void check_matrices(proof_subject *s, const law_row *row) {
  const bool pushes = s->law->force != NULL;
  assert_false(pushes && (s->law->energy || s->law->dissipation));
  for (pose how = AS_IT_IS; how < POSES; how++) {
    const law_row one = posed(row, how);
    check_matrix(s, &one, false, s->law->energy && !s->law->dissipation);
    check_matrix(s, &one, true, s->law->dissipation != 0);
  }
}

static void matrices_are_slopes_of_forces(void **state) {
  proof_each_row(*state, 3, check_matrices);
}

// Positive matrices

// The matrix with each eigenvalue clamped, or without its sign.
static void make_positive(const double *matrix, uint32_t n, law_psd psd, double *positive) {
  static double work[KERNEL_AXES * KERNEL_AXES], vectors[KERNEL_AXES * KERNEL_AXES];
  memcpy(work, matrix, n * n * sizeof *work);
  proof_diagonalise(work, vectors, n);
  memset(positive, 0, n * n * sizeof *positive);
  for (uint32_t k = 0; k < n; k++) {
    const double value = work[k * (n + 1)], kept = value > 0 ? value : psd == LAW_PSD_ABS ? -value : 0;
    for (uint32_t r = 0; r < n; r++)
      for (uint32_t c = 0; c < n; c++) positive[r * n + c] += kept * vectors[r * n + k] * vectors[c * n + k];
  }
}

static double least_eigenvalue(const double *matrix, uint32_t n) {
  static double work[KERNEL_AXES * KERNEL_AXES], vectors[KERNEL_AXES * KERNEL_AXES];
  memcpy(work, matrix, n * n * sizeof *work);
  proof_diagonalise(work, vectors, n);
  double least = 0;
  for (uint32_t k = 0; k < n; k++) least = fmin(least, work[k * (n + 1)]);
  return least;
}

static void check_positive(proof_subject *s, const law_row *row) {
  static double plain[KERNEL_AXES * KERNEL_AXES], wanted[KERNEL_AXES * KERNEL_AXES], got[KERNEL_AXES * KERNEL_AXES];
  const uint32_t n = proof_axes(s);
  double forces[KERNEL_AXES], product[KERNEL_AXES];
  law_row_get(&s->shipped, KERNEL_STIFFNESS, row, got);
  const double scale = proof_largest(got, n * n), least = least_eigenvalue(got, n);
  check_symmetric(s, "positive stiffness", got, n, scale);
  if (!(least >= -1e-10 * scale)) fail_msg("%s: an eigenvalue is %.3g, entries are %.3g", s->law->name, least, scale);
  law_row_get(&s->shipped, KERNEL_FORCE_DPOS, row, forces);
  multiply(got, row->state.dpos, n, product);
  proof_compare(s, "positive stiffness times a vector", forces, product, n, scale * n, 1e-12);
  law_row_get(s->plain, KERNEL_STIFFNESS, row, plain);
  if (least_eigenvalue(plain, n) < -1e-3 * scale) s->indefinite = true;
  if (s->law->psd == LAW_PSD_GAUSS_NEWTON) return;
  make_positive(plain, n, s->law->psd, wanted);
  proof_compare(s, "positive stiffness and eigenvalues", got, wanted, n * n, proof_largest(plain, n * n), 1e-11);
}

// Of a dissipation beside the energy nothing is in it: it is that of the same row at rest.
static void check_positive_damped(proof_subject *s, const law_row *moving) {
  static double wanted[KERNEL_AXES * KERNEL_AXES], got[KERNEL_AXES * KERNEL_AXES];
  const uint32_t n = proof_axes(s);
  law_row still = *moving;
  memset(still.state.vel, 0, sizeof still.state.vel);
  check_positive(s, &still);
  law_row_get(&s->shipped, KERNEL_STIFFNESS, &still, wanted);
  law_row_get(&s->shipped, KERNEL_STIFFNESS, moving, got);
  proof_compare(s, "positive stiffness of a row that moves", got, wanted, n * n, proof_largest(wanted, n * n), 1e-12);
}

static void check_positive_posed(proof_subject *s, const law_row *row) {
  for (pose how = AS_IT_IS; s->law->psd != LAW_PSD_NONE && how < POSES; how++) {
    const law_row one = posed(row, how);
    (s->law->dissipation ? check_positive_damped : check_positive)(s, &one);
  }
}

static void positive_matrices_are_positive(void **state) {
  const proof *all = *state;
  proof_each_row(*state, 3, check_positive_posed);
  // There was something to do.
  for (uint32_t k = 0; k < all->count; k++)
    assert_true(all->subjects[k].law->psd == LAW_PSD_NONE || all->subjects[k].indefinite);
}

// Balance

// Holds, unless the law is not said to; how much it does not is noted.
static void expect(proof_subject *s, uint32_t promise, const char *what, double size, double scale) {
  uint32_t bit = 0;
  while (promise >> bit > 1) bit++;
  s->broken[bit] = fmax(s->broken[bit], size / scale);
  if (!(s->lacks & promise) && !(size <= 1e-10 * scale))
    fail_msg("%s on a %s in %uD: %s is off by %.3g of %.3g", s->law->name, clv_kind_name(s->law->shape.kind),
             s->dimension, what, size, scale);
}

static void check_balance(proof_subject *s, const law_row *row) {
  double forces[KERNEL_AXES], sum[3] = {0}, moment[3] = {0}, rest_moment[3] = {0};
  const uint32_t n = proof_axes(s);
  law_row_get(s->plain, KERNEL_FORCE, row, forces);
  for (uint32_t p = 0; p < s->law->particles.count; p++) {
    for (uint32_t x = 0; x < 3; x++) sum[x] += forces[3 * p + x];
    proof_add_moment(row->state.pos + 3 * p, forces + 3 * p, moment);
    proof_add_moment(row->rest + 3 * p, forces + 3 * p, rest_moment);
  }
  const double scale = proof_largest(forces, n);
  expect(s, PROOF_BALANCE, "the sum of forces", proof_largest(sum, 3), scale);
  expect(s, PROOF_MOMENT, "the moment", proof_largest(moment, 3), scale);
  if (strcmp(s->law->name, "linear") == 0) assert_true(proof_largest(rest_moment, 3) <= 1e-10 * scale);
}

static void forces_balance(void **state) {
  proof_each_row(*state, 12, check_balance);
}

// Moving everything

static void turn_forces(const double *rotation, const double *forces, uint32_t n, double *turned) {
  for (uint32_t k = 0; k < n; k++) {
    const double *force = forces + k / 3 * 3, *r = rotation + k % 3 * 3;
    turned[k] = r[0] * force[0] + r[1] * force[1] + r[2] * force[2];
  }
}

static void check_moved(proof_subject *s, const law_row *row, uint32_t promise, const char *what,
                        const double *rotation, const double *shift, bool rest) {
  law_body moved;
  law_row other;
  double forces[2][KERNEL_AXES], turned[KERNEL_AXES], energy[2];
  const uint32_t n = proof_axes(s);
  law_body_copy(&moved, s->body);
  law_body_turn(&moved, rotation, shift, rest);
  assert_true(law_row_make(&moved, s->law, row->base, &other));
  law_body_free_copy(&moved);
  for (uint32_t k = 0; k < 2; k++) {
    law_row_get(s->plain, KERNEL_ENERGY, k ? &other : row, &energy[k]);
    law_row_get(s->plain, KERNEL_FORCE, k ? &other : row, forces[k]);
  }
  turn_forces(rotation, forces[0], n, turned);
  for (uint32_t k = 0; k < n; k++) turned[k] -= forces[1][k];
  expect(s, promise, what, fmax(proof_largest(turned, n), fabs(energy[0] - energy[1])),
         fmax(proof_largest(forces[0], n), fabs(energy[0])));
}

// A velocity that the body could have as a whole costs nothing.
static void check_rigid_velocity(proof_subject *s, const law_row *row, random_source *source) {
  law_row other = *row;
  double spin[3], drift[3], forces[2][KERNEL_AXES];
  for (uint32_t x = 0; x < 3; x++) spin[x] = random_between(source, -1, 1), drift[x] = random_between(source, -1, 1);
  for (uint32_t p = 0; p < s->law->particles.count; p++) {
    proof_add_moment(spin, row->state.pos + 3 * p, other.state.vel + 3 * p);
    for (uint32_t x = 0; x < 3; x++) other.state.vel[3 * p + x] += drift[x];
  }
  law_row_get(s->plain, KERNEL_FORCE, row, forces[0]);
  law_row_get(s->plain, KERNEL_FORCE, &other, forces[1]);
  proof_compare(s, "forces of a rigid velocity", forces[0], forces[1], proof_axes(s),
                proof_largest(forces[0], proof_axes(s)), 1e-10);
}

static void check_invariance(proof_subject *s, const law_row *row) {
  static const double stay[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, here[3] = {0};
  random_source source = {row->base};
  double rotation[9], shift[3];
  law_random_rotation(&source, rotation);
  for (uint32_t x = 0; x < 3; x++) shift[x] = random_between(&source, -2, 2);
  check_moved(s, row, PROOF_SHIFTS, "a shift", stay, shift, false);
  check_moved(s, row, PROOF_TURNS, "a turn", rotation, here, false);
  check_moved(s, row, PROOF_TURNS_ALL, "a turn of everything", rotation, here, true);
  if (!(s->lacks & PROOF_BALANCE)) check_rigid_velocity(s, row, &source);
}

static void moving_everything_changes_nothing(void **state) {
  proof_each_row(*state, 6, check_invariance);
}

static void exceptions_are_needed(void **state) {
  proof_expect_exceptions(*state);
}

// Starting elsewhere

// Directions by vertex, not by particle.
static void set_directions(law_row *row) {
  for (uint32_t k = 0; k < 3 * row->law->particles.count; k++) {
    row->state.dpos[k] = row->state.vel[k];
    row->state.dvel[k] = row->rest[k];
  }
}

static void check_base(proof_subject *s, const law_row *first, const law_row *other) {
  static const kernel_kind kinds[] = {KERNEL_FORCE, KERNEL_FORCE_DPOS, KERNEL_FORCE_DVEL};
  const law_row *rows[2] = {first, other};
  const law_state *states[2] = {&first->state, &other->state};
  const uint32_t n = proof_axes(s), slots = s->body->slots;
  double energy[2], forces[2 * KERNEL_AXES], (*sums[2])[3];
  law_rows_run(&s->shipped, KERNEL_ENERGY, rows, states, 2, energy);
  proof_compare(s, "energy from another dart", &energy[0], &energy[1], 1, fmax(fabs(energy[0]), 1), 1e-12);
  for (uint32_t k = 0; k < 3; k++) {
    law_rows_run(&s->shipped, kinds[k], rows, states, 2, forces);
    for (uint32_t j = 0; j < 2; j++) {
      sums[j] = calloc(slots, sizeof *sums[j]);
      assert_non_null(sums[j]);
      proof_add_forces(rows[j], forces + j * n, sums[j]);
    }
    proof_compare(s, "forces from another dart", sums[0][0], sums[1][0], 3 * slots,
                  fmax(proof_largest(forces, 2 * n), 1e-3), 1e-10);
    free(sums[0]);
    free(sums[1]);
  }
}

static const uint8_t symmetries[CLV_TEMPLATE_LAST + 1] = {
    [CLV_TRI] = 6, [CLV_QUAD] = 8, [CLV_TET] = 24, [CLV_PYRAMID] = 8, [CLV_PRISM] = 12, [CLV_HEX] = 48};

static void check_bases(proof_subject *s, const law_row *row) {
  clv_dart bases[CLV_WALK_INLINE];
  const uint32_t count = law_row_bases(s->body, row, bases);
  if (s->law->shape.kind != CLV_NONE) {
    const bool two_sided = s->law->shape.orbit == CLV_FACE && !clv_is_free(s->body->map, row->base, 3);
    assert_int_equal(count, symmetries[s->law->shape.kind] * (two_sided ? 2u : 1u) / (s->law->oriented ? 2u : 1u));
  }
  law_row first = *row, other;
  set_directions(&first);
  for (uint32_t k = 0; k < count; k++) {
    assert_true(law_row_make(s->body, s->law, bases[k], &other));
    set_directions(&other);
    check_base(s, &first, &other);
  }
}

static void any_dart_of_the_orbit_will_do(void **state) {
  proof_each_row(*state, 1, check_bases);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_is_here),
      cmocka_unit_test(forces_are_slopes_of_energies),
      cmocka_unit_test(matrices_are_slopes_of_forces),
      cmocka_unit_test(positive_matrices_are_positive),
      cmocka_unit_test(forces_balance),
      cmocka_unit_test(moving_everything_changes_nothing),
      cmocka_unit_test(exceptions_are_needed),
      cmocka_unit_test(any_dart_of_the_orbit_will_do),
  };
  return cmocka_run_group_tests(tests, proof_open, proof_close);
}
