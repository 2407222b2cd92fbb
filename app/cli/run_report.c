// What a run was: a table, or the same as JSON. See run.h.

#include "json.h"
#include "run.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// What surgery did, and how a count of it is told.
static const struct {
  size_t offset;
  const char *name, *one, *many;
} operations[] = {
    {offsetof(clv_surgery_report, facets), "facets_cut", "facet cut", "facets cut"},
    {offsetof(clv_surgery_report, vertices), "vertices_parted", "vertex parted", "vertices parted"},
    {offsetof(clv_surgery_report, removed), "cells_removed", "cell removed", "cells removed"},
    {offsetof(clv_surgery_report, refined), "cells_refined", "cell refined", "cells refined"},
    {offsetof(clv_surgery_report, coarsened), "cells_coarsened", "cell put together again", "cells put together again"},
    {offsetof(clv_surgery_report, split), "cells_split", "cell split", "cells split"},
    {offsetof(clv_surgery_report, moved), "vertices_moved", "vertex moved", "vertices moved"},
    {offsetof(clv_surgery_report, refused), "places_refused", "place left as it was", "places left as they were"},
    {offsetof(clv_surgery_report, stuck), "vertices_stuck", "vertex stuck", "vertices stuck"},
    {offsetof(clv_surgery_report, made), "cells_made", "cell made", "cells made"},
    {offsetof(clv_surgery_report, applied), "rules_applied", "rule applied", "rules applied"},
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static uint32_t *operation_count(clv_surgery_report *report, uint32_t k) {
  return (uint32_t *)(void *)((char *)report + operations[k].offset);
}

void cli_run_count_events(cli_run_state *run, const clv_world_report *report) {
  run->events += report->events;
  run->vain += report->vain;
  run->topology += report->topology;
  clv_surgery_report did = report->surgery;
  for (uint32_t k = 0; k < OPERATIONS; k++) *operation_count(&run->surgery, k) += *operation_count(&did, k);
  run->surgery.gained += did.gained;
  run->surgery.strained += did.strained;
}

void cli_run_count(cli_run_state *run, const clv_world_report *report) {
  const clv_step_report *solver = &report->solver;
  run->last_step = report->step;
  run->time = report->time;
  cli_run_count_events(run, report);
  if (report->parts > 1) {
    run->least_parts = run->divided && run->least_parts < report->parts ? run->least_parts : report->parts;
    run->most_parts = run->most_parts > report->parts ? run->most_parts : report->parts;
    run->divided++;
  }
  run->rejected += solver->rejected;
  run->linear_iterations += solver->linear_iterations;
  run->newton_iterations += solver->newton_iterations;
  run->unconverged += !solver->converged;
  run->residual = solver->residual;
  run->largest_residual = fmax(run->largest_residual, solver->residual);
  run->linear = solver->linear;
  run->event_seconds += report->events_seconds;
  run->force_seconds += solver->force_seconds;
  run->solve_seconds += solver->solve_seconds;
  run->step_seconds += report->total_seconds;
}

clv_result cli_run_energies(clv_world *world, clv_energies *energies) {
  *energies = (clv_energies){0};
  for (uint32_t b = 0; b < clv_world_bodies(world); b++) {
    clv_energies part;
    const clv_result result = clv_body_energies(clv_world_body(world, b), &part);
    if (result) return result;
    energies->kinetic += part.kinetic;
    energies->elastic += part.elastic;
    energies->gravitational += part.gravitational;
  }
  return CLV_OK;
}

double cli_run_strain(const clv_world *world) {
  double largest = 0;
  for (uint32_t b = 0; b < clv_world_bodies(world); b++) {
    const clv_body *body = clv_world_body(world, b);
    const clv_map *map = clv_body_map(body);
    for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
      for (uint32_t row = 0; row < clv_cell_rows(map, (clv_kind)kind); row++) {
        const clv_dart cell = clv_cell_at(map, (clv_kind)kind, row);
        if (!cell) continue;
        clv_cell_state state;
        clv_body_cell_state(body, cell, &state);
        largest = fmax(largest, fmax(fabs(state.stretch[0] - 1), fabs(state.stretch[1] - 1)));
      }
    }
  }
  return largest;
}

