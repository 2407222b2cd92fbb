// A surgery from inside: room to work in, and how an operation begins and ends.
//
// An operation selects first, reading only; then it opens a transaction, changes the map, and ends:
//
//     surgery_select_... (surgery)                         // fills `facets` or `cells`, may fail
//     result = surgery_begin(surgery);                     // nothing is done yet: `did` is all 0
//     ... clv_map_... while result is CLV_OK, counting in `did` ...
//     return surgery_end(surgery, result, report);         // commits and reports, or takes everything back
//
// Whatever room an operation needs it keeps here, so that one that is done again allocates nothing. Arrays mean nothing
// between calls; only `marks` must be left as they are found: all 0.

#ifndef SURGERY_SURGERY_H
#define SURGERY_SURGERY_H

#include "cleave/surgery.h"
#include "physics/body.h"
#include "surgery/sheet.h"
#include "surgery/touch.h"
#include "view/trial.h"

// With a cell's level, and in its place, while rules are applied: what has become of it.
enum {
  SURGERY_LEVEL = 0x1F,
  SURGERY_HAS_HANGING = 0x20,
  SURGERY_ONE_PIECE = 0x40,
  SURGERY_COUNTED = 0xFE,
  SURGERY_PUT_TOGETHER = 0xFF
};

// A facet that may give way: by how much it is over, and how well it lies.
typedef struct surgery_weak {
  double value, across, along;
  uint64_t key; // the same from both sides
  clv_dart dart;
} surgery_weak;

// A place that a rule is applied at, and where it comes among others.
typedef struct surgery_place {
  double rank, along;
  uint32_t place; // in `facets`
} surgery_place;

// What a vertex gets in the transaction: position, rest and velocity.
typedef struct surgery_value {
  uint32_t slot;
  clv_dart dart;
  bool moved;        // else only its velocity changes
  double mass, gain; // with what it gained and lost; what it will
  double before[3][3], after[3][3];
} surgery_value;

// A stiffness that follows a vertex which moves (star.h): of a cell's diagonals, of a hinge, of a cell's volume.
typedef enum surgery_spring_kind { SURGERY_DIAGONALS, SURGERY_HINGE, SURGERY_BULK } surgery_spring_kind;
typedef struct surgery_spring {
  clv_column *column;
  clv_dart dart;
  surgery_spring_kind kind;
  double measure; // before the vertex moved: what the stiffness goes with
  double before, after;
} surgery_spring;

// What a vertex weighs by itself.
typedef struct surgery_weight {
  uint32_t slot;
  double mass;
} surgery_weight;

struct clv_surgery {
  clv_allocator allocator;
  clv_error error;
  clv_body *body;
  clv_map *map;                           // the body's
  clv_surgery_report did;                 // by the operation under way
  bool operating;                         // a transaction is ours: its splits are counted,
  bool ruling;                            // and, while rules are applied, what becomes of cells: levels are in `wishes`
  BASE_ARRAY(clv_dart) facets;            // selected, one dart each
  bool parted;                            // there were others, which are free: cut before, or on the surface
  BASE_ARRAY(clv_dart) cells;             // likewise
  BASE_ARRAY(uint64_t) offers;            // facets as they are found: what they are told apart by, and the dart
  BASE_ARRAY(uint8_t) marks;              // by slot of a vertex
  BASE_ARRAY(uint8_t) codes;              // by slot of a vertex: on which sides of a box it lies
  BASE_ARRAY(double) heights;             // by slot of a vertex: above a plane
  BASE_ARRAY(uint32_t) corners;           // of a cell that is no template
  BASE_ARRAY(surgery_point) points;       // likewise
  BASE_ARRAY(clv_dart) rim, face;         // of a facet that neighbours have refined
  BASE_ARRAY(uint8_t) zoned;              // by number of a cell: in a zone
  BASE_ARRAY(surgery_weak) weak;          // that may tear
  BASE_ARRAY(surgery_place) order;        // of places that a rule is applied at
  BASE_ARRAY(surgery_value) values;       // planned
  BASE_ARRAY(uint32_t) numbers;           // by slot of a vertex: which of them is its, from 1; 0 between calls
  BASE_ARRAY(surgery_spring) springs;     // planned; one that follows two vertices is there twice
  BASE_ARRAY(surgery_weight) weights;     // of the corners about a vertex, before it moves
  BASE_ARRAY(view_touched_value) written; // at a vertex that is tried elsewhere, and about it
  uint32_t moved, refused, stuck;         // of what was planned
  double freed;                           // elastic energy that what was planned sets free
  bool paying;                            // what costs energy may use it, and that of motion
  clv_column *levels;                     // of vertices
  BASE_ARRAY(uint8_t) listed_levels;      // of cells that are to be refined
  BASE_ARRAY(double) gains;               // by slot of a vertex: momentum that comes to it
  BASE_ARRAY(uint32_t) gainers;           // slots that have some, or may get it, or mass
  double momentum[3];                     // of the whole body, before
  BASE_ARRAY(uint32_t) between;           // by slot of a vertex that had some: the two that it came between
  BASE_ARRAY(uint8_t) wishes;             // by number of a cell: what a criterion wants of it, or its level
  surgery_sheet sheet;
};

