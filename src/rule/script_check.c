// Scripts: known names, the right arguments, no recursion, and cells closed again.
//
// What a script takes is found by going through it once, silently when it is only called; signatures are kept while one
// script is checked, so that no script is gone through twice.

#include "rule/check.h"
#include "rule/graph_private.h"
#include "rule/scope.h"

enum { SCRIPT_DEPTH = 32, BLOCK_DEPTH = 120 };

static void check_block(rule_scope *scope, const rule_tree *block);

// Signatures

static int signature_of(rule_scope *scope, const rule_tree *declaration) {
  for (uint32_t k = 0; k < scope->signatures.count; k++)
    if (scope->signatures.data[k].declaration == declaration) return (int)k;
  return -1;
}

static int add_signature(rule_scope *scope, const rule_tree *declaration) {
  if (!BASE_RESERVE(&scope->program->arena.allocator, &scope->signatures, scope->signatures.count + 1u)) {
    scope->program->no_memory = scope->failed = true;
    return -1;
  }
  scope->signatures.data[scope->signatures.count] =
      (rule_signature){.declaration = declaration, .state = RULE_SIGNATURE_OPEN};
  return (int)scope->signatures.count++;
}

static void sign_rule(rule_scope *scope, const rule_tree *rule, rule_signature *signature) {
  const clv_allocator *memory = &scope->program->arena.allocator;
  rule_graph *graph = base_allocate(memory, sizeof *graph);
  signature->state = RULE_SIGNATURE_WRONG;
  if (!graph) {
    scope->program->no_memory = scope->failed = true;
    return;
  }
  if (rule_graph_build(scope->program, rule, 0, graph)) {
    rule_span where;
    signature->state = RULE_SIGNATURE_KNOWN;
    signature->count = graph->parameter_count;
    for (uint32_t k = 0; k < graph->parameter_count; k++)
      signature->sort[k] = graph->parameter[k].hook >= 0 ? RULE_SORT_DART : RULE_SORT_VALUE;
    signature->opens = (uint8_t)rule_graph_opens(graph, &where);
    signature->closes = (uint8_t)rule_graph_closes(graph);
  }
  base_free(memory, graph, sizeof *graph);
}

static void check_parameters(rule_scope *scope, const rule_tree *parameters) {
  if (parameters->count > RULE_PARAMETERS)
    RULE_OBJECT(scope, 'S', parameters->span, "a script has at most %d parameters|make two scripts of it",
                RULE_PARAMETERS);
  for (uint32_t k = 0; k < parameters->count && k < RULE_PARAMETERS; k++) {
    const rule_tree *parameter = parameters->child[k];
    if (rule_scope_find(scope, parameter->name))
      RULE_OBJECT(scope, 'S', parameter->span, "parameter '%.60s' is named twice|use another name", parameter->name);
    rule_scope_add(scope, parameter->name, rule_there(parameter->child[0]) ? RULE_SORT_DART : RULE_SORT_ANY);
  }
}

// What comes first is asked before anything is changed.
static void check_rank(rule_scope *scope, const rule_tree *rank) {
  scope->statements = false;
  if (rule_there(rank)) rule_value_check(scope, rank, RULE_SORT_VALUE);
  scope->statements = true;
}

static void check_body(rule_scope *scope, const rule_tree *script, rule_signature *signature) {
  check_parameters(scope, script->child[0]);
  check_rank(scope, script->child[2]);
  check_block(scope, script->child[1]);
  signature->count = (uint8_t)(scope->variables.count < RULE_PARAMETERS ? scope->variables.count : RULE_PARAMETERS);
  for (uint32_t k = 0; k < signature->count; k++) signature->sort[k] = scope->variables.data[k].sort;
  signature->opens = scope->opens & (uint8_t)~scope->closes;
  signature->closes = scope->closes;
  signature->state = scope->failed ? RULE_SIGNATURE_WRONG : RULE_SIGNATURE_KNOWN;
}

