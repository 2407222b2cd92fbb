// The skin of a mesh: the faces one can see from outside.

#ifndef PICTURE_SKIN_H
#define PICTURE_SKIN_H

#include "base/memory.h"
#include "cleave/picture.h"

typedef struct picture_face {
  uint32_t element;
  uint32_t first, count; // its corners, in skin->corners
  bool open;             // by a cut: at rest it lay on another face
} picture_face;

typedef struct picture_skin {
  const clv_mesh *mesh;
  BASE_ARRAY(picture_face) faces;
  BASE_ARRAY(uint32_t) corners; // points of the mesh
} picture_skin;

// The faces that belong to one element only; those of surfaces all. With `shrink` above 0, every face of every element.
// False when memory is out; what there is must be freed in any case.
bool picture_skin_make(picture_skin *skin, const clv_mesh *mesh, const clv_picture_def *def);
void picture_skin_free(picture_skin *skin, const clv_allocator *allocator);

// A field by its name, '-' and '_' being the same; NULL when there is none.
const clv_field *picture_field(const clv_mesh *mesh, const char *name);

// The middle of an element's corners.
void picture_middle(const clv_mesh *mesh, size_t element, double middle[3]);

#endif
