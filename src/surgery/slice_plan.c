#include "surgery/slice_plan.h"

#include "rule/law.h"

#include <assert.h>
#include <math.h>

#define MASS_SLACK 1e-13 // in parts of a cell's mass: rounding

// Points

static uint32_t corner_at(const slice_plan *p, uint32_t slot) {
  uint32_t k = 0;
  while (p->point[k].slot != slot) k++;
  return k;
}

static void place_corners(const slicing *c, slice_plan *p) {
  const clv_surgery *s = c->surgery;
  const double *const values[3] = {physics_vectors(s->body->pos), physics_vectors(s->body->rest),
                                   physics_vectors(s->body->vel)};
  const uint32_t *slots = slice_corners(c, p->cell).slots;
  p->corners = p->points = clv_templates[p->kind].corner_count;
  for (uint32_t k = 0; k < p->corners; k++) {
    p->point[k] = (plan_point){.slot = slots[k], .side = c->sides.data[slots[k]]};
    for (uint32_t which = 0; which < 3; which++)
      memcpy(p->point[k].at[which], values[which] + 3 * (size_t)slots[k], sizeof p->point[k].at[which]);
  }
}

static void place_on_edge(slice_plan *p, uint32_t number, const slice_edge *edge) {
  plan_point *point = &p->point[p->points++];
  *point = (plan_point){.edge = number};
  for (uint32_t e = 0; e < 2; e++) point->ends[e] = (uint8_t)corner_at(p, edge->ends[e]);
  for (uint32_t which = 0; which < 3; which++)
    for (uint32_t k = 0; k < 3; k++) {
      const double a = p->point[point->ends[0]].at[which][k], b = p->point[point->ends[1]].at[which][k];
      point->at[which][k] = a + edge->part * (b - a);
    }
}

// In the middle of so many others. Returns its number.
static uint8_t place_between(slice_plan *p, const uint8_t *others, uint32_t count) {
  plan_point *point = &p->point[p->points];
  *point = (plan_point){0};
  for (uint32_t n = 0; n < count; n++)
    for (uint32_t which = 0; which < 3; which++)
      for (uint32_t k = 0; k < 3; k++) point->at[which][k] += p->point[others[n]].at[which][k] / count;
  return (uint8_t)p->points++;
}

// Outlines

static bool is_corner(const slice_plan *p, uint8_t point) {
  return point < p->corners;
}

static uint32_t face_count(const slice_plan *p) {
  return clv_templates[p->kind].dimension == 3 ? clv_templates[p->kind].facet_count : 1;
}

static uint32_t face_first(const slice_plan *p, uint32_t face) {
  return clv_templates[p->kind].dimension == 3 ? clv_templates[p->kind].facet_first[face] : 0;
}

static uint32_t face_corners(const slice_plan *p, uint32_t face) {
  const clv_template *shape = &clv_templates[p->kind];
  return shape->dimension == 3 ? shape->facet_size[face] / 2 : shape->corner_count;
}

static void trace_outline(slice_plan *p, uint32_t face) {
  const clv_template *shape = &clv_templates[p->kind];
  const uint8_t *corner = shape->sub[shape->dimension == 3 ? 6 : 2].of; // <1,2>, <1>
  const uint32_t first = face_first(p, face), count = face_corners(p, face);
  plan_outline *o = &p->outline[face];
  o->count = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint8_t a = corner[first + 2 * k], b = corner[first + 2 * ((k + 1) % count)];
    o->corner[o->count] = (uint8_t)k;
    o->points[o->count++] = a;
    for (uint32_t x = p->corners; x < p->points; x++) {
      const uint8_t *ends = p->point[x].ends;
      if (!(ends[0] == a && ends[1] == b) && !(ends[0] == b && ends[1] == a)) continue;
      o->corner[o->count] = (uint8_t)k;
      o->points[o->count++] = (uint8_t)x;
    }
  }
}

