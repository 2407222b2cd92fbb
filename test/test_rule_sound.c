// Soundness by brute force: what the checks accept never breaks a map.
//
// soak: yes
//
// Random rules of up to four letters and five nodes are written as text. Those without findings are applied, by an
// interpreter that knows nothing of the checks, to random maps: cells of all kinds, sewn and unsewn in every dimension,
// so that they are valid and wild. Each result must be a generalized map. The examples of the language go through the
// same mill. To see that the checks are not merely strict, those that only C refuses are applied as well: most do break
// maps.
//
// usage: test_rule_sound [--soak] [--seed S]

#include "support/naive_rule.h"
#include "support/random.h"
#include "support/rule_examples.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAPS = 24, RULES = 12000, SOAK_RULES = 4000000, TRIES = 24, LETTERS = 4, NODES = 6 };

static struct {
  bool soak;
  uint64_t seed;
  naive_map maps[MAPS];
} options = {.seed = 1};

// Maps

static int make_maps(void **state) {
  (void)state;
  random_source source = {options.seed * 7919};
  char text[100];
  for (uint32_t k = 0; k < MAPS; k++) {
    naive_random(&options.maps[k], random_chance(&source, 25) ? 2 : 3, &source);
    if (!naive_valid(&options.maps[k], text, sizeof text)) fail_msg("map %u: %s", k, text);
  }
  return 0;
}

// Random rules. A draft is a table of ties; both ends of an arc are set together.

typedef struct draft_tie {
  char known; // 0, 'c' along a column, '-' arc, '?' optional arc
  uint8_t at;
} draft_tie;

typedef struct draft {
  uint32_t hooks, left, nodes, columns; // nodes: hooks, others of the left, new ones
  uint8_t hook_word[2][LETTERS];
  bool deleted[NODES];
  draft_tie tie[2][NODES][4];
  bool column_used[2][NODES][LETTERS];
} draft;

static void tie_arc(draft *d, int side, uint32_t a, uint32_t b, uint32_t i, char known) {
  d->tie[side][a][i] = (draft_tie){known, (uint8_t)b};
  d->tie[side][b][i] = (draft_tie){known, (uint8_t)a};
}

static bool tie_column(draft *d, int side, uint32_t node, uint32_t i, uint32_t column) {
  if (d->column_used[side][node][column]) return false;
  d->column_used[side][node][column] = true;
  d->tie[side][node][i] = (draft_tie){'c', (uint8_t)column};
  return true;
}

static void shuffle(random_source *source, uint8_t *letters) {
  for (uint32_t k = 0; k < LETTERS; k++) letters[k] = (uint8_t)k;
  for (uint32_t k = LETTERS - 1; k > 0; k--) {
    const uint32_t j = random_below(source, k + 1);
    const uint8_t letter = letters[k];
    letters[k] = letters[j];
    letters[j] = letter;
  }
}

static void draft_hooks(random_source *source, draft *d) {
  for (uint32_t h = 0; h < d->hooks; h++) {
    shuffle(source, d->hook_word[h]);
    if (h == 1 && random_chance(source, 70)) memcpy(d->hook_word[1], d->hook_word[0], LETTERS);
    for (uint32_t c = 0; c < d->columns; c++) tie_column(d, 0, h, d->hook_word[h][c], c);
  }
}

static void draft_left_node(random_source *source, draft *d, uint32_t node) {
  for (uint32_t tries = 0; tries < 12; tries++) {
    const uint32_t to = random_below(source, node), i = random_below(source, 4);
    if (d->tie[0][to][i].known) continue;
    tie_arc(d, 0, node, to, i, random_chance(source, 15) ? '?' : '-');
    break;
  }
  // Mostly what a sound map forces: the letters of its neighbour that commute.
  for (uint32_t c = 0; c < d->columns; c++) {
    const uint32_t i = random_chance(source, 75) ? d->hook_word[0][c] : random_below(source, 4);
    if (!d->tie[0][node][i].known && random_chance(source, 70)) tie_column(d, 0, node, i, c);
  }
}

static void draft_left(random_source *source, draft *d) {
  draft_hooks(source, d);
  for (uint32_t k = d->hooks; k < d->left; k++) draft_left_node(source, d, k);
  for (uint32_t k = 0; k < d->left; k++) {
    d->deleted[k] = random_chance(source, 15);
    for (uint32_t i = 0; i < 4; i++)
      if (!d->tie[0][k][i].known && random_chance(source, d->deleted[k] ? 95 : 15)) tie_arc(d, 0, k, k, i, '-');
  }
}

