// The regions of a mesh: each pair of a dimension and a tag that elements have or a name was given to.

#ifndef CLI_REGIONS_H
#define CLI_REGIONS_H

#include <cleave/mesh.h>

typedef struct cli_region {
  int dimension;
  int32_t tag;
  const char *name; // the mesh's; NULL when it has none
  uint64_t elements;
} cli_region;

typedef struct cli_regions {
  cli_region *list; // by dimension, the highest first, then by tag
  size_t count;
} cli_regions;

// Elements without a region (tag 0 and no name for it) are in none. False when memory is out.
bool cli_regions_collect(cli_regions *regions, const clv_mesh *mesh);
void cli_regions_free(cli_regions *regions);

#endif
