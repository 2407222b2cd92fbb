// Matching the left side: positions, darts, ties; apply.h and graph.h tell the idea.

#include "rule/apply_plan.h"

// Tables

void apply_table_clear(apply_table *table) {
  if (table->slots.count) memset(table->slots.data, 0, table->slots.capacity * sizeof *table->slots.data);
  table->slots.count = 0;
}

static uint32_t slot_of(const apply_table *table, uint64_t key) {
  const uint32_t mask = table->slots.capacity - 1;
  uint32_t at = map_hash((uint32_t)key ^ map_hash((uint32_t)(key >> 32))) & mask;
  while (table->slots.data[at].key && table->slots.data[at].key != key) at = (at + 1) & mask;
  return at;
}

uint32_t apply_table_find(const apply_table *table, uint64_t key) {
  if (!table->slots.count) return APPLY_NOT_FOUND;
  const apply_slot *slot = &table->slots.data[slot_of(table, key)];
  return slot->key ? slot->value : APPLY_NOT_FOUND;
}

static bool table_grow(const clv_allocator *allocator, apply_table *table) {
  apply_table grown = {0};
  const uint32_t room = table->slots.capacity ? table->slots.capacity * 2 : 64;
  if (room < table->slots.capacity) return false;
  grown.slots.data = base_allocate(allocator, room * sizeof *grown.slots.data);
  if (!grown.slots.data) return false;
  memset(grown.slots.data, 0, room * sizeof *grown.slots.data);
  grown.slots.capacity = room;
  grown.slots.count = table->slots.count;
  for (uint32_t k = 0; k < table->slots.capacity; k++)
    if (table->slots.data[k].key) grown.slots.data[slot_of(&grown, table->slots.data[k].key)] = table->slots.data[k];
  BASE_RELEASE(allocator, &table->slots);
  *table = grown;
  return true;
}

bool apply_table_put(const clv_allocator *allocator, apply_table *table, uint64_t key, uint32_t value) {
  if (table->slots.count * 2 >= table->slots.capacity && !table_grow(allocator, table)) return false;
  apply_slot *slot = &table->slots.data[slot_of(table, key)];
  table->slots.count += slot->key == 0;
  *slot = (apply_slot){key, value};
  return true;
}

// Positions

bool apply_letter(apply_match *match, rule_letter letter, clv_dart dart, clv_dart *next) {
  apply_run *run = match->run;
  if (letter.level >= 0) return apply_level_step(run, dart, match->number[letter.level] + letter.plus, next);
  *next = letter.dim < 0 ? dart : clv_alpha(&run->m->view, dart, (uint32_t)letter.dim);
  return true;
}

void apply_choose_columns(apply_match *match) {
  match->columns = apply_plan_columns(match->graph, match->run->m->view.dimension, match->column, match->entry);
}

static bool add_position(apply_match *match, clv_dart first_hook) {
  apply_run *run = match->run;
  const clv_allocator *a = &run->m->allocator;
  const uint64_t nodes = match->graph->node_count, count = (uint64_t)match->count + 1;
  if (count * nodes >= APPLY_NOT_FOUND || count * match->columns >= APPLY_NOT_FOUND) return apply_no_memory(run);
  if (!apply_spend(run, nodes + match->columns)) return false;
  if (!BASE_RESERVE(a, &match->darts, count * nodes) || !BASE_RESERVE(a, &match->across, count * match->columns + 1))
    return apply_no_memory(run);
  memset(match->darts.data + match->count * nodes, 0, nodes * sizeof(clv_dart));
  if (!apply_table_put(a, &match->places, first_hook, match->count)) return apply_no_memory(run);
  *apply_dart(match, match->count, match->graph->hook[0]) = first_hook;
  match->count++;
  return true;
}

// The position across one column; a new one takes the other hooks along.
static bool cross(apply_match *match, uint32_t position, uint32_t column) {
  const rule_graph *graph = match->graph;
  const uint32_t entry = match->entry[column];
  clv_dart next;
  if (!apply_letter(match, graph->hook_word[0][entry], *apply_dart(match, position, graph->hook[0]), &next))
    return false;
  uint32_t across = apply_table_find(&match->places, next);
  if (across == APPLY_NOT_FOUND) {
    across = match->count;
    if (!add_position(match, next)) return false;
    for (uint32_t h = 1; h < graph->hook_count; h++) {
      const clv_dart from = *apply_dart(match, position, graph->hook[h]);
      if (!apply_letter(match, graph->hook_word[h][entry], from, apply_dart(match, across, graph->hook[h])))
        return false;
    }
  }
  match->across.data[position * match->columns + column] = across;
  return true;
}

