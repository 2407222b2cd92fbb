// From the tree of a rule to its graph.
//
// Parameters come first, because words name levels and hooks; then the nodes and arcs of both sides as they are
// written. Words are turned into ties at the end, when it is known which node keeps the word of its left side.

#include "rule/graph_private.h"

#include <stdarg.h>
#include <stdio.h>

#define FOUND(maker, span, ...) ((maker)->failed = true, rule_complain((maker)->program, 'S', (span), __VA_ARGS__))

int rule_graph_node(const rule_graph *graph, const char *name) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (graph->node[k].name == name) return (int)k;
  return -1;
}

static int parameter_of(const rule_graph *graph, const char *name) {
  for (uint32_t k = 0; k < graph->parameter_count; k++)
    if (graph->parameter[k].name == name) return (int)k;
  return -1;
}

// Letters

static void read_level(graph_maker *maker, const rule_tree *tree, rule_letter *letter) {
  const rule_graph *graph = maker->graph;
  const rule_tree *name = tree;
  double plus = 0;
  if (tree->kind == RULE_BINARY && strcmp(tree->name, "+") == 0) {
    name = tree->child[0];
    if (tree->child[1]->kind == RULE_NUMBER) plus = tree->child[1]->number;
  }
  if (name->kind != RULE_NAME || (name != tree && !(plus >= 1 && plus <= 100 && plus == (double)(int)plus))) {
    FOUND(maker, tree->span, "a level is a parameter, or a parameter plus a whole number|write 0^k or 0^(k+1)");
    return;
  }
  const int at = parameter_of(graph, name->name);
  if (at < 0) {
    FOUND(maker, name->span, "level '%.60s' is no parameter of the rule|add it behind the hooks: (a:<...>, %.60s)",
          name->name, name->name);
  } else if (graph->parameter[at].hook >= 0) {
    FOUND(maker, name->span, "'%.60s' is a hook, not a level|a level is a parameter without a word", name->name);
  } else {
    letter->level = (int8_t)at;
    letter->plus = (int8_t)plus;
  }
}

rule_letter rule_graph_letter(graph_maker *maker, const rule_tree *tree) {
  rule_letter letter = {.dim = -1, .level = -1};
  if (!(tree->number >= -1 && tree->number < RULE_DIMS)) {
    FOUND(maker, tree->span, "this is no dimension|dimensions are 0, 1, 2 and 3, or _ for a removed one");
    return letter;
  }
  letter.dim = (int8_t)tree->number;
  if (tree->count == 0 || !rule_there(tree->child[0])) return letter;
  if (letter.dim != 0) {
    FOUND(maker, tree->span, "only dimension 0 has levels|write the letter without ^");
    return letter;
  }
  read_level(maker, tree->child[0], &letter);
  maker->graph->levels = true;
  return letter;
}

static bool same_letter(rule_letter a, rule_letter b) {
  return a.dim == b.dim && a.level == b.level && a.plus == b.plus;
}

// The letters of a RULE_WORD or RULE_ORBIT; returns how many.
static uint32_t read_word(graph_maker *maker, const rule_tree *tree, rule_letter *word) {
  const rule_tree *letters = tree->kind == RULE_WORD ? tree->child[0] : tree;
  if (letters->count > RULE_LETTERS) {
    FOUND(maker, letters->span, "a word has at most %d letters|name each dimension once", RULE_LETTERS);
    return 0;
  }
  uint32_t seen = 0;
  for (uint32_t k = 0; k < letters->count; k++) {
    const rule_tree *letter = letters->child[k];
    if (letter->kind != RULE_LETTER) {
      FOUND(maker, letters->span, "a rule needs the letters of an orbit|write <1,2,3> instead of its name");
      return 0;
    }
    word[k] = rule_graph_letter(maker, letter);
    if (word[k].dim < 0) continue;
    if (seen >> word[k].dim & 1)
      FOUND(maker, letter->span, "dimension %d stands twice in this word|name each dimension once", word[k].dim);
    seen |= 1u << word[k].dim;
  }
  return letters->count;
}

// Nodes

