// Checks I and C: what a rule leaves is a generalized map.
//
// Why they suffice. Let M be the map before, M' the map after. By I, no dart that stays is linked to one that goes, and
// a link is rewritten from both its ends or not at all; so every a'i is an involution. Take i + 2 <= j and an orbit
// <i,j> of M'. Either it holds a dart v_p whose walk i,j,i,j over the right side comes back to v_p (and then it is this
// cycle), or every dart of it has ai and aj as in M (and then it is an orbit of M, which is sound). C asks for one of
// the two at every node and pair.
//
// Optional arcs may stay as they are, or be replaced by something certain; nothing else is said of them on the right. A
// node behind one is present at some positions only: what it is tied to must be present at the same ones, and along the
// letters of its word the arc must be there everywhere or nowhere, which soundness of M gives for letters that commute.

#include "rule/check.h"
#include "rule/program.h"

#include <stdio.h>

// I

static void check_levels(rule_checker *checker, const rule_node *node) {
  for (uint32_t i = 0; i < RULE_DIMS; i++) {
    const rule_tie left = node->side[RULE_LEFT].tie[i], right = node->side[RULE_RIGHT].tie[i];
    if (right.known == RULE_UNKNOWN || rule_tie_is_link(right)) continue;
    if (left.known != right.known || left.at != right.at || left.letter.level != right.letter.level ||
        left.letter.plus != right.letter.plus)
      RULE_FOUND(checker, 'I', right.span,
                 "node '%.60s' has α0 at a level on the right only|a level is only read: write it on the left too",
                 node->name);
  }
}

static void check_kept(rule_checker *checker, const rule_node *node) {
  for (uint32_t i = 0; i < RULE_DIMS; i++) {
    const rule_tie left = node->side[RULE_LEFT].tie[i], right = node->side[RULE_RIGHT].tie[i];
    if (rule_tie_is_link(left) && !rule_tie_is_link(right))
      RULE_FOUND(checker, 'I', node->side[RULE_RIGHT].span,
                 "node '%.60s' has dimension %u on the left only|say on the right what its α%u becomes", node->name,
                 (unsigned)i, (unsigned)i);
    if (rule_tie_is_link(right) && !rule_tie_is_link(left))
      RULE_FOUND(checker, 'I', right.span,
                 "node '%.60s' has dimension %u on the right only|its old α%u neighbour would dangle: name it on the "
                 "left",
                 node->name, (unsigned)i, (unsigned)i);
  }
}

// A name for a neighbour that the rule has not used.
static const char *fresh_name(const rule_graph *graph) {
  static const char *const names[] = {"b", "c", "d", "e"};
  for (uint32_t n = 0; n < sizeof names / sizeof *names; n++) {
    bool used = false;
    for (uint32_t k = 0; k < graph->node_count; k++) used = used || strcmp(graph->node[k].name, names[n]) == 0;
    if (!used) return names[n];
  }
  return "x";
}

static void check_node_dims(rule_checker *checker, const rule_node *node) {
  const rule_side *left = &node->side[RULE_LEFT], *right = &node->side[RULE_RIGHT];
  for (uint32_t i = 0; i < RULE_DIMS; i++) {
    if (!right->present && !rule_tie_is_link(left->tie[i]))
      RULE_FOUND(checker, 'I', left->span,
                 "deleted node '%.60s' lacks dimension %u|its α%u neighbours would dangle; add '%.60s -%u?- %s'",
                 node->name, (unsigned)i, (unsigned)i, node->name, (unsigned)i, fresh_name(checker->graph));
    if (!left->present && !rule_tie_is_link(right->tie[i]))
      RULE_FOUND(checker, 'I', right->span,
                 "new node '%.60s' lacks dimension %u|say what its α%u is: an arc, a letter of its word, or free: "
                 "'%.60s -%u- %.60s'",
                 node->name, (unsigned)i, (unsigned)i, node->name, (unsigned)i, node->name);
  }
}

void rule_check_incident(rule_checker *checker) {
  for (uint32_t k = 0; k < checker->graph->node_count; k++) {
    const rule_node *node = &checker->graph->node[k];
    check_levels(checker, node);
    if (rule_node_kept(node))
      check_kept(checker, node);
    else
      check_node_dims(checker, node);
  }
}

