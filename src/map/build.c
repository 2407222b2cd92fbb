// Building; build.h tells the idea.

#include "map/build.h"
#include "map/facets.h"
#include "map/plan.h"

const uint8_t map_mirrored[MAP_TEMPLATES][8] = {
    [CLV_TRI] = {0, 2, 1},           [CLV_QUAD] = {0, 3, 2, 1},        [CLV_TET] = {0, 2, 1, 3},
    [CLV_PYRAMID] = {0, 3, 2, 1, 4}, [CLV_PRISM] = {0, 2, 1, 3, 5, 4}, [CLV_HEX] = {0, 3, 2, 1, 4, 7, 6, 5},
};

// A facet of a polygon or polyhedron. Those are few: they have a table of their own, which knows the vertices.
typedef struct explicit_facet {
  uint32_t vertices[4]; // four from its canonical dart on; what tells larger facets apart
  clv_dart dart;        // the canonical one; whether a second cell has it, its link tells
} explicit_facet;

typedef struct explicit_element {
  clv_dart first; // of its darts, which have been added in order
  size_t element;
} explicit_element;

typedef struct builder {
  map *m;
  const map_elements *e;
  map_built *built;
  clv_error *error;
  map_facets facets;
  map_facet_corners corners_of[MAP_TEMPLATES];
  explicit_facet *explicit_facets;
  uint32_t explicit_size;
  uint32_t twisted;
  map_words corners;                   // union-find over the corners of template cells: those joined through facets
  uint32_t corner_base[MAP_TEMPLATES]; // the first corner of each kind
  map_words stars;                     // by vertex: in how many parts its corners fall; where there are pinched ones
  BASE_ARRAY(explicit_element) added;  // polygons and polyhedra so far
} builder;

// Room for all facets, as if no two met.
static bool create_tables(builder *b, uint64_t facets, uint64_t explicit_facets) {
  map_facets *t = &b->facets;
  const uint64_t vertices = (uint64_t)b->e->vertex_count + 1, explicit_size = 2 * explicit_facets;
  const uint64_t apart = (facets + facets / 8 + 64) / vertices + 1, size = (vertices + 1) * apart;
  if (size > UINT32_MAX / 2 || explicit_size > UINT32_MAX / 2) return false;
  t->size = (uint32_t)size;
  t->near = (uint32_t)(2 * apart);
  t->slots = base_allocate(&b->m->allocator, size * sizeof *t->slots);
  if (!t->slots) return false;
  memset(t->slots, 0, size * sizeof *t->slots);
  if (!explicit_size) return true;
  b->explicit_facets = base_allocate(&b->m->allocator, explicit_size * sizeof *b->explicit_facets);
  if (!b->explicit_facets) return false;
  memset(b->explicit_facets, 0, explicit_size * sizeof *b->explicit_facets);
  b->explicit_size = (uint32_t)explicit_size;
  return true;
}

// Facets of template cells

static void list_corners(builder *b, uint32_t kind) {
  const clv_template *shape = &clv_templates[kind];
  const uint32_t inner = shape->dimension == 3 ? 6 : 2, step = shape->dimension == 3 ? 2 : 1;
  for (uint32_t dart = 0; dart < shape->dart_count; dart++)
    for (uint32_t k = 0; k < 4; k++)
      b->corners_of[kind].of[dart][k] = shape->sub[inner].of[shape->turn[dart][k * step]];
}

// The element that became a row of a kind.
static size_t element_of(const builder *b, clv_dart dart) {
  const clv_page page = map_page(b->m, dart);
  uint32_t last = b->added.count;
  if (!map_is_template(page.kind)) {
    while (last && b->added.data[last - 1].first > dart) last--;
    return last ? b->added.data[last - 1].element : SIZE_MAX;
  }
  uint32_t row = map_row(page, dart);
  for (size_t k = 0; k < b->e->count; k++)
    if (b->e->kinds[k] == page.kind && row-- == 0) return k;
  return SIZE_MAX;
}

