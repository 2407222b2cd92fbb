// The parts of this bench. Each prints its table, and its RATIOs into a list that is printed at the end.

#ifndef BENCH_PARTS_H
#define BENCH_PARTS_H

void ratio_add(const char *name, double value);

void bench_flat(void);   // flat_beam, flat_corotational, flat_implicit
void bench_papers(void); // papers
void bench_sofa(void);   // sofa_...
void bench_scale(void);  // scaling, bytes_per_tet, two_threads

#endif
