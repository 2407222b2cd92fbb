// Springs of cells that a commit has made.
//
// What a material is, a cell hands on to those it is cut into. What a spring is depends on its cell's shape: new edges
// and diagonals get their stiffness from the material and the shape at rest, as at the start (constants.c). A halved
// edge goes on with its stiffness times its length, which is what is stored. Between the hanging vertices of a coarse
// cell there are edges that are none of its own: they bear nothing for it.
//
// This must be done between the commit and the views' hearing of it, so the body hears of commits first.

#include "map/plan.h"
#include "physics/body.h"
#include "physics/level.h"

typedef struct columns {
  clv_column *ea, *diagonal, *shear, *bend, *bulk;
  bool anew; // halves of edges, too, have what their cells' shapes give them
} columns;

static clv_column *column_on(const clv_map *view, const char *name, clv_orbit orbit) {
  clv_column *column = clv_column_find(view, name);
  const clv_column_def *def = column ? clv_column_get_def(column) : NULL;
  const bool fits = def && clv_orbit_dims(view, def->orbit) == clv_orbit_dims(view, orbit) && def->type == CLV_DOUBLE &&
                    def->components == 1;
  return fits ? column : NULL;
}

static columns find_columns(const clv_map *view) {
  return (columns){.ea = column_on(view, "ea", CLV_CELL_EDGE),
                   .diagonal = column_on(view, "k_diagonal", CLV_CELL),
                   .shear = view->dimension == 2 ? column_on(view, "k_shear", CLV_CELL) : NULL,
                   .bend = view->dimension == 2 ? column_on(view, "k_bend", CLV_EDGE) : NULL,
                   .bulk = column_on(view, "bulk", CLV_CELL)};
}

// The same in the rows of one kind.
typedef struct rows {
  clv_kind kind;
  const int32_t *sections;
  double *ea, *diagonal, *shear, *bulk;
} rows;

static double *numbers_of(const clv_column *column, clv_kind kind) {
  return column ? clv_column_data(column, kind, NULL) : NULL;
}

static rows find_rows(const clv_body *body, const columns *c, clv_kind kind) {
  return (rows){.kind = kind,
                .sections = clv_column_data(body->section, kind, NULL),
                .ea = numbers_of(c->ea, kind),
                .diagonal = numbers_of(c->diagonal, kind),
                .shear = numbers_of(c->shear, kind),
                .bulk = numbers_of(c->bulk, kind)};
}

typedef struct setting {
  const clv_column *column;
  double value;
} setting;

static bool set_piece(void *user, clv_dart dart) {
  const setting *s = user;
  *(double *)clv_column_at(s->column, dart) = s->value;
  return true;
}

// Everything in an extended cell that is no edge of its template bears nothing. False when memory is out.
static bool clear_edges(const clv_map *view, const clv_column *ea, clv_dart cell) {
  clv_walk walk;
  if (clv_walk_orbit(&walk, view, CLV_CELL, cell) != CLV_OK) return false;
  for (uint32_t k = 0; k < walk.count; k++) *(double *)clv_column_at(ea, walk.darts[k]) = 0;
  clv_walk_end(&walk);
  return true;
}

typedef struct renewal {
  clv_body *body;
  columns columns;
  const physics_levels *levels; // NULL where there are none
  rows rows;                    // of the kind of the last cell
} renewal;

// A plain cell has its values in its row.
static void renew_row(const clv_map *view, const renewal *r, uint32_t row, const physics_springs *springs) {
  const physics_levels *levels = r->levels;
  const clv_kind kind = r->rows.kind;
  const clv_template *shape = &clv_templates[kind];
  const clv_suborbits *edges = &shape->sub[shape->dimension == 3 ? 5 : 1]; // <0,2>, <0>
  const uint8_t *corner = shape->sub[shape->dimension == 3 ? 6 : 2].of;
  const uint32_t *slots = view->corners[kind] + (size_t)row * shape->corner_count;
  double *values = r->rows.ea + (size_t)row * edges->count;
  const bool keeps = levels && !r->columns.anew;
  for (uint32_t e = 0; e < edges->count; e++) {
    const uint32_t a = edges->first[e], b = shape->alpha[0][a];
    const bool halved = keeps && levels->of[slots[corner[a]]] != levels->of[slots[corner[b]]];
    const double *value = halved ? &values[e] : &springs->ea[e]; // no processor can guess which: there is no branch
    values[e] = *value;
  }
}

