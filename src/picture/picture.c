// Drawing. See cleave/picture.h.

#include "picture/raster.h"
#include "picture/skin.h"
#include "result/plot_axis.h"
#include "result/plot_canvas.h"

#include <math.h>
#include <stdio.h>

enum {
  BODY = 0xd5d8de,
  OPEN = 0xe2554c, // faces of a cut
  EDGE = 0x3a4048,
  HELD = 0xc81e1e,
  INK = 0x22262b,
  LEGEND = 112, // pixels at the right
};

clv_picture_def clv_default_picture_def(void) {
  return (clv_picture_def){.width = 960,
                           .height = 720,
                           .least = NAN,
                           .greatest = NAN,
                           .from = {-0.55, -1, 0.5},
                           .up = {0, 0, 1},
                           .zoom = 1,
                           .edges = true,
                           .held = true,
                           .allocator = clv_default_allocator()};
}

typedef struct drawing {
  const clv_picture_def *def;
  const clv_mesh *const *meshes;
  uint32_t mesh_count;
  picture_skin *skins; // one a mesh
  double least, greatest;
  picture_camera camera;
  picture_raster raster;
} drawing;

// Values

static double value_at(const clv_field *field, size_t place) {
  if (place >= field->count) return NAN;
  const double *values = field->values + place * field->components;
  if (field->components == 1) return values[0];
  double sum = 0;
  for (uint32_t k = 0; k < field->components; k++) sum += values[k] * values[k];
  return sqrt(sum);
}

bool clv_picture_range(const clv_mesh *const *meshes, uint32_t count, const char *color, double range[2]) {
  range[0] = INFINITY, range[1] = -INFINITY;
  for (uint32_t m = 0; m < count; m++) {
    const clv_field *field = picture_field(meshes[m], color);
    for (size_t k = 0; field && k < field->count; k++) {
      range[0] = fmin(range[0], value_at(field, k)); // neither takes NaN
      range[1] = fmax(range[1], value_at(field, k));
    }
  }
  return range[0] <= range[1];
}

static double value_of(const clv_field *field, const picture_face *face, uint32_t corner) {
  return value_at(field, field->place == CLV_ON_ELEMENTS ? face->element : corner);
}

static const clv_field *field_of(const drawing *d, uint32_t mesh) {
  return d->def->color ? picture_field(d->meshes[mesh], d->def->color) : NULL;
}

// The colours span what was asked for, or all values of the field.
static void find_range(drawing *d) {
  double range[2] = {0, 0};
  const bool any = d->def->color && clv_picture_range(d->meshes, d->mesh_count, d->def->color, range);
  d->least = isnan(d->def->least) && any ? range[0] : d->def->least;
  d->greatest = isnan(d->def->greatest) && any ? range[1] : d->def->greatest;
  if (!(d->least <= d->greatest)) d->least = d->greatest = 0;
}

static double part_of_range(const drawing *d, double value) {
  return d->greatest > d->least ? (value - d->least) / (d->greatest - d->least) : 0.5;
}

// Faces

// The corners of a face in space, drawn towards the middle of its cell where cells are shrunk.
static void place_corner(const drawing *d, uint32_t m, const picture_face *face, uint32_t k, double place[3]) {
  const clv_mesh *mesh = d->meshes[m];
  const double *point = mesh->points[d->skins[m].corners.data[face->first + k]];
  double middle[3] = {0, 0, 0};
  if (d->def->shrink > 0) picture_middle(mesh, face->element, middle);
  for (uint32_t c = 0; c < 3; c++) place[c] = point[c] + d->def->shrink * (middle[c] - point[c]);
}

