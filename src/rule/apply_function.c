// The functions that guards, values and scripts may call.

#include "rule/apply_eval.h"

#include <math.h>

static bool count_is(apply_run *run, const rule_tree *call, uint32_t count) {
  return call->count == count ||
         apply_wrong_type(run, call, count == 1 ? "a call with one argument" : "a call with two arguments");
}

// mean, min and max of any number of values, component by component.
static bool call_many(apply_run *run, const rule_tree *call, apply_datum *value) {
  const char what = call->name[1]; // mEan, mIn, mAx
  for (uint32_t k = 0; k < call->count; k++) {
    apply_datum next;
    if (!apply_numbers_of(run, call->child[k], &next)) return false;
    if (k == 0) *value = next;
    if (next.count != value->count) return apply_wrong_type(run, call, "a call with values of one width");
    for (uint32_t c = 0; k && c < next.count; c++) {
      const double x = value->number[c], y = next.number[c];
      value->number[c] = what == 'e' ? x + y : what == 'i' ? fmin(x, y) : fmax(x, y);
    }
  }
  if (!call->count) return apply_wrong_type(run, call, "a call with arguments");
  for (uint32_t c = 0; c < value->count && what == 'e'; c++) value->number[c] /= call->count;
  value->type = value->count == 1 ? APPLY_NUMBER : APPLY_VECTOR;
  return true;
}

static bool call_free(apply_run *run, const rule_tree *call, apply_datum *value) {
  clv_dart dart;
  double i;
  if (!count_is(run, call, 2) || !apply_dart_of(run, call->child[0], &dart)) return false;
  if (!apply_number_of(run, call->child[1], &i)) return false;
  if (!(i == 0 || i == 1 || i == 2 || i == 3)) return apply_wrong_type(run, call->child[1], "a dimension");
  *value = apply_truth(clv_is_free(&run->m->view, dart, (uint32_t)i));
  return true;
}

static bool call_side(apply_run *run, const rule_tree *call, apply_datum *value) {
  clv_dart dart;
  if (!count_is(run, call, 1) || !apply_dart_of(run, call->child[0], &dart)) return false;
  *value = apply_number(clv_side(&run->m->view, dart));
  return true;
}

static bool call_parts(apply_run *run, const rule_tree *call, apply_datum *value) {
  clv_dart dart;
  double level;
  if (!count_is(run, call, 2) || !apply_dart_of(run, call->child[0], &dart)) return false;
  if (!apply_number_of(run, call->child[1], &level)) return false;
  if (!(fabs(level) < 1e6) || level != floor(level)) return apply_wrong_type(run, call->child[1], "a level");
  const uint32_t first = run->darts.count;
  if (!apply_level_parts(run, dart, (int32_t)level)) return false;
  *value = (apply_datum){.type = APPLY_PATH, .first = first, .length = run->darts.count - first};
  return true;
}

static bool call_scalar(apply_run *run, const rule_tree *call, apply_datum *value) {
  static const struct {
    const char *name;
    double (*function)(double);
  } functions[] = {{"sqrt", sqrt}, {"abs", fabs}, {"floor", floor}, {"exp", exp},   {"log", log},
                   {"sin", sin},   {"cos", cos},  {"tan", tan},     {"asin", asin}, {"acos", acos}};
  double x;
  for (uint32_t k = 0; k < sizeof functions / sizeof *functions; k++) {
    if (strcmp(functions[k].name, call->name) != 0) continue;
    if (!count_is(run, call, 1) || !apply_number_of(run, call->child[0], &x)) return false;
    *value = apply_number(functions[k].function(x));
    return true;
  }
  return APPLY_FAIL(run, "'%s': there is no function '%.80s'", run->name, call->name);
}

static double dot(const apply_datum *a, const apply_datum *b) {
  double sum = 0;
  for (uint32_t k = 0; k < a->count; k++) sum += a->number[k] * b->number[k];
  return sum;
}

// dot(a, b), cross(a, b)
static bool call_pair(apply_run *run, const rule_tree *call, apply_datum *value) {
  apply_datum a, b;
  if (!count_is(run, call, 2) || !apply_numbers_of(run, call->child[0], &a)) return false;
  if (!apply_numbers_of(run, call->child[1], &b)) return false;
  const bool crosses = call->name[0] == 'c';
  if (a.count != b.count || (crosses && a.count != 3))
    return apply_wrong_type(run, call, "a call with vectors that fit");
  *value = apply_number(dot(&a, &b));
  if (!crosses) return true;
  *value = (apply_datum){.type = APPLY_VECTOR, .count = 3};
  for (uint32_t k = 0; k < 3; k++)
    value->number[k] = a.number[(k + 1) % 3] * b.number[(k + 2) % 3] - a.number[(k + 2) % 3] * b.number[(k + 1) % 3];
  return true;
}

// norm(a), normalize(a)
static bool call_norm(apply_run *run, const rule_tree *call, apply_datum *value) {
  apply_datum a;
  if (!count_is(run, call, 1) || !apply_numbers_of(run, call->child[0], &a)) return false;
  const double length = sqrt(dot(&a, &a));
  *value = apply_number(length);
  if (!strcmp(call->name, "norm")) return true;
  *value = a;
  for (uint32_t k = 0; k < a.count; k++) value->number[k] /= length;
  return true;
}

bool apply_builtin(apply_run *run, const rule_tree *call, apply_datum *value) {
  static const struct {
    const char *name;
    bool (*function)(apply_run *run, const rule_tree *call, apply_datum *value);
  } functions[] = {{"mean", call_many}, {"min", call_many},      {"max", call_many}, {"free", call_free},
                   {"side", call_side}, {"parts", call_parts},   {"dot", call_pair}, {"cross", call_pair},
                   {"norm", call_norm}, {"normalize", call_norm}};
  for (uint32_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (!strcmp(functions[k].name, call->name)) return functions[k].function(run, call, value);
  return call_scalar(run, call, value);
}
