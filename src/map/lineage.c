// Keeping the lineage of what refining makes; lineage.h tells the idea.

#include "map/lineage.h"
#include "map/plan.h"

#define NOT_FOUND UINT32_MAX

static map_lineage *lineage_of(const map_refining *r) {
  return &r->m->scratch->lineage;
}

void map_lineage_free(map *m) {
  const clv_allocator *a = &m->allocator;
  map_lineage *l = &m->scratch->lineage;
  BASE_RELEASE(a, &l->came);
  for (uint32_t k = 0; k < MAP_SORTS; k++) BASE_RELEASE(a, &l->newcomers[k]);
  BASE_RELEASE(a, &l->divisions);
  BASE_RELEASE(a, &l->lies);
  BASE_RELEASE(a, &l->extended);
  BASE_RELEASE(a, &l->grown);
  BASE_RELEASE(a, &l->kept);
  BASE_RELEASE(a, &l->number);
  BASE_RELEASE(a, &l->born);
}

// Whether nothing else was done between two marks of the log than to set values.
static bool only_sets(const map *m, uint32_t from, uint32_t to) {
  for (uint32_t k = from; k < to; k++)
    if (m->log.data[k].op != MAP_VALUE) return false;
  return true;
}

bool map_lineage_tells(const map *m) {
  const map_lineage *l = &m->scratch->lineage;
  return m->divided && m->divided <= m->log.count && !l->broken && only_sets(m, m->divided, m->log.count);
}

static bool numbers_no_others(const map *m) {
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const uint32_t dims = m->numbered[k]->dims;
    if (dims != 14 && dims != 13 && dims != 6 && dims != 5 && dims != 7) return false;
  }
  return true;
}

static void begin_anew(map *m) {
  map_lineage *l = &m->scratch->lineage;
  l->came.count = l->divisions.count = l->lies.count = l->families = 0;
  m->scratch->notable.count = l->extended.count = l->grown.count = 0;
  l->gone = false;
  for (uint32_t k = 0; k < MAP_SORTS; k++) l->newcomers[k].count = 0;
  l->broken = m->view.dimension != 3 || !numbers_no_others(m);
  for (uint32_t k = 0; k < m->numbered_count; k++) l->broken |= m->numbered[k]->count >= MAP_NEWCOMER;
  if (++l->stamp) return;
  if (l->born.capacity) memset(l->born.data, 0, l->born.capacity * sizeof *l->born.data);
  l->stamp = 1;
}

void map_break_lineage(map_refining *r) {
  lineage_of(r)->broken = true;
  r->told = false;
}

static bool is_born(const map_lineage *l, uint32_t block) {
  return block < l->born.capacity && l->born.data[block] == l->stamp;
}

// All that was done since the last cell was refined was to set values.
bool map_note_values(map *m) {
  map_words *notable = &m->scratch->notable;
  if (!BASE_RESERVE(&m->allocator, notable, (uint64_t)notable->count + m->log.count - m->divided)) return false;
  for (uint32_t k = m->divided; k < m->log.count; k++) notable->data[notable->count++] = k;
  return true;
}

bool map_note_extension(map_refining *r, clv_dart dart) {
  map_lineage *l = lineage_of(r);
  if (!r->told) return true;
  if (is_born(l, dart >> 6)) map_break_lineage(r);
  if (!BASE_RESERVE(&r->m->allocator, &l->extended, (uint64_t)l->extended.count + 1)) return false;
  l->extended.data[l->extended.count++] = dart & ~63u;
  return true;
}

// What a dart that is no child's lies on. One that came bears no ids yet.
static uint32_t lies_on(const map_refining *r, map_sort sort, uint32_t record) {
  const map *m = r->m;
  const map_lineage *l = lineage_of(r);
  const map_index *index = m->indices[map_sort_dims[sort]];
  if (!m->indices[14]->record_ids.data[record]) return l->came.data[l->number.data[record]].on[sort];
  return index ? index->record_ids.data[record] : 0;
}

// For which there is room: what it is a part of, and what else is to be known of its sort, written word by word. One
// that is put together first and copied then would be waited for.
static inline uint32_t add_newcomer(map_refining *r, map_sort sort, uint32_t old, const uint32_t with[2],
                                    clv_dart first) {
  map_lineage *l = lineage_of(r);
  if (!r->m->indices[map_sort_dims[sort]]) return 0;
  const uint32_t number = l->newcomers[sort].count++;
  map_newcomer *n = &l->newcomers[sort].data[number];
  n->old = old;
  n->ends[0] = with[0];
  n->ends[1] = with[1];
  n->id = 0;
  n->first = first;
  return MAP_NEWCOMER | number;
}

