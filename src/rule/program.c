// Programs: files, names, declarations, and the order in which they are checked.

#include "rule/program.h"

#include "rule/law.h"
#include "rule/native.h"

#include <math.h>

clv_program *clv_program_create(const clv_allocator *allocator) {
  const clv_allocator memory = allocator ? *allocator : clv_default_allocator();
  clv_program *program = base_allocate(&memory, sizeof *program);
  if (!program) return NULL;
  *program = (clv_program){.arena = base_arena_create(&memory)};
  return program;
}

void clv_program_destroy(clv_program *program) {
  if (!program) return;
  const clv_allocator memory = program->arena.allocator;
  rule_detach(program);
  rule_free_laws(program);
  BASE_RELEASE(&memory, &program->files);
  BASE_RELEASE(&memory, &program->declarations);
  BASE_RELEASE(&memory, &program->symbols);
  BASE_RELEASE(&memory, &program->findings);
  BASE_RELEASE(&memory, &program->diagnostics);
  base_arena_destroy(&program->arena);
  base_free(&memory, program, sizeof *program);
}

// Names

static uint32_t hash_text(const char *text, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t k = 0; k < size; k++) hash = (hash ^ (unsigned char)text[k]) * 16777619u;
  return hash;
}

static rule_symbol *find_symbol(const clv_program *program, const char *text, size_t size) {
  const uint32_t mask = program->symbols.capacity - 1;
  for (uint32_t at = hash_text(text, size) & mask;; at = (at + 1) & mask) {
    rule_symbol *symbol = &program->symbols.data[at];
    if (!symbol->name || (strncmp(symbol->name, text, size) == 0 && symbol->name[size] == '\0')) return symbol;
  }
}

static bool grow_symbols(clv_program *program) {
  if (program->symbols.count * 2u < program->symbols.capacity) return true;
  const clv_allocator *memory = &program->arena.allocator;
  const uint32_t room = program->symbols.capacity ? program->symbols.capacity * 2u : 256u;
  rule_symbol *old = program->symbols.data, *fresh = base_allocate(memory, room * sizeof *fresh);
  if (!fresh) return false;
  memset(fresh, 0, room * sizeof *fresh);
  const uint32_t old_room = program->symbols.capacity;
  program->symbols.data = fresh;
  program->symbols.capacity = room;
  for (uint32_t k = 0; k < old_room; k++)
    if (old[k].name) *find_symbol(program, old[k].name, strlen(old[k].name)) = old[k];
  base_free(memory, old, old_room * sizeof *old);
  return true;
}

const char *rule_intern(clv_program *program, const char *text, size_t size) {
  if (!grow_symbols(program)) {
    program->no_memory = true;
    return NULL;
  }
  rule_symbol *symbol = find_symbol(program, text, size);
  if (!symbol->name) {
    symbol->name = base_arena_copy(&program->arena, text, size);
    if (!symbol->name)
      program->no_memory = true;
    else
      program->symbols.count++;
  }
  return symbol->name;
}

rule_symbol *rule_symbol_of(clv_program *program, const char *name) {
  return name && rule_intern(program, name, strlen(name)) ? find_symbol(program, name, strlen(name)) : NULL;
}

const rule_tree *rule_declaration(const clv_program *program, const char *name) {
  if (!name || !program->symbols.capacity) return NULL;
  return find_symbol(program, name, strlen(name))->declaration;
}

const void *rule_meaning(const clv_program *program, const char *name) {
  return name && program->symbols.capacity ? find_symbol(program, name, strlen(name))->meaning : NULL;
}

rule_tree *rule_tree_make(clv_program *program, rule_kind kind, rule_span span, const char *name, double number,
                          rule_tree *const *children, uint32_t count) {
  rule_tree *tree = base_arena_take(&program->arena, sizeof *tree);
  rule_tree **copies = count ? base_arena_take(&program->arena, count * sizeof *copies) : NULL;
  if (!tree || (count && !copies)) {
    program->no_memory = true;
    return NULL;
  }
  if (count) memcpy(copies, children, count * sizeof *copies);
  *tree = (rule_tree){kind, count, span, name, number, copies};
  return tree;
}

// Files

static clv_result fail_memory(clv_program *program) {
  program->no_memory = true;
  return CLV_ERROR_MEMORY;
}

// Names that mean something already cannot be declared again.
static void declare(clv_program *program, const rule_tree *tree) {
  if (tree->kind == RULE_USE) return;
  rule_symbol *symbol = rule_symbol_of(program, tree->name);
  if (!symbol) return;
  if (symbol->declaration)
    rule_complain(program, 'S', tree->span, "'%.80s' is declared twice|use another name; the first is in %.80s",
                  tree->name, program->files.data[symbol->declaration->span.file].name);
  else
    symbol->declaration = tree;
}

