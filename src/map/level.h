// Edges at a level: as they were before finer vertices came.
//
// A vertex has the level at which it came; who keeps that number, and where, is no business of the map, so it is asked
// for. The end of the edge of level k at a dart is found by going along: where the raw edge ends in a vertex of a
// higher level, the finer edge is followed to its end, which is the middle of this one. Its other half is the one among
// the edges that leave the middle in the same volume (in 2D: in the same face) whose own end has a level of k at the
// most. All who follow refined edges follow them here.

#ifndef MAP_LEVEL_H
#define MAP_LEVEL_H

#include "cleave/map.h"

#define MAP_NO_LEVEL INT32_MAX // of a vertex that nobody can tell about; no edge leads there

// Who tells the level of a dart's vertex.
typedef struct map_levels {
  const clv_map *view;
  int32_t (*at)(const void *user, clv_dart dart);
  const void *user;
  bool across; // 2D: the middle may be passed from face to face, where the edge belongs to one that was refined
} map_levels;

// Where the edge of level k at a dart ends; false where there is none.
bool map_level_step(const map_levels *levels, clv_dart dart, int32_t k, clv_dart *end);

// Calls `each` with a dart of every raw edge that the edge of level k at a dart consists of, in order. False when
// `each` says so, and where the edge leads nowhere.
typedef bool map_level_visitor(void *user, clv_dart piece);
bool map_level_pieces(const map_levels *levels, clv_dart dart, int32_t k, map_level_visitor *each, void *user);

#endif
