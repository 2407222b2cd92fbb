// Shapes: extended cells that are their templates still, but for hanging vertices.
//
// Whoever refines a cell puts vertices into the edges of its neighbours and splits their faces. At the neighbour's own
// corners nothing changes by that: a1 and a2 of its template's darts are the template's constants, and a0 leads along
// the edge as before, but perhaps not to its end. So these darts are the coarse cell, inside the fine one: who walks
// them by the template's constants walks at the cell's own level, and does not meet what hangs in it.
//
// Whether a cell is such a one is asked often, so the commit notes it.

#include "map/walk.h"

bool map_has_shape(const map *m, clv_dart cell) {
  const clv_template *shape = &clv_templates[map_page(m, cell).kind];
  const uint32_t first = map_record(m, cell);
  for (uint32_t l = 0; l < shape->dart_count; l++) {
    const uint32_t record = first + l;
    const clv_dart *alpha = &m->records.alpha.data[4 * (size_t)record];
    if (m->records.name.data[record] != cell + l || (m->records.cell.data[record] & MAP_BLOCK) != cell >> 6)
      return false;
    for (uint32_t i = 1; i < shape->dimension; i++)
      if (alpha[i] != cell + shape->alpha[i][l]) return false;
    if (alpha[0] != cell + shape->alpha[0][l] && alpha[0] >> 6 == cell >> 6) return false;
  }
  return true;
}

void map_keep_shape(map *m, clv_dart cell) {
  m->records.cell.data[map_record(m, cell)] |= MAP_SHAPED;
}

void map_note_shape(map *m, clv_dart cell) {
  const clv_page page = map_page(m, cell);
  if (!map_is_template(page.kind)) return;
  uint32_t *word = &m->records.cell.data[map_record(m, cell)];
  *word = (*word & ~MAP_SHAPED) | (map_has_shape(m, cell) ? MAP_SHAPED : 0);
}

clv_kind clv_cell_shape(const clv_map *view, clv_dart dart) {
  const map *m = map_read(view);
  if (map_dart_plain(m, dart)) return (clv_kind)map_page(m, dart).kind;
  const clv_dart cell = map_block(m, dart) << 6;
  const clv_page page = map_page(m, cell);
  const bool shaped = map_is_template(page.kind) && m->records.cell.data[map_record(m, cell)] & MAP_SHAPED;
  return shaped ? (clv_kind)page.kind : view->dimension == 2 ? CLV_POLYGON : CLV_POLYHEDRON;
}
