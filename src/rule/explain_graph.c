// A topological rule in words: what it may do to the orbits of each sort, to the values on them, and to the rows of
// forces.
//
// A rule reaches a force when it may change the orbits that the force stands on, the vertices it pulls at, the orbits
// whose values it reads, or a link that it walks over. Otherwise no row of the force can be another after the rule than
// before.

#include "rule/explain.h"
#include "rule/law.h"

#include <stdio.h>

static const clv_orbit listed_orbits[] = {
    CLV_VERTEX, CLV_EDGE, CLV_FACE, CLV_VOLUME, CLV_CORNER, CLV_CELL_EDGE, CLV_FACE | CLV_IN_CELL};

// Of the map's highest dimension that the rule serves.
static uint32_t dims_in(clv_orbit orbit, uint32_t dimension) {
  const uint32_t all = (2u << dimension) - 1u;
  return orbit & all & (orbit & CLV_IN_CELL ? all >> 1 : all);
}

static void put_effect(rule_text *out, uint32_t effect) {
  static const struct {
    uint32_t bit;
    const char *word;
  } words[] = {{RULE_MAY_SPLIT, "split"},
               {RULE_MAY_MERGE, "merge"},
               {RULE_MAY_APPEAR, "appear"},
               {RULE_MAY_VANISH, "vanish"},
               {RULE_MAY_CHANGE, "gain or lose darts"}};
  const char *separator = "may ";
  for (uint32_t k = 0; k < sizeof words / sizeof *words; k++) {
    if (!(effect & words[k].bit)) continue;
    rule_text_print(out, "%s%s", separator, words[k].word);
    separator = ", ";
  }
  if (effect == 0) rule_text_print(out, "stay as they are");
}

// "edge            " in a column of its own.
static void put_orbit_column(rule_text *out, clv_orbit orbit) {
  const uint32_t before = out->bytes.count;
  rule_text_print(out, "  ");
  explain_orbit(out, orbit);
  const uint32_t width = out->bytes.count - before;
  rule_text_print(out, "%*s", width < 16 ? (int)(16 - width) : 1, "");
}

// Which links of darts that stay the rule changes, as bits.
static uint32_t changed_dims(const rule_graph *graph) {
  uint32_t dims = 0;
  for (uint32_t k = 0; k < graph->node_count; k++) {
    const rule_side *left = &graph->node[k].side[RULE_LEFT], *right = &graph->node[k].side[RULE_RIGHT];
    for (uint32_t dim = 0; left->present && right->present && dim < RULE_DIMS; dim++) {
      const rule_tie a = left->tie[dim], b = right->tie[dim];
      const bool same = a.known == b.known && (a.known == RULE_UNKNOWN || a.at == b.at);
      if (!same && (rule_tie_is_link(a) || rule_tie_is_link(b))) dims |= 1u << dim;
    }
  }
  return dims;
}

static void put_head(const clv_program *program, const rule_graph *graph, rule_text *out) {
  uint32_t kept = 0, created = 0, deleted = 0;
  for (uint32_t k = 0; k < graph->node_count; k++) {
    const bool left = graph->node[k].side[RULE_LEFT].present, right = graph->node[k].side[RULE_RIGHT].present;
    kept += left && right;
    created += !left;
    deleted += !right;
  }
  if (graph->tree->kind == RULE_INVERSE) {
    rule_text_source(out, program, graph->tree->span, 200);
  } else {
    rule_text_print(out, "rule %.80s", graph->name);
    rule_text_source(out, program, graph->tree->child[0]->span, 200);
  }
  const bool flat = rule_graph_serves(graph, 2), solid = rule_graph_serves(graph, 3);
  rule_text_print(out, "\n\nfor maps of dimension %s\n", flat && solid ? "2 and 3" : flat ? "2" : "3");
  rule_text_print(out, "nodes: %u kept, %u created, %u deleted, for each dart of the hook's orbit\nchanges links:",
                  (unsigned)kept, (unsigned)created, (unsigned)deleted);
  const uint32_t dims = changed_dims(graph);
  for (uint32_t dim = 0; dim < RULE_DIMS; dim++)
    if (dims >> dim & 1u) rule_text_print(out, " %u", (unsigned)dim);
  rule_text_print(out, dims ? "\n" : " none\n");
  if (graph->rank) explain_rank(program, graph->rank, out);
}

// Of all rules together.
static uint32_t effect_of(const explain_deed *deed, clv_orbit orbit, uint32_t dimension) {
  uint32_t effect = 0;
  for (uint32_t k = 0; k < deed->count; k++) effect |= rule_graph_effect(deed->graph[k], dims_in(orbit, dimension));
  return effect;
}

static void put_orbits(const explain_deed *deed, uint32_t dimension, rule_text *out) {
  rule_text_print(out, "\norbits\n");
  for (uint32_t k = 0; k < sizeof listed_orbits / sizeof *listed_orbits; k++) {
    if (dimension == 2 && listed_orbits[k] == CLV_VOLUME) continue;
    put_orbit_column(out, listed_orbits[k]);
    put_effect(out, effect_of(deed, listed_orbits[k], dimension));
    rule_text_print(out, "\n");
  }
}

