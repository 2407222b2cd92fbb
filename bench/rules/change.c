#include "change.h"

#include "../tools/tools.h"
#include "body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CUBES = 26, CUBES_Z = 25, CUTS = 200, ROUNDS = 15 };

static const uint32_t large[3] = {CUBES, CUBES, CUBES_Z};

const char *bench_instructions(void) {
  clv_program *program = bench_program("springs");
  clv_compile_def def = clv_default_compile_def();
  clv_compile_report report;
  clv_error error;
  def.compiler = "none";
  bench_ok(clv_program_compile(program, &def, &report, &error), "instruction set", error.message);
  clv_program_destroy(program);
  return report.instructions;
}

// Threads, by the clock on the wall

typedef struct thread_run {
  clv_views *views;
  double *force;
} thread_run;

static void run_force(void *user) {
  const thread_run *run = user;
  bench_ok(clv_views_force(run->views, run->force), "force", clv_views_error(run->views));
}

static double two_threads_on(const char *module, const char *law) {
  clv_program *program = bench_program(module);
  clv_map *maps[2];
  thread_run runs[2];
  bench_contestant both[2];
  for (uint32_t k = 0; k < 2; k++) {
    maps[k] = bench_map(large);
    runs[k].views = bench_views(program, maps[k], law, k + 1);
    runs[k].force = bench_memory((size_t)clv_id_slots(maps[k], CLV_VERTEX) * 3 * sizeof(double));
    both[k] = (bench_contestant){run_force, &runs[k], 0};
  }
  bench_compete(both, 2, bench_clock, 2 * ROUNDS);
  printf("two threads, %s: %.3f ms with one, %.3f ms with two\n", law, both[0].best * 1e3, both[1].best * 1e3);
  for (uint32_t k = 0; k < 2; k++) {
    clv_views_destroy(runs[k].views);
    clv_map_destroy(maps[k]);
    free(runs[k].force);
  }
  clv_program_destroy(program);
  return both[0].best / both[1].best;
}

// The law that gains the least.
static double two_threads(void) {
  static const char *const laws[][2] = {{"springs", "stretch"}, {"fem", "corotational_qr"}, {"fem", "stvk"}};
  double least = HUGE_VAL;
  printf("\n");
  for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) least = fmin(least, two_threads_on(laws[k][0], laws[k][1]));
  return least;
}

// Cuts: facets between two tetrahedra, spread over the body

typedef struct cut_list {
  clv_dart dart[CUTS], other[CUTS];
} cut_list;

static void find_cuts(const clv_map *map, cut_list *cuts) {
  const uint32_t rows = clv_cell_rows(map, CLV_TET);
  uint32_t count = 0;
  for (uint32_t k = 0; count < CUTS && k < 100 * CUTS; k++) {
    const clv_dart dart = clv_cell_at(map, CLV_TET, (uint32_t)((uint64_t)k * 7919 * 13 % rows));
    if (clv_is_free(map, dart, 3)) continue;
    bool known = false;
    for (uint32_t n = 0; n < count; n++) known |= cuts->dart[n] == dart || cuts->other[n] / 64 == dart / 64;
    if (known) continue;
    cuts->dart[count] = dart;
    cuts->other[count++] = clv_alpha(map, dart, 3);
  }
  if (count < CUTS) bench_fail("too few facets to cut");
}

// Views. A subscriber in front of the views and one behind them see when their update begins and when it is done.

typedef struct update_watch {
  double begin, time;
} update_watch;

static void hear_begin(void *user, const clv_map *map, const clv_commit *commit) {
  (void)map, (void)commit;
  ((update_watch *)user)->begin = bench_clock();
}

static void hear_end(void *user, const clv_map *map, const clv_commit *commit) {
  (void)map, (void)commit;
  ((update_watch *)user)->time = bench_clock() - ((update_watch *)user)->begin;
}

