// Where the facets of template cells meet when a map is built.
//
// Each facet has one canonical dart, at its smallest vertex on the edge towards the smaller neighbour there: two facets
// with the same vertices face each other at their canonical darts. The table holds the canonical dart of the first cell
// that has a facet, and a mark of the vertices. Which vertices those are the cell's row tells, which is needed anyway
// where two facets meet, so the table itself stays small.
//
// Meshes are numbered so that neighbours are near, so a facet is first looked for near its smallest vertex's place in
// the table, in twice as many slots as a vertex has on average, since some have more facets than others. Where there is
// no room they are spread over the whole table, so that a hub costs no more.

#ifndef MAP_FACETS_H
#define MAP_FACETS_H

#include "map/walk.h"

typedef struct map_facet {
  uint32_t mark; // of the vertices: facets with different ones may have the same
  clv_dart dart; // the canonical one; whether a second cell has the facet, its link tells
} map_facet;

typedef struct map_facets {
  map_facet *slots;
  uint32_t size;
  uint32_t near; // vertices' places lie half as many slots apart as each has near it
} map_facets;

// The slot where a facet is looked for first, and the next one after so many in vain.
static inline uint32_t map_facet_home(const map_facets *t, uint32_t least, uint32_t mark) {
  return least * (t->near / 2) + (uint32_t)((uint64_t)mark * t->near >> 32);
}

enum { MAP_FACET_PROBES = 8 };

static inline uint32_t map_facet_next(const map_facets *t, uint32_t at, uint32_t mark, uint32_t probes) {
  if (probes == MAP_FACET_PROBES) at = (uint32_t)((uint64_t)map_hash(mark) * t->size >> 32);
  return at + 1 == t->size ? 0 : at + 1;
}

// The same for any order of the vertices.
static inline uint32_t map_facet_mark(const uint32_t *v, uint32_t count) {
  uint64_t product = UINT64_C(0x9E3779B97F4A7C15);
  for (uint32_t k = 0; k < count; k++) product *= 2 * (uint64_t)v[k] + 1;
  return (uint32_t)(product >> 32);
}

// How many darts the canonical dart of a facet with 2, 3 or 4 corners lies behind the first; its smallest vertex.
// Without branches: no processor can guess which corner is the smallest.
static inline uint32_t map_facet_canonical(const uint32_t *v, uint32_t count, uint32_t *least) {
  if (count == 2) {
    *least = v[1] < v[0] ? v[1] : v[0];
    return v[1] < v[0];
  }
  if (count == 3) {
    static const uint8_t positions[8] = {[4] = 0, [5] = 1, [1] = 2, [3] = 3, [2] = 4, [6] = 5};
    const uint32_t low = v[1] < v[0] ? v[1] : v[0];
    *least = v[2] < low ? v[2] : low;
    return positions[(uint32_t)(v[1] < v[0]) | (uint32_t)(v[2] < v[1]) << 1 | (uint32_t)(v[0] < v[2]) << 2];
  }
  static const uint8_t positions[32] = {0, 1, 0, 1, 3, 3, 6, 6, 0, 2, 0, 2, 3, 3, 5, 5,
                                        7, 1, 7, 1, 4, 4, 6, 6, 7, 2, 7, 2, 4, 4, 5, 5};
  const uint32_t low = v[1] < v[0] ? v[1] : v[0], high = v[3] < v[2] ? v[3] : v[2];
  *least = high < low ? high : low;
  return positions[(uint32_t)(v[1] < v[0]) | (uint32_t)(v[3] < v[2]) << 1 | (uint32_t)(high < low) << 2 |
                   (uint32_t)(v[2] < v[0]) << 3 | (uint32_t)(v[3] < v[1]) << 4];
}

// The corners that a template's facet has, from one of its darts on: round the facet, or to and fro along an edge. Two
// facets have the same vertices in four such corners from their canonical darts on, or they are different.
typedef struct map_facet_corners {
  uint8_t of[CLV_TEMPLATE_DARTS][4];
} map_facet_corners;

#endif
