// See show.h. What a commit wrote is read from the view's log, as views do: the cells of the darts it names, the cells
// that events are about, and those about vertices that have another number now.

#include "live/show.h"
#include "map/plan.h"

#include <stdlib.h>

#define PUSH(show, array, value)                                                                                       \
  (((array)->count < (array)->capacity || BASE_RESERVE((show)->allocator, array, (uint64_t)(array)->count + 1))        \
       ? ((array)->data[(array)->count++] = (value), true)                                                             \
       : false)

// ---- hearing ------------------------------------------------------------------------------------

uint32_t live_cell_slots(const clv_map *view) {
  return map_read(view)->pages.count << 10;
}

clv_dart live_cell_dart(const clv_map *view, uint32_t cell) {
  const map *m = map_read(view);
  if (cell < 1u << 10 || cell >= live_cell_slots(view)) return CLV_NO_DART;
  const clv_dart first = (clv_dart)cell << 6;
  const clv_page page = map_page(m, first);
  if (page.kind == MAP_KIND_DARTS) return CLV_NO_DART;
  const uint32_t row = map_row(page, first);
  if (row >= m->rows[page.kind].count || !map_row_alive(m, page.kind, row)) return CLV_NO_DART;
  return map_is_template(page.kind) ? first : m->rows[page.kind].data.data[(size_t)row * m->rows[page.kind].words];
}

static bool stamp_room(live_show *show) {
  const uint32_t slots = live_cell_slots(show->map), before = show->stamps.capacity;
  if (!BASE_RESERVE(show->allocator, &show->stamps, slots)) return false;
  if (show->stamps.capacity > before)
    memset(show->stamps.data + before, 0, (show->stamps.capacity - before) * sizeof(uint32_t));
  return true;
}

static void touch(live_show *show, uint32_t cell) {
  if (!cell || show->stale || cell >= show->stamps.capacity || show->stamps.data[cell] == show->stamp) return;
  show->stamps.data[cell] = show->stamp;
  show->stale = !PUSH(show, &show->touched, cell);
}

static void touch_star(live_show *show, clv_dart dart) {
  clv_walk star;
  if (clv_walk_star(&star, show->map, CLV_VERTEX, dart) != CLV_OK) show->stale = true;
  for (uint32_t k = 0; !show->stale && k < star.count; k++)
    touch(show, clv_id_of(show->map, CLV_CELL, star.darts[k]).index);
  clv_walk_end(&star);
}

static int compare_renames(const void *a, const void *b) {
  const clv_dart p = ((const clv_rename *)a)->before, q = ((const clv_rename *)b)->before;
  return (p > q) - (p < q);
}

static clv_dart name_now(const live_show *show, clv_dart dart) {
  const clv_rename wanted = {.before = dart};
  const clv_rename *found =
      show->renames.count ? bsearch(&wanted, show->renames.data, show->renames.count, sizeof wanted, compare_renames)
                          : NULL;
  if (found) return found->after;
  return clv_dart_alive(show->map, dart) ? dart : CLV_NO_DART;
}

static void hear(void *user, const clv_map *view, const clv_commit *commit) {
  live_show *show = user;
  const map *m = map_read(view);
  show->renames.count = 0;
  show->stale |= !stamp_room(show) || !BASE_RESERVE(show->allocator, &show->renames, commit->rename_count);
  if (show->stale) return;
  if (commit->rename_count) {
    memcpy(show->renames.data, commit->renames, commit->rename_count * sizeof *commit->renames);
    show->renames.count = commit->rename_count;
    qsort(show->renames.data, show->renames.count, sizeof *show->renames.data, compare_renames);
  }
  for (uint32_t k = 0; k < m->told; k++) {
    const clv_dart dart = name_now(show, m->log.data[k].dart);
    if (dart) touch(show, map_block(m, dart));
  }
  const uint32_t cells = clv_orbit_dims(view, CLV_CELL), vertices = clv_orbit_dims(view, CLV_VERTEX);
  for (uint32_t k = 0; k < commit->event_count; k++) {
    const clv_event *event = &commit->events[k];
    if (event->dims == cells) {
      touch(show, event->id.index);
      touch(show, event->from.index);
    } else if (event->dims == vertices && event->dart) {
      touch_star(show, event->dart);
    }
  }
}

