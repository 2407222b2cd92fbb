// Calls: definitions, which are inlined, and the functions of the language.

#include "rule/elaborate_matrix.h"

static const law_value bad = {0};

enum { LAW_ARGUMENTS = 8 };

typedef enum function {
  NORM,
  NORMALIZE,
  DOT,
  CROSS,
  OUTER,
  SYM,
  SKEW,
  TR,
  DET,
  INVERSE,
  TRANSPOSE,
  ROTATION,
  QR,
  DIHEDRAL,
  MEAN,
  MIN,
  MAX,
  ABS,
  SQRT,
  EXP,
  LOG,
  SIN,
  COS,
  TAN,
  ASIN,
  ACOS,
  ATAN2,
  FLOOR,
  SELECT,
  SIDE,
  DILATION,
  DIM,
  FUNCTIONS
} function;

static const struct {
  const char *name;
  uint8_t least, most;
} functions[FUNCTIONS] = {
    [NORM] = {"norm", 1, 1},
    [NORMALIZE] = {"normalize", 1, 1},
    [DOT] = {"dot", 2, 2},
    [CROSS] = {"cross", 2, 2},
    [OUTER] = {"outer", 2, 2},
    [SYM] = {"sym", 1, 1},
    [SKEW] = {"skew", 1, 1},
    [TR] = {"tr", 1, 1},
    [DET] = {"det", 1, 1},
    [INVERSE] = {"inverse", 1, 1},
    [TRANSPOSE] = {"transpose", 1, 1},
    [ROTATION] = {"rotation", 1, 1},
    [QR] = {"qr", 1, 1},
    [DIHEDRAL] = {"dihedral", 4, 4},
    [MEAN] = {"mean", 1, LAW_ARGUMENTS},
    [MIN] = {"min", 2, LAW_ARGUMENTS},
    [MAX] = {"max", 2, LAW_ARGUMENTS},
    [ABS] = {"abs", 1, 1},
    [SQRT] = {"sqrt", 1, 1},
    [EXP] = {"exp", 1, 1},
    [LOG] = {"log", 1, 1},
    [SIN] = {"sin", 1, 1},
    [COS] = {"cos", 1, 1},
    [TAN] = {"tan", 1, 1},
    [ASIN] = {"asin", 1, 1},
    [ACOS] = {"acos", 1, 1},
    [ATAN2] = {"atan2", 2, 2},
    [FLOOR] = {"floor", 1, 1},
    [SELECT] = {"select", 3, 3},
    [SIDE] = {"side", 1, 1},
    [DILATION] = {"dilation", 1, 1},
    [DIM] = {"dim", 1, 1},
};

static bool expect_count(law_maker *m, const rule_tree *tree, uint32_t least, uint32_t most) {
  if (tree->count >= least && tree->count <= most) return true;
  LAW_COMPLAIN(m, 'T', tree->span, "'%.60s' takes %u value%s, not %u|see how it is defined", tree->name, least,
               least == 1 ? "" : "s", tree->count);
  return false;
}

static bool expect_unit(law_maker *m, const law_value *a, law_unit unit, rule_span span) {
  if (law_unit_equal(a->unit, unit)) return true;
  char texts[2][LAW_UNIT_TEXT];
  if (law_unit_none(unit))
    LAW_COMPLAIN(m, 'T', span, "a plain number is expected, not one in %s|divide by something of its unit",
                 law_unit_print(a->unit, texts[0]));
  else
    LAW_COMPLAIN(m, 'T', span, "a value in %s is expected, not in %s|all values need the same unit",
                 law_unit_print(unit, texts[0]), law_unit_print(a->unit, texts[1]));
  return false;
}

// Plain numbers in, plain number out.
static law_value plain(law_maker *m, dag_op op, const law_value *a, rule_span span) {
  if (!law_expect(m, a, 1, 1, "a number", span) || !expect_unit(m, a, (law_unit){0}, span)) return bad;
  law_value result = law_scalar(dag_unary(m->graph, op, a->s[0]), (law_unit){0});
  result.whole = op == DAG_FLOOR;
  return result;
}

