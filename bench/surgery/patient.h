// A body on the table: a subject with its surgery, and places in it to work at.

#ifndef BENCH_PATIENT_H
#define BENCH_PATIENT_H

#include "../tools/subject.h"

typedef struct patient {
  subject s;
  clv_surgery *surgery;
  clv_map *map;
  uint32_t count; // places
  clv_dart *facets;
  clv_id *cells;
} patient;

// One of the cases: corotational finite elements or springs, explicit or implicit without a matrix.
typedef struct patient_case {
  const char *name;
  subject_def def;
} patient_case;

enum { PATIENT_SIZES = 3, PATIENT_CASES = 4 };
extern const char *const patient_sizes[PATIENT_SIZES]; // liver, 1,000, 100,000 tetrahedra
subject_def patient_def(uint32_t size, uint32_t which);
const char *patient_case_name(uint32_t which);

void patient_make(patient *p, const subject_def *def);
void patient_free(patient *p);

// The facets between the cells on either side of the plane through the middle, across the longest side, and the cells
// on one side of them: neighbours follow each other, strip by strip.
void patient_find_strip(patient *p);
// Cells all over the body, and a sewn facet of each, by chance (always the same).
void patient_scatter(patient *p, uint32_t count);

// One edit and everything that follows from it: views, masses, the solver.
typedef void patient_edit(patient *p, uint32_t place);
patient_edit patient_split, patient_remove, patient_refine;

#endif