static clv_result crowded(const builder *b, clv_dart first, clv_dart second, clv_dart third) {
  size_t e[3] = {element_of(b, first), element_of(b, second), element_of(b, third)};
  for (uint32_t k = 0; k < 3; k++) { // three exchanges put them in order
    const uint32_t at = k & 1u;
    const size_t low = e[at] < e[at + 1] ? e[at] : e[at + 1];
    e[at + 1] = e[at] + e[at + 1] - low;
    e[at] = low;
  }
  return clv_error_set(b->error, CLV_ERROR_INPUT,
                       "elements %zu, %zu and %zu (counted from 0) share one %s: at most two cells can meet there; "
                       "remove or split one of them",
                       e[0], e[1], e[2], b->m->view.dimension == 2 ? "edge" : "face");
}

static clv_result self_glued(const builder *b, clv_dart dart) {
  return clv_error_set(b->error, CLV_ERROR_INPUT,
                       "element %zu (counted from 0) is glued to itself: two of its %s are the same",
                       element_of(b, dart), b->m->view.dimension == 2 ? "edges" : "faces");
}

// Volumes are turned so that all are positive: two that list a face in the same sense lie on the same side of it.
static clv_result folded(const builder *b, clv_dart first, clv_dart second) {
  const size_t here = element_of(b, first), there = element_of(b, second);
  return clv_error_set(
      b->error, CLV_ERROR_INPUT,
      "elements %zu and %zu (counted from 0) lie on the same side of their common face: one is a duplicate, "
      "or folded over the other",
      here < there ? here : there, here < there ? there : here);
}

// The link of a facet whose dart at position p faces the dart at position q of another: see clv_alpha for the two
// directions.
static clv_dart link_of(clv_dart there_first, uint32_t p, uint32_t q, uint32_t size) {
  const uint32_t at = (p ^ q) & 1u ? q + p : q + size - p;
  return there_first + (at >= size ? at - size : at);
}

// Union-find over corners: a root is the first of its corners, as no corner has a parent behind it.

static uint32_t root_of(uint32_t *parent, uint32_t corner) {
  while (parent[corner] != corner) corner = parent[corner] = parent[parent[corner]];
  return corner;
}

static void unite(uint32_t *parent, uint32_t corner, uint32_t other) {
  const uint32_t a = root_of(parent, corner), c = root_of(parent, other);
  parent[a > c ? a : c] = a > c ? c : a;
}

// Most corners are alone so far, or have the other's parent already.
static inline void join(uint32_t *parent, uint32_t corner, uint32_t earlier) {
  const uint32_t own = parent[corner], up = parent[earlier], now = own == corner ? up : own;
  parent[corner] = now;
  if (!CLV_LIKELY(now == up)) unite(parent, corner, earlier);
}

// What gluing the rows of one kind looks at again and again. The counts are constants where rows are glued: loops over
// them are none.
typedef struct gluing {
  builder *b;
  map_facets table;
  uint32_t *parent; // of corners
  const clv_page *pages;
  const clv_template *shape;
  const uint8_t (*corners)[4]; // from each dart on
  const uint32_t *ids;
  uint32_t *links;
  uint32_t kind, corner_base;
} gluing;

typedef struct cell_counts {
  uint32_t corners, facets;
  uint32_t facet_corners; // 0: as the shape says
} cell_counts;

// A facet of a row, and where it is looked for.
typedef struct sought {
  uint32_t at, mark;
  uint32_t dart; // the canonical one, in its cell
} sought;

// Facets of so many rows are looked for at a time, so that memory can answer all of them together.
enum { ROWS_AT_A_TIME = 16 };

CLV_INLINE sought seek(const gluing *g, const uint32_t *ids, uint32_t f, uint32_t count) {
  const uint32_t first = g->shape->facet_first[f];
  const uint8_t *corners = g->corners[first];
  uint32_t v[4], least;
  for (uint32_t k = 0; k < count; k++) v[k] = ids[corners[k]];
  const uint32_t dart = first + map_facet_canonical(v, count, &least), mark = map_facet_mark(v, count);
  const uint32_t at = map_facet_home(&g->table, least, mark);
  CLV_PREFETCH(&g->table.slots[at]);
  return (sought){at, mark, dart};
}

