// Letters and orbits in expressions: <0^k,1>(f), vertex(d), edge&cell(d).

#include "rule/apply_eval.h"

#include <math.h>

bool apply_read_letter(apply_run *run, const rule_tree *tree, apply_letter_value *letter) {
  if (tree->kind != RULE_LETTER || !(tree->number >= 0 && tree->number <= 3))
    return apply_wrong_type(run, tree, "a dimension");
  *letter = (apply_letter_value){.dim = (uint8_t)tree->number};
  if (!tree->count || !rule_there(tree->child[0])) return true;
  double level;
  if (!apply_number_of(run, tree->child[0], &level)) return false;
  if (letter->dim != 0 || !(fabs(level) < 1e6) || level != floor(level))
    return apply_wrong_type(run, tree, "a0 at a level, which is a whole number");
  letter->leveled = true;
  letter->level = (int32_t)level;
  return true;
}

bool apply_take_letter(apply_run *run, apply_letter_value letter, clv_dart dart, clv_dart *next) {
  if (letter.leveled) return apply_level_step(run, dart, letter.level, next);
  *next = clv_alpha(&run->m->view, dart, letter.dim);
  return true;
}

// Orbits

typedef struct orbit_letters {
  apply_letter_value letter[RULE_LETTERS];
  uint32_t count;
} orbit_letters;

static bool named_dims(apply_run *run, const rule_tree *names, uint32_t *dims) {
  static const struct {
    const char *name;
    clv_orbit orbit;
  } known[] = {{"vertex", CLV_VERTEX}, {"edge", CLV_EDGE}, {"face", CLV_FACE},
               {"volume", CLV_VOLUME}, {"cell", CLV_CELL}, {"corner", CLV_CORNER}};
  *dims = CLV_COMPONENT;
  for (uint32_t k = 0; k < names->count; k++) {
    uint32_t o = 0;
    while (o < sizeof known / sizeof *known && strcmp(known[o].name, names->child[k]->name) != 0) o++;
    if (o == sizeof known / sizeof *known) return apply_wrong_type(run, names->child[k], "an orbit");
    *dims &= clv_orbit_dims(&run->m->view, known[o].orbit);
  }
  return true;
}

static void letters_of_dims(uint32_t dims, orbit_letters *letters) {
  letters->count = 0;
  for (uint32_t i = 0; i < 4; i++)
    if (dims >> i & 1u) letters->letter[letters->count++] = (apply_letter_value){.dim = (uint8_t)i};
}

static bool read_orbit(apply_run *run, const rule_tree *orbit, orbit_letters *letters) {
  letters->count = 0;
  if (orbit->kind != RULE_ORBIT) return apply_wrong_type(run, orbit, "an orbit");
  if (orbit->count == 1 && orbit->child[0]->kind == RULE_LIST) {
    uint32_t dims;
    if (!named_dims(run, orbit->child[0], &dims)) return false;
    letters_of_dims(dims, letters);
    return true;
  }
  if (orbit->count > RULE_LETTERS) return apply_wrong_type(run, orbit, "an orbit of four letters at the most");
  for (uint32_t k = 0; k < orbit->count; k++)
    if (!apply_read_letter(run, orbit->child[k], &letters->letter[letters->count++])) return false;
  return true;
}

static bool push(apply_run *run, apply_table *seen, clv_dart dart) {
  if (apply_table_find(seen, dart) != APPLY_NOT_FOUND) return true;
  if (!apply_table_put(&run->m->allocator, seen, dart, 1)) return apply_no_memory(run);
  if (!BASE_RESERVE(&run->m->allocator, &run->darts, (uint64_t)run->darts.count + 1)) return apply_no_memory(run);
  run->darts.data[run->darts.count++] = dart;
  return true;
}

// Appends the darts that letters lead to from a dart, those in `seen` excepted.
static bool walk_letters(apply_run *run, const orbit_letters *letters, apply_table *seen, clv_dart dart) {
  uint32_t at = run->darts.count;
  if (!push(run, seen, dart)) return false;
  for (; at < run->darts.count; at++)
    for (uint32_t k = 0; k < letters->count; k++) {
      clv_dart next;
      if (!apply_spend(run, 1) || !apply_take_letter(run, letters->letter[k], run->darts.data[at], &next)) return false;
      if (!push(run, seen, next)) return false;
    }
  return true;
}

bool apply_thin(apply_run *run, const rule_tree *own, uint32_t first) {
  const uint32_t end = run->darts.count;
  apply_table seen = {.slots = {0}};
  orbit_letters letters;
  uint32_t kept = first;
  bool done = read_orbit(run, own, &letters);
  for (uint32_t k = first; done && k < end; k++) {
    const clv_dart dart = run->darts.data[k];
    if (apply_table_find(&seen, dart) != APPLY_NOT_FOUND) continue;
    done = walk_letters(run, &letters, &seen, dart);
    run->darts.count = end;
    run->darts.data[kept++] = dart;
  }
  BASE_RELEASE(&run->m->allocator, &seen.slots);
  if (done) run->darts.count = kept;
  return done;
}

bool apply_orbit(apply_run *run, const rule_tree *orbit, const rule_tree *own, clv_dart dart) {
  const uint32_t first = run->darts.count;
  apply_table seen = {.slots = {0}};
  orbit_letters letters;
  const bool done = read_orbit(run, orbit, &letters) && walk_letters(run, &letters, &seen, dart);
  BASE_RELEASE(&run->m->allocator, &seen.slots);
  return done && (!own || apply_thin(run, own, first));
}

// The darts of a node at all positions: for a hook, its orbit.
bool apply_node_orbit(apply_run *run, const char *name, const rule_tree *own) {
  const apply_match *match = run->match;
  const uint32_t first = run->darts.count;
  for (uint32_t v = 0; v < match->graph->node_count; v++) {
    if (match->graph->node[v].name != name || !match->graph->node[v].side[RULE_LEFT].present) continue;
    if (!BASE_RESERVE(&run->m->allocator, &run->darts, (uint64_t)first + match->count)) return apply_no_memory(run);
    if (!apply_spend(run, match->count)) return false;
    for (uint32_t p = 0; p < match->count; p++)
      if (*apply_dart(match, p, v)) run->darts.data[run->darts.count++] = *apply_dart(match, p, v);
    return apply_thin(run, own, first);
  }
  return APPLY_FAIL(run, "'%s': '%.80s' is no node of the left side: write an orbit, <0,1>(d)", run->name, name);
}