static law_value square_root(law_maker *m, const law_value *a, rule_span span) {
  law_unit unit;
  if (!law_expect(m, a, 1, 1, "a number", span)) return bad;
  if (!law_unit_raise(a->unit, 0.5, &unit)) {
    LAW_COMPLAIN(m, 'T', span, "this root has no unit|check the formula");
    return bad;
  }
  return law_scalar(dag_unary(m->graph, DAG_SQRT, a->s[0]), unit);
}

static law_value absolute(law_maker *m, const law_value *a, rule_span span) {
  if (!law_expect(m, a, 1, 1, "a number", span)) return bad;
  law_value result = *a;
  result.s[0] = dag_unary(m->graph, DAG_ABS, a->s[0]);
  return result;
}

static law_value arctangent(law_maker *m, const law_value *a, rule_span span) {
  if (!law_expect(m, &a[0], 1, 1, "a number", span) || !law_expect(m, &a[1], 1, 1, "a number", span) ||
      !expect_unit(m, &a[1], a[0].unit, span))
    return bad;
  return law_scalar(dag_binary(m->graph, DAG_ATAN2, a[0].s[0], a[1].s[0]), (law_unit){0});
}

static law_value extreme(law_maker *m, dag_op op, const law_value *a, const rule_tree *tree) {
  law_value result = a[0];
  if (!law_expect(m, &a[0], 1, 1, "a number", tree->child[0]->span)) return bad;
  for (uint32_t k = 1; k < tree->count; k++) {
    const rule_span span = tree->child[k]->span;
    if (!law_expect(m, &a[k], 1, 1, "a number", span) || !expect_unit(m, &a[k], result.unit, span)) return bad;
    if (result.unit.any) result.unit = a[k].unit;
    result.whole = result.whole && a[k].whole;
    result.s[0] = dag_binary(m->graph, op, result.s[0], a[k].s[0]);
  }
  return result;
}

static law_value mean_of(law_maker *m, const law_value *a, const rule_tree *tree) {
  law_value sum = a[0];
  if (!law_expect(m, &sum, 0, 0, "a number, vector or matrix", tree->child[0]->span)) return bad;
  for (uint32_t k = 1; k < tree->count; k++) {
    sum = law_sum_of(m, &sum, &a[k], false, tree->child[k]->span);
    if (sum.sort == LAW_BAD) return bad;
  }
  return law_scaled(m, &sum, dag_const(m->graph, 1.0 / tree->count), (law_unit){0});
}

static law_value choose(law_maker *m, const law_value *a, const rule_tree *tree) {
  if (a[0].sort != LAW_BOOL) {
    char text[32];
    LAW_COMPLAIN(m, 'T', tree->child[0]->span, "a condition is expected, not %s|compare it with something",
                 law_sort_name(&a[0], text));
    return bad;
  }
  law_value result = a[1];
  if (a[1].sort == LAW_BOOL && a[2].sort == LAW_BOOL) {
    result.s[0] = dag_select(m->graph, a[0].s[0], a[1].s[0], a[2].s[0]);
    return result;
  }
  // The sum tells whether the two go together, and in which unit.
  const law_value sum = law_sum_of(m, &a[1], &a[2], false, tree->span);
  if (sum.sort == LAW_BAD) return bad;
  law_value one = a[1], other = a[2];
  if (sum.sort == LAW_NUMBER && one.sort == LAW_IDENTITY) one = law_sized_identity(m, &one, sum.rows);
  if (sum.sort == LAW_NUMBER && other.sort == LAW_IDENTITY) other = law_sized_identity(m, &other, sum.rows);
  result = sum;
  for (uint32_t k = 0; k < (uint32_t)sum.rows * sum.columns; k++)
    result.s[k] = dag_select(m->graph, a[0].s[0], one.s[k], other.s[k]);
  return result;
}

