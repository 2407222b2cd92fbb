// Straight code for the common rules: those that sew or unsew facets, and nothing else.
//
// On plain template cells a facet's link is one word, and the map's own operation writes it. The left side needs no
// matching dart by dart then: the words hold in every template, and the operation tests the rest.

#include "rule/apply.h"

// True when the hooks' words are the orbit of a facet: <0> in 2D, <0,1> in 3D.
static bool hooks_are_facets(const rule_graph *graph, uint32_t n) {
  for (uint32_t h = 0; h < graph->hook_count; h++) {
    const rule_letter *word = graph->hook_word[h];
    uint32_t dims = 0;
    for (uint32_t e = 0; e < graph->columns; e++) {
      if (word[e].dim < 0 || word[e].level >= 0) return false;
      if (h && word[e].dim != graph->hook_word[0][e].dim) return false;
      if (word[e].dim <= (int32_t)n) dims |= 1u << word[e].dim;
    }
    if (dims != CLV_CELL_FACET(n)) return false;
  }
  return true;
}

// A node that keeps everything but its n-link.
static bool node_is_facet(const rule_graph *graph, const rule_node *node, uint32_t n) {
  if (!node->side[RULE_LEFT].present || !node->side[RULE_RIGHT].present) return false;
  const rule_letter *word = graph->hook_word[0];
  for (uint32_t i = 0; i < n; i++) {
    const rule_tie left = node->side[RULE_LEFT].tie[i], right = node->side[RULE_RIGHT].tie[i];
    if (i == n - 1 && left.known == RULE_UNKNOWN && right.known == RULE_UNKNOWN) continue;
    const bool along = left.known == RULE_ALONG && right.known == RULE_ALONG && left.at == right.at;
    if (!along || word[left.at].dim != (int32_t)i) return false;
  }
  return true;
}

static bool is_plain_arc(rule_tie tie, uint32_t to) {
  return tie.known == RULE_ARC_TO && tie.at == to && tie.letter.level < 0;
}

// Loops on both nodes, or one arc that joins them.
static bool is_free(const rule_graph *graph, uint32_t side, uint32_t n) {
  return is_plain_arc(graph->node[0].side[side].tie[n], 0) && is_plain_arc(graph->node[1].side[side].tie[n], 1);
}
static bool is_sewn(const rule_graph *graph, uint32_t side, uint32_t n) {
  return is_plain_arc(graph->node[0].side[side].tie[n], 1) && is_plain_arc(graph->node[1].side[side].tie[n], 0);
}

static clv_dart facet_of(const map *m, clv_dart dart) {
  const clv_template *shape = &clv_templates[map_page(m, dart).kind];
  return (dart & ~63u) | shape->facet_first[shape->facet[dart & 63u]];
}

static uint32_t facet_size(const map *m, clv_dart dart) {
  const clv_template *shape = &clv_templates[map_page(m, dart).kind];
  return shape->facet_size[shape->facet[dart & 63u]];
}

// Guards see the two darts at the first position.
static bool guards_hold(apply_match *match, clv_dart first, clv_dart second) {
  apply_run *run = match->run;
  if (match->asked || !match->graph->guards || !match->graph->guards->count) return true;
  if (!BASE_RESERVE(&run->m->allocator, &match->darts, 2)) return apply_no_memory(run);
  *apply_dart(match, 0, 0) = first;
  *apply_dart(match, 0, 1) = second;
  const bool holds = apply_guards(match);
  apply_match_free(match);
  return holds;
}

// Whether a guard goes over the darts of a node, which only a match has.
static bool goes_over_node(const rule_tree *tree) {
  if (tree->kind == RULE_REDUCE && tree->child[1]->kind == RULE_NAME) return true;
  for (uint32_t k = 0; k < tree->count; k++)
    if (rule_there(tree->child[k]) && goes_over_node(tree->child[k])) return true;
  return false;
}

rule_straight apply_straight_sort(const rule_graph *graph, uint32_t n) {
  if (graph->node_count != 2 || graph->relation_count || graph->value_count || graph->levels) return RULE_NOT_STRAIGHT;
  if (graph->guards && goes_over_node(graph->guards)) return RULE_NOT_STRAIGHT;
  const bool sews = graph->hook_count == 2 && is_free(graph, RULE_LEFT, n) && is_sewn(graph, RULE_RIGHT, n);
  const bool unsews = graph->hook_count == 1 && is_sewn(graph, RULE_LEFT, n) && is_free(graph, RULE_RIGHT, n);
  if ((!sews && !unsews) || !hooks_are_facets(graph, n)) return RULE_NOT_STRAIGHT;
  if (!node_is_facet(graph, &graph->node[0], n) || !node_is_facet(graph, &graph->node[1], n)) return RULE_NOT_STRAIGHT;
  return sews ? RULE_SEWS : RULE_UNSEWS;
}

// The left side: two facets of plain cells, and to be sewn they are free and alike. What is not is left to the general
// way, which says what is wrong; guards are asked only where the left side was found.
static bool are_plain_facets(const map *m, clv_dart a, clv_dart b) {
  return map_dart_plain(m, a) && map_dart_plain(m, b) && facet_of(m, a) != facet_of(m, b);
}

static bool are_free_and_alike(const map *m, clv_dart a, clv_dart b) {
  const uint32_t n = m->view.dimension;
  return clv_is_free(&m->view, a, n) && clv_is_free(&m->view, b, n) && facet_size(m, a) == facet_size(m, b);
}

bool apply_straight(apply_match *match, const clv_dart *hooks, bool *done) {
  const rule_graph *graph = match->graph;
  map *m = match->run->m;
  const uint32_t n = m->view.dimension;
  const rule_straight sort = graph->straight[n - 2];
  *done = false;
  if (sort == RULE_NOT_STRAIGHT) return true;
  clv_dart darts[2];
  for (uint32_t v = 0; v < 2; v++)
    darts[v] = graph->node[v].hook >= 0 ? hooks[graph->node[v].hook] : clv_alpha(&m->view, hooks[0], n);
  if (!are_plain_facets(m, darts[0], darts[1])) return true;
  if (sort == RULE_SEWS && !are_free_and_alike(m, darts[0], darts[1])) return true;
  if (!guards_hold(match, darts[0], darts[1])) return false;
  *done = true;
  if (sort == RULE_UNSEWS) return apply_ok(match->run, map_unsew(m, n, hooks[0], clv_alpha(&m->view, hooks[0], n)));
  return apply_ok(match->run, clv_map_sew(&m->view, n, darts[0], darts[1]));
}
