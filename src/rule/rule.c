// Rules and scripts as callers have them.

#include "rule/apply_eval.h"
#include "rule/program.h"

// Steps that one call may take: some for each dart there is room for.
#define APPLY_BUDGET (UINT64_C(1) << 24)
#define APPLY_BUDGET_PAGE (UINT64_C(1) << 25)

static bool is_rule(const rule_tree *tree) {
  return tree && (tree->kind == RULE_RULE || tree->kind == RULE_INVERSE || tree->kind == RULE_SCRIPT);
}

// Finds what is wrong first: a graph that has findings is not kept.
static void make_rule(clv_program *program, const rule_tree *tree) {
  rule_symbol *symbol = rule_symbol_of(program, tree->name);
  clv_rule *rule = base_arena_take(&program->arena, sizeof *rule);
  if (!symbol || !rule) {
    program->no_memory = true;
    return;
  }
  if (symbol->declaration != tree) return; // declared twice
  rule->program = program;
  if (tree->kind == RULE_SCRIPT)
    rule->script = tree;
  else
    rule->graph = rule_graph_make(program, tree);
  if (rule->script || rule->graph) symbol->meaning = rule;
  const bool plain =
      rule->graph && rule->graph->parameter_count == 1 && !(rule->graph->guards && rule->graph->guards->count);
  for (uint32_t n = 2; rule->graph && n <= 3; n++) {
    const rule_straight sort = apply_straight_sort(rule->graph, n);
    rule->graph->straight[n - 2] = (uint8_t)sort;
    rule->unsews[n - 2] = plain && sort == RULE_UNSEWS;
  }
}

void rule_make_rules(clv_program *program) {
  for (uint32_t k = 0; k < program->declarations.count && !program->no_memory; k++)
    if (is_rule(program->declarations.data[k])) make_rule(program, program->declarations.data[k]);
}

const clv_rule *rule_find(const clv_program *program, const char *name) {
  return is_rule(rule_declaration(program, name)) ? rule_meaning(program, name) : NULL;
}

bool apply_is_rule(const clv_program *program, const char *name) {
  return rule_find(program, name) != NULL;
}

const clv_rule *clv_program_rule(const clv_program *program, const char *name) {
  return program->checked && !program->no_memory && !program->diagnostics.count ? rule_find(program, name) : NULL;
}

const char *clv_rule_name(const clv_rule *rule) {
  return rule->script ? rule->script->name : rule->graph->name;
}

// Applying

// What a caller's argument is: a path, a dart, or else a number.
static bool bring(apply_run *run, const clv_rule_argument *argument, apply_datum *value) {
  *value = apply_number(argument->number);
  if (argument->darts) {
    value->type = APPLY_PATH;
    value->first = run->darts.count;
    value->length = argument->dart_count;
    if (!BASE_RESERVE(&run->m->allocator, &run->darts, (uint64_t)run->darts.count + argument->dart_count))
      return apply_no_memory(run);
    for (uint32_t k = 0; k < argument->dart_count; k++) run->darts.data[run->darts.count++] = argument->darts[k];
  } else if (argument->dart) {
    value->type = APPLY_DART;
    value->dart = argument->dart;
  }
  return true;
}

// A parameter that has a word takes a dart, and 0 is none.
static bool takes_dart(const clv_rule *rule, uint32_t k) {
  if (rule->graph) return k < rule->graph->parameter_count && rule->graph->parameter[k].hook >= 0;
  const rule_tree *parameters = rule->script->child[0];
  return k < parameters->count && rule_there(parameters->child[k]->child[0]);
}

static clv_result test_arguments(const clv_rule *rule, map *m, const clv_rule_argument *arguments, uint32_t count) {
  const clv_result result = map_editable(m, NULL, 0);
  if (result != CLV_OK) return result;
  const uint32_t wanted = rule->graph ? rule->graph->parameter_count : rule->script->child[0]->count;
  if (count != wanted || count > RULE_PARAMETERS)
    return map_fail(m, CLV_ERROR_ARGUMENT, "'%s' takes %u arguments, not %u", clv_rule_name(rule), wanted, count);
  for (uint32_t k = 0; k < count; k++) {
    clv_result alive = CLV_OK;
    if (takes_dart(rule, k) || (arguments[k].dart && !arguments[k].darts))
      alive = map_editable(m, &arguments[k].dart, 1);
    if (arguments[k].darts) alive = map_editable(m, arguments[k].darts, arguments[k].dart_count);
    if (alive != CLV_OK) return alive;
  }
  return CLV_OK;
}