static law_value side_of(law_maker *m, const law_value *a, rule_span span) {
  if (a->sort != LAW_DART) {
    LAW_COMPLAIN(m, 'T', span, "side takes a dart|write side(x)");
    return bad;
  }
  law_value side = law_number(m, law_dart_parity(m, &a->dart));
  side.unit.any = false;
  return side;
}

// 2 for triangles and quadrangles, 3 for volumes.
static law_value dimension_of(law_maker *m, const law_value *a, rule_span span) {
  if (a->sort == LAW_DART && a->variable && m->shape && law_dart_equal(&a->dart, &m->base))
    return law_number(m, m->shape->dimension);
  LAW_COMPLAIN(m, 'T', span, "only a cell that is named by its template has a dimension|write t:cell, dim(t)");
  return bad;
}

static law_value apply(law_maker *m, function f, const law_value *a, const rule_tree *tree) {
  const rule_span span = tree->span;
  switch (f) {
  case NORM:
    return law_norm(m, a, span);
  case NORMALIZE:
    return law_normalize(m, a, span);
  case DOT:
    return law_dot(m, &a[0], &a[1], span);
  case CROSS:
    return law_cross(m, &a[0], &a[1], span);
  case OUTER:
    return law_outer(m, &a[0], &a[1], span);
  case SYM:
    return law_symmetric(m, a, false, span);
  case SKEW:
    return law_symmetric(m, a, true, span);
  case TR:
    return law_trace(m, a, span);
  case DET:
    return law_determinant(m, a, span);
  case INVERSE:
    return law_inverse(m, a, span);
  case TRANSPOSE:
    return law_expect(m, a, 0, 0, "a matrix", span) ? law_transpose(a) : bad;
  case ROTATION:
    return law_rotation(m, a, span);
  case QR:
    return law_orthonormal(m, a, span);
  case DIHEDRAL:
    return law_dihedral(m, a, span);
  case MEAN:
    return mean_of(m, a, tree);
  case MIN:
    return extreme(m, DAG_MIN, a, tree);
  case MAX:
    return extreme(m, DAG_MAX, a, tree);
  case ABS:
    return absolute(m, a, span);
  case SQRT:
    return square_root(m, a, span);
  case EXP:
    return plain(m, DAG_EXP, a, span);
  case LOG:
    return plain(m, DAG_LOG, a, span);
  case SIN:
    return plain(m, DAG_SIN, a, span);
  case COS:
    return plain(m, DAG_COS, a, span);
  case TAN:
    return plain(m, DAG_TAN, a, span);
  case ASIN:
    return plain(m, DAG_ASIN, a, span);
  case ACOS:
    return plain(m, DAG_ACOS, a, span);
  case ATAN2:
    return arctangent(m, a, span);
  case FLOOR:
    return plain(m, DAG_FLOOR, a, span);
  case SELECT:
    return choose(m, a, tree);
  case SIDE:
    return side_of(m, a, span);
  case DILATION:
    return law_dilation(m, a, span);
  case DIM:
    return dimension_of(m, a, span);
  case FUNCTIONS:
    break;
  }
  return bad;
}

static law_value call_function(law_maker *m, law_binding *scope, const rule_tree *tree, function f) {
  law_value arguments[LAW_ARGUMENTS];
  bool usable = expect_count(m, tree, functions[f].least, functions[f].most);
  for (uint32_t k = 0; k < tree->count && k < LAW_ARGUMENTS; k++) {
    arguments[k] = law_evaluate(m, scope, tree->child[k]);
    usable = usable && arguments[k].sort != LAW_BAD;
  }
  return usable ? apply(m, f, arguments, tree) : bad;
}

// What is not a function of values: the arguments are looked at in their own way.

static law_value at_rest(law_maker *m, law_binding *scope, const rule_tree *tree) {
  const bool rest = m->rest;
  m->rest = true;
  const law_value value = law_evaluate(m, scope, tree->child[0]);
  m->rest = rest;
  return value;
}

