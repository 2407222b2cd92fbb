// What refining knows of the vertices and edges it makes, kept until the commit (grow.c), which need not search for
// them then.
//
// A refined cell has a handful of vertices and edges, whose numbers are constants of the shape (refine.h). Each is one
// that was there, and has an id, or a newcomer: new, or a half of an edge that was whole. A dart that is hung into a
// neighbour lies on such a vertex and such an edge; so do the children's corners and edges. All that is written down
// here as it is made, sort by sort; nothing of it is in the map yet, where new places bear no ids before the commit.
//
// It is of use only to transactions that refine and do nothing else, in maps that number nothing but these sorts, and
// does not outlive one. Where something is not so simple it is broken off: the log tells the commit everything, too, if
// at greater length.

#ifndef MAP_LINEAGE_H
#define MAP_LINEAGE_H

#include "map/refine.h"

// Orbits that cross cells, and what they leave in one.
typedef enum map_sort { MAP_VERTICES, MAP_EDGES, MAP_CORNERS, MAP_CELL_EDGES, MAP_SORTS } map_sort;
static const uint8_t map_sort_dims[MAP_SORTS] = {14, 13, 6, 5};

// What a place lies on: the id that its orbit bears, as indices have it; or this bit and the number of a newcomer.
#define MAP_NEWCOMER 0x40000000u
static inline bool map_is_newcomer(uint32_t lies_on) {
  return (lies_on & (MAP_NEWCOMER | MAP_TEMPLATE_SLOT)) == MAP_NEWCOMER;
}

typedef struct map_newcomer {
  uint32_t old;       // what it is a part of, 0: of nothing
  union {             // in the first of two words, or in both
    clv_dart near;    // of an edge in a cell: a dart that bears that
    uint32_t family;  // of a half of an edge: the number of the whole
    uint32_t ends[2]; // of a vertex: those it lies between; 0 where nobody said
  };
  uint32_t id; // given by the commit; 0: nobody came to it yet
  union {
    uint32_t hung;  // of a vertex: so many times it was hung into a cell
    clv_dart first; // of what an orbit leaves in a cell: the first dart that came to it
  };
} map_newcomer;

// A dart that came, or two of one cell that lie on the same.
typedef struct map_came {
  clv_dart darts[2];   // the second may be none
  uint32_t records[2]; // theirs, or twice that of the first
  uint32_t on[MAP_SORTS];
  uint32_t cell; // what darts of their cell bear, where cells are numbered
} map_came;

// Darts that came into a cell one behind the other: it had darts before.
typedef struct map_grown {
  uint32_t block, count;
} map_grown;

typedef struct map_division {
  const map_refinement *table;
  clv_dart parent, children[8];
  uint32_t came;   // so many of those that came did so before its children
  uint32_t lies;   // where in `lies` its vertices are told, and its edges behind them
  uint32_t known;  // where in `lies` the darts are that its border had before, by place; 0: it had none but its own
  uint32_t record; // then: where those of its own had their records
  uint32_t dropped, dropped_count; // then: the entries of the log that drop its darts
  uint8_t had_vertices[8];
  uint16_t had_edges[8]; // places of each child that bear an id since it came, as bits
} map_division;

typedef struct map_lineage {
  BASE_ARRAY(map_came) came;
  BASE_ARRAY(map_newcomer) newcomers[MAP_SORTS];
  BASE_ARRAY(map_division) divisions;
  map_words lies;
  map_words extended; // cells that were
  BASE_ARRAY(map_grown) grown;
  bool gone;                // some darts that came are gone again
  BASE_ARRAY(uint8_t) kept; // by family: somebody goes on under the old id
  uint32_t families;
  map_words number; // by record: which of those that came it is
  map_words born;   // by block: the stamp of the transaction that added it
  uint32_t stamp;
  bool broken;
} map_lineage;

void map_lineage_free(map *m);

// Room for the lineage of so many cells, about as much as they mostly have. False when memory is out.
bool map_lineage_expect(map *m, uint32_t cells);
// Before a cell is refined, once its border is known: what its vertices and edges are.
clv_result map_lineage_begin(map_refining *r);
// Its end, with what came of it. What was noted is taken back where it failed.
clv_result map_lineage_end(map_refining *r, clv_result result);
// Room to note so many darts. False when memory is out.
bool map_reserve_notes(map_refining *r, uint32_t more);
// Values that were set since are entries of the log that the commit has to go over. False when memory is out.
bool map_note_values(map *m);
// Darts were hung into a cell in the middle of the parent's edge at l: two on the half of old[0], beside it and old[1],
// and two on that of old[2].
void map_note_middles(map_refining *r, uint32_t l, const map_seat old[4], const map_seat new[4]);
// Edges across were put into the face beyond a facet: for each of its darts two came, behind the middle of the edge.
void map_note_across(map_refining *r, uint32_t facet, const map_seat *new);
// Gives places of a child, as bits, the ids they have from its parent.
void map_note_heir(map_refining *r, uint32_t child, uint32_t vertices, uint32_t edges);
// A cell is about to be extended: one of this transaction's own is too much. False when memory is out.
bool map_note_extension(map_refining *r, clv_dart dart);
void map_break_lineage(map_refining *r);

// Whether the open transaction is told by its lineage (grow.c).
bool map_lineage_tells(const map *m);

#endif
