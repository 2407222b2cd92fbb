// Ties: copies of a vertex that cannot come apart yet.
//
// A vertex in the middle of an edge may hang in several coarse cells. They have that edge in common, until a crack
// parts one of its ends, or both, and stops at the middle. Then there are two edges with one middle, and both are
// straight. Coarse cells have no way to open a crack that ends inside an edge; if the middle followed one of them, it
// would have to jump to the other's as soon as it is parted, too. So the ends stay together until then: all but one of
// each get a single parent, where they lie. They were one vertex when they were parted, so nothing jumps when a tie
// comes, and nothing when it goes. Ends that hang have parents of their own, and these are tied in turn.

#ifndef PHYSICS_TIE_H
#define PHYSICS_TIE_H

#include "physics/hanging.h"

// Fills in `ties`, by what the table and `others` say. False when memory is out; then it can be done again.
bool physics_find_ties(const clv_body *body, physics_hangings *hangings);

#endif
