// Refined bodies, for tests: levels, and random changes of topology.

#ifndef CLEAVE_TEST_SUPPORT_REFINE_H
#define CLEAVE_TEST_SUPPORT_REFINE_H

#include "cleave/rule.h"
#include "support/bodies.h"

// Grids of kinds that can be refined, and all models; whether one serves the other.
enum { REFINED_GRIDS = 5, REFINED_MODELS = 9 };
extern const clv_grid_kind refined_grids[REFINED_GRIDS];
extern const char *const refined_models[REFINED_MODELS];
bool refined_serves(const char *model, clv_grid_kind kind);
// A grid of 2 x 2 x 1 cells.
body_setup refined_setup(clv_grid_kind kind, const char *model);

// A body whose map has levels, and the rules that refine it.
typedef struct refined {
  clv_body *body;
  clv_map *map;
  const clv_program *rules; // "topology"
  random_source random;
} refined;

// Takes the body as it is, and gives its map the columns that levels need.
refined refined_of(clv_body *body, const clv_program *rules, uint64_t seed);

// The level of a cell, and of a vertex.
int32_t refined_cell_level(const refined *r, clv_dart cell);
int32_t refined_vertex_level(const refined *r, clv_dart dart);

// Each returns whether something was changed; one commit each.
bool refined_refine(refined *r, clv_dart cell); // a cell that has a shape
bool refined_refine_some(refined *r, int32_t deepest);
void refined_refine_many(refined *r, uint32_t count, int32_t deepest);
bool refined_coarsen_some(refined *r);
bool refined_cut_some(refined *r);
bool refined_remove_some(refined *r);
// Some cell, by chance; 0 when there is none.
clv_dart refined_any_cell(refined *r);
// Coarsens until nothing is left to coarsen.
void refined_coarsen_all(refined *r);
// The map is sound, and views are as if they were built anew.
void refined_check(const refined *r, const char *after);

#endif