// A facet that a cell has which was there before.
typedef struct met {
  clv_dart dart; // the canonical one
  uint32_t position;
  uint32_t *link;
  const uint8_t *corners; // where the facet's are in the cell
  const uint32_t *ids;    // of the cell
  uint32_t corner;        // the first of the cell's
} met;

CLV_INLINE met meet(const gluing *g, const cell_counts n, clv_dart facing) {
  const clv_page page = g->pages[facing >> CLV_PAGE_SHIFT];
  const uint32_t row = map_row(page, facing), dart = facing & 63u;
  const clv_template *shape = g->shape;
  uint32_t corner = row * n.corners, base = g->corner_base, *links = g->links + row * n.facets;
  const uint32_t *ids = g->ids;
  const uint8_t(*corners)[4] = g->corners;
  if (!CLV_LIKELY(page.kind == g->kind)) {
    const builder *b = g->b;
    const map *m = b->m;
    shape = &clv_templates[page.kind];
    corner = row * shape->corner_count;
    base = b->corner_base[page.kind];
    links = m->rows[page.kind].data.data + row * shape->facet_count;
    ids = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)]->ids[page.kind].data;
    corners = (const uint8_t(*)[4])b->corners_of[page.kind].of;
  }
  return (met){.dart = facing,
               .position = shape->position[dart],
               .link = links + shape->facet[dart],
               .corners = corners[dart],
               .ids = ids + corner,
               .corner = base + corner};
}

CLV_INLINE bool same_corners(const uint32_t *ids, const uint8_t *corners, const met *there) {
  uint32_t different = 0;
  for (uint32_t k = 0; k < 4; k++) different |= ids[corners[k]] ^ there->ids[there->corners[k]];
  return !different;
}

// The corners that face each other across a glued facet are one vertex.
CLV_INLINE clv_result glue_met(const gluing *g, clv_dart dart, uint32_t corner, uint32_t *link, uint32_t count,
                               const met *there) {
  builder *b = g->b;
  const uint32_t size = count == 2 ? 2 : 2 * count, p = g->shape->position[dart & 63u], q = there->position;
  if (*there->link) return crowded(b, there->dart, *there->link, dart);
  if (there->dart >> 6 == dart >> 6) return self_glued(b, dart);
  if (count > 2 && !((there->dart ^ dart) & 1u)) return folded(b, there->dart, dart);
  *link = link_of(there->dart - q, p, q, size);
  *there->link = link_of(dart - p, q, p, size);
  if (count == 2) b->twisted += ((p ^ q) & 1u) == 0;
  const uint8_t *corners = g->corners[dart & 63u];
  for (uint32_t k = 0; k < count; k++) join(g->parent, corner + corners[k], there->corner + there->corners[k]);
  return CLV_OK;
}

CLV_INLINE clv_result glue(const gluing *g, const cell_counts n, uint32_t row, clv_dart cell, uint32_t f,
                           uint32_t count, const sought *facet) {
  const clv_dart dart = cell | facet->dart;
  const uint32_t corner = row * n.corners;
  for (uint32_t at = facet->at, probes = 0;; at = map_facet_next(&g->table, at, facet->mark, probes++)) {
    map_facet *slot = &g->table.slots[at];
    const clv_dart facing = slot->dart;
    if (!facing) {
      *slot = (map_facet){facet->mark, dart};
      return CLV_OK;
    }
    if (slot->mark != facet->mark) continue;
    const met there = meet(g, n, facing);
    if (same_corners(g->ids + corner, g->corners[facet->dart], &there))
      return glue_met(g, dart, g->corner_base + corner, &g->links[row * n.facets + f], count, &there);
  }
}

CLV_INLINE clv_result glue_facet(const gluing *g, const cell_counts n, uint32_t row, clv_dart cell, uint32_t f,
                                 const sought *facet) {
  if (n.facet_corners) return glue(g, n, row, cell, f, n.facet_corners, facet);
  return g->shape->facet_size[f] == 8 ? glue(g, n, row, cell, f, 4, facet) : glue(g, n, row, cell, f, 3, facet);
}

