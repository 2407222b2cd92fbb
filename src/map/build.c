// Building; build.h tells the idea.

#include "map/build.h"
#include "map/plan.h"

const uint8_t map_mirrored[MAP_TEMPLATES][8] = {
    [CLV_TRI] = {0, 2, 1},           [CLV_QUAD] = {0, 3, 2, 1},        [CLV_TET] = {0, 2, 1, 3},
    [CLV_PYRAMID] = {0, 3, 2, 1, 4}, [CLV_PRISM] = {0, 2, 1, 3, 5, 4}, [CLV_HEX] = {0, 3, 2, 1, 4, 7, 6, 5},
};

// The table of facets

typedef struct facet {
  uint32_t vertices[4]; // smallest, its smaller and its larger neighbour; the opposite one, or what tells larger facets
                        // apart
  clv_dart dart;        // of the first cell that has it; whether there is a second one, its link tells
} facet;

typedef struct facet_table {
  facet *slots;
  uint32_t size;
  uint32_t per_vertex; // slots that lie near a vertex's place
} facet_table;

enum { NEAR_PROBES = 8 };

typedef struct explicit_element {
  clv_dart first; // of its darts, which have been added in order
  size_t element;
} explicit_element;

typedef struct builder {
  map *m;
  const map_elements *e;
  map_built *built;
  clv_error *error;
  facet_table table;
  uint32_t twisted;
  map_words corners;                   // union-find over the corners of template cells: those joined through facets
  uint32_t corner_base[MAP_TEMPLATES]; // the first corner of each kind
  map_words stars;                     // by vertex: in how many parts its corners fall; where there are pinched ones
  BASE_ARRAY(explicit_element) added;  // polygons and polyhedra so far
} builder;

static bool table_create(builder *b, uint64_t facets) {
  facet_table *t = &b->table;
  const uint64_t vertices = (uint64_t)b->e->vertex_count + 1;
  uint64_t size = facets + facets / 8 + 64;
  if (size < vertices) size = vertices;
  if (size > UINT32_MAX / 2) return false;
  t->size = (uint32_t)size;
  t->per_vertex = (uint32_t)(size / vertices);
  t->slots = base_allocate(&b->m->allocator, size * sizeof *t->slots);
  if (t->slots) memset(t->slots, 0, size * sizeof *t->slots);
  return t->slots != NULL;
}

static inline bool same_facet(const facet *a, const facet *b) {
  return memcmp(a->vertices, b->vertices, sizeof a->vertices) == 0;
}

// Meshes are numbered so that neighbours are near, so a facet is first looked for near its smallest vertex's place in
// the table. Where a vertex has more facets than room there, they are spread over the whole table, so that a hub costs
// no more.
static inline facet *table_find(const facet_table *t, const facet *key) {
  const uint32_t spread =
      (key->vertices[1] * 0x9E3779B1u) ^ (key->vertices[2] * 0x85EBCA77u) ^ (key->vertices[3] * 0xC2B2AE3Du);
  uint32_t at = key->vertices[0] * t->per_vertex + (uint32_t)((uint64_t)spread * t->per_vertex >> 32);
  for (uint32_t probe = 0;; probe++) {
    facet *slot = &t->slots[at];
    if (!slot->dart || same_facet(slot, key)) return slot;
    if (probe == NEAR_PROBES) at = (uint32_t)((uint64_t)map_hash(spread ^ key->vertices[0]) * t->size >> 32);
    at = at + 1 == t->size ? 0 : at + 1;
  }
}

// Facets of template cells

static uint32_t facet_corner(const clv_template *shape, uint32_t f, uint32_t k) {
  const uint32_t corners = shape->dimension == 3 ? 6 : 2;
  return shape->sub[corners].of[shape->facet_first[f] + (shape->dimension == 3 ? 2 * k : k)];
}

typedef struct facet_corners {
  uint8_t corner[6][4];
} facet_corners;

static facet_corners corners_of(const clv_template *shape) {
  facet_corners list = {{{0}}};
  for (uint32_t f = 0; f < shape->facet_count; f++)
    for (uint32_t k = 0; k < shape->facet_size[f] / 2u + (shape->dimension == 2); k++)
      list.corner[f][k] = (uint8_t)facet_corner(shape, f, k);
  return list;
}