// One tie of the right side: as on the left, along a column, to another node that needs one, or a loop.
static void draft_right_tie(random_source *source, draft *d, uint32_t node, uint32_t i) {
  const draft_tie left = d->tie[0][node][i];
  if (left.known && random_chance(source, 45)) {
    if (left.known == 'c' && tie_column(d, 1, node, i, left.at)) return;
    if (left.known != 'c' && !d->deleted[left.at] && !d->tie[1][left.at][i].known) {
      tie_arc(d, 1, node, left.at, i, left.known);
      return;
    }
  }
  if (d->columns && random_chance(source, 55)) {
    uint32_t column = random_below(source, d->columns);
    for (uint32_t c = 0; c < d->columns; c++)
      if (d->hook_word[0][c] == i && random_chance(source, 60)) column = c;
    if (tie_column(d, 1, node, i, column)) return;
  }
  for (uint32_t tries = 0; tries < 4 && random_chance(source, 80); tries++) {
    const uint32_t to = random_below(source, d->nodes);
    if (to == node || d->deleted[to] || d->tie[1][to][i].known) continue;
    if (to < d->left && !d->tie[0][to][i].known) continue;
    tie_arc(d, 1, node, to, i, '-');
    return;
  }
  tie_arc(d, 1, node, node, i, '-');
}

static void make_draft(random_source *source, draft *d) {
  memset(d, 0, sizeof *d);
  d->hooks = random_chance(source, 80) ? 1 : 2;
  d->left = d->hooks + random_below(source, 3);
  d->nodes = d->left + random_below(source, 3);
  d->columns = random_below(source, LETTERS + 1);
  draft_left(source, d);
  for (uint32_t i = 0; i < 4; i++)
    for (uint32_t k = 0; k < d->nodes; k++) {
      const bool needs = k >= d->left || (!d->deleted[k] && d->tie[0][k][i].known);
      if (needs && !d->tie[1][k][i].known) draft_right_tie(source, d, k, i);
    }
}

// As text

typedef struct text {
  size_t length;
  char data[2000];
} text;

static void put(text *out, const char *format, ...) CLV_PRINTF(2, 3);
static void put(text *out, const char *format, ...) {
  va_list list;
  va_start(list, format);
  const int written = vsnprintf(out->data + out->length, sizeof out->data - out->length, format, list);
  va_end(list);
  assert_true(written >= 0 && out->length + (size_t)written < sizeof out->data);
  out->length += (size_t)written;
}

static void put_word(text *out, const draft *d, int side, uint32_t node) {
  put(out, "%c:<", 'a' + (char)node);
  for (uint32_t c = 0; c < d->columns; c++) {
    char letter = '_';
    for (uint32_t i = 0; i < 4; i++)
      if (d->tie[side][node][i].known == 'c' && d->tie[side][node][i].at == c) letter = (char)('0' + i);
    put(out, "%s%c", c ? "," : "", letter);
  }
  put(out, ">; ");
}

static void put_side(text *out, const draft *d, int side) {
  put(out, side ? "right { " : "left { ");
  for (uint32_t k = 0; k < (side ? d->nodes : d->left); k++) {
    if (side && d->deleted[k]) continue;
    put_word(out, d, side, k);
    for (uint32_t i = 0; i < 4; i++) {
      const draft_tie tie = d->tie[side][k][i];
      if ((tie.known == '-' || tie.known == '?') && tie.at >= k)
        put(out, "%c -%u%s- %c; ", 'a' + (char)k, i, tie.known == '?' ? "?" : "", 'a' + (char)tie.at);
    }
  }
  put(out, "} ");
}

static void put_rule(text *out, const draft *d, random_source *source) {
  out->length = 0;
  put(out, "rule r(");
  for (uint32_t h = 0; h < d->hooks; h++) {
    put(out, "%s%c:<", h ? ", " : "", 'a' + (char)h);
    for (uint32_t c = 0; c < d->columns; c++) put(out, "%s%u", c ? "," : "", d->hook_word[h][c]);
    if (d->columns >= 2 && h == 0 && random_chance(source, 40))
      put(out, "|(%u%u)^%u", d->hook_word[0][0], d->hook_word[0][1], 2 + random_below(source, 3));
    put(out, ">");
  }
  put(out, ") { ");
  put_side(out, d, 0);
  put_side(out, d, 1);
  put(out, "}");
}

