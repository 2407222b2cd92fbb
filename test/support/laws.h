// The shipped laws, made once for all tests of a program.

#ifndef CLEAVE_TEST_SUPPORT_LAWS_H
#define CLEAVE_TEST_SUPPORT_LAWS_H

#include "support/beam.h"

static clv_program *laws;

static inline int make_laws(void **unused) {
  (void)unused;
  laws = beam_program();
  return 0;
}

static inline int free_laws(void **unused) {
  (void)unused;
  clv_program_destroy(laws);
  return 0;
}

static inline clv_zone across(double x) {
  return clv_zone_plane((double[]){x, 0, 0}, (double[]){1, 0, 0});
}

#endif
