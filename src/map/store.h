// The map's storage and the handful of primitive writes that change it.
//
// Everything a map knows lies here: rows of template cells (links, states), rows of explicit cells (first dart, dart
// count), records (all links of one dart), and the indices that number orbits. Nobody else writes any of it, except the
// commit, which settles ids after the primitives have spoken.
//
// Each primitive appends to the log what it did, old value and new: undone backwards the log is the rollback, done
// forwards it is the replay, read once more it tells the commit what was touched. Deleted rows and records keep their
// contents until the commit, so that their ids can still be read.

#ifndef MAP_STORE_H
#define MAP_STORE_H

#include "base/memory.h"
#include "cleave/map.h"

enum {
  MAP_KIND_DARTS = CLV_KIND_COUNT, // pages whose blocks name records
  MAP_KINDS = CLV_POLYHEDRON + 1,
  MAP_TEMPLATES = CLV_TEMPLATE_LAST + 1,
  MAP_INDICES = 16, // one for each set of dimensions at the most
  // When orbits are numbered, room is left for so many more of each sort, and for a 32nd part, so that the first cuts
  // find it: all columns of a sort run out of it in one commit.
  MAP_FIRST_CUTS = 96,
};

// A row's state: generation in the low bits, alive when odd. A row or id whose generations are used up is not used
// again, so that a stale id is caught for ever; half a word is enough for that.
#define MAP_EXTENDED 0x8000u // the links are in records; links[row * words] is the first
#define MAP_TURNED 0x4000u   // even darts lie on side 1
#define MAP_GENERATION 0x3FFFu
#define MAP_LAST_GENERATION 0x3FFEu // dead, and stays so
#define MAP_LAST_ID_GENERATION 0xFFFEu
#define MAP_SIDE 0x80000000u   // in a record's cell: the dart's side
#define MAP_SHAPED 0x40000000u // in the first record of an extended cell: it is its template, with hanging vertices
#define MAP_BLOCK 0x03FFFFFFu  // the rest of a record's cell
#define MAP_NO_RECORD UINT32_MAX

typedef BASE_ARRAY(uint32_t) map_words;
typedef BASE_ARRAY(uint16_t) map_halves;

typedef struct map_rows {
  map_words data;   // words per row: facet links of a template; first dart and dart count of an explicit cell
  map_halves state; // one per row
  map_words pages;  // the page of each 1024 rows
  uint32_t words, count, alive, free;
  uint64_t room;    // rows that were asked room for
  uint64_t ready;   // and have it in every array, also of each index
  uint32_t retired; // rows whose generations are used up
} map_rows;

typedef struct map_records {
  map_words alpha; // four per record
  map_words cell;  // the block of its cell, and its side
  map_words name;  // its dart; 0 when it is not in use
  map_words pages; // the page of each 65536 records
  // Of a dart that hangs in a cell because a neighbour was refined: the level of its vertex, and 1 more; of others 0.
  BASE_ARRAY(uint8_t) level;
  uint32_t count, alive;
  uint64_t room;                         // records that were asked room for
  uint64_t ready;                        // and have it in every array, also of each index
  uint32_t free[CLV_TEMPLATE_DARTS + 1]; // lists of free runs, by length; + 1 so that 0 is none
} map_records;

// The numbering of one sort of orbit. A crossing orbit (it holds the map's own dimension) has an id in every sub-orbit
// it passes through: `ids` by kind and row, `record_ids` by record. An inner one needs no ids in template cells; in
// records it has slots, or MAP_TEMPLATE_SLOT + s: the place that sub-orbit s of the extended cell's row has anyway.
#define MAP_TEMPLATE_SLOT 0x80000000u
typedef struct map_index {
  uint32_t dims, inner;
  bool crossing;
  map_words ids[MAP_TEMPLATES];
  map_words record_ids;
  map_halves generation; // by id; odd: alive
  map_words dart;        // by id: a dart of the orbit; next free id when dead
  uint32_t count, alive, free;
  uint32_t retired; // ids whose generations are used up
} map_index;

