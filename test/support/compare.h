// Twins: a map of the kernel and a naive map (reference.h) that are edited in step and compared.
//
// A dart of one corresponds to a dart of the other; callers speak of the naive one. The correspondence grows with what
// each operation adds, loses what it deletes, and follows the kernel's renames. After every operation all links are
// compared; after every commit also ids, events, values, kinds, sides and the kernel's own opinion of itself. A
// difference fails the running cmocka test, with the words in `where` so that it can be found again.

#ifndef CLEAVE_TEST_SUPPORT_COMPARE_H
#define CLEAVE_TEST_SUPPORT_COMPARE_H

#include "cleave/embed.h"
#include "support/reference.h"

enum { TWINS_ORBITS = 8, TWINS_COLUMNS = 12, TWINS_COMPONENTS = 3, TWINS_NOTES = 64 };

// Which orbit each dart lies in (named by its smallest dart) and the orbit's id.
typedef struct twins_ids {
  uint32_t count;
  ref_dart label[REFERENCE_DARTS];
  clv_id id[REFERENCE_DARTS];
} twins_ids;

// What someone knows of an id who hears nothing but events.
typedef struct twins_rumour {
  uint32_t generation;     // 0: not alive
  uint64_t began, changed; // the commits that said so
} twins_rumour;

// A sort of orbit that is numbered.
typedef struct twins_orbit {
  clv_orbit orbit;
  uint32_t dims;
  twins_ids before, now; // the last commit
  twins_rumour *rumours; // by index of the id
  uint32_t rumour_count, alive;
} twins_orbit;

// The values of a column, by the smallest dart of each orbit, as numbers.
typedef struct twins_values {
  ref_dart label[REFERENCE_DARTS];
  double value[REFERENCE_DARTS][TWINS_COMPONENTS];
} twins_values;

typedef struct twins_column {
  clv_column *column;
  const clv_column_def *def;
  uint32_t dims;
  const struct twins_column *contribution;
  twins_values before, now;
  // Of the open transaction, by dart: the last value that was set for its orbit, or for one that this came of, counted
  // from 1; whether it came of one that was there before.
  uint8_t said[REFERENCE_DARTS];
  bool aged[REFERENCE_DARTS];
} twins_column;

// What a transaction noted for its commit: a vertex that came between two others, a value that was set.
typedef struct twins_birth {
  ref_dart added, ends[2];
} twins_birth;

typedef struct twins_set_value {
  const twins_column *column;
  ref_dart dart;
  double value[TWINS_COMPONENTS];
} twins_set_value;

typedef struct twins {
  const char *where;
  bool trace; // print every operation
  clv_map *map;
  reference naive;
  clv_dart kernel_of[REFERENCE_DARTS];
  ref_dart *naive_of; // by the kernel's dart
  uint32_t names;

  reference naive_at_begin;
  clv_dart kernel_at_begin[REFERENCE_DARTS];
  uint64_t hash_at_begin;

  uint32_t orbit_count;
  twins_orbit orbits[TWINS_ORBITS];

  uint32_t column_count, birth_count, set_count;
  twins_column columns[TWINS_COLUMNS];
  twins_birth births[TWINS_NOTES];
  uint8_t born[REFERENCE_DARTS]; // by dart: the birth of its vertex, counted from 1; TWINS_NOTES + 1: of several
  twins_set_value sets[TWINS_NOTES];

  uint64_t commits;
  uint64_t revision; // and events of the commit that was told last
  clv_event *events;
  uint32_t event_count;
} twins;

// An empty map with vertices, edges, faces and cells numbered. Twins are large: not for the stack.
void twins_init(twins *t, const clv_map_def *def);
void twins_free(twins *t);
// Numbers one more sort of orbit (a set of dimensions that holds the map's own) and compares it from now on.
void twins_track(twins *t, clv_orbit orbit);

// Compares a column of a map that is still empty from now on. Its contribution, if it has one, is watched already. A
// policy of its own must come to the same as sharing and summing.
void twins_watch(twins *t, clv_column *column);

// The naive dart that corresponds to a dart, 0 for none.
static inline ref_dart twins_naive(const twins *t, clv_dart dart) {
  return dart < t->names ? t->naive_of[dart] : 0;
}

// Fails the running test, saying where.
void twins_fail(const twins *t, const char *format, ...) CLV_PRINTF(2, 3);
void twins_trace(const twins *t, const char *format, ...) CLV_PRINTF(2, 3);

// Transactions and operations, done to both. Operations return false when both refused.
void twins_begin(twins *t);
void twins_commit(twins *t);
void twins_rollback(twins *t);

ref_dart twins_add_cell(twins *t, clv_kind kind);
ref_dart twins_add_polygon(twins *t, uint32_t sides);
bool twins_add_polyhedron(twins *t, uint32_t face_count, const uint32_t *sizes, const uint32_t *corners,
                          ref_dart *dart);
bool twins_sew(twins *t, uint32_t i, ref_dart a, ref_dart b);
bool twins_unsew(twins *t, uint32_t i, ref_dart dart);
bool twins_insert_vertex(twins *t, ref_dart dart, ref_dart *added);
bool twins_insert_edge(twins *t, ref_dart a, ref_dart b, ref_dart *added);
bool twins_insert_face(twins *t, const ref_dart *path, uint32_t length, ref_dart *added);
void twins_remove_cell(twins *t, ref_dart dart);
bool twins_remove(twins *t, uint32_t i, ref_dart dart);
bool twins_contract(twins *t, uint32_t i, ref_dart dart);
// What was said of an orbit is known to all its darts, after every operation (compare_values.c).
void twins_spread(twins *t);
// Sets the value of a watched column to numbers that its type can hold.
void twins_set(twins *t, uint32_t column, ref_dart dart, const double *value);

// For each orbit of today, by its smallest dart: whether its darts are those of one orbit of the past, all of them.
void twins_find_equal(const twins *t, const ref_dart *label, const ref_dart *past, bool equal[REFERENCE_DARTS]);
// Ids and events of the last commit (compare_ids.c); twins_commit calls it.
void twins_check_ids(twins *t);
void twins_read_ids(twins *t, twins_orbit *o);
// Values of the last commit, by the columns' policies (compare_values.c); twins_commit calls it.
void twins_check_values(twins *t);
// Kinds, sides, counts (compare_shape.c). The first is called by every commit, the second is slower.
void twins_check_shape(const twins *t);
void twins_check_counts(const twins *t);
// Walks of two sorts of orbit from one dart, and over the whole map.
void twins_check_walks(const twins *t, uint32_t dims, uint32_t other, ref_dart dart);

#endif
