// The sets of an Abaqus file, of nodes or of elements: names, and what they are made of.
//
// A set may be declared in pieces, before or after its members, and may name other sets that came before. So the pieces
// are only listed while the file is read; at the end, when all nodes and elements are known, they are gone through.
// Numbers belong to a part (scope), because every part of an assembly counts from 1.

#ifndef IO_ABAQUS_SETS_H
#define IO_ABAQUS_SETS_H

#include "io/names.h"
#include "io/tags.h"

// Some members of a set: numbers of a scope from first to last by steps, or indices of the mesh.
typedef struct abaqus_piece {
  uint32_t set, scope;
  int64_t first, last, step;
  bool are_indices;
  const char *mark; // where it stands, for messages
} abaqus_piece;

typedef struct abaqus_sets {
  const char *things; // "node" or "element"
  io_names names;     // in small letters
  io_span *spelled;   // as they first came
  size_t spelled_capacity;
  abaqus_piece *pieces;
  size_t piece_count, piece_capacity;
} abaqus_sets;

// The key of a thing in the io_tags that the members are looked up in.
static inline int64_t io_abaqus_key(uint32_t scope, int64_t number) {
  return (int64_t)scope << 32 | number;
}

// The number of a set; IO_NO_NAME after a failure.
uint32_t io_abaqus_set(io_reader *r, abaqus_sets *sets, io_span name);
bool io_abaqus_add_piece(io_reader *r, abaqus_sets *sets, abaqus_piece piece);
// Adds what the other set has by now.
bool io_abaqus_add_set(io_reader *r, abaqus_sets *sets, uint32_t set, uint32_t other);

// Calls visit for every member there is of every piece; a single number that does not exist is an error.
bool io_abaqus_visit(io_reader *r, const abaqus_sets *sets, const io_tags *tags,
                     void (*visit)(void *user, uint32_t set, uint32_t index), void *user);

#endif
