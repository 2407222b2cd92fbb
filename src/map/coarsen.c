// Coarsening: a family becomes the cell it came of.
//
// It is refining (refine.c) backwards. The parent is made as a template cell, and lies on the vertices, edges and faces
// that the children's darts at its corners lie on (MAP_INHERIT). On each facet the neighbour is a coarse cell, which
// only has the facet divided because the children did: then it is whole again. Or the neighbour is fine itself: then
// the parent has the facet divided, and is extended. The middle of an edge goes when all cells about it are coarse; a
// vertex that anyone needs stays, and hangs.
//
// Where some of a facet was cut or lost a neighbour and the rest was not, the family stays as it is.

#include "map/family.h"

enum { MOST_STEPS = 1 << 16 };

typedef enum facet_state {
  FACET_FREE,   // nothing beyond
  FACET_COARSE, // one cell beyond, that takes it for one facet
  FACET_FINE,   // cells that need it divided
} facet_state;

typedef struct coarsening {
  map_family family;
  map *m;
  facet_state facets[6];
  bool halved[CLV_TEMPLATE_DARTS]; // by dart: the middle of its edge stays
  clv_dart parent;
  clv_dart darts[MAP_POSITIONS]; // of the parent's border, where there is one
} coarsening;

static bool is_hanging(const map *m, clv_dart dart) {
  return map_page(m, dart).kind == MAP_KIND_DARTS;
}

// What the cells beyond make of the border

static bool is_cut(const coarsening *c, uint32_t facet) {
  const clv_template *shape = c->family.shape;
  const uint32_t first = shape->facet_first[facet], places = shape->dimension == 3 ? 4 : 2;
  const bool free = !c->family.beyond[4 * first];
  for (uint32_t l = first; l < first + shape->facet_size[facet]; l++)
    for (uint32_t j = 0; j < places; j++)
      if (free != !c->family.beyond[4 * l + j]) return true;
  return false;
}

// Where a0 leads from a place beyond: past finer vertices, which others may have put on the rim of a facet.
static bool leads_along(const coarsening *c, uint32_t at, clv_dart end) {
  const map_family *f = &c->family;
  const clv_dart dart = f->beyond[at];
  clv_dart found = clv_alpha(&c->m->view, dart, 0);
  if (found == end) return true;
  const map_border border = {.m = c->m, .levels = f->levels, .level = f->level, .shape = f->shape};
  return f->shape->dimension == 3 && (at & 3u) < 2 && map_border_step(&border, dart, &found) && found == end;
}

// One cell beyond, in which the facet is divided as here and no further: its links, which lead all over the facet, say
// so.
static bool is_coarse(const coarsening *c, uint32_t facet) {
  const map_family *f = &c->family;
  const clv_map *view = &c->m->view;
  const uint32_t n = f->shape->dimension, first = f->shape->facet_first[facet], places = n == 3 ? 4 : 2;
  for (uint32_t l = first; l < first + f->shape->facet_size[facet]; l++)
    for (uint32_t j = 0; j < places; j++) {
      const clv_dart dart = f->beyond[4 * l + j];
      if (j && !is_hanging(c->m, dart)) return false;
      for (uint32_t i = 0; i < (j > 1 ? 3u : 2u); i++) {
        const uint32_t to =
            n == 2 && i == 1 ? 4u * f->shape->alpha[0][l] + 1u : map_border_link(f->shape, 4 * l + j, i);
        if (n == 2 && !j && i) continue;
        if (i ? clv_alpha(view, dart, i) != f->beyond[to] : !leads_along(c, 4 * l + j, f->beyond[to])) return false;
      }
    }
  return true;
}

// True where a facet inside the family is one in a child, whatever hangs on its edges.
static bool is_whole(const coarsening *c, uint32_t child, uint32_t facet) {
  const clv_template *shape = c->family.shape;
  const clv_dart *darts = c->family.darts[child];
  const uint32_t first = shape->facet_first[facet];
  uint32_t found = 0, steps = 0;
  clv_dart at = darts[first];
  do {
    for (uint32_t k = 0; k < shape->facet_size[facet]; k++) found += at == darts[first + k];
    at = clv_alpha(&c->m->view, at, steps++ & 1u);
  } while (at != darts[first] && steps < MOST_STEPS);
  return found == shape->facet_size[facet];
}

