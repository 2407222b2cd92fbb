// What is left of the edges and vertices of removed cells, as far as a look at their facets tells.
//
// Where a cell was removed, what is left of most of its vertices and edges is one piece, and nobody need go there to see
// it. Two facets of the cell meet at an edge: what was beyond them is joined if the way round the edge leads from one to the
// other. What was beyond the facets at a vertex is joined if edges join it.
//
// Where several cells were removed, they went one after the other. A way that is there behind all of them was there
// behind each; so if none of the cells at an orbit parted it, as far as the ways tell that are left, it is one piece, or nothing.

#include "map/plan.h"

enum { EDGE = 5, VERTEX = 6, ACROSS = 8 }; // dimensions of what they leave in a cell; and the one that leads to others

typedef struct looking {
  const map *m;
  uint32_t kind;
  const clv_template *shape;
  const map_shape_facts *facts;
  uint32_t sewn;                    // facets of the cell that is looked at, as bits
  clv_dart beyond[MAP_MOST_FACETS]; // what their first darts were sewn to
} looking;

static void learn_shape(map_shape_facts *facts, uint32_t kind) {
  const clv_template *shape = &clv_templates[kind];
  if (facts->kind == kind) return;
  facts->kind = kind;
  const clv_suborbits *edges = &shape->sub[EDGE], *vertices = &shape->sub[VERTEX];
  memset(facts->around, 0, sizeof facts->around);
  for (uint32_t d = 0; d < shape->dart_count; d++) facts->around[vertices->of[d]] |= 1u << shape->facet[d];
  for (uint32_t e = 0; e < edges->count; e++) {
    const uint32_t d = edges->first[e], other = shape->alpha[2][d];
    facts->pair[e] = 1u << shape->facet[d] | 1u << shape->facet[other];
    facts->darts[e][0] = (uint8_t)d;
    facts->darts[e][1] = (uint8_t)other;
    facts->ends[e][0] = vertices->of[d];
    facts->ends[e][1] = vertices->of[shape->alpha[0][d]];
  }
}

static clv_dart beyond(const looking *l, uint32_t dart) {
  const clv_template *shape = l->shape;
  const clv_dart link = l->beyond[shape->facet[dart]];
  return (link & ~63u) | shape->turn[link & 63u][shape->position[dart]];
}

static bool leads_to(const looking *l, clv_dart from, clv_dart to) {
  enum { MOST_ROUND = 64 };
  const clv_template *shape = l->shape;
  const uint32_t *links = l->m->view.links[l->kind];
  for (uint32_t k = 0; k < MOST_ROUND; k++) {
    const uint32_t across = shape->alpha[2][from & 63u];
    const clv_dart link = links[map_uniform_row(from) * shape->facet_count + shape->facet[across]];
    if (!link) return ((from & ~63u) | across) == to;
    from = (link & ~63u) | shape->turn[link & 63u][shape->position[across]];
  }
  return false;
}

// Where an id lies at several places of the cell, more than these few facets decide.
static bool meets_itself(const looking *l, clv_dart cell, uint32_t inner) {
  const map_index *index = l->m->indices[inner | ACROSS];
  const uint32_t count = l->shape->sub[inner].count;
  if (!index) return false;
  const uint32_t *ids = index->ids[l->kind].data + (size_t)map_uniform_row(cell) * count;
  for (uint32_t a = 0; a < count; a++)
    for (uint32_t b = 0; b < a; b++)
      if (ids[a] == ids[b]) return true;
  return false;
}

// False where something else was unsewn.
static bool find_facets(looking *l, const map_removed *cell) {
  l->sewn = 0;
  for (uint32_t k = cell->first; k < cell->drop; k++) {
    const map_write w = l->m->log.data[k];
    const bool here = w.dart >> 6 == cell->dart >> 6, there = w.before >> 6 == cell->dart >> 6;
    if (here == there) return false;
    if (!here) continue;
    const uint32_t facet = l->shape->facet[w.dart & 63u];
    l->sewn |= 1u << facet;
    l->beyond[facet] = w.before;
  }
  return true;
}

