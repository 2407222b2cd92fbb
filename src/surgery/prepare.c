// What a rule needs of a body before it can be applied: a column for each embedding that it speaks of.
//
// Levels of refinement are those of vertices (`lev`). What rules know of faces and volumes (`flev`, `vlev`) follows
// from them, and is worked out anew for each rule: whoever refined the body, and put together, rules see the same. So
// is what cells bear, strain and stress, and how springs pull, as it is when the rule begins; and where the rule is
// applied.

#include "rule/graph.h"
#include "rule/law.h"
#include "rule/program.h"
#include "surgery/surgery.h"
#include "view/column.h"

typedef struct preparing {
  clv_surgery *surgery;
  const clv_rule *rule;
  uint8_t *reached; // by declaration
  double *params;
  surgery_topics topics;
} preparing;

static bool is_of_levels(const char *name) {
  return !strcmp(name, "lev") || !strcmp(name, "flev") || !strcmp(name, "vlev");
}

// What cells bear, by column: where it stands in a cell's state, and how many numbers it is.
typedef struct state_column {
  const char *name;
  size_t at;
  uint32_t components;
} state_column;

enum { STATE_COLUMNS = 6 };
static const state_column state_columns[STATE_COLUMNS] = {
    {"strain", offsetof(clv_cell_state, strain), 3},
    {"strain_shear", offsetof(clv_cell_state, strain) + 3 * sizeof(double), 3},
    {"stress", offsetof(clv_cell_state, stress), 3},
    {"stress_shear", offsetof(clv_cell_state, stress) + 3 * sizeof(double), 3},
    {"von_mises", offsetof(clv_cell_state, von_mises), 1},
    {"greatest_stretch", offsetof(clv_cell_state, stretch) + sizeof(double), 1},
};

static bool is_of_state(const char *name) {
  for (uint32_t k = 0; k < STATE_COLUMNS; k++)
    if (!strcmp(name, state_columns[k].name)) return true;
  return false;
}

static bool is_of_tension(const char *name) {
  return !strcmp(name, "tension");
}

static bool is_of_zone(const char *name) {
  return !strcmp(name, "in_zone");
}

static bool is_of_mask(const char *name) {
  return !strcmp(name, "in_mask");
}

bool surgery_is_told(const char *column) {
  return is_of_state(column) || is_of_tension(column) || is_of_zone(column) || is_of_mask(column);
}

static clv_result lacks(const preparing *p, const rule_tree *tree, const char *why) {
  return surgery_fail(p->surgery, CLV_ERROR_ARGUMENT, "rule '%s' speaks of '%s', %s", clv_rule_name(p->rule),
                      tree->name, why);
}

static clv_result prepare_column(preparing *p, const rule_tree *tree) {
  clv_map *map = p->surgery->map;
  p->topics.levels |= is_of_levels(tree->name);
  p->topics.state |= is_of_state(tree->name);
  p->topics.tension |= is_of_tension(tree->name);
  p->topics.zone |= is_of_zone(tree->name);
  p->topics.mask |= is_of_mask(tree->name);
  if (is_of_tension(tree->name) && !surgery_springs(p->surgery))
    return lacks(p, tree, "and the body has no springs on its edges: let it tear by stress or by strain");
  if (clv_column_find(map, tree->name)) return CLV_OK;
  if (tree->kind == RULE_DERIVE) return lacks(p, tree, "which is derived, and no law of the body derives it");
  if (!law_column_orbit(tree, map->dimension))
    return lacks(p, tree, "which only volumes have: the rule is for them, and this body is a surface");
  clv_error error = {0};
  const clv_result result = view_column_create(map, p->rule->program, p->params, tree, &error);
  return result == CLV_OK ? CLV_OK : surgery_fail(p->surgery, result, "%s", error.message);
}

static clv_result prepare_columns(preparing *p) {
  const clv_program *program = p->rule->program;
  clv_result result = CLV_OK;
  rule_reach(p->rule, p->reached);
  if (!law_param_defaults(program, p->params)) return surgery_no_memory(p->surgery);
  for (uint32_t k = 0; result == CLV_OK && k < program->declarations.count; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (p->reached[k] && (tree->kind == RULE_EMBED || tree->kind == RULE_DERIVE)) result = prepare_column(p, tree);
  }
  return result;
}

clv_result surgery_prepare_rule(clv_surgery *s, const clv_rule *rule, surgery_topics *topics) {
  const uint32_t declarations = rule->program->declarations.count;
  const size_t params = (law_param_count(rule->program) + 1u) * sizeof(double);
  preparing p = {.surgery = s, .rule = rule};
  p.reached = base_allocate(&s->allocator, declarations);
  p.params = base_allocate(&s->allocator, params);
  const clv_result result = p.reached && p.params ? prepare_columns(&p) : surgery_no_memory(s);
  base_free(&s->allocator, p.reached, declarations);
  base_free(&s->allocator, p.params, params);
  *topics = p.topics;
  return result;
}

