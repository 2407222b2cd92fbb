// Sites: where a law has rows, and how it reads the map there.
//
// A site is a law seen from one map: its paths as a tree of steps, the orbits it looks at from there (spots), its
// columns, and its guards. From a base dart it answers whether there is a row and what the row reads.
//
// Each place is known by a key: the id of its orbit when that crosses cells, the block of its cell when it does not.
// All rows inside one cell share a key and are made and dropped together.
//
// A site also knows what it depends on: `links` are the ways back from a changed link to the bases whose paths go over
// it, `sources` the ways back from an orbit whose value or number changed.

#ifndef VIEW_SITE_H
#define VIEW_SITE_H

#include "embed/embed.h"
#include "rule/law.h"
#include "view/code.h"

typedef struct view_step {
  uint16_t from; // a step that comes before
  uint8_t letter;
} view_step;

// An orbit at the end of a step.
typedef struct view_spot {
  const map_index *index;
  uint16_t step;
} view_spot;

// Where the values of an orbit lie: by slot when kind is 0, in the rows of a template otherwise.
typedef struct view_place {
  uint32_t kind, slot;
} view_place;

typedef struct view_fetch {
  clv_column *column;
  uint16_t spot;
  uint16_t component;
} view_fetch;

// A way back to the base, last letter first; letters that stay in the base's orbit are left out.
typedef struct view_way {
  uint8_t length, letter[LAW_PATH];
} view_way;

typedef struct view_link {
  uint8_t dimension; // of the changed link
  view_way way;
} view_link;

typedef struct view_source {
  uint32_t dims;
  const clv_column *column; // NULL: the orbit's own number (a particle), or a cell's kind and side
  view_way way;
} view_source;

typedef struct view_site {
  const law *law;
  const map *map;
  uint32_t dims, inner;
  bool crossing;          // its orbit crosses cells
  bool whole;             // its orbit is the cell
  bool face;              // a face of a certain number of sides, in space
  bool inside;            // no step leaves the base's cell
  bool turns;             // on a surface, across edges: steps go round corners of cells, not round what hangs in them
  bool steady;            // a cell that only gets hanging vertices keeps its rows: they stand at the cell's own corners
  const map_index *index; // of a crossing orbit
  BASE_ARRAY(view_step) steps;
  BASE_ARRAY(uint16_t) path_steps; // by path of the law
  BASE_ARRAY(view_spot) spots;
  BASE_ARRAY(view_fetch) fetches;   // by read of the law
  BASE_ARRAY(uint16_t) particles;   // spots
  BASE_ARRAY(view_fetch) positions; // `pos` and `vel` at the particles: what derived quantities and updates read
  BASE_ARRAY(view_fetch) corners;   // `rest` at the corners of the template, when there is quadrature
  view_code conditions;             // guards' values, in order
  view_fetch cells;                 // a column of bits on cells, one of which must be among `bits`
  uint32_t bits;                    // 0: whatever they are
  BASE_ARRAY(view_link) links;
  BASE_ARRAY(view_source) sources;
  BASE_ARRAY(uint8_t) lies; // where no step leads out: which of its cell's places a spot is (view_site_lies)
} view_site;

// A value of a cell that stays as it is when vertices are hung into the cell: nothing of its orbit is parted.
static inline bool view_stays_in_cell(const clv_column *column) {
  const uint32_t dims = column->index->dims;
  return !(dims & 1u) || dims == clv_orbit_dims(&column->map->view, CLV_CELL);
}

// What a site found at one base. Room for it is made once and used for every row.
typedef struct view_reading {
  BASE_ARRAY(clv_dart) darts;    // by step
  BASE_ARRAY(view_place) places; // by spot
  BASE_ARRAY(double) condition_values;
  // Of several bases, by spot and lane, where its orbit crosses cells or all lie in cells of one kind ...
  BASE_ARRAY(uint32_t) lane_slots;
  uint32_t lane_kind; // ... which is this; 0: they do not
} view_reading;

// Makes the site of a law. CLV_ERROR_MEMORY, or CLV_ERROR_INPUT with a sentence when the map lacks something.
clv_result view_site_make(view_site *site, map *m, const law *l, const clv_allocator *allocator, clv_error *error);
void view_site_free(view_site *site, const clv_allocator *allocator);
// Once all its spots are there, and before anything is read. False when memory is out.
bool view_site_settle(view_site *site, const clv_allocator *allocator);
// The places of a site's spots in a plain cell, from a base there.
static inline const uint8_t *view_site_lies(const view_site *site, uint32_t kind, clv_dart base) {
  return site->lies.data + (kind * CLV_TEMPLATE_DARTS + (base & 63u)) * site->spots.count;
}
// Leaves a site that lies inside cells only those whose number in a column of one uint32 has one of these bits.
clv_result view_site_limit(view_site *site, clv_column *cells, uint32_t bits, const clv_allocator *allocator,
                           clv_error *error);
