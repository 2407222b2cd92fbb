// How an orbit goes on from cell to cell, in maps of one kind: constants of the shape, laid out for those who go over
// many places (lose.c, cull.c).

#ifndef MAP_ONWARD_H
#define MAP_ONWARD_H

#include "map/walk.h"

enum { MAP_MOST_FACETS = 6, MAP_MOST_CORNERS = 8, MAP_MOST_EDGES = 12 }; // of a template

typedef struct map_place {
  clv_dart dart;
  uint32_t slot; // of its id
} map_place;

// A place as one number, so that dart and slot are computed at once.
static inline uint64_t map_pack(map_place place) {
  return (uint64_t)place.slot << 32 | place.dart;
}
static inline map_place map_unpack(uint64_t packed) {
  return (map_place){(clv_dart)packed, (uint32_t)(packed >> 32)};
}

// Of each dart of a kind: the exits of its place, but for the one through its own facet. So an orbit goes on for those
// who came in there.
typedef struct map_onward {
  uint32_t kind; // CLV_NONE until somebody asks
  bool path;     // no place has more than one: what begins at a facet is a path
  struct map_exits {
    // Where the way's link lies, less the links of as many cells as the number of the block says.
    uint32_t link[MAP_MOST_FACETS];
    uint8_t count, position[MAP_MOST_FACETS];
  } at[CLV_TEMPLATE_DARTS];
  // By link and position: the dart beyond and its slot, less those of as many cells; and what a cell has of both.
  uint64_t landing[CLV_TEMPLATE_DARTS][8], stride;
} map_onward;

// Learns them of one sort of orbit, unless they are known.
void map_learn_onward(map_onward *onward, uint32_t kind, const clv_suborbits *sub);

#endif
