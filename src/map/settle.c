// Settling: storing every touched cell as what it is now.
//
// A cell whose links were written has records. If it is isomorphic to a template it goes (back) to a row of that kind:
// its own when it still has the block, a new one otherwise. If it is not, but some of its darts bear names of a block
// that it does not own any more (the cell was cut in two), those darts move to names of their own; unless it has a
// shape at its own level (reshape.c). Everything that pointed at a renamed dart is told, and the renaming goes into the
// journal.

#include "map/plan.h"

static clv_kind kind_of_size(uint32_t dimension, uint32_t darts) {
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_templates[kind].dimension == dimension && clv_templates[kind].dart_count == darts) return (clv_kind)kind;
  return CLV_NONE;
}

// Maps local dart 0 of the template to `base` and follows the links; source[l] is the image of l. False when the links
// disagree. A template is connected and its links are involutions: when every link of every dart agrees, it is an
// isomorphism, unless two locals share an image, which the counts exclude (both have as many darts and the cell is one
// orbit).
static bool match_from(const map *m, const clv_template *shape, clv_dart base, clv_dart *source) {
  uint8_t queue[CLV_TEMPLATE_DARTS];
  uint32_t head = 0, tail = 0;
  for (uint32_t l = 0; l < shape->dart_count; l++) source[l] = CLV_NO_DART;
  source[0] = base;
  queue[tail++] = 0;
  while (head < tail) {
    const uint32_t l = queue[head++];
    for (uint32_t i = 0; i < shape->dimension; i++) {
      const uint32_t next = shape->alpha[i][l];
      const clv_dart image = clv_alpha(&m->view, source[l], i);
      if (source[next]) {
        if (source[next] != image) return false;
      } else {
        source[next] = image;
        queue[tail++] = (uint8_t)next;
      }
    }
  }
  // Fewer images than locals: a covering of a smaller cell.
  for (uint32_t l = 1; l < shape->dart_count; l++)
    if (source[l] == base) return false;
  return true;
}

// True for a cell that has its block still, and more darts than its template because neighbours were refined: a
// triangle with one hanging vertex is no quadrangle.
static bool hangs(const map *m, const map_orbits *cells, const map_new_orbit *orbit, clv_kind kind) {
  const clv_page page = map_page(m, (clv_dart)(orbit->keeps << 6));
  if (!orbit->keeps || page.kind == kind || !map_is_template(page.kind)) return false;
  for (uint32_t k = orbit->node_start; k < orbit->node_end; k++) {
    const clv_dart dart = cells->nodes.data[k];
    if (dart >> 6 == orbit->keeps) continue;
    if (map_page(m, dart).kind != MAP_KIND_DARTS || !m->records.level.data[map_record(m, dart)]) return false;
  }
  return true;
}

// In 2D: whether all darts about a vertex bear one level. Where vertices are made of others they may not, until the
// commit is carried out.
static bool has_one_level(const map *m, clv_dart dart) {
  const int32_t level = m->embedding.level(m->embedding.self, m, dart);
  for (uint32_t first = 1; first <= 2; first++) {
    clv_dart at = dart;
    for (uint32_t i = first;; i = 3 - i) {
      const clv_dart next = clv_alpha(&m->view, at, i);
      if (next == at) break; // and on the other way
      if (m->embedding.level(m->embedding.self, m, next) != level) return false;
      at = next;
      if (at == dart) break;
    }
  }
  return true;
}

// Likewise for a cell that rules have made, or put a vertex into: its levels tell.
static bool hangs_by_level(const map *m, const map_orbits *cells, const map_new_orbit *orbit, clv_kind kind) {
  clv_dart source[CLV_TEMPLATE_DARTS];
  if (kind != CLV_QUAD || map_match_coarse(m, cells, orbit, source) != CLV_TRI) return false;
  for (uint32_t k = orbit->node_start; k < orbit->node_end; k++)
    if (!has_one_level(m, cells->nodes.data[k])) return false;
  return true;
}

// The template that a cell is; none where something hangs in it.
static clv_kind kind_of_cell(const map *m, const map_orbits *cells, const map_new_orbit *orbit) {
  const clv_kind kind = kind_of_size(m->view.dimension, orbit->node_end - orbit->node_start);
  return kind && !hangs(m, cells, orbit, kind) && !hangs_by_level(m, cells, orbit, kind) ? kind : CLV_NONE;
}

// Finds a cell's darts in the order of a template: as they are named already, if that fits; otherwise from the first
// dart of side 0 that fits, so that a body's orientation stays that of its corners.
static bool match(const map *m, const map_orbits *cells, const map_new_orbit *orbit, clv_kind kind, clv_dart *source) {
  const clv_template *shape = &clv_templates[kind];
  const clv_dart own = (clv_dart)(orbit->keeps << 6);
  if (own && map_page(m, own).kind == kind && match_from(m, shape, own, source)) {
    bool same = true;
    for (uint32_t l = 0; l < shape->dart_count; l++) same &= source[l] == own + l;
    if (same) return true;
  }
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t k = orbit->node_start; k < orbit->node_end; k++) {
      const clv_dart base = cells->nodes.data[k];
      if (map_side(m, base) == side && match_from(m, shape, base, source)) return true;
    }
  return false;
}