// Another script is gone through with names of its own.
static void sign_script(rule_scope *scope, const rule_tree *script, rule_signature *signature) {
  rule_scope inner = {.program = scope->program,
                      .statements = true,
                      .silent = true,
                      .scripts = scope->scripts + 1,
                      .signatures = {scope->signatures.data, scope->signatures.count, scope->signatures.capacity}};
  check_body(&inner, script, signature);
  memcpy(&scope->signatures, &inner.signatures, sizeof scope->signatures);
  memset(&inner.signatures, 0, sizeof inner.signatures);
  rule_scope_free(&inner);
}

// The number of a callee's signature, -1 when it has none.
static int find_signature(rule_scope *scope, const rule_tree *call, const rule_tree *callee) {
  int at = signature_of(scope, callee);
  if (at >= 0 && scope->signatures.data[at].state == RULE_SIGNATURE_OPEN) {
    // Nobody else tells of it: told here, whichever script of the circle is being checked.
    scope->failed = true;
    rule_complain(scope->program, 'S', call->span,
                  "'%.60s' calls itself in the end|scripts do not recurse: use for or walk", callee->name);
    return -1;
  }
  if (at >= 0) return at;
  if (callee->kind == RULE_SCRIPT && scope->scripts >= SCRIPT_DEPTH) {
    RULE_OBJECT(scope, 'S', call->span, "scripts call scripts more than %d deep here|call fewer from one another",
                SCRIPT_DEPTH);
    return -1;
  }
  at = add_signature(scope, callee);
  if (at < 0) return -1;
  rule_signature signature = scope->signatures.data[at];
  if (callee->kind == RULE_SCRIPT)
    sign_script(scope, callee, &signature);
  else
    sign_rule(scope, callee, &signature);
  scope->signatures.data[at] = signature;
  return at;
}

void rule_call_check(rule_scope *scope, const rule_tree *call, const rule_tree *callee) {
  const int at = find_signature(scope, call, callee);
  rule_signature signature = {0};
  if (at >= 0) signature = scope->signatures.data[at];
  const bool known = at >= 0 && signature.state == RULE_SIGNATURE_KNOWN;
  if (known && call->count != signature.count)
    RULE_OBJECT(scope, 'S', call->span, "'%.60s' takes %u argument%s, not %u|give it that many", call->name,
                (unsigned)signature.count, signature.count == 1 ? "" : "s", (unsigned)call->count);
  for (uint32_t k = 0; k < call->count; k++)
    rule_value_check(scope, call->child[k], known && k < signature.count ? signature.sort[k] : RULE_SORT_ANY);
  if (signature.opens && !scope->opens) scope->opened = call->span;
  scope->opens |= signature.opens;
  scope->closes |= signature.closes;
}

// Statements

static void check_for(rule_scope *scope, const rule_tree *tree) {
  const rule_tree *own = tree->child[0], *of = tree->child[1];
  const uint32_t outer = scope->variables.count;
  if (rule_there(own)) {
    rule_orbit_check(scope, own);
    if (of->kind != RULE_WITHIN)
      RULE_OBJECT(scope, 'S', own->span,
                  "a path has no orbits of its own|write for %.60s in ..., or go over an orbit: "
                  "for %.60s:<0> in <0,1>(d)",
                  tree->name, tree->name);
  }
  rule_value_check(scope, of, RULE_SORT_PATH);
  if (rule_scope_add(scope, tree->name, RULE_SORT_DART)) check_block(scope, tree->child[2]);
  scope->variables.count = outer;
}

static void check_cyclic(rule_scope *scope, const rule_tree *tree) {
  const rule_tree *names = tree->child[0];
  const uint32_t outer = scope->variables.count;
  rule_value_check(scope, tree->child[1], RULE_SORT_PATH);
  if (names->child[0]->name == names->child[1]->name)
    RULE_OBJECT(scope, 'S', names->child[1]->span, "variable '%.60s' is named twice|use another name",
                names->child[1]->name);
  if (rule_scope_add(scope, names->child[0]->name, RULE_SORT_DART) &&
      rule_scope_add(scope, names->child[1]->name, RULE_SORT_DART))
    check_block(scope, tree->child[2]);
  scope->variables.count = outer;
}

