// The border of a cell at its own level: which of its edges are halved and which of its faces are refined already.
//
// An extended cell still has all darts of its template, at its corners. What lies between two of them on an edge was
// put there by finer neighbours: the middle is the vertex that came at the next level, and the others are passed over.
// Faces are refined where another edge than the second half of the first leaves the middle.

#include "map/level.h"
#include "map/refine.h"

#include <assert.h>

const map_refinement *map_refinement_of(uint32_t kind, uint32_t local) {
  switch (kind) {
  case CLV_TRI:
    return &map_refinements[0];
  case CLV_QUAD:
    return &map_refinements[1];
  case CLV_TET: {
    // Corners of edges: the diagonal belongs to a pair of opposite ones.
    const clv_suborbits *corners = &clv_templates[kind].sub[6];
    const uint32_t sum = corners->of[local] + corners->of[clv_templates[kind].alpha[0][local]];
    return &map_refinements[sum == 1 || sum == 5 ? 2 : sum == 2 || sum == 4 ? 3 : 4];
  }
  case CLV_HEX:
    return &map_refinements[5];
  default:
    return NULL;
  }
}

uint32_t map_border_link(const clv_template *shape, uint32_t at, uint32_t i) {
  const uint32_t l = at >> 2, j = at & 3u;
  const bool triangle = shape->facet_size[shape->facet[l]] == 6;
  switch (j) {
  case 0:
    return i == 0 ? at + 1 : 4u * shape->alpha[i][l];
  case 1:
    return i == 0 ? at - 1 : i == 1 ? at + 1 : 4u * shape->alpha[2][l] + 1u;
  case 2:
    if (i == 1) return at - 1;
    if (triangle) return i == 2 ? at + 1 : 4u * shape->alpha[1][l] + 2u;
    return i == 0 ? at + 1 : 4u * shape->alpha[0][l] + 2u;
  default:
    if (triangle) return i == 2 ? at - 1 : 4u * shape->alpha[1 - i][l] + 3u;
    return i == 0 ? at - 1 : 4u * shape->alpha[i == 1 ? 1 : 0][l] + 3u;
  }
}

int32_t map_level_at(const map_border *b, clv_dart dart) {
  const map *m = b->m;
  const uint32_t record = map_record(m, dart);
  const uint32_t id = map_index_get(m, m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)], dart);
  if (id) return b->levels[id];
  return record == MAP_NO_RECORD ? -1 : (int32_t)m->records.level.data[record] - 1;
}

// Corners need not be looked up: their levels are the cell's at the most.
static int32_t level_at(const map_border *b, clv_dart dart) {
  return dart >> 6 == b->cell >> 6 ? b->level : map_level_at(b, dart);
}

static int32_t tell_level(const void *border, clv_dart dart) {
  const int32_t level = level_at(border, dart);
  return level < 0 ? MAP_NO_LEVEL : level;
}

bool map_border_step(const map_border *b, clv_dart dart, clv_dart *end) {
  const map_levels levels = {.view = &b->m->view, .at = tell_level, .user = b};
  return map_level_step(&levels, dart, b->level + 1, end);
}

typedef struct collecting {
  const clv_map *view;
  clv_walk *pieces;
  bool failed;
} collecting;

static bool collect(void *user, clv_dart piece) {
  collecting *c = user;
  c->failed = !map_walk_push(c->pieces, piece) || !map_walk_push(c->pieces, clv_alpha(c->view, piece, 0));
  return !c->failed;
}

clv_result map_border_pieces(const map_border *b, uint32_t at, clv_walk *pieces) {
  const map_levels levels = {.view = &b->m->view, .at = tell_level, .user = b};
  collecting c = {.view = &b->m->view, .pieces = pieces};
  map_level_pieces(&levels, b->darts[at], b->level + 1, collect, &c);
  return c.failed ? map_no_memory(b->m) : CLV_OK;
}

static inline void put(map_border *b, uint32_t at, map_seat seat) {
  const uint32_t *ids = b->m->indices[clv_orbit_dims(&b->m->view, CLV_VERTEX)]->record_ids.data;
  b->darts[at] = seat.dart;
  b->records[at] = seat.record;
  b->bears[at] = ids[seat.record] != 0;
}

// Where the edge from a dart ends at the level of children, if a vertex of that level is there.
static bool find_middle(const map_border *b, map_seat from, map_seat *middle) {
  *middle = map_follow(b->m, from, 0);
  if (level_at(b, middle->dart) == b->level + 1) return true;
  clv_dart end;
  if (!map_border_step(b, from.dart, &end) || level_at(b, end) != b->level + 1) return false;
  *middle = map_seat_of(b->m, end);
  return true;
}

static bool find_edge(map_border *b, uint32_t l) {
  const map_seat seat = {b->darts[4 * l], b->records[4 * l]};
  map_seat middle;
  if (b->m->records.alpha.data[4 * (size_t)seat.record] == (b->cell | b->shape->alpha[0][l])) return true;
  if (!find_middle(b, seat, &middle)) return false;
  put(b, 4 * l + 1, middle);
  return true;
}

static bool find_across(map_border *b, uint32_t l) {
  const map_seat middle = {b->darts[4 * l + 1], b->records[4 * l + 1]};
  if (!middle.dart || b->m->view.dimension == 2) return true;
  const map_seat across = map_follow(b->m, middle, 1);
  map_seat end;
  if (across.dart == b->darts[4 * b->shape->alpha[0][l] + 1]) return true;
  if (!find_middle(b, across, &end)) return false;
  const bool triangle = b->shape->facet_size[b->shape->facet[l]] == 6;
  put(b, 4 * l + 2, across);
  put(b, 4 * l + 3, triangle ? map_follow(b->m, across, 2) : end);
  return true;
}

