// The tables of a rule: what its inner part is at every dart of every template.

#ifndef RULE_EMIT_RULE_TABLE_H
#define RULE_EMIT_RULE_TABLE_H

#include "rule/apply.h"

enum { TABLE_ROWS = 255, TABLE_POSITIONS = CLV_TEMPLATE_DARTS };

// One way the inner part of a hook's component lies in a cell.
typedef struct table_row {
  uint8_t count;  // positions
  uint8_t shape;  // which of the tables of positions
  uint8_t *darts; // [position * nodes + node]
} table_row;

typedef struct table_shape {
  uint32_t count, columns;
  uint32_t across[TABLE_POSITIONS * RULE_LETTERS];
} table_shape;

typedef struct rule_table {
  clv_allocator allocator;
  uint32_t dimension;
  bool inside[RULE_NODES]; // the nodes that lie in a hook's cell for certain
  uint8_t start[RULE_PARAMETERS][CLV_TEMPLATE_LAST + 1][CLV_TEMPLATE_DARTS]; // row + 1; 0: none
  BASE_ARRAY(table_row) rows[RULE_PARAMETERS];
  BASE_ARRAY(table_shape) shapes;
  bool no_memory;
} rule_table;

// Whether the rule has tables at all: all letters of its hooks are plain and stay inside a cell.
bool rule_table_applies(const rule_graph *graph, uint32_t dimension);
// Fills the tables. False when memory is out.
bool rule_table_make(rule_table *table, const clv_program *program, const rule_graph *graph, uint32_t dimension,
                     const clv_allocator *allocator);
void rule_table_free(rule_table *table, const rule_graph *graph);

#endif
