// What a rule may do to the orbits of one sort.
//
// On each side the nodes that arcs join form classes, and a class goes on along the columns of its words. Two darts
// that stay and were in one class before, over its columns, and are not so afterwards may have been parted; where they
// are afterwards and were not before, they may have been joined. What lies outside the rule can only make less of it.

#include "rule/check.h"
#include "rule/orbit.h"

uint32_t rule_orbit_dims(const rule_tree *orbit, uint32_t dimension) {
  static const struct {
    const char *name;
    clv_orbit orbit;
  } names[] = {{"vertex", CLV_VERTEX}, {"edge", CLV_EDGE}, {"face", CLV_FACE},
               {"volume", CLV_VOLUME}, {"cell", CLV_CELL}, {"corner", CLV_CORNER}};
  const uint32_t all = (2u << dimension) - 1u;
  if (orbit->kind != RULE_ORBIT) return 0;
  if (orbit->count == 0 || orbit->child[0]->kind != RULE_LIST) {
    uint32_t dims = 0;
    for (uint32_t k = 0; k < orbit->count; k++)
      if (orbit->child[k]->number >= 0) dims |= 1u << (uint32_t)orbit->child[k]->number;
    return dims & all;
  }
  uint32_t dims = all;
  const rule_tree *list = orbit->child[0];
  for (uint32_t k = 0; k < list->count; k++)
    for (uint32_t n = 0; n < sizeof names / sizeof *names; n++)
      if (strcmp(names[n].name, list->child[k]->name) == 0)
        dims &= names[n].orbit & CLV_IN_CELL ? names[n].orbit & all >> 1 : names[n].orbit;
  return dims & all;
}

void rule_orbit_classes(const rule_graph *graph, int side, uint32_t dims, bool optional, uint8_t *class) {
  for (uint32_t k = 0; k < graph->node_count; k++) class[k] = (uint8_t)k;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 0; k < graph->node_count; k++)
      for (uint32_t i = 0; i < RULE_DIMS; i++) {
        const rule_tie tie = graph->node[k].side[side].tie[i];
        if (!(dims >> i & 1) || !rule_tie_is_link(tie) || class[tie.at] >= class[k]) continue;
        const bool joins = tie.known == RULE_PERHAPS && (optional || rule_link_kept(&graph->node[k], i));
        if (tie.known != RULE_ARC_TO && !joins) continue;
        class[k] = class[tie.at];
        changed = true;
      }
  }
}

typedef struct side_orbits {
  uint8_t class[RULE_NODES];
  uint8_t columns[RULE_NODES]; // of the class of this number, as bits
} side_orbits;

static void find_orbits(const rule_graph *graph, int side, uint32_t dims, bool optional, side_orbits *orbits) {
  memset(orbits, 0, sizeof *orbits);
  rule_orbit_classes(graph, side, dims, optional, orbits->class);
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < RULE_DIMS; i++) {
      const rule_tie tie = graph->node[k].side[side].tie[i];
      if ((dims >> i & 1) && rule_tie_is_link(tie) && tie.known == RULE_ALONG)
        orbits->columns[orbits->class[k]] |= (uint8_t)(1u << tie.at);
    }
}

// Whether darts that stay may be together in `a` and apart in `b`.
static bool may_part(const rule_graph *graph, const side_orbits *a, const side_orbits *b) {
  for (uint32_t k = 0; k < graph->node_count; k++) {
    if (!rule_node_kept(&graph->node[k])) continue;
    if (a->columns[a->class[k]] & ~b->columns[b->class[k]]) return true;
    for (uint32_t j = 0; j < k; j++)
      if (rule_node_kept(&graph->node[j]) && a->class[j] == a->class[k] && b->class[j] != b->class[k]) return true;
  }
  return false;
}

// Whether a class on this side has only nodes that the other side lacks.
static bool has_own_class(const rule_graph *graph, int side, const side_orbits *orbits) {
  for (uint32_t k = 0; k < graph->node_count; k++) {
    bool own = graph->node[k].side[side].present;
    for (uint32_t j = 0; own && j < graph->node_count; j++)
      if (orbits->class[j] == orbits->class[k] && graph->node[j].side[!side].present) own = false;
    if (own) return true;
  }
  return false;
}

