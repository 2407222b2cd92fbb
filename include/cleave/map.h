// The generalized map: the body itself, and the only place where adjacency is kept.
//
// A map of dimension n (2 or 3) is a set of darts with n + 1 involutions a0..an such that ai∘aj is an involution too
// whenever i + 2 <= j. A fixed point is a boundary: ai(d) = d means "nothing beyond". Everything else is an orbit: a
// vertex is <1,2,3>, an edge <0,2,3>, a face <0,1,3>, a volume <0,1,2>; drop the 3 in 2D.
//
// The map is the array. Almost every cell of a real mesh is a triangle, quadrangle, tetrahedron, pyramid, prism or
// hexahedron, and inside such a template cell all links but the last are constants of the shape. So a template cell
// stores its corners' vertex ids (back to back: the element table that a finite-element kernel wants) and one link per
// facet, the neighbour's dart that faces the facet's first dart. Nothing else is kept: the other darts of the facet
// follow, because both facets list their darts in cyclic order.
//
// A dart is a 32-bit name: the high 26 bits name a block, the low 6 the dart inside it. Blocks come in pages of 1024 of
// one kind; a page maps its blocks to consecutive rows of that kind's arrays. Block 0 is null, and so is dart 0.
//
// A cell that is no template (a polygon, a polyhedron, a cell under surgery) has every link of every dart stored in a
// record. Two sorts of cells have records: explicit cells, whose darts live in blocks of their own, and extended cells:
// template cells that gained hanging vertices or lost their shape for a while. An extended cell stays where it is, with
// its id, its darts and its row; only its links move to records, and back when it is a template again.
//
// Change happens between clv_map_begin and clv_map_commit. Each operation is logged; rollback undoes the log, commit
// settles it: it finds the orbits that split, merged, appeared and vanished, gives each embedding its say, stores cells
// that are templates (again) as such, and tells the subscribers. Darts live until the next commit. Ids of cells and
// orbits carry generations and are what callers keep.

#ifndef CLEAVE_MAP_H
#define CLEAVE_MAP_H

#include "cleave/base.h"

CLV_BEGIN_DECLS

typedef struct clv_map clv_map;

// Darts

typedef uint32_t clv_dart;
#define CLV_NO_DART 0u

// Orbits. Bits 0..3 are the dimensions; CLV_IN_CELL leaves out the map's own dimension, so that one name serves 2D and
// 3D.
typedef uint32_t clv_orbit;
#define CLV_ORBIT(a0, a1, a2, a3) ((clv_orbit)((a0) | (a1) << 1 | (a2) << 2 | (a3) << 3))
#define CLV_IN_CELL 0x10u
// Beware CLV_VOLUME in a map of dimension 2: <0,1,2> is a whole component there; CLV_CELL is the cell in both.
#define CLV_VERTEX 0xEu
#define CLV_EDGE 0xDu
#define CLV_FACE 0xBu
#define CLV_VOLUME 0x7u
#define CLV_COMPONENT 0xFu
#define CLV_CELL (CLV_COMPONENT | CLV_IN_CELL)      // the cell of the map's own dimension
#define CLV_CORNER (CLV_VERTEX | CLV_IN_CELL)       // a vertex seen from one cell
#define CLV_CELL_EDGE (CLV_EDGE | CLV_IN_CELL)      // an edge seen from one cell
#define CLV_CELL_FACET(n) (((1u << (n)) - 1u) >> 1) // a facet seen from one cell: <0,1> in 3D, <0> in 2D

// What an orbit or a cell is called by those who keep it. Zero is null; an id whose orbit is gone is caught by its
// generation.
typedef struct clv_id {
  uint32_t index;
  uint32_t generation;
} clv_id;

// The constants of a template cell, by kind; zero for the others.
#define CLV_TEMPLATE_DARTS 48
typedef struct clv_exit {
  uint8_t dart, facet, position; // the dart, its facet, and how many darts it lies behind the facet's first
} clv_exit;