// The other hooks' orbits have the shape of the first one's.
static bool hooks_agree(apply_match *match) {
  const rule_graph *graph = match->graph;
  apply_run *run = match->run;
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t c = 0; c < match->columns; c++) {
      const uint32_t q = match->across.data[p * match->columns + c];
      if (match->across.data[q * match->columns + c] != p)
        return APPLY_FAIL(run, "rule '%s' does not match at dart %u: the way at its level does not lead back",
                          run->name, *apply_dart(match, p, graph->hook[0]));
      for (uint32_t h = 1; h < graph->hook_count; h++) {
        const clv_dart from = *apply_dart(match, p, graph->hook[h]);
        clv_dart next;
        if (!apply_letter(match, graph->hook_word[h][match->entry[c]], from, &next)) return false;
        if (next != *apply_dart(match, q, graph->hook[h]))
          return APPLY_FAIL(run, "rule '%s' does not match: the orbits of darts %u and %u differ in shape", run->name,
                            *apply_dart(match, 0, graph->hook[0]), *apply_dart(match, 0, graph->hook[h]));
      }
    }
  return true;
}

static bool walk_positions(apply_match *match, const clv_dart *hooks) {
  const rule_graph *graph = match->graph;
  if (!add_position(match, hooks[0])) return false;
  for (uint32_t h = 1; h < graph->hook_count; h++) *apply_dart(match, 0, graph->hook[h]) = hooks[h];
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t c = 0; c < match->columns; c++)
      if (!cross(match, p, c)) return false;
  return hooks_agree(match);
}

// Relations

// Round a relation from a position: back after `order` turns, and not before unless the map ends on the way. A letter
// that this map does not have leads nowhere.
static bool relation_holds(const apply_match *match, const rule_relation *relation, uint32_t start) {
  uint32_t at = start;
  bool early = false, ends = false;
  for (uint32_t turn = 1; turn <= relation->order; turn++) {
    for (uint32_t k = 0; k < relation->length; k++) {
      const int32_t column = match->column[relation->column[k]];
      const uint32_t next = column < 0 ? at : match->across.data[at * match->columns + (uint32_t)column];
      ends = ends || next == at;
      at = next;
    }
    early = early || (at == start && turn < relation->order);
  }
  return at == start && (ends || !early);
}

static bool relations_hold(apply_match *match) {
  const rule_graph *graph = match->graph;
  apply_run *run = match->run;
  for (uint32_t r = 0; r < graph->relation_count; r++) {
    const rule_relation *relation = &graph->relation[r];
    for (uint32_t p = 0; p < match->count; p++) {
      if (!apply_spend(run, relation->order)) return false;
      if (!relation_holds(match, relation, p))
        return APPLY_FAIL(run, "rule '%s' does not match: its orbit does not close after %u turns at dart %u",
                          run->name, relation->order, *apply_dart(match, p, graph->hook[0]));
    }
  }
  return true;
}

// Letters that are two or more apart commute; where one of them is a walk at a level, that is to be tested.
static bool letters_commute(const apply_match *match, uint32_t c, uint32_t d) {
  for (uint32_t p = 0; p < match->count; p++) {
    const uint32_t *across = match->across.data, n = match->columns;
    if (across[across[p * n + c] * n + d] != across[across[p * n + d] * n + c]) return false;
  }
  return true;
}

static bool levels_commute(apply_match *match) {
  apply_run *run = match->run;
  const rule_graph *graph = match->graph;
  for (uint32_t c = 0; graph->levels && c < match->columns; c++)
    for (uint32_t d = 0; d < c; d++) {
      bool apart = false;
      for (uint32_t h = 0; h < graph->hook_count; h++) {
        const int32_t gap = graph->hook_word[h][match->entry[c]].dim - graph->hook_word[h][match->entry[d]].dim;
        apart = apart || gap >= 2 || gap <= -2;
      }
      if (apart && !letters_commute(match, c, d))
        return APPLY_FAIL(run, "rule '%s' does not match at dart %u: what it walks at its level is not whole",
                          run->name, *apply_dart(match, 0, graph->hook[0]));
    }
  return true;
}

bool apply_walk_positions(apply_match *match, const clv_dart *hooks) {
  return walk_positions(match, hooks) && levels_commute(match) && relations_hold(match);
}

// Darts

