// Vectors and matrices, written out in scalars.

#include "rule/elaborate_matrix.h"

static const law_value bad = {0};

law_value law_transpose(const law_value *a) {
  law_value result = *a;
  result.rows = a->columns;
  result.columns = a->rows;
  for (uint32_t r = 0; r < a->rows; r++)
    for (uint32_t c = 0; c < a->columns; c++) result.s[c * a->rows + r] = a->s[r * a->columns + c];
  return result;
}

law_value law_multiply(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  const bool scalar_a = a->rows == 1 && a->columns == 1 && a->sort == LAW_NUMBER;
  const bool scalar_b = b->rows == 1 && b->columns == 1 && b->sort == LAW_NUMBER;
  const bool numbers =
      (a->sort == LAW_NUMBER || a->sort == LAW_IDENTITY) && (b->sort == LAW_NUMBER || b->sort == LAW_IDENTITY);
  if (a->sort == LAW_BAD || b->sort == LAW_BAD) return bad;
  if (numbers && (scalar_a || a->sort == LAW_IDENTITY || scalar_b || b->sort == LAW_IDENTITY)) {
    const bool left = scalar_a || (a->sort == LAW_IDENTITY && !scalar_b);
    law_value result = left ? law_scaled(m, b, a->s[0], a->unit) : law_scaled(m, a, b->s[0], b->unit);
    result.whole = a->whole && b->whole;
    return result;
  }
  if (!numbers || a->columns != b->rows) {
    char texts[2][32];
    LAW_COMPLAIN(m, 'T', span, "%s cannot be multiplied by %s|use dot, cross or outer, or transpose one: a'*b",
                 law_sort_name(a, texts[0]), law_sort_name(b, texts[1]));
    return bad;
  }
  law_value result = {.sort = LAW_NUMBER, .rows = a->rows, .columns = b->columns};
  result.unit = law_unit_multiply(a->unit, b->unit);
  for (uint32_t r = 0; r < a->rows; r++)
    for (uint32_t c = 0; c < b->columns; c++) {
      dag_ref sum = 0;
      for (uint32_t k = 0; k < a->columns; k++) {
        const dag_ref term = dag_mul(m->graph, a->s[r * a->columns + k], b->s[k * b->columns + c]);
        sum = sum ? dag_add(m->graph, sum, term) : term;
      }
      result.s[r * b->columns + c] = sum;
    }
  return result;
}

law_value law_scalar(dag_ref node, law_unit unit) {
  return (law_value){.sort = LAW_NUMBER, .rows = 1, .columns = 1, .unit = unit, .s = {node}};
}

dag_ref law_dot_scalars(dag *graph, const dag_ref *a, const dag_ref *b, uint32_t count) {
  dag_ref sum = 0;
  for (uint32_t k = 0; k < count; k++) {
    const dag_ref term = dag_mul(graph, a[k], b[k]);
    sum = sum ? dag_add(graph, sum, term) : term;
  }
  return sum;
}

law_value law_dot(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  if (!law_expect(m, a, 0, 0, "a vector or matrix", span)) return bad;
  if (!law_expect(m, b, a->rows, a->columns, "a vector or matrix of the same shape", span)) return bad;
  return law_scalar(law_dot_scalars(m->graph, a->s, b->s, (uint32_t)a->rows * a->columns),
                    law_unit_multiply(a->unit, b->unit));
}

law_value law_cross(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  if (!law_expect(m, a, 3, 1, "a vector of 3", span) || !law_expect(m, b, 3, 1, "a vector of 3", span)) return bad;
  law_value result = {.sort = LAW_NUMBER, .rows = 3, .columns = 1, .unit = law_unit_multiply(a->unit, b->unit)};
  for (uint32_t k = 0; k < 3; k++) {
    const uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
    result.s[k] = dag_sub(m->graph, dag_mul(m->graph, a->s[i], b->s[j]), dag_mul(m->graph, a->s[j], b->s[i]));
  }
  return result;
}

law_value law_outer(law_maker *m, const law_value *a, const law_value *b, rule_span span) {
  if (!law_expect(m, a, 0, 1, "a vector", span) || !law_expect(m, b, 0, 1, "a vector", span)) return bad;
  const law_value row = law_transpose(b);
  if (a->rows > 1 && b->rows > 1) return law_multiply(m, a, &row, span);
  LAW_COMPLAIN(m, 'T', span, "outer takes two vectors|use * for numbers");
  return bad;
}