typedef struct clv_suborbits {
  uint8_t count;                              // how many sub-orbits the cell has
  uint8_t of[CLV_TEMPLATE_DARTS];             // the sub-orbit of each dart; corners are numbered as VTK does
  uint8_t size[CLV_TEMPLATE_DARTS];           // how many darts each has
  uint8_t first[CLV_TEMPLATE_DARTS];          // the first dart of each
  clv_exit exit[CLV_TEMPLATE_DARTS];          // where it continues in other cells, one dart for each way
  uint8_t exit_start[CLV_TEMPLATE_DARTS + 1]; // those of sub-orbit s are exit[exit_start[s] .. exit_start[s + 1])
} clv_suborbits;

typedef struct clv_template {
  uint8_t dimension, dart_count, facet_count, corner_count;
  uint8_t facet_first[6], facet_size[6]; // first dart and number of darts of each facet, in cyclic order
  uint8_t alpha[4][CLV_TEMPLATE_DARTS];  // the links inside the cell; those from its own dimension on are not used
  uint8_t facet[CLV_TEMPLATE_DARTS];     // the facet of each dart
  uint8_t position[CLV_TEMPLATE_DARTS];  // how many darts it lies behind the facet's first
  uint8_t turn[CLV_TEMPLATE_DARTS][8];   // the dart so many links a0, a1, a0 ... further along its facet
  clv_suborbits sub[8];                  // by set of inner dimensions
} clv_template;

CLV_API extern const clv_template clv_templates[CLV_KIND_COUNT];

// Where a page's blocks lie. A plain page holds template cells of which none is extended.
typedef struct clv_page {
  uint32_t row;
  uint8_t kind;
  uint8_t plain;
  uint16_t extended; // how many of its cells are
} clv_page;

#define CLV_PAGE_SHIFT 16u // darts per page: 1024 blocks of 64
#define CLV_BLOCK_MASK 1023u

// What inline readers see of a map. Read it through the functions below, never write it.
struct clv_map {
  const clv_page *pages;
  uint32_t page_count;
  uint32_t dimension;
  const uint32_t *links[CLV_TEMPLATE_LAST + 1];   // facet_count per row; 0: free
  const uint32_t *corners[CLV_TEMPLATE_LAST + 1]; // corner_count vertex ids per row: the element table
  const uint16_t *states[CLV_POLYHEDRON + 1];     // per row: generation (odd: alive), orientation and extension
};

CLV_API clv_dart clv_alpha_record(const clv_map *map, clv_dart dart, uint32_t i);
CLV_API clv_dart clv_alpha_facing(const clv_map *map, clv_dart link, uint32_t steps);

// The i-th link of a dart: the only way in.
static inline clv_dart clv_alpha(const clv_map *map, clv_dart dart, uint32_t i) {
  const clv_page page = map->pages[dart >> CLV_PAGE_SHIFT];
  if (!CLV_LIKELY(page.plain)) return clv_alpha_record(map, dart, i);
  const clv_template *shape = &clv_templates[page.kind];
  const uint32_t local = dart & 63u;
  if (i < shape->dimension) return (dart & ~63u) | shape->alpha[i][local];
  if (i > shape->dimension) return dart;
  const uint32_t row = page.row + ((dart >> 6) & CLV_BLOCK_MASK);
  const clv_dart link = map->links[page.kind][row * shape->facet_count + shape->facet[local]];
  if (!link) return dart;
  // The first dart of this facet faces `link`: this one faces the dart as many steps further there as it is here.
  const clv_page beyond = map->pages[link >> CLV_PAGE_SHIFT];
  if (!CLV_LIKELY(beyond.plain)) return clv_alpha_facing(map, link, shape->position[local]);
  return (link & ~63u) | clv_templates[beyond.kind].turn[link & 63u][shape->position[local]];
}

static inline bool clv_is_free(const clv_map *map, clv_dart dart, uint32_t i) {
  return clv_alpha(map, dart, i) == dart;
}

// The dimensions an orbit name stands for in this map, as bits.
static inline uint32_t clv_orbit_dims(const clv_map *map, clv_orbit orbit) {
  const uint32_t all = (2u << map->dimension) - 1u;
  return orbit & all & ((orbit & CLV_IN_CELL) ? all >> 1 : all);
}

// Maps

