// Declarations to laws; parameters and values at creation.

#include "rule/law.h"

#include "rule/elaborate.h"

bool law_settle(law *l) {
  return dag_settle(&l->graph) && (!l->rolled || law_settle(l->rolled));
}

void law_destroy(law *l, const clv_allocator *allocator) {
  if (!l) return;
  law_destroy(l->rolled, allocator);
  dag_free(&l->graph);
  BASE_RELEASE(allocator, &l->paths);
  BASE_RELEASE(allocator, &l->particles);
  BASE_RELEASE(allocator, &l->reads);
  BASE_RELEASE(allocator, &l->guards);
  BASE_RELEASE(allocator, &l->sums);
  BASE_RELEASE(allocator, &l->assigns);
  base_free(allocator, l->force, l->force_count * sizeof *l->force);
  base_free(allocator, l, sizeof *l);
}

// What a declaration needs: definitions by calls, derived quantities by what they read.

typedef struct tree_stack {
  const clv_allocator *memory;
  BASE_ARRAY(const rule_tree *) trees;
  BASE_ARRAY(const rule_tree *) seen; // declarations
  bool no_memory;
} tree_stack;

static void push_tree(tree_stack *stack, const rule_tree *tree) {
  if (!BASE_RESERVE(stack->memory, &stack->trees, stack->trees.count + 1u))
    stack->no_memory = true;
  else
    stack->trees.data[stack->trees.count++] = tree;
}

static void push_declaration(tree_stack *stack, const rule_tree *declaration) {
  for (uint32_t k = 0; k < stack->seen.count; k++)
    if (stack->seen.data[k] == declaration) return;
  if (!BASE_RESERVE(stack->memory, &stack->seen, stack->seen.count + 1u)) {
    stack->no_memory = true;
    return;
  }
  stack->seen.data[stack->seen.count++] = declaration;
  push_tree(stack, declaration->child[declaration->count - 1]);
}

// What a tree needs: the definition it calls, or the derived quantity it reads; NULL for anything else.
static const rule_tree *needed_by(const clv_program *program, const rule_tree *tree, bool derived) {
  const bool of_point = law_is(tree->name, "w") || law_is(tree->name, "N"); // q.w, q.N
  if (tree->kind != RULE_CALL && (tree->kind != RULE_FIELD || of_point || !derived)) return NULL;
  const rule_tree *needed = rule_declaration(program, tree->name);
  return needed && needed->kind == (tree->kind == RULE_CALL ? RULE_DEF : RULE_DERIVE) ? needed : NULL;
}

static bool names_3(const rule_tree *tree) {
  return tree->kind == RULE_STEP && tree->child[1]->number == 3;
}

// Goes over a declaration and what it needs until it is met again, or until a step over a3, where that is looked for.
static bool search(clv_program *program, const rule_tree *declaration, bool for_3) {
  tree_stack stack = {.memory = &program->arena.allocator};
  bool found = false;
  push_tree(&stack, for_3 ? declaration : declaration->child[declaration->count - 1]);
  while (stack.trees.count && !found && !stack.no_memory) {
    const rule_tree *tree = stack.trees.data[--stack.trees.count];
    const rule_tree *needed = needed_by(program, tree, !for_3);
    found = for_3 ? names_3(tree) : needed == declaration;
    if (needed && !found) push_declaration(&stack, needed);
    for (uint32_t k = 0; k < tree->count; k++) push_tree(&stack, tree->child[k]);
  }
  if (stack.no_memory) program->no_memory = true;
  BASE_RELEASE(stack.memory, &stack.trees);
  BASE_RELEASE(stack.memory, &stack.seen);
  return found;
}

bool law_circular(clv_program *program, const rule_tree *declaration) {
  return search(program, declaration, false);
}

// Laws

static const rule_tree *place_of(const rule_tree *declaration) {
  if (declaration->kind != RULE_DERIVE) return declaration->child[0];
  return rule_there(declaration->child[2]) ? declaration->child[2] : declaration->child[1];
}

// The orbits that a declaration names, once, with findings.
static bool check_places(clv_program *program, const rule_tree *declaration) {
  law_maker m = {.program = program};
  clv_orbit orbit;
  bool fine = law_orbit_read(&m, place_of(declaration)->child[0], &orbit);
  if (declaration->kind == RULE_DERIVE) {
    fine = law_orbit_read(&m, declaration->child[1]->child[0], &orbit) && fine;
    law_typed(&m, declaration->child[0]);
    if (!m.failed && law_circular(program, declaration))
      LAW_COMPLAIN(&m, 'F', declaration->span, "'%.60s' is derived from itself|a derived quantity needs others",
                   declaration->name);
  }
  return fine && !m.failed && !program->no_memory;
}

static bool has_file_of_a_user(const clv_program *program) {
  for (uint32_t k = 0; k < program->files.count; k++)
    if (!program->files.data[k].shipped) return true;
  return false;
}

// A law of the library, in a program that is made for one body or for rules of a user: that it is sound is known since
// Cleave was tested. Alone, the library is checked as any file is.
static bool is_trusted(const clv_program *program, const rule_tree *declaration) {
  return program->files.data[declaration->span.file].shipped && (program->needs || has_file_of_a_user(program));
}

