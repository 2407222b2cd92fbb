// Beside whole steps written by hand. Both sides start from the same state, and must have moved alike after a step.

#include "../flat/steps.h"
#include "../tools/flatten.h"
#include "../tools/subject.h"
#include "../tools/tools.h"
#include "parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 15, ITERATIONS = 25 };

typedef struct hand {
  flat_body body;
  const flat_steps *steps;
  flat_kernel *force;
  double dt;
} hand;

typedef struct instruction_set {
  const char *name;
  const flat_kernels *scalar, *wide;
  const flat_steps *steps;
} instruction_set;

static const instruction_set sets[] = {{"avx512", &flat_scalar_avx512, &flat_wide_avx512, &flat_steps_avx512},
                                       {"avx2", &flat_scalar_avx2, &flat_wide_avx2, &flat_steps_avx2},
                                       {"sse2", &flat_scalar_sse2, &flat_wide_sse2, &flat_steps_sse2}};

// The instruction set that the kernels run with.
static const instruction_set *our_set(void) {
  clv_program *program = clv_program_create(NULL);
  clv_compile_def def = clv_default_compile_def();
  clv_compile_report report;
  clv_error error;
  def.compiler = "none";
  bench_ok(clv_program_use(program, "springs"), "springs", NULL);
  bench_ok(clv_program_check(program), "springs", NULL);
  bench_ok(clv_program_compile(program, &def, &report, &error), "instruction set", error.message);
  clv_program_destroy(program);
  for (int k = 0; k < 2; k++)
    if (strcmp(report.instructions, sets[k].name) == 0) return &sets[k];
  return &sets[2];
}

// The flat body

static double *array_of(uint32_t particles) {
  return bench_memory((size_t)particles * 4 * sizeof(double));
}

static void fill_particles(flat_body *flat, clv_body *body) {
  const double *pos = clv_body_positions(body), *vel = clv_body_velocities(body), *mass = clv_body_masses(body);
  const uint32_t *held = clv_body_held(body);
  double gravity[3];
  clv_body_get_gravity(body, gravity);
  double **arrays[] = {&flat->pos,          &flat->vel, &flat->force,  &flat->weight,   &flat->mass,
                       &flat->inverse_mass, &flat->dv,  &flat->search, &flat->residual, &flat->image};
  flat->particles = clv_body_slots(body);
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) *arrays[k] = array_of(flat->particles);
  for (uint32_t p = 0; p < flat->particles; p++)
    for (uint32_t i = 0; i < 3; i++) {
      flat->pos[4 * p + i] = pos[3 * p + i];
      flat->vel[4 * p + i] = vel[3 * p + i];
      flat->weight[4 * p + i] = mass[p] * gravity[i];
      flat->mass[4 * p + i] = mass[p];
      flat->inverse_mass[4 * p + i] = held[p] ? 0 : 1 / mass[p];
    }
}

static void use_list(flat_body *flat, const flat_list *list, bool wide) {
  flat->mesh = wide ? flat_mesh_wide(list) : flat_mesh_scalar(list);
  flat->mesh.pos = flat->pos;
  flat->mesh.out = flat->force;
}

