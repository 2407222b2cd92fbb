// Element types by their names. See abaqus_types.h.

#include "io/abaqus_types.h"

#include "io/text.h"

#include <string.h>
#include <strings.h>

static const struct {
  const char *name;
  abaqus_type type;
} whole_names[] = {
    {"B21", {CLV_LINE, 2}},      {"B22", {CLV_LINE, 3}},  {"B23", {CLV_LINE, 2}},   {"B31", {CLV_LINE, 2}},
    {"B32", {CLV_LINE, 3}},      {"B33", {CLV_LINE, 2}},  {"B31R", {CLV_LINE, 2}},  {"B32R", {CLV_LINE, 3}},
    {"SAX1", {CLV_LINE, 2}},     {"SAX2", {CLV_LINE, 3}}, {"STRI65", {CLV_TRI, 6}}, {"MASS", {CLV_POINT, 1}},
    {"ROTARYI", {CLV_POINT, 1}},
};

// Longer names before those they begin with.
static const struct {
  const char *prefix;
  int dimension;
} families[] = {
    {"DCC3D", 3}, {"DC3D", 3}, {"AC3D", 3},  {"C3D", 3},  {"COH3D", 3}, {"SC", 3},   {"CPEG", 2},
    {"CPS", 2},   {"CPE", 2},  {"CGAX", 2},  {"CAX", 2},  {"DC2D", 2},  {"DCAX", 2}, {"AC2D", 2},
    {"ACAX", 2},  {"M3D", 2},  {"SFM3D", 2}, {"STRI", 2}, {"R3D", 2},   {"F3D", 2},  {"DS", 2},
    {"S", 2},     {"T2D", 1},  {"T3D", 1},   {"R2D", 1},  {"F2D", 1},
};

static clv_kind kind_of(int dimension, size_t nodes) {
  static const struct {
    int dimension;
    size_t nodes;
    clv_kind kind;
  } kinds[] = {
      {3, 4, CLV_TET},    {3, 10, CLV_TET},   {3, 5, CLV_PYRAMID}, {3, 13, CLV_PYRAMID}, {3, 6, CLV_PRISM},
      {3, 15, CLV_PRISM}, {3, 18, CLV_PRISM}, {3, 8, CLV_HEX},     {3, 20, CLV_HEX},     {3, 27, CLV_HEX},
      {2, 3, CLV_TRI},    {2, 6, CLV_TRI},    {2, 4, CLV_QUAD},    {2, 8, CLV_QUAD},     {2, 9, CLV_QUAD},
      {1, 2, CLV_LINE},   {1, 3, CLV_LINE},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (kinds[i].dimension == dimension && kinds[i].nodes == nodes) return kinds[i].kind;
  }
  return CLV_NONE;
}

static size_t leading_number(io_span text) {
  size_t number = 0;
  for (size_t i = 0; i < text.size && i < 3 && text.at[i] >= '0' && text.at[i] <= '9'; i++) {
    number = 10 * number + (size_t)(text.at[i] - '0');
  }
  return number;
}

static bool begins_with(io_span name, const char *prefix) {
  size_t size = strlen(prefix);
  return name.size > size && strncasecmp(name.at, prefix, size) == 0;
}

abaqus_type io_abaqus_find_type(io_span name) {
  for (size_t i = 0; i < sizeof whole_names / sizeof *whole_names; i++) {
    if (io_span_is_nocase(name, whole_names[i].name)) return whole_names[i].type;
  }
  for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
    if (!begins_with(name, families[i].prefix)) continue;
    size_t size = strlen(families[i].prefix);
    size_t nodes = leading_number((io_span){name.at + size, name.size - size});
    clv_kind kind = kind_of(families[i].dimension, nodes);
    if (kind != CLV_NONE) return (abaqus_type){kind, nodes};
  }
  return (abaqus_type){CLV_NONE, 0};
}
