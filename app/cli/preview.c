// See preview.h. A character is two pixels: half of it in one colour, half in another. What is white in the picture is
// left as the terminal has it.

#include "preview.h"
#include "subject.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { WIDEST = 78, NARROWEST = 20, PAPER = 0xFFFFFF };

typedef enum colours { NONE, PALETTE, ALL } colours; // none; 256; 24 bits

static colours terminal_colours(void) {
  const char *term = getenv("TERM"), *more = getenv("COLORTERM");
  if (isatty(STDOUT_FILENO) != 1 || !term || strcmp(term, "dumb") == 0) return NONE;
  if (more && (strcmp(more, "truecolor") == 0 || strcmp(more, "24bit") == 0)) return ALL;
  return strstr(term, "256color") ? PALETTE : NONE;
}

static uint32_t terminal_width(void) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return WIDEST;
  return size.ws_col > WIDEST ? WIDEST : size.ws_col;
}

// One of the 6 x 6 x 6 cube of the 256.
static unsigned cube(uint32_t pixel) {
  const unsigned r = pixel >> 16 & 255, g = pixel >> 8 & 255, b = pixel & 255;
  return 16 + 36 * ((r * 5 + 127) / 255) + 6 * ((g * 5 + 127) / 255) + (b * 5 + 127) / 255;
}

static void set_colour(colours have, unsigned ground, uint32_t pixel) {
  if (have == ALL)
    printf("\x1b[%u;2;%u;%u;%um", ground, pixel >> 16 & 255, pixel >> 8 & 255, pixel & 255);
  else
    printf("\x1b[%u;5;%um", ground, cube(pixel));
}

static void print_pair(colours have, uint32_t above, uint32_t below) {
  enum { INK = 38, GROUND = 48 };
  if (above == PAPER && below == PAPER) {
    fputs("\x1b[0m ", stdout);
    return;
  }
  fputs("\x1b[0m", stdout);
  set_colour(have, INK, above == PAPER ? below : above);
  if (above != PAPER && below != PAPER) set_colour(have, GROUND, below);
  fputs(above == PAPER ? "\xe2\x96\x84" : "\xe2\x96\x80", stdout); // the lower half, the upper half
}

static void print_pixels(colours have, const uint32_t *pixels, uint32_t width, uint32_t height) {
  for (uint32_t row = 0; row + 1 < height; row += 2) {
    for (uint32_t column = 0; column < width; column++)
      print_pair(have, pixels[row * width + column], pixels[(row + 1) * width + column]);
    fputs("\x1b[0m\n", stdout);
  }
}

int cli_preview(const clv_world *world) {
  const colours have = terminal_colours();
  const uint32_t width = terminal_width();
  if (have == NONE || width < NARROWEST) return CLI_OK;
  clv_picture_def def = clv_default_picture_def();
  def.width = width;
  def.height = width / 2 / 2 * 2;
  def.height = def.height < 16 ? 16 : def.height;
  def.edges = false;
  def.held = false;
  def.color = "von_mises";
  clv_error error = {0};
  cli_subject subject = {.meshes = NULL};
  uint32_t *pixels = calloc((size_t)def.width * def.height, sizeof *pixels);
  int result = pixels ? cli_subject_world(&subject, world) : cli_failed("out of memory");
  if (result == CLI_OK && clv_picture_paint(subject.meshes, subject.count, &def, pixels, &error) != CLV_OK)
    result = cli_failed(error.message);
  if (result == CLI_OK && pixels) print_pixels(have, pixels, def.width, def.height);
  cli_subject_free(&subject);
  free(pixels);
  return result;
}
