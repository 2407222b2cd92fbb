// Levels inside one cell: edges as they were before finer vertices came.
//
// A vertex has the level at which it came, in the column `lev`. The edge of level k at a dart ends at the next vertex of level k
// or below; src/rule/level.c tells how it is found. Here it is walked between commits, for those who keep tables about it.

#ifndef PHYSICS_LEVEL_H
#define PHYSICS_LEVEL_H

#include "cleave/embed.h"
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

// The end of the edge of level k at a dart; false when there is none.
bool physics_level_step(const physics_levels *levels, clv_dart dart, int32_t k, clv_dart *end);
// Calls `each` with a dart of every edge that this one consists of now, in order.
void physics_level_pieces(const physics_levels *levels, clv_dart dart, int32_t k, void (*each)(void *, clv_dart),
                          void *user);

#endif
