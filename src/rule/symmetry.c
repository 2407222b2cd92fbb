// A value at position p, and the same text read at a neighbour position: equal when their trees agree, up to the order
// of what commutes, and their darts are in the same orbits of the columns they are read from.
//
// A dart is a node of the left side (or the variable of a reduction), a word of columns that says at which position,
// and letters that lead out of the rule. Two darts are in one orbit if a bounded search over its dimensions finds one
// from the other.

#include "rule/symmetry.h"

#include "rule/orbit.h"

enum { STATES = 96, LETTERS = 8, BUDGET = 50000, DEPTH = 200, VARIABLE = 0xFF };

// What names mean: the arguments of a function that is being read stand for trees in an outer scope, the variable of a
// reduction for a dart that has a number.
typedef struct scope {
  const rule_tree *names, *arguments;
  const char *bound;
  uint32_t number;
  const struct scope *outer;
} scope;

typedef struct reading {
  const clv_program *program;
  const rule_graph *graph;
  rule_group group;
  uint32_t dims, dimension, budget, depth, variables;
  // The transformation of the first of two trees: across a column, or a step of a variable.
  uint32_t variable; // 0: across `column`
  uint32_t column;
  rule_letter step;
} reading;

typedef struct dart {
  uint8_t node; // VARIABLE: `variable`
  uint32_t variable;
  rule_word word;
  uint8_t length;
  rule_letter letter[LETTERS];
} dart;

static bool same_letter(rule_letter a, rule_letter b) {
  return a.dim == b.dim && a.level == b.level && a.plus == b.plus;
}

// Names

// Follows a name to what it stands for. *number is that of a variable, 0 for anything else.
static const rule_tree *resolve(const rule_tree *tree, const scope **in, uint32_t *number) {
  *number = 0;
  while (tree->kind == RULE_NAME && *in) {
    const scope *here = *in;
    *in = here->outer;
    if (here->bound == tree->name) {
      *number = here->number;
      return tree;
    }
    if (here->bound) continue;
    uint32_t k = 0;
    while (k < here->names->count && here->names->child[k]->name != tree->name) k++;
    if (k == here->names->count) return tree; // a function sees its arguments only
    tree = here->arguments->child[k];
  }
  return tree;
}

static int node_of(const rule_graph *graph, const char *name) {
  for (uint32_t k = 0; k < graph->node_count; k++)
    if (graph->node[k].name == name) return (int)k;
  return -1;
}

static bool is_dart(const reading *r, const rule_tree *tree, const scope *in) {
  uint32_t number;
  tree = resolve(tree, &in, &number);
  while (tree->kind == RULE_STEP) tree = resolve(tree->child[0], &in, &number);
  return tree->kind == RULE_NAME && (number || node_of(r->graph, tree->name) >= 0);
}

// Darts

// One step of a plain letter or one at a level: over what the left side says, otherwise out of the rule.
static bool take_step(const rule_graph *graph, dart *d, rule_letter letter) {
  if (d->length && same_letter(d->letter[d->length - 1], letter) && letter.level < 0) {
    d->length--;
    return true;
  }
  if (d->length == 0 && d->node != VARIABLE) {
    const rule_tie tie = graph->node[d->node].side[RULE_LEFT].tie[letter.dim];
    const bool said = tie.known == RULE_ALONG || tie.known == RULE_ARC_TO;
    if (said && same_letter(tie.letter, letter)) {
      if (tie.known == RULE_ARC_TO) {
        d->node = tie.at;
        return true;
      }
      if (d->word.length == RULE_WORD_LENGTH) return false;
      d->word.column[d->word.length++] = tie.at;
      return true;
    }
  }
  if (d->length == LETTERS) return false;
  d->letter[d->length++] = letter;
  return true;
}