CLV_INLINE sought seek_facet(const gluing *g, const cell_counts n, uint32_t row, uint32_t f) {
  const uint32_t *ids = g->ids + row * n.corners;
  if (n.facet_corners) return seek(g, ids, f, n.facet_corners);
  return g->shape->facet_size[f] == 8 ? seek(g, ids, f, 4) : seek(g, ids, f, 3);
}

CLV_INLINE clv_result glue_rows(const gluing *g, const cell_counts n) {
  const uint32_t count = g->b->m->rows[g->kind].count;
  sought list[ROWS_AT_A_TIME][6];
  for (uint32_t first = 0; first < count; first += ROWS_AT_A_TIME) {
    const uint32_t rows = count - first < ROWS_AT_A_TIME ? count - first : ROWS_AT_A_TIME;
    for (uint32_t k = 0; k < rows; k++)
      for (uint32_t f = 0; f < n.facets; f++) list[k][f] = seek_facet(g, n, first + k, f);
    for (uint32_t k = 0; k < rows; k++) {
      const clv_dart cell = map_cell_dart(g->b->m, g->kind, first + k);
      for (uint32_t f = 0; f < n.facets; f++) {
        const clv_result result = glue_facet(g, n, first + k, cell, f, &list[k][f]);
        if (result != CLV_OK) return result;
      }
    }
  }
  return CLV_OK;
}

static clv_result glue_kind(builder *b, uint32_t kind) {
  const map *m = b->m;
  const gluing g = {.b = b,
                    .table = b->facets,
                    .parent = b->corners.data,
                    .pages = m->pages.data,
                    .shape = &clv_templates[kind],
                    .corners = (const uint8_t(*)[4])b->corners_of[kind].of,
                    .ids = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)]->ids[kind].data,
                    .links = m->rows[kind].data.data,
                    .kind = kind,
                    .corner_base = b->corner_base[kind]};
  switch (kind) {
  case CLV_TRI:
    return glue_rows(&g, (cell_counts){3, 3, 2});
  case CLV_QUAD:
    return glue_rows(&g, (cell_counts){4, 4, 2});
  case CLV_TET:
    return glue_rows(&g, (cell_counts){4, 4, 3});
  case CLV_HEX:
    return glue_rows(&g, (cell_counts){8, 6, 4});
  default:
    return glue_rows(&g, (cell_counts){g.shape->corner_count, g.shape->facet_count, 0});
  }
}

static clv_result no_memory(const builder *b) {
  return clv_error_set(b->error, CLV_ERROR_MEMORY, "out of memory: no map was built");
}

// Rows for all template elements, their corners' vertices in them.
static clv_result add_templates(builder *b) {
  map *m = b->m;
  const map_elements *e = b->e;
  uint64_t counts[MAP_TEMPLATES] = {0};
  for (size_t k = 0; k < e->count; k++)
    if (map_is_template(e->kinds[k])) counts[e->kinds[k]]++;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++)
    if (clv_templates[kind].dimension == m->view.dimension && counts[kind] && !map_rows_reserve(m, kind, counts[kind]))
      return counts[kind] >> 26 ? clv_error_set(b->error, CLV_ERROR_INPUT, "%llu cells are more than one map can hold",
                                                (unsigned long long)counts[kind])
                                : no_memory(b);
  map_index *index = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)];
  uint32_t rows[MAP_TEMPLATES] = {0};
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++)
    if (clv_templates[kind].dimension == m->view.dimension) map_rows_append(m, kind, (uint32_t)counts[kind]);
  for (size_t k = 0; k < e->count; k++) {
    const uint32_t kind = e->kinds[k];
    if (!map_is_template(kind) || clv_templates[kind].dimension != m->view.dimension) continue;
    const uint32_t count = clv_templates[kind].corner_count, row = rows[kind]++;
    const uint32_t *points = e->corners + e->offsets[k];
    uint32_t *ids = &index->ids[kind].data[row * count];
    const bool turned = e->turned && e->turned[k];
    if (turned)
      for (uint32_t c = 0; c < count; c++) ids[c] = e->vertices[points[map_mirrored[kind][c]]];
    else
      for (uint32_t c = 0; c < count; c++) ids[c] = e->vertices[points[c]];
  }
  return CLV_OK;
}

// Vertices. Cells that share a vertex but cannot be reached from each other through facets around it have vertices of
// their own.

