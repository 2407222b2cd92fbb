#include "peer.h"

#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Starts the program with its standard output as a stream.
static pid_t start(char *const *words, FILE **output) {
  int ends[2];
  if (pipe(ends)) bench_fail("cannot make a pipe");
  posix_spawn_file_actions_t actions;
  pid_t child = 0;
  int error = posix_spawn_file_actions_init(&actions);
  if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (!error) error = posix_spawn_file_actions_addclose(&actions, ends[0]);
  if (!error) error = posix_spawn_file_actions_addclose(&actions, ends[1]);
  if (!error) error = posix_spawn(&child, words[0], &actions, NULL, words, environ);
  if (error) bench_fail("cannot run %s: %s", words[0], strerror(error));
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  *output = fdopen(ends[0], "r");
  if (!*output) bench_fail("cannot read what %s prints", words[0]);
  return child;
}

static void finish(pid_t child, FILE *output, const char *program) {
  fclose(output);
  int status;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    bench_fail("%s failed", program);
}

static void take_count(const bench_counts *expected, const char *name, double value) {
  const struct {
    const char *name;
    size_t count;
  } known[] = {
      {"cells", expected->cells},
      {"vertices", expected->vertices},
      {"edges", expected->edges},
      {"faces", expected->faces},
      {"vertex_incidences", expected->vertex_incidences},
      {"edge_incidences", expected->edge_incidences},
      {"plane_faces", expected->plane_faces},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(name, known[i].name) == 0) bench_check(name, (uint64_t)value, known[i].count);
}

static void take_figure(bench_peer_figures *figures, const char *name, double value) {
  for (int f = 0; f < BENCH_FIGURES; f++) {
    const char *known = bench_figure_defs[f].name;
    const size_t length = strlen(known);
    if (strncmp(name, known, length) != 0) continue;
    if (strcmp(name + length, "") == 0) figures->documented.of[f] = value;
    if (strcmp(name + length, "_tuned") == 0) figures->tuned.of[f] = value;
  }
}

static void take_line(bench_peer_figures *figures, const bench_counts *expected, const char *line) {
  char name[64], unit[32];
  double value;
  if (sscanf(line, "# %79[^\n]", figures->title) == 1) return;
  if (sscanf(line, "PEER %63s %lf %31s", name, &value, unit) != 3) return;
  if (strcmp(unit, "count") == 0)
    take_count(expected, name, value);
  else
    take_figure(figures, name, value);
}

bench_peer_figures bench_peer_run(const char *program, const bench_lattice *lattice, int repetitions) {
  char path[4096], shape[8], n[16], repeat[16];
  snprintf(path, sizeof path, "%s", program);
  snprintf(shape, sizeof shape, "%s", bench_shape_name(lattice->shape));
  snprintf(n, sizeof n, "%u", lattice->n);
  snprintf(repeat, sizeof repeat, "%d", repetitions);

  bench_peer_figures figures = {.title = "peer"};
  for (int f = 0; f < BENCH_FIGURES; f++) figures.documented.of[f] = figures.tuned.of[f] = NAN;
  FILE *output;
  const pid_t child = start((char *[]){path, shape, n, repeat, NULL}, &output);
  char line[256];
  while (fgets(line, sizeof line, output)) take_line(&figures, &lattice->expected, line);
  finish(child, output, program);

  for (int f = 0; f < BENCH_FIGURES; f++)
    if (isnan(figures.documented.of[f]) || isnan(figures.tuned.of[f]))
      bench_fail("%s did not print %s both ways", program, bench_figure_defs[f].name);
  return figures;
}
