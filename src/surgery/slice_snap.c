// Moving vertices onto the plane of a slice.
//
// A vertex that is nearer to the plane than a part of its shortest edge goes, along an edge that crosses it, to where
// that does: in position and in rest alike, so that it stays the same place in the matter. A vertex of the surface, or
// between two materials, moves only along facets that stay where they are. scalpel_shift.c sees to mass, momentum,
// energy and quality; what it cannot move stays. Nearest vertices come first, of equal ones that with the least x, y
// and z, and the other end of an edge that one went along keeps its place.
//
// In strokes who moves is decided for the whole plane, and remembered. A vertex moves before the blade has come to a
// cell about it: once its cells are split, or parted, it could not.

#include "surgery/slice.h"

#include <math.h>
#include <stdlib.h>

typedef struct candidate {
  clv_dart dart;
  uint32_t slot;
  double height; // in parts of its shortest edge
  double rest[3];
} candidate;

typedef BASE_ARRAY(candidate) candidates;

static uint32_t slot_at(const slicing *c, clv_dart dart) {
  return clv_id_of(c->surgery->map, CLV_VERTEX, dart).index;
}

static double distance(const double *p, const double *q) {
  const double to[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  return sqrt(scalpel_dot(to, to));
}

// Who is near

// For this stroke and the next ones, unless it was decided before.
static void decide(const slicing *c, uint32_t slot, track_state state) {
  track_mark *mark = c->slice->track ? track_at_vertex(c->slice->track, slot) : NULL;
  if (mark && track_is(mark, TRACK_UNKNOWN)) *mark = (track_mark){state, c->surgery->heights.data[slot]};
}

static clv_result judge(slicing *c, clv_id id, candidates *found) {
  clv_surgery *s = c->surgery;
  const double *pos = clv_body_positions(s->body), *here = pos + 3 * (size_t)id.index;
  const clv_dart dart = clv_id_dart(s->map, CLV_VERTEX, id);
  clv_walk edges;
  if (clv_walk_incident(&edges, s->map, CLV_VERTEX, CLV_EDGE, dart) != CLV_OK) return surgery_no_memory(s);
  double shortest = INFINITY;
  bool crossed = false;
  for (uint32_t k = 0; k < edges.count; k++) {
    const uint32_t there = slot_at(c, clv_alpha(s->map, edges.darts[k], 0));
    crossed |= c->sides.data[there] * c->sides.data[id.index] < 0;
    shortest = fmin(shortest, distance(here, pos + 3 * (size_t)there));
  }
  clv_walk_end(&edges);
  const double height = fabs(s->heights.data[id.index]) / shortest;
  track_mark *mark = c->slice->track ? track_at_vertex(c->slice->track, id.index) : NULL;
  const bool moves = mark && !track_is(mark, TRACK_UNKNOWN) ? track_is(mark, TRACK_MOVES) : height < c->slice->snap;
  if (!crossed || !moves) {
    decide(c, id.index, TRACK_STAYS);
    return CLV_OK;
  }
  if (!BASE_RESERVE(&s->allocator, found, (uint64_t)found->count + 1)) return surgery_no_memory(s);
  const double *rest = clv_body_rest(s->body) + 3 * (size_t)id.index;
  found->data[found->count++] = (candidate){dart, id.index, height, {rest[0], rest[1], rest[2]}};
  return CLV_OK;
}

static int compare_candidates(const void *a, const void *b) {
  const candidate *x = a, *y = b;
  if (x->height != y->height) return x->height < y->height ? -1 : 1;
  for (uint32_t k = 0; k < 3; k++)
    if (x->rest[k] != y->rest[k]) return x->rest[k] < y->rest[k] ? -1 : 1;
  return (x->slot > y->slot) - (x->slot < y->slot);
}

// The vertices of a crossed cell that were not looked at yet.
static clv_result look_at(slicing *c, clv_dart cell, candidates *found) {
  clv_surgery *s = c->surgery;
  clv_walk corners;
  clv_result result = CLV_OK;
  if (clv_walk_incident(&corners, s->map, CLV_CELL, CLV_VERTEX, cell) != CLV_OK ||
      !BASE_RESERVE(&s->allocator, &c->seen, (uint64_t)c->seen.count + corners.count))
    result = surgery_no_memory(s);
  for (uint32_t k = 0; result == CLV_OK && k < corners.count; k++) {
    const clv_id id = clv_id_of(s->map, CLV_VERTEX, corners.darts[k]);
    if (s->marks.data[id.index] || !c->sides.data[id.index]) continue;
    s->marks.data[id.index] = 1;
    c->seen.data[c->seen.count++] = id.index;
    result = judge(c, id, found);
  }
  clv_walk_end(&corners);
  return result;
}

static clv_result find_candidates(slicing *c, candidates *found) {
  clv_surgery *s = c->surgery;
  clv_result result = surgery_reserve_marks(s);
  clv_dart cell;
  c->seen.count = 0;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    bool crossed = false;
    result = slice_concerns(c, cell, &crossed);
    if (result == CLV_OK && crossed) result = look_at(c, cell, found);
  }
  for (uint32_t k = 0; k < c->seen.count; k++) s->marks.data[c->seen.data[k]] = 0;
  if (found->count) qsort(found->data, found->count, sizeof *found->data, compare_candidates);
  return result;
}