// Every corner on its own at first.
static bool begin_stars(builder *b) {
  map *m = b->m;
  uint64_t corners = 0;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++) {
    b->corner_base[kind] = (uint32_t)corners;
    corners += (uint64_t)m->rows[kind].count * clv_templates[kind].corner_count;
  }
  if (!BASE_RESERVE(&m->allocator, &b->corners, corners)) return false;
  const uint32_t count = b->corners.count = (uint32_t)corners;
  uint32_t *parent = b->corners.data;
  for (uint32_t k = 0; k < count; k++) parent[k] = k;
  return true;
}

// A vertex is found at its first corner, which is a root. Where a vertex's corners fall into several parts, there are
// more roots than vertices.
static bool number_vertices(builder *b, bool *pinched) {
  map *m = b->m;
  map_index *index = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)];
  const uint32_t vertices = b->e->template_vertices, *parent = b->corners.data;
  if (!map_index_reserve(m, index, (uint64_t)vertices + vertices / 32 + MAP_FIRST_CUTS)) return false;
  for (uint32_t v = 0; v < vertices; v++) index->dart.data[map_index_take(index)] = CLV_NO_DART;
  uint32_t roots = 0;
  for (uint32_t kind = CLV_TEMPLATE_FIRST, at = 0; kind < MAP_TEMPLATES; kind++) {
    const uint32_t width = clv_templates[kind].corner_count, count = m->rows[kind].count * width;
    const uint8_t *first = clv_templates[kind].sub[index->inner].first;
    for (uint32_t k = 0; k < count; k++, at++) {
      if (parent[at] != at) continue;
      clv_dart *dart = &index->dart.data[index->ids[kind].data[k]];
      if (!*dart) *dart = map_cell_dart(m, kind, k / width) | first[k % width];
      roots++;
    }
  }
  *pinched = roots > vertices;
  return true;
}

static bool count_stars(builder *b, const map_index *index) {
  map *m = b->m;
  if (!BASE_RESERVE(&m->allocator, &b->stars, (uint64_t)b->e->template_vertices + 1)) return false;
  memset(b->stars.data, 0, ((size_t)b->e->template_vertices + 1) * sizeof(uint32_t));
  for (uint32_t kind = CLV_TEMPLATE_FIRST, at = 0; kind < MAP_TEMPLATES; kind++) {
    const uint32_t count = m->rows[kind].count * clv_templates[kind].corner_count;
    for (uint32_t k = 0; k < count; k++, at++) b->stars.data[index->ids[kind].data[k]] += b->corners.data[at] == at;
  }
  return true;
}

static bool part_vertex(builder *b, map_index *index, const clv_walk *star, uint32_t old) {
  map *m = b->m;
  map_words *parted = &b->built->parted;
  if (!map_index_reserve(m, index, 1) || !BASE_RESERVE(&m->allocator, parted, (uint64_t)parted->count + 1))
    return false;
  const uint32_t id = map_index_take(index);
  parted->data[parted->count++] = old;
  index->dart.data[id] = star->darts[0];
  for (uint32_t k = 0; k < star->count; k++) map_index_set(m, index, star->darts[k], id);
  return true;
}

// Gives every star of a pinched vertex but the one its dart lies in an id of its own.
static bool part_pinched(builder *b, map_index *index) {
  map *m = b->m;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++) {
    const clv_suborbits *sub = &clv_templates[kind].sub[index->inner];
    for (uint32_t row = 0; row < m->rows[kind].count; row++)
      for (uint32_t c = 0; c < sub->count; c++) {
        const uint32_t id = index->ids[kind].data[row * sub->count + c];
        if (id > b->e->template_vertices || b->stars.data[id] == 1) continue;
        clv_walk star;
        if (clv_walk_star(&star, &m->view, CLV_VERTEX, map_cell_dart(m, kind, row) | sub->first[c]) != CLV_OK)
          return false;
        bool keeps = false;
        for (uint32_t k = 0; k < star.count; k++)
          keeps |=
              map_place_plain(m, index->inner, star.darts[k]) == map_place_plain(m, index->inner, index->dart.data[id]);
        const bool done = keeps || part_vertex(b, index, &star, id);
        clv_walk_end(&star);
        if (!done) return false;
      }
  }
  return true;
}

