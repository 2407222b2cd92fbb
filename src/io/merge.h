// Points that are equal become one, for formats that repeat the coordinates at every corner.

#ifndef IO_MERGE_H
#define IO_MERGE_H

#include "io/reader.h"

// Adds the different ones of so many points to the mesh, in the order in which they first came (0 and -0 are equal),
// and numbers all of them. The points must be finite. By sorting: no choice of coordinates makes it slow.
bool io_merge_points(io_reader *r, const double (*points)[3], size_t count, uint32_t *numbers);

#endif
