// Cleave beside a peer, on the same machine in the same minutes.

#ifndef BENCH_MAP_COMPARE_H
#define BENCH_MAP_COMPARE_H

// Prints every figure of both, then the lines `RATIO name value`, value = peer / Cleave.
void bench_compare(const char *program);

#endif