// Whether values decide where there are rows, which may then come and go.
static inline bool view_site_varies(const view_site *site) {
  return site->conditions.roots.count || site->bits;
}
// Whether nothing else does.
bool view_site_asks_values_alone(const view_site *site);
// Edges, by their own ids and those of the vertices at their ends.
typedef struct view_edges {
  uint32_t ids[VIEW_LANES], ends[2][VIEW_LANES];
} view_edges;
// Whether spots of an edge are nothing but itself and the vertices at its ends: at the base those of step 0, beyond it
// those of step 1. Then they can be had without a dart.
bool view_site_spans(const view_site *site, const uint16_t *spots, uint32_t count);
static inline void view_site_read_edges(const view_site *site, const view_edges *edges, const uint16_t *spots,
                                        uint32_t count, view_reading *reading) {
  for (uint32_t k = 0; k < count; k++) {
    const view_spot *spot = &site->spots.data[spots[k]];
    const uint32_t *slots = spot->index == site->index ? edges->ids : edges->ends[spot->step];
    memcpy(reading->lane_slots.data + spots[k] * VIEW_LANES, slots, VIEW_LANES * sizeof *slots);
  }
}
// An edge as a plain cell has it, from one end and from the other. False for a dart of a cell that is no plain one.
typedef struct view_edge {
  clv_dart darts[2];
  uint32_t ends[2];
} view_edge;
static inline bool view_edge_at(const map *m, clv_dart dart, view_edge *edge) {
  const clv_page page = map_page(m, dart);
  const uint32_t row = map_row(page, dart), local = dart & 63u;
  if (!page.plain && (page.kind == MAP_KIND_DARTS || m->rows[page.kind].state.data[row] & MAP_EXTENDED)) return false;
  const clv_template *shape = &clv_templates[page.kind];
  const uint32_t *corners = m->view.corners[page.kind] + (size_t)row * shape->corner_count,
                 other = shape->alpha[0][local];
  const uint8_t *of = shape->sub[clv_orbit_dims(&m->view, CLV_CORNER)].of;
  *edge = (view_edge){{dart, (dart & ~63u) | other}, {corners[of[local]], corners[of[other]]}};
  return true;
}
bool view_reading_reserve(view_reading *reading, const view_site *site, const clv_allocator *allocator);
void view_reading_free(view_reading *reading, const clv_allocator *allocator);

// The column of an embedding or a derived quantity.
clv_column *view_column(const map *m, const rule_tree *declaration);

// All steps and spots from a base; then whether the law has a row there.
void view_site_read(const view_site *site, clv_dart base, view_reading *reading);
// Whether there is none for sure, as the law is for cells of another kind than a plain one is, or does not act in it:
// asked before anything is read.
static inline bool view_site_excludes(const view_site *site, clv_dart base) {
  if (!site->whole || !map_dart_plain(site->map, base)) return false;
  const clv_page page = map_page(site->map, base);
  if (site->law->shape.kind && site->law->shape.kind != page.kind) return true;
  if (!site->bits) return false;
  const uint32_t *cells = (const uint32_t *)(const void *)site->cells.column->rows[page.kind].data;
  return !(cells[map_row(page, base)] & site->bits);
}
// Whether the law has rows in all other plain cells.
static inline bool view_site_fits_all(const view_site *site) {
  return site->whole && !site->law->guards.count;
}
bool view_site_holds(const view_site *site, const double *params, view_reading *reading);
// The same for up to VIEW_LANES bases, where that can be done side by side: false where it cannot, and nothing is read.
bool view_site_read_lanes(const view_site *site, const clv_dart *bases, uint32_t lanes, view_reading *reading);
// Some of the spots alone.
bool view_site_read_spots(const view_site *site, const clv_dart *bases, uint32_t lanes, const uint16_t *spots,
                          uint32_t count, view_reading *reading);
// The dart of its orbit that a row at `dart` starts from.
clv_dart view_site_base(const view_site *site, clv_dart dart);
uint32_t view_site_key(const view_site *site, clv_dart dart);

static inline const void *view_value(const clv_column *column, view_place place) {
  const uint8_t *data = place.kind ? column->rows[place.kind].data : column->slots.data;
  return data + (size_t)place.slot * column->size;
}
static inline double view_fetch_value(const view_fetch *fetch, const view_reading *reading) {
  const void *value = view_value(fetch->column, reading->places.data[fetch->spot]);
  return fetch->column->def.type == CLV_DOUBLE ? ((const double *)value)[fetch->component]
                                               : embed_get(fetch->column, value, fetch->component);
}
// What a code wants from a reading, for one lane. Sums are filled by whoever has them.
void view_site_fill(const view_site *site, const view_code *code, const view_reading *reading, uint32_t lane,
                    double *values);
// The rest coordinates of the template's corners.
void view_site_rest(const view_site *site, const view_reading *reading, double (*rest)[3]);
// The same of lanes that were read side by side.
typedef struct view_rest {
  double corners[8][3];
} view_rest;
void view_site_rest_lanes(const view_site *site, const view_reading *reading, uint32_t lanes, view_rest *rest);

// The place of the orbit at a dart.
view_place view_place_of(const map *m, const map_index *index, clv_dart dart);

// Calls `each` with one dart for each orbit of the site: of the whole map, or of one cell (inner sites). False when
// memory is out or `each` says so.
typedef bool view_visitor(void *user, clv_dart dart);
bool view_site_all(const view_site *site, view_visitor *each, void *user);
bool view_site_in_cell(const view_site *site, uint32_t block, view_visitor *each, void *user);
// Calls `each` for every dart of an orbit, in whatever order.
bool view_orbit_darts(const map *m, uint32_t dims, clv_dart dart, view_visitor *each, void *user);
// True for the block of a cell that exists.
bool view_block_alive(const map *m, uint32_t block);

#endif