static bool read_level(const reading *r, const rule_tree *level, rule_letter *letter) {
  const rule_tree *name = level;
  if (level->kind == RULE_BINARY && level->child[1]->kind == RULE_NUMBER && strcmp(level->name, "+") == 0) {
    const double plus = level->child[1]->number;
    if (!(plus >= 0 && plus <= 100)) return false;
    name = level->child[0];
    letter->plus = (int8_t)plus;
  }
  for (uint32_t k = 0; name->kind == RULE_NAME && k < r->graph->parameter_count; k++)
    if (r->graph->parameter[k].name == name->name) {
      letter->level = (int8_t)k;
      return true;
    }
  return false;
}

static bool read_letter(const reading *r, const rule_tree *tree, rule_letter *letter) {
  *letter = (rule_letter){.dim = (int8_t)tree->number, .level = -1};
  return tree->count == 0 || !rule_there(tree->child[0]) || read_level(r, tree->child[0], letter);
}

// Reads a name with steps behind it, transformed or not.
static bool read_dart(const reading *r, const rule_tree *tree, const scope *in, bool transform, dart *d) {
  const rule_tree *steps[LETTERS * 2];
  uint32_t count = 0, number;
  tree = resolve(tree, &in, &number);
  while (tree->kind == RULE_STEP) {
    if (count == LETTERS * 2) return false;
    steps[count++] = tree->child[1];
    tree = resolve(tree->child[0], &in, &number);
  }
  if (tree->kind != RULE_NAME) return false;
  const int node = number ? -1 : node_of(r->graph, tree->name);
  if (!number && node < 0) return false;
  *d = (dart){.node = number ? VARIABLE : (uint8_t)node, .variable = number};
  if (!number && transform && !r->variable) d->word = (rule_word){1, {(uint8_t)r->column}};
  if (number && transform && r->variable == number && !take_step(r->graph, d, r->step)) return false;
  for (; count > 0; count--) {
    rule_letter letter;
    if (!read_letter(r, steps[count - 1], &letter) || !take_step(r->graph, d, letter)) return false;
  }
  return true;
}

static bool same_place(reading *r, const dart *a, const dart *b) {
  if (r->budget == 0) return false;
  r->budget--;
  if (a->node != b->node || a->variable != b->variable || a->length != b->length) return false;
  for (uint32_t k = 0; k < a->length; k++)
    if (!same_letter(a->letter[k], b->letter[k])) return false;
  rule_word both = a->word;
  if (a->word.length + b->word.length > RULE_WORD_LENGTH) return false;
  for (uint32_t k = b->word.length; k > 0; k--) both.column[both.length++] = b->word.column[k - 1];
  return rule_word_trivial(&r->group, both);
}

typedef struct darts {
  uint32_t count;
  dart dart[STATES];
} darts;

static void add_dart(reading *r, darts *found, const dart *d) {
  for (uint32_t k = 0; k < found->count; k++)
    if (same_place(r, &found->dart[k], d)) return;
  if (found->count < STATES) found->dart[found->count++] = *d;
}

// Letters that commute change places; one that comes to the front may be said by the left side.
static void add_swaps(reading *r, darts *found, const dart *d) {
  for (uint32_t k = 0; k + 1 < d->length; k++) {
    const rule_letter a = d->letter[k], b = d->letter[k + 1];
    const int apart = a.dim - b.dim;
    if (a.level >= 0 || b.level >= 0 || (apart < 2 && apart > -2)) continue;
    dart swapped = *d;
    swapped.letter[k] = b;
    swapped.letter[k + 1] = a;
    dart again = swapped;
    again.length = 0;
    bool read = true;
    for (uint32_t j = 0; read && j < swapped.length; j++) read = take_step(r->graph, &again, swapped.letter[j]);
    if (read) add_dart(r, found, &again);
  }
}

