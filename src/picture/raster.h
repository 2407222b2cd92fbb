// The raster: pixels with depth.
//
// A picture is drawn several times larger than it is asked for and then made smaller: that is all there is to smooth
// edges.

#ifndef PICTURE_RASTER_H
#define PICTURE_RASTER_H

#include "base/memory.h"
#include "picture/camera.h"

enum { PICTURE_SAMPLES = 3 }; // along each side of a pixel

typedef struct picture_raster {
  uint32_t width, height; // samples
  float *near;
  uint32_t *colours; // 0xRRGGBB
} picture_raster;

// White, and infinitely far away. Sizes are in pixels; spots are in samples. False when memory is out.
bool picture_raster_create(picture_raster *raster, uint32_t width, uint32_t height, const clv_allocator *allocator);
void picture_raster_destroy(picture_raster *raster, const clv_allocator *allocator);

// How a triangle looks: a shade in [0, 1], and a colour, or colours by a value that is linear over the triangle.
typedef struct picture_paint {
  double shade;
  uint32_t colour;
  bool by_value;
  double values[3]; // at the corners, from 0 to 1: the ends of the palette
} picture_paint;

void picture_raster_triangle(picture_raster *raster, const picture_spot corners[3], const picture_paint *paint);
// A line so many samples wide, drawn where nothing lies clearly in front of it.
void picture_raster_line(picture_raster *raster, picture_spot a, picture_spot b, double width, uint32_t colour);
void picture_raster_dot(picture_raster *raster, picture_spot centre, double radius, uint32_t colour);

// The mean of the samples of each pixel: width * height colours.
void picture_raster_shrink(const picture_raster *raster, uint32_t *pixels);

// The palette, from 0 to 1: dark blue, green, yellow; equal steps look equal.
uint32_t picture_palette(double value);

#endif