bool map_plan_settling(map *m, map_plan *plan) {
  m->scratch->no_levels = false;
  memset(plan->rows, 0, sizeof plan->rows);
  plan->evicted = 0;
  map_orbits *cells = &plan->cells;
  const uint32_t explicit_kind = m->view.dimension == 2 ? CLV_POLYGON : CLV_POLYHEDRON;
  for (uint32_t c = 0; c < cells->orbits.count; c++) {
    map_new_orbit *orbit = &cells->orbits.data[c];
    clv_dart source[CLV_TEMPLATE_DARTS] = {0};
    clv_kind kind = kind_of_cell(m, cells, orbit);
    if (kind && !match(m, cells, orbit, kind, source)) kind = CLV_NONE;
    orbit->settle = kind ? MAP_RESEAT : MAP_STAY;
    if (!kind && !(orbit->keeps && map_is_template(map_page(m, (clv_dart)(orbit->keeps << 6)).kind))) {
      kind = map_match_coarse(m, cells, orbit, source);
      if (kind) orbit->settle = MAP_RESHAPE;
    }
    orbit->kind = (uint8_t)kind;
    orbit->seated = orbit->keeps && (!kind || map_page(m, (clv_dart)(orbit->keeps << 6)).kind == kind);
    orbit->changed |= !orbit->seated;
    if (!orbit->seated) plan->rows[kind ? (uint32_t)kind : explicit_kind]++;
    if (orbit->settle == MAP_RESHAPE) plan->evicted += clv_templates[kind].dart_count;
    for (uint32_t k = orbit->node_start; k < orbit->node_end && orbit->settle != MAP_RESEAT; k++) {
      const clv_dart dart = cells->nodes.data[k];
      if (!map_is_template(map_page(m, dart).kind) || dart >> 6 == orbit->keeps) continue;
      if (!kind) orbit->settle = MAP_EVICT;
      plan->evicted++;
    }
  }
  return !m->scratch->no_levels;
}

// Whether a cell stays in its block with all the darts of its template, and is that at its own level.
static bool keeps_shape(const map *m, const map_orbits *cells, const map_new_orbit *orbit) {
  const clv_dart cell = (clv_dart)(orbit->keeps << 6);
  const clv_page page = map_page(m, cell);
  if (!orbit->keeps || !map_is_template(page.kind)) return false;
  uint32_t own = 0;
  for (uint32_t k = orbit->node_start; k < orbit->node_end; k++) own += cells->nodes.data[k] >> 6 == orbit->keeps;
  return own == clv_templates[page.kind].dart_count && map_has_shape(m, cell);
}

clv_kind map_planned_shape(const map *m, const map_orbits *cells, const map_new_orbit *orbit) {
  if (orbit->kind) return (clv_kind)orbit->kind;
  if (keeps_shape(m, cells, orbit)) return (clv_kind)map_page(m, (clv_dart)(orbit->keeps << 6)).kind;
  return m->view.dimension == 2 ? CLV_POLYGON : CLV_POLYHEDRON;
}

// Makes the neighbour across link i point at a dart's new name.
static void repoint(map *m, clv_dart neighbour, uint32_t i, clv_dart name) {
  const uint32_t record = map_record(m, neighbour);
  if (record != MAP_NO_RECORD) {
    m->records.alpha.data[4 * record + i] = name;
    return;
  }
  const clv_page page = map_page(m, neighbour);
  const clv_template *shape = &clv_templates[page.kind];
  const uint32_t facet = shape->facet[neighbour & 63u];
  if (shape->facet_first[facet] == (neighbour & 63u))
    m->rows[page.kind].data.data[map_row(page, neighbour) * shape->facet_count + facet] = name;
}

static void note_rename(map *m, clv_dart before, clv_dart after) {
  map_scratch *s = m->scratch;
  s->renames.data[s->renames.count++] = (clv_rename){before, after};
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++) {
    map_index *index = m->indices[dims];
    if (!index) continue;
    const uint32_t id = index->record_ids.data[map_record(m, before)];
    if (!(id & MAP_TEMPLATE_SLOT) && index->dart.data[id] == before) index->dart.data[id] = after;
  }
}

static uint32_t local_of(const clv_dart *source, uint32_t count, clv_dart dart) {
  uint32_t l = 0;
  while (l < count && source[l] != dart) l++;
  return l;
}

// The records' ids become the row's; inner slots are given back, for the row has its own.
static void ids_to_row(map *m, uint32_t kind, uint32_t row, const clv_dart *source) {
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++) {
    map_index *index = m->indices[dims];
    if (!index) continue;
    const clv_suborbits *sub = &clv_templates[kind].sub[index->inner];
    for (uint32_t s = 0; s < sub->count; s++) {
      const uint32_t id = index->record_ids.data[map_record(m, source[sub->first[s]])];
      if (index->crossing)
        index->ids[kind].data[row * sub->count + s] = id;
      else if (!(id & MAP_TEMPLATE_SLOT))
        map_index_give(index, id);
    }
  }
}

