// Stiffness times a vector, as implicit integrators need it: many times at one state.

#ifndef BENCH_RULES_PRODUCT_H
#define BENCH_RULES_PRODUCT_H

// Prints nanoseconds an element: of a product as it is, of one at a linearised state, and of linearising.
void bench_print_products(void);

#endif
