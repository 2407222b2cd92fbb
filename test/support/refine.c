#include "support/refine.h"
#include "support/rules.h"

const clv_grid_kind refined_grids[REFINED_GRIDS] = {CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX, CLV_GRID_TRI,
                                                    CLV_GRID_QUAD};
const char *const refined_models[REFINED_MODELS] = {
    "springs", "springs-hybrid", "fem-linear", "fem-corotational", "fem-corotational-qr", "mass-tensor",
    "stvk",    "neo-hookean",    "cloth"};

bool refined_serves(const char *model, clv_grid_kind kind) {
  if (!strcmp(model, "mass-tensor")) return kind == CLV_GRID_TET5 || kind == CLV_GRID_TET6;
  if (!strcmp(model, "neo-hookean")) return !grid_is_surface(kind);
  if (!strcmp(model, "cloth")) return grid_is_surface(kind);
  return true;
}

body_setup refined_setup(clv_grid_kind kind, const char *model) {
  body_setup setup = setup_of(kind, model);
  memcpy(setup.grid.cells, (const uint32_t[3]){2, 2, 1}, sizeof setup.grid.cells);
  return setup;
}

static void create(clv_map *map, const char *name, clv_orbit orbit) {
  const clv_column_def def = {.name = name, .orbit = orbit, .type = CLV_INT32, .components = 1};
  if (!clv_column_find(map, name)) assert_int_equal(clv_column_create(map, &def, NULL), CLV_OK);
}

refined refined_of(clv_body *body, const clv_program *rules, uint64_t seed) {
  refined r = {.body = body, .map = clv_body_map(body), .rules = rules, .random = {seed}};
  create(r.map, "lev", CLV_VERTEX);
  create(r.map, "flev", CLV_FACE);
  if (r.map->dimension == 3) create(r.map, "vlev", CLV_VOLUME);
  return r;
}

static int32_t level_at(const clv_map *map, const char *name, clv_dart dart) {
  return *(const int32_t *)clv_column_at(clv_column_find(map, name), dart);
}

int32_t refined_cell_level(const refined *r, clv_dart cell) {
  return level_at(r->map, r->map->dimension == 3 ? "vlev" : "flev", cell);
}

int32_t refined_vertex_level(const refined *r, clv_dart dart) {
  return level_at(r->map, "lev", dart);
}

clv_dart refined_any_cell(refined *r) {
  uint32_t count = 0;
  clv_dart found = CLV_NO_DART;
  for (clv_id id = clv_id_next(r->map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(r->map, CLV_CELL, id))
    if (random_below(&r->random, ++count) == 0) found = clv_id_dart(r->map, CLV_CELL, id);
  return found;
}

// False when the rule does not match; then nothing has changed.
static bool apply(refined *r, const char *rule, clv_dart dart, int32_t level) {
  const clv_rule_argument arguments[2] = {dart_argument(dart), number_argument(level)};
  assert_int_equal(clv_map_begin(r->map), CLV_OK);
  const clv_result result = clv_rule_apply(rule_of(r->rules, rule), r->map, arguments, 2, NULL, NULL);
  if (result != CLV_OK && result != CLV_ERROR_REFUSED) fail_msg("%s: %s", rule, clv_map_error(r->map));
  if (clv_map_commit(r->map) != CLV_OK) fail_msg("%s: %s", rule, clv_map_error(r->map));
  return result == CLV_OK;
}

static const char *rule_for(clv_kind kind, const char *const names[4]) {
  return kind == CLV_TET ? names[0] : kind == CLV_HEX ? names[1] : kind == CLV_TRI ? names[2] : names[3];
}

bool refined_refine(refined *r, clv_dart cell) {
  static const char *const names[4] = {"refine_tet", "refine_hex", "refine_face", "refine_quad"};
  const clv_kind kind = clv_cell_shape(r->map, cell);
  if (kind != CLV_TET && kind != CLV_HEX && kind != CLV_TRI && kind != CLV_QUAD) return false;
  return apply(r, rule_for(kind, names), clv_id_of(r->map, CLV_CELL, cell).index << 6, refined_cell_level(r, cell));
}

bool refined_refine_some(refined *r, int32_t deepest) {
  for (uint32_t tries = 0; tries < 20; tries++) {
    const clv_dart cell = refined_any_cell(r);
    if (cell && refined_cell_level(r, cell) < deepest && refined_refine(r, cell)) return true;
  }
  return false;
}

void refined_refine_many(refined *r, uint32_t count, int32_t deepest) {
  for (uint32_t k = 0; k < count; k++) refined_refine_some(r, deepest);
}

static bool coarsen(refined *r, clv_dart cell) {
  static const char *const names[4] = {"coarsen_tet", "coarsen_hex", "coarsen_face", "coarsen_quad"};
  const clv_kind kind = clv_cell_shape(r->map, cell);
  const int32_t level = refined_cell_level(r, cell);
  if (kind > CLV_TEMPLATE_LAST || level == 0) return false;
  const clv_template *shape = &clv_templates[kind];
  const clv_dart home = clv_id_of(r->map, CLV_CELL, cell).index << 6;
  for (uint32_t l = 0; l < shape->dart_count; l++)
    if (refined_vertex_level(r, home | l) < level) return apply(r, rule_for(kind, names), home | l, level - 1);
  return false;
}

bool refined_coarsen_some(refined *r) {
  for (uint32_t tries = 0; tries < 20; tries++) {
    const clv_dart cell = refined_any_cell(r);
    if (cell && coarsen(r, cell)) return true;
  }
  return false;
}

void refined_coarsen_all(refined *r) {
  for (bool done = true; done;) {
    done = false;
    for (clv_id id = clv_id_next(r->map, CLV_CELL, (clv_id){0, 0}); id.index && !done;
         id = clv_id_next(r->map, CLV_CELL, id))
      done = coarsen(r, clv_id_dart(r->map, CLV_CELL, id));
  }
}

bool refined_cut_some(refined *r) {
  const clv_dart cell = refined_any_cell(r);
  if (!cell) return false;
  clv_walk walk;
  assert_int_equal(clv_walk_orbit(&walk, r->map, CLV_CELL, cell), CLV_OK);
  const clv_dart dart = walk.darts[random_below(&r->random, walk.count)];
  clv_walk_end(&walk);
  if (clv_is_free(r->map, dart, r->map->dimension)) return false;
  assert_int_equal(clv_map_begin(r->map), CLV_OK);
  assert_int_equal(clv_map_unsew(r->map, r->map->dimension, dart), CLV_OK);
  assert_int_equal(clv_map_commit(r->map), CLV_OK);
  return true;
}

bool refined_remove_some(refined *r) {
  const clv_dart cell = refined_any_cell(r);
  if (!cell) return false;
  assert_int_equal(clv_map_begin(r->map), CLV_OK);
  assert_int_equal(clv_map_remove_cell(r->map, cell), CLV_OK);
  assert_int_equal(clv_map_commit(r->map), CLV_OK);
  return true;
}

static void complain(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static void tell(void *user, const char *what) {
  (void)user;
  print_error("%s\n", what);
}

void refined_check(const refined *r, const char *after) {
  if (clv_map_check(r->map, complain, NULL) != CLV_OK) fail_msg("the map is broken after %s", after);
  if (clv_views_check(clv_body_views(r->body), tell, NULL) != CLV_OK) fail_msg("views are wrong after %s", after);
}