// One with hanging vertices has them piece by piece. False when memory is out.
static bool renew_pieces(const clv_map *view, const renewal *r, clv_dart home, const physics_springs *springs) {
  const physics_levels *levels = r->levels;
  const clv_column *ea = r->columns.ea;
  const clv_template *shape = &clv_templates[clv_cell_shape(view, home)];
  const clv_suborbits *edges = &shape->sub[shape->dimension == 3 ? 5 : 1];
  double value[12] = {0};
  int32_t level[12] = {0};
  for (uint32_t e = 0; e < edges->count; e++) {
    const clv_dart a = home | edges->first[e], b = home | shape->alpha[0][edges->first[e]];
    const int32_t at_a = levels ? physics_level_at(levels, a) : 0, at_b = levels ? physics_level_at(levels, b) : 0;
    level[e] = at_a > at_b ? at_a : at_b;
    const bool halved = at_a != at_b && !r->columns.anew;
    value[e] = halved ? *(const double *)clv_column_at(ea, a) : springs->ea[e];
  }
  if (!clear_edges(view, ea, home)) return false;
  for (uint32_t e = 0; e < edges->count; e++) {
    setting s = {ea, value[e]};
    if (levels)
      physics_level_pieces(levels, home | edges->first[e], level[e], set_piece, &s);
    else
      set_piece(&s, home | edges->first[e]);
  }
  return true;
}

static void set_number(double *numbers, uint32_t row, double value) {
  if (numbers) numbers[row] = value;
}

static void renew_cell(renewal *r, clv_dart cell) {
  clv_body *body = r->body;
  const clv_map *view = body->map;
  const bool plain = map_dart_plain(map_read(view), cell);
  const clv_page page = view->pages[cell >> CLV_PAGE_SHIFT];
  const clv_kind kind = plain ? (clv_kind)page.kind : clv_cell_shape(view, cell);
  if (kind > CLV_TEMPLATE_LAST) return;
  if (!r->rows.sections || kind != r->rows.kind) r->rows = find_rows(body, &r->columns, kind);
  const uint32_t row = plain ? map_row(page, cell) : clv_cell_row(view, cell);
  const int32_t section = r->rows.sections[row];
  if (section < 0) return; // nobody said what it is made of
  physics_springs springs;
  physics_spring_constants(body, &body->sections.data[section], kind, row, &springs);
  if (r->rows.ea && plain)
    renew_row(view, r, row, &springs);
  else if (r->rows.ea && !renew_pieces(view, r, clv_cell_at(view, kind, row), &springs))
    body->missed = true;
  const physics_model *model = body->sections.data[section].model;
  if (model->springs) set_number(r->rows.diagonal, row, springs.diagonal);
  if (model->springs) set_number(r->rows.shear, row, springs.diagonal);
  if (model->volume) set_number(r->rows.bulk, row, springs.bulk);
}

// Most commits make no cells and no edges, and columns are looked up by name.
static bool makes_any(const clv_commit *commit, uint32_t cells) {
  for (uint32_t k = 0; k < commit->event_count; k++)
    if (commit->events[k].kind == CLV_CREATED || (commit->events[k].dims == cells && commit->events[k].dart))
      return true;
  return false;
}

static void hear(void *user, const clv_map *view, const clv_commit *commit) {
  clv_body *body = user;
  if (map_only_lost(map_read(view)) || !makes_any(commit, clv_orbit_dims(view, CLV_CELL))) return;
  renewal r = {.body = body, .columns = find_columns(view)};
  const columns *c = &r.columns;
  if (!body->section || (!c->ea && !c->diagonal && !c->shear && !c->bend)) return;
  const uint32_t cells = clv_orbit_dims(view, CLV_CELL), edges = clv_orbit_dims(view, CLV_EDGE);
  physics_levels levels;
  if (physics_levels_find(&levels, view)) r.levels = &levels;
  for (uint32_t k = 0; k < commit->event_count; k++) {
    const clv_event *event = &commit->events[k];
    if (event->dims != cells && (!c->bend || event->dims != edges)) continue;
    if (!event->dart || (event->kind != CLV_CREATED && event->kind != CLV_SPLIT)) continue;
    if (event->dims == cells)
      renew_cell(&r, event->dart);
    else if (event->kind == CLV_CREATED)
      physics_fill_hinge(body, c->bend, event->dart);
  }
}

void physics_renew_all(clv_body *body) {
  renewal r = {.body = body, .columns = find_columns(body->map)};
  r.columns.anew = true;
  if (!r.columns.ea && !r.columns.diagonal && !r.columns.shear) return;
  physics_levels levels;
  if (physics_levels_find(&levels, body->map)) r.levels = &levels;
  for (clv_id id = clv_id_next(body->map, CLV_CELL, (clv_id){0, 0}); id.index;
       id = clv_id_next(body->map, CLV_CELL, id))
    renew_cell(&r, clv_id_dart(body->map, CLV_CELL, id));
}

clv_result physics_renew_create(clv_body *body, clv_error *error) {
  const clv_result result = clv_map_subscribe(body->map, hear, body);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(body->map));
}
