// What a commit is about to do, worked out before anything is settled.
//
// For each numbered sort of orbit, the commit starts from the darts that the log touched and walks the orbits they lie
// in now. Every place on the way still carries the id it had before, so each new orbit knows the old ones it is made
// of: its parts. An old id in two new orbits is a split, two old ids in one orbit a merge, none a creation, an old id
// in no orbit a deletion. The part of an old orbit that was touched first keeps its id; an orbit that keeps several
// takes the smallest.
//
// A node of these walks is a place of a plain template cell, or a single dart that has a record; its weight is its
// number of darts. Everything here is scratch memory, kept from commit to commit.

#ifndef MAP_PLAN_H
#define MAP_PLAN_H

#include "map/lineage.h"
#include "map/onward.h"

#define MAP_NO_ORBIT UINT32_MAX

// What an old orbit was called: an id; or, for an inner orbit of an extended cell, MAP_ROW_SLOT and the first dart of
// the template sub-orbit whose slot it has.
#define MAP_ROW_SLOT (UINT64_C(1) << 32)

typedef struct map_part {
  uint64_t old;
  uint32_t orbit; // MAP_NO_ORBIT: darts that were deleted
  uint32_t weight;
} map_part;

typedef struct map_new_orbit {
  uint64_t keeps; // the old name it goes on with, 0 for none
  uint32_t id;    // after the commit; a block for cells
  uint32_t node_start, node_end;
  uint32_t part_start, part_end;
  bool gained;  // holds darts that are new
  bool changed; // anything at all differs from before: otherwise no one needs to hear of it
  // Cells only: what is to be done with it, the template it is, and whether it stays in the block it keeps.
  uint8_t settle, kind;
  bool seated;
} map_new_orbit;

typedef struct map_lost {
  clv_dart node;
  uint64_t old;
} map_lost;

// Places that bore no id, beside one that has it.
typedef struct map_spread {
  uint32_t id;
  uint32_t node_start, node_end;
} map_spread;

typedef struct map_orbits {
  map_index *index; // NULL for cells
  uint32_t dims;
  map_words nodes;
  BASE_ARRAY(map_new_orbit) orbits;
  BASE_ARRAY(map_part) parts; // by orbit; those of deleted darts last
  map_words by_old;           // parts in order of old name, then orbit
  BASE_ARRAY(map_lost) lost;
  BASE_ARRAY(map_spread) spread; // by id; of commits that refine (arrive.c)
  uint32_t fresh;                // ids to be taken
} map_orbits;

typedef struct map_plan {
  map_orbits orbits[MAP_INDICES]; // by dims, where the map has an index
  map_orbits cells;
  uint32_t rows[MAP_KINDS]; // rows that settling takes
  uint32_t evicted;         // darts that must leave their block
  bool inner_changed;       // some cell's own links were written
  bool cells_added;         // some template cell is new
  bool inherited;           // in the place of others
  bool gathered;            // in the place of several: what was parted comes together again
  bool refined;             // cells were refined, their neighbours extended, and nothing else (refined.c)
  bool links_changed;       // something was sewn, unsewn or deleted
  bool values_set;          // by hand
  bool recolour;
} map_plan;

// What a dart of an added cell has of another cell (MAP_INHERIT).
typedef struct map_source {
  clv_dart dart; // 0: nothing
  uint32_t apart;
} map_source;

// The places of an orbit that a commit has walked, in `places`; both are the slot of a place that it lost where it was
// not walked.
typedef struct map_star {
  uint32_t start, end;
} map_star;

// A removed cell, and what was beside it (whole.c).
typedef struct map_removed {
  clv_dart dart;
  uint32_t sewn;                    // facets, as bits
  clv_dart beyond[MAP_MOST_FACETS]; // what the first darts of those were sewn to
  uint32_t beside_count;            // neighbours that are there still, in the order in which they were unsewn
  clv_dart beside[MAP_MOST_FACETS]; // the first dart of the neighbour's facet
  uint8_t facing[MAP_MOST_FACETS];  // what that was sewn to: a local dart of the cell
  uint32_t joints;                  // edges about which a way leads from facet to facet, as bits
  bool folded;                      // some vertex of it lies at several corners
  uint32_t vertices;                // known to be one piece, or nothing, where it alone is gone; likewise
  uint64_t bare;                    // places of the orbits that are looked at, as bits: no neighbour there is left
} map_removed;
// An id of which nothing is left (lose.c), and where it was found.
typedef struct map_gone {
  map_index *index;
  uint32_t id;
  clv_dart found_at;
} map_gone;
// What came off an orbit where many cells were removed (cull.c): the event that tells of it, and its places.
typedef struct map_piece {
  uint32_t event;
  uint32_t start, end; // in `places`
} map_piece;
// What came off the orbit of an id, and its own.
typedef struct map_parted {
  map_index *index;
  uint32_t from, to;
} map_parted;

