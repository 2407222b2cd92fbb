// What becomes of a template cell that is refined: constants of the shape, and of the diagonal that parts an
// octahedron.
//
// The border of a refined cell is numbered by the darts of the cell: 4 l is dart l itself; 4 l + 1 the dart at the
// middle of its edge; 4 l + 2 the dart next to that one, on the edge across the face; 4 l + 3 the dart beyond that edge
// (of a triangle) or at its other end (of a quadrangle). In 2D only the first two are there.

#ifndef MAP_REFINE_H
#define MAP_REFINE_H

#include "map/edit.h"

enum {
  MAP_REFINEMENTS = 6,
  MAP_POSITIONS = 4 * CLV_TEMPLATE_DARTS,
  MAP_NOWHERE = 255, // a dart inside the cell
  MAP_REFINED_VERTICES = 27,
  MAP_REFINED_EDGES = 54,
};

typedef struct map_child_dart {
  uint8_t child, dart;
} map_child_dart;

typedef struct map_refined_child {
  uint8_t at[CLV_TEMPLATE_DARTS]; // which place of the border each dart has
  map_child_dart link[6];         // what the first dart of each facet faces inside; child MAP_NOWHERE: on the border
  uint8_t outer[6], outer_count;  // facets on the border
  uint8_t vertex[8], edge[12];    // of solids: which one of all children's each corner and edge is
  uint8_t corners;                // likewise: those that it surely has of the parent, as bits; and edges, or halves
  uint16_t edges;
  uint8_t old[8]; // whether a corner is one of the parent's
} map_refined_child;

// A vertex or an edge of all children: its number, and where the first child has it that does.
typedef struct map_first_seat {
  uint8_t number, child, dart;
} map_first_seat;

// A vertex that may be new: its place on the border, a dart that names it, and those it lies between.
typedef struct map_birth {
  uint8_t at;
  map_child_dart seat, ends[2];
} map_birth;

typedef struct map_refinement {
  uint8_t kind, child_count, birth_count;
  // Of solids: vertices and edges of all children together, the parent's corners first. Where to look for one on the
  // border (corners; middles, which edges leave), and which one lies at each place there.
  uint8_t vertex_count, edge_count;
  uint8_t vertex_at[MAP_REFINED_VERTICES], edge_at[MAP_REFINED_EDGES];
  uint8_t vertex_on[MAP_POSITIONS], edge_on[MAP_POSITIONS];
  map_first_seat vertex_seats[MAP_REFINED_VERTICES], edge_seats[MAP_REFINED_EDGES]; // in the order of children
  uint8_t border[MAP_POSITIONS][3]; // where a0, a1 and a2 lead from there, along the border
  map_refined_child children[8];
  map_child_dart home[MAP_POSITIONS]; // the child that has a place of the border
  uint8_t rank[MAP_POSITIONS];        // what the child has there is told behind so many others
  map_birth births[CLV_REFINED_VERTICES];
} map_refinement;

extern const map_refinement map_refinements[MAP_REFINEMENTS];

// The refinement of a cell from one of its darts: an octahedron is parted along the diagonal that begins in the middle
// of the dart's edge. NULL for cells that cannot be refined.
const map_refinement *map_refinement_of(uint32_t kind, uint32_t local);

// The border of a cell at a level: its own darts and those that finer neighbours put there, 0 where there is none.
typedef struct map_border {
  map *m;
  const int32_t *levels; // by slot of vertices
  clv_dart cell;
  int32_t level;
  const clv_template *shape;
  clv_dart darts[MAP_POSITIONS];
  uint32_t records[MAP_POSITIONS]; // theirs, where the cell has records
  uint8_t bears[MAP_POSITIONS];    // 1 for those that bear ids: they were there before this transaction
  uint8_t hung[MAP_POSITIONS];     // places of those that are not the cell's own, in order, once all were found
  uint32_t hung_count;
  bool finer; // some edges between them are halved once more
} map_border;

// Fills in the darts, where there were none, and who bears ids; refuses what does not look like a cell of that level.
clv_result map_find_border(map_border *border);

// Where the edge ends that begins at a dart, at the level of children; false where there is none.
bool map_border_step(const map_border *border, clv_dart dart, clv_dart *end);

// Both ends of each edge that lies along the one at a place, appended; the level is that of children.
clv_result map_border_pieces(const map_border *border, uint32_t at, clv_walk *pieces);

// The level of a vertex at a dart that is no corner of the cell; -1 when nobody said.
int32_t map_level_at(const map_border *border, clv_dart dart);

// The links of place `at` along the border of a refined cell: where a0, a1 and a2 lead (refine_border.c).
uint32_t map_border_link(const clv_template *shape, uint32_t at, uint32_t i);

// A cell that is being refined.
typedef struct map_refining {
  map *m;
  map_border border;
  const map_refinement *table;
  clv_dart beyond[MAP_POSITIONS]; // what faces each place; 0: free, or not there yet
  clv_dart children[8];
  bool was_plain; // the parent had no records
  // What is known of its vertices and edges (lineage.h), while `told` says so: those of all children together; of the
  // cells beyond: corners in the middle of faces and edges across, once there are some; and what there was to be told
  // before.
  bool begun, told;
  uint32_t *vertices, *edges; // where the lineage keeps them
  uint32_t corners[MAP_REFINED_VERTICES], cell_edges[MAP_REFINED_EDGES];
  uint32_t edges_borne[MAP_REFINED_EDGES]; // the ids that edges have until the commit: a half that of the whole
  uint32_t came_before, notable_before, extended_before, grown_before, newcomers_before[4];
  uint32_t dropped, dropped_count; // entries of the log that drop the darts of a parent with records
  clv_walk pieces;                 // of edges across faces that finer neighbours halved, one after the other ...
  map_words crossings;             // ... as pairs: the place where one begins, and how many darts it has
} map_refining;

static inline clv_dart map_child_at(const map_refining *r, map_child_dart at) {
  return r->children[at.child] | at.dart;
}

// Room for refining so many tetrahedra, before the first of them: about what they need that lie apart, so that nothing
// grows again and again. CLV_ERROR_MEMORY.
clv_result map_expect_refining(map *m, uint32_t cells);

// Makes a dart face another one, of a cell that is new: either it has a record, or it is the first of its facet and
// speaks for all.
clv_result map_face(map *m, clv_dart beyond, clv_dart dart);

// Edges across faces, where finer vertices lie on them (refine_across.c): finds them while the parent is whole, and
// brings their vertices into the faces between the children.
clv_result map_find_crossings(map_refining *r);
clv_result map_halve_crossings(map_refining *r);

#endif
