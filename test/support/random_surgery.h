// Random operations of surgery, all that there are: each finds something to do in whatever body it is given, as far as
// there is something.

#ifndef CLEAVE_TEST_SUPPORT_RANDOM_SURGERY_H
#define CLEAVE_TEST_SUPPORT_RANDOM_SURGERY_H

#include "cleave/surgery.h"
#include "support/random.h"

// A body on the table.
typedef struct patient {
  clv_body *body;
  clv_surgery *surgery;
  clv_scalpel *scalpel; // touches it as long as it lives, as the other operations go on
  random_source random;
  double size[3]; // of the box it rests in
  bool plain;     // it is not refined: what knows nothing of levels has its turn
} patient;

// What an operation may do. All keep mass and momentum, but for what they remove; what only parts or removes makes no
// energy.
typedef enum effect {
  EFFECT_PARTS,   // facets
  EFFECT_REMOVES, // cells
  EFFECT_RENEWS,  // other cells for the same matter
} effect;

typedef clv_result random_operation(patient *p, clv_surgery_report *report);

typedef struct random_surgery {
  const char *name;
  random_operation *run;
  effect effect;
  uint32_t weight;
} random_surgery;

extern const random_surgery random_surgeries[];
extern const uint32_t random_surgery_count;

// Beyond so many cells nothing is refined.
enum { PATIENT_ENOUGH = 160 };

// The programs that rules are taken from.
void random_surgery_begin(void);
void random_surgery_end(void);

// Between 0 and 1.
double patient_some(patient *p);
// One of those it has; 0 when there is none.
clv_dart patient_cell(patient *p);

#endif