static bool same_orbit(reading *r, const dart *a, const dart *b, uint32_t dims) {
  darts found = {0};
  add_dart(r, &found, a);
  for (uint32_t k = 0; k < found.count; k++) {
    if (same_place(r, &found.dart[k], b)) return true;
    add_swaps(r, &found, &found.dart[k]);
    for (uint32_t i = 0; i < RULE_DIMS; i++) {
      dart next = found.dart[k];
      if ((dims >> i & 1) && take_step(r->graph, &next, (rule_letter){(int8_t)i, -1, 0})) add_dart(r, &found, &next);
    }
  }
  return false;
}

static bool same_darts(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b,
                       uint32_t dims) {
  dart first, second;
  return read_dart(r, a, in_a, true, &first) && read_dart(r, b, in_b, false, &second) &&
         same_orbit(r, &first, &second, dims);
}

// Trees

static bool same(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b);

enum { TERMS = 32 };

typedef struct terms {
  uint32_t count;
  const rule_tree *tree[TERMS];
  const scope *in[TERMS];
} terms;

static bool add_term(terms *list, const rule_tree *tree, const scope *in) {
  if (list->count == TERMS) return false;
  list->tree[list->count] = tree;
  list->in[list->count++] = in;
  return true;
}

// The terms of a + b + c, or a * b * c.
static bool collect(const rule_tree *tree, const scope *in, const char *sign, terms *list) {
  while (tree->kind == RULE_BINARY && tree->name == sign) {
    if (!add_term(list, tree->child[1], in)) return false;
    tree = tree->child[0];
  }
  return add_term(list, tree, in);
}

// The same terms in any order. Equality is transitive, so that the first match is as good as any.
static bool same_terms(reading *r, const terms *a, terms *b) {
  if (a->count != b->count) return false;
  for (uint32_t k = 0; k < a->count; k++) {
    uint32_t j = k;
    while (j < b->count && !same(r, a->tree[k], a->in[k], b->tree[j], b->in[j])) j++;
    if (j == b->count) return false;
    b->tree[j] = b->tree[k];
    b->in[j] = b->in[k];
  }
  return true;
}

static bool same_children(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  if (a->count != b->count) return false;
  for (uint32_t k = 0; k < a->count; k++)
    if (!same(r, a->child[k], in_a, b->child[k], in_b)) return false;
  return true;
}

static bool same_unordered(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  terms first = {0}, second = {0};
  for (uint32_t k = 0; k < a->count; k++)
    if (!add_term(&first, a->child[k], in_a)) return false;
  for (uint32_t k = 0; k < b->count; k++)
    if (!add_term(&second, b->child[k], in_b)) return false;
  return same_terms(r, &first, &second);
}

static bool is_one_of(const char *name, const char *const *names) {
  for (; *names; names++)
    if (strcmp(name, *names) == 0) return true;
  return false;
}

static bool same_binary(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  static const char *const chains[] = {"+", "*", "&&", "||", NULL}, *const pairs[] = {"==", "!=", NULL};
  if (a->name != b->name) return false;
  if (is_one_of(a->name, pairs)) return same_unordered(r, a, in_a, b, in_b);
  if (!is_one_of(a->name, chains)) return same_children(r, a, in_a, b, in_b);
  terms first = {0}, second = {0};
  return collect(a, in_a, a->name, &first) && collect(b, in_b, b->name, &second) && same_terms(r, &first, &second);
}

static bool is_difference(const rule_tree *tree) {
  return tree->kind == RULE_BINARY && strcmp(tree->name, "-") == 0;
}

static bool commutes_with(uint32_t i, uint32_t dims) {
  return !(dims & (7u << i >> 1));
}

// The links that lead to darts that are free in a dimension if and only if this one is: its own, and those that
// commute.
static uint32_t free_alike(const rule_tree *dimension) {
  if (dimension->kind != RULE_NUMBER || !(dimension->number >= 0 && dimension->number < RULE_DIMS)) return 0;
  const uint32_t i = (uint32_t)dimension->number, all = (1u << RULE_DIMS) - 1u;
  return (all & ~(7u << i >> 1)) | 1u << i;
}

