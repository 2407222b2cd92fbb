#include "plot.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PANEL_WIDTH = 260, WIDTH = 180, HEIGHT = 150, LEFT = 56, TOP = 70, BELOW = 36, LEGEND = 30 };

static const char *const colours[BENCH_PLOT_LINES] = {"#1b6ca8", "#c8553d"};

static bool make_directories(const char *path) {
  char part[256];
  for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
    snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
    if (*part && mkdir(part, 0777) && errno != EEXIST) return false;
  }
  return true;
}

// The next of 1, 2, 5, 10, 20 ... that is not below the value.
static double round_up(double value) {
  const double power = pow(10.0, floor(log10(value))), digits = value / power;
  return power * (digits <= 1 ? 1 : digits <= 2 ? 2 : digits <= 5 ? 5 : 10);
}

static double largest(const bench_panel *panel) {
  double most = 1e-9;
  for (int l = 0; l < panel->line_count; l++)
    for (int i = 0; i < panel->lines[l].count; i++) most = fmax(most, panel->lines[l].values[i]);
  return most;
}

static int size_count(const bench_panel *panel) {
  int count = 2;
  for (int l = 0; l < panel->line_count; l++)
    if (panel->lines[l].count > count) count = panel->lines[l].count;
  return count;
}

static void draw_text(FILE *file, double x, double y, const char *anchor, const char *text) {
  fprintf(file, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y, anchor, text);
}

static void draw_axes(FILE *file, const bench_panel *panel, double left, double top, int first_size) {
  char label[32];
  const int steps = 4, sizes = size_count(panel);
  for (int s = 0; s <= steps; s++) {
    const double y = HEIGHT * (1.0 - (double)s / steps);
    fprintf(file, "<path d=\"M%.1f %.1fh%d\" stroke=\"#ddd\"/>\n", left, TOP + y, WIDTH);
    snprintf(label, sizeof label, "%g", top * s / steps);
    draw_text(file, left - 6, TOP + y + 4, "end", label);
  }
  for (int i = 0; i < sizes; i++) {
    snprintf(label, sizeof label, "%d", first_size << i);
    draw_text(file, left + (double)WIDTH * i / (sizes - 1), TOP + HEIGHT + 16, "middle", label);
  }
  draw_text(file, left, TOP - 24, "start", panel->title);
  fprintf(file, "<g fill=\"#777\">");
  draw_text(file, left, TOP - 10, "start", panel->unit);
  fprintf(file, "</g>\n");
}

static void draw_line(FILE *file, const bench_line *line, double left, double top, int sizes) {
  fprintf(file, "<path fill=\"none\" stroke-width=\"2\" d=\"");
  for (int i = 0; i < line->count; i++) {
    const double x = left + (double)WIDTH * i / (sizes - 1), y = TOP + HEIGHT * (1.0 - line->values[i] / top);
    fprintf(file, "%c%.1f %.1f", i ? 'L' : 'M', x, y);
  }
  fprintf(file, "\"/>\n");
}

static void draw_panel(FILE *file, const bench_panel *panel, double left, int first_size) {
  const double top = round_up(largest(panel));
  draw_axes(file, panel, left, top, first_size);
  for (int l = 0; l < panel->line_count; l++) {
    const char *colour = colours[l % BENCH_PLOT_LINES];
    fprintf(file, "<g stroke=\"%s\">", colour);
    draw_line(file, &panel->lines[l], left, top, size_count(panel));
    fprintf(file, "</g><g fill=\"%s\">", colour);
    draw_text(file, left + WIDTH - LEGEND * (panel->line_count - 1.0 - l), TOP - 10, "end", panel->lines[l].name);
    fprintf(file, "</g>\n");
  }
}

bool bench_plot(const char *path, const char *title, int first_size, const bench_panel *panels, int panel_count) {
  FILE *file = make_directories(path) ? fopen(path, "w") : NULL;
  if (!file) return false;
  const int width = panel_count * PANEL_WIDTH, height = TOP + HEIGHT + BELOW;
  fprintf(file,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
          "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\">\n"
          "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
          width, height, width, height);
  fprintf(file, "<g font-size=\"15\">");
  draw_text(file, LEFT, 26, "start", title);
  fprintf(file, "</g>\n");
  for (int p = 0; p < panel_count; p++) draw_panel(file, &panels[p], LEFT + (double)p * PANEL_WIDTH, first_size);
  fprintf(file, "</svg>\n");
  return fclose(file) == 0;
}