// The ids of one sort that the parent's places bear.
static const uint32_t *ids_of_parent(const map_refining *r, map_sort sort) {
  const map *m = r->m;
  const map_index *index = m->indices[map_sort_dims[sort]];
  const clv_page page = map_page(m, r->border.cell);
  if (!index) return NULL;
  return index->ids[page.kind].data +
         (size_t)map_row(page, r->border.cell) * clv_templates[page.kind].sub[index->inner].count;
}

static void find_vertices(map_refining *r) {
  const map_refinement *table = r->table;
  const uint32_t *ids = ids_of_parent(r, MAP_VERTICES), corners = r->border.shape->corner_count;
  for (uint32_t v = 0; v < table->vertex_count; v++) {
    const uint32_t at = table->vertex_at[v];
    const clv_dart dart = at == MAP_NOWHERE ? CLV_NO_DART : r->border.darts[at];
    r->vertices[v] = v < corners ? ids[v] : dart ? lies_on(r, MAP_VERTICES, r->border.records[at]) : NOT_FOUND;
  }
  for (uint32_t k = 0; k < table->birth_count; k++) {
    const map_birth *birth = &table->births[k];
    const map_refined_child *seat = &table->children[birth->seat.child];
    const uint8_t *corner = r->border.shape->sub[6].of;
    uint32_t *vertex = &r->vertices[seat->vertex[corner[birth->seat.dart]]];
    if (*vertex != NOT_FOUND) continue;
    uint32_t ends[2];
    for (uint32_t e = 0; e < 2; e++) {
      const map_child_dart end = birth->ends[e];
      ends[e] = r->vertices[table->children[end.child].vertex[corner[end.dart]]];
    }
    *vertex = add_newcomer(r, MAP_VERTICES, 0, ends, CLV_NO_DART);
  }
}

// What a place bears before the commit: of a half what the whole was, of what is new nothing.
static uint32_t borne(const map_lineage *l, map_sort sort, uint32_t on) {
  return map_is_newcomer(on) ? l->newcomers[sort].data[on & ~MAP_NEWCOMER].old : on;
}

// Halves of an edge that was whole are a family.
static void find_edges(map_refining *r) {
  map_lineage *l = lineage_of(r);
  const map_refinement *table = r->table;
  const clv_suborbits *edges = &r->border.shape->sub[5];
  const uint32_t *ids = ids_of_parent(r, MAP_EDGES), family = l->families;
  if (!ids) {
    memset(r->edges, 0, table->edge_count * sizeof *r->edges);
    return;
  }
  l->families += edges->count;
  for (uint32_t e = 0; e < table->edge_count; e++) {
    const uint32_t at = table->edge_at[e];
    if (at != MAP_NOWHERE && r->border.darts[at]) {
      r->edges[e] = lies_on(r, MAP_EDGES, r->border.records[at]);
      r->edges_borne[e] = borne(l, MAP_EDGES, r->edges[e]);
    } else {
      const bool half = (at & 3u) == 1;
      const uint32_t whole = half ? edges->of[at >> 2] : 0, old = half ? ids[whole] : 0;
      r->edges[e] = add_newcomer(r, MAP_EDGES, old, (const uint32_t[2]){family + whole}, CLV_NO_DART);
      r->edges_borne[e] = old;
    }
  }
}

// What is kept from transaction to transaction grows much at a time.
static bool reserve_newcomers(map_refining *r, map_sort sort, uint32_t more) {
  enum { AT_ONCE = 256 };
  map_lineage *l = lineage_of(r);
  const uint64_t need = (uint64_t)l->newcomers[sort].count + more;
  if (need <= l->newcomers[sort].capacity || !r->m->indices[map_sort_dims[sort]]) return true;
  return BASE_RESERVE(&r->m->allocator, &l->newcomers[sort], need + AT_ONCE);
}

