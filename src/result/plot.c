// Line charts of CSV files: panels above each other, one for each quantity, over a common axis.

#include "cleave/result.h"
#include "result/disk.h"
#include "result/plot_axis.h"
#include "result/plot_canvas.h"
#include "result/plot_groups.h"

#include <math.h>
#include <stdio.h>

enum {
  MARGIN = 20,
  TITLE_HEIGHT = 34,
  PANEL_HEIGHT = 250, // where nobody asks for a height
  PANEL_GAP = 26,
  AXIS_HEIGHT = 46, // numbers and name below the last panel
  ENTRY_HEIGHT = 20,
  SAMPLE_LENGTH = 26,
  LEGEND_GAP = 18,
  LEAST_PANEL = 80,
};

enum { INK = 0x222222, GREY = 0x666666, GRID = 0xe4e4e4, ZERO = 0xb0b0b0, FRAME = 0x888888 };

static const result_lettering title_letters = {INK, 17, true, false, RESULT_LEFT};
static const result_lettering entry_letters = {INK, 13, false, false, RESULT_LEFT};
static const result_lettering number_letters = {GREY, 12, false, false, RESULT_RIGHT};
static const result_lettering below_letters = {GREY, 12, false, false, RESULT_CENTRE};
static const result_lettering axis_letters = {INK, 13, false, false, RESULT_CENTRE};
static const result_lettering side_letters = {INK, 13, false, true, RESULT_CENTRE};

typedef struct panel {
  const result_group *group;
  result_axis axis;
  double top, height;
} panel;

typedef struct chart {
  const clv_plot_def *def;
  const char *title;
  result_csv csv;
  result_groups groups;
  BASE_ARRAY(panel) panels;
  BASE_ARRAY(result_point) points; // of the line under way
  result_axis time;
  bool ordered; // the first column never falls
  uint32_t width, height;
  double left, right; // of the panels
  result_canvas *canvas;
} chart;

// Okabe and Ito's colours, which are told apart by those who do not see all of them; a second round is dashed.
static result_pen pen_of(uint32_t line) {
  static const uint32_t colours[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0x000000};
  enum { COLOURS = sizeof colours / sizeof *colours };
  static const double dashes[] = {0, 7, 3, 12};
  return (result_pen){colours[line % COLOURS], 1.8, dashes[line / COLOURS % 4]};
}

// What the axes reach over

static void reach(const result_csv *csv, uint32_t column, double *least, double *greatest) {
  for (uint32_t row = 0; row < csv->rows; row++) {
    const double value = result_csv_value(csv, row, column);
    if (!isfinite(value)) continue;
    *least = fmin(*least, value);
    *greatest = fmax(*greatest, value);
  }
}

static clv_result choose_time(chart *c, const char *path, clv_error *error) {
  double least = INFINITY, greatest = -INFINITY;
  if (c->csv.rows == 0)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s:2: there are no numbers below the names: nothing to draw", path);
  reach(&c->csv, 0, &least, &greatest);
  if (least > greatest)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s: the first column has no number to draw over", path);
  c->ordered = true;
  for (uint32_t row = 1; row < c->csv.rows; row++) {
    // Also false where one of them is no number.
    if (!(result_csv_value(&c->csv, row, 0) >= result_csv_value(&c->csv, row - 1, 0))) c->ordered = false;
  }
  c->time = result_axis_over(least, greatest, 8, RESULT_SNUG);
  return CLV_OK;
}

static result_axis axis_of(const chart *c, const result_group *group, double height) {
  double least = INFINITY, greatest = -INFINITY;
  for (uint32_t k = 0; k < group->columns.count; k++) reach(&c->csv, group->columns.data[k], &least, &greatest);
  if (least > greatest) least = greatest = 0;
  const double wanted = height / 45;
  return result_axis_over(least, greatest, wanted < 2 ? 2 : wanted > 10 ? 10 : (uint32_t)wanted, RESULT_WIDE);
}

// What is zero throughout, such as the force on a probe that holds nothing, needs no panel unless it was asked for.
static void leave_out_zeros(chart *c) {
  uint32_t kept = 0;
  for (uint32_t g = 0; g < c->groups.count; g++) {
    result_group *group = &c->groups.data[g];
    double least = 0, greatest = 0;
    for (uint32_t k = 0; k < group->columns.count; k++) reach(&c->csv, group->columns.data[k], &least, &greatest);
    if (least < 0 || greatest > 0 || (kept == 0 && g + 1 == c->groups.count)) {
      c->groups.data[kept++] = *group;
    } else {
      BASE_RELEASE(c->csv.allocator, &group->columns);
    }
  }
  c->groups.count = kept;
}

