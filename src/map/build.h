// Building a whole map from element lists, without a log: templates go straight into their rows.
//
// Facets of templates meet in a table (facets.h). Polygons and polyhedra are few; they are added in one transaction at
// the end, which also turns those that are templates into such.

#ifndef MAP_BUILD_H
#define MAP_BUILD_H

#include "map/store.h"

typedef struct map_elements {
  size_t count;
  const uint8_t *kinds; // elements of another dimension than the map's are passed over
  const size_t *offsets;
  const uint32_t *corners;  // points (and counts, in a polyhedron's stream)
  const uint32_t *vertices; // the vertex of each point, from 1, those of template elements first
  const uint8_t *turned;    // by element: its corners are to be taken in the mirrored order
  uint32_t template_vertices, vertex_count;
} map_elements;

// What the builder tells about vertices that came out otherwise than numbered.
typedef struct map_built {
  map_words parted; // for each id after template_vertices: the vertex it was parted from
  // Called for each corner of a polygon or polyhedron inside the transaction that adds it.
  clv_result (*corner)(void *user, clv_dart dart, uint32_t point);
  // Called once for each polygon or polyhedron, likewise.
  clv_result (*cell)(void *user, clv_dart dart, size_t element);
  // Called between the templates and the transaction.
  clv_result (*ready)(void *user);
  void *user;
} map_built;

// Builds into an empty map. On failure error says why, and the map is only good for destroying.
clv_result map_build(map *m, const map_elements *elements, map_built *built, clv_error *error);
void map_built_free(map *m, map_built *built);

// The mirrored order of a template's corners.
extern const uint8_t map_mirrored[MAP_TEMPLATES][8];

#endif
