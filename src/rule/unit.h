// Units of values: powers of kilogram, metre, second and kelvin.
//
// Angles are plain numbers, so `rad` is 1. Powers are counted in twelfths, so that roots stay exact. A literal zero has
// any unit: `x > 0` is right whatever x is.

#ifndef RULE_UNIT_H
#define RULE_UNIT_H

#include "rule/syntax.h"

enum { LAW_UNIT_PARTS = 4, LAW_UNIT_ONE = 12 };

typedef struct law_unit {
  int16_t power[LAW_UNIT_PARTS]; // kg, m, s, K, in twelfths
  bool any;                      // of a zero
} law_unit;

// The powers of a unit that is whole.
law_unit law_unit_of(int kg, int m, int s);
// The unit of a RULE_UNIT tree (or none); a factor that no one knows is named by *bad.
law_unit law_unit_read(const rule_tree *tree, const rule_tree **bad);
law_unit law_unit_multiply(law_unit a, law_unit b);
law_unit law_unit_divide(law_unit a, law_unit b);
// False when the power of some part would not be a twelfth, or too large.
bool law_unit_raise(law_unit a, double power, law_unit *result);
bool law_unit_equal(law_unit a, law_unit b); // any is equal to each
bool law_unit_none(law_unit a);              // a plain number, or any
// As people write it: "N/m", "kg m^2 s^-1", "1".
enum { LAW_UNIT_TEXT = 64 };
const char *law_unit_print(law_unit unit, char text[LAW_UNIT_TEXT]);

#endif
