// From a body to flat arrays: the same elements with the same constants, for loops that know no topology.

#ifndef BENCH_FLATTEN_H
#define BENCH_FLATTEN_H

#include "../flat/flat.h"
#include "cleave/cleave.h"

typedef struct flat_list {
  uint32_t count, corners, values;
  uint32_t *corner; // [element][corners]
  double *value;    // [element][values]
} flat_list;

// One spring an edge, of stiffness `ks`; and, where there are any, four for the diagonals of a hexahedron, of stiffness
// `k_diagonal`.
flat_list flat_list_springs(const clv_map *map);
// Tetrahedra, with their coefficients `mu` and `lam`.
flat_list flat_list_tetrahedra(const clv_map *map);
void flat_list_free(flat_list *list);

// As scalar and as wide loops want it; particles are for the caller to fill in.
flat_mesh flat_mesh_scalar(const flat_list *list);
flat_mesh flat_mesh_wide(const flat_list *list);
void flat_mesh_free(flat_mesh *mesh);

// A vertex column's values, by slot.
double *flat_column(const clv_map *map, const char *name);

#endif