static int by_number(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// Rows of blocks, each in order of columns.
static void make_matrix(flat_body *flat, const flat_list *list) {
  flat_matrix *a = &flat->matrix;
  const size_t count = 16 * (size_t)list->count;
  uint64_t *pairs = bench_memory(count * sizeof *pairs);
  for (uint32_t e = 0; e < list->count; e++)
    for (uint32_t k = 0; k < 16; k++)
      pairs[16ul * e + k] = (uint64_t)list->corner[4 * e + k / 4] << 32 | list->corner[4 * e + k % 4];
  qsort(pairs, count, sizeof *pairs, by_number);
  size_t unique = 0;
  for (size_t k = 0; k < count; k++)
    if (!k || pairs[k] != pairs[unique - 1]) pairs[unique++] = pairs[k];
  a->first = bench_memory(((size_t)flat->particles + 1) * sizeof *a->first);
  a->column = bench_memory(unique * sizeof *a->column);
  a->block = bench_memory((9 * unique + 3) * sizeof *a->block);
  a->position = bench_memory(count * sizeof *a->position);
  for (size_t k = 0; k < unique; k++) {
    a->first[(pairs[k] >> 32) + 1]++;
    a->column[k] = (uint32_t)pairs[k];
  }
  for (uint32_t p = 0; p < flat->particles; p++) a->first[p + 1] += a->first[p];
  for (uint32_t e = 0; e < list->count; e++)
    for (uint32_t k = 0; k < 16; k++) {
      const uint64_t pair = (uint64_t)list->corner[4 * e + k / 4] << 32 | list->corner[4 * e + k % 4];
      const uint64_t *found = bsearch(&pair, pairs, unique, sizeof *pairs, by_number);
      a->position[16ul * e + k] = (uint32_t)(found - pairs);
    }
  free(pairs);
}

static void hand_free(hand *h) {
  flat_body *flat = &h->body;
  double *arrays[] = {flat->pos, flat->vel,      flat->force,  flat->weight, flat->mass,   flat->inverse_mass,
                      flat->dv,  flat->residual, flat->search, flat->image,  flat->frames, flat->matrix.block};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
  free(flat->matrix.first);
  free(flat->matrix.column);
  free(flat->matrix.position);
  flat_mesh_free(&flat->mesh);
}

static void run_symplectic(void *user) {
  const hand *h = user;
  h->steps->symplectic(&h->body, h->force, h->dt);
}

static void run_free(void *user) {
  const hand *h = user;
  h->steps->implicit_free(&h->body, h->dt, ITERATIONS);
}

static void run_assembled(void *user) {
  const hand *h = user;
  h->steps->implicit_assembled(&h->body, h->dt, ITERATIONS);
}

// After one step both must be where the other is, as far as rounding (or an unfinished solve) lets them.
static void check_alike(const char *name, const hand *h, clv_body *body, double tolerance) {
  const double *pos = clv_body_positions(body), *rest = clv_body_rest(body);
  double moved = 0, difference = 0;
  for (uint32_t p = 0; p < h->body.particles; p++)
    for (uint32_t i = 0; i < 3; i++) {
      moved = fmax(moved, fabs(pos[3 * p + i] - rest[3 * p + i]));
      difference = fmax(difference, fabs(pos[3 * p + i] - h->body.pos[4 * p + i]));
    }
  if (!(difference <= tolerance * moved)) bench_fail("%s: positions differ by %g of %g", name, difference, moved);
}

typedef struct flat_case {
  const char *name;
  subject_def def;
  bool springs;
  void (*runs[2])(void *user);
  bool wide[2];
  double tolerance;
} flat_case;

static const flat_case cases[] = {
    {"flat_beam",
     {CLV_GRID_HEX, {8, 8, 10}, .model = "springs", .method = CLV_SYMPLECTIC_EULER},
     true,
     {run_symplectic, run_symplectic},
     {false, true},
     1e-9},
    {"flat_corotational",
     {CLV_GRID_TET5, {20, 20, 50}, .model = "fem-corotational-qr", .method = CLV_SYMPLECTIC_EULER},
     false,
     {run_symplectic, run_symplectic},
     {false, true},
     1e-9},
    {"flat_implicit",
     {CLV_GRID_TET5,
      {20, 20, 50},
      .model = "fem-corotational-qr",
      .method = CLV_IMPLICIT_EULER,
      .iterations = ITERATIONS},
     false,
     {run_free, run_assembled},
     {true, true},
     1e-2},
};

static void make_hand(hand *h, const flat_case *c, int k, const subject *s, const instruction_set *set) {
  const clv_map *map = clv_body_map(s->body);
  flat_list list = c->springs ? flat_list_springs(map) : flat_list_tetrahedra(map);
  const flat_kernels *kernels = c->wide[k] ? set->wide : set->scalar;
  *h = (hand){.steps = set->steps, .force = c->springs ? kernels->stretch : kernels->corotational, .dt = s->dt};
  fill_particles(&h->body, s->body);
  use_list(&h->body, &list, c->wide[k]);
  if (c->runs[k] != run_symplectic) h->body.frames = bench_memory((size_t)(list.count + 7) / 8 * 72 * sizeof(double));
  if (c->runs[k] == run_assembled) make_matrix(&h->body, &list);
  flat_list_free(&list);
}

static void run_case(const flat_case *c, const instruction_set *set) {
  subject s;
  hand hands[2];
  subject_make(&s, &c->def);
  for (int k = 0; k < 2; k++) make_hand(&hands[k], c, k, &s, set);
  bench_contestant all[] = {{c->runs[0], &hands[0], 0}, {c->runs[1], &hands[1], 0}, {subject_step, &s, 0}};
  for (int k = 0; k < 3; k++) all[k].run(all[k].user);
  for (int k = 0; k < 2; k++) check_alike(c->name, &hands[k], s.body, c->tolerance);
  bench_compete(all, 3, bench_seconds, ROUNDS);
  const double ratio = fmin(all[0].best, all[1].best) / all[2].best;
  printf("%-20s %12.4f %12.4f %12.4f %8.2f\n", c->name, all[0].best * 1e3, all[1].best * 1e3, all[2].best * 1e3, ratio);
  ratio_worst(c->name, ratio);
  for (int k = 0; k < 2; k++) hand_free(&hands[k]);
  subject_free(&s);
}

void bench_flat(void) {
  const instruction_set *set = our_set();
  printf("\nbeside flat arrays, %s, one thread; ms a step\n", set->name);
  printf("%-20s %12s %12s %12s %8s\n", "", "scalar/free", "wide/blocks", "Cleave", "ratio");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) run_case(&cases[k], set);
}