static int add_node(graph_maker *maker, const char *name, rule_span span) {
  rule_graph *graph = maker->graph;
  int at = rule_graph_node(graph, name);
  if (at >= 0) return at;
  if (graph->node_count == RULE_NODES) {
    FOUND(maker, span, "a rule has at most %d nodes|split it and apply the parts from a script", RULE_NODES);
    return -1;
  }
  at = graph->node_count++;
  graph->node[at] = (rule_node){.name = name, .hook = -1};
  return at;
}

static void add_word(graph_maker *maker, rule_node *node, int which, const rule_tree *tree) {
  rule_side *side = &node->side[which];
  rule_letter word[RULE_LETTERS] = {0};
  const uint32_t count = read_word(maker, tree, word);
  if (maker->failed) return;
  if (tree->kind == RULE_WORD && tree->child[1]->count)
    FOUND(maker, tree->child[1]->span, "a relation stands at a node|relations belong to the words of the parameters");
  if (count != maker->graph->columns) {
    FOUND(maker, tree->span, "the word of node '%.60s' has %u letters, not %u as the hook's|write _ where it has none",
          node->name, (unsigned)count, (unsigned)maker->graph->columns);
    return;
  }
  for (uint32_t k = 0; side->has_word && k < count; k++)
    if (!same_letter(side->word[k], word[k])) {
      FOUND(maker, tree->span, "node '%.60s' has two different words|write its word once on each side", node->name);
      return;
    }
  memcpy(side->word, word, sizeof word);
  side->has_word = true;
}

// A node where it is written: -1 when it cannot be made.
static int mention(graph_maker *maker, int which, const rule_tree *tree) {
  const rule_graph *graph = maker->graph;
  const int parameter = parameter_of(graph, tree->name);
  if (parameter >= 0 && graph->parameter[parameter].hook < 0) {
    FOUND(maker, tree->span, "'%.60s' is a level, not a node|give the node another name", tree->name);
    return -1;
  }
  const int at = add_node(maker, tree->name, tree->span);
  if (at < 0) return -1;
  rule_side *side = &maker->graph->node[at].side[which];
  if (!side->present) side->span = tree->span;
  side->present = true;
  if (rule_there(tree->child[0])) add_word(maker, &maker->graph->node[at], which, tree->child[0]);
  return at;
}

static void add_tie(graph_maker *maker, int which, int node, rule_tie tie) {
  rule_tie *known = &maker->graph->node[node].side[which].tie[tie.letter.dim];
  if (known->known == RULE_UNKNOWN)
    *known = tie;
  else if (known->known != tie.known || known->at != tie.at || !same_letter(known->letter, tie.letter))
    FOUND(maker, tie.span, "dimension %d of node '%.60s' is given twice|a dart has one α%d: remove one of the two",
          tie.letter.dim, maker->graph->node[node].name, tie.letter.dim);
}

static void add_arc(graph_maker *maker, int which, const rule_tree *tree, int from, int to) {
  rule_tie tie = {.known = tree->number != 0 ? RULE_PERHAPS : RULE_ARC_TO, .span = tree->span};
  tie.letter = rule_graph_letter(maker, tree->child[0]);
  if (tie.letter.dim < 0) {
    if (!maker->failed) FOUND(maker, tree->span, "an arc without a dimension|write -0-, -1-, -2- or -3-");
    return;
  }
  if (from == to && (tie.known == RULE_PERHAPS || tie.letter.level >= 0)) {
    FOUND(maker, tree->span, "a loop is neither optional nor at a level|write %.60s -%d- %.60s",
          maker->graph->node[from].name, tie.letter.dim, maker->graph->node[from].name);
    return;
  }
  if (tie.known == RULE_PERHAPS && tie.letter.level >= 0) {
    FOUND(maker, tree->span,
          "an arc at a level is not optional|it is a walk, which always ends somewhere: remove the ?");
    return;
  }
  tie.at = (uint8_t)to;
  add_tie(maker, which, from, tie);
  tie.at = (uint8_t)from;
  if (from != to) add_tie(maker, which, to, tie);
}