// Where they may go

enum { MOST_WALLS = 3 };

// Directions across which a vertex does not move: normals at rest of the facets it must stay on.
typedef struct walls {
  double normal[MOST_WALLS][3];
  uint32_t count;
  bool stuck; // in a corner
} walls;

static void add_wall(walls *w, const double *normal) {
  double rest[3] = {normal[0], normal[1], normal[2]};
  const double length = sqrt(scalpel_dot(rest, rest));
  if (!(length > 0)) w->stuck = true;
  for (uint32_t n = 0; n < w->count; n++) { // what it has that the others have not
    const double along = scalpel_dot(rest, w->normal[n]);
    for (uint32_t k = 0; k < 3; k++) rest[k] -= along * w->normal[n][k];
  }
  const double left = sqrt(scalpel_dot(rest, rest));
  if (w->stuck || left <= 1e-9 * length) return;
  w->stuck = w->count + 1 == MOST_WALLS;
  for (uint32_t k = 0; k < 3 && !w->stuck; k++) w->normal[w->count][k] = rest[k] / left;
  w->count += !w->stuck;
}

static bool same_matter(const slicing *c, clv_dart a, clv_dart b) {
  const clv_surgery *s = c->surgery;
  const clv_column *region = clv_column_find(s->map, "region");
  const int32_t *here = region ? clv_column_at(region, a) : NULL, *there = region ? clv_column_at(region, b) : NULL;
  return physics_section_of(s->body, a) == physics_section_of(s->body, b) && (!here || !there || *here == *there);
}

// The facet of a dart at the vertex. In space the normal of a surface's edge lies in the surface.
static void add_facet(const slicing *c, clv_dart dart, walls *w) {
  const clv_surgery *s = c->surgery;
  const clv_map *map = s->map;
  const clv_dart beyond = clv_alpha(map, dart, map->dimension);
  if (beyond != dart && same_matter(c, dart, beyond)) return;
  const double *rest = clv_body_rest(s->body), *p = rest + 3 * (size_t)slot_at(c, dart);
  const double *q = rest + 3 * (size_t)slot_at(c, clv_alpha(map, dart, 0)),
               *r = rest + 3 * (size_t)slot_at(c, clv_alpha(map, clv_alpha(map, dart, 1), 0));
  double one[3], other[3], normal[3], across[3];
  for (uint32_t k = 0; k < 3; k++) {
    one[k] = q[k] - p[k];
    other[k] = r[k] - p[k];
  }
  scalpel_cross(one, other, normal);
  scalpel_cross(one, normal, across);
  add_wall(w, map->dimension == 3 ? normal : across);
}

// The darts of a vertex in one cell.
static clv_result add_cell(const slicing *c, clv_dart dart, walls *w) {
  clv_walk corner;
  if (clv_walk_orbit(&corner, c->surgery->map, CLV_CORNER, dart) != CLV_OK) return surgery_no_memory(c->surgery);
  for (uint32_t k = 0; k < corner.count; k++) add_facet(c, corner.darts[k], w);
  clv_walk_end(&corner);
  return CLV_OK;
}

static clv_result find_walls(const slicing *c, clv_dart dart, walls *w) {
  const clv_surgery *s = c->surgery;
  clv_walk star;
  if (clv_walk_star(&star, s->map, CLV_VERTEX, dart) != CLV_OK) return surgery_no_memory(c->surgery);
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < star.count && !w->stuck; k++) {
    w->stuck = clv_cell_shape(s->map, star.darts[k]) > CLV_TEMPLATE_LAST;
    if (!w->stuck) result = add_cell(c, star.darts[k], w);
  }
  clv_walk_end(&star);
  return result;
}