typedef struct clv_map_def {
  uint32_t dimension; // 2 or 3
  clv_allocator allocator;
} clv_map_def;

CLV_API clv_map_def clv_default_map_def(void);
// NULL when memory is out or the def is wrong; error (may be NULL) says which.
CLV_API clv_map *clv_map_create(const clv_map_def *def, clv_error *error);
CLV_API void clv_map_destroy(clv_map *map);

// The sentence that goes with the last result that was not CLV_OK.
CLV_API const char *clv_map_error(const clv_map *map);
// Grows by one with every commit that changed something.
CLV_API uint64_t clv_map_revision(const clv_map *map);
// A hash of darts, links, ids, generations and free lists: equal for maps that are equal to the last bit.
CLV_API uint64_t clv_map_hash(const clv_map *map);
// Bytes held for topology, ids and indices, slack included; scratch memory, columns' values and journals apart.
CLV_API size_t clv_map_bytes(const clv_map *map);

// Walking

// True for a dart that exists now.
CLV_API bool clv_dart_alive(const clv_map *map, clv_dart dart);
// All darts in order of name: for (d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)).
CLV_API clv_dart clv_dart_next(const clv_map *map, clv_dart dart);
CLV_API uint64_t clv_dart_count(const clv_map *map);

// An orbit, collected. Orbits of up to CLV_WALK_INLINE entries need no allocation. A walk points into itself: it is not
// to be copied.
#define CLV_WALK_INLINE 248
typedef struct clv_walk {
  const clv_map *map;
  clv_dart *darts;
  uint32_t count, capacity;
  clv_dart inline_darts[CLV_WALK_INLINE];
} clv_walk;

// Every dart of the orbit that holds `dart`, itself first.
CLV_API clv_result clv_walk_orbit(clv_walk *walk, const clv_map *map, clv_orbit orbit, clv_dart dart);
// One dart for each cell (and each separate piece of it) that the orbit touches: the star of a vertex is some twenty
// (cell, corner) pairs, not 150 darts. Around an edge, or a vertex of a 2D map, they come in order.
CLV_API clv_result clv_walk_star(clv_walk *walk, const clv_map *map, clv_orbit orbit, clv_dart dart);
// One dart for each `found` orbit that meets the orbit `of` at `dart`: the edges of a vertex, the vertices of a volume
// ...
CLV_API clv_result clv_walk_incident(clv_walk *walk, const clv_map *map, clv_orbit of, clv_orbit found, clv_dart dart);
// One dart for each other `orbit` that shares a `through` orbit with the one at `dart`: vertices joined by an edge,
// volumes by a face.
CLV_API clv_result clv_walk_adjacent(clv_walk *walk, const clv_map *map, clv_orbit orbit, clv_orbit through,
                                     clv_dart dart);
// One dart for each orbit of the whole map, in order of name.
CLV_API clv_result clv_walk_all(clv_walk *walk, const clv_map *map, clv_orbit orbit);
// Gives back what a long walk allocated; any walk may be ended, and must be before it is used again.
CLV_API void clv_walk_end(clv_walk *walk);

// Marks: one bit per dart, 64 to a block, allocated where they are first set. They cost nothing while none is in use.
typedef struct clv_marks clv_marks;
CLV_API clv_marks *clv_marks_create(const clv_map *map);
CLV_API void clv_marks_destroy(clv_marks *marks);
CLV_API clv_result clv_marks_set(clv_marks *marks, clv_dart dart);
CLV_API bool clv_marks_get(const clv_marks *marks, clv_dart dart);
// Unmarks everything; its cost follows what was marked.
CLV_API void clv_marks_clear(clv_marks *marks);

// Cells