static void read_chain(graph_maker *maker, int which, const rule_tree *chain) {
  int last = mention(maker, which, chain->child[0]);
  for (uint32_t k = 1; k + 1 < chain->count; k += 2) {
    const int next = mention(maker, which, chain->child[k + 1]);
    if (last >= 0 && next >= 0) add_arc(maker, which, chain->child[k], last, next);
    last = next;
  }
}

static void read_side(graph_maker *maker, int which, const rule_tree *tree) {
  for (uint32_t k = 0; k < tree->count; k++) {
    const rule_tree *part = tree->child[k];
    if (part->kind == RULE_CHAIN)
      read_chain(maker, which, part);
    else if (which == RULE_LEFT)
      FOUND(maker, part->span, "a value is given on the left|values are given on the right, to what the rule makes");
  }
}

// Parameters

static void read_parameter(graph_maker *maker, const rule_tree *tree) {
  rule_graph *graph = maker->graph;
  if (graph->parameter_count == RULE_PARAMETERS) {
    FOUND(maker, tree->span, "a rule has at most %d parameters|split the rule", RULE_PARAMETERS);
    return;
  }
  if (parameter_of(graph, tree->name) >= 0) {
    FOUND(maker, tree->span, "parameter '%.60s' is named twice|use another name", tree->name);
    return;
  }
  rule_parameter *parameter = &graph->parameter[graph->parameter_count++];
  *parameter = (rule_parameter){tree->name, -1, tree->span};
  if (!rule_there(tree->child[0])) return;
  const int node = add_node(maker, tree->name, tree->span);
  graph->node[node].hook = (int8_t)graph->hook_count;
  graph->hook[graph->hook_count++] = (uint8_t)node;
  parameter->hook = (int8_t)node;
}

// The word of a hook: full, and as long as the others.
static void read_hook(graph_maker *maker, uint32_t hook, const rule_tree *tree) {
  rule_graph *graph = maker->graph;
  const rule_tree *word = tree->child[0];
  const uint32_t count = read_word(maker, word, graph->hook_word[hook]);
  if (maker->failed) return;
  for (uint32_t k = 0; k < count; k++)
    if (graph->hook_word[hook][k].dim < 0)
      FOUND(maker, word->child[0]->child[k]->span,
            "the word of hook '%.60s' is not full|a hook's word says how its orbit is walked: write a dimension",
            tree->name);
  if (hook == 0) graph->columns = (uint8_t)count;
  if (count != graph->columns)
    FOUND(maker, word->span, "the words of the hooks differ in length|hooks are walked in parallel: letter by letter");
}

static void read_parameters(graph_maker *maker, const rule_tree *list) {
  for (uint32_t k = 0; k < list->count; k++) read_parameter(maker, list->child[k]);
  if (maker->failed) return;
  uint32_t hook = 0;
  for (uint32_t k = 0; k < list->count; k++)
    if (rule_there(list->child[k]->child[0])) read_hook(maker, hook++, list->child[k]);
  if (hook == 0)
    FOUND(maker, list->span, "the rule has no hook|a parameter with a word, such as a:<0,1>, says where it is applied");
  if (maker->failed) return;
  hook = 0;
  for (uint32_t k = 0; k < list->count; k++) {
    const rule_tree *word = list->child[k]->child[0];
    if (!rule_there(word)) continue;
    if (word->kind == RULE_WORD) rule_graph_relations(maker, hook, word->child[1]);
    hook++;
  }
}

static int column_of(const rule_graph *graph, uint32_t hook, rule_letter letter) {
  for (int k = 0; k < graph->columns; k++)
    if (same_letter(graph->hook_word[hook][k], letter)) return k;
  return -1;
}

