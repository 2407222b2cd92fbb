// The camera: from space to the picture.

#ifndef PICTURE_CAMERA_H
#define PICTURE_CAMERA_H

#include "cleave/picture.h"

// A point of the picture: pixels from the upper left corner, and nearness, one over the depth, which is linear along
// lines and over triangles of the picture.
typedef struct picture_spot {
  double x, y, near;
} picture_spot;

typedef struct picture_camera {
  double middle[3], right[3], up[3], back[3]; // back: towards the eye
  double distance, focus, x, y;
} picture_camera;

// Sees the box, filling a picture of that size but for a margin, zoomed.
picture_camera picture_camera_for(const clv_picture_def *def, const double box[2][3], double width, double height);
picture_spot picture_project(const picture_camera *camera, const double point[3]);

#endif
