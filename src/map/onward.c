#include "map/onward.h"

// In a map of one kind a block's number tells its row, which is less by those of the first page; so are links and
// slots.
void map_learn_onward(map_onward *onward, uint32_t kind, const clv_suborbits *sub) {
  enum { NO_ROWS = CLV_BLOCK_MASK + 1 };
  const clv_template *shape = &clv_templates[kind];
  if (onward->kind == kind) return;
  onward->kind = kind;
  onward->path = true;
  onward->stride = map_pack((map_place){64, sub->count});
  for (uint32_t d = 0; d < shape->dart_count; d++) {
    const clv_exit *exit = sub->exit + sub->exit_start[sub->of[d]], *end = sub->exit + sub->exit_start[sub->of[d] + 1];
    struct map_exits *at = &onward->at[d];
    for (at->count = 0; exit < end; exit++) {
      if (exit->facet == shape->facet[d]) continue;
      at->link[at->count] = exit->facet - NO_ROWS * (uint32_t)shape->facet_count;
      at->position[at->count++] = exit->position;
    }
    onward->path = onward->path && at->count <= 1;
    for (uint32_t k = 0; k < 8; k++)
      onward->landing[d][k] =
          map_pack((map_place){shape->turn[d][k], sub->of[shape->turn[d][k]] - NO_ROWS * (uint32_t)sub->count});
  }
}
