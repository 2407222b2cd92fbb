// `cleave film`: all frames of a run as a film, put together by ffmpeg.

#include "arguments.h"
#include "look.h"
#include "subject.h"
#include "text.h"
#include "workshop.h"

#include <math.h>
#include <signal.h>
#include <string.h>

enum { LONGEST = 3600 }; // s, for ffmpeg

typedef struct film {
  cli_workshop shop;
  clv_series *series;
  clv_picture_def look;
  const char *output, *ending; // the ending without its point
  char rate[16];               // frames a second
} film;

// One box and one range of colours for all frames, so that nothing jumps.
static void widen(film *f, const cli_subject *subject, double range[2]) {
  double box[2][3], values[2];
  if (clv_picture_box(subject->meshes, subject->count, box)) {
    for (int c = 0; c < 3; c++) {
      f->look.box[0][c] = f->look.framed ? fmin(f->look.box[0][c], box[0][c]) : box[0][c];
      f->look.box[1][c] = f->look.framed ? fmax(f->look.box[1][c], box[1][c]) : box[1][c];
    }
    f->look.framed = true;
  }
  if (f->look.color && clv_picture_range(subject->meshes, subject->count, f->look.color, values)) {
    range[0] = fmin(range[0], values[0]); // neither takes NaN
    range[1] = fmax(range[1], values[1]);
  }
}

static int look_ahead(film *f) {
  double range[2] = {NAN, NAN};
  int result = CLI_OK;
  for (uint32_t k = 0; result == CLI_OK && k < clv_series_frames(f->series); k++) {
    cli_subject subject = {.meshes = NULL};
    result = cli_subject_frame(&subject, f->series, k);
    if (result == CLI_OK) widen(f, &subject, range);
    cli_subject_free(&subject);
  }
  if (isnan(f->look.least)) f->look.least = range[0], f->look.greatest = range[1];
  return result;
}

static int draw_frame(const film *f, uint32_t frame) {
  char name[64], title[64];
  clv_error error = {0};
  cli_subject subject = {.meshes = NULL};
  int result = cli_subject_frame(&subject, f->series, frame);
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

// ffmpeg writes into the workshop, and only a whole film leaves it.
static int deliver(const film *f, const char *name) {
  char bytes[65536];
  FILE *from = fopen(cli_workshop_at(&f->shop, name).path, "rb");
  FILE *to = from ? fopen(f->output, "wb") : NULL;
  bool written = to != NULL;
  for (size_t size; written && (size = fread(bytes, 1, sizeof bytes, from)) > 0;)
    written = fwrite(bytes, 1, size, to) == size;
  if (from) fclose(from);
  if (to && fclose(to) != 0) written = false;
  if (written) return CLI_OK;
  if (to) remove(f->output);
  char message[512];
  snprintf(message, sizeof message, "%.400s: cannot be written", f->output);
  return cli_failed(message);
}

static int put_together(const film *f) {
  char name[32];
  snprintf(name, sizeof name, "film.%s", f->ending);
  const bool gif = strcmp(f->ending, "gif") == 0;
  // A GIF has 256 colours, chosen for this film; MP4 players want sides of even length and the common sort of colours.
  const char *filter = gif ? "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none"
                           : "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white,format=yuv420p";
  const char *const arguments[] = {"ffmpeg",         "-v",  "error", "-nostdin", "-framerate", f->rate, "-i",
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

static int make(film *f) {
  int result = look_ahead(f);
  for (uint32_t k = 0; result == CLI_OK && k < clv_series_frames(f->series); k++) result = draw_frame(f, k);
  return result == CLI_OK ? put_together(f) : result;
}

static int read_options(const cli_call *call, film *f) {
  uint32_t rate = 25;
  int result = cli_look(call, &f->look);
  if (result == CLI_OK && cli_value(call, "rate"))
    result = cli_whole_number(call, "N", cli_value(call, "rate"), 1, &rate);
  if (result != CLI_OK) return result;
  snprintf(f->rate, sizeof f->rate, "%u", rate);
  f->output = cli_value(call, "output");
  const char *point = strrchr(f->output, '.');
  f->ending = point ? point + 1 : "";
  if (strcmp(f->ending, "mp4") != 0 && strcmp(f->ending, "gif") != 0)
    return cli_misused(call->command, "a film is an .mp4 or a .gif file, which '%s' is not", f->output);
  return CLI_OK;
}

static int run_film(const cli_call *call) {
  film f = {.series = NULL};
  clv_error error = {0};
  int result = read_options(call, &f);
  if (result != CLI_OK) return result;
  if (!cli_program_exists("ffmpeg"))
    return cli_failed("films are put together by ffmpeg, which is not on the PATH: apt-get install ffmpeg");
  f.series = clv_series_open(call->words[0], NULL, &error);
  if (!f.series) return cli_failed(error.message);
  result = cli_workshop_open(&f.shop);
  if (result == CLI_OK) {
    result = make(&f);
    cli_workshop_close(&f.shop);
  }
  const uint32_t frames = clv_series_frames(f.series);
  clv_series_close(f.series);
  if (result > CLI_SIGNAL) raise(result - CLI_SIGNAL);
  if (result != CLI_OK) return result;
  cli_print_name(f.output);
  printf(": %u frames\n", frames);
  return CLI_OK;
}

const cli_command cli_film = {
    .name = "film",
    .what = "draw all frames of a run as a film, by ffmpeg",
    .words = "RUN",
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
            "shows it as fast as it was.\n"
            "\n" CLI_LOOK_HELP "\n"
            "  cleave film out/cantilever -o beam.mp4 --color von-mises\n"
            "  cleave film out/cantilever -o beam.gif --size 480 360 --rate 10\n",
    .run = run_film,
};
