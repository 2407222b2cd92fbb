// `cleave run`: simulates a scene and writes its results. A signal to stop is only noticed between steps, so that
// whatever ends a run, everything is written.

#include "run.h"
#include "arguments.h"
#include "preview.h"
#include "replay.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_SIZE = 4096 };

// The one thing that a signal may change.
static volatile sig_atomic_t stop_signal;

static void note_signal(int number) {
  stop_signal = number;
}

static void catch_signals(void) {
  struct sigaction action = {.sa_handler = note_signal};
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

// ---- where to -----------------------------------------------------------------------------------

// out/NAME, NAME being the scene's without its directories and its ending.
static bool default_directory(const char *scene, char path[PATH_SIZE]) {
  const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene;
  const char *point = strrchr(name, '.');
  const int length = (int)(point && point != name ? (size_t)(point - name) : strlen(name));
  return snprintf(path, PATH_SIZE, "out/%.*s", length, name) < PATH_SIZE;
}

static bool is_run(const char *directory) {
  char path[PATH_SIZE + 16];
  struct stat status;
  snprintf(path, sizeof path, "%s/run.json", directory);
  if (stat(path, &status) == 0) return true;
  snprintf(path, sizeof path, "%s/checkpoint.h5", directory);
  return stat(path, &status) == 0;
}

static bool is_empty(DIR *directory) {
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) return false;
  }
  return true;
}

// A directory that holds something else than a run is somebody's.
static int check_directory(const char *path) {
  DIR *directory = opendir(path);
  if (!directory) {
    if (errno == ENOENT) return CLI_OK;
    fprintf(stderr, "%s: %s\n", path, strerror(errno));
    return CLI_FAILURE;
  }
  const bool ours = is_run(path) || is_empty(directory);
  closedir(directory);
  if (ours) return CLI_OK;
  fprintf(stderr, "%s: holds files that are no run of Cleave; choose another directory with --out, or empty it\n",
          path);
  return CLI_FAILURE;
}

// ---- what is asked ------------------------------------------------------------------------------

typedef struct wishes {
  uint32_t steps; // 0: as time says
  double until;   // 0: as the scene says
  uint32_t threads;
  double checkpoint_every; // 0: as the scene says
} wishes;

static int read_wishes(const cli_call *call, wishes *to) {
  *to = (wishes){0};
  const char *steps = cli_value(call, "steps"), *until = cli_value(call, "until");
  const char *threads = cli_value(call, "threads"), *every = cli_value(call, "checkpoint-every");
  int result = CLI_OK;
  if (steps && until) return cli_misused(call->command, "--steps and --until both say when to end; give one of them");
  if (steps) result = cli_whole_number(call, "N", steps, 1, UINT32_MAX, &to->steps);
  if (result == CLI_OK && until) result = cli_time(call, "T", until, &to->until);
  if (result == CLI_OK && threads) result = cli_whole_number(call, "N", threads, 1, CLI_MOST_THREADS, &to->threads);
  if (result == CLI_OK && every) result = cli_time(call, "T", every, &to->checkpoint_every);
  return result;
}

static double steps_until(double until, double step) {
  return fmin(fmax(ceil(until / step - 1e-9), 1), 1e18);
}

static uint64_t count_steps(const wishes *wish, double until, double step) {
  return wish->steps ? wish->steps : (uint64_t)steps_until(wish->until > 0 ? wish->until : until, step);
}

// ---- the run ------------------------------------------------------------------------------------

typedef struct job {
  const cli_call *call;
  wishes wish;
  clv_scene *scene;
  clv_world *world;
  clv_recorder *recorder;
  cli_run_state run;
  uint64_t finer; // steps before which cells became smaller
  char directory[PATH_SIZE], ended[1100];
} job;

static int fail_with(const clv_error *error) {
  return cli_failed(error->message[0] ? error->message : "cleave: failed without a word");
}

static void warn_of_large_step(job *j) {
  const double before = j->run.stable;
  j->run.stable = INFINITY;
  for (uint32_t b = 0; b < clv_world_bodies(j->world); b++) {
    double stable = INFINITY;
    if (clv_solver_stable_step(clv_world_solver(j->world, b), &stable) != CLV_OK) continue;
    j->run.stable = fmin(j->run.stable, stable);
    const double step = j->run.step / clv_world_parts(j->world, b);
    if (step <= stable) continue;
    j->run.unstable = true;
    if (step > before) continue; // it was said before
    fprintf(stderr,
            "%s: warning: a step of %g s is too large for body '%s' with this method; it is stable up to %.3g s: take "
            "less, or 'step: auto'\n",
            j->run.scene, step, clv_world_body_name(j->world, b), stable);
  }
}