static bool same_call(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  static const char *const unordered[] = {"mean", "min", "max", "dot", NULL}, *const even[] = {"norm", "abs", NULL};
  const rule_tree *def = rule_declaration(r->program, a->name);
  if (a->name != b->name || a->count != b->count) return false;
  if (def && def->kind == RULE_DEF && def->child[0]->count == a->count) {
    const scope inner_a = {.names = def->child[0], .arguments = a, .outer = in_a};
    const scope inner_b = {.names = def->child[0], .arguments = b, .outer = in_b};
    return same(r, def->child[1], &inner_a, def->child[1], &inner_b);
  }
  if (is_one_of(a->name, unordered)) return same_unordered(r, a, in_a, b, in_b);
  if (a->count == 1 && is_one_of(a->name, even) && is_difference(a->child[0]) && is_difference(b->child[0]))
    return same_unordered(r, a->child[0], in_a, b->child[0], in_b);
  if (strcmp(a->name, "free") == 0 && a->count == 2)
    return same(r, a->child[1], in_a, b->child[1], in_b) &&
           same_darts(r, a->child[0], in_a, b->child[0], in_b, free_alike(a->child[1]));
  if (strcmp(a->name, "side") == 0) return same_darts(r, a->child[0], in_a, b->child[0], in_b, 0);
  return same_children(r, a, in_a, b, in_b);
}

static bool same_orbits(const rule_tree *a, const rule_tree *b) {
  if (a->kind != b->kind || a->count != b->count || a->name != b->name || a->number != b->number) return false;
  for (uint32_t k = 0; k < a->count; k++)
    if (!same_orbits(a->child[k], b->child[k])) return false;
  return true;
}

static bool is_at_level(const rule_tree *letter) {
  return letter->kind == RULE_LETTER && letter->count && rule_there(letter->child[0]);
}

// The dimensions of an orbit whose letters are links; those at levels are left out, and *levels says so.
static uint32_t plain_dims(const reading *r, const rule_tree *orbit, bool *levels) {
  uint32_t dims = rule_orbit_dims(orbit, r->dimension);
  *levels = false;
  for (uint32_t k = 0; k < orbit->count; k++) {
    if (!is_at_level(orbit->child[k])) continue;
    *levels = true;
    dims &= ~(1u << (uint32_t)orbit->child[k]->number);
  }
  return dims;
}

// Whether what is summed is the same from a neighbour of the variable, which `in` binds.
static bool same_along(reading *r, const rule_tree *reduce, const scope *in, uint32_t i) {
  reading along = *r;
  along.variable = in->number;
  along.step = (rule_letter){(int8_t)i, -1, 0};
  const bool agree = same(&along, reduce->child[2], in, reduce->child[2], in);
  r->budget = along.budget;
  r->variables = along.variables;
  return agree;
}

// What is summed must not depend on which dart stands for a sub-orbit either.
static bool sub_orbits_agree(reading *r, const rule_tree *reduce, const scope *in) {
  bool levels;
  const uint32_t dims = plain_dims(r, reduce->child[0]->child[0], &levels);
  for (uint32_t i = 0; i < RULE_DIMS && !levels; i++)
    if ((dims >> i & 1) && !same_along(r, reduce, in, i)) return false;
  return !levels;
}

// The same orbit; or one that a link joins to it dart by dart, if the link commutes with the orbit and does not change
// what is summed: the corners of a face are those of its other side.
static bool same_within(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  const rule_tree *of_a = a->child[1], *of_b = b->child[1];
  bool levels, own_levels;
  const uint32_t dims = plain_dims(r, of_a->child[0], &levels);
  dart first, second;
  if (!same_orbits(of_a->child[0], of_b->child[0])) return false;
  if (!read_dart(r, of_a->child[1], in_a->outer, true, &first)) return false;
  if (!read_dart(r, of_b->child[1], in_b->outer, false, &second)) return false;
  if (same_orbit(r, &first, &second, dims)) return true;
  const uint32_t own = plain_dims(r, a->child[0]->child[0], &own_levels);
  for (uint32_t i = 0; i < RULE_DIMS && !levels && !own_levels; i++) {
    dart beyond = first;
    if (!commutes_with(i, dims | own) || !take_step(r->graph, &beyond, (rule_letter){(int8_t)i, -1, 0})) continue;
    if (same_orbit(r, &beyond, &second, dims) && same_along(r, b, in_b, i)) return true;
  }
  return false;
}

