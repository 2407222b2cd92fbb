// Scripts: rules in order, with loops over what an orbit is when the loop begins.
//
// A script is one change. What fails in it takes all of it back, but for what a `try` stands around: there the log goes
// back to where the block began, and the other branch is taken. Cells that a rule left open must be closed at the end.

#include "rule/apply_eval.h"

enum { SCRIPT_DEPTH = 200 };

typedef enum flow { FLOW_ON, FLOW_RETURN, FLOW_FAIL } flow;

typedef struct script_run {
  apply_run *run;
  apply_datum result;
} script_run;

static flow run_block(script_run *s, const rule_tree *block);

static flow on_or_fail(bool done) {
  return done ? FLOW_ON : FLOW_FAIL;
}

// Loops

static flow run_for_dart(script_run *s, const rule_tree *tree, clv_dart dart) {
  apply_run *run = s->run;
  const uint32_t bindings = run->bindings.count;
  const apply_datum value = {.type = APPLY_DART, .dart = dart};
  if (!apply_bind(run, tree->name, &value)) return FLOW_FAIL;
  const flow after = run_block(s, tree->child[2]);
  run->bindings.count = bindings;
  return after;
}

// The darts of a loop, as they are when it begins.
static bool snapshot(apply_run *run, const rule_tree *tree, uint32_t *first, uint32_t *count) {
  const rule_tree *own = rule_there(tree->child[0]) ? tree->child[0] : NULL, *of = tree->child[1];
  apply_datum path;
  *first = run->darts.count;
  if (of->kind == RULE_WITHIN) {
    clv_dart dart;
    if (!apply_dart_of(run, of->child[1], &dart) || !apply_orbit(run, of->child[0], own, dart)) return false;
  } else {
    if (!apply_evaluate(run, of, &path)) return false;
    if (path.type != APPLY_PATH) return apply_wrong_type(run, of, "a path or an orbit: write <0,1>(d)");
    *first = run->darts.count;
    if (!BASE_RESERVE(&run->m->allocator, &run->darts, (uint64_t)*first + path.length)) return apply_no_memory(run);
    for (uint32_t k = 0; k < path.length; k++) run->darts.data[run->darts.count++] = run->darts.data[path.first + k];
    if (own && !apply_thin(run, own, *first)) return false;
  }
  *count = run->darts.count - *first;
  return true;
}

static flow run_for(script_run *s, const rule_tree *tree) {
  apply_run *run = s->run;
  const uint32_t darts = run->darts.count;
  uint32_t first = 0, count = 0;
  if (!snapshot(run, tree, &first, &count)) return FLOW_FAIL;
  flow after = FLOW_ON;
  for (uint32_t k = 0; after == FLOW_ON && k < count; k++)
    after = apply_spend(run, 1) ? run_for_dart(s, tree, run->darts.data[first + k]) : FLOW_FAIL;
  if (after == FLOW_ON) run->darts.count = darts;
  return after;
}

// Neighbours in a closed path: first and second, second and third ... last and first.
static flow run_for_cyclic(script_run *s, const rule_tree *tree) {
  apply_run *run = s->run;
  const uint32_t bindings = run->bindings.count;
  apply_datum path;
  if (!apply_evaluate(run, tree->child[1], &path)) return FLOW_FAIL;
  if (path.type != APPLY_PATH) return on_or_fail(apply_wrong_type(run, tree->child[1], "a path"));
  flow after = FLOW_ON;
  for (uint32_t k = 0; after == FLOW_ON && k < path.length; k++) {
    const apply_datum one = {.type = APPLY_DART, .dart = run->darts.data[path.first + k]};
    const apply_datum next = {.type = APPLY_DART, .dart = run->darts.data[path.first + (k + 1) % path.length]};
    if (!apply_spend(run, 1) || !apply_bind(run, tree->child[0]->child[0]->name, &one)) return FLOW_FAIL;
    if (!apply_bind(run, tree->child[0]->child[1]->name, &next)) return FLOW_FAIL;
    after = run_block(s, tree->child[2]);
    run->bindings.count = bindings;
  }
  return after;
}

// Branches

static flow run_if(script_run *s, const rule_tree *tree) {
  bool holds;
  if (!apply_condition(s->run, tree->child[0], &holds)) return FLOW_FAIL;
  const rule_tree *block = tree->child[holds ? 1 : 2];
  return rule_there(block) ? run_block(s, block) : FLOW_ON;
}

static flow run_try(script_run *s, const rule_tree *tree) {
  apply_run *run = s->run;
  const uint32_t mark = run->m->log.count, open = run->open.count, bindings = run->bindings.count;
  const uint32_t darts = run->darts.count, depth = run->depth, scope = run->scope;
  const char *name = run->name;
  const flow after = run_block(s, tree->child[0]);
  if (after != FLOW_FAIL || run->result != CLV_ERROR_REFUSED || !run->budget) return after;
  apply_undo(run, mark, open);
  run->result = CLV_OK;
  run->bindings.count = bindings;
  run->darts.count = darts;
  run->depth = depth;
  run->scope = scope;
  run->name = name;
  run->statements = true;
  return rule_there(tree->child[1]) ? run_block(s, tree->child[1]) : FLOW_ON;
}

