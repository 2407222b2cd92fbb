// Sewing and unsewing: joining and parting the i-links of two orbits <0..i-2, i+2..n>.
//
// The orbit has two generators at the most, so it is a cycle or a path and both are walked in step. In the map's own
// dimension the orbit is a facet, and a plain template cell stores it as one link; everywhere else the darts have
// records.

#include "map/edit.h"

clv_result map_editable(map *m, const clv_dart *darts, uint32_t count) {
  if (!m->open) return map_fail(m, CLV_ERROR_ARGUMENT, "no transaction is open: call clv_map_begin first");
  for (uint32_t k = 0; k < count; k++)
    if (!clv_dart_alive(&m->view, darts[k]))
      return map_fail(m, CLV_ERROR_ARGUMENT, "dart %u does not exist: darts live until the next commit", darts[k]);
  return CLV_OK;
}

static clv_result bad_dimension(map *m, uint32_t i) {
  return map_fail(m, CLV_ERROR_ARGUMENT, "a map of dimension %u has no link %u", m->view.dimension, i);
}

typedef struct pairs {
  clv_walk a, b;
} pairs;

static void pairs_end(pairs *p) {
  clv_walk_end(&p->a);
  clv_walk_end(&p->b);
}

static clv_result pairs_push(map *m, pairs *p, clv_dart a, clv_dart b) {
  return map_walk_push(&p->a, a) && map_walk_push(&p->b, b) ? CLV_OK : map_no_memory(m);
}

// Walks both orbits in step; refuses when they have different shapes.
static clv_result walk_pairs(map *m, uint32_t dims, clv_dart a, clv_dart b, pairs *p) {
  map_walk_init(&p->a, m);
  map_walk_init(&p->b, m);
  uint32_t links[2], count = 0;
  for (uint32_t j = 0; j <= m->view.dimension; j++)
    if (dims >> j & 1u) links[count++] = j;
  clv_result result = pairs_push(m, p, a, b);
  for (uint32_t way = 0; result == CLV_OK && way < count; way++) {
    clv_dart x = a, y = b;
    for (uint32_t k = way; result == CLV_OK; k = count - 1 - k) {
      const clv_dart next_x = clv_alpha(&m->view, x, links[k]), next_y = clv_alpha(&m->view, y, links[k]);
      if ((next_x == x) != (next_y == y) || (next_x == a) != (next_y == b))
        return map_fail(m, CLV_ERROR_REFUSED, "darts %u and %u cannot be sewn: their orbits differ in shape", a, b);
      if (next_x == x) break;
      if (next_x == a) return CLV_OK;
      result = pairs_push(m, p, next_x, next_y);
      x = next_x;
      y = next_y;
      if (count == 1) break; // an involution: there and back
    }
  }
  return result;
}

static clv_result test_pairs(map *m, uint32_t i, const pairs *p) {
  const clv_dart a = p->a.darts[0], b = p->b.darts[0];
  for (uint32_t k = 0; k < p->a.count; k++) {
    if (p->a.darts[k] == b)
      return map_fail(m, CLV_ERROR_REFUSED, "darts %u and %u cannot be %u-sewn: they lie in one orbit", a, b, i);
    const clv_dart pair[2] = {p->a.darts[k], p->b.darts[k]};
    for (uint32_t side = 0; side < 2; side++)
      if (!clv_is_free(&m->view, pair[side], i))
        return map_fail(m, CLV_ERROR_REFUSED,
                        "darts %u and %u cannot be %u-sewn: dart %u is not %u-free; unsew it first", a, b, i,
                        pair[side], i);
  }
  return CLV_OK;
}

static clv_dart facet_first(const map *m, clv_dart dart) {
  const clv_template *shape = &clv_templates[map_page(m, dart).kind];
  return (dart & ~63u) | shape->facet_first[shape->facet[dart & 63u]];
}

// Gives the darts of one side their partners.
static clv_result link_side(map *m, uint32_t i, const clv_walk *side, const clv_walk *partners) {
  clv_result result = CLV_OK;
  if (!map_dart_plain(m, side->darts[0])) {
    for (uint32_t k = 0; result == CLV_OK && k < side->count; k++)
      result = map_set_alpha(m, side->darts[k], i, partners->darts[k]);
    return result;
  }
  const clv_dart first = facet_first(m, side->darts[0]);
  for (uint32_t k = 0; k < side->count; k++)
    if (side->darts[k] == first) return map_link(m, first, partners->darts[k]);
  return result;
}

static bool is_alone(const map *m, clv_dart dart) {
  if (!map_dart_plain(m, dart)) return false;
  const clv_page page = map_page(m, dart);
  const map_rows *rows = &m->rows[page.kind];
  uint32_t links = 0;
  for (uint32_t f = 0; f < rows->words; f++) links |= rows->data.data[map_row(page, dart) * rows->words + f];
  return links == 0;
}