// C: presence

static void check_optional_arcs(rule_checker *checker, uint32_t at) {
  const rule_graph *graph = checker->graph;
  const rule_node *node = &graph->node[at];
  for (uint32_t i = 0; i < RULE_DIMS; i++) {
    const rule_tie right = node->side[RULE_RIGHT].tie[i];
    if (right.known == RULE_PERHAPS && !rule_link_kept(node, i))
      RULE_FOUND(checker, 'C', right.span,
                 "the optional arc of node '%.60s' is not on the left|nothing says where it would be: keep one that is "
                 "matched, or make it certain",
                 node->name);
    if (right.known == RULE_ARC_TO && rule_tie_is_link(right) && graph->node[right.at].piece != node->piece)
      RULE_FOUND(checker, 'C', right.span,
                 "nodes '%.60s' and '%.60s' are not present at the same places|a node behind an optional arc can only "
                 "be tied to itself and to nodes behind the same arc",
                 node->name, graph->node[right.at].name);
  }
}

static bool arc_is_constant(const rule_graph *graph, rule_piece piece, uint32_t column) {
  const rule_tie arc = graph->node[piece.from].side[RULE_LEFT].tie[piece.dim];
  const rule_letter along = graph->node[piece.from].side[RULE_LEFT].word[column];
  const int apart = along.dim - arc.letter.dim;
  return along.dim >= 0 && along.level < 0 && (apart >= 2 || apart <= -2);
}

static void check_presence(rule_checker *checker, const rule_node *node) {
  const rule_graph *graph = checker->graph;
  for (int which = RULE_LEFT; node->piece && which <= RULE_RIGHT; which++)
    for (uint32_t i = 0; i < RULE_DIMS; i++) {
      const rule_tie tie = node->side[which].tie[i];
      const rule_piece piece = graph->piece[node->piece];
      if (tie.known != RULE_ALONG || arc_is_constant(graph, piece, tie.at)) continue;
      RULE_FOUND(
          checker, 'C', node->side[which].span,
          "node '%.60s' need not be present along letter %u of its word|write _ there: the optional arc -%u?- may "
          "be there on one side of it and not on the other",
          node->name, (unsigned)tie.at + 1, (unsigned)piece.dim);
    }
}

// C: cycles

// (12)^2 in the hook's letters, when a word is a round of two columns.
static bool print_relation(const rule_graph *graph, rule_word word, char *text, size_t size) {
  if (word.length != 4 || word.column[0] != word.column[2] || word.column[1] != word.column[3]) return false;
  const rule_letter *letters = graph->hook_word[0];
  snprintf(text, size, "(%d%d)^2", letters[word.column[0]].dim, letters[word.column[1]].dim);
  return true;
}

static void explain_cycle(rule_checker *checker, uint32_t at, uint32_t i, uint32_t j) {
  const rule_graph *graph = checker->graph;
  const rule_span span = graph->node[at].side[RULE_RIGHT].span;
  const char *name = graph->node[at].name;
  rule_walker walker = {.node = (uint8_t)at};
  if (!rule_walker_round(graph, RULE_RIGHT, &walker, i, j)) {
    RULE_FOUND(checker, 'C', span,
               "α%u and α%u of node '%.60s' would not commute|node '%.60s' does not say enough: an arc that is "
               "rewritten needs its whole %u-%u-%u-%u cycle in the rule%s",
               (unsigned)i, (unsigned)j, name, graph->node[walker.node].name, (unsigned)i, (unsigned)j, (unsigned)i,
               (unsigned)j, j == 3 ? "; one for surfaces has loops -3-" : "");
  } else if (walker.node != at) {
    RULE_FOUND(checker, 'C', span,
               "α%u and α%u of node '%.60s' would not commute|%u, %u, %u, %u leads to node '%.60s': close the cycle",
               (unsigned)i, (unsigned)j, name, (unsigned)i, (unsigned)j, (unsigned)i, (unsigned)j,
               graph->node[walker.node].name);
  } else {
    char relation[16];
    if (print_relation(graph, walker.word, relation, sizeof relation))
      RULE_FOUND(checker, 'C', span,
                 "α%u and α%u of node '%.60s' would not commute|this needs %s at every dart of hook '%.60s': add the "
                 "relation to its word, or use other letters",
                 (unsigned)i, (unsigned)j, name, relation, graph->node[graph->hook[0]].name);
    else
      RULE_FOUND(
          checker, 'C', span,
          "α%u and α%u of node '%.60s' would not commute|%u, %u, %u, %u leads to another position: nodes that an "
          "arc joins need the same dimensions in the same columns",
          (unsigned)i, (unsigned)j, name, (unsigned)i, (unsigned)j, (unsigned)i, (unsigned)j);
  }
}