static bool is_whole_inside(const coarsening *c) {
  const map_family *f = &c->family;
  for (uint32_t k = 0; f->shape->dimension == 3 && k < f->table->child_count; k++)
    for (uint32_t n = 0; !map_dart_plain(c->m, f->darts[k][0]) && n < f->shape->facet_count; n++)
      if (f->table->children[k].link[n].child != MAP_NOWHERE && !is_whole(c, k, n)) return false;
  return true;
}

// True where a free facet of the parent is parted as the children are, and no further. What was sewn there may have
// been finer: its vertices stay in a cell that was cut off.
static bool is_bare(const coarsening *c, uint32_t facet) {
  const map_family *f = &c->family;
  const uint32_t first = f->shape->facet_first[facet];
  if (f->shape->dimension == 2) return true;
  for (uint32_t l = first; l < first + f->shape->facet_size[facet]; l++) {
    for (uint32_t j = 0; j < 4; j += 3) {
      const map_child_dart home = f->table->home[4 * l + j];
      if (!map_dart_plain(c->m, f->darts[home.child][0]) && !is_whole(c, home.child, f->shape->facet[home.dart]))
        return false;
    }
    for (uint32_t at = 4 * l + 2; at < 4 * l + 4; at++)
      if (clv_alpha(&c->m->view, f->border[at], 0) != f->border[map_border_link(f->shape, at, 0)]) return false;
  }
  return true;
}

static clv_result refuse_lost(const coarsening *c) {
  return map_fail(c->m, CLV_ERROR_REFUSED,
                  "the cells cannot be put together: something was cut or removed beside them");
}

static clv_result find_facets(coarsening *c) {
  const clv_template *shape = c->family.shape;
  if (!is_whole_inside(c))
    return map_fail(c->m, CLV_ERROR_REFUSED, "the cells cannot be put together: the facets between them are divided");
  for (uint32_t k = 0; k < shape->facet_count; k++) {
    const bool free = !c->family.beyond[4u * shape->facet_first[k]];
    if (is_cut(c, k) || (free && !is_bare(c, k))) return refuse_lost(c);
    c->facets[k] = free ? FACET_FREE : is_coarse(c, k) ? FACET_COARSE : FACET_FINE;
  }
  return CLV_OK;
}

// The four darts (in 2D two) that one cell has on a halved edge, at its ends and at the middle.
typedef struct halves {
  clv_dart end[2], middle[2], far_end[2], far_middle[2];
} halves;

// In the cell of x; false where its edge is not halved, or the middle is one of its corners.
static bool find_halves(const coarsening *c, clv_dart x, clv_dart other, halves *h) {
  const clv_map *view = &c->m->view;
  h->end[0] = x;
  h->end[1] = other;
  for (uint32_t e = 0; e < 2; e++) {
    h->middle[e] = clv_alpha(view, h->end[e], 0);
    if (!is_hanging(c->m, h->middle[e])) return false;
    if (view->dimension == 2) continue;
    h->far_end[e] = clv_alpha(view, h->end[e], 2);
    h->far_middle[e] = clv_alpha(view, h->middle[e], 2);
    if (clv_alpha(view, h->far_end[e], 0) != h->far_middle[e]) return false;
  }
  return view->dimension == 3 || clv_alpha(view, h->middle[0], 1) == h->middle[1];
}

// Goes round the edge of l, from the facet of l to that beyond it: calls `each` in every cell. False when one of them
// needs the middle.
typedef clv_result round_visitor(coarsening *c, const halves *h);
static bool go_round(coarsening *c, uint32_t l, round_visitor *each, bool *round, clv_result *result) {
  const clv_map *view = &c->m->view;
  const map_family *f = &c->family;
  const uint32_t other = f->shape->alpha[0][l], across = f->shape->alpha[2][l];
  clv_dart x = f->beyond[4 * l], y = f->beyond[4 * other];
  *round = false;
  while (x && *result == CLV_OK) {
    halves h = {0};
    if (!find_halves(c, x, y, &h)) return false;
    const clv_dart next[2] = {clv_alpha(view, h.far_end[0], 3), clv_alpha(view, h.far_end[1], 3)};
    *round = next[0] == f->border[4 * across];
    if (!*round && clv_alpha(view, h.far_middle[0], 1) != h.far_middle[1]) return false;
    if (each) *result = each(c, &h);
    if (*round || next[0] == h.far_end[0]) break;
    x = next[0];
    y = next[1];
  }
  return true;
}