static void change(clv_map *map, clv_dart dart, clv_dart other) {
  bench_ok(clv_map_begin(map), "begin", clv_map_error(map));
  bench_ok(other ? clv_map_sew(map, 3, dart, other) : clv_map_unsew(map, 3, dart), "change", clv_map_error(map));
  bench_ok(clv_map_commit(map), "commit", clv_map_error(map));
}

static void run_rebuild(void *user) {
  bench_ok(bench_build_tables(user), "rebuild", "out of memory");
}

// The mean over all cuts of the shortest time each took.
static double time_updates(clv_map *map, const update_watch *watch) {
  cut_list cuts = {0};
  double best[CUTS] = {0}, sum = 0;
  find_cuts(map, &cuts);
  for (uint32_t round = 0; round < ROUNDS; round++) {
    for (uint32_t k = 0; k < CUTS; k++) {
      change(map, cuts.dart[k], 0);
      if (round == 0 || watch->time < best[k]) best[k] = watch->time;
      change(map, cuts.dart[k], cuts.other[k]);
    }
  }
  for (uint32_t k = 0; k < CUTS; k++) sum += best[k];
  return sum / CUTS;
}

static double view_update(void) {
  clv_program *program = bench_program("springs");
  clv_map *map = bench_map(large);
  update_watch watch = {0};
  bench_ok(clv_map_subscribe(map, hear_begin, &watch), "subscribe", NULL);
  clv_views *views = bench_views(program, map, "stretch", 1);
  bench_ok(clv_map_subscribe(map, hear_end, &watch), "subscribe", NULL);
  const double update = time_updates(map, &watch);
  bench_contestant rebuild = {run_rebuild, views, 0};
  bench_compete(&rebuild, 1, bench_seconds, ROUNDS);
  bench_ok(clv_views_check(views, NULL, NULL), "views", clv_views_error(views));
  const double edges = (double)clv_views_rows(views, "stretch");
  printf("stretch view: rebuild %.2f ms, %.1f ns an edge; update after one unsew %.2f us\n", rebuild.best * 1e3,
         rebuild.best / edges * 1e9, update * 1e6);
  clv_map_unsubscribe(map, hear_begin, &watch);
  clv_map_unsubscribe(map, hear_end, &watch);
  clv_views_destroy(views);
  clv_map_destroy(map);
  clv_program_destroy(program);
  return rebuild.best / update;
}

// Rules: the change itself, many in one transaction that is rolled back

static double time_cuts(clv_map *map, const clv_rule *rule, const cut_list *cuts) {
  bench_ok(clv_map_begin(map), "begin", clv_map_error(map));
  const double start = bench_clock();
  for (uint32_t k = 0; k < CUTS; k++) {
    const clv_rule_argument argument = {.dart = cuts->dart[k]};
    bench_ok(rule ? clv_rule_apply(rule, map, &argument, 1, NULL, NULL) : clv_map_unsew(map, 3, cuts->dart[k]), "unsew",
             clv_map_error(map));
  }
  const double time = bench_clock() - start;
  clv_map_rollback(map);
  return time / CUTS;
}

static double rule_apply(void) {
  clv_program *program = bench_program("topology");
  clv_map *map = bench_map(large);
  const clv_rule *rule = clv_program_rule(program, "unsew3");
  if (!rule) bench_fail("there is no rule 'unsew3'");
  cut_list cuts = {0};
  find_cuts(map, &cuts);
  double by_rule = 1, by_hand = 1;
  for (uint32_t round = 0; round < 20 * ROUNDS; round++) {
    const double hand = time_cuts(map, NULL, &cuts), one = time_cuts(map, rule, &cuts);
    if (hand < by_hand) by_hand = hand;
    if (one < by_rule) by_rule = one;
  }
  printf("unsew3: %.0f ns by hand, %.0f ns by rule\n", by_hand * 1e9, by_rule * 1e9);
  clv_map_destroy(map);
  clv_program_destroy(program);
  return by_hand / by_rule;
}

bench_changes bench_measure_changes(void) {
  bench_changes changes;
  changes.two_threads = two_threads();
  changes.view_update = view_update();
  changes.rule_apply = rule_apply();
  return changes;
}
