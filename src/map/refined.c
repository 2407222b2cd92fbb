// Commits that refine: what becomes of cells is known without walking one.
//
// Parents are gone, children are templates, and neighbours are extended, with darts more than before: each new dart was
// told its cell when it came. No cell changes its name, none becomes a template, none falls apart. So cells need no
// plan, which is most of the work: a refined tetrahedron has some thirty cells about it. Anything else that a
// transaction does to the inside of a cell leaves it to the general way (resolve.c).
//
// The sides of new darts are right, too, unless a transaction sews something as well: a link that is not between new
// darts, or from a parent to its child, is looked at.

#include "map/plan.h"

static bool is_fresh_dart(const map *m, clv_dart dart) {
  return map_is_template(map_page(m, dart).kind) && map_is_fresh(m, dart >> 6);
}

static bool is_of_refining(const map *m, map_write w) {
  switch ((map_op)w.op) {
  case MAP_DART_ADD:
    return w.before && !map_is_fresh(m, w.before);
  case MAP_EXTEND:
    return !map_is_fresh(m, w.dart >> 6);
  case MAP_DART_DROP:
    return map_begot(m, map_block(m, w.dart));
  case MAP_CELL_DROP:
    return map_begot(m, w.dart >> 6) && !map_is_fresh(m, w.dart >> 6);
  case MAP_ALPHA:
    return w.i < m->view.dimension ? map_is_born(m, w.after) : is_fresh_dart(m, w.after);
  case MAP_LINK:
    return is_fresh_dart(m, w.dart) ? w.after : is_fresh_dart(m, w.after);
  case MAP_CELL_ADD:
  case MAP_TURN:
  case MAP_PARENTS:
  case MAP_VALUE:
  case MAP_INHERIT:
    return true;
  }
  return false;
}

bool map_only_refines(const map *m, const map_plan *plan) {
  if (!plan->inherited || plan->gathered || m->twisted || m->embedding.recomputes || m->scratch->general) return false;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op == MAP_ALPHA && map_is_born(m, w.dart)) continue; // most are such
    if (!is_of_refining(m, w)) return false;
  }
  return true;
}

static clv_id cell_id(const map *m, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  return (clv_id){block, m->rows[page.kind].state.data[map_row(page, block << 6)] & MAP_GENERATION};
}

clv_dart map_dart_before(const map *m, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  if (map_is_template(page.kind)) return block << 6;
  return m->rows[page.kind].data.data[(size_t)map_row(page, block << 6) * m->rows[page.kind].words];
}

// Each cell that darts were hung into is told of once. Room for marks was made before.
static void tell_grown(map *m, clv_dart dart, uint32_t block, uint32_t stamp) {
  const uint32_t cells = clv_orbit_dims(&m->view, CLV_CELL);
  uint32_t *mark = &m->scratch->marks.data[map_own_record(m, dart)];
  if (*mark != stamp) map_emit(m, cells, CLV_CHANGED, dart, cell_id(m, block), (clv_id){0, 0});
  *mark = stamp;
}

// Explicit cells count their darts.
static void count_darts(map *m, uint32_t block, uint32_t more) {
  const clv_page page = map_page(m, block << 6);
  map_rows *rows = &m->rows[page.kind];
  if (!map_is_template(page.kind)) rows->data.data[(size_t)map_row(page, block << 6) * rows->words + 1] += more;
}

// Darts that were hung into a cell have its number.
static void settle_grown(map *m) {
  const map_index *index = m->indices[clv_orbit_dims(&m->view, CLV_CELL)];
  const uint32_t stamp = map_next_mark(m);
  uint32_t last = 0, number = 0;
  for (uint32_t k = 0; k < m->scratch->arrivals.count; k++) {
    const map_write *w = &m->log.data[m->scratch->arrivals.data[k]];
    if (w->op != MAP_DART_ADD) continue;
    if (w->before != last) {
      const clv_dart dart = map_dart_before(m, last = w->before);
      tell_grown(m, dart, last, stamp);
      number = index ? map_index_get(m, index, dart) : 0;
    }
    if (index) index->record_ids.data[map_page(m, w->dart).row + (w->dart & 0xFFFFu)] = number;
    count_darts(m, last, 1);
  }
}

// The same by the lineage, which has given them the number (grow.c). A cell that lost its own darts was refined itself.
static void settle_told(map *m) {
  const map_lineage *l = &m->scratch->lineage;
  const uint32_t stamp = map_next_mark(m);
  for (uint32_t k = 0; k < l->extended.count; k++) // they got vertices that hang, and nothing else
    map_keep_shape(m, l->extended.data[k]);
  for (uint32_t k = 0; k < l->grown.count; k++) {
    const map_grown grown = l->grown.data[k];
    const clv_dart dart = map_dart_before(m, grown.block);
    if (m->records.name.data[map_own_record(m, dart)] != dart) continue;
    tell_grown(m, dart, grown.block, stamp);
    count_darts(m, grown.block, grown.count);
  }
}

static void note_shapes(map *m) {
  const map_words *notable = &m->scratch->notable;
  for (uint32_t k = 0; k < notable->count; k++) {
    const map_write *w = &m->log.data[notable->data[k]];
    if (w->op == MAP_EXTEND) map_note_shape(m, w->dart & ~63u);
  }
}

void map_settle_refined(map *m) {
  const uint32_t cells = clv_orbit_dims(&m->view, CLV_CELL);
  const clv_id none = {0, 0};
  if (m->scratch->told) {
    settle_told(m);
  } else {
    note_shapes(m);
    settle_grown(m);
  }
  const map_words *begetters = &m->scratch->begetters;
  for (uint32_t k = 0; k < begetters->count; k++) {
    const uint32_t block = begetters->data[k];
    const clv_page page = map_page(m, block << 6);
    const uint32_t row = map_row(page, block << 6);
    if ((k && begetters->data[k - 1] == block) || !map_row_alive(m, page.kind, row)) continue; // a template was dropped
    map_emit(m, cells, CLV_DELETED, CLV_NO_DART, cell_id(m, block), none);
    map_retire_block(m, block);
  }
}
