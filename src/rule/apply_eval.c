// Expressions of guards, new values and scripts.
//
// One small evaluator serves all three. It is given trees that were checked, and yet looks at every type itself: a
// wrong one is a refusal, never a wild read.

#include "rule/apply_eval.h"

#include "embed/embed.h"

#include <math.h>

enum { EVAL_DEPTH = 240 };

apply_datum apply_truth(bool holds) {
  return (apply_datum){.type = APPLY_TRUTH, .count = 1, .number = {holds ? 1 : 0}};
}

apply_datum apply_number(double number) {
  return (apply_datum){.type = APPLY_NUMBER, .count = 1, .number = {number}};
}

bool apply_wrong_type(apply_run *run, const rule_tree *tree, const char *wanted) {
  const rule_file *file = &run->program->files.data[tree->span.file];
  const uint32_t size = tree->span.end - tree->span.start;
  return APPLY_FAIL(run, "'%s': '%.*s' is not %s", run->name, (int)(size < 120 ? size : 120),
                    file->text + tree->span.start, wanted);
}

// Names

bool apply_bind(apply_run *run, const char *name, const apply_datum *value) {
  if (!BASE_RESERVE(&run->m->allocator, &run->bindings, (uint64_t)run->bindings.count + 1)) return apply_no_memory(run);
  run->bindings.data[run->bindings.count++] = (apply_binding){name, *value};
  return true;
}

static const apply_datum *look_up(const apply_run *run, const char *name) {
  for (uint32_t k = run->bindings.count; k > run->scope; k--)
    if (run->bindings.data[k - 1].name == name) return &run->bindings.data[k - 1].value;
  return NULL;
}

// Evaluates where none of the present names is known: parameters, and functions with their own arguments.
static bool evaluate_apart(apply_run *run, const rule_tree *tree, uint32_t scope, apply_datum *value) {
  const uint32_t outer = run->scope;
  run->scope = scope;
  const bool done = apply_evaluate(run, tree, value);
  run->scope = outer;
  return done;
}

static bool evaluate_name(apply_run *run, const rule_tree *tree, apply_datum *value) {
  const apply_datum *bound = look_up(run, tree->name);
  if (bound) {
    *value = *bound;
    return true;
  }
  if (!strcmp(tree->name, "true") || !strcmp(tree->name, "false")) {
    *value = apply_truth(tree->name[0] == 't');
    return true;
  }
  const rule_tree *declaration = rule_declaration(run->program, tree->name);
  if (declaration && declaration->kind == RULE_PARAM)
    return evaluate_apart(run, declaration->child[1], run->bindings.count, value);
  return APPLY_FAIL(run, "'%s': '%.80s' has no value here", run->name, tree->name);
}

// Numbers

bool apply_blend(apply_run *run, apply_datum *value) {
  const clv_column *column = run->blended;
  if (!column) return APPLY_FAIL(run, "'%s': a number is needed where a dart stands: name a column of it", run->name);
  const uint32_t rest = column->def.components - run->blended_first;
  const clv_dart dart = value->dart;
  *value = (apply_datum){.type = APPLY_VECTOR, .count = (uint8_t)(rest < APPLY_WIDTH ? rest : APPLY_WIDTH)};
  if (value->count == 1) value->type = APPLY_NUMBER;
  return apply_read(run, column, dart, run->blended_first, value->number);
}

bool apply_numbers_of(apply_run *run, const rule_tree *tree, apply_datum *value) {
  if (!apply_evaluate(run, tree, value)) return false;
  if (value->type == APPLY_DART && run->blended) return apply_blend(run, value);
  if (value->type >= APPLY_TRUTH && value->type <= APPLY_VECTOR) return true;
  return apply_wrong_type(run, tree, "a number");
}

bool apply_number_of(apply_run *run, const rule_tree *tree, double *number) {
  apply_datum value;
  if (!apply_numbers_of(run, tree, &value)) return false;
  if (value.count != 1) return apply_wrong_type(run, tree, "one number");
  *number = value.number[0];
  return true;
}

bool apply_condition(apply_run *run, const rule_tree *tree, bool *holds) {
  double number = 0;
  if (!apply_number_of(run, tree, &number)) return false;
  *holds = number != 0;
  return true;
}

bool apply_dart_of(apply_run *run, const rule_tree *tree, clv_dart *dart) {
  apply_datum value;
  if (!apply_evaluate(run, tree, &value)) return false;
  if (value.type != APPLY_DART) return apply_wrong_type(run, tree, "a dart");
  if (!clv_dart_alive(&run->m->view, value.dart)) return apply_wrong_type(run, tree, "a dart that exists still");
  *dart = value.dart;
  return true;
}

// Operators