typedef enum map_op {
  MAP_LINK,      // dart: first dart of a facet; before, after: its link
  MAP_ALPHA,     // dart, i; before, after
  MAP_EXTEND,    // dart: first of the cell; before: its first link, after: its first record
  MAP_CELL_ADD,  // dart: first of the cell
  MAP_CELL_DROP, // likewise
  MAP_DART_ADD, // dart; after: its side; where it hangs: before: the block of its cell, i: the level of its vertex, and
                // 1 more
  MAP_DART_DROP, // dart
  MAP_PARENTS,   // dart: of a new vertex; before, after: darts of the two vertices it came between
  MAP_TURN,      // dart: first of a plain cell that is sewn to nothing; its sides change places
  MAP_VALUE,     // dart; i: the orbit's dims; before: which column, after: where its bytes lie in the payload
  MAP_INHERIT,   // dart: of an added cell; before: a dart of the cell it came of; i: the dimensions they lie apart;
               // after: the dart in whose very place it is, where that came in this transaction, too, and bears no ids
} map_op;

typedef struct map_write {
  uint8_t op, i;
  uint16_t fresh; // the row or record came from the end, not from a free list
  clv_dart dart;
  uint32_t before, after;
} map_write;

// The links of a free cell, dart by dart, as its records have them (template.c).
extern const uint32_t map_template_links[MAP_TEMPLATES][CLV_TEMPLATE_DARTS][4];

enum { MAP_LATELY_LOST = 1, MAP_LATELY_GREW = 2 };

struct map_plan;
struct map_parted;
struct map_gone;
struct map;

// The embeddings, as the map sees them: it does not know columns, only that someone keeps values on orbits.
typedef struct map_embedding {
  void *self;
  clv_result (*prepare)(void *self, struct map *map, const struct map_plan *plan);
  void (*apply)(void *self, struct map *map, const struct map_plan *plan);
  // The cell moves to (or back to) template row `row`; source[l] is the dart that becomes local dart l.
  void (*settle)(void *self, struct map *map, clv_kind kind, uint32_t row, const clv_dart *source);
  clv_result (*check)(void *self, const struct map *map, void (*report)(void *, const clv_problem *), void *user);
  uint64_t (*describe)(const void *self); // a hash of what columns there are
  // Whether a value that is written, at this place in a payload of so many bytes, is one of a column there is.
  bool (*knows)(const void *self, const map_write *write, uint32_t bytes);
  // The level of the vertex of a dart, as it will be after the commit; of CLV_NO_DART: 1 where there are levels at all.
  // MAP_NO_LEVEL when memory is out.
  int32_t (*level)(void *self, const struct map *map, clv_dart dart);
  void (*destroy)(void *self);
  // Where a commit does nothing but part orbits in two (part.c): whether all that comes off an orbit wants is a copy of
  // its values, room for so many more of each sort, and the copies. Orbits that a cut came to, and that may be parted
  // next, are expected: their values lie far apart in memory, and should be at hand by then.
  bool copies;
  bool copies_all; // whether that is so of what cells bear, too, and nothing is ever recomputed
  bool destroys;   // whether someone wants to hear of values of cells that are lost
  bool recomputes; // whether some value of an orbit follows from its members, or from a policy
  bool (*reserve_copies)(void *self, struct map *map, const uint32_t more[MAP_INDICES]);
  void (*copy)(void *self, const struct map_parted *parted, uint32_t count);
  void (*expect)(void *self, const map_index *index, const uint32_t *ids, uint32_t count);
  // Orbits and cells are gone, and nothing else is to be done about their values.
  void (*lose)(void *self, struct map *map, const struct map_gone *gone, uint32_t count);
  // The same for commits that do nothing but refine (grow.c): room for all that came, and its values.
  bool (*reserve_growth)(void *self, struct map *map);
  void (*grow)(void *self, struct map *map);
  // What the next edit will read and write wherever it is made, cells that come included or not, is fetched (fetch.c).
  void (*fetch)(const void *self, bool growth);
} map_embedding;

