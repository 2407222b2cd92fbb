// A body of views: the tables of the force laws, the derived quantities and the updates of one program on one map.

#ifndef VIEW_VIEWS_H
#define VIEW_VIEWS_H

#include "base/thread.h"
#include "cleave/view.h"
#include "view/copy.h"
#include "view/formula.h"
#include "view/table.h"
#include "view/trial.h"

enum { VIEW_THREADS = 1024 };

// A set of ids and blocks that is emptied in no time.
typedef struct view_set {
  BASE_ARRAY(uint32_t) stamps; // by number
  uint32_t stamp;
} view_set;

typedef struct view_touched_link {
  clv_dart dart;
  uint32_t dimension;
} view_touched_link;

// Keys of one sort that a commit reached, each once.
typedef struct view_keys {
  view_key_list list;
  view_set seen;
  bool listed;     // those come first ...
  uint32_t common; // ... that any steady site of the sort reaches by a commit that refines: so many
} view_keys;
// What the terms of a sum gained, without what they have in common; and what of that they had (gain.c).
typedef struct view_gain {
  double more, had;
} view_gain;
// Sorts of keys: cells, and orbits that cross them, by what these leave in a cell; and room for sites that are not
// steady.
enum { VIEW_CELLS, VIEW_CROSSING, VIEW_ANY = VIEW_CROSSING + 8, VIEW_SORTS };

// What a commit changed, as far as views care.
typedef struct view_change {
  const clv_commit *commit;
  BASE_ARRAY(clv_rename) renames; // by the name before
  BASE_ARRAY(view_touched_link) links;
  BASE_ARRAY(uint32_t) blocks, turned;   // cells whose own links changed, that came or went; that were turned
  BASE_ARRAY(view_touched_value) values; // those that were derived at common keys are listed without a dart
  view_keys reached[VIEW_SORTS], *keys;  // keys: of the site that is looked at
  view_set seen;                         // blocks
  // Cells were unsewn and removed, and nothing else: no orbit got anything it did not have. What came off another one
  // has its values where they are copied; its readers need its number only.
  bool losing;
  // Cells were refined, and nothing else: orbits were parted or are new, none got anything of another one. Cells that
  // got hanging vertices and are their templates still are not among the blocks, but here; links are listed once they
  // are asked for.
  bool refining, links_listed;
  BASE_ARRAY(uint32_t) grown;
  BASE_ARRAY(view_gain) gains; // by id; all zero between uses
  view_key_list left;          // keys at which sums do not follow so
  bool rough, strange;         // among the blocks are cells that are no plain ones; that are not new
  bool recoloured, no_memory;
} view_change;

// What follows a commit that only loses (lose.c).
typedef enum view_losing { VIEW_NOT_ASKED, VIEW_LOSES, VIEW_LOSES_NOT } view_losing;
// From a place of an orbit in cells of a kind back to the bases of a table's rows that read there: local darts, one for
// each sub-orbit.
enum { VIEW_MOST_WAYS = 16 };
typedef struct view_ways {
  uint32_t table, kind, dims;
  bool afar;                         // that read derived values, not numbers
  uint8_t count[CLV_TEMPLATE_DARTS]; // by number of the place
  uint8_t darts[CLV_TEMPLATE_DARTS][VIEW_MOST_WAYS];
} view_ways;
typedef struct view_lost {
  bool evaluated;              // since the last commit, so that little of the tables is in a cache
  BASE_ARRAY(uint32_t) stamps; // by key
  uint32_t stamp;
  view_key_list keys, same;       // whose rows are to be made anew; that stay where they are, with other values
  BASE_ARRAY(view_ways) ways;     // that were asked for so far
  BASE_ARRAY(map_place) walked;   // of orbits that the map did not walk
  BASE_ARRAY(uint32_t) left;      // events whose values are to be added up anew
  BASE_ARRAY(uint32_t) number_of; // by id: its event, where there is one
  BASE_ARRAY(double) totals;      // by event: what it lost
  BASE_ARRAY(double) shares;      // by id: what is left of it, what is gone (sweep.c)
  BASE_ARRAY(uint8_t) removed;    // by row of cells: it was
  BASE_ARRAY(uint32_t) origins;   // by vertex: what it came off, or itself
} view_lost;

typedef enum view_copy { VIEW_POS, VIEW_VEL, VIEW_DPOS, VIEW_DVEL, VIEW_OUT, VIEW_COPIES } view_copy;
_Static_assert(VIEW_COPIES == (int)VIEW_PLACES_TURN, "each copy has its own place in a page");

// What a thread copies a slab's vertices to, and a kernel reads; VIEW_OUT: what it adds to, where there is one thread.
typedef struct view_bench {
  view_memory copies[VIEW_COPIES];
  view_memory matrices; // of a batch, while stiffnesses are kept
  kernel_args args;     // these copies, and the slab whose turn it is
} view_bench;

typedef struct view_part {
  const view_table *table;
  view_slab *slab;
} view_part;

// Parts that follow one another and have the same vertices: evaluated together, with one copy and one sum.
typedef struct view_group {
  uint32_t first, count;
} view_group;

// All formulas of one declaration.
typedef struct view_figure {
  const rule_tree *tree;
  clv_column *column; // of a derived quantity
  view_formula *formulas;
  uint32_t count;
} view_figure;

typedef BASE_ARRAY(view_figure) view_figures;

