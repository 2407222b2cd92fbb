// Sums: over sub-orbits, and over the points of a cell.

#include "rule/elaborate.h"

static const law_value bad = {0};

// Sub-orbits

static void add_term(law_maker *m, law_value *sum, const law_value *term, rule_span span) {
  *sum = sum->sort == LAW_BAD ? *term : law_sum_of(m, sum, term, false, span);
}

law_value law_variable_at(law_maker *m, law_dart dart, uint32_t dims) {
  law_value value = {.sort = LAW_DART, .variable = true, .dims = (uint8_t)dims, .dart = dart};
  m->variable_dims |= dims;
  if (m->sub_move >= 0 && dims >> m->sub_move & 1) law_dart_move(m, &value.dart, (uint32_t)m->sub_move);
  return value;
}

static law_value reduce_listed(law_maker *m, law_binding *scope, const rule_tree *tree, uint32_t dims,
                               const law_dart *list, uint32_t count) {
  const char *name = tree->child[0]->name;
  law_value sum = bad;
  if (law_is(tree->name, "count")) {
    sum = law_number(m, count);
    return sum;
  }
  for (uint32_t k = 0; k < count; k++) {
    const law_value dart = law_variable_at(m, list[k], dims);
    const law_value term = law_evaluate(m, law_bind_value(m, scope, name, &dart), tree->child[2]);
    if (!law_expect(m, &term, 0, 0, "a number, vector or matrix", tree->child[2]->span)) return bad;
    m->graph->span = tree->span;
    add_term(m, &sum, &term, tree->span);
    if (sum.sort == LAW_BAD) return bad;
  }
  if (!law_is(tree->name, "mean")) return sum;
  return law_scaled(m, &sum, dag_const(m->graph, 1.0 / count), (law_unit){0});
}

// A sum that no shape writes out: it stays one, and its value is an input of the row.
static law_value reduce_orbit(law_maker *m, law_binding *scope, const rule_tree *tree, clv_orbit orbit, uint32_t dims) {
  law *l = m->law;
  const bool counts = law_is(tree->name, "count");
  const law_value dart = law_variable_at(m, (law_dart){.origin = 1}, dims);
  m->in_sum = true;
  law_value value = law_number(m, 1);
  if (!counts) value = law_evaluate(m, law_bind_value(m, scope, tree->child[0]->name, &dart), tree->child[2]);
  m->in_sum = false;
  if (!law_expect(m, &value, 0, 0, "a number, vector or matrix", tree->child[2]->span)) return bad;
  if (!BASE_RESERVE(&m->graph->allocator, &l->sums, l->sums.count + 1u)) {
    m->program->no_memory = m->failed = true;
    return bad;
  }
  const uint32_t k = l->sums.count++;
  law_sum *sum = &l->sums.data[k];
  *sum = (law_sum){.orbit = orbit, .mean = law_is(tree->name, "mean"), .span = tree->span};
  sum->width = (uint8_t)(value.rows * value.columns);
  memcpy(sum->value, value.s, sizeof sum->value);
  for (uint32_t c = 0; c < sum->width; c++) value.s[c] = dag_input(m->graph, DAG_SUM_INPUT, 9 * k + c);
  value.whole = value.whole && !sum->mean;
  return value;
}

law_value law_reduce(law_maker *m, law_binding *scope, const rule_tree *tree) {
  const rule_tree *place = tree->child[0];
  clv_orbit orbit;
  law_value of = law_row_variable(m);
  if (m->constant) {
    LAW_COMPLAIN(m, 'T', tree->span, "there is nothing to go over here|use numbers and parameters");
    return bad;
  }
  if (law_is(tree->name, "max") || law_is(tree->name, "min")) {
    LAW_COMPLAIN(m, 'F', tree->span, "a law goes over orbits by sum, mean and count|write %s(a, b) of values",
                 tree->name);
    return bad;
  }
  if (rule_there(tree->child[1])) of = law_evaluate(m, scope, tree->child[1]);
  if (of.sort == LAW_BAD) return bad;
  if (place->child[0]->kind == RULE_TEMPLATES || of.sort != LAW_DART || !of.variable) {
    const rule_span span = of.sort == LAW_DART && of.variable ? place->span : tree->child[1]->span;
    LAW_COMPLAIN(m, 'F', span, "a sum goes over the sub-orbits of a variable's orbit|write sum(c:<1,2> in t)");
    return bad;
  }
  if (!law_orbit_read(m, place->child[0], &orbit)) return bad;
  const uint32_t dims = law_dims(orbit, m->dimension) & of.dims;
  if (!dims && m->dimension == 3) {
    LAW_COMPLAIN(
        m, 'F', place->span,
        "this would go over single darts|some corners have more of them than others: name a letter of the orbit "
        "that it is in");
    return bad;
  }
  law_dart list[LAW_COSETS];
  const uint32_t count = law_list_suborbits(m, &of.dart, of.dims, dims, list);
  if (count) return reduce_listed(m, scope, tree, dims, list, count);
  if (m->no_unknowns && !m->shape && !m->in_sum && of.dims == m->row_dims && law_dart_equal(&of.dart, &m->base))
    return reduce_orbit(m, scope, tree, dims, dims);
  if (m->no_unknowns)
    LAW_COMPLAIN(m, 'F', tree->span, "this sum cannot be written out|sum over the row's own orbit, and not in a sum");
  else
    LAW_COMPLAIN(m, 'F', tree->span,
                 "the number of terms is not fixed|a force sums within a template, or reads a derived sum");
  return bad;
}

