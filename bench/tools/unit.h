// The unit of time: a plain scalar spring loop over flat arrays (8 x 8 x 10 hexahedra, 4,954 damped springs, symplectic
// Euler), one step of it. Times of other programs, taken on other machines, are given in it, so that they can be
// compared here.

#ifndef BENCH_UNIT_H
#define BENCH_UNIT_H

void unit_make(void);
void unit_step(void *unused);

#endif