static bool same_reduce(reading *r, const rule_tree *a, const scope *out_a, const rule_tree *b, const scope *out_b) {
  const rule_tree *of_a = a->child[1], *of_b = b->child[1];
  if (a->name != b->name || of_a->kind != of_b->kind || !a->child[0]->name || !b->child[0]->name) return false;
  if (!same_orbits(a->child[0]->child[0], b->child[0]->child[0])) return false;
  const uint32_t number = ++r->variables;
  const scope in_a = {.bound = a->child[0]->name, .number = number, .outer = out_a};
  const scope in_b = {.bound = b->child[0]->name, .number = number, .outer = out_b};
  if (of_a->kind == RULE_WITHIN) {
    if (!same_within(r, a, &in_a, b, &in_b)) return false;
  } else if (of_a->kind != RULE_NAME || of_a->name != of_b->name || out_a || out_b) {
    return false; // a node's own orbit is that of every position
  }
  if (strcmp(a->name, "count") == 0) return true;
  if (!r->variable && !sub_orbits_agree(r, b, &in_b)) return false;
  return same(r, a->child[2], &in_a, b->child[2], &in_b);
}

static bool same_field(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  const rule_tree *column = rule_declaration(r->program, a->name);
  if (a->name != b->name || !column || column->kind != RULE_EMBED) return false;
  const uint32_t dims = rule_orbit_dims(column->child[1], r->dimension) | (r->dimension == 2 ? 1u << 3 : 0);
  return same_darts(r, a->child[0], in_a, b->child[0], in_b, dims);
}

static bool same_kind(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  uint32_t number;
  if (is_dart(r, a, in_a) && is_dart(r, b, in_b)) return same_darts(r, a, in_a, b, in_b, r->dims);
  a = resolve(a, &in_a, &number);
  b = resolve(b, &in_b, &number);
  if (a->kind != b->kind) return false;
  switch (a->kind) {
  case RULE_NUMBER:
    return a->number == b->number;
  case RULE_NAME:
    return a->name == b->name;
  case RULE_FIELD:
    return same_field(r, a, in_a, b, in_b);
  case RULE_CALL:
    return same_call(r, a, in_a, b, in_b);
  case RULE_BINARY:
    return same_binary(r, a, in_a, b, in_b);
  case RULE_REDUCE:
    return same_reduce(r, a, in_a, b, in_b);
  case RULE_UNARY:
    return a->name == b->name && same_children(r, a, in_a, b, in_b);
  case RULE_NONE:
    return true;
  case RULE_INDEX:
  case RULE_VECTOR:
    return same_children(r, a, in_a, b, in_b);
  default:
    return false;
  }
}

static bool same(reading *r, const rule_tree *a, const scope *in_a, const rule_tree *b, const scope *in_b) {
  if (r->budget == 0 || r->depth == DEPTH) return false;
  r->budget--;
  r->depth++;
  const bool agree = same_kind(r, a, in_a, b, in_b);
  r->depth--;
  return agree;
}

bool rule_value_symmetric(clv_program *program, const rule_graph *graph, const rule_tree *value, uint32_t column,
                          uint32_t dims, uint32_t dimension) {
  // In two dimensions a3 leads nowhere.
  if (dimension == 2) dims |= 1u << 3;
  reading r = {
      .program = program, .graph = graph, .dims = dims, .dimension = dimension, .budget = BUDGET, .column = column};
  rule_group_make(&r.group, graph);
  return same(&r, value, NULL, value, NULL);
}
