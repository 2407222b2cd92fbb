// Checking: every condition of a G-map and of its storage, each with a name, the darts and a sentence.

#include "map/walk.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct checker {
  const map *m;
  void (*report)(void *user, const clv_problem *problem);
  void *user;
  clv_result result;
} checker;

static void broken(checker *c, const char *condition, clv_dart a, clv_dart b, const char *format, ...) CLV_PRINTF(5, 6);

static void broken(checker *c, const char *condition, clv_dart a, clv_dart b, const char *format, ...) {
  clv_problem problem = {.condition = condition, .darts = {a, b}};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(problem.message, sizeof problem.message, format, arguments);
  va_end(arguments);
  if (c->result != CLV_ERROR_MEMORY) c->result = CLV_ERROR_INVALID;
  if (c->report) c->report(c->user, &problem);
}

static void no_memory(checker *c) {
  c->result = CLV_ERROR_MEMORY;
}

// The conditions of a G-map

// What is stored must exist before anything may follow it.

static void check_stored(checker *c, clv_dart from, uint32_t i, clv_dart to) {
  if (!clv_dart_alive(&c->m->view, to))
    broken(c, "dangling", from, to, "a%u(%u) = %u, which does not exist", i, from, to);
}

static void check_stored_links(checker *c) {
  const map *m = c->m;
  const uint32_t n = m->view.dimension;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++) {
    const map_rows *rows = &m->rows[kind];
    for (uint32_t row = 0; row < rows->count; row++) {
      if (!(rows->state.data[row] & 1u) || (rows->state.data[row] & MAP_EXTENDED)) continue;
      for (uint32_t f = 0; f < rows->words; f++) {
        const clv_dart link = rows->data.data[row * rows->words + f];
        if (link) check_stored(c, map_cell_dart(m, kind, row) | clv_templates[kind].facet_first[f], n, link);
      }
    }
  }
  for (uint32_t record = 0; record < m->records.count; record++)
    for (uint32_t i = 0; i <= n && m->records.name.data[record]; i++)
      check_stored(c, m->records.name.data[record], i, m->records.alpha.data[4 * record + i]);
}

static void check_links(checker *c, clv_dart d) {
  const clv_map *view = &c->m->view;
  for (uint32_t i = 0; i <= view->dimension; i++) {
    const clv_dart beyond = clv_alpha(view, d, i), back = clv_alpha(view, beyond, i);
    if (back != d) broken(c, "involution", d, beyond, "a%u(%u) = %u, but a%u(%u) = %u", i, d, beyond, i, beyond, back);
    for (uint32_t j = i + 2; j <= view->dimension; j++) {
      const clv_dart there = clv_alpha(view, beyond, j);
      if (!clv_dart_alive(view, there)) continue; // reported at its own dart
      const clv_dart around = clv_alpha(view, there, i);
      if (!clv_dart_alive(view, around)) continue;
      const clv_dart end = clv_alpha(view, around, j);
      if (end != d)
        broken(c, "commutation", d, end, "a%u, a%u, a%u, a%u lead from %u to %u, not back", i, j, i, j, d, end);
    }
  }
}

static void check_side(checker *c, clv_dart d, uint32_t *twisted) {
  for (uint32_t i = 0; i <= c->m->view.dimension; i++) {
    const clv_dart beyond = clv_alpha(&c->m->view, d, i);
    if (beyond == d || map_side(c->m, beyond) != map_side(c->m, d)) continue;
    ++*twisted;
    if (!c->m->twisted)
      broken(c, "orientation", d, beyond, "a%u joins darts %u and %u of one side in an orientable map", i, d, beyond);
  }
}

static void check_darts(checker *c) {
  const clv_map *view = &c->m->view;
  uint32_t twisted = 0;
  uint64_t count = 0;
  for (clv_dart d = clv_dart_next(view, 0); d; d = clv_dart_next(view, d)) {
    check_links(c, d);
    check_side(c, d, &twisted);
    count++;
  }
  if (twisted != c->m->twisted && c->m->twisted)
    broken(c, "orientation", 0, 0, "%u links join equal sides, %u are known", twisted, c->m->twisted);
  if (count != clv_dart_count(view))
    broken(c, "dart-count", 0, 0, "there are %llu darts, %llu are counted", (unsigned long long)count,
           (unsigned long long)clv_dart_count(view));
}

// Cells: each is one orbit, and its darts know it

static void check_explicit_cell(checker *c, uint32_t block, clv_dart first, uint32_t size) {
  clv_walk cell;
  map_walk_init(&cell, c->m);
  if (!map_walk_darts(&cell, c->m, clv_orbit_dims(&c->m->view, CLV_CELL), first)) {
    no_memory(c);
  } else if (size && cell.count != size) {
    broken(c, "cell-size", first, 0, "the cell has %u darts, %u are counted", cell.count, size);
  }
  for (uint32_t k = 0; k < cell.count; k++)
    if (map_block(c->m, cell.darts[k]) != block)
      broken(c, "cell-of-dart", cell.darts[k], first, "dart %u names cell %u, but lies in cell %u", cell.darts[k],
             map_block(c->m, cell.darts[k]), block);
  clv_walk_end(&cell);
}