// Who may refuse what a transaction would make, once it is known and before any of it is done. Commits that do nothing
// but unsew, remove and refine are not asked about: they make no cell but parts of others, of kinds like theirs.
typedef struct map_judge {
  void *self;
  clv_result (*call)(void *self, struct map *map, const struct map_plan *plan);
} map_judge;

// Who reads the log while it grows keeps here what was found; it is destroyed with the map.
typedef struct map_reader {
  void *self;
  void (*destroy)(struct map *map, void *self);
} map_reader;

typedef struct map_subscription {
  clv_subscriber *call;
  void *user;
} map_subscription;

struct map_scratch;

typedef struct map {
  clv_map view; // first: a clv_map is a map
  clv_allocator allocator;
  clv_error error;
  uint64_t revision;

  BASE_ARRAY(clv_page) pages;
  // By block, in pages that are not plain: the record of its first dart, MAP_NO_RECORD where it has none. There are
  // none as long as nobody asked for room for records.
  map_words seats;
  map_rows rows[MAP_KINDS];
  map_records records;
  map_index *indices[MAP_INDICES];  // by dims; NULL when not numbered
  map_index *numbered[MAP_INDICES]; // those there are, in order of dims
  uint32_t numbered_count;
  uint32_t twisted; // links that join equal sides: none in an orientable map

  bool open; // a transaction
  BASE_ARRAY(map_write) log;
  uint32_t undone; // how often entries were taken back
  uint32_t told;   // while subscribers are told of a commit: how many entries of the log it had
  uint32_t lately; // what commits did since somebody put this to 0: some lost something, some refined cells, as bits
  BASE_ARRAY(uint8_t) payload;
  uint32_t divided; // so many entries of the log are told by the lineage of refined cells, and values (lineage.h)
  struct map_scratch *scratch;

  map_embedding embedding;
  map_judge judge; // nobody where it has no call
  BASE_ARRAY(map_subscription) subscribers;
  BASE_ARRAY(clv_journal *) journals;

  map_reader reader;
  uint32_t steady; // so many entries of the log are as the reader last saw them
} map;

static inline map *map_of(clv_map *m) {
  return (map *)m;
}
static inline const map *map_read(const clv_map *m) {
  return (const map *)m;
}

clv_result map_fail(map *m, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);
clv_result map_no_memory(map *m);

static inline bool map_is_template(uint32_t kind) {
  return kind >= CLV_TEMPLATE_FIRST && kind <= CLV_TEMPLATE_LAST;
}
static inline clv_page map_page(const map *m, clv_dart dart) {
  return m->pages.data[dart >> CLV_PAGE_SHIFT];
}
static inline uint32_t map_row(clv_page page, clv_dart dart) {
  return page.row + ((dart >> 6) & CLV_BLOCK_MASK);
}
static inline clv_dart map_cell_dart(const map *m, uint32_t kind, uint32_t row) {
  return m->rows[kind].pages.data[row >> 10] << CLV_PAGE_SHIFT | (row & CLV_BLOCK_MASK) << 6;
}
static inline bool map_row_alive(const map *m, uint32_t kind, uint32_t row) {
  return m->rows[kind].state.data[row] & 1u;
}

// The record that holds a dart's links, MAP_NO_RECORD for a dart of a template cell that is not extended.
static inline uint32_t map_record(const map *m, clv_dart dart) {
  if (map_page(m, dart).plain) return MAP_NO_RECORD;
  const uint32_t first = m->seats.data[dart >> 6];
  return first == MAP_NO_RECORD ? MAP_NO_RECORD : first + (dart & 63u);
}
// The same for a dart that is known to have one.
static inline uint32_t map_own_record(const map *m, clv_dart dart) {
  return m->seats.data[dart >> 6] + (dart & 63u);
}
// The block of the cell of any dart. Inside a transaction an explicit dart answers with the cell it had when it began.
static inline uint32_t map_block(const map *m, clv_dart dart) {
  const uint32_t record = map_record(m, dart);
  return record == MAP_NO_RECORD ? dart >> 6 : m->records.cell.data[record] & MAP_BLOCK;
}
uint32_t map_side(const map *m, clv_dart dart);
// Whether a name is that of a dart, of one that is gone, or of one to come: its links and ids can be read.
bool map_dart_stored(const map *m, clv_dart dart);
// Whether an extended cell is its template with hanging vertices, by its links; and noting what it is (shape.c).
bool map_has_shape(const map *m, clv_dart cell);
void map_note_shape(map *m, clv_dart cell);
void map_keep_shape(map *m, clv_dart cell); // where it is known to be so

