// Rasters. See raster.h.

#include "picture/raster.h"

#include <math.h>

bool picture_raster_create(picture_raster *raster, uint32_t width, uint32_t height, const clv_allocator *allocator) {
  *raster = (picture_raster){.width = PICTURE_SAMPLES * width, .height = PICTURE_SAMPLES * height};
  const size_t count = (size_t)raster->width * raster->height;
  raster->near = base_allocate(allocator, count * sizeof *raster->near);
  raster->colours = base_allocate(allocator, count * sizeof *raster->colours);
  if (!raster->near || !raster->colours) return false;
  memset(raster->near, 0, count * sizeof *raster->near);
  for (size_t k = 0; k < count; k++) raster->colours[k] = 0xffffff;
  return true;
}

void picture_raster_destroy(picture_raster *raster, const clv_allocator *allocator) {
  const size_t count = (size_t)raster->width * raster->height;
  base_free(allocator, raster->near, count * sizeof *raster->near);
  base_free(allocator, raster->colours, count * sizeof *raster->colours);
}

// Colours

static uint32_t mix(uint32_t a, uint32_t b, double part) {
  uint32_t colour = 0;
  for (uint32_t shift = 0; shift < 24; shift += 8) {
    const double from = a >> shift & 255u, to = b >> shift & 255u;
    colour |= (uint32_t)lround(from + part * (to - from)) << shift;
  }
  return colour;
}

uint32_t picture_palette(double value) {
  static const uint32_t stops[] = {0x2a1a5e, 0x2f4b8c, 0x2c7a93, 0x2fa382, 0x78c352, 0xd3d42f, 0xfdf17a};
  enum { STEPS = sizeof stops / sizeof *stops - 1 };
  if (!(value > 0)) return stops[0];
  if (value >= 1) return stops[STEPS];
  const double at = value * STEPS;
  const uint32_t step = (uint32_t)at;
  return mix(stops[step], stops[step + 1], at - step);
}

static uint32_t shade(uint32_t colour, double light) {
  return mix(0, colour, fmin(fmax(light, 0), 1));
}

// Shapes

static void put(picture_raster *r, size_t at, double near, uint32_t colour) {
  if (!(near > r->near[at])) return;
  r->near[at] = (float)near;
  r->colours[at] = colour;
}

static double doubled_area(picture_spot a, picture_spot b, picture_spot c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

// The samples whose middles lie between two numbers, inside the picture: [first, end).
typedef struct span {
  uint32_t first, end;
} span;

static span span_of(double least, double greatest, uint32_t size) {
  const double first = ceil(least - 0.5), end = floor(greatest - 0.5) + 1;
  if (!(first < size) || !(end > 0)) return (span){0, 0};
  return (span){first > 0 ? (uint32_t)first : 0, end < size ? (uint32_t)end : size};
}

void picture_raster_triangle(picture_raster *raster, const picture_spot corners[3], const picture_paint *paint) {
  const picture_spot *a = &corners[0], *b = &corners[1], *c = &corners[2];
  const double area = doubled_area(*a, *b, *c);
  if (!(fabs(area) > 1e-9) || !isfinite(area)) return;
  const span rows = span_of(fmin(a->y, fmin(b->y, c->y)), fmax(a->y, fmax(b->y, c->y)), raster->height);
  const span columns = span_of(fmin(a->x, fmin(b->x, c->x)), fmax(a->x, fmax(b->x, c->x)), raster->width);
  const uint32_t plain = shade(paint->colour, paint->shade);
  for (uint32_t y = rows.first; y < rows.end; y++) {
    for (uint32_t x = columns.first; x < columns.end; x++) {
      const picture_spot here = {x + 0.5, y + 0.5, 0};
      const double u = doubled_area(here, *b, *c) / area, v = doubled_area(*a, here, *c) / area, w = 1 - u - v;
      if (u < 0 || v < 0 || w < 0) continue;
      const double near = u * a->near + v * b->near + w * c->near;
      const size_t at = (size_t)y * raster->width + x;
      if (!(near > raster->near[at])) continue;
      const double value = u * paint->values[0] + v * paint->values[1] + w * paint->values[2];
      put(raster, at, near, paint->by_value ? shade(picture_palette(value), paint->shade) : plain);
    }
  }
}

// Lines and dots lie on faces: they are drawn a little nearer than they are.
#define IN_FRONT 1.002

void picture_raster_line(picture_raster *raster, picture_spot a, picture_spot b, double width, uint32_t colour) {
  const double dx = b.x - a.x, dy = b.y - a.y, length = sqrt(dx * dx + dy * dy), half = 0.5 * width;
  if (!(length < 1e6)) return;
  const span rows = span_of(fmin(a.y, b.y) - half, fmax(a.y, b.y) + half, raster->height);
  const span columns = span_of(fmin(a.x, b.x) - half, fmax(a.x, b.x) + half, raster->width);
  for (uint32_t y = rows.first; y < rows.end; y++) {
    // Where this row is nearer to the line than half its width.
    span row = columns;
    if (fabs(dy) > 1e-9) {
      const double middle = a.x + dx * (y + 0.5 - a.y) / dy, reach = half * length / fabs(dy);
      const span near = span_of(middle - reach, middle + reach, raster->width);
      row = (span){near.first > row.first ? near.first : row.first, near.end < row.end ? near.end : row.end};
    }
    for (uint32_t x = row.first; x < row.end; x++) {
      const double along = length > 0 ? ((x + 0.5 - a.x) * dx + (y + 0.5 - a.y) * dy) / (length * length) : 0;
      const double t = fmin(fmax(along, 0), 1), ex = x + 0.5 - a.x - t * dx, ey = y + 0.5 - a.y - t * dy;
      if (ex * ex + ey * ey > half * half) continue;
      put(raster, (size_t)y * raster->width + x, IN_FRONT * (a.near + t * (b.near - a.near)), colour);
    }
  }
}

void picture_raster_dot(picture_raster *raster, picture_spot centre, double radius, uint32_t colour) {
  picture_raster_line(raster, centre, centre, 2 * radius, colour);
}

// Smaller

static uint32_t mean_of(const picture_raster *raster, uint32_t x, uint32_t y) {
  uint32_t sums[3] = {0, 0, 0}, colour = 0;
  for (uint32_t k = 0; k < PICTURE_SAMPLES * PICTURE_SAMPLES; k++) {
    const size_t row = (size_t)PICTURE_SAMPLES * y + k / PICTURE_SAMPLES;
    const uint32_t sample = raster->colours[row * raster->width + PICTURE_SAMPLES * x + k % PICTURE_SAMPLES];
    for (uint32_t c = 0; c < 3; c++) sums[c] += sample >> 8 * c & 255u;
  }
  for (uint32_t c = 0; c < 3; c++) colour |= sums[c] / (PICTURE_SAMPLES * PICTURE_SAMPLES) << 8 * c;
  return colour;
}

void picture_raster_shrink(const picture_raster *raster, uint32_t *pixels) {
  const uint32_t width = raster->width / PICTURE_SAMPLES, height = raster->height / PICTURE_SAMPLES;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) pixels[(size_t)y * width + x] = mean_of(raster, x, y);
}
