// Expressions: names, numbers, operators, indices.

#include "rule/elaborate.h"

#include <math.h>

static const law_value bad = {0};

law_value law_number(law_maker *m, double value) {
  law_value number = {.sort = LAW_NUMBER, .rows = 1, .columns = 1, .whole = value == floor(value)};
  number.unit.any = value == 0;
  number.s[0] = dag_const(m->graph, value);
  return number;
}

static law_value condition(dag_ref node) {
  return (law_value){.sort = LAW_BOOL, .rows = 1, .columns = 1, .s = {node}};
}

// Names

static law_binding *new_binding(law_maker *m, law_binding *scope, const char *name) {
  law_binding *binding = base_arena_take(&m->arena, sizeof *binding);
  if (!binding) {
    m->program->no_memory = m->failed = true;
    return NULL;
  }
  binding->next = binding->scope = scope;
  binding->name = name;
  binding->in_sum = m->in_sum;
  return binding;
}

law_binding *law_bind(law_maker *m, law_binding *scope, const char *name, const rule_tree *tree) {
  law_binding *binding = new_binding(m, scope, name);
  if (!binding) return scope;
  binding->tree = tree;
  return binding;
}

law_binding *law_bind_value(law_maker *m, law_binding *scope, const char *name, const law_value *value) {
  law_binding *binding = new_binding(m, scope, name);
  if (!binding) return scope;
  binding->done[0] = binding->done[1] = true;
  binding->value[0] = binding->value[1] = *value;
  return binding;
}

law_value law_bound(law_maker *m, law_binding *binding) {
  const uint32_t mode = m->rest;
  if (!binding->done[mode]) {
    const bool in_sum = m->in_sum;
    m->in_sum = binding->in_sum;
    binding->value[mode] = law_evaluate(m, binding->scope, binding->tree);
    binding->done[mode] = true;
    m->in_sum = in_sum;
  }
  return binding->value[mode];
}

static law_value evaluate_name(law_maker *m, law_binding *scope, const rule_tree *tree) {
  for (law_binding *at = scope; at; at = at->next)
    if (at->name == tree->name && !at->function) return law_bound(m, at);
  const rule_tree *declared = rule_declaration(m->program, tree->name);
  if (declared && declared->kind == RULE_PARAM) return law_read_param(m, declared, tree->span);
  if (law_is(tree->name, "I")) {
    law_value identity = law_number(m, 1);
    identity.sort = LAW_IDENTITY;
    return identity;
  }
  if (law_is(tree->name, "pi")) return law_number(m, 3.14159265358979323846);
  if (law_is(tree->name, "true") || law_is(tree->name, "false"))
    return condition(dag_const(m->graph, law_is(tree->name, "true")));
  if (declared && (declared->kind == RULE_EMBED || declared->kind == RULE_DERIVE))
    LAW_COMPLAIN(m, 'T', tree->span, "'%.60s' lives on an orbit|say at which dart: x.%.60s", tree->name, tree->name);
  else
    LAW_COMPLAIN(m, 'T', tree->span, "there is no '%.60s' here|declare it with let, def or param", tree->name);
  return bad;
}

// Operators

bool law_expect(law_maker *m, const law_value *value, uint32_t rows, uint32_t columns, const char *what,
                rule_span span) {
  if (value->sort == LAW_BAD) return false;
  if (value->sort == LAW_NUMBER && (!rows || value->rows == rows) && (!columns || value->columns == columns))
    return true;
  char text[32];
  LAW_COMPLAIN(m, 'T', span, "%s is expected, not %s|check the formula", what, law_sort_name(value, text));
  return false;
}

law_value law_sized_identity(law_maker *m, const law_value *identity, uint32_t size) {
  law_value matrix = *identity;
  matrix.sort = LAW_NUMBER;
  matrix.rows = matrix.columns = (uint8_t)size;
  for (uint32_t k = 0; k < size * size; k++) matrix.s[k] = k % (size + 1) ? dag_const(m->graph, 0) : identity->s[0];
  return matrix;
}

