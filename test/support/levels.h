// Levels of cells that tests refine by hand: a column of whole numbers on vertices, the greatest of which a cell has.

#ifndef CLEAVE_TEST_SUPPORT_LEVELS_H
#define CLEAVE_TEST_SUPPORT_LEVELS_H

#include "cleave/embed.h"

static inline int32_t level_of(const clv_map *view, const clv_column *lev, clv_dart cell) {
  const clv_kind kind = clv_cell_shape(view, cell);
  const uint32_t count = clv_templates[kind].corner_count;
  const int32_t *levels = clv_column_data(lev, CLV_NONE, NULL);
  int32_t level = 0;
  for (uint32_t c = 0; c < count; c++) {
    const int32_t at = levels[view->corners[kind][(size_t)clv_cell_row(view, cell) * count + c]];
    level = at > level ? at : level;
  }
  return level;
}

static inline clv_result refine_into(clv_map *view, clv_column *lev, clv_dart dart, int32_t level,
                                     clv_refined *refined) {
  const int32_t next = level + 1;
  clv_result result = clv_map_refine(view, dart, (uint32_t)level, clv_column_data(lev, CLV_NONE, NULL), refined);
  for (uint32_t k = 0; result == CLV_OK && k < refined->vertex_count; k++)
    result = clv_column_set(lev, refined->vertices[k], &next);
  return result;
}

static inline clv_result refine_from(clv_map *view, clv_column *lev, clv_dart dart, int32_t level) {
  clv_refined refined;
  return refine_into(view, lev, dart, level, &refined);
}

#endif
