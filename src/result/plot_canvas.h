// A sheet to draw on: lines and text, as SVG or PNG.
//
// SVG is written as it is meant, with text as text; pixels are cairo's work, and so is measuring text in both, so that
// one layout serves both. Coordinates are pixels from the upper left corner.

#ifndef RESULT_PLOT_CANVAS_H
#define RESULT_PLOT_CANVAS_H

#include "result/text.h"

typedef struct result_canvas result_canvas;

typedef enum result_picture { RESULT_SVG, RESULT_PNG } result_picture;

typedef struct result_point {
  double x, y;
} result_point;

typedef struct result_pen {
  uint32_t colour; // 0xRRGGBB
  double width;
  double dash; // length of dashes and of the gaps between them; 0: none
} result_pen;

typedef enum result_anchor { RESULT_LEFT, RESULT_CENTRE, RESULT_RIGHT } result_anchor;

typedef struct result_lettering {
  uint32_t colour;
  double size;
  bool bold, upwards; // upwards: read from below
  result_anchor anchor;
} result_lettering;

// White. NULL on failure.
result_canvas *result_canvas_create(result_picture picture, uint32_t width, uint32_t height,
                                    const clv_allocator *allocator, clv_error *error);
void result_canvas_destroy(result_canvas *canvas);

void result_canvas_lines(result_canvas *canvas, const result_point *points, uint32_t count, const result_pen *pen);
void result_canvas_dot(result_canvas *canvas, result_point centre, double radius, uint32_t colour);
void result_canvas_fill(result_canvas *canvas, result_point corner, result_point size, uint32_t colour);
// The base line of the text runs through the point.
void result_canvas_text(result_canvas *canvas, result_point at, const result_lettering *lettering, const char *text);
// Pixels in place of all there is, 0xRRGGBB, row by row; of a PNG alone.
void result_canvas_pixels(result_canvas *canvas, const uint32_t *pixels);
double result_canvas_text_width(result_canvas *canvas, const result_lettering *lettering, const char *text);

// Draws only inside a rectangle until the end of it.
void result_canvas_clip(result_canvas *canvas, result_point corner, result_point size);
void result_canvas_unclip(result_canvas *canvas);

// Replaces the file.
clv_result result_canvas_write(result_canvas *canvas, const char *path, clv_error *error);

#endif
