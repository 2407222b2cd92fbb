// Tables: the rows of one force law on one shape, in slabs.
//
// A slab is what a kernel runs over: batches of eight rows, and the vertices that they name, whose positions are copied
// for the kernel, so that a row says where its particles are by small numbers. The vertices of a slab lie in order of
// their slots, except for a tail of those that came since, which is listed in order; a vertex that no row uses any more
// stays until the slab is put in order. That is done once somebody evaluates it; commits do it only where the tail has
// become as long as what lies before it, so that it costs each new vertex the same in slabs of any size.
//
// Rows of a slab are dense: the last row takes the place of one that goes. Lanes
// behind the last row are like rows of the batch before, as far as they were filled: any places and constants do there.

#ifndef VIEW_TABLE_H
#define VIEW_TABLE_H

#include "rule/kernel.h"
#include "view/feed.h"

enum { VIEW_SLABS = 64, VIEW_TAIL = 256, VIEW_LONG_TAIL = 1024, VIEW_RECENT = 256 };

// A row's reference: slab and row, from 1; 0 is none.
#define VIEW_ROW_BITS 26u
#define VIEW_ROW_MASK ((1u << VIEW_ROW_BITS) - 1u)

// Memory that is aligned for wide registers.
typedef struct view_memory {
  void *data;
  uint8_t *block;
  size_t size; // of the block
  size_t room; // from `data` on
} view_memory;

bool view_memory_resize(view_memory *memory, const clv_allocator *allocator, size_t keep, size_t size);
// The same for what kernels read and write in turns: `turn` says where in a page it begins. A processor takes a load
// for one of a store just before if they lie at the same place of their pages, and waits.
enum { VIEW_PLACES_TURN = 5, VIEW_CONSTANTS_TURN, VIEW_TURNS }; // behind those of the copies (views.h)
bool view_memory_resize_apart(view_memory *memory, const clv_allocator *allocator, size_t keep, size_t size,
                              uint32_t turn);
// Likewise, with nothing written behind what is kept: for those who write before they read.
bool view_memory_extend(view_memory *memory, const clv_allocator *allocator, size_t keep, size_t size, uint32_t turn);
void view_memory_free(view_memory *memory, const clv_allocator *allocator);

typedef struct view_slab {
  uint32_t rows, capacity;       // capacity: a multiple of the lanes
  view_memory places, constants; // as kernel.h says
  BASE_ARRAY(clv_dart) bases;
  BASE_ARRAY(uint32_t) keys, nexts;   // the next row of the same cell, for inner sites
  uint32_t ordered, unused, greatest; // greatest: no vertex has a greater slot
  BASE_ARRAY(uint32_t) vertices, uses;
  BASE_ARRAY(uint32_t) tail; // the numbers from `ordered` on, by slot
  uint32_t
      recent[VIEW_RECENT]; // by the end of a slot: the number of a vertex that was found with it, if it still has it
  bool loose;              // places are vertices' slots for a while, not their numbers in the slab
  bool consecutive;        // each vertex's slot is the one behind that of the vertex before
  bool built;              // its vertices are those it was built with
  view_memory stiffness;   // of each row, packed: where that was kept
  view_memory sums;        // of forces, one for each vertex: where several threads work
  double energy;
} view_slab;

// The constants that read at the row's own orbit (own.c).
typedef struct view_own {
  bool alone; // none of them reads elsewhere, nor does a guard
  // Where a row reads nothing but its own orbit and the two vertices at the base and beyond it: all that follows from
  // the base is which of them comes first. The particles that are these vertices.
  bool two_ended;
  uint32_t ends[2];
  view_feed feed;
  BASE_ARRAY(uint32_t) numbers, others; // of these constants; of the table's other ones
} view_own;

typedef struct view_table {
  view_site site;
  const kernel *kernel;
  uint32_t particles, constants;
  view_feed hoist, hoist_q; // hoist_q: for one quadrature point
  view_own own;
  view_slab *slabs;
  uint32_t slab_count;
  uint64_t rows, built_rows;       // now; when the slabs were laid out
  BASE_ARRAY(uint32_t) row_of_key; // a reference, to the first of the rows with that key
  uint32_t afar;                   // sorts of orbits, as bits, whose derived values rows read from elsewhere (lose.c)
  bool wakes;                      // guards read derived values: where there is no row, one may come of losing
} view_table;