bool map_reserve_notes(map_refining *r, uint32_t more) {
  enum { AT_ONCE = 512 };
  map *m = r->m;
  map_lineage *l = lineage_of(r);
  const uint64_t need = (uint64_t)l->came.count + more;
  if (!r->told) return true;
  return (need <= l->came.capacity || BASE_RESERVE(&m->allocator, &l->came, 2 * need + AT_ONCE)) &&
         (l->grown.count + (uint64_t)more <= l->grown.capacity ||
          BASE_RESERVE(&m->allocator, &l->grown, 2 * (l->grown.count + (uint64_t)more))) &&
         (m->records.ready <= l->number.capacity || BASE_RESERVE(&m->allocator, &l->number, m->records.ready)) &&
         reserve_newcomers(r, MAP_CORNERS, more) && reserve_newcomers(r, MAP_CELL_EDGES, more);
}

static bool reserve(map_refining *r) {
  map *m = r->m;
  map_lineage *l = lineage_of(r);
  const uint32_t had = l->born.capacity;
  if (!BASE_RESERVE(&m->allocator, &l->born, (uint64_t)(m->pages.count + 1) << 10)) return false;
  if (l->born.capacity > had) memset(l->born.data + had, 0, (l->born.capacity - had) * sizeof *l->born.data);
  enum { AT_ONCE = 8 };
  const uint64_t lies = (uint64_t)l->lies.count + MAP_REFINED_VERTICES + MAP_REFINED_EDGES + MAP_POSITIONS;
  return (l->divisions.count < l->divisions.capacity ||
          BASE_RESERVE(&m->allocator, &l->divisions, 2 * (uint64_t)l->divisions.count + AT_ONCE)) &&
         (lies <= l->lies.capacity || BASE_RESERVE(&m->allocator, &l->lies, 2 * lies)) &&
         reserve_newcomers(r, MAP_VERTICES, MAP_REFINED_VERTICES) && reserve_newcomers(r, MAP_EDGES, MAP_REFINED_EDGES);
}

// What is asked for here, for a tetrahedron that lies alone, others need not ask for again and again.
bool map_lineage_expect(map *m, uint32_t cells) {
  enum { CAME = 64, GROWN = 24 };
  static const uint8_t newcomers[MAP_SORTS] = {
      [MAP_VERTICES] = 6, [MAP_EDGES] = 25, [MAP_CORNERS] = 24, [MAP_CELL_EDGES] = 36};
  map_lineage *l = &m->scratch->lineage;
  const clv_allocator *a = &m->allocator;
  bool room = BASE_RESERVE(a, &l->came, (uint64_t)cells * CAME) &&
              BASE_RESERVE(a, &l->grown, (uint64_t)cells * GROWN) && BASE_RESERVE(a, &l->number, m->records.ready) &&
              BASE_RESERVE(a, &l->divisions, cells) &&
              BASE_RESERVE(a, &l->lies, (uint64_t)cells * (MAP_REFINED_VERTICES + MAP_REFINED_EDGES));
  for (uint32_t k = 0; k < MAP_SORTS && room; k++)
    room = !m->indices[map_sort_dims[k]] || BASE_RESERVE(a, &l->newcomers[k], (uint64_t)cells * newcomers[k]);
  return room;
}

clv_result map_lineage_begin(map_refining *r) {
  map *m = r->m;
  map_lineage *l = lineage_of(r);
  r->begun = true;
  if (!m->divided) begin_anew(m);
  l->broken |= m->divided > m->log.count || !only_sets(m, m->divided, m->log.count);
  r->told = !l->broken;
  r->came_before = l->came.count;
  r->notable_before = m->scratch->notable.count;
  r->extended_before = l->extended.count;
  r->grown_before = l->grown.count;
  for (uint32_t k = 0; k < MAP_SORTS; k++) r->newcomers_before[k] = l->newcomers[k].count;
  if (!r->told) return CLV_OK;
  if (is_born(l, r->border.cell >> 6) || r->crossings.count) {
    map_break_lineage(r);
    return CLV_OK;
  }
  if (!reserve(r) || !map_note_values(m)) return map_no_memory(m);
  memset(r->cell_edges, 0, r->table->edge_count * sizeof *r->cell_edges);
  memset(r->corners, 0, r->table->vertex_count * sizeof *r->corners);
  map_division *division = &l->divisions.data[l->divisions.count];
  *division = (map_division){.table = r->table, .parent = r->border.cell, .lies = l->lies.count};
  r->vertices = l->lies.data + l->lies.count;
  r->edges = r->vertices + r->table->vertex_count;
  find_vertices(r);
  find_edges(r);
  return CLV_OK;
}