// What will be read of the cell's orbits and of the cells round its edges lies far apart in memory: it is asked for at once.
static void look_ahead(const looking *l, const map_removed *cell) {
  const map *m = l->m;
  const clv_template *shape = l->shape;
  const uint32_t facets = shape->facet_count, *links = m->view.links[l->kind];
  for (uint32_t f = 0; f < facets; f++) {
    if (!(l->sewn >> f & 1u)) continue;
    const uint32_t *row = links + (size_t)map_uniform_row(l->beyond[f]) * facets;
    for (uint32_t n = 0; n < facets; n++)
      if (row[n]) CLV_PREFETCH(links + (size_t)map_uniform_row(row[n]) * facets);
  }
  for (uint32_t i = 0; i < m->numbered_count; i++) {
    const map_index *index = m->numbered[i];
    if (!index->crossing) continue;
    const uint32_t count = shape->sub[index->inner].count;
    const uint32_t *ids = index->ids[l->kind].data + (size_t)map_uniform_row(cell->dart) * count;
    for (uint32_t p = 0; p < count; p++) {
      CLV_PREFETCH(index->dart.data + ids[p]);
      CLV_PREFETCH(index->generation.data + ids[p]);
    }
  }
}

static void find_whole(const looking *l, map_removed *cell) {
  const map_shape_facts *facts = l->facts;
  const uint32_t edges = l->shape->sub[EDGE].count, vertices = l->shape->sub[VERTEX].count;
  uint32_t met[MAP_MOST_CORNERS] = {0}, joints[MAP_MOST_EDGES] = {0},
           count = 0; // facets that are joined, by vertex; edges that join two
  cell->edges = cell->vertices = 0;
  if (meets_itself(l, cell->dart, EDGE) || meets_itself(l, cell->dart, VERTEX)) return;
  for (uint32_t e = 0; e < edges; e++) {
    const bool both = (l->sewn & facts->pair[e]) == facts->pair[e];
    if (both && !leads_to(l, beyond(l, facts->darts[e][0]), beyond(l, facts->darts[e][1]))) continue;
    cell->edges |= 1u << e;
    if (both) joints[count++] = e;
  }
  for (uint32_t v = 0; v < vertices; v++) {
    const uint32_t around = facts->around[v] & l->sewn;
    met[v] = around & (0u - around);
  }
  for (uint32_t round = 1; round < l->shape->facet_count; round++)
    for (uint32_t k = 0; k < count; k++)
      for (uint32_t end = 0; end < 2; end++) {
        uint32_t *joined = &met[facts->ends[joints[k]][end]];
        *joined |= *joined & facts->pair[joints[k]] ? facts->pair[joints[k]] : 0;
      }
  for (uint32_t v = 0; v < vertices; v++) cell->vertices |= (uint32_t)(met[v] == (facts->around[v] & l->sewn)) << v;
}

bool map_find_removed(map *m, uint32_t kind) {
  map_scratch *s = m->scratch;
  looking l = {.m = m, .kind = kind, .shape = &clv_templates[kind], .facts = &s->facts};
  uint32_t first = 0;
  s->removed.count = 0;
  if (m->log.data[m->log.count - 1].op != MAP_CELL_DROP) return true;
  learn_shape(&s->facts, kind);
  for (uint32_t k = 0; k < m->log.count; k++) {
    if (m->log.data[k].op != MAP_CELL_DROP) continue;
    if (!BASE_RESERVE(&m->allocator, &s->removed, (uint64_t)s->removed.count + 1)) return false;
    map_removed *cell = &s->removed.data[s->removed.count++];
    *cell = (map_removed){.dart = m->log.data[k].dart, .first = first, .drop = k};
    first = k + 1;
    if (!find_facets(&l, cell)) {
      s->removed.count = 0;
      return true;
    }
    look_ahead(&l, cell);
    find_whole(&l, cell);
  }
  return true;
}