static law_value rate_of(law_maker *m, law_binding *scope, const rule_tree *tree) {
  law_value value = law_evaluate(m, scope, tree->child[0]);
  if (!law_expect(m, &value, 0, 0, "a number, vector or matrix", tree->child[0]->span)) return bad;
  if (m->no_unknowns || m->constant) {
    LAW_COMPLAIN(m, 'D', tree->span, "rate is for forces, whose positions move|here, write the formula with vel");
    return bad;
  }
  value.unit = law_unit_divide(value.unit, law_unit_of(0, 0, 1));
  value.whole = false;
  for (uint32_t k = 0; k < (uint32_t)value.rows * value.columns; k++) {
    dag_ref rate = 0, node = 0;
    if (!dag_rate(m->graph, value.s[k], &rate, &node)) {
      if (node)
        LAW_COMPLAIN(m, 'D', m->graph->nodes.data[node].span, "this has no rate|put it in hold(...)");
      else
        m->failed = true;
      return bad;
    }
    value.s[k] = rate ? rate : dag_const(m->graph, 0);
  }
  return value;
}

static law_value held(law_maker *m, law_binding *scope, const rule_tree *tree) {
  law_value value = law_evaluate(m, scope, tree->child[0]);
  if (value.sort == LAW_BOOL) return value;
  if (!law_expect(m, &value, 0, 0, "a number, vector or matrix", tree->child[0]->span)) return bad;
  for (uint32_t k = 0; k < (uint32_t)value.rows * value.columns; k++)
    value.s[k] = dag_unary(m->graph, DAG_HOLD, value.s[k]);
  return value;
}

static law_value call_special(law_maker *m, law_binding *scope, const rule_tree *tree, bool *known) {
  *known = true;
  if (law_is(tree->name, "rest")) return expect_count(m, tree, 1, 1) ? at_rest(m, scope, tree) : bad;
  if (law_is(tree->name, "rate")) return expect_count(m, tree, 1, 1) ? rate_of(m, scope, tree) : bad;
  if (law_is(tree->name, "hold")) return expect_count(m, tree, 1, 1) ? held(m, scope, tree) : bad;
  if (law_is(tree->name, "grad") || law_is(tree->name, "jac"))
    return expect_count(m, tree, 2, 2) ? law_gradient(m, scope, tree) : bad;
  if (law_is(tree->name, "free")) {
    LAW_COMPLAIN(m, 'P', tree->span, "free stands alone in a guard|write 'where free(x,3);' or 'where !free(x,3);'");
    return bad;
  }
  *known = false;
  return bad;
}

// Definitions

static law_value inline_def(law_maker *m, law_binding *caller, law_binding *scope, const rule_tree *def,
                            const rule_tree *tree) {
  const rule_tree *names = def->child[0];
  if (!expect_count(m, tree, names->count, names->count)) return bad;
  for (uint32_t k = 0; k < names->count; k++) {
    law_binding *argument = law_bind(m, scope, names->child[k]->name, tree->child[k]);
    if (argument == scope) return bad;
    argument->scope = caller;
    scope = argument;
  }
  return law_evaluate(m, scope, def->child[1]);
}

law_value law_call(law_maker *m, law_binding *scope, const rule_tree *tree) {
  for (law_binding *at = scope; at; at = at->next)
    if (at->function && at->name == tree->name) return inline_def(m, scope, at->scope, at->tree, tree);
  const rule_tree *declared = rule_declaration(m->program, tree->name);
  if (declared && declared->kind == RULE_DEF) return inline_def(m, scope, NULL, declared, tree);
  bool known;
  const law_value special = call_special(m, scope, tree, &known);
  if (known) return special;
  for (uint32_t f = 0; f < FUNCTIONS; f++)
    if (law_is(tree->name, functions[f].name)) return call_function(m, scope, tree, (function)f);
  LAW_COMPLAIN(m, 'T', tree->span, "there is no function '%.60s'|declare it: def %.60s(x) = ...;", tree->name,
               tree->name);
  return bad;
}