static void check_extended_cell(checker *c, clv_dart cell) {
  check_explicit_cell(c, cell >> 6, cell, 0);
  if (map_has_shape(c->m, cell) != (clv_cell_shape(&c->m->view, cell) <= CLV_TEMPLATE_LAST))
    broken(c, "cell-shape", cell, 0, "cell %u is not known for what it is, a template with hanging vertices or none",
           cell >> 6);
}

static void check_cells(checker *c) {
  const map *m = c->m;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_KINDS; kind++) {
    uint32_t alive = 0;
    for (uint32_t row = 0; row < m->rows[kind].count; row++) {
      const uint32_t state = m->rows[kind].state.data[row];
      if (!(state & 1u)) continue;
      alive++;
      const clv_dart cell = map_cell_dart(m, kind, row);
      const uint32_t *words = &m->rows[kind].data.data[row * m->rows[kind].words];
      if (!map_is_template(kind) && !clv_dart_alive(&m->view, words[0]))
        broken(c, "cell-dart", words[0], 0, "cell %u has no dart", cell >> 6);
      else if (!map_is_template(kind))
        check_explicit_cell(c, cell >> 6, words[0], words[1]);
      else if (state & MAP_EXTENDED)
        check_extended_cell(c, cell);
    }
    if (alive != m->rows[kind].alive)
      broken(c, "cell-count", 0, 0, "%u cells of kind %s are alive, %u are counted", alive,
             clv_kind_name((clv_kind)kind), m->rows[kind].alive);
  }
}

// Free lists: everything on them is dead, and everything dead is on them.

typedef struct free_list {
  const char *what;
  uint32_t first;       // + 1; 0: none
  const uint32_t *next; // at every `stride`-th word, + 1
  uint32_t stride, count;
  const uint16_t *generation; // of each entry; NULL: names tell
  const uint32_t *name;
} free_list;

static uint32_t check_free_list(checker *c, const free_list *list) {
  uint32_t length = 0;
  for (uint32_t at = list->first; at; at = list->next[(size_t)(at - 1) * list->stride], length++) {
    if (at - 1 >= list->count || length > list->count) {
      broken(c, "free-list", 0, 0, "the free %s lead out of their list, to %u", list->what, at - 1);
      return length;
    }
    const bool by_name = list->name && list->name[at - 1];
    if (list->generation ? list->generation[at - 1] & 1u : by_name) {
      broken(c, "free-list", 0, 0, "%u is among the free %s, but in use", at - 1, list->what);
      return length;
    }
  }
  return length;
}

static void check_dead(checker *c, const char *what, uint32_t dead, uint32_t listed) {
  if (dead != listed) broken(c, "free-list", 0, 0, "%u %s are dead, %u are on the free list", dead, what, listed);
}

static void check_free_rows(checker *c) {
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_KINDS; kind++) {
    const map_rows *rows = &c->m->rows[kind];
    const char *what = clv_kind_name((clv_kind)kind);
    const free_list list = {what, rows->free, rows->data.data, rows->words, rows->count, rows->state.data, NULL};
    check_dead(c, what, rows->count - rows->alive - rows->retired, check_free_list(c, &list));
  }
}

// Runs of records are listed by length; darts that were deleted from an extended cell stay in its run.
static void check_free_records(checker *c) {
  const map *m = c->m;
  uint32_t listed = 0, held = 0;
  for (uint32_t length = 1; length <= CLV_TEMPLATE_DARTS; length++) {
    const free_list list = {"records", m->records.free[length], m->records.alpha.data, 4, m->records.count,
                            NULL,      m->records.name.data};
    listed += length * check_free_list(c, &list);
  }
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++) {
    const map_rows *rows = &m->rows[kind];
    for (uint32_t row = 0; row < rows->count; row++) {
      if (!(rows->state.data[row] & 1u) || !(rows->state.data[row] & MAP_EXTENDED)) continue;
      const uint32_t first = rows->data.data[row * rows->words];
      for (uint32_t l = 0; l < clv_templates[kind].dart_count; l++) held += !m->records.name.data[first + l];
    }
  }
  check_dead(c, "records", m->records.count - m->records.alive - held, listed);
}

// Ids: one for each orbit, the same at every dart of it