// I beside a matrix has its size.
static void fit_identities(law_maker *m, law_value *a, law_value *b) {
  if (a->sort == LAW_IDENTITY && b->sort == LAW_NUMBER && b->rows == b->columns && b->rows > 1)
    *a = law_sized_identity(m, a, b->rows);
  if (b->sort == LAW_IDENTITY && a->sort == LAW_NUMBER && a->rows == a->columns && a->rows > 1)
    *b = law_sized_identity(m, b, a->rows);
}

static bool same_units(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  if (law_unit_equal(a->unit, b->unit)) return true;
  char texts[2][LAW_UNIT_TEXT];
  LAW_COMPLAIN(m, 'T', span, "%s and %s do not go together|both sides need the same unit",
               law_unit_print(a->unit, texts[0]), law_unit_print(b->unit, texts[1]));
  return false;
}

static bool same_shape(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  const bool numbers = (a->sort == LAW_NUMBER || a->sort == LAW_IDENTITY) && a->sort == b->sort;
  if (numbers && a->rows == b->rows && a->columns == b->columns) return true;
  char texts[2][32];
  LAW_COMPLAIN(m, 'T', span, "%s and %s do not go together|both sides need the same shape", law_sort_name(a, texts[0]),
               law_sort_name(b, texts[1]));
  return false;
}

law_value law_sum_of(law_maker *m, const law_value *a, const law_value *b, bool minus, rule_span span) {
  law_value left = *a, right = *b;
  if (left.sort == LAW_BAD || right.sort == LAW_BAD) return bad;
  fit_identities(m, &left, &right);
  if (!same_shape(m, &left, &right, span) || !same_units(m, &left, &right, span)) return bad;
  law_value result = left;
  if (left.unit.any) result.unit = right.unit;
  result.whole = left.whole && right.whole;
  for (uint32_t k = 0; k < (uint32_t)left.rows * left.columns; k++)
    result.s[k] = dag_binary(m->graph, minus ? DAG_SUB : DAG_ADD, left.s[k], right.s[k]);
  return result;
}

law_value law_scaled(law_maker *m, const law_value *a, dag_ref factor, law_unit unit) {
  law_value result = *a;
  if (a->sort == LAW_BAD) return bad;
  result.unit = law_unit_multiply(a->unit, unit);
  result.whole = false;
  for (uint32_t k = 0; k < (uint32_t)a->rows * a->columns; k++) result.s[k] = dag_mul(m->graph, a->s[k], factor);
  return result;
}

static law_value divide(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  if (a->sort == LAW_BAD || !law_expect(m, b, 1, 1, "a number to divide by", span)) return bad;
  if (a->sort != LAW_IDENTITY && !law_expect(m, a, 0, 0, "a number, vector or matrix", span)) return bad;
  law_value result = *a;
  result.unit = law_unit_divide(a->unit, b->unit);
  result.whole = false;
  for (uint32_t k = 0; k < (uint32_t)a->rows * a->columns; k++) result.s[k] = dag_div(m->graph, a->s[k], b->s[0]);
  return result;
}

static bool constant_of(const law_maker *m, const law_value *value, double *number) {
  if (value->sort != LAW_NUMBER || value->rows != 1 || value->columns != 1 || !value->s[0]) return false;
  const dag_node *node = &m->graph->nodes.data[value->s[0]];
  *number = node->value;
  return node->op == DAG_CONST;
}

static dag_ref whole_power(dag *graph, dag_ref base, uint32_t power) {
  dag_ref result = 0;
  for (; power; power >>= 1) {
    if (power & 1) result = result ? dag_mul(graph, result, base) : base;
    if (power > 1) base = dag_mul(graph, base, base);
  }
  return result ? result : dag_const(graph, 1);
}

