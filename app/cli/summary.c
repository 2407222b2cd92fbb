// Gathers. See summary.h.

#include "summary.h"

clv_result cli_summary_gather(cli_summary *summary, const cli_body *body) {
  *summary = (cli_summary){.body = body, .dimension = (int)body->map->dimension};
  const clv_mesh *mesh = &body->mesh;
  for (size_t e = 0; e < mesh->element_count; e++) summary->element_kinds[mesh->kinds[e]]++;
  clv_result result = clv_map_count(body->map, &summary->map);
  if (!result) result = cli_measure(body, &summary->measures);
  if (!result && !cli_regions_collect(&summary->regions, mesh)) result = CLV_ERROR_MEMORY;
  summary->map_bytes = clv_map_bytes(body->map);
  summary->column_bytes = clv_column_bytes(body->map);
  return result;
}

void cli_summary_free(cli_summary *summary) {
  cli_regions_free(&summary->regions);
}
