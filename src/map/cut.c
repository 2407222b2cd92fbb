// Cuts: telling that an orbit was not parted, without walking it.
//
// When a facet between two plain cells is unsewn, most edges and vertices of it hold together: there is a way round the
// edge, through the other cells about it, from one side of the cut to the other. That way also joins the two sides of
// both ends of the edge, of the face's corners at it, and of the whole component. So one ring is followed for each edge
// of the facet, and only orbits for which no ring says "joined" are walked.
//
// A transaction that does nothing but unsew one facet is the commonest of all, and its plan is written down directly: an
// edge or a vertex that came apart is two orbits of one part each, both of the same old name. Wherever this is not as
// simple as that, resolve.c does the work; both leave the same plan but for orbits that did not change.

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

// One step round an edge of a map of one kind, through the facet across from the dart's own; 0 at an end.
static inline clv_dart step_round(const clv_template *shape, const uint32_t *links, clv_dart at, uint32_t *across) {
  *across = shape->alpha[2][at & 63u];
  const clv_dart link = links[map_uniform_row(at) * shape->facet_count + shape->facet[*across]];
  return link ? (link & ~63u) | shape->turn[link & 63u][shape->position[*across]] : CLV_NO_DART;
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

static inline bool leads_round_uniform(const map *m, const clv_template *shape, uint32_t kind, clv_dart here,
                                       clv_dart there) {
  const uint32_t *links = m->view.links[kind];
  uint32_t across = 0;
  clv_dart at = here;
  for (clv_dart next; (next = step_round(shape, links, at, &across)); at = next) continue;
  return ((at & ~63u) | across) == there;
}

static uint32_t joined_edges(const map *m, map_write w) {
  const uint32_t kind = map_page(m, w.dart).kind;
  const clv_template *shape = &clv_templates[kind], *other = &clv_templates[map_page(m, w.before).kind];
  const uint8_t *turned = other->turn[w.before & 63u];
  const uint32_t size = shape->facet_size[shape->facet[w.dart & 63u]];
  const clv_dart beyond = w.before & ~63u;
  uint32_t joined = 0;
  if (m->view.dimension == 2)
    for (uint32_t k = 0; k < size; k++) joined |= (uint32_t)leads_round(m, w.dart + k, beyond | turned[k]) << k;
  else if (map_is_uniform(m, kind))
    for (uint32_t k = 0; k < size; k += 2)
      joined |= (uint32_t)leads_round_uniform(m, shape, kind, w.dart + k, beyond | turned[k]) << k;
  else
    for (uint32_t k = 0; k < size; k += 2) joined |= (uint32_t)leads_round(m, w.dart + k, beyond | turned[k]) << k;
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

bool map_still_joined(const map *m, uint32_t dims, uint32_t cut, uint32_t position, uint32_t size) {
  const uint32_t n = m->view.dimension, joined = cut & MAP_CUT_EDGES;
  if (!(cut & MAP_CUT) || dims >> (n - 1) != 3u) return false; // an orbit without rings comes apart
  if (n == 2) return dims & 1u ? joined != 0 : joined >> position & 1u;
  switch (dims & 3u) {
  case 0: // <2,3>: half an edge
  case 1: // an edge
    return joined >> (position & ~1u) & 1u;
  case 2: { // a vertex: either of the two edges of the facet that meet there
    const uint32_t other = position & 1u ? position + 1 == size ? 0 : position + 1 : position ? position - 2 : size - 2;
    return (joined >> (position & ~1u) | joined >> other) & 1u;
  }
  default:
    return joined != 0;
  }
}

// The plan of a single cut

typedef struct cutter {
  const map *m;
  map_orbits *o;
  uint32_t inner;
  // Of a map of one kind; NULL of others.
  const clv_template *shape;
  const uint32_t *links;
} cutter;

// The place of a dart in a plain cell, and what it weighs.
static inline clv_dart place_of(const clv_template *shape, uint32_t inner, clv_dart dart, uint32_t *weight) {
  const clv_suborbits *sub = &shape->sub[inner];
  const uint32_t number = sub->of[dart & 63u];
  *weight += sub->size[number];
  return (dart & ~63u) | sub->first[number];
}

static inline bool is_back(const clv_template *shape, clv_dart at, uint32_t across, clv_dart avoided) {
  return ((at & ~63u) | shape->alpha[0][across]) == avoided;
}

// The places round the edge at a dart whose facet is free, appended to the nodes. Their weight; 0 when they are not all
// plain, or too many, and where the edge leads back to its other end at `avoided`.
static uint32_t add_ring(const cutter *c, clv_dart dart, clv_dart avoided) {
  static const clv_page none = {0};
  const map *m = c->m;
  uint32_t weight = 0, across = 0, *node = c->o->nodes.data + c->o->nodes.count, *end = node + MAP_STAR_PLAIN;
  for (clv_dart at = dart, next; node < end; at = next) {
    const clv_page page = c->shape ? none : map_page(m, at);
    if (!c->shape && !page.plain) return 0;
    const clv_template *shape = c->shape ? c->shape : &clv_templates[page.kind];
    *node++ = place_of(shape, c->inner, at, &weight);
    if (c->shape) {
      next = step_round(shape, c->links, at, &across);
    } else {
      across = shape->alpha[2][at & 63u];
      const clv_dart link = m->view.links[page.kind][map_row(page, at) * shape->facet_count + shape->facet[across]];
      const clv_page beyond = map_page(m, link);
      if (link && !beyond.plain) return 0;
      next = link ? (link & ~63u) | clv_templates[beyond.kind].turn[link & 63u][shape->position[across]] : CLV_NO_DART;
    }
    if (!next) {
      c->o->nodes.count = (uint32_t)(node - c->o->nodes.data);
      return is_back(shape, at, across, avoided) ? 0 : weight;
    }
    if (next >> 6 == at >> 6) return 0; // a cell sewn to itself may be folded
  }
  return 0;
}

// Likewise for the places about the vertex at a dart. *joined when the place `avoided` is among them.
static uint32_t add_star(const cutter *c, clv_dart dart, clv_dart avoided, bool *joined) {
  uint32_t weight, *nodes = c->o->nodes.data + c->o->nodes.count;
  const uint32_t count = map_star_places(c->m, c->inner, dart, nodes, &weight);
  uint32_t found = 0;
  for (uint32_t k = 0; k < count; k++) found |= nodes[k] == avoided;
  *joined = found;
  c->o->nodes.count += count;
  return count ? weight : 0;
}

// The id that a place of a plain cell bears.
static inline uint32_t id_at(const map *m, const map_index *index, clv_dart node) {
  const clv_page page = map_page(m, node);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[index->inner];
  return index->ids[page.kind].data[map_row(page, node) * sub->count + sub->of[node & 63u]];
}

// Two new orbits for the one that came apart: their nodes are there, `middle` is where the second one's begin.
static void part_orbit(map_orbits *o, uint32_t old, uint32_t start, uint32_t middle, const uint32_t weights[2]) {
  const uint32_t first = o->parts.count, second = first + 1;
  const bool second_keeps = weights[1] > weights[0];
  map_part *parts = o->parts.data;
  parts[first] = (map_part){old, first, weights[0]};
  parts[second] = (map_part){old, second, weights[1]};
  o->orbits.data[first] = (map_new_orbit){.keeps = second_keeps ? 0 : old,
                                          .node_start = start,
                                          .node_end = middle,
                                          .part_start = first,
                                          .part_end = second,
                                          .changed = true};
  o->orbits.data[second] = (map_new_orbit){.keeps = second_keeps ? old : 0,
                                           .node_start = middle,
                                           .node_end = o->nodes.count,
                                           .part_start = second,
                                           .part_end = second + 1,
                                           .changed = true};
  uint32_t at = first, *order = o->by_old.data; // by old name, both parts together
  for (; at && parts[order[at - 2]].old > old; at -= 2) {
    order[at] = order[at - 2];
    order[at + 1] = order[at - 1];
  }
  order[at] = first;
  order[at + 1] = second;
  o->parts.count = o->orbits.count = o->by_old.count = first + 2;
  o->fresh++;
}

// What became of the orbit at one corner of the facet. An orbit that lies at several corners is left to the general way:
// which of its parts is found first depends on all of them.
static map_cut_plan part_position(const cutter *c, clv_dart here, clv_dart there, uint32_t *met) {
  map_orbits *o = c->o;
  const bool edge = o->dims & 1u;
  const uint32_t start = o->nodes.count, old = id_at(c->m, o->index, here);
  for (; *met; met++)
    if (*met == old) return MAP_CUT_GENERAL;
  *met = old;
  uint32_t weights[2], unused = 0;
  bool joined = false;
  const clv_template *beyond = &clv_templates[map_page(c->m, there).kind];
  weights[0] = edge ? add_ring(c, here, there) : add_star(c, here, place_of(beyond, c->inner, there, &unused), &joined);
  if (!weights[0]) return MAP_CUT_GENERAL;
  if (joined) {
    o->nodes.count = start;
    return MAP_CUT_PLANNED;
  }
  const uint32_t middle = o->nodes.count;
  weights[1] = edge ? add_ring(c, there, here) : add_star(c, there, CLV_NO_DART, &joined);
  if (!weights[1]) return MAP_CUT_GENERAL;
  part_orbit(o, old, start, middle, weights);
  return MAP_CUT_PLANNED;
}

map_cut_plan map_plan_cut(map *m, map_orbits *o) {
  enum { MOST = 4 }; // corners of a facet
  const uint32_t joined = m->scratch->cuts.data[0] & MAP_CUT_EDGES;
  const map_write w = m->log.data[0];
  const uint32_t kind = map_page(m, w.dart).kind;
  const clv_template *shape = &clv_templates[kind];
  const uint8_t *turned = clv_templates[map_page(m, w.before).kind].turn[w.before & 63u];
  const uint32_t size = shape->facet_size[shape->facet[w.dart & 63u]];
  const clv_allocator *a = &m->allocator;
  if (!BASE_RESERVE(a, &o->nodes, 2 * MOST * (MAP_STAR_PLAIN + 1)) || !BASE_RESERVE(a, &o->orbits, 2 * MOST) ||
      !BASE_RESERVE(a, &o->parts, 2 * MOST) || !BASE_RESERVE(a, &o->by_old, 2 * MOST))
    return MAP_CUT_NO_MEMORY;
  // A vertex hangs together if one of its two edges in the facet does.
  const uint32_t last = joined >> (size - 2) & 1u;
  const uint32_t whole = o->dims & 1u ? joined : joined | joined << 2 | last;
  const cutter c = {m, o, o->index->inner, map_is_uniform(m, kind) ? shape : NULL, m->view.links[kind]};
  uint32_t met[MOST + 1] = {0};
  map_cut_plan result = MAP_CUT_PLANNED;
  for (uint32_t k = 0; k < size && result == MAP_CUT_PLANNED; k += 2)
    if (!(whole >> k & 1u)) result = part_position(&c, w.dart + k, (w.before & ~63u) | turned[k], met);
  o->cut = result == MAP_CUT_PLANNED;
  return result;
}
