// Contact: the place of a body's surface that is nearest to a point. A volume's surface is its free facets, a surface's
// are its cells.

#include "surgery/scalpel.h"

#include <math.h>

// The point of a triangle nearest to p, by its parts of the corners (Ericson, Real-Time Collision Detection, 5.1.5).
static void nearest_parts(const double *p, const double *a, const double *b, const double *c, double part[3]) {
  double ab[3], ac[3], ap[3], bp[3], cp[3];
  for (uint32_t k = 0; k < 3; k++) {
    ab[k] = b[k] - a[k];
    ac[k] = c[k] - a[k];
    ap[k] = p[k] - a[k];
    bp[k] = p[k] - b[k];
    cp[k] = p[k] - c[k];
  }
  const double d1 = scalpel_dot(ab, ap), d2 = scalpel_dot(ac, ap), d3 = scalpel_dot(ab, bp), d4 = scalpel_dot(ac, bp),
               d5 = scalpel_dot(ab, cp), d6 = scalpel_dot(ac, cp);
  const double va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
  double v = 0, w = 0;
  if (d1 <= 0 && d2 <= 0) {
  } else if (d3 >= 0 && d4 <= d3) {
    v = 1;
  } else if (vc <= 0 && d1 >= 0 && d3 <= 0) {
    v = d1 / (d1 - d3);
  } else if (d6 >= 0 && d5 <= d6) {
    w = 1;
  } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
    w = d2 / (d2 - d6);
  } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
    w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
    v = 1 - w;
  } else {
    v = vb / (va + vb + vc);
    w = vc / (va + vb + vc);
  }
  part[0] = 1 - v - w;
  part[1] = v;
  part[2] = w;
}

// Looking about one tip.
typedef struct looking {
  const double *tip;
  double radius;
  scalpel_contact *best;
} looking;

static const double *point_of(const clv_surgery *s, clv_id vertex) {
  return clv_body_positions(s->body) + 3 * (size_t)vertex.index;
}

static void look_at_triangle(const clv_surgery *s, const looking *l, clv_dart facet, const clv_id vertex[3]) {
  scalpel_place place = {.vertex = {vertex[0], vertex[1], vertex[2]}};
  const double *a = point_of(s, vertex[0]), *b = point_of(s, vertex[1]), *c = point_of(s, vertex[2]);
  nearest_parts(l->tip, a, b, c, place.part);
  double point[3], away[3];
  for (uint32_t k = 0; k < 3; k++) {
    point[k] = place.part[0] * a[k] + place.part[1] * b[k] + place.part[2] * c[k];
    away[k] = l->tip[k] - point[k];
  }
  const double distance = sqrt(scalpel_dot(away, away));
  if (!(distance <= l->radius) || (l->best->facet && distance >= l->best->distance)) return;
  double u[3], v[3], normal[3];
  for (uint32_t k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
  }
  scalpel_cross(u, v, normal);
  const double length = sqrt(scalpel_dot(normal, normal));
  if (!(length > 0)) return;
  *l->best = (scalpel_contact){.facet = facet, .place = place, .distance = distance};
  for (uint32_t k = 0; k < 3; k++) {
    l->best->point[k] = point[k];
    l->best->normal[k] = normal[k] / length;
  }
}

// A facet is taken for the fan of triangles from its first corner.
static clv_result look_at_facet(clv_surgery *s, clv_dart facet, void *user) {
  const looking *l = user;
  if (s->map->dimension == 3 && !clv_is_free(s->map, facet, 3)) return CLV_OK;
  clv_id corners[3] = {clv_id_of(s->map, CLV_VERTEX, facet)};
  uint32_t count = 1;
  for (clv_dart at = clv_alpha(s->map, clv_alpha(s->map, facet, 0), 1); at != facet;
       at = clv_alpha(s->map, clv_alpha(s->map, at, 0), 1)) {
    corners[count < 3 ? count : 2] = clv_id_of(s->map, CLV_VERTEX, at);
    if (++count < 3) continue;
    look_at_triangle(s, l, facet, corners);
    corners[1] = corners[2];
  }
  return CLV_OK;
}

// Out of a volume: away from the cell's centre.
static bool turn_out(clv_surgery *s, scalpel_contact *contact) {
  double centre[3], out[3];
  if (!surgery_cell_centre(s, contact->facet, clv_body_positions(s->body), centre)) return false;
  for (uint32_t k = 0; k < 3; k++) out[k] = contact->point[k] - centre[k];
  if (scalpel_dot(out, contact->normal) < 0)
    for (uint32_t k = 0; k < 3; k++) contact->normal[k] = -contact->normal[k];
  return true;
}

// Of two that are as near, but for rounding, the one that rests first in x, y and z: a tip that starts half way between
// two takes the same one at every step.
static bool comes_first(const clv_surgery *s, clv_id a, clv_id b) {
  const double *rest = clv_body_rest(s->body), *p = rest + 3 * (size_t)a.index, *q = rest + 3 * (size_t)b.index;
  uint32_t k = 0;
  while (k < 2 && p[k] == q[k]) k++;
  return p[k] < q[k];
}

static void find_nearest_corner(const clv_surgery *s, scalpel_contact *contact) {
  double least = INFINITY;
  clv_dart at = contact->facet;
  do {
    const clv_id vertex = clv_id_of(s->map, CLV_VERTEX, at);
    const double *p = point_of(s, vertex);
    const double away[3] = {p[0] - contact->point[0], p[1] - contact->point[1], p[2] - contact->point[2]};
    const double square = scalpel_dot(away, away);
    const bool alike = fabs(square - least) <= 1e-9 * square;
    if (alike ? comes_first(s, vertex, contact->nearest) : square < least) {
      least = square;
      contact->nearest = vertex;
    }
    at = clv_alpha(s->map, clv_alpha(s->map, at, 0), 1);
  } while (at != contact->facet);
}

clv_result scalpel_find_contact(clv_surgery *s, const double tip[3], double radius, scalpel_contact *contact) {
  looking l = {tip, radius, contact};
  *contact = (scalpel_contact){0};
  double least[3], greatest[3];
  for (uint32_t k = 0; k < 3; k++) {
    least[k] = tip[k] - radius;
    greatest[k] = tip[k] + radius;
  }
  clv_result result = surgery_code_vertices(s, least, greatest);
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    surgery_corners corners;
    if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
    if (surgery_cell_code(s, &corners).every) continue;
    result = s->map->dimension == 3 ? surgery_each_facet(s, cell, look_at_facet, &l) : look_at_facet(s, cell, &l);
  }
  if (result != CLV_OK || !contact->facet) return result;
  if (s->map->dimension == 3 && !turn_out(s, contact)) return surgery_no_memory(s);
  find_nearest_corner(s, contact);
  return CLV_OK;
}

bool scalpel_place_at(const clv_surgery *s, const scalpel_place *place, const double *points, double at[3]) {
  at[0] = at[1] = at[2] = 0;
  for (uint32_t c = 0; c < 3; c++) {
    if (!clv_id_alive(s->map, CLV_VERTEX, place->vertex[c])) return false;
    for (uint32_t k = 0; k < 3; k++) at[k] += place->part[c] * points[3 * (size_t)place->vertex[c].index + k];
  }
  return true;
}
