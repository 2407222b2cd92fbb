// How a picture looks, by the options that `cleave render` and `cleave film` share.

#ifndef CLI_LOOK_H
#define CLI_LOOK_H

#include "cli.h"

// Fills what the options say into a definition, or complains.
int cli_look(const cli_call *call, clv_picture_def *def);

// For a command's table of options.
#define CLI_LOOK_OPTIONS                                                                                               \
  {.name = "color", .value_count = 1, .values = "FIELD", .what = "colour by a field: von-mises, displacement ..."},    \
      {.name = "range", .value_count = 2, .values = "LEAST GREATEST", .what = "what the colours span"},                \
      {.name = "camera",                                                                                               \
       .value_count = 1,                                                                                               \
       .values = "FROM",                                                                                               \
       .what = "front, back, left, right, top, bottom or X,Y,Z"},                                                      \
      {.name = "zoom", .value_count = 1, .values = "F", .what = "1 unless given: all of it"},                          \
      {.name = "size", .value_count = 2, .values = "WIDTH HEIGHT", .what = "pixels; 960 720 unless given"},            \
      {.name = "clip",                                                                                                 \
       .value_count = 2,                                                                                               \
       .values = "POINT NORMAL",                                                                                       \
       .what = "leave out cells beyond a plane, each X,Y,Z"},                                                          \
      {.name = "shrink", .value_count = 1, .values = "S", .what = "each cell by itself, this much smaller: 0.2"}, {    \
    .name = "no-edges", .what = "faces without their edges"                                                            \
  }

// What every picture's help says of them.
#define CLI_LOOK_HELP                                                                                                  \
  "A field of vectors colours by length. Red faces are those that a cut laid open; red dots are held. The camera "     \
  "looks\n"                                                                                                            \
  "from the side named, or from the direction X,Y,Z seen from the middle; z is up.\n"

#endif
