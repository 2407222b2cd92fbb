// bench_rules - compiled rules beside force loops written by hand, and beside themselves.
//
// RATIO name value: value = reference / Cleave, measured in the same run. For the four force loops the reference is the
// better of a scalar and a wide loop over flat arrays (bench/flat), for the same instruction set and built with the
// options of Cleave's own kernels; Cleave is clv_views_force and clv_views_force_along with one thread, which copy
// positions in and sum forces up as well. The worst of three sizes counts.
//
//   bench_rules           everything
//   bench_rules NAME      one of the force loops

#include "../tools/tools.h"
#include "body.h"
#include "change.h"
#include "compile.h"
#include "product.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 25, SIZES = 3 };

typedef struct force_case {
  const char *name, *module, *law;
  bool on_edges, along;
  uint32_t cubes[SIZES][3];
} force_case;

// About 100,000 elements, 1,500, and 64.
static const force_case cases[] = {
    {"stretch", "springs", "stretch", true, false, {{24, 24, 24}, {6, 6, 5}, {2, 2, 1}}},
    {"corotational", "fem", "corotational_qr", false, false, {{26, 26, 25}, {7, 6, 6}, {3, 2, 2}}},
    {"stvk", "fem", "stvk", false, false, {{26, 26, 25}, {7, 6, 6}, {3, 2, 2}}},
    {"corotational_hv", "fem", "corotational_qr", false, true, {{26, 26, 25}, {7, 6, 6}, {3, 2, 2}}},
};

static const flat_kernels *flat_of(bool wide) {
  const char *set = bench_instructions();
  if (strcmp(set, "avx512") == 0) return wide ? &flat_wide_avx512 : &flat_scalar_avx512;
  if (strcmp(set, "avx2") == 0) return wide ? &flat_wide_avx2 : &flat_scalar_avx2;
  return wide ? &flat_wide_sse2 : &flat_scalar_sse2;
}

static flat_kernel *flat_kernel_of(const flat_kernels *kernels, const char *name) {
  if (strcmp(name, "stretch") == 0) return kernels->stretch;
  if (strcmp(name, "corotational") == 0) return kernels->corotational;
  if (strcmp(name, "stvk") == 0) return kernels->stvk;
  return kernels->corotational_hv;
}

typedef struct flat_run {
  flat_kernel *kernel;
  const flat_mesh *mesh;
  size_t size;
} flat_run;

static void run_flat(void *user) {
  const flat_run *run = user;
  memset(run->mesh->out, 0, run->size);
  run->kernel(run->mesh);
}

static void run_force(void *user) {
  bench_body *body = user;
  bench_ok(clv_views_force(body->views, body->force), "force", clv_views_error(body->views));
}

static void run_along(void *user) {
  bench_body *body = user;
  bench_ok(clv_views_force_along(body->views, body->direction, NULL, body->force), "force",
           clv_views_error(body->views));
}

// Both sides compute the same forces.
static void check_forces(const bench_body *body, const char *name) {
  double largest = 0, difference = 0;
  for (uint32_t s = 0; s < body->slots; s++)
    for (uint32_t i = 0; i < 3; i++) {
      const double flat = body->flat_force[4 * s + i];
      largest = fmax(largest, fabs(flat));
      difference = fmax(difference, fabs(flat - body->force[3 * s + i]));
    }
  if (!(difference <= 1e-10 * largest)) bench_fail("%s: forces differ by %g of %g", name, difference, largest);
}

static double compare(const force_case *c, const uint32_t cubes[3]) {
  bench_body body;
  bench_body_make(&body, &(bench_body_def){c->module, c->law, c->on_edges, {cubes[0], cubes[1], cubes[2]}, 1});
  const size_t size = (size_t)body.slots * 4 * sizeof(double);
  flat_run scalar = {flat_kernel_of(flat_of(false), c->name), &body.scalar, size};
  flat_run wide = {flat_kernel_of(flat_of(true), c->name), &body.wide, size};
  bench_contestant all[] = {{run_flat, &scalar, 0}, {run_flat, &wide, 0}, {c->along ? run_along : run_force, &body, 0}};
  all[2].run(&body);
  for (int k = 0; k < 2; k++) {
    all[k].run(all[k].user);
    check_forces(&body, c->name);
  }
  bench_compete(all, 3, bench_seconds, ROUNDS);
  const double to_ns = 1e9 / body.elements, ratio = fmin(all[0].best, all[1].best) / all[2].best;
  printf("%-16s %8u %9.2f %9.2f %9.2f %8.2f\n", c->name, body.elements, all[0].best * to_ns, all[1].best * to_ns,
         all[2].best * to_ns, ratio);
  bench_body_free(&body);
  return ratio;
}

static void print_forces(const char *only, double *worst) {
  printf("%s, one thread, processor time; ns an element, the best of %d turns\n\n", bench_instructions(), ROUNDS);
  printf("%-16s %8s %9s %9s %9s %8s\n", "", "elements", "scalar", "wide", "Cleave", "ratio");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    worst[k] = INFINITY;
    if (only && strcmp(only, cases[k].name) != 0) continue;
    for (int size = 0; size < SIZES; size++) worst[k] = fmin(worst[k], compare(&cases[k], cases[k].cubes[size]));
  }
}

int main(int count, char **words) {
  double worst[sizeof cases / sizeof *cases];
  const char *only = count > 1 ? words[1] : NULL;
  print_forces(only, worst);
  bench_changes changes = {0};
  if (!only) bench_print_products();
  if (!only) printf("\n");
  if (!only) changes = bench_measure_changes();
  if (!only) bench_print_compile_times();
  printf("\n");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (worst[k] < INFINITY) printf("RATIO %s %.2f\n", cases[k].name, worst[k]);
  if (only) return 0;
  printf("RATIO two_threads %.2f\n", changes.two_threads);
  printf("RATIO view_update %.0f\n", changes.view_update);
  printf("RATIO rule_apply %.2f\n", changes.rule_apply);
  return 0;
}