// Along the walls, to where the blade went.
static bool may_go(const slicing *c, const walls *w, uint32_t from, uint32_t to, double part) {
  const double *rest = clv_body_rest(c->surgery->body), *p = rest + 3 * (size_t)from, *q = rest + 3 * (size_t)to;
  const double *pos = clv_body_positions(c->surgery->body);
  double target[3];
  for (uint32_t k = 0; k < 3; k++) {
    const double a = pos[3 * (size_t)from + k], b = pos[3 * (size_t)to + k];
    target[k] = a + part * (b - a);
  }
  const double way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
  for (uint32_t n = 0; n < w->count; n++)
    if (fabs(scalpel_dot(way, w->normal[n])) > 1e-9 * sqrt(scalpel_dot(way, way))) return false;
  return c->slice->track || slice_reaches(c, target);
}

// Whether the blade is about to come to a place where it goes through a cell.
static bool comes_to_cell(const slicing *c, const surgery_corners *corners) {
  const double *pos = clv_body_positions(c->surgery->body), *heights = c->surgery->heights.data;
  const double width = slice_width(c, corners);
  for (uint32_t v = 0; v < corners->count; v++)
    for (uint32_t w = 0; w < v; w++) {
      const uint32_t a = corners->slots[v], b = corners->slots[w];
      double crossing[3];
      if (c->sides.data[a] * c->sides.data[b] >= 0) continue;
      for (uint32_t k = 0; k < 3; k++) {
        const double p = pos[3 * (size_t)a + k], q = pos[3 * (size_t)b + k];
        crossing[k] = p + heights[a] / (heights[a] - heights[b]) * (q - p);
      }
      if (slice_will_reach(c, crossing, width)) return true;
    }
  return false;
}

// Whether a vertex is to move in this stroke.
static clv_result is_time(const slicing *c, clv_dart dart, bool *now) {
  clv_surgery *s = c->surgery;
  clv_walk star;
  *now = !c->slice->track;
  if (*now) return CLV_OK;
  if (clv_walk_star(&star, s->map, CLV_VERTEX, dart) != CLV_OK) return surgery_no_memory(s);
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < star.count && !*now; k++) {
    surgery_corners corners;
    if (!surgery_cell_corners(s, star.darts[k], &corners)) result = surgery_no_memory(s);
    *now = result == CLV_OK && comes_to_cell(c, &corners);
  }
  clv_walk_end(&star);
  return result;
}

// Marks: 1: moves; 2: is moved towards. *stuck: it should move, and cannot. One whose neighbours across the plane all
// move onto it need not.
static clv_result plan(slicing *c, const candidate *v, bool *stuck) {
  clv_surgery *s = c->surgery;
  walls w = {.count = 0};
  clv_walk edges;
  clv_result result = find_walls(c, v->dart, &w);
  if (result != CLV_OK) return result;
  double best = INFINITY;
  clv_dart along = CLV_NO_DART;
  if (clv_walk_incident(&edges, s->map, CLV_VERTEX, CLV_EDGE, v->dart) != CLV_OK) result = surgery_no_memory(s);
  *stuck = false;
  for (uint32_t k = 0; result == CLV_OK && k < edges.count; k++) {
    const uint32_t there = slot_at(c, clv_alpha(s->map, edges.darts[k], 0));
    if (c->sides.data[there] * c->sides.data[v->slot] >= 0 || s->marks.data[there] & 1u) continue;
    *stuck = !along;
    const double here = s->heights.data[v->slot], part = here / (here - s->heights.data[there]);
    if (w.stuck || part >= best || !may_go(c, &w, v->slot, there, part)) continue;
    best = part;
    along = edges.darts[k];
    *stuck = false;
  }
  clv_walk_end(&edges);
  bool now = false;
  track_mark *mark = c->slice->track ? track_at_vertex(c->slice->track, v->slot) : NULL;
  if (result == CLV_OK && !along && mark && track_is(mark, TRACK_MOVES)) mark->state = TRACK_STAYS;
  if (result == CLV_OK && along) result = is_time(c, v->dart, &now);
  if (result != CLV_OK || !along) return result;
  const clv_id from = clv_id_of(s->map, CLV_VERTEX, along),
               to = clv_id_of(s->map, CLV_VERTEX, clv_alpha(s->map, along, 0));
  decide(c, from.index, TRACK_MOVES);
  decide(c, to.index, TRACK_STAYS);
  s->marks.data[from.index] |= 1u;
  s->marks.data[to.index] |= 2u;
  if (!now) return CLV_OK;
  if (!BASE_RESERVE(&s->allocator, &c->shifts, (uint64_t)c->shifts.count + 1)) return surgery_no_memory(s);
  c->shifts.data[c->shifts.count++] =
      (scalpel_shift){.vertex = from, .place = {.vertex = {from, to, to}, .part = {1 - best, best, 0}}};
  return CLV_OK;
}

