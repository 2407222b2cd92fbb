// Values for the orbits that a rule makes: `z.col := expr`, and `z := expr` for every embedding that blends.
//
// An expression speaks of the left side, so it is worked out before anything is written, once for each orbit of the
// right side. `z := mean(x, y)` is the most common one: a vertex between two others. The map knows such births itself,
// and its blending columns take their values from the two ends at commit, whatever happens to them in between.

#include "embed/embed.h"
#include "rule/apply.h"

#include <math.h>

// Orbits of the right side, by the rule's graph alone.

static bool visit(const apply_match *match, apply_new *news, uint32_t place) {
  if (news->seen.data[place]) return true;
  if (!BASE_RESERVE(&match->run->m->allocator, &news->queue, (uint64_t)news->queue.count + 1))
    return apply_no_memory(match->run);
  news->seen.data[place] = 1;
  news->queue.data[news->queue.count++] = place;
  return true;
}

static bool is_there(const apply_match *match, uint32_t place) {
  const rule_node *node = &match->graph->node[place % match->graph->node_count];
  return node->side[RULE_RIGHT].present && (!node->side[RULE_LEFT].present || match->darts.data[place]);
}

// Marks the orbit of a place: what the right side says of it, and no more.
static bool mark_orbit(const apply_match *match, apply_new *news, uint32_t dims, uint32_t start) {
  const uint32_t nodes = match->graph->node_count;
  news->queue.count = 0;
  if (!visit(match, news, start)) return false;
  for (uint32_t k = 0; k < news->queue.count; k++) {
    const uint32_t place = news->queue.data[k], v = place % nodes, p = place / nodes;
    if (!apply_spend(match->run, 1)) return false;
    for (uint32_t i = 0; i <= match->run->m->view.dimension; i++) {
      const rule_tie tie = match->graph->node[v].side[RULE_RIGHT].tie[i];
      if (!(dims >> i & 1u) || tie.known == RULE_UNKNOWN || tie.letter.level >= 0) continue;
      uint32_t next = p * nodes + tie.at;
      if (tie.known == RULE_ALONG) {
        const int32_t column = match->column[tie.at];
        if (column < 0) continue;
        next = match->across.data[p * match->columns + (uint32_t)column] * nodes + v;
      }
      if (is_there(match, next) && !visit(match, news, next)) return false;
    }
  }
  return true;
}

static bool clear_marks(const apply_match *match, apply_new *news) {
  const uint32_t places = match->count * match->graph->node_count;
  if (!BASE_RESERVE(&match->run->m->allocator, &news->seen, places)) return apply_no_memory(match->run);
  memset(news->seen.data, 0, places);
  return true;
}

// Staging

static bool stage(const apply_match *match, apply_new *news, clv_column *column, uint32_t place, uint8_t **bytes) {
  const clv_allocator *a = &match->run->m->allocator;
  if (!BASE_RESERVE(a, &news->values, (uint64_t)news->values.count + 1) ||
      !BASE_RESERVE(a, &news->bytes, (uint64_t)news->bytes.count + column->size))
    return apply_no_memory(match->run);
  news->values.data[news->values.count++] = (apply_new_value){column, place, news->bytes.count};
  *bytes = news->bytes.data + news->bytes.count;
  news->bytes.count += (uint32_t)column->size;
  return true;
}

// Puts components from `first` on; all there are, or as many as a value can have.
static bool put_numbers(const apply_match *match, const clv_column *column, uint8_t *bytes, uint32_t first,
                        const apply_datum *value) {
  apply_run *run = match->run;
  const uint32_t rest = column->def.components - first, width = rest < APPLY_WIDTH ? rest : APPLY_WIDTH;
  if (value->type < APPLY_TRUTH || value->type > APPLY_VECTOR || value->count != width)
    return APPLY_FAIL(run, "rule '%s' gives column '%s' a value of another width than its %u", run->name,
                      column->def.name, column->def.components);
  for (uint32_t c = 0; c < width; c++) {
    if (!isfinite(value->number[c]))
      return APPLY_FAIL(run, "rule '%s' gives column '%s' a value that is not a number", run->name, column->def.name);
    embed_put(column, bytes, first + c, value->number[c]);
  }
  return true;
}

static bool stage_value(const apply_match *match, apply_new *news, clv_column *column, uint32_t place,
                        const rule_tree *tree) {
  apply_run *run = match->run;
  uint8_t *bytes = NULL;
  if (!stage(match, news, column, place, &bytes)) return false;
  bool done = true;
  for (uint32_t first = 0; done && first < column->def.components; first += APPLY_WIDTH) {
    apply_datum value;
    run->blended_first = first;
    done = apply_evaluate(run, tree, &value) && (value.type != APPLY_DART || apply_blend(run, &value)) &&
           put_numbers(match, column, bytes, first, &value);
  }
  return done;
}

