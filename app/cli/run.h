// A run of a scene: what is counted while it goes on, and how it is shown.

#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli.h"

typedef struct cli_run {
  const char *scene; // the file
  const char *title;
  const char *directory;
  const char *ended; // "finished", "interrupted", "failed: ..."
  uint64_t first_step, last_step, total_steps;
  double step, first_time, time;
  clv_energies before, after;
  uint64_t hash; // of the world at the end: equal for equal bits
  double strain; // the largest stretch or compression of a cell at the end, as a part of its length
  double stable; // the largest stable step; INFINITY for implicit methods
  bool unstable; // the step was found larger than that
  // sums over steps
  clv_surgery_report surgery;
  uint64_t divided;                 // steps that a body made in parts
  uint32_t least_parts, most_parts; // of those
  uint64_t events, vain, topology, rejected, linear_iterations, newton_iterations, unconverged;
  double residual, largest_residual;
  clv_linear linear;
  double seconds; // of the whole loop, and parts of it
  double event_seconds, force_seconds, solve_seconds, step_seconds, output_seconds;
} cli_run_state;

// Seconds of a clock that only goes forward.
double cli_seconds(void);

// Adds what events did before a step; that stands also where the step failed.
void cli_run_count_events(cli_run_state *run, const clv_world_report *report);
// Adds what one step did.
void cli_run_count(cli_run_state *run, const clv_world_report *report);
// Energies and the largest strain of all bodies.
clv_result cli_run_energies(clv_world *world, clv_energies *energies);
double cli_run_strain(const clv_world *world);

// Tells, on stderr, of the events of a scene that a run until then does not come to.
void cli_run_warn_of_late_events(const clv_scene *scene, const char *path, double until, double step);

// Progress: a bar that is drawn again and again on a terminal, a line now and then elsewhere.
typedef struct cli_progress {
  bool bar, lines;
  double start, last;
  uint64_t first_step;
  int tenth; // of the lines that were printed
} cli_progress;

cli_progress cli_progress_begin(uint64_t first_step, bool json);
void cli_progress_step(cli_progress *progress, uint64_t step, uint64_t total, double dt);
void cli_progress_end(cli_progress *progress);

// The end: a table for people, or one object for programs.
void cli_run_print(const cli_run_state *run);
void cli_run_print_json(const cli_run_state *run);

#endif
