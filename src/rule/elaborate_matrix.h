// Vectors and matrices, written out in scalars: what the built-in functions are made of.

#ifndef RULE_ELABORATE_MATRIX_H
#define RULE_ELABORATE_MATRIX_H

#include "rule/elaborate.h"

law_value law_scalar(dag_ref node, law_unit unit);
dag_ref law_dot_scalars(dag *graph, const dag_ref *a, const dag_ref *b, uint32_t count);
law_value law_cross(law_maker *m, const law_value *a, const law_value *b, rule_span span);
law_value law_outer(law_maker *m, const law_value *a, const law_value *b, rule_span span);
law_value law_norm(law_maker *m, const law_value *a, rule_span span);
law_value law_normalize(law_maker *m, const law_value *a, rule_span span);
law_value law_trace(law_maker *m, const law_value *a, rule_span span);
law_value law_symmetric(law_maker *m, const law_value *a, bool minus, rule_span span);
law_value law_determinant(law_maker *m, const law_value *a, rule_span span);
law_value law_dilation(law_maker *m, const law_value *a, rule_span span);
law_value law_inverse(law_maker *m, const law_value *a, rule_span span);
law_value law_rotation(law_maker *m, const law_value *a, rule_span span);
law_value law_orthonormal(law_maker *m, const law_value *a, rule_span span);
law_value law_dihedral(law_maker *m, const law_value *points, rule_span span);

#endif
