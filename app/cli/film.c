// `cleave film`: a run, a scene or a replay as a film, put together by ffmpeg. What has no frames yet is simulated
// first, and its frames are kept as files: the box and the colours of the first depend on the last.

#include "arguments.h"
#include "look.h"
#include "replay.h"
#include "subject.h"
#include "text.h"
#include "workshop.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 3600 }; // s, for ffmpeg

typedef struct film {
  cli_workshop shop;
  clv_series *series; // NULL: its frames are in the workshop
  uint32_t frames, bodies;
  double *times; // of those frames
  clv_picture_def look;
  double range[2];             // of the colours
  const char *output, *ending; // the ending without its point
  uint32_t rate;               // frames a second
} film;

// ---- frames -------------------------------------------------------------------------------------

static cli_workshop_file frame_file(const film *f, uint32_t frame, uint32_t body) {
  char name[64];
  snprintf(name, sizeof name, "frame_%06u_%u.vtu", frame, body);
  return cli_workshop_at(&f->shop, name);
}

static int load_frame(const film *f, uint32_t frame, cli_subject *subject) {
  *subject = (cli_subject){.meshes = NULL};
  if (f->series) return cli_subject_frame(subject, f->series, frame);
  clv_error error = {0};
  clv_mesh *meshes = cli_subject_room(subject, f->bodies);
  if (!meshes) return cli_failed("out of memory");
  subject->time = f->times[frame];
  for (uint32_t b = 0; b < f->bodies; b++)
    if (clv_mesh_read(&meshes[b], frame_file(f, frame, b).path, &error) != CLV_OK) return cli_failed(error.message);
  return CLI_OK;
}

// A world as it is becomes the next frame.
static int keep_frame(film *f, const clv_world *world, double time) {
  double *times = realloc(f->times, (f->frames + 1) * sizeof *times);
  if (!times) return cli_failed("out of memory");
  f->times = times;
  f->bodies = clv_world_bodies(world);
  cli_subject subject = {.meshes = NULL};
  clv_error error = {0};
  int result = cli_subject_world(&subject, world);
  for (uint32_t b = 0; result == CLI_OK && b < f->bodies; b++)
    if (clv_mesh_write(subject.meshes[b], frame_file(f, f->frames, b).path, NULL, &error) != CLV_OK)
      result = cli_failed(error.message);
  cli_subject_free(&subject);
  if (result == CLI_OK) f->times[f->frames++] = time;
  return result;
}

// Frames are as far apart as the film's rate says.
static int keep_if_due(film *f, clv_world *world, double time) {
  const double slack = 1e-9 + 0.5 * clv_world_get_step(world);
  return time + slack >= f->frames / (double)f->rate ? keep_frame(f, world, time) : CLI_OK;
}

static int simulate_scene(film *f, const char *path) {
  clv_error error = {0};
  clv_scene *scene = clv_scene_read(path, NULL, &error);
  clv_world *world = scene ? clv_scene_world(scene, 0, &error) : NULL;
  int result = world ? keep_if_due(f, world, 0) : cli_failed(error.message);
  const double step = world ? clv_world_get_step(world) : 1;
  while (result == CLI_OK && clv_world_time(world) + 0.5 * step < clv_scene_until(scene)) {
    if (clv_world_step(world, NULL) != CLV_OK) result = cli_failed(clv_world_error(world));
    if (result == CLI_OK) result = keep_if_due(f, world, clv_world_time(world));
  }
  clv_world_destroy(world);
  clv_scene_destroy(scene);
  return result;
}