// Each edge once, by its first dart.
static bool is_first(const clv_template *shape, uint32_t l) {
  if (l > shape->alpha[0][l]) return false;
  return shape->dimension == 2 || (l < shape->alpha[2][l] && l < shape->alpha[2][shape->alpha[0][l]]);
}

static bool needs_middle(coarsening *c, uint32_t l) {
  const map_family *f = &c->family;
  const clv_template *shape = f->shape;
  const clv_map *view = &c->m->view;
  const uint32_t ends[2] = {l, shape->alpha[0][l]};
  bool round = false;
  clv_result unused = CLV_OK;
  if (c->facets[shape->facet[l]] == FACET_FINE) return true;
  for (uint32_t e = 0; e < 2; e++)
    if (clv_alpha(view, f->border[4 * ends[e]], 0) != f->border[4 * ends[e] + 1]) return true;
  if (shape->dimension == 2) return false;
  if (c->facets[shape->facet[shape->alpha[2][l]]] == FACET_FINE) return true;
  if (!go_round(c, l, NULL, &round, &unused)) return true;
  return !round && !go_round(c, shape->alpha[2][l], NULL, &round, &unused);
}

// True where the middle of an edge stays for finer vertices alone, which were left by what is gone: no other cell has
// it, and nobody could say which vertex it was.
static bool is_left_behind(const coarsening *c, uint32_t l) {
  const clv_template *shape = c->family.shape;
  if (!c->halved[l] || c->facets[shape->facet[l]] != FACET_FREE) return false;
  return shape->dimension == 2 || c->facets[shape->facet[shape->alpha[2][l]]] == FACET_FREE;
}

static clv_result find_edges(coarsening *c) {
  const clv_template *shape = c->family.shape;
  for (uint32_t l = 0; l < shape->dart_count; l++) {
    if (!is_first(shape, l)) continue;
    const bool halved = needs_middle(c, l);
    const uint32_t other = shape->alpha[0][l];
    c->halved[l] = c->halved[other] = halved;
    if (shape->dimension == 3) c->halved[shape->alpha[2][l]] = c->halved[shape->alpha[2][other]] = halved;
    if (is_left_behind(c, l)) return refuse_lost(c);
  }
  return CLV_OK;
}

// Putting the cells beyond right

static clv_result join_facet(coarsening *c, uint32_t facet) {
  map *m = c->m;
  const map_family *f = &c->family;
  const uint32_t first = f->shape->facet_first[facet], end = first + f->shape->facet_size[facet];
  clv_result result = CLV_OK;
  for (uint32_t l = first; result == CLV_OK && l < end; l++) {
    const uint32_t other = f->shape->alpha[0][l];
    result = map_set_alpha(m, f->beyond[4 * l + 1], 1, f->beyond[4 * other + 1]);
    for (uint32_t j = 2; result == CLV_OK && j < 4; j++) result = map_dart_drop(m, f->beyond[4 * l + j]);
  }
  return result;
}

static clv_result join_halves(coarsening *c, const halves *h) {
  map *m = c->m;
  clv_result result = map_join(m, 0, h->end[0], h->end[1]);
  if (result == CLV_OK && m->view.dimension == 3) result = map_join(m, 0, h->far_end[0], h->far_end[1]);
  for (uint32_t e = 0; result == CLV_OK && e < 2; e++) {
    result = map_dart_drop(m, h->middle[e]);
    if (result == CLV_OK && m->view.dimension == 3) result = map_dart_drop(m, h->far_middle[e]);
  }
  return result;
}

static clv_result join_edge(coarsening *c, uint32_t l) {
  const map_family *f = &c->family;
  bool round = false;
  clv_result result = CLV_OK;
  if (f->shape->dimension == 2) {
    halves h = {0};
    if (!f->beyond[4 * l] || !find_halves(c, f->beyond[4 * l], f->beyond[4u * f->shape->alpha[0][l]], &h))
      return CLV_OK;
    return join_halves(c, &h);
  }
  go_round(c, l, join_halves, &round, &result);
  if (result == CLV_OK && !round) go_round(c, f->shape->alpha[2][l], join_halves, &round, &result);
  return result;
}

static clv_result join_beyond(coarsening *c) {
  const clv_template *shape = c->family.shape;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; shape->dimension == 3 && result == CLV_OK && k < shape->facet_count; k++)
    if (c->facets[k] == FACET_COARSE) result = join_facet(c, k);
  for (uint32_t l = 0; result == CLV_OK && l < shape->dart_count; l++)
    if (is_first(shape, l) && !c->halved[l]) result = join_edge(c, l);
  return result;
}