static bool run_script(apply_run *run, const clv_rule *rule, const apply_datum *arguments, uint32_t count,
                       clv_dart *created) {
  apply_datum result = {.type = APPLY_NOTHING};
  if (!apply_script(run, rule->script, arguments, count, &result)) return false;
  if (!created) return true;
  if (result.type != APPLY_DART) return APPLY_FAIL(run, "script '%s' returns no dart", run->name);
  *created = result.dart;
  return true;
}

static apply_run begin_run(const clv_rule *rule, map *m) {
  return (apply_run){.program = rule->program,
                     .m = m,
                     .name = clv_rule_name(rule),
                     .result = CLV_OK,
                     .budget = APPLY_BUDGET + APPLY_BUDGET_PAGE * m->view.page_count};
}

// `run` says how; it is used up.
static clv_result apply(apply_run run, const clv_rule *rule, const clv_rule_argument *arguments, uint32_t count,
                        const char *node, clv_dart *created) {
  map *m = run.m;
  const clv_result result = test_arguments(rule, m, arguments, count);
  if (result != CLV_OK) return result;
  if (created && rule->graph && !node)
    return map_fail(m, CLV_ERROR_ARGUMENT, "name the node whose dart is wanted of rule '%s'", rule->graph->name);
  const uint32_t mark = m->log.count;
  apply_datum values[RULE_PARAMETERS];
  clv_dart dart = CLV_NO_DART;
  clv_dart *wanted = created ? &dart : NULL;
  bool done = true;
  for (uint32_t k = 0; done && k < count; k++) done = bring(&run, &arguments[k], &values[k]);
  if (done)
    done = rule->graph ? apply_rule(&run, rule->graph, values, count, node, wanted)
                       : run_script(&run, rule, values, count, wanted);
  if (done) done = apply_all_closed(&run);
  if (!done) apply_undo(&run, mark, 0);
  apply_run_free(&run);
  if (done && created) *created = dart;
  return done ? CLV_OK : run.result;
}

clv_result clv_rule_apply(const clv_rule *rule, clv_map *view, const clv_rule_argument *arguments, uint32_t count,
                          const char *node, clv_dart *created) {
  map *m = map_of(view);
  clv_result result;
  // Only unsews a facet, whatever the values there: where the cells are plain, that is the map's own operation, and
  // nothing need be kept meanwhile.
  const bool unsews = rule->unsews[view->dimension - 2] && count == 1 && !arguments->darts && !created;
  if (unsews && map_unsew_plain(m, arguments->dart, &result)) return result;
  return apply(begin_run(rule, m), rule, arguments, count, node, created);
}

// Ranks

static const rule_tree *rank_of(const clv_rule *rule) {
  if (rule->graph) return rule->graph->rank;
  return rule_there(rule->script->child[2]) ? rule->script->child[2] : NULL;
}

bool clv_rule_has_rank(const clv_rule *rule) {
  return rank_of(rule) != NULL;
}

clv_result clv_rule_rank(const clv_rule *rule, clv_map *view, const clv_rule_argument *arguments, uint32_t count,
                         double *rank) {
  map *m = map_of(view);
  *rank = 0;
  if (!rank_of(rule))
    return map_fail(m, CLV_ERROR_ARGUMENT, "'%s' does not say which place comes first", clv_rule_name(rule));
  const clv_result result = test_arguments(rule, m, arguments, count);
  if (result != CLV_OK) return result;
  apply_run run = begin_run(rule, m);
  apply_datum values[RULE_PARAMETERS];
  bool done = true;
  for (uint32_t k = 0; done && k < count; k++) done = bring(&run, &arguments[k], &values[k]);
  if (done)
    done = rule->graph ? apply_rank(&run, rule->graph, values, count, rank)
                       : apply_script_rank(&run, rule->script, values, count, rank);
  apply_run_free(&run);
  return done ? CLV_OK : run.result;
}

clv_result clv_rule_apply_ranked(const clv_rule *rule, clv_map *view, const clv_rule_argument *arguments,
                                 uint32_t count) {
  map *m = map_of(view);
  apply_run run = begin_run(rule, m);
  if (!rank_of(rule))
    return map_fail(m, CLV_ERROR_ARGUMENT, "'%s' does not say which place comes first", clv_rule_name(rule));
  run.asked = rule->graph != NULL;
  return apply(run, rule, arguments, count, NULL, NULL);
}