// The key of a facet with 2, 3 or 4 corners, and the position of its canonical dart in it. Without branches: no
// processor can guess which corner is the smallest.
static inline uint32_t canonical(const uint32_t *v, uint32_t count, facet *key) {
  if (count == 2) {
    const uint32_t second = v[1] < v[0];
    *key = (facet){.vertices = {v[second], v[1 - second], 0, 0}};
    return second;
  }
  const uint32_t low = v[1] < v[0], high = count == 4 ? 2u + (v[3] < v[2]) : 2u;
  const uint32_t least = v[high] < v[low] ? high : low;
  const uint32_t after = least + 1 == count ? 0 : least + 1, before = least ? least - 1 : count - 1;
  const uint32_t next = v[after], last = v[before], opposite = count == 4 ? v[least ^ 2u] : 0;
  const bool forward = next < last;
  *key = (facet){.vertices = {v[least], forward ? next : last, forward ? last : next, opposite}};
  return forward ? 2 * least : 2 * before + 1;
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

static uint32_t climb(uint32_t *parent, uint32_t corner) {
  while (parent[corner] != corner) corner = parent[corner] = parent[parent[corner]];
  return corner;
}

// Most corners hang on their root itself. Roots are the first of their corners.
static inline uint32_t root_of(uint32_t *parent, uint32_t corner) {
  const uint32_t up = parent[corner];
  return CLV_LIKELY(parent[up] == up) ? up : climb(parent, corner);
}

static inline void join(uint32_t *parent, uint32_t corner, uint32_t other) {
  const uint32_t a = root_of(parent, corner), c = root_of(parent, other);
  parent[a > c ? a : c] = a > c ? c : a; // also where they are one: that is no branch to guess
}

// What gluing the rows of one kind looks at again and again, and the row it is at.
typedef struct gluing {
  builder *b;
  facet_table table;
  uint32_t *parent; // of corners
  const clv_page *pages;
  const clv_template *shape;
  uint32_t *all_links; // of the kind
  uint32_t kind, corner_base;
  const uint32_t *ids;
  uint32_t *links;
  clv_dart cell;
  uint32_t corner; // the first of the row's corners
} gluing;

// `count` is a constant where this is called: the corners of the facet. The corners that face each other across a glued
// facet are one vertex.
static inline clv_result glue(const gluing *g, uint32_t f, const uint8_t *corners, uint32_t count) {
  builder *b = g->b;
  uint32_t v[4] = {0};
  for (uint32_t k = 0; k < count; k++) v[k] = g->ids[corners[k]];
  facet key;
  const uint32_t position = canonical(v, count, &key), size = count == 2 ? 2 : 2 * count;
  const clv_dart first = g->cell | g->shape->facet_first[f], dart = first + position;
  facet *slot = table_find(&g->table, &key);
  const clv_dart facing = slot->dart;
  if (!facing) {
    *slot = key;
    slot->dart = dart;
    return CLV_OK;
  }
  const clv_page page = g->pages[facing >> CLV_PAGE_SHIFT];
  const clv_template *other = g->shape;
  uint32_t *links = g->all_links, corner = g->corner_base;
  if (page.kind != g->kind) {
    other = &clv_templates[page.kind];
    links = b->m->rows[page.kind].data.data;
    corner = b->corner_base[page.kind];
  }
  const uint32_t q = other->position[facing & 63u], there = map_row(page, facing);
  uint32_t *back = &links[there * other->facet_count + other->facet[facing & 63u]];
  if (*back) return crowded(b, facing, *back, dart);
  if (facing >> 6 == dart >> 6) return self_glued(b, dart);
  if (count > 2 && !((facing ^ dart) & 1u)) return folded(b, facing, dart);
  const clv_dart link = link_of(facing - q, position, q, size);
  g->links[f] = link;
  *back = link_of(first, q, position, size);
  if (count == 2) b->twisted += ((position ^ q) & 1u) == 0;
  const uint8_t *turned = other->turn[link & 63u], *of = other->sub[count == 2 ? 2 : 6].of;
  corner += there * other->corner_count;
  join(g->parent, g->corner + corners[0], corner + of[turned[0]]);
  join(g->parent, g->corner + corners[1], corner + of[turned[count == 2 ? 1 : 2]]);
  if (count > 2) join(g->parent, g->corner + corners[2], corner + of[turned[4]]);
  if (count > 3) join(g->parent, g->corner + corners[3], corner + of[turned[6]]);
  return CLV_OK;
}

static clv_result glue_kind(builder *b, uint32_t kind) {
  map *m = b->m;
  const clv_template *shape = &clv_templates[kind];
  const facet_corners list = corners_of(shape);
  const uint32_t *ids = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)]->ids[kind].data;
  const uint32_t count = m->rows[kind].count, facet_count = shape->facet_count, corner_count = shape->corner_count;
  gluing g = {.b = b,
              .table = b->table,
              .parent = b->corners.data,
              .pages = m->pages.data,
              .shape = shape,
              .all_links = m->rows[kind].data.data,
              .kind = kind,
              .corner_base = b->corner_base[kind]};
  for (uint32_t row = 0; row < count; row++) {
    g.ids = ids + row * corner_count;
    g.links = g.all_links + row * facet_count;
    g.cell = map_cell_dart(m, kind, row);
    g.corner = g.corner_base + row * corner_count;
    for (uint32_t f = 0; f < facet_count; f++) {
      const uint32_t size = shape->facet_size[f];
      const clv_result result = size == 8   ? glue(&g, f, list.corner[f], 4)
                                : size == 6 ? glue(&g, f, list.corner[f], 3)
                                            : glue(&g, f, list.corner[f], 2);
      if (result != CLV_OK) return result;
    }
  }
  return CLV_OK;
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

