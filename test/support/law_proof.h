// What is proved of the shipped force laws: each law and shape with its kernels and its oracle, on a body of mixed
// cells.

#ifndef CLEAVE_TEST_SUPPORT_LAW_PROOF_H
#define CLEAVE_TEST_SUPPORT_LAW_PROOF_H

#include "support/law_rows.h"

// What laws promise. All do, but for those in a table (law_proof.c) that says why not.
enum {
  PROOF_SHIFTS = 1,    // nothing changes when positions are shifted
  PROOF_TURNS = 2,     // forces turn with positions
  PROOF_TURNS_ALL = 4, // forces turn with positions and rest positions
  PROOF_MOMENT = 8,    // forces have no moment
  PROOF_BALANCE = 16,  // forces add up to zero
  PROOF_PROMISES = 5
};

typedef struct proof_subject {
  const law *law;
  uint32_t dimension;
  uint32_t lacks; // promises that it does not make
  bool hooke;     // for small strains it is Hooke's law
  const law_body *body;
  kernel shipped; // the program's, interpreted
  law plain_law;  // without `psd`
  kernel *plain;  // of that, interpreted
  law_oracle oracle;
  bool indefinite;               // its stiffness was, somewhere
  double broken[PROOF_PROMISES]; // by how much, at most, relative to the forces
} proof_subject;

typedef struct proof {
  clv_program *program;
  law_body body[2];
  proof_subject *subjects; // the shapes of a law come together
  uint32_t count;
} proof;

// Fixture of a group of tests; *state is the proof.
int proof_open(void **state);
int proof_close(void **state);
// Every law is here, and every exception is of a law.
void proof_expect_all(const proof *all);
// What the table says is not promised does not hold: somewhere, for some shape.
void proof_expect_exceptions(const proof *all);
const proof_subject *proof_find(const proof *all, const char *law_name, clv_kind kind, uint32_t dimension);

// `count` rows of each law and shape, at random places.
typedef void proof_row_check(proof_subject *s, const law_row *row);
void proof_each_row(proof *all, uint32_t count, proof_row_check *check);

static inline uint32_t proof_axes(const proof_subject *s) {
  return 3 * s->law->particles.count;
}
double proof_largest(const double *values, uint32_t count);
// Fails unless the numbers are equal, to so much of a scale.
void proof_compare(const proof_subject *s, const char *what, const double *a, const double *b, uint32_t count,
                   double scale, double tolerance);
// Adds at x force to a moment.
void proof_add_moment(const double *at, const double *force, double *moment);
// Adds the forces of a row to those of the body's vertices.
void proof_add_forces(const law_row *row, const double *forces, double (*at)[3]);
// The row's own place and pose become those at rest.
void proof_lay_to_rest(law_row *row);
// Eigenvalues of a symmetric matrix: it becomes diagonal, the columns of `vectors` are the eigenvectors.
void proof_diagonalise(double *matrix, double *vectors, uint32_t n);

#endif