// What really happens to the orbits of one sort

static void label_orbits(const naive_map *map, uint32_t dims, uint16_t *label) {
  uint16_t queue[NAIVE_DARTS];
  memset(label, 0xFF, NAIVE_DARTS * sizeof *label);
  for (uint32_t d = 0; d < map->count; d++) {
    if (map->dead[d] || label[d] != NAIVE_NONE) continue;
    uint32_t count = 0;
    queue[count++] = (uint16_t)d;
    label[d] = (uint16_t)d;
    for (uint32_t k = 0; k < count; k++)
      for (uint32_t i = 0; i < 4; i++) {
        const uint16_t next = map->alpha[i][queue[k]];
        if (!(dims >> i & 1) || label[next] != NAIVE_NONE) continue;
        label[next] = (uint16_t)d;
        queue[count++] = next;
      }
  }
}

// Whether darts that stay are together by `a` and apart by `b`.
static bool parts(const uint16_t *a, const uint16_t *b, uint32_t count) {
  uint16_t of[NAIVE_DARTS];
  memset(of, 0xFF, sizeof of);
  for (uint32_t d = 0; d < count; d++) {
    if (a[d] == NAIVE_NONE || b[d] == NAIVE_NONE) continue;
    if (of[a[d]] != NAIVE_NONE && of[a[d]] != b[d]) return true;
    of[a[d]] = b[d];
  }
  return false;
}

// Looks at orbits by `a` that have no dart by `b`, and at those that have some but not all.
static void compare_orbits(const uint16_t *a, const uint16_t *b, uint32_t count, bool *gone, bool *changed) {
  bool stays[NAIVE_DARTS] = {false}, loses[NAIVE_DARTS] = {false};
  for (uint32_t d = 0; d < count; d++)
    if (a[d] != NAIVE_NONE) *(b[d] != NAIVE_NONE ? &stays[a[d]] : &loses[a[d]]) = true;
  for (uint32_t d = 0; d < count; d++) {
    *gone = *gone || (loses[d] && !stays[d]);
    *changed = *changed || (loses[d] && stays[d]);
  }
}

static uint32_t effect_of(const naive_map *before, const naive_map *after, uint32_t dims) {
  static uint16_t a[NAIVE_DARTS], b[NAIVE_DARTS];
  label_orbits(before, dims, a);
  label_orbits(after, dims, b);
  bool gone = false, born = false, changed = false;
  compare_orbits(a, b, after->count, &gone, &changed);
  compare_orbits(b, a, after->count, &born, &changed);
  const bool split = parts(a, b, before->count), merged = parts(b, a, before->count);
  return (split ? RULE_MAY_SPLIT : 0u) | (merged ? RULE_MAY_MERGE : 0u) | (born ? RULE_MAY_APPEAR : 0u) |
         (gone ? RULE_MAY_VANISH : 0u) | (changed || split || merged ? RULE_MAY_CHANGE : 0u);
}

// The mill

typedef struct tally {
  uint64_t accepted, refused, applied, changed, refused_applied, refused_breaking;
  uint64_t announced, happened; // effects on orbits
} tally;

static bool same_links(const naive_map *a, const naive_map *b) {
  if (a->count != b->count || memcmp(a->dead, b->dead, a->count) != 0) return false;
  for (uint32_t i = 0; i < 4; i++)
    if (memcmp(a->alpha[i], b->alpha[i], a->count * sizeof(uint16_t)) != 0) return false;
  return true;
}

// Applies a rule to random darts. False when the result is not valid, with `why`.
static bool grind(random_source *source, const rule_graph *graph, tally *t, bool *applied, char *why, size_t size) {
  static naive_map work;
  *applied = false;
  for (uint32_t tries = 0; tries < TRIES; tries++) {
    const naive_map *map = &options.maps[random_below(source, MAPS)];
    uint16_t hooks[RULE_PARAMETERS];
    if (!map->count) continue;
    for (uint32_t h = 0; h < graph->hook_count; h++) hooks[h] = (uint16_t)random_below(source, map->count);
    work = *map;
    if (!naive_apply(&work, graph, hooks)) continue;
    *applied = true;
    t->applied++;
    t->changed += !same_links(&work, map);
    if (!naive_valid(&work, why, size)) return false;
  }
  return true;
}