law_value law_norm(law_maker *m, const law_value *a, rule_span span) {
  const law_value square = law_dot(m, a, a, span);
  if (square.sort == LAW_BAD) return bad;
  return law_scalar(dag_unary(m->graph, DAG_SQRT, square.s[0]), a->unit);
}

law_value law_normalize(law_maker *m, const law_value *a, rule_span span) {
  if (!law_expect(m, a, 0, 1, "a vector", span)) return bad;
  const law_value length = law_norm(m, a, span);
  law_value result = *a;
  result.unit = (law_unit){0};
  result.whole = false;
  for (uint32_t k = 0; k < a->rows; k++) result.s[k] = dag_div(m->graph, a->s[k], length.s[0]);
  return result;
}

static bool expect_square(law_maker *m, const law_value *a, rule_span span) {
  if (!law_expect(m, a, 0, 0, "a square matrix", span)) return false;
  if (a->rows == a->columns) return true;
  char text[32];
  LAW_COMPLAIN(m, 'T', span, "a square matrix is expected, not %s|of a surface, take F'*F or rest(F)'*F",
               law_sort_name(a, text));
  return false;
}

law_value law_trace(law_maker *m, const law_value *a, rule_span span) {
  if (!expect_square(m, a, span)) return bad;
  dag_ref sum = a->s[0];
  for (uint32_t k = 1; k < a->rows; k++) sum = dag_add(m->graph, sum, a->s[k * a->rows + k]);
  return law_scalar(sum, a->unit);
}

// Half of a + a', or of a - a'.
law_value law_symmetric(law_maker *m, const law_value *a, bool minus, rule_span span) {
  if (!expect_square(m, a, span)) return bad;
  const law_value turned = law_transpose(a), sum = law_sum_of(m, a, &turned, minus, span);
  return law_scaled(m, &sum, dag_const(m->graph, 0.5), (law_unit){0});
}

// The cofactor of an entry of a matrix of 2 or 3: cyclic indices carry the sign.
static dag_ref cofactor(dag *graph, const law_value *a, uint32_t r, uint32_t c) {
  if (a->rows == 2) {
    const dag_ref other = a->s[(1 - r) * 2 + (1 - c)];
    return (r + c) & 1 ? dag_unary(graph, DAG_NEG, other) : other;
  }
  const uint32_t r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
  return dag_sub(graph, dag_mul(graph, a->s[r1 * 3 + c1], a->s[r2 * 3 + c2]),
                 dag_mul(graph, a->s[r1 * 3 + c2], a->s[r2 * 3 + c1]));
}

law_value law_determinant(law_maker *m, const law_value *a, rule_span span) {
  if (!expect_square(m, a, span)) return bad;
  law_unit unit;
  law_unit_raise(a->unit, a->rows, &unit);
  if (a->rows == 1) return law_scalar(a->s[0], unit);
  dag_ref sum = 0;
  for (uint32_t c = 0; c < a->columns; c++) {
    const dag_ref term = dag_mul(m->graph, a->s[c], cofactor(m->graph, a, 0, c));
    sum = sum ? dag_add(m->graph, sum, term) : term;
  }
  return law_scalar(sum, unit);
}

// How much a gradient enlarges volume, or area where it has two columns.
law_value law_dilation(law_maker *m, const law_value *a, rule_span span) {
  if (a->columns != 2 || a->rows != 3) return law_determinant(m, a, span);
  const law_value turned = law_transpose(a), square = law_multiply(m, &turned, a, span);
  const law_value det = law_determinant(m, &square, span);
  if (det.sort == LAW_BAD) return bad;
  return law_scalar(dag_unary(m->graph, DAG_SQRT, det.s[0]), square.unit);
}

law_value law_inverse(law_maker *m, const law_value *a, rule_span span) {
  const law_value det = law_determinant(m, a, span);
  if (det.sort == LAW_BAD) return bad;
  law_value result = *a;
  result.unit = law_unit_divide((law_unit){0}, a->unit);
  result.whole = false;
  const dag_ref one = dag_const(m->graph, 1);
  for (uint32_t r = 0; r < a->rows; r++)
    for (uint32_t c = 0; c < a->columns; c++)
      result.s[c * a->rows + r] = dag_div(m->graph, a->rows == 1 ? one : cofactor(m->graph, a, r, c), det.s[0]);
  return result;
}