clv_result surgery_fail(clv_surgery *surgery, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);
clv_result surgery_no_memory(clv_surgery *surgery);
// Passes the result of an operation of several transactions on: a failure says, too, what those before it did.
clv_result surgery_stopped(clv_surgery *surgery, clv_result result, const clv_surgery_report *stands);
// Passes a result of the map on, with its sentence.
clv_result surgery_of_map(clv_surgery *surgery, clv_result result);

clv_result surgery_begin(clv_surgery *surgery);
// Commits if all went well so far. report may be NULL.
clv_result surgery_end(clv_surgery *surgery, clv_result result, clv_surgery_report *report);

// All cells, in order of kind and row, those that are no templates behind the others:
// for (surgery_cursor at = {0}; (cell = surgery_next_cell(map, &at));)
typedef struct surgery_cursor {
  uint32_t kind, row;
} surgery_cursor;
clv_dart surgery_next_cell(const clv_map *map, surgery_cursor *at);

// The corners of a cell, by slot; of one that is no template at its own level, all its vertices. They live until the
// next call. Between transactions.
typedef struct surgery_corners {
  const uint32_t *slots;
  uint32_t count;
} surgery_corners;
// False when memory is out.
bool surgery_cell_corners(clv_surgery *surgery, clv_dart cell, surgery_corners *corners);
// The mean of a cell's vertices in an array by slot.
bool surgery_cell_centre(clv_surgery *surgery, clv_dart cell, const double *points, double centre[3]);
// Calls `each` with a dart of every facet of a cell; ends early with what is not CLV_OK.
typedef clv_result surgery_facet_visitor(clv_surgery *surgery, clv_dart facet, void *user);
clv_result surgery_each_facet(clv_surgery *surgery, clv_dart cell, surgery_facet_visitor *each, void *user);

// Where vertices lie with regard to a box: a bit for each side of it that they are beyond, in `codes`.
clv_result surgery_code_vertices(clv_surgery *surgery, const double least[3], const double greatest[3]);
// Of all corners of a cell (every) and of any of them (some).
typedef struct surgery_code {
  uint8_t every, some;
} surgery_code;
static inline surgery_code surgery_cell_code(const clv_surgery *surgery, const surgery_corners *corners) {
  surgery_code code = {0xFF, 0};
  for (uint32_t k = 0; k < corners->count; k++) {
    const uint8_t one = surgery->codes.data[corners->slots[k]];
    code.every &= one;
    code.some |= one;
  }
  return code;
}

// The level of a cell: 0 in a body that was never refined.
uint32_t surgery_level_of(const clv_surgery *surgery, clv_dart cell);

// Levels of vertices, by slot.
static inline const int32_t *surgery_levels(const clv_surgery *surgery) {
  return clv_column_data(surgery->levels, CLV_NONE, NULL);
}
// Finds or makes their column.
clv_result surgery_create_levels(clv_surgery *surgery, clv_error *error);
// Refines `cells`, all of them there and fit for it, once each. Inside a transaction.
clv_result surgery_refine_listed(clv_surgery *surgery);
// Whether there are finer cells for one of its kind.
bool surgery_may_refine(const clv_surgery *surgery, clv_dart cell);
// Puts together the families of `cells`, of `level` + 1, all of whose cells are marked in `zoned`: one transaction.
clv_result surgery_coarsen_listed(clv_surgery *surgery, uint32_t level, clv_surgery_report *sum);

// Momentum of families that are put together (coarsen.c). Before the transaction it is noted; inside, once a family is
// one cell, that of its vertices is taken; after it, what vanished is returned to those that are left.
enum { SURGERY_FAMILY_VERTICES = 8 + CLV_REFINED_VERTICES };
clv_result surgery_note_momentum(clv_surgery *surgery);
void surgery_family_slots(const clv_surgery *surgery, const clv_family *family, uint32_t *slots);
// Why a family must stay what it is, NULL where it may become one cell. Once momentum is noted.
const char *surgery_family_obstacle(const clv_surgery *surgery, const clv_family *family, const uint32_t *slots);
clv_result surgery_take_momentum(clv_surgery *surgery, const clv_family *family, const uint32_t *slots);
void surgery_return_momentum(clv_surgery *surgery, bool coarsened);

