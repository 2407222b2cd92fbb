#include "rule/scope.h"

enum { VALUE_DEPTH = 200 };

static const char *const sort_names[] = {"anything", "a dart", "a number", "a path of darts", "nothing"};

void rule_scope_free(rule_scope *scope) {
  const clv_allocator *memory = &scope->program->arena.allocator;
  BASE_RELEASE(memory, &scope->variables);
  BASE_RELEASE(memory, &scope->signatures);
}

bool rule_scope_add(rule_scope *scope, const char *name, rule_sort sort) {
  if (!BASE_RESERVE(&scope->program->arena.allocator, &scope->variables, scope->variables.count + 1u)) {
    scope->program->no_memory = scope->failed = true;
    return false;
  }
  scope->variables.data[scope->variables.count++] = (rule_variable){name, sort};
  return true;
}

rule_variable *rule_scope_find(const rule_scope *scope, const char *name) {
  for (uint32_t k = scope->variables.count; k > 0; k--)
    if (scope->variables.data[k - 1].name == name) return &scope->variables.data[k - 1];
  return NULL;
}

static bool is(const char *name, const char *word) {
  return name && strcmp(name, word) == 0;
}

// Letters

static void check_level(rule_scope *scope, const rule_tree *letter) {
  if (letter->count == 0 || !rule_there(letter->child[0])) return;
  if (letter->number != 0)
    RULE_OBJECT(scope, 'S', letter->span, "only dimension 0 has levels|write the letter without ^");
  else
    rule_value_check(scope, letter->child[0], RULE_SORT_VALUE);
}

static void check_letter(rule_scope *scope, const rule_tree *letter) {
  if (letter->number < 0)
    RULE_OBJECT(scope, 'S', letter->span, "_ is no dimension to walk|write 0, 1, 2 or 3");
  else
    check_level(scope, letter);
}

static void check_orbit_name(rule_scope *scope, const rule_tree *name) {
  static const char *const names[] = {"vertex", "edge", "face", "volume", "cell", "corner"};
  for (uint32_t k = 0; k < sizeof names / sizeof *names; k++)
    if (is(name->name, names[k])) return;
  RULE_OBJECT(scope, 'S', name->span,
              "'%.60s' is no orbit|orbits are vertex, edge, face, volume, cell and corner, or letters: <0,1>",
              name->name);
}

void rule_orbit_check(rule_scope *scope, const rule_tree *orbit) {
  if (orbit->kind != RULE_ORBIT) {
    RULE_OBJECT(scope, 'S', orbit->span, "an orbit is needed here|write its letters: <0,1>");
    return;
  }
  for (uint32_t k = 0; k < orbit->count; k++) {
    const rule_tree *part = orbit->child[k];
    if (part->kind == RULE_LETTER) check_letter(scope, part);
    for (uint32_t j = 0; part->kind == RULE_LIST && j < part->count; j++) check_orbit_name(scope, part->child[j]);
  }
}

// Names

static rule_sort check_node_name(rule_scope *scope, const rule_tree *tree) {
  const rule_graph *graph = scope->graph;
  for (uint32_t k = 0; graph && k < graph->node_count; k++) {
    if (graph->node[k].name != tree->name) continue;
    if (graph->node[k].side[RULE_LEFT].present && graph->node[k].piece == 0) return RULE_SORT_DART;
    RULE_OBJECT(scope, 'S', tree->span,
                "node '%.60s' is not there before the rule is applied|use nodes of the left side", tree->name);
    return RULE_SORT_DART;
  }
  for (uint32_t k = 0; graph && k < graph->parameter_count; k++)
    if (graph->parameter[k].name == tree->name) return RULE_SORT_VALUE;
  return RULE_SORT_NOTHING;
}

static rule_sort check_name(rule_scope *scope, const rule_tree *tree, rule_sort wanted) {
  rule_variable *variable = rule_scope_find(scope, tree->name);
  if (variable) {
    if (variable->sort == RULE_SORT_ANY) variable->sort = wanted;
    return variable->sort;
  }
  const rule_sort node = check_node_name(scope, tree);
  if (node != RULE_SORT_NOTHING) return node;
  if (is(tree->name, "true") || is(tree->name, "false")) return RULE_SORT_VALUE;
  const rule_tree *declaration = rule_declaration(scope->program, tree->name);
  if (declaration && declaration->kind == RULE_PARAM) return RULE_SORT_VALUE;
  RULE_OBJECT(scope, 'S', tree->span, "'%.60s' is not known here|%s", tree->name,
              declaration ? "this name is declared, but is no value" : "declare it, or look at its spelling");
  return RULE_SORT_ANY;
}

// Calls

typedef struct builtin {
  const char *name;
  uint8_t least, most;
  rule_sort first, other, result;
} builtin;