clv_dart slice_plan_ahead(const clv_map *map, const slice_plan *p, uint32_t face, uint32_t place) {
  const plan_outline *o = &p->outline[face];
  const clv_dart dart = p->cell | (face_first(p, face) + 2u * o->corner[place]);
  return is_corner(p, o->points[place]) ? dart : clv_alpha(map, dart ^ 1u, 0);
}

clv_dart slice_plan_behind(const clv_map *map, const slice_plan *p, uint32_t face, uint32_t place) {
  const plan_outline *o = &p->outline[face];
  const uint32_t darts = 2 * face_corners(p, face), at = 2u * o->corner[place];
  if (!is_corner(p, o->points[place])) return clv_alpha(map, p->cell | (face_first(p, face) + at), 0);
  return p->cell | (face_first(p, face) + (at + darts - 1) % darts);
}

// Ears

static void add_ear(slice_plan *p, uint32_t face, uint32_t from, uint32_t to) {
  const uint32_t count = p->outline[face].count;
  p->ear[p->ears++] = (plan_ear){(uint8_t)face, (uint8_t)(from % count), (uint8_t)(to % count)};
}

static int8_t side_at(const slice_plan *p, uint32_t face, uint32_t place) {
  const plan_outline *o = &p->outline[face];
  assert(o->count >= 3);
  return p->point[o->points[place % o->count]].side;
}

// Along the plane, if the cell beyond is split, too.
static void ear_by_diagonal(const slicing *c, slice_plan *p, uint32_t face) {
  const clv_map *map = c->surgery->map;
  const clv_dart here = p->cell | face_first(p, face), beyond = clv_alpha(map, here, map->dimension);
  if (!slice_is_reached(c, here) || (map->dimension == 3 && beyond != here && !slice_is_reached(c, beyond))) return;
  for (uint32_t k = 0; k < 2; k++)
    if (!side_at(p, face, k) && !side_at(p, face, k + 2) && side_at(p, face, k + 1) * side_at(p, face, k + 3) < 0)
      add_ear(p, face, k, k + 2);
}

// A quadrangle of a surface with one corner that is finer than the others would be taken for a triangle with a vertex
// that hangs in it: there are none where levels are.
static void ear_quadrangle_once(slice_plan *p, uint32_t face, uint32_t x) {
  const bool apart = clv_templates[p->kind].dimension == 2 && p->level > 0;
  const bool near = !apart && !side_at(p, face, x + 2), far = !apart && !side_at(p, face, x + 3);
  if (near || !far) add_ear(p, face, x, x + 2);
  if (far || !near) add_ear(p, face, x + 3, x);
}

static void ear_quadrangle_twice(slice_plan *p, uint32_t face, uint32_t x, uint32_t y) {
  if (y - x == 3) {
    add_ear(p, face, x, y);
    return;
  }
  const uint32_t from = y - x == 2 ? x : y; // and then the corner that is cut off
  for (uint32_t k = 0; k < 3; k++) add_ear(p, face, from + 2 * k, from + 2 * k + 2);
}

static bool is_beside_tetrahedron(const slicing *c, const slice_plan *p, uint32_t face) {
  const clv_map *map = c->surgery->map;
  const clv_dart here = p->cell | face_first(p, face), beyond = clv_alpha(map, here, 3);
  return beyond != here && clv_cell_kind(map, beyond) == CLV_TET;
}

static void ear_triangle_twice(const slicing *c, slice_plan *p, uint32_t face, uint32_t x, uint32_t y) {
  const uint32_t from = y - x == 2 ? x : y, to = from + 2, count = p->outline[face].count;
  const uint8_t *points = p->outline[face].points;
  add_ear(p, face, from, to);
  if (!is_beside_tetrahedron(c, p, face)) return;
  const bool ahead = p->point[points[to % count]].edge < p->point[points[from]].edge; // it is bisected first
  if (ahead)
    add_ear(p, face, to, to + 2);
  else
    add_ear(p, face, to + 1, from);
}

