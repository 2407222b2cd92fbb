// Deleting: a whole cell; and the removal and contraction of lower cells, which are one operation in two directions.
//
// Removing an i-cell C rewires every dart x outside it whose i-link led into it: follow the i-link, then the
// (i+1)-link, then the i-link ... until out of C again. Contracting does the same with i-1 in place of i+1. Links that
// commute with i lead from one such way to another, so they commute with what comes out as well.

#include "map/edit.h"

// A whole cell

static clv_result part(map *m, uint32_t n, clv_dart dart) {
  const clv_dart partner = clv_alpha(&m->view, dart, n);
  return partner == dart ? CLV_OK : map_unsew(m, n, dart, partner);
}

static clv_result drop_records(map *m, clv_dart dart) {
  const uint32_t n = m->view.dimension;
  clv_walk cell;
  map_walk_init(&cell, m);
  clv_result result = map_walk_darts(&cell, m, clv_orbit_dims(&m->view, CLV_CELL), dart) ? CLV_OK : map_no_memory(m);
  for (uint32_t k = 0; result == CLV_OK && k < cell.count; k++) result = part(m, n, cell.darts[k]);
  for (uint32_t k = 0; result == CLV_OK && k < cell.count; k++) result = map_dart_drop(m, cell.darts[k]);
  clv_walk_end(&cell);
  return result;
}

// What unsewing and the commit will read of the cell and its neighbours.
static void look_ahead(const map *m, clv_dart cell) {
  const clv_page page = map_page(m, cell);
  const clv_template *shape = &clv_templates[page.kind];
  const map_rows *rows = &m->rows[page.kind];
  const uint32_t row = map_row(page, cell), *links = rows->data.data + (size_t)row * rows->words;
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const map_index *index = m->numbered[k];
    if (index->crossing) CLV_PREFETCH(index->ids[page.kind].data + (size_t)row * shape->sub[index->inner].count);
  }
  for (uint32_t f = 0; f < shape->facet_count; f++) {
    const clv_page beyond = map_page(m, links[f]);
    if (!links[f] || !map_is_template(beyond.kind)) continue;
    const uint32_t other = map_row(beyond, links[f]);
    CLV_PREFETCH(m->rows[beyond.kind].data.data + (size_t)other * m->rows[beyond.kind].words);
    CLV_PREFETCH(m->rows[beyond.kind].state.data + other);
  }
}

// Unsews a facet of a plain cell from another plain one; false where it is not sewn to such. There is room in the log.
static inline bool free_facet(map *m, clv_dart first, uint32_t *link) {
  const clv_dart beyond = *link;
  if ((first ^ beyond) >> 6 == 0 || !map_dart_plain(m, beyond)) return false;
  const clv_page page = map_page(m, beyond);
  const clv_template *shape = &clv_templates[page.kind];
  const uint32_t facet = shape->facet[beyond & 63u];
  uint32_t *back = m->rows[page.kind].data.data + (size_t)map_row(page, beyond) * shape->facet_count + facet;
  map_write *log = m->log.data + m->log.count;
  log[0] = (map_write){.op = MAP_LINK, .dart = first, .before = beyond};
  log[1] = (map_write){.op = MAP_LINK, .dart = (beyond & ~63u) | shape->facet_first[facet], .before = *back};
  m->log.count += 2;
  *link = *back = CLV_NO_DART;
  return true;
}

static clv_result drop_template(map *m, clv_dart dart) {
  const clv_page page = map_page(m, dart);
  const clv_template *shape = &clv_templates[page.kind];
  const clv_dart cell = dart & ~63u;
  const uint32_t facets = shape->facet_count;
  const size_t at = (size_t)map_row(page, cell) * facets;
  clv_result result = CLV_OK;
  look_ahead(m, cell);
  for (uint32_t f = 0; result == CLV_OK && f < facets; f++) {
    uint32_t *link = m->rows[page.kind].data.data + at + f;
    if (!*link) continue;
    if (!BASE_RESERVE(&m->allocator, &m->log, (uint64_t)m->log.count + 2)) return map_no_memory(m);
    const clv_dart first = cell | shape->facet_first[f];
    if (!free_facet(m, first, link))
      result = map_unsew(m, m->view.dimension, first, clv_alpha(&m->view, first, m->view.dimension));
  }
  return result == CLV_OK ? map_cell_drop(m, cell) : result;
}

clv_result clv_map_remove_cell(clv_map *view, clv_dart dart) {
  map *m = map_of(view);
  const clv_result result = map_editable(m, &dart, 1);
  if (result != CLV_OK) return result;
  const uint32_t mark = m->log.count;
  return map_end_edit(m, mark, map_dart_plain(m, dart) ? drop_template(m, dart) : drop_records(m, dart));
}

clv_result map_expect_removing(map *m, uint32_t cells) {
  enum { ENTRIES = 2 * 6 + 1 }; // both sides of a hexahedron's facets, and itself
  const bool room = BASE_RESERVE(&m->allocator, &m->log, m->log.count + (uint64_t)cells * ENTRIES);
  return room ? CLV_OK : map_no_memory(m);
}

// Removal and contraction