// Light comes from the eye, a little from above it and to the right; both sides of a face are lit.
static double light_on(const picture_camera *camera, const double a[3], const double b[3], const double c[3]) {
  double normal[3], light[3], length = 0, along = 0, lights = 0;
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
    normal[k] = (b[i] - a[i]) * (c[j] - a[j]) - (b[j] - a[j]) * (c[i] - a[i]);
    light[k] = camera->back[k] + 0.6 * camera->up[k] + 0.3 * camera->right[k];
    length += normal[k] * normal[k];
    lights += light[k] * light[k];
    along += normal[k] * light[k];
  }
  return length > 0 ? 0.55 + 0.5 * fabs(along) / sqrt(length * lights) : 1;
}

static void draw_face(drawing *d, uint32_t m, const picture_face *face) {
  const clv_field *field = field_of(d, m);
  const uint32_t *corners = d->skins[m].corners.data + face->first;
  double places[3][3];
  picture_spot spots[3];
  picture_paint paint = {.colour = face->open ? OPEN : BODY, .by_value = field != NULL};
  for (uint32_t k = 0; k < face->count; k++) { // a fan: corners 0, k - 1, k
    const uint32_t slot = k < 2 ? k : 2;
    if (k > 2) {
      memcpy(places[1], places[2], sizeof places[1]);
      spots[1] = spots[2];
      paint.values[1] = paint.values[2];
    }
    place_corner(d, m, face, k, places[slot]);
    spots[slot] = picture_project(&d->camera, places[slot]);
    paint.values[slot] = field ? part_of_range(d, value_of(field, face, corners[k])) : 0;
    if (k < 2) continue;
    paint.shade = light_on(&d->camera, places[0], places[1], places[2]);
    picture_raster_triangle(&d->raster, spots, &paint);
  }
}

static void draw_outline(drawing *d, uint32_t m, const picture_face *face, double width) {
  for (uint32_t k = 0; k < face->count; k++) {
    double a[3], b[3];
    place_corner(d, m, face, k, a);
    place_corner(d, m, face, (k + 1) % face->count, b);
    picture_raster_line(&d->raster, picture_project(&d->camera, a), picture_project(&d->camera, b), width, EDGE);
  }
}

// Lines get thinner where faces are small, and are left out where they would cover what they bound.
static double edge_width(const drawing *d) {
  double faces = 0;
  for (uint32_t m = 0; m < d->mesh_count; m++) faces += d->skins[m].faces.count;
  const double side = sqrt((double)d->raster.width * d->raster.height / fmax(faces, 1));
  const double width = fmin(side / 14, 1.1 * PICTURE_SAMPLES);
  return width < 0.25 * PICTURE_SAMPLES ? 0 : width;
}

static void draw_held(drawing *d, uint32_t m) {
  const clv_field *held = picture_field(d->meshes[m], "held");
  const picture_skin *skin = &d->skins[m];
  if (!held || held->place != CLV_ON_POINTS || d->def->shrink > 0) return;
  const double radius = fmax(2 * edge_width(d), 1.2 * PICTURE_SAMPLES);
  for (uint32_t k = 0; k < skin->corners.count; k++) {
    const uint32_t point = skin->corners.data[k];
    if (!(value_at(held, point) > 0)) continue;
    picture_raster_dot(&d->raster, picture_project(&d->camera, d->meshes[m]->points[point]), radius, HELD);
  }
}

static void draw_meshes(drawing *d) {
  const double width = d->def->edges ? edge_width(d) : 0;
  for (uint32_t m = 0; m < d->mesh_count; m++) {
    for (uint32_t f = 0; f < d->skins[m].faces.count; f++) draw_face(d, m, &d->skins[m].faces.data[f]);
    for (uint32_t f = 0; width > 0 && f < d->skins[m].faces.count; f++)
      draw_outline(d, m, &d->skins[m].faces.data[f], width);
    if (d->def->held) draw_held(d, m);
  }
}

// The sheet

static const char *unit_of(const char *field) {
  static const char *const units[][2] = {
      {"displacement", "m"}, {"velocity", "m/s"}, {"von_mises", "Pa"}, {"stress", "Pa"}, {"energy", "J/m\u00b3"}};
  for (size_t k = 0; k < sizeof units / sizeof *units; k++)
    if (strcmp(field, units[k][0]) == 0) return units[k][1];
  return "";
}