// The links of the row's facets, and the neighbours' links back.
static void links_to_row(map *m, const clv_template *shape, clv_dart cell, const clv_dart *source, uint32_t *links) {
  const uint32_t n = m->view.dimension;
  for (uint32_t f = 0; f < shape->facet_count; f++) {
    const clv_dart first = source[shape->facet_first[f]], beyond = clv_alpha(&m->view, first, n);
    const uint32_t own = local_of(source, shape->dart_count, beyond);
    links[f] = beyond == first ? 0 : own < shape->dart_count ? cell + own : beyond;
  }
  for (uint32_t l = 0; l < shape->dart_count; l++) {
    const clv_dart beyond = clv_alpha(&m->view, source[l], n);
    if (beyond != source[l] && local_of(source, shape->dart_count, beyond) == shape->dart_count)
      repoint(m, beyond, n, cell + l);
  }
}

static void free_record(map *m, clv_dart dart) {
  const uint32_t record = map_record(m, dart);
  m->records.name.data[record] = 0;
  m->records.alive--;
  if (map_page(m, dart).kind == MAP_KIND_DARTS) map_records_give(m, record, 1);
}

static void reseat(map *m, map_orbits *cells, const map_new_orbit *orbit) {
  clv_dart source[CLV_TEMPLATE_DARTS] = {0};
  uint32_t links[6];
  match(m, cells, orbit, (clv_kind)orbit->kind, source);
  const clv_template *shape = &clv_templates[orbit->kind];
  const clv_dart cell = orbit->id << 6;
  const clv_page page = map_page(m, cell);
  const uint32_t row = map_row(page, cell), turned = map_side(m, source[0]) ? MAP_TURNED : 0;
  if (m->embedding.settle) m->embedding.settle(m->embedding.self, m, (clv_kind)orbit->kind, row, source);
  ids_to_row(m, orbit->kind, row, source);
  links_to_row(m, shape, cell, source, links);
  for (uint32_t l = 0; l < shape->dart_count; l++)
    if (source[l] != cell + l) note_rename(m, source[l], cell + l);
  for (uint32_t l = 0; l < shape->dart_count; l++)
    if (source[l] >> 6 != orbit->id) free_record(m, source[l]);
  uint16_t *state = &m->rows[page.kind].state.data[row];
  if (*state & MAP_EXTENDED)
    map_unextend(m, cell, links);
  else
    memcpy(&m->rows[page.kind].data.data[row * shape->facet_count], links, shape->facet_count * sizeof *links);
  *state = (uint16_t)((*state & ~MAP_TURNED) | turned);
}

clv_dart map_move_dart(map *m, clv_dart dart, uint32_t to, clv_dart name) {
  const uint32_t from = map_record(m, dart);
  map_records *records = &m->records;
  for (uint32_t i = 0; i < 4; i++) {
    const clv_dart beyond = records->alpha.data[4 * from + i];
    records->alpha.data[4 * to + i] = beyond == dart ? name : beyond;
    if (beyond != dart) repoint(m, beyond, i, name);
  }
  records->cell.data[to] = records->cell.data[from];
  records->name.data[to] = name;
  records->level.data[to] = map_page(m, dart).kind == MAP_KIND_DARTS ? records->level.data[from] : 0;
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++)
    if (m->indices[dims]) m->indices[dims]->record_ids.data[to] = m->indices[dims]->record_ids.data[from];
  note_rename(m, dart, name);
  free_record(m, dart);
  return name;
}

clv_dart map_evict(map *m, clv_dart dart) {
  bool fresh;
  const uint32_t to = map_records_take(m, 1, &fresh);
  return map_move_dart(m, dart, to, map_record_name(m, to));
}

static void evict_cell(map *m, map_orbits *cells, const map_new_orbit *orbit) {
  for (uint32_t k = orbit->node_start; k < orbit->node_end; k++) {
    clv_dart *dart = &cells->nodes.data[k];
    if (map_is_template(map_page(m, *dart).kind) && *dart >> 6 != orbit->id) *dart = map_evict(m, *dart);
  }
  const clv_page page = map_page(m, orbit->id << 6);
  if (!map_is_template(page.kind))
    m->rows[page.kind].data.data[map_row(page, orbit->id << 6) * m->rows[page.kind].words] =
        cells->nodes.data[orbit->node_start];
}

void map_settle_cells(map *m, map_plan *plan) {
  for (uint32_t c = 0; c < plan->cells.orbits.count; c++) {
    const map_new_orbit *orbit = &plan->cells.orbits.data[c];
    if (orbit->settle == MAP_RESEAT) reseat(m, &plan->cells, orbit);
    if (orbit->settle == MAP_EVICT) evict_cell(m, &plan->cells, orbit);
    if (orbit->settle == MAP_RESHAPE) map_reshape(m, &plan->cells, orbit);
    if (orbit->settle != MAP_RESEAT) map_note_shape(m, orbit->id << 6);
  }
}