typedef struct dissolving {
  map *m;
  uint32_t i, next; // the cell's dimension; the link that leads on inside it
  clv_walk cell;
  map_set inside;
  clv_walk outside, targets; // darts to rewire, and what to
} dissolving;

static clv_result collect(dissolving *d, clv_dart dart) {
  map *m = d->m;
  const uint32_t all = (2u << m->view.dimension) - 1u;
  if (!map_walk_darts(&d->cell, m, all & ~(1u << d->i), dart)) return map_no_memory(m);
  for (uint32_t k = 0; k < d->cell.count; k++)
    if (map_set_insert(&d->inside, d->cell.darts[k]) == MAP_SET_NO_MEMORY) return map_no_memory(m);
  return CLV_OK;
}

// Two cells of the next dimension at the most: the links that lead on commute.
static clv_result test_degree(dissolving *d, const char *what) {
  const clv_map *view = &d->m->view;
  const uint32_t after = d->next > d->i ? d->next + 1 : d->next - 1; // wraps below 0
  if (after > view->dimension) return CLV_OK;
  for (uint32_t k = 0; k < d->cell.count; k++) {
    const clv_dart dart = d->cell.darts[k];
    if (clv_alpha(view, clv_alpha(view, dart, d->next), after) !=
        clv_alpha(view, clv_alpha(view, dart, after), d->next))
      return map_fail(d->m, CLV_ERROR_REFUSED, "the %u-cell of dart %u cannot be %s: more than two %u-cells meet it",
                      d->i, dart, what, d->next);
  }
  return CLV_OK;
}

static clv_result extend_cells(dissolving *d) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < d->cell.count; k++) {
    const clv_dart neighbour = clv_alpha(&d->m->view, d->cell.darts[k], d->i);
    result = map_extend(d->m, d->cell.darts[k]);
    if (result == CLV_OK) result = map_extend(d->m, neighbour);
  }
  return result;
}

// What the i-link of a dart outside leads to once the cell is gone: itself when it ends at a boundary in there.
static clv_dart target(const dissolving *d, clv_dart dart) {
  const clv_map *view = &d->m->view;
  clv_dart at = clv_alpha(view, dart, d->i);
  for (;;) {
    at = clv_alpha(view, at, d->next);
    const clv_dart out = clv_alpha(view, at, d->i);
    if (out == at) return dart;
    if (!map_set_has(&d->inside, out)) return out;
    at = out;
  }
}

static clv_result rewire(dissolving *d) {
  map *m = d->m;
  for (uint32_t k = 0; k < d->cell.count; k++) {
    const clv_dart dart = clv_alpha(&m->view, d->cell.darts[k], d->i);
    if (map_set_has(&d->inside, dart)) continue;
    if (!map_walk_push(&d->outside, dart) || !map_walk_push(&d->targets, target(d, dart))) return map_no_memory(m);
  }
  // All leave the cell before two are joined: at no time does a way lead through it from what is rewired to what is
  // not.
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < d->outside.count; k++)
    result = map_set_alpha(m, d->outside.darts[k], d->i, d->outside.darts[k]);
  for (uint32_t k = 0; result == CLV_OK && k < d->outside.count; k++)
    if (d->targets.darts[k] != d->outside.darts[k])
      result = map_set_alpha(m, d->outside.darts[k], d->i, d->targets.darts[k]);
  for (uint32_t k = 0; result == CLV_OK && k < d->cell.count; k++) result = map_dart_drop(m, d->cell.darts[k]);
  return result;
}

static clv_result dissolve(map *m, uint32_t i, uint32_t next, clv_dart dart, const char *what) {
  dissolving d = {.m = m, .i = i, .next = next};
  const uint32_t mark = m->log.count;
  map_walk_init(&d.cell, m);
  map_walk_init(&d.outside, m);
  map_walk_init(&d.targets, m);
  map_set_init(&d.inside, &m->allocator);
  clv_result result = collect(&d, dart);
  if (result == CLV_OK) result = test_degree(&d, what);
  if (result == CLV_OK) result = extend_cells(&d);
  if (result == CLV_OK) result = rewire(&d);
  clv_walk_end(&d.cell);
  clv_walk_end(&d.outside);
  clv_walk_end(&d.targets);
  map_set_free(&d.inside);
  return map_end_edit(m, mark, result);
}

clv_result clv_map_remove(clv_map *view, uint32_t i, clv_dart dart) {
  map *m = map_of(view);
  const clv_result result = map_editable(m, &dart, 1);
  if (result != CLV_OK) return result;
  if (i >= view->dimension)
    return map_fail(m, CLV_ERROR_ARGUMENT,
                    "only cells of dimension 0 to %u can be removed so, not %u: see clv_map_remove_cell",
                    view->dimension - 1, i);
  return dissolve(m, i, i + 1, dart, "removed");
}

clv_result clv_map_contract(clv_map *view, uint32_t i, clv_dart dart) {
  map *m = map_of(view);
  const clv_result result = map_editable(m, &dart, 1);
  if (result != CLV_OK) return result;
  if (i < 1 || i > view->dimension)
    return map_fail(m, CLV_ERROR_ARGUMENT, "only cells of dimension 1 to %u can be contracted, not %u", view->dimension,
                    i);
  return dissolve(m, i, i - 1, dart, "contracted");
}