static clv_result settle_vertices(builder *b) {
  map_index *index = b->m->indices[clv_orbit_dims(&b->m->view, CLV_VERTEX)];
  bool pinched, done = number_vertices(b, &pinched);
  if (done && pinched) done = count_stars(b, index) && part_pinched(b, index);
  return done ? CLV_OK : no_memory(b);
}

// Polygons and polyhedra, in a transaction

static clv_result from_map(const builder *b, clv_result result, size_t element) {
  return clv_error_set(b->error, result == CLV_ERROR_MEMORY ? result : CLV_ERROR_INPUT,
                       "element %zu (counted from 0): %s", element, clv_map_error(&b->m->view));
}

// Whether a template cell has these vertices from a dart on; those that were parted count as what they were.
static bool has_vertices(const builder *b, clv_dart dart, const uint32_t *vertices) {
  const map *m = b->m;
  const clv_page page = map_page(m, dart);
  const uint32_t *ids = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)]->ids[page.kind].data +
                        map_row(page, dart) * clv_templates[page.kind].corner_count;
  const uint32_t last = b->e->template_vertices, *parted = b->built->parted.data;
  uint32_t different = 0;
  for (uint32_t k = 0; k < 4; k++) {
    const uint32_t id = ids[b->corners_of[page.kind].of[dart & 63u][k]];
    different |= (id > last ? parted[id - last - 1] : id) ^ vertices[k];
  }
  return !different;
}

// The canonical dart of a template cell's facet with these vertices.
static clv_dart find_template_facet(const builder *b, const uint32_t *vertices, uint32_t count) {
  const uint32_t mark = map_facet_mark(vertices, count);
  uint32_t at = map_facet_home(&b->facets, vertices[0], mark);
  for (uint32_t probes = 0;; at = map_facet_next(&b->facets, at, mark, probes++)) {
    const map_facet *slot = &b->facets.slots[at];
    if (!slot->dart || (slot->mark == mark && has_vertices(b, slot->dart, vertices))) return slot->dart;
  }
}

// Likewise of a polygon or polyhedron's; without one, the dart is the first to be there.
static clv_dart find_explicit_facet(builder *b, const uint32_t *vertices, clv_dart dart) {
  uint32_t at = (uint32_t)((uint64_t)map_facet_mark(vertices, 4) * b->explicit_size >> 32);
  for (;; at = at + 1 == b->explicit_size ? 0 : at + 1) {
    explicit_facet *slot = &b->explicit_facets[at];
    if (slot->dart && memcmp(slot->vertices, vertices, sizeof slot->vertices) != 0) continue;
    if (slot->dart) return slot->dart;
    memcpy(slot->vertices, vertices, sizeof slot->vertices);
    slot->dart = dart;
    return CLV_NO_DART;
  }
}

// Four vertices of a facet from its canonical dart on, or what tells it apart when it has more; how many darts that one
// lies behind the first.
static uint32_t name_facet(const builder *b, const uint32_t *points, uint32_t count, uint32_t *vertices) {
  uint32_t least = 0, mixed = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t v = b->e->vertices[points[k]];
    mixed += map_hash(v);
    if (v < b->e->vertices[points[least]]) least = k;
  }
  const uint32_t next = b->e->vertices[points[(least + 1) % count]];
  const uint32_t last = b->e->vertices[points[(least + count - 1) % count]];
  const bool forward = next < last || count == 2;
  for (uint32_t k = 0; k < 4; k++)
    vertices[k] = b->e->vertices[points[(least + (forward ? k : 4 * count - k)) % count]];
  if (count > 4) vertices[2] = forward ? last : next, vertices[3] = mixed | 0x80000000u;
  if (count == 2) return least;
  return forward ? 2 * least : 2 * ((least + count - 1) % count) + 1;
}