// Of one dart, or of two, on a vertex, an edge, a corner and an edge of a cell, which bears something.
static inline void note(map_lineage *l, map_seat first, map_seat second, const uint32_t on[MAP_SORTS], uint32_t cell) {
  const uint32_t number = l->came.count++;
  map_came *came = &l->came.data[number];
  came->darts[0] = first.dart;
  came->darts[1] = second.dart;
  came->records[0] = first.record;
  came->records[1] = second.record;
  for (uint32_t k = 0; k < MAP_SORTS; k++) came->on[k] = on[k];
  came->cell = cell;
  l->number.data[first.record] = l->number.data[second.record] = number;
}

// The dart that stands for an edge in the row of its cell; 0 where the cell has none.
static clv_dart first_of_edge(const map *m, clv_dart dart) {
  const clv_dart cell = dart & ~63u;
  const clv_page page = map_page(m, cell);
  if (!map_is_template(page.kind)) return CLV_NO_DART;
  const clv_suborbits *edges = &clv_templates[page.kind].sub[5];
  return cell | edges->first[edges->of[dart & 63u]];
}

// The half of an edge of a cell that goes on as the whole: in a row that with the dart that stands for it, otherwise
// the first. Where the other one could take a place in the row that is not in use, the commit has to look.
static uint32_t keeper(map_refining *r, const map_seat old[4], uint32_t whole) {
  const map *m = r->m;
  if (whole & MAP_TEMPLATE_SLOT) {
    const clv_dart cell = (m->records.cell.data[old[2].record] & MAP_BLOCK) << 6;
    const clv_dart first = cell | clv_templates[map_page(m, cell).kind].sub[5].first[whole & ~MAP_TEMPLATE_SLOT];
    return (old[2].dart == first) | (old[3].dart == first);
  }
  const bool second = first_of_edge(m, old[2].dart) == old[2].dart || first_of_edge(m, old[3].dart) == old[3].dart;
  if (second || map_is_newcomer(whole)) map_break_lineage(r);
  return 0;
}

// A vertex is hung into one more cell.
static void count_hung(map_refining *r, uint32_t vertex) {
  const uint32_t on = r->vertices[vertex];
  if (map_is_newcomer(on)) lineage_of(r)->newcomers[MAP_VERTICES].data[on & ~MAP_NEWCOMER].hung++;
}

// So many darts come into the cell of one that was there; what it bears.
static uint32_t grow_cell(map_refining *r, uint32_t record, uint32_t count) {
  const map *m = r->m;
  map_lineage *l = lineage_of(r);
  l->grown.data[l->grown.count++] = (map_grown){m->records.cell.data[record] & MAP_BLOCK, count};
  if (!m->indices[7]) return 0;
  return m->indices[14]->record_ids.data[record] ? m->indices[7]->record_ids.data[record]
                                                 : l->came.data[l->number.data[record]].cell;
}

void map_note_middles(map_refining *r, uint32_t l, const map_seat old[4], const map_seat new[4]) {
  if (!r->told) return;
  const map_refinement *table = r->table;
  const uint32_t ends[2] = {l, r->border.shape->alpha[0][l]}, middle = table->vertex_on[4 * l + 1];
  const uint32_t corner = add_newcomer(r, MAP_CORNERS, 0, (const uint32_t[2]){0}, new[0].dart);
  const uint32_t whole = lies_on(r, MAP_CELL_EDGES, old[0].record), vertex = r->vertices[middle];
  const uint32_t cell = grow_cell(r, old[0].record, 4), kept = whole ? keeper(r, old, whole) : 0;
  uint32_t part = 0;
  if (whole) part = add_newcomer(r, MAP_CELL_EDGES, whole, (const uint32_t[2]){old[0].dart}, new[kept ? 0 : 2].dart);
  count_hung(r, middle);
  for (uint32_t e = 0; e < 2; e++) {
    const uint32_t edge = r->edges[table->edge_on[4 * ends[e]]];
    note(lineage_of(r), new[2 * e], new[2 * e + 1],
         (const uint32_t[MAP_SORTS]){vertex, edge, corner, e == kept ? whole : part}, cell);
  }
}