// Whether a link leads to a place of the border; a0 may do so past vertices that are finer still.
static inline bool leads_to(map_border *b, uint32_t at, uint32_t i, uint32_t to) {
  const clv_dart beyond = b->darts[to];
  clv_dart end = b->m->records.alpha.data[4 * (size_t)b->records[at] + i];
  if (end == beyond && beyond) return true;
  if (!beyond || i || !map_border_step(b, b->darts[at], &end) || end != beyond) return false;
  b->finer = true;
  return true;
}

// On a face that is refined, in space.
static inline bool fits_at(map_border *b, const map_refinement *table, uint32_t at) {
  const uint8_t *to = table->border[at];
  return leads_to(b, at, 0, to[0]) && leads_to(b, at, 1, to[1]) && leads_to(b, at, 2, to[2]);
}

// The same at once, in space, where nothing is finer still: whether every link leads where it must.
static bool fits_straight(const map_border *b, const map_refinement *table) {
  const clv_template *shape = b->shape;
  const clv_dart *const links = b->m->records.alpha.data, *const darts = b->darts;
  uint32_t wrong = 0;
  for (uint32_t l = 0; l < shape->dart_count; l++) {
    const clv_dart *alpha = links + 4 * (size_t)b->records[4 * l], middle = darts[4 * l + 1];
    wrong |= alpha[0] ^ (middle ? middle : b->cell | shape->alpha[0][l]);
    wrong |= (alpha[1] ^ (b->cell | shape->alpha[1][l])) | (alpha[2] ^ (b->cell | shape->alpha[2][l]));
  }
  for (uint32_t k = 0; k < b->hung_count; k++) {
    const uint32_t at = b->hung[k], l = at >> 2;
    const clv_dart *alpha = links + 4 * (size_t)b->records[at];
    const uint8_t *to = table->border[at];
    const uint32_t next = darts[4 * l + 2] ? to[1] : 4u * shape->alpha[0][l] + 1u; // on a face that is whole
    wrong |= (alpha[0] ^ darts[to[0]]) | (alpha[1] ^ darts[next]) | (alpha[2] ^ darts[to[2]]);
  }
  return !wrong;
}

// Everything else must fit to what was found: an edge that is whole, one that is halved on a face that is whole, a
// refined face.
static bool fits(map_border *b, const map_refinement *table) {
  const clv_template *shape = b->shape;
  for (uint32_t l = 0; l < shape->dart_count; l++) {
    const uint32_t at = 4 * l, middle = at + 1, other = 4u * shape->alpha[0][l];
    const bool halved = b->darts[middle], refined = b->darts[at + 2];
    bool fit = leads_to(b, at, 0, halved ? middle : other);
    for (uint32_t i = 1; i < shape->dimension; i++) fit = fit && leads_to(b, at, i, 4u * shape->alpha[i][l]);
    if (refined) fit = fit && fits_at(b, table, middle) && fits_at(b, table, at + 2) && fits_at(b, table, at + 3);
    if (halved && !refined) {
      fit = fit && leads_to(b, middle, 0, at) && leads_to(b, middle, 1, other + 1);
      fit = fit && (shape->dimension == 2 || leads_to(b, middle, 2, 4u * shape->alpha[2][l] + 1));
    }
    if (!fit) return false;
  }
  return true;
}

// All darts of the template must be there; they have records that follow each other.
static bool find_own(map_border *b) {
  const clv_page page = map_page(b->m, b->cell);
  const uint32_t first = map_record(b->m, b->cell);
  if (!map_row_alive(b->m, page.kind, map_row(page, b->cell))) return false;
  for (uint32_t l = 0; l < b->shape->dart_count; l++) {
    b->darts[4 * l] = b->cell | l;
    b->records[4 * l] = first + l;
    b->bears[4 * l] = 1; // a cell that was added has ids, too
    if (b->m->records.name.data[first + l] != (b->cell | l)) return false;
  }
  return true;
}

static void find_plain(map_border *b) {
  for (uint32_t l = 0; l < b->shape->dart_count; l++) {
    b->darts[4 * l] = b->cell | l;
    b->bears[4 * l] = 1;
  }
}

static void list_hung(map_border *b) {
  const uint32_t end = 4u * b->shape->dart_count;
  uint32_t count = 0;
  for (uint32_t at = 0; at < end; at += 4)
    for (uint32_t j = 1; j < 4; j++) {
      b->hung[count] = (uint8_t)(at + j); // one that is not there is written over
      count += b->darts[at + j] != CLV_NO_DART;
    }
  b->hung_count = count;
}

clv_result map_find_border(map_border *b) {
  const uint32_t count = b->shape->dart_count;
  memset(b->darts, 0, 4 * count * sizeof *b->darts);
  memset(b->bears, 0, 4 * count * sizeof *b->bears);
  b->hung_count = 0;
  if (map_dart_plain(b->m, b->cell)) {
    find_plain(b);
    return CLV_OK;
  }
  bool found = find_own(b);
  for (uint32_t l = 0; found && l < count; l++) found = find_edge(b, l);
  for (uint32_t l = 0; found && l < count; l++) found = find_across(b, l);
  if (found) list_hung(b);
  const map_refinement *table = map_refinement_of(map_page(b->m, b->cell).kind, 0);
  assert(table); // whoever asks can refine it
  found = found && ((b->shape->dimension == 3 && fits_straight(b, table)) || fits(b, table));
  return found ? CLV_OK
               : map_fail(b->m, CLV_ERROR_REFUSED,
                          "the cell of dart %u does not look like one of level %d: its faces were changed otherwise",
                          b->cell, b->level);
}
