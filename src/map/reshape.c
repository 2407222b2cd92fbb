// Reshaping: cells that a commit made, and that are templates with hanging vertices.
//
// A cell that is coarsened while its neighbours stay fine, or refined beside finer ones, is no template, but has one at
// its own level. Which vertices are its corners is told by their levels, which an embedding keeps: those of level k and
// below, for the k at which the cell is a template when a0 is followed over the finer vertices. Such a cell gets a row,
// as an extended cell that never was anything else: the darts at its corners take the names of the row's block, and
// those that hang in it have names of their own.

#include "map/level.h"
#include "map/plan.h"

static int32_t level_of(const map *m, clv_dart dart) {
  return m->embedding.level(m->embedding.self, m, dart);
}

static int32_t tell_level(const void *m, clv_dart dart) {
  return level_of(m, dart);
}

// As settle.c does it for cells without hanging vertices.
static bool match_from(const map *m, const clv_template *shape, clv_dart base, int32_t k, clv_dart *source) {
  const map_levels levels = {.view = &m->view, .at = tell_level, .user = m};
  uint8_t queue[CLV_TEMPLATE_DARTS];
  uint32_t head = 0, tail = 0;
  for (uint32_t l = 0; l < shape->dart_count; l++) source[l] = CLV_NO_DART;
  source[0] = base;
  queue[tail++] = 0;
  while (head < tail) {
    const uint32_t l = queue[head++];
    for (uint32_t i = 0; i < shape->dimension; i++) {
      const uint32_t next = shape->alpha[i][l];
      clv_dart image = clv_alpha(&m->view, source[l], i);
      if (i == 0 && !map_level_step(&levels, source[l], k, &image)) return false;
      if (source[next] && source[next] != image) return false;
      if (source[next]) continue;
      source[next] = image;
      queue[tail++] = (uint8_t)next;
    }
  }
  for (uint32_t l = 1; l < shape->dart_count; l++)
    for (uint32_t o = 0; o < l; o++)
      if (source[l] == source[o]) return false;
  return true;
}

static clv_kind match_at(const map *m, const map_orbits *cells, const map_new_orbit *orbit, int32_t k, uint32_t darts,
                         clv_dart *source) {
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    const clv_template *shape = &clv_templates[kind];
    if (shape->dimension != m->view.dimension || shape->dart_count != darts) continue;
    for (uint32_t n = orbit->node_start; n < orbit->node_end; n++) {
      const clv_dart base = cells->nodes.data[n];
      if (map_side(m, base) || level_of(m, base) > k) continue;
      if (match_from(m, shape, base, k, source)) return (clv_kind)kind;
    }
  }
  return CLV_NONE;
}

clv_kind map_match_coarse(const map *m, const map_orbits *cells, const map_new_orbit *orbit, clv_dart *source) {
  const int32_t levels = m->embedding.level ? level_of(m, CLV_NO_DART) : 0;
  m->scratch->no_levels |= levels == MAP_NO_LEVEL;
  if (levels != 1) return CLV_NONE;
  for (int32_t k = INT32_MIN;;) {
    int32_t least = INT32_MAX;
    uint32_t darts = 0;
    for (uint32_t n = orbit->node_start; n < orbit->node_end; n++) {
      const int32_t level = level_of(m, cells->nodes.data[n]);
      if (level == MAP_NO_LEVEL) m->scratch->no_levels = true;
      if (level > k && level < least) least = level;
    }
    if (least == INT32_MAX || m->scratch->no_levels) return CLV_NONE;
    k = least;
    for (uint32_t n = orbit->node_start; n < orbit->node_end; n++) darts += level_of(m, cells->nodes.data[n]) <= k;
    if (darts == orbit->node_end - orbit->node_start) return CLV_NONE; // nothing hangs in it
    const clv_kind kind = match_at(m, cells, orbit, k, darts, source);
    if (kind) return kind;
  }
}

// The row's ids become those of the records; what an inner orbit had of its own it has in the row now.
static void ids_to_row(map *m, const map_orbits *cells, const map_new_orbit *orbit, uint32_t row, clv_dart cell) {
  for (uint32_t dims = 0; dims < MAP_INDICES; dims++) {
    map_index *index = m->indices[dims];
    if (!index) continue;
    const clv_suborbits *sub = &clv_templates[orbit->kind].sub[index->inner];
    for (uint32_t s = 0; s < sub->count; s++) {
      const uint32_t id = index->record_ids.data[map_record(m, cell | sub->first[s])];
      if (index->crossing) {
        index->ids[orbit->kind].data[row * sub->count + s] = id;
        continue;
      }
      if (id & MAP_TEMPLATE_SLOT) continue;
      for (uint32_t n = orbit->node_start; n < orbit->node_end; n++) {
        uint32_t *slot = &index->record_ids.data[map_record(m, cells->nodes.data[n])];
        if (*slot == id) *slot = MAP_TEMPLATE_SLOT | s;
      }
      map_index_give(index, id);
    }
  }
}

void map_reshape(map *m, map_orbits *cells, const map_new_orbit *orbit) {
  clv_dart source[CLV_TEMPLATE_DARTS] = {0};
  map_match_coarse(m, cells, orbit, source);
  const clv_template *shape = &clv_templates[orbit->kind];
  const clv_dart cell = orbit->id << 6;
  const uint32_t row = map_row(map_page(m, cell), cell);
  if (m->embedding.settle) m->embedding.settle(m->embedding.self, m, (clv_kind)orbit->kind, row, source);
  const uint32_t first = map_extend_empty(m, cell);
  for (uint32_t n = orbit->node_start; n < orbit->node_end; n++) {
    clv_dart *node = &cells->nodes.data[n];
    uint32_t l = 0;
    while (l < shape->dart_count && source[l] != *node) l++;
    if (l < shape->dart_count)
      *node = map_move_dart(m, *node, first + l, cell + l);
    else if (map_is_template(map_page(m, *node).kind))
      *node = map_evict(m, *node);
  }
  ids_to_row(m, cells, orbit, row, cell);
}