// Whether an orbit with a dart that stays has links of these dimensions written, or darts gained or lost.
static bool changes(const rule_graph *graph, uint32_t dims) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    for (uint32_t i = 0; i < RULE_DIMS; i++)
      if ((dims >> i & 1) && rule_node_kept(&graph->node[k]) && !rule_link_kept(&graph->node[k], i)) return true;
  return false;
}

// Guards: `b in <0,1>(a)` says that two hooks are in one orbit already. It is said of the darts that the rule starts
// from, and holds at every position if each letter of the hooks is in the orbit or commutes with all of it.

static bool holds_everywhere(const rule_graph *graph, const rule_node *a, const rule_node *b, uint32_t dims) {
  for (uint32_t m = 0; m < graph->columns; m++) {
    const rule_letter letter = graph->hook_word[a->hook][m], other = graph->hook_word[b->hook][m];
    if (letter.dim != other.dim || letter.level >= 0 || other.level >= 0) return false;
    for (uint32_t i = 0; i < RULE_DIMS; i++) {
      const int apart = letter.dim - (int)i;
      if ((dims >> i & 1) && !(dims >> letter.dim & 1) && apart < 2 && apart > -2) return false;
    }
  }
  return true;
}

static const rule_node *hook_named(const rule_graph *graph, const rule_tree *tree) {
  for (uint32_t h = 0; tree->kind == RULE_NAME && h < graph->hook_count; h++)
    if (graph->node[graph->hook[h]].name == tree->name) return &graph->node[graph->hook[h]];
  return NULL;
}

static void join_classes(const rule_graph *graph, side_orbits *orbits, uint8_t a, uint8_t b) {
  const uint8_t low = a < b ? a : b, high = a < b ? b : a;
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (orbits->class[k] == high) orbits->class[k] = low;
  orbits->columns[low] |= orbits->columns[high];
}

static void join_guarded(const rule_graph *graph, uint32_t dims, side_orbits *orbits) {
  for (uint32_t k = 0; k < graph->guards->count; k++) {
    const rule_tree *guard = graph->guards->child[k];
    if (guard->kind != RULE_IN) continue;
    const rule_node *b = hook_named(graph, guard->child[0]), *a = hook_named(graph, guard->child[1]->child[1]);
    const rule_tree *orbit = guard->child[1]->child[0];
    for (uint32_t l = 0; l < orbit->count; l++)
      if (orbit->child[l]->kind == RULE_LETTER && orbit->child[l]->count && rule_there(orbit->child[l]->child[0]))
        a = NULL;
    const uint32_t within = rule_orbit_dims(orbit, 3);
    if (!a || !b || (within & ~dims) || !holds_everywhere(graph, a, b, within)) continue;
    join_classes(graph, orbits, orbits->class[a - graph->node], orbits -> class[b - graph->node]);
  }
}

uint32_t rule_graph_effect(const rule_graph *graph, uint32_t dims) {
  side_orbits left, left_certain, right, right_certain;
  find_orbits(graph, RULE_LEFT, dims, true, &left);
  find_orbits(graph, RULE_LEFT, dims, false, &left_certain);
  join_guarded(graph, dims, &left_certain);
  find_orbits(graph, RULE_RIGHT, dims, true, &right);
  find_orbits(graph, RULE_RIGHT, dims, false, &right_certain);
  uint32_t effect = 0;
  if (may_part(graph, &left, &right_certain)) effect |= RULE_MAY_SPLIT;
  if (may_part(graph, &right, &left_certain)) effect |= RULE_MAY_MERGE;
  if (has_own_class(graph, RULE_RIGHT, &right_certain)) effect |= RULE_MAY_APPEAR;
  find_orbits(graph, RULE_LEFT, dims, false, &left_certain);
  if (has_own_class(graph, RULE_LEFT, &left_certain)) effect |= RULE_MAY_VANISH;
  if (changes(graph, dims)) effect |= RULE_MAY_CHANGE;
  return effect;
}