// Glues the facet that starts at a dart and has these points; in 3D the darts go round by a0, a1, in 2D they are the
// ends of an edge.
static clv_result glue_explicit(builder *b, clv_dart first, const uint32_t *points, uint32_t count, size_t element) {
  const clv_map *view = &b->m->view;
  uint32_t least = 0, mixed = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t v = b->e->vertices[points[k]];
    mixed += map_hash(v);
    if (v < b->e->vertices[points[least]]) least = k;
  }
  uint32_t v[4];
  for (uint32_t k = 0; k < 4; k++) v[k] = b->e->vertices[points[(least + k) % count]];
  facet key;
  uint32_t position;
  if (count <= 4) {
    position = canonical(v, count, &key);
  } else {
    const uint32_t last = b->e->vertices[points[(least + count - 1) % count]];
    const bool forward = v[1] < last;
    key = (facet){.vertices = {v[0], forward ? v[1] : last, forward ? last : v[1], mixed | 0x80000000u}};
    position = forward ? 0 : 2 * count - 1;
  }
  const uint32_t size = view->dimension == 2 ? 2 : 2 * count;
  const uint32_t start = view->dimension == 2 ? least : 2 * least;
  const clv_dart dart = clv_alpha_facing(view, first, (start + position) % size);
  facet *slot = table_find(&b->table, &key);
  if (!slot->dart) {
    *slot = key;
    slot->dart = dart;
    return CLV_OK;
  }
  const clv_dart partner = clv_alpha(view, slot->dart, view->dimension);
  if (partner != slot->dart) return crowded(b, slot->dart, partner, dart);
  if (element_of(b, slot->dart) == element) return self_glued(b, dart);
  const clv_result result = clv_map_sew(&b->m->view, view->dimension, slot->dart, dart);
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

static uint64_t count_facets(const builder *b, bool *has_explicit) {
  const map_elements *e = b->e;
  const uint32_t n = b->m->view.dimension;
  uint64_t facets = 0;
  *has_explicit = false;
  for (size_t k = 0; k < e->count; k++) {
    const bool polygon = n == 2 && e->kinds[k] == CLV_POLYGON, polyhedron = n == 3 && e->kinds[k] == CLV_POLYHEDRON;
    *has_explicit |= polygon || polyhedron;
    if (polygon) facets += e->offsets[k + 1] - e->offsets[k];
    if (polyhedron) facets += e->corners[e->offsets[k]];
    if (map_is_template(e->kinds[k]) && clv_templates[e->kinds[k]].dimension == n)
      facets += clv_templates[e->kinds[k]].facet_count;
  }
  return facets;
}

static clv_result build(builder *b) {
  map *m = b->m;
  bool has_explicit;
  const uint64_t facets = count_facets(b, &has_explicit);
  clv_result result = table_create(b, facets) ? add_templates(b) : no_memory(b);
  if (result == CLV_OK && !begin_stars(b)) result = no_memory(b);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; result == CLV_OK && kind < MAP_TEMPLATES; kind++)
    result = glue_kind(b, kind);
  if (result == CLV_OK) result = settle_vertices(b);
  if (result == CLV_OK && b->twisted) {
    if (!map_recolour_reserve(m)) return no_memory(b);
    map_recolour(m);
    BASE_RELEASE(&m->allocator, &m->scratch->sides);
  }
  if (result == CLV_OK) result = b->built->ready(b->built->user);
  if (result == CLV_OK && has_explicit) result = add_explicit(b);
  return result;
}

clv_result map_build(map *m, const map_elements *elements, map_built *built, clv_error *error) {
  builder b = {.m = m, .e = elements, .built = built, .error = error};
  const clv_result result = build(&b);
  base_free(&m->allocator, b.table.slots, b.table.size * sizeof *b.table.slots);
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