// A cell that is sewn to nothing yet takes the sides that its neighbour asks for: a body that is put together cell by
// cell is never coloured anew.
static clv_result match_sides(map *m, clv_dart a, clv_dart b) {
  if (map_side(m, a) != map_side(m, b) || map_block(m, a) == map_block(m, b)) return CLV_OK;
  return is_alone(m, b) ? map_turn(m, b) : is_alone(m, a) ? map_turn(m, a) : CLV_OK;
}

clv_result clv_map_sew(clv_map *view, uint32_t i, clv_dart a, clv_dart b) {
  map *m = map_of(view);
  clv_result result = map_editable(m, (clv_dart[]){a, b}, 2);
  if (result != CLV_OK) return result;
  if (i > view->dimension) return bad_dimension(m, i);
  const uint32_t mark = m->log.count;
  pairs p;
  result = walk_pairs(m, map_commuting(m, i), a, b, &p);
  if (result == CLV_OK) result = test_pairs(m, i, &p);
  if (result == CLV_OK && i == view->dimension) result = match_sides(m, a, b);
  if (result == CLV_OK) result = link_side(m, i, &p.a, &p.b);
  if (result == CLV_OK) result = link_side(m, i, &p.b, &p.a);
  pairs_end(&p);
  return map_end_edit(m, mark, result);
}

// Frees the i-links on one side of an unsew.
static clv_result free_side(map *m, uint32_t i, clv_dart dart) {
  if (i == m->view.dimension && map_dart_plain(m, dart)) return map_link(m, facet_first(m, dart), CLV_NO_DART);
  clv_walk side;
  map_walk_init(&side, m);
  clv_result result = map_walk_darts(&side, m, map_commuting(m, i), dart) ? CLV_OK : map_no_memory(m);
  // All first: the links of a cell are read across its neighbours when it is extended.
  for (uint32_t k = 0; result == CLV_OK && k < side.count; k++) result = map_extend(m, side.darts[k]);
  for (uint32_t k = 0; result == CLV_OK && k < side.count; k++)
    result = map_set_alpha(m, side.darts[k], i, side.darts[k]);
  clv_walk_end(&side);
  return result;
}

clv_result map_unsew(map *m, uint32_t i, clv_dart dart, clv_dart partner) {
  const clv_result result = free_side(m, i, dart);
  return result == CLV_OK ? free_side(m, i, partner) : result;
}

// A facet of a plain cell: the word that links it, its first dart.
typedef struct facet {
  uint32_t *link;
  clv_dart first;
} facet;

static inline facet find_facet(map *m, clv_page page, clv_dart dart) {
  const clv_template *shape = &clv_templates[page.kind];
  const uint32_t number = shape->facet[dart & 63u];
  return (facet){&m->rows[page.kind].data.data[map_row(page, dart) * shape->facet_count + number],
                 (dart & ~63u) | shape->facet_first[number]};
}

bool map_unsew_plain(map *m, clv_dart dart, clv_result *result) {
  if (!m->open || dart >> CLV_PAGE_SHIFT >= m->pages.count) return false;
  const clv_page page = map_page(m, dart);
  if (!map_is_template(page.kind) || (dart & 63u) >= clv_templates[page.kind].dart_count) return false;
  const uint32_t row = map_row(page, dart);
  if (row >= m->rows[page.kind].count || !map_row_alive(m, page.kind, row) || !map_dart_plain(m, dart)) return false;
  const facet here = find_facet(m, page, dart);
  const clv_dart beyond = *here.link;
  const bool apart = beyond && (dart ^ beyond) >> 6 != 0; // in two cells
  if (!apart || !map_dart_plain(m, beyond)) return false;
  const facet there = find_facet(m, map_page(m, beyond), beyond);
  if (!BASE_RESERVE(&m->allocator, &m->log, (uint64_t)m->log.count + 2)) {
    *result = map_no_memory(m);
    return true;
  }
  map_write *writes = m->log.data + m->log.count;
  m->log.count += 2;
  writes[0] = (map_write){.op = MAP_LINK, .dart = here.first, .before = beyond};
  writes[1] = (map_write){.op = MAP_LINK, .dart = there.first, .before = *there.link};
  *here.link = *there.link = CLV_NO_DART;
  *result = CLV_OK;
  return true;
}

clv_result clv_map_unsew(clv_map *view, uint32_t i, clv_dart dart) {
  map *m = map_of(view);
  clv_result result;
  if (i == view->dimension && map_unsew_plain(m, dart, &result)) return result;
  result = map_editable(m, &dart, 1);
  if (result != CLV_OK) return result;
  if (i > view->dimension) return bad_dimension(m, i);
  const clv_dart partner = clv_alpha(view, dart, i);
  if (partner == dart) return map_fail(m, CLV_ERROR_REFUSED, "dart %u cannot be %u-unsewn: it is %u-free", dart, i, i);
  const uint32_t mark = m->log.count;
  return map_end_edit(m, mark, map_unsew(m, i, dart, partner));
}
