// Sheets. See plot_canvas.h.

#include "result/plot_canvas.h"
#include "result/disk.h"

#include <cairo.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct result_canvas {
  clv_allocator allocator;
  result_picture picture;
  uint32_t width, height, clips;
  cairo_surface_t *surface; // of the picture, or one pixel to measure text with
  cairo_t *cairo;
  result_text svg;
};

// Numbers to a hundredth of a pixel, without the zeros behind.
static void put_length(result_canvas *c, double value) {
  const long hundredths = lround(value * 100);
  const long whole = labs(hundredths) / 100, part = labs(hundredths) % 100;
  const char *sign = hundredths < 0 ? "-" : "";
  if (part % 10) {
    result_putf(&c->svg, "%s%ld.%02ld", sign, whole, part);
  } else if (part) {
    result_putf(&c->svg, "%s%ld.%ld", sign, whole, part / 10);
  } else {
    result_putf(&c->svg, "%s%ld", sign, whole);
  }
}

static void put_named(result_canvas *c, const char *name, double value) {
  result_putf(&c->svg, " %s=\"", name);
  put_length(c, value);
  result_put(&c->svg, "\"");
}

static void set_colour(const result_canvas *c, uint32_t colour) {
  cairo_set_source_rgb(c->cairo, (colour >> 16 & 255) / 255.0, (colour >> 8 & 255) / 255.0, (colour & 255) / 255.0);
}

static void begin_svg(result_canvas *c) {
  result_putf(&c->svg,
              "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
              "font-family=\"'DejaVu Sans', Verdana, sans-serif\">\n",
              c->width, c->height, c->width, c->height);
}

result_canvas *result_canvas_create(result_picture picture, uint32_t width, uint32_t height,
                                    const clv_allocator *allocator, clv_error *error) {
  result_canvas *c = base_allocate(allocator, sizeof *c);
  if (!c) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: nothing was drawn");
    return NULL;
  }
  *c = (result_canvas){.allocator = *allocator, .picture = picture, .width = width, .height = height};
  result_text_init(&c->svg, &c->allocator);
  c->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, picture == RESULT_PNG ? (int)width : 1,
                                          picture == RESULT_PNG ? (int)height : 1);
  c->cairo = cairo_create(c->surface);
  if (cairo_status(c->cairo) != CAIRO_STATUS_SUCCESS) {
    clv_error_set(error, CLV_ERROR_MEMORY, "nothing was drawn: %s", cairo_status_to_string(cairo_status(c->cairo)));
    result_canvas_destroy(c);
    return NULL;
  }
  if (picture == RESULT_SVG) begin_svg(c);
  result_canvas_fill(c, (result_point){0, 0}, (result_point){width, height}, 0xffffff);
  return c;
}

void result_canvas_destroy(result_canvas *canvas) {
  if (!canvas) return;
  const clv_allocator allocator = canvas->allocator;
  cairo_destroy(canvas->cairo);
  cairo_surface_destroy(canvas->surface);
  result_text_free(&canvas->svg);
  base_free(&allocator, canvas, sizeof *canvas);
}

// Lines

static void lines_svg(result_canvas *c, const result_point *points, uint32_t count, const result_pen *pen) {
  result_putf(&c->svg, "<polyline fill=\"none\" stroke=\"#%06x\" stroke-linejoin=\"round\" stroke-linecap=\"%s\"",
              (unsigned)pen->colour, pen->dash > 0 ? "butt" : "round");
  put_named(c, "stroke-width", pen->width);
  if (pen->dash > 0) put_named(c, "stroke-dasharray", pen->dash);
  result_put(&c->svg, " points=\"");
  for (uint32_t k = 0; k < count; k++) {
    if (k) result_put(&c->svg, " ");
    put_length(c, points[k].x);
    result_put(&c->svg, ",");
    put_length(c, points[k].y);
  }
  result_put(&c->svg, "\"/>\n");
}

