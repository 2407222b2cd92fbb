#include "support/naive_rule.h"

#include <stdio.h>
#include <stdlib.h>

typedef naive_match match;

bool naive_copy(naive_map *naive, const clv_map *map) {
  static const uint16_t none = NAIVE_NONE;
  if (clv_dart_count(map) > NAIVE_DARTS / 8) return false;
  uint32_t count = 0;
  clv_dart darts[NAIVE_DARTS / 8];
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) darts[count++] = d;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i < 4; i++) {
      const clv_dart there = i > map->dimension ? darts[k] : clv_alpha(map, darts[k], i);
      uint32_t low = 0, high = count;
      while (low + 1 < high) {
        const uint32_t mid = (low + high) / 2;
        *(darts[mid] <= there ? &low : &high) = mid;
      }
      naive->alpha[i][k] = darts[low] == there ? (uint16_t)low : none;
    }
  naive->count = count;
  memset(naive->dead, 0, sizeof naive->dead);
  return true;
}

// Random maps

static clv_dart random_dart(random_source *source, const clv_map *map) {
  const uint64_t count = clv_dart_count(map);
  clv_dart dart = clv_dart_next(map, 0);
  for (uint32_t skip = count ? random_below(source, (uint32_t)count) : 0; skip; skip--) dart = clv_dart_next(map, dart);
  return dart;
}

static void add_something(random_source *source, clv_map *map) {
  static const clv_kind kinds[2][4] = {{CLV_TRI, CLV_QUAD, CLV_TRI, CLV_QUAD},
                                       {CLV_TET, CLV_PYRAMID, CLV_PRISM, CLV_HEX}};
  clv_dart dart;
  if (random_chance(source, 25))
    clv_map_add_polygon(map, 1 + random_below(source, 4), &dart);
  else
    clv_map_add_cell(map, kinds[map->dimension - 2][random_below(source, 4)], &dart);
}

// Sewing joins what fits; some parts are unsewn below the map's dimension too.
void naive_random(naive_map *naive, uint32_t dimension, random_source *source) {
  clv_map_def def = clv_default_map_def();
  def.dimension = dimension;
  clv_map *map = clv_map_create(&def, NULL);
  if (!map || clv_map_begin(map) != CLV_OK) abort();
  for (uint32_t k = 0; k < 3; k++) add_something(source, map);
  const bool wild = random_chance(source, 60);
  for (uint32_t k = 0; k < 60; k++) {
    const uint32_t i = random_chance(source, 50) ? map->dimension : random_below(source, map->dimension + 1);
    clv_dart added;
    switch (random_below(source, 8)) {
    case 0:
      if (wild) clv_map_unsew(map, i, random_dart(source, map));
      break;
    case 1:
      if (clv_dart_count(map) < 200) clv_map_insert_vertex(map, random_dart(source, map), &added);
      break;
    default:
      clv_map_sew(map, i, random_dart(source, map), random_dart(source, map));
    }
  }
  if (clv_map_commit(map) != CLV_OK || !naive_copy(naive, map)) abort();
  clv_map_destroy(map);
}

bool naive_valid(const naive_map *map, char *text, size_t size) {
  for (uint32_t d = 0; d < map->count; d++) {
    if (map->dead[d]) continue;
    for (uint32_t i = 0; i < 4; i++) {
      const uint16_t there = map->alpha[i][d];
      if (there >= map->count || map->dead[there] || map->alpha[i][there] != d) {
        snprintf(text, size, "a%u of dart %u is no involution", i, d);
        return false;
      }
    }
  }
  for (uint32_t d = 0; d < map->count; d++)
    for (uint32_t i = 0; i < 2 && !map->dead[d]; i++)
      for (uint32_t j = i + 2; j < 4; j++) {
        const uint16_t *a = map->alpha[i], *b = map->alpha[j];
        if (b[a[b[a[d]]]] == d) continue;
        snprintf(text, size, "a%u and a%u do not commute at dart %u", i, j, d);
        return false;
      }
  return true;
}

// Positions

static bool find_positions(match *m, const uint16_t *hooks) {
  const rule_graph *graph = m->graph;
  uint16_t of[NAIVE_DARTS];
  memset(of, 0xFF, sizeof of);
  m->count = 1;
  of[hooks[0]] = 0;
  memset(m->dart[0], 0xFF, sizeof m->dart[0]);
  for (uint32_t h = 0; h < graph->hook_count; h++) m->dart[0][graph->hook[h]] = hooks[h];
  for (uint32_t p = 0; p < m->count; p++)
    for (uint32_t c = 0; c < graph->columns; c++) {
      uint16_t next[RULE_PARAMETERS] = {0};
      for (uint32_t h = 0; h < graph->hook_count; h++)
        next[h] = m->map->alpha[graph->hook_word[h][c].dim][m->dart[p][graph->hook[h]]];
      if (of[next[0]] == NAIVE_NONE) {
        if (m->count == NAIVE_POSITIONS) return false;
        of[next[0]] = (uint16_t)m->count;
        memset(m->dart[m->count], 0xFF, sizeof m->dart[0]);
        for (uint32_t h = 0; h < graph->hook_count; h++) m->dart[m->count][graph->hook[h]] = next[h];
        m->count++;
      }
      const uint16_t q = of[next[0]];
      for (uint32_t h = 0; h < graph->hook_count; h++)
        if (m->dart[q][graph->hook[h]] != next[h]) return false;
      m->across[p][c] = q;
    }
  return true;
}

