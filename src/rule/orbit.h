// Orbits of a rule's nodes, and the dimensions that an orbit's name stands for.

#ifndef RULE_ORBIT_H
#define RULE_ORBIT_H

#include "rule/graph.h"

// The dimensions of a RULE_ORBIT in maps of one dimension, as bits; what it does not know counts as nothing.
uint32_t rule_orbit_dims(const rule_tree *orbit, uint32_t dimension);

// Nodes that arcs of these dimensions join on one side belong to one orbit at each position: class[k] is the least node
// of k's class. Optional arcs join when they are asked for, or are the same on both sides.
void rule_orbit_classes(const rule_graph *graph, int side, uint32_t dims, bool optional, uint8_t *class);

#endif