static bool compare(apply_run *run, const rule_tree *tree, const apply_datum *a, const apply_datum *b,
                    apply_datum *value) {
  const char *sign = tree->name;
  const bool equality = sign[0] == '=' || sign[0] == '!';
  if (a->type == APPLY_DART && b->type == APPLY_DART && equality) {
    *value = apply_truth((a->dart == b->dart) == (sign[0] == '='));
    return true;
  }
  if (a->type == APPLY_DART || b->type == APPLY_DART) return apply_wrong_type(run, tree, "a comparison of two numbers");
  if (a->count != b->count || (!equality && a->count != 1))
    return apply_wrong_type(run, tree, "a comparison of two numbers");
  bool equal = true;
  for (uint32_t k = 0; k < a->count; k++) equal = equal && a->number[k] == b->number[k];
  const double x = a->number[0], y = b->number[0];
  const bool or_equal = sign[1] == '=';
  *value = apply_truth(equality         ? equal == (sign[0] == '=')
                       : sign[0] == '<' ? (or_equal ? x <= y : x < y)
                                        : (or_equal ? x >= y : x > y));
  return true;
}

static double combine(char sign, double x, double y) {
  switch (sign) {
  case '+':
    return x + y;
  case '-':
    return x - y;
  case '*':
    return x * y;
  case '/':
    return x / y;
  default:
    return pow(x, y);
  }
}

static bool calculate(apply_run *run, const rule_tree *tree, const apply_datum *a, const apply_datum *b,
                      apply_datum *value) {
  const char sign = tree->name[0];
  const bool scales =
      (sign == '*' && (a->count == 1 || b->count == 1)) || ((sign == '/' || sign == '^') && b->count == 1);
  if ((a->count != b->count && !scales) || (sign == '^' && a->count != 1) || (sign == '*' && !scales))
    return apply_wrong_type(run, tree, "an operation on numbers that fit together");
  const uint8_t count = a->count > b->count ? a->count : b->count;
  *value = (apply_datum){.type = count == 1 ? APPLY_NUMBER : APPLY_VECTOR, .count = count};
  for (uint32_t k = 0; k < count; k++)
    value->number[k] = combine(sign, a->number[a->count == 1 ? 0 : k], b->number[b->count == 1 ? 0 : k]);
  return true;
}

static bool evaluate_binary(apply_run *run, const rule_tree *tree, apply_datum *value) {
  if (tree->name[0] == '&' || tree->name[0] == '|') {
    bool holds;
    if (!apply_condition(run, tree->child[0], &holds)) return false;
    if (holds == (tree->name[0] == '&') && !apply_condition(run, tree->child[1], &holds)) return false;
    *value = apply_truth(holds);
    return true;
  }
  apply_datum a, b;
  const bool compares = strchr("=!<>", tree->name[0]) != NULL;
  if (compares && !run->blended) {
    if (!apply_evaluate(run, tree->child[0], &a) || !apply_evaluate(run, tree->child[1], &b)) return false;
    if (a.type == APPLY_PATH || b.type == APPLY_PATH || a.type == APPLY_NOTHING || b.type == APPLY_NOTHING)
      return apply_wrong_type(run, tree, "a comparison of two numbers or two darts");
    return compare(run, tree, &a, &b, value);
  }
  if (!apply_numbers_of(run, tree->child[0], &a) || !apply_numbers_of(run, tree->child[1], &b)) return false;
  return compares ? compare(run, tree, &a, &b, value) : calculate(run, tree, &a, &b, value);
}

static bool evaluate_unary(apply_run *run, const rule_tree *tree, apply_datum *value) {
  if (tree->name[0] == '!') {
    bool holds;
    if (!apply_condition(run, tree->child[0], &holds)) return false;
    *value = apply_truth(!holds);
    return true;
  }
  if (!apply_numbers_of(run, tree->child[0], value)) return false;
  if (value->type == APPLY_TRUTH) value->type = APPLY_NUMBER;
  for (uint32_t k = 0; k < value->count; k++) value->number[k] = -value->number[k];
  return true;
}

static bool evaluate_vector(apply_run *run, const rule_tree *tree, apply_datum *value) {
  if (tree->count > APPLY_WIDTH) return apply_wrong_type(run, tree, "a vector of nine numbers at the most");
  *value = (apply_datum){.type = APPLY_VECTOR, .count = (uint8_t)tree->count};
  for (uint32_t k = 0; k < tree->count; k++)
    if (!apply_number_of(run, tree->child[k], &value->number[k])) return false;
  return true;
}

static bool evaluate_index(apply_run *run, const rule_tree *tree, apply_datum *value) {
  apply_datum all;
  double at;
  if (!apply_numbers_of(run, tree->child[0], &all) || !apply_number_of(run, tree->child[1], &at)) return false;
  if (rule_there(tree->child[2]) || !(at >= 0 && at < all.count)) return apply_wrong_type(run, tree, "in the vector");
  *value = apply_number(all.number[(uint32_t)at]);
  return true;
}