static bool find_ears(const slicing *c, slice_plan *p, uint32_t face) {
  const plan_outline *o = &p->outline[face];
  uint32_t places[4], bisected = 0;
  for (uint32_t k = 0; k < o->count; k++)
    if (!is_corner(p, o->points[k])) places[bisected++] = k;
  const bool quadrangle = face_corners(p, face) == 4;
  if (bisected > 2) return false;
  if (bisected == 0 && quadrangle) ear_by_diagonal(c, p, face);
  if (bisected == 1 && quadrangle) ear_quadrangle_once(p, face, places[0]);
  if (bisected == 1 && !quadrangle) add_ear(p, face, places[0], places[0] + 2);
  if (bisected == 2 && quadrangle) ear_quadrangle_twice(p, face, places[0], places[1]);
  if (bisected == 2 && !quadrangle) ear_triangle_twice(c, p, face, places[0], places[1]);
  return true;
}

// Pieces of faces

static void add_corner(plan_polygon *polygon, uint8_t point, uint32_t along) {
  polygon->along[polygon->count] = (uint8_t)along;
  polygon->points[polygon->count++] = point;
}

static void add_polygon(slice_plan *p, plan_polygon polygon) {
  bool above = false, below = false;
  for (uint32_t k = 0; k < polygon.count; k++) {
    above |= p->point[polygon.points[k]].side > 0;
    below |= p->point[polygon.points[k]].side < 0;
  }
  polygon.side = (int8_t)(above - below);
  polygon.flat = !above && !below;
  p->polygon[p->polygons++] = polygon;
}

static void cut_face(slice_plan *p, uint32_t face, uint32_t first_ear) {
  const plan_outline *o = &p->outline[face];
  plan_polygon rest = {.face = (uint8_t)face};
  uint32_t next[PLAN_PLACES] = {0};
  uint8_t along[PLAN_PLACES] = {0};
  for (uint32_t k = 0; k < o->count; k++) {
    next[k] = (k + 1) % o->count;
    along[k] = (uint8_t)k;
  }
  for (uint32_t n = first_ear; n < p->ears; n++) {
    plan_polygon ear = {.face = (uint8_t)face};
    const plan_ear e = p->ear[n];
    for (uint32_t k = e.from; k != e.to; k = (k + 1) % o->count) add_corner(&ear, o->points[k], k);
    add_corner(&ear, o->points[e.to], PLAN_INSIDE | n);
    add_polygon(p, ear);
    next[e.from] = e.to;
    along[e.from] = (uint8_t)(PLAN_OUTSIDE | n);
  }
  const uint32_t start = p->ears > first_ear ? p->ear[first_ear].from : 0;
  uint32_t at = start;
  do {
    add_corner(&rest, o->points[at], along[at]);
    at = next[at];
  } while (at != start);
  add_polygon(p, rest);
}

// Bisecting tetrahedra parts their faces; of two other cells the first one does it.
static bool is_theirs(const slicing *c, const slice_plan *p, uint32_t face) {
  const clv_map *map = c->surgery->map;
  const clv_dart here = p->cell | face_first(p, face), beyond = clv_alpha(map, here, map->dimension);
  return map->dimension == 3 && beyond != here && (clv_cell_kind(map, beyond) == CLV_TET || (beyond & ~63u) < p->cell);
}

static bool cut_faces(const slicing *c, slice_plan *p) {
  for (uint32_t face = 0; face < face_count(p); face++) {
    const uint32_t ears = p->ears;
    trace_outline(p, face);
    if (!find_ears(c, p, face)) return false;
    cut_face(p, face, ears);
    if (is_theirs(c, p, face)) p->theirs |= (uint8_t)(1u << face);
  }
  return true;
}

// The ring

static bool is_above_along(const slice_plan *p, uint8_t from, uint8_t to) {
  for (uint32_t n = 0; n < p->polygons; n++) {
    const plan_polygon *polygon = &p->polygon[n];
    for (uint32_t k = 0; polygon->side > 0 && k < polygon->count; k++)
      if (polygon->points[k] == from && polygon->points[(k + 1) % polygon->count] == to) return true;
  }
  return false;
}