static bool add_law(clv_program *program, law_cache *cache, const rule_tree *declaration, const law_shape *shape,
                    law_list *out) {
  const clv_allocator *memory = &program->arena.allocator;
  law_maker m = {.program = program, .cache = cache, .sub_move = -1};
  const bool made = law_make(&m, declaration, shape);
  bool fine = made || (m.not_served && !m.failed);
  law *l = m.law;
  if (made) law_roll(&m, declaration, shape);
  if (made && !is_trusted(program, declaration)) fine = law_check(program, cache, declaration, shape);
  if (made && fine && BASE_RESERVE(memory, out, out->count + 1u)) {
    out->data[out->count++] = l;
    l = NULL;
  } else if (made && fine) {
    program->no_memory = true;
    fine = false;
  }
  law_destroy(l, memory);
  law_maker_free(&m);
  return fine && !program->no_memory;
}

bool law_elaborate(clv_program *program, const rule_tree *declaration, uint32_t dimension, law_list *out) {
  if (!check_places(program, declaration)) return false;
  // What steps over a3 is for maps that have one.
  if (dimension == 2 && search(program, declaration, true)) return true;
  law_shape shapes[LAW_SHAPES_MAX];
  const uint32_t count = law_shapes(place_of(declaration), dimension, shapes);
  bool fine = true;
  law_cache cache = {0};
  for (uint32_t k = 0; k < count && !program->no_memory; k++)
    fine = add_law(program, &cache, declaration, &shapes[k], out) && fine;
  BASE_RELEASE(&program->arena.allocator, &cache.derived);
  return fine && !program->no_memory;
}

// Parameters and values at creation

uint32_t law_param_count(const clv_program *program) {
  return law_param_first(program, NULL);
}

uint32_t law_param_first(const clv_program *program, const rule_tree *param) {
  uint32_t first = 0;
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree == param) break;
    if (tree->kind == RULE_PARAM) first += law_components(tree->child[0]);
  }
  return first;
}

typedef struct param_values {
  const double *values;
} param_values;

static double read_param(void *user, dag_op op, uint32_t index) {
  const param_values *params = user;
  return op == DAG_PARAM ? params->values[index] : 0;
}

// The value of a RULE_PARAM or RULE_EMBED: checked, and written to `values` where that is not NULL.
static bool constant_value(clv_program *program, const rule_tree *declaration, bool quiet, const double *params,
                           double *values) {
  const rule_tree *type = declaration->child[0];
  const rule_tree *tree = declaration->child[declaration->kind == RULE_PARAM ? 1 : 2];
  const clv_allocator *memory = &program->arena.allocator;
  law l = {.name = declaration->name, .tree = declaration};
  law_maker m = {.program = program, .law = &l, .graph = &l.graph, .quiet = quiet, .constant = true, .sub_move = -1};
  dag_init(&l.graph, memory);
  m.arena = base_arena_create(memory);
  const law_value wanted = law_typed(&m, type);
  const uint32_t count = law_components(type);
  if (values) memset(values, 0, count * sizeof *values);
  bool fine = !m.failed;
  if (rule_there(tree)) {
    law_value value = law_evaluate(&m, NULL, tree);
    fine = law_fits(&m, &value, type, &wanted.unit, tree->span) && !m.failed;
    double *scratch = fine && values ? base_allocate(memory, l.graph.nodes.count * sizeof *scratch) : NULL;
    param_values from = {params};
    if (scratch) dag_evaluate(&l.graph, value.s, count, read_param, &from, scratch, values);
    if (fine && values && !scratch) program->no_memory = true;
    base_free(memory, scratch, l.graph.nodes.count * sizeof *scratch);
  }
  if (l.graph.no_memory) program->no_memory = true;
  dag_free(&l.graph);
  law_maker_free(&m);
  return fine && !program->no_memory;
}

// A checked program is nobody's to change, and serves others at the same time: what is noted goes to a copy.
bool law_param_defaults(const clv_program *checked, double *values) {
  clv_program copy = *checked, *program = &copy;
  uint32_t first = 0;
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree->kind != RULE_PARAM) continue;
    if (!constant_value(program, tree, true, values, values + first)) return false;
    first += law_components(tree->child[0]);
  }
  return true;
}

bool law_initial(const clv_program *checked, const rule_tree *embed, const double *params, double *values) {
  clv_program copy = *checked;
  return constant_value(&copy, embed, true, params, values);
}

bool law_declaration_check(clv_program *program, const rule_tree *declaration) {
  if (declaration->kind == RULE_DEF) {
    if (!law_circular(program, declaration)) return !program->no_memory;
    rule_complain(program, 'F', declaration->span,
                  "'%.60s' calls itself|a definition is written out, and this one has no end", declaration->name);
    return false;
  }
  if (declaration->kind == RULE_EMBED) {
    law_maker m = {.program = program};
    clv_orbit orbit;
    if (!law_orbit_read(&m, declaration->child[1], &orbit)) return false;
  }
  return constant_value(program, declaration, false, NULL, NULL);
}