static void read_relation(graph_maker *maker, uint32_t hook, const rule_tree *tree) {
  rule_graph *graph = maker->graph;
  rule_relation relation = {.length = (uint8_t)tree->count, .order = 0, .span = tree->span};
  if (tree->count == 0 || tree->count > RULE_LETTERS) {
    FOUND(maker, tree->span, "a relation has 1 to %d letters|write (01)^3: so many times round", RULE_LETTERS);
    return;
  }
  if (!(tree->number >= 1 && tree->number <= RULE_ORDER) || tree->number != (double)(int)tree->number) {
    FOUND(maker, tree->span, "the order of a relation is a whole number from 1 to %d|write (01)^3: so many times round",
          RULE_ORDER);
    return;
  }
  relation.order = (uint16_t)tree->number;
  for (uint32_t k = 0; k < tree->count; k++) {
    relation.letters[k] = rule_graph_letter(maker, tree->child[k]);
    const int column = column_of(graph, hook, relation.letters[k]);
    if (maker->failed) return;
    if (column < 0) {
      FOUND(maker, tree->child[k]->span,
            "this letter is not in the word of hook '%.60s'|relations are over its letters",
            graph->node[graph->hook[hook]].name);
      return;
    }
    relation.column[k] = (uint8_t)column;
  }
  if (graph->relation_count == RULE_RELATIONS)
    FOUND(maker, tree->span, "a rule has at most %d relations|remove those that follow from others", RULE_RELATIONS);
  else
    graph->relation[graph->relation_count++] = relation;
}

void rule_graph_relations(graph_maker *maker, uint32_t hook, const rule_tree *relations) {
  for (uint32_t k = 0; k < relations->count; k++) read_relation(maker, hook, relations->child[k]);
}

// Values

static void read_value(graph_maker *maker, const rule_tree *tree) {
  rule_graph *graph = maker->graph;
  const rule_tree *target = tree->child[0];
  const rule_tree *name = target->kind == RULE_FIELD ? target->child[0] : target;
  const int node = rule_graph_node(graph, name->name);
  if (node < 0 || !graph->node[node].side[RULE_RIGHT].present) {
    FOUND(maker, target->span, "'%.60s' is no node of the right side|a value goes to an orbit of what the rule leaves",
          name->name);
    return;
  }
  graph->values[graph->value_count++] =
      (rule_value){(uint8_t)node, target->kind == RULE_FIELD ? target->name : NULL, tree, tree->child[1]};
}

static void read_values(graph_maker *maker, const rule_tree *right) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < right->count; k++) count += right->child[k]->kind == RULE_ASSIGN;
  if (count == 0) return;
  maker->graph->values = base_arena_take(&maker->program->arena, count * sizeof *maker->graph->values);
  if (!maker->graph->values) {
    maker->program->no_memory = maker->failed = true;
    return;
  }
  for (uint32_t k = 0; k < right->count; k++)
    if (right->child[k]->kind == RULE_ASSIGN) read_value(maker, right->child[k]);
}

// Making

static void make_rule(graph_maker *maker, const rule_tree *rule) {
  read_parameters(maker, rule->child[0]);
  if (maker->failed) return;
  maker->graph->guards = rule->child[1];
  if (rule_there(rule->child[4])) maker->graph->rank = rule->child[4];
  read_side(maker, RULE_LEFT, rule->child[2]);
  read_side(maker, RULE_RIGHT, rule->child[3]);
  if (!maker->failed) rule_graph_finish(maker);
  if (!maker->failed) read_values(maker, rule->child[3]);
}

bool rule_graph_build(clv_program *program, const rule_tree *rule, uint32_t depth, rule_graph *graph) {
  memset(graph, 0, sizeof *graph);
  graph->name = rule->name;
  graph->tree = rule;
  graph_maker maker = {program, graph, false};
  if (rule->kind == RULE_INVERSE)
    rule_graph_make_inverse(&maker, rule, depth);
  else
    make_rule(&maker, rule);
  if (maker.failed || program->no_memory) return false;
  rule_graph_mark_open(graph);
  return true;
}

// Graphs are large, and those with findings are not kept: they are made outside the arena.
rule_graph *rule_graph_make(clv_program *program, const rule_tree *rule) {
  const clv_allocator *memory = &program->arena.allocator;
  rule_graph *kept = NULL, *graph = base_allocate(memory, sizeof *graph);
  if (!graph) {
    program->no_memory = true;
    return NULL;
  }
  if (rule_graph_build(program, rule, 0, graph)) {
    kept = base_arena_take(&program->arena, sizeof *kept);
    if (kept)
      *kept = *graph;
    else
      program->no_memory = true;
  }
  base_free(memory, graph, sizeof *graph);
  return kept;
}