// The time that passed for whoever looked on: an undo does not take it back.
static int simulate_replay(film *f, const char *path) {
  clv_error error = {0};
  clv_replay *replay = clv_replay_read(path, 0, NULL, &error);
  int result = replay ? keep_if_due(f, clv_replay_world(replay), 0) : cli_failed(error.message);
  double time = 0;
  while (result == CLI_OK && clv_replay_done(replay) < clv_replay_steps(replay)) {
    if (clv_replay_step(replay, &error) != CLV_OK) result = cli_failed(error.message);
    time += clv_world_get_step(clv_replay_world(replay));
    if (result == CLI_OK) result = keep_if_due(f, clv_replay_world(replay), time);
  }
  if (result == CLI_OK && clv_replay_check(replay, &error) != CLV_OK) result = cli_failed(error.message);
  clv_replay_destroy(replay);
  return result;
}

static int open_frames(film *f, const char *path) {
  clv_error error = {0};
  if (cli_is_scene(path)) return simulate_scene(f, path);
  if (cli_is_replay(path)) return simulate_replay(f, path);
  f->series = clv_series_open(path, NULL, &error);
  if (!f->series) return cli_failed(error.message);
  f->frames = clv_series_frames(f->series);
  return CLI_OK;
}

// ---- pictures -----------------------------------------------------------------------------------

// One box and one range of colours for all frames, so that nothing jumps.
static void widen(film *f, const cli_subject *subject) {
  double box[2][3], values[2];
  if (clv_picture_box(subject->meshes, subject->count, box)) {
    for (int c = 0; c < 3; c++) {
      f->look.box[0][c] = f->look.framed ? fmin(f->look.box[0][c], box[0][c]) : box[0][c];
      f->look.box[1][c] = f->look.framed ? fmax(f->look.box[1][c], box[1][c]) : box[1][c];
    }
    f->look.framed = true;
  }
  if (f->look.color && clv_picture_range(subject->meshes, subject->count, f->look.color, values)) {
    f->range[0] = fmin(f->range[0], values[0]); // neither takes NaN
    f->range[1] = fmax(f->range[1], values[1]);
  }
}

static int look_ahead(film *f) {
  int result = CLI_OK;
  f->range[0] = f->range[1] = NAN;
  for (uint32_t k = 0; result == CLI_OK && k < f->frames; k++) {
    cli_subject subject;
    result = load_frame(f, k, &subject);
    if (result == CLI_OK) widen(f, &subject);
    cli_subject_free(&subject);
  }
  if (isnan(f->look.least)) f->look.least = f->range[0], f->look.greatest = f->range[1];
  return result;
}

static int draw_frame(const film *f, uint32_t frame) {
  char name[64], title[64];
  clv_error error = {0};
  cli_subject subject;
  int result = load_frame(f, frame, &subject);
  snprintf(name, sizeof name, "frame_%06u.png", frame);
  snprintf(title, sizeof title, "%.3f s", subject.time);
  clv_picture_def look = f->look;
  look.title = title;
  if (result == CLI_OK &&
      clv_picture_draw(subject.meshes, subject.count, &look, cli_workshop_at(&f->shop, name).path, &error) != CLV_OK)
    result = cli_failed(error.message);
  cli_subject_free(&subject);
  return result;
}

// ---- the film -----------------------------------------------------------------------------------

// ffmpeg writes into the workshop, and only a whole film leaves it.
static int deliver(const film *f, const char *name) {
  char bytes[65536];
  FILE *from = fopen(cli_workshop_at(&f->shop, name).path, "rb");
  if (!from) return cli_failed("ffmpeg ended well, and made no film: is what is called so on the PATH the real one?");
  errno = 0;
  FILE *to = fopen(f->output, "wb");
  bool written = to != NULL;
  for (size_t size; written && (size = fread(bytes, 1, sizeof bytes, from)) > 0;)
    written = fwrite(bytes, 1, size, to) == size;
  fclose(from);
  if (to && fclose(to) != 0) written = false;
  if (written) return CLI_OK;
  char message[512];
  snprintf(message, sizeof message, "%.400s: cannot be written: %.80s", f->output, strerror(errno));
  if (to) remove(f->output);
  return cli_failed(message);
}