// An orbit that was there and that somebody new lies on (grow.c).
typedef struct map_joined {
  uint32_t id, number; // in the order in which they came
  clv_dart dart;
} map_joined;

// A dart that came in this transaction.
typedef struct map_born {
  clv_dart dart, origin; // origin: a dart of the cell it was born in, of those that were there before
  uint32_t next;         // towards the one of its kin that knows the origin
} map_born;

// Facets at the vertices and edges of a kind (whole.c).
typedef struct map_shape_facts {
  uint32_t kind;                                              // CLV_NONE until somebody asks
  uint32_t around[MAP_MOST_CORNERS], edges[MAP_MOST_CORNERS]; // facets and edges at a vertex, as bits
  uint32_t pair[MAP_MOST_EDGES];                              // the two facets at an edge, likewise
  uint8_t darts[MAP_MOST_EDGES][2];                           // of an edge: one in each of the two
} map_shape_facts;

typedef struct map_scratch {
  map_plan plan;
  BASE_ARRAY(uint64_t) seen; // a table of nodes (resolve.c)
  uint32_t stamp;
  BASE_ARRAY(clv_event) events;
  BASE_ARRAY(clv_rename) renames;
  map_words sides;       // packed 2-colouring, for recolouring
  map_words cuts;        // by entry of the log
  map_words marks;       // by record: the last walk that saw it
  map_words child_marks; // likewise, by fresh cell and place
  uint32_t mark;
  // Entries of the log that are no links; none where the commit needs no plan. Where its lineage tells: what sets
  // values.
  map_words notable;
  map_words arrivals;             // those that add or drop, of a commit by a plan that refines
  map_words fresh;                // blocks that this transaction added, in order
  BASE_ARRAY(map_born) born;      // in order of dart, where a cell has none but new ones (origin.c)
  bool origins;                   // they are listed
  bool no_levels;                 // memory was out when levels were asked for
  BASE_ARRAY(map_source) sources; // of their darts, CLV_TEMPLATE_DARTS each; none where nothing was inherited
  map_words begetters;            // blocks that the added ones inherit of, in order
  BASE_ARRAY(map_place) places;   // where orbits come apart (part.c, lose.c, cull.c)
  BASE_ARRAY(map_gone) gone;
  BASE_ARRAY(map_parted) parted;
  BASE_ARRAY(map_removed) removed; // none where a commit does more than to remove cells, or removes many (cull.c)
  map_words dropped;               // the same cells, and those of many
  map_words beside;                // facets that were freed by those
  BASE_ARRAY(uint8_t) culled;      // by dropped cell: its facets that had a neighbour that is left, as bits
  BASE_ARRAY(map_piece) pieces;
  map_words met; // a bit for each place; all zero between uses
  map_lineage lineage;
  BASE_ARRAY(map_seat) round; // where the cells about an edge are, as it is halved (refine.c)
  map_words found[2];         // of vertices and edges: newcomers in the order in which somebody came to them (grow.c)
  BASE_ARRAY(map_joined) joined[2];
  map_words lost;             // ids of inner orbits that are gone with their cells (grow.c)
  map_words doubts;           // one bit for each id: orbits that may have been parted; all zero between uses
  BASE_ARRAY(map_star) stars; // by event; none where the commit kept none
  map_onward onward[8];       // by what an orbit leaves in a cell
  map_shape_facts facts;
  bool direct;  // the commit that is told of was carried out by part.c, lose.c or cull.c
  bool told;    // it was carried out by grow.c
  bool culls;   // by cull.c
  bool general; // plan every commit: for tests
  bool picks;   // never cull: for tests
  bool walks;   // find orbits in commits that refine by walking: for tests
} map_scratch;