// Glues the facet that starts at a dart and has these points; in 3D the darts go round by a0, a1, in 2D they are the
// ends of an edge.
static clv_result glue_explicit(builder *b, clv_dart first, const uint32_t *points, uint32_t count, size_t element) {
  const clv_map *view = &b->m->view;
  uint32_t vertices[4];
  const clv_dart dart = clv_alpha_facing(view, first, name_facet(b, points, count, vertices));
  clv_dart facing = count <= 4 ? find_template_facet(b, vertices, count) : CLV_NO_DART;
  if (!facing) facing = find_explicit_facet(b, vertices, dart);
  if (!facing) return CLV_OK;
  const clv_dart partner = clv_alpha(view, facing, view->dimension);
  if (partner != facing) return crowded(b, facing, partner, dart);
  if (element_of(b, facing) == element) return self_glued(b, dart);
  const clv_result result = clv_map_sew(&b->m->view, view->dimension, facing, dart);
  return result == CLV_OK ? CLV_OK : from_map(b, result, element);
}

static clv_result name_corners(builder *b, clv_dart first, const uint32_t *points, uint32_t count, size_t element) {
  clv_result result = CLV_OK;
  clv_dart dart = first;
  for (uint32_t k = 0; result == CLV_OK && k < count; k++) {
    result = b->built->corner(b->built->user, dart, points[k]);
    dart = clv_alpha_facing(&b->m->view, dart, 2);
  }
  return result == CLV_OK ? CLV_OK : from_map(b, result, element);
}

static clv_result note_added(builder *b, clv_dart first, size_t element) {
  if (!BASE_RESERVE(&b->m->allocator, &b->added, (uint64_t)b->added.count + 1)) return no_memory(b);
  b->added.data[b->added.count++] = (explicit_element){first, element};
  return CLV_OK;
}

static clv_result add_polygon(builder *b, const uint32_t *points, uint32_t count, size_t element, clv_dart *dart) {
  clv_result result = clv_map_add_polygon(&b->m->view, count, dart);
  if (result != CLV_OK) return from_map(b, result, element);
  result = note_added(b, *dart, element);
  if (result != CLV_OK) return result;
  result = name_corners(b, *dart, points, count, element);
  clv_dart at = *dart;
  for (uint32_t k = 0; result == CLV_OK && k < count; k++) {
    const uint32_t ends[2] = {points[k], points[(k + 1) % count]};
    result = glue_explicit(b, at, ends, 2, element);
    at = clv_alpha_facing(&b->m->view, at, 2);
  }
  return result;
}

// The faces of a polyhedron are found again by their first darts: clv_map_add_polyhedron makes them in order, so each
// starts where the names of the one before end.
static clv_result add_polyhedron(builder *b, const uint32_t *stream, size_t element, clv_dart *dart) {
  map *m = b->m;
  const uint32_t faces = stream[0];
  uint64_t total = 0;
  map_words sizes = {0}, corners = {0};
  const uint32_t *at = stream + 1;
  for (uint32_t f = 0; f < faces; f++, at += *at + 1) total += *at;
  clv_result result = CLV_OK;
  if (!total)
    result =
        clv_error_set(b->error, CLV_ERROR_INPUT, "element %zu (counted from 0) is a polyhedron without faces", element);
  else if (!BASE_RESERVE(&m->allocator, &sizes, faces) || !BASE_RESERVE(&m->allocator, &corners, total))
    result = no_memory(b);
  at = stream + 1;
  for (uint32_t f = 0; result == CLV_OK && sizes.data && corners.data && f < faces; f++, at += *at + 1) {
    sizes.data[sizes.count++] = *at;
    for (uint32_t k = 0; k < *at; k++) corners.data[corners.count++] = b->e->vertices[at[1 + k]];
  }
  const uint32_t mark = m->log.count;
  if (result == CLV_OK) {
    result = clv_map_add_polyhedron(&m->view, faces, sizes.data, corners.data, dart);
    result = result == CLV_OK ? note_added(b, *dart, element) : from_map(b, result, element);
  }
  uint32_t write = mark; // the log lists the new darts in order
  at = stream + 1;
  for (uint32_t f = 0; result == CLV_OK && f < faces; f++, at += *at + 1) {
    clv_dart first = CLV_NO_DART;
    for (uint32_t seen = 0; seen < 2 * *at; write++) {
      if (m->log.data[write].op != MAP_DART_ADD) continue;
      if (seen++ == 0) first = m->log.data[write].dart;
    }
    result = name_corners(b, first, at + 1, *at, element);
    if (result == CLV_OK) result = glue_explicit(b, first, at + 1, *at, element);
  }
  BASE_RELEASE(&m->allocator, &sizes);
  BASE_RELEASE(&m->allocator, &corners);
  return result;
}