// Where everything lies

static double widest_number(const chart *c, const result_axis *axis) {
  double widest = 0;
  char text[RESULT_LABEL_SIZE];
  for (uint32_t k = 0; k < axis->count; k++) {
    result_axis_text(axis, result_axis_number(axis, k), text);
    widest = fmax(widest, result_canvas_text_width(c->canvas, &number_letters, text));
  }
  return widest;
}

static double widest_entry(const chart *c) {
  double widest = 0;
  for (uint32_t g = 0; g < c->groups.count; g++) {
    const result_group *group = &c->groups.data[g];
    for (uint32_t k = 0; k < group->columns.count; k++)
      widest =
          fmax(widest, result_canvas_text_width(c->canvas, &entry_letters, c->csv.names.data[group->columns.data[k]]));
  }
  return widest;
}

static uint32_t title_height(const chart *c) {
  return MARGIN + (c->title ? TITLE_HEIGHT : 0);
}

static double wanted_height(const result_group *group) {
  const double entries = (double)ENTRY_HEIGHT * group->columns.count;
  return entries > PANEL_HEIGHT ? entries : PANEL_HEIGHT;
}

// The height that the panels want, when nobody says another.
static uint32_t natural_height(const chart *c) {
  double height = title_height(c) + AXIS_HEIGHT + MARGIN / 2.0 + (double)PANEL_GAP * (c->groups.count - 1);
  for (uint32_t g = 0; g < c->groups.count; g++) height += wanted_height(&c->groups.data[g]);
  return height > 30000 ? 30000 : (uint32_t)height;
}

static clv_result place_panels(chart *c, const char *path, clv_error *error) {
  const uint32_t count = c->groups.count;
  const double room =
      (double)c->height - title_height(c) - AXIS_HEIGHT - MARGIN / 2.0 - (double)PANEL_GAP * (count - 1);
  double wanted = 0, top = title_height(c), numbers = 0;
  if (!BASE_RESERVE(c->csv.allocator, &c->panels, count)) return result_memory_error(error, path);
  for (uint32_t g = 0; g < count; g++) wanted += wanted_height(&c->groups.data[g]);
  for (uint32_t g = 0; g < count; g++) {
    const result_group *group = &c->groups.data[g];
    const double height = room * wanted_height(group) / wanted;
    c->panels.data[g] = (panel){group, axis_of(c, group, height), top, height};
    top += height + PANEL_GAP;
    numbers = fmax(numbers, widest_number(c, &c->panels.data[g].axis));
    if (height < LEAST_PANEL)
      return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: %u pixels are not high enough for %u panels", path,
                           c->height, count);
  }
  c->panels.count = count;
  c->left = MARGIN + 20 + numbers + 8;
  c->right = c->width - MARGIN - widest_entry(c) - SAMPLE_LENGTH - 8 - LEGEND_GAP;
  if (c->right - c->left >= 100) return CLV_OK;
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: %u pixels are not wide enough for this chart", path, c->width);
}

static double x_of(const chart *c, double value) {
  return c->left + (value - c->time.least) / (c->time.greatest - c->time.least) * (c->right - c->left);
}

static double y_of(const panel *p, double value) {
  return p->top + p->height - (value - p->axis.least) / (p->axis.greatest - p->axis.least) * p->height;
}

// Drawing

static void line(const chart *c, double x0, double y0, double x1, double y1, uint32_t colour) {
  // On the middle of pixels, so that thin lines are sharp.
  const result_point points[2] = {{floor(x0) + 0.5, floor(y0) + 0.5}, {floor(x1) + 0.5, floor(y1) + 0.5}};
  result_canvas_lines(c->canvas, points, 2, &(result_pen){colour, 1, 0});
}

static void draw_axes(const chart *c, const panel *p) {
  char text[RESULT_LABEL_SIZE];
  const double bottom = p->top + p->height;
  for (uint32_t k = 0; k < c->time.count; k++) {
    const double x = x_of(c, result_axis_number(&c->time, k));
    line(c, x, p->top, x, bottom, GRID);
  }
  for (uint32_t k = 0; k < p->axis.count; k++) {
    const double value = result_axis_number(&p->axis, k), y = y_of(p, value);
    line(c, c->left, y, c->right, y, value == 0 ? ZERO : GRID);
    result_axis_text(&p->axis, value, text);
    result_canvas_text(c->canvas, (result_point){c->left - 8, y + 4}, &number_letters, text);
  }
  line(c, c->left, p->top, c->left, bottom, FRAME);
  line(c, c->left, bottom, c->right, bottom, FRAME);
  result_axis_title(&p->axis, p->group->quantity.name, p->group->quantity.unit, text);
  result_canvas_text(c->canvas, (result_point){MARGIN + 10, p->top + p->height / 2}, &side_letters, text);
}