static law_value raise(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  if (!law_expect(m, a, 1, 1, "a number", span) || !law_expect(m, b, 1, 1, "a number as the power", span)) return bad;
  law_value result = *a;
  double power;
  const bool known = constant_of(m, b, &power);
  if (!law_unit_none(b->unit) || (!known && !law_unit_none(a->unit)) ||
      (known && !law_unit_raise(a->unit, power, &result.unit))) {
    LAW_COMPLAIN(m, 'T', span, "this power has no unit|raise plain numbers, or to a whole number that is written here");
    return bad;
  }
  result.unit.any = false;
  if (known && power == floor(power) && fabs(power) <= 16) {
    result.s[0] = whole_power(m->graph, a->s[0], (uint32_t)fabs(power));
    if (power < 0) result.s[0] = dag_div(m->graph, dag_const(m->graph, 1), result.s[0]);
    result.whole = a->whole && power >= 0;
  } else {
    result.s[0] = known && power == 0.5 ? dag_unary(m->graph, DAG_SQRT, a->s[0])
                                        : dag_binary(m->graph, DAG_POW, a->s[0], b->s[0]);
    result.whole = false;
  }
  return result;
}

static law_value compare(law_maker *m, const char *sign, law_value a, law_value b, rule_span span) {
  const bool equality = sign[0] == '=' || sign[0] == '!';
  dag_ref node;
  if (a.sort == LAW_BOOL && b.sort == LAW_BOOL && equality) {
    node = dag_binary(m->graph, DAG_EQUAL, a.s[0], b.s[0]);
  } else {
    if (!law_expect(m, &a, 1, 1, "a number", span) || !law_expect(m, &b, 1, 1, "a number", span)) return bad;
    if (!same_units(m, &a, &b, span)) return bad;
    const bool swapped = sign[0] == '>';
    const dag_op op = equality ? DAG_EQUAL : sign[1] == '=' ? DAG_LESS_EQUAL : DAG_LESS;
    node = dag_binary(m->graph, op, swapped ? b.s[0] : a.s[0], swapped ? a.s[0] : b.s[0]);
  }
  if (sign[0] == '!') node = dag_unary(m->graph, DAG_NOT, node);
  return condition(node);
}

static bool expect_condition(law_maker *m, const law_value *value, rule_span span) {
  if (value->sort == LAW_BAD || value->sort == LAW_BOOL) return value->sort == LAW_BOOL;
  char text[32];
  LAW_COMPLAIN(m, 'T', span, "a condition is expected, not %s|compare it with something", law_sort_name(value, text));
  return false;
}

static law_value evaluate_binary(law_maker *m, law_binding *scope, const rule_tree *tree) {
  law_value a = law_evaluate(m, scope, tree->child[0]), b = law_evaluate(m, scope, tree->child[1]);
  const char *sign = tree->name;
  if (a.sort == LAW_BAD || b.sort == LAW_BAD) return bad;
  m->graph->span = tree->span;
  switch (sign[0]) {
  case '+':
    return law_sum_of(m, &a, &b, false, tree->span);
  case '-':
    return law_sum_of(m, &a, &b, true, tree->span);
  case '*':
    return law_multiply(m, &a, &b, tree->span);
  case '/':
    return divide(m, &a, &b, tree->span);
  case '^':
    return raise(m, &a, &b, tree->span);
  case '&':
  case '|':
    if (!expect_condition(m, &a, tree->child[0]->span) || !expect_condition(m, &b, tree->child[1]->span)) return bad;
    return condition(dag_binary(m->graph, sign[0] == '&' ? DAG_AND : DAG_OR, a.s[0], b.s[0]));
  default:
    return compare(m, sign, a, b, tree->span);
  }
}

static law_value evaluate_unary(law_maker *m, law_binding *scope, const rule_tree *tree) {
  law_value a = law_evaluate(m, scope, tree->child[0]);
  if (a.sort == LAW_BAD) return bad;
  m->graph->span = tree->span;
  if (tree->name[0] == '!') {
    if (!expect_condition(m, &a, tree->child[0]->span)) return bad;
    return condition(dag_unary(m->graph, DAG_NOT, a.s[0]));
  }
  if (a.sort != LAW_IDENTITY && !law_expect(m, &a, 0, 0, "a number, vector or matrix", tree->span)) return bad;
  for (uint32_t k = 0; k < (uint32_t)a.rows * a.columns; k++) a.s[k] = dag_unary(m->graph, DAG_NEG, a.s[k]);
  return a;
}