static bool list_ring(const slice_plan *p, plan_ring *found) {
  for (uint32_t n = 0; n < p->polygons; n++) {
    const plan_polygon *polygon = &p->polygon[n];
    if (!polygon->side) return false;
    for (uint32_t k = 0; polygon->side > 0 && k < polygon->count; k++) {
      if (is_above_along(p, polygon->points[(k + 1) % polygon->count], polygon->points[k])) continue;
      if (found->count == PLAN_RING) return false;
      found->points[found->count] = polygon->points[k];
      found->polygon[found->count] = (uint8_t)n;
      found->edge[found->count++] = (uint8_t)k;
    }
  }
  return found->count >= 3;
}

// In order, each edge beginning where the one before ends; false where they are no single ring.
static bool find_ring(slice_plan *p) {
  plan_ring found = {0};
  p->ring.count = 0;
  if (!list_ring(p, &found)) return false;
  for (uint32_t at = 0, turn = 0; turn < found.count; turn++) {
    p->ring.points[turn] = found.points[at];
    p->ring.polygon[turn] = found.polygon[at];
    p->ring.edge[turn] = found.edge[at];
    const plan_polygon *polygon = &p->polygon[found.polygon[at]];
    const uint8_t end = polygon->points[(found.edge[at] + 1u) % polygon->count];
    for (at = 0; at < found.count && found.points[at] != end;) at++;
    if (at == found.count || (at == 0) != (turn + 1 == found.count)) return false;
  }
  p->ring.count = found.count;
  return true;
}

// Halves

typedef struct plan_half {
  const plan_polygon *faces[PLAN_POLYGONS];
  uint32_t count;
} plan_half;

static uint32_t list_points(const plan_half *half, uint8_t *points) {
  uint32_t count = 0;
  for (uint32_t n = 0; n < half->count; n++)
    for (uint32_t k = 0; k < half->faces[n]->count; k++) {
      uint32_t at = 0;
      while (at < count && points[at] != half->faces[n]->points[k]) at++;
      points[at] = half->faces[n]->points[k];
      count += at == count;
    }
  return count;
}

static bool has_point(const plan_polygon *face, uint8_t point) {
  for (uint32_t k = 0; k < face->count; k++)
    if (face->points[k] == point) return true;
  return false;
}

// The other end of the edge that leads away from a face. False where there is not just one.
static bool find_above(const plan_half *half, const plan_polygon *base, uint8_t point, uint8_t *above) {
  uint32_t found = 0;
  for (uint32_t n = 0; n < half->count; n++)
    for (uint32_t k = 0; k < half->faces[n]->count; k++) {
      const plan_polygon *face = half->faces[n];
      if (face->points[k] != point) continue;
      const uint8_t next = face->points[(k + 1) % face->count];
      if (has_point(base, next)) continue;
      *above = next;
      found++;
    }
  return found == 1;
}

// The kind that has so many faces, and as many corners, 0 where none has; and which face its corners begin with.
static clv_kind kind_of(const plan_half *half, uint32_t corners, const plan_polygon **base) {
  uint32_t triangles = 0;
  const plan_polygon *triangle = NULL, *quadrangle = NULL;
  for (uint32_t n = 0; n < half->count; n++) {
    triangles += half->faces[n]->count == 3;
    if (half->faces[n]->count == 3)
      triangle = half->faces[n];
    else
      quadrangle = half->faces[n];
  }
  const uint32_t quadrangles = half->count - triangles;
  *base = triangles == 4 && quadrangles == 1 ? quadrangle : triangle ? triangle : quadrangle;
  if (triangles == 4 && corners == 4 && !quadrangles) return CLV_TET;
  if (triangles == 4 && corners == 5 && quadrangles == 1) return CLV_PYRAMID;
  if (triangles == 2 && corners == 6 && quadrangles == 3) return CLV_PRISM;
  return triangles == 0 && corners == 8 && quadrangles == 6 ? CLV_HEX : CLV_TRI;
}

