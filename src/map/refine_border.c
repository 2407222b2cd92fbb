// The border of a cell at its own level: which of its edges are halved and which of its faces are refined already.
//
// An extended cell still has all darts of its template, at its corners. What lies between two of them on an edge was
// put there by finer neighbours: the middle is the vertex that came at the next level, and the others are passed over.
// Faces are refined where another edge than the second half of the first leaves the middle.

#include "map/level.h"
#include "map/refine.h"

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

static bool find_edge(map_border *b, uint32_t l) {
  const clv_dart dart = b->cell | l;
  clv_dart end;
  b->darts[4 * l] = dart;
  if (map_alpha(b->m, dart, 0) == (b->cell | b->shape->alpha[0][l])) return true;
  if (!map_border_step(b, dart, &end) || level_at(b, end) != b->level + 1) return false;
  b->darts[4 * l + 1] = end;
  return true;
}

static bool find_across(map_border *b, uint32_t l) {
  const clv_map *view = &b->m->view;
  const clv_dart middle = b->darts[4 * l + 1];
  if (!middle || view->dimension == 2) return true;
  const clv_dart across = clv_alpha(view, middle, 1);
  clv_dart end;
  if (across == b->darts[4 * b->shape->alpha[0][l] + 1]) return true;
  if (!map_border_step(b, across, &end) || level_at(b, end) != b->level + 1) return false;
  const bool triangle = b->shape->facet_size[b->shape->facet[l]] == 6;
  b->darts[4 * l + 2] = across;
  b->darts[4 * l + 3] = triangle ? clv_alpha(view, across, 2) : end;
  return true;
}

// Everything else must fit to what was found.
static bool fits(const map_border *b, uint32_t at) {
  const clv_map *view = &b->m->view;
  const clv_dart dart = b->darts[at];
  const uint32_t l = at >> 2;
  if (!dart) return true;
  const bool halved = b->darts[4 * l + 1], refined = b->darts[4 * l + 2];
  const clv_dart *alpha = b->m->records.alpha.data + 4 * (size_t)map_record(b->m, dart); // all its darts have records
  for (uint32_t i = 0; i < view->dimension; i++) {
    uint32_t beyond = map_border_link(b->shape, at, i);
    if (i == 0 && !halved) beyond = 4u * b->shape->alpha[0][l];
    if (i == 1 && (at & 3u) == 1 && !refined) beyond = 4u * b->shape->alpha[0][l] + 1u;
    clv_dart end = alpha[i];
    if (!b->darts[beyond]) return false;
    if (end != b->darts[beyond] && (i || !map_border_step(b, dart, &end) || end != b->darts[beyond])) return false;
  }
  return true;
}

clv_result map_find_border(map_border *b) {
  const uint32_t count = b->shape->dart_count;
  bool found = true;
  memset(b->darts, 0, sizeof b->darts);
  if (map_dart_plain(b->m, b->cell)) {
    for (uint32_t l = 0; l < count; l++) b->darts[4 * l] = b->cell | l;
    return CLV_OK;
  }
  for (uint32_t l = 0; found && l < count; l++) found = clv_dart_alive(&b->m->view, b->cell | l) && find_edge(b, l);
  for (uint32_t l = 0; found && l < count; l++) found = find_across(b, l);
  for (uint32_t at = 0; found && at < 4 * count; at++) found = fits(b, at);
  return found ? CLV_OK
               : map_fail(b->m, CLV_ERROR_REFUSED,
                          "the cell of dart %u does not look like one of level %d: its faces were changed otherwise",
                          b->cell, b->level);
}