// Indices

static bool index_of(law_maker *m, law_binding *scope, const rule_tree *tree, uint32_t end, uint32_t *index) {
  const law_value value = law_evaluate(m, scope, tree);
  double number = -1;
  if (value.sort == LAW_BAD) return false;
  if (!constant_of(m, &value, &number) || number < 0 || number >= end || number != floor(number)) {
    LAW_COMPLAIN(m, 'T', tree->span, "this is no index here|write a number from 0 to %u", end ? end - 1 : 0);
    return false;
  }
  *index = (uint32_t)number;
  return true;
}

static law_value index_dart(law_maker *m, law_binding *scope, const rule_tree *tree, const law_value *cell) {
  if (!m->shape || !law_dart_equal(&cell->dart, &m->base)) {
    LAW_COMPLAIN(m, 'T', tree->span,
                 "only a cell that is named by its template has numbered corners|write t:tet, t[0]");
    return bad;
  }
  uint32_t corner;
  if (!index_of(m, scope, tree->child[1], m->shape->corner_count, &corner)) return bad;
  return law_corner(m, corner);
}

static law_value index_number(law_maker *m, law_binding *scope, const rule_tree *tree, const law_value *a) {
  law_value result = *a;
  uint32_t first, second;
  if (rule_there(tree->child[2])) {
    if (!index_of(m, scope, tree->child[1], a->rows, &first) ||
        !index_of(m, scope, tree->child[2], a->columns, &second))
      return bad;
    result.rows = result.columns = 1;
    result.s[0] = a->s[first * a->columns + second];
    return result;
  }
  if (!index_of(m, scope, tree->child[1], a->columns == 1 ? a->rows : a->columns, &first)) return bad;
  if (a->columns == 1) {
    result.rows = 1;
    result.s[0] = a->s[first];
    return result;
  }
  result.columns = 1;
  for (uint32_t k = 0; k < a->rows; k++) result.s[k] = a->s[k * a->columns + first];
  return result;
}

static law_value evaluate_index(law_maker *m, law_binding *scope, const rule_tree *tree) {
  const law_value a = law_evaluate(m, scope, tree->child[0]);
  if (a.sort == LAW_BAD) return bad;
  if (a.sort == LAW_DART) return index_dart(m, scope, tree, &a);
  if (a.sort == LAW_SHAPES) {
    const law_value corner = law_evaluate(m, scope, tree->child[1]);
    double number;
    if (constant_of(m, &corner, &number)) {
      uint32_t index;
      if (!index_of(m, scope, tree->child[1], m->shape->corner_count, &index)) return bad;
      const law_value dart = law_corner(m, index);
      return law_shape_at(m, &a, &dart, tree->span);
    }
    return law_shape_at(m, &a, &corner, tree->child[1]->span);
  }
  if (!law_expect(m, &a, 0, 0, "a vector or matrix", tree->child[0]->span)) return bad;
  return index_number(m, scope, tree, &a);
}

// (a, b, c) of numbers is a vector; of vectors, the matrix that has them as columns.
static law_value evaluate_vector(law_maker *m, law_binding *scope, const rule_tree *tree) {
  law_value result = {.sort = LAW_NUMBER, .columns = 1, .unit.any = true};
  if (tree->count > 3) {
    LAW_COMPLAIN(m, 'T', tree->span, "a vector has at most three parts|remove some");
    return bad;
  }
  for (uint32_t k = 0; k < tree->count; k++) {
    const law_value part = law_evaluate(m, scope, tree->child[k]);
    if (part.sort == LAW_BAD) return bad;
    const rule_span span = tree->child[k]->span;
    if (!law_expect(m, &part, k ? result.rows : 0, 1, "a part like the others", span)) return bad;
    if (k == 0) result.rows = part.rows;
    if (!same_units(m, &result, &part, span)) return bad;
    if (result.unit.any) result.unit = part.unit;
    for (uint32_t row = 0; row < part.rows; row++) result.s[row * tree->count + k] = part.s[row];
  }
  result.columns = (uint8_t)tree->count;
  if (result.rows == 1) {
    result.rows = result.columns;
    result.columns = 1;
  }
  return result;
}