// Three faces meet in each corner, and four in the top of a pyramid.
static bool meets_faces(const plan_half *half, clv_kind kind, const plan_polygon *base, uint8_t point) {
  uint32_t faces = 0;
  for (uint32_t n = 0; n < half->count; n++) faces += has_point(half->faces[n], point);
  return faces == (kind == CLV_PYRAMID && !has_point(base, point) ? 4u : 3u);
}

static bool is_template(const plan_half *half, plan_piece *piece) {
  uint8_t points[PLAN_POINTS];
  const plan_polygon *base;
  const uint32_t count = list_points(half, points);
  piece->kind = kind_of(half, count, &base);
  if (piece->kind == CLV_TRI) return false;
  for (uint32_t k = 0; k < count; k++)
    if (!meets_faces(half, piece->kind, base, points[k])) return false;
  memcpy(piece->corners, base->points, base->count);
  for (uint32_t k = 0; count < 6 && k < count; k++)
    if (!has_point(base, points[k])) piece->corners[base->count] = points[k];
  for (uint32_t k = 0; count >= 6 && k < base->count; k++)
    if (!find_above(half, base, base->points[k], &piece->corners[base->count + k])) return false;
  return true;
}

static void add_cones(slice_plan *p, const plan_half *half, uint8_t top) {
  for (uint32_t n = 0; n < half->count; n++) {
    plan_piece piece = {.kind = half->faces[n]->count == 3 ? CLV_TET : CLV_PYRAMID};
    memcpy(piece.corners, half->faces[n]->points, half->faces[n]->count);
    piece.corners[half->faces[n]->count] = top;
    p->piece[p->pieces++] = piece;
  }
}

static void fill_half(slice_plan *p, uint32_t which) {
  plan_half half = {.count = 0};
  plan_polygon wall = {.count = (uint8_t)p->ring.count};
  uint8_t points[PLAN_POINTS];
  for (uint32_t n = 0; n < p->polygons; n++)
    if (p->polygon[n].side == (which ? -1 : 1)) half.faces[half.count++] = &p->polygon[n];
  for (uint32_t k = 0; k < p->ring.count; k++) wall.points[k] = p->ring.points[which ? k : p->ring.count - 1 - k];
  half.faces[half.count++] = &wall;
  if (is_template(&half, &p->piece[p->pieces])) {
    p->pieces++;
    return;
  }
  const uint32_t count = list_points(&half, points);
  p->centres[which] = place_between(p, points, count);
  add_cones(p, &half, p->centres[which]);
}

// In the middle of where the plane crosses the cell's edges, split or not, and of corners on it; of the whole cell
// where these are few.
static uint8_t place_in_section(const slicing *c, slice_plan *p) {
  const clv_template *shape = &clv_templates[p->kind];
  const clv_suborbits *edges = &shape->sub[5]; // <0,2>
  const uint8_t *corner = shape->sub[6].of;
  slice_plan all = {.kind = p->kind, .corners = p->corners, .points = p->corners};
  uint8_t section[PLAN_POINTS];
  uint32_t count = 0;
  memcpy(all.point, p->point, p->corners * sizeof *p->point);
  for (uint32_t k = 0; k < p->corners; k++)
    if (fabs(c->surgery->heights.data[p->point[k].slot]) <= c->slack) section[count++] = (uint8_t)k;
  for (uint32_t e = 0; e < edges->count; e++) {
    const plan_point *a = &p->point[corner[edges->first[e]]], *b = &p->point[corner[shape->alpha[0][edges->first[e]]]];
    const double here = c->surgery->heights.data[a->slot], there = c->surgery->heights.data[b->slot];
    if (a->side * b->side >= 0) continue;
    section[count++] = (uint8_t)all.points;
    place_on_edge(&all, 0, &(slice_edge){.ends = {a->slot, b->slot}, .part = here / (here - there)});
  }
  for (uint32_t k = 0; count < 3 && k < p->corners; k++) section[k] = (uint8_t)k;
  const uint8_t middle = place_between(&all, section, count < 3 ? p->corners : count);
  p->point[p->points] = all.point[middle];
  return (uint8_t)p->points++;
}