// Points

law_value law_point(const law_maker *m, bool reference, int point) {
  return (law_value){.sort = LAW_POINT, .reference = reference, .point = (int8_t)point, .dart = m->base};
}

bool law_find_cell(law_maker *m, law_binding *scope, const rule_tree *cell) {
  const law_value value = law_evaluate(m, scope, cell);
  if (value.sort == LAW_BAD) return false;
  if (value.sort == LAW_DART && m->shape && value.variable && law_dart_equal(&value.dart, &m->base)) return true;
  LAW_COMPLAIN(m, 'T', cell->span, "only a cell that is named by its template has points|write t:cell, or t:tri");
  return false;
}

// Datum k of a point. Of points that stand for all, -1 comes first, then -2.
static dag_ref datum(law_maker *m, const law_value *point, uint32_t k) {
  const dag_op op = point->point >= 0 || !m->roll ? DAG_QUAD : point->reference ? DAG_SHAPE : DAG_POINT;
  const uint32_t number = (uint32_t)(point->point < 0 ? -1 - point->point : point->point);
  return dag_input(m->graph, op, number * LAW_QUAD_DATA + k);
}

// A sum that is evaluated while another is under way has a point of its own. It must not depend on the outer one, and
// is renumbered once it is added up.

enum { ROLLED_DEPTH = 2 };

typedef struct renumbering {
  bool fits;
} renumbering;

static dag_ref renumber(void *user, dag *graph, dag_op op, uint32_t index) {
  renumbering *work = user;
  if (op != DAG_POINT && op != DAG_SHAPE) return 0;
  if (index < LAW_QUAD_DATA) {
    work->fits = false;
    return 0;
  }
  return dag_input(graph, op, index - LAW_QUAD_DATA);
}

dag_ref law_sum_points(law_maker *m, dag_ref at_point) {
  renumbering work = {.fits = true};
  if (m->rolling == ROLLED_DEPTH) at_point = dag_replace(m->graph, at_point, renumber, &work);
  if (!work.fits) m->failed = true; // quietly: the law stays written out
  return dag_unary(m->graph, DAG_OVER, at_point);
}

// The volume that a point stands for; plain on the reference shape.
law_value law_weight_of(law_maker *m, const law_value *point, rule_span span) {
  if (point->reference && point->point >= 0) {
    double shape[8], slopes[8][3];
    return law_number(m, law_reference(m->law->shape.kind, (uint32_t)point->point, shape, slopes));
  }
  law_value weight = law_number(m, 1);
  weight.s[0] = datum(m, point, 0);
  weight.whole = false;
  if (point->reference) return weight;
  weight.unit = law_unit_of(0, 3, 0);
  if (m->shape->dimension == 3) return weight;
  const law_value thickness = law_read_thickness(m, span);
  return law_scaled(m, &thickness, weight.s[0], law_unit_of(0, 2, 0));
}

law_value law_point_field(law_maker *m, const law_value *point, const rule_tree *tree) {
  if (law_is(tree->name, "w")) return law_weight_of(m, point, tree->span);
  if (law_is(tree->name, "N")) {
    law_value shapes = *point;
    shapes.sort = LAW_SHAPES;
    return shapes;
  }
  LAW_COMPLAIN(m, 'T', tree->span, "a point has no '%.60s'|it has its weight q.w and shape functions q.N[c]",
               tree->name);
  return bad;
}