static void draw_time(const chart *c) {
  char text[RESULT_LABEL_SIZE];
  const panel *last = &c->panels.data[c->panels.count - 1];
  const double bottom = last->top + last->height;
  const result_quantity quantity = result_quantity_of(c->csv.names.data[0]);
  for (uint32_t k = 0; k < c->time.count; k++) {
    const double value = result_axis_number(&c->time, k), x = x_of(c, value);
    line(c, x, bottom, x, bottom + 5, FRAME);
    result_axis_text(&c->time, value, text);
    result_canvas_text(c->canvas, (result_point){x, bottom + 20}, &below_letters, text);
  }
  result_axis_title(&c->time, c->csv.names.data[0], quantity.unit, text);
  result_canvas_text(c->canvas, (result_point){(c->left + c->right) / 2, bottom + 40}, &axis_letters, text);
}

// Points that fall on one column of pixels: its first, least, greatest and last say it all.
typedef struct pixel_column {
  long x;
  result_point first, least, greatest, last;
} pixel_column;

static void flush_column(chart *c, const pixel_column *at) {
  const bool rises = at->least.x <= at->greatest.x;
  const result_point all[4] = {at->first, rises ? at->least : at->greatest, rises ? at->greatest : at->least, at->last};
  for (uint32_t k = 0; k < 4; k++) {
    if (k && all[k].x == all[k - 1].x && all[k].y == all[k - 1].y) continue;
    c->points.data[c->points.count++] = all[k];
  }
}

// Leaves out what a straight line passes within 0.03 pixels: `low` and `high` bound the slopes from the last point kept
// that pass by all points since.
static void straighten(chart *c) {
  const double tolerance = 0.03;
  result_point *points = c->points.data;
  uint32_t kept = 0;
  double low = -INFINITY, high = INFINITY;
  for (uint32_t k = 1; k < c->points.count; k++) {
    const double along = points[k].x - points[kept].x, up = points[k].y - points[kept].y;
    const bool passes = along > 0 && up >= low * along && up <= high * along;
    if (!passes && points[k - 1].x > points[kept].x) { // the one before ends this piece, and begins the next
      points[++kept] = points[k - 1];
      low = -INFINITY;
      high = INFINITY;
      k--;
      continue;
    }
    if (along > 0) {
      low = fmax(low, (up - tolerance) / along);
      high = fmin(high, (up + tolerance) / along);
    } else {
      points[++kept] = points[k];
      low = -INFINITY;
      high = INFINITY;
    }
  }
  if (c->points.count) {
    const result_point last = points[c->points.count - 1];
    if (last.x != points[kept].x || last.y != points[kept].y) points[++kept] = last;
    c->points.count = kept + 1;
  }
}

static void draw_points(chart *c, const result_pen *pen) {
  if (c->ordered) straighten(c);
  if (c->points.count > 1) result_canvas_lines(c->canvas, c->points.data, c->points.count, pen);
  if (c->points.count == 1) result_canvas_dot(c->canvas, c->points.data[0], 2.5, pen->colour);
  c->points.count = 0;
}

static void draw_line(chart *c, const panel *p, uint32_t number, const result_pen *pen) {
  const bool thin = c->ordered && c->csv.rows > 2 * c->width;
  pixel_column at = {.x = -1};
  for (uint32_t row = 0; row < c->csv.rows; row++) {
    const double time = result_csv_value(&c->csv, row, 0), value = result_csv_value(&c->csv, row, number);
    if (!isfinite(time) || !isfinite(value)) { // a gap
      if (at.x >= 0) flush_column(c, &at);
      at.x = -1;
      draw_points(c, pen);
      continue;
    }
    const result_point point = {x_of(c, time), y_of(p, value)};
    const long x = lround(point.x);
    if (thin && x == at.x) {
      if (point.y < at.least.y) at.least = point;
      if (point.y > at.greatest.y) at.greatest = point;
      at.last = point;
      continue;
    }
    if (at.x >= 0) flush_column(c, &at);
    at = (pixel_column){x, point, point, point, point};
  }
  if (at.x >= 0) flush_column(c, &at);
  draw_points(c, pen);
}

