// Which cells a commit may make, and what those are made of that are parts of no other.
//
// A cell hands on what it is made of to the cells that it is cut into. One that is added beside others, as by a rule
// that extrudes, has nobody to have it of: it gets all that cells bear of a neighbour, but for what the transaction
// itself says. And each cell must be of a kind that its model has laws for: without them it would weigh nothing and
// bear nothing, and nobody would hear of it. So a commit is judged before it is carried out, and refused where a cell
// has no neighbour, or would become what its model does not know.

#include "embed/embed.h"
#include "map/plan.h"
#include "physics/body.h"

enum { NO_SECTION = -1 };

// Judging

// A cell as it will be, by its darts.
typedef struct candidate {
  const clv_dart *darts;
  uint32_t count;
  clv_kind kind;
} candidate;

static int32_t section_of_block(const clv_body *body, const map *m, uint32_t block) {
  for (uint32_t fresh; block && (fresh = map_fresh_number(m, block)) != MAP_NOT_FRESH;) block = map_begetter(m, fresh);
  if (!block) return NO_SECTION;
  const clv_page page = map_page(m, block << 6);
  if (map_is_template(page.kind))
    return ((const int32_t *)clv_column_data(body->section, (clv_kind)page.kind, NULL))[map_row(page, block << 6)];
  return *(const int32_t *)clv_column_at(body->section, map_dart_before(m, block));
}

// Of the cell that a dart lay in, or was born in.
static int32_t section_at(const clv_body *body, const map *m, clv_dart dart) {
  const uint32_t block = map_block(m, dart);
  if (block || !m->scratch->origins) return section_of_block(body, m, block);
  const clv_dart origin = map_origin(m, dart);
  return origin ? section_of_block(body, m, map_block(m, origin)) : NO_SECTION;
}

static clv_result refuse_kind(map *m, const physics_model *model, const candidate *cell) {
  const char *kind = clv_kind_name(cell->kind);
  if (cell->kind > CLV_TEMPLATE_LAST)
    return map_fail(m, CLV_ERROR_REFUSED,
                    "the cell of dart %u, of model '%s', would become a %s, which no model serves: cut it into %s, in "
                    "the same transaction or script",
                    cell->darts[0], model->name, kind,
                    m->view.dimension == 2 ? "triangles or quadrangles" : "tetrahedra, pyramids, prisms or hexahedra");
  return map_fail(m, CLV_ERROR_REFUSED,
                  "the cell of dart %u would become a %s, which its model '%s' does not serve: it is for %s; choose "
                  "another model, or cut the cell into what it serves",
                  cell->darts[0], kind, model->name, physics_model_serves(model));
}

static clv_result judge_kind(const clv_body *body, map *m, int32_t section, const candidate *cell) {
  const physics_model *model = body->sections.data[section].model;
  return model->kinds & PHYSICS_KIND(cell->kind) ? CLV_OK : refuse_kind(m, model, cell);
}

static void drop_borne(clv_body *body, const clv_column *column) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < body->borne.count; k++)
    if (body->borne.data[k] != column) body->borne.data[kept++] = body->borne.data[k];
  body->borne.count = kept;
}

// What newcomers will have of their neighbours: all that cells bear and the transaction does not say. Once a commit.
static bool list_borne(clv_body *body, const map *m) {
  const embedding *e = m->embedding.self;
  const uint32_t cells = clv_orbit_dims(&m->view, CLV_CELL);
  if (body->borne.count) return true;
  if (!BASE_RESERVE(&body->allocator, &body->borne, e->columns.count)) return false;
  for (uint32_t k = 0; k < e->columns.count; k++)
    if (e->columns.data[k]->index->dims == cells) body->borne.data[body->borne.count++] = e->columns.data[k];
  for (uint32_t k = 0; k < m->log.count; k++)
    if (m->log.data[k].op == MAP_VALUE) drop_borne(body, e->columns.data[m->log.data[k].before]);
  return true;
}

// Whoever adds a cell may say himself what section it is of.
static bool is_said(const clv_body *body, const map *m, const candidate *cell) {
  const embedding *e = m->embedding.self;
  for (uint32_t k = 0; k < body->borne.count; k++)
    if (body->borne.data[k] == body->section) return false;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op != MAP_VALUE || e->columns.data[w.before] != body->section) continue;
    for (uint32_t d = 0; d < cell->count; d++)
      if (cell->darts[d] == w.dart) return true;
  }
  return false;
}

// A cell with no other than new ones beside it: whether these lead to one that was there.
static clv_result judge_remote(const clv_body *body, map *m, const candidate *cell) {
  clv_walk walk;
  if (clv_walk_orbit(&walk, &m->view, CLV_COMPONENT, cell->darts[0]) != CLV_OK) return map_no_memory(m);
  bool found = false;
  for (uint32_t k = 0; k < walk.count && !found; k++) found = section_at(body, m, walk.darts[k]) >= 0;
  clv_walk_end(&walk);
  if (!found)
    return map_fail(m, CLV_ERROR_REFUSED,
                    "the new %s at dart %u is sewn to no cell of the body: what is it made of? Sew it to one, or set "
                    "its 'section'",
                    clv_kind_name(cell->kind), cell->darts[0]);
  clv_result result = CLV_OK; // which section it will get is not known
  for (uint32_t k = 0; result == CLV_OK && k < body->sections.count; k++)
    result = judge_kind(body, m, (int32_t)k, cell);
  return result;
}

