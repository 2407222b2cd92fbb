// A solver from inside: what all methods share.
//
// A method tries one step: it reads the body's state, writes the next one, and says how it went. A try that went wrong
// leaves positions, velocities and accelerations as they were, to the last bit. The rest is solver.c's business: arrays
// that follow the body through its commits, the halving of steps, the sentence when nothing helps.
//
// Vectors have three numbers a slot. What is held is told by inverse masses: they are zero along held axes and in slots
// that no vertex has, so that a loop over all numbers moves what is free and nothing else.

#ifndef SOLVE_SOLVER_H
#define SOLVE_SOLVER_H

#include "base/memory.h"
#include "cleave/solve.h"
#include "physics/body.h"
#include "solve/anderson.h"
#include "solve/linear.h"
#include "solve/pass.h"

enum { SOLVE_HALVINGS = 30 };

typedef enum solve_outcome {
  SOLVE_DONE,
  SOLVE_WRONG, // numerical trouble, told by solver->trouble: a smaller step may do
  SOLVE_ERROR, // told by solver->error: nothing helps
} solve_outcome;

// The vectors that methods use; each uses few of them, and only those exist.
typedef enum solve_vector {
  SOLVE_INVERSE,   // inverse masses, zero where held
  SOLVE_FALL,      // gravity where only laws, gravity and drag act; zero where held
  SOLVE_X0,        // positions, velocities and accelerations before the try
  SOLVE_V0,        //
  SOLVE_A0,        //
  SOLVE_FORCE,     //
  SOLVE_FIRST,     // explicit: accelerations of the first stage; implicit: a right side
  SOLVE_SECOND,    // explicit: accelerations of the next stages; implicit: the unknown
  SOLVE_CHANGE,    // what a linear system is solved for
  SOLVE_PLAIN,     // the same, before it was improved
  SOLVE_AHEAD_X,   // how far a first linearisation looks ahead, in positions and velocities
  SOLVE_AHEAD_V,   //
  SOLVE_LOAD,      // statics: the forces that are still to be released
  SOLVE_BEFORE_X,  // before the whole step, where it is halved
  SOLVE_BEFORE_V,  //
  SOLVE_BEFORE_A,  //
  SOLVE_LANCZOS_Q, // stable.c
  SOLVE_LANCZOS_BEFORE,
  SOLVE_LANCZOS_SCALED,
  SOLVE_LANCZOS_PRODUCT,
  SOLVE_VECTORS
} solve_vector;

// Begins at a cache line, so that no wide access lies across two.
typedef struct solve_room {
  double *data;
  BASE_ARRAY(double) memory;
} solve_room;

struct clv_solver {
  clv_solver_def def;
  clv_allocator allocator;
  clv_body *body;
  clv_map *map;
  clv_error error;
  char trouble[256];

  uint64_t revision, subject;      // of the map and of what the body is subject to, that the following belongs to
  bool current;                    // it belongs to some
  bool tested;                     // statics: every piece of the body is held
  BASE_ARRAY(uint32_t) touched;    // slots that commits may have changed since
  BASE_ARRAY(uint32_t) touched_at; // by slot: where it is in that list, if it is there
  bool all_touched;                // too many of them to list, or nobody knows
  uint32_t slots;
  bool plain;  // only laws, gravity and drag act: the latter two are added by explicit methods, in a pass they make
               // anyway
  double drag; // 1/s, then
  solve_room vectors[SOLVE_VECTORS];
  BASE_ARRAY(uint32_t) held;     // numbers of a vector that are not free
  BASE_ARRAY(uint8_t) held_axes; // by slot: which of its three are among them
  bool held_rest;                // nothing moves them in this step
  BASE_ARRAY(double) held_state; // position and velocity of each before the step

  clv_column *acceleration; // Newmark's, on vertices
  double started;           // 1 when those are what acts
  const pass_loops *passes; // of explicit methods
  linear_system *linear;    // of implicit methods
  anderson anderson;        // of Newton's method
  clv_step_report report;   // of the step in progress
  bool timed;
};

// A vector, NULL when memory is out. What is in it stays where it grows; what methods write there does not outlive a
// commit.
double *solve_vector_of(clv_solver *solver, solve_vector which);
static inline size_t solve_numbers(const clv_solver *solver) {
  return 3 * (size_t)solver->slots;
}
static inline double *solve_acceleration(const clv_solver *solver) {
  return clv_column_data(solver->acceleration, CLV_NONE, NULL);
}
bool solve_is_explicit(clv_method method);

// Makes everything that depends on topology and constraints fit the body. The solver subscribes to its map's commits.
clv_result solve_refresh(clv_solver *solver);
clv_subscriber solve_hear;
// At the end of a step: what an edit behind it will need wherever it is made is brought into the caches, where edits
// came lately (follow.c).
void solve_stay_ready(clv_solver *solver);
clv_result solve_fail(clv_solver *solver, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);
solve_outcome solve_no_memory(clv_solver *solver);
solve_outcome solve_trouble(clv_solver *solver, const char *format, ...) CLV_PRINTF(2, 3);
// What a result of the body means for a try.
solve_outcome solve_of_body(clv_solver *solver, clv_result result);
// Seconds on a clock that only grows; 0 while nobody wants to know.
double solve_clock(const clv_solver *solver);

// All forces at a time.
solve_outcome solve_force(clv_solver *solver, double time, double *out);
// All forces but those that explicit methods add themselves: SOLVE_FALL and solver->drag.
solve_outcome solve_force_apart(clv_solver *solver, double time, double *out);

// What a loop gathers to know whether a number went astray: the highest bit is set when |number| >= limit, and for NaN.
#define SOLVE_FARTHEST 1e100 // no coordinate of a sound body gets here
static inline uint64_t solve_limit(double limit) {
  uint64_t bits;
  memcpy(&bits, &limit, sizeof bits);
  return UINT64_C(0x8000000000000000) - bits;
}
static inline uint64_t solve_beyond(double number, uint64_t limit) {
  uint64_t bits;
  memcpy(&bits, &number, sizeof bits);
  return (bits & UINT64_C(0x7FFFFFFFFFFFFFFF)) + limit;
}
static inline bool solve_is_beyond(uint64_t gathered) {
  return gathered >> 63;
}
// The greatest change of a velocity that a sound body shows within a step: one that carries a particle ten times as far
// as the body is long, beyond what gravity does.
double solve_greatest_change(const clv_solver *solver, double dt);

// The state before a try, in SOLVE_X0, SOLVE_V0 and SOLVE_A0.
bool solve_keep_state(clv_solver *solver);
void solve_restore_state(clv_solver *solver);
// The state before all tries of a step, in SOLVE_BEFORE_X, _V and _A.
bool solve_keep_before(clv_solver *solver);
void solve_restore_before(clv_solver *solver);
// What hangs goes to where its parents are, and as fast.
void solve_spread_state(clv_solver *solver);

typedef solve_outcome solve_try(clv_solver *solver, double time, double dt);
solve_try solve_try_symplectic, solve_try_heun, solve_try_rk4; // explicit.c
solve_try solve_try_implicit;                                  // implicit.c
solve_try solve_try_newton, solve_try_newmark;                 // newton.c
solve_try solve_try_static;                                    // static.c

// Linear systems, with the report kept. A system that is not positive definite is trouble.
solve_outcome solve_linearise(clv_solver *solver, linear_factors factors);
solve_outcome solve_linear(clv_solver *solver, const double *b, double *x);

#endif