static void draw_entries(const chart *c, const panel *p) {
  char more[RESULT_LABEL_SIZE];
  const double x = c->right + LEGEND_GAP;
  const uint32_t count = p->group->columns.count, fit = (uint32_t)(p->height / ENTRY_HEIGHT);
  const uint32_t shown = count <= fit ? count : fit - 1;
  for (uint32_t k = 0; k < shown; k++) {
    const double y = p->top + ENTRY_HEIGHT * (k + 0.5);
    const result_pen pen = pen_of(k);
    const result_point sample[2] = {{x, y}, {x + SAMPLE_LENGTH, y}};
    result_canvas_lines(c->canvas, sample, 2, &pen);
    result_canvas_text(c->canvas, (result_point){x + SAMPLE_LENGTH + 8, y + 4.5}, &entry_letters,
                       c->csv.names.data[p->group->columns.data[k]]);
  }
  if (shown == count) return;
  snprintf(more, sizeof more, "and %u more", count - shown);
  result_canvas_text(c->canvas, (result_point){x + SAMPLE_LENGTH + 8, p->top + ENTRY_HEIGHT * (shown + 0.5) + 4.5},
                     &entry_letters, more);
}

static clv_result draw(chart *c, const char *path, clv_error *error) {
  clv_result result = place_panels(c, path, error);
  if (result != CLV_OK) return result;
  if (!BASE_RESERVE(c->csv.allocator, &c->points, 4 * (uint64_t)c->csv.rows + 4))
    return result_memory_error(error, path);
  if (c->title) result_canvas_text(c->canvas, (result_point){MARGIN, MARGIN + 14}, &title_letters, c->title);
  for (uint32_t g = 0; g < c->panels.count; g++) {
    const panel *p = &c->panels.data[g];
    draw_axes(c, p);
    result_canvas_clip(c->canvas, (result_point){c->left, p->top - 2},
                       (result_point){c->right - c->left, p->height + 4});
    // The first is the most important: it is drawn last, on top.
    for (uint32_t k = p->group->columns.count; k-- > 0;) {
      const result_pen pen = pen_of(k);
      draw_line(c, p, p->group->columns.data[k], &pen);
    }
    result_canvas_unclip(c->canvas);
    draw_entries(c, p);
  }
  draw_time(c);
  return CLV_OK;
}

clv_plot_def clv_default_plot_def(void) {
  return (clv_plot_def){.width = 960, .allocator = clv_default_allocator()};
}

static clv_result picture_of(const char *path, result_picture *picture, clv_error *error) {
  const size_t length = strlen(path);
  const char *ending = length > 4 ? path + length - 4 : "";
  *picture = strcmp(ending, ".png") == 0 ? RESULT_PNG : RESULT_SVG;
  if (strcmp(ending, ".png") == 0 || strcmp(ending, ".svg") == 0) return CLV_OK;
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: pictures are drawn as .svg or .png; name it so", path);
}

static clv_result make_chart(chart *c, const char *csv, const char *path, clv_error *error) {
  const clv_allocator *allocator = &c->def->allocator;
  result_picture picture;
  clv_result result = picture_of(path, &picture, error);
  if (result == CLV_OK) result = result_csv_read(&c->csv, csv, allocator, error);
  if (result == CLV_OK) result = choose_time(c, csv, error);
  if (result == CLV_OK)
    result = result_groups_make(&c->groups, &c->csv, csv, c->def->columns, c->def->column_count, error);
  if (result != CLV_OK) return result;
  if (!c->def->columns) leave_out_zeros(c);
  c->width = c->def->width;
  c->height = c->def->height ? c->def->height : natural_height(c);
  if (c->width < 200 || c->width > 30000 || c->height < 100 || c->height > 30000)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: %u x %u pixels are no size for a chart", path, c->width,
                         c->height);
  c->canvas = result_canvas_create(picture, c->width, c->height, allocator, error);
  if (!c->canvas) return CLV_ERROR_MEMORY;
  result = draw(c, path, error);
  return result == CLV_OK ? result_canvas_write(c->canvas, path, error) : result;
}

clv_result clv_plot_csv(const char *csv, const char *path, const clv_plot_def *def, clv_error *error) {
  const clv_plot_def plain = clv_default_plot_def();
  chart c = {.def = def ? def : &plain};
  c.title = c.def->title && *c.def->title ? c.def->title : NULL;
  c.csv.allocator = &c.def->allocator;
  const clv_result result = make_chart(&c, csv, path, error);
  result_canvas_destroy(c.canvas);
  BASE_RELEASE(c.csv.allocator, &c.points);
  BASE_RELEASE(c.csv.allocator, &c.panels);
  result_groups_free(&c.groups, c.csv.allocator);
  result_csv_free(&c.csv);
  return result;
}