// Of two subscribers, known by what they are called with, each takes the other's place in the order of calls
// (commit.c).
void map_subscriber_swap(map *m, const void *one, const void *other);

// clv_alpha, for those who mostly meet cells with records.
static inline clv_dart map_alpha(const map *m, clv_dart dart, uint32_t i) {
  const uint32_t record = map_record(m, dart);
  return record == MAP_NO_RECORD ? clv_alpha(&m->view, dart, i) : m->records.alpha.data[4 * (size_t)record + i];
}

// What faces the darts of a facet, one behind the other, where its first one faces `link`: every fourth word of
// `beyond`.
void map_read_facet(const map *m, clv_dart link, uint32_t size, uint32_t *beyond);

// Primitive writes. On failure nothing is written.
bool map_log_grow(map *m, uint32_t more);
static inline bool map_log_reserve(map *m, uint32_t more) {
  return m->log.capacity - m->log.count >= more || map_log_grow(m, more);
}
static inline clv_result map_write_log(map *m, map_write write) {
  if (!map_log_reserve(m, 1)) return map_no_memory(m);
  m->log.data[m->log.count++] = write;
  return CLV_OK;
}
// A dart that has a record, and its record. One of a cell without records has MAP_NO_RECORD.
typedef struct map_seat {
  clv_dart dart;
  uint32_t record;
} map_seat;
static inline map_seat map_seat_of(const map *m, clv_dart dart) {
  return (map_seat){dart, map_record(m, dart)};
}
// Where a link inside the cell leads.
static inline map_seat map_follow(const map *m, map_seat from, uint32_t i) {
  const clv_dart to = m->records.alpha.data[4 * (size_t)from.record + i];
  return (map_seat){to, map_own_record(m, to)};
}

// For those who write much at a time, and have room for it. They keep the end of the log themselves until they are
// done.
static inline map_write *map_log_end(const map *m) {
  return m->log.data + m->log.count;
}
static inline void map_log_set_end(map *m, const map_write *end) {
  m->log.count = (uint32_t)(end - m->log.data);
}
// Notes that a link of a dart is written. Field by field: a whole that is put together first is taken apart again.
static inline void map_note_alpha(map_write *at, clv_dart dart, uint32_t i, clv_dart before, clv_dart after) {
  at->op = MAP_ALPHA;
  at->i = (uint8_t)i;
  at->fresh = 0;
  at->dart = dart;
  at->before = before;
  at->after = after;
}
static inline clv_result map_set_alpha(map *m, clv_dart dart, uint32_t i, clv_dart target) {
  uint32_t *word = &m->records.alpha.data[4 * (size_t)map_record(m, dart) + i];
  if (*word == target) return CLV_OK;
  const map_write write = {.op = MAP_ALPHA, .i = (uint8_t)i, .dart = dart, .before = *word, .after = target};
  const clv_result result = map_write_log(m, write);
  if (result == CLV_OK) *word = target;
  return result;
}
clv_result map_link(map *m, clv_dart facet_first, clv_dart link);
void map_put_link(map *m, clv_dart facet_first, clv_dart link); // there is room in the log
// Cells that are free, once there is room for them, in the rows and in the log.
void map_put_cells(map *m, clv_kind kind, uint32_t count, clv_dart *cells);
clv_result map_extend(map *m, clv_dart dart); // no-op when the dart has a record
clv_result map_cell_add(map *m, clv_kind kind, clv_dart *dart);
clv_result map_cell_drop(map *m, clv_dart dart);
clv_result map_dart_add(map *m, uint32_t side, clv_dart *dart);
// Likewise, at a vertex of a level, in the cell of a block.
clv_result map_dart_hang(map *m, uint32_t side, int32_t level, uint32_t block, clv_dart *dart);
// The same for several, once there is room for them, in the records and in the log: cells[k] is the block of the cell
// and the side.
void map_hang(map *m, uint32_t count, const uint32_t *cells, int32_t level, map_seat *seats);
clv_result map_dart_drop(map *m, clv_dart dart);
clv_result map_turn(map *m, clv_dart dart);
// A dart of an added cell lies on every orbit that a dart of another cell lies on and that has all the dimensions
// `apart`; it is where `place` was, unless that is none.
clv_result map_inherit(map *m, clv_dart dart, uint8_t apart, clv_dart source, clv_dart place);
void map_take_ids(map *m, clv_dart dart, uint8_t apart, clv_dart source); // the ids alone
// Undoes the log back to `mark` entries.
void map_undo(map *m, uint32_t mark);