void result_canvas_lines(result_canvas *canvas, const result_point *points, uint32_t count, const result_pen *pen) {
  if (canvas->picture == RESULT_SVG) {
    lines_svg(canvas, points, count, pen);
    return;
  }
  set_colour(canvas, pen->colour);
  cairo_set_line_width(canvas->cairo, pen->width);
  cairo_set_line_join(canvas->cairo, CAIRO_LINE_JOIN_ROUND);
  cairo_set_line_cap(canvas->cairo, pen->dash > 0 ? CAIRO_LINE_CAP_BUTT : CAIRO_LINE_CAP_ROUND);
  cairo_set_dash(canvas->cairo, &pen->dash, pen->dash > 0 ? 1 : 0, 0);
  cairo_new_path(canvas->cairo); // text leaves a point behind
  for (uint32_t k = 0; k < count; k++) cairo_line_to(canvas->cairo, points[k].x, points[k].y);
  cairo_stroke(canvas->cairo);
}

void result_canvas_dot(result_canvas *canvas, result_point centre, double radius, uint32_t colour) {
  if (canvas->picture == RESULT_SVG) {
    result_putf(&canvas->svg, "<circle fill=\"#%06x\"", (unsigned)colour);
    put_named(canvas, "cx", centre.x);
    put_named(canvas, "cy", centre.y);
    put_named(canvas, "r", radius);
    result_put(&canvas->svg, "/>\n");
    return;
  }
  set_colour(canvas, colour);
  cairo_new_path(canvas->cairo);
  cairo_arc(canvas->cairo, centre.x, centre.y, radius, 0, 6.283185307179586);
  cairo_fill(canvas->cairo);
}

static void put_rectangle(result_canvas *c, result_point corner, result_point size) {
  put_named(c, "x", corner.x);
  put_named(c, "y", corner.y);
  put_named(c, "width", size.x);
  put_named(c, "height", size.y);
}

void result_canvas_fill(result_canvas *canvas, result_point corner, result_point size, uint32_t colour) {
  if (canvas->picture == RESULT_SVG) {
    result_putf(&canvas->svg, "<rect fill=\"#%06x\"", (unsigned)colour);
    put_rectangle(canvas, corner, size);
    result_put(&canvas->svg, "/>\n");
    return;
  }
  set_colour(canvas, colour);
  cairo_rectangle(canvas->cairo, corner.x, corner.y, size.x, size.y);
  cairo_fill(canvas->cairo);
}

void result_canvas_clip(result_canvas *canvas, result_point corner, result_point size) {
  if (canvas->picture == RESULT_SVG) {
    const unsigned number = ++canvas->clips;
    result_putf(&canvas->svg, "<clipPath id=\"clip%u\"><rect", number);
    put_rectangle(canvas, corner, size);
    result_putf(&canvas->svg, "/></clipPath>\n<g clip-path=\"url(#clip%u)\">\n", number);
    return;
  }
  cairo_save(canvas->cairo);
  cairo_rectangle(canvas->cairo, corner.x, corner.y, size.x, size.y);
  cairo_clip(canvas->cairo);
}

void result_canvas_unclip(result_canvas *canvas) {
  if (canvas->picture == RESULT_SVG) {
    result_put(&canvas->svg, "</g>\n");
  } else {
    cairo_restore(canvas->cairo);
  }
}

// Text

static void set_font(const result_canvas *c, const result_lettering *l) {
  cairo_select_font_face(c->cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         l->bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c->cairo, l->size);
}

double result_canvas_text_width(result_canvas *canvas, const result_lettering *lettering, const char *text) {
  cairo_text_extents_t extents;
  set_font(canvas, lettering);
  cairo_text_extents(canvas->cairo, text, &extents);
  return extents.x_advance;
}

