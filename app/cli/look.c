// Looks. See look.h.

#include "look.h"
#include "arguments.h"

#include <string.h>

static int read_camera(const cli_call *call, clv_picture_def *def) {
  static const struct {
    const char *name;
    double from[3], up[3];
  } sides[] = {
      {"front", {0, -1, 0}, {0, 0, 1}}, {"back", {0, 1, 0}, {0, 0, 1}}, {"left", {-1, 0, 0}, {0, 0, 1}},
      {"right", {1, 0, 0}, {0, 0, 1}},  {"top", {0, 0, 1}, {0, 1, 0}},  {"bottom", {0, 0, -1}, {0, 1, 0}},
  };
  const char *text = cli_value(call, "camera");
  if (!text) return CLI_OK;
  for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
    if (strcmp(text, sides[k].name) != 0) continue;
    memcpy(def->from, sides[k].from, sizeof def->from);
    memcpy(def->up, sides[k].up, sizeof def->up);
    return CLI_OK;
  }
  if (strspn(text, "0123456789.,+-eE") != strlen(text))
    return cli_misused(call->command, "--camera is front, back, left, right, top, bottom or X,Y,Z, not '%s'", text);
  return cli_vector(call, "FROM", text, def->from);
}

static int read_range(const cli_call *call, clv_picture_def *def) {
  const char *const *range = cli_values(call, "range");
  if (!range) return CLI_OK;
  if (!def->color) return cli_misused(call->command, "--range needs --color: it says what its colours span");
  int result = cli_number(call, "LEAST", range[0], &def->least);
  if (result == CLI_OK) result = cli_number(call, "GREATEST", range[1], &def->greatest);
  if (result == CLI_OK && !(def->least < def->greatest))
    return cli_misused(call->command, "--range needs the lesser number first, not '%s' and '%s'", range[0], range[1]);
  return result;
}

static int read_clip(const cli_call *call, clv_picture_def *def) {
  const char *const *clip = cli_values(call, "clip");
  if (!clip) return CLI_OK;
  def->clipped = true;
  const int result = cli_vector(call, "POINT", clip[0], def->clip_point);
  return result == CLI_OK ? cli_vector(call, "NORMAL", clip[1], def->clip_normal) : result;
}

static int read_size(const cli_call *call, clv_picture_def *def) {
  const char *const *size = cli_values(call, "size");
  if (!size) return CLI_OK;
  const int result = cli_whole_number(call, "WIDTH", size[0], CLV_PICTURE_LEAST, CLV_PICTURE_MOST, &def->width);
  return result == CLI_OK ? cli_whole_number(call, "HEIGHT", size[1], CLV_PICTURE_LEAST, CLV_PICTURE_MOST, &def->height)
                          : result;
}

int cli_look(const cli_call *call, clv_picture_def *def) {
  *def = clv_default_picture_def();
  def->color = cli_value(call, "color");
  def->edges = !cli_flag(call, "no-edges");
  int result = read_camera(call, def);
  if (result == CLI_OK) result = read_range(call, def);
  if (result == CLI_OK) result = read_clip(call, def);
  if (result == CLI_OK) result = read_size(call, def);
  if (result == CLI_OK && cli_value(call, "zoom")) result = cli_length(call, "F", cli_value(call, "zoom"), &def->zoom);
  if (result == CLI_OK && cli_value(call, "shrink"))
    result = cli_length(call, "S", cli_value(call, "shrink"), &def->shrink);
  return result;
}