// Births

// True for mean(x, y) of two darts.
static bool between(apply_run *run, const rule_tree *value, apply_birth *birth) {
  if (value->kind != RULE_CALL || strcmp(value->name, "mean") != 0 || value->count != 2) return true;
  apply_datum ends[2];
  run->blended = NULL;
  for (uint32_t k = 0; k < 2; k++) {
    if (value->child[k]->kind != RULE_NAME && value->child[k]->kind != RULE_STEP) return true;
    if (!apply_evaluate(run, value->child[k], &ends[k])) return false;
    if (ends[k].type != APPLY_DART) return true;
  }
  birth->ends[0] = ends[0].dart;
  birth->ends[1] = ends[1].dart;
  return true;
}

static bool has_policy(const rule_tree *embed, const char *name) {
  const rule_tree *policies = embed->child[3];
  for (uint32_t k = 0; k < policies->count; k++)
    if (strcmp(policies->child[k]->name, name) == 0) return true;
  return false;
}

// Columns on vertices that blend: by the program's word, or, where the program does not know them, by their own.
static bool blends(const apply_run *run, const clv_column *column) {
  const clv_map *view = &run->m->view;
  if (column->index->dims != clv_orbit_dims(view, CLV_VERTEX) || column->def.policy) return false;
  if (column->def.type != CLV_DOUBLE && column->def.type != CLV_FLOAT) return false;
  const rule_tree *tree = rule_declaration(run->program, column->def.name);
  return tree && tree->kind == RULE_EMBED ? has_policy(tree, "blend") : column->def.create == CLV_CREATE_MEAN;
}

static bool blend_at(const apply_match *match, apply_new *news, uint32_t place, const rule_tree *value) {
  apply_run *run = match->run;
  apply_birth birth = {.place = place};
  if (!between(run, value, &birth)) return false;
  if (birth.ends[0]) {
    if (!BASE_RESERVE(&run->m->allocator, &news->births, (uint64_t)news->births.count + 1)) return apply_no_memory(run);
    news->births.data[news->births.count++] = birth;
  }
  clv_column *column;
  bool done = true;
  for (uint32_t k = 0; done && (column = clv_column_list(&run->m->view, k)); k++) {
    if (!blends(run, column) || (birth.ends[0] && column->def.create == CLV_CREATE_MEAN)) continue;
    run->blended = column;
    done = stage_value(match, news, column, place, value);
  }
  run->blended = NULL;
  return done;
}

static bool prepare_value(const apply_match *match, apply_new *news, const rule_value *given) {
  apply_run *run = match->run;
  const uint32_t nodes = match->graph->node_count;
  clv_column *column = NULL;
  if (given->column && !apply_column(run, given->column, &column)) return false;
  const uint32_t dims = column ? column->index->dims : clv_orbit_dims(&run->m->view, CLV_VERTEX);
  if (!clear_marks(match, news)) return false;
  for (uint32_t p = 0; p < match->count; p++) {
    const uint32_t place = p * nodes + given->node;
    if (news->seen.data[place] || !is_there(match, place)) continue;
    if (!mark_orbit(match, news, dims, place) || !apply_bind_match(match, p)) return false;
    const bool done =
        column ? stage_value(match, news, column, place, given->value) : blend_at(match, news, place, given->value);
    if (!done) return false;
  }
  return true;
}

bool apply_new_prepare(const apply_match *match, apply_new *news) {
  for (uint32_t k = 0; k < match->graph->value_count; k++)
    if (!prepare_value(match, news, &match->graph->values[k])) return false;
  return true;
}

bool apply_new_set(const apply_match *match, const apply_new *news) {
  apply_run *run = match->run;
  for (uint32_t k = 0; k < news->births.count; k++) {
    const apply_birth *birth = &news->births.data[k];
    const map_write write = {
        .op = MAP_PARENTS, .dart = match->darts.data[birth->place], .before = birth->ends[0], .after = birth->ends[1]};
    if (!apply_ok(run, map_write_log(run->m, write))) return false;
  }
  for (uint32_t k = 0; k < news->values.count; k++) {
    const apply_new_value *value = &news->values.data[k];
    const clv_dart dart = match->darts.data[value->place];
    if (!apply_ok(run, clv_column_set(value->column, dart, news->bytes.data + value->bytes))) return false;
  }
  return true;
}

void apply_new_free(const apply_match *match, apply_new *news) {
  const clv_allocator *a = &match->run->m->allocator;
  BASE_RELEASE(a, &news->values);
  BASE_RELEASE(a, &news->bytes);
  BASE_RELEASE(a, &news->births);
  BASE_RELEASE(a, &news->seen);
  BASE_RELEASE(a, &news->queue);
}
