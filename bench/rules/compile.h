// How long the machine's compiler takes: for all shipped rules, and for a file of one rule.

#ifndef BENCH_RULES_COMPILE_H
#define BENCH_RULES_COMPILE_H

// Prints seconds by the clock, from reading the text to code that can run, with nothing in the cache.
void bench_print_compile_times(void);

#endif
