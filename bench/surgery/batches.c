// Many edits in one commit, and how bodies go on behind them.

#include "../tools/tools.h"
#include "parts.h"
#include "patient.h"

#include <stdio.h>
#include <stdlib.h>

enum { REMOVALS = 10000, CUTS = 1000, ROUNDS = 3 };

// The best of some bodies.
static double best_of(const subject_def *def, void (*prepare)(patient *), void (*edit)(patient *)) {
  double best = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    patient p;
    patient_make(&p, def);
    prepare(&p);
    const double start = bench_clock();
    edit(&p);
    bench_ok(clv_solver_follow(p.s.solver), "follow", clv_solver_error(p.s.solver));
    const double time = bench_clock() - start;
    if (time < best) best = time;
    patient_free(&p);
  }
  return unit_microseconds(best);
}

// Every so many rows one.
static void choose_cells(patient *p, uint32_t count) {
  const uint32_t rows = clv_cell_rows(p->map, CLV_TET);
  patient_scatter(p, 0);
  free(p->facets);
  p->facets = bench_memory(count * sizeof *p->facets);
  for (p->count = 0; p->count < count; p->count++)
    p->facets[p->count] = clv_cell_at(p->map, CLV_TET, (uint32_t)((uint64_t)p->count * rows / count));
}

static void choose_removals(patient *p) {
  choose_cells(p, REMOVALS);
}

static void choose_tenth(patient *p) {
  choose_cells(p, clv_cell_rows(p->map, CLV_TET) / 10);
}

static void choose_nothing(patient *p) {
  (void)p;
}

static void remove_all(patient *p) {
  bench_ok(clv_surgery_remove_cells(p->surgery, p->facets, p->count, NULL), "remove", clv_surgery_error(p->surgery));
}

static void refine_all(patient *p) {
  bench_ok(clv_surgery_refine_cells(p->surgery, p->facets, p->count, 1, NULL), "refine", clv_surgery_error(p->surgery));
}

static void cut_plane(patient *p) {
  const double middle[3] = {0.1001, 0.1, 0.25}, normal[3] = {1, 0, 0};
  const clv_cut cut = {.kind = CLV_CUT_ZONE, .zone = clv_zone_plane(middle, normal)};
  clv_surgery_report report;
  bench_ok(clv_surgery_cut(p->surgery, &cut, &report), "cut", clv_surgery_error(p->surgery));
  if (report.facets < 1900) bench_fail("a plane cut only %u facets", report.facets);
}

static double time_step(patient *p) {
  const double start = bench_clock();
  subject_step(&p->s);
  return bench_clock() - start;
}

// The step behind a cut, over the least of those before it.
static double step_after_cut(const subject_def *def) {
  double best = 1e9;
  for (int round = 0; round < ROUNDS; round++) {
    patient p;
    double before = 1e9;
    patient_make(&p, def);
    for (int k = 0; k < 8; k++) {
      const double time = time_step(&p);
      if (time < before) before = time;
    }
    cut_plane(&p);
    const double after = time_step(&p) / before;
    if (after < best) best = after;
    patient_free(&p);
  }
  return best;
}

void bench_batches(void) {
  printf("\nmany edits in one commit; microseconds\n%-33s %12s %12s %12s %14s\n", "", "10,000 gone", "tenth finer",
         "plane cut", "step after cut");
  for (uint32_t c = 0; c < PATIENT_CASES; c++) {
    const subject_def large = patient_def(2, c), liver = patient_def(0, c);
    const double gone = best_of(&large, choose_removals, remove_all), tenth = best_of(&liver, choose_tenth, refine_all);
    const double plane = best_of(&large, choose_nothing, cut_plane);
    printf("%-33s %12.0f %12.0f %12.0f", patient_case_name(c), gone, tenth, plane);
    ratio_worst("removal_batch", REMOVALS / gone);
    ratio_worst("refine_tenth", 1000 / tenth);
    ratio_worst("plane_cut", 10000 / plane);
    if (large.method == CLV_IMPLICIT_EULER) {
      const double after = step_after_cut(&large);
      printf(" %14.2f", after);
      ratio_worst("step_after_cut", 1.3 / after);
    }
    printf("\n");
    fflush(stdout);
  }
}

// Decay: a body that was cut a thousand times beside one that was made of what it is then.

static void make_alike(subject *fresh, const patient *cut, const subject_def *def) {
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  bench_ok(clv_mesh_extract(&mesh, cut->map, &error), "extract", error.message);
  // Points are where they rest, in order of the vertices' ids.
  size_t point = 0;
  for (clv_id id = clv_id_next(cut->map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(cut->map, CLV_VERTEX, id))
    for (int k = 0; k < 3; k++)
      mesh.points[k < 2 ? point : point++][k] = clv_body_rest(cut->s.body)[3 * (size_t)id.index + (size_t)k];
  *fresh = (subject){.dt = cut->s.dt};
  fresh->body = subject_body(&mesh, def, NULL);
  fresh->solver = subject_solver(fresh->body, def);
  clv_mesh_free(&mesh);
  subject_step(fresh);
}

void bench_decay(void) {
  printf("\nsteps of 100,000 tetrahedra after 1,000 scattered cuts; ms\n%-33s %12s %12s\n", "", "cut", "made so");
  for (uint32_t c = 0; c < PATIENT_CASES; c++) {
    const subject_def def = patient_def(2, c);
    patient p;
    subject fresh;
    patient_make(&p, &def);
    patient_scatter(&p, CUTS);
    for (uint32_t k = 0; k < CUTS; k++)
      if (!clv_is_free(p.map, p.facets[k], 3)) patient_split(&p, k);
    make_alike(&fresh, &p, &def);
    bench_contestant both[] = {{subject_step, &p.s, 0}, {subject_step, &fresh, 0}};
    bench_compete(both, 2, bench_seconds, 5);
    printf("%-33s %12.3f %12.3f\n", patient_case_name(c), both[0].best * 1e3, both[1].best * 1e3);
    fflush(stdout);
    ratio_worst("no_decay", 1.15 * both[1].best / both[0].best);
    subject_free(&fresh);
    patient_free(&p);
  }
}
