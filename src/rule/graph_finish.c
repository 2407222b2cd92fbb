// The second half of making a graph: words become ties, and nodes find their hook.

#include "rule/graph_private.h"

#include <stdio.h>

#define FOUND(maker, span, ...) ((maker)->failed = true, rule_complain((maker)->program, 'S', (span), __VA_ARGS__))

static bool same_letter(rule_letter a, rule_letter b) {
  return a.dim == b.dim && a.level == b.level && a.plus == b.plus;
}

// Words

static void default_word(rule_side *side, const rule_letter *word) {
  if (!side->has_word) memcpy(side->word, word, sizeof side->word);
}

static rule_span parameter_span(const rule_graph *graph, const char *name) {
  for (uint32_t k = 0; k < graph->parameter_count; k++)
    if (graph->parameter[k].name == name) return graph->parameter[k].span;
  return graph->tree->span;
}

static void left_word_of_hook(graph_maker *maker, rule_node *node) {
  const rule_graph *graph = maker->graph;
  const rule_letter *full = graph->hook_word[node->hook];
  rule_side *left = &node->side[RULE_LEFT];
  if (!left->present) {
    FOUND(maker, parameter_span(graph, node->name), "hook '%.60s' is not on the left|write it there: left { %.60s; }",
          node->name, node->name);
    return;
  }
  default_word(left, full);
  for (uint32_t k = 0; k < graph->columns; k++)
    if (left->word[k].dim >= 0 && !same_letter(left->word[k], full[k])) {
      FOUND(maker, left->span, "the left word of hook '%.60s' is not its parameter's|repeat the letter or write _",
            node->name);
      return;
    }
}

static void complete_words(graph_maker *maker, rule_node *node) {
  rule_side *left = &node->side[RULE_LEFT], *right = &node->side[RULE_RIGHT];
  if (node->hook >= 0)
    left_word_of_hook(maker, node);
  else if (left->present && !left->has_word && maker->graph->columns > 0)
    FOUND(maker, left->span, "node '%.60s' has no word|give it one as long as the hook's, _ where it has no letter",
          node->name);
  if (!right->present) return;
  if (left->present)
    default_word(right, left->word);
  else if (!right->has_word && maker->graph->columns > 0)
    FOUND(maker, right->span,
          "new node '%.60s' has no word|give it one as long as the hook's, _ where it has no letter", node->name);
}

// The word of a side with _ where an arc names the dimension: what the author should have written.
static void print_open_word(const rule_graph *graph, const rule_side *side, char *text, size_t size) {
  size_t used = 0;
  for (uint32_t k = 0; k < graph->columns && used + 4 < size; k++) {
    const int8_t dim = side->word[k].dim;
    const bool out = dim < 0 || (side->tie[dim].known != RULE_UNKNOWN && side->tie[dim].known != RULE_ALONG);
    used += (size_t)snprintf(text + used, size - used, "%s%c", k ? "," : "", out ? '_' : (char)('0' + dim));
  }
}

static void tie_word(graph_maker *maker, rule_node *node, int which) {
  rule_graph *graph = maker->graph;
  rule_side *side = &node->side[which];
  if (!side->present) return;
  for (uint32_t k = 0; k < graph->columns; k++) {
    const rule_letter letter = side->word[k];
    if (letter.dim < 0) continue;
    rule_tie *tie = &side->tie[letter.dim];
    if (tie->known != RULE_UNKNOWN) {
      char word[24] = "";
      print_open_word(graph, side, word, sizeof word);
      FOUND(maker, tie->span, "dimension %d of node '%.60s' is given by an arc and by its word|write %.60s:<%s> %s",
            letter.dim, node->name, node->name, word,
            which == RULE_RIGHT && !side->has_word ? "on the right: without a word it keeps the left one" : "here");
      continue;
    }
    *tie = (rule_tie){.known = RULE_ALONG, .at = (uint8_t)k, .letter = letter, .span = side->span};
  }
}

// Components

void rule_graph_flood(const rule_graph *graph, uint32_t from, int8_t *of, int8_t value, bool optional) {
  uint8_t stack[RULE_NODES];
  uint32_t height = 0;
  of[from] = value;
  stack[height++] = (uint8_t)from;
  while (height) {
    const rule_side *side = &graph->node[stack[--height]].side[RULE_LEFT];
    for (uint32_t i = 0; i < RULE_DIMS; i++) {
      const rule_tie tie = side->tie[i];
      if (tie.known != RULE_ARC_TO && !(optional && tie.known == RULE_PERHAPS)) continue;
      if (of[tie.at] >= 0) continue;
      of[tie.at] = value;
      stack[height++] = tie.at;
    }
  }
}

