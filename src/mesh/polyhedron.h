// Polyhedra given by their faces, in whatever order and sense a file has them.

#ifndef MESH_POLYHEDRON_H
#define MESH_POLYHEDRON_H

#include "base/memory.h"
#include "cleave/mesh.h"

// Turns the faces of a face stream so that neighbours run along their common edge in opposite senses and all are seen
// from inside, as the templates list theirs. Corners are told apart by `vertices`. *volume is the volume, 0 when the
// faces enclose none. False: no memory.
bool mesh_polyhedron_orient(uint32_t *stream, const uint32_t *vertices, const double (*points)[3],
                            const clv_allocator *allocator, double *volume);

// True when two faces have the same corners.
bool mesh_polyhedron_repeats(const uint32_t *stream, const uint32_t *vertices);

// The area of a polygon: the length of its area vector, so that it is right for a flat one and fair for a warped one.
double mesh_polygon_area(const uint32_t *corners, size_t count, const double (*points)[3]);

// The largest distance of a corner from the first, along an axis.
double mesh_extent(const uint32_t *corners, size_t count, const double (*points)[3]);

#endif
