#include "body.h"
#include "view/views.h"

clv_result bench_build_tables(clv_views *views) {
  for (uint32_t k = 0; k < views->tables.count; k++)
    if (!view_table_build(&views->tables.data[k], &views->shop)) return CLV_ERROR_MEMORY;
  return CLV_OK;
}