// Rows and records without a log: for bulk building and for the commit, which reserves first.
bool map_rows_reserve(map *m, uint32_t kind, uint64_t more);
uint32_t map_rows_take(map *m, uint32_t kind, bool *fresh);  // after a reserve; alive
void map_rows_append(map *m, uint32_t kind, uint32_t count); // likewise, many new ones at the end
void map_rows_give(map *m, uint32_t kind, uint32_t row);     // to the free list; already dead
bool map_records_reserve(map *m, uint64_t more);
uint32_t map_records_take(map *m, uint32_t length, bool *fresh);
void map_records_give(map *m, uint32_t record, uint32_t length);
clv_dart map_record_name(const map *m, uint32_t record); // the name of a record that is a dart of its own
uint32_t map_extend_empty(map *m, clv_dart cell); // a new row becomes an extended cell without darts; its first record
void map_unextend(map *m, clv_dart cell, const uint32_t *links); // back to a plain template

// Indices.
clv_result map_index_require(map *m, uint32_t dims, map_index **out);
void map_index_drop(map *m, uint32_t dims); // takes back a require that was in vain
void map_index_destroy(map *m, map_index *index);
static inline bool map_index_reserve(map *m, map_index *index, uint64_t more) {
  const uint64_t need = index->count + more;
  return need <= 0x7FFFFFFFu && BASE_RESERVE(&m->allocator, &index->generation, need) &&
         BASE_RESERVE(&m->allocator, &index->dart, need);
}
// A new id; after a reserve.
static inline uint32_t map_index_take(map_index *index) {
  uint32_t id = index->free;
  if (id) {
    index->free = index->dart.data[id];
  } else {
    id = index->count++;
    index->generation.data[id] = 0;
  }
  index->generation.data[id]++;
  index->alive++;
  return id;
}
void map_index_give(map_index *index, uint32_t id);
// The id that a dart carries; for an inner index of a plain template cell MAP_TEMPLATE_SLOT + s.
static inline uint32_t map_index_get(const map *m, const map_index *index, clv_dart dart) {
  const uint32_t record = map_record(m, dart);
  if (record != MAP_NO_RECORD) return index->record_ids.data[record];
  const clv_page page = map_page(m, dart);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[index->inner];
  const uint32_t number = sub->of[dart & 63u];
  return index->crossing ? index->ids[page.kind].data[(size_t)map_row(page, dart) * sub->count + number]
                         : MAP_TEMPLATE_SLOT | number;
}
// For the whole sub-orbit, or for one record. The row of an extended cell stays in step through the first dart of each
// sub-orbit.
static inline void map_index_set(map *m, map_index *index, clv_dart place, uint32_t id) {
  const clv_page page = map_page(m, place);
  const uint32_t record = map_record(m, place);
  if (record != MAP_NO_RECORD) index->record_ids.data[record] = id;
  if (!index->crossing || !map_is_template(page.kind)) return;
  const clv_suborbits *sub = &clv_templates[page.kind].sub[index->inner];
  const uint32_t number = sub->of[place & 63u];
  if (record == MAP_NO_RECORD || sub->first[number] == (place & 63u))
    index->ids[page.kind].data[(size_t)map_row(page, place) * sub->count + number] = id;
}
void map_publish(map *m); // refreshes what inline readers see after an array moved
void map_shrink(map *m);  // gives back slack

#endif