// What tables need to make rows: one for a body of views, used by one thread at a time.
typedef struct view_workshop {
  clv_allocator allocator;
  map *map;
  const double *params;
  view_reading reading;
  BASE_ARRAY(double) values, values_q; // of codes
  BASE_ARRAY(double) constants;        // of VIEW_LANES rows
  BASE_ARRAY(uint32_t) counts;         // by vertex slot: how often a slab names it; all zero between uses
  BASE_ARRAY(uint8_t) blocks;          // in which of them any is named; likewise
  BASE_ARRAY(clv_dart) bases;
  BASE_ARRAY(uint32_t) keys;
} view_workshop;

// A key whose rows are to be what they must be now.
typedef struct view_touched_key {
  uint32_t key;
  clv_dart dart; // 0: it is gone
  uint32_t like; // a key that it came off
} view_touched_key;
typedef BASE_ARRAY(view_touched_key) view_key_list;

clv_result view_table_make(view_table *table, view_workshop *shop, const kernel *k, clv_error *error);
void view_table_free(view_table *table, const clv_allocator *allocator);

// Finds all rows and lays them out anew. False when memory is out: the table is then of no use until it is built.
bool view_table_build(view_table *table, view_workshop *shop);
// Computes the constants of every row again.
bool view_table_hoist(view_table *table, view_workshop *shop);

// Makes the rows of one key what they must be now. `dart` lies in the orbit or cell; 0 when it is gone. New rows go to
// the slab of `like`, a key that has rows, or to the smallest.
bool view_table_update(view_table *table, view_workshop *shop, uint32_t key, clv_dart dart, uint32_t like);
// The same for many keys, each once: of one that has a row, or came off one.
bool view_table_refresh(view_table *table, view_workshop *shop, const view_touched_key *keys, uint32_t count);
// The same for keys whose rows stay where they are, with the same base, and of which nothing but values at their own
// orbits changed; for tables whose `own.alone` says so.
void view_table_reread(view_table *table, view_workshop *shop, const view_touched_key *keys, uint32_t count);
// How the row of a two-ended table looks along an edge with these ends.
typedef enum view_look { VIEW_STRAIGHT, VIEW_TURNED, VIEW_UNTOLD } view_look;
view_look view_own_look(const view_table *table, uint32_t reference, const uint32_t ends[2]);
// The dart at an edge, `dart` or the one at its other end, from which the row of a key that is two-ended looks as it
// does; CLV_NO_DART where its vertices do not tell.
clv_dart view_own_base(const view_table *table, uint32_t key, clv_dart dart);
// Makes a row that is like another key's, but for its vertices and what it reads at its own orbit, which
// view_table_reread gives it.
bool view_table_copy(view_table *table, view_workshop *shop, uint32_t key, clv_dart base, uint32_t like);
// The same with its vertices still to be named; `from` is the other row.
bool view_table_copy_constants(view_table *table, view_workshop *shop, uint32_t key, clv_dart base, uint32_t from);
// For rows of all keys that there are.
bool view_table_reserve_keys(view_table *table, const clv_allocator *allocator);
// Drops all rows of a key.
void view_table_drop(view_table *table, uint32_t key);
bool view_own_make(view_own *own, const view_site *site, const kernel *k, const clv_allocator *allocator);
// At which keys, as bits, there are rows; up to VIEW_LANES of them. Conditions are started before (view_rows_start).
uint32_t view_own_ask(const view_site *site, view_workshop *shop, const view_touched_key *keys, uint32_t lanes);
// What view_table_reread does, at the keys of all rows.
bool view_table_reread_all(view_table *table, view_workshop *shop);
void view_own_free(view_own *own, const clv_allocator *allocator);
// Lets the rows of a key name the vertices that are at their places now; their constants are as they were. Rows whose
// base is gone, or is another key's, are left to view_table_update.
bool view_table_renumber(view_table *table, view_workshop *shop, uint32_t key);
// The same where all that is new is the number of one vertex, at a place that the key's orbit or cell has. Where many
// rows are to name it, it is looked for once in each slab: `slab` and `number` say where it was found last, NULL
// nowhere yet.
typedef struct view_renaming {
  uint32_t from, to;
  const view_slab *slab;
  uint32_t number;
} view_renaming;
bool view_table_rename(view_table *table, view_workshop *shop, uint32_t key, view_renaming *renaming);
// Before many rows change, and behind: in between rows name vertices by slot, and none is searched for. False when
// memory is out: the table is then of no use until it is built.
void view_table_loosen(view_table *table);
bool view_table_tighten(view_table *table, view_workshop *shop);