uint32_t surgery_column_count(const clv_surgery *s) {
  uint32_t count = 0;
  for (const clv_column *column; (column = clv_column_list(s->map, count)) && !clv_column_get_def(column)->passing;)
    count++;
  return count;
}

void surgery_keep_columns(clv_surgery *s, uint32_t count) {
  for (uint32_t k = surgery_column_count(s); k-- > count;) clv_column_destroy(s->map, clv_column_list(s->map, k));
}

clv_result clv_surgery_prepare(clv_surgery *s, const clv_apply *apply) {
  surgery_topics topics;
  const char *wrong = clv_apply_wrong(apply);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the rule cannot be applied: %s", wrong);
  const uint32_t columns = surgery_column_count(s);
  const clv_result result = surgery_prepare_rule(s, apply->rule, &topics);
  if (result != CLV_OK) surgery_keep_columns(s, columns);
  return result;
}

// What columns tell

static bool is_told(const clv_map *map, const clv_column *column, clv_orbit orbit, clv_type type, uint32_t components) {
  const clv_column_def *def = column ? clv_column_get_def(column) : NULL;
  return def && def->type == type && def->components == components &&
         clv_orbit_dims(map, def->orbit) == clv_orbit_dims(map, orbit);
}

// A face has three corners and more; finer vertices are what others have put on its edges.
static int32_t level_of_face(const clv_surgery *s, clv_dart face) {
  int32_t least[3] = {INT32_MAX, INT32_MAX, INT32_MAX};
  clv_dart at = face;
  do {
    int32_t level = *(const int32_t *)clv_column_at(s->levels, at);
    for (uint32_t k = 0; k < 3; k++) {
      if (level >= least[k]) continue;
      const int32_t other = least[k];
      least[k] = level;
      level = other;
    }
    at = clv_alpha(s->map, clv_alpha(s->map, at, 0), 1);
  } while (at != face);
  return least[2] == INT32_MAX ? 0 : least[2];
}

void surgery_tell_levels(clv_surgery *s) {
  clv_map *map = s->map;
  const clv_column *faces = clv_column_find(map, "flev"), *volumes = clv_column_find(map, "vlev");
  if (is_told(map, faces, CLV_FACE, CLV_INT32, 1))
    for (clv_id id = clv_id_next(map, CLV_FACE, (clv_id){0}); id.index; id = clv_id_next(map, CLV_FACE, id)) {
      const clv_dart face = clv_id_dart(map, CLV_FACE, id);
      *(int32_t *)clv_column_at(faces, face) = level_of_face(s, face);
    }
  if (map->dimension != 3 || !is_told(map, volumes, CLV_VOLUME, CLV_INT32, 1)) return;
  clv_dart cell;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(map, &at));)
    *(int32_t *)clv_column_at(volumes, cell) = (int32_t)surgery_level_of(s, cell);
}

void surgery_tell_state(clv_surgery *s) {
  const clv_column *columns[STATE_COLUMNS];
  for (uint32_t k = 0; k < STATE_COLUMNS; k++) {
    columns[k] = clv_column_find(s->map, state_columns[k].name);
    if (!is_told(s->map, columns[k], CLV_CELL, CLV_DOUBLE, state_columns[k].components)) columns[k] = NULL;
  }
  clv_dart cell;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));) {
    clv_cell_state state;
    clv_body_cell_state(s->body, cell, &state);
    for (uint32_t k = 0; k < STATE_COLUMNS; k++)
      if (columns[k])
        memcpy(clv_column_at(columns[k], cell), (const char *)&state + state_columns[k].at,
               state_columns[k].components * sizeof(double));
  }
}

void surgery_tell_tension(clv_surgery *s) {
  const clv_column *tension = clv_column_find(s->map, "tension"), *springs = surgery_springs(s);
  if (!is_told(s->map, tension, CLV_EDGE, CLV_DOUBLE, 1)) return;
  for (clv_id id = clv_id_next(s->map, CLV_EDGE, (clv_id){0}); id.index; id = clv_id_next(s->map, CLV_EDGE, id)) {
    const clv_dart edge = clv_id_dart(s->map, CLV_EDGE, id);
    *(double *)clv_column_at(tension, edge) = surgery_tension(s, springs, edge);
  }
}

void surgery_tell_where(clv_surgery *s, bool masked) {
  const clv_column *cells = clv_column_find(s->map, "in_zone"), *vertices = clv_column_find(s->map, "in_mask");
  if (is_told(s->map, cells, CLV_CELL, CLV_INT32, 1)) {
    clv_dart cell;
    for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));)
      *(int32_t *)clv_column_at(cells, cell) = s->zoned.data[clv_id_of(s->map, CLV_CELL, cell).index];
  }
  if (!is_told(s->map, vertices, CLV_VERTEX, CLV_INT32, 1)) return;
  for (clv_id id = clv_id_next(s->map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(s->map, CLV_VERTEX, id))
    *(int32_t *)clv_column_at(vertices, clv_id_dart(s->map, CLV_VERTEX, id)) = !masked || s->marks.data[id.index];
}
