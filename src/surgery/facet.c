// Facets at a level: what a coarse cell takes for one facet, and finer neighbours have divided.
//
// A cell of level k has its corners at vertices of level k and below (rules/topology.rule). Where a neighbour was
// refined, its facet consists of several. In 2D they follow one another from corner to corner. In 3D they fill what the
// edges of level k enclose: every edge that leaves a corner begins one of these, and it is followed over finer vertices
// to its end.

#include "map/level.h"
#include "surgery/surgery.h"

static int32_t level_at(const clv_surgery *s, clv_dart dart) {
  return *(const int32_t *)clv_column_at(s->levels, dart);
}

static int32_t tell_level(const void *surgery, clv_dart dart) {
  return level_at(surgery, dart);
}

uint32_t surgery_level_of(const clv_surgery *s, clv_dart cell) {
  const clv_kind kind = clv_cell_shape(s->map, cell);
  if (kind > CLV_TEMPLATE_LAST) return 0;
  const uint32_t count = clv_templates[kind].corner_count;
  const uint32_t *corners = s->map->corners[kind] + (size_t)clv_cell_row(s->map, cell) * count;
  const int32_t *at = surgery_levels(s);
  int32_t level = 0;
  for (uint32_t c = 0; c < count; c++) level = at[corners[c]] > level ? at[corners[c]] : level;
  return (uint32_t)level;
}

static bool append_rim(clv_surgery *s, clv_dart dart) {
  if (!BASE_RESERVE(&s->allocator, &s->rim, (uint64_t)s->rim.count + 1)) return false;
  s->rim.data[s->rim.count++] = dart;
  return true;
}

typedef struct following {
  clv_surgery *surgery;
  bool failed;
} following;

static bool follow_piece(void *user, clv_dart piece) {
  following *f = user;
  f->failed = !append_rim(f->surgery, piece) || !append_rim(f->surgery, clv_alpha(f->surgery->map, piece, 0));
  return !f->failed;
}

// The darts along the edge of level k at a dart, on its side of the cell, at both ends of each part. False when memory
// is out; an edge that leads nowhere is left as far as it goes.
static bool follow_edge(clv_surgery *s, clv_dart dart, int32_t k) {
  const map_levels levels = {.view = s->map, .at = tell_level, .user = s};
  following f = {s, false};
  map_level_pieces(&levels, dart, k, follow_piece, &f);
  return !f.failed;
}

static bool on_rim(const clv_surgery *s, clv_dart dart) {
  for (uint32_t k = 0; k < s->rim.count; k++)
    if (s->rim.data[k] == dart) return true;
  return false;
}

static bool in_face(const clv_surgery *s, clv_dart dart) {
  for (uint32_t k = 0; k < s->face.count; k++)
    if (s->face.data[k] == dart) return true;
  return false;
}

static bool append_face(clv_surgery *s, clv_dart dart) {
  if (in_face(s, dart)) return true;
  if (!BASE_RESERVE(&s->allocator, &s->face, (uint64_t)s->face.count + 1)) return false;
  s->face.data[s->face.count++] = dart;
  return true;
}

// All darts of the facet of level k at a dart, in `face`.
static clv_result fill_face(clv_surgery *s, clv_dart dart, int32_t k) {
  clv_walk cell;
  bool good = clv_walk_orbit(&cell, s->map, CLV_CELL, dart) == CLV_OK;
  s->rim.count = s->face.count = 0;
  for (uint32_t d = 0; good && d < cell.count; d++)
    if (level_at(s, cell.darts[d]) <= k) good = follow_edge(s, cell.darts[d], k);
  clv_walk_end(&cell);
  good = good && append_face(s, dart);
  for (uint32_t d = 0; good && d < s->face.count; d++) {
    const clv_dart at = s->face.data[d];
    good = append_face(s, clv_alpha(s->map, at, 0)) && append_face(s, clv_alpha(s->map, at, 1)) &&
           (on_rim(s, at) || append_face(s, clv_alpha(s->map, at, 2)));
  }
  return good ? CLV_OK : surgery_no_memory(s);
}

// The same in 2D: from corner to corner.
static clv_result fill_edge(clv_surgery *s, clv_dart dart, int32_t k) {
  s->face.count = 0;
  for (clv_dart end = 0, at = dart; end < 2; end++, at = clv_alpha(s->map, dart, 0))
    for (;;) {
      if (in_face(s, at) && end == 0) break; // all the way round
      if (!append_face(s, at)) return surgery_no_memory(s);
      if (level_at(s, at) <= k) break;
      at = clv_alpha(s->map, at, 1);
      if (!append_face(s, at)) return surgery_no_memory(s);
      at = clv_alpha(s->map, at, 0);
    }
  return CLV_OK;
}

static clv_result append_parts(clv_surgery *s) {
  if (!BASE_RESERVE(&s->allocator, &s->facets, (uint64_t)s->facets.count + s->face.count)) return surgery_no_memory(s);
  for (uint32_t k = 0; k < s->face.count; k++)
    if (!clv_is_free(s->map, s->face.data[k], s->map->dimension)) s->facets.data[s->facets.count++] = s->face.data[k];
  return CLV_OK;
}

// Vertices hang in no template, so most cuts never ask for levels.
static bool is_template(const clv_map *map, clv_dart cell) {
  return clv_cell_kind(map, cell) <= CLV_TEMPLATE_LAST;
}

clv_result surgery_whole_facet(clv_surgery *s, clv_dart facet) {
  const clv_dart here = facet, there = clv_alpha(s->map, here, s->map->dimension);
  s->face.count = 0;
  if (is_template(s->map, here) && is_template(s->map, there)) return CLV_OK;
  const int32_t level = (int32_t)surgery_level_of(s, here), other = (int32_t)surgery_level_of(s, there);
  const clv_dart coarse = level <= other ? here : there;
  if (is_template(s->map, coarse)) return CLV_OK;
  const int32_t at = level <= other ? level : other;
  return s->map->dimension == 3 ? fill_face(s, coarse, at) : fill_edge(s, coarse, at);
}

clv_result surgery_whole_facets(clv_surgery *s) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0, count = s->facets.count; result == CLV_OK && k < count; k++) {
    result = surgery_whole_facet(s, s->facets.data[k]);
    if (result == CLV_OK) result = append_parts(s);
  }
  return result;
}