law_value law_shape_at(law_maker *m, const law_value *shapes, const law_value *corner, rule_span span) {
  if (corner->sort == LAW_BAD) return bad;
  const int at = corner->sort == LAW_DART ? law_corner_of(m, &corner->dart) : -1;
  if (at < 0) {
    LAW_COMPLAIN(m, 'T', span, "this is no corner of the cell|write q.N[t[0]] or q.N[c] for a corner c of it");
    return bad;
  }
  law_value value = law_number(m, 1);
  value.whole = false;
  if (shapes->point < 0) {
    value.s[0] = datum(m, shapes, 1 + (uint32_t)at);
  } else {
    double shape[8], slopes[8][3];
    law_reference(m->law->shape.kind, (uint32_t)shapes->point, shape, slopes);
    value.s[0] = dag_const(m->graph, shape[at]);
  }
  return value;
}

// Gradients

static dag_ref slope_of(law_maker *m, const law_value *point, uint32_t corner, uint32_t axis) {
  if (!point->reference || point->point < 0) return datum(m, point, 1u + m->shape->corner_count + corner * 3 + axis);
  double shape[8], slopes[8][3];
  law_reference(m->law->shape.kind, (uint32_t)point->point, shape, slopes);
  return dag_const(m->graph, slopes[corner][axis]);
}

// Of the rest positions themselves: the frame the gradients are taken in, all of space for a volume.
static law_value frame_at(law_maker *m, const law_value *point) {
  const uint32_t axes = m->shape->dimension;
  law_value frame = {.sort = LAW_NUMBER, .rows = 3, .columns = (uint8_t)axes};
  for (uint32_t k = 0; k < 3 * axes; k++)
    frame.s[k] = axes == 3 ? dag_const(m->graph, k % 4 == 0) : datum(m, point, 1u + 4u * m->shape->corner_count + k);
  return frame;
}

// The slopes of all corners, by axis.
typedef struct corner_slopes {
  dag_ref of[8][3];
} corner_slopes;

static corner_slopes slopes_at(law_maker *m, const law_value *point) {
  corner_slopes slopes = {0};
  for (uint32_t c = 0; c < m->shape->corner_count; c++)
    for (uint32_t axis = 0; axis < m->shape->dimension; axis++) slopes.of[c][axis] = slope_of(m, point, c, axis);
  return slopes;
}

// A column's values seen from the first corner, in the frame that `turned_by` gives (NULL: as they are), times slopes.
// Values are turned corner by corner: all points of a cell share that.
static law_value expand_gradient(law_maker *m, const corner_slopes *slopes, law_unit by, const rule_tree *field,
                                 const law_value *turned_by) {
  const uint32_t axes = m->shape->dimension;
  const law_value corner0 = law_corner(m, 0), first = law_read_column(m, &corner0.dart, field->name, field->span);
  if (!law_expect(m, &first, 0, 1, "a number or vector", field->span)) return bad;
  law_value result = {.sort = LAW_NUMBER, .rows = first.rows, .columns = (uint8_t)axes};
  for (uint32_t c = 1; c < m->shape->corner_count; c++) {
    const law_value corner = law_corner(m, c), value = law_read_column(m, &corner.dart, field->name, field->span);
    if (value.sort == LAW_BAD) return bad;
    law_value step = law_sum_of(m, &value, &first, true, field->span);
    if (turned_by) step = law_multiply(m, turned_by, &step, field->span);
    if (step.sort == LAW_BAD) return bad;
    result.rows = step.rows;
    result.unit = law_unit_multiply(step.unit, by);
    for (uint32_t row = 0; row < step.rows; row++)
      for (uint32_t axis = 0; axis < axes; axis++) {
        const dag_ref term = dag_mul(m->graph, step.s[row], slopes->of[c][axis]);
        dag_ref *sum = &result.s[row * axes + axis];
        *sum = c == 1 ? term : dag_add(m->graph, *sum, term);
      }
  }
  return first.rows == 1 && !turned_by ? law_transpose(&result) : result;
}

