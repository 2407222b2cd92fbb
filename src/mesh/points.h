// Telling points apart: which vertex each point of a mesh becomes.

#ifndef MESH_POINTS_H
#define MESH_POINTS_H

#include "base/memory.h"
#include "cleave/mesh.h"

typedef struct mesh_vertices {
  uint32_t *of_point;    // from 1; 0 for a point no cell uses
  double (*position)[3]; // by vertex
  uint32_t room;         // so many positions have room, the one before the first vertex's too
  uint32_t count;        // the last vertex
  uint32_t of_templates; // the last vertex that a template element uses: they come first
  size_t merged, unused;
  bool finite; // all coordinates of the points numbered are, and so is their sum
} mesh_vertices;

// Numbers the points that elements of this dimension use; equal coordinates count once when merge is set. False: no
// memory.
bool mesh_vertices_number(mesh_vertices *vertices, const clv_mesh *mesh, int dimension, bool merge,
                          const clv_allocator *allocator);
void mesh_vertices_free(mesh_vertices *vertices, const clv_mesh *mesh, const clv_allocator *allocator);

#endif
