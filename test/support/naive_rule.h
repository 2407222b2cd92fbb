// A rule applied to a map that is only its links: as plain as the definition, and as slow.

#ifndef CLEAVE_TEST_SUPPORT_NAIVE_RULE_H
#define CLEAVE_TEST_SUPPORT_NAIVE_RULE_H

#include "rule/graph.h"
#include "support/random.h"

enum { NAIVE_DARTS = 4096, NAIVE_NONE = 0xFFFF };

typedef struct naive_map {
  uint32_t count;
  uint16_t alpha[4][NAIVE_DARTS];
  bool dead[NAIVE_DARTS];
} naive_map;

// Where a rule matches: the darts of its left nodes, NAIVE_NONE for one that is not present, and the position across
// each column.
enum { NAIVE_POSITIONS = 512 };
typedef struct naive_match {
  const rule_graph *graph;
  const naive_map *map;
  uint32_t count;
  uint16_t across[NAIVE_POSITIONS][RULE_LETTERS];
  uint16_t dart[NAIVE_POSITIONS][RULE_NODES];
} naive_match;

// The links of a map of dimension 2 or 3. False when it has too many darts.
bool naive_copy(naive_map *naive, const clv_map *map);
// A map of a few cells, sewn and unsewn in every dimension: valid, and wild.
void naive_random(naive_map *naive, uint32_t dimension, random_source *source);
// Every condition of a generalized map; on failure says which.
bool naive_valid(const naive_map *map, char *text, size_t size);
// Matches a rule without levels at these darts.
bool naive_find(naive_match *match, const naive_map *map, const rule_graph *graph, const uint16_t *hooks);
// Applies a rule without levels to these darts. False when it does not match; the map is as it was then. Nothing else
// is looked at: neither guards nor whether the result is sound.
bool naive_apply(naive_map *map, const rule_graph *graph, const uint16_t *hooks);

#endif