// Values

static void put_policies(const rule_tree *embed, rule_text *out) {
  for (uint32_t k = 0; k < embed->child[3]->count; k++) {
    const char *policy = embed->child[3]->child[k]->name, *separator = k ? ", " : "; ";
    const char *bar = strchr(policy, '_');
    if (bar)
      rule_text_print(out, "%s%.*s %s", separator, (int)(bar - policy), policy, bar + 1);
    else
      rule_text_print(out, "%s%s", separator, policy);
  }
}

static void put_values(const clv_program *program, const explain_deed *deed, uint32_t dimension, rule_text *out) {
  bool any = false;
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *embed = program->declarations.data[k];
    const clv_orbit orbit = embed->kind == RULE_EMBED ? law_column_orbit(embed, dimension) : 0;
    const uint32_t effect = orbit ? effect_of(deed, orbit, dimension) : 0;
    if (!effect) continue;
    if (!any) rule_text_print(out, "\nembeddings\n");
    any = true;
    rule_text_print(out, "  %-13.60s on ", embed->name);
    explain_orbit(out, orbit);
    rule_text_print(out, ": ");
    put_effect(out, effect);
    put_policies(embed, out);
    rule_text_print(out, "\n");
  }
}

// Forces

typedef struct reach {
  const explain_deed *deed;
  uint32_t changed, dimension;
  const char *because[4]; // what of the force it can change
  uint32_t count;
} reach;

static void add_reason(reach *r, bool holds, const char *reason) {
  for (uint32_t k = 0; k < r->count; k++)
    if (r->because[k] == reason) return;
  if (holds && r->count < 4) r->because[r->count++] = reason;
}

static void find_reasons(reach *r, const law *l) {
  uint32_t walked = 0;
  for (uint32_t k = 0; k < l->paths.count; k++)
    for (uint32_t step = 0; step < l->paths.data[k].length; step++) walked |= 1u << l->paths.data[k].letter[step];
  for (uint32_t k = 0; k < l->guards.count; k++)
    if (l->guards.data[k].test == LAW_FREE || l->guards.data[k].test == LAW_NOT_FREE)
      walked |= 1u << l->guards.data[k].dimension;
  add_reason(r, effect_of(r->deed, l->shape.orbit, r->dimension) != 0, "the orbits it stands on");
  add_reason(r, (walked & r->changed) != 0, "the links it walks over");
  const bool vertices = effect_of(r->deed, CLV_VERTEX, r->dimension) & ~(uint32_t)RULE_MAY_CHANGE;
  add_reason(r, l->particles.count && vertices, "its particles");
  for (uint32_t k = 0; k < l->reads.count; k++) {
    const clv_orbit orbit = law_column_orbit(l->reads.data[k].column, r->dimension);
    add_reason(r, effect_of(r->deed, orbit, r->dimension) != 0, "the values it reads");
  }
}

static void put_force(const clv_program *program, const rule_tree *force, reach *r, rule_text *out) {
  const law_list *laws = &program->laws[r->dimension - 2].laws;
  bool any = false;
  r->count = 0;
  for (uint32_t k = 0; k < laws->count; k++) {
    if (laws->data[k]->tree != force) continue;
    find_reasons(r, laws->data[k]);
    any = true;
  }
  if (!any) return;
  rule_text_print(out, "  %-13.60s ", force->name);
  for (uint32_t k = 0; k < r->count; k++) rule_text_print(out, "%s%s", k ? ", " : "may change: ", r->because[k]);
  rule_text_print(out, r->count ? "\n" : "stays as it is\n");
}

static void put_forces(const clv_program *program, const explain_deed *deed, uint32_t dimension, rule_text *out) {
  reach r = {.deed = deed, .dimension = dimension};
  for (uint32_t k = 0; k < deed->count; k++) r.changed |= changed_dims(deed->graph[k]);
  bool any = false;
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *force = program->declarations.data[k];
    if (force->kind != RULE_FORCE) continue;
    if (!any) rule_text_print(out, "\nviews\n");
    any = true;
    put_force(program, force, &r, out);
  }
}

void explain_effects(const clv_program *program, const explain_deed *deed, rule_text *out) {
  uint32_t dimension = 3;
  for (uint32_t k = 0; k < deed->count; k++)
    if (!rule_graph_serves(deed->graph[k], 3)) dimension = 2;
  put_orbits(deed, dimension, out);
  put_values(program, deed, dimension, out);
  put_forces(program, deed, dimension, out);
}

void explain_graph(const clv_program *program, const rule_graph *graph, rule_text *out) {
  const explain_deed deed = {{graph}, 1};
  put_head(program, graph, out);
  explain_effects(program, &deed, out);
}
