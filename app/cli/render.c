// `cleave render`: a picture of a mesh, of a frame of a run, or of a scene.

#include "arguments.h"
#include "look.h"
#include "subject.h"
#include "text.h"

#include <math.h>
#include <string.h>

// "beam, 0.25 s"
static void caption(const char *path, double time, char text[256]) {
  size_t length = strlen(path);
  while (length > 1 && path[length - 1] == '/') length--;
  size_t first = length;
  while (first > 0 && path[first - 1] != '/') first--;
  const char *name = path + first;
  const int size = (int)(length - first < 160 ? length - first : 160);
  if (isnan(time)) {
    snprintf(text, 256, "%.*s", size, name);
  } else {
    snprintf(text, 256, "%.*s, %.4g s", size, name, time);
  }
}

static int run_render(const cli_call *call) {
  clv_picture_def def;
  double time = INFINITY;
  const char *path = call->words[0], *output = cli_value(call, "output");
  int result = cli_look(call, &def);
  if (result == CLI_OK && cli_value(call, "time")) result = cli_number(call, "T", cli_value(call, "time"), &time);
  if (result != CLI_OK) return result;
  const size_t length = strlen(output);
  if (length < 4 || strcmp(output + length - 4, ".png") != 0)
    return cli_misused(call->command, "a picture is a .png file, which '%s' is not", output);
  cli_subject subject;
  clv_error error = {0};
  char title[256];
  result = cli_subject_open(&subject, path, time);
  if (result == CLI_OK) {
    caption(path, subject.time, title);
    def.title = title;
    if (clv_picture_draw(subject.meshes, subject.count, &def, output, &error) != CLV_OK)
      result = cli_failed(error.message);
  }
  cli_subject_free(&subject);
  if (result != CLI_OK) return result;
  cli_print_name(output);
  printf(": drawn\n");
  return CLI_OK;
}

const cli_command cli_render = {
    .name = "render",
    .what = "draw a mesh, a run or a scene as a picture",
    .words = "RESULT",
    .min_words = 1,
    .max_words = 1,
    .options = {{.name = "output",
                 .letter = 'o',
                 .required = true,
                 .value_count = 1,
                 .values = "FILE",
                 .what = "the picture, .png"},
                {.name = "time", .value_count = 1, .values = "T", .what = "the moment; the last one unless given"},
                CLI_LOOK_OPTIONS},
    .help =
        "Draws RESULT: the directory of a run (its last frame, or that nearest to --time), a scene (.yaml, simulated\n"
        "until its end or --time, and nothing but the picture written), or a mesh file of any format.\n"
        "\n" CLI_LOOK_HELP "\n"
        "  cleave render out/cantilever -o beam.png --color von-mises\n"
        "  cleave render examples/01_cantilever.yaml --time 0.2 -o beam.png --camera 1,-2,0.5\n"
        "  cleave render liver.msh -o liver.png --clip 0,0,0 1,0,0 --shrink 0.1\n",
    .run = run_render,
};
