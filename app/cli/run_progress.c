// How far a run is. See run.h.

#include "run.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

double cli_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// With --json, standard output belongs to the object at the end; a bar goes to standard error in any case.
cli_progress cli_progress_begin(uint64_t first_step, bool json) {
  const bool terminal = isatty(STDERR_FILENO) == 1;
  const double now = cli_seconds();
  return (cli_progress){
      .bar = terminal, .lines = !terminal && !json, .start = now, .last = now, .first_step = first_step};
}

typedef struct duration {
  char text[32];
} duration;

static duration show_duration(double seconds) {
  duration shown;
  const uint64_t whole = (uint64_t)(seconds + 0.5);
  if (seconds < 100) {
    snprintf(shown.text, sizeof shown.text, "%.0f s", seconds);
  } else if (whole < 3600) {
    snprintf(shown.text, sizeof shown.text, "%" PRIu64 ":%02" PRIu64 " min", whole / 60, whole % 60);
  } else {
    snprintf(shown.text, sizeof shown.text, "%" PRIu64 ":%02" PRIu64 " h", whole / 3600, whole / 60 % 60);
  }
  return shown;
}

static void draw(const cli_progress *progress, uint64_t step, uint64_t total, double dt, double now) {
  enum { WIDTH = 30 };
  const double share = (double)step / (double)total, elapsed = now - progress->start;
  const double done = (double)(step - progress->first_step), left = elapsed / done * (double)(total - step);
  const double speed = done * dt / elapsed;
  if (progress->bar) {
    char bar[WIDTH + 1] = {0};
    for (int i = 0; i < WIDTH; i++) bar[i] = (double)i < share * WIDTH ? '#' : '.';
    fprintf(stderr, "\r[%s] %3.0f %%  t = %.4g s  %s left  %.3g x real time \x1b[K", bar, 100 * share,
            (double)step * dt, show_duration(left).text, speed);
    fflush(stderr);
  } else {
    printf("%3.0f %%  step %" PRIu64 " of %" PRIu64 ", t = %.4g s, %s left, %.3g x real time\n", 100 * share, step,
           total, (double)step * dt, show_duration(left).text, speed);
    fflush(stdout);
  }
}

void cli_progress_step(cli_progress *progress, uint64_t step, uint64_t total, double dt) {
  if (!progress->bar && !progress->lines) return;
  const double now = cli_seconds();
  const int tenth = (int)(10 * step / total);
  const bool due = progress->bar ? now - progress->last > 0.1 || step == total
                                 : (tenth > progress->tenth && now - progress->last > 0.5) || now - progress->last > 5;
  if (!due) return;
  draw(progress, step, total, dt, now);
  progress->last = now;
  progress->tenth = tenth;
}

void cli_progress_end(cli_progress *progress) {
  if (progress->bar) fputs("\r\x1b[K", stderr);
}