// ---- faces of a cell ----------------------------------------------------------------------------

static uint32_t flags_of(const live_show *show, clv_dart cell) {
  const uint32_t level = clv_surgery_level(show->surgery, cell);
  const int32_t *region = show->region ? clv_column_at(show->region, cell) : NULL;
  const uint32_t tag = region && *region > 0 && *region < 65536 ? (uint32_t)*region : 0;
  return (level < 255 ? level : 255) << 8 | tag << 16;
}

static bool is_outer(const live_show *show, clv_dart dart) {
  return *(const uint8_t *)clv_column_at(show->outer, dart) != 0;
}

// The corners of the face at a dart, going round; and which of its sides, in 2D, lie open.
static bool walk_face(live_show *show, clv_dart first) {
  const clv_map *view = show->map;
  show->loop.count = show->opened.count = 0;
  clv_dart at = first;
  do {
    const bool open = view->dimension == 2 && clv_is_free(view, at, 2) && !is_outer(show, at);
    if (!PUSH(show, &show->loop, clv_id_of(view, CLV_VERTEX, at).index) || !PUSH(show, &show->opened, open))
      return false;
    at = clv_alpha(view, clv_alpha(view, at, 0), 1);
  } while (at != first);
  return true;
}

// A fan of triangles.
static bool push_face(live_show *show, uint32_t cell, uint32_t flags) {
  const uint32_t *loop = show->loop.data, count = show->loop.count;
  const uint8_t *open = show->opened.data;
  for (uint32_t k = 1; k + 1 < count; k++) {
    const uint32_t ab = k == 1, ca = k + 2 == count;
    live_face face = {.corner = {loop[0], loop[k], loop[k + 1]}, .cell = cell, .flags = flags};
    face.flags |= LIVE_FACE_EDGE * (ab | 2u | ca << 2);
    face.flags |= LIVE_FACE_OPEN_SIDE * ((ab & open[0]) | (uint32_t)open[k] << 1 | (ca & open[count - 1]) << 2);
    if (!PUSH(show, &show->work, face)) return false;
  }
  return true;
}

// Six times the volume between a triangle and a point, at rest.
static double height(const double *rest, const uint32_t *corner, const double *from) {
  double e[3][3];
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t c = 0; c < 3; c++) e[k][c] = rest[3 * (size_t)corner[k] + c] - from[c];
  return e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
         e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0]);
}

// Where the middle of a cell is at rest.
static bool find_middle(live_show *show, clv_dart cell, double middle[3]) {
  const clv_map *view = show->map;
  const double *rest = clv_body_rest(show->body);
  const clv_kind kind = clv_cell_shape(view, cell);
  uint32_t count = 0;
  middle[0] = middle[1] = middle[2] = 0;
  if (kind <= CLV_TEMPLATE_LAST) {
    count = clv_templates[kind].corner_count;
    const uint32_t *corners = view->corners[kind] + (size_t)clv_cell_row(view, cell) * count;
    for (uint32_t k = 0; k < 3 * count; k++) middle[k % 3] += rest[3 * (size_t)corners[k / 3] + k % 3];
  } else {
    clv_walk walk;
    if (clv_walk_incident(&walk, view, CLV_CELL, CLV_CORNER, cell) != CLV_OK) return false;
    count = walk.count;
    for (uint32_t k = 0; k < 3 * count; k++)
      middle[k % 3] += rest[3 * (size_t)clv_id_of(view, CLV_VERTEX, walk.darts[k / 3]).index + k % 3];
    clv_walk_end(&walk);
  }
  for (uint32_t c = 0; c < 3; c++) middle[c] /= count;
  return true;
}