static flow run_require(script_run *s, const rule_tree *tree) {
  apply_run *run = s->run;
  bool holds;
  if (!apply_condition(run, tree->child[0], &holds)) return FLOW_FAIL;
  if (holds) return FLOW_ON;
  if (!rule_there(tree->child[1])) return on_or_fail(apply_wrong_type(run, tree->child[0], "true, as is required"));
  return on_or_fail(APPLY_FAIL(run, "'%s': %.400s", run->name, tree->child[1]->name));
}

// Values

static flow run_assign(script_run *s, const rule_tree *tree) {
  apply_run *run = s->run;
  const rule_tree *target = tree->child[0];
  clv_dart dart;
  clv_column *column;
  apply_datum value;
  if (target->kind != RULE_FIELD)
    return on_or_fail(apply_wrong_type(run, target, "a column of a dart: write d.column = value"));
  return on_or_fail(apply_dart_of(run, target->child[0], &dart) && apply_column(run, target->name, &column) &&
                    apply_numbers_of(run, tree->child[1], &value) && apply_set(run, column, dart, &value));
}

static flow run_let(script_run *s, const rule_tree *tree) {
  apply_datum value;
  return on_or_fail(apply_evaluate(s->run, tree->child[0], &value) && apply_bind(s->run, tree->name, &value));
}

static flow run_return(script_run *s, const rule_tree *tree) {
  if (rule_there(tree->child[0]) && !apply_evaluate(s->run, tree->child[0], &s->result)) return FLOW_FAIL;
  return FLOW_RETURN;
}

static flow run_statement(script_run *s, const rule_tree *tree) {
  apply_datum ignored;
  switch (tree->kind) {
  case RULE_FOR:
    return run_for(s, tree);
  case RULE_FOR_CYCLIC:
    return run_for_cyclic(s, tree);
  case RULE_IF:
    return run_if(s, tree);
  case RULE_TRY:
    return run_try(s, tree);
  case RULE_REQUIRE:
    return run_require(s, tree);
  case RULE_RETURN:
    return run_return(s, tree);
  case RULE_LET:
    return run_let(s, tree);
  case RULE_ASSIGN:
    return run_assign(s, tree);
  case RULE_BLOCK:
    return run_block(s, tree);
  case RULE_CALL_STATEMENT:
    return on_or_fail(apply_evaluate(s->run, tree->child[0], &ignored));
  default:
    return on_or_fail(apply_wrong_type(s->run, tree, "a statement"));
  }
}

// What a block names is forgotten at its end; a path that is returned stays where it is.
static flow run_block(script_run *s, const rule_tree *block) {
  apply_run *run = s->run;
  const uint32_t bindings = run->bindings.count, darts = run->darts.count;
  if (run->depth >= SCRIPT_DEPTH) return on_or_fail(APPLY_FAIL(run, "'%s' is nested too deeply", run->name));
  run->depth++;
  flow after = FLOW_ON;
  for (uint32_t k = 0; after == FLOW_ON && k < block->count; k++)
    after = apply_spend(run, 1) ? run_statement(s, block->child[k]) : FLOW_FAIL;
  run->depth--;
  run->bindings.count = bindings;
  if (after == FLOW_ON) run->darts.count = darts;
  return after;
}

// Calls

static bool bind_parameters(apply_run *run, const rule_tree *script, const apply_datum *arguments, uint32_t count) {
  const rule_tree *parameters = script->child[0];
  if (count != parameters->count)
    return APPLY_FAIL(run, "script '%s' takes %u arguments, not %u", run->name, parameters->count, count);
  for (uint32_t k = 0; k < count; k++)
    if (!apply_bind(run, parameters->child[k]->name, &arguments[k])) return false;
  return true;
}

bool apply_script_rank(apply_run *run, const rule_tree *script, const apply_datum *arguments, uint32_t count,
                       double *rank) {
  return bind_parameters(run, script, arguments, count) && apply_rank_of(run, script->child[2], rank);
}

bool apply_script(apply_run *run, const rule_tree *script, const apply_datum *arguments, uint32_t count,
                  apply_datum *result) {
  const apply_run caller = *run;
  script_run s = {.run = run};
  run->name = script->name;
  run->scope = run->bindings.count;
  run->statements = true;
  if (!bind_parameters(run, script, arguments, count)) return false;
  if (run_block(&s, script->child[1]) == FLOW_FAIL) return false;
  run->bindings.count = run->scope;
  run->name = caller.name;
  run->scope = caller.scope;
  run->statements = caller.statements;
  *result = s.result;
  return true;
}

bool apply_call(apply_run *run, const rule_tree *call, const char *node, apply_datum *result) {
  const clv_rule *rule = rule_find(run->program, call->name);
  apply_datum arguments[RULE_PARAMETERS];
  *result = (apply_datum){.type = APPLY_NOTHING};
  if (!rule || call->count > RULE_PARAMETERS) return apply_wrong_type(run, call, "a call of a rule or a script");
  for (uint32_t k = 0; k < call->count; k++)
    if (!apply_evaluate(run, call->child[k], &arguments[k])) return false;
  if (rule->script && node)
    return APPLY_FAIL(run, "'%s': script '%s' has no nodes: it can return a dart", run->name, rule->script->name);
  if (rule->script) return apply_script(run, rule->script, arguments, call->count, result);
  if (node) result->type = APPLY_DART;
  return apply_rule(run, rule->graph, arguments, call->count, node, node ? &result->dart : NULL);
}
