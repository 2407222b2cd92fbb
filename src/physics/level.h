// Levels inside one cell: edges as they were before finer vertices came.
//
// A vertex has the level at which it came, in the column `lev`. The edge of level k at a dart ends at the next vertex
// of level k or below (map/level.h). Here it is walked between commits, for those who keep tables about it.

#ifndef PHYSICS_LEVEL_H
#define PHYSICS_LEVEL_H

#include "cleave/embed.h"
#include "map/level.h"
#include "map/walk.h"

typedef struct physics_levels {
  const map *m;
  const map_index *vertices;
  const int32_t *of; // by slot
} physics_levels;

// False when the map has no levels.
bool physics_levels_find(physics_levels *levels, const clv_map *view);

static inline uint32_t physics_slot_at(const physics_levels *levels, clv_dart dart) {
  return map_index_get(levels->m, levels->vertices, dart);
}
static inline int32_t physics_level_at(const physics_levels *levels, clv_dart dart) {
  return levels->of[physics_slot_at(levels, dart)];
}

// The vertices that the commit at hand has put between two coarser ones, the ends of an edge, in the order in which
// they were made, as whoever put them there said; how many there were.
typedef void physics_birth_visitor(void *user, uint32_t slot, const uint32_t ends[2]);
uint32_t physics_births(const physics_levels *levels, physics_birth_visitor *each, void *user);

// As the map has it.
bool physics_level_step(const physics_levels *levels, clv_dart dart, int32_t k, clv_dart *end);
bool physics_level_pieces(const physics_levels *levels, clv_dart dart, int32_t k, map_level_visitor *each, void *user);

#endif
