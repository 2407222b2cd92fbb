// Kernels: what runs over the rows of a view.
//
// A law becomes a program of five kernels: constants (what can be hoisted), energy, force, stiffness times vector
// and stiffness. Each exists twice: interpreted, which is the oracle and serves machines without a compiler, and as C
// for wide registers (emit.c). Both have the same face, so a view does not know which it has.
//
// Rows come in batches of eight, whatever the registers: value k of row r lies at [r / 8][k][r % 8]. Particles lie in
// a slab's own copy, four doubles each (three and a pad), and a place says where one begins: four times its number.
// `rows` says how many rows count; the lanes behind them, in a batch that is not full, hold places and constants like
// any other. Nothing is added to `out` for them, their energy is 0 and their matrix is anything. They do best to name
// other particles than each other: 0 is added to those.

#ifndef RULE_KERNEL_H
#define RULE_KERNEL_H

#include "rule/kernel_tape.h"
#include "rule/law.h"

// KERNEL_SLOTS: how many values an interpreted kernel may hold at once.
enum { KERNEL_LANES = 8, KERNEL_STRIDE = 4, KERNEL_AXES = 3 * LAW_PARTICLES, KERNEL_SLOTS = 4096 };

typedef struct kernel_args {
  uint32_t rows;
  const uint32_t *places;    // [batch][particle][8], multiples of KERNEL_STRIDE
  const double *constants;   // [batch][constant][8]
  const double *params;      // by number of the program's parameters
  const double *pos, *vel;   // [particle][4]
  const double *dpos, *dvel; // directions, for stiffness times vector
  double *out;               // [particle][4]: forces are added here
  double *energy;            // [batch][8]: written, not added
  double *matrix;            // [batch][n * n][8], n = 3 * particles: written, not added
} kernel_args;

typedef void kernel_function(const kernel_args *args);

typedef enum kernel_kind {
  KERNEL_ENERGY,     // energy[row] = sum over quadrature of the energy
  KERNEL_FORCE,      // out += force(pos, vel)
  KERNEL_FORCE_DPOS, // out += (df/dx) dpos: minus the stiffness times a vector; made positive as `psd` says
  KERNEL_FORCE_DVEL, // out += (df/dv) dvel
  KERNEL_STIFFNESS,  // matrix = - df/dx, made positive as `psd` says
  KERNEL_DAMPING,    // matrix = - df/dv, as it is
  KERNEL_PRODUCT,    // out -= matrix * dpos, of stiffnesses that were kept: [batch][n * (n + 1) / 2][8], as kernel_pack
                     // says
  KERNEL_PAIRS, // matrix = the stiffness of each of a central law's distances: [batch][pair][3 * 3][8]; nothing for
                // other laws
  KERNEL_COUNT
} kernel_kind;

// One kernel, as expressions: roots over the inputs DAG_PARAM, DAG_HOIST, DAG_HOIST_Q, DAG_POS, DAG_VEL, DAG_DPOS,
// DAG_DVEL. ENERGY has 1 root, the three force kernels 3 per particle; a root is the ref 0 where nothing acts. With
// quadrature they are of one point, and a row's result is their sum over the points. Matrices have none: they are force
// kernels run along each axis. FORCE_DPOS is not yet made positive where the kernel clamps.
typedef struct kernel_body {
  dag_ref *roots;
  uint32_t root_count;
} kernel_body;

// Particles between which a central law's distances are.
typedef struct kernel_pairs {
  uint32_t count;
  uint8_t first[LAW_PARTICLES / 2], second[LAW_PARTICLES / 2];
} kernel_pairs;

// The bodies of a law that has a rolled form, with one point for all; DAG_HOIST and DAG_HOIST_Q are numbered by
// themselves: `row` and `point` say which of the kernel's constants they are, at a point the first of as many as there
// are points.
typedef struct kernel_rolled {
  dag graph;
  kernel_body body[KERNEL_COUNT];
  uint32_t hoist_count, hoist_q_count;
  uint32_t *row, *point;
  uint32_t depth; // how many sums over points need each other
} kernel_rolled;

typedef struct kernel {
  const law *law;
  dag graph;                      // its own: the law's, differentiated and hoisted
  uint32_t particles, quadrature; // quadrature >= 1
  // Constants of a row: hoisted values, then hoisted values of point 0, of point 1 ...
  uint32_t hoist_count, hoist_q_count;
  dag_ref *hoist, *hoist_q; // what is hoisted, over DAG_PARAM, DAG_READ, DAG_QUAD
  kernel_body body[KERNEL_COUNT];
  kernel_rolled *rolled; // NULL: none
  bool has_velocity;     // forces depend on velocities
  bool clamps;           // FORCE_DPOS is to be made positive by the eigenvalues of each row
  bool central;          // the stiffness is that of distances between pairs: all its 3 x 3 blocks are symmetric
  kernel_pairs pairs;    // those, where it is; no particle has two of them
  bool keeps;            // for many products at one state, it is better to keep the stiffness of each row
  bool symmetric, damping_symmetric;       // what the stiffness and the damping are, but for rounding
  kernel_tape constants;                   // hoist, then hoist_q; DAG_QUAD is late
  kernel_tape tape[KERNEL_COUNT];          // of the bodies; DAG_DPOS and DAG_DVEL are late
  kernel_function *compiled[KERNEL_COUNT]; // NULL: interpreted
} kernel;

// Gives a kernel compiled functions, or none (NULL).
static inline void kernel_set_code(kernel *k, kernel_function *const *code) {
  for (uint32_t kind = 0; kind < KERNEL_COUNT; kind++) k->compiled[kind] = code ? code[kind] : NULL;
}

static inline uint32_t kernel_constants(const kernel *k) {
  return k->hoist_count + k->quadrature * k->hoist_q_count;
}

// Differentiates, shares and hoists. NULL and a D finding where a law cannot be differentiated, NULL and the program's
// no_memory when memory is out. The law must live as long as the kernel, which is made with the program's allocator.
kernel *kernel_make(clv_program *program, const law *l);
void kernel_destroy(kernel *k, const clv_allocator *allocator);

// The constants of one row, from its reads and, with quadrature, the points' data (all points of the cell, also where
// the law has them unrolled; NULL without); written to constants[k * KERNEL_LANES].
void kernel_hoist(const kernel *k, const double *params, const double *reads, const double (*quad)[LAW_QUAD_DATA],
                  double *constants);
void kernel_interpret(const kernel *k, kernel_kind kind, const kernel_args *args);
// Runs a kernel: compiled where it is, interpreted otherwise.
static inline void kernel_run(const kernel *k, kernel_kind kind, const kernel_args *args) {
  if (k->compiled[kind])
    k->compiled[kind](args);
  else
    kernel_interpret(k, kind, args);
}

// Keeps the lower halves of the symmetric n x n matrices of a batch, row by row.
void kernel_pack(const double *matrix, uint32_t n, double *packed);
static inline uint32_t kernel_packed(const kernel *k) {
  return 3 * k->particles * (3 * k->particles + 1) / 2;
}

// Makes symmetric n x n matrices positive: clamps (or takes the absolute value of) eigenvalues. Row by row in place,
// entry e of the matrix at matrix[e * stride].
void kernel_make_positive(double *matrix, uint32_t n, uint32_t stride, law_psd psd);
// The same for eight at once, entry e of lane l at matrix[e * KERNEL_LANES + l], with the same result in every lane.
void kernel_make_positive_lanes(double *matrix, uint32_t n, law_psd psd);

#endif