// The kind of the cell a dart belongs to; CLV_POLYGON or CLV_POLYHEDRON for explicit and extended cells.
CLV_API clv_kind clv_cell_kind(const clv_map *map, clv_dart dart);
// The kind that a cell has at its own level. Neighbours put hanging vertices into the edges of a template cell, and
// split its faces: as long as its own darts are all there, and a1 and a2 of them lead where they always did, it has the
// shape of its template, and its row's corners are its corners; a0 leads to the end of an edge or to a vertex that
// hangs in it. Other cells: as clv_cell_kind says. Between transactions.
CLV_API clv_kind clv_cell_shape(const clv_map *map, clv_dart dart);
// How many rows of a template kind there are (holes of removed cells included) and how many are alive.
CLV_API uint32_t clv_cell_rows(const clv_map *map, clv_kind kind);
CLV_API uint32_t clv_cell_count(const clv_map *map, clv_kind kind);
// The first dart of the cell in a row of a template kind, or 0 when the row is empty.
CLV_API clv_dart clv_cell_at(const clv_map *map, clv_kind kind, uint32_t row);
// The row of a dart's cell in its kind's tables.
CLV_API uint32_t clv_cell_row(const clv_map *map, clv_dart dart);

// Ids. Cells and vertices have them always; another orbit once clv_map_number asked for it (a column does).
CLV_API clv_result clv_map_number(clv_map *map, clv_orbit orbit);
// The id of the orbit at a dart; null when that orbit is not numbered or was made by the open transaction.
CLV_API clv_id clv_id_of(const clv_map *map, clv_orbit orbit, clv_dart dart);
// A dart of the orbit, or 0 when it is gone.
CLV_API clv_dart clv_id_dart(const clv_map *map, clv_orbit orbit, clv_id id);
CLV_API bool clv_id_alive(const clv_map *map, clv_orbit orbit, clv_id id);
// All ids of a numbered orbit, in order: for (id = clv_id_next(map, o, (clv_id){0}); id.index; id = clv_id_next(map, o,
// id)).
CLV_API clv_id clv_id_next(const clv_map *map, clv_orbit orbit, clv_id id);
// Slots in use, holes included: what a dense array over the orbit needs; slot 0 is never used.
CLV_API uint32_t clv_id_slots(const clv_map *map, clv_orbit orbit);

// Counting

// What `cleave info` prints. cells[i] is the number of i-cells, i <= dimension.
typedef struct clv_map_info {
  uint64_t darts;
  uint64_t cells[4];
  uint64_t kinds[CLV_KIND_COUNT]; // top cells by kind
  uint64_t components;
  int64_t euler; // cells[0] - cells[1] + cells[2] - cells[3]
  uint64_t boundary_facets;
  uint64_t open_darts; // free in a dimension below the map's own: a cell that is not closed
  uint64_t extended;   // template cells whose links are stored
  bool orientable;
} clv_map_info;
CLV_API clv_result clv_map_count(const clv_map *map, clv_map_info *info);

// Orientation: the 2-colouring of the darts, kept current. Every link joins side 0 and side 1 in an orientable map.
CLV_API bool clv_map_orientable(const clv_map *map);
CLV_API uint32_t clv_side(const clv_map *map, clv_dart dart);

// The combinatorial map on the darts of one side of an orientable map: b1 is the next dart of the face, b0 the previous
// one, b2 and b3 the neighbouring face and volume; 0 where there is none.
static inline clv_dart clv_beta(const clv_map *map, clv_dart dart, uint32_t i) {
  const clv_dart first = clv_alpha(map, dart, i == 0 ? 1 : 0);
  const clv_dart second = clv_alpha(map, first, i);
  return first == dart || second == first ? CLV_NO_DART : second;
}

// Change. Each call needs an open transaction, and leaves the map as it was when it fails.

CLV_API clv_result clv_map_begin(clv_map *map);
// Settles the transaction. When it fails (memory, or an embedding that refuses a merge) the transaction stays open.
CLV_API clv_result clv_map_commit(clv_map *map);
CLV_API void clv_map_rollback(clv_map *map);

// A free template cell, as corners 0, 1, 2 ... of its own; *dart is its first dart (corner 0, edge 01, face 012).
CLV_API clv_result clv_map_add_cell(clv_map *map, clv_kind kind, clv_dart *dart);
// A free polygon: a cell in 2D, one open face in 3D. *dart and its links 0, 1, 0, 1 ... go round it.
CLV_API clv_result clv_map_add_polygon(clv_map *map, uint32_t sides, clv_dart *dart);
// A closed polyhedron from its faces: face f has sizes[f] corners, numbered as the caller likes, in order, back to back
// in `corners`. Refuses faces that do not close up, naming the edge. *dart is corner 0, edge 01 of face 0.
CLV_API clv_result clv_map_add_polyhedron(clv_map *map, uint32_t face_count, const uint32_t *sizes,
                                          const uint32_t *corners, clv_dart *dart);

