// Inserting a vertex in the middle of a volume.
//
// The volume comes apart along its edges, and each face gets a cone. A side of it rises over an edge of the face; a
// dart d of the volume begets what of that side lies at its own corner:
//
//     foot    along the edge, where a2 of d leads from now on
//     up      along the edge that leads to the new vertex
//     top     at that vertex, along the same edge

#include "map/centre.h"

#include "map/edit.h"

static clv_dart foot_of(const clv_map *view, clv_dart dart) {
  return clv_alpha(view, dart, 2);
}

static clv_dart up_of(const clv_map *view, clv_dart dart) {
  return clv_alpha(view, foot_of(view, dart), 1);
}

static clv_dart top_of(const clv_map *view, clv_dart dart) {
  return clv_alpha(view, up_of(view, dart), 0);
}

static clv_result add_linked(map *m, uint32_t i, clv_dart to, clv_dart *added) {
  const clv_result result = map_dart_add(m, map_side(m, to) ^ 1u, added);
  return result == CLV_OK ? map_join(m, i, to, *added) : result;
}

static clv_result raise_side(map *m, clv_dart dart, clv_dart *top) {
  clv_dart foot = CLV_NO_DART, up = CLV_NO_DART;
  clv_result result = add_linked(m, 2, dart, &foot);
  if (result == CLV_OK) result = add_linked(m, 1, foot, &up);
  return result == CLV_OK ? add_linked(m, 0, up, top) : result;
}

// A dart's side with that of the edge's other end, with those beside it in the same cone, and with the one beyond, of
// the cone over the face that the dart's a2 led to.
static clv_result knit_side(map *m, clv_dart dart, clv_dart across) {
  const clv_map *view = &m->view;
  const clv_dart end = clv_alpha(view, dart, 0), beside = clv_alpha(view, dart, 1);
  clv_result result = map_set_alpha(m, foot_of(view, dart), 0, foot_of(view, end));
  if (result == CLV_OK) result = map_set_alpha(m, top_of(view, dart), 1, top_of(view, end));
  if (result == CLV_OK) result = map_set_alpha(m, up_of(view, dart), 2, up_of(view, beside));
  if (result == CLV_OK) result = map_set_alpha(m, top_of(view, dart), 2, top_of(view, beside));
  if (result == CLV_OK) result = map_set_alpha(m, foot_of(view, dart), 3, foot_of(view, across));
  if (result == CLV_OK) result = map_set_alpha(m, up_of(view, dart), 3, up_of(view, across));
  return result == CLV_OK ? map_set_alpha(m, top_of(view, dart), 3, top_of(view, across)) : result;
}

static clv_result insert_centre(map *m, const clv_walk *volume, clv_walk *across, clv_dart *added) {
  clv_result result = map_extend(m, volume->darts[0]);
  for (uint32_t k = 0; result == CLV_OK && k < volume->count; k++)
    if (!map_walk_push(across, clv_alpha(&m->view, volume->darts[k], 2))) result = map_no_memory(m);
  for (uint32_t k = 0; result == CLV_OK && k < volume->count; k++) result = raise_side(m, volume->darts[k], added);
  for (uint32_t k = 0; result == CLV_OK && k < volume->count; k++)
    result = knit_side(m, volume->darts[k], across->darts[k]);
  return result;
}

clv_result map_insert_centre(map *m, clv_dart volume, clv_dart *added) {
  const uint32_t mark = m->log.count;
  clv_walk darts, across;
  map_walk_init(&darts, m);
  map_walk_init(&across, m);
  const bool walked = map_walk_darts(&darts, m, clv_orbit_dims(&m->view, CLV_VOLUME), volume);
  const clv_result result = walked ? insert_centre(m, &darts, &across, added) : map_no_memory(m);
  clv_walk_end(&darts);
  clv_walk_end(&across);
  return map_end_edit(m, mark, result);
}
