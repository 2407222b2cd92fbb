// The order in which a direct solver eliminates vertices: searched for once, kept through commits.
//
// A good order is what makes sparse factors sparse, and finding one takes as long as counting what they will hold. It
// is searched for among vertices, not axes, and each vertex remembers its rank in a column of the body: what a cut
// parts has the rank of what it was, and fills no more than that did; what is new, as where a cell was refined, comes
// behind the last of its neighbours. Where a quarter of the vertices has no rank of its own any more a new order is
// searched for.
//
// So an order depends on what the body went through, and a run that is resumed has to go on with the same bits: ranks
// are saved with the body's other columns, and everything else here follows from them and from the pattern.

#ifndef SOLVE_ORDER_H
#define SOLVE_ORDER_H

#include "base/memory.h"

#ifdef CLEAVE_HAVE_CHOLMOD

#include <cholmod.h>

// Orders the unknowns of a matrix, of which the lower triangle is given. `unknowns` are entries of vectors, three a
// slot; `ranks` has a number for each slot: 0 for none, whole where it was found in a search. Those of vertices that
// have unknowns are written. order[k] is the k-th unknown to be eliminated. False when memory is out.
bool order_unknowns(cholmod_sparse *lower, const uint32_t *unknowns, double *ranks, int64_t *order,
                    cholmod_common *common, const clv_allocator *allocator);

#endif

#endif
