// A rule applied to a map that is only its links: as plain as the definition, and as slow.

#ifndef CLEAVE_TEST_SUPPORT_NAIVE_RULE_H
#define CLEAVE_TEST_SUPPORT_NAIVE_RULE_H

#include "rule/graph.h"

enum { NAIVE_DARTS = 4096, NAIVE_NONE = 0xFFFF };

typedef struct naive_map {
  uint32_t count;
  uint16_t alpha[4][NAIVE_DARTS];
  bool dead[NAIVE_DARTS];
} naive_map;

// The links of a map of dimension 2 or 3. False when it has too many darts.
bool naive_copy(naive_map *naive, const clv_map *map);
// Every condition of a generalized map; on failure says which.
bool naive_valid(const naive_map *map, char *text, size_t size);
// Applies a rule without levels to these darts. False when it does not match; the map is as it was then. Nothing else is
// looked at: neither guards nor whether the result is sound.
bool naive_apply(naive_map *map, const rule_graph *graph, const uint16_t *hooks);

#endif