static uint64_t steps_done(const cli_run_state *run) {
  return run->last_step - run->first_step;
}

static double other_seconds(const cli_run_state *run) {
  const double known = run->event_seconds + run->force_seconds + run->solve_seconds + run->output_seconds;
  return fmax(0, run->seconds - known);
}

// ---- for people ---------------------------------------------------------------------------------

static void print_share(const char *name, double seconds, double all) {
  printf("  %-12s %9.3f s  %5.1f %%\n", name, seconds, all > 0 ? 100 * seconds / all : 0);
}

static void print_times(const cli_run_state *run) {
  const uint64_t steps = steps_done(run);
  printf("steps          %s of %g s, to t = %g s\n", cli_grouped(steps).text, run->step, run->time);
  printf("time           %.3f s, %.4g ms a step, %.3g x real time\n", run->seconds,
         steps ? 1e3 * run->seconds / (double)steps : 0,
         run->seconds > 0 ? (run->time - run->first_time) / run->seconds : 0);
  print_share("events", run->event_seconds, run->seconds);
  print_share("forces", run->force_seconds, run->seconds);
  print_share("solving", run->solve_seconds, run->seconds);
  print_share("output", run->output_seconds, run->seconds);
  print_share("other", other_seconds(run), run->seconds);
}

// Steps that were left open, and became too long on the way.
static void print_parts(const cli_run_state *run) {
  if (!run->divided) return;
  printf("divided        %s into ", cli_counted(run->divided, "step", "steps").text);
  if (run->least_parts < run->most_parts) printf("%s to ", cli_grouped(run->least_parts).text);
  printf("%s, of %.3g s at least\n", cli_counted(run->most_parts, "part", "parts").text, run->step / run->most_parts);
}

static void print_solves(const cli_run_state *run) {
  if (run->rejected)
    printf("rejected       %s, tried again with half the time\n", cli_counted(run->rejected, "step", "steps").text);
  if (run->linear_iterations) {
    printf("solves         %s (%s)", cli_counted(run->linear_iterations, "iteration", "iterations").text,
           clv_linear_name(run->linear));
    if (run->newton_iterations) printf(", %s of Newton's method", cli_grouped(run->newton_iterations).text);
    putchar('\n');
  } else if (run->newton_iterations) {
    printf("solves         %s of Newton's method (%s)\n", cli_grouped(run->newton_iterations).text,
           clv_linear_name(run->linear));
  }
  if (run->largest_residual > 0) printf("residual       %.2e, at most %.2e\n", run->residual, run->largest_residual);
  if (run->unconverged) {
    printf("unconverged    %s that a bound on iterations ended\n", cli_counted(run->unconverged, "step", "steps").text);
  }
}

static void print_surgery(const cli_run_state *run) {
  clv_surgery_report surgery = run->surgery;
  const char *before = "surgery        ";
  for (uint32_t k = 0; k < OPERATIONS; k++) {
    const uint32_t count = *operation_count(&surgery, k);
    if (count == 0) continue;
    printf("%s%s", before, cli_counted(count, operations[k].one, operations[k].many).text);
    before = ", ";
  }
  if (before[0] == ',') puts("");
  if (surgery.gained != 0) printf("mass           %+.6g kg by rules\n", surgery.gained);
  if (isnan(surgery.strained)) puts("strained       by slices, and nobody knows how much");
  const double worth = 1e-9 * (run->after.kinetic + fabs(run->after.elastic)); // of a line
  if (surgery.strained > worth) printf("strained       %+.6g J by slices\n", surgery.strained);
}