// What happens to orbits was announced.
static void compare_effects(random_source *source, const rule_graph *graph, const text *rule, tally *t) {
  static naive_map work;
  uint32_t seen[16] = {0};
  bool applied = false;
  for (uint32_t tries = 0; tries < TRIES; tries++) {
    const naive_map *map = &options.maps[random_below(source, MAPS)];
    uint16_t hooks[RULE_PARAMETERS];
    for (uint32_t h = 0; h < graph->hook_count; h++) hooks[h] = (uint16_t)random_below(source, map->count);
    work = *map;
    if (!naive_apply(&work, graph, hooks)) continue;
    applied = true;
    for (uint32_t dims = 0; dims < 16; dims++) seen[dims] |= effect_of(map, &work, dims);
  }
  for (uint32_t dims = 0; dims < 16 && applied; dims++) {
    const uint32_t announced = rule_graph_effect(graph, dims);
    if (seen[dims] & ~announced) fail_msg("effect %x of %x on orbits %x\n%s", seen[dims], announced, dims, rule->data);
    for (uint32_t bit = 1; bit <= RULE_MAY_CHANGE; bit <<= 1) {
      t->announced += (announced & bit) != 0;
      t->happened += (seen[dims] & bit) != 0;
    }
  }
}

static bool only_finding_is(const clv_program *program, char code) {
  for (uint32_t k = 0; k < program->findings.count; k++)
    if (program->findings.data[k].code != code) return false;
  return true;
}

static void try_rule(random_source *source, const text *rule, tally *t) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "random.rule", rule->data, rule->length), CLV_OK);
  assert_int_equal(program->findings.count, 0);
  const rule_graph *graph = rule_graph_make(program, program->declarations.data[0]);
  char why[100];
  bool applied;
  if (graph && rule_graph_check(program, graph)) {
    t->accepted++;
    if (!grind(source, graph, t, &applied, why, sizeof why)) fail_msg("%s\n%s", why, rule->data);
    if (t->accepted % 8 == 0) compare_effects(source, graph, rule, t);
  } else if (graph && only_finding_is(program, 'C')) {
    tally apart = {0};
    t->refused++;
    const bool valid = grind(source, graph, &apart, &applied, why, sizeof why);
    t->refused_applied += applied;
    t->refused_breaking += !valid;
  }
  clv_program_destroy(program);
}

static void accepted_rules_keep_maps_valid(void **state) {
  (void)state;
  tally t = {0};
  random_source source = {options.seed};
  for (uint32_t k = 0; k < (options.soak ? SOAK_RULES : RULES); k++) {
    draft d;
    text rule;
    make_draft(&source, &d);
    put_rule(&rule, &d, &source);
    try_rule(&source, &rule, &t);
  }
  print_message("%lu accepted, applied %lu times, %lu changes; of %lu refused by C alone that match, %lu break maps\n",
                (unsigned long)t.accepted, (unsigned long)t.applied, (unsigned long)t.changed,
                (unsigned long)t.refused_applied, (unsigned long)t.refused_breaking);
  print_message("%lu effects on orbits announced, %lu seen\n", (unsigned long)t.announced, (unsigned long)t.happened);
  assert_true(t.changed >= 1000);
  assert_true(t.happened >= 1000 && t.happened * 2 >= t.announced);
  assert_true(t.refused_breaking * 2 >= t.refused_applied);
}

static void examples_keep_maps_valid(void **state) {
  (void)state;
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "examples.rule", rule_examples, strlen(rule_examples)), CLV_OK);
  random_source source = {options.seed + 1};
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree->kind == RULE_SCRIPT) continue;
    const rule_graph *graph = rule_graph_make(program, tree);
    assert_non_null(graph);
    tally t = {0};
    bool applied;
    char why[100];
    for (uint32_t round = 0; round < 20 && !graph->levels; round++)
      if (!grind(&source, graph, &t, &applied, why, sizeof why)) fail_msg("'%s': %s", graph->name, why);
  }
  clv_program_destroy(program);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    if (strcmp(argv[k], "--soak") == 0) options.soak = true;
    if (strcmp(argv[k], "--seed") == 0 && k + 1 < argc) options.seed = strtoull(argv[k + 1], NULL, 10);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(accepted_rules_keep_maps_valid),
      cmocka_unit_test(examples_keep_maps_valid),
  };
  return cmocka_run_group_tests(tests, make_maps, NULL);
}
