// Embeddings: typed columns of values on the orbits of a map.
//
// A column lives on one sort of orbit and says, when it is created, what happens to its values when those orbits split,
// merge, appear and vanish; nobody else needs to know. At a commit every orbit that changed is made of parts: what is
// left of the old orbits in it, each with its weight. First each old value is divided among its parts (the split
// policy), then the parts of each new orbit are put together (the merge policy); an orbit without parts is new. A part
// whose cells were deleted takes its share with it.
//
// Storage is dense. On an orbit that crosses cells (vertex, edge, face) the values lie by slot: the index of the
// orbit's id. On an orbit inside a cell (a corner, the cell itself) no index is needed: sub-orbit s of row r of a
// template kind has slot r * count + s, and the values of each kind are one array. Kernels stream through these arrays
// directly.

#ifndef CLEAVE_EMBED_H
#define CLEAVE_EMBED_H

#include "cleave/map.h"

CLV_BEGIN_DECLS

typedef struct clv_column clv_column;

typedef enum clv_type {
  CLV_DOUBLE = 0,
  CLV_FLOAT,
  CLV_INT32,
  CLV_UINT32,
  CLV_BYTES, // opaque: policies that compute (share, sum, mean, recompute) are refused
} clv_type;

// What each part of an orbit gets of its value.
typedef enum clv_split_policy {
  CLV_SPLIT_COPY = 0, // all of it
  CLV_SPLIT_SHARE,    // its share: weight of the part over weight of all
} clv_split_policy;

// What an orbit gets from its parts.
typedef enum clv_merge_policy {
  CLV_MERGE_KEEP = 0,  // the value of the part that keeps its id, or of the heaviest
  CLV_MERGE_SUM,       //
  CLV_MERGE_MEAN,      // by weight
  CLV_MERGE_RECOMPUTE, // the sum of `contribution` over the orbit, whenever its members change
  CLV_MERGE_ERROR,     // a merge is refused: the commit fails
} clv_merge_policy;

// What a new orbit gets.
typedef enum clv_create_policy {
  CLV_CREATE_VALUE = 0, // the column's initial value
  CLV_CREATE_MEAN, // the mean of what it came between (a vertex put into an edge: its two ends); else the initial value
} clv_create_policy;

// One part of a new orbit, for a policy of one's own.
typedef struct clv_part {
  const void *value; // what the old orbit had, whole
  double share;      // weight of the part over the weight of the old orbit, deleted parts included
} clv_part;

// A policy in C: puts the value of the orbit at `dart` together from its parts; none for a new orbit, when `value`
// holds what the create policy gave. It may read the map and other columns, not change them.
typedef void clv_policy(void *user, const clv_map *map, clv_dart dart, const clv_part *parts, uint32_t count,
                        void *value);

typedef struct clv_column_def {
  const char *name; // unique in its map
  clv_orbit orbit;
  clv_type type;
  uint32_t components; // values per orbit; bytes for CLV_BYTES
  const void *initial; // NULL: zeros
  clv_create_policy create;
  clv_split_policy split;
  clv_merge_policy merge;
  // Weights and recomputation. A column of the same type and components on the orbit seen from one cell (for a vertex:
  // the corner), whose first component is a part's weight; without it a part weighs as many darts as it has.
  const clv_column *contribution;
  clv_policy *policy; // replaces split, merge and create
  // Called for each value whose orbit is gone, before its slot is free.
  void (*destroy)(void *user, const clv_map *map, void *value);
  void *user;
  // It comes and goes while journals record: it is listed behind all that do not, journals know nothing of it, and
  // clv_column_set refuses it.
  bool passing;
} clv_column_def;

// Three doubles on a vertex, zero at first, copied by a split, the mean after a merge, half way between the ends on a
// new vertex: a position.
CLV_API clv_column_def clv_default_column_def(void);
// Not inside a transaction. The column belongs to the map.
CLV_API clv_result clv_column_create(clv_map *map, const clv_column_def *def, clv_column **column);
// Does nothing inside a transaction, and to a column that another one has as its contribution: destroy that one first.
CLV_API void clv_column_destroy(clv_map *map, clv_column *column);
CLV_API clv_column *clv_column_find(const clv_map *map, const char *name);
// The k-th column, NULL past the last.
CLV_API clv_column *clv_column_list(const clv_map *map, uint32_t k);
// As it was defined, with its name copied.
CLV_API const clv_column_def *clv_column_get_def(const clv_column *column);
// Bytes of one value.
CLV_API size_t clv_column_size(const clv_column *column);

// The value at a dart; NULL for an orbit that the open transaction made. Pointers live until the next commit or
// creation.
CLV_API void *clv_column_at(const clv_column *column, clv_dart dart);
// The value of an orbit that crosses cells, by its id; NULL when it is gone.
CLV_API void *clv_column_of(const clv_column *column, clv_id id);
// All values: by slot (kind CLV_NONE) for an orbit that crosses cells; by row and sub-orbit of a template kind for one
// that does not; or by slot in explicit cells (CLV_POLYGON, CLV_POLYHEDRON). *count, if not NULL, says how many; holes
// are values nobody has.
CLV_API void *clv_column_data(const clv_column *column, clv_kind kind, uint32_t *count);

// Gives the orbit at a dart, and all that comes of it until then, a value at commit, after all policies, so that new
// orbits can have one too. Inside a transaction.
CLV_API clv_result clv_column_set(clv_column *column, clv_dart dart, const void *value);

// Bytes held for values, slack included.
CLV_API size_t clv_column_bytes(const clv_map *map);

CLV_END_DECLS

#endif
