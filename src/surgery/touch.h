// Whether two convex things come near each other: the algorithm of Gilbert, Johnson and Keerthi on the points that span
// them.

#ifndef SURGERY_TOUCH_H
#define SURGERY_TOUCH_H

#include <stdbool.h>
#include <stdint.h>

typedef double surgery_point[3];

// The distance of the hulls of two sets of points, at least one each; 0 when they meet. What is certainly more than
// `enough` may be told as any number above it.
double surgery_hull_distance(const surgery_point *a, uint32_t a_count, const surgery_point *b, uint32_t b_count,
                             double enough);

#endif