void map_note_across(map_refining *r, uint32_t facet, const map_seat *new) {
  if (!r->told) return;
  const map *m = r->m;
  const map_refinement *table = r->table;
  const uint32_t first = 4u * r->border.shape->facet_first[facet], size = r->border.shape->facet_size[facet];
  const uint32_t cell = grow_cell(r, map_own_record(m, r->beyond[first + 1]), 2 * size), none[2] = {0};
  if (size == 8) count_hung(r, table->vertex_on[first + 3]); // a quadrangle has one in its middle
  for (uint32_t at = first; at < first + 4 * size; at += 4, new += 2) {
    const uint32_t middle = table->vertex_on[at + 1];
    const uint32_t beside = lies_on(r, MAP_CORNERS, map_own_record(m, r->beyond[at + 1]));
    const bool alike = table->vertex_on[at + 2] == table->vertex_on[at + 3]; // they lie on one edge
    for (uint32_t k = 0; k < 2; k += alike ? 2 : 1) {
      const uint32_t vertex = table->vertex_on[at + 2 + k], edge = table->edge_on[at + 2 + k];
      uint32_t *corner = &r->corners[vertex], *cell_edge = &r->cell_edges[edge];
      if (vertex != middle && !*corner) *corner = add_newcomer(r, MAP_CORNERS, 0, none, new[k].dart);
      if (!*cell_edge) *cell_edge = add_newcomer(r, MAP_CELL_EDGES, 0, none, new[k].dart);
      const uint32_t on[MAP_SORTS] = {r->vertices[vertex], r->edges[edge], vertex == middle ? beside : *corner,
                                      *cell_edge};
      note(lineage_of(r), new[k], alike ? new[1] : (map_seat){CLV_NO_DART, new[k].record}, on, cell);
    }
  }
}

// To places that have something, as bits.
static void give_heirlooms(uint32_t *ids, uint32_t count, uint32_t which, const uint8_t *number,
                           const uint32_t *borne) {
  for (uint32_t k = 0; k < count; k++) ids[k] = borne[number[k]] & (0u - (which >> k & 1u));
}

void map_note_heir(map_refining *r, uint32_t child, uint32_t vertices, uint32_t edges) {
  const map *m = r->m;
  map_lineage *l = lineage_of(r);
  const map_refined_child *table = &r->table->children[child];
  const clv_page page = map_page(m, r->children[child]);
  const size_t row = map_row(page, r->children[child]);
  map_division *division = &l->divisions.data[l->divisions.count];
  division->had_vertices[child] = (uint8_t)vertices;
  division->had_edges[child] = (uint16_t)edges;
  const uint32_t corners = r->border.shape->corner_count, count = r->border.shape->sub[5].count;
  give_heirlooms(m->indices[14]->ids[page.kind].data + row * corners, corners, vertices, table->vertex, r->vertices);
  if (!m->indices[13]) return;
  give_heirlooms(m->indices[13]->ids[page.kind].data + row * count, count, edges, table->edge, r->edges_borne);
}

// The darts that the parent's border had before, by place.
static void list_known(map_refining *r) {
  const map_border *b = &r->border;
  const uint32_t count = 4u * b->shape->dart_count;
  map_lineage *l = lineage_of(r);
  clv_dart *known = l->lies.data + l->lies.count;
  l->lies.count += count;
  for (uint32_t at = 0; at < count; at++) known[at] = b->darts[at] & (0u - b->bears[at]);
  for (uint32_t k = 0; k < b->hung_count; k++) l->gone |= !b->bears[b->hung[k]];
}

// The children have come.
static void finish(map_refining *r) {
  map_lineage *l = lineage_of(r);
  const map_refinement *table = r->table;
  map_division *division = &l->divisions.data[l->divisions.count++];
  memcpy(division->children, r->children, sizeof division->children);
  division->came = l->came.count;
  l->lies.count += table->vertex_count + table->edge_count;
  division->known = r->was_plain ? 0 : l->lies.count;
  division->record = r->border.records[0];
  division->dropped = r->dropped;
  division->dropped_count = r->dropped_count;
  if (!r->was_plain) list_known(r);
  for (uint32_t c = 0; c < table->child_count; c++) {
    const uint32_t block = r->children[c] >> 6;
    if (block < l->born.capacity)
      l->born.data[block] = l->stamp;
    else
      map_break_lineage(r);
  }
}

clv_result map_lineage_end(map_refining *r, clv_result result) {
  map *m = r->m;
  map_lineage *l = lineage_of(r);
  if (result == CLV_OK) {
    if (r->told) finish(r);
    m->divided = m->log.count;
  }
  if (result == CLV_OK || !r->begun) return result;
  l->came.count = r->came_before;
  m->scratch->notable.count = r->notable_before;
  l->extended.count = r->extended_before;
  l->grown.count = r->grown_before;
  for (uint32_t k = 0; k < MAP_SORTS; k++) l->newcomers[k].count = r->newcomers_before[k];
  return result;
}