// Judging

static void read_points(const slice_plan *p, const uint8_t *points, uint32_t count, uint32_t which,
                        double (*corners)[3]) {
  for (uint32_t k = 0; k < count; k++) memcpy(corners[k], p->point[points[k]].at[which], sizeof corners[k]);
}

static double quality_of(const slice_plan *p, const plan_piece *piece, uint32_t which) {
  double corners[PLAN_CORNERS][3];
  read_points(p, piece->corners, clv_templates[piece->kind].corner_count, which, corners);
  return clv_element_quality(piece->kind, (const double(*)[3])corners);
}

static plan_piece whole_cell(const slice_plan *p) {
  return (plan_piece){.kind = p->kind, .corners = {0, 1, 2, 3, 4, 5, 6, 7}};
}

// At rest; and no piece is inside out now, where the cell is not.
static void find_worst(slice_plan *p) {
  const plan_piece whole = whole_cell(p);
  const bool good = quality_of(p, &whole, PLAN_POS) > 0;
  p->worst = quality_of(p, &whole, PLAN_REST) > 0 ? 1 : -1;
  for (uint32_t n = 0; n < p->pieces; n++) {
    p->worst = fmin(p->worst, quality_of(p, &p->piece[n], PLAN_REST));
    if (good && !(quality_of(p, &p->piece[n], PLAN_POS) > 0)) p->worst = -1;
  }
}

static void weigh_piece(const slicing *c, const slice_plan *p, const plan_piece *piece, double *parts) {
  const clv_surgery *s = c->surgery;
  const clv_material *m = &physics_section_of(s->body, p->cell)->material;
  const double heft = m->density * (s->map->dimension == 2 ? m->thickness : 1);
  const uint32_t count = clv_templates[piece->kind].corner_count;
  double corners[PLAN_CORNERS][3], points[LAW_QUADRATURE][LAW_QUAD_DATA];
  read_points(p, piece->corners, count, PLAN_REST, corners);
  law_quadrature(piece->kind, (const double(*)[3])corners, points);
  for (uint32_t q = 0; q < law_quadrature_points(piece->kind); q++)
    for (uint32_t k = 0; k < count; k++) parts[piece->corners[k]] += heft * points[q][0] * points[q][1 + k];
}

static void weigh(const slicing *c, slice_plan *p) {
  const plan_piece whole = whole_cell(p);
  memset(p->before, 0, sizeof p->before);
  memset(p->after, 0, sizeof p->after);
  weigh_piece(c, p, &whole, p->before);
  for (uint32_t n = 0; n < p->pieces; n++) weigh_piece(c, p, &p->piece[n], p->after);
}

static double total(const double *parts) {
  double sum = 0;
  for (uint32_t k = 0; k < PLAN_POINTS; k++) sum += parts[k];
  return sum;
}

static double cone_over(const slice_plan *p, const uint8_t *points, uint32_t count, const double *top) {
  double corners[5][3];
  read_points(p, points, count, PLAN_REST, corners);
  memcpy(corners[count], top, sizeof corners[count]);
  return clv_element_measure(count == 3 ? CLV_TET : CLV_PYRAMID, (const double(*)[3])corners);
}

static double density_of(const slicing *c, clv_dart cell) {
  return physics_section_of(c->surgery->body, cell)->material.density;
}