static const builtin builtins[] = {
    {"mean", 1, 32, RULE_SORT_VALUE, RULE_SORT_VALUE, RULE_SORT_VALUE},
    {"min", 1, 32, RULE_SORT_VALUE, RULE_SORT_VALUE, RULE_SORT_VALUE},
    {"max", 1, 32, RULE_SORT_VALUE, RULE_SORT_VALUE, RULE_SORT_VALUE},
    {"free", 2, 2, RULE_SORT_DART, RULE_SORT_VALUE, RULE_SORT_VALUE},
    {"side", 1, 1, RULE_SORT_DART, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"parts", 2, 2, RULE_SORT_DART, RULE_SORT_VALUE, RULE_SORT_PATH},
    {"dot", 2, 2, RULE_SORT_VALUE, RULE_SORT_VALUE, RULE_SORT_VALUE},
    {"cross", 2, 2, RULE_SORT_VALUE, RULE_SORT_VALUE, RULE_SORT_VALUE},
    {"norm", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"normalize", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"sqrt", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"abs", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"floor", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"exp", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"log", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"sin", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"cos", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"tan", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"asin", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
    {"acos", 1, 1, RULE_SORT_VALUE, RULE_SORT_ANY, RULE_SORT_VALUE},
};

static const builtin *builtin_of(const char *name) {
  for (uint32_t k = 0; k < sizeof builtins / sizeof *builtins; k++)
    if (is(name, builtins[k].name)) return &builtins[k];
  return NULL;
}

static rule_sort check_builtin(rule_scope *scope, const rule_tree *call, const builtin *function) {
  if (call->count < function->least || call->count > function->most)
    RULE_OBJECT(scope, 'S', call->span, "'%.60s' takes %s%u argument%s, not %u|give it that many", call->name,
                function->least < function->most ? "at least " : "", (unsigned)function->least,
                function->least == 1 ? "" : "s", (unsigned)call->count);
  for (uint32_t k = 0; k < call->count; k++)
    rule_value_check(scope, call->child[k], k == 0 ? function->first : function->other);
  if (is(call->name, "free") && call->count == 2) {
    const rule_tree *dim = call->child[1];
    if (dim->kind == RULE_NUMBER && !(dim->number >= 0 && dim->number <= 3 && dim->number == (double)(int)dim->number))
      RULE_OBJECT(scope, 'S', dim->span, "this is no dimension|dimensions are 0, 1, 2 and 3");
  }
  return function->result;
}

static rule_sort check_def(rule_scope *scope, const rule_tree *call, const rule_tree *def) {
  if (call->count != def->child[0]->count)
    RULE_OBJECT(scope, 'S', call->span, "'%.60s' takes %u argument%s, not %u|give it that many", call->name,
                (unsigned)def->child[0]->count, def->child[0]->count == 1 ? "" : "s", (unsigned)call->count);
  for (uint32_t k = 0; k < call->count; k++) rule_value_check(scope, call->child[k], RULE_SORT_ANY);
  return RULE_SORT_ANY;
}

static rule_sort check_call(rule_scope *scope, const rule_tree *call) {
  const rule_tree *declaration = rule_declaration(scope->program, call->name);
  if (declaration && declaration->kind == RULE_DEF) return check_def(scope, call, declaration);
  if (rule_is_applied(declaration)) {
    if (!scope->statements) {
      RULE_OBJECT(scope, 'S', call->span, "'%.60s' changes the map and cannot be asked here|call it from a script",
                  call->name);
      return RULE_SORT_ANY;
    }
    rule_call_check(scope, call, declaration);
    return RULE_SORT_ANY;
  }
  const builtin *function = builtin_of(call->name);
  if (function) return check_builtin(scope, call, function);
  RULE_OBJECT(scope, 'S', call->span, "there is no rule, script or function '%.60s'|%s", call->name,
              declaration ? "this name is declared, but cannot be called" : "declare it, or look at its spelling");
  return RULE_SORT_ANY;
}

// Other values

// d.lev, and rule(d).node: the dart that the rule made.
static rule_sort check_field(rule_scope *scope, const rule_tree *tree) {
  const rule_tree *of = tree->child[0];
  if (of->kind == RULE_CALL && rule_is_applied(rule_declaration(scope->program, of->name))) {
    check_call(scope, of);
    return RULE_SORT_DART;
  }
  rule_value_check(scope, of, RULE_SORT_DART);
  const rule_tree *declaration = rule_declaration(scope->program, tree->name);
  if (!declaration || (declaration->kind != RULE_EMBED && declaration->kind != RULE_DERIVE))
    RULE_OBJECT(scope, 'S', tree->span, "there is no embedding '%.60s'|declare it: embed %.60s:real on vertex;",
                tree->name, tree->name);
  else if (declaration->kind == RULE_DERIVE)
    RULE_OBJECT(scope, 'S', tree->span,
                "'%.60s' is derived, and not known while the map changes|use embeddings in rules and scripts",
                tree->name);
  return RULE_SORT_VALUE;
}

static rule_sort check_binary(rule_scope *scope, const rule_tree *tree) {
  const bool equality = is(tree->name, "==") || is(tree->name, "!=");
  if (!equality || scope->blend) {
    rule_value_check(scope, tree->child[0], RULE_SORT_VALUE);
    rule_value_check(scope, tree->child[1], RULE_SORT_VALUE);
    return RULE_SORT_VALUE;
  }
  // Darts are compared with darts, numbers with numbers; what is known of one side is known of the other.
  const rule_sort first = rule_value_check(scope, tree->child[0], RULE_SORT_ANY);
  const rule_sort second = rule_value_check(scope, tree->child[1], first);
  if (first == RULE_SORT_ANY && second != RULE_SORT_ANY) rule_value_check(scope, tree->child[0], second);
  if (first == RULE_SORT_PATH) RULE_OBJECT(scope, 'S', tree->span, "paths cannot be compared|compare darts or numbers");
  return RULE_SORT_VALUE;
}

static rule_sort check_reduce(rule_scope *scope, const rule_tree *tree) {
  const rule_tree *place = tree->child[0], *of = tree->child[1];
  const uint32_t outer = scope->variables.count;
  rule_orbit_check(scope, place->child[0]);
  if (of->kind == RULE_WITHIN)
    rule_value_check(scope, of, RULE_SORT_PATH);
  else if (of->kind == RULE_NAME && scope->graph)
    rule_value_check(scope, of, RULE_SORT_DART);
  else
    RULE_OBJECT(scope, 'S', tree->span, "this goes over no orbit|say which: %s(x:<1> in <0,1>(d))", tree->name);
  if (place->name && rule_scope_add(scope, place->name, RULE_SORT_DART))
    rule_value_check(scope, tree->child[2], is(tree->name, "count") ? RULE_SORT_ANY : RULE_SORT_VALUE);
  scope->variables.count = outer;
  return RULE_SORT_VALUE;
}

static rule_sort check_walk(rule_scope *scope, const rule_tree *tree) {
  const rule_tree name = {.kind = RULE_NAME, .span = tree->span, .name = tree->name};
  rule_value_check(scope, &name, RULE_SORT_DART);
  for (uint32_t k = 0; k < tree->child[0]->count; k++) check_letter(scope, tree->child[0]->child[k]);
  rule_value_check(scope, tree->child[1], RULE_SORT_VALUE);
  return RULE_SORT_DART;
}

static void check_children(rule_scope *scope, const rule_tree *tree) {
  for (uint32_t k = 0; k < tree->count; k++)
    if (rule_there(tree->child[k])) rule_value_check(scope, tree->child[k], RULE_SORT_VALUE);
}

static rule_sort check_kind(rule_scope *scope, const rule_tree *tree, rule_sort wanted) {
  switch (tree->kind) {
  case RULE_NAME:
    return check_name(scope, tree, wanted);
  case RULE_NUMBER:
    return RULE_SORT_VALUE;
  case RULE_CALL:
    return check_call(scope, tree);
  case RULE_FIELD:
    return check_field(scope, tree);
  case RULE_STEP:
    rule_value_check(scope, tree->child[0], RULE_SORT_DART);
    check_letter(scope, tree->child[1]);
    return RULE_SORT_DART;
  case RULE_INDEX:
  case RULE_VECTOR:
  case RULE_UNARY:
    check_children(scope, tree);
    return RULE_SORT_VALUE;
  case RULE_BINARY:
    return check_binary(scope, tree);
  case RULE_WITHIN:
    rule_orbit_check(scope, tree->child[0]);
    rule_value_check(scope, tree->child[1], RULE_SORT_DART);
    return RULE_SORT_PATH;
  case RULE_IN:
    rule_value_check(scope, tree->child[0], RULE_SORT_DART);
    rule_value_check(scope, tree->child[1], RULE_SORT_PATH);
    return RULE_SORT_VALUE;
  case RULE_REDUCE:
    return check_reduce(scope, tree);
  case RULE_WALK:
    return check_walk(scope, tree);
  default:
    RULE_OBJECT(scope, 'S', tree->span,
                "this belongs to laws|rules and scripts work with darts, numbers and embeddings");
    return RULE_SORT_ANY;
  }
}

rule_sort rule_value_check(rule_scope *scope, const rule_tree *tree, rule_sort wanted) {
  if (scope->depth >= VALUE_DEPTH) {
    RULE_OBJECT(scope, 'S', tree->span, "this is nested too deeply|split it with let or def");
    return RULE_SORT_ANY;
  }
  scope->depth++;
  const rule_sort sort = check_kind(scope, tree, wanted);
  scope->depth--;
  const bool blended = scope->blend && sort == RULE_SORT_DART && wanted == RULE_SORT_VALUE;
  if (wanted != RULE_SORT_ANY && sort != RULE_SORT_ANY && sort != wanted && !blended)
    RULE_OBJECT(scope, 'S', tree->span, "%s is needed here, and this is %s|%s", sort_names[wanted], sort_names[sort],
                wanted == RULE_SORT_DART    ? "darts are parameters, nodes, variables of for, and steps from them"
                : wanted == RULE_SORT_VALUE ? "name an embedding of it, or compare it"
                                            : "paths are parameters of scripts, and orbits: <0,1>(d)");
  return sort;
}
