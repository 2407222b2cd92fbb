// The laws of a program, and their kernels: made when it is checked, for maps of either dimension.

#include "rule/kernel.h"
#include "rule/program.h"

static bool is_law(const rule_tree *tree) {
  return tree->kind == RULE_FORCE || tree->kind == RULE_DERIVE || tree->kind == RULE_UPDATE;
}

static bool is_constant(const rule_tree *tree) {
  return tree->kind == RULE_PARAM || tree->kind == RULE_EMBED || tree->kind == RULE_DEF;
}

static void make_kernels(clv_program *program, rule_laws *laws) {
  const clv_allocator *memory = &program->arena.allocator;
  if (!BASE_RESERVE(memory, &laws->kernels, laws->laws.count)) {
    program->no_memory = true;
    return;
  }
  while (laws->kernels.count < laws->laws.count && !program->no_memory) {
    law *l = laws->laws.data[laws->kernels.count];
    laws->kernels.data[laws->kernels.count++] = l->tree->kind == RULE_FORCE ? kernel_make(program, l) : NULL;
    program->no_memory = program->no_memory || !law_settle(l);
  }
}

static bool is_wanted(const rule_needs *needs, const rule_tree *tree) {
  if (!needs || tree->kind == RULE_UPDATE) return true;
  if (tree->kind == RULE_DERIVE) return needs->derived && !strcmp(needs->derived, tree->name);
  for (uint32_t k = 0; k < needs->force_count; k++)
    if (tree->kind == RULE_FORCE && !strcmp(needs->forces[k], tree->name)) return true;
  return false;
}

static bool is_made(const rule_laws *laws, const rule_tree *tree) {
  for (uint32_t k = 0; k < laws->laws.count; k++)
    if (laws->laws.data[k]->tree == tree) return true;
  return false;
}

// What laws are derived from, and what that is derived from in turn.
static void make_derived(clv_program *program, uint32_t dimension, rule_laws *laws) {
  for (uint32_t k = 0; k < laws->laws.count && !program->no_memory; k++)
    for (uint32_t r = 0; r < laws->laws.data[k]->reads.count && !program->no_memory; r++) {
      const rule_tree *column = laws->laws.data[k]->reads.data[r].column;
      if (column->kind == RULE_DERIVE && !is_made(laws, column)) law_elaborate(program, column, dimension, &laws->laws);
    }
}

void rule_make_laws(clv_program *program) {
  const rule_needs *needs = program->needs;
  for (uint32_t k = 0; k < program->declarations.count && !program->no_memory; k++)
    if (is_constant(program->declarations.data[k])) law_declaration_check(program, program->declarations.data[k]);
  for (uint32_t n = 2; n <= 3; n++) {
    if (needs && needs->dimension != n) continue;
    rule_laws *laws = &program->laws[n - 2];
    for (uint32_t k = 0; k < program->declarations.count && !program->no_memory; k++) {
      const rule_tree *tree = program->declarations.data[k];
      if (is_law(tree) && is_wanted(needs, tree)) law_elaborate(program, tree, n, &laws->laws);
    }
    if (needs) make_derived(program, n, laws);
    if (!program->no_memory) make_kernels(program, laws);
  }
}

void rule_free_laws(clv_program *program) {
  const clv_allocator *memory = &program->arena.allocator;
  for (uint32_t n = 0; n < 2; n++) {
    rule_laws *laws = &program->laws[n];
    for (uint32_t k = 0; k < laws->kernels.count; k++)
      if (laws->kernels.data[k]) kernel_destroy(laws->kernels.data[k], memory);
    for (uint32_t k = 0; k < laws->laws.count; k++) law_destroy(laws->laws.data[k], memory);
    BASE_RELEASE(memory, &laws->kernels);
    BASE_RELEASE(memory, &laws->laws);
  }
}
