// What the two halves of the naive map share, and nobody else uses.

#ifndef CLEAVE_TEST_SUPPORT_REFERENCE_PRIVATE_H
#define CLEAVE_TEST_SUPPORT_REFERENCE_PRIVATE_H

#include "support/reference.h"

// Free darts under consecutive names; the first is returned.
ref_dart reference_new_darts(reference *map, uint32_t count);
void reference_delete_dart(reference *map, ref_dart dart);
void reference_join(reference *map, uint32_t i, ref_dart a, ref_dart b);

// Walks the orbits of `dims` at a in p and at b in q in step. True when they are the same but for names; then image[x]
// is the dart of q that stands for the dart x of p.
bool reference_match(const reference *p, ref_dart a, const reference *q, ref_dart b, uint32_t dims, ref_dart *image);

// How many darts a template cell has.
uint32_t reference_template_darts(clv_kind kind);

#endif