// Smaller cells need smaller steps. A stable step costs as much as many steps, and a tool may refine before each of
// them: so it is asked for when there were 1, 2, 4, 8 ... of them.
static void notice_smaller_cells(job *j, const clv_surgery_report *did) {
  if (!did->refined && !did->split && !did->moved) return;
  j->finer++;
  if ((j->finer & (j->finer - 1)) == 0) warn_of_large_step(j);
}

// An event that finds nothing to do may be a slip of the pen: it is told, with its place.
static void notice_vain_events(const job *j) {
  const char *sentence;
  uint32_t label = 0, line, column;
  for (uint32_t k = 0; (sentence = clv_world_vain(j->world, k, &label)); k++) {
    if (clv_scene_event_place(j->scene, label, &line, &column))
      fprintf(stderr, "%s:%u:%u: warning: %s\n", j->run.scene, line, column, sentence);
    else
      fprintf(stderr, "%s: warning: %s\n", j->run.scene, sentence);
  }
}

void cli_run_warn_of_late_events(const clv_scene *scene, const char *path, double until, double step) {
  const double last = (steps_until(until, step) - 1) * step;
  for (uint32_t label = 1, line, column; clv_scene_event_place(scene, label, &line, &column); label++)
    if (clv_scene_event_time(scene, label) > last + 1e-9 * step)
      fprintf(
          stderr,
          "%s:%u:%u: warning: the event at %g s is never due: the last step begins at %g s; let it come earlier, or "
          "'until' later\n",
          path, line, column, clv_scene_event_time(scene, label), last);
}

static int open_recorder(job *j) {
  clv_recorder_def def = *clv_scene_output(j->scene);
  def.directory = j->directory;
  if (j->wish.checkpoint_every > 0) def.checkpoint_every = j->wish.checkpoint_every;
  if (j->wish.threads) def.threads = j->wish.threads;
  clv_error error = {0};
  const bool resume = cli_flag(j->call, "resume");
  j->recorder = resume ? clv_recorder_resume(j->world, &def, &error) : clv_recorder_create(j->world, &def, &error);
  return j->recorder ? CLI_OK : fail_with(&error);
}

// Steps until the end, a signal or a failure; says how it ended.
static int step_on(job *j) {
  cli_run_state *run = &j->run;
  cli_progress progress = cli_progress_begin(run->first_step, cli_flag(j->call, "json"));
  const double start = cli_seconds();
  int result = CLI_OK;
  snprintf(j->ended, sizeof j->ended, "finished");
  while (result == CLI_OK && run->last_step < run->total_steps) {
    if (stop_signal) {
      snprintf(j->ended, sizeof j->ended, "interrupted");
      result = CLI_SIGNAL + (int)stop_signal;
      break;
    }
    clv_world_report report = {0};
    clv_error error = {0};
    if (clv_world_step(j->world, &report) != CLV_OK) {
      cli_run_count_events(run, &report);
      snprintf(j->ended, sizeof j->ended, "failed: %s", clv_world_error(j->world));
      result = CLI_FAILURE;
      break;
    }
    cli_run_count(run, &report);
    notice_smaller_cells(j, &report.surgery);
    notice_vain_events(j);
    const double before = cli_seconds();
    if (clv_recorder_step(j->recorder, &error) != CLV_OK) {
      snprintf(j->ended, sizeof j->ended, "failed: %s", error.message);
      result = CLI_FAILURE;
    }
    run->output_seconds += cli_seconds() - before;
    cli_progress_step(&progress, run->last_step, run->total_steps, run->step);
  }
  run->seconds = cli_seconds() - start;
  cli_progress_end(&progress);
  return result;
}

// With the place of the event, where it was one that failed.
static void complain(const job *j) {
  uint32_t line, column;
  if (clv_scene_event_place(j->scene, clv_world_culprit(j->world), &line, &column))
    fprintf(stderr, "%s:%u:%u: %s\n", j->run.scene, line, column, clv_world_error(j->world));
  else
    fprintf(stderr, "%s: %s\n", j->run.scene, j->ended);
}

static int close_recorder(job *j, int result) {
  clv_error error = {0};
  const double before = cli_seconds();
  const clv_result closed = clv_recorder_close(j->recorder, j->ended, &error);
  j->recorder = NULL;
  const double seconds = cli_seconds() - before;
  j->run.output_seconds += seconds;
  j->run.seconds += seconds;
  if (result == CLI_FAILURE) complain(j);
  if (closed == CLV_OK) return result;
  fail_with(&error);
  return result == CLI_OK ? CLI_FAILURE : result;
}

