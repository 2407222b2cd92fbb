// The parts of this bench. Each prints its table and keeps its RATIOs.

#ifndef BENCH_PARTS_H
#define BENCH_PARTS_H

#include "../tools/parts.h"

void bench_flat(void);   // flat_beam, flat_corotational, flat_implicit
void bench_papers(void); // papers
void bench_sofa(void);   // sofa_...
void bench_scale(void);  // scaling, bytes_per_tet, two_threads

#endif