static int put_together(const film *f) {
  char name[32], rate[16];
  snprintf(name, sizeof name, "film.%s", f->ending);
  snprintf(rate, sizeof rate, "%u", f->rate);
  const bool gif = strcmp(f->ending, "gif") == 0;
  // A GIF has 256 colours, chosen for this film; MP4 players want sides of even length and the common sort of colours.
  const char *filter = gif ? "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none"
                           : "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,format=yuv420p";
  const char *const arguments[] = {"ffmpeg",         "-v",  "error", "-nostdin", "-framerate", rate, "-i",
                                   "frame_%06d.png", "-vf", filter,  name,       NULL};
  int signal = 0;
  switch (cli_workshop_run(&f->shop, arguments, LONGEST, &signal)) {
  case CLI_RUN_DONE:
    return deliver(f, name);
  case CLI_RUN_INTERRUPTED:
    return CLI_SIGNAL + signal;
  default:
    return CLI_FAILURE;
  }
}

static int make(film *f, const char *path) {
  int result = open_frames(f, path);
  if (result == CLI_OK) result = look_ahead(f);
  for (uint32_t k = 0; result == CLI_OK && k < f->frames; k++) result = draw_frame(f, k);
  return result == CLI_OK ? put_together(f) : result;
}

static int read_options(const cli_call *call, film *f) {
  int result = cli_look(call, &f->look);
  f->rate = 25;
  if (result == CLI_OK && cli_value(call, "rate"))
    result = cli_whole_number(call, "N", cli_value(call, "rate"), 1, UINT32_MAX, &f->rate);
  if (result != CLI_OK) return result;
  f->output = cli_value(call, "output");
  const char *point = strrchr(f->output, '.');
  f->ending = point ? point + 1 : "";
  if (strcmp(f->ending, "mp4") != 0 && strcmp(f->ending, "gif") != 0)
    return cli_misused(call->command, "a film is an .mp4 or a .gif file, which '%s' is not", f->output);
  return CLI_OK;
}

static int run_film(const cli_call *call) {
  film f = {.series = NULL};
  int result = read_options(call, &f);
  if (result != CLI_OK) return result;
  if (!cli_program_exists("ffmpeg"))
    return cli_failed("films are put together by ffmpeg, which is not on the PATH: apt-get install ffmpeg");
  result = cli_workshop_open(&f.shop);
  if (result == CLI_OK) {
    result = make(&f, call->words[0]);
    cli_workshop_close(&f.shop);
  }
  clv_series_close(f.series);
  free(f.times);
  if (result > CLI_SIGNAL) raise(result - CLI_SIGNAL);
  if (result != CLI_OK) return result;
  cli_print_name(f.output);
  printf(": %u frames\n", f.frames);
  return CLI_OK;
}

const cli_command cli_film = {
    .name = "film",
    .what = "draw a run, a scene or a replay as a film, by ffmpeg",
    .words = "RUN|SCENE|REPLAY",
    .min_words = 1,
    .max_words = 1,
    .options = {{.name = "output",
                 .letter = 'o',
                 .required = true,
                 .value_count = 1,
                 .values = "FILE",
                 .what = "the film, .mp4 or .gif"},
                {.name = "rate", .value_count = 1, .values = "N", .what = "frames a second; 25 unless given"},
                CLI_LOOK_OPTIONS},
    .help = "Draws every frame that the run in the directory RUN has, all with one camera and one range of colours, "
            "and has\n"
            "ffmpeg put them together. A run has 25 frames a second unless its scene says otherwise, so that the film\n"
            "shows it as fast as it was. A SCENE is simulated, and a REPLAY of 'cleave view' done again, for the film\n"
            "alone.\n"
            "\n" CLI_LOOK_HELP "\n"
            "  cleave film out/cantilever -o beam.mp4 --color von-mises\n"
            "  cleave film out/cantilever -o beam.gif --size 480 360 --rate 10\n",
    .run = run_film,
};
