// The engine: commands, steps, pace.
//
// Between two steps it takes what clients said, in the order in which it came. Pace is kept by the clock: a step is due
// when real time times the factor has come to its beginning. An engine that is too slow for that goes as fast as it
// can, and never tries to catch up with more than a quarter of a second.

#include "live/live.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

enum { NEWS_PER_SECOND = 4, MANY_TRIES = 20, MANY_STEPS = 3 };

double live_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Lines for the news: the last few.
void live_note(clv_live *live, bool warning, const char *format, ...) {
  const uint32_t most = warning ? LIVE_WARNING_LINES : LIVE_JOURNAL_LINES;
  uint32_t *count = &live->line_count[warning];
  char(*lines)[240] = live->lines[warning];
  if (*count == most) {
    memmove(lines, lines + 1, (most - 1) * sizeof *lines);
    --*count;
  }
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(lines[(*count)++], sizeof *lines, format, arguments);
  va_end(arguments);
  live->newsed = 0;
}

// ---- commands -----------------------------------------------------------------------------------

static void answer(clv_live *live, const live_command *command) {
  clv_error error = {CLV_OK, ""};
  live_text *text = &live->text;
  text->bytes.count = 0;
  live_say(text, "{\"re\": %.0f, \"ok\": true", command->seq);
  const bool done = live_act(live, command, text, &error);
  if (done && live_verb_changes(command->verb)) live_remember(live, command);
  if (!command->asked) {
    if (!done)
      live_note(live, true, "step %llu: %s refused: %s",
                (unsigned long long)(live->world ? clv_world_steps(live->world) : live->frame),
                live_verb_name(command->verb), error.message);
    return;
  }
  if (!done) {
    text->bytes.count = 0;
    live_say(text, "{\"re\": %.0f, \"ok\": false, \"error\": ", command->seq);
    live_say_text(text, error.message);
  }
  live_say(text, "}");
  live_post(live, command->client, text);
}

void live_obey(clv_live *live) {
  pthread_mutex_lock(&live->post_lock);
  live->working.count = 0;
  if (BASE_RESERVE(&live->allocator, &live->working, live->inbox.count) && live->inbox.count) {
    memcpy(live->working.data, live->inbox.data, live->inbox.count * sizeof *live->inbox.data);
    live->working.count = live->inbox.count;
    live->inbox.count = 0;
  }
  pthread_mutex_unlock(&live->post_lock);
  for (uint32_t k = 0; k < live->working.count; k++) {
    live_command *command = &live->working.data[k];
    if (command->verb == LIVE_VERBS) {
      live_remember_drop(live, command->client);
      live_leave_engine(live, command->client);
      continue;
    }
    answer(live, command);
    base_free(&live->allocator, command->text, command->length + 1u);
  }
  live->working.count = 0;
}

// ---- steps --------------------------------------------------------------------------------------

static void count_step(clv_live *live, const clv_world_report *report) {
  clv_world_report *sums = &live->sums;
  sums->events_seconds += report->events_seconds;
  sums->total_seconds += report->total_seconds;
  sums->solver.force_seconds += report->solver.force_seconds;
  sums->solver.solve_seconds += report->solver.solve_seconds;
  live->sum_steps++;
  if (report->topology)
    live_note(live, false, "step %llu: %u facets cut, %u cells removed, %u refined, %u coarsened",
              (unsigned long long)report->step, report->surgery.facets, report->surgery.removed,
              report->surgery.refined, report->surgery.coarsened);
  if (report->parts != live->parts && (report->parts > 1 || live->parts > 1))
    live_note(live, false, "step %llu: from here on in parts of %.3g s", (unsigned long long)report->step,
              clv_world_get_step(live->world) / report->parts);
  live->parts = report->parts;
  if (report->solver.rejected)
    live_note(live, true, "step %llu: %u tries were rejected, and halved", (unsigned long long)report->step,
              report->solver.rejected);
}

// The longest step that explicit methods stand; INFINITY where all are implicit.
static double stable_step(const clv_live *live) {
  double least = INFINITY, stable = 0;
  for (uint32_t b = 0; b < live->body_count; b++) {
    clv_solver *solver = clv_world_solver(live->world, b);
    const clv_method method = clv_solver_get_def(solver)->method;
    const bool is_explicit = method == CLV_SYMPLECTIC_EULER || method == CLV_HEUN || method == CLV_RK4;
    if (is_explicit && clv_solver_stable_step(solver, &stable) == CLV_OK) least = fmin(least, stable);
  }
  return least;
}

