// A family: the cells that one was refined to, in the order of the table (refine.h), turned as the table has them.

#ifndef MAP_FAMILY_H
#define MAP_FAMILY_H

#include "map/refine.h"

typedef struct map_family {
  const map *m;
  const int32_t *levels; // by slot of vertices
  int32_t level;         // of the parent
  const map_refinement *table;
  const clv_template *shape;
  clv_dart darts[8][CLV_TEMPLATE_DARTS]; // of each child, in the order of its template
  clv_dart border[MAP_POSITIONS];        // their darts at the places of the parent's border
  clv_dart beyond[MAP_POSITIONS];        // and what faces them; 0: free
} map_family;

// Finds the family that the cell of a dart belongs to, as one that came of a cell of level `level`.
bool map_find_family(map_family *family, clv_dart dart);

#endif
