// Removed cells: what was beside them, and which of their vertices are one piece as far as a look at their facets
// tells.
//
// Where a cell was removed, what is left of most of its vertices and edges is one piece, and nobody need go there to
// see it. Two facets of the cell meet at an edge: what was beyond them is joined if the way round the edge leads from
// one to the other. What was beyond the facets at a vertex is joined if edges join it.
//
// Where several cells were removed, they went one after the other. A way that is there behind all of them was there
// behind each; so if none of the cells at an orbit parted it, as far as the ways tell that are left, it is one piece,
// or nothing.

#include "map/plan.h"

enum { EDGE = 5, VERTEX = 6, ACROSS = 8 }; // dimensions of what they leave in a cell; and the one that leads to others
enum { FEW = 16 };

static void learn_shape(map_shape_facts *facts, uint32_t kind) {
  const clv_template *shape = &clv_templates[kind];
  if (facts->kind == kind) return;
  facts->kind = kind;
  const clv_suborbits *edges = &shape->sub[EDGE], *vertices = &shape->sub[VERTEX];
  memset(facts->around, 0, sizeof facts->around);
  memset(facts->edges, 0, sizeof facts->edges);
  for (uint32_t d = 0; d < shape->dart_count; d++) facts->around[vertices->of[d]] |= 1u << shape->facet[d];
  for (uint32_t e = 0; e < edges->count; e++) {
    const uint32_t d = edges->first[e], other = shape->alpha[2][d];
    facts->pair[e] = 1u << shape->facet[d] | 1u << shape->facet[other];
    facts->darts[e][0] = (uint8_t)d;
    facts->darts[e][1] = (uint8_t)other;
    facts->edges[vertices->of[d]] |= 1u << e;
    facts->edges[vertices->of[shape->alpha[0][d]]] |= 1u << e;
  }
}

// False where something else was unsewn between two drops: `first` and `drop` are entries of the log.
static bool find_facets(const map *m, uint32_t kind, uint32_t first, uint32_t drop, map_removed *cell) {
  const clv_template *shape = &clv_templates[kind];
  const uint32_t block = cell->dart >> 6;
  for (uint32_t k = first; k < drop; k++) {
    const map_write w = m->log.data[k];
    const bool here = w.dart >> 6 == block, there = w.before >> 6 == block;
    if (here == there) return false;
    if (here) {
      const uint32_t facet = shape->facet[w.dart & 63u];
      cell->sewn |= 1u << facet;
      cell->beyond[facet] = w.before;
    } else if (map_row_alive(m, kind, map_uniform_row(w.dart))) {
      cell->beside[cell->beside_count] = w.dart;
      cell->facing[cell->beside_count++] = w.before & 63u;
    }
  }
  return true;
}

// What will be read of the cell's orbits and of the cells round its edges lies far apart in memory: it is asked for at
// once. Of many cells it would be gone again before somebody goes there.
static void look_ahead(const map *m, uint32_t kind, const map_removed *cell) {
  const clv_template *shape = &clv_templates[kind];
  const uint32_t facets = shape->facet_count, *links = m->view.links[kind];
  for (uint32_t n = 0; n < cell->beside_count; n++) {
    const uint32_t *row = links + (size_t)map_uniform_row(cell->beside[n]) * facets;
    for (uint32_t f = 0; f < facets; f++)
      if (row[f]) CLV_PREFETCH(links + (size_t)map_uniform_row(row[f]) * facets);
  }
  for (uint32_t i = 0; i < m->numbered_count; i++) {
    const map_index *index = m->numbered[i];
    if (!index->crossing) continue;
    const uint32_t count = shape->sub[index->inner].count;
    const uint32_t *ids = index->ids[kind].data + (size_t)map_uniform_row(cell->dart) * count;
    for (uint32_t p = 0; p < count; p++) {
      CLV_PREFETCH(index->dart.data + ids[p]);
      CLV_PREFETCH(index->generation.data + ids[p]);
    }
  }
}

// Where a vertex lies at several corners of the cell, more than these few facets decide.
static bool meets_itself(const map *m, uint32_t kind, clv_dart cell) {
  const uint32_t count = clv_templates[kind].sub[VERTEX].count;
  const uint32_t *ids = m->indices[VERTEX | ACROSS]->ids[kind].data + (size_t)map_uniform_row(cell) * count;
  for (uint32_t a = 0; a < count; a++)
    for (uint32_t b = 0; b < a; b++)
      if (ids[a] == ids[b]) return true;
  return false;
}

