// The embedding of a map: all its columns, and what a commit does to them.
//
// The first half of a commit computes the new values of every changed orbit into a staging buffer, from old values
// alone; the second half copies them to their slots. Inner columns (corners, cells) come first, because others may be
// recomputed from them; values set by hand come last.

#ifndef EMBED_EMBED_H
#define EMBED_EMBED_H

#include "cleave/embed.h"
#include "embed/trace.h"

typedef struct embed_values {
  uint8_t *data;
  uint32_t capacity; // in values
} embed_values;

struct clv_column {
  map *map;
  clv_column_def def; // its name and initial value are copies:
  char *name;
  void *initial;
  map_index *index;
  size_t size; // bytes of a value
  uint32_t number;
  embed_values slots;                 // by id; in explicit cells for an inner orbit
  embed_values rows[MAP_TEMPLATES];   // inner orbits: by row and sub-orbit
  embed_values births;                // by vertex born in this commit between two others
  embed_values staged;                // by orbit of the plan
  BASE_ARRAY(double) weights, shares; // by part of the plan
};

// Most values are a number or a point.
static inline void embed_copy_value(uint8_t *to, const uint8_t *from, size_t size) {
  if (size == sizeof(double))
    memcpy(to, from, sizeof(double));
  else if (size == 3 * sizeof(double))
    memcpy(to, from, 3 * sizeof(double));
  else if (size == sizeof(uint32_t))
    memcpy(to, from, sizeof(uint32_t));
  else
    memcpy(to, from, size);
}

typedef struct embed_parents {
  clv_dart child, ends[2];
  uint32_t number; // in the order of the log
  uint32_t entry;  // of it
} embed_parents;

// A level that the open transaction gives the vertex of a dart.
typedef struct embed_given {
  clv_dart dart;
  uint32_t number; // in the log
  int32_t level;
} embed_given;

typedef struct embedding {
  map *map;
  BASE_ARRAY(clv_column *) columns;
  BASE_ARRAY(uint64_t) names;                  // by column: its name's first letters
  uint32_t drawers[64];                        // by drawer: 1 + the first column with such letters; 0 for none
  BASE_ARRAY(embed_parents) parents, by_child; // of this commit's new vertices
  BASE_ARRAY(embed_moment) stated;             // values set by hand: at which darts, by which entries (recall.c)
  embed_trace trace;
  uint32_t followed;         // the entry behind the one whose orbit was followed last
  uint32_t loosened;         // as embed_loosened says, once it was asked
  embed_passage passages[4]; // as embed_find_passages says, likewise
  bool loosened_is_known, passages_are_known;
  BASE_ARRAY(uint32_t) heirs; // where in the log each cell begins that took the place of others
  BASE_ARRAY(clv_part) parts;
  BASE_ARRAY(embed_given) given; // in order of dart, of the log that had so many entries at that revision (level.c)
  uint32_t given_log;
  uint64_t given_revision;
  bool rejoins; // this commit puts together what was parted
} embedding;

// Room for `count` values.
bool embed_reserve(const map *m, embed_values *values, uint64_t count, size_t size);
// The slot of a sub-orbit in a template row.
uint8_t *embed_row_value(const clv_column *column, uint32_t kind, uint32_t row, uint32_t sub);
// The value that bore an old name.
uint8_t *embed_old_value(const clv_column *column, uint64_t old);

// True when an orbit that comes off another has a copy of its value, and the other keeps it.
static inline bool embed_copies(const clv_column *column) {
  return column->def.split == CLV_SPLIT_COPY && !column->def.policy && column->def.merge != CLV_MERGE_RECOMPUTE;
}

// The components of a value as numbers, and back.
double embed_get(const clv_column *column, const void *value, uint32_t component);
void embed_put(const clv_column *column, void *value, uint32_t component, double number);
// What a column of whole numbers keeps of a number: those beyond its ends stay there, and what is none is 0.
static inline int32_t embed_whole(double number) {
  return number >= INT32_MAX ? INT32_MAX : number > INT32_MIN ? (int32_t)number : number <= INT32_MIN ? INT32_MIN : 0;
}

// Where values that were set by hand belong when the transaction ends, into `stated`; without a plan, in a commit that
// its lineage tells. The value of what the orbit of a dart came of, before a moment: that of the latest birth, or of an
// old orbit. False when memory is out (recall.c).
bool embed_state_values(embedding *e, const map *m, const map_plan *plan);
bool embed_is_loose(embedding *e, const map *m, uint32_t dims);
bool embed_recall_value(embedding *e, const clv_column *column, embed_moment at, const uint8_t **value);
// Who a vertex was put between, by its dart; NULL where nobody said so (carry.c).
const embed_parents *embed_parents_of(const embedding *e, clv_dart child);
// Only vertices come between others.
bool embed_blends(const clv_column *column);

// The commit's hooks (carry.c).
clv_result embed_prepare(void *self, map *m, const map_plan *plan);
void embed_apply(void *self, map *m, const map_plan *plan);
void embed_settle(void *self, map *m, clv_kind kind, uint32_t row, const clv_dart *source);
bool embed_reserve_copies(void *self, map *m, const uint32_t more[MAP_INDICES]);
void embed_copy(void *self, const map_parted *parted, uint32_t count);
void embed_expect(void *self, const map_index *index, const uint32_t *ids, uint32_t count);
void embed_lose(void *self, map *m, const map_gone *gone, uint32_t count);
// Those of commits that only refine (grow.c), and the values that were set by hand (carry.c).
bool embed_reserve_growth(void *self, map *m);
void embed_grow(void *self, map *m);
void embed_fetch(const void *self, bool growth);
void embed_apply_set(embedding *e, const map *m, bool crossing);
uint64_t embed_describe(const void *self);
bool embed_knows(const void *self, const map_write *write, uint32_t bytes);
int32_t embed_level(void *self, const map *m, clv_dart dart);
clv_result embed_check(void *self, const map *m, void (*report)(void *, const clv_problem *), void *user);

#endif