// What a rule speaks of, made ready for it (prepare.c): columns that the body lacks. Whether levels are among it, what
// cells bear, how springs pull, and where the rule is applied.
typedef struct surgery_topics {
  bool levels, state, tension, zone, mask;
} surgery_topics;
clv_result surgery_prepare_rule(clv_surgery *surgery, const clv_rule *rule, surgery_topics *topics);
// How many columns there are, but for those that come and go; and back to so many, after a failure.
uint32_t surgery_column_count(const clv_surgery *surgery);
void surgery_keep_columns(clv_surgery *surgery, uint32_t count);
// Whether a column is one of those that tell of cells, springs and places, below.
bool surgery_is_told(const char *column);
// The columns of levels on faces and volumes, where there are any, as the levels of vertices have them.
void surgery_tell_levels(clv_surgery *surgery);
// The columns of strain and stress, where there are any, as the body is now.
void surgery_tell_state(clv_surgery *surgery);

// The column of the tension of edges, where there is one, as the body is now.
void surgery_tell_tension(clv_surgery *surgery);
// The columns of cells that are marked in `zoned` and, if there is a mask, of vertices that are in `marks`.
void surgery_tell_where(clv_surgery *surgery, bool masked);

// Marks the cells of a zone in `zoned` (where.c); the vertices of one in `marks`, until they are taken off again.
clv_result surgery_mark_zone(clv_surgery *surgery, const clv_zone *zone);
clv_result surgery_mark_vertices(clv_surgery *surgery, const clv_zone *zone);
void surgery_unmark_vertices(clv_surgery *surgery);
// Where a place lies along the direction in which equals come: none of those in which meshes are laid out.
static inline double surgery_along(const double place[3]) {
  return 0.5813 * place[0] + 0.6841 * place[1] + 0.4407 * place[2];
}
// The stiffness of springs on edges, NULL where there are none (tear.c); and how one of them pulls: below 0 when it
// pushes.
const clv_column *surgery_springs(const clv_surgery *surgery);
double surgery_tension(const clv_surgery *surgery, const clv_column *springs, clv_dart edge);
// The cells that a shape in space touches on its way from one displacement to another, in `cells` (remove.c). `what`
// wants them.
clv_result surgery_list_touched(clv_surgery *surgery, const clv_zone *zone, const double way[2][3],
                                const clv_motion *motion, const char *what);
// What is wrong with a shape: NULL when nothing is.
const char *surgery_shape_wrong(const clv_zone *zone);
// The cells of a zone, in `cells` (remove.c); `what` wants them.
clv_result surgery_list_cells(clv_surgery *surgery, const clv_zone *zone, const char *what);

// How far vertices moved at most, along each axis, in the part of their way that was left when a tool began (motion.c).
void surgery_motion_reach(const clv_surgery *surgery, const clv_motion *motion, double reach[3]);
// Two places that move: where they were and are.
typedef struct surgery_ends {
  double was[2][3], now[2][3];
} surgery_ends;
bool surgery_same_ends(const double a[2][3], const double b[2][3]);
// Whether the segment between two places and the edge of a blade meet while both move: 0: they do not; 1: they do, and
// the first place lies on the side from which what the blade swept turns counterclockwise; -1: the second does.
int surgery_blade_meets(const clv_blade *blade, const clv_motion *motion, const surgery_ends *ends, double aside);

// The way of a blade as the matter about its edge sees it: a plane stays one.
clv_blade surgery_blade_seen(const clv_surgery *surgery, const clv_blade *blade, const clv_motion *motion);

// Selecting (select.c): the facets of a cut, in `facets`, those of refined cells whole. Not those that are free.
clv_result surgery_select(clv_surgery *surgery, const clv_cut *cut);
// Why a cut that was just selected takes nothing.
const char *surgery_nothing_cut(const clv_surgery *surgery, const clv_cut *cut);
// Where neighbours have refined a facet, all parts of it, at the level of the coarser of its two cells, instead
// (facet.c): `facets` may then hold one twice.
clv_result surgery_whole_facets(clv_surgery *surgery);
// The parts of one such facet, in `face`: none where it is whole.
clv_result surgery_whole_facet(clv_surgery *surgery, clv_dart facet);
// A number for a sewn facet, the same from both sides. False when memory is out.
bool surgery_facet_key(const clv_surgery *surgery, clv_dart dart, uint64_t *key);
// Room for a mark at each vertex. Those of a facet's corners: all of them.
clv_result surgery_reserve_marks(clv_surgery *surgery);
bool surgery_facet_marked(const clv_surgery *surgery, clv_dart dart, bool *good);
// Each facet once, in order.
clv_result surgery_distinct_facets(clv_surgery *surgery);
// Unsews `facets`, leaving out what is free by now, and counts them. Inside a transaction.
clv_result surgery_unsew_facets(clv_surgery *surgery);
// Removes `cells`, leaving out what is gone by now, and counts them. Inside a transaction.
clv_result surgery_drop_cells(clv_surgery *surgery);

#endif