// A bar of all colours at the right, with numbers.
static void draw_legend(const drawing *d, const char *name, result_canvas *canvas) {
  enum { WIDTH = 14, BARS = 128 };
  const double high = fmin(260, 0.5 * d->def->height), left = d->def->width - 84.0, top = 0.5 * (d->def->height - high);
  const result_axis axis = result_axis_over(d->least, d->greatest, 5, RESULT_SNUG);
  const result_lettering numbers = {.colour = INK, .size = 12};
  char text[RESULT_LABEL_SIZE];
  for (int k = 0; k < BARS; k++) {
    const result_point corner = {left, top + high * (BARS - 1 - k) / BARS}, size = {WIDTH, high / BARS + 1};
    result_canvas_fill(canvas, corner, size, picture_palette((k + 0.5) / BARS));
  }
  const bool even = !(d->greatest > d->least); // there is one value, and one number
  for (uint32_t k = 0; k < (even ? 1 : axis.count); k++) {
    const double value = even ? d->least : result_axis_number(&axis, k), y = top + high * (1 - part_of_range(d, value));
    result_axis_text(&axis, value, text);
    result_canvas_text(canvas, (result_point){left + WIDTH + 6, y + 4}, &numbers, text);
  }
  const result_lettering title = {.colour = INK, .size = 13, .bold = true, .anchor = RESULT_RIGHT};
  result_axis_title(&axis, name, unit_of(name), text);
  result_canvas_text(canvas, (result_point){d->def->width - 16.0, top - 14}, &title, text);
}

static const char *field_name(const drawing *d) {
  for (uint32_t m = 0; m < d->mesh_count; m++)
    if (field_of(d, m)) return field_of(d, m)->name;
  return NULL;
}

static clv_result write_sheet(const drawing *d, const char *path, clv_error *error) {
  const clv_picture_def *def = d->def;
  const size_t size = (size_t)def->width * def->height * sizeof(uint32_t);
  uint32_t *pixels = base_allocate(&def->allocator, size);
  result_canvas *canvas =
      pixels ? result_canvas_create(RESULT_PNG, def->width, def->height, &def->allocator, error) : NULL;
  clv_result result = CLV_ERROR_MEMORY;
  if (!pixels) clv_error_set(error, CLV_ERROR_MEMORY, "%s: out of memory: nothing was drawn", path);
  if (canvas) {
    picture_raster_shrink(&d->raster, pixels);
    result_canvas_pixels(canvas, pixels);
    if (field_name(d)) draw_legend(d, field_name(d), canvas);
    const result_lettering title = {.colour = INK, .size = 15};
    if (def->title) result_canvas_text(canvas, (result_point){16, def->height - 16.0}, &title, def->title);
    result = result_canvas_write(canvas, path, error);
  }
  result_canvas_destroy(canvas);
  base_free(&def->allocator, pixels, size);
  return result;
}

// Testing

static clv_result no_field(const drawing *d, clv_error *error) {
  char names[192] = "";
  for (uint32_t m = 0; m < d->mesh_count; m++) {
    for (size_t k = 0; k < d->meshes[m]->field_count; k++) {
      const char *name = d->meshes[m]->fields[k].name;
      const size_t length = strlen(names);
      if (strstr(names, name) || length + strlen(name) + 3 > sizeof names) continue;
      snprintf(names + length, sizeof names - length, "%s%s", length ? ", " : "", name);
    }
  }
  if (!names[0])
    return clv_error_set(error, CLV_ERROR_INPUT, "there is no field to colour by, let alone '%s'", d->def->color);
  return clv_error_set(error, CLV_ERROR_INPUT, "there is no field '%s' to colour by; there are: %s", d->def->color,
                       names);
}

static bool finite_points(const drawing *d) {
  for (uint32_t m = 0; m < d->mesh_count; m++)
    for (size_t k = 0; k < d->meshes[m]->point_count; k++)
      for (uint32_t c = 0; c < 3; c++)
        if (!isfinite(d->meshes[m]->points[k][c])) return false;
  return true;
}

