// The cut itself: whether the tissue yields, and which facets part.
//
// Stress is as the paper has it: with its strain FᵀF - 1, which is twice Green's, Hooke's law gives twice the second
// Piola-Kirchhoff stress of a St Venant-Kirchhoff solid. So it is in every cell, whatever its model: Lame's numbers are
// those of its material.
//
// Everything about sides is measured at rest. There the halves of a vertex that was cut before still lie in one place,
// and what is open already does not turn the plane.

#include "surgery/scalpel.h"

#include <math.h>

static const double *rest_at(const clv_surgery *s, clv_dart dart) {
  return clv_body_rest(s->body) + 3 * (size_t)clv_id_of(s->map, CLV_VERTEX, dart).index;
}

// The area vector of a face, round its corners, at rest.
static void area_vector(const clv_surgery *s, clv_dart facet, double *area) {
  const double *first = rest_at(s, facet);
  area[0] = area[1] = area[2] = 0;
  clv_dart at = facet;
  do {
    const double *p = rest_at(s, at), *q = rest_at(s, clv_alpha(s->map, at, 0));
    const double u[3] = {p[0] - first[0], p[1] - first[1], p[2] - first[2]},
                 v[3] = {q[0] - first[0], q[1] - first[1], q[2] - first[2]};
    double both[3];
    scalpel_cross(u, v, both);
    for (uint32_t k = 0; k < 3; k++) area[k] += 0.5 * both[k];
    at = clv_alpha(s->map, clv_alpha(s->map, at, 0), 1);
  } while (at != facet);
}

// Stress

double scalpel_cutting_stress(const clv_surgery *s, clv_dart cell, const clv_scalpel_def *def) {
  clv_cell_state state;
  clv_body_cell_state(s->body, cell, &state);
  const clv_material *m = &physics_section_of(s->body, cell)->material;
  const double lambda = physics_lame(m, s->map->dimension), mu = physics_shear_modulus(m);
  double tangent[6] = {1, 1, 1, 0, 0, 0}; // the identity; of a surface, that of its plane
  if (s->map->dimension == 2) {
    double n[3];
    area_vector(s, cell, n);
    const double square = scalpel_dot(n, n);
    for (uint32_t k = 0; k < 3 && square > 0; k++) {
      tangent[k] -= n[k] * n[k] / square;
      tangent[3 + k] -= n[k] * n[(k + 1) % 3] / square;
    }
  }
  const double trace = 2 * (state.strain[0] + state.strain[1] + state.strain[2]);
  double stress[6], least, greatest;
  for (uint32_t k = 0; k < 6; k++)
    stress[k] = (lambda * trace * tangent[k] + 2 * mu * 2 * state.strain[k]) / def->sharpness;
  physics_extremes(stress, &least, &greatest);
  return fmin(greatest, 0.5 * (greatest - least)) / def->damage;
}

// The cutting line

// The surface's normal at a vertex, at rest: the sum of what is free about it. The two sides of an older cut cancel.
// False when memory is out.
static bool add_normal(clv_surgery *s, clv_dart dart, double *normal) {
  const bool solid = s->map->dimension == 3;
  if (solid && !clv_is_free(s->map, dart, 3)) return true;
  double area[3];
  area_vector(s, dart, area);
  if (solid) {
    double centre[3], out[3];
    if (!surgery_cell_centre(s, dart, clv_body_rest(s->body), centre)) return false;
    const double *p = rest_at(s, dart);
    for (uint32_t k = 0; k < 3; k++) out[k] = p[k] - centre[k];
    if (scalpel_dot(out, area) < 0)
      for (uint32_t k = 0; k < 3; k++) area[k] = -area[k];
  } else if (scalpel_dot(area, normal) < 0) { // cells of a surface may be listed either way round
    for (uint32_t k = 0; k < 3; k++) area[k] = -area[k];
  }
  for (uint32_t k = 0; k < 3; k++) normal[k] += area[k];
  return true;
}

