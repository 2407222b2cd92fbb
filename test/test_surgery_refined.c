// Tearing and the scalpel among cells that are refined, cut, removed and coarsened: whatever came before, nothing is
// lost; and what springs of refined cells bear. soak: yes

#include "cleave/surgery.h"
#include "physics/body.h"
#include "support/beam.h"
#include "support/refine.h"
#include "support/rules.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
  clv_program *rules, *laws; // of topology; of all models
  uint64_t seed;
  uint32_t times;
} options;

typedef struct state {
  double mass, linear[3], elastic, kinetic;
} state;

static state state_of(clv_body *body) {
  clv_momenta m;
  clv_energies e;
  clv_body_momenta(body, &m);
  assert_int_equal(clv_body_energies(body, &e), CLV_OK);
  return (state){m.mass, {m.linear[0], m.linear[1], m.linear[2]}, e.elastic, e.kinetic};
}

// Elastic energy may grow at the cost of motion where vertices move onto a path, and nowhere else.
static void assert_kept(const state *a, const state *b, const char *what) {
  const double momentum = sqrt(2 * a->mass * a->kinetic);
  bool good = fabs(a->mass - b->mass) <= 1e-12 * a->mass;
  for (uint32_t k = 0; k < 3; k++) good = good && fabs(a->linear[k] - b->linear[k]) <= 1e-12 * momentum;
  good = good && b->elastic + b->kinetic <= (a->elastic + a->kinetic) * (1 + 1e-11);
  good = good && b->kinetic <= a->kinetic * (1 + 1e-11);
  if (!good)
    fail_msg("%s: mass %.17g to %.17g, momentum %g %g %g by %g %g %g, elastic %.17g to %.17g, kinetic %.17g to %.17g",
             what, a->mass, b->mass, a->linear[0], a->linear[1], a->linear[2], b->linear[0] - a->linear[0],
             b->linear[1] - a->linear[1], b->linear[2] - a->linear[2], a->elastic, b->elastic, a->kinetic, b->kinetic);
}

// Strains and moves everything; what hangs follows.
static void shake(refined *r) {
  const double *rest = clv_body_rest(r->body);
  double *x = clv_body_positions(r->body), *v = clv_body_velocities(r->body);
  const double phase = random_below(&r->random, 1000) / 1000.0;
  for (size_t s = 0; s < clv_body_slots(r->body); s++)
    for (size_t k = 0; k < 3; k++) {
      const double at = 3 * rest[3 * s] + 2 * rest[3 * s + 1] + rest[3 * s + 2] + (double)k + phase;
      x[3 * s + k] = rest[3 * s + k] + 0.03 * sin(at);
      v[3 * s + k] = cos(2 * at);
    }
  clv_body_place(r->body, 0);
}

