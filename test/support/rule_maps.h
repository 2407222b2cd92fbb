// Maps that rules are tried on: grids of every kind, and closed surfaces and bodies, with the columns that refinement
// needs, pulled to twice their size at rest; what their cells bear is random.

#ifndef CLEAVE_TEST_SUPPORT_RULE_MAPS_H
#define CLEAVE_TEST_SUPPORT_RULE_MAPS_H

#include "cleave/mesh.h"
#include "support/random.h"

// Sets of maps: grids by kind, and some that are no grids.
enum {
  RULE_TRIS = 1 << CLV_GRID_TRI,
  RULE_QUADS = 1 << CLV_GRID_QUAD,
  RULE_MIXED_FLAT = 1 << CLV_GRID_MIXED2,
  RULE_TETS = 1 << CLV_GRID_TET5 | 1 << CLV_GRID_TET6,
  RULE_HEXES = 1 << CLV_GRID_HEX,
  RULE_MIXED_SOLID = 1 << CLV_GRID_MIXED,
  RULE_FLAT = RULE_TRIS | RULE_QUADS | RULE_MIXED_FLAT,
  RULE_SOLID = RULE_TETS | RULE_HEXES | 1 << CLV_GRID_PRISM | 1 << CLV_GRID_PYRAMID | RULE_MIXED_SOLID,
  RULE_CLOSED_FLAT = 1 << 20,
  RULE_CLOSED_SOLID = 1 << 21,
  RULE_LOOSE = 1 << 22 // a cube of solid cells that are sewn to nothing
};

clv_map *rule_map_grid(clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z);
// One of a set.
clv_map *rule_map_random(random_source *random, uint32_t set);
// True when maps of the set have this map's dimension.
bool rule_map_serves(const clv_map *map, uint32_t set);

// The level of what lies at a dart: "lev", "flev" or "vlev".
int32_t rule_map_level(const clv_map *map, const char *column, clv_dart dart);

// Fails unless every link leads back and links two apart commute: what holds inside a transaction, too.
void rule_map_expect_links(const clv_map *map, const char *where);
// Darts whose cell is open: a link below the map's own dimension is free.
uint32_t rule_map_open_darts(const clv_map *map);
// Fails unless both have the same darts, links and ids, and the same values to the last bit.
void rule_map_expect_equal(const clv_map *a, const clv_map *b, const char *where);

#endif