// Where a commit only lost, and much of it, in a map of one kind: for tables of which no step leads out of a cell
// (renew.c).
typedef struct view_renewal {
  view_table *table;
  view_workshop *shop;
  uint32_t kind;           // of all cells
  const uint32_t *origins; // by vertex: the one that it came off in this commit, or itself
  view_key_list *left;     // gets the keys whose rows must be made anew
  // The rest is found by the start. What lies at the corners of cells; and by the local dart that is a row's base: the
  // dart at the other end of the edge, which place of the cell the row's orbit is, which corners its particles are.
  const uint32_t *vertices;
  uint32_t corner_count;
  const uint8_t *beyond, *own;
  uint8_t corners[CLV_TEMPLATE_DARTS][LAW_PARTICLES];
} view_renewal;
bool view_renewal_start(view_renewal *renewal);
// Makes the rows of keys that came off other ones, for tables that are two-ended.
bool view_renewal_part(const view_renewal *renewal, const view_touched_key *keys, uint32_t count);
// What view_table_loosen does, and rows name the vertices that are at their places now; two-ended ones whose base is
// gone, or is another key's, get another base. When rows of cells and orbits that are gone were dropped.
bool view_renewal_loosen(const view_renewal *renewal);

// Puts a slab's vertices in order if it has a tail or too many that are not used.
bool view_slab_order(view_table *table, view_workshop *shop, view_slab *slab);
static inline void view_slab_loosen(view_slab *slab) {
  slab->loose = true;
  slab->built = false;
}
// Gives the lanes behind the last row what they may have: the places of the batch before, or, in the first, of the last
// row; and the constants of the last of a batch's lanes that count.
void view_slab_fill(const view_table *table, view_slab *slab);
void view_constants_fill(const view_table *table, double *constants, uint32_t lanes);

static inline view_slab *view_row_slab(const view_table *table, uint32_t reference) {
  return &table->slabs[(reference - 1) >> VIEW_ROW_BITS];
}
static inline uint32_t view_row_number(uint32_t reference) {
  return (reference - 1) & VIEW_ROW_MASK;
}
static inline uint32_t *view_row_place(const view_table *table, const view_slab *slab, uint32_t row, uint32_t p) {
  return (uint32_t *)slab->places.data + ((size_t)(row / KERNEL_LANES) * table->particles + p) * KERNEL_LANES +
         row % KERNEL_LANES;
}
// The vertex at a place, by its number in the slab.
static inline uint32_t view_place_number(uint32_t place) {
  return place / KERNEL_STRIDE;
}
static inline uint32_t view_row_slot(const view_table *table, const view_slab *slab, uint32_t row, uint32_t p) {
  return slab->vertices.data[view_place_number(*view_row_place(table, slab, row, p))];
}
static inline double *view_row_constant(const view_table *table, const view_slab *slab, uint32_t row, uint32_t c) {
  return (double *)slab->constants.data + ((size_t)(row / KERNEL_LANES) * table->constants + c) * KERNEL_LANES +
         row % KERNEL_LANES;
}
// The row's reference by key, 0 for none.
static inline uint32_t view_row_of_key(const view_table *table, uint32_t key) {
  return key < table->row_of_key.count ? table->row_of_key.data[key] : 0;
}

// Asks for the memory of a row that will be written; none for reference 0.
static inline void view_row_look_ahead(const view_table *table, uint32_t reference) {
  if (!reference) return;
  const view_slab *slab = view_row_slab(table, reference);
  const uint32_t row = view_row_number(reference);
  CLV_PREFETCH(slab->bases.data + row);
  CLV_PREFETCH(slab->keys.data + row);
  CLV_PREFETCH(slab->nexts.data + row);
  const uint32_t *places = view_row_place(table, slab, row, 0);
  const double *constants = view_row_constant(table, slab, row, 0);
  for (uint32_t p = 0; p < table->particles; p += 2) CLV_PREFETCH(places + (size_t)p * KERNEL_LANES);
  for (uint32_t c = 0; c < table->constants; c++) CLV_PREFETCH(constants + (size_t)c * KERNEL_LANES);
}

// What a row must be, computed from its base: vertices' slots and constants (constants[k * lanes]). Used by the check.
void view_row_compute(view_table *table, view_workshop *shop, uint32_t *vertices, double *constants, uint32_t stride);
// The same for up to VIEW_LANES bases; in vertices and constants, lane by lane. Before any number of them, with no
// other table's in between, they are started.
void view_rows_start(view_table *table, view_workshop *shop);
void view_rows_compute(view_table *table, view_workshop *shop, const clv_dart *bases, uint32_t lanes,
                       uint32_t *vertices, double *constants);
// The same of two-ended rows.
void view_rows_compute_edges(view_table *table, view_workshop *shop, const view_edges *edges, uint32_t lanes,
                             uint32_t *vertices, double *constants);

#endif