typedef enum map_settle {
  MAP_STAY,    // stored as it is
  MAP_RESEAT,  // a template (again): to its row, or to a new one
  MAP_RESHAPE, // a template with hanging vertices: to a new row, extended
  MAP_EVICT,   // some darts bear names of a block that is not theirs any more
} map_settle;

void map_scratch_destroy(map *m);

// Finds what became of every numbered orbit (resolve.c).
bool map_resolve(map *m, map_plan *plan);
// A mark that no record has, for those there were when the plan was made (resolve.c).
uint32_t map_next_mark(map *m);
// The name that a node of an orbit bore before (resolve.c).
uint64_t map_old_name(const map *m, const map_index *index, clv_dart node);
// True for the block of a cell that this transaction added; and which of them it is.
#define MAP_NOT_FRESH UINT32_MAX
uint32_t map_fresh_number(const map *m, uint32_t block);
static inline bool map_is_fresh(const map *m, uint32_t block) {
  return map_fresh_number(m, block) != MAP_NOT_FRESH;
}
// The places of an added cell that lie on a part only of what they lay on in the cell it came of, as bits (resolve.c).
uint64_t map_parted_places(const map *m, clv_dart cell, uint32_t inner);
// The block of the cell that an added one took the place of, or of one of them; 0 where it did not (resolve.c). Added
// cells are numbered in order of their blocks.
uint32_t map_begetter(const map *m, uint32_t fresh);
// What became of the orbits of an index in a commit that refines (arrive.c).
bool map_resolve_arrivals(map *m, map_orbits *o);
// True for the block of a cell that others took the place of: what is lost with it is not lost.
bool map_begot(const map *m, uint32_t block);
uint32_t map_node_weight(const map *m, uint32_t inner, clv_dart node);
// The first entry of by_old whose part has this old name, or where it would be.
uint32_t map_first_part(const map_orbits *orbits, uint64_t old);

// Facets that were unsewn and stayed so (cut.c): for each entry of the log MAP_CUT and the edges about which there
// still is a way from side to side, at the positions of their first darts; MAP_CUT_MIRRORED when the entry before says
// it all.
#define MAP_CUT 0x80000000u
#define MAP_CUT_MIRRORED 0x40000000u
#define MAP_CUT_EDGES 0xFFu
bool map_find_cuts(map *m);
// The positions of a cut facet at which orbits are known to reach from side to side, as bits.
uint32_t map_joined_positions(const map *m, uint32_t dims, uint32_t cut, uint32_t size);

// A commit that unsews one facet and does nothing else, carried out without a plan (part.c); or left, with nothing
// changed, to the general way.
typedef enum map_part_end { MAP_PART_DONE, MAP_PART_GENERAL, MAP_PART_NO_MEMORY } map_part_end;
map_part_end map_commit_part(map *m);
// The same for commits that unsew facets, remove cells and do nothing else (lose.c).
map_part_end map_commit_loss(map *m);
// And for those that remove a good part of all cells of a map of one kind (cull.c): whether it may be one; there are
// entries in the log.
bool map_is_cull(const map *m, uint32_t kind);
map_part_end map_commit_cull(map *m, uint32_t kind);

// The same for commits that refine cells and do nothing else, by what is known of them (grow.c).
map_part_end map_commit_growth(map *m);
// What all commits that refine are told by: the lists of what came, without a plan. False when memory is out
// (resolve.c).
bool map_survey_growth(map *m, map_plan *plan);

// Brings into the caches what the next edit will read and write wherever it is made; `growth`: also what it will if it
// refines (fetch.c).
void map_fetch(const map *m, bool growth);

// Lists the cells that a commit dropped, so many, if it removes cells of one kind and does nothing else; none where it
// does more (whole.c). False when memory is out.
bool map_find_removed(map *m, uint32_t kind, uint32_t dropped);
// The dart that faced a local one of a removed cell, at a facet that was sewn.
static inline clv_dart map_faced(const clv_template *shape, const map_removed *cell, uint32_t dart) {
  const clv_dart link = cell->beyond[shape->facet[dart]];
  return (link & ~63u) | shape->turn[link & 63u][shape->position[dart]];
}
// Which vertices of a removed cell are one piece, by its joints; and the joints, for those who do not know them
// already.
void map_find_whole(const map *m, uint32_t kind, map_removed *cell);
void map_find_joints(const map *m, uint32_t kind, map_removed *cell);