static clv_result test(const drawing *d, clv_error *error) {
  const clv_picture_def *def = d->def;
  if (def->width < CLV_PICTURE_LEAST || def->height < CLV_PICTURE_LEAST || def->width > CLV_PICTURE_MOST ||
      def->height > CLV_PICTURE_MOST)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "a picture has from 16 x 16 to %d x %d pixels, not %u x %u",
                         CLV_PICTURE_MOST, CLV_PICTURE_MOST, def->width, def->height);
  if (!(def->zoom > 0) || !isfinite(def->zoom))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "zoom must be above 0, not %g", def->zoom);
  if (!(def->shrink >= 0 && def->shrink < 1))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "cells can be shrunk by 0 up to 1, not by %g", def->shrink);
  if (!finite_points(d)) return clv_error_set(error, CLV_ERROR_INPUT, "a point is not finite: nothing can be drawn");
  return def->color && !field_name(d) ? no_field(d, error) : CLV_OK;
}

// Into the raster, whose right side, `margin` pixels wide, is left to a legend.
static clv_result draw(drawing *d, uint32_t margin, clv_error *error) {
  const clv_picture_def *def = d->def;
  bool room = true;
  for (uint32_t m = 0; room && m < d->mesh_count; m++) room = picture_skin_make(&d->skins[m], d->meshes[m], def);
  room = room && picture_raster_create(&d->raster, def->width, def->height, &def->allocator);
  if (!room) return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: nothing was drawn");
  double box[2][3] = {{0, 0, 0}, {1, 1, 1}}; // of a picture of nothing
  double found[2][3];
  if (def->framed) {
    memcpy(box, def->box, sizeof box);
  } else if (clv_picture_box(d->meshes, d->mesh_count, found)) {
    memcpy(box, found, sizeof box);
  }
  const double side = (double)PICTURE_SAMPLES * margin;
  d->camera = picture_camera_for(def, (const double(*)[3])box, d->raster.width - side, d->raster.height);
  find_range(d);
  draw_meshes(d);
  return CLV_OK;
}

static clv_result begin(drawing *d, clv_error *error) {
  const clv_result result = test(d, error);
  if (result != CLV_OK) return result;
  const size_t size = (d->mesh_count + 1) * sizeof *d->skins;
  d->skins = base_allocate(&d->def->allocator, size);
  if (!d->skins) return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: nothing was drawn");
  memset(d->skins, 0, size);
  return CLV_OK;
}

static void end(drawing *d) {
  const clv_allocator *a = &d->def->allocator;
  if (!d->skins) return;
  picture_raster_destroy(&d->raster, a);
  for (uint32_t m = 0; m < d->mesh_count; m++) picture_skin_free(&d->skins[m], a);
  base_free(a, d->skins, (d->mesh_count + 1) * sizeof *d->skins);
}

clv_result clv_picture_draw(const clv_mesh *const *meshes, uint32_t count, const clv_picture_def *def, const char *path,
                            clv_error *error) {
  drawing d = {.def = def, .meshes = meshes, .mesh_count = count};
  clv_result result = begin(&d, error);
  if (result == CLV_OK) result = draw(&d, field_name(&d) && def->width > 3 * LEGEND ? LEGEND : 0, error);
  if (result == CLV_OK) result = write_sheet(&d, path, error);
  end(&d);
  return result;
}

clv_result clv_picture_paint(const clv_mesh *const *meshes, uint32_t count, const clv_picture_def *def,
                             uint32_t *pixels, clv_error *error) {
  drawing d = {.def = def, .meshes = meshes, .mesh_count = count};
  clv_result result = begin(&d, error);
  if (result == CLV_OK) result = draw(&d, 0, error);
  if (result == CLV_OK) picture_raster_shrink(&d.raster, pixels);
  end(&d);
  return result;
}
