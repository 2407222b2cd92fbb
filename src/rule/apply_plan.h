// What is known of a rule before it meets a map: in which order its darts are found and made, and which links change.
// The interpreter follows it, and the emitter writes it out.

#ifndef RULE_APPLY_PLAN_H
#define RULE_APPLY_PLAN_H

#include "rule/apply.h"

// True when the right side says something new of a link. Links at levels are only read.
bool apply_tie_changes(const rule_node *node, uint32_t i);
// True when that happens below the map's own dimension.
bool apply_changes_inside(const rule_node *node, uint32_t dimension);

// Columns whose letter a map does not have are left out: there the orbit goes nowhere. column[entry] is -1 for those,
// entry[column] leads back. Returns how many there are.
uint8_t apply_plan_columns(const rule_graph *graph, uint32_t dimension, int16_t *column, uint8_t *entry);

// How a node of the left side is found: from another one, across a dimension.
typedef struct apply_reach {
  uint8_t node, from, dim;
  bool optional;
  rule_letter letter;
} apply_reach;
uint32_t apply_plan_reaches(const rule_graph *graph, uint32_t dimension, apply_reach *reaches);

// How the side of a new dart is found.
typedef struct apply_descent {
  uint8_t node;
  int8_t from; // its neighbour that lies on the other side; -1: it lies where the hook does
} apply_descent;
uint32_t apply_plan_descents(const rule_graph *graph, apply_descent *descents);

#endif