// The vertices of the cell that an entry of the log drops.
static void expect_drop(const map *m, uint32_t kind, uint32_t entry) {
  if (entry >= m->log.count || m->log.data[entry].op != MAP_CELL_DROP) return;
  const size_t row = map_uniform_row(m->log.data[entry].dart);
  CLV_PREFETCH(m->indices[VERTEX | ACROSS]->ids[kind].data + row * clv_templates[kind].sub[VERTEX].count);
}

bool map_find_removed(map *m, uint32_t kind, uint32_t dropped) {
  enum { AHEAD = 100 }; // a dozen cells
  map_scratch *s = m->scratch;
  uint32_t first = 0;
  s->removed.count = s->dropped.count = 0;
  if (m->log.data[m->log.count - 1].op != MAP_CELL_DROP) return true;
  if (!BASE_RESERVE(&m->allocator, &s->removed, dropped) || !BASE_RESERVE(&m->allocator, &s->dropped, dropped))
    return false;
  learn_shape(&s->facts, kind);
  for (uint32_t k = 0; k < m->log.count; k++) {
    expect_drop(m, kind, k + AHEAD);
    if (m->log.data[k].op != MAP_CELL_DROP) continue;
    map_removed *cell = &s->removed.data[s->removed.count++];
    cell->dart = s->dropped.data[s->dropped.count++] = m->log.data[k].dart;
    cell->sewn = cell->beside_count = 0;
    if (!find_facets(m, kind, first, k, cell)) {
      s->removed.count = s->dropped.count = 0;
      return true;
    }
    cell->folded = meets_itself(m, kind, cell->dart);
    if (dropped <= FEW) look_ahead(m, kind, cell);
    first = k + 1;
  }
  return true;
}

static bool leads_to(const map *m, uint32_t kind, clv_dart from, clv_dart to) {
  enum { MOST_ROUND = 64 };
  const clv_template *shape = &clv_templates[kind];
  const uint32_t *links = m->view.links[kind];
  for (uint32_t k = 0; k < MOST_ROUND; k++) {
    const uint32_t across = shape->alpha[2][from & 63u];
    const clv_dart link = links[map_uniform_row(from) * shape->facet_count + shape->facet[across]];
    if (!link) return ((from & ~63u) | across) == to;
    from = (link & ~63u) | shape->turn[link & 63u][shape->position[across]];
  }
  return false;
}

void map_find_joints(const map *m, uint32_t kind, map_removed *cell) {
  const clv_template *shape = &clv_templates[kind];
  const map_shape_facts *facts = &m->scratch->facts;
  cell->joints = 0;
  for (uint32_t e = 0; e < shape->sub[EDGE].count; e++) {
    if ((cell->sewn & facts->pair[e]) != facts->pair[e]) continue;
    const clv_dart from = map_faced(shape, cell, facts->darts[e][0]), to = map_faced(shape, cell, facts->darts[e][1]);
    cell->joints |= (uint32_t)leads_to(m, kind, from, to) << e;
  }
}

static uint32_t count_bits(uint32_t bits) {
  bits = (bits & 0x5555u) + (bits >> 1 & 0x5555u); // there are no more than 16
  bits = (bits & 0x3333u) + (bits >> 2 & 0x3333u);
  bits = (bits & 0x0F0Fu) + (bits >> 4 & 0x0F0Fu);
  return (bits & 0xFFu) + (bits >> 8);
}

// Facets and edges follow one another round a vertex: each edge that joins two facets leaves one piece less.
void map_find_whole(const map *m, uint32_t kind, map_removed *cell) {
  const map_shape_facts *facts = &m->scratch->facts;
  cell->vertices = 0;
  for (uint32_t v = 0; !cell->folded && v < clv_templates[kind].sub[VERTEX].count; v++) {
    const uint32_t facets = count_bits(facts->around[v] & cell->sewn),
                   joints = count_bits(facts->edges[v] & cell->joints);
    cell->vertices |= (uint32_t)(facets <= joints + 1) << v;
  }
}