// Joins the orbits <0..i-2, i+2..n> of two i-free darts, or parts them. What an unsew parts keeps its ids on the side
// of the dart; the other side gets new ones.
CLV_API clv_result clv_map_sew(clv_map *map, uint32_t i, clv_dart a, clv_dart b);
CLV_API clv_result clv_map_unsew(clv_map *map, uint32_t i, clv_dart dart);

// A vertex in the edge of `dart`; *added, the new dart that a0 joins to `dart`, lies on it.
CLV_API clv_result clv_map_insert_vertex(clv_map *map, clv_dart dart, clv_dart *added);
// An edge across a face, from the corner (a, a1(a)) to the corner (b, a1(b)): b is reached from a by a0, then a1, a0
// ... an odd number of steps. *added is the new edge's dart that a1 joins to a.
CLV_API clv_result clv_map_insert_edge(clv_map *map, clv_dart a, clv_dart b, clv_dart *added);
// A face across a volume, along a closed path of its edges: path[k + 1] is met going on from a0(path[k]) by a1, or by
// a1, then a2, a1 repeatedly. The new face parts path[k] from a2(path[k]); *added is its dart that a2 joins to path[0].
CLV_API clv_result clv_map_insert_face(clv_map *map, const clv_dart *path, uint32_t length, clv_dart *added);

// Deletes the cell (of the map's own dimension) of a dart; its neighbours become free there.
CLV_API clv_result clv_map_remove_cell(clv_map *map, clv_dart dart);
// Removes the i-cell at a dart, i < n, merging what it parted: the inverse of the insertions. An i-cell, i < n - 1,
// must have at most two (i+1)-cells about it.
CLV_API clv_result clv_map_remove(clv_map *map, uint32_t i, clv_dart dart);
// Contracts the i-cell at a dart, i >= 1, to one of lower dimension. For i >= 2 it must have at most two (i-1)-cells.
CLV_API clv_result clv_map_contract(clv_map *map, uint32_t i, clv_dart dart);

// Refining. A vertex has the level at which it came, a cell that of its finest corner. A cell of level k, of which only
// vertices of higher levels may lie between the corners, becomes cells of level k + 1 about the middles of its edges: a
// triangle or a quadrangle four, a tetrahedron or a hexahedron eight. An octahedron inside a tetrahedron is parted
// along the diagonal that begins in the middle of the dart's edge. Neighbours keep their names, rows and levels;
// vertices that are new to them hang on their edges and faces.
#define CLV_REFINED_VERTICES 19
#define CLV_REFINED_LEVELS 30u
typedef struct clv_refined {
  uint32_t vertex_count, child_count;
  clv_dart vertices[CLV_REFINED_VERTICES]; // one dart of each new vertex: give them level k + 1
  clv_dart children[8];                    // one dart of each
} clv_refined;
// `levels` by slot of vertices. refined may be NULL.
CLV_API clv_result clv_map_refine(clv_map *map, clv_dart dart, uint32_t level, const int32_t *levels,
                                  clv_refined *refined);
// The inverse: the cell of a dart and those that came of the same cell, of `level`, are put together again. Vertices
// that no cell needs any more go. Refused where one of them is finer or missing, or where a facet of the cell was cut
// in part. Edges and faces that become one go on with a value that they had, or divided, before they were parted:
// nothing is summed up that was copied. *cell (may be NULL) is its first dart.
CLV_API clv_result clv_map_coarsen(clv_map *map, clv_dart dart, uint32_t level, const int32_t *levels, clv_dart *cell);

