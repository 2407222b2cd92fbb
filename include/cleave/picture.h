// Pictures: bodies as one sees them, drawn without a screen.
//
// What is drawn is a flat mesh with fields, as frames of results are: its outer faces, lit, with their edges, coloured
// by a field where one is named, with a legend. Faces that a cut has laid open are red: they are known by having lain
// on another face at rest, which the field `displacement` tells. Held points are red, too.
//
// The same mesh and definition give the same bytes.

#ifndef CLEAVE_PICTURE_H
#define CLEAVE_PICTURE_H

#include "cleave/mesh.h"

CLV_BEGIN_DECLS

enum { CLV_PICTURE_LEAST = 16, CLV_PICTURE_MOST = 8192 }; // pixels of a side

typedef struct clv_picture_def {
  const char *title;      // below; NULL: none
  uint32_t width, height; // pixels
  const char *color;      // the field to colour by (a vector: by its length); NULL: by nothing
  double least, greatest; // of the colours; NaN: as the field has them
  double from[3];         // where one looks from, seen from the middle: a direction
  double up[3];           // what is up in the picture
  double zoom;            // 1: all of it fills the picture
  bool framed;            // the picture shows `box`, not the box round the meshes: for frames of one film
  double box[2][3];       // least and greatest corner
  bool edges;             // draw the edges of faces
  bool held;              // mark points that are held
  bool clipped;           // leave out cells whose middle lies beyond a plane, where its normal points
  double clip_point[3], clip_normal[3];
  double shrink; // draw each cell by itself, this much smaller: 0.2 shows what is inside; 0: not at all
  clv_allocator allocator;
} clv_picture_def;

// 960 x 720, no colours, seen from the upper left of the front, z up, with edges and held points.
CLV_API clv_picture_def clv_default_picture_def(void);

// The least box round what is drawn of some meshes; false when that is nothing.
CLV_API bool clv_picture_box(const clv_mesh *const *meshes, uint32_t count, double box[2][3]);

// The range of a field, over all its points or elements; false when no mesh has it.
CLV_API bool clv_picture_range(const clv_mesh *const *meshes, uint32_t count, const char *color, double range[2]);

// Draws meshes into a PNG file, which is replaced. A field that no mesh has is refused, with the names of those there
// are.
CLV_API clv_result clv_picture_draw(const clv_mesh *const *meshes, uint32_t count, const clv_picture_def *def,
                                    const char *path, clv_error *error);
// The same as width * height pixels, 0xRRGGBB, row by row from above, without title and legend.
CLV_API clv_result clv_picture_paint(const clv_mesh *const *meshes, uint32_t count, const clv_picture_def *def,
                                     uint32_t *pixels, clv_error *error);

CLV_END_DECLS

#endif