static void check_id_alive(checker *c, const map_index *index, clv_dart d, uint32_t id, const clv_walk *places) {
  if (!id || id >= index->count || !(index->generation.data[id] & 1u)) {
    broken(c, "orbit-id", d, 0, "the orbit %x of dart %u has id %u, which is not alive", index->dims, d, id);
    return;
  }
  const clv_dart remembered = index->dart.data[id];
  bool found = false;
  for (uint32_t k = 0; k < places->count && clv_dart_alive(&c->m->view, remembered); k++)
    found |= places->darts[k] ==
             (map_dart_plain(c->m, remembered) ? map_place_plain(c->m, index->inner, remembered) : remembered);
  if (!found)
    broken(c, "orbit-dart", remembered, d, "id %u of orbit %x remembers dart %u, which lies elsewhere", id, index->dims,
           remembered);
}

static void check_orbit_id(checker *c, const map_index *index, clv_dart d, clv_marks *seen) {
  clv_walk places;
  map_walk_init(&places, c->m);
  if (!map_walk_places(&places, c->m, index->dims, d)) no_memory(c);
  const uint32_t id = map_index_get(c->m, index, d);
  for (uint32_t k = 0; k < places.count; k++) {
    const clv_dart dart = places.darts[k];
    if (clv_marks_set(seen, dart) != CLV_OK) no_memory(c);
    const uint32_t other = map_index_get(c->m, index, dart);
    if (other != id)
      broken(c, "orbit-id", d, dart, "orbit %x has id %u at dart %u and %u at dart %u", index->dims, id, d, other,
             dart);
  }
  if (!(id & MAP_TEMPLATE_SLOT)) check_id_alive(c, index, d, id, &places);
  clv_walk_end(&places);
}

static void check_index(checker *c, const map_index *index) {
  clv_marks *seen = clv_marks_create(&c->m->view);
  if (!seen) {
    no_memory(c);
    return;
  }
  uint32_t orbits = 0, alive = 0;
  for (clv_dart d = clv_dart_next(&c->m->view, 0); d && c->result != CLV_ERROR_MEMORY;
       d = clv_dart_next(&c->m->view, d)) {
    if (!map_names_place(c->m, index->inner, d) || clv_marks_get(seen, d)) continue;
    check_orbit_id(c, index, d, seen);
    orbits += !(map_index_get(c->m, index, d) & MAP_TEMPLATE_SLOT);
  }
  clv_marks_destroy(seen);
  if (c->result == CLV_ERROR_MEMORY) return;
  for (uint32_t id = 1; id < index->count; id++) alive += index->generation.data[id] & 1u;
  if (alive != index->alive || orbits != alive)
    broken(c, "orbit-count", 0, 0, "orbit %x: %u orbits, %u ids alive, %u counted", index->dims, orbits, alive,
           index->alive);
  // Id k is entry k of the list, so the list starts one word early.
  const free_list list = {"ids", index->free, index->dart.data + 1, 1, index->count - 1, index->generation.data + 1,
                          NULL};
  check_dead(c, "ids", index->count - 1 - alive - index->retired, check_free_list(c, &list));
}

// The corners of extended cells stay in step with their records.
static void check_extended_rows(checker *c) {
  const map *m = c->m;
  for (uint32_t record = 0; record < m->records.count; record++) {
    const clv_dart d = m->records.name.data[record];
    if (!d || !map_is_template(map_page(m, d).kind)) continue;
    const clv_page page = map_page(m, d);
    for (uint32_t dims = 0; dims < MAP_INDICES; dims++) {
      const map_index *index = m->indices[dims];
      if (!index || !index->crossing) continue;
      const clv_suborbits *sub = &clv_templates[page.kind].sub[index->inner];
      const uint32_t number = sub->of[d & 63u];
      if (sub->first[number] != (d & 63u)) continue;
      const uint32_t in_row = index->ids[page.kind].data[map_row(page, d) * sub->count + number];
      if (in_row != index->record_ids.data[record])
        broken(c, "row-id", d, 0, "the row of dart %u says %u for orbit %x, its record %u", d, in_row, dims,
               index->record_ids.data[record]);
    }
  }
}

clv_result clv_map_check(const clv_map *view, void (*report)(void *user, const clv_problem *problem), void *user) {
  checker c = {.m = map_read(view), .report = report, .user = user, .result = CLV_OK};
  if (c.m->open) {
    broken(&c, "transaction", 0, 0, "a transaction is open: a map is checked between transactions");
    return CLV_ERROR_ARGUMENT;
  }
  check_stored_links(&c);
  if (c.result == CLV_OK) check_darts(&c);
  if (c.result == CLV_OK) check_cells(&c); // orbits are walked only where the links are sound
  if (c.result == CLV_OK) check_free_rows(&c);
  if (c.result == CLV_OK) check_free_records(&c);
  for (uint32_t dims = 0; dims < MAP_INDICES && c.result == CLV_OK; dims++)
    if (c.m->indices[dims]) check_index(&c, c.m->indices[dims]);
  if (c.result == CLV_OK) check_extended_rows(&c);
  if (c.result == CLV_OK && c.m->embedding.check) return c.m->embedding.check(c.m->embedding.self, c.m, report, user);
  return c.result;
}
