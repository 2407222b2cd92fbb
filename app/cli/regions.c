// Files list the elements of a region together as a rule, so runs of equal elements are gathered first and then only
// the runs are sorted; a file that gives every element a tag of its own costs no more than sorting those. See
// regions.h.

#include "regions.h"

#include <stdlib.h>

static int compare(const void *left, const void *right) {
  const cli_region *a = left, *b = right;
  if (a->dimension != b->dimension) return a->dimension > b->dimension ? -1 : 1;
  return (a->tag > b->tag) - (a->tag < b->tag);
}

static bool add(cli_regions *regions, size_t *capacity, cli_region region) {
  cli_region *last = regions->count ? &regions->list[regions->count - 1] : NULL;
  if (last && compare(last, &region) == 0) {
    last->elements += region.elements;
    if (!last->name) last->name = region.name;
    return true;
  }
  if (regions->count == *capacity) {
    const size_t larger = *capacity ? 2 * *capacity : 64;
    cli_region *list = realloc(regions->list, larger * sizeof *list);
    if (!list) return false;
    regions->list = list;
    *capacity = larger;
  }
  regions->list[regions->count++] = region;
  return true;
}

static bool add_all(cli_regions *regions, const clv_mesh *mesh) {
  size_t capacity = 0;
  for (size_t r = 0; r < mesh->region_count; r++) {
    const clv_region *named = &mesh->regions[r];
    if (!add(regions, &capacity, (cli_region){named->dimension, named->tag, named->name, 0})) return false;
  }
  for (size_t e = 0; e < mesh->element_count; e++) {
    const int dimension = clv_kind_dimension((clv_kind)mesh->kinds[e]);
    if (!add(regions, &capacity, (cli_region){dimension, mesh->tags[e], NULL, 1})) return false;
  }
  return true;
}

// Puts equal neighbours together and drops what is no region.
static void settle(cli_regions *regions) {
  size_t kept = 0;
  for (size_t r = 0; r < regions->count; r++) {
    cli_region region = regions->list[r];
    for (; r + 1 < regions->count && compare(&region, &regions->list[r + 1]) == 0; r++) {
      const cli_region *same = &regions->list[r + 1];
      region.elements += same->elements;
      if (!region.name) region.name = same->name;
    }
    if (region.tag != 0 || region.name) regions->list[kept++] = region;
  }
  regions->count = kept;
}

bool cli_regions_collect(cli_regions *regions, const clv_mesh *mesh) {
  *regions = (cli_regions){0};
  if (!add_all(regions, mesh)) {
    cli_regions_free(regions);
    return false;
  }
  if (regions->count) qsort(regions->list, regions->count, sizeof *regions->list, compare);
  settle(regions);
  return true;
}

void cli_regions_free(cli_regions *regions) {
  free(regions->list);
  *regions = (cli_regions){0};
}