// What the cell gains by what becomes of a face, less what the cell beyond loses.
static double gain_by_face(const slicing *c, const slice_plan *p, uint32_t face, const double *middle) {
  const clv_map *map = c->surgery->map;
  const clv_dart here = p->cell | face_first(p, face), beyond = clv_alpha(map, here, 3);
  const double density = density_of(c, here) - (beyond == here ? 0 : density_of(c, beyond));
  const clv_template *shape = &clv_templates[p->kind];
  uint8_t corners[4];
  for (uint32_t k = 0; k < face_corners(p, face); k++) corners[k] = shape->sub[6].of[face_first(p, face) + 2 * k];
  double volume = -cone_over(p, corners, face_corners(p, face), middle);
  for (uint32_t n = 0; n < p->polygons; n++)
    if (p->polygon[n].face == face) volume += cone_over(p, p->polygon[n].points, p->polygon[n].count, middle);
  return density * volume;
}

static bool keeps_mass(const slicing *c, const slice_plan *p) {
  const double mass = total(p->before);
  if (c->surgery->map->dimension == 2) return fabs(total(p->after) - mass) <= MASS_SLACK * mass;
  double middle[3] = {0, 0, 0};
  for (uint32_t k = 0; k < p->corners; k++)
    for (uint32_t i = 0; i < 3; i++) middle[i] += p->point[k].at[PLAN_REST][i] / p->corners;
  for (uint32_t face = 0; face < face_count(p); face++)
    if (fabs(gain_by_face(c, p, face, middle)) > MASS_SLACK * mass) return false;
  return true;
}

// The ways to split

static void split_face(slice_plan *p) {
  for (uint32_t n = 0; n < p->polygons; n++) {
    plan_piece piece = {.kind = p->polygon[n].count == 3 ? CLV_TRI : CLV_QUAD};
    memcpy(piece.corners, p->polygon[n].points, p->polygon[n].count);
    p->piece[p->pieces++] = piece;
  }
  find_worst(p);
}

static void split_by_wall(slice_plan *p) {
  fill_half(p, 0);
  fill_half(p, 1);
  find_worst(p);
}

static void split_by_cones(const slicing *c, slice_plan *p) {
  plan_half all = {.count = 0};
  p->ring.count = 0;
  p->centres[0] = place_in_section(c, p);
  for (uint32_t n = 0; n < p->polygons; n++) all.faces[all.count++] = &p->polygon[n];
  add_cones(p, &all, p->centres[0]);
  find_worst(p);
}

// What lies in the plane is of either half.
static bool lay_flat(slice_plan *p, int8_t side) {
  bool any = false;
  for (uint32_t n = 0; n < p->polygons; n++) {
    if (p->polygon[n].flat) p->polygon[n].side = side;
    any = any || p->polygon[n].flat;
  }
  return any;
}

static void keep_better(slice_plan *p, const slice_plan *other) {
  if (!p->pieces || other->worst > p->worst) *p = *other;
}

static void split_volume(const slicing *c, slice_plan *p) {
  const slice_plan faces = *p;
  bool more = true;
  for (int8_t side = 1; more && side >= -1; side = (int8_t)(side - 2)) {
    slice_plan walled = faces;
    more = lay_flat(&walled, side);
    if (!find_ring(&walled)) continue;
    split_by_wall(&walled);
    keep_better(p, &walled);
  }
  if (p->pieces && p->worst >= c->slice->quality) return;
  slice_plan other = faces;
  split_by_cones(c, &other);
  keep_better(p, &other);
}

bool slice_plan_cell(const slicing *c, clv_dart cell, const slice_use *uses, uint32_t count, slice_plan *p) {
  *p = (slice_plan){.cell = cell, .kind = clv_cell_kind(c->surgery->map, cell), .worst = 1};
  p->level = (int32_t)surgery_level_of(c->surgery, cell);
  place_corners(c, p);
  for (uint32_t k = 0; k < count; k++) {
    const slice_edge *edge = &c->edges.data[uses[k].edge];
    if (edge->reached && slice_is_cut(c, edge)) place_on_edge(p, uses[k].edge, edge);
  }
  if (!cut_faces(c, p)) return false;
  if (!p->ears) return true;
  if (c->surgery->map->dimension == 2)
    split_face(p);
  else
    split_volume(c, p);
  weigh(c, p);
  return keeps_mass(c, p);
}