static void find_components(graph_maker *maker) {
  rule_graph *graph = maker->graph;
  int8_t of[RULE_NODES];
  memset(of, -1, sizeof of);
  for (uint32_t h = 0; h < graph->hook_count; h++) {
    const uint32_t node = graph->hook[h];
    if (of[node] >= 0)
      FOUND(maker, graph->node[node].side[RULE_LEFT].span,
            "hooks '%.60s' and '%.60s' hang together on the left|one is enough: the other is found over the arcs",
            graph->node[graph->hook[of[node]]].name, graph->node[node].name);
    else
      rule_graph_flood(graph, node, of, (int8_t)h, true);
  }
  for (uint32_t k = 0; k < graph->node_count; k++) {
    rule_node *node = &graph->node[k];
    node->component = of[k] < 0 ? 0 : of[k];
    if (node->side[RULE_LEFT].present && of[k] < 0)
      FOUND(maker, node->side[RULE_LEFT].span,
            "node '%.60s' hangs on no hook|join it by arcs to a parameter, or make it one", node->name);
  }
}

// Pieces: what optional arcs part from the hooks.

static bool find_optional(const rule_graph *graph, const int8_t *of, rule_piece *piece) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < RULE_DIMS; i++) {
      const rule_tie tie = graph->node[k].side[RULE_LEFT].tie[i];
      if (tie.known != RULE_PERHAPS || of[k] < 0 || of[tie.at] >= 0) continue;
      *piece = (rule_piece){(uint8_t)k, tie.at, (uint8_t)i};
      return true;
    }
  return false;
}

// A node behind two optional arcs would be there when either is.
static void check_piece(graph_maker *maker, const int8_t *of, uint32_t number) {
  const rule_graph *graph = maker->graph;
  const rule_piece piece = graph->piece[number];
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < RULE_DIMS && of[k] == (int8_t)number; i++) {
      const rule_tie tie = graph->node[k].side[RULE_LEFT].tie[i];
      if (tie.known != RULE_PERHAPS || of[tie.at] == (int8_t)number) continue;
      if (of[tie.at] < 0 || (k == piece.to && i == piece.dim)) continue;
      FOUND(maker, tie.span, "node '%.60s' is behind two optional arcs|make one of them certain, or use two nodes",
            graph->node[k].name);
    }
}

static void find_pieces(graph_maker *maker) {
  rule_graph *graph = maker->graph;
  int8_t of[RULE_NODES];
  memset(of, -1, sizeof of);
  for (uint32_t h = 0; h < graph->hook_count; h++) rule_graph_flood(graph, graph->hook[h], of, 0, false);
  graph->piece_count = 1;
  rule_piece piece;
  while (find_optional(graph, of, &piece)) {
    const uint32_t number = graph->piece_count++;
    graph->piece[number] = piece;
    rule_graph_flood(graph, piece.to, of, (int8_t)number, false);
    check_piece(maker, of, number);
  }
  for (uint32_t k = 0; k < graph->node_count; k++) graph->node[k].piece = of[k] < 0 ? 0 : (uint8_t)of[k];
}

// A map of dimension 2 has a3 the identity: entries 3 in columns of 3, loops and optional arcs say nothing there.

static bool column_is_3(const rule_graph *graph, uint32_t column) {
  for (uint32_t h = 0; h < graph->hook_count; h++)
    if (graph->hook_word[h][column].dim != 3) return false;
  return true;
}

static bool needs_3(const rule_graph *graph, const rule_side *side, uint32_t node) {
  const rule_tie tie = side->tie[3];
  if (tie.known == RULE_ARC_TO && tie.at != node) return true;
  for (uint32_t k = 0; side->present && k < graph->columns; k++)
    if (side->word[k].dim >= 0 && (side->word[k].dim == 3) != column_is_3(graph, k)) return true;
  return false;
}

static void find_explicit_3(rule_graph *graph) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (int which = RULE_LEFT; which <= RULE_RIGHT; which++)
      if (needs_3(graph, &graph->node[k].side[which], k)) graph->explicit_3 = true;
}

bool rule_graph_serves(const rule_graph *graph, uint32_t dimension) {
  return dimension == 3 || (dimension == 2 && !graph->explicit_3);
}

void rule_graph_finish(graph_maker *maker) {
  rule_graph *graph = maker->graph;
  for (uint32_t k = 0; k < graph->node_count; k++) complete_words(maker, &graph->node[k]);
  if (maker->failed) return;
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (int which = RULE_LEFT; which <= RULE_RIGHT; which++) tie_word(maker, &graph->node[k], which);
  rule_graph_settle(maker);
}

void rule_graph_settle(graph_maker *maker) {
  if (maker->failed) return;
  find_components(maker);
  if (maker->failed) return;
  find_pieces(maker);
  find_explicit_3(maker->graph);
}
