// Cameras. See camera.h.

#include "picture/camera.h"

#include <math.h>

static double dot(const double a[3], const double b[3]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
  for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

// False for a vector that has no direction.
static bool normalize(double v[3]) {
  const double length = sqrt(dot(v, v));
  if (!(length > 1e-12)) return false;
  for (int k = 0; k < 3; k++) v[k] /= length;
  return true;
}

// The axes: where one looks from, and what is up as well as it can be.
static void aim(picture_camera *c, const clv_picture_def *def) {
  static const double axes[3][3] = {{0, 0, 1}, {0, 1, 0}, {1, 0, 0}};
  for (int k = 0; k < 3; k++) c->back[k] = def->from[k];
  if (!normalize(c->back)) c->back[0] = 0, c->back[1] = -1, c->back[2] = 0;
  cross(def->up, c->back, c->right);
  for (int k = 0; k < 3 && !normalize(c->right); k++) cross(axes[k], c->back, c->right);
  cross(c->back, c->right, c->up);
}

// The place of the box's corners in a picture whose focus is 1.
static void bounds_of(const picture_camera *c, const double box[2][3], double least[2], double greatest[2]) {
  for (int k = 0; k < 2; k++) least[k] = INFINITY, greatest[k] = -INFINITY;
  for (int corner = 0; corner < 8; corner++) {
    const double point[3] = {box[corner & 1][0], box[corner >> 1 & 1][1], box[corner >> 2 & 1][2]};
    const picture_spot spot = picture_project(c, point);
    least[0] = fmin(least[0], spot.x), greatest[0] = fmax(greatest[0], spot.x);
    least[1] = fmin(least[1], spot.y), greatest[1] = fmax(greatest[1], spot.y);
  }
}

picture_camera picture_camera_for(const clv_picture_def *def, const double box[2][3], double width, double height) {
  picture_camera c = {.focus = 1};
  double size = 0;
  for (int k = 0; k < 3; k++) {
    c.middle[k] = 0.5 * (box[0][k] + box[1][k]);
    size += (box[1][k] - box[0][k]) * (box[1][k] - box[0][k]);
  }
  c.distance = 2.2 * fmax(sqrt(size), 1e-9);
  aim(&c, def);
  double least[2], greatest[2];
  bounds_of(&c, box, least, greatest);
  const double wide = fmax(greatest[0] - least[0], 1e-9), high = fmax(greatest[1] - least[1], 1e-9);
  c.focus = def->zoom * 0.88 * fmin(width / wide, height / high);
  c.x = 0.5 * width - 0.5 * c.focus * (least[0] + greatest[0]);
  c.y = 0.5 * height - 0.5 * c.focus * (least[1] + greatest[1]);
  return c;
}

picture_spot picture_project(const picture_camera *camera, const double point[3]) {
  double v[3];
  for (int k = 0; k < 3; k++) v[k] = point[k] - camera->middle[k];
  // What lies behind the eye, in a frame of which a part flew off, is drawn very far to the side.
  const double near = 1 / fmax(camera->distance - dot(v, camera->back), 1e-3 * camera->distance);
  return (picture_spot){camera->x + camera->focus * dot(v, camera->right) * near,
                        camera->y - camera->focus * dot(v, camera->up) * near, near};
}
