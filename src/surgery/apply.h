// A rule that is applied to a body: what it is called with, and at which places.

#ifndef SURGERY_APPLY_H
#define SURGERY_APPLY_H

#include "surgery/surgery.h"

enum { SURGERY_PARAMETERS = 8 };

// What a rule is called with: one dart, and a level for whatever is none.
typedef struct surgery_call {
  clv_rule_argument arguments[SURGERY_PARAMETERS];
  uint32_t count, place; // which of them is the dart
  clv_orbit orbit;       // that it is a dart of
  surgery_topics topics; // that the rule speaks of
} surgery_call;

// The places (place.c), in `facets`: one dart of each orbit, as they are before anything is changed. What the rule
// speaks of is there, and it is told where it is applied.
clv_result surgery_list_places(clv_surgery *surgery, const clv_apply *apply, const surgery_call *call);
// Those where a rule that has a rank matches now, in `order`: the greatest rank first. Inside the transaction. When a
// place refuses it, clv_surgery_error says what the first one had to say.
clv_result surgery_order_places(clv_surgery *surgery, const clv_rule *rule, surgery_call *call);

#endif
