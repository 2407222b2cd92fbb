// A body of views whose laws are made by hand: one of every shape, so that views can be tested without the language.

#ifndef CLEAVE_TEST_SUPPORT_HAND_VIEWS_H
#define CLEAVE_TEST_SUPPORT_HAND_VIEWS_H

#include "cleave/view.h"

// The laws that there are, by dimension of the map: springs on edges, corners, hinges and across facets, quadrature on
// every template, pressure on free faces, weight on vertices, and springs that a condition lets come and go. Derived:
// `m` on corners, `mass` on vertices, `ks` on edges. An update: `drift`.
clv_views *hand_views(clv_map *view, const clv_views_def *def, clv_error *error);

#endif