static int run_world(job *j) {
  cli_run_state *run = &j->run;
  run->step = clv_world_get_step(j->world);
  run->stable = INFINITY;
  warn_of_large_step(j);
  const double asked = fmax(j->wish.until, j->wish.steps * run->step); // who asks for less knows what is left out
  cli_run_warn_of_late_events(j->scene, run->scene, fmax(clv_scene_until(j->scene), asked), run->step);
  int result = open_recorder(j);
  if (result != CLI_OK) return result;
  run->first_step = run->last_step = clv_world_steps(j->world);
  run->first_time = run->time = clv_world_time(j->world);
  run->total_steps = count_steps(&j->wish, clv_scene_until(j->scene), run->step);
  if (cli_run_energies(j->world, &run->before) != CLV_OK) run->before = (clv_energies){NAN, NAN, NAN};
  result = step_on(j);
  if (j->finer) warn_of_large_step(j);
  if (cli_run_energies(j->world, &run->after) != CLV_OK) run->after = (clv_energies){NAN, NAN, NAN};
  run->strain = cli_run_strain(j->world);
  run->hash = clv_world_hash(j->world);
  run->ended = j->ended;
  result = close_recorder(j, result);
  if (cli_flag(j->call, "json")) {
    cli_run_print_json(run);
  } else {
    cli_run_print(run);
    if (cli_flag(j->call, "preview") && result == CLI_OK) result = cli_preview(j->world);
  }
  return result;
}

static int choose_directory(job *j) {
  const char *asked = cli_value(j->call, "out");
  if (!asked) asked = clv_scene_output(j->scene)->directory;
  const bool fits = asked ? snprintf(j->directory, PATH_SIZE, "%s", asked) < PATH_SIZE
                          : default_directory(j->run.scene, j->directory);
  if (!fits) return cli_failed("cleave: the name of the directory is too long");
  j->run.directory = j->directory;
  if (!cli_flag(j->call, "resume")) return check_directory(j->directory);
  if (is_run(j->directory)) return CLI_OK;
  fprintf(stderr, "%s: holds no run to go on with; leave --resume out to start one\n", j->directory);
  return CLI_FAILURE;
}

static int run_scene(job *j) {
  clv_error error = {0};
  j->scene = clv_scene_read(j->run.scene, NULL, &error);
  if (!j->scene) return fail_with(&error);
  j->run.title = clv_scene_title(j->scene);
  int result = choose_directory(j);
  if (result != CLI_OK) return result;
  j->world = clv_scene_world(j->scene, j->wish.threads, &error);
  if (!j->world) return fail_with(&error);
  catch_signals();
  return run_world(j);
}

static int run_run(const cli_call *call) {
  job j = {.call = call, .run = {.scene = call->words[0]}};
  int result = read_wishes(call, &j.wish);
  if (result == CLI_OK && cli_is_replay(call->words[0])) return cli_run_replay(call, j.wish.threads);
  if (result == CLI_OK) result = run_scene(&j);
  clv_world_destroy(j.world);
  clv_scene_destroy(j.scene);
  return result;
}

const cli_command cli_run = {
    .name = "run",
    .what = "simulate a scene and write its results",
    .words = "SCENE",
    .min_words = 1,
    .max_words = 1,
    .options =
        {
            {.name = "steps", .value_count = 1, .values = "N", .what = "end after step N"},
            {.name = "until", .value_count = 1, .values = "T", .what = "end at time T, in seconds"},
            {.name = "threads",
             .value_count = 1,
             .values = "N",
             .what = "work on N threads; the same results for any N"},
            {.name = "out", .letter = 'o', .value_count = 1, .values = "DIR", .what = "where the results go"},
            {.name = "checkpoint-every", .value_count = 1, .values = "T", .what = "of simulated time, in seconds"},
            {.name = "resume", .what = "go on from the last checkpoint in DIR"},
            {.name = "preview", .what = "show a small picture at the end, where the terminal can"},
            {.name = "json", .what = "print the table at the end as one JSON object"},
        },
    .help =
        "Simulates SCENE, a YAML file (docs/scenes.md), until the time it says, and writes frames, energies, probes "
        "and\n"
        "checkpoints. They go to --out, to what the scene says, or to out/NAME; a directory with anything but a run "
        "in\n"
        "it is left alone.\n"
        "\n"
        "Shows a bar with the time left on a terminal, a line now and then elsewhere; at the end, how many steps it "
        "took,\n"
        "where the time went, energies, the largest strain, residuals and rejected steps.\n"
        "\n"
        "A replay that 'cleave view' recorded may stand in place of SCENE: it is done again, and must end in the same "
        "bits.\n"
        "\n"
        "Ctrl-C (or SIGTERM) ends the run after the step that is being done, with everything written; 'cleave run\n"
        "--resume' then goes on, and ends in the same bits as if it had not been stopped. The exit status is then 128\n"
        "and the number of the signal.\n"
        "\n"
        "  cleave run examples/01_cantilever.yaml\n"
        "  cleave run examples/01_cantilever.yaml --until 0.5 --threads 2 --out /tmp/beam --json\n",
    .run = run_run,
};