// Steps that are only made in tiny parts come to nothing, and keep everybody waiting: who looks on shall decide.
static void pause_if_hopeless(clv_live *live, const clv_world_report *report) {
  live->hopeless = report->solver.rejected > MANY_TRIES ? live->hopeless + 1 : 0;
  if (live->hopeless < MANY_STEPS) return;
  const double stable = stable_step(live);
  live->hopeless = 0;
  live->paused = true;
  live->steps_wanted = 0;
  if (isfinite(stable))
    live_note(live, true, "step %llu: paused, for step after step was rejected and halved: at most %.2g s are stable",
              (unsigned long long)report->step, stable);
  else
    live_note(live, true, "step %llu: paused, for step after step was rejected and halved: a shorter step will do",
              (unsigned long long)report->step);
}

clv_result live_step(clv_live *live) {
  if (live->series) {
    clv_error error = {CLV_OK, ""};
    const bool last = live->frame + 1 >= clv_series_frames(live->series);
    if (last) live->paused = true;
    return last ? CLV_OK : live_result_seek(live, live->frame + 1, &error);
  }
  clv_world_report report = {0};
  live->tick++;
  const bool pulled = live_grab_pull(live);
  const clv_result result = pulled ? clv_world_step(live->world, &report) : CLV_ERROR_MEMORY;
  live->changed = true;
  if (result == CLV_OK) {
    count_step(live, &report);
    pause_if_hopeless(live, &report);
    return CLV_OK;
  }
  live->paused = true;
  live->steps_wanted = 0;
  live_note(live, true, "step %llu rejected, and paused: %s", (unsigned long long)clv_world_steps(live->world) + 1,
            pulled ? clv_world_error(live->world) : "out of memory");
  return result;
}

// ---- pace ---------------------------------------------------------------------------------------

static double time_now(const clv_live *live) {
  return live->series ? clv_series_time(live->series, live->frame) : clv_world_time(live->world);
}

// When the next step ends; it is due when its beginning has come.
static double time_next(clv_live *live) {
  if (live->series) return clv_series_time(live->series, live->frame + 1);
  return clv_world_time(live->world);
}

// Seconds until the next step is due; 0: now; INFINITY: when somebody says so.
static double seconds_to_step(clv_live *live, double now) {
  if (live->paused) return live->steps_wanted ? 0 : INFINITY;
  if (live->factor <= 0) return 0;
  const double time = time_now(live);
  if (live->paced_wall < 0 || time < live->paced_time) {
    live->paced_wall = now;
    live->paced_time = time;
  }
  double due = live->paced_wall + (time_next(live) - live->paced_time) / live->factor;
  if (due < now - 0.25) { // too slow: the clock is set right
    live->paced_wall = now;
    live->paced_time = time;
    due = now;
  }
  return fmax(0, due - now);
}

static bool wait_for(clv_live *live, double seconds) {
  struct timespec until;
  clock_gettime(CLOCK_MONOTONIC, &until);
  seconds = fmin(seconds, 0.25);
  const double whole = floor(seconds);
  until.tv_sec += (time_t)whole;
  until.tv_nsec += (long)(1e9 * (seconds - whole));
  if (until.tv_nsec >= 1000000000L) {
    until.tv_sec++;
    until.tv_nsec -= 1000000000L;
  }
  pthread_mutex_lock(&live->post_lock);
  if (!live->quitting && !live->inbox.count && seconds > 0)
    pthread_cond_timedwait(&live->called, &live->post_lock, &until);
  const bool goes_on = !live->quitting;
  pthread_mutex_unlock(&live->post_lock);
  return goes_on;
}

void *live_engine(void *user) {
  clv_live *live = user;
  for (double wait = 0; wait_for(live, wait);) {
    live_obey(live);
    const double now = live_clock();
    wait = seconds_to_step(live, now);
    if (wait <= 0) {
      if (live->paused && live->steps_wanted) live->steps_wanted--;
      live_step(live);
      wait = 0;
    }
    live_publish_if_due(live);
    if (now - live->newsed >= 1.0 / NEWS_PER_SECOND) {
      live->newsed = now;
      live_news(live);
    }
    if (live->changed) wait = fmin(wait, 1.0 / 60);
  }
  return NULL;
}
