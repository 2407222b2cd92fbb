// A well-shaped cell of every template, by corners.

#ifndef CLEAVE_TEST_SUPPORT_TEMPLATE_SHAPES_H
#define CLEAVE_TEST_SUPPORT_TEMPLATE_SHAPES_H

#include "cleave/base.h"

static const double template_shapes[CLV_TEMPLATE_LAST + 1][8][3] = {
    [CLV_TRI] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    [CLV_QUAD] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
    [CLV_TET] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [CLV_PYRAMID] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}},
    [CLV_PRISM] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    [CLV_HEX] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
};

#endif