// The parent

static bool has_place(const coarsening *c, uint32_t at) {
  const uint32_t l = at >> 2, j = at & 3u;
  if (j == 0) return true;
  return j == 1 ? c->halved[l] : c->family.shape->dimension == 3 && c->facets[c->family.shape->facet[l]] == FACET_FINE;
}

static clv_result add_border(coarsening *c) {
  const uint32_t count = 4u * c->family.shape->dart_count;
  bool divided = false;
  clv_result result = CLV_OK;
  for (uint32_t at = 0; at < count; at++) {
    if (at & 3u)
      divided |= has_place(c, at);
    else
      c->darts[at] = c->parent | at >> 2;
  }
  if (!divided) return CLV_OK;
  result = map_extend(c->m, c->parent);
  for (uint32_t at = 0; result == CLV_OK && at < count; at++) {
    if (!(at & 3u) || !has_place(c, at)) continue;
    result =
        map_dart_hang(c->m, map_side(c->m, c->family.border[at]), c->family.level + 1, c->parent >> 6, &c->darts[at]);
  }
  return result;
}

// Links along the border: to another place of it, or to a finer dart that one of the children had there.
static clv_result link_border(coarsening *c, uint32_t at) {
  const map_family *f = &c->family;
  const uint32_t l = at >> 2, n = f->shape->dimension;
  const bool fine = n == 3 && c->facets[f->shape->facet[l]] == FACET_FINE;
  clv_result result = CLV_OK;
  for (uint32_t i = 0; result == CLV_OK && i < n; i++) {
    if ((at & 3u) == 0 && (i || !c->halved[l])) continue; // as the template has it
    uint32_t to = map_border_link(f->shape, at, i);
    if ((at & 3u) == 1 && i == 1 && !fine) to = 4u * f->shape->alpha[0][l] + 1u;
    const clv_dart finer = i == 0 ? clv_alpha(&c->m->view, f->border[at], 0) : CLV_NO_DART;
    result = finer && finer != f->border[to] ? map_join(c->m, 0, c->darts[at], finer)
                                             : map_set_alpha(c->m, c->darts[at], i, c->darts[to]);
  }
  return result;
}

static clv_result face_border(coarsening *c, uint32_t at) {
  map *m = c->m;
  const clv_dart dart = c->darts[at], beyond = c->family.beyond[at];
  const uint32_t n = m->view.dimension;
  clv_result result = CLV_OK;
  if (!beyond) return result;
  if (!map_dart_plain(m, dart))
    result = map_set_alpha(m, dart, n, beyond);
  else if (!c->family.shape->position[at >> 2])
    result = map_link(m, dart, beyond);
  return result == CLV_OK ? map_face(m, beyond, dart) : result;
}

static clv_result inherit(coarsening *c) {
  const map_family *f = &c->family;
  const uint8_t cell = (uint8_t)((1u << f->shape->dimension) - 1u);
  clv_result result = CLV_OK;
  for (uint32_t l = 0; result == CLV_OK && l < f->shape->dart_count; l++)
    result = map_inherit(c->m, c->parent | l, 0, f->border[4 * l], CLV_NO_DART);
  for (uint32_t k = 1; result == CLV_OK && k < f->table->child_count; k++)
    result = map_inherit(c->m, c->parent, cell, f->darts[k][0], CLV_NO_DART);
  return result;
}

// The darts of a child that lie inside the parent, where it has more than its template's.
static clv_result drop_inside(coarsening *c, uint32_t child) {
  map *m = c->m;
  const clv_template *shape = c->family.shape;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; shape->dimension == 3 && result == CLV_OK && k < shape->facet_count; k++) {
    if (c->family.table->children[child].link[k].child == MAP_NOWHERE) continue;
    clv_walk face;
    map_walk_init(&face, m);
    if (!map_walk_darts(&face, m, 3u, c->family.darts[child][shape->facet_first[k]])) result = map_no_memory(m);
    for (uint32_t d = 0; result == CLV_OK && d < face.count; d++)
      if (is_hanging(m, face.darts[d])) result = map_dart_drop(m, face.darts[d]);
    clv_walk_end(&face);
  }
  return result;
}

