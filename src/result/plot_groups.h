// Which columns belong into one panel: those that measure the same, by their names.

#ifndef RESULT_PLOT_GROUPS_H
#define RESULT_PLOT_GROUPS_H

#include "result/plot_csv.h"

typedef struct result_quantity {
  const char *name, *unit; // "energy", "J"; both "" for columns that nobody knows
} result_quantity;

result_quantity result_quantity_of(const char *column);

typedef struct result_group {
  result_quantity quantity;
  BASE_ARRAY(uint32_t) columns;
} result_group;

typedef BASE_ARRAY(result_group) result_groups;

// The columns of a table besides the first, or those that are named, in their order. An unknown name is refused, with
// the names there are.
clv_result result_groups_make(result_groups *groups, const result_csv *csv, const char *path,
                              const char *const *columns, uint32_t count, clv_error *error);
void result_groups_free(result_groups *groups, const clv_allocator *allocator);

#endif