// A cell that is part of no other.
static clv_result judge_newcomer(clv_body *body, map *m, const candidate *cell) {
  if (!list_borne(body, m)) return map_no_memory(m);
  if (is_said(body, m, cell)) return CLV_OK;
  clv_result result = CLV_OK;
  bool found = false;
  for (uint32_t k = 0; result == CLV_OK && k < cell->count; k++) {
    const clv_dart beyond = clv_alpha(&m->view, cell->darts[k], m->view.dimension);
    const int32_t section = beyond == cell->darts[k] ? NO_SECTION : section_at(body, m, beyond);
    if (section < 0) continue;
    found = true;
    result = judge_kind(body, m, section, cell);
  }
  return found ? result : judge_remote(body, m, cell);
}

static clv_result judge_orbit(clv_body *body, map *m, const map_orbits *cells, const map_new_orbit *orbit) {
  const candidate cell = {.darts = cells->nodes.data + orbit->node_start,
                          .count = orbit->node_end - orbit->node_start,
                          .kind = map_planned_shape(m, cells, orbit)};
  uint64_t before = orbit->keeps;
  if (!before && orbit->part_end > orbit->part_start) before = cells->parts.data[orbit->part_start].old;
  const int32_t section = section_of_block(body, m, (uint32_t)before);
  return section >= 0 ? judge_kind(body, m, section, &cell) : judge_newcomer(body, m, &cell);
}

// A template that was added, and not changed since.
static clv_result judge_fresh(clv_body *body, map *m, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  if (!map_row_alive(m, page.kind, map_row(page, block << 6)) || !map_dart_plain(m, block << 6) ||
      section_of_block(body, m, block) >= 0)
    return CLV_OK;
  clv_dart darts[CLV_TEMPLATE_DARTS] = {0};
  const candidate cell = {darts, clv_templates[page.kind].dart_count, (clv_kind)page.kind};
  for (uint32_t l = 0; l < cell.count; l++) darts[l] = (block << 6) + l;
  return judge_newcomer(body, m, &cell);
}

static clv_result judge(void *self, map *m, const map_plan *plan) {
  clv_body *body = self;
  const map_words *fresh = &m->scratch->fresh;
  clv_result result = CLV_OK;
  body->borne.count = 0;
  for (uint32_t k = 0; result == CLV_OK && k < plan->cells.orbits.count; k++)
    result = judge_orbit(body, m, &plan->cells, &plan->cells.orbits.data[k]);
  for (uint32_t k = 0; result == CLV_OK && plan->cells_added && k < fresh->count; k++)
    result = judge_fresh(body, m, fresh->data[k]);
  return result;
}

// What newcomers bear

static int32_t *section_column_at(const clv_body *body, clv_dart cell) {
  return clv_column_at(body->section, cell);
}

static void bear_as(const clv_body *body, clv_dart cell, clv_dart neighbour) {
  *section_column_at(body, cell) = *section_column_at(body, neighbour); // also where that of another was said
  for (uint32_t k = 0; k < body->borne.count; k++) {
    const clv_column *column = body->borne.data[k];
    memcpy(clv_column_at(column, cell), clv_column_at(column, neighbour), column->size);
  }
}

// Of the first neighbour that knows what it is made of: CLV_NO_DART where none does.
static clv_dart find_neighbour(clv_body *body, clv_dart cell) {
  const clv_map *view = body->map;
  clv_dart found = CLV_NO_DART;
  clv_walk walk;
  if (clv_walk_orbit(&walk, view, CLV_CELL, cell) != CLV_OK) {
    body->missed = true;
    return CLV_NO_DART;
  }
  for (uint32_t k = 0; k < walk.count && !found; k++) {
    const clv_dart beyond = clv_alpha(view, walk.darts[k], view->dimension);
    if (beyond != walk.darts[k] && *section_column_at(body, beyond) >= 0) found = beyond;
  }
  clv_walk_end(&walk);
  return found;
}

static bool is_newcomer(const clv_body *body, const clv_event *event, uint32_t cells) {
  return event->dims == cells && event->kind == CLV_CREATED && event->dart && *section_column_at(body, event->dart) < 0;
}

// Rows of newcomers learn it one from the other. The judge has seen to it that all do, where there is memory to look.
static void hear(void *user, const clv_map *view, const clv_commit *commit) {
  clv_body *body = user;
  const map *m = map_read(view);
  body->newcomers = 0;
  if (map_only_lost(m) || m->scratch->told) return;
  const uint32_t cells = clv_orbit_dims(view, CLV_CELL);
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < commit->event_count; k++) {
      const clv_event *event = &commit->events[k];
      if (!is_newcomer(body, event, cells)) continue;
      const clv_dart neighbour = find_neighbour(body, event->dart);
      if (!neighbour) continue;
      bear_as(body, event->dart, neighbour);
      body->newcomers++;
      more = true;
    }
  }
  for (uint32_t k = 0; body->missed && k < commit->event_count; k++)
    if (is_newcomer(body, &commit->events[k], cells)) *section_column_at(body, commit->events[k].dart) = 0;
}

clv_result physics_admit_create(clv_body *body, clv_error *error) {
  map_of(body->map)->judge = (map_judge){body, judge};
  const clv_result result = clv_map_subscribe(body->map, hear, body);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(body->map));
}
