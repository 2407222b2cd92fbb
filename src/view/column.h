// Columns of a map as rule files declare them.

#ifndef VIEW_COLUMN_H
#define VIEW_COLUMN_H

#include "cleave/embed.h"
#include "rule/syntax.h"

// Whether a RULE_EMBED or RULE_DERIVE holds whole numbers.
bool view_column_is_whole(const rule_tree *tree);
// Makes the column of a declaration, of which the map has none and for which it has orbits: its type, its policies, and
// the value that it begins with, which may depend on params.
clv_result view_column_create(clv_map *view, const clv_program *program, const double *params, const rule_tree *tree,
                              clv_error *error);

#endif