static clv_result add_explicit(builder *b) {
  map *m = b->m;
  const map_elements *e = b->e;
  clv_result result = clv_map_begin(&m->view);
  for (size_t k = 0; result == CLV_OK && k < e->count; k++) {
    const uint32_t *points = e->corners + e->offsets[k];
    clv_dart dart = CLV_NO_DART;
    if (e->kinds[k] == CLV_POLYGON && m->view.dimension == 2)
      result = add_polygon(b, points, (uint32_t)(e->offsets[k + 1] - e->offsets[k]), k, &dart);
    else if (e->kinds[k] == CLV_POLYHEDRON && m->view.dimension == 3)
      result = add_polyhedron(b, points, k, &dart);
    if (result != CLV_OK || !dart) continue;
    result = b->built->cell(b->built->user, dart, k);
    if (result != CLV_OK) result = from_map(b, result, k);
  }
  if (result != CLV_OK) return result;
  result = clv_map_commit(&m->view);
  return result == CLV_OK ? CLV_OK : clv_error_set(b->error, result, "%s", clv_map_error(&m->view));
}

typedef struct facet_counts {
  uint64_t of_templates, of_others;
  bool has_others; // that may have no facets
} facet_counts;

static facet_counts count_facets(const builder *b) {
  const map_elements *e = b->e;
  const uint32_t n = b->m->view.dimension;
  facet_counts counts = {0};
  for (size_t k = 0; k < e->count; k++) {
    const uint32_t kind = e->kinds[k];
    const bool polygon = n == 2 && kind == CLV_POLYGON, polyhedron = n == 3 && kind == CLV_POLYHEDRON;
    counts.has_others |= polygon || polyhedron;
    if (polygon) counts.of_others += e->offsets[k + 1] - e->offsets[k];
    if (polyhedron) counts.of_others += e->corners[e->offsets[k]];
    if (map_is_template(kind) && clv_templates[kind].dimension == n)
      counts.of_templates += clv_templates[kind].facet_count;
  }
  return counts;
}

static clv_result glue_templates(builder *b) {
  if (!begin_stars(b)) return no_memory(b);
  clv_result result = CLV_OK;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++) list_corners(b, kind);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; result == CLV_OK && kind < MAP_TEMPLATES; kind++)
    result = glue_kind(b, kind);
  return result == CLV_OK ? settle_vertices(b) : result;
}

static clv_result build(builder *b) {
  map *m = b->m;
  const facet_counts facets = count_facets(b);
  clv_result result = create_tables(b, facets.of_templates, facets.of_others) ? add_templates(b) : no_memory(b);
  if (result == CLV_OK) result = glue_templates(b);
  if (result == CLV_OK && b->twisted) {
    if (!map_recolour_reserve(m)) return no_memory(b);
    map_recolour(m);
    BASE_RELEASE(&m->allocator, &m->scratch->sides);
  }
  if (result == CLV_OK) result = b->built->ready(b->built->user);
  if (result == CLV_OK && facets.has_others) result = add_explicit(b);
  return result;
}

clv_result map_build(map *m, const map_elements *elements, map_built *built, clv_error *error) {
  builder b = {.m = m, .e = elements, .built = built, .error = error};
  const clv_result result = build(&b);
  base_free(&m->allocator, b.facets.slots, b.facets.size * sizeof *b.facets.slots);
  base_free(&m->allocator, b.explicit_facets, b.explicit_size * sizeof *b.explicit_facets);
  BASE_RELEASE(&m->allocator, &b.corners);
  BASE_RELEASE(&m->allocator, &b.stars);
  BASE_RELEASE(&m->allocator, &b.added);
  map_shrink(m);
  map_publish(m);
  return result;
}

void map_built_free(map *m, map_built *built) {
  BASE_RELEASE(&m->allocator, &built->parted);
}