static clv_result add_file(clv_program *program, const char *name, const char *text, size_t size, const char *module,
                           bool shipped) {
  if (program->checked || size >= UINT32_MAX / 2) return CLV_ERROR_ARGUMENT;
  if (program->no_memory) return CLV_ERROR_MEMORY;
  if (!BASE_RESERVE(&program->arena.allocator, &program->files, program->files.count + 1u)) return fail_memory(program);
  char *copy = base_arena_copy(&program->arena, text, size);
  char *title = base_arena_copy(&program->arena, name, strlen(name));
  if (!copy || !title) return fail_memory(program);
  // A zero inside ends the text: nothing behind it could be seen in an editor.
  const char *zero = memchr(copy, '\0', size);
  const size_t used = zero ? (size_t)(zero - copy) : size;
  const uint32_t file = program->files.count++;
  program->files.data[file] = (rule_file){title, copy, used, module, shipped};
  if (used < size)
    rule_complain(program, 'L', (rule_span){file, (uint32_t)used, (uint32_t)used + 1},
                  "the text has a zero byte|remove it: rule files are plain text");

  const uint32_t first = program->declarations.count;
  rule_parse(program, file);
  for (uint32_t k = first; k < program->declarations.count; k++) declare(program, program->declarations.data[k]);
  return program->no_memory ? CLV_ERROR_MEMORY : CLV_OK;
}

static bool is_used(const clv_program *program, const char *module) {
  for (uint32_t k = 0; k < program->files.count; k++)
    if (program->files.data[k].module && strcmp(program->files.data[k].module, module) == 0) return true;
  return false;
}

// A file of the library is that module, wherever it was read from: used once, however often it is named.
clv_result clv_program_add(clv_program *program, const char *name, const char *text, size_t size) {
  const char *module = rule_shipped_as(text, size);
  if (module && !program->checked && is_used(program, module)) return CLV_OK;
  return add_file(program, name, text, size, module, false);
}

clv_result clv_program_use(clv_program *program, const char *module) {
  if (is_used(program, module)) return CLV_OK;
  size_t size = 0;
  const char *text = rule_shipped(module, &size);
  if (!text) return CLV_ERROR_ARGUMENT;
  return add_file(program, module, text, size, module, true);
}

// Modules that are used, and those they use: declarations grow while they are gone over.
static void use_modules(clv_program *program) {
  for (uint32_t k = 0; k < program->declarations.count && !program->no_memory; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree->kind == RULE_USE && clv_program_use(program, tree->name) == CLV_ERROR_ARGUMENT)
      rule_complain(program, 'S', tree->span, "there is no module '%.80s'|modules are the files of Cleave's library",
                    tree->name);
  }
}

// The value of a parameter as a tree, where the one of its file stood.
static rule_tree *make_value(clv_program *program, rule_span span, const double *values, uint32_t count) {
  rule_tree *numbers[9] = {NULL};
  for (uint32_t k = 0; k < count; k++) {
    numbers[k] = rule_tree_make(program, RULE_NUMBER, span, NULL, values[k], NULL, 0);
    if (!numbers[k]) return NULL;
  }
  return count == 1 ? numbers[0] : rule_tree_make(program, RULE_VECTOR, span, NULL, 0, numbers, count);
}

clv_result clv_program_set_param(clv_program *program, const char *name, const double *values, uint32_t count) {
  if (program->checked || !name || !values) return CLV_ERROR_ARGUMENT;
  use_modules(program);
  if (program->no_memory)
    return CLV_ERROR_MEMORY; // a module that is not there is no reason to say so of its parameters
  const rule_tree *param = rule_declaration(program, name);
  if (!param || param->kind != RULE_PARAM || law_components(param->child[0]) != count) return CLV_ERROR_ARGUMENT;
  for (uint32_t k = 0; k < count; k++)
    if (!isfinite(values[k])) return CLV_ERROR_ARGUMENT;
  rule_tree *value = make_value(program, param->child[1]->span, values, count);
  if (!value) return CLV_ERROR_MEMORY;
  param->child[1] = value;
  return CLV_OK;
}

clv_result rule_program_check_for(clv_program *program, const rule_needs *needs) {
  program->needs = needs;
  const clv_result result = clv_program_check(program);
  program->needs = NULL;
  return result;
}

clv_result clv_program_check(clv_program *program) {
  if (program->checked) return CLV_ERROR_ARGUMENT;
  use_modules(program);
  rule_make_rules(program);
  rule_check_rules(program);
  if (!program->no_memory) rule_make_laws(program);
  if (!program->no_memory && program->findings.count == 0) rule_attach_shipped(program);
  program->checked = true;
  if (program->no_memory || !rule_publish_findings(program)) return CLV_ERROR_MEMORY;
  return program->diagnostics.count ? CLV_ERROR_INPUT : CLV_OK;
}