static law_value evaluate_field(law_maker *m, law_binding *scope, const rule_tree *tree) {
  const law_value of = law_evaluate(m, scope, tree->child[0]);
  if (of.sort == LAW_BAD) return bad;
  if (of.sort == LAW_DART) return law_read_column(m, &of.dart, tree->name, tree->span);
  if (of.sort == LAW_POINT) return law_point_field(m, &of, tree);
  char text[32];
  LAW_COMPLAIN(m, 'T', tree->span, "%s has no '%.60s'|fields are of darts and points", law_sort_name(&of, text),
               tree->name);
  return bad;
}

static law_value evaluate_step(law_maker *m, law_binding *scope, const rule_tree *tree) {
  const law_value from = law_evaluate(m, scope, tree->child[0]);
  const rule_tree *letter = tree->child[1];
  if (from.sort == LAW_BAD) return bad;
  if (from.sort != LAW_DART) {
    char text[32];
    LAW_COMPLAIN(m, 'T', tree->child[0]->span, "a step begins at a dart, not at %s|steps are x@0, x@1@0",
                 law_sort_name(&from, text));
    return bad;
  }
  if (letter->number < 0 || letter->number > 3 || (letter->count && rule_there(letter->child[0]))) {
    LAW_COMPLAIN(m, 'P', letter->span, "laws walk at the cells' own level|write @0, @1, @2 or @3");
    return bad;
  }
  return law_step(m, &from, (uint32_t)letter->number, tree->span);
}

static law_value evaluate_kind(law_maker *m, law_binding *scope, const rule_tree *tree) {
  switch (tree->kind) {
  case RULE_NAME:
    return evaluate_name(m, scope, tree);
  case RULE_NUMBER:
    return law_number(m, tree->number);
  case RULE_CALL:
    return law_call(m, scope, tree);
  case RULE_FIELD:
    return evaluate_field(m, scope, tree);
  case RULE_STEP:
    return evaluate_step(m, scope, tree);
  case RULE_INDEX:
    return evaluate_index(m, scope, tree);
  case RULE_UNARY:
    return evaluate_unary(m, scope, tree);
  case RULE_BINARY:
    return evaluate_binary(m, scope, tree);
  case RULE_REDUCE:
    return law_reduce(m, scope, tree);
  case RULE_QUADRATURE:
    return law_over(m, scope, tree);
  case RULE_VECTOR:
    return evaluate_vector(m, scope, tree);
  case RULE_TRANSPOSE: {
    const law_value a = law_evaluate(m, scope, tree->child[0]);
    if (a.sort == LAW_IDENTITY) return a;
    return law_expect(m, &a, 0, 0, "a matrix", tree->span) ? law_transpose(&a) : bad;
  }
  default:
    break;
  }
  LAW_COMPLAIN(m, 'T', tree->span, "this has no place in a law|it is for topological rules and scripts");
  return bad;
}

law_value law_evaluate(law_maker *m, law_binding *scope, const rule_tree *tree) {
  if (!tree || m->program->no_memory || m->graph->no_memory) {
    m->failed = true;
    return bad;
  }
  if (++m->work > LAW_WORK || m->depth >= LAW_DEPTH || m->graph->nodes.count > LAW_NODES) {
    if (m->work != UINT32_MAX)
      LAW_COMPLAIN(m, 'F', m->law->tree->span,
                   "this grows too large|split it, sum over fewer things, and see that no def calls itself");
    m->work = UINT32_MAX - 1; // and nothing more is evaluated
    m->failed = true;
    return bad;
  }
  const rule_span span = m->graph->span;
  m->depth++;
  m->graph->span = tree->span;
  const law_value value = evaluate_kind(m, scope, tree);
  m->graph->span = span;
  m->depth--;
  return value;
}