// Faces were taken from darts of one side: all of them are seen from outside, or all from inside.
static bool turn_outward(live_show *show, clv_dart cell) {
  const double *rest = clv_body_rest(show->body);
  double middle[3], volume = 0;
  if (!find_middle(show, cell, middle)) return false;
  for (uint32_t k = 0; k < show->work.count; k++) volume += height(rest, show->work.data[k].corner, middle);
  for (uint32_t k = 0; volume < 0 && k < show->work.count; k++) {
    live_face *face = &show->work.data[k];
    const uint32_t b = face->corner[1], sides = face->flags / LIVE_FACE_EDGE & 7u;
    face->corner[1] = face->corner[2];
    face->corner[2] = b;
    face->flags &= ~(uint32_t)(LIVE_FACE_EDGE * 7);
    face->flags |= LIVE_FACE_EDGE * ((sides & 2u) | sides >> 2 | (sides & 1u) << 2); // ab and ca change places
  }
  return true;
}

static bool add_facet(live_show *show, clv_dart facet, uint32_t cell, uint32_t flags, uint32_t layer) {
  const clv_map *view = show->map;
  const bool open = clv_is_free(view, facet, 3);
  if (layer == 0 && !open) return true;
  if (open && !is_outer(show, facet)) flags |= LIVE_FACE_OPEN;
  return walk_face(show, clv_side(view, facet) ? clv_alpha(view, facet, 0) : facet) && push_face(show, cell, flags);
}

// Fills `work` with the faces that a cell has in a layer.
static bool find_faces(live_show *show, clv_dart cell, uint32_t layer) {
  const clv_map *view = show->map;
  const uint32_t number = clv_id_of(view, CLV_CELL, cell).index, flags = flags_of(show, cell);
  show->work.count = 0;
  if (view->dimension == 2)
    return walk_face(show, clv_side(view, cell) ? clv_alpha(view, cell, 0) : cell) && push_face(show, number, flags);
  const clv_kind kind = clv_cell_kind(view, cell);
  if (kind <= CLV_TEMPLATE_LAST) {
    const clv_template *shape = &clv_templates[kind];
    for (uint32_t f = 0; f < shape->facet_count; f++)
      if (!add_facet(show, (cell & ~63u) | shape->facet_first[f], number, flags, layer)) return false;
  } else {
    clv_walk facets;
    bool good = clv_walk_incident(&facets, view, CLV_CELL, CLV_FACE | CLV_IN_CELL, cell) == CLV_OK;
    for (uint32_t k = 0; good && k < facets.count; k++) good = add_facet(show, facets.darts[k], number, flags, layer);
    clv_walk_end(&facets);
    if (!good) return false;
  }
  return show->work.count == 0 || turn_outward(show, cell);
}

// ---- tables -------------------------------------------------------------------------------------

static bool make_runs(live_show *show, live_table *table) {
  const uint32_t slots = live_cell_slots(show->map);
  if (!BASE_RESERVE(show->allocator, &table->runs, slots)) return false;
  while (table->runs.count < slots) table->runs.data[table->runs.count++] = (live_run){0};
  return true;
}

// A run of slots with room for so many faces: one that was left, or new ones.
static bool take_run(live_show *show, live_table *table, uint32_t need, live_run *run) {
  for (uint32_t k = table->spare.count; k-- > 0 && k + 64 > table->spare.count;) {
    if (table->spare.data[k].room != need) continue;
    *run = table->spare.data[k];
    table->spare.data[k] = table->spare.data[--table->spare.count];
    return true;
  }
  const uint32_t first = table->faces.count;
  const uint64_t end = (uint64_t)first + need;
  if (!BASE_RESERVE(show->allocator, &table->faces, end) || !BASE_RESERVE(show->allocator, &table->stamps, end) ||
      !BASE_RESERVE(show->allocator, &table->dirty, end))
    return false;
  memset(table->faces.data + first, 0, need * sizeof *table->faces.data);
  memset(table->stamps.data + first, 0, need * sizeof *table->stamps.data);
  table->faces.count = table->stamps.count = first + need;
  *run = (live_run){.first = first, .room = need};
  return true;
}