static void tear(refined *r, clv_surgery *surgery) {
  clv_tear how = clv_default_tear();
  double most = 0;
  how.kind = (clv_tear_kind)random_below(&r->random, CLV_TEAR_KIND_COUNT);
  if (how.kind == CLV_TEAR_FORCE && !clv_column_find(r->map, "ks")) how.kind = CLV_TEAR_STRAIN;
  for (clv_id id = clv_id_next(r->map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(r->map, CLV_CELL, id)) {
    clv_cell_state now;
    double least, greatest;
    clv_body_cell_state(r->body, clv_id_dart(r->map, CLV_CELL, id), &now);
    physics_extremes(now.stress, &least, &greatest);
    most = fmax(most, how.kind == CLV_TEAR_STRESS ? greatest : now.stretch[1] - 1);
  }
  how.threshold = how.kind == CLV_TEAR_FORCE ? 1e-3 : 0.5 * most;
  how.most = 3;
  if (!(how.threshold > 0)) return;
  const state before = state_of(r->body);
  if (clv_surgery_tear(surgery, &how, NULL) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  const state after = state_of(r->body);
  assert_kept(&before, &after, clv_tear_name(how.kind));
  assert_true(after.elastic <= before.elastic * (1 + 1e-11));
}

static uint32_t count_tied(const clv_body *body) {
  uint32_t tied = 0, slot, parents[4], count;
  for (uint32_t k = 0; (count = clv_body_hanging(body, k, &slot, parents)); k++) tied += count == 1;
  return tied;
}

// From one vertex to another, in a straight line.
static uint32_t stroke(refined *r, clv_surgery *surgery, clv_scalpel *scalpel) {
  const clv_dart cells[2] = {refined_any_cell(r), refined_any_cell(r)};
  if (!cells[0]) return 0;
  double ends[2][3];
  for (uint32_t e = 0; e < 2; e++) {
    const clv_id at = clv_id_of(r->map, CLV_VERTEX, cells[e]);
    memcpy(ends[e], clv_body_positions(r->body) + 3 * (size_t)at.index, sizeof ends[e]);
  }
  uint32_t cuts = 0;
  for (uint32_t step = 0; step <= 20; step++) {
    double tip[3];
    for (uint32_t k = 0; k < 3; k++) tip[k] = ends[0][k] + (ends[1][k] - ends[0][k]) * step / 20;
    const state before = state_of(r->body);
    clv_scalpel_report report;
    if (clv_scalpel_move(scalpel, tip, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
    cuts += report.cut;
    const state after = state_of(r->body);
    assert_kept(&before, &after, "scalpel");
  }
  clv_scalpel_lift(scalpel);
  return cuts;
}

static void in_any_order(void **argument) {
  const options *o = *argument;
  uint32_t cuts = 0, tied = 0;
  for (uint32_t time = 0; time < o->times; time++)
    for (uint32_t g = 0; g < REFINED_GRIDS; g++)
      for (uint32_t m = 0; m < REFINED_MODELS; m++) {
        if (!refined_serves(refined_models[m], refined_grids[g])) continue;
        body_setup setup = refined_setup(refined_grids[g], refined_models[m]);
        setup.def.program = o->laws;
        refined r = refined_of(body_of(&setup), o->rules, o->seed + 1000 * time + 10 * m + g);
        clv_error error = {0};
        clv_surgery *surgery = clv_surgery_create(r.body, &error);
        clv_scalpel_def def = clv_default_scalpel_def();
        def.radius = 0.2;
        def.toughness = 0;
        clv_scalpel *scalpel = clv_scalpel_create(surgery, &def, &error);
        if (!scalpel) fail_msg("%s", error.message);
        for (uint32_t round = 0; round < 6; round++) {
          refined_refine_some(&r, 2);
          if (round % 3 == 1) refined_cut_some(&r);
          if (round % 3 == 2) refined_remove_some(&r);
          if (round % 2 == 1) refined_coarsen_some(&r);
          shake(&r);
          tear(&r, surgery);
          cuts += stroke(&r, surgery, scalpel);
          refined_check(&r, "a round");
          tied += count_tied(r.body);
        }
        clv_scalpel_destroy(scalpel);
        clv_surgery_destroy(surgery);
        clv_body_destroy(r.body);
      }
  assert_true(cuts > 0);
  assert_true(tied > 0); // cracks have ended in the middle of coarse edges
}

// Springs of edges: where they lie at rest, and their stiffness times their length.
typedef struct spring {
  double end[2][3], ea;
} spring;

static double distance(const double a[3], const double b[3]) {
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

static uint32_t list_springs(const clv_body *body, spring *list, uint32_t room) {
  const clv_map *map = clv_body_map(body);
  const clv_column *ks = clv_column_find(map, "ks");
  const double *rest = clv_body_rest(body);
  uint32_t count = 0;
  assert_non_null(ks);
  for (clv_id id = clv_id_next(map, CLV_EDGE, (clv_id){0}); id.index; id = clv_id_next(map, CLV_EDGE, id)) {
    assert_true(count < room);
    const clv_dart dart = clv_id_dart(map, CLV_EDGE, id), ends[2] = {dart, clv_alpha(map, dart, 0)};
    spring *s = &list[count++];
    for (uint32_t k = 0; k < 2; k++)
      memcpy(s->end[k], rest + 3 * (size_t)clv_id_of(map, CLV_VERTEX, ends[k]).index, sizeof s->end[k]);
    s->ea = *(const double *)clv_column_at(ks, dart) * distance(s->end[0], s->end[1]);
  }
  return count;
}

// Whether one is half of the other, from either end of either.
static bool is_half(const spring *half, const spring *whole) {
  double middle[3];
  for (uint32_t k = 0; k < 3; k++) middle[k] = 0.5 * (whole->end[0][k] + whole->end[1][k]);
  for (uint32_t k = 0; k < 4; k++)
    if (distance(half->end[k & 1], whole->end[k >> 1]) + distance(half->end[!(k & 1)], middle) < 1e-12) return true;
  return false;
}

static void halves_keep_stiffness_times_length(void **prestate) {
  enum { ROOM = 2000 };
  const options *o = *prestate;
  spring *before = malloc(2 * ROOM * sizeof *before), *after = before + ROOM;
  assert_non_null(before);
  for (uint32_t g = 0; g < REFINED_GRIDS; g++) {
    body_setup setup = refined_setup(refined_grids[g], "springs");
    setup.def.program = o->laws;
    clv_body *body = body_of(&setup);
    const uint32_t whole = list_springs(body, before, ROOM);
    const clv_map *map = clv_body_map(body);
    const clv_dart cell = clv_id_dart(map, CLV_CELL, clv_id_next(map, CLV_CELL, (clv_id){0}));
    clv_surgery *surgery = clv_surgery_create(body, NULL);
    assert_non_null(surgery);
    if (clv_surgery_refine_cells(surgery, &cell, 1, 1, NULL) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
    const uint32_t count = list_springs(body, after, ROOM);
    uint32_t halves = 0;
    for (uint32_t k = 0; k < count; k++)
      for (uint32_t n = 0; n < whole; n++) {
        if (!is_half(&after[k], &before[n])) continue;
        if (!(fabs(after[k].ea - before[n].ea) <= 1e-12 * before[n].ea))
          fail_msg("grid %u: half of an edge of %.17g N has %.17g N", refined_grids[g], before[n].ea, after[k].ea);
        halves++;
      }
    assert_true(halves >= 6); // all edges of a cell, two halves each
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  free(before);
}

int main(int argc, char **argv) {
  options o = {.seed = 1, .times = 1};
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) {
      o.times = 50;
    } else if (!strcmp(argv[k], "--seed") && k + 1 < argc) {
      o.seed = strtoull(argv[++k], NULL, 10);
    } else {
      fprintf(stderr, "usage: test_surgery_refined [--soak] [--seed S]\n");
      return 2;
    }
  }
  o.rules = program_of_module("topology");
  o.laws = beam_program();
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(in_any_order, &o),
                                     cmocka_unit_test_prestate(halves_keep_stiffness_times_length, &o)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clv_program_destroy(o.rules);
  clv_program_destroy(o.laws);
  return failed;
}
