// Inserting a vertex into an edge, an edge into a face, a face into a volume.
//
// Only the cells that are entered change their links; they are extended first, and everything is done on records. New
// darts are born on the side that their neighbours ask for.

#include "map/edit.h"

static clv_result extend_all(map *m, const clv_walk *darts) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < darts->count; k++) result = map_extend(m, darts->darts[k]);
  return result;
}

static clv_result add_facing(map *m, clv_dart dart, clv_dart *added) {
  return map_dart_add(m, map_side(m, dart) ^ 1u, added);
}

// A vertex in an edge: every dart x of the edge gets a new partner; old partners' new partners meet in the vertex.

static clv_result halve_edge(map *m, const clv_walk *edge, clv_walk *ends) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < edge->count; k++)
    if (!map_walk_push(ends, clv_alpha(&m->view, edge->darts[k], 0))) result = map_no_memory(m);
  for (uint32_t k = 0; result == CLV_OK && k < edge->count; k++) {
    clv_dart added = CLV_NO_DART;
    result = add_facing(m, edge->darts[k], &added);
    if (result == CLV_OK) result = map_join(m, 0, edge->darts[k], added);
  }
  return result;
}

static clv_result knit_vertex(map *m, const clv_walk *edge, const clv_walk *ends) {
  const clv_map *view = &m->view;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < edge->count; k++) {
    const clv_dart added = clv_alpha(view, edge->darts[k], 0);
    result = map_set_alpha(m, added, 1, clv_alpha(view, ends->darts[k], 0));
    for (uint32_t j = 2; result == CLV_OK && j <= view->dimension; j++) {
      const clv_dart beyond = clv_alpha(view, edge->darts[k], j);
      if (beyond != edge->darts[k]) result = map_set_alpha(m, added, j, clv_alpha(view, beyond, 0));
    }
  }
  return result;
}

static clv_result insert_vertex(map *m, const clv_walk *edge, clv_walk *ends, clv_dart *added) {
  for (uint32_t k = 0; k < edge->count; k++)
    if (clv_is_free(&m->view, edge->darts[k], 0))
      return map_fail(m, CLV_ERROR_REFUSED, "no vertex can be inserted at dart %u: its edge is open there",
                      edge->darts[k]);
  clv_result result = extend_all(m, edge);
  if (result == CLV_OK) result = halve_edge(m, edge, ends);
  if (result == CLV_OK) result = knit_vertex(m, edge, ends);
  if (result != CLV_OK) return result;
  *added = clv_alpha(&m->view, edge->darts[0], 0);
  return map_write_log(
      m, (map_write){.op = MAP_PARENTS, .dart = *added, .before = edge->darts[0], .after = ends->darts[0]});
}

clv_result clv_map_insert_vertex(clv_map *view, clv_dart dart, clv_dart *out) {
  map *m = map_of(view);
  clv_result result = map_editable(m, &dart, 1);
  if (result != CLV_OK) return result;
  const uint32_t mark = m->log.count;
  clv_walk edge, ends;
  map_walk_init(&edge, m);
  map_walk_init(&ends, m);
  clv_dart added = CLV_NO_DART;
  const bool walked = map_walk_darts(&edge, m, clv_orbit_dims(view, CLV_EDGE), dart);
  result = walked ? insert_vertex(m, &edge, &ends, &added) : map_no_memory(m);
  clv_walk_end(&edge);
  clv_walk_end(&ends);
  if (result == CLV_OK && out) *out = added;
  return map_end_edit(m, mark, result);
}

// An edge in a face: on each side of the face two darts at either end.

typedef struct chord {
  clv_dart x, y, u, v; // a -1- x -0- y -1- b and c -1- u -0- v -1- d, x -2- u, y -2- v
} chord;

static clv_result add_chord(map *m, clv_dart a, clv_dart b, chord *new) {
  const clv_dart c = clv_alpha(&m->view, a, 1), d = clv_alpha(&m->view, b, 1);
  clv_result result = map_extend(m, a);
  if (result == CLV_OK) result = add_facing(m, a, &new->x);
  if (result == CLV_OK) result = add_facing(m, b, &new->y);
  if (result == CLV_OK) result = add_facing(m, c, &new->u);
  if (result == CLV_OK) result = add_facing(m, d, &new->v);
  if (result == CLV_OK) result = map_join(m, 1, a, new->x);
  if (result == CLV_OK) result = map_join(m, 1, b, new->y);
  if (result == CLV_OK) result = map_join(m, 1, c, new->u);
  if (result == CLV_OK) result = map_join(m, 1, d, new->v);
  if (result == CLV_OK) result = map_join(m, 0, new->x, new->y);
  if (result == CLV_OK) result = map_join(m, 0, new->u, new->v);
  if (result == CLV_OK) result = map_join(m, 2, new->x, new->u);
  if (result == CLV_OK) result = map_join(m, 2, new->y, new->v);
  return result;
}