static void text_svg(result_canvas *c, result_point at, const result_lettering *l, const char *text) {
  static const char *const anchors[] = {"start", "middle", "end"};
  result_putf(&c->svg, "<text fill=\"#%06x\" text-anchor=\"%s\"%s", (unsigned)l->colour, anchors[l->anchor],
              l->bold ? " font-weight=\"bold\"" : "");
  put_named(c, "font-size", l->size);
  if (l->upwards) {
    result_put(&c->svg, " transform=\"translate(");
    put_length(c, at.x);
    result_put(&c->svg, ",");
    put_length(c, at.y);
    result_put(&c->svg, ") rotate(-90)\"");
  } else {
    put_named(c, "x", at.x);
    put_named(c, "y", at.y);
  }
  result_put(&c->svg, ">");
  result_put_xml(&c->svg, text);
  result_put(&c->svg, "</text>\n");
}

void result_canvas_text(result_canvas *canvas, result_point at, const result_lettering *lettering, const char *text) {
  if (canvas->picture == RESULT_SVG) {
    text_svg(canvas, at, lettering, text);
    return;
  }
  const double width = result_canvas_text_width(canvas, lettering, text);
  const double back = lettering->anchor == RESULT_RIGHT ? width : lettering->anchor == RESULT_CENTRE ? width / 2 : 0;
  cairo_save(canvas->cairo);
  set_colour(canvas, lettering->colour);
  cairo_translate(canvas->cairo, at.x, at.y);
  if (lettering->upwards) cairo_rotate(canvas->cairo, -1.5707963267948966);
  cairo_move_to(canvas->cairo, -back, 0);
  cairo_show_text(canvas->cairo, text);
  cairo_restore(canvas->cairo);
}

void result_canvas_pixels(result_canvas *canvas, const uint32_t *pixels) {
  cairo_surface_flush(canvas->surface);
  unsigned char *data = cairo_image_surface_get_data(canvas->surface);
  const size_t stride = (size_t)cairo_image_surface_get_stride(canvas->surface);
  for (size_t y = 0; data && y < canvas->height; y++)
    memcpy(data + y * stride, pixels + y * canvas->width, canvas->width * sizeof *pixels);
  cairo_surface_mark_dirty(canvas->surface);
}

// Files

typedef struct png_bytes {
  clv_allocator allocator;
  BASE_ARRAY(unsigned char) bytes;
} png_bytes;

static cairo_status_t keep_bytes(void *user, const unsigned char *data, unsigned length) {
  png_bytes *png = user;
  if (!BASE_RESERVE(&png->allocator, &png->bytes, (uint64_t)png->bytes.count + length)) return CAIRO_STATUS_NO_MEMORY;
  memcpy(png->bytes.data + png->bytes.count, data, length);
  png->bytes.count += length;
  return CAIRO_STATUS_SUCCESS;
}

static clv_result write_png(result_canvas *c, const char *path, clv_error *error) {
  png_bytes png = {.allocator = c->allocator};
  const cairo_status_t drawn = cairo_status(c->cairo);
  const cairo_status_t status =
      drawn != CAIRO_STATUS_SUCCESS ? drawn : cairo_surface_write_to_png_stream(c->surface, keep_bytes, &png);
  clv_result result = CLV_OK;
  if (status == CAIRO_STATUS_NO_MEMORY) {
    result = result_memory_error(error, path);
  } else if (status != CAIRO_STATUS_SUCCESS) {
    result = clv_error_set(error, CLV_ERROR_SYSTEM, "%s: not drawn: %s", path, cairo_status_to_string(status));
  } else {
    result = result_replace_file(path, png.bytes.data, png.bytes.count, RESULT_ATOMIC, error);
  }
  BASE_RELEASE(&png.allocator, &png.bytes);
  return result;
}

clv_result result_canvas_write(result_canvas *canvas, const char *path, clv_error *error) {
  if (canvas->picture == RESULT_PNG) return write_png(canvas, path, error);
  result_put(&canvas->svg, "</svg>\n");
  if (canvas->svg.failed) return result_memory_error(error, path);
  return result_replace_file(path, canvas->svg.data, canvas->svg.count, RESULT_ATOMIC, error);
}
