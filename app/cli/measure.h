// How large a body is and how well its elements are shaped.
//
// Inverted elements are measured as clv_mesh_build turns them. Quality is known of templates only; the sizes of
// polygons and polyhedra are added up from triangles and tetrahedra. The box holds the vertices of the map: points that
// no cell uses do not stretch it.

#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "body.h"

typedef struct cli_measures {
  double total;             // volume, or area in 2D
  size_t rated;             // elements whose quality is known
  double least, mean, most; // scaled Jacobian of those; meaningless when there are none
  size_t bad;               // how many of them are flat or inverted at some corner: 0 or less
  bool boxed;               // there are vertices, and they lie between low and high
  double low[3], high[3];
} cli_measures;

clv_result cli_measure(const cli_body *body, cli_measures *measures);

#endif