static bool put_slot(live_show *show, live_table *table, uint32_t slot, const live_face *face) {
  if (!memcmp(&table->faces.data[slot], face, sizeof *face)) return true;
  table->faces.data[slot] = *face;
  if (table->stamps.data[slot] == table->version || table->whole) {
    table->stamps.data[slot] = table->version;
    return true;
  }
  table->stamps.data[slot] = table->version;
  return PUSH(show, &table->dirty, slot);
}

static bool put_faces(live_show *show, live_table *table, uint32_t cell) {
  static const live_face none = {.corner = {0, 0, 0}};
  live_run *run = &table->runs.data[cell];
  const uint32_t need = show->work.count;
  if (need > run->room) {
    live_run taken;
    if (!BASE_RESERVE(show->allocator, &table->spare, (uint64_t)table->spare.count + 1)) return false;
    if (!take_run(show, table, need, &taken)) return false;
    for (uint32_t k = 0; k < run->count; k++)
      if (!put_slot(show, table, run->first + k, &none)) return false;
    if (run->room) table->spare.data[table->spare.count++] = *run;
    *run = taken;
  }
  for (uint32_t k = 0; k < need || k < run->count; k++)
    if (!put_slot(show, table, run->first + k, k < need ? &show->work.data[k] : &none)) return false;
  run->count = need;
  return true;
}

static bool refresh_cell(live_show *show, live_table *table, uint32_t layer, uint32_t cell, clv_dart dart) {
  show->work.count = 0;
  return (!dart || find_faces(show, dart, layer)) && put_faces(show, table, cell);
}