// Of all strokes one does: where it goes past the vertex.
static bool is_below_blade(const slicing *c, uint32_t slot) {
  const double *p = clv_body_positions(c->surgery->body) + 3 * (size_t)slot, height = c->surgery->heights.data[slot];
  const double foot[3] = {p[0] - height * c->normal[0], p[1] - height * c->normal[1], p[2] - height * c->normal[2]};
  return slice_reaches(c, foot);
}

// *stuck: how many are that the blade goes past now.
static clv_result plan_all(slicing *c, const candidates *found, uint32_t *stuck) {
  clv_surgery *s = c->surgery;
  clv_result result = surgery_reserve_marks(s);
  c->shifts.count = 0;
  for (uint32_t k = 0; result == CLV_OK && k < found->count; k++) {
    bool cannot = false;
    if (s->marks.data[found->data[k].slot]) continue;
    result = plan(c, &found->data[k], &cannot);
    *stuck += cannot && is_below_blade(c, found->data[k].slot);
  }
  for (uint32_t k = 0; k < c->seen.count; k++) s->marks.data[c->seen.data[k]] = 0;
  return result;
}

static clv_result find_shifts(slicing *c, uint32_t *stuck) {
  candidates found = {NULL, 0, 0};
  clv_result result = slice_measure(c);
  if (result == CLV_OK) result = find_candidates(c, &found);
  if (result == CLV_OK) result = plan_all(c, &found, stuck);
  BASE_RELEASE(&c->surgery->allocator, &found);
  return result;
}

clv_result slice_list_about(slicing *c) {
  clv_surgery *s = c->surgery;
  uint32_t stuck = 0;
  clv_result result = find_shifts(c, &stuck);
  s->cells.count = 0;
  for (uint32_t k = 0; result == CLV_OK && k < c->shifts.count; k++) {
    clv_walk star;
    if (clv_walk_star(&star, s->map, CLV_VERTEX, clv_id_dart(s->map, CLV_VERTEX, c->shifts.data[k].vertex)) != CLV_OK)
      result = surgery_no_memory(s);
    for (uint32_t n = 0; result == CLV_OK && n < star.count; n++) result = slice_list_coarse(c, star.darts[n]);
    clv_walk_end(&star);
  }
  return result;
}

// Moving

static clv_result move_all(slicing *c, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  const scalpel_bounds bounds = {.quality = c->slice->quality, .tries = 1};
  clv_result result = scalpel_plan_shifts(s, &bounds, c->shifts.data, c->shifts.count);
  if (result != CLV_OK) return result;
  report->refused += s->refused;
  report->stuck += s->stuck;
  if (s->moved) {
    result = surgery_begin(s);
    if (result != CLV_OK) return result;
    result = scalpel_carry_out(s);
    result = surgery_end(s, result, NULL);
    if (result != CLV_OK) return result;
    report->moved += s->did.moved;
  }
  for (uint32_t k = 0; k < c->shifts.count; k++) {
    const uint32_t slot = c->shifts.data[k].vertex.index;
    const bool moved = c->shifts.data[k].moved;
    if (moved) c->on.data[slot] = 1;
    if (c->slice->track)
      *track_at_vertex(c->slice->track, slot) =
          moved ? (track_mark){TRACK_ON, 0} : (track_mark){TRACK_STAYS, s->heights.data[slot]};
  }
  return CLV_OK;
}

clv_result slice_snap(slicing *c, clv_surgery_report *report) {
  const clv_result result = find_shifts(c, &report->stuck);
  return result == CLV_OK && c->shifts.count ? move_all(c, report) : result;
}