// While subscribers are told of a commit: true where orbits and cells lost something or are gone, and none is new but
// what came off another.
static inline bool map_only_lost(const map *m) {
  return m->scratch->direct;
}
// While subscribers are told of a commit that removed cells: the slot of a place that an event's orbit lost with one of
// them, where it is one piece and was not walked. It lost no other, unless it is a vertex and several cells are gone.
static inline uint32_t map_told_loss(const map *m, uint32_t event) {
  return m->scratch->stars.data[event].start;
}
// While subscribers are told of a commit: the places of an event's orbit, where the commit has walked them all;
// otherwise 0.
static inline uint32_t map_told_star(const map *m, uint32_t event, const map_place **places) {
  const map_scratch *s = m->scratch;
  if (event >= s->stars.count) return 0;
  const map_star star = s->stars.data[event];
  *places = s->places.data + (star.end > star.start ? star.start : 0);
  return star.end - star.start;
}

// Where new darts come from (origin.c): 0 for those that were born outside all cells.
bool map_find_origins(map *m);
clv_dart map_origin(const map *m, clv_dart dart);

// Appends an event, for which there is room (commit.c).
void map_emit(map *m, uint32_t dims, clv_event_kind kind, clv_dart dart, clv_id id, clv_id from);

// Which cells are templates, which must move (settle.c); and doing it, which cannot fail after the reserve.
bool map_plan_settling(map *m, map_plan *plan); // false: no memory
void map_settle_cells(map *m, map_plan *plan);
// What a cell of a plan will be once it is carried out, hanging vertices left out: as clv_cell_shape will have it.
clv_kind map_planned_shape(const map *m, const map_orbits *cells, const map_new_orbit *orbit);

// The template that a cell is at its own level, with its darts in order (reshape.c); and storing it as such.
clv_kind map_match_coarse(const map *m, const map_orbits *cells, const map_new_orbit *orbit, clv_dart *source);
void map_reshape(map *m, map_orbits *cells, const map_new_orbit *orbit);
// Moves a dart to a record and a name that nobody has; or to new ones of its own (settle.c).
clv_dart map_move_dart(map *m, clv_dart dart, uint32_t to, clv_dart name);
clv_dart map_evict(map *m, clv_dart dart);

// Orientation (orient.c): whether the log breaks the colouring, and colouring anew.
bool map_colouring_broken(const map *m);
bool map_recolour_reserve(map *m);
void map_recolour(map *m);

// Commits that refine and do nothing else to cells (refined.c): whether this is one; and what is left to do then.
bool map_only_refines(const map *m, const map_plan *plan);
void map_settle_refined(map *m);
// Any dart that a cell had before.
clv_dart map_dart_before(const map *m, uint32_t block);
// A dart that this transaction added.
static inline bool map_is_born(const map *m, clv_dart dart) {
  const map_index *vertices = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)];
  const clv_page page = map_page(m, dart);
  return page.kind == MAP_KIND_DARTS && !vertices->record_ids.data[page.row + (dart & 0xFFFFu)];
}
// Gives a block back whose cell is gone, and its row's slots (commit.c).
void map_retire_block(map *m, uint32_t block);

// Journals (journal.c).
bool map_journals_reserve(map *m);
void map_journals_append(map *m);

// Notes that so much of an orbit that is being found bore an old one's id; of none: the orbit has gained. False when
// memory is out.
static inline bool map_add_part(const map *m, map_orbits *o, map_new_orbit *orbit, uint64_t old, uint32_t weight) {
  if (!old) {
    orbit->gained = true;
    return true;
  }
  for (uint32_t k = o->parts.count; k > orbit->part_start; k--) {
    if (o->parts.data[k - 1].old != old) continue;
    o->parts.data[k - 1].weight += weight;
    return true;
  }
  if (!BASE_RESERVE(&m->allocator, &o->parts, (uint64_t)o->parts.count + 1)) return false;
  o->parts.data[o->parts.count++] = (map_part){old, o->orbits.count, weight};
  return true;
}

#endif