static bool find_darts(apply_match *match) {
  apply_reach reaches[RULE_NODES];
  const uint32_t count = apply_plan_reaches(match->graph, match->run->m->view.dimension, reaches);
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t k = 0; k < count; k++) {
      const apply_reach r = reaches[k];
      const clv_dart from = *apply_dart(match, p, r.from);
      clv_dart next = CLV_NO_DART;
      if (from && !apply_letter(match, r.letter, from, &next)) return false;
      *apply_dart(match, p, r.node) = r.optional && next == from ? CLV_NO_DART : next;
    }
  return true;
}

// Ties

bool apply_no_match(apply_match *match, uint32_t position, uint32_t node, uint32_t i) {
  apply_run *run = match->run;
  return APPLY_FAIL(run,
                    "rule '%s' does not match at dart %u: link %u of node '%s', dart %u, is not as the left side says",
                    run->name, *apply_dart(match, 0, match->graph->hook[0]), i, match->graph->node[node].name,
                    *apply_dart(match, position, node));
}

static bool tie_holds(apply_match *match, uint32_t p, uint32_t v, uint32_t i, rule_tie tie, bool *holds) {
  const clv_dart dart = *apply_dart(match, p, v);
  rule_letter letter = tie.letter;
  letter.dim = (int8_t)i;
  clv_dart beyond;
  if (!apply_letter(match, letter, dart, &beyond)) return false;
  if (tie.known == RULE_ALONG) {
    const int32_t c = match->column[tie.at];
    *holds = beyond == (c < 0 ? dart : *apply_dart(match, match->across.data[p * match->columns + (uint32_t)c], v));
  } else {
    *holds = beyond == *apply_dart(match, p, tie.at) || (tie.known == RULE_PERHAPS && beyond == dart);
  }
  return true;
}

static bool ties_hold(apply_match *match) {
  const rule_graph *graph = match->graph;
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t v = 0; v < graph->node_count; v++) {
      const rule_side *left = &graph->node[v].side[RULE_LEFT];
      for (uint32_t i = 0; left->present && i <= match->run->m->view.dimension; i++) {
        bool holds = true;
        if (left->tie[i].known == RULE_UNKNOWN || !*apply_dart(match, p, v)) continue;
        if (!tie_holds(match, p, v, i, left->tie[i], &holds)) return false;
        if (!holds) return apply_no_match(match, p, v, i);
      }
    }
  return true;
}

// The link of the left side that joins two nodes; UINT32_MAX when none does.
static uint32_t link_between(const rule_graph *graph, uint32_t u, uint32_t v) {
  const rule_side *left = &graph->node[u].side[RULE_LEFT];
  for (uint32_t i = 0; i < RULE_DIMS; i++)
    if (left->tie[i].known == RULE_ARC_TO && left->tie[i].at == v) return i;
  return UINT32_MAX;
}

// A dart would be two nodes: most often both ends of a link that is free there.
static bool is_two_nodes(const apply_match *match, clv_dart dart, uint32_t u, uint32_t v) {
  const rule_graph *graph = match->graph;
  apply_run *run = match->run;
  const uint32_t i = link_between(graph, u, v);
  if (i <= run->m->view.dimension && clv_is_free(&run->m->view, dart, i))
    return APPLY_FAIL(run, "rule '%s' does not match: the body ends there, and '%s -%u- %s' wants a neighbour",
                      run->name, graph->node[u].name, i, graph->node[v].name);
  return APPLY_FAIL(run, "rule '%s' does not match: its nodes '%s' and '%s' would be one and the same, dart %u",
                    run->name, graph->node[u].name, graph->node[v].name, dart);
}

// Matches are injective: a dart is one node at one position.
bool apply_places_differ(apply_match *match) {
  const rule_graph *graph = match->graph;
  apply_run *run = match->run;
  apply_table_clear(&match->places);
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t v = 0; v < graph->node_count; v++) {
      const clv_dart dart = *apply_dart(match, p, v);
      if (!dart) continue;
      const uint32_t other = apply_table_find(&match->places, dart);
      if (other != APPLY_NOT_FOUND) return is_two_nodes(match, dart, other % graph->node_count, v);
      if (!apply_table_put(&run->m->allocator, &match->places, dart, p * graph->node_count + v))
        return apply_no_memory(run);
    }
  return true;
}

bool apply_match_left(apply_match *match, const clv_dart *hooks) {
  apply_choose_columns(match);
  return apply_walk_positions(match, hooks) && find_darts(match) && ties_hold(match) && apply_places_differ(match);
}

void apply_match_free(apply_match *match) {
  const clv_allocator *a = &match->run->m->allocator;
  BASE_RELEASE(a, &match->across);
  BASE_RELEASE(a, &match->darts);
  BASE_RELEASE(a, &match->places.slots);
}