// Where b lies on the face of a, going by a0 first; 0 when it is not met on a closed face. *mirrored tells whether a3
// leads back.
static uint32_t steps_between(const map *m, clv_dart a, clv_dart b, bool *mirrored) {
  const uint32_t n = m->view.dimension;
  const clv_dart mirror = n == 3 ? clv_alpha(&m->view, a, 3) : a;
  uint32_t steps = 0, found = 0;
  clv_dart at = a;
  *mirrored = false;
  do {
    const clv_dart next = clv_alpha(&m->view, at, steps & 1u);
    if (next == at) return 0;
    at = next;
    steps++;
    if (at == b) found = steps;
    if (at == mirror && mirror != a) *mirrored = true;
  } while (at != a);
  return found;
}

static clv_result test_chord(map *m, clv_dart a, clv_dart b) {
  const clv_map *view = &m->view;
  bool mirrored = false;
  const uint32_t steps = steps_between(m, a, b, &mirrored);
  if (!(steps & 1u))
    return map_fail(m, CLV_ERROR_REFUSED, "no edge can be inserted: dart %u does not face dart %u across a closed face",
                    b, a);
  if (mirrored)
    return map_fail(m, CLV_ERROR_REFUSED, "no edge can be inserted: the face of dart %u is sewn to itself", a);
  const clv_dart c = clv_alpha(view, a, 1);
  if (b == clv_alpha(view, a, 0) || b == c || b == clv_alpha(view, clv_alpha(view, c, 0), 1))
    return map_fail(m, CLV_ERROR_REFUSED, "no edge can be inserted between darts %u and %u: it would lie along an edge",
                    a, b);
  return CLV_OK;
}

static clv_result insert_edge(map *m, clv_dart a, clv_dart b, clv_dart *added) {
  clv_result result = test_chord(m, a, b);
  const uint32_t n = m->view.dimension;
  const clv_dart a3 = clv_alpha(&m->view, a, 3), b3 = clv_alpha(&m->view, b, 3);
  chord here, beyond;
  if (result == CLV_OK && n == 3 && a3 != a) result = map_extend(m, a3);
  if (result == CLV_OK) result = add_chord(m, a, b, &here);
  if (result != CLV_OK) return result;
  *added = here.x;
  if (n == 2 || a3 == a) return CLV_OK;
  result = add_chord(m, a3, b3, &beyond);
  if (result == CLV_OK) result = map_join(m, 3, here.x, beyond.x);
  if (result == CLV_OK) result = map_join(m, 3, here.y, beyond.y);
  if (result == CLV_OK) result = map_join(m, 3, here.u, beyond.u);
  if (result == CLV_OK) result = map_join(m, 3, here.v, beyond.v);
  return result;
}

clv_result clv_map_insert_edge(clv_map *view, clv_dart a, clv_dart b, clv_dart *out) {
  map *m = map_of(view);
  clv_result result = map_editable(m, (clv_dart[]){a, b}, 2);
  if (result != CLV_OK) return result;
  const uint32_t mark = m->log.count;
  clv_dart added = CLV_NO_DART;
  result = insert_edge(m, a, b, &added);
  if (result == CLV_OK && out) *out = added;
  return map_end_edit(m, mark, result);
}

// A face in a volume: a wall of two face sides, joined by a3, along a closed path of edges.

typedef struct wall {
  clv_dart near[2], far[2]; // on the path's side and beyond, at the edge's start and end
} wall;

// True when `next` is met going on from the end of `dart`'s edge, without leaving the path's side.
static bool follows(const clv_map *view, clv_dart dart, clv_dart next) {
  const clv_dart end = clv_alpha(view, dart, 0);
  for (clv_dart at = end;;) {
    const clv_dart turned = clv_alpha(view, at, 1);
    if (turned == at) return false;
    if (turned == next) return true;
    at = clv_alpha(view, turned, 2);
    if (at == turned || at == end) return false;
  }
}

