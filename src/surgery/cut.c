// Cutting: facets are unsewn.

#include "surgery/surgery.h"

clv_result surgery_unsew_facets(clv_surgery *s) {
  const uint32_t n = s->map->dimension;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < s->facets.count; k++) {
    if (clv_is_free(s->map, s->facets.data[k], n)) continue; // listed twice
    result = clv_map_unsew(s->map, n, s->facets.data[k]);
    s->did.facets++;
  }
  return surgery_of_map(s, result);
}

clv_result clv_surgery_cut(clv_surgery *s, const clv_cut *cut, clv_surgery_report *report) {
  if (report) *report = (clv_surgery_report){0};
  clv_result result = surgery_select(s, cut);
  if (result != CLV_OK || !s->facets.count) return result;
  result = surgery_begin(s);
  if (result != CLV_OK) return result;
  return surgery_end(s, surgery_unsew_facets(s), report);
}

clv_result clv_surgery_select(clv_surgery *s, const clv_cut *cut, const clv_dart **facets, uint32_t *count) {
  *facets = NULL;
  *count = 0;
  clv_result result = surgery_select(s, cut);
  if (result == CLV_OK) result = surgery_distinct_facets(s);
  if (result != CLV_OK) return result;
  *facets = s->facets.data;
  *count = s->facets.count;
  return CLV_OK;
}