static void check_assign(rule_scope *scope, const rule_tree *tree) {
  const rule_tree *target = tree->child[0];
  if (target->kind == RULE_FIELD)
    rule_value_check(scope, target, RULE_SORT_VALUE);
  else
    RULE_OBJECT(scope, 'S', target->span, "only embeddings are assigned|write d.column = value, or let x = value");
  rule_value_check(scope, tree->child[1], RULE_SORT_VALUE);
}

static void check_action(rule_scope *scope, const rule_tree *statement) {
  const rule_tree *call = statement->child[0];
  const rule_tree *declaration = rule_declaration(scope->program, call->name);
  if (declaration && !rule_is_applied(declaration))
    RULE_OBJECT(scope, 'S', call->span, "'%.60s' is no rule and no script|a statement applies something to the map",
                call->name);
  else
    rule_value_check(scope, call, RULE_SORT_ANY);
}

static void check_let(rule_scope *scope, const rule_tree *statement) {
  const rule_sort sort = rule_value_check(scope, statement->child[0], RULE_SORT_ANY);
  if (sort == RULE_SORT_PATH) RULE_OBJECT(scope, 'S', statement->span, "a path has no name|go over it with for");
  rule_scope_add(scope, statement->name, sort);
}

static void check_both(rule_scope *scope, const rule_tree *first, const rule_tree *second) {
  check_block(scope, first);
  if (rule_there(second)) check_block(scope, second);
}

static void check_statement(rule_scope *scope, const rule_tree *statement) {
  switch (statement->kind) {
  case RULE_BLOCK:
    check_block(scope, statement);
    break;
  case RULE_CALL_STATEMENT:
    check_action(scope, statement);
    break;
  case RULE_FOR:
    check_for(scope, statement);
    break;
  case RULE_FOR_CYCLIC:
    check_cyclic(scope, statement);
    break;
  case RULE_IF:
    rule_value_check(scope, statement->child[0], RULE_SORT_VALUE);
    check_both(scope, statement->child[1], statement->child[2]);
    break;
  case RULE_TRY:
    check_both(scope, statement->child[0], statement->child[1]);
    break;
  case RULE_REQUIRE:
    rule_value_check(scope, statement->child[0], RULE_SORT_VALUE);
    break;
  case RULE_RETURN:
    if (rule_there(statement->child[0])) rule_value_check(scope, statement->child[0], RULE_SORT_ANY);
    break;
  case RULE_LET:
    check_let(scope, statement);
    break;
  case RULE_ASSIGN:
    check_assign(scope, statement);
    break;
  default:
    RULE_OBJECT(scope, 'S', statement->span,
                "this is no statement|a script has for, if, try, require, return, let, "
                "calls and assignments");
  }
}

static bool ends(const rule_tree *statement) {
  return statement->kind == RULE_RETURN;
}

static void check_block(rule_scope *scope, const rule_tree *block) {
  const uint32_t outer = scope->variables.count;
  if (scope->blocks >= BLOCK_DEPTH) {
    RULE_OBJECT(scope, 'S', block->span, "this is nested too deeply|make a script of the inner part");
    return;
  }
  scope->blocks++;
  for (uint32_t k = 0; k < block->count && !scope->program->no_memory; k++) {
    check_statement(scope, block->child[k]);
    if (ends(block->child[k]) && k + 1 < block->count)
      RULE_OBJECT(scope, 'S', block->child[k + 1]->span, "this is never reached|remove it, or the return before it");
  }
  scope->blocks--;
  scope->variables.count = outer;
}

bool rule_script_check(clv_program *program, const rule_tree *script) {
  rule_scope scope = {.program = program, .statements = true};
  rule_signature signature = {0};
  if (add_signature(&scope, script) >= 0) {
    check_body(&scope, script, &signature);
    if (signature.opens)
      RULE_OBJECT(&scope, 'O', scope.opened,
                  "cells are left open: α%u stays free|apply a rule that joins the free ends "
                  "before the script ends",
                  signature.opens & 1u   ? 0u
                  : signature.opens & 2u ? 1u
                                         : 2u);
  }
  const bool sound = !scope.failed;
  rule_scope_free(&scope);
  return sound;
}
