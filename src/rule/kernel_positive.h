// Loops of kernel_positive.c, compiled once for each instruction set (positive_loops.h).

#ifndef RULE_KERNEL_POSITIVE_H
#define RULE_KERNEL_POSITIVE_H

enum { POSITIVE_AXES = 48 };

// Eight symmetric n x n matrices, entry e of lane l at matrix[8 * e + l]: negative eigenvalues become 0, or positive.
typedef void positive_function(double *matrix, unsigned n, int absolute);
positive_function positive_sse2, positive_avx2, positive_avx512;

#endif