void cli_run_print(const cli_run_state *run) {
  printf("%s: %s", run->scene, run->ended);
  puts("");
  print_times(run);
  print_parts(run);
  if (run->events) {
    printf("events         %" PRIu64 "%s", run->events, run->topology ? ", with changes of topology" : "");
    if (run->vain) printf(", %" PRIu64 " found nothing to do", run->vain);
    puts("");
  }
  print_surgery(run);
  print_solves(run);
  printf("energy         %12s %12s %12s\n", "kinetic", "elastic", "gravity");
  printf("  at first     %12.5g %12.5g %12.5g J\n", run->before.kinetic, run->before.elastic,
         run->before.gravitational);
  printf("  at last      %12.5g %12.5g %12.5g J\n", run->after.kinetic, run->after.elastic, run->after.gravitational);
  printf("largest strain %.3g %%\n", 100 * run->strain);
  if (run->unstable) puts("UNSTABLE       the step was too large for the method: do not trust what came out");
  printf("hash           %016" PRIx64 "\n", run->hash);
  printf("results        %s\n", run->directory);
}

// ---- for programs -------------------------------------------------------------------------------

static void print_energies(cli_json *json, const char *name, const clv_energies *energies) {
  cli_json_open(json, name, '{');
  cli_json_real(json, "kinetic", energies->kinetic);
  cli_json_real(json, "elastic", energies->elastic);
  cli_json_real(json, "gravitational", energies->gravitational);
  cli_json_close(json, '}');
}

void cli_run_print_json(const cli_run_state *run) {
  cli_json json = {.stream = stdout};
  const uint64_t steps = steps_done(run);
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "scene", run->scene);
  cli_json_text(&json, "title", run->title);
  cli_json_text(&json, "results", run->directory);
  cli_json_text(&json, "ended", run->ended);
  cli_json_count(&json, "steps", steps);
  cli_json_count(&json, "first_step", run->first_step);
  cli_json_real(&json, "step", run->step);
  cli_json_real(&json, "stable_step", run->stable);
  cli_json_bool(&json, "unstable", run->unstable);
  cli_json_count(&json, "divided_steps", run->divided);
  cli_json_count(&json, "most_parts", run->divided ? run->most_parts : 1);
  cli_json_real(&json, "time", run->time);
  cli_json_open(&json, "seconds", '{');
  cli_json_real(&json, "total", run->seconds);
  cli_json_real(&json, "per_step", steps ? run->seconds / (double)steps : NAN);
  cli_json_real(&json, "events", run->event_seconds);
  cli_json_real(&json, "forces", run->force_seconds);
  cli_json_real(&json, "solving", run->solve_seconds);
  cli_json_real(&json, "output", run->output_seconds);
  cli_json_real(&json, "other", other_seconds(run));
  cli_json_close(&json, '}');
  cli_json_real(&json, "real_time_factor", run->seconds > 0 ? (run->time - run->first_time) / run->seconds : NAN);
  cli_json_count(&json, "events", run->events);
  cli_json_count(&json, "events_in_vain", run->vain);
  clv_surgery_report surgery = run->surgery;
  cli_json_open(&json, "surgery", '{');
  for (uint32_t k = 0; k < OPERATIONS; k++) cli_json_count(&json, operations[k].name, *operation_count(&surgery, k));
  cli_json_real(&json, "mass_gained_by_rules", surgery.gained);
  cli_json_real(&json, "energy_gained_by_slices", surgery.strained);
  cli_json_close(&json, '}');
  cli_json_count(&json, "rejected", run->rejected);
  cli_json_count(&json, "linear_iterations", run->linear_iterations);
  cli_json_count(&json, "newton_iterations", run->newton_iterations);
  cli_json_count(&json, "unconverged_steps", run->unconverged);
  cli_json_real(&json, "residual", run->residual);
  cli_json_real(&json, "largest_residual", run->largest_residual);
  cli_json_open(&json, "energies", '{');
  print_energies(&json, "first", &run->before);
  print_energies(&json, "last", &run->after);
  cli_json_close(&json, '}');
  cli_json_real(&json, "largest_strain", run->strain);
  char hash[17];
  snprintf(hash, sizeof hash, "%016" PRIx64, run->hash);
  cli_json_text(&json, "hash", hash);
  cli_json_close(&json, '}');
}
