// Cuts: telling that an orbit was not parted, without walking it.
//
// When a facet between two plain cells is unsewn, most edges and vertices of it hold together: there is a way round the
// edge, through the other cells about it, from one side of the cut to the other. That way also joins the two sides of
// both ends of the edge, of the face's corners at it, and of the whole component. So one ring is followed for each edge
// of the facet, and only orbits for which no ring says "joined" are walked.

#include "map/plan.h"

// The first dart of the facet beyond a cut, 0 when the cut is not one between two plain cells that still stand there,
// free.
static clv_dart cut_beyond(const map *m, map_write w) {
  if (w.op != MAP_LINK || w.after || !w.before) return CLV_NO_DART;
  const clv_page here = map_page(m, w.dart), there = map_page(m, w.before);
  if (!here.plain || !there.plain) return CLV_NO_DART;
  const uint32_t row = map_row(here, w.dart), beyond = map_row(there, w.before);
  if (!map_row_alive(m, here.kind, row) || !map_row_alive(m, there.kind, beyond)) return CLV_NO_DART;
  const clv_template *shape = &clv_templates[here.kind], *other = &clv_templates[there.kind];
  const uint32_t facet = shape->facet[w.dart & 63u], opposite = other->facet[w.before & 63u];
  const bool free = !m->rows[here.kind].data.data[row * shape->facet_count + facet] &&
                    !m->rows[there.kind].data.data[beyond * other->facet_count + opposite];
  return free ? (w.before & ~63u) | other->facet_first[opposite] : CLV_NO_DART;
}

// True when the ring about the edge of `here` (in 2D: the vertex) leads to the other side of the cut.
static inline bool leads_round(const map *m, clv_dart here, clv_dart there) {
  const uint32_t n = m->view.dimension;
  for (clv_dart at = here;;) {
    const clv_page page = map_page(m, at);
    clv_dart out, next;
    if (CLV_LIKELY(page.plain)) {
      const clv_template *shape = &clv_templates[page.kind];
      const uint32_t local = shape->alpha[n - 1][at & 63u];
      out = (at & ~63u) | local;
      const clv_dart link = m->view.links[page.kind][map_row(page, at) * shape->facet_count + shape->facet[local]];
      if (!link) return out == there;
      const clv_page beyond = map_page(m, link);
      next = CLV_LIKELY(beyond.plain)
                 ? (link & ~63u) | clv_templates[beyond.kind].turn[link & 63u][shape->position[local]]
                 : clv_alpha_facing(&m->view, link, shape->position[local]);
    } else {
      out = clv_alpha(&m->view, at, n - 1);
      next = clv_alpha(&m->view, out, n);
      if (next == out || out == at) return out == there;
    }
    at = next;
  }
}

static uint32_t joined_edges(const map *m, map_write w) {
  const clv_template *shape = &clv_templates[map_page(m, w.dart).kind];
  const uint8_t *turned = clv_templates[map_page(m, w.before).kind].turn[w.before & 63u];
  const uint32_t size = shape->facet_size[shape->facet[w.dart & 63u]], step = m->view.dimension - 1;
  uint32_t joined = 0;
  for (uint32_t k = 0; k < size; k += step)
    joined |= (uint32_t)leads_round(m, w.dart + k, (w.before & ~63u) | turned[k]) << k;
  return joined;
}

bool map_find_cuts(map *m) {
  map_words *cuts = &m->scratch->cuts;
  if (!BASE_RESERVE(&m->allocator, cuts, m->log.count)) return false;
  cuts->count = m->log.count;
  bool mirrored = false;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    const clv_dart beyond = mirrored ? CLV_NO_DART : cut_beyond(m, w);
    cuts->data[k] = mirrored ? MAP_CUT_MIRRORED : beyond ? MAP_CUT | joined_edges(m, w) : 0;
    // An unsew writes both sides one after the other: the second says nothing new.
    mirrored = beyond && k + 1 < m->log.count && m->log.data[k + 1].op == MAP_LINK &&
               m->log.data[k + 1].dart == beyond && !m->log.data[k + 1].after;
  }
  return true;
}

uint32_t map_joined_positions(const map *m, uint32_t dims, uint32_t cut, uint32_t size) {
  const uint32_t n = m->view.dimension, joined = cut & MAP_CUT_EDGES, all = (1u << size) - 1u;
  if (!joined || dims >> (n - 1) != 3u) return 0; // an orbit without rings comes apart
  if (n == 2) return dims & 1u ? all : joined;
  const uint32_t edges = joined | joined << 1; // both darts of each
  switch (dims & 3u) {
  case 0: // <2,3>: half an edge
  case 1: // an edge
    return edges;
  case 2: // a vertex: either of the two edges of the facet that meet there
    return (edges | edges << 1 | edges >> 1 | edges >> (size - 1) | edges << (size - 1)) & all;
  default:
    return all;
  }
}