// Darts

static bool evaluate_step(apply_run *run, const rule_tree *tree, apply_datum *value) {
  clv_dart dart;
  apply_letter_value letter;
  if (!apply_dart_of(run, tree->child[0], &dart) || !apply_read_letter(run, tree->child[1], &letter)) return false;
  *value = (apply_datum){.type = APPLY_DART};
  return apply_take_letter(run, letter, dart, &value->dart);
}

static bool evaluate_field(apply_run *run, const rule_tree *tree, apply_datum *value) {
  const rule_tree *of = tree->child[0];
  if (of->kind == RULE_CALL && run->statements && apply_is_rule(run->program, of->name))
    return apply_call(run, of, tree->name, value);
  clv_dart dart;
  clv_column *column;
  const rule_tree *declaration = rule_declaration(run->program, tree->name);
  if (declaration && declaration->kind == RULE_DERIVE)
    return APPLY_FAIL(run, "'%s': '%.80s' is derived, and not known while the map changes", run->name, tree->name);
  if (!apply_dart_of(run, of, &dart) || !apply_column(run, tree->name, &column)) return false;
  if (column->def.components > APPLY_WIDTH)
    return APPLY_FAIL(run, "'%s': column '%.80s' is wider than %d numbers", run->name, tree->name, APPLY_WIDTH);
  *value = (apply_datum){.type = column->def.components == 1 ? APPLY_NUMBER : APPLY_VECTOR,
                         .count = (uint8_t)column->def.components};
  return apply_read(run, column, dart, 0, value->number);
}

static bool evaluate_within(apply_run *run, const rule_tree *tree, apply_datum *value) {
  clv_dart dart = CLV_NO_DART;
  const uint32_t first = run->darts.count;
  if (!apply_dart_of(run, tree->child[1], &dart) || !apply_orbit(run, tree->child[0], NULL, dart)) return false;
  *value = (apply_datum){.type = APPLY_PATH, .first = first, .length = run->darts.count - first};
  return true;
}

static bool evaluate_in(apply_run *run, const rule_tree *tree, apply_datum *value) {
  clv_dart dart;
  apply_datum orbit;
  bool found = false;
  if (!apply_dart_of(run, tree->child[0], &dart) || !evaluate_within(run, tree->child[1], &orbit)) return false;
  for (uint32_t k = 0; k < orbit.length && !found; k++) found = run->darts.data[orbit.first + k] == dart;
  *value = apply_truth(found);
  return true;
}

// Going on from a dart until something holds; it must hold before the walk is back where it began.
static bool evaluate_walk(apply_run *run, const rule_tree *tree, apply_datum *value) {
  const apply_datum *start = look_up(run, tree->name);
  const uint32_t bindings = run->bindings.count;
  if (!start || start->type != APPLY_DART) return apply_wrong_type(run, tree, "a walk from a dart");
  const clv_dart first = start->dart;
  *value = *start;
  for (;;) {
    bool holds;
    if (!apply_spend(run, 1) || !apply_bind(run, tree->name, value)) return false;
    if (!clv_dart_alive(&run->m->view, value->dart))
      return apply_wrong_type(run, tree, "a walk from a dart that exists");
    if (!apply_condition(run, tree->child[1], &holds)) return false;
    run->bindings.count = bindings;
    if (holds) return true;
    for (uint32_t k = 0; k < tree->child[0]->count; k++) {
      apply_letter_value letter;
      if (!apply_read_letter(run, tree->child[0]->child[k], &letter)) return false;
      if (!apply_take_letter(run, letter, value->dart, &value->dart)) return false;
    }
    if (value->dart == first) return APPLY_FAIL(run, "'%s': a walk from dart %u finds nothing", run->name, first);
  }
}

// Reductions

// The darts that a reduction goes over: those of an orbit that is written, of a path, or of a node's own orbit.
static bool gather(apply_run *run, const rule_tree *of, const rule_tree *own) {
  if (of->kind == RULE_WITHIN) {
    clv_dart dart = CLV_NO_DART;
    return apply_dart_of(run, of->child[1], &dart) && apply_orbit(run, of->child[0], own, dart);
  }
  if (of->kind == RULE_NAME && run->match) return apply_node_orbit(run, of->name, own);
  return apply_wrong_type(run, of, "an orbit: write <0,1>(d)");
}

// Sum and mean begin with nothing, max and min with the first term.
static double join(const rule_tree *tree, double so_far, double term, uint32_t k) {
  const bool least = !strcmp(tree->name, "min"), greatest = !strcmp(tree->name, "max");
  if (!least && !greatest) return so_far + term;
  if (k == 0) return term;
  return least ? fmin(so_far, term) : fmax(so_far, term);
}