struct clv_views {
  clv_allocator allocator;
  const clv_program *program;
  map *map;
  clv_error error;
  view_workshop shop;
  base_pool *pool;
  BASE_ARRAY(double) params;
  law_list laws;                 // of all declarations that are used
  BASE_ARRAY(kernel *) kernels;  // of the forces among them
  BASE_ARRAY(uint32_t) bits;     // of the cells each kernel acts in, by kernel; none: in all
  clv_column *cells;             // that bears those bits
  bool own_laws;                 // they are not the program's
  BASE_ARRAY(view_table) tables; // in the order of declarations
  view_figures derived;          // each behind those it reads
  view_figures updates;
  clv_column *pos, *vel;
  uint32_t threads;
  view_room *rooms;    // one for each thread
  view_bench *benches; // likewise
  view_copier copier;
  uint32_t bench_room; // vertices that they have room for
  view_change change;
  view_losing loses; // whether all its laws can follow so
  view_lost lost;
  view_trial trial;
  BASE_ARRAY(view_part) parts; // what an evaluation goes over
  BASE_ARRAY(view_group) groups;
  uint32_t slots;       // of vertices
  view_memory state[2]; // positions and velocities of the last linearisation
  bool linear;          // state and stiffnesses are those of the tables
  bool laid_out;        // these and the benches are as the tables need them
  uint64_t layouts;     // how often they were laid out; rows are the same as long as it is
  uint64_t revision;
  bool subscribed, stale;
};

// Edges whose sums are computed side by side, each with so many cells at the most (around.c): taken one by one, which
// is false where an edge is left to the general way, and computed when there are enough, or at the end.
enum { VIEW_AROUND = 48 };
typedef struct view_around {
  clv_views *views;
  const view_formula *formula;
  uint32_t lanes, keys[VIEW_LANES], counts[VIEW_LANES];
  clv_dart bases[VIEW_LANES];
  const view_place *places[VIEW_LANES];
  view_place walked[VIEW_LANES][VIEW_AROUND];
} view_around;
bool view_sums_around(const view_formula *formula);
bool view_around_take(view_around *around, uint32_t key, clv_dart dart);
void view_around_compute(view_around *around);

// The sentence, and the code it goes with.
clv_result views_fail(clv_views *views, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);
// The tables change, or their values: what was laid out or kept for them is of no use any more.
static inline void views_forget(clv_views *views) {
  views->laid_out = views->linear = false;
}
// Builds everything if something is stale; CLV_ERROR_ARGUMENT inside a transaction.
clv_result views_ready(clv_views *views);
// Lays tables out anew that have far more or fewer rows than they were laid out for. A part of every commit, so that
// the order of rows, and with it the last bits of sums, follows from the commits alone. False when memory is out.
bool views_lay_out(clv_views *views);

// For those who assemble: makes `parts` current. Rows of a part then are read at the present positions and velocities
// by views_read_part, for one worker of the pool, and their matrices computed some batches at a time: n * n *
// KERNEL_LANES numbers each, as KERNEL_STIFFNESS or KERNEL_DAMPING gives them, or what KERNEL_PAIRS does.
clv_result views_current(clv_views *views);
void views_read_part(const clv_views *views, const view_part *part, uint32_t worker);
void views_batch_matrices(const clv_views *views, const view_part *part, uint32_t worker, kernel_kind kind,
                          uint32_t batch, uint32_t batches, double *matrices);

// What clv_views_create does once columns, laws and kernels are there: tables and figures, built.
clv_result views_assemble(clv_views *views);
clv_views *views_new(clv_map *view, const clv_views_def *def, clv_error *error);

// Brings into the caches what any commit makes them read; `growth`: also what one does that refines (fetch.c).
void views_fetch(const clv_views *views, bool growth);

// The map's commits (update.c).
void views_hear(void *user, const clv_map *view, const clv_commit *commit);
// Derives a quantity again at all keys that the change reaches. False when memory is out.
bool views_derive_again(clv_views *views, const view_figure *figure);
// Lets a sum follow a commit that refines (gain.c). False where that is left to others, with nothing changed; keys at
// which it will not do are listed in the change.
bool view_gain_sums(clv_views *views, const view_figure *figure);
// Follows a commit that only loses, where all laws can; false where that is left to the general way. *done: memory was
// enough.
bool views_lose(clv_views *views, const clv_commit *commit, bool *done);
void view_lost_free(view_lost *lost, const clv_allocator *allocator);
// Adds up what a direct formula does at the orbits of its events, where many cells were removed from a map of one kind
// (sweep.c). False where that is left to others, with nothing changed; events at which it will not do are listed in
// `lost.left`, where there is room for all.
typedef struct view_sweep {
  clv_views *views;
  const clv_commit *commit;
  uint32_t kind;
  const clv_dart *removed;
  uint32_t removed_count;
  uint32_t first, end; // events
} view_sweep;
bool view_sweep_sums(const view_sweep *sweep, const view_formula *formula);

// What a commit changed, and which keys it reached by that (reach.c). Running out of memory is noted in the change.
void view_change_free(view_change *change, const clv_allocator *allocator);
void view_change_hear(clv_views *views, const clv_commit *commit);
// Nothing changed.
void view_change_clear(view_change *change);
// Begins the list of keys for a site, or for several that have rows at the same orbits; then adds what each reaches.
void view_reach_begin(clv_views *views, const view_site *site);
void view_reach(clv_views *views, const view_site *site);
void view_touch(clv_views *views, const view_site *site, clv_dart dart);
void view_touch_value(clv_views *views, const clv_column *column, clv_dart dart);
// In a commit that only loses: the rows that read a number which is another one now.
bool view_reach_numbers(clv_views *views, const view_site *site, const clv_event *event);
// The keys of the orbits of a column, of those that any site reaches by a commit that refines.
static inline const view_keys *view_common_keys(const view_change *change, const clv_column *column) {
  return &change->reached[column->index->crossing ? VIEW_CROSSING + column->index->inner : VIEW_CELLS];
}

#endif
