// What a program has, and where explanations begin.

#include "rule/explain.h"

const char *rule_declaration_word(const rule_tree *declaration) {
  switch (declaration->kind) {
  case RULE_PARAM:
    return "param";
  case RULE_EMBED:
    return "embed";
  case RULE_DERIVE:
    return "derive";
  case RULE_DEF:
    return "def";
  case RULE_FORCE:
    return "force";
  case RULE_UPDATE:
    return "update";
  case RULE_RULE:
  case RULE_INVERSE:
    return "rule";
  case RULE_SCRIPT:
    return "script";
  default:
    return "use";
  }
}

bool clv_program_list(const clv_program *program, uint32_t k, clv_declaration *declaration) {
  for (uint32_t at = 0; at < program->declarations.count; at++) {
    const rule_tree *tree = program->declarations.data[at];
    if (tree->kind == RULE_USE || k-- > 0) continue;
    const rule_file *file = &program->files.data[tree->span.file];
    *declaration = (clv_declaration){tree->name, rule_declaration_word(tree), file->name, file->shipped};
    return true;
  }
  return false;
}

// Parameters

static clv_parameter parameter_of(const rule_tree *tree) {
  clv_parameter parameter = {.name = tree->name, .kind = CLV_PARAMETER_ANY};
  const rule_tree *word = tree->child[0];
  if (!rule_there(word)) return parameter;
  parameter.kind = CLV_PARAMETER_DART;
  const rule_tree *letters = word->kind == RULE_WORD ? word->child[0] : word;
  for (uint32_t k = 0; k < letters->count; k++)
    if (letters->child[k]->number >= 0) parameter.orbit |= 1u << (uint32_t)letters->child[k]->number;
  return parameter;
}

static bool graph_parameter(const rule_graph *graph, uint32_t k, clv_parameter *parameter) {
  if (k >= graph->parameter_count) return false;
  const rule_parameter *p = &graph->parameter[k];
  *parameter = (clv_parameter){p->name, p->hook < 0 ? CLV_PARAMETER_LEVEL : CLV_PARAMETER_DART, 0};
  if (p->hook < 0) return true;
  const rule_letter *word = graph->hook_word[graph->node[p->hook].hook];
  for (uint32_t letter = 0; letter < graph->columns; letter++)
    if (word[letter].dim >= 0) parameter->orbit |= 1u << (uint32_t)word[letter].dim;
  return true;
}

bool clv_rule_parameter(const clv_rule *rule, uint32_t k, clv_parameter *parameter) {
  if (rule->graph) return graph_parameter(rule->graph, k, parameter);
  const rule_tree *list = rule->script->child[0];
  if (k >= list->count) return false;
  *parameter = parameter_of(list->child[k]);
  return true;
}

// Orbits

static const struct {
  const char *name;
  clv_orbit orbit;
} named_orbits[] = {{"vertex", CLV_VERTEX},       {"edge", CLV_EDGE},
                    {"face", CLV_FACE},           {"volume", CLV_VOLUME},
                    {"cell", CLV_CELL},           {"corner", CLV_CORNER},
                    {"edge&cell", CLV_CELL_EDGE}, {"face&cell", CLV_FACE | CLV_IN_CELL}};

void explain_orbit(rule_text *out, clv_orbit orbit) {
  for (uint32_t k = 0; k < sizeof named_orbits / sizeof *named_orbits; k++) {
    if (named_orbits[k].orbit != orbit) continue;
    rule_text_print(out, "%s", named_orbits[k].name);
    return;
  }
  const char *separator = "<";
  for (uint32_t dim = 0; dim < RULE_DIMS; dim++) {
    if (!(orbit >> dim & 1u)) continue;
    rule_text_print(out, "%s%u", separator, (unsigned)dim);
    separator = ",";
  }
  rule_text_print(out, *separator == '<' ? "<>" : ">");
}

void explain_rank(const clv_program *program, const rule_tree *rank, rule_text *out) {
  rule_text_print(out, "of several places first: where ");
  rule_text_source(out, program, rank->span, 200);
  rule_text_print(out, " is greatest\n");
}

// Scripts

typedef struct listing {
  const clv_program *program;
  uint32_t count;
  const clv_rule *rules[EXPLAIN_RULES];
} listing;

static void list_call(listing *list, const rule_tree *call) {
  const clv_rule *called = clv_program_rule(list->program, call->name);
  for (uint32_t k = 0; k < list->count; k++)
    if (list->rules[k] == called) return;
  if (called && list->count < EXPLAIN_RULES) list->rules[list->count++] = called;
}

// Trees are as deep as the parser allows, which is bounded.
static void list_calls(listing *list, const rule_tree *tree) {
  if (!tree) return;
  if (tree->kind == RULE_CALL) list_call(list, tree);
  for (uint32_t k = 0; k < tree->count; k++) list_calls(list, tree->child[k]);
}

// A script does what the rules do that it may apply, itself or by other scripts.
static void explain_script(const clv_program *program, const rule_tree *script, rule_text *out) {
  listing list = {.program = program};
  explain_deed deed = {.count = 0};
  list_calls(&list, script->child[1]);
  for (uint32_t k = 0; k < list.count; k++) {
    if (list.rules[k]->script)
      list_calls(&list, list.rules[k]->script->child[1]);
    else
      deed.graph[deed.count++] = list.rules[k]->graph;
  }
  rule_text_print(out, "script %.80s", script->name);
  rule_text_source(out, program, script->child[0]->span, 200);
  rule_text_print(out, "\n\n");
  if (rule_there(script->child[2])) explain_rank(program, script->child[2], out);
  rule_text_print(out, "may apply\n");
  for (uint32_t k = 0; k < list.count; k++)
    rule_text_print(out, "  %s %.80s\n", list.rules[k]->script ? "script" : "rule", clv_rule_name(list.rules[k]));
  if (list.count == 0) rule_text_print(out, "  nothing\n");
  if (deed.count) explain_effects(program, &deed, out);
}

// The way in

static clv_result explain(const clv_program *program, const rule_tree *tree, const char *name, rule_text *out,
                          clv_error *error) {
  const clv_rule *rule = tree ? clv_program_rule(program, name) : NULL;
  if (!tree) return clv_error_set(error, CLV_ERROR_ARGUMENT, "the program has nothing called '%.80s'", name);
  if (rule && rule->graph)
    explain_graph(program, rule->graph, out);
  else if (rule && rule->script)
    explain_script(program, rule->script, out);
  else if (tree->kind == RULE_FORCE || tree->kind == RULE_UPDATE || tree->kind == RULE_DERIVE)
    explain_law(program, tree, out);
  else
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "'%.80s' (%s) explains itself; name a rule or a force", name,
                         rule_declaration_word(tree));
  return CLV_OK;
}

clv_result clv_program_explain(const clv_program *program, const char *name, clv_text_writer *write, void *user,
                               clv_error *error) {
  if (!program->checked || program->no_memory || program->diagnostics.count)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "the program was not found sound; check it first");
  rule_text out = {.allocator = program->arena.allocator};
  clv_result result = explain(program, rule_declaration(program, name), name, &out, error);
  if (result == CLV_OK && out.no_memory)
    result = clv_error_set(error, CLV_ERROR_MEMORY, "no memory is left to explain '%.80s'", name);
  if (result == CLV_OK) write(user, out.bytes.data, out.bytes.count);
  rule_text_free(&out);
  return result;
}
