// Finer vertices on the edges across a face.
//
// A face that neighbours refined twice has vertices on the edges that part the children's faces. Inside the parent such
// an edge is the border of faces between children, and these get the vertices too: round the edge, from the one side of
// the parent's face to the other, every child's facet gets a chain of darts like the one on the face.

#include "map/refine.h"

// Each edge across is looked at from one side and one end.
static bool is_first(const clv_template *shape, uint32_t l) {
  const bool triangle = shape->facet_size[shape->facet[l]] == 6;
  return l < shape->alpha[triangle ? 1 : 0][l];
}

clv_result map_find_crossings(map_refining *r) {
  const clv_template *shape = r->border.shape;
  const clv_dart *darts = r->border.darts;
  clv_result result = CLV_OK;
  if (!r->border.finer || shape->dimension != 3) return CLV_OK;
  for (uint32_t l = 0; result == CLV_OK && l < shape->dart_count; l++) {
    const uint32_t at = 4 * l + 2, count = r->pieces.count;
    if (!darts[at] || !is_first(shape, l)) continue;
    if (clv_alpha(&r->m->view, darts[at], 0) == darts[map_border_link(shape, at, 0)]) continue;
    if (!BASE_RESERVE(&r->m->allocator, &r->crossings, (uint64_t)r->crossings.count + 2)) return map_no_memory(r->m);
    result = map_border_pieces(&r->border, at, &r->pieces);
    r->crossings.data[r->crossings.count++] = at;
    r->crossings.data[r->crossings.count++] = r->pieces.count - count;
  }
  return result;
}

// A chain of new darts in the facet of `start`, along its edge: `count` of them with the ends, which are there. It is
// like the one on the face, `far`.
static clv_result add_chain(map_refining *r, clv_dart start, clv_dart end, uint32_t count, const clv_dart *far,
                            clv_dart *chain) {
  map *m = r->m;
  clv_result result = CLV_OK;
  chain[0] = start;
  chain[count - 1] = end;
  for (uint32_t k = 1; result == CLV_OK && k + 1 < count; k++)
    result = map_dart_hang(m, map_side(m, chain[k - 1]) ^ 1u, map_level_at(&r->border, far[k]), start >> 6, &chain[k]);
  for (uint32_t k = 1; result == CLV_OK && k < count; k++) result = map_join(m, k & 1u ? 0 : 1, chain[k - 1], chain[k]);
  return result;
}

static clv_result join_chains(map *m, uint32_t i, const clv_dart *a, const clv_dart *b, uint32_t count) {
  clv_result result = CLV_OK;
  for (uint32_t k = 1; result == CLV_OK && k + 1 < count; k++) result = map_join(m, i, a[k], b[k]);
  return result;
}

// Where the ring of children goes on: past the next facet of this one, into the one beyond. False on the border.
static bool next_child(const map_refining *r, map_child_dart *at) {
  const clv_template *shape = r->border.shape;
  const map_refined_child *child = &r->table->children[at->child];
  const uint32_t out = shape->alpha[2][at->dart];
  if (child->at[out] != MAP_NOWHERE) return false;
  // A facet is met at its first dart, and turned as far as ours is.
  const map_child_dart link = child->link[shape->facet[out]];
  *at = (map_child_dart){link.child, shape->turn[link.dart][shape->position[out]]};
  return true;
}

// All are extended before one is changed (refine.c).
static clv_result extend_ring(map_refining *r, map_child_dart at) {
  clv_result result = map_extend(r->m, r->children[at.child]);
  while (result == CLV_OK && next_child(r, &at)) result = map_extend(r->m, r->children[at.child]);
  return result;
}

// Round the edge, child by child. `here` is the chain of the facet we come from, `there` room for the next one, `far`
// that beyond the parent's edge.
static clv_result go_round(map_refining *r, map_child_dart at, clv_dart *here, clv_dart *there, const clv_dart *far,
                           uint32_t count) {
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  clv_result result = extend_ring(r, at);
  while (result == CLV_OK) {
    const uint32_t out = shape->alpha[2][at.dart];
    const clv_dart cell = r->children[at.child];
    if (!next_child(r, &at)) return join_chains(m, 2, here, far, count);
    result = add_chain(r, cell | out, cell | shape->alpha[0][out], count, far, there);
    if (result == CLV_OK) result = join_chains(m, 2, here, there, count);
    const clv_dart next = r->children[at.child];
    if (result == CLV_OK) result = add_chain(r, next | at.dart, next | shape->alpha[0][at.dart], count, far, here);
    if (result == CLV_OK) result = join_chains(m, 3, there, here, count);
  }
  return result;
}

clv_result map_halve_crossings(map_refining *r) {
  const clv_dart *near = r->pieces.darts;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < r->crossings.count; k += 2) {
    const uint32_t at = r->crossings.data[k], count = r->crossings.data[k + 1];
    clv_dart *chains = base_allocate(&r->m->allocator, 3 * count * sizeof *chains);
    if (!chains) return map_no_memory(r->m);
    clv_dart *far = chains + 2 * count;
    memcpy(chains, near, count * sizeof *chains);
    for (uint32_t n = 1; n + 1 < count; n++) far[n] = clv_alpha(&r->m->view, near[n], 2);
    result = go_round(r, r->table->home[at], chains, chains + count, far, count);
    base_free(&r->m->allocator, chains, 3 * count * sizeof *chains);
    near += count;
  }
  return result;
}
