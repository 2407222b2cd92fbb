// The element types of Abaqus and CalculiX, by their names.
//
// A name is a family, which tells the dimension, the number of nodes, and letters for variants that do not matter here:
// C3D10M, S4R, CPS8R. Where the digits mean something else (B31, STRI65) the table has the whole name.

#ifndef IO_ABAQUS_TYPES_H
#define IO_ABAQUS_TYPES_H

#include "io/reader.h"

typedef struct abaqus_type {
  clv_kind kind;
  size_t nodes;
} abaqus_type;

// kind is CLV_NONE for a type that is not known.
abaqus_type io_abaqus_find_type(io_span name);

#endif