static bool relations_hold(const match *m) {
  for (uint32_t r = 0; r < m->graph->relation_count; r++) {
    const rule_relation *relation = &m->graph->relation[r];
    for (uint32_t p = 0; p < m->count; p++) {
      uint32_t q = p;
      for (uint32_t k = 0; k < relation->order; k++)
        for (uint32_t l = 0; l < relation->length; l++) q = m->across[q][relation->column[l]];
      if (q != p) return false;
    }
  }
  return true;
}

// Nodes

static void reach(match *m, uint32_t p) {
  for (bool more = true; more;) {
    more = false;
    for (uint32_t k = 0; k < m->graph->node_count; k++) {
      const uint16_t dart = m->dart[p][k];
      for (uint32_t i = 0; i < 4 && dart != NAIVE_NONE; i++) {
        const rule_tie tie = m->graph->node[k].side[RULE_LEFT].tie[i];
        if (tie.known != RULE_ARC_TO && tie.known != RULE_PERHAPS) continue;
        const uint16_t there = m->map->alpha[i][dart];
        if (m->dart[p][tie.at] != NAIVE_NONE || (tie.known == RULE_PERHAPS && there == dart)) continue;
        m->dart[p][tie.at] = there;
        more = true;
      }
    }
  }
}

static bool tie_holds(const match *m, uint32_t p, uint32_t k, uint32_t i) {
  const rule_tie tie = m->graph->node[k].side[RULE_LEFT].tie[i];
  const uint16_t dart = m->dart[p][k], there = m->map->alpha[i][dart];
  switch (tie.known) {
  case RULE_ALONG:
    return m->dart[m->across[p][tie.at]][k] == there;
  case RULE_ARC_TO:
    return m->dart[p][tie.at] == there;
  case RULE_PERHAPS: {
    const uint16_t other = m->dart[p][tie.at];
    return there == dart ? other == NAIVE_NONE || m->map->alpha[i][other] == other : other == there;
  }
  default:
    return true;
  }
}

static bool nodes_hold(match *m) {
  bool seen[NAIVE_DARTS] = {false};
  for (uint32_t p = 0; p < m->count; p++) reach(m, p);
  for (uint32_t p = 0; p < m->count; p++)
    for (uint32_t k = 0; k < m->graph->node_count; k++) {
      const uint16_t dart = m->dart[p][k];
      if (dart == NAIVE_NONE) continue;
      if (seen[dart]) return false;
      seen[dart] = true;
      for (uint32_t i = 0; i < 4; i++)
        if (!tie_holds(m, p, k, i)) return false;
    }
  return true;
}

static void rewrite(match *m, naive_map *map) {
  const rule_graph *graph = m->graph;
  for (uint32_t p = 0; p < m->count; p++)
    for (uint32_t k = 0; k < graph->node_count; k++) {
      const rule_node *node = &graph->node[k];
      if (!node->side[RULE_LEFT].present && node->side[RULE_RIGHT].present) m->dart[p][k] = (uint16_t)map->count++;
      if (!node->side[RULE_RIGHT].present && m->dart[p][k] != NAIVE_NONE) map->dead[m->dart[p][k]] = true;
    }
  for (uint32_t p = 0; p < m->count; p++)
    for (uint32_t k = 0; k < graph->node_count; k++)
      for (uint32_t i = 0; i < 4; i++) {
        const rule_tie tie = graph->node[k].side[RULE_RIGHT].tie[i];
        if (m->dart[p][k] == NAIVE_NONE || map->dead[m->dart[p][k]]) continue;
        if (tie.known == RULE_ALONG) map->alpha[i][m->dart[p][k]] = m->dart[m->across[p][tie.at]][k];
        if (tie.known == RULE_ARC_TO) map->alpha[i][m->dart[p][k]] = m->dart[p][tie.at];
      }
}

bool naive_find(naive_match *m, const naive_map *map, const rule_graph *graph, const uint16_t *hooks) {
  m->graph = graph;
  m->map = map;
  return find_positions(m, hooks) && relations_hold(m) && nodes_hold(m);
}

bool naive_apply(naive_map *map, const rule_graph *graph, const uint16_t *hooks) {
  match *m = malloc(sizeof *m);
  if (!m) abort();
  const bool matches = naive_find(m, map, graph, hooks) && map->count + m->count * graph->node_count <= NAIVE_DARTS;
  if (matches) {
    // What is new and never tied points nowhere.
    for (uint32_t i = 0; i < 4; i++)
      memset(map->alpha[i] + map->count, 0xFF, sizeof(uint16_t) * (NAIVE_DARTS - map->count));
    memset(map->dead + map->count, 0, sizeof(bool) * (NAIVE_DARTS - map->count));
    rewrite(m, map);
  }
  free(m);
  return matches;
}
