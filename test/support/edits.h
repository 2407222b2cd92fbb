// Random edits of a map, straight on the kernel: every sort of operation, at places where it has a chance.

#ifndef CLEAVE_TEST_SUPPORT_EDITS_H
#define CLEAVE_TEST_SUPPORT_EDITS_H

#include "cleave/embed.h"
#include "support/random.h"

typedef enum edit_kind {
  EDIT_ADD_CELL,
  EDIT_ADD_POLYGON,
  EDIT_REMOVE_CELL,
  EDIT_SEW,
  EDIT_UNSEW,
  EDIT_INSERT_VERTEX,
  EDIT_INSERT_EDGE,
  EDIT_INSERT_FACE,
  EDIT_REMOVE,
  EDIT_CONTRACT,
  EDIT_SET_VALUE,
  EDIT_COUNT,
} edit_kind;

typedef struct editor {
  clv_map *map;
  random_source random;
  bool orientable;       // sews nothing that makes the map one-sided
  uint32_t small, large; // darts: below cells are added, above they are removed
  uint64_t done[EDIT_COUNT], edits;
  clv_dart *darts; // those there are
  uint32_t dart_count, dart_capacity;
} editor;

// One random edit inside an open transaction; what is refused changes nothing and counts as nothing. New vertices get
// random values in the columns `rest` and `pos`, where the map has them.
void editor_edit(editor *e);
// A transaction of a few edits; some are rolled back. True when something was committed.
bool editor_transaction(editor *e);
void editor_free(editor *e);

#endif