static bool reduce(apply_run *run, const rule_tree *tree, uint32_t first, uint32_t count, apply_datum *value) {
  const uint32_t bindings = run->bindings.count;
  *value = apply_number(tree->name[0] == 'c' ? count : 0);
  for (uint32_t k = 0; k < count && tree->name[0] != 'c'; k++) {
    const apply_datum dart = {.type = APPLY_DART, .dart = run->darts.data[first + k]};
    apply_datum term;
    if (!apply_bind(run, tree->child[0]->name, &dart) || !apply_numbers_of(run, tree->child[2], &term)) return false;
    run->bindings.count = bindings;
    if (k == 0) *value = (apply_datum){.type = term.count == 1 ? APPLY_NUMBER : APPLY_VECTOR, .count = term.count};
    if (term.count != value->count) return apply_wrong_type(run, tree, "a sum of values that fit together");
    for (uint32_t c = 0; c < term.count; c++) value->number[c] = join(tree, value->number[c], term.number[c], k);
  }
  for (uint32_t c = 0; c < value->count && !strcmp(tree->name, "mean"); c++) value->number[c] /= count;
  return true;
}

static bool evaluate_reduce(apply_run *run, const rule_tree *tree, apply_datum *value) {
  const uint32_t first = run->darts.count;
  const rule_tree *place = tree->child[0];
  if (!place->name || place->child[0]->kind != RULE_ORBIT)
    return apply_wrong_type(run, place, "a variable and its orbit");
  return gather(run, tree->child[1], place->child[0]) && reduce(run, tree, first, run->darts.count - first, value);
}

// Calls

static bool call_def(apply_run *run, const rule_tree *def, const rule_tree *call, apply_datum *value) {
  const rule_tree *names = def->child[0];
  const uint32_t bindings = run->bindings.count;
  if (call->count != names->count)
    return APPLY_FAIL(run, "'%s': function '%.80s' takes %u arguments, not %u", run->name, def->name, names->count,
                      call->count);
  // Arguments get their names once all are known: the next one may speak of a name of the caller's that is the same.
  for (uint32_t k = 0; k < call->count; k++) {
    apply_datum argument;
    if (!apply_evaluate(run, call->child[k], &argument) || !apply_bind(run, NULL, &argument)) return false;
  }
  for (uint32_t k = 0; k < call->count; k++) run->bindings.data[bindings + k].name = names->child[k]->name;
  const bool done = evaluate_apart(run, def->child[1], bindings, value);
  run->bindings.count = bindings;
  return done;
}

static bool evaluate_call(apply_run *run, const rule_tree *tree, apply_datum *value) {
  const rule_tree *declaration = rule_declaration(run->program, tree->name);
  if (declaration && declaration->kind == RULE_DEF) return call_def(run, declaration, tree, value);
  if (apply_is_rule(run->program, tree->name)) {
    if (run->statements) return apply_call(run, tree, NULL, value);
    return APPLY_FAIL(run, "'%s': '%.80s' changes the map and cannot be asked here", run->name, tree->name);
  }
  return apply_builtin(run, tree, value);
}

static bool evaluate_kind(apply_run *run, const rule_tree *tree, apply_datum *value) {
  switch (tree->kind) {
  case RULE_NAME:
    return evaluate_name(run, tree, value);
  case RULE_NUMBER:
    *value = apply_number(tree->number);
    return true;
  case RULE_CALL:
    return evaluate_call(run, tree, value);
  case RULE_FIELD:
    return evaluate_field(run, tree, value);
  case RULE_STEP:
    return evaluate_step(run, tree, value);
  case RULE_INDEX:
    return evaluate_index(run, tree, value);
  case RULE_UNARY:
    return evaluate_unary(run, tree, value);
  case RULE_BINARY:
    return evaluate_binary(run, tree, value);
  case RULE_WITHIN:
    return evaluate_within(run, tree, value);
  case RULE_IN:
    return evaluate_in(run, tree, value);
  case RULE_REDUCE:
    return evaluate_reduce(run, tree, value);
  case RULE_WALK:
    return evaluate_walk(run, tree, value);
  case RULE_VECTOR:
    return evaluate_vector(run, tree, value);
  default:
    return apply_wrong_type(run, tree, "something that rules and scripts can work out");
  }
}

bool apply_evaluate(apply_run *run, const rule_tree *tree, apply_datum *value) {
  const uint32_t darts = run->darts.count;
  if (run->depth >= EVAL_DEPTH) return APPLY_FAIL(run, "'%s' is nested too deeply", run->name);
  run->depth++;
  value->type = APPLY_NOTHING;
  const bool done = apply_spend(run, 1) && evaluate_kind(run, tree, value);
  run->depth--;
  if (done && value->type != APPLY_PATH) run->darts.count = darts;
  return done;
}
