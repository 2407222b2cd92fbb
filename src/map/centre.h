// A vertex inside a volume.

#ifndef MAP_CENTRE_H
#define MAP_CENTRE_H

#include "map/store.h"

// A vertex in the middle of a closed volume, joined to all its corners: over each face there is a volume that ends in
// it. *added is a dart of the vertex. Inside a transaction; CLV_ERROR_MEMORY, then nothing has happened.
clv_result map_insert_centre(map *m, clv_dart volume, clv_dart *added);

#endif