law_value law_gradient(law_maker *m, law_binding *scope, const rule_tree *tree) {
  const rule_tree *field = tree->child[0];
  const bool reference = law_is(tree->name, "jac"), turned = field->kind == RULE_BINARY && law_is(field->name, "*");
  const law_value point = law_evaluate(m, scope, tree->child[1]);
  law_value by = bad;
  if (turned) {
    by = law_evaluate(m, scope, field->child[0]);
    if (!law_expect(m, &by, 0, 3, "a matrix of three columns", field->child[0]->span)) return bad;
    field = field->child[1];
  }
  if (field->kind != RULE_FIELD) {
    LAW_COMPLAIN(m, 'T', field->span,
                 "%s takes a column of a cell, or a matrix times one|write %s(t.pos,q), or %s(R'*t.pos,q)", tree->name,
                 tree->name, tree->name);
    return bad;
  }
  if (point.sort == LAW_BAD || !law_find_cell(m, scope, field->child[0])) return bad;
  if (point.sort != LAW_POINT || point.reference != reference) {
    LAW_COMPLAIN(m, 'T', tree->child[1]->span, "%s needs a point of '%s q in t'|grad goes with over, jac with sum",
                 tree->name, reference ? "sum" : "over");
    return bad;
  }
  if (m->rest && !reference && law_is(field->name, "pos")) {
    const law_value frame = frame_at(m, &point);
    return turned ? law_multiply(m, &by, &frame, tree->span) : frame;
  }
  const corner_slopes slopes = slopes_at(m, &point);
  const law_unit slope = law_unit_of(0, reference ? 0 : -1, 0);
  return expand_gradient(m, &slopes, slope, field, turned ? &by : NULL);
}

// Sums over points

// Whether what is summed is a column's gradient and nothing else.
static bool is_gradient_alone(const law_maker *m, const rule_tree *tree) {
  const rule_tree *call = tree->child[1];
  if (tree->number > 0 || call->kind != RULE_CALL || !law_is(call->name, "grad") || call->count != 2) return false;
  const rule_tree *field = call->child[0], *point = call->child[1];
  const bool plain = field->kind == RULE_FIELD && point->kind == RULE_NAME && law_is(point->name, tree->name);
  return plain && !(m->rest && law_is(field->name, "pos"));
}

// That is a gradient, too, with slopes that belong to the cell as a whole.
static law_value gradient_over(law_maker *m, law_binding *scope, const rule_tree *tree) {
  const rule_tree *field = tree->child[1]->child[0];
  if (!law_find_cell(m, scope, field->child[0])) return bad;
  corner_slopes all = {0};
  law_unit by = {0};
  for (uint32_t p = 0; p < law_quadrature_points(m->law->shape.kind); p++) {
    const law_value point = law_point(m, false, (int)p), weight = law_weight_of(m, &point, tree->span);
    if (weight.sort == LAW_BAD) return bad;
    by = law_unit_multiply(weight.unit, law_unit_of(0, -1, 0));
    const corner_slopes slopes = slopes_at(m, &point);
    for (uint32_t c = 0; c < m->shape->corner_count; c++)
      for (uint32_t axis = 0; axis < m->shape->dimension; axis++) {
        const dag_ref term = dag_mul(m->graph, weight.s[0], slopes.of[c][axis]);
        all.of[c][axis] = p ? dag_add(m->graph, all.of[c][axis], term) : term;
      }
  }
  return expand_gradient(m, &all, by, field, NULL);
}

// What a sum adds for one point.
static law_value term_at(law_maker *m, law_binding *scope, const rule_tree *tree, const law_value *point) {
  law_value term = law_evaluate(m, law_bind_value(m, scope, tree->name, point), tree->child[1]);
  if (!law_expect(m, &term, 0, 0, "a number, vector or matrix", tree->child[1]->span)) return bad;
  if (point->reference) return term;
  const law_value weight = law_weight_of(m, point, tree->span);
  return weight.sort == LAW_BAD ? bad : law_scaled(m, &term, weight.s[0], weight.unit);
}

static law_value roll_over(law_maker *m, law_binding *scope, const rule_tree *tree) {
  if (m->rolling == ROLLED_DEPTH) {
    m->failed = true;
    return bad;
  }
  const law_value point = law_point(m, tree->number > 0, -(int)++m->rolling);
  law_value sum = term_at(m, scope, tree, &point);
  const uint32_t count = sum.sort == LAW_BAD ? 0 : (uint32_t)sum.rows * sum.columns;
  for (uint32_t k = 0; k < count; k++) sum.s[k] = law_sum_points(m, sum.s[k]);
  m->rolling--;
  return sum;
}

law_value law_over(law_maker *m, law_binding *scope, const rule_tree *tree) {
  if (!law_find_cell(m, scope, tree->child[0])) return bad;
  const bool reference = tree->number > 0;
  m->has_points = m->has_points || !reference;
  m->has_reference = m->has_reference || reference;
  if (is_gradient_alone(m, tree)) return gradient_over(m, scope, tree);
  if (m->roll) return roll_over(m, scope, tree);
  law_value sum = bad;
  for (uint32_t p = 0; p < law_quadrature_points(m->law->shape.kind); p++) {
    const law_value point = law_point(m, reference, (int)p), term = term_at(m, scope, tree, &point);
    if (term.sort == LAW_BAD) return bad;
    add_term(m, &sum, &term, tree->span);
  }
  return sum;
}
