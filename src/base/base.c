// The vocabulary's words: names, dimensions and corner counts of kinds, names of results.
//
// Everything here is a constant table or a pure function of its arguments. This file holds no state and allocates
// nothing of its own; whatever needs memory takes it from a clv_allocator that somebody handed in.

#include "cleave/base.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define BASE_TEXT(x) #x
#define BASE_VERSION(major, minor, patch) BASE_TEXT(major) "." BASE_TEXT(minor) "." BASE_TEXT(patch)

const char *clv_version(void) {
  return BASE_VERSION(CLV_VERSION_MAJOR, CLV_VERSION_MINOR, CLV_VERSION_PATCH);
}

const char *clv_result_name(clv_result result) {
  switch (result) {
  case CLV_OK:
    return "ok";
  case CLV_ERROR_MEMORY:
    return "out of memory";
  case CLV_ERROR_ARGUMENT:
    return "bad argument";
  case CLV_ERROR_REFUSED:
    return "refused";
  case CLV_ERROR_INPUT:
    return "bad input";
  case CLV_ERROR_SYSTEM:
    return "system error";
  case CLV_ERROR_INVALID:
    return "invalid";
  }
  return "unknown result";
}

clv_result clv_error_set(clv_error *error, clv_result code, const char *format, ...) {
  if (!error) return code;
  error->code = code;
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(error->message, sizeof error->message, format, arguments);
  va_end(arguments);
  if (length < 0) error->message[0] = '\0'; // a text that cannot be encoded must not leave half of one behind
  return code;
}

typedef struct base_kind {
  const char *name;
  int dimension;
  int corners;
} base_kind;

static const base_kind base_kinds[CLV_KIND_COUNT] = {
    [CLV_NONE] = {"none", -1, 0},  [CLV_TRI] = {"tri", 2, 3},         [CLV_QUAD] = {"quad", 2, 4},
    [CLV_TET] = {"tet", 3, 4},     [CLV_PYRAMID] = {"pyramid", 3, 5}, [CLV_PRISM] = {"prism", 3, 6},
    [CLV_HEX] = {"hex", 3, 8},     [CLV_POLYGON] = {"polygon", 2, 0}, [CLV_POLYHEDRON] = {"polyhedron", 3, 0},
    [CLV_POINT] = {"point", 0, 1}, [CLV_LINE] = {"line", 1, 2},
};

// A number that is no kind (a byte from a damaged file) reads as CLV_NONE.
static const base_kind *base_kind_of(clv_kind kind) {
  bool known = (unsigned)kind < CLV_KIND_COUNT;
  return &base_kinds[known ? kind : CLV_NONE];
}

const char *clv_kind_name(clv_kind kind) {
  return base_kind_of(kind)->name;
}

clv_kind clv_kind_from_name(const char *name) {
  if (!name) return CLV_NONE;
  for (int kind = CLV_NONE + 1; kind < CLV_KIND_COUNT; kind++) {
    if (strcmp(base_kinds[kind].name, name) == 0) return (clv_kind)kind;
  }
  return CLV_NONE;
}

int clv_kind_dimension(clv_kind kind) {
  return base_kind_of(kind)->dimension;
}

int clv_kind_corners(clv_kind kind) {
  return base_kind_of(kind)->corners;
}