static clv_result drop_child(coarsening *c, uint32_t child) {
  const clv_dart cell = c->family.darts[child][0] & ~63u;
  if (map_dart_plain(c->m, cell)) return map_cell_drop(c->m, cell);
  clv_result result = CLV_OK;
  for (uint32_t l = 0; result == CLV_OK && l < c->family.shape->dart_count; l++) result = map_dart_drop(c->m, cell | l);
  return result;
}

// Finer vertices on edges across a divided facet: the darts on either side, which children parted, meet again.
static clv_result join_across(coarsening *c, uint32_t at) {
  map *m = c->m;
  const clv_map *view = &m->view;
  const map_family *f = &c->family;
  const uint32_t to = map_border_link(f->shape, at, 0), beside = map_border_link(f->shape, at, 2);
  const uint32_t end = map_border_link(f->shape, beside, 0);
  if (clv_alpha(view, f->border[at], 0) == f->border[to]) return CLV_OK;
  map_border border = {.m = m, .levels = f->levels, .level = f->level, .shape = f->shape};
  clv_walk near, far;
  map_walk_init(&near, m);
  map_walk_init(&far, m);
  border.darts[at] = f->border[at];
  border.darts[beside] = f->border[beside];
  clv_result result = map_border_pieces(&border, at, &near);
  if (result == CLV_OK) result = map_border_pieces(&border, beside, &far);
  if (result == CLV_OK && (near.count != far.count || near.darts[near.count - 1] != f->border[to] ||
                           far.darts[far.count - 1] != f->border[end]))
    result = map_fail(m, CLV_ERROR_REFUSED, "the cells cannot be put together: their faces were changed otherwise");
  for (uint32_t k = 1; result == CLV_OK && k + 1 < near.count; k++)
    result = map_join(m, 2, near.darts[k], far.darts[k]);
  clv_walk_end(&near);
  clv_walk_end(&far);
  return result;
}

static clv_result join_all_across(coarsening *c) {
  const clv_template *shape = c->family.shape;
  clv_result result = CLV_OK;
  for (uint32_t l = 0; shape->dimension == 3 && result == CLV_OK && l < shape->dart_count; l++) {
    const bool triangle = shape->facet_size[shape->facet[l]] == 6;
    const bool first = l < shape->alpha[triangle ? 1 : 0][l];
    if (first && c->facets[shape->facet[l]] == FACET_FINE) result = join_across(c, 4 * l + 2);
  }
  return result;
}

static clv_result coarsen(coarsening *c) {
  const map_family *f = &c->family;
  const uint32_t count = 4u * f->shape->dart_count;
  clv_result result = find_facets(c);
  if (result == CLV_OK) result = find_edges(c);
  if (result != CLV_OK) return result;
  result = map_cell_add(c->m, (clv_kind)f->table->kind, &c->parent);
  if (result == CLV_OK && map_side(c->m, f->border[0])) result = map_turn(c->m, c->parent);
  if (result == CLV_OK) result = join_beyond(c);
  if (result == CLV_OK) result = add_border(c);
  for (uint32_t k = 0; result == CLV_OK && k < f->table->child_count; k++)
    if (!map_dart_plain(c->m, f->darts[k][0])) result = drop_inside(c, k);
  if (result == CLV_OK) result = join_all_across(c);
  for (uint32_t at = 0; result == CLV_OK && at < count; at++)
    if (c->darts[at]) result = link_border(c, at);
  for (uint32_t at = 0; result == CLV_OK && at < count; at++)
    if (c->darts[at]) result = face_border(c, at);
  if (result == CLV_OK) result = inherit(c);
  for (uint32_t k = 0; result == CLV_OK && k < f->table->child_count; k++) result = drop_child(c, k);
  return result;
}

clv_result clv_map_coarsen(clv_map *view, clv_dart dart, uint32_t level, const int32_t *levels, clv_dart *cell) {
  map *m = map_of(view);
  clv_result result = map_editable(m, &dart, 1);
  if (result != CLV_OK) return result;
  coarsening c = {.m = m, .family = {.m = m, .levels = levels, .level = (int32_t)level}};
  if (!map_find_family(&c.family, dart))
    return map_fail(m, CLV_ERROR_REFUSED, "the cell of dart %u is not one of a family that came of one of level %u",
                    dart, level);
  const uint32_t mark = m->log.count;
  result = map_end_edit(m, mark, coarsen(&c));
  if (result == CLV_OK && cell) *cell = c.parent;
  return result;
}
