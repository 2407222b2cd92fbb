#include "rule/word.h"

// Walks

bool rule_walker_step(const rule_graph *graph, int side, rule_walker *walker, uint32_t dim) {
  const rule_tie tie = graph->node[walker->node].side[side].tie[dim];
  if (!rule_tie_is_link(tie) || tie.known == RULE_PERHAPS) return false;
  if (tie.known == RULE_ARC_TO) {
    walker->node = tie.at;
    return true;
  }
  if (walker->word.length == RULE_WORD_LENGTH) return false;
  walker->word.column[walker->word.length++] = tie.at;
  return true;
}

bool rule_walker_round(const rule_graph *graph, int side, rule_walker *walker, uint32_t i, uint32_t j) {
  return rule_walker_step(graph, side, walker, i) && rule_walker_step(graph, side, walker, j) &&
         rule_walker_step(graph, side, walker, i) && rule_walker_step(graph, side, walker, j);
}

// Equations

static bool letters_commute(const rule_graph *graph, uint32_t m, uint32_t l) {
  for (uint32_t h = 0; h < graph->hook_count; h++) {
    const int apart = graph->hook_word[h][m].dim - graph->hook_word[h][l].dim;
    if (apart >= 2 || apart <= -2) return true;
  }
  return false;
}

static void add_relator(rule_group *group, const uint8_t *columns, uint32_t length, uint32_t times) {
  if (length * times == 0 || length * times > RULE_RELATOR_LENGTH || group->relator_count == RULE_RELATORS) return;
  rule_relator *relator = &group->relator[group->relator_count++];
  relator->length = (uint8_t)(length * times);
  for (uint32_t k = 0; k < length * times; k++) relator->column[k] = columns[k % length];
}

// A map is sound: where the left side says all of ai, aj, ai, aj and comes back to a node, the positions come back too.
static void add_left_relators(rule_group *group, const rule_graph *graph, uint32_t node) {
  if (!graph->node[node].side[RULE_LEFT].present || graph->node[node].piece) return;
  for (uint32_t i = 0; i + 2 < RULE_DIMS; i++)
    for (uint32_t j = i + 2; j < RULE_DIMS; j++) {
      rule_walker walker = {.node = (uint8_t)node};
      if (!rule_walker_round(graph, RULE_LEFT, &walker, i, j) || walker.node != node) continue;
      if (!rule_word_trivial(group, walker.word)) add_relator(group, walker.word.column, walker.word.length, 1);
    }
}

void rule_group_make(rule_group *group, const rule_graph *graph) {
  memset(group, 0, sizeof *group);
  for (uint32_t m = 0; m < graph->columns; m++)
    for (uint32_t l = 0; l < graph->columns; l++) group->commute[m][l] = letters_commute(graph, m, l);
  for (uint32_t k = 0; k < graph->relation_count; k++)
    add_relator(group, graph->relation[k].column, graph->relation[k].length, graph->relation[k].order);
  for (uint32_t k = 0; k < graph->node_count; k++) add_left_relators(group, graph, k);
}

// The search: words of at most RULE_WORD_LENGTH letters, each seen once, packed into numbers.

enum { SEARCH_WORDS = 1024, SEARCH_TABLE = 2048 };

typedef struct search {
  const rule_group *group;
  uint32_t count, table[SEARCH_TABLE]; // packed words, 0 for none
  rule_word words[SEARCH_WORDS];
} search;

static void search_add(search *s, rule_word word) {
  rule_word reduced = {0};
  for (uint32_t k = 0; k < word.length; k++) {
    if (reduced.length && reduced.column[reduced.length - 1] == word.column[k])
      reduced.length--;
    else
      reduced.column[reduced.length++] = word.column[k];
  }
  uint32_t packed = 1;
  for (uint32_t k = 0; k < reduced.length; k++) packed = packed << 2 | reduced.column[k];
  uint32_t at = packed * 2654435761u >> 21;
  while (s->table[at] && s->table[at] != packed) at = (at + 1) % SEARCH_TABLE;
  if (s->table[at] || s->count == SEARCH_WORDS) return;
  s->table[at] = packed;
  s->words[s->count++] = reduced;
}

static void try_swaps(search *s, rule_word word) {
  for (uint32_t k = 0; k + 1 < word.length; k++) {
    const uint8_t a = word.column[k], b = word.column[k + 1];
    if (!s->group->commute[a][b]) continue;
    rule_word swapped = word;
    swapped.column[k] = b;
    swapped.column[k + 1] = a;
    search_add(s, swapped);
  }
}

// The letter `k` places on from `start` in a relator read forwards or backwards, round and round.
static uint8_t relator_letter(const rule_relator *relator, uint32_t start, uint32_t k, bool back) {
  const uint32_t length = relator->length, on = k % length;
  return relator->column[(back ? start + length - on : start + on) % length];
}

// Where a stretch of the word agrees with the relator from `start` on, the rest of the relator, backwards, replaces it.
static void try_relator_at(search *s, rule_word word, uint32_t at, const rule_relator *relator, uint32_t start,
                           bool back) {
  uint32_t agree = 0;
  while (agree < relator->length && at + agree < word.length &&
         word.column[at + agree] == relator_letter(relator, start, agree, back))
    agree++;
  for (; agree > 0; agree--) {
    const uint32_t rest = relator->length - agree;
    if (word.length - agree + rest > RULE_WORD_LENGTH) continue;
    rule_word made = {.length = (uint8_t)(word.length - agree + rest)};
    memcpy(made.column, word.column, at);
    for (uint32_t k = 0; k < rest; k++)
      made.column[at + k] = relator_letter(relator, start, relator->length - 1u - k, back);
    memcpy(made.column + at + rest, word.column + at + agree, word.length - at - agree);
    search_add(s, made);
  }
}

static void try_relators(search *s, rule_word word) {
  for (uint32_t r = 0; r < s->group->relator_count; r++)
    for (uint32_t at = 0; at < word.length; at++)
      for (uint32_t start = 0; start < s->group->relator[r].length; start++) {
        try_relator_at(s, word, at, &s->group->relator[r], start, false);
        try_relator_at(s, word, at, &s->group->relator[r], start, true);
      }
}

// Letters that stand an odd number of times, as bits.
static uint32_t odd_letters(const uint8_t *columns, uint32_t length) {
  uint32_t odd = 0;
  for (uint32_t k = 0; k < length; k++) odd ^= 1u << columns[k];
  return odd;
}

// A quick no: equations that add every letter an even number of times leave odd letters odd.
static bool may_vanish(const rule_group *group, rule_word word) {
  for (uint32_t r = 0; r < group->relator_count; r++)
    if (odd_letters(group->relator[r].column, group->relator[r].length)) return true;
  return odd_letters(word.column, word.length) == 0;
}

bool rule_word_trivial(const rule_group *group, rule_word word) {
  if (word.length == 0) return true;
  if (!may_vanish(group, word)) return false;
  search s;
  s.group = group;
  s.count = 0;
  memset(s.table, 0, sizeof s.table);
  search_add(&s, word);
  for (uint32_t k = 0; k < s.count; k++) {
    if (s.words[k].length == 0) return true;
    try_swaps(&s, s.words[k]);
    try_relators(&s, s.words[k]);
  }
  return false;
}