// The cells that came of one of `level`, of which the cell of a dart is one, and their vertices: first the corners of
// that cell, in no special order, then those that came between two others, which `ends` says, in the order in which
// they came.
typedef struct clv_family {
  uint32_t cell_count, corner_count, vertex_count;
  clv_dart cells[8];
  clv_dart vertices[8 + CLV_REFINED_VERTICES];
  uint8_t ends[8 + CLV_REFINED_VERTICES][2]; // numbers of vertices
} clv_family;
// False when there is no such family.
CLV_API bool clv_map_family(const clv_map *map, clv_dart dart, uint32_t level, const int32_t *levels,
                            clv_family *family);

// The journal

typedef enum clv_event_kind {
  CLV_CREATED, // id appeared
  CLV_DELETED, // id is gone, and nothing of it remains
  CLV_SPLIT,   // id is new and came off `from`
  CLV_MERGED,  // `from` is gone and now part of id
  CLV_CHANGED, // id gained or lost cells
} clv_event_kind;

typedef struct clv_event {
  uint8_t dims; // the orbit's dimensions, as clv_orbit_dims gives them
  uint8_t kind;
  uint16_t unused;
  clv_dart dart; // of id, after the commit; 0 when it is gone
  clv_id id, from;
} clv_event;

typedef struct clv_rename {
  clv_dart before, after;
} clv_rename;

// One commit, as its subscribers see it: right after it, with the map as it is now. The arrays live during the call.
typedef struct clv_commit {
  uint64_t revision;
  uint32_t event_count, rename_count;
  const clv_event *events;
  const clv_rename *renames;
} clv_commit;

// Subscribers read; they may not change the map. They are called in the order they came.
typedef void clv_subscriber(void *user, const clv_map *map, const clv_commit *commit);
CLV_API clv_result clv_map_subscribe(clv_map *map, clv_subscriber *subscriber, void *user);
CLV_API void clv_map_unsubscribe(clv_map *map, clv_subscriber *subscriber, void *user);

// A journal records every commit of a map from its creation on, values set in transactions included. Replayed on a map
// that is as the recorded one was then (same hash, same columns), it leaves the same bits.
typedef struct clv_journal clv_journal;
CLV_API clv_journal *clv_journal_create(clv_map *map);
// A map destroys the journals it still has.
CLV_API void clv_journal_destroy(clv_journal *journal);
CLV_API uint64_t clv_journal_commits(const clv_journal *journal);
CLV_API size_t clv_journal_bytes(const clv_journal *journal);
// Forgets what was recorded; recording goes on from the map's present state.
CLV_API void clv_journal_clear(clv_journal *journal);
// Where a replay fails on its way (memory), the commits before stand and the map is sound.
CLV_API clv_result clv_journal_replay(const clv_journal *journal, clv_map *map);
// Whether the map is as the recorded one was when the journal began: CLV_OK, or CLV_ERROR_INPUT and a sentence.
CLV_API clv_result clv_journal_fits(const clv_journal *journal, clv_map *map);
// Its commits `first` .. `end` - 1 alone, on a map that fitted and has seen those before; columns may have come since.
CLV_API clv_result clv_journal_replay_some(const clv_journal *journal, clv_map *map, uint64_t first, uint64_t end);
// A journal as bytes, for a file: writes clv_journal_saved_size of them.
CLV_API size_t clv_journal_saved_size(const clv_journal *journal);
CLV_API void clv_journal_save(const clv_journal *journal, void *bytes);
// And back: a journal that records nothing, to be replayed on `map` and destroyed before it. NULL on failure; damaged
// bytes are told.
CLV_API clv_journal *clv_journal_load(clv_map *map, const void *bytes, size_t size, clv_error *error);

// Checking

// One broken condition: what, and at which darts (0: none).
typedef struct clv_problem {
  const char *condition; // a short stable name: "involution", "commutation", "vertex-id" ...
  clv_dart darts[4];
  char message[256];
} clv_problem;

// Every condition of a G-map and of its storage, ids, orientation and embeddings; calls `report` (may be NULL) for each
// one that fails and returns CLV_ERROR_INVALID if any did. Not inside a transaction.
CLV_API clv_result clv_map_check(const clv_map *map, void (*report)(void *user, const clv_problem *problem),
                                 void *user);

CLV_END_DECLS

#endif
