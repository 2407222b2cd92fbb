// Does an assigned value depend on the dart one starts from?

#ifndef RULE_SYMMETRY_H
#define RULE_SYMMETRY_H

#include "rule/word.h"

// Whether a value that speaks of the left side at position p is the same at the position across column `column`. In a
// value for blended embeddings a dart stands for its orbit of `dims`. False means "not proved".
bool rule_value_symmetric(clv_program *program, const rule_graph *graph, const rule_tree *value, uint32_t column,
                          uint32_t dims, uint32_t dimension);

#endif