// Of the vertices that edges of the surface join to v1, the one that goes on most straight: v2. NULL where none goes
// on.
static const double *straight_on(const clv_surgery *s, const clv_walk *darts, const double *v1, const double *along) {
  const double *best = NULL;
  double most = 0;
  for (uint32_t k = 0; k < darts->count; k++) {
    if (s->map->dimension == 3 && !clv_is_free(s->map, darts->darts[k], 3)) continue;
    const double *q = rest_at(s, clv_alpha(s->map, darts->darts[k], 0));
    const double to[3] = {q[0] - v1[0], q[1] - v1[1], q[2] - v1[2]};
    const double cosine = scalpel_dot(to, along) / sqrt(scalpel_dot(to, to) * scalpel_dot(along, along));
    if (!(cosine > most)) continue;
    most = cosine;
    best = q;
  }
  return best;
}

// Sides

typedef struct cut_plane {
  const double *v0, *v1, *v2; // at rest; v2 may be NULL
  double normal[3];
} cut_plane;

// Where the furthest corner of a cell lies: 1 above the plane, -1 below. What is on the line is on the plane.
static bool side_of(clv_surgery *s, const cut_plane *plane, clv_dart cell, int *side) {
  surgery_corners corners;
  if (!surgery_cell_corners(s, cell, &corners)) return false;
  const double *rest = clv_body_rest(s->body);
  double furthest = 0;
  for (uint32_t c = 0; c < corners.count; c++) {
    const double *p = rest + 3 * (size_t)corners.slots[c];
    if (scalpel_same(p, plane->v0) || scalpel_same(p, plane->v1) || (plane->v2 && scalpel_same(p, plane->v2))) continue;
    const double to[3] = {p[0] - plane->v1[0], p[1] - plane->v1[1], p[2] - plane->v1[2]};
    const double height = scalpel_dot(to, plane->normal);
    if (fabs(height) > fabs(furthest)) furthest = height;
  }
  *side = furthest >= 0 ? 1 : -1;
  return true;
}

static clv_result list_between(clv_surgery *s, const cut_plane *plane, const clv_walk *darts) {
  s->facets.count = 0;
  for (uint32_t k = 0; k < darts->count; k++) {
    const clv_dart here = darts->darts[k], there = clv_alpha(s->map, here, s->map->dimension);
    int side, other;
    if (there == here) continue;
    if (!side_of(s, plane, here, &side) || !side_of(s, plane, there, &other)) return surgery_no_memory(s);
    if (side < other || side == other) continue; // from above, once
    if (!BASE_RESERVE(&s->allocator, &s->facets, (uint64_t)s->facets.count + 1)) return surgery_no_memory(s);
    s->facets.data[s->facets.count++] = here;
  }
  return CLV_OK;
}

static clv_result select_about(clv_surgery *s, const clv_walk *darts, clv_id v0, clv_id v1) {
  const double *rest = clv_body_rest(s->body);
  cut_plane plane = {.v0 = rest + 3 * (size_t)v0.index, .v1 = rest + 3 * (size_t)v1.index};
  double normal[3] = {0, 0, 0}, along[3];
  for (uint32_t k = 0; k < 3; k++) along[k] = plane.v1[k] - plane.v0[k];
  for (uint32_t k = 0; k < darts->count; k++)
    if (!add_normal(s, darts->darts[k], normal)) return surgery_no_memory(s);
  scalpel_cross(normal, along, plane.normal);
  const double size = scalpel_dot(normal, normal) * scalpel_dot(along, along);
  s->facets.count = 0;
  if (!(scalpel_dot(plane.normal, plane.normal) > 1e-12 * size)) return CLV_OK; // the line goes into the surface
  plane.v2 = straight_on(s, darts, plane.v1, along);
  const clv_result result = list_between(s, &plane, darts);
  return result == CLV_OK ? surgery_whole_facets(s) : result;
}

clv_result scalpel_select(clv_surgery *s, clv_id v0, clv_id v1) {
  clv_walk darts;
  clv_result result = clv_walk_orbit(&darts, s->map, CLV_VERTEX, clv_id_dart(s->map, CLV_VERTEX, v1)) == CLV_OK
                          ? CLV_OK
                          : surgery_no_memory(s);
  if (result == CLV_OK) result = select_about(s, &darts, v0, v1);
  clv_walk_end(&darts);
  return result;
}