static bool make_table(live_show *show, uint32_t layer) {
  live_table *table = &show->layers[layer];
  table->faces.count = table->stamps.count = table->runs.count = table->spare.count = table->dirty.count = 0;
  table->version++;
  table->whole = true;
  if (!make_runs(show, table)) return false;
  for (clv_id id = clv_id_next(show->map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(show->map, CLV_CELL, id))
    if (!refresh_cell(show, table, layer, id.index, clv_id_dart(show->map, CLV_CELL, id))) return false;
  return true;
}

static bool refresh_table(live_show *show, uint32_t layer) {
  live_table *table = &show->layers[layer];
  if (!make_runs(show, table)) return false;
  table->version++;
  for (uint32_t k = 0; k < show->touched.count; k++) {
    const uint32_t cell = show->touched.data[k];
    if (!refresh_cell(show, table, layer, cell, live_cell_dart(show->map, cell))) return false;
  }
  return true;
}

bool live_show_update(live_show *show) {
  const bool all = show->stale, some = show->touched.count != 0;
  bool good = true;
  for (uint32_t layer = 0; good && (all || some) && layer < LIVE_LAYERS; layer++)
    if (show->layers[layer].kept) good = all ? make_table(show, layer) : refresh_table(show, layer);
  show->touched.count = 0;
  show->stamp++;
  show->stale = !good;
  return good;
}

void live_show_keep(live_show *show, uint32_t layer, bool kept) {
  if (show->layers[layer].kept == kept) return;
  show->layers[layer].kept = kept;
  if (kept) show->stale = true;
}

// ---- pieces -------------------------------------------------------------------------------------

static bool reach(live_show *show, clv_dart dart) {
  const uint32_t number = map_block(map_read(show->map), dart);
  if (show->stamps.data[number] == show->stamp) return true;
  show->stamps.data[number] = show->stamp;
  return PUSH(show, &show->stack, dart);
}

static bool reach_across(live_show *show, clv_dart cell) {
  const clv_map *view = show->map;
  const clv_kind kind = clv_cell_kind(view, cell);
  bool good = true;
  if (kind <= CLV_TEMPLATE_LAST) {
    const clv_template *shape = &clv_templates[kind];
    for (uint32_t f = 0; good && f < shape->facet_count; f++)
      good = reach(show, clv_alpha(view, (cell & ~63u) | shape->facet_first[f], view->dimension));
    return good;
  }
  clv_walk facets;
  good = clv_walk_incident(&facets, view, CLV_CELL, CLV_CELL_FACET(view->dimension), cell) == CLV_OK;
  for (uint32_t k = 0; good && k < facets.count; k++)
    good = reach(show, clv_alpha(view, facets.darts[k], view->dimension));
  clv_walk_end(&facets);
  return good;
}

static bool flood(live_show *show, clv_dart from) {
  show->stack.count = 0;
  bool good = reach(show, from);
  while (good && show->stack.count) good = reach_across(show, show->stack.data[--show->stack.count]);
  return good;
}

uint32_t live_show_components(live_show *show) {
  if (!stamp_room(show)) return UINT32_MAX;
  uint32_t count = 0;
  show->stamp++;
  for (clv_id id = clv_id_next(show->map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(show->map, CLV_CELL, id)) {
    if (show->stamps.data[id.index] == show->stamp) continue;
    if (!flood(show, clv_id_dart(show->map, CLV_CELL, id))) return UINT32_MAX;
    count++;
  }
  show->stamp++;
  return count;
}

// ---- creating -----------------------------------------------------------------------------------

// Every facet that has nothing beyond it now is outer.
static bool mark_outer(const live_show *show) {
  const clv_map *view = show->map;
  for (clv_id id = clv_id_next(view, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(view, CLV_CELL, id)) {
    clv_walk facets;
    const bool good = clv_walk_incident(&facets, view, CLV_CELL, CLV_CELL_FACET(view->dimension),
                                        clv_id_dart(view, CLV_CELL, id)) == CLV_OK;
    for (uint32_t k = 0; good && k < facets.count; k++)
      *(uint8_t *)clv_column_at(show->outer, facets.darts[k]) = clv_is_free(view, facets.darts[k], view->dimension);
    clv_walk_end(&facets);
    if (!good) return false;
  }
  return true;
}

clv_result live_show_create(live_show *show, const clv_allocator *allocator, clv_body *body, clv_surgery *surgery,
                            clv_error *error) {
  show->allocator = allocator;
  show->body = body;
  show->surgery = surgery;
  show->map = clv_body_map(body);
  show->region = clv_column_find(show->map, "region");
  show->stale = true;
  show->touched.count = 0;
  show->stamp++;
  const clv_column_def def = {
      .name = "live_outer", .orbit = CLV_CELL_FACET(show->map->dimension), .type = CLV_BYTES, .components = 1};
  clv_result result = CLV_OK;
  show->outer = clv_column_find(show->map, def.name);
  if (!show->outer) {
    result = clv_column_create(show->map, &def, &show->outer);
    if (result == CLV_OK && !mark_outer(show)) result = CLV_ERROR_MEMORY;
  }
  if (result == CLV_OK) result = clv_map_subscribe(show->map, hear, show);
  if (result == CLV_OK) return CLV_OK;
  show->map = NULL;
  return clv_error_set(error, result, "out of memory while a body was prepared to be looked at");
}

void live_show_leave(live_show *show) {
  if (show->map) clv_map_unsubscribe(show->map, hear, show);
  show->map = NULL;
}

void live_show_free(live_show *show) {
  const clv_allocator *a = show->allocator;
  if (!a) return;
  live_show_leave(show);
  for (uint32_t layer = 0; layer < LIVE_LAYERS; layer++) {
    BASE_RELEASE(a, &show->layers[layer].faces);
    BASE_RELEASE(a, &show->layers[layer].stamps);
    BASE_RELEASE(a, &show->layers[layer].runs);
    BASE_RELEASE(a, &show->layers[layer].spare);
    BASE_RELEASE(a, &show->layers[layer].dirty);
  }
  BASE_RELEASE(a, &show->touched);
  BASE_RELEASE(a, &show->stamps);
  BASE_RELEASE(a, &show->renames);
  BASE_RELEASE(a, &show->work);
  BASE_RELEASE(a, &show->loop);
  BASE_RELEASE(a, &show->opened);
  BASE_RELEASE(a, &show->stack);
}
