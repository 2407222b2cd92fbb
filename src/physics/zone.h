// Zones: which particles and cells of a body a part of space holds.

#ifndef PHYSICS_ZONE_H
#define PHYSICS_ZONE_H

#include "physics/body.h"

// The slots of the vertices in a zone, in order, in body->found.
clv_result physics_zone_vertices(clv_body *body, const clv_zone *zone);

// Calls `each` with a dart of every cell of a zone, in order of kind and row; explicit cells, which have no rows,
// behind them. The map is not to be changed meanwhile.
typedef void physics_cell_visitor(void *user, clv_dart cell);
clv_result physics_zone_cells(clv_body *body, const clv_zone *zone, physics_cell_visitor *each, void *user);

// What is wrong with a zone: NULL when nothing is.
const char *physics_zone_wrong(const clv_zone *zone);

// Displaces a zone of space; all and regions stay where they are.
void physics_zone_displace(clv_zone *zone, const double by[3]);

// Remembers the points of the elements of a mesh that are no cells.
clv_result physics_zone_remember(clv_body *body, const clv_mesh *mesh, clv_error *error);

#endif
