// Anderson's acceleration: better corrections from the ones before.
//
// Laws make their stiffness positive, or leave out what turns with a cell; Newton's method with such a matrix converges
// by a constant factor an iteration, not quadratically. How corrections changed while the unknown did says what the
// matrix left out: the correction that is returned is the one that would be best if that went on in the same way. For
// a linear body whose matrix is exact it is the given one.

#ifndef SOLVE_ANDERSON_H
#define SOLVE_ANDERSON_H

#include "base/memory.h"

enum { ANDERSON_DEPTH = 6 };

typedef struct anderson {
  size_t numbers;
  uint32_t count, next;      // differences that are kept; where the next goes
  bool last;                 // there is a last pair
  BASE_ARRAY(double) memory; // the last unknown and correction, then differences of both in turn
} anderson;

// Forgets everything; false when memory is out.
bool anderson_start(anderson *a, const clv_allocator *allocator, size_t numbers);
void anderson_free(anderson *a, const clv_allocator *allocator);
// Takes in an unknown and the correction found there, which it replaces by a better one. False, and nothing
// replaced, when there is nothing to learn from.
bool anderson_improve(anderson *a, const double *unknown, double *correction);
// Forgets the differences: the last step did not do what they promised.
void anderson_forget(anderson *a);

#endif
