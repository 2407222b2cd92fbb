// The sections of MEDIT's files that hold elements: what reader and writer must agree on.

#ifndef IO_MEDIT_SECTIONS_H
#define IO_MEDIT_SECTIONS_H

#include "cleave/base.h"

typedef struct medit_section {
  const char *keyword; // in a text
  int32_t code;        // in a binary file
  unsigned char kind, nodes;
} medit_section;

enum {
  MEDIT_DIMENSION = 3,
  MEDIT_VERTICES = 4,
  MEDIT_END = 54,
  MEDIT_FIRST_ORDER = 7, // so many sections are written, in this order
  MEDIT_SECTION_COUNT = 15,
};

// In second-order elements the corners come first. Old programs write Hexaedra.
static const medit_section medit_sections[MEDIT_SECTION_COUNT] = {
    {"Edges", 5, CLV_LINE, 2},       {"Triangles", 6, CLV_TRI, 3},          {"Quadrilaterals", 7, CLV_QUAD, 4},
    {"Tetrahedra", 8, CLV_TET, 4},   {"Prisms", 9, CLV_PRISM, 6},           {"Pyramids", 49, CLV_PYRAMID, 5},
    {"Hexahedra", 10, CLV_HEX, 8},   {"Hexaedra", 10, CLV_HEX, 8},          {"EdgesP2", 25, CLV_LINE, 3},
    {"TrianglesP2", 24, CLV_TRI, 6}, {"QuadrilateralsQ2", 27, CLV_QUAD, 9}, {"TetrahedraP2", 30, CLV_TET, 10},
    {"PrismsP2", 86, CLV_PRISM, 18}, {"PyramidsP2", 87, CLV_PYRAMID, 14},   {"HexahedraQ2", 33, CLV_HEX, 27},
};

#endif