static clv_result test_step(map *m, const clv_dart *path, uint32_t length, uint32_t k, map_set *edges,
                            map_set *corners) {
  const clv_map *view = &m->view;
  const clv_dart dart = path[k], next = path[(k + 1) % length];
  if (clv_is_free(view, dart, 0) || clv_is_free(view, dart, 2))
    return map_fail(m, CLV_ERROR_REFUSED, "no face can be inserted: the volume is open at dart %u of the path", dart);
  if (!follows(view, dart, next))
    return map_fail(m, CLV_ERROR_REFUSED, "no face can be inserted: dart %u does not follow dart %u in the path", next,
                    dart);
  const clv_dart across = clv_alpha(view, dart, 2);
  const clv_dart edge[4] = {dart, clv_alpha(view, dart, 0), across, clv_alpha(view, across, 0)};
  clv_walk corner;
  map_walk_init(&corner, m);
  clv_result result = map_walk_darts(&corner, m, clv_orbit_dims(view, CLV_CORNER), dart) ? CLV_OK : map_no_memory(m);
  for (uint32_t e = 0; result == CLV_OK && e < 4 + corner.count; e++) {
    const map_inserted inserted = e < 4 ? map_set_insert(edges, edge[e]) : map_set_insert(corners, corner.darts[e - 4]);
    if (inserted == MAP_SET_NO_MEMORY) result = map_no_memory(m);
    if (inserted == MAP_SET_OLD)
      result = map_fail(m, CLV_ERROR_REFUSED, "no face can be inserted: the path meets itself at dart %u", dart);
  }
  clv_walk_end(&corner);
  return result;
}

static clv_result test_path(map *m, const clv_dart *path, uint32_t length) {
  map_set edges, corners;
  map_set_init(&edges, &m->allocator);
  map_set_init(&corners, &m->allocator);
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < length; k++) result = test_step(m, path, length, k, &edges, &corners);
  map_set_free(&edges);
  map_set_free(&corners);
  return result;
}

static clv_result add_wall(map *m, clv_dart dart, wall *w) {
  const clv_map *view = &m->view;
  clv_result result = CLV_OK;
  for (uint32_t end = 0; result == CLV_OK && end < 2; end++) {
    const clv_dart here = end ? clv_alpha(view, dart, 0) : dart, across = clv_alpha(view, here, 2);
    result = add_facing(m, here, &w->near[end]);
    if (result == CLV_OK) result = add_facing(m, across, &w->far[end]);
    if (result == CLV_OK) result = map_join(m, 2, here, w->near[end]);
    if (result == CLV_OK) result = map_join(m, 2, across, w->far[end]);
    if (result == CLV_OK) result = map_join(m, 3, w->near[end], w->far[end]);
  }
  if (result == CLV_OK) result = map_join(m, 0, w->near[0], w->near[1]);
  return result == CLV_OK ? map_join(m, 0, w->far[0], w->far[1]) : result;
}

static clv_result insert_face(map *m, const clv_dart *path, uint32_t length, clv_dart *added) {
  clv_result result = map_extend(m, path[0]);
  wall first = {{0}, {0}}, last = first;
  for (uint32_t k = 0; result == CLV_OK && k < length; k++) {
    wall w;
    result = add_wall(m, path[k], &w);
    if (k == 0) first = w;
    if (result == CLV_OK && k) result = map_join(m, 1, last.near[1], w.near[0]);
    if (result == CLV_OK && k) result = map_join(m, 1, last.far[1], w.far[0]);
    last = w;
  }
  if (result == CLV_OK) result = map_join(m, 1, last.near[1], first.near[0]);
  if (result == CLV_OK) result = map_join(m, 1, last.far[1], first.far[0]);
  *added = first.near[0];
  return result;
}

clv_result clv_map_insert_face(clv_map *view, const clv_dart *path, uint32_t length, clv_dart *out) {
  map *m = map_of(view);
  if (view->dimension != 3)
    return map_fail(m, CLV_ERROR_ARGUMENT, "a face can be inserted in a map of dimension 3 only");
  if (length < 3) return map_fail(m, CLV_ERROR_ARGUMENT, "a face needs a path of three edges at least, not %u", length);
  clv_result result = map_editable(m, path, length);
  if (result == CLV_OK) result = test_path(m, path, length);
  if (result != CLV_OK) return result;
  const uint32_t mark = m->log.count;
  clv_dart added = CLV_NO_DART;
  result = insert_face(m, path, length, &added);
  if (result == CLV_OK && out) *out = added;
  return map_end_edit(m, mark, result);
}