static bool cycle_closes(const rule_graph *graph, const rule_group *group, uint32_t at, uint32_t i, uint32_t j) {
  rule_walker walker = {.node = (uint8_t)at};
  return rule_walker_round(graph, RULE_RIGHT, &walker, i, j) && walker.node == at &&
         rule_word_trivial(group, walker.word);
}

static void check_cycles_of(rule_checker *checker, const rule_group *group, uint32_t at) {
  const rule_graph *graph = checker->graph;
  const rule_node *node = &graph->node[at];
  for (uint32_t i = 0; i + 2 < RULE_DIMS; i++)
    for (uint32_t j = i + 2; j < RULE_DIMS; j++) {
      if (rule_node_kept(node) && rule_link_kept(node, i) && rule_link_kept(node, j)) continue;
      if (!cycle_closes(graph, group, at, i, j)) explain_cycle(checker, at, i, j);
    }
}

// A left side that no sound map has is a mistake too.
static void check_left(rule_checker *checker, uint32_t at) {
  const rule_graph *graph = checker->graph;
  for (uint32_t i = 0; i + 2 < RULE_DIMS; i++)
    for (uint32_t j = i + 2; j < RULE_DIMS; j++) {
      rule_walker walker = {.node = (uint8_t)at};
      if (!rule_walker_round(graph, RULE_LEFT, &walker, i, j) || walker.node == at) continue;
      RULE_FOUND(checker, 'C', graph->node[at].side[RULE_LEFT].span,
                 "the left side matches nowhere|α%u and α%u commute in every map, but here %u, %u, %u, %u leads from "
                 "'%.60s' to '%.60s'",
                 (unsigned)i, (unsigned)j, (unsigned)i, (unsigned)j, (unsigned)i, (unsigned)j, graph->node[at].name,
                 graph->node[walker.node].name);
    }
}

void rule_check_cycles(rule_checker *checker) {
  const rule_graph *graph = checker->graph;
  rule_group group;
  rule_group_make(&group, graph);
  for (uint32_t k = 0; k < graph->node_count; k++) {
    check_presence(checker, &graph->node[k]);
    if (graph->node[k].side[RULE_RIGHT].present) check_optional_arcs(checker, k);
  }
  for (uint32_t k = 0; k < graph->node_count && !checker->failed; k++)
    if (graph->node[k].side[RULE_LEFT].present) check_left(checker, k);
  if (checker->failed) return;
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (graph->node[k].side[RULE_RIGHT].present) check_cycles_of(checker, &group, k);
}

bool rule_graph_check(clv_program *program, const rule_graph *graph) {
  rule_checker checker = {program, graph, false};
  rule_check_incident(&checker);
  if (!checker.failed) rule_check_cycles(&checker);
  rule_check_values(&checker);
  return !checker.failed;
}

void rule_check_rules(clv_program *program) {
  for (uint32_t k = 0; k < program->declarations.count && !program->no_memory; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree->kind == RULE_SCRIPT) rule_script_check(program, tree);
    if ((tree->kind != RULE_RULE && tree->kind != RULE_INVERSE) || rule_declaration(program, tree->name) != tree)
      continue;
    const clv_rule *rule = rule_meaning(program, tree->name);
    if (rule && rule->graph && rule_graph_check(program, rule->graph)) rule_open_check(program, rule->graph);
  }
}