law_value law_rotation(law_maker *m, const law_value *a, rule_span span) {
  if (!law_expect(m, a, 3, 0, "a matrix of three rows", span)) return bad;
  if (a->columns < 2) {
    LAW_COMPLAIN(m, 'T', span, "a vector has no rotation|use normalize");
    return bad;
  }
  law_value result = *a;
  result.unit = (law_unit){0};
  result.whole = false;
  dag_rotation(m->graph, a->s, a->columns, result.s);
  return result;
}

// The cross product of two columns.
static void cross_columns(dag *g, const dag_ref *a, const dag_ref *b, dag_ref *result) {
  for (uint32_t r = 0; r < 3; r++) {
    const uint32_t s = (r + 1) % 3, t = (r + 2) % 3;
    result[r] = dag_sub(g, dag_mul(g, a[s], b[t]), dag_mul(g, a[t], b[s]));
  }
}

// A column without its part along those before it, at length 1.
static void orthonormal_column(dag *g, dag_ref (*column)[3], uint32_t c, uint32_t rows) {
  for (uint32_t b = 0; b < c; b++) {
    const dag_ref along = law_dot_scalars(g, column[b], column[c], rows);
    for (uint32_t r = 0; r < rows; r++) column[c][r] = dag_sub(g, column[c][r], dag_mul(g, along, column[b][r]));
  }
  const dag_ref length = dag_unary(g, DAG_SQRT, law_dot_scalars(g, column[c], column[c], rows));
  for (uint32_t r = 0; r < rows; r++) column[c][r] = dag_div(g, column[c][r], length);
}

// Columns made orthonormal one after another; the third of three is the cross product of the others, so that the result
// is a rotation also where the matrix is inverted. On the gradient of a cell this turns with the cell's frame.
law_value law_orthonormal(law_maker *m, const law_value *a, rule_span span) {
  if (!law_expect(m, a, 0, 0, "a matrix", span)) return bad;
  if (a->rows < a->columns || a->columns < 2) {
    LAW_COMPLAIN(m, 'T', span, "qr takes a matrix with no more columns than rows|transpose it");
    return bad;
  }
  dag_ref column[3][3] = {{0}};
  for (uint32_t c = 0; c < a->columns; c++) {
    for (uint32_t r = 0; r < a->rows; r++) column[c][r] = a->s[r * a->columns + c];
    if (c < 2)
      orthonormal_column(m->graph, column, c, a->rows);
    else
      cross_columns(m->graph, column[0], column[1], column[2]);
  }
  law_value result = *a;
  result.unit = (law_unit){0};
  result.whole = false;
  for (uint32_t c = 0; c < a->columns; c++)
    for (uint32_t r = 0; r < a->rows; r++) result.s[r * a->columns + c] = column[c][r];
  return result;
}

// The angle by which the half plane (a, b, d) is turned about b - a against the one opposite to (a, b, c): 0 where all
// is flat. It grows when d turns with the right hand about b - a, and when c turns against it.
law_value law_dihedral(law_maker *m, const law_value *points, rule_span span) {
  law_value from_a[3];
  for (uint32_t k = 0; k < 3; k++) {
    from_a[k] = law_sum_of(m, &points[k + 1], &points[0], true, span);
    if (!law_expect(m, &from_a[k], 3, 1, "a point", span)) return bad;
  }
  const law_value axis = law_normalize(m, &from_a[0], span);
  const law_value n_c = law_cross(m, &axis, &from_a[1], span), n_d = law_cross(m, &axis, &from_a[2], span);
  const law_value both = law_cross(m, &n_c, &n_d, span);
  const law_value sine = law_dot(m, &axis, &both, span), cosine = law_dot(m, &n_c, &n_d, span);
  if (sine.sort == LAW_BAD || cosine.sort == LAW_BAD) return bad;
  dag *graph = m->graph;
  const dag_ref angle =
      dag_binary(graph, DAG_ATAN2, dag_unary(graph, DAG_NEG, sine.s[0]), dag_unary(graph, DAG_NEG, cosine.s[0]));
  return law_scalar(angle, (law_unit){0});
}
